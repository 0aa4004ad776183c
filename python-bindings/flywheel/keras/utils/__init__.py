# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs take from `keras.utils`."""

from typing import Any, Optional

import numpy as np

from .._serialization import custom_object_scope

CustomObjectScope = custom_object_scope


def to_categorical(y: Any, num_classes: Optional[int] = None) -> Any:
    """Labels as rows with a 1."""
    labels = np.array(y, dtype="int")
    shape = labels.shape[:-1] if labels.ndim > 1 and labels.shape[-1] == 1 else labels.shape
    labels = labels.ravel()
    count = num_classes or int(labels.max()) + 1
    rows = np.zeros((len(labels), count), np.float32)
    rows[np.arange(len(labels)), labels] = 1
    return rows.reshape((*shape, count))


def normalize(x: Any, axis: int = -1, order: int = 2) -> Any:
    norm = np.atleast_1d(np.linalg.norm(x, order, axis))
    norm[norm == 0] = 1
    return x / np.expand_dims(norm, axis)


class Sequence:
    """Batches by their numbers: a subclass has `__len__` and `__getitem__`."""

    def __len__(self) -> int:
        raise NotImplementedError

    def __getitem__(self, index: int) -> Any:
        raise NotImplementedError

    def on_epoch_end(self) -> None:
        """At the end of each epoch of training."""

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))


def __getattr__(name: str) -> Any:
    hints = {"get_file": "nothing is downloaded", "plot_model": "model.summary()", "vis_utils": "model.summary()",
             "HDF5Matrix": "numpy.load, or flywheel.data.load", "multi_gpu_model": "one device",
             "print_summary": "model.summary()"}  # fmt: skip
    hint = f"; instead: {hints[name]}" if name in hints else ""
    raise AttributeError(f"there is no flywheel.keras.utils.{name}{hint}; see docs/Keras.md")
