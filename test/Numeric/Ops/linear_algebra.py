# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Triangles and linear systems against numpy, in each configuration (X7, X11, L3, L14)."""

from typing import Any, Callable, Sequence, cast

import numpy as np
from numpy.typing import NDArray

from cases import DTYPES, Cases, tensor
from configurations import ALL, configurations, expect_close, expect_equal, expect_error, run_tests
from selection import choose

Array = NDArray[Any]


def test_triangle() -> None:
    """X7: each triangle of odd and dynamic shapes, off the diagonal and beyond the matrix."""
    rng = np.random.default_rng(1)
    cases = Cases("triangle")
    dtypes = {**DTYPES, "i32": np.int32, "i1": np.bool_}
    for element, dtype in dtypes.items():
        for dim_sizes, shape in (((3, 3), (3, 3)), (("?", 17), (5, 17)), (("?", 3, "?"), (2, 3, 1)),
                               ((2, "?", 3, 9), (2, 4, 3, 9)), (("?", 0), (3, 0))):
            kind = tensor(dim_sizes, element)
            for name, keep in (("lower", np.tril), ("upper", np.triu)):
                for k in (-2, 0, 1, 40, 2**63 - 1, -2**63):
                    fill = 1 if dtype is np.bool_ else -7
                    what = f"triangle {name} {element}"
                    plain = cases.add(what, (kind,), kind, f"%y = nn.triangle {name} %a0 diagonal {k} : {kind}",
                                      (element, dim_sizes, name, k, False))
                    filled = cases.add(what, (kind,), kind,
                                       f"%y = nn.triangle {name} %a0 diagonal {k} fill {fill}.0 : {kind}",
                                       (element, dim_sizes, name, k, True))
                    x: Array = np.asarray(rng.integers(-9, 9, shape)).astype(dtype)
                    near = max(-99, min(99, k))
                    ones = keep(np.ones(shape, np.bool_), near)
                    plain([x], keep(x, near))
                    filled([x], np.where(ones, x, np.array(fill, dtype)))
    cases.check()


def positive(rng: np.random.Generator, shape: Sequence[int], dtype: Any) -> Array:
    """Symmetric positive definite matrices."""
    root = rng.standard_normal(shape)
    return np.asarray(root @ np.swapaxes(root, -1, -2) + shape[-1] * np.eye(shape[-1])).astype(dtype)


def test_cholesky() -> None:
    """L14: factors of odd sizes and batches; what is above the diagonal is not read."""
    rng = np.random.default_rng(2)
    cases = Cases()
    for element, dtype in DTYPES.items():
        for dim_sizes, shape in (((1, 1), (1, 1)), ((5, 5), (5, 5)), (("?", "?"), (33, 33)), (("?", 3), (3, 3)),
                               ((3, "?"), (3, 3)), (("?", 70), (70, 70)), ((2, 33, "?"), (2, 33, 33)),
                               (("?", 3, 3), (4, 3, 3)),
                               (("?", 3, 3), (0, 3, 3)), ((2, "?", 17, 17), (2, 1, 17, 17)), ((0, 0), (0, 0)),
                               ((120, 120), (120, 120))):
            kind = tensor(dim_sizes, element)
            expect = cases.add(f"cholesky {element}", (kind,), kind, f"%y = nn.cholesky %a0 : {kind}")
            a = positive(rng, shape, dtype)
            factors = np.linalg.cholesky(a.astype(np.float64))
            expect([a], factors, 10)
            # Above the diagonal anything may be.
            expect([np.tril(a) + np.triu(np.full(shape, np.nan, dtype), 1)], factors, 10)
    cases.check()


def test_not_positive_definite() -> None:
    """L3: an error with the op's place, which changes nothing; NaN is none either."""
    text = """
train.variable @v : tensor<2x3x3xf32> = #train.zeros
func.func @f(%a: tensor<2x3x3xf32>) {
  %l = nn.cholesky %a : tensor<2x3x3xf32>
  train.assign @v, %l : tensor<2x3x3xf32>
  return
}
"""
    good = np.array([np.eye(3), 4 * np.eye(3)], np.float32)
    for configuration, model in configurations(text):
        model.initialize()
        model.run("f", good)
        expect_close(configuration, model["v"], np.sqrt(good))
        for where, number in (((0, 0, 0), -1.0), ((1, 2, 2), 0.0), ((1, 1, 0), 5.0), ((0, 2, 1), np.nan)):
            bad = good.copy()
            bad[where] = number
            expect_error(configuration, r"Cholesky decomposition was not successful in 'nn.cholesky' at .*:4:8",
                         lambda: model.run("f", bad))
            expect_equal(f"{configuration} after an error", model["v"], np.sqrt(good))


def spoil(rng: np.random.Generator, matrix: Array, kind: str) -> None:
    """Makes a matrix one that has no factor."""
    n = len(matrix)
    k = int(rng.integers(n))
    if kind == "negative":
        matrix[k, k] = -1.0
    elif kind == "zero":
        matrix[k, :] = matrix[:, k] = 0.0
    elif kind == "large":
        # The square of what is left of the diagonal is more than both ends of it.
        matrix[n - 1, 0] = 2 * np.sqrt(matrix[0, 0] * matrix[n - 1, n - 1])
    else:
        matrix[k, int(rng.integers(k + 1))] = np.nan


def test_try_cholesky() -> None:
    """L3: the flag says what LAPACK says, for sizes around the blocks of the kernel, for each matrix of a batch, again
    after one that failed; and factors are those of nn.cholesky."""
    rng = np.random.default_rng(8)
    shapes = (((0, 0), (0, 0)), ((1, 1), (1, 1)), (("?", "?"), (7, 7)), ((32, 32), (32, 32)),
              ((33, 33), (33, 33)), (("?", "?"), (65, 65)), ((130, 130), (130, 130)),
              (("?", "?"), (300, 300)), (("?", 65), (65, 65)), ((5, "?"), (5, 5)), (("?", 5, 5), (0, 5, 5)),
              (("?", 34, 34), (3, 34, 34)))
    for element, dtype in DTYPES.items():
        for dim_sizes, shape in choose(f"try_cholesky {element}", shapes, 0.4, group=lambda case: len(case[0])):
            kind = tensor(dim_sizes, element)
            text = f"""
func.func @f(%a: {kind}) -> ({kind}, tensor<i1>) {{
  %l, %success = nn.try_cholesky %a : {kind}
  return %l, %success : {kind}, tensor<i1>
}}
"""
            a = positive(rng, shape, dtype)
            names = ("reference", "optimized") if max(shape) > 100 else ALL
            for configuration, model in configurations(text, names):
                what = f"{configuration} {kind}"
                factors, success = model.run("f", a)
                tolerance = 1e-3 if dtype is np.float32 else 1e-9
                expect_close(what, factors, np.linalg.cholesky(a.astype(np.float64)), tolerance)
                expect_equal(what, success, np.array(True))
                if 0 in shape:
                    continue
                for reason in ("negative", "zero", "nan") + (("large",) if shape[-1] > 1 else ()):
                    bad = a.copy()
                    spoil(rng, bad if bad.ndim == 2 else bad[int(rng.integers(len(bad)))], reason)
                    expect_equal(f"{what} {reason}", model.run("f", bad)[1], np.array(False))
                    expect_equal(f"{what} after {reason}", model.run("f", a)[1], np.array(True))


def test_triangle_of_product() -> None:
    """L14: of a product of which a triangle is kept, tiles outside of it are not computed: shapes around those of
    tiles, off the diagonal, both factors the same, beside another use of the product, and with a batch."""
    rng = np.random.default_rng(9)
    cases = Cases("triangle of a product")
    for element, dtype in DTYPES.items():
        for (m, k, n), shapes in (((33, 20, 33), (33, 20, 33)), ((70, 9, 41), (70, 9, 41)),
                                  (("?", 5, "?"), (67, 5, 50)), ((13, "?", 90), (13, 3, 90)),
                                  (("?", 8, 64), (1, 8, 64))):
            a, b, c = (tensor(shape, element) for shape in ((m, k), (k, n), (m, n)))
            x, y = (rng.standard_normal(shape).astype(dtype) for shape in (shapes[:2], shapes[1:]))
            product = x.astype(np.float64) @ y
            for name, keep in (("lower", np.tril), ("upper", np.triu)):
                for diagonal in (0, int(rng.choice((-200, -11, 17, 200)))):
                    what = f"{name} of product {element} {m} {k} {n} {diagonal}"
                    key = (element, (m, k, n), name)
                    text = f"%p = nn.matmul %a0, %a1 : ({a}, {b}) -> {c}\n"
                    kept = f"nn.triangle {name} %p diagonal {diagonal} : {c}\n"
                    ones = keep(np.ones(product.shape, np.bool_), diagonal)
                    cases.add(what, (a, b), c, text + f"%y = {kept}", (*key, "inside" if diagonal else "on"))(
                        [x, y], np.where(ones, product, 0), 10)
                    if diagonal:
                        continue
                    both = text + f"%t = {kept} %y = arith.addf %t, %p : {c}"
                    cases.add(f"{what} and all", (a, b), c, both, (*key, "all"))(
                        [x, y], np.where(ones, 2 * product, product), 10)
                    # The triangle of a sum, with another number elsewhere.
                    cases.add(f"{what} of a sum", (a, b), c, text + f"""
                        %s = arith.addf %p, %p : {c}
                        %y = nn.triangle {name} %s diagonal {diagonal} fill -3.0 : {c}""", (*key, "sum"))(
                        [x, y], np.where(ones, 2 * product, -3), 10)
        batches, square = tensor(("?", 24, 6), element), tensor(("?", 24, 24), element)
        x = rng.standard_normal((3, 24, 6)).astype(dtype)
        cases.add(f"gram {element}", (batches,), square, f"""
            %p = nn.matmul %a0, %a0 {{transpose_b}} : ({batches}, {batches}) -> {square}
            %y = nn.triangle lower %p : {square}""")([x], np.tril(x.astype(np.float64) @ x.swapaxes(1, 2)), 10)
    cases.check()


def test_triangular_solve() -> None:
    """L14: each triangle, transposed or not, with and without its diagonal, batches of systems."""
    rng = np.random.default_rng(3)
    cases = Cases("triangular_solve")
    for element, dtype in DTYPES.items():
        for batch, n, k in ((), 5, "?"), ((), "?", 1), ((), 33, 40), (("?",), 4, 3), ((2, "?"), 9, "?"), ((), 1, 1):
            a, b = tensor((*batch, n, n), element), tensor((*batch, n, k), element)
            dim_sizes = tuple(3 if dim_size == "?" else int(dim_size) for dim_size in cast(Sequence[Any], batch))
            rows, columns = (7 if n == "?" else int(n)), (6 if k == "?" else int(k))
            for kind in ("lower", "upper"):
                for flags in ("", " transpose", " unit_diagonal", " transpose unit_diagonal"):
                    expect = cases.add(f"triangular_solve {kind} {element}{flags}", (a, b), b,
                                       f"%y = nn.triangular_solve {kind} %a0, %a1{flags} : ({a}, {b}) -> {b}",
                                       (element, (batch, n, k), kind, flags))
                    # Well conditioned with either diagonal.
                    matrix = rng.uniform(-1, 1, (*dim_sizes, rows, rows)) / rows
                    matrix = (matrix + 2 * np.eye(rows)).astype(dtype)
                    rhs = rng.standard_normal((*dim_sizes, rows, columns)).astype(dtype)
                    triangle = (np.tril if kind == "lower" else np.triu)(matrix.astype(np.float64))
                    if "unit" in flags:
                        triangle += np.eye(rows) * (1 - triangle)
                    if "transpose" in flags:
                        triangle = np.swapaxes(triangle, -1, -2)
                    expect([matrix, rhs], np.linalg.solve(triangle, rhs.astype(np.float64)), 10)
    cases.check()


def test_lstsq() -> None:
    """L14: lines through points, minimum norm, regularized; random systems."""
    rng = np.random.default_rng(4)
    cases = Cases()

    def add(element: str, m: Any, n: int, k: int, l2: float) -> Callable[..., None]:
        a, b, x = (tensor(shape, element) for shape in ((m, n), (m, k), (n, k)))
        regularized = f" l2 {l2}" if l2 else ""
        return cases.add(f"lstsq {element} {l2}", (a, b), x, f"%y = nn.lstsq %a0, %a1{regularized} : ({a}, {b}) -> {x}")

    line = np.stack([np.ones(4), np.arange(4.0)], 1)
    values = np.array([[1.0], [3.0], [4.0], [8.0]])
    for m in ("?", 4):
        add("f64", m, 2, 1, 0.0)([line, values], np.array([[0.7], [2.2]]))
        add("f64", m, 2, 1, 1.0)([line, values], np.array([[0.76923077], [2.02564103]]), 10)
    row, number = np.array([[1.0, 2.0]]), np.array([[3.0]])
    add("f64", 1, 2, 1, 0.0)([row, number], np.array([[0.6], [1.2]]))
    add("f64", 1, 2, 1, 0.5)([row, number], np.array([[0.5454545455], [1.0909090909]]))
    for element, dtype in DTYPES.items():
        for m, n, k, l2 in ((9, 4, 3, 0.0), ("?", 4, 3, 0.25), (3, 8, 2, 0.0), (3, 8, 2, 2.0), (5, 5, 1, 0.5)):
            a = rng.standard_normal((7 if m == "?" else int(m), n)).astype(dtype)
            b = rng.standard_normal((a.shape[0], k)).astype(dtype)
            exact = np.linalg.pinv(a.astype(np.float64)) @ b
            if l2:
                exact = np.linalg.solve(a.T.astype(np.float64) @ a + l2 * np.eye(n), a.T.astype(np.float64) @ b)
            add(element, m, n, k, l2)([a, b], exact, 100)
            types = (tensor((m, n), element), tensor((m, k), element), tensor((), element))
            x = tensor((n, k), element)
            cases.add(f"lstsq {element} operand", types, x,
                      f"%y = nn.lstsq %a0, %a1 l2 %a2 : ({', '.join(types)}) -> {x}")(
                [a, b, np.array(l2, dtype)], exact, 100)
    cases.check()


def test_adaptive_damping() -> None:
    """L14: Levenberg-Marquardt with a damping that the step itself adapts."""
    text = """
train.variable @x : tensor<2x1xf64> = dense<[[-1.2], [1.0]]> : tensor<2x1xf64>
train.variable @damping : tensor<f64> = dense<1.0> : tensor<f64>
func.func private @residuals(%x: tensor<2x1xf64>) -> tensor<2x1xf64> {
  %ten = arith.constant dense<10.0> : tensor<1x1xf64>
  %one = arith.constant dense<1.0> : tensor<1x1xf64>
  %a = tensor.extract_slice %x[0, 0] [1, 1] [1, 1] : tensor<2x1xf64> to tensor<1x1xf64>
  %b = tensor.extract_slice %x[1, 0] [1, 1] [1, 1] : tensor<2x1xf64> to tensor<1x1xf64>
  %aa = arith.mulf %a, %a : tensor<1x1xf64>
  %d = arith.subf %b, %aa : tensor<1x1xf64>
  %r0 = arith.mulf %ten, %d : tensor<1x1xf64>
  %r1 = arith.subf %one, %a : tensor<1x1xf64>
  %r = tensor.concat dim(0) %r0, %r1 : (tensor<1x1xf64>, tensor<1x1xf64>) -> tensor<2x1xf64>
  return %r : tensor<2x1xf64>
}
func.func @step() -> tensor<f64> {
  %x = train.read @x : tensor<2x1xf64>
  %damping = train.read @damping : tensor<f64>
  %r = func.call @residuals(%x) : (tensor<2x1xf64>) -> tensor<2x1xf64>
  %j4 = train.jacobian %r wrt %x : (tensor<2x1xf64>, tensor<2x1xf64>) -> tensor<2x1x2x1xf64>
  %j = tensor.collapse_shape %j4 [[0, 1], [2, 3]] : tensor<2x1x2x1xf64> into tensor<2x2xf64>
  %d = nn.lstsq %j, %r l2 %damping : (tensor<2x2xf64>, tensor<2x1xf64>, tensor<f64>) -> tensor<2x1xf64>
  %next = arith.subf %x, %d : tensor<2x1xf64>
  %after = func.call @residuals(%next) : (tensor<2x1xf64>) -> tensor<2x1xf64>
  %old = nn.l2_loss %r : tensor<2x1xf64> -> tensor<f64>
  %new = nn.l2_loss %after : tensor<2x1xf64> -> tensor<f64>
  %better = arith.cmpf olt, %new, %old : tensor<f64>
  %less = arith.constant dense<0.1> : tensor<f64>
  %more = arith.constant dense<4.0> : tensor<f64>
  %factor = arith.select %better, %less, %more : tensor<i1>, tensor<f64>
  %scaled = arith.mulf %damping, %factor : tensor<f64>
  train.assign @damping, %scaled : tensor<f64>
  %taken = tensor.extract %better[] : tensor<i1>
  %kept = scf.if %taken -> tensor<2x1xf64> {
    scf.yield %next : tensor<2x1xf64>
  } else {
    scf.yield %x : tensor<2x1xf64>
  }
  train.assign @x, %kept : tensor<2x1xf64>
  return %old : tensor<f64>
}
"""

    def residuals(x: Any) -> Any:
        return np.array([10 * (x[1] - x[0] ** 2), 1 - x[0]])

    for configuration, model in configurations(text):
        model.initialize()
        x, damping = np.array([-1.2, 1.0]), 1.0
        for _ in range(25):
            r = residuals(x)
            jacobian = np.array([[-20 * x[0], 10.0], [-1.0, 0.0]])
            change = np.linalg.solve(jacobian.T @ jacobian + damping * np.eye(2), jacobian.T @ r)
            better = (residuals(x - change) ** 2).sum() < (r**2).sum()
            expect_close(configuration, model.run("step"), (r**2).sum() / 2, 1e-7)
            x, damping = (x - change, damping * 0.1) if better else (x, damping * 4)
            expect_close(configuration, model["damping"], damping, 1e-9)
        expect_close(configuration, model["x"], np.ones((2, 1)), 1e-6)


run_tests([test_triangle, test_cholesky, test_not_positive_definite, test_try_cholesky, test_triangle_of_product,
           test_triangular_solve, test_lstsq, test_adaptive_damping])
