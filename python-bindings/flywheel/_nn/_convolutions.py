# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions of sequences, images and volumes, channels last."""

import math
from typing import Any, List, Optional, Sequence, Tuple, Union

from .. import _ops
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, TensorLike, format_shape
from .._errors.messages import wrong
from .._ops import nn_ops as ops
from .._ops.emission import sizes
from .._ops.shapes import reshape_to
from ..initializers import HeNormal, Initializer, TruncatedNormal
from ..module import Module
from ..variables import Variable
from ._common import as_input, bias_of, count_of
from .windows import convolve

__all__ = ["Conv1D", "Conv2D", "Conv3D", "ConvTranspose1D", "ConvTranspose2D"]

Counts = Union[int, Sequence[int]]
Padding = Union[str, Sequence[Tuple[int, int]]]


def _counts(value: Counts, rank: int, what: str) -> Tuple[int, ...]:
    found = tuple(value) if isinstance(value, (list, tuple)) else (value,) * rank
    if len(found) != rank:
        raise wrong(ValueError, f"a number or {rank} of them", repr(value), what)
    return tuple(count_of(n, what) for n in found)


def _padding(value: Padding, rank: int, words: Sequence[str]) -> Padding:
    if isinstance(value, str):
        if value not in words:
            raise wrong(ValueError, f"one of {', '.join(map(repr, words))} or {rank} pairs", f"'{value}'", "padding")
        return value
    try:
        pairs = [tuple(pair) for pair in value]
    except TypeError:
        raise TypeError(f"expected one of {', '.join(map(repr, words))} or {rank} pairs as padding, one before and one "
                        f"after each dimension, found {value!r}") from None  # fmt: skip
    if len(pairs) != rank or any(len(pair) != 2 or min(pair) < 0 for pair in pairs):
        raise wrong(ValueError, f"{rank} pairs of at least 0", repr(value), "padding")
    return [(pair[0], pair[1]) for pair in pairs]


class _Convolution(Module):
    _rank = 2
    _words: Tuple[str, ...] = ("valid", "same")

    def __init__(
        self, inputs: int, outputs: int, window: Counts, *, strides: Counts = 1, padding: Padding = "valid",
        dilations: Counts = 1, groups: int = 1, bias: bool = True, initializer: Optional[Initializer] = None,
        dtype: Any = _dtypes.float32,
    ) -> None:  # fmt: skip
        rank = self._rank
        self.inputs, self.outputs = count_of(inputs, "inputs"), count_of(outputs, "outputs")
        self.window, self.strides = _counts(window, rank, "window"), _counts(strides, rank, "strides")
        self.dilations, self.groups = _counts(dilations, rank, "dilations"), count_of(groups, "groups")
        self.padding = _padding(padding, rank, self._words)
        if self.inputs % self.groups or self.outputs % self.groups:
            raise ValueError(f"expected inputs and outputs in {self.groups} groups, found {self.inputs} and "
                             f"{self.outputs}")  # fmt: skip
        self.kernel = self._make_kernel(initializer, dtype)
        self.bias = bias_of(bias, self.outputs, dtype)

    def _make_kernel(self, initializer: Optional[Initializer], dtype: Any) -> Variable:
        shape = (*self.window, self.inputs // self.groups, self.outputs)
        return Variable(initializer, shape=shape, dtype=dtype)

    def _input(self, x: TensorLike) -> Tensor:
        names = ("time",) if self._rank == 1 else ("depth", "height", "width")[3 - self._rank :]
        return as_input(self, x, self.kernel.dtype, ("batch", *names, self.inputs))

    def _spans(self) -> List[int]:
        return [(n - 1) * d + 1 for n, d in zip(self.window, self.dilations)]

    def _with_bias(self, y: Tensor) -> Tensor:
        return y if self.bias is None else _ops.add(y, self.bias)


class Conv2D(_Convolution):
    """Cross-correlation of images [batch, height, width, inputs] with filters, plus the bias: see `flywheel.nn.conv2d`.

    `window`, `strides` and `dilations` are one number or two, `padding` is "valid", "same" or two pairs; each of
    `groups` is convolved by itself. Variables of `dtype`: `kernel` [height, width, inputs / groups, outputs], by
    default of Glorot's uniform distribution, `bias` [outputs]. Raises ValueError for sizes that do not fit.
    """

    def __call__(self, x: TensorLike) -> Tensor:
        return self._with_bias(ops.conv2d(self._input(x), self.kernel, strides=self.strides, padding=self.padding,
                                          dilations=self.dilations))  # fmt: skip


class Conv1D(_Convolution):
    """As `Conv2D`, of sequences [batch, time, inputs]; with the padding "causal" no output depends on later inputs."""

    _rank = 1
    _words = ("valid", "same", "causal")

    def __call__(self, x: TensorLike) -> Tensor:
        x = self._input(x)
        padding = [(self._spans()[0] - 1, 0)] if self.padding == "causal" else self.padding
        wide = padding if isinstance(padding, str) else [(0, 0), *padding]
        y = ops.conv2d(_ops.expand_dims(x, 1), _ops.expand_dims(self.kernel, 0), strides=[1, *self.strides],
                       padding=wide, dilations=[1, *self.dilations])  # fmt: skip
        return self._with_bias(_ops.squeeze(y, 1))


class Conv3D(_Convolution):
    """As `Conv2D`, of volumes [batch, depth, height, width, inputs], whose sizes but that of the batch are static."""

    _rank = 3

    def __call__(self, x: TensorLike) -> Tensor:
        x = self._input(x)
        space = [n for n in x._dims[1:4] if n is not None]
        if len(space) < 3:
            raise ValueError(f"layer '{self.name}' (Conv3D) takes volumes of static sizes, found "
                             f"{format_shape(x._dims)}")  # fmt: skip
        pads = [(0, 0)] * 3 if self.padding == "valid" else self.padding
        if isinstance(pads, str):
            both = [max((math.ceil(n / s) - 1) * s + span - n, 0)
                    for n, s, span in zip(space, self.strides, self._spans())]  # fmt: skip
            pads = [(n // 2, n - n // 2) for n in both]
        for n, pair, span in zip(space, pads, self._spans()):
            if n + sum(pair) < span:
                raise ValueError(f"layer '{self.name}' (Conv3D) has windows of {self._spans()}, found volumes of "
                                 f"{space}")  # fmt: skip
        return self._with_bias(convolve(x, self.kernel.read(), self.strides, pads, self.dilations))


class ConvTranspose2D(_Convolution):
    """Transposed convolution of images [batch, height, width, inputs] of static height and width, plus the bias: see
    `flywheel.nn.conv2d_transpose`.

    The result is `strides` times as large with the padding "same", and holds all windows with "valid". Variables of
    `dtype`: `kernel` [height, width, outputs / groups, inputs], as the convolution that it transposes has it, and
    `bias` [outputs]; fans are those of this layer.
    """

    def _make_kernel(self, initializer: Optional[Initializer], dtype: Any) -> Variable:
        shape = (*self.window, self.outputs // self.groups, self.inputs)
        if isinstance(initializer, HeNormal):
            # The fan of the shape is that of the other direction.
            fan = self.inputs // self.groups * math.prod(self.window)
            initializer = TruncatedNormal(stddev=math.sqrt(2 / fan), seed=initializer.seed)
        return Variable(initializer, shape=shape, dtype=dtype)

    def __call__(self, x: TensorLike) -> Tensor:
        return self._with_bias(self._transpose(self._static(x), self.kernel, strides=self.strides,
                                               padding=self.padding, dilations=self.dilations))  # fmt: skip

    def _transpose(self, x: Tensor, kernel: TensorLike, **attributes: Any) -> Tensor:
        """Computes the transposed convolution of each group of channels, side by side."""
        if self.groups == 1:
            return ops.conv2d_transpose(x, kernel, **attributes)
        parts = zip(_ops.split(x, self.groups, -1), _ops.split(kernel, self.groups, -1))
        return _ops.concatenate([ops.conv2d_transpose(one, own, **attributes) for one, own in parts], -1)

    def _static(self, x: TensorLike) -> Tensor:
        given = self._input(x)
        if None in given._dims[1:-1]:
            raise ValueError(f"layer '{self.name}' ({type(self).__name__}) takes images of static sizes, found "
                             f"{format_shape(given._dims)}")  # fmt: skip
        return given


class ConvTranspose1D(ConvTranspose2D):
    """As `ConvTranspose2D`, of sequences [batch, time, inputs] of static length."""

    _rank = 1

    def __call__(self, x: TensorLike) -> Tensor:
        x = self._static(x)
        wide = self.padding if isinstance(self.padding, str) else [(0, 0), *self.padding]
        y = self._transpose(_ops.expand_dims(x, 1), _ops.expand_dims(self.kernel, 0), padding=wide,
                            strides=[1, *self.strides], dilations=[1, *self.dilations])  # fmt: skip
        old = sizes(y)
        return self._with_bias(reshape_to(y, [old[0], *old[2:]]))
