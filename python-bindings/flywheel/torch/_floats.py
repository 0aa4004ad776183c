# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of aten on signs, exponents and neighbours of floating-point numbers, and pairs of which one may be NaN."""

from typing import Any, Dict, List, NamedTuple, Tuple

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, as_tensor
from .._frontends.layouts import Argument, Laid, align
from .._ops.conversions import bitcast
from .._ops.functions import shared_maximum, shared_minimum
from ..transforms import custom_vjp
from ._graph import Call, op


class _Format(NamedTuple):
    """A type of floating-point numbers: the integers of its width, the bits of its fraction, and those of the
    exponent."""

    whole: _dtypes.DType
    fraction: int
    exponent: int


_FORMATS: Dict[Any, _Format] = {
    _dtypes.float32: _Format(_dtypes.int32, 23, 8), _dtypes.float64: _Format(_dtypes.int64, 52, 11),
    _dtypes.float16: _Format(_dtypes.int16, 10, 5), _dtypes.bfloat16: _Format(_dtypes.int16, 7, 8)}  # fmt: skip


@op("hypot.default")
def _hypot(call: Call, a: Laid, b: Laid) -> Laid:
    return Laid(_ops.hypot(_ops.cast(a.plain(), call.dtype), _ops.cast(b.plain(), call.dtype)))


@op("copysign.Tensor", "copysign.Scalar")
def _copysign(call: Call, a: Laid, b: Argument) -> Laid:
    tensors, lead = align([call.dtype] * 2, a, b)
    return lead.like(_ops.copysign(*tensors))


@op("fmax.default", "fmin.default")
def _fmax(call: Call, a: Laid, b: Laid) -> Laid:
    """Equal ones share the derivative, and of two NaN the first one has it."""
    (x, y), lead = align([call.dtype] * 2, a, b)
    chosen = (shared_maximum if "fmax" in str(call.node.target) else shared_minimum)(x, y)
    return lead.like(_ops.where(_ops.isnan(y), x, _ops.where(_ops.isnan(x), y, chosen)))


def _parts(x: Tensor) -> Tuple[Tensor, Tensor]:
    """A number from 1/2 to 1, and the exponent of 2, int32, of which x is the product."""
    kind = _FORMATS[x.dtype]
    bias = 2 ** (kind.exponent - 1) - 1
    shift, field = (as_tensor(one, kind.whole) for one in (kind.fraction, (1 << kind.exponent) - 1))
    fraction = as_tensor((1 << kind.fraction) - 1, kind.whole)
    bits = bitcast(x, kind.whole)
    # Arithmetic takes numbers below the normal ones for 0: they are whole numbers of the least one.
    is_small = _ops.equal(_ops.bitwise_and(_ops.right_shift(bits, shift), field), 0)
    rest = _ops.bitwise_and(bits, fraction)
    bits = _ops.where(is_small, bitcast(_ops.copysign(_ops.cast(rest, x.dtype), x), kind.whole), bits)
    stored = _ops.bitwise_and(_ops.right_shift(bits, shift), field)
    others = _ops.bitwise_and(bits, _ops.bitwise_not(_ops.left_shift(field, shift)))
    mantissa = bitcast(_ops.bitwise_or(others, as_tensor((bias - 1) << kind.fraction, kind.whole)), x.dtype)
    exponent = _ops.subtract(_ops.cast(stored, _dtypes.int32), bias - 1)
    exponent = _ops.add(exponent, _ops.where(is_small, 1 - bias - kind.fraction, 0))
    is_zero = _ops.logical_and(is_small, _ops.equal(rest, 0))
    is_plain = _ops.logical_and(_ops.isfinite(x), _ops.logical_not(is_zero))
    return _ops.where(is_plain, mantissa, x), _ops.where(is_plain, exponent, 0)


@custom_vjp
def _mantissa(x: Tensor) -> Tensor:
    return _parts(x)[0]


@_mantissa.defvjp
def _mantissa_vjp(x: Tensor, weights: Tensor) -> Tensor:
    """The factor may be infinite or 0 where the product is neither: multiplies by the two halves of it."""
    exponent = _ops.cast(_parts(x)[1], x.dtype)
    half = _ops.floor(_ops.multiply(exponent, 0.5))
    first = _ops.multiply(weights, _ops.exp2(_ops.negative(half)))
    return _ops.multiply(first, _ops.exp2(_ops.subtract(half, exponent)))


@op("frexp.Tensor")
def _frexp(call: Call, x: Laid) -> List[Laid]:
    return [x.like(_mantissa(x.data)), x.like(_parts(_ops.stop_gradient(x.data))[1])]


@op("nextafter.default")
def _nextafter(call: Call, a: Laid, b: Laid) -> Laid:
    """The next number of the type in the direction of another one. Its derivative is 1, and 0 where both are equal."""
    (x, y), lead = align([call.dtype] * 2, a, b)
    return lead.like(_next_after(*_ops.emission.broadcast(x, y)))


def _in_order(x: Tensor) -> Tensor:
    """Integers in the order of numbers, both zeros as 0; the inverse is the same function."""
    lowest = as_tensor(np.iinfo(x.dtype).min, x.dtype)
    return _ops.where(_ops.less(x, 0), _ops.subtract(lowest, x), x)


@custom_vjp
def _next_after(x: Tensor, y: Tensor) -> Tensor:
    whole = _FORMATS[x.dtype].whole
    first, second = (_in_order(bitcast(one, whole)) for one in (x, y))
    one = as_tensor(1, whole)
    moved = _ops.where(_ops.less(first, second), _ops.add(first, one), _ops.subtract(first, one))
    found = _ops.where(_ops.equal(first, second), y, bitcast(_in_order(moved), x.dtype))
    has_nan = _ops.logical_or(_ops.isnan(x), _ops.isnan(y))
    return _ops.where(has_nan, float("nan"), found)


@_next_after.defvjp
def _next_after_vjp(x: Tensor, y: Tensor, weights: Tensor) -> Tuple[Tensor, None]:
    return _ops.where(_ops.equal(x, y), 0.0, weights), None
