# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of ONNX that normalize and drop, and its losses."""

from typing import Any, List, Optional, Tuple

from .. import _dtypes, _ops, random
from .. import nn as nn
from .._layouts import Laid
from .._ops._core import Size, sizes
from .._ops._precision import rounds_once
from .._ops._shapes import _product, reshape_to
from .._tensor import Tensor, as_tensor
from ._graph import Call, op
from ._known import Known


def _channels_last(x: Laid) -> Laid:
    """`x` with its dimension 1 as the last one of its data."""
    if x.order[-1] == 1:
        return x
    order = (0, *range(2, x.ndim), 1)
    return Laid(x.arranged(order), order)


def _statistics_dtype(x: Laid) -> _dtypes.DType:
    return _dtypes.float32 if x.dtype.itemsize == 2 else x.dtype


@op("BatchNormalization", attributes="epsilon momentum training_mode")
def _batch_norm(call: Call, x: Laid, scale: Laid, bias: Laid, mean: Laid, variance: Laid) -> List[Any]:
    own, epsilon = _statistics_dtype(x), call.attribute("epsilon", 1e-5)
    gamma, beta = (_ops.cast(one.plain(), own) for one in (scale, bias))
    # Before version 14 it is said by results.
    is_file_training = bool(call.attribute("training_mode", 0)) or call.opset < 14 and call.wants(1)
    trains = call.trains and (is_file_training or not call.interpreter.keeps_modes)
    x = _channels_last(x)
    if not trains:
        statistics = [_ops.cast(one.plain(), own) for one in (mean, variance)]
        result = nn.batch_norm_inference(x.data, statistics[0], statistics[1], gamma, beta, epsilon=epsilon)
        return [x.like(result), mean, variance]
    result, batch_mean, batch_variance = nn.batch_norm_training(x.data, gamma, beta, epsilon=epsilon)
    momentum = call.attribute("momentum", 0.9)
    moved = []
    for place, old, new in ((3, mean, batch_mean), (4, variance, batch_variance)):
        before = old.plain()
        value = _ops.add(_ops.multiply(before, momentum), _ops.multiply(_ops.cast(new, before.dtype), 1.0 - momentum))
        variable = call.variable(place)
        if variable is not None:
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


@op("LayerNormalization", attributes="axis epsilon stash_type")
def _layer_norm(call: Call, x: Laid, scale: Laid, bias: Optional[Laid] = None) -> Any:
    axes, epsilon = list(range(call.axis(x, -1), x.ndim)), call.attribute("epsilon", 1e-5)
    data, own = x.plain(), _statistics_dtype(x)
    given = [one for one in (scale, bias) if one is not None]
    if all(one.shape == data.shape[axes[0] :] and None not in one.shape for one in given):
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


@op("RMSNormalization", attributes="axis epsilon stash_type")
def _rms_norm(call: Call, x: Laid, scale: Laid) -> Laid:
    axes = list(range(call.axis(x, -1), x.ndim))
    return Laid(_scaled(nn.rms_norm(x.plain(), axes=axes, epsilon=call.attribute("epsilon", 1e-5)), scale, None))


def _in_groups(call: Call, x: Laid, groups: Size) -> Tensor:
    """Each sample's groups of channels with mean 0 and variance 1."""
    data = x.plain()
    old, channels = sizes(data), x.shape[1]
    if channels is None or not isinstance(groups, int):
        raise call.unsupported("of channels that the call chooses")
    if groups <= 0 or channels % groups:
        raise ValueError(f"{channels} channels are not {groups} groups of one size")
    flat = reshape_to(data, [old[0], groups, _product([channels // groups, *old[2:]])])
    return reshape_to(nn.layer_norm(flat, axes=[2], epsilon=call.attribute("epsilon", 1e-5)), old)


@op("InstanceNormalization", attributes="epsilon")
def _instance_norm(call: Call, x: Laid, scale: Laid, bias: Laid) -> Laid:
    channels: List[Size] = [x.shape[1] or 0, *[1] * (x.ndim - 2)]
    return Laid(_scaled(_in_groups(call, x, x.shape[1] or 0), scale, bias, channels))


@op("GroupNormalization", attributes="epsilon num_groups stash_type")
def _group_norm(call: Call, x: Laid, scale: Laid, bias: Laid) -> Laid:
    channels: List[Size] = [x.shape[1] or 0, *[1] * (x.ndim - 2)]
    return Laid(_scaled(_in_groups(call, x, call.attribute("num_groups")), scale, bias, channels))


@op("MeanVarianceNormalization", attributes="axes")
def _mean_variance(call: Call, x: Laid) -> Laid:
    places = tuple(x.places(call.attribute("axes", [0, 2, 3])))

    @rounds_once()
    def standardized(data: Tensor) -> Tensor:
        deviation = _ops.std(data, places, keepdims=True)
        centered = _ops.subtract(data, _ops.mean(data, places, keepdims=True))
        return _ops.divide(centered, _ops.add(deviation, 1e-9))

    return x.like(standardized(x.data))


@op("LpNormalization", attributes="axis p")
def _lp_norm(call: Call, x: Laid) -> Laid:
    place = x.place(call.attribute("axis", -1))
    is_sum = call.attribute("p", 2) == 1

    @rounds_once()
    def normalized(data: Tensor) -> Tensor:
        size = _ops.sum(_ops.abs(data), place, keepdims=True) if is_sum else _ops.norm(data, place, keepdims=True)
        # 0 stays 0.
        zero = _ops.equal(size, 0)
        return _ops.where(zero, as_tensor(0, data.dtype), _ops.divide(data, _ops.where(zero, 1.0, size)))

    return x.like(normalized(x.data))


@op("LRN", attributes="alpha beta bias size")
def _local_response_norm(call: Call, x: Laid) -> Laid:
    """Each element by the squares of its neighbours in other channels."""
    x, count = _channels_last(x), int(call.attribute("size"))
    own = x.dtype
    data = _ops.cast(x.data, _statistics_dtype(x))
    squares = _ops.pad(_ops.square(data), [*[(0, 0)] * (x.ndim - 1), ((count - 1) // 2, count // 2)])
    total = data.shape[-1]
    if total is None:
        raise call.unsupported("of channels whose number the call chooses")
    parts = [_ops.getitem(squares, (..., slice(place, place + total))) for place in range(count)]
    around = parts[0]
    for part in parts[1:]:
        around = _ops.add(around, part)
    scale = float(call.attribute("alpha", 1e-4)) / count
    below = _ops.power(_ops.add(_ops.multiply(around, scale), float(call.attribute("bias", 1.0))),
                       float(call.attribute("beta", 0.75)))  # fmt: skip
    return x.like(_ops.cast(_ops.divide(data, below), own))


@op("RandomNormal", "RandomUniform", attributes="dtype high low mean scale seed shape")
def _random(call: Call) -> Laid:
    return _drawn(call, call.attribute("shape"), _dtypes.float32)


@op("RandomNormalLike", "RandomUniformLike", attributes="dtype high low mean scale seed")
def _random_like(call: Call, x: Laid) -> Laid:
    return _drawn(call, [_ops.dim(x.plain(), axis) for axis in range(x.ndim)], x.dtype)


def _drawn(call: Call, shape: Any, dtype: Any) -> Laid:
    """Other numbers at each call, and others than those of another runtime."""
    kind = call.dtype_attribute("dtype") if call.has("dtype") else dtype
    if "Normal" in call.op:
        return Laid(random.normal(shape, call.attribute("mean", 0.0), call.attribute("scale", 1.0), dtype=kind))
    return Laid(random.uniform(shape, call.attribute("low", 0.0), call.attribute("high", 1.0), dtype=kind))


@op("Dropout", attributes="seed", known=(1, 2))
def _dropout(call: Call, x: Laid, ratio: Optional[Known] = None, mode: Optional[Known] = None) -> Any:
    rate = 0.5 if ratio is None else float(ratio.array)
    is_file_training = mode is not None and bool(mode.array)
    drops = call.trains and rate > 0 and (is_file_training or not call.interpreter.keeps_modes)
    if not drops:
        return [x, Laid(_ops.ones_like(x.plain(), bool))] if call.wants(1) else x
    if call.wants(1):
        raise call.unsupported("with a mask as its second result")
    if not 0 <= rate < 1:
        raise ValueError(f"expected a ratio from 0 to 1, found {rate}")
    return x.like(nn.dropout(x.data, rate, seed=call.attribute("seed", None)))


@op("Softmax", "LogSoftmax", attributes="axis")
def _softmax(call: Call, x: Laid) -> Laid:
    function = nn.log_softmax if call.op == "LogSoftmax" else nn.softmax
    axis = call.axis(x, 1 if call.opset < 13 else -1)
    if call.opset < 13 and axis != x.ndim - 1:
        # Of all dimensions from this one on together.
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
    kind, ignored = call.attribute("reduction", "mean"), call.attribute("ignore_index", None)
    if kind not in ("none", "mean", "sum"):
        raise call.unsupported(f"with reduction '{kind}'")
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
        # What is ignored counts nothing, whatever it is.
        loss = _ops.multiply(loss, weight)
        if counts is not None:
            loss = _ops.where(counts, loss, as_tensor(0, loss.dtype))
    if kind == "none":
        return Laid(loss)
    if kind == "sum":
        return Laid(_ops.sum(loss))
    return Laid(_ops.mean(loss) if weight is None else _ops.divide(_ops.sum(loss), _ops.sum(weight)))


@op("SoftmaxCrossEntropyLoss", attributes="ignore_index reduction")
def _softmax_cross_entropy(call: Call, scores: Laid, labels: Laid, weights: Optional[Laid] = None) -> Any:
    logits = _classes_last(scores)
    plain = weights is None and not call.has("ignore_index") and not call.wants(1)
    if plain and call.attribute("reduction", "mean") in ("none", "mean", "sum"):
        kind = call.attribute("reduction", "mean")
        return Laid(nn.sparse_softmax_cross_entropy(logits, labels.plain(), reduction=kind))
    logs = nn.log_softmax(logits)
    order: Tuple[int, ...] = (0, *range(2, scores.ndim), 1)
    return [_likelihood(call, logs, labels, weights), Laid(logs, order)]


@op("NegativeLogLikelihoodLoss", attributes="ignore_index reduction")
def _negative_log_likelihood(call: Call, logs: Laid, labels: Laid, weights: Optional[Laid] = None) -> Laid:
    return _likelihood(call, _classes_last(logs), labels, weights)
