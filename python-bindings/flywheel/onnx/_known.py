# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that are known while a graph is translated, such as shapes and what is computed from them.

ONNX's own evaluator, `onnx.reference.ReferenceEvaluator`, cannot take the place of this module. It has numbers only,
and the call chooses n in a known shape such as [n, 784]: in onnx 1.23, `Add`, `Mul` and `Div` of an array of objects
raise RuntimeTypeError, and `Equal` compares sizes as Python's objects, where only the call may know the answer. It
computes what has no value, too (an integer divided by 0 is 0, NaN as an int32 is -2147483648), and results of any
size, which are left to the step here: this module's checks would remain, and only lines that are one function of
NumPy could go.
"""

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._core import trace as _trace
from .._core.annotations import Array
from .._core.tensor import Tensor, as_tensor, wrap
from .._flywheel import Value
from .._frontends.interpreters import Handlers
from .._frontends.layouts import Laid
from .._ops.emission import Size, index_of, index_op
from .._ops.shapes import reshape_to
from ._small import Small, as_carried, element_of, element_of_dtype

# A result that is larger than its operands is computed by the step.
_MOST_ELEMENTS = 65536
# The limit for all known elements of a model: a small file could otherwise ask for any number.
MOST_KNOWN = 1 << 26
# The limit for a constant that a translation makes, such as the places of elements in a border.
_MOST_MADE = 1 << 24


def check_made(call: Any, *counts: int) -> None:
    """Raises UnsupportedOpError for a constant with more elements, a product of counts, than any model needs."""
    total = 1
    for count in counts:
        total *= count
    if total > _MOST_MADE:
        raise call.unsupported(f"with a constant of {total} elements, more than {_MOST_MADE},")


class Known:
    """An array. In an array of objects, some are sizes that the call chooses: values of type index."""

    __slots__ = ("array", "dtype", "element")

    def __init__(self, array: Array, dtype: Optional[_dtypes.DType] = None):
        # Numbers of 2 to 8 bits are in a wider type.
        self.element = element_of_dtype(array.dtype)
        if self.element is not None:
            array = as_carried(array, self.element, "the constant")
            dtype = None
        self.array = array
        self.dtype: _dtypes.DType = array.dtype if dtype is None else dtype

    @property
    def ndim(self) -> int:
        return self.array.ndim

    @property
    def shape(self) -> Tuple[int, ...]:
        return self.array.shape

    @property
    def is_static(self) -> bool:
        return self.array.dtype != object

    def sizes(self) -> List[Size]:
        """The elements in a row."""
        return [one if isinstance(one, Value) else int(one) for one in self.array.reshape(-1)]

    def laid(self) -> Laid:
        """The elements as a tensor of the trace."""
        if self.is_static:
            tensor = as_tensor(np.ascontiguousarray(self.array).reshape(self.shape))
            return Laid(tensor) if self.element is None else Small(tensor, self.element)
        trace = _trace.current()
        type_ = trace.graph.type("int64", None)
        numbers = [trace.op("arith.index_cast", [index_of(one)], [type_])[0] for one in self.sizes()]
        row = trace.op("tensor.from_elements", numbers, [trace.type(_dtypes.int64, (len(numbers),))])[0]
        result: Tensor = reshape_to(wrap(row, _dtypes.int64, (len(numbers),)), list(self.shape))
        return Laid(_ops.cast(result, self.dtype))


def of_sizes(sizes: Sequence[Size]) -> Known:
    """Sizes as a vector of int64."""
    if all(isinstance(one, int) for one in sizes):
        return Known(np.array(sizes, np.int64))
    array = np.empty(len(sizes), object)
    for place, one in enumerate(sizes):
        array[place] = one
    return Known(array, _dtypes.int64)


# A function from a node's attributes and its operands, some of which may be missing, to the results; None if they are
# not known.
Fold = Callable[..., Optional[Sequence[Known]]]
FOLDS: Handlers[Fold] = Handlers()


def fold(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers how ops with known operands have known results: a function of the call and arrays,
    that returns an array, or None."""

    def make(function: Callable[..., Any]) -> Fold:
        def run(call: Any, *operands: Optional[Known]) -> Optional[Sequence[Known]]:
            arrays = [None if one is None else one.array for one in operands]
            largest = max((array.size for array in arrays if array is not None), default=0)
            with np.errstate(all="ignore"):
                found = function(call, *arrays)
            if found is None:
                return None
            parts = found if isinstance(found, list) else [found]
            if any(part.size > max(_MOST_ELEMENTS, largest) for part in parts):
                return None
            if not call.interpreter.may_make(sum(part.size for part in parts)):
                return None
            # Only sizes have objects as elements.
            return [Known(part, _dtypes.int64 if part.dtype == object else part.dtype) for part in parts]

        return run

    return FOLDS.register(names, make)


#
# Element by element
#

_INDEX_OPS = {"Add": "addi", "Sub": "subi", "Min": "minsi", "Max": "maxsi"}
_NEUTRAL = {"Add": 0, "Sub": 0, "Mul": 1, "Div": 1}


def _of_two(call: Any, name: str, a: Any, b: Any) -> Any:
    """Computes an op on two elements, of which one may be a size of the call."""
    if not isinstance(b, Value) and int(b) == _NEUTRAL.get(name, -1):
        return a
    if not isinstance(a, Value) and name in ("Add", "Mul") and int(a) == _NEUTRAL[name]:
        return b
    a, b = (one if isinstance(one, Value) else int(one) for one in (a, b))
    if name == "Mul":
        return call.interpreter.sizes.products.multiply([a, b])
    if name == "Div":
        return call.interpreter.sizes.products.divide([a], [b])
    return index_op(_INDEX_OPS[name], a, b)


def _whole(a: Array, b: Array) -> Optional[Array]:
    """Integers divided as ONNX has it: toward zero."""
    if not np.all(b):
        return None
    quotient = np.abs(a) // np.abs(b)
    result: Array = np.where((a < 0) != (b < 0), -quotient, quotient).astype(a.dtype)
    return result


_NUMBERS: Dict[str, Callable[..., Any]] = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Min": np.minimum, "Max": np.maximum}  # fmt: skip


@fold("Add", "Sub", "Mul", "Div", "Min", "Max")
def _arithmetic(call: Any, *arrays: Array) -> Optional[Array]:
    result = arrays[0]
    for other in arrays[1:]:
        if result.dtype == object or other.dtype == object:
            a, b = np.broadcast_arrays(result, other)
            if a.size > 64:
                return None
            flat = np.empty(a.size, object)
            for place, (one, two) in enumerate(zip(a.reshape(-1), b.reshape(-1))):
                flat[place] = _of_two(call, call.op, one, two)
            result = _settled(flat.reshape(a.shape))
        elif call.op == "Div":
            if result.dtype.kind in "iu":
                quotient = _whole(result, other)
                if quotient is None:
                    return None
                result = quotient
            else:
                result = np.asarray(np.divide(result, other), result.dtype)
        else:
            result = np.asarray(_NUMBERS[call.op](result, other), result.dtype)
    return result


def _settled(array: Array) -> Array:
    """Converts elements to numbers if none is left to the call."""
    if any(isinstance(one, Value) for one in array.reshape(-1)):
        return array
    return array.astype(np.int64)


@fold("Equal")
def _equal(call: Any, a: Array, b: Array) -> Optional[Array]:
    if a.dtype != object and b.dtype != object:
        return np.asarray(a == b)
    a, b = np.broadcast_arrays(a, b)
    found = []
    for one, two in zip(a.reshape(-1), b.reshape(-1)):
        is_value = isinstance(one, Value), isinstance(two, Value)
        if is_value == (False, False) or one is two:
            found.append(bool(one is two or one == two))
        elif (not is_value[0] and one < 0) or (not is_value[1] and two < 0):
            # No size is negative.
            found.append(False)
        else:
            return None
    return np.array(found, bool).reshape(a.shape)


def _plain(names: str, function: Callable[..., Any]) -> None:
    """Registers a fold of arrays of numbers only."""

    @fold(*names.split())
    def run(call: Any, *arrays: Array) -> Optional[Array]:
        if any(array.dtype == object for array in arrays):
            return None
        result = np.asarray(function(*arrays))
        return result if result.dtype.kind == "b" else result.astype(arrays[0].dtype)


_plain("Less", np.less)
_plain("LessOrEqual", np.less_equal)
_plain("Greater", np.greater)
_plain("GreaterOrEqual", np.greater_equal)
_plain("And", np.logical_and)
_plain("Or", np.logical_or)
_plain("Not", np.logical_not)
_plain("Neg", np.negative)
_plain("Abs", np.abs)
_plain("Sqrt", np.sqrt)
_plain("Ceil", np.ceil)
_plain("Floor", np.floor)
_plain("Pow", np.power)
_plain("Reciprocal", np.reciprocal)


@fold("Mod")
def _mod(call: Any, a: Array, b: Array) -> Optional[Array]:
    if a.dtype == object or b.dtype == object or not np.all(b):
        return None
    return np.asarray(np.fmod(a, b) if call.flag("fmod") else np.mod(a, b), a.dtype)


@fold("CastLike")
def _cast_like(call: Any, array: Array, like: Array) -> Optional[Array]:
    if object in (array.dtype, like.dtype):
        return array if array.dtype == object and like.dtype in (object, np.int64) else None
    return array.astype(like.dtype) if like.dtype.kind == "f" or array.dtype.kind in "iub" else None


@fold("Where")
def _where(call: Any, condition: Array, a: Array, b: Array) -> Array:
    return np.where(condition, a, b)


@fold("Cast")
def _cast(call: Any, array: Array) -> Optional[Array]:
    if element_of(call.attribute("to")) is not None:
        return None
    target = call.dtype_attribute("to")
    if array.dtype == object:
        return array if target == _dtypes.int64 else None
    if array.dtype.kind == "f" and target.kind in "iu" and not np.all(np.isfinite(array)):
        return None
    return array.astype(target)


#
# Order and shape
#


@fold("Identity")
def _identity(call: Any, array: Array) -> Array:
    return array


@fold("Concat")
def _concat(call: Any, *arrays: Array) -> Optional[Array]:
    if sum(array.size for array in arrays) > max(_MOST_ELEMENTS, *(array.size for array in arrays)):
        return None
    return _settled_if(np.concatenate(arrays, call.attribute("axis")), arrays)


def _settled_if(array: Array, of: Sequence[Array]) -> Array:
    """Converts an array of objects to numbers if all are; an array of numbers gets the dtype of the first operand."""
    return _settled(array) if array.dtype == object else array.astype(of[0].dtype)


@fold("Gather")
def _gather(call: Any, array: Array, indices: Array) -> Optional[Array]:
    axis = call.attribute("axis")
    if indices.dtype == object:
        return None
    size = array.shape[axis]
    if indices.size and (indices.min() < -size or indices.max() >= size):
        raise IndexError(f"index {indices.max() if indices.max() >= size else indices.min()} of a dimension of {size}")
    taken = np.empty(0) if array.size == 0 else np.take(array, indices, axis)
    return _settled_if(np.asarray(taken, array.dtype), [array])


@fold("Slice")
def _slice(call: Any, array: Array, starts: Array, ends: Array, axes: Any = None, steps: Any = None) -> Optional[Array]:
    if any(part is not None and part.dtype == object for part in (starts, ends, axes, steps)):
        return None
    places = range(len(starts)) if axes is None else axes.tolist()
    strides = [1] * len(starts) if steps is None else steps.tolist()
    key: List[Any] = [slice(None)] * array.ndim
    for place, start, end, step in zip(places, starts.tolist(), ends.tolist(), strides):
        # A start below -size is the first element.
        size = array.shape[place]
        first = max(start, -size) if start < 0 else start
        last = None if step < 0 and end < -size else end
        key[place] = slice(first, last, step)
    return _settled_if(array[tuple(key)], [array])


@fold("Squeeze")
def _squeeze(call: Any, array: Array, axes: Any = None) -> Array:
    return np.squeeze(array, None if axes is None else tuple(axes.tolist()))


@fold("Unsqueeze")
def _unsqueeze(call: Any, array: Array, axes: Array) -> Array:
    return np.expand_dims(array, tuple(axes.tolist()))


@fold("Reshape")
def _reshape(call: Any, array: Array, shape: Array) -> Optional[Array]:
    if shape.dtype == object or call.flag("allowzero"):
        return None
    new = [array.shape[place] if size == 0 else size for place, size in enumerate(shape.tolist())]
    return array.reshape(new)


@fold("Flatten")
def _flatten(call: Any, array: Array) -> Array:
    axis = call.attribute("axis")
    axis += array.ndim if axis < 0 else 0
    return array.reshape(int(np.prod(array.shape[:axis])), -1) if array.size else array.reshape(
        int(np.prod(array.shape[:axis])), int(np.prod(array.shape[axis:])))  # fmt: skip


@fold("Transpose")
def _transpose(call: Any, array: Array) -> Array:
    result: Array = array.transpose(call.attribute("perm"))
    return result


@fold("Expand")
def _expand(call: Any, array: Array, shape: Array) -> Optional[Array]:
    if shape.dtype == object:
        return None
    wanted = np.broadcast_shapes(array.shape, tuple(shape.tolist()))
    return None if np.prod(wanted, dtype=np.float64) > _MOST_ELEMENTS else np.broadcast_to(array, wanted)


@fold("ConstantOfShape")
def _constant_of_shape(call: Any, shape: Array) -> Optional[Array]:
    value = call.attribute("value", np.zeros(1, np.float32))
    if shape.dtype == object or np.prod(shape, dtype=np.float64) > _MOST_ELEMENTS:
        return None
    return np.full(tuple(shape.tolist()), value.reshape(-1)[0])


@fold("Range")
def _range(call: Any, start: Array, limit: Array, delta: Array) -> Optional[Array]:
    if any(one.dtype == object for one in (start, limit, delta)) or delta == 0:
        return None
    if abs(float(limit) - float(start)) > abs(float(delta)) * _MOST_ELEMENTS:
        return None
    first, last, step = (one.reshape(-1)[0].item() for one in (start, limit, delta))
    return np.asarray(np.arange(first, last, step), start.dtype)


@fold("ReduceProd", "ReduceSum", "ReduceMax", "ReduceMin")
def _reduce(call: Any, array: Array, axes: Any = None) -> Optional[Array]:
    listed = call.attribute("axes") if axes is None else axes.tolist()
    is_noop, keeps = call.flag("noop_with_empty_axes"), call.flag("keepdims")
    if not listed and is_noop:
        return array
    listed = listed or list(range(array.ndim))
    name = {"ReduceProd": "Mul", "ReduceSum": "Add", "ReduceMax": "Max", "ReduceMin": "Min"}[call.op]
    if array.dtype != object:
        if array.size == 0:
            return None
        function: Any = {"Mul": np.prod, "Add": np.sum, "Max": np.max, "Min": np.min}[name]
        return np.asarray(function(array, tuple(listed), keepdims=keeps), array.dtype)
    if array.ndim != 1 or not array.size:
        return None
    total = array[0]
    for one in array[1:]:
        total = _of_two(call, name, total, one)
    result = np.empty(1, object)
    result[0] = total
    return _settled(result if keeps else result.reshape(()))
