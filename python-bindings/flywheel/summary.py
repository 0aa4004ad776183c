# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of variables: what a model has, and what it takes."""

from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, Optional, Tuple, Union

import numpy as np

from ._core import dtypes as _dtypes
from ._functions.traced import Traced
from .function import Function
from .namespace import current_namespace
from .store import Store, current_store, is_stream
from .variables import Variable

__all__ = ["Summary", "SummaryRow", "summary"]


@dataclass(frozen=True)
class SummaryRow:
    """A variable: `nbytes` are those of its value, `slots` the names of what optimizers and averages keep for it, and
    `slot_nbytes` the bytes of these."""

    name: str
    shape: Tuple[int, ...]
    dtype: str
    nbytes: int
    trainable: bool
    slots: Tuple[str, ...] = ()
    slot_nbytes: int = 0

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(np.prod(self.shape, dtype=np.int64))


@dataclass(frozen=True)
class Summary:
    """The variables of a program or a store: str() gives a table. `others` is what belongs to no variable in it: counts
    of steps, rates of optimizers, places in streams of random numbers."""

    rows: Tuple[SummaryRow, ...]
    others: Tuple[SummaryRow, ...] = ()

    @property
    def trainable_size(self) -> int:
        """The elements of trainable variables."""
        return sum(row.size for row in self.rows if row.trainable)

    @property
    def size(self) -> int:
        """The elements of all variables but slots and others."""
        return sum(row.size for row in self.rows)

    @property
    def nbytes(self) -> int:
        """The bytes of all variables, slots and others."""
        return sum(row.nbytes + row.slot_nbytes for row in [*self.rows, *self.others])

    def __str__(self) -> str:
        titles = ("variable", "shape", "dtype", "elements", "bytes", "trainable", "slots", "slot bytes")
        table = [titles, *[_cells(row) for row in self.rows]]
        if self.others:
            table += [("(others)", *[""] * 7), *[_cells(row) for row in self.others]]
        widths = [max(len(line[i]) for line in table) for i in range(len(titles))]
        to_right = (3, 4, 7)
        lines = [
            "  ".join(x.rjust(n) if i in to_right else x.ljust(n) for i, x, n in zip(range(8), line, widths)).rstrip()
            for line in table
        ]
        rule = "-" * max(len(line) for line in lines)
        values = sum(row.nbytes for row in self.rows)
        slots = sum(row.slot_nbytes for row in self.rows)
        return "\n".join([
            lines[0], rule, *lines[1:], rule,
            f"{len(self.rows)} variables: {self.size:,} elements, of which {self.trainable_size:,} trainable",
            f"{self.nbytes:,} bytes: {values:,} of variables, {slots:,} of slots, "
            f"{self.nbytes - values - slots:,} of others",
        ])  # fmt: skip

    __repr__ = __str__


def _cells(row: SummaryRow) -> Tuple[str, ...]:
    return (row.name, str(row.shape), row.dtype, f"{row.size:,}", f"{row.nbytes:,}", "yes" if row.trainable else "no",
            ", ".join(row.slots), f"{row.slot_nbytes:,}" if row.slots else "")  # fmt: skip


def _nbytes(dtype: Any, shape: Iterable[int]) -> int:
    # Strings are numbers of a table.
    size = 8 if dtype == _dtypes.string or np.dtype(dtype).kind == "O" else np.dtype(dtype).itemsize
    return int(np.prod(tuple(shape), dtype=np.int64)) * size


# The variables of a state by name: dtype, shape, and whether it is trainable.
_State = Dict[str, Tuple[Any, Tuple[int, ...], bool]]


def _summarize(own: Iterable[Variable], state: _State, with_others: bool) -> Summary:
    """`own` are the variables to show, `state` all variables."""
    names = {variable.name: variable for variable in own}
    slots: Dict[str, List[str]] = {name: [] for name in names}
    others: List[str] = []
    for name in state:
        if name in names:
            continue
        # The slots of a variable are in its folder, `w/Adam`: the longest name that fits is the owner.
        places = [i for i, c in enumerate(name) if c == "/"]
        owner = next((name[:i] for i in reversed(places) if name[:i] in names), None)
        # But a function may have the name of a variable.
        if owner is not None and not is_stream(name[len(owner) + 1 :]):
            slots[owner].append(name)
        else:
            others.append(name)

    def bytes_of(name: str) -> int:
        dtype, shape, _ = state[name]
        return _nbytes(dtype, shape)

    rows = [
        SummaryRow(name, variable.shape, _dtypes.name_of(variable.dtype), _nbytes(variable.dtype, variable.shape),
                   variable.trainable, tuple(one[len(name) + 1 :] for one in slots[name]),
                   sum(bytes_of(one) for one in slots[name]))
        for name, variable in names.items()
    ]  # fmt: skip
    more = [SummaryRow(name, state[name][1], _dtypes.name_of(_dtypes.as_dtype(state[name][0])), bytes_of(name),
                       state[name][2]) for name in (others if with_others else ())]  # fmt: skip
    return Summary(tuple(rows), tuple(more))


def _state_of(store: Store) -> _State:
    found: _State = {}
    for name in store.names:
        known = store._type_of(store._find(name))
        if known is not None:
            found[name] = (known[0], tuple(known[1]), False)
    return found


def _of_traced(traced: Traced) -> Summary:
    """Returns the summary of the variables that a function's program reads and writes."""
    state = {one.name: (one.dtype, tuple(one.shape), one.trainable) for one in traced.program.variables}
    return _summarize(traced.owners.variables.values(), state, True)


def summary(of: "Union[None, Store, Function, Traced, Variable, Iterable[Variable]]" = None) -> Summary:
    """A table of variables: name, shape, dtype, elements, bytes, whether it is trainable, and what optimizers and
    averages keep for it, with the totals.

        print(fw.summary())         # those that there are in the current namespace
        print(fw.summary(step))     # of a traced function that was called: what its program has
        print(fw.summary([w, b]))   # these, and what the current store has for them
        print(fw.summary(store))    # all of a store

    Slots and others are known once a function that makes them was called. Raises ValueError for a function that was
    not called yet, TypeError for what has no variables.
    """
    if isinstance(of, Function):
        return _of_traced(of.trace())
    if isinstance(of, Traced):
        return _of_traced(of)
    if of is None or isinstance(of, Store):
        store = current_store() if of is None else of
        state = _state_of(store)
        known = current_namespace().variables
        shown = known.values() if of is None else [v for name, v in known.items() if name in state]
        return _summarize(shown, state, True)
    listed = _listed(of)
    return _summarize(listed, _state_of(current_store()), False)


def _listed(of: Any) -> List[Variable]:
    found: Optional[List[Any]] = None
    if isinstance(of, Variable):
        found = [of]
    elif isinstance(of, dict):
        found = list(of.values())
    elif hasattr(of, "variables") and not isinstance(of, (list, tuple)):
        own = of.variables
        found = list(own() if callable(own) else own)
    elif hasattr(of, "__iter__") and not isinstance(of, (str, bytes)):
        found = list(of)
    for one in found if found is not None else [of]:
        if not isinstance(one, Variable):
            raise TypeError(f"expected variables, a traced function or a store, found {one!r}")
    return found or []
