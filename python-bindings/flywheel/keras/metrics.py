# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Metrics of each batch (M2), and their classes of Keras 3."""

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from .._errors.messages import about
from ..v1 import nn as _nn
from ..v1.conversion import as_tensor, dtype_of
from . import backend as K
from . import losses as _losses
from ._functions import OfFunction, class_of
from ._names import Missing
from ._serialization import Configured, build, find, serializers
from .losses import (  # noqa: F401
    binary_crossentropy,
    categorical_crossentropy,
    mean_absolute_error,
    mean_squared_error,
    sparse_categorical_crossentropy,
)


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Any:
    """Returns the share of predictions that are right if they are rounded, or compared with a threshold."""
    dtype = K.dtype(y_pred)
    rounded = K.round(y_pred) if threshold == 0.5 else K.cast(K.greater(y_pred, threshold), dtype)
    return K.mean(K.equal(K.cast(y_true, dtype), rounded), -1)


def categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """Returns 1 for each row whose largest prediction is that of the label, else 0."""
    return K.cast(K.equal(K.argmax(y_true, -1), K.argmax(y_pred, -1)), K.floatx())


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """As `categorical_accuracy`, of labels as numbers."""
    labels = K.squeeze(y_true, -1) if K.ndim(y_true) == K.ndim(y_pred) else y_true
    return K.cast(K.equal(K.cast(labels, "int64"), K.argmax(y_pred, -1)), K.floatx())


def _is_in_top_k(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """Returns 1 for each row whose label is among the k largest predictions, else 0."""
    return K.cast(_nn.in_top_k(y_pred, K.cast(K.argmax(y_true, -1), "int32"), k), K.floatx())


def _is_sparse_in_top_k(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """As `_is_in_top_k`, of labels as numbers."""
    labels = K.squeeze(y_true, -1) if K.ndim(y_true) == K.ndim(y_pred) else y_true
    return K.cast(_nn.in_top_k(y_pred, K.cast(labels, "int32"), k), K.floatx())


def top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """Returns the share of rows whose label is among the k largest predictions."""
    return K.mean(_is_in_top_k(y_true, y_pred, k), -1)


def sparse_top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """As `top_k_categorical_accuracy`, of labels as numbers."""
    return K.mean(_is_sparse_in_top_k(y_true, y_pred, k), -1)


# By these names, the classes.
_is_in_top_k.__name__ = "top_k_categorical_accuracy"
_is_sparse_in_top_k.__name__ = "sparse_top_k_categorical_accuracy"


def accuracy(y_true: Any, y_pred: Any) -> Any:
    """Returns the share of predictions that equal their labels."""
    return K.mean(K.equal(K.cast(y_true, K.dtype(y_pred)), y_pred), -1)


mean_absolute_percentage_error = _losses.mean_absolute_percentage_error
mean_squared_logarithmic_error = _losses.mean_squared_logarithmic_error
squared_hinge, hinge, logcosh, poisson = _losses.squared_hinge, _losses.hinge, _losses.logcosh, _losses.poisson
kullback_leibler_divergence, cosine_proximity = _losses.kullback_leibler_divergence, _losses.cosine_proximity
mape = MAPE = mean_absolute_percentage_error
msle = MSLE = mean_squared_logarithmic_error
cosine = cosine_proximity
mse = MSE = mean_squared_error
mae = MAE = mean_absolute_error

_NAMES = {f.__name__: f for f in (binary_accuracy, categorical_accuracy, sparse_categorical_accuracy,
                                  top_k_categorical_accuracy, sparse_top_k_categorical_accuracy)}  # fmt: skip

# Classes


class Metric(Configured):
    """A metric as Keras 3 has it: in `compile`, or by itself of arrays.

        m = keras.metrics.BinaryAccuracy()
        m.update_state([1, 0], [0.9, 0.2])
        m.result()

    A subclass has `counts`, which sums are made of, tensors of a batch and its weights (or None), and `value`, a
    function of the sums.
    """

    arguments = ("name",)
    stateful = True
    # The number of sums.
    count = 2

    def __init__(self, name: Optional[str] = None, dtype: Any = None) -> None:
        if dtype is not None and dtype_of(dtype) != dtype_of(K.floatx()):
            raise about(f"flywheel.keras.metrics.{type(self).__name__}", NotImplementedError(
                f"dtype={dtype!r}; expected {K.floatx()!r}"))  # fmt: skip
        self.name = name or type(self).__name__
        self._sums: Optional[List[Any]] = None
        self.updates: List[Any] = []
        self.reset_state()

    def counts(self, y_true: Any, y_pred: Any, weight: Any) -> Sequence[Any]:
        raise about("flywheel.keras.metrics.Metric", NotImplementedError(
            "a subclass has counts(y_true, y_pred, weight)"))  # fmt: skip

    def value(self, sums: Sequence[Any], divide: Callable[[Any, Any], Any]) -> Any:
        """Returns the value of sums, which are tensors or numbers; `divide` returns 0 for a division by 0."""
        return divide(sums[0], sums[1])

    # In a model

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """The value with this batch, which the updates add to the sums."""
        if self._sums is None:
            self._sums = [K.variable(0.0) for _ in range(self.count)]
        now = [s + K.cast(x, K.floatx()) for s, x in zip(self._sums, self.counts(y_true, y_pred, sample_weight))]
        self.updates = [K.update(s, x) for s, x in zip(self._sums, now)]
        return self.value(now, lambda a, b: a / K.maximum(b, K.epsilon()))

    def reset_states(self) -> None:
        self.reset_state()
        for s in self._sums or []:
            K.set_value(s, 0.0)

    # By itself

    def reset_state(self) -> None:
        """Forgets what was counted."""
        self._own = [0.0] * self.count

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Counts a batch of arrays."""
        t, p = (K.constant(np.asarray(x, K.floatx())) for x in (y_true, y_pred))
        weight = None if sample_weight is None else K.constant(np.asarray(sample_weight, K.floatx()))
        self._own = [a + float(K.get_value(as_tensor(x)) if not hasattr(x, "op") else K.eval(x))
                     for a, x in zip(self._own, self.counts(t, p, weight))]  # fmt: skip

    def result(self) -> float:
        """The value of what was counted since the last `reset_state`."""
        return float(self.value(self._own, lambda a, b: a / b if b else 0.0))


def _weighted(scores: Any, weight: Any) -> Tuple[Any, Any]:
    """Returns numbers of samples, and a weight for each of them."""
    if weight is None:
        return scores, K.ones_like(scores)
    scores, weight = _losses.of_same_rank(scores, weight)
    return scores, K.ones_like(scores) * weight


class _MeanOf(OfFunction, Metric):
    """The mean of a function over samples."""

    def __init__(self, *values: Any, name: Optional[str] = None, dtype: Any = None, **given: Any) -> None:
        self.set_arguments(values, given, ("name",))
        Metric.__init__(self, name or type(self).function.__name__, dtype)

    def counts(self, y_true: Any, y_pred: Any, weight: Any) -> Sequence[Any]:
        scores, weights = _weighted(self.value_of(y_true, y_pred), weight)
        return [K.sum(scores * weights), K.sum(weights)]


def _class(name: str, function: Callable[..., Any], **defaults: Any) -> Any:
    doc = f"The mean of `{function.__name__}` over samples."
    return class_of(_MeanOf, name, function, doc, __name__, defaults)


Accuracy = _class("Accuracy", accuracy)
BinaryAccuracy = _class("BinaryAccuracy", binary_accuracy, threshold=0.5)
CategoricalAccuracy = _class("CategoricalAccuracy", categorical_accuracy)
SparseCategoricalAccuracy = _class("SparseCategoricalAccuracy", sparse_categorical_accuracy)
TopKCategoricalAccuracy = _class("TopKCategoricalAccuracy", _is_in_top_k, k=5)
SparseTopKCategoricalAccuracy = _class("SparseTopKCategoricalAccuracy", _is_sparse_in_top_k, k=5)
MeanSquaredError = _class("MeanSquaredError", mean_squared_error)
MeanAbsoluteError = _class("MeanAbsoluteError", mean_absolute_error)
MeanAbsolutePercentageError = _class("MeanAbsolutePercentageError", _losses.mean_absolute_percentage_error)
MeanSquaredLogarithmicError = _class("MeanSquaredLogarithmicError", _losses.mean_squared_logarithmic_error)
BinaryCrossentropy = _class("BinaryCrossentropy", binary_crossentropy, from_logits=False, label_smoothing=0.0)
CategoricalCrossentropy = _class("CategoricalCrossentropy", categorical_crossentropy, from_logits=False,
                                 label_smoothing=0.0)  # fmt: skip
SparseCategoricalCrossentropy = _class("SparseCategoricalCrossentropy", sparse_categorical_crossentropy,
                                       from_logits=False)  # fmt: skip
KLDivergence = _class("KLDivergence", _losses.kullback_leibler_divergence)
Poisson = _class("Poisson", _losses.poisson)
CosineSimilarity = _class("CosineSimilarity", _losses.cosine_similarity, axis=-1)


class RootMeanSquaredError(_MeanOf):
    """The root of the mean of (t - p)^2 over samples."""

    function = staticmethod(mean_squared_error)

    def __init__(self, name: Optional[str] = None, dtype: Any = None) -> None:
        super().__init__(name=name or "root_mean_squared_error", dtype=dtype)

    def value(self, sums: Sequence[Any], divide: Callable[[Any, Any], Any]) -> Any:
        mean = divide(sums[0], sums[1])
        return float(mean) ** 0.5 if isinstance(mean, float) else K.sqrt(mean)


class _Hits(Metric):
    """Metrics of predictions above a threshold."""

    arguments = ("thresholds",)

    def __init__(self, thresholds: Any = None, name: Optional[str] = None, dtype: Any = None, **given: Any) -> None:
        for key in ("top_k", "class_id"):
            if given.pop(key, None) is not None:
                raise about(f"flywheel.keras.metrics.{type(self).__name__}", NotImplementedError(f"{key}"))
        if given:
            raise about(type(self).__name__, TypeError(f"has no argument '{next(iter(given))}': it takes thresholds, "
                                                       "name"), " ")  # fmt: skip
        if isinstance(thresholds, (list, tuple)) and len(thresholds) == 1:
            thresholds = thresholds[0]
        if thresholds is not None and not isinstance(thresholds, (int, float)):
            raise about(f"flywheel.keras.metrics.{type(self).__name__}", NotImplementedError("several thresholds"))
        self.thresholds = thresholds
        super().__init__(name or type(self).__name__.lower(), dtype)

    def counts(self, y_true: Any, y_pred: Any, weight: Any) -> Sequence[Any]:
        p = K.cast(K.greater(y_pred, 0.5 if self.thresholds is None else self.thresholds), K.floatx())
        t = K.cast(y_true, K.floatx())
        _, w = _weighted(p, weight)
        return [K.sum(w * t * p), K.sum(w * self._all(t, p))]

    def _all(self, t: Any, p: Any) -> Any:
        raise NotImplementedError


class Precision(_Hits):
    """The share of the predictions above the threshold that are right."""

    def _all(self, t: Any, p: Any) -> Any:
        return p


class Recall(_Hits):
    """The share of the positive labels that have a prediction above the threshold."""

    def _all(self, t: Any, p: Any) -> Any:
        return t


class Mean(Metric):
    """The mean of numbers."""

    def __init__(self, name: str = "mean", dtype: Any = None) -> None:
        super().__init__(name, dtype)

    def update_state(self, values: Any, sample_weight: Any = None) -> None:  # type: ignore[override]
        """Counts numbers, by weights."""
        x = np.asarray(values, np.float64)
        w = np.broadcast_to(np.asarray(1.0 if sample_weight is None else sample_weight, np.float64), x.shape)
        self._own = [self._own[0] + float((x * w).sum()), self._own[1] + float(w.sum())]

    def __call__(self, values: Any, sample_weight: Any = None) -> Any:  # type: ignore[override]
        self.update_state(values, sample_weight)
        return self.result()


class Sum(Mean):
    """The sum of numbers."""

    def __init__(self, name: str = "sum", dtype: Any = None) -> None:
        super().__init__(name, dtype)

    def value(self, sums: Sequence[Any], divide: Callable[[Any, Any], Any]) -> Any:
        """The first of `sums`; nothing is divided by `divide`."""
        return sums[0]


_CLASSES: Dict[str, Any] = {
    key: value for key, value in globals().items() if isinstance(value, type) and issubclass(value, Metric)
    and not key.startswith("_")
}  # fmt: skip


serialize, deserialize = serializers({**_losses._NAMES, **_NAMES, **_CLASSES}, "a metric")


def get(identifier: Any) -> Any:
    """A metric, by its name, its configuration or as it is."""
    if isinstance(identifier, type) and issubclass(identifier, Metric):
        return identifier()
    if callable(identifier):
        return identifier
    if isinstance(identifier, dict):
        return build(identifier, _CLASSES, "metric")
    if str(identifier) in _CLASSES:
        return _CLASSES[str(identifier)]()
    return find(str(identifier), {**_losses._NAMES, **_NAMES}, "metric function")


__getattr__ = Missing("keras.metrics", __name__, {
    "AUC": "sklearn.metrics.roc_auc_score of model.predict", "F1Score": "Precision and Recall",
    "FBetaScore": "Precision and Recall", "MeanIoU": "a subclass of Metric", "IoU": "a subclass of Metric",
    "R2Score": "MeanSquaredError over the variance of the labels",
})  # fmt: skip
