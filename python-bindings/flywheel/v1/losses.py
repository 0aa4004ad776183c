# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.losses`: weighted losses, which the collection LOSSES has."""

from typing import Any, Callable, Optional

from .. import _ops
from .. import nn as traced
from .._core import dtypes as _dtypes
from .._ops import checks as _checks
from .._ops import precision as _precision
from . import nn
from .conversion import as_tensor, make
from .graph import GraphKeys, get_default_graph
from .ops import add_n, cast


class Reduction:
    """The reductions of losses of elements to one."""

    NONE = "none"
    SUM = "weighted_sum"
    MEAN = "weighted_mean"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    SUM_BY_NONZERO_WEIGHTS = SUM_OVER_NONZERO_WEIGHTS = MEAN_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"


_BY_WEIGHTS = Reduction.SUM_BY_NONZERO_WEIGHTS


@_precision.rounds_once(2)
def _reduce(losses: Any, weights: Any, reduction: str) -> Any:
    """Reduces weighted losses of a trace. A mean over nothing is 0."""
    factor = _ops.cast(weights, losses.dtype)
    if factor.ndim == losses.ndim + 1 and factor._dims[-1] == 1:
        factor = _ops.squeeze(factor, -1)
    if factor.ndim:
        _checks.expect_stretches("weights", factor, losses)
    weighted = _ops.multiply(losses, factor)
    if reduction == Reduction.NONE:
        return weighted
    total = _ops.sum(weighted)
    if reduction == Reduction.SUM:
        return total
    ones = _ops.ones_like(losses)
    if reduction == Reduction.MEAN:
        count = _ops.sum(_ops.multiply(ones, factor))
    elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
        count = _ops.sum(ones)
    elif reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
        count = _ops.sum(_ops.multiply(ones, _ops.cast(_ops.not_equal(factor, 0), losses.dtype)))
    else:
        raise ValueError(f"Invalid Reduction Key {reduction}.")
    is_none = _ops.equal(count, 0)
    return _ops.where(is_none, 0, _ops.divide(total, _ops.where(is_none, _ops.ones_like(count), count)))


def _mean(losses: Any) -> Any:
    """Returns the mean of losses of a trace, 0 if there are none."""
    if 0 in losses._dims:
        return _ops.sum(losses)
    mean = _ops.cast(_ops.mean(losses), losses.dtype)
    if None not in losses._dims:
        return mean
    return _ops.where(_ops.greater(_ops.min(_ops.shape(losses)), 0), mean, 0)


def compute_weighted_loss(
    losses: Any, weights: Any = 1.0, scope: Any = None, loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Any:  # fmt: skip
    """The losses times weights as one number, which the collection gets. `scope` has no effect."""
    if isinstance(weights, (int, float)) and weights == 1.0 and reduction != Reduction.SUM:
        loss = as_tensor(losses) if reduction == Reduction.NONE else make("Mean", _mean, as_tensor(losses))
    else:
        loss = make("weighted_loss", lambda x, w: _reduce(x, w, reduction), as_tensor(losses), as_tensor(weights))
    if loss_collection is not None:
        get_default_graph().add_to_collection(loss_collection, loss)
    return loss


def _elementwise(
    name: str, function: Callable[[Any, Any], Any], labels: Any, predictions: Any, weights: Any, scope: Any,
    loss_collection: Any, reduction: str,
) -> Any:  # fmt: skip
    """Returns the weighted loss of a function of predictions and labels, which have one shape."""

    def emit(x: Any, y: Any) -> Any:
        _checks.expect_alike(name, x, y)
        return _precision.rounds_once(2)(function)(x, _ops.cast(y, x.dtype))

    made = make(name, emit, as_tensor(predictions), as_tensor(labels))
    return compute_weighted_loss(made, weights, scope, loss_collection, reduction)


def _huber(x: Any, y: Any, delta: float) -> Any:
    # Not TensorFlow's square of an absolute value, whose second derivative at 0 is 0.
    error = _ops.subtract(x, y)
    size = _ops.abs(error)
    linear = _ops.multiply(delta, _ops.subtract(size, _ops.multiply(0.5, delta)))
    return _ops.where(_ops.less_equal(size, delta), _ops.multiply(0.5, _ops.square(error)), linear)


def _log(x: Any, y: Any, epsilon: float) -> Any:
    return _ops.negative(_ops.add(_ops.multiply(y, _ops.log(_ops.add(x, epsilon))),
                                  _ops.multiply(_ops.subtract(1, y),
                                                _ops.log(_ops.add(_ops.subtract(1, x), epsilon)))))  # fmt: skip


def mean_squared_error(
    labels: Any, predictions: Any, weights: Any = 1.0, scope: Any = None, loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Any:  # fmt: skip
    """(prediction - label)^2."""
    return _elementwise("mean_squared_error", lambda x, y: _ops.square(_ops.subtract(x, y)), labels, predictions,
                        weights, scope, loss_collection, reduction)  # fmt: skip


def absolute_difference(
    labels: Any, predictions: Any, weights: Any = 1.0, scope: Any = None, loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Any:  # fmt: skip
    """|prediction - label|."""
    return _elementwise("absolute_difference", lambda x, y: _ops.abs(_ops.subtract(x, y)), labels, predictions,
                        weights, scope, loss_collection, reduction)  # fmt: skip


def huber_loss(
    labels: Any, predictions: Any, weights: Any = 1.0, delta: float = 1.0, scope: Any = None,
    loss_collection: Any = GraphKeys.LOSSES, reduction: str = _BY_WEIGHTS,
) -> Any:  # fmt: skip
    """Half the square of errors up to `delta`, and delta (|error| - delta / 2) of larger ones (Huber, 1964)."""
    return _elementwise("huber_loss", lambda x, y: _huber(x, y, delta), labels, predictions, weights, scope,
                        loss_collection, reduction)  # fmt: skip


def log_loss(
    labels: Any, predictions: Any, weights: Any = 1.0, epsilon: float = 1e-7, scope: Any = None,
    loss_collection: Any = GraphKeys.LOSSES, reduction: str = _BY_WEIGHTS,
) -> Any:  # fmt: skip
    """-label log(prediction + epsilon) - (1 - label) log(1 - prediction + epsilon)."""
    return _elementwise("log_loss", lambda x, y: _log(x, y, epsilon), labels, predictions, weights, scope,
                        loss_collection, reduction)  # fmt: skip


def hinge_loss(
    labels: Any, logits: Any, weights: Any = 1.0, scope: Any = None, loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Any:  # fmt: skip
    """max(0, 1 - logit) where the label is 1, max(0, 1 + logit) where it is 0."""


    def emit(x: Any, y: Any) -> Any:
        _checks.expect_alike("hinge_loss", x, y)
        sign = _ops.subtract(_ops.multiply(2, _ops.cast(y, x.dtype)), 1)
        return traced.relu(_ops.subtract(1, _ops.multiply(x, sign)))

    made = make("hinge_loss", emit, as_tensor(logits), as_tensor(labels))
    return compute_weighted_loss(made, weights, scope, loss_collection, reduction)


def mean_pairwise_squared_error(
    labels: Any, predictions: Any, weights: Any = 1.0, scope: Any = None, loss_collection: Any = GraphKeys.LOSSES
) -> Any:
    """The squared differences of the errors of pairs of elements, a mean over those of an example, and their sum.
    `scope` has no effect."""

    def emit(y: Any, p: Any, w: Any) -> Any:
        _checks.expect_alike("mean_pairwise_squared_error", p, y)
        error = _ops.subtract(_ops.cast(p, _dtypes.float32), _ops.cast(y, _dtypes.float32))
        axes = tuple(range(1, error.ndim))
        count = _ops.sum(_ops.ones_like(error), axes, True)
        squares = _ops.divide(_ops.sum(_ops.square(error), axes, True), _ops.maximum(_ops.subtract(count, 1.0), 1.0))
        sums = _ops.square(_ops.sum(error, axes, True))
        square_of_sum = _ops.divide(sums, _ops.maximum(_ops.multiply(count, _ops.subtract(count, 1.0)), 1.0))
        pairs = _ops.multiply(2.0, _ops.subtract(squares, square_of_sum))
        wide = w if w.ndim == 0 else _ops.reshape(w, [-1, *[1] * (pairs.ndim - 1)])
        return _ops.sum(_ops.multiply(pairs, _ops.cast(wide, _dtypes.float32)))

    loss = make("mean_pairwise_squared_error", emit, as_tensor(labels), as_tensor(predictions), as_tensor(weights))
    add_loss(loss, loss_collection)
    return loss


def cosine_distance(
    labels: Any, predictions: Any, axis: Optional[int] = None, weights: Any = 1.0, scope: Any = None,
    loss_collection: Any = GraphKeys.LOSSES, reduction: str = _BY_WEIGHTS, dim: Optional[int] = None,
) -> Any:  # fmt: skip
    """1 minus the sum of products along an axis, of what is of norm 1 already."""
    place = dim if axis is None else axis
    if place is None:
        raise ValueError("You must specify 'axis'.")

    def emit(x: Any, y: Any) -> Any:
        _checks.expect_alike("cosine_distance", x, y)
        return _ops.subtract(1, _ops.sum(_ops.multiply(x, y), place, True))

    made = make("cosine_distance", _precision.rounds_once(2)(emit), as_tensor(predictions), as_tensor(labels))
    return compute_weighted_loss(made, weights, scope, loss_collection, reduction)


def softmax_cross_entropy(
    onehot_labels: Any, logits: Any, weights: Any = 1.0, label_smoothing: float = 0, scope: Any = None,
    loss_collection: Any = GraphKeys.LOSSES, reduction: str = _BY_WEIGHTS,
) -> Any:  # fmt: skip
    labels, x = as_tensor(onehot_labels), as_tensor(logits)
    if label_smoothing > 0:
        classes = int(x.shape[-1])
        labels = cast(labels, x.dtype) * (1 - label_smoothing) + label_smoothing / classes
    made = nn.softmax_cross_entropy_with_logits(labels=labels, logits=x)
    return compute_weighted_loss(made, weights, scope, loss_collection, reduction)


def sparse_softmax_cross_entropy(
    labels: Any, logits: Any, weights: Any = 1.0, scope: Any = None, loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Any:  # fmt: skip
    made = nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    return compute_weighted_loss(made, weights, scope, loss_collection, reduction)


def sigmoid_cross_entropy(
    multi_class_labels: Any, logits: Any, weights: Any = 1.0, label_smoothing: float = 0, scope: Any = None,
    loss_collection: Any = GraphKeys.LOSSES, reduction: str = _BY_WEIGHTS,
) -> Any:  # fmt: skip
    labels = cast(multi_class_labels, as_tensor(logits).dtype)
    if label_smoothing > 0:
        labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
    made = nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
    return compute_weighted_loss(made, weights, scope, loss_collection, reduction)


def add_loss(loss: Any, loss_collection: Any = GraphKeys.LOSSES) -> None:
    """Puts a loss of one's own in the collection."""
    if loss_collection is not None:
        get_default_graph().add_to_collection(loss_collection, loss)


def get_losses(scope: Any = None, loss_collection: str = GraphKeys.LOSSES) -> Any:
    return get_default_graph().get_collection(loss_collection, scope)


def get_regularization_losses(scope: Any = None) -> Any:
    return get_default_graph().get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(scope: Any = None, name: str = "total_regularization_loss") -> Any:
    """The sum of what regularizers ask for."""
    losses = get_regularization_losses(scope)
    return add_n(losses, name=name) if losses else as_tensor(0.0)


def get_total_loss(add_regularization_losses: bool = True, name: str = "total_loss", scope: Any = None) -> Any:
    """The sum of all losses, or of those of a scope."""
    more = get_regularization_losses(scope) if add_regularization_losses else []
    return add_n(get_losses(scope) + more, name=name)


def __getattr__(name: str) -> Any:
    from .namespaces import missing

    raise missing(f"losses.{name}")
