# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of ONNX element by element."""

import math
from typing import Any, Callable, Dict, Optional

from .. import _ops
from .. import nn as nn
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, as_tensor
from .._frontends.layouts import Laid, align
from .._ops.conversions import bitcast, wrapping_cast
from .._ops.emission import broadcast, emit
from .._ops.functions import bounded, shared_maximum, shared_minimum
from .._ops.precision import rounds_once
from ._graph import Call, op
from ._known import Known
from ._small import Element, Small, element_of, narrowed

#
# One operand
#


def _relu(x: Tensor) -> Tensor:
    return nn.relu(x) if _dtypes.is_floating(x.dtype) else _ops.maximum(x, 0)


_UNARY: Dict[str, Callable[[Tensor], Tensor]] = {
    "Abs": _ops.abs, "Acos": _ops.arccos, "Acosh": _ops.arccosh, "Asin": _ops.arcsin, "Asinh": _ops.arcsinh,
    "Atan": _ops.arctan, "Atanh": _ops.arctanh, "Ceil": _ops.ceil, "Cos": _ops.cos, "Cosh": _ops.cosh,
    "Erf": _ops.erf, "Exp": _ops.exp, "Floor": _ops.floor, "IsNaN": _ops.isnan, "Log": _ops.log,
    "Neg": _ops.negative, "Not": _ops.logical_not, "Reciprocal": _ops.reciprocal, "Relu": _relu,
    "Round": _ops.rint, "Sigmoid": _ops.sigmoid, "Sign": _ops.sign, "Sin": _ops.sin, "Sinh": _ops.sinh,
    "Softplus": nn.softplus, "Softsign": nn.softsign, "Sqrt": _ops.sqrt, "Tan": _ops.tan, "Tanh": _ops.tanh,
    "BitwiseNot": lambda x: ~x,
    "HardSwish": rounds_once()(lambda x: _ops.multiply(x, _hard_sigmoid(x, 1 / 6, 0.5))),
    "Mish": rounds_once()(lambda x: _ops.multiply(x, _ops.tanh(nn.softplus(x)))),
}  # fmt: skip


def _unary(name: str, function: Callable[[Tensor], Tensor]) -> None:
    @op(name, small="takes" if name == "IsNaN" else "")
    def handler(call: Call, x: Laid) -> Laid:
        return x.like(function(x.data))


for _name, _function in _UNARY.items():
    _unary(_name, _function)


@op("Identity", raw=(0,), small="takes")
def _identity(call: Call, x: Any) -> Any:
    return x


def _hard_sigmoid(x: Tensor, alpha: float, beta: float) -> Tensor:
    return bounded(_ops.add(_ops.multiply(x, alpha), beta), 0.0, 1.0)


@op("HardSigmoid")
def _hard_sigmoid_op(call: Call, x: Laid) -> Laid:
    return x.like(_hard_sigmoid(x.data, call.attribute("alpha"), call.attribute("beta")))


@op("Elu")
def _elu(call: Call, x: Laid) -> Laid:
    return x.like(nn.elu(x.data, alpha=call.attribute("alpha")))


@op("Celu")
def _celu(call: Call, x: Laid) -> Laid:
    alpha = call.attribute("alpha")
    # max(0, x) + min(0, alpha (exp(x / alpha) - 1)): that of x / alpha, times alpha.
    return x.like(_ops.multiply(nn.elu(_ops.divide(x.data, alpha)), alpha))


@op("Selu")
def _selu(call: Call, x: Laid) -> Laid:
    alpha = call.attribute("alpha")
    return x.like(_ops.multiply(nn.elu(x.data, alpha=alpha), call.attribute("gamma")))


@op("LeakyRelu")
def _leaky_relu(call: Call, x: Laid) -> Laid:
    return x.like(nn.leaky_relu(x.data, call.attribute("alpha")))


@op("ThresholdedRelu")
def _thresholded_relu(call: Call, x: Laid) -> Laid:
    return x.like(_ops.where(_ops.greater(x.data, call.attribute("alpha")), x.data, 0.0))


@op("Swish")
def _swish(call: Call, x: Laid) -> Laid:
    alpha = call.attribute("alpha")
    return x.like(_ops.multiply(x.data, _ops.sigmoid(_ops.multiply(x.data, alpha))))


@op("Gelu")
def _gelu(call: Call, x: Laid) -> Laid:
    return x.like(nn.gelu(x.data, approximate=call.word("approximate", "none", "tanh") == "tanh"))


@op("Shrink")
def _shrink(call: Call, x: Laid) -> Laid:
    bound, bias, data = call.attribute("lambd"), call.attribute("bias"), x.data
    high = _ops.where(_ops.greater(data, bound), _ops.subtract(data, bias), as_tensor(0, data.dtype))
    return x.like(_ops.where(_ops.less(data, -bound), _ops.add(data, bias), high))


@op("IsInf", small="takes")
def _is_inf(call: Call, x: Laid) -> Laid:
    found = []
    if call.flag("detect_negative"):
        found.append(_ops.equal(x.data, -math.inf))
    if call.flag("detect_positive"):
        found.append(_ops.equal(x.data, math.inf))
    if not found:
        return x.like(_ops.zeros_like(x.data, bool))
    return x.like(found[0] if len(found) == 1 else _ops.logical_or(*found))


@op("Clip")
def _clip(call: Call, x: Laid, low: Optional[Laid] = None, high: Optional[Laid] = None) -> Laid:
    bounds = (None if bound is None else _scalar(call, bound) for bound in (low, high))
    return x.like(bounded(x.data, *bounds))


def _scalar(call: Call, x: Laid) -> Tensor:
    if x.data._static_size != 1:
        raise ValueError(f"expected a scalar as a bound, found {x.shape}")
    return _ops.reshape(x.data, ())


@op("PRelu")
def _prelu(call: Call, x: Laid, slope: Laid) -> Laid:
    tensors, lead = align([x.dtype] * 2, x, slope)
    return lead.like(_ops.where(_ops.greater(tensors[0], 0), tensors[0], _ops.multiply(*tensors)))


@op("Cast", small="takes")
def _cast(call: Call, x: Laid) -> Laid:
    element = element_of(call.attribute("to"))
    return _converted(call, x, element, None if element else call.dtype_attribute("to"))


@op("CastLike", small="takes")
def _cast_like(call: Call, x: Laid, like: Laid) -> Laid:
    return _converted(call, x, like.element if isinstance(like, Small) else None, like.dtype)


def _converted(call: Call, x: Laid, element: Optional[Element], dtype: Any) -> Laid:
    # Both are for small floating-point numbers alone.
    saturates, round_mode = call.flag("saturate"), call.attribute("round_mode", "up")
    if isinstance(x, Small) and element == x.element:
        return x
    if element is None:
        return x.like(wrapping_cast(x.data, dtype))
    found = narrowed(x.data, element, saturates, round_mode)
    return Small(found.data, element, x.order)


#
# Two operands and more
#


@op("BitShift")
def _bit_shift(call: Call, a: Laid, b: Laid) -> Laid:
    _same(a, b)
    function = _ops.left_shift if call.word("direction", "LEFT", "RIGHT") == "LEFT" else _ops.right_shift
    tensors, lead = align([a.dtype, b.dtype], a, b)
    return lead.like(function(*tensors))


@op("BitCast")
def _bit_cast(call: Call, x: Laid) -> Laid:
    target = call.dtype_attribute("to")
    if target.itemsize != x.dtype.itemsize:
        raise ValueError(f"expected a type of {8 * x.dtype.itemsize} bits, found {target}")
    return x.like(bitcast(x.data, target))


def _div(a: Tensor, b: Tensor) -> Tensor:
    if _dtypes.is_unsigned(a.dtype):
        return _ops.floor_divide(a, b)
    return nn.div(a, b) if _dtypes.is_integer(a.dtype) else _ops.divide(a, b)


_BINARY: Dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "Add": _ops.add, "Sub": _ops.subtract, "Mul": _ops.multiply, "Div": _div, "Equal": _ops.equal,
    "Less": _ops.less, "LessOrEqual": _ops.less_equal, "Greater": _ops.greater,
    "GreaterOrEqual": _ops.greater_equal, "And": _ops.logical_and, "Or": _ops.logical_or,
    "Xor": _ops.logical_xor, "BitwiseAnd": lambda a, b: a & b, "BitwiseOr": lambda a, b: a | b,
    "BitwiseXor": lambda a, b: a ^ b,
}  # fmt: skip


def _same(a: Laid, b: Laid) -> None:
    """ONNX converts nothing."""
    if a.dtype != b.dtype:
        raise TypeError(f"expected operands of one type, found {a.dtype} and {b.dtype}")


def _binary(name: str, function: Callable[[Tensor, Tensor], Tensor]) -> None:
    @op(name)
    def handler(call: Call, a: Laid, b: Laid) -> Laid:
        _same(a, b)
        tensors, lead = align([a.dtype, b.dtype], a, b)
        return lead.like(function(*tensors))


for _name, _function2 in _BINARY.items():
    _binary(_name, _function2)


@op("Max", "Min", "Sum", "Mean")
def _variadic(call: Call, *operands: Laid) -> Laid:
    function = {"Max": shared_maximum, "Min": shared_minimum}.get(call.op, _ops.add)
    result = operands[0]
    for other in operands[1:]:
        _same(result, other)
        tensors, lead = align([result.dtype] * 2, result, other)
        result = lead.like(function(*tensors))
    return result.like(_ops.divide(result.data, float(len(operands)))) if call.op == "Mean" else result


# The first version in which floats have a remainder with the sign of the divisor.
_FIRST_MOD_OF_FLOATS = 28


@op("Mod")
def _mod(call: Call, a: Laid, b: Laid) -> Laid:
    _same(a, b)
    (x, y), lead = align([a.dtype] * 2, a, b)
    if not call.flag("fmod"):
        if _dtypes.is_floating(a.dtype) and call.opset < _FIRST_MOD_OF_FLOATS:
            raise ValueError("expected fmod=1 for floating-point numbers")
        return lead.like(_ops.mod(x, y))
    if _dtypes.is_unsigned(a.dtype):
        return lead.like(_ops.mod(x, y))
    rest = emit("arith.remf" if _dtypes.is_floating(a.dtype) else "arith.remsi", broadcast(x, y))
    return lead.like(rest)


@op("Pow", raw=(1,))
def _pow(call: Call, a: Laid, b: Any) -> Laid:
    if isinstance(b, Known) and b.is_static and b.array.size == 1 and b.ndim <= a.ndim:
        exponent = b.array.reshape(-1)[0].item()
        if float(exponent).is_integer() and 0 <= exponent < 2**31:
            exponent = int(exponent)
        if exponent == 0:
            return a.like(_ops.ones_like(a.data))
        if _dtypes.is_floating(a.dtype) or isinstance(exponent, int):
            return a.like(_ops.power(a.data, exponent))
    if isinstance(b, Known):
        b = b.laid()
    dtype = a.dtype
    if not _dtypes.is_floating(dtype) and _dtypes.is_floating(b.dtype):
        # As C++ has it.
        dtype = _dtypes.float64
    tensors, lead = align([dtype] * 2, a, b)
    return lead.like(_ops.cast(_ops.power(*tensors), a.dtype))


@op("Where")
def _where(call: Call, condition: Laid, a: Laid, b: Laid) -> Laid:
    _same(a, b)
    tensors, lead = align([_dtypes.bool_, a.dtype, b.dtype], condition, a, b)
    return lead.like(_ops.where(*tensors))
