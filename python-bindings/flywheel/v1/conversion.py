# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of what programs write: constants, variables, numbers, and calls of traced functions."""

from typing import Any, Callable, Dict, List, Optional, Sequence

from .. import _dtypes, _ops, _tensor
from .graph import get_default_graph
from .operation import Tensor
from .shapes import Dimension, TensorShape, plain_shape

# NumPy calls the float of Python "float".
_NAMES: Dict[str, _dtypes.DType] = {
    "float": _dtypes.float32, "double": _dtypes.float64, "half": _dtypes.float16, "int": _dtypes.int32}  # fmt: skip


def dtype_of(dtype: Any) -> _dtypes.DType:
    """A dtype as programs say it. Raises TypeError where no tensor has it."""
    return _NAMES[dtype] if isinstance(dtype, str) and dtype in _NAMES else _dtypes.as_dtype(dtype)


def as_tensor(value: Any, dtype: Any = None) -> Tensor:
    """A tensor of the default graph: a variable's value, or a constant."""
    if isinstance(value, Tensor):
        return value
    if hasattr(value, "_as_graph_tensor"):
        found: Tensor = value._as_graph_tensor()
        return found
    if isinstance(value, (list, tuple)) and _holds_tensors(value):
        packed: Tensor = make("Pack", lambda *xs: _ops.stack(list(xs)), *value)
        return packed
    return constant(value, dtype)


def _holds_tensors(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_holds_tensors(x) for x in value)
    return isinstance(value, Tensor) or hasattr(value, "_as_graph_tensor")


# Constants of more elements are no part of modules.
_LARGE = 1024


def constant(
    value: Any, dtype: Any = None, shape: Any = None, name: str = "Const", verify_shape: bool = False
) -> Tensor:
    """A constant; with a shape, the last element repeats (I2)."""
    if isinstance(value, TensorShape):
        value = value.as_list()
    array = _dtypes.literal(value, None if dtype is None else dtype_of(dtype))
    if shape is not None:
        wanted = tuple(d or 0 for d in plain_shape(shape))
        if verify_shape and array.shape != wanted:
            raise TypeError(f"Expected Tensor's shape: {wanted}, got {array.shape}.")
        array = _tensor.fill(array, wanted)
    kind = _dtypes.as_dtype(array.dtype)
    is_large = array.size > _LARGE
    emit = None if is_large else lambda: _tensor.constant(array)
    attrs = {"host": lambda _: array} if is_large else {}
    op = get_default_graph().create("Const", [], emit, [(kind, array.shape)], name, literal=array, **attrs)
    return op.outputs[0]


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
        if isinstance(value, Dimension):
            return value.value
        if isinstance(value, TensorShape):
            return value.as_list()
        return value

    form = [collect(x) for x in args]
    named = {key: collect(x) for key, x in kwargs.items()}

    def emit(*tensors: _tensor.Tensor) -> Any:
        return function(*[_place(x, tensors) for x in form], **{k: _place(x, tensors) for k, x in named.items()})

    outputs = get_default_graph().create(kind, inputs, emit, types, name).outputs
    return outputs[0] if len(outputs) == 1 else outputs


class _Slot:
    def __init__(self, place: int):
        self.place = place


def _place(value: Any, tensors: Sequence[_tensor.Tensor]) -> Any:
    if isinstance(value, _Slot):
        return tensors[value.place]
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)([_place(x, tensors) for x in value])
    return value
