# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of ops that run later: names, scopes, collections, and what each op emits."""

import math
import os
import re
import sys
import threading
import warnings
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

from .. import _dtypes, _ops, _tensor, _trace
from ..namespace import Namespace
from . import _operators

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


class GraphKeys:
    """Names of collections."""

    GLOBAL_VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    MODEL_VARIABLES = "model_variables"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    METRIC_VARIABLES = "metric_variables"
    GLOBAL_STEP = "global_step"
    LOSSES = "losses"
    REGULARIZATION_LOSSES = "regularization_losses"
    UPDATE_OPS = "update_ops"
    SUMMARIES = "summaries"
    TRAIN_OP = "train_op"
    INIT_OP = "init_op"
    ACTIVATIONS = "activations"
    WEIGHTS = "weights"
    BIASES = "biases"
    SAVERS = "savers"


class Dimension:
    """The size of one dimension, with None in `value` where a run chooses it."""

    def __init__(self, value: Optional[int]):
        self.value = value

    def __int__(self) -> int:
        if self.value is None:
            raise TypeError("__int__ returned non-int (type NoneType): the size of the dimension is not known")
        return self.value

    __index__ = __int__

    def __eq__(self, other: object) -> bool:
        return self.value == (other.value if isinstance(other, Dimension) else other)

    def __hash__(self) -> int:
        return hash(self.value)

    def __mul__(self, other: Any) -> "Dimension":
        other = other.value if isinstance(other, Dimension) else other
        return Dimension(None if self.value is None or other is None else self.value * other)

    __rmul__ = __mul__

    def __repr__(self) -> str:
        return "?" if self.value is None else str(self.value)


class TensorShape:
    """The shape of a tensor, as far as it is known."""

    def __init__(self, dims: Optional[Sequence[Any]]):
        self._dims = None if dims is None else plain_shape(dims)

    @property
    def ndims(self) -> Optional[int]:
        return None if self._dims is None else len(self._dims)

    @property
    def dims(self) -> Optional[List[Dimension]]:
        return None if self._dims is None else [Dimension(d) for d in self._dims]

    def _known(self) -> Tuple[Optional[int], ...]:
        if self._dims is None:
            raise ValueError("the rank of this shape is not known")
        return self._dims

    def as_list(self) -> List[Optional[int]]:
        return list(self._known())

    def is_fully_defined(self) -> bool:
        return self._dims is not None and None not in self._dims

    def num_elements(self) -> Optional[int]:
        return math.prod(d or 0 for d in self._known()) if self.is_fully_defined() else None

    def __len__(self) -> int:
        return len(self._known())

    def __iter__(self) -> Iterator[Dimension]:
        return iter([Dimension(d) for d in self._known()])

    def __getitem__(self, key: Any) -> Any:
        found = self._known()[key]
        return TensorShape(found) if isinstance(key, slice) else Dimension(found)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, TensorShape):
            return self._dims == other._dims
        return isinstance(other, (list, tuple)) and self._dims == plain_shape(other)

    def __hash__(self) -> int:
        return hash(self._dims)

    def __repr__(self) -> str:
        if self._dims is None:
            return "<unknown>"
        inner = ", ".join("?" if d is None else str(d) for d in self._dims)
        return f"({inner},)" if len(self._dims) == 1 else f"({inner})"


def plain_shape(shape: Any) -> Tuple[Optional[int], ...]:
    """A shape as a tuple of numbers and None."""
    if isinstance(shape, TensorShape):
        return shape._known()
    if isinstance(shape, (int, Dimension)):
        shape = [shape]
    return tuple(d.value if isinstance(d, Dimension) else None if d is None or int(d) < 0 else int(d) for d in shape)


class Context:
    """A branch or the body of a loop, whose ops run only there."""

    def __init__(self, kind: str, parent: Optional["Context"]):
        self.kind = kind
        self.parent = parent


class Operation:
    """A node of a graph. `emit` makes tensors of a trace of those of the inputs."""

    def __init__(
        self, graph: "Graph", kind: str, name: str, inputs: Sequence["Tensor"], emit: Optional[Callable[..., Any]],
        types: Sequence[Tuple[Any, Optional[_trace.Shape]]], **attrs: Any,
    ):  # fmt: skip
        self.graph = graph
        self.type = kind
        self.name = name
        self.inputs = list(inputs)
        self.emit = emit
        self.attrs = attrs
        self.context = graph._contexts[-1] if graph._contexts else None
        self.control_inputs = [op for op in graph._control if not self._is_under(op)]
        self.device = graph._device_of(self)
        self.id = graph._count = graph._count + 1
        self.outputs = [Tensor(self, i, dtype, shape) for i, (dtype, shape) in enumerate(types)]
        graph._operations[name] = self

    def _is_under(self, op: "Operation") -> bool:
        return any(op is x.op for x in self.inputs)

    @property
    def node_def(self) -> "Operation":
        return self

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Runs the op in a session, by default the default one."""
        from .session import default_session

        default_session(session, "execute operation").run(self, feed_dict)

    def __repr__(self) -> str:
        return f"<flywheel.v1.Operation '{self.name}' type={self.type}>"


class Tensor(_operators.Operators):
    """A result of an op, which has elements while a session runs."""

    __array_ufunc__ = None

    def __init__(self, op: Operation, index: int, dtype: Any, shape: Optional[_trace.Shape]):
        self.op = op
        self.index = index
        self.dtype = dtype
        self.static_shape = shape

    @property
    def graph(self) -> "Graph":
        return self.op.graph

    @property
    def name(self) -> str:
        return f"{self.op.name}:{self.index}"

    @property
    def device(self) -> str:
        return self.op.device

    @property
    def shape(self) -> TensorShape:
        return TensorShape(self.static_shape)

    def get_shape(self) -> TensorShape:
        return self.shape

    def set_shape(self, shape: Any) -> None:
        self.static_shape = plain_shape(shape)

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """The elements, in a session, by default the default one."""
        from .session import default_session

        return default_session(session, "evaluate tensor").run(self, feed_dict)

    def __bool__(self) -> bool:
        raise TypeError("Using a `tf.Tensor` as a Python `bool` is not allowed: use tf.cond")

    def __iter__(self) -> Iterator["Tensor"]:
        if not self.static_shape or self.static_shape[0] is None:
            raise TypeError("Tensor objects are only iterable where the size of the first dimension is known")
        return iter([self[i] for i in range(self.static_shape[0])])

    def __repr__(self) -> str:
        return f"<flywheel.v1.Tensor '{self.name}' shape={self.shape} dtype={_dtypes.name_of(self.dtype)}>"

    __hash__ = object.__hash__


class Graph:
    """Ops in the order of their creation, names, scopes and collections."""

    def __init__(self) -> None:
        self.namespace = Namespace()
        self.seed: Optional[int] = None
        self.is_seeded = False
        self.strict_names = False
        self._count = 0
        self._operations: Dict[str, Operation] = {}
        self._used: Dict[str, int] = {}
        self._collections: Dict[Any, List[Any]] = {}
        self._scope = ""
        self._control: List[Operation] = []
        self._contexts: List[Context] = []
        self._devices: List[Any] = []
        self._variable_scopes: List[Any] = []
        self._variable_store: Dict[str, Any] = {}
        self._default_names: Dict[str, int] = {}
        # Variables whose `initialized_value` depends on the session.
        self._guarded: List[Any] = []
        self._programs: Dict[Any, Any] = {}
        self.is_finalized = False

    # Names

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """`name` in the name scope, with a suffix where it is taken (N2)."""
        return self._unique(f"{self._scope}/{name}" if self._scope else name, mark_as_used)

    def _unique(self, full: str, mark: bool = True) -> str:
        count = self._used.get(full)
        if count is None:
            if mark:
                self._used[full] = 0
            return full
        while True:
            count += 1
            found = f"{full}_{count}"
            if found not in self._used:
                break
        if mark:
            self._used[full] = count
            self._used[found] = 0
        return found

    def check_name(self, name: str) -> None:
        """Raises ValueError for a name that no op can have, warns of unusual ones (N1)."""
        if not name or re.search(r"[\s:^]", name):
            raise ValueError(f"'{name}' is not a valid scope name")
        if not re.fullmatch(r"[A-Za-z0-9.][A-Za-z0-9_.\-/]*", name.rstrip("/") or "."):
            if self.strict_names:
                raise ValueError(f"'{name}' is not a valid scope name")
            warnings.warn(f"'{name}' has characters that TensorFlow's names do not have", stacklevel=4)

    @contextmanager
    def name_scope(self, name: Optional[str]) -> Iterator[str]:
        """Puts a prefix before names of ops; one with '/' at its end is taken as it is."""
        old = self._scope
        if not name:
            self._scope = ""
        elif name.endswith("/"):
            self._scope = name[:-1]
        else:
            self.check_name(name)
            self._scope = self.unique_name(name)
        try:
            yield self._scope + "/" if self._scope else ""
        finally:
            self._scope = old

    # Scopes

    @contextmanager
    def control_dependencies(self, control_inputs: Any) -> Iterator[None]:
        """What is created inside waits for these; None is no dependencies at all (A7)."""
        old = self._control
        if control_inputs is None:
            self._control = []
        else:
            more = [self.as_operation(x) for x in control_inputs]
            self._control = old + [op for op in more if op not in old]
        try:
            yield
        finally:
            self._control = old

    @contextmanager
    def device(self, name: Any) -> Iterator[None]:
        """Records where ops want to be."""
        self._devices.append(name)
        try:
            yield
        finally:
            self._devices.pop()

    def _device_of(self, op: Any) -> str:
        fields: Dict[str, str] = {}
        for entry in reversed(self._devices):
            if entry is None:
                break
            op.device = _join_device(fields)
            text = entry(op) if callable(entry) else entry
            for key, value in split_device(text or "").items():
                fields.setdefault(key, value)
        return _join_device(fields)

    @contextmanager
    def context(self, kind: str) -> Iterator[Context]:
        """Ops of a branch or of a loop."""
        context = Context(kind, self._contexts[-1] if self._contexts else None)
        self._contexts.append(context)
        old, self._control = self._control, []
        try:
            yield context
        finally:
            self._control = old
            self._contexts.pop()

    @contextmanager
    def as_default(self) -> Iterator["Graph"]:
        """Makes this the graph that ops are created in."""
        _local.graphs.append(self)
        try:
            yield self
        finally:
            _local.graphs.pop()

    def finalize(self) -> None:
        self.is_finalized = True

    # Collections

    def add_to_collection(self, name: Any, value: Any) -> None:
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        for name in [names] if isinstance(names, str) else names:
            self.add_to_collection(name, value)

    def get_collection(self, name: Any, scope: Optional[str] = None) -> List[Any]:
        """A copy of a collection; with `scope`, what has a name that it matches (N13)."""
        members = list(self._collections.get(name, []))
        if scope is None:
            return members
        pattern = re.compile(scope)
        return [member for member in members if pattern.match(getattr(member, "name", ""))]

    def get_collection_ref(self, name: Any) -> List[Any]:
        return self._collections.setdefault(name, [])

    # Ops

    def get_operations(self) -> List[Operation]:
        return list(self._operations.values())

    def get_operation_by_name(self, name: str) -> Operation:
        found = self._operations.get(name)
        if found is None:
            raise KeyError(f"The name '{name}' refers to an Operation not in the graph.")
        return found

    def get_tensor_by_name(self, name: str) -> Any:
        base, _, index = name.partition(":")
        if not index:
            raise ValueError(f"The name '{name}' is not a valid tensor name: expected '{name}:0'")
        outputs = self.get_operation_by_name(base).outputs
        if int(index) >= len(outputs):
            raise KeyError(f"The name '{name}' refers to a Tensor which does not exist.")
        return outputs[int(index)]

    def as_graph_element(self, value: Any, *_: Any, **__: Any) -> Any:
        """The op or tensor that a name or a variable stands for."""
        if isinstance(value, str):
            value = self.get_tensor_by_name(value) if ":" in value else self.get_operation_by_name(value)
        if not hasattr(value, "graph"):
            raise TypeError(f"Can not convert a {type(value).__name__} into a Tensor or Operation.")
        if value.graph is not self:
            raise ValueError(f"{value!r} is not an element of this graph.")
        return value

    def as_operation(self, value: Any) -> Operation:
        """The op that computes a value; of a variable, what reads it."""
        value = self.as_graph_element(value)
        return value if isinstance(value, Operation) else as_tensor(value).op

    def create(
        self, kind: str, inputs: Sequence[Tensor], emit: Optional[Callable[..., Any]], types: Any = None,
        name: Optional[str] = None, **attrs: Any,
    ) -> Operation:  # fmt: skip
        """A new op; without `types` they are found out by emitting it on the side."""
        if self.is_finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")
        for x in inputs:
            if x.graph is not self:
                raise ValueError(f"{x!r} must be from the same graph as the op that uses it.")
        if types is None:
            assert emit is not None
            types = infer(emit, inputs)
        if name and name.endswith("/"):
            full = name[:-1]
        else:
            if name:
                self.check_name(name)
            full = self.unique_name(name or kind)
        return Operation(self, kind, full, inputs, emit, types, **attrs)


def infer(emit: Callable[..., Any], inputs: Sequence[Tensor]) -> List[Tuple[Any, Optional[_trace.Shape]]]:
    """The types of what `emit` makes, by a trace that is thrown away."""
    if any(x.static_shape is None for x in inputs):
        try:
            types = _infer(emit, inputs)
        except Exception:
            return [(next(x.dtype for x in inputs if x.static_shape is None), None)]
        return [(dtype, None) for dtype, _ in types]
    return _infer(emit, inputs)


def _infer(emit: Callable[..., Any], inputs: Sequence[Tensor]) -> List[Tuple[Any, Optional[_trace.Shape]]]:
    trace = _trace.Trace("types")
    shapes: List[_trace.Shape] = [() if x.static_shape is None else x.static_shape for x in inputs]
    types = [trace.type(x.dtype, shape) for x, shape in zip(inputs, shapes)]
    arguments = trace.graph.begin_function("types", types, {}, [{} for _ in types])
    try:
        with _trace.tracing(trace):
            wrapped = [_tensor.wrap(v, x.dtype, shape) for v, x, shape in zip(arguments, inputs, shapes)]
            results = as_list(emit(*wrapped))
            return [(x.dtype, x.shape) for x in results]
    finally:
        trace.graph.abandon_function()


def as_list(result: Any) -> List[_tensor.Tensor]:
    """What an emitter returned, as tensors."""
    if result is None:
        return []
    results = list(result) if isinstance(result, (list, tuple)) else [result]
    return [_tensor.as_tensor(x) for x in results]


def split_device(text: str) -> Dict[str, str]:
    """The fields of the name of a device, `/job:ps/task:0/gpu:1`."""
    fields: Dict[str, str] = {}
    for part in filter(None, text.split("/")):
        key, _, rest = part.partition(":")
        if key.lower() in ("cpu", "gpu"):
            fields["device"] = f"{key.upper()}:{rest or 0}"
        elif key in ("job", "replica", "task"):
            fields[key] = rest
        elif key == "device":
            kind, _, number = rest.partition(":")
            fields["device"] = f"{kind.upper()}:{number or 0}"
        else:
            raise ValueError(f"Unknown attribute: '{key}' in '{text}'")
    return fields


def _join_device(fields: Dict[str, str]) -> str:
    return "".join(f"/{key}:{fields[key]}" for key in ("job", "replica", "task", "device") if key in fields)


class _Local(threading.local):
    def __init__(self) -> None:
        self.graphs: List[Graph] = []


_local = _Local()
_default = Graph()


def get_default_graph() -> Graph:
    """The graph that ops are created in."""
    return _local.graphs[-1] if _local.graphs else _default


def reset_default_graph() -> None:
    """Starts a new default graph."""
    global _default
    if _local.graphs:
        raise AssertionError("Do not use tf.reset_default_graph() to clear nested graphs.")
    _default = Graph()


def user_line() -> str:
    """Where the user's program is."""
    frame = sys._getframe(1)
    while frame.f_back is not None and (frame.f_code.co_filename.startswith(_PACKAGE)
                                        or frame.f_code.co_filename.endswith("contextlib.py")):  # fmt: skip
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


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
    array = _dtypes.literal(value, dtype)
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
