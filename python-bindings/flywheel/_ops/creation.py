# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that are made of nothing."""

from typing import Any, List, Optional, Sequence, Union

import numpy as np

from .._core import dtypes as _dtypes
from .._core import trace as _trace
from .._core.argument_checks import elements
from .._core.tensor import (
    Tensor,
    TensorLike,
    as_tensor,
    constant,
    format_shape,
    holds_sizes,
    is_integer,
    is_number,
    wrap,
)
from .._errors.messages import about, wrong
from .._flywheel import Attribute
from ._ranges import arithmetic_sequence, evenly_spaced, identity_matrix, spaced
from .arithmetic import add, cast, equal, multiply, power
from .emission import Size, as_unsigned, emit, index_op, is_signed, like_operand, sizes, static, stretch
from .indexing import getitem
from .shapes import expand_dims, to_index

DimSize = Union[int, Tensor]
Scalar = Union[float, Tensor]
DimSizes = Union[DimSize, Sequence[DimSize]]


def dim_sizes_of(shape: DimSizes) -> List[Size]:
    """Sizes of which some may be scalar tensors."""
    wanted = [shape] if is_integer(shape) or isinstance(shape, Tensor) else elements("shape", shape)
    return [to_index(dim_size) for dim_size in wanted]


def full(shape: DimSizes, value: TensorLike, dtype: Any = None) -> Tensor:
    """A tensor of equal elements. Sizes may be scalar tensors."""
    element = as_tensor(value, dtype)
    dim_sizes = dim_sizes_of(shape)
    _check_fills(element, dim_sizes)
    if isinstance(value, (bool, int, float)) and all(isinstance(dim_size, int) for dim_size in dim_sizes):
        trace = _trace.current()
        known = static(dim_sizes)
        if not _dtypes.is_unsigned(element.dtype) and element.dtype != _dtypes.string:
            array = _dtypes.literal(value, element.dtype)
            found = wrap(trace.graph.constant(array, trace.type(element.dtype, known)), element.dtype, known)
            if element._wide is not None:
                found._wide = lambda: full(shape, value, _dtypes.float64)
            return found
    return stretch(element, dim_sizes)


def _check_fills(value: Tensor, dim_sizes: Sequence[Any]) -> None:
    """Raises ValueError for a value that does not broadcast to these sizes."""
    shape = static(dim_sizes)
    if value.ndim > len(shape):
        raise wrong(ValueError, f"a value of at most {len(shape)} dimensions", value.ndim, "value")
    pairs = list(zip(reversed(value._dims), reversed(shape)))
    if any(own not in (1, None, wanted) and wanted is not None for own, wanted in pairs):
        raise wrong(ValueError, f"a value that broadcasts to the shape {format_shape(shape)}",
                    f"the shape {format_shape(value._dims)}", "value")  # fmt: skip


def zeros(shape: DimSizes, dtype: Any = _dtypes.float32) -> Tensor:
    """A tensor of zeros (False)."""
    return full(shape, 0, dtype)


def ones(shape: DimSizes, dtype: Any = _dtypes.float32) -> Tensor:
    """A tensor of ones (True)."""
    return full(shape, 1, dtype)


def full_like(x: TensorLike, value: TensorLike, dtype: Any = None) -> Tensor:
    """A tensor of equal elements, of the shape of `x` and by default of its dtype."""
    x = as_tensor(x)
    element = as_tensor(value, x.dtype if dtype is None else dtype)
    _check_fills(element, x._dims)
    return stretch(element, sizes(x))


def zeros_like(x: TensorLike, dtype: Any = None) -> Tensor:
    """Zeros of the shape of `x`."""
    return full_like(x, 0, dtype)


def ones_like(x: TensorLike, dtype: Any = None) -> Tensor:
    """Ones of the shape of `x`."""
    return full_like(x, 1, dtype)


def arange(start: Scalar, stop: Optional[Scalar] = None, step: Scalar = 1, dtype: Any = None) -> Tensor:
    """Numbers from `start` up to but without `stop`. Each may be a scalar tensor of integers, whose results are int32
    by default, and the step a number then; a size that is computed comes from `dim` or `shape`, since a step knows
    how much memory it needs from the sizes of its arguments."""
    if start is None:
        raise about("arange", TypeError("takes a number, found None"), " ")
    first, last = (0, start) if stop is None else (start, stop)
    if not isinstance(step, Tensor) and is_number(step) and step == 0:
        raise about("arange", ValueError("takes a step other than 0"), " ")
    if any(isinstance(x, Tensor) for x in (first, last, step)):
        return _counted(first, last, step, _dtypes.int32 if dtype is None else dtype)
    return arithmetic_sequence(first, last, step, dtype)


def _counted(start: Any, stop: Any, step: Any, dtype: Any) -> Tensor:
    """`arange` of which a bound is a tensor."""
    if any(not isinstance(x, (int, np.integer)) and not _dtypes.is_integer(as_tensor(x).dtype)
           for x in (start, stop, step)):  # fmt: skip
        raise TypeError("arange of tensors takes integers")
    first, last, by = to_index(start), to_index(stop), to_index(step)
    if not isinstance(by, int) or by == 0:
        raise ValueError("arange of tensors takes a step that is a number, and not 0")
    if isinstance(first, int) and isinstance(last, int):
        return arithmetic_sequence(first, last, by, dtype)
    if by > 0 and isinstance(first, int) and first > 0:
        # The elements from `start` on of a range up to `stop`: the compiler sees the bound of a slice.
        return getitem(_counted(0, stop, 1, dtype), slice(first, None, by))
    low, high = (first, last) if by > 0 else (last, first)
    if low == 0:
        length = _clamp(high, stop if by > 0 else start)
    else:
        length = index_op("maxsi", index_op("subi", high, low), 0)
    dim_size = length if abs(by) == 1 else index_op("ceildivsi", length, abs(by))
    kind = _dtypes.as_dtype(dtype)
    plain = _dtypes.as_dtype(kind.name.lstrip("u")) if _dtypes.is_integer(kind) else kind
    like = like_operand([dim_size], plain)
    numbers = as_unsigned(emit("nn.iota", like, plain, static([dim_size]), {"axis": Attribute.i64(0)}), kind)
    numbers = numbers if by == 1 else multiply(numbers, by)
    return numbers if isinstance(first, int) and first == 0 else add(numbers, cast(start, kind))


# The elements that a buffer has at most beyond those that the compiler finds in its size.
_SPARE_ELEMENTS = 1 << 16


def _clamp(length: Size, given: Any) -> Size:
    """Returns a size, or 0 if it is negative, in a form of which the compiler finds a bound. `given` is the
    argument."""
    if not is_signed(length) or not holds_sizes(given):
        return length
    least, most = given._bounds
    if most <= _SPARE_ELEMENTS:
        return index_op("minsi", index_op("maxsi", length, 0), max(most, 0))
    if -least <= _SPARE_ELEMENTS:
        return index_op("subi", index_op("maxsi", index_op("addi", length, -least), -least), -least)
    return length


def linspace(
    start: Scalar, stop: Scalar, num: DimSize = 50, dtype: Any = _dtypes.float32, *, endpoint: bool = True
) -> Tensor:
    """`num` numbers at equal distances, both ends included, or without the last one. Each may be a scalar tensor."""
    if any(isinstance(x, Tensor) for x in (start, stop, num)):
        return cast(spaced(start, stop, to_index(num), endpoint), dtype)
    return evenly_spaced(start, stop, num, endpoint, dtype)


def logspace(
    start: Scalar, stop: Scalar, num: DimSize = 50, dtype: Any = _dtypes.float32, *, endpoint: bool = True,
    base: float = 10.0,
) -> Tensor:  # fmt: skip
    """`base` to the powers of `linspace`."""
    if any(isinstance(x, Tensor) for x in (start, stop, num)):
        return cast(power(constant(base, _dtypes.float64), spaced(start, stop, to_index(num), endpoint)), dtype)
    return constant(np.logspace(start, stop, num, endpoint=endpoint, base=base), dtype)


def eye(rows: DimSize, columns: Optional[DimSize] = None, dtype: Any = _dtypes.float32, *, k: DimSize = 0) -> Tensor:
    """A matrix with ones on a diagonal, `k` above the main one. Sizes may be scalar tensors."""
    return identity_matrix(rows, columns, k, dtype)


def identity(n: DimSize, dtype: Any = _dtypes.float32) -> Tensor:
    """A square matrix with ones on its diagonal."""
    return eye(n, dtype=dtype)


def one_hot(indices: TensorLike, depth: DimSize, dtype: Any = _dtypes.float32) -> Tensor:
    """A last dimension of `depth`, with 1 at the index and 0 elsewhere: only zeros
    where the index is out of range."""
    indices = as_tensor(indices)
    if not _dtypes.is_integer(indices.dtype):
        raise about("one_hot", TypeError(f"takes integers, found {indices.dtype}"), " ")
    if _dtypes.is_unsigned(indices.dtype):
        indices = cast(indices, _dtypes.int64)
    target = _dtypes.as_dtype(dtype)
    plain = target if _dtypes.is_floating(target) else _dtypes.int32
    if not is_integer(depth) and not isinstance(depth, Tensor):
        raise wrong(TypeError, "an integer or a scalar tensor", repr(depth), "depth")
    if isinstance(depth, Tensor):
        return cast(equal(expand_dims(indices, -1), arange(depth, dtype=indices.dtype)), target)
    return cast(emit("nn.one_hot", [indices], plain, (*indices._dims, depth)), target)
