# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python's operators for tensors and variables of graphs."""

from typing import Any, Callable

from .. import _ops
from .._core import dtypes as _dtypes
from .._core import tensor as _tensor


def _make(kind: str, function: Callable[..., Any], *args: Any) -> Any:
    from .conversion import make, paired

    return make(kind, function, *(paired(kind, *args) if len(args) == 2 and kind in _OF_ONE_DTYPE else args))


# Ops whose operands have one dtype.
_OF_ONE_DTYPE = frozenset([
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "Less", "LessEqual", "Greater", "GreaterEqual",
])  # fmt: skip


def _divide(x: Any, y: Any) -> Any:
    """x / y, of integers as TensorFlow has it: of up to 16 bits as float32, of more as float64."""
    a, b = _tensor.as_tensors(x, y)
    if _dtypes.is_integer(a.dtype):
        wide = _dtypes.float32 if a.dtype.itemsize <= 2 else _dtypes.float64
        a, b = _ops.cast(a, wide), _ops.cast(b, wide)
    return _ops.divide(a, b)


def floor_of_quotient(x: Any, y: Any) -> Any:
    """x / y, rounded down. The quotient of floating-point numbers is rounded before, to float32 of float16 and
    bfloat16, as in TensorFlow: 6 and 0.2 give 30, and NumPy's exact rule 29."""
    a, b = _tensor.as_tensors(x, y)
    if not _dtypes.is_floating(a.dtype):
        return _ops.floor_divide(a, b)
    wide = _dtypes.float64 if a.dtype == _dtypes.float64 else _dtypes.float32
    return _ops.cast(_ops.floor(_ops.divide(_ops.cast(a, wide), _ops.cast(b, wide))), a.dtype)


def _power(x: Any, y: Any) -> Any:
    """x to the power of y, which carries no derivative where x is negative: that of real numbers is NaN there, and
    TensorFlow's 0."""
    if not _dtypes.is_floating(y.dtype):
        return _ops.power(x, y)
    base = _tensor.as_tensor(x, y.dtype)
    is_negative = _ops.less(base, 0)
    # Neither of the two has numbers that the other one's derivatives would be spoiled by.
    of_negative = _ops.power(_ops.where(is_negative, base, 1), _ops.stop_gradient(y))
    return _ops.where(is_negative, of_negative, _ops.power(_ops.where(is_negative, 1, base), y))


def power_by(y: Any) -> Callable[..., Any]:
    """Returns the traced function of powers with an exponent of the graph: a constant one has no derivative."""
    y = y._as_graph_tensor() if hasattr(y, "_as_graph_tensor") else y
    return _ops.power if getattr(getattr(y, "op", None), "type", "Const") == "Const" else _power


def _slice_by_steps(x: Any, keys: Any, steps: Any) -> Any:
    """Slices by steps that are known when a program runs."""
    from .conversion import make
    from .sizes import as_known, known_numbers

    bounds = [slice(one.start, one.stop) if isinstance(one, slice) else one for one in keys]

    def emit(y: Any, known: Any, *given: Any) -> Any:
        by = [None if step is None else int(known_numbers(step)) for step in known]
        return _ops.getitem(y, tuple(slice(one.start, one.stop, step) if isinstance(one, slice) else one
                                     for one, step in zip(given, by)))  # fmt: skip

    shape = x.static_shape if all(isinstance(one, slice) for one in keys) else None
    if shape is not None:
        shape = tuple(None if axis < len(keys) else size for axis, size in enumerate(shape))
    return make("strided_slice", emit, x, [None if step is None else as_known(step) for step in steps], *bounds,
                types=[(x.dtype, shape)])  # fmt: skip


class Operators:
    """Operators, which make ops of the default graph. `==` compares identity, as in
    TensorFlow 1: use `equal`."""

    def __add__(self, other: Any) -> Any:
        return _make("add", _ops.add, self, other)

    def __radd__(self, other: Any) -> Any:
        return _make("add", _ops.add, other, self)

    def __sub__(self, other: Any) -> Any:
        return _make("sub", _ops.subtract, self, other)

    def __rsub__(self, other: Any) -> Any:
        return _make("sub", _ops.subtract, other, self)

    def __mul__(self, other: Any) -> Any:
        return _make("mul", _ops.multiply, self, other)

    def __rmul__(self, other: Any) -> Any:
        return _make("mul", _ops.multiply, other, self)

    def __truediv__(self, other: Any) -> Any:
        return _make("truediv", _divide, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _make("truediv", _divide, other, self)

    def __floordiv__(self, other: Any) -> Any:
        return _make("floordiv", floor_of_quotient, self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return _make("floordiv", floor_of_quotient, other, self)

    def __rmod__(self, other: Any) -> Any:
        return _make("mod", _ops.arithmetic.mod_of_quotient, other, self)

    def __rmatmul__(self, other: Any) -> Any:
        return _make("matmul", _ops.matmul, other, self)

    def __rand__(self, other: Any) -> Any:
        return _make("and", _ops.logical_and, other, self)

    def __ror__(self, other: Any) -> Any:
        return _make("or", _ops.logical_or, other, self)

    def __xor__(self, other: Any) -> Any:
        return _make("xor", _ops.logical_xor, self, other)

    def __mod__(self, other: Any) -> Any:
        return _make("mod", _ops.arithmetic.mod_of_quotient, self, other)

    def __pow__(self, other: Any) -> Any:
        return _make("pow", power_by(other), self, other)

    def __rpow__(self, other: Any) -> Any:
        return _make("pow", power_by(self), other, self)

    def __matmul__(self, other: Any) -> Any:
        return _make("matmul", _ops.matmul, self, other)

    def __neg__(self) -> Any:
        return _make("Neg", _ops.negative, self)

    def __abs__(self) -> Any:
        return _make("Abs", _ops.abs, self)

    def __invert__(self) -> Any:
        return _make("LogicalNot", _ops.logical_not, self)

    def __and__(self, other: Any) -> Any:
        return _make("and", _ops.logical_and, self, other)

    def __or__(self, other: Any) -> Any:
        return _make("or", _ops.logical_or, self, other)

    def __lt__(self, other: Any) -> Any:
        return _make("Less", _ops.less, self, other)

    def __le__(self, other: Any) -> Any:
        return _make("LessEqual", _ops.less_equal, self, other)

    def __gt__(self, other: Any) -> Any:
        return _make("Greater", _ops.greater, self, other)

    def __ge__(self, other: Any) -> Any:
        return _make("GreaterEqual", _ops.greater_equal, self, other)

    def __getitem__(self, key: Any) -> Any:
        mask = key if hasattr(key, "dtype") else None
        if mask is not None and _dtypes.is_bool(mask.dtype) and len(mask.shape):
            from .host_ops import boolean_mask

            return boolean_mask(self, mask)
        keys = key if isinstance(key, tuple) else (key,)
        steps = [one.step if isinstance(one, slice) else None for one in keys]
        if any(hasattr(step, "op") for step in steps):
            return _slice_by_steps(self, keys, steps)
        if isinstance(key, tuple):
            return _make("strided_slice", lambda x, *keys: _ops.getitem(x, tuple(keys)), self, *key)
        return _make("strided_slice", _ops.getitem, self, key)
