# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 %peers_python %s
"""Loops, branches and functions over slices as in TensorFlow 1, and optimizers that make weights sparse (X10)."""

# mypy: disable-error-code="no-untyped-call"

import collections
from typing import Any, List

import numpy as np

from beside_tensorflow import draw, program, run_all, values

Pair = collections.namedtuple("Pair", "first second")


@program
def maps(tf: Any) -> Any:
    x = tf.placeholder(tf.float32, [None, 3])
    w = tf.Variable(draw(3, 2))
    y = tf.map_fn(lambda row: tf.matmul(tf.expand_dims(row, 0), w)[0], x)
    pairs = tf.map_fn(lambda p: (p[0] * p[1], p[0] - 1.0), (x, x * 2.0))
    kinds = tf.map_fn(lambda row: {"most": tf.argmax(row), "sum": tf.reduce_sum(row)}, x,
                      dtype={"most": tf.int64, "sum": tf.float32})
    grads = tf.gradients(tf.reduce_sum(tf.square(y)), [w, x])
    names = [y.op.name == y.op.name, y.shape.as_list()]
    first = values(tf, [y, list(pairs), kinds, grads], {x: draw(4, 3)})
    return [first, values(tf, [y, grads], {x: draw(7, 3)}), names]


@program
def scans(tf: Any) -> Any:
    x = tf.constant(draw(5, 3))
    v = tf.Variable(draw(3))
    sums = tf.scan(lambda a, row: a + row, x)
    start = tf.scan(lambda a, row: tf.tanh(a * v + row), x, initializer=tf.zeros([3]))
    back = tf.scan(lambda a, row: a * 0.5 + row, x, initializer=tf.ones([3]), reverse=True)
    back_first = tf.scan(lambda a, row: a * 0.5 + row, x, reverse=True)
    two = tf.scan(lambda a, row: (a[0] + row, a[1] * 2), x, initializer=(tf.zeros([3]), tf.constant(1)))
    left = tf.foldl(lambda a, row: a * v + row, x)
    right = tf.foldr(lambda a, row: a * v + row, x, initializer=v * 2.0)
    return values(tf, [sums, start, back, back_first, list(two), left, right,
                       tf.gradients(tf.reduce_sum(start * start) + tf.reduce_sum(left * right), v)])


@program
def structures(tf: Any) -> Any:
    i = tf.constant(0)
    loop = tf.while_loop(lambda n, p: n < 4, lambda n, p: (n + 1, Pair(p.second, p.first + p.second)),
                         (i, Pair(tf.constant(0.0), tf.constant(1.0))))
    single = tf.while_loop(lambda n: n < 10, lambda n: [n + 3], [i])
    flag = tf.placeholder(tf.bool, [])
    branch = tf.cond(flag, lambda: Pair(i + 1, [i + 2]), lambda: Pair(i - 1, [i - 2]))
    many = tf.cond(flag, lambda: {"a": i, "b": i + 5}, lambda: {"a": i + 7, "b": i})
    chosen = tf.case([(flag, lambda: i + 10), (i > 3, lambda: i + 20)], default=lambda: i + 30)
    kinds = [isinstance(loop, tuple), isinstance(loop[1], Pair), isinstance(branch, Pair), isinstance(many, dict)]
    nested = tf.while_loop(
        lambda n, s: n < 3,
        lambda n, s: [n + 1, s + tf.while_loop(lambda m, t: m < n, lambda m, t: [m + 1, t + 2.0], [0, 0.0])[1]],
        [i, tf.constant(1.0)])
    return [kinds, *[values(tf, [loop[0], list(loop[1]), single, list(branch), many, chosen, nested], {flag: on})
                     for on in (True, False)]]


@program
def newton(tf: Any) -> Any:
    """A loop that reads variables, with a gradient."""
    a = tf.Variable(7.0)
    root = tf.while_loop(lambda n, r: n < 6, lambda n, r: [n + 1, 0.5 * (r + a / r)],
                         [tf.constant(0), tf.constant(1.0)], maximum_iterations=6)[1]
    return values(tf, [root, tf.gradients(root, a)])


@program
def sparse_optimizers(tf: Any) -> Any:
    results = []
    step = tf.train.get_or_create_global_step()
    for number, optimizer in enumerate([
            tf.train.ProximalGradientDescentOptimizer(0.1, l1_regularization_strength=0.05,
                                                      l2_regularization_strength=0.3),
            tf.train.ProximalAdagradOptimizer(0.2, 0.3, l1_regularization_strength=0.04,
                                              l2_regularization_strength=0.1),
            tf.train.ProximalAdagradOptimizer(0.2),
            tf.train.AdagradDAOptimizer(0.3, step, l1_regularization_strength=0.02, l2_regularization_strength=0.1)]):
        w = tf.Variable(draw(3, 2) + number, name="w%d" % number)
        train = optimizer.minimize(tf.reduce_sum(tf.square(w - 0.4)), var_list=[w],
                                   global_step=step if number == 3 else None)
        results.append((w, train, optimizer))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(5):
            session.run([train for _, train, _ in results])
        slots = [[optimizer.get_slot(w, name) for name in sorted(optimizer.get_slot_names())]
                 for w, _, optimizer in results]
        return session.run([[w for w, _, _ in results], slots]) + [sorted(o.get_slot_names()) for _, _, o in results]


@program
def errors(tf: Any) -> Any:
    found: List[Any] = []
    x = tf.constant(np.ones((3, 2), np.float32))
    for wrong in (lambda: tf.map_fn(lambda r: r, tf.constant(1.0)),
                  lambda: tf.scan(lambda a, r: [a, r], x)):
        try:
            wrong()
            found.append("no error")
        except (TypeError, ValueError):
            found.append("an error")
    tf.Variable(1.0, name="saved")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        try:
            tf.train.Saver().save(session, "/no folder/of this name/x")
        except ValueError as error:
            found.append("Parent directory of /no folder/of this name/x doesn't exist" in str(error))
    return found


def _powers(tf: Any, count: Any, x: Any, start: Any) -> Any:
    return tf.while_loop(lambda j, b: j < count, lambda j, b: (j + 1, b * x), [tf.constant(0), start])[1]


@program
def gradients_of_nested_loops(tf: Any) -> Any:
    """Counts that a run finds, of loops in loops too; a body that runs no time, and constant counts."""
    n, x = tf.placeholder(tf.int32, ()), tf.Variable(1.1)
    one = tf.constant(1.0)

    def nest(inner: Any) -> Any:
        return tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, inner(i, a)), [tf.constant(0), one])[1]

    def deep(i: Any, a: Any) -> Any:
        return tf.while_loop(lambda j, b: j <= i, lambda j, b: (j + 1, _powers(tf, i + j, x, b) + 0.1 * x), [0, a])[1]

    def two(i: Any, a: Any) -> Any:
        c = tf.while_loop(lambda b: b < 3.0, lambda b: b * x * 2.0, [a])
        return _powers(tf, i + 1, x, a) + c

    ys = [_powers(tf, n, x, one), nest(lambda i, a: _powers(tf, i + 1, x, a)), nest(deep), nest(two),
          nest(lambda i, a: _powers(tf, 3, x, a)),
          tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, _powers(tf, n, x, a)), [0, one])[1],
          tf.reduce_sum(tf.map_fn(lambda r: _powers(tf, 3, x, r), tf.constant([1.0, 2.0])))]
    gradients = [tf.gradients(y, x) for y in ys]
    return [values(tf, [ys, gradients], {n: count}) for count in (3, 0, 2)]


if __name__ == "__main__":
    run_all()
