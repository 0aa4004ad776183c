# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of variables and optimizers, and collections."""

import re
import threading
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Optional, Tuple

GLOBAL = "GLOBAL"
LOCAL = "LOCAL"
TRAINABLE = "TRAINABLE"


class Namespace:
    """Variables by name, in the order of their creation, and collections of anything.

    Names differ: one that is taken gets a suffix, as `w`, `w_1`, `w_2` (N2). There is
    a default one; `with Namespace():` makes another one the current one, for programs
    that are to know nothing of each other.
    """

    def __init__(self) -> None:
        self._used: Dict[str, int] = {}
        self._collections: Dict[str, List[Any]] = {}
        self.variables: Dict[str, Any] = {}
        self._prefixes: List[str] = []

    def unique(self, name: str) -> str:
        """`name`, or the first of `name_1`, `name_2`, ... that is not taken; takes it."""
        count = self._used.get(name)
        if count is None:
            self._used[name] = 0
            return name
        while True:
            count += 1
            found = f"{name}_{count}"
            if found not in self._used:
                self._used[name] = count
                self._used[found] = 0
                return found

    def qualify(self, name: str) -> str:
        """`name` in the current name scope. Raises ValueError for one that no variable
        can have (N1)."""
        if not name or re.search(r"[\s:^]", name) or name.startswith("/"):
            raise ValueError(f"'{name}' is not a valid name: expected no spaces, ':' or '^', and something")
        return "/".join([*self._prefixes[-1:], name])

    @contextmanager
    def name_scope(self, name: str) -> Iterator[str]:
        """Puts `name/`, made unique, in front of what is created in it."""
        prefix = self.unique(self.qualify(name.rstrip("/")))
        self._prefixes.append(prefix)
        try:
            yield prefix + "/"
        finally:
            self._prefixes.pop()

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Forgets what is created in it, and the names, where it raises."""
        used, variables = dict(self._used), dict(self.variables)
        collections = {key: list(members) for key, members in self._collections.items()}
        try:
            yield
        except BaseException:
            kept: List[Tuple[Dict[str, Any], Dict[str, Any]]] = [
                (self._used, used), (self.variables, variables), (self._collections, collections)]
            for now, before in kept:
                now.clear()
                now.update(before)
            raise

    def add_to_collection(self, key: str, member: Any) -> None:
        self._collections.setdefault(key, []).append(member)

    def collection(self, key: str, scope: Optional[str] = None) -> List[Any]:
        """The members of a collection, in order; with `scope`, those whose name this
        regular expression matches at its start (N13). A copy; empty for an unknown key.
        """
        members = list(self._collections.get(key, []))
        if scope is None:
            return members
        pattern = re.compile(scope)
        return [member for member in members if pattern.match(getattr(member, "name", ""))]

    def __enter__(self) -> "Namespace":
        _local.stack.append(self)
        return self

    def __exit__(self, *_: Any) -> None:
        _local.stack.pop()


class _Local(threading.local):
    def __init__(self) -> None:
        self.stack: List[Namespace] = []


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
