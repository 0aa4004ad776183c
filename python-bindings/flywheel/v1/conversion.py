# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of what programs write: constants, variables, numbers, and calls of traced functions."""

from typing import Any, Callable, List, Optional, Sequence

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._core import tensor as _tensor
from .dtypes import as_dtype
from .graph import get_default_graph
from .operation import NO_FIELDS, Fields, Tensor
from .shapes import Dimension, TensorShape, known_sizes


def dtype_of(dtype: Any) -> _dtypes.DType:
    """A dtype as programs say it, for the compiler. Raises TypeError where no tensor has it."""
    return as_dtype(dtype).dtype


def as_tensor(value: Any, dtype: Any = None) -> Tensor:
    """A tensor of the default graph: a variable's value, or a constant."""
    if isinstance(value, Tensor):
        return value
    if hasattr(value, "_as_graph_tensor"):
        found: Tensor = value._as_graph_tensor()
        return found
    if hasattr(value, "dense_shape"):
        raise TypeError(f"Failed to convert object of type {type(value).__name__} to Tensor: tf.sparse_tensor_to_dense "
                        "makes it dense")  # fmt: skip
    if hasattr(value, "_imag"):
        raise TypeError(f"'{value.name}' is a tensor of complex numbers, which this op does not take: tf.real and "
                        "tf.imag are its parts")  # fmt: skip
    if isinstance(value, (list, tuple)) and _holds_tensors(value):
        return _packed(value, None if dtype is None else dtype_of(dtype), _first_dtype(value))
    return constant(value, dtype)


def _first_dtype(value: Any) -> Any:
    """Returns the dtype of the first tensor in nested lists, None if they hold none."""
    if _is_graph_tensor(value):
        return dtype_of(value.dtype)
    found = (_first_dtype(x) for x in value) if isinstance(value, (list, tuple)) else ()
    return next((kind for kind in found if kind is not None), None)


def _packed(value: Any, dtype: Any, inferred: Any) -> Tensor:
    """Returns nested lists as one tensor: other elements take the dtype of the first tensor, and tensors are cast to
    `dtype`, if it is given."""
    if isinstance(value, (list, tuple)):
        parts = [_packed(x, dtype, inferred) for x in value]
        packed: Tensor = make("Pack", lambda *xs: _ops.stack(list(xs)), *parts)
        return packed
    x = as_tensor(value, inferred if dtype is None else dtype)
    if dtype is None or x.dtype == dtype:
        return x
    cast: Tensor = make("Cast", lambda y: _ops.cast(y, dtype), x)
    return cast


def _holds_tensors(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_holds_tensors(x) for x in value)
    return isinstance(value, Tensor) or hasattr(value, "_as_graph_tensor")


# Constants of more elements are not part of modules.
_LARGE = 1024


def constant(
    value: Any, dtype: Any = None, shape: Any = None, name: str = "Const", verify_shape: bool = False
) -> Tensor:
    """A constant; with a shape, the last element repeats (I2)."""
    if isinstance(value, TensorShape):
        value = value.as_list()
    if isinstance(value, Dimension):
        value = int(value)
    wanted = None if dtype is None else dtype_of(dtype)
    if wanted is not None and not isinstance(value, (np.ndarray, np.generic)):
        _expect_convertible(value, wanted)
    array = _dtypes.kept(value, wanted)
    if shape is not None:
        sizes = known_sizes(shape)
        if verify_shape and array.shape != sizes:
            raise TypeError(f"Expected Tensor's shape: {sizes}, got {array.shape}.")
        array = _tensor.fill(array, sizes)
    kind = _dtypes.as_dtype(array.dtype)
    is_large = array.size > _LARGE
    emit = None if is_large else lambda: _tensor.constant(array)
    fields = Fields(literal=array, host=(lambda _: array) if is_large else None)
    op = get_default_graph().create("Const", [], emit, [(kind, array.shape)], name, fields)
    return op.outputs[0]


def _expect_convertible(value: Any, wanted: Any) -> None:
    """Raises TypeError for Python's floats as integers, and for numbers as booleans. Arrays are cast."""
    if not (_dtypes.is_integer(wanted) or wanted == _dtypes.bool_):
        return
    found = np.asarray(value).dtype.kind if isinstance(value, (int, float, list, tuple)) else ""
    if found == "f" and np.size(value) or found in "iu" and found and wanted == _dtypes.bool_:
        shown = f"{value!r:.60}"
        raise TypeError(f"Expected {_dtypes.name_of(wanted)}, but got {shown} of type "
                        f"'{type(value).__name__}': cast it")  # fmt: skip


def paired(kind: str, x: Any, y: Any) -> Any:
    """Returns operands of one dtype: an operand that is not a tensor takes that of the other one. Raises TypeError for
    tensors of two dtypes, and for a floating-point number beside integers."""
    one, other = _is_graph_tensor(x), _is_graph_tensor(y)
    if one and other:
        a, b = dtype_of(x.dtype), dtype_of(y.dtype)
        if a != b:
            raise TypeError(f"Input 'y' of '{kind}' Op has type {_dtypes.name_of(b)} that does not match type "
                            f"{_dtypes.name_of(a)} of argument 'x': cast one of {x.name} and {y.name}")  # fmt: skip
        return x, y
    if one:
        return x, _beside(kind, y, x)
    return (_beside(kind, x, y), y) if other else (x, y)


def _is_graph_tensor(x: Any) -> bool:
    return isinstance(x, Tensor) or hasattr(x, "_as_graph_tensor")


def _beside(kind: str, value: Any, tensor: Any) -> Any:
    """Converts the operand of an op that is not a tensor, given the other operand, a tensor."""
    if isinstance(value, (list, tuple)) and _holds_tensors(value):
        packed = as_tensor(value)
        return paired(kind, packed, tensor)[0]
    if hasattr(value, "value") or value is None or tensor.dtype == _dtypes.string:
        return value
    given = _dtypes.as_numpy(value)
    wanted = tensor.dtype
    if given.dtype.kind == "f" and not _dtypes.is_floating(wanted):
        raise TypeError(f"'{kind}' Op of {tensor.name}: Expected {_dtypes.name_of(wanted)}, got {value!r} of type "
                        f"'{type(value).__name__}' instead: cast the tensor")  # fmt: skip
    is_array = isinstance(value, (np.ndarray, np.generic, list, tuple))
    return given.astype(wanted) if is_array and given.dtype.kind in "iufb" and given.dtype != wanted else value


def make(
    kind: str, function: Callable[..., Any], *args: Any, name: Optional[str] = None, types: Any = None, **kwargs: Any
) -> Any:
    """An op that calls a traced function; arguments may have tensors anywhere."""
    inputs: List[Tensor] = []

    def collect(value: Any) -> Any:
        if isinstance(value, Tensor) or hasattr(value, "_as_graph_tensor"):
            inputs.append(as_tensor(value))
            return _Slot(len(inputs) - 1)
        if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
            return type(value)([collect(x) for x in value])
        if isinstance(value, slice):
            return slice(collect(value.start), collect(value.stop), collect(value.step))
        if isinstance(value, Dimension):
            return value.value
        if isinstance(value, np.ndarray):
            # The op reads it in each run.
            return value.copy()
        if isinstance(value, TensorShape):
            return value.as_list()
        return value

    form = [collect(x) for x in args]
    named = {key: collect(x) for key, x in kwargs.items()}

    def emit(*tensors: _tensor.Tensor) -> Any:
        return function(*[_place(x, tensors) for x in form], **{k: _place(x, tensors) for k, x in named.items()})

    # The place and value of an operand that is an integer: loops that count are recognized by it.
    scalars = [(place, x) for place, x in enumerate(args) if type(x) is int]
    is_pair = len(scalars) == 1 and len(inputs) == 1 and len(args) == 2
    fields = Fields(scalar=scalars[0]) if is_pair else NO_FIELDS
    outputs = get_default_graph().create(kind, inputs, emit, types, name, fields).outputs
    return outputs[0] if len(outputs) == 1 else outputs


def static_of(value: Any) -> Any:
    """Returns the elements of a constant of the graph as an array, and another value as it is."""
    literal = value.op.fields.literal if isinstance(value, Tensor) else None
    return value if literal is None else literal


class _Slot:
    def __init__(self, place: int):
        self.place = place


def _place(value: Any, tensors: Sequence[_tensor.Tensor]) -> Any:
    if isinstance(value, _Slot):
        return tensors[value.place]
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)([_place(x, tensors) for x in value])
    if isinstance(value, slice):
        return slice(_place(value.start, tensors), _place(value.stop, tensors), _place(value.step, tensors))
    return value
