# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The places outside of a Python function that its code, and what that calls, may read.

A name that is followed by attributes and constant keys is read there and nowhere else. A value that code does something
else with (it is handed to a function, given another name, iterated) may be read by any code that the function reaches:
of an object these are the attributes that such code names, in whatever way, and of a container all items. So the places
are at least those that are read, and no attribute that no code names is among them."""

import collections
import contextlib
import functools
import inspect
import operator
import os
import sys
import threading
import types
from typing import Any, Callable, Deque, Dict, Iterator, List, NamedTuple, Sequence, Set, Tuple

import numpy as np

from .. import _flywheel
from .._core.objects import counts_as_member, dict_of, slots_of
from .._core.tree import Whole
from .._core.users import (
    UNREAD,
    dict_of_class,
    is_opaque,
    is_setting,
    is_users,
    is_users_class,
    is_users_module,
    names_in,
    special_methods,
)
from .._native import PACKAGE
from ._contents import MOST_BYTES, Contents
from ._draws import GENERATORS
from ._foreign import is_foreign
from ._parts import is_used_up, parts_of, result_of
from ._writes import Writes
from .code_names import Import, Names, Path, Root, Step, names_of
from .places import (
    CONTAINERS,
    PLAIN,
    Attribute,
    Cell,
    Class,
    Code,
    Computed,
    Item,
    Length,
    Local,
    Members,
    Name,
    Place,
    Result,
    Slot,
)

_MISSING = object()
_PACKAGE_NAME = __name__.partition(".")[0]
# Methods of containers that write: what code appends to, it need not read.
_WRITING = {"append", "appendleft", "extend", "extendleft", "insert", "add", "update", "clear", "remove", "discard"}
# Methods of data classes, which are made of text.
_COMPARISONS = {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"}


class Reached(NamedTuple):
    """The places that a call of a function may read outside, and those of arguments, which it has as they are."""

    own: List[Place]
    of_arguments: List[Place]
    # The iterators that the code names, and generators of random numbers, with their labels.
    iterators: List[str]
    generators: List[Tuple[Any, str]]
    writes: Writes


def find_places(function: Any, arguments: Sequence[Any]) -> Reached:
    finder = _Finder()
    finder.escape(function, getattr(function, "__name__", "function"))
    finder.finish()
    count = len(finder.found)
    for value in arguments:
        finder.escape(value, type(value).__name__)
    finder.finish()
    places = list(finder.found.values())
    return Reached(places[:count], places[count:], list(finder.iterators), finder.generators, finder.writes)


class _Finder:
    def __init__(self) -> None:
        self.found: Dict[Tuple[Any, ...], Place] = {}
        self.iterators: Dict[str, None] = {}
        self.generators: List[Tuple[Any, str]] = []
        # The names in the code that was reached: see `Names`.
        self._names: Set[str] = set()
        self._asked: Set[str] = set()
        self._reads_all, self._compares = False, False
        self._contents = Contents()
        self.writes = Writes()
        # By id, and kept so that no other object gets it: values of which code may read anything.
        self._escaped: Dict[int, Any] = {}
        # Those with attributes, with their labels; and the names of each that were read.
        self._objects: List[Tuple[Any, str]] = []
        self._read: Dict[int, Set[str]] = {}
        # The number of those whose members were added.
        self._num_listed = 0
        # The methods that were looked at, with the objects that they are called with.
        self._methods: Set[Tuple[Any, int]] = set()
        self._receivers: List[Any] = []
        # The nearest values first, as the number of those that are watched has a bound.
        self._work: Deque[Callable[[], None]] = collections.deque()

    def finish(self) -> None:
        """Follows all that escapes, until no code names more attributes."""
        is_done = False
        while self._work or not is_done:
            while self._work:
                _attempt(self._work.popleft())
            is_done = True
            if self._reads_all:
                self._add_members()
            for value, label in list(self._objects):
                read = self._read[id(value)]
                wanted = [name for name in names_in(value) if name not in read and self._may_read(value, name)]
                wanted += [name for name in self._asked if name not in read]
                if "__subclasses__" in self._names and issubclass(type(value), type) and "__subclasses__" not in read:
                    wanted.append("__subclasses__")
                for name in wanted:
                    read.add(name)
                    _attempt(functools.partial(self._escape_attribute, value, name, label))
                is_done = is_done and not wanted
        kinds: Dict[type, None] = {}
        for value in [*self._escaped.values(), *self._receivers]:
            _attempt(functools.partial(_add_classes, kinds, type(value)))
        while any([self.writes.add_setters(kind) for kind in kinds]):
            pass

    def _add_members(self) -> None:
        """Adds what code reads that asks for all attributes of objects: how many there are, too. No attribute of a
        module is a place otherwise: see module_reads."""
        for value, label in self._objects[self._num_listed :]:
            if issubclass(type(value), type):
                for base in value.__mro__:
                    if is_users_class(base):
                        self._add(Length(dict_of_class(base), None, label))
                continue
            own = dict_of(value)
            if own is not None:
                self._add(Members(value, label))
            for name in own or () if issubclass(type(value), Whole) else ():
                if counts_as_member(name) and name != "_name":
                    self._add(Attribute(value, name, f"{label}.{name}"))
        self._num_listed = len(self._objects)

    def _may_read(self, value: Any, name: str) -> bool:
        if name in self._names or (self._reads_all and not (name.startswith("__") and name.endswith("__"))):
            return True
        if not (name.startswith("__") and name.endswith("__")) or name in UNREAD or issubclass(type(value), type):
            return False
        # Operators and calls name no method.
        method = inspect.getattr_static(type(value), name, None)
        if getattr(getattr(method, "__code__", None), "co_filename", None) == "<string>" and name in _COMPARISONS:
            return self._compares
        return type(method) is types.FunctionType

    def _escape_attribute(self, value: Any, name: str, label: str) -> None:
        label += f".{name}"
        self._escape_found(self._read_attribute(value, name, label), label, issubclass(type(value), Whole))
        if not issubclass(type(value), type) and name in (dict_of(value) or {}):
            # Its class may be asked for its own.
            self._escape_found(self._read_attribute(type(value), name, label), label, is_of_module=False)

    def _escape_found(self, value: Any, label: str, is_of_module: bool) -> None:
        for one in _members_of(value) if is_of_module else [value]:
            if one is not _MISSING:
                self.escape(one, label)

    def _add(self, place: Place) -> None:
        self.found.setdefault(place.key, place)

    # Values

    def escape(self, value: Any, label: str) -> None:
        """Adds what any code may read of a value, and by its call."""
        kind = type(value)
        if issubclass(kind, PLAIN) or id(value) in self._escaped:
            return
        self._escaped[id(value)] = value
        self._work.append(lambda: self._escape(value, label))

    def _escape(self, value: Any, label: str) -> None:
        kind = type(value)
        place = result_of(value, MOST_BYTES, label)
        if place is not None:
            self._add(place)
        for one in parts_of(value):
            self.escape(one, label)
        if is_foreign(kind):
            self._look(value, label)
        if issubclass(kind, GENERATORS):
            self.generators.append((value, label))
        if issubclass(kind, np.ndarray):
            if issubclass(kind, np.ma.MaskedArray):
                self.escape(np.ma.getmask(value), label)
            self._look(value, label)
        elif kind is types.FunctionType:
            self._visit_function(value)
            if value.__dict__:
                self._escape_object(value, label)
        elif kind is types.MethodType:
            self._visit_method(value.__func__, value.__self__, label.rpartition(".")[0] or label)
            self.escape(value.__func__, label)
        elif kind in (operator.attrgetter, operator.methodcaller):
            self._asked.update(_names_of_getter(value))
        elif kind is functools.partial:
            if value.args:
                self._visit_method(value.func, value.args[0], label)
            for one in (value.func, *value.args, value.keywords):
                self.escape(one, label)
        elif issubclass(kind, _flywheel.Dispatcher):
            self.escape(value._function, label)
        elif kind is types.ModuleType:
            if is_users_module(value):
                self._escape_object(value, label)
        elif issubclass(kind, type):
            self._escape_class(value, label)
        else:
            if issubclass(kind, CONTAINERS):
                self._look(value, label)
            if "__wrapped__" in (dict_of(value) or {}):
                self.escape(value.__wrapped__, label)
            elif issubclass(type(value), Whole) or not is_opaque(kind):
                self._escape_object(value, label)

    def _escape_object(self, value: Any, label: str) -> None:
        if is_users_class(type(value)):
            self._add(Class(value, label))
        self._read.setdefault(id(value), set())
        self._objects.append((value, label))

    def _escape_class(self, kind: type, label: str) -> None:
        if not is_users_class(kind):
            if not is_opaque(kind):
                self._escape_object(kind, label)
            return
        self._escape_object(kind, label)
        # A call of it makes an object.
        for name in ("__init__", "__new__", "__post_init__", *special_methods(kind)):
            method = inspect.getattr_static(kind, name, None)
            self.escape(method, f"{label}.{name}")

    def _look(self, value: Any, label: str) -> None:
        places, parts = self._contents.look(value, label)
        for place in places:
            self._add(place)
        for part, its_label in parts:
            self.escape(part, its_label)

    # Code

    def _name(self, names: Names) -> None:
        self._names |= names.attributes
        self._asked |= names.asked
        self._reads_all = self._reads_all or names.is_reflective
        self._compares = self._compares or names.compares

    def _visit_function(self, function: types.FunctionType) -> None:
        code = function.__code__
        cells = dict(zip(code.co_freevars, function.__closure__ or ()))
        if not is_users(code.co_filename):
            # A decorator has the function in its closure, or several in a dict.
            for name, cell in cells.items():
                with contextlib.suppress(ValueError):
                    if code.co_filename.startswith(PACKAGE) or _has_functions(cell.cell_contents):
                        self.escape(cell.cell_contents, name)
            self.escape(function.__dict__.get("__wrapped__"), function.__name__)
            return
        self._add(Code(function, function.__name__))
        names = names_of(code)
        self._name(names)
        self.writes.add(names, function)
        for path in names.paths:
            if path.root is Root.GLOBAL:
                _attempt(functools.partial(self._visit_name, function.__globals__, path.name, path))
            elif path.root is Root.FREE and path.name in cells:
                self._visit_cell(cells[path.name], path)
        for name in names.attributes if names.reads_globals else ():
            if name in function.__globals__:
                path = Path(Root.GLOBAL, name, ())
                _attempt(functools.partial(self._visit_name, function.__globals__, name, path))
        for one in names.imports:
            self._visit_import(function.__globals__, one, names)
        for name, value in _defaults(function):
            self.escape(value, name)
        # Defaults by keyword may be set in place.
        self.escape(function.__kwdefaults__, f"{function.__name__}.__kwdefaults__")

    def _visit_cell(self, cell: Any, path: Path) -> None:
        """Adds the variable of a closure, and the attributes and items on a path from its value."""
        try:
            value = cell.cell_contents
        except ValueError:  # An empty cell.
            value = _MISSING
        if path.is_update and not path.steps and issubclass(type(value), PLAIN):
            return
        self._add(Cell(cell, None, path.name))
        if value is not _MISSING:
            _attempt(functools.partial(self._visit_steps, value, path))

    def _visit_import(self, space: Dict[str, Any], wanted: Import, names: Names) -> None:
        package = (space.get("__package__") or "").split(".")
        parts = package[: len(package) + 1 - wanted.level] if wanted.level else []
        name = ".".join([*parts, wanted.name]) if wanted.name else ".".join(parts)
        for place in range(1, len(name.split(".")) + 1):
            module = sys.modules.get(".".join(name.split(".")[:place]))
            if module is not None:
                self.escape(module, name)
                own = dict_of(module) or {}
                for one in () if is_users_module(module) else names.attributes.intersection(own):
                    path = Path(Root.GLOBAL, name, (Step(False, one),))
                    _attempt(functools.partial(self._visit_module, module, path))

    def _visit_method(self, function: Any, receiver: Any, label: str) -> None:
        """Adds what a function reads of its first argument."""
        if type(function) is not types.FunctionType:
            return
        if issubclass(type(receiver), (*PLAIN, np.ndarray)) or (function, id(receiver)) in self._methods:
            return
        if not is_users(function.__code__.co_filename) and is_opaque(type(receiver)):
            return
        self._methods.add((function, id(receiver)))
        self._receivers.append(receiver)
        names = names_of(function.__code__)
        if is_users(function.__code__.co_filename):
            self._name(names)
        for path in names.paths:
            if path.root is Root.RECEIVER:
                self._work.append(functools.partial(self._visit_steps, receiver, path))
        if names.has_super:
            kind = receiver if issubclass(type(receiver), type) else type(receiver)
            for base in kind.__mro__:
                for name in names.attributes if is_users_class(base) else ():
                    self._add(Name(dict_of_class(base), name, f"{label}.{name}"))
                    if name in base.__dict__:
                        self._visit_member(base.__dict__[name], receiver, label)
                        self.escape(base.__dict__[name], f"{label}.{name}")

    def _visit_name(self, space: Dict[str, Any], name: str, path: Path, is_of_user: bool = True) -> None:
        """Adds a name of a module, and the attributes and items on a path from its value."""
        value = space.get(name, _MISSING)
        if path.is_update and not path.steps and issubclass(type(value), PLAIN):
            return
        self._add(Name(space, name, path.name))
        is_module = issubclass(type(value), types.ModuleType)
        if value is _MISSING:
            return
        if is_module and path.steps and not path.steps[0].is_item:
            self._visit_module(value, path)
        elif is_of_user or issubclass(type(value), type) or value is os.getenv or not (callable(value) or is_module):
            self._visit_steps(value, path)

    def _visit_module(self, module: Any, path: Path) -> None:
        """Adds the name in a module that a path begins with."""
        # The package says itself when one of its names gets another value.
        if getattr(module, "__name__", "").partition(".")[0] == _PACKAGE_NAME:
            return
        name, steps, is_of_user = path.steps[0].key, path.steps[1:], is_users_module(module)
        if name == "__dict__" and steps and steps[0].is_item:
            name, steps = steps[0].key, steps[1:]
        if is_of_user and name not in module.__dict__:
            # It may say itself what it has.
            self.escape(module, path.name)
            self.escape(module.__dict__.get("__getattr__"), f"{path.name}.__getattr__")
        self._visit_name(module.__dict__, name, Path(path.root, f"{path.name}.{name}", steps), is_of_user)

    def _visit_steps(self, value: Any, path: Path) -> None:
        """Adds the attributes and items on a path from a value. The value at its end escapes."""
        label, is_of_module = path.name, False
        for place, step in enumerate(path.steps):
            if issubclass(type(value), types.ModuleType) and not step.is_item:
                self._visit_module(value, Path(path.root, label, path.steps[place:]))
                return
            outer = value
            if issubclass(type(value), type) and not step.is_item and step.key == "__dict__":
                self._escape_found(value, label, is_of_module)
                return
            if not step.is_item and step.key in _WRITING and _is_builtin_method(value, step.key):
                return
            is_last = place == len(path.steps) - 1
            if is_last and path.is_update and _is_plain_part(value, step):
                return
            if is_last and path.is_assigned:
                if _has_setter(type(value), step.key):
                    self._escape_found(value, label, is_of_module)
                return
            is_of_module = issubclass(type(value), Whole) or (is_of_module and issubclass(type(value), (list, dict)))
            value = self._read_step(value, step, label, is_of_module)
            if value is _MISSING:
                # Its class computes it, or the code has made it.
                self._escape_found(outer, label, is_of_module)
                return
            label += f"[{step.key!r}]" if step.is_item else f".{step.key}"
        if is_used_up(value) and (path.steps or path.root is not Root.RECEIVER):
            self.iterators.setdefault(label)
        self._escape_found(value, label, is_of_module)

    def _read_step(self, value: Any, step: Step, label: str, is_of_module: bool) -> Any:
        """Adds the place of an attribute or an item, and returns its value; but for the lists and dicts of modules, for
        which see module_reads."""
        if not step.is_item:
            return self._read_attribute(value, step.key, f"{label}.{step.key}")
        label = f"{label}[{step.key!r}]"
        if not issubclass(type(value), (dict, list, tuple)) or hasattr(type(value), "__missing__"):
            return _MISSING
        # Classes of the user may say what an item is.
        if type(value).__getitem__ not in (dict.__getitem__, list.__getitem__, tuple.__getitem__):
            return _MISSING
        try:
            found = value[step.key]
        except (LookupError, TypeError):
            return _MISSING
        if not issubclass(type(value), tuple) and not is_of_module:
            key = step.key if issubclass(type(value), dict) else range(len(value))[step.key]
            self._add(Item(value, key, label))
            if issubclass(type(value), list) and step.key < 0:
                self._add(Length(value, None, label))
        return found

    def _read_attribute(self, value: Any, name: str, label: str) -> Any:
        """Adds the places of an attribute: where it is, and those that are looked at before. Returns its value, or that
        of its class."""
        kind = value if issubclass(type(value), type) else type(value)
        if issubclass(type(value), types.ModuleType) and not is_users_module(value):
            return _MISSING
        if kind is value and name == "__subclasses__":
            self._add(Result(functools.partial(_subclasses_of, value), value, name, label))
            for one in _subclasses_of(value):
                self.escape(one, label)
            return _MISSING
        if issubclass(kind, threading.local) and kind is not value:
            # Each thread has attributes of its own.
            self._add(Local(functools.partial(getattr, value, name, None), value, name, label))
            return value.__dict__.get(name, _MISSING)
        if is_opaque(kind) and not issubclass(type(value), Whole):
            return _MISSING
        own = None if issubclass(type(value), type) else dict_of(value)
        if kind is not value and is_users_class(kind):
            self._add(Class(value, label.rpartition(".")[0]))
        if name in slots_of(kind) and not issubclass(type(value), type):
            self._add(Slot(value, name, label))
            return _look_up(Slot(value, name, label))
        if own is not None:
            # See _reads for the attributes of modules.
            if not issubclass(type(value), Whole):
                is_kept = any(type(base.__dict__.get(name)) is functools.cached_property for base in kind.__mro__)
                self._add((Computed if is_kept else Attribute)(value, name, label))
            if name in own:
                return own[name]
        for base in kind.__mro__:
            there = dict_of_class(base)
            if there is None:
                continue
            if is_users_class(base):
                self._add(Name(there, name, label))
            elif is_setting(base, name):
                # Those before it may get one, too.
                places = [dict_of_class(one) for one in kind.__mro__[: kind.__mro__.index(base) + 1]]
                for one in filter(None, places):
                    self._add(Name(one, name, label))
            if name in there:
                self._visit_member(there[name], value, label)
                return there[name]
        # A class has attributes of its own class, too.
        for base in type(value).__mro__ if kind is value else ():
            if is_users_class(base):
                self._add(Name(dict_of_class(base), name, label))
        found = inspect.getattr_static(type(value), name, None) if issubclass(type(value), type) else None
        if issubclass(type(found), property):
            self._visit_member(found, value, label, is_of_class=True)
        return _MISSING

    def _visit_member(self, member: Any, value: Any, label: str, is_of_class: bool = False) -> None:
        """Adds what a member of a class reads of its object, or of the class if `value` is the class itself."""
        owner = label.rpartition(".")[0]
        if isinstance(member, classmethod):
            self._visit_method(member.__func__, value if issubclass(type(value), type) else type(value), owner)
        elif issubclass(type(value), type) and not is_of_class:
            return
        elif isinstance(member, property):
            self._visit_method(member.fget, value, owner)
            if type(member.fget) is not types.FunctionType:
                # It says nowhere what it reads.
                self._reads_all = True
                self.escape(value, owner)
        elif isinstance(member, (functools.cached_property, functools.partialmethod)):
            self._visit_method(member.func, value, owner)
        elif type(member) is types.FunctionType:
            if is_users(member.__code__.co_filename):
                self._visit_method(member, value, owner)
            elif not issubclass(type(value), Whole):
                # It may read anything of the object.
                self.escape(value, owner)
        elif isinstance(member, (staticmethod, *PLAIN)):
            return
        elif hasattr(type(member), "__get__"):
            self.escape(value, owner)


def _attempt(work: Callable[[], None]) -> None:
    """Does a part of the search. It runs code of the user's objects, of which any may raise: nothing watches what they
    do not let it read."""
    with contextlib.suppress(Exception):
        work()


def _names_of_getter(value: Any) -> Set[str]:
    """Returns the attributes that an `attrgetter` or a `methodcaller` reads of what it is called with."""
    made, arguments = value.__reduce__()[:2]
    # A method with arguments by keyword is made by a partial function.
    names = made.args if type(made) is functools.partial else arguments
    wanted = names if type(value) is operator.attrgetter else names[:1]
    return {part for name in wanted if isinstance(name, str) for part in name.split(".")}


def _add_classes(kinds: Dict[type, None], kind: type) -> None:
    """Adds the user's classes that objects of one have methods of."""
    kinds.update((base, None) for base in kind.__mro__ if is_users_class(base))


def _members_of(value: Any) -> Iterator[Any]:
    """Yields the parts of an attribute of a module, whose lists and dicts _reads watches."""
    if issubclass(type(value), dict):
        value = list(value.values())
    if not issubclass(type(value), (list, tuple)):
        yield value
        return
    for one in value:
        yield from _members_of(one)


def _has_functions(value: Any) -> bool:
    some = list(value.values()) if issubclass(type(value), dict) else [value]
    return any(isinstance(one, (types.FunctionType, types.MethodType, functools.partial)) for one in some)


def _is_plain_part(value: Any, step: Step) -> bool:
    """Returns true for a number or a text in a list, a dict, or an object, of which no property computes it."""
    if step.is_item:
        found = value[step.key] if type(value) in (list, dict) else None
    else:
        found = inspect.getattr_static(value, step.key, None)
    return found is not None and issubclass(type(found), PLAIN)


def _has_setter(kind: type, name: str) -> bool:
    """Returns true if to assign an attribute of an object executes code that may read the object."""
    if is_opaque(kind) or any("__setattr__" in vars(base) for base in kind.__mro__ if is_users_class(base)):
        return True
    return hasattr(type(inspect.getattr_static(kind, name, None)), "__set__")


def _is_builtin_method(value: Any, name: str) -> bool:
    return issubclass(type(value), (list, dict, set, collections.deque)) and isinstance(
        inspect.getattr_static(type(value), name, None), types.MethodDescriptorType)  # fmt: skip


def _look_up(place: Place) -> Any:
    try:
        return place.look_up()
    except LookupError:
        return _MISSING


def _subclasses_of(kind: type) -> Tuple[type, ...]:
    return tuple(type.__subclasses__(kind))


def _defaults(function: types.FunctionType) -> Iterator[Tuple[str, Any]]:
    code, given = function.__code__, function.__defaults__ or ()
    yield from zip(code.co_varnames[code.co_argcount - len(given) : code.co_argcount], given)
    yield from (function.__kwdefaults__ or {}).items()


