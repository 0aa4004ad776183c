# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions of images, [batch, height, width, channels], and of sequences, [batch, time, channels]."""

from typing import Any

from ... import _ops
from ... import nn as _traced
from ...v1.conversion import as_tensor, make
from ..engine import Layer
from ._weighted import Weighted, count_of
from ._windows import channels_last, output_size, padding_of, pair, single


class Conv2D(Weighted):
    """activation(cross-correlation with the kernel + bias)."""

    _rank = 4

    arguments = ("filters", "kernel_size", "strides", "padding", "data_format", "dilation_rate")

    def __init__(
        self, filters: int, kernel_size: Any, strides: Any = (1, 1), padding: str = "valid", data_format: Any = None,
        dilation_rate: Any = (1, 1), activation: Any = None, use_bias: bool = True, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(activation, use_bias, **kwargs)
        self.data_format = channels_last(data_format)
        self.filters, self.padding = count_of(filters, "filters"), padding_of(padding)
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


class Conv1D(Weighted):
    """activation(cross-correlation with the kernel + bias) along time; with the padding "causal" no output depends on
    later inputs."""

    _rank = 3

    arguments = ("filters", "kernel_size", "strides", "padding", "data_format", "dilation_rate")

    def __init__(
        self, filters: int, kernel_size: Any, strides: Any = 1, padding: str = "valid", data_format: Any = None,
        dilation_rate: Any = 1, activation: Any = None, use_bias: bool = True, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(activation, use_bias, **kwargs)
        self.data_format = channels_last(data_format)
        self.filters, self.padding = count_of(filters, "filters"), padding.lower()
        if self.padding not in ("valid", "same", "causal"):
            raise ValueError(f"expected the padding 'valid', 'same' or 'causal', found '{padding}'")
        self.kernel_size, self.strides, self.dilation_rate = (single(n) for n in (kernel_size, strides, dilation_rate))

    def build(self, input_shape: Any) -> None:
        self._make((self.kernel_size[0], input_shape[-1], self.filters), self.filters)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        before = self._window() - 1

        def emit(x: Any, w: Any) -> Any:
            is_causal = self.padding == "causal"
            x = _ops.pad(x, [(0, 0), (before, 0), (0, 0)], 0) if is_causal else x
            y = _traced.conv2d(_ops.expand_dims(x, 2), _ops.expand_dims(w, 1), strides=[self.strides[0], 1],
                               padding="valid" if is_causal else self.padding,
                               dilations=[self.dilation_rate[0], 1])  # fmt: skip
            return _ops.squeeze(y, 2)

        return self._finish(make("Conv1D", emit, as_tensor(inputs), self.kernel))

    def _window(self) -> int:
        return int((self.kernel_size[0] - 1) * self.dilation_rate[0] + 1)

    def compute_output_shape(self, input_shape: Any) -> Any:
        padding = "valid" if self.padding == "valid" else "same"
        return (input_shape[0], output_size(input_shape[1], self._window(), self.strides[0], padding), self.filters)


class ZeroPadding2D(Layer):
    """Zeros around images."""

    _rank = 4

    arguments = ("padding",)

    def __init__(self, padding: Any = (1, 1), **kwargs: Any) -> None:
        super().__init__(**kwargs)
        pairs = pair(padding) if isinstance(padding, int) else list(padding)
        self.padding = [(p, p) if isinstance(p, int) else tuple(p) for p in pairs]

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return make("Pad", lambda x: _ops.pad(x, [(0, 0), *self.padding, (0, 0)], 0), as_tensor(inputs))

    def compute_output_shape(self, input_shape: Any) -> Any:
        sizes = [None if n is None else n + a + b for n, (a, b) in zip(input_shape[1:3], self.padding)]
        return (input_shape[0], *sizes, input_shape[3])
