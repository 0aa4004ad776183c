# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Images and sequences of other sizes, of the same elements."""

from typing import Any, List, Optional, Tuple

from ... import _ops
from ..._kinds import elements, integers
from ...v1.conversion import as_tensor, make
from ..engine import Layer
from ._windows import channels_last, pair


def _pair(name: str, value: Any) -> Tuple[int, int]:
    """Two integers, or one for both."""
    if isinstance(value, int):
        return value, value
    first, *rest = integers(name, value) or [0]
    if len(rest) != 1:
        raise ValueError(f"expected an integer or two as {name}, found {value!r}")
    return first, rest[0]


def _pairs(name: str, value: Any) -> List[Tuple[int, int]]:
    """Returns the numbers of rows and columns that are added or cropped before and after."""
    both = [value, value] if isinstance(value, int) else elements(name, value)
    return [_pair(name, one) for one in both]


def _sum(size: Optional[int], more: int) -> Optional[int]:
    return None if size is None else size + more


class UpSampling1D(Layer):
    """Each step several times."""

    _rank = 3

    arguments = ("size",)

    def __init__(self, size: int = 2, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.size = int(size)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return make("UpSampling1D", lambda x: _ops.repeat(x, self.size, 1), as_tensor(inputs))

    def compute_output_shape(self, input_shape: Any) -> Any:
        steps = input_shape[1]
        return (input_shape[0], None if steps is None else steps * self.size, input_shape[2])


class UpSampling2D(Layer):
    """Each row and each column several times."""

    _rank = 4

    arguments = ("size", "data_format")

    def __init__(self, size: Any = (2, 2), data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.size, self.data_format = pair(size), channels_last(data_format)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return make("UpSampling2D", lambda x: _ops.repeat(_ops.repeat(x, self.size[0], 1), self.size[1], 2),
                    as_tensor(inputs))  # fmt: skip

    def compute_output_shape(self, input_shape: Any) -> Any:
        sizes = [None if n is None else n * k for n, k in zip(input_shape[1:3], self.size)]
        return (input_shape[0], *sizes, input_shape[3])


class ZeroPadding1D(Layer):
    """Zeros before and after sequences."""

    _rank = 3

    arguments = ("padding",)

    def __init__(self, padding: Any = 1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.padding = _pair("padding", padding)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return make("Pad", lambda x: _ops.pad(x, [(0, 0), self.padding, (0, 0)], 0), as_tensor(inputs))

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (input_shape[0], _sum(input_shape[1], sum(self.padding)), input_shape[2])


class Cropping1D(Layer):
    """Sequences without their first and last steps."""

    _rank = 3

    arguments = ("cropping",)

    def __init__(self, cropping: Any = (1, 1), **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.cropping = _pair("cropping", cropping)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        first, last = self.cropping
        return make("Crop", lambda x: x[:, first : -last or None], as_tensor(inputs))

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (input_shape[0], _sum(input_shape[1], -sum(self.cropping)), input_shape[2])


class Cropping2D(Layer):
    """Images without their borders."""

    _rank = 4

    arguments = ("cropping", "data_format")

    def __init__(self, cropping: Any = ((0, 0), (0, 0)), data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.cropping, self.data_format = _pairs("cropping", cropping), channels_last(data_format)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        (top, bottom), (left, right) = self.cropping
        return make("Crop", lambda x: x[:, top : -bottom or None, left : -right or None], as_tensor(inputs))

    def compute_output_shape(self, input_shape: Any) -> Any:
        sizes = [_sum(n, -a - b) for n, (a, b) in zip(input_shape[1:3], self.cropping)]
        return (input_shape[0], *sizes, input_shape[3])
