# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A traced function for arguments of some types: its module, its program, and the entries that call it."""

import contextlib
import weakref
from typing import TYPE_CHECKING, Any, Callable, Iterator, List, Mapping, Optional, Sequence, Tuple

from .. import _flywheel
from .._core import dtypes as _dtypes
from .._core import trace as _trace
from .._core import tree as _tree
from .._core.tensor import Tensor, as_tensor, wrap
from .._core.trace import Trace
from .._errors.messages import Problem, add_note, report
from .._flywheel import Attribute, ModuleOp, Program
from .._ops.emission import narrow, number
from .._programs.compilation import compile_module
from ..store import Owners, Store, current_store
from ..variables import provide_host_values
from .arguments import Leaf
from .definition import Definition

if TYPE_CHECKING:
    from ..function import Function

__all__ = ["FED", "Fed", "Static", "Traced"]


class Fed:
    """In place of an argument that is fed."""


FED = Fed()


class Static:
    """An argument that the trace sees as it is, with all that is in it."""

    def __init__(self, value: Any):
        self.value = value


class Traced:
    """A function as it was traced for some arguments: a module with one entry."""

    def __init__(self, owner: "Function", leaves: List[Leaf], tree: Any, static: Tuple[Any, ...]):
        if not isinstance(owner, _flywheel.Dispatcher):
            raise TypeError(f"expected a traced function, found {owner!r}: its `trace(...)` makes what it is traced to")
        self.definition: Definition = owner._definition
        self.leaves = leaves
        self._has_wide = self._has_slices = False
        self.results: List[Tuple[_dtypes.DType, _trace.Shape]] = []
        # One entry for each live store: a store is not kept alive for its entry. An entry keeps the session of the
        # program.
        self._entries: weakref.WeakKeyDictionary[Store, Any] = weakref.WeakKeyDictionary()
        self._out: Any = None
        self._arguments = tree, static
        # A symbol of the module, as its variables are.
        self.entry_name = self.definition.entry_name
        traces = [Trace(self.entry_name)]
        before = owner._captures.look(self._given)
        self.build(traces[-1])
        while traces[-1].num_created or traces[-1].wants_wide or self.entry_name in traces[-1].variables:
            if traces[-1].wants_wide:
                self._widen_numbers()
            if self.entry_name in traces[-1].variables:
                self.entry_name += "_1"
            traces.append(Trace(self.entry_name))
            # Variables that are made once exist now, and are kept by the first trace (N17).
            if any(trace.num_created for trace in traces):
                traces[-1].refuses_creation = f"'{owner.name}'"
            before = owner._captures.look(self._given)
            self.build(traces[-1])
        trace = traces[-1]
        # Each trace has its own, whatever program the cache has for it.
        self.host_functions = trace.host_functions
        self.owners = Owners(trace.variables, trace.owners, self.definition.own_name)
        self.definition.own_name.streams.note(trace.has_drawn, bool(trace.variables))
        for variable in trace.variables.values():
            variable._traced_in.add(owner)
        has_made_variables = any(one.num_created for one in traces)
        owner._watch_seen(before, trace.reads_of, trace.states, self._given, has_made_variables)
        self.home = trace.home
        self._check_home()
        self.module: ModuleOp = trace.graph.finish()

    def _widen_numbers(self) -> None:
        """Has arguments that are numbers of Python as float64, as one of them meets a float64."""
        self._has_wide = True
        self.leaves = [one._replace(dtype=_dtypes.float64) if one.kind == "f" else one for one in self.leaves]

    def _check_home(self) -> None:
        """Raises ValueError for variables of a graph beside others, whose values are in another store."""
        if self.home is None:
            return
        for variable in self.owners.variables.values():
            if variable.namespace is not self.home[0].namespace:  # type: ignore[attr-defined]
                raise ValueError(f"'{self.definition.name}' uses variables of a graph, such as weights of a model of "
                                 f"Keras, whose values are in a session, and '{variable.name}', which is in a store: "
                                 "make it a variable of the graph, K.variable(...)")  # fmt: skip

    def refuse_home(self, what: str, instead: str) -> None:
        """Raises NotImplementedError if the function uses variables of a graph."""
        if self.home is not None:
            raise NotImplementedError(f"{what} of '{self.definition.name}', which uses variables of a graph, such as "
                                      f"weights of a model of Keras: use {instead}")  # fmt: skip

    def find_store(self) -> Store:
        """Returns the store that a call works on: the current one, or for variables of a graph that of a session."""
        if self.home is None:
            return current_store()
        found: Store = self.home[1]()
        return found

    @property
    def _given(self) -> List[Any]:
        """The arguments that the trace has as they are."""
        tree, static = self._arguments
        values = [one.value if isinstance(one, Static) else one for one in static if one is not FED]
        return [*values, *(one() for one in _tree.wholes(tree))]

    def build(self, trace: Trace, entry_name: Optional[str] = None) -> None:
        """Traces the function into a module, as an entry of this name."""
        definition = self.definition
        trace.warns_of_widening = not definition.is_wide
        trace.made, trace.definition = definition.made, definition
        tree, static = self._arguments
        shapes = [tuple(d if isinstance(d, int) else None for d in leaf.dims) for leaf in self.leaves]
        types = [trace.type(leaf.dtype, shape) for leaf, shape in zip(self.leaves, shapes)]
        names = definition.feed_names(tree, [value is FED for value in static])
        attributes: List[_trace.Attributes] = []
        for leaf, name in zip(self.leaves, names):
            attribute: _trace.Attributes = {"train.name": Attribute.string(name)}
            dims = [d if isinstance(d, str) else "" for d in leaf.dims]
            if any(dims):
                attribute["train.dims"] = Attribute.strings(dims)
            attributes.append(attribute)
        arguments = trace.graph.begin_function(entry_name or self.entry_name, types, {}, attributes)
        trace.streams = definition.own_name
        try:
            with self._explaining(), _trace.tracing(trace):
                trace.has_wide = self._has_wide
                tensors = iter([_argument(wrap(v, leaf.dtype, s), leaf)
                                for v, leaf, s in zip(arguments, self.leaves, shapes)])  # fmt: skip
                given = [next(tensors) if x is FED else x.value if isinstance(x, Static) else x for x in static]
                args, kwargs = _tree.unflatten(tree, given)
                outputs, self._out = _tree.flatten(definition.function(*args, **kwargs))
                results = [as_tensor(output) for output in outputs]
                self._refuse_text(results, outputs)
        except BaseException:
            trace.graph.abandon_function()
            raise
        self._has_slices |= trace.has_slices
        labels = definition.result_names(self._out, len(results))
        named = [{"train.name": Attribute.string(name)} for name in labels]
        trace.graph.end_function([x.value for x in results], named)
        self.results = [(x.dtype, x._dims) for x in results]

    def _refuse_text(self, results: List[Tensor], outputs: Sequence[Any]) -> None:
        """Refuses a string of Python among the results: no step computes it."""
        for place, output in enumerate(outputs):
            if isinstance(output, (str, bytes)):
                name = self.definition.result_names(self._out, len(results))[place]
                raise TypeError(
                    f"'{self.definition.name}' returns {output!r} as '{name}': expected a tensor, an array or a number "
                    "(flywheel.constant makes a tensor of a string)"
                )

    @property
    def program(self) -> Program:
        """The compiled module."""
        known = self.__dict__.get("_program")
        if known is None:
            # If several threads compile it, the program of the first one is kept.
            with self._explaining():
                compiled = compile_module(self.module, self.definition.options, f"'{self.definition.name}'")
            known = self.__dict__.setdefault("_program", compiled)
        return known  # type: ignore[no-any-return]

    @contextlib.contextmanager
    def _explaining(self) -> Iterator[None]:
        """Adds to errors of the compiler what a user may do about them."""
        try:
            yield
        except _flywheel.CompileError as error:
            self._explain_slices(error)
            add_note(error, self._hint())
            raise

    def _explain_slices(self, error: _flywheel.CompileError) -> None:
        """Has the error of a result whose size only the step knows begin with what to write for n elements, if the
        function has a slice between two places that the step computes."""
        sizes = [numbers for code, numbers in error.details if code == "unknown-result-size"]
        if not self._has_slices or error.parts is None or not sizes:
            return
        place, text, notes = error.parts
        result, dim = sizes[0]
        problem = ("expected x[i + flywheel.arange(n)] for n elements from a place i that the step computes, found a "
                   f"slice x[i : j], which has fewer at the end of x: only the step knows the size of dimension {dim} "
                   f"of result {result}")  # fmt: skip
        report(error, Problem(text=problem, place=place, notes=f"{notes}\nnote: {text}"))

    def _hint(self) -> str:
        """Returns what to do if a size is one of the numbers that each call chooses; empty without such numbers."""
        tree, static = self._arguments
        names = self.definition.feed_names(tree, [value is FED for value in static])
        numbers = [name for name, leaf in zip(names, self.leaves) if leaf.kind in "il"]
        if not numbers:
            return ""
        listed = ", ".join(f"'{name}'" for name in numbers)
        return (f"\nnote: each call chooses {listed}: if a size depends on it, make the argument static, as "
                f"in @flywheel.function(static={numbers[0]!r}), which compiles once for each value")  # fmt: skip

    def entry(self, store: Store) -> Any:
        """Returns the entry that calls this on the values of a store."""
        known = self._entries.get(store)
        if known is None:
            provide_host_values(store, list(self.owners.variables.values()))
            _warn_of_new_slots(store._new_slots(self.program, self.owners))
            binding = store.bind_program(self.program, self.owners)
            if self.home is not None:
                # The session has initialized variables of the graph, but not what optimizers and draws keep.
                keys = store._keys(self.program, self.owners)
                binding.initialize([key for key in keys if not store._has_value(key)])
            known = binding.entry(self.entry_name)
            if len(self.host_functions):
                _flywheel._set_host_functions(known, self.host_functions)
            self._entries[store] = known
        return known

    @property
    def unpack(self) -> Optional[Callable[[Any], Any]]:
        """Returns the function that converts the entry's results to the function's; None if they are equal."""
        form, count = self._out, len(self.results)
        if form == _tree.LEAF or form is None:
            return None
        if count > 1 and form == (tuple, (_tree.LEAF,) * count):
            return None

        def unpack(result: Any) -> Any:
            return _tree.unflatten(form, [] if count == 0 else [result] if count == 1 else result)

        return unpack


def _argument(x: Tensor, leaf: Leaf) -> Tensor:
    """Returns an argument as the function has it: a float of Python is exact, and has the dtype of what it meets."""
    if leaf.kind != "f":
        return x
    return narrow(x) if leaf.dtype == _dtypes.float64 else number(x)


def _warn_of_new_slots(slots: Mapping[str, str]) -> None:
    """Warns of slots that begin anew, from their names to the checkpoints that lack them."""
    if not slots:
        return
    name, path = next(iter(slots.items()))
    more = ["", " and of 1 more slot"][len(slots) - 1] if len(slots) < 3 else f" and of {len(slots) - 1} more slots"
    _trace.warn_user(f"restore: '{path}' has no value of '{name}'{more}: the optimizer begins anew, so training does "
                     "not go on as before the save; if that is meant, restore with the `variables` to take",
                     UserWarning)  # fmt: skip
