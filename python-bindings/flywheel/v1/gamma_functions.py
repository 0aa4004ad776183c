# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The regularized incomplete gamma functions."""

import functools
import math
from fractions import Fraction
from typing import Any, List, Optional, Sequence, Tuple

from .. import _ops, control, transforms
from .._core import dtypes as _dtypes
from .._numerics.special import digamma
from .conversion import make
from .operation import Tensor
from .special import _floats

# From here on, and for x in [0.7 a, 1.3 a], the expansion of Temme; the series and the fraction need at most 2000 terms
# elsewhere.
_LARGE, _NEAR = 1e4, 0.3
_MOST = 10000
_ENOUGH = 2.0**-53
_TINY = 1e-300


def _series(a: Any, x: Any, is_used: Any) -> Any:
    """Returns sum over n of x^n / ((a + 1) ... (a + n)) (DLMF 8.11.4), where it is used."""

    def holds(state: Any) -> Any:
        n, term, total = state
        is_open = _ops.logical_and(is_used, _ops.greater(term, _ops.multiply(total, _ENOUGH)))
        return _ops.logical_and(_ops.any(is_open), _ops.less(n, float(_MOST)))

    def step(state: Any) -> Any:
        n, term, total = state
        n = _ops.add(n, 1.0)
        term = _ops.divide(_ops.multiply(term, x), _ops.add(a, n))
        return n, term, _ops.add(total, term)

    one = _ops.ones_like(x)
    _, term, total = control.while_loop(holds, step, (_ops.zeros([], _dtypes.float64), one, one))
    is_open = _ops.greater(term, _ops.multiply(total, _ENOUGH))
    return _ops.where(_ops.logical_and(is_used, is_open), math.nan, total)


def _fraction(a: Any, x: Any, is_used: Any) -> Any:
    """Returns 1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - ...)) (DLMF 8.9.2), by the modified method of Lentz."""

    def safe(y: Any) -> Any:
        return _ops.where(_ops.less(_ops.absolute(y), _TINY), _TINY, y)

    def holds(state: Any) -> Any:
        n, _, _, _, change = state
        is_open = _ops.logical_and(is_used, _ops.greater(_ops.absolute(_ops.subtract(change, 1.0)), 2 * _ENOUGH))
        return _ops.logical_and(_ops.any(is_open), _ops.less(n, float(_MOST)))

    def step(state: Any) -> Any:
        n, c, d, total, _ = state
        n = _ops.add(n, 1.0)
        above = _ops.multiply(n, _ops.subtract(a, n))
        below = _ops.add(_ops.subtract(x, a), _ops.add(_ops.multiply(2.0, n), 1.0))
        d = _ops.divide(1.0, safe(_ops.add(_ops.multiply(above, d), below)))
        c = safe(_ops.add(below, _ops.divide(above, c)))
        change = _ops.multiply(c, d)
        return n, c, d, _ops.multiply(total, change), change

    first = safe(_ops.add(_ops.subtract(x, a), 1.0))
    inverse = _ops.divide(1.0, first)
    start = (_ops.zeros([], _dtypes.float64), _ops.full_like(x, 1 / _TINY), inverse, inverse, _ops.zeros_like(x))
    _, _, _, total, change = control.while_loop(holds, step, start)
    is_open = _ops.greater(_ops.absolute(_ops.subtract(change, 1.0)), 2 * _ENOUGH)
    return _ops.where(_ops.logical_and(is_used, is_open), math.nan, total)


def _polynomial(coefficients: Sequence[float], x: Any) -> Any:
    """Returns the sum of coefficients times powers of x, the constant one first, by Horner's rule."""
    total = _ops.full_like(x, coefficients[-1])
    for one in reversed(coefficients[:-1]):
        total = _ops.add(_ops.multiply(total, x), one)
    return total


def _distance(a: Any, x: Any) -> Tuple[Any, Any]:
    """Returns m = (x - a) / a, and m - log(1 + m) without cancellation: for small m, 2 s^2 / (1 - s) less the terms
    2 s^3 / 3, 2 s^5 / 5, ... of 2 artanh(s), s = m / (2 + m)."""
    m = _ops.divide(_ops.subtract(x, a), a)
    is_small = _ops.less_equal(_ops.absolute(m), _NEAR)
    near = _ops.where(is_small, m, 0.0)
    s = _ops.divide(near, _ops.add(near, 2.0))
    square = _ops.multiply(s, s)
    terms = _polynomial([2.0 / (2 * k + 3) for k in range(12)], square)
    inner = _ops.subtract(_ops.multiply(near, s), _ops.multiply(_ops.multiply(square, s), terms))
    return m, _ops.where(is_small, inner, _ops.subtract(m, _ops.log1p(m)))


def _density(a: Any, x: Any) -> Any:
    """Returns x^(a - 1) e^-x / Gamma(a), the derivative of P with respect to x. For large a, numbers that cancel are
    left out: it is sqrt(a / (2 pi)) e^(-a (m - log(1 + m))) / x, divided by Stirling's series (DLMF 5.11.1)."""
    inner = _ops.where(_ops.greater(x, 0.0), x, 1.0)
    power = _ops.subtract(_ops.multiply(_ops.subtract(a, 1.0), _ops.log(inner)), inner)
    small = _ops.exp(_ops.subtract(power, _ops.lgamma(a)))
    is_large = _ops.greater(a, 32.0)
    b, y = _ops.where(is_large, a, 32.0), _ops.where(is_large, inner, 32.0)
    inverse = _ops.divide(1.0, b)
    stirling = _ops.multiply(inverse, _polynomial([1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188],
                                                  _ops.multiply(inverse, inverse)))  # fmt: skip
    exponent = _ops.add(_ops.multiply(b, _distance(b, y)[1]), stirling)
    scale = _ops.divide(_ops.sqrt(_ops.divide(b, 2 * math.pi)), y)
    found = _ops.where(is_large, _ops.multiply(scale, _ops.exp(_ops.negative(exponent))), small)
    at_0 = _ops.where(_ops.equal(a, 1.0), 1.0, _ops.where(_ops.less(a, 1.0), math.inf, 0.0))
    return _ops.where(_ops.greater(x, 0.0), found, at_0)


@functools.lru_cache(None)
def _temme_coefficients() -> List[List[float]]:
    """Returns the coefficients of the powers of eta in c_0(eta), ..., c_3(eta) (DLMF 8.12.9, 8.12.10), where
    eta^2 / 2 = m - log(1 + m).

    From m dm = eta (1 + m) d eta follow those of m(eta); c_0 is 1 / m - 1 / eta, and c_k the sum of the derivative of
    c_(k - 1) divided by eta and of (-1)^k g_k / m, with g_k of Stirling's series, whose poles cancel.
    """
    count = 32
    m = [Fraction(0), Fraction(1)]
    for n in range(2, count + 2):
        # The coefficient of eta^n in m m' = eta + eta m, of which that of m at n is unknown, (n + 1) times.
        rest = sum((k * m[k] * m[n + 1 - k] for k in range(2, n)), Fraction(0))
        m.append((m[n - 1] - rest) / (n + 1))
    # 1 / m = (1 / eta) / (1 + m_2 eta + m_3 eta^2 + ...).
    inverse = [Fraction(1)]
    for n in range(1, count + 1):
        inverse.append(-sum((m[k + 1] * inverse[n - k] for k in range(1, n + 1)), Fraction(0)))
    rows = [inverse[1:]]
    for k, g in ((1, Fraction(1, 12)), (2, Fraction(1, 288)), (3, Fraction(-139, 51840))):
        before = rows[-1]
        rows.append([(n + 2) * before[n + 2] + (-1) ** k * g * rows[0][n] for n in range(len(before) - 2)])
    return [[float(one) for one in row[:24]] for row in rows]


def _temme(a: Any, x: Any) -> Tuple[Any, Any]:
    """Returns P(a, x) and Q(a, x) of a large a, and x near it, by Temme's expansion (DLMF 8.12.3, 8.12.4, 8.12.7)."""
    m, half = _distance(a, x)
    size = _ops.sqrt(_ops.multiply(2.0, half))
    eta = _ops.where(_ops.less(m, 0.0), _ops.negative(size), size)
    total: Any = None
    for row in reversed(_temme_coefficients()):
        own = _polynomial(row, eta)
        total = own if total is None else _ops.add(own, _ops.divide(total, a))
    exponent = _ops.multiply(a, half)
    rest = _ops.divide(_ops.multiply(_ops.exp(_ops.negative(exponent)), total),
                       _ops.multiply(_ops.sqrt(a), math.sqrt(2 * math.pi)))  # fmt: skip
    root = _ops.sqrt(exponent)
    root = _ops.where(_ops.less(m, 0.0), _ops.negative(root), root)
    p = _ops.subtract(_ops.multiply(0.5, _ops.erfc(_ops.negative(root))), rest)
    q = _ops.add(_ops.multiply(0.5, _ops.erfc(root)), rest)
    return p, q


def _regions(a: Any, x: Any) -> Tuple[Any, Any, Any, Any, Any]:
    """Returns where a and x are positive and finite, where P is computed and not Q, where a is large and x near it, and
    a and x, or 1 where they are not known."""
    is_known = _ops.logical_and(_ops.greater(a, 0.0), _ops.logical_and(_ops.greater(x, 0.0), _ops.isfinite(x)))
    is_known = _ops.logical_and(is_known, _ops.isfinite(a))
    b, y = _ops.where(is_known, a, 1.0), _ops.where(is_known, x, 1.0)
    is_lower = _ops.logical_or(_ops.less(y, 1.0), _ops.less(y, b))
    is_near = _ops.logical_and(_ops.greater(b, _LARGE), _ops.less_equal(
        _ops.absolute(_ops.subtract(_ops.divide(y, b), 1.0)), _NEAR))  # fmt: skip
    return is_known, is_lower, is_near, b, y


def _both(a: Any, x: Any) -> Tuple[Any, Any]:
    """Returns P(a, x) and Q(a, x), of which one is computed and the other one is 1 less it, unless a is large."""
    is_known, is_lower, is_near, b, y = _regions(a, x)
    near = _temme(_ops.where(is_near, b, _LARGE), _ops.where(is_near, y, _LARGE))
    scale = _ops.multiply(_density(b, y), y)
    is_known_far = _ops.logical_and(is_known, _ops.logical_not(is_near))
    low, high = _ops.logical_and(is_known_far, is_lower), _ops.logical_and(is_known_far, _ops.logical_not(is_lower))
    p = _ops.divide(_ops.multiply(scale, _series(b, _ops.where(low, y, 0.5), low)), b)
    q = _ops.multiply(scale, _fraction(b, _ops.where(high, y, _ops.add(b, 1.0)), high))
    p = _ops.where(is_near, near[0], _ops.where(is_lower, p, _ops.subtract(1.0, q)))
    q = _ops.where(is_near, near[1], _ops.where(is_lower, _ops.subtract(1.0, p), q))
    # P is 0 at 0 and 1 at infinity; there is none for a <= 0 and for x < 0.
    is_valid = _ops.logical_and(_ops.greater(a, 0.0), _ops.greater_equal(x, 0.0))
    at_end = _ops.where(is_valid, _ops.where(_ops.equal(x, 0.0), 0.0, _ops.where(
        _ops.isfinite(a), 1.0, _ops.where(_ops.isfinite(x), 0.0, math.nan))), math.nan)  # fmt: skip
    return _ops.where(is_known, p, at_end), _ops.where(is_known, q, _ops.subtract(1.0, at_end))


def _series_slope(a: Any, x: Any, is_used: Any) -> Tuple[Any, Any]:
    """Returns the sum of `_series` and its derivative by a, whose terms are all below 0, where they are used."""

    def is_open(term: Any, total: Any, slope: Any, slopes: Any) -> Any:
        return _ops.logical_and(is_used, _ops.logical_or(
            _ops.greater(term, _ops.multiply(total, _ENOUGH)),
            _ops.less(slope, _ops.multiply(slopes, _ENOUGH))))  # fmt: skip

    def holds(state: Any) -> Any:
        n, *sums = state
        return _ops.logical_and(_ops.any(is_open(*sums)), _ops.less(n, float(_MOST)))

    def step(state: Any) -> Any:
        n, term, total, slope, slopes = state
        n = _ops.add(n, 1.0)
        below = _ops.add(a, n)
        slope = _ops.divide(_ops.multiply(_ops.subtract(slope, _ops.divide(term, below)), x), below)
        term = _ops.divide(_ops.multiply(term, x), below)
        return n, term, _ops.add(total, term), slope, _ops.add(slopes, slope)

    one, zero = _ops.ones_like(x), _ops.zeros_like(x)
    _, *sums = control.while_loop(holds, step, (_ops.zeros([], _dtypes.float64), one, one, zero, zero))
    failed = is_open(*sums)
    return sums[1], _ops.where(failed, math.nan, sums[3])


def _fraction_slope(a: Any, x: Any, is_used: Any) -> Tuple[Any, Any]:
    """Returns the fraction of `_fraction` and its derivative by a, where they are used: that of each step of Lentz's
    method."""

    def safe(y: Any) -> Any:
        return _ops.where(_ops.less(_ops.absolute(y), _TINY), _TINY, y)

    def is_open(state: Any) -> Any:
        _, _, _, _, _, total, slope, change, changes = state
        moved = _ops.absolute(_ops.multiply(total, changes))
        return _ops.logical_and(is_used, _ops.logical_or(
            _ops.greater(_ops.absolute(_ops.subtract(change, 1.0)), 2 * _ENOUGH),
            _ops.greater(moved, _ops.multiply(_ops.absolute(slope), 2 * _ENOUGH))))  # fmt: skip

    def holds(state: Any) -> Any:
        return _ops.logical_and(_ops.any(is_open(state)), _ops.less(state[0], float(_MOST)))

    def step(state: Any) -> Any:
        n, c, c_slope, d, d_slope, total, slope, _, _ = state
        n = _ops.add(n, 1.0)
        above = _ops.multiply(n, _ops.subtract(a, n))
        below = _ops.add(_ops.subtract(x, a), _ops.add(_ops.multiply(2.0, n), 1.0))
        # The derivatives of `above` and `below` are n and -1.
        new = _ops.divide(1.0, safe(_ops.add(_ops.multiply(above, d), below)))
        inner = _ops.subtract(_ops.add(_ops.multiply(n, d), _ops.multiply(above, d_slope)), 1.0)
        d_slope = _ops.negative(_ops.multiply(_ops.multiply(new, new), inner))
        ratio = _ops.divide(above, c)
        c_slope = _ops.subtract(_ops.divide(_ops.subtract(n, _ops.multiply(ratio, c_slope)), c), 1.0)
        c = safe(_ops.add(below, ratio))
        change = _ops.multiply(c, new)
        changes = _ops.add(_ops.multiply(c_slope, new), _ops.multiply(c, d_slope))
        slope = _ops.add(_ops.multiply(slope, change), _ops.multiply(total, changes))
        return n, c, c_slope, new, d_slope, _ops.multiply(total, change), slope, change, changes

    inverse = _ops.divide(1.0, safe(_ops.add(_ops.subtract(x, a), 1.0)))
    square, zero = _ops.multiply(inverse, inverse), _ops.zeros_like(x)
    start = (_ops.zeros([], _dtypes.float64), _ops.full_like(x, 1 / _TINY), zero, inverse, square, inverse, square,
             zero, zero)  # fmt: skip
    found = control.while_loop(holds, step, start)
    return found[5], _ops.where(is_open(found), math.nan, found[6])


def _temme_slope(a: Any, x: Any) -> Any:
    """Returns the derivative of P by a, of a large a and x near it: that of `_temme`, where that of eta is
    -m / (a eta)."""
    m, half = _distance(a, x)
    size = _ops.sqrt(_ops.multiply(2.0, half))
    eta = _ops.where(_ops.less(m, 0.0), _ops.negative(size), size)
    is_middle = _ops.equal(eta, 0.0)
    ratio = _ops.where(is_middle, 1.0, _ops.divide(m, _ops.where(is_middle, 1.0, eta)))
    rows = _temme_coefficients()
    total = slopes = falls = _ops.zeros_like(a)
    for k, row in reversed(list(enumerate(rows))):
        own = _polynomial(row, eta)
        total = _ops.add(own, _ops.divide(total, a))
        slopes = _ops.add(_polynomial([n * one for n, one in enumerate(row)][1:], eta), _ops.divide(slopes, a))
        falls = _ops.add(_ops.multiply(float(k), own), _ops.divide(falls, a))
    rest = _ops.subtract(_ops.subtract(m, half), _ops.divide(0.5, a))
    found = _ops.subtract(_ops.subtract(_ops.multiply(0.5, eta), ratio), _ops.multiply(total, rest))
    found = _ops.add(found, _ops.divide(_ops.add(_ops.multiply(ratio, slopes), falls), a))
    scale = _ops.divide(_ops.exp(_ops.negative(_ops.multiply(a, half))),
                        _ops.multiply(_ops.sqrt(a), math.sqrt(2 * math.pi)))  # fmt: skip
    return _ops.multiply(scale, found)


def _slope(a: Any, x: Any) -> Any:
    """Returns the derivative of P by a: by the derivatives of what `_both` computes P or Q by."""
    is_known, is_lower, is_near, b, y = _regions(a, x)
    near = _temme_slope(_ops.where(is_near, b, _LARGE), _ops.where(is_near, y, _LARGE))
    is_far = _ops.logical_and(is_known, _ops.logical_not(is_near))
    low, high = _ops.logical_and(is_far, is_lower), _ops.logical_and(is_far, _ops.logical_not(is_lower))
    scale, log = _ops.multiply(_density(b, y), y), _ops.log(y)
    series, slope = _series_slope(b, _ops.where(low, y, 0.5), low)
    p = _ops.add(_ops.multiply(series, _ops.subtract(log, digamma(_ops.add(b, 1.0)))), slope)
    fraction, slope = _fraction_slope(b, _ops.where(high, y, _ops.add(b, 1.0)), high)
    q = _ops.add(_ops.multiply(fraction, _ops.subtract(log, digamma(b))), slope)
    found = _ops.where(is_lower, _ops.divide(_ops.multiply(scale, p), b), _ops.negative(_ops.multiply(scale, q)))
    is_valid = _ops.logical_and(_ops.greater(a, 0.0), _ops.greater_equal(x, 0.0))
    is_valid = _ops.logical_and(is_valid, _ops.logical_or(_ops.isfinite(a), _ops.isfinite(x)))
    return _ops.where(is_known, _ops.where(is_near, near, found), _ops.where(is_valid, 0.0, math.nan))


def _emit(place: int) -> Any:
    def emit(a: Any, x: Any) -> Any:
        function = transforms.custom_vjp(lambda b, y: _both(b, y)[place])
        by_a = transforms.custom_vjp(_slope)

        def rule(b: Any, y: Any, cotangent: Any) -> Any:
            weights = cotangent if place == 0 else _ops.negative(cotangent)
            return _ops.multiply(weights, by_a(b, y)), _ops.multiply(weights, _density(b, y))

        def second(b: Any, y: Any, cotangent: Any) -> Any:
            # The density, times the logarithm of y less psi(b): 0 at 0, where no logarithm is.
            is_inner = _ops.greater(y, 0.0)
            log = _ops.log(_ops.where(is_inner, y, 1.0))
            mixed = _ops.multiply(_density(b, y), _ops.subtract(log, digamma(b)))
            return (_ops.multiply(cotangent, _ops.full_like(b, math.nan)),
                    _ops.multiply(cotangent, _ops.where(is_inner, mixed, 0.0)))  # fmt: skip

        function.defvjp(rule)
        by_a.defvjp(second)
        wide = [_ops.cast(one, _dtypes.float64) for one in (a, x)]
        zero = _ops.zeros_like(_ops.add(*wide))
        return _ops.cast(function(*[_ops.add(one, zero) for one in wide]), a.dtype)

    return emit


def igamma(a: Any, x: Any, name: Optional[str] = None) -> Tensor:
    """P(a, x), the lower incomplete gamma function divided by the whole one. NaN for a <= 0 and for
    x < 0. The second derivative with respect to a is NaN: TensorFlow has none."""
    first, second = _floats("Igamma", a, x)
    found: Tensor = make("Igamma", _emit(0), first, second, name=name)
    return found


def igammac(a: Any, x: Any, name: Optional[str] = None) -> Tensor:
    """Q(a, x) = 1 - P(a, x): see `igamma`."""
    first, second = _floats("Igammac", a, x)
    found: Tensor = make("Igammac", _emit(1), first, second, name=name)
    return found


__all__ = ["igamma", "igammac"]
