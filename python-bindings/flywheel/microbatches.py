# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A batch in parts, one after the other, in one step."""

import functools
from typing import Any, Callable, List, Optional, Sequence, Tuple, Union

from . import _ops
from ._core import dtypes as _dtypes
from ._core import tree as _tree
from ._core.tensor import Tensor, as_tensor, format_shape
from ._errors.messages import about
from ._ops.checks import expect_multiple
from ._ops.emission import Size, index_op, normalize_axis, sizes
from ._ops.indexing import scalar_at
from ._ops.shapes import reshape_to
from .control import probe, scan

InAxes = Union[int, None, Sequence[Optional[int]]]


def microbatch(
    function: Callable[..., Any], count: int, *, in_axes: InAxes = 0, reduction: str = "mean"
) -> Callable[..., Any]:
    """A function that computes what `function` does of a batch from `count` equal parts
    of it, one after the other, so that no more than one part's activations are in memory.

    Results are a tree of tensors, of which each is the mean over the parts, or with `reduction` "sum" the sum;
    integers, such as numbers of hits, are always summed. For a loss that is a mean over examples, and for its gradient,
    the result equals that of the whole batch. Sums of float16 and bfloat16 are made in float32.

        step = flywheel.microbatch(flywheel.value_and_grad(loss, variables=weights), 8)
        value, gradients = step(image, label)
        optimizer.apply_gradients(zip(gradients, weights))

    `in_axes` says which dimension of the arguments is the batch: one number for all, or one for each argument; None is
    for an argument that all parts share. Assignments of the function are executed in each part. Raises ValueError for a
    batch that `count` does not divide (if its size is known at run time only, the call fails and changes nothing), for
    an argument without that dimension, and for results that are not of static shapes.
    """
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise ValueError(f"expected a number of parts of at least 1, found {count!r}")
    if reduction not in ("mean", "sum"):
        raise ValueError(f"expected reduction 'mean' or 'sum', found '{reduction}'")

    @functools.wraps(function)
    def wrapped(*args: Any) -> Any:
        axes: List[Optional[int]] = (
            list(in_axes) if isinstance(in_axes, (list, tuple)) else [in_axes] * len(args)  # type: ignore[list-item]
        )
        if len(axes) != len(args):
            raise ValueError(f"expected an axis for each of {len(args)} arguments, found {len(axes)}")
        if all(axis is None for axis in axes):
            raise about("microbatch", ValueError("needs an argument with an axis"), " ")
        split, forms, own = _split_all(args, axes, count)
        found: List[Tuple[Any, List[Tensor]]] = []

        def part(slices: List[Tensor]) -> List[Tensor]:
            rest = iter(slices)
            whole = [next(rest) if axis is not None else x for x, axis in zip(split, own)]
            moved = [x if not axis else _ops.moveaxis(x, 0, axis) for x, axis in zip(whole, own)]
            leaves, spec = _tree.flatten(function(*_tree.unflatten(forms, moved)))
            results = [as_tensor(leaf) for leaf in leaves]
            for y in results:
                if not (_dtypes.is_floating(y.dtype) or _dtypes.is_integer(y.dtype)):
                    raise about("microbatch", TypeError(f"sums numbers, found {_dtypes.name_of(y.dtype)}"), " ")
            found[:] = [(spec, results)]
            return results

        inputs = [x for x, axis in zip(split, own) if axis is not None]
        zeros = [_ops.full(_static_sizes(y), 0, _sum_dtype(y.dtype))
                 for y in probe([], lambda index, _: part([scalar_at(x, index) for x in inputs]))]  # fmt: skip

        def body(sums: List[Tensor], slices: List[Tensor]) -> Tuple[List[Tensor], None]:
            return [_ops.add(s, _ops.cast(y, s.dtype)) for s, y in zip(sums, part(slices))], None

        sums, _ = scan(body, zeros, inputs)
        spec, results = found[0]
        finished = [_finish(s, y.dtype, count if reduction == "mean" else 1) for s, y in zip(sums, results)]
        return _tree.unflatten(spec, finished)

    return wrapped


def _split_all(args: Sequence[Any], axes: Sequence[Optional[int]], count: int) -> Tuple[List[Tensor], Any, List[Any]]:
    """Returns all leaves, those with an axis as `count` parts of it in a leading dimension; their form; and the axis of
    each."""
    leaves, forms = _tree.flatten(tuple(args))
    own = [axis for axis, arg in zip(axes, args) for _ in _tree.flatten(arg)[0]]
    split: List[Tensor] = []
    places: List[Optional[int]] = []
    for leaf, axis in zip(leaves, own):
        x = as_tensor(leaf)
        if axis is None:
            split.append(x)
            places.append(None)
            continue
        if x.ndim == 0:
            raise ValueError("microbatch takes parts of a dimension: a scalar has none")
        place = normalize_axis(axis, x.ndim)
        split.append(_split(_ops.moveaxis(x, place, 0) if place else x, count))
        places.append(place)
    return split, forms, places


def _split(x: Tensor, count: int) -> Tensor:
    batch = x._dims[0]
    if batch is not None and batch % count:
        raise ValueError(f"microbatch takes {count} equal parts: a batch of {batch} (shape "
                         f"{format_shape(x._dims)}) has none")  # fmt: skip
    all_sizes: List[Size] = sizes(x)
    expect_multiple(all_sizes[0], count, f"microbatch: a batch in {count} equal parts")
    return reshape_to(x, [count, index_op("divsi", all_sizes[0], count), *all_sizes[1:]])


def _static_sizes(y: Tensor) -> List[int]:
    found = [n for n in y._dims if n is not None]
    if len(found) < y.ndim:
        raise ValueError(f"expected a result of static sizes from each part, found {format_shape(y._dims)}")
    return found


def _sum_dtype(dtype: _dtypes.DType) -> _dtypes.DType:
    return _dtypes.float32 if dtype in (_dtypes.float16, _dtypes.bfloat16) else dtype


def _finish(total: Tensor, dtype: _dtypes.DType, count: int) -> Tensor:
    if count > 1 and _dtypes.is_floating(dtype):
        total = _ops.divide(total, as_tensor(count, total.dtype))
    return _ops.cast(total, dtype)
