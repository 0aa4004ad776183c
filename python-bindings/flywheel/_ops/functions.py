# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations element by element that are made of others, and products of vectors."""

import builtins
from typing import Any, Callable, Optional, Sequence, Tuple

import numpy as np

from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, TensorLike, as_tensor, as_tensors, constant, format_shape
from .._errors.messages import about
from . import arithmetic
from .arithmetic import (
    absolute,
    add,
    divide,
    equal,
    floor_divide,
    greater_equal,
    isinf,
    isnan,
    less,
    log1p,
    maximum,
    minimum,
    mod,
    multiply,
    power,
    rint,
    root,
    sin,
    square,
    subtract,
    where,
)
from .checks import expect_equal
from .contractions import matmul, sum_along
from .emission import as_unsigned, broadcast, emit, normalize_axis, signless, size
from .indexing import getitem
from .precision import rounds_once
from .reductions import sum
from .shapes import moveaxis, ravel, stack


def bitwise_and(a: TensorLike, b: TensorLike) -> Tensor:
    """Bits that both have. Raises TypeError for what is neither integer nor boolean."""
    return arithmetic.bitwise("bitwise_and", "arith.andi", a, b)


def bitwise_or(a: TensorLike, b: TensorLike) -> Tensor:
    """Bits that one of both has; see `bitwise_and`."""
    return arithmetic.bitwise("bitwise_or", "arith.ori", a, b)


def bitwise_xor(a: TensorLike, b: TensorLike) -> Tensor:
    """Bits that just one of both has; see `bitwise_and`."""
    return arithmetic.bitwise("bitwise_xor", "arith.xori", a, b)


def _shift(what: str, op: str, unsigned_op: str, a: TensorLike, b: TensorLike, rest: Any) -> Tensor:
    a, b = broadcast(*as_tensors(a, b))
    if not _dtypes.is_integer(a.dtype):
        raise about(what, TypeError(f"takes integers, found {a.dtype}"), " ")
    bits = a.dtype.itemsize * 8
    # A shift by more bits than there are has no meaning to the machine.
    is_whole = arithmetic.logical_or(less(b, 0), greater_equal(b, bits)) if _dtypes.is_signed(b.dtype) else (
        greater_equal(b, bits))  # fmt: skip
    name = unsigned_op if _dtypes.is_unsigned(a.dtype) else op
    moved = as_unsigned(emit(name, [signless(a), signless(where(is_whole, 0, b))]), a.dtype)
    return where(is_whole, rest(a), moved)


def left_shift(a: TensorLike, b: TensorLike) -> Tensor:
    """The bits of `a` moved up by `b` places; 0 where these are more than there are."""
    return _shift("left_shift", "arith.shli", "arith.shli", a, b, lambda x: 0)


def right_shift(a: TensorLike, b: TensorLike) -> Tensor:
    """The bits of `a` moved down by `b` places; the sign fills in."""
    return _shift("right_shift", "arith.shrsi", "arith.shrui", a, b,
                  lambda x: where(less(x, 0), as_tensor(-1, x.dtype), as_tensor(0, x.dtype))
                  if _dtypes.is_signed(x.dtype) else 0)  # fmt: skip


def divmod(a: TensorLike, b: TensorLike) -> Tuple[Tensor, Tensor]:
    """`floor_divide` and `mod`."""
    return floor_divide(a, b), mod(a, b)


def fmod(a: TensorLike, b: TensorLike) -> Tensor:
    """The remainder of a division of a by b that rounds toward zero: it has the sign of a."""
    a, b = broadcast(*as_tensors(a, b))
    if _dtypes.is_floating(a.dtype):
        return emit("arith.remf", [a, b])
    if _dtypes.is_unsigned(a.dtype):
        return mod(a, b)
    return emit("arith.remsi", [a, b])


def float_power(a: TensorLike, b: TensorLike) -> Tensor:
    """`power` of floating-point numbers; integers become float32."""
    return power(*arithmetic._floats(a, b))


@rounds_once(2)
def hypot(a: TensorLike, b: TensorLike) -> Tensor:
    """sqrt(a^2 + b^2), without overflow. Its derivatives at (0, 0) are 0."""
    a, b = arithmetic._floats(a, b)
    is_infinite = arithmetic.logical_or(arithmetic.isinf(a), arithmetic.isinf(b))
    a, b = where(is_infinite, 1.0, a), where(is_infinite, 1.0, b)
    # The result does not depend on the scale, which is constant to derivatives: that of a maximum jumps.
    # Its reciprocal is a number, and so are squares of what it scales.
    most = 2.0**500 if a.dtype == _dtypes.float64 else 2.0**70
    scale = arithmetic.stop_gradient(maximum(absolute(a), absolute(b)))
    scale = minimum(maximum(scale, 1 / most), most)
    found = multiply(scale, root(add(square(divide(a, scale)), square(divide(b, scale)))))
    return where(is_infinite, np.inf, found)


@rounds_once(2)
def logaddexp(a: TensorLike, b: TensorLike) -> Tensor:
    """log(exp(a) + exp(b)), without overflow."""
    a, b = broadcast(*arithmetic._floats(a, b))
    # top + softplus(low - top) is smooth, and the same with both exchanged: which of them is the larger one makes no
    # difference to derivatives.
    is_first = greater_equal(a, b)
    top, low = where(is_first, a, b), where(is_first, b, a)
    # Two equal infinities have no difference.
    gap = where(arithmetic.logical_and(equal(a, b), arithmetic.isinf(a)), 0.0, subtract(low, top))
    return add(top, emit("nn.softplus", [gap]))


@rounds_once(2)
def heaviside(x: TensorLike, at_zero: TensorLike) -> Tensor:
    """0 below 0, 1 above, and `at_zero` there."""
    x, at_zero = arithmetic._floats(x, at_zero)
    return where(isnan(x), x, where(equal(x, 0), at_zero, where(less(x, 0), 0.0, 1.0)))


# The coefficients of Lanczos's approximation of the gamma function with g = 7.
_LANCZOS = (
    676.520368121885098567009190444019, -1259.13921672240287047156078755283, 771.3234287776530788486528258894,
    -176.61502916214059906584551354, 12.507343278686904814458936853, -0.13857109526572011689554707,
    9.984369578019570859563e-6, 1.50563273514931155834e-7)  # fmt: skip


def lgamma(x: TensorLike) -> Tensor:
    """log(|gamma(x)|); infinite at 0 and at negative whole numbers."""
    (x,) = arithmetic._floats(x)
    # Near its zeros the terms cancel: of narrower types they are float64.
    return arithmetic.cast(_log_gamma(arithmetic.cast(x, _dtypes.float64)), x.dtype)


def _log_gamma(given: Tensor) -> Tensor:
    x = where(isinf(given), 1.0, given)
    # Below 1/2 by Euler's reflection.
    reflects = less(x, 0.5)
    z = where(reflects, arithmetic.negative(x), subtract(x, 1.0))
    series: Tensor = constant(0.99999999999980993227684700473478, x.dtype)
    for i, one in enumerate(_LANCZOS, 1):
        series = add(series, divide(one, add(z, float(i))))
    log_base = add(log1p(divide(z, 7.5)), float(np.log(7.5)))
    base = add(z, 7.5)
    power_of = multiply(subtract(add(z, 0.5), divide(base, log_base)), log_base)
    found = add(add(power_of, float(np.log(2 * np.pi) / 2)), arithmetic.log(series))
    # The distance from the nearest whole number, at most 1/2, keeps the sine exact near whole numbers.
    rest = subtract(x, arithmetic.rint(x))
    sine = sin(multiply(where(reflects, rest, 0.5), float(np.pi)))
    # `absolute` has the derivative 0 at 0, where that of the logarithm is infinite.
    turned = where(greater_equal(sine, 0), sine, arithmetic.negative(sine))
    # Large negative numbers are whole, and both terms are infinite for them without the bound.
    bounded_part = arithmetic.minimum(found, float(np.finfo(np.float64).max))
    mirrored = subtract(subtract(float(np.log(np.pi)), arithmetic.log(turned)), bounded_part)
    found = where(reflects, mirrored, found)
    # Exactly 0, with an unchanged derivative.
    is_zero = arithmetic.logical_or(equal(x, 1.0), equal(x, 2.0))
    found = subtract(found, where(is_zero, arithmetic.stop_gradient(found), 0.0))
    # At 0 and at negative whole numbers that is infinite, and so are the slopes, in every mode.
    return where(isinf(given), np.inf, found)


def copysign(x: TensorLike, sign: TensorLike) -> Tensor:
    """`x` with the sign of another number."""
    return emit("math.copysign", broadcast(*arithmetic._floats(x, sign)))


def signbit(x: TensorLike) -> Tensor:
    """True if the sign is minus, also for -0."""
    x = as_tensor(x)
    if not _dtypes.is_floating(x.dtype):
        return less(x, 0)
    return less(copysign(constant(1.0, x.dtype), x), 0)


def bounded(x: Tensor, low: Optional[TensorLike], high: Optional[TensorLike]) -> Tensor:
    """`x` between two numbers, either of which may be None. At them its derivative is 0, as PyTorch has it, where that
    of `clip` is 1."""
    low, high = (None if bound is None else as_tensor(bound, x.dtype) for bound in (low, high))
    found: Tensor = arithmetic.stop_gradient(arithmetic.clip(x, low, high))
    if not _dtypes.is_floating(x.dtype):
        return found
    inside: Tensor = constant(True)
    if low is not None:
        inside = arithmetic.logical_and(inside, arithmetic.greater(x, low))
    if high is not None:
        inside = arithmetic.logical_and(inside, less(x, high))
    return where(inside, x, found)


def shared_maximum(a: TensorLike, b: TensorLike) -> Tensor:
    """`maximum`, where equal operands share the derivative: what PyTorch and JAX do."""
    return _shared(maximum, *as_tensors(a, b))


def shared_minimum(a: TensorLike, b: TensorLike) -> Tensor:
    """`minimum`, where equal operands share the derivative."""
    return _shared(minimum, *as_tensors(a, b))


def _shared(function: Callable[[TensorLike, TensorLike], Tensor], a: Tensor, b: Tensor) -> Tensor:
    chosen = function(a, b)
    if not _dtypes.is_floating(chosen.dtype):
        return chosen
    # Both have no rounding: the sum of large numbers may be infinite, the half of small ones not be a number.
    half = where(less(absolute(a), 1.0), multiply(add(a, b), 0.5), add(multiply(a, 0.5), multiply(b, 0.5)))
    # If one is NaN, neither is less than the other, and each has the whole derivative, as in PyTorch.
    both = add(a, b)
    return where(equal(a, b), half, where(arithmetic.logical_or(isnan(a), isnan(b)), both, chosen))


def fmax(a: TensorLike, b: TensorLike) -> Tensor:
    """The larger of a and b; where one is NaN the other."""
    a, b = as_tensors(a, b)
    return where(isnan(a), b, where(isnan(b), a, maximum(a, b)))


def fmin(a: TensorLike, b: TensorLike) -> Tensor:
    """The smaller of a and b; where one is NaN the other."""
    a, b = as_tensors(a, b)
    return where(isnan(a), b, where(isnan(b), a, minimum(a, b)))


def positive(x: TensorLike) -> Tensor:
    """`x` as it is."""
    return as_tensor(x)


@rounds_once()
def deg2rad(x: TensorLike) -> Tensor:
    """Degrees as radians."""
    return multiply(*arithmetic._floats(x, float(np.pi / 180)))


@rounds_once()
def rad2deg(x: TensorLike) -> Tensor:
    """Radians as degrees."""
    return multiply(*arithmetic._floats(x, float(180 / np.pi)))


# 2^36 / 37! is 5e-33.
_SINC_TERMS = 18


@rounds_once()
def sinc(x: TensorLike) -> Tensor:
    """sin(pi x) / (pi x), 1 at 0."""
    (x,) = arithmetic._floats(as_tensor(x))
    angle = multiply(x, float(np.pi))
    # The sine is of what is left of x beyond half turns, without rounding: 0 at whole numbers, also if the angle is
    # not a number of the dtype.
    halves = rint(x)
    parity = subtract(halves, multiply(rint(multiply(halves, 0.5)), 2.0))
    rest = multiply(multiply(subtract(x, halves), subtract(1.0, multiply(absolute(parity), 2.0))), float(np.pi))
    # The quotient loses digits near 0, and more with each derivative: there it is the series, whose terms are enough
    # for derivatives of any order that rounding leaves something of.
    is_near = less(absolute(angle), 2.0)
    squared = square(where(is_near, angle, 0.0))
    series: Tensor = constant(0.0, angle.dtype)
    for i in builtins.range(_SINC_TERMS, 0, -1):
        series = multiply(subtract(1.0, series), divide(squared, float(2 * i * (2 * i + 1))))
    quotient = divide(sin(where(is_near, 0.0, rest)), where(is_near, 2.0, angle))
    return where(is_near, subtract(1.0, series), quotient)


def select(conditions: Sequence[TensorLike], choices: Sequence[TensorLike], default: TensorLike = 0) -> Tensor:
    """The choice of the first condition that holds, or else the default."""
    if len(conditions) != len(choices) or not conditions:
        raise ValueError(f"expected as many choices as conditions, found {len(choices)} and {len(conditions)}")
    result = default
    for condition, choice in zip(reversed(conditions), reversed(choices)):
        result = where(condition, choice, result)
    return as_tensor(result)


#
# Vectors
#


def inner(a: TensorLike, b: TensorLike) -> Tensor:
    """The sums of products along the last dimensions of both."""
    a, b = as_tensor(a), as_tensor(b)
    if a.ndim == 0 or b.ndim == 0:
        return multiply(a, b)
    return sum_along("inner", a, b, ([a.ndim - 1], [b.ndim - 1]))


def vdot(a: TensorLike, b: TensorLike) -> Tensor:
    """The sum of the products of all elements."""
    return matmul(ravel(a), ravel(b))


@rounds_once(2)
def vecdot(a: TensorLike, b: TensorLike, axis: int = -1) -> Tensor:
    """The sums of products along a dimension, of one size in both; the others broadcast."""
    a, b = as_tensors(as_tensor(a), as_tensor(b))
    first, second = normalize_axis(axis, a.ndim), normalize_axis(axis, b.ndim)
    if a._dims[first] is None or b._dims[second] is None:
        expect_equal(size(b, second), size(a, first), "vecdot: vectors of the second operand")
    elif a._dims[first] != b._dims[second]:
        raise about("vecdot", ValueError(f"shapes {format_shape(a._dims)} and {format_shape(b._dims)} have vectors of "
                                         f"{a._dims[first]} and of {b._dims[second]} along axis {axis}: expected one "
                                         "size"))  # fmt: skip
    if a.ndim - first == b.ndim - second:
        return sum(multiply(a, b), first - a.ndim)
    return sum(multiply(moveaxis(a, first, -1), moveaxis(b, second, -1)), -1)


@rounds_once(2)
def cross(a: TensorLike, b: TensorLike, axis: int = -1) -> Tensor:
    """The cross product of vectors of 3 along a dimension; of 2, what the third element would be."""
    a, b = as_tensors(as_tensor(a), as_tensor(b))
    a, b = (moveaxis(x, normalize_axis(axis, x.ndim), -1) for x in (a, b))
    if a._dims[-1] not in (2, 3) or b._dims[-1] != a._dims[-1]:
        raise about("cross", ValueError(f"takes vectors of 2 or 3, found {format_shape(a._dims)} and "
                                        f"{format_shape(b._dims)}"), " ")  # fmt: skip
    x, y = ([getitem(v, (..., i)) for i in builtins.range(a._dims[-1] or 0)] for v in (a, b))
    last = subtract(multiply(x[0], y[1]), multiply(x[1], y[0]))
    if len(x) == 2:
        return last
    parts = [subtract(multiply(x[i], y[j]), multiply(x[j], y[i])) for i, j in ((1, 2), (2, 0))]
    found = stack([*parts, last], -1)
    return moveaxis(found, -1, normalize_axis(axis, found.ndim))


true_divide = divide
remainder = mod
fabs = absolute
radians = deg2rad
degrees = rad2deg
invert = arithmetic.invert
bitwise_not = arithmetic.invert
