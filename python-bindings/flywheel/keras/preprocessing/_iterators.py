# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Batches of pictures from arrays and from files, without end or by number."""

import os
import threading
import warnings
from typing import Any, List, Optional, Tuple

import numpy as np

from .. import backend as K
from ..utils import Sequence
from ._pictures import array_to_img, img_to_array, load_img

FORMATS = ("png", "jpg", "jpeg", "bmp", "ppm", "tif", "tiff")


class Iterator(Sequence):
    """Batches of n samples, in the order of their numbers or in another one in each pass. A subclass defines
    `_get_batches_of_transformed_samples`, of the numbers of a batch."""

    def __init__(self, n: int, batch_size: int, shuffle: bool, seed: Optional[int]):
        self.n, self.batch_size, self.shuffle, self.seed = n, batch_size, shuffle, seed
        self.batch_index = self.total_batches_seen = 0
        self.lock = threading.Lock()
        self.index_array: Any = None

    def _set_index_array(self) -> None:
        self.index_array = np.random.permutation(self.n) if self.shuffle else np.arange(self.n)

    def _seed_batch(self) -> None:
        if self.seed is not None:
            np.random.seed(self.seed + self.total_batches_seen)

    def __getitem__(self, idx: int) -> Any:
        if idx >= len(self):
            raise ValueError(f"Asked to retrieve element {idx}, but the Sequence has length {len(self)}")
        self._seed_batch()
        self.total_batches_seen += 1
        if self.index_array is None:
            self._set_index_array()
        return self._get_batches_of_transformed_samples(
            self.index_array[self.batch_size * idx : self.batch_size * (idx + 1)])

    def __len__(self) -> int:
        return -(-self.n // self.batch_size)

    def on_epoch_end(self) -> None:
        self._set_index_array()

    def reset(self) -> None:
        self.batch_index = 0

    def __iter__(self) -> "Iterator":
        return self

    def __next__(self) -> Any:
        """The next batch: after the last one of a pass the first one of another."""
        with self.lock:
            self._seed_batch()
            if self.batch_index == 0:
                self._set_index_array()
            first = self.batch_index * self.batch_size % self.n
            self.batch_index = self.batch_index + 1 if self.n > first + self.batch_size else 0
            self.total_batches_seen += 1
            chosen = self.index_array[first : first + self.batch_size]
        return self._get_batches_of_transformed_samples(chosen)

    next = __next__

    def _get_batches_of_transformed_samples(self, index_array: Any) -> Any:
        raise NotImplementedError

    def _save(self, batch: Any, numbers: Any, folder: Any, prefix: str, form: str, data_format: str) -> None:
        if folder:
            for picture, number in zip(batch, numbers):
                name = f"{prefix}_{number}_{np.random.randint(10000)}.{form}"
                array_to_img(picture, data_format, scale=True).save(os.path.join(folder, name))


def _check_subset(subset: Any) -> None:
    if subset not in (None, "training", "validation"):
        raise ValueError(f'Invalid subset name: {subset}; expected "training" or "validation".')


class NumpyArrayIterator(Iterator):
    """Batches of arrays. Raises ValueError for pictures of another rank than 4, and other numbers of labels."""

    def __init__(
        self, x: Any, y: Any, image_data_generator: Any, batch_size: int = 32, shuffle: bool = False,
        seed: Optional[int] = None, data_format: Optional[str] = None, save_to_dir: Any = None, save_prefix: str = "",
        save_format: str = "png", subset: Optional[str] = None,
    ):  # fmt: skip
        _check_subset(subset)
        if y is not None and len(x) != len(y):
            raise ValueError("`x` (images tensor) and `y` (labels) should have the same length. Found: x.shape = "
                             f"{np.shape(x)}, y.shape = {np.shape(y)}")  # fmt: skip
        x = np.asarray(x, K.floatx())
        if x.ndim != 4:
            raise ValueError("Input data in `NumpyArrayIterator` should have rank 4. You passed an array with shape "
                             f"{x.shape}")  # fmt: skip
        y = None if y is None else np.asarray(y)
        if subset is not None:
            at = int(len(x) * image_data_generator._validation_split)
            part = slice(at) if subset == "validation" else slice(at, None)
            x, y = x[part], None if y is None else y[part]
        self.x, self.y, self.image_data_generator = x, y, image_data_generator
        self.data_format = K.image_data_format() if data_format is None else data_format
        channels = x.shape[3 if self.data_format == "channels_last" else 1]
        if channels not in (1, 3, 4):
            warnings.warn(f"NumpyArrayIterator is set to use the data format convention {self.data_format!r}, i.e. "
                          f"expected 1, 3 or 4 channels. However, it was passed an array with shape {x.shape}",
                          stacklevel=2)  # fmt: skip
        self._saved = save_to_dir, save_prefix, save_format
        super().__init__(len(x), batch_size, shuffle, seed)

    def _get_batches_of_transformed_samples(self, index_array: Any) -> Any:
        change = self.image_data_generator
        batch = np.zeros((len(index_array), *self.x.shape[1:]), K.floatx())
        for i, number in enumerate(index_array):
            batch[i] = change.standardize(change.random_transform(self.x[number].copy()))
        self._save(batch, index_array, *self._saved, self.data_format)
        return batch if self.y is None else (batch, self.y[index_array])


class DirectoryIterator(Iterator):
    """Batches of the files below a folder, whose folders are the classes. Raises ValueError for unknown
    modes."""

    def __init__(
        self, directory: Any, image_data_generator: Any, target_size: Any = (256, 256), color_mode: str = "rgb",
        classes: Any = None, class_mode: Optional[str] = "categorical", batch_size: int = 32, shuffle: bool = True,
        seed: Optional[int] = None, data_format: Optional[str] = None, save_to_dir: Any = None, save_prefix: str = "",
        save_format: str = "png", follow_links: bool = False, subset: Optional[str] = None,
        interpolation: str = "nearest",
    ):  # fmt: skip
        _check_subset(subset)
        if color_mode not in ("rgb", "grayscale"):
            raise ValueError(f'Invalid color mode: {color_mode}; expected "rgb" or "grayscale".')
        if class_mode not in ("categorical", "binary", "sparse", "input", None):
            raise ValueError(f'Invalid class_mode: {class_mode}; expected one of "categorical", "binary", "sparse", '
                             '"input" or None.')  # fmt: skip
        self.directory, self.image_data_generator = directory, image_data_generator
        self.target_size, self.color_mode, self.class_mode = tuple(target_size), color_mode, class_mode
        self.data_format = K.image_data_format() if data_format is None else data_format
        channels = 3 if color_mode == "rgb" else 1
        self.image_shape = ((*self.target_size, channels) if self.data_format == "channels_last"
                            else (channels, *self.target_size))  # fmt: skip
        self.interpolation, self._saved = interpolation, (save_to_dir, save_prefix, save_format)
        names = classes or sorted(name for name in os.listdir(directory)
                                  if os.path.isdir(os.path.join(directory, name)))  # fmt: skip
        self.num_classes, self.class_indices = len(names), {name: i for i, name in enumerate(names)}
        split = image_data_generator._validation_split
        part = {None: (0.0, 1.0), "validation": (0.0, split), "training": (split, 1.0)}[subset]
        found: List[Tuple[str, int]] = []
        for name, number in self.class_indices.items():
            files = _files(directory, name, follow_links)
            found += [(file, number) for file in files[int(part[0] * len(files)) : int(part[1] * len(files))]]
        self.filenames = [file for file, _ in found]
        self.classes, self.samples = np.array([number for _, number in found], np.int32), len(found)
        print(f"Found {self.samples} images belonging to {self.num_classes} classes.")
        super().__init__(self.samples, batch_size, shuffle, seed)

    def _get_batches_of_transformed_samples(self, index_array: Any) -> Any:
        change = self.image_data_generator
        batch = np.zeros((len(index_array), *self.image_shape), K.floatx())
        for i, number in enumerate(index_array):
            path = os.path.join(self.directory, self.filenames[number])
            image = load_img(path, self.color_mode == "grayscale", self.target_size, self.interpolation)
            batch[i] = change.standardize(change.random_transform(img_to_array(image, self.data_format)))
        self._save(batch, index_array, *self._saved, self.data_format)
        own = self.classes[index_array]
        if self.class_mode is None:
            return batch
        if self.class_mode == "input":
            return batch, batch.copy()
        if self.class_mode == "categorical":
            return batch, np.eye(self.num_classes, dtype=K.floatx())[own]
        return batch, own if self.class_mode == "sparse" else own.astype(K.floatx())


def _files(directory: Any, name: str, follow_links: bool) -> List[str]:
    """Returns the pictures below the folder of a class, from `directory` on, in the order of folders and names."""
    top = os.path.join(directory, name)
    return [os.path.relpath(os.path.join(root, file), directory)
            for root, _, files in sorted(os.walk(top, followlinks=follow_links), key=lambda one: one[0])
            for file in sorted(files) if file.lower().rpartition(".")[2] in FORMATS and "." in file]  # fmt: skip
