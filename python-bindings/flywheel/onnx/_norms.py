# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of ONNX that normalize and drop, and its losses."""

from typing import Any, List, Optional, Tuple

from .. import _ops, random
from .. import nn as nn
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, as_tensor
from .._frontends.layouts import Laid
from .._nn.functions import unless_empty
from .._ops.emission import Size, sizes
from .._ops.precision import rounds_once
from .._ops.shapes import _product, reshape_to
from ._graph import Call, op
from ._known import Known


def _channels_last(x: Laid) -> Laid:
    """`x` with its dimension 1 as the last one of its data."""
    if x.order[-1] == 1:
        return x
    order = (0, *range(2, x.ndim), 1)
    return Laid(x.arranged(order), order)


# The largest size of an LRN, which takes an op for each neighbour.
_MOST_NEIGHBOURS = 256


def _statistics_dtype(x: Laid) -> _dtypes.DType:
    return _dtypes.float32 if x.dtype.itemsize == 2 else x.dtype


@op("BatchNormalization")
def _batch_norm(call: Call, x: Laid, scale: Laid, bias: Laid, mean: Laid, variance: Laid) -> List[Any]:
    own, epsilon, momentum = _statistics_dtype(x), call.attribute("epsilon"), call.attribute("momentum")
    gamma, beta = (_ops.cast(one.plain(), own) for one in (scale, bias))
    # Before version 14 it is said by results.
    is_file_training = call.flag("training_mode") or call.opset < 14 and call.wants(1)
    x = _channels_last(x)
    if not call.uses_batch(is_file_training):
        statistics = [_ops.cast(one.plain(), own) for one in (mean, variance)]
        result = nn.batch_norm_inference(x.data, statistics[0], statistics[1], gamma, beta, epsilon=epsilon)
        return [x.like(result), mean, variance]
    result, batch_mean, batch_variance = nn.batch_norm_training(x.data, gamma, beta, epsilon=epsilon)
    moved = []
    for place, old, new in ((3, mean, batch_mean), (4, variance, batch_variance)):
        before = old.plain()
        value = _ops.add(_ops.multiply(before, momentum), _ops.multiply(_ops.cast(new, before.dtype), 1.0 - momentum))
        value = unless_empty(x.data, value, before)
        variable = call.variable(place)
        if variable is not None and call.trains:
            variable.assign(value)
        moved.append(Laid(value))
    return [x.like(result), *moved]


def _scaled(x: Tensor, scale: Optional[Laid], bias: Optional[Laid], shape: Optional[List[Size]] = None) -> Tensor:
    """`x` times and plus these, with another shape if they are to have one."""
    for one, function in ((scale, _ops.multiply), (bias, _ops.add)):
        if one is not None:
            data = _ops.cast(one.plain(), x.dtype)
            x = function(x, data if shape is None else reshape_to(data, shape))
    return x


@op("LayerNormalization")
def _layer_norm(call: Call, x: Laid, scale: Laid, bias: Optional[Laid] = None) -> Any:
    axes, epsilon = list(range(call.axis(x), x.ndim)), call.attribute("epsilon")
    data, own = x.plain(), _statistics_dtype(x)
    given = [one for one in (scale, bias) if one is not None]
    if all(one.shape == data._dims[axes[0] :] and None not in one.shape for one in given):
        gamma, beta = (None if one is None else _ops.cast(one.plain(), own) for one in (scale, bias))
        result = Laid(nn.layer_norm(data, gamma, beta, axes=axes, epsilon=epsilon))
    else:
        result = Laid(_scaled(nn.layer_norm(data, axes=axes, epsilon=epsilon), scale, bias))
    if not call.wants(1) and not call.wants(2):
        return result
    wide = _ops.cast(data, own)
    mean, variance = _ops.mean(wide, tuple(axes), keepdims=True), _ops.var(wide, tuple(axes), keepdims=True)
    deviation = _ops.reciprocal(_ops.sqrt(_ops.add(variance, epsilon)))
    return [result, Laid(mean), Laid(deviation)]


@op("RMSNormalization")
def _rms_norm(call: Call, x: Laid, scale: Laid) -> Laid:
    axes = list(range(call.axis(x), x.ndim))
    return Laid(_scaled(nn.rms_norm(x.plain(), axes=axes, epsilon=call.attribute("epsilon")), scale, None))


def _in_groups(call: Call, x: Laid, groups: Size) -> Tensor:
    """Normalizes each sample's groups of channels to mean 0 and variance 1."""
    data = x.plain()
    old, channels = sizes(data), x.shape[1]
    if channels is None or not isinstance(groups, int):
        raise call.unsupported("of channels that the call chooses")
    if groups <= 0 or channels % groups:
        raise ValueError(f"{channels} channels are not {groups} groups of one size")
    flat = reshape_to(data, [old[0], groups, _product([channels // groups, *old[2:]])])
    return reshape_to(nn.layer_norm(flat, axes=[2], epsilon=call.attribute("epsilon")), old)


@op("InstanceNormalization")
def _instance_norm(call: Call, x: Laid, scale: Laid, bias: Laid) -> Laid:
    channels: List[Size] = [x.shape[1] or 0, *[1] * (x.ndim - 2)]
    return Laid(_scaled(_in_groups(call, x, x.shape[1] or 0), scale, bias, channels))


@op("GroupNormalization", without="stash_type")
def _group_norm(call: Call, x: Laid, scale: Laid, bias: Laid) -> Laid:
    channels: List[Size] = [x.shape[1] or 0, *[1] * (x.ndim - 2)]
    groups = call.attribute("num_groups")
    normal = _in_groups(call, x, groups)
    if call.opset < 21:
        # One number for each group.
        count = (x.shape[1] or 0) // groups
        scale, bias = (Laid(_ops.repeat(one.plain(), count, 0)) for one in (scale, bias))
    return Laid(_scaled(normal, scale, bias, channels))


@op("MeanVarianceNormalization")
def _mean_variance(call: Call, x: Laid) -> Laid:
    places = tuple(x.places(call.attribute("axes")))

    @rounds_once()
    def standardized(data: Tensor) -> Tensor:
        deviation = _ops.std(data, places, keepdims=True)
        centered = _ops.subtract(data, _ops.mean(data, places, keepdims=True))
        return _ops.divide(centered, _ops.add(deviation, 1e-9))

    return x.like(standardized(x.data))


@op("LpNormalization")
def _lp_norm(call: Call, x: Laid) -> Laid:
    place, power = x.place(call.attribute("axis")), call.attribute("p")
    if power not in (1, 2):
        raise call.unsupported(f"with p = {power}")

    @rounds_once()
    def normalized(data: Tensor) -> Tensor:
        size = _ops.sum(_ops.abs(data), place, keepdims=True) if power == 1 else _ops.norm(data, place, keepdims=True)
        # 0 stays 0.
        zero = _ops.equal(size, 0)
        return _ops.where(zero, as_tensor(0, data.dtype), _ops.divide(data, _ops.where(zero, 1.0, size)))

    return x.like(normalized(x.data))


@op("LRN")
def _local_response_norm(call: Call, x: Laid) -> Laid:
    """Each element by the squares of its neighbours in other channels."""
    x, count = _channels_last(x), int(call.attribute("size"))
    own = x.dtype
    data = _ops.cast(x.data, _statistics_dtype(x))
    squares = _ops.pad(_ops.square(data), [*[(0, 0)] * (x.ndim - 1), ((count - 1) // 2, count // 2)])
    total = data._dims[-1]
    if total is None:
        raise call.unsupported("of channels whose number the call chooses")
    if not 0 < count <= _MOST_NEIGHBOURS:
        raise call.unsupported(f"with a size of {count}")
    parts = [_ops.getitem(squares, (..., slice(place, place + total))) for place in range(count)]
    around = parts[0]
    for part in parts[1:]:
        around = _ops.add(around, part)
    scale = float(call.attribute("alpha")) / count
    below = _ops.power(_ops.add(_ops.multiply(around, scale), float(call.attribute("bias"))),
                       float(call.attribute("beta")))  # fmt: skip
    return x.like(_ops.cast(_ops.divide(data, below), own))


@op("RandomNormal", "RandomUniform", without="seed")
def _random(call: Call) -> Laid:
    return _drawn(call, call.attribute("shape"), _dtypes.float32)


@op("RandomNormalLike", "RandomUniformLike", without="seed")
def _random_like(call: Call, x: Laid) -> Laid:
    return _drawn(call, [_ops.dim(x.plain(), axis) for axis in range(x.ndim)], x.dtype)


def _drawn(call: Call, shape: Any, dtype: Any) -> Laid:
    """Other numbers at each call, and others than those of another runtime."""
    kind = call.dtype_attribute("dtype") if call.has("dtype") else dtype
    if "Normal" in call.op:
        return Laid(random.normal(shape, call.attribute("mean"), call.attribute("scale"), dtype=kind))
    return Laid(random.uniform(shape, call.attribute("low"), call.attribute("high"), dtype=kind))


@op("Dropout", known=(1, 2))
def _dropout(call: Call, x: Laid, ratio: Optional[Known] = None, mode: Optional[Known] = None) -> Any:
    rate, seed = 0.5 if ratio is None else float(ratio.array), call.attribute("seed")
    is_file_training = mode is not None and bool(mode.array)
    if rate == 0 or not call.uses_batch(is_file_training):
        return [x, Laid(_ops.ones_like(x.plain(), bool))] if call.wants(1) else x
    if call.wants(1):
        raise call.unsupported("with a mask as its second result")
    if not 0 <= rate < 1:
        raise ValueError(f"expected a ratio from 0 to 1, found {rate}")
    return x.like(nn.dropout(x.data, rate, seed=seed))


@op("Softmax", "LogSoftmax")
def _softmax(call: Call, x: Laid) -> Laid:
    function = nn.log_softmax if call.op == "LogSoftmax" else nn.softmax
    axis = call.axis(x)
    if call.opset < 13 and axis != x.ndim - 1:
        # Before version 13, all dimensions from this one on are one.
        data = x.plain()
        old = sizes(data)
        flat = reshape_to(data, [_product(old[:axis]), _product(old[axis:])])
        return Laid(reshape_to(function(flat), old))
    if x.order[-1] == axis:
        return x.like(function(x.data))
    order = (*[other for other in range(x.ndim) if other != axis], axis)
    return Laid(function(x.arranged(order)), order)


#
# Losses
#


def _classes_last(x: Laid) -> Tensor:
    return x.arranged((0, *range(2, x.ndim), 1))


def _likelihood(call: Call, logs: Tensor, labels: Laid, weights: Optional[Laid]) -> Laid:
    """Minus the elements of `logs`, [..., classes], at labels, [...], reduced."""
    kind, ignored = call.word("reduction", "none", "mean", "sum"), call.attribute("ignore_index")
    label = labels.plain()
    counts = None if ignored is None else _ops.not_equal(label, ignored)
    if counts is not None:
        label = _ops.where(counts, label, as_tensor(0, label.dtype))
    picked = _ops.take_along_axis(logs, _ops.expand_dims(label, label.ndim), logs.ndim - 1)
    loss = _ops.negative(_ops.squeeze(picked, picked.ndim - 1))
    weight: Optional[Tensor] = None
    if weights is not None:
        weight = _ops.take(weights.plain(), label, 0)
    if counts is not None:
        present = _ops.cast(counts, loss.dtype)
        weight = present if weight is None else _ops.multiply(weight, present)
    if weight is not None:
        # Ignored elements count nothing, whatever they are.
        loss = _ops.multiply(loss, weight)
        if counts is not None:
            loss = _ops.where(counts, loss, as_tensor(0, loss.dtype))
    if kind == "none":
        return Laid(loss)
    if kind == "sum":
        return Laid(_ops.sum(loss))
    return Laid(_ops.mean(loss) if weight is None else _ops.divide(_ops.sum(loss), _ops.sum(weight)))


@op("SoftmaxCrossEntropyLoss")
def _softmax_cross_entropy(call: Call, scores: Laid, labels: Laid, weights: Optional[Laid] = None) -> Any:
    logits = _classes_last(scores)
    plain = weights is None and not call.has("ignore_index") and not call.wants(1)
    if plain:
        kind: Any = call.word("reduction", "none", "mean", "sum")
        return Laid(nn.sparse_softmax_cross_entropy(logits, labels.plain(), reduction=kind))
    logs = nn.log_softmax(logits)
    order: Tuple[int, ...] = (0, *range(2, scores.ndim), 1)
    return [_likelihood(call, logs, labels, weights), Laid(logs, order)]


@op("NegativeLogLikelihoodLoss")
def _negative_log_likelihood(call: Call, logs: Laid, labels: Laid, weights: Optional[Laid] = None) -> Laid:
    return _likelihood(call, _classes_last(logs), labels, weights)
