# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sorting and searching."""

from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np

from .._core import dtypes as _dtypes
from .._core.argument_checks import integer
from .._core.tensor import Tensor, TensorLike, as_tensor, as_tensors, format_shape, holds_tensors
from .._core.trace import Attributes
from .._errors.messages import about, wrong
from .._flywheel import Attribute, Value
from ._padding import pad
from ._ranges import identity_matrix, iota, lower_triangle
from .arithmetic import (
    _cast,
    absolute,
    add,
    cast,
    ceil,
    equal,
    floor,
    isnan,
    less,
    logical_and,
    logical_not,
    logical_or,
    multiply,
    rint,
    subtract,
    where,
)
from .checks import expect_at_least, expect_at_most
from .creation import DimSize, dim_sizes_of
from .emission import Size, emit, index_of, index_op, normalize_axes, normalize_axis, of_size, signless, size, sizes
from .indexing import getitem, take, take_along_axis
from .precision import rounds_once
from .reductions import any as reduce_any
from .reductions import mean, reduce_sum
from .shapes import _product, expand_dims, moveaxis, ravel, reshape_to, stack, swapaxes, transpose

# The largest number of elements of a dimension of which all pairs are compared.
MOST_COMPARED = 4096
# Up to this number of elements comparing all pairs takes less time than `nn.argsort`.
_FEW = 8


def _numbers(count: Size) -> Tensor:
    """Returns the numbers of the places of a dimension, int32."""
    return as_tensor(np.arange(count, dtype=np.int32)) if isinstance(count, int) else iota([count], 0)


def order_of(comes_before: Tensor, count: Size) -> Tensor:
    """Returns the element at each place of the order, int32 [..., count]. Time grows with the square of `count`.

    `comes_before` [..., count, count] is true at (i, j) if element i comes before element j. Elements that it does not
    order keep their order.
    """
    places = _numbers(count)
    row, column = expand_dims(places, 1), expand_dims(places, 0)
    if isinstance(count, int):
        is_one, is_later = identity_matrix(count, dtype=bool), lower_triangle(count, dtype=bool)
    else:
        is_one, is_later = equal(row, column), less(column, add(row, 1))
    before = logical_and(comes_before, logical_not(is_one))
    transposed = swapaxes(before, -1, -2)
    is_equal = logical_not(logical_or(before, transposed))
    is_first = logical_or(before, logical_and(is_equal, logical_not(is_later)))
    # The number of elements before each, and by that the element at each place.
    rank = reduce_sum(cast(is_first, _dtypes.int32), -2)
    at_place = equal(expand_dims(rank, -1), places)
    return reduce_sum(where(at_place, row, as_tensor(0, _dtypes.int32)), -2)


def places_in_order(x: Tensor, axis: int, descending: bool = False) -> Tensor:
    """The places of the elements of `x` in order along a dimension, int32; NaN is the largest, and
    equal elements stay in order."""
    count = size(x, axis)
    if not isinstance(count, int) or count > _FEW:
        attributes: Attributes = {"axis": Attribute.i64(axis)}
        if descending:
            attributes["descending"] = Attribute.unit()
        return emit("nn.argsort", [_signed(x)], _dtypes.int32, None, attributes)
    rows = moveaxis(x, axis, -1)
    if _dtypes.is_bool(rows.dtype):
        rows = cast(rows, _dtypes.int8)
    a, b = expand_dims(rows, -1), expand_dims(rows, -2)
    if descending:
        a, b = b, a
    return moveaxis(order_of(_comes_before(a, b), count), -1, axis)


def _signed(x: Tensor) -> Tensor:
    """Signed integers in the order of unsigned ones; `x` itself if it has others."""
    if not _dtypes.is_unsigned(x.dtype):
        return x
    lowest = np.iinfo(x.dtype.name[1:]).min
    # A sum that wraps around.
    return add(signless(x), as_tensor(np.asarray(lowest, x.dtype.name[1:])))


def _comes_before(a: Tensor, b: Tensor) -> Tensor:
    """Returns true if a < b, where NaN is the largest number."""
    before = less(a, b)
    return logical_or(before, logical_and(isnan(b), logical_not(isnan(a)))) if _dtypes.is_floating(a.dtype) else before


def taken(x: Tensor, order: Tensor, axis: int) -> Tensor:
    """The elements of `x` at these places along a dimension."""
    if _dtypes.is_bool(x.dtype):
        return cast(taken(cast(x, _dtypes.int8), order, axis), bool)
    return take_along_axis(x, order, axis)


def _sortable(what: str, x: TensorLike, axis: Optional[int]) -> Tuple[Tensor, int]:
    x = as_tensor(x)
    if x.dtype == _dtypes.string:
        raise about(what, TypeError("takes no strings"), " ")
    if axis is None:
        x, axis = ravel(x), 0
    return x, normalize_axis(axis, x.ndim)


def argsort(x: TensorLike, axis: Optional[int] = -1, *, descending: bool = False) -> Tensor:
    """The places of the elements in order along a dimension, or of all with None, as int32: NaN is the largest, and
    equal elements stay in order. Time is linear in the number of elements on CPUs."""
    x, axis = _sortable("argsort", x, axis)
    return places_in_order(x, axis, descending)


def sort(x: TensorLike, axis: Optional[int] = -1, *, descending: bool = False) -> Tensor:
    """The elements in order along a dimension; see `argsort`. Derivatives are those of the elements."""
    x, axis = _sortable("sort", x, axis)
    return taken(x, places_in_order(x, axis, descending), axis)


def top_k(x: TensorLike, k: DimSize, axis: int = -1) -> Tuple[Tensor, Tensor]:
    """The `k` largest elements along a dimension, the largest first, and their places; see `argsort`. A `k` that is not
    from 0 to the size of the dimension is an error: a ValueError, or one of the step where the call chooses them."""
    x, axis = _sortable("top_k", x, axis)
    count = dim_sizes_of([k])[0] if isinstance(k, Tensor) else integer("k", k)
    expect_at_least(count, 0, "top_k: k")
    expect_at_most(count, size(x, axis), "top_k: k")
    order = places_in_order(x, axis, descending=True)
    if isinstance(count, int) and x._dims[axis] is None:
        order = take(order, np.arange(count, dtype=np.int32), axis)
    else:
        order = getitem(order, (*[slice(None)] * axis, slice(0, k)))
    return taken(x, order, axis), order


def searchsorted(a: TensorLike, v: TensorLike, side: str = "left") -> Tensor:
    """The index at which each element of `v` would be inserted in the sorted vector `a`, as int32: before equal
    elements, or after them if `side` is "right"."""
    if side not in ("left", "right"):
        raise ValueError(f"expected side 'left' or 'right', found {side!r}")
    a, v = as_tensors(as_tensor(a), as_tensor(v))
    if a.ndim != 1:
        raise about("searchsorted", ValueError(f"takes a vector, found {format_shape(a._dims)}"), " ")
    wide = expand_dims(v, -1)
    is_before = _comes_before(a, wide) if side == "left" else logical_not(_comes_before(wide, a))
    return reduce_sum(cast(is_before, _dtypes.int32), -1)


def digitize(x: TensorLike, bins: TensorLike, right: bool = False) -> Tensor:
    """The number of the bin that each element is in: of bins in ascending order, bins[i-1] <= x < bins[i]; with
    `right`, bins[i-1] < x <= bins[i]. Bins that are known may descend. Raises ValueError where they do neither."""
    side = "left" if right else "right"
    if isinstance(bins, Tensor) or hasattr(bins, "read") or holds_tensors(bins):
        return searchsorted(bins, x, side)
    known = np.asarray(bins)
    if known.ndim != 1 or (known[1:] >= known[:-1]).all():
        return searchsorted(known, x, side)
    if not (known[1:] <= known[:-1]).all():
        raise about("digitize", ValueError(f"expected bins that ascend or descend, found {bins}"))
    return subtract(known.size, searchsorted(known[::-1], x, side))


#
# Medians and quantiles
#


def median(x: TensorLike, axis: Union[int, Sequence[int], None] = None, keepdims: bool = False) -> Tensor:
    """The element in the middle of the order along dimensions, or the mean of the two, NaN of none; see `quantile`."""
    x = as_tensor(x)
    if 0 in [x._dims[place] for place in normalize_axes(axis, x.ndim)]:
        return mean(x, axis, keepdims)
    return _quantile(x, np.asarray(0.5), axis, keepdims, "linear", is_nan_of_none=True)


_METHODS = ("linear", "lower", "higher", "nearest", "midpoint")


def quantile(
    x: TensorLike,
    q: Any,
    axis: Union[int, Sequence[int], None] = None,
    keepdims: bool = False,
    method: str = "linear",
) -> Tensor:
    """The quantile `q` of the elements along dimensions; several quantiles are a leading dimension. NaN if an element
    is NaN. `method` selects the value between two elements, as in NumPy: "linear", "lower", "higher", "nearest",
    "midpoint". Raises ValueError for a share that is not from 0 to 1."""
    if method not in _METHODS:
        raise wrong(ValueError, f"one of {', '.join(_METHODS)}", repr(method))
    return _quantile(as_tensor(x), _shares(q, 1), axis, keepdims, method)


def _quantile(
    x: Tensor, shares: Any, axis: Union[int, Sequence[int], None], keepdims: bool, method: str,
    is_nan_of_none: bool = False,
) -> Tensor:  # fmt: skip
    """`quantile`; with `is_nan_of_none`, a call with no elements gives NaN, and is not an error."""
    if not _dtypes.is_floating(x.dtype):
        x = _cast(x, _dtypes.float32)
    rows, kept = _as_rows(x, axis)
    rows, _ = _sortable("quantile", rows, -1)
    if rows._dims[-1] == 0:
        raise about("quantile", ValueError("of no elements: expected sizes of 1 or more along its axes, found "
                                           f"{format_shape(x._dims)}"), " ")  # fmt: skip
    own = count = size(rows, rows.ndim - 1)
    if is_nan_of_none and not isinstance(own, int):
        # There is always an element to read: one more, which comes last.
        rows = pad(rows, [(0, 0)] * (rows.ndim - 1) + [(0, 1)], np.inf)
        count = index_op("maxsi", own, 1)
    expect_at_least(count, 1, "quantile: elements")
    ordered = taken(rows, places_in_order(rows, rows.ndim - 1), rows.ndim - 1)
    has_nan = reduce_any(isnan(rows), -1)
    found = []
    for share in shares.reshape(-1):
        if isinstance(count, int):
            between = _between(ordered, float(share) * (count - 1), method)
        else:
            between = _between_of_call(ordered, float(share), count, method)
            if is_nan_of_none:
                between = where(equal(of_size(index_of(own)), 0), float("nan"), between)
        value = where(has_nan, float("nan"), between)
        found.append(reshape_to(value, kept) if keepdims else value)
    return stack(found) if shares.ndim else found[0]


def percentile(
    x: TensorLike,
    q: Any,
    axis: Union[int, Sequence[int], None] = None,
    keepdims: bool = False,
    method: str = "linear",
) -> Tensor:
    """`quantile` of percent: `q` is from 0 to 100."""
    return quantile(x, _shares(q, 100) / 100, axis, keepdims, method)


def _shares(q: Any, most: int) -> Any:
    """Quantiles as an array of float64. Raises TypeError for what are not numbers, ValueError for others."""
    try:
        shares = np.asarray(q, np.float64) if not isinstance(q, (str, bytes)) else None
    except (TypeError, ValueError):
        shares = None
    if shares is None:
        raise TypeError(f"expected a number from 0 to {most}, or a list of them, as q, found {q!r}"[:200])
    if shares.ndim > 1 or not ((shares >= 0) & (shares <= most)).all():
        raise wrong(ValueError, f"numbers from 0 to {most}", q, "q")
    return shares


def _as_rows(x: Tensor, axis: Union[int, Sequence[int], None]) -> Tuple[Tensor, List[Size]]:
    """These dimensions as the last one, and the sizes with 1 for each of them."""
    axes = normalize_axes(axis, x.ndim)
    others = [place for place in range(x.ndim) if place not in axes]
    old = sizes(x)
    moved = transpose(x, [*others, *axes])
    rows = reshape_to(moved, [*[old[place] for place in others], _product([old[place] for place in axes])])
    return rows, [1 if place in axes else dim_size for place, dim_size in enumerate(old)]


def _between(ordered: Tensor, place: float, method: str) -> Tensor:
    low, high = int(np.floor(place)), int(np.ceil(place))
    share = {"linear": place - low, "lower": 0.0, "higher": 1.0, "midpoint": 0.5,
             "nearest": float(np.round(place) - low)}[method]  # fmt: skip
    a, b = getitem(ordered, (..., low)), getitem(ordered, (..., high))
    if low == high or share == 0:
        return a
    return b if share == 1 else _on_line(a, b, share)


def _between_of_call(ordered: Tensor, share: float, count: Value, method: str) -> Tensor:
    """`_between` where the call chooses how many elements there are."""
    place = multiply(cast(of_size(index_of(index_op("subi", count, 1))), _dtypes.float64), share)
    low = floor(place)
    above = subtract(place, low)
    weight = {"linear": above, "lower": multiply(above, 0.0), "higher": ceil(above),
              "nearest": subtract(rint(place), low), "midpoint": multiply(ceil(above), 0.5)}[method]  # fmt: skip
    last = ordered.ndim - 1
    a, b = (take(ordered, cast(one, _dtypes.int64), last) for one in (low, ceil(place)))
    weight = cast(weight, ordered.dtype)
    return where(equal(weight, 0.0), a, where(equal(weight, 1.0), b, _on_line(a, b, weight)))


@rounds_once(2)
def _on_line(a: Tensor, b: Tensor, share: Any) -> Tensor:
    """(1 - share) a + share b, without overflow, and `a` where `b` is the same. Infinities are what they are in the
    sum: NaN only between two of other signs."""
    weighed = add(multiply(a, subtract(1.0, share)), multiply(b, share))
    if isinstance(share, float) and share == 0.5:
        return weighed
    width = subtract(b, a)
    is_short = less(absolute(width), np.inf)
    return where(is_short, add(a, multiply(where(is_short, width, 0.0), share)), weighed)
