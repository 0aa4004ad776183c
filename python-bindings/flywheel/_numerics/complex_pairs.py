# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complex numbers of models of other frameworks, as pairs of tensors: the real and the imaginary part. Each function
takes and returns numbers of one shape; derivatives are those of the parts."""

from typing import Optional, Tuple

from .. import _ops
from .._core.tensor import Tensor
from .._ops.reductions import power_norm

Pair = Tuple[Tensor, Tensor]
# A number whose second part may be absent: a real one.
Parts = Tuple[Tensor, Optional[Tensor]]


def product(a: Pair, b: Pair) -> Pair:
    return (_ops.subtract(_ops.multiply(a[0], b[0]), _ops.multiply(a[1], b[1])),
            _ops.add(_ops.multiply(a[0], b[1]), _ops.multiply(a[1], b[0])))  # fmt: skip


def quotient(a: Parts, b: Parts) -> Pair:
    """Returns a / b, scaled so that no square of b is infinite or 0. At least one of the two is complex."""
    if b[1] is None:
        assert a[1] is not None
        return _ops.divide(a[0], b[0]), _ops.divide(a[1], b[0])
    scale = _ops.stop_gradient(_ops.maximum(_ops.absolute(b[0]), _ops.absolute(b[1])))
    c, d = _ops.divide(b[0], scale), _ops.divide(b[1], scale)
    below = _ops.multiply(_ops.add(_ops.multiply(c, c), _ops.multiply(d, d)), scale)
    real, imaginary = _ops.multiply(a[0], c), _ops.negative(_ops.multiply(a[0], d))
    if a[1] is not None:
        real = _ops.add(real, _ops.multiply(a[1], d))
        imaginary = _ops.add(imaginary, _ops.multiply(a[1], c))
    return _ops.divide(real, below), _ops.divide(imaginary, below)


def absolute(x: Pair) -> Tensor:
    """Returns |x|, whose derivative at 0 is 0."""
    return power_norm(_ops.stack(list(x), x[0].ndim), 2, -1)


def direction(x: Pair) -> Pair:
    """Returns x / |x|, and 0 of 0."""
    length = absolute(x)
    is_zero = _ops.equal(length, 0)
    below = _ops.where(is_zero, 1.0, length)
    real, imaginary = (_ops.where(is_zero, 0.0, _ops.divide(part, below)) for part in x)
    return real, imaginary


def angle(x: Pair) -> Tensor:
    """Returns the angle of x, whose derivative at 0 is 0."""
    is_zero = _ops.logical_and(_ops.equal(x[0], 0), _ops.equal(x[1], 0))
    own = _ops.arctan2(_ops.where(is_zero, 0.0, x[1]), _ops.where(is_zero, 1.0, x[0]))
    # The angle of -0 is pi.
    return _ops.where(is_zero, _ops.stop_gradient(_ops.arctan2(x[1], x[0])), own)


def exp(x: Pair) -> Pair:
    length = _ops.exp(x[0])
    return _ops.multiply(length, _ops.cos(x[1])), _ops.multiply(length, _ops.sin(x[1]))


def expm1(x: Pair) -> Pair:
    """Returns exp(x) - 1: expm1(a) cos(b) - 2 sin(b / 2)^2 is the real part, without cancellation near 0."""
    half = _ops.sin(_ops.multiply(x[1], 0.5))
    real = _ops.subtract(_ops.multiply(_ops.expm1(x[0]), _ops.cos(x[1])), _ops.multiply(2.0, _ops.multiply(half, half)))
    return real, _ops.multiply(_ops.exp(x[0]), _ops.sin(x[1]))


def log(x: Pair) -> Pair:
    return _ops.log(_ops.hypot(x[0], x[1])), _ops.arctan2(x[1], x[0])


def sqrt(x: Pair) -> Pair:
    """Returns the root with a real part that is not negative. The part that no subtraction rounds is
    computed first, and the other one from it."""
    is_zero = _ops.logical_and(_ops.equal(x[0], 0), _ops.equal(x[1], 0))
    real, imaginary = _ops.where(is_zero, 1.0, x[0]), _ops.where(is_zero, 0.0, x[1])
    larger = _ops.sqrt(_ops.multiply(0.5, _ops.add(_ops.absolute(real), _ops.hypot(real, imaginary))))
    smaller = _ops.divide(imaginary, _ops.multiply(2.0, larger))
    is_right = _ops.greater_equal(real, 0)
    is_below = _ops.less(imaginary, 0)
    first = _ops.where(is_right, larger, _ops.where(is_below, _ops.negative(smaller), smaller))
    second = _ops.where(is_right, smaller, _ops.where(is_below, _ops.negative(larger), larger))
    return _ops.where(is_zero, 0.0, first), _ops.where(is_zero, x[1], second)


def sin(x: Pair) -> Pair:
    return (_ops.multiply(_ops.sin(x[0]), _ops.cosh(x[1])), _ops.multiply(_ops.cos(x[0]), _ops.sinh(x[1])))


def cos(x: Pair) -> Pair:
    imaginary = _ops.negative(_ops.multiply(_ops.sin(x[0]), _ops.sinh(x[1])))
    return _ops.multiply(_ops.cos(x[0]), _ops.cosh(x[1])), imaginary


def sinh(x: Pair) -> Pair:
    return (_ops.multiply(_ops.sinh(x[0]), _ops.cos(x[1])), _ops.multiply(_ops.cosh(x[0]), _ops.sin(x[1])))


def cosh(x: Pair) -> Pair:
    return (_ops.multiply(_ops.cosh(x[0]), _ops.cos(x[1])), _ops.multiply(_ops.sinh(x[0]), _ops.sin(x[1])))


def tanh(x: Pair) -> Pair:
    """Returns tanh(a + b i) = (t (1 + s^2) + s (1 - t^2) i) / (1 + t^2 s^2), t = tanh(a), s = tan(b), multiplied by
    cos(b)^2, which leaves no infinite tangent."""
    t, c, s = _ops.tanh(x[0]), _ops.cos(x[1]), _ops.sin(x[1])
    square = _ops.multiply(t, t)
    below = _ops.add(_ops.multiply(c, c), _ops.multiply(square, _ops.multiply(s, s)))
    # 1 - t^2 is 1 / cosh(a)^2, which has no cancellation where t is near 1.
    small = _ops.exp(_ops.negative(_ops.absolute(x[0])))
    width = _ops.divide(_ops.multiply(2.0, small), _ops.add(1.0, _ops.multiply(small, small)))
    return _ops.divide(t, below), _ops.divide(_ops.multiply(_ops.multiply(s, c), _ops.multiply(width, width)), below)


def tan(x: Pair) -> Pair:
    """Returns -i tanh(i x)."""
    real, imaginary = tanh((_ops.negative(x[1]), x[0]))
    return imaginary, _ops.negative(real)


def whole_power(x: Pair, exponent: int) -> Pair:
    """Returns x^n of a number n above 0."""
    result: Optional[Pair] = None
    while exponent:
        if exponent % 2:
            result = x if result is None else product(result, x)
        exponent //= 2
        x = product(x, x) if exponent else x
    assert result is not None
    return result


def power(a: Pair, b: Pair) -> Pair:
    """Returns exp(b log a); of 0 it is 0, and 1 where b is 0."""
    is_zero = _ops.logical_and(_ops.equal(a[0], 0), _ops.equal(a[1], 0))
    is_one = _ops.logical_and(_ops.equal(b[0], 0), _ops.equal(b[1], 0))
    found = exp(product(b, log((_ops.where(is_zero, 1.0, a[0]), _ops.where(is_zero, 0.0, a[1])))))
    of_zero = _ops.where(is_one, 1.0, _ops.zeros_like(found[0]))
    return _ops.where(is_zero, of_zero, found[0]), _ops.where(is_zero, 0.0, found[1])
