# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tf.layers`: layers of volumes, and separable convolutions of sequences."""

from typing import Any, Callable, Optional

from .._core.argument_checks import sizes, text
from .._errors.messages import about
from . import nn
from .layers import Layer, _Bias, _channels_last, _finish, _input, _plain, _sign
from .nn_convolutions import avg_pool3d, max_pool3d
from .nn_convolutions import conv3d as _conv3d
from .nn_windows import conv3d_transpose as _conv3d_transpose
from .ops import expand_dims, squeeze
from .scopes import get_variable, variable_scope


def conv3d(
    inputs: Any,
    filters: int,
    kernel_size: Any,
    strides: Any = (1, 1, 1),
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: Any = (1, 1, 1),
    activation: Any = None,
    use_bias: bool = True,
    kernel_initializer: Any = None,
    bias_initializer: Any = None,
    kernel_regularizer: Any = None,
    bias_regularizer: Any = None,
    activity_regularizer: Any = None,
    kernel_constraint: Any = None,
    bias_constraint: Any = None,
    trainable: bool = True,
    name: Optional[str] = None,
    reuse: Any = None,
) -> Any:
    """activation(conv3d(inputs, kernel) + bias), of volumes [batch, depth, height, width, channels]."""
    _channels_last(data_format, "conv3d")
    x = _input(inputs)
    with variable_scope(name, default_name="conv3d", reuse=reuse):
        kernel = get_variable(
            "kernel",
            [*sizes("kernel_size", kernel_size, 3), x.shape[-1].value, filters],
            x.dtype,
            kernel_initializer,
            kernel_regularizer,
            trainable,
            constraint=kernel_constraint,
        )
        y = _conv3d(
            x,
            kernel,
            [1, *sizes("strides", strides, 3), 1],
            text("padding", padding).upper(),
            dilations=[1, *sizes("dilation_rate", dilation_rate, 3), 1],
        )
        own = _Bias(use_bias, bias_initializer, bias_regularizer, bias_constraint, activity_regularizer, trainable)
        return _finish(y, filters, own, activation)


def conv3d_transpose(
    inputs: Any,
    filters: int,
    kernel_size: Any,
    strides: Any = (1, 1, 1),
    padding: str = "valid",
    data_format: str = "channels_last",
    activation: Any = None,
    use_bias: bool = True,
    kernel_initializer: Any = None,
    bias_initializer: Any = None,
    kernel_regularizer: Any = None,
    bias_regularizer: Any = None,
    activity_regularizer: Any = None,
    kernel_constraint: Any = None,
    bias_constraint: Any = None,
    trainable: bool = True,
    name: Optional[str] = None,
    reuse: Any = None,
) -> Any:
    """activation(the transpose of conv3d + bias): volumes of a size that is known get larger by the strides."""
    _channels_last(data_format, "conv3d_transpose")
    x, steps, spans = _input(inputs), sizes("strides", strides, 3), sizes("kernel_size", kernel_size, 3)
    old = x.shape.as_list()[1:4]
    if None in old:
        raise about("flywheel.v1.layers.conv3d_transpose", NotImplementedError("volumes of a size that a run chooses"))
    goal = [
        (n or 0) * s if text("padding", padding).lower() == "same" else (n or 0) * s + max(k - s, 0)
        for n, s, k in zip(old, steps, spans)
    ]
    with variable_scope(name, default_name="conv3d_transpose", reuse=reuse):
        kernel = get_variable(
            "kernel",
            [*spans, filters, x.shape[-1].value],
            x.dtype,
            kernel_initializer,
            kernel_regularizer,
            trainable,
            constraint=kernel_constraint,
        )
        y = _conv3d_transpose(x, kernel, [-1, *goal, filters], [1, *steps, 1], text("padding", padding).upper())
        own = _Bias(use_bias, bias_initializer, bias_regularizer, bias_constraint, activity_regularizer, trainable)
        return _finish(y, filters, own, activation)


def separable_conv1d(
    inputs: Any,
    filters: int,
    kernel_size: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: Any = 1,
    depth_multiplier: int = 1,
    activation: Any = None,
    use_bias: bool = True,
    depthwise_initializer: Any = None,
    pointwise_initializer: Any = None,
    bias_initializer: Any = None,
    depthwise_regularizer: Any = None,
    pointwise_regularizer: Any = None,
    bias_regularizer: Any = None,
    activity_regularizer: Any = None,
    depthwise_constraint: Any = None,
    pointwise_constraint: Any = None,
    bias_constraint: Any = None,
    trainable: bool = True,
    name: Optional[str] = None,
    reuse: Any = None,
) -> Any:
    """A convolution along time of each channel by itself, then one of width 1."""
    _channels_last(data_format, "separable_conv1d")
    x, step, hole = _input(inputs), sizes("strides", strides, 1)[0], sizes("dilation_rate", dilation_rate, 1)[0]
    channels = x.shape[-1].value
    with variable_scope(name, default_name="separable_conv1d", reuse=reuse):
        depthwise = get_variable(
            "depthwise_kernel",
            [sizes("kernel_size", kernel_size, 1)[0], channels, depth_multiplier],
            x.dtype,
            depthwise_initializer,
            depthwise_regularizer,
            trainable,
            constraint=depthwise_constraint,
        )
        pointwise = get_variable(
            "pointwise_kernel",
            [1, channels * depth_multiplier, filters],
            x.dtype,
            pointwise_initializer,
            pointwise_regularizer,
            trainable,
            constraint=pointwise_constraint,
        )
        image = nn.separable_conv2d(
            expand_dims(x, 1),
            expand_dims(depthwise, 0),
            expand_dims(pointwise, 0),
            [1, step, step, 1],
            text("padding", padding).upper(),
            [1, hole],
        )
        own = _Bias(use_bias, bias_initializer, bias_regularizer, bias_constraint, activity_regularizer, trainable)
        return _finish(squeeze(image, 1), filters, own, activation)


def _pooled(pool: Any, inputs: Any, pool_size: Any, strides: Any, padding: str, name: Optional[str]) -> Any:
    window, steps = sizes("pool_size", pool_size, 3), sizes("strides", strides, 3)
    return pool(inputs, [1, *window, 1], [1, *steps, 1], text("padding", padding).upper(), name=name)


def max_pooling3d(
    inputs: Any,
    pool_size: Any,
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: Optional[str] = None,
) -> Any:
    """The largest elements of windows of volumes."""
    _channels_last(data_format, "max_pooling3d")
    return _pooled(max_pool3d, inputs, pool_size, strides, padding, name)


def average_pooling3d(
    inputs: Any,
    pool_size: Any,
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: Optional[str] = None,
) -> Any:
    """The means of windows of volumes."""
    _channels_last(data_format, "average_pooling3d")
    return _pooled(avg_pool3d, inputs, pool_size, strides, padding, name)


def _layer(name: str, function: Callable[..., Any]) -> Any:
    made = type(
        name,
        (Layer,),
        {"__doc__": f"See `{function.__name__}`.", "kind": function.__name__, "function": staticmethod(function)},
    )
    _sign(made)
    return made


Conv3D, Conv3DTranspose = _layer("Conv3D", conv3d), _layer("Conv3DTranspose", conv3d_transpose)
SeparableConv1D = _layer("SeparableConv1D", separable_conv1d)
MaxPooling3D, AveragePooling3D = _plain("MaxPooling3D", max_pooling3d), _plain("AveragePooling3D", average_pooling3d)

NAMES = [
    "AveragePooling3D",
    "Conv3D",
    "Conv3DTranspose",
    "MaxPooling3D",
    "SeparableConv1D",
    "average_pooling3d",
    "conv3d",
    "conv3d_transpose",
    "max_pooling3d",
    "separable_conv1d",
]
