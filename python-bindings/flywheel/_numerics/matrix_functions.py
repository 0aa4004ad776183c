# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of matrices [count, n, n] of static n, and products of reflections."""

import math
from typing import Tuple

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, as_tensor
from ..control import fori_loop, scan, while_loop
from ..transforms import custom_vjp
from . import factors as _factors


def _turned(x: Tensor) -> Tensor:
    return _ops.swapaxes(x, -1, -2)


#
# The exponential
#

# The series of a matrix of at most this norm, 2^-17 / 17! of which is beyond the digits of float64.
_LARGEST_NORM, _DEGREE, _GROUP = 0.5, 16, 4
# Numbers of float64 are at most 2^1024.
_MOST_SQUARES = 1032


def _series(a: Tensor) -> Tensor:
    """The sum of a^k / k! for k to the degree, in groups of terms that share a power (Paterson and Stockmeyer)."""
    powers = [_ops.broadcast_to(_ops.eye(a._dims[-1] or 0, dtype=a.dtype), a._dims), a]
    while len(powers) <= _GROUP:
        powers.append(powers[-1] @ a)

    def group(first: int, last: int) -> Tensor:
        parts = [powers[k - first] * (1 / math.factorial(k)) for k in range(first, last)]
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total

    starts = list(range(0, _DEGREE, _GROUP))
    found = group(starts[-1], _DEGREE + 1)
    for first in reversed(starts[:-1]):
        found = found @ powers[_GROUP] + group(first, first + _GROUP)
    return found


@custom_vjp
def matrix_exp(a: Tensor) -> Tensor:
    """exp of matrices, by the series of a / 2^k and k squares. Each square doubles the error: of narrower types they
    are float64."""
    return _ops.cast(_exponential(_ops.cast(a, _dtypes.float64)), a.dtype)


def _exponential(a: Tensor) -> Tensor:
    norm = _ops.max(_ops.sum(_ops.absolute(a), 1), 1)
    is_finite = _ops.isfinite(norm)
    safe = _ops.where(is_finite, _ops.maximum(norm, _LARGEST_NORM), _LARGEST_NORM)
    squares = _ops.ceil(_ops.log2(safe / _LARGEST_NORM))
    # In two factors: the whole one may be too small for a number of the dtype.
    half = _ops.floor(squares * 0.5)
    scaled = a * _ops.expand_dims(_ops.exp2(-half), [1, 2]) * _ops.expand_dims(_ops.exp2(half - squares), [1, 2])
    most = _ops.max(squares)

    def square(state: Tuple[Tensor, Tensor]) -> Tuple[Tensor, Tensor]:
        k, found = state
        is_left = _ops.expand_dims(squares > k, [1, 2])
        return k + 1.0, _ops.where(is_left, found @ found, found)

    start = (_ops.zeros((), a.dtype), _series(scaled))
    _, found = while_loop(lambda state: state[0] < most, square, start, max_iterations=_MOST_SQUARES)
    return _ops.where(_ops.expand_dims(is_finite, [1, 2]), found, float("nan"))


@matrix_exp.defvjp
def _matrix_exp_vjp(a: Tensor, weights: Tensor) -> Tensor:
    """The derivative along w is the upper right part of exp([[a, w], [0, a]]) (Van Loan, Computing integrals involving
    the matrix exponential, 1978); its transpose is that of the transposed matrices."""
    n, own = a._dims[-1] or 0, _turned(a)
    upper = _ops.concatenate([own, weights], 2)
    lower = _ops.concatenate([_ops.zeros_like(a), own], 2)
    found: Tensor = matrix_exp(_ops.concatenate([upper, lower], 1))[:, :n, n:]
    return found


#
# Roots
#


def _of_pairs(values: Tensor) -> Tensor:
    """1 / (value i + value j) of each row of [count, n]: [count, n, n]; 0 where both are 0."""
    sums = _ops.expand_dims(values, 1) + _ops.expand_dims(values, 2)
    return _ops.where(sums == 0, 0.0, 1.0 / _ops.where(sums == 0, 1.0, sums))


def _root_by_values(a: Tensor) -> Tuple[Tensor, Tensor]:
    """The roots of eigenvalues, of negative ones 0, and vectors."""
    values, vectors = _factors.eigh(a)
    return _ops.sqrt(_ops.maximum(values, 0.0)), vectors


@custom_vjp
def root_of_symmetric(a: Tensor) -> Tensor:
    """The symmetric root of positive semidefinite matrices, of which the lower triangle is read."""
    roots, vectors = _root_by_values(a)
    return (vectors * _ops.expand_dims(roots, 1)) @ _turned(vectors)


@root_of_symmetric.defvjp
def _root_vjp(a: Tensor, weights: Tensor) -> Tensor:
    """X of S X + X S = W, where S is the root and W the symmetric part of the weights: in the basis of its vectors, W
    over sums of its values."""
    roots, vectors = _root_by_values(a)
    weights = (weights + _turned(weights)) * 0.5
    inner = (_turned(vectors) @ weights @ vectors) * _of_pairs(roots)
    return vectors @ inner @ _turned(vectors)


@custom_vjp
def polar(a: Tensor) -> Tuple[Tensor, Tensor]:
    """U [count, m, n] with orthonormal columns and a symmetric H [count, n, n], of which U H is the matrix [count, m,
    n] of at least as many rows as columns."""
    u, values, vt = _factors.svd(a)
    return u @ vt, (_turned(vt) * _ops.expand_dims(values, 1)) @ vt


@polar.defvjp
def _polar_vjp(a: Tensor, u_weights: Tensor, h_weights: Tensor) -> Tensor:
    """dA = dU H + U dH, where U^T dU is antisymmetric: with M = U^T dA, it is X of X H + H X = M - M^T, and dH is M - X
    H. The part of dU beside the columns of U is that of dA, over H."""
    left, values, vt = _factors.svd(a)
    v, factor = _turned(vt), left @ vt
    h = (v * _ops.expand_dims(values, 1)) @ vt
    inner = vt @ (_turned(factor) @ u_weights - h_weights @ h) @ v
    inner = inner * _of_pairs(values)
    found: Tensor = factor @ (h_weights + v @ (inner - _turned(inner)) @ vt)
    if a._dims[1] != a._dims[2]:
        inverse = _ops.where(values == 0, 0.0, 1.0 / _ops.where(values == 0, 1.0, values))
        beside = u_weights - factor @ (_turned(factor) @ u_weights)
        found = found + (beside @ v * _ops.expand_dims(inverse, 1)) @ vt
    return found


#
# The pseudo-inverse
#


@custom_vjp
def pseudo_inverse(a: Tensor, absolute: Tensor, relative: Tensor) -> Tensor:
    """The pseudo-inverses [count, n, m] of matrices [count, m, n]: singular values of at most the larger one of two
    numbers for each, [count], count as 0; the second one is a share of the largest singular value."""
    u, values, vt = _factors.svd(a)
    least = _ops.maximum(_ops.expand_dims(absolute, 1), values[:, :1] * _ops.expand_dims(relative, 1))
    # A NaN is in none of the comparisons.
    kept = _ops.logical_or(values > least, _ops.not_equal(values, values))
    inverse = _ops.where(kept, 1.0 / _ops.where(kept, values, 1.0), 0.0)
    return (_turned(vt) * _ops.expand_dims(inverse, 1)) @ _turned(u)


def slope_of_inverse(a: Tensor, p: Tensor, weights: Tensor) -> Tensor:
    """The derivative by a of its pseudo-inverse p: Golub and Pereyra, The differentiation of pseudo-inverses and
    nonlinear least squares problems, 1973, equation 4.12, for changes that keep the rank."""
    t, w = _turned(p), _turned(weights)
    own: Tensor = _ops.negative(t @ weights @ t)
    found: Tensor = own + (w - a @ (p @ w)) @ p @ t + t @ p @ (w - (w @ p) @ a)
    return found


@pseudo_inverse.defvjp
def _pseudo_inverse_vjp(
    a: Tensor, absolute: Tensor, relative: Tensor, weights: Tensor
) -> Tuple[Tensor, None, None]:
    return slope_of_inverse(a, pseudo_inverse(a, absolute, relative), weights), None, None


#
# Reflections
#


def reflected(vectors: Tensor, factors: Tensor, x: Tensor, forwards: bool) -> Tensor:
    """H_1 ... H_k x, or with `forwards` H_k ... H_1 x, of x [count, m, columns]. H_j is 1 - factors_j v v^T; v has the
    column j of [count, m, n] below the diagonal, 1 on it, and zeros above."""
    k, m = factors._dims[1] or 0, vectors._dims[1] or 0
    if k == 0 or 0 in x._dims:
        return x
    rows = as_tensor(np.arange(m, dtype=np.int32))

    def step(i: Tensor, y: Tensor) -> Tensor:
        j = i if forwards else as_tensor(k - 1, _dtypes.int32) - i
        column = _ops.where(rows > j, _ops.take(vectors, j, 2), _ops.cast(rows == j, x.dtype))
        wide = _ops.expand_dims(column, 2)
        factor = _ops.expand_dims(_ops.take(factors, j, 1), [1, 2])
        return y - factor * wide * (_turned(wide) @ y)

    found: Tensor = fori_loop(0, k, step, x)
    return found


#
# Tridiagonal systems
#


def solve_tridiagonal(above: Tensor, main: Tensor, below: Tensor, b: Tensor) -> Tensor:
    """The x of [n, ..., k] with matrices whose diagonals are [n, ..., 1], and b [n, ..., k]: elimination that exchanges
    neighbouring rows, after which a row has up to three elements. The last element of `above` and the first one of
    `below` are not read. Time is linear in n."""
    n = main._dims[0] or 0
    if n == 0:
        return b
    above = _ops.concatenate([above[: n - 1], _ops.zeros_like(main[:1])])
    nothing = _ops.zeros_like(main[0])

    def eliminate(row: Tuple[Tensor, ...], given: Tuple[Tensor, ...]) -> Tuple[Tuple[Tensor, ...], Tuple[Tensor, ...]]:
        exchanges = _ops.absolute(given[0]) > _ops.absolute(row[0])
        row = (*row[:2], nothing, row[2])
        first = tuple(_ops.where(exchanges, x, y) for x, y in zip(given, row))
        other = tuple(_ops.where(exchanges, y, x) for x, y in zip(given, row))
        factor = other[0] / first[0]
        return tuple(x - factor * y for x, y in zip(other[1:], first[1:])), first

    def substitute(after: Tuple[Tensor, Tensor], row: Tuple[Tensor, ...]) -> Tuple[Tuple[Tensor, Tensor], Tensor]:
        pivot, next_one, second, right = row
        x = (right - next_one * after[0] - second * after[1]) / pivot
        return (x, after[0]), x

    start = (main[0], above[0], b[0])
    if n == 1:
        return b / main
    (pivot, _, right), rows = scan(eliminate, start, (below[1:], main[1:], above[1:], b[1:]))
    last = right / pivot
    _, found = scan(substitute, (last, _ops.zeros_like(last)), rows, reverse=True)
    return _ops.concatenate([found, _ops.expand_dims(last, 0)])


def multiply_tridiagonal(above: Tensor, main: Tensor, below: Tensor, b: Tensor) -> Tensor:
    """The products of the same matrices and b [n, ..., k]."""
    nothing = _ops.zeros_like(b[:1])
    over = _ops.concatenate([above[:-1] * b[1:], nothing])
    under = _ops.concatenate([nothing, below[1:] * b[:-1]])
    return main * b + over[: main._dims[0]] + under[: main._dims[0]]


__all__ = (
    "matrix_exp", "multiply_tridiagonal", "polar", "pseudo_inverse", "reflected", "root_of_symmetric",
    "slope_of_inverse", "solve_tridiagonal",
)  # fmt: skip
