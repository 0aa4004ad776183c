# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statistics, histograms, interpolation and comparisons of tensors."""

import builtins
from typing import Optional, Tuple, Union

import numpy as np

from .. import control
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, TensorLike, as_tensor, as_tensors, constant, format_shape, holds_tensors
from .._errors.messages import about
from .._flywheel import Attribute
from . import nn_ops
from ._padding import pad
from .arithmetic import (
    absolute,
    add,
    cast,
    clip,
    divide,
    equal,
    greater,
    isinf,
    isnan,
    logical_not,
    maximum,
    multiply,
    not_equal,
    root,
    sqrt,
    square,
    subtract,
    where,
)
from .checks import expect_alike
from .contractions import diag, matmul
from .creation import zeros
from .emission import as_unsigned, emit, normalize_axes, normalize_axis, signless, sizes, stretch
from .indexing import _reverse, extract_slice, getitem, take
from .order import searchsorted
from .precision import rounds_once
from .reductions import Axis, all, max, mean, min, prod, reduce_max, reduce_min, sum
from .shapes import concatenate, expand_dims, ravel, reshape, swapaxes, to_index


def average(x: TensorLike, axis: Axis = None, weights: Optional[TensorLike] = None, keepdims: bool = False) -> Tensor:
    """The mean along dimensions, in which elements count as much as their weights, of the shape of `x` or a vector
    along the one dimension."""
    if weights is None:
        return mean(x, axis, keepdims)
    x, w = as_tensors(as_tensor(x), as_tensor(weights))
    if 0 in [x._dims[place] for place in normalize_axes(axis, x.ndim)]:
        raise ZeroDivisionError(f"average of no elements, whose weights sum to zero: found {format_shape(x._dims)}")
    if not _dtypes.is_floating(x.dtype):
        x, w = cast(x, _dtypes.float32), cast(w, _dtypes.float32)
    if w._dims != x._dims:
        if w.ndim != 1:
            raise about("average", ValueError(f"expected weights of shape {format_shape(x._dims)} or a vector, found "
                                              f"{format_shape(w._dims)}"))  # fmt: skip
        if not isinstance(axis, (int, np.integer)):
            raise ValueError("a vector of weights is for one dimension: give its axis")
        place = normalize_axis(int(axis), x.ndim)
        if w._dims[0] is not None and x._dims[place] is not None and w._dims[0] != x._dims[place]:
            raise about("average", ValueError(f"expected {x._dims[place]} weights along axis {axis}, "
                                              f"found {w._dims[0]}"))  # fmt: skip
        w = expand_dims(w, [other for other in range(x.ndim) if other != place])
    return _weighed(x, w if w._dims == x._dims else stretch(w, sizes(x)), axis, keepdims)


@rounds_once(2)
def _weighed(x: Tensor, w: Tensor, axis: Axis, keepdims: bool) -> Tensor:
    return divide(sum(multiply(x, w), axis, keepdims), sum(w, axis, keepdims))


def ptp(x: TensorLike, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The largest element less the smallest one."""
    return subtract(max(x, axis, keepdims), min(x, axis, keepdims))


def count_nonzero(x: TensorLike, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The number of elements that are not 0, int32."""
    return sum(cast(x, bool), axis, keepdims)


#
# Without what is NaN
#


def _present(x: TensorLike, otherwise: float) -> Tuple[Tensor, Tensor]:
    """Returns the elements, with a number in place of NaN, and a mask of those that are not NaN."""
    x = as_tensor(x)
    there = logical_not(isnan(x))
    return (where(there, x, otherwise) if _dtypes.is_floating(x.dtype) else x), there


def nansum(x: TensorLike, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """`sum` without elements that are NaN."""
    return sum(_present(x, 0.0)[0], axis, keepdims)


def nanprod(x: TensorLike, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """`prod` without elements that are NaN."""
    return prod(_present(x, 1.0)[0], axis, keepdims)


@rounds_once()
def nanmean(x: TensorLike, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """`mean` without elements that are NaN; NaN if all are."""
    values, there = _present(x, 0.0)
    return divide(sum(values, axis, keepdims), sum(there, axis, keepdims))


@rounds_once()
def nanvar(x: TensorLike, axis: Axis = None, keepdims: bool = False, ddof: int = 0) -> Tensor:
    """`var` without elements that are NaN; NaN where there are no more than `ddof` others."""
    values, there = _present(x, 0.0)
    deviation = where(there, subtract(values, nanmean(x, axis, keepdims=True)), 0.0)
    count = subtract(sum(there, axis, keepdims), ddof)
    return where(greater(count, 0), divide(sum(square(deviation), axis, keepdims), count), np.nan)


@rounds_once()
def nanstd(x: TensorLike, axis: Axis = None, keepdims: bool = False, ddof: int = 0) -> Tensor:
    """`std` without elements that are NaN."""
    return root(nanvar(x, axis, keepdims, ddof))


def nanmax(x: TensorLike, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """`max` without elements that are NaN; NaN if all are."""
    values, there = _present(x, -np.inf)
    found = max(values, axis, keepdims)
    return where(max(there, axis, keepdims), found, np.nan) if _dtypes.is_floating(values.dtype) else found


def nanmin(x: TensorLike, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """`min` without elements that are NaN; NaN if all are."""
    values, there = _present(x, np.inf)
    found = min(values, axis, keepdims)
    return where(max(there, axis, keepdims), found, np.nan) if _dtypes.is_floating(values.dtype) else found


#
# Several variables, and bins
#


@rounds_once()
def cov(x: TensorLike, rowvar: bool = True, ddof: int = 1) -> Tensor:
    """The covariance of the rows of `x` (or of the columns): [rows, rows]; a scalar for a vector, or one row."""
    x = as_tensor(x)
    if not _dtypes.is_floating(x.dtype):
        x = cast(x, _dtypes.float32)
    if x.ndim not in (1, 2):
        raise about("cov", ValueError(f"takes a matrix or a vector, found {format_shape(x._dims)}"), " ")
    rows = expand_dims(x, 0) if x.ndim == 1 else x if rowvar else swapaxes(x, 0, 1)
    deviation = subtract(rows, mean(rows, 1, keepdims=True))
    freedom = rows.shape[1] - ddof
    freedom = maximum(freedom, 0) if isinstance(freedom, Tensor) else builtins.max(freedom, 0)
    found = divide(matmul(deviation, swapaxes(deviation, 0, 1)), freedom)
    return reshape(found, ()) if found._dims == (1, 1) else found


@rounds_once()
def corrcoef(x: TensorLike, rowvar: bool = True) -> Tensor:
    """Pearson's coefficients of the rows of `x` (or the columns)."""
    found = cov(x, rowvar)
    if found.ndim == 0:
        return divide(found, found)
    deviations = sqrt(diag(found))
    return clip(divide(divide(found, expand_dims(deviations, 1)), expand_dims(deviations, 0)), -1.0, 1.0)


def bincount(x: TensorLike, weights: Optional[TensorLike] = None, *, length: int) -> Tensor:
    """The counts of each number from 0 to `length` - 1 in `x`, int32; with weights, their sums. A number that is out of
    range is an error of the step."""
    index = as_tensor(x)
    if index.ndim != 1 or not _dtypes.is_integer(index.dtype):
        kind = f"{_dtypes.name_of(index.dtype)}{format_shape(index._dims)}"
        raise about("bincount", ValueError(f"takes a vector of integers, found {kind}"), " ")
    ones = constant(1, _dtypes.int32) if weights is None else as_tensor(weights)
    if weights is not None:
        expect_alike("bincount", index, ones)
    index = cast(index, _dtypes.int64) if _dtypes.is_unsigned(index.dtype) else index
    counts = zeros((length,), ones.dtype)
    updates = stretch(ones, sizes(index))
    # Not by `at`, for which negative numbers count from the end.
    found = emit("nn.scatter_add", [signless(counts), index, signless(updates)], attributes={"axis": Attribute.i64(0)})
    return as_unsigned(found, ones.dtype)


def histogram(
    x: TensorLike, bins: Union[int, TensorLike] = 10, range: Optional[Tuple[float, float]] = None,
    weights: Optional[TensorLike] = None,
) -> Tuple[Tensor, Tensor]:  # fmt: skip
    """The counts of elements in each bin, and the edges of bins: `bins` equal ones in a range, by default that of the
    elements (from 0 to 1 if there are none), or between these edges, which ascend. The last bin includes its end;
    others are left out. Raises ValueError for no bins, a range that descends or is not finite, edges that are not a
    vector or are known to descend, and weights that are not as many as the elements."""
    given = as_tensor(x)
    if weights is not None and as_tensor(weights)._dims != given._dims:
        raise about("histogram", ValueError(f"expected weights of shape {format_shape(given._dims)}, found "
                                            f"{format_shape(as_tensor(weights)._dims)}"))  # fmt: skip
    x = ravel(given)
    if not _dtypes.is_floating(x.dtype):
        x = cast(x, _dtypes.float32)
    edges = _equal_bins(x, int(bins), range) if isinstance(bins, (int, np.integer)) else _edges(bins, x.dtype)
    ones = constant(1, _dtypes.int32) if weights is None else ravel(weights)
    if edges._dims == (0,):
        return zeros((0,), ones.dtype), edges
    below = sum(where(expand_dims(getitem(edges, slice(None, -1)), 1) > x, ones, 0), 1)
    last = sum(where(getitem(edges, -1) >= x, ones, 0))
    upper = concatenate([getitem(below, slice(1, None)), expand_dims(last, 0)])
    return subtract(upper, below), edges


def _equal_bins(x: Tensor, count: int, range: Optional[Tuple[float, float]]) -> Tensor:
    """Returns the edges of bins of one width in a range, by default that of the elements."""
    if count < 1:
        raise about("histogram", ValueError(f"expected at least one bin, found {count}"))
    if range is None:
        low, high = reduce_min(x), reduce_max(x)
        # If there are no elements, the smallest one is infinite and above the largest one.
        is_none = low > high
        low, high = where(is_none, 0.0, low), where(is_none, 1.0, high)
    else:
        first, last = (float(end) for end in range)
        if not np.isfinite([first, last]).all() or first > last:
            raise about("histogram", ValueError(f"expected a finite range that ascends, found {range}"))
        low, high = constant(first, x.dtype), constant(last, x.dtype)
    is_point = low == high
    low, high = where(is_point, low - 0.5, low), where(is_point, high + 0.5, high)
    shares = np.linspace(0, 1, count + 1)
    # The range may be larger than any number.
    width = high - low
    far = low * constant(1 - shares, x.dtype) + high * constant(shares, x.dtype)
    near = low + where(isinf(width), 0.0, width) * constant(shares, x.dtype)
    # The last edge is the end itself, whatever the sum is rounded to.
    return where(constant(shares == 1), high, where(isinf(width), far, near))


def _edges(bins: TensorLike, dtype: _dtypes.DType) -> Tensor:
    edges = as_tensor(bins)
    if edges.ndim != 1:
        raise about("histogram", ValueError("expected a number of bins or a vector of edges, found "
                                            f"{format_shape(edges._dims)}"))  # fmt: skip
    if not isinstance(bins, Tensor) and not hasattr(bins, "read") and not holds_tensors(bins):
        known = np.asarray(bins)
        if (known[:-1] > known[1:]).any():
            raise about("histogram", ValueError(f"expected edges that ascend, found {bins}"))
    return cast(edges, dtype)


#
# Differences and areas
#


def diff(x: TensorLike, n: int = 1, axis: int = -1) -> Tensor:
    """Each element less the one before it along a dimension, `n` times. Raises ValueError for a scalar, and for an `n`
    below 0."""
    result: Tensor = as_tensor(x)
    if n < 0:
        raise about("diff", ValueError(f"expected n of at least 0, found {n}"))
    if result.ndim == 0:
        raise about("diff", ValueError("takes a tensor of one dimension at least, found a scalar"), " ")
    front = (slice(None),) * normalize_axis(axis, result.ndim)
    for _ in [None] * n:
        a, b = getitem(result, (*front, slice(1, None))), getitem(result, (*front, slice(None, -1)))
        result = not_equal(a, b) if _dtypes.is_bool(a.dtype) else subtract(a, b)
    return result


@rounds_once(2)
def trapezoid(y: TensorLike, x: Optional[TensorLike] = None, dx: float = 1.0, axis: int = -1) -> Tensor:
    """The area below lines between points along a dimension: at `x`, or `dx` apart."""
    y = as_tensor(y)
    axis = normalize_axis(axis, y.ndim)
    front = (slice(None),) * axis
    # The sum of two may be larger than any number.
    middle = getitem(y, (*front, slice(1, None))) / 2.0 + getitem(y, (*front, slice(None, -1))) / 2.0
    if x is None:
        return sum(middle, axis) * dx
    width = diff(x, axis=axis if as_tensor(x).ndim > 1 else 0)
    if width.ndim == 1:
        width = expand_dims(width, list(builtins.range(1, y.ndim - axis)))
    return sum(middle * width, axis)


@rounds_once(3)
def interp(x: TensorLike, xp: TensorLike, fp: TensorLike) -> Tensor:
    """On lines between the points (xp, fp), which ascend; the first and last value beyond them."""
    x, xp, fp = as_tensors(as_tensor(x), as_tensor(xp), as_tensor(fp))
    if not _dtypes.is_floating(x.dtype):
        x, xp, fp = (cast(one, _dtypes.float32) for one in (x, xp, fp))
    count = xp._dims[0]
    if xp.ndim != 1 or count is None or fp._dims != xp._dims or count == 0:
        raise about("interp", ValueError(f"takes vectors of one static size, found {format_shape(xp._dims)} and "
                                         f"{format_shape(fp._dims)}"), " ")  # fmt: skip
    if count == 1:
        return where(isnan(x), x, getitem(fp, 0))
    right = clip(searchsorted(xp, x, "right"), 1, count - 1)
    left = subtract(right, 1)
    width = take(xp, right) - take(xp, left)
    is_point = equal(width, 0)
    share = clip(where(is_point, 1.0, divide(x - take(xp, left), where(is_point, 1.0, width))), 0.0, 1.0)
    return take(fp, left) * (1.0 - share) + take(fp, right) * share


@rounds_once(2)
def polyval(p: TensorLike, x: TensorLike) -> Tensor:
    """The polynomial with these coefficients, the highest power first, at `x`."""
    coefficients, x = as_tensors(p, x)
    result = multiply(x, 0)
    for place in builtins.range(len(coefficients)):
        result = add(multiply(result, x), getitem(coefficients, place))
    return result


def convolve(a: TensorLike, v: TensorLike, mode: str = "full") -> Tensor:
    """The sums of products of a vector with another one that runs backwards: "full", where they overlap at all, "same",
    as many as the longer one has, or "valid", where all of the shorter one overlaps. Sizes are static."""
    a, v = as_tensors(a, v)
    if a.ndim != 1 or v.ndim != 1 or not a._dims[0] or not v._dims[0]:
        raise about("convolve", ValueError(f"takes vectors of static sizes, found {format_shape(a._dims)} and "
                                           f"{format_shape(v._dims)}"), " ")  # fmt: skip
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"expected mode 'full', 'same' or 'valid', found {mode!r}")
    if a._dims[0] < v._dims[0]:
        a, v = v, a
    n, m = a._dims[0] or 0, v._dims[0] or 0
    first, count = {"full": (0, n + m - 1), "same": ((m - 1) // 2, n), "valid": (m - 1, n - m + 1)}[mode]
    # The numbers of zeros before and after the vector.
    before = m - 1 - first
    behind = count + m - 1 - n - before
    if _dtypes.is_floating(a.dtype):
        # An image with one line and one channel, and a filter, which does not run backwards.
        found: Tensor = nn_ops.conv2d(reshape(a, [1, 1, n, 1]), reshape(_reverse(v, 0), [1, m, 1, 1]),
                                  padding=[(0, 0), (before, behind)])  # fmt: skip
        return reshape(found, [count])
    dtype = sum(v).dtype
    padded, factors = pad(cast(a, dtype), [(before, behind)]), cast(v, dtype)

    def add_products(place: Tensor, sums: Tensor) -> Tensor:
        part = extract_slice(padded, [to_index(subtract(m - 1, place))], [count], [1])
        return add(sums, multiply(getitem(factors, place), part))

    result: Tensor = control.fori_loop(0, m, add_products, zeros([count], dtype))
    return result


def isclose(a: TensorLike, b: TensorLike, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
    """True if |a - b| <= atol + rtol |b|; infinities are close to themselves."""
    a, b = as_tensors(as_tensor(a), as_tensor(b))
    if not _dtypes.is_floating(a.dtype):
        a, b = cast(a, _dtypes.float32), cast(b, _dtypes.float32)
    is_near: Tensor = (a == b) | ((absolute(a - b) <= atol + rtol * absolute(b)) & (absolute(b) != np.inf))
    return is_near | (isnan(a) & isnan(b)) if equal_nan else is_near


def allclose(a: TensorLike, b: TensorLike, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
    """True if `isclose` holds for all elements."""
    return all(isclose(a, b, rtol, atol, equal_nan))


def array_equal(a: TensorLike, b: TensorLike) -> Tensor:
    """True if two tensors have one shape, and equal elements."""
    a, b = as_tensor(a), as_tensor(b)
    return constant(False) if a.ndim != b.ndim or a._dims != b._dims else all(a == b)


def nan_to_num(
    x: TensorLike, nan: float = 0.0, posinf: Optional[float] = None, neginf: Optional[float] = None
) -> Tensor:
    """`x` with numbers in place of NaN and infinities, which by default are the largest ones of the dtype."""
    x = as_tensor(x)
    if not _dtypes.is_floating(x.dtype):
        return as_tensor(x)
    largest = _dtypes.largest(x.dtype)
    x = where(isnan(x), nan, x)
    x = where(x == np.inf, largest if posinf is None else posinf, x)
    return where(x == -np.inf, -largest if neginf is None else neginf, x)
