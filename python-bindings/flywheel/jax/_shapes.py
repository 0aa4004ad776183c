# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of StableHLO that move elements."""

from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, as_tensor
from .._flywheel import Attribute
from .._ops.emission import Size, emit, index_op, like_operand, signless, size, sizes, static
from .._ops.indexing import extract_slice
from .._ops.shapes import reshape_to
from ._graph import Call, op
from ._values import Known, as_sizes, of_array, of_sizes


def reshaped(x: Tensor, shape: Sequence[Size]) -> Tensor:
    return reshape_to(x, list(shape))


@op("reshape")
def _reshape(call: Call, x: Known) -> Any:
    if x.sizes is not None and all(size == 1 for size in call.shape):
        return Known(x.dtype, call.shape, sizes=x.sizes, bounds=x.bounds)
    if x.array is not None and x.array.size <= 64:
        return of_array(np.ascontiguousarray(x.array).reshape(call.static_shape))
    if x.uniform is not None and x.array is not None:
        return of_array(np.broadcast_to(x.array.reshape(-1)[0] if x.array.size <= 64 else
                                        x.array[(0,) * x.ndim], call.static_shape))  # fmt: skip
    return reshaped(x.tensor, call.static_shape)


@op("broadcast_in_dim")
def _broadcast_in_dim(call: Call, x: Known) -> Any:
    return broadcast_in_dim(x, call.ints("broadcast_dimensions"), call.static_shape)


def broadcast_in_dim(x: Known, dims: Sequence[int], shape: Sequence[Size]) -> Any:
    """`x` with its dimension i as dimension `dims[i]` of the result, and repeated along the others."""
    if x.sizes is not None and list(shape) == [1] * len(shape):
        return Known(x.dtype, static(shape), sizes=x.sizes, bounds=x.bounds)
    known = [dim_size for dim_size in shape if isinstance(dim_size, int)]
    if x.array is not None and len(known) == len(shape):
        wide = x.array.transpose(np.argsort(dims)).reshape(
            [x.array.shape[list(dims).index(i)] if i in dims else 1 for i in range(len(shape))])  # fmt: skip
        if x.uniform is not None or (wide.shape == tuple(known) and x._tensor is None):
            return of_array(np.broadcast_to(wide, known))
    data = x.tensor
    if list(dims) != sorted(dims):
        data = _ops.transpose(data, list(np.argsort(dims)))
    if data.ndim == len(shape) and data._dims == static(shape):
        return data
    if all(isinstance(dim_size, int) for dim_size in shape) and _count(data._dims) == _count(static(shape)):
        # Only dimensions of 1 are new.
        return reshaped(data, shape)
    plain = signless(data)
    like = like_operand(shape, plain.dtype)
    result = emit("nn.broadcast", [plain, *like], plain.dtype, static(shape), {"dims": Attribute.i64s(sorted(dims))})
    return result if plain is data else emit("tensor.bitcast", [result], data.dtype)


def _count(shape: Sequence[Optional[int]]) -> Optional[int]:
    result = 1
    for dim_size in shape:
        if dim_size is None:
            return None
        result *= dim_size
    return result


@op("transpose")
def _transpose(call: Call, x: Known) -> Any:
    axes = call.ints("permutation")
    if x.uniform is not None and x.array is not None:
        return of_array(x.array.transpose(axes))
    return permuted(x.tensor, axes)


def permuted(x: Tensor, axes: Sequence[int]) -> Tensor:
    """A transposition; where only dimensions of 1 move it is a reshape."""
    moving = [axis for axis in axes if x._dims[axis] != 1]
    if moving == sorted(moving):
        old = sizes(x)
        return reshaped(x, [old[axis] for axis in axes])
    return _ops.transpose(x, list(axes))


@op("reverse")
def _reverse(call: Call, x: Known) -> Tensor:
    data = x.tensor
    for axis in call.ints("dimensions"):
        data = _ops.flip(data, axis) if data._dims[axis] != 1 else data
    return data


@op("concatenate")
def _concatenate(call: Call, *parts: Known) -> Any:
    axis = call.integer("dimension")
    listed = [as_sizes(part) for part in parts]
    if len(call.shape) == 1 and any(part.sizes is not None for part in parts) and None not in listed:
        return of_sizes([size for found in listed for size in found or []], call.dtype, call.shape)
    arrays = [part.array for part in parts if part.array is not None and part.array.size <= 64]
    if len(arrays) == len(parts):
        return of_array(np.concatenate(arrays, axis))
    filled = [part.tensor for part in parts if part.shape[axis] != 0]
    return _ops.concatenate(filled, axis) if filled else parts[0]


@op("slice")
def _slice(call: Call, x: Known) -> Any:
    starts, limits, steps = call.ints("start_indices"), call.ints("limit_indices"), call.ints("strides")
    if x.array is not None and (x.array.size <= 64 or x.uniform is not None):
        return of_array(x.array[tuple(slice(*bounds) for bounds in zip(starts, limits, steps))])
    if x.sizes is not None and x.ndim == 1:
        return of_sizes(x.sizes[starts[0] : limits[0] : steps[0]], x.dtype, call.shape)
    return sliced(x.tensor, starts, limits, steps)


def sliced(x: Tensor, starts: Sequence[int], limits: Sequence[int], steps: Optional[Sequence[int]] = None) -> Tensor:
    """Elements from `starts` up to but without `limits`."""
    steps = [1] * x.ndim if steps is None else list(steps)
    lengths: List[Size] = [max(-(-(limit - start) // step), 0) for start, limit, step in zip(starts, limits, steps)]
    if 0 in lengths:
        return _ops.zeros([length if isinstance(length, int) else 0 for length in lengths], x.dtype)
    return extract_slice(x, list(starts), lengths, list(steps), static(lengths) == x._dims)


@op("pad")
def _pad(call: Call, x: Known, value: Known) -> Tensor:
    low, high, inner = call.ints("edge_padding_low"), call.ints("edge_padding_high"), call.ints("interior_padding")
    widths = list(zip(low, high))
    if value.uniform is not None:
        return padded(x.tensor, widths, inner, value.uniform)
    # The value is computed by the step: it is put where a pad of ones has none.
    data = padded(x.tensor, widths, inner, 0)
    place = np.zeros([size or 0 for size in data._dims], bool)
    if None in data._dims:
        raise call.unsupported("with a computed value, of a size that the call chooses")
    keys = []
    for axis, (first, step) in enumerate(zip(low, inner)):
        indices = first + (step + 1) * np.arange(x.shape[axis] or 0)
        keys.append(indices[(indices >= 0) & (indices < place.shape[axis])])
    place[np.ix_(*keys)] = True
    return _ops.where(as_tensor(place), data, value.tensor)


def padded(x: Tensor, widths: Sequence[Tuple[int, int]], inner: Sequence[int], value: Any) -> Tensor:
    """`x` with elements of `value` around it, fewer of its own where a width is negative, and
    `inner` ones between two of its own."""
    dtype = x.dtype
    x = signless(x)
    if _dtypes.is_unsigned(dtype):
        value = int(np.array(value).astype(dtype).view(x.dtype))
    for axis, step in enumerate(inner):
        if step and (x._dims[axis] is None or x._dims[axis] != 0):
            x = _spread(x, axis, step, value)
    cut = [(max(-low, 0), max(-high, 0)) for low, high in widths]
    if any(low or high for low, high in cut):
        lengths = [index_op("subi", dim_size, sum(pair)) for dim_size, pair in zip(sizes(x), cut)]
        x = extract_slice(x, [low for low, _ in cut], lengths, [1] * x.ndim)
    added = [(max(low, 0), max(high, 0)) for low, high in widths]
    if any(low or high for low, high in added):
        x = _ops.pad(x, added, value)
    return x if x.dtype == dtype else emit("tensor.bitcast", [x], dtype)


def _spread(x: Tensor, axis: int, step: int, value: Any) -> Tensor:
    """`step` elements of `value` between two of `x` along a dimension."""
    old = sizes(x)
    columns = reshaped(x, [*old[: axis + 1], 1, *old[axis + 1 :]])
    widths = [(0, step if place == axis + 1 else 0) for place in range(columns.ndim)]
    wide = _ops.pad(columns, widths, value)
    total = index_op("muli", old[axis], step + 1)
    flat = reshaped(wide, [*old[:axis], total, *old[axis + 1 :]])
    new = sizes(flat)
    new[axis] = index_op("subi", total, step)
    return extract_slice(flat, [0] * x.ndim, new, [1] * x.ndim)


@op("iota")
def _iota(call: Call) -> Known:
    shape, axis = call.static_shape, call.integer("iota_dimension")
    row = np.arange(shape[axis]).astype(call.dtype)
    array = np.broadcast_to(row.reshape([-1 if i == axis else 1 for i in range(len(shape))]), shape)
    return Known(call.dtype, shape, iota(call.dtype, shape, axis), array)


def iota(dtype: _dtypes.DType, shape: Sequence[Size], axis: int) -> Tensor:
    """The number of each position along a dimension."""
    plain = _dtypes.as_dtype(dtype.name.lstrip("u")) if _dtypes.is_integer(dtype) else dtype
    if _dtypes.is_bool(plain):
        return _ops.cast(iota(_dtypes.int32, shape, axis), dtype)
    found = emit("nn.iota", like_operand(shape, plain), plain, static(shape), {"axis": Attribute.i64(axis)})
    return found if plain == dtype else emit("tensor.bitcast", [found], dtype)


#
# Sizes that the call chooses
#


@op("get_dimension_size")
def _dimension_size(call: Call, x: Known) -> Known:
    return of_sizes([size(x.tensor, call.integer("dimension"))], call.dtype, ())


def _wanted(call: Call, shape: Known) -> List[Size]:
    """Returns the sizes that an operand asks for, as numbers if the type of the result has them."""
    found = as_sizes(shape)
    if found is None:
        raise call.unsupported("of a size that is computed from elements")
    return [own if own is not None else given for own, given in zip(call.shape, found)]


@op("dynamic_broadcast_in_dim")
def _dynamic_broadcast(call: Call, x: Known, shape: Known) -> Any:
    return broadcast_in_dim(x, call.ints("broadcast_dimensions"), _wanted(call, shape))


@op("dynamic_reshape")
def _dynamic_reshape(call: Call, x: Known, shape: Known) -> Tensor:
    return reshaped(x.tensor, _wanted(call, shape))


@op("dynamic_iota")
def _dynamic_iota(call: Call, shape: Known) -> Tensor:
    return iota(call.dtype, _wanted(call, shape), call.integer("iota_dimension"))


@op("real_dynamic_slice")
def _real_dynamic_slice(call: Call, x: Known, starts: Known, limits: Known, steps: Known) -> Tensor:
    first, last, step = as_sizes(starts), as_sizes(limits), as_sizes(steps)
    if first is None or last is None or step is None or not all(isinstance(part, int) for part in step):
        raise call.unsupported("with bounds that are computed from elements")
    lengths = [index_op("ceildivsi", index_op("subi", b, a), c) for a, b, c in zip(first, last, step)]
    lengths = [own if own is not None else length for own, length in zip(call.shape, lengths)]
    return extract_slice(x.tensor, first, lengths, [part for part in step if isinstance(part, int)])


@op("dynamic_pad")
def _dynamic_pad(call: Call, x: Known, value: Known, *widths: Known) -> Tensor:
    found = [as_sizes(width) for width in widths]
    known = [[part for part in width if isinstance(part, int)] for width in found if width is not None]
    if len(known) != 3 or any(len(part) != x.ndim for part in known) or value.uniform is None:
        raise call.unsupported("with widths that the call chooses")
    return padded(x.tensor, list(zip(known[0], known[1])), known[2], value.uniform)


@op("custom_call.shape_assertion")
def _shape_assertion(call: Call, *_: Known) -> List[Any]:
    """The types of the feeds say so already."""
    return []
