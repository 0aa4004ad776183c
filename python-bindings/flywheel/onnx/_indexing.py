# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of ONNX that take and put elements at indices, and in order."""

from typing import Any, Tuple

import numpy as np

from .. import _dtypes, _ops
from .. import nn as nn
from .._layouts import Laid, size_tensor
from .._ops._core import size, sizes
from .._ops._order import MOST_SORTED, places_in_order, taken
from .._ops._shapes import reshape_to
from .._scatters import element_places, flat_rows
from .._tensor import Tensor
from ._graph import Call, op
from ._known import Known


def _wrapped(indices: Any, x: Tensor, place: int) -> Any:
    """Indices of which negative ones count from the end."""
    if isinstance(indices, Known):
        if indices.is_static and x.shape[place] is not None:
            return np.ascontiguousarray(indices.array)
        indices = indices.laid()
    data = indices.plain() if isinstance(indices, Laid) else indices
    total = size_tensor(size(x, place), data.dtype)
    return _ops.where(_ops.less(data, 0), _ops.add(data, total), data)


@op("Gather", raw=(1,))
def _gather(call: Call, x: Laid, indices: Any) -> Laid:
    axis = call.axis(x)
    place = x.place(axis)
    if isinstance(indices, Known) and indices.is_static and indices.ndim == 0:
        key = (*[slice(None)] * place, int(indices.array))
        return Laid(_ops.getitem(x.data, key), [other - (other > axis) for other in x.order if other != axis])
    data = x.plain()
    if _dtypes.is_bool(data.dtype):
        taken = _ops.take(_ops.cast(data, _dtypes.int8), _wrapped(indices, data, axis), axis)
        return Laid(_ops.cast(taken, bool))
    return Laid(_ops.take(data, _wrapped(indices, data, axis), axis))


@op("GatherElements", raw=(1,))
def _gather_elements(call: Call, x: Laid, indices: Any) -> Laid:
    axis, data = call.axis(x), x.plain()
    for other, (own, wanted) in enumerate(zip(data.shape, indices.shape)):
        if other != axis and own != wanted:
            if own is None or wanted is None or wanted > own:
                raise call.unsupported(f"of {x.shape} at indices {indices.shape}")
            data = _ops.getitem(data, (*[slice(None)] * other, slice(0, wanted)))
    is_bool = _dtypes.is_bool(data.dtype)
    data = _ops.cast(data, _dtypes.int8) if is_bool else data
    taken = _ops.take_along_axis(data, _wrapped(indices, data, axis), axis)
    return Laid(_ops.cast(taken, bool) if is_bool else taken)


@op("GatherND")
def _gather_nd(call: Call, x: Laid, indices: Laid) -> Laid:
    if call.attribute("batch_dims"):
        raise call.unsupported("with batch_dims")
    data, count = x.plain(), indices.shape[-1]
    if count is None or count == 0 or count > x.ndim:
        raise ValueError(f"expected indices of 1 to {x.ndim} numbers, found {count}")
    flat, rows = _flat_rows(call, data, indices.plain(), count)
    taken = _ops.take(rows, flat, 0)
    return Laid(reshape_to(taken, [*sizes(indices.plain())[:-1], *sizes(data)[count:]]))


def _flat_rows(call: Call, data: Tensor, indices: Tensor, count: int) -> Tuple[Tensor, Tensor]:
    if None in data.shape[:count]:
        raise call.unsupported("of sizes that the call chooses")
    return flat_rows(data, indices, count)


def _put(call: Call, rows: Tensor, flat: Tensor, updates: Tensor) -> Tensor:
    """Rows with those of `updates` at indices, put or added there."""
    kind = call.word("reduction", "none", "add")
    return (nn.scatter if kind == "none" else nn.scatter_add)(rows, flat, updates, 0)


@op("ScatterND")
def _scatter_nd(call: Call, x: Laid, indices: Laid, updates: Laid) -> Laid:
    data, count = x.plain(), indices.shape[-1]
    if count is None or count == 0 or count > x.ndim:
        raise ValueError(f"expected indices of 1 to {x.ndim} numbers, found {count}")
    flat, rows = _flat_rows(call, data, indices.plain(), count)
    wide = reshape_to(updates.plain(), [size(flat, 0), size(rows, 1)])
    return Laid(reshape_to(_put(call, rows, flat, wide), sizes(data)))


@op("ScatterElements")
def _scatter_elements(call: Call, x: Laid, indices: Laid, updates: Laid) -> Laid:
    axis, data, index = call.axis(x), x.plain(), indices.plain()
    if None in index.shape or None in data.shape:
        raise call.unsupported("of sizes that the call chooses")
    flat, rows = flat_rows(data, element_places(index, axis), x.ndim)
    wide = reshape_to(updates.plain(), [size(flat, 0), 1])
    return Laid(reshape_to(_put(call, rows, flat, wide), sizes(data)))


@op("OneHot", known=(1,))
def _one_hot(call: Call, indices: Laid, depth: Known, values: Laid) -> Laid:
    count = int(depth.array.reshape(-1)[0])
    index, axis = indices.plain(), call.attribute("axis")
    index = _ops.cast(index, _dtypes.int64)
    index = _ops.where(_ops.less(index, 0), _ops.add(index, count), index)
    pair = values.plain()
    off, on = (_ops.getitem(pair, place) for place in (0, 1))
    result = _ops.where(_ops.one_hot(index, count, bool), on, off)
    return Laid(_ops.moveaxis(result, result.ndim - 1, axis))


@op("TopK", without="sorted", known=(1,))
def _top_k(call: Call, x: Laid, k: Known) -> Any:
    axis, data = call.axis(x), x.plain()
    total, count = data.shape[axis], k.array.reshape(-1)[0]
    if total is None or total > MOST_SORTED or not k.is_static:
        raise call.unsupported(f"of more than {MOST_SORTED} elements, or of a size that the call chooses")
    if not 0 <= int(count) <= total:
        raise ValueError(f"expected k from 0 to {total}, found {count}")
    order = places_in_order(data, axis, descending=call.flag("largest"))
    order = _ops.getitem(order, (*[slice(None)] * axis, slice(0, int(count))))
    return [Laid(taken(data, order, axis)), Laid(_ops.cast(order, _dtypes.int64))]
