# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python's operators, for tensors and variables alike."""

import importlib
from typing import TYPE_CHECKING, Any, Sequence, Union

if TYPE_CHECKING:
    from . import _ops
    from ._ops import _arithmetic
    from ._tensor import Tensor, TensorLike
else:
    # Operations are made of tensors, whose operators these are: looked up when used.
    class _Late:
        def __init__(self, name):
            self._name = name

        def __getattr__(self, name):
            return getattr(importlib.import_module(self._name, __package__), name)

    _ops, _arithmetic = _Late("._ops"), _Late("._ops._arithmetic")


class Operators:
    """NumPy's operators and the methods of its arrays.

    An operand that is no tensor is an array, a number or a list of them. A Python
    number takes the tensor's dtype, unless only it is floating-point.
    """

    __slots__ = ()

    def __add__(self, other: "TensorLike") -> "Tensor":
        return _ops.add(self, other)

    def __radd__(self, other: "TensorLike") -> "Tensor":
        return _ops.add(other, self)

    def __sub__(self, other: "TensorLike") -> "Tensor":
        return _ops.subtract(self, other)

    def __rsub__(self, other: "TensorLike") -> "Tensor":
        return _ops.subtract(other, self)

    def __mul__(self, other: "TensorLike") -> "Tensor":
        return _ops.multiply(self, other)

    def __rmul__(self, other: "TensorLike") -> "Tensor":
        return _ops.multiply(other, self)

    def __truediv__(self, other: "TensorLike") -> "Tensor":
        return _ops.divide(self, other)

    def __rtruediv__(self, other: "TensorLike") -> "Tensor":
        return _ops.divide(other, self)

    def __floordiv__(self, other: "TensorLike") -> "Tensor":
        return _ops.floor_divide(self, other)

    def __rfloordiv__(self, other: "TensorLike") -> "Tensor":
        return _ops.floor_divide(other, self)

    def __mod__(self, other: "TensorLike") -> "Tensor":
        return _ops.mod(self, other)

    def __rmod__(self, other: "TensorLike") -> "Tensor":
        return _ops.mod(other, self)

    def __pow__(self, other: "TensorLike") -> "Tensor":
        return _ops.power(self, other)

    def __rpow__(self, other: "TensorLike") -> "Tensor":
        return _ops.power(other, self)

    def __matmul__(self, other: "TensorLike") -> "Tensor":
        return _ops.matmul(self, other)

    def __rmatmul__(self, other: "TensorLike") -> "Tensor":
        return _ops.matmul(other, self)

    def __and__(self, other: "TensorLike") -> "Tensor":
        return _arithmetic._bitwise("and", "arith.andi", *_pair(self, other))

    def __rand__(self, other: "TensorLike") -> "Tensor":
        return _arithmetic._bitwise("and", "arith.andi", *_pair(other, self))

    def __or__(self, other: "TensorLike") -> "Tensor":
        return _arithmetic._bitwise("or", "arith.ori", *_pair(self, other))

    def __ror__(self, other: "TensorLike") -> "Tensor":
        return _arithmetic._bitwise("or", "arith.ori", *_pair(other, self))

    def __xor__(self, other: "TensorLike") -> "Tensor":
        return _arithmetic._bitwise("xor", "arith.xori", *_pair(self, other))

    def __rxor__(self, other: "TensorLike") -> "Tensor":
        return _arithmetic._bitwise("xor", "arith.xori", *_pair(other, self))

    def __neg__(self) -> "Tensor":
        return _ops.negative(self)

    def __pos__(self) -> "Tensor":
        return _ops.add(self, 0)

    def __abs__(self) -> "Tensor":
        return _ops.abs(self)

    def __invert__(self) -> "Tensor":
        return _arithmetic.invert(self)

    def __lt__(self, other: "TensorLike") -> "Tensor":
        return _ops.less(self, other)

    def __le__(self, other: "TensorLike") -> "Tensor":
        return _ops.less_equal(self, other)

    def __gt__(self, other: "TensorLike") -> "Tensor":
        return _ops.greater(self, other)

    def __ge__(self, other: "TensorLike") -> "Tensor":
        return _ops.greater_equal(self, other)

    def __getitem__(self, key: Any) -> "Tensor":
        return _ops.getitem(self, key)

    def astype(self, dtype: Any) -> "Tensor":
        """See `flywheel.cast`."""
        return _ops.cast(self, dtype)

    def reshape(self, *shape: Any) -> "Tensor":
        """See `flywheel.reshape`."""
        return _ops.reshape(self, shape[0] if len(shape) == 1 else shape)

    def transpose(self, *axes: int) -> "Tensor":
        """See `flywheel.transpose`."""
        return _ops.transpose(self, axes or None)

    def sum(self, axis: Union[int, Sequence[int], None] = None, keepdims: bool = False) -> "Tensor":
        """See `flywheel.sum`."""
        return _ops.sum(self, axis, keepdims)

    def mean(self, axis: Union[int, Sequence[int], None] = None, keepdims: bool = False) -> "Tensor":
        """See `flywheel.mean`."""
        return _ops.mean(self, axis, keepdims)

    def max(self, axis: Union[int, Sequence[int], None] = None, keepdims: bool = False) -> "Tensor":
        """See `flywheel.max`."""
        return _ops.max(self, axis, keepdims)

    def min(self, axis: Union[int, Sequence[int], None] = None, keepdims: bool = False) -> "Tensor":
        """See `flywheel.min`."""
        return _ops.min(self, axis, keepdims)

    def prod(self, axis: Union[int, Sequence[int], None] = None, keepdims: bool = False) -> "Tensor":
        """See `flywheel.prod`."""
        return _ops.prod(self, axis, keepdims)

    def argmax(self, axis: Union[int, None] = None) -> "Tensor":
        """See `flywheel.argmax`."""
        return _ops.argmax(self, axis)

    def argmin(self, axis: Union[int, None] = None) -> "Tensor":
        """See `flywheel.argmin`."""
        return _ops.argmin(self, axis)


def _pair(a: "TensorLike", b: "TensorLike") -> Any:
    from ._tensor import as_tensors

    return as_tensors(a, b)
