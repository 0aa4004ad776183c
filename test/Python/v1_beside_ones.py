# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 %peers_python %s
"""Sizes of 1 that a run brings, sizes and branches that values decide, and strings, as in TensorFlow 1 (R1, R4, V4)."""

# mypy: disable-error-code="no-untyped-call"

import itertools
from typing import Any, List

import numpy as np

from beside_tensorflow import caught, draw, program, run_all, values


@program
def squeezed(tf: Any) -> Any:
    x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, None, 1])
    unknown = tf.placeholder(tf.float32)
    one, every = tf.squeeze(x, axis=0), tf.squeeze(y)
    out: List[Any] = [one.shape.as_list(), tf.squeeze(y, [-1]).shape.as_list(), every.shape.ndims]
    made = [one, *tf.gradients(one * one, x)]
    out += [values(tf, made, {x: draw(1, 3)}), caught(lambda: values(tf, made, {x: draw(2, 3)}))]
    for shape in ((1, 3, 1), (2, 1, 1), (1, 1, 1), (2, 3, 1)):
        out += values(tf, [every, tf.squeeze(unknown), *tf.gradients(every * every, y)],
                      {y: draw(*shape), unknown: draw(*shape)})  # fmt: skip
    return out


@program
def repeated(tf: Any) -> Any:
    """All pairs of sizes 1 and more, of operands whose sizes a run brings: operators, choices and gradients."""
    x, y = tf.placeholder(tf.float32, [None, None]), tf.placeholder(tf.float32, [None, None])
    z = (x + y) * (x - 2.0 * y)
    made = [z, tf.maximum(x, y), tf.squared_difference(x, y), *tf.gradients(z, [x, y]),
            tf.reduce_sum(x / (y * y + 1.0), 1)]  # fmt: skip
    out = []
    for a, b, c, d in itertools.product((1, 2), (1, 3), (1, 2), (1, 3)):
        out += values(tf, made, {x: draw(a, b), y: draw(c, d)})
    return [*out, caught(lambda: values(tf, made, {x: draw(2, 3), y: draw(3, 3)}))]


@program
def sizes_by_values(tf: Any) -> Any:
    x, n, k = tf.placeholder(tf.float32, [None, None, None, 2]), tf.placeholder(tf.int32, [2]), tf.placeholder(
        tf.int32, [])  # fmt: skip
    sizes, rows = tf.shape(x), tf.placeholder(tf.float32, [None, 5])
    pads = tf.placeholder(tf.int32, [2, 2])
    kernel = tf.constant(draw(3, 3, 4, 2))
    wide = tf.nn.conv2d_transpose(x, kernel, tf.stack([sizes[0], sizes[1] * 2, sizes[2] * 2, 4]), [1, 2, 2, 1])
    made = [wide, *tf.gradients(wide * wide, x), tf.image.resize_bilinear(x, sizes[1:3] * 2),
            tf.image.resize_nearest_neighbor(x, n), *tf.gradients(tf.image.resize_bilinear(x, n) ** 2, x),
            tf.image.resize_bilinear(x, [3, 7]), *tf.nn.top_k(rows, k), *tf.nn.top_k(rows[:, 0], tf.shape(rows)[0]),
            tf.pad(rows, pads), tf.pad(rows, [[0, 5 - tf.shape(rows)[0]], [k, 0]], constant_values=2.0),
            *tf.gradients(tf.pad(rows, pads) ** 2, rows)]  # fmt: skip
    out = []
    for count, most in ((2, 2), (3, 5), (2, 1)):
        out += values(tf, made, {x: draw(1, count, 4, 2), n: [count + 3, 5], k: most, rows: draw(count, 5),
                                 pads: [[1, count], [0, most]]})  # fmt: skip
    return out


@program
def branches_of_other_sizes(tf: Any) -> Any:
    x, p = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.bool, [])
    a = tf.cond(p, lambda: x, lambda: tf.concat([x, x], 0))
    b = tf.cond(p, lambda: tf.ones([2]), lambda: tf.ones([3]))
    c = tf.cond(tf.reduce_sum(x) > 0.0, lambda: x[:1], lambda: x[1:])
    made = [a, b, c, *tf.gradients(a * a, x), *tf.gradients(c * c, x)]
    return [values(tf, made, {x: [3.0, sign, 2.0], p: which}) for which in (True, False) for sign in (1.0, -9.0)]


@program
def sessions_in_a_row(tf: Any) -> Any:
    tf.Variable(1.0, name="w")
    count = tf.assign_add(tf.train.get_or_create_global_step(), 1)
    found = []
    for _ in range(3):
        with tf.train.MonitoredTrainingSession() as session:
            found.append(session.run(count))
    return found


@program
def strings(tf: Any) -> Any:
    x, v = tf.placeholder(tf.string, [None]), tf.Variable(["a", "\u00e9"])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = session.run([tf.constant("one"), tf.constant(["a", "b"])[1], tf.identity(x), v, tf.equal(v, "a")],
                            {x: [b"feed", b"\xff"]})  # fmt: skip
        return [*found, session.run(v.assign(["x", "y"]))]


@program
def large_arrays(tf: Any) -> Any:
    """Programs for other sizes see the same variables."""
    w, x = tf.Variable(np.zeros((1, 4), np.float32)), tf.placeholder(tf.float32, [None, 4])
    update = tf.assign_add(w, tf.reduce_sum(x - w, 0, keepdims=True))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return [session.run(update, {x: draw(n, 4)}) for n in (1, 3, 1, 2)]


if __name__ == "__main__":
    run_all()
