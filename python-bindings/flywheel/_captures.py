# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values that traced functions have from outside: of global names, closures, attributes of objects, and the lists
and dicts there. A function is traced again when one of them is another object, as plain Python would use that."""

import builtins
import contextlib
import dis
import functools
import inspect
import sys
import sysconfig
import types
import weakref
from typing import Any, Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Set, Tuple

import numpy as np

from . import _flywheel
from ._identity import identity
from ._trace import PACKAGE
from ._tree import Whole
from .namespace import Name, add_source_of_garbage

__all__ = ["Captures"]

# Values without parts that are compared by value: to bind a name to an equal one changes nothing.
_PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic, range, slice)
# Lists and dicts beyond this size are data.
_MOST_ITEMS = 4096
_LIBRARIES = tuple({path for key, path in sysconfig.get_paths().items() if "lib" in key} | {"<frozen"})
# The flag of Python's types that are made by a class statement.
_HEAP_TYPE = 1 << 9
# The functions that may have traces of values that are no longer those of now.
_functions: "weakref.WeakSet[Any]" = weakref.WeakSet()


class _Names(NamedTuple):
    """The names outside that code and the functions in it read and write."""

    # A global name, and the attributes that follow.
    read: FrozenSet[Tuple[str, ...]]
    written: FrozenSet[str]


class _Capture(NamedTuple):
    # A dict, a list or a cell, and the name or place there.
    holder: Any
    key: Any
    # A function that returns the value, which is not kept alive if there are weak references to it; None without one.
    value: Any
    is_weak: bool

    @classmethod
    def of(cls, holder: Any, key: Any) -> "_Capture":
        try:
            value = _look_up(holder, key)
        except LookupError:
            return cls(holder, key, None, False)
        if not isinstance(value, _PLAIN):
            try:
                return cls(holder, key, weakref.ref(value), True)
            except TypeError:
                pass
        return cls(holder, key, (value,), False)

    @property
    def row(self) -> Tuple[Any, ...]:
        """The capture in the form that C++ takes."""
        if self.value is None:
            return self.holder, self.key
        return self.holder, self.key, self.value if self.is_weak else self.value[0], self.is_weak

    def holds(self) -> bool:
        """Returns true if the value is the same object, or a number or text that is equal."""
        try:
            value = _look_up(self.holder, self.key)
        except LookupError:
            return self.value is None
        if self.value is None:
            return False
        old = self.value() if self.is_weak else self.value[0]
        if old is value:
            return not self.is_weak or value is not None
        return isinstance(old, _PLAIN) and isinstance(value, _PLAIN) and identity(old) == identity(value)


class Captures:
    """The values that the traces of one function have seen."""

    def __init__(self, function: Any) -> None:
        self._function = weakref.ref(function)
        self._captures: List[_Capture] = []

    def take(self) -> None:
        """Takes the values of now, after the function has been traced: it may have made some."""
        function = self._function()
        if function is not None:
            finder = _Finder()
            finder.visit(function._function)
            self._set(finder.captures)
            _functions.add(function)

    def changed(self) -> List[_Capture]:
        """Returns the captures with other values now. If there are none, numbers that are equal are taken for the ones
        that were."""
        function = self._function()
        if function is None or function._holds_captures():
            return []
        changed = [one for one in self._captures if not one.holds()]
        if not changed:
            self._set([_Capture.of(one.holder, one.key) for one in self._captures])
        return changed

    def forget(self) -> None:
        self._set([])

    def _set(self, captures: List[_Capture]) -> None:
        self._captures = captures
        function = self._function()
        if function is not None:
            function._set_captures([one.row for one in captures])


def drop_stale() -> bool:
    """Forgets the traces of all functions that would be traced again anyway: they keep variables that nothing else
    refers to. Returns true if there were any."""
    found = [function for function in list(_functions) if function._forget_stale()]
    return bool(found)


add_source_of_garbage(drop_stale)


def _look_up(holder: Any, key: Any) -> Any:
    """Raises LookupError without a value."""
    if isinstance(holder, types.CellType):
        try:
            return holder.cell_contents
        except ValueError:
            raise LookupError from None
    return holder[key]


class _Finder:
    """Walks from a function to what it and the functions that it names may read."""

    def __init__(self) -> None:
        self._found: Dict[Tuple[int, Any], _Capture] = {}
        self._written: Set[Tuple[int, Any]] = set()
        # By id, and kept so that no other object gets it.
        self._seen: Dict[int, Any] = {}

    @property
    def captures(self) -> List[_Capture]:
        """The captures that were found, but for those that tracing itself writes: a counter of traces, a layer that the
        first one creates."""
        return [one for place, one in self._found.items() if place not in self._written]

    def _add(self, holder: Any, key: Any) -> None:
        self._found.setdefault((id(holder), key), _Capture.of(holder, key))

    def visit(self, value: Any) -> None:
        kind = type(value)
        if issubclass(kind, (*_PLAIN, np.ndarray, types.ModuleType)) or id(value) in self._seen:
            return
        self._seen[id(value)] = value
        if kind is types.FunctionType:
            self._visit_function(value)
        elif kind is types.MethodType:
            self.visit(value.__func__)
            self.visit(value.__self__)
        elif kind is functools.partial:
            for one in (value.func, *value.args, *value.keywords.values()):
                self.visit(one)
        elif issubclass(kind, _flywheel.Dispatcher):
            self.visit(value._function)
        elif kind in (staticmethod, classmethod):
            self.visit(value.__func__)
        elif kind is property:
            self.visit(value.fget)
        elif issubclass(kind, type):
            self._visit_class(value)
        elif issubclass(kind, (tuple, list, dict)):
            self._visit_items(value)
        elif issubclass(kind, Whole) or _is_users_class(kind):
            self._visit_object(value)
        elif "__wrapped__" in getattr(value, "__dict__", {}):
            self.visit(value.__wrapped__)

    def _visit_function(self, function: types.FunctionType) -> None:
        code = function.__code__
        is_users = _is_users(code.co_filename)
        if not is_users and not code.co_filename.startswith(PACKAGE):
            return
        names = _names_of(code)
        if is_users:
            space = function.__globals__
            self._written.update((id(space), name) for name in names.written)
            for chain in names.read:
                self._visit_chain(space, chain)
        for name, cell in zip(code.co_freevars, function.__closure__ or ()):
            if name in names.written:
                self._written.add((id(cell), None))
            if is_users:
                self._add(cell, None)
            # An empty cell.
            with contextlib.suppress(ValueError):
                self.visit(cell.cell_contents)
        for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
            self.visit(value)

    def _visit_chain(self, space: Dict[str, Any], chain: Tuple[str, ...]) -> None:
        """Adds a global name and, of a module of the user, the names in it."""
        for name in chain:
            self._add(space, name)
            value = space.get(name)
            if not isinstance(value, types.ModuleType):
                self.visit(value)
                return
            if not _is_users(getattr(value, "__file__", None) or "<"):
                return
            space = value.__dict__

    def _visit_class(self, kind: type) -> None:
        for base in kind.__mro__:
            if _is_users_class(base):
                for value in list(vars(base).values()):
                    if _is_member(value):
                        self.visit(value)

    def _visit_items(self, value: Any) -> None:
        if len(value) > _MOST_ITEMS:
            return
        items = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
        members = [key for key, one in items if _is_member(one)]
        if members and isinstance(value, (list, dict)):
            for key in members:
                self._add(value, key)
            if isinstance(value, list):
                # There is nothing behind the last one.
                self._add(value, len(value))
        for _, one in items:
            self.visit(one)

    def _visit_object(self, value: Any) -> None:
        own = getattr(value, "__dict__", None)
        for key, one in list(own.items()) if isinstance(own, dict) else ():
            # Compiled methods are not members; see _reads for the attributes of modules.
            if key.startswith("<") or key == "_name":
                continue
            if not isinstance(value, Whole) and _is_member(one):
                self._add(own, key)
            self.visit(one)
        self._visit_class(type(value))


def _is_users(filename: str) -> bool:
    return not filename.startswith((PACKAGE, *_LIBRARIES))


def _is_users_class(kind: type) -> bool:
    """Returns true if a class is in the code of a user, not in a library."""
    name = kind.__module__
    if name == "builtins":
        # Code that is executed without a `__name__` is called so, too.
        return bool(kind.__flags__ & _HEAP_TYPE) and getattr(builtins, kind.__name__, None) is not kind
    module = sys.modules.get(name)
    filename = getattr(module, "__file__", None)
    if filename is None:
        return module is None or name == "__main__"
    return _is_users(filename)


def _is_member(value: Any) -> bool:
    """Returns true for what is computed with, rather than a number: a variable, a module, an optimizer, a function, or
    a list or dict, in which there may be some."""
    kind = type(value)
    if issubclass(kind, (Whole, _flywheel.Dispatcher, types.FunctionType, types.MethodType, functools.partial, property,
                         staticmethod, classmethod)):  # fmt: skip
        return True
    return isinstance(inspect.getattr_static(value, "_name", None), Name) or _is_users_class(kind)


# By code, which functions share.
_known_names: "weakref.WeakKeyDictionary[types.CodeType, _Names]" = weakref.WeakKeyDictionary()


def _names_of(code: types.CodeType) -> _Names:
    known = _known_names.get(code)
    if known is None:
        known = _known_names[code] = _read_names(code)
    return known


def _read_names(code: types.CodeType) -> _Names:
    read: Set[Tuple[str, ...]] = set()
    written: Set[str] = set()
    for one in _with_inner(code):
        chain: Optional[Tuple[str, ...]] = None
        for instruction in dis.get_instructions(one):
            name = instruction.opname
            if chain is not None and name in ("LOAD_ATTR", "LOAD_METHOD"):
                chain = (*chain, instruction.argval)
                continue
            if name in ("CACHE", "EXTENDED_ARG"):
                continue
            if chain is not None:
                read.add(chain)
            chain = (instruction.argval,) if name in ("LOAD_GLOBAL", "LOAD_NAME") else None
            if name in ("STORE_GLOBAL", "DELETE_GLOBAL") or (
                name in ("STORE_DEREF", "DELETE_DEREF") and instruction.argval in one.co_freevars
            ):
                written.add(instruction.argval)
        if chain is not None:
            read.add(chain)
    return _Names(frozenset(read), frozenset(written))


def _with_inner(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            yield from _with_inner(one)
