# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses of aten."""

from typing import Any, Optional, Tuple

import numpy as np

from .. import _ops
from .. import nn as nn
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, as_tensor
from .._frontends.layouts import Laid, align, size_tensor
from .._ops.emission import size
from ..transforms import custom_vjp
from ._graph import Call, op
from ._layers import linear
from ._shapes import optional


def _reduction(value: Tensor, kind: int) -> Tensor:
    return value if kind == 0 else _ops.mean(value) if kind == 1 else _ops.sum(value)


@op("cross_entropy_loss.default")
def _cross_entropy(
    call: Call, x: Laid, target: Laid, weight: Optional[Laid] = None, reduction: int = 1, ignored: int = -100,
    smoothing: float = 0.0,
) -> Laid:  # fmt: skip
    """`x` is [batch, classes, ...], or [classes]; `target` has indices of classes, or shares of each class."""
    axis = 0 if x.ndim == 1 else 1
    order = (*[other for other in range(x.ndim) if other != axis], axis)
    scores, weights = x.arranged(order), optional(weight)
    if not _dtypes.is_integer(target.dtype):
        wanted = _ops.cast(target.arranged(order), call.dtype)
        return Laid(_of_shares(scores, wanted, weights, reduction, smoothing))
    labels = target.plain()
    counts = _ops.not_equal(labels, as_tensor(ignored, labels.dtype))
    kept = _ops.where(counts, labels, as_tensor(0, labels.dtype))
    shares = _ops.cast(counts, call.dtype)
    if scores.ndim == 1:
        losses = nn.sparse_softmax_cross_entropy(_ops.expand_dims(scores, 0), _ops.expand_dims(kept, 0),
                                                 reduction="none")  # fmt: skip
        losses = _ops.squeeze(losses, 0)
    else:
        losses = nn.sparse_softmax_cross_entropy(scores, kept, reduction="none")
    if weights is not None:
        shares = _ops.multiply(shares, _ops.take(weights, kept, 0))
    total = _ops.multiply(losses, shares)
    if smoothing:
        # Equal shares of all classes, each with its weight.
        logs = nn.log_softmax(scores)
        flat = _ops.negative(_ops.sum(logs if weights is None else _ops.multiply(logs, weights), -1))
        flat = _ops.multiply(flat, _ops.cast(counts, call.dtype))
        number = size_tensor(size(scores, scores.ndim - 1), call.dtype)
        total = _ops.add(_ops.multiply(total, 1.0 - smoothing), _ops.multiply(flat, _ops.divide(smoothing, number)))
    if reduction == 1 and weights is None:
        # The mean of nothing is NaN, and moves no weight, as in PyTorch.
        number = _ops.sum(shares)
        mean = _ops.divide(_ops.sum(total), _ops.maximum(number, 1.0))
        return Laid(_ops.where(_ops.greater(number, 0.0), mean, as_tensor(np.nan, mean.dtype)))
    if reduction == 1:
        return Laid(_ops.divide(_ops.sum(total), _ops.sum(shares)))
    return Laid(_reduction(total, reduction))


_REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


# The others say in which parts, and in which precision, PyTorch computes.
@op("torch_nn::_linear_cross_entropy_batch_chunked.default",
    "torch_nn::_linear_cross_entropy_batch_chunked_no_reduction.default",
    without="batch_chunk_size acc_policy acc_dtype allow_retain_graph compute_input_grad compute_linear_weight_grad "
    "compute_linear_bias_grad")  # fmt: skip
def _linear_cross_entropy(
    call: Call, x: Laid, w: Laid, target: Laid, b: Optional[Laid] = None, *, weight: Optional[Laid] = None,
    reduction: str = "none", ignore_index: int = -100, label_smoothing: float = 0.0,
) -> Any:  # fmt: skip
    """The cross entropy of the result of a linear layer. The gradients that PyTorch keeps for its backward pass are no
    results here."""
    scores = Laid(linear(x.plain(), w.plain(), optional(b)))
    kind = _REDUCTIONS[reduction or "none"]
    loss = _cross_entropy(call, scores, target, weight, kind, ignore_index, label_smoothing or 0.0)
    return [loss, None, None, None] if isinstance(call.result, (list, tuple)) else loss


def _of_shares(scores: Tensor, wanted: Tensor, weights: Optional[Tensor], reduction: int, smoothing: float) -> Tensor:
    if smoothing:
        number = size_tensor(size(scores, scores.ndim - 1), scores.dtype)
        wanted = _ops.add(_ops.multiply(wanted, 1.0 - smoothing), _ops.divide(smoothing, number))
    if weights is not None:
        wanted = _ops.multiply(wanted, weights)
    return _reduction(_ops.negative(_ops.sum(_ops.multiply(nn.log_softmax(scores), wanted), -1)), reduction)


@op("mse_loss.default", "l1_loss.default")
def _mse_loss(call: Call, x: Laid, target: Laid, reduction: int = 1) -> Laid:
    tensors, lead = align([call.dtype] * 2, x, target)
    difference = _ops.subtract(*tensors)
    value = _ops.abs(difference) if "l1_loss" in str(call.node.target) else _ops.square(difference)
    return lead.like(value) if reduction == 0 else Laid(_reduction(value, reduction))


@op("huber_loss.default", "smooth_l1_loss.default")
def _huber(call: Call, x: Laid, target: Laid, reduction: int = 1, bound: float = 1.0) -> Laid:
    """Quadratic up to the bound. PyTorch's own decomposition squares an absolute value, which has another second
    derivative at 0."""
    tensors, lead = align([call.dtype] * 2, x, target)
    error = _ops.subtract(*tensors)
    size, square = _ops.abs(error), _ops.multiply(_ops.square(error), 0.5)
    if "huber" in str(call.node.target):
        value = _ops.where(_ops.less(size, bound), square, _ops.multiply(_ops.subtract(size, bound / 2), bound))
    elif bound == 0:
        value = size
    else:
        value = _ops.where(_ops.less(size, bound), _ops.divide(square, bound), _ops.subtract(size, bound / 2))
    return lead.like(value) if reduction == 0 else Laid(_reduction(value, reduction))


@custom_vjp
def _cross_entropies(x: Tensor, target: Tensor) -> Tensor:
    """Computes the cross entropies of probabilities, with logarithms of at least -100."""
    logs = [_ops.maximum(log, -100.0) for log in (_ops.log(x), _ops.log1p(_ops.negative(x)))]
    return _ops.negative(_ops.add(_ops.multiply(target, logs[0]), _ops.multiply(_ops.subtract(1.0, target), logs[1])))


@_cross_entropies.defvjp
def _cross_entropies_vjp(x: Tensor, target: Tensor, weights: Tensor) -> Tuple[Tensor, Tensor]:
    """Finite where x is 0 or 1: a sigmoid that has come so far passes 0 on, and not 0 times infinity."""
    slope = _ops.divide(_ops.subtract(x, target), _ops.maximum(_ops.multiply(_ops.subtract(1.0, x), x), 1e-12))
    logs = [_ops.maximum(log, -100.0) for log in (_ops.log(x), _ops.log1p(_ops.negative(x)))]
    return _ops.multiply(weights, slope), _ops.multiply(weights, _ops.subtract(logs[1], logs[0]))


@op("binary_cross_entropy.default")
def _binary_cross_entropy(
    call: Call, x: Laid, target: Laid, weight: Optional[Laid] = None, reduction: int = 1
) -> Laid:
    tensors, lead = align([_dtypes.float64 if call.dtype.itemsize == 8 else _dtypes.float32] * 2, x, target)
    value = _ops.cast(_cross_entropies(*tensors), call.dtype)
    if weight is not None:
        factors, lead = align([call.dtype] * 2, lead.like(value), weight)
        value = _ops.multiply(*factors)
    return lead.like(value) if reduction == 0 else Laid(_reduction(value, reduction))


@op("binary_cross_entropy_with_logits.default")
def _bce(
    call: Call, x: Laid, target: Laid, weight: Optional[Laid] = None, pos_weight: Optional[Laid] = None,
    reduction: int = 1,
) -> Laid:  # fmt: skip
    data, wanted = x.plain(), target.plain()
    if pos_weight is None:
        value = _ops.subtract(nn.softplus(data), _ops.multiply(data, wanted))
    else:
        factor = _ops.add(1.0, _ops.multiply(_ops.subtract(pos_weight.plain(), 1.0), wanted))
        value = _ops.add(_ops.multiply(_ops.subtract(1.0, wanted), data),
                         _ops.multiply(factor, nn.softplus(_ops.negative(data))))  # fmt: skip
    if weight is not None:
        value = _ops.multiply(value, weight.plain())
    return Laid(_reduction(value, reduction))
