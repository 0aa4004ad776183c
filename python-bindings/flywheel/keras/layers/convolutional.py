# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions of sequences, images and volumes."""

from typing import Any, List, Optional, Tuple

from ... import _ops
from ..._errors.messages import about
from ..._nn.windows import convolve
from ...v1 import nn as _nn
from ...v1.conversion import as_tensor, make
from .. import backend as K
from .. import constraints, initializers, regularizers
from ..backend.windows import transpose_to
from ..legacy import interfaces as _legacy
from ..utils.conv_utils import conv_output_length, deconv_length, normalize_padding
from ._spatial import Spatial, padded, pads_of
from ._weighted import Weighted, count_of
from .pooling import (
    AveragePooling1D,
    AveragePooling2D,
    AveragePooling3D,
    AvgPool1D,
    AvgPool2D,
    AvgPool3D,
    MaxPool1D,
    MaxPool2D,
    MaxPool3D,
    MaxPooling1D,
    MaxPooling2D,
    MaxPooling3D,
)
from .resampling import (
    Cropping1D,
    Cropping2D,
    Cropping3D,
    UpSampling1D,
    UpSampling2D,
    UpSampling3D,
    ZeroPadding1D,
    ZeroPadding2D,
    ZeroPadding3D,
)

__all__ = [
    "AtrousConvolution1D", "AtrousConvolution2D", "AveragePooling1D", "AveragePooling2D", "AveragePooling3D",
    "AvgPool1D", "AvgPool2D", "AvgPool3D", "Conv1D", "Conv2D", "Conv2DTranspose", "Conv3D", "Conv3DTranspose",
    "Convolution1D", "Convolution2D", "Convolution2DTranspose", "Convolution3D", "Convolution3DTranspose", "Cropping1D",
    "Cropping2D", "Cropping3D", "Deconvolution2D", "Deconvolution3D", "DepthwiseConv2D", "MaxPool1D", "MaxPool2D",
    "MaxPool3D", "MaxPooling1D", "MaxPooling2D", "MaxPooling3D", "SeparableConv1D", "SeparableConv2D",
    "SeparableConvolution1D", "SeparableConvolution2D", "UpSampling1D", "UpSampling2D", "UpSampling3D", "ZeroPadding1D",
    "ZeroPadding2D", "ZeroPadding3D",
]  # fmt: skip


class _Filtered(Weighted, Spatial):
    """Layers of filters, whose activation is of results in the data format."""

    def _activate(self, y: Any) -> Any:
        return super()._activate(self.outwards(y))


class _Conv(_Filtered):
    """activation(cross-correlation with the kernel + bias)."""

    arguments: Tuple[str, ...] = ("filters", "kernel_size", "strides", "padding", "data_format", "dilation_rate")

    def __init__(
        self, filters: int, kernel_size: Any, strides: Any = 1, padding: str = "valid", data_format: Any = None,
        dilation_rate: Any = 1, activation: Any = None, use_bias: bool = True, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(activation, use_bias, data_format=data_format, **kwargs)
        self.filters = count_of(filters, "filters")
        self.padding = normalize_padding(padding)
        if self.padding == "causal" and (self.dims > 1 or type(self)._has_no_causal):
            raise ValueError(f"expected the padding 'valid' or 'same' of {type(self).__name__}, found 'causal'")
        self.kernel_size = self.several("kernel_size", kernel_size)
        self.strides = self.several("strides", strides)
        self.dilation_rate = self.several("dilation_rate", dilation_rate)

    _has_no_causal = False

    def build(self, input_shape: Any) -> None:
        self._make((*self.kernel_size, self.channels(input_shape), self.filters), self.filters)

    def _reach(self) -> List[int]:
        """The sizes of windows, with the gaps of the dilation."""
        return [(k - 1) * d + 1 for k, d in zip(self.kernel_size, self.dilation_rate)]

    def _convolve(self, x: Any, w: Any, padding: str) -> Any:
        if padding == "causal":
            x, padding = padded(x, [(self._reach()[0] - 1, 0)]), "valid"
        return convolve(x, w, self.strides, pads_of(x, self._reach(), self.strides, padding), self.dilation_rate)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        y = make(f"Conv{self.dims}D", lambda x, w: self._convolve(x, w, self.padding),
                 as_tensor(self.inwards(inputs)), self.kernel)  # fmt: skip
        return self._finish(y)

    def _output_space(self, input_shape: Any) -> List[Optional[int]]:
        return [conv_output_length(n, k, self.padding, s, d) for n, k, s, d in
                zip(self.space(input_shape), self.kernel_size, self.strides, self.dilation_rate)]  # fmt: skip

    def compute_output_shape(self, input_shape: Any) -> Any:
        return self.shape_of(input_shape[0], self._output_space(input_shape), self.filters)


@_legacy.conv1d
class Conv1D(_Conv):
    """activation(cross-correlation with the kernel + bias) along time; with the padding "causal" no output depends on
    later inputs."""

    dims = 1


@_legacy.conv2d
class Conv2D(_Conv):
    """activation(cross-correlation with the kernel + bias) of images."""


@_legacy.conv3d
class Conv3D(_Conv):
    """activation(cross-correlation with the kernel + bias) of volumes of static size."""

    dims = 3


class _ConvTranspose(_Conv):
    """activation(the transpose of a convolution + bias): the sizes get larger by the strides."""

    _has_no_causal = True

    def __init__(
        self, filters: int, kernel_size: Any, strides: Any = 1, padding: str = "valid", data_format: Any = None,
        activation: Any = None, use_bias: bool = True, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(filters, kernel_size, strides, padding, data_format, 1, activation, use_bias, **kwargs)

    def build(self, input_shape: Any) -> None:
        self._make((*self.kernel_size, self.filters, self.channels(input_shape)), self.filters)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        x = as_tensor(self.inwards(inputs))
        goal = self._goal(K.int_shape(x)[1:-1])
        if None in goal:
            raise about(f"flywheel.keras.layers.{type(self).__name__}", NotImplementedError(
                "inputs without static sizes of space"))  # fmt: skip

        def emit(v: Any, w: Any) -> Any:
            if self.dims == 2:
                return _nn.transposed(v, w, self.strides, goal, self.padding)
            return transpose_to(goal, v, w, self.strides, self.dilation_rate)

        return self._finish(make(f"conv{self.dims}d_transpose", emit, x, self.kernel))

    def _goal(self, space: Any) -> List[Optional[int]]:
        return [deconv_length(n, s, k, self.padding) for n, s, k in zip(space, self.strides, self.kernel_size)]

    def _output_space(self, input_shape: Any) -> List[Optional[int]]:
        return self._goal(self.space(input_shape))

    def get_config(self) -> Any:
        config = super().get_config()
        del config["dilation_rate"]
        return config


@_legacy.deconv2d
class Conv2DTranspose(_ConvTranspose):
    """activation(the transpose of `Conv2D` + bias): images of known size get larger by the strides."""


class Conv3DTranspose(_ConvTranspose):
    """activation(the transpose of `Conv3D` + bias): volumes of known size get larger by the strides."""

    dims = 3


class _Depthwise(_Filtered):
    """activation(each channel by filters of its own + bias)."""

    arguments: Tuple[str, ...] = (
        "kernel_size", "strides", "padding", "depth_multiplier", "data_format", "depthwise_initializer",
        "depthwise_regularizer", "depthwise_constraint", "dilation_rate")  # fmt: skip

    def __init__(
        self, kernel_size: Any, strides: Any = 1, padding: str = "valid", depth_multiplier: int = 1,
        data_format: Any = None, activation: Any = None, use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform", depthwise_regularizer: Any = None,
        depthwise_constraint: Any = None, dilation_rate: Any = 1, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(activation, use_bias, data_format=data_format, **kwargs)
        self.depth_multiplier, self.padding = depth_multiplier, normalize_padding(padding)
        if self.padding == "causal" and self.dims > 1:
            raise ValueError(f"expected the padding 'valid' or 'same' of {type(self).__name__}, found 'causal'")
        self.kernel_size = self.several("kernel_size", kernel_size)
        self.strides = self.several("strides", strides)
        self.dilation_rate = self.several("dilation_rate", dilation_rate)
        self.depthwise_initializer = initializers.get(depthwise_initializer)
        self.depthwise_regularizer = regularizers.get(depthwise_regularizer)
        self.depthwise_constraint = constraints.get(depthwise_constraint)

    def _make_depthwise(self, channels: int) -> None:
        self.depthwise_kernel = self.add_weight(
            "depthwise_kernel", (*self.kernel_size, channels, self.depth_multiplier), None, self.depthwise_initializer,
            self.depthwise_regularizer, True, self.depthwise_constraint)  # fmt: skip

    def _make_bias(self, outputs: int) -> None:
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight("bias", (outputs,), None, self.bias_initializer, self.bias_regularizer, True,
                                        self.bias_constraint)  # fmt: skip
        self.built = True

    def build(self, input_shape: Any) -> None:
        channels = self.channels(input_shape)
        self._make_depthwise(channels)
        self._make_bias(channels * self.depth_multiplier)

    def _depthwise(self, inputs: Any) -> Any:
        def emit(x: Any, w: Any) -> Any:
            grouped = _ops.reshape(w, [*w._dims[:-2], 1, w._dims[-2] * w._dims[-1]])
            padding: Any = self.padding
            if padding == "causal":
                reach = (self.kernel_size[0] - 1) * self.dilation_rate[0]
                x, padding = padded(x, [(reach, 0)]), "valid"
            return convolve(x, grouped, self.strides, padding, self.dilation_rate)

        return make("depthwise", emit, as_tensor(self.inwards(inputs)), self.depthwise_kernel)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return self._finish(self._depthwise(inputs))

    def _output_space(self, input_shape: Any) -> Any:
        return [conv_output_length(n, k, self.padding, s, d) for n, k, s, d in
                zip(self.space(input_shape), self.kernel_size, self.strides, self.dilation_rate)]  # fmt: skip

    def compute_output_shape(self, input_shape: Any) -> Any:
        return self.shape_of(input_shape[0], self._output_space(input_shape),
                             self.channels(input_shape) * self.depth_multiplier)  # fmt: skip


class DepthwiseConv2D(_Depthwise):
    """activation(each channel of images by filters of its own + bias)."""


class _Separable(_Depthwise):
    """activation(a depthwise convolution, then a mixture of channels at each place, + bias)."""

    arguments = ("filters", "pointwise_initializer", "pointwise_regularizer", "pointwise_constraint")

    def __init__(
        self, filters: int, kernel_size: Any, strides: Any = 1, padding: str = "valid", data_format: Any = None,
        dilation_rate: Any = 1, depth_multiplier: int = 1, activation: Any = None, use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform", pointwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros", depthwise_regularizer: Any = None, pointwise_regularizer: Any = None,
        bias_regularizer: Any = None, activity_regularizer: Any = None, depthwise_constraint: Any = None,
        pointwise_constraint: Any = None, bias_constraint: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(
            kernel_size, strides, padding, depth_multiplier, data_format, activation, use_bias, depthwise_initializer,
            depthwise_regularizer, depthwise_constraint, dilation_rate, bias_initializer=bias_initializer,
            bias_regularizer=bias_regularizer, activity_regularizer=activity_regularizer,
            bias_constraint=bias_constraint, **kwargs)  # fmt: skip
        self.filters = count_of(filters, "filters")
        self.pointwise_initializer = initializers.get(pointwise_initializer)
        self.pointwise_regularizer = regularizers.get(pointwise_regularizer)
        self.pointwise_constraint = constraints.get(pointwise_constraint)

    def build(self, input_shape: Any) -> None:
        channels = self.channels(input_shape)
        self._make_depthwise(channels)
        self.pointwise_kernel = self.add_weight(
            "pointwise_kernel", (*[1] * self.dims, channels * self.depth_multiplier, self.filters), None,
            self.pointwise_initializer, self.pointwise_regularizer, True, self.pointwise_constraint)  # fmt: skip
        self._make_bias(self.filters)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        ones = [1] * self.dims
        return self._finish(make("separable", lambda x, w: convolve(x, w, ones, "valid", ones),
                                 self._depthwise(inputs), self.pointwise_kernel))  # fmt: skip

    def compute_output_shape(self, input_shape: Any) -> Any:
        return self.shape_of(input_shape[0], self._output_space(input_shape), self.filters)


class SeparableConv1D(_Separable):
    """`SeparableConv2D` along time."""

    dims = 1


@_legacy.separable_conv2d
class SeparableConv2D(_Separable):
    """activation(a `DepthwiseConv2D`, then a mixture of channels at each place, + bias)."""


Convolution1D, Convolution2D, Convolution3D, Deconvolution2D = Conv1D, Conv2D, Conv3D, Conv2DTranspose
Convolution2DTranspose, Convolution3DTranspose, Deconvolution3D = Conv2DTranspose, Conv3DTranspose, Conv3DTranspose
SeparableConvolution1D, SeparableConvolution2D = SeparableConv1D, SeparableConv2D


def AtrousConvolution1D(*args: Any, atrous_rate: Any = 1, **kwargs: Any) -> Conv1D:  # noqa: N802
    """`Conv1D` with the dilation `atrous_rate`, as Keras 1 called it."""
    kwargs["dilation_rate"] = atrous_rate
    return Conv1D(*args, **kwargs)


def AtrousConvolution2D(*args: Any, atrous_rate: Any = (1, 1), **kwargs: Any) -> Conv2D:  # noqa: N802
    """`Conv2D` with the dilation `atrous_rate`, as Keras 1 called it."""
    args, kwargs = _legacy.kernel_size_2d(args, kwargs)
    return Conv2D(*args, **{**kwargs, "dilation_rate": atrous_rate})
