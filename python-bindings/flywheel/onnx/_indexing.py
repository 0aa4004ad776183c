# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of ONNX that take and put elements at indices, and in order."""

from typing import Any, List, Optional, Tuple

import numpy as np

from .. import _ops
from .. import nn as nn
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, as_tensor
from .._frontends.layouts import Laid, size_tensor
from .._frontends.scatters import MOST_COMBINED, combine_rows, element_places, flat_rows
from .._ops.emission import normalize_axis, size, sizes, stretch
from .._ops.order import places_in_order, taken
from .._ops.shapes import reshape_to
from ._graph import Call, op
from ._known import Known


def _wrapped(indices: Any, x: Tensor, place: int) -> Any:
    """Indices of which negative ones count from the end."""
    if isinstance(indices, Known):
        if indices.is_static and x._dims[place] is not None:
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
    for other, (own, wanted) in enumerate(zip(data._dims, indices.shape)):
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
    data, count, batches = x.plain(), indices.shape[-1], call.attribute("batch_dims")
    if not 0 <= batches < min(x.ndim, indices.ndim):
        raise ValueError(f"expected batch_dims of 0 to {min(x.ndim, indices.ndim) - 1}, found {batches}")
    if count is None or count == 0 or count + batches > x.ndim:
        raise ValueError(f"expected indices of 1 to {x.ndim - batches} numbers, found {count}")
    if batches:
        return Laid(_gather_in_batches(call, data, indices.plain(), count, batches))
    flat, rows = _flat_rows(call, data, indices.plain(), count)
    taken = _ops.take(rows, flat, 0)
    return Laid(reshape_to(taken, [*sizes(indices.plain())[:-1], *sizes(data)[count:]]))


def _gather_in_batches(call: Call, data: Tensor, indices: Tensor, count: int, batches: int) -> Tensor:
    """Prefixes each index with its place in the first dimensions, which both tensors have."""
    if None in indices._dims[:-1] or None in data._dims:
        raise call.unsupported("with batch_dims, of sizes that the call chooses")
    lead = [one or 0 for one in indices._dims[:-1]]
    places = np.moveaxis(np.indices(lead)[:batches], 0, -1).astype(np.int64)
    whole = _ops.concatenate([as_tensor(places), _ops.cast(indices, _dtypes.int64)], indices.ndim - 1)
    flat, rows = _flat_rows(call, data, whole, batches + count)
    return reshape_to(_ops.take(rows, flat, 0), [*lead, *sizes(data)[batches + count :]])


def _flat_rows(call: Call, data: Tensor, indices: Tensor, count: int) -> Tuple[Tensor, Tensor]:
    if None in data._dims[:count]:
        raise call.unsupported("of sizes that the call chooses")
    return flat_rows(data, indices, count)


_COMBINE = {"mul": _ops.multiply, "max": _ops.maximum, "min": _ops.minimum}


def _put(call: Call, rows: Tensor, flat: Tensor, updates: Tensor) -> Tensor:
    """Returns rows with those of `updates` at indices: replaced, added or combined."""
    kind = call.word("reduction", "none", "add", *_COMBINE)
    if kind in ("none", "add"):
        return (nn.scatter if kind == "none" else nn.scatter_add)(rows, flat, updates, 0)
    count = flat._dims[0]
    if count is None or count > MOST_COMBINED:
        raise call.unsupported(f"with reduction '{kind}' of more than {MOST_COMBINED} places, or of a size that the "
                               "call chooses")  # fmt: skip
    return combine_rows(rows, flat, updates, _COMBINE[kind])


@op("ScatterND")
def _scatter_nd(call: Call, x: Laid, indices: Laid, updates: Laid) -> Laid:
    data, count = x.plain(), indices.shape[-1]
    if count is None or count == 0 or count > x.ndim:
        raise ValueError(f"expected indices of 1 to {x.ndim} numbers, found {count}")
    flat, rows = _flat_rows(call, data, indices.plain(), count)
    wide = reshape_to(updates.plain(), [size(flat, 0), size(rows, 1)])
    return Laid(reshape_to(_put(call, rows, flat, wide), sizes(data)))


@op("ScatterElements", "Scatter")
def _scatter_elements(call: Call, x: Laid, indices: Laid, updates: Laid) -> Laid:
    axis, data, index = call.axis(x), x.plain(), indices.plain()
    if None in index._dims or None in data._dims:
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
    total, count = data._dims[axis], k.array.reshape(-1)[0]
    if total is None or not k.is_static:
        raise call.unsupported("of a size that the call chooses")
    if not 0 <= int(count) <= total:
        raise ValueError(f"expected k from 0 to {total}, found {count}")
    order = places_in_order(data, axis, descending=call.flag("largest"))
    order = _ops.getitem(order, (*[slice(None)] * axis, slice(0, int(count))))
    return [Laid(taken(data, order, axis)), Laid(_ops.cast(order, _dtypes.int64))]


@op("Compress", known=(1,))
def _compress(call: Call, x: Laid, condition: Known) -> Laid:
    kept = np.nonzero(condition.array.reshape(-1))[0]
    if not call.has("axis"):
        return Laid(_ops.take(_ops.reshape(x.plain(), (-1,)), kept, 0))
    return Laid(_ops.take(x.plain(), kept, call.axis(x)))


@op("ReverseSequence")
def _reverse_sequence(call: Call, x: Laid, lengths: Laid) -> Laid:
    time, batch = (normalize_axis(call.attribute(name), x.ndim) for name in ("time_axis", "batch_axis"))
    if x.ndim < 2 or {time, batch} != {0, 1}:
        raise ValueError(f"expected dimensions 0 and 1 as time and batch, found {time} and {batch}")
    data, total = x.plain(), x.shape[time]
    if total is None:
        raise call.unsupported("of a time that the call chooses")
    steps = as_tensor(np.arange(total, dtype=np.int64)[None, :])
    ends = _ops.expand_dims(_ops.cast(lengths.plain(), _dtypes.int64), 1)
    places = _ops.where(_ops.less(steps, ends), _ops.subtract(_ops.subtract(ends, 1), steps), steps)
    places = places if time == 1 else _ops.transpose(places)
    shape: List[Any] = [*sizes(places), *[1] * (x.ndim - 2)]
    return Laid(taken(data, stretch(reshape_to(places, shape), sizes(data)), time))


@op("TensorScatter")
def _tensor_scatter(call: Call, x: Laid, updates: Laid, first: Optional[Laid] = None) -> Laid:
    axis, is_circular = call.axis(x), call.word("mode", "linear", "circular") == "circular"
    data, new, total, count = x.plain(), updates.plain(), x.shape[axis], updates.shape[axis]
    if None in data._dims or None in new._dims or total is None or count is None or axis == 0:
        raise call.unsupported("of sizes that the call chooses, or along the batch")
    starts = _ops.zeros([x.shape[0] or 0], _dtypes.int64) if first is None else first.plain()
    # The update of each place; a place without one is out of range.
    places = _ops.subtract(as_tensor(np.arange(total, dtype=np.int64)[None, :]), _ops.expand_dims(starts, 1))
    places = _ops.mod(places, total) if is_circular else places
    has = _ops.logical_and(_ops.greater_equal(places, 0), _ops.less(places, count))
    shape: List[Any] = [x.shape[0] or 0, *[1] * (axis - 1), total, *[1] * (x.ndim - axis - 1)]
    index = stretch(reshape_to(_ops.where(has, places, 0), shape), sizes(data))
    return Laid(_ops.where(reshape_to(has, shape), taken(new, index, axis), data))
