# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: mkdir -p %t && env FLYWHEEL_CACHE= %python %s %t
"""X31: classes and functions that programs for Keras 2.1 write themselves: optimizers, layers with an `InputSpec`,
losses whose targets have another size than the outputs; and the order of layers and weights that they rely on."""

import os
import sys
import warnings
from typing import Any, Dict, List

import numpy as np

from flywheel import keras
from flywheel.keras import backend as K
from flywheel.keras import callbacks, constraints, optimizers
from flywheel.keras.engine import InputSpec
from flywheel.keras.engine.specs import check_inputs
from flywheel.keras.layers import (
    LSTM,
    BatchNormalization,
    Concatenate,
    Dense,
    Embedding,
    Flatten,
    Input,
    Lambda,
    Layer,
    add,
)
from flywheel.keras.legacy import interfaces
from flywheel.keras.models import Model, Sequential, load_model

FOLDER = sys.argv[1]


def data(*shape: int, seed: int = 1) -> Any:
    return np.random.RandomState(seed).randn(*shape).astype(np.float32)


def refused(message: str, function: Any) -> None:
    try:
        function()
    except ValueError as error:
        assert message in str(error), error
    else:
        raise AssertionError(f"expected an error with {message!r}")


def linear() -> Any:
    """A model y = x w, without a bias, whose weights begin as ones."""
    K.clear_session()
    return Sequential([Dense(1, use_bias=False, kernel_initializer="ones", input_shape=(3,))])


class Signs(optimizers.Optimizer):
    """An optimizer of the program: p' = p - lr sign(g), less by each step."""

    def __init__(self, lr: float = 0.1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.lr = K.variable(lr, name="lr")

    @interfaces.legacy_get_updates_support
    def get_updates(self, loss: Any, params: Any) -> List[Any]:
        counts = [K.zeros(K.int_shape(p)) for p in params]
        self.weights, self.updates = counts, []
        for p, g, n in zip(params, self.get_gradients(loss, params), counts):
            self.updates.append(K.update_add(n, K.ones_like(n)))
            self.updates.append(K.update(p, p - self.lr / (n + 1.0) * K.sign(g)))
        return self.updates

    def get_config(self) -> Dict[str, Any]:
        return {"lr": float(K.get_value(self.lr)), **super().get_config()}


# The variables of such an optimizer are saved, so that training goes on.
model = linear()
model.compile(Signs(0.1, clipvalue=9.0), "mse")
assert sorted(model.optimizer.get_config()) == ["clipvalue", "lr"]
path = os.path.join(FOLDER, "signs.safetensors")
for i in range(4):
    model.train_on_batch(data(5, 3, seed=i), data(5, 1, seed=i + 9))
    if i == 1:
        model.save(path)
wanted = model.get_weights()[0]
K.clear_session()
model = load_model(path, custom_objects={"Signs": Signs})
for i in (2, 3):
    model.train_on_batch(data(5, 3, seed=i), data(5, 1, seed=i + 9))
np.testing.assert_array_equal(model.get_weights()[0], wanted)


class OfKeras1(optimizers.Optimizer):
    """An optimizer with the method of Keras 1."""

    def get_updates(self, params: Any, constraints: Any, loss: Any) -> List[Any]:
        found = []
        for p, g in zip(params, self.get_gradients(loss, params)):
            new = p - 0.1 * g
            found.append((p, constraints[p](new) if p in constraints else new))
        return found


x, y = data(6, 3), data(6, 1, seed=2)
for keep in (None, constraints.non_neg()):
    K.clear_session()
    model = Sequential([Dense(1, use_bias=False, kernel_initializer="ones", kernel_constraint=keep, input_shape=(3,))])
    model.compile(OfKeras1(), "mse")
    w = np.ones((3, 1))
    for _ in range(3):
        model.train_on_batch(x, y - 9.0)
        w = w - 0.1 * 2 / 6 * x.T @ (x @ w - y + 9.0)
        w = w if keep is None else np.maximum(w, 0)
    np.testing.assert_allclose(model.get_weights()[0], w, rtol=1e-5, atol=1e-6)

# The call of Keras 1, with an empty list of constraints.
model = linear()
model.compile("sgd", "mse")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    steps = optimizers.SGD(lr=0.1).get_updates(model.trainable_weights, [], model.total_loss)
assert any("get_updates" in str(one.message) for one in caught)
step = K.function([*model.inputs, *model.targets, *model.sample_weights], [model.total_loss], updates=steps)
assert np.isclose(step([x, y, np.ones(6)])[0], np.mean((x.sum(1, keepdims=True) - y) ** 2), rtol=1e-5)


# A loss of the program takes targets of any size; those of this package have the size of the outputs.
def triplet(_: Any, p: Any) -> Any:
    near, far = K.sum(K.square(p[:, :2] - p[:, 2:4]), -1), K.sum(K.square(p[:, :2] - p[:, 4:]), -1)
    return K.maximum(near - far + 0.5, 0.0)


K.clear_session()
model = Sequential([Dense(6, use_bias=False, input_shape=(3,))])
model.compile("sgd", triplet)
p = model.predict(x)
loss = np.maximum(((p[:, :2] - p[:, 2:4]) ** 2).sum(1) - ((p[:, :2] - p[:, 4:]) ** 2).sum(1) + 0.5, 0)
assert np.isclose(model.train_on_batch(x, np.zeros((6, 1))), loss.mean(), rtol=1e-5)
model.compile("sgd", "mse")
refused("was passed for an output of shape (None, 6)", lambda: model.train_on_batch(x, np.zeros((6, 1))))

# A layer may give the loss itself, a scalar for which it declares a shape, as models with several outputs do.
K.clear_session()
inputs, targets = Input((4, 2)), Input((4, 3))
scores = Dense(3)(inputs)
total = Lambda(lambda t: K.sum(K.square(t[0] - t[1])) / K.cast(K.shape(t[0])[0], "float32"), output_shape=(1,),
               name="total")([scores, targets])  # fmt: skip
model = Model([inputs, targets], total)
model.compile("sgd", {"total": lambda _, given: given})
a, b = data(5, 4, 2), data(5, 4, 3, seed=3)
k, c = model.get_weights()
assert model.output_shape == (None, 1)
assert np.isclose(model.train_on_batch([a, b], np.zeros(5)), ((a @ k + c - b) ** 2).sum() / 5, rtol=1e-5)


class Radial(Layer):
    """A layer that says what its inputs have."""

    def __init__(self, units: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.units, self.input_spec = units, InputSpec(ndim=2)

    def build(self, input_shape: Any) -> None:
        # The order of arguments of Keras 1.
        self.mu = self.add_weight((input_shape[-1], self.units), initializer="ones", name="mu")
        self.input_spec = InputSpec(ndim=2, axes={-1: input_shape[-1]})
        super().build(input_shape)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return K.exp(-K.sum(K.square(K.expand_dims(inputs) - self.mu), axis=1))

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (input_shape[0], self.units)


K.clear_session()
radial = Radial(2)
model = Sequential([Radial(2, input_shape=(3,))])
np.testing.assert_allclose(model.predict(x)[:, 0], np.exp(-((x - 1) ** 2).sum(1)), rtol=1e-5)
assert [w.op_name for w in model.weights] == ["radial_2/mu"]
refused("expected ndim=2, found ndim=3", lambda: radial(Input((3, 4))))
refused("expected axis -1 of input shape to have value 3 but got shape (None, 4)",
        lambda: model.layers[0](Input((4,))))  # fmt: skip
refused("expects 1 inputs, but it received 2", lambda: model.layers[0]([Input((3,)), Input((3,))]))
refused("expected min_ndim=3", lambda: check_inputs("l", [InputSpec(min_ndim=3)], [Input((3,))]))
refused("expected max_ndim=1", lambda: check_inputs("l", [InputSpec(max_ndim=1)], [Input((3,))]))
refused("expected dtype=int32", lambda: check_inputs("l", [InputSpec("int32")], [Input((3,))]))
refused("expected shape=(None, 2)",
        lambda: check_inputs("l", [InputSpec(shape=(None, 2))], [Input((3,))]))  # fmt: skip

# Layers are in the order of their distance to the outputs, and inputs have names of their own.
K.clear_session()
first, label = Input((4,)), Input((1,))
hidden = Dense(3, name="hidden")(first)
out = Dense(5, name="out")(hidden)
centers = Embedding(5, 3, name="centers")(label)
far = Lambda(lambda t: K.sum(K.square(t[0] - t[1][:, 0]), 1, keepdims=True), name="far")([hidden, centers])
model = Model([first, label], [out, far])
assert [one.name for one in model.layers] == ["input_1", "input_2", "hidden", "centers", "out", "far"]
assert {depth: len(found) for depth, found in model.layers_by_depth.items()} == {2: 2, 1: 2, 0: 2}
assert [w.shape for w in model.get_weights()] == [(4, 3), (3,), (5, 3), (3, 5), (5,)]
assert [one.name for one in Model.from_config(model.get_config()).layers] == [one.name for one in model.layers]

# Weights that are trained come first in `weights`; `get_weights` has the order of the layers, and a frozen layer in a
# model comes behind the others of it.
K.clear_session()
inner = Sequential([Dense(4, input_shape=(3,)), BatchNormalization(), Dense(2)])
inner.layers[0].trainable = False
model = Sequential([inner, Dense(1)])
names = [w.op_name for w in inner.weights]
assert names == ["batch_normalization_1/gamma", "batch_normalization_1/beta", "dense_2/kernel", "dense_2/bias",
                 "dense_1/kernel", "dense_1/bias", "batch_normalization_1/moving_mean",
                 "batch_normalization_1/moving_variance"]  # fmt: skip
assert [w.shape for w in model.get_weights()] == [*[K.int_shape(w) for w in inner.weights], (2, 1), (1,)]
assert [w.shape for w in inner.get_weights()][:2] == [(3, 4), (4,)]
model.set_weights(model.get_weights())

# Files keep the weights of steps.
K.clear_session()
model = Sequential([LSTM(3, return_sequences=True, input_shape=(4, 2))])
model.compile("adam", "mse", sample_weight_mode="temporal")
path = os.path.join(FOLDER, "temporal.safetensors")
model.save(path)
given = (data(5, 4, 2), data(5, 4, 3), np.abs(data(5, 4)))
wanted = model.train_on_batch(*given)
K.clear_session()
model = load_model(path)
assert model.sample_weight_mode == "temporal" and model.train_on_batch(*given) == wanted

# Arrays have no number of steps, as in Keras; a Sequence has one.
seen: Dict[str, Any] = {}
note = callbacks.LambdaCallback()
note.set_params = lambda params: seen.update(params)  # type: ignore[method-assign]
model = linear()
model.compile("sgd", "mse")
model.fit(x, y, batch_size=4, callbacks=[note], verbose=0)
assert (seen["steps"], seen["samples"], seen["batch_size"]) == (None, 6, 4)


class Batches(keras.utils.Sequence):
    def __len__(self) -> int:
        return 3

    def __getitem__(self, index: int) -> Any:
        return x, y


model.fit_generator(Batches(), callbacks=[note], verbose=0)
assert seen["steps"] == 3

# The table of layers.
K.clear_session()
inputs = Input((4,), name="inputs")
both = add([Dense(3, name="one")(inputs), Dense(3, name="two")(inputs)], name="sum")
model = Model(inputs, Flatten(name="flat")(both))
shown: List[str] = []
model.summary(print_fn=shown.append)
rows = [line.split()[0] for line in shown[3:13] if line[0] not in " _"]
assert rows == ["inputs", "one", "two", "sum", "flat"], shown
assert shown[4] == "_" * 98 and shown[-5] == "=" * 98 and len(shown[3]) == 98
assert Concatenate().name == "concatenate_1"
