# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values that traced functions have from outside: of global names, closures, attributes of objects, and the lists
and dicts there. A function is traced again when one of them is another object, as plain Python would use that."""

import argparse
import builtins
import contextlib
import functools
import gc
import inspect
import os
import sys
import sysconfig
import types
import weakref
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

import numpy as np

from . import _flywheel
from ._code_names import Path, Root, Step, names_of
from ._flywheel import CompileWarning
from ._identity import identity
from ._trace import PACKAGE, warn_user
from ._tree import Whole
from .namespace import Name, add_source_of_garbage

__all__ = ["Captures"]

# Values without parts that are compared by value: to bind a name to an equal one changes nothing.
_PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic, range, slice)
# So many values are no few that a program goes through.
_MOST_CHANGES = 4
# Objects of these have attributes of the user.
_NAMESPACES = (types.SimpleNamespace, argparse.Namespace)
# Lists and dicts with more items than these together are data, and so is what is nested deeper.
_MOST_ITEMS, _MOST_DEEP = 10_000, 60
_MISSING = object()
_PACKAGES = {"site-packages", "dist-packages"}
_LIBRARIES = tuple({path for key, path in sysconfig.get_paths().items() if "lib" in key} | {"<frozen"})
# The flag of Python's types that are made by a class statement.
_HEAP_TYPE = 1 << 9
# The functions that may have traces of values that are no longer those of now.
_functions: "weakref.WeakSet[Any]" = weakref.WeakSet()


class _Capture(NamedTuple):
    # A dict, a list or a cell, and the name or place there.
    holder: Any
    key: Any
    # The expression of the user's code that reads it, in quotes.
    label: str
    # A function that returns the value, which is not kept alive if there are weak references to it; None without one.
    value: Any
    is_weak: bool

    @classmethod
    def of(cls, holder: Any, key: Any, label: str) -> "_Capture":
        try:
            value = _look_up(holder, key)
        except LookupError:
            return cls(holder, key, label, None, False)
        if not isinstance(value, _PLAIN):
            try:
                return cls(holder, key, label, weakref.ref(value), True)
            except TypeError:
                pass
        return cls(holder, key, label, (value,), False)

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
        # The changes of each value, by its label.
        self._changes: Dict[str, int] = {}

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
            self._set([_Capture.of(one.holder, one.key, one.label) for one in self._captures])
        return changed

    def warn_of(self, changed: Sequence[_Capture]) -> None:
        """Warns once for each value whose changes cost one trace after the other."""
        function = self._function()
        if function is None:
            return
        for one in changed:
            self._changes[one.label] = count = self._changes.get(one.label, 0) + 1
            if count == _MOST_CHANGES:
                warn_user(f"'{function.name}' is traced and compiled again whenever {one.label} has another value, "
                          f"{count} times until now: make it an argument, or a variable that is set", CompileWarning)

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


def _dict_of(kind: type) -> Any:
    """Returns the dict of a class, behind the proxy that its `__dict__` is."""
    found = gc.get_referents(kind.__dict__)
    return found[0] if len(found) == 1 else None


class _Finder:
    """Walks from a function to what it and the functions that it names may read."""

    def __init__(self) -> None:
        self._found: Dict[Tuple[int, Any], _Capture] = {}
        self._written: Set[Tuple[int, Any]] = set()
        # By id, and kept so that no other object gets it.
        self._seen: Dict[int, Any] = {}
        self._methods: Set[Tuple[Any, int]] = set()
        self._depth, self._items = 0, 0
        # The attributes and keys that code on the way sets, of any object, and those of captures.
        self._set: Set[Step] = set()
        self._steps: Dict[Tuple[int, Any], Step] = {}

    @property
    def captures(self) -> List[_Capture]:
        """The captures that were found, but for those that tracing itself writes: a counter of traces, a layer that the
        first one creates."""
        return [one for place, one in self._found.items()
                if place not in self._written and self._steps.get(place) not in self._set]  # fmt: skip

    def _add(self, holder: Any, key: Any, label: str, step: Optional[Step] = None) -> None:
        place = id(holder), key
        self._found.setdefault(place, _Capture.of(holder, key, label))
        if step is not None:
            self._steps[place] = step

    def visit(self, value: Any) -> None:
        """Adds what may be read of a value, and by its call."""
        self._visit_parts(value)
        kind = type(value)
        if issubclass(kind, Whole) or _is_users_class(kind):
            self._visit_method(inspect.getattr_static(kind, "__call__", None), value)

    def _visit_parts(self, value: Any) -> None:
        if self._depth < _MOST_DEEP:
            self._depth += 1
            self._visit_one(value)
            self._depth -= 1

    def _visit_one(self, value: Any) -> None:
        kind = type(value)
        if issubclass(kind, (*_PLAIN, np.ndarray, types.ModuleType)) or id(value) in self._seen:
            return
        self._seen[id(value)] = value
        if kind is types.FunctionType:
            self._visit_function(value)
        elif kind is types.MethodType:
            self._visit_method(value.__func__, value.__self__)
            self.visit(value.__self__)
        elif kind is functools.partial:
            if value.args:
                self._visit_method(value.func, value.args[0])
            for one in (value.func, *value.args, *value.keywords.values()):
                self.visit(one)
        elif issubclass(kind, _flywheel.Dispatcher):
            self.visit(value._function)
        elif issubclass(kind, weakref.ref):
            self.visit(value())
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
        names = names_of(code)
        self._set |= names.set
        if is_users:
            space = function.__globals__
            self._written.update((id(space), name) for name in names.written)
            for path in names.read:
                if path.root is Root.GLOBAL:
                    self._visit_global(space, path)
        cells = dict(zip(code.co_freevars, function.__closure__ or ()))
        for path in names.read if is_users else ():
            # An empty cell.
            with contextlib.suppress(ValueError, KeyError):
                if path.root is Root.FREE:
                    self._visit_steps(cells[path.name].cell_contents, path)
        for name, cell in zip(code.co_freevars, function.__closure__ or ()):
            if name in names.written:
                self._written.add((id(cell), None))
            if is_users:
                self._add(cell, None, f"'{name}'")
            # An empty cell.
            with contextlib.suppress(ValueError):
                self.visit(cell.cell_contents)
        for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
            self.visit(value)

    def _visit_method(self, function: Any, receiver: Any) -> None:
        """Adds what a function reads of its first argument."""
        if type(function) is not types.FunctionType or not _is_users(function.__code__.co_filename):
            return
        if issubclass(type(receiver), (*_PLAIN, np.ndarray)) or (function, id(receiver)) in self._methods:
            return
        self._methods.add((function, id(receiver)))
        names = names_of(function.__code__)
        self._set |= names.set
        for path in names.read:
            if path.root is Root.RECEIVER:
                self._visit_steps(receiver, path)

    def _visit_global(self, space: Dict[str, Any], path: Path) -> None:
        """Adds a global name and, of a module of the user, the names in it."""
        name, steps = path.name, path.steps
        while True:
            self._add(space, name, f"'{name}'")
            value = space.get(name)
            if not isinstance(value, types.ModuleType):
                # An attribute of an object does not call it.
                (self._visit_parts if steps else self.visit)(value)
                self._visit_steps(value, path._replace(name=name, steps=steps))
                return
            if not _is_users(getattr(value, "__file__", None) or "<") or not steps or steps[0].is_item:
                return
            space, name, steps = value.__dict__, steps[0].key, steps[1:]

    def _visit_steps(self, value: Any, path: Path) -> None:
        """Adds the attributes and items on a path from a value, as far as they are in dicts and lists."""
        label = path.name
        for place, step in enumerate(path.steps):
            label += f"[{step.key!r}]" if step.is_item else f".{step.key}"
            if step.is_item:
                holder: Any = value if type(value) in (dict, list) else None
            else:
                holder = self._holder_of(value, step.key, f"'{label}'", step)
            try:
                inner = holder[step.key] if type(holder) in (dict, list) else _MISSING
            except (LookupError, TypeError):
                inner = _MISSING
            if inner is _MISSING:
                return
            key = step.key
            if isinstance(holder, list):
                key = range(len(holder))[key]
            if step.is_item or not isinstance(value, Whole):
                self._add(holder, key, f"'{label}'", step)
            # See _reads for the attributes of modules.
            (self.visit if place + 1 == len(path.steps) else self._visit_parts)(inner)
            self._visit_member(inner, value)
            value = inner

    def _holder_of(self, value: Any, name: str, label: str, step: Step) -> Any:
        """Returns the dict that has an attribute of an object or a class of the user, or None. Those that are looked
        through before must not get one."""
        kind = value if isinstance(value, type) else type(value)
        dicts = [] if isinstance(value, type) else [getattr(value, "__dict__", None)]
        if not (_is_users_class(kind) or isinstance(value, (*_NAMESPACES, Whole))):
            return None
        dicts += [_dict_of(base) for base in kind.__mro__ if _is_users_class(base)]
        for number, one in enumerate(dicts):
            if type(one) is dict and name in one:
                for before in dicts[:number]:
                    if type(before) is dict and not isinstance(value, Whole):
                        self._add(before, name, label, step)
                return one
        return None

    def _visit_member(self, member: Any, value: Any) -> None:
        """Adds what a method or a property of a class of the user reads of its object."""
        self._visit_method(member.fget if isinstance(member, property) else member, value)

    def _visit_class(self, kind: type) -> None:
        for base in kind.__mro__:
            if _is_users_class(base):
                kept = set(self._set)
                for value in list(vars(base).values()):
                    if _is_member(value):
                        self.visit(value)
                # Not each of its methods is called: those that the code names are visited as such.
                self._set = kept

    def _visit_items(self, value: Any) -> None:
        self._items += len(value)
        if self._items > _MOST_ITEMS:
            return
        items = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
        members = [key for key, one in items if _is_member(one)]
        if members and isinstance(value, (list, dict)):
            for key in members:
                self._add(value, key, f"an item [{key!r}]")
            if isinstance(value, list):
                # There is nothing behind the last one.
                self._add(value, len(value), "the length of a list")
        for _, one in items:
            self.visit(one)

    def _visit_object(self, value: Any) -> None:
        own = getattr(value, "__dict__", None)
        for key, one in list(own.items()) if isinstance(own, dict) else ():
            # Compiled methods are not members; see _reads for the attributes of modules.
            if key.startswith("<") or key == "_name":
                continue
            if not isinstance(value, Whole) and _is_member(one):
                self._add(own, key, f"the attribute '{key}'")
            self.visit(one)
        self._visit_class(type(value))


def _is_users(filename: str) -> bool:
    return not (filename.startswith((PACKAGE, *_LIBRARIES)) or _PACKAGES & {*filename.split(os.sep)})


def _is_users_class(kind: type) -> bool:
    """Returns true if a class is in the code of a user, not in a library."""
    name = getattr(kind, "__module__", None) or "builtins"
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
