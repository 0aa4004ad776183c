# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of `keras.utils`."""

from typing import Any, Optional

import numpy as np

from ..._errors.messages import wrong
from .._names import Missing
from .data_utils import GeneratorEnqueuer, OrderedEnqueuer, Sequence, SequenceEnqueuer, get_file
from .generic_utils import (
    CustomObjectScope,
    Progbar,
    custom_object_scope,
    deserialize_keras_object,
    get_custom_objects,
    serialize_keras_object,
)
from .io_utils import HDF5Matrix
from .vis_utils import plot_model

__all__ = [
    "CustomObjectScope", "GeneratorEnqueuer", "HDF5Matrix", "OrderedEnqueuer", "Progbar", "Sequence",
    "SequenceEnqueuer", "custom_object_scope", "deserialize_keras_object", "get_custom_objects", "get_file",
    "normalize", "plot_model", "serialize_keras_object", "set_random_seed", "to_categorical",
]  # fmt: skip


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


def set_random_seed(seed: int) -> None:
    """Sets the seeds of Python's `random`, of NumPy's, which `fit` shuffles by, and of this package: of weights and
    draws of the models that are made from now on."""
    import random

    from ... import store
    from ...v1 import set_random_seed as of_graph

    if not isinstance(seed, (int, np.integer)) or isinstance(seed, bool) or not 0 <= seed < 2**32:
        raise wrong(ValueError, "an integer from 0 to 2^32 - 1", repr(seed), "the seed")
    random.seed(int(seed))
    np.random.seed(int(seed))
    of_graph(int(seed))
    store.set_seed(int(seed))


__getattr__ = Missing("keras.utils", __name__, {
    "multi_gpu_model": "one device",
    "print_summary": "model.summary()", "PyDataset": "Sequence", "image_dataset_from_directory":
    "preprocessing.image", "text_dataset_from_directory": "preprocessing.text", "split_dataset": "slices of arrays",
    "register_keras_serializable": "custom_object_scope", "pack_x_y_sample_weight":
    "a tuple (x, y, weight)", "unpack_x_y_sample_weight": "a tuple (x, y, weight)",
})  # fmt: skip
