# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random tensors of a step: others at each call, the same on every machine.

A draw is a function of the seed of the store, the seed of the op, how often the op
has run, and the place of the element.
"""

from typing import Any, Optional

from . import _dtypes, _trace
from ._ops._core import as_unsigned, static
from ._ops._creation import DimSizes, dim_sizes_of, zeros
from ._tensor import Tensor, wrap
from .initializers import Initializer, RandomNormal, RandomUniform, TruncatedNormal


def sample(distribution: Initializer, shape: DimSizes, dtype: Any = _dtypes.float32) -> Tensor:
    """Draws from an initializer. Sizes may be scalar tensors."""
    trace = _trace.current()
    if trace.effects_forbidden:
        raise ValueError(f"{trace.effects_forbidden} must not draw random numbers")
    kind = _dtypes.as_dtype(dtype)
    plain = _dtypes.as_dtype(kind.name[1:]) if _dtypes.is_unsigned(kind) else kind
    if not trace.draws:
        return zeros(shape, kind)
    dim_sizes = dim_sizes_of(shape)
    known = static(dim_sizes)
    dynamic = [dim_size for dim_size in dim_sizes if not isinstance(dim_size, int)]
    attributes: _trace.Attributes = {"distribution": distribution.attribute()}
    value = trace.op("train.random", dynamic, [trace.type(plain, known)], attributes)[0]
    return as_unsigned(wrap(value, plain, known), kind)


def uniform(
    shape: DimSizes = (), minval: float = 0.0, maxval: Optional[float] = None, *, dtype: Any = _dtypes.float32,
    seed: Optional[int] = None,
) -> Tensor:  # fmt: skip
    """Uniform draws from [minval, maxval), 1 by default. Raises ValueError for integers
    without `maxval`."""
    kind = _dtypes.as_dtype(dtype)
    if maxval is None:
        if not _dtypes.is_floating(kind):
            raise ValueError(f"Must specify maxval for integer dtype {kind}")
        maxval = 1.0
    return sample(RandomUniform(minval, maxval, seed), shape, kind)


def normal(
    shape: DimSizes = (), mean: float = 0.0, stddev: float = 1.0, *, dtype: Any = _dtypes.float32,
    seed: Optional[int] = None,
) -> Tensor:  # fmt: skip
    """Normal draws, of a floating-point type."""
    return sample(RandomNormal(mean, stddev, seed), shape, dtype)


def truncated_normal(
    shape: DimSizes = (), mean: float = 0.0, stddev: float = 1.0, *, dtype: Any = _dtypes.float32,
    seed: Optional[int] = None,
) -> Tensor:  # fmt: skip
    """Normal draws within two standard deviations of the mean."""
    return sample(TruncatedNormal(mean, stddev, seed), shape, dtype)


def bernoulli(p: float, shape: DimSizes = (), *, seed: Optional[int] = None) -> Tensor:
    """Booleans that hold with probability `p`."""
    return uniform(shape, seed=seed) < p
