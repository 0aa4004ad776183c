# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations element by element."""

import operator
from typing import Any, Callable, Optional, Tuple

import numpy as np

from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, TensorLike, as_tensor, as_tensors, constant, is_number
from .._errors.messages import about
from .._flywheel import Attribute
from .emission import (
    as_unsigned,
    broadcast,
    broadcast_shapes,
    computed_index,
    emit,
    flat_index,
    narrow,
    number,
    signless,
    with_index,
)

#
# Casts
#


def cast(x: TensorLike, dtype: Any) -> Tensor:
    """`x` with another dtype.

    Floating-point numbers are rounded to nearest, to integers toward zero; what is
    not 0 is True. A floating-point number out of range of an integer type becomes the
    nearest integer of it, and a NaN 0; an integer keeps its lowest bits. Raises
    TypeError for strings.
    """
    if isinstance(x, Tensor) and x._weak is not None:
        return _cast(x._exact, _dtypes.as_dtype(dtype))
    return _cast(as_tensor(x), _dtypes.as_dtype(dtype))


def _cast(x: Tensor, target: _dtypes.DType) -> Tensor:
    source = x.dtype
    if source == target:
        return x
    if _dtypes.string in (source, target):
        raise TypeError(f"cannot cast {_dtypes.name_of(source)} to {_dtypes.name_of(target)}")
    if _dtypes.is_bool(target):
        return not_equal(x, 0)
    if _dtypes.is_floating(source) and _dtypes.is_floating(target):
        if x._wide is not None and target == _dtypes.float64:
            return x._wide()
        if source.itemsize == target.itemsize:
            return _cast(_cast(x, _dtypes.float32), target)
        return emit("arith.extf" if target.itemsize > source.itemsize else "arith.truncf", [x], target)
    plain = signless(x)
    is_unsigned = _dtypes.is_unsigned(source) or _dtypes.is_bool(source)
    if _dtypes.is_floating(target):
        return emit("arith.uitofp" if is_unsigned else "arith.sitofp", [plain], target)
    bits = _dtypes.as_dtype(target.name.lstrip("u"))
    if _dtypes.is_floating(source):
        result = emit("arith.fptoui" if _dtypes.is_unsigned(target) else "arith.fptosi", [x], bits)
    elif _dtypes.is_bool(source) or bits.itemsize > source.itemsize:
        result = emit("arith.extui" if is_unsigned else "arith.extsi", [plain], bits)
    elif bits.itemsize < source.itemsize:
        result = emit("arith.trunci", [plain], bits)
    else:
        result = plain
    return with_index(as_unsigned(result, target), None if _dtypes.is_unsigned(target) else flat_index(x))


def parameter(x: TensorLike) -> Tensor:
    """`x` as a value of its own: a derivative with respect to it is not along what else has the value of x."""
    x = as_tensor(x)
    if x._wide is not None and x.trace.has_wide:
        return narrow(emit("train.parameter", [x._wide()]))
    found = emit("train.parameter", [x])
    if x._wide is not None:
        is_weak, found = x._is_weak, number(found)
        found._is_weak = is_weak
    if x.value in x.trace.ranges:
        x.trace.ranges[found.value] = x.trace.ranges[x.value]
    return found


def stop_gradient(x: TensorLike) -> Tensor:
    """`x`, as a constant to derivatives."""
    return emit("train.stop_gradient", [as_tensor(x)])


#
# Two operands
#


def _numeric(what: str, x: Tensor) -> None:
    if x.dtype == _dtypes.string:
        raise about(what, TypeError("takes no strings"), " ")


def _binary(
    what: str,
    a: TensorLike,
    b: TensorLike,
    op: str,
    unsigned_op: Optional[str] = None,
    boolean_op: Optional[str] = None,
) -> Tensor:
    """Emits an op of nn, which broadcasts, or arith's op if integers are unsigned."""
    a, b = as_tensors(a, b)
    _numeric(what, a)
    if _dtypes.is_bool(a.dtype):
        if boolean_op is None:
            raise about(what, TypeError("takes no booleans: use logical_and, logical_or, logical_xor or a cast"), " ")
        return emit(boolean_op, broadcast(a, b))
    if _dtypes.is_unsigned(a.dtype):
        dtype = a.dtype
        a, b = broadcast(signless(a), signless(b))
        return as_unsigned(emit(unsigned_op or op, [a, b]), dtype)
    result = emit(op, [a, b], a.dtype, broadcast_shapes(a._dims, b._dims))
    return computed_index(_ON_SIZES[op], result, a, b) if op in _ON_SIZES else result


# The ops of arith that compute on sizes, by the nn op for tensors.
_ON_SIZES = {"nn.add": "addi", "nn.sub": "subi", "nn.mul": "muli", "nn.max": "maxsi", "nn.min": "minsi"}


def add(a: TensorLike, b: TensorLike) -> Tensor:
    """a + b; of booleans, a or b."""
    return _binary("add", a, b, "nn.add", "arith.addi", "arith.ori")


def subtract(a: TensorLike, b: TensorLike) -> Tensor:
    """a - b."""
    return _binary("subtract", a, b, "nn.sub", "arith.subi")


def multiply(a: TensorLike, b: TensorLike) -> Tensor:
    """a b, element by element; of booleans, a and b."""
    return _binary("multiply", a, b, "nn.mul", "arith.muli", "arith.andi")


def maximum(a: TensorLike, b: TensorLike) -> Tensor:
    """The larger of a and b; NaN where one of them is."""
    return _binary("maximum", a, b, "nn.max", "arith.maxui", "arith.ori")


def minimum(a: TensorLike, b: TensorLike) -> Tensor:
    """The smaller of a and b; NaN where one of them is."""
    return _binary("minimum", a, b, "nn.min", "arith.minui", "arith.andi")


def _floats(*values: TensorLike) -> Any:
    """Operands of an operation on floating-point numbers; integers become float32."""
    operands = as_tensors(*values)
    for x in operands:
        _numeric("this operation", x)
    if not _dtypes.is_floating(operands[0].dtype):
        operands = tuple(cast(x, _dtypes.float32) for x in operands)
    return operands


def divide(a: TensorLike, b: TensorLike) -> Tensor:
    """a / b; integers make float32."""
    a, b = _floats(a, b)
    return _binary("divide", a, b, "nn.div")


def floor_divide(a: TensorLike, b: TensorLike) -> Tensor:
    """a / b, rounded down. Integers that are divided by 0 are an error of the step."""
    a, b = as_tensors(a, b)
    if _dtypes.is_floating(a.dtype):
        return _floor_divide_floats(a, b)
    a, b = _without_booleans(a, b)
    dtype = a.dtype
    wide, by = broadcast(signless(a), signless(b))
    op = "arith.divui" if _dtypes.is_unsigned(dtype) else "arith.floordivsi"
    return computed_index("floordivsi", as_unsigned(emit(op, [wide, by]), dtype), a, b)


def _without_booleans(a: Tensor, b: Tensor) -> Tuple[Tensor, Tensor]:
    """Returns operands of one dtype for operations on numbers: booleans are int32."""
    return (cast(a, _dtypes.int32), cast(b, _dtypes.int32)) if _dtypes.is_bool(a.dtype) else (a, b)


def _floor_divide_floats(a: Tensor, b: Tensor) -> Tensor:
    """By the exact remainder: the quotient may be rounded up to a whole number that is too large.

    Narrower types are divided in float64: the multiple of `b` is exact as long as the quotient has 51 bits, and is
    further from where rounding changes than its error otherwise. So the result is that of one rounding.
    """
    a, b = broadcast(a, b)
    dtype = a.dtype
    a, b = (_cast(x, _dtypes.float64) for x in (a, b))
    rest = emit("arith.remf", [a, b])
    quotient = stop_gradient(divide(a, b))
    whole = divide(subtract(a, rest), b)
    is_above = logical_and(not_equal(rest, 0), not_equal(less(rest, 0), less(b, 0)))
    whole = rint(where(is_above, subtract(whole, 1), whole))
    # A result of 0 has the sign of the quotient.
    whole = where(equal(whole, 0), emit("math.copysign", [whole, quotient]), whole)
    return _cast(where(equal(b, 0), quotient, whole), dtype)


def mod(a: TensorLike, b: TensorLike) -> Tensor:
    """The remainder of a division of a by b that rounds down: it has the sign of b, a zero too, as in Python."""
    a, b = as_tensors(a, b)
    rest = mod_of_quotient(a, b)
    if not _dtypes.is_floating(rest.dtype):
        return rest
    # The sum of two zeros is -0 only where both are. The derivative is that of `rest`.
    sign = stop_gradient(emit("math.copysign", broadcast(constant(1.0, b.dtype), b)))
    return multiply(sign, add(multiply(sign, rest), 0.0))


def mod_of_quotient(a: TensorLike, b: TensorLike) -> Tensor:
    """`mod`, of which a zero has the sign of a, as in PyTorch and TensorFlow."""
    a, b = _without_booleans(*as_tensors(a, b))
    if _dtypes.is_unsigned(a.dtype):
        dtype = a.dtype
        a, b = broadcast(signless(a), signless(b))
        return as_unsigned(emit("arith.remui", [a, b]), dtype)
    a, b = broadcast(a, b)
    rest = emit("arith.remf" if _dtypes.is_floating(a.dtype) else "arith.remsi", [a, b])
    return where(logical_and(not_equal(rest, 0), not_equal(less(rest, 0), less(b, 0))), add(rest, b), rest)


def power(a: TensorLike, b: TensorLike) -> Tensor:
    """a to the power of b. A small whole exponent multiplies, also where a is
    negative. Raises ValueError for integers and a negative power that is known, as NumPy does; for one that a step
    computes they are 0 unless they are 1 or -1."""
    if isinstance(b, (int, np.integer, np.ndarray)) and np.any(np.less(b, 0)) and _is_integer(a) and _is_integer(b):
        raise ValueError("integers to a negative power are not integers: cast them to a floating-point dtype")
    if is_number(b) and not isinstance(a, (bool, int, float)):
        base, _ = _without_booleans(as_tensor(a), as_tensor(a))
        if b == 0.5:
            return sqrt(base)
        if b == -1 and not _dtypes.is_integer(base.dtype):
            return reciprocal(base)
        if float(b).is_integer() and 1 <= b <= 8 and (_dtypes.is_floating(base.dtype) or not isinstance(b, float)):
            # Each product would round.
            wide = _cast(base, _dtypes.float32) if _dtypes.is_half(base.dtype) else base
            return _cast(_multiply_out(wide, int(b)), base.dtype)
    a, b = _without_booleans(*as_tensors(a, b))
    if _dtypes.is_floating(a.dtype):
        return _binary("power", a, b, "nn.pow")
    dtype = a.dtype
    a, b = broadcast(signless(a), signless(b))
    return as_unsigned(emit("math.ipowi", [a, b]), dtype)


def _is_integer(value: Any) -> bool:
    """Returns true for integers that have that dtype as a tensor too."""
    if isinstance(value, Tensor):
        return _dtypes.is_integer(value.dtype)
    return not isinstance(value, (bool, np.bool_)) and np.issubdtype(getattr(value, "dtype", type(value)), np.integer)


def _multiply_out(x: Tensor, exponent: int) -> Tensor:
    if exponent == 1:
        return x
    half = _multiply_out(x, exponent // 2)
    return multiply(half, half) if exponent % 2 == 0 else multiply(multiply(half, half), x)


def x_log_y(x: TensorLike, y: TensorLike) -> Tensor:
    """x log(y), and 0 where x is 0, whatever y is: its derivative by y is 0 there, and that by x the logarithm, or 0
    where that is infinite."""
    x, y = broadcast(*_floats(x, y))
    is_dead = logical_and(equal(x, 0), logical_not(isnan(y)))
    is_open = logical_and(is_dead, logical_not(greater(y, 0)))
    return where(is_open, 0.0, multiply(x, log(where(is_open, 1.0, y))))


def arctan2(y: TensorLike, x: TensorLike) -> Tensor:
    """The angle of the point (x, y)."""
    return emit("math.atan2", broadcast(*_floats(y, x)))


def clip(x: TensorLike, low: Optional[TensorLike] = None, high: Optional[TensorLike] = None) -> Tensor:
    """`x` cut off at `low` and `high`, either of which may be None."""
    if low is not None:
        x = maximum(x, low)
    return minimum(x, high) if high is not None else as_tensor(x)


#
# Comparisons and logic
#

# Numbers of predicates: of floating-point numbers, of signed and of unsigned ones.
_PREDICATES = {
    "eq": (1, 0, 0), "ne": (13, 1, 1), "lt": (4, 2, 6), "le": (5, 3, 7), "gt": (2, 4, 8),
    "ge": (3, 5, 9)}  # fmt: skip


def _is_beyond(x: TensorLike, value: TensorLike) -> bool:
    """Returns true for a tensor of integers and an integer of Python that its dtype does not hold."""
    if not isinstance(value, int) or isinstance(value, bool) or not isinstance(x, Tensor):
        return False
    return _dtypes.is_integer(x.dtype) and not np.iinfo(x.dtype).min <= value <= np.iinfo(x.dtype).max


def _compare(predicate: str, a: TensorLike, b: TensorLike) -> Tensor:
    for x, value, is_first in ((a, b, True), (b, a, False)):
        if _is_beyond(x, value):
            # All elements are on one side of the number.
            sides = (0, value) if is_first else (value, 0)
            return _compare("eq" if getattr(operator, predicate)(*sides) else "ne", x, x)
    a, b = broadcast(*as_tensors(a, b))
    if a.dtype == _dtypes.string:
        if predicate not in ("eq", "ne"):
            raise TypeError("strings are equal or not, and have no order")
        same = emit("train.string_equal", [a, b], _dtypes.bool_)
        return same if predicate == "eq" else logical_not(same)
    of_floats, of_signed, of_unsigned = _PREDICATES[predicate]
    if _dtypes.is_floating(a.dtype):
        return emit("arith.cmpf", [a, b], _dtypes.bool_, attributes={"predicate": Attribute.i64(of_floats)})
    of_integers = Attribute.i64(of_signed if _dtypes.is_signed(a.dtype) else of_unsigned)
    return emit("arith.cmpi", [signless(a), signless(b)], _dtypes.bool_, attributes={"predicate": of_integers})


def equal(a: TensorLike, b: TensorLike) -> Tensor:
    """True if a == b, a boolean for each element. Strings may be compared too."""
    return _compare("eq", a, b)


def not_equal(a: TensorLike, b: TensorLike) -> Tensor:
    """True if a != b; NaN differs from all."""
    return _compare("ne", a, b)


def less(a: TensorLike, b: TensorLike) -> Tensor:
    """True if a < b."""
    return _compare("lt", a, b)


def less_equal(a: TensorLike, b: TensorLike) -> Tensor:
    """True if a <= b."""
    return _compare("le", a, b)


def greater(a: TensorLike, b: TensorLike) -> Tensor:
    """True if a > b."""
    return _compare("gt", a, b)


def greater_equal(a: TensorLike, b: TensorLike) -> Tensor:
    """True if a >= b."""
    return _compare("ge", a, b)


def bitwise(what: str, op: str, a: TensorLike, b: TensorLike) -> Tensor:
    """An op on the bits of integers, or on booleans. Raises TypeError for others, in the name `what`."""
    a, b = as_tensors(a, b)
    if _dtypes.is_floating(a.dtype):
        raise about(what, TypeError(f"takes booleans or integers, found {a.dtype}"), " ")
    dtype = a.dtype
    return as_unsigned(emit(op, broadcast(signless(a), signless(b))), dtype)


def logical_and(a: TensorLike, b: TensorLike) -> Tensor:
    """a and b; of numbers, whether they are not 0."""
    return bitwise("and", "arith.andi", cast(a, bool), cast(b, bool))


def logical_or(a: TensorLike, b: TensorLike) -> Tensor:
    """a or b."""
    return bitwise("or", "arith.ori", cast(a, bool), cast(b, bool))


def logical_xor(a: TensorLike, b: TensorLike) -> Tensor:
    """True if exactly one of a and b is true."""
    return bitwise("xor", "arith.xori", cast(a, bool), cast(b, bool))


def logical_not(x: TensorLike) -> Tensor:
    """True if x is false."""
    return bitwise("not", "arith.xori", cast(x, bool), constant(True))


def invert(x: TensorLike) -> Tensor:
    """All bits changed; of booleans, `logical_not`."""
    x = as_tensor(x)
    return logical_not(x) if _dtypes.is_bool(x.dtype) else bitwise("invert", "arith.xori", x, _all_ones(x))


def _all_ones(x: Tensor) -> Tensor:
    return cast(constant(-1, x.dtype.name.lstrip("u")), x.dtype)


def where(condition: TensorLike, a: TensorLike, b: TensorLike) -> Tensor:
    """`a` where the condition holds, else `b`; all three broadcast."""
    chosen = as_tensors(a, b)
    condition, a, b = broadcast(cast(condition, bool), *chosen)
    return emit("arith.select", [condition, a, b], a.dtype)


#
# One operand
#


def _float_op(name: str, doc: str, op: str) -> Callable[[TensorLike], Tensor]:
    def function(x: TensorLike) -> Tensor:
        return emit(op, _floats(x))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{doc}\n\n    Element by element; integers become float32. Raises TypeError for strings.\n    "
    return function


exp = _float_op("exp", "The exponential.", "math.exp")
exp2 = _float_op("exp2", "2 to the power of x.", "math.exp2")
expm1 = _float_op("expm1", "exp(x) - 1, exact near 0.", "math.expm1")
log = _float_op("log", "The natural logarithm.", "math.log")
log2 = _float_op("log2", "The logarithm to base 2.", "math.log2")
log10 = _float_op("log10", "The logarithm to base 10.", "math.log10")
log1p = _float_op("log1p", "log(1 + x), exact near 0.", "math.log1p")
sqrt = _float_op("sqrt", "The square root.", "math.sqrt")
rsqrt = _float_op("rsqrt", "1 / sqrt(x).", "math.rsqrt")
cbrt = _float_op("cbrt", "The cube root.", "math.cbrt")
sin = _float_op("sin", "The sine.", "math.sin")
cos = _float_op("cos", "The cosine.", "math.cos")
tan = _float_op("tan", "The tangent.", "math.tan")
arcsin = _float_op("arcsin", "The inverse of the sine.", "math.asin")
arccos = _float_op("arccos", "The inverse of the cosine.", "math.acos")
arctan = _float_op("arctan", "The inverse of the tangent.", "math.atan")
sinh = _float_op("sinh", "The hyperbolic sine.", "math.sinh")
cosh = _float_op("cosh", "The hyperbolic cosine.", "math.cosh")
tanh = _float_op("tanh", "The hyperbolic tangent.", "math.tanh")
arcsinh = _float_op("arcsinh", "The inverse of the hyperbolic sine.", "math.asinh")
arccosh = _float_op("arccosh", "The inverse of the hyperbolic cosine.", "math.acosh")
arctanh = _float_op("arctanh", "The inverse of the hyperbolic tangent.", "math.atanh")
erf = _float_op("erf", "The error function.", "math.erf")
erfc = _float_op("erfc", "1 - erf(x), to as many digits where little is left.", "math.erfc")
sigmoid = _float_op("sigmoid", "1 / (1 + exp(-x)).", "nn.sigmoid")


def _rounding(name: str, doc: str, op: str) -> Callable[[TensorLike], Tensor]:
    def function(x: TensorLike) -> Tensor:
        x = as_tensor(x)
        return emit(op, [x]) if _dtypes.is_floating(x.dtype) else x

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{doc} Integers stay as they are; derivatives are 0."
    return function


floor = _rounding("floor", "The largest whole number that is not above x.", "math.floor")
ceil = _rounding("ceil", "The smallest whole number that is not below x.", "math.ceil")
trunc = _rounding("trunc", "x without what is behind the point.", "math.trunc")
rint = _rounding("rint", "The nearest whole number; of two, the even one.", "math.roundeven")


def round(x: TensorLike, decimals: int = 0) -> Tensor:
    """`x` rounded to `decimals` decimals, as NumPy does: half to even."""
    decimals = operator.index(decimals)
    if decimals == 0:
        return rint(x)
    scale = 10.0**decimals
    return divide(rint(multiply(x, scale)), scale)


def _classify(name: str, doc: str, op: str, of_integers: bool) -> Callable[[TensorLike], Tensor]:
    def function(x: TensorLike) -> Tensor:
        x = as_tensor(x)
        if _dtypes.is_floating(x.dtype):
            return emit(op, [x], _dtypes.bool_)
        return equal(x, x) if of_integers else not_equal(x, x)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Whether x is {doc}, a boolean an element."
    return function


isnan = _classify("isnan", "NaN", "math.isnan", False)
isinf = _classify("isinf", "infinite", "math.isinf", False)
isfinite = _classify("isfinite", "neither NaN nor infinite", "math.isfinite", True)


def negative(x: TensorLike) -> Tensor:
    """-x."""
    x = as_tensor(x)
    if _dtypes.is_floating(x.dtype):
        return emit("arith.negf", [x])
    return subtract(constant(0, x.dtype), x)


def abs(x: TensorLike) -> Tensor:
    """The absolute value; its derivative at 0 is 0."""
    x = as_tensor(x)
    _numeric("abs", x)
    if _dtypes.is_floating(x.dtype):
        return emit("math.absf", [x])
    return emit("math.absi", [x]) if _dtypes.is_signed(x.dtype) else x


absolute = abs


def root(x: TensorLike) -> Tensor:
    """The square root of a sum of squares. Its derivatives of every order at 0, where a norm has none, are 0 (G20)."""
    x = as_tensor(x)
    is_zero = equal(x, 0)
    return where(is_zero, 0.0, sqrt(where(is_zero, 1.0, x)))


def square(x: TensorLike) -> Tensor:
    """x x."""
    x = as_tensor(x)
    return multiply(x, x)


def reciprocal(x: TensorLike) -> Tensor:
    """1 / x; integers become float32."""
    return divide(1.0, x)


def sign(x: TensorLike) -> Tensor:
    """-1, 0 or 1 as x is negative, 0 or positive; NaN of NaN."""
    x = as_tensor(x)
    if _dtypes.is_unsigned(x.dtype) or _dtypes.is_bool(x.dtype):
        return cast(not_equal(x, 0), x.dtype)
    zero, one = constant(0, x.dtype), constant(1, x.dtype)
    result = where(greater(x, zero), one, where(less(x, zero), negative(one), zero))
    return where(isnan(x), x, result) if _dtypes.is_floating(x.dtype) else result


