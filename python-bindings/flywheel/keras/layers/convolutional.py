# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of images, which are [batch, height, width, channels]."""

from typing import Any

from ... import _ops
from ... import nn as _traced
from ...v1.conversion import as_tensor, make
from ..engine import Layer
from ._weighted import Weighted
from ._windows import channels_last, output_size, pair


class Conv2D(Weighted):
    """activation(cross-correlation with the kernel + bias)."""

    def __init__(
        self, filters: int, kernel_size: Any, strides: Any = (1, 1), padding: str = "valid", data_format: Any = None,
        dilation_rate: Any = (1, 1), activation: Any = None, use_bias: bool = True, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(activation, use_bias, **kwargs)
        channels_last(data_format)
        self.filters, self.padding = filters, padding.lower()
        self.kernel_size, self.strides, self.dilation_rate = pair(kernel_size), pair(strides), pair(dilation_rate)

    def build(self, input_shape: Any) -> None:
        self._make((*self.kernel_size, input_shape[-1], self.filters), self.filters)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        def emit(x: Any, w: Any) -> Any:
            return _traced.conv2d(x, w, strides=self.strides, padding=self.padding, dilations=self.dilation_rate)

        return self._finish(make("Conv2D", emit, as_tensor(inputs), self.kernel))

    def compute_output_shape(self, input_shape: Any) -> Any:
        windows = [(k - 1) * d + 1 for k, d in zip(self.kernel_size, self.dilation_rate)]
        sizes = [output_size(n, k, s, self.padding) for n, k, s in zip(input_shape[1:3], windows, self.strides)]
        return (input_shape[0], *sizes, self.filters)


class ZeroPadding2D(Layer):
    """Zeros around images."""

    def __init__(self, padding: Any = (1, 1), **kwargs: Any) -> None:
        super().__init__(**kwargs)
        pairs = pair(padding) if isinstance(padding, int) else list(padding)
        self.padding = [(p, p) if isinstance(p, int) else tuple(p) for p in pairs]

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return make("Pad", lambda x: _ops.pad(x, [(0, 0), *self.padding, (0, 0)], 0), as_tensor(inputs))

    def compute_output_shape(self, input_shape: Any) -> Any:
        sizes = [None if n is None else n + a + b for n, (a, b) in zip(input_shape[1:3], self.padding)]
        return (input_shape[0], *sizes, input_shape[3])
