# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types, and which one two of them have in common.

An element type is a `numpy.dtype`; bfloat16 is that of `ml_dtypes`, and strings
have the dtype `object`.
"""

import functools
from typing import Any, Tuple, Union

import numpy as np

from .._errors.hints import nearest
from .._errors.messages import wrong

DType = np.dtype[Any]
DTypeLike = Any

float16 = np.dtype("float16")
float32: DType = np.dtype("float32")
float64 = np.dtype("float64")
int8 = np.dtype("int8")
int16 = np.dtype("int16")
int32 = np.dtype("int32")
int64 = np.dtype("int64")
uint8 = np.dtype("uint8")
uint16 = np.dtype("uint16")
uint32 = np.dtype("uint32")
uint64 = np.dtype("uint64")
bool_ = np.dtype("bool")
string = np.dtype("object")

_NAMES = {
    "float16", "bfloat16", "float32", "float64", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16",
    "uint32", "uint64"}  # fmt: skip


def _find_bfloat16() -> Union[DType, None]:
    try:
        import ml_dtypes
    except ImportError:
        return None
    found: DType = np.dtype(ml_dtypes.bfloat16)
    return found


bfloat16 = _find_bfloat16()


def as_dtype(dtype: DTypeLike) -> DType:
    """The element type that `dtype` names. Raises TypeError where no tensor has it."""
    if dtype is None:
        raise TypeError("expected a dtype such as 'float32', found None")
    if dtype is str or dtype is bytes or (isinstance(dtype, str) and dtype == "string"):
        return string
    if isinstance(dtype, str) and dtype == "bfloat16":
        if bfloat16 is None:
            raise TypeError("bfloat16 needs the package ml_dtypes")
        return bfloat16
    # Python's numbers are as wide as elsewhere in this package.
    if dtype is float:
        return float32
    if dtype is int:
        return int32
    try:
        result = np.dtype(dtype)
    except (TypeError, ValueError):
        found = repr(dtype) if isinstance(dtype, str) else str(dtype)
        # Dtypes of other packages end with the name of one of ours.
        hint = nearest(str(dtype).rpartition(".")[2].strip("'<>"), _NAMES)
        raise TypeError(f"no tensor has the dtype {found}{hint}") from None
    if result.kind in "OSU":
        return string
    if not result.isnative:
        result = result.newbyteorder("=")
    if result.name not in _NAMES:
        raise TypeError(f"no tensor has the dtype '{result}'")
    return result


@functools.cache
def name_of(dtype: DType) -> str:
    """The name that the compiler has for it. NumPy makes `dtype.name` anew each time, in 5 µs."""
    return "string" if dtype == string else dtype.name


def is_floating(dtype: DType) -> bool:
    return dtype.kind == "f" or dtype == bfloat16


def largest(dtype: DType) -> float:
    """The largest number of a floating-point dtype, of which NumPy does not know bfloat16."""
    return (2.0 - 2.0**-7) * 2.0**127 if dtype == bfloat16 else float(np.finfo(dtype).max)


def is_half(dtype: DType) -> bool:
    """Returns true for the floating-point types of 16 bits."""
    return is_floating(dtype) and dtype.itemsize == 2


def is_signed(dtype: DType) -> bool:
    return dtype.kind == "i"


def is_unsigned(dtype: DType) -> bool:
    return dtype.kind == "u"


def is_integer(dtype: DType) -> bool:
    return dtype.kind in "iu"


def is_bool(dtype: DType) -> bool:
    return dtype.kind == "b"


def promote_types(a: DTypeLike, b: DTypeLike) -> DType:
    """The element type of an operation on tensors of `a` and `b`, which may be names: "bfloat16".

    As NumPy has it, but that an integer takes the floating-point type of the other operand, however wide it is, as in
    JAX; float16 and bfloat16 make float32. Raises TypeError for an argument that is not a type of elements, for
    strings, and for uint64 with a signed type.
    """
    return promote(as_dtype(a), as_dtype(b))


def promote(a: DType, b: DType) -> DType:
    """The element type of an operation on tensors of `a` and `b`.

    As NumPy has it, but that an integer takes the floating-point type of the other
    operand, however wide it is: int32 and float32 make float32, as in JAX. float16
    and bfloat16 make float32. Raises TypeError for strings, and for uint64 with a
    signed type, which no integer type holds both of.
    """
    if a == b:
        return a
    if string in (a, b):
        raise TypeError(f"no operation takes {name_of(a)} and {name_of(b)}")
    if is_floating(a) and is_floating(b):
        if a.itemsize == b.itemsize:
            return float32
        return a if a.itemsize > b.itemsize else b
    if is_floating(a) or is_bool(b):
        return a
    if is_floating(b) or is_bool(a):
        return b
    if a.kind == b.kind:
        return a if a.itemsize > b.itemsize else b
    if uint64 in (a, b):
        raise TypeError(f"no integer type holds both {a} and {b}: cast one of them")
    return np.promote_types(a, b)


def of_number(value: Union[bool, int, float]) -> DType:
    """The element type of a Python number: int32 (int64 where it does not fit),
    float32 or bool."""
    if isinstance(value, bool):
        return bool_
    if isinstance(value, int):
        return int32 if -(2**31) <= value < 2**31 else int64
    return float32


def weak(value: Union[bool, int, float], other: DType) -> DType:
    """The element type of an operation on a tensor of `other` and a Python number:
    that of the tensor, unless only the number is floating-point, or only the tensor
    is boolean."""
    if isinstance(value, bool):
        return other
    if isinstance(value, int):
        return of_number(value) if is_bool(other) else other
    return other if is_floating(other) else float32


def resolved(value: Any) -> Any:
    """Returns a tensor of PyTorch whose memory has its elements: one may be the negative, or the conjugate, of what
    lies there. Returns other values as they are."""
    for name, resolve in (("is_conj", "resolve_conj"), ("is_neg", "resolve_neg")):
        if getattr(value, name, bool)() is True:
            value = getattr(value, resolve)()
    return value


def refuse_matrix(value: Any) -> None:
    """Raises TypeError for a matrix of NumPy, whose products are those of matrices."""
    if isinstance(value, np.matrix):
        raise TypeError("a numpy.matrix multiplies as matrices do, and a tensor by elements: use numpy.asarray(value), "
                        "and @ for products of matrices")  # fmt: skip


def refuse_masked(value: Any) -> None:
    """Raises TypeError for a masked array, also in lists: no tensor has a mask."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError("a masked array has a mask, which no tensor has: use value.filled(number), or value.data for "
                        "the elements without the mask")  # fmt: skip
    if isinstance(value, (list, tuple)):
        for item in value:
            if not isinstance(item, (bool, int, float, str)):
                refuse_masked(item)


def as_numpy(value: Any, dtype: Any = None) -> np.ndarray[Any, Any]:
    """A value as an array of NumPy, of any layout, in the byte order of this machine. Raises TypeError for a masked
    array."""
    refuse_masked(value)
    if hasattr(value, "__dlpack__"):
        value = resolved(value)
    try:
        array = np.asarray(value, dtype)
    except ValueError:
        if not isinstance(value, (list, tuple)):
            raise
        raise wrong(ValueError, "lists of equal lengths at each level", _shorten(value)) from None
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _shorten(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _refuse_objects(array: np.ndarray[Any, Any]) -> None:
    """Raises TypeError for elements that are not numbers, but that NumPy would convert to some: None is NaN to it."""
    kind = array.dtype.kind
    if kind in "cmM" or (kind == "V" and array.dtype.type is np.void):
        raise TypeError(f"no tensor has the dtype '{array.dtype}'")
    if kind == "O":
        numbers = (bool, int, float, np.number, np.bool_)
        odd = {type(element).__name__ for element in array.reshape(-1) if not isinstance(element, numbers)}
        if odd:
            raise wrong(TypeError, "an array, a number or a list of them", ", ".join(sorted(odd)))


def saturated(array: np.ndarray[Any, Any], dtype: DType) -> np.ndarray[Any, Any]:
    """Converts floating-point numbers to integers of `dtype`, as compiled programs do: numbers out of range become the
    nearest integer in range, and NaN becomes 0."""
    wide = array.astype(np.float64)
    is_below, is_above = _beyond(wide, dtype)
    inside = np.where(is_below | is_above | np.isnan(wide), 0.0, wide).astype(dtype)
    ends = [dtype.type(n) for n in (np.iinfo(dtype).min, np.iinfo(dtype).max)]
    result: np.ndarray[Any, Any] = np.where(is_below, ends[0], np.where(is_above, ends[1], inside))
    return result


def _beyond(wide: np.ndarray[Any, Any], dtype: DType) -> Tuple[Any, Any]:
    """Returns masks of the numbers below and above the range of an integer type, whose bounds are exact here."""
    info = np.iinfo(dtype)
    return wide < float(info.min), wide >= float(int(info.max) + 1)


def literal(value: Any, dtype: DTypeLike = None) -> np.ndarray[Any, Any]:
    """A Python value as a dense array: numbers as `of_number` says, arrays with the
    dtype that they have. Raises TypeError for what no tensor holds."""
    if hasattr(value, "__dlpack__"):
        value = resolved(value)
    array = as_numpy(value)
    if dtype is not None:
        wanted = as_dtype(dtype)
        if wanted != string:
            _refuse_objects(array)
            if array.dtype.kind in "SU":
                raise TypeError(f"expected numbers to make {name_of(wanted)} of, found {value!r}"[:200])
        if is_integer(wanted) and is_floating(array.dtype):
            wide = array.astype(np.float64)
            if (np.isnan(wide) | np.logical_or(*_beyond(wide, wanted))).any():
                return saturated(array, wanted)
        # Converts the value itself, not `array`: a Python number may be more exact than its array.
        array = np.asarray(value, wanted) if array.dtype.kind in "iufOSU" else array.astype(wanted)
        return np.require(array, wanted, ["C", "A", "E"])
    if not isinstance(value, (np.ndarray, np.generic)):
        if array.dtype == np.int64 and (array.size == 0 or -(2**31) <= array.min() <= array.max() < 2**31):
            array = array.astype(np.int32)
        elif array.dtype == np.float64:
            array = array.astype(np.float32)
    dtype = as_dtype(array.dtype)
    if dtype == string:
        array = array.astype(object)
        odd = {type(element).__name__ for element in array.reshape(-1) if not isinstance(element, (str, bytes))}
        if odd:
            kind = "an array of objects: " if array.ndim else ""
            raise wrong(TypeError, "an array, a number, a string or a list of them", kind + ", ".join(sorted(odd)))
    return np.require(array, requirements=["C", "A", "E"])


def kept(value: Any, dtype: DTypeLike = None) -> np.ndarray[Any, Any]:
    """Returns `literal(value, dtype)` for later use: writing to the caller's array changes nothing in it."""
    array = literal(value, dtype)
    return array.copy() if _may_change(array, value) else array


def copied(value: Any) -> Any:
    """Returns a number, an array or nested lists of them for later use: writing to the caller's arrays and lists
    changes nothing in it."""
    if isinstance(value, (list, tuple)):
        return [copied(one) for one in value]
    return np.array(value) if isinstance(value, np.ndarray) or hasattr(value, "__dlpack__") else value


def is_frozen(array: np.ndarray[Any, Any]) -> bool:
    """Returns true if the memory of an array is read-only, whoever has it: its flags and those of its bases say so."""
    base: Any = array
    while isinstance(base, np.ndarray):
        if base.flags.writeable:
            return False
        base = base.base
    return base is None or _is_read_only(base)


def _is_read_only(buffer: Any) -> bool:
    try:
        return memoryview(buffer).readonly
    except TypeError:
        return False


def _may_change(array: np.ndarray[Any, Any], value: Any) -> bool:
    """Returns true if anyone else may write to the memory of an array that is made of `value`."""
    if array.base is None:
        return array is value
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    return not _is_read_only(base)
