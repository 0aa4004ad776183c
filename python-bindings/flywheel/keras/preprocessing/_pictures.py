# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures as arrays: what moves, bends and colours them, and files. Random numbers are NumPy's, drawn in the order of
Keras 2.1.6, so that a seed gives the same pictures."""

import importlib
import os
import re
from typing import Any, List, Optional, Sequence

import numpy as np

from .. import backend as K

FILL_MODES = ("constant", "nearest", "reflect", "wrap")


def _inside(c: Any, n: int, mode: str) -> Any:
    """Returns coordinates of a dimension of n elements for those that may be outside; `reflect` is of places."""
    if mode == "nearest":
        return np.clip(c, 0, n - 1)
    if mode == "wrap":
        if n == 1:
            return np.zeros_like(c)
        # The last element is where the next period begins, as in SciPy.
        period = n - 1
        below = c + period * (np.trunc(-c / period) + 1)
        above = c - period * np.trunc(c / period)
        return np.where(c < 0, below, np.where(c > period, above, c))
    return c


def _place(i: Any, n: int, mode: str) -> Any:
    """Returns the element at a place of a dimension."""
    if mode == "reflect":
        i = i % (2 * n)
        return np.where(i >= n, 2 * n - 1 - i, i)
    return np.clip(i, 0, n - 1)


def apply_transform(
    x: Any, transform_matrix: Any, channel_axis: int = 0, fill_mode: str = "nearest", cval: float = 0.0
) -> Any:
    """The picture whose element at a place is that of x, between its neighbours, at `transform_matrix` [3, 3] times the
    place. Raises ValueError for another `fill_mode` than "constant", "nearest", "reflect" and "wrap"."""
    if fill_mode not in FILL_MODES:
        raise ValueError(f"expected a fill_mode of {FILL_MODES}, found {fill_mode!r}")
    planes = np.moveaxis(np.asarray(x), channel_axis, 0)
    high, wide = planes.shape[1:]
    rows, columns = np.meshgrid(np.arange(high), np.arange(wide), indexing="ij")
    at = np.tensordot(np.asarray(transform_matrix, np.float64)[:2], np.stack([rows, columns, np.ones_like(rows)]), 1)
    outside = np.zeros((high, wide), bool)
    neighbours = []
    for c, n in zip(at, (high, wide)):
        if fill_mode == "constant":
            outside |= (c < 0) | (c > n - 1)
        c = _inside(c, n, fill_mode)
        low = np.floor(c).astype(np.int64)
        part = c - low
        neighbours.append([(_place(low, n, fill_mode), 1.0 - part), (_place(low + 1, n, fill_mode), part)])
    found = np.zeros(planes.shape, np.float64)
    for row, a in neighbours[0]:
        for column, b in neighbours[1]:
            found += planes[:, row, column] * (a * b)
    found[:, outside] = cval
    if planes.dtype.kind in "iu":
        limits = np.iinfo(planes.dtype)
        found = np.clip(np.trunc(found + np.copysign(0.5, found)), limits.min, limits.max)
    return np.moveaxis(found.astype(planes.dtype), 0, channel_axis)


def transform_matrix_offset_center(matrix: Any, x: Any, y: Any) -> Any:
    """The transform around the middle of a picture of x rows and y columns."""
    there, back = np.eye(3), np.eye(3)
    there[:2, 2] = float(x) / 2 + 0.5, float(y) / 2 + 0.5
    back[:2, 2] = -there[:2, 2]
    return there @ matrix @ back


def rotation(theta: float) -> Any:
    """Returns the matrix of a rotation by radians."""
    return np.array([[np.cos(theta), -np.sin(theta), 0], [np.sin(theta), np.cos(theta), 0], [0, 0, 1]])


def shift(tx: float, ty: float) -> Any:
    return np.array([[1, 0, tx], [0, 1, ty], [0, 0, 1]])


def shear(angle: float) -> Any:
    return np.array([[1, -np.sin(angle), 0], [0, np.cos(angle), 0], [0, 0, 1]])


def zoom(zx: float, zy: float) -> Any:
    return np.array([[zx, 0, 0], [0, zy, 0], [0, 0, 1]])


def _centered(x: Any, matrix: Any, axes: Sequence[int], channel_axis: int, fill_mode: str, cval: float) -> Any:
    whole = transform_matrix_offset_center(matrix, x.shape[axes[0]], x.shape[axes[1]])
    return apply_transform(x, whole, channel_axis, fill_mode, cval)


def random_rotation(
    x: Any, rg: float, row_axis: int = 1, col_axis: int = 2, channel_axis: int = 0, fill_mode: str = "nearest",
    cval: float = 0.0,
) -> Any:  # fmt: skip
    """A picture turned by up to `rg` degrees."""
    turn = rotation(np.deg2rad(np.random.uniform(-rg, rg)))
    return _centered(x, turn, (row_axis, col_axis), channel_axis, fill_mode, cval)


def random_shift(
    x: Any, wrg: float, hrg: float, row_axis: int = 1, col_axis: int = 2, channel_axis: int = 0,
    fill_mode: str = "nearest", cval: float = 0.0,
) -> Any:  # fmt: skip
    """A picture moved by up to these parts of its width and height."""
    tx = np.random.uniform(-hrg, hrg) * x.shape[row_axis]
    ty = np.random.uniform(-wrg, wrg) * x.shape[col_axis]
    return apply_transform(x, shift(tx, ty), channel_axis, fill_mode, cval)


def random_shear(
    x: Any, intensity: float, row_axis: int = 1, col_axis: int = 2, channel_axis: int = 0, fill_mode: str = "nearest",
    cval: float = 0.0,
) -> Any:  # fmt: skip
    """A picture sheared by up to `intensity` degrees."""
    bent = shear(np.deg2rad(np.random.uniform(-intensity, intensity)))
    return _centered(x, bent, (row_axis, col_axis), channel_axis, fill_mode, cval)


def random_zoom(
    x: Any, zoom_range: Any, row_axis: int = 1, col_axis: int = 2, channel_axis: int = 0, fill_mode: str = "nearest",
    cval: float = 0.0,
) -> Any:  # fmt: skip
    """A picture whose height and width are scaled by factors of this range."""
    if len(zoom_range) != 2:
        raise ValueError(f"`zoom_range` should be a tuple or list of two floats. Received arg: {zoom_range}")
    is_one = zoom_range[0] == 1 and zoom_range[1] == 1
    zx, zy = (1.0, 1.0) if is_one else np.random.uniform(zoom_range[0], zoom_range[1], 2)
    return _centered(x, zoom(zx, zy), (row_axis, col_axis), channel_axis, fill_mode, cval)


def random_channel_shift(x: Any, intensity: float, channel_axis: int = 0) -> Any:
    """A picture to whose channels numbers up to `intensity` are added, between its least and its largest element."""
    planes = np.moveaxis(x, channel_axis, 0)
    low, high = np.min(planes), np.max(planes)
    moved = [np.clip(plane + np.random.uniform(-intensity, intensity), low, high) for plane in planes]
    return np.moveaxis(np.stack(moved), 0, channel_axis)


def random_brightness(x: Any, brightness_range: Any) -> Any:
    """A picture, scaled to bytes, times a factor of this range."""
    if len(brightness_range) != 2:
        raise ValueError("`brightness_range should be tuple or list of two floats. "
                         f"Received arg: {brightness_range}")  # fmt: skip
    data = to_bytes(x, K.image_data_format(), True)
    u = np.float32(np.random.uniform(brightness_range[0], brightness_range[1]))
    bright = np.clip(np.trunc(data.astype(np.float32) * u), 0, 255)
    return img_to_array(bright[:, :, 0] if bright.shape[2] == 1 else bright)


def flip_axis(x: Any, axis: int) -> Any:
    return np.flip(np.asarray(x), axis)


# Pictures of the package Pillow, and files


def _pillow() -> Any:
    try:
        return importlib.import_module("PIL.Image")
    except ImportError as error:
        raise ImportError("files and images of flywheel.keras.preprocessing.image need the package Pillow: pip install "
                          "pillow") from error  # fmt: skip


def _format(given: Optional[str]) -> str:
    found = K.image_data_format() if given is None else given
    if found not in ("channels_first", "channels_last"):
        raise ValueError(f"Invalid data_format: {found}")
    return found


def to_bytes(x: Any, data_format: str, scale: bool) -> Any:
    """Returns bytes [height, width, channels] of a picture; with `scale`, the largest is 255."""
    x = np.asarray(x, K.floatx())
    if x.ndim != 3:
        raise ValueError(f"Expected image array to have rank 3 (single image). Got array with shape: {x.shape}")
    if data_format == "channels_first":
        x = np.moveaxis(x, 0, 2)
    if x.shape[2] not in (1, 3):
        raise ValueError(f"Unsupported channel number: {x.shape[2]}")
    if scale:
        x = x + max(-np.min(x), 0)
        largest = np.max(x)
        x = (x / largest if largest != 0 else x) * 255
    return x.astype(np.uint8)


def array_to_img(x: Any, data_format: Optional[str] = None, scale: bool = True) -> Any:
    """An image of Pillow. Raises ImportError without that package, ValueError for another shape."""
    data = to_bytes(x, _format(data_format), scale)
    return _pillow().fromarray(data[:, :, 0] if data.shape[2] == 1 else data)


def img_to_array(img: Any, data_format: Optional[str] = None) -> Any:
    """An array of three dimensions of an image."""
    data_format = _format(data_format)
    x = np.asarray(img, dtype=K.floatx())
    if x.ndim not in (2, 3):
        raise ValueError(f"Unsupported image shape: {x.shape}")
    x = x[:, :, np.newaxis] if x.ndim == 2 else x
    return np.moveaxis(x, 2, 0) if data_format == "channels_first" else x


def load_img(path: Any, grayscale: bool = False, target_size: Any = None, interpolation: str = "nearest") -> Any:
    """An image of Pillow from a file, in one channel or three, scaled to `target_size` (height, width). Raises
    ValueError for an interpolation that Pillow does not have."""
    pillow = _pillow()
    image = pillow.open(path)
    kind = "L" if grayscale else "RGB"
    image = image if image.mode == kind else image.convert(kind)
    if target_size is None or image.size == (target_size[1], target_size[0]):
        return image
    names = ("nearest", "bilinear", "bicubic", "hamming", "box", "lanczos")
    if interpolation not in names:
        raise ValueError(f"Invalid interpolation method {interpolation} specified. Supported methods are "
                         f"{', '.join(names)}")  # fmt: skip
    return image.resize((target_size[1], target_size[0]), getattr(pillow.Resampling, interpolation.upper()))


def list_pictures(directory: Any, ext: str = "jpg|jpeg|bmp|png|ppm") -> List[str]:
    """The paths of files below a folder whose names end so."""
    return [os.path.join(root, file) for root, _, files in os.walk(directory) for file in files
            if re.match(rf"([\w]+\.(?:{ext}))", file)]  # fmt: skip
