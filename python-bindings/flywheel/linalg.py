# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear algebra of small matrices, as `numpy.linalg` has it: of the last two dimensions, others are a batch.

Sizes of matrices are static. Elimination runs column by column, in the dtype of the matrix, or in float32 of float16
and bfloat16, whose results are rounded once; derivatives are those of the result, and not of the elimination.
"""

import builtins
import itertools
import operator
from typing import Any, Callable, List, Literal, Optional, Sequence, Tuple, Union

import numpy as np

from . import _ops
from ._core import dtypes as _dtypes
from ._core.argument_checks import number
from ._core.tensor import Tensor, TensorLike, as_tensor, as_tensors, format_shape
from ._errors.messages import about, wrong
from ._numerics import factors as _factors
from ._numerics import matrix_functions as _matrix_functions
from ._ops import nn_ops as nn
from ._ops.emission import Size, sizes
from ._ops.precision import rounds_once
from ._ops.reductions import power_norm
from ._ops.shapes import _product, reshape_to
from .control import cond
from .transforms import custom_vjp

__all__ = [
    "cholesky", "det", "eigh", "eigvalsh", "inv", "lu_factor", "matrix_power", "multi_dot", "norm", "pinv", "qr",
    "slogdet", "solve", "solve_triangular", "svd", "svdvals"]  # fmt: skip


def _floating(x: TensorLike) -> Tensor:
    given: Tensor = as_tensor(x)
    return given if _dtypes.is_floating(given.dtype) else _ops.cast(given, _dtypes.float32)


def _square(what: str, a: TensorLike) -> Tensor:
    x = _floating(a)
    if x.ndim < 2 or x._dims[-1] != x._dims[-2] or x._dims[-1] is None:
        raise about(what, ValueError(f"takes square matrices of a static size, found {format_shape(x._dims)}"), " ")
    return x


def _transposed(x: Tensor) -> Tensor:
    return _ops.swapaxes(x, -1, -2)


#
# Norms and products
#


@rounds_once()
def norm(
    x: TensorLike, ord: Any = None, axis: Union[int, Sequence[int], None] = None, keepdims: bool = False
) -> Tensor:
    """The norm of vectors along one dimension, of matrices along two, or of all elements.

    `ord` is 1, 2, another number, inf, -inf or 0 for vectors, and "fro", 1, -1, inf or -inf for matrices. Raises
    ValueError for others, such as those that need singular values.
    """
    x = _floating(x)
    if ord is None:
        return _ops.norm(x, axis, keepdims)
    axes = list(range(x.ndim)) if axis is None else [axis] if isinstance(axis, int) else list(axis)
    size, plain = _ops.absolute(x), tuple(axes)
    if len(axes) == 2:
        row, column = (place % x.ndim for place in axes)
        if ord == "fro":
            return _ops.norm(x, plain, keepdims)
        if ord in (1, -1, np.inf, -np.inf):
            summed, rest = (row, column) if abs(ord) == 1 else (column, row)
            sums = _ops.sum(size, summed, keepdims=True)
            found = (_largest if ord > 0 else _ops.min)(sums, rest, True)
            return found if keepdims else _ops.squeeze(found, (row, column))
    elif len(axes) == 1 and not isinstance(ord, str):
        if ord in (np.inf, -np.inf):
            return (_largest if ord > 0 else _ops.min)(size, plain, keepdims)
        if ord == 0:
            return _ops.cast(_ops.count_nonzero(x, plain, keepdims), x.dtype)
        return power_norm(x, float(ord), plain, keepdims)
    raise ValueError(f"there is no norm of order {ord!r} of {len(axes)} dimensions here")


def _largest(sizes: Tensor, axis: Any, keepdims: bool) -> Tensor:
    """Returns the largest one of numbers of at least 0 along dimensions; 0 if there are none, as in NumPy."""
    found = _ops.reductions.reduce_max(sizes, axis, keepdims)
    return _ops.where(found < 0, 0.0, found)


@rounds_once()
def matrix_power(a: TensorLike, n: int) -> Tensor:
    """The product of `n` matrices, of their inverses where `n` is negative."""
    n = operator.index(n)
    a = _square("matrix_power", a)
    if n < 0:
        return matrix_power(inv(a), -n)
    result = None
    while n:
        if n % 2:
            result = a if result is None else result @ a
        n //= 2
        a = a @ a if n else a
    return _ops.add(_ops.zeros_like(a), _ops.eye(a._dims[-1] or 0, dtype=a.dtype)) if result is None else result


def multi_dot(arrays: Sequence[TensorLike]) -> Tensor:
    """The product of several matrices, in the order that takes the fewest operations; the first and the last one may
    be vectors."""
    parts = [as_tensor(x) for x in arrays]
    if len(parts) < 2:
        raise about("multi_dot", ValueError("takes two matrices or more"), " ")
    for place, x in enumerate(parts):
        if x.ndim != 2 and not (x.ndim == 1 and place in (0, len(parts) - 1)):
            raise about("multi_dot", ValueError("takes matrices, and vectors at its ends, found shape "
                                                f"{format_shape(x._dims)}"), " ")  # fmt: skip
    return _multi_dot(*parts)


@rounds_once(None)
def _multi_dot(*arrays: Tensor) -> Tensor:
    parts = list(arrays)
    is_row, is_column = parts[0].ndim == 1, parts[-1].ndim == 1
    parts[0] = _ops.expand_dims(parts[0], 0) if is_row else parts[0]
    parts[-1] = _ops.expand_dims(parts[-1], 1) if is_column else parts[-1]
    result = _multiply_chain(parts)
    dropped = ([0] if is_row else []) + ([1] if is_column else [])
    return _ops.squeeze(result, dropped) if dropped else result


def _multiply_chain(parts: List[Tensor]) -> Tensor:
    dims = [x._dims[0] or 1 for x in parts] + [parts[-1]._dims[1] or 1]
    count = len(parts)
    best: Any = {(i, i): (0, i) for i in range(count)}
    for width in range(1, count):
        for i in range(count - width):
            j = i + width
            best[i, j] = builtins.min(
                (best[i, k][0] + best[k + 1, j][0] + dims[i] * dims[k + 1] * dims[j + 1], k) for k in range(i, j)
            )

    def product(i: int, j: int) -> Tensor:
        return parts[i] if i == j else product(i, best[i, j][1]) @ product(best[i, j][1] + 1, j)

    return product(0, count - 1)


#
# Factors
#


@rounds_once()
def cholesky(a: TensorLike) -> Tensor:
    """The lower triangular L of which L L^T is the matrix; one that is not positive definite is an error of the
    step."""
    return nn.cholesky(_square("cholesky", a))


@rounds_once(2)
def solve_triangular(
    a: TensorLike, b: TensorLike, *, lower: bool = False, trans: bool = False, unit_diagonal: bool = False
) -> Tensor:
    """x of a x = b, or with `trans` of a^T x = b, where `a` is triangular; `b` is a vector or a matrix."""
    a, b = as_tensors(_square("solve_triangular", a), _floating(b))
    kind: Literal["lower", "upper"] = "lower" if lower else "upper"
    is_vector = b.ndim == 1
    wide = _ops.expand_dims(b, 1) if is_vector else b
    x = nn.triangular_solve(a, wide, kind, transpose=trans, unit_diagonal=unit_diagonal)
    return _ops.squeeze(x, -1) if is_vector else x


def _parity(exchanges: Tensor, dtype: _dtypes.DType) -> Tensor:
    """The determinant of each permutation, 1 or -1."""
    numbers = as_tensor(np.arange(exchanges._dims[1] or 0, dtype=np.int32))
    count = _ops.sum(_ops.cast(exchanges != numbers, _dtypes.int32), 1)
    return _ops.cast(1 - 2 * (count % 2), dtype)


def _flat(a: Tensor) -> Tuple[Tensor, List[Size]]:
    """Matrices in one dimension, and the sizes of those that they were in."""
    front = sizes(a)[:-2]
    return reshape_to(a, [_product(front), *sizes(a)[-2:]]), front


@rounds_once()
def lu_factor(a: TensorLike) -> Tuple[Tensor, Tensor]:
    """L, whose diagonal of ones is left out, and U in one matrix, and the order of rows: `a[order]` is L U.

    The pivot of each column is its largest element. A singular matrix has a 0 on the diagonal of U.
    """
    a = _square("lu_factor", a)
    flat, front = _flat(a)
    lu, rows, _ = _factors.lu(flat)
    return reshape_to(lu, sizes(a)), reshape_to(rows, [*front, sizes(a)[-1]])


def _rectangle(what: str, a: TensorLike) -> Tensor:
    x = _floating(a)
    if x.ndim < 2 or None in x._dims[-2:]:
        raise about(what, ValueError(f"takes matrices of static sizes, found {format_shape(x._dims)}"), " ")
    return x


def _factored(function: Callable[[Tensor], Sequence[Tensor]], a: Tensor, *ends: Sequence[int]) -> List[Tensor]:
    """The factors of matrices, whose last dimensions are `ends`; of matrices without elements they have none."""
    if 0 in a._dims:
        front = [_ops.dim(a, place) for place in range(a.ndim - 2)]
        return [_ops.zeros([*front, *end], a.dtype) for end in ends]
    flat, sizes_in_front = _flat(a)
    return [reshape_to(x, [*sizes_in_front, *end]) for x, end in zip(function(flat), ends)]


@rounds_once()
def qr(a: TensorLike) -> Tuple[Tensor, Tensor]:
    """Q [..., m, k] with orthonormal columns and R [..., k, n], an upper triangle, of which Q R is the matrix; k is the
    smaller one of m and n. Signs are LAPACK's.

    Derivatives need the first k columns to be independent: otherwise they are infinite or NaN.
    """
    a = _rectangle("qr", a)
    m, n = a._dims[-2] or 0, a._dims[-1] or 0
    k = builtins.min(m, n)
    q, r = _factored(_factors.qr, a, (m, k), (k, n))
    return q, r


@rounds_once()
def eigh(a: TensorLike) -> Tuple[Tensor, Tensor]:
    """The eigenvalues of (a + a^T) / 2 in ascending order, [..., n], and their vectors as columns, [..., n, n], whose
    signs are not defined.

    If two eigenvalues are equal, their vectors have no derivative: none flows between the two.
    """
    a = _square("eigh", a)
    n = a._dims[-1] or 0
    # The sum of two large numbers would be infinite.
    half = a * 0.5
    values, vectors = _factored(_factors.eigh, half + _transposed(half), (n,), (n, n))
    return values, vectors


def eigvalsh(a: TensorLike) -> Tensor:
    """The eigenvalues of (a + a^T) / 2 in ascending order; see `eigh`."""
    return eigh(a)[0]


@rounds_once()
def svd(a: TensorLike) -> Tuple[Tensor, Tensor, Tensor]:
    """U [..., m, k], singular values in descending order [..., k], and V^T [..., k, n] of matrices; k is the smaller
    one of m and n. The signs of singular vectors are not defined.

    If two singular values are equal, or one is 0, singular vectors have no derivative: none flows through them.
    """
    a = _rectangle("svd", a)
    m, n = a._dims[-2] or 0, a._dims[-1] or 0
    k = builtins.min(m, n)
    u, values, vt = _factored(_factors.svd, a, (m, k), (k,), (k, n))
    return u, values, vt


def svdvals(a: TensorLike) -> Tensor:
    """The singular values in descending order; see `svd`."""
    return svd(a)[1]


def _solve_raw(a: Tensor, b: Tensor) -> Tensor:
    lu, rows, _ = _factors.eliminate(a)
    moved = _ops.take_along_axis(b, _ops.broadcast_to(_ops.expand_dims(rows, 2), b._dims), 1)
    y = nn.triangular_solve(lu, moved, "lower", unit_diagonal=True)
    return nn.triangular_solve(lu, y, "upper")


@custom_vjp
def _solve(a: Tensor, b: Tensor) -> Tensor:
    return _solve_raw(a, b)


@_solve.defvjp
def _solve_vjp(a: Tensor, b: Tensor, weights: Tensor) -> Tuple[Tensor, Tensor]:
    found = _solve(_transposed(a), weights)
    return _ops.negative(found @ _transposed(_solve(a, b))), found


@rounds_once(2)
def solve(a: TensorLike, b: TensorLike) -> Tensor:
    """x of a x = b: `b` is a vector, or [..., n, columns] with leading dimensions that broadcast with those of `a`.
    If a matrix is singular, x has infinities or NaN."""
    a, b = as_tensors(_square("solve", a), _floating(b))
    if b.ndim == 0:
        raise wrong(ValueError, "a vector or matrices", "a scalar", "b", function="solve")
    is_vector = b.ndim == 1
    wide = _ops.expand_dims(b, 1) if is_vector else b
    if wide._dims[-2] != a._dims[-1]:
        raise about("solve", ValueError(f"a is {format_shape(a._dims)}, and b {format_shape(b._dims)}"))
    front = list(_ops.emission.broadcast_shapes(a._dims[:-2], wide._dims[:-2]))
    if None in front:
        raise about("solve", ValueError(f"takes static sizes, found {format_shape(a._dims)} and "
                                        f"{format_shape(b._dims)}"), " ")  # fmt: skip
    a = _ops.broadcast_to(a, [*front, *a._dims[-2:]])
    wide = _ops.broadcast_to(wide, [*front, *wide._dims[-2:]])
    x = reshape_to(_solve(_flat(a)[0], _flat(wide)[0]), sizes(wide))
    return _ops.squeeze(x, -1) if is_vector else x


@rounds_once()
def inv(a: TensorLike) -> Tensor:
    """The inverse; of a singular matrix, infinities or NaN."""
    a = _square("inv", a)
    return solve(a, _ops.eye(a._dims[-1] or 0, dtype=a.dtype))


@rounds_once()
def pinv(a: TensorLike, rcond: Optional[float] = None) -> Tensor:
    """The pseudo-inverse [..., n, m] of matrices [..., m, n] by their singular values: those of up to `rcond` times the
    largest one count as 0. It is by default the distance of 1 to the next number of the dtype, float32 for float16 and
    bfloat16, times the larger one of m and n, as PyTorch has it.

    Derivatives are those along changes that keep the rank; there are no others.
    """
    a = _rectangle("pinv", a)
    m, n = a._dims[-2] or 0, a._dims[-1] or 0
    share = float(np.finfo(a.dtype).eps) * builtins.max(m, n) if rcond is None else float(number("rcond", rcond))
    if not share >= 0:
        raise about("pinv", ValueError(f"expected an rcond of at least 0, found {rcond}"))

    def compute(flat: Tensor) -> List[Tensor]:
        count = (_ops.dim(flat, 0),)
        return [_matrix_functions.pseudo_inverse(flat, _ops.zeros(count, a.dtype), _ops.full(count, share, a.dtype))]

    (found,) = _factored(compute, a, (n, m))
    return found


@rounds_once()
def slogdet(a: TensorLike) -> Tuple[Tensor, Tensor]:
    """The sign of the determinant, and the logarithm of its absolute value: 0 and -inf of a singular matrix."""
    a = _square("slogdet", a)
    flat, front = _flat(a)
    lu, _, exchanges = _factors.lu(flat)
    pivots = _ops.diagonal(lu, 0, 1, 2)
    parity = _parity(exchanges, a.dtype)
    sign = parity * _ops.prod(_ops.stop_gradient(_ops.sign(pivots)), 1)
    return reshape_to(sign, front), reshape_to(_ops.sum(_ops.log(_ops.absolute(pivots)), 1), front)


@rounds_once()
def det(a: TensorLike) -> Tensor:
    """The determinant. Its derivatives are those of the polynomial that it is, of singular matrices too (G20)."""
    a = _square("det", a)
    flat, front = _flat(a)
    return reshape_to(_det(flat), front)


def _by_pivots(a: Tensor) -> Tensor:
    """The determinants of matrices [count, n, n]."""
    lu, _, exchanges = _factors.lu(a)
    parity = _parity(exchanges, a.dtype)
    return parity * _ops.prod(_ops.diagonal(lu, 0, 1, 2), 1)


@custom_vjp
def _det(a: Tensor) -> Tensor:
    return _by_pivots(a)


@_det.defvjp
def _det_vjp(a: Tensor, weights: Tensor) -> Tensor:
    return _each(weights) * _cofactors(a)


def _each(x: Tensor) -> Tensor:
    """Reshapes numbers [count] to [count, 1, 1], one for each matrix."""
    return _ops.expand_dims(x, [1, 2])


def _cofactors(a: Tensor) -> Tensor:
    """Returns the cofactors of matrices [count, n, n]: the derivatives of the determinant by each element. They are
    polynomials of the elements, so that further derivatives exist everywhere too."""
    n = a._dims[-1] or 0
    if n < 2:
        return _ops.ones_like(a)
    if n == 2:
        return _ops.flip(a, [1, 2]) * as_tensor([[1.0, -1.0], [-1.0, 1.0]], a.dtype)
    if n == 3:
        # The products of the next two rows and columns, round and round.
        turned = {(i, j): _ops.roll(a, (-i, -j), (1, 2)) for i in (1, 2) for j in (1, 2)}
        return turned[1, 1] * turned[2, 2] - turned[1, 2] * turned[2, 1]
    if n <= _MOST_ROWS_OF_MINORS:
        return _cofactors_by_minors(a)
    pivots = _ops.absolute(_ops.diagonal(_factors.eliminate(_ops.stop_gradient(a))[0], 0, 1, 2))
    # By the inverse, second derivatives are differences of numbers that a pivot has divided twice.
    least = float(np.sqrt(np.finfo(np.float64 if a.dtype == _dtypes.float64 else np.float32).eps))
    is_singular = _ops.min(pivots, 1) <= least * _ops.max(pivots, 1)

    def by_inverse(x: Tensor) -> Tensor:
        return _each(_by_pivots(x)) * _transposed(inv(x))

    def by_polynomial(x: Tensor) -> Tensor:
        safe = _ops.where(_each(is_singular), _ops.eye(n, dtype=x.dtype), x)
        return _ops.where(_each(is_singular), _faddeev_leverrier(x), by_inverse(safe))

    return cond(_ops.any(is_singular), by_polynomial, by_inverse, a)  # type: ignore[no-any-return]


# The largest number of rows: minors of n rows take n 2^(n - 1) products.
_MOST_ROWS_OF_MINORS = 8


def _cofactors_by_minors(a: Tensor) -> Tensor:
    """The cofactors of matrices [count, n, n] by Laplace's expansion, of the minors of the first rows and of the last
    ones. There is no division, and no element of a row meets another one of it: derivatives of every order are as exact
    as the products that they are sums of, whatever the rows' sizes are and however singular a matrix is."""
    n = a._dims[-1] or 0
    first = _minors(a)
    # The minors of the last rows are those of the first rows of the reversed matrix.
    last = _minors(_ops.flip(a, [1, 2]))
    rows = []
    for i in range(n):
        before, after = _subsets(n, i), {s: k for k, s in enumerate(_subsets(n, n - 1 - i))}
        left, right, signs = [], [], []
        for j in range(n):
            for k, chosen in enumerate(before):
                if j in chosen:
                    continue
                others = [c for c in range(n) if c != j and c not in chosen]
                left.append(k)
                right.append(after[tuple(sorted(n - 1 - c for c in others))])
                order = [*chosen, j, *others]
                signs.append((-1.0) ** sum(x > y for p, x in enumerate(order) for y in order[p:]))
        shape = (n, len(left) // n)
        above = _ops.take(first[i], np.reshape(left, shape), 1)
        below = _ops.take(last[n - 1 - i], np.reshape(right, shape), 1)
        rows.append(_ops.sum(above * below * as_tensor(np.reshape(signs, shape), a.dtype), 2))
    return _ops.stack(rows, 1)


def _subsets(n: int, size: int) -> List[Tuple[int, ...]]:
    return list(itertools.combinations(range(n), size))


def _minors(a: Tensor) -> List[Tensor]:
    """For each k < n the determinants of the first k rows and of k columns, for all choices of these in order."""
    n = a._dims[-1] or 0
    found: List[Tensor] = [_ops.ones_like(a[:, 0, :1])]
    for k in range(1, n):
        places = {s: i for i, s in enumerate(_subsets(n, k - 1))}
        chosen = _subsets(n, k)
        smaller = np.array([[places[s[:p] + s[p + 1 :]] for p in range(k)] for s in chosen])
        # Along the row k, whose last element is on the diagonal.
        signs = as_tensor([(-1.0) ** (k - 1 - p) for p in range(k)], a.dtype)
        row = _ops.take(a[:, k - 1], np.array(chosen), 1)
        found.append(_ops.sum(row * _ops.take(found[-1], smaller, 1) * signs, 2))
    return found


def _faddeev_leverrier(a: Tensor) -> Tensor:
    """The cofactors of matrices [count, n, n] by matrix products only, in 64 bits: M(1) = 1, and
    M(k + 1) = A M(k) - trace(A M(k)) / k, of which M(n) is the adjugate but for a sign."""
    n, dtype = a._dims[-1] or 0, a.dtype
    a = _ops.cast(a, _dtypes.float64)
    # Rows of one size: what is lost is of the size of the largest products.
    size = _ops.max(_ops.absolute(_ops.stop_gradient(a)), 2, keepdims=True)
    size = _ops.where(size > 0, size, 1.0)
    scaled, identity = a / size, _ops.eye(n, dtype=_dtypes.float64)
    found: Tensor = _ops.zeros_like(scaled) + identity
    for k in range(1, n):
        product = scaled @ found
        found = product - _each(_ops.trace(product, 0, 1, 2)) / float(k) * identity
    others = _ops.prod(_ops.where(identity > 0, 1.0, _transposed(size)), 2, keepdims=True)
    return _ops.cast(_transposed(found) * others * float((-1) ** (n - 1)), dtype)
