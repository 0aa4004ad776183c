# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses of each sample, by their names in Keras (X6), and their classes of Keras 3."""

from typing import Any, Callable, Dict, Optional, Tuple

from .. import _ops
from .. import nn as _traced
from .._core import dtypes as _dtypes
from .._errors import contracts as _contracts
from .._errors.messages import about as _about
from .._ops import precision as _precision
from ..v1.conversion import as_tensor, make
from . import backend as K
from ._functions import OfFunction, class_of
from ._names import Missing
from ._serialization import Configured, build, find, serializers


def _rows(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def loss(y_true: Any, y_pred: Any) -> Any:
        def emit(t: Any, p: Any) -> Any:
            return function(p, _ops.cast(t, p.dtype), reduction="none")

        return make(name, emit, as_tensor(y_true), as_tensor(y_pred))

    loss.__name__ = loss.__qualname__ = name
    return loss


mean_squared_error = _rows("mean_squared_error", _traced.mean_squared_error)
mean_absolute_error = _rows("mean_absolute_error", _traced.mean_absolute_error)
mean_absolute_percentage_error = _rows("mean_absolute_percentage_error", _traced.mean_absolute_percentage_error)
mean_squared_logarithmic_error = _rows("mean_squared_logarithmic_error", _traced.mean_squared_logarithmic_error)
squared_hinge = _rows("squared_hinge", _traced.squared_hinge)
hinge = _rows("hinge", _traced.hinge)


def _categorical_hinge(p: Any, t: Any, reduction: Any) -> Any:
    """Keras cuts off by `maximum(0., x)`, whose derivative by x at 0 is 0."""
    found = _traced.categorical_hinge(p, t, reduction=reduction)
    return _ops.where(_ops.equal(found, 0), 0, found)


categorical_hinge = _rows("categorical_hinge", _categorical_hinge)
logcosh = _rows("logcosh", _traced.log_cosh)
kullback_leibler_divergence = _rows("kullback_leibler_divergence", _traced.kl_divergence)
poisson = _rows("poisson", _traced.poisson)
cosine_proximity = _rows("cosine_proximity", _traced.cosine_proximity)


def _check(function: str, label_smoothing: float, axis: int) -> None:
    if not 0 <= label_smoothing < 1:
        raise ValueError(f"expected label_smoothing within [0, 1), found {label_smoothing}")
    if axis != -1:
        raise _about(f"flywheel.keras.losses.{function}", NotImplementedError(f"axis={axis}, expected the last"))


def _smoothed(t: Any, label_smoothing: float, classes: Any) -> Any:
    return t * (1.0 - label_smoothing) + label_smoothing / classes if label_smoothing else t


def categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1
) -> Any:
    """-sum(t log p) of rows; `label_smoothing` e stands for targets t (1 - e) + e / classes."""
    _check("categorical_crossentropy", label_smoothing, axis)

    def emit(t: Any, p: Any) -> Any:
        t = _smoothed(_ops.cast(t, p.dtype), label_smoothing, _ops.cast(_ops.dim(p, -1), p.dtype))
        loss = _traced.softmax_cross_entropy if from_logits else _traced.categorical_crossentropy
        return loss(p, t, reduction="none")

    return make("categorical_crossentropy", emit, as_tensor(y_true), as_tensor(y_pred))


def binary_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1
) -> Any:
    """The mean of -t log p - (1 - t) log(1 - p) of rows; `label_smoothing` e stands for targets t (1 - e) + e / 2."""
    _check("binary_crossentropy", label_smoothing, axis)

    def emit(t: Any, p: Any) -> Any:
        t = _smoothed(_ops.cast(t, p.dtype), label_smoothing, 2.0)
        if from_logits:
            return _ops.mean(_traced.sigmoid_cross_entropy(p, t, reduction="none"), -1)
        return _traced.binary_crossentropy(p, t, reduction="none")

    return make("binary_crossentropy", emit, as_tensor(y_true), as_tensor(y_pred))


def sparse_categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, ignore_class: Optional[int] = None, axis: int = -1
) -> Any:
    """As `categorical_crossentropy`, of labels as numbers; rows with the label `ignore_class` have loss 0."""
    _check("sparse_categorical_crossentropy", 0.0, axis)

    @_precision.rounds_once()
    def emit(p: Any, t: Any) -> Any:
        if _dtypes.is_floating(t.dtype):
            # A NaN is not a class, and would be 0.
            t = _ops.where(_ops.equal(t, t), t, -1)
        t = _ops.cast(t, _dtypes.int32)
        if t.ndim == p.ndim:
            t = _ops.squeeze(t, -1)
        counts = None
        if ignore_class is not None:
            counts = _ops.not_equal(t, ignore_class)
            t = _ops.where(counts, t, _ops.zeros_like(t))
        # As in Keras; a label out of range is an error of the step.
        logits = p if from_logits else _ops.log(_ops.clip(p, 1e-7, 1.0 - 1e-7))
        found = _traced.sparse_softmax_cross_entropy(logits, t, reduction="none")
        return found if counts is None else _ops.where(counts, found, _ops.zeros_like(found))

    return make("sparse_categorical_crossentropy", emit, as_tensor(y_pred), as_tensor(y_true))


def huber(y_true: Any, y_pred: Any, delta: float = 1.0) -> Any:
    """The mean of e^2 / 2 where |e| <= delta, else of delta |e| - delta^2 / 2, of rows."""
    return _rows("huber", lambda p, t, reduction: _traced.huber(p, t, delta=delta, reduction=reduction))(y_true, y_pred)


def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """The cosine of the angle between rows, -1 to 1."""

    def unit(x: Any) -> Any:
        return x / _ops.sqrt(_ops.maximum(_ops.sum(_ops.square(x), axis, True), 1e-12))

    @_precision.rounds_once(2)
    def cosines(t: Any, p: Any) -> Any:
        return _ops.sum(unit(t) * unit(p), axis)

    def emit(t: Any, p: Any) -> Any:
        return cosines(_ops.cast(t, p.dtype), p)

    return make("cosine_similarity", emit, as_tensor(y_true), as_tensor(y_pred))


mse = MSE = mean_squared_error
mae = MAE = mean_absolute_error
mape = MAPE = mean_absolute_percentage_error
msle = MSLE = mean_squared_logarithmic_error
kld = KLD = kl_divergence = kullback_leibler_divergence
log_cosh = logcosh
cosine = cosine_proximity


# The functions above, by all their names.
_NAMES: Dict[str, Callable[..., Any]] = {
    key: value for key, value in globals().items()
    if getattr(value, "__module__", "") == __name__ and not key.startswith("_")
}  # fmt: skip

# Classes

_REDUCTIONS = ("sum_over_batch_size", "mean", "sum", "mean_with_sample_weight", "none", None)


class Loss(Configured):
    """A loss as Keras 3 has it: `call` gives that of each sample, and `reduction` what is made of them: their mean
    ("sum_over_batch_size" or "mean"), their sum, their mean by weights ("mean_with_sample_weight"), or with None
    nothing. Weights of samples are factors: the mean is by the number of samples. In `compile` they are those of
    `fit`."""

    arguments: Tuple[str, ...] = ("reduction", "name")

    def __init__(self, name: Optional[str] = None, reduction: Optional[str] = "sum_over_batch_size", dtype: Any = None):
        if reduction not in _REDUCTIONS:
            raise ValueError(f"expected a reduction of {', '.join(map(repr, _REDUCTIONS))}, found {reduction!r}")
        if dtype is not None:
            raise _about("flywheel.keras.losses", NotImplementedError(
                "dtype of a loss, which is that of the predictions"))  # fmt: skip
        self.reduction = None if reduction == "none" else reduction
        self.name = name or type(self).__name__

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The loss of each sample."""
        raise _about("flywheel.keras.losses.Loss", NotImplementedError("a subclass has call(y_true, y_pred)"))

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        return self.reduce(self.call(y_true, y_pred), sample_weight)

    def reduce(self, scores: Any, weight: Any = None, mask: Any = None) -> Any:
        """Returns what `reduction` makes of losses of samples; if there is a `mask`, of those that it holds for."""
        count = None
        if weight is not None:
            weight = K.cast(as_tensor(weight), scores.dtype)
        if mask is not None and K.ndim(scores) == K.ndim(mask):
            holds = K.cast(mask, scores.dtype)
            count = K.mean(holds)
            if weight is None:
                weight = holds
            else:
                holds, weight = of_same_rank(holds, weight)
                weight = holds * weight
        if weight is not None:
            scores, weight = of_same_rank(scores, weight)
            scores = scores * weight
        if self.reduction is None or K.ndim(scores) == 0:
            return scores
        if self.reduction == "sum":
            return K.sum(scores)
        if self.reduction == "mean_with_sample_weight" and weight is not None:
            return _divide(K.sum(scores), K.sum(weight))
        found = K.mean(scores)
        return found if count is None else _divide(found, count)


def of_same_rank(scores: Any, weight: Any) -> Tuple[Any, Any]:
    """Returns numbers of samples and their weights with the same rank, as Keras 3 has it: a last dimension of 1 that
    only one of them has is added to the other if that has rank 1, and removed if not. Weights of a smaller rank are
    those of the first dimensions."""
    for x, y, is_swapped in ((scores, weight, False), (weight, scores, True)):
        if K.ndim(x) == K.ndim(y) + 1 and K.int_shape(x)[-1] == 1:
            if K.ndim(y) == 1:
                y = K.expand_dims(y, -1)
            else:
                x = K.squeeze(x, -1)
            return (y, x) if is_swapped else (x, y)
    for _ in range(K.ndim(scores) - K.ndim(weight)):
        weight = K.expand_dims(weight, -1)
    return scores, weight


def _divide(a: Any, b: Any) -> Any:
    """Returns a / b, and 0 if b is 0."""

    def emit(x: Any, y: Any) -> Any:
        is_zero = _ops.equal(y, 0.0)
        return _ops.where(is_zero, 0.0, x / _ops.where(is_zero, 1.0, y))

    return make("divide_no_nan", emit, a, b)


class _Of(OfFunction, Loss):
    """The loss of a function."""

    def __init__(self, *values: Any, reduction: Optional[str] = "sum_over_batch_size", name: Optional[str] = None,
                 dtype: Any = None, **given: Any) -> None:  # fmt: skip
        Loss.__init__(self, name or type(self).function.__name__, reduction, dtype)
        chosen = self.set_arguments(values, given, ("reduction", "name"))
        if "axis" in chosen:
            _check(type(self).__name__, chosen.get("label_smoothing", 0.0), chosen["axis"])

    def call(self, y_true: Any, y_pred: Any) -> Any:
        return self.value_of(y_true, y_pred)


def _class(name: str, function: Callable[..., Any], doc: str = "", **defaults: Any) -> Any:
    return class_of(_Of, name, function, doc or f"`{function.__name__}` of each sample.", __name__, defaults)


def _signed(y_true: Any, y_pred: Any) -> Any:
    """Labels of -1 and 1, also where all are 0 and 1."""

    def emit(t: Any, p: Any) -> Any:
        t = _ops.cast(t, p.dtype)
        is_binary = _ops.all(_ops.logical_or(_ops.equal(t, 0.0), _ops.equal(t, 1.0)))
        return _ops.where(is_binary, 2.0 * t - 1.0, t)

    return make("labels", emit, as_tensor(y_true), as_tensor(y_pred))


def _hinge(y_true: Any, y_pred: Any) -> Any:
    return hinge(_signed(y_true, y_pred), y_pred)


def _squared_hinge(y_true: Any, y_pred: Any) -> Any:
    return squared_hinge(_signed(y_true, y_pred), y_pred)


def _negative_cosine(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    return -cosine_similarity(y_true, y_pred, axis)


_hinge.__name__, _squared_hinge.__name__, _negative_cosine.__name__ = "hinge", "squared_hinge", "cosine_similarity"

MeanSquaredError = _class("MeanSquaredError", mean_squared_error)
MeanAbsoluteError = _class("MeanAbsoluteError", mean_absolute_error)
MeanAbsolutePercentageError = _class("MeanAbsolutePercentageError", mean_absolute_percentage_error)
MeanSquaredLogarithmicError = _class("MeanSquaredLogarithmicError", mean_squared_logarithmic_error)
BinaryCrossentropy = _class("BinaryCrossentropy", binary_crossentropy, from_logits=False, label_smoothing=0.0, axis=-1)
CategoricalCrossentropy = _class("CategoricalCrossentropy", categorical_crossentropy, from_logits=False,
                                 label_smoothing=0.0, axis=-1)  # fmt: skip
Hinge = _class("Hinge", _hinge, "`hinge` of each sample; labels of 0 and 1 are -1 and 1.")
SquaredHinge = _class("SquaredHinge", _squared_hinge, "`squared_hinge` of each sample; labels of 0 and 1 are -1 and 1.")
CategoricalHinge = _class("CategoricalHinge", categorical_hinge)
KLDivergence = _class("KLDivergence", kullback_leibler_divergence)
Poisson = _class("Poisson", poisson)
LogCosh = _class("LogCosh", logcosh)
Huber = _class("Huber", huber, delta=1.0)
CosineSimilarity = _class("CosineSimilarity", _negative_cosine, "Minus the cosine of the angle between rows.", axis=-1)


class SparseCategoricalCrossentropy(_Of):
    """`sparse_categorical_crossentropy` of each sample; the mean is over those of another label than `ignore_class`."""

    function = staticmethod(sparse_categorical_crossentropy)
    defaults = {"from_logits": False, "ignore_class": None, "axis": -1}
    arguments = tuple(defaults)
    ignore_class: Optional[int]

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        return self.reduce(self.call(y_true, y_pred), sample_weight, self.mask_of(y_true, y_pred))

    def mask_of(self, y_true: Any, y_pred: Any) -> Any:
        """Returns true for each sample that counts, or None if all do."""
        if self.ignore_class is None:
            return None
        labels = K.squeeze(y_true, -1) if K.ndim(y_true) == K.ndim(y_pred) else y_true
        return K.not_equal(K.cast(as_tensor(labels), "int32"), self.ignore_class)


_CLASSES: Dict[str, Any] = {
    key: value for key, value in globals().items() if isinstance(value, type) and issubclass(value, Loss)
    and not key.startswith("_")
}  # fmt: skip


serialize, deserialize = serializers({**_NAMES, **_CLASSES}, "a loss function")


def is_like(loss: Any, name: str) -> bool:
    """Returns true if a loss is the function of this name, or its class."""
    kind = getattr(type(loss), "function", loss)
    return getattr(kind, "__name__", "") == name


def is_of_program(loss: Any) -> bool:
    """Returns true for a loss that is not one of this module, nor of a class of them."""
    known = _NAMES.get(getattr(loss, "__name__", ""))
    is_known = known is not None and _contracts.public_form(known) is _contracts.public_form(loss)
    return not isinstance(loss, Loss) and not is_known


def get(identifier: Any) -> Any:
    """A loss, by its name, its configuration or as it is."""
    if isinstance(identifier, type) and issubclass(identifier, Loss):
        return identifier()
    if callable(identifier):
        return identifier
    if isinstance(identifier, dict):
        return build(identifier, _CLASSES, "loss")
    if str(identifier) in _CLASSES:
        return _CLASSES[str(identifier)]()
    return find(str(identifier), _NAMES, "loss function")


__getattr__ = Missing("keras.losses", __name__, {
    "BinaryFocalCrossentropy": "a subclass of Loss, or BinaryCrossentropy",
    "CategoricalFocalCrossentropy": "a subclass of Loss, or CategoricalCrossentropy",
    "CTC": "flywheel.v1.nn, which has no CTC either: no loss of sequences without alignment",
    "Dice": "a subclass of Loss", "Tversky": "a subclass of Loss", "Circle": "a subclass of Loss",
    "Reduction": "reduction='sum_over_batch_size', 'sum' or None",
})  # fmt: skip
