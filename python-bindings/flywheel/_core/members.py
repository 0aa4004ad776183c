# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists of objects that Python finds by identity: `==` of two variables compares their elements."""

from typing import Any, List, SupportsIndex, TypeVar

T = TypeVar("T")


class Members(List[T]):
    """A list that finds a member by identity: `variable in fw.trainable_variables()` asks for the variable, whatever
    the values of others are."""

    def __contains__(self, member: object) -> bool:
        return any(one is member for one in self)

    def index(self, member: T, start: SupportsIndex = 0, stop: SupportsIndex = 2**63 - 1) -> int:
        for place in range(*slice(start, stop).indices(len(self))):
            if self[place] is member:
                return place
        raise ValueError(f"{member!r} is not in the list")

    def count(self, member: Any) -> int:
        return sum(one is member for one in self)

    def remove(self, member: T) -> None:
        del self[self.index(member)]

    def __eq__(self, other: object) -> bool:
        """Returns true for a list of the same objects."""
        return isinstance(other, list) and len(self) == len(other) and all(x is y for x, y in zip(self, other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None
