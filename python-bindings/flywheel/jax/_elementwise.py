# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of StableHLO element by element."""

from typing import Any, Callable, Dict, Optional

import numpy as np

from .. import _ops
from .. import nn as nn
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, as_tensor
from .._ops.conversions import bitcast
from .._ops.emission import as_unsigned, broadcast, emit, index_op, signless
from .._ops.functions import shared_maximum, shared_minimum
from ._export import RELU, RELU6, SOFTPLUS, STOP_GRADIENT
from ._graph import Call, op
from ._values import Known, as_sizes, bounds_of, of_array, of_sizes, of_tensor

#
# Values that are known when the module is read
#

# Constants of more elements are computed by the step.
_FOLDED = 64

_ARITHMETIC: Dict[str, Callable[[Any, Any], Any]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
}
_INDEX_OPS = {"add": "addi", "subtract": "subi", "multiply": "muli", "maximum": "maxsi", "minimum": "minsi"}


def _fold(name: str, a: Known, b: Known) -> Optional[Known]:
    """Arithmetic on integers that are constants, sizes or counters of loops."""
    if name not in _ARITHMETIC or not _dtypes.is_integer(a.dtype):
        return None
    if a.array is not None and b.array is not None and a.array.size <= _FOLDED:
        with np.errstate(over="ignore"):
            return of_array(np.asarray(_ARITHMETIC[name](a.array, b.array), a.dtype))
    ours, theirs = as_sizes(a), as_sizes(b)
    if ours is None or theirs is None or (a.sizes is None and b.sizes is None):
        return None
    first, second = bounds_of(a), bounds_of(b)
    bounds = None
    if first is not None and second is not None:
        ends = [int(_ARITHMETIC[name](x, y)) for x in first for y in second]
        bounds = min(ends), max(ends)
    sizes = [index_op(_INDEX_OPS[name], x, y) for x, y in zip(ours, theirs)]
    return of_sizes(sizes, a.dtype, a.shape, bounds)


_COMPARED: Dict[str, Callable[[Any, Any], Any]] = {
    "EQ": np.equal,
    "NE": np.not_equal,
    "LT": np.less,
    "LE": np.less_equal,
    "GT": np.greater,
    "GE": np.greater_equal,
}


def _fold_comparison(direction: str, a: Known, b: Known) -> Optional[Known]:
    if a.array is not None and b.array is not None and a.array.size <= _FOLDED:
        return of_array(np.asarray(_COMPARED[direction](a.array, b.array), bool))
    first, second = bounds_of(a), bounds_of(b)
    if first is None or second is None or a.ndim:
        return None
    # A comparison that holds for all values of two intervals, or for none, is known.
    if first[1] < second[0]:
        return of_array(np.array(direction in ("LT", "LE", "NE")))
    if first[0] > second[1]:
        return of_array(np.array(direction in ("GT", "GE", "NE")))
    if first[1] <= second[0] and direction in ("LE", "GT"):
        return of_array(np.array(direction == "LE"))
    if first[0] >= second[1] and direction in ("GE", "LT"):
        return of_array(np.array(direction == "GE"))
    return None


#
# One operand
#


def _unary(name: str, function: Callable[[Tensor], Tensor]) -> None:
    @op(name)
    def handler(call: Call, x: Known) -> Tensor:
        return function(x.tensor)


def _abs(x: Tensor) -> Tensor:
    """Computes the absolute value, whose derivative at 0 is 1 in JAX."""
    if not _dtypes.is_floating(x.dtype):
        return _ops.abs(x)
    # 0 is added for the sign of -0.
    return _ops.add(_ops.where(_ops.greater_equal(x, 0.0), x, _ops.negative(x)), as_tensor(0.0, x.dtype))


def _round_afz(x: Tensor) -> Tensor:
    """To the nearest whole number; of two, the one away from zero."""
    whole = _ops.trunc(x)
    is_up = _ops.greater_equal(_ops.abs(_ops.subtract(x, whole)), 0.5)
    return _ops.stop_gradient(_ops.where(is_up, _ops.add(whole, _ops.sign(x)), whole))


def _count_bits(x: Tensor) -> Tensor:
    return as_unsigned(emit("math.ctpop", [signless(x)]), x.dtype)


def _leading_zeros(x: Tensor) -> Tensor:
    return as_unsigned(emit("math.ctlz", [signless(x)]), x.dtype)


for _name, _function in {
    "abs": _abs, "cbrt": _ops.cbrt, "ceil": _ops.ceil, "cosine": _ops.cos, "exponential": _ops.exp,
    "exponential_minus_one": _ops.expm1, "floor": _ops.floor, "is_finite": _ops.isfinite, "log": _ops.log,
    "log_plus_one": _ops.log1p, "logistic": _ops.sigmoid, "negate": _ops.negative, "not": lambda x: ~x,
    "round_nearest_even": _ops.rint, "round_nearest_afz": _round_afz, "rsqrt": _ops.rsqrt, "sign": _ops.sign,
    "sine": _ops.sin, "sqrt": _ops.sqrt, "tan": _ops.tan, "tanh": _ops.tanh, "popcnt": _count_bits,
    "count_leading_zeros": _leading_zeros, "chlo.erf": _ops.erf, "chlo.sinh": _ops.sinh, "chlo.cosh": _ops.cosh,
    "chlo.asin": _ops.arcsin, "chlo.acos": _ops.arccos, "chlo.atan": _ops.arctan, "chlo.asinh": _ops.arcsinh,
    "chlo.acosh": _ops.arccosh, "chlo.atanh": _ops.arctanh, "chlo.tan": _ops.tan, RELU: nn.relu,
    RELU6: nn.relu6, SOFTPLUS: nn.softplus, STOP_GRADIENT: _ops.stop_gradient,
}.items():  # fmt: skip
    _unary(_name, _function)


@op("optimization_barrier")
def _barrier(call: Call, *operands: Known) -> Any:
    return operands


@op("custom_call.Sharding")
def _sharding(call: Call, x: Known) -> Known:
    return x


@op("convert")
def _convert(call: Call, x: Known) -> Any:
    dtype = call.dtype
    if x.array is not None and x.array.size <= _FOLDED and not _dtypes.is_floating(x.dtype):
        return of_array(np.asarray(x.array).astype(dtype))
    if x.sizes is not None and _dtypes.is_integer(dtype):
        return Known(dtype, x.shape, sizes=x.sizes, bounds=x.bounds)
    if x.uniform is not None and x.array is not None and _dtypes.is_floating(dtype):
        return of_array(np.broadcast_to(x.array.reshape(-1)[:1].astype(dtype).reshape(()), x.array.shape))
    return _ops.cast(x.tensor, dtype)


@op("bitcast_convert")
def _bitcast(call: Call, x: Known) -> Tensor:
    dtype = call.dtype
    if x.dtype.itemsize != dtype.itemsize or _dtypes.bool_ in (x.dtype, dtype):
        raise call.unsupported(f"from {x.dtype} to {dtype}, which have other widths")
    return bitcast(x.tensor, dtype)


@op("reduce_precision")
def _reduce_precision(call: Call, x: Known) -> Any:
    kind = call.integer("exponent_bits"), call.integer("mantissa_bits")
    formats = {(5, 10): _dtypes.float16, (8, 7): _dtypes.bfloat16, (8, 23): _dtypes.float32, (11, 52): _dtypes.float64}
    narrow = formats.get(kind)
    if narrow is None:
        raise call.unsupported(f"to {kind[0]} bits of exponent and {kind[1]} of mantissa")
    return x if narrow.itemsize >= x.dtype.itemsize and narrow != _dtypes.bfloat16 else _ops.cast(
        _ops.cast(x.tensor, narrow), x.dtype)  # fmt: skip


#
# Two operands
#


def _binary(name: str, function: Callable[[Tensor, Tensor], Tensor]) -> None:
    @op(name)
    def handler(call: Call, a: Known, b: Known) -> Any:
        folded = _fold(name, a, b)
        return folded if folded is not None else function(a.tensor, b.tensor)


def _bits(name: str) -> Callable[[Tensor, Tensor], Tensor]:
    def function(a: Tensor, b: Tensor) -> Tensor:
        return as_unsigned(emit(f"arith.{name}", broadcast(signless(a), signless(b))), a.dtype)

    return function


def _shift(name: str) -> Callable[[Tensor, Tensor], Tensor]:
    """Returns a shift; by the width or more it yields zeros, or signs."""

    def function(a: Tensor, b: Tensor) -> Tensor:
        width = 8 * a.dtype.itemsize
        amount = signless(b)
        unsigned = as_unsigned(amount, _dtypes.as_dtype("u" + amount.dtype.name))
        is_within = _ops.less(unsigned, as_tensor(width, unsigned.dtype))
        last = as_tensor(width - 1 if name == "shrsi" else 0, amount.dtype)
        shifted = emit(f"arith.{name}", broadcast(signless(a), _ops.where(is_within, amount, last)))
        if name != "shrsi":
            shifted = _ops.where(is_within, shifted, as_tensor(0, shifted.dtype))
        return as_unsigned(shifted, a.dtype)

    return function


@op("divide", "remainder")
def _divide(call: Call, a: Known, b: Known) -> Tensor:
    """XLA's quotient and rest of integers: by 0, -1 (all bits) and the dividend; of the least number
    by -1, that number and 0."""
    is_division = call.operation.name == "stablehlo.divide"
    x, y = broadcast(a.tensor, b.tensor)
    if _dtypes.is_floating(a.dtype):
        return _ops.divide(x, y) if is_division else emit("arith.remf", [x, y])
    x, y = signless(x), signless(y)
    kind = ("div" if is_division else "rem") + ("ui" if _dtypes.is_unsigned(a.dtype) else "si")
    bounds = bounds_of(b)
    if bounds is not None and (bounds[0] > 0 or bounds[1] < -1):
        return as_unsigned(emit(f"arith.{kind}", [x, y]), a.dtype)
    by_zero = _ops.equal(y, 0)
    is_odd, of_zero = by_zero, as_tensor(-1, x.dtype) if is_division else x
    of_odd = of_zero
    if kind.endswith("si"):
        least = as_tensor(-(2 ** (8 * a.dtype.itemsize - 1)), x.dtype)
        overflows = _ops.logical_and(_ops.equal(x, least), _ops.equal(y, -1))
        is_odd = _ops.logical_or(by_zero, overflows)
        of_odd = _ops.where(by_zero, of_zero, x if is_division else as_tensor(0, x.dtype))
    result = emit(f"arith.{kind}", [x, _ops.where(is_odd, as_tensor(1, x.dtype), y)])
    return as_unsigned(_ops.where(is_odd, of_odd, result), a.dtype)


def _extremum(name: str, function: Callable[[Tensor, Tensor], Tensor]) -> None:
    @op(name)
    def handler(call: Call, a: Known, b: Known) -> Any:
        folded = _fold(name, a, b)
        if folded is not None:
            return folded
        return function(a.tensor, b.tensor)


for _name, _function2 in {
    "add": _ops.add, "subtract": _ops.subtract, "multiply": _ops.multiply, "power": _ops.power,
    "atan2": _ops.arctan2, "and": _bits("andi"), "or": _bits("ori"), "xor": _bits("xori"),
    "shift_left": _shift("shli"), "shift_right_logical": _shift("shrui"),
    "shift_right_arithmetic": _shift("shrsi"),
}.items():  # fmt: skip
    _binary(_name, _function2)
_extremum("maximum", shared_maximum)
_extremum("minimum", shared_minimum)

_COMPARISONS = {"EQ": _ops.equal, "NE": _ops.not_equal, "LT": _ops.less, "LE": _ops.less_equal,
                "GT": _ops.greater, "GE": _ops.greater_equal}  # fmt: skip


@op("compare")
def _compare(call: Call, a: Known, b: Known) -> Any:
    direction = call.word("comparison_direction")
    kind = call.word("compare_type") if call.has("compare_type") else ""
    if kind == "TOTALORDER" and _dtypes.is_floating(a.dtype):
        return _COMPARISONS[direction](in_total_order(a.tensor), in_total_order(b.tensor))
    folded = _fold_comparison(direction, a, b)
    return _COMPARISONS[direction](a.tensor, b.tensor) if folded is None else folded


def in_total_order(x: Tensor) -> Tensor:
    """Integers in the total order of IEEE 754: of negative numbers, all bits but the sign turned over."""
    width = 8 * x.dtype.itemsize
    bits = bitcast(x, _dtypes.as_dtype(f"int{width}"))
    flipped = _bits("xori")(bits, as_tensor(2 ** (width - 1) - 1, bits.dtype))
    return _ops.where(_ops.less(bits, 0), flipped, bits)


@op("select")
def _select(call: Call, condition: Known, a: Known, b: Known) -> Any:
    if condition.uniform is not None and condition.ndim in (0, a.ndim):
        return a if condition.uniform else b
    if condition.array is not None and a.array is not None and b.array is not None and a.array.size <= _FOLDED:
        return of_array(np.where(condition.array, a.array, b.array))
    return _ops.where(condition.tensor, a.tensor, b.tensor)


@op("clamp")
def _clamp(call: Call, low: Known, x: Known, high: Known) -> Any:
    if not _dtypes.is_floating(x.dtype):
        return _ops.clip(x.tensor, low.tensor, high.tensor)
    # At the bounds its derivative is 0, beyond them that of the bound.
    data, least, most = x.tensor, low.tensor, high.tensor
    is_inside = _ops.logical_and(_ops.greater(data, least), _ops.less(data, most))
    bounded = _ops.where(_ops.less(data, least), least, _ops.where(
        _ops.greater(data, most), most, _ops.stop_gradient(_ops.clip(data, least, most))))  # fmt: skip
    return of_tensor(_ops.where(is_inside, data, bounded))
