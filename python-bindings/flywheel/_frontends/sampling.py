# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Images at places that a tensor says: grid_sample of PyTorch, GridSample of ONNX."""

import itertools
from typing import Any, Callable, List, Optional, Sequence, Tuple

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, as_tensor
from .._ops.emission import sizes
from .._ops.shapes import _product, reshape_to

# The coefficient of Keys' kernel, as both frameworks have it.
_KEYS = -0.75


def grid_sample(x: Tensor, grid: Tensor, mode: str, padding: str, align_corners: bool) -> Tensor:
    """`x` [batch, channels, space...] of static space at the places `grid` [batch, new space..., rank], which are -1 to
    1 from one end of a dimension to the other, the last dimension first: [batch, channels, new space...].

    `mode` is "linear", "nearest" or "cubic" (Keys' kernel); `padding` says what is outside: "zeros", the elements of
    the "border", or their "reflection". Places at and outside a border that ends them have no derivative.
    """
    spatial: List[int] = [dim_size or 0 for dim_size in x._dims[2:]]
    rank, batch, channels = len(spatial), sizes(x)[0], sizes(x)[1]
    new = sizes(grid)[1:-1]
    count = _product(new)
    # Rows of channels, of all images one after the other.
    order = [0, *range(2, rank + 2), 1]
    rows = reshape_to(_ops.transpose(x, order), [_product([batch, *spatial]), channels])
    flat = reshape_to(grid, [batch, count, rank])
    places = []
    for axis, total in enumerate(spatial):
        given = _ops.getitem(flat, (slice(None), slice(None), rank - 1 - axis))
        places.append(_unnormalized(given, total, align_corners))
    axes = [_Axis(place, total, padding, align_corners, mode) for place, total in zip(places, spatial)]
    first = _first_rows(x, spatial)
    result: Optional[Tensor] = None
    for corner in itertools.product(*[axis.samples for axis in axes]):
        index, share = None, None
        for (near, weight), total in zip(corner, spatial):
            index = near if index is None else _ops.add(_ops.multiply(index, total), near)
            share = _multiplied(share, weight)
        assert index is not None
        at = reshape_to(_ops.add(index, first), [_product([batch, count])])
        taken = reshape_to(_ops.take(rows, at, 0), [batch, count, channels])
        part = taken if share is None else _ops.multiply(taken, _ops.expand_dims(share, 2))
        result = part if result is None else _ops.add(result, part)
    assert result is not None
    return reshape_to(_ops.transpose(result, [0, 2, 1]), [batch, channels, *new])


def _multiplied(a: Optional[Tensor], b: Optional[Tensor]) -> Optional[Tensor]:
    return b if a is None else a if b is None else _ops.multiply(a, b)


def _first_rows(x: Tensor, spatial: Sequence[int]) -> Tensor:
    """Returns the number of the first row of each image, [batch, 1]."""
    batch = _ops.dim(x, 0)
    if isinstance(batch, int):
        numbers = _ops.arange(0, batch, 1, _dtypes.int64)
    else:
        numbers = _ops.cast(_ops.subtract(_ops.cumsum(_ops.ones_like(_column(x)), 0), 1), _dtypes.int64)
    return _ops.expand_dims(_ops.multiply(numbers, int(np.prod(list(spatial)))), 1)


def _column(x: Tensor) -> Tensor:
    """Returns the first element of each image, as int64."""
    flat = reshape_to(x, [sizes(x)[0], _product(sizes(x)[1:])])
    return _ops.cast(_ops.getitem(flat, (slice(None), 0)), _dtypes.int64)


def _unnormalized(x: Tensor, total: int, align_corners: bool) -> Tensor:
    if align_corners:
        return _ops.multiply(_ops.add(x, 1.0), (total - 1) / 2)
    return _ops.divide(_ops.subtract(_ops.multiply(_ops.add(x, 1.0), float(total)), 1.0), 2.0)


def _clipped(x: Tensor, total: int) -> Tensor:
    """Inside of the dimension; what is at the border or outside has no derivative."""
    low = _ops.where(_ops.greater(x, 0.0), x, as_tensor(0.0, x.dtype))
    return _ops.where(_ops.less(low, float(total - 1)), low, as_tensor(float(total - 1), x.dtype))


def _reflected(x: Tensor, total: int, align_corners: bool) -> Tensor:
    """Moved into the dimension by reflections at its first and last elements, or at their outer ends."""
    low, span = (0.0, float(total - 1)) if align_corners else (-0.5, float(total))
    if span == 0:
        return _ops.zeros_like(x)
    away = _ops.abs(_ops.subtract(x, low))
    turns = _ops.stop_gradient(_ops.floor(_ops.divide(away, span)))
    rest = _ops.subtract(away, _ops.multiply(turns, span))
    is_even = _ops.equal(_ops.mod(turns, 2.0), 0.0)
    found = _ops.where(is_even, _ops.add(rest, low), _ops.subtract(span + low, rest))
    return _clipped(found, total)


# The index of an element in a dimension, and how much of it there is.
_Sample = Tuple[Tensor, Optional[Tensor]]


class _Axis:
    """The elements of one dimension that a place is made of."""

    def __init__(self, place: Tensor, total: int, padding: str, align_corners: bool, mode: str):
        self._total = total
        self._padding = padding
        self._align_corners = align_corners
        # For `cubic`, each sample is moved inside below instead of the place.
        if mode != "cubic":
            place = self._inside(place)
        self.samples: List[_Sample] = []
        if mode == "nearest":
            self.samples = [self._sample(_ops.rint(place), None)]
            return
        low = _ops.stop_gradient(_ops.floor(place))
        share = _ops.subtract(place, low)
        if mode == "linear":
            weights: List[Any] = [_ops.subtract(1.0, share), share]
            self.samples = [self._sample(_ops.add(low, float(i)), one) for i, one in enumerate(weights)]
            return
        for offset, weight in zip((-1.0, 0.0, 1.0, 2.0), _keys(share)):
            self.samples.append(self._sample(self._inside(_ops.add(low, offset)), weight))

    def _inside(self, place: Tensor) -> Tensor:
        if self._padding == "border":
            return _clipped(place, self._total)
        if self._padding == "reflection":
            return _reflected(place, self._total, self._align_corners)
        return place

    def _sample(self, place: Tensor, weight: Optional[Tensor]) -> _Sample:
        near = _ops.stop_gradient(place)
        is_inside = _ops.logical_and(_ops.greater_equal(near, 0.0), _ops.less_equal(near, float(self._total - 1)))
        index = _ops.cast(_ops.where(is_inside, near, as_tensor(0.0, near.dtype)), _dtypes.int64)
        own = _ops.cast(is_inside, near.dtype)
        return index, _multiplied(own, weight)


def _keys(share: Tensor) -> List[Tensor]:
    """Keys' kernel at the four elements around a place."""
    inner: Callable[[Tensor], Tensor] = lambda x: _ops.add(  # noqa: E731
        _ops.multiply(_ops.multiply(_ops.subtract(_ops.multiply(x, _KEYS + 2), _KEYS + 3), x), x), 1.0)
    outer: Callable[[Tensor], Tensor] = lambda x: _ops.subtract(  # noqa: E731
        _ops.multiply(_ops.add(_ops.multiply(_ops.subtract(_ops.multiply(x, _KEYS), 5 * _KEYS), x), 8 * _KEYS), x),
        4 * _KEYS)  # fmt: skip
    return [outer(_ops.add(share, 1.0)), inner(share), inner(_ops.subtract(1.0, share)),
            outer(_ops.subtract(2.0, share))]  # fmt: skip
