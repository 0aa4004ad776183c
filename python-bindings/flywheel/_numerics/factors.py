# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LU, QR, eigenvalues of symmetric matrices, and singular values of matrices [count, m, n] of static m and n.

LU is by Gauss, column by column, with the largest element as pivot, and QR by Householder's reflections with LAPACK's
signs. Eigenvalues and singular values are by Jacobi's rotations: of n columns, n / 2 pairs are rotated at once, n - 1
times for all pairs (Brent and Luk, The solution of singular-value and symmetric eigenvalue problems on multiprocessor
arrays, 1985), until what is beside the diagonal is rounding.
"""

import math
from typing import Any, Callable, List, Sequence, Tuple

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, as_tensor
from .._ops import nn_ops as nn
from .._ops.order import places_in_order, taken
from ..control import fori_loop, while_loop
from ..transforms import custom_vjp

# Each sweep squares what is left beside the diagonal; matrices of some hundred columns take 6 to 10.
_MOST_SWEEPS = 24


def _turned(x: Tensor) -> Tensor:
    return _ops.swapaxes(x, -1, -2)


def _identity(count: Any, rows: int, columns: int, dtype: Any) -> Tensor:
    return _ops.broadcast_to(_ops.eye(rows, columns, dtype=dtype), [count, rows, columns])


def _scaled(a: Tensor) -> Tuple[Tensor, Tensor]:
    """Matrices whose largest element is 1, and what they were divided by, [count, 1, 1]."""
    largest = _ops.max(_ops.absolute(a), (1, 2), keepdims=True)
    scale = _ops.where(_ops.logical_and(largest > 0, _ops.isfinite(largest)), largest, 1.0)
    return a / scale, scale


def _only_finite(a: Tensor) -> Tuple[Tensor, Tensor]:
    """The matrices, zeros in the place of those with an element that is not finite, and 0 or NaN to add to the results
    of each, [count]."""
    is_finite = _ops.all(_ops.isfinite(a), (1, 2), keepdims=True)
    lost = _ops.where(is_finite, _ops.zeros((), a.dtype), float("nan"))
    return _ops.where(is_finite, a, 0.0), lost[:, 0, 0]


#
# LU
#


def eliminate(a: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
    """Factors matrices [count, m, n] by Gauss, with the largest element of a column as its pivot. Returns L below the
    diagonal and U in one tensor, the row of `a` that became each row, int32 [count, m], and the row that each of the
    first ones was exchanged with in its turn, int32 [count, min(m, n)], as LAPACK has it."""
    m, n, count = a._dims[-2] or 0, a._dims[-1] or 0, _ops.dim(a, 0)
    least = min(m, n)
    numbers, columns, turns = (as_tensor(np.arange(size, dtype=np.int32)) for size in (m, n, least))
    if least == 0:
        return a, _ops.broadcast_to(numbers, (count, m)), _ops.zeros((count, 0), _dtypes.int32)

    def step(k: Tensor, state: Tuple[Tensor, Tensor, Tensor]) -> Tuple[Tensor, Tensor, Tensor]:
        lu, rows, exchanges = state
        column = _ops.take(lu, k, 2)
        pivot = _ops.argmax(_ops.where(numbers >= k, _ops.absolute(column), -1.0), 1, keepdims=True)
        # The row that each row becomes when rows k and pivot are exchanged.
        source = _ops.where(numbers == k, pivot, _ops.where(numbers == pivot, k, numbers))
        lu = _ops.take_along_axis(lu, _ops.broadcast_to(_ops.expand_dims(source, 2), lu._dims), 1)
        rows = _ops.take_along_axis(rows, source, 1)
        top = _ops.expand_dims(_ops.take(lu, k, 1), 1)
        first = _ops.take(lu, k, 2)
        divisor = _ops.expand_dims(_ops.take(first, k, 1), 1)
        # A column of zeros stays one, as in LAPACK.
        safe = _ops.where(divisor == 0, 1.0, divisor)
        factors = _ops.expand_dims(_ops.where(numbers > k, first / safe, 0.0), 2)
        new = _ops.where(columns > k, lu - factors * top, lu)
        is_below = _ops.logical_and(_ops.expand_dims(numbers > k, 1), columns == k)
        new = _ops.where(is_below, factors, new)
        return new, rows, _ops.where(turns == k, _ops.cast(pivot, _dtypes.int32), exchanges)

    start = (a, _ops.broadcast_to(numbers, (count, m)), _ops.broadcast_to(turns, (count, least)))
    found: Tuple[Tensor, Tensor, Tensor] = fori_loop(0, least, step, start)
    return found


def rows_of_exchanges(exchanges: Tensor, m: int) -> Tensor:
    """The row that became each of m rows, int32 [count, m], by what `eliminate` exchanged."""
    count, turns = _ops.dim(exchanges, 0), exchanges._dims[1] or 0
    numbers = as_tensor(np.arange(m, dtype=np.int32))

    def step(k: Tensor, rows: Tensor) -> Tensor:
        pivot = _ops.expand_dims(_ops.take(exchanges, k, 1), 1)
        source = _ops.where(numbers == k, pivot, _ops.where(numbers == pivot, k, numbers))
        return _ops.take_along_axis(rows, source, 1)

    start = _ops.broadcast_to(numbers, (count, m))
    if turns == 0 or m == 0:
        return start
    found: Tensor = fori_loop(0, turns, step, start)
    return found


def triangles(both: Tensor) -> Tuple[Tensor, Tensor]:
    """L [count, m, k] with a diagonal of ones, and U [count, k, n], of both in one tensor [count, m, n]."""
    m, n = both._dims[1] or 0, both._dims[2] or 0
    k = min(m, n)
    return _ops.tril(both[:, :, :k], -1) + _ops.eye(m, k, dtype=both.dtype), _ops.triu(both[:, :k, :])


@custom_vjp
def lu(a: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
    """Returns what `eliminate` does; L and U have a derivative."""
    return eliminate(a)


@lu.defvjp
def _lu_vjp(a: Tensor, weights: Tensor, *_: Any) -> Tensor:
    """With P a = L U and square L and U: P^T L^-T (tril(L^T dL, -1) + triu(dU U^T)) U^-T. Rows of L beyond those have
    dL2 U^-T, columns of U L^-T dU2, and the product of each is taken off that sum."""
    both, rows, _exchanges = lu(a)
    m, n = a._dims[1] or 0, a._dims[2] or 0
    k = min(m, n)
    if k == 0:
        return _ops.zeros_like(a)
    square = both[:, :k, :k]
    lower, upper = triangles(square)
    below, above = _ops.tril(weights[:, :k, :k], -1), _ops.triu(weights[:, :k, :k])
    lower_part, upper_part = _turned(lower) @ below, above @ _turned(upper)
    if n > k:
        lower_part = lower_part - weights[:, :, k:] @ _turned(both[:, :, k:])
    if m > k:
        upper_part = upper_part - _turned(both[:, k:, :]) @ weights[:, k:, :]

    def by_lower(x: Tensor) -> Tensor:
        return nn.triangular_solve(square, x, "lower", transpose=True, unit_diagonal=True)

    def by_upper(x: Tensor) -> Tensor:
        # x U^T = left is U x^T = left^T.
        return _turned(nn.triangular_solve(square, _turned(x), "upper"))

    found = by_upper(by_lower(_ops.tril(lower_part, -1) + _ops.triu(upper_part)))
    if n > k:
        found = _ops.concatenate([found, by_lower(weights[:, :, k:])], 2)
    if m > k:
        found = _ops.concatenate([found, by_upper(weights[:, k:, :])], 1)
    inverse = _inverse_of(rows)
    return _ops.take_along_axis(found, _ops.broadcast_to(_ops.expand_dims(inverse, 2), found._dims), 1)


def _inverse_of(rows: Tensor) -> Tensor:
    """Returns the inverses of permutations [count, n]."""
    if rows._dims[1] == 0:
        return rows
    numbers = as_tensor(np.arange(rows._dims[1] or 0, dtype=np.int32))
    return _ops.argmax(_ops.expand_dims(rows, 1) == _ops.expand_dims(numbers, 1), 2)


#
# QR
#


def _reflect(a: Tensor) -> Tuple[Tensor, Tensor]:
    """Q [count, m, k] and R [count, k, n], where k is the smaller one of m and n."""
    count, (m, n) = _ops.dim(a, 0), (a._dims[1] or 0, a._dims[2] or 0)
    k = min(m, n)
    rows, columns = as_tensor(np.arange(m, dtype=np.int32)), as_tensor(np.arange(k, dtype=np.int32))
    scaled, scale = _scaled(a)

    def eliminate(j: Tensor, state: Tuple[Tensor, Tensor, Tensor]) -> Any:
        r, vectors, factors = state
        column = _ops.where(rows < j, 0.0, _ops.take(r, j, 2))
        # Squares of small numbers would be 0.
        largest = _ops.max(_ops.absolute(column), 1, keepdims=True)
        column = column / _ops.where(largest == 0, 1.0, largest)
        tail = _ops.where(rows > j, column, 0.0)
        top = _ops.sum(_ops.where(rows == j, column, 0.0), 1, keepdims=True)
        rest = _ops.sum(tail * tail, 1, keepdims=True)
        size = _ops.sqrt(top * top + rest)
        # Without a tail, as LAPACK, there is no reflection: R keeps its sign. NaN is a tail.
        reflects = _ops.any(tail != 0, 1, keepdims=True)
        new = _ops.where(top < 0, size, -size)
        vector = _ops.where(rows == j, top - new, tail)
        squared = (top - new) * (top - new) + rest
        factor = _ops.where(reflects, 2.0 / _ops.where(reflects, squared, 1.0), 0.0)
        wide = _ops.expand_dims(vector, 2)
        r = r - _ops.expand_dims(factor, 2) * wide * (_turned(wide) @ r)
        return (r, _ops.where(columns == j, wide, vectors), _ops.where(columns == j, factor, factors))

    start = (scaled, _ops.zeros((count, m, k), a.dtype), _ops.zeros((count, k), a.dtype))
    r, vectors, factors = fori_loop(0, k, eliminate, start)

    def apply(j: Tensor, q: Tensor) -> Tensor:
        place = k - 1 - j
        wide = _ops.expand_dims(_ops.take(vectors, place, 2), 2)
        factor = _ops.expand_dims(_ops.expand_dims(_ops.take(factors, place, 1), 1), 2)
        return q - factor * wide * (_turned(wide) @ q)

    q: Tensor = fori_loop(0, k, apply, _identity(count, m, k, a.dtype))
    return q, _ops.triu(r[:, :k, :]) * scale


@custom_vjp
def qr(a: Tensor) -> Tuple[Tensor, Tensor]:
    """Q [count, m, k] with orthonormal columns and R [count, k, n], an upper triangle, of which Q R is the matrix."""
    return _reflect(a)


@qr.defvjp
def _qr_vjp(a: Tensor, q_weights: Tensor, r_weights: Tensor) -> Tensor:
    """Roberts and Roberts, QR and LQ decomposition matrix backpropagation algorithms, 2020, equations 9 and 14: with
    A = Q [U, V], of which U is square, and M = U dU^T - dQ^T Q, it is [(dQ + Q sym(M)) U^-T, Q dV]."""
    q, r = qr(a)
    m, n = a._dims[1] or 0, a._dims[2] or 0
    k = min(m, n)
    u, du = r[:, :, :k], _ops.triu(r_weights[:, :, :k])
    if m < n:
        q_weights = q_weights + a[:, :, k:] @ _turned(r_weights[:, :, k:])
    inner = u @ _turned(du) - _turned(q_weights) @ q
    lower = _ops.tril(inner)
    symmetric = lower + _turned(_ops.tril(inner, -1))
    # x U^T = right is U x^T = right^T.
    right = _turned(q_weights + q @ symmetric)
    found = _turned(nn.triangular_solve(u, right, "upper"))
    return _ops.concatenate([found, q @ r_weights[:, :, k:]], 2) if m < n else found


#
# Jacobi's rotations
#


def _next_round(n: int) -> List[int]:
    """Returns from which of n places each one's next column is; n is even, and pairs are i and i + n / 2. After n - 1
    rounds every two columns have been a pair, and each is in its place again."""
    half = n // 2
    # Round and round: the upper row to the right, the lower one to the left; the first column stays.
    ring = [*range(1, half), *range(n - 1, half - 1, -1)]
    source = list(range(n))
    for place, column in enumerate(ring):
        source[column] = ring[place - 1]
    return source


def _tangent(a: Tensor, b: Tensor, c: Tensor) -> Tuple[Tensor, Tensor]:
    """The cosine and sine of the rotation that makes [[a, c], [c, b]] diagonal, by an angle of at most 45 degrees
    (Golub and Van Loan, Matrix computations, 8.5.2)."""
    is_diagonal = c == 0
    ratio = (b - a) / _ops.where(is_diagonal, 1.0, 2.0 * c)
    size = _ops.absolute(ratio)
    # Squares of large numbers would be infinite.
    root = _ops.where(size > 1e10, size, _ops.sqrt(1.0 + _ops.minimum(size, 1e10) * _ops.minimum(size, 1e10)))
    tangent = _ops.where(ratio < 0, -1.0, 1.0) / (size + root)
    tangent = _ops.where(is_diagonal, 0.0, tangent)
    cosine = 1.0 / _ops.sqrt(1.0 + tangent * tangent)
    return cosine, tangent * cosine


def _rotate(x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    """Columns i and i + n / 2 of [count, rows, n], each pair rotated."""
    half = (x._dims[2] or 0) // 2
    first, second = x[:, :, :half], x[:, :, half:]
    c, s = _ops.expand_dims(cosine, 1), _ops.expand_dims(sine, 1)
    return _ops.concatenate([c * first - s * second, s * first + c * second], 2)


def _sweep(
    step: Callable[[Sequence[Tensor]], Sequence[Tensor]], is_left: Callable[[Sequence[Tensor]], Tensor],
    start: Sequence[Tensor], n: int,
) -> Sequence[Tensor]:  # fmt: skip
    """Runs sweeps of n - 1 rounds as long as one of the matrices has something left."""

    def sweep(state: Any) -> Any:
        return tuple(fori_loop(0, n - 1, lambda _, own: tuple(step(own)), tuple(state)))

    found: Sequence[Tensor] = while_loop(is_left, sweep, tuple(start), max_iterations=_MOST_SWEEPS)
    return found


def _padded(x: Tensor, rows: int, columns: int) -> Tensor:
    return _ops.pad(x, [(0, 0), (0, rows), (0, columns)]) if rows or columns else x


def _diagonalize(a: Tensor) -> Tuple[Tensor, Tensor]:
    """The eigenvalues of symmetric matrices in ascending order, [count, n], and their vectors as columns."""
    count, n = _ops.dim(a, 0), a._dims[1] or 0
    if n < 2:
        return _ops.reshape(a, (-1, n)), _identity(count, n, n, a.dtype)
    finite, lost = _only_finite(a)
    scaled, scale = _scaled(finite)
    # An odd matrix has a row and column of zeros more, which nothing rotates.
    even = n + n % 2
    scaled = _padded(scaled, n % 2, n % 2)
    half = even // 2
    source = as_tensor(np.array(_next_round(even), np.int32))
    epsilon = float(np.finfo(np.float64 if a.dtype == _dtypes.float64 else np.float32).eps)
    beside = as_tensor((1.0 - np.eye(even)), a.dtype)

    def rotate(state: Sequence[Tensor]) -> Sequence[Tensor]:
        matrix, vectors = state
        diagonal = _ops.diagonal(matrix, 0, 1, 2)
        cosine, sine = _tangent(diagonal[:, :half], diagonal[:, half:], _ops.diagonal(matrix, half, 1, 2))
        matrix = _rotate(matrix, cosine, sine)
        matrix = _turned(_rotate(_turned(matrix), cosine, sine))
        matrix = _ops.take(_ops.take(matrix, source, 2), source, 1)
        return matrix, _ops.take(_rotate(vectors, cosine, sine), source, 2)

    def is_left(state: Sequence[Tensor]) -> Tensor:
        largest = _ops.max(_ops.absolute(state[0] * beside), (1, 2))
        norm = _ops.sqrt(_ops.sum(state[0] * state[0], (1, 2)))
        return _ops.any(largest > 2.0 * epsilon * norm)

    matrix, vectors = _sweep(rotate, is_left, [scaled, _identity(count, even, even, a.dtype)], even)
    values = _ops.diagonal(matrix, 0, 1, 2)[:, :n]
    order = places_in_order(values, 1)
    columns = _ops.broadcast_to(_ops.expand_dims(order, 1), [count, n, n])
    found = taken(values, order, 1) * scale[:, :, 0], taken(vectors[:, :n, :n], columns, 2)
    return found[0] + _ops.expand_dims(lost, 1), found[1] + _ops.expand_dims(lost, [1, 2])


def _reciprocal(x: Tensor) -> Tensor:
    """1 / x, and 0 of 0."""
    return _ops.where(x == 0, 0.0, 1.0 / _ops.where(x == 0, 1.0, x))


def _differences(x: Tensor) -> Tensor:
    """Returns element j less element i of each row of [count, n]: [count, i, j]."""
    return _ops.expand_dims(x, 1) - _ops.expand_dims(x, 2)


@custom_vjp
def eigh(a: Tensor) -> Tuple[Tensor, Tensor]:
    """The eigenvalues of matrices, of which the lower triangle is read, [count, n], and vectors as columns."""
    lower = _ops.tril(a)
    return _diagonalize(lower + _turned(_ops.tril(a, -1)))


@eigh.defvjp
def _eigh_vjp(a: Tensor, values_weights: Tensor, vectors_weights: Tensor) -> Tensor:
    """Giles, Collected matrix derivative results for forward and reverse mode algorithmic differentiation, 2008,
    section 2.2: V (diag(dw) + F * V^T dV) V^T with F(i, j) = 1 / (w(j) - w(i)), 0 where the two are equal."""
    values, vectors = eigh(a)
    inner = _reciprocal(_differences(values)) * (_turned(vectors) @ vectors_weights)
    n = a._dims[1] or 0
    inner = inner + _ops.expand_dims(values_weights, 1) * _ops.eye(n, dtype=a.dtype)
    found: Tensor = vectors @ inner @ _turned(vectors)
    return found


def _by_columns(a: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
    """U [count, m, n], singular values in descending order, and V [count, n, n], of m rows and at most as many
    columns: QR, then rotations that make the columns of R^T orthogonal (Hestenes)."""
    count, n = _ops.dim(a, 0), a._dims[2] or 0
    finite, lost = _only_finite(a)
    scaled, scale = _scaled(finite)
    q, r = _reflect(scaled)
    even = n + n % 2
    half = even // 2
    source = as_tensor(np.array(_next_round(even), np.int32))
    epsilon = float(np.finfo(np.float64 if a.dtype == _dtypes.float64 else np.float32).eps)

    def products(columns: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
        first, second = columns[:, :, :half], columns[:, :, half:]
        return _ops.sum(first * first, 1), _ops.sum(second * second, 1), _ops.sum(first * second, 1)

    def rotate(state: Sequence[Tensor]) -> Sequence[Tensor]:
        columns, vectors, largest = state
        one, other, both = products(columns)
        angle = _ops.absolute(both) / _ops.sqrt(_ops.where(one * other == 0, 1.0, one * other))
        cosine, sine = _tangent(one, other, both)
        moved = [_ops.take(_rotate(x, cosine, sine), source, 2) for x in (columns, vectors)]
        return (*moved, _ops.maximum(largest, _ops.max(angle, 1)))

    def sweep(state: Any) -> Any:
        columns, vectors, _ = state
        fresh = (columns, vectors, _ops.zeros((count,), a.dtype))
        return tuple(fori_loop(0, even - 1, lambda _, own: tuple(rotate(own)), fresh))

    # R = U S V^T, so that R^T has U as what its columns are rotated by.
    own = _ops.ones((count,), a.dtype)
    start = (_padded(_turned(r), even - n, even - n), _identity(count, even, even, a.dtype), own)
    columns, vectors, _ = while_loop(
        lambda state: _ops.any(state[2] > 4.0 * epsilon), sweep, start, max_iterations=_MOST_SWEEPS
    )
    columns, vectors = columns[:, :n, :n], vectors[:, :n, :n]
    values = _ops.sqrt(_ops.sum(columns * columns, 1))
    order = places_in_order(values, 1, descending=True)
    places = _ops.broadcast_to(_ops.expand_dims(order, 1), [count, n, n])
    values, columns, vectors = taken(values, order, 1), taken(columns, places, 2), taken(vectors, places, 2)
    # Columns of zeros, and of rounding, are not directions: QR completes those before them.
    least = _ops.max(values, 1, keepdims=True) * (epsilon * math.sqrt(n))
    divisor = _ops.expand_dims(_ops.where(values > least, values, 1.0), 1)
    is_direction = _ops.expand_dims(values > least, 1)
    right, triangle = _reflect(_ops.where(is_direction, columns / divisor, 0.0))
    signs = _ops.expand_dims(_ops.where(_ops.diagonal(triangle, 0, 1, 2) < 0, -1.0, 1.0), 1)
    right = _ops.where(is_direction, columns / divisor, right * signs)
    wide = _ops.expand_dims(lost, [1, 2])
    return q @ vectors + wide, values * scale[:, :, 0] + _ops.expand_dims(lost, 1), right + wide


@custom_vjp
def svd(a: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
    """U [count, m, k], singular values in descending order [count, k], and V^T [count, k, n]."""
    m, n = a._dims[1] or 0, a._dims[2] or 0
    if m >= n:
        u, values, v = _by_columns(a)
    else:
        v, values, u = _by_columns(_turned(a))
    return u, values, _turned(v)


@svd.defvjp
def _svd_vjp(a: Tensor, u_weights: Tensor, values_weights: Tensor, v_weights: Tensor) -> Tensor:
    """Townsend, Differentiating the singular value decomposition, 2016, equation 31, with
    F(i, j) = 1 / (s(j)^2 - s(i)^2) and 1 / s, each 0 where the divisor is."""
    u, values, vt = svd(a)
    v, dv = _turned(vt), _turned(v_weights)
    k = values._dims[1] or 0
    # The differences of squares are products, which lose no digits.
    sums = _ops.expand_dims(values, 1) + _ops.expand_dims(values, 2)
    factors = _reciprocal(_differences(values) * sums)
    inverse, rows = _ops.expand_dims(_reciprocal(values), 1), _ops.expand_dims(values, 2)
    left, right = _turned(u) @ u_weights, _turned(v) @ dv
    inner = factors * (left - _turned(left)) * _ops.expand_dims(values, 1)
    inner = inner + rows * (factors * (right - _turned(right)))
    inner = inner + _ops.expand_dims(values_weights, 1) * _ops.eye(k, dtype=a.dtype)
    found: Tensor = u @ inner @ vt
    m, n = a._dims[1] or 0, a._dims[2] or 0
    if m > k:
        found = found + ((u_weights - u @ left) * inverse) @ vt
    if n > k:
        found = found + u @ _turned((dv - v @ right) * inverse)
    return found


__all__ = ("eigh", "eliminate", "lu", "qr", "rows_of_exchanges", "svd", "triangles")
