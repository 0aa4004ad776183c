# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.image`: windows of images, their edges, and their likeness."""

from typing import Any, List, Optional, Tuple

import numpy as np

from .. import _ops
from .. import nn as traced
from .._core import dtypes as _dtypes
from .._core.tensor import as_tensor as constant_of
from .._errors.messages import about
from .._ops import precision as _precision
from .conversion import as_tensor, make
from .images import _as_floating, pad_to_bounding_box, resize_images
from .nn_convolutions import _border


def _windows(x: Any, sizes: List[int], steps: List[int], rates: List[int], padding: str) -> Any:
    """[batch, *places, windows * channels] of a trace: the elements of each window, the channels last."""
    spans = [(k - 1) * r + 1 for k, r in zip(sizes, rates)]
    pads = _border(x, spans, steps, padding)
    wide = _ops.pad(x, [(0, 0), *pads, (0, 0)]) if any(sum(pair) for pair in pads) else x
    counts = []
    for n, (low, high), span, step in zip(x._dims[1:-1], pads, spans, steps):
        if n is None:
            raise about("extract_patches", ValueError("the sizes of space must be known"))
        counts.append(max((n + low + high - span) // step + 1, 0))
    found = []
    for place in np.ndindex(*sizes):
        keys = [slice(i * r, i * r + (count - 1) * step + 1, step)
                for i, r, count, step in zip(place, rates, counts, steps)]  # fmt: skip
        found.append(_ops.getitem(wide, (slice(None), *keys)))
    return _ops.concatenate(found, x.ndim - 1)


def _inside(values: Any, what: str, rank: int) -> List[int]:
    given = [int(n) for n in values]
    if len(given) != rank or given[0] != 1 or given[-1] != 1:
        raise ValueError(f"{what} must be 1 for the batch and the channels, and {rank} numbers, found {given}")
    return given[1:-1]


def extract_image_patches(
    images: Any, ksizes: Any = None, strides: Any = None, rates: Any = None, padding: Any = None,
    name: Optional[str] = None, sizes: Any = None,
) -> Any:  # fmt: skip
    """[batch, rows, columns, height * width * channels]: the elements of each window of images."""
    window = _inside(sizes if ksizes is None else ksizes, "ksizes", 4)
    steps, holes = _inside(strides, "strides", 4), _inside(rates, "rates", 4)
    return make("ExtractImagePatches", lambda x: _windows(x, window, steps, holes, padding), as_tensor(images),
                name=name)  # fmt: skip


def extract_patches(
    images: Any, sizes: Any, strides: Any, rates: Any, padding: Any, name: Optional[str] = None
) -> Any:
    """See `extract_image_patches`."""
    return extract_image_patches(images, sizes, strides, rates, padding, name)


def extract_volume_patches(input: Any, ksizes: Any, strides: Any, padding: Any, name: Optional[str] = None) -> Any:
    """[batch, planes, rows, columns, depth * height * width * channels]: the elements of each window of volumes."""
    window, steps = _inside(ksizes, "ksizes", 5), _inside(strides, "strides", 5)
    return make("ExtractVolumePatches", lambda x: _windows(x, window, steps, [1, 1, 1], padding), as_tensor(input),
                name=name)  # fmt: skip


def image_gradients(image: Any) -> Tuple[Any, Any]:
    """The differences to the next row and to the next column, 0 in the last ones."""
    x = as_tensor(image)
    if x.static_shape is None or len(x.static_shape) != 4:
        raise about("image_gradients", ValueError(f"expects a 4D tensor [batch_size, h, w, d], not {x.shape}."), " ")

    def emit(y: Any) -> Any:
        down = _ops.pad(_ops.subtract(y[:, 1:], y[:, :-1]), [(0, 0), (0, 1), (0, 0), (0, 0)])
        right = _ops.pad(_ops.subtract(y[:, :, 1:], y[:, :, :-1]), [(0, 0), (0, 0), (0, 1), (0, 0)])
        return down, right

    return tuple(make("image_gradients", emit, x))


def sobel_edges(image: Any) -> Any:
    """[batch, height, width, channels, 2]: the derivatives along rows and columns by Sobel's filters."""
    kernels = np.array([[[-1, -2, -1], [0, 0, 0], [1, 2, 1]], [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]])

    def emit(x: Any) -> Any:
        high, wide = x._dims[1:3]
        if high is None or wide is None:
            raise about("sobel_edges", ValueError("the height and the width of images must be known"))
        rows = np.pad(np.arange(high), 1, mode="reflect")
        columns = np.pad(np.arange(wide), 1, mode="reflect")
        framed = _ops.take(_ops.take(x, rows.astype(np.int32), 1), columns.astype(np.int32), 2)
        found = []
        for kernel in kernels:
            total = None
            for i, j in np.argwhere(kernel):
                part = _ops.multiply(framed[:, i : i + high, j : j + wide], float(kernel[i, j]))
                total = part if total is None else _ops.add(total, part)
            found.append(total)
        return _ops.stack(found, -1)

    return make("sobel_edges", emit, as_tensor(image))


def _gaussian(size: int, sigma: float) -> Any:
    at = np.arange(size) - (size - 1) / 2
    line = np.exp(-(at**2) / (2 * sigma**2))
    kernel = np.outer(line, line)
    return kernel / kernel.sum()


def _likeness(x: Any, y: Any, top: float, kernel: Any, k1: float, k2: float) -> Tuple[Any, Any]:
    """The means over places of the likeness and of its part of contrast, [batch, channels] (Wang et al., 2004)."""
    c1, c2 = (k1 * top) ** 2, (k2 * top) ** 2

    def blurred(z: Any) -> Any:
        count = z._dims[-1]
        weights = np.broadcast_to(kernel[:, :, None, None], (*kernel.shape, 1, count)).astype(z.dtype)
        return traced.conv2d(z, constant_of(np.ascontiguousarray(weights)), strides=[1, 1], padding="valid",
                             dilations=[1, 1])  # fmt: skip

    mx, my = blurred(x), blurred(y)
    product, squares = _ops.multiply(_ops.multiply(mx, my), 2.0), _ops.add(_ops.square(mx), _ops.square(my))
    light = _ops.divide(_ops.add(product, c1), _ops.add(squares, c1))
    both = _ops.multiply(blurred(_ops.multiply(x, y)), 2.0)
    each = blurred(_ops.add(_ops.square(x), _ops.square(y)))
    contrast = _ops.divide(_ops.add(_ops.subtract(both, product), c2), _ops.add(_ops.subtract(each, squares), c2))
    return _ops.mean(_ops.multiply(light, contrast), (1, 2)), _ops.mean(contrast, (1, 2))


def _top_of(max_val: Any, x: Any) -> float:
    return float(max_val) if _dtypes.is_floating(x.dtype) else float(max_val) / np.iinfo(x.dtype).max


def ssim(
    img1: Any, img2: Any, max_val: Any, filter_size: int = 11, filter_sigma: float = 1.5, k1: float = 0.01,
    k2: float = 0.03,
) -> Any:  # fmt: skip
    """[batch], or a number for one image: the structural similarity of images (Wang et al., 2004), whose numbers are up
    to `max_val`."""
    kernel = _gaussian(filter_size, filter_sigma)

    @_precision.rounds_once(2)
    def emit(x: Any, y: Any) -> Any:
        is_one = x.ndim == 3
        a, b = (_as_floating(_ops.expand_dims(z, 0) if is_one else z) for z in (x, y))
        found = _ops.mean(_likeness(a, b, _top_of(max_val, x), kernel, k1, k2)[0], -1)
        return _ops.squeeze(found, 0) if is_one else found

    return make("ssim", emit, as_tensor(img1), as_tensor(img2))


def ssim_multiscale(
    img1: Any, img2: Any, max_val: Any, power_factors: Any = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
    filter_size: int = 11, filter_sigma: float = 1.5, k1: float = 0.01, k2: float = 0.03,
) -> Any:  # fmt: skip
    """[batch]: the structural similarity over scales, each of half the size (Wang et al., 2003)."""
    kernel, powers = _gaussian(filter_size, filter_sigma), [float(p) for p in power_factors]

    @_precision.rounds_once(2)
    def emit(x: Any, y: Any) -> Any:
        top = _top_of(max_val, x)
        x, y = _as_floating(x), _as_floating(y)
        total = None
        for i, power in enumerate(powers):
            if i:
                x, y = (_halved(z) for z in (x, y))
            whole, contrast = _likeness(x, y, top, kernel, k1, k2)
            own = whole if i == len(powers) - 1 else contrast
            # The power of 0 has no derivative.
            is_more = _ops.greater(own, 0)
            factor = _ops.where(is_more, _ops.power(_ops.where(is_more, own, 1.0), power), 0.0)
            total = factor if total is None else _ops.multiply(total, factor)
        return _ops.mean(total, -1)

    return make("ssim_multiscale", emit, as_tensor(img1), as_tensor(img2))


def _halved(z: Any) -> Any:
    """Means of squares of four; an odd border is repeated."""
    for axis in (1, 2):
        n = z._dims[axis]
        if n is None:
            raise about("ssim_multiscale", ValueError("the sizes of images must be known"))
        if n % 2:
            z = _ops.take(z, np.minimum(np.arange(n + 1), n - 1).astype(np.int32), axis)
    return traced.avg_pool2d(z, [2, 2], strides=[2, 2], padding="valid")


def resize_image_with_pad(
    image: Any, target_height: int, target_width: int, method: int = 0, align_corners: bool = False
) -> Any:
    """Images of the same proportions, in the middle of zeros of a height and a width."""
    x = as_tensor(image)
    high, wide = (x.shape[len(x.shape) - i].value for i in (3, 2))
    if high is None or wide is None:
        raise about("resize_image_with_pad", ValueError("the height and the width of images must be known"))
    ratio = max(wide / target_width, high / target_height)
    new = [int(np.floor(n / ratio)) for n in (high, wide)]
    pads = [max(0, int(np.floor((goal - n / ratio) / 2))) for goal, n in ((target_height, high), (target_width, wide))]
    resized = resize_images(x, new, method, align_corners)
    return pad_to_bounding_box(resized, pads[0], pads[1], target_height, target_width)


__all__ = [
    "extract_image_patches", "extract_patches", "image_gradients", "resize_image_with_pad", "sobel_edges", "ssim",
    "ssim_multiscale",
]  # fmt: skip
# The names of these that are those of `tf`.
TOP = ("extract_image_patches", "extract_volume_patches")
