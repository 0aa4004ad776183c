# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of StableHLO on elements at indices: slices at computed places, gather, scatter, sort."""

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np
from jaxlib.mlir.dialects import stablehlo

from .. import _ops
from .. import nn as nn
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, as_tensor
from .._flywheel import Attribute
from .._frontends.scatters import MOST_COMBINED, combine_rows
from .._ops.emission import Size, as_unsigned, emit, index_op, signless, size, sizes
from .._ops.functions import shared_maximum, shared_minimum
from .._ops.indexing import extract_slice, insert_slice
from .._ops.shapes import to_index
from ..transforms import custom_vjp
from ._export import PROMISED
from ._graph import Call, name_of, op
from ._shapes import broadcast_in_dim, iota, permuted, reshaped
from ._values import Known, as_sizes, bounds_of, of_tensor

_DYNAMIC = -(2**63)

#
# One slice
#


def _place(start: Known, length: Size, total: Size) -> Size:
    """Returns the offset of a slice, which StableHLO moves into the tensor."""
    if length == total and isinstance(total, int):
        return 0
    bounds = bounds_of(start)
    known = as_sizes(start)
    place = known[0] if known is not None else to_index(start.tensor)
    last = index_op("subi", total, length)
    if bounds is not None and isinstance(last, int) and bounds[0] >= 0 and bounds[1] <= last:
        return place
    return index_op("maxsi", index_op("minsi", place, last), 0)


@op("dynamic_slice")
def _dynamic_slice(call: Call, x: Known, *starts: Known) -> Tensor:
    data, lengths = x.tensor, call.ints("slice_sizes")
    places = [_place(start, length, total) for start, length, total in zip(starts, lengths, sizes(data))]
    return extract_slice(data, places, list(lengths), [1] * data.ndim, tuple(lengths) == data._dims)


@op("dynamic_update_slice")
def _dynamic_update_slice(call: Call, x: Known, part: Known, *starts: Known) -> Tensor:
    data, new = x.tensor, part.tensor
    if data._dims == new._dims and None not in new._dims:
        return new
    places = [_place(start, length, total) for start, length, total in zip(starts, sizes(new), sizes(data))]
    return insert_slice(new, data, places, sizes(new), [1] * new.ndim)


#
# Many slices
#


class _Indexed:
    """The elements of a tensor that slices at indices have, for gather and for scatter.

    `axes` are the dimensions that slices have not all of: those that indices move in, those of batches, and those of
    which a slice has a part. If they are first, as one dimension, element [batch..., part...] of the slices is element
    `places[batch..., part...]` of it.
    """

    def __init__(
        self, call: Call, data: Known, indices: Known, vector: int, moved: Sequence[int], spans: Sequence[int],
        batched: Sequence[int], index_batched: Sequence[int],
    ):  # fmt: skip
        self.shape = data.shape
        self.batch = [axis for axis in range(indices.ndim) if axis != vector]
        own = list(data.shape)
        whole = [i for i, span in enumerate(spans) if span == own[i] and i not in batched]
        # An index of a dimension that slices have all of is moved to 0.
        self.moved = [axis for axis in moved if axis not in whole or own[axis] == 1]
        self.whole = [axis for axis in whole if axis not in self.moved]
        self.axes = [axis for axis in range(len(own)) if axis not in self.whole]
        self.parts = [axis for axis in self.axes if axis not in batched and spans[axis] != 1]
        self.part_sizes = [spans[axis] for axis in self.parts]
        self._columns = {axis: list(moved).index(axis) for axis in self.moved}
        self.batched = dict(zip(batched, index_batched))
        self._spans = list(spans)
        self._indices, self._vector = indices, vector
        self.batch_sizes = [indices.shape[axis] for axis in self.batch]

    def batch_names(self) -> List[Any]:
        """For each dimension of the indices but the one of vectors, the dimension of the tensor that it goes
        with, or a name of its own."""
        found = {place: axis for axis, place in self.batched.items()}
        return [found.get(place, f"b{i}") for i, place in enumerate(self.batch)]

    def column(self, axis: int) -> Tuple[Tensor, Optional[Tuple[int, int]]]:
        """The indices in a dimension, without the one of vectors; and what they may be."""
        known = self._indices
        array = known.array
        data = signless(known.tensor) if known.dtype != _dtypes.uint64 else known.tensor
        if known.dtype in (_dtypes.uint8, _dtypes.uint16, _dtypes.uint32, _dtypes.uint64):
            data = _ops.cast(known.tensor, _dtypes.int64)
        place = self._columns[axis]
        bounds = None
        if array is not None and array.size:
            part = array if self._vector == array.ndim else np.take(array, place, self._vector)
            bounds = int(part.min()), int(part.max())
        if self._vector < known.ndim:
            keys = [slice(None)] * known.ndim
            data = _ops.getitem(data, (*keys[: self._vector], place, *keys[self._vector + 1 :]))
        return data, bounds

    def places(self) -> Tensor:
        """For each element of the slices, which of the flat `axes` it is; slices that are beyond move inside."""
        shape: List[Size] = [self._dynamic(i) for i in range(len(self.batch))]
        wide = [*shape, *self.part_sizes]
        total: Optional[Tensor] = None
        for axis in self.axes:
            length, span = self.shape[axis] or 0, self._spans[axis]
            index: Optional[Tensor] = None
            if axis in self.batched:
                place = self.batched[axis]
                place -= place > self._vector
                index = iota(_dtypes.int64, wide, place) if wide else as_tensor(0, _dtypes.int64)
            if axis in self._columns:
                column, bounds = self.column(axis)
                last = max(length - span, 0)
                if bounds is None or bounds[0] < 0 or bounds[1] > last:
                    column = _ops.clip(column, as_tensor(0, column.dtype), as_tensor(last, column.dtype))
                index = self._spread(_ops.cast(column, _dtypes.int64), wide)
            if axis in self.parts:
                offset = iota(_dtypes.int64, wide, len(self.batch) + self.parts.index(axis))
                index = offset if index is None else _ops.add(index, offset)
            if index is None:
                index = _ops.zeros([s if isinstance(s, int) else 1 for s in wide], _dtypes.int64)
            total = index if total is None else _ops.add(_ops.multiply(total, as_tensor(length, _dtypes.int64)), index)
        assert total is not None
        return total

    def inside(self) -> Optional[Tensor]:
        """Returns true for each slice that is whole inside of the tensor, [batch...]; None if all are."""
        found: Optional[Tensor] = None
        for axis in self.moved:
            column, bounds = self.column(axis)
            last = max((self.shape[axis] or 0) - self._spans[axis], 0)
            if bounds is None or bounds[0] < 0 or bounds[1] > last:
                fits = _ops.logical_and(_ops.greater_equal(column, 0), _ops.less_equal(column, last))
                found = fits if found is None else _ops.logical_and(found, fits)
        return found

    def _dynamic(self, place: int) -> Size:
        known = self.batch_sizes[place]
        return size(self._indices.tensor, self.batch[place]) if known is None else known

    def _spread(self, x: Tensor, wide: Sequence[Size]) -> Tensor:
        """Broadcasts a tensor of batches to `wide`, which has the dimensions of parts last."""
        if len(wide) == x.ndim:
            return x
        result = broadcast_in_dim(of_tensor(x), list(range(x.ndim)), wide)
        return result if isinstance(result, Tensor) else result.tensor

    def flatten(self, data: Tensor) -> Tensor:
        """Returns the tensor with `axes` as one leading dimension."""
        ordered = permuted(data, [*self.axes, *self.whole])
        count = 1
        for axis in self.axes:
            count *= self.shape[axis] or 0
        return reshaped(ordered, [count, *sizes(ordered)[len(self.axes) :]])

    def unflatten(self, flat: Tensor) -> Tensor:
        """The other way."""
        rest = sizes(flat)[1:]
        ordered = reshaped(flat, [*[self.shape[axis] or 0 for axis in self.axes], *rest])
        return permuted(ordered, [int(i) for i in np.argsort([*self.axes, *self.whole])])


def _single(indexed: _Indexed) -> Optional[int]:
    """Returns the dimension, if indices move in one and slices have all of the others: rows of a table."""
    return indexed.axes[0] if len(indexed.axes) == 1 and not indexed.parts and indexed.moved else None


def _lookup(call: Call, indexed: _Indexed, data: Tensor) -> Tuple[Tensor, List[Any]]:
    """Returns the slices, and the names of their dimensions: of the indices, `b0`, or of the tensor."""
    if None in indexed.shape:
        raise call.unsupported("of a tensor with a size that the call chooses")
    places = indexed.places()
    axis = _single(indexed)
    first = axis if axis is not None and (axis == 0 or not indexed.batch) else 0
    flat = data if axis == first and axis is not None else indexed.flatten(data)
    shape = (*flat._dims[:first], *places._dims, *flat._dims[first + 1 :])
    found = emit("nn.gather", [flat, places], data.dtype, shape, {"axis": Attribute.i64(first)})
    # The dimensions before a single axis are first.
    names: List[Any] = [f"b{i}" for i in range(len(indexed.batch))] + indexed.parts
    return found, [*indexed.whole[:first], *names, *indexed.whole[first:]]


def _along_axis(indexed: _Indexed, data: Tensor) -> Optional[Tuple[Tensor, List[Any]]]:
    """As `_lookup`, where all dimensions but one are of batches: elements along that one."""
    batched = indexed.batched
    if indexed.whole or indexed.parts or len(indexed.moved) != 1 or len(indexed.axes) != len(batched) + 1:
        return None
    axis, names = indexed.moved[0], indexed.batch_names()
    free = [name for name in names if isinstance(name, str)]
    if len(free) > 1 or axis in batched:
        return None
    column, bounds = indexed.column(axis)
    total = size(data, axis)
    if not isinstance(total, int):
        return None
    if bounds is None or bounds[0] < 0 or bounds[1] >= total:
        column = _ops.clip(column, as_tensor(0, column.dtype), as_tensor(total - 1, column.dtype))
    if not free:
        column, names = reshaped(column, [*sizes(column), 1]), [*names, "one"]
        free = ["one"]
    order = [names.index(i) if i in batched else names.index(free[0]) for i in range(data.ndim)]
    found = _ops.take_along_axis(data, permuted(column, order), axis)
    places = [f"b{names.index(i)}" if i in batched else f"b{names.index(free[0])}" for i in range(data.ndim)]
    return found, places


@op("gather")
def _gather(call: Call, x: Known, indices: Known) -> Any:
    numbers = stablehlo.GatherDimensionNumbers(call.attribute("dimension_numbers"))
    spans, offsets = call.ints("slice_sizes"), list(numbers.offset_dims)
    batched = list(numbers.operand_batching_dims)
    dropped = [*numbers.collapsed_slice_dims, *batched]
    if 0 in call.shape:
        return _ops.zeros(call.static_shape, call.dtype)
    indexed = _Indexed(call, x, indices, numbers.index_vector_dim, list(numbers.start_index_map), spans, batched,
                       list(numbers.start_indices_batching_dims))  # fmt: skip
    data = signless(x.tensor)
    if _dtypes.is_bool(data.dtype):
        data = _ops.cast(data, _dtypes.int8)
    if not indexed.axes:
        found = broadcast_in_dim(of_tensor(data), offsets, call.static_shape)
        found = found if isinstance(found, Tensor) else found.tensor
        return _restore(found, call.dtype)
    found, names = _along_axis(indexed, data) or _lookup(call, indexed, data)
    kept = [i for i in range(x.ndim) if i not in dropped]
    for missing in [i for i in kept if i not in names]:
        names.append(missing)
        found = reshaped(found, [*sizes(found), 1])
    result: List[Any] = []
    batches, slices = iter(f"b{i}" for i in range(len(indexed.batch))), iter(kept)
    for place in range(len(call.shape)):
        result.append(next(slices) if place in offsets else next(batches))
    found = _drop(found, names, result)
    inside = indexed.inside() if _is_promised(call) and _dtypes.is_floating(found.dtype) else None
    if inside is not None:
        batch = [place for place in range(found.ndim) if place not in offsets]
        holds = broadcast_in_dim(of_tensor(inside), batch, sizes(found))
        holds = holds if isinstance(holds, Tensor) else holds.tensor
        found = _ops.where(holds, found, _ops.stop_gradient(found))
    return _restore(found, call.dtype)


@op(PROMISED)
def _promised(call: Call, x: Known) -> Known:
    return x


def _is_promised(call: Call) -> bool:
    """Returns true if the indices were promised to be in bounds: one that is not has no derivative, as in JAX."""
    owner = getattr(call.operation.operands[1], "owner", None)
    owner = getattr(owner, "operation", owner)
    return getattr(owner, "name", None) == "stablehlo.custom_call" and name_of(owner) == PROMISED


def _drop(x: Tensor, names: Sequence[Any], wanted: Sequence[Any]) -> Tensor:
    """`x`, whose dimensions have these names, with those that are wanted; the others are of 1."""
    extra = [name for name in names if name not in wanted]
    ordered = permuted(x, [names.index(name) for name in [*wanted, *extra]])
    return reshaped(ordered, sizes(ordered)[: len(wanted)]) if extra else ordered


def _restore(x: Tensor, dtype: _dtypes.DType) -> Tensor:
    return _ops.cast(x, dtype) if _dtypes.is_bool(dtype) else as_unsigned(x, dtype)


def combiner(block: Any) -> Optional[str]:
    """The op of a region that combines two elements: its name, "set" where it returns the second one."""
    operations = [view.operation for view in block.operations]
    result = operations[-1].operands[0]
    if len(operations) == 1:
        return "set" if result == block.arguments[1] else None
    if len(operations) != 2 or operations[0].results[0] != result:
        return None
    pair = list(operations[0].operands)
    first, second = block.arguments
    return operations[0].name.removeprefix("stablehlo.") if pair in ([first, second], [second, first]) else None


def _is_in_order(block: Any) -> bool:
    return list(block.operations[0].operation.operands) == list(block.arguments)


def _scatter_extreme(rows: Tensor, places: Tensor, updates: Tensor, combine: Any) -> Tensor:
    """Rows of which each element is the largest (or smallest) one of itself and the updates at its place. Elements
    that equal the result share the derivative evenly, as in JAX."""

    def run(rows: Tensor, places: Tensor, updates: Tensor) -> Tensor:
        return combine_rows(rows, places, updates, combine)

    function = custom_vjp(run)

    @function.defvjp
    def _(rows: Tensor, places: Tensor, updates: Tensor, weights: Tensor) -> Any:
        result = run(rows, places, updates)
        kept = _ops.cast(_ops.equal(rows, result), rows.dtype)
        taken_over = _ops.cast(_ops.equal(updates, _ops.take(result, places, 0)), rows.dtype)
        count = nn.scatter_add(kept, places, taken_over, 0)
        # Nothing equals a result that is NaN.
        share = _ops.divide(weights, _ops.maximum(count, 1.0))
        return _ops.multiply(kept, share), None, _ops.multiply(taken_over, _ops.take(share, places, 0))

    return function(rows, places, updates) if _dtypes.is_floating(rows.dtype) else run(rows, places, updates)


_COMBINE = {"add": _ops.add, "multiply": _ops.multiply, "maximum": shared_maximum, "minimum": shared_minimum}
_SCATTERS: Dict[str, Callable[[Tensor, Tensor, Tensor], Tensor]] = {
    "set": lambda rows, places, updates: nn.scatter(rows, places, updates, 0),
    "add": lambda rows, places, updates: nn.scatter_add(rows, places, updates, 0),
    "multiply": lambda rows, places, updates: combine_rows(rows, places, updates, _ops.multiply),
    "maximum": lambda rows, places, updates: _scatter_extreme(rows, places, updates, _ops.maximum),
    "minimum": lambda rows, places, updates: _scatter_extreme(rows, places, updates, _ops.minimum)}  # fmt: skip


@op("scatter")
def _scatter(call: Call, x: Known, indices: Known, updates: Known) -> Any:
    if len(call.operation.operands) != 3:
        raise call.unsupported("of several tensors")
    kind = combiner(call.block())
    if kind == "subtract" and _is_in_order(call.block()):
        kind, updates = "add", of_tensor(_ops.negative(updates.tensor))
    kind = {"or": "maximum", "and": "minimum"}.get(str(kind), kind) if _dtypes.is_bool(x.dtype) else kind
    if kind not in _SCATTERS:
        raise call.unsupported(f"with '{kind}'" if kind else "with a function of its own")
    if kind in ("maximum", "minimum") and _dtypes.is_unsigned(x.dtype):
        raise call.unsupported(f"with '{kind}' of {x.dtype}")
    numbers = stablehlo.ScatterDimensionNumbers(call.attribute("scatter_dimension_numbers"))
    windows, batched = list(numbers.update_window_dims), list(numbers.input_batching_dims)
    dropped = [*numbers.inserted_window_dims, *batched]
    kept = [i for i in range(x.ndim) if i not in dropped]
    if None in x.shape or None in updates.shape:
        raise call.unsupported("of sizes that the call chooses")
    if 0 in updates.shape or 0 in x.shape:
        return x
    spans = [1] * x.ndim
    for axis, window in zip(kept, windows):
        spans[axis] = updates.shape[window] or 0
    moved = list(numbers.scattered_dims_to_operand_dims)
    vector = numbers.index_vector_dim
    indexed = _Indexed(call, x, indices, vector, moved, spans, batched, list(numbers.scatter_indices_batching_dims))
    names: List[Any] = []
    batches, slices = iter(f"b{i}" for i in range(len(indexed.batch))), iter(kept)
    for place in range(updates.ndim):
        names.append(next(slices) if place in windows else next(batches))
    data, new = signless(x.tensor), signless(updates.tensor)
    is_bool = _dtypes.is_bool(data.dtype)
    if is_bool:
        data, new = _ops.cast(data, _dtypes.int8), _ops.cast(new, _dtypes.int8)
    wanted = [*[f"b{i}" for i in range(len(indexed.batch))], *indexed.parts, *indexed.whole]
    new = _drop(new, names, wanted)
    if not indexed.axes:
        # Slices are all of the tensor.
        if indexed.batch and any(s != 1 for s in indexed.batch_sizes):
            raise call.unsupported("of whole tensors, several times")
        new = reshaped(new, sizes(data))
        return _restore(new if kind == "set" else _COMBINE[kind](data, new), call.dtype)
    places, inside = indexed.places(), indexed.inside()
    flat = indexed.flatten(data)
    rows = flat._dims[0] or 0
    count = len(indexed.batch) + len(indexed.parts)
    if inside is not None:
        # A row after the others takes updates that are out of range.
        wide = indexed._spread(inside, sizes(places))
        places = _ops.where(wide, places, as_tensor(rows, places.dtype))
        flat = _ops.pad(flat, [(0, 1), *[(0, 0)] * (flat.ndim - 1)])
    total = int(np.prod([s or 0 for s in places._dims], dtype=np.int64))
    places = reshaped(places, [total])
    new = reshaped(new, [total, *sizes(new)[count:]])
    if kind in ("multiply", "maximum", "minimum") and total > MOST_COMBINED:
        raise call.unsupported(f"with '{kind}' of more than {MOST_COMBINED} places")
    result = _SCATTERS[kind](flat, places, new)
    if inside is not None:
        result = extract_slice(result, [0] * result.ndim, [rows, *sizes(result)[1:]], [1] * result.ndim)
    return _restore(indexed.unflatten(result), call.dtype)
