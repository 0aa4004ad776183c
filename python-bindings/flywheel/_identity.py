# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keys that distinguish Python values that a trace distinguishes, although they compare equal.

To Python `1 == 1.0 == True` and `0.0 == -0.0`, and NaN is not equal to itself: a dict would take one for the other, and
a function that was traced for one would run for the other.
"""

import dataclasses
import decimal
import struct
from typing import Any, Hashable

import numpy as np


def identity(value: Any) -> Hashable:
    """A key of a value: its type and, of numbers, the bits; of tuples, frozen sets, ranges, slices and
    data classes, which Python compares by their parts, those of the parts. It is hashable where the value is."""
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
