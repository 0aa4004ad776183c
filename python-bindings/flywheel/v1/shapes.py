# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes, as far as they are known before a run."""

import math
import operator
from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple

from .._core.argument_checks import elements


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

    def __mul__(self, other: Any) -> Any:
        return _with(self, other, operator.mul)

    __rmul__ = __mul__

    def __add__(self, other: Any) -> Any:
        return _with(self, other, operator.add)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return _with(self, other, operator.sub)

    def __rsub__(self, other: Any) -> Any:
        return _with(other, self, operator.sub)

    def __floordiv__(self, other: Any) -> Any:
        return _with(self, other, operator.floordiv)

    def __rfloordiv__(self, other: Any) -> Any:
        return _with(other, self, operator.floordiv)

    def __mod__(self, other: Any) -> Any:
        return _with(self, other, operator.mod)

    def __rmod__(self, other: Any) -> Any:
        return _with(other, self, operator.mod)

    def __truediv__(self, other: Any) -> Any:
        raise TypeError(f"unsupported operand type(s) for /: 'Dimension' and '{type(other).__name__}', please use // "
                        "instead")  # fmt: skip

    def __rtruediv__(self, other: Any) -> Any:
        raise TypeError(f"unsupported operand type(s) for /: '{type(other).__name__}' and 'Dimension', please use // "
                        "instead, or int(x.shape[i])")  # fmt: skip

    def __lt__(self, other: Any) -> Optional[bool]:
        return _compared(self, other, operator.lt)

    def __le__(self, other: Any) -> Optional[bool]:
        return _compared(self, other, operator.le)

    def __gt__(self, other: Any) -> Optional[bool]:
        return _compared(self, other, operator.gt)

    def __ge__(self, other: Any) -> Optional[bool]:
        return _compared(self, other, operator.ge)

    def is_compatible_with(self, other: Any) -> bool:
        """Returns true if both may be one size."""
        one, other = self.value, _number_of(other)
        return one is None or other is None or one == other

    def merge_with(self, other: Any) -> "Dimension":
        """The size that both are. Raises ValueError for two."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {_number_of(other)} are not compatible")
        return Dimension(_number_of(other) if self.value is None else self.value)

    def __repr__(self) -> str:
        return "?" if self.value is None else str(self.value)


def _number_of(value: Any) -> Optional[int]:
    return value.value if isinstance(value, Dimension) else None if value is None else int(value)


def _is_size(value: Any) -> bool:
    return value is None or isinstance(value, Dimension) or hasattr(value, "__index__") and not hasattr(value, "op")


def _with(one: Any, other: Any, function: Callable[[int, int], int]) -> Any:
    """A size computed of two, which is not known if one of them is not. A tensor beside a size decides itself."""
    if not _is_size(one) or not _is_size(other):
        return NotImplemented
    a, b = _number_of(one), _number_of(other)
    return Dimension(None if a is None or b is None else function(a, b))


def _compared(one: Any, other: Any, function: Callable[[int, int], bool]) -> Optional[bool]:
    """Returns None if a size is not known."""
    a, b = _number_of(one), _number_of(other)
    return None if a is None or b is None else function(a, b)


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
