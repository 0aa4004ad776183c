# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of aten that combine elements at one place by a reduction."""

from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, as_tensor
from .._frontends.layouts import Laid
from .._ops.emission import sizes, stretch
from .._ops.indexing import insert_slice
from .._ops.shapes import reshape_to
from ._graph import Call, op

# The largest number of pairs: each place is compared with each index.
_MOST_PAIRS = 1 << 22
_NEUTRAL = {"sum": 0, "mean": 0, "prod": 1, "amax": -np.inf, "amin": np.inf}


def combined(call: Call, x: Tensor, axis: int, index: Tensor, updates: Tensor, kind: str, with_self: bool) -> Tensor:
    """Returns `x` with the updates at the places of `index` along a dimension, reduced with the old elements, or
    without. In other dimensions the indices may be fewer."""
    if None in x._dims or None in index._dims:
        raise call.unsupported("of sizes that the call chooses")
    if x.ndim == 0:
        parts = (reshape_to(part, [1]) for part in (x, index, updates))
        first, *others = parts
        return reshape_to(combined(call, first, 0, others[0], others[1], kind, with_self), [])
    axis %= x.ndim
    known, counts = [one or 0 for one in x._dims], [one or 0 for one in index._dims]
    if known[:axis] + known[axis + 1 :] != counts[:axis] + counts[axis + 1 :]:
        # The indices are of the first elements in each other dimension: the rest stays.
        part = [total if place == axis else least for place, (total, least) in enumerate(zip(known, counts))]
        first = _ops.getitem(x, tuple(slice(0, length) for length in part))
        new = combined(call, first, axis, index, updates, kind, with_self)
        return insert_slice(new, x, [0] * x.ndim, list(part), [1] * x.ndim)
    if int(np.prod(known)) * counts[axis] > _MOST_PAIRS:
        raise call.unsupported(f"with reduce='{kind}', of more than {_MOST_PAIRS} pairs of places and indices")
    rows = _ops.moveaxis(x, axis, -1)
    places, values = (_ops.moveaxis(part, axis, -1) for part in (index, updates))
    numbers = as_tensor(np.arange(known[axis], dtype=np.int64)[:, None])
    hits = _ops.equal(_ops.cast(_ops.expand_dims(places, -2), _dtypes.int64), numbers)
    count = _ops.sum(_ops.cast(hits, _dtypes.int32), -1)
    # The element itself is one of those that are reduced.
    neutral: Any = _NEUTRAL[kind]
    if not _dtypes.is_floating(x.dtype) and np.isinf(neutral):
        neutral = int(np.iinfo(x.dtype).min if neutral < 0 else np.iinfo(x.dtype).max)
    empty = as_tensor(neutral, x.dtype)
    each = _ops.where(hits, _ops.expand_dims(values, -2), empty)
    own = rows if with_self else _ops.where(_ops.greater(count, 0), empty, rows)
    whole = _ops.concatenate([_ops.expand_dims(own, -1), each], each.ndim - 1)
    functions = {"sum": _ops.sum, "mean": _ops.sum, "prod": _ops.prod, "amax": _ops.max, "amin": _ops.min}
    result = _ops.cast(functions[kind](whole, -1), x.dtype)
    if kind == "mean":
        total = _ops.maximum(_ops.add(count, 1) if with_self else count, 1)
        divided = _ops.cast(total, x.dtype)
        floats = _dtypes.is_floating(x.dtype)
        result = _ops.divide(result, divided) if floats else _ops.floor_divide(result, divided)
    moved: Tensor = _ops.moveaxis(result, -1, axis)
    return moved


@op("index_reduce.default")
def _index_reduce(
    call: Call, x: Laid, axis: int, index: Laid, source: Laid, reduce: str, *, include_self: bool
) -> Laid:
    data, updates = x.plain(), source.plain()
    kind = reduce
    if data.ndim == 0:
        place = reshape_to(index.plain(), [])
        return Laid(combined(call, data, 0, place, reshape_to(updates, []), kind, include_self))
    axis %= data.ndim
    shape: List[Any] = [1] * data.ndim
    shape[axis] = index.shape[0] if index.ndim else 1
    places = stretch(reshape_to(index.plain(), shape), sizes(updates))
    return Laid(combined(call, data, axis, places, updates, kind, include_self))


_COMBINED: Dict[str, Tuple[Callable[..., Any], Callable[..., Any], float]] = {
    "sum": (_ops.sum, _ops.add, 0.0), "mean": (_ops.sum, _ops.add, 0.0), "prod": (_ops.prod, _ops.multiply, 1.0),
    "max": (_ops.max, _ops.maximum, -np.inf), "min": (_ops.min, _ops.minimum, np.inf)}  # fmt: skip


@op("segment_reduce.default", without="unsafe")
def _segment_reduce(
    call: Call, x: Laid, reduce: str, *, lengths: Optional[Laid] = None, offsets: Optional[Laid] = None,
    axis: int = 0, initial: Optional[float] = None,
) -> Laid:  # fmt: skip
    """Reduces the elements of segments of a dimension, which have lengths, or lie between two offsets each."""
    data = x.plain()
    given = lengths if lengths is not None else offsets
    assert given is not None
    bounds = _ops.cast(given.plain(), _dtypes.int64)
    if None in data._dims or None in bounds._dims:
        raise call.unsupported("of sizes that the call chooses")
    if lengths is not None:
        ends = _ops.cumsum(bounds, axis)
        starts = _ops.subtract(ends, bounds)
    else:
        keys = [slice(None)] * axis
        starts, ends = (_ops.getitem(bounds, (*keys, part)) for part in (slice(None, -1), slice(1, None)))
    total = data._dims[axis] or 0
    if (starts._dims[axis] or 0) * int(np.prod([one or 0 for one in data._dims])) > _MOST_PAIRS:
        raise call.unsupported(f"of more than {_MOST_PAIRS} pairs of segments and elements")
    numbers = as_tensor(np.arange(total, dtype=np.int64))
    first, last = _ops.expand_dims(starts, -1), _ops.expand_dims(ends, -1)
    inside = _ops.logical_and(_ops.greater_equal(numbers, first), _ops.less(numbers, last))
    for _ in range(data.ndim - axis - 1):
        inside = _ops.expand_dims(inside, -1)
    function, combine, neutral = _COMBINED[reduce]
    each = _ops.where(inside, _ops.expand_dims(data, axis), as_tensor(neutral, data.dtype))
    empty = as_tensor(neutral, data.dtype)
    found = function(each, axis + 1) if total else stretch(empty, call.result.shape)
    if initial is not None:
        found = combine(found, as_tensor(initial, data.dtype))
    if reduce == "mean":
        count = _ops.cast(_ops.subtract(ends, starts), data.dtype)
        for _ in range(data.ndim - axis - 1):
            count = _ops.expand_dims(count, -1)
        # The mean of nothing is NaN, unless there is an initial value.
        is_empty, nothing = _ops.equal(count, 0.0), float("nan") if initial is None else found
        found = _ops.where(is_empty, nothing, _ops.divide(found, _ops.maximum(count, 1.0)))
    return Laid(found)
