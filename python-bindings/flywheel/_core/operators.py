# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python's operators, for tensors and variables alike."""

import types
from typing import TYPE_CHECKING, Any, ClassVar, Mapping, Optional, Sequence, Union

from .._errors.hints import explain_attribute, name_keywords
from .._errors.messages import about
from .._errors.other_frameworks import TENSOR
from . import registry as _registry

if TYPE_CHECKING:
    from .._ops.updates import At
    from .tensor import Tensor, TensorLike


class Operators:
    """NumPy's operators and the methods of its arrays.

    An operand that is not a tensor is an array, a number or a list of them. A Python number takes the tensor's dtype,
    unless only it is floating-point.
    """

    __slots__ = ()
    # Attributes of such objects of other frameworks, and what does the same here.
    _elsewhere: ClassVar[Mapping[str, str]] = TENSOR
    # True of the class of variables: an operand is what `read()` of one returns.
    _is_variable: ClassVar[bool] = False

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            """Raises AttributeError, and says what stands here for an attribute of another framework's tensors."""
            explain_attribute(self, name, self._elsewhere)
            return object.__getattribute__(self, name)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **given: Any) -> Any:
        """Calls flywheel's function of that name, for NumPy's ufuncs and the operators of its arrays."""
        return _registry.numpy_functions.call_ufunc(ufunc, method, inputs, given)

    def __array_function__(self, function: Any, _: Any, args: Any, given: Any) -> Any:
        """Calls flywheel's function of that name, for NumPy's other functions."""
        return _registry.numpy_functions.call_function(function, args, given)

    def __add__(self, other: "TensorLike") -> "Tensor":
        return _registry.ops.add(self, other)

    def __radd__(self, other: "TensorLike") -> "Tensor":
        return _registry.ops.add(other, self)

    def __sub__(self, other: "TensorLike") -> "Tensor":
        return _registry.ops.subtract(self, other)

    def __rsub__(self, other: "TensorLike") -> "Tensor":
        return _registry.ops.subtract(other, self)

    def __mul__(self, other: "TensorLike") -> "Tensor":
        return _registry.ops.multiply(self, other)

    def __rmul__(self, other: "TensorLike") -> "Tensor":
        return _registry.ops.multiply(other, self)

    def __truediv__(self, other: "TensorLike") -> "Tensor":
        return _registry.ops.divide(self, other)

    def __rtruediv__(self, other: "TensorLike") -> "Tensor":
        return _registry.ops.divide(other, self)

    def __floordiv__(self, other: "TensorLike") -> "Tensor":
        return _registry.ops.floor_divide(self, other)

    def __rfloordiv__(self, other: "TensorLike") -> "Tensor":
        return _registry.ops.floor_divide(other, self)

    def __mod__(self, other: "TensorLike") -> "Tensor":
        return _registry.ops.mod(self, other)

    def __rmod__(self, other: "TensorLike") -> "Tensor":
        return _registry.ops.mod(other, self)

    def __pow__(self, other: "TensorLike") -> "Tensor":
        return _registry.ops.power(self, other)

    def __rpow__(self, other: "TensorLike") -> "Tensor":
        return _registry.ops.power(other, self)

    def __matmul__(self, other: "TensorLike") -> "Tensor":
        return _registry.ops.matmul(self, other)

    def __rmatmul__(self, other: "TensorLike") -> "Tensor":
        return _registry.ops.matmul(other, self)

    def __and__(self, other: "TensorLike") -> "Tensor":
        return _registry.arithmetic.bitwise("and", "arith.andi", self, other)

    def __rand__(self, other: "TensorLike") -> "Tensor":
        return _registry.arithmetic.bitwise("and", "arith.andi", other, self)

    def __or__(self, other: "TensorLike") -> "Tensor":
        return _registry.arithmetic.bitwise("or", "arith.ori", self, other)

    def __ror__(self, other: "TensorLike") -> "Tensor":
        return _registry.arithmetic.bitwise("or", "arith.ori", other, self)

    def __xor__(self, other: "TensorLike") -> "Tensor":
        return _registry.arithmetic.bitwise("xor", "arith.xori", self, other)

    def __rxor__(self, other: "TensorLike") -> "Tensor":
        return _registry.arithmetic.bitwise("xor", "arith.xori", other, self)

    def __lshift__(self, other: "TensorLike") -> "Tensor":
        return _registry.ops.left_shift(self, other)

    def __rlshift__(self, other: "TensorLike") -> "Tensor":
        return _registry.ops.left_shift(other, self)

    def __rshift__(self, other: "TensorLike") -> "Tensor":
        return _registry.ops.right_shift(self, other)

    def __rrshift__(self, other: "TensorLike") -> "Tensor":
        return _registry.ops.right_shift(other, self)

    def __divmod__(self, other: "TensorLike") -> "tuple[Tensor, Tensor]":
        return _registry.ops.divmod(self, other)

    def __rdivmod__(self, other: "TensorLike") -> "tuple[Tensor, Tensor]":
        return _registry.ops.divmod(other, self)

    def __round__(self, decimals: int = 0) -> "Tensor":
        return _registry.ops.round(self, decimals)

    def __neg__(self) -> "Tensor":
        return _registry.ops.negative(self)

    def __pos__(self) -> "Tensor":
        return _registry.ops.add(self, 0)

    def __abs__(self) -> "Tensor":
        return _registry.ops.abs(self)

    def __invert__(self) -> "Tensor":
        return _registry.arithmetic.invert(self)

    def __lt__(self, other: "TensorLike") -> "Tensor":
        return _registry.ops.less(self, other)

    def __le__(self, other: "TensorLike") -> "Tensor":
        return _registry.ops.less_equal(self, other)

    def __gt__(self, other: "TensorLike") -> "Tensor":
        return _registry.ops.greater(self, other)

    def __ge__(self, other: "TensorLike") -> "Tensor":
        return _registry.ops.greater_equal(self, other)

    def __eq__(self, other: object) -> "Tensor":  # type: ignore[override]
        return NotImplemented if other is None else _registry.ops.equal(self, other)

    def __ne__(self, other: object) -> "Tensor":  # type: ignore[override]
        return NotImplemented if other is None else _registry.ops.not_equal(self, other)

    # By identity: in sets and dicts an operand equals only itself.
    __hash__ = object.__hash__

    def __getitem__(self, key: Any) -> "Tensor":
        return _registry.ops.getitem(self, key)

    def __setitem__(self, key: Any, value: "TensorLike") -> None:
        raise TypeError("the elements of a tensor stay as they are: x.at[key].set(value) is another tensor with these")

    @property
    def at(self) -> "At":
        """Places whose elements are to be others: `x.at[key].set(value)`, `add`, `multiply`, `min`, `max`. See
        `flywheel.Place`."""
        return _registry.updates.At(self)

    @property
    def T(self) -> "Tensor":  # noqa: N802
        """The dimensions in reverse order."""
        return _registry.ops.transpose(self)

    @property
    def mT(self) -> "Tensor":  # noqa: N802
        """The last two dimensions exchanged."""
        return _registry.ops.swapaxes(self, -1, -2)

    def astype(self, dtype: Any) -> "Tensor":
        """See `flywheel.cast`."""
        return _registry.ops.cast(self, dtype)

    def reshape(self, *shape: Any) -> "Tensor":
        """See `flywheel.reshape`."""
        return _registry.ops.reshape(self, shape[0] if len(shape) == 1 else shape)

    def transpose(self, *axes: Any) -> "Tensor":
        """See `flywheel.transpose`."""
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        return _registry.ops.transpose(self, order or None)

    def swapaxes(self, a: int, b: int) -> "Tensor":
        """See `flywheel.swapaxes`."""
        return _registry.ops.swapaxes(self, a, b)

    def squeeze(self, axis: Union[int, Sequence[int], None] = None) -> "Tensor":
        """See `flywheel.squeeze`."""
        return _registry.ops.squeeze(self, axis)

    def ravel(self) -> "Tensor":
        """See `flywheel.ravel`."""
        return _registry.ops.ravel(self)

    flatten = ravel

    def copy(self) -> "Tensor":
        """The tensor, which nothing changes."""
        return _registry.ops.positive(self)

    def repeat(self, repeats: Any, axis: Optional[int] = None) -> "Tensor":
        """See `flywheel.repeat`."""
        return _registry.ops.repeat(self, repeats, axis)

    def take(self, indices: "TensorLike", axis: Optional[int] = None) -> "Tensor":
        """See `flywheel.take`; without an axis, of the vector of all elements."""
        return _registry.ops.take(self.ravel() if axis is None else self, indices, axis or 0)

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> "Tensor":
        """See `flywheel.diagonal`."""
        return _registry.ops.diagonal(self, offset, axis1, axis2)

    def dot(self, other: "TensorLike") -> "Tensor":
        """See `flywheel.dot`."""
        return _registry.ops.dot(self, other)

    def clip(self, low: Any = None, high: Any = None, *, out: None = None) -> "Tensor":
        """See `flywheel.clip`."""
        _refuse_out("clip", out)
        return _registry.ops.clip(self, low, high)

    def round(self, decimals: int = 0, *, out: None = None) -> "Tensor":
        """See `flywheel.round`."""
        _refuse_out("round", out)
        return _registry.ops.round(self, decimals)

    def sort(self, axis: Optional[int] = -1) -> "Tensor":
        """See `flywheel.sort`: the tensor itself stays as it is."""
        return _registry.ops.sort(self, axis)

    def argsort(self, axis: Optional[int] = -1) -> "Tensor":
        """See `flywheel.argsort`."""
        return _registry.ops.argsort(self, axis)

    def cumsum(self, axis: Optional[int] = None, *, dtype: Any = None, out: None = None) -> "Tensor":
        """See `flywheel.cumsum`, in `dtype`."""
        _refuse_out("cumsum", out)
        return _registry.ops.cumsum(self, axis, dtype=dtype)

    def cumprod(self, axis: Optional[int] = None, *, dtype: Any = None, out: None = None) -> "Tensor":
        """See `flywheel.cumprod`, in `dtype`."""
        _refuse_out("cumprod", out)
        return _registry.ops.cumprod(self, axis, dtype=dtype)

    def any(
        self, axis: Union[int, Sequence[int], None] = None, keepdims: bool = False, *, out: None = None
    ) -> "Tensor":
        """See `flywheel.any`."""
        _refuse_out("any", out)
        return _registry.ops.any(self, axis, keepdims)

    def all(
        self, axis: Union[int, Sequence[int], None] = None, keepdims: bool = False, *, out: None = None
    ) -> "Tensor":
        """See `flywheel.all`."""
        _refuse_out("all", out)
        return _registry.ops.all(self, axis, keepdims)

    def sum(
        self, axis: Union[int, Sequence[int], None] = None, keepdims: bool = False, dtype: Any = None, *,
        out: None = None,
    ) -> "Tensor":  # fmt: skip
        """See `flywheel.sum`."""
        _refuse_out("sum", out)
        return _registry.ops.sum(self, axis, keepdims, dtype)

    def mean(
        self, axis: Union[int, Sequence[int], None] = None, keepdims: bool = False, dtype: Any = None, *,
        out: None = None,
    ) -> "Tensor":  # fmt: skip
        """See `flywheel.mean`."""
        _refuse_out("mean", out)
        return _registry.ops.mean(self, axis, keepdims, dtype)

    def std(
        self, axis: Union[int, Sequence[int], None] = None, keepdims: bool = False, ddof: int = 0, *,
        dtype: Any = None, out: None = None,
    ) -> "Tensor":  # fmt: skip
        """See `flywheel.std`, in `dtype`."""
        _refuse_out("std", out)
        return _registry.ops.std(self if dtype is None else _registry.ops.cast(self, dtype), axis, keepdims, ddof)

    def var(
        self, axis: Union[int, Sequence[int], None] = None, keepdims: bool = False, ddof: int = 0, *,
        dtype: Any = None, out: None = None,
    ) -> "Tensor":  # fmt: skip
        """See `flywheel.var`, in `dtype`."""
        _refuse_out("var", out)
        return _registry.ops.var(self if dtype is None else _registry.ops.cast(self, dtype), axis, keepdims, ddof)

    def max(
        self, axis: Union[int, Sequence[int], None] = None, keepdims: bool = False, *, out: None = None
    ) -> "Tensor":
        """See `flywheel.max`."""
        _refuse_out("max", out)
        return _registry.ops.max(self, axis, keepdims)

    def min(
        self, axis: Union[int, Sequence[int], None] = None, keepdims: bool = False, *, out: None = None
    ) -> "Tensor":
        """See `flywheel.min`."""
        _refuse_out("min", out)
        return _registry.ops.min(self, axis, keepdims)

    def prod(
        self, axis: Union[int, Sequence[int], None] = None, keepdims: bool = False, dtype: Any = None, *,
        out: None = None,
    ) -> "Tensor":  # fmt: skip
        """See `flywheel.prod`."""
        _refuse_out("prod", out)
        return _registry.ops.prod(self, axis, keepdims, dtype)

    def argmax(self, axis: Optional[int] = None, keepdims: bool = False, *, out: None = None) -> "Tensor":
        """See `flywheel.argmax`."""
        _refuse_out("argmax", out)
        return _registry.ops.argmax(self, axis, keepdims)

    def argmin(self, axis: Optional[int] = None, keepdims: bool = False, *, out: None = None) -> "Tensor":
        """See `flywheel.argmin`."""
        _refuse_out("argmin", out)
        return _registry.ops.argmin(self, axis, keepdims)


def _refuse_out(name: str, out: Any) -> None:
    """NumPy's functions call methods with `out=None`: `np.sum(x)` of a tensor is one too."""
    if out is not None:
        raise about(name, TypeError("of a tensor is another tensor: expected out=None, found "
                                    f"{type(out).__name__}"), " ")  # fmt: skip


for _name, _method in list(vars(Operators).items()):
    if isinstance(_method, types.FunctionType) and not _name.startswith("_"):
        setattr(Operators, _name, name_keywords(_method, skip=1))
