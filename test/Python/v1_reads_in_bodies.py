# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""Gradients by a variable that is read in branches, in bodies of loops and in cells, implicitly and explicitly
(A5, G2): against the derivatives on paper, alone and beside a read outside."""

# mypy: disable-error-code="misc, no-untyped-call"

from typing import Any, Callable, Dict

import numpy as np

import flywheel.v1 as tf

V = np.array([0.7, -1.2])


class Cell(tf.nn.rnn_cell.RNNCell):
    """s' = s * factor() + x."""

    state_size = output_size = 2

    def __init__(self, factor: Callable[[], Any]):
        super().__init__()
        self.factor = factor

    def build(self, *_: Any) -> Dict[str, Any]:
        return {}

    def call(self, x: Any, state: Any, weights: Any) -> Any:
        new = state * self.factor() + x
        return new, new


def make_bodies(read: Callable[[], Any], flag: Any) -> Dict[str, Any]:
    """A tensor that depends on what is read in a body, its value and its derivative by that."""
    ones = tf.ones([3, 2], tf.float64)
    last = lambda found: found[-1]  # noqa: E731
    polynomial = 1 + V + V**2, 1 + 2 * V
    return {
        "branch": (tf.cond(flag, lambda: tf.sin(read()), lambda: 3.0 * read()), np.sin(V), np.cos(V)),
        "branch in a branch": (
            tf.cond(flag, lambda: tf.cond(flag, lambda: tf.sin(read()), lambda: tf.zeros([2], tf.float64)),
                    lambda: tf.ones([2], tf.float64)),
            np.sin(V), np.cos(V)),
        "while": (
            tf.while_loop(lambda i, _: i < 3, lambda i, a: (i + 1, a * read()), [tf.constant(0), ones[0]])[1],
            V**3, 3 * V**2),
        "scan": (last(tf.scan(lambda a, x: a * read() + x, ones)), *polynomial),
        "map": (last(tf.map_fn(lambda x: tf.sin(read()) * x, ones)), np.sin(V), np.cos(V)),
        "cell": (tf.nn.dynamic_rnn(Cell(read), ones[None], dtype=tf.float64)[1][0], *polynomial),
        "branch in a cell": (
            tf.nn.dynamic_rnn(Cell(lambda: tf.cond(flag, lambda: 1.0 * read(), lambda: 2.0 * read())), ones[None],
                              dtype=tf.float64)[1][0],
            *polynomial),
    }  # fmt: skip


for kind in ("implicit", "explicit", "value"):
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(V)
        flag = tf.placeholder(tf.bool, [])
        read = {"implicit": lambda: v, "explicit": lambda: v.read_value(), "value": lambda: v.value()}[kind]
        bodies = make_bodies(read, flag)
        outside = v.read_value()
        wanted, fetches = [], []
        for name, (y, value, slope) in bodies.items():
            for extra, more in ((0.0, 0.0), (outside, np.ones(2)), (v * v, 2 * V)):
                gradient = tf.gradients(y + extra, v)[0]
                assert gradient is not None, f"{kind} read in a {name}: no gradient"
                wanted.append((name, value, slope + more))
                fetches.append((y, gradient))
        session.run(tf.global_variables_initializer())
        for (name, value, slope), (y, gradient) in zip(wanted, session.run(fetches, {flag: True})):
            np.testing.assert_allclose(y, value, rtol=1e-12, err_msg=f"{kind} {name}")
            np.testing.assert_allclose(gradient, slope, rtol=1e-12, err_msg=f"{kind} {name}")
