# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts of values, places of values in order, and repeated elements."""

from typing import Any, Optional

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._errors.messages import about
from .._ops import checks as _checks
from .conversion import as_tensor, dtype_of, make
from .elementwise import TABLE
from .host_calls import host_call
from .ops import cast, gather, reshape, where
from .scatters import unsorted_segment_sum
from .sizes import as_size


def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = _dtypes.int32,
    name: Optional[str] = None,
) -> Any:
    """The number of times that each number from 0 on is in `arr`, or the sum of its weights, of `minlength` numbers at
    least and of `maxlength` at most. Numbers from there on are not counted; a negative one is an error of the run.
    Raises ValueError for weights of another shape than that of `arr`; weights without elements are 1."""
    x = cast(reshape(arr, [-1]), _dtypes.int64)
    count = TABLE["reduce_max"](_with(x, -1)) + 1
    if minlength is not None:
        count = TABLE["maximum"](count, cast(minlength, _dtypes.int64))
    if maxlength is not None:
        count = TABLE["minimum"](count, cast(maxlength, _dtypes.int64))
    hits = cast(TABLE["ones_like"](x), dtype_of(dtype)) if weights is None else _hits(as_tensor(arr), weights)
    checked = make("bincount", _not_negative, x)
    # Segments of negative numbers are left out.
    places = where(TABLE["less"](checked, count), checked, TABLE["zeros_like"](checked) - 1)
    return unsorted_segment_sum(hits, places, as_size(cast(count, _dtypes.int32)), name=name)


def _hits(arr: Any, weights: Any) -> Any:
    """Returns the weight of each number in a row."""
    w = as_tensor(weights)
    if w.static_shape is not None and 0 in w.static_shape:
        return cast(TABLE["ones_like"](reshape(arr, [-1])), w.dtype)
    sizes, own = arr.static_shape, w.static_shape
    if sizes is not None and own is not None and (len(sizes) != len(own) or any(
            a != b and None not in (a, b) for a, b in zip(sizes, own))):  # fmt: skip
        raise about("bincount", ValueError(f"expected weights of shape {arr.shape}, that of arr, found {w.shape}"))
    return reshape(w, [-1])


def _with(x: Any, value: int) -> Any:
    """A vector and one more number."""
    return make("concat", lambda y: _ops.concatenate([y, np.array([value], y.dtype)], 0), x)


def _not_negative(x: Any) -> Any:
    _checks.expect(_ops.all(_ops.greater_equal(x, 0)), "bincount: Input arr must be non-negative!")
    return x


def histogram_fixed_width_bins(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = _dtypes.int32, name: Optional[str] = None
) -> Any:
    """The bin of each value, of `nbins` that divide the range equally; those outside belong to the outer ones."""
    x = as_tensor(values)
    low, high = as_tensor(value_range, x.dtype)[0], as_tensor(value_range, x.dtype)[1]

    def emit(v: Any, a: Any, b: Any, n: Any) -> Any:
        wide = [_ops.cast(one, _dtypes.float64) for one in (v, a, b, n)]
        share = _ops.divide(_ops.subtract(wide[0], wide[1]), _ops.subtract(wide[2], wide[1]))
        place = _ops.clip(_ops.floor(_ops.multiply(wide[3], share)), 0.0, _ops.subtract(wide[3], 1.0))
        return _ops.cast(place, dtype_of(dtype))

    return make("histogram_fixed_width_bins", emit, x, low, high, as_tensor(nbins), name=name)


def searchsorted(
    sorted_sequence: Any, values: Any, side: str = "left", out_type: Any = _dtypes.int32, name: Optional[str] = None
) -> Any:
    """The places of values [..., m] in sorted rows [..., n]: before ("left") or after ("right") their equals."""
    if side not in ("left", "right"):
        raise ValueError(f"side must be either 'right' or 'left'.  Saw: {side}.")

    def emit(rows: Any, v: Any) -> Any:
        test = _ops.less if side == "left" else _ops.less_equal
        before = test(_ops.expand_dims(rows, -2), _ops.expand_dims(v, -1))
        return _ops.sum(_ops.cast(before, dtype_of(out_type)), -1)

    return make("SearchSorted", emit, as_tensor(sorted_sequence), as_tensor(values), name=name)


def unravel_index(indices: Any, dims: Any, name: Optional[str] = None) -> Any:
    """[rank, ...]: the places in a tensor of these sizes of indices into its elements in a row."""
    i, sizes = as_tensor(indices), as_tensor(dims)
    count = sizes.static_shape[0] if sizes.static_shape else None
    if count is None:
        raise about("unravel_index", ValueError(f"the number of sizes must be known, found shape {sizes.shape}"))

    def emit(x: Any, n: Any) -> Any:
        total = _ops.prod(_ops.cast(n, _dtypes.int64))
        wide = _ops.cast(x, _dtypes.int64)
        fits = _ops.logical_and(_ops.greater_equal(wide, 0), _ops.less(wide, total))
        _checks.expect(_ops.all(fits), "unravel_index: index is out of bound as with dims")
        found = []
        for axis in reversed(range(count)):
            own = _ops.cast(n[axis], x.dtype)
            found.append(_ops.mod(x, own))
            x = _ops.floor_divide(x, own)
        return _ops.stack(found[::-1])

    return make("UnravelIndex", emit, i, sizes, name=name)


def repeat(input: Any, repeats: Any, axis: Optional[int] = None, name: Optional[str] = None) -> Any:
    """Each element along an axis, of the tensor in a row without one, one after the other: as often as `repeats` says,
    a number or one for each of them."""
    x = as_tensor(input)
    if axis is None:
        x, axis = reshape(x, [-1]), 0
    literal = np.asarray(repeats) if not hasattr(repeats, "op") else repeats.op.fields.literal
    if literal is not None and literal.size == 1:
        times = int(literal.reshape(-1)[0])
        return make("repeat", lambda y: _ops.repeat(y, times, axis), x, name=name)
    counts = as_tensor(repeats)

    def call(_: Any, n: Any, like: Any) -> Any:
        total = like.shape[axis]
        if n.size not in (1, total) or (n < 0).any():
            raise about("repeat", ValueError(f"expected {total} numbers of at least 0, found {n.tolist()}"))
        return np.repeat(np.arange(total, dtype=np.int64), n.reshape(-1) if n.size > 1 else int(n.reshape(-1)[0]))

    rows = host_call("repeat", call, [counts, x], [(_dtypes.int64, (None,))])[0].outputs[0]
    return gather(x, rows, axis=axis, name=name)


__all__ = ["bincount", "histogram_fixed_width_bins", "repeat", "searchsorted", "unravel_index"]
