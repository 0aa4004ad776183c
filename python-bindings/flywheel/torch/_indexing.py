# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of aten that take and put elements at indices, and that sort them."""

from typing import Any, Callable, List, Optional, Sequence, Tuple

import numpy as np

from .. import _ops
from .. import nn as nn
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, as_tensor
from .._frontends.layouts import Argument, Laid, scalar, size_tensor
from .._frontends.scatters import element_places, flat_rows
from .._ops.emission import Size, size, sizes, stretch
from .._ops.shapes import _product, reshape_to
from ..transforms import custom_vjp
from ._combining import combined
from ._graph import Call, op

#
# Taking
#


def _taken(take: Callable[[Tensor], Tensor], data: Tensor) -> Tensor:
    """Booleans are taken as numbers."""
    is_bool = _dtypes.is_bool(data.dtype)
    found = take(_ops.cast(data, _dtypes.int8) if is_bool else data)
    return _ops.cast(found, bool) if is_bool else found


@custom_vjp
def _with_scaled_gradient(rows: Tensor, factor: Tensor) -> Tensor:
    """`rows`, whose derivative is multiplied by the factor."""
    return rows


@_with_scaled_gradient.defvjp
def _scaled_gradient(rows: Tensor, factor: Tensor, cotangent: Tensor) -> Tuple[Tensor, None]:
    return _ops.multiply(cotangent, factor), None


def divided_by_frequency(rows: Tensor, places: Tensor, count: Size) -> Tensor:
    """`rows`, those at `places` of a table of `count` rows, with the derivative of scale_grad_by_freq: each is divided
    by how often its place is among all."""
    ones = stretch(scalar(1, _dtypes.int32), sizes(places))
    times = nn.scatter_add(stretch(scalar(0, _dtypes.int32), [count]), places, ones, 0)
    frequency = _ops.cast(_ops.take(times, places, 0), rows.dtype)
    return _with_scaled_gradient(rows, _ops.expand_dims(_ops.reciprocal(frequency), places.ndim))  # type: ignore[no-any-return]


# A gradient that is sparse has the same elements.
@op("embedding.default", without="sparse")
def _embedding(call: Call, table: Laid, indices: Laid, padding: int, by_frequency: bool) -> Laid:
    places, data = indices.plain(), table.plain()
    rows = _ops.take(data, places, 0)
    if by_frequency:
        rows = divided_by_frequency(rows, places, size(data, 0))
    if padding >= 0:
        # The row of the padding is read, and never trained.
        is_padding = _ops.expand_dims(_ops.equal(places, as_tensor(padding, places.dtype)), places.ndim)
        rows = _ops.where(is_padding, _ops.stop_gradient(rows), rows)
    return Laid(rows)


@op("index_select.default")
def _index_select(call: Call, x: Laid, axis: int, indices: Laid) -> Laid:
    if x.ndim == 0:
        return x
    place, index = x.place(axis), indices.plain()
    index = reshape_to(index, [1]) if index.ndim == 0 else index
    return x.like(_taken(lambda data: _ops.take(data, index, place), x.data))


@op("gather.default", without="sparse_grad")
def _gather(call: Call, x: Laid, axis: int, indices: Laid) -> Laid:
    data, index = x.plain(), indices.plain()
    if 0 in index._dims:
        # The indices may have another rank then.
        return Laid(_ops.zeros([one or 0 for one in index._dims], data.dtype))
    if data.ndim == 0:
        return Laid(reshape_to(data, sizes(index)))
    axis %= data.ndim
    for other, (own, wanted) in enumerate(zip(data._dims, index._dims)):
        if other != axis and own != wanted:
            if own is None or wanted is None:
                raise call.unsupported("of sizes that the call chooses")
            data = _ops.getitem(data, (*[slice(None)] * other, slice(0, wanted)))
    return Laid(_taken(lambda y: _ops.take_along_axis(y, index, axis), data))


def _wrapped(call: Call, x: Tensor, indices: Sequence[Optional[Laid]]) -> List[Any]:
    """Returns a key for each dimension; negative indices count from the end."""
    keys: List[Any] = []
    for axis, one in enumerate(indices):
        if one is None:
            keys.append(slice(None))
            continue
        index = one.plain()
        if _dtypes.is_bool(index.dtype):
            raise call.unsupported("by booleans, whose result has a size that only the call knows")
        total = size_tensor(size(x, axis), index.dtype)
        keys.append(_ops.where(_ops.less(index, as_tensor(0, index.dtype)), _ops.add(index, total), index))
    return keys


@op("index.Tensor")
def _index(call: Call, x: Laid, indices: Sequence[Optional[Laid]]) -> Laid:
    data = x.plain()
    keys = _wrapped(call, data, indices)
    axes = [axis for axis, key in enumerate(keys) if not isinstance(key, slice)]
    if len(axes) > 1 and None in [data._dims[axis] for axis in axes]:
        raise call.unsupported("by several tensors into sizes that the call chooses")
    return Laid(_taken(lambda y: _ops.getitem(y, tuple(keys)), data))


#
# Putting
#


def _as_numbers(put: Callable[[Tensor, Tensor], Tensor], data: Tensor, updates: Tensor) -> Tensor:
    """Booleans are put as numbers."""
    if not _dtypes.is_bool(data.dtype):
        return put(data, updates)
    return _ops.cast(put(_ops.cast(data, _dtypes.int8), _ops.cast(updates, _dtypes.int8)), bool)


@op("index_put.default", "_unsafe_index_put.default")
def _index_put(call: Call, x: Laid, indices: Sequence[Optional[Laid]], values: Laid, accumulate: bool = False) -> Laid:
    data, function = x.plain(), nn.scatter_add if accumulate else nn.scatter
    updates = _ops.cast(values.plain(), data.dtype)
    masks = [one for one in indices if one is not None and _dtypes.is_bool(one.dtype)]
    if masks:
        if len(indices) == 1 and updates.ndim > 0 and _known_count(updates) != 1:
            return Laid(_put_in_order(call, data, masks[0].plain(), updates, accumulate))
        if len(indices) != 1:
            raise call.unsupported("by booleans and other indices")
        mask = masks[0].plain()
        mask = reshape_to(mask, [*sizes(mask), *[1] * (data.ndim - mask.ndim)])
        value = reshape_to(updates, [])
        return Laid(_ops.where(mask, _ops.add(data, value) if accumulate else value, data))
    keys = _wrapped(call, data, indices)
    axes = [axis for axis, key in enumerate(keys) if not isinstance(key, slice)]
    if len(axes) == 1:
        axis, index = axes[0], keys[axes[0]]
        updates = stretch(updates, [*sizes(data)[:axis], *sizes(index), *sizes(data)[axis + 1 :]])
        return Laid(_as_numbers(lambda a, b: function(a, index, b, axis), data, updates))
    if None in [data._dims[axis] for axis in axes]:
        raise call.unsupported("by several tensors into sizes that the call chooses")
    others = [axis for axis in range(data.ndim) if axis not in axes]
    joint = _ops.emission.broadcast_sizes([keys[axis] for axis in axes])
    rank = len(joint)
    # NumPy: arrays in a row stay where they are, others come to the front.
    front = len([axis for axis in others if axis < axes[0]]) if axes[-1] - axes[0] == len(axes) - 1 else 0
    rest = [size(data, axis) for axis in others]
    updates = stretch(updates, [*rest[:front], *joint, *rest[front:]])
    order = [*range(front, front + rank), *range(front), *range(front + rank, updates.ndim)]
    updates = _ops.transpose(updates, order)
    moved = _ops.transpose(data, [*axes, *others])
    places = _ops.stack([stretch(_ops.cast(keys[axis], _dtypes.int64), joint) for axis in axes], rank)
    flat, rows = flat_rows(moved, places, len(axes))
    wide = reshape_to(updates, [size(flat, 0), size(rows, 1)])
    result = _as_numbers(lambda a, b: function(a, flat, b, 0), rows, wide)
    return Laid(_ops.transpose(reshape_to(result, sizes(moved)), np.argsort([*axes, *others]).tolist()))


def _put_in_order(call: Call, data: Tensor, mask: Tensor, updates: Tensor, accumulate: bool) -> Tensor:
    """The values, in their order, at the rows of a mask; one that is broadcast at each of them."""
    rank = mask.ndim
    wide = reshape_to(mask, [*sizes(mask), *[1] * (data.ndim - rank)])
    if updates.ndim <= data.ndim - rank or updates._dims[0] == 1:
        # One value for each row of the mask.
        inner = updates if updates.ndim <= data.ndim - rank else _ops.squeeze(updates, 0)
        taken = stretch(inner, sizes(data))
        return _ops.where(wide, _ops.add(data, taken) if accumulate else taken, data)
    if None in data._dims:
        raise call.unsupported("by booleans, of sizes that the call chooses")
    holds = reshape_to(mask, [_known_count(mask)])
    counts = _ops.cumsum(_ops.cast(holds, _dtypes.int64), 0)
    # A row that is not of the mask reads the first value, and does not take it. Another one is checked.
    taken = _ops.take(updates, _ops.where(holds, _ops.subtract(counts, 1), 0), 0)
    taken = stretch(reshape_to(taken, [*sizes(mask), *sizes(taken)[1:]]), sizes(data))
    return _ops.where(wide, _ops.add(data, taken) if accumulate else taken, data)


def _known_count(x: Tensor) -> Size:
    return _product(sizes(x))


def _part(x: Tensor, shape: Sequence[Optional[int]]) -> Tensor:
    """Returns the first elements in each dimension."""
    return _ops.getitem(x, tuple(slice(0, dim_size) for dim_size in shape))


@op("scatter.src", "scatter.value", "scatter_add.default", "scatter_reduce.two")
def _scatter(
    call: Call, x: Laid, axis: int, indices: Laid, updates: Argument, reduce: str = "sum", include_self: bool = True,
) -> Laid:  # fmt: skip
    name = str(call.node.target)
    data, index = x.plain(), indices.plain()
    if "scatter_reduce" in name and (reduce != "sum" or not include_self):
        assert isinstance(updates, Laid)
        return Laid(combined(call, data, axis, index, _part(updates.plain(), index._dims), reduce, include_self))
    if None in data._dims or None in index._dims:
        raise call.unsupported("of sizes that the call chooses")
    if isinstance(updates, Laid):
        new = _part(updates.plain(), index._dims)
    else:
        new = stretch(scalar(updates, call.dtype), sizes(index))
    if data.ndim == 0:
        # One element at the place 0.
        data, index, new = (reshape_to(part, [1]) for part in (data, index, new))
    function = nn.scatter if ".src" in name or ".value" in name else nn.scatter_add
    flat, rows = flat_rows(data, element_places(index, axis % data.ndim), data.ndim)
    wide = reshape_to(_ops.cast(new, data.dtype), [size(flat, 0), 1])
    return Laid(reshape_to(_as_numbers(lambda a, b: function(a, flat, b, 0), rows, wide), sizes(x.plain())))


@op("slice_scatter.default", "select_scatter.default")
def _slice_scatter(call: Call, x: Laid, source: Laid, axis: int = 0) -> Laid:
    data, new, axis = x.plain(), source.plain(), axis % x.ndim
    is_one = "select" in str(call.node.target)
    bounds = [call.argument(name) for name in (["index"] if is_one else ["start", "end", "step"])]
    total = data._dims[axis]
    if total is None or not all(bound is None or isinstance(bound, int) for bound in bounds):
        raise call.unsupported("of a size or with bounds that the call chooses")
    if is_one:
        places = np.array([bounds[0] % total], np.int32)
        new = _ops.expand_dims(new, axis)
    else:
        places = np.arange(total, dtype=np.int32)[slice(*bounds)]
    if len(places) == 0:
        return x
    new = _ops.cast(new, data.dtype)
    return Laid(_as_numbers(lambda a, b: nn.scatter(a, as_tensor(places), b, axis), data, new))


@op("masked_scatter.default")
def _masked_scatter(call: Call, x: Laid, mask: Laid, source: Laid) -> Laid:
    """The elements of `source`, in their order, in place of those of `x` where the mask holds."""
    shape = _ops.emission.broadcast_sizes([x.plain(), mask.plain()])
    data, holds = (stretch(one.plain(), shape) for one in (x, mask))
    flat = reshape_to(source.plain(), [_known_count(source.plain())])
    counts = _ops.cumsum(_ops.cast(reshape_to(holds, [_product(shape)]), _dtypes.int64), 0)
    places = _ops.maximum(_ops.subtract(counts, 1), 0)
    # One that no element of the source is for is not read.
    last = size_tensor(size(flat, 0), _dtypes.int64)
    is_inside = _ops.less(places, last)
    own = _ops.where(reshape_to(holds, sizes(places)), places, 0)
    checked = _ops.where(_ops.logical_or(is_inside, _ops.logical_not(reshape_to(holds, sizes(places)))), own, places)
    taken = reshape_to(_taken(lambda y: _ops.take(y, checked, 0), flat), shape)
    return Laid(_ops.where(holds, taken, data))


@op("put.default")
def _put(call: Call, x: Laid, index: Laid, source: Laid, accumulate: bool = False) -> Laid:
    data, places = x.plain(), index.plain()
    if None in data._dims or None in places._dims:
        raise call.unsupported("of sizes that the call chooses")
    total, count = (int(np.prod([dim_size or 0 for dim_size in one._dims])) for one in (data, places))
    flat = reshape_to(places, [count])
    flat = _ops.where(_ops.less(flat, 0), _ops.add(flat, total), flat)
    function = nn.scatter_add if accumulate else nn.scatter
    found = _as_numbers(lambda a, b: function(a, flat, b, 0), reshape_to(data, [total, 1]),
                        reshape_to(source.plain(), [count, 1]))  # fmt: skip
    return Laid(reshape_to(found, sizes(data)))


@op("take.default")
def _take(call: Call, x: Laid, index: Laid) -> Laid:
    """Elements of all of `x` as one vector."""
    data, places = x.plain(), index.plain()
    flat = reshape_to(data, [_known_count(data)])
    total = size_tensor(size(flat, 0), places.dtype)
    places = _ops.where(_ops.less(places, 0), _ops.add(places, total), places)
    return Laid(_taken(lambda y: _ops.take(y, places, 0), flat))


@op("nonzero_static.default")
def _nonzero(call: Call, x: Laid, *, size: int, fill_value: int = -1) -> Laid:
    """The places of the first elements that are not 0, in row-major order, and those that are left filled."""
    if None in x.shape:
        raise call.unsupported("of sizes that the call chooses")
    known = [one or 0 for one in x.shape]
    total = int(np.prod(known))
    if size == 0 or total == 0 or not known:
        if known and total == 0:
            return Laid(_ops.full([size, len(known)], fill_value, _dtypes.int64))
        return Laid(_ops.zeros([size, len(known)], _dtypes.int64))
    holds = reshape_to(_ops.not_equal(x.plain(), as_tensor(0, x.dtype)), [total])
    counts = _ops.cumsum(_ops.cast(holds, _dtypes.int64), 0)
    wanted = as_tensor(np.arange(1, size + 1, dtype=np.int64))
    # The first place up to which there are that many.
    found = _ops.cast(_ops.searchsorted(counts, wanted), _dtypes.int64)
    is_missing = _ops.expand_dims(_ops.greater_equal(found, total), 1)
    strides = np.array([int(np.prod(known[axis + 1 :])) for axis in range(len(known))], np.int64)
    columns = _ops.floor_divide(_ops.expand_dims(found, 1), as_tensor(strides))
    columns = _ops.mod(columns, as_tensor(np.array(known, np.int64)))
    return Laid(_ops.where(is_missing, as_tensor(fill_value, _dtypes.int64), columns))
