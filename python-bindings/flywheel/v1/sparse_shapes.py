# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops whose results are sparse tensors of other indices. Python finds which elements there are, from the indices alone;
what becomes of their values is compiled, and has derivatives."""

from typing import Any, List, Optional, Tuple

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._ops import checks as _checks
from .conversion import as_tensor, constant, make
from .elementwise import TABLE
from .host_calls import InvalidArgument, host_call
from .operation import Tensor
from .ops import cast, concat, gather, ones, reshape, stack, stop_gradient
from .scatters import unsorted_segment_max, unsorted_segment_sum
from .shapes import plain_shape
from .sparse_ops import _axes_of, flat_indices, of_values, placed, sparse_tensor_to_dense, within_shape
from .sparse_tensors import SparseTensor, as_sparse

_i64 = _dtypes.int64


def _rank(x: SparseTensor, what: str) -> int:
    if x.static_shape is None:
        raise ValueError(f"{what}: the rank of the sparse tensor must be known: give tf.sparse_placeholder a shape")
    return len(x.static_shape)


def _in_order(indices: Any) -> Any:
    """Returns the numbers of rows in lexicographic order, equal ones as they come."""
    return np.lexsort(indices.T[::-1]).astype(np.int64) if indices.shape[1] else np.arange(len(indices))


def _count(x: Tensor) -> Any:
    return x.static_shape[0] if x.static_shape else None


def sparse_reorder(sp_input: Any, name: Optional[str] = None) -> SparseTensor:
    """The same elements, with indices in lexicographic order."""
    x = as_sparse(sp_input)
    order = host_call("SparseReorder", lambda _, i: _in_order(i), [x.indices], [(_i64, (_count(x.indices),))],
                      name)[0].outputs[0]  # fmt: skip
    return SparseTensor(gather(x.indices, order), gather(x.values, order), x.dense_shape).with_sizes(
        x._sizes or x.static_shape)  # fmt: skip


def sparse_retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """The elements for which a vector of booleans holds."""
    x, mask = as_sparse(sp_input), as_tensor(to_retain)
    a, b = _count(x.values), _count(mask)
    if None not in (a, b) and a != b:
        raise ValueError(f"sparse_retain: expected {a} booleans, one for each element, found shape {mask.shape}")
    return _taken(x, [mask], lambda _, m: np.flatnonzero(m))


def _taken(x: SparseTensor, inputs: List[Tensor], places: Any) -> SparseTensor:
    """Returns a sparse tensor of the elements whose numbers a function of arrays gives."""
    numbers = host_call("SparseRetain", lambda *given: places(*given).astype(np.int64), inputs, [(_i64, (None,))])
    rows = numbers[0].outputs[0]
    return SparseTensor(gather(x.indices, rows), gather(x.values, rows), x.dense_shape).with_sizes(
        x._sizes or x.static_shape)  # fmt: skip


def sparse_slice(sp_input: Any, start: Any, size: Any, name: Optional[str] = None) -> SparseTensor:
    """The elements in a box, whose indices begin at its corner; the box is cut to the shape."""
    x = as_sparse(sp_input)
    first, count = (cast(as_tensor(one), _i64) for one in (start, size))

    def inside(_: Any, i: Any, a: Any, n: Any) -> Any:
        return np.flatnonzero(((i >= a) & (i < a + n)).all(1))

    own = _taken(x, [x.indices, first, count], inside)
    shape = TABLE["maximum"](TABLE["minimum"](count, x.dense_shape - first), 0)
    return SparseTensor(own.indices - first, own.values, shape).of_rank(_rank(x, "sparse_slice"))


def sparse_split(
    keyword_required: Any = None, sp_input: Any = None, num_split: Any = None, axis: Any = None,
    name: Optional[str] = None, split_dim: Any = None,
) -> List[SparseTensor]:  # fmt: skip
    """Parts of a sparse tensor along an axis; if its size is not divisible, the first ones are larger by 1.
    `keyword_required` is not given."""
    if keyword_required is not None:
        raise ValueError("Keyword arguments are required for this function.")
    place = split_dim if axis is None else axis
    for what, given in (("sp_input", sp_input), ("num_split", num_split), ("axis", place)):
        if given is None:
            raise ValueError(f"sparse_split: {what} is required")
    x, parts = as_sparse(sp_input), int(num_split)
    rank = _rank(x, "sparse_split")
    place = _axes_of(x, int(place), "sparse_split")[0]
    if parts < 1 or x.static_shape[place] is not None and parts > x.static_shape[place]:
        raise ValueError(f"sparse_split: expected num_split from 1 to the size of the axis, found {parts}")
    whole = x.dense_shape[place]
    x = SparseTensor(within_shape(x, "sparse_split"), x.values, x.dense_shape).with_sizes(x._sizes or x.static_shape)
    found = []
    for i in range(parts):
        begin, end = ((whole // parts) * k + TABLE["minimum"](whole % parts, k) for k in (i, i + 1))
        starts = [begin if axis == place else constant(0, _i64) for axis in range(rank)]
        sizes = [end - begin if axis == place else x.dense_shape[axis] for axis in range(rank)]
        found.append(sparse_slice(x, stack(starts), stack(sizes)))
    return found


def sparse_concat(
    axis: int, sp_inputs: Any, name: Optional[str] = None, expand_nonconcat_dim: bool = False,
    concat_dim: Any = None, expand_nonconcat_dims: Any = None,
) -> SparseTensor:  # fmt: skip
    """Sparse tensors in a row along an axis. Their other sizes are equal, or with `expand_nonconcat_dim` the largest
    ones. As in TensorFlow, there is no gradient."""
    if expand_nonconcat_dims is not None:
        expand_nonconcat_dim = expand_nonconcat_dims
    xs = [as_sparse(x, "sp_inputs") for x in (sp_inputs if isinstance(sp_inputs, (list, tuple)) else [sp_inputs])]
    if len({x.dtype for x in xs}) != 1:
        raise TypeError(f"sparse_concat: expected values of one dtype, found {[x.dtype.name for x in xs]}")
    if len(xs) == 1:
        return xs[0]
    rank = _rank(xs[0], "sparse_concat")
    if any(len(x.static_shape or ()) != rank for x in xs):
        raise ValueError(f"sparse_concat: expected shapes of one rank, found {[str(x.shape) for x in xs]}")
    place = _axes_of(xs[0], int(axis if concat_dim is None else concat_dim), "sparse_concat")[0]
    merged: List[Any] = []
    for one in range(rank):
        known = {x.static_shape[one] for x in xs}
        if one != place and len(known - {None}) > 1 and not expand_nonconcat_dim:
            raise ValueError(f"sparse_concat: input shapes must match but for axis {place}, found "
                             f"{[str(x.shape) for x in xs]}")  # fmt: skip
        merged.append(None if None in known else sum(x.static_shape[one] for x in xs) if one == place else max(known))
    shape = _joined([x.dense_shape for x in xs], place, expand_nonconcat_dim)
    before: Any = None
    parts = []
    for x in xs:
        parts.append(x.indices if before is None else _moved(x.indices, before, place, rank))
        before = x.dense_shape[place] if before is None else before + x.dense_shape[place]
    made = SparseTensor(concat(parts, 0), concat([stop_gradient(x.values) for x in xs], 0), shape)
    made.static_shape = tuple(merged)
    return sparse_reorder(made, name)


def _joined(shapes: List[Tensor], place: int, is_largest: bool) -> Tensor:
    def emit(*given: Any) -> Any:
        total = _ops.sum(_ops.stack(list(given)), 0)
        first = given[0]
        for other in given[1:]:
            first = _ops.maximum(first, other)
        here = _ops.equal(_ops.arange(first._dims[0]), place)
        if not is_largest:
            for other in given:
                same = _ops.logical_or(_ops.equal(first, other), here)
                _checks.expect(_ops.all(same), f"sparse_concat: input shapes must match but for axis {place}")
        return _ops.where(here, total, first)

    found: Tensor = make("ConcatShape", emit, *shapes)
    return found


def _moved(indices: Tensor, by: Any, place: int, rank: int) -> Tensor:
    found: Tensor = make("Moved", lambda i, n: _ops.add(i, _ops.stack(
        [n if axis == place else _ops.zeros_like(n) for axis in range(rank)])), indices, by)  # fmt: skip
    return found


def _is_in_order(indices: Any) -> bool:
    """Returns true if each row of indices is above the one before in lexicographic order."""
    if len(indices) < 2:
        return True
    change = indices[1:] - indices[:-1]
    first = np.argmax(change != 0, 1)
    return bool((change[np.arange(len(change)), first] > 0).all())


def _merged_pair(a: Any, b: Any) -> Tuple[Any, Any]:
    """Returns the indices of two sparse tensors and which of these each of theirs is, as TensorFlow merges them: it
    takes the lower one of the first that are left, or both if they are equal. Indices out of order, and repeated ones,
    stay."""
    x, y = a.tolist(), b.tolist()
    rows: List[Any] = []
    group = np.empty(len(x) + len(y), np.int64)
    i = j = 0
    while i < len(x) or j < len(y):
        takes_x = j == len(y) or (i < len(x) and x[i] <= y[j])
        takes_y = i == len(x) or (j < len(y) and y[j] <= x[i])
        group[[i] * takes_x + [len(x) + j] * takes_y] = len(rows)
        rows.append(x[i] if takes_x else y[j])
        i, j = i + takes_x, j + takes_y
    return np.array(rows, np.int64).reshape(-1, a.shape[1]), group


def _merged(indices: Tensor, rank: int, others: Optional[Tensor] = None) -> Tuple[Tensor, Tensor, Tensor]:
    """Returns indices, and those of another sparse tensor, in order and each once, which of these each of the given
    ones is, and their number as a size."""

    def find(_: Any, *parts: Any) -> Any:
        if len(parts) == 2 and not all(map(_is_in_order, parts)):
            rows, group = _merged_pair(*parts)
            return rows, group, np.empty(len(rows), np.int8)
        i = np.concatenate(parts)
        if not len(i):
            return i, np.empty(0, np.int64), np.empty(0, np.int8)
        order = _in_order(i)
        rows = i[order]
        is_new = np.concatenate([[True], (rows[1:] != rows[:-1]).any(1)])
        group = np.empty(len(i), np.int64)
        group[order] = np.cumsum(is_new) - 1
        return rows[is_new], group, np.empty(int(is_new.sum()), np.int8)

    given = [indices] if others is None else [indices, others]
    count = None if None in map(_count, given) else sum(map(_count, given))
    types = [(_i64, (None, rank)), (_i64, (count,)), (_dtypes.int8, (None,))]
    own, group, like = (op.outputs[0] for op in host_call("SparseMerge", find, given, types))
    return own, group, make("SizeOf", lambda v: _ops.cast(_ops.shape(v)[0], _i64), like)


def _pair(a: Any, b: Any, what: str) -> Tuple[SparseTensor, SparseTensor]:
    x, y = as_sparse(a, "a"), as_sparse(b, "b")
    rank = _rank(x, what)
    _rank(y, what)
    if x.dtype != y.dtype:
        raise TypeError(f"{what}: values of {x.dtype.name} and of {y.dtype.name}: cast one of them")
    if rank != len(y.static_shape) or any(None not in (n, m) and n != m
                                          for n, m in zip(x.static_shape, y.static_shape)):  # fmt: skip
        raise ValueError(f"{what}: operands' shapes do not match, found {x.shape} and {y.shape}")
    return x, y


def _same_shape(x: SparseTensor, y: SparseTensor, what: str) -> Tensor:
    def emit(a: Any, b: Any) -> Any:
        _checks.expect(_ops.all(_ops.equal(a, b)), f"{what}: operands' shapes do not match")
        return a

    found: Tensor = x.dense_shape
    if None in x.static_shape or None in y.static_shape:
        found = make("SameShape", emit, x.dense_shape, y.dense_shape)
    return found


def _sizes_of_both(x: SparseTensor, y: SparseTensor) -> Any:
    both = [m if n is None else n for n, m in zip(x.static_shape, y.static_shape)]
    return None if None in both else both


def sparse_add(a: Any, b: Any, threshold: Any = None, thresh: Any = None) -> Any:
    """The sum of two sparse tensors, which is sparse, without elements whose absolute value is below `threshold`; of a
    sparse and a dense one, which is dense."""
    is_sparse = [isinstance(x, SparseTensor) or hasattr(x, "dense_shape") for x in (a, b)]
    if not any(is_sparse):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    least = thresh if threshold is None else threshold
    if not all(is_sparse):
        x, y = (a, b) if is_sparse[0] else (b, a)
        return TABLE["add"](placed(x, None, False, adds=True), as_tensor(y, as_sparse(x).dtype))
    x, y = _pair(a, b, "sparse_add")
    shape = _same_shape(x, y, "sparse_add")
    own, group, count = _merged(x.indices, len(x.static_shape), y.indices)
    values = unsorted_segment_sum(concat([x.values, y.values], 0), group, count)
    made = SparseTensor(own, values, shape).with_sizes(_sizes_of_both(x, y))
    made.static_shape = x.static_shape if made.static_shape is None else made.static_shape
    if least is None or not hasattr(least, "op") and not least:
        return made
    return sparse_retain(made, TABLE["greater_equal"](TABLE["abs"](values), as_tensor(least, x.dtype)))


def _of_two(kind: str, function: Any) -> Any:
    def op(sp_a: Any, sp_b: Any, name: Optional[str] = None) -> SparseTensor:
        x, y = _pair(sp_a, sp_b, kind)
        shape = _same_shape(x, y, kind)
        own, group, count = _merged(within_shape(x, kind), len(x.static_shape), within_shape(y, kind))
        numbers = make("Split", lambda g, v: (g[: _ops.dim(v, 0)], g[_ops.dim(v, 0) :]), group, x.values)
        values = function(*[unsorted_segment_sum(z.values, own_numbers, count)
                            for z, own_numbers in ((x, numbers[0]), (y, numbers[1]))])  # fmt: skip
        return SparseTensor(own, values, shape).with_sizes(_sizes_of_both(x, y))

    op.__name__ = op.__qualname__ = kind
    op.__doc__ = "Compares the elements of two sparse tensors, of which one that is not there is 0."
    return op


sparse_maximum = _of_two("sparse_maximum", TABLE["maximum"])
sparse_minimum = _of_two("sparse_minimum", TABLE["minimum"])


def _reduction(kind: str, function: Any) -> Any:
    def op(
        sp_input: Any, axis: Any = None, keepdims: Any = None, reduction_axes: Any = None, keep_dims: Any = None
    ) -> SparseTensor:
        x = as_sparse(sp_input)
        axes = _axes_of(x, reduction_axes if axis is None else axis, kind)
        keep, rank = bool(keepdims or keep_dims), len(x.static_shape)
        kept = [one for one in range(rank) if keep or one not in axes]
        sizes = [1 if one in axes else x.static_shape[one] for one in kept]
        indices = within_shape(x, kind)
        columns = [reshape(cast(indices[:, one], _i64) * (0 if one in axes else 1), [-1, 1]) for one in kept]
        if not kept:
            raise NotImplementedError(f"flywheel.v1.{kind} of all axes: a sparse tensor has at least one here; "
                                      f"{kind.rpartition('_')[0]} gives the number")  # fmt: skip
        own, group, count = _merged(concat(columns, 1), len(kept))
        shape = stack([constant(1, _i64) if one in axes else x.dense_shape[one] for one in kept])
        return SparseTensor(own, function(x.values, group, count), shape).with_sizes(
            sizes if None not in sizes else None).of_rank(len(kept))  # fmt: skip

    op.__name__ = op.__qualname__ = kind
    op.__doc__ = "As the reduction with a dense result; an element is there if one of its own is."
    return op


sparse_reduce_sum_sparse = _reduction("sparse_reduce_sum_sparse", unsorted_segment_sum)
sparse_reduce_max_sparse = _reduction("sparse_reduce_max_sparse", unsorted_segment_max)


def sparse_transpose(sp_input: Any, perm: Any = None, name: Optional[str] = None) -> SparseTensor:
    """The dimensions in another order, by default the opposite one; indices are in order."""
    x = as_sparse(sp_input)
    rank = _rank(x, "sparse_transpose")
    order = list(range(rank))[::-1] if perm is None else [int(one) for one in np.asarray(perm)]
    if sorted(order) != list(range(rank)):
        raise ValueError(f"sparse_transpose: expected a permutation of {rank} dimensions, found {order}")
    made = SparseTensor(gather(x.indices, order, axis=1), x.values, gather(x.dense_shape, order))
    return sparse_reorder(made.with_sizes([x.static_shape[one] for one in order]), name)


def sparse_reshape(sp_input: Any, shape: Any, name: Optional[str] = None) -> SparseTensor:
    """The same elements in another shape, of which one size may be -1."""
    x = as_sparse(sp_input)
    rank = _rank(x, "sparse_reshape")
    new = cast(as_tensor(shape), _i64)
    if not new.static_shape or new.static_shape[0] is None:
        raise ValueError("sparse_reshape: the number of dimensions of the new shape must be known")
    literal = as_tensor(shape).op.fields.literal
    sizes: List[Any] = [None if literal is None or literal[i] < 0 else int(literal[i])
                        for i in range(new.static_shape[0])]  # fmt: skip
    if sizes.count(None) == 1 and None not in x.static_shape and 0 not in sizes and literal is not None:
        rest = int(np.prod([n for n in sizes if n is not None]))
        sizes = [int(np.prod(x.static_shape)) // rest if n is None else n for n in sizes]

    def whole(old: Any, wanted: Any) -> Any:
        total = _ops.prod(old)
        is_open = _ops.less(wanted, 0)
        rest = _ops.prod(_ops.where(is_open, 1, wanted))
        _checks.expect(_ops.less_equal(_ops.sum(_ops.cast(is_open, _i64)), 1),
                       "sparse_reshape: expected at most one size of -1")  # fmt: skip
        found = _ops.where(is_open, _ops.floor_divide(total, _ops.maximum(rest, 1)), wanted)
        _checks.expect(_ops.equal(_ops.prod(found), total), "sparse_reshape: Input to reshape has another number of "
                       "elements than the requested shape")  # fmt: skip
        return found

    goal = make("SparseReshapeShape", whole, x.dense_shape, new)
    flat = flat_indices(within_shape(x, "sparse_reshape"), [x.dense_shape[axis] for axis in range(rank)],
                        list(range(rank)))  # fmt: skip

    def emit(place: Any, n: Any) -> Any:
        columns: List[Any] = []
        for axis in reversed(range(n._dims[0])):
            own = _ops.maximum(n[axis], 1)
            columns.insert(0, _ops.mod(place, own) if axis else place)
            place = _ops.floor_divide(place, own)
        return _ops.stack(columns, 1)

    known = None if None in sizes else sizes
    made = SparseTensor(make("SparseReshape", emit, flat, goal, name=name), x.values,
                        goal if known is None else np.array(known, np.int64))  # fmt: skip
    if known is None:
        made.static_shape = tuple(sizes)
    return made


def sparse_softmax(sp_input: Any, name: Optional[str] = None) -> SparseTensor:
    """The softmax of the elements that are there, along the last dimension."""
    x = as_sparse(sp_input)
    rank = _rank(x, "sparse_softmax")
    if rank < 2:
        raise ValueError(f"sparse_softmax: expected at least 2 dimensions, found shape {x.shape}")
    _, group, count = _merged(x.indices[:, : rank - 1], rank - 1)
    largest = gather(unsorted_segment_max(stop_gradient(x.values), group, count), group)
    powers = TABLE["exp"](x.values - largest)
    return of_values(x, TABLE["divide"](powers, gather(unsorted_segment_sum(powers, group, count), group), name=name))


def sparse_fill_empty_rows(
    sp_input: Any, default_value: Any, name: Optional[str] = None
) -> Tuple[SparseTensor, Tensor]:
    """A sparse tensor that has `default_value` in the first column of rows without an element, and which rows those
    are."""
    x = as_sparse(sp_input)
    rank = _rank(x, "sparse_fill_empty_rows")
    default = as_tensor(default_value, x.dtype)

    def find(_: Any, i: Any, shape: Any) -> Any:
        if len(i) and not 0 <= i[:, 0].min() <= i[:, 0].max() < shape[0]:
            raise InvalidArgument(f"sparse_fill_empty_rows: an index is out of bounds: need 0 <= index < {shape[0]}")
        empty = np.ones(int(shape[0]), bool)
        empty[i[:, 0]] = False
        more = np.zeros((int(empty.sum()), rank), np.int64)
        more[:, 0] = np.flatnonzero(empty)
        every = np.concatenate([i, more])
        order = np.argsort(every[:, 0], kind="stable")
        # The default value comes behind all others.
        return every[order], np.minimum(order, len(i)).astype(np.int64), empty

    types = [(_i64, (None, rank)), (_i64, (None,)), (_dtypes.bool_, (x.static_shape[0],))]
    own, places, empty = (op.outputs[0] for op in host_call(
        "SparseFillEmptyRows", find, [x.indices, x.dense_shape], types, name))  # fmt: skip
    values = gather(concat([x.values, reshape(default, [1])], 0), places)
    return SparseTensor(own, values, x.dense_shape).with_sizes(x._sizes or x.static_shape), empty


def sparse_to_indicator(sp_input: Any, vocab_size: int, name: Optional[str] = None) -> Tensor:
    """[..., vocab_size] of booleans: the values of the last dimension are places that are true."""
    x = as_sparse(sp_input)
    rank = _rank(x, "sparse_to_indicator")
    own = concat([x.indices[:, : rank - 1], reshape(cast(x.values, _i64), [-1, 1])], 1)
    shape = stack([*[x.dense_shape[axis] for axis in range(rank - 1)], constant(vocab_size, _i64)])
    numbers = make("ones", lambda v: _ops.ones([_ops.dim(v, 0)], _dtypes.int32), x.values)
    sizes = [*(x._sizes or x.static_shape)[:-1], int(vocab_size)]
    dense = sparse_tensor_to_dense(SparseTensor(own, numbers, shape).with_sizes(sizes), 0, False)
    found: Tensor = TABLE["not_equal"](dense, 0, name=name)
    return found


def sparse_reset_shape(sp_input: Any, new_shape: Any = None) -> SparseTensor:
    """The same elements in a shape that is larger, or by default just large enough."""
    x = as_sparse(sp_input)
    rank = _rank(x, "sparse_reset_shape")
    if new_shape is None:
        def bounds(_: Any, i: Any) -> Any:
            return i.max(0) + 1 if len(i) else np.zeros(rank, np.int64)

        return SparseTensor(x.indices, x.values, host_call("ResetShape", bounds, [x.indices],
                                                           [(_i64, (rank,))])[0].outputs[0])  # fmt: skip
    known = plain_shape(new_shape) if not hasattr(new_shape, "op") else None
    if known is not None and len(known) != rank:
        raise ValueError(f"sparse_reset_shape: expected a shape of {rank} sizes, found {list(known)}")

    def emit(old: Any, new: Any) -> Any:
        _checks.expect(_ops.all(_ops.less_equal(old, new)), "sparse_reset_shape: the new shape is smaller")
        return new

    shape = make("ResetShape", emit, x.dense_shape, cast(as_tensor(new_shape), _i64))
    return SparseTensor(x.indices, x.values, shape).with_sizes(known)


def sparse_expand_dims(sp_input: Any, axis: Any = None, name: Optional[str] = None) -> SparseTensor:
    """A sparse tensor with a dimension of size 1 more, by default the last one."""
    x = as_sparse(sp_input)
    rank = _rank(x, "sparse_expand_dims")
    place = -1 if axis is None else int(axis)
    if not -rank - 1 <= place <= rank:
        raise ValueError(f"sparse_expand_dims: axis {place} is not in [{-rank - 1}, {rank}]")
    place %= rank + 1
    i, n = x.indices, x.dense_shape
    zero = make("zeros", lambda v: _ops.zeros([_ops.dim(v, 0), 1], _i64), x.values)
    own = concat([i[:, :place], zero, i[:, place:]], 1)
    sizes = list(x._sizes or x.static_shape)
    shape = concat([n[:place], ones([1], _i64), n[place:]], 0)
    return SparseTensor(own, x.values, shape).with_sizes([*sizes[:place], 1, *sizes[place:]])


def sparse_eye(
    num_rows: int, num_columns: Optional[int] = None, dtype: Any = _dtypes.float32, name: Optional[str] = None
) -> SparseTensor:
    """A matrix with ones on its diagonal."""
    columns = num_rows if num_columns is None else num_columns
    count = min(int(num_rows), int(columns))
    return SparseTensor(np.repeat(np.arange(count), 2).reshape(-1, 2), ones([count], dtype),
                        np.array([num_rows, columns], np.int64))  # fmt: skip


def sparse_from_dense(tensor: Any, name: Optional[str] = None) -> SparseTensor:
    """The elements that are not 0."""
    from .arrays import gather_nd
    from .host_ops import places_where
    from .ops import shape

    x = as_tensor(tensor)
    indices = places_where(TABLE["not_equal"](x, as_tensor(0, x.dtype)))
    made = SparseTensor(indices, gather_nd(x, indices), shape(x, out_type=_i64))
    return made.with_sizes(x.static_shape if x.static_shape and None not in x.static_shape else None)


def safe_embedding_lookup_sparse(
    embedding_weights: Any, sparse_ids: Any, sparse_weights: Any = None, combiner: str = "mean",
    default_id: Any = None, name: Optional[str] = None, partition_strategy: str = "div", max_norm: Any = None,
) -> Tensor:  # fmt: skip
    """See `embedding_lookup_sparse`; ids below 0 and weights of 0 or less are left out, and a row of none has the
    vector of `default_id`, or zeros."""
    from .sparse_ops import embedding_lookup_sparse

    ids = as_sparse(sparse_ids, "sparse_ids")
    if _rank(ids, "safe_embedding_lookup_sparse") != 2:
        raise NotImplementedError("flywheel.v1.nn.safe_embedding_lookup_sparse of ids of more than 2 dimensions: "
                                  "tf.sparse_reshape makes them a matrix")  # fmt: skip
    weights = None if sparse_weights is None else as_sparse(sparse_weights, "sparse_weights")
    is_valid = TABLE["greater_equal"](ids.values, as_tensor(0, ids.dtype))
    if weights is not None and combiner != "sum":
        is_valid = TABLE["logical_and"](is_valid, TABLE["greater"](weights.values, as_tensor(0, weights.dtype)))
    ids = sparse_retain(ids, is_valid)
    ids, is_empty = sparse_fill_empty_rows(ids, default_id or 0)
    if weights is not None:
        weights = sparse_fill_empty_rows(sparse_retain(weights, is_valid), 1)[0]
    found = embedding_lookup_sparse(embedding_weights, ids, weights, partition_strategy, None, combiner, max_norm)
    if default_id is not None:
        return found

    def emit(e: Any, y: Any) -> Any:
        return _ops.where(_ops.reshape(e, [-1, *[1] * (y.ndim - 1)]), _ops.zeros_like(y), y)

    made: Tensor = make("EmptyRows", emit, is_empty, found, name=name)
    return made


__all__ = [
    "sparse_add", "sparse_concat", "sparse_fill_empty_rows", "sparse_maximum", "sparse_minimum",
    "sparse_reduce_max_sparse", "sparse_reduce_sum_sparse", "sparse_reorder", "sparse_reset_shape", "sparse_reshape",
    "sparse_retain", "sparse_slice", "sparse_softmax", "sparse_split", "sparse_to_indicator", "sparse_transpose",
]  # fmt: skip

# Names in `tf.nn`.
NN = ("safe_embedding_lookup_sparse",)

# Names in `tf.sparse` of functions that are not in `tf`.
SPARSE = {"eye": sparse_eye, "expand_dims": sparse_expand_dims, "from_dense": sparse_from_dense}
