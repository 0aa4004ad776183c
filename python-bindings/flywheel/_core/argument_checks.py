# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments that are numbers, names and objects of some class, and the errors of those that are not."""

import operator
from typing import Any, Iterable, List, Optional

import numpy as np

from .._errors.messages import wrong
from .operators import Operators


def _kind(value: Any) -> str:
    """Returns the class of a value that is refused; of a tensor with what to do, as its elements are not known yet."""
    kind = type(value).__name__
    if not isinstance(value, Operators) or value._is_variable:
        return kind
    return (f"{kind}, whose elements only a call knows: an argument that is a number is known if `static` of "
            "flywheel.function names it")  # fmt: skip


def number(name: str, value: Any) -> float:
    """Returns a float. Raises TypeError for a boolean, for a string, also one that has the digits of one, and for a
    variable, whose number of now would be that of all calls."""
    try:
        if not isinstance(value, (bool, np.bool_, str, bytes, bytearray, memoryview, Operators)):
            return float(value)
    except (TypeError, ValueError):
        pass
    except OverflowError:
        raise wrong(ValueError, "a number of 64 bits", "one that is larger", name) from None
    raise wrong(TypeError, "a number", _kind(value), name)


def optional_number(name: str, value: Any) -> Optional[float]:
    return None if value is None else number(name, value)


def integer(name: str, value: Any) -> int:
    """Returns an int. Raises TypeError for a boolean and for a value that is not an integer, ValueError for one of more
    than 64 bits."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        found = operator.index(value)
    except TypeError:
        raise wrong(TypeError, "an integer", _kind(value), name) from None
    if not -(2**63) <= found < 2**63:
        raise wrong(ValueError, "an integer of 64 bits", "one that has more", name)
    return found


def optional_integer(name: str, value: Any) -> Optional[int]:
    return None if value is None else integer(name, value)


def flag(name: str, value: Any) -> bool:
    """Returns a bool for True and False of Python and NumPy, and for 1 and 0. Raises TypeError for others."""
    if isinstance(value, (bool, np.bool_)) or (isinstance(value, (int, np.integer)) and value in (0, 1)):
        return bool(value)
    raise TypeError(f"expected True or False as {name}, found {value!r}"[:200])


def elements(name: str, value: Any) -> List[Any]:
    """Returns a list of the elements of an iterable. Raises TypeError for other values, and for strings."""
    if not isinstance(value, (str, bytes, bytearray)):
        try:
            return list(value)
        except TypeError:
            pass
    raise wrong(TypeError, "a list or a tuple", _kind(value), name)


def numbers(name: str, value: Any) -> List[float]:
    return [number(f"an element of {name}", one) for one in elements(name, value)]


def integers(name: str, value: Any) -> List[int]:
    return [integer(f"an element of {name}", one) for one in elements(name, value)]


def sizes(name: str, value: Any, rank: int) -> List[int]:
    """Returns the sizes of `rank` dimensions; an integer gives all of them. Raises TypeError for others than integers,
    ValueError for another number of them."""
    try:
        found = [integer(name, value)] * rank
    except TypeError:
        if not isinstance(value, Iterable):
            raise
        found = integers(name, value)
    if len(found) != rank:
        raise ValueError(f"expected an integer or {rank} of them as {name}, found {found}"[:200])
    return found


def text(name: str, value: Any) -> str:
    """A str. Raises TypeError for others."""
    if not isinstance(value, str):
        raise wrong(TypeError, "a string", _kind(value), name)
    return value


def instance(name: str, value: Any, kinds: Any, expected: str) -> Any:
    """The value. Raises TypeError where it is of none of the classes; `expected` says in words what they are."""
    if not isinstance(value, kinds):
        raise wrong(TypeError, expected, _kind(value), name)
    return value
