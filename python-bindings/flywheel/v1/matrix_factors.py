# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.linalg`: logarithms of determinants, pseudo-inverses, ranks, exponentials, tridiagonal systems, norms."""

import math
from typing import Any, Callable, NamedTuple, Optional, Tuple

import numpy as np

from .. import _ops, linalg
from .._core import dtypes as _dtypes
from .._errors.messages import about, wrong
from .._numerics import matrix_functions as _matrix_functions
from .arrays import matrix_diag_part
from .conversion import as_tensor, make
from .elementwise import TABLE
from .matrices import cholesky, matrix_solve
from .norms import norm
from .ops import expand_dims, matmul, squeeze


def adjoint(matrix: Any, name: Optional[str] = None) -> Any:
    """Transposed matrices: the adjoints of real ones."""
    return make("adjoint", lambda x: _ops.swapaxes(x, -1, -2), as_tensor(matrix), name=name)


def matvec(
    a: Any, b: Any, transpose_a: bool = False, adjoint_a: bool = False, a_is_sparse: bool = False,
    b_is_sparse: bool = False, name: Optional[str] = None,
) -> Any:  # fmt: skip
    """The products of matrices [..., m, n] and vectors [..., n]."""
    found = matmul(a, expand_dims(b, -1), transpose_a=transpose_a, adjoint_a=adjoint_a)
    return squeeze(found, -1, name)


def logdet(matrix: Any, name: Optional[str] = None) -> Any:
    """The logarithms of the determinants of positive definite matrices."""
    diagonal = matrix_diag_part(cholesky(matrix))
    return TABLE["multiply"](TABLE["reduce_sum"](TABLE["log"](diagonal), -1), 2.0, name=name)


class Slogdet(NamedTuple):
    """The signs of determinants, and the logarithms of their sizes."""

    sign: Any
    log_abs_determinant: Any


def slogdet(input: Any, name: Optional[str] = None) -> Slogdet:
    """The signs of the determinants of square matrices, and the logarithms of their sizes."""
    return Slogdet(*make("LogMatrixDeterminant", linalg.slogdet, as_tensor(input), name=name))


def _sizes(what: str, matrix: Any) -> Any:
    """Returns the sizes of matrices. Raises ValueError for a tensor of fewer than two dimensions."""
    if len(matrix._dims) < 2:
        raise wrong(ValueError, "matrices [..., m, n]", f"shape {tuple(matrix.shape)}", "a", function=what)
    return matrix._dims[-2:]


def matrix_rank(a: Any, tol: Any = None, validate_args: bool = False, name: Optional[str] = None) -> Any:
    """The number of singular values above `tol`, by default the largest one times the larger size and epsilon.
    `validate_args` has no effect: the rank is always checked."""

    def emit(x: Any) -> Any:
        m, n = _sizes("matrix_rank", x)
        s = linalg.svdvals(x)
        bound = tol
        if bound is None:
            eps = float(np.finfo(x.dtype).eps) * max(m, n)
            bound = _ops.multiply(_ops.max(s, -1, True), eps)
        return _ops.sum(_ops.cast(_ops.greater(s, bound), _dtypes.int32), -1)

    return make("matrix_rank", emit, as_tensor(a), name=name)


def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: Optional[str] = None) -> Any:
    """The pseudo-inverses of matrices, without singular values up to the largest one times `rcond`: by default ten
    times the larger size and epsilon. `validate_args` has no effect: the rank is always checked."""
    x = as_tensor(a)

    def emit(y: Any) -> Any:
        m, n = _sizes("pinv", y)
        # The numbers of float16 and bfloat16 are float32 inside.
        kind = np.float32 if _dtypes.is_half(y.dtype) else y.dtype
        return linalg.pinv(y, 10.0 * max(m or 0, n or 0) * float(np.finfo(kind).eps) if rcond is None else rcond)

    return make("pinv", emit, x, name=name)


# The coefficients of Pade's approximant of exp of order 13 (Higham, 2005), the one of the highest power first.
_PADE = [math.factorial(26 - k) * math.factorial(13) // (math.factorial(k) * math.factorial(13 - k))
         for k in range(14)]  # fmt: skip
_SQUARINGS = 12


def expm(input: Any, name: Optional[str] = None) -> Any:
    """The exponentials of square matrices, of a 1-norm up to 20,000: Pade's approximant of order 13 of a fraction of
    them, squared (Higham, "The scaling and squaring method for the matrix exponential revisited", 2005)."""

    def emit(x: Any) -> Any:
        m, n = _sizes("expm", x)
        if n is None or m != n:
            raise about("expm", ValueError(f"expected square matrices of known size, found shape {x.shape}"))
        wide = _ops.cast(x, _dtypes.float64)
        size = _ops.max(_ops.sum(_ops.abs(wide), -2, True), -1, True)
        unit = _ops.broadcast_to(_ops.eye(n, dtype=_dtypes.float64), [*x.shape[:-2], n, n])
        # Each matrix is halved until its norm is at most 5.
        times = [_ops.greater(size, 5.0 * 2.0**k) for k in range(_SQUARINGS)]
        y = wide
        for one in times:
            y = _ops.multiply(y, _ops.where(one, 0.5, 1.0))
        coefficients = [c / _PADE[0] for c in _PADE]
        square = _ops.matmul(y, y)
        even, odd, power = None, None, unit
        for k in range(0, 14, 2):
            even = _add(even, _ops.multiply(power, coefficients[k]))
            odd = _add(odd, _ops.multiply(power, coefficients[k + 1]))
            power = _ops.matmul(power, square)
        odd = _ops.matmul(y, odd)
        found = linalg.solve(_ops.subtract(even, odd), _ops.add(even, odd))
        for one in times[::-1]:
            found = _ops.where(one, _ops.matmul(found, found), found)
        return _ops.cast(found, x.dtype)

    return make("MatrixExponential", emit, as_tensor(input), name=name)


def _add(total: Any, term: Any) -> Any:
    return term if total is None else _ops.add(total, term)


def normalize(tensor: Any, ord: Any = "euclidean", axis: Any = None, name: Optional[str] = None) -> Tuple[Any, Any]:
    """A tensor over its norm, and the norm, as `norm` has it."""
    size = norm(tensor, ord, axis, True)
    return TABLE["divide"](tensor, size, name=name), size


def _diagonals(diagonals: Any, form: str) -> Any:
    """The upper, main and lower diagonal [..., n], of which the first and the last have a place that is not used."""
    if form == "sequence":
        if not isinstance(diagonals, (list, tuple)) or len(diagonals) != 3:
            raise ValueError("Expected diagonals to be a sequence of length 3.")
        upper, main, lower = (as_tensor(one) for one in diagonals)
        return upper, main, lower
    x = as_tensor(diagonals)
    if form == "compact":
        return x[..., 0, :], x[..., 1, :], x[..., 2, :]
    if form != "matrix":
        raise ValueError(f"Unrecognized diagonals_format: {form}")
    return x, None, None


def _with_tridiagonal(
    kind: str, function: Callable[..., Any], diagonals: Any, form: str, b: Any, dense: Callable[..., Any],
    name: Optional[str],
) -> Any:  # fmt: skip
    """Applies a function of diagonals and right-hand sides [..., n, k], or `dense` where whole matrices are given."""
    upper, main, lower = _diagonals(diagonals, form)
    if main is None:
        return dense(upper, b)
    if form == "sequence":
        upper, lower = _padded(upper, main, False), _padded(lower, main, True)

    def emit(u: Any, d: Any, v: Any, right: Any) -> Any:
        if d._dims[-1] is None:
            raise ValueError("tridiagonal matrices are of known size")
        parts = [_ops.moveaxis(_ops.expand_dims(one, -1), -2, 0) for one in (u, d, v)]
        return _ops.moveaxis(function(*parts, _ops.moveaxis(right, -2, 0)), 0, -2)

    return make(kind, emit, upper, main, lower, b, name=name)


def _padded(x: Any, main: Any, before: bool) -> Any:
    """A diagonal of as many elements as the main one has."""
    if x.static_shape is None or main.static_shape is None or x.static_shape[-1] == main.static_shape[-1]:
        return x

    def emit(y: Any) -> Any:
        return _ops.pad(y, [*[(0, 0)] * (y.ndim - 1), (1, 0) if before else (0, 1)])

    return make("pad", emit, x)


def tridiagonal_matmul(diagonals: Any, rhs: Any, diagonals_format: str = "compact", name: Optional[str] = None) -> Any:
    """The products of tridiagonal matrices and matrices [..., n, k], in time linear in n."""
    return _with_tridiagonal("tridiagonal_matmul", _matrix_functions.multiply_tridiagonal, diagonals, diagonals_format,
                             as_tensor(rhs), matmul, name)  # fmt: skip


def tridiagonal_solve(
    diagonals: Any, rhs: Any, diagonals_format: str = "compact", transpose_rhs: bool = False,
    conjugate_rhs: bool = False, name: Optional[str] = None, partial_pivoting: bool = True,
) -> Any:  # fmt: skip
    """The x with matrix x = rhs, of tridiagonal matrices and right-hand sides [..., n, k], or vectors [..., n], in time
    linear in n unless whole matrices are given. `partial_pivoting` and `conjugate_rhs` have no effect: rows are always
    exchanged, and numbers are real."""
    b, rank = as_tensor(rhs), len(as_tensor(_diagonals(diagonals, diagonals_format)[0]).shape)
    rank += diagonals_format != "matrix"

    def solve(right: Any, label: Optional[str] = None) -> Any:
        return _with_tridiagonal("tridiagonal_solve", _matrix_functions.solve_tridiagonal, diagonals, diagonals_format,
                                 right, matrix_solve, label)  # fmt: skip

    if len(b.shape) == rank - 1:
        return squeeze(solve(expand_dims(b, -1)), -1, name)
    return adjoint(solve(adjoint(b)), name) if transpose_rhs else solve(b, name)


LINALG = {
    "adjoint": adjoint, "expm": expm, "logdet": logdet, "matrix_rank": matrix_rank, "matvec": matvec,
    "normalize": normalize, "pinv": pinv, "slogdet": slogdet, "tridiagonal_matmul": tridiagonal_matmul,
    "tridiagonal_solve": tridiagonal_solve,
}  # fmt: skip
