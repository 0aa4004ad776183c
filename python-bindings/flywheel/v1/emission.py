# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From ops of a graph to a trace: what a run needs, in the order of creation."""

from contextlib import contextmanager
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple

from .._core import dtypes as _dtypes
from .._core import tensor as _tensor
from .._core import trace as _trace
from .._ops.arithmetic import parameter
from .inference import as_list
from .operation import Context, Operation, Tensor

Env = Dict[int, List[Any]]


def env_of(feeds: Iterable[Tuple[Tensor, _tensor.Tensor]]) -> Env:
    """The values of ops from those of outputs: None for other outputs of these ops."""
    env: Env = {}
    for x, value in feeds:
        env.setdefault(x.op.id, [None] * len(x.op.outputs))[x.index] = value
    return env


def ancestors(roots: Sequence[Operation], stop: Any = (), by_data: bool = False) -> Set[Operation]:
    """Returns the ops that these need, and themselves, but nothing that those in `stop` need; with `by_data` without
    ops that they only wait for."""
    found: Set[Operation] = set()
    left = list(roots)
    while left:
        op = left.pop()
        if op in found:
            continue
        found.add(op)
        if op not in stop:
            left += needs(op, by_data)
    return found


def needs(op: Operation, by_data: bool = False) -> List[Operation]:
    """Returns the ops that an op depends on. An op that selects an input by a phase known at compile time depends on
    that input."""
    return [x.op for x in tensors_needed(op)] + ([] if by_data else list(op.control_inputs))


def tensors_needed(op: Operation) -> List[Tensor]:
    """Returns the tensors whose values an op takes, also those that its branches or bodies take."""
    chosen = op.fields.chosen
    return op.operands if chosen is None else [*chosen(op), *op.fields.captures]


def inner_ops(context: Context, outputs: Sequence[Operation]) -> Tuple[List[Operation], List[Operation]]:
    """The ops of a branch that these outputs need, in order, and what they take from outside."""
    inside: Set[Operation] = set()
    outside: Set[Operation] = set()
    left = list(outputs)
    while left:
        op = left.pop()
        if op.context is not context:
            outside.add(op)
        elif op not in inside:
            inside.add(op)
            left += needs(op)
    return sorted(inside, key=lambda op: op.id), sorted(outside, key=lambda op: op.id)


def captures_of(context: Context, outputs: Sequence[Operation]) -> List[Tensor]:
    """Returns the tensors that the ops of a branch or body take from outside, those in it that have bodies too. An
    explicit read in it takes its variable."""
    inside, outside = inner_ops(context, outputs)
    reads = [op.variable._as_graph_tensor() for op in inside if op.type == "ReadValue"]
    return [x for op in inside for x in op.operands if x.op in outside] + reads


@contextmanager
def place_of(trace: _trace.Trace, op: Operation) -> Iterator[None]:
    """Gives the ops of a program that are created in this block an op of the graph as their place."""
    assert trace.places is not None
    before = trace.place
    trace.place = (op.name, op.id)
    trace.places[f"{op.name}:{op.id}:0"] = op
    trace.graph.set_place(op.name, op.id)
    try:
        yield
    finally:
        trace.place = before
        trace.graph.set_place(*before)


class Emitter:
    """Emits ops in the order of their creation, with the version rule (A5)."""

    def __init__(
        self, needed: Sequence[Operation], env: Env, initialized: Set[str], decided: Optional[Dict[int, bool]] = None
    ):
        self.env = env
        # By the numbers of ops with two branches, which one is emitted alone.
        self.decided: Dict[int, bool] = decided or {}
        # The variables that have a value when the run starts.
        self.initialized = initialized
        self.needed = needed
        trace = _trace.current()
        self._locator = None if trace.places is None else trace
        self.running = set(needed)
        # If loops are to be counted, how often each runs and those in it.
        self.counts: Optional[Dict[Operation, List[Any]]] = None
        # The last write that each `ReadValue` depends on, by its number.
        self.wanted: Dict[int, Any] = {}
        self.seen: Dict[Tuple[int, str], _tensor.Tensor] = {}
        for op in needed:
            if op.type == "ReadValue" and op.id not in env:
                writes = [a for a in ancestors([op]) if op.variable in a.fields.writes
                          and a in self.running]  # fmt: skip
                self.wanted[op.id] = max(writes, key=lambda a: a.id) if writes else None

    def run(self) -> None:
        # Implicit reads see the start of the run.
        for op in self.needed:
            if op.id in self.env:
                continue
            if self._reads_start(op):
                self.env[op.id] = [op.variable.implementation.read()]
                if op.type == "ReadValue":
                    self._set_apart(op)
        for op in self.needed:
            if op.id not in self.env:
                self.emit(op)

    def _reads_start(self, op: Operation) -> bool:
        """Returns true if an op is the value that a variable has when the run starts."""
        if op.type == "VariableV2":
            return not op.fields.is_ref
        if op.type == "ReadValue":
            return self.wanted[op.id] is None
        if op.type != "InitializedValue":
            return False
        variable = op.variable
        return variable.op_name in self.initialized and variable.initializer not in self.running

    def emit(self, op: Operation) -> None:
        if self._locator is None:
            self._emit(op)
        else:
            with place_of(self._locator, op):
                self._emit(op)
        self._set_apart(op)
        for variable in op.fields.writes:
            self.seen[op.id, variable.op_name] = variable.implementation.read()

    def _set_apart(self, op: Operation) -> None:
        """Makes a parameter of each result that something is differentiated by: not by others of its value."""
        if op.fields.is_wrt:
            self.env[op.id] = [parameter(x) if _dtypes.is_floating(x.dtype) else x for x in self.env[op.id]]

    def _emit(self, op: Operation) -> None:
        fields = op.fields
        if op.type == "ReadValue":
            write = self.wanted[op.id]
            self.env[op.id] = [self.seen[write.id, op.variable.op_name]]
            return
        if op.type == "InitializedValue":
            variable = op.variable
            if variable.initializer in self.running and variable.initializer.id < op.id:
                self.env[op.id] = self.env[variable.initializer.id]
            else:
                self.env[op.id] = [self.value(op.inputs[0])]
            return
        if op.type == "Initialize":
            value = self._initial(op, self.env)
            assert fields.assign is not None
            self.env[op.id] = as_list(fields.assign(value))
        elif op.emit is None:
            self.env[op.id] = []
        elif self.counts is not None and fields.loops is not None:
            number = len(fields.loops.ops)
            found = fields.loops.counted(self, op)
            self.counts[op], self.env[op.id] = found[:number], found[number:]
        elif fields.region is not None:
            self.env[op.id] = as_list(fields.region(self, op))
        else:
            self.env[op.id] = as_list(op.emit(*[self.value(x) for x in op.inputs]))

    def _initial(self, op: Operation, env: Env) -> _tensor.Tensor:
        """Emits the initial value, which reads the initial values of variables that are initialised with it (I8)."""
        x = op.inputs[0]
        own = ancestors([x.op])
        fresh = {a.id: self.env[a.variable.initializer.id] for a in own if a.type == "VariableV2"
                 and a.variable.initializer in self.running}  # fmt: skip
        if not fresh:
            return self.value(x)
        inner: Env = dict(fresh)
        changed = set(fresh)
        for a in sorted(own, key=lambda a: a.id):
            if a.id in fresh:
                continue
            if any(b.op.id in changed for b in a.inputs):
                changed.add(a.id)
                assert a.emit is not None
                inner[a.id] = as_list(a.emit(*[inner[b.op.id][b.index] for b in a.inputs]))
            else:
                inner[a.id] = self.env[a.id]
        found: _tensor.Tensor = inner[x.op.id][x.index]
        return found

    def value(self, x: Tensor) -> _tensor.Tensor:
        found: Optional[_tensor.Tensor] = self.env[x.op.id][x.index]
        if found is None:
            raise NotImplementedError(f"'{x.name}' is needed, and another output of its op is fed: feed this one too")
        return found

    def region(
        self, context: Context, outputs: Sequence[Tensor], more: Optional[Env] = None,
        counts: Optional[Dict[Operation, List[Any]]] = None,
    ) -> List[Any]:  # fmt: skip
        """Emits the ops of a branch, and gives its outputs. Loops in it are counted if there are `counts`."""
        ops, _ = inner_ops(context, [x.op for x in outputs])
        inner = Emitter(ops, {**self.env, **(more or {})}, self.initialized, self.decided)
        inner.counts = counts
        inner.run()
        return [inner.value(x) for x in outputs]
