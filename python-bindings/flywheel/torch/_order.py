# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of aten that find elements by their order."""

from typing import Any, Callable, List, Optional, Union

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, as_tensor
from .._frontends.layouts import Laid
from .._ops.checks import expect_at_most
from .._ops.emission import index_of, index_op, of_size, size, sizes
from .._ops.order import places_in_order, taken
from .._ops.shapes import reshape_to
from ._graph import Call, op

# The largest dimension of a running extremum, which compares all pairs.
_MOST_RUNNING = 2048


def _ordered(call: Call, x: Laid, axis: int, descending: bool, count: Optional[int] = None) -> List[Laid]:
    """Returns the first elements of a dimension in sorted order, and their indices."""
    data = x.plain()
    if data.ndim == 0:
        return [x, Laid(_ops.zeros([], _dtypes.int64))]
    axis %= data.ndim
    order = places_in_order(data, axis, descending)
    total = size(data, axis)
    if count is not None and not isinstance(total, int):
        expect_at_most(count, total, "topk: k")
        order = _ops.take(order, np.arange(count, dtype=np.int32), axis)
    elif count is not None and count != total:
        order = _ops.getitem(order, (*[slice(None)] * axis, slice(0, count)))
    return [Laid(taken(data, order, axis)), Laid(_ops.cast(order, _dtypes.int64))]


# Equal elements always stay in order.
@op("sort.default", "sort.stable", without="stable")
def _sort(call: Call, x: Laid, *, dim: int, descending: bool) -> List[Laid]:
    return _ordered(call, x, dim, descending)


@op("argsort.default", "argsort.stable", without="stable")
def _argsort(call: Call, x: Laid, *, dim: int, descending: bool) -> Laid:
    return _ordered(call, x, dim, descending)[1]


@op("topk.default", without="sorted")
def _topk(call: Call, x: Laid, count: int, axis: int = -1, largest: bool = True) -> List[Laid]:
    return _ordered(call, x, axis, largest, count)


def _at(parts: List[Laid], axis: int, place: Union[int, Tensor], keepdims: bool) -> List[Laid]:
    """Returns the element at a place of the order, and its index. A step fails where there is no such place."""
    index = _ops.reshape(_ops.cast(as_tensor(place), _dtypes.int64), (1,))
    found = (_ops.take(y.plain(), index, axis) for y in parts)
    return [Laid(y if keepdims else _ops.squeeze(y, axis)) for y in found]


@op("kthvalue.default")
def _kthvalue(call: Call, x: Laid, k: int, axis: int = -1, keepdims: bool = False) -> List[Laid]:
    parts = _ordered(call, x, axis, False)
    return parts if x.ndim == 0 else _at(parts, axis % x.ndim, k - 1, keepdims)


@op("median.dim")
def _median(call: Call, x: Laid, axis: int, keepdims: bool = False) -> List[Laid]:
    """Returns the lower of two in the middle; where an element is NaN, the first NaN."""
    parts = _ordered(call, x, axis, False)
    if x.ndim == 0:
        return parts
    axis %= x.ndim
    count = size(x.plain(), axis)
    last = index_op("subi", index_op("maxsi", count, 1), 1)
    middle = of_size(index_of(index_op("divsi", last, 2)))
    values, places = _at(parts, axis, middle, keepdims)
    if _dtypes.is_floating(x.dtype):
        nans = _ops.isnan(x.plain())
        is_nan = _ops.any(nans, axis, keepdims=keepdims)
        first = _ops.cast(_ops.argmax(nans, axis, keepdims=keepdims), _dtypes.int64)
        values = Laid(_ops.where(is_nan, float("nan"), values.plain()))
        places = Laid(_ops.where(is_nan, first, places.plain()))
    return [values, places]


@op("nanmedian.dim")
def _nanmedian(call: Call, x: Laid, axis: int, keepdims: bool = False) -> List[Laid]:
    """The lower one of those in the middle of the elements that are numbers."""
    parts = _ordered(call, x, axis, False)
    if x.ndim == 0:
        return parts
    axis %= x.ndim
    # NaN comes last.
    numbers = _ops.cast(_ops.logical_not(_ops.isnan(x.plain())), _dtypes.int64)
    count = _ops.sum(numbers, axis, keepdims=True)
    place = _ops.maximum(_ops.floor_divide(_ops.subtract(count, 1), 2), 0)
    found = [_ops.take_along_axis(part.plain(), place, axis) for part in parts]
    return [Laid(y if keepdims else _ops.squeeze(y, axis)) for y in found]


@op("median.default", "nanmedian.default")
def _median_of_all(call: Call, x: Laid) -> Laid:
    """Its derivative is shared by elements that are equal to it."""
    data = x.plain()
    flat = reshape_to(data, [_ops.shapes._product(sizes(data))])
    function = _nanmedian if "nan" in str(call.node.target) else _median
    found = _ops.stop_gradient(function(call, Laid(flat), 0)[0].plain())
    if not _dtypes.is_floating(data.dtype):
        return Laid(found)
    is_own = _ops.logical_or(_ops.equal(flat, found), _ops.logical_and(_ops.isnan(flat), _ops.isnan(found)))
    clean = _ops.where(_ops.isnan(flat), 0.0, flat)
    change = _ops.where(is_own, _ops.subtract(clean, _ops.stop_gradient(clean)), 0.0)
    return Laid(_ops.add(found, _ops.divide(_ops.sum(change), _ops.sum(_ops.cast(is_own, data.dtype)))))


@op("mode.default")
def _mode(call: Call, x: Laid, axis: int = -1, keepdims: bool = False) -> List[Laid]:
    """The least of the elements that are most frequent, and the last place that it is at."""
    data = x.plain()
    if data.ndim == 0:
        return [x, Laid(_ops.zeros([], _dtypes.int64))]
    axis %= data.ndim
    total = data._dims[axis]
    if total is None or total > _MOST_RUNNING:
        raise call.unsupported(f"of more than {_MOST_RUNNING} elements, or of a size that the call chooses")
    values, order = (_ops.moveaxis(part.plain(), axis, -1) for part in _ordered(call, x, axis, False))
    fixed = _ops.stop_gradient(values)
    is_same = _ops.equal(_ops.expand_dims(fixed, -1), _ops.expand_dims(fixed, -2))
    # In sorted order the last one of a run is as many places after the first one as there are others. NaN equals none.
    count = _ops.sum(_ops.cast(is_same, _dtypes.int32), -1)
    first = _ops.argmax(count, -1, keepdims=True)
    length = _ops.take_along_axis(count, first, -1)
    last = _ops.add(_ops.cast(first, _dtypes.int32), _ops.maximum(_ops.subtract(length, 1), 0))
    places = _ops.take_along_axis(order, last, -1)
    back: Tensor = _ops.moveaxis(places, -1, axis)
    found = [_ops.take_along_axis(data, back, axis), back]
    return [Laid(y if keepdims else _ops.squeeze(y, axis)) for y in found]


@op("cummax.default", "cummin.default")
def _running_extremum(call: Call, x: Laid, axis: int) -> List[Laid]:
    """The largest element so far, and the last place that it is at."""
    data = x.plain()
    if data.ndim == 0:
        return [x, Laid(_ops.zeros([], _dtypes.int64))]
    axis %= data.ndim
    total = data._dims[axis]
    if total is None or total > _MOST_RUNNING:
        raise call.unsupported(f"of more than {_MOST_RUNNING} elements, or of a size that the call chooses")
    rows = _ops.moveaxis(data, axis, -1)
    is_max, floats = "cummax" in str(call.node.target), _dtypes.is_floating(data.dtype)
    function: Callable[..., Any] = _ops.max if is_max else _ops.min
    earlier = as_tensor(np.tril(np.ones((total, total), bool)))
    each = _ops.expand_dims(_ops.stop_gradient(rows), -2)
    first = _ops.expand_dims(_ops.stop_gradient(rows), -1)
    # Later elements are replaced by the element itself, which does not change the extremum.
    best = function(_ops.where(earlier, each, first), -1, keepdims=True)
    is_best = _ops.equal(each, best)
    if floats:
        has_nan = _ops.any(_ops.logical_and(earlier, _ops.isnan(each)), -1, keepdims=True)
        is_best = _ops.where(has_nan, _ops.isnan(each), is_best)
    numbers = as_tensor(np.arange(total, dtype=np.int64))
    places = _ops.max(_ops.where(_ops.logical_and(is_best, earlier), numbers, as_tensor(-1, _dtypes.int64)), -1)
    back: Tensor = _ops.moveaxis(places, -1, axis)
    return [Laid(_ops.take_along_axis(data, back, axis)), Laid(back)]
