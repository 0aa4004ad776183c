# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops whose results have sizes that depend on values, and functions of the program."""

from typing import Any, Callable, List, Optional

import numpy as np

from .._core import dtypes as _dtypes
from .._errors.messages import about
from .conversion import as_tensor, constant, dtype_of, make
from .elementwise import TABLE
from .host_calls import host_call
from .operation import Tensor
from .ops import gather, reshape, shape
from .random_ops import generator_of

_i64 = _dtypes.int64


def places_where(condition: Any, name: Optional[str] = None) -> Tensor:
    """[count, rank], int64: where the elements hold, or are not 0, in order."""
    x = as_tensor(condition)
    if x.op.fields.literal is not None:
        return constant(np.argwhere(x.op.fields.literal).astype(np.int64), name=name or "Where")
    if x.static_shape is None:
        raise ValueError("Number of dimensions of the condition of tf.where must be known")
    types = [(_i64, (None, len(x.static_shape)))]
    return host_call("Where", lambda _, c: np.argwhere(c).astype(np.int64), [x], types, name)[0].outputs[0]


def boolean_mask(tensor: Any, mask: Any, name: str = "boolean_mask", axis: int = 0) -> Tensor:
    """The slices of a tensor where a mask of its leading dimensions, or of those from `axis` on, holds."""
    x, m = as_tensor(tensor), as_tensor(mask)
    if m.static_shape is None or x.static_shape is None:
        raise ValueError("Number of mask dimensions must be specified, even if some dimensions are None. E.g. "
                         "shape=[None] is ok, but shape=None is not.")  # fmt: skip
    rank = len(m.static_shape)
    if rank == 0:
        raise ValueError("mask cannot be scalar.")
    if not m.dtype.is_bool:
        raise about("boolean_mask", TypeError(f"takes a mask of booleans, found {_dtypes.name_of(m.dtype)}"), " ")
    axis = axis + len(x.static_shape) if axis < 0 else axis
    own = x.static_shape[axis : axis + rank]
    if len(own) != rank or any(None not in (a, b) and a != b for a, b in zip(own, m.static_shape)):
        raise ValueError(f"Shapes {x.shape} of the tensor and {m.shape} of its mask are incompatible")
    if rank > 1:
        sizes = shape(x)
        old = [sizes[i] if n is None else n for i, n in enumerate(x.static_shape)]
        x, m = reshape(x, [*old[:axis], -1, *old[axis + rank :]]), reshape(m, [-1])
    # One more dimension of the same places: those of a vector.
    rows = make("Squeeze", lambda i: i[:, 0], places_where(m))
    found: Tensor = gather(x, rows, axis=axis, name=name)
    return found


def py_func(
    func: Callable[..., Any], inp: Any, Tout: Any, stateful: bool = True, name: Optional[str] = None  # noqa: N803
) -> Any:
    """The results of a function of arrays, which Python calls in each run that needs it, before variables are
    written. `stateful` has no effect: no call is left out or shared."""
    is_list = isinstance(Tout, (list, tuple))
    kinds = [dtype_of(one) for one in (Tout if is_list else [Tout])]

    def call(_: Any, *arrays: Any) -> List[Any]:
        made = func(*[a[()] if a.ndim == 0 else a for a in arrays])
        results = list(made) if isinstance(made, (list, tuple)) and len(kinds) != 1 else [made]
        if is_list and len(kinds) == 1 and isinstance(made, (list, tuple)) and len(made) == 1:
            results = [made[0]]
        return [] if not kinds else [np.asarray(one) for one in results]

    ops = host_call("PyFunc", call, [as_tensor(x) for x in inp], [(kind, None) for kind in kinds], name)
    if not kinds:
        return ops[0]
    outputs = [op.outputs[0] for op in ops]
    return outputs if is_list else outputs[0]


def numpy_function(func: Callable[..., Any], inp: Any, Tout: Any, name: Optional[str] = None) -> Any:  # noqa: N803
    """See `py_func`."""
    return py_func(func, inp, Tout, True, name)


def py_function(func: Callable[..., Any], inp: Any, Tout: Any, name: Optional[str] = None) -> Any:  # noqa: N803
    """See `py_func`: the function gets arrays, and has no gradient."""
    return py_func(func, inp, Tout, True, name)


def unique(x: Any, out_idx: Any = _dtypes.int32, name: Optional[str] = None) -> Any:
    """The elements of a vector, each once, as they come first, and for each of x which one of these it is."""
    return unique_with_counts(x, out_idx, name)[:2]


def unique_with_counts(x: Any, out_idx: Any = _dtypes.int32, name: Optional[str] = None) -> Any:
    """As `unique`, and the count of each of them."""
    v, kind = as_tensor(x), dtype_of(out_idx)

    def call(_: Any, a: Any) -> Any:
        values, first, inverse, counts = np.unique(
            a, return_index=True, return_inverse=True, return_counts=True, equal_nan=False)  # fmt: skip
        order = np.argsort(first, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        return values[order], rank[inverse.reshape(-1)].astype(kind), counts[order].astype(kind)

    types = [(v.dtype, (None,)), (kind, v.static_shape), (kind, (None,))]
    return tuple(op.outputs[0] for op in host_call("Unique", call, [v], types, name))


def setdiff1d(x: Any, y: Any, index_dtype: Any = _dtypes.int32, name: Optional[str] = None) -> Any:
    """The elements of x that are not in y, and where they are."""
    a, b, kind = as_tensor(x), as_tensor(y), dtype_of(index_dtype)

    def call(_: Any, one: Any, other: Any) -> Any:
        places = np.flatnonzero(~np.isin(one, other))
        return one[places], places.astype(kind)

    types = [(a.dtype, (None,)), (kind, (None,))]
    return tuple(op.outputs[0] for op in host_call("ListDiff", call, [a, b], types, name))


def dynamic_partition(data: Any, partitions: Any, num_partitions: int, name: Optional[str] = None) -> List[Tensor]:
    """The slices of each of `num_partitions` parts."""
    return [boolean_mask(data, TABLE["equal"](partitions, i), name=name or "DynamicPartition")
            for i in range(num_partitions)]  # fmt: skip


def random_shuffle(value: Any, seed: Any = None, name: Optional[str] = None) -> Tensor:
    """The slices of the first dimension in an order that is drawn in each run."""
    x = as_tensor(value)
    draw = generator_of("RandomShuffle", seed)
    count = shape(x)[0]
    types = [(_dtypes.int32, (x.static_shape[0] if x.static_shape else None,))]
    order = host_call("RandomShuffle", lambda s, n: draw(s).permutation(int(n)).astype(np.int32), [count], types)
    found: Tensor = gather(x, order[0].outputs[0], name=name)
    return found


__all__ = [
    "boolean_mask", "dynamic_partition", "numpy_function", "py_func", "py_function", "random_shuffle", "setdiff1d",
    "unique", "unique_with_counts",
]  # fmt: skip
