# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t
# RUN: env FLYWHEEL_CACHE= %python %s %t
"""Layers of Keras beside NumPy, functional models, regularizers, callbacks (M5) and streams of batches."""

import csv
import os
import sys
from typing import Any, Iterator, List, cast

import numpy as np

from configurations import raises, run_tests
from flywheel import keras
from flywheel.keras import backend as K
from flywheel.keras import layers
from flywheel.keras.models import Input, Model, Sequential

folder = sys.argv[1]
rng = np.random.default_rng(0)


def run(layer: Any, x: Any) -> Any:
    given = Input(shape=x.shape[1:])
    made = Model(given, layer(given))
    y = made.predict(x)
    assert K.int_shape(made.outputs[0])[1:] == y.shape[1:], (layer.name, K.int_shape(made.outputs[0]), y.shape)
    return y


def hard(x: Any) -> Any:
    return np.clip(0.2 * x + 0.5, 0, 1)


# Recurrent layers.
x = rng.normal(size=(3, 5, 4)).astype(np.float32)


def recur(kind: str, weights: List[Any], xs: Any, units: int) -> List[Any]:
    w, u, b = weights
    h = c = np.zeros((len(xs), units))
    outputs = []
    for t in range(xs.shape[1]):
        a = xs[:, t] @ w + b
        if kind == "SimpleRNN":
            h = np.tanh(a + h @ u)
        elif kind == "LSTM":
            i, f, g, o = np.split(a + h @ u, 4, 1)
            c = hard(f) * c + hard(i) * np.tanh(g)
            h = hard(o) * np.tanh(c)
        else:
            z, r = (hard(v) for v in np.split(a[:, : 2 * units] + h @ u[:, : 2 * units], 2, 1))
            h = z * h + (1 - z) * np.tanh(a[:, 2 * units :] + (r * h) @ u[:, 2 * units :])
        outputs.append(h)
    return outputs


for kind in ("SimpleRNN", "LSTM", "GRU"):
    layer = getattr(layers, kind)(6, return_sequences=True)
    y = run(layer, x)
    values = layer.get_weights()
    np.testing.assert_allclose(y, np.stack(recur(kind, values, x, 6), 1), rtol=1e-4, atol=1e-5)
    if kind == "LSTM":
        assert values[2].tolist() == [0] * 6 + [1] * 6 + [0] * 12
    last = getattr(layers, kind)(6, go_backwards=True)
    y = run(last, x)
    np.testing.assert_allclose(y, recur(kind, last.get_weights(), x[:, ::-1], 6)[-1], rtol=1e-4, atol=1e-5)


def test_images_and_shapes() -> None:
    # Images and shapes.
    image = rng.normal(size=(2, 6, 6, 3)).astype(np.float32)
    blocks = image.reshape(2, 3, 2, 3, 2, 3)
    np.testing.assert_allclose(run(layers.MaxPooling2D(), image), blocks.max((2, 4)), rtol=1e-6)
    np.testing.assert_allclose(run(layers.AveragePooling2D(), image), blocks.mean((2, 4)), rtol=1e-5)
    np.testing.assert_allclose(run(layers.GlobalAveragePooling2D(), image), image.mean((1, 2)), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(run(layers.GlobalMaxPooling2D(), image), image.max((1, 2)), rtol=1e-6)
    assert run(layers.Conv2D(4, 3, strides=2, padding="same"), image).shape == (2, 3, 3, 4)
    assert run(layers.Conv2D(4, (3, 2), dilation_rate=(2, 1)), image).shape == (2, 2, 5, 4)
    np.testing.assert_array_equal(run(layers.ZeroPadding2D(1), image)[:, 1:-1, 1:-1], image)
    np.testing.assert_array_equal(run(layers.Flatten(), image), image.reshape(2, -1))
    np.testing.assert_array_equal(run(layers.Reshape((9, -1)), image), image.reshape(2, 9, 12))
    np.testing.assert_array_equal(run(layers.Permute((2, 1)), x), x.transpose(0, 2, 1))
    np.testing.assert_array_equal(run(layers.RepeatVector(3), x[:, 0]), np.repeat(x[:, :1], 3, 1))
    np.testing.assert_allclose(run(layers.Lambda(lambda t: t * 2.0), x), x * 2)
    np.testing.assert_allclose(run(layers.LeakyReLU(0.1), x), np.where(x > 0, x, 0.1 * x), rtol=1e-6)
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-3)
    np.testing.assert_allclose(run(layers.LayerNormalization(), x), scaled, rtol=1e-4, atol=1e-5)
    embedding = layers.Embedding(7, 3, input_length=4)
    rows = np.array([[0, 6, 2, 2], [1, 1, 5, 3]])
    np.testing.assert_array_equal(run(embedding, rows), embedding.get_weights()[0][rows])
    raises(ValueError, "must be unchanged", lambda: run(layers.Reshape((5, 5)), image))


def test_batch_normalization() -> None:
    # Batch normalization: the batch while training, averages in tests.
    K.clear_session()
    model: Any = Sequential([layers.BatchNormalization(input_shape=(3,), momentum=0.9)])
    model.compile(keras.optimizers.SGD(lr=0.0), "mse")
    batch = rng.normal(2.0, 3.0, size=(50, 3)).astype(np.float32)
    normed = (batch - batch.mean(0)) / np.sqrt(batch.var(0) + 1e-3)
    assert np.isclose(model.train_on_batch(batch, np.zeros((50, 3))), (normed**2).mean(), rtol=1e-4)
    _, _, mean, variance = model.get_weights()
    np.testing.assert_allclose(mean, batch.mean(0), rtol=1e-4)
    np.testing.assert_allclose(variance, batch.var(0) * 50 / (50 - 1.001), rtol=1e-4)
    np.testing.assert_allclose(model.predict(batch), (batch - mean) / np.sqrt(variance + 1e-3), rtol=1e-3, atol=1e-4)
    assert len(model.trainable_weights) == 2 and len(model.non_trainable_weights) == 2


def test_dropout_drops_while_training_only() -> None:
    # Dropout drops while training only.
    K.clear_session()
    model = Sequential([layers.Dropout(0.5, input_shape=(1000,))])
    model.compile("sgd", "mse")
    ones = np.ones((4, 1000), np.float32)
    np.testing.assert_array_equal(model.predict(ones), ones)
    f = K.function([*model.inputs, K.learning_phase()], model.outputs)
    kept = f([ones, 1])[0]
    assert set(np.unique(kept)) == {0.0, 2.0} and abs(kept.mean() - 1) < 0.1
    assert not np.array_equal(kept, f([ones, 1])[0])
    np.testing.assert_array_equal(f([ones, 0])[0], ones)


# A functional model with two inputs, two outputs and a shared layer, and a penalty.
K.clear_session()
a, b = Input(shape=(4,), name="a"), Input(shape=(4,), name="b")
shared = layers.Dense(3, activation="tanh", kernel_regularizer=keras.regularizers.l2(0.1))
merged = layers.concatenate([shared(a), shared(b)])
p, q = layers.Dense(1, name="p")(merged), layers.Dense(2, name="q")(layers.add([shared(a), shared(b)]))
model = Model(inputs=[a, b], outputs=[p, q])
model.compile("sgd", {"p": "mse", "q": "mae"}, loss_weights={"p": 1.0, "q": 0.5}, metrics={"q": "mse"})
assert model.metrics_names == ["loss", "p_loss", "q_loss", "q_mean_squared_error"]
assert [layer.name for layer in model.layers][:3] == ["a", "b", "dense_1"] and len(model.weights) == 6
u, v = (rng.normal(size=(8, 4)).astype(np.float32) for _ in range(2))
targets = {"p": rng.normal(size=(8, 1)), "q": rng.normal(size=(8, 2))}
w0, b0, w1, b1, w2, b2 = (K.get_value(w) for w in model.weights)
s, t = np.tanh(u @ w0 + b0), np.tanh(v @ w0 + b0)
p_, q_ = np.concatenate([s, t], 1) @ w1 + b1, (s + t) @ w2 + b2
p_loss, q_loss = ((p_ - targets["p"]) ** 2).mean(), np.abs(q_ - targets["q"]).mean()
total = p_loss + 0.5 * q_loss + 0.1 * (w0**2).sum()
np.testing.assert_allclose(model.train_on_batch({"a": u, "b": v}, targets),
                           [total, p_loss, q_loss, ((q_ - targets["q"]) ** 2).mean()], rtol=1e-4)  # fmt: skip
assert [z.shape for z in model.predict([u, v])] == [(8, 1), (8, 2)]
inner = Model(a, shared(a))
assert inner(b).static_shape == (None, 3)
raises(RuntimeError, "Graph disconnected", lambda: Model(a, p))
raises(ValueError, "expected ndim=3, found ndim=2, of shape (None, 3)", lambda: layers.LSTM(3)(layers.Input((3,))))
raises(ValueError, "expected ndim=4, found ndim=3", lambda: layers.Conv2D(3, 3)(layers.Input((3, 4))))
raises(ValueError, 'input to "Flatten" is not fully defined', lambda: layers.Flatten()(layers.Input((None, 4))))
raises(ValueError, "Error when checking input", lambda: model.predict([u, v[:, :2]]))
raises(RuntimeError, "must compile your model", lambda: inner.fit(u, s))


# A layer of one's own.
class MyDense(layers.Layer):
    def __init__(self, output_dim: int, **kwargs: Any):
        self.output_dim = output_dim
        super().__init__(**kwargs)

    def build(self, input_shape: Any) -> None:
        self.kernel = self.add_weight(name="kernel", shape=(input_shape[1], self.output_dim), initializer="uniform",
                                      trainable=True)  # fmt: skip
        super().build(input_shape)

    def call(self, inputs: Any, **_: Any) -> Any:
        return K.dot(inputs, self.kernel)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (input_shape[0], self.output_dim)


def test_own_layer() -> None:
    own = MyDense(5)
    np.testing.assert_allclose(run(own, u), u @ own.get_weights()[0], rtol=1e-4, atol=1e-5)


def test_trainable_flag() -> None:
    # A trainable flag, and constraints.
    K.clear_session()
    frozen = layers.Dense(3, input_dim=4, trainable=False)
    model = Sequential([frozen, layers.Dense(1, kernel_constraint="non_neg", kernel_initializer="ones")])
    model.compile(keras.optimizers.SGD(lr=0.5), "mse")
    start = frozen.get_weights()
    for _ in range(5):
        model.train_on_batch(u, -np.ones((8, 1)))
    np.testing.assert_array_equal(frozen.get_weights()[0], start[0])
    assert (model.layers[1].get_weights()[0] >= 0).all()


# M5: callbacks.
def fresh() -> Any:
    K.clear_session()
    made = Sequential([layers.Dense(1, input_dim=4, kernel_initializer="zeros", name="out")])
    made.compile(keras.optimizers.SGD(lr=0.1), "mse")
    return made


y = u @ np.array([[1.0], [2], [3], [4]])


def test_callbacks() -> None:
    model = fresh()
    log = os.path.join(folder, "log.csv")
    rates: Any = []
    events: Any = []
    best = os.path.join(folder, "weights.{epoch:02d}.safetensors")
    history = model.fit(u, y, epochs=4, batch_size=3, verbose=0, validation_split=0.25, callbacks=[
        keras.callbacks.CSVLogger(log),
        keras.callbacks.ModelCheckpoint(best, monitor="loss", save_best_only=True),
        keras.callbacks.LearningRateScheduler(lambda epoch: 0.1 / (epoch + 1)),
        keras.callbacks.LambdaCallback(
            on_epoch_begin=lambda epoch, logs: rates.append(float(K.get_value(model.optimizer.lr))),
            on_batch_end=lambda batch, logs: events.append((batch, logs["size"]))),
    ])  # fmt: skip
    np.testing.assert_allclose(rates, [0.1 / (i + 1) for i in range(4)], rtol=1e-6)
    assert events == [(0, 3), (1, 3)] * 4
    with open(log) as file:
        lines = list(csv.DictReader(file))
    assert [r["epoch"] for r in lines] == ["0", "1", "2", "3"]
    np.testing.assert_allclose([float(r["val_loss"]) for r in lines], history.history["val_loss"])
    assert os.path.exists(best.format(epoch=1)) and history.epoch == [0, 1, 2, 3]
    weights = model.get_weights()
    assert np.argmin(history.history["loss"]) == 3
    model.set_weights([w * 0 for w in weights])
    model.load_weights(best.format(epoch=4))
    np.testing.assert_array_equal(model.get_weights()[0], weights[0])
    model = fresh()
    K.set_value(model.optimizer.lr, 0.0)
    history = model.fit(u, y, epochs=9, verbose=0, callbacks=[keras.callbacks.EarlyStopping("loss", 1e-3, patience=2)])
    assert len(history.epoch) == 3
    model = fresh()
    K.set_value(model.optimizer.lr, 1e-30)
    plateau = keras.callbacks.ReduceLROnPlateau("loss", factor=0.5, patience=2, min_lr=0.0)
    history = model.fit(u, y, epochs=5, verbose=0, callbacks=[plateau])
    np.testing.assert_allclose(history.history["lr"], [1e-30, 1e-30, 1e-30, 5e-31, 5e-31])
    model = fresh()
    K.set_value(model.optimizer.lr, 1e30)
    history = model.fit(u, y, epochs=9, batch_size=1, verbose=0, callbacks=[keras.callbacks.TerminateOnNaN()])
    assert len(history.epoch) == 1


def test_wrong_numbers_of_units() -> None:
    # Wrong numbers of units, rows or samples are reported where they are given, and change no weight.
    raises(ValueError, "units of at least 1, found -1", lambda: layers.Dense(-1))
    raises(ValueError, "filters of at least 1, found '3'", lambda: layers.Conv2D(cast(Any, "3"), 3))
    raises(ValueError, "Received: sme", lambda: layers.Conv2D(3, 3, padding="sme"))
    raises(TypeError, "instead: AdamW", lambda: keras.optimizers.SGD(weight_decay=0.1))
    small: Any = keras.models.Sequential([layers.Dense(3, input_shape=(4,), activation="softmax")])
    small.compile("adam", "sparse_categorical_crossentropy")
    rows, kinds = np.ones((33, 4), np.float32), np.arange(33) % 3
    before = small.get_weights()
    for size in (0, -1, 2.5, "3"):
        for call in (small.fit, small.evaluate, lambda x, y, **k: small.predict(x, **k)):
            raises(ValueError, f"batch_size of at least 1, found {size!r}", lambda: call(rows, kinds, batch_size=size))
    for call in (small.fit, small.evaluate, small.train_on_batch, small.test_on_batch):
        raises(ValueError, "at least 1 sample, found 0", lambda: call(rows[:0], kinds[:0]))
    for part in (1.5, -0.5):
        raises(ValueError, "less than 1, found", lambda: small.fit(rows, kinds, validation_split=part))
    raises(ValueError, "0 to train with and 33", lambda: small.fit(rows, kinds, validation_split=0.999))
    raises(ValueError, "classes [1, 2] exist", lambda: small.fit(rows, kinds, class_weight={0: 1.0}))
    raises(TypeError, "array of numbers but got one of <U1", lambda: small.fit(rows.astype("U1"), kinds))
    raises(TypeError, "array of numbers but got one of complex64", lambda: small.predict(rows.astype(np.complex64)))
    raises(TypeError, "list of callbacks", lambda: small.fit(rows, kinds, callbacks=keras.callbacks.History()))
    raises(TypeError, "callbacks, such as", lambda: small.fit(rows, kinds, callbacks=[keras.callbacks.EarlyStopping]))
    raises(TypeError, "number of epochs, found '3'", lambda: small.fit(rows, kinds, epochs="3"))
    for old, new in zip(before, small.get_weights()):
        assert (old == new).all()
    assert small.predict(rows[:0]).shape == (0, 3)
    assert small.train_on_batch(rows, kinds, sample_weight=np.zeros(33)) == 0.0
    assert np.isfinite(small.get_weights()[0]).all()
    batches = iter([(rows, kinds)] * 2)
    raises(ValueError, "5 batches an epoch, found that no more came after 2",
           lambda: small.fit_generator(batches, steps_per_epoch=5, verbose=0))  # fmt: skip


def test_wrong_numbers_of_units_2() -> None:
    raises(ValueError, "factor >= 1.0", lambda: keras.callbacks.ReduceLROnPlateau(factor=1.0))


# Streams: a generator, and what is iterated once an epoch, as a DataLoader is.
class Loader:
    def __iter__(self) -> Iterator[Any]:
        return iter([(u[:4], y[:4]), (u[4:], y[4:])])


def forever() -> Iterator[Any]:
    while True:
        yield from Loader()


def test_streams() -> None:
    trained = []
    for source in (Loader(), forever(), (u, y)):
        model = fresh()
        if isinstance(source, tuple):
            model.fit(u, y, batch_size=4, epochs=3, shuffle=False, verbose=0)
        elif isinstance(source, Loader):
            model.fit(source, epochs=3, verbose=0, validation_data=source)
            assert np.isclose(model.evaluate(source), model.evaluate(u, y, verbose=0), rtol=1e-5)
        else:
            model.fit_generator(source, steps_per_epoch=2, epochs=3, verbose=0)
        trained.append(model.get_weights()[0])
    np.testing.assert_allclose(trained[0], trained[1], rtol=1e-6)
    np.testing.assert_allclose(trained[0], trained[2], rtol=1e-6)
    raises(ValueError, "steps are required", lambda: model.fit(forever()))


run_tests([test_images_and_shapes, test_batch_normalization, test_dropout_drops_while_training_only,
           test_own_layer, test_trainable_flag, test_callbacks, test_wrong_numbers_of_units,
           test_wrong_numbers_of_units_2, test_streams])  # fmt: skip
