# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transposed and separable convolutions of images."""

from typing import Any, Tuple

from ... import _ops
from ... import nn as _traced
from ...v1 import nn as _nn
from ...v1.conversion import as_tensor, make
from .. import constraints, initializers, regularizers
from ._weighted import Weighted, count_of
from ._windows import channels_last, output_size, padding_of, pair


class Conv2DTranspose(Weighted):
    """activation(the transpose of `Conv2D` + bias): images of known size get larger by the strides."""

    _rank = 4

    arguments = ("filters", "kernel_size", "strides", "padding", "data_format")

    def __init__(
        self, filters: int, kernel_size: Any, strides: Any = (1, 1), padding: str = "valid", data_format: Any = None,
        activation: Any = None, use_bias: bool = True, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(activation, use_bias, **kwargs)
        self.data_format = channels_last(data_format)
        self.filters, self.padding = count_of(filters, "filters"), padding_of(padding)
        self.kernel_size, self.strides = pair(kernel_size), pair(strides)

    def build(self, input_shape: Any) -> None:
        self._make((*self.kernel_size, self.filters, input_shape[-1]), self.filters)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        x = as_tensor(inputs)
        goal = self.compute_output_shape(x.static_shape)[1:3]
        if None in goal:
            raise NotImplementedError("flywheel.keras.layers.Conv2DTranspose: images of a size that a batch chooses")

        def emit(v: Any, w: Any) -> Any:
            return _nn.transposed(v, w, self.strides, goal, self.padding)

        return self._finish(make("conv2d_transpose", emit, x, self.kernel))

    def compute_output_shape(self, input_shape: Any) -> Any:
        sizes = [None if n is None else n * s + (max(k - s, 0) if self.padding == "valid" else 0)
                 for n, k, s in zip(input_shape[1:3], self.kernel_size, self.strides)]  # fmt: skip
        return (input_shape[0], *sizes, self.filters)


class DepthwiseConv2D(Weighted):
    """activation(each channel by filters of its own + bias)."""

    _rank = 4

    arguments: Tuple[str, ...] = (
        "kernel_size", "strides", "padding", "depth_multiplier", "data_format", "depthwise_initializer",
        "depthwise_regularizer", "depthwise_constraint")  # fmt: skip

    def __init__(
        self, kernel_size: Any, strides: Any = (1, 1), padding: str = "valid", depth_multiplier: int = 1,
        data_format: Any = None, activation: Any = None, use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform", depthwise_regularizer: Any = None,
        depthwise_constraint: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(activation, use_bias, **kwargs)
        self.data_format = channels_last(data_format)
        self.depth_multiplier, self.padding = depth_multiplier, padding_of(padding)
        self.kernel_size, self.strides = pair(kernel_size), pair(strides)
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
        self._make_depthwise(input_shape[-1])
        self._make_bias(input_shape[-1] * self.depth_multiplier)

    def _depthwise(self, inputs: Any) -> Any:
        return make("depthwise", lambda x, w: _traced.conv2d(
            x, _ops.reshape(w, [*w._dims[:2], 1, w._dims[2] * w._dims[3]]), strides=self.strides, padding=self.padding),
            as_tensor(inputs), self.depthwise_kernel)  # fmt: skip

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return self._finish(self._depthwise(inputs))

    def _sizes(self, input_shape: Any) -> Any:
        return [output_size(n, k, s, self.padding)
                for n, k, s in zip(input_shape[1:3], self.kernel_size, self.strides)]  # fmt: skip

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (input_shape[0], *self._sizes(input_shape), input_shape[3] * self.depth_multiplier)


class SeparableConv2D(DepthwiseConv2D):
    """activation(a `DepthwiseConv2D`, then a mixture of channels at each place, + bias)."""

    arguments = ("filters", "pointwise_initializer", "pointwise_regularizer", "pointwise_constraint")

    def __init__(
        self, filters: int, kernel_size: Any, strides: Any = (1, 1), padding: str = "valid", data_format: Any = None,
        depth_multiplier: int = 1, activation: Any = None, use_bias: bool = True,
        pointwise_initializer: Any = "glorot_uniform", pointwise_regularizer: Any = None,
        pointwise_constraint: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(kernel_size, strides, padding, depth_multiplier, data_format, activation, use_bias, **kwargs)
        self.filters = filters
        self.pointwise_initializer = initializers.get(pointwise_initializer)
        self.pointwise_regularizer = regularizers.get(pointwise_regularizer)
        self.pointwise_constraint = constraints.get(pointwise_constraint)

    def build(self, input_shape: Any) -> None:
        self._make_depthwise(input_shape[-1])
        self.pointwise_kernel = self.add_weight(
            "pointwise_kernel", (1, 1, input_shape[-1] * self.depth_multiplier, self.filters), None,
            self.pointwise_initializer, self.pointwise_regularizer, True, self.pointwise_constraint)  # fmt: skip
        self._make_bias(self.filters)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return self._finish(make("separable", lambda x, w: _traced.conv2d(x, w, strides=[1, 1], padding="valid"),
                                 self._depthwise(inputs), self.pointwise_kernel))  # fmt: skip

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (input_shape[0], *self._sizes(input_shape), self.filters)
