# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts of containers and arrays that are watched: to compare all of a large one takes longer than a step."""

import contextlib
import sys
import weakref
from typing import Any, Dict, List, Tuple

import numpy as np

from .._core import dtypes as _dtypes
from .._core.trace import warn_user
from .._flywheel import CompileWarning
from ._foreign import is_foreign, place_of_foreign
from ._parts import steps_of
from .places import PLAIN, Bytes, Digest, Elements, Header, Item, Length, Place, container_of

# The elements that are watched of one container, if they are numbers and strings, or else.
_MOST_NUMBERS, _MOST_ITEMS = 100_000, 10_000
# The items that are watched of all containers of other things than numbers and strings.
_MOST_ITEMS_OF_ALL = 20_000
# The bytes that are compared of one array that may change in place, and of all; and of all larger ones, by digests:
# each call reads them.
MOST_BYTES, _MOST_BYTES_OF_ALL = 4096, 65536
MOST_DIGESTED = 64 << 20
# The arrays whose dtypes and sizes are watched, and the elements of all arrays behind these: each one is looked at
# before each call. The first arrays have more of them, and a later one a few.
_MOST_ARRAYS = 500
_MOST_SAMPLES, _SHARE, _FEWEST_SAMPLES = 2048, 16, 4

Found = Tuple[List[Place], List[Tuple[Any, str]]]

# By id, the arrays of which some elements are not watched, and of which the user knows.
_warned: Dict[int, "weakref.ref[Any]"] = {}


class Contents:
    """The containers and arrays that were looked at for one function."""

    def __init__(self) -> None:
        self._bytes = self._digested = self._items = self._arrays = self._samples = 0
        self._has_warned = False

    def look(self, value: Any, label: str) -> Found:
        """Returns the places of a container or an array, and its items with their labels."""
        if issubclass(type(value), np.ndarray):
            return self._look_at_array(value, label), []
        place = place_of_foreign(value, label, MOST_DIGESTED - self._digested)
        if place is not None:
            self._digested += place.size
            return [place], []
        if is_foreign(type(value)):
            _warn_of_array(value, label)
            return [], []
        return self._look_at_items(value, label)

    def _look_at_array(self, value: Any, label: str) -> List[Place]:
        places: List[Place] = []
        self._arrays += 1
        if self._arrays <= _MOST_ARRAYS:
            places.append(Header(value, label))
            if _dtypes.is_frozen(value):
                return places
        if value.dtype.hasobject:
            return places
        if value.nbytes <= MOST_BYTES and self._bytes + value.nbytes <= _MOST_BYTES_OF_ALL:
            self._bytes += value.nbytes
            places.append(Bytes(value, (1,) * value.ndim, label))
            return places
        if self._digested + value.nbytes <= MOST_DIGESTED:
            self._digested += value.nbytes
            places.append(Digest(value, label))
            return places
        _warn_of_array(value, label)
        count = max((_MOST_SAMPLES - self._samples) // _SHARE, _FEWEST_SAMPLES)
        if value.size and self._samples + count <= _MOST_SAMPLES:
            self._samples += count
            places.append(Bytes(value, steps_of(value, count), label))
        return places

    def _look_at_items(self, value: Any, label: str) -> Found:
        places: List[Place] = []
        parts: List[Tuple[Any, str]] = []
        kind = type(value)
        base = container_of(kind)
        if value is sys.modules:
            # It has another one after each import.
            return [], []
        count, items = base.__len__(value), list(base.__iter__(value))
        if count > _MOST_ITEMS and not (count <= _MOST_NUMBERS and all(isinstance(x, PLAIN) for x in items)):
            if not issubclass(kind, (tuple, frozenset)):
                with contextlib.suppress(ReferenceError):
                    warn_user(f"'{label}' has {count} items, and the traced function that reads it is not traced "
                              "again when one of them changes: make it an array, or an argument", CompileWarning)
            return [], []
        if not all(isinstance(one, PLAIN) for one in items) or (issubclass(kind, dict) and count):
            self._items += count
            if self._items > _MOST_ITEMS_OF_ALL:
                if not self._has_warned:
                    self._has_warned = True
                    with contextlib.suppress(ReferenceError):
                        warn_user(f"'{label}' is one of containers that have more than {_MOST_ITEMS_OF_ALL} items "
                                  "together, and the traced function that may read them is not traced again when one "
                                  "of the others changes: make them arrays, or arguments", CompileWarning)
                return [], []
        if issubclass(kind, dict):
            # Code that iterates reads the order, too.
            places.append(Elements(value, None, label))
            for key, one in list(dict.items(value)):
                places.append(Item(value, key, f"{label}[{key!r}]"))
                parts.append((one, f"{label}[{key!r}]"))
            return places, parts
        is_list = issubclass(kind, list)
        if not issubclass(kind, (tuple, frozenset)):
            if not is_list or all(isinstance(one, PLAIN) for one in items):
                places.append(Elements(value, None, label))
                is_list = False
            else:
                places.append(Length(value, None, label))
        for place, one in enumerate(items):
            if is_list:
                places.append(Item(value, place, f"{label}[{place}]"))
            parts.append((one, f"{label}[{place}]"))
        return places, parts


def _warn_of_array(value: Any, label: str) -> None:
    """Warns once of an array that is too large to be watched."""
    place = id(value)
    if place in _warned:
        return
    _warned[place] = weakref.ref(value, lambda _: _warned.pop(place, None))
    with contextlib.suppress(ReferenceError):
        warn_user(f"'{label}' is one of arrays that have more than {MOST_DIGESTED >> 20} MiB together, and the traced "
                  "function that reads it is not traced again when some elements of it change: make it an argument or "
                  "a flywheel.Variable, or, if it does not change, a NumPy array with flags.writeable = False",
                  CompileWarning)  # fmt: skip
