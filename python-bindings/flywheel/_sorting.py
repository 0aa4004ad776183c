# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sorting, for models of other frameworks: all pairs of elements are compared."""

import numpy as np

from . import _dtypes, _ops
from ._tensor import Tensor, as_tensor

# How many elements a dimension that is sorted may have.
MOST_SORTED = 4096


def order_of(comes_before: Tensor, count: int) -> Tensor:
    """Which element is at each place of the order, int32 [..., count].

    `comes_before` [..., count, count] says of elements i and j whether i comes before j. Of those that no order has,
    the first one comes first.
    """
    before = _ops.logical_and(comes_before, as_tensor(~np.eye(count, dtype=bool)))
    transposed = _ops.swapaxes(before, -1, -2)
    is_equal = _ops.logical_not(_ops.logical_or(before, transposed))
    is_first = _ops.logical_or(before, _ops.logical_and(is_equal, as_tensor(np.triu(np.ones((count, count), bool), 1))))
    # How many elements come before each, and from that which element is at each place.
    rank = _ops.sum(_ops.cast(is_first, _dtypes.int32), -2)
    at_place = _ops.equal(_ops.expand_dims(rank, -1), as_tensor(np.arange(count, dtype=np.int32)))
    numbers = as_tensor(np.arange(count, dtype=np.int32).reshape(-1, 1))
    return _ops.sum(_ops.where(at_place, numbers, as_tensor(0, _dtypes.int32)), -2)


def argsort(x: Tensor, axis: int, descending: bool = False) -> Tensor:
    """The places of the elements of `x` in order along a dimension of static size, int32; NaN is the largest, and
    equal elements stay in order."""
    rows = _ops.moveaxis(x, axis, -1)
    if _dtypes.is_bool(rows.dtype):
        rows = _ops.cast(rows, _dtypes.int8)
    a, b = _ops.expand_dims(rows, -1), _ops.expand_dims(rows, -2)
    if descending:
        a, b = b, a
    comes_before = _ops.less(a, b)
    if _dtypes.is_floating(rows.dtype):
        comes_before = _ops.logical_or(comes_before, _ops.logical_and(_ops.isnan(b), _ops.logical_not(_ops.isnan(a))))
    count = x.shape[axis]
    assert count is not None
    return _ops.moveaxis(order_of(comes_before, count), -1, axis)


def taken(x: Tensor, order: Tensor, axis: int) -> Tensor:
    """The elements of `x` at these places along a dimension."""
    if _dtypes.is_bool(x.dtype):
        return _ops.cast(taken(_ops.cast(x, _dtypes.int8), order, axis), bool)
    return _ops.take_along_axis(x, order, axis)
