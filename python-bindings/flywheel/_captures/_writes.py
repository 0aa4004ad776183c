# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The places that code which a trace reaches may write. Beside other threads nobody knows otherwise who has written
one."""

import types
from typing import Any, Optional, Set, Tuple

from .._core.objects import dict_of
from .._core.users import dict_of_class
from .code_names import Assigned, Names, Path, Root, names_of
from .places import Attribute, Place


class Writes:
    """Says which places the code that was reached may write."""

    def __init__(self) -> None:
        # Names with the ids of the dicts, closures and objects that have them.
        self._places: Set[Tuple[str, int]] = set()
        # The attributes of objects that the code computes, and of the objects of a method, with the method's name.
        self._names: Set[str] = set()
        self._members: Set[Tuple[str, str]] = set()
        self._setters: Set[types.CodeType] = set()
        self._writes_any = self._writes_items = False

    def add(self, names: Names, function: Optional[types.FunctionType] = None) -> None:
        """Adds what code writes, of which a function is made."""
        self._writes_any = self._writes_any or names.writes_any
        self._writes_items = self._writes_items or names.writes_items
        for one in names.written:
            found = None if function is None else _holder_of(function, one)
            if found is not None:
                self._places.add((one.name, id(found)))
            elif function is not None and one.owner is not None and _is_own(function, one.owner):
                self._members.add((one.name, function.__name__))
            elif one.root is None or function is None:
                self._names.add(one.name)

    def add_setters(self, kind: type) -> bool:
        """Adds the methods of a class that assignments to attributes call. Returns true if there were new ones."""
        names = {*self._names, *(name for name, _ in self._places), *(name for name, _ in self._members)}
        found = [getattr(vars(kind).get(name), "fset", None) for name in names]
        found += [getattr(type(vars(kind).get(name)), "__set__", None) for name in names]
        found += [vars(kind).get("__setattr__")] if names else []
        codes = {one.__code__ for one in found if type(one) is types.FunctionType} - self._setters
        self._setters |= codes
        for code in codes:
            self.add(names_of(code))
        return bool(codes)

    def may_write(self, place: Place) -> bool:
        """Returns true if the code may write a place, or what it calls: functions of libraries change containers and
        arrays that they are given."""
        name = place.name
        if name is None:
            return self._writes_any or self._writes_items
        if self._writes_any or name in self._names:
            return True
        owner = place.owner if isinstance(place, Attribute) and not place.is_gone else None
        holders = [place.key[1], *(map(id, type(owner).__mro__) if owner is not None else ())]
        if any((name, one) in self._places for one in holders):
            return True
        if owner is None:
            return any(written == name for written, _ in self._members)
        kinds = owner.__mro__ if issubclass(type(owner), type) else type(owner).__mro__
        return any(written == name and method in vars(kind) for written, method in self._members for kind in kinds)


def _is_own(function: types.FunctionType, path: Path) -> bool:
    """Returns true for the path of the object that a function is a method of."""
    outer, _, _ = function.__qualname__.rpartition(".")
    return path.root is Root.RECEIVER and not path.steps and outer != "" and not outer.endswith("<locals>")


def _holder_of(function: types.FunctionType, assigned: Assigned) -> Any:
    """Returns the dict, the closure or the object that has the name which code of a function assigns; None if only a
    call knows it."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    if assigned.root is Root.GLOBAL:
        return function.__globals__
    if assigned.root is Root.FREE:
        # Other variables of closures are the function's own.
        return cells.get(assigned.name)
    path = assigned.owner
    try:
        if path is None or path.root is Root.RECEIVER:
            return None
        value = function.__globals__[path.name] if path.root is Root.GLOBAL else cells[path.name].cell_contents
        for step in path.steps:
            value = value[step.key] if step.is_item else dict_of(value)[step.key]  # type: ignore[index]
    except (LookupError, TypeError, ValueError):
        return None
    if issubclass(type(value), type):
        return dict_of_class(value)
    return value.__dict__ if issubclass(type(value), types.ModuleType) else value
