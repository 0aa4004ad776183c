# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""X11: the ops of nn infer the types of their results, of sizes that are numbers and of ones that the call chooses;
T9: what is wrong is said with the shapes of all tensors."""

from typing import Any, Callable, List, Tuple

import numpy as np

import flywheel as fw
from configurations import run_tests
from flywheel import nn

Shape = Tuple[Any, ...]
f16, f32, f64, i32, i64 = "float16", "float32", "float64", "int32", "int64"


def spec(shape: Shape, dtype: str = f32) -> Any:
    return fw.spec(*shape, dtype=dtype)


# The function, its arguments, and the shapes and dtypes of its results, where a name is a size that the call chooses.
CASES: List[Tuple[Callable[..., Any], List[Any], List[Tuple[Shape, str]]]] = [
    (nn.add, [spec(("n", 1)), spec((5,))], [(("n", 5), f32)]),
    (nn.mul, [spec(("n", 5)), spec((3, 5))], [((3, 5), f32)]),
    (nn.pow, [spec(()), spec((2, "n"), f32)], [((2, "n"), f32)]),
    (nn.matmul, [spec(("n", 4, 2)), spec((3, 2, "k"))], [((3, 4, "k"), f32)]),
    (lambda a, b: nn.matmul(a, b, transpose_a=True, transpose_b=True), [spec((2, "m")), spec((5, 2))],
     [(("m", 5), f32)]),
    (nn.dense, [spec(("n", 7, 3), f16), spec((3, 4), f16), spec((4,), f16)], [(("n", 7, 4), f16)]),
    (nn.attention, [spec(("n", 4, 8)), spec(("n", "s", 8)), spec(("n", "s", 6))], [(("n", 4, 6), f32)]),
    (nn.conv2d, [spec(("n", 8, 9, 3)), spec((3, 3, 3, 5))], [(("n", 6, 7, 5), f32)]),
    (lambda x, w: nn.conv2d(x, w, strides=[2, 3], padding="same"), [spec(("n", 8, "w", 3)), spec((3, 3, 1, 6))],
     [(("n", 4, "v", 6), f32)]),
    (lambda x, w: nn.conv2d(x, w, padding=[(1, 0), (2, 1)], dilations=[2, 1]),
     [spec(("n", 8, 9, 3)), spec((3, 3, 3, 5))], [(("n", 5, 10, 5), f32)]),
    (nn.conv2d_transpose, [spec(("n", 4, 5, 6)), spec((3, 2, 7, 6))], [(("n", 6, 6, 7), f32)]),
    (lambda x, w: nn.conv2d_transpose(x, w, strides=[2, 3], padding="same"),
     [spec(("n", 4, 5, 6)), spec((3, 2, 7, 6))], [(("n", 8, 15, 7), f32)]),
    (lambda x, w: nn.conv2d_transpose(x, w, strides=[2, 3], padding=[(1, 0), (1, 1)]),
     [spec(("n", 4, 5, 6)), spec((3, 2, 7, 6))], [(("n", 8, 12, 7), f32)]),
    (lambda x, w, like: nn.conv2d_transpose(x, w, like, strides=[2, 2], padding="same"),
     [spec(("n", "h", 5, 6)), spec((3, 2, 7, 6)), spec(("n", "k", 9, 7))], [(("n", "k", 9, 7), f32)]),
    (lambda x: nn.max_pool2d(x, [2, 3]), [spec(("n", 9, 9, 2))], [(("n", 4, 3, 2), f32)]),
    (lambda x: nn.avg_pool2d(x, [2, 3], strides=[1, 2], padding="same"), [spec(("n", 9, 9, 2))],
     [(("n", 9, 5, 2), f32)]),
    (lambda x: nn.reduce(x, "max", [-1]), [spec((2, "n", 3))], [((2, "n"), f32)]),
    (lambda x: nn.reduce(x, "sum", [0, 2], keepdims=True), [spec((2, "n", 3), i64)], [((1, "n", 1), i64)]),
    (lambda x: nn.argmax(x, 1), [spec((2, 5, "n"))], [((2, "n"), i32)]),
    (lambda x, i: nn.gather(x, i, 1), [spec((2, 5, "n"), f64), spec((3, "k"), i32)], [((2, 3, "k", "n"), f64)]),
    (lambda x, i, u: nn.scatter_add(x, i, u, 0), [spec((6, "n")), spec((3,), i32), spec((3, "n"))],
     [((6, "n"), f32)]),
    (lambda x, i: nn.take_along_axis(x, i, 1), [spec(("n", 5)), spec((4, "k"), i32)], [((4, "k"), f32)]),
    (lambda x, i, u: nn.scatter_add_along_axis(x, i, u, 0), [spec((5, 2)), spec((3, 2), i32), spec((3, 2))],
     [((5, 2), f32)]),
    (lambda x: nn.cumsum(x, -1, reverse=True), [spec((2, "n"), i32)], [((2, "n"), i32)]),
    (lambda x: nn.tile(x, [2, 3]), [spec((4, "n"))], [((8, "m"), f32)]),
    (lambda x, g: nn.layer_norm(x, g, axes=[1]), [spec(("n", 3)), spec((3,))], [(("n", 3), f32)]),
    (lambda x, g: nn.rms_norm(x, g, axes=[1]), [spec(("n", 3), f16), spec((3,))], [(("n", 3), f16)]),
    (lambda x: nn.batch_norm_training(x, epsilon=1e-3), [spec((5, "n", 3), f16)],
     [((5, "n", 3), f16), ((3,), f32), ((3,), f32)]),
    (lambda x, m, v: nn.batch_norm_inference(x, m, v), [spec(("n", "c")), spec((3,)), spec((3,))], [(("n", 3), f32)]),
    (lambda p, t: nn.huber(p, t, reduction="none"), [spec(("n", 4, 3)), spec((2, 4, 3))], [((2, 4), f32)]),
    (nn.mean_squared_error, [spec(("n", 4, 3)), spec((2, 4, 3))], [((), f32)]),
    (lambda x, y: nn.sparse_softmax_cross_entropy(x, y, reduction="none"), [spec(("n", 3)), spec(("n",), i32)],
     [(("n",), f32)]),
    (nn.l2_loss, [spec(("n", 3))], [((), f32)]),
    (lambda a, b: nn.triangular_solve(a, b, kind="lower"), [spec((3, 3)), spec((3, "n"))], [((3, "n"), f32)]),
    (nn.lstsq, [spec(("m", 3)), spec(("m", 2))], [((3, 2), f32)]),
    (nn.try_cholesky, [spec((3, 3))], [((3, 3), f32), ((), "bool")]),
]  # fmt: skip


def test_types() -> None:
    for place, (function, arguments, expected) in enumerate(CASES):
        found: List[Any] = []

        def traced(*tensors: Any, function: Any = function, found: List[Any] = found) -> Any:
            results = function(*tensors)
            found.extend(results if isinstance(results, tuple) else (results,))
            return tensors[0]

        fw.function(traced, signature=arguments).trace()
        assert len(found) == len(expected), place
        for result, (shape, dtype) in zip(found, expected):
            sizes = tuple(size if isinstance(size, int) else None for size in shape)
            assert (result._dims, str(result.dtype)) == (sizes, dtype), (place, result)


x, square = np.ones((4, 3), np.float32), np.eye(3, dtype=np.float32)
image, kernel = np.ones((1, 5, 5, 2), np.float32), np.ones((3, 3, 2, 2), np.float32)
REFUSED: List[Tuple[Callable[[], Any], str]] = [
    (lambda: nn.matmul(x, x), "'nn.matmul' of a (4, 3), b (4, 3): expected equal sizes of dimension 1 of a and "
     "dimension 0 of b, found 3 and 4"),
    (lambda: nn.matmul(x, x[0]), "'nn.matmul' of a (4, 3), b (3,): expected b of rank 2, found"),
    (lambda: nn.matmul(x[0], x), "expected a of rank at least 2, found"),
    (lambda: nn.dense(x, square, np.ones(2, np.float32)), "b (2,): expected equal sizes of dimension 1 of w and "
     "dimension 0 of b, found 3 and 2"),
    (lambda: nn.add(x, np.ones((4, 2), np.float32)), "'nn.add' of lhs (4, 3), rhs (4, 2): expected shapes that "
     "broadcast"),
    (lambda: nn.tile(x, [2]), "expected one multiple for each of the 2 dimensions of x, found 1"),
    (lambda: nn.scatter(x, np.array([1]), x, 0), "expected equal sizes of dimension 0 of indices and dimension 0 of "
     "updates, found 1 and 4"),
    (lambda: nn.conv2d_transpose(image, kernel, padding=[(5, 5), (0, 0)]), "expected padding smaller than the height"),
    (lambda: nn.max_pool2d(image, [6, 6]), "expected an image whose height is at least 6, that of one window, found 5"),
    (lambda: nn.huber(x, x[:2]), "expected equal sizes of dimension 0 of prediction and dimension 0 of target, found 4 "
     "and 2"),
    (lambda: nn.batch_norm_training(x, np.ones(2, np.float32), epsilon=1e-3), "of x and dimension 0 of gamma"),
]  # fmt: skip


def test_refused() -> None:
    for function, words in REFUSED:
        try:
            fw.function(lambda function=function: (function(), x)[1])()
        except fw.CompileError as error:
            # The line of the program comes first.
            assert words in str(error) and str(error).startswith(__file__), (words, str(error))
        else:
            raise AssertionError(words)


def test_calls() -> None:
    """Sizes of results that the call chooses are those of operands."""

    def add_back(a: Any, w: Any) -> Any:
        y = nn.cumsum(nn.dense(a, w), 1)
        return nn.add(nn.gather(y, np.array([2, 0, 1], np.int32), 1), a)

    function = fw.function(add_back, signature=[spec(("n", 3)), spec((3, 3))])
    w = np.arange(9, dtype=np.float32).reshape(3, 3)
    for batch in (x, x[:1], x[:0]):
        np.testing.assert_allclose(function(batch, w), np.cumsum(batch @ w, 1)[:, [2, 0, 1]] + batch, 1e-6)


run_tests([test_types, test_refused, test_calls])
