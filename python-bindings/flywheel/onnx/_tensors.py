# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of files of ONNX: their types, their elements, and data in other files."""

import os
import stat
from typing import Any, Dict

import numpy as np
import onnx
import onnx.numpy_helper

from .._core import dtypes as _dtypes
from .._core.annotations import Array
from .._frontends.missing_ops import UnsupportedOpError
from ._small import element_of

_DTYPES: Dict[int, str] = {
    onnx.TensorProto.FLOAT: "float32", onnx.TensorProto.DOUBLE: "float64", onnx.TensorProto.FLOAT16: "float16",
    onnx.TensorProto.BFLOAT16: "bfloat16", onnx.TensorProto.INT8: "int8", onnx.TensorProto.INT16: "int16",
    onnx.TensorProto.INT32: "int32", onnx.TensorProto.INT64: "int64", onnx.TensorProto.UINT8: "uint8",
    onnx.TensorProto.UINT16: "uint16", onnx.TensorProto.UINT32: "uint32", onnx.TensorProto.UINT64: "uint64",
    onnx.TensorProto.BOOL: "bool"}  # fmt: skip

# The field that has the elements of a type, where they are not bytes.
_FIELDS: Dict[int, str] = {
    onnx.TensorProto.FLOAT: "float_data", onnx.TensorProto.DOUBLE: "double_data", onnx.TensorProto.INT64: "int64_data",
    onnx.TensorProto.UINT32: "uint64_data", onnx.TensorProto.UINT64: "uint64_data"}  # fmt: skip
_DATA_FIELDS = ("float_data", "double_data", "int32_data", "int64_data", "uint64_data", "string_data", "raw_data")


def as_dtype(element: int, what: str) -> _dtypes.DType:
    """The dtype of an element type of ONNX. Raises UnsupportedOpError for one that is not imported."""
    if element not in _DTYPES:
        known = onnx.TensorProto.DataType.items()
        name = next((name for name, number in known if number == element), str(element))
        raise UnsupportedOpError(f"{what} has elements of {name}, which are not imported")
    return _dtypes.as_dtype(_DTYPES[element])


def _count(tensor: Any, what: str) -> int:
    """Returns the number of elements of these dimensions."""
    count = 1
    for dim_size in tensor.dims:
        if dim_size < 0:
            raise ValueError(f"{what} is damaged: it has a dimension of {dim_size}")
        count *= dim_size
    return count


def _byte_count(tensor: Any, what: str) -> int:
    """Returns the number of bytes of a tensor's elements. Raises UnsupportedOpError for those that are not
    imported."""
    element, count = element_of(tensor.data_type), _count(tensor, what)
    if element is None:
        return count * as_dtype(tensor.data_type, what).itemsize
    return -(-count * element.bits // 8)


def to_array(tensor: Any, what: str) -> Array:
    """The elements of a tensor of a file. Raises ValueError where the file does not have as many as it says."""
    element = element_of(tensor.data_type)
    dtype = as_dtype(tensor.data_type, what) if element is None else element.dtype
    count = _count(tensor, what)
    if tensor.HasField("segment"):
        raise UnsupportedOpError(f"{what} is a part of a tensor, which is not imported")
    if tensor.data_location == onnx.TensorProto.EXTERNAL:
        raise ValueError(f"{what} has its data in another file")
    if tensor.HasField("raw_data"):
        field, found = "raw_data", len(tensor.raw_data)
        wanted = _byte_count(tensor, what)
    else:
        field = _FIELDS.get(tensor.data_type, "int32_data")
        found = len(getattr(tensor, field))
        # Numbers of 2 and 4 bits share a byte.
        wanted = count if element is None or element.bits == 6 else _byte_count(tensor, what)
    if found != wanted:
        shape = tuple(tensor.dims)
        raise ValueError(f"{what} is damaged: its shape {shape} needs {wanted} numbers of {field}, found {found}")
    for other in _DATA_FIELDS:
        if other != field and len(getattr(tensor, other)):
            raise ValueError(f"{what} is damaged: it has {other} besides {field}")
    try:
        array = np.array(onnx.numpy_helper.to_array(tensor))
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(f"{what} is damaged: {error}") from None
    # Packages of ONNX before 1.19 give bfloat16 as the numbers.
    return array if array.dtype == dtype else array.astype(dtype)


def read_external(tensor: Any, folder: str, what: str) -> None:
    """Gives a tensor its data from another file in `folder` or below it.

    Raises FileNotFoundError for a file that is not there, another OSError for one that cannot be read, ValueError for
    one elsewhere and for one without as many bytes as the tensor needs.
    """
    entries = {entry.key: entry.value for entry in tensor.external_data}
    location = entries.get("location", "")
    wanted = _byte_count(tensor, what)
    offset, length = (_number(entries, key, what) for key in ("offset", "length"))
    if length not in (None, wanted):
        raise ValueError(f"{what} is damaged: its shape needs {wanted} bytes, and 'length' says {length}")
    if not _is_inside(folder, location):
        raise ValueError(f"the data of {what} is in '{location}', expected a file in the folder of the model")
    path = os.path.join(folder, location)
    try:
        # Does not wait for a writer of a pipe.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError as error:
        raise type(error)(f"the data of {what} is in '{location}', which cannot be read: {error.strerror}") from None
    try:
        info, start = os.fstat(descriptor), offset or 0
        if not stat.S_ISREG(info.st_mode) or start + wanted > info.st_size:
            found = f"{info.st_size} bytes" if stat.S_ISREG(info.st_mode) else "no regular file"
            raise ValueError(f"the data of {what} is {wanted} bytes from {start} on in '{location}', found {found}")
        with open(descriptor, "rb", closefd=False) as file:
            file.seek(start)
            data = file.read(wanted)
    finally:
        os.close(descriptor)
    for field in _DATA_FIELDS:
        tensor.ClearField(field)
    tensor.raw_data = data
    tensor.data_location = onnx.TensorProto.DEFAULT
    del tensor.external_data[:]


def _is_inside(folder: str, location: str) -> bool:
    """Returns true if a path is one of a file in the folder or below it, links followed."""
    if not location or os.path.isabs(location) or "\0" in location:
        return False
    root = os.path.realpath(folder)
    return os.path.commonpath([root, os.path.realpath(os.path.join(folder, location))]) == root


def _number(entries: Dict[str, str], key: str, what: str) -> Any:
    """Returns an entry that is a number of bytes; None if it is missing."""
    if key not in entries:
        return None
    if not entries[key].isascii() or not entries[key].isdecimal() or len(entries[key]) > 18:
        raise ValueError(f"{what} is damaged: '{key}' is '{entries[key][:40]}', expected a number of bytes")
    return int(entries[key])
