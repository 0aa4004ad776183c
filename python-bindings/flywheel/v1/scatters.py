# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Updates of rows of variables at indices, tensors made of slices at indices, and sums of segments."""

import math
from typing import Any, Callable, Optional

from .. import _ops
from .. import nn as traced
from .._core import dtypes as _dtypes
from .._core.tensor import format_shape
from .._errors.messages import about, wrong
from .._ops import checks as _checks
from .._ops import emission as _emission
from .._ops.reductions import reduce_max, reduce_min
from .arrays import check_depth, flat_places
from .conversion import as_tensor, make
from .elementwise import TABLE
from .operation import Fields, Tensor
from .ops import fill, shape, zeros
from .sizes import as_size, as_sizes
from .variables import Variable


def _rows(x: Any, i: Any, u: Any) -> Any:
    """Indices as a vector, and one slice of x for each of them."""
    own = x._dims[1:]
    flat = _ops.reshape(i, [-1])
    if u.ndim == 0 or u._dims[len(u._dims) - len(own) :] != own or u.ndim < i.ndim + len(own):
        sizes = [_ops.dim(i, axis) for axis in range(i.ndim)]
        u = _ops.broadcast_to(u, [*sizes, *own])
    return flat, _ops.reshape(u, [-1, *own])


def _scattered(kind: str, x: Any, i: Any, u: Any) -> Any:
    flat, slices = _rows(x, i, u)
    if kind == "ScatterUpdate":
        return traced.scatter(x, flat, slices, 0)
    return traced.scatter_add(x, flat, _ops.negative(slices) if kind == "ScatterSub" else slices, 0)


def _updating(kind: str, word: str) -> Callable[..., Tensor]:
    def op(
        ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: Optional[str] = None
    ) -> Tensor:
        if not isinstance(ref, Variable):
            raise TypeError(f"only variables are assigned, found {type(ref).__name__}")
        index, u = as_tensor(indices), as_tensor(updates, ref.dtype)
        if not index.dtype.is_integer:
            raise TypeError(f"indices are integers, found {_dtypes.name_of(index.dtype)}")
        if u.dtype != ref.dtype:
            raise TypeError(f"Expected {_dtypes.name_of(ref.dtype)} for variable '{ref.op_name}', got "
                            f"{_dtypes.name_of(u.dtype)}: cast it")  # fmt: skip
        ref._check_writable()
        own, shape_ = ref.implementation, (ref.dtype, tuple(ref.shape.as_list()))

        def emit(i: Any, v: Any) -> Any:
            # The operand is the variable after the writes before this one (A5).
            return own.assign(_scattered(kind, own.read(), i, v))

        return ref.graph.create(kind, [index, u], emit, [shape_], name, Fields(writes=[ref])).outputs[0]

    op.__doc__ = f"{word} a variable at indices of its first dimension; yields the whole new value."
    return op


scatter_update = _updating("ScatterUpdate", "Replaces slices of")
scatter_add = _updating("ScatterAdd", "Adds to slices of")
scatter_sub = _updating("ScatterSub", "Subtracts from slices of")


def scatter_nd(indices: Any, updates: Any, shape: Any, name: Optional[str] = None) -> Tensor:
    """Zeros of a shape, with slices added at indices [..., depth] of the first dimensions."""
    index, u = as_tensor(indices), as_tensor(updates)
    depth = index.static_shape[-1] if index.static_shape else None
    if depth is None:
        raise about("scatter_nd", ValueError("how many dimensions an index has must be known, found shape "
                                             f"{index.shape}"))  # fmt: skip

    def emit(like: Any, i: Any, v: Any) -> Any:
        what = (f"scatter_nd: updates of shape {format_shape(v._dims)} at indices of shape {format_shape(i._dims)} in "
                f"shape {format_shape(like._dims)}")  # fmt: skip
        if depth > like.ndim or v.ndim != i.ndim - 1 + like.ndim - depth:
            raise about(what, ValueError("expected an index of no more dimensions than there are, and "
                                         "a slice for each"))  # fmt: skip
        own = [_emission.size(i, axis) for axis in range(i.ndim - 1)]
        for axis, expected in enumerate([*own, *_emission.sizes(like)[depth:]]):
            _checks.expect_equal(_emission.size(v, axis), expected, f"{what}: dimension {axis}")
        sizes = [_ops.dim(like, axis) for axis in range(like.ndim)]
        total: Any = 1
        for one in sizes[:depth]:
            total = one * total
        flat = _ops.reshape(like, [total, *sizes[depth:]])
        places = flat_places(_ops.reshape(i, [-1, depth]), like, depth)
        return _ops.reshape(traced.scatter_add(flat, places, _ops.reshape(v, [-1, *sizes[depth:]]), 0), sizes)

    found: Tensor = make("ScatterNd", emit, zeros(shape, u.dtype), index, u, name=name)
    return found


def _nd(kind: str) -> Callable[..., Tensor]:
    def op(ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: Optional[str] = None) -> Tensor:
        """Slices of a variable at indices [..., depth]; yields the whole new value."""
        if not isinstance(ref, Variable):
            raise TypeError(f"only variables are assigned, found {type(ref).__name__}")
        index, u = as_tensor(indices), as_tensor(updates, ref.dtype)
        depth = index.static_shape[-1] if index.static_shape else None
        if depth is None:
            raise about(kind, ValueError(f"how many dimensions an index has must be known, found shape {index.shape}"))
        ref._check_writable()
        own, sizes = ref.implementation, tuple(ref.shape.as_list())
        check_depth(depth, sizes)

        def emit(i: Any, v: Any) -> Any:
            total = math.prod(n or 0 for n in sizes[:depth])
            old = own.read()
            flat = _ops.reshape(old, [total, *sizes[depth:]])
            places = flat_places(_ops.reshape(i, [-1, depth]), old, depth)
            new = _scattered(kind.replace("Nd", ""), flat, places, _ops.reshape(v, [-1, *sizes[depth:]]))
            return own.assign(_ops.reshape(new, list(sizes)))

        return ref.graph.create(kind, [index, u], emit, [(ref.dtype, sizes)], name, Fields(writes=[ref])).outputs[0]

    return op


scatter_nd_update, scatter_nd_add, scatter_nd_sub = _nd("ScatterNdUpdate"), _nd("ScatterNdAdd"), _nd("ScatterNdSub")


#
# Segments
#


def _numbers(data: Any) -> Tensor:
    """Returns the tensor that segments are of. Raises TypeError for one that is not of numbers."""
    x = as_tensor(data)
    if x.dtype in (_dtypes.bool_, _dtypes.string):
        raise wrong(TypeError, "numbers", _dtypes.name_of(x.dtype), "data")
    return x


def unsorted_segment_sum(data: Any, segment_ids: Any, num_segments: Any, name: Optional[str] = None) -> Tensor:
    """The sum of the slices of each segment, [num_segments, ...]; those of negative numbers are left out."""
    x, ids = _numbers(data), as_tensor(segment_ids)
    count = as_size(num_segments)
    rank = len(ids.static_shape or (None,))
    sizes = shape(x)
    rest = [sizes[i] if n is None else n for i, n in enumerate(x.static_shape or ()) if i >= rank]

    def emit(init: Any, i: Any, v: Any) -> Any:
        flat = _ops.reshape(v, [-1, *[_ops.dim(init, axis) for axis in range(1, init.ndim)]])
        places = _ops.reshape(i, [-1])
        is_kept = _ops.greater_equal(places, _ops.zeros_like(places))
        rows = _ops.reshape(is_kept, [-1, *[1] * (init.ndim - 1)])
        # Zeros are added to the first segment.
        flat = _ops.where(rows, flat, _ops.zeros_like(flat))
        return traced.scatter_add(init, _ops.where(is_kept, places, _ops.zeros_like(places)), flat, 0)

    found: Tensor = make("UnsortedSegmentSum", emit, zeros([count, *rest], x.dtype), ids, x, name=name)
    return found


def _counts(data: Any, segment_ids: Any, num_segments: Any) -> Any:
    x, ids = as_tensor(data), as_tensor(segment_ids)
    ones = make("ones", lambda i: _ops.ones([_ops.dim(i, axis) for axis in range(i.ndim)], x.dtype), ids)
    counts = TABLE["maximum"](unsorted_segment_sum(ones, ids, num_segments), 1)
    rank = len(x.static_shape or ()) - len(ids.static_shape or ())
    return make("counts", lambda c: _ops.expand_dims(c, [1 + i for i in range(rank)]) if rank else c, counts)


def unsorted_segment_mean(data: Any, segment_ids: Any, num_segments: Any, name: Optional[str] = None) -> Tensor:
    """The mean of the slices of each segment; 0 of none."""
    total = unsorted_segment_sum(data, segment_ids, num_segments)
    found: Tensor = TABLE["divide"](total, _counts(data, segment_ids, num_segments), name=name)
    return found


def unsorted_segment_sqrt_n(data: Any, segment_ids: Any, num_segments: Any, name: Optional[str] = None) -> Tensor:
    """The sum of the slices of each segment, divided by the root of how many they are."""
    total = unsorted_segment_sum(data, segment_ids, num_segments)
    counts = TABLE["sqrt"](_counts(data, segment_ids, num_segments))
    found: Tensor = TABLE["divide"](total, counts, name=name)
    return found


def _of_each(reduce: Callable[..., Any], neutral: Callable[[Any], Any]) -> Callable[..., Tensor]:
    """Returns a reduction of the slices of each segment, which looks at all slices for each."""

    def op(
        data: Any, segment_ids: Any, num_segments: Any, name: Optional[str] = None, is_empty_zero: bool = False
    ) -> Tensor:
        x, ids, count = _numbers(data), as_tensor(segment_ids), as_size(num_segments)
        if len(ids.static_shape or ()) != 1:
            raise NotImplementedError("segment ids of more than one dimension")
        numbers = make("range", lambda n: _ops.cast(_ops.arange(n), ids.dtype), count)

        def emit(i: Any, v: Any, n: Any) -> Any:
            own = _ops.equal(_ops.expand_dims(n, 1), i)
            wide = _ops.reshape(own, [_ops.dim(n, 0), _ops.dim(i, 0), *[1] * (v.ndim - 1)])
            start = _ops.full_like(v, neutral(v.dtype))
            found = reduce(_ops.where(wide, v, start), 1)
            is_there = _ops.reshape(_ops.any(own, 1), [_ops.dim(n, 0), *[1] * (v.ndim - 1)])
            return _ops.where(is_there, found, _ops.full_like(found, 0 if is_empty_zero else neutral(v.dtype)))

        found: Tensor = make("UnsortedSegment", emit, ids, x, numbers, name=name)
        return found

    return op


def _limit(dtype: Any, largest: bool) -> Any:
    import numpy as np

    if _dtypes.is_floating(dtype):
        return _dtypes.largest(dtype) if largest else -_dtypes.largest(dtype)
    info = np.iinfo(dtype)
    return info.max if largest else info.min


unsorted_segment_max = _of_each(reduce_max, lambda d: _limit(d, False))
unsorted_segment_min = _of_each(reduce_min, lambda d: _limit(d, True))
unsorted_segment_prod = _of_each(_ops.reductions.reduce_prod, lambda _: 1)


def _sorted(function: Callable[..., Tensor], **more: Any) -> Callable[..., Tensor]:
    def op(data: Any, segment_ids: Any, name: Optional[str] = None) -> Tensor:
        """A reduction over segments in order; the last id gives their number."""
        ids = as_tensor(segment_ids)
        literal = ids.op.fields.literal
        count = int(literal[-1]) + 1 if literal is not None else as_size(ids[-1] + 1)
        return function(data, ids, count, name, **more)

    return op


segment_sum, segment_mean = _sorted(unsorted_segment_sum), _sorted(unsorted_segment_mean)
segment_prod = _sorted(unsorted_segment_prod)
# The result of an empty segment is 0 if segments are in order, else the type's limit.
segment_max, segment_min = (_sorted(one, is_empty_zero=True) for one in (unsorted_segment_max, unsorted_segment_min))


def confusion_matrix(
    labels: Any, predictions: Any, num_classes: Any = None, dtype: Any = _dtypes.int32, name: Optional[str] = None,
    weights: Any = None,
) -> Tensor:  # fmt: skip
    """[classes, classes]: how often a label had a prediction."""
    y, p = as_tensor(labels), as_tensor(predictions)
    if num_classes is None:
        largest = [TABLE["reduce_max"](_as(x, _dtypes.int32)) for x in (y, p)]
        num_classes = TABLE["maximum"](*largest) + 1
    count = as_size(num_classes)
    kind = _dtypes.as_dtype(dtype)

    def emit(*both: Any) -> Any:
        return _ops.stack([_ops.cast(_ops.reshape(x, [-1]), _dtypes.int64) for x in both], 1)

    index = make("stack", emit, y, p)
    own = fill([shape(index)[0]], 1) if weights is None else as_tensor(weights)
    return scatter_nd(index, _as(own, kind), as_sizes([count, count]), name)


def _as(x: Any, dtype: Any) -> Any:
    from .ops import cast

    return cast(x, dtype)


__all__ = [
    "confusion_matrix", "scatter_add", "scatter_nd", "scatter_nd_add", "scatter_nd_sub", "scatter_nd_update",
    "scatter_sub", "scatter_update", "segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sum",
    "unsorted_segment_max", "unsorted_segment_mean", "unsorted_segment_min", "unsorted_segment_prod",
    "unsorted_segment_sqrt_n", "unsorted_segment_sum",
]  # fmt: skip
