# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of volumes, [batch, depth, height, width, channels]. The sizes of space are static."""

from typing import Any, List

from ... import _ops
from ... import nn as _traced
from ..._windows import convolve, pool
from ...v1.conversion import as_tensor, make
from ..engine import Layer
from ._weighted import Weighted, count_of
from ._windows import channels_last, output_size, padding_of


def _triple(value: Any) -> List[int]:
    return [value] * 3 if isinstance(value, int) else [int(v) for v in value]


def _pads(x: Any, windows: List[int], strides: List[int], padding: str) -> Any:
    """Returns the padding around a volume; if the number is odd, the last one is at the end."""
    pads = []
    for total, window, stride in zip(x._dims[1:4], windows, strides):
        if total is None:
            raise ValueError("flywheel.keras: layers of volumes take volumes of static size")
        missing = max((-(-total // stride) - 1) * stride + window - total, 0) if padding == "same" else 0
        pads.append((missing // 2, missing - missing // 2))
    return pads


class Conv3D(Weighted):
    """activation(cross-correlation with the kernel + bias)."""

    _rank = 5

    arguments = ("filters", "kernel_size", "strides", "padding", "data_format", "dilation_rate")

    def __init__(
        self, filters: int, kernel_size: Any, strides: Any = (1, 1, 1), padding: str = "valid",
        data_format: Any = None, dilation_rate: Any = (1, 1, 1), activation: Any = None, use_bias: bool = True,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(activation, use_bias, **kwargs)
        self.data_format = channels_last(data_format)
        self.filters, self.padding = count_of(filters, "filters"), padding_of(padding)
        self.kernel_size, self.strides = _triple(kernel_size), _triple(strides)
        self.dilation_rate = _triple(dilation_rate)

    def build(self, input_shape: Any) -> None:
        self._make((*self.kernel_size, input_shape[-1], self.filters), self.filters)

    def _spans(self) -> List[int]:
        return [(k - 1) * d + 1 for k, d in zip(self.kernel_size, self.dilation_rate)]

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        def emit(x: Any, w: Any) -> Any:
            pads = _pads(x, self._spans(), self.strides, self.padding)
            return convolve(x, w, self.strides, pads, self.dilation_rate)

        return self._finish(make("Conv3D", emit, as_tensor(inputs), self.kernel))

    def compute_output_shape(self, input_shape: Any) -> Any:
        sizes = [output_size(n, k, s, self.padding)
                 for n, k, s in zip(input_shape[1:4], self._spans(), self.strides)]  # fmt: skip
        return (input_shape[0], *sizes, self.filters)


class _Pooling3D(Layer):
    _rank = 5
    arguments = ("pool_size", "strides", "padding", "data_format")

    def __init__(
        self, pool_size: Any = (2, 2, 2), strides: Any = None, padding: str = "valid", data_format: Any = None,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.data_format = channels_last(data_format)
        self.pool_size, self.padding = _triple(pool_size), padding_of(padding)
        self.strides = self.pool_size if strides is None else _triple(strides)

    _function: Any = None

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        function = type(self)._function

        def emit(x: Any) -> Any:
            pads = _pads(x, self.pool_size, self.strides, self.padding)
            return pool(function, x, self.pool_size, self.strides, pads)

        return make(type(self).__name__, emit, as_tensor(inputs))

    def compute_output_shape(self, input_shape: Any) -> Any:
        sizes = [output_size(n, k, s, self.padding) for n, k, s in zip(input_shape[1:4], self.pool_size, self.strides)]
        return (input_shape[0], *sizes, input_shape[4])


class MaxPooling3D(_Pooling3D):
    """The largest element of each window."""

    _function = staticmethod(_traced.max_pool2d)


class AveragePooling3D(_Pooling3D):
    """The mean of each window."""

    _function = staticmethod(_traced.avg_pool2d)


class GlobalAveragePooling3D(Layer):
    """The mean of each channel."""

    _rank = 5

    _function: Any = staticmethod(_ops.mean)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        function = type(self)._function
        return make(type(self).__name__, lambda x: function(x, (1, 2, 3)), as_tensor(inputs))

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (input_shape[0], input_shape[4])


class GlobalMaxPooling3D(GlobalAveragePooling3D):
    """The largest element of each channel."""

    _function = staticmethod(_ops.max)


class ZeroPadding3D(Layer):
    """Zeros around volumes."""

    arguments = ("padding",)

    def __init__(self, padding: Any = (1, 1, 1), **kwargs: Any) -> None:
        super().__init__(**kwargs)
        parts = [padding] * 3 if isinstance(padding, int) else list(padding)
        self.padding = [(p, p) if isinstance(p, int) else tuple(p) for p in parts]

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return make("Pad", lambda x: _ops.pad(x, [(0, 0), *self.padding, (0, 0)], 0), as_tensor(inputs))

    def compute_output_shape(self, input_shape: Any) -> Any:
        sizes = [None if n is None else n + a + b for n, (a, b) in zip(input_shape[1:4], self.padding)]
        return (input_shape[0], *sizes, input_shape[4])


class UpSampling3D(Layer):
    """Each element repeated in each direction."""

    arguments = ("size",)

    def __init__(self, size: Any = (2, 2, 2), data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        channels_last(data_format)
        self.size = _triple(size)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        def emit(x: Any) -> Any:
            for axis, times in enumerate(self.size, 1):
                x = _ops.repeat(x, times, axis)
            return x

        return make("UpSampling3D", emit, as_tensor(inputs))

    def compute_output_shape(self, input_shape: Any) -> Any:
        sizes = [None if n is None else n * times for n, times in zip(input_shape[1:4], self.size)]
        return (input_shape[0], *sizes, input_shape[4])
