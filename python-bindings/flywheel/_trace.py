# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is being traced in this thread, and the tensors of it."""

import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional, Sequence, Set, Tuple

from . import _dtypes, _flywheel
from ._flywheel import Region, Type, Value
from ._host import HostFunctions

if TYPE_CHECKING:
    from .namespace import Name
    from .variables import Variable

Shape = Tuple[Optional[int], ...]
Attributes = Dict[str, Tuple[str, Any]]

# Frames of files in here are no user's.
PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


class _Frame:
    """A function or region in the making."""

    def __init__(self, sees_outer: bool, is_isolated: bool):
        # Whether values that were read outside hold here: not in a loop, whose body
        # may assign what it reads in the next iteration.
        self.sees_outer = sees_outer
        # Whether the region may use no value from outside.
        self.is_isolated = is_isolated
        self.reads: Dict[str, Value] = {}
        self.constants: Dict[Any, Value] = {}


class Trace:
    """A module that the calls of Python functions build."""

    def __init__(self, name: str, embeds: bool = False):
        # Whether the module is to have initial values that stores have otherwise.
        self.embeds = embeds
        self.graph = _flywheel.Graph(name, PACKAGE)
        self.variables: Dict[str, Variable] = {}
        # What has variables that the compiler adds: optimizers and averages.
        self.owners: List[Name] = []
        # The variables that the program has made so far; or who may make none, as it would each time.
        self.num_created = 0
        self.refuses_creation: Optional[str] = None
        self.frames: List[_Frame] = []
        self._types: Dict[Tuple[_dtypes.DType, Shape], Type] = {}
        # Whether regions may use what is around them: the bodies of some ops may not.
        self.effects_forbidden: Optional[str] = None
        # What must not call functions of the host, as it may be computed again.
        self.calls_forbidden: Optional[str] = None
        # What the step calls.
        self.host_functions = HostFunctions()
        # Sizes and places that may be negative.
        self.signed: Set[Value] = set()
        # Whether random tensors are drawn: not where only sizes are computed.
        self.draws = True
        # Whose streams they are drawn from: the function's that is traced.
        self.streams: Optional[Name] = None
        self._drawn: Dict[str, Name] = {}

    # Types and ops

    def type(self, dtype: _dtypes.DType, shape: Shape) -> Type:
        key = (dtype, shape)
        found = self._types.get(key)
        if found is None:
            found = self._types[key] = self.graph.type(_dtypes.name_of(dtype), shape)
        return found

    def index_type(self) -> Type:
        return self.graph.type("index", None)

    def op(
        self,
        name: str,
        operands: Sequence[Value],
        results: Optional[Sequence[Type]] = None,
        attributes: Optional[Attributes] = None,
        regions: Sequence[Region] = (),
    ) -> List[Value]:
        return self.graph.op(name, list(operands), results, attributes or {}, list(regions))

    def draw(
        self, name: str, operands: Sequence[Value], results: Sequence[Type], attributes: Attributes
    ) -> List[Value]:
        """An op that draws random numbers. Its stream is one of the function, in each program that has it (I7)."""
        owner = self.streams
        if owner is not None:
            if self._drawn.setdefault(owner.text, owner) is not owner:
                raise ValueError(f"two functions of this module have the name '{owner.text}', in two namespaces, and "
                                 "each draws random numbers: name one of them otherwise")  # fmt: skip
            self.graph.annotate_function({"train.streams": ("str", owner.text)})
        return self.op(name, operands, results, attributes)

    def index(self, value: int) -> Value:
        """A constant of type index, one a function or region."""
        key = ("index", value)
        for frame in reversed(self.frames):
            if key in frame.constants:
                return frame.constants[key]
            if frame.is_isolated:
                break
        found = self.op("arith.constant", [], [self.index_type()], {"value": ("index", value)})[0]
        self.frames[-1].constants[key] = found
        return found

    def dim(self, value: Value, axis: int) -> Value:
        """The size of a dimension, of type index: one value a function or region."""
        key = ("dim", value, axis)
        for frame in reversed(self.frames):
            if key in frame.constants:
                return frame.constants[key]
            if frame.is_isolated:
                break
        found = self.op("tensor.dim", [value, self.index(axis)], [self.index_type()])[0]
        self.frames[-1].constants[key] = found
        return found

    # Functions and regions

    @contextmanager
    def frame(self, sees_outer: bool = True, is_isolated: bool = False) -> Iterator[_Frame]:
        frame = _Frame(sees_outer and not is_isolated, is_isolated)
        self.frames.append(frame)
        try:
            yield frame
        finally:
            self.frames.pop()

    def region(
        self,
        types: Sequence[Type],
        body: Callable[[List[Value]], Sequence[Value]],
        terminator: str,
        sees_outer: bool = True,
        is_isolated: bool = False,
    ) -> Region:
        """A region with these arguments, which ends with what `body` returns."""
        arguments = self.graph.begin_region(list(types))
        try:
            with self.frame(sees_outer, is_isolated):
                results = body(arguments)
        except BaseException:
            self.graph.abandon_region()
            raise
        return self.graph.end_region(terminator, list(results))

    # Variables

    def read(self, variable: "Variable") -> Value:
        """The value of a variable here; what was read already and holds still is
        not read again."""
        self.declare(variable)
        for frame in reversed(self.frames):
            found = frame.reads.get(variable.name)
            if found is not None:
                return found
            if not frame.sees_outer:
                break
        type_ = self.type(variable.dtype, variable.shape)
        value = self.op("train.read", [], [type_], {"variable": ("symbol", variable.name)})[0]
        self.frames[-1].reads[variable.name] = value
        return value

    def forget_reads(self, name: Optional[str] = None) -> None:
        """A variable, or any, has another value from here on."""
        if self.effects_forbidden:
            raise ValueError(f"{self.effects_forbidden} must not assign variables")
        for frame in self.frames:
            if name is None:
                frame.reads.clear()
            else:
                frame.reads.pop(name, None)

    def check_creation(self, name: object) -> None:
        """Before a variable is made. Raises ValueError where another trace has made it already (N17)."""
        if self.refuses_creation is not None:
            raise ValueError(f"variable '{name}' is made anew each time that {self.refuses_creation} is traced: make "
                             "it outside, or once (`if self.w is None: self.w = flywheel.Variable(...)`)")  # fmt: skip
        self.num_created += 1

    def declare(self, variable: "Variable") -> None:
        """Adds a variable to the module, unless it is there."""
        known = self.variables.get(variable.name)
        if known is variable:
            return
        if known is not None:
            raise ValueError(f"two variables of this function have the name '{variable.name}'")
        self.variables[variable.name] = variable
        variable._declare(self)


class _Stack(threading.local):
    def __init__(self) -> None:
        self.traces: List[Trace] = []


_stack = _Stack()


def current() -> Trace:
    """The innermost trace. Raises RuntimeError where nothing is being traced."""
    if not _stack.traces:
        raise RuntimeError(
            "tensors are computed in traced functions: decorate the function that this is in with @flywheel.function"
        )
    return _stack.traces[-1]


def is_tracing() -> bool:
    return bool(_stack.traces)


def tracing(trace: Trace) -> _flywheel.Tracing:
    """A block in which a trace is the current one."""
    return _flywheel.Tracing(_stack.traces, trace, trace.frames, _Frame(True, False))
