# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The dtypes of tensors of a graph: TensorFlow's names for what `numpy.dtype` says of elements."""

import functools
from typing import Any, Dict, Optional, Tuple

import numpy as np

from .._core import dtypes as _dtypes
from .._errors.messages import about

# The numbers of TensorFlow's enumeration.
_NUMBERS = {
    "float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5, "int8": 6, "string": 7, "int64": 9, "bool": 10,
    "bfloat16": 14, "uint16": 17, "float16": 19, "uint32": 22, "uint64": 23}  # fmt: skip
_BY_NUMBER = {number: name for name, number in _NUMBERS.items()}
# Names that TensorFlow has beside those of NumPy, which calls the float of Python "float".
_OTHER_NAMES = {"float": "float32", "double": "float64", "half": "float16", "int": "int32"}


class DType:
    """The type of the elements of a tensor.

    Equal to the `numpy.dtype` of the same elements, to its scalar class and to its name, with the hash of the former,
    and taken by NumPy as one: `np.zeros(2, tf.float32)`. There is one object for each type; a variable has the type of
    its value, which is its own `base_dtype`.
    """

    __slots__ = ("dtype", "itemsize", "kind", "name")

    dtype: _dtypes.DType  #: `numpy.dtype` of the elements; NumPy reads this attribute.
    itemsize: int
    kind: str
    name: str

    def __new__(cls, type_enum: Any) -> "DType":
        """The dtype of this number of TensorFlow's enumeration. Raises TypeError if no tensor has it, ValueError if it
        is not a number."""
        if not isinstance(type_enum, int):
            raise about("DType", ValueError(f"expected the number of a dtype, found {type_enum!r}; tf.as_dtype takes "
                                            "names"))  # fmt: skip
        if type_enum not in _BY_NUMBER:
            raise about("DType", TypeError(f"no tensor has the dtype of number {type_enum}"))
        return _BY_NAME[_BY_NUMBER[type_enum]]

    def __reduce__(self) -> Any:
        return as_dtype, (self.name,)

    def __copy__(self) -> "DType":
        return self

    def __deepcopy__(self, _: Any) -> "DType":
        return self

    @property
    def base_dtype(self) -> "DType":
        return self

    @property
    def real_dtype(self) -> "DType":
        return self

    @property
    def as_numpy_dtype(self) -> Any:
        """The scalar class of NumPy, `np.float32`; of strings, `object`."""
        return object if self.name == "string" else self.dtype.type

    @property
    def type(self) -> Any:
        """As `numpy.dtype.type`."""
        return self.as_numpy_dtype

    @property
    def as_datatype_enum(self) -> int:
        return _NUMBERS[self.name]

    @property
    def is_floating(self) -> bool:
        return _dtypes.is_floating(self.dtype)

    @property
    def is_integer(self) -> bool:
        return _dtypes.is_integer(self.dtype)

    @property
    def is_unsigned(self) -> bool:
        return _dtypes.is_unsigned(self.dtype)

    @property
    def is_bool(self) -> bool:
        return _dtypes.is_bool(self.dtype)

    @property
    def is_complex(self) -> bool:
        return False

    @property
    def is_quantized(self) -> bool:
        return False

    @property
    def is_numeric(self) -> bool:
        return self.is_floating or self.is_integer

    @property
    def is_numpy_compatible(self) -> bool:
        return True

    @property
    def size(self) -> int:
        """The bytes of an element."""
        return self.itemsize

    @property
    def min(self) -> Any:
        """The least number. Raises TypeError for booleans and strings."""
        return self._bounds("minimum")[0]

    @property
    def max(self) -> Any:
        """The largest number. Raises TypeError for booleans and strings."""
        return self._bounds("maximum")[1]

    def _bounds(self, which: str) -> Tuple[Any, Any]:
        if self.is_integer:
            info = np.iinfo(self.dtype)
            return info.min, info.max
        if not self.is_floating:
            raise TypeError(f"Cannot find {which} value of {self!r}.")
        if self.dtype == _dtypes.bfloat16:
            largest = _dtypes.largest(self.dtype)
            return self.dtype.type(-largest), self.dtype.type(largest)
        return np.finfo(self.dtype).min, np.finfo(self.dtype).max

    @property
    def limits(self) -> Tuple[Any, Any]:
        """The intensities of images of this dtype, from 0 up. Raises ValueError for halves and strings, as TensorFlow
        does."""
        if self.is_integer:
            return 0, np.iinfo(self.dtype).max
        if self.is_bool:
            return 0, True
        if self.is_floating and not _dtypes.is_half(self.dtype):
            return 0, 1
        raise ValueError(f"{self} does not have defined limits.")

    def is_compatible_with(self, other: Any) -> bool:
        return self == as_dtype(other)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, DType):
            return self is other
        found = _find(other)
        return NotImplemented if found is None else self is found

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.dtype)

    def __int__(self) -> int:
        return self.as_datatype_enum

    def __str__(self) -> str:
        return f"<dtype: '{self.name}'>"

    def __repr__(self) -> str:
        return f"tf.{self.name}"


def _create(dtype: _dtypes.DType) -> DType:
    made = object.__new__(DType)
    made.dtype, made.itemsize, made.kind, made.name = dtype, dtype.itemsize, dtype.kind, _dtypes.name_of(dtype)
    return made


_BY_NAME: Dict[str, DType] = {
    name: _create(_dtypes.as_dtype(name)) for name in _NUMBERS if name != "bfloat16" or _dtypes.bfloat16 is not None}
_BY_DTYPE: Dict[_dtypes.DType, DType] = {one.dtype: one for one in _BY_NAME.values()}


def as_dtype(type_value: Any) -> DType:
    """A dtype by its name, by its number in TensorFlow, or as NumPy has it: "float" and the class `float` have 32 bits.
    Raises TypeError where no tensor has it."""
    if isinstance(type_value, DType):
        return type_value
    if isinstance(type_value, np.dtype) and type_value in _BY_DTYPE:
        return _BY_DTYPE[type_value]
    # As in TensorFlow, 2.0 is the number 2.
    if isinstance(type_value, (int, float)) and not isinstance(type_value, bool) and type_value in _BY_NUMBER:
        type_value = _BY_NUMBER[int(type_value)]
    if isinstance(type_value, str):
        type_value = _OTHER_NAMES.get(type_value, type_value)
    return _BY_DTYPE[_dtypes.as_dtype(type_value)]


def _find(value: Any) -> Optional[DType]:
    """Returns the dtype that a value names, or None."""
    if value is None:
        return None
    try:
        return _find_hashable(value)
    except TypeError:
        return None


@functools.lru_cache(512, typed=True)
def _find_hashable(value: Any) -> Optional[DType]:
    try:
        return as_dtype(value)
    except TypeError:
        return None


float16, float32, float64 = _BY_NAME["float16"], _BY_NAME["float32"], _BY_NAME["float64"]
int8, int16, int32, int64 = _BY_NAME["int8"], _BY_NAME["int16"], _BY_NAME["int32"], _BY_NAME["int64"]
uint8, uint16, uint32, uint64 = _BY_NAME["uint8"], _BY_NAME["uint16"], _BY_NAME["uint32"], _BY_NAME["uint64"]
bool_, string = _BY_NAME["bool"], _BY_NAME["string"]
bfloat16 = _BY_NAME.get("bfloat16")
