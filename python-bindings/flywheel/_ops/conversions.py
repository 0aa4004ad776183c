# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions to integers as other frameworks have them."""

from typing import Any

import numpy as np

from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, TensorLike, as_tensor, constant
from .arithmetic import cast, greater_equal, less, not_equal, subtract, where
from .emission import as_unsigned, emit, signless
from .functions import bitwise_xor


def wrapping_cast(x: TensorLike, dtype: Any) -> Tensor:
    """`cast` to integers with the results of NumPy, PyTorch, TensorFlow and ONNX Runtime on x86-64 for
    numbers out of range, which follow from its instructions.

    The number becomes an int32 where the integer type has 8 or 16 bits, or is int32, and an int64
    otherwise; what does not fit there, and a NaN, becomes the lowest number of it. The result has the
    lowest bits of that. For uint64, 2^63 is subtracted from numbers from 2^63 on before, and added
    again. (For uint32 the results of the frameworks depend on the place in the array below 0 and
    from 2^32 on: these are those of single numbers.)
    """
    x, target = as_tensor(x), _dtypes.as_dtype(dtype)
    if not _dtypes.is_floating(x.dtype) or not _dtypes.is_integer(target):
        return cast(x, target)
    is_narrow = target.itemsize < 4 or target == _dtypes.int32
    bits = 31 if is_narrow else 63
    # In float32 or float64, in which 2^bits is exact and finite.
    x = x if x.dtype == _dtypes.float64 else cast(x, _dtypes.float32)
    whole = _dtypes.int32 if is_narrow else _dtypes.int64

    def indefinite(y: Tensor) -> Tensor:
        lowest = constant(np.asarray(-(2**bits), whole))
        return where(less(y, float(2**bits)), cast(y, whole), lowest)

    if target == _dtypes.uint64:
        is_long = greater_equal(x, float(2**63))
        low = indefinite(where(is_long, subtract(x, float(2**63)), x))
        return cast(where(is_long, bitwise_xor(low, constant(np.asarray(-(2**63), whole))), low), target)
    return cast(indefinite(x), target)


def bitcast(x: Tensor, dtype: _dtypes.DType) -> Tensor:
    """The same bits as elements of another dtype of this width. A boolean is a byte, 0 or 1."""
    if x.dtype == dtype:
        return x
    if _dtypes.is_bool(x.dtype):
        return bitcast(cast(x, _dtypes.int8), dtype)
    if _dtypes.is_bool(dtype):
        return not_equal(bitcast(x, _dtypes.int8), 0)
    plain = _dtypes.as_dtype(dtype.name[1:]) if _dtypes.is_unsigned(dtype) else dtype
    bits = signless(x)
    return as_unsigned(bits if bits.dtype == plain else emit("arith.bitcast", [bits], plain), dtype)
