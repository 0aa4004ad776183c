# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors with other slices at places, put together, in batches, and with checked shapes."""

from typing import Any, Callable, List, Optional, Sequence

import numpy as np

from .. import _ops
from .. import nn as traced
from .._core import dtypes as _dtypes
from .._errors.messages import about
from .._ops import checks as _checks
from .._ops import emission as _emission
from .arrays import flat_places
from .conversion import as_tensor, dtype_of, make
from .elementwise import TABLE
from .graph import get_default_graph
from .nn_convolutions import batch_to_space_nd, space_to_batch_nd
from .operation import Tensor
from .ops import cast, identity, shape, where
from .shapes import TensorShape, plain_shape


def _at(kind: str, function: Callable[[Any, Any, Any], Any], words: str) -> Callable[..., Any]:
    def op(tensor: Any, indices: Any, updates: Any, name: Optional[str] = None) -> Any:
        x, index, u = as_tensor(tensor), as_tensor(indices), as_tensor(updates)
        u = u if u.dtype == as_tensor(tensor).dtype else as_tensor(updates, as_tensor(tensor).dtype)
        depth = index.static_shape[-1] if index.static_shape else None
        if depth is None:
            raise about(kind, ValueError(f"how many dimensions an index has must be known, found shape {index.shape}"))

        def emit(y: Any, i: Any, v: Any) -> Any:
            whole: List[Any] = [_ops.dim(y, axis) if n is None else n for axis, n in enumerate(y._dims)]
            rest = whole[depth:]
            places = flat_places(_ops.reshape(i, [-1, depth]), y, depth)
            flat = function(_ops.reshape(y, [-1, *rest]), places, _ops.reshape(v, [-1, *rest]))
            return _ops.reshape(flat, whole)

        return make(kind, emit, x, index, u, name=name)

    op.__name__ = op.__qualname__ = kind
    op.__doc__ = f"The tensor with slices {words} at indices [..., depth] of its first dimensions."
    return op


tensor_scatter_update = _at("tensor_scatter_update", lambda x, i, u: traced.scatter(x, i, u, 0), "replaced")
tensor_scatter_add = _at("tensor_scatter_add", lambda x, i, u: traced.scatter_add(x, i, u, 0), "added")
tensor_scatter_sub = _at(
    "tensor_scatter_sub", lambda x, i, u: traced.scatter_add(x, i, _ops.negative(u), 0), "subtracted"
)
tensor_scatter_nd_update, tensor_scatter_nd_add = tensor_scatter_update, tensor_scatter_add
tensor_scatter_nd_sub = tensor_scatter_sub


def batch_gather(params: Any, indices: Any, name: Optional[str] = None) -> Any:
    """The slices of each batch at its indices [..., count], along the last of their dimensions."""
    x, i = as_tensor(params), as_tensor(indices)

    def emit(y: Any, places: Any) -> Any:
        axis = places.ndim - 1
        if y.ndim < places.ndim or axis < 0:
            raise about("batch_gather", ValueError("expected params of as many dimensions as indices have, found "
                                                   f"{y.ndim} and {places.ndim}"))  # fmt: skip
        for one in range(axis):
            _checks.expect_equal(_emission.size(places, one), _emission.size(y, one), f"batch_gather: dimension {one}")
        sizes = [_ops.dim(places, one) for one in range(places.ndim)]
        more = [1] * (y.ndim - places.ndim)
        wide = _ops.reshape(places, [*sizes, *more])
        if more:
            wide = _ops.broadcast_to(wide, [*sizes, *[_ops.dim(y, one) for one in range(places.ndim, y.ndim)]])
        return _ops.take_along_axis(y, wide, axis)

    return make("batch_gather", emit, x, i, name=name)


def dynamic_stitch(indices: Sequence[Any], data: Sequence[Any], name: Optional[str] = None) -> Any:
    """The slices of lists of tensors at their indices in the result, whose length is the largest index and 1. The later
    one of two slices at one index is taken."""
    from .sizes import as_size

    places = [as_tensor(i) for i in indices]
    slices = [as_tensor(x) for x in data]
    if len(places) != len(slices) or not places:
        raise about("dynamic_stitch", ValueError(f"expected as many indices as data, found {len(places)} and "
                                                 f"{len(slices)}"))  # fmt: skip
    form = slices[0].static_shape
    rank = None if places[0].static_shape is None else len(places[0].static_shape)
    if form is None or rank is None or None in form[rank:]:
        raise about("dynamic_stitch", ValueError("the shapes of slices must be known"))
    rest = [int(n or 0) for n in form[rank:]]
    flat = make("concat", lambda *xs: _ops.concatenate([_ops.reshape(x, [-1]) for x in xs], 0), *places)
    rows = make("concat", lambda *xs: _ops.concatenate([_ops.reshape(x, [-1, *rest]) for x in xs], 0), *slices)
    literals: List[Any] = [i.op.fields.literal for i in places]
    if all(one is not None for one in literals):
        count: Any = max((int(np.max(one)) + 1 for one in literals if np.size(one)), default=0)
    else:
        count = as_size(TABLE["reduce_max"](flat) + 1)

    def emit(i: Any, x: Any, n: Any) -> Any:
        return traced.scatter(_ops.zeros([n, *rest], x.dtype), i, x, 0)

    return make("DynamicStitch", emit, flat, rows, count, name=name)


def parallel_stack(values: Any, name: str = "parallel_stack") -> Any:
    """See `stack`, along a new first dimension."""
    from .ops import stack

    return stack(values, 0, name)


def ensure_shape(x: Any, shape: Any, name: Optional[str] = None) -> Any:
    """The tensor, of this shape: another one is an error, of the run where sizes are open."""
    y, wanted = as_tensor(x), plain_shape(shape)
    if wanted is None:
        return identity(y, name)
    known = y.static_shape
    if known is not None and (
        len(known) != len(wanted) or any(None not in (a, b) and a != b for a, b in zip(known, wanted))
    ):
        raise ValueError(f"Shapes {y.shape} and {TensorShape(wanted)} of '{y.name}' are incompatible")

    def emit(v: Any) -> Any:
        if v.ndim != len(wanted):
            raise about("ensure_shape", ValueError(f"expected {len(wanted)} dimensions, found {v.ndim}"))
        for axis, n in enumerate(wanted):
            if n is not None:
                _checks.expect_equal(_emission.size(v, axis), n, f"ensure_shape: dimension {axis} of '{y.name}'")
        return v

    merged = tuple(wanted) if known is None else tuple(a if b is None else b for a, b in zip(known, wanted))
    return make("EnsureShape", emit, y, name=name, types=[(y.dtype, merged)])


def identity_n(input: Any, name: Optional[str] = None) -> List[Any]:
    """The same tensors, in new ops."""
    return [identity(x, name) for x in input]


def guarantee_const(input: Any, name: Optional[str] = None) -> Any:
    """The tensor."""
    return identity(input, name)


def shape_n(input: Any, out_type: Any = _dtypes.int32, name: Optional[str] = None) -> List[Any]:
    """The shapes of tensors."""
    return [shape(x, name, out_type) for x in input]


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """The shape of an op of tensors of these two. Raises ValueError if they do not broadcast."""
    a, b = plain_shape(shape_x), plain_shape(shape_y)
    if a is None or b is None:
        return TensorShape(None)
    rank, found = max(len(a), len(b)), []
    for m, n in zip((1,) * (rank - len(a)) + tuple(a), (1,) * (rank - len(b)) + tuple(b)):
        if None not in (m, n) and m != n and 1 not in (m, n):
            raise ValueError(f"Incompatible shapes for broadcasting: {TensorShape(a)} and {TensorShape(b)}")
        known = [size for size in (m, n) if size not in (None, 1)]
        found.append(known[0] if known else None if None in (m, n) else 1)
    return TensorShape(found)


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Any:
    """The shape of an op of tensors of two shapes, which are vectors of known length."""
    a, b = as_tensor(shape_x), as_tensor(shape_y)

    def emit(x: Any, y: Any) -> Any:
        rank = max(x._dims[0], y._dims[0])
        x, y = (_ops.concatenate([np.ones(rank - v._dims[0], v.dtype), v], 0) for v in (x, y))
        one = _ops.ones_like(x)
        fits = _ops.logical_or(_ops.equal(x, y), _ops.logical_or(_ops.equal(x, one), _ops.equal(y, one)))
        _checks.expect(_ops.all(fits), "broadcast_dynamic_shape: Incompatible shapes")
        return _ops.where(_ops.equal(x, one), y, x)

    return make("BroadcastArgs", emit, a, b)


def space_to_batch(
    input: Any, paddings: Any, block_size: Any = None, name: Optional[str] = None, block_shape: Any = None
) -> Any:
    """See `space_to_batch_nd`, with one size of blocks for height and width."""
    sizes = [block_size, block_size] if block_shape is None else block_shape
    return space_to_batch_nd(input, sizes, paddings, name)


def batch_to_space(input: Any, crops: Any, block_size: int, name: Optional[str] = None, block_shape: Any = None) -> Any:
    """See `batch_to_space_nd`, with one size of blocks for height and width."""
    sizes = [block_size, block_size] if block_shape is None else block_shape
    return batch_to_space_nd(input, sizes, crops, name)


def required_space_to_batch_paddings(
    input_shape: Any, block_shape: Any, base_paddings: Any = None, name: Optional[str] = None
) -> Any:
    """The least paddings that make sizes divisible by blocks, and the crops that undo them, as arrays."""
    sizes, blocks = np.asarray(input_shape), np.asarray(block_shape)
    base = np.zeros((len(blocks), 2), np.int32) if base_paddings is None else np.asarray(base_paddings)
    more = -(sizes + base.sum(1)) % blocks
    zero = np.zeros_like(more)
    crops, pads = np.stack([zero, more], 1), np.stack([base[:, 0], base[:, 1] + more], 1)
    return as_tensor(pads.astype(np.int32)), as_tensor(crops.astype(np.int32))


def floor_div(x: Any, y: Any, name: Optional[str] = None) -> Any:
    return TABLE["floordiv"](x, y, name=name)


def bitcast(input: Any, type: Any, name: Optional[str] = None) -> Any:
    """The bits of the elements as a dtype of the same width, for numbers that are known."""
    x, kind = as_tensor(input), dtype_of(type)
    literal = x.op.fields.literal
    if literal is None or x.dtype.dtype.itemsize != kind.itemsize:
        raise about("flywheel.v1.bitcast", NotImplementedError("of constants, to a dtype of the same width"))
    return as_tensor(literal.view(kind))


def reverse_v2(tensor: Any, axis: Any, name: Optional[str] = None) -> Any:
    """See `reverse`."""
    from .arrays import reverse

    return reverse(tensor, axis, name)


def where_v2(condition: Any, x: Any = None, y: Any = None, name: Optional[str] = None) -> Any:
    """See `where`; the condition and the two tensors broadcast."""
    if x is None and y is None:
        return where(condition, name=name)
    a, b = as_tensor(x), as_tensor(y)
    return make("SelectV2", _ops.where, as_tensor(condition), a, b, name=name)


def is_numeric_tensor(tensor: Any) -> bool:
    """Returns true for a tensor of numbers."""
    if not hasattr(tensor, "op") or not hasattr(tensor, "dtype"):
        return False
    kind = dtype_of(tensor.dtype)
    return bool(_dtypes.is_integer(kind) or _dtypes.is_floating(kind))


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The elements of a constant as an array; None of others. `partial` has no effect: None stands for all elements."""
    return tensor.op.fields.literal if isinstance(tensor, Tensor) else None


def count_up_to(ref: Any, limit: int, name: Optional[str] = None) -> Any:
    """The value of a variable, which is one more after the run; a run of one that is `limit` is an error."""
    graph = get_default_graph()
    before = identity(ref)

    def emit(x: Any) -> Any:
        _checks.expect(_ops.less(x, limit), f"count_up_to: '{ref.op.name}' reached its limit of {limit}")
        return x

    checked = make("CountUpTo", emit, before, name=name)
    with graph.control_dependencies([checked]):
        added = ref.assign(TABLE["add"](checked, cast(1, checked.dtype)))
    with graph.control_dependencies([added]):
        return identity(checked)


__all__ = [
    "batch_gather",
    "batch_to_space",
    "bitcast",
    "broadcast_dynamic_shape",
    "broadcast_static_shape",
    "count_up_to",
    "dynamic_stitch",
    "ensure_shape",
    "floor_div",
    "get_static_value",
    "guarantee_const",
    "identity_n",
    "is_numeric_tensor",
    "parallel_stack",
    "required_space_to_batch_paddings",
    "reverse_v2",
    "shape_n",
    "space_to_batch",
    "tensor_scatter_add",
    "tensor_scatter_nd_add",
    "tensor_scatter_nd_sub",
    "tensor_scatter_nd_update",
    "tensor_scatter_sub",
    "tensor_scatter_update",
    "where_v2",
]
