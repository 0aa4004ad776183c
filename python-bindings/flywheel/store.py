# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stores, which hold the values of variables."""

import os
import re
import threading
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Set, Tuple, Union
from weakref import ReferenceType, WeakKeyDictionary, ref

import numpy as np

from . import _flywheel
from ._core import trace as _trace
from ._core.annotations import Array, Path
from ._errors.messages import wrong
from ._flywheel import CheckpointManager, NotFoundError, Session
from .namespace import Name, Namespace, Streams, current_namespace

Names = Union[Sequence[Any], Mapping[str, Any], None]
_READ_OUTSIDE = "the variable itself, or its value from before the call, as an argument"


def is_stream(name: str) -> bool:
    """Returns true if a variable that the compiler has added is the position of a random op in its stream."""
    return re.fullmatch(r"random(_\d+)?", name) is not None


class Owners:
    """The owners of the variables of a program: of those that were traced, and of those that the compiler has added for
    optimizers, averages and random streams, which live as long as their owners."""

    def __init__(self, variables: Mapping[str, Any], owners: Iterable[Name], streams: Optional[Name] = None) -> None:
        self.variables = dict(variables)
        self._owners = {owner.text: owner for owner in owners}
        # Streams of random numbers are the function's own.
        self._streams = streams

    @property
    def objects(self) -> List[Name]:
        """All that variables of the program may go with."""
        own = [variable._name for variable in self.variables.values()]
        streams = [] if self._streams is None else [self._streams]
        return [*own, *[one.owner for one in own], *self._owners.values(), *streams]

    def has_stream(self, name: str) -> bool:
        """Returns true if a variable of the program is the position of a random op in its stream."""
        return name not in self.variables and is_stream(name.rpartition("/")[2])

    def find(self, name: str) -> Tuple[Name, ...]:
        """The objects that a variable of the program goes with."""
        if name in self.variables:
            return (self.variables[name]._name.owner,)
        if self._streams is not None:
            path = f"{self._streams.text}/"
            if name.startswith(path) and is_stream(name[len(path) :]):
                return (self._streams,)
        found: List[Name] = []
        rest = name
        for length in [i for i, c in enumerate(name) if c == "/"][::-1]:
            if name[:length] in self.variables:
                found, rest = [self.variables[name[:length]]._name], name[length + 1 :]
                break
        # `Adam_1/micro_step`, `w/Adam_1/slot`, `w/Adam/master`: what is in the folder of an owner.
        for length in [i for i, c in enumerate(rest) if c == "/"][::-1]:
            if rest[:length] in self._owners:
                return (*found, self._owners[rest[:length]])
        # `w/Adam`, `w/Adam_1`: slots, the second of which is none of the optimizer Adam_1, whose are in its folder.
        owner = self._owners.get(re.sub(r"_\d+$", "", rest)) or self._owners.get(rest)
        return (*found, owner) if owner is not None else tuple(found)


class Store(_flywheel.Store):
    """The values of variables.

    Calls of traced functions work on the values of the current store, which is a
    default one; `with store:` makes another the current one in this thread. Functions
    that are compiled apart share their variables here: a value that another
    function wrote last is copied when it is needed, and one function that is called
    again and again copies nothing. A value goes with its variable; one that was restored
    waits for the variable of its name. Names are those of the current namespace: another
    one may use the same.

    With `initializes` (the default) a variable gets its initial value when it is first
    needed; without, that is an error. `seed` is that of all random numbers.
    """

    def __init__(self, seed: int = 0, initializes: bool = True):
        _trace.check_creation("a store", "flywheel.Store()")
        if not isinstance(initializes, bool):
            raise wrong(TypeError, "True or False", repr(initializes), "initializes")
        super().__init__(initializes)
        self.seed = seed
        self._lock = threading.RLock()
        # The suffixes of the keys of all but the first namespace.
        self._suffixes: WeakKeyDictionary[Namespace, str] = WeakKeyDictionary()
        self._num_namespaces = 0
        # The objects that own the value of each key; and the keys whose owners are gone.
        self._holders: Dict[str, Tuple[ReferenceType[Name], ...]] = {}
        self._dead: List[str] = []
        # Draws seeds of what is drawn in Python.
        self._orders: Optional[np.random.Generator] = None
        # The keys of random streams, and of those whose functions are gone, but not the code that goes on with them.
        self._streams: Set[str] = set()
        self._streams_of: Dict[str, Streams] = {}
        self._left: Dict[str, Streams] = {}
        # The checkpoint of each value that was restored with all others, until a program that trains it has come.
        self._restored: Dict[str, str] = {}

    def __reduce_ex__(self, _: Any) -> Any:
        raise TypeError("stores are neither copied nor pickled: `store.save(path)` writes the values, and "
                        "`flywheel.Store().restore(path)` reads them into another store")  # fmt: skip

    def bind_program(
        self, program: _flywheel.Program, owners: Owners, session: Optional[Session] = None
    ) -> Any:
        """Returns an object that calls the entries of a program on these values; its holder has a session of the
        program, by default a new one."""
        return self.bind(Session(program) if session is None else session, self._keys(program, owners))

    def _keys(self, program: _flywheel.Program, owners: Owners) -> List[str]:
        """Returns the keys of the variables of a program."""
        names = [variable.name for variable in program.variables]
        keys = [self._key(name, owners.find(name)) for name in names]
        self._streams.update(key for name, key in zip(names, keys) if owners.has_stream(name))
        return keys

    def _new_slots(self, program: _flywheel.Program, owners: Owners) -> Dict[str, str]:
        """Returns the slots of a program, with the checkpoints that lack them, whose variables were restored with all
        others that their checkpoints have: an optimizer that the checkpoint does not know begins anew. Says so once."""
        if not self._restored:
            return {}
        names = [variable.name for variable in program.variables]
        keys = dict(zip(names, self._keys(program, owners)))
        slots = [(keys[one.name], one.name, keys.get(one.slot_of)) for one in program.variables if one.slot_of]
        found = {name: self._restored[of] for key, name, of in slots
                 if of in self._restored and not super(Store, self).__contains__(key)}  # fmt: skip
        for _, _, of in slots:
            self._restored.pop(of or "", None)
        return found

    # Keys: names, and for all but the first namespace a suffix.

    def _suffix(self, namespace: Namespace) -> str:
        with self._lock:
            known = self._suffixes.get(namespace)
            if known is None:
                # The suffix of a namespace that is gone is not used again: values that were restored for it may be
                # left.
                known = f":{self._num_namespaces}" if self._num_namespaces else ""
                self._num_namespaces += 1
                self._suffixes[namespace] = known
            return known

    def _key(self, name: str, holders: Tuple[Name, ...]) -> str:
        """Returns the key of the value that is called `name` and belongs to these objects. A value of that key whose
        objects are gone is forgotten; one that nobody has asked for yet, as it was restored, becomes theirs. Raises
        ValueError if other objects have it."""
        with self._lock:
            self._forget_dead()
            key = name + self._suffix(holders[0].namespace if holders else current_namespace())
            left = self._left.pop(key, None)
            if left is not None and (left.code is None or left.code is not _code_of(holders)):
                self._forget([key])
            known = self._holders.get(key)
            if known is not None and len(known) == len(holders) and all(
                reference() is holder for reference, holder in zip(known, holders)
            ):
                return key
            if known and any(_is_gone(reference) for reference in known):
                # They went in this moment.
                self._forget([key])
            elif known:
                others = [ref(holder) for holder in holders]
                raise ValueError(f"two variables want the name '{name}': one is of {_describe(known)}, the other one "
                                 f"of {_describe(others)}; name one of them otherwise")  # fmt: skip
            dead = self._dead
            self._holders[key] = tuple(ref(holder, lambda _: dead.append(key)) for holder in holders)
            if len(holders) == 1 and is_stream(name.rpartition("/")[2]):
                self._streams_of[key] = holders[0].streams
            return key

    def _forget(self, names: Sequence[str]) -> None:
        for key in names:
            self._restored.pop(key, None)
            self._streams.discard(key)
        super()._forget(names)

    def _forget_dead(self) -> None:
        while self._dead:
            key = self._dead.pop()
            if any(_is_gone(holder) for holder in self._holders.get(key, ())):
                del self._holders[key]
                streams = self._streams_of.pop(key, None)
                if streams is not None and streams.code is not None:
                    self._left[key] = streams
                else:
                    self._forget([key])
        for key in [key for key, streams in self._left.items() if streams.code is None]:
            del self._left[key]
            self._forget([key])

    def _restart_streams(self) -> None:
        """Has each random stream begin again, from the seed of the store."""
        with self._lock:
            self._forget_dead()
            super()._restart([key for key in self._streams if super(Store, self).__contains__(key)])
            self._orders = None

    def _draw_seed(self) -> int:
        """Returns a seed for what is drawn in Python, such as an order of rows: another one each time."""
        with self._lock:
            if self._orders is None:
                self._orders = np.random.default_rng(self.seed)
            return int(self._orders.integers(2**63))

    def _find(self, name: str) -> str:
        """Returns the key of a name of the current namespace. Raises TypeError for a value that is not a name."""
        if not isinstance(name, str):
            raise TypeError(f"expected the name of a variable, a str, found {type(name).__name__}")
        with self._lock:
            self._forget_dead()
            return name + self._suffix(current_namespace())

    def _declare(self, name: Name, dtype: str, shape: List[int], is_global: bool) -> str:
        """Adds a variable without a value, unless the store has it. Returns its key."""
        key = self._key(name.text, (name.owner,))
        if not super().__contains__(key):
            super().declare(key, dtype, shape, is_global)
        return key

    def _knows(self, name: Name) -> bool:
        """Returns true if a variable of this name was declared or restored."""
        with self._lock:
            text = name.text
            self._forget_dead()
            return super().__contains__(text + self._suffix(name.namespace))

    def _has_value(self, key: str) -> bool:
        return super().is_initialized(key)

    def _save_values(self, path: Path, namespaces: Iterable[Namespace]) -> bool:
        """Writes the variables of these namespaces that `save` writes by default and that have a value. Returns true if
        it wrote one."""
        found: Dict[str, str] = {}
        for namespace in namespaces:
            with namespace:
                keys = {name: self._find(name) for name in self.names}
            found.update({name: key for name, key in keys.items() if self._has_value(key) and self.is_global(key)})
        if found:
            super().save(path, found)
        return bool(found)

    def _values_of(self, programs: Sequence[Owners], more: Iterable[str] = ()) -> Dict[str, str]:
        """Returns the keys, by name, of variables with a value that programs may have, and that are GLOBAL or among
        `more`: those that belong to the programs' objects, and those that were restored and wait for an object."""
        objects = {one for owners in programs for one in owners.objects}
        wanted, owned, waiting = set(more), {}, {}
        for namespace in dict.fromkeys(one.namespace for one in objects):
            with namespace:
                keys = {name: self._find(name) for name in self.names}
            for name, key in keys.items():
                holders = self._holders.get(key)
                if not self._has_value(key) or not (name in wanted or self.is_global(key)):
                    continue
                if holders is None:
                    waiting[name] = key
                elif all(holder() in objects for holder in holders):
                    owned[name] = key
        return {**waiting, **owned}

    def _save_keys(self, path: Path, keys: Mapping[str, str]) -> None:
        super().save(path, dict(keys))

    def _restore_keys(self, path: Path, keys: Mapping[str, str]) -> None:
        super().restore(path, dict(keys))

    def _set(self, key: str, value: Any) -> None:
        super().__setitem__(key, value)

    def _take(self, key: str) -> Optional[Array]:
        """Removes a variable, which may be declared anew with another dtype. Its value, if it has one."""
        value = super().__getitem__(key) if self._has_value(key) else None
        self._forget([key])
        return value

    # By name

    def __getitem__(self, name: str) -> Array:
        _trace.refuse_values(f"the value of variable '{name}'", _READ_OUTSIDE)
        return super().__getitem__(self._find(name))

    def __setitem__(self, name: str, value: Any) -> None:
        _trace.refuse_actions("setting a value of a store")
        super().__setitem__(self._find(name), value)

    def __contains__(self, name: str) -> bool:
        return super().__contains__(self._find(name))

    @property
    def names(self) -> List[str]:
        """The names of the variables, those of the current namespace."""
        with self._lock:
            self._forget_dead()
            suffix = self._suffix(current_namespace())
        keys = super().names
        return [key.removesuffix(suffix) for key in keys if key.endswith(suffix) and (suffix or ":" not in key)]

    def is_initialized(self, name: str) -> bool:
        """Returns true if a variable has a value."""
        _trace.refuse_values(f"whether variable '{name}' has a value", _READ_OUTSIDE)
        return super().is_initialized(self._find(name))

    def reset(self, names: Sequence[str]) -> None:
        """Takes the values of these variables away."""
        _trace.refuse_actions("resetting values")
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise wrong(TypeError, "a list of names", type(names).__name__, "names")
        super().reset([self._find(name) for name in names])

    def _select(self, variables: Names, is_restored: bool = False) -> Any:
        """Returns the variables to save or restore, in the form that C++ takes."""
        if isinstance(variables, str):
            raise ValueError(f"expected a list of variables or names, found the str '{variables}'")
        if isinstance(variables, Mapping):
            return {key: self._key_of(variable) for key, variable in variables.items()}
        if variables is not None:
            pairs = [(_name(variable), self._key_of(variable)) for variable in _listed(variables)]
            return [key for _, key in pairs] if all(name == key for name, key in pairs) else dict(pairs)
        suffix = self._suffix(current_namespace())
        if is_restored or self._num_namespaces < 2:
            return None
        return {name: name + suffix for name in self.names if self.is_global(name + suffix)}

    def _key_of(self, variable: Any) -> str:
        return self._find(variable) if isinstance(variable, str) else str(variable._declare_value(self))

    def save(
        self, path: Path, variables: Names = None, *, metadata: Optional[Dict[str, str]] = None, model: str = "model"
    ) -> None:
        """Writes values to a checkpoint (safetensors).

        `variables`: None for all GLOBAL ones, variables or names, or a dict from keys
        in the file to them. Slots, counters and the places of random streams are
        variables as well, so that training goes on from there bit by bit where the same
        programs compute: a function that has seen one size of batch only has one for that
        size, which may round otherwise than the one for all sizes; a signature with a
        dimension of no size chooses the latter from the beginning. Raises
        FailedPreconditionError for a variable without a value, NotFoundError, OSError.
        """
        _trace.refuse_actions("saving values")
        if path is None:
            raise TypeError("expected a path to save to, found None")
        self._provide(variables)
        super().save(path, self._select(variables), metadata=metadata, model=model)

    def restore(  # type: ignore[override]
        self, path: Optional[Path], variables: Names = None, *, reshape: bool = False
    ) -> None:
        """Reads values from a checkpoint, after which these variables need no initial
        ones; see `save`. Raises NotFoundError for a missing file or key,
        InvalidArgumentError for another dtype or shape, DataLossError; nothing has
        changed then. A step that comes later and has slots that the file lacks, though it
        has more than was asked for, as of another optimizer, begins with new ones, with a
        warning; not where `variables` are given."""
        _trace.refuse_actions("restoring values")
        self._declare_all()
        try:
            super().restore(path, self._select(variables, True), reshape=reshape,
                            suffix=self._suffix(current_namespace()))  # fmt: skip
        except NotFoundError as error:
            raise NotFoundError(f"{error}{_explain_missing(variables)}") from None
        self._note_restored(path, variables)

    def restore_latest(  # type: ignore[override]
        self, directory: Path, variables: Names = None, *, reshape: bool = False, state_file: str = "checkpoint"
    ) -> bool:
        """Restores the latest checkpoint of a directory; whether there is one."""
        _trace.refuse_actions("restoring values")
        self._declare_all()
        is_found = super().restore_latest(directory, self._select(variables, True), reshape=reshape,
                                          state_file=state_file, suffix=self._suffix(current_namespace()))  # fmt: skip
        if is_found:
            self._note_restored(directory, variables)
        return is_found

    def _note_restored(self, path: Optional[Path], variables: Names) -> None:
        keys = [] if variables is not None else [self._find(name) for name in self.names]
        # A file of what the program has asked for so far, as from before the first step, is not of another optimizer.
        if any(key not in self._holders for key in keys):
            self._restored.update({key: os.fsdecode(path or "") for key in keys if self._has_value(key)})

    def save_step(
        self, manager: CheckpointManager, prefix: Path, step: Optional[int] = None, variables: Names = None
    ) -> str:
        """Writes PREFIX-STEP by a manager, which keeps the newest ones; returns that
        path."""
        _trace.refuse_actions("saving values")
        if not isinstance(manager, CheckpointManager):
            raise wrong(TypeError, "a flywheel.CheckpointManager", type(manager).__name__, "manager",
                        hint=': write save_step(flywheel.CheckpointManager(), "model", step)')  # fmt: skip
        if step is not None and (isinstance(step, bool) or not hasattr(step, "__index__")):
            raise wrong(TypeError, "an integer or None", type(step).__name__, "step")
        self._provide(variables)
        return manager.save(self, prefix, step, self._select(variables))

    def value(self, variable: Any) -> Array:
        """A copy of the value of a variable, initialised now if it has none and the
        store initialises."""
        _trace.refuse_values(f"the value of variable '{_name(variable)}'", _READ_OUTSIDE)
        key = self._key_of(variable)
        if not isinstance(variable, str) and self.initializes and not self._has_value(key):
            self.initialize([variable])
        return super().__getitem__(key)

    def initialize(self, variables: Optional[Sequence[Any]] = None) -> None:
        """Gives variables, by default all GLOBAL ones of the namespace, their initial
        values, whether they have others or not. The random stream of a variable depends
        on the seed, its name and how often it was initialised before."""
        _trace.refuse_actions("initialising variables")
        if variables is None:
            variables = current_namespace().collection("GLOBAL")
        listed = _listed(variables)
        odd = next((one for one in listed if not hasattr(one, "_declare_value")), None)
        if odd is not None:
            raise wrong(TypeError, "a list of variables", f"a {type(odd).__name__} in it", "variables")
        if listed:
            listed[0]._initialize_in(self, listed)

    def _declare_all(self) -> None:
        for variable in list(current_namespace().variables.values()):
            variable._declare_value(self)

    def _provide(self, variables: Names) -> None:
        """Initialises what is to be saved and has no value yet."""
        self._declare_all()
        if not self.initializes:
            return
        named = variables.values() if isinstance(variables, Mapping) else None
        listed = () if variables is None else _listed(variables) if named is None else named
        wanted = {_name(variable) for variable in listed}
        missing = [
            variable
            for name, variable in current_namespace().variables.items()
            if (variable.is_global if variables is None else name in wanted)
            and not self._has_value(variable._declare_value(self))
        ]
        if missing:
            self.initialize(missing)


class FlatStore(Store):
    """A store in which names are keys, whichever namespace asks for them."""

    def _find(self, name: str) -> str:
        return name

    @property
    def names(self) -> List[str]:
        return _flywheel.Store.names.__get__(self)  # type: ignore[no-any-return]


def _name(variable: Any) -> str:
    if not isinstance(variable, str) and not hasattr(variable, "name"):
        raise wrong(TypeError, "a variable or its name", type(variable).__name__, "variable")
    return variable if isinstance(variable, str) else str(variable.name)


def _listed(variables: Any) -> List[Any]:
    """Returns the elements of a list of variables or names. Raises TypeError for another value, and another element."""
    own = type(variables).__name__
    found: Any = variables if isinstance(variables, (list, tuple, set, frozenset)) else None
    if found is None and not hasattr(variables, "read") and not hasattr(variables, "parameters"):
        found = variables if isinstance(variables, Iterable) else None
    if found is None:
        hint = "[x.kernel, x.bias] or x.variables()" if hasattr(variables, "parameters") else "[x]"
        raise wrong(TypeError, "a list of variables or names, or a dict from names in the file to them,",
                    f"{own} x: write {hint}", "variables")  # fmt: skip
    return list(found)


def _code_of(holders: Tuple[Name, ...]) -> Any:
    """Returns the Python code of the function that draws from a stream, if it has no variables."""
    return holders[0].streams.code if len(holders) == 1 else None


def _is_gone(reference: ReferenceType[Name]) -> bool:
    """Returns true if the name has no owner any more, neither its object nor the block that created it."""
    name = reference()
    return name is None or name._is_dropped


def _describe(holders: Iterable[ReferenceType[Name]]) -> str:
    return " and ".join(f"'{name.text}'" for name in [holder() for holder in holders] if name is not None)


# A thread that never entered a store calls on this one.
_default = Store()
_flywheel._set_default_store(_default)


def current_store() -> Store:
    """The store that calls of this thread work on."""
    return _flywheel._current_store()  # type: ignore[no-any-return]


def set_seed(seed: int) -> None:
    """The seed of the current store: of initial values from now on, and of all random streams, which begin again: what
    is drawn follows from the seed alone. The orders of `Batches` without a seed of their own begin again too. Raises
    TypeError in a traced function."""
    _trace.refuse_actions("setting the seed")
    store = current_store()
    store.seed = seed
    store._restart_streams()


def save(path: Path, variables: Names = None, *, metadata: Optional[Dict[str, str]] = None) -> None:
    """See `Store.save`, of the current store."""
    current_store().save(path, variables, metadata=metadata)


def _explain_missing(variables: Names) -> str:
    """Returns which of the variables that were to be restored have another name than their program gives them, as
    those of a cell run again do while the objects of its last run are in use."""
    names = [variable._name for variable in current_namespace().variables.values()] if variables is None else []
    renamed = dict.fromkeys(found for found in (name.renamed() for name in names) if found is not None)
    if not renamed:
        return ""
    wish, text = next(iter(renamed))
    return (f". '{text}' would be called '{wish}', but another object in use has this name: let go of that one (del) "
            f"before its successor is made, make models in `with fw.Namespace():`, or give `variables`")  # fmt: skip


def restore(path: Optional[Path], variables: Names = None, *, reshape: bool = False) -> None:
    """See `Store.restore`, of the current store."""
    current_store().restore(path, variables, reshape=reshape)
