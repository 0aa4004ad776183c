# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts of containers and arrays that are watched: to compare all of a large one takes longer than a step."""

import contextlib
import sys
from typing import Any, List, Tuple

import numpy as np

from ._flywheel import CompileWarning
from ._parts import sample_of
from ._places import PLAIN, Bytes, Elements, Header, Item, Length, Place, container_of
from ._trace import warn_user

# The elements that are watched of one container, if they are numbers and strings, or else.
_MOST_NUMBERS, _MOST_ITEMS = 100_000, 10_000
# The items that are watched of all containers of other things than numbers and strings.
_MOST_ITEMS_OF_ALL = 20_000
# The bytes that are watched of one array that may change in place, and of all.
MOST_BYTES, _MOST_BYTES_OF_ALL = 4096, 65536

Found = Tuple[List[Place], List[Tuple[Any, str]]]


class Contents:
    """The containers and arrays that were looked at for one function."""

    def __init__(self) -> None:
        self._bytes = self._items = 0
        self._has_warned = False

    def look(self, value: Any, label: str) -> Found:
        """Returns the places of a container or an array, and its items with their labels."""
        if issubclass(type(value), np.ndarray):
            return self._look_at_array(value, label), []
        return self._look_at_items(value, label)

    def _look_at_array(self, value: Any, label: str) -> List[Place]:
        places: List[Place] = [Header(value, None, label)]
        is_few = value.nbytes <= MOST_BYTES and self._bytes + value.nbytes <= _MOST_BYTES_OF_ALL
        if is_few and not value.dtype.hasobject:
            self._bytes += value.nbytes
            places.append(Bytes(value, id(value), label))
        elif value.size and not value.dtype.hasobject:
            places.append(Bytes(sample_of(value), id(value), label))
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
            places.append(Length(value, None, label))
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
