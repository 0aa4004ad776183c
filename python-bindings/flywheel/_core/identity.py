# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keys that distinguish Python values that a trace distinguishes, although they compare equal.

To Python `1 == 1.0 == True` and `0.0 == -0.0`, and NaN is not equal to itself: a dict would take one for the other, and
a function that was traced for one would run for the other.
"""

import dataclasses
import decimal
import struct
from typing import Any, Hashable, Iterator, Tuple

import numpy as np

from .objects import counts_as_member, dict_of, slots_of
from .users import is_users_class

# Attributes are compared so deep, and arrays among them up to this size; others are the same object or none.
_MOST_DEPTH, _MOST_BYTES = 8, 4096


def identity(value: Any, depth: int = 0) -> Hashable:
    """A key of a value: its type and, of numbers, the bits; of tuples, frozen sets, ranges, slices and
    data classes, which Python compares by their parts, those of the parts; of an object of the user's class that says
    itself what it is equal to, those of its attributes, too. It is hashable where the value is."""
    key = _own_identity(value)
    kind = type(value)
    # Nearly all values are of Python's own classes.
    compares: Any = kind.__eq__
    if kind.__module__ in ("builtins", "numpy") or compares is object.__eq__:
        return key
    return (*key, *_attributes_of(value, depth)) if is_users_class(kind) else key


def _own_identity(value: Any) -> Tuple[Any, ...]:
    kind = type(value)
    if isinstance(value, float):
        return kind, struct.pack("<d", value)
    if isinstance(value, complex):
        return kind, struct.pack("<dd", value.real, value.imag)
    if isinstance(value, np.generic):
        return kind, value.dtype.str, value.tobytes()
    if isinstance(value, decimal.Decimal):
        return kind, value.as_tuple()
    if isinstance(value, tuple):
        return kind, tuple(identity(item) for item in value)
    if isinstance(value, frozenset):
        return kind, frozenset(identity(item) for item in value)
    if isinstance(value, (range, slice)):
        return kind, identity((value.start, value.stop, value.step))
    if dataclasses.is_dataclass(value) and not isinstance(value, type) and _compares_parts(value):
        parts = [field.name for field in dataclasses.fields(value) if field.compare]
        return kind, value, tuple(identity(getattr(value, name)) for name in parts)
    return kind, value


def _compares_parts(value: Any) -> bool:
    """Returns true if `__eq__` of a data class is the generated one."""
    return bool(value.__dataclass_params__.eq)


def is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


class _Same:
    """A key of one object, which it keeps: no other one is equal."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self._value is other._value

    def __hash__(self) -> int:
        return id(self._value)


def _attributes_of(value: Any, depth: int) -> Iterator[Hashable]:
    """Yields keys of the attributes of an object."""
    for name, one in list((dict_of(value) or {}).items()):
        if counts_as_member(name):
            yield name, _part_identity(one, depth + 1)
    for name in slots_of(type(value)):
        yield name, _part_identity(getattr(value, name, None), depth + 1)


def _part_identity(value: Any, depth: int) -> Hashable:
    """Returns a key of an attribute, which need not be hashable, or be a tree."""
    kind = type(value)
    if depth < _MOST_DEPTH:
        if kind in (list, tuple, dict):
            parts = [part for item in value.items() for part in item] if kind is dict else value
            return kind, tuple(_part_identity(part, depth + 1) for part in parts)
        if kind is np.ndarray and not value.dtype.hasobject and value.nbytes <= _MOST_BYTES:
            return kind, value.dtype, value.shape, value.tobytes()
        try:
            key = identity(value, depth)
            hash(key)
            return key
        except Exception:  # noqa: BLE001  # Code of the user's object, such as its __hash__, may raise anything.
            pass
    return _Same(value)
