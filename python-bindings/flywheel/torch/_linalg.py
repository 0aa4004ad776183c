# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of aten on small matrices, and distances."""

from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from .. import _ops, linalg
from .. import nn as nn
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor
from .._frontends.layouts import Laid
from .._numerics import factors as _factors
from .._ops.emission import size, sizes
from .._ops.reductions import power_norm
from .._ops.shapes import reshape_to
from ..transforms import custom_vjp
from ._graph import Call, op
from ._indexing import divided_by_frequency
from ._shapes import optional


def static(call: Call, *operands: Laid) -> List[Tensor]:
    found = [x.plain() for x in operands]
    if any(None in x._dims for x in found):
        raise call.unsupported("of sizes that the call chooses")
    return found


def _only_first(call: Call, result: Tensor) -> List[Any]:
    """Results of which the others say how it was done."""
    kinds: Any = call.result
    for place in range(1, len(kinds)):
        if call.wants(place) and not _is_information(call, place):
            raise call.unsupported("with its factors as results")
    # All results have the sizes in front of the matrices, which a call may choose.
    shapes = [[own if isinstance(own, int) else found for own, found in zip(kind.shape, [*result._dims, None])]
              for kind in kinds]  # fmt: skip
    others = [Laid(_ops.zeros([one or 0 for one in shapes[place]], _dtypes.int32)) if _is_information(call, place)
              else None for place in range(1, len(kinds))]  # fmt: skip
    return [Laid(result), *others]


def _is_information(call: Call, place: int) -> bool:
    """Returns true if a result is the number of the first pivot that is 0, which only an error reads."""
    return bool(call.result[place].dtype.is_signed and not call.result[place].is_floating_point()
                and place == len(call.result) - 1)  # fmt: skip


@op("_linalg_solve_ex.default", without="check_errors")
def _solve(call: Call, a: Laid, b: Laid, *, left: bool = True) -> List[Any]:
    matrix, right = static(call, a, b)
    # One vector for each matrix has a dimension less.
    is_vector = right.ndim == 1 or right.ndim == matrix.ndim - 1 and right._dims == matrix._dims[:-1]
    wide = _ops.expand_dims(right, -1) if is_vector else right
    if not left:
        matrix, wide = matrix.mT, wide.mT
    found = linalg.solve(matrix, wide)
    found = found if left else found.mT
    return _only_first(call, _ops.squeeze(found, -1) if is_vector else found)


@op("linalg_inv_ex.default", without="check_errors")
def _inverse(call: Call, a: Laid) -> List[Any]:
    return _only_first(call, linalg.inv(*static(call, a)))


@op("_linalg_det.default")
def _determinant(call: Call, a: Laid) -> List[Any]:
    return _only_first(call, linalg.det(*static(call, a)))


@op("_linalg_slogdet.default")
def _log_determinant(call: Call, a: Laid) -> List[Any]:
    sign, log = linalg.slogdet(*static(call, a))
    if call.wants(2) or call.wants(3):
        raise call.unsupported("with its factors as results")
    return [Laid(sign), Laid(log), None, None]


@custom_vjp
def of_one_triangle(a: Tensor) -> Tensor:
    """The symmetric matrices of which the lower triangles are read, as LAPACK reads them."""
    return _ops.tril(a) + _ops.tril(a, -1).mT


@of_one_triangle.defvjp
def of_one_triangle_vjp(_: Tensor, weights: Tensor) -> Tensor:
    """PyTorch's derivatives are those of a symmetric matrix, though one triangle is read."""
    half = weights * 0.5
    return half + half.mT


@op("linalg_cholesky_ex.default", without="check_errors")
def _cholesky(call: Call, a: Laid, *, upper: bool = False) -> List[Any]:
    (matrix,) = static(call, a)
    factor = linalg.cholesky(of_one_triangle(matrix.mT if upper else matrix))
    return _only_first(call, factor.mT if upper else factor)


def _with_front(results: Sequence[Tensor], a: Tensor) -> List[Laid]:
    """Factors of matrices in one dimension, in the dimensions that the matrices had."""
    return [Laid(reshape_to(x, [*sizes(a)[:-2], *sizes(x)[1:]])) for x in results]


def _flat(matrix: Tensor) -> Tensor:
    known = [size or 0 for size in matrix._dims]
    return reshape_to(matrix, [int(np.prod(known[:-2])), *known[-2:]])


def _of_none(call: Call, dtype: Any) -> List[Laid]:
    """The factors of matrices without elements: no elements, or where there are some, identities."""
    results = []
    for kind in call.result:
        shape = list(kind.shape)
        if any(not isinstance(one, int) for one in shape):
            raise call.unsupported("without elements, of sizes that the call chooses")
        whole = _ops.eye(shape[-2], shape[-1], dtype=dtype) if kind.numel() else _ops.zeros([], dtype)
        results.append(Laid(_ops.broadcast_to(whole, shape)))
    return results


@op("linalg_qr.default")
def _qr(call: Call, a: Laid, mode: str = "reduced") -> List[Laid]:
    (matrix,) = static(call, a)
    if 0 in matrix._dims:
        return _of_none(call, matrix.dtype)
    if mode == "complete" and (a.shape[-2] or 0) > (a.shape[-1] or 0):
        raise call.unsupported("with mode='complete' of more rows than columns, which has no derivative")
    q, r = _with_front(_factors.qr(_flat(matrix)), matrix)
    return [Laid(_ops.zeros([0], matrix.dtype)) if mode == "r" else q, r]


@op("_linalg_eigh.default", without="compute_v")
def _eigh(call: Call, a: Laid, UPLO: str = "L") -> List[Laid]:
    (matrix,) = static(call, a)
    if 0 in matrix._dims:
        return _of_none(call, matrix.dtype)
    flat = _flat(matrix)
    return _with_front(_factors.eigh(of_one_triangle(flat if UPLO.upper() == "L" else flat.mT)), matrix)


@op("_linalg_svd.default", without="driver")
def _svd(call: Call, a: Laid, full_matrices: bool = False, compute_uv: bool = True) -> List[Laid]:
    (matrix,) = static(call, a)
    if 0 in matrix._dims:
        return _of_none(call, matrix.dtype)
    if full_matrices and compute_uv and a.shape[-2] != a.shape[-1]:
        raise call.unsupported("with full_matrices=True of matrices that are not square")
    return _with_front(_factors.svd(_flat(matrix)), matrix)


@op("linalg_solve_triangular.default")
def _solve_triangular(
    call: Call, a: Laid, b: Laid, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Laid:
    matrix, right = static(call, a, b)
    if not left:
        # x a = b is a^T x^T = b^T.
        found = linalg.solve_triangular(matrix, right.mT, lower=not upper, trans=True, unit_diagonal=unitriangular)
        return Laid(found.mT)
    return Laid(linalg.solve_triangular(matrix, right, lower=not upper, unit_diagonal=unitriangular))


def _solver_by_factor(upper: bool) -> Any:
    """Returns a function of a Cholesky factor L and of b, x of (L L^T) x = b, with PyTorch's derivative by L: that of
    the product, also in the triangle that is not read."""

    @custom_vjp
    def solve(factor: Tensor, b: Tensor) -> Tensor:
        first = linalg.solve_triangular(factor, b, lower=not upper, trans=upper)
        return linalg.solve_triangular(factor, first, lower=not upper, trans=not upper)

    @solve.defvjp
    def rule(factor: Tensor, b: Tensor, gradient: Tensor) -> Tuple[Tensor, Tensor]:
        own = solve(factor, gradient)
        outer = _ops.matmul(own, solve(factor, b).mT)
        both = _ops.add(outer, outer.mT)
        return _ops.negative(_ops.matmul(factor, both) if upper else _ops.matmul(both, factor)), own

    return solve


_SOLVERS_BY_FACTOR = {upper: _solver_by_factor(upper) for upper in (False, True)}


@op("cholesky_solve.default")
def _cholesky_solve(call: Call, b: Laid, factor: Laid, upper: bool = False) -> Laid:
    right, own = static(call, b, factor)
    return Laid(_SOLVERS_BY_FACTOR[bool(upper)](own, right))


@op("linalg_vector_norm.default")
def _vector_norm(
    call: Call, x: Laid, order: float, axes: Optional[Sequence[int]], keepdims: bool
) -> Laid:
    data = _ops.cast(x.plain(), call.dtype)
    # A number may have its dimension 0 named.
    places = tuple(axis % x.ndim for axis in axes) if axes and x.ndim else tuple(range(x.ndim))
    return Laid(_norm(data, float(order), places, keepdims))


def _norm(x: Tensor, order: float, axes: Sequence[int], keepdims: bool = False) -> Tensor:
    """Computes the norm of vectors along dimensions; its derivative at 0 is 0. A number is a vector of one element."""
    if not axes:
        return _ops.cast(_ops.not_equal(x, 0), x.dtype) if order == 0 else _ops.absolute(x)
    if abs(order) == float("inf"):
        return (_ops.max if order > 0 else _ops.min)(_ops.absolute(x), tuple(axes), keepdims)
    if order == 0:
        return _ops.cast(_ops.count_nonzero(x, tuple(axes), keepdims), x.dtype)
    return power_norm(x, order, tuple(axes), keepdims)


@op("_cdist_forward.default", without="compute_mode")
def _distances(call: Call, a: Laid, b: Laid, p: float) -> Laid:
    """Between all rows of both."""
    return Laid(_length(_ops.expand_dims(a.plain(), -2) - _ops.expand_dims(b.plain(), -3), float(p)))


@op("_pdist_forward.default")
def _distances_of_pairs(call: Call, x: Laid, p: float = 2.0) -> Laid:
    """Returns the distances between each row and those after it."""
    if x.shape[0] is None:
        raise call.unsupported("of rows that the call chooses")
    first, second = (place.astype(np.int32) for place in np.triu_indices(x.shape[0], 1))
    data = x.plain()
    return Laid(_length(_ops.take(data, first, 0) - _ops.take(data, second, 0), float(p)))


def _length(x: Tensor, p: float) -> Tensor:
    """The norm of order p along the last dimension. If several elements are the largest one, each has the whole
    derivative, as distances of PyTorch do; its norms share it."""
    if p != float("inf") or x._dims[-1] == 0:
        return _norm(x, p, [-1])
    size = _ops.absolute(x)
    largest = _ops.stop_gradient(_ops.max(size, -1))
    is_largest = _ops.logical_and(_ops.equal(size, _ops.expand_dims(largest, -1)), _ops.isfinite(size))
    # 0, with the derivatives.
    change = _ops.where(is_largest, _ops.subtract(size, _ops.stop_gradient(size)), _ops.zeros_like(size))
    return _ops.add(largest, _ops.sum(change, -1))


@op("dist.default")
def _distance(call: Call, a: Laid, b: Laid, p: float = 2) -> Laid:
    difference = _ops.subtract(_ops.cast(a.plain(), call.dtype), _ops.cast(b.plain(), call.dtype))
    return Laid(_norm(difference, float(p), list(range(difference.ndim))))


@op("triangular_solve.default")
def _triangular_solve(
    call: Call, b: Laid, a: Laid, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> List[Laid]:
    right, matrix = static(call, b, a)
    found = linalg.solve_triangular(matrix, right, lower=not upper, trans=transpose, unit_diagonal=unitriangular)
    return [Laid(found), a]


@op("cholesky_inverse.default")
def _cholesky_inverse(call: Call, factor: Laid, upper: bool = False) -> Laid:
    (own,) = static(call, factor)
    whole = _ops.broadcast_to(_ops.eye(own._dims[-1] or 0, dtype=own.dtype), own._dims)
    return Laid(_SOLVERS_BY_FACTOR[bool(upper)](own, whole))


@op("renorm.default")
def _renorm(call: Call, x: Laid, p: float, axis: int, largest: float) -> Laid:
    """Slices along a dimension, those of a larger norm scaled down to it."""
    data = x.plain()
    others = [place for place in range(x.ndim) if place != axis % x.ndim]
    size = _norm(data, float(p), others, True)
    factor = _ops.where(_ops.greater(size, largest), _ops.divide(largest, _ops.add(size, 1e-7)), 1.0)
    return Laid(_ops.multiply(data, factor))


# A gradient that is sparse has the same elements.
@op("_embedding_bag.default", "_embedding_bag_forward_only.default", without="sparse")
def _embedding_bag(
    call: Call, table: Laid, indices: Laid, offsets: Laid, by_frequency: bool, mode: int, *,
    per_sample_weights: Optional[Laid], include_last_offset: bool, padding_idx: int,
) -> List[Any]:  # fmt: skip
    """Sums or means of rows of bags, which begin at offsets."""
    if mode == 2:
        raise call.unsupported("with mode='max'")
    if any(call.wants(place) for place in (1, 2, 3)):
        raise call.unsupported("with more than the rows of bags")
    rows, index, starts = table.plain(), indices.plain(), offsets.plain()
    if None in index._dims or None in starts._dims:
        raise call.unsupported("of sizes that the call chooses")
    starts = starts[:-1] if include_last_offset else starts
    numbers = _ops.arange(index._dims[0] or 0)
    bag = _ops.searchsorted(starts, _ops.cast(numbers, starts.dtype), "right") - 1
    weights = optional(per_sample_weights)
    factors = _ops.ones((index._dims[0] or 0,), rows.dtype) if weights is None else weights
    if padding_idx >= 0:
        factors = _ops.where(index == padding_idx, 0.0, factors)
    taken = _ops.take(rows, index, 0)
    if by_frequency:
        taken = divided_by_frequency(taken, index, size(rows, 0))
    taken = taken * _ops.expand_dims(factors, 1)
    total = nn.scatter_add(_ops.zeros([starts._dims[0] or 0, rows._dims[1] or 0], rows.dtype), bag, taken, 0)
    if mode == 1:
        present = _ops.cast(index != padding_idx, rows.dtype)
        count = nn.scatter_add(_ops.zeros([starts._dims[0] or 0], rows.dtype), bag, present, 0)
        total = total / _ops.expand_dims(_ops.maximum(count, 1.0), 1)
    return [Laid(total), None, None, None]
