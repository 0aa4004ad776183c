# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of variables, optimizers and functions, and collections."""

import gc
import itertools
import re
import threading
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple, Type
from weakref import ReferenceType, WeakKeyDictionary, ref

from ._core import trace as _trace
from ._core.members import Members
from ._variables.origins import Origin, let_go_of_last_error

GLOBAL = "GLOBAL"
LOCAL = "LOCAL"
TRAINABLE = "TRAINABLE"

# The last names of one kind that are looked at before another one is given.
_MOST_HOLDERS = 128
# Functions that let go of objects which nobody needs, and return true if there were some.
_sources_of_garbage: List[Callable[[], bool]] = []


def add_source_of_garbage(let_go: Callable[[], bool]) -> None:
    """Has `let_go` called before an object with a wanted name counts as one that is in use."""
    _sources_of_garbage.append(let_go)


def _let_go() -> bool:
    return any([one() for one in _sources_of_garbage])


class Streams:
    """The streams of random numbers of a function. If it has no variables, they are those of its Python code, and the
    next function of this code, when the object is gone, goes on with them."""

    def __init__(self) -> None:
        self._made_of: Optional[ReferenceType[Any]] = None
        self._are_used = self._are_of_variables = False

    def made_of(self, code: Any) -> None:
        self._made_of = None if code is None else ref(code)

    def note(self, draws: bool, has_variables: bool) -> None:
        """Takes note of a trace of the function."""
        self._are_used |= draws
        self._are_of_variables |= has_variables

    @property
    def made_of_code(self) -> Any:
        return None if self._made_of is None else self._made_of()

    @property
    def code(self) -> Any:
        """The Python code that the streams are kept for, as long as it is there; None if they go with the function."""
        return self.made_of_code if self._are_used and not self._are_of_variables else None


class Scope:
    """A name scope: as a str, what the names in it begin with."""

    def __init__(self, name: "Name") -> None:
        self._name = name

    def __str__(self) -> str:
        return f"{self._name.text}/"

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return str(self) == str(other) if isinstance(other, (str, Scope)) else NotImplemented

    def __hash__(self) -> int:
        return hash(str(self))


class Name:
    """The name of a variable, an optimizer, a function or a scope.

    The object is the identity; its text is made when somebody asks for it. Then all objects of the namespace that
    wait for a name get theirs, in the order in which they were created. An object that was dropped before takes no
    name, and its name is free again: a cell of a notebook that is executed twice makes `w` twice, not `w` and `w_1`.
    """

    __slots__ = ("__weakref__", "_default", "_is_asked_for", "_is_dropped", "_is_open", "_is_owned", "_is_settled",
                 "_namespace", "_origin", "_pool", "_scope", "_text", "_wanted", "_was_found_in_use",
                 "streams")  # fmt: skip

    def __init__(
        self, namespace: "Namespace", scope: "Optional[Name]", wanted: str, pool: str, kind: Optional[Type[Any]] = None
    ) -> None:
        self._namespace = namespace
        self._origin = Origin(kind)
        # Functions are named apart from variables.
        self._pool = pool
        # The name that its text begins with, before a slash; lives as long as this one.
        self._scope = scope
        self._wanted = self._default = wanted
        self._text: Optional[str] = None
        self._is_owned = False
        # True if the user has chosen this name, and is warned if it becomes another one.
        self._is_asked_for = False
        # True if the block that has made it has failed: another object may have the name.
        self._is_dropped = False
        self._is_open = False
        # True if all members of the module with this name are named; setting an attribute resets it.
        self._is_settled = False
        # True if the object was more than garbage when another one wanted its name.
        self._was_found_in_use = False
        # The random streams, if this is the name of a function.
        self.streams = Streams()

    @property
    def namespace(self) -> "Namespace":
        return self._namespace

    @property
    def has_text(self) -> bool:
        """True if the text was read, which does not change from then on."""
        return self._text is not None

    @property
    def is_open(self) -> bool:
        """True if the user has not chosen the name: the module of the object then does, by the path to it."""
        return self._is_open

    def unsettle(self) -> None:
        """Before what has this name may have members without a name."""
        self._is_settled = False

    def adopt(self, member: "Name", path: str) -> None:
        """Names `member` by its path in what has this name, unless it has a name of its own or a text already."""
        if member._is_open and member._text is None and member._namespace is self._namespace:
            member._scope, member._wanted = self, path

    @property
    def owner(self) -> "Name":
        """The name of the object that owns the value: the optimizer, for a number of an optimizer."""
        return self._scope if self._is_owned and self._scope is not None else self

    @property
    def wanted(self) -> str:
        """The name that was asked for, without scopes and suffix."""
        return self._wanted

    @property
    def text(self) -> str:
        if self._text is None:
            # An object from a block that has failed, which somebody still holds, gets a name of its own.
            if self._is_dropped:
                self._namespace._wait_again(self)
            self._namespace._give_names()
        # A variable that is being created in a block which fails has only its wanted name.
        return self._text or self._wish()

    def renamed(self) -> Optional[Tuple[str, str]]:
        """The wanted text and the one with a suffix, of this name or the outermost of its scopes that has a suffix:
        another object, which is still in use, has the wanted one. None if there is no suffix."""
        outer = self._scope.renamed() if self._scope is not None else None
        return outer or (None if self.text == self._wish() else (self._wish(), self.text))

    def is_made_again(self, other: "Name") -> bool:
        """Returns true if the object is of another run of the code that has made `other`: a cell of a notebook that was
        executed again."""
        return other is not self and other._origin.is_earlier_run(self._origin)

    def _wish(self) -> str:
        """Returns the wanted text, without a suffix."""
        scope = self._scope
        return self._wanted if scope is None else f"{scope._text or scope._wish()}/{self._wanted}"


class Namespace:
    """Variables by name, in the order of their creation, and collections of anything.

    Names differ: one that another object has gets a suffix, as `w`, `w_1`, `w_2` (N2). There is
    a default one; `with Namespace():` makes another one the current one, for programs
    that are to know nothing of each other. Threads share the names and collections of
    a namespace; name scopes are those of one thread.

    A namespace keeps no variable: what nothing refers to, no traced function either, is
    collected, and its name is free (N16).
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        # The owner of each name, and the last suffix that was given to it.
        self._taken: Dict[str, ReferenceType[Name]] = {}
        self._last: Dict[str, int] = {}
        # By name, streams of functions that are gone, but whose code is not: the name is kept for the next one.
        self._left: Dict[str, Streams] = {}
        # The objects without a text, in the order of creation.
        self._waiting: List[ReferenceType[Name]] = []
        # Members by tokens: one is taken out in one step, whatever other threads do.
        self._collections: Dict[str, Dict[object, Callable[[], Any]]] = {}
        self._members: Dict[int, ReferenceType[Any]] = {}
        # Modules, which name what is in them.
        self._trees: Dict[int, ReferenceType[Any]] = {}
        self._count = itertools.count()

    def __deepcopy__(self, _: Any) -> "Namespace":
        # A copy of variables or optimizers is in the same namespace.
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

    # Names

    def name(
        self, wanted: str, owner: Optional[Name] = None, is_open: bool = False, kind: Optional[Type[Any]] = None
    ) -> Name:
        """A name for a new variable, optimizer or scope: `wanted`, or the first of `wanted_1`, `wanted_2`, ... that is
        free when it is asked for; after that of its owner, or in the current name scope. With `is_open` a module may
        choose another one. `kind` is the class of the object, if users define it. Raises ValueError for one that no
        variable can have (N1)."""
        if not wanted or re.search(r"[\s:^]", wanted) or wanted.startswith("/"):
            raise ValueError(f"'{wanted}' is not a valid name: expected no spaces, ':' or '^', and something")
        prefixes = self._own.prefixes
        found = Name(self, owner or (prefixes[-1] if prefixes else None), wanted, "", kind)
        found._is_owned, found._is_open = owner is not None, is_open
        return self._wait(found)

    def another_name(self, name: Name) -> Name:
        """A name for a copy of what has `name`."""
        if name._is_open:
            return self.name(name._default, is_open=True)
        return self._wait(Name(self, name._scope, name._wanted, name._pool))

    def name_function(self, wanted: str, code: Any = None) -> Name:
        """A name for a new function of this Python code."""
        found = Name(self, None, wanted, "function ")
        found.streams.made_of(code)
        return self._wait(found)

    def _wait(self, found: Name) -> Name:
        with self._lock:
            self._waiting.append(ref(found))
        # The block that fails does not keep what it has made.
        waits = ref(found)
        self._to_undo(lambda: self._drop(waits()))
        return found

    def _wait_again(self, name: Name) -> None:
        with self._lock:
            if name._is_dropped:
                name._is_dropped = False
                self._waiting.append(ref(name))

    def find(self, text: str) -> Optional[Name]:
        """Returns the object with this name, or None."""
        self._give_names()
        found = self._taken.get(text)
        return None if found is None else found()

    def _is_free(self, text: str) -> bool:
        found = self._taken.get(text)
        if found is not None and found() is not None:
            return False
        if text in self._left and self._left[text].code is None:
            del self._left[text]
        return text not in self._left

    def _give_names(self) -> None:
        # Behind another thread that gives names: it may have taken what waits.
        with self._lock:
            if not self._waiting:
                return
            is_open = any(name is not None and name._is_open for name in [one() for one in self._waiting])
        trees = self._name_trees() if is_open else []
        self._collect_garbage()
        others: List[str] = []
        with self._lock:
            waiting, self._waiting = self._waiting, []
            names = {id(name): name for name in [reference() for reference in waiting] if name is not None}
            for name in list(names.values()):
                self._give(name, names, others)
            del names
            for tree in [one() for one in trees]:
                if tree is not None:
                    tree._name._is_settled = not tree._may_grow()
        for text in others:
            _trace.warn_user(text, UserWarning)

    def _give(self, name: Name, waiting: Dict[int, Name], others: List[str]) -> None:
        """Gives one of the names that wait its text, after that of its scope."""
        if name._text is not None:
            return
        if name._scope is not None and id(name._scope) in waiting:
            self._give(name._scope, waiting, others)
        wish = name._pool + name._wish()
        text = self._take_again(name.streams, wish) or self._take(wish)
        last, left, streams = self._last, self._left, name.streams

        def free(_: object, number: str = text[len(wish) + 1 :]) -> None:
            if streams.code is not None:
                left[text] = streams
            # The next one begins to look here.
            if number:
                last[wish] = min(last.get(wish, 0), int(number) - 1)

        self._taken[text] = ref(name, free)
        name._text = text.removeprefix(name._pool)
        if name._text == name._wish():
            return
        if name._is_asked_for:
            others.append(f"a variable in use is called '{name._wish()}': another one of this name is '{name._text}', "
                          "in checkpoints too")  # fmt: skip
        elif any(name.is_made_again(one) for one in self._holders_of(wish)):
            others.append(f"'{name._wish()}' is the name of what an earlier run of this code has made, and something "
                          f"keeps that, such as another object or an output of the notebook (Out, _): the new one is "
                          f"'{name._text}', in checkpoints too. Let go of the old one, or give a name")  # fmt: skip

    def _take_again(self, streams: Streams, wish: str) -> Optional[str]:
        """Returns the name of a function of the same code that is gone, whose streams are continued; or None."""
        found = [text for text, one in list(self._left.items())
                 if one.code is not None and one.code is streams.made_of_code and text.startswith(wish)]  # fmt: skip
        if not found:
            return None
        text = min(found, key=lambda text: (len(text), text))
        del self._left[text]
        return text

    def _take(self, wish: str) -> str:
        if self._is_free(wish):
            self._last.pop(wish, None)
            return wish
        count = self._last.get(wish, 0) + 1
        while not self._is_free(f"{wish}_{count}"):
            count += 1
        self._last[wish] = count
        return f"{wish}_{count}"

    def _collect_garbage(self) -> None:
        """Makes sure that older objects which have a wanted name are more than garbage that waits in a cycle. It looks
        for garbage if one of them was not there when it looked last; of many, if several of them were not."""
        with self._lock:
            names = [name for name in [reference() for reference in self._waiting] if name is not None]
            wishes = {name._pool + name._wish() for name in names}
            holders = {wish: self._holders_of(wish) for wish in wishes}
            is_rerun = any(name.is_made_again(one) for name in names for one in holders[name._pool + name._wish()])
            # The object of an earlier run may wait for its name, too.
            is_rerun = is_rerun or _are_of_several_runs(names)
            del names
        if not is_rerun and not any(holders.values()):
            return
        if is_rerun:
            let_go_of_last_error()
        if _let_go() or is_rerun or any(
            sum(not one._was_found_in_use for one in found) > self._last.get(wish, 0) // 16
            for wish, found in holders.items()
        ):  # fmt: skip
            kept = [[ref(one) for one in found] for found in holders.values()]
            holders.clear()
            # Without the lock: what is collected may wait for other threads.
            gc.collect()
            for name in [one() for found in kept for one in found]:
                if name is not None:
                    name._was_found_in_use = True

    def _holders_of(self, wish: str) -> List[Name]:
        """Returns the objects whose names are in the way of a new one that wants `wish`; of many, the last ones."""
        last = self._last.get(wish, 0)
        names = [wish, *[f"{wish}_{number}" for number in range(max(1, last - _MOST_HOLDERS), last + 1)]]
        found = [self._taken[text]() for text in names if text in self._taken]
        return [one for one in found if one is not None]

    def _drop(self, name: Optional[Name]) -> None:
        """Takes a name away from what a block that has failed has made."""
        if name is None:
            return
        with self._lock:
            self._waiting = [reference for reference in self._waiting if reference() is not name]
            text = name._pool + (name._text or "")
            if text in self._taken and self._taken[text]() is name:
                del self._taken[text]
                wish, _, number = text.rpartition("_")
                if number.isdigit() and wish in self._last:
                    self._last[wish] = min(self._last[wish], int(number) - 1)
            name._text, name._is_dropped = None, True

    def _to_undo(self, action: Callable[[], object]) -> None:
        undo = self._own.undo
        if undo is not None:
            undo.append(action)

    @contextmanager
    def name_scope(self, name: str) -> Iterator["Scope"]:
        """Prefixes the names that are created in it with `name/`, made unique."""
        prefix = self.name(name.rstrip("/"))
        own = self._own
        own.prefixes.append(prefix)
        try:
            yield Scope(prefix)
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

    # Trees

    def add_tree(self, tree: Any) -> None:
        """Adds a module: what has `_name`, `_members`, its modules and variables with the keys on the way there,
        `_path`, the path of these, and `_may_grow`, whether there may be more though no attribute is set. It is not
        kept."""
        self._add(self._trees, tree)

    def _name_trees(self) -> List[ReferenceType[Any]]:
        """Puts what modules have into the scopes of these: those that no other one has first, so that what is in
        several places is named by the first path from there. Returns the modules that it has looked at, which may be
        garbage."""
        with self._lock:
            trees = [tree for tree in [reference() for reference in self._trees.values()]
                     if tree is not None and not tree._name._is_settled]  # fmt: skip
        members = {id(tree): list(tree._members()) for tree in trees}
        inner = {id(member) for found in members.values() for _, member in found}
        named: Set[int] = set()
        for tree in [*[tree for tree in trees if id(tree) not in inner], *trees]:
            if id(tree) not in named:
                self._visit(tree, members, named)
        return [ref(tree) for tree in trees]

    def _visit(self, tree: Any, members: Dict[int, List[Any]], named: Set[int]) -> None:
        named.add(id(tree))
        for keys, member in members.get(id(tree), ()):
            if id(member) not in named:
                if not member._name.has_text:
                    tree._name.adopt(member._name, tree._path(keys))
                self._visit(member, members, named)

    # Variables

    @property
    def variables(self) -> Dict[str, Any]:
        """The variables that exist, by name, in the order of creation: a copy."""
        return {variable.name: variable for variable in self._living()}

    def _living(self) -> List[Any]:
        _let_go()
        with self._lock:
            members = list(self._members.values())
        return [variable for variable in [member() for member in members] if variable is not None]

    def _add_variable(self, variable: Any) -> None:
        self._add(self._members, variable)

    def _add(self, members: Dict[int, ReferenceType[Any]], member: Any) -> None:
        key = next(self._count)
        with self._lock:
            members[key] = ref(member, lambda _: members.pop(key, None))
        self._to_undo(lambda: members.pop(key, None))

    def add_to_collection(self, key: str, member: Any) -> None:
        """Adds something to a collection, which keeps it unless it is a variable."""
        token = object()
        with self._lock:
            members = self._collections.setdefault(key, {})
        if isinstance(getattr(member, "_name", None), Name):
            members[token] = ref(member, lambda _: members.pop(token, None))
        else:
            members[token] = lambda: member
        self._to_undo(lambda: members.pop(token, None))

    def remove_from_collection(self, key: str, member: Any) -> None:
        """Removes something from a collection, if it is a member."""
        members = self._collections.get(key, {})
        for token, get in list(members.items()):
            if get() is member:
                members.pop(token, None)

    def collection(self, key: str, scope: Optional[str] = None) -> List[Any]:
        """The members of a collection, in order; with `scope`, those whose name this
        regular expression matches at its start (N13). A copy, in which `in` and `index`
        find a variable itself and none of equal values; empty for an unknown key.
        """
        _let_go()
        own = list(self._collections.get(key, {}).values())
        members = [member for get, member in [(get, get()) for get in own]
                   if member is not None or not isinstance(get, ReferenceType)]  # fmt: skip
        if scope is None:
            return Members(members)
        if not isinstance(scope, (str, Scope)):
            raise TypeError(f"expected a str as scope, the prefix of names, found {scope!r}")
        pattern = re.compile(str(scope))
        return Members(member for member in members if pattern.match(getattr(member, "name", "")))

    def __enter__(self) -> "Namespace":
        _local.stack.append(self)
        return self

    def __exit__(self, *_: Any) -> None:
        _local.stack.pop()


def _are_of_several_runs(names: List[Name]) -> bool:
    """Returns true if one of the objects is of an earlier run of the code that has made another one of its name."""
    found: Dict[Tuple[str, str], List[Name]] = {}
    for name in names:
        own = found.setdefault((name._pool, name._wish()), [])
        if any(name.is_made_again(one) for one in own[-_MOST_HOLDERS:]):
            return True
        if not own or not own[-1]._origin.is_one_run(name._origin):
            own.append(name)
    return False


class _Own:
    """The state of one thread in a namespace."""

    def __init__(self) -> None:
        self.prefixes: List[Name] = []
        # Functions that undo the changes in a block of `all_or_nothing`; None outside of one.
        self.undo: Optional[List[Callable[[], object]]] = None


class _Local(threading.local):
    def __init__(self) -> None:
        self.stack: List[Namespace] = []
        self.own: WeakKeyDictionary[Namespace, _Own] = WeakKeyDictionary()


_local = _Local()
_default = Namespace()


def current_namespace() -> Namespace:
    """Returns the namespace in which this thread creates names."""
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
