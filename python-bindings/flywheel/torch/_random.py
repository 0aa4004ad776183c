# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of aten that draw random numbers: those of the store, others than PyTorch's."""

from typing import Any, List, Sequence

from .. import _dtypes, _ops, random
from .._layouts import Laid
from .._tensor import Tensor
from ._graph import Call, op


def _shape(call: Call) -> List[int]:
    found = list(call.result.shape)
    if not all(isinstance(dim_size, int) for dim_size in found):
        raise call.unsupported("of a size that the call chooses")
    return found


def _uniform(call: Call, dtype: _dtypes.DType) -> Tensor:
    return random.uniform(_shape(call), dtype=dtype)


@op("rand.default", "rand_like.default")
def _rand(call: Call, *_: Any, **__: Any) -> Laid:
    return Laid(_uniform(call, call.dtype))


@op("uniform.default")
def _uniform_between(call: Call, x: Laid, low: float = 0.0, high: float = 1.0, **_: Any) -> Laid:
    return Laid(_ops.add(_ops.multiply(_uniform(call, call.dtype), high - low), low))


@op("randn.default", "randn_like.default")
def _randn(call: Call, *_: Any, **__: Any) -> Laid:
    return Laid(random.normal(_shape(call), dtype=call.dtype))


@op("normal_functional.default")
def _normal(call: Call, x: Laid, mean: float = 0.0, stddev: float = 1.0, **_: Any) -> Laid:
    return Laid(_ops.add(_ops.multiply(random.normal(_shape(call), dtype=call.dtype), stddev), mean))


@op("randint.default", "randint.low", "randint_like.default", "randint_like.low_dtype")
def _randint(call: Call, *given: Any, **_: Any) -> Laid:
    name = str(call.node.target)
    bounds: Sequence[int] = given[1:] if "_like" in name else given
    low, high = bounds[:2] if "low" in name else (0, bounds[0])
    return Laid(_ops.cast(random.uniform(_shape(call), low, high, dtype=_dtypes.int64), call.dtype))


@op("bernoulli.default", "bernoulli.p", "bernoulli.Tensor")
def _bernoulli(call: Call, x: Laid, p: Any = None, **_: Any) -> Laid:
    """1 where a draw is below the probability: `x` itself, or `p`."""
    shares: Any = x.plain() if p is None else p.plain() if isinstance(p, Laid) else float(p)
    kind = shares.dtype if isinstance(shares, Tensor) else call.dtype
    draws = _uniform(call, kind if _dtypes.is_floating(kind) else _dtypes.float32)
    return Laid(_ops.cast(_ops.less(draws, shares), call.dtype))
