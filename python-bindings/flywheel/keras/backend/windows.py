# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions, pools and norms."""

from typing import Any, Tuple

from ... import _ops
from ..._ops import _precision
from ...v1 import nn as _nn
from ...v1.conversion import as_tensor, make
from .operations import expand_dims, mean, reshape, squeeze, var
from .settings import epsilon as _epsilon


def _checked(data_format: Any) -> None:
    if data_format not in (None, "channels_last"):
        raise NotImplementedError(f"flywheel.keras.backend: data_format='{data_format}', expected 'channels_last'")


def conv1d(
    x: Any, kernel: Any, strides: int = 1, padding: str = "valid", data_format: Any = None, dilation_rate: int = 1
) -> Any:
    """Cross-correlation along time."""
    _checked(data_format)
    image = conv2d(expand_dims(x, 1), expand_dims(kernel, 0), (1, strides), padding, None, (1, dilation_rate))
    return squeeze(image, 1)


def conv2d(
    x: Any, kernel: Any, strides: Any = (1, 1), padding: str = "valid", data_format: Any = None,
    dilation_rate: Any = (1, 1),
) -> Any:  # fmt: skip
    """Cross-correlation of images."""
    _checked(data_format)
    return _nn.conv2d(x, kernel, [1, *strides, 1], padding, dilations=[1, *dilation_rate, 1])


def conv2d_transpose(
    x: Any, kernel: Any, output_shape: Any, strides: Any = (1, 1), padding: str = "valid", data_format: Any = None
) -> Any:
    """The transpose of `conv2d`, with a result of this shape."""
    _checked(data_format)
    return _nn.conv2d_transpose(x, kernel, output_shape, [1, *strides, 1], padding)


def depthwise_conv2d(
    x: Any, depthwise_kernel: Any, strides: Any = (1, 1), padding: str = "valid", data_format: Any = None,
    dilation_rate: Any = (1, 1),
) -> Any:  # fmt: skip
    """Each channel by filters of its own."""
    _checked(data_format)
    return _nn.depthwise_conv2d(x, depthwise_kernel, [1, *strides, 1], padding, dilation_rate)


def separable_conv2d(
    x: Any, depthwise_kernel: Any, pointwise_kernel: Any, strides: Any = (1, 1), padding: str = "valid",
    data_format: Any = None, dilation_rate: Any = (1, 1),
) -> Any:  # fmt: skip
    """`depthwise_conv2d`, then a mixture of channels at each place."""
    _checked(data_format)
    return _nn.separable_conv2d(x, depthwise_kernel, pointwise_kernel, [1, *strides, 1], padding, dilation_rate)


def pool2d(
    x: Any, pool_size: Any, strides: Any = (1, 1), padding: str = "valid", data_format: Any = None,
    pool_mode: str = "max",
) -> Any:  # fmt: skip
    """The largest elements of windows, or with the mode "avg" their means."""
    _checked(data_format)
    if pool_mode not in ("max", "avg"):
        raise ValueError(f"Invalid pooling mode: {pool_mode}")
    pool = _nn.max_pool if pool_mode == "max" else _nn.avg_pool
    return pool(x, [1, *pool_size, 1], [1, *strides, 1], padding)


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
