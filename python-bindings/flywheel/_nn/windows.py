# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions and pools of any number of dimensions, made of those of images."""

from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, as_tensor, format_shape
from .._errors.messages import about
from .._ops import nn_ops as nn
from .._ops.emission import Size, empty, index_op, size, sizes, stretch
from .._ops.indexing import checked, extract_slice
from .._ops.shapes import _product, reshape_to, to_index
from ..transforms import custom_vjp

Pads = Sequence[Tuple[int, int]]


def _listed(padding: Union[str, Pads]) -> Union[str, Pads]:
    return padding if isinstance(padding, str) else list(padding)


def _in_front(padding: Union[str, Pads]) -> Union[str, Pads]:
    """Returns the padding of an image that is 1 high."""
    return padding if isinstance(padding, str) else [(0, 0), *padding]


def _expect_space(what: str, x: Tensor, count: int) -> None:
    """Raises ValueError unless `x` is [batch, space..., channels] with that many dimensions of space, 1 to 3."""
    if x.ndim != count + 2 or not 1 <= count <= 3:
        raise about(what, ValueError(f"expected shape [batch, space..., channels] with {count} of 1 to 3 dimensions of "
                                     f"space, found shape {format_shape(x._dims)}"))  # fmt: skip


def convolve(
    x: Tensor, w: Tensor, strides: Sequence[int], padding: Union[str, Pads], dilations: Sequence[int]
) -> Tensor:
    """`nn.conv2d` of `x` [batch, space..., channels] with `w` [space..., channels of a group, outputs]. With more than
    two spatial dimensions, their sizes are static, and their padding is given by numbers."""
    rank = x.ndim - 2
    _expect_space("convolution", x, len(strides))
    if w.ndim != x.ndim:
        raise about("convolution", ValueError(f"expected a filter of {x.ndim} dimensions, [space..., channels, "
                                              f"outputs], found shape {format_shape(w._dims)}"))  # fmt: skip
    if rank == 2:
        return nn.conv2d(x, w, strides=list(strides), padding=_listed(padding), dilations=list(dilations))
    if rank < 2:
        # Fewer dimensions are an image that is 1 high.
        old = sizes(x)
        wide = reshape_to(x, [old[0], 1, *old[1:]])
        found = convolve(wide, reshape_to(w, [1, *sizes(w)]), [1, *strides], _in_front(padding), [1, *dilations])
        new = sizes(found)
        return reshape_to(found, [new[0], *new[2:]])
    assert not isinstance(padding, str)
    # The sum over the first dimension of the filter, of slices of the image that it meets.
    x = _ops.pad(x, [(0, 0), padding[0], *[(0, 0)] * rank])
    count, reach = w._dims[0] or 0, ((w._dims[0] or 0) - 1) * dilations[0] + 1
    steps = (x.shape[1] - reach) // strides[0] + 1
    result: Optional[Tensor] = None
    for place in range(count):
        first = place * dilations[0]
        part = _ops.getitem(x, (slice(None), slice(first, first + (steps - 1) * strides[0] + 1, strides[0])))
        found = convolve(_merged(part), _ops.getitem(w, place), strides[1:], padding[1:], dilations[1:])
        result = found if result is None else _ops.add(result, found)
    assert result is not None
    return reshape_to(result, [size(x, 0), to_index(steps), *sizes(result)[1:]])


def _merged(x: Tensor) -> Tensor:
    """Merges the first two dimensions."""
    old = sizes(x)
    return reshape_to(x, [_product(old[:2]), *old[2:]])


def pool(
    function: Callable[..., Tensor], x: Tensor, window: Sequence[int], strides: Sequence[int],
    padding: Union[str, Pads],
) -> Tensor:  # fmt: skip
    """`nn.max_pool2d` or `nn.avg_pool2d` of `x` [batch, space..., channels] with one to three dimensions of space."""
    rank = x.ndim - 2
    _expect_space("pool", x, len(window))
    if rank == 2:
        return function(x, list(window), strides=list(strides), padding=_listed(padding))
    if rank == 1:
        old = sizes(x)
        wide = reshape_to(x, [old[0], 1, *old[1:]])
        found = function(wide, [1, *window], strides=[1, *strides], padding=_in_front(padding))
        new = sizes(found)
        return reshape_to(found, [new[0], *new[2:]])
    assert not isinstance(padding, str)
    # A box is a square of each slice, and then the slices: also the first of several largest elements is the same.
    flat = pool(function, _merged(x), window[1:], strides[1:], padding[1:])
    inner: List[Size] = sizes(flat)[1:]
    tall = reshape_to(flat, [size(x, 0), size(x, 1), _product(inner[:-1]), inner[-1]])
    found = function(tall, [window[0], 1], strides=[strides[0], 1], padding=[padding[0], (0, 0)])
    return reshape_to(found, [size(found, 0), size(found, 1), *inner])


def ceiling(total: int, window: int, stride: int, pads: Tuple[int, int]) -> Tuple[int, int]:
    """The pads with which a last window that is not whole counts too; a window that begins after the image and its
    first pad does not."""
    low, high = pads
    whole = total + low + high - window
    count = -(-whole // stride) + 1
    if (count - 1) * stride >= total + low:
        count -= 1
    return low, high + max((count - 1) * stride - whole, 0)


#
# Windows of elements that are apart
#


def window_parts(
    x: Tensor, window: Sequence[int], strides: Sequence[int], dilations: Sequence[int]
) -> Iterator[Tuple[Tuple[int, ...], Tensor]]:
    """Yields each position in a window, as an index, with the elements of all windows at it: [batch, windows...,
    channels] of `x` [batch, space..., channels] of static space. Windows lie inside the image."""
    spans = [(k - 1) * d + 1 for k, d in zip(window, dilations)]
    counts = [((total or 0) - span) // s + 1 for total, span, s in zip(x._dims[1:-1], spans, strides)]
    old = sizes(x)
    for place in np.ndindex(*window):
        offsets: List[Size] = [0, *[at * d for at, d in zip(place, dilations)], 0]
        yield place, extract_slice(x, offsets, [old[0], *counts, old[-1]], [1, *strides, 1])


def largest(
    x: Tensor, window: Sequence[int], strides: Sequence[int], padding: Pads, dilations: Sequence[int]
) -> Tensor:
    """The largest element of each window, the first one of several."""
    return largest_with_places(x, window, strides, padding, dilations, with_places=False)[0]


def largest_with_places(
    x: Tensor, window: Sequence[int], strides: Sequence[int], padding: Pads, dilations: Sequence[int],
    with_places: bool = True,
) -> Tuple[Tensor, Optional[Tensor]]:  # fmt: skip
    """`largest`, and where that is in the space of `x`, in row-major order, as int64. A NaN is the largest element."""
    spatial = [total or 0 for total in x._dims[1:-1]]
    floats = _dtypes.is_floating(x.dtype)
    low = -float("inf") if floats else int(np.iinfo(x.dtype).min)
    data = _ops.pad(x, [(0, 0), *padding, (0, 0)], low)
    numbers = np.arange(int(np.prod(spatial)), dtype=np.int64).reshape(spatial)
    numbers = np.pad(numbers, list(padding), constant_values=-1)
    result: Optional[Tensor] = None
    places: Optional[Tensor] = None
    for place, part in window_parts(data, window, strides, dilations):
        keys: List[Any] = [slice(at * d, at * d + ((count or 0) - 1) * s + 1, s)
                           for at, d, s, count in zip(place, dilations, strides, part._dims[1:-1])]  # fmt: skip
        own = numbers[tuple(keys)]
        index = as_tensor(np.ascontiguousarray(own)[None, ..., None])
        if result is None:
            result, places = part, stretch(index, sizes(part)) if with_places else None
            continue
        is_larger = _ops.greater(part, result)
        if floats:
            is_larger = _ops.logical_or(is_larger, _ops.logical_and(_ops.isnan(part), _ops.logical_not(
                _ops.isnan(result))))  # fmt: skip
        if places is not None:
            # A place around the image is never one of an element.
            is_larger = _ops.logical_or(is_larger, _ops.less(places, 0)) if (own >= 0).all() else _ops.logical_and(
                _ops.logical_or(is_larger, _ops.less(places, 0)), _ops.greater_equal(index, 0))  # fmt: skip
            places = _ops.where(is_larger, index, places)
        result = _ops.where(is_larger, part, result)
    assert result is not None
    return result, places


def window_sums(x: Tensor, window: Sequence[int], strides: Sequence[int], dilations: Sequence[int]) -> Tensor:
    """The sum of each window, which is inside of the image."""
    result: Optional[Tensor] = None
    for _, part in window_parts(x, window, strides, dilations):
        result = part if result is None else _ops.add(result, part)
    assert result is not None
    return result


def unpooled(x: Tensor, places: Tensor, spatial: Sequence[int]) -> Tensor:
    """Zeros of [batch, channels, spatial...] with the elements of `x` [batch, channels, space...] at their places in
    that space, in row-major order. The sizes are static. If several elements have one place, the last one is written,
    and the derivative of each is that of the place, as in PyTorch."""
    known, total = [dim_size or 0 for dim_size in x._dims], int(np.prod(list(spatial)))
    rows, count = known[0] * known[1], int(np.prod(known[2:]))
    index = reshape_to(_ops.cast(places, _dtypes.int64), [rows, count])
    first = as_tensor((np.arange(rows, dtype=np.int64) * total)[:, None])
    # An index out of range of one row may be in range of all.
    index = _ops.add(checked(index, stretch(as_tensor(0, x.dtype), [total]), 0), first)
    zeros = stretch(as_tensor(0, x.dtype), [rows * total, 1])
    flat = reshape_to(x, [rows * count, 1])
    put = _put_at(zeros, reshape_to(index, [rows * count]), flat)
    return reshape_to(put, [*known[:2], *spatial])


@custom_vjp
def _put_at(zeros: Tensor, index: Tensor, rows: Tensor) -> Tensor:
    return nn.scatter(zeros, index, rows, 0)


@_put_at.defvjp
def _put_at_vjp(zeros: Tensor, index: Tensor, rows: Tensor, weights: Tensor) -> Tuple[Any, ...]:
    return None, None, _ops.take(weights, index, 0)


def _spread(x: Tensor, axis: int, stride: int) -> Tensor:
    """Inserts stride - 1 zeros between two elements along a dimension of static size."""
    if stride == 1:
        return x
    old, total = sizes(x), x._dims[axis] or 0
    wide = reshape_to(x, [*old[: axis + 1], 1, *old[axis + 1 :]])
    pads = [(0, 0)] * wide.ndim
    pads[axis + 1] = (0, stride - 1)
    filled = _ops.pad(wide, pads)
    flat = reshape_to(filled, [*old[:axis], total * stride, *old[axis + 1 :]])
    return _ops.getitem(flat, (*[slice(None)] * axis, slice(0, (total - 1) * stride + 1)))


def convolve_transposed(
    x: Tensor, w: Tensor, strides: Sequence[int], padding: Pads, more: Sequence[int], dilations: Sequence[int],
    channels: int,
) -> Tensor:  # fmt: skip
    """The transposed convolution of `x` [batch, space..., inputs] with `w` [space..., outputs of a group, inputs].

    The result has `channels` channels. `padding` is cut off at both ends and may be negative, and `more` zeros are
    added at the end. The sizes of more than two spatial dimensions are static."""
    rank = x.ndim - 2
    if rank == 1:
        old = sizes(x)
        wide = reshape_to(x, [old[0], 1, *old[1:]])
        found = convolve_transposed(wide, reshape_to(w, [1, *sizes(w)]), [1, *strides], [(0, 0), *padding],
                                    [0, *more], [1, *dilations], channels)  # fmt: skip
        new = sizes(found)
        return reshape_to(found, [new[0], *new[2:]])
    if rank == 2:
        return _image_transposed(x, w, strides, padding, more, dilations, channels)
    # Each slice of the filter adds to the slices of the result that are its distance later.
    depth, batch = x._dims[1] or 0, sizes(x)[0]
    span = ((w._dims[0] or 0) - 1) * dilations[0] + 1
    result: Optional[Tensor] = None
    for place in range(w._dims[0] or 0):
        found = convolve_transposed(_merged(x), _ops.getitem(w, place), strides[1:], padding[1:], more[1:],
                                    dilations[1:], channels)  # fmt: skip
        part = _spread(reshape_to(found, [batch, depth, *sizes(found)[1:]]), 1, strides[0])
        first = place * dilations[0]
        part = _ops.pad(part, [(0, 0), (first, span - 1 - first), *[(0, 0)] * rank])
        result = part if result is None else _ops.add(result, part)
    assert result is not None
    return _cut(result, [padding[0]], [more[0]])


def _cut(x: Tensor, padding: Pads, more: Sequence[int]) -> Tensor:
    """Returns the spatial dimensions without `padding`, and with `more` zeros at the end."""
    for axis, ((low, high), zeros) in enumerate(zip(padding, more), 1):
        high -= zeros
        widths = [(0, 0)] * x.ndim
        widths[axis] = (max(-low, 0), max(-high, 0))
        if any(widths[axis]):
            x = _ops.pad(x, widths)
        if low > 0 or high > 0:
            x = _ops.getitem(x, (*[slice(None)] * axis, slice(max(low, 0), -high if high > 0 else None)))
    return x


def _image_transposed(
    x: Tensor, w: Tensor, strides: Sequence[int], padding: Pads, more: Sequence[int], dilations: Sequence[int],
    channels: int,
) -> Tensor:  # fmt: skip
    is_plain = all(extra < stride for extra, stride in zip(more, strides)) and all(p >= 0 for pair in padding for p in
                                                                                  pair)  # fmt: skip
    own, extra = (list(padding), list(more)) if is_plain else ([(0, 0), (0, 0)], [0, 0])
    lengths: List[Size] = []
    for axis in range(2):
        span = ((w._dims[axis] or 1) - 1) * dilations[axis] + 1
        whole = index_op("muli", index_op("subi", size(x, 1 + axis), 1), strides[axis])
        lengths.append(index_op("addi", whole, span + extra[axis] - sum(own[axis])))
    like = empty([size(x, 0), *lengths, channels], x.dtype)
    result = nn.conv2d_transpose(x, w, like, strides=list(strides), padding=own, dilations=list(dilations))
    return result if is_plain else _cut(result, padding, more)
