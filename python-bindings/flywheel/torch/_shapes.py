# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of aten that move elements, join tensors and make new ones."""

from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from .. import _ops
from .. import nn as nn
from .._core import dtypes as _dtypes
from .._core.annotations import Array
from .._core.tensor import Tensor, as_tensor
from .._flywheel import Attribute, Value
from .._frontends.layouts import Argument, Laid, scalar
from .._ops.conversions import wrapping_cast
from .._ops.emission import Size, emit, index_op, like_operand, size, sizes, stretch
from .._ops.indexing import extract_slice
from .._ops.shapes import reshape_to
from ..transforms import custom_vjp
from ._graph import Call, op


def _product(dim_sizes: Sequence[Size]) -> Size:
    result: Size = 1
    for dim_size in dim_sizes:
        # A value times 1 is that value, so that reshapes see which sizes stay.
        if result == 1:
            result = dim_size
        elif not (isinstance(dim_size, int) and dim_size == 1):
            result = index_op("muli", result, dim_size)
    return result


def reshape(x: Tensor, wanted: Sequence[Size]) -> Tensor:
    """A reshape as PyTorch has it: one size may be -1."""
    new = list(wanted)
    if any(isinstance(dim_size, int) and dim_size == -1 for dim_size in new):
        place = next(i for i, dim_size in enumerate(new) if isinstance(dim_size, int) and dim_size == -1)
        old, others = sizes(x), [dim_size for i, dim_size in enumerate(new) if i != place]
        for other in [other for other in others if not isinstance(other, int)]:
            if any(other is dim_size for dim_size in old):
                old = [dim_size for dim_size in old if dim_size is not other]
                others = [dim_size for dim_size in others if dim_size is not other]
        count = _product(others)
        new[place] = _product(old) if count == 1 else index_op("divsi", _product(old), count)
    return reshape_to(x, new)


@op("view.default", "_unsafe_view.default", "reshape.default", "view_copy.default")
def _view(call: Call, x: Laid, shape: Sequence[Size]) -> Laid:
    # PyTorch knows what a -1 is, also where another size is the call's.
    known = [meta if isinstance(meta, int) else dim_size for dim_size, meta in zip(shape, call.result.shape)]
    return Laid(reshape(x.plain(), known))


@op("view_as.default", "reshape_as.default")
def _view_as(call: Call, x: Laid, other: Laid) -> Laid:
    return Laid(reshape_to(x.plain(), sizes(other.plain())))


@op("flatten.using_ints")
def _flatten(call: Call, x: Laid, start: int = 0, end: int = -1) -> Laid:
    data = x.plain()
    if data.ndim == 0:
        return Laid(reshape_to(data, [1]))
    start, end = start % data.ndim, end % data.ndim
    old = sizes(data)
    return Laid(reshape_to(data, [*old[:start], _product(old[start : end + 1]), *old[end + 1 :]]))


@op("unflatten.int")
def _unflatten(call: Call, x: Laid, axis: int, shape: Sequence[Size]) -> Laid:
    data = x.plain()
    old, axis = sizes(data), axis % x.ndim
    return Laid(reshape(data, [*old[:axis], *shape, *old[axis + 1 :]]))


@op("permute.default", "permute_copy.default")
def _permute(call: Call, x: Laid, axes: Sequence[int]) -> Laid:
    return x.permuted(axes)


@op("transpose.int")
def _transpose(call: Call, x: Laid, a: int, b: int) -> Laid:
    axes = list(range(x.ndim))
    if axes:
        a, b = a % x.ndim, b % x.ndim
        axes[a], axes[b] = axes[b], axes[a]
    return x.permuted(axes)


@op("t.default", "numpy_T.default")
def _t(call: Call, x: Laid) -> Laid:
    return x.permuted(list(range(x.ndim))[::-1])


@op("movedim.int")
def _movedim(call: Call, x: Laid, source: int, destination: int) -> Laid:
    axes = list(range(x.ndim))
    axes.insert(destination % x.ndim, axes.pop(source % x.ndim))
    return x.permuted(axes)


@op("unsqueeze.default")
def _unsqueeze(call: Call, x: Laid, axis: int) -> Laid:
    return Laid(_ops.expand_dims(x.plain(), axis))


@op("squeeze.dim", "squeeze.dims", "squeeze.default")
def _squeeze(call: Call, x: Laid, axes: Any = None) -> Laid:
    data = x.plain()
    listed = range(data.ndim) if axes is None else [axes] if isinstance(axes, int) else axes
    places = {axis % max(data.ndim, 1) for axis in listed}
    for axis in places if data.ndim else ():
        if data._dims[axis] == 1 and not isinstance(call.meta(0).shape[axis], int):
            raise call.unsupported(f"of dimension {axis}, whose size the call chooses and is 1 here: the result would "
                                   "have another rank. Name the dimensions to remove, as x.squeeze(1) does")
    return Laid(reshape_to(data, [s for i, s in enumerate(sizes(data)) if i not in places or data._dims[i] != 1]))


@op("expand.default", "broadcast_to.default", without="implicit")
def _expand(call: Call, x: Laid, shape: Sequence[Size]) -> Laid:
    data = x.plain()
    first = len(shape) - data.ndim
    wanted = [size(data, i - first) if isinstance(s, int) and s == -1 else s for i, s in enumerate(shape)]
    return Laid(stretch(data, wanted))


@op("expand_as.default")
def _expand_as(call: Call, x: Laid, other: Laid) -> Laid:
    return Laid(stretch(x.plain(), sizes(other.plain())))


@op("copy.default")
def _copy(call: Call, x: Laid, source: Laid) -> Laid:
    """`source` in the shape and dtype of `x`."""
    return Laid(wrapping_cast(stretch(source.plain(), sizes(x.plain())), call.dtype))


@op("repeat.default")
def _repeat(call: Call, x: Laid, counts: Sequence[Size]) -> Laid:
    if not all(isinstance(count, int) for count in counts):
        raise call.unsupported("by sizes of the call")
    return Laid(_ops.tile(x.plain(), [count for count in counts if isinstance(count, int)]))


@op("cat.default", "concat.default")
def _cat(call: Call, tensors: Sequence[Laid], axis: int = 0) -> Laid:
    # PyTorch's legacy rule: an empty vector can be joined to anything.
    parts = [x for x in tensors if x.shape != (0,)] or list(tensors)
    lead = parts[0]
    data = [_ops.cast(x.arranged(lead.order), call.dtype) for x in parts]
    return lead.like(_ops.concatenate(data, lead.place(axis)))


@op("stack.default")
def _stack(call: Call, tensors: Sequence[Laid], axis: int = 0) -> Laid:
    return Laid(_ops.stack([_ops.cast(x.plain(), call.dtype) for x in tensors], axis))


@op("split.Tensor", "split_with_sizes.default", "split.sizes", "chunk.default")
def _split(call: Call, x: Laid, parts: Any, axis: int = 0) -> List[Laid]:
    place = x.place(axis)
    total = x.data._dims[place]
    if total is None or not all(isinstance(part, int) for part in (parts if isinstance(parts, list) else [parts])):
        raise call.unsupported("of a dimension whose size the call chooses")
    if isinstance(parts, int):
        step = -(-total // parts) if "chunk" in str(call.node.target) else parts
        parts = [min(step, total - first) for first in range(0, total, step)] or [0]
    result, first = [], 0
    for part in parts:
        result.append(x.like(_slice_data(x.data, place, slice(first, first + part))))
        first += part
    return result


@op("unbind.int", "unbind_copy.int")
def _unbind(call: Call, x: Laid, axis: int = 0) -> List[Laid]:
    total = x.data._dims[x.place(axis)]
    if total is None:
        raise call.unsupported("of a dimension whose size the call chooses")
    return [_select(call, x, axis, index) for index in range(total)]


def _slice_data(data: Tensor, place: int, key: Any) -> Tensor:
    return _ops.getitem(data, (*[slice(None)] * place, key))


@op("slice.Tensor", "narrow.default", "narrow_copy.default")
def _slice(call: Call, x: Laid, axis: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Laid:
    if "narrow" in str(call.node.target):
        end = start + end
    if any(isinstance(bound, Value) for bound in (start, end)):
        length = call.known_size(axis)
        if step != 1 or isinstance(start, Value) or (start or 0) < 0 or length is None:
            raise call.unsupported("with bounds that the call chooses")
        place, old = x.place(axis), sizes(x.data)
        offsets: List[Size] = [0] * x.ndim
        offsets[place], old[place] = start or 0, length
        return x.like(extract_slice(x.data, offsets, old, [1] * x.ndim))
    start = None if start == 0 else start
    end = None if end is not None and end >= 2**62 else end
    if start is None and end is None and step == 1:
        return x
    return x.like(_slice_data(x.data, x.place(axis), slice(start, end, step)))


@op("select.int")
def _select(call: Call, x: Laid, axis: int, index: Any) -> Laid:
    if isinstance(index, Value):
        raise call.unsupported("at an index that the call chooses")
    place, axis = x.place(axis), axis % x.ndim
    order = [other - (other > axis) for other in x.order if other != axis]
    return Laid(_slice_data(x.data, place, index), order)


@op("flip.default")
def _flip(call: Call, x: Laid, axes: Sequence[int]) -> Laid:
    data = x.data
    for axis in axes:
        data = _ops.flip(data, x.place(axis))
    return x.like(data)


@op("roll.default")
def _roll(call: Call, x: Laid, shifts: Sequence[int], axes: Sequence[int] = ()) -> Laid:
    if not axes:
        # Without axes, all elements roll as one vector.
        plain = x.plain()
        return Laid(reshape_to(_ops.roll(reshape_to(plain, [_product(sizes(plain))]), shifts[0], 0), sizes(plain)))
    data = x.data
    for shift, axis in zip(shifts, axes):
        data = _ops.roll(data, shift, x.place(axis))
    return x.like(data)


@op("constant_pad_nd.default")
def _pad(call: Call, x: Laid, widths: Sequence[int], value: Any = 0) -> Laid:
    return pad_by_value(x, widths, value)


def pad_by_value(x: Laid, widths: Sequence[int], value: Any) -> Laid:
    """A border of one number; `widths` starts from the last dimension. Negative ones cut."""
    pairs: List[Tuple[int, int]] = [(0, 0)] * x.ndim
    for i in range(len(widths) // 2):
        pairs[x.ndim - 1 - i] = (widths[2 * i], widths[2 * i + 1])
    data = x.data
    for axis, (low, high) in enumerate(pairs):
        if low < 0 or high < 0:
            cut = slice(-low if low < 0 else None, high if high < 0 else None)
            data = _slice_data(data, x.place(axis), cut)
    return x.like(_ops.pad(data, [(max(pairs[axis][0], 0), max(pairs[axis][1], 0)) for axis in x.order], value))


@op("tril.default", "triu.default")
def _triangle(call: Call, x: Laid, diagonal: int = 0) -> Laid:
    function = _ops.tril if "tril" in str(call.node.target) else _ops.triu
    return Laid(function(x.plain(), diagonal))


@op("diagonal.default")
def _diagonal(call: Call, x: Laid, offset: int = 0, first: int = 0, second: int = 1) -> Laid:
    first, second = first % x.ndim, second % x.ndim
    data = x.arranged((*[axis for axis in range(x.ndim) if axis not in (first, second)], first, second))
    if None in data._dims[-2:]:
        raise call.unsupported("of a size that the call chooses")
    return Laid(_ops.diagonal(data, offset, x.ndim - 2, x.ndim - 1))


@op("diagonal_scatter.default")
def _diagonal_scatter(call: Call, x: Laid, new: Laid, offset: int = 0, first: int = 0, second: int = 1) -> Laid:
    if None in x.shape:
        raise call.unsupported("of sizes that the call chooses")
    known = [dim_size or 0 for dim_size in x.shape]
    numbers = np.arange(int(np.prod(known)), dtype=np.int64).reshape(known)
    return _put_at(x, new, np.diagonal(numbers, offset, first, second))


def _put_at(x: Laid, new: Laid, places: Array) -> Laid:
    """Returns `x` with elements at places of its elements in row-major order; each place occurs once."""
    if not places.size:
        return x
    flat = reshape_to(x.plain(), [_product(sizes(x.plain())), 1])
    updates = reshape_to(_ops.cast(new.plain(), x.dtype), [places.size, 1])
    index = as_tensor(np.ascontiguousarray(places).reshape(-1))
    return Laid(reshape_to(nn.scatter(flat, index, updates, 0), sizes(x.plain())))


def _strided(call: Call, x: Laid, lengths: Sequence[Any], strides: Sequence[Any], offset: Optional[int]) -> Array:
    """Returns the places of a strided view in the elements of a dense tensor that is not a part of another."""
    meta = call.meta(0)
    numbers = [*lengths, *strides]
    if None in x.shape or not all(isinstance(one, int) for one in numbers):
        raise call.unsupported("of sizes that the call chooses")
    total = int(np.prod([dim_size or 0 for dim_size in x.shape]))
    places = np.zeros(tuple(lengths), np.int64) + (offset if offset is not None else meta.storage_offset())
    for axis, (length, stride) in enumerate(zip(lengths, strides)):
        shape = [1] * len(lengths)
        shape[axis] = length
        places = places + np.arange(length, dtype=np.int64).reshape(shape) * stride
    if not meta.is_contiguous() or meta.storage_offset() or places.size and places.max() >= total:
        raise call.unsupported("of a view")
    return places


@op("as_strided.default", "as_strided_copy.default")
def _as_strided(
    call: Call, x: Laid, lengths: Sequence[Any], strides: Sequence[Any], offset: Optional[int] = None
) -> Laid:
    places = _strided(call, x, lengths, strides, offset)
    flat = reshape_to(x.plain(), [_product(sizes(x.plain()))])
    return Laid(_ops.take(flat, as_tensor(places), 0))


@op("as_strided_scatter.default")
def _as_strided_scatter(
    call: Call, x: Laid, new: Laid, lengths: Sequence[Any], strides: Sequence[Any], offset: Optional[int] = None
) -> Laid:
    places = _strided(call, x, lengths, strides, offset)
    if len(np.unique(places)) != places.size:
        raise call.unsupported("of a view with an element at several places")

    @custom_vjp
    def put(data: Tensor, updates: Tensor) -> Tensor:
        return _put_at(Laid(data), Laid(updates), places).plain()

    @put.defvjp
    def rule(data: Tensor, updates: Tensor, weights: Tensor) -> Tuple[Tensor, Tensor]:
        # PyTorch has the derivatives of those elements of x that are replaced, and no others.
        flat = reshape_to(weights, [_product(sizes(weights))])
        taken = _ops.take(flat, as_tensor(places), 0)
        return _put_at(Laid(_ops.zeros_like(weights)), Laid(taken), places).plain(), taken

    return Laid(put(x.plain(), _ops.cast(new.plain(), x.dtype)))


@op("unfold.default")
def _unfold(call: Call, x: Laid, axis: int, length: int, step: int) -> Laid:
    data = _ops.expand_dims(x.plain(), 0) if x.ndim == 0 else x.plain()
    if x.ndim == 0:
        # A scalar is a vector of one element.
        return Laid(_ops.getitem(data, (slice(0, length),)))
    axis %= x.ndim
    total = data._dims[axis]
    if total is None:
        raise call.unsupported("of a size that the call chooses")
    places = np.arange(0, total - length + 1, step)[:, None] + np.arange(length)
    return Laid(_ops.moveaxis(_ops.take(data, places.astype(np.int32), axis), axis + 1, -1))


#
# New tensors
#


@op("full.default", "zeros.default", "ones.default", "new_zeros.default", "new_ones.default", "new_full.default",
    "empty.memory_format", "empty_permuted.default", "new_empty.default", without="self physical_layout")  # fmt: skip
def _full(call: Call, *, size: Sequence[Size], fill_value: Argument = None) -> Laid:
    value = _filler(call) if fill_value is None else fill_value
    return Laid(stretch(scalar(value, call.dtype), size))


def _filler(call: Call) -> int:
    """Returns the element that the name of an op stands for."""
    return 1 if "ones" in str(call.node.target) else 0


@op("scalar_tensor.default")
def _scalar_tensor(call: Call, value: Argument) -> Laid:
    return Laid(scalar(value, call.dtype))


@op("full_like.default", "zeros_like.default", "ones_like.default", "empty_like.default",
    "fill.Scalar")  # fmt: skip
def _full_like(call: Call, x: Laid, value: Argument = None) -> Laid:
    return x.like(stretch(scalar(_filler(call) if value is None else value, call.dtype), sizes(x.data)))


def iota(length: Size) -> Tensor:
    """0, 1, ... as int64."""
    known = length if isinstance(length, int) else None
    return emit("nn.iota", like_operand([length], _dtypes.int64), _dtypes.int64, (known,), {"axis": Attribute.i64(0)})


@op("arange.default", "arange.start", "arange.start_step")
def _arange(call: Call, *, end: Any, start: Any = 0, step: Any = 1) -> Laid:
    if any(isinstance(bound, Value) for bound in (start, end, step)):
        length = call.known_size(0)
        if isinstance(step, Value) or step != 1 or not isinstance(end, Value) or length is None:
            raise call.unsupported("with bounds that the call chooses")
        numbers = _ops.cast(iota(length), call.dtype)
        is_from_0 = not isinstance(start, Value) and start == 0
        return Laid(numbers if is_from_0 else _ops.add(numbers, scalar(start, call.dtype)))
    return Laid(_ops.arange(start, end, step, call.dtype))


@op("one_hot.default")
def _one_hot(call: Call, x: Laid, depth: int = -1) -> Laid:
    if depth < 0:
        raise call.unsupported("without a number of classes")
    return Laid(_ops.one_hot(x.plain(), depth, _dtypes.int64))


def optional(x: Optional[Laid]) -> Optional[Tensor]:
    """The elements of an argument that may be left out."""
    return None if x is None else x.plain()
