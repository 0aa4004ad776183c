# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear algebra: systems of equations, factors, determinants, bands."""

from typing import Any, Callable, Optional

from .. import _dtypes, _ops, linalg
from .. import nn as traced
from .._ops import _checks, _core
from .._tensor import format_shape
from .conversion import as_tensor, make
from .sizes import as_known, is_open, known_numbers


def matrix_solve(matrix: Any, rhs: Any, adjoint: bool = False, name: Optional[str] = None) -> Any:
    """The x with matrix x = rhs, of [..., n, n] and [..., n, k]."""
    return make("MatrixSolve", lambda a, b: linalg.solve(_ops.swapaxes(a, -1, -2) if adjoint else a, b),
                as_tensor(matrix), as_tensor(rhs), name=name)  # fmt: skip


def matrix_inverse(input: Any, adjoint: bool = False, name: Optional[str] = None) -> Any:
    """The inverses of square matrices."""
    return make("MatrixInverse", lambda a: linalg.inv(_ops.swapaxes(a, -1, -2) if adjoint else a), as_tensor(input),
                name=name)  # fmt: skip


def matrix_determinant(input: Any, name: Optional[str] = None) -> Any:
    """The determinants of square matrices."""
    return make("MatrixDeterminant", linalg.det, as_tensor(input), name=name)


def cholesky(input: Any, name: Optional[str] = None) -> Any:
    """The lower triangles L with L L^T = input."""
    return make("Cholesky", linalg.cholesky, as_tensor(input), name=name)


def matrix_triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: Optional[str] = None
) -> Any:
    """The x with matrix x = rhs, where matrix is a triangle."""
    return make("MatrixTriangularSolve",
                lambda a, b: linalg.solve_triangular(a, b, lower=lower, trans=adjoint),
                as_tensor(matrix), as_tensor(rhs), name=name)  # fmt: skip


def cholesky_solve(chol: Any, rhs: Any, name: Optional[str] = None) -> Any:
    """The x with (chol chol^T) x = rhs."""

    def emit(a: Any, b: Any) -> Any:
        return linalg.solve_triangular(a, linalg.solve_triangular(a, b, lower=True), lower=True, trans=True)

    return make("CholeskySolve", emit, as_tensor(chol), as_tensor(rhs), name=name)


def matrix_solve_ls(
    matrix: Any, rhs: Any, l2_regularizer: float = 0.0, fast: bool = True, name: Optional[str] = None
) -> Any:
    """The x that minimizes |matrix x - rhs|^2 + l2 |x|^2."""
    return make("MatrixSolveLs", lambda a, b: traced.lstsq(a, b, l2=float(l2_regularizer)), as_tensor(matrix),
                as_tensor(rhs), name=name)  # fmt: skip


def matrix_band_part(input: Any, num_lower: Any, num_upper: Any, name: Optional[str] = None) -> Any:
    """The diagonals from `num_lower` below to `num_upper` above the main one, -1 being all of them, and else zeros."""

    def emit(x: Any, lower: Any, upper: Any) -> Any:
        num_lower, num_upper = (int(known_numbers(one)) for one in (lower, upper))
        i = _ops.reshape(_ops.arange(_ops.dim(x, x.ndim - 2)), [-1, 1])
        below = _ops.subtract(i, _ops.arange(_ops.dim(x, x.ndim - 1)))
        keeps = _ops.full_like(below, True, _dtypes.bool_)
        if num_lower >= 0:
            keeps = _ops.logical_and(keeps, _ops.less_equal(below, num_lower))
        if num_upper >= 0:
            keeps = _ops.logical_and(keeps, _ops.less_equal(_ops.negative(below), num_upper))
        return _ops.where(keeps, x, _ops.zeros_like(x))

    x, are_open = as_tensor(input), is_open([num_lower, num_upper])
    return make("MatrixBandPart", emit, x, as_known(num_lower), as_known(num_upper), name=name,
                types=[(x.dtype, x.static_shape)] if are_open else None)  # fmt: skip


def matrix_set_diag(input: Any, diagonal: Any, name: Optional[str] = None) -> Any:
    """Matrices with these diagonals instead of theirs."""

    def emit(x: Any, d: Any) -> Any:
        _checks.expect_rank("matrix_set_diag", x, 2)
        rows, columns = x._dims[-2:]
        if rows is None or columns is None:
            raise ValueError("matrix_set_diag takes matrices of known size")
        what = (f"matrix_set_diag: diagonals of shape {format_shape(d._dims)} for matrices of shape "
                f"{format_shape(x._dims)}")  # fmt: skip
        if d.ndim != x.ndim - 1:
            raise ValueError(f"{what}: expected a vector for each matrix")
        for axis, expected in enumerate([*_core.sizes(x)[:-2], min(rows, columns)]):
            _checks.expect_equal(_core.size(d, axis), expected, f"{what}: dimension {axis}")
        wide = _ops.expand_dims(d, -1)
        if rows > columns:
            wide = _ops.pad(wide, [*[(0, 0)] * (d.ndim - 1), (0, rows - columns), (0, 0)])
        return _ops.where(_ops.eye(rows, columns, bool), wide, x)

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
