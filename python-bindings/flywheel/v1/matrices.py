# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear algebra: systems of equations, factors, determinants, bands."""

from typing import Any, NamedTuple, Optional

from .. import _ops, linalg
from .. import nn as traced
from .._core import dtypes as _dtypes
from .._core.tensor import format_shape
from .._errors.messages import about
from .._ops import checks as _checks
from .._ops import emission as _emission
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
    """The x that minimizes |matrix x - rhs|^2 + l2 |x|^2; without `fast`, |matrix x - rhs|^2, as in TensorFlow."""
    l2 = float(l2_regularizer) if fast else 0.0
    return make("MatrixSolveLs", lambda a, b: traced.lstsq(a, b, l2=l2), as_tensor(matrix),
                as_tensor(rhs), name=name)  # fmt: skip


def matrix_band_part(input: Any, num_lower: Any, num_upper: Any, name: Optional[str] = None) -> Any:
    """The diagonals from `num_lower` below to `num_upper` above the main one, -1 being all of them, and else zeros."""

    def emit(x: Any, *bounds: Any) -> Any:
        i = _ops.reshape(_ops.arange(_ops.dim(x, x.ndim - 2)), [-1, 1])
        below = _ops.subtract(i, _ops.arange(_ops.dim(x, x.ndim - 1)))
        keeps = _ops.full_like(below, True, _dtypes.bool_)
        for bound, distance in zip(bounds, (below, _ops.negative(below))):
            if not isinstance(bound, int):
                bound = _ops.cast(bound, below.dtype)
                keeps = _ops.logical_and(keeps, _ops.logical_or(_ops.less(bound, 0), _ops.less_equal(distance, bound)))
            elif bound >= 0:
                keeps = _ops.logical_and(keeps, _ops.less_equal(distance, bound))
        return _ops.where(keeps, x, _ops.zeros_like(x))

    bounds = [as_tensor(one) if is_open(one) else known_numbers(as_known(one)) for one in (num_lower, num_upper)]
    return make("MatrixBandPart", emit, as_tensor(input), *bounds, name=name)


def matrix_set_diag(input: Any, diagonal: Any, name: Optional[str] = None) -> Any:
    """Matrices with these diagonals instead of theirs."""

    def emit(x: Any, d: Any) -> Any:
        _checks.expect_rank("matrix_set_diag", x, 2)
        rows, columns = x._dims[-2:]
        if rows is None or columns is None:
            raise about("matrix_set_diag", ValueError("takes matrices of known size"), " ")
        what = (f"matrix_set_diag: diagonals of shape {format_shape(d._dims)} for matrices of shape "
                f"{format_shape(x._dims)}")  # fmt: skip
        if d.ndim != x.ndim - 1:
            raise about(what, ValueError("expected a vector for each matrix"))
        for axis, expected in enumerate([*_emission.sizes(x)[:-2], min(rows, columns)]):
            _checks.expect_equal(_emission.size(d, axis), expected, f"{what}: dimension {axis}")
        wide = _ops.expand_dims(d, -1)
        if rows > columns:
            wide = _ops.pad(wide, [*[(0, 0)] * (d.ndim - 1), (0, rows - columns), (0, 0)])
        return _ops.where(_ops.eye(rows, columns, bool), wide, x)

    return make("MatrixSetDiag", emit, as_tensor(input), as_tensor(diagonal), name=name)


class Qr(NamedTuple):
    """The factors of `qr`."""

    q: Any
    r: Any


def _completed(a: Any) -> Any:
    """Returns an orthonormal basis [..., m, m], of which the first n columns span those of matrices [..., m, n]."""
    m = a._dims[-2]
    if m is None:
        raise ValueError("full_matrices takes matrices of known size")
    unit = _ops.broadcast_to(_ops.eye(m, dtype=a.dtype), [*a.shape[:-2], m, m])
    return linalg.qr(_ops.concatenate([a, unit], -1))


def qr(input: Any, full_matrices: bool = False, name: Optional[str] = None) -> Qr:
    """Q with orthonormal columns and R, an upper triangle, with Q R = input. With `full_matrices` Q is square."""

    def emit(a: Any) -> Any:
        _checks.expect_rank("qr", a, 2)
        m, n = a._dims[-2:]
        if not full_matrices or (m is not None and n is not None and m <= n):
            return linalg.qr(a)
        q, r = _completed(a)
        return q, r[..., : a.shape[-1]]

    return Qr(*make("Qr", emit, as_tensor(input), name=name))


def svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: Optional[str] = None) -> Any:
    """The singular values s in descending order, U and V with U diag(s) V^T = tensor; without `compute_uv` s alone.
    With `full_matrices` U and V are square."""

    def emit(a: Any) -> Any:
        _checks.expect_rank("svd", a, 2)
        u, values, vt = linalg.svd(a)
        return values, square(u), square(_ops.swapaxes(vt, -1, -2))

    def square(x: Any) -> Any:
        count = x.shape[-1]
        if not full_matrices or x._dims[-2] == x._dims[-1]:
            return x
        return _ops.concatenate([x, _completed(x)[0][..., count:]], -1)

    if not compute_uv:
        return make("Svd", linalg.svdvals, as_tensor(tensor), name=name)
    return tuple(make("Svd", emit, as_tensor(tensor), name=name))


def _of_lower(a: Any) -> Any:
    """Returns the symmetric matrices of these lower triangles."""
    _checks.expect_rank("self_adjoint_eig", a, 2)
    return _ops.add(_ops.tril(a), _ops.swapaxes(_ops.tril(a, -1), -1, -2))


def self_adjoint_eig(tensor: Any, name: Optional[str] = None) -> Any:
    """The eigenvalues, in ascending order, and the vectors, as columns, of symmetric matrices,
    of which the lower triangle is read."""
    return tuple(make("SelfAdjointEig", lambda a: linalg.eigh(_of_lower(a)), as_tensor(tensor), name=name))


def self_adjoint_eigvals(tensor: Any, name: Optional[str] = None) -> Any:
    """The eigenvalues of `self_adjoint_eig`."""
    return make("SelfAdjointEigvals", lambda a: linalg.eigvalsh(_of_lower(a)), as_tensor(tensor), name=name)


__all__ = [
    "cholesky", "cholesky_solve", "matrix_band_part", "matrix_determinant", "matrix_inverse", "matrix_set_diag",
    "matrix_solve", "matrix_solve_ls", "matrix_triangular_solve", "qr", "self_adjoint_eig", "self_adjoint_eigvals",
    "svd",
]  # fmt: skip
