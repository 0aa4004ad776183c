# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors whose elements follow from their places.

Small ones are constants, of which the compiler knows the elements. Each element of a large one is computed where the
step reads it: a constant would take its bytes in every form that the program has on its way to machine code.
"""

from typing import Any, Sequence, Tuple

import numpy as np

from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, as_tensor, constant
from .._errors.messages import about
from .._flywheel import Attribute
from .arithmetic import add, cast, divide, equal, greater, less_equal, logical_and, multiply, subtract, where
from .emission import Size, as_unsigned, emit, index_op, like_operand, of_size, static
from .shapes import to_index

# The elements that a constant has at most.
_MOST_ELEMENTS = 1024


def is_small(*dim_sizes: int) -> bool:
    """Returns true if a tensor of these sizes is to be a constant."""
    count = 1
    for dim_size in dim_sizes:
        count *= dim_size
    return count <= _MOST_ELEMENTS


def iota(shape: Sequence[Size], axis: int, dtype: Any = _dtypes.int32) -> Tensor:
    """The number of each position along a dimension."""
    kind = _dtypes.as_dtype(dtype)
    plain = _dtypes.as_dtype(kind.name.lstrip("u")) if _dtypes.is_integer(kind) else kind
    like = like_operand(shape, plain)
    return as_unsigned(emit("nn.iota", like, plain, static(shape), {"axis": Attribute.i64(axis)}), kind)


def _fits(dtype: _dtypes.DType, *numbers: int) -> bool:
    limits = np.iinfo(dtype)
    return all(limits.min <= number <= limits.max for number in numbers)


def _length(start: Any, stop: Any, step: Any) -> int:
    """Returns the number of elements of `numpy.arange`. Raises as it does."""
    ratio = (stop - start) / step
    if not abs(ratio) < 2**63:
        raise ValueError("Maximum allowed size exceeded")
    if ratio == 0 and stop != start:
        return int(not np.signbit(ratio))
    return max(int(np.ceil(ratio)), 0)


def arithmetic_sequence(start: Any, stop: Any, step: Any, dtype: Any = None) -> Tensor:
    """The elements of `numpy.arange` of these numbers. Without a dtype, the dtype that `constant` gives the array where
    one of the numbers is NumPy's, and otherwise the list. Raises as `numpy.arange`."""
    is_typed = any(isinstance(x, np.generic) for x in (start, stop, step))
    if not all(isinstance(x, (int, float, np.generic)) for x in (start, stop, step)) or step == 0:
        return constant(np.arange(start, stop, step), dtype)
    count = _length(start, stop, step)
    # Another stop of the same type has the same dtype.
    sample = np.arange(start, stop, step) if is_small(count) else np.arange(start, type(stop)(start + 2 * step), step)
    narrows = dtype is not None and sample.dtype.kind == "f" and not _dtypes.is_floating(_dtypes.as_dtype(dtype))
    if is_small(count) or narrows or sample.dtype.name not in ("int32", "int64", "float32", "float64"):
        array = np.arange(start, stop, step)
        if dtype is None and not is_typed:
            return constant(array.tolist() if array.size else array.astype(np.int32))
        return constant(array, dtype)
    computed = _dtypes.as_dtype(sample.dtype)
    if _dtypes.is_integer(computed):
        first, by = int(start), int(step)
        last = first + (count - 1) * by
        wanted = _dtypes.as_dtype(dtype) if dtype is not None else computed
        if dtype is None and not is_typed and _fits(_dtypes.int32, first, last):
            wanted = _dtypes.int32
        # Products are no farther from 0 than twice the numbers.
        narrow = _fits(_dtypes.int32, first, last, (count - 1) * by)
        return sequence(first, by, count, _dtypes.int32 if narrow else _dtypes.int64, wanted)
    # The step as NumPy rounds it.
    first = computed.type(start)
    by = computed.type(start + step) - first
    return sequence(first, by, count, computed, dtype or (computed if is_typed else _dtypes.float32))


def sequence(start: Any, step: Any, count: int, computed: _dtypes.DType, dtype: Any) -> Tensor:
    """start + k * step for k from 0 to `count` - 1, computed in one dtype and cast to another."""
    numbers = iota([count], 0, computed)
    if step != 1:
        numbers = multiply(numbers, constant(step, computed))
    if start != 0:
        numbers = add(numbers, constant(start, computed))
    return cast(numbers, dtype)


def evenly_spaced(start: Any, stop: Any, num: Any, endpoint: bool, dtype: Any) -> Tensor:
    """The elements of `numpy.linspace` of these numbers."""
    is_plain = isinstance(start, (int, float)) and isinstance(stop, (int, float))
    if is_small(num) or not is_plain or not _dtypes.is_floating(_dtypes.as_dtype(dtype)):
        return constant(np.linspace(start, stop, num, endpoint=endpoint), dtype)
    steps = num - 1 if endpoint else num
    distance = float(stop) - float(start)
    step = distance / steps
    numbers = iota([num], 0, _dtypes.float64)
    if step == 0:
        numbers = multiply(divide(numbers, constant(steps, _dtypes.float64)), constant(distance, _dtypes.float64))
    else:
        numbers = multiply(numbers, constant(step, _dtypes.float64))
    numbers = add(numbers, constant(float(start), _dtypes.float64))
    if endpoint:
        numbers = where(equal(iota([num], 0), num - 1), constant(float(stop), _dtypes.float64), numbers)
    return cast(numbers, dtype)


def spaced(start: Any, stop: Any, num: Size, endpoint: bool) -> Tensor:
    """`evenly_spaced` in float64, where the numbers or how many there are may be values of the step."""
    first, last = (cast(as_tensor(x), _dtypes.float64) for x in (start, stop))
    steps: Any = index_op("subi", num, 1) if endpoint else num
    steps = index_op("maxsi", steps, 1)
    distance = divide(subtract(last, first), cast(steps if isinstance(steps, int) else of_size(steps), _dtypes.float64))
    numbers = add(multiply(iota([num], 0, _dtypes.float64), distance), first)
    if not endpoint or num == 1:
        return numbers
    # The last one is exact; of one number it is the first one.
    place = iota([num], 0, _dtypes.int64)
    is_last = logical_and(equal(place, steps if isinstance(steps, int) else of_size(steps)), greater(place, 0))
    return where(is_last, last, numbers)


def _below(shape: Tuple[Size, Size], k: Any) -> Tuple[Tensor, Tensor]:
    """Returns the place of the diagonal `k` above the main one in each row, and the number of the column."""
    return add(iota((shape[0], 1), 0), k), iota((1, shape[1]), 1)


def identity_matrix(rows: Any, columns: Any = None, k: Any = 0, dtype: Any = _dtypes.float32) -> Tensor:
    """The elements of `numpy.eye`. Raises as it does."""
    width = rows if columns is None else columns
    if _is_of_call(rows, width, k):
        return cast(equal(*_below((to_index(rows), to_index(width)), k)), dtype)
    if not _is_large_matrix("eye", rows, width, k):
        return constant(np.eye(rows, columns, k), dtype)
    return cast(equal(*_below((rows, width), k)), dtype)


def lower_triangle(rows: Any, columns: Any = None, k: Any = 0, dtype: Any = _dtypes.float32) -> Tensor:
    """The elements of `numpy.tri`. Raises as it does."""
    width = rows if columns is None else columns
    if _is_of_call(rows, width, k):
        diagonal, column = _below((to_index(rows), to_index(width)), k)
        return cast(less_equal(column, diagonal), dtype)
    if not _is_large_matrix("tri", rows, width, k):
        return constant(np.tri(rows, columns, k), dtype)
    diagonal, column = _below((rows, width), k)
    return cast(less_equal(column, diagonal), dtype)


def _is_of_call(*numbers: Any) -> bool:
    """Returns true if one of these is a value of the step."""
    return any(isinstance(number, Tensor) for number in numbers)


def _is_large_matrix(what: str, rows: Any, columns: Any, k: Any) -> bool:
    """Returns true if a matrix is not to be a constant. Raises ValueError for sizes that int32 does not hold."""
    numbers = [rows, columns, k]
    if not all(isinstance(one, (int, np.integer)) and not isinstance(one, bool) for one in numbers):
        return False
    if rows <= 0 or columns <= 0 or is_small(int(rows), int(columns)):
        return False
    if not _fits(_dtypes.int32, int(rows) + abs(int(k)), int(columns)):
        raise about(what, ValueError(f"expected less than 2^31 rows, columns and rows to the diagonal, found {rows} "
                                     f"rows, {columns} columns and diagonal {k}"))  # fmt: skip
    return True
