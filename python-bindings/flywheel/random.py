# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random tensors of a step: others at each call, the same on every machine.

A draw is a function of the seed of the store, the seed of the op, how often the op
has run, and the place of the element.
"""

from typing import Any, Optional

import numpy as np

from . import _ops
from ._core import dtypes as _dtypes
from ._core import trace as _trace
from ._core.argument_checks import instance, number
from ._core.operators import Operators
from ._core.tensor import Tensor, TensorLike, as_tensor, is_integer
from ._derivatives.batched_draws import draw
from ._errors.messages import about, wrong
from ._ops.creation import DimSizes, dim_sizes_of, zeros
from ._ops.emission import as_unsigned, normalize_axis, static
from .initializers import Initializer, RandomNormal, RandomUniform, TruncatedNormal

__all__ = [
    "bernoulli", "categorical", "choice", "exponential", "gumbel", "laplace", "normal", "permutation", "rademacher",
    "randint", "sample", "truncated_normal", "uniform"]  # fmt: skip


def sample(distribution: Initializer, shape: DimSizes, dtype: Any = _dtypes.float32) -> Tensor:
    """Draws from an initializer. Sizes may be scalar tensors."""
    instance("distribution", distribution, Initializer, "an initializer")
    trace = _trace.current()
    if trace.batched_draws is None:
        trace.refuse_draws()
    kind = _dtypes.as_dtype(dtype)
    is_normal = isinstance(distribution, (RandomNormal, TruncatedNormal))
    if (is_normal and not _dtypes.is_floating(kind)) or kind == _dtypes.string:
        numbers = "floating-point numbers" if is_normal else "numbers"
        raise about(type(distribution).__name__, TypeError(f"draws {numbers}: expected a dtype of these, found "
                                                           f"{_dtypes.name_of(kind)}"), " ")  # fmt: skip
    plain = _dtypes.as_dtype(kind.name[1:]) if _dtypes.is_unsigned(kind) else kind
    if not trace.draws:
        return zeros(shape, kind)
    dim_sizes = dim_sizes_of(shape)
    attributes: _trace.Attributes = {"distribution": distribution.attribute()}
    return as_unsigned(draw(trace, attributes, plain, dim_sizes), kind)


def uniform(
    shape: DimSizes = (), minval: TensorLike = 0.0, maxval: Optional[TensorLike] = None, *,
    dtype: Any = _dtypes.float32, seed: Optional[int] = None,
) -> Tensor:  # fmt: skip
    """Uniform draws from [minval, maxval), 1 by default, of which each may be a scalar tensor. Raises ValueError for
    integers without `maxval`."""
    kind = _dtypes.as_dtype(dtype)
    if maxval is None and is_integer(shape) and is_integer(minval):
        raise wrong(ValueError, "a tuple of sizes", f"two integers, uniform({shape}, {minval})", "shape",
                    hint=f": write uniform(({shape}, {minval})) for a tensor of these sizes, "
                         f"uniform((), {shape}, {minval}) for a number between them")  # fmt: skip
    if maxval is None:
        if not _dtypes.is_floating(kind):
            raise ValueError(f"Must specify maxval for integer dtype {kind}")
        maxval = 1.0
    if isinstance(minval, Tensor) or isinstance(maxval, Tensor):
        return _between(shape, minval, maxval, kind, seed)
    if _dtypes.is_integer(kind):
        for name, bound in (("minval", minval), ("maxval", maxval)):
            if not number(name, bound).is_integer():
                raise wrong(ValueError, f"an integer for draws of {_dtypes.name_of(kind)}", bound, name)
    return sample(RandomUniform(minval, maxval, seed), shape, kind)


def _between(shape: DimSizes, minval: TensorLike, maxval: TensorLike, dtype: Any, seed: Optional[int]) -> Tensor:
    """Uniform draws between numbers of the step."""
    wide = _dtypes.float64 if _dtypes.is_integer(dtype) else dtype
    low, high = (_ops.cast(as_tensor(x), wide) for x in (minval, maxval))
    draws = low + (high - low) * uniform(shape, dtype=wide, seed=seed)
    return _ops.cast(_ops.floor(draws), dtype) if _dtypes.is_integer(dtype) else draws


def normal(
    shape: DimSizes = (), mean: float = 0.0, stddev: float = 1.0, *, dtype: Any = _dtypes.float32,
    seed: Optional[int] = None,
) -> Tensor:  # fmt: skip
    """Normal draws, of a floating-point type. Raises TypeError for two integers, which look like a shape."""
    if isinstance(shape, int) and isinstance(mean, int) and mean > 0 and stddev == 1.0:
        raise TypeError(f"normal({shape}, {mean}): expected the sizes in one tuple, ({shape}, {mean}), or a mean that "
                        f"is a float, {mean}.0")  # fmt: skip
    return sample(RandomNormal(mean, stddev, seed), shape, dtype)


def truncated_normal(
    shape: DimSizes = (), mean: float = 0.0, stddev: float = 1.0, *, dtype: Any = _dtypes.float32,
    seed: Optional[int] = None,
) -> Tensor:  # fmt: skip
    """Normal draws within two standard deviations of the mean."""
    return sample(TruncatedNormal(mean, stddev, seed), shape, dtype)


def bernoulli(p: TensorLike, shape: Optional[DimSizes] = None, *, seed: Optional[int] = None) -> Tensor:
    """Booleans that hold with probability `p`, a number within [0, 1] or a tensor, of whose shape they are unless
    `shape` is another one. Raises ValueError for another number."""
    if not isinstance(p, Operators) and not np.ndim(p) and not 0 <= number("p", p) <= 1:
        raise ValueError(f"expected a probability within [0, 1], found {p}")
    drawn: Tensor = uniform(as_tensor(p).shape if shape is None else shape, seed=seed) < p
    return drawn


#
# Distributions made of these
#


def randint(
    shape: DimSizes, minval: TensorLike, maxval: TensorLike, *, dtype: Any = _dtypes.int32, seed: Optional[int] = None
) -> Tensor:
    """Integers from `minval` up to but without `maxval`, of which each may be a scalar tensor."""
    return uniform(shape, minval, maxval, dtype=dtype, seed=seed)


def _open(shape: DimSizes, dtype: Any, seed: Optional[int]) -> Tensor:
    """Uniform draws from (0, 1]: their logarithm is finite."""
    return 1.0 - uniform(shape, dtype=dtype, seed=seed)


def exponential(shape: DimSizes = (), *, dtype: Any = _dtypes.float32, seed: Optional[int] = None) -> Tensor:
    """Draws from the exponential distribution of rate 1."""
    return -_ops.log(_open(shape, dtype, seed))


def gumbel(shape: DimSizes = (), *, dtype: Any = _dtypes.float32, seed: Optional[int] = None) -> Tensor:
    """Draws from Gumbel's distribution."""
    smallest = float(np.finfo(np.float32).tiny)
    return -_ops.log(_ops.maximum(-_ops.log(_open(shape, dtype, seed)), smallest))


def laplace(shape: DimSizes = (), *, dtype: Any = _dtypes.float32, seed: Optional[int] = None) -> Tensor:
    """Draws from Laplace's distribution of scale 1."""
    u = uniform(shape, -1.0, 1.0, dtype=dtype, seed=seed)
    return -_ops.sign(u) * _ops.log1p(-_ops.minimum(_ops.abs(u), 1.0 - 2.0**-24))


def rademacher(shape: DimSizes = (), *, dtype: Any = _dtypes.float32, seed: Optional[int] = None) -> Tensor:
    """-1 or 1, as likely as each other."""
    return _ops.cast(2 * randint(shape, 0, 2, seed=seed) - 1, dtype)


def categorical(
    logits: TensorLike, axis: int = -1, *, shape: Optional[DimSizes] = None, seed: Optional[int] = None
) -> Tensor:
    """Places along a dimension, int32, each with a probability in proportion to exp(logits). `shape` is that of the
    result, whose last dimensions are those of `logits` without `axis`: leading ones are several draws of each."""
    x = as_tensor(logits)
    if not _dtypes.is_floating(x.dtype):
        raise wrong(TypeError, "logarithms of probabilities, floating-point numbers,", _dtypes.name_of(x.dtype),
                    "logits", hint=": of counts w, write flywheel.log(flywheel.cast(w, 'float32'))")  # fmt: skip
    axis = normalize_axis(axis, x.ndim)
    given = [] if shape is None else [shape] if isinstance(shape, (int, np.integer, Tensor)) else list(shape)
    front = given[: max(len(given) - (x.ndim - 1), 0)]
    noise = gumbel([*front, *[_ops.dim(x, place) for place in range(x.ndim)]], dtype=x.dtype, seed=seed)
    return _ops.argmax(x + noise, len(front) + axis)


def permutation(x: TensorLike, *, seed: Optional[int] = None) -> Tensor:
    """The numbers below `x` in a random order, int32; or the slices of a tensor along its first dimension."""
    if isinstance(x, (int, np.integer)) or (isinstance(x, Tensor) and x._weak is not None):
        # Draws have 53 bits: numbers with equal draws, which would stay in order, are as good as none.
        return _ops.argsort(uniform([x], dtype=_dtypes.float64, seed=seed))  # type: ignore[list-item]
    x = as_tensor(x)
    if x.ndim == 0:
        raise about("permutation", ValueError("takes a number, or a tensor of one dimension or "
                                              "more, found a scalar"), " ")  # fmt: skip
    return _ops.take(x, permutation(x.shape[0], seed=seed), 0)


def choice(
    a: TensorLike, shape: DimSizes = (), replace: bool = True, p: Optional[TensorLike] = None, *,
    seed: Optional[int] = None,
) -> Tensor:  # fmt: skip
    """Numbers below `a`, or slices of a tensor along its first dimension, with probabilities `p`. Without `replace`,
    each one at most once. Raises ValueError for more draws than there are."""
    if isinstance(a, Tensor) and a._weak is not None and replace and p is None:
        return randint(shape, 0, a, seed=seed)
    is_count = isinstance(a, (int, np.integer)) or (isinstance(a, Tensor) and a._weak is not None)
    x = None if is_count else as_tensor(a)
    if x is not None and x.ndim == 0:
        raise about("choice", ValueError("takes a number, or a tensor of one dimension or more, found a scalar"), " ")
    count = a if x is None else x.shape[0]
    logits = _ops.zeros((count,)) if p is None else _ops.log(as_tensor(p))
    wanted = dim_sizes_of(shape)
    if replace:
        places = categorical(logits, shape=shape, seed=seed)
    else:
        draws = int(np.prod([n for n in wanted if isinstance(n, int)], dtype=np.int64))
        if static(wanted) != tuple(wanted):
            raise ValueError("expected draws without replacement of a static shape, found one that the call chooses: "
                             "take as many as there are, and a part of these")  # fmt: skip
        if isinstance(count, int) and draws > count:
            raise ValueError(f"expected at most {count} draws, found {draws}")
        places = _ops.reshape(_ops.top_k(logits + gumbel((count,), seed=seed), draws)[1], [n for n in static(wanted)])
    return places if x is None else _ops.take(x, places, 0)
