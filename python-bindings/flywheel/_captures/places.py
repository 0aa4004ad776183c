# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Places outside of a traced function that its code reads, and their values at one time. Captures.cpp compares
them before each call."""

import collections
import weakref
from typing import Any, Callable, Hashable, Optional, Tuple

import numpy as np

from .. import _flywheel
from .._core.identity import identity
from .._core.objects import counts_as_member, dict_of

# Values without parts that are compared by value: to bind a name to an equal one changes nothing.
PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic, range, slice)

CONTAINERS: Tuple[Any, ...] = (tuple, list, dict, set, frozenset, collections.deque)


def container_of(kind: type) -> Any:
    """Returns the container of Python that a class is or extends, or None. The methods of the class may be others, and
    raise."""
    return next((one for one in CONTAINERS if issubclass(kind, one)), None)


class Place:
    """Something that code may read. `label` is the expression for it that the user's code has."""

    # The letter by which C++ knows the kind.
    kind = ""

    def __init__(self, holder: Any, key: Any, label: str) -> None:
        self.holder, self._key, self.label = holder, key, label

    @property
    def key(self) -> Tuple[Hashable, ...]:
        """Equal for two of the same place."""
        return self.kind, id(self.holder), self._key

    @property
    def name(self) -> Optional[str]:
        """The name that code which writes the place has; None for what is in a container or an array."""
        return None

    @property
    def is_gone(self) -> bool:
        """True for a place of an object that is gone, which nobody reads."""
        return False

    def look_up(self) -> Any:
        """Returns the value of now. Raises LookupError without one."""
        return self.holder[self._key]

    @property
    def row(self) -> Tuple[Any, ...]:
        """The place in the form that C++ takes."""
        return self.kind, self.holder, self._key


class Item(Place):
    """An item of a dict, by its key, or of a list, by its number."""

    kind = "i"


class Name(Item):
    """A global name, or one in the body of a class."""

    @property
    def name(self) -> Optional[str]:
        return str(self._key)


class Cell(Place):
    """The variable of a closure."""

    kind = "c"

    @property
    def name(self) -> Optional[str]:
        return self.label

    def look_up(self) -> Any:
        try:
            return self.holder.cell_contents
        except ValueError:
            raise LookupError from None


class Attribute(Place):
    """An attribute in the dict of an object, which is not kept alive if it may have weak references."""

    kind = "a"

    def __init__(self, owner: Any, key: Hashable, label: str) -> None:
        super().__init__(owner, key, label)
        self._id = id(owner)
        try:
            self.holder = weakref.ref(owner)
        except TypeError:
            self.holder = (owner,)

    @property
    def key(self) -> Tuple[Hashable, ...]:
        return self.kind, self._id, self._key

    @property
    def name(self) -> Optional[str]:
        return str(self._key)

    @property
    def is_gone(self) -> bool:
        return not isinstance(self.holder, tuple) and self.holder() is None

    @property
    def owner(self) -> Any:
        """Raises LookupError for an object that is gone."""
        owner = self.holder[0] if isinstance(self.holder, tuple) else self.holder()
        if owner is None:
            raise LookupError
        return owner

    def look_up(self) -> Any:
        return dict_of(self.owner)[self._key]  # type: ignore[index]


class Computed(Attribute):
    """An attribute that a `cached_property` sets when it is first read: to be set by a trace is to be read by it."""


class Slot(Attribute):
    """An attribute that an object of a class with `__slots__` has no dict for."""

    kind = "s"

    def look_up(self) -> Any:
        try:
            return object.__getattribute__(self.owner, self._key)
        except AttributeError:
            raise LookupError from None


class Length(Place):
    """The number of items of a container."""

    kind = "n"

    def look_up(self) -> Any:
        return container_of(type(self.holder)).__len__(self.holder)


class Elements(Place):
    """All elements of a list, a set or a deque, which have no parts; of a dict the keys in their order."""

    kind = "e"

    def look_up(self) -> Any:
        kind = type(self.holder)
        base = collections.OrderedDict if issubclass(kind, collections.OrderedDict) else container_of(kind)
        return tuple(base.__iter__(self.holder))


class Contents(Attribute):
    """A part of what an array holds, which has no name that code may ask for."""

    @property
    def name(self) -> Optional[str]:
        return None


class Bytes(Contents):
    """The elements of an array that may change in place, or some of them, which are `steps` apart in each dimension."""

    kind = "b"

    def __init__(self, owner: Any, steps: Tuple[int, ...], label: str) -> None:
        super().__init__(owner, steps, label)

    @property
    def key(self) -> Tuple[Hashable, ...]:
        return self.kind, self._id

    def look_up(self) -> Any:
        # Subclasses have methods of their own: one that is masked puts a number in place of some elements.
        some = np.asarray(self.owner)[tuple(slice(None, None, step) for step in self._key)]
        # A copy of records leaves out what is between their fields.
        return (some.view(f"V{some.dtype.itemsize}") if some.dtype.names else some).tobytes()


class Digest(Contents):
    """The elements of a large array that may change in place, for which a number stands."""

    kind = "d"

    def __init__(self, owner: Any, label: str) -> None:
        super().__init__(owner, "digest", label)

    @property
    def key(self) -> Tuple[Hashable, ...]:
        return self.kind, self._id

    def look_up(self) -> Any:
        return _flywheel._digest_of(self.owner)


class Members(Attribute):
    """The number of attributes in the dict of an object, for code that asks for all: those that there are, are places
    of their own."""

    kind = "m"

    def __init__(self, owner: Any, label: str) -> None:
        super().__init__(owner, "__dict__", label)

    def look_up(self) -> Any:
        return sum(map(counts_as_member, dict_of(self.owner) or ()))


class Header(Contents):
    """The dtype of an array, if it may be written to, and its sizes, all of which may be set in place."""

    kind = "h"

    def __init__(self, owner: Any, label: str) -> None:
        super().__init__(owner, "dtype", label)

    def look_up(self) -> Any:
        owner = self.owner
        return (owner.dtype, bool(owner.flags.writeable), *owner.shape)


class Class(Attribute):
    """The class of an object."""

    kind = "k"

    def __init__(self, owner: Any, label: str) -> None:
        super().__init__(owner, "__class__", label)

    def look_up(self) -> Any:
        return type(self.owner)


class Code(Attribute):
    """The code of a function and its defaults, which tools that reload modules set in place."""

    kind = "f"

    def __init__(self, owner: Any, label: str) -> None:
        super().__init__(owner, "__code__", label)

    def look_up(self) -> Any:
        return self.owner.__code__, self.owner.__defaults__, self.owner.__kwdefaults__


class Result(Place):
    """The result of a function without arguments, which reads a part of `owner`."""

    kind = "r"

    def __init__(self, function: Callable[[], Any], owner: Any, key: Any, label: str) -> None:
        super().__init__(function, key, label)
        self._owner = owner

    @property
    def key(self) -> Tuple[Hashable, ...]:
        return self.kind, id(self._owner), self._key

    def look_up(self) -> Any:
        try:
            return self.holder()
        except Exception as error:  # noqa: BLE001  # Code of the user's object may raise anything.
            raise LookupError from error


class Local(Result):
    """A result that each thread, or each context, has one of its own of: others write it while one traces."""


class Value:
    """The value of a place at one time. It is not kept alive if there are weak references to it."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self._reference: Any = None
        self._is_weak = False
        try:
            value = place.look_up()
        except LookupError:
            return
        if not issubclass(type(value), (*PLAIN, tuple)):
            try:
                self._reference, self._is_weak = weakref.ref(value), True
                return
            except TypeError:
                pass
        self._reference = (value,)

    @property
    def row(self) -> Tuple[Any, ...]:
        """The value in the form that C++ takes."""
        if self._reference is None:
            return self.place.row
        return (*self.place.row, self._reference if self._is_weak else self._reference[0], self._is_weak)

    def holds(self) -> bool:
        """Returns true if the value is the same object, or numbers or texts that are equal, or nobody reads it."""
        if self.place.is_gone:
            return True
        try:
            value = self.place.look_up()
        except LookupError:
            return self._reference is None
        except Exception:  # noqa: BLE001  # Code of the user's object may raise anything.
            return False
        if self._reference is None:
            return False
        old = self._old
        if old is value:
            return not self._is_weak or value is not None
        if isinstance(self.place, Elements):
            return len(old) == len(value) and all(map(_are_equal, old, value))
        return _are_equal(old, value)

    def is_as(self, other: "Value") -> bool:
        """Returns true if this is the value of the same place as another one, at a time when it was the same."""
        if self._reference is None or other._reference is None:
            return self._reference is other._reference
        return _are_equal(self._old, other._old)

    @property
    def _old(self) -> Any:
        return self._reference() if self._is_weak else self._reference[0]

    def is_rebuilt(self) -> bool:
        """Returns true if the value is another list or dict now, with the parts that this one has."""
        try:
            value = self.place.look_up()
        except Exception:  # noqa: BLE001  # Code of the user's object may raise anything.
            return False
        return self._reference is not None and type(value) in (list, dict) and _have_equal_parts(self._old, value)


def _are_equal(old: Any, value: Any) -> bool:
    if old is value:
        return True
    if type(old) is tuple and type(value) is tuple:
        return len(old) == len(value) and all(map(_are_equal, old, value))
    # Not isinstance, which asks an object for its class.
    return issubclass(type(old), PLAIN) and issubclass(type(value), PLAIN) and identity(old) == identity(value)


def _have_equal_parts(old: Any, value: Any) -> bool:
    kind = type(value)
    if type(old) is not kind or kind not in (list, dict):
        return _are_equal(old, value)
    if kind is dict:
        # Code may read the order, too.
        old, value = [part for item in old.items() for part in item], [part for item in value.items() for part in item]
    return len(old) == len(value) and all(map(_have_equal_parts, old, value))
