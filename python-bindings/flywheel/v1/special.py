# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Special functions, and arithmetic that is guarded at its poles."""

import math
from typing import Any, Callable, List, Optional

import numpy as np

from .. import _ops, transforms
from .._core import dtypes as _dtypes
from .._core.tensor import as_tensor as constant_of
from .._errors.messages import about
from .._numerics.special import digamma
from .._ops.conversions import wrapping_cast
from .conversion import as_tensor, dtype_of, make, paired
from .elementwise import TABLE
from .operation import Tensor
from .ops import cast, stop_gradient

# B(2k) / (2k)!, the coefficients of Euler and Maclaurin's sum.
_BERNOULLI = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000)


def _where_zero(kind: str, function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """Returns a function of x and y that is 0 where x is, also in its derivatives."""

    def op(x: Any, y: Any, name: Optional[str] = None) -> Any:
        def emit(a: Any, b: Any) -> Any:
            is_zero = _ops.equal(a, 0)
            return _ops.where(is_zero, _ops.zeros_like(a), function(a, _ops.where(is_zero, _ops.ones_like(b), b)))

        return make(kind, emit, *_floats(kind, x, y), name=name)

    op.__name__ = op.__qualname__ = kind.lower()
    return op


def _floats(kind: str, x: Any, y: Any) -> Any:
    one, other = paired(kind, x, y)
    a = as_tensor(one, None if isinstance(one, Tensor) or not isinstance(other, Tensor) else other.dtype)
    b = as_tensor(other, a.dtype)
    if not a.dtype.is_floating:
        raise about(kind, TypeError(f"'{kind}' takes floating-point tensors, found {_dtypes.name_of(a.dtype)}: cast "
                                    "them"), None)  # fmt: skip
    return a, b


xdivy = _where_zero("Xdivy", _ops.divide)
xdivy.__doc__ = "x / y, and 0 where x is 0."
xlogy = _where_zero("Xlogy", lambda a, b: _ops.multiply(a, _ops.log(b)))
xlogy.__doc__ = "x log(y), and 0 where x is 0."


def multiply_no_nan(x: Any, y: Any, name: Optional[str] = None) -> Any:
    """x y, and 0 where y is 0, whatever x is."""

    def emit(a: Any, b: Any) -> Any:
        # A NaN must not be multiplied by the 0; other numbers keep the derivative with respect to y.
        is_left_out = _ops.logical_and(_ops.equal(b, 0), _ops.logical_not(_ops.isfinite(a)))
        return _ops.multiply(_ops.where(is_left_out, _ops.zeros_like(a), a), b)

    return make("MulNoNan", emit, *_floats("MulNoNan", x, y), name=name)


def reciprocal_no_nan(x: Any, name: Optional[str] = None) -> Any:
    """1 / x, and 0 where x is 0."""
    return TABLE["div_no_nan"](TABLE["ones_like"](x), x, name=name)


def lbeta(x: Any, name: Optional[str] = None) -> Any:
    """The logarithm of the beta function of vectors: the sum of lgamma minus lgamma of the sum."""
    y = as_tensor(x)
    total = TABLE["reduce_sum"](TABLE["lgamma"](y), -1)
    return TABLE["subtract"](total, TABLE["lgamma"](TABLE["reduce_sum"](y, -1)), name=name)


def _zeta(s: Any, q: Any) -> Any:
    """sum over k of (q + k)^-s, by Euler and Maclaurin's sum (DLMF 25.11.7), for s > 1 and q > 0."""
    total, count = None, 10
    for k in range(count):
        term = _ops.power(_ops.add(q, float(k)), _ops.negative(s))
        total = term if total is None else _ops.add(total, term)
    a = _ops.add(q, float(count))
    last = _ops.power(a, _ops.negative(s))
    total = _ops.add(total, _ops.divide(_ops.multiply(a, last), _ops.subtract(s, 1.0)))
    total = _ops.add(total, _ops.multiply(0.5, last))
    factor, power = s, _ops.divide(last, a)
    for k, coefficient in enumerate(_BERNOULLI):
        total = _ops.add(total, _ops.multiply(coefficient, _ops.multiply(factor, power)))
        more = _ops.multiply(_ops.add(s, 2.0 * k + 1), _ops.add(s, 2.0 * k + 2))
        factor, power = _ops.multiply(factor, more), _ops.divide(power, _ops.square(a))
    return total


def _of_order(emit: Callable[[Any, Any], Any], slope: Callable[[Any, Any, Any], Any]) -> Callable[..., Any]:
    """Returns a function of an order and of x that is computed in float64. `slope` gives its derivative with respect to
    x, by the function itself, the order and x."""

    def function(n: Any, x: Any) -> Any:
        own = transforms.custom_vjp(emit)
        own.defvjp(lambda m, y, cotangent: (_ops.zeros_like(m), _ops.multiply(cotangent, slope(own, m, y))))
        wide = [_ops.cast(one, _dtypes.float64) for one in (_ops.stop_gradient(n), x)]
        like = _ops.equal(*wide)
        return _ops.cast(own(*[_ops.where(like, one, one) for one in wide]), x.dtype)

    return function


def _emit_zeta(s: Any, a: Any) -> Any:
    has_sum, is_above = _ops.greater(s, 1.0), _ops.greater(a, 0.0)
    is_even = _ops.equal(_ops.mod(s, 2.0), 0.0)
    floor = _ops.floor(a)
    is_pole = _ops.logical_and(_ops.less_equal(a, 0.0), _ops.equal(a, floor))
    is_below = _ops.logical_and(_ops.less(a, 0.0), _ops.logical_not(is_pole))
    is_known = _ops.logical_and(has_sum, _ops.logical_or(is_above, _ops.logical_and(
        is_below, _ops.equal(_ops.floor(s), s))))  # fmt: skip
    # All terms of infinity are 0.
    is_last = _ops.logical_and(has_sum, _ops.equal(a, math.inf))
    is_known = _ops.logical_and(_ops.logical_and(is_known, _ops.isfinite(a)), _ops.isfinite(s))
    power = _ops.where(is_known, s, 2.0)
    # From -1/2, -3/2, ... on the terms of an odd power cancel up to that of -q.
    is_half = _ops.logical_and(_ops.equal(_ops.subtract(a, floor), 0.5), _ops.logical_not(is_even))
    is_half = _ops.logical_and(_ops.logical_and(is_known, is_below), is_half)
    # Below 0 the terms (q + k)^-x < 0 are those of two sums from 1 - (q - floor(q)) and from 1 - q on.
    start = _ops.where(is_half, _ops.subtract(1.0, a), _ops.subtract(a, floor))
    above = _zeta(power, _ops.where(is_known, _ops.where(is_above, a, start), 1.0))
    is_reflected = _ops.logical_and(_ops.logical_and(is_known, is_below), _ops.logical_not(is_half))
    # The sum comes first: it is exact, and so is the difference to a number close to a pole.
    first, rest = (_zeta(power, _ops.where(is_reflected, _ops.subtract(_ops.add(n, 1.0), a), 1.0))
                   for n in (floor, _ops.zeros_like(floor)))  # fmt: skip
    below = _ops.multiply(_ops.where(is_even, 1.0, -1.0), _ops.subtract(first, rest))
    found = _ops.where(is_reflected, _ops.add(above, below), above)
    is_infinite = _ops.logical_or(_ops.equal(s, 1.0), _ops.logical_and(has_sum, _ops.logical_and(is_pole, is_even)))
    other = _ops.where(is_infinite, math.inf, _ops.where(is_last, 0.0, math.nan))
    # The terms of numbers below 1 are infinite, and those of numbers above it 0.
    at_end = _ops.where(_ops.less(a, 1.0), math.inf, _ops.where(_ops.equal(a, 1.0), 1.0, _ops.where(
        _ops.greater(a, 1.0), 0.0, math.nan)))  # fmt: skip
    other = _ops.where(_ops.equal(s, math.inf), at_end, other)
    return _ops.where(is_known, found, other)


def _emit_polygamma(n: Any, x: Any) -> Any:
    sign = _ops.where(_ops.isfinite(n), _ops.subtract(_ops.multiply(2.0, _ops.mod(n, 2.0)), 1.0), 1.0)
    is_order = _ops.logical_and(_ops.greater(n, 0.0), _ops.equal(_ops.floor(n), n))
    factor = _ops.multiply(sign, _ops.exp(_ops.lgamma(_ops.add(_ops.where(is_order, n, 1.0), 1.0))))
    found = _ops.multiply(factor, _emit_zeta(_ops.add(n, 1.0), x))
    return _ops.where(_ops.equal(n, 0.0), digamma(x), _ops.where(is_order, found, math.nan))


_zeta_of = _of_order(_emit_zeta, lambda own, s, a: _ops.multiply(_ops.negative(s), own(_ops.add(s, 1.0), a)))
_polygamma_of = _of_order(_emit_polygamma, lambda own, n, x: own(_ops.add(n, 1.0), x))


def zeta(x: Any, q: Any, name: Optional[str] = None) -> Any:
    """Hurwitz's zeta function, the sum over k of (q + k)^-x, of x > 1. Infinity for x = 1, and for q = 0, -1, ... of
    an even x; NaN for x < 1, for q = 0, -1, ... of another x, and for q < 0 of an x that is not an integer. There is no
    derivative with respect to x."""
    first, second = _floats("Zeta", x, q)
    return make("Zeta", _zeta_of, stop_gradient(first), second, name=name)


def polygamma(a: Any, x: Any, name: Optional[str] = None) -> Any:
    """The derivative of order a of digamma: (-1)^(a + 1) a! zeta(a + 1, x) (DLMF 25.11.12). NaN for an order that is
    negative or not an integer. The derivative with respect to x is that of order a + 1, and there is none with respect
    to a."""
    first, second = _floats("Polygamma", a, x)
    return make("Polygamma", _polygamma_of, stop_gradient(first), second, name=name)


def polyval(coeffs: Any, x: Any, name: Optional[str] = None) -> Any:
    """The polynomial of coefficients, the one of the highest power first, by Horner's rule."""
    if not isinstance(coeffs, (list, tuple)):
        raise ValueError(f"Argument coeffs must be list type found {type(coeffs)}.")
    y = as_tensor(x)
    total = TABLE["zeros_like"](y)
    for one in coeffs:
        total = TABLE["add"](TABLE["multiply"](total, y), one)
    return total


def scalar_mul(scalar: Any, x: Any, name: Optional[str] = None) -> Any:
    """x times a scalar."""
    y = as_tensor(x)
    factor = cast(as_tensor(scalar), y.dtype)
    if factor.static_shape not in (None, ()):
        raise ValueError(f"Only scalar multiply works, got shape {factor.shape}")
    return TABLE["multiply"](factor, y, name=name)


def saturate_cast(value: Any, dtype: Any, name: Optional[str] = None) -> Any:
    """The elements in another dtype; numbers beyond its range become its limits."""
    kind = dtype_of(dtype)

    def emit(x: Any) -> Any:
        if not _dtypes.is_integer(kind):
            return _ops.cast(_within(x, kind), kind)
        limits = np.iinfo(kind)
        if _dtypes.is_floating(x.dtype):
            # The largest number may not be one of the dtype of x.
            low, high = _ops.less_equal(x, float(limits.min)), _ops.greater_equal(x, float(limits.max))
            inner = wrapping_cast(_ops.where(_ops.logical_or(low, high), _ops.zeros_like(x), x), kind)
            return _ops.where(
                low, constant_of(limits.min, kind), _ops.where(high, constant_of(limits.max, kind), inner)
            )
        own = np.iinfo(x.dtype)
        bounds = [np.array(n, x.dtype) for n in (max(own.min, limits.min), min(own.max, limits.max))]
        return _ops.cast(_ops.clip(x, *bounds), kind)

    return make("saturate_cast", emit, as_tensor(value), name=name)


def _within(x: Any, kind: Any) -> Any:
    """x, no further from 0 than the largest finite number of a floating-point dtype that is narrower."""
    if not _dtypes.is_floating(kind) or not (_dtypes.is_floating(x.dtype) or _dtypes.is_integer(x.dtype)):
        return x
    limit = _dtypes.largest(kind)
    if _dtypes.is_integer(x.dtype):
        least, most = float(np.iinfo(x.dtype).min), float(np.iinfo(x.dtype).max)
    else:
        least, most = -_dtypes.largest(x.dtype), _dtypes.largest(x.dtype)
    if most <= limit:
        return x
    return _ops.clip(x, *(np.array(n, x.dtype) for n in (max(least, -limit), limit)))


def to_bfloat16(x: Any, name: Optional[str] = None) -> Any:
    return cast(x, _dtypes.bfloat16, name)


def _bitwise(kind: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def op(x: Any, y: Any, name: Optional[str] = None) -> Any:
        return make(kind, function, *_integers(kind, *paired(kind, x, y)), name=name)

    op.__name__ = op.__qualname__ = kind
    return op


def _integers(kind: str, *values: Any) -> List[Any]:
    found = [as_tensor(x) for x in values]
    if not all(x.dtype.is_integer for x in found):
        raise about(f"tf.bitwise.{kind}", TypeError(f"takes integers, found {_dtypes.name_of(found[0].dtype)}"), " ")
    return found


def _invert(x: Any, name: Optional[str] = None) -> Any:
    """The bits that are not set."""
    return make("invert", _ops.bitwise_not, *_integers("invert", x), name=name)


BITWISE = {
    "bitwise_and": _bitwise("bitwise_and", _ops.bitwise_and),
    "bitwise_or": _bitwise("bitwise_or", _ops.bitwise_or),
    "bitwise_xor": _bitwise("bitwise_xor", _ops.bitwise_xor),
    "left_shift": _bitwise("left_shift", _ops.left_shift),
    "right_shift": _bitwise("right_shift", _ops.right_shift),
    "invert": _invert,
}

__all__ = [
    "lbeta",
    "multiply_no_nan",
    "polygamma",
    "polyval",
    "reciprocal_no_nan",
    "saturate_cast",
    "scalar_mul",
    "to_bfloat16",
    "xdivy",
    "xlogy",
    "zeta",
]

# The names that `tf` has too.
TOP = ("lbeta", "polygamma", "saturate_cast", "scalar_mul", "to_bfloat16", "zeta")
# The names of `tf.math`.
MATH = [name for name in __all__ if name not in ("saturate_cast", "to_bfloat16")]
