# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes, as far as they are known before a run."""

import math
from typing import Any, Iterator, List, Optional, Sequence, Tuple

from .._kinds import elements


class Dimension:
    """The size of one dimension, with None in `value` where a run chooses it."""

    def __init__(self, value: Optional[int]):
        self.value = value

    def __int__(self) -> int:
        if self.value is None:
            raise TypeError("__int__ returned non-int (type NoneType): the size of the dimension is not known")
        return self.value

    __index__ = __int__

    def __eq__(self, other: object) -> bool:
        return self.value == (other.value if isinstance(other, Dimension) else other)

    def __hash__(self) -> int:
        return hash(self.value)

    def __mul__(self, other: Any) -> "Dimension":
        other = other.value if isinstance(other, Dimension) else other
        return Dimension(None if self.value is None or other is None else self.value * other)

    __rmul__ = __mul__

    def __repr__(self) -> str:
        return "?" if self.value is None else str(self.value)


class TensorShape:
    """The shape of a tensor, as far as it is known."""

    def __init__(self, dims: Optional[Sequence[Any]]):
        self._dims = None if dims is None else plain_shape(dims)

    @property
    def ndims(self) -> Optional[int]:
        return None if self._dims is None else len(self._dims)

    @property
    def dims(self) -> Optional[List[Dimension]]:
        return None if self._dims is None else [Dimension(d) for d in self._dims]

    def _known(self) -> Tuple[Optional[int], ...]:
        if self._dims is None:
            raise ValueError("the rank of this shape is not known")
        return self._dims

    def as_list(self) -> List[Optional[int]]:
        return list(self._known())

    def is_fully_defined(self) -> bool:
        return self._dims is not None and None not in self._dims

    def num_elements(self) -> Optional[int]:
        return math.prod(d or 0 for d in self._known()) if self.is_fully_defined() else None

    def __len__(self) -> int:
        return len(self._known())

    def __iter__(self) -> Iterator[Dimension]:
        return iter([Dimension(d) for d in self._known()])

    def __getitem__(self, key: Any) -> Any:
        found = self._known()[key]
        return TensorShape(found) if isinstance(key, slice) else Dimension(found)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, TensorShape):
            return self._dims == other._dims
        return isinstance(other, (list, tuple)) and self._dims == plain_shape(other)

    def __hash__(self) -> int:
        return hash(self._dims)

    def __repr__(self) -> str:
        if self._dims is None:
            return "<unknown>"
        inner = ", ".join("?" if d is None else str(d) for d in self._dims)
        return f"({inner},)" if len(self._dims) == 1 else f"({inner})"


def plain_shape(shape: Any) -> Tuple[Optional[int], ...]:
    """A shape as a tuple of numbers and None."""
    if isinstance(shape, TensorShape):
        return shape._known()
    if isinstance(shape, (int, Dimension)):
        shape = [shape]
    shape = elements("shape", shape)
    return tuple(d.value if isinstance(d, Dimension) else None if d is None or int(d) < 0 else int(d) for d in shape)


def known_sizes(shape: Any) -> Tuple[int, ...]:
    """A shape as numbers. Raises ValueError where a run chooses one."""
    found = plain_shape(shape)
    known = tuple(d for d in found if d is not None)
    if len(known) != len(found):
        raise ValueError(f"Cannot convert a partially known TensorShape {TensorShape(found)} to a Tensor: tf.shape(x) "
                         "has the sizes of the run")  # fmt: skip
    return known
