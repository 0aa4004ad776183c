# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The attributes of modules that traced functions have read, which are traced again when one is set."""

import weakref
from typing import TYPE_CHECKING, Any, Dict, Hashable, List, Optional, Set, Tuple

from . import _trace
from ._identity import identity
from ._tree import Whole

if TYPE_CHECKING:
    from .function import Function

# Stands for all attributes that have members: the trace has walked the tree.
TREE = "*"
# The key of a module's dict with the functions that have read it. No name of Python begins with "<".
READERS = "<read>"

_NUMBERS = (bool, int, float, complex, str, bytes, type(None))


class Read:
    """The attributes of one module that a trace has read, and their lists and dicts as they were then."""

    def __init__(self, module: Any) -> None:
        # Tensors keep their trace, and traces no module.
        self.module = weakref.ref(module)
        self.keys: Set[str] = set()
        self.marks: Dict[str, Optional[Hashable]] = {}


class Watch:
    """A list or dict of a module, whose changes no attribute is set for."""

    def __init__(self, module: Any, key: str, mark: Hashable) -> None:
        self._module, self._key, self._mark = weakref.ref(module), key, mark
        value = object.__getattribute__(module, "__dict__")[key]
        # Nearly all are of modules, numbers and strings: where these are the same objects a comparison of ids says so.
        ids = _ids_of(value)
        parts = [] if ids is None else [*value, *(value.values() if type(value) is dict else ())]
        self._ids = ids if all(map(_is_plain, parts)) else None
        # No other object gets the id of one that is kept. Modules and variables are not: see below.
        self._kept = [part for part in parts if isinstance(part, (*_NUMBERS, tuple))]
        # The id of a member that is collected may be that of the next one.
        self._has_lost = False
        own = weakref.ref(self)

        def lose(_: Any) -> None:
            watch = own()
            if watch is not None:
                watch._has_lost = True

        self._members = [weakref.ref(member, lose) for member in _members(value)]

    @property
    def is_needed(self) -> bool:
        return self._module() is not None

    def holds(self) -> bool:
        """Returns true if the value is as it was, or its module is collected."""
        module = self._module()
        if module is None:
            return True
        value = object.__getattribute__(module, "__dict__").get(self._key)
        if self._has_lost:
            return False
        if self._ids is not None and _ids_of(value) == self._ids:
            return True
        return _mark(value) == self._mark


def note(module: Any, key: str) -> None:
    """Adds a read of a module's attribute, or of its TREE, to the current traces."""
    values = object.__getattribute__(module, "__dict__")
    for trace in _trace._stack.traces:
        read = trace.reads_of.get(id(module))
        if read is None or read.module() is not module:
            read = trace.reads_of[id(module)] = Read(module)
        if key in read.keys:
            continue
        read.keys.add(key)
        if key == TREE:
            for other, value in list(values.items()):
                if other not in read.marks and _may_grow(value) and _members(value):
                    read.marks[other] = _mark(value)
        elif key not in read.marks and _may_grow(values.get(key)):
            read.marks[key] = _mark(values[key])


def forget_readers(module: Any, key: str, value: Any = None) -> None:
    """Forgets the traces that have read an attribute which is about to have this value. Attributes that a trace itself
    sets, such as a layer that it creates at the first call, are a part of it and forget nothing."""
    values = object.__getattribute__(module, "__dict__")
    readers = values.get(READERS)
    if not readers or _trace.is_tracing():
        return
    old = values.get(key)
    if key in values and (old is value or (isinstance(old, _NUMBERS) and identity(old) == identity(value))):
        return
    has_members = bool(_members(old) or _members(value))
    for function, keys in list(readers.items()):
        if key in keys or (has_members and TREE in keys):
            function._forget_traces()


def add_reader(function: "Function", reads: Dict[int, Read]) -> List[Tuple[Tuple[int, str], Watch]]:
    """Registers a function with the modules that a trace of it has read. Returns watches of their lists and dicts,
    without those that tracing changes."""
    watches = []
    for read in reads.values():
        module = read.module()
        if module is None:
            continue
        values = object.__getattribute__(module, "__dict__")
        readers = values.setdefault(READERS, weakref.WeakKeyDictionary())
        readers.setdefault(function, set()).update(read.keys)
        for key, mark in read.marks.items():
            value = values.get(key)
            if _may_grow(value) and _mark(value) == mark:
                watches.append(((id(module), key), Watch(module, key, mark)))
    return watches


def _ids_of(value: Any) -> Optional[List[int]]:
    """Returns the ids of what is in a list or dict; None for another value."""
    kind = type(value)
    if kind is list:
        return [*map(id, value)]
    return [*map(id, value), *map(id, value.values())] if kind is dict else None


def _is_plain(part: Any) -> bool:
    """Returns true if the part has no parts that change: a module, a variable, a number, a string, or a tuple of
    numbers and strings."""
    from .variables import Variable

    kind = type(part)
    return issubclass(kind, (Whole, Variable, *_NUMBERS)) or (
        kind is tuple and all(issubclass(type(one), _NUMBERS) for one in part)
    )


def _may_grow(value: Any) -> bool:
    kind = type(value)
    return issubclass(kind, (list, dict)) or (issubclass(kind, tuple) and any(map(_may_grow, value)))


def _mark(value: Any) -> Hashable:
    """Returns a key of the contents of a list or dict: members and other objects by identity, numbers and strings by
    value."""
    # The type, since `isinstance` asks objects for their `__class__`.
    kind = type(value)
    if issubclass(kind, (list, tuple)):
        return (list, *map(_mark, value))
    if issubclass(kind, dict):
        return (dict, *((_mark(key), _mark(one)) for key, one in value.items()))
    return identity(value) if issubclass(kind, _NUMBERS) else id(value)


def _members(value: Any) -> List[Any]:
    """Returns the modules and variables in a value."""
    from .variables import Variable

    if isinstance(value, (Whole, Variable)):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [one for item in value for one in _members(item)] if isinstance(value, (list, tuple)) else []
