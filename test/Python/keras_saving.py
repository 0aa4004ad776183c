# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t
# RUN: env FLYWHEEL_CACHE= %python %s %t
"""Whole models of Keras on disk: architecture, weights, and the state of the optimizer, so that training goes on bit by
bit (O13)."""

import json
import os
import struct
import sys
import warnings
from typing import Any, Callable, Dict, List

import numpy as np
from safetensors import safe_open
from safetensors.numpy import load_file

import flywheel as fw
import flywheel.v1 as tf
from configurations import raises
from flywheel import keras
from flywheel.keras import backend as K
from flywheel.keras import constraints, initializers, layers, optimizers, regularizers
from flywheel.keras.models import Input, Model, Sequential, load_model, model_from_config, model_from_json

folder = sys.argv[1]
rng = np.random.default_rng(0)


def again(model: Any, custom: Any = None) -> Any:
    """The same architecture, through JSON, with the same weights."""
    text = model.to_json()
    assert json.loads(text)["keras_version"] == "2.1.6"
    made = model_from_json(text, custom)
    assert made.to_json() == text and type(made) is type(model)
    made.set_weights(model.get_weights())
    return made


# Each optimizer: a model that is saved, loaded and trained on is the one that was not.
x = rng.normal(size=(24, 5)).astype(np.float32)
y = (x.sum(1, keepdims=True) > 0).astype(np.float32)
choices: List[Callable[[], Any]] = [
    lambda: optimizers.SGD(lr=0.1, momentum=0.9, decay=0.01, nesterov=True),
    lambda: optimizers.RMSprop(lr=0.01, clipnorm=1.0),
    lambda: optimizers.Adagrad(lr=0.1),
    lambda: optimizers.Adadelta(rho=0.9),
    lambda: optimizers.Adam(lr=0.01, amsgrad=True),
    lambda: optimizers.Adamax(lr=0.01, clipvalue=0.5),
    lambda: optimizers.Nadam(lr=0.01),
]
path = os.path.join(folder, "model.safetensors")
for make in choices:
    K.clear_session()
    model: Any = Sequential(name="classifier")
    model.add(layers.Dense(7, activation="tanh", input_shape=(5,), kernel_regularizer=regularizers.l2(0.01)))
    model.add(layers.BatchNormalization())
    model.add(layers.Dense(1, activation="sigmoid", kernel_constraint=constraints.max_norm(1.0)))
    model.compile(make(), "binary_crossentropy", metrics=["accuracy"])
    for _ in range(3):
        model.train_on_batch(x, y)
    K.set_value(model.optimizer.lr, 0.02)
    model.save(path)
    expected = [model.train_on_batch(x, y) for _ in range(3)]
    shown, values = model.predict(x), model.get_weights()
    name = type(model.optimizer).__name__

    K.clear_session()
    loaded = load_model(path)
    assert type(loaded) is Sequential and loaded.name == "classifier" and type(loaded.optimizer).__name__ == name
    assert [layer.name for layer in loaded.layers] == ["dense_1", "batch_normalization_1", "dense_2"]
    assert np.isclose(K.get_value(loaded.optimizer.lr), 0.02) and K.get_value(loaded.optimizer.iterations) == 3
    assert loaded.metrics_names == ["loss", "acc"]
    found = [loaded.train_on_batch(x, y) for _ in range(3)]
    np.testing.assert_array_equal(np.array(found), np.array(expected), err_msg=name)
    np.testing.assert_array_equal(loaded.predict(x), shown)
    for a, b in zip(loaded.get_weights(), values):
        np.testing.assert_array_equal(a, b)

# The file is a checkpoint, from which weights alone are read, too.
with safe_open(path, "np") as file:
    metadata = file.metadata()
    assert {"model_config", "training_config"} <= {*metadata} and "optimizer_weights/iterations" in set(file.keys())
    assert json.loads(metadata["training_config"])["loss"] == "binary_crossentropy"
assert "dense_1/kernel" in load_file(path)
K.clear_session()
plain = load_model(path, compile=False)
assert plain.optimizer is None
raises(RuntimeError, "compile your model", lambda: plain.train_on_batch(x, y))
plain.set_weights([w * 0 for w in plain.get_weights()])
plain.load_weights(path)
assert plain.get_weights()[0].any()
plain.save(path, include_optimizer=False)
assert not any(key.startswith("optimizer") for key in load_file(path))
raises(FileExistsError, "overwrite is False", lambda: plain.save(path, overwrite=False))
plain.save_weights(path)
raises(ValueError, "No model found", lambda: load_model(path))
raises(fw.NotFoundError, "there is no file", lambda: load_model(os.path.join(folder, "nothing")))
with open(os.path.join(folder, "broken"), "wb") as broken:
    broken.write(b"\xff" * 40)
raises(fw.DataLossError, "not a checkpoint", lambda: load_model(os.path.join(folder, "broken")))

# A model that is not changed by a load that fails.
K.clear_session()
other = Sequential([layers.Dense(3, input_dim=5)])
before = other.get_weights()
raises(Exception, "", lambda: other.load_weights(path))
np.testing.assert_array_equal(other.get_weights()[0], before[0])

# A checkpoint of each epoch has the model and its optimizer.
K.clear_session()
model = Sequential([layers.Dense(1, input_dim=5)])
model.compile("adam", "mse")
saver = keras.callbacks.ModelCheckpoint(os.path.join(folder, "{epoch:02d}"), save_weights_only=False)
model.fit(x, y, epochs=2, verbose=0, callbacks=[saver], shuffle=False)
final = model.get_weights()
K.clear_session()
model = load_model(os.path.join(folder, "01"))
model.fit(x, y, epochs=1, verbose=0, shuffle=False)
np.testing.assert_array_equal(model.get_weights()[0], final[0])


# Functional models: shared layers, several inputs and outputs, models in models, layers of all kinds.
def branch() -> Any:
    given = Input(shape=(6, 3), name="inner_input")
    z = layers.Conv1D(4, 3, padding="causal", activation="relu", name="inner_conv")(given)
    return Model(given, layers.GlobalMaxPooling1D(name="inner_pool")(z), name="inner")


K.clear_session()
a, b = Input(shape=(6, 3), name="a"), Input(shape=(6,), dtype="int32", name="b")
inner = branch()
shared = layers.Dense(4, activation="relu", name="shared")
words = layers.Embedding(9, 3, mask_zero=True, name="words")(b)
one = shared(inner(a))
two = shared(layers.Bidirectional(layers.LSTM(2, recurrent_activation="sigmoid"), name="both")(words))
three = layers.GRU(4, return_state=True, name="gru")(a)[1]
four = shared(inner(layers.Dropout(0.3)(a)))
merged = layers.concatenate([one, two, three, four], name="merged")
main = layers.Dense(2, activation="softmax", name="main")(layers.BatchNormalization(momentum=0.9)(merged))
side = layers.TimeDistributed(layers.Dense(1), name="side")(a)
model = Model([a, b], [main, side], name="everything")
feeds = [rng.normal(size=(5, 6, 3)).astype(np.float32), rng.integers(0, 9, (5, 6)).astype(np.int32)]
targets = [np.eye(2)[rng.integers(0, 2, 5)], rng.normal(size=(5, 6, 1))]
model.compile("adam", {"main": "categorical_crossentropy", "side": keras.losses.mean_squared_error},
              metrics={"main": ["accuracy"]}, loss_weights={"main": 1.0, "side": 0.5})  # fmt: skip
model.train_on_batch(feeds, targets)
wanted = model.predict(feeds)
copy = again(model)
for p, q in zip(copy.predict(feeds), wanted):
    np.testing.assert_array_equal(p, q)
assert copy.get_layer("shared") is not shared and len(copy.get_layer("shared")._nodes) == 3
model.save(path)
scores = model.evaluate(feeds, targets, verbose=0)
names = model.metrics_names
K.clear_session()
model = load_model(path)
for p, q in zip(model.predict(feeds), wanted):
    np.testing.assert_array_equal(p, q)
assert model.metrics_names == names and model.name == "everything"
np.testing.assert_allclose(model.evaluate(feeds, targets, verbose=0), scores, rtol=1e-6)

# Each layer comes back as it was.
image = rng.normal(size=(2, 6, 6, 3)).astype(np.float32)
series = rng.normal(size=(2, 6, 3)).astype(np.float32)
flat = rng.normal(size=(2, 6)).astype(np.float32)
cases: List[Any] = [
    (image, layers.Conv2D(4, (3, 2), strides=2, padding="same", dilation_rate=1, use_bias=False,
                          kernel_initializer=initializers.RandomNormal(stddev=0.1, seed=3))),
    (image, layers.MaxPooling2D((2, 3), strides=1)), (image, layers.AveragePooling2D(padding="same")),
    (image, layers.GlobalAveragePooling2D()), (image, layers.GlobalMaxPooling2D()),
    (image, layers.ZeroPadding2D(((1, 2), (0, 3)))), (image, layers.Flatten()),
    (image, layers.Reshape((9, -1))), (image, layers.Permute((2, 3, 1))), (flat, layers.RepeatVector(3)),
    (flat, layers.Activation("elu")), (flat, layers.LeakyReLU(0.1)), (flat, layers.Dropout(0.3, seed=1)),
    (series, layers.Conv1D(4, 2, padding="causal")), (series, layers.MaxPooling1D(3)),
    (series, layers.AveragePooling1D(2, 1)), (series, layers.GlobalMaxPooling1D()),
    (series, layers.GlobalAveragePooling1D()), (series, layers.Masking(0.5)),
    (series, layers.SimpleRNN(3, activation="relu", use_bias=False)),
    (series, layers.LSTM(3, return_sequences=True, go_backwards=True, unit_forget_bias=False)),
    (series, layers.GRU(3, recurrent_activation="sigmoid", kernel_constraint="unit_norm")),
    (series, layers.LayerNormalization(epsilon=0.1, center=False)),
    (flat, layers.BatchNormalization(scale=False, gamma_initializer="zeros", beta_regularizer="l1")),
    (flat, layers.Dense(3, activation="selu", bias_initializer=initializers.Constant(0.5), kernel_regularizer="l1_l2",
                        kernel_initializer="he_normal", bias_constraint="non_neg", trainable=False)),
]  # fmt: skip
for value, layer in cases:
    K.clear_session()
    made = Sequential([type(layer).from_config({**layer.get_config(), "batch_input_shape": (None, *value.shape[1:])})])
    copied = again(made)
    np.testing.assert_array_equal(made.predict(value), copied.predict(value), err_msg=layer.name)
    assert copied.layers[0].trainable == layer.trainable
dense = cases[-1][1].get_config()
assert dense["kernel_initializer"] == {
    "class_name": "VarianceScaling",
    "config": {"seed": None, "scale": 2.0, "mode": "fan_in", "distribution": "normal"}}  # fmt: skip
assert dense["activation"] == "selu" and dense["kernel_regularizer"]["config"] == {"l1": 0.01, "l2": 0.01}
assert dense["bias_constraint"] == {"class_name": "NonNeg", "config": {}} and dense["units"] == 3


# Classes and functions of the program are told when it is loaded.
class Scale(layers.Layer):
    def __init__(self, factor: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.factor = factor

    def call(self, inputs: Any) -> Any:  # type: ignore[override]
        return inputs * self.factor

    def get_config(self) -> Dict[str, Any]:
        return {**super().get_config(), "factor": self.factor}


def doubled(t: Any) -> Any:
    return 2.0 * t


def far(y_true: Any, y_pred: Any) -> Any:
    return K.mean(K.abs(y_true - y_pred), -1)


custom = {"Scale": Scale, "doubled": doubled, "far": far}
K.clear_session()
model = Sequential([Scale(3.0, input_shape=(5,)), layers.Lambda(doubled), layers.Dense(1, activation=doubled)])
model.compile("sgd", far, metrics=[far])
model.train_on_batch(x, y)
model.save(path)
wanted = model.predict(x)
K.clear_session()
raises(ValueError, "Unknown layer: Scale", lambda: load_model(path))
K.clear_session()
model = load_model(path, custom)
np.testing.assert_array_equal(model.predict(x), wanted)
assert model.loss == "far" and model.evaluate(x, y, verbose=0)[0] == model.evaluate(x, y, verbose=0)[1]
with keras.utils.CustomObjectScope(custom):
    assert len(model_from_json(model.to_json()).layers) == 3
nameless = Sequential([layers.Lambda(lambda t: t, input_shape=(5,))])
raises(ValueError, "safe_mode=False", lambda: model_from_json(nameless.to_json()))
raises(TypeError, "expects a dictionary", lambda: model_from_config([]))  # type: ignore[arg-type]
raises(ValueError, "Unknown layer: Nothing", lambda: layers.deserialize({"class_name": "Nothing", "config": {}}))

# Files whose configuration is damaged, or says more than they have: errors name it.


def write_odd(key: str, change: Callable[[str], str]) -> None:
    """Writes the saved model with another text of its metadata."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header, rest = json.loads(file.read(length)), file.read()
    header["__metadata__"][key] = change(header["__metadata__"][key])
    text = json.dumps(header).encode()
    with open(odd, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + rest)


def damaged(change: Callable[[Any], Any], key: str = "model_config") -> None:
    """The saved model with another configuration."""

    def changed(text: str) -> str:
        config = json.loads(text)
        return json.dumps(change(config) or config)

    write_odd(key, changed)
    K.clear_session()
    raises(ValueError, "odd.keras", lambda: load_model(odd))


K.clear_session()
odd = os.path.join(folder, "odd.keras")
plain_model = Sequential([layers.Dense(4, input_shape=(3,)), layers.Dense(2)])
plain_model.compile("sgd", "mse")
plain_model.save(path)
dense = json.loads(plain_model.to_json())["config"]
dense = dense["layers"] if isinstance(dense, dict) else dense
place = next(i for i, one in enumerate(dense) if one["class_name"] == "Dense")


def first_dense(config: Any) -> Any:
    listed = config["config"]
    return (listed["layers"] if isinstance(listed, dict) else listed)[place]


damaged(lambda config: first_dense(config)["config"].update(units=2**53))
damaged(lambda config: first_dense(config)["config"].update(units="many"))
damaged(lambda config: first_dense(config)["config"].update(units=None))
damaged(lambda config: first_dense(config)["config"].update(what_there_is_not=1))
damaged(lambda config: first_dense(config).pop("config") and None)
damaged(lambda config: [config])
damaged(lambda config: first_dense(config)["config"].update(name="\ud800"))
damaged(lambda config: {"class_name": "Dense", "config": {"units": 3}})
damaged(lambda config: config.pop("optimizer_config") and None, "training_config")
damaged(lambda config: config.update(loss=7), "training_config")
for text in ("", "x", '["a"', "{}", "3", "null", "[1, 2]", '["a", "a", "b", "c"]', "[[], [], [], []]", "[" * 100000):
    write_odd("weight_names", lambda _: text)
    kept = [np.array(w) for w in plain_model.get_weights()]
    raises(fw.DataLossError, "odd.keras' is damaged: its names", lambda: plain_model.load_weights(odd))
    for old, new in zip(kept, plain_model.get_weights()):
        np.testing.assert_array_equal(new, old)
write_odd("weight_names", lambda _: '["a", "b"]')
raises(ValueError, "2 weights into a model with 4 weights: '", lambda: plain_model.load_weights(odd))
K.clear_session()
plain_model = Sequential([layers.Dense(4, input_shape=(3,)), layers.Dense(2)])
plain_model.compile("sgd", "mse")
# No h5py, which would write and read them.
sys.modules["h5py"] = None  # type: ignore[assignment]
for name in ("model.h5", "model.HDF5"):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        plain_model.save(os.path.join(folder, name))
        plain_model.save_weights(os.path.join(folder, name))
    assert [("written in the format safetensors" in str(w.message), w.filename) for w in caught] == [
        (True, __file__)] * 2, [(str(w.message), w.filename) for w in caught]  # fmt: skip
with open(odd, "wb") as file:
    file.write(b"\x89HDF\r\n\x1a\n" + bytes(100))
for load in (load_model, plain_model.load_weights):
    raises(fw.DataLossError, "odd.keras' is a file of HDF5", lambda load=load: load(odd))  # type: ignore[misc]
empty = Sequential()
raises(AttributeError, "model is empty. Add some layers first", lambda: empty.summary())
raises(AttributeError, "model is empty. Add some layers first", lambda: empty.predict(np.ones((1, 2))))
raises(AttributeError, "has no attribute 'nothing'", lambda: empty.nothing)
os.mkfifo(os.path.join(folder, "pipe"))
for header in (b"[]", b'{"__metadata__": 3}', b'{"__metadata__": {"model_config": {}}}', b"[" * 100000):
    with open(odd, "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header)
    raises(fw.DataLossError, "not a checkpoint", lambda: load_model(odd))
raises(fw.DataLossError, "not a checkpoint", lambda: load_model(os.path.join(folder, "pipe")))

# A file of Keras 2.1: a Sequential model is a list of layers.
K.clear_session()
written = """{"class_name": "Sequential", "keras_version": "2.1.6", "backend": "tensorflow", "config": [
{"class_name": "Dense", "config": {"name": "dense_1", "trainable": true, "batch_input_shape": [null, 5],
"dtype": "float32", "units": 3, "activation": "relu", "use_bias": true, "kernel_initializer": {"class_name":
"VarianceScaling", "config": {"scale": 1.0, "mode": "fan_avg", "distribution": "uniform", "seed": null}},
"bias_initializer": {"class_name": "Zeros", "config": {}}, "kernel_regularizer": {"class_name": "L1L2", "config":
{"l1": 0.0, "l2": 0.009999999776482582}}, "bias_regularizer": null, "activity_regularizer": null,
"kernel_constraint": null, "bias_constraint": null}}, {"class_name": "Dropout", "config": {"name": "dropout_1",
"trainable": true, "rate": 0.5, "noise_shape": null, "seed": null}}, {"class_name": "Reshape", "config":
{"name": "reshape_1", "trainable": true, "target_shape": [3, 1]}}, {"class_name": "LSTM", "config": {"name": "lstm_1",
"trainable": true, "return_sequences": false, "return_state": false, "go_backwards": false, "stateful": false,
"unroll": false, "units": 2, "activation": "tanh", "recurrent_activation": "hard_sigmoid", "use_bias": true,
"kernel_initializer": {"class_name": "VarianceScaling", "config": {"scale": 1.0, "mode": "fan_avg", "distribution":
"uniform", "seed": null}}, "recurrent_initializer": {"class_name": "Orthogonal", "config": {"gain": 1.0, "seed": null}},
"bias_initializer": {"class_name": "Zeros", "config": {}}, "unit_forget_bias": true, "kernel_regularizer": null,
"recurrent_regularizer": null, "bias_regularizer": null, "activity_regularizer": null, "kernel_constraint": null,
"recurrent_constraint": null, "bias_constraint": null, "dropout": 0.0, "recurrent_dropout": 0.0, "implementation": 1}}]}
"""
model = model_from_json(written)
assert [w.shape for w in model.get_weights()] == [(5, 3), (3,), (1, 8), (2, 8), (8,)] and len(model.losses) == 1
assert model.predict(x).shape == (24, 2)

# An optimizer of flywheel.v1 has no configuration: a warning, and a model without it.
K.clear_session()
model = Sequential([layers.Dense(1, input_dim=5)])
model.compile(tf.train.AdamOptimizer(0.1), "mse")
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    model.save(path)
assert any("without its optimizer" in str(w.message) for w in seen)
assert load_model(path).optimizer is None

# State of recurrent layers is none of the model's weights.
K.clear_session()
model = Sequential([layers.LSTM(2, stateful=True, batch_input_shape=(2, 3, 3))])
model.predict(series[:, :3])
copied = again(model)
assert copied.stateful and len(copied.get_weights()) == 3
model.reset_states()
np.testing.assert_array_equal(model.predict(series[:, :3]), copied.predict(series[:, :3]))
