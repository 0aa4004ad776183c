# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Layers of sequences in Keras beside NumPy: masks, states from batch to batch, wrappers, convolutions along time."""

from typing import Any, List

import numpy as np

from configurations import raises
from flywheel.keras import backend as K
from flywheel.keras import layers
from flywheel.keras.models import Input, Model, Sequential
from flywheel.keras.optimizers import Adam

rng = np.random.default_rng(0)


def hard(x: Any) -> Any:
    return np.clip(0.2 * x + 0.5, 0, 1)


def recur(kind: str, weights: List[Any], xs: Any, mask: Any = None, start: Any = None) -> Any:
    """The outputs of all steps, and the last states: a step that the mask leaves out keeps state and output."""
    w, u, b = weights
    units = len(u)
    h, c = start if start is not None else (np.zeros((len(xs), units)), np.zeros((len(xs), units)))
    outputs = []
    for t in range(xs.shape[1]):
        a = xs[:, t] @ w + b
        new_c = c
        if kind == "SimpleRNN":
            new = np.tanh(a + h @ u)
        elif kind == "LSTM":
            i, f, g, o = np.split(a + h @ u, 4, 1)
            new_c = hard(f) * c + hard(i) * np.tanh(g)
            new = hard(o) * np.tanh(new_c)
        else:
            z, r = (hard(v) for v in np.split(a[:, : 2 * units] + h @ u[:, : 2 * units], 2, 1))
            new = z * h + (1 - z) * np.tanh(a[:, 2 * units :] + (r * h) @ u[:, 2 * units :])
        runs = np.ones((len(xs), 1), bool) if mask is None else mask[:, t : t + 1]
        h, c = np.where(runs, new, h), np.where(runs, new_c, c)
        outputs.append(h)
    return np.stack(outputs, 1), (h, c)


# Masks of recurrent layers: known time, open time, and backwards.
x = rng.normal(size=(4, 6, 3)).astype(np.float32)
x[0, 4:] = x[1, :2] = x[2] = 0
mask = (x != 0).any(2)
for kind in ("SimpleRNN", "LSTM", "GRU"):
    for time in (6, None):
        for backwards in (False, True):
            K.clear_session()
            given = Input(shape=(time, 3))
            held = layers.Masking()(given)
            every = getattr(layers, kind)(5, return_sequences=True, go_backwards=backwards)
            last = getattr(layers, kind)(5, return_state=True, go_backwards=backwards)
            every_y, last_y = every(held), last(held)
            assert K.int_shape(every_y) == (None, time, 5) and K.int_shape(last_y[0]) == (None, 5)
            assert every.output_mask is every.input_mask and last.output_mask[0] is None
            model = Model(given, [every_y, *last_y])
            order = slice(None, None, -1) if backwards else slice(None)
            y, *ends = model.predict(x)
            wanted, _ = recur(kind, every.get_weights(), x[:, order], mask[:, order])
            np.testing.assert_allclose(y, wanted, rtol=1e-4, atol=1e-5)
            wanted, states = recur(kind, last.get_weights(), x[:, order], mask[:, order])
            np.testing.assert_allclose(ends[0], wanted[:, -1], rtol=1e-4, atol=1e-5)
            np.testing.assert_allclose(ends[1], states[0], rtol=1e-4, atol=1e-5)
            if kind == "LSTM":
                np.testing.assert_allclose(ends[2], states[1], rtol=1e-4, atol=1e-5)

# Words: an embedding whose 0 stands for no word, a layer for each step, and losses and metrics of the steps that count.
K.clear_session()
words = np.array([[1, 4, 2, 0, 0], [3, 3, 1, 2, 0], [2, 0, 0, 0, 0]])
labels = rng.integers(0, 2, (3, 5, 1))
model = Sequential()
model.add(layers.Embedding(6, 4, mask_zero=True, input_length=5))
model.add(layers.SimpleRNN(3, return_sequences=True))
model.add(layers.TimeDistributed(layers.Dense(1, activation="sigmoid")))
model.compile("sgd", "binary_crossentropy", metrics=["accuracy"])
table, w, u, b, kernel, bias = (v.astype(np.float64) for v in model.get_weights())
holds = words != 0
hidden, _ = recur("SimpleRNN", [w, u, b], table[words], holds)
p = 1 / (1 + np.exp(-(hidden @ kernel + bias)))
np.testing.assert_allclose(model.predict(words), p, rtol=1e-4, atol=1e-6)
each = -(labels * np.log(p) + (1 - labels) * np.log(1 - p))[..., 0]
right = ((p > 0.5) == labels)[..., 0]
loss, accuracy = model.evaluate(words, labels, verbose=0)
np.testing.assert_allclose(loss, each[holds].mean(), rtol=1e-4)
np.testing.assert_allclose(accuracy, right[holds].mean(), rtol=1e-5)
# With a weight for each sample: the mean over time by Keras' rule, then over samples.
by_sample = (each * holds / holds.mean()).mean(1)
weight = np.array([2.0, 0.0, 1.0])
loss = model.test_on_batch(words, labels, sample_weight=weight)[0]
np.testing.assert_allclose(loss, (by_sample * weight).sum() / 2, rtol=1e-4)
# The word 0 gets no gradient: training leaves its row.
before = model.get_weights()[0]
for _ in range(3):
    model.train_on_batch(words, labels)
after = model.get_weights()[0]
assert np.array_equal(before[0], after[0]) and not np.array_equal(before[1], after[1])
assert np.array_equal(before[5], after[5])

# Masks of merges, and a layer that does not take one.
K.clear_session()
a, b_ = Input(shape=(4, 2)), Input(shape=(4, 2))
first, second = layers.Masking()(a), layers.Masking(5.0)(b_)
added, side, along = layers.add([first, second]), layers.concatenate([first, second]), layers.concatenate(
    [first, b_], axis=1)  # fmt: skip
f = K.function([a, b_], [added._keras_mask, side._keras_mask, along._keras_mask])
xa, xb = rng.normal(size=(2, 3, 4, 2))
xa[0, 1:], xb[1, 2] = 0, 5.0
masks = f([xa, xb])
ma, mb = (xa != 0).any(2), (xb != 5).any(2)
assert np.array_equal(masks[0], ma & mb) and np.array_equal(masks[1], ma & mb)
assert np.array_equal(masks[2], np.concatenate([ma, np.ones((3, 4), bool)], 1))
raises(TypeError, "does not support masking", lambda: layers.Flatten()(first))


class Keeps(layers.Layer):
    supports_masking = True

    def call(self, inputs: Any, mask: Any = None) -> Any:  # type: ignore[override]
        assert mask is not None
        return inputs * K.expand_dims(K.cast(mask, inputs.dtype))


kept = Keeps()(first)
assert kept._keras_mask is first._keras_mask
assert layers.Dropout(0.5)(layers.Activation("relu")(kept))._keras_mask is first._keras_mask
assert layers.Lambda(lambda y: y + 1.0)(first)._keras_mask is first._keras_mask
# Through a model that is a layer of another one.
inner_in = Input(shape=(4, 2))
inner = Model(inner_in, layers.Masking()(inner_in))
outer_in = Input(shape=(4, 2))
y = layers.LSTM(3)(inner(outer_in))
outer = Model(outer_in, y)
wanted, _ = recur("LSTM", outer.layers[-1].get_weights(), xa, ma)
np.testing.assert_allclose(outer.predict(xa), wanted[:, -1], rtol=1e-4, atol=1e-5)

# Stateful layers: batches of one size go on from each other, in tests and predictions, too.
K.clear_session()
model = Sequential()
model.add(layers.LSTM(4, stateful=True, return_sequences=True, batch_input_shape=(2, 3, 2)))
model.add(layers.SimpleRNN(3, stateful=True))
assert model.stateful and not any("state" in v.name for v in model.weights)
long = rng.normal(size=(2, 9, 2)).astype(np.float32)
lstm, simple = model.layers
middle, _ = recur("LSTM", lstm.get_weights(), long)
wanted, _ = recur("SimpleRNN", simple.get_weights(), middle)
for _ in range(2):
    for i in (0, 3, 6):
        got = model.predict(long[:, i : i + 3])
        np.testing.assert_allclose(got, wanted[:, i + 2], rtol=1e-4, atol=1e-5)
    model.reset_states()
model.compile("sgd", "mse")
target = np.zeros((2, 3))
for i in (0, 3, 6):
    loss = model.test_on_batch(long[:, i : i + 3], target)
    assert np.isclose(loss, (wanted[:, i + 2] ** 2).mean(), rtol=1e-4)
model.reset_states()
# Training keeps the states, which gradients do not go through.
w0 = simple.get_weights()
first_loss = model.train_on_batch(long[:, :3], target)
assert np.isclose(first_loss, (wanted[:, 2] ** 2).mean(), rtol=1e-4)
assert not np.array_equal(simple.get_weights()[0], w0[0])
given = [np.full((2, 4), 0.5), np.full((2, 4), -0.25)]
lstm.reset_states(given)
simple.reset_states()
middle, _ = recur("LSTM", lstm.get_weights(), long[:, :3], start=given)
wanted, _ = recur("SimpleRNN", simple.get_weights(), middle)
np.testing.assert_allclose(model.predict(long[:, :3]), wanted[:, -1], rtol=1e-4, atol=1e-5)
raises(ValueError, "expects 2 states", lambda: lstm.reset_states([given[0]]))
raises(ValueError, "incompatible", lambda: simple.reset_states(np.zeros((3, 3))))
raises(AttributeError, "must be stateful", lambda: layers.GRU(3).reset_states())
raises(ValueError, "batch size", lambda: Sequential([layers.GRU(3, stateful=True, input_shape=(3, 2))]))

# A state that is given: what an encoder ends with, a decoder begins with.
K.clear_session()
source, begin = Input(shape=(None, 3)), Input(shape=(None, 2))
_, *encoded = layers.LSTM(4, return_state=True)(source)
decoder = layers.LSTM(4, return_sequences=True)
model = Model([source, begin], decoder(begin, initial_state=encoded))
xs, xd = rng.normal(size=(3, 5, 3)).astype(np.float32), rng.normal(size=(3, 7, 2)).astype(np.float32)
values = model.get_weights()
_, states = recur("LSTM", values[:3], xs)
wanted, _ = recur("LSTM", values[3:], xd, start=states)
np.testing.assert_allclose(model.predict([xs, xd]), wanted, rtol=1e-4, atol=1e-5)
model.compile(Adam(lr=0.02), "mse")
y0 = np.zeros((3, 7, 4))
losses = [model.train_on_batch([xs, xd], y0) for _ in range(30)]
assert losses[-1] < 0.5 * losses[0]
raises(ValueError, "expects 2 states", lambda: decoder(begin, initial_state=encoded[:1]))

# Bidirectional, with and without masks.
for merge in ("concat", "sum", "mul", "ave", None):
    for sequences in (True, False):
        for masked in (True, False):
            K.clear_session()
            given = Input(shape=(6, 3))
            both = layers.Bidirectional(layers.GRU(5, return_sequences=sequences), merge_mode=merge)
            y = both(layers.Masking()(given) if masked else given)
            model = Model(given, y)
            got = model.predict(x)
            own = mask if masked else None
            w1, w2 = both.forward_layer.get_weights(), both.backward_layer.get_weights()
            assert not np.array_equal(w1[0], w2[0]) and len(both.get_weights()) == 6 == len(both.trainable_weights)
            f1, _ = recur("GRU", w1, x, own)
            f2, _ = recur("GRU", w2, x[:, ::-1], None if own is None else own[:, ::-1])
            f1, f2 = (f1, f2[:, ::-1]) if sequences else (f1[:, -1], f2[:, -1])
            wanted = {"concat": np.concatenate([f1, f2], -1), "sum": f1 + f2, "mul": f1 * f2, "ave": (f1 + f2) / 2,
                      None: [f1, f2]}[merge]  # fmt: skip
            for part, expected in zip(got if merge is None else [got], wanted if merge is None else [wanted]):
                np.testing.assert_allclose(part, expected, rtol=1e-4, atol=1e-5)
raises(ValueError, "merge mode", lambda: layers.Bidirectional(layers.GRU(5), merge_mode="max"))
raises(ValueError, "expected a layer", lambda: layers.TimeDistributed(3))
K.clear_session()
model = Sequential([layers.Bidirectional(layers.LSTM(4), input_shape=(None, 3)), layers.Dense(1)])
model.compile(Adam(lr=0.02), "mse")
target = x.sum((1, 2))[:, None]
losses = [model.train_on_batch(x, target) for _ in range(150)]
assert losses[-1] < 0.2 * losses[0], (losses[0], losses[-1])

# A convolution at each step of time.
K.clear_session()
given = Input(shape=(None, 5, 5, 2))
conv = layers.Conv2D(3, 3, activation="relu")
model = Model(given, layers.TimeDistributed(layers.Flatten())(layers.TimeDistributed(conv)(given)))
alone_in = Input(shape=(5, 5, 2))
alone = Model(alone_in, layers.Flatten()(conv(alone_in)))
films = rng.normal(size=(2, 4, 5, 5, 2)).astype(np.float32)
np.testing.assert_allclose(model.predict(films), np.stack([alone.predict(films[:, t]) for t in range(4)], 1), rtol=1e-5)

# Convolutions and windows along time.
series = rng.normal(size=(2, 9, 3)).astype(np.float32)


def convolve(v: Any, kernel: Any, stride: int, padding: str, dilation: int) -> Any:
    window = (len(kernel) - 1) * dilation + 1
    count = -(-v.shape[1] // stride)
    total = max((count - 1) * stride + window - v.shape[1], 0)
    pads = {"valid": (0, 0), "same": (total // 2, total - total // 2), "causal": (window - 1, 0)}[padding]
    v = np.pad(v, ((0, 0), pads, (0, 0)))
    starts = range(0, v.shape[1] - window + 1, stride)
    return np.stack([sum(v[:, s + i * dilation] @ kernel[i] for i in range(len(kernel))) for s in starts], 1)


for padding in ("valid", "same", "causal"):
    for stride, dilation in ((1, 1), (2, 1), (1, 2)):
        K.clear_session()
        given = Input(shape=(9, 3))
        layer = layers.Conv1D(4, 3, strides=stride, padding=padding, dilation_rate=dilation, activation="relu")
        model = Model(given, layer(given))
        kernel, bias = layer.get_weights()
        assert kernel.shape == (3, 3, 4)
        wanted = np.maximum(convolve(series, kernel, stride, padding, dilation) + bias, 0)
        got = model.predict(series)
        assert got.shape[1:] == K.int_shape(model.outputs[0])[1:] == layer.compute_output_shape((None, 9, 3))[1:]
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)
raises(ValueError, "padding", lambda: layers.Conv1D(4, 3, padding="full"))
K.clear_session()
given = Input(shape=(9, 3))
pools = [layers.MaxPooling1D(2)(given), layers.AveragePooling1D(3, 2, "same")(given),
         layers.GlobalMaxPooling1D()(given), layers.GlobalAveragePooling1D()(given)]  # fmt: skip
assert [K.int_shape(y) for y in pools] == [(None, 4, 3), (None, 5, 3), (None, 3), (None, 3)]
got = Model(given, pools).predict(series)
np.testing.assert_array_equal(got[0], series[:, :8].reshape(2, 4, 2, 3).max(2))
means = [series[:, max(0, s - 1) : s + 2].mean(1) for s in range(0, 9, 2)]
np.testing.assert_allclose(got[1], np.stack(means, 1), rtol=1e-5, atol=1e-6)
np.testing.assert_array_equal(got[2], series.max(1))
np.testing.assert_allclose(got[3], series.mean(1), rtol=1e-5, atol=1e-6)
