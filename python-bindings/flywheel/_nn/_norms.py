# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers that normalize. Their variables are float32 where x has 16 bits."""

from typing import Any, List, Optional, Sequence, Tuple, Union

from .._core import dtypes as _dtypes
from .._core.argument_checks import number
from .._core.tensor import Tensor, TensorLike
from .._errors.messages import wrong
from .._ops import nn_ops as ops
from ..initializers import Ones, Zeros
from ..module import Module
from ..variables import Variable
from . import functions
from ._common import as_input, count_of, ones, wide_dtype, zeros

__all__ = ["BatchNorm", "GroupNorm", "LayerNorm", "RMSNorm"]

Sizes = Union[int, Sequence[int]]


def _sizes(value: Sizes) -> Tuple[int, ...]:
    return tuple(count_of(n, "a size") for n in (value if isinstance(value, (list, tuple)) else [value]))


def _last_axes(x: Tensor, count: int) -> List[int]:
    return list(range(x.ndim - count, x.ndim))


class LayerNorm(Module):
    """(x - mean) / sqrt(variance + epsilon) gamma + beta over the last dimension, or the last several: see
    `flywheel.nn.layer_norm`.

    `size` is that of the last dimension, or of the last ones. Variables: `gamma` of ones, and with `bias` the `beta` of
    zeros, of these sizes. x is [..., size] of `dtype`, with a leading dimension.
    """

    def __init__(
        self, size: Sizes, *, epsilon: float = 0.001, bias: bool = True, dtype: Any = _dtypes.float32
    ) -> None:
        self.sizes, self.epsilon, self.dtype = _sizes(size), epsilon, _dtypes.as_dtype(dtype)
        self.gamma = ones(self.sizes, wide_dtype(dtype))
        self.beta = zeros(self.sizes, wide_dtype(dtype)) if bias else None

    def __call__(self, x: TensorLike) -> Tensor:
        x = as_input(self, x, self.dtype, ("...", *self.sizes))
        return ops.layer_norm(x, self.gamma, self.beta, axes=_last_axes(x, len(self.sizes)), epsilon=self.epsilon)


class RMSNorm(Module):
    """x / sqrt(mean(x^2) + epsilon) gamma over the last dimension, or the last several: see `flywheel.nn.rms_norm`.

    `size` as in `LayerNorm`. Variable: `gamma` of ones.
    """

    def __init__(self, size: Sizes, *, epsilon: float = 0.001, dtype: Any = _dtypes.float32) -> None:
        self.sizes, self.epsilon, self.dtype = _sizes(size), epsilon, _dtypes.as_dtype(dtype)
        self.gamma = ones(self.sizes, wide_dtype(dtype))

    def __call__(self, x: TensorLike) -> Tensor:
        x = as_input(self, x, self.dtype, ("...", *self.sizes))
        return ops.rms_norm(x, self.gamma, axes=_last_axes(x, len(self.sizes)), epsilon=self.epsilon)


class GroupNorm(Module):
    """Each group of channels of each sample with mean 0 and variance 1, times gamma, plus beta: see
    `flywheel.nn.group_norm`.

    x is [batch, ..., channels] of `dtype`. Variables: `gamma` of ones and `beta` of zeros, [channels]. Raises
    ValueError where `groups` does not divide the channels.
    """

    def __init__(self, groups: int, channels: int, *, epsilon: float = 0.001, dtype: Any = _dtypes.float32) -> None:
        self.groups, self.channels = count_of(groups, "groups"), count_of(channels, "channels")
        if self.channels % self.groups:
            raise ValueError(f"expected channels in {self.groups} groups, found {self.channels}")
        self.epsilon, self.dtype = epsilon, _dtypes.as_dtype(dtype)
        self.gamma, self.beta = (make((self.channels,), wide_dtype(dtype)) for make in (ones, zeros))

    def __call__(self, x: TensorLike) -> Tensor:
        x = as_input(self, x, self.dtype, ("...", "batch", self.channels))
        return functions.group_norm(x, self.groups, self.gamma, self.beta, epsilon=self.epsilon)


class BatchNorm(Module):
    """Each channel with mean 0 and variance 1, times gamma, plus beta: those of the batch where `training`, which moves
    the averages `mean` and `variance`, else by these. See `flywheel.nn.batch_norm`.

    x is [..., channels] of `dtype`, of rank 2 at least. Variables, [channels]: `gamma` and `beta`; `mean` of zeros and
    `variance` of ones, which are not trainable.
    """

    def __init__(
        self, channels: int, *, momentum: float = 0.99, epsilon: float = 0.001, dtype: Any = _dtypes.float32
    ) -> None:
        self.channels, self.dtype = count_of(channels, "channels"), _dtypes.as_dtype(dtype)
        self.momentum, self.epsilon = number("momentum", momentum), epsilon
        if not 0 <= self.momentum <= 1:
            raise wrong(ValueError, "a number within [0, 1], the part of the averages that a step keeps,",
                        repr(momentum), "momentum")  # fmt: skip
        shape, wide = (self.channels,), wide_dtype(dtype)
        self.gamma: Optional[Variable] = ones(shape, wide)
        self.beta: Optional[Variable] = zeros(shape, wide)
        self.mean = Variable(Zeros(), shape=shape, dtype=wide, trainable=False)
        self.variance = Variable(Ones(), shape=shape, dtype=wide, trainable=False)

    def __call__(self, x: TensorLike, *, training: bool) -> Tensor:
        x = as_input(self, x, self.dtype, ("...", "batch", self.channels))
        return functions.batch_norm(x, self.gamma, self.beta, self.mean, self.variance, training=training,
                                    momentum=self.momentum, epsilon=self.epsilon)  # fmt: skip
