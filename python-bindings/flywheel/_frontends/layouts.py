# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of another framework's model while it is translated: an order of dimensions is a view
that moves nothing, and images stay as the compiler's convolutions have them."""

from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from .. import _ops
from .._core import dtypes as _dtypes
from .._core import trace as _trace
from .._core.tensor import Tensor, as_tensor, wrap
from .._flywheel import Value
from .._ops.emission import Size, normalize_axis, sizes
from .._ops.shapes import reshape_to

Order = Tuple[int, ...]

# The axes of [batch, channels, height, width] in the order that the ops of nn take.
CHANNELS_LAST: Order = (0, 2, 3, 1)


class Laid:
    """A tensor of a model: dimension i of `data` is its dimension `order[i]`."""

    __slots__ = ("data", "order", "_forms")

    def __init__(self, data: Tensor, order: Optional[Sequence[int]] = None):
        self.data = data
        self.order: Order = tuple(range(data.ndim)) if order is None else tuple(order)
        self._forms: Dict[Order, Tensor] = {self.order: data}

    @property
    def ndim(self) -> int:
        return self.data.ndim

    @property
    def dtype(self) -> _dtypes.DType:
        return self.data.dtype

    @property
    def shape(self) -> Tuple[Optional[int], ...]:
        found: List[Optional[int]] = [None] * self.ndim
        for place, axis in enumerate(self.order):
            found[axis] = self.data._dims[place]
        return tuple(found)

    @property
    def is_plain(self) -> bool:
        return self.order == tuple(range(self.ndim))

    def plain(self) -> Tensor:
        """The elements in the model's order."""
        return self.arranged(tuple(range(self.ndim)))

    def arranged(self, order: Order) -> Tensor:
        """The elements in this order of dimensions."""
        known = self._forms.get(order)
        if known is None:
            known = self._forms[order] = permute(self.data, [self.order.index(axis) for axis in order])
        return known

    def copy(self) -> "Laid":
        """The same tensor: other orders that are made of it stay with the copy."""
        result = Laid(self.data, self.order)
        result._forms = dict(self._forms)
        return result

    def place(self, axis: int) -> int:
        """Returns the dimension of `data` for a dimension of the tensor, which may count from the end. Raises
        ValueError for an unknown dimension."""
        return self.order.index(normalize_axis(axis, self.ndim))

    def places(self, axes: Sequence[int]) -> List[int]:
        return sorted(self.place(axis) for axis in axes)

    def like(self, data: Tensor) -> "Laid":
        """Another tensor with this order."""
        return Laid(data, self.order)

    def permuted(self, axes: Sequence[int]) -> "Laid":
        """With dimension `axes[i]` as its dimension i: nothing moves."""
        new = {axis % self.ndim: place for place, axis in enumerate(axes)}
        return Laid(self.data, [new[axis] for axis in self.order])


# An argument of an op: a tensor, a size that is static or not, or a number.
Argument = Union[Laid, Value, int, float, bool, None]


def permute(x: Tensor, axes: Sequence[int]) -> Tensor:
    """A transposition; where only dimensions of 1 move it is a reshape."""
    moving = [axis for axis in axes if x._dims[axis] != 1]
    if moving == sorted(moving):
        old = sizes(x)
        return reshape_to(x, [old[axis] for axis in axes])
    return _ops.transpose(x, list(axes))


def size_tensor(size: Size, dtype: Any) -> Tensor:
    """A size as a scalar."""
    if isinstance(size, int):
        return as_tensor(size, dtype)
    trace = _trace.current()
    number = trace.op("arith.index_cast", [size], [trace.graph.type("int64", None)])[0]
    scalar = trace.op("tensor.from_elements", [number], [trace.type(_dtypes.int64, ())])[0]
    return _ops.cast(wrap(scalar, _dtypes.int64, ()), dtype)


def scalar(value: Any, dtype: _dtypes.DType) -> Tensor:
    """A number or a size as a constant of this dtype."""
    if isinstance(value, Value):
        return size_tensor(value, dtype)
    if isinstance(value, float) and not _dtypes.is_floating(dtype):
        value = int(value)
    return as_tensor(bool(value) if _dtypes.is_bool(dtype) else value, dtype)


def align(dtypes: Sequence[_dtypes.DType], *operands: Argument) -> Tuple[List[Tensor], Laid]:
    """Operands of an op element by element, with these dtypes and in one order, that of the
    largest one; that one too."""
    laid = [x if isinstance(x, Laid) else Laid(scalar(x, dtype)) for x, dtype in zip(operands, dtypes)]
    rank = max(x.ndim for x in laid)
    widest = [x for x in laid if x.ndim == rank]
    lead = max(widest, key=lambda x: (_count(x), x.is_plain))
    tensors = []
    for x, dtype in zip(laid, dtypes):
        data = _in_order(x, lead.order)
        tensors.append(_ops.cast(data, dtype))
    return tensors, lead


def _count(x: Laid) -> int:
    result = 1
    for dim_size in x.data._dims:
        result *= 1 if dim_size is None else dim_size
    return result


def _in_order(x: Laid, order: Order) -> Tensor:
    rank = len(order)
    if x.ndim == rank:
        return x.arranged(order)
    if x.ndim == 0 or order == tuple(range(rank)):
        return x.plain()
    wide = reshape_to(x.plain(), [*[1] * (rank - x.ndim), *sizes(x.plain())])
    return Laid(wide).arranged(order)
