# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of ONNX that move elements, join tensors and make new ones."""

from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, as_tensor
from .._flywheel import Attribute
from .._frontends.layouts import Laid
from .._ops.emission import (
    Size,
    emit,
    index_op,
    like_operand,
    normalize_axes,
    normalize_axis,
    size,
    sizes,
    static,
    stretch,
)
from .._ops.indexing import extract_slice
from .._ops.shapes import _product, reshape_to
from ._graph import Call, is_size, op
from ._known import Known, check_made, of_sizes
from ._small import Small

#
# Shapes as values
#


@op("Shape", raw=(0,), small="takes")
def _shape(call: Call, x: Any) -> Known:
    if isinstance(x, Known):
        found: List[Size] = list(x.shape)
    else:
        found = [call.dim_size(0, x, axis) for axis in range(x.ndim)]
    return of_sizes(found[slice(call.attribute("start"), call.attribute("end"))])


@op("Size", raw=(0,), small="takes")
def _size(call: Call, x: Any) -> Known:
    if isinstance(x, Known):
        return Known(np.array(x.array.size, np.int64))
    row = of_sizes([call.interpreter.sizes.products.multiply([call.dim_size(0, x, axis) for axis in range(x.ndim)])])
    return Known(row.array.reshape(()), row.dtype)


@op("Constant")
def _constant(call: Call) -> Known:
    for name, dtype in (("value_float", np.float32), ("value_floats", np.float32), ("value_int", np.int64),
                        ("value_ints", np.int64)):  # fmt: skip
        if call.has(name):
            return Known(np.array(call.attribute(name), dtype))
    if not call.has("value"):
        raise call.unsupported("of text or a sparse tensor")
    return Known(call.attribute("value"))


@op("ConstantOfShape", known=(0,))
def _constant_of_shape(call: Call, shape: Known) -> Laid:
    value = Known(call.attribute("value", np.zeros(1, np.float32)).reshape(-1)[0])
    filled = stretch(as_tensor(value.array), shape.sizes())
    return Laid(filled) if value.element is None else Small(filled, value.element)


def _one(scalar: Known) -> Any:
    """Returns a number, or a size."""
    return scalar.array.reshape(-1)[0].item() if scalar.is_static else scalar.sizes()[0]


@op("Range", known=(0, 1, 2))
def _range(call: Call, start: Known, limit: Known, delta: Known) -> Laid:
    first, last, step = (_one(part) for part in (start, limit, delta))
    if is_size(first) or is_size(step):
        raise call.unsupported("from a start or by a step that the call chooses")
    if not is_size(last):
        if step == 0:
            raise ValueError("expected a step other than 0")
        return Laid(_ops.arange(first, last, step, start.dtype))
    if step <= 0:
        raise call.unsupported("down from a size that the call chooses")
    count = index_op("maxsi", index_op("ceildivsi", index_op("subi", last, first), step), 0)
    like = like_operand([count], start.dtype)
    numbers = emit("nn.iota", like, start.dtype, static([count]), {"axis": Attribute.i64(0)})
    numbers = numbers if step == 1 else _ops.multiply(numbers, step)
    return Laid(numbers if first == 0 else _ops.add(numbers, first))


@op("EyeLike")
def _eye_like(call: Call, x: Laid) -> Laid:
    if x.ndim != 2 or None in x.shape:
        raise call.unsupported("of a tensor that is not a matrix of known size")
    dtype = call.dtype_attribute("dtype") if call.has("dtype") else x.dtype
    check_made(call, x.shape[0] or 0, x.shape[1] or 0)
    return Laid(_ops.eye(x.shape[0] or 0, x.shape[1], dtype, k=call.attribute("k")))


#
# Other shapes of the same elements
#


def reshape(call: Call, x: Tensor, own: List[Size], wanted: Sequence[Size]) -> Tensor:
    """One size may be -1: what the others leave. `own` are the sizes of `x`."""
    new = list(wanted)
    places = [place for place, one in enumerate(new) if isinstance(one, int) and one == -1]
    if len(places) > 1:
        raise ValueError("at most one size may be -1")
    products = call.interpreter.sizes.products
    if places:
        others = [one for place, one in enumerate(new) if place != places[0]]
        known, count = products.multiply(own), products.multiply(others)
        if isinstance(known, int) and isinstance(count, int) and (count == 0 or known % count):
            raise ValueError(f"cannot reshape {x._dims} to {static(new)} with a size for -1")
        new[places[0]] = products.divide(own, others)
    if None not in x._dims and all(isinstance(one, int) for one in new) and _product(sizes(x)) != _product(new):
        raise ValueError(f"cannot reshape {x._dims} to {static(new)}: the numbers of elements differ")
    if 0 in x._dims and all(isinstance(one, int) for one in new):
        # There is nothing to move.
        return _ops.zeros([one for one in new if isinstance(one, int)], x.dtype)
    call.interpreter.sizes.set(call.node.output[0], new)
    return reshape_to(x, new, own)


@op("Reshape", known=(1,), small="keeps")
def _reshape(call: Call, x: Laid, shape: Known) -> Laid:
    keeps = not call.flag("allowzero")
    own = [call.dim_size(0, x, axis) for axis in range(x.ndim)]
    wanted = shape.sizes()
    for place, one in enumerate(wanted):
        if keeps and isinstance(one, int) and one == 0:
            if place >= x.ndim:
                raise ValueError(f"size {place} is that of the operand, which has {x.ndim} dimensions")
            wanted[place] = own[place]
    return Laid(reshape(call, x.plain(), own, wanted))


@op("Flatten", small="keeps")
def _flatten(call: Call, x: Laid) -> Laid:
    axis = call.attribute("axis")
    if not -x.ndim <= axis <= x.ndim:
        raise ValueError(f"axis {axis} is none of {x.ndim} dimensions")
    axis, data = axis + x.ndim if axis < 0 else axis, x.plain()
    old, products = [call.dim_size(0, x, place) for place in range(x.ndim)], call.interpreter.sizes.products
    new = [products.multiply(old[:axis]), products.multiply(old[axis:])]
    call.interpreter.sizes.set(call.node.output[0], new)
    return Laid(reshape_to(data, new, old))


@op("Squeeze", known=(1,), small="keeps")
def _squeeze(call: Call, x: Laid, axes: Optional[Known] = None) -> Laid:
    data = x.plain()
    if axes is None:
        if None in data._dims:
            raise call.unsupported("of all dimensions of 1, where the call chooses some")
        return Laid(_ops.squeeze(data))
    places = normalize_axes([int(axis) for axis in axes.array.reshape(-1)], x.ndim)
    if all(data._dims[place] == 1 for place in places):
        return Laid(_ops.squeeze(data, places))
    if any(data._dims[place] not in (1, None) for place in places):
        raise ValueError(f"dimensions {places} of {data._dims} are not 1")
    return Laid(reshape_to(data, [one for place, one in enumerate(sizes(data)) if place not in places]))


@op("Unsqueeze", known=(1,), small="keeps")
def _unsqueeze(call: Call, x: Laid, axes: Known) -> Laid:
    return Laid(_ops.expand_dims(x.plain(), [int(axis) for axis in axes.array.reshape(-1)]))


@op("Transpose", small="keeps")
def _transpose(call: Call, x: Laid) -> Laid:
    order = call.attribute("perm", list(range(x.ndim))[::-1])
    if sorted(order) != list(range(x.ndim)):
        raise ValueError(f"expected each of {x.ndim} dimensions once as perm, found {order}")
    return x.permuted(order)


@op("DepthToSpace", "SpaceToDepth")
def _depth_to_space(call: Call, x: Laid) -> Laid:
    block, data = call.attribute("blocksize"), x.plain()
    if block < 1 or x.ndim != 4:
        raise ValueError(f"expected a tensor of rank 4 and a positive blocksize, found {x.shape} and {block}")
    # True if the place in a block precedes the channel in the deep tensor.
    is_block_first = call.word("mode", "DCR", "CRD") == "DCR"
    channels, (batch, _, height, width) = data._dims[1], sizes(data)
    if channels is None:
        raise call.unsupported("of channels that the call chooses")
    if call.op == "SpaceToDepth":
        high, wide = (index_op("divsi", one, block) for one in (height, width))
        split = reshape_to(data, [batch, channels, high, block, wide, block])
        moved = _ops.transpose(split, [0, 3, 5, 1, 2, 4] if is_block_first else [0, 1, 3, 5, 2, 4])
        return Laid(reshape_to(moved, [batch, channels * block * block, high, wide]))
    less = channels // (block * block)
    high, wide = (index_op("muli", one, block) for one in (height, width))
    if is_block_first:
        moved = _ops.transpose(reshape_to(data, [batch, block, block, less, height, width]), [0, 3, 4, 1, 5, 2])
    else:
        moved = _ops.transpose(reshape_to(data, [batch, less, block, block, height, width]), [0, 1, 4, 2, 5, 3])
    return Laid(reshape_to(moved, [batch, less, high, wide]))


#
# Repeating and joining
#


def expand(call: Call, x: Tensor, sizes_of: Sequence[Size], wanted: Sequence[Size]) -> Tensor:
    """`x`, which has these sizes, and others broadcast together: a 1 of one is what the other has."""
    rank = max(x.ndim, len(wanted))
    goal: List[Size] = [*[1] * (rank - len(wanted)), *wanted]
    kept: List[int] = []
    own: List[Size] = []
    for place in range(rank):
        axis = place - (rank - x.ndim)
        if axis < 0:
            continue
        known, other = x._dims[axis], goal[place]
        if known == 1 and not (isinstance(other, int) and other == 1):
            continue
        if isinstance(other, int) and known is not None and other not in (1, known):
            raise ValueError(f"{x._dims} does not expand to {static(wanted)}")
        if known is None and is_size(other) and other is not sizes_of[axis]:
            # Either may be 1.
            raise call.unsupported("of a size that the call chooses to another one")
        kept.append(place)
        own.append(sizes_of[axis])
        if known is not None or isinstance(other, int) and other == 1:
            goal[place] = sizes_of[axis]
    call.interpreter.sizes.set(call.node.output[0], goal)
    if len(kept) == rank:
        return stretch(x, goal)
    narrow = reshape_to(x, own, list(sizes_of))
    like = like_operand(goal, x.dtype)
    return emit("nn.broadcast", [narrow, *like], x.dtype, static(goal), {"dims": Attribute.i64s(kept)})


@op("Expand", known=(1,))
def _expand(call: Call, x: Laid, shape: Known) -> Laid:
    own = [call.dim_size(0, x, axis) for axis in range(x.ndim)]
    return Laid(expand(call, x.plain(), own, shape.sizes()))


@op("Tile", known=(1,))
def _tile(call: Call, x: Laid, repeats: Known) -> Laid:
    if not repeats.is_static:
        raise call.unsupported("by sizes that the call chooses")
    counts = [int(count) for count in repeats.array]
    if len(counts) != x.ndim:
        raise ValueError(f"expected {x.ndim} repeats, found {len(counts)}")
    return x.like(_ops.tile(x.data, [counts[axis] for axis in x.order]))


@op("Concat")
def _concat(call: Call, *parts: Laid) -> Laid:
    if len({part.dtype for part in parts}) > 1:
        raise TypeError(f"expected operands of one type, found {', '.join(str(part.dtype) for part in parts)}")
    lead = max(parts, key=lambda part: (part.data._static_size or 0) if not part.is_plain else 0)
    joined = _ops.concatenate([part.arranged(lead.order) for part in parts], lead.place(call.attribute("axis")))
    return lead.like(joined)


@op("Split", known=(1,))
def _split(call: Call, x: Laid, split: Optional[Known] = None) -> List[Laid]:
    place = x.place(call.axis(x))
    total, count = x.data._dims[place], len(call.node.output)
    if call.attribute("num_outputs", count) != count:
        raise ValueError(f"expected {call.attribute('num_outputs')} results as num_outputs says, found {count}")
    if split is not None:
        parts = split.sizes()
    elif total is None:
        raise call.unsupported("of a dimension whose size the call chooses")
    else:
        step = -(-total // count)
        parts = [min(step, max(total - step * i, 0)) for i in range(count)]
    if len(parts) != count or total is not None and all(isinstance(p, int) for p in parts) and _total(parts) != total:
        raise ValueError(f"cannot split a dimension of {total} into {count} parts of {static(parts)}")
    result: List[Laid] = []
    first: Size = 0
    for part in parts:
        offsets: List[Size] = [0] * x.ndim
        lengths = sizes(x.data)
        offsets[place], lengths[place] = first, part
        result.append(x.like(extract_slice(x.data, offsets, lengths, [1] * x.ndim)))
        first = index_op("addi", first, part)
    return result


def _total(parts: Sequence[Size]) -> Size:
    result: Size = 0
    for part in parts:
        result = index_op("addi", result, part)
    return result


@op("Slice", known=(1, 2, 3, 4))
def _slice(
    call: Call, x: Laid, starts: Known, ends: Known, axes: Optional[Known] = None, steps: Optional[Known] = None
) -> Laid:
    count = len(starts.array)
    places = list(range(count)) if axes is None else [int(axis) for axis in axes.array]
    strides = [1] * count if steps is None else [int(step) for step in steps.array]
    keys: List[Any] = [slice(None)] * x.ndim
    data = x.data
    for axis, start, end, step in zip(places, starts.sizes(), ends.sizes(), strides):
        place = x.place(axis)
        if is_size(start) or is_size(end):
            data = _slice_to(call, data, place, start, end, step)
            continue
        keys[place] = _slice_key(data._dims[place], start, end, step)
    return x.like(_ops.getitem(data, tuple(keys)))


def _slice_key(total: Optional[int], start: Any, end: Any, step: int) -> slice:
    """Returns Python's form of a slice, for which ONNX has numbers far outside."""
    if step > 0:
        first = None if start == 0 or total is None and start <= -(2**31) else start
        return slice(first, None if end >= 2**31 - 1 else end, step)
    last = None if end <= -(2**31) or total is not None and end < -total else end
    return slice(None if start >= 2**31 - 1 or start == -1 else start, last, step)


def _slice_to(call: Call, data: Tensor, place: int, start: Size, end: Size, step: int) -> Tensor:
    """Returns a part whose bounds the call chooses."""
    if step != 1 or isinstance(start, int) and start < 0 or isinstance(end, int) and end < 0:
        raise call.unsupported("with bounds that the call chooses, and a step or bounds from the end")
    total = size(data, place)
    first = start if isinstance(start, int) and start == 0 else index_op("minsi", start, total)
    last = index_op("minsi", end, total)
    offsets: List[Size] = [0] * data.ndim
    lengths = sizes(data)
    offsets[place] = first
    lengths[place] = last if isinstance(first, int) and first == 0 else index_op("maxsi", index_op("subi", last, first),
                                                                                 0)  # fmt: skip
    return extract_slice(data, offsets, lengths, [1] * data.ndim)


@op("Pad", known=(1, 3), raw=(2,))
def _pad(call: Call, x: Laid, pads: Known, value: Any = None, axes: Optional[Known] = None) -> Laid:
    if not pads.is_static:
        raise call.unsupported("by sizes that the call chooses")
    places = list(range(x.ndim)) if axes is None else [normalize_axis(int(axis), x.ndim) for axis in axes.array]
    amounts, count = [int(amount) for amount in pads.array], len(places)
    if len(amounts) != 2 * count:
        raise ValueError(f"expected {2 * count} pads, found {len(amounts)}")
    pairs: List[Tuple[int, int]] = [(0, 0)] * x.ndim
    for i, axis in enumerate(places):
        pairs[axis] = (amounts[i], amounts[count + i])
    data, mode = x.data, call.attribute("mode")
    for axis, (low, high) in enumerate(pairs):
        if low < 0 or high < 0:
            cut = slice(-low if low < 0 else None, high if high < 0 else None)
            data = _ops.getitem(data, (*[slice(None)] * x.place(axis), cut))
    wide = [(max(pairs[axis][0], 0), max(pairs[axis][1], 0)) for axis in x.order]
    if mode == "constant":
        if isinstance(value, Laid) or value is not None and not value.is_static:
            return x.like(_pad_by(data, wide, value if isinstance(value, Laid) else value.laid()))
        fill: Any = 0 if value is None or value.array.size == 0 else value.array.reshape(-1)[0].item()
        if _dtypes.is_bool(x.dtype):
            return x.like(_ops.cast(_ops.pad(_ops.cast(data, _dtypes.int8), wide, int(fill)), bool))
        return x.like(_ops.pad(data, wide, fill))
    if mode not in ("reflect", "edge", "wrap"):
        raise call.unsupported(f"with mode '{mode}'")
    for place, pair in enumerate(wide):
        if any(pair):
            total = data._dims[place]
            if total is None:
                raise call.unsupported(f"with mode '{mode}' of a size that the call chooses")
            if not total:
                raise ValueError(f"a dimension of 0 has nothing for a border with mode '{mode}'")
            check_made(call, total + sum(pair))
            data = _ops.take(data, np.pad(np.arange(total), pair, mode=mode), place)
    return x.like(data)


def _pad_by(data: Tensor, wide: Sequence[Tuple[int, int]], value: Laid) -> Tensor:
    """Adds a border of a number that the step computes."""
    is_own = _ops.greater(_ops.pad(_ops.ones_like(data, _dtypes.int8), wide, 0), 0)
    is_bool = _dtypes.is_bool(data.dtype)
    padded = _ops.pad(_ops.cast(data, _dtypes.int8) if is_bool else data, wide, 0)
    fill = reshape_to(_ops.cast(value.plain(), data.dtype), [])
    return _ops.where(is_own, _ops.cast(padded, data.dtype), fill)


@op("Trilu", known=(1,))
def _trilu(call: Call, x: Laid, k: Optional[Known] = None) -> Laid:
    function = _ops.triu if call.flag("upper") else _ops.tril
    diagonal = 0 if k is None else int(k.array.reshape(-1)[0])
    data = x.plain()
    if _dtypes.is_bool(data.dtype):
        return Laid(_ops.cast(function(_ops.cast(data, _dtypes.int8), diagonal), bool))
    return Laid(function(data, diagonal))
