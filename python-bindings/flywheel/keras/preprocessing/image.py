# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Batches of pictures, which are turned, moved and normalized as they are drawn."""

import warnings
from typing import Any, Optional

import numpy as np

from .. import backend as K
from ._iterators import DirectoryIterator, Iterator, NumpyArrayIterator
from ._pictures import (
    FILL_MODES,
    apply_transform,
    array_to_img,
    flip_axis,
    img_to_array,
    list_pictures,
    load_img,
    random_brightness,
    random_channel_shift,
    random_rotation,
    random_shear,
    random_shift,
    random_zoom,
    rotation,
    shear,
    shift,
    transform_matrix_offset_center,
    zoom,
)

__all__ = [
    "DirectoryIterator", "ImageDataGenerator", "Iterator", "NumpyArrayIterator", "apply_transform", "array_to_img",
    "flip_axis", "img_to_array", "list_pictures", "load_img", "random_brightness", "random_channel_shift",
    "random_rotation", "random_shear", "random_shift", "random_zoom", "transform_matrix_offset_center",
]  # fmt: skip


class ImageDataGenerator:
    """Changes pictures at random, and normalizes them, before a model sees them: see `flow`, and
    `flow_from_directory`.

    Random numbers are drawn as in Keras 2.1.6. `fit` computes what the normalization of features needs of data: their
    mean, their deviation, and their principal components (ZCA). Raises ValueError for numbers out of range.
    """

    def __init__(
        self, featurewise_center: bool = False, samplewise_center: bool = False,
        featurewise_std_normalization: bool = False, samplewise_std_normalization: bool = False,
        zca_whitening: bool = False, zca_epsilon: float = 1e-6, rotation_range: float = 0.0,
        width_shift_range: Any = 0.0, height_shift_range: Any = 0.0, brightness_range: Any = None,
        shear_range: float = 0.0, zoom_range: Any = 0.0, channel_shift_range: float = 0.0, fill_mode: str = "nearest",
        cval: float = 0.0, horizontal_flip: bool = False, vertical_flip: bool = False, rescale: Any = None,
        preprocessing_function: Any = None, data_format: Optional[str] = None, validation_split: float = 0.0,
    ):  # fmt: skip
        self.data_format = K.image_data_format() if data_format is None else data_format
        if self.data_format not in ("channels_first", "channels_last"):
            raise ValueError('`data_format` should be `"channels_last"` (channel after row and column) or '
                             f'`"channels_first"` (channel before row and column). Received arg: {data_format}')
        self.channel_axis, self.row_axis, self.col_axis = (
            (1, 2, 3) if self.data_format == "channels_first" else (3, 1, 2))  # fmt: skip
        if validation_split and not 0 < validation_split < 1:
            raise ValueError("`validation_split` must be strictly between 0 and 1.  Received arg: "
                             f"{validation_split}")  # fmt: skip
        self._validation_split = validation_split
        if fill_mode not in FILL_MODES:
            raise ValueError(f"expected a fill_mode of {FILL_MODES}, found {fill_mode!r}")
        factors: Any = list(zoom_range) if np.ndim(zoom_range) else [1 - zoom_range, 1 + zoom_range]
        if len(factors) != 2:
            raise ValueError("`zoom_range` should be a float or a tuple or list of two floats. Received arg: "
                             f"{zoom_range}")  # fmt: skip
        self.zoom_range = factors
        self.rotation_range, self.shear_range = rotation_range, shear_range
        self.width_shift_range, self.height_shift_range = width_shift_range, height_shift_range
        self.brightness_range, self.channel_shift_range = brightness_range, channel_shift_range
        self.fill_mode, self.cval = fill_mode, cval
        self.horizontal_flip, self.vertical_flip = horizontal_flip, vertical_flip
        self.rescale, self.preprocessing_function = rescale, preprocessing_function
        self.zca_whitening, self.zca_epsilon = zca_whitening, zca_epsilon
        self.featurewise_center, self.samplewise_center = featurewise_center, samplewise_center
        self.featurewise_std_normalization = featurewise_std_normalization
        self.samplewise_std_normalization = samplewise_std_normalization
        self.mean: Any = None
        self.std: Any = None
        self.principal_components: Any = None
        if zca_whitening:
            self._override("zca_whitening", "featurewise_center", True)
            self._override("zca_whitening", "featurewise_std_normalization", False)
        if self.featurewise_std_normalization:
            self._override("featurewise_std_normalization", "featurewise_center", True)
        if samplewise_std_normalization:
            self._override("samplewise_std_normalization", "samplewise_center", True)

    def _override(self, what: str, other: str, value: bool) -> None:
        if bool(getattr(self, other)) != value:
            setattr(self, other, value)
            warnings.warn(f"This ImageDataGenerator specifies `{what}`, which overrides setting of `{other}`.",
                          stacklevel=3)  # fmt: skip

    def flow(
        self, x: Any, y: Any = None, batch_size: int = 32, shuffle: bool = True, seed: Optional[int] = None,
        save_to_dir: Any = None, save_prefix: str = "", save_format: str = "png", subset: Optional[str] = None,
    ) -> NumpyArrayIterator:  # fmt: skip
        """Batches of arrays of pictures [samples, ...], with labels; without end. `subset` is "training" or
        "validation" of a `validation_split`."""
        return NumpyArrayIterator(x, y, self, batch_size, shuffle, seed, self.data_format, save_to_dir, save_prefix,
                                  save_format, subset)  # fmt: skip

    def flow_from_directory(
        self, directory: Any, target_size: Any = (256, 256), color_mode: str = "rgb", classes: Any = None,
        class_mode: Optional[str] = "categorical", batch_size: int = 32, shuffle: bool = True,
        seed: Optional[int] = None, save_to_dir: Any = None, save_prefix: str = "", save_format: str = "png",
        follow_links: bool = False, subset: Optional[str] = None, interpolation: str = "nearest",
    ) -> DirectoryIterator:  # fmt: skip
        """Batches of the files below a folder, with one folder for each class. Needs the package Pillow."""
        return DirectoryIterator(directory, self, target_size, color_mode, classes, class_mode, batch_size, shuffle,
                                 seed, self.data_format, save_to_dir, save_prefix, save_format, follow_links, subset,
                                 interpolation)  # fmt: skip

    def standardize(self, x: Any) -> Any:
        """Normalizes a picture, or a batch of them."""
        if self.preprocessing_function:
            x = self.preprocessing_function(x)
        if self.rescale:
            x = x * self.rescale
        if self.samplewise_center:
            x = x - np.mean(x, keepdims=True)
        if self.samplewise_std_normalization:
            x = x / (np.std(x, keepdims=True) + K.epsilon())
        if self.featurewise_center and self._is_fit("featurewise_center", self.mean):
            x = x - self.mean
        if self.featurewise_std_normalization and self._is_fit("featurewise_std_normalization", self.std):
            x = x / (self.std + K.epsilon())
        if self.zca_whitening and self._is_fit("zca_whitening", self.principal_components):
            flat = np.reshape(x, (-1, int(np.prod(x.shape[-3:]))))
            x = np.reshape(flat @ self.principal_components, x.shape)
        return x

    def _is_fit(self, what: str, value: Any) -> bool:
        if value is None:
            warnings.warn(f"This ImageDataGenerator specifies `{what}`, but it hasn't been fit on any training data. "
                          "Fit it first by calling `.fit(numpy_data)`.", stacklevel=3)  # fmt: skip
        return value is not None

    def random_transform(self, x: Any, seed: Optional[int] = None) -> Any:
        """Changes one picture at random."""
        rows, columns, channels = self.row_axis - 1, self.col_axis - 1, self.channel_axis - 1
        if seed is not None:
            np.random.seed(seed)
        parts = []
        if self.rotation_range:
            parts.append(rotation(np.deg2rad(np.random.uniform(-self.rotation_range, self.rotation_range))))
        tx = _draw_shift(self.height_shift_range, x.shape[rows])
        ty = _draw_shift(self.width_shift_range, x.shape[columns])
        if tx != 0 or ty != 0:
            parts.append(shift(tx, ty))
        if self.shear_range:
            parts.append(shear(np.deg2rad(np.random.uniform(-self.shear_range, self.shear_range))))
        if list(self.zoom_range) != [1, 1]:
            parts.append(zoom(*np.random.uniform(self.zoom_range[0], self.zoom_range[1], 2)))
        if parts:
            matrix = parts[0]
            for part in parts[1:]:
                matrix = matrix @ part
            x = apply_transform(x, transform_matrix_offset_center(matrix, x.shape[rows], x.shape[columns]), channels,
                                self.fill_mode, self.cval)  # fmt: skip
        if self.channel_shift_range != 0:
            x = random_channel_shift(x, self.channel_shift_range, channels)
        for flips, axis in ((self.horizontal_flip, columns), (self.vertical_flip, rows)):
            if flips and np.random.random() < 0.5:
                x = flip_axis(x, axis)
        return x if self.brightness_range is None else random_brightness(x, self.brightness_range)

    def fit(self, x: Any, augment: bool = False, rounds: int = 1, seed: Optional[int] = None) -> None:
        """Computes what the normalization of features needs of pictures [samples, ...], with `augment` of `rounds`
        changed ones of each. Raises ValueError for another rank."""
        x = np.array(x, dtype=K.floatx())
        if x.ndim != 4:
            raise ValueError(f"Input to `.fit()` should have rank 4. Got array with shape: {x.shape}")
        if x.shape[self.channel_axis] not in (1, 3, 4):
            warnings.warn(f"Expected input to be images (as Numpy array) with 1, 3 or 4 channels on axis "
                          f"{self.channel_axis}. However, it was passed an array with shape {x.shape}",
                          stacklevel=2)  # fmt: skip
        if seed is not None:
            np.random.seed(seed)
        if augment:
            x = np.stack([self.random_transform(one) for _ in range(rounds) for one in x])
        axes = (0, self.row_axis, self.col_axis)
        if self.featurewise_center:
            self.mean = np.mean(x, axis=axes, keepdims=True)[0]
            x = x - self.mean
        if self.featurewise_std_normalization:
            self.std = np.std(x, axis=axes, keepdims=True)[0]
            x = x / (self.std + K.epsilon())
        if self.zca_whitening:
            flat = np.reshape(x, (len(x), -1))
            u, s, _ = np.linalg.svd(flat.T @ flat / len(flat))
            self.principal_components = (u * (1.0 / np.sqrt(s[np.newaxis] + self.zca_epsilon))) @ u.T


def _draw_shift(given: Any, size: int) -> Any:
    """Returns by how many elements a picture moves: a number up to a part of the size, or to a number of elements, or
    an element of a list."""
    if not np.any(given):
        return 0
    try:
        moved = np.random.choice(given) * np.random.choice([-1, 1])
    except ValueError:
        moved = np.random.uniform(-given, given)
    return moved * size if np.max(given) < 1 else moved
