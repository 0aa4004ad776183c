# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pools of windows of sequences, images and volumes."""

from typing import Any, Callable

from ... import nn as _traced
from ..._nn.windows import pool
from .. import backend as K
from ..engine.specs import InputSpec
from ..engine.topology import Layer
from ..legacy import interfaces as _legacy
from ..utils.conv_utils import conv_output_length, normalize_padding
from ._spatial import Spatial, pads_of

__all__ = [
    "AveragePooling1D", "AveragePooling2D", "AveragePooling3D", "AvgPool1D", "AvgPool2D", "AvgPool3D",
    "GlobalAveragePooling1D", "GlobalAveragePooling2D", "GlobalAveragePooling3D", "GlobalAvgPool1D", "GlobalAvgPool2D",
    "GlobalAvgPool3D", "GlobalMaxPool1D", "GlobalMaxPool2D", "GlobalMaxPool3D", "GlobalMaxPooling1D",
    "GlobalMaxPooling2D", "GlobalMaxPooling3D", "MaxPool1D", "MaxPool2D", "MaxPool3D", "MaxPooling1D", "MaxPooling2D",
    "MaxPooling3D",
]  # fmt: skip


class _Pooling(Spatial):
    """One number for each window and channel."""

    arguments = ("pool_size", "strides", "padding", "data_format")
    _function: Callable[..., Any]

    def __init__(
        self, pool_size: Any = 2, strides: Any = None, padding: str = "valid", data_format: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(data_format, **kwargs)
        self.pool_size = self.several("pool_size", pool_size)
        self.strides = self.pool_size if strides is None else self.several("strides", strides)
        self.padding = normalize_padding(padding)
        if self.padding == "causal":
            raise ValueError(f"expected the padding 'valid' or 'same' of {type(self).__name__}, found 'causal'")

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        def emit(x: Any) -> Any:
            pads = pads_of(x, self.pool_size, self.strides, self.padding)
            return pool(type(self)._function, x, self.pool_size, self.strides, pads)

        return self.computed(type(self).__name__, emit, inputs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        sizes = [conv_output_length(n, k, self.padding, s)
                 for n, k, s in zip(self.space(input_shape), self.pool_size, self.strides)]  # fmt: skip
        return self.shape_of(input_shape[0], sizes, self.channels(input_shape))


@_legacy.pooling1d
class MaxPooling1D(_Pooling):
    """The largest element of each window of time."""

    dims = 1
    _function = staticmethod(_traced.max_pool2d)


@_legacy.pooling1d
class AveragePooling1D(_Pooling):
    """The mean of each window of time."""

    dims = 1
    _function = staticmethod(_traced.avg_pool2d)


@_legacy.pooling
class MaxPooling2D(_Pooling):
    """The largest element of each window."""

    _function = staticmethod(_traced.max_pool2d)


@_legacy.pooling
class AveragePooling2D(_Pooling):
    """The mean of each window."""

    _function = staticmethod(_traced.avg_pool2d)


@_legacy.pooling
class MaxPooling3D(_Pooling):
    """The largest element of each window of volumes of static size."""

    dims = 3
    _function = staticmethod(_traced.max_pool2d)


@_legacy.pooling
class AveragePooling3D(_Pooling):
    """The mean of each window of volumes of static size."""

    dims = 3
    _function = staticmethod(_traced.avg_pool2d)


class GlobalAveragePooling1D(Layer):
    """The mean over time."""

    input_spec = InputSpec(ndim=3)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return K.mean(inputs, 1)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (input_shape[0], input_shape[2])


class GlobalMaxPooling1D(GlobalAveragePooling1D):
    """The largest element over time."""

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return K.max(inputs, 1)


class _GlobalPooling(Spatial):
    """One number for each channel."""

    arguments = ("data_format",)
    _reduce: Callable[..., Any]

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        first = 2 if self.data_format == "channels_first" else 1
        return type(self)._reduce(inputs, list(range(first, first + self.dims)))

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (input_shape[0], self.channels(input_shape))


@_legacy.global_pooling
class GlobalAveragePooling2D(_GlobalPooling):
    """The mean of each channel."""

    _reduce = staticmethod(K.mean)


@_legacy.global_pooling
class GlobalMaxPooling2D(_GlobalPooling):
    """The largest element of each channel."""

    _reduce = staticmethod(K.max)


@_legacy.global_pooling
class GlobalAveragePooling3D(_GlobalPooling):
    """The mean of each channel."""

    dims = 3
    _reduce = staticmethod(K.mean)


@_legacy.global_pooling
class GlobalMaxPooling3D(_GlobalPooling):
    """The largest element of each channel."""

    dims = 3
    _reduce = staticmethod(K.max)


AvgPool1D, MaxPool1D, AvgPool2D, MaxPool2D = AveragePooling1D, MaxPooling1D, AveragePooling2D, MaxPooling2D
AvgPool3D, MaxPool3D = AveragePooling3D, MaxPooling3D
GlobalMaxPool1D, GlobalAvgPool1D = GlobalMaxPooling1D, GlobalAveragePooling1D
GlobalMaxPool2D, GlobalAvgPool2D = GlobalMaxPooling2D, GlobalAveragePooling2D
GlobalMaxPool3D, GlobalAvgPool3D = GlobalMaxPooling3D, GlobalAveragePooling3D
