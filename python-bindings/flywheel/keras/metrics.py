# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Metrics of each batch (M2)."""

from typing import Any

from ..v1 import nn as _nn
from . import backend as K
from . import losses as _losses
from ._serialization import find
from .losses import (  # noqa: F401
    binary_crossentropy,
    categorical_crossentropy,
    mean_absolute_error,
    mean_squared_error,
    sparse_categorical_crossentropy,
)


def binary_accuracy(y_true: Any, y_pred: Any) -> Any:
    """How many predictions are right when they are rounded."""
    return K.mean(K.equal(K.cast(y_true, y_pred.dtype), K.round(y_pred)), -1)


def categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """How often the largest prediction is that of the label."""
    return K.cast(K.equal(K.argmax(y_true, -1), K.argmax(y_pred, -1)), K.floatx())


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """As `categorical_accuracy`, of labels as numbers."""
    labels = K.squeeze(y_true, -1) if K.ndim(y_true) == K.ndim(y_pred) else y_true
    return K.cast(K.equal(K.cast(labels, "int64"), K.argmax(y_pred, -1)), K.floatx())


def top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """How often the label is among the k largest predictions."""
    return K.cast(_nn.in_top_k(y_pred, K.cast(K.argmax(y_true, -1), "int32"), k), K.floatx())


def sparse_top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """As `top_k_categorical_accuracy`, of labels as numbers."""
    labels = K.squeeze(y_true, -1) if K.ndim(y_true) == K.ndim(y_pred) else y_true
    return K.cast(_nn.in_top_k(y_pred, K.cast(labels, "int32"), k), K.floatx())


mse = MSE = mean_squared_error
mae = MAE = mean_absolute_error

_NAMES = {f.__name__: f for f in (binary_accuracy, categorical_accuracy, sparse_categorical_accuracy,
                                  top_k_categorical_accuracy, sparse_top_k_categorical_accuracy)}  # fmt: skip


def get(identifier: Any) -> Any:
    """A metric, by its name or as it is."""
    if callable(identifier):
        return identifier
    return find(str(identifier), {**_losses._NAMES, **_NAMES}, "metric function")
