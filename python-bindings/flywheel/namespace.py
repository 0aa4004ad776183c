# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of variables and optimizers, and collections."""

import re
import threading
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Optional
from weakref import WeakKeyDictionary

GLOBAL = "GLOBAL"
LOCAL = "LOCAL"
TRAINABLE = "TRAINABLE"

# The names that are taken, and the last suffix that each got.
Names = Dict[str, List[int]]


def take_name(names: Names, name: str) -> str:
    """`name`, or the first of `name_1`, `name_2`, ... that is not taken; takes it. Of several threads that ask for a
    name one gets it: `setdefault` is one step."""
    mine = [0]
    last = names.setdefault(name, mine)
    if last is mine:
        return name
    count = last[0]
    while True:
        count += 1
        found = f"{name}_{count}"
        if names.setdefault(found, mine) is mine:
            last[0] = count
            return found


class Namespace:
    """Variables by name, in the order of their creation, and collections of anything.

    Names differ: one that is taken gets a suffix, as `w`, `w_1`, `w_2` (N2). There is
    a default one; `with Namespace():` makes another one the current one, for programs
    that are to know nothing of each other. Threads share the names and collections of
    a namespace; name scopes are those of one thread.
    """

    def __init__(self) -> None:
        self._used: Names = {}
        # Members by tokens: one is taken out in one step, whatever other threads do.
        self._collections: Dict[str, Dict[object, Any]] = {}
        self.variables: Dict[str, Any] = {}

    def __deepcopy__(self, _: Any) -> "Namespace":
        # What is copied with its variables or optimizers stays where they are.
        return self

    def __reduce__(self) -> Any:
        # Variables are not pickled: what was in this namespace is in that of the reader.
        return current_namespace, ()

    @property
    def _own(self) -> "_Own":
        own = _local.own.get(self)
        if own is None:
            own = _local.own[self] = _Own()
        return own

    def unique(self, name: str) -> str:
        """`name`, or the first of `name_1`, `name_2`, ... that is not taken; takes it."""
        base = self._used.get(name)
        count = base[0] if base else 0
        found = take_name(self._used, name)

        def forget() -> None:
            self.variables.pop(found, None)
            self._used.pop(found, None)
            now = self._used.get(name)
            if now is not None:
                now[0] = min(now[0], count)

        self._to_undo(forget)
        return found

    def _to_undo(self, action: Callable[[], object]) -> None:
        undo = self._own.undo
        if undo is not None:
            undo.append(action)

    def qualify(self, name: str) -> str:
        """`name` in the current name scope. Raises ValueError for one that no variable
        can have (N1)."""
        if not name or re.search(r"[\s:^]", name) or name.startswith("/"):
            raise ValueError(f"'{name}' is not a valid name: expected no spaces, ':' or '^', and something")
        return "/".join([*self._own.prefixes[-1:], name])

    @contextmanager
    def name_scope(self, name: str) -> Iterator[str]:
        """Puts `name/`, made unique, in front of what is created in it."""
        prefix = self.unique(self.qualify(name.rstrip("/")))
        own = self._own
        own.prefixes.append(prefix)
        try:
            yield prefix + "/"
        finally:
            own.prefixes.pop()

    @contextmanager
    def outside_scopes(self) -> Iterator[None]:
        """Makes this the current namespace, in no name scope: for names that are full already."""
        own = self._own
        prefixes, own.prefixes = own.prefixes, []
        try:
            with self:
                yield
        finally:
            own.prefixes = prefixes

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Forgets what this thread creates in it, and the names, where it raises."""
        own = self._own
        outer, own.undo = own.undo, []
        try:
            yield
        except BaseException:
            for action in reversed(own.undo):
                action()
            raise
        else:
            # A block around this one may still fail.
            if outer is not None:
                outer += own.undo
        finally:
            own.undo = outer

    def add_to_collection(self, key: str, member: Any) -> None:
        members, token = self._collections.setdefault(key, {}), object()
        members[token] = member
        self._to_undo(lambda: members.pop(token, None))

    def collection(self, key: str, scope: Optional[str] = None) -> List[Any]:
        """The members of a collection, in order; with `scope`, those whose name this
        regular expression matches at its start (N13). A copy; empty for an unknown key.
        """
        members = list(self._collections.get(key, {}).values())
        if scope is None:
            return members
        pattern = re.compile(scope)
        return [member for member in members if pattern.match(getattr(member, "name", ""))]

    def __enter__(self) -> "Namespace":
        _local.stack.append(self)
        return self

    def __exit__(self, *_: Any) -> None:
        _local.stack.pop()


class _Own:
    """What a thread has of a namespace."""

    def __init__(self) -> None:
        self.prefixes: List[str] = []
        # How to undo what was made in a block of `all_or_nothing`; None outside of one.
        self.undo: Optional[List[Callable[[], object]]] = None


class _Local(threading.local):
    def __init__(self) -> None:
        self.stack: List[Namespace] = []
        self.own: WeakKeyDictionary[Namespace, _Own] = WeakKeyDictionary()


_local = _Local()
_default = Namespace()


def current_namespace() -> Namespace:
    """Where names are taken from in this thread."""
    return _local.stack[-1] if _local.stack else _default


def name_scope(name: str) -> Any:
    """See `Namespace.name_scope`, of the current one."""
    return current_namespace().name_scope(name)


def collection(key: str, scope: Optional[str] = None) -> List[Any]:
    """See `Namespace.collection`, of the current one."""
    return current_namespace().collection(key, scope)


def add_to_collection(key: str, member: Any) -> None:
    """See `Namespace.add_to_collection`, of the current one."""
    current_namespace().add_to_collection(key, member)


def trainable_variables(scope: Optional[str] = None) -> List[Any]:
    """The variables of the collection TRAINABLE."""
    return collection(TRAINABLE, scope)


def global_variables(scope: Optional[str] = None) -> List[Any]:
    """The variables of the collection GLOBAL."""
    return collection(GLOBAL, scope)
