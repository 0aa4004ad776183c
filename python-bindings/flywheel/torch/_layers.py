# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of aten that layers are made of: products, convolutions, norms, pools, losses."""

from typing import Any, List, Optional, Sequence, Tuple

from .. import _dtypes, _ops
from .. import nn as nn
from .._layouts import CHANNELS_LAST, Laid, align, size_tensor
from .._ops._core import Size, size, sizes
from .._ops._shapes import reshape_to
from .._tensor import Tensor
from ._graph import Call, op
from ._shapes import _product, optional

#
# Products
#


def _linear(x: Tensor, w: Tensor, b: Optional[Tensor]) -> Tensor:
    """`x` is [..., k], `w` [n, k]."""
    flat = x if x.ndim == 2 else reshape_to(x, [_product(sizes(x)[:-1]), size(x, x.ndim - 1)])
    result = nn.matmul(flat, w, transpose_b=True)
    if b is not None:
        result = _ops.add(result, b)
    return result if x.ndim == 2 else reshape_to(result, [*sizes(x)[:-1], size(w, 0)])


@op("linear.default")
def _linear_op(call: Call, x: Laid, w: Laid, b: Optional[Laid] = None) -> Laid:
    return Laid(_linear(x.plain(), w.plain(), optional(b)))


def _matmul(a: Laid, b: Laid) -> Tensor:
    """A matrix that is seen transposed is multiplied as it lies."""
    if a.ndim == b.ndim == 2:
        return nn.matmul(a.data, b.data, transpose_a=not a.is_plain, transpose_b=not b.is_plain)
    return _ops.matmul(a.plain(), b.plain())


@op("mm.default", "bmm.default", "matmul.default", "mv.default", "dot.default")
def _matmul_op(call: Call, a: Laid, b: Laid) -> Laid:
    if a.ndim > 2 and b.ndim == 2:
        lead = sizes(a.plain())[:-1]
        flat = Laid(reshape_to(a.plain(), [_product(lead), size(a.plain(), a.ndim - 1)]))
        product = _matmul(flat, b)
        return Laid(reshape_to(product, [*lead, size(product, 1)]))
    return Laid(_matmul(a, b))


@op("_trilinear.default")
def _trilinear(
    call: Call, a: Laid, b: Laid, c: Laid, expand_a: Sequence[int], expand_b: Sequence[int], expand_c: Sequence[int],
    axes: Sequence[int], _: int = 1,
) -> Laid:  # fmt: skip
    """The product of three tensors, each with new dimensions of 1, summed over some."""
    parts = []
    for x, added in ((a, expand_a), (b, expand_b), (c, expand_c)):
        data = x.plain()
        for axis in sorted(added):
            data = _ops.expand_dims(data, axis)
        parts.append(data)
    return Laid(_ops.sum(_ops.multiply(_ops.multiply(parts[0], parts[1]), parts[2]), tuple(axes)))


@op("addmm.default", "baddbmm.default")
def _addmm(call: Call, c: Laid, a: Laid, b: Laid, beta: float = 1, alpha: float = 1) -> Laid:
    product = _matmul(a, b)
    if alpha != 1:
        product = _ops.multiply(product, alpha)
    added = c.plain() if beta == 1 else _ops.multiply(c.plain(), beta)
    return Laid(_ops.add(product, added))


@op("scaled_dot_product_attention.default")
def _attention(
    call: Call, q: Laid, k: Laid, v: Laid, mask: Optional[Laid] = None, dropout: float = 0.0, causal: bool = False,
    scale: Optional[float] = None, enable_gqa: bool = False,
) -> Laid:  # fmt: skip
    if dropout or enable_gqa:
        raise call.unsupported("with dropout" if dropout else "with enable_gqa")
    added = None
    if mask is not None:
        rows = q.plain()
        shape = [*sizes(rows)[:-1], size(k.plain(), k.ndim - 2)]
        added = _ops._core.stretch(mask.plain(), shape) if mask.shape != rows.shape else mask.plain()
    return Laid(nn.attention(q.plain(), k.plain(), v.plain(), added, causal=causal, scale=scale))


#
# Images
#


def _pair(given: Any) -> Tuple[int, int]:
    if isinstance(given, int):
        return given, given
    return (given[0], given[0]) if len(given) == 1 else (given[0], given[1])


def _image(call: Call, x: Laid) -> Tensor:
    if x.ndim != 4:
        raise call.unsupported("of a tensor that is not [batch, channels, height, width]")
    return x.arranged(CHANNELS_LAST)


def _padding(given: Any) -> List[Tuple[int, int]]:
    return [(amount, amount) for amount in _pair(given)]


@op("conv2d.default", "conv2d.padding")
def _conv2d(
    call: Call, x: Laid, w: Laid, b: Optional[Laid] = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Laid:  # fmt: skip
    image = _image(call, x)
    # [outputs, channels, height, width], as the compiler has filters.
    filters = w.arranged((2, 3, 1, 0))
    if isinstance(padding, str):
        spans = [(w.shape[2 + i] or 1) * d - d for i, d in enumerate(_pair(dilation))]
        pads = [(span // 2, span - span // 2) if padding == "same" else (0, 0) for span in spans]
    else:
        pads = _padding(padding)
    result = nn.conv2d(image, filters, strides=_pair(stride), padding=pads, dilations=_pair(dilation))
    return Laid(result if b is None else _ops.add(result, b.plain()), CHANNELS_LAST)


@op("conv_transpose2d.input")
def _conv_transpose2d(
    call: Call, x: Laid, w: Laid, b: Optional[Laid] = None, stride: Any = 1, padding: Any = 0,
    output_padding: Any = 0, groups: int = 1, dilation: Any = 1,
) -> Laid:  # fmt: skip
    image, filters, strides, apart = _image(call, x), w.arranged((2, 3, 1, 0)), _pair(stride), _pair(dilation)
    # More at the end is less padding there, or else a result of that size.
    pads = [(around, around - more) for around, more in zip(_pair(padding), _pair(output_padding))]
    like = None
    if any(high < 0 for _, high in pads):
        batch, height, width, _ = image.shape
        if batch is None or height is None or width is None:
            raise call.unsupported("with an output_padding, of sizes that the call chooses")
        wanted = [(total - 1) * step - low - high + d * ((span or 1) - 1) + 1 for total, step, (low, high), d, span in
                  zip((height, width), strides, pads, apart, filters.shape)]  # fmt: skip
        like = _ops.zeros([batch, *wanted, (filters.shape[2] or 0) * groups], image.dtype)
        pads = _padding(padding)
    result = nn.conv2d_transpose(image, filters, like, strides=strides, padding=pads, dilations=apart)
    return Laid(result if b is None else _ops.add(result, b.plain()), CHANNELS_LAST)


@op("convolution.default")
def _convolution(
    call: Call, x: Laid, w: Laid, b: Optional[Laid], stride: Any, padding: Any, dilation: Any, transposed: bool,
    output_padding: Any, groups: int,
) -> Laid:  # fmt: skip
    if x.ndim == 3 and not transposed:
        # One dimension is an image of height 1.
        wide, filters = (Laid(_ops.expand_dims(part.plain(), 2)) for part in (x, w))
        result = _conv2d(call, wide, filters, b, (1, *stride), (0, *padding), (1, *dilation), groups)
        return Laid(_ops.squeeze(result.plain(), 2))
    if transposed:
        result = _conv_transpose2d(call, x, w, b, stride, padding, output_padding, groups, dilation)
    else:
        result = _conv2d(call, x, w, b, stride, padding, dilation, groups)
    return result  # type: ignore[no-any-return]


#
# Norms, dropout
#


def _channels_last(x: Laid) -> Laid:
    """`x` with its dimension 1 as the last one of its data."""
    if x.order[-1] == 1:
        return x
    order = (0, *range(2, x.ndim), 1)
    return Laid(x.arranged(order), order)


@op("_native_batch_norm_legit_functional.default", "_native_batch_norm_legit_no_training.default",
    "_native_batch_norm_legit.no_stats")  # fmt: skip
def _batch_norm(call: Call, x: Laid, gamma: Optional[Laid], beta: Optional[Laid], *rest: Any) -> List[Any]:
    x, name = _channels_last(x), str(call.node.target)
    mean, variance = (None, None) if "no_stats" in name else rest[:2]
    training = "no_stats" in name or ("functional" in name and rest[2])
    momentum, epsilon = rest[-2:]
    scale, shift = optional(gamma), optional(beta)
    if not training:
        result = nn.batch_norm_inference(x.data, mean.plain(), variance.plain(), scale, shift, epsilon=epsilon)
        return [x.like(result), None, None, mean, variance]
    result, batch_mean, batch_variance = nn.batch_norm_training(x.data, scale, shift, epsilon=epsilon)
    if mean is None:
        return [x.like(result), None, None]
    # PyTorch's running variance is the unbiased one.
    count = _product(sizes(x.data)[:-1])
    if isinstance(count, int):
        factor: Any = count / (count - 1) if count > 1 else 1.0
    else:
        number = size_tensor(count, batch_variance.dtype)
        factor = _ops.divide(number, _ops.maximum(_ops.subtract(number, 1.0), 1.0))
    batch_variance = _ops.multiply(batch_variance, factor)
    moved = []
    for old, new in ((mean.plain(), batch_mean), (variance.plain(), batch_variance)):
        value = _ops.add(_ops.multiply(old, 1.0 - momentum), _ops.multiply(_ops.cast(new, old.dtype), momentum))
        moved.append(Laid(value))
    return [x.like(result), None, None, *moved]


@op("layer_norm.default")
def _layer_norm(
    call: Call, x: Laid, shape: Sequence[int], gamma: Optional[Laid] = None, beta: Optional[Laid] = None,
    epsilon: float = 1e-5, _: bool = False,
) -> Laid:  # fmt: skip
    axes = list(range(x.ndim - len(shape), x.ndim))
    return Laid(nn.layer_norm(x.plain(), optional(gamma), optional(beta), axes=axes, epsilon=epsilon))


@op("group_norm.default")
def _group_norm(
    call: Call, x: Laid, groups: int, gamma: Optional[Laid] = None, beta: Optional[Laid] = None,
    epsilon: float = 1e-5, _: bool = False,
) -> Laid:  # fmt: skip
    data = x.plain()
    old, channels = sizes(data), x.shape[1]
    if channels is None:
        raise call.unsupported("of channels that the call chooses")
    flat = reshape_to(data, [old[0], groups, _product([channels // groups, *old[2:]])])
    result = reshape_to(nn.layer_norm(flat, axes=[2], epsilon=epsilon), old)
    shape: List[Size] = [channels, *[1] * (x.ndim - 2)]
    if gamma is not None:
        result = _ops.multiply(result, reshape_to(gamma.plain(), shape))
    if beta is not None:
        result = _ops.add(result, reshape_to(beta.plain(), shape))
    return Laid(result)


@op("native_dropout.default")
def _native_dropout(call: Call, x: Laid, rate: float, training: Optional[bool] = True) -> List[Any]:
    if training is False or rate == 0:
        return [x, None]
    if rate == 1:
        return [x.like(_ops.zeros_like(x.data)), None]
    return [x.like(nn.dropout(x.data, rate)), None]


@op("dropout.default")
def _dropout(call: Call, x: Laid, rate: float, training: bool) -> Any:
    return _native_dropout(call, x, rate, training)[0]


@op("softmax.int", "log_softmax.int", "_softmax.default", "_log_softmax.default")
def _softmax(call: Call, x: Laid, axis: int, *_: Any) -> Laid:
    function = nn.log_softmax if "log" in str(call.node.target) else nn.softmax
    axis %= max(x.ndim, 1)
    if x.ndim == 0 or x.order[-1] == axis:
        return x.like(function(_ops.cast(x.data, call.dtype)))
    order = (*[other for other in range(x.ndim) if other != axis], axis)
    return Laid(function(_ops.cast(x.arranged(order), call.dtype)), order)


#
# Reductions
#


@op("sum.dim_IntList", "sum.default", "mean.dim", "mean.default", "amax.default", "amin.default", "any.dim",
    "any.default", "any.dims", "prod.default", "prod.dim_int", "max.default", "min.default",
    "logsumexp.default")  # fmt: skip
def _reduce(call: Call, x: Laid, axes: Any = None, keepdims: bool = False, **_: Any) -> Laid:
    functions = {"sum": _ops.sum, "mean": _ops.mean, "amax": _ops.max, "amin": _ops.min, "any": _ops.any,
                 "prod": _ops.prod, "max": _ops.max, "min": _ops.min, "logsumexp": _ops.logsumexp}  # fmt: skip
    function: Any = functions[str(call.node.target).split(".")[1]]
    listed = [axes] if isinstance(axes, int) else list(axes or range(x.ndim))
    dropped = {axis % max(x.ndim, 1) for axis in listed}
    data = x.data if _dtypes.is_bool(call.dtype) else _ops.cast(x.data, call.dtype)
    result = function(data, tuple(x.places(sorted(dropped))), keepdims) if x.ndim else data
    if keepdims:
        return x.like(result)
    kept = [axis for axis in range(x.ndim) if axis not in dropped]
    return Laid(result, [kept.index(axis) for axis in x.order if axis in kept])


@op("var.correction", "var_mean.correction", "std.correction")
def _var(call: Call, x: Laid, axes: Any = None, *_: Any, correction: float = 1, keepdim: bool = False) -> Any:
    function: Any = _ops.std if ".std" in str(call.node.target) else _ops.var
    data, places = x.plain(), tuple(axis % x.ndim for axis in (axes or range(x.ndim)))
    result = Laid(function(data, places, keepdim, int(1 if correction is None else correction)))
    return [result, Laid(_ops.mean(data, places, keepdim))] if "var_mean" in str(call.node.target) else result


@op("argmax.default", "argmin.default")
def _argmax(call: Call, x: Laid, axis: Optional[int] = None, keepdims: bool = False) -> Laid:
    function = _ops.argmax if "argmax" in str(call.node.target) else _ops.argmin
    result = _ops.cast(function(x.plain(), axis), call.dtype)
    if keepdims:
        if axis is None:
            raise call.unsupported("with keepdim and no dimension")
        result = _ops.expand_dims(result, axis if axis >= 0 else axis % x.ndim)
    return Laid(result)


@op("cumsum.default")
def _cumsum(call: Call, x: Laid, axis: int, **_: Any) -> Laid:
    return x.like(_ops.cumsum(_ops.cast(x.data, call.dtype), x.place(axis)))


#
# Losses
#


def _reduction(value: Tensor, kind: int) -> Tensor:
    return value if kind == 0 else _ops.mean(value) if kind == 1 else _ops.sum(value)


@op("cross_entropy_loss.default")
def _cross_entropy(
    call: Call, x: Laid, target: Laid, weight: Optional[Laid] = None, reduction: int = 1, ignored: int = -100,
    smoothing: float = 0.0,
) -> Laid:  # fmt: skip
    if weight is not None or smoothing or not _dtypes.is_integer(target.dtype) or x.ndim != 2:
        raise call.unsupported("other than of logits [batch, classes] and labels [batch] without weights")
    if ignored >= 0:
        raise call.unsupported("with an ignore_index of a class")
    kind = ("none", "mean", "sum")[reduction]
    return Laid(nn.sparse_softmax_cross_entropy(x.plain(), target.plain(), reduction=kind))  # type: ignore[arg-type]


@op("mse_loss.default", "l1_loss.default")
def _mse_loss(call: Call, x: Laid, target: Laid, reduction: int = 1) -> Laid:
    tensors, lead = align([call.dtype] * 2, x, target)
    difference = _ops.subtract(*tensors)
    value = _ops.abs(difference) if "l1_loss" in str(call.node.target) else _ops.square(difference)
    return lead.like(value) if reduction == 0 else Laid(_reduction(value, reduction))


@op("binary_cross_entropy_with_logits.default")
def _bce(
    call: Call, x: Laid, target: Laid, weight: Optional[Laid] = None, pos_weight: Optional[Laid] = None,
    reduction: int = 1,
) -> Laid:  # fmt: skip
    if weight is not None or pos_weight is not None:
        raise call.unsupported("with weights")
    data, wanted = x.plain(), target.plain()
    value = _ops.subtract(nn.softplus(data), _ops.multiply(data, wanted))
    return Laid(_reduction(value, reduction))
