# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Indices of several dimensions as indices of one, and updates at indices."""

from typing import Any, Callable, List, Optional, Sequence, Tuple

import numpy as np

from .. import _ops
from .. import control as control
from .. import nn as nn
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, as_tensor, format_shape
from .._ops.emission import sizes, stretch
from .._ops.indexing import checked, scalar_at
from .._ops.shapes import _product, reshape_to


def _static(dim_sizes: Sequence[Optional[int]], x: Tensor) -> List[int]:
    """Returns the sizes as numbers. Raises ValueError if only the call knows one."""
    known = [dim_size for dim_size in dim_sizes if dim_size is not None]
    if len(known) != len(dim_sizes):
        raise ValueError(f"indices into several dimensions need static sizes, found {format_shape(x._dims)}")
    return known


def flat_rows(data: Tensor, indices: Tensor, count: int) -> Tuple[Tensor, Tensor]:
    """Indices [..., count] into the first `count` dimensions of `data`, whose sizes are static, as a vector, and
    `data` with these dimensions as one and all others as another. Negative indices count from the end; one that is
    out of range is an error of the step that names its dimension."""
    known = _static(data._dims[:count], data)
    index = _ops.cast(indices, _dtypes.int64)
    joined = as_tensor(np.int64(0))
    for axis, total in enumerate(known):
        own = _ops.getitem(index, (..., axis))
        own = checked(_ops.where(_ops.less(own, 0), _ops.add(own, total), own), data, axis)
        joined = own if axis == 0 else _ops.add(_ops.multiply(joined, total), own)
    flat = reshape_to(joined, [_product(sizes(joined))])
    return flat, reshape_to(data, [_product(known), _product(sizes(data)[count:])])


# Loops over more updates are refused.
MOST_COMBINED = 65536


def combine_rows(
    rows: Tensor, places: Tensor, updates: Tensor, combine: Callable[[Tensor, Tensor], Tensor]
) -> Tensor:
    """`rows` [count, n], each combined with the `updates` [number, n] that `places` [number] puts there, one after the
    other."""

    def step(index: Any, states: Any) -> Any:
        place = reshape_to(scalar_at(places, index), [1])
        old = _ops.take(states[0], place, 0)
        new = combine(old, reshape_to(scalar_at(updates, index), sizes(old)))
        return [nn.scatter(states[0], place, new, 0)], []

    found: Tensor = control.collect(places._dims[0] or 0, [rows], step)[0][0]
    return found


def element_places(index: Tensor, axis: int) -> Tensor:
    """The place in all dimensions of the element that each index along `axis` is of: [..., rank]. The sizes are
    static."""
    places = []
    for other in range(index.ndim):
        if other == axis:
            places.append(_ops.cast(index, _dtypes.int64))
            continue
        shape = [1] * index.ndim
        shape[other] = _static([index._dims[other]], index)[0]
        numbers = np.arange(shape[other], dtype=np.int64).reshape(shape)
        places.append(stretch(as_tensor(numbers), sizes(index)))
    return _ops.stack(places, index.ndim)
