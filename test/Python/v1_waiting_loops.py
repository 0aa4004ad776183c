# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Gradients of a loop whose count is a size of a feed, made in a block that waits for the updates of averages: the
count is known before the run, and waits for nothing (A7)."""

import numpy as np

import flywheel.v1 as tf

X = np.random.default_rng(0).standard_normal((4, 5, 3)).astype(np.float32)


def losses(waits: bool, is_bounded: bool) -> np.ndarray:
    """The losses of three steps, with other numbers of iterations, and the average of the outputs."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, None, 3])
        w = tf.get_variable("w", initializer=tf.constant(np.eye(3, dtype=np.float32)))
        average = tf.get_variable("average", [3], initializer=tf.zeros_initializer(), trainable=False)
        count = tf.shape(x)[1]
        _, state = tf.while_loop(
            lambda i, _: i < count, lambda i, s: (i + 1, tf.tanh(s + tf.matmul(x[:, i, :], w))),
            [tf.constant(0), tf.zeros([tf.shape(x)[0], 3])], maximum_iterations=10 if is_bounded else None,
        )  # fmt: skip
        update = tf.assign(average, 0.9 * average + 0.1 * tf.reduce_mean(state, 0))
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, update)
        loss = tf.reduce_mean(tf.square(state - 1))
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        if waits:
            with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
                step = optimizer.minimize(loss)
        else:
            step = tf.group(optimizer.minimize(loss), update)
        session.run(tf.global_variables_initializer())
        found = [session.run([loss, step], {x: X[:, :n]})[0] for n in (5, 3, 4)]
        return np.array([*found, *session.run(average)])


expected = losses(waits=False, is_bounded=True)
assert expected[0] != expected[1] and np.all(expected[3:] != 0), expected
for waits in (True, False):
    for is_bounded in (True, False):
        np.testing.assert_allclose(losses(waits, is_bounded), expected, rtol=1e-6, err_msg=f"{waits} {is_bounded}")
