# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's indexing, and what takes elements at indices."""

from typing import Any, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from .._core import dtypes as _dtypes
from .._core import trace as _trace
from .._core.tensor import (
    Tensor,
    TensorLike,
    as_tensor,
    constant,
    format_shape,
    holds_sizes,
    holds_tensors,
    is_integer,
    wrap,
)
from .._errors.messages import about
from .._flywheel import Attribute, Value
from . import arithmetic
from ._ranges import arithmetic_sequence, iota
from .emission import (
    Size,
    broadcast_sizes,
    emit,
    empty,
    index_op,
    infer,
    is_signed,
    normalize_axes,
    normalize_axis,
    signless,
    size,
    sizes,
    stretch,
    with_index,
)
from .shapes import _product, dim, reshape_to, to_index, transpose

_DYNAMIC = -(2**63)


def getitem(x: TensorLike, key: Any) -> Tensor:
    """`x[key]`, with NumPy's meaning of integers (also negative), slices with steps,
    `...`, None, and arrays or tensors of integers, which broadcast.

    Negative elements count from the end, also those of tensors. An index that is a
    tensor and out of range is an error of the step. An array of booleans stands for the
    places where it holds. Raises IndexError for an integer that is out of range, and for
    a boolean tensor, whose result would have no static shape: use `where`. Errors name
    the axis of the index.
    """
    source = as_tensor(x)
    keys = _complete(source, key if isinstance(key, tuple) else (key,))
    return _index_at(source, keys, select(source, keys, Indexed(source, list(range(source.ndim)))))


class Indexed(NamedTuple):
    """The tensor that errors of indices name, and the axis of it that each key is of, but for new dimensions."""

    of: Tensor
    axes: List[int]


def select(x: Tensor, keys: List[Any], indexed: Indexed) -> Tensor:
    """The elements of `x` at these keys, one for each dimension, and None for new ones."""
    part, rest, axes = _slice(x, keys, indexed.axes)
    wrapped = [_from_start(one, part, axis) for axis, one in enumerate(rest)]
    is_one = sum(key is not None and not isinstance(key, slice) for key in keys) < 2 and x is indexed.of
    return _gather(part, wrapped, arrays_come_first(keys), None if is_one else indexed.of, axes)


def checked(index: Tensor, of: Tensor, axis: int) -> Tensor:
    """Indices into an axis of a tensor. One that is out of range is an error of the step that names the axis."""
    return emit("nn.check_indices", [index, of], index.dtype, index._dims, {"axis": Attribute.i64(axis)})


def arrays_come_first(keys: List[Any]) -> bool:
    """Returns true if NumPy puts the dimensions of index arrays first: if the index arrays and integers are not
    adjacent."""
    places = [place for place, key in enumerate(keys) if key is not None and not isinstance(key, slice)]
    return bool(places) and places[-1] - places[0] != len(places) - 1


def _from_start(key: Any, x: Tensor, axis: int) -> Any:
    """Counts negative indices of a tensor from the end; returns other keys as they are, but for negative ones in a
    dimension of which only the call knows the size."""
    if not isinstance(key, Tensor) and not hasattr(key, "read"):
        return key if isinstance(key, slice) else _known_from_start(key, x, axis)
    index = as_tensor(key)
    if not _dtypes.is_signed(index.dtype):
        return index
    total = arithmetic.cast(as_tensor(dim(x, axis)), index.dtype)
    # One that is out of range stays what it is, for the error to say.
    is_from_end = arithmetic.less(index, 0) & arithmetic.greater_equal(index, arithmetic.negative(total))
    return arithmetic.where(is_from_end, arithmetic.add(index, total), index)


def _known_from_start(key: Any, x: Tensor, axis: int) -> Any:
    """Returns an array of indices, as a tensor if it has negative ones and the size is not known."""
    if x._dims[axis] is not None or not np.any(np.less(key, 0)):
        return key
    return _from_start(constant(np.asarray(key, np.int32)), x, axis)


def _index_at(x: Tensor, keys: List[Any], part: Tensor) -> Tensor:
    """Records the sizes in a part of a vector of sizes."""
    if not isinstance(x._index, list) or len(keys) != 1:
        return part
    key = keys[0]
    if isinstance(key, slice):
        if all(bound is None or isinstance(bound, (int, np.integer)) for bound in (key.start, key.stop, key.step)):
            return with_index(part, x._index[key])
        return part
    return part if _is_index_array(key) else with_index(part, [x._index[int(key.__index__())]])


def _is_index_array(key: Any) -> bool:
    return isinstance(key, (Tensor, np.ndarray, list)) or hasattr(key, "read")


def _complete(x: Tensor, keys: Tuple[Any, ...]) -> List[Any]:
    """Returns a key for each dimension; None for new ones."""
    keys = tuple(_without_booleans(x, keys))
    used = sum(key is not None and key is not Ellipsis for key in keys)
    if used > x.ndim:
        raise IndexError(f"too many indices: {used} for a tensor of shape {format_shape(x._dims)}")
    dots = [place for place, key in enumerate(keys) if key is Ellipsis]
    if len(dots) > 1:
        raise IndexError("an index can only have a single ellipsis")
    place = dots[0] if dots else len(keys)
    return [*keys[:place], *[slice(None)] * (x.ndim - used), *keys[place + 1 :]]


def _without_booleans(x: Tensor, keys: Tuple[Any, ...]) -> Iterator[Any]:
    """Arrays of booleans as the indices of where they hold."""
    axis = 0
    for position, key in enumerate(keys):
        if isinstance(key, list):
            key = as_tensor(key) if holds_tensors(key) else np.asarray(key) if key else np.zeros(0, np.int32)
        if isinstance(key, (bool, np.bool_)) or (isinstance(key, Tensor) and _dtypes.is_bool(key.dtype)):
            raise IndexError(f"index of axis {axis}: a boolean index has a result of no static shape: use "
                             "flywheel.where")  # fmt: skip
        if key is Ellipsis:
            rest = keys[position + 1 :]
            axis = x.ndim - sum(getattr(one, "ndim", 1) if _is_mask(one) else one is not None for one in rest)
        elif _is_mask(key):
            expected = x._dims[axis : axis + key.ndim]
            if key.shape != expected:
                raise IndexError(f"index of axis {axis}: a boolean index of shape {key.shape} is of dimensions of "
                                 f"{format_shape(expected)}")  # fmt: skip
            axis += key.ndim
            yield from np.nonzero(key)
            continue
        elif key is not None:
            axis += 1
        yield key


def _is_mask(key: Any) -> bool:
    return isinstance(key, np.ndarray) and key.dtype.kind == "b"


def _place(index: int, dim_size: Size, axis: int) -> Size:
    """Returns the position that an integer denotes, counted from the end if it is negative."""
    if isinstance(dim_size, int) and not -dim_size <= index < dim_size:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {dim_size}")
    return index if index >= 0 else index_op("addi", dim_size, index)


def _from_end(place: Size, dim_size: Size) -> Size:
    """Returns a bound of a slice, counted from the end if it is negative."""
    if isinstance(place, int):
        return place if place >= 0 else index_op("addi", dim_size, place)
    if not is_signed(place):
        return place
    # -1 of a negative one, by what the compiler knows of sizes.
    sign = index_op("minsi", index_op("maxsi", place, -1), 0)
    return index_op("subi", place, index_op("muli", dim_size, sign))


def _bounds(key: slice, dim_size: Size) -> Tuple[Size, Size, int]:
    """Returns the first index of a slice, its number of elements, and the absolute step: a slice with a negative step
    is reversed afterwards."""
    step = 1 if key.step is None else int(key.step)
    if step == 0:
        raise ValueError("slice step cannot be zero")
    if isinstance(dim_size, int) and all(v is None or is_integer(v) for v in (key.start, key.stop)):
        indices = range(*key.indices(dim_size))
        if not indices:
            return 0, 0, abs(step)
        return min(indices[0], indices[-1]), len(indices), abs(step)
    if step < 0:
        return _bounds_backwards(key, dim_size, -step)

    is_from_end = False

    def clamp(value: Any, default: Size) -> Size:
        nonlocal is_from_end
        if value is None:
            return default
        place = to_index(value)
        is_from_end |= is_signed(place)
        if isinstance(place, int):
            if place < 0:
                return index_op("maxsi", index_op("addi", dim_size, place), 0)
            return index_op("minsi", place, dim_size) if place else 0
        place = _from_end(place, dim_size)
        return index_op("minsi", index_op("maxsi", place, 0), dim_size)

    start, stop = clamp(key.start, 0), clamp(key.stop, dim_size)
    if isinstance(key.start, Tensor) and isinstance(key.stop, Tensor):
        _trace.current().has_slices = True
    length = stop
    if start != 0:
        length = index_op("maxsi", index_op("subi", stop, start), 0)
        if is_from_end or not isinstance(start, int):
            # States the bound for the compiler.
            length = index_op("minsi", length, dim_size)
    return start, index_op("ceildivsi", length, step) if step > 1 else length, step


def _bounds_backwards(key: slice, dim_size: Size, step: int) -> Tuple[Size, Size, int]:
    """As `_bounds`, where sizes are values and the slice goes down by `step`."""
    if step == 1 and key.start is None and key.stop is None:
        return 0, dim_size, 1
    last = index_op("subi", dim_size, 1)

    def clamp(value: Any, default: Size) -> Size:
        """Returns a place from -1, before the first one, to the last one."""
        if value is None:
            return default
        place = to_index(value)
        place = _from_end(place, dim_size)
        return index_op("minsi", index_op("maxsi", place, -1), last)

    start, stop = clamp(key.start, last), clamp(key.stop, -1)
    count = index_op("ceildivsi", index_op("maxsi", index_op("subi", start, stop), 0), step)
    # States the bound for the compiler.
    count = index_op("minsi", count, dim_size)
    lowest = index_op("subi", start, index_op("muli", index_op("subi", count, 1), step))
    # If the slice is empty, the offset is still inside of the dimension.
    return index_op("minsi", index_op("maxsi", lowest, 0), dim_size), count, step


class Part(NamedTuple):
    """The offsets, lengths and steps that integers and slices select in a tensor."""

    offsets: List[Size]
    lengths: List[Size]
    steps: List[int]
    # Dimensions that are turned around then, and those that go.
    reversed: List[int]
    dropped: List[int]
    is_whole: bool


def part_of(x: Tensor, keys: List[Any], axes: Optional[List[int]] = None) -> Part:
    """The part of `x` that these keys stand for, one for each dimension, and None for new ones. Errors name the axes
    as `axes` does, if it is given."""
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
            try:
                start, length, step = _bounds(key, dim_size)
            except (IndexError, TypeError, ValueError) as error:
                raise type(error)(f"index of axis {axes[axis] if axes else axis}: {error}") from None
            is_whole &= start == 0 and step == 1 and isinstance(length, int) and length == dim_size
            if key.step is not None and key.step < 0:
                reversed_axes.append(axis)
        elif not _is_index_array(key):
            try:
                index = int(key.__index__())
            except AttributeError:
                raise IndexError(f"index of axis {axes[axis] if axes else axis}: only integers, slices, ..., None and "
                                 f"arrays of integers are indices, found {type(key).__name__}") from None  # fmt: skip
            start, length = _place(index, dim_size, axes[axis] if axes else axis), 1
            dropped.append(axis)
            is_whole &= dim_size == 1
        offsets.append(start)
        lengths.append(length)
        steps.append(step)
        axis += 1
    return Part(offsets, lengths, steps, reversed_axes, dropped, is_whole)


def _slice(x: Tensor, keys: List[Any], axes: List[int]) -> Tuple[Tensor, List[Any], List[int]]:
    """Does what integers, slices and None say; leaves keys for arrays only, with the axes that errors name."""
    part = part_of(x, keys, axes)
    dropped = part.dropped
    x = extract_slice(x, part.offsets, part.lengths, part.steps, part.is_whole)
    for axis in part.reversed:
        x = _reverse(x, axis)
    rest: List[Any] = []
    rest_axes: List[int] = []
    dim_sizes: List[Size] = []
    axis = 0
    for key in keys:
        if key is None:
            dim_sizes.append(1)
            rest.append(slice(None))
            rest_axes.append(-1)
            continue
        if axis not in dropped:
            dim_sizes.append(size(x, axis))
            rest.append(key if _is_index_array(key) else slice(None))
            rest_axes.append(axes[axis])
        axis += 1
    is_same = not dropped and all(key is not None for key in keys)
    return x if is_same else reshape_to(x, dim_sizes), rest, rest_axes


def extract_slice(
    x: Tensor, offsets: List[Size], lengths: List[Size], steps: List[int], is_whole: bool = False
) -> Tensor:
    """A part of `x`, from an offset on, so long, with a step, in each dimension."""
    if is_whole:
        return x
    if _is_of_none(lengths, x):
        return _no_elements(x, [0 if dim_size == 0 else length for length, dim_size in zip(lengths, x._dims)])
    trace = _trace.current()
    shape = tuple(length if isinstance(length, int) else None for length in lengths)

    def fixed(values: List[Size]) -> Attribute:
        return Attribute.i64s([value if isinstance(value, int) else _DYNAMIC for value in values])

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
            "static_strides": Attribute.i64s(steps),
            "operandSegmentSizes": Attribute.i32s([1, len(some_offsets), len(some_lengths), 0]),
        },
    )[0]
    return wrap(value, x.dtype, shape)


def _is_of_none(lengths: List[Size], whole: Tensor) -> bool:
    """Returns true if a part of these sizes has no elements. A part with elements, of a tensor without any, is a slice
    that the step checks: in a loop without iterations nothing executes it."""
    return any(length == 0 if isinstance(length, int) else dim_size == 0
               for length, dim_size in zip(lengths, whole._dims))  # fmt: skip


def _no_elements(x: Tensor, dim_sizes: List[Size]) -> Tensor:
    """Returns a part of `x` that has no elements. `tensor.extract_slice` has no offsets in a dimension of 0."""
    if x.dtype == _dtypes.string:
        return empty(dim_sizes, x.dtype)
    return take(reshape_to(x, [_product(sizes(x))]), empty(dim_sizes, _dtypes.int32), 0)


def insert_slice(part: Tensor, into: Tensor, offsets: List[Size], lengths: List[Size], steps: List[int]) -> Tensor:
    """`into` with a part of these sizes in the place of what `extract_slice` gives; its dimensions of 1 that `part`
    lacks are dropped there."""
    if _is_of_none(lengths, into):
        return into
    trace = _trace.current()

    def fixed(values: List[Size]) -> Attribute:
        return Attribute.i64s([value if isinstance(value, int) else _DYNAMIC for value in values])

    some_offsets = [value for value in offsets if not isinstance(value, int)]
    some_lengths = [value for value in lengths if not isinstance(value, int)]
    attributes: _trace.Attributes = {
        "static_offsets": fixed(offsets),
        "static_sizes": fixed(lengths),
        "static_strides": Attribute.i64s(steps),
        "operandSegmentSizes": Attribute.i32s([1, 1, len(some_offsets), len(some_lengths), 0]),
    }
    type_ = trace.type(into.dtype, into._dims)
    operands = [part.value, into.value, *some_offsets, *some_lengths]
    return wrap(trace.op("tensor.insert_slice", operands, [type_], attributes)[0], into.dtype, into._dims)


def _reverse(x: Tensor, axis: int) -> Tensor:
    dim_size = x._dims[axis]
    if dim_size is not None:
        return take(x, arithmetic_sequence(dim_size - 1, -1, -1, _dtypes.int32), axis)
    last = arithmetic.subtract(dim(x, axis), 1)
    places = arithmetic.subtract(last, iota([size(x, axis)], 0, _dtypes.int64))
    return take(x, places, axis)


def flip(x: TensorLike, axis: Union[int, Sequence[int], None] = None) -> Tensor:
    """`x` with the order of some dimensions, by default of all, turned around."""
    result = as_tensor(x)
    for place in normalize_axes(axis, result.ndim):
        result = _reverse(result, place)
    return result


#
# Arrays of indices
#


def known_indices(key: Any, dim_size: Optional[int], axis: int) -> "np.ndarray[Any, Any]":
    """Converts known indices to an array of integers, in which negative ones count from the end if the size is known.
    Errors name the axis."""
    array = np.asarray(key)
    if array.size == 0:
        array = array.astype(np.int32)
    if array.dtype.kind not in "iu":
        raise IndexError(f"index of axis {axis}: arrays of indices must be of integers, found {array.dtype}")
    if dim_size is None:
        return array
    if array.size and (array.min() < -dim_size or array.max() >= dim_size):
        bad = array.max() if array.max() >= dim_size else array.min()
        raise IndexError(f"index {bad} is out of bounds for axis {axis} with size {dim_size}")
    return np.where(array < 0, array + dim_size, array)


def _indices(key: Any, dim_size: Optional[int], axis: int) -> Tensor:
    """Converts an index array to a tensor of integers; negative constants count from the end. Errors name the axis."""
    if holds_tensors(key):
        key = as_tensor(key)
    if not isinstance(key, Tensor) and not hasattr(key, "read"):
        array = known_indices(key, dim_size, axis)
        return constant(array.astype(np.int64 if array.size and array.max() >= 2**31 else np.int32))
    index = as_tensor(key)
    if not _dtypes.is_integer(index.dtype):
        raise IndexError(f"index of axis {axis}: tensors of indices must be of integers, found {index.dtype}")
    return arithmetic.cast(index, _dtypes.int64) if _dtypes.is_unsigned(index.dtype) else index


def take(x: TensorLike, indices: TensorLike, axis: int = 0) -> Tensor:
    """Slices at indices along a dimension, which the dimensions of `indices` replace.
    An index out of range is an error of the step, a constant one an IndexError."""
    x = as_tensor(x)
    axis = normalize_axis(axis, x.ndim)
    if holds_sizes(indices):
        # A number of Python, which counts from the end if it is negative.
        indices = _from_start(as_tensor(indices), x, axis)
    elif not isinstance(indices, Tensor) and not hasattr(indices, "read") and not holds_tensors(indices):
        indices = _known_from_start(indices, x, axis)
    index = _indices(indices, x._dims[axis], axis)
    dtype = x.dtype
    if dtype == _dtypes.string:
        raise about("take", TypeError("takes no strings"), " ")
    if _dtypes.is_bool(dtype):
        return arithmetic.cast(take(arithmetic.cast(x, _dtypes.int8), index, axis), bool)
    plain = signless(x)
    value = infer("nn.gather", [plain, index], {"axis": Attribute.i64(axis)})
    return value if plain is x else emit("tensor.bitcast", [value], dtype)


def take_along_axis(x: TensorLike, indices: TensorLike, axis: int) -> Tensor:
    """Elements at indices along a dimension, as NumPy has it; the other sizes are
    equal."""
    x = as_tensor(x)
    axis = normalize_axis(axis, x.ndim)
    index = _indices(indices, x._dims[axis], axis)
    if _dtypes.is_bool(x.dtype):
        return arithmetic.cast(take_along_axis(arithmetic.cast(x, _dtypes.int8), index, axis), bool)
    plain = signless(x)
    value = infer("nn.take_along_axis", [plain, index], {"axis": Attribute.i64(axis)})
    return value if plain is x else emit("tensor.bitcast", [value], x.dtype)


def _gather(x: Tensor, keys: List[Any], comes_first: bool, of: Optional[Tensor], names: List[int]) -> Tensor:
    """Indexing by arrays: by one along its dimension, by several as by one into the
    dimensions that they are of. A check names the axis of `of` that each is of; without
    `of` there is one array."""
    axes = [axis for axis, key in enumerate(keys) if not isinstance(key, slice)]
    if not axes:
        return x
    indices = [_indices(keys[axis], x._dims[axis], names[axis]) for axis in axes]
    if of is not None:
        indices = [checked(index, of, names[axis]) if isinstance(keys[axis], Tensor) or x._dims[axis] is None else index
                   for index, axis in zip(indices, axes)]  # fmt: skip
    if len(axes) == 1:
        index = indices[0]
        found = take(x, index, axes[0])
        if not comes_first:
            return found
        joint = list(range(axes[0], axes[0] + index.ndim))
        return transpose(found, [*joint, *[axis for axis in range(found.ndim) if axis not in joint]])
    dim_sizes = broadcast_sizes(indices)
    joined: Optional[Tensor] = None
    for axis, index in zip(axes, indices):
        dim_size = x._dims[axis]
        if dim_size is None:
            raise IndexError(f"axis {names[axis]}: dimensions that several arrays index need static sizes")
        index = stretch(arithmetic.cast(index, _dtypes.int64), dim_sizes)
        joined = index if joined is None else arithmetic.add(arithmetic.multiply(joined, dim_size), index)
    assert joined is not None
    others = [axis for axis in range(x.ndim) if axis not in axes]
    place = 0 if comes_first else axes[0]
    front = [axis for axis in others if axis < place] if place else []
    back = [axis for axis in others if axis not in front]
    old = sizes(x)
    total = 1
    for axis in axes:
        total *= x._dims[axis] or 0
    flat = reshape_to(transpose(x, [*front, *axes, *back]), [*[old[a] for a in front], total, *[old[a] for a in back]])
    return take(flat, joined, len(front))


def scalar_at(x: Tensor, index: Value) -> Tensor:
    """The slice at a place of type index of the first dimension."""
    lengths: List[Size] = [1, *sizes(x)[1:]]
    part = extract_slice(x, [index, *[0] * (x.ndim - 1)], lengths, [1] * x.ndim)
    return reshape_to(part, lengths[1:])
