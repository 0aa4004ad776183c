# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers of 2, 4, 6 and 8 bits of which no tensor is made here: their values are kept in a wider type.

Integers are in int8 or uint8, floating-point numbers in float32, which hold each of their values exactly. A model takes
and returns arrays of the package ml_dtypes; in a traced function they are tensors of the wider type.
"""

from typing import Any, Dict, NamedTuple, Optional, Sequence

import numpy as np
import onnx

from .. import _ops
from .._core import dtypes as _dtypes
from .._core.annotations import Array
from .._core.tensor import Tensor, as_tensor
from .._frontends.layouts import Laid
from .._ops.conversions import bitcast, wrapping_cast
from ..transforms import custom_vjp


class Element(NamedTuple):
    """A type of numbers that are kept in a wider one."""

    # The name that ONNX has for it.
    name: str
    # That of ml_dtypes.
    dtype: _dtypes.DType
    # The type of a tensor with its values.
    carrier: _dtypes.DType
    bits: int
    # Floating-point numbers: the bits of the fraction, the exponent of the smallest normal number, the largest number.
    fraction: int = 0
    least: int = 0
    most: float = 0.0
    has_nan: bool = True
    has_infinity: bool = False
    has_negative_zero: bool = True

    @property
    def is_integer(self) -> bool:
        return _dtypes.is_integer(self.carrier)

    @property
    def low(self) -> int:
        return 0 if _dtypes.is_unsigned(self.carrier) else -(1 << (self.bits - 1))

    @property
    def high(self) -> int:
        return self.low + (1 << self.bits) - 1


# By ONNX's name: the name of ml_dtypes, and what Element says of it.
_KINDS: Dict[str, Sequence[Any]] = {
    "INT2": ("int2", _dtypes.int8, 2), "UINT2": ("uint2", _dtypes.uint8, 2),
    "INT4": ("int4", _dtypes.int8, 4), "UINT4": ("uint4", _dtypes.uint8, 4),
    "FLOAT8E4M3FN": ("float8_e4m3fn", _dtypes.float32, 8, 3, -6, 448.0),
    "FLOAT8E4M3FNUZ": ("float8_e4m3fnuz", _dtypes.float32, 8, 3, -7, 240.0, True, False, False),
    "FLOAT8E5M2": ("float8_e5m2", _dtypes.float32, 8, 2, -14, 57344.0, True, True),
    "FLOAT8E5M2FNUZ": ("float8_e5m2fnuz", _dtypes.float32, 8, 2, -15, 57344.0, True, False, False),
    "FLOAT8E8M0": ("float8_e8m0fnu", _dtypes.float32, 8),
    "FLOAT4E2M1": ("float4_e2m1fn", _dtypes.float32, 4, 1, 0, 6.0, False),
    "FLOAT6E2M3": ("float6_e2m3fn", _dtypes.float32, 6, 3, 0, 7.5, False),
    "FLOAT6E3M2": ("float6_e3m2fn", _dtypes.float32, 6, 2, -2, 28.0, False),
}  # fmt: skip
_ONLY_EXPONENTS = "FLOAT8E8M0"


def _find_elements() -> Dict[int, Element]:
    try:
        import ml_dtypes
    except ImportError:
        return {}
    known = dict(onnx.TensorProto.DataType.items())
    return {
        known[name]: Element(name, np.dtype(getattr(ml_dtypes, kind)), *rest)
        for name, (kind, *rest) in _KINDS.items() if name in known and hasattr(ml_dtypes, kind)}  # fmt: skip


_ELEMENTS = _find_elements()
_BY_DTYPE = {one.dtype: one for one in _ELEMENTS.values()}


def element_of(number: Any) -> Optional[Element]:
    """The element type of ONNX with this number, if no tensor has it; None for any other."""
    return _ELEMENTS.get(number)


def element_of_dtype(dtype: _dtypes.DType) -> Optional[Element]:
    """The same by the dtype of ml_dtypes."""
    return _BY_DTYPE.get(dtype)


class Small(Laid):
    """A tensor of numbers that are kept in a wider type."""

    __slots__ = ("element",)

    def __init__(self, data: Tensor, element: Element, order: Optional[Sequence[int]] = None):
        super().__init__(data, order)
        self.element = element

    def copy(self) -> "Small":
        result = Small(self.data, self.element, self.order)
        result._forms = dict(self._forms)
        return result


def as_carried(value: Any, element: Element, what: str) -> Array:
    """The values of an array of small numbers in their carrier. Raises ValueError for an array of another type."""
    array = value if isinstance(value, (np.ndarray, np.generic)) else np.asarray(value).astype(element.dtype)
    if array.dtype != element.dtype:
        raise ValueError(f"{what} has elements of {element.dtype.name}, found {array.dtype.name}")
    return np.asarray(array).astype(element.carrier)


@custom_vjp
def _passing(x: Tensor, rounded: Tensor) -> Tensor:
    """Returns `rounded`, whose derivative is that of `x`, as that of any conversion between floating-point types."""
    return rounded


@_passing.defvjp
def _passing_vjp(x: Tensor, rounded: Tensor, gradient: Tensor) -> Any:
    return _ops.cast(gradient, x.dtype), None


def narrowed(x: Tensor, element: Element, saturates: bool = True, round_mode: str = "up") -> Small:
    """A conversion as ONNX has it.

    To integers as `wrapping_cast`, of which the lowest bits are kept. To floating-point numbers: the nearest one,
    halves to even; numbers out of range become the largest one if the conversion `saturates` or if the type has
    neither infinity nor NaN, and otherwise infinity or NaN. FLOAT8E8M0 has the powers of two, rounded by `round_mode`.
    """
    if element.is_integer:
        return Small(_lowest_bits(wrapping_cast(x, element.carrier), element), element)
    if element.name == _ONLY_EXPONENTS:
        return Small(_power(_ops.cast(x, _dtypes.float32), saturates, round_mode), element)
    wide = x if x.dtype == _dtypes.float64 else _ops.cast(x, _dtypes.float32)
    rounded = _ops.cast(_rounded(wide, element, saturates), element.carrier)
    return Small(_passing(x, rounded) if _dtypes.is_floating(x.dtype) else rounded, element)


def _lowest_bits(x: Tensor, element: Element) -> Tensor:
    """Returns the lowest bits of bytes as a number, with a sign if the type has one."""
    unused = np.asarray(8 - element.bits, element.carrier)
    return _ops.right_shift(_ops.left_shift(x, as_tensor(unused)), as_tensor(unused))


def _rounded(x: Tensor, element: Element, saturates: bool) -> Tensor:
    """Returns the nearest number of the type, in the type of `x`, float32 or float64."""
    whole, fraction, bias = (_dtypes.int64, 52, 1023) if x.dtype == _dtypes.float64 else (_dtypes.int32, 23, 127)
    number = {name: as_tensor(np.asarray(value, whole)) for name, value in (
        ("fraction", fraction), ("mask", 2 * bias + 1), ("least", element.least + bias),
        ("own", element.fraction))}  # fmt: skip
    exponent = _ops.bitwise_and(_ops.right_shift(bitcast(x, whole), number["fraction"]), number["mask"])
    exponent = _ops.subtract(_ops.maximum(exponent, number["least"]), number["own"])
    # The distance of two neighbours is a power of two: division and product are exact.
    distance = bitcast(_ops.left_shift(exponent, number["fraction"]), x.dtype)
    found = _ops.multiply(_ops.rint(_ops.divide(x, distance)), distance)
    above, below = _ops.greater(found, element.most), _ops.less(found, -element.most)
    has_nan = element.has_nan
    if saturates or not has_nan:
        high, low = element.most, -element.most
    else:
        high = np.inf if element.has_infinity else np.nan
        low = -high
    found = _ops.where(above, as_tensor(high, x.dtype), _ops.where(below, as_tensor(low, x.dtype), found))
    if not has_nan:
        found = _ops.where(_ops.isnan(found), as_tensor(0.0, x.dtype), found)
    if not element.has_negative_zero:
        found = _ops.where(_ops.equal(found, 0.0), as_tensor(0.0, x.dtype), found)
    return found


def _power(x: Tensor, saturates: bool, round_mode: str) -> Tensor:
    """Returns the power of two for numbers of float32, whose sign is dropped; NaN for NaN and infinity."""

    def number(value: int) -> Tensor:
        return as_tensor(np.asarray(value, np.int32))

    def has(mask: int) -> Tensor:
        return _ops.not_equal(_ops.bitwise_and(bits, number(mask)), number(0))

    bits = bitcast(x, _dtypes.int32)
    exponent = _ops.bitwise_and(_ops.right_shift(bits, number(23)), number(255))
    if round_mode == "up":
        up = has(0x7FFFFF)
    elif round_mode == "nearest":
        # Halves go up, but below the smallest power.
        up = _ops.logical_and(has(0x400000), _ops.logical_or(has(0x3FFFFF), _ops.greater(exponent, number(0))))
    elif round_mode == "down":
        up = has(0)
    else:
        raise ValueError(f"expected the round_mode up, down or nearest, found '{round_mode}'")
    up = _ops.logical_and(up, _ops.less(exponent, number(254 if saturates else 255)))
    exponent = _ops.add(exponent, _ops.cast(up, _dtypes.int32))
    # The smallest power, 2^-127, has no exponent of its own in float32.
    pattern = _ops.where(_ops.equal(exponent, number(0)), number(1 << 22), _ops.left_shift(exponent, number(23)))
    nan = as_tensor(np.nan, _dtypes.float32)
    return _ops.where(_ops.equal(exponent, number(255)), nan, bitcast(pattern, _dtypes.float32))
