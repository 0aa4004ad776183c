# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values that traced functions have from outside. A function is traced again when one of them is another one, as
plain Python would use that; `_reachable` finds them."""

import threading
import weakref
from typing import Any, Dict, List, NamedTuple, Sequence, Set, Tuple

from .._core.trace import warn_user
from .._core.tree import Whole
from .._errors import module_names
from .._flywheel import CompileWarning
from ..namespace import add_source_of_garbage
from ._draws import States, is_alone, states_of, warn_of_draws, warn_of_iterators
from ._reachable import Reached, find_places
from ._writes import Writes
from .places import Computed, Elements, Length, Local, Members, Value

__all__ = ["Before", "Captures"]

# Numbers of a value of which more than this many were seen are arguments: a program is not traced for each.
_MOST_CHANGES = 4
# The functions that may have traces of values that are no longer those of now.
_functions: "weakref.WeakSet[Any]" = weakref.WeakSet()

Found = Dict[Tuple[Any, ...], Value]


class Before(NamedTuple):
    """The values of places, and the states of generators of random numbers, as they are before one trace."""

    values: Found
    states: States
    # True if no other thread runs, which may write a place while the function is traced.
    is_alone: bool


class Captures:
    """The values that the traces of one function have seen."""

    def __init__(self, function: Any) -> None:
        self._function = weakref.ref(function)
        self._values: Found = {}
        # The numbers of traces, one after the other, that have written a place themselves.
        self._written: Dict[Tuple[Any, ...], int] = {}
        # The places, and by id the containers, whose values have changed during the last trace, beside other threads.
        self._suspected: Set[Any] = set()
        # Threads that wait for each other trace at once: see `Turns`.
        self._lock = threading.RLock()
        # The modules of the calls that read a value of their arguments; a value that the code itself reads has an empty
        # list.
        self._readers: Dict[Tuple[Any, ...], List[Sequence[Any]]] = {}
        # The changes of each value, by its label.
        self._changes: Dict[str, int] = {}

    def look(self, arguments: Sequence[Any]) -> Before:
        """Returns the values of now, before the function is traced for these arguments as they are."""
        found = self._find(arguments)
        own, others = _values_of(found)
        return Before({**others, **own}, states_of(found.generators), is_alone())

    def take(self, before: Before, arguments: Sequence[Any], has_made_variables: bool) -> None:
        """Takes the values of now, after the function has been traced: it may have made some. One that tracing has
        written, such as an attribute that is computed when it is first read, is watched as others are, for what the
        program sets later. A place that one trace after the other writes, a counter that is read as well, has the value
        that the last trace of any function has left. If another thread has written a place meanwhile, it takes the
        value before, as nobody knows which of them the trace has seen: the next call traces again. Warns of random
        numbers that tracing has drawn, unless they may be the initial values of variables, and of iterators."""
        function = self._function()
        if function is None:
            return
        reached = self._find(arguments)
        if not has_made_variables:
            warn_of_draws(function.name, before.states)
        warn_of_iterators(function.name, reached.iterators)
        own, others = _values_of(reached)
        found = {**others, **own}
        with self._lock:
            self._take_changes(before, found, reached)
            readers = [weakref.ref(one) for one in arguments if isinstance(one, Whole)]
            for key in others:
                self._readers.setdefault(key, []).append(readers)
            for key in own:
                self._readers[key] = [[]]
            # A list has other places when it holds a number at first, and an object with parts later.
            containers = {key[1] for key, one in found.items() if isinstance(one.place, (Elements, Length))}
            kept = {key: one for key, one in self._values.items() if key in found or key[1] not in containers}
            self._set({**kept, **found})
        for one in list(_functions):
            if one is not function:
                one._captures._take_written(before.values, {key: found[key] for key in self._written if key in found})
        _functions.add(function)

    def _take_changes(self, before: Before, found: Found, reached: Reached) -> None:
        """Finds the places that tracing has written. In `found`, those that another thread has written, or may have,
        get the values that they had before."""
        alone = before.is_alone and is_alone()
        suspected = set()
        for key, value in list(found.items()):
            old = before.values.get(key, self._values.get(key))
            if old is None or old.holds() or isinstance(value.place, (Computed, Local, Members)):
                self._written.pop(key, None)
                continue
            # The code has written the place if it changes during one trace after the other.
            one = key[1] if value.place.name is None else key
            if alone or (one in self._suspected and reached.writes.may_write(value.place)):
                self._written[key] = self._written.get(key, 0) + 1
            else:
                found[key] = old
            suspected.add(one)
        self._suspected = suspected

    def _take_written(self, before: Found, written: Found) -> None:
        """Takes the values that a trace of another function has written to places that each trace of this one writes,
        too, if they were as this one has left them: both would be traced in turns for ever."""
        with self._lock:
            shared = {key: one for key, one in written.items()
                      if self._written.get(key, 0) > 1 and key in self._values and key in before
                      and self._values[key].is_as(before[key])}  # fmt: skip
            if shared:
                self._set({**self._values, **shared})

    def drop_unread(self) -> None:
        """Lets go of the values that only calls with modules read which are gone."""
        kept = {key for key, all_readers in self._readers.items()
                if any(all(one() is not None for one in readers) for readers in all_readers)}  # fmt: skip
        if len(kept) < len(self._readers):
            self._readers = {key: one for key, one in self._readers.items() if key in kept}
            self._set({key: one for key, one in self._values.items() if key in kept})

    def changed(self) -> List[Value]:
        """Returns the values that are others now. If there are none, numbers that are equal are taken for the ones
        that were."""
        function = self._function()
        if function is None or function._holds_captures():
            return []
        changed = [one for one in list(self._values.values()) if not one.holds()]
        if not changed:
            self._set({key: Value(one.place) for key, one in self._values.items()})
        elif all(one.is_rebuilt() for one in changed):
            # The places are those of the new lists and dicts from now on.
            own, _ = _values_of(self._find(()))
            others = {key: one for key, one in self._values.items() if [] not in self._readers.get(key, [])}
            self._readers = {**{key: self._readers[key] for key in others if key in self._readers},
                             **{key: [[]] for key in own}}  # fmt: skip
            self._set({**others, **own})
            return []
        return changed

    def warn_of(self, changed: Sequence[Value]) -> None:
        """Warns once for each value whose changes cost one trace after the other."""
        function = self._function()
        if function is None:
            return
        for one in changed:
            label = one.place.label
            self._changes[label] = count = self._changes.get(label, 0) + 1
            if count == _MOST_CHANGES:
                warn_user(f"'{function.name}' is traced and compiled again whenever '{label}' has another value, "
                          f"{count} times until now: make it an argument, or a variable that is set", CompileWarning)

    def forget(self) -> None:
        self._readers.clear()
        self._set({})

    def _find(self, arguments: Sequence[Any]) -> Reached:
        function = self._function()
        return Reached([], [], [], [], Writes()) if function is None else find_places(function._function, arguments)

    def _set(self, values: Found) -> None:
        self._values = values = {key: one for key, one in values.items() if not one.place.is_gone}
        function = self._function()
        if function is not None:
            function._set_captures([one.row for one in values.values()])


def _values_of(reached: Reached) -> List[Found]:
    return [{one.key: Value(one) for one in part} for part in (reached.own, reached.of_arguments)]


def forget_all() -> None:
    """Has all functions traced again: something that any of them may have read is otherwise now."""
    for function in list(_functions):
        function._forget_traces()


def drop_stale() -> bool:
    """Forgets the traces of all functions that would be traced again anyway: they keep variables that nothing else
    refers to. Returns true if there were any."""
    found = [function for function in list(_functions) if function._forget_stale()]
    return bool(found)


add_source_of_garbage(drop_stale)


module_names.when_set.append(forget_all)
