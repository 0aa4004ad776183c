# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of a StableHLO module while it is translated: tensors, and what is known of their elements."""

from typing import List, Optional, Sequence, Tuple, Union

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._core import trace as _trace
from .._core.annotations import Array
from .._core.tensor import Tensor, as_tensor, wrap
from .._ops.emission import Size

# The least and the largest number that an integer can be.
Bounds = Tuple[int, int]

# Constants up to this size are made where they are used: a constant that only a shape or a loop needs adds no op.
_SMALL = 16


class Known:
    """A value of the module.

    A constant has its elements in `array`. Integers that sizes are made of, and counters of loops, have their elements
    in `sizes` in row-major order, as numbers or values of type index; `bounds` are the bounds of a counter.
    """

    __slots__ = ("dtype", "shape", "array", "sizes", "bounds", "_tensor")

    def __init__(
        self, dtype: _dtypes.DType, shape: Sequence[Optional[int]], tensor: Optional[Tensor] = None,
        array: Optional[Array] = None, sizes: Optional[List[Size]] = None, bounds: Optional[Bounds] = None,
    ):  # fmt: skip
        self.dtype = dtype
        self.shape = tuple(shape)
        self.array = array
        self.sizes = sizes
        self.bounds = bounds
        self._tensor = tensor

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def tensor(self) -> Tensor:
        """The value as a tensor of the trace, here."""
        if self._tensor is not None:
            return self._tensor
        if self.array is not None:
            number = self.uniform
            if number is None or _dtypes.is_unsigned(self.dtype) or self.dtype == _dtypes.bfloat16:
                return as_tensor(np.ascontiguousarray(self.array).reshape(self.array.shape))
            return _ops.full(list(self.array.shape), number, self.dtype)
        assert self.sizes is not None
        parts = [_size_tensor(size, self.dtype) for size in self.sizes]
        return parts[0] if self.ndim == 0 else _ops.stack(parts) if parts else _ops.zeros((0,), self.dtype)

    @property
    def uniform(self) -> Union[bool, int, float, None]:
        """The number that all elements of a constant are; None where they differ, or are not known."""
        if self.array is None or self.array.size == 0:
            return None
        first = self.array.reshape(-1)[:1] if self.array.size <= _SMALL else self.array[(0,) * self.array.ndim]
        if not _is_splat(self.array):
            return None
        number = np.asarray(first).reshape(()).astype(np.float64) if self.dtype == _dtypes.bfloat16 else first
        found: Union[bool, int, float] = np.asarray(number).reshape(()).item()
        return found


class Complex:
    """A value of complex numbers: its real and its imaginary part, of one shape and dtype."""

    __slots__ = ("real", "imaginary")

    def __init__(self, real: Known, imaginary: Known):
        self.real = real
        self.imaginary = imaginary

    @property
    def dtype(self) -> _dtypes.DType:
        return self.real.dtype

    @property
    def shape(self) -> Tuple[Optional[int], ...]:
        return self.real.shape

    @property
    def pair(self) -> Tuple[Tensor, Tensor]:
        return self.real.tensor, self.imaginary.tensor


AnyKnown = Union[Known, Complex]


def tensors_of(values: Sequence[AnyKnown]) -> List[Tensor]:
    """Returns the tensors of values, of a complex one both parts."""
    parts = [[x.real, x.imaginary] if isinstance(x, Complex) else [x] for x in values]
    return [part.tensor for pair in parts for part in pair]


def regrouped(tensors: Sequence[Tensor], are_complex: Sequence[bool]) -> List[AnyKnown]:
    """Returns the values that `tensors_of` took apart."""
    rest = iter(tensors)
    return [Complex(of_tensor(next(rest)), of_tensor(next(rest))) if is_complex else of_tensor(next(rest))
            for is_complex in are_complex]  # fmt: skip


def _is_splat(array: Array) -> bool:
    if all(stride == 0 or size == 1 for stride, size in zip(array.strides, array.shape)):
        return True
    return array.size <= _SMALL and array.tobytes() == np.broadcast_to(array.reshape(-1)[0], array.shape).tobytes()


def _size_tensor(size: Size, dtype: _dtypes.DType) -> Tensor:
    if isinstance(size, int):
        return as_tensor(size, dtype)
    trace = _trace.current()
    number = trace.op("arith.index_cast", [size], [trace.graph.type("int64", None)])[0]
    scalar = trace.op("tensor.from_elements", [number], [trace.type(_dtypes.int64, ())])[0]
    result = _ops.cast(wrap(scalar, _dtypes.int64, ()), dtype)
    result._index = size
    return result


def of_tensor(tensor: Tensor) -> Known:
    return Known(tensor.dtype, tensor._dims, tensor)


def of_array(array: Array) -> Known:
    """A constant. Large ones that are not one number become a tensor here, once."""
    result = Known(_dtypes.as_dtype(array.dtype), array.shape, array=array)
    if array.size > _SMALL and not _is_splat(array):
        result._tensor = as_tensor(np.ascontiguousarray(array))
    return result


def of_sizes(
    sizes: Sequence[Size], dtype: _dtypes.DType, shape: Sequence[Optional[int]], bounds: Optional[Bounds] = None
) -> Known:
    """Integers; a constant where all are numbers."""
    known = [size for size in sizes if isinstance(size, int)]
    if len(known) == len(sizes):
        return of_array(np.array(known, dtype).reshape([size or 0 for size in shape]))
    return Known(dtype, shape, sizes=list(sizes), bounds=bounds)


def as_sizes(x: Known) -> Optional[List[Size]]:
    """The integers of a scalar or a vector, where they are known as such."""
    if x.sizes is not None:
        return x.sizes
    if x.array is None or x.ndim > 1 or x.array.size > _SMALL or not _dtypes.is_integer(x.dtype):
        return None
    return [int(number) for number in x.array.reshape(-1)]


def bounds_of(x: Known) -> Optional[Bounds]:
    """Returns the bounds of a scalar, if they are known."""
    if x.bounds is not None:
        return x.bounds
    if x.array is not None and x.array.size and _dtypes.is_integer(x.dtype):
        return int(x.array.min()), int(x.array.max())
    return None
