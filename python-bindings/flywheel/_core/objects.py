# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The attributes of an object of any class, read without running code of the class."""

import types
from typing import Any, List, Optional


def counts_as_member(name: Any) -> bool:
    """Returns true if an attribute is the user's, and not of this package or of Python."""
    return isinstance(name, str) and name != "" and not name.startswith(("<", "__"))


def dict_of(value: Any) -> Optional[dict]:  # type: ignore[type-arg]
    """Returns the dict with an object's own attributes; None if it has none."""
    try:
        found = object.__getattribute__(value, "__dict__")
    except Exception:  # noqa: BLE001  # A property of the user's class may raise anything.
        return None
    return found if type(found) is dict else None


def slots_of(kind: type) -> List[str]:
    """Returns the names of the attributes that objects of a class have outside of a dict."""
    found = []
    for base in kind.__mro__:
        # Not `__slots__`, which may be an iterator, and has private names as they are written.
        found += [name for name, one in base.__dict__.items() if type(one) is types.MemberDescriptorType
                  and "__slots__" in base.__dict__]  # fmt: skip
    return found
