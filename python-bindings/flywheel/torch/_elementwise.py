# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of aten element by element."""

import math
from typing import Any, Callable, Dict, Optional

from .. import _ops
from .. import nn as nn
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, as_tensor
from .._frontends.layouts import Argument, Laid, align
from .._ops.arithmetic import x_log_y
from .._ops.checks import expect
from .._ops.conversions import wrapping_cast
from .._ops.functions import bounded, shared_maximum, shared_minimum
from .._ops.precision import rounds_once
from ._graph import Call, op

#
# One operand
#


def unary(names: str, function: Callable[[Tensor], Tensor]) -> None:
    @op(*names.split())
    def handler(call: Call, x: Laid) -> Laid:
        data = x.data if x.dtype == call.dtype or _dtypes.is_bool(call.dtype) else _ops.cast(x.data, call.dtype)
        return x.like(function(data))


def _sign(x: Tensor) -> Tensor:
    """0 of NaN, which is neither above 0 nor below."""
    found = _ops.sign(x)
    return _ops.where(_ops.isnan(x), 0, found) if _dtypes.is_floating(x.dtype) else found


_UNARY: Dict[str, Callable[[Tensor], Tensor]] = {
    "abs.default": _ops.abs, "acos.default": _ops.arccos, "acosh.default": _ops.arccosh,
    "asin.default": _ops.arcsin, "asinh.default": _ops.arcsinh, "atan.default": _ops.arctan,
    "atanh.default": _ops.arctanh, "ceil.default": _ops.ceil, "cos.default": _ops.cos, "cosh.default": _ops.cosh,
    "erf.default": _ops.erf, "erfc.default": _ops.erfc, "lgamma.default": _ops.lgamma, "sinc.default": _ops.sinc,
    "exp.default": _ops.exp, "exp2.default": _ops.exp2, "expm1.default": _ops.expm1,
    "floor.default": _ops.floor, "isfinite.default": _ops.isfinite, "isinf.default": _ops.isinf,
    "isnan.default": _ops.isnan, "log.default": _ops.log, "log10.default": _ops.log10,
    "log1p.default": _ops.log1p, "log2.default": _ops.log2, "neg.default": _ops.negative,
    "reciprocal.default": _ops.reciprocal, "relu.default": nn.relu, "round.default": _ops.rint,
    "rsqrt.default": _ops.rsqrt, "sigmoid.default": _ops.sigmoid, "sign.default": _sign,
    "sin.default": _ops.sin, "sinh.default": _ops.sinh, "sqrt.default": _ops.sqrt, "tan.default": _ops.tan,
    "tanh.default": _ops.tanh, "trunc.default": _ops.trunc, "silu.default": nn.silu,
    "square.default": _ops.square,
    "logical_not.default": lambda x: _ops.logical_not(_ops.cast(x, bool)),
    "detach.default detach_.default": _ops.stop_gradient,
    "alias.default clone.default contiguous.default lift_fresh_copy.default positive.default": lambda x: x,
}  # fmt: skip
for _names, _function in _UNARY.items():
    unary(_names, _function)


@op("_to_copy.default", "to.dtype", without="copy")
def _to_copy(call: Call, x: Laid) -> Laid:
    return x.like(wrapping_cast(x.data, call.dtype))


@op("_is_all_true.default")
def _is_all_true(call: Call, x: Laid) -> Laid:
    return Laid(_ops.all(x.plain()))


@op("_assert_async.msg", "_assert_async.default")
def _assert(call: Call, x: Laid, assert_msg: str = "an assertion of the module does not hold") -> None:
    """A check of elements, as distributions have of their arguments: an error of the step."""
    holds = x.plain()
    expect(holds if _dtypes.is_bool(holds.dtype) else _ops.not_equal(holds, 0), assert_msg)


@op("_assert_tensor_metadata.default", without="a size stride")
def _assert_metadata(call: Call) -> None:
    """PyTorch found what it asserts to hold when it exported the module."""


@op("bitwise_not.default")
def _bitwise_not(call: Call, x: Laid) -> Laid:
    return x.like(~x.data)


@op("round.decimals")
def _round_to(call: Call, x: Laid, *, decimals: int) -> Laid:
    """Its derivative is 0."""
    scale = 10.0 ** abs(decimals)
    first, second = (_ops.multiply, _ops.divide) if decimals >= 0 else (_ops.divide, _ops.multiply)
    return x.like(x.data if not _dtypes.is_floating(x.dtype) else second(_ops.rint(first(x.data, scale)), scale))


@op("angle.default")
def _angle(call: Call, x: Laid) -> Laid:
    """The angle of a real number is 0 or pi; that of NaN is NaN."""
    data = _ops.cast(x.data, call.dtype)
    found = _ops.where(_ops.less(data, 0.0), as_tensor(math.pi, data.dtype), as_tensor(0.0, data.dtype))
    return x.like(_ops.where(_ops.isnan(data), _ops.stop_gradient(data), found))


@op("ldexp.Tensor")
def _ldexp(call: Call, x: Laid, exponent: Laid) -> Laid:
    """2 to the whole exponent may be infinite or 0 where the result is neither: multiplies by each half in turn."""
    tensors, lead = align([call.dtype] * 2, x, exponent)
    half = _ops.floor(_ops.divide(tensors[1], 2.0))
    rest = _ops.subtract(tensors[1], half)
    return lead.like(_ops.multiply(_ops.multiply(tensors[0], _ops.exp2(half)), _ops.exp2(rest)))


@op("gelu.default")
def _gelu(call: Call, x: Laid, approximate: str = "none") -> Laid:
    return x.like(nn.gelu(x.data, approximate=approximate == "tanh"))


@op("elu.default")
def _elu(call: Call, x: Laid, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0) -> Laid:
    if input_scale != 1.0:
        raise call.unsupported("with an input_scale")

    @rounds_once()
    def function(data: Tensor) -> Tensor:
        negative = _ops.multiply(_ops.expm1(_ops.minimum(data, 0.0)), alpha * scale)
        return _ops.where(_ops.greater(data, 0.0), _ops.multiply(data, scale), negative)

    return x.like(function(x.data))


@op("celu.default")
def _celu(call: Call, x: Laid, alpha: float = 1.0) -> Laid:
    @rounds_once()
    def function(data: Tensor) -> Tensor:
        negative = _ops.multiply(_ops.expm1(_ops.divide(_ops.minimum(data, 0.0), alpha)), alpha)
        return _ops.where(_ops.greater(data, 0.0), data, negative)

    return x.like(function(x.data))


@op("leaky_relu.default")
def _leaky_relu(call: Call, x: Laid, slope: float = 0.01) -> Laid:
    return x.like(nn.leaky_relu(x.data, slope))


@op("hardtanh.default", "clamp.default")
def _clamp(call: Call, x: Laid, low: Any, high: Any) -> Laid:
    if "hardtanh" in str(call.node.target) and low == 0 and high == 6 and _dtypes.is_floating(x.dtype):
        return x.like(nn.relu6(x.data))
    return x.like(bounded(_ops.cast(x.data, call.dtype), low, high))


@op("clamp.Tensor", "clamp_min.Tensor", "clamp_max.Tensor")
def _clamp_tensor(call: Call, x: Laid, low: Optional[Laid] = None, high: Optional[Laid] = None) -> Laid:
    if "clamp_max" in str(call.node.target):
        low, high = None, low
    result = x
    for bound, function in ((low, shared_maximum), (high, shared_minimum)):
        if bound is not None:
            tensors, lead = align([call.dtype] * 2, result, bound)
            result = lead.like(function(*tensors))
    return result


@op("clamp_min.default")
def _clamp_min(call: Call, x: Laid, low: Any) -> Laid:
    return x.like(bounded(_ops.cast(x.data, call.dtype), low, None))


@op("clamp_max.default")
def _clamp_max(call: Call, x: Laid, high: Any) -> Laid:
    return x.like(bounded(_ops.cast(x.data, call.dtype), None, high))


@op("logit.default")
def _logit(call: Call, x: Laid, epsilon: Optional[float] = None) -> Laid:
    """In two logarithms: the derivative of a quotient in one of them is 0 times infinity at 0 and 1."""
    data = _ops.cast(x.data, call.dtype)
    if epsilon is not None:
        # An epsilon of more than a half is a lower bound above the upper one, and the first that holds counts.
        low, high = _ops.full_like(data, epsilon), _ops.full_like(data, 1.0 - epsilon)
        data = _ops.where(_ops.less(data, low), low, _ops.where(_ops.greater(data, high), high, data))
    return x.like(_ops.subtract(_ops.log(data), _ops.log1p(_ops.negative(data))))


@op("special_entr.default")
def _entropy(call: Call, x: Laid) -> Laid:
    """-x log(x), -inf below 0. The square root has the value of this at 0, and its derivative."""
    data = _ops.cast(x.data, call.dtype)
    is_zero = _ops.equal(data, 0)
    safe = _ops.where(is_zero, 1.0, data)
    # 0 is added for the sign of -0.
    start = _ops.sqrt(_ops.add(_ops.where(is_zero, data, 1.0), as_tensor(0.0, data.dtype)))
    inside = _ops.where(is_zero, start, -safe * _ops.log(safe))
    return x.like(_ops.where(_ops.less(data, 0), -float("inf"), inside))


@op("softplus.default")
def _softplus(call: Call, x: Laid, beta: float = 1.0, threshold: float = 20.0) -> Laid:
    scaled = x.data if beta == 1.0 else _ops.multiply(x.data, float(beta))
    smooth = nn.softplus(scaled)
    if beta != 1.0:
        smooth = _ops.divide(smooth, float(beta))
    # Above the threshold PyTorch has x itself: so does rounding, from 20 on to 32 bits.
    if threshold >= 20.0 and x.dtype.itemsize <= 4:
        return x.like(smooth)
    return x.like(_ops.where(_ops.greater(scaled, float(threshold)), x.data, smooth))


@op("log_sigmoid_forward.default", "log_sigmoid.default")
def _log_sigmoid(call: Call, x: Laid) -> Any:
    result = x.like(_ops.negative(nn.softplus(_ops.negative(x.data))))
    return (result, x) if "forward" in str(call.node.target) else result


@op("hardswish.default")
def _hardswish(call: Call, x: Laid) -> Laid:
    return x.like(_ops.multiply(x.data, _ops.divide(nn.relu6(_ops.add(x.data, 3.0)), 6.0)))


@op("hardsigmoid.default")
def _hardsigmoid(call: Call, x: Laid) -> Laid:
    return x.like(_ops.divide(nn.relu6(_ops.add(x.data, 3.0)), 6.0))


@op("mish.default")
def _mish(call: Call, x: Laid) -> Laid:
    return x.like(_ops.multiply(x.data, _ops.tanh(nn.softplus(x.data))))


#
# Two operands
#


def _binary(names: str, function: Callable[[Tensor, Tensor], Tensor], is_comparison: bool = False) -> None:
    @op(*names.split())
    def handler(call: Call, a: Argument, b: Argument) -> Laid:
        dtype = call.operand_dtype if is_comparison else call.dtype
        tensors, lead = align([dtype, dtype], a, b)
        return lead.like(function(*tensors))


_function2: Callable[[Any, Any], Tensor]
for _name, _function2 in {"eq": _ops.equal, "ne": _ops.not_equal, "lt": _ops.less, "le": _ops.less_equal,
                          "gt": _ops.greater, "ge": _ops.greater_equal}.items():  # fmt: skip
    _binary(f"{_name}.Tensor {_name}.Scalar", _function2, is_comparison=True)
for _name, _function2 in {
    "mul": _ops.multiply, "bitwise_and": lambda a, b: a & b, "bitwise_or": lambda a, b: a | b,
    "bitwise_xor": lambda a, b: a ^ b, "remainder": _ops.arithmetic.mod_of_quotient}.items():  # fmt: skip
    _binary(f"{_name}.Tensor {_name}.Scalar", _function2)
for _name, _function2 in {"maximum": shared_maximum, "minimum": shared_minimum, "atan2": _ops.arctan2,
                          "logaddexp": _ops.logaddexp}.items():  # fmt: skip
    _binary(f"{_name}.default", _function2)
_binary("xlogy.Tensor xlogy.Scalar_Other xlogy.Scalar_Self", x_log_y)
_binary("special_xlog1py.default special_xlog1py.other_scalar special_xlog1py.self_scalar",
        lambda x, y: x_log_y(x, _ops.add(y, 1.0)))  # fmt: skip
for _name, _function2 in {"logical_and": _ops.logical_and, "logical_or": _ops.logical_or,
                          "logical_xor": _ops.logical_xor}.items():  # fmt: skip
    _binary(f"{_name}.default", _function2, is_comparison=True)


@op("add.Tensor", "add.Scalar", "sub.Tensor", "sub.Scalar", "rsub.Tensor", "rsub.Scalar")
def _add(call: Call, a: Argument, b: Argument, alpha: Any = 1) -> Laid:
    name = str(call.node.target)
    tensors, lead = align([call.dtype] * 2, a, b)
    if name.startswith("aten.rsub"):
        tensors.reverse()
    if alpha != 1:
        tensors[1] = _ops.multiply(tensors[1], as_tensor(alpha, call.dtype))
    return lead.like((_ops.add if ".add." in f".{name.removeprefix('aten.')}" else _ops.subtract)(*tensors))


@op("div.Tensor", "div.Scalar", "div.Tensor_mode", "div.Scalar_mode", "floor_divide.default")
def _div(call: Call, a: Argument, b: Argument, rounding_mode: Optional[str] = None) -> Laid:
    tensors, lead = align([call.dtype] * 2, a, b)
    if "floor_divide" in str(call.node.target):
        rounding_mode = "floor"
    if rounding_mode == "floor":
        return lead.like(_ops.floor_divide(*tensors))
    if _dtypes.is_integer(call.dtype):
        if rounding_mode == "trunc":
            return lead.like(nn.div(*tensors))
        raise call.unsupported("of integers")
    quotient = _ops.divide(*tensors)
    return lead.like(_ops.trunc(quotient) if rounding_mode == "trunc" else quotient)


@op("fmod.Tensor", "fmod.Scalar")
def _fmod(call: Call, a: Argument, b: Argument) -> Laid:
    tensors, lead = align([call.dtype] * 2, a, b)
    return lead.like(_ops.fmod(*tensors))


@op("pow.Tensor_Scalar", "pow.Tensor_Tensor", "pow.Scalar")
def _pow(call: Call, a: Argument, b: Argument) -> Laid:
    if isinstance(a, Laid) and isinstance(b, (int, float)) and not isinstance(b, bool):
        data = _ops.cast(a.data, call.dtype)
        if b == 0:
            return a.like(_ops.ones_like(data))
        return a.like(_ops.power(data, int(b) if float(b).is_integer() and abs(b) < 2**31 else b))
    tensors, lead = align([call.dtype] * 2, a, b)
    return lead.like(_ops.power(*tensors))


@op("where.self", "where.ScalarSelf", "where.ScalarOther", "where.Scalar")
def _where(call: Call, condition: Laid, a: Argument, b: Argument) -> Laid:
    tensors, lead = align([_dtypes.bool_, call.dtype, call.dtype], condition, a, b)
    return lead.like(_ops.where(*tensors))


@op("masked_fill.Scalar", "masked_fill.Tensor")
def _masked_fill(call: Call, x: Laid, mask: Laid, value: Argument) -> Laid:
    tensors, lead = align([_dtypes.bool_, call.dtype, call.dtype], mask, value, x)
    return lead.like(_ops.where(*tensors))


@op("lerp.Scalar", "lerp.Tensor")
def _lerp(call: Call, a: Laid, b: Laid, weight: Argument) -> Laid:
    tensors, lead = align([call.dtype] * 3, a, b, weight)
    return lead.like(_ops.add(tensors[0], _ops.multiply(tensors[2], _ops.subtract(tensors[1], tensors[0]))))
