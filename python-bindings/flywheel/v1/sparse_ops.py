# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of sparse tensors with dense results, and of each of their values."""

from typing import Any, Callable, Dict, List, Optional

import numpy as np

from .. import _ops
from .. import nn as traced
from .._core import dtypes as _dtypes
from .._ops import checks as _checks
from .._ops import emission as _emission
from .._ops.shapes import to_index
from .arrays import flat_places, gather_nd
from .conversion import as_tensor, make
from .elementwise import TABLE
from .host_calls import host_call
from .operation import Tensor
from .ops import cast, gather, matmul
from .scatters import unsorted_segment_max, unsorted_segment_sum
from .sizes import as_size, known_numbers
from .sparse_tensors import SparseTensor, SparseTensorValue, as_sparse

_i64 = _dtypes.int64


def _listed(sizes: Any) -> Any:
    """Returns sizes of a sparse tensor where an op is emitted: of an unknown rank, numbers."""
    return list(sizes) if isinstance(sizes, (list, tuple)) else known_numbers(sizes)


def within_shape(x: SparseTensor, kind: str) -> Tensor:
    """Returns the indices, of which one outside of the shape is an error of the run."""

    def emit(i: Any, n: Any) -> Any:
        is_within = _ops.logical_and(_ops.greater_equal(i, 0), _ops.less(i, n))
        _checks.expect(_ops.all(is_within), f"{kind}: an index of the SparseTensor is out of bounds: need 0 <= index < "
                       "dense_shape")  # fmt: skip
        return i

    found: Tensor = make("IndicesWithin", emit, x.indices, x.dense_shape)
    return found


def sparse_tensor_dense_matmul(
    sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: Optional[str] = None
) -> Tensor:
    """The product of a sparse matrix and a dense one."""
    a, y = as_sparse(sp_a, "sp_a"), as_tensor(b)
    if a.dtype != y.dtype:
        raise TypeError(f"sparse_tensor_dense_matmul: values of {a.dtype.name} and a matrix of {y.dtype.name}: cast "
                        "one of them")  # fmt: skip
    for what, x in (("sp_a", a), ("b", y)):
        if x.static_shape is not None and len(x.static_shape) != 2:
            raise ValueError(f"sparse_tensor_dense_matmul: expected a matrix as {what}, found shape {x.shape}")
    rows, inner = (1, 0) if adjoint_a else (0, 1)
    sizes = known = a.of_rank(2).sizes()
    own = None if y.static_shape is None else y.static_shape[1 if adjoint_b else 0]
    text = "Cannot multiply A and B because inner dimension does not match"
    if isinstance(known[inner], int) and own is not None and own != known[inner]:
        raise ValueError(f"{text}: {known[inner]} vs. {own}. Did you forget a transpose?")

    def emit(i: Any, v: Any, m: Any, given: Any) -> Any:
        n = list(given)
        if m.ndim != 2:
            raise ValueError("sparse_tensor_dense_matmul: expected a matrix as b")
        m = _ops.transpose(m) if adjoint_b else m
        _checks.expect_equal(_emission.size(m, 0), to_index(n[inner]), text)
        taken = _ops.multiply(_ops.take(m, i[:, inner], 0), _ops.expand_dims(v, 1))
        init = _ops.zeros([n[rows], _ops.dim(m, 1)], v.dtype)
        return traced.scatter_add(init, i[:, rows], taken, 0)

    columns = None if y.static_shape is None else y.static_shape[0 if adjoint_b else 1]
    types = [(y.dtype, (known[rows] if isinstance(known[rows], int) else None, columns))]
    found: Tensor = make("SparseTensorDenseMatMul", emit, a.indices, a.values, y, sizes, name=name, types=types)
    return found


def sparse_to_dense(
    sparse_indices: Any, output_shape: Any, sparse_values: Any, default_value: Any = 0, validate_indices: bool = True,
    name: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """A tensor of a shape, with values at indices [count, rank], or [count] of a vector, and `default_value` elsewhere.
    With `validate_indices` it is an error if indices are not in order, or come twice."""
    index, values = as_tensor(sparse_indices), as_tensor(sparse_values)
    if index.static_shape is not None and len(index.static_shape) < 2:
        count = -1 if index.static_shape else 1
        index = make("Reshape", lambda i: _ops.reshape(i, [count, 1]), index)
    if not values.static_shape and values.static_shape is not None:
        values = make("BroadcastTo", lambda v, i: _ops.broadcast_to(v, [_ops.dim(i, 0)]), values, index)
    return sparse_tensor_to_dense(SparseTensor(cast(index, _i64), values, _as_shape(output_shape)), default_value,
                                  validate_indices, name)  # fmt: skip


def _as_shape(shape: Any) -> Any:
    x = shape if hasattr(shape, "as_list") else as_tensor(shape)
    return cast(x, _i64) if hasattr(x, "op") and x.op.fields.literal is None else (
        np.asarray(x.op.fields.literal).astype(np.int64) if hasattr(x, "op") else x)  # fmt: skip


def sparse_tensor_to_dense(
    sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: Optional[str] = None
) -> Tensor:
    """The elements, with `default_value`, 0 by default, where there is none. With `validate_indices` it is an error if
    indices are not in order, or come twice."""
    return placed(sp_input, default_value, validate_indices, name)


def placed(
    sp_input: Any, default_value: Any, validate_indices: bool, name: Optional[str] = None, adds: bool = False
) -> Tensor:
    """See `sparse_tensor_to_dense`; with `adds`, elements at one index are added, and else the last one counts."""
    x = as_sparse(sp_input)
    if x.dtype == _dtypes.string:
        raise NotImplementedError("flywheel.v1.sparse_tensor_to_dense of strings: fetch the sparse tensor")
    default = as_tensor(0 if default_value is None else default_value, x.dtype)
    if default.dtype != x.dtype:
        raise TypeError(f"sparse_tensor_to_dense: values of {x.dtype.name}, and a default_value of "
                        f"{default.dtype.name}: cast one of them")  # fmt: skip

    def emit(i: Any, v: Any, d: Any, sizes: Any) -> Any:
        n = _listed(sizes)
        whole = _ops.broadcast_to(d, n)
        if not n:
            return _ops.where(_ops.greater(_ops.dim(v, 0), 0), _ops.sum(v), d)
        places = flat_places(i, whole, len(n))
        if validate_indices:
            _checks.expect(_ops.all(_ops.less(places[:-1], places[1:])),
                           "sparse_tensor_to_dense: indices are repeated or out of order; tf.sparse_reorder puts them "
                           "in order, and validate_indices=False takes them as they are")  # fmt: skip
        total = [_ops.dim(whole, axis) for axis in range(whole.ndim)]
        scatter = traced.scatter_add if adds else traced.scatter
        return _ops.reshape(scatter(_ops.reshape(whole, [-1]), places, v, 0), total)

    types = [(x.dtype, x.static_shape)]
    found: Tensor = make("SparseToDense", emit, x.indices, x.values, default, x.sizes(), name=name, types=types)
    return found


def _axes_of(x: SparseTensor, axis: Any, what: str) -> List[int]:
    """Returns the axes of a reduction, of all axes by default."""
    if x.static_shape is None:
        raise ValueError(f"{what}: the rank of the sparse tensor must be known: give tf.sparse_placeholder a shape")
    rank = len(x.static_shape)
    given = range(rank) if axis is None else [axis] if isinstance(axis, (int, np.integer)) else np.asarray(axis)
    found = sorted({int(one) for one in given})
    if any(not -rank <= one < rank for one in found):
        raise ValueError(f"{what}: invalid reduction dimension {found} for a sparse tensor of {rank} dimensions")
    return sorted({one % rank for one in found})


def flat_indices(indices: Any, sizes: List[Any], kept: List[int]) -> Any:
    """Returns places in a vector of the elements along these axes; 0 if there is no axis."""

    def emit(i: Any, given: Any) -> Any:
        place = _ops.zeros_like(i[:, 0])
        for axis, n in zip(kept, given):
            place = _ops.add(_ops.multiply(place, _ops.cast(n, _i64)), i[:, axis])
        return place

    return make("FlatIndices", emit, indices, [sizes[axis] for axis in kept])


def _reduction(kind: str, function: Callable[..., Any]) -> Callable[..., Tensor]:
    def op(
        sp_input: Any, axis: Any = None, keepdims: Any = None, reduction_axes: Any = None, keep_dims: Any = None,
        output_is_sparse: bool = False, name: Optional[str] = None,
    ) -> Any:  # fmt: skip
        if output_is_sparse:
            raise NotImplementedError(f"flywheel.v1.{kind} does not take output_is_sparse: {kind}_sparse")
        x = as_sparse(sp_input)
        axes = _axes_of(x, reduction_axes if axis is None else axis, kind)
        sizes, keep = x.sizes(), bool(keepdims or keep_dims)
        kept = [one for one in range(len(sizes)) if one not in axes]
        indices = within_shape(x, kind)
        if not kept:
            found = function(x.values, flat_indices(indices, sizes, kept), 1)
        else:
            total: Any = 1
            for one in kept:
                total = sizes[one] if isinstance(total, int) and total == 1 else total * sizes[one]
            found = function(x.values, flat_indices(indices, sizes, kept), total)
        shape = [1 if one in axes else sizes[one] for one in range(len(sizes)) if keep or one in kept]
        return make("Reshape", lambda y, n: _ops.reshape(y, list(n)), found, shape, name=name)

    op.__name__ = op.__qualname__ = kind
    return op


sparse_reduce_sum = _reduction("sparse_reduce_sum", unsorted_segment_sum)
sparse_reduce_sum.__doc__ = "Sums of the elements of a sparse tensor along axes, a dense tensor."
sparse_reduce_max = _reduction(
    "sparse_reduce_max", lambda x, i, n: unsorted_segment_max(x, i, n, is_empty_zero=True))  # fmt: skip
sparse_reduce_max.__doc__ = ("The largest of the elements that are there, along axes, a dense tensor; 0 of none.")


def with_dense(kind: str, sp: Any, dense: Any) -> SparseTensor:
    """The elements of a sparse tensor times, or divided by, those of a dense one at their places, which broadcasts to
    its shape."""
    x = as_sparse(sp)
    y = as_tensor(dense, x.dtype)
    if x.dtype != y.dtype:
        raise TypeError(f"Input 'y' of '{kind}' Op has type {y.dtype.name} that does not match type {x.dtype.name} of "
                        "argument 'x': cast one of them")  # fmt: skip
    if y.static_shape is None:
        raise ValueError(f"{kind} of a SparseTensor: the rank of the dense tensor must be known")
    rank = len(y.static_shape)
    if x.static_shape is not None and rank > len(x.static_shape):
        raise ValueError(f"{kind}: a dense tensor of shape {y.shape} does not broadcast to a SparseTensor of shape "
                         f"{x.shape}")  # fmt: skip

    indices = within_shape(x, kind)

    def places(i: Any, d: Any) -> Any:
        first = i._dims[1] - rank
        return _ops.stack([_ops.zeros_like(i[:, 0]) if n == 1 else i[:, first + axis]
                           for axis, n in enumerate(d._dims)], 1)  # fmt: skip

    taken = gather_nd(y, make("Places", places, indices, y)) if rank else y
    made = of_values(x, TABLE["multiply" if kind == "mul" else "divide"](x.values, taken))
    made._indices = indices
    return made


def of_values(x: SparseTensor, values: Any) -> SparseTensor:
    """Returns a sparse tensor with other values at the same indices."""
    made = SparseTensor(x.indices, values, x.dense_shape)
    made.static_shape, made._sizes = x.static_shape, x._sizes
    return made


def _rows(x: SparseTensor) -> Any:
    """Returns 1 more than the last row that has an element, as a size; if it is not known, Python finds it before the
    program runs."""
    literal = x.indices.op.fields.literal
    if literal is not None:
        return int(literal[-1, 0]) + 1 if len(literal) else 0
    made = host_call("SizeOf", lambda _, i: np.empty(int(i[-1, 0]) + 1 if len(i) else 0, np.int8), [x.indices],
                     [(_dtypes.int8, (None,))])[0].outputs[0]  # fmt: skip
    return make("SizeOf", lambda v: _ops.cast(_ops.shape(v)[0], _i64), made)


def embedding_lookup_sparse(
    params: Any, sp_ids: Any, sp_weights: Any, partition_strategy: str = "mod", name: Optional[str] = None,
    combiner: Optional[str] = None, max_norm: Any = None,
) -> Tensor:  # fmt: skip
    """For each row of ids the sum, "sum", the mean, "mean", or the sum divided by the root of the sum of squared
    weights, "sqrtn", of their rows of a table, with weights, or None for weights of 1."""
    from .nn import embedding_lookup

    if max_norm is not None:
        raise NotImplementedError("flywheel.v1.nn.embedding_lookup_sparse does not take max_norm: tf.clip_by_norm")
    combiner = "mean" if combiner is None else combiner
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError("combiner must be one of 'mean', 'sqrtn' or 'sum'")
    ids = as_sparse(sp_ids, "sp_ids")
    weights = None if sp_weights is None else as_sparse(sp_weights, "sp_weights")
    count = _rows(ids)

    def rows_of(i: Any) -> Any:
        row = i[:, 0]
        _checks.expect(_ops.all(_ops.less_equal(row[:-1], row[1:])),
                       "embedding_lookup_sparse: segment ids are not increasing: tf.sparse_reorder puts ids in order")
        _checks.expect(_ops.all(_ops.greater_equal(row, 0)), "embedding_lookup_sparse: segment ids must be >= 0")
        return row

    segments = make("Segments", rows_of, ids.indices)
    rows = embedding_lookup(params, ids.values, partition_strategy)
    if rows.static_shape is None:
        raise ValueError("embedding_lookup_sparse: the rank of the table must be known")
    more = [1] * (len(rows.static_shape) - 1)
    own = None if weights is None else cast(weights.values, rows.dtype)

    def wide(x: Any) -> Any:
        return make("Reshape", lambda v: _ops.reshape(v, [-1, *more]), x)

    total = unsorted_segment_sum(rows if own is None else TABLE["multiply"](rows, wide(own)), segments, count)
    if combiner == "sum":
        return total
    each = TABLE["ones_like"](segments) if own is None else own
    each = cast(each, rows.dtype)
    each = unsorted_segment_sum(each if combiner == "mean" or own is None else each * each, segments, count)
    # A row without ids has zeros.
    found: Tensor = TABLE["div_no_nan"](total, wide(TABLE["sqrt"](each) if combiner == "sqrtn" else each), name=name)
    return found


def _of_rows(kind: str, combiner: str) -> Callable[..., Tensor]:
    def op(
        data: Any, indices: Any, segment_ids: Any, name: Optional[str] = None, num_segments: Any = None
    ) -> Tensor:
        from .scatters import segment_mean, segment_sum, unsorted_segment_mean, unsorted_segment_sqrt_n

        rows = gather(as_tensor(data), indices)
        ids = as_tensor(segment_ids)
        if num_segments is None and combiner != "sqrtn":
            return (segment_sum if combiner == "sum" else segment_mean)(rows, ids, name)
        count = as_size(ids[-1] + 1) if num_segments is None else num_segments
        function = {"sum": unsorted_segment_sum, "mean": unsorted_segment_mean, "sqrtn": unsorted_segment_sqrt_n}
        return function[combiner](rows, ids, count, name)

    op.__name__ = op.__qualname__ = kind
    op.__doc__ = f"The {combiner} of the slices at indices of each segment; segments are in order."
    return op


sparse_segment_sum = _of_rows("sparse_segment_sum", "sum")
sparse_segment_mean = _of_rows("sparse_segment_mean", "mean")
sparse_segment_sqrt_n = _of_rows("sparse_segment_sqrt_n", "sqrtn")


def sparse_matmul(
    a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, a_is_sparse: bool = False,
    b_is_sparse: bool = False, name: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """See `matmul`: the product of dense matrices, of which the program knows that they have many zeros."""
    found: Tensor = matmul(a, b, transpose_a, transpose_b, name=name)
    return found


# Functions of `tf` that also take a sparse tensor, and compute each of its values.
_OF_EACH = ("abs negative sign square sqrt tanh erf cast to_float to_double to_int32 to_int64 identity "
            "stop_gradient").split()  # fmt: skip


def also_sparse(names: Dict[str, Any]) -> Dict[str, Any]:
    """Returns functions of `tf` that take sparse tensors, too: those of each element, and those of shapes."""
    import functools

    def each(function: Any) -> Any:
        @functools.wraps(function)
        def op(x: Any, *args: Any, **kwargs: Any) -> Any:
            if isinstance(x, (SparseTensor, SparseTensorValue)):
                own = as_sparse(x)
                return of_values(own, function(own.values, *args, **kwargs))
            return function(x, *args, **kwargs)

        return op

    def of_shape(function: Any, found: Callable[[Tensor], Any]) -> Any:
        @functools.wraps(function)
        def op(input: Any, name: Optional[str] = None, out_type: Any = _dtypes.int32) -> Any:
            if isinstance(input, (SparseTensor, SparseTensorValue)):
                return cast(found(as_sparse(input).dense_shape), out_type, name)
            return function(input, name, out_type) if function.__name__ != "rank" else function(input, name)

        return op

    return {**{name: each(names[name]) for name in _OF_EACH}, "shape": of_shape(names["shape"], lambda s: s),
            "size": of_shape(names["size"], TABLE["reduce_prod"]),
            "rank": of_shape(names["rank"], lambda s: names["shape"](s)[0])}  # fmt: skip


__all__ = [
    "sparse_matmul", "sparse_reduce_max", "sparse_reduce_sum", "sparse_segment_mean", "sparse_segment_sqrt_n",
    "sparse_segment_sum", "sparse_tensor_dense_matmul", "sparse_tensor_to_dense", "sparse_to_dense",
]  # fmt: skip

# Names in `tf.nn`.
NN = ("embedding_lookup_sparse",)
