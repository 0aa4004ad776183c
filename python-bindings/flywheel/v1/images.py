# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.image`: sizes, crops, flips and colours of images, [batch, height, width, channels] or without a batch."""

import math
from typing import Any, Callable, List, Optional

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._core.tensor import format_shape as _format_shape
from .._errors.messages import about as _about
from .._errors.messages import wrong as _wrong
from .._numerics import interpolation as _interpolation
from .._ops import emission as _emission
from .._ops import indexing as _indexing
from .._ops import precision as _precision
from .._ops.conversions import wrapping_cast
from . import sizes as _sizes
from .conversion import as_tensor, make
from .elementwise import TABLE
from .ops import box_of, where
from .random_ops import random_uniform


class ResizeMethod:
    """The methods that resize images."""

    BILINEAR, NEAREST_NEIGHBOR, BICUBIC, AREA = range(4)


def _places(total: int, count: int, align_corners: bool) -> Any:
    """Returns the coordinates in `total` elements of each of `count` elements."""
    scale = (total - 1) / (count - 1) if align_corners and count > 1 else total / count
    return np.arange(count) * scale


def _cubic_shares(at: Any, total: int) -> Any:
    """Returns the shares of elements in those at these places, [count, total], as TensorFlow 1 has them: by Keys'
    kernel of the coefficient -0.75, whose distances are multiples of 1 / 1024."""
    steps = 1024
    places = at.astype(np.float32)
    first = np.floor(places).astype(np.int64)
    offset = np.rint((places - first.astype(np.float32)) * np.float32(steps)) / steps
    shares = np.zeros((len(at), total))
    for place in range(-1, 3):
        distance = np.abs(offset - place)
        inner = ((-0.75 + 2) * distance - (-0.75 + 3)) * distance**2 + 1
        outer = ((-0.75 * distance + 3.75) * distance - 6) * distance + 3
        np.add.at(shares, (np.arange(len(at)), np.clip(first + place, 0, total - 1)),
                  np.where(distance <= 1, inner, outer))  # fmt: skip
    return shares


def _area_shares(total: int, count: int, align_corners: bool) -> Any:
    """Returns the part of each element in the span of each result, [count, total]."""
    scale = (total - 1) / (count - 1) if align_corners and count > 1 else total / count
    begin = np.arange(count)[:, None] * scale
    element = np.arange(int(math.ceil(count * scale)) + 1)
    part = np.clip(np.minimum(begin + scale, element + 1) - np.maximum(begin, element), 0, None) / scale
    shares = np.zeros((count, total))
    rows = np.arange(count)[:, None]
    np.add.at(shares, (rows, np.minimum(element, total - 1)[None, :]), part)
    return shares


def _resized(x: Any, size: List[int], method: int, align_corners: bool) -> Any:
    for axis, count in zip((x.ndim - 3, x.ndim - 2), size):
        total = x._dims[axis]
        if total is None:
            raise ValueError("images that are resized have a known height and width")
        at = _places(total, count, align_corners)
        if method == ResizeMethod.NEAREST_NEIGHBOR:
            whole = np.floor(at + 0.5) if align_corners else np.floor(at + 1e-9)
            x = _interpolation.repeat_or_take(x, np.minimum(whole.astype(np.int64), total - 1), axis, total)
        elif method in (ResizeMethod.BICUBIC, ResizeMethod.AREA):
            shares = _cubic_shares(at, total) if method == ResizeMethod.BICUBIC else _area_shares(
                total, count, align_corners)  # fmt: skip
            x = _interpolation.weigh(_ops.cast(x, _dtypes.float32), shares, axis)
        elif count != total:
            shares = _interpolation.interpolation_weights(at, total)
            x = _interpolation.weigh(_ops.cast(x, _dtypes.float32), shares, axis)
    return x


def _as_images(value: Any) -> Any:
    """Returns an image or several as a tensor. Raises ValueError for one of less than three dimensions."""
    x = as_tensor(value)
    if x.static_shape is not None and len(x.static_shape) < 3:
        raise _wrong(ValueError, "images of 3 or 4 dimensions, [height, width, channels] or [batch, height, width, "
                     "channels]", f"the shape {_format_shape(x.static_shape)}")  # fmt: skip
    return x


def resize_images(
    images: Any, size: Any, method: int = ResizeMethod.BILINEAR, align_corners: bool = False,
    preserve_aspect_ratio: bool = False, name: Optional[str] = None,
) -> Any:  # fmt: skip
    """Images of another height and width, by the nearest, linear or cubic interpolation, or as means of areas. With
    `preserve_aspect_ratio` they are as large as fits into the size. Each size is a program, if it is computed."""
    if method not in range(4):
        raise ValueError(f"resize_images: expected one of tf.image.ResizeMethod as method, found {method!r}")
    x, wanted = _as_images(images), _sizes.as_known(size)
    shape = x.static_shape
    if preserve_aspect_ratio:
        if shape is None or None in shape[-3:-1] or not isinstance(wanted, np.ndarray):
            raise _about("flywheel.v1.image.resize_images", NotImplementedError(
                "preserve_aspect_ratio of images and a size that are known"))  # fmt: skip
        scale = min(np.float32(n) / np.float32(m) for n, m in zip(wanted, shape[-3:-1]))
        wanted = np.rint(np.float32(scale) * np.array(shape[-3:-1], np.float32)).astype(np.int64)
    kind = x.dtype if method == ResizeMethod.NEAREST_NEIGHBOR else _dtypes.float32
    is_known = isinstance(wanted, np.ndarray)
    if is_known and shape is not None and None not in shape[-3:-1]:
        goal = [int(n) for n in wanted]
        return make("resize_images", lambda y: _resized(y, goal, method, align_corners), x, name=name)

    def emit(y: Any, n: Any) -> Any:
        return _ops.cast(_resized(y, _sizes.known_numbers(n), method, align_corners), kind)

    high, wide = _sizes.known_numbers(wanted) if is_known else (None, None)
    types = [(kind, None if shape is None else (*shape[:-3], high, wide, shape[-1]))]
    return make("resize_images", emit, x, wanted, name=name, types=types)


resize = resize_images


def resize_bilinear(images: Any, size: Any, align_corners: bool = False, name: Optional[str] = None) -> Any:
    return resize_images(images, size, ResizeMethod.BILINEAR, align_corners, name=name)


def resize_nearest_neighbor(images: Any, size: Any, align_corners: bool = False, name: Optional[str] = None) -> Any:
    return resize_images(images, size, ResizeMethod.NEAREST_NEIGHBOR, align_corners, name=name)


def resize_bicubic(images: Any, size: Any, align_corners: bool = False, name: Optional[str] = None) -> Any:
    return resize_images(images, size, ResizeMethod.BICUBIC, align_corners, name=name)


def resize_area(images: Any, size: Any, align_corners: bool = False, name: Optional[str] = None) -> Any:
    """Images of another size, whose elements are means of what they cover. As in TensorFlow, `align_corners` changes
    how much that is."""
    return resize_images(images, size, ResizeMethod.AREA, align_corners, name=name)


def _flipped(place: int) -> Callable[..., Any]:
    def op(image: Any) -> Any:
        return make("flip", lambda x: _ops.flip(x, x.ndim + place), _as_images(image))

    return op


flip_left_right, flip_up_down = _flipped(-2), _flipped(-3)


def _at_random(function: Callable[[Any], Any]) -> Callable[..., Any]:
    def op(image: Any, seed: Any = None) -> Any:
        """With a probability of a half, of each image of a batch."""
        x = _as_images(image)
        rank = len(x.shape)
        if rank == 3:
            return where(TABLE["less"](random_uniform([], seed=seed), 0.5), function(x), x)
        from .ops import shape

        draw = random_uniform([shape(x)[0]], seed=seed)
        return where(TABLE["less"](draw, 0.5), function(x), x)

    return op


random_flip_left_right, random_flip_up_down = _at_random(flip_left_right), _at_random(flip_up_down)


def transpose_image(image: Any, name: Optional[str] = None) -> Any:
    return make("transpose_image", lambda x: _ops.swapaxes(x, x.ndim - 3, x.ndim - 2), _as_images(image), name=name)


def rot90(image: Any, k: int = 1, name: Optional[str] = None) -> Any:
    """Images turned to the left by `k` right angles."""

    def emit(x: Any) -> Any:
        high, wide = x.ndim - 3, x.ndim - 2
        for _ in range(k % 4):
            x = _ops.flip(_ops.swapaxes(x, high, wide), high)
        return x

    return make("rot90", emit, _as_images(image), name=name)


def per_image_standardization(image: Any) -> Any:
    """Images with mean 0 and norm 1, of at least 1 / sqrt(n) of deviation."""

    def emit(x: Any) -> Any:
        y = _ops.cast(x, _dtypes.float32)
        axes = tuple(range(y.ndim - 3, y.ndim))
        count = math.prod(y.shape[-3:])
        centred = _ops.subtract(y, _ops.mean(y, axes, True))
        deviation = _ops.arithmetic.root(_ops.mean(_ops.square(centred), axes, True))
        # An image without elements has nothing to divide.
        least = 1.0 if isinstance(count, int) and count == 0 else 1 / count**0.5
        return _ops.divide(centred, _ops.maximum(deviation, least))

    return make("per_image_standardization", emit, _as_images(image))


def _converted(x: Any, target: Any, saturate: bool) -> Any:
    """Converts an image of a trace to another dtype, and scales it to its range."""
    if x.dtype == target:
        return x
    if _dtypes.is_floating(target):
        y = _ops.cast(x, target)
        return y if _dtypes.is_floating(x.dtype) else _ops.multiply(y, 1.0 / np.iinfo(x.dtype).max)
    if _dtypes.is_floating(x.dtype):
        top = float(np.iinfo(target).max)
        y = _ops.multiply(x, top + 0.5)
        # `top` may not be a number of the dtype.
        bounded = _ops.clip(y, float(np.iinfo(target).min), top)
        return _ops.cast(bounded, target) if saturate else wrapping_cast(y, target)
    raise _about("flywheel.v1.image.convert_image_dtype", NotImplementedError("of integers to others"))


def _as_floating(x: Any) -> Any:
    return x if _dtypes.is_floating(x.dtype) else _converted(x, _dtypes.float32, False)


def rgb_to_grayscale(images: Any, name: Optional[str] = None) -> Any:
    def emit(x: Any) -> Any:
        y = _as_floating(x)
        weights = np.array([0.2989, 0.587, 0.114]).astype(y.dtype)
        return _converted(_ops.sum(_ops.multiply(y, weights), y.ndim - 1, True), x.dtype, False)

    return make("rgb_to_grayscale", emit, as_tensor(images), name=name)


def grayscale_to_rgb(images: Any, name: Optional[str] = None) -> Any:
    return make("grayscale_to_rgb", lambda x: _ops.repeat(x, 3, x.ndim - 1), as_tensor(images), name=name)


def convert_image_dtype(image: Any, dtype: Any, saturate: bool = False, name: Optional[str] = None) -> Any:
    """Integers of all their range as floating-point numbers from 0 to 1, and the other way round."""
    target = _dtypes.as_dtype(dtype)
    return make("convert_image", lambda x: _converted(x, target, saturate), as_tensor(image), name=name)


def adjust_brightness(image: Any, delta: Any) -> Any:
    def emit(x: Any, d: Any) -> Any:
        y = _as_floating(x)
        return _converted(_ops.add(y, _ops.cast(d, y.dtype)), x.dtype, True)

    return make("adjust_brightness", emit, as_tensor(image), as_tensor(delta))


def adjust_contrast(images: Any, contrast_factor: Any) -> Any:
    """(x - mean of the channel) factor + mean."""

    def emit(x: Any, factor: Any) -> Any:
        y = _as_floating(x)
        mean = _ops.mean(y, (y.ndim - 3, y.ndim - 2), True)
        return _converted(_ops.add(_ops.multiply(_ops.subtract(y, mean), factor), mean), x.dtype, True)

    return make("adjust_contrast", emit, _as_images(images), contrast_factor)


def random_brightness(image: Any, max_delta: float, seed: Any = None) -> Any:
    return adjust_brightness(image, random_uniform([], -max_delta, max_delta, seed=seed))


def random_contrast(image: Any, lower: float, upper: float, seed: Any = None) -> Any:
    return adjust_contrast(image, random_uniform([], lower, upper, seed=seed))


def crop_to_bounding_box(
    image: Any, offset_height: int, offset_width: int, target_height: int, target_width: int
) -> Any:
    for what, count in (("height", target_height), ("width", target_width)):
        if count <= 0:
            raise _about("crop_to_bounding_box", ValueError(f"expected a {what} of at least 1, found {count}"))

    def emit(x: Any) -> Any:
        offsets: List[_emission.Size] = [0] * x.ndim
        lengths = _emission.sizes(x)
        boxes = (x.ndim - 3, offset_height, target_height), (x.ndim - 2, offset_width, target_width)
        for axis, first, count in boxes:
            offsets[axis], lengths[axis] = box_of("crop_to_bounding_box", x, axis, first, count)
        return _indexing.extract_slice(x, offsets, lengths, [1] * x.ndim)

    return make("crop", emit, _as_images(image))


def pad_to_bounding_box(
    image: Any, offset_height: int, offset_width: int, target_height: int, target_width: int
) -> Any:
    """Images with zeros around them."""

    def emit(x: Any) -> Any:
        high, wide = x._dims[-3], x._dims[-2]
        if high is None or wide is None:
            raise ValueError("images that are padded to a size have a known height and width")
        pads = [(offset_height, target_height - offset_height - high),
                (offset_width, target_width - offset_width - wide)]  # fmt: skip
        return _ops.pad(x, [*[(0, 0)] * (x.ndim - 3), *pads, (0, 0)])

    return make("pad_to_bounding_box", emit, _as_images(image))


def resize_image_with_crop_or_pad(image: Any, target_height: int, target_width: int) -> Any:
    """Images cut, or with zeros around them, to a height and a width."""
    x = _as_images(image)
    high, wide = (x.shape[i].value for i in (len(x.shape) - 3, len(x.shape) - 2))
    if high is None or wide is None:
        raise ValueError("images that are cut to a size have a known height and width")
    cut = crop_to_bounding_box(x, max((high - target_height) // 2, 0), max((wide - target_width) // 2, 0),
                               min(high, target_height), min(wide, target_width))  # fmt: skip
    return pad_to_bounding_box(cut, max((target_height - high) // 2, 0), max((target_width - wide) // 2, 0),
                               target_height, target_width)  # fmt: skip


def central_crop(image: Any, central_fraction: float) -> Any:
    """The middle of images, of that share of the height and the width."""
    x = _as_images(image)
    high, wide = (int(x.shape[i].value) for i in (len(x.shape) - 3, len(x.shape) - 2))
    top, left = int((high - high * central_fraction) / 2), int((wide - wide * central_fraction) / 2)
    return crop_to_bounding_box(x, top, left, high - 2 * top, wide - 2 * left)


def total_variation(images: Any, name: Optional[str] = None) -> Any:
    """The sum of differences between neighbours, of each image."""

    def emit(x: Any) -> Any:
        if not _dtypes.is_floating(x.dtype):
            raise _about("total_variation", TypeError("expected floating-point images, found "
                                                     f"{_dtypes.name_of(x.dtype)}: convert them by "
                                                     "convert_image_dtype"))  # fmt: skip
        down = _ops.abs(_ops.subtract(x[..., 1:, :, :], x[..., :-1, :, :]))
        across = _ops.abs(_ops.subtract(x[..., :, 1:, :], x[..., :, :-1, :]))
        axes = tuple(range(x.ndim - 3, x.ndim))
        return _ops.add(_ops.sum(down, axes), _ops.sum(across, axes))

    return make("total_variation", emit, _as_images(images), name=name)


def psnr(a: Any, b: Any, max_val: float, name: Optional[str] = None) -> Any:
    """The ratio of the largest signal to the noise between images, in decibels."""

    @_precision.rounds_once(2)
    def emit(x: Any, y: Any) -> Any:
        top = max_val if _dtypes.is_floating(x.dtype) else max_val / np.iinfo(x.dtype).max
        difference = _ops.subtract(_as_floating(x), _as_floating(y))
        noise = _ops.mean(_ops.square(difference), tuple(range(x.ndim - 3, x.ndim)))
        return _ops.subtract(float(20 * np.log10(top)), _ops.multiply(float(10 / np.log(10)), _ops.log(noise)))

    return make("psnr", emit, _as_images(a), _as_images(b), name=name)


def __getattr__(name: str) -> Any:
    from .namespaces import missing

    raise missing(f"image.{name}")
