# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes that only the call knows, and the numbers that are computed from them (X15)."""

import os
from typing import Any, NoReturn, Optional, Sequence, Tuple, Union

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._core import registry as _registry
from .._core import trace as _trace
from .._core.tensor import Tensor, constant, is_number
from .._errors.messages import wrong
from .._flywheel import Value
from .checks import expect_at_least, expect_at_most
from .emission import Size as DimSize
from .emission import difference, index_op, is_signed, of_size
from .shapes import to_index

_REMEDY = (
    "Write it for all sizes ({advice}); or let each size have a program of its own: call the function without a "
    "signature, and with dynamic='auto', the default, or dynamic=False"
)
_ADVICE = {
    "condition": "flywheel.where, flywheel.cond, flywheel.maximum and flywheel.minimum take it",
    "number": "flywheel.arange, flywheel.fori_loop, and slices and shapes of tensors take it; an array of NumPy is a "
    "tensor by flywheel.constant",
    "function": "flywheel.sqrt, flywheel.log and the other functions of flywheel take it",
    "list": "flywheel.stack makes a tensor of sizes and tensors",
    "text": "repr(n) and print(x.shape) show that it is a size",
}


# NumPy asks a number for its value, so that its files are not the user's.
_NUMPY = os.path.dirname(np.__file__) + os.sep


def refuse(what: str, kind: str = "number") -> NoReturn:
    """Raises TypeError for what Python would have to know of a size while it traces."""
    frame = _trace.find_user_frame((_NUMPY,))
    place = "" if frame is None else f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}: "
    raise TypeError(
        f"{place}{what} is not known while the function is traced: it is of a size that only the call knows. "
        + _REMEDY.format(advice=_ADVICE[kind])
    )


_ANOTHER = "a size of another function is used here: return it from there, or pass it as an argument"


class Condition(Tensor):
    """A comparison of sizes: a boolean tensor. Beside a number of Python or of sizes, it is the integer 0 or 1, as a
    bool of Python is."""

    __slots__ = ()

    def __bool__(self) -> bool:
        refuse("a condition", "condition")

    def __int__(self) -> int:
        refuse("the number")

    __index__ = __int__

    def __float__(self) -> float:
        refuse("the number", "function")

    def __str__(self) -> str:
        refuse("the text", "text")

    def __format__(self, spec: str) -> str:
        refuse("the text", "text")

    def __hash__(self) -> int:
        refuse("the hash")

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, _: Any) -> Any:
        return self

    def __neg__(self) -> Any:
        return -_integer_of(self)

    def __pos__(self) -> Any:
        return _integer_of(self)

    __abs__ = __floor__ = __ceil__ = __trunc__ = __pos__

    def __invert__(self) -> Any:
        return ~_integer_of(self)

    def __round__(self, decimals: Optional[int] = None) -> Any:
        return round(_integer_of(self), decimals)


def _define_operators() -> None:
    """Defines the operators of conditions: those of integers beside numbers, those of tensors beside others."""

    def define(name: str) -> None:
        of_tensors, of_numbers = getattr(Tensor, name), getattr(Number, name)
        is_of_bits = name.strip("_").removeprefix("r") in ("and", "or", "xor")

        def operator(self: Condition, other: Any) -> Any:
            if is_of_bits and isinstance(other, (bool, Condition)):
                return _condition(of_tensors(self, other))
            if isinstance(other, Condition):
                other = _integer_of(other)
            if isinstance(other, (list, tuple, str, bytes)) or other is None or _is_plain(other):
                return of_numbers(_integer_of(self), other)
            return of_tensors(self, other)

        operator.__name__ = name
        setattr(Condition, name, operator)

    for name in "add sub mul truediv floordiv mod divmod pow and or xor lshift rshift".split():
        define(f"__{name}__")
        define(f"__r{name}__")
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        define(f"__{name}__")


# A dimension, and what is left for small numbers that are added to it as int32.
_DIMENSION = (0, 2**31 - 2**20)
_INT64 = 2**63 - 1
# The largest exponent of a power of a size. The base has to stay small enough for a result of 64 bits.
_MOST_FACTORS = 4


class Number(Tensor):
    """A number that is computed from sizes, such as `x.shape[0] / 2`. As a number of Python, it has no dtype of its
    own in operations; where it is a tensor alone, it is float32. It is computed in float64."""

    __slots__ = ("_computed", "_quotient")
    _weak = 1.0

    def __init__(self, exact: Tensor, quotient: Optional[Tuple[Any, Any]] = None):
        self._computed = exact
        # The sizes whose quotient it is.
        self._quotient = quotient
        self.dtype: _dtypes.DType = _dtypes.float32
        self._dims: _trace.Shape = ()
        self.trace = exact.trace
        self._wide, self._is_weak = None, False

    @property
    def value(self) -> Value:  # type: ignore[override]
        return self._typed(self.dtype).value

    @property
    def _index(self) -> Any:
        return None

    @property
    def _exact(self) -> Tensor:
        """As float64, or as int64."""
        return self._computed

    def _typed(self, dtype: _dtypes.DType) -> Tensor:
        return _ops.cast(self._exact, dtype)

    def __repr__(self) -> str:
        return "<flywheel number of this call>"

    def __str__(self) -> str:
        refuse("the text", "text")

    def __format__(self, spec: str) -> str:
        refuse(f"the format '{spec}'" if spec else "the text", "text")

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, _: Any) -> Any:
        return self

    def __bool__(self) -> bool:
        refuse("the truth value", "condition")

    def __int__(self) -> int:
        refuse("the number")

    def __index__(self) -> int:
        refuse("the number")

    def __float__(self) -> float:
        refuse("the number", "function")

    def __complex__(self) -> complex:
        refuse("the number")

    def __array__(self, *_: Any, **__: Any) -> Any:
        refuse("the array")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **given: Any) -> Any:
        """Calls flywheel's function of that name. If all inputs are numbers, the result has NumPy's dtype."""
        if not _trace.is_tracing():
            raise ValueError(_ANOTHER)
        if all(_is_plain(x) for x in inputs):
            inputs = _as_numpy(ufunc, inputs)
        return _registry.numpy_functions.call_ufunc(ufunc, method, inputs, given)

    def __hash__(self) -> int:
        refuse("the hash")

    def __len__(self) -> int:
        raise TypeError("a size is a number and has no length")

    # Arithmetic

    def __add__(self, other: Any) -> Any:
        return _arithmetic("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return _arithmetic("add", other, self)

    def __sub__(self, other: Any) -> Any:
        return _arithmetic("subtract", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _arithmetic("subtract", other, self)

    def __mul__(self, other: Any) -> Any:
        return _arithmetic("multiply", self, other)

    def __rmul__(self, other: Any) -> Any:
        return _arithmetic("multiply", other, self)

    def __truediv__(self, other: Any) -> Any:
        return _arithmetic("divide", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _arithmetic("divide", other, self)

    def __floordiv__(self, other: Any) -> Any:
        return _arithmetic("floor_divide", self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return _arithmetic("floor_divide", other, self)

    def __mod__(self, other: Any) -> Any:
        return _arithmetic("mod", self, other)

    def __rmod__(self, other: Any) -> Any:
        return _arithmetic("mod", other, self)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __pow__(self, other: Any) -> Any:
        return _arithmetic("power", self, other)

    def __rpow__(self, other: Any) -> Any:
        return _arithmetic("power", other, self)

    def __and__(self, other: Any) -> Any:
        return _bits("bitwise_and", self, other)

    def __rand__(self, other: Any) -> Any:
        return _bits("bitwise_and", other, self)

    def __or__(self, other: Any) -> Any:
        return _bits("bitwise_or", self, other)

    def __ror__(self, other: Any) -> Any:
        return _bits("bitwise_or", other, self)

    def __xor__(self, other: Any) -> Any:
        return _bits("bitwise_xor", self, other)

    def __rxor__(self, other: Any) -> Any:
        return _bits("bitwise_xor", other, self)

    def __lshift__(self, other: Any) -> Any:
        return self * (1 << other) if type(other) is int and other < 32 else _bits("left_shift", self, other)

    def __rlshift__(self, other: Any) -> Any:
        return _bits("left_shift", other, self)

    def __rshift__(self, other: Any) -> Any:
        return self // (1 << other) if type(other) is int and other < 32 else _bits("right_shift", self, other)

    def __rrshift__(self, other: Any) -> Any:
        return _bits("right_shift", other, self)

    def __neg__(self) -> Any:
        return 0 - self

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return Number(_ops.abs(self._computed))

    def __invert__(self) -> Any:
        raise TypeError("bad operand type for unary ~: expected an integer, found a float")

    def _whole(self, op: str, what: str) -> Any:
        if self._quotient is None:
            refuse(what)
        a, b = self._quotient
        return of_index(index_op(op, _index(a), _index(b)), _quotient_bounds(_bounds(a)))

    def __floor__(self) -> Any:
        return self._whole("floordivsi", "the floor")

    def __ceil__(self) -> Any:
        return self._whole("ceildivsi", "the ceiling")

    def __trunc__(self) -> Any:
        return self._whole("divsi", "the whole part")

    def __round__(self, decimals: Optional[int] = None) -> Any:
        refuse("the rounded number")

    # Comparisons

    def __eq__(self, other: object) -> Any:
        return _compare("equal", self, other)

    def __ne__(self, other: object) -> Any:
        return _compare("not_equal", self, other)

    def __lt__(self, other: Any) -> Any:
        return _compare("less", self, other)

    def __le__(self, other: Any) -> Any:
        return _compare("less_equal", self, other)

    def __gt__(self, other: Any) -> Any:
        return _compare("greater", self, other)

    def __ge__(self, other: Any) -> Any:
        return _compare("greater_equal", self, other)


class Size(Number):
    """The size of a dimension that only the call knows, or an integer that is computed from such sizes.

    It stands where an integer does: in shapes, slices, `arange`, bounds of loops and arithmetic, as an int32 where it
    is a tensor alone. An operation that needs its value while tracing, such as an `if` or `range` of it, is a
    TypeError; if sizes vary between calls, each size then has a program of its own.
    """

    __slots__ = ("_number", "_dim", "_bounds")
    _weak = 1

    def __init__(
        self, index: Optional[Value], dim: Optional[Tuple[Tensor, int]] = None, bounds: Tuple[int, int] = _DIMENSION
    ):
        if dim is not None and not (isinstance(dim, tuple) and isinstance(dim[0], Tensor)):
            raise wrong(TypeError, "a tensor and an axis", repr(dim), "dim",
                        hint=": a size is `x.shape[0]` of a tensor")  # fmt: skip
        if dim is None and not isinstance(index, Value):
            raise TypeError(f"expected a size, found {index!r}: a size is `x.shape[0]` of a tensor, and an integer one "
                            "as it is")  # fmt: skip
        # A value of type index; or the dimension of a tensor, of which it is read where it is used.
        self._number, self._dim = index, dim
        # The least and the largest number that it may be.
        self._bounds = bounds
        self._quotient = None
        self._wide, self._is_weak = None, False
        self.dtype = _dtypes.int32
        self._dims = ()
        self.trace = _trace.current() if dim is None else dim[0].trace

    @property
    def _index(self) -> Any:
        if self.trace is not _trace.current():
            raise ValueError(_ANOTHER)
        if self._dim is None:
            return self._number
        return self.trace.dim(self._dim[0].value, self._dim[1])

    @property
    def _exact(self) -> Tensor:
        if self.trace is not _trace.current():
            raise ValueError(_ANOTHER)
        return of_size(self._index)

    def _typed(self, dtype: _dtypes.DType) -> Tensor:
        """Converts an operand to this dtype. An integer that does not fit, as of a number of Python, is an error of the
        step."""
        if _dtypes.is_integer(dtype):
            limits, (low, high), index = np.iinfo(dtype), self._bounds, self._index
            least, most = int(limits.min), int(limits.max)
            if low > most or high < least:
                refuse(f"a number that {_dtypes.name_of(dtype)} does not hold")
            if high > most:
                expect_at_most(index, most, f"a size as {_dtypes.name_of(dtype)}")
            if low < least and is_signed(index):
                expect_at_least(index, least, f"a size as {_dtypes.name_of(dtype)}")
        return _ops.cast(self, dtype)

    def __repr__(self) -> str:
        return "<flywheel.Size>"

    def __abs__(self) -> Any:
        if not is_signed(self._index):
            return self
        low, high = self._bounds
        return of_index(index_op("maxsi", self._index, index_op("subi", 0, self._index)), (0, max(-low, high)))

    def __invert__(self) -> Any:
        return -1 - self

    def __floor__(self) -> Any:
        return self

    __ceil__ = __trunc__ = __floor__

    def __round__(self, decimals: Optional[int] = None) -> Any:
        if decimals is not None and decimals < 0:
            refuse("the rounded number")
        return self


def of_index(index: DimSize, bounds: Tuple[int, int] = _DIMENSION) -> Union[int, Size]:
    """A number, or a value of type index between these bounds, as a size."""
    return index if isinstance(index, int) else Size(index, None, bounds)


def size_of(x: Tensor, axis: int) -> Union[int, Size]:
    """The size of a dimension."""
    known = x._dims[axis]
    return Size(None, (x, axis)) if known is None else known


def _is_plain(x: Any) -> bool:
    """Returns true for a number of Python or of sizes: an operand without a dtype of its own."""
    return is_number(x) or isinstance(x, Number)


def _index(x: Any) -> DimSize:
    found: DimSize = x._index if isinstance(x, Size) else int(x)
    return found


def _exact(x: Any) -> Tensor:
    return _ops.cast(x, _dtypes.float64) if isinstance(x, Number) else constant(float(x), _dtypes.float64)


def _as_numpy(ufunc: Any, numbers: Sequence[Any]) -> Tuple[Tensor, ...]:
    """Returns numbers as tensors of the dtypes in which a function of NumPy computes: int64, float64 or bool."""
    exact = [x._exact if isinstance(x, Number) else constant(np.asarray(x)) for x in numbers]
    try:
        with np.errstate(all="ignore"):
            found = np.asarray(ufunc(*(np.ones((), x.dtype) for x in exact))).dtype
    except TypeError:
        found = np.dtype(bool)
    return tuple(_ops.cast(x, found) if found.kind == "f" else x for x in exact)


def _refuse_sequence(what: str, a: Any, b: Any) -> None:
    """Refuses a list times a number: Python repeats the list, a tensor of products is something else."""
    for x in (a, b):
        if isinstance(x, (list, tuple, str, bytes, bytearray)):
            if what == "multiply":
                refuse(f"a {type(x).__name__} times the number")
            raise TypeError(f"{what} takes no {type(x).__name__} and a size")


def _arithmetic(what: str, a: Any, b: Any) -> Any:
    if a is None or b is None:
        return NotImplemented
    _refuse_sequence(what, a, b)
    a, b = (_integer_of(x) if isinstance(x, Condition) else x for x in (a, b))
    if not (_is_plain(a) and _is_plain(b)):
        return getattr(_ops, what)(a, b)
    if what != "divide" and all(isinstance(x, (int, Size)) for x in (a, b)):
        return _of_integers(what, a, b)
    if what in ("divide", "floor_divide", "mod") and is_number(b) and b == 0:
        raise ZeroDivisionError("division of a size by zero")
    quotient = (a, b) if what == "divide" and all(isinstance(x, (int, Size)) for x in (a, b)) else None
    return Number(getattr(_ops, what)(_exact(a), _exact(b)), quotient)


def _of_integers(what: str, a: Any, b: Any) -> Any:
    if what == "power":
        if not isinstance(b, int):
            refuse("a power")
        if b < 0:
            return 1.0 / _of_integers(what, a, -b)
        if b > _MOST_FACTORS:
            refuse("a power")
        result: Any = 1
        for _ in range(b):
            result = _of_integers("multiply", a, result)
        return result
    x, y = _index(a), _index(b)
    if any(isinstance(one, int) and not -(2**63) < one < 2**63 for one in (x, y)):
        refuse("a number of more than 64 bits")
    of_x, of_y = _bounds(a), _bounds(b)
    if what == "multiply":
        return of_index(index_op("muli", x, y), _product_bounds(x, y, of_x, of_y))
    if what in ("add", "subtract"):
        if what == "subtract":
            of_y = -of_y[1], -of_y[0]
        bounds = _expect_64_bits(what, x, y, (of_x[0] + of_y[0], of_x[1] + of_y[1]))
        known = difference(x, y) if what == "subtract" else None
        op = "addi" if what == "add" else "subi"
        return of_index(index_op(op, x, y) if known is None else known, bounds)
    if y == 0:
        raise ZeroDivisionError("division of a size by zero")
    quotient = index_op("floordivsi", x, y)
    if what == "floor_divide":
        return of_index(quotient, _quotient_bounds(of_x))
    # The rest has the sign of the divisor.
    bounds = min(of_y[0] + 1, 0), max(of_y[1] - 1, 0)
    if of_x[0] >= 0 and of_y[0] >= 0:
        bounds = 0, min(of_x[1], bounds[1])
    return of_index(index_op("subi", x, index_op("muli", quotient, y)), bounds)


def _bounds(x: Any) -> Tuple[int, int]:
    return x._bounds if isinstance(x, Size) else (int(x), int(x))


def _quotient_bounds(bounds: Tuple[int, int]) -> Tuple[int, int]:
    """Returns the bounds of a quotient by any integer, also if it is rounded."""
    most = max(-bounds[0], bounds[1])
    return (0 if bounds[0] >= 0 else -most) - 1, most


def _product_bounds(x: DimSize, y: DimSize, of_x: Tuple[int, int], of_y: Tuple[int, int]) -> Tuple[int, int]:
    """Returns the bounds of a product. More than 64 bits are an error of the step. Raises TypeError if a factor is so
    large that most sizes have such a product."""
    products = [one * other for one in of_x for other in of_y]
    bounds = min(products), max(products)
    if bounds[0] >= -_INT64 and bounds[1] <= _INT64:
        return bounds
    if any(isinstance(one, int) and abs(one) > _DIMENSION[1] for one in (x, y)):
        refuse("a number of more than 64 bits")
    most: DimSize = _INT64
    if isinstance(x, int):
        x, y, of_x, of_y = y, x, of_y, of_x
    divisor = abs(y) if isinstance(y, int) else index_op("maxsi", y, 1)
    if not isinstance(y, int) and of_y[0] < 0:
        divisor = index_op("maxsi", divisor, index_op("subi", 0, y))
    most = index_op("divsi", _INT64, divisor)
    expect_at_most(x, most, "a product of sizes of more than 64 bits: a factor")
    if of_x[0] < 0:
        expect_at_least(x, index_op("subi", 0, most), "a product of sizes of more than 64 bits: a factor")
    return max(bounds[0], -_INT64), min(bounds[1], _INT64)


def _expect_64_bits(what: str, x: DimSize, y: DimSize, bounds: Tuple[int, int]) -> Tuple[int, int]:
    """Returns the bounds of a sum or a difference. More than 64 bits are an error of the step."""
    if bounds[0] >= -_INT64 and bounds[1] <= _INT64:
        return bounds
    # Halves of them are at most half of it.
    half = [index_op("floordivsi", one, 2) for one in (x, y)]
    total = index_op("addi" if what == "add" else "subi", *half)
    text = "a sum of sizes of more than 64 bits: half of it"
    expect_at_most(total, _INT64 // 2 - 1, text)
    expect_at_least(total, -(_INT64 // 2), text)
    return max(bounds[0], -_INT64), min(bounds[1], _INT64)


def _bits(what: str, a: Any, b: Any) -> Any:
    if _is_plain(a) and _is_plain(b):
        refuse("the bits")
    _refuse_sequence(what, a, b)
    return getattr(_ops, what)(a, b)


_OF_DIFFERENCE = {
    "equal": lambda d: d == 0, "not_equal": lambda d: d != 0, "less": lambda d: d < 0, "less_equal": lambda d: d <= 0,
    "greater": lambda d: d > 0, "greater_equal": lambda d: d >= 0,
}  # fmt: skip


def _compare(what: str, a: Number, b: Any) -> Any:
    """Compares two numbers; returns a truth value of Python if it is the same in every call."""
    if b is None or isinstance(b, (str, bytes)):
        return NotImplemented
    _refuse_sequence(what, a, b)
    if isinstance(b, Condition):
        b = _integer_of(b)
    if isinstance(a, Size) and isinstance(b, (int, Size)):
        x, y = a._index, _index(b)
        if isinstance(y, int) and not is_signed(x) and (y < 0 or (y == 0 and what in ("less", "greater_equal"))):
            return bool(_OF_DIFFERENCE[what](1 if y < 0 else 0))
        known = difference(x, y)
        if known is not None:
            return bool(_OF_DIFFERENCE[what](known))
        wide = [x._exact if isinstance(x, Size) else constant(x, _dtypes.int64) for x in (a, b)]
        return _condition(getattr(_ops, what)(*wide))
    if _is_plain(b):
        return _condition(getattr(_ops, what)(_exact(a), _exact(b)))
    return getattr(_ops, what)(a, b)


def _condition(x: Tensor) -> Condition:
    return Condition(x.value, x.dtype, x._dims, x.trace)


def _integer_of(condition: Condition) -> Size:
    """Returns a condition as 0 or 1."""
    index: Any = to_index(_ops.cast(condition, _dtypes.uint8))
    return Size(index, None, (0, 1))


_define_operators()
