# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""`tf.nn.raw_rnn` with the loop function of its documentation has the outputs, the state and the gradients of
`dynamic_rnn` with the same cell."""

# mypy: disable-error-code="no-untyped-call"

from typing import Any

import numpy as np

import flywheel.v1 as tf

STEPS, BATCH, DEPTH, UNITS = 5, 3, 2, 4
rng = np.random.default_rng(0)
X = rng.standard_normal((STEPS, BATCH, DEPTH))
LENGTHS = np.array([5, 2, 4])

inputs = tf.placeholder(tf.float64, [STEPS, BATCH, DEPTH])
lengths = tf.placeholder(tf.int32, [BATCH])
cell = tf.nn.rnn_cell.BasicLSTMCell(UNITS)
with tf.variable_scope("both"):
    expected, expected_state = tf.nn.dynamic_rnn(cell, inputs, lengths, dtype=tf.float64, time_major=True)
elements = tf.TensorArray(tf.float64, STEPS).unstack(inputs)


def loop_fn(time: Any, output: Any, state: Any, loop_state: Any) -> Any:
    following = cell.zero_state(BATCH, tf.float64) if output is None else state
    ended = time >= lengths
    x = tf.cond(tf.reduce_all(ended), lambda: tf.zeros([BATCH, DEPTH], tf.float64), lambda: elements.read(time))
    return ended, x, following, output, loop_state


with tf.variable_scope("both", reuse=True):
    arrays, state, _ = tf.nn.raw_rnn(cell, loop_fn)
outputs = arrays.stack()
weights = tf.trainable_variables()
pairs = [(outputs, expected), *zip(state, expected_state)]
pairs += list(zip(tf.gradients(tf.reduce_sum(tf.sin(outputs)), weights),
                  tf.gradients(tf.reduce_sum(tf.sin(expected)), weights)))  # fmt: skip
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for given in (LENGTHS, np.array([3, 3, 1]), np.array([1, 1, 1])):
        for own, other in session.run(pairs, {inputs: X, lengths: given}):
            np.testing.assert_allclose(own, other[: len(own)] if own.ndim == 3 else other, rtol=1e-12, atol=1e-14)
            assert np.any(own != 0)
