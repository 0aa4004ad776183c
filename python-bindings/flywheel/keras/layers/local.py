# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of windows with weights of their own at each place."""

from typing import Any, List, Tuple

from ... import _ops
from ...v1.conversion import as_tensor, make
from .. import backend as K
from ..engine.specs import InputSpec
from ..utils import conv_utils
from ._weighted import Weighted, count_of


class _Local(Weighted):
    """The base of these layers: the kernel is [places, elements of a window, filters], with a bias for each place."""

    arguments: Tuple[str, ...] = ("filters", "kernel_size", "strides", "padding", "data_format")
    _dimensions = 1

    def __init__(
        self, filters: int, kernel_size: Any, strides: Any = 1, padding: str = "valid", data_format: Any = None,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.filters = count_of(filters, "filters")
        self.kernel_size = conv_utils.normalize_tuple(kernel_size, self._dimensions, "kernel_size")
        self.strides = conv_utils.normalize_tuple(strides, self._dimensions, "strides")
        self.padding = conv_utils.normalize_padding(padding)
        if self.padding != "valid":
            raise ValueError(f"Invalid border mode for {type(self).__name__} (only \"valid\" is supported): {padding}")
        self.data_format = conv_utils.normalize_data_format(data_format) if self._dimensions > 1 else "channels_last"

    def _sizes(self, shape: Any) -> Tuple[List[int], int]:
        """Returns the sizes of the dimensions that windows move along, and the number of channels."""
        first = self.data_format == "channels_first"
        sizes, channels = (shape[2:], shape[1]) if first else (shape[1:-1], shape[-1])
        if None in sizes or channels is None:
            raise ValueError("The spatial dimensions of the inputs to a locally connected layer should be fully "
                             f"defined, but layer received the inputs shape {tuple(shape)}")  # fmt: skip
        return list(sizes), channels

    def _places(self, shape: Any) -> List[int]:
        return [(n - k) // s + 1 for n, k, s in zip(self._sizes(shape)[0], self.kernel_size, self.strides)]

    def build(self, input_shape: Any) -> None:
        self.kernel_shape = (_product(self._places(input_shape)),
                             _product(self.kernel_size) * self._sizes(input_shape)[1], self.filters)  # fmt: skip
        self.kernel = self.add_weight("kernel", self.kernel_shape, None, self.kernel_initializer,
                                      self.kernel_regularizer, True, self.kernel_constraint)  # fmt: skip
        self.bias = None
        if self.use_bias:
            shape = (*self._places(input_shape), self.filters)
            self.bias = self.add_weight("bias", shape, None, self.bias_initializer, self.bias_regularizer, True,
                                        self.bias_constraint)  # fmt: skip
        self.built = True

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        x = as_tensor(inputs)
        shape = K.int_shape(x)
        places = self._places(shape)
        first = self.data_format == "channels_first"

        def emit(x: Any, kernel: Any, *bias: Any) -> Any:
            x = _ops.moveaxis(x, 1, -1) if first else x
            # [batch, places, window] of one slice for each place in a window, in the order of the kernel.
            parts = [x]
            for axis, (size, step, count) in enumerate(zip(self.kernel_size, self.strides, places), 1):
                parts = [_strided(part, axis, offset, step, count) for part in parts for offset in range(size)]
            # Keras orders the elements of a window by channels first if images are.
            window = _ops.stack(parts, -1 if first else -2)
            flat = _ops.reshape(window, [_ops.dim(x, 0), self.kernel_shape[0], self.kernel_shape[1]])
            # A product for each place.
            y = _ops.moveaxis(_ops.matmul(_ops.moveaxis(flat, 1, 0), kernel), 0, 1)
            y = _ops.reshape(y, [_ops.dim(x, 0), *places, self.filters])
            y = _ops.add(y, bias[0]) if bias else y
            return _ops.moveaxis(y, -1, 1) if first else y

        outer = [self.filters, *places] if first else [*places, self.filters]
        own = [self.kernel] if self.bias is None else [self.kernel, self.bias]
        y = make(type(self).__name__, emit, x, *own, types=[(x.dtype, (shape[0], *outer))])
        return self._activate(y)

    def compute_output_shape(self, input_shape: Any) -> Any:
        places = self._places(input_shape)
        first = self.data_format == "channels_first"
        return (input_shape[0], *([self.filters, *places] if first else [*places, self.filters]))


def _product(numbers: Any) -> int:
    found = 1
    for n in numbers:
        found *= n
    return found


def _strided(x: Any, axis: int, offset: int, step: int, count: int) -> Any:
    keys: List[Any] = [slice(None)] * x.ndim
    keys[axis] = slice(offset, offset + (count - 1) * step + 1, step)
    return _ops.getitem(x, tuple(keys))


class LocallyConnected1D(_Local):
    """Windows along [batch, steps, channels], each place with a kernel of its own: [batch, places, filters]."""

    input_spec = InputSpec(ndim=3)

    def __init__(self, filters: int, kernel_size: Any, strides: Any = 1, padding: str = "valid", **kwargs: Any) -> None:
        super().__init__(filters, kernel_size, strides, padding, kwargs.pop("data_format", None), **kwargs)


class LocallyConnected2D(_Local):
    """Windows along images, each place with a kernel of its own: [batch, rows, columns, filters]."""

    _dimensions = 2
    input_spec = InputSpec(ndim=4)

    def __init__(
        self, filters: int, kernel_size: Any, strides: Any = (1, 1), padding: str = "valid", data_format: Any = None,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(filters, kernel_size, strides, padding, data_format, **kwargs)
