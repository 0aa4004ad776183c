# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of the graph that compute each element of its own, and reductions."""

from typing import Any, Callable, Dict, Optional

from .. import _ops
from .. import nn as traced
from .._core import dtypes as _dtypes
from .._core import tensor as _tensor
from .._errors.messages import about
from .._numerics.special import digamma
from .._ops.arithmetic import mod_of_quotient
from ._operators import _divide, floor_of_quotient, power_by
from .conversion import as_tensor, constant, make, paired
from .dtypes import as_dtype


def _unary(kind: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def op(x: Any, name: Optional[str] = None) -> Any:
        return make(kind, function, as_tensor(x), name=name)

    return op


def _binary(kind: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def op(x: Any, y: Any, name: Optional[str] = None) -> Any:
        return make(kind, function, *paired(kind, x, y), name=name)

    return op


def _atan2(y: Any, x: Any, name: Optional[str] = None) -> Any:
    """The angle of (x, y), whose arguments TensorFlow has in this order."""
    return make("Atan2", _ops.arctan2, *paired("Atan2", y, x), name=name)


def _pow(x: Any, y: Any, name: Optional[str] = None) -> Any:
    return make("Pow", power_by(y), *paired("Pow", x, y), name=name)


def _reduction(kind: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def op(
        input_tensor: Any, axis: Any = None, keepdims: Any = None, name: Optional[str] = None,
        reduction_indices: Any = None, keep_dims: Any = None,
    ) -> Any:  # fmt: skip
        axes = reduction_indices if axis is None else axis
        axes = tuple(axes) if isinstance(axes, (list, tuple)) else axes
        keep = bool(keepdims or keep_dims)
        return make(kind, lambda x: function(x, axes, keep), as_tensor(input_tensor), name=name)

    return op


def _truncated(x: Any, y: Any) -> Any:
    """x / y without its fraction."""
    whole = floor_of_quotient(_ops.abs(x), _ops.abs(y))
    return _ops.multiply(whole, _ops.multiply(_ops.sign(x), _ops.sign(y)))


def _divide_as_python2(x: Any, y: Any) -> Any:
    """x / y, of integers rounded down."""
    a, b = _tensor.as_tensors(x, y)
    return _ops.floor_divide(a, b) if _dtypes.is_integer(a.dtype) else _ops.divide(a, b)


def _mean(x: Any, axes: Any, keep: bool) -> Any:
    """Returns the mean; for integers an integer, without its fraction."""
    if not _dtypes.is_integer(x.dtype):
        return _ops.mean(x, axes, keep)
    total = _ops.reductions.reduce_sum(x, axes, keep)
    count = _ops.reductions.reduce_sum(_ops.ones_like(x), axes, keep)
    return _truncated(total, count)


def _of_floating(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def emit(x: Any) -> Any:
        if not _dtypes.is_floating(x.dtype):
            raise about(name, TypeError(f"Value passed to parameter 'x' of tf.{name} has DataType "
                                        f"{_dtypes.name_of(x.dtype)}, expected a floating-point one: cast it"),
                        None)  # fmt: skip
        return function(x)

    return emit


def _where_not_zero(x: Any, y: Any) -> Any:
    """x / y, and 0 where y is 0."""
    is_zero = _ops.equal(y, 0)
    return _ops.where(is_zero, _ops.zeros_like(y), _ops.divide(x, _ops.where(is_zero, _ops.ones_like(y), y)))


def _zeros_like(tensor: Any, dtype: Any = None, name: Optional[str] = None, optimize: bool = True) -> Any:
    """Zeros of the shape of a tensor, and of its dtype where no other one is given."""
    return _all_alike("ZerosLike", _ops.zeros_like, tensor, dtype, name)


def _ones_like(tensor: Any, dtype: Any = None, name: Optional[str] = None, optimize: bool = True) -> Any:
    """Ones of the shape of a tensor, and of its dtype where no other one is given."""
    return _all_alike("OnesLike", _ops.ones_like, tensor, dtype, name)


def _all_alike(kind: str, function: Callable[..., Any], tensor: Any, dtype: Any, name: Optional[str]) -> Any:
    x = as_tensor(tensor)
    wanted = x.dtype if dtype is None else as_dtype(dtype)
    if _dtypes.string in (x.dtype, wanted):
        return _texts_alike(kind, x, wanted, name)
    if wanted == x.dtype:
        return make(kind, function, x, name=name)
    return make(kind, lambda y: _ops.cast(function(y), wanted), x, name=name, types=[(wanted, x.static_shape)])


def _texts_alike(kind: str, x: Any, wanted: Any, name: Optional[str]) -> Any:
    """Empty strings of the shape of a tensor, or zeros of that of strings. The compiler has no strings: the shape must
    be known."""
    if kind == "OnesLike" and wanted == _dtypes.string:
        raise about("tf.ones_like", TypeError("Expected a number or bool dtype, found string"))
    if x.static_shape is None or None in x.static_shape:
        word = "zeros" if kind == "ZerosLike" else "ones"
        raise NotImplementedError(f"tf.{word}_like of strings, '{x.name}', of shape {x.shape}: sizes must be known")
    value = "" if wanted == _dtypes.string else int(kind == "OnesLike")
    return constant(value, wanted, x.static_shape, name or kind)


UNARY = {
    "abs": _ops.abs, "acos": _ops.arccos, "asin": _ops.arcsin, "atan": _ops.arctan, "ceil": _ops.ceil, "cos": _ops.cos,
    "cosh": _ops.cosh, "erf": _ops.erf, "exp": _ops.exp, "expm1": _ops.expm1, "floor": _ops.floor, "log": _ops.log,
    "log1p": _ops.log1p, "logical_not": _ops.logical_not, "negative": _ops.negative, "reciprocal": _ops.reciprocal,
    "rint": _ops.rint, "round": _ops.round, "rsqrt": _ops.rsqrt, "sigmoid": _ops.sigmoid, "sign": _ops.sign,
    "sin": _ops.sin, "sinh": _ops.sinh, "sqrt": _ops.sqrt, "square": _ops.square, "tan": _ops.tan, "tanh": _ops.tanh,
    "is_nan": _ops.isnan, "is_inf": _ops.isinf, "is_finite": _ops.isfinite,
    "acosh": _ops.arccosh, "asinh": _ops.arcsinh, "atanh": _ops.arctanh,
    "erfc": _ops.erfc, "lgamma": _ops.lgamma, "digamma": digamma,
    "log_sigmoid": lambda x: _ops.negative(traced.softplus(_ops.negative(x))),
}  # fmt: skip
FLOATING = frozenset([
    "acos", "asin", "atan", "cos", "cosh", "digamma", "erf", "erfc", "exp", "expm1", "lgamma", "log", "log1p", "rsqrt",
    "sigmoid", "sin", "sinh", "sqrt", "tan", "tanh", "acosh", "asinh", "atanh", "log_sigmoid",
])  # fmt: skip
BINARY = {
    "add": _ops.add, "subtract": _ops.subtract, "multiply": _ops.multiply, "divide": _divide,
    "div": _divide_as_python2, "truediv": _divide, "realdiv": _ops.divide, "floordiv": floor_of_quotient,
    "mod": mod_of_quotient, "floormod": mod_of_quotient, "maximum": _ops.maximum,
    "minimum": _ops.minimum,
    "equal": _ops.equal, "not_equal": _ops.not_equal, "less": _ops.less, "less_equal": _ops.less_equal,
    "greater": _ops.greater, "greater_equal": _ops.greater_equal, "logical_and": _ops.logical_and,
    "logical_or": _ops.logical_or, "logical_xor": _ops.logical_xor,
    "truncatediv": lambda x, y: _truncated(x, y),
    "truncatemod": lambda x, y: _ops.subtract(x, _ops.multiply(_truncated(x, y), y)),
    "div_no_nan": lambda x, y: _where_not_zero(x, y),
    "squared_difference": lambda x, y: _ops.square(_ops.subtract(x, y)),
}  # fmt: skip
REDUCTIONS: Dict[str, Callable[..., Any]] = {
    "reduce_sum": _ops.reductions.reduce_sum, "reduce_mean": _mean, "reduce_max": _ops.reductions.reduce_max,
    "reduce_min": _ops.reductions.reduce_min,
    "reduce_prod": _ops.reductions.reduce_prod, "reduce_any": _ops.any, "reduce_all": _ops.all,
    "reduce_logsumexp": _ops.logsumexp,
}  # fmt: skip
TABLE: Dict[str, Callable[..., Any]] = {
    **{key: _unary(key.title().replace("_", ""), _of_floating(key, function) if key in FLOATING else function)
       for key, function in UNARY.items()},
    **{key: _binary(key.title().replace("_", ""), function) for key, function in BINARY.items()},
    "atan2": _atan2, "pow": _pow, "zeros_like": _zeros_like, "ones_like": _ones_like,
    **{key: _reduction({"reduce_sum": "Sum", "reduce_mean": "Mean", "reduce_max": "Max"}.get(key, key), function)
       for key, function in REDUCTIONS.items()},
}  # fmt: skip
for _name, _function in TABLE.items():
    _function.__name__ = _function.__qualname__ = _name

# The root of a sum of squares: `sqrt` with the derivative 0 at 0, where the derivative of the norm would be NaN.
root = _unary("Sqrt", _of_floating("sqrt", _ops.arithmetic.root))
