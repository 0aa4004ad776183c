# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values that traced functions have from outside. A function is traced again when one of them is another one, as
plain Python would use that; `_reachable` finds them."""

import weakref
from typing import Any, Dict, List, Sequence, Tuple

from ._flywheel import CompileWarning
from ._places import Place, Value
from ._reachable import find_places
from ._trace import warn_user
from ._tree import Whole
from .namespace import add_source_of_garbage

__all__ = ["Captures"]

# So many values are no few that a program goes through.
_MOST_CHANGES = 4
# The functions that may have traces of values that are no longer those of now.
_functions: "weakref.WeakSet[Any]" = weakref.WeakSet()

Found = Dict[Tuple[Any, ...], Value]


class Captures:
    """The values that the traces of one function have seen."""

    def __init__(self, function: Any) -> None:
        self._function = weakref.ref(function)
        self._values: Found = {}
        # The values as they were before the last trace, and the places that tracing itself has written.
        self._before: Found = {}
        self._written: Dict[Tuple[Any, ...], Place] = {}
        # The modules of the calls that read a value of their arguments; a value that the code itself reads has an empty
        # list.
        self._readers: Dict[Tuple[Any, ...], List[Sequence[Any]]] = {}
        # The changes of each value, by its label.
        self._changes: Dict[str, int] = {}

    def look(self, arguments: Sequence[Any]) -> None:
        """Takes the values of now, before the function is traced for these arguments as they are."""
        own, others = self._find(arguments)
        self._before = {**others, **own}

    def take(self, arguments: Sequence[Any]) -> None:
        """Takes the values of now, after the function has been traced: it may have made some. A value that tracing has
        written is none of them: a counter of traces."""
        function = self._function()
        if function is None:
            return
        own, others = self._find(arguments)
        found = {**others, **own}
        for key, value in found.items():
            old = self._before.get(key, self._values.get(key))
            if old is not None and not old.holds():
                self._written[key] = value.place
        self._before = {}
        readers = [weakref.ref(one) for one in arguments if isinstance(one, Whole)]
        for key in others:
            self._readers.setdefault(key, []).append(readers)
        for key in own:
            self._readers[key] = [[]]
        self._set({key: one for key, one in {**self._values, **found}.items() if key not in self._written})
        _functions.add(function)

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
        changed = [one for one in self._values.values() if not one.holds()]
        if not changed:
            self._set({key: Value(one.place) for key, one in self._values.items()})
        elif all(one.is_rebuilt() for one in changed):
            # The places are those of the new lists and dicts from now on.
            own, _ = self._find(())
            others = {key: one for key, one in self._values.items() if [] not in self._readers.get(key, [])}
            self._readers = {**{key: self._readers[key] for key in others if key in self._readers},
                             **{key: [[]] for key in own}}  # fmt: skip
            self._set({**others, **{key: one for key, one in own.items() if key not in self._written}})
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

    def _find(self, arguments: Sequence[Any]) -> List[Found]:
        function = self._function()
        places = ([], []) if function is None else find_places(function._function, arguments)
        return [{one.key: Value(one) for one in part} for part in places]

    def _set(self, values: Found) -> None:
        self._values = values
        function = self._function()
        if function is not None:
            function._set_captures([one.row for one in values.values()])


def drop_stale() -> bool:
    """Forgets the traces of all functions that would be traced again anyway: they keep variables that nothing else
    refers to. Returns true if there were any."""
    found = [function for function in list(_functions) if function._forget_stale()]
    return bool(found)


add_source_of_garbage(drop_stale)
