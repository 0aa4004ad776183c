# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""X16: graphs of v1 and loops over tensors without elements: shapes of results and of derivatives, as the first run."""

from typing import Any, Callable, Tuple

import numpy as np

import flywheel as fw
import flywheel.v1 as tf

Shape = Tuple[int, ...]
x = np.ones((2, 3), np.float32)
none, columns = np.zeros((0, 3), np.float32), np.zeros((3, 0), np.float32)
image, rows = np.zeros((0, 4, 4, 1), np.float32), np.zeros((0, 3, 2), np.float32)
nothing, window = np.zeros(0, np.int32), np.ones((2, 2, 1, 1), np.float32)


def run(build: Callable[..., Any], feed: Any, *shapes: Shape, is_open: bool = True) -> None:
    """The shapes of the results, with sizes that are known and, where `is_open`, ones that the run brings."""
    for known in (True, False) if is_open else (True,):
        with tf.Graph().as_default(), tf.Session() as session:
            a = tf.placeholder(tf.float32, feed.shape if known else [None] * feed.ndim)
            made = build(a)
            results = list(made) if isinstance(made, (list, tuple)) else [made]
            sums = [y for y in results if y.dtype == np.float32]
            slopes = [dx for dx in tf.gradients(sums, [a]) if dx is not None] if sums else []
            session.run(tf.global_variables_initializer())
            found = session.run([*results, *slopes], {a: feed})
            assert [y.shape for y in found[: len(results)]] == list(shapes), (shapes, [y.shape for y in found], known)
            assert all(dx.shape == feed.shape for dx in found[len(results) :]), ([y.shape for y in found], known)


for k, feed, shape in ((0, x, (2, 0)), (0, columns, (3, 0)), (1, none, (0, 1)), (0, none, (0, 0))):
    run(lambda a, k=k: tf.nn.top_k(a, k), feed, shape, shape, is_open=False)
try:
    run(lambda a: tf.nn.top_k(a, -1), x, is_open=False)
except ValueError as error:
    assert "Need k >= 0, got -1" in str(error), error
else:
    raise AssertionError("expected an error")
run(lambda a: tf.slice(a, [0, 0], [0, 2]), x, (0, 2))
run(lambda a: tf.slice(a, [0, 0], [0, 2]), none, (0, 2))
run(lambda a: tf.slice(a, [1, 3], [-1, 0]), x, (1, 0))
run(lambda a: a[0:0], x, (0, 3))
run(lambda a: a[1:], none, (0, 3))
run(lambda a: a[1:], columns, (2, 0))
run(lambda a: tf.strided_slice(a, [0, 0], [0, 3], [1, 2]), x, (0, 2))
run(lambda a: tf.split(a, 3, 1), none, (0, 1), (0, 1), (0, 1))
run(lambda a: tf.concat([a, x], 0), none, (2, 3), is_open=False)
run(lambda a: tf.stack([a, a]), none, (2, 0, 3))
run(lambda a: tf.unstack(a, 3, 1), none, (0,), (0,), (0,), is_open=False)
run(lambda a: tf.gather(a, nothing), x, (0, 3))
run(lambda a: tf.gather_nd(a, np.zeros((0, 2), np.int32)), x, (0,))
run(lambda a: tf.matmul(a, columns), none, (0, 0))
run(lambda a: tf.matmul(a, none), columns, (3, 3))
run(lambda a: tf.reduce_max(a), none, ())
run(lambda a: tf.reduce_mean(a, 0), none, (3,))
run(tf.nn.softmax, none, (0, 3))
run(lambda a: tf.pad(a, [[1, 0], [0, 1]]), none, (1, 4))
run(lambda a: tf.reverse(a, [0]), none, (0, 3))
run(lambda a: tf.tile(a, [2, 1]), none, (0, 3))
run(lambda a: tf.tile(a, [0, 1]), x, (0, 3))
run(lambda a: tf.reshape(a, [3, 0]), none, (3, 0))
run(tf.transpose, none, (3, 0))
run(lambda a: tf.nn.moments(a, [0]), none, (3,), (3,))
run(lambda a: tf.unsorted_segment_sum(a, nothing, 2), none, (2, 3))
run(lambda a: tf.unsorted_segment_max(a, nothing, 2), none, (2, 3))
run(lambda a: tf.nn.conv2d(a, window, [1, 1, 1, 1], "SAME"), image, image.shape, is_open=False)
run(lambda a: tf.nn.max_pool(a, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"), image, (0, 2, 2, 1), is_open=False)
run(lambda a: tf.map_fn(lambda row: row * 2.0, a), none, (0, 3), is_open=False)
run(lambda a: tf.scan(lambda s, row: s + row, a, initializer=np.zeros(3, np.float32)), none, (0, 3), is_open=False)
cell = tf.nn.rnn_cell.BasicRNNCell
run(lambda a: tf.nn.dynamic_rnn(cell(2), a, dtype=tf.float32)[0], rows, rows.shape, is_open=False)

# Loops of functions.
loops: Any = (
    (lambda a: fw.map(lambda row: row * 2.0, a), (0, 3)),
    (lambda a: fw.scan(lambda s, row: (s + row, s), fw.zeros(3), a)[1], (0, 3)),
    (lambda a: fw.scan(lambda s, row: (s + row, s), fw.zeros(3), a)[0], (3,)),
    (lambda a: fw.fori_loop(0, 3, lambda i, s: s * 2.0, a), (0, 3)),
    (lambda a: fw.while_loop(lambda s: fw.sum(s) < 0.0, lambda s: s + 1.0, a), (0, 3)),
    (lambda a: fw.cond(fw.sum(a) < 1.0, lambda: a[1:], lambda: a * 2.0), (0, 3)),
    (lambda a: fw.vmap(lambda row: fw.sum(row) * row)(a), (0, 3)),
    (lambda a: fw.jacobian(lambda b: b * 2.0)(a), (0, 3, 0, 3)),
    (lambda a: fw.hessian(lambda b: fw.sum(b * b))(a), (0, 3, 0, 3)),
)  # fmt: skip
for function, shape in loops:
    assert fw.function(function, dynamic=False)(none).shape == shape, shape
    if len(shape) < 4:
        slope = fw.function(fw.grad(lambda a, f=function: fw.sum(f(a))), dynamic=False)
        try:
            assert slope(none).shape == none.shape
        except (ValueError, fw.CompileError) as error:
            assert "while" in str(error), error
