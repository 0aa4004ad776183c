# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of windows of images."""

from typing import Any

from ... import nn as _traced
from ...v1.conversion import as_tensor, make
from .. import backend as K
from ..engine import Layer
from ._windows import channels_last, output_size, pair


class _Pooling2D(Layer):
    def __init__(
        self, pool_size: Any = (2, 2), strides: Any = None, padding: str = "valid", data_format: Any = None,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        channels_last(data_format)
        self.pool_size, self.padding = pair(pool_size), padding.lower()
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

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return K.mean(inputs, [1, 2])

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (input_shape[0], input_shape[3])


class GlobalMaxPooling2D(GlobalAveragePooling2D):
    """The largest element of each channel."""

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return K.max(inputs, [1, 2])
