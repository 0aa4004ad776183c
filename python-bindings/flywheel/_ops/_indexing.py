# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's indexing, and what takes elements at indices."""

from typing import Any, List, Optional, Tuple

import numpy as np

from .. import _dtypes, _trace
from .._flywheel import Value
from .._tensor import Tensor, TensorLike, as_tensor, constant, format_shape, wrap
from . import _arithmetic as arithmetic
from ._core import Size, broadcast_sizes, emit, index_op, normalize_axis, signless, size, sizes, stretch, with_index
from ._shapes import reshape_to, to_index, transpose

_DYNAMIC = -(2**63)


def getitem(x: TensorLike, key: Any) -> Tensor:
    """`x[key]`, with NumPy's meaning of integers (also negative), slices with steps,
    `...`, None, and arrays or tensors of integers, which broadcast.

    An index that is a tensor and out of range is an error of the step; negative
    elements of it count from the end where it is a constant only. Raises IndexError
    for an integer that is out of range, and for boolean arrays, whose results have
    no static shape: use `where`.
    """
    source = as_tensor(x)
    keys = _complete(source, key if isinstance(key, tuple) else (key,))
    part, rest = _slice(source, keys)
    return _index_at(source, keys, _gather(part, rest))


def _index_at(x: Tensor, keys: List[Any], part: Tensor) -> Tensor:
    """A part of a vector of sizes is of sizes."""
    if not isinstance(x.index, list) or len(keys) != 1:
        return part
    key = keys[0]
    if isinstance(key, slice):
        if all(bound is None or isinstance(bound, (int, np.integer)) for bound in (key.start, key.stop, key.step)):
            return with_index(part, x.index[key])
        return part
    return part if _is_index_array(key) else with_index(part, [x.index[int(key.__index__())]])


def _is_index_array(key: Any) -> bool:
    return isinstance(key, (Tensor, np.ndarray, list)) or hasattr(key, "read")


def _complete(x: Tensor, keys: Tuple[Any, ...]) -> List[Any]:
    """A key for each dimension; None for new ones."""
    for key in keys:
        kind = np.asarray(key).dtype.kind if isinstance(key, (np.ndarray, list, bool, np.bool_)) else None
        if kind == "b" or (isinstance(key, Tensor) and _dtypes.is_bool(key.dtype)):
            raise IndexError("a boolean index has a result of no static shape: use flywheel.where")
    used = sum(key is not None and key is not Ellipsis for key in keys)
    if used > x.ndim:
        raise IndexError(f"too many indices: {used} for a tensor of shape {format_shape(x.shape)}")
    dots = [place for place, key in enumerate(keys) if key is Ellipsis]
    if len(dots) > 1:
        raise IndexError("an index can only have a single ellipsis")
    place = dots[0] if dots else len(keys)
    return [*keys[:place], *[slice(None)] * (x.ndim - used), *keys[place + 1 :]]


def _place(index: int, dim_size: Size) -> Size:
    """Where an integer points to, counted from the end if it is negative."""
    if isinstance(dim_size, int) and not -dim_size <= index < dim_size:
        raise IndexError(f"index {index} is out of bounds for a dimension of size {dim_size}")
    return index if index >= 0 else index_op("addi", dim_size, index)


def _bounds(key: slice, dim_size: Size) -> Tuple[Size, Size, int]:
    """The first index of a slice, how many there are, and the step, which is not
    negative any more: such a slice is turned around afterwards."""
    step = 1 if key.step is None else int(key.step)
    if step == 0:
        raise ValueError("slice step cannot be zero")
    if isinstance(dim_size, int) and all(v is None or isinstance(v, (int, np.integer)) for v in (key.start, key.stop)):
        indices = range(*key.indices(dim_size))
        if not indices:
            return 0, 0, abs(step)
        return min(indices[0], indices[-1]), len(indices), abs(step)
    if step < 0:
        raise IndexError("a slice of a dimension that is not static, or with a tensor, needs a step above 0")

    def clamp(value: Any, default: Size) -> Size:
        if value is None:
            return default
        place = to_index(value)
        if isinstance(place, int):
            if place < 0:
                return index_op("maxsi", index_op("addi", dim_size, place), 0)
            return index_op("minsi", place, dim_size) if place else 0
        return index_op("minsi", index_op("maxsi", place, 0), dim_size)

    start, stop = clamp(key.start, 0), clamp(key.stop, dim_size)
    length = stop if start == 0 else index_op("maxsi", index_op("subi", stop, start), 0)
    return start, index_op("ceildivsi", length, step) if step > 1 else length, step


def _slice(x: Tensor, keys: List[Any]) -> Tuple[Tensor, List[Any]]:
    """Does what integers, slices and None say; leaves keys for arrays only."""
    offsets: List[Size] = []
    lengths: List[Size] = []
    steps: List[int] = []
    reversed_axes: List[int] = []
    dropped: List[int] = []
    is_whole = True
    axis = 0
    for key in keys:
        if key is None:
            continue
        dim_size = size(x, axis)
        start: Size = 0
        length: Size = dim_size
        step = 1
        if isinstance(key, slice) and key == slice(None):
            pass
        elif isinstance(key, slice):
            start, length, step = _bounds(key, dim_size)
            is_whole &= start == 0 and step == 1 and isinstance(length, int) and length == dim_size
            if key.step is not None and key.step < 0:
                reversed_axes.append(axis)
        elif not _is_index_array(key):
            try:
                index = int(key.__index__())
            except AttributeError:
                raise IndexError(
                    f"only integers, slices, ..., None and arrays of integers are indices, found {type(key).__name__}"
                ) from None
            start, length = _place(index, dim_size), 1
            dropped.append(axis)
            is_whole &= dim_size == 1
        offsets.append(start)
        lengths.append(length)
        steps.append(step)
        axis += 1
    x = extract_slice(x, offsets, lengths, steps, is_whole)
    for axis in reversed_axes:
        x = _reverse(x, axis)
    rest: List[Any] = []
    dim_sizes: List[Size] = []
    axis = 0
    for key in keys:
        if key is None:
            dim_sizes.append(1)
            rest.append(slice(None))
            continue
        if axis not in dropped:
            dim_sizes.append(size(x, axis))
            rest.append(key if _is_index_array(key) else slice(None))
        axis += 1
    return reshape_to(x, dim_sizes) if dropped or any(key is None for key in keys) else x, rest


def extract_slice(
    x: Tensor, offsets: List[Size], lengths: List[Size], steps: List[int], is_whole: bool = False
) -> Tensor:
    """A part of `x`, from an offset on, so long, with a step, in each dimension."""
    if is_whole:
        return x
    trace = _trace.current()
    shape = tuple(length if isinstance(length, int) else None for length in lengths)

    def fixed(values: List[Size]) -> Tuple[str, List[int]]:
        return ("i64s", [value if isinstance(value, int) else _DYNAMIC for value in values])

    def dynamic(values: List[Size]) -> List[Value]:
        return [value for value in values if not isinstance(value, int)]

    some_offsets, some_lengths = dynamic(offsets), dynamic(lengths)
    value = trace.op(
        "tensor.extract_slice",
        [x.value, *some_offsets, *some_lengths],
        [trace.type(x.dtype, shape)],
        {
            "static_offsets": fixed(offsets),
            "static_sizes": fixed(lengths),
            "static_strides": ("i64s", steps),
            "operandSegmentSizes": ("i32s", [1, len(some_offsets), len(some_lengths), 0]),
        },
    )[0]
    return wrap(value, x.dtype, shape)


def _reverse(x: Tensor, axis: int) -> Tensor:
    dim_size = x.shape[axis]
    if dim_size is None:
        raise IndexError("a dimension that is turned around needs a static size")
    return take(x, np.arange(dim_size - 1, -1, -1, dtype=np.int32), axis)


def flip(x: TensorLike, axis: Optional[int] = None) -> Tensor:
    """`x` with the order of a dimension, or of all, turned around."""
    result = as_tensor(x)
    for place in range(result.ndim) if axis is None else [normalize_axis(axis, result.ndim)]:
        result = _reverse(result, place)
    return result


#
# Arrays of indices
#


def _indices(key: Any, dim_size: Optional[int]) -> Tensor:
    """An index array as a tensor of integers; of constants, negative ones count from
    the end."""
    if not isinstance(key, Tensor) and not hasattr(key, "read"):
        array = np.asarray(key)
        if array.size == 0:
            array = array.astype(np.int32)
        if array.dtype.kind not in "iu":
            raise IndexError(f"arrays of indices must be of integers, found {array.dtype}")
        if dim_size is not None:
            if array.size and (array.min() < -dim_size or array.max() >= dim_size):
                bad = array.max() if array.max() >= dim_size else array.min()
                raise IndexError(f"index {bad} is out of bounds for a dimension of size {dim_size}")
            array = np.where(array < 0, array + dim_size, array)
        return constant(array.astype(np.int64 if array.size and array.max() >= 2**31 else np.int32))
    index = as_tensor(key)
    if not _dtypes.is_integer(index.dtype):
        raise IndexError(f"tensors of indices must be of integers, found {index.dtype}")
    return arithmetic.cast(index, _dtypes.int64) if _dtypes.is_unsigned(index.dtype) else index


def take(x: TensorLike, indices: TensorLike, axis: int = 0) -> Tensor:
    """Slices at indices along a dimension, which the dimensions of `indices` replace.
    An index out of range is an error of the step, a constant one an IndexError."""
    x = as_tensor(x)
    axis = normalize_axis(axis, x.ndim)
    index = _indices(indices, x.shape[axis])
    result = (*x.shape[:axis], *index.shape, *x.shape[axis + 1 :])
    dtype = x.dtype
    if dtype == _dtypes.string:
        raise TypeError("take takes no strings")
    plain = signless(x)
    value = emit("nn.gather", [plain, index], plain.dtype, result, {"axis": ("i64", axis)})
    return value if plain is x else emit("tensor.bitcast", [value], dtype)


def take_along_axis(x: TensorLike, indices: TensorLike, axis: int) -> Tensor:
    """Elements at indices along a dimension, as NumPy has it; the other sizes are
    equal."""
    x = as_tensor(x)
    axis = normalize_axis(axis, x.ndim)
    index = _indices(indices, x.shape[axis])
    plain = signless(x)
    value = emit("nn.take_along_axis", [plain, index], plain.dtype, index.shape, {"axis": ("i64", axis)})
    return value if plain is x else emit("tensor.bitcast", [value], x.dtype)


def _gather(x: Tensor, keys: List[Any]) -> Tensor:
    """Indexing by arrays: by one along its dimension, by several as by one into the
    dimensions that they are of."""
    axes = [axis for axis, key in enumerate(keys) if not isinstance(key, slice)]
    if not axes:
        return x
    if len(axes) == 1:
        return take(x, keys[axes[0]], axes[0])
    indices = [_indices(keys[axis], x.shape[axis]) for axis in axes]
    dim_sizes = broadcast_sizes(indices)
    joined: Optional[Tensor] = None
    for axis, index in zip(axes, indices):
        dim_size = x.shape[axis]
        if dim_size is None:
            raise IndexError("dimensions that several arrays index need static sizes")
        index = arithmetic.cast(index, _dtypes.int64)
        index = stretch(_check(index, dim_size), dim_sizes)
        joined = index if joined is None else arithmetic.add(arithmetic.multiply(joined, dim_size), index)
    assert joined is not None
    others = [axis for axis in range(x.ndim) if axis not in axes]
    # NumPy: arrays in a row stay where they are, others come to the front.
    place = axes[0] if axes[-1] - axes[0] == len(axes) - 1 else 0
    front = [axis for axis in others if axis < place] if place else []
    back = [axis for axis in others if axis not in front]
    old = sizes(x)
    total = 1
    for axis in axes:
        total *= x.shape[axis] or 0
    flat = reshape_to(transpose(x, [*front, *axes, *back]), [*[old[a] for a in front], total, *[old[a] for a in back]])
    return take(flat, joined, len(front))


def _check(index: Tensor, dim_size: int) -> Tensor:
    """Indices of which one that is out of range is so in every place: where several
    are one, it would be another element."""
    bad = arithmetic.logical_or(arithmetic.less(index, 0), arithmetic.greater_equal(index, dim_size))
    return arithmetic.where(bad, constant(-(2**40), _dtypes.int64), index)


def scalar_at(x: Tensor, index: Value) -> Tensor:
    """The slice at a place of type index of the first dimension."""
    lengths: List[Size] = [1, *sizes(x)[1:]]
    part = extract_slice(x, [index, *[0] * (x.ndim - 1)], lengths, [1] * x.ndim)
    return reshape_to(part, lengths[1:])
