# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Special functions, element by element. Those of narrower types are computed in float64 and rounded once: near zeros
and poles terms cancel."""

import math
from fractions import Fraction
from typing import Any, Callable, List, Sequence, Tuple

import numpy as np

from .._core import dtypes as _dtypes
from .._core.tensor import Tensor
from .._ops import arithmetic
from .._ops.arithmetic import add, divide, equal, less, multiply, subtract, where
from .._ops.creation import full_like, zeros_like
from ..transforms import custom_vjp
from . import _chebyshev as chebyshev


def _in_float64(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Computes a function of a tensor, with further numbers, in float64; the result has the tensor's dtype."""

    def wide(x: Tensor, *numbers: Any) -> Tensor:
        return arithmetic.cast(function(arithmetic.cast(x, _dtypes.float64), *numbers), x.dtype)

    wide.__doc__, wide.__name__ = function.__doc__, function.__name__
    return wide


_Function = Callable[[Tensor], Tensor]


def _with_slope(function: _Function, slope: Callable[[Tensor, Tensor], Tensor]) -> _Function:
    """A function with the derivative `slope(x, function(x))`, which is computed in float64, too."""
    result = custom_vjp(function)

    @result.defvjp
    def rule(x: Tensor, weights: Tensor) -> Tensor:
        wide = arithmetic.cast(x, _dtypes.float64)
        return multiply(weights, arithmetic.cast(slope(wide, result(wide)), x.dtype))

    return result


def _sum(t: Tensor, coefficients: Sequence[float]) -> Tensor:
    """The sum of Chebyshev's polynomials at t, from -1 to 1, by Clenshaw."""
    twice = multiply(t, 2.0)
    one, other = full_like(t, coefficients[-1]), zeros_like(t)
    for coefficient in reversed(coefficients[1:-1]):
        one, other = add(subtract(multiply(twice, one), other), coefficient), one
    return add(subtract(multiply(t, one), other), coefficients[0])


def _piecewise(is_first: Tensor, x: Tensor, at: Tuple[float, float], *functions: _Function) -> Tensor:
    """The first function where the condition holds, and the second elsewhere. Each is computed at a number of its own
    where the other one is meant: it is finite there, and so is its derivative."""
    first, second = functions
    return where(is_first, first(where(is_first, x, at[0])), second(where(is_first, at[1], x)))


def _horner(x: Tensor, coefficients: Sequence[float]) -> Tensor:
    result = full_like(x, coefficients[-1])
    for one in reversed(coefficients[:-1]):
        result = add(multiply(result, x), one)
    return result


#
# The gamma function's
#

# The terms of the recurrence, after which the asymptotic series is exact to the last digits, and those of that.
_STEPS, _TERMS = 12, 10


def _bernoulli_numbers(count: int) -> List[Fraction]:
    """B_2, B_4, ..."""
    found = [Fraction(1)]
    for n in range(1, 2 * count + 1):
        found.append(-sum((math.comb(n + 1, k) * found[k] for k in range(n)), Fraction(0)) / (n + 1))
    return found[2::2]


_BERNOULLI = _bernoulli_numbers(_TERMS)


def _reflected(given: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
    """Returns a condition, a number from 1/2 on, and the distance of the given one from the nearest whole number, which
    keeps sines and tangents exact there, 1/4 where the condition does not hold."""
    reflects = less(given, 0.5)
    x = where(reflects, subtract(1.0, given), given)
    rest = subtract(given, arithmetic.rint(given))
    return reflects, x, where(reflects, rest, 0.25)


# By a rule: further derivatives of a tangent at its poles are differences of infinite numbers.
_cotangent = _with_slope(
    lambda x: divide(arithmetic.cos(x), arithmetic.sin(x)),
    lambda x, y: arithmetic.negative(add(multiply(y, y), 1.0)),
)


@_in_float64
def digamma(given: Tensor) -> Tensor:
    """The derivative of the logarithm of the gamma function: of a number from 1/2 on by a series (DLMF 5.11.2), of
    others by reflection (DLMF 5.5.4). NaN at its poles, to either side of which it is another infinity."""
    reflects, x, rest = _reflected(given)
    z = add(x, float(_STEPS))
    # Not of a square that may be infinite.
    inverse = arithmetic.reciprocal(z)
    square = multiply(inverse, inverse)
    series = multiply(square, _horner(square, [float(b / (2 * k)) for k, b in enumerate(_BERNOULLI, 1)]))
    found = subtract(subtract(arithmetic.log(z), multiply(0.5, inverse)), series)
    for step in range(_STEPS):
        found = subtract(found, arithmetic.reciprocal(add(x, float(step))))
    found = where(reflects, subtract(found, multiply(_cotangent(multiply(rest, math.pi)), math.pi)), found)
    is_pole = arithmetic.logical_and(reflects, equal(rest, 0.0))
    # The derivative there is infinite, as to both sides.
    return add(found, where(is_pole, np.nan, 0.0))


def polygamma(n: int, x: Tensor) -> Tensor:
    """The derivative of order `n` of `digamma`, by the same series (DLMF 5.15.8) and reflection (DLMF 5.15.6)."""
    return digamma(x) if n == 0 else _polygamma(x, n)


@_in_float64
def _polygamma(given: Tensor, n: int) -> Tensor:
    reflects, x, rest = _reflected(given)
    z = add(x, float(_STEPS))
    inverse = arithmetic.reciprocal(z)
    square = arithmetic.square(inverse)
    factors = [float(b * math.factorial(2 * k + n - 1) / math.factorial(2 * k)) for k, b in enumerate(_BERNOULLI, 1)]
    series = multiply(square, _horner(square, factors))
    series = add(series, add(multiply(inverse, float(math.factorial(n)) / 2), float(math.factorial(n - 1))))
    found = multiply(series, arithmetic.power(inverse, n))
    for step in reversed(range(_STEPS)):
        power = arithmetic.power(arithmetic.reciprocal(add(x, float(step))), n + 1)
        found = add(found, multiply(power, float(math.factorial(n))))
    found = multiply(found, float((-1) ** (n + 1)))
    # psi_n(1 - x) - (-1)^n psi_n(x) = (-1)^n pi d^n cot(pi x) / dx^n, a polynomial of the cotangent.
    polynomial = np.polynomial.Polynomial([0.0, 1.0])
    for _ in range(n):
        polynomial = polynomial.deriv() * np.polynomial.Polynomial([-1.0, 0.0, -1.0])
    turn = multiply(rest, math.pi)
    # The cotangent of 0 is infinite, with a sign that is not defined: its powers are even, or the value is NaN.
    cotangent = _cotangent(turn)
    slope = multiply(_horner(cotangent, [float(one) for one in polynomial.coef]), math.pi ** (n + 1))
    is_pole = arithmetic.logical_and(reflects, equal(rest, 0.0))
    reflected = subtract(multiply(found, float((-1) ** n)), slope)
    return where(is_pole, np.inf, where(reflects, reflected, found))


#
# The error function's
#

# The distance of Winitzki's approximation from the inverse, 2e-3, is cubed by each step.
_HALLEY_STEPS = 3


def _inverse_erf(size: Tensor, rest: Tensor) -> Tensor:
    """The number whose error function is `size`, from 0 to 1; `rest` is what is left to 1."""
    log = arithmetic.log(multiply(rest, add(size, 1.0)))
    first = add(multiply(log, 0.5), 2 / (math.pi * 0.147))
    # The difference of a root and its first term, without its cancellation near 0.
    root = arithmetic.sqrt(subtract(multiply(first, first), divide(log, 0.147)))
    y = arithmetic.sqrt(divide(divide(log, -0.147), add(root, first)))
    is_small = less(size, 0.5)
    for _ in range(_HALLEY_STEPS):
        slope = multiply(arithmetic.exp(arithmetic.negative(multiply(y, y))), 2 / math.sqrt(math.pi))
        error = where(is_small, subtract(arithmetic.erf(y), size), subtract(rest, arithmetic.erfc(y)))
        step = divide(error, slope)
        y = subtract(y, divide(step, add(multiply(y, step), 1.0)))
    return y


@_in_float64
def _erfinv(x: Tensor) -> Tensor:
    size = arithmetic.absolute(x)
    inside = less(size, 1.0)
    safe = where(inside, size, 0.5)
    found = where(inside, _inverse_erf(safe, subtract(1.0, safe)), where(equal(size, 1.0), np.inf, np.nan))
    return where(less(x, 0.0), arithmetic.negative(found), found)


def _erfinv_slope(x: Tensor, y: Tensor) -> Tensor:
    return multiply(arithmetic.exp(multiply(y, y)), math.sqrt(math.pi) / 2)


erfinv = _with_slope(_erfinv, _erfinv_slope)
erfinv.__doc__ = """The inverse of the error function: infinite at -1 and 1, NaN beyond."""


@_in_float64
def _ndtri(p: Tensor) -> Tensor:
    lower = less(p, 0.5)
    tail = where(lower, p, subtract(1.0, p))
    inside = arithmetic.greater(tail, 0.0)
    safe = multiply(where(inside, tail, 0.25), 2.0)
    found = multiply(_inverse_erf(subtract(1.0, safe), safe), math.sqrt(2))
    found = where(inside, found, where(equal(tail, 0.0), np.inf, np.nan))
    return where(lower, arithmetic.negative(found), found)


def _ndtri_slope(x: Tensor, y: Tensor) -> Tensor:
    return multiply(arithmetic.exp(multiply(multiply(y, y), 0.5)), math.sqrt(2 * math.pi))


ndtri = _with_slope(_ndtri, _ndtri_slope)
ndtri.__doc__ = """The inverse of the normal distribution function: infinite at 0 and 1, NaN beyond."""


@_in_float64
def _erfcx(x: Tensor) -> Tensor:
    """(1 + 2x) exp(x^2) erfc(x) is smooth from 0 on (Shepherd and Laframboise, 1981); below, by the symmetry of erf."""
    size = arithmetic.absolute(x)
    # At infinity the quotient is 1, and there is nothing to divide.
    bounded = arithmetic.minimum(size, 1e300)
    t = subtract(1.0, divide(7.5, add(bounded, 3.75)))
    found = divide(_sum(t, chebyshev.ERFCX), add(multiply(size, 2.0), 1.0))
    found = where(equal(size, np.inf), 0.0, found)
    negative = less(x, 0.0)
    square = arithmetic.square(where(negative, x, 0.0))
    return where(negative, subtract(multiply(arithmetic.exp(square), 2.0), found), found)


# From here on five terms of the asymptotic series of erfcx (DLMF 7.12.1) are exact to the last digits.
_FAR = 1e2


def _far_part(x: Tensor, coefficients: Sequence[float]) -> Tuple[Tensor, Tensor]:
    """Returns where x is far from 0, above, and a polynomial of 1 / x^2 there."""
    is_far = arithmetic.greater(x, _FAR)
    inverse = arithmetic.reciprocal(where(is_far, x, _FAR))
    return is_far, _horner(multiply(inverse, inverse), coefficients)


def _erfcx_slope(x: Tensor, y: Tensor) -> Tensor:
    """2 x y - 2 / sqrt(pi), whose terms cancel far from 0."""
    is_far, far = _far_part(x, [0.0, *(c / math.sqrt(math.pi) for c in (-1.0, 1.5, -3.75, 13.125, -59.0625))])
    near = subtract(multiply(multiply(where(is_far, 0.0, x), 2.0), y), 2 / math.sqrt(math.pi))
    return where(is_far, far, near)


erfcx = _with_slope(_erfcx, _erfcx_slope)
erfcx.__doc__ = """exp(x^2) erfc(x)."""


def _log_ndtr(x: Tensor) -> Tensor:
    """Both forms are exact where they are meant: log(1 - small), and the logarithm of the scaled tail."""

    def below(y: Tensor) -> Tensor:
        scaled = _erfcx(multiply(y, -math.sqrt(0.5)))
        return subtract(arithmetic.log(multiply(scaled, 0.5)), multiply(multiply(y, y), 0.5))

    def above(y: Tensor) -> Tensor:
        return arithmetic.log1p(multiply(arithmetic.erfc(multiply(y, math.sqrt(0.5))), -0.5))

    return _piecewise(less(x, -1.0), x, (-1.0, 0.0), below, above)


@_in_float64
def _ratio(x: Tensor) -> Tensor:
    """The density of the normal distribution over its distribution function."""
    return divide(math.sqrt(2 / math.pi), _erfcx(multiply(x, -math.sqrt(0.5))))


def _ratio_slope(x: Tensor, y: Tensor) -> Tensor:
    """-y (x + y), where x + y is a series of 1 / x^2 over -x far below 0."""
    is_far, far = _far_part(arithmetic.negative(x), [1.0, -2.0, 10.0, -74.0, 706.0])
    rest = where(is_far, divide(far, where(is_far, arithmetic.negative(x), 1.0)), add(x, y))
    # The density is 0 far above, also at infinity.
    return multiply(arithmetic.negative(y), where(equal(y, 0.0), 0.0, rest))


_normal_ratio = _with_slope(_ratio, _ratio_slope)
log_ndtr = _with_slope(_log_ndtr, lambda x, y: _normal_ratio(x))
log_ndtr.__doc__ = """The logarithm of the normal distribution function."""


#
# Bessel's
#


def _scaled_i(x: Tensor, below: Sequence[float], above: Sequence[float], order: int) -> Tensor:
    """exp(-|x|) I(x)."""
    size = arithmetic.absolute(x)

    def near(y: Tensor) -> Tensor:
        found = _sum(subtract(multiply(y, 0.25), 1.0), below)
        return multiply(found, y) if order else found

    def far(y: Tensor) -> Tensor:
        return multiply(_sum(subtract(divide(16.0, y), 1.0), above), arithmetic.rsqrt(y))

    found = _piecewise(arithmetic.less_equal(size, 8.0), size, (4.0, 16.0), near, far)
    return where(less(x, 0.0), arithmetic.negative(found), found) if order else found


@_in_float64
def _i0e(x: Tensor) -> Tensor:
    return _scaled_i(x, chebyshev.I0_BELOW_8, chebyshev.I0_FROM_8, 0)


@_in_float64
def _i1e(x: Tensor) -> Tensor:
    return _scaled_i(x, chebyshev.I1_BELOW_8, chebyshev.I1_FROM_8, 1)


@_in_float64
def _i0(x: Tensor) -> Tensor:
    return multiply(_i0e(x), arithmetic.exp(arithmetic.absolute(x)))


@_in_float64
def _i1(x: Tensor) -> Tensor:
    return multiply(_i1e(x), arithmetic.exp(arithmetic.absolute(x)))


def _by_x(x: Tensor, y: Tensor, sign: float) -> Tensor:
    """I1(x) / x, or J1(x) / x with the sign -1, where y is I1(x) or J1(x): near 0 by the series (DLMF 10.25.2, 10.2.2),
    whose derivatives are exact."""
    is_near = less(arithmetic.absolute(x), 1.0)
    coefficients = [0.5 * (sign / 4) ** k / (math.factorial(k) * math.factorial(k + 1)) for k in range(10)]
    near = where(is_near, x, 0.0)
    return where(is_near, _horner(multiply(near, near), coefficients), divide(y, where(is_near, 1.0, x)))


def _scaled_by_x(x: Tensor, y: Tensor) -> Tensor:
    """exp(-|x|) I1(x) / x, where y is exp(-|x|) I1(x)."""
    is_near = less(arithmetic.absolute(x), 1.0)
    near = where(is_near, x, 0.0)
    found = multiply(_by_x(near, near, 1.0), arithmetic.exp(arithmetic.negative(arithmetic.absolute(near))))
    return where(is_near, found, divide(y, where(is_near, 1.0, x)))


i0: _Function = _with_slope(_i0, lambda x, y: i1(x))
i1: _Function = _with_slope(_i1, lambda x, y: subtract(i0(x), _by_x(x, y, 1.0)))
i0e: _Function = _with_slope(_i0e, lambda x, y: subtract(i1e(x), multiply(arithmetic.sign(x), y)))
i1e: _Function = _with_slope(
    _i1e, lambda x, y: subtract(subtract(i0e(x), _scaled_by_x(x, y)), multiply(arithmetic.sign(x), y)))  # fmt: skip


def _k(x: Tensor, near: Callable[[Tensor, Tensor], Tensor], above: Sequence[float]) -> Tensor:
    """K by a series around 0, with the logarithm of x / 2, and by a scaled one from 2 on."""

    def below(y: Tensor) -> Tensor:
        return near(y, arithmetic.log(multiply(y, 0.5)))

    def far(y: Tensor) -> Tensor:
        scaled = multiply(_sum(subtract(divide(4.0, y), 1.0), above), arithmetic.rsqrt(y))
        return multiply(scaled, arithmetic.exp(arithmetic.negative(y)))

    found = _piecewise(arithmetic.less_equal(x, 2.0), x, (1.0, 4.0), below, far)
    return where(equal(x, 0.0), np.inf, where(less(x, 0.0), np.nan, found))


@_in_float64
def _k0(x: Tensor) -> Tensor:
    def near(y: Tensor, log: Tensor) -> Tensor:
        smooth = _sum(subtract(multiply(multiply(y, y), 0.5), 1.0), chebyshev.K0_BELOW_2)
        return subtract(smooth, multiply(log, _i0(y)))

    return _k(x, near, chebyshev.K0_FROM_2)


@_in_float64
def _k1(x: Tensor) -> Tensor:
    def near(y: Tensor, log: Tensor) -> Tensor:
        smooth = _sum(subtract(multiply(multiply(y, y), 0.5), 1.0), chebyshev.K1_BELOW_2)
        return add(divide(smooth, y), multiply(log, _i1(y)))

    return _k(x, near, chebyshev.K1_FROM_2)


# The second kind is infinite at 0, and NaN below.
k0: _Function = _with_slope(_k0, lambda x, y: arithmetic.negative(k1(x)))
k1: _Function = _with_slope(_k1, lambda x, y: subtract(arithmetic.negative(k0(x)), divide(y, x)))


_AMPLITUDES = ((chebyshev.P0_FROM_8, chebyshev.Q0_FROM_8), (chebyshev.P1_FROM_8, chebyshev.Q1_FROM_8))
_SMOOTH_J = (chebyshev.J0_BELOW_8, chebyshev.J1_BELOW_8)
_SMOOTH_Y = (chebyshev.Y0_BELOW_8, chebyshev.Y1_BELOW_8)


def _from_8(x: Tensor, order: int, is_second: bool) -> Tensor:
    """J, or Y, by the amplitudes of the Hankel function (DLMF 10.17.5)."""
    t = subtract(divide(128.0, multiply(x, x)), 1.0)
    p, q = (_sum(t, coefficients) for coefficients in _AMPLITUDES[order])
    q = divide(q, x)
    turn = subtract(x, (2 * order + 1) * math.pi / 4)
    cosine, sine = arithmetic.cos(turn), arithmetic.sin(turn)
    found = add(multiply(p, sine), multiply(q, cosine)) if is_second else subtract(
        multiply(p, cosine), multiply(q, sine))  # fmt: skip
    return multiply(found, arithmetic.sqrt(divide(2 / math.pi, x)))


def _near(x: Tensor, order: int, coefficients: Sequence[float]) -> Tensor:
    found = _sum(subtract(multiply(multiply(x, x), 1 / 32), 1.0), coefficients)
    return multiply(found, x) if order else found


@_in_float64
def _bessel_j(x: Tensor, order: int) -> Tensor:
    size = arithmetic.absolute(x)
    found = _piecewise(arithmetic.less_equal(size, 8.0), size, (4.0, 16.0),
                       lambda y: _near(y, order, _SMOOTH_J[order]), lambda y: _from_8(y, order, False))  # fmt: skip
    return where(less(x, 0.0), arithmetic.negative(found), found) if order else found


@_in_float64
def _bessel_y(x: Tensor, order: int) -> Tensor:
    def near(y: Tensor) -> Tensor:
        singular = multiply(arithmetic.log(y), _near(y, order, _SMOOTH_J[order]))
        singular = subtract(singular, arithmetic.reciprocal(y)) if order else singular
        return add(_near(y, order, _SMOOTH_Y[order]), multiply(singular, 2 / math.pi))

    found = _piecewise(arithmetic.less_equal(x, 8.0), x, (4.0, 16.0), near, lambda y: _from_8(y, order, True))
    return where(equal(x, 0.0), -np.inf, where(less(x, 0.0), np.nan, found))


def _of_order(function: Callable[..., Tensor], order: int) -> _Function:
    return lambda x: function(x, order)


# Y is minus infinity at 0, and NaN below.
j0: _Function = _with_slope(_of_order(_bessel_j, 0), lambda x, y: arithmetic.negative(j1(x)))
j1: _Function = _with_slope(_of_order(_bessel_j, 1), lambda x, y: subtract(j0(x), _by_x(x, y, -1.0)))
y0: _Function = _with_slope(_of_order(_bessel_y, 0), lambda x, y: arithmetic.negative(y1(x)))
y1: _Function = _with_slope(_of_order(_bessel_y, 1), lambda x, y: subtract(y0(x), divide(y, x)))
