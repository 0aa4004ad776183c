# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.contrib.losses`, as `tf.contrib.slim` has it: those of `tf.losses`, with predictions before labels."""

from typing import Any, Optional

from ..._errors.contracts import explain_all, public_names
from .. import losses as _losses
from ..losses import add_loss as add_loss
from ..losses import get_losses as get_losses
from ..losses import get_regularization_losses as get_regularization_losses
from ..losses import get_total_loss as get_total_loss
from ..namespaces import missing


def compute_weighted_loss(losses: Any, weights: Any = 1.0, scope: Any = None) -> Any:
    """The losses times weights as one number: a sum over the number of weights that are not 0."""
    return _losses.compute_weighted_loss(losses, weights, scope)


def absolute_difference(predictions: Any, labels: Any, weights: Any = 1.0, scope: Any = None) -> Any:
    """|predictions - labels|."""
    return _losses.absolute_difference(labels, predictions, weights, scope)


def mean_squared_error(predictions: Any, labels: Any, weights: Any = 1.0, scope: Any = None) -> Any:
    """(predictions - labels)^2."""
    return _losses.mean_squared_error(labels, predictions, weights, scope)


def mean_pairwise_squared_error(predictions: Any, labels: Any, weights: Any = 1.0, scope: Any = None) -> Any:
    """The squared differences of the errors of pairs of elements."""
    return _losses.mean_pairwise_squared_error(labels, predictions, weights, scope)


def log_loss(
    predictions: Any, labels: Any, weights: Any = 1.0, epsilon: float = 1e-7, scope: Any = None
) -> Any:  # fmt: skip
    """-labels log(predictions + epsilon) - (1 - labels) log(1 - predictions + epsilon)."""
    return _losses.log_loss(labels, predictions, weights, scope=scope, epsilon=epsilon)


def hinge_loss(logits: Any, labels: Any, scope: Any = None) -> Any:
    """max(0, 1 - logit) where the label is 1, max(0, 1 + logit) where it is 0; one for each element."""
    return _losses.hinge_loss(labels, logits, scope=scope, loss_collection=None, reduction=_losses.Reduction.NONE)


def cosine_distance(
    predictions: Any, labels: Any = None, axis: Optional[int] = None, weights: Any = 1.0, scope: Any = None,
    dim: Optional[int] = None,
) -> Any:  # fmt: skip
    """1 minus the sum of products along an axis, of what is of norm 1 already."""
    return _losses.cosine_distance(labels, predictions, axis, weights, scope, dim=dim)


def sigmoid_cross_entropy(
    logits: Any, multi_class_labels: Any, weights: Any = 1.0, label_smoothing: float = 0, scope: Any = None
) -> Any:
    return _losses.sigmoid_cross_entropy(multi_class_labels, logits, weights, label_smoothing, scope)


def softmax_cross_entropy(
    logits: Any, onehot_labels: Any, weights: Any = 1.0, label_smoothing: float = 0, scope: Any = None
) -> Any:
    return _losses.softmax_cross_entropy(onehot_labels, logits, weights, label_smoothing, scope)


def sparse_softmax_cross_entropy(logits: Any, labels: Any, weights: Any = 1.0, scope: Any = None) -> Any:
    return _losses.sparse_softmax_cross_entropy(labels, logits, weights, scope)


explain_all(globals(), public_names(globals()))


def __getattr__(name: str) -> Any:
    raise missing(f"contrib.losses.{name}")
