# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear algebra: systems of equations, factors, determinants, bands."""

from typing import Any, Callable, Optional

import numpy as np

from .. import _dtypes, _ops
from .. import nn as traced
from .._tensor import as_tensor as constant_of
from .conversion import as_tensor, make

# Columns are eliminated one after the other, each by ops of its own.
_MOST_COLUMNS = 32


def _square(what: str, x: Any) -> int:
    count: Optional[int] = x.shape[-1]
    if x.ndim < 2 or count is None or count != x.shape[-2]:
        raise ValueError(f"{what} takes square matrices of known size, found shape {x.shape}")
    return count


def _pivoted(a: Any, k: int, n: int, rest: Any) -> Any:
    """Matrices with the row of the largest element of column k, of those from k on, as row k, `rest` likewise, and
    whether rows changed places."""
    rows = constant_of(np.arange(n, dtype=np.int64))
    column = _ops.where(_ops.less(rows, k), _ops.full_like(a[..., k], -1.0), _ops.abs(a[..., k]))
    pivot = _ops.expand_dims(_ops.cast(_ops.argmax(column, -1), _dtypes.int64), -1)
    order = _ops.where(_ops.equal(rows, k), pivot, _ops.where(_ops.equal(rows, pivot), k, rows))

    def permuted(x: Any) -> Any:
        shape = [*[_ops.dim(x, i) for i in range(x.ndim - 1)], x.shape[-1]]
        return _ops.take_along_axis(x, _ops.broadcast_to(_ops.expand_dims(order, -1), shape), x.ndim - 2)

    return permuted(a), None if rest is None else permuted(rest), _ops.not_equal(pivot[..., 0], k)


def _solved(a: Any, b: Any, what: str) -> Any:
    """a^-1 b by elimination with pivots (Gauss and Jordan)."""
    n = _square(what, a)
    if n > _MOST_COLUMNS:
        wide = _dtypes.float64
        return _ops.cast(traced.lstsq(_ops.cast(a, wide), _ops.cast(b, wide)), a.dtype)
    rows = np.arange(n)
    for k in range(n):
        a, b, _ = _pivoted(a, k, n, b)
        by = a[..., k : k + 1, k : k + 1]
        top_a, top_b = _ops.divide(a[..., k : k + 1, :], by), _ops.divide(b[..., k : k + 1, :], by)
        is_k = constant_of((rows == k).astype(a.dtype).reshape(n, 1))
        factors = _ops.multiply(a[..., :, k : k + 1], _ops.subtract(1, is_k))
        a = _ops.add(_ops.multiply(_ops.subtract(a, _ops.multiply(factors, top_a)), _ops.subtract(1, is_k)),
                     _ops.multiply(is_k, top_a))  # fmt: skip
        b = _ops.add(_ops.multiply(_ops.subtract(b, _ops.multiply(factors, top_b)), _ops.subtract(1, is_k)),
                     _ops.multiply(is_k, top_b))  # fmt: skip
    return b


def matrix_solve(matrix: Any, rhs: Any, adjoint: bool = False, name: Optional[str] = None) -> Any:
    """The x with matrix x = rhs, of [..., n, n] and [..., n, k]."""
    return make("MatrixSolve", lambda a, b: _solved(_ops.swapaxes(a, -1, -2) if adjoint else a, b, "matrix_solve"),
                as_tensor(matrix), as_tensor(rhs), name=name)  # fmt: skip


def matrix_inverse(input: Any, adjoint: bool = False, name: Optional[str] = None) -> Any:
    """The inverses of square matrices."""

    def emit(a: Any) -> Any:
        n = _square("matrix_inverse", a)
        one = constant_of(np.eye(n), a.dtype)
        found = _solved(a, _ops.broadcast_to(one, [_ops.dim(a, i) for i in range(a.ndim)]), "matrix_inverse")
        return _ops.swapaxes(found, -1, -2) if adjoint else found

    return make("MatrixInverse", emit, as_tensor(input), name=name)


def matrix_determinant(input: Any, name: Optional[str] = None) -> Any:
    """The determinants of square matrices, by elimination."""

    def emit(a: Any) -> Any:
        n = _square("matrix_determinant", a)
        if n > _MOST_COLUMNS:
            raise NotImplementedError(f"flywheel.v1.matrix_determinant of more than {_MOST_COLUMNS} columns")
        result = None
        for k in range(n):
            a, _, has_changed = _pivoted(a, k, n, None)
            pivot = a[..., k, k]
            sign = _ops.where(has_changed, _ops.full_like(pivot, -1.0), _ops.ones_like(pivot))
            factor = _ops.multiply(pivot, sign)
            result = factor if result is None else _ops.multiply(result, factor)
            if k + 1 < n:
                below = constant_of((np.arange(n) > k).astype(a.dtype).reshape(n, 1))
                rate = _ops.multiply(_ops.divide(a[..., :, k : k + 1], a[..., k : k + 1, k : k + 1]), below)
                a = _ops.subtract(a, _ops.multiply(rate, a[..., k : k + 1, :]))
        return result

    return make("MatrixDeterminant", emit, as_tensor(input), name=name)


def cholesky(input: Any, name: Optional[str] = None) -> Any:
    """The lower triangles L with L L^T = input."""
    return make("Cholesky", traced.cholesky, as_tensor(input), name=name)


def matrix_triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: Optional[str] = None
) -> Any:
    """The x with matrix x = rhs, where matrix is a triangle."""
    return make("MatrixTriangularSolve",
                lambda a, b: traced.triangular_solve(a, b, "lower" if lower else "upper", transpose=adjoint),
                as_tensor(matrix), as_tensor(rhs), name=name)  # fmt: skip


def cholesky_solve(chol: Any, rhs: Any, name: Optional[str] = None) -> Any:
    """The x with (chol chol^T) x = rhs."""

    def emit(a: Any, b: Any) -> Any:
        return traced.triangular_solve(a, traced.triangular_solve(a, b, "lower"), "lower", transpose=True)

    return make("CholeskySolve", emit, as_tensor(chol), as_tensor(rhs), name=name)


def matrix_solve_ls(
    matrix: Any, rhs: Any, l2_regularizer: float = 0.0, fast: bool = True, name: Optional[str] = None
) -> Any:
    """The x that minimizes |matrix x - rhs|^2 + l2 |x|^2."""
    return make("MatrixSolveLs", lambda a, b: traced.lstsq(a, b, l2=float(l2_regularizer)), as_tensor(matrix),
                as_tensor(rhs), name=name)  # fmt: skip


def matrix_band_part(input: Any, num_lower: int, num_upper: int, name: Optional[str] = None) -> Any:
    """The diagonals from `num_lower` below to `num_upper` above the main one, -1 being all of them, and else zeros."""

    def emit(x: Any) -> Any:
        i = _ops.reshape(_ops.arange(_ops.dim(x, x.ndim - 2)), [-1, 1])
        below = _ops.subtract(i, _ops.arange(_ops.dim(x, x.ndim - 1)))
        keeps = _ops.full_like(below, True, _dtypes.bool_)
        if num_lower >= 0:
            keeps = _ops.logical_and(keeps, _ops.less_equal(below, num_lower))
        if num_upper >= 0:
            keeps = _ops.logical_and(keeps, _ops.less_equal(_ops.negative(below), num_upper))
        return _ops.where(keeps, x, _ops.zeros_like(x))

    return make("MatrixBandPart", emit, as_tensor(input), name=name)


def matrix_set_diag(input: Any, diagonal: Any, name: Optional[str] = None) -> Any:
    """Matrices with these diagonals instead of theirs."""

    def emit(x: Any, d: Any) -> Any:
        rows, columns = x.shape[-2:]
        if rows is None or columns is None:
            raise ValueError("matrix_set_diag takes matrices of known size")
        wide = _ops.expand_dims(d, -1)
        if rows > columns:
            wide = _ops.pad(wide, [*[(0, 0)] * (d.ndim - 1), (0, rows - columns), (0, 0)])
        return _ops.where(constant_of(np.eye(rows, columns, dtype=bool)), wide, x)

    return make("MatrixSetDiag", emit, as_tensor(input), as_tensor(diagonal), name=name)


def _refused(name: str) -> Callable[..., Any]:
    def op(*_: Any, **__: Any) -> Any:
        raise NotImplementedError(f"flywheel.v1.{name}: there is no such op; compute it by NumPy in tf.py_func, which "
                                  "has no gradient")  # fmt: skip

    return op


svd, qr, self_adjoint_eig, self_adjoint_eigvals = (
    _refused(name) for name in ("svd", "qr", "self_adjoint_eig", "self_adjoint_eigvals"))

__all__ = [
    "cholesky", "cholesky_solve", "matrix_band_part", "matrix_determinant", "matrix_inverse", "matrix_set_diag",
    "matrix_solve", "matrix_solve_ls", "matrix_triangular_solve", "qr", "self_adjoint_eig", "self_adjoint_eigvals",
    "svd",
]  # fmt: skip
