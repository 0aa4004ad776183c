# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes that only the call knows, and the numbers that are computed from them (X15)."""

import os
import sys
from typing import Any, NoReturn, Optional, Tuple, Union

import numpy as np

from . import _dtypes, _ops, _trace
from ._flywheel import Value
from ._ops._checks import expect_at_least, expect_at_most
from ._ops._core import Size as DimSize
from ._ops._core import difference, index_op, is_signed, of_size
from ._tensor import Tensor, constant, is_number

_REMEDY = (
    "Write it for all sizes ({advice}); or let each size have a program of its own: call the function without a "
    "signature, and with dynamic='auto', the default, or dynamic=False"
)
_ADVICE = {
    "condition": "flywheel.where, flywheel.cond, flywheel.maximum and flywheel.minimum take it",
    "number": "flywheel.arange, flywheel.fori_loop, and slices and shapes of tensors take it; an array of NumPy is a "
    "tensor by flywheel.constant",
}


# Frames of files in here are no user's: NumPy asks a number for what it is.
_NOT_USERS = (_trace.PACKAGE, os.path.dirname(np.__file__) + os.sep)


def _place() -> str:
    """The line of the user's code that runs."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_NOT_USERS):
        frame = frame.f_back
    return "" if frame is None else f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}: "


def refuse(what: str, kind: str = "number") -> NoReturn:
    """Raises TypeError for what Python would have to know of a size while it traces."""
    raise TypeError(
        f"{_place()}{what} is not known while the function is traced: it is of a size that only the call knows. "
        + _REMEDY.format(advice=_ADVICE[kind])
    )


class Condition(Tensor):
    """A comparison of sizes: a boolean tensor."""

    __slots__ = ()

    def __bool__(self) -> bool:
        refuse("a condition", "condition")


class Number(Tensor):
    """A number that is computed from sizes, such as `x.shape[0] / 2`. As a number of Python, it has no dtype of its
    own in operations; where it is a tensor alone, it is float32. It is computed in float64."""

    __slots__ = ("_exact", "_quotient")
    weak = 1.0

    def __init__(self, exact: Tensor, quotient: Optional[Tuple[DimSize, DimSize]] = None):
        self._exact = exact
        # The sizes whose quotient it is.
        self._quotient = quotient
        self.dtype: _dtypes.DType = _dtypes.float32
        self.dims: _trace.Shape = ()
        self.trace = exact.trace

    @property
    def value(self) -> Value:  # type: ignore[override]
        return self.typed(self.dtype).value

    @property
    def index(self) -> Any:
        return None

    @property
    def exact(self) -> Tensor:
        """As float64, or as int64."""
        return self._exact

    def typed(self, dtype: _dtypes.DType) -> Tensor:
        return _ops.cast(self.exact, dtype)

    def __repr__(self) -> str:
        return "<flywheel number of this call>"

    def __format__(self, spec: str) -> str:
        if spec:
            refuse(f"the format '{spec}'")
        return repr(self)

    def __bool__(self) -> bool:
        refuse("the truth value", "condition")

    def __int__(self) -> int:
        refuse("the number")

    def __index__(self) -> int:
        refuse("the number")

    def __float__(self) -> float:
        refuse("the number")

    def __complex__(self) -> complex:
        refuse("the number")

    def __array__(self, *_: Any, **__: Any) -> Any:
        refuse("the array")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **given: Any) -> Any:
        """What the operators of NumPy's arrays call. Of numbers alone, NumPy's function has a number."""
        name = {"remainder": "mod"}.get(ufunc.__name__, ufunc.__name__)
        if method != "__call__" or given or all(_is_plain(x) for x in inputs) or not hasattr(_ops, name):
            refuse(f"numpy.{ufunc.__name__}")
        return getattr(_ops, name)(*inputs)

    def __hash__(self) -> int:
        refuse("the hash")

    def __len__(self) -> int:
        raise TypeError("a size is a number, and has no length")

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
        return Number(_ops.abs(self._exact))

    def __invert__(self) -> Any:
        raise TypeError("bad operand type for unary ~: a number that is no integer")

    def _whole(self, op: str, what: str) -> Any:
        if self._quotient is None:
            refuse(what)
        return of_index(index_op(op, *self._quotient))

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
    is a tensor alone. What Python would have to know while it traces, such as an `if` or `range` of it, is a TypeError;
    where sizes vary between calls, each size then has a program of its own.
    """

    __slots__ = ("_index", "_dim", "_is_product")
    weak = 1

    def __init__(self, index: Optional[Value], dim: Optional[Tuple[Tensor, int]] = None, is_product: bool = False):
        if dim is not None and not (isinstance(dim, tuple) and isinstance(dim[0], Tensor)):
            raise TypeError(f"expected a tensor and an axis as dim, found {dim!r}: a size is `x.shape[0]` of a tensor")
        # A value of type index; or the dimension of a tensor, of which it is read where it is used.
        self._index, self._dim = index, dim
        # Whether it may be larger than a dimension.
        self._is_product = is_product
        self._quotient = None
        self.dtype = _dtypes.int32
        self.dims = ()
        self.trace = _trace.current() if dim is None else dim[0].trace

    @property
    def index(self) -> Any:
        if self._dim is None:
            return self._index
        return self.trace.dim(self._dim[0].value, self._dim[1])

    @property
    def exact(self) -> Tensor:
        if self.trace is not _trace.current():
            raise ValueError("a size of another function is used here: return it from there, or pass it as an argument")
        return of_size(self.index)

    def typed(self, dtype: _dtypes.DType) -> Tensor:
        """An operand of this dtype. An error of the step where an integer does not fit, as of a number of Python."""
        if _dtypes.is_integer(dtype):
            limits, index = np.iinfo(dtype), self.index
            if dtype.itemsize < 4 or (dtype.itemsize == 4 and self._is_product):
                expect_at_most(index, int(limits.max), f"a size as {_dtypes.name_of(dtype)}")
            if is_signed(index) and (limits.min == 0 or dtype.itemsize < 4):
                expect_at_least(index, int(limits.min), f"a size as {_dtypes.name_of(dtype)}")
        return _ops.cast(self, dtype)

    def __repr__(self) -> str:
        return "<flywheel.Size>"

    def __abs__(self) -> Any:
        if not is_signed(self.index):
            return self
        return of_index(index_op("maxsi", self.index, index_op("subi", 0, self.index)))

    def __invert__(self) -> Any:
        return -1 - self

    def __floor__(self) -> Any:
        return self

    __ceil__ = __trunc__ = __floor__

    def __round__(self, decimals: Optional[int] = None) -> Any:
        if decimals is not None and decimals < 0:
            refuse("the rounded number")
        return self


def of_index(index: DimSize, is_product: bool = False) -> Union[int, Size]:
    """A number, or a value of type index, as a size."""
    return index if isinstance(index, int) else Size(index, None, is_product)


def size_of(x: Tensor, axis: int) -> Union[int, Size]:
    """The size of a dimension."""
    known = x.dims[axis]
    return Size(None, (x, axis)) if known is None else known


def _is_plain(x: Any) -> bool:
    """Whether it is a number of Python or of sizes: what a number computes with without a dtype."""
    return is_number(x) or isinstance(x, Number)


def _index(x: Any) -> DimSize:
    found: DimSize = x.index if isinstance(x, Size) else int(x)
    return found


def _exact(x: Any) -> Tensor:
    return _ops.cast(x, _dtypes.float64) if isinstance(x, Number) else constant(float(x), _dtypes.float64)


def _refuse_sequence(what: str, a: Any, b: Any) -> None:
    """A list times a number of Python repeats: a tensor of products is something else."""
    for x in (a, b):
        if isinstance(x, (list, tuple, str, bytes, bytearray)):
            if what == "multiply":
                refuse(f"a {type(x).__name__} times the number")
            raise TypeError(f"{what} takes no {type(x).__name__} and a size")


def _arithmetic(what: str, a: Any, b: Any) -> Any:
    if a is None or b is None:
        return NotImplemented
    _refuse_sequence(what, a, b)
    if not (_is_plain(a) and _is_plain(b)):
        return getattr(_ops, what)(a, b)
    if what != "divide" and all(isinstance(x, (int, Size)) for x in (a, b)):
        return _of_integers(what, a, b)
    if what in ("divide", "floor_divide", "mod") and is_number(b) and b == 0:
        raise ZeroDivisionError("division of a size by zero")
    quotient = (_index(a), _index(b)) if what == "divide" and all(isinstance(x, (int, Size)) for x in (a, b)) else None
    return Number(getattr(_ops, what)(_exact(a), _exact(b)), quotient)


def _of_integers(what: str, a: Any, b: Any) -> Any:
    if what == "power":
        if not isinstance(b, int):
            refuse("a power")
        if b < 0:
            return 1.0 / _of_integers(what, a, -b)
        result: DimSize = 1
        for _ in range(b):
            result = index_op("muli", result, _index(a))
        return of_index(result, b > 1)
    x, y = _index(a), _index(b)
    is_large = what == "multiply" or any(isinstance(one, Size) and one._is_product for one in (a, b))
    if what == "subtract":
        known = difference(x, y)
        return of_index(index_op("subi", x, y) if known is None else known, is_large)
    if what in ("add", "multiply"):
        return of_index(index_op({"add": "addi", "multiply": "muli"}[what], x, y), is_large)
    if y == 0:
        raise ZeroDivisionError("division of a size by zero")
    quotient = index_op("floordivsi", x, y)
    if what == "floor_divide":
        return of_index(quotient, is_large)
    return of_index(index_op("subi", x, index_op("muli", quotient, y)))


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
    """A truth value of Python where it is the same in every call."""
    if b is None or isinstance(b, (str, bytes)):
        return NotImplemented
    _refuse_sequence(what, a, b)
    if isinstance(a, Size) and isinstance(b, (int, Size)):
        x, y = a.index, _index(b)
        if isinstance(y, int) and not is_signed(x) and (y < 0 or (y == 0 and what in ("less", "greater_equal"))):
            return bool(_OF_DIFFERENCE[what](1 if y < 0 else 0))
        known = difference(x, y)
        if known is not None:
            return bool(_OF_DIFFERENCE[what](known))
        wide = [x.exact if isinstance(x, Size) else constant(x, _dtypes.int64) for x in (a, b)]
        return _condition(getattr(_ops, what)(*wide))
    if _is_plain(b):
        return _condition(getattr(_ops, what)(_exact(a), _exact(b)))
    return getattr(_ops, what)(a, b)


def _condition(x: Tensor) -> Condition:
    return Condition(x.value, x.dtype, x.dims, x.trace)
