# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Cells and recurrent networks of flywheel.v1 beside NumPy in f64: outputs, last states and derivatives, with sizes of
the batch and of time that are known, or not before the run."""

from typing import Any, Callable, List, Tuple

import numpy as np

import flywheel.v1 as tf
from configurations import raises
from flywheel.v1 import rnn_cell

Array = Any


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


# One step of each cell: x, the parts of the state, the weights.
def basic(x: Array, s: List[Array], w: List[Array]) -> Tuple[Array, List[Array]]:
    h = np.tanh(np.concatenate([x, s[0]], 1) @ w[0] + w[1])
    return h, [h]


def gru(x: Array, s: List[Array], w: List[Array]) -> Tuple[Array, List[Array]]:
    r, u = np.split(sigmoid(np.concatenate([x, s[0]], 1) @ w[0] + w[1]), 2, 1)
    h = u * s[0] + (1 - u) * np.tanh(np.concatenate([x, r * s[0]], 1) @ w[2] + w[3])
    return h, [h]


def lstm(x: Array, s: List[Array], w: List[Array]) -> Tuple[Array, List[Array]]:
    i, j, f, o = np.split(np.concatenate([x, s[1]], 1) @ w[0] + w[1], 4, 1)
    c = sigmoid(f + 1) * s[0] + sigmoid(i) * np.tanh(j)
    h = sigmoid(o) * np.tanh(c)
    return h, [c, h]


def peephole(x: Array, s: List[Array], w: List[Array]) -> Tuple[Array, List[Array]]:
    kernel, bias, wf, wi, wo, projection = w
    i, j, f, o = np.split(np.concatenate([x, s[1]], 1) @ kernel + bias, 4, 1)
    c = np.clip(sigmoid(f + 0.5 + wf * s[0]) * s[0] + sigmoid(i + wi * s[0]) * np.tanh(j), -0.2, 0.2)
    h = np.clip(sigmoid(o + wo * c) * np.tanh(c) @ projection, -0.1, 0.1)
    return h, [c, h]


def over_time(step: Any, x: Array, w: List[Array], sizes: List[int], lengths: Any = None) -> Tuple[Array, List[Array]]:
    state = [np.zeros((len(x), n)) for n in sizes]
    outputs = []
    for t in range(x.shape[1]):
        y, new = step(x[:, t], state, w)
        if lengths is not None:
            runs = (t < lengths)[:, None]
            y, new = np.where(runs, y, 0), [np.where(runs, a, b) for a, b in zip(new, state)]
        outputs.append(y)
        state = new
    return np.stack(outputs, 1), state


rng = np.random.default_rng(0)
N, T, D, H = 3, 5, 4, 6
x_value = rng.normal(size=(N, T, D)).astype(np.float32)
lengths = np.array([5, 2, 0], np.int32)
CELLS: List[Tuple[Callable[[], Any], Any, List[int], List[str]]] = [
    (lambda: tf.nn.rnn_cell.BasicRNNCell(H), basic, [H], ["basic_rnn_cell/kernel", "basic_rnn_cell/bias"]),
    (lambda: rnn_cell.GRUCell(H), gru, [H], [f"gru_cell/{part}/{key}" for part in ("gates", "candidate")
                                             for key in ("kernel", "bias")]),
    (lambda: rnn_cell.BasicLSTMCell(H), lstm, [H, H], ["basic_lstm_cell/kernel", "basic_lstm_cell/bias"]),
    (lambda: rnn_cell.LSTMCell(H), lstm, [H, H], ["lstm_cell/kernel", "lstm_cell/bias"]),
    (lambda: rnn_cell.LSTMCell(H, use_peepholes=True, cell_clip=0.2, num_proj=2, proj_clip=0.1, forget_bias=0.5),
     peephole, [H, 2], [f"lstm_cell/{key}" for key in ("kernel", "bias", "w_f_diag", "w_i_diag", "w_o_diag",
                                                       "projection/kernel")]),
]  # fmt: skip
for make, step, sizes, names in CELLS:
    for shape, sized, major in (([None, None, D], True, False), ([None, T, D], False, False), ([N, T, D], True, False),
                                ([None, None, D], False, True)):  # fmt: skip
        with tf.Graph().as_default(), tf.Session() as sess:
            x = tf.placeholder(tf.float32, shape)
            given = tf.placeholder(tf.int32, [None]) if sized else None
            inputs = tf.transpose(x, [1, 0, 2]) if major else x
            y, state = tf.nn.dynamic_rnn(make(), inputs, given, dtype=tf.float32, time_major=major)
            y = tf.transpose(y, [1, 0, 2]) if major else y
            assert y.shape.as_list() == [*shape[:2], sizes[-1]] and y.dtype == tf.float32
            weights = tf.trainable_variables()
            assert [v.name for v in weights] == [f"rnn/{name}:0" for name in names]
            for v in weights:
                v.initializer.run() if "bias" in v.name else v.load(
                    rng.normal(0, 0.5, v.shape.as_list()).astype(np.float32), sess)  # fmt: skip
            direction = rng.normal(size=(N, T, sizes[-1]))
            slopes = tf.gradients(tf.reduce_sum(y * tf.constant(direction, tf.float32)), [x, *weights])
            feed: Any = {x: x_value, **({given: lengths} if sized else {})}
            w = [v.astype(np.float64) for v in sess.run(weights)]
            if step is gru:
                assert (w[1] == 1).all() and (w[3] == 0).all()
            ends = lengths if sized else None
            wanted, last = over_time(step, x_value.astype(np.float64), w, sizes, ends)
            got, parts, found = sess.run([y, list(state) if len(sizes) > 1 else [state], slopes], feed)
            np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-6)
            for a, b in zip(parts, last):
                np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)
            # Along a direction, by central differences.
            e = 1e-6
            move = [rng.normal(size=v.shape) for v in w]
            up, down = (over_time(step, x_value.astype(np.float64), [v + sign * e * m for v, m in zip(w, move)], sizes,
                                  ends)[0] for sign in (1, -1))  # fmt: skip
            slope = ((up - down) * direction).sum() / (2 * e)
            assert np.isclose(sum((a * m).sum() for a, m in zip(found[1:], move)), slope, rtol=1e-3, atol=1e-4)
            turn = rng.normal(size=x_value.shape)
            up, down = (over_time(step, x_value + sign * e * turn, w, sizes, ends)[0] for sign in (1, -1))
            assert np.isclose((found[0] * turn).sum(), ((up - down) * direction).sum() / (2 * e), rtol=1e-3, atol=1e-4)
            if None in shape:
                # Other sizes compile nothing.
                sess.run([y, state], feed)
                count = len(sess._entries)
                more = rng.normal(size=(7, T if shape[1] else 9, D)).astype(np.float32)
                feed = {x: more, **({given: np.full(7, 4, np.int32)} if sized else {})}
                wanted, _ = over_time(step, more, w, sizes, np.full(7, 4) if sized else None)
                np.testing.assert_allclose(sess.run([y, state], feed)[0], wanted, rtol=1e-4, atol=1e-5)
                assert len(sess._entries) == count

# Cells one after the other, unrolled and in a loop; a state that is given; NaN after the end of an example.
with tf.Graph().as_default(), tf.Session() as sess:
    x = tf.placeholder(tf.float32, [None, T, D])

    def stack() -> Any:
        return rnn_cell.MultiRNNCell([rnn_cell.BasicLSTMCell(H), rnn_cell.GRUCell(3)])

    with tf.variable_scope("net"):
        unrolled, state1 = tf.nn.static_rnn(stack(), tf.unstack(x, axis=1), dtype=tf.float32, sequence_length=lengths)
    with tf.variable_scope("net", reuse=True):
        looped, state2 = tf.nn.dynamic_rnn(stack(), x, lengths, dtype=tf.float32)
    parts_of = ("0/basic_lstm_cell", "1/gru_cell/gates", "1/gru_cell/candidate")
    assert [v.name for v in tf.trainable_variables()] == [
        f"net/rnn/multi_rnn_cell/cell_{part}/{key}:0" for part in parts_of for key in ("kernel", "bias")]  # fmt: skip
    assert isinstance(state2[0], rnn_cell.LSTMStateTuple) and isinstance(state1[0], rnn_cell.LSTMStateTuple)
    sess.run(tf.global_variables_initializer())
    a, b, s1, s2 = sess.run([unrolled, looped, state1, state2], {x: x_value})
    np.testing.assert_allclose(np.stack(a, 1), b, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(s1[0].c, s2[0].c, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(s1[1], s2[1], rtol=1e-5, atol=1e-7)
    w = [v.astype(np.float64) for v in sess.run(tf.trainable_variables())]
    first, _ = over_time(lstm, x_value, w[:2], [H, H], lengths)
    np.testing.assert_allclose(b, over_time(gru, first, w[2:], [3], lengths)[0], rtol=1e-4, atol=1e-6)
    broken = x_value.copy()
    broken[1, 2:] = np.nan
    np.testing.assert_array_equal(sess.run(looped, {x: broken}), b)

    # The last state of one part of a sequence is the first of the next one.
    cell = rnn_cell.GRUCell(H)
    begin = tf.placeholder(tf.float32, [None, H])
    with tf.variable_scope("parts"):
        y, end = tf.nn.dynamic_rnn(cell, x, initial_state=begin)
    zero = cell.zero_state(2, tf.float32)
    assert zero.shape == (2, H)
    sess.run(tf.global_variables_initializer())
    once, half = sess.run([y, end], {x: x_value, begin: np.zeros((N, H))})
    again = sess.run(y, {x: x_value, begin: half})
    w = [v.astype(np.float64) for v in sess.run(tf.trainable_variables()[-4:])]
    twice, _ = over_time(gru, np.concatenate([x_value, x_value], 1), w, [H])
    np.testing.assert_allclose(np.concatenate([once, again], 1), twice, rtol=1e-4, atol=1e-6)
    raises(tf.errors.InvalidArgumentError, "", lambda: sess.run(y, {x: x_value, begin: np.zeros((2, H))}))
    raises(ValueError, "you must give a dtype", lambda: tf.nn.dynamic_rnn(cell, x))
    raises(ValueError, "expected a state of 1", lambda: tf.nn.dynamic_rnn(cell, x, initial_state=(begin, begin)))
    raises(ValueError, "state_is_tuple is not set", lambda: rnn_cell.MultiRNNCell([rnn_cell.LSTMCell(3)], False))
    raises(AttributeError, "rnn_cell.Nothing", lambda: rnn_cell.Nothing)


assert tf.nn.rnn_cell is rnn_cell


# A cell of one's own, whose output is not part of the state.
class Counter(rnn_cell.RNNCell):
    state_size = 1
    output_size = 2

    def build(self, inputs: int, dtype: Any) -> Any:
        return {}

    def call(self, x: Any, state: Any, weights: Any) -> Any:
        return tf.concat([state, 2.0 * state], 1), state + tf.reduce_sum(x, 1, keepdims=True)


with tf.Graph().as_default(), tf.Session() as sess:
    x = tf.placeholder(tf.float32, [None, None, D])
    y, end = tf.nn.dynamic_rnn(Counter(), x, lengths, dtype=tf.float32)
    got, last = sess.run([y, end], {x: x_value})
    sums = x_value.sum(2).cumsum(1)
    before = np.concatenate([np.zeros((N, 1)), sums[:, :-1]], 1) * (np.arange(T) < lengths[:, None])
    np.testing.assert_allclose(got, np.stack([before, 2 * before], 2), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(last[:, 0], [sums[0, -1], sums[1, 1], 0], rtol=1e-5)
