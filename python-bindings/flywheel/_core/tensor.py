# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors: values of a function that is being traced."""

import math
from typing import TYPE_CHECKING, Any, Callable, ClassVar, Iterator, NoReturn, Optional, Sequence, Tuple, Union

import numpy as np

from .._errors.messages import wrong
from .._flywheel import Attribute, Value
from . import dtypes as _dtypes
from . import registry as _registry
from . import trace as _trace
from ._widening import warn_of_widening
from .argument_checks import integers
from .operators import Operators
from .trace import Shape, Trace

if TYPE_CHECKING:
    from .._ops.sizes import Size

# An operand of an operation: a tensor, a variable (its value here), an array, a number or lists of them.
TensorLike = Any


class Tensor(Operators):
    """A value of a function that is being traced: it has a dtype and a shape, and
    gets its elements when the compiled function runs.

    Sizes are numbers; one that only the call knows (the batch) is a `Size`, which
    stands where a number does. Operators are NumPy's, with its broadcasting; see
    `flywheel.promote_types` for dtypes.
    """

    __slots__ = ("value", "dtype", "_dims", "trace", "_index", "_wide", "_is_weak", "__weakref__")
    # A number of Python that has the dtype in operations that this one has; None of a tensor, which has its own.
    _weak: ClassVar[Optional[float]] = None

    def __init__(self, value: Value, dtype: _dtypes.DType, dims: Shape, trace: Trace):
        self.value = value
        self.dtype = dtype
        # Sizes as far as they are known while tracing: None where only the call knows one.
        self._dims = dims
        self.trace = trace
        # The elements as sizes, if the tensor holds sizes of dimensions: a number, or a value of type index; a list for
        # a vector.
        self._index: Any = None
        # Makes the elements as float64, if the tensor is float32 and was numbers of Python.
        self._wide: Optional[Callable[[], Tensor]] = None
        # True if the tensor takes the floating-point dtype of what it meets, as a number of Python does.
        self._is_weak = False

    @property
    def ndim(self) -> int:
        return len(self._dims)

    @property
    def shape(self) -> "Tuple[Union[int, Size], ...]":
        """The sizes of the dimensions: numbers, or a `Size` where only the call knows one."""
        if None not in self._dims:
            return self._dims  # type: ignore[return-value]
        size_of = _registry.sizes.size_of
        return tuple(size_of(self, axis) for axis in range(len(self._dims)))

    @property
    def size(self) -> "Union[int, Size]":
        """The number of elements: a number, or a `Size` where only the call knows it."""
        return math.prod(self.shape)

    @property
    def _static_size(self) -> Optional[int]:
        """The number of elements; None where only the call knows it."""
        return math.prod(d for d in self._dims if d is not None) if None not in self._dims else None

    @property
    def _exact(self) -> "Tensor":
        """The tensor with the dtype in which it is computed."""
        return self

    def _typed(self, dtype: _dtypes.DType) -> "Tensor":
        """Converts an operand to this dtype."""
        return _registry.ops.cast(self, dtype)

    def __repr__(self) -> str:
        return f"<flywheel.Tensor {_dtypes.name_of(self.dtype)}{format_shape(self._dims)}>"

    def _refuse(self, what: str) -> NoReturn:
        is_number = not self._dims and not _dtypes.is_floating(self.dtype)
        static = "; an argument that is a number is known if `static` of flywheel.function names it"
        raise TypeError(
            f"{what} of a tensor is not known while it is traced: use flywheel.cond, flywheel.where or "
            f"flywheel.while_loop, or return the tensor and look at the result of the call{static * is_number}"
        )

    def __bool__(self) -> bool:
        self._refuse("the truth value")

    def __int__(self) -> int:
        self._refuse("the number")

    def __float__(self) -> float:
        self._refuse("the number")

    def __index__(self) -> int:
        self._refuse("the number")

    def __array__(self, *_: Any, **__: Any) -> "np.ndarray[Any, Any]":
        self._refuse("the array")

    def __len__(self) -> int:
        if not self._dims:
            raise TypeError("a scalar has no length")
        dim_size = self._dims[0]
        if dim_size is None:
            _registry.sizes.refuse("the length of a tensor, whose value is x.shape[0],")
        return dim_size

    def __iter__(self) -> Iterator["Tensor"]:
        return iter([self[i] for i in range(len(self))])

    __hash__ = object.__hash__


def format_shape(shape: Sequence[Any]) -> str:
    inner = ", ".join("?" if d is None or isinstance(d, Tensor) else str(d) for d in shape)
    return f"({inner},)" if len(shape) == 1 else f"({inner})"


def wrap(value: Value, dtype: _dtypes.DType, shape: Sequence[Optional[int]]) -> Tensor:
    """A tensor of the current trace."""
    return Tensor(value, dtype, tuple(shape), _trace.current())


def of_value(value: Value) -> Tensor:
    """The tensor of a value, whose type says what it is."""
    return wrap(value, _dtypes.as_dtype(value.dtype), value.shape)


def is_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float)) and not isinstance(value, np.generic)


def is_integer(value: Any) -> bool:
    """Returns true for one integer: of Python, of NumPy, or an array without dimensions."""
    return isinstance(value, (int, np.integer)) or (
        isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "iu"
    )


def constant(value: Any, dtype: Any = None, shape: Optional[Sequence[int]] = None) -> Tensor:
    """A constant tensor.

    `value` is an array, a number, a string or lists of them, and keeps an array's
    dtype; Python's numbers are int32 (int64 where one does not fit), float32 and
    bool. With `shape`, elements fill it in row-major order and the last one repeats.
    Raises ValueError for more elements than the shape has.
    """
    if isinstance(value, Tensor) and value._weak is not None and shape is None:
        # A number, as one of Python.
        return as_tensor(value, dtype)
    if isinstance(value, (list, tuple)) and holds_sizes(value):
        _registry.sizes.refuse("a list of sizes", "list")
    _dtypes.refuse_matrix(value)
    array = _dtypes.literal(value, dtype)
    wide = _exact(value, array) if dtype is None else None
    if holds_tensors(shape):
        if array.size != 1:
            raise ValueError(f"expected one element to fill a shape with that the call chooses, found {array.size}")
        one = with_wide(_embed(array.reshape(())), None if wide is None else wide.reshape(()))
        return _registry.ops.broadcast_to(one, shape)
    if shape is not None:
        new = tuple(integers("shape", [shape] if is_integer(shape) else shape))
        array, wide = fill(array, new), None if wide is None else fill(wide, new)
    return with_wide(_embed(array), wide)


def _exact(value: Any, array: "np.ndarray[Any, Any]") -> "Optional[np.ndarray[Any, Any]]":
    """Returns numbers of Python as float64 if `array` has them as float32; None for others, and for arrays of any
    library."""
    is_narrowed = array.dtype == _dtypes.float32 and not hasattr(value, "dtype")
    return np.asarray(value, np.float64) if is_narrowed else None


def with_wide(x: Tensor, wide: "Optional[np.ndarray[Any, Any]]", is_weak: bool = False) -> Tensor:
    """Says of a float32 constant what its elements are before they are rounded."""
    if wide is not None:
        x._wide, x._is_weak = lambda: _embed(wide), is_weak
    return x


def fill(array: "np.ndarray[Any, Any]", shape: Tuple[int, ...]) -> "np.ndarray[Any, Any]":
    """The elements in this shape, the last one repeated."""
    count = int(np.prod(shape, dtype=np.int64))
    if array.size > count:
        raise ValueError(f"Too many elements provided. Needed at most {count}, but received {array.size}")
    flat = array.reshape(-1)
    if flat.size < count:
        if flat.size == 0:
            raise ValueError(f"expected an element to fill the shape {shape} with")
        flat = np.concatenate([flat, np.repeat(flat[-1:], count - flat.size)])
    return flat.reshape(shape)


def _embed(array: "np.ndarray[Any, Any]") -> Tensor:
    trace = _trace.current()
    shape = tuple(array.shape)
    dtype = _dtypes.as_dtype(array.dtype)
    type_ = trace.type(dtype, shape)
    if dtype == _dtypes.string:
        texts = [text if isinstance(text, bytes) else str(text).encode("utf-8", "surrogateescape")
                 for text in array.reshape(-1)]  # fmt: skip
        value = trace.op("train.string_constant", [], [type_], {"values": Attribute.byte_strings(texts)})[0]
        return Tensor(value, dtype, shape, trace)
    key = (dtype, shape, array.tobytes()) if array.size <= 16 else None
    if key is not None:
        for frame in reversed(trace.frames):
            if key in frame.constants:
                return _with_index(Tensor(frame.constants[key], dtype, shape, trace), array)
            if frame.is_isolated:
                break
    if _dtypes.is_unsigned(dtype):
        # Constants are signless.
        signless = np.dtype(dtype.name[1:])
        value = trace.graph.constant(array.view(signless), trace.type(signless, shape))
        value = trace.op("tensor.bitcast", [value], [type_])[0]
    else:
        value = trace.graph.constant(array, type_)
    if key is not None:
        trace.frames[-1].constants[key] = value
        return _with_index(Tensor(value, dtype, shape, trace), array)
    return Tensor(value, dtype, shape, trace)


def _with_index(x: Tensor, array: "np.ndarray[Any, Any]") -> Tensor:
    """Records the elements of a constant that may be sizes."""
    if array.dtype.kind == "i" and array.ndim <= 1:
        x._index = array.tolist()
    return x


def as_tensor(value: TensorLike, dtype: Any = None) -> Tensor:
    """Converts an argument of an operation to a tensor: returns a tensor as it is, reads a variable here, and calls
    `constant` on anything else. With `dtype`, a number or a list gets that dtype; a tensor of another dtype is cast."""
    value = traced_variable(value)
    if _is_variable(value):
        value = value.read()
    if isinstance(value, Tensor):
        if value.trace is not _trace.current():
            kind = "tensor" if value._weak is None else "size"
            raise ValueError(
                f"a {kind} of another function is used here: return it from there, or pass it as an argument"
            )
        if value._weak is not None:
            return value._typed(value.dtype if dtype is None else _dtypes.as_dtype(dtype))
        if dtype is not None and value.dtype != _dtypes.as_dtype(dtype):
            return _registry.ops.cast(value, dtype)
        return value
    if value is None or callable(value):
        raise wrong(TypeError, "a tensor, an array or a number", type(value).__name__)
    if isinstance(value, (list, tuple)) and holds_tensors(value):
        parts = [item if dtype is None and is_number(item) else as_tensor(item, dtype) for item in value]
        shapes = [part._dims if isinstance(part, Tensor) else () for part in parts]
        if any(len(one) != len(shapes[0]) or any(None not in (n, m) and n != m for n, m in zip(one, shapes[0]))
               for one in shapes):  # fmt: skip
            listed = ", ".join(map(format_shape, dict.fromkeys(shapes)))
            raise ValueError(f"expected parts of one shape in a {type(value).__name__}, found {listed}")
        return _registry.ops.stack(parts)
    return constant(value, dtype)


def holds_tensors(value: Union[Sequence[Any], Any]) -> bool:
    """Returns true if nested lists and tuples hold a tensor or a variable."""
    if isinstance(value, (list, tuple)):
        return any(holds_tensors(item) for item in value)
    return isinstance(value, Tensor) or _is_variable(value)


def _is_variable(value: Any) -> bool:
    return isinstance(value, Operators) and value._is_variable


def traced_variable(x: Any) -> Any:
    """Returns the variable that a traced function reads in place of one of a graph; anything else as it is."""
    find = getattr(x, "_find_traced", None)
    return x if find is None or not _trace.is_tracing() else find()


def holds_sizes(value: Any) -> bool:
    """Returns true if nested lists and tuples hold a number that is computed from sizes."""
    if isinstance(value, (list, tuple)):
        return any(holds_sizes(item) for item in value)
    return isinstance(value, Tensor) and value._weak is not None


def as_tensors(*values: TensorLike) -> Tuple[Tensor, ...]:
    """Operands of one operation, all of the dtype that they have in common. A list of numbers has none of its own, as a
    number of Python."""
    arrays = [value if _weak(value) is not None else _as_operand(value) for value in values]
    dtypes = [array.dtype for array in arrays if _weak(array) is None]
    numbers = [number for number in map(_weak, arrays) if number is not None]
    if not dtypes:
        return _as_numbers(arrays, numbers)
    dtype = dtypes[0]
    for other in dtypes[1:]:
        dtype = _dtypes.promote(dtype, other)
    for number in numbers:
        dtype = _dtypes.weak(number, dtype)
    warn_of_widening(dtypes, dtype)
    return tuple(
        array._typed(dtype) if isinstance(array, Tensor) else constant(array, dtype) for array in arrays
    )


def _as_numbers(arrays: Sequence[Any], numbers: Sequence[Any]) -> Tuple[Tensor, ...]:
    """Operands that are all numbers of Python, or computed from some: they stay exact."""
    dtype = _dtypes.of_number(numbers[0])
    for number in numbers[1:]:
        dtype = _dtypes.promote(dtype, _dtypes.of_number(number))
    found = []
    for array in arrays:
        x = array._typed(dtype) if isinstance(array, Tensor) else constant(array, dtype)
        if not isinstance(array, Tensor) and dtype == _dtypes.float32:
            with_wide(x, np.asarray(array, np.float64), is_weak=True)
        found.append(x)
    return tuple(found)


def _as_operand(value: TensorLike) -> Any:
    """Converts an operand to a tensor. Lists of numbers of Python are weak; integers as far as they fit, see
    `_weak_of_list`."""
    x = as_tensor(value)
    if isinstance(value, (list, tuple)) and x._wide is not None:
        x._is_weak = True
    return x


def _weak(value: Any) -> Optional[float]:
    """Returns Python's number that stands for an operand in promotion; None if it has a dtype."""
    if isinstance(value, Tensor):
        return 1.0 if value._is_weak else value._weak
    return value if is_number(value) else None
