# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.image`: colours, [..., 3]."""

from typing import Any, Optional

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._core.tensor import as_tensor as constant_of
from .._ops import precision as _precision
from .conversion import as_tensor, make
from .images import _as_floating, _converted
from .random_ops import random_uniform

_YIQ = np.array([[0.299, 0.59590059, 0.2115], [0.587, -0.27455667, -0.52273617], [0.114, -0.32134392, 0.31119955]])
_FROM_YIQ = np.array([[1, 1, 1], [0.95598634, -0.27201283, -1.10674021], [0.6208248, -0.64720424, 1.70423049]])
_FROM_YUV = np.array([[1, 1, 1], [0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0]])
_YUV = np.array([[0.299, -0.14714119, 0.61497538], [0.587, -0.28886916, -0.51496512], [0.114, 0.43601035, -0.10001026]])


def _mixed(kind: str, images: Any, matrix: Any) -> Any:
    x = as_tensor(images)
    return make(kind, lambda y: _ops.matmul(y, constant_of(matrix.astype(y.dtype))), x)


def rgb_to_yiq(images: Any) -> Any:
    """Brightness and two colours, of the norm NTSC."""
    return _mixed("rgb_to_yiq", images, _YIQ)


def yiq_to_rgb(images: Any) -> Any:
    return _mixed("yiq_to_rgb", images, _FROM_YIQ)


def rgb_to_yuv(images: Any) -> Any:
    """Brightness and two colours, of the norm PAL."""
    return _mixed("rgb_to_yuv", images, _YUV)


def yuv_to_rgb(images: Any) -> Any:
    return _mixed("yuv_to_rgb", images, _FROM_YUV)


def _to_hsv(x: Any) -> Any:
    """Hue, saturation and value (Smith, 1978)."""
    r, g, b = x[..., 0], x[..., 1], x[..., 2]
    high = _ops.maximum(_ops.maximum(r, g), b)
    spread = _ops.subtract(high, _ops.minimum(_ops.minimum(r, g), b))
    is_grey, is_black = _ops.equal(spread, 0), _ops.less_equal(high, 0)
    width = _ops.multiply(6.0, _ops.where(is_grey, _ops.ones_like(spread), spread))
    of_red = _ops.divide(_ops.subtract(g, b), width)
    of_green = _ops.add(_ops.divide(_ops.subtract(b, r), width), 2 / 6)
    of_blue = _ops.add(_ops.divide(_ops.subtract(r, g), width), 4 / 6)
    hue = _ops.where(_ops.equal(r, high), of_red, _ops.where(_ops.equal(g, high), of_green, of_blue))
    hue = _ops.where(is_grey, _ops.zeros_like(hue), hue)
    hue = _ops.where(_ops.less(hue, 0), _ops.add(hue, 1.0), hue)
    value = _ops.where(is_black, _ops.ones_like(high), high)
    saturation = _ops.where(is_black, _ops.zeros_like(high), _ops.divide(spread, value))
    return _ops.stack([hue, saturation, high], -1)


def _to_rgb(x: Any) -> Any:
    h, s, v = x[..., 0], x[..., 1], x[..., 2]

    def share(away: float, sign: float) -> Any:
        distance = _ops.abs(_ops.subtract(_ops.multiply(h, 6.0), away))
        return _ops.clip(_ops.subtract(distance, 1.0) if sign > 0 else _ops.subtract(2.0, distance), 0.0, 1.0)

    found = [_ops.add(_ops.multiply(_ops.subtract(one, 1.0), s), 1.0)
             for one in (share(3.0, 1), share(2.0, -1), share(4.0, -1))]  # fmt: skip
    return _ops.stack([_ops.multiply(one, v) for one in found], -1)


def rgb_to_hsv(images: Any, name: Optional[str] = None) -> Any:
    """Hue, saturation and value, of images from 0 to 1."""
    return make("RGBToHSV", _precision.rounds_once(1)(_to_hsv), as_tensor(images), name=name)


def hsv_to_rgb(images: Any, name: Optional[str] = None) -> Any:
    return make("HSVToRGB", _precision.rounds_once(1)(_to_rgb), as_tensor(images), name=name)


def adjust_hue(image: Any, delta: Any, name: Optional[str] = None) -> Any:
    """Images whose hue is turned by `delta`, of which 1 is the whole circle."""

    @_precision.rounds_once(1)
    def emit(x: Any, d: Any) -> Any:
        hsv = _to_hsv(_as_floating(x))
        hue = _ops.mod(_ops.add(hsv[..., 0], _ops.cast(d, hsv.dtype)), 1.0)
        return _converted(_to_rgb(_ops.stack([hue, hsv[..., 1], hsv[..., 2]], -1)), x.dtype, False)

    return make("adjust_hue", emit, as_tensor(image), as_tensor(delta), name=name)


def adjust_saturation(image: Any, saturation_factor: Any, name: Optional[str] = None) -> Any:
    """Images whose saturation is multiplied by a factor, up to 1."""

    @_precision.rounds_once(1)
    def emit(x: Any, factor: Any) -> Any:
        hsv = _to_hsv(_as_floating(x))
        more = _ops.clip(_ops.multiply(hsv[..., 1], _ops.cast(factor, hsv.dtype)), 0.0, 1.0)
        return _converted(_to_rgb(_ops.stack([hsv[..., 0], more, hsv[..., 2]], -1)), x.dtype, False)

    return make("adjust_saturation", emit, as_tensor(image), as_tensor(saturation_factor), name=name)


def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Any:
    """gain image ** gamma, of images as numbers from 0 to 1."""
    if isinstance(gamma, (int, float)) and gamma < 0:
        raise ValueError("Gamma should be a non-negative real number.")

    @_precision.rounds_once(1)
    def emit(x: Any, power: Any, factor: Any) -> Any:
        y = _as_floating(x)
        return _converted(_ops.multiply(_ops.cast(factor, y.dtype), _ops.power(y, _ops.cast(power, y.dtype))), x.dtype,
                          True)  # fmt: skip

    return make("adjust_gamma", emit, as_tensor(image), as_tensor(gamma, _dtypes.float32),
                as_tensor(gain, _dtypes.float32))  # fmt: skip


def random_hue(image: Any, max_delta: float, seed: Any = None) -> Any:
    if not 0 <= max_delta <= 0.5:
        raise ValueError(f"max_delta must be from 0 to 0.5, found {max_delta}")
    return adjust_hue(image, random_uniform([], -max_delta, max_delta, seed=seed))


def random_saturation(image: Any, lower: float, upper: float, seed: Any = None) -> Any:
    if not 0 <= lower < upper:
        raise ValueError(f"expected 0 <= lower < upper, found {lower} and {upper}")
    return adjust_saturation(image, random_uniform([], lower, upper, seed=seed))


__all__ = [
    "adjust_gamma", "adjust_hue", "adjust_saturation", "hsv_to_rgb", "random_hue", "random_saturation", "rgb_to_hsv",
    "rgb_to_yiq", "rgb_to_yuv", "yiq_to_rgb", "yuv_to_rgb",
]  # fmt: skip
