# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions, pools and norms."""

from typing import Any, Optional, Sequence, Tuple

from ... import _ops
from ... import nn as _traced
from ..._errors.messages import about
from ..._nn.windows import convolve, convolve_transposed, pool
from ..._ops import precision as _precision
from ...v1 import nn as _nn
from ...v1.conversion import as_tensor, make
from .operations import (
    expand_dims,
    int_shape,
    mean,
    ndim,
    permute_dimensions,
    reshape,
    squeeze,
    temporal_padding,
    var,
)
from .settings import epsilon as _epsilon
from .settings import normalize_data_format


def pad_width(total: Optional[int], window: int, stride: int, padding: str) -> Tuple[int, int]:
    """Returns the padding before and after a dimension; if the number is odd, the last one is after it."""
    if padding == "valid":
        return 0, 0
    if total is None:
        raise about("flywheel.keras", ValueError("the padding 'same' of volumes takes volumes of static size"))
    missing = max((-(-total // stride) - 1) * stride + window - total, 0)
    return missing // 2, missing - missing // 2


def pads_of(x: Any, windows: Sequence[int], strides: Sequence[int], padding: str) -> Any:
    """The padding as the functions of windows take it: numbers for volumes, else the word."""
    if len(windows) < 3:
        return padding
    return [pad_width(n, k, s, padding) for n, k, s in zip(x._dims[1:-1], windows, strides)]


def _inwards(x: Any, data_format: Any) -> Any:
    """A tensor of space with the channels last."""
    if normalize_data_format(data_format) == "channels_last":
        return x
    rank = ndim(x)
    return permute_dimensions(x, (0, *range(2, rank), 1))


def _outwards(y: Any, data_format: Any) -> Any:
    """A tensor with the channels last, in the data format."""
    if normalize_data_format(data_format) == "channels_last":
        return y
    rank = ndim(y)
    return permute_dimensions(y, (0, rank - 1, *range(1, rank - 1)))


def _padding(padding: str, *more: str) -> str:
    """Returns a padding. Raises ValueError for one that is not "same", "valid" or among `more`."""
    if padding not in ("same", "valid", *more):
        raise ValueError(f"Invalid padding: {padding}")
    return padding


def _convolve(x: Any, kernel: Any, strides: Any, padding: str, data_format: Any, dilation_rate: Any) -> Any:
    def emit(v: Any, w: Any) -> Any:
        reach = [((k or 1) - 1) * d + 1 for k, d in zip(w._dims, dilation_rate)]
        return convolve(v, w, list(strides), pads_of(v, reach, strides, _padding(padding)), list(dilation_rate))

    y = make(f"Conv{len(strides)}D", emit, as_tensor(_inwards(x, data_format)), as_tensor(kernel))
    return _outwards(y, data_format)


def conv1d(
    x: Any, kernel: Any, strides: int = 1, padding: str = "valid", data_format: Any = None, dilation_rate: int = 1
) -> Any:
    """Cross-correlation along time; with the padding "causal" no result depends on later inputs."""
    if _padding(padding, "causal") == "causal":
        reach = (int_shape(kernel)[0] - 1) * dilation_rate
        x, padding = _outwards(temporal_padding(_inwards(x, data_format), (reach, 0)), data_format), "valid"
    return _convolve(x, kernel, (strides,), padding, data_format, (dilation_rate,))


def conv2d(
    x: Any, kernel: Any, strides: Any = (1, 1), padding: str = "valid", data_format: Any = None,
    dilation_rate: Any = (1, 1),
) -> Any:  # fmt: skip
    """Cross-correlation of images."""
    return _convolve(x, kernel, strides, padding, data_format, dilation_rate)


def conv3d(
    x: Any, kernel: Any, strides: Any = (1, 1, 1), padding: str = "valid", data_format: Any = None,
    dilation_rate: Any = (1, 1, 1),
) -> Any:  # fmt: skip
    """Cross-correlation of volumes of static size."""
    return _convolve(x, kernel, strides, padding, data_format, dilation_rate)


def conv2d_transpose(
    x: Any, kernel: Any, output_shape: Any, strides: Any = (1, 1), padding: str = "valid", data_format: Any = None
) -> Any:
    """The transpose of `conv2d`, with a result of this shape."""
    shape = list(output_shape)
    if normalize_data_format(data_format) == "channels_first":
        shape = [shape[0], *shape[2:], shape[1]]
    y = _nn.conv2d_transpose(_inwards(x, data_format), kernel, shape, [1, *strides, 1], _padding(padding))
    return _outwards(y, data_format)


def transpose_to(goal: Sequence[Any], x: Any, kernel: Any, strides: Sequence[int], dilation: Sequence[int]) -> Any:
    """The transpose of a convolution of a trace, channels last, with a result of these sizes of space: the whole one
    has (n - 1) stride + window elements, of which both ends lose as many, the last one more of an odd number."""
    spare = [(n - 1) * s + k - g for n, s, k, g in zip(x._dims[1:-1], strides, kernel._dims, goal)]
    cut = [(max(one, 0) // 2, max(one, 0) - max(one, 0) // 2) for one in spare]
    more = [max(-one, 0) for one in spare]
    return convolve_transposed(x, kernel, list(strides), cut, more, list(dilation), kernel._dims[-2])


def conv3d_transpose(
    x: Any, kernel: Any, output_shape: Any, strides: Any = (1, 1, 1), padding: str = "valid", data_format: Any = None
) -> Any:
    """The transpose of `conv3d`, with a result of this shape, whose sizes of space are static."""
    first = normalize_data_format(data_format) == "channels_first"
    goal = list(output_shape)[2:] if first else list(output_shape)[1:-1]
    _padding(padding)

    def emit(v: Any, w: Any) -> Any:
        return transpose_to(goal, v, w, strides, [1] * 3)

    return _outwards(make("conv3d_transpose", emit, as_tensor(_inwards(x, data_format)), as_tensor(kernel)),
                     data_format)  # fmt: skip


def depthwise_conv2d(
    x: Any, depthwise_kernel: Any, strides: Any = (1, 1), padding: str = "valid", data_format: Any = None,
    dilation_rate: Any = (1, 1),
) -> Any:  # fmt: skip
    """Each channel by filters of its own."""
    y = _nn.depthwise_conv2d(_inwards(x, data_format), depthwise_kernel, [1, *strides, 1], _padding(padding),
                             dilation_rate)  # fmt: skip
    return _outwards(y, data_format)


def separable_conv1d(
    x: Any, depthwise_kernel: Any, pointwise_kernel: Any, strides: Any = 1, padding: str = "valid",
    data_format: Any = None, dilation_rate: Any = 1,
) -> Any:  # fmt: skip
    """`separable_conv2d` along time."""
    stride, rate = (one if isinstance(one, int) else one[0] for one in (strides, dilation_rate))
    y = separable_conv2d(expand_dims(_inwards(x, data_format), 1), expand_dims(depthwise_kernel, 0),
                         expand_dims(pointwise_kernel, 0), (1, stride), padding, "channels_last",
                         (1, rate))  # fmt: skip
    return _outwards(squeeze(y, 1), data_format)


def separable_conv2d(
    x: Any, depthwise_kernel: Any, pointwise_kernel: Any, strides: Any = (1, 1), padding: str = "valid",
    data_format: Any = None, dilation_rate: Any = (1, 1),
) -> Any:  # fmt: skip
    """`depthwise_conv2d`, then a mixture of channels at each place."""
    y = _nn.separable_conv2d(_inwards(x, data_format), depthwise_kernel, pointwise_kernel, [1, *strides, 1],
                             _padding(padding), dilation_rate)  # fmt: skip
    return _outwards(y, data_format)


def _pool(x: Any, pool_size: Any, strides: Any, padding: str, data_format: Any, pool_mode: str) -> Any:
    if pool_mode not in ("max", "avg"):
        raise ValueError(f"Invalid pooling mode: {pool_mode}")
    function = _traced.max_pool2d if pool_mode == "max" else _traced.avg_pool2d

    def emit(v: Any) -> Any:
        return pool(function, v, list(pool_size), list(strides), pads_of(v, pool_size, strides, _padding(padding)))

    return _outwards(make("Pool", emit, as_tensor(_inwards(x, data_format))), data_format)


def pool2d(
    x: Any, pool_size: Any, strides: Any = (1, 1), padding: str = "valid", data_format: Any = None,
    pool_mode: str = "max",
) -> Any:  # fmt: skip
    """The largest elements of windows, or with the mode "avg" their means."""
    return _pool(x, pool_size, strides, padding, data_format, pool_mode)


def pool3d(
    x: Any, pool_size: Any, strides: Any = (1, 1, 1), padding: str = "valid", data_format: Any = None,
    pool_mode: str = "max",
) -> Any:  # fmt: skip
    """`pool2d` of volumes of static size."""
    return _pool(x, pool_size, strides, padding, data_format, pool_mode)


def batch_normalization(x: Any, mean: Any, var: Any, beta: Any, gamma: Any, epsilon: float = 1e-3) -> Any:
    """gamma (x - mean) / sqrt(var + epsilon) + beta."""
    return _nn.batch_normalization(x, mean, var, beta, gamma, epsilon)


def normalize_batch_in_training(
    x: Any, gamma: Any, beta: Any, reduction_axes: Any, epsilon: float = 1e-3
) -> Tuple[Any, Any, Any]:
    """`batch_normalization` by the mean and the variance over these axes; those too."""
    axes = list(reduction_axes)
    average, spread = mean(x, axes), var(x, axes)
    y = as_tensor(x)
    shape = [1 if axis in axes else n for axis, n in enumerate(y.static_shape or ())]
    wide = [None if one is None else reshape(one, shape) for one in (average, spread, beta, gamma)]
    return batch_normalization(x, wide[0], wide[1], wide[2], wide[3], epsilon), average, spread


def in_top_k(predictions: Any, targets: Any, k: int) -> Any:
    """True if each target is among the k largest predictions."""
    return _nn.in_top_k(predictions, targets, k)


def categorical_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Any:
    """-sum(target log(output)) of each row; of shares, which are made to sum to 1, or of logits."""
    from ..losses import categorical_crossentropy as shares

    if from_logits:
        return _nn.softmax_cross_entropy_with_logits_v2(labels=target, logits=output)
    return shares(target, output)


def sparse_categorical_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Any:
    """As `categorical_crossentropy`, of labels as numbers."""
    from ..losses import sparse_categorical_crossentropy as shares

    if from_logits:
        return _nn.sparse_softmax_cross_entropy_with_logits(labels=target, logits=output)
    return shares(target, output)


def binary_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Any:
    """The cross entropy of each element and its target, of probabilities or of logits."""
    if from_logits:
        return _nn.sigmoid_cross_entropy_with_logits(labels=target, logits=output)
    small = _epsilon()

    @_precision.rounds_once(2)
    def emit(t: Any, p: Any) -> Any:
        # Only in f32 or above are these bounds apart from 0 and 1.
        p = _ops.clip(p, small, 1.0 - small)
        return -(t * _ops.log(p) + (1.0 - t) * _ops.log(1.0 - p))

    return make("binary_crossentropy", emit, as_tensor(target), as_tensor(output))
