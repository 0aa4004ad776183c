# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions and pools of any number of dimensions, made of those of images."""

from typing import Callable, List, Optional, Sequence, Tuple

from . import _nn_ops as nn
from . import _ops
from ._ops._core import Size, size, sizes
from ._ops._shapes import _product, reshape_to
from ._tensor import Tensor

Pads = Sequence[Tuple[int, int]]


def convolve(x: Tensor, w: Tensor, strides: Sequence[int], padding: Pads, dilations: Sequence[int]) -> Tensor:
    """`nn.conv2d` of `x` [batch, space..., channels] with `w` [space..., channels of a group, outputs]. The sizes of
    more than two dimensions of space are static."""
    rank = x.ndim - 2
    if rank == 2:
        return nn.conv2d(x, w, strides=list(strides), padding=list(padding), dilations=list(dilations))
    if rank < 2:
        # Fewer dimensions are an image that is 1 high.
        old = sizes(x)
        wide = reshape_to(x, [old[0], 1, *old[1:]])
        found = convolve(wide, reshape_to(w, [1, *sizes(w)]), [1, *strides], [(0, 0), *padding], [1, *dilations])
        new = sizes(found)
        return reshape_to(found, [new[0], *new[2:]])
    # The sum over the first dimension of the filter, of slices of the image that it meets.
    x = _ops.pad(x, [(0, 0), padding[0], *[(0, 0)] * rank])
    count, reach = w.shape[0] or 0, ((w.shape[0] or 0) - 1) * dilations[0] + 1
    steps = ((x.shape[1] or 0) - reach) // strides[0] + 1
    result: Optional[Tensor] = None
    for place in range(count):
        first = place * dilations[0]
        part = _ops.getitem(x, (slice(None), slice(first, first + (steps - 1) * strides[0] + 1, strides[0])))
        found = convolve(_merged(part), _ops.getitem(w, place), strides[1:], padding[1:], dilations[1:])
        result = found if result is None else _ops.add(result, found)
    assert result is not None
    return reshape_to(result, [size(x, 0), steps, *sizes(result)[1:]])


def _merged(x: Tensor) -> Tensor:
    """With the first two dimensions as one."""
    old = sizes(x)
    return reshape_to(x, [_product(old[:2]), *old[2:]])


def pool(
    function: Callable[..., Tensor], x: Tensor, window: Sequence[int], strides: Sequence[int], padding: Pads
) -> Tensor:
    """`nn.max_pool2d` or `nn.avg_pool2d` of `x` [batch, space..., channels] with one to three dimensions of space."""
    rank = x.ndim - 2
    if rank == 2:
        return function(x, list(window), strides=list(strides), padding=list(padding))
    if rank == 1:
        old = sizes(x)
        wide = reshape_to(x, [old[0], 1, *old[1:]])
        found = function(wide, [1, *window], strides=[1, *strides], padding=[(0, 0), *padding])
        new = sizes(found)
        return reshape_to(found, [new[0], *new[2:]])
    # A box is a square of each slice, and then the slices: also the first of several largest elements is the same.
    flat = pool(function, _merged(x), window[1:], strides[1:], padding[1:])
    inner: List[Size] = sizes(flat)[1:]
    tall = reshape_to(flat, [size(x, 0), size(x, 1), _product(inner[:-1]), inner[-1]])
    found = function(tall, [window[0], 1], strides=[strides[0], 1], padding=[padding[0], (0, 0)])
    return reshape_to(found, [size(found, 0), size(found, 1), *inner])


def ceiling(total: int, window: int, stride: int, pads: Tuple[int, int]) -> Tuple[int, int]:
    """The pads with which a last window that is not whole counts too; one that begins behind the image and its first
    pad is none."""
    low, high = pads
    whole = total + low + high - window
    count = -(-whole // stride) + 1
    if (count - 1) * stride >= total + low:
        count -= 1
    return low, high + max((count - 1) * stride - whole, 0)
