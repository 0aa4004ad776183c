# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traced functions: Python that becomes a compiled entry."""

import dataclasses
import functools
import threading
import weakref
from typing import (
    Any,
    Callable,
    ClassVar,
    Dict,
    Hashable,
    List,
    Mapping,
    NoReturn,
    Optional,
    Sequence,
    Set,
    Tuple,
    Union,
    overload,
)

import numpy as np

from . import _flywheel
from ._captures import module_reads as _module_reads
from ._captures.captures import Before, Captures
from ._core import dtypes as _dtypes
from ._core import trace as _trace
from ._core import tree as _tree
from ._core.annotations import Path
from ._core.identity import identity, is_hashable
from ._core.tensor import Tensor
from ._core.trace import warn_user
from ._core.turns import Turns
from ._errors.hints import bind_arguments, check_keywords, shows_keywords
from ._functions.arguments import Leaf, TensorSpec, as_array, describe, feed, spec
from ._functions.definition import Definition
from ._functions.dynamic_sizes import DynamicSizes, Key, key_of
from ._functions.kept_results import Bound
from ._functions.parameters import (
    check_specs,
    convert_by_specs,
    convert_traced,
    form_of_call,
    refuse_objects,
    static_places,
)
from ._functions.traced import FED, Static, Traced
from ._programs.compilation import current_target
from ._programs.models import cost as count_cost
from ._programs.options import StepOptions, check_kinds, check_names
from .pictures import Picture, picture
from .profile import Profile, profile_calls
from .store import Store

__all__ = ["Function", "TensorSpec", "function", "spec"]

# The forms of calls that a function keeps entries of: each batch size is one.
_MOST_CALLS = 64


class Function(_flywheel.Dispatcher):
    """A Python function that is traced when it is called with arguments of new types,
    compiled, and then runs without Python; see `function`."""

    # `flywheel.export`, which takes functions.
    _export: ClassVar[Callable[..., None]]

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: Optional[str] = None,
        signature: Optional[Sequence[Any]] = None,
        dynamic: Union[bool, str] = "auto",
        results: Optional[Sequence[str]] = None,
        threads: Optional[int] = None,
        winograd: bool = False,
        check_numerics: bool = False,
        target: Optional[str] = None,
        memory_budget: Union[int, str, None] = None,
        static: Union[str, int, Sequence[Union[str, int]]] = (),
    ):
        if not callable(function):
            raise TypeError(f"expected a Python function to trace, found {function!r}")
        if dynamic not in ("auto", True, False):
            raise ValueError(f"expected dynamic 'auto', True or False, found {dynamic!r}")
        check_kinds(name=name)
        if results is not None:
            check_names(results=results)
        functools.update_wrapper(self, function)
        options = StepOptions(threads, current_target() if target is None else target, winograd, check_numerics,
                              memory_budget)  # fmt: skip
        self._function = function
        self._specs = None if signature is None else check_specs(signature)
        # True if the signature has float64.
        is_wide = any(getattr(leaf, "dtype", None) == _dtypes.float64 for leaf in _tree.flatten(self._specs)[0])
        self._definition = Definition(function, name, results, options, is_wide)
        self._signature = self._definition.signature
        self._static = static_places(function, list(self._signature.parameters), static)
        specs = [Leaf("a", one.dtype, one.shape) for one in _tree.flatten(self._specs)[0]]
        self._sizes = DynamicSizes(dynamic, None if signature is None else specs)
        self._traces: Dict[Key, Traced] = {}
        # The traces and stores that have a case.
        self._cases: Set[Tuple[int, int]] = set()
        # The entries of calls with modules among the arguments, which no case is for: see `form_of_call`.
        self._calls: Dict[Hashable, Tuple[Any, List[int], Optional[Callable[[Any], Any]]]] = {}
        # The stores of cases, by id: the cases of one that is collected are dropped.
        self._watched: Dict[int, weakref.ref[Store]] = {}
        # The keys of the traces for modules among the arguments: the traces of one that is collected are dropped.
        self._keys_of: Dict[int, Tuple[weakref.ref[Any], List[Key]]] = {}
        # A thread that finds or makes a trace has a turn: what the trace has seen is what that thread sees. Code that
        # is traced may call the function.
        self._turns = Turns()
        # Held where entries are kept and where they are forgotten; no code of a user is executed meanwhile.
        self._keeping = threading.RLock()
        # The values from outside that traces have seen.
        self._captures = Captures(self)
        # The lists and dicts of modules that traces have read, by the id of the module and the attribute.
        self._watches: Dict[Tuple[int, str], Union[_module_reads.Watch, _module_reads.State]] = {}
        # By the same, the numbers of traces, one after the other, that have changed one.
        self._num_changes: Dict[Tuple[int, str], int] = {}

    @property
    def name(self) -> str:
        """Unique among the functions of the namespace."""
        return self._definition.name

    @property
    def entry_name(self) -> str:
        """The name of the function in modules, in front of which a model's name is put in C."""
        return self._definition.entry_name

    @property
    def options(self) -> StepOptions:
        """The options with which the function is compiled."""
        return self._definition.options

    def __repr__(self) -> str:
        return f"<flywheel.function {self.name}>"

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        # One for each object, whose values are a part of what is traced; a copy of the object has its own.
        kept = getattr(instance, "__dict__", None)
        if kept is None:
            raise TypeError(f"'{type(instance).__name__}' cannot keep the compiled '{self.name}': add '__dict__' to "
                            "its __slots__")  # fmt: skip
        known = kept.get(f"<{id(self)}>")
        bound = known.of(instance, self) if known is not None else None
        if bound is None:
            bound = Function(
                functools.partial(self._function, instance), name=self.entry_name, signature=self._specs,
                dynamic=self._sizes.dynamic, results=self._definition.given_results,
                static=[p - 1 if isinstance(p, int) else p for p in self._static],
                **dataclasses.asdict(self.options),
            )  # fmt: skip
            kept[f"<{id(self)}>"] = Bound(instance, bound, self)
        return bound

    def __copy__(self) -> Any:
        self._refuse_copy()

    def __deepcopy__(self, _: Any) -> Any:
        self._refuse_copy()

    def _refuse_copy(self) -> NoReturn:
        raise TypeError(f"traced function '{self.name}' is not copied, as it uses the variables that its Python code "
                        "names: decorate a method of the class, of which each copy has its own, or make the function "
                        "again for the copy")  # fmt: skip

    def __reduce__(self) -> Any:
        raise TypeError(f"traced function '{self.name}' is not pickled: pickle the Python function, and decorate it "
                        "again")  # fmt: skip

    # Calls

    def _dispatch(self, *args: Any, **kwargs: Any) -> Any:
        """Handles a call that no compiled case is for."""
        if _trace.is_tracing():
            if self._specs is not None:
                args, kwargs = convert_traced(self.name, self._specs, self._bind(args, kwargs))
            return self._function(*args, **kwargs)
        # A signature converts arguments, which entries of calls do not.
        form = None if kwargs or self._specs is not None else form_of_call(args, self._static)
        known = None
        if not self._holds_captures():
            self._check_watches()
        elif form is not None:
            known = self._calls.get(form)
        if known is not None:
            entry, places, unpack = known
            result = entry(*[args[place] for place in places])
            return result if unpack is None else unpack(result)
        bound = self._bind(args, kwargs)
        traced, values = self._find(*bound)
        store = traced.find_store()
        try:
            entry = traced.entry(store)
        except _flywheel.CompileError as error:
            if not self._sizes.may_fix(error):
                raise
            self._fix_sizes(traced)
            traced, values = self._find(*bound)
            entry = traced.entry(store)
        feeds = [feed(value, leaf) for value, leaf in zip(values, traced.leaves)]
        is_refused, result = False, None
        try:
            result = entry(*feeds)
        except _flywheel.InvalidArgumentError as error:
            # The compiler knows which checks are of values alone.
            is_refused = self._sizes.may_specialize(traced) and not hasattr(error, "_is_of_data")
            if not is_refused:
                raise
        if is_refused:
            traced, result = self._call_for_sizes(*bound)
            entry = traced.entry(store)
        # The session may be another one at the next call.
        if traced.home is None:
            is_flat = not kwargs and len(bound[0]) == len(args) == len(traced.leaves)
            self._keep_entry(traced, store, entry, args, form, is_flat)
        return result if traced.unpack is None else traced.unpack(result)

    def _keep_entry(
        self, traced: Traced, store: Store, entry: Any, args: Sequence[Any], form: Any, is_flat: bool
    ) -> None:
        """Keeps the entry of a call for the next one like it. Only a call that has compiled is worth a case. A case
        that may be refused for its sizes is called again, which a step that calls Python is not."""
        with self._keeping:
            if not any(traced is one for one in self._traces.values()):
                # Another thread has forgotten the trace meanwhile.
                return
            kinds = "".join(map(self._sizes.kind_of, traced.leaves))
            is_flat = is_flat and not (len(traced.host_functions) and "v" in kinds)
            case = (id(traced), id(store))
            if case not in self._cases and is_flat and all(describe(arg) is not None for arg in args):
                self._cases.add(case)
                self._watch(store)
                self._add_case(entry, store, kinds, traced.unpack)
            elif form is not None:
                if len(self._calls) >= _MOST_CALLS:
                    self._calls.clear()
                self._watch(store)
                places = [place for place, arg in enumerate(args)
                          if place not in self._static and not isinstance(arg, _tree.Whole)]  # fmt: skip
                self._calls[form] = entry, places, traced.unpack

    def _call_for_sizes(self, args: Tuple[Any, ...], kwargs: Mapping[str, Any]) -> Tuple[Traced, Any]:
        """Calls a program for the sizes of these arguments, as the first call of a function does. Later calls with
        these sizes have it if it does not fail."""
        traced, values = self._find(args, kwargs, is_for_sizes=True)
        try:
            return traced, traced.entry(traced.find_store())(*[feed(v, leaf) for v, leaf in zip(values, traced.leaves)])
        except Exception:
            key = next((key for key, one in self._traces.items() if one is traced), None)
            if key is not None:
                self._traces.pop(key, None)
                self._sizes.unspecialize(key)
            raise

    def _fix_sizes(self, traced: Traced) -> None:
        """Has a program for each size in place of one that does not compile for all."""
        key = next(key for key, one in self._traces.items() if one is traced)
        self._traces.pop(key, None)
        self._sizes.fix(key[0])
        warn_user(f"'{self.name}' is compiled for each size of its arguments, although it has dynamic=True: a result "
                  "has a size that is computed, and equal to none of theirs", _flywheel.CompileWarning)

    def _bind(self, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Tuple[Tuple[Any, ...], Dict[str, Any]]:
        if not kwargs and len(args) == len(self._signature.parameters):
            return args, kwargs
        # Defaults are none of the arguments: the function has them as they are.
        bound = bind_arguments(self._signature, self.name, args, kwargs)
        return bound.args, bound.kwargs

    def _hide_static(self, args: Tuple[Any, ...], kwargs: Mapping[str, Any]) -> Tuple[Any, ...]:
        """Returns the arguments, static ones as one leaf each."""
        if not self._static:
            return tuple(args), dict(kwargs)

        def hide(place: Union[str, int], value: Any) -> Any:
            return Static(value) if place in self._static else value

        return tuple(hide(i, x) for i, x in enumerate(args)), {key: hide(key, x) for key, x in kwargs.items()}

    def _find(
        self, args: Tuple[Any, ...], kwargs: Mapping[str, Any], is_for_sizes: bool = False
    ) -> Tuple[Traced, List[Any]]:
        """Returns the trace for these arguments, and the ones that are fed. With `is_for_sizes` it is one for their
        sizes."""
        with self._turns.turn():
            return self._find_alone(args, kwargs, is_for_sizes)

    def _find_alone(
        self, args: Tuple[Any, ...], kwargs: Mapping[str, Any], is_for_sizes: bool
    ) -> Tuple[Traced, List[Any]]:
        self._check_watches()
        given, tree = _tree.flatten(self._hide_static(args, kwargs))
        if self._specs is not None:
            given = convert_by_specs(self.name, _tree.flatten(self._specs)[0], given)
        given = [as_array(value) for value in given]
        leaves: List[Leaf] = []
        values: List[Any] = []
        static: List[Any] = []
        for value in given:
            leaf = describe(value)
            if leaf is None:
                if isinstance(value, Tensor):
                    raise ValueError("this tensor belongs to a trace that has ended: return it from its function, and "
                                     "call this one with the array")  # fmt: skip
                static.append(value)
            else:
                leaves.append(leaf)
                values.append(value)
                static.append(FED)
        try:
            seen = tuple(identity(value.value if isinstance(value, Static) else value) for value in static)
            ranks = tuple((leaf.kind, leaf.dtype, len(leaf.dims), self._sizes.vary and leaf.dims[:1] == (1,))
                          for leaf in leaves)  # fmt: skip
            form = (identity(tree), _tree.orders(tree), seen, ranks)
            hash(form)
        except TypeError:
            plain = [value.value if isinstance(value, Static) else value for value in static]
            kinds = sorted({type(value).__name__ for value in plain if not is_hashable(value)})
            is_static = any(isinstance(value, Static) and not is_hashable(value.value) for value in static)
            remedy = ("a static argument is compared with that of other calls: give a tuple, a string, a number or a "
                      "frozen data class" if is_static else
                      "give the numbers and arrays of the object as a dict, vars(x), or each as an argument; settings "
                      "as a static argument, a frozen data class")  # fmt: skip
            raise TypeError(
                f"an argument of '{self.name}' is neither an array, a number nor hashable: {', '.join(kinds)}; {remedy}"
            ) from None
        general = self._sizes.choose(form, leaves, is_for_sizes)
        key = key_of(form, general)
        found = self._traces.get(key)
        if found is None and self._sizes.vary and general != leaves:
            found = self._trace_for_all_sizes(key, general, tree, tuple(static))
            if found is None:
                self._sizes.fix(form)
                general, key = leaves, key_of(form, leaves)
                found = self._traces.get(key)
        if found is None:
            refuse_objects(self.name, self._definition.feed_names(tree, [one is FED for one in static]), leaves, values)
            found = self._traces[key] = Traced(self, general, tree, tuple(static))
        if is_for_sizes:
            self._sizes.specialize(key)
        self._watch_modules(tree, key)
        return found, values

    def _watch_modules(self, tree: Any, key: Key) -> None:
        """Forgets the trace when a module among its arguments goes: it keeps the variables."""
        own = weakref.ref(self)
        for reference in _tree.wholes(tree):
            whole = reference()
            place = id(whole)
            if place not in self._keys_of:

                def forget(_: Any, place: int = place) -> None:
                    function = own()
                    if function is None:
                        return
                    for key in function._keys_of.pop(place)[1]:
                        function._traces.pop(key, None)
                        function._sizes.forget(key)
                    # They have the module by its address.
                    function._calls.clear()
                    function._captures.drop_unread()

                self._keys_of[place] = weakref.ref(whole, forget), []
            if key not in self._keys_of[place][1]:
                self._keys_of[place][1].append(key)

    def _trace_for_all_sizes(
        self, key: Key, leaves: List[Leaf], tree: Any, static: Tuple[Any, ...]
    ) -> Optional[Traced]:
        """One program for all sizes, which takes the place of those for one. None where what the function
        does needs a size that is known, such as a loop of Python over rows."""
        try:
            found = Traced(self, leaves, tree, static)
            found.program  # noqa: B018  # Raises if it does not compile.
        except Exception:  # noqa: BLE001  # The user's function, or a hook of it, may raise anything for these sizes.
            return None
        with self._keeping:
            self._traces[key] = found
            self._forget_static(key[0], key)
        return found

    def _forget_static(self, form: Hashable, kept: Hashable) -> None:
        """One program for all sizes takes the place of those for one: the state of two
        would go back and forth between them."""
        for key in [key for key in list(self._traces) if key != kept and key[0] == form]:
            self._traces.pop(key, None)
        self._forget_cases()

    def _forget_traces(self) -> None:
        """Traces anew at the next call: something that the traces have seen is otherwise now."""
        with self._keeping:
            self._traces.clear()
            self._watches.clear()
            # Without captures any case is for a call, which another thread may make.
            self._forget_cases()
            self._captures.forget()

    def _forget_stale(self) -> bool:
        """Forgets the traces if the next call would trace anew, as something from outside is another object now.
        Returns true if it has, and false if another thread makes one."""
        if not self._turns.take_if_free():
            return False
        try:
            return self._forget_changed()
        finally:
            self._turns.end()

    def _forget_changed(self) -> bool:
        changed = self._captures.changed() if self._traces else []
        if changed:
            self._captures.warn_of(changed)
            self._forget_traces()
        return bool(changed)

    def _watch_seen(
        self, before: Before, reads: Dict[int, _module_reads.Read], states: Dict[int, _module_reads.State],
        arguments: Sequence[Any], has_made_variables: bool,
    ) -> None:  # fmt: skip
        """Traces again when something that was read while tracing is otherwise: a value from outside, or in an argument
        that the trace has as it is, is another object, or a module has another attribute, list or dict."""
        self._captures.take(before, arguments, has_made_variables)
        watches = _module_reads.add_reader(self, reads)
        self._watches.update(watches)
        self._watches.update(((place, ""), state) for place, state in states.items())
        if (watches or states) and type(self) is Function:
            self.__class__ = _WatchingFunction

    def _check_watches(self) -> None:
        """Forgets the traces if what they have seen is not as it was."""
        with self._turns.turn():
            if self._forget_changed():
                return
            for key, watch in list(self._watches.items()):
                if not watch.holds():
                    self._forget_traces()
                    return
                if not watch.is_needed:
                    self._watches.pop(key, None)

    def _forget_cases(self) -> None:
        self._clear_cases()
        self._cases.clear()
        self._calls.clear()
        self._watched.clear()

    def _watch(self, store: Store) -> None:
        """Forgets the cases when the store goes: their entries would keep its values. Calls make them again."""
        own = weakref.ref(self)

        def forget(_: Any) -> None:
            function = own()
            if function is not None:
                function._forget_cases()

        if id(store) not in self._watched:
            self._watched[id(store)] = weakref.ref(store, forget)

    # Looking inside

    @property
    def is_traced(self) -> bool:
        """True if `trace` needs no arguments: there is a signature, or was a call."""
        return self._specs is not None or bool(self._traces) or not self._signature.parameters

    def trace(self, *args: Any, **kwargs: Any) -> Traced:
        """The function as it is traced for these arguments, of which tensors may be given
        as `spec`s; without any, for those of the signature or of the call that was traced last, for all sizes if there
        is such a program for its dtypes."""
        if not args and not kwargs and self._signature.parameters:
            self._check_watches()
            if self._specs is not None:
                args = self._specs
            elif self._traces:
                return self._last_trace()
            else:
                raise ValueError(f"'{self.name}' was not called yet: give arguments, or flywheel.spec of them")
        return self._find(*self._bind(args, kwargs))[0]

    def _last_trace(self) -> Traced:
        """Returns what was traced last. Programs for single examples, or for sizes that the one for all sizes refuses,
        come after that one: it goes before them."""
        def kinds(traced: Traced) -> Any:
            tree, static = traced._arguments
            given = tuple(one.value if isinstance(one, Static) else one for one in static)
            return [(leaf.kind, leaf.dtype, len(leaf.dims)) for leaf in traced.leaves], identity((tree, given))

        known = list(reversed(self._traces.values()))
        alike = [one for one in known if kinds(one) == kinds(known[0])]
        general = [one for one in alike if any(not isinstance(d, int) for leaf in one.leaves for d in leaf.dims)]
        return (general or alike)[0]

    def mlir(self, *args: Any, **kwargs: Any) -> str:
        """The module as text; arguments as `trace` has them."""
        return str(self.trace(*args, **kwargs).module)

    def stage(self, name: str, *args: Any, **kwargs: Any) -> str:
        """The module after a stage of the compiler, one of `flywheel.stages()`."""
        return str(_flywheel.lower(self.trace(*args, **kwargs).module, stop_after=name))

    def picture(self, *args: Any, stage: Optional[str] = None, **kwargs: Any) -> Picture:
        """The ops as a graph, for notebooks: as they were traced, or after a stage of the compiler. Raises ValueError
        for a stage after which the function does not exist."""
        text = self.mlir(*args, **kwargs) if stage is None else self.stage(stage, *args, **kwargs)
        return picture(text, self.trace(*args, **kwargs).entry_name)

    def cost(self, *args: Any, bindings: Optional[Mapping[str, int]] = None, **kwargs: Any) -> Dict[str, Any]:
        """Returns the cost of a call: see `flywheel.cost`."""
        return count_cost(self.trace(*args, **kwargs).module, bindings=bindings)

    def profile(self, *args: Any, calls: int = 10, **kwargs: Any) -> Profile:
        """Measures the time of each kernel in calls with these arguments: print it, see docs/Guides/CostAndProfile.md.

            print(step.profile(images, labels))

        The calls work on copies of the variables, so that a step trains nothing: those of the current store have the
        values that they had. Compiles the function once more, with counters. Raises ValueError for less than one call.
        """
        if not isinstance(calls, (int, np.integer)) or isinstance(calls, bool) or calls < 1:
            raise ValueError(f"expected a number of calls of 1 or more, found {calls!r}")
        return profile_calls(*self._find(*self._bind(args, kwargs)), int(calls))

    def export(self, path: Path, *args: Any, model_name: Optional[str] = None, **options: Any) -> None:
        """Writes the function, as it is traced for these arguments, as an object file: `flywheel.export` has the
        options and the errors. The model is called as the function is, unless `model_name` says otherwise."""
        check_keywords(self._export, "export", options)
        name = self.entry_name if model_name is None else model_name
        self._export([self.trace(*args)], path, model_name=name, **options)


class _WatchingFunction(Function):
    """A function whose traces have read lists or dicts of modules: no compiled case sees a change of them."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not _trace._stack.traces:
            self._check_watches()
        return super().__call__(*args, **kwargs)


@overload
def function(
    function: Callable[..., Any],
    /,
    *,
    name: Optional[str] = None,
    signature: Optional[Sequence[Any]] = None,
    dynamic: Union[bool, str] = "auto",
    results: Optional[Sequence[str]] = None,
    threads: Optional[int] = None,
    winograd: bool = False,
    check_numerics: bool = False,
    target: Optional[str] = None,
    memory_budget: Union[int, str, None] = None,
    static: Union[str, int, Sequence[Union[str, int]]] = (),
) -> Function: ...


@overload
def function(
    *,
    name: Optional[str] = None,
    signature: Optional[Sequence[Any]] = None,
    dynamic: Union[bool, str] = "auto",
    results: Optional[Sequence[str]] = None,
    threads: Optional[int] = None,
    winograd: bool = False,
    check_numerics: bool = False,
    target: Optional[str] = None,
    memory_budget: Union[int, str, None] = None,
    static: Union[str, int, Sequence[Union[str, int]]] = (),
) -> Callable[[Callable[..., Any]], Function]: ...


@shows_keywords(Function.__init__, skip=2)
def function(function: Optional[Callable[..., Any]] = None, /, **options: Any) -> Any:
    """Makes a traced function of a Python function: a decorator.

        @flywheel.function
        def step(image, label):
            loss = ...
            optimizer.minimize(loss)
            return loss

    A call with arguments of new types runs the Python once, on tensors that have no
    elements yet; what it does to them, and to variables, becomes a compiled entry, which
    this and later calls run on the values of the current store. Reads and assignments of
    variables happen in the order of the program. Whatever else the Python does, such as
    printing, happens while tracing only.

    Arguments are arrays (NumPy's, or anything with DLPack or the buffer protocol), Python
    numbers (fed as float32, int32, bool), or tuples, lists, dicts and data classes of them. Others, such
    as strings, are constants of the trace, and must be hashable; so are the parameters that
    `static` names, or numbers, whatever they are: `static="training"` for one that an `if`
    of Python asks. A parameter that is not given has its default, as it is. Results are
    arrays, in the form that the function returns. The function is traced again when
    something that its code reads from outside is another object or number: a global name, a
    closure, an attribute or an item, also of what it hands to other functions.

    `signature` lists a `spec` for each argument; what is fed must fit, and nothing is
    traced twice. Without it, sizes are static, until a call comes with another size of
    leading dimensions: then these are the call's choice, and no call compiles again for
    them; unless what the function does needs to know a size, and each has a program of its
    own. So has 1, which is broadcast and squeezed, and what the program for all sizes refuses:
    a call does the same whichever calls came before. With `dynamic` True all sizes are chosen
    by calls from the start, unless a result has a size that is computed from them, which is warned of; with False every
    size has code of its own. `results` names
    results, for C and `mlir`.
    `threads` is how many threads may execute a step, as in `compile`: by default as many as
    there are processors. With `winograd` convolutions of 3 x 3 may be computed by Winograd's
    method, as in `compile`; `memory_budget` bounds the workspace of a step in bytes, as there,
    where no size that a call chooses exceeds 1024. With `check_numerics` a call fails at
    the first op whose result has a NaN or an infinity, with an InvalidArgumentError that
    names it and the line of Python; variables keep their values. That is slow, and for
    finding an error. `target` is what executes a step, as in `compile`: by default the
    CPU, or what the block of `device` says that the function is made in.

    Called in another traced function, it is a part of that.
    """
    check_keywords(Function.__init__, "flywheel.function", options, skip=2)
    if function is None:
        return lambda decorated: Function(decorated, **options)
    return Function(function, **options)
