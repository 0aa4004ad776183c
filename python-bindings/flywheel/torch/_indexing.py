# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of aten that read or write elements at indices, and that sort."""

from typing import Any, List, Optional, Sequence

from .. import _dtypes, _ops
from .._flywheel import Value
from .._layouts import Laid
from .._ops._core import stretch
from .._sorting import MOST_SORTED, argsort, taken
from .._tensor import Tensor
from ._graph import Call, op


@op("embedding.default")
def _embedding(call: Call, table: Laid, indices: Laid, padding: int = -1, *_: Any) -> Laid:
    rows, places = table.plain(), indices.plain()
    found = _ops.take(rows, places, 0)
    if padding < 0:
        return Laid(found)
    # The row of the padding has no gradient.
    is_padding = _ops.expand_dims(_ops.equal(places, padding), -1)
    return Laid(_ops.where(is_padding, _ops.stop_gradient(found), found))


@op("index_select.default")
def _index_select(call: Call, x: Laid, axis: int, indices: Laid) -> Laid:
    return x.like(_ops.take(x.data, indices.plain(), x.place(axis)))


@op("gather.default")
def _gather(call: Call, x: Laid, axis: int, indices: Laid, **_: Any) -> Laid:
    axis %= x.ndim
    own, wanted = x.shape, indices.shape
    if any(own[i] != wanted[i] for i in range(x.ndim) if i != axis):
        raise call.unsupported("of indices with fewer rows than the tensor")
    return Laid(_ops.take_along_axis(x.plain(), indices.plain(), axis))


@op("index.Tensor")
def _index(call: Call, x: Laid, indices: Sequence[Optional[Laid]]) -> Laid:
    data = x.plain()
    keys: List[Any] = []
    for axis, index in enumerate(indices):
        if index is None:
            keys.append(slice(None))
            continue
        if _dtypes.is_bool(index.dtype) or index.dtype == _dtypes.uint8:
            raise call.unsupported("by a mask, whose result has no static shape")
        total = data.shape[axis]
        if total is None:
            raise call.unsupported("of a size that the call chooses")
        places = _ops.cast(index.plain(), _dtypes.int64)
        # They may count from the end.
        keys.append(_ops.where(_ops.less(places, 0), _ops.add(places, total), places))
    return Laid(_ops.getitem(data, tuple(keys)))


@op("slice_scatter.default", "select_scatter.default")
def _scatter_part(call: Call, x: Laid, part: Laid, axis: int = 0, start: Any = None, end: Any = None,
                  step: int = 1) -> Laid:  # fmt: skip
    """`x` with a part replaced: what is in front of it, it, and what is behind it."""
    data, new = x.plain(), _ops.cast(part.plain(), x.dtype)
    axis %= data.ndim
    total = data.shape[axis]
    if total is None or any(isinstance(bound, Value) for bound in (start, end)):
        raise call.unsupported("of a size, or with bounds, that the call chooses")
    if "select" in str(call.node.target):
        new = _ops.expand_dims(new, axis)
        start %= total
        end = start + 1
    first, last, step = slice(start, end, step).indices(total)
    if step != 1:
        raise call.unsupported("with a step")
    if first >= last:
        return x
    new = stretch(new, [last - first if i == axis else s for i, s in enumerate(_ops._core.sizes(data))])
    front = _ops.getitem(data, (*[slice(None)] * axis, slice(0, first)))
    back = _ops.getitem(data, (*[slice(None)] * axis, slice(last, None)))
    parts = [piece for piece, count in ((front, first), (new, last - first), (back, total - last)) if count]
    return Laid(_ops.concatenate(parts, axis) if len(parts) > 1 else parts[0])


#
# Sorting
#


def _order(call: Call, x: Tensor, axis: int, descending: bool) -> Tensor:
    count = x.shape[axis] if x.ndim else 1
    if count is None or count > MOST_SORTED:
        raise call.unsupported(f"of more than {MOST_SORTED} elements, or of a size that the call chooses")
    return argsort(x, axis, descending)


@op("sort.default", "sort.stable", "argsort.default", "argsort.stable")
def _sort(call: Call, x: Laid, dim: int = -1, descending: bool = False, *, stable: Any = None) -> Any:
    data, only_places = x.plain(), "argsort" in str(call.node.target)
    if data.ndim == 0:
        places = Laid(_ops.zeros([], _dtypes.int64))
        return places if only_places else [x, places]
    axis = dim % data.ndim
    order = _order(call, data, axis, descending)
    places = Laid(_ops.cast(order, _dtypes.int64))
    return places if only_places else [Laid(taken(data, order, axis)), places]


@op("topk.default")
def _topk(call: Call, x: Laid, count: int, dim: int = -1, largest: bool = True, is_sorted: bool = True) -> List[Laid]:
    data = x.plain()
    if isinstance(count, Value) or data.ndim == 0:
        raise call.unsupported("of a number, or of as many as the call chooses")
    axis = dim % data.ndim
    order = _ops.getitem(_order(call, data, axis, largest), (*[slice(None)] * axis, slice(0, count)))
    return [Laid(taken(data, order, axis)), Laid(_ops.cast(order, _dtypes.int64))]


@op("median.dim")
def _median(call: Call, x: Laid, dim: int, keepdim: bool = False) -> List[Laid]:
    """Of an even number of elements the lower one; NaN if one is."""
    data = x.plain()
    if data.ndim == 0:
        return [x, Laid(_ops.zeros([], _dtypes.int64))]
    axis = dim % data.ndim
    middle = ((data.shape[axis] or 1) - 1) // 2
    order = _order(call, data, axis, False)
    order = _ops.getitem(order, (*[slice(None)] * axis, slice(middle, middle + 1)))
    found = taken(data, order, axis)
    if _dtypes.is_floating(data.dtype):
        found = _ops.where(_ops.any(_ops.isnan(data), axis, keepdims=True), float("nan"), found)
    result = [found, _ops.cast(order, _dtypes.int64)]
    return [Laid(part if keepdim else _ops.squeeze(part, axis)) for part in result]
