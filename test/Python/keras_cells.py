# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Cells of recurrent networks in `RNN` and `StackedRNNCells` beside the layers of the same weights, and beside NumPy;
states, constants, penalties and `Bidirectional` with states, as Keras 2.1.6 has them (X31)."""

import itertools
from typing import Any, List

import numpy as np

from configurations import run_tests
from flywheel import keras
from flywheel.keras import backend as K
from flywheel.keras import layers

random = np.random.RandomState(3)
BATCH, TIME, WIDTH, UNITS = 3, 4, 5, 2


def sigmoid(x: Any) -> Any:
    return np.clip(0.2 * x + 0.5, 0.0, 1.0)


def reference(kind: str, x: Any, weights: List[Any], states: List[Any]) -> Any:
    """All outputs, and the last states, by the formulas of the papers."""
    kernel, recurrent, bias = weights
    outputs = []
    for t in range(x.shape[1]):
        h = states[0]
        a = np.split(x[:, t] @ kernel + bias, kernel.shape[1] // UNITS, 1)
        if kind == "SimpleRNN":
            states = [np.tanh(a[0] + h @ recurrent)]
        elif kind == "GRU":
            z, r = (sigmoid(a[i] + h @ recurrent[:, i * UNITS : (i + 1) * UNITS]) for i in (0, 1))
            states = [z * h + (1 - z) * np.tanh(a[2] + (r * h) @ recurrent[:, 2 * UNITS :])]
        else:
            i, f, c, o = (y + z for y, z in zip(a, np.split(h @ recurrent, 4, 1)))
            memory = sigmoid(f) * states[1] + sigmoid(i) * np.tanh(c)
            states = [sigmoid(o) * np.tanh(memory), memory]
        outputs.append(states[0])
    return np.stack(outputs, 1), states


layer: Any
local: Any
x = random.randn(BATCH, TIME, WIDTH).astype(np.float32)
for kind, (backwards, stateful) in itertools.product(("SimpleRNN", "GRU", "LSTM"), ((False, False), (True, False),
                                                                                    (False, True))):  # fmt: skip
    K.clear_session()
    cell = getattr(layers, f"{kind}Cell")(UNITS, bias_initializer="ones")
    options = {"return_sequences": True, "return_state": True, "go_backwards": backwards, "stateful": stateful}
    inputs = layers.Input(batch_shape=(BATCH, None, WIDTH))
    layer = layers.RNN(cell, **options)
    model = keras.models.Model(inputs, layer(inputs))
    other = getattr(layers, kind)(UNITS, **options)
    twin = keras.models.Model(inputs, other(inputs))
    other.set_weights(layer.get_weights())
    assert [K.int_shape(y) for y in model.outputs] == [K.int_shape(y) for y in twin.outputs]
    states: List[Any] = [np.zeros((BATCH, UNITS)) for _ in model.outputs[1:]]
    for _ in range(2):
        outputs, last = reference(kind, x[:, ::-1] if backwards else x, layer.get_weights(), states)
        states = last if stateful else states
        for expected, found, same in zip([outputs, *last], model.predict(x, BATCH), twin.predict(x, BATCH)):
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6, err_msg=kind)
            np.testing.assert_allclose(same, expected, rtol=1e-5, atol=1e-6, err_msg=kind)
    if stateful:
        layer.reset_states([np.ones((BATCH, UNITS))] * len(states))
        expected, _ = reference(kind, x, layer.get_weights(), [np.ones((BATCH, UNITS))] * len(states))
        np.testing.assert_allclose(model.predict(x, BATCH)[0], expected, rtol=1e-5, atol=1e-6)
        assert len(layer.states) == len(states)
    # Both train alike.
    for one in (model, twin):
        one.compile("sgd", "mse")
    targets = [random.randn(*y.shape) for y in model.predict(x, BATCH)]
    if stateful:
        layer.reset_states()
        other.reset_states()
    for _ in range(3):
        np.testing.assert_allclose(model.train_on_batch(x, targets), twin.train_on_batch(x, targets), rtol=1e-5)
    for a, b in zip(layer.get_weights(), other.get_weights()):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)

# Dropout: the same elements in all steps, other ones in each batch; none in a prediction.
K.clear_session()
inputs = layers.Input((TIME, WIDTH))
cells = [layers.LSTMCell(UNITS, dropout=0.5, recurrent_dropout=0.5), layers.GRUCell(3, dropout=0.25)]
output = layers.RNN(cells)(inputs)
assert output._uses_learning_phase and not inputs.__dict__.get("_uses_learning_phase")
run = K.function([inputs, K.learning_phase()], [output])
assert not np.array_equal(run([x, 1])[0], run([x, 1])[0])
np.testing.assert_array_equal(run([x, 0])[0], run([x, 0])[0])

# States of bidirectional layers: those forwards, then those backwards.
for kind, mode in itertools.product(("SimpleRNN", "LSTM"), ("sum", "concat", None)):
    K.clear_session()
    inputs = layers.Input((TIME, WIDTH))
    layer = layers.Bidirectional(getattr(layers, kind)(UNITS, return_state=True, return_sequences=True), mode)
    model = keras.models.Model(inputs, layer(inputs))
    half = len(layer.get_weights()) // 2
    zeros = [np.zeros((BATCH, UNITS))] * (2 if kind == "LSTM" else 1)
    y, first = reference(kind, x, layer.get_weights()[:half], zeros)
    z, second = reference(kind, x[:, ::-1], layer.get_weights()[half:], zeros)
    merged = {"sum": [y + z[:, ::-1]], "concat": [np.concatenate([y, z[:, ::-1]], 2)], None: [y, z[:, ::-1]]}[mode]
    found = model.predict(x)
    assert len(found) == len(merged) + len(first) + len(second)
    for a, b in zip(found, [*merged, *first, *second]):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    again = layers.Bidirectional.from_config(layer.get_config())
    assert again.get_config() == layer.get_config()


class Constants(layers.Layer):
    """Adds a constant to the sum of inputs."""

    state_size = 1

    def build(self, input_shape: Any) -> None:
        assert [len(shape) for shape in input_shape] == [2, 2]
        self.built = True

    def call(self, inputs: Any, states: Any = (), constants: Any = None, **_: Any) -> Any:
        total = states[0] + K.sum(inputs, 1, keepdims=True) + constants[0]
        return total, [total]


def test_states_of_bidirectional_layers() -> None:
    K.clear_session()
    inputs, constant = layers.Input((TIME, WIDTH)), layers.Input((1,))
    layer: Any = layers.RNN(Constants())
    model = keras.models.Model([inputs, constant], layer(inputs, constants=constant))
    c = np.arange(BATCH, dtype=np.float32)[:, None]
    np.testing.assert_allclose(model.predict([x, c]), x.sum((1, 2))[:, None] + TIME * c, rtol=1e-5, atol=1e-6)
    with keras.utils.CustomObjectScope({"Constants": Constants}):
        copied = keras.models.Model.from_config(model.get_config())
    np.testing.assert_array_equal(copied.predict([x, c]), model.predict([x, c]))

    # Penalties of activities are of the inputs, those of weights are not.
    layer = layers.LSTM(UNITS, kernel_regularizer="l2", activity_regularizer="l2")
    layer(inputs)
    assert len(layer.losses) == 2 and len(layer.cell.losses) == 1 and len(layer.get_losses_for(inputs)) == 1
    assert len(layer.get_losses_for(None)) == 1 and not layer.cell.get_losses_for(inputs)


def test_windows_with_weights() -> None:
    # Windows with weights of their own at each place, of sequences and of images in both formats.
    K.clear_session()
    for first, steps in itertools.product((False, True), ((1, 1), (2, 1))):
        shape = (3, 5, 6) if first else (5, 6, 3)
        local: Any = layers.LocallyConnected2D(4, (2, 3), strides=steps, input_shape=shape,
                                          bias_initializer="glorot_uniform",
                                          data_format="channels_first" if first else "channels_last")  # fmt: skip
        model = keras.models.Sequential([local])
        images = random.randn(2, *shape).astype(np.float32)
        kernel, bias = local.get_weights()
        rows, columns = bias.shape[:2]
        found = model.predict(images)
        found = np.moveaxis(found, 1, -1) if first else found
        for r, column in itertools.product(range(rows), range(columns)):
            y, z = r * steps[0], column * steps[1]
            part = images[:, :, y : y + 2, z : z + 3] if first else images[:, y : y + 2, z : z + 3]
            expected = part.reshape(2, -1) @ kernel[r * columns + column] + bias[r, column]
            np.testing.assert_allclose(found[:, r, column], expected, rtol=1e-4, atol=1e-5)
        assert model.output_shape == (None, 4, rows, columns) if first else (None, rows, columns, 4)
    local = layers.LocallyConnected1D(2, 3, strides=2, activation="relu", input_shape=(9, 4))
    model = keras.models.Sequential([local])
    model.compile("sgd", "mse")
    sequences = random.randn(2, 9, 4).astype(np.float32)
    kernel, bias = local.get_weights()
    expected = np.stack([sequences[:, 2 * i : 2 * i + 3].reshape(2, -1) @ kernel[i] + bias[i] for i in range(4)], 1)
    np.testing.assert_allclose(model.predict(sequences), np.maximum(expected, 0), rtol=1e-4, atol=1e-5)
    assert model.train_on_batch(sequences, expected + 1) > model.train_on_batch(sequences, expected + 1)


# Convolutions as products of an LSTM, beside sums over windows.


def convolve(images: Any, kernel: Any, padding: str, steps: Any = (1, 1)) -> Any:
    """[batch, rows, columns, channels] and [rows, columns, channels, filters]."""
    high, wide = kernel.shape[:2]
    if padding == "same":
        sides = [(-(-n // s) - 1) * s + k - n for n, s, k in zip(images.shape[1:3], steps, (high, wide))]
        sides = [max(side, 0) for side in sides]
        images = np.pad(images, [(0, 0), *[(side // 2, side - side // 2) for side in sides], (0, 0)])
    rows, columns = ((n - k) // s + 1 for n, k, s in zip(images.shape[1:3], (high, wide), steps))
    found = np.zeros((len(images), rows, columns, kernel.shape[3]))
    for r, column in itertools.product(range(rows), range(columns)):
        y, z = r * steps[0], column * steps[1]
        found[:, r, column] = np.tensordot(images[:, y : y + high, z : z + wide], kernel, 3)
    return found


def test_convolutions_as_products() -> None:
    for first, padding, steps in ((False, "valid", (1, 1)), (True, "valid", (1, 1)), (False, "same", (2, 2))):
        K.clear_session()
        shape = (2, 5, 6) if first else (5, 6, 2)
        inputs = layers.Input((3, *shape))
        layer = layers.ConvLSTM2D(2, (3, 2), padding=padding, strides=steps, return_sequences=True, return_state=True,
                                  data_format="channels_first" if first else "channels_last")  # fmt: skip
        model = keras.models.Model(inputs, layer(inputs))
        movie = random.randn(2, 3, *shape).astype(np.float32)
        kernel, recurrent, bias = layer.get_weights()
        assert bias.tolist() == [0, 0, 1, 1, 0, 0, 0, 0]
        frames = np.moveaxis(movie, 2, -1) if first else movie
        frames_out: Any = []
        state: Any = 0.0
        memory: Any = 0.0
        for t in range(3):
            parts = convolve(frames[:, t], kernel, padding, steps) + bias
            state = np.zeros((*parts.shape[:3], 2)) if t == 0 else state
            i, f, c, o = np.split(parts + convolve(state, recurrent, "same"), 4, -1)
            memory = sigmoid(f) * memory + sigmoid(i) * np.tanh(c)
            state = sigmoid(o) * np.tanh(memory)
            frames_out.append(state)
        found = model.predict(movie)
        for expected, value in zip([np.stack(frames_out, 1), state, memory], found):
            value = np.moveaxis(value, value.ndim - 3, -1) if first else value
            np.testing.assert_allclose(value, expected, rtol=1e-4, atol=1e-5)
        assert [K.int_shape(y)[1:] for y in model.outputs] == [y.shape[1:] for y in found]
        assert layers.ConvLSTM2D.from_config(layer.get_config()).get_config() == layer.get_config()


def test_shape_of_a_model_outputs() -> None:
    # The shape of a model's outputs for inputs of another shape.
    first_input, second_input = layers.Input((4,)), layers.Input((4,))
    joined = layers.concatenate([layers.Dense(3)(first_input), second_input])
    model = keras.models.Model([first_input, second_input], [joined, layers.Dense(2)(joined)])
    assert model.compute_output_shape([(10, 4), (10, 4)]) == [(10, 7), (10, 2)]
    assert not model.uses_learning_phase


run_tests([test_states_of_bidirectional_layers, test_windows_with_weights, test_convolutions_as_products,
           test_shape_of_a_model_outputs])  # fmt: skip
