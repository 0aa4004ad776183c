# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations along dimensions."""

from typing import Any, List, Optional, Sequence, Union

from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, TensorLike, as_tensor, constant
from .._errors.messages import about
from .._flywheel import Attribute
from . import arithmetic
from .checks import expect_at_least
from .emission import (
    Size,
    as_unsigned,
    emit,
    index_op,
    infer,
    normalize_axes,
    normalize_axis,
    signless,
    size,
    with_index,
)
from .indexing import getitem
from .precision import rounds_once
from .shapes import expand_dims, ravel, shape, squeeze

Axis = Union[int, Sequence[int], None]

_KINDS = {"sum": 0, "mean": 1, "max": 2, "min": 3, "prod": 4}


def _reduce(kind: str, x: Tensor, axis: Axis, keepdims: bool) -> Tensor:
    if x.dtype == _dtypes.string:
        raise about(kind, TypeError("takes no strings"), " ")
    axes = normalize_axes(axis, x.ndim)
    if not axes:
        return x
    attributes = {"kind": Attribute.i32(_KINDS[kind]), "axes": Attribute.i64s(axes)}
    if keepdims:
        attributes["keepdims"] = Attribute.unit()
    return infer("nn.reduce", [x], attributes)


def _numbers(x: TensorLike) -> Tensor:
    x = as_tensor(x)
    return arithmetic.cast(x, _dtypes.int32) if _dtypes.is_bool(x.dtype) else x


def reduce_sum(x: TensorLike, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The sum along dimensions in the dtype that `x` has, of booleans in int32."""
    x = _numbers(x)
    return as_unsigned(_reduce("sum", signless(x), axis, keepdims), x.dtype)


def reduce_prod(x: TensorLike, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The product along dimensions in the dtype that `x` has, of booleans in int32."""
    x = _numbers(x)
    result = as_unsigned(_reduce("prod", signless(x), axis, keepdims), x.dtype)
    if not isinstance(x._index, list):
        return result
    total: Size = 1
    for factor in x._index:
        total = index_op("muli", total, factor)
    return with_index(result, [total])


def _widened(x: TensorLike, dtype: Any) -> Tensor:
    """Widens integers of 8 and 16 bits to 32, in which NumPy sums them."""
    x = _numbers(x)
    if dtype is None and _dtypes.is_integer(x.dtype) and x.dtype.itemsize < 4:
        dtype = _dtypes.uint32 if _dtypes.is_unsigned(x.dtype) else _dtypes.int32
    return x if dtype is None else arithmetic.cast(x, dtype)


def sum(x: TensorLike, axis: Axis = None, keepdims: bool = False, dtype: Any = None) -> Tensor:
    """The sum along dimensions, by default all, in `dtype`: by default that of `x`, but of booleans and integers of
    8 and 16 bits one of 32."""
    return reduce_sum(_widened(x, dtype), axis, keepdims)


def prod(x: TensorLike, axis: Axis = None, keepdims: bool = False, dtype: Any = None) -> Tensor:
    """The product along dimensions; see `sum` for dtypes."""
    return reduce_prod(_widened(x, dtype), axis, keepdims)


def mean(x: TensorLike, axis: Axis = None, keepdims: bool = False, dtype: Any = None) -> Tensor:
    """The mean along dimensions, in `dtype`; of integers by default in float32."""
    x = as_tensor(x) if dtype is None else arithmetic.cast(x, dtype)
    if not _dtypes.is_floating(x.dtype):
        x = arithmetic.cast(x, _dtypes.float32)
    return _reduce("mean", x, axis, keepdims)


def _extremum(kind: str, x: TensorLike, axis: Axis, keepdims: bool) -> Tensor:
    x = as_tensor(x)
    if _dtypes.is_bool(x.dtype):
        # The extremum of no elements is the smallest or largest number, which are False and True.
        return arithmetic.greater(_reduce(kind, arithmetic.cast(x, _dtypes.int8), axis, keepdims), 0)
    if _dtypes.is_unsigned(x.dtype):
        # Unsigned numbers have the order of signed ones with another first bit.
        bits = signless(x)
        first = -(2 ** (8 * x.dtype.itemsize - 1))
        flipped = arithmetic.bitwise(kind, "arith.xori", bits, constant(first, bits.dtype))
        found = _reduce(kind, flipped, axis, keepdims)
        return as_unsigned(
            arithmetic.bitwise(kind, "arith.xori", found, constant(first, bits.dtype)), x.dtype
        )
    return _reduce(kind, x, axis, keepdims)


def reduce_max(x: TensorLike, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The largest element along dimensions; of none the smallest number of the dtype."""
    return _extremum("max", x, axis, keepdims)


def reduce_min(x: TensorLike, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The smallest element along dimensions; of none the largest number of the dtype."""
    return _extremum("min", x, axis, keepdims)


def _some(what: str, x: TensorLike, axis: Axis) -> Tensor:
    """Raises ValueError where each result would be of no elements; a call fails where only it knows the size."""
    given = as_tensor(x)
    axes = normalize_axes(axis, given.ndim)
    if 0 in [given._dims[place] for place in axes]:
        raise about(what, ValueError("of no elements: expected sizes of 1 or more along its axes, "
                                     f"found {given._dims}"), " ")  # fmt: skip
    for place in axes:
        expect_at_least(size(given, place), 1, f"{what} of no elements: the size of dimension {place}")
    return given


def max(x: TensorLike, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The largest element along dimensions; equal ones share its derivative. Raises ValueError where a size along
    them is 0; a call that brings such a size fails."""
    return reduce_max(_some("max", x, axis), axis, keepdims)


def min(x: TensorLike, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The smallest element along dimensions; see `max`."""
    return reduce_min(_some("min", x, axis), axis, keepdims)


def any(x: TensorLike, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """True if some element along dimensions is not 0."""
    return reduce_max(arithmetic.cast(x, bool), axis, keepdims)


def all(x: TensorLike, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """True if no element along dimensions is 0."""
    return reduce_min(arithmetic.cast(x, bool), axis, keepdims)


def _arg(op: str, x: TensorLike, axis: Optional[int], keepdims: bool) -> Tensor:
    x = as_tensor(x)
    if _dtypes.is_bool(x.dtype) or _dtypes.is_unsigned(x.dtype):
        if x.dtype.itemsize > 4:
            raise about(op[3:], TypeError(f"takes no {x.dtype}: cast it"), " ")
        x = arithmetic.cast(x, _dtypes.int64 if x.dtype.itemsize == 4 else _dtypes.int32)
    rank = x.ndim
    if axis is None:
        x, axis = ravel(x), 0
    place = normalize_axis(axis, x.ndim)
    _some(op.removeprefix("nn."), x, place)
    found = infer(op, [x], {"axis": Attribute.i64(place)})
    if not keepdims:
        return found
    return expand_dims(found, place if rank == x.ndim else list(range(rank)))


def argmax(x: TensorLike, axis: Optional[int] = None, keepdims: bool = False) -> Tensor:
    """The place of the largest element along a dimension, or among all, as int32:
    the first of equal ones; NaN counts as largest."""
    return _arg("nn.argmax", x, axis, keepdims)


def argmin(x: TensorLike, axis: Optional[int] = None, keepdims: bool = False) -> Tensor:
    """The place of the smallest element; see `argmax`."""
    return _arg("nn.argmin", x, axis, keepdims)


def _cumulative(op: str, x: TensorLike, axis: Optional[int], exclusive: bool, reverse: bool) -> Tensor:
    x = _numbers(x)
    if axis is None:
        x, axis = ravel(x), 0
    attributes = {"axis": Attribute.i64(normalize_axis(axis, x.ndim))}
    if exclusive:
        attributes["exclusive"] = Attribute.unit()
    if reverse:
        attributes["reverse"] = Attribute.unit()
    return as_unsigned(emit(op, [signless(x)], attributes=attributes), x.dtype)


def cumsum(
    x: TensorLike, axis: Optional[int] = None, exclusive: bool = False, reverse: bool = False, dtype: Any = None
) -> Tensor:
    """Running sums along a dimension: without the element itself with `exclusive`, from the end with `reverse`. See
    `sum` for dtypes."""
    return _cumulative("nn.cumsum", _widened(x, dtype), axis, exclusive, reverse)


def cumprod(
    x: TensorLike, axis: Optional[int] = None, exclusive: bool = False, reverse: bool = False, dtype: Any = None
) -> Tensor:
    """Running products along a dimension; see `cumsum`."""
    return _cumulative("nn.cumprod", _widened(x, dtype), axis, exclusive, reverse)


def _count(x: Tensor, axes: List[int]) -> Tensor:
    """Returns the number of elements that a result along these dimensions reduces, in float32."""
    count = 1
    for place in axes:
        dim_size = size(x, place)
        if not isinstance(dim_size, int):
            sizes = arithmetic.cast(shape(x), _dtypes.float32)
            return prod(getitem(sizes, [axes])) if len(axes) > 1 else getitem(sizes, place)
        count *= dim_size
    return constant(float(count))


@rounds_once()
def var(x: TensorLike, axis: Axis = None, keepdims: bool = False, ddof: int = 0) -> Tensor:
    """The mean of (x - mean)^2 along dimensions; the sum is divided by n - `ddof`, or by 0 where that is less."""
    x = as_tensor(x)
    if not _dtypes.is_floating(x.dtype):
        x = arithmetic.cast(x, _dtypes.float32)
    deviation = arithmetic.subtract(x, mean(x, axis, keepdims=True))
    squares = arithmetic.multiply(deviation, deviation)
    if ddof == 0:
        return mean(squares, axis, keepdims)
    count = arithmetic.cast(_count(x, normalize_axes(axis, x.ndim)), x.dtype)
    divisor = arithmetic.maximum(arithmetic.subtract(count, float(ddof)), 0.0)
    return arithmetic.divide(sum(squares, axis, keepdims), divisor)


@rounds_once()
def std(x: TensorLike, axis: Axis = None, keepdims: bool = False, ddof: int = 0) -> Tensor:
    """The square root of `var`; its derivative at 0 is 0."""
    return arithmetic.root(var(x, axis, keepdims, ddof))


@rounds_once()
def logsumexp(x: TensorLike, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """log(sum(exp(x))) along dimensions, without overflow."""
    x = as_tensor(x)
    if not _dtypes.is_floating(x.dtype):
        x = arithmetic.cast(x, _dtypes.float32)
    top = arithmetic.stop_gradient(reduce_max(x, axis, keepdims=True))
    top = arithmetic.where(arithmetic.isfinite(top), top, 0.0)
    total = arithmetic.log(sum(arithmetic.exp(arithmetic.subtract(x, top)), axis, keepdims=True))
    result = arithmetic.add(total, top)
    if keepdims:
        return result
    return squeeze(result, normalize_axes(axis, x.ndim))


@rounds_once()
def norm(x: TensorLike, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The Euclidean norm along dimensions; integers become float32. Its derivative at 0 is 0."""
    (x,) = arithmetic._floats(x)
    return arithmetic.root(sum(arithmetic.square(x), axis, keepdims))


@rounds_once()
def power_norm(x: TensorLike, order: float, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """sum(|x|^order)^(1 / order) along dimensions, for an order other than 0. The derivative by an element that is 0
    is 0, where the order is 1 or less and it has none, and so is that at a norm of 0."""
    (x,) = arithmetic._floats(x)
    if order == 1:
        return sum(arithmetic.absolute(x), axis, keepdims)
    if order == 2:
        return norm(x, axis, keepdims)
    is_zero = arithmetic.equal(x, 0)
    powers = arithmetic.power(arithmetic.absolute(arithmetic.where(is_zero, 1.0, x)), order)
    total = sum(arithmetic.where(is_zero, 0.0 if order > 0 else float("inf"), powers), axis, keepdims)
    # The sum that has a norm of 0.
    is_least = arithmetic.equal(total, 0.0 if order > 0 else float("inf"))
    return arithmetic.where(is_least, 0.0, arithmetic.power(arithmetic.where(is_least, 1.0, total), 1 / order))
