# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of `flywheel.nn` other than the ops of the nn dialect."""

import math
from typing import Callable, Literal, Optional

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._core import trace as _trace
from .._core.argument_checks import integer, number
from .._core.tensor import Tensor, TensorLike, as_tensor, format_shape, wrap
from .._errors.messages import about, wrong
from .._flywheel import Attribute
from .._ops import nn_ops as _generated
from .._ops.emission import sizes
from .._ops.shapes import _product, reshape_to
from ..random import uniform
from ..variables import Variable

__all__ = [
    "batch_norm", "dropout", "embedding", "group_norm", "log_softmax", "rotary", "sigmoid_cross_entropy", "softmax",
    "softmax_cross_entropy", "sparse_softmax_cross_entropy",
]  # fmt: skip

Reduction = Literal["none", "mean", "sum"]


def dropout(x: TensorLike, rate: float, *, training: Optional[TensorLike] = None, seed: Optional[int] = None) -> Tensor:
    """Drops elements at random while training.

    Each element is kept with probability 1 - `rate` and divided by that, the others are 0. If `training`, a scalar
    boolean, is false, the result is `x`; without it, elements are always dropped. `x` is floating-point; each call
    draws other elements.
    """
    x = as_tensor(x)
    trace = _trace.current()
    same: Tensor = x
    if not trace.draws:
        return same
    share = number("the rate of dropout", rate)
    if not 0 <= share < 1:
        raise wrong(ValueError, "a number of at least 0 and less than 1", rate, "rate")
    attributes: _trace.Attributes = {"rate": Attribute.f64(share)}
    if seed is not None:
        attributes["seed"] = Attribute.i64(integer("the seed of dropout", seed))
    if isinstance(training, (bool, np.bool_)) and not training:
        # Draws nothing, and so stands where nothing is drawn, as in a function of a vmap.
        return same
    if trace.batched_draws is not None:
        kept = uniform(x.shape, seed=seed) >= rate
        dropped = _ops.where(kept, x / (1 - rate), _ops.zeros_like(x))
        return dropped if training is None else _ops.where(_ops.cast(training, _dtypes.bool_), dropped, x)
    operands = [x.value]
    if training is not None:
        operands.append(_ops.cast(training, _dtypes.bool_).value)
    trace.refuse_draws()
    return wrap(trace.draw("train.dropout", operands, [trace.type(x.dtype, x._dims)], attributes)[0], x.dtype, x._dims)


def embedding(table: TensorLike, indices: TensorLike) -> Tensor:
    """Rows of a table: `table` is [rows, ...], `indices` integers [...]. A row that does
    not exist is an error of the step. The derivative is rows, and never a whole table
    where an optimizer can do with them."""
    return _ops.take(table, indices, 0)


def softmax(x: TensorLike, axis: int = -1) -> Tensor:
    """Exp(x - max x) / sum exp(x - max x) along one dimension of a floating-point tensor of at least rank 1.

    A row with a NaN or with +infinity, and one of -infinity only, is NaN; in others -infinity has share 0. A row
    without elements has an empty result. The derivative is y (dy - sum(dy y)).
    """
    return _along("softmax", _generated.softmax, x, axis)


def log_softmax(x: TensorLike, axis: int = -1) -> Tensor:
    """Log(softmax(x)) along one dimension of a floating-point tensor of at least rank 1.

    It is computed as (x - max x) - log(sum exp(x - max x)), which is finite where x is. The derivative is
    dy - softmax(x) sum(dy).
    """
    return _along("log_softmax", _generated.log_softmax, x, axis)


def _along(name: str, function: Callable[[TensorLike], Tensor], x: TensorLike, axis: int) -> Tensor:
    """Applies a function of the last dimension to another dimension."""
    given: Tensor = as_tensor(x)
    place = integer(f"the axis of {name}", axis)
    if not -given.ndim <= place < given.ndim:
        raise about(name, ValueError(f"axis {place} is out of bounds for a tensor of {given.ndim} dimensions"))
    if place in (-1, given.ndim - 1):
        return function(given)
    return _ops.moveaxis(function(_ops.moveaxis(given, place, -1)), -1, place)


#
# Norms
#


def batch_norm(
    x: TensorLike,
    gamma: Optional[TensorLike],
    beta: Optional[TensorLike],
    moving_mean: Variable,
    moving_variance: Variable,
    *,
    training: bool,
    momentum: float = 0.99,
    epsilon: float = 0.001,
) -> Tensor:
    """Each channel with mean 0 and variance 1: over the batch where `training`, which
    moves the averages, else by them.

    `x` is [..., channels], of rank 2 at least; gamma, beta (either may be None) and the
    averages are [channels]. A batch without elements leaves the averages as they are.
    """
    if not training:
        return _generated.batch_norm_inference(x, moving_mean, moving_variance, gamma, beta, epsilon=epsilon)
    result, mean, variance = _generated.batch_norm_training(x, gamma, beta, epsilon=epsilon)
    for average, value in ((moving_mean, mean), (moving_variance, variance)):
        average.moving_average(unless_empty(x, value, average), momentum)
    return result


def unless_empty(x: TensorLike, statistic: TensorLike, average: TensorLike) -> Tensor:
    """Returns the `statistic` of a batch `x`, [..., channels], or, if the batch has no elements, the `average` that it
    is to move: nothing has no mean. Both are [channels].
    """
    leading = as_tensor(x)._dims[:-1]
    if 0 in leading:
        return as_tensor(average)
    if None not in leading:
        return as_tensor(statistic)
    has_elements = as_tensor(math.prod(as_tensor(x).shape[:-1])) > 0
    return _ops.where(has_elements, statistic, as_tensor(average))


def group_norm(
    x: TensorLike,
    groups: int,
    gamma: Optional[TensorLike] = None,
    beta: Optional[TensorLike] = None,
    *,
    epsilon: float = 0.001,
) -> Tensor:
    """Each group of channels of each sample with mean 0 and variance 1.

    (x - mean) / sqrt(variance + epsilon) * gamma + beta, over all dimensions but the first and the channels of a group
    (Wu and He, Group Normalization, 2018). `x` is [batch, ..., channels] of rank 2 at least, gamma and beta, either of
    which may be left out, are [channels], of its dtype, or float32 where that has 16 bits. Raises ValueError where
    `groups` does not divide the channels.
    """
    x, groups = as_tensor(x), integer("groups", groups)
    channels = x._dims[-1] if x.ndim > 1 else None
    if channels is None or groups < 1 or channels % groups:
        raise about("group_norm", ValueError(f"takes [batch, ..., channels] with channels in {groups} groups, found "
                                             f"{format_shape(x._dims)}"), " ")  # fmt: skip
    old = sizes(x)
    parts = reshape_to(x, [old[0], _product(old[1:-1]), groups, channels // groups])
    result = reshape_to(_generated.layer_norm(parts, axes=[1, 3], epsilon=epsilon), old)
    # As the other norms: in float32, and rounded once more.
    wide = result if gamma is None and beta is None else _ops.cast(result, _wide(x.dtype))
    if gamma is not None:
        wide = _ops.multiply(wide, _ops.cast(gamma, wide.dtype))
    if beta is not None:
        wide = _ops.add(wide, _ops.cast(beta, wide.dtype))
    return _ops.cast(wide, x.dtype)


def _wide(dtype: _dtypes.DType) -> _dtypes.DType:
    return _dtypes.float32 if dtype.itemsize == 2 else dtype


#
# Attention
#


def _positions(given: TensorLike, x: Tensor) -> Tensor:
    """Positions of x, [..., t, d]. Raises ValueError for ones of more elements, and for ones of several dimensions that
    are not all of x's: [batch, t] would be one for each head."""
    found, wanted = as_tensor(given), x._dims[:-1]
    if found.ndim > len(wanted) or any(
        a not in (None, 1, b) and b is not None for a, b in zip(found._dims[::-1], wanted[::-1])
    ) or (found.ndim < len(wanted) and any(n != 1 for n in found._dims[:-1])):  # fmt: skip
        hint = "; positions [batch, t] of x [batch, heads, t, d] are given as [batch, 1, t]" if found.ndim > 1 else ""
        text = (f"takes positions [t], or of all of the dimensions {format_shape(wanted)} of x or 1 in their place, "
                f"found {format_shape(found._dims)}{hint}")  # fmt: skip
        raise about("rotary", ValueError(text), " ")
    return found


def rotary(
    x: TensorLike, positions: Optional[TensorLike] = None, *, base: float = 10000.0, interleaved: bool = False
) -> Tensor:
    """Rotates pairs of elements by angles that grow with the position.

    Su and others, RoFormer: Enhanced Transformer with Rotary Position Embedding, 2021: pair i of position p turns by
    p base^(-2 i / d). `x` is [..., t, d] with an even d; `positions`, 0 to t - 1 by default, are integers [t], or have
    all dimensions of [..., t], some of which may be 1: [batch, 1, t] for x [batch, heads, t, d]. Element i and i + d/2
    are a pair, or with `interleaved` 2 i and 2 i + 1. Angles are float32. Raises ValueError for an odd d and for other
    positions.
    """
    x = as_tensor(x)
    width = x._dims[-1] if x.ndim > 1 else None
    if width is None or width % 2:
        raise about("rotary", ValueError(f"takes [..., t, d] with an even d, found {format_shape(x._dims)}"), " ")
    half = width // 2
    positions = _ops.arange(_ops.dim(x, -2)) if positions is None else _positions(positions, x)
    turns = (float(base) ** (-np.arange(half, dtype=np.float64) / half)).astype(np.float32)
    angles = _ops.multiply(_ops.expand_dims(_ops.cast(positions, _dtypes.float32), -1), turns)
    wide = _ops.cast(x, _wide(x.dtype))
    cos, sin = (_ops.cast(one, wide.dtype) for one in (_ops.cos(angles), _ops.sin(angles)))
    old = sizes(x)
    if interleaved:
        pairs = reshape_to(wide, [*old[:-1], half, 2])
        a, b = pairs[..., 0], pairs[..., 1]
    else:
        a, b = wide[..., :half], wide[..., half:]
    turned = [a * cos - b * sin, b * cos + a * sin]
    whole = reshape_to(_ops.stack(turned, -1), old) if interleaved else _ops.concatenate(turned, -1)
    return _ops.cast(whole, x.dtype)


#
# Losses
#


def _has_number(dtype: _dtypes.DType, number: int) -> bool:
    limits = np.iinfo(dtype)
    return bool(limits.min <= number <= limits.max)


def _check_smoothing(label_smoothing: float) -> None:
    if not 0 <= label_smoothing < 1:
        raise ValueError(f"expected label_smoothing within [0, 1), found {label_smoothing}")


def _weights(class_weights: Optional[TensorLike], logits: Tensor) -> Optional[Tensor]:
    if class_weights is None:
        return None
    weights = as_tensor(class_weights, logits.dtype)
    if weights.ndim != 1 or None not in (weights._dims[0], logits._dims[-1]) and weights._dims[0] != logits._dims[-1]:
        raise ValueError(f"expected class_weights of shape [{logits._dims[-1]}], one for each class, found "
                         f"{format_shape(weights._dims)}")  # fmt: skip
    return _ops.cast(weights, logits.dtype)


def sparse_softmax_cross_entropy(
    logits: TensorLike,
    label: TensorLike,
    *,
    reduction: Reduction = "mean",
    label_smoothing: float = 0.0,
    ignore_index: Optional[int] = None,
    class_weights: Optional[TensorLike] = None,
) -> Tensor:
    """-log_softmax(logits)[label] of each row.

    logits is [..., classes] of at least rank 2, label is [...] of integers in [0, classes); a label outside is an error
    of the step, which then changes nothing. The result is one loss a row, [...], with `reduction` "none", else the mean
    or the sum of all of them, a scalar.

    The rest is as in PyTorch's `cross_entropy`: `label_smoothing` e gives the label 1 - e + e / classes of the target
    and each other class e / classes; `class_weights` [classes] weighs the terms of classes; rows with the label
    `ignore_index`, which may be outside, have loss 0 and no gradient. The mean is over the weights of the labels that
    are not ignored: NaN if all are. Raises ValueError for a smoothing outside of [0, 1) and for other shapes.
    """
    _check_smoothing(label_smoothing)
    if not label_smoothing and ignore_index is None and class_weights is None:
        return _generated.sparse_softmax_cross_entropy(logits, label, reduction=reduction)
    x, label = as_tensor(logits), as_tensor(label)
    weights = _weights(class_weights, x)
    counted = None
    # No label is an index that its dtype does not have.
    if ignore_index is not None and (not _dtypes.is_integer(label.dtype) or _has_number(label.dtype, ignore_index)):
        counted = _ops.not_equal(label, ignore_index)
        label = _ops.where(counted, label, _ops.zeros_like(label))
    losses = _generated.sparse_softmax_cross_entropy(x, label, reduction="none")
    own = None if weights is None else _ops.take(weights, label, 0)
    losses = losses if own is None else losses * own
    if label_smoothing:
        terms = _generated.log_softmax(x)
        terms = terms if weights is None else terms * weights
        losses = (1 - label_smoothing) * losses - label_smoothing * _ops.mean(terms, -1)
    if counted is not None:
        losses = _ops.where(counted, losses, _ops.zeros_like(losses))
        own = _ops.where(counted, _ops.ones_like(losses) if own is None else own, _ops.zeros_like(losses))
    if reduction == "none":
        return losses
    if reduction not in ("mean", "sum"):
        raise ValueError(f"expected one of 'none', 'mean', 'sum', found '{reduction}'")
    if reduction == "mean":
        return _ops.mean(losses) if own is None else _ops.sum(losses) / _ops.sum(own)
    return _ops.sum(losses)


def softmax_cross_entropy(
    logits: TensorLike,
    labels: TensorLike,
    *,
    reduction: Reduction = "mean",
    label_smoothing: float = 0.0,
    class_weights: Optional[TensorLike] = None,
) -> Tensor:
    """-sum(labels * log_softmax(logits)) of each row.

    logits and labels are [..., classes] of one type and at least rank 2: all dimensions but the last are rows. The
    result is one loss a row, [...], with `reduction` "none", else the mean or the sum of all of them, a scalar.
    Numerically stable. The derivative with respect to the logits is (softmax * sum(labels) - labels); with respect to
    the labels it is -log_softmax.

    `label_smoothing` e stands for labels (1 - e) + e / classes, and `class_weights` [classes] weighs the terms of the
    sum; the mean is over rows. Raises ValueError for a smoothing outside of [0, 1) and for other shapes.
    """
    _check_smoothing(label_smoothing)
    if label_smoothing or class_weights is not None:
        x = as_tensor(logits)
        weights, labels = _weights(class_weights, x), as_tensor(labels, x.dtype)
        if label_smoothing:
            share = label_smoothing / _ops.cast(_ops.dim(labels, -1), x.dtype)
            labels = labels * (1 - label_smoothing) + share
        labels = labels if weights is None else labels * weights
    return _generated.softmax_cross_entropy(logits, labels, reduction=reduction)


def sigmoid_cross_entropy(
    logits: TensorLike,
    labels: TensorLike,
    *,
    reduction: Reduction = "mean",
    label_smoothing: float = 0.0,
    positive_weight: Optional[TensorLike] = None,
) -> Tensor:
    """-z log sigmoid(x) - (1 - z) log(1 - sigmoid(x)), element by element.

    x = logits and z = labels have one shape. Computed as max(x, 0) - x z + log(1 + exp(-|x|)), TensorFlow's
    `sigmoid_cross_entropy_with_logits`. The derivative with respect to x is sigmoid(x) - z, with respect to z it is -x.
    The result has the shape of x with `reduction` "none", else it is the mean or the sum of all elements, a scalar.

    `label_smoothing` e stands for labels z (1 - e) + e / 2. `positive_weight`, which broadcasts to x, weighs the first
    term, as `pos_weight` of PyTorch. Raises ValueError for a smoothing outside of [0, 1).
    """
    _check_smoothing(label_smoothing)
    if label_smoothing:
        labels = as_tensor(labels, as_tensor(logits).dtype) * (1 - label_smoothing) + label_smoothing / 2
    if positive_weight is None:
        return _generated.sigmoid_cross_entropy(logits, labels, reduction=reduction)
    x = as_tensor(logits)
    z = as_tensor(labels, x.dtype)
    if len(x._dims) != len(z._dims) or any(a != b for a, b in zip(x._dims, z._dims) if None not in (a, b)):
        raise about("sigmoid_cross_entropy", ValueError("takes logits and labels of one shape, "
                                                        f"found {format_shape(x._dims)} and "
                                                        f"{format_shape(z._dims)}"), " ")  # fmt: skip
    losses = positive_weight * z * _generated.softplus(-x) + (1 - z) * _generated.softplus(x)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"expected one of 'none', 'mean', 'sum', found '{reduction}'")
    return losses if reduction == "none" else _ops.mean(losses) if reduction == "mean" else _ops.sum(losses)


