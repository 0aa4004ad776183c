# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The traces of this thread and their tensors."""

import sys
import threading
import types
import warnings
from contextlib import contextmanager
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Container,
    Dict,
    Hashable,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Set,
    Tuple,
)

from .. import _flywheel
from .._errors.messages import report_op
from .._flywheel import Attribute, Region, Type, Value
from .._native import PACKAGE
from . import dtypes as _dtypes
from ._host_functions import HostFunctions

if TYPE_CHECKING:
    from .._captures.module_reads import Read, State
    from ..namespace import Name
    from ..variables import Variable

Shape = Tuple[Optional[int], ...]
Attributes = Dict[str, Attribute]

# The folder of this package, whose frames are not the user's.

# Activations that saturate, and the ends at which they do.
_RANGES: Dict[str, Tuple[Optional[float], Optional[float]]] = {
    "math.tanh": (-1.0, 1.0), "nn.sigmoid": (0.0, 1.0), "nn.hard_sigmoid": (0.0, 1.0), "nn.softsign": (-1.0, 1.0),
    "nn.relu6": (None, 6.0),
}  # fmt: skip


class _Frame:
    """A function or region in the making."""

    def __init__(self, sees_outer: bool, is_isolated: bool):
        # False in a loop: values that were read outside do not hold there, as an earlier iteration of the body may have
        # assigned to them.
        self.sees_outer = sees_outer
        # True if the region may use no value from outside.
        self.is_isolated = is_isolated
        self.reads: Dict[str, Value] = {}
        self.constants: Dict[Any, Value] = {}


class Trace:
    """A module that the calls of Python functions build."""

    def __init__(self, name: str, embeds: bool = False):
        # True if the module is to contain initial values that are otherwise in stores.
        self.embeds = embeds
        self.name = name
        self.graph = _flywheel.Graph(name, PACKAGE)
        self.variables: Dict[str, Variable] = {}
        # Objects for which the compiler adds variables: optimizers and averages.
        self.owners: List[Name] = []
        # The variables that the program has made so far; or who may make none, as it would each time.
        self.num_created = 0
        self.refuses_creation: Optional[str] = None
        self.frames: List[_Frame] = []
        self._types: Dict[Tuple[_dtypes.DType, Shape], Type] = {}
        # The function, for errors, in which no variable may be assigned and no random number drawn.
        self.effects_forbidden: Optional[str] = None
        # The random numbers of the function of a vmap, while it is traced: see `batched_draws`.
        self.batched_draws: Any = None
        # The function, for errors, in which no host function may be called, as it may be recomputed.
        self.calls_forbidden: Optional[str] = None
        # The functions of Python that the step calls.
        self.host_functions = HostFunctions()
        # Objects that outlive calls and were created while the function was traced, by place; then their numbers so
        # far.
        self.made: Optional[Dict[Hashable, Tuple[Mapping[str, str], Any]]] = None
        self.num_made: Dict[Hashable, int] = {}
        # The ends of the ranges of activations, by their results.
        self.ranges: Dict[Value, Tuple[Optional[float], Optional[float]]] = {}
        # The definition of the function that is traced, the same in all its programs.
        self.definition: Optional[object] = None
        # The dashboards that watch this program.
        self.watched_by: List[Any] = []
        # Sizes and places that may be negative.
        self.signed: Set[Value] = set()
        # True if float64 in a program of narrower variables is worth a warning; each program gives one.
        self.warns_of_widening = False
        # True if arguments that are numbers of Python, and the parameters that are made of some, are float64; and if
        # the trace has met a float64 for which they should be. Their values as float64, by those as float32.
        self.has_wide = self.wants_wide = False
        self.wide: Dict[Value, Any] = {}
        # If ops have ops of a graph as their places, those by the texts of these places.
        self.places: Optional[Dict[str, Any]] = None
        self.place: Tuple[str, int] = ("", 0)
        # If the program has variables of a graph, that graph, and a function that finds the store of its session.
        self.home: Optional[Tuple[object, Callable[[], Any]]] = None
        # True if random tensors are drawn; false if only sizes are computed.
        self.draws = True
        # True if a slice begins and ends at places that the step computes.
        self.has_slices = False
        # The number of uses so far of each layer that draws with a seed of its own.
        self.uses: Dict[int, int] = {}
        # The owner of the streams from which they are drawn: the function that is traced.
        self.streams: Optional[Name] = None
        self._drawn: Dict[str, Name] = {}
        # The attributes of modules that the Python code has read, by the module's id.
        self.reads_of: Dict[int, Read] = {}
        # Variables that are trainable, but in a layer of another front end that is not.
        self.frozen: Set[Variable] = set()
        # By what they are of, states of other front ends that the trace has seen.
        self.states: Dict[int, State] = {}

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
        try:
            made = self.graph.op(name, list(operands), results, attributes or {}, list(regions))
        except (TypeError, ValueError) as error:
            report_op(error, name)
            raise
        if name in _RANGES:
            self.ranges[made[0]] = _RANGES[name]
        return made

    @property
    def has_drawn(self) -> bool:
        """True if the program draws from streams of random numbers of a function."""
        return bool(self._drawn)

    def draw(
        self, name: str, operands: Sequence[Value], results: Sequence[Type], attributes: Attributes
    ) -> List[Value]:
        """An op that draws random numbers. Its stream is one of the function, in each program that has it (I7)."""
        owner = self.streams
        if owner is not None:
            if self._drawn.setdefault(owner.text, owner) is not owner:
                raise ValueError(f"two functions of this module have the name '{owner.text}', in two namespaces, and "
                                 "each draws random numbers: name one of them otherwise")  # fmt: skip
            self.graph.annotate_function({"train.streams": Attribute.string(owner.text)})
        return self.op(name, operands, results, attributes)

    def index(self, value: int) -> Value:
        """A constant of type index, one a function or region."""
        key = ("index", value)
        for frame in reversed(self.frames):
            if key in frame.constants:
                return frame.constants[key]
            if frame.is_isolated:
                break
        found = self.op("arith.constant", [], [self.index_type()], {"value": Attribute.index(value)})[0]
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
        value = self.op("train.read", [], [type_], {"variable": Attribute.symbol(variable.name)})[0]
        self.frames[-1].reads[variable.name] = value
        return value

    @contextmanager
    def forbidding_effects(self, what: str) -> Iterator[None]:
        """A block of `what`, in errors, in which no variable may be assigned and no random number drawn."""
        before, self.effects_forbidden = self.effects_forbidden, what
        try:
            yield
        finally:
            self.effects_forbidden = before

    def refuse_draws(self) -> None:
        """Raises ValueError where no random numbers may be drawn."""
        if self.effects_forbidden:
            raise ValueError(f"{self.effects_forbidden} must not draw random numbers, as dropout in training does: "
                             "leave dropout out, or draw them outside, and pass them as an argument")  # fmt: skip

    def forget_reads(self, name: Optional[str] = None) -> None:
        """A variable, or any, has another value from here on. Raises ValueError where none may be assigned."""
        if self.effects_forbidden:
            what = "variables" if name is None else f"variable '{name}'"
            raise ValueError(f"{self.effects_forbidden} must not assign {what}, as optimizers and normalization layers "
                             "in training do: return the new value, and assign it outside")  # fmt: skip
        for frame in self.frames:
            if name is None:
                frame.reads.clear()
            else:
                frame.reads.pop(name, None)

    def check_creation(self, what: str, make: str) -> None:
        """Before `what`, which outlives a call, is made by `make`. Raises ValueError where another trace has made it
        already (N17)."""
        if self.refuses_creation is not None:
            raise ValueError(f"{what} is made anew each time that {self.refuses_creation} is traced: make it outside, "
                             f"or once (`if self.x is None: self.x = {make}`)")  # fmt: skip
        self.num_created += 1

    def declare(self, variable: "Variable") -> None:
        """Adds a variable to the module, unless the module has it."""
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


def check_creation(what: str, make: str) -> None:
    """See `Trace.check_creation`, of the current trace; outside of any, everything may be made."""
    if _stack.traces:
        _stack.traces[-1].check_creation(what, make)


def made_once(what: str, settings: Mapping[str, str], made: Any, settable: Container[str] = ()) -> Any:
    """An object that outlives a call, made where a function is traced: the one that the same line has made when the
    function was traced before, or `made` (N17). Raises ValueError where that one has other settings, with those that
    differ; the object has a variable for each `settable` one."""
    trace = _stack.traces[-1] if _stack.traces else None
    frame = find_user_frame()
    if trace is None or trace.made is None or frame is None:
        return made
    place = (what, frame.f_code.co_filename, frame.f_lineno)
    number = trace.num_made[place] = trace.num_made.get(place, 0) + 1
    known_settings, known = trace.made.setdefault((*place, number), (settings, made))
    if known_settings == settings:
        return known
    names = [*known_settings, *(name for name in settings if name not in known_settings)]
    changed = [name for name in names if known_settings.get(name) != settings.get(name)]
    before, now = (", ".join(f"{name}={some.get(name)}" for name in changed) for some in (known_settings, settings))
    remedy = f"make one for each outside of '{trace.name}'"
    if all(name in settable for name in changed):
        sets = " and ".join(f"`.{name}.set({settings[name]})`" for name in changed)
        remedy = f"make it outside of '{trace.name}', and change it between calls by {sets}"
    raise ValueError(f"{what} is made once for all that '{trace.name}' is traced for: it has {before}, and would have "
                     f"{now} now; {remedy}")  # fmt: skip


def refuse_values(what: str, remedy: str) -> None:
    """Raises TypeError while a function is traced. Stores and files are then read and written once, and not in each
    call: a value would be a constant of the compiled function."""
    if _stack.traces:
        raise TypeError(f"{what} is not known while a function is traced: use {remedy}; '{_stack.traces[-1].name}' is "
                        "traced once, and a value from there would be the same in each call")  # fmt: skip


def refuse_actions(what: str, remedy: str = "do it outside of the traced function") -> None:
    """Raises TypeError while a function is traced, for what each call would have to do."""
    if _stack.traces:
        raise TypeError(f"{what} while '{_stack.traces[-1].name}' is traced would happen once and not in each call: "
                        f"{remedy}")  # fmt: skip


def find_user_frame(others: Tuple[str, ...] = ()) -> Optional[types.FrameType]:
    """The frame of the innermost code that is not of this package, nor in one of the folders `others`."""
    frame: Optional[types.FrameType] = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith((PACKAGE, *others)):
        frame = frame.f_back
    return frame


def warn_user(text: str, category: "type[Warning]") -> None:
    """A warning at the line of the user's code that is executed."""
    frame = find_user_frame()
    if frame is None:
        warnings.warn(text, category, stacklevel=2)
        return
    warnings.warn_explicit(text, category, frame.f_code.co_filename, frame.f_lineno,
                           frame.f_globals.get("__name__") or "<unknown>",
                           frame.f_globals.setdefault("__warningregistry__", {}))  # fmt: skip


def tracing(trace: Trace) -> _flywheel.Tracing:
    """A block in which a trace is the current one."""
    return _flywheel.Tracing(_stack.traces, trace, trace.frames, _Frame(True, False))
