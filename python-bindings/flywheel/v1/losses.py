# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.losses`: means over the batch, which the collection LOSSES has."""

from typing import Any

from . import nn
from .conversion import as_tensor
from .graph import GraphKeys, get_default_graph
from .ops import TABLE, add_n


def _mean(losses: Any, weights: Any) -> Any:
    loss = TABLE["reduce_mean"](losses if isinstance(weights, float) and weights == 1.0 else losses * weights)
    get_default_graph().add_to_collection(GraphKeys.LOSSES, loss)
    return loss


def mean_squared_error(labels: Any, predictions: Any, weights: float = 1.0) -> Any:
    return _mean(TABLE["squared_difference"](as_tensor(predictions), labels), float(weights))


def absolute_difference(labels: Any, predictions: Any, weights: float = 1.0) -> Any:
    return _mean(TABLE["abs"](TABLE["subtract"](as_tensor(predictions), labels)), float(weights))


def softmax_cross_entropy(onehot_labels: Any, logits: Any, weights: float = 1.0) -> Any:
    return _mean(nn.softmax_cross_entropy_with_logits(labels=onehot_labels, logits=logits), float(weights))


def sparse_softmax_cross_entropy(labels: Any, logits: Any, weights: float = 1.0) -> Any:
    return _mean(nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits), float(weights))


def sigmoid_cross_entropy(multi_class_labels: Any, logits: Any, weights: float = 1.0) -> Any:
    return _mean(nn.sigmoid_cross_entropy_with_logits(labels=multi_class_labels, logits=logits), float(weights))


def get_losses(scope: Any = None, loss_collection: str = GraphKeys.LOSSES) -> Any:
    return get_default_graph().get_collection(loss_collection, scope)


def get_regularization_losses(scope: Any = None) -> Any:
    return get_default_graph().get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_total_loss(add_regularization_losses: bool = True, name: str = "total_loss") -> Any:
    """The sum of all losses."""
    return add_n(get_losses() + (get_regularization_losses() if add_regularization_losses else []), name=name)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"there is no flywheel.v1.losses.{name}; see docs/v1.md")
