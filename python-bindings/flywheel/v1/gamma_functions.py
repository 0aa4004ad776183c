# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The regularized incomplete gamma functions."""

import math
from typing import Any, Optional, Tuple

from .. import _dtypes, _ops, control, transforms
from .conversion import make
from .operation import Tensor
from .ops import stop_gradient
from .special import _floats

# Terms of the series and of the fraction: more are needed where a is above 1e7 and x near it.
_MOST = 20000
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


def _density(a: Any, x: Any) -> Any:
    """Returns x^(a - 1) e^-x / Gamma(a), the derivative of P with respect to x."""
    inner = _ops.where(_ops.greater(x, 0.0), x, 1.0)
    power = _ops.subtract(_ops.multiply(_ops.subtract(a, 1.0), _ops.log(inner)), inner)
    at_0 = _ops.where(_ops.equal(a, 1.0), 1.0, _ops.where(_ops.less(a, 1.0), math.inf, 0.0))
    return _ops.where(_ops.greater(x, 0.0), _ops.exp(_ops.subtract(power, _ops.lgamma(a))), at_0)


def _both(a: Any, x: Any) -> Tuple[Any, Any]:
    """Returns P(a, x) and Q(a, x), of which the smaller one is computed and the other one is 1 less it."""
    is_known = _ops.logical_and(_ops.greater(a, 0.0), _ops.logical_and(_ops.greater(x, 0.0), _ops.isfinite(x)))
    is_known = _ops.logical_and(is_known, _ops.isfinite(a))
    b, y = _ops.where(is_known, a, 1.0), _ops.where(is_known, x, 1.0)
    is_lower = _ops.logical_or(_ops.less(y, 1.0), _ops.less(y, b))
    scale = _ops.multiply(_density(b, y), y)
    low, high = _ops.logical_and(is_known, is_lower), _ops.logical_and(is_known, _ops.logical_not(is_lower))
    p = _ops.divide(_ops.multiply(scale, _series(b, _ops.where(low, y, 0.5), low)), b)
    q = _ops.multiply(scale, _fraction(b, _ops.where(high, y, _ops.add(b, 1.0)), high))
    p = _ops.where(is_lower, p, _ops.subtract(1.0, q))
    q = _ops.where(is_lower, _ops.subtract(1.0, p), q)
    # P is 0 at 0 and 1 at infinity; there is none for a <= 0 and for x < 0.
    is_valid = _ops.logical_and(_ops.greater(a, 0.0), _ops.greater_equal(x, 0.0))
    at_end = _ops.where(is_valid, _ops.where(_ops.equal(x, 0.0), 0.0, _ops.where(
        _ops.isfinite(a), 1.0, _ops.where(_ops.isfinite(x), 0.0, math.nan))), math.nan)  # fmt: skip
    return _ops.where(is_known, p, at_end), _ops.where(is_known, q, _ops.subtract(1.0, at_end))


def _emit(place: int) -> Any:
    def emit(a: Any, x: Any) -> Any:
        function = transforms.custom_vjp(lambda b, y: _both(b, y)[place])

        def rule(b: Any, y: Any, cotangent: Any) -> Any:
            slope = _ops.multiply(cotangent, _density(b, y))
            return _ops.zeros_like(b), slope if place == 0 else _ops.negative(slope)

        function.defvjp(rule)
        wide = [_ops.cast(one, _dtypes.float64) for one in (a, x)]
        zero = _ops.zeros_like(_ops.add(*wide))
        return _ops.cast(function(*[_ops.add(one, zero) for one in wide]), a.dtype)

    return emit


def igamma(a: Any, x: Any, name: Optional[str] = None) -> Tensor:
    """P(a, x), the lower incomplete gamma function divided by the whole one. NaN for a <= 0, for x < 0, and
    where 20000 terms are too few, which is for a above 1e7 and x close to it. There is no derivative with respect to
    a."""
    first, second = _floats("Igamma", a, x)
    found: Tensor = make("Igamma", _emit(0), stop_gradient(first), second, name=name)
    return found


def igammac(a: Any, x: Any, name: Optional[str] = None) -> Tensor:
    """Q(a, x) = 1 - P(a, x): see `igamma`."""
    first, second = _floats("Igammac", a, x)
    found: Tensor = make("Igammac", _emit(1), stop_gradient(first), second, name=name)
    return found


__all__ = ["igamma", "igammac"]
