# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments of traced functions: what they are, and how entries take them."""

import dataclasses
import sys
from typing import Any, NamedTuple, Optional, Tuple, Union

import numpy as np

from .._core import dtypes as _dtypes
from .._core.dtypes import resolved
from .._core.operators import Operators
from .._core.tensor import format_shape
from .._errors.messages import wrong

Dims = Tuple[Union[int, str, None], ...]


@dataclasses.dataclass(frozen=True)
class TensorSpec:
    """The dtype and the dimensions of an argument, without its elements. A dimension is a size, or None or a name if
    each call chooses it. Dimensions of one name have one size."""

    shape: Dims
    dtype: _dtypes.DType


def spec(*shape: Union[int, str, None], dtype: Any = _dtypes.float32) -> TensorSpec:
    """A tensor argument, `spec("batch", 64)` or `spec("batch", dtype="int32")`. Raises ValueError for a size below 0,
    TypeError for a dimension that is not a size."""
    for dim in shape:
        if dim is not None and (isinstance(dim, bool) or not isinstance(dim, (int, np.integer, str))):
            raise wrong(TypeError, "a size, a name or None", repr(dim), "a dimension of a spec")
        if isinstance(dim, (int, np.integer)) and dim < 0:
            raise ValueError(f"expected sizes of 0 or more in a spec, found {dim}: a call chooses those that are None")
    return TensorSpec(tuple(int(dim) if isinstance(dim, np.integer) else dim for dim in shape), _dtypes.as_dtype(dtype))


class Leaf(NamedTuple):
    """One argument of an entry."""

    kind: str  # As Dispatcher has it.
    dtype: _dtypes.DType
    dims: Dims


_STATIC = (str, bytes, type(None))
_NUMBERS = {float: "f", int: "i", bool: "b"}


def describe(value: Any) -> Optional[Leaf]:
    """Returns the kind, dtype and shape of a leaf of the arguments; None for a leaf that the trace takes as a Python
    value."""
    if isinstance(value, TensorSpec):
        return Leaf("a", value.dtype, value.shape)
    kind = _NUMBERS.get(type(value))
    if kind is not None:
        dtype = _dtypes.of_number(value)
        return Leaf("l" if dtype == _dtypes.int64 else kind, dtype, ())
    if isinstance(value, (np.ndarray, np.generic)):
        return Leaf("a", _dtypes.as_dtype(value.dtype), value.shape)
    return None


def as_array(value: Any) -> Any:
    """Converts another package's array to NumPy, without a copy if DLPack or the buffer protocol allows that. Raises
    TypeError for a masked array and for a matrix."""
    if isinstance(value, np.ma.MaskedArray):
        _dtypes.refuse_masked(value)
    _dtypes.refuse_matrix(value)
    if isinstance(value, (np.ndarray, np.generic, TensorSpec, *_NUMBERS, *_STATIC)):
        return value
    if str(getattr(value, "dtype", "")) == "torch.bfloat16" and _dtypes.bfloat16 is not None:
        # NumPy knows of no such type: the bits.
        bits = resolved(value.detach()).view(sys.modules["torch"].int16)
        return np.from_dlpack(bits).view(_dtypes.bfloat16)
    if hasattr(value, "__dlpack__"):
        value = resolved(value)
        try:
            return np.from_dlpack(value)
        except (BufferError, RuntimeError, TypeError):
            return np.asarray(value)
    if isinstance(value, Operators):
        return value
    if any(hasattr(value, name) for name in ("__array__", "__array_interface__", "__array_struct__")):
        return np.asarray(value)
    try:
        # Arrays of the standard library, of ctypes, and memory maps have a buffer.
        return np.asarray(memoryview(value))
    except TypeError:
        return value


def feed(value: Any, leaf: Leaf) -> Any:
    """A leaf as an entry takes it."""
    if leaf.kind != "a":
        return value
    array = np.asarray(value)
    return array.astype(object) if leaf.dtype == _dtypes.string and array.dtype != object else array


def format_shape_of(one: TensorSpec) -> str:
    return format_shape(tuple(d if isinstance(d, int) else None for d in one.shape))
