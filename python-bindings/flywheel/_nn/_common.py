# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Helpers that layers share."""

from typing import Any, Optional, Sequence, Tuple, Union

from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, TensorLike, as_tensor, format_shape
from .._errors.messages import wrong
from ..initializers import Initializer, Ones, Zeros
from ..module import Module
from ..variables import Variable

__all__ = ["Dims", "as_input", "bias_of", "count_of", "ones", "wide_dtype", "zeros"]

Dims = Sequence[Union[int, str]]


def count_of(value: Any, what: str) -> int:
    """Returns a number of channels, heads or the like. Raises TypeError if it is not an integer, ValueError below 1."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise wrong(TypeError, "an integer", repr(value), what)
    count = int(value.__index__())
    if count < 1:
        raise ValueError(f"expected {what} of at least 1, found {count}")
    return count


def wide_dtype(dtype: Any) -> _dtypes.DType:
    """Returns the dtype in which norms compute: float32 for 16 bits."""
    kind = _dtypes.as_dtype(dtype)
    return _dtypes.float32 if kind.itemsize == 2 else kind


def zeros(shape: Sequence[int], dtype: Any) -> Variable:
    return Variable(Zeros(), shape=shape, dtype=dtype)


def ones(shape: Sequence[int], dtype: Any) -> Variable:
    return Variable(Ones(), shape=shape, dtype=dtype)


def bias_of(has_bias: bool, count: int, dtype: Any, initial: Optional[Initializer] = None) -> Optional[Variable]:
    return Variable(initial or Zeros(), shape=(count,), dtype=dtype) if has_bias else None


def as_input(layer: Module, value: TensorLike, dtype: _dtypes.DType, *forms: Dims) -> Tensor:
    """Returns the argument of a layer as a tensor of one of these forms: names stand for any size, and a leading "..."
    for any dimensions. Raises ValueError for another shape and TypeError for another dtype, with the layer's name."""
    x = as_tensor(value)
    if x.dtype != dtype or not any(_fits(x._dims, form) for form in forms):
        name = _dtypes.name_of
        wanted = " or ".join(f"{name(dtype)}[{', '.join(map(str, form))}]" for form in forms)
        kind = TypeError if x.dtype != dtype else ValueError
        raise kind(f"layer '{layer.name}' ({type(layer).__name__}) takes {wanted}, found "
                   f"{name(x.dtype)}{format_shape(x._dims)}")  # fmt: skip
    return x


def _fits(shape: Tuple[Optional[int], ...], form: Dims) -> bool:
    if form[0] == "...":
        form = form[1:]
        shape = shape[len(shape) - len(form) :] if len(shape) >= len(form) else ()
    return len(shape) == len(form) and all(
        isinstance(wanted, str) or found is None or found == wanted for found, wanted in zip(shape, form)
    )
