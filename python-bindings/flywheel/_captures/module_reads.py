# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The attributes of modules that traced functions have read, which are traced again when one is set."""

import weakref
from typing import TYPE_CHECKING, Any, Callable, Dict, Hashable, Iterator, List, Optional, Set, Tuple

import numpy as np

from .._core import trace as _trace
from .._core.identity import identity
from .._core.tree import Whole
from ..variables import Variable

if TYPE_CHECKING:
    from ..function import Function

# Stands for all attributes that have members: the trace has walked the tree.
TREE = "*"
# The key of a module's dict with the functions that have read it. No name of Python begins with "<".
READERS = "<read>"

_NUMBERS = (bool, int, float, complex, str, bytes, type(None), np.generic)


class Read:
    """The attributes of one module that a trace has read, and their lists and dicts as they were then."""

    def __init__(self, module: Any) -> None:
        # Tensors keep their trace, and traces no module.
        self.module = weakref.ref(module)
        self.keys: Set[str] = set()
        # The attributes that the trace has set.
        self.assigned: Set[str] = set()
        self.marks: Dict[str, Contents] = {}


class Contents:
    """The contents of a list or dict at one time."""

    def __init__(self, value: Any) -> None:
        self._mark = _mark(value)
        # The id of an object that is collected may be that of the next one.
        self.has_lost = False
        own = weakref.ref(self)

        def lose(_: Any) -> None:
            contents = own()
            if contents is not None:
                contents.has_lost = True

        # Modules and variables are not kept, nor is what may refer to them.
        self._parts: List[Any] = []
        for part in _parts_of(value):
            try:
                self._parts.append(weakref.ref(part, lose))
            except TypeError:
                self._parts.append(part)

    def are_in(self, value: Any) -> bool:
        """Returns true if a value has these contents."""
        return not self.has_lost and _mark(value) == self._mark


class Watch:
    """A list or dict of a module, whose changes no attribute is set for."""

    def __init__(self, module: Any, key: str, contents: Contents) -> None:
        self._module, self._key, self._contents = weakref.ref(module), key, contents
        value = object.__getattribute__(module, "__dict__")[key]
        # Nearly all are of modules, numbers and strings: where these are the same objects a comparison of ids says so.
        ids = _ids_of(value)
        parts = [] if ids is None else [*value, *(value.values() if type(value) is dict else ())]
        self._ids = ids if all(map(_is_plain, parts)) else None
        # No other object gets the id of one that is kept. The contents know which of the others are lost.
        self._kept = [part for part in parts if isinstance(part, (*_NUMBERS, tuple))]

    @property
    def is_needed(self) -> bool:
        return self._module() is not None

    def holds(self) -> bool:
        """Returns true if the value is as it was, or its module is collected."""
        module = self._module()
        if module is None:
            return True
        value = object.__getattribute__(module, "__dict__").get(self._key)
        if self._contents.has_lost:
            return False
        if self._ids is not None and _ids_of(value) == self._ids:
            return True
        return self._contents.are_in(value)


class State:
    """The result that `function` of an object has now. The object is not kept."""

    def __init__(self, owner: Any, function: Callable[[Any], Hashable]) -> None:
        self._owner, self._function = weakref.ref(owner), function
        self._value = function(owner)

    @property
    def is_needed(self) -> bool:
        return self._owner() is not None

    def holds(self) -> bool:
        """Returns true if it returns the same, or the object is collected."""
        owner = self._owner()
        return owner is None or self._function(owner) == self._value


def note_state(owner: Any, function: Callable[[Any], Hashable]) -> None:
    """Has the current traces made again when `function` of an object returns something else."""
    for trace in _trace._stack.traces:
        trace.states.setdefault(id(owner), State(owner, function))


def note(module: Any, key: str) -> None:
    """Adds a read of a module's attribute, or of its TREE, to the current traces."""
    values = object.__getattribute__(module, "__dict__")
    for read in _reads_of(module):
        if key in read.keys:
            continue
        read.keys.add(key)
        if key == TREE:
            for other, value in list(values.items()):
                if other not in read.marks and _may_grow(value) and _members(value):
                    read.marks[other] = Contents(value)
        elif key not in read.marks and _may_grow(values.get(key)):
            read.marks[key] = Contents(values[key])


def _reads_of(module: Any) -> Iterator[Read]:
    """Yields what each of the current traces has read of a module."""
    for trace in _trace._stack.traces:
        read = trace.reads_of.get(id(module))
        if read is None or read.module() is not module:
            read = trace.reads_of[id(module)] = Read(module)
        yield read


def forget_readers(module: Any, key: str, value: Any = None) -> None:
    """Forgets the traces that have read an attribute which is about to have this value. Attributes that a trace itself
    sets, such as a layer that it creates at the first call, are a part of it: they forget only the traces of other
    functions, which have read the old value and do not set the attribute themselves."""
    values = object.__getattribute__(module, "__dict__")
    is_tracing = _trace.is_tracing()
    for read in _reads_of(module) if is_tracing else ():
        read.assigned.add(key)
    readers = values.get(READERS)
    if not readers:
        return
    old = values.get(key)
    if key in values and (old is value or (isinstance(old, _NUMBERS) and identity(old) == identity(value))):
        return
    has_members = bool(_members(old) or _members(value))
    own = [trace.definition for trace in _trace._stack.traces] if is_tracing else []
    for function, keys in list(readers.items()):
        if is_tracing and (function._definition in own or _assigned(key) in keys):
            continue
        if key in keys or (has_members and TREE in keys):
            function._forget_traces()


def _assigned(key: str) -> str:
    """Returns the text among the keys that a function has read which says that its traces set an attribute."""
    return f"<set {key}>"


def add_reader(function: "Function", reads: Dict[int, Read]) -> List[Tuple[Tuple[int, str], Watch]]:
    """Registers a function with the modules that a trace of it has read. Returns watches of their lists and dicts. One
    that one trace after the other has changed is watched as the last trace of any function has left it: two functions
    whose traces change it would be traced in turns for ever."""
    watches = []
    for read in reads.values():
        module = read.module()
        if module is None:
            continue
        values = object.__getattribute__(module, "__dict__")
        readers = values.setdefault(READERS, weakref.WeakKeyDictionary())
        readers.setdefault(function, set()).update(read.keys, map(_assigned, read.assigned))
        for key, contents in read.marks.items():
            value, place = values.get(key), (id(module), key)
            if not _may_grow(value):
                continue
            watches.append((place, Watch(module, key, Contents(value))))
            if contents.are_in(value):
                function._num_changes.pop(place, None)
                continue
            function._num_changes[place] = function._num_changes.get(place, 0) + 1
            for other in list(readers):
                if other is not function and other._num_changes.get(place, 0) > 1 and place in other._watches:
                    other._watches[place] = watches[-1][1]
    return watches


def _ids_of(value: Any) -> Optional[List[int]]:
    """Returns the ids of what is in a list or dict; None for another value."""
    kind = type(value)
    if kind is list:
        return [*map(id, value)]
    return [*map(id, value), *map(id, value.values())] if kind is dict else None


def _is_plain(part: Any) -> bool:
    """Returns true if a mark has no parts of the part that change: it is not a list, a dict, or a tuple of anything
    but numbers and strings."""
    kind = type(part)
    if kind is tuple:
        return all(issubclass(type(one), _NUMBERS) for one in part)
    return not issubclass(kind, (list, tuple, dict))


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


def _parts_of(value: Any) -> Iterator[Any]:
    """Yields the objects that a mark has by identity."""
    kind = type(value)
    if issubclass(kind, (list, tuple)):
        for one in value:
            yield from _parts_of(one)
    elif issubclass(kind, dict):
        for key, one in value.items():
            yield from _parts_of(key)
            yield from _parts_of(one)
    elif not issubclass(kind, _NUMBERS):
        yield value


def _members(value: Any) -> List[Any]:
    """Returns the modules and variables in a value."""
    if isinstance(value, (Whole, Variable)):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [one for item in value for one in _members(item)] if isinstance(value, (list, tuple)) else []
