# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sequences, images and volumes of other sizes, of the same elements."""

from typing import Any, Tuple

from ... import _ops
from ..legacy import interfaces as _legacy
from ..utils.conv_utils import normalize_tuple
from ._spatial import Spatial, cropped, moved, padded, pairs_of


class _UpSampling(Spatial):
    """Each element several times in each direction."""

    arguments: Tuple[str, ...] = ("size",)

    def __init__(self, size: Any = 2, data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)
        self.size: Any = self.several("size", size)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        def emit(x: Any) -> Any:
            for axis, times in enumerate(self.several("size", self.size), 1):
                x = _ops.repeat(x, times, axis)
            return x

        return self.computed(type(self).__name__, emit, inputs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        sizes = [None if n is None else n * k for n, k in
                 zip(self.space(input_shape), self.several("size", self.size))]  # fmt: skip
        return self.shape_of(input_shape[0], sizes, self.channels(input_shape))


@_legacy.upsampling1d
class UpSampling1D(_UpSampling):
    """Each step several times."""

    dims = 1

    def __init__(self, size: int = 2, **kwargs: Any) -> None:
        super().__init__(size, "channels_last", **kwargs)
        self.size = int(size)


@_legacy.data_format
class UpSampling2D(_UpSampling):
    """Each row and each column several times."""

    arguments = ("data_format",)


@_legacy.data_format
class UpSampling3D(_UpSampling):
    """Each element of volumes several times in each direction."""

    dims = 3
    arguments = ("data_format",)


class _ZeroPadding(Spatial):
    """Zeros around each example."""

    arguments: Tuple[str, ...] = ("padding",)

    def __init__(self, padding: Any = 1, data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)
        self.padding: Any = pairs_of(self, "padding", padding)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return self.computed("Pad", lambda x: padded(x, self._pairs()), inputs)

    def _pairs(self) -> Any:
        return self.padding

    def compute_output_shape(self, input_shape: Any) -> Any:
        sizes = [moved(n, a + b) for n, (a, b) in zip(self.space(input_shape), self._pairs())]
        return self.shape_of(input_shape[0], sizes, self.channels(input_shape))


class ZeroPadding1D(_ZeroPadding):
    """Zeros in front of sequences and behind them: `padding` is how many, one number or two."""

    dims = 1

    def __init__(self, padding: Any = 1, **kwargs: Any) -> None:
        Spatial.__init__(self, "channels_last", **kwargs)
        self.padding = normalize_tuple(padding, 2, "padding")

    def _pairs(self) -> Any:
        return [self.padding]


@_legacy.zeropadding2d
class ZeroPadding2D(_ZeroPadding):
    """Zeros around images."""

    arguments = ("data_format",)


@_legacy.data_format
class ZeroPadding3D(_ZeroPadding):
    """Zeros around volumes."""

    dims = 3
    arguments = ("data_format",)


class _Cropping(Spatial):
    """Each example without its borders."""

    arguments: Tuple[str, ...] = ("cropping",)

    def __init__(self, cropping: Any = 0, data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)
        self.cropping: Any = pairs_of(self, "cropping", cropping)

    def _pairs(self) -> Any:
        return self.cropping

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        return self.computed("Crop", lambda x: cropped(x, self._pairs()), inputs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        sizes = [moved(n, -a - b) for n, (a, b) in zip(self.space(input_shape), self._pairs())]
        return self.shape_of(input_shape[0], sizes, self.channels(input_shape))


class Cropping1D(_Cropping):
    """Sequences without their first and last steps: `cropping` is how many, one number or two."""

    dims = 1

    def __init__(self, cropping: Any = (1, 1), **kwargs: Any) -> None:
        Spatial.__init__(self, "channels_last", **kwargs)
        self.cropping = normalize_tuple(cropping, 2, "cropping")

    def _pairs(self) -> Any:
        return [self.cropping]


@_legacy.data_format
class Cropping2D(_Cropping):
    """Images without their borders."""

    arguments = ("data_format",)


@_legacy.data_format
class Cropping3D(_Cropping):
    """Volumes without their borders."""

    dims = 3
    arguments = ("data_format",)

    def __init__(self, cropping: Any = 1, data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(cropping, data_format, **kwargs)
