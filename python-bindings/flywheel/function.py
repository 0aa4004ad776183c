# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traced functions: Python that becomes a compiled entry."""

import collections.abc
import dataclasses
import functools
import re
import weakref
from typing import (
    Any,
    Callable,
    Dict,
    FrozenSet,
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

from . import _dtypes, _flywheel, _reads, _trace, _tree
from ._arguments import Dims, Leaf, TensorSpec, as_array, describe, feed, format_shape_of, spec
from ._captures import Captures
from ._compilation import current_target
from ._definition import Definition
from ._hints import check_keywords
from ._identity import identity
from ._options import StepOptions, check_kinds, check_names
from ._tensor import Tensor
from ._traced import FED, Static, Traced
from ._types import Path
from .pictures import Picture, picture
from .profile import Profile, profile_calls
from .store import Store, current_store

__all__ = ["Function", "TensorSpec", "function", "spec"]


# The forms of calls that a function keeps entries of: each batch size is one.
_MOST_CALLS = 64
# Static arguments whose values are a part of such a form.
_STATIC_KINDS = (bool, int, float, str, type(None))
# The numbers of a call in the message of a check, but not those of a line and a column.
_NUMBERS = re.compile(r"(?<![\w:.])-?\d+")


class _Bound:
    """The function of an object, among its attributes. A copy or a pickle of the attributes belongs to no object."""

    def __init__(self, instance: Any = None, function: "Optional[Function]" = None, unbound: Any = None):
        self._instance, self._function, self._unbound = instance, function, unbound

    def of(self, instance: Any, unbound: "Function") -> "Optional[Function]":
        """The function, if it is this object's, of what the class has now."""
        return self._function if self._instance is instance and self._unbound is unbound else None

    def __reduce__(self) -> Any:
        return _Bound, ()


class Function(_flywheel.Dispatcher):
    """A Python function that is traced when it is called with arguments of new types,
    compiled, and then runs without Python; see `function`."""

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
        memory_budget: Optional[int] = None,
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
        self._specs = None if signature is None else self._check_specs(signature)
        # True if the signature has float64.
        is_wide = any(getattr(leaf, "dtype", None) == _dtypes.float64 for leaf in _tree.flatten(self._specs)[0])
        self._definition = Definition(function, name, results, options, is_wide)
        self._signature = self._definition.signature
        self._static = self._positions(static)
        self._dynamic = dynamic
        self._traces: Dict[Tuple[Hashable, Hashable], Traced] = {}
        # The traces and stores that have a case.
        self._cases: Set[Tuple[int, int]] = set()
        # The entries of calls with modules among the arguments, which no case is for: see `_form_of`.
        self._calls: Dict[Hashable, Tuple[Any, List[int], Optional[Callable[[Any], Any]]]] = {}
        # The stores of cases, by id: the cases of one that is collected are dropped.
        self._watched: Dict[int, weakref.ref[Store]] = {}
        # The keys of the traces for modules among the arguments: the traces of one that is collected are dropped.
        self._keys_of: Dict[int, Tuple[weakref.ref[Any], List[Tuple[Hashable, Hashable]]]] = {}
        # The sizes that were seen, where they may vary, by the form of the arguments.
        self._seen: Dict[Hashable, List[Dims]] = {}
        # The forms that the compiler does not take with sizes that vary: each size is a program.
        self._fixed: Set[Hashable] = set()
        # The values from outside that traces have seen.
        self._captures = Captures(self)
        # The keys of calls that the program for all sizes refuses, and one for their sizes does not.
        self._specialized: Set[Tuple[Hashable, Hashable]] = set()
        # The messages, without numbers, of checks that a program for the sizes of a call has made, too: they are of
        # the data, and no other program takes that.
        self._checks_of_data: Set[str] = set()
        # The lists and dicts of modules that traces have read, by the id of the module and the attribute.
        self._watches: Dict[Tuple[int, str], _reads.Watch] = {}

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
            raise TypeError(f"'{type(instance).__name__}' has no place for what '{self.name}' is compiled to: add "
                            "'__dict__' to its __slots__")  # fmt: skip
        known = kept.get(f"<{id(self)}>")
        bound = known.of(instance, self) if known is not None else None
        if bound is None:
            bound = Function(
                functools.partial(self._function, instance), name=self.entry_name, signature=self._specs,
                dynamic=self._dynamic, results=self._definition.given_results,
                static=[p - 1 if isinstance(p, int) else p for p in self._static],
                **dataclasses.asdict(self.options),
            )  # fmt: skip
            kept[f"<{id(self)}>"] = _Bound(instance, bound, self)
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
            return self._function(*args, **kwargs)
        if not self._holds_captures():
            self._check_watches()
        # A signature converts arguments, which entries of calls do not.
        form = None if kwargs or self._specs is not None else _form_of(args, self._static)
        known = None if form is None else self._calls.get(form)
        if known is not None:
            entry, places, unpack = known
            result = entry(*[args[place] for place in places])
            return result if unpack is None else unpack(result)
        bound = self._bind(args, kwargs)
        traced, values = self._find(*bound)
        store = traced.find_store()
        entry = traced.entry(store)
        feeds = [feed(value, leaf) for value, leaf in zip(values, traced.leaves)]
        refusal, result = None, None
        try:
            result = entry(*feeds)
        except _flywheel.InvalidArgumentError as error:
            refusal = str(error)
            if not self._may_specialize(traced) or _NUMBERS.sub("#", refusal) in self._checks_of_data:
                raise
        if refusal is not None:
            traced, result = self._call_for_sizes(*bound, refusal)
            entry = traced.entry(store)
        if traced.home is not None or not any(traced is one for one in self._traces.values()):
            # The session may be another one at the next call. Or another thread has forgotten the trace meanwhile.
            return result if traced.unpack is None else traced.unpack(result)
        # Only a call that has compiled is worth a case: it is found here next time. A case that may be refused for its
        # sizes is called again, which a step that calls Python is not.
        kinds = "".join(map(self._kind_of, traced.leaves))
        is_flat = not kwargs and len(bound[0]) == len(args) == len(traced.leaves)
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
        return result if traced.unpack is None else traced.unpack(result)

    def _kind_of(self, leaf: Leaf) -> str:
        """Returns the kind of a leaf as cases have it."""
        return "v" if self._varies and any(not isinstance(d, int) for d in leaf.dims) else leaf.kind

    @property
    def _varies(self) -> bool:
        """True if the sizes that vary are those that differ between calls. Then 1 is not among them, as it does what
        no other size does: it is broadcast and squeezed."""
        return self._dynamic == "auto" and self._specs is None

    def _may_specialize(self, traced: Traced) -> bool:
        """Returns true if a program for all sizes has refused what one for these sizes may take, or refuse in other
        words. A step that calls Python is not called again."""
        dims = [dim for leaf in traced.leaves for dim in leaf.dims]
        return self._varies and not all(isinstance(dim, int) for dim in dims) and not len(traced.host_functions)

    def _call_for_sizes(
        self, args: Tuple[Any, ...], kwargs: Mapping[str, Any], refusal: str
    ) -> Tuple[Traced, Any]:
        """Calls a program for the sizes of these arguments, as the first call of a function does. Later calls with
        these sizes have it if it does not fail. If it fails with the message `refusal`, as the program for all sizes
        did, no call compiles another one for that check."""
        traced, values = self._find(args, kwargs, is_for_sizes=True)
        try:
            return traced, traced.entry(traced.find_store())(*[feed(v, leaf) for v, leaf in zip(values, traced.leaves)])
        except Exception as error:
            if isinstance(error, _flywheel.InvalidArgumentError) and str(error) == refusal:
                self._checks_of_data.add(_NUMBERS.sub("#", refusal))
            key = next((key for key, one in self._traces.items() if one is traced), None)
            if key is not None:
                self._traces.pop(key, None)
                self._specialized.discard(key)
            raise

    def _bind(self, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Tuple[Tuple[Any, ...], Dict[str, Any]]:
        if not kwargs and len(args) == len(self._signature.parameters):
            return args, kwargs
        # Defaults are none of the arguments: the function has them as they are.
        bound = self._signature.bind(*args, **kwargs)
        return bound.args, bound.kwargs

    def _check_specs(self, signature: Sequence[Any]) -> Tuple[Any, ...]:
        """Returns the arguments of a signature. Raises TypeError for other values."""
        if isinstance(signature, (str, bytes)) or not isinstance(signature, collections.abc.Iterable):
            raise TypeError(f"expected a list of flywheel.spec as signature, found {signature!r}")
        return tuple(signature)

    def _positions(self, static: Union[str, int, Sequence[Union[str, int]]]) -> FrozenSet[Union[str, int]]:
        """Returns names of parameters, or their numbers, as both. Raises ValueError for an unknown one."""
        names = list(self._signature.parameters)
        found: Set[Union[str, int]] = set()
        if not isinstance(static, (str, int, collections.abc.Iterable)):
            raise TypeError(f"expected names of parameters, or their numbers, as static, found {static!r}")
        for one in [static] if isinstance(static, (str, int)) else static:
            if isinstance(one, bool) or not isinstance(one, (str, int)):
                raise TypeError(f"expected names of parameters, or their numbers, as static, found {one!r}")
            if one not in names if isinstance(one, str) else not -len(names) <= one < len(names):
                own = getattr(self._function, "__qualname__", repr(self._function))
                there = f"only {', '.join(names)}" if names else "and no other one"
                raise ValueError(f"'{own}' has no parameter {one!r} to be static, {there}")
            place = names.index(one) if isinstance(one, str) else one % len(names)
            found |= {place, names[place]}
        return frozenset(found)

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
        self._check_watches()
        given, tree = _tree.flatten(self._hide_static(args, kwargs))
        if self._specs is not None:
            given = self._convert_by_spec(given)
        given = [as_array(value) for value in given]
        leaves: List[Leaf] = []
        values: List[Any] = []
        static: List[Any] = []
        for value in given:
            leaf = describe(value)
            if leaf is None:
                if isinstance(value, Tensor):
                    raise ValueError("a tensor of a finished trace is no argument: return it from its function")
                static.append(value)
            else:
                leaves.append(leaf)
                values.append(value)
                static.append(FED)
        try:
            seen = tuple(identity(value.value if isinstance(value, Static) else value) for value in static)
            ranks = tuple((leaf.kind, leaf.dtype, len(leaf.dims), self._varies and leaf.dims[:1] == (1,))
                          for leaf in leaves)  # fmt: skip
            form = (identity(tree), seen, ranks)
            hash(form)
        except TypeError:
            plain = [value.value if isinstance(value, Static) else value for value in static]
            kinds = sorted({type(value).__name__ for value in plain if not _is_hashable(value)})
            raise TypeError(
                f"an argument of '{self.name}' is neither an array, a number nor hashable: {', '.join(kinds)}"
            ) from None
        key = (form, tuple(leaf.dims for leaf in leaves))
        if is_for_sizes or key in self._specialized:
            general = leaves
        else:
            general = self._generalize(form, leaves)
            key = (form, tuple(leaf.dims for leaf in general))
        found = self._traces.get(key)
        if found is None and self._dynamic == "auto" and self._specs is None and general != leaves:
            found = self._trace_for_all_sizes(key, general, tree, tuple(static))
            if found is None:
                self._fixed.add(form)
                general, key = leaves, (form, tuple(leaf.dims for leaf in leaves))
                found = self._traces.get(key)
        if found is None:
            self._refuse_objects(tree, tuple(static), leaves, values)
            found = self._traces[key] = Traced(self, general, tree, tuple(static))
        if is_for_sizes:
            self._specialized.add(key)
        self._watch_modules(tree, key)
        return found, values

    def _watch_modules(self, tree: Any, key: Tuple[Hashable, Hashable]) -> None:
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
                        function._specialized.discard(key)
                        function._seen.pop(key[0], None)
                        function._fixed.discard(key[0])
                    # They have the module by its address.
                    function._calls.clear()
                    function._captures.drop_unread()

                self._keys_of[place] = weakref.ref(whole, forget), []
            if key not in self._keys_of[place][1]:
                self._keys_of[place][1].append(key)

    def _refuse_objects(
        self, tree: Any, static: Tuple[Any, ...], leaves: Sequence[Leaf], values: Sequence[Any]
    ) -> None:
        """NumPy makes arrays of objects of anything: those that are traced as strings hold nothing else."""
        for name, leaf, value in zip(
            self._definition.feed_names(tree, [value is FED for value in static]), leaves, values
        ):  # fmt: skip
            if leaf.dtype != _dtypes.string or not isinstance(value, np.ndarray) or value.dtype != object:
                continue
            odd = {type(one).__name__ for one in value.reshape(-1) if not isinstance(one, (str, bytes))}
            if odd:
                raise TypeError(f"'{self.name}' takes an array of numbers or of strings as '{name}', found one of "
                                f"objects: {', '.join(sorted(odd))}")  # fmt: skip

    def _trace_for_all_sizes(
        self, key: Tuple[Hashable, Hashable], leaves: List[Leaf], tree: Any, static: Tuple[Any, ...]
    ) -> Optional[Traced]:
        """One program for all sizes, which takes the place of those for one. None where what the function
        does needs a size that is known, such as a loop of Python over rows."""
        try:
            found = Traced(self, leaves, tree, static)
            found.program  # noqa: B018  # Raises if it does not compile.
        except Exception:
            return None
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
        self._traces.clear()
        self._checks_of_data.clear()
        self._watches.clear()
        self._captures.forget()
        self._forget_cases()

    def _forget_stale(self) -> bool:
        """Forgets the traces if the next call would trace anew, as something from outside is another object now.
        Returns true if it has."""
        changed = self._captures.changed() if self._traces else []
        if not changed:
            return False
        self._captures.warn_of(changed)
        self._forget_traces()
        return True

    def _watch_seen(self, reads: Dict[int, _reads.Read], arguments: Sequence[Any]) -> None:
        """Traces again when something that was read while tracing is otherwise: a value from outside, or in an argument
        that the trace has as it is, is another object, or a module has another attribute, list or dict."""
        self._captures.take(arguments)
        watches = _reads.add_reader(self, reads)
        self._watches.update(watches)
        if watches and type(self) is Function:
            self.__class__ = _WatchingFunction

    def _check_watches(self) -> None:
        """Forgets the traces if what they have seen is not as it was."""
        if self._forget_stale():
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

    def _convert_by_spec(self, given: List[Any]) -> List[Any]:
        wanted = _tree.flatten(self._specs)[0]
        if len(wanted) != len(given):
            raise TypeError(f"'{self.name}' has a signature of {len(wanted)} tensors, found {len(given)} arguments "
                            "(each element of a list is one: np.array(x) makes an array of it)")  # fmt: skip
        converted = []
        for value, one in zip(given, wanted):
            if isinstance(value, TensorSpec):
                converted.append(one)
                continue
            value = as_array(value)
            if not isinstance(value, (np.ndarray, np.generic)):
                value = _dtypes.literal(value, one.dtype)
            if _dtypes.as_dtype(value.dtype) != one.dtype:
                raise TypeError(
                    f"'{self.name}' takes {one.dtype}{format_shape_of(one)}, found an array of {value.dtype}"
                )
            if len(value.shape) != len(one.shape) or any(
                isinstance(d, int) and d != n for d, n in zip(one.shape, value.shape)
            ):
                raise ValueError(f"Cannot feed value of shape {value.shape} to '{self.name}', which takes "
                                 f"{format_shape_of(one)}")  # fmt: skip
            converted.append(value)
        return converted

    def _generalize(self, form: Hashable, leaves: List[Leaf]) -> List[Leaf]:
        """Leading dimensions that differ between calls are ones that a call chooses: the
        second size of the batch is the last that makes a trace."""
        if self._specs is not None:
            wanted = _tree.flatten(self._specs)[0]
            return [Leaf("a", one.dtype, one.shape) for one in wanted]
        if self._dynamic is False or form in self._fixed:
            return leaves
        dims = [leaf.dims for leaf in leaves]
        seen = self._seen.get(form)
        if self._dynamic is True:
            varying = {i for i, leaf in enumerate(leaves) if leaf.dims and leaf.kind == "a"}
        elif seen is None:
            self._seen[form] = dims
            return leaves
        else:
            varying = {
                i
                for i, (old, new) in enumerate(zip(seen, dims))
                if new and old and (old[0] is None or old[0] != new[0])
            }
            if all(old[1:] == new[1:] for old, new in zip(seen, dims)):
                self._seen[form] = [(None, *d[1:]) if i in varying else d for i, d in enumerate(dims)]
            else:
                # Another shape altogether.
                self._seen[form] = dims
                return leaves
        sizes = {dims[i][0] for i in varying}
        # One size of all is one number, the batch; several are each their own.
        name = "batch" if len(sizes) == 1 and None not in sizes else None
        if self._dynamic == "auto":
            name = self._batch_name(form, varying, name)
        return [
            leaf._replace(dims=(name, *leaf.dims[1:])) if i in varying else leaf for i, leaf in enumerate(leaves)
        ]

    def _batch_name(self, form: Hashable, varying: "set[int]", name: Optional[str]) -> Optional[str]:
        """Once sizes were not one number, they are not taken for one again."""
        key = ("batch", form, tuple(sorted(varying)))
        if name is None:
            self._seen[key] = []
        return None if key in self._seen else name

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
        from . import cost

        return cost(self.trace(*args, **kwargs).module, bindings=bindings)

    def profile(self, *args: Any, calls: int = 10, **kwargs: Any) -> Profile:
        """Measures the time of each kernel in calls with these arguments: print it, see docs/Profiling.md.

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
        from ._exporting import export

        check_keywords(export, "export", options)
        export([self.trace(*args)], path, model_name=self.entry_name if model_name is None else model_name, **options)


class _WatchingFunction(Function):
    """A function whose traces have read lists or dicts of modules: no compiled case sees a change of them."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not _trace._stack.traces:
            self._check_watches()
        return super().__call__(*args, **kwargs)


def _form_of(args: Tuple[Any, ...], static: FrozenSet[Union[str, int]]) -> Optional[Hashable]:
    """Returns what an entry of a call with modules depends on: the store, the modules by address, the types of dense
    arrays and numbers, and the values of static arguments that are numbers or strings. Returns None without a module,
    and for other arguments."""
    form: List[Hashable] = [id(current_store())]
    has_module = False
    for place, arg in enumerate(args):
        kind = type(arg)
        if place in static:
            if kind not in _STATIC_KINDS:
                return None
            form.append(identity(arg))
        elif kind is np.ndarray:
            flags = arg.flags
            if not (flags.c_contiguous and flags.aligned and arg.dtype.isnative):
                return None
            form += [arg.dtype, arg.shape]
        elif kind is float or kind is int or kind is bool:
            form.append(kind.__name__)
        elif isinstance(arg, _tree.Whole):
            form.append(id(arg))
            has_module = True
        else:
            return None
    return tuple(form) if has_module else None


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


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
    memory_budget: Optional[int] = None,
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
    memory_budget: Optional[int] = None,
    static: Union[str, int, Sequence[Union[str, int]]] = (),
) -> Callable[[Callable[..., Any]], Function]: ...


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
    numbers (fed as float32, int32, bool), or tuples, lists and dicts of them. Others, such
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
    by calls from the start, with False every size has code of its own. `results` names
    results, for C and `mlir`. `threads` is how many threads
    may execute a step. With `winograd` convolutions of 3 x 3 may be computed by Winograd's
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
