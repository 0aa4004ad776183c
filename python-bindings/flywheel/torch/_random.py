# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of aten that draw random numbers: those of the store, others than PyTorch's."""

from typing import Any, List

from .. import _ops, random
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor
from .._frontends.layouts import Laid
from .._ops.emission import of_size, sizes
from ._graph import Call, op


def _shape(call: Call) -> List[Any]:
    """Returns the sizes of the result: those of a tensor that it is like, or those that the op is given."""
    like, given = call.argument("self"), call.argument("size")
    found = sizes(like.plain()) if isinstance(like, Laid) else given
    return [one if isinstance(one, int) else of_size(one) for one in found]


def _uniform(call: Call, dtype: _dtypes.DType) -> Tensor:
    return random.uniform(_shape(call), dtype=dtype)


@op("rand.default", "rand_like.default", without="self size")
def _rand(call: Call) -> Laid:
    return Laid(_uniform(call, call.dtype))


@op("uniform.default", without="self")
def _uniform_between(call: Call) -> Laid:
    low, high = call.argument("from"), call.argument("to")
    return Laid(_ops.add(_ops.multiply(_uniform(call, call.dtype), high - low), low))


@op("randn.default", "randn_like.default", without="self size")
def _randn(call: Call) -> Laid:
    return Laid(random.normal(_shape(call), dtype=call.dtype))


@op("normal_functional.default", without="self")
def _normal(call: Call, *, mean: float, std: float) -> Laid:
    return Laid(_ops.add(_ops.multiply(random.normal(_shape(call), dtype=call.dtype), std), mean))


@op("randint.default", "randint.low", "randint_like.default", "randint_like.low_dtype",
    without="self size")  # fmt: skip
def _randint(call: Call, *, high: int, low: int = 0) -> Laid:
    return Laid(_ops.cast(random.uniform(_shape(call), low, high, dtype=_dtypes.int64), call.dtype))


@op("bernoulli.default", "bernoulli.p", "bernoulli.Tensor")
def _bernoulli(call: Call, x: Laid, p: Any = None) -> Laid:
    """1 where a draw is below the probability: `x` itself, or `p`."""
    shares: Any = x.plain() if p is None else p.plain() if isinstance(p, Laid) else float(p)
    kind = shares.dtype if isinstance(shares, Tensor) else call.dtype
    draws = _uniform(call, kind if _dtypes.is_floating(kind) else _dtypes.float32)
    return Laid(_ops.cast(_ops.less(draws, shares), call.dtype))
