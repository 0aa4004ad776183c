# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sorting, the largest elements, and elements in other orders."""

from typing import Any, NamedTuple, Optional

import numpy as np

from .. import _ops
from .. import nn as traced
from .._core import dtypes as _dtypes
from .._core.tensor import as_tensor as constant_of
from .._errors.messages import about
from .._ops.order import places_in_order
from .conversion import as_tensor, make
from .elementwise import TABLE, root
from .operation import Tensor
from .precision import rounds_once
from .sizes import as_known, known_numbers

# Up to this number of the largest elements are found one after the other.
_FEW = 16


class TopKV2(NamedTuple):
    values: Any
    indices: Any


def _last(x: Any, what: str) -> int:
    count: Optional[int] = x._dims[-1] if x.ndim else None
    if count is None:
        raise about(what, ValueError(f"the size of the last dimension must be known, found shape {x._dims}"))
    return count


def top_k(input: Any, k: int = 1, sorted: bool = True, name: Optional[str] = None) -> TopKV2:
    """The k largest elements of the last dimension and where they are, int32; of equal ones the first. They are in
    order, whatever `sorted` is."""

    def emit(x: Any, most: Any) -> Any:
        count, k = _last(x, "top_k"), int(known_numbers(most))
        if k > count:
            raise ValueError(f"input must have last dimension >= k = {k} but is {count}")
        if k < 0:
            raise ValueError(f"Need k >= 0, got {k}")
        if k == 0:
            return _ops.cast(x[..., :0], _dtypes.int32)
        if k > _FEW:
            return _ops.cast(places_in_order(x, x.ndim - 1, True)[..., :k], _dtypes.int32)
        left, places = _ops.stop_gradient(x), []
        is_floating = _dtypes.is_floating(x.dtype)
        lowest = -np.inf if is_floating else np.iinfo(x.dtype).min
        numbers = constant_of(np.arange(count, dtype=np.int32))
        taken = _ops.full_like(x, False, _dtypes.bool_)
        for _ in range(k):
            # A place is taken once, also where what is left is as low as what stands for the taken ones.
            largest = _ops.max(_ops.where(taken, _ops.full_like(left, lowest), left), -1, True)
            is_largest = _ops.equal(left, largest)
            if is_floating:
                is_largest = _ops.logical_or(is_largest, _ops.isnan(left))
            open_ = _ops.cast(_ops.logical_and(is_largest, _ops.logical_not(taken)), _dtypes.int32)
            place = _ops.cast(_ops.argmax(open_, -1), _dtypes.int32)
            places.append(place)
            taken = _ops.logical_or(taken, _ops.equal(numbers, _ops.expand_dims(place, -1)))
        return _ops.stack(places, -1)

    x, most = as_tensor(input), as_known(k)
    shape, is_open = x.static_shape, not isinstance(most, np.ndarray)
    if not is_open and shape and shape[-1] is not None:
        indices = make("TopKV2", emit, x, most, name=name)
    else:
        # If the last size is not known, the session compiles a program for the one that a run has.
        last = None if is_open else int(most)
        indices = make("TopKV2", emit, x, most, name=name, types=[
            (_dtypes.int32, None if shape is None else (*shape[:-1], last))])  # fmt: skip
    values = make("TopKV2", lambda y, i: _ops.take_along_axis(y, i, y.ndim - 1), x, indices,
                  types=[(x.dtype, indices.static_shape)])  # fmt: skip
    return TopKV2(values, indices)


def argsort(
    values: Any, axis: int = -1, direction: str = "ASCENDING", stable: bool = False, name: Optional[str] = None
) -> Tensor:
    """The indices of the elements in sorted order, int32. Equal elements keep their order, whatever `stable` is."""
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(f"Unknown direction {direction}: ASCENDING or DESCENDING")

    def emit(x: Any) -> Any:
        place = axis + x.ndim if axis < 0 else axis
        return _ops.cast(places_in_order(x, place, direction == "DESCENDING"), _dtypes.int32)

    found: Tensor = make("argsort", emit, as_tensor(values), name=name)
    return found


def sort(values: Any, axis: int = -1, direction: str = "ASCENDING", name: Optional[str] = None) -> Tensor:
    """The elements in order."""
    x = as_tensor(values)
    order = argsort(x, axis, direction)

    def emit(y: Any, i: Any) -> Any:
        return _ops.take_along_axis(y, i, axis + y.ndim if axis < 0 else axis)

    found: Tensor = make("sort", emit, x, order, name=name)
    return found


def invert_permutation(x: Any, name: Optional[str] = None) -> Tensor:
    """The inverse of a permutation: the index of each number."""

    def emit(p: Any) -> Any:
        count = _ops.dim(p, 0)
        return traced.scatter(_ops.zeros([count], p.dtype), p, _ops.cast(_ops.arange(count), p.dtype), 0)

    found: Tensor = make("InvertPermutation", emit, as_tensor(x), name=name)
    return found


def reverse_sequence(
    input: Any, seq_lengths: Any, seq_axis: Any = None, batch_axis: Any = None, name: Optional[str] = None,
    seq_dim: Any = None, batch_dim: Any = None,
) -> Tensor:  # fmt: skip
    """The first steps of each example, as many as its length says, in reverse."""
    steps = seq_dim if seq_axis is None else seq_axis
    batch = (batch_dim or 0) if batch_axis is None else batch_axis

    def emit(x: Any, lengths: Any) -> Any:
        y = _ops.moveaxis(_ops.moveaxis(x, batch, 0), steps if steps > batch else steps + 1, 1)
        n = _ops.reshape(_ops.cast(lengths, _dtypes.int32), [-1, 1])
        t = _ops.arange(_ops.dim(y, 1))
        order = _ops.where(_ops.less(t, n), _ops.subtract(_ops.subtract(n, 1), t), _ops.add(t, _ops.multiply(n, 0)))
        wide = _ops.reshape(order, [_ops.dim(y, 0), _ops.dim(y, 1), *[1] * (y.ndim - 2)])
        wide = _ops.broadcast_to(wide, [_ops.dim(y, axis) for axis in range(y.ndim)])
        found = _ops.take_along_axis(y, wide, 1)
        return _ops.moveaxis(_ops.moveaxis(found, 1, steps if steps > batch else steps + 1), 0, batch)

    found: Tensor = make("ReverseSequence", emit, as_tensor(input), as_tensor(seq_lengths), name=name)
    return found


def nth_element(input: Any, n: int, reverse: bool = False, name: Optional[str] = None) -> Tensor:
    """The element of the last dimension that is at place n in order."""
    found: Tensor = sort(input, -1, "DESCENDING" if reverse else "ASCENDING")[..., n]
    return found


def histogram_fixed_width(
    values: Any, value_range: Any, nbins: int = 100, dtype: Any = _dtypes.int32, name: Optional[str] = None
) -> Tensor:
    """The counts of elements in each of `nbins` parts of a range; elements outside count in the first or the last
    one."""
    low, high = (as_tensor(value_range)[i] for i in (0, 1))

    def emit(x: Any, a: Any, b: Any) -> Any:
        flat = _ops.reshape(x, [-1])
        share = _ops.divide(_ops.subtract(flat, _ops.cast(a, x.dtype)), _ops.cast(_ops.subtract(b, a), x.dtype))
        bins = _ops.clip(_ops.floor(_ops.multiply(share, float(nbins))), 0.0, float(nbins - 1))
        place = _ops.cast(bins, _dtypes.int32)
        ones = _ops.ones([_ops.dim(flat, 0)], _dtypes.as_dtype(dtype))
        return traced.scatter_add(_ops.zeros([nbins], dtype), place, ones, 0)

    x = as_tensor(values)
    found: Tensor = make("histogram_fixed_width", emit, x, low, high, name=name)
    return found


@rounds_once
def reduce_variance(input_tensor: Any, axis: Any = None, keepdims: Any = False, name: Optional[str] = None) -> Any:
    x = as_tensor(input_tensor)
    mean = TABLE["reduce_mean"](x, axis, True)
    return TABLE["reduce_mean"](TABLE["square"](TABLE["subtract"](x, mean)), axis, keepdims, name=name)


@rounds_once
def reduce_std(input_tensor: Any, axis: Any = None, keepdims: Any = False, name: Optional[str] = None) -> Any:
    return root(reduce_variance(input_tensor, axis, keepdims), name=name)


@rounds_once
def reduce_euclidean_norm(
    input_tensor: Any, axis: Any = None, keepdims: Any = False, name: Optional[str] = None
) -> Any:
    return root(TABLE["reduce_sum"](TABLE["square"](input_tensor), axis, keepdims), name=name)


__all__ = [
    "argsort", "histogram_fixed_width", "invert_permutation", "nth_element", "reduce_euclidean_norm", "reduce_std",
    "reduce_variance", "reverse_sequence", "sort",
]  # fmt: skip

# The names of these that `tf.nn` has too.
NN = (
    "top_k",
)  # fmt: skip
