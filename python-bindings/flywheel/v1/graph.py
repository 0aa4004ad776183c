# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of ops that run later: names, scopes, collections."""

import re
import sys
import threading
import warnings
from contextlib import contextmanager
from itertools import count
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence
from weakref import WeakKeyDictionary

from .._core import argument_checks as _argument_checks
from .._errors.messages import about
from .._native import PACKAGE
from .._programs.compilation import current_devices
from ..namespace import Namespace
from .devices import join_device, split_device
from .inference import infer
from .operation import NO_FIELDS, Context, Fields, Operation, Tensor


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
    SUMMARY_OP = "summary_op"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    EVAL_STEP = "eval_step"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"
    ASSET_FILEPATHS = "asset_filepaths"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    LOCAL_RESOURCES = "local_resources"
    RESOURCES = "resources"
    CONCATENATED_VARIABLES = "concatenated_variables"


# The names that are taken, and the last suffix that each got.
Names = Dict[str, List[int]]


def take_name(names: Names, name: str) -> str:
    """Takes and returns `name`, or the first of `name_1`, `name_2`, ... that is not taken. If several threads ask for a
    name, one gets it: `setdefault` is atomic."""
    mine = [0]
    last = names.setdefault(name, mine)
    if last is mine:
        return name
    count = last[0]
    while True:
        count += 1
        found = f"{name}_{count}"
        if names.setdefault(found, mine) is mine:
            last[0] = count
            return found


# Ops in the order in which they were made.
Record = Dict[Operation, None]


class _Open:
    """The blocks of a graph that a thread is in."""

    def __init__(self) -> None:
        self.scope = ""
        self.control: List[Operation] = []
        self.contexts: List[Context] = []
        self.devices: List[Any] = []
        self.variable_scopes: List[Any] = []
        # By types of ops, the names of the gradients that they get.
        self.gradients: Dict[str, str] = {}
        # Records of tapes and of `recorded`: each takes every new op.
        self.records: List[Record] = []


class Graph:
    """Ops in the order of their creation, names, scopes and collections. Blocks such as `name_scope` are those of one
    thread."""

    def __init__(self) -> None:
        self.namespace = Namespace()
        self.seed: Optional[int] = None
        self.is_seeded = False
        # The seed of sessions of a graph that is not seeded: made of the numbers that NumPy drew for its ops, as in
        # Keras.
        self.numpy_seed: Optional[int] = None
        self.strict_names = False
        self._count = 0
        self._ids = count(1)
        self._operations: Dict[str, Operation] = {}
        self._used: Names = {}
        self._collections: Dict[Any, List[Any]] = {}
        # The variable scope of what is in no other one.
        self._root_scope: Any = None
        self._variable_store: Dict[str, Any] = {}
        # The number of times that variable scopes were entered since the scope around them was.
        self._scope_counts: Dict[str, int] = {}
        # Variables whose `initialized_value` depends on the session.
        self._guarded: List[Any] = []
        # The variables of slots that optimizers of the compiler make, by the names they have there.
        self._slots: Dict[str, Any] = {}
        self._programs: Dict[Any, Any] = {}
        # By fetches and shapes of feeds, the number of the first attempt that did not fail, if it is not 0.
        self._attempts: Dict[Any, int] = {}
        # By fetches and feeds, what of a run Python computes.
        self._parts: Dict[Any, Any] = {}
        # The iterators that programs have the handles of.
        self._handles: List[Any] = []
        self.is_finalized = False

    @property
    def _open(self) -> _Open:
        found = _local.open.get(self)
        if found is None:
            found = _local.open[self] = _Open()
        return found

    # Names

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """`name` in the name scope, with a suffix where it is taken (N2)."""
        scope = self._open.scope
        return self._unique(f"{scope}/{name}" if scope else name, mark_as_used)

    def _unique(self, full: str, mark: bool = True) -> str:
        if mark:
            return take_name(self._used, full)
        # The name that would be taken next.
        last = self._used.get(full)
        if last is None:
            return full
        number = last[0] + 1
        while f"{full}_{number}" in self._used:
            number += 1
        return f"{full}_{number}"

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
        own = self._open
        old = own.scope
        if name is not None:
            _argument_checks.text("name", name)
        if not name:
            own.scope = ""
        elif name.endswith("/"):
            own.scope = name[:-1]
        else:
            self.check_name(name)
            own.scope = self.unique_name(name)
        try:
            yield own.scope + "/" if own.scope else ""
        finally:
            own.scope = old

    # Scopes

    @contextmanager
    def control_dependencies(self, control_inputs: Any) -> Iterator[None]:
        """Ops that are created in this block wait for these; None means no dependencies at all (A7)."""
        own = self._open
        old = own.control
        if control_inputs is None:
            own.control = []
        else:
            more = [self.as_operation(x) for x in control_inputs]
            own.control = old + [op for op in more if op not in old]
        try:
            yield
        finally:
            own.control = old

    @contextmanager
    def device(self, name: Any) -> Iterator[None]:
        """Records where ops want to be."""
        own = self._open
        own.devices.append(name)
        try:
            yield
        finally:
            own.devices.pop()

    def _device_of(self, op: Any) -> str:
        fields: Dict[str, str] = {}
        # Around them, the block of `flywheel.device`.
        for entry in reversed([*current_devices(), *self._open.devices]):
            if entry is None:
                break
            op.device = join_device(fields)
            text = entry(op) if callable(entry) else entry
            for key, value in split_device(text or "").items():
                fields.setdefault(key, value)
        return join_device(fields)

    @contextmanager
    def context(self, kind: str) -> Iterator[Context]:
        """Ops of a branch or of a loop."""
        own = self._open
        context = Context(kind, own.contexts[-1] if own.contexts else None)
        own.contexts.append(context)
        old, own.control = own.control, []
        try:
            yield context
        finally:
            own.control = old
            own.contexts.pop()

    def gradient_override_map(self, op_type_map: Dict[str, str]) -> Any:
        """In the block, ops of these types get the gradients that `RegisterGradient` has under these names. Raises
        NotImplementedError for a type whose ops are not known here."""
        from .own_gradients import override_map

        return override_map(self, op_type_map)

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

    def clear_collection(self, name: Any) -> None:
        self._collections.pop(name, None)

    def get_all_collection_keys(self) -> List[Any]:
        return [key for key, members in self._collections.items() if members and isinstance(key, str)]

    @property
    def collections(self) -> List[Any]:
        return list(self._collections)

    def get_name_scope(self) -> str:
        return self._open.scope

    def is_feedable(self, tensor: Any) -> bool:
        return tensor.graph is self

    @property
    def finalized(self) -> bool:
        return self.is_finalized

    @property
    def version(self) -> int:
        return self._count

    def as_graph_def(self, *_: Any, **__: Any) -> Any:
        raise about("flywheel.v1.Graph.as_graph_def", NotImplementedError(
            "graphs are not written as protocol buffers; tf.summary.FileWriter shows a graph in "
            "TensorBoard"))  # fmt: skip

    # Ops

    def get_operations(self) -> List[Operation]:
        return list(self._operations.values())

    def next_id(self) -> int:
        """The number of a new op, which no other one has; it grows from op to op."""
        self._count = number = next(self._ids)
        return number

    def add(self, op: Operation) -> None:
        """Adds a new op under its name."""
        self._operations[op.name] = op
        for record in self._open.records:
            record[op] = None

    def start_record(self, record: Record) -> None:
        """Has the ops that this thread makes from now on put into a record."""
        self._open.records.append(record)

    def stop_record(self, record: Record) -> None:
        self._open.records = [one for one in self._open.records if one is not record]

    @contextmanager
    def recorded(self) -> Iterator[Record]:
        """The ops that this thread makes in the block."""
        made: Record = {}
        self.start_record(made)
        try:
            yield made
        finally:
            self.stop_record(made)

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
        if isinstance(value, Operation):
            return value
        found: Operation = (value if isinstance(value, Tensor) else value._as_graph_tensor()).op
        return found

    def create(
        self, kind: str, inputs: Sequence[Tensor], emit: Optional[Callable[..., Any]], types: Any = None,
        name: Optional[str] = None, fields: Fields = NO_FIELDS,
    ) -> Operation:  # fmt: skip
        """A new op; without `types` they are found out by emitting it on the side."""
        if self.is_finalized:
            raise about("Graph", RuntimeError("is finalized and cannot be modified."), " ")
        if name is not None:
            _argument_checks.text("name", name)
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
        made = Operation(self, kind, full, inputs, emit, types, fields)
        if self._open.gradients:
            from .own_gradients import override

            override(made, self._open.gradients)
        return made


class _Local(threading.local):
    def __init__(self) -> None:
        self.graphs: List[Graph] = []
        self.open: WeakKeyDictionary[Graph, _Open] = WeakKeyDictionary()


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
    """Returns the file and line of the user's program that called this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and (frame.f_code.co_filename.startswith(PACKAGE)
                                        or frame.f_code.co_filename.endswith("contextlib.py")):  # fmt: skip
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
