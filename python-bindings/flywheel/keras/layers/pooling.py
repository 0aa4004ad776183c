# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of windows of images and of time."""

from typing import Any

from ... import _ops
from ... import nn as _traced
from ...v1.conversion import as_tensor, make
from .. import backend as K
from ..engine import Layer
from ._windows import channels_last, output_size, padding_of, pair, single


class _Pooling2D(Layer):
    _rank = 4
    arguments = ("pool_size", "strides", "padding", "data_format")

    def __init__(
        self, pool_size: Any = (2, 2), strides: Any = None, padding: str = "valid", data_format: Any = None,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.data_format = channels_last(data_format)
        self.pool_size, self.padding = pair(pool_size), padding_of(padding)
        self.strides = self.pool_size if strides is None else pair(strides)

    _function: Any = None

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        function = type(self)._function
        return make(type(self).__name__, lambda x: function(x, self.pool_size, strides=self.strides,
                                                            padding=self.padding), as_tensor(inputs))  # fmt: skip

    def compute_output_shape(self, input_shape: Any) -> Any:
        sizes = [output_size(n, k, s, self.padding) for n, k, s in zip(input_shape[1:3], self.pool_size, self.strides)]
        return (input_shape[0], *sizes, input_shape[3])


class MaxPooling2D(_Pooling2D):
    """The largest element of each window."""

    _function = staticmethod(_traced.max_pool2d)


class AveragePooling2D(_Pooling2D):
    """The mean of each window."""

    _function = staticmethod(_traced.avg_pool2d)


class GlobalAveragePooling2D(Layer):
    """The mean of each channel."""

    _rank = 4

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return K.mean(inputs, [1, 2])

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (input_shape[0], input_shape[3])


class GlobalMaxPooling2D(GlobalAveragePooling2D):
    """The largest element of each channel."""

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return K.max(inputs, [1, 2])


class _Pooling1D(Layer):
    _rank = 3
    arguments = ("pool_size", "strides", "padding", "data_format")

    def __init__(
        self, pool_size: Any = 2, strides: Any = None, padding: str = "valid", data_format: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.data_format = channels_last(data_format)
        self.pool_size, self.padding = single(pool_size), padding_of(padding)
        self.strides = self.pool_size if strides is None else single(strides)

    _function: Any = None

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        function = type(self)._function

        def emit(x: Any) -> Any:
            y = function(_ops.expand_dims(x, 2), [self.pool_size[0], 1], strides=[self.strides[0], 1],
                         padding=self.padding)  # fmt: skip
            return _ops.squeeze(y, 2)

        return make(type(self).__name__, emit, as_tensor(inputs))

    def compute_output_shape(self, input_shape: Any) -> Any:
        size = output_size(input_shape[1], self.pool_size[0], self.strides[0], self.padding)
        return (input_shape[0], size, input_shape[2])


class MaxPooling1D(_Pooling1D):
    """The largest element of each window of time."""

    _function = staticmethod(_traced.max_pool2d)


class AveragePooling1D(_Pooling1D):
    """The mean of each window of time."""

    _function = staticmethod(_traced.avg_pool2d)


class GlobalAveragePooling1D(Layer):
    """The mean over time."""

    _rank = 3

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return K.mean(inputs, 1)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (input_shape[0], input_shape[2])


class GlobalMaxPooling1D(GlobalAveragePooling1D):
    """The largest element over time."""

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return K.max(inputs, 1)
