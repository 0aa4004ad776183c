# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that are others but for some elements: `x.at[key].set(value)`."""

from typing import Any, Callable, List, Optional

import numpy as np

from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, TensorLike, as_tensor, constant, format_shape
from .._flywheel import Attribute
from . import arithmetic
from .emission import as_unsigned, emit, signless, sizes, stretch
from .indexing import (
    Indexed,
    _complete,
    _from_start,
    _indices,
    _is_index_array,
    _reverse,
    getitem,
    insert_slice,
    known_indices,
    part_of,
    select,
)
from .shapes import _product, expand_dims, reshape_to

Combine = Callable[[Tensor, Tensor], Tensor]


class At:
    """The value of `x.at`: `x.at[key]` is a place of `x`."""

    def __init__(self, x: TensorLike):
        self._x = x

    def __getitem__(self, key: Any) -> "Place":
        return Place(self._x, key)


class Place:
    """Elements of a tensor, `x.at[key]`. Its methods return `x` with other elements there; `x` itself stays.

    Keys are NumPy's, as `x[key]` has them; a tensor of booleans stands for where it holds, and values broadcast to all
    of `x` then. Values broadcast to the shape of `x[key]` and have the dtype of `x`. An index of a tensor that is out
    of range is an error of the step.
    """

    def __init__(self, x: TensorLike, key: Any):
        self._x = x
        self._key = key

    def get(self) -> Tensor:
        """`x[key]`."""
        return getitem(self._x, self._key)

    def set(self, value: TensorLike) -> Tensor:
        """With these values; of several for one place the last one stays."""
        return _update(as_tensor(self._x), self._key, value, "set", lambda old, new: new)

    def add(self, value: TensorLike) -> Tensor:
        """With these values added; several for one place add up."""
        return _update(as_tensor(self._x), self._key, value, "add", arithmetic.add)

    def subtract(self, value: TensorLike) -> Tensor:
        """With these values subtracted; several for one place add up."""
        return self.add(arithmetic.negative(as_tensor(value, as_tensor(self._x).dtype)))

    def multiply(self, value: TensorLike) -> Tensor:
        """Times these values. Raises ValueError for arrays of indices that are not known, or name a place twice; a
        tensor of rank 0 names one place."""
        return _update(as_tensor(self._x), self._key, value, "multiply", arithmetic.multiply)

    def divide(self, value: TensorLike) -> Tensor:
        """Divided by these values; see `multiply`."""
        return _update(as_tensor(self._x), self._key, value, "divide", arithmetic.divide)

    def power(self, value: TensorLike) -> Tensor:
        """To the power of these values; see `multiply`."""
        return _update(as_tensor(self._x), self._key, value, "power", arithmetic.power)

    def min(self, value: TensorLike) -> Tensor:
        """The smaller one of each element and its value; see `multiply`."""
        return _update(as_tensor(self._x), self._key, value, "min", arithmetic.minimum)

    def max(self, value: TensorLike) -> Tensor:
        """The larger one of each element and its value; see `multiply`."""
        return _update(as_tensor(self._x), self._key, value, "max", arithmetic.maximum)

    def apply(self, function: Callable[[Tensor], Tensor]) -> Tensor:
        """With what `function` makes of the elements; see `multiply`."""
        return _update(as_tensor(self._x), self._key, 0, "apply", lambda old, _: as_tensor(function(old)))


def _update(x: Tensor, key: Any, value: TensorLike, kind: str, combine: Combine) -> Tensor:
    if x.dtype == _dtypes.string:
        raise TypeError("at takes no strings")
    new = as_tensor(value, x.dtype)
    keys = key if isinstance(key, tuple) else (key,)
    if len(keys) == 1 and not _is_static(keys[0]) and _dtypes.is_bool(keys[0].dtype):
        return _update_where(x, as_tensor(keys[0]), new, combine)
    full = _complete(x, keys)
    if not any(_is_index_array(one) for one in full):
        return _update_part(x, full, new, combine)
    if _dtypes.is_bool(x.dtype):
        number = _update(arithmetic.cast(x, _dtypes.int8), key, arithmetic.cast(new, _dtypes.int8), kind, combine)
        return arithmetic.cast(number, bool)
    if kind not in ("set", "add"):
        new, kind = combine(getitem(x, key), new), "set"
        _check_places(x, full)
    return _scatter(x, full, new, kind)


def _update_where(x: Tensor, mask: Tensor, value: Tensor, combine: Combine) -> Tensor:
    if mask.ndim > x.ndim:
        raise IndexError(f"a boolean index of shape {format_shape(mask._dims)} has more dimensions than "
                         f"{format_shape(x._dims)}")  # fmt: skip
    wide = expand_dims(mask, list(range(mask.ndim, x.ndim))) if mask.ndim < x.ndim else mask
    new = combine(x, value)
    found = arithmetic.where(wide, arithmetic.cast(new, x.dtype), x)
    if found.ndim != x.ndim:
        raise ValueError(f"values of shape {format_shape(value._dims)} do not broadcast to {format_shape(x._dims)}")
    return found


def _update_part(x: Tensor, keys: List[Any], value: Tensor, combine: Combine) -> Tensor:
    """Updates a rectangle of `x`."""
    part = part_of(x, keys)
    old = getitem(x, tuple(keys))
    new = _fit(combine(old, value), old, x.dtype)
    new = reshape_to(new, list(part.lengths))
    for axis in part.reversed:
        new = _reverse(new, axis)
    return new if part.is_whole else insert_slice(new, x, part.offsets, part.lengths, part.steps)


def _fit(new: Tensor, old: Tensor, dtype: _dtypes.DType) -> Tensor:
    """Broadcasts values to the shape of the elements that they replace."""
    if new.ndim > old.ndim and all(dim_size == 1 for dim_size in new._dims[: new.ndim - old.ndim]):
        new = reshape_to(new, sizes(new)[new.ndim - old.ndim :])
    if new.ndim > old.ndim or any(
        a not in (1, b, None) and b is not None for a, b in zip(new._dims[::-1], old._dims[::-1])
    ):
        raise ValueError(f"values of shape {format_shape(new._dims)} do not broadcast to {format_shape(old._dims)}")
    return stretch(arithmetic.cast(new, dtype), sizes(old))


def _is_static(key: Any) -> bool:
    return not isinstance(key, Tensor) and not hasattr(key, "read")


def _places(x: Tensor, keys: List[Any]) -> "Optional[np.ndarray[Any, Any]]":
    """Returns the elements of `x` that the keys select, in row-major order; None if that is not known."""
    if None in x._dims or not all(_is_static(key) for key in keys):
        return None
    # Errors are those of reading the elements.
    part_of(x, keys)
    for axis, key in enumerate(key for key in keys if key is not None):
        if _is_index_array(key):
            known_indices(key, x._dims[axis], axis)
    shape = [dim_size or 0 for dim_size in x._dims]
    numbers = np.arange(int(np.prod(shape, dtype=np.int64)), dtype=np.int64).reshape(shape)
    found: np.ndarray[Any, Any] = numbers[tuple(keys)]
    return found


def _unknown_places(x: Tensor, keys: List[Any], total: int) -> Tensor:
    """Computes the same as `_places` if tensors are among the keys."""
    numbers: np.ndarray[Any, Any] = np.arange(total, dtype=np.int32 if total < 2**31 else np.int64)
    numbers = numbers.reshape([dim_size or 0 for dim_size in x._dims])
    if not all(_is_number_or_slice(key) or (not _is_static(key) and np.ndim(key) == 0) for key in keys):
        return select(constant(numbers), keys, Indexed(x, list(range(x.ndim))))
    # Only the numbers of selected elements become a constant of the program.
    some = numbers[tuple(key if _is_number_or_slice(key) else slice(None) for key in keys)]
    axes = [axis for axis, key in enumerate(keys) if not isinstance(key, (int, np.integer))]
    rest = [slice(None) if isinstance(keys[axis], slice) else keys[axis] for axis in axes]
    return select(constant(np.ascontiguousarray(some)), rest, Indexed(x, axes))


def _is_number_or_slice(key: Any) -> bool:
    """Returns true if a key is an integer, or a slice between integers."""
    bounds = (key.start, key.stop, key.step) if isinstance(key, slice) else (key,)
    return key is not None and all(isinstance(bound, (int, np.integer)) or bound is None for bound in bounds)


def _check_places(x: Tensor, keys: List[Any]) -> None:
    # A number that only the step knows names one place, whichever that is.
    numbers = [0 if not _is_static(key) and np.ndim(key) == 0 else key for key in keys]
    if all(_is_number_or_slice(key) for key in numbers):
        return
    known = _places(x, numbers)
    if known is None or len(np.unique(known)) != known.size:
        raise ValueError("this update takes arrays of indices that are known and name each place once: use set or add")


def _scatter(x: Tensor, keys: List[Any], value: Tensor, kind: str) -> Tensor:
    """Scatters elements at arrays of indices."""
    op = "nn.scatter" if kind == "set" else "nn.scatter_add"
    plain = signless(x)
    axes = [axis for axis, key in enumerate(keys) if key is None or not isinstance(key, slice) or key != slice(None)]
    if len(axes) == 1 and _is_index_array(keys[axes[0]]):
        # Slices along one dimension, as they are; others may have any size.
        axis = axes[0]
        index = _indices(_from_start(keys[axis], x, axis), x._dims[axis], axis)
        updates = signless(_fit(value, getitem(x, tuple(keys)), x.dtype))
        return as_unsigned(emit(op, [plain, index, updates], attributes={"axis": Attribute.i64(axis)}), x.dtype)
    if None in x._dims:
        raise ValueError(f"an update at several arrays of indices needs static sizes, found {format_shape(x._dims)}")
    known = _places(x, keys)
    total = int(np.prod([dim_size or 0 for dim_size in x._dims], dtype=np.int64))
    if known is None:
        places = _unknown_places(x, keys, total)
    else:
        places = constant(known.astype(np.int32 if total < 2**31 else np.int64))
    updates = signless(_fit(value, places, x.dtype))
    count = _product(sizes(places))
    flat = emit(op, [reshape_to(plain, [total]), reshape_to(places, [count]), reshape_to(updates, [count])],
                attributes={"axis": Attribute.i64(0)})  # fmt: skip
    return as_unsigned(reshape_to(flat, sizes(plain)), x.dtype)
