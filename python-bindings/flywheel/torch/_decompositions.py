# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of aten on factors of matrices: LU, reflections, pseudo-inverses, roots and exponentials."""

from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from .. import _ops
from .. import nn as nn
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, as_tensor
from .._frontends.layouts import Laid
from .._numerics import factors as _factors
from .._numerics import matrix_functions as _matrix_functions
from .._ops.emission import Size, sizes
from .._ops.shapes import _product, reshape_to
from ..transforms import custom_vjp
from ._graph import Call, op
from ._linalg import static


def _rows(x: Tensor, trailing: int = 2) -> Tensor:
    """Matrices, or vectors, in one dimension."""
    own = sizes(x)
    return reshape_to(x, [_product(own[: x.ndim - trailing]), *own[x.ndim - trailing :]])


def _front(x: Tensor, trailing: int = 2) -> List[Size]:
    return sizes(x)[: x.ndim - trailing]


def _back(x: Tensor, front: Sequence[Size]) -> Tensor:
    """Matrices of one dimension in the dimensions that others had."""
    return reshape_to(x, [*front, *sizes(x)[1:]])


def _together(*tensors: Tuple[Tensor, int]) -> Tuple[List[Tensor], List[Size]]:
    """Tensors in one leading dimension, of which some trailing ones are kept, and the leading ones that they broadcast
    to."""
    shapes = [x._dims[: x.ndim - trailing] for x, trailing in tensors]
    front: List[Size] = [one or 0 for one in _ops.emission.broadcast_shapes(*shapes)]
    wide = [_ops.emission.stretch(x, [*front, *sizes(x)[x.ndim - trailing :]]) for x, trailing in tensors]
    return [_rows(x, trailing) for x, (_, trailing) in zip(wide, tensors)], front


#
# LU
#


def _expect_pivots(call: Call, pivot: bool) -> None:
    if not pivot:
        raise call.unsupported("with pivot=False")


@op("linalg_lu_factor_ex.default", without="check_errors")
def _lu_factor(call: Call, a: Laid, *, pivot: bool = True) -> List[Laid]:
    _expect_pivots(call, pivot)
    (matrix,) = static(call, a)
    front = _front(matrix)
    both, _, exchanges = _factors.lu(_rows(matrix))
    # LAPACK counts from 1, and the information is the number of the first pivot that is 0.
    return [Laid(_back(both, front)), Laid(_back(_ops.add(exchanges, 1), front)),
            Laid(reshape_to(_first_zero(both), front))]  # fmt: skip


def _first_zero(both: Tensor) -> Tensor:
    k = min(both._dims[1] or 0, both._dims[2] or 0)
    count = _ops.dim(both, 0)
    if k == 0:
        return _ops.zeros((count,), _dtypes.int32)
    is_zero = _ops.equal(_ops.stop_gradient(_ops.diagonal(both, 0, 1, 2)), 0.0)
    place = _ops.add(_ops.cast(_ops.argmax(is_zero, 1), _dtypes.int32), 1)
    return _ops.where(_ops.any(is_zero, 1), place, 0)


def _permutation(rows: Tensor, dtype: Any) -> Tensor:
    """P [count, m, m] of a = P L U, where row i of L U is row `rows[i]` of a."""
    m = rows._dims[1] or 0
    numbers = _ops.arange(m, dtype=_dtypes.int32)
    return _ops.cast(_ops.equal(_ops.expand_dims(rows, 1), _ops.expand_dims(numbers, 1)), dtype)


@op("linalg_lu.default")
def _lu(call: Call, a: Laid, *, pivot: bool = True) -> List[Laid]:
    _expect_pivots(call, pivot)
    (matrix,) = static(call, a)
    both, rows, _ = _factors.lu(_rows(matrix))
    parts = [_permutation(rows, matrix.dtype), *_factors.triangles(both)]
    return [Laid(_back(part, _front(matrix))) for part in parts]


def _rows_of(pivots: Tensor, m: int) -> Tensor:
    return _factors.rows_of_exchanges(_ops.subtract(pivots, 1), m)


@op("lu_unpack.default")
def _lu_unpack(
    call: Call, both: Laid, pivots: Laid, unpack_data: bool = True, unpack_pivots: bool = True
) -> List[Laid]:
    matrix, exchanges = static(call, both, pivots)
    front, none = _front(matrix), Laid(_ops.zeros([0], matrix.dtype))
    results = [none, none, none]
    if unpack_pivots:
        rows = _rows_of(_rows(exchanges, 1), matrix._dims[-2] or 0)
        results[0] = Laid(_back(_permutation(rows, matrix.dtype), front))
    if unpack_data:
        results[1:] = [Laid(_back(part, front)) for part in _factors.triangles(_rows(matrix))]
    return results


@op("linalg_lu_solve.default")
def _lu_solve(call: Call, both: Laid, pivots: Laid, b: Laid, *, left: bool = True, adjoint: bool = False) -> Laid:
    matrix, exchanges, right = static(call, both, pivots, b)
    if not left:
        # x a = b is a^T x^T = b^T.
        right, adjoint = right.mT, not adjoint
    (lu, turns, wide), front = _together((matrix, 2), (exchanges, 1), (right, 2))
    if 0 in wide._dims:
        found = wide
    elif adjoint:
        first = nn.triangular_solve(lu, wide, "upper", transpose=True)
        second = nn.triangular_solve(lu, first, "lower", transpose=True, unit_diagonal=True)
        found = _ops.matmul(_permutation(_rows_of(turns, lu._dims[1] or 0), lu.dtype), second)
    else:
        rows = _ops.expand_dims(_rows_of(turns, lu._dims[1] or 0), 2)
        moved = _ops.take_along_axis(wide, _ops.broadcast_to(rows, wide._dims), 1)
        first = nn.triangular_solve(lu, moved, "lower", unit_diagonal=True)
        found = nn.triangular_solve(lu, first, "upper")
    found = _back(found, front)
    return Laid(found if left else found.mT)


#
# Reflections
#


@op("linalg_householder_product.default")
def _householder_product(call: Call, vectors: Laid, factors: Laid) -> Laid:
    matrix, scales = static(call, vectors, factors)
    flat = _rows(matrix)
    start = _ops.broadcast_to(_ops.eye(flat._dims[1] or 0, flat._dims[2] or 0, dtype=flat.dtype), flat._dims)
    return Laid(_back(_matrix_functions.reflected(flat, _rows(scales, 1), start, False), _front(matrix)))


@op("ormqr.default")
def _ormqr(
    call: Call, vectors: Laid, factors: Laid, x: Laid, left: bool = True, transpose: bool = False
) -> Laid:
    matrix, scales, other = static(call, vectors, factors, x)
    # x Q is (Q^T x^T)^T.
    flat = _rows(other if left else other.mT)
    found = _matrix_functions.reflected(_rows(matrix), _rows(scales, 1), flat, transpose == left)
    found = _back(found, _front(other))
    return Laid(found if left else found.mT)


#
# Functions
#


def _along(call: Call, function: Any, *matrices: Tensor) -> List[Laid]:
    """The results of a function of matrices in one dimension; of those without elements they have none."""
    if 0 in matrices[0]._dims:
        kinds = call.result if isinstance(call.result, (list, tuple)) else [call.result]
        return [Laid(_ops.zeros(list(kind.shape), matrices[0].dtype)) for kind in kinds]
    found = function(*map(_rows, matrices))
    listed = found if isinstance(found, (list, tuple)) else [found]
    return [Laid(_back(one, _front(matrices[0]))) for one in listed]


@op("linalg_matrix_exp.default", "matrix_exp.default")
def _matrix_exp(call: Call, a: Laid) -> Laid:
    return _along(call, _matrix_functions.matrix_exp, *static(call, a))[0]


@op("linalg_matrix_sqrth.default")
def _matrix_root(call: Call, a: Laid) -> Laid:
    return _along(call, _matrix_functions.root_of_symmetric, *static(call, a))[0]


@op("linalg_polar.default")
def _polar(call: Call, a: Laid) -> List[Laid]:
    (matrix,) = static(call, a)
    if (matrix._dims[-2] or 0) < (matrix._dims[-1] or 0):
        raise call.unsupported("of fewer rows than columns")
    return _along(call, _matrix_functions.polar, matrix)


def _threshold(given: Optional[Laid], default: float, front: Sequence[Size], dtype: Any) -> Tensor:
    value = as_tensor(default, dtype) if given is None else _ops.cast(given.plain(), dtype)
    return reshape_to(_ops.emission.stretch(value, front), [_product(front)])


@op("linalg_pinv.atol_rtol_tensor")
def _pinv(
    call: Call, a: Laid, *, atol: Optional[Laid] = None, rtol: Optional[Laid] = None, hermitian: bool = False
) -> Laid:
    """By default singular values count as 0 up to a share of the largest one: that of rounding, unless an absolute
    threshold above 0 is given."""
    (matrix,) = static(call, a)
    front = _front(matrix)
    default = float(np.finfo(matrix.dtype).eps) * max(matrix._dims[-2] or 0, matrix._dims[-1] or 0)
    absolute = _threshold(atol, 0.0, front, matrix.dtype)
    relative = _threshold(rtol, default, front, matrix.dtype)
    if rtol is None and atol is not None:
        relative = _ops.where(_ops.greater(absolute, 0.0), 0.0, relative)
    function = _pinv_of_symmetric if hermitian else _matrix_functions.pseudo_inverse
    return _along(call, lambda flat: function(flat, absolute, relative), matrix)[0]


@custom_vjp
def _pinv_of_symmetric(flat: Tensor, absolute: Tensor, relative: Tensor) -> Tensor:
    symmetric = _ops.tril(flat) + _ops.tril(flat, -1).mT
    found: Tensor = _matrix_functions.pseudo_inverse(symmetric, absolute, relative)
    return found


@_pinv_of_symmetric.defvjp
def _pinv_of_symmetric_vjp(
    flat: Tensor, absolute: Tensor, relative: Tensor, weights: Tensor
) -> Tuple[Tensor, None, None]:
    """PyTorch reads a triangle, and has the derivative by all elements as they are given."""
    found = _pinv_of_symmetric(flat, absolute, relative)
    return _matrix_functions.slope_of_inverse(flat, found, weights), None, None
