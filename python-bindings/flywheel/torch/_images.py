# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of aten on images, [batch, channels, space...]: convolutions, pools, images of another size."""

import re
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from .. import _ops
from .. import nn as nn
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, as_tensor
from .._frontends.layouts import Laid
from .._frontends.sampling import grid_sample
from .._nn.windows import ceiling, convolve, convolve_transposed, largest, largest_with_places, pool, unpooled
from .._numerics.interpolation import interpolation_weights, repeat_or_take, weigh
from .._ops.emission import size, sizes, stretch
from .._ops.shapes import reshape_to
from ._graph import Call, op
from ._shapes import pad_by_value


class Images:
    """Images of `rank` spatial dimensions in the compiler's layout, with channels last; a single one is a batch of
    one."""

    def __init__(self, call: Call, x: Laid, rank: int):
        if x.ndim not in (rank + 1, rank + 2):
            raise call.unsupported(f"of a tensor that is not [batch, channels, {rank} dimensions]")
        self.rank = rank
        self._is_single = x.ndim == rank + 1
        batch = Laid(_ops.expand_dims(x.plain(), 0)) if self._is_single else x
        self._order = (0, *range(2, rank + 2), 1)
        self.data = batch.arranged(self._order)

    def known(self, call: Call, what: str) -> List[int]:
        """The sizes of space, which have to be static."""
        found = [dim_size for dim_size in self.data._dims[1:-1] if dim_size is not None]
        if len(found) != self.rank:
            raise call.unsupported(f"{what} of a size that the call chooses")
        return found

    def result(self, data: Tensor) -> Laid:
        """The other way."""
        result = Laid(data, self._order)
        return Laid(_ops.squeeze(result.plain(), 0)) if self._is_single else result


def _spread(given: Any, rank: int) -> List[int]:
    """Returns a number for each spatial dimension."""
    listed = [given] if isinstance(given, int) else list(given)
    return listed * rank if len(listed) == 1 else listed


def _padding(given: Any, rank: int) -> List[Tuple[int, int]]:
    return [(amount, amount) for amount in _spread(given, rank)]


def _filters(w: Laid) -> Tensor:
    """[space..., channels, outputs] of a filter [outputs, channels, space...]."""
    return w.arranged((*range(2, w.ndim), 1, 0))


def _with_bias(result: Tensor, b: Optional[Laid]) -> Tensor:
    return result if b is None else _ops.add(result, b.plain())


# Groups follow from the channels of the image and of the filter.
@op("conv2d.default", "conv2d.padding", without="groups")
def _convolve(
    call: Call, x: Laid, w: Laid, b: Optional[Laid] = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
) -> Laid:  # fmt: skip
    rank = w.ndim - 2
    images, dilations = Images(call, x, rank), _spread(dilation, rank)
    if isinstance(padding, str):
        spans = [(w.shape[2 + i] or 1) * d - d for i, d in enumerate(dilations)]
        pads = [(span // 2, span - span // 2) if padding == "same" else (0, 0) for span in spans]
    else:
        pads = _padding(padding, rank)
    if rank > 2:
        images.known(call, "with three dimensions of space")
    result = convolve(images.data, _filters(w), _spread(stride, rank), pads, dilations)
    return images.result(_with_bias(result, b))


@op("conv_transpose1d.default", "conv_transpose2d.input", "conv_transpose3d.input")
def _convolve_transposed(
    call: Call, x: Laid, w: Laid, b: Optional[Laid] = None, stride: Any = 1, padding: Any = 0,
    output_padding: Any = 0, groups: int = 1, dilation: Any = 1,
) -> Laid:  # fmt: skip
    rank = w.ndim - 2
    images = Images(call, x, rank)
    strides, pads, more, dilations = (_spread(one, rank) for one in (stride, padding, output_padding, dilation))
    if rank > 2:
        images.known(call, "with three dimensions of space")
    result = convolve_transposed(images.data, _filters(w), strides, [(pad, pad) for pad in pads], more, dilations,
                                 groups * (w.shape[1] or 0))  # fmt: skip
    return images.result(_with_bias(result, b))


@op("convolution.default")
def _convolution(
    call: Call, x: Laid, w: Laid, b: Optional[Laid], stride: Any, padding: Any, dilation: Any, transposed: bool,
    output_padding: Any, groups: int,
) -> Laid:  # fmt: skip
    if transposed:
        return _convolve_transposed(  # type: ignore[no-any-return]
            call, x, w, b, stride, padding, output_padding, groups, dilation)  # fmt: skip
    return _convolve(call, x, w, b, stride, padding, dilation)  # type: ignore[no-any-return]


#
# Pools
#


def _rank(call: Call) -> int:
    """Returns the number of spatial dimensions in the name of an op."""
    found = re.search(r"(\d)d", str(call.node.target))
    assert found is not None
    return int(found[1])


def _pads(call: Call, images: Images, windows: List[int], strides: List[int], padding: Any, is_ceiling: bool) -> Any:
    pads = _padding(padding, images.rank)
    if not is_ceiling:
        return pads
    known = images.known(call, "with ceil_mode")
    return [ceiling(*given) for given in zip(known, windows, strides, pads)]


@op("max_pool1d.default", "max_pool2d.default", "max_pool3d.default", "max_pool2d_with_indices.default",
    "max_pool3d_with_indices.default")  # fmt: skip
def _max_pool(
    call: Call, x: Laid, window: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> Any:
    has_indices = "indices" in str(call.node.target)
    rank = _rank(call)
    images = Images(call, x, rank)
    windows, dilations = _spread(window, rank), _spread(dilation, rank)
    strides = _spread(stride, rank) if stride else windows
    spans = [(k - 1) * d + 1 for k, d in zip(windows, dilations)]
    pads = _pads(call, images, spans, strides, padding, ceil_mode)
    if has_indices and call.wants(1):
        images.known(call, "with its indices")
        found, places = largest_with_places(images.data, windows, strides, pads, dilations)
        assert places is not None
        return [images.result(found), images.result(places)]
    if spans == windows:
        result = pool(nn.max_pool2d, images.data, windows, strides, pads)
    else:
        images.known(call, "with a dilation")
        result = largest(images.data, windows, strides, pads, dilations)
    return [images.result(result), None] if has_indices else images.result(result)


@op("max_unpool2d.default", "max_unpool3d.default", without="stride padding")
def _max_unpool(call: Call, x: Laid, places: Laid, wanted: Sequence[int]) -> Laid:
    rank = _rank(call)
    if None in x.shape or not all(isinstance(one, int) for one in wanted):
        raise call.unsupported("of sizes that the call chooses")
    is_single = x.ndim == rank + 1
    data, index = x.plain(), places.plain()
    if is_single:
        data, index = _ops.expand_dims(data, 0), _ops.expand_dims(index, 0)
    found = unpooled(data, index, list(wanted))
    return Laid(_ops.squeeze(found, 0) if is_single else found)


@op("max_pool2d_with_indices_backward.default", without="self kernel_size stride padding dilation ceil_mode")
def _max_pool_backward(call: Call, weights: Laid, *, indices: Laid) -> Laid:
    """Adds each element at its place in the plane of an image."""
    known = [one for one in call.result.shape if isinstance(one, int)]
    if len(known) != len(call.result.shape) or None in weights.shape:
        raise call.unsupported("of sizes that the call chooses")
    rows, total = int(np.prod(known[:-2])), int(np.prod(known[-2:]))
    count = int(np.prod([one or 0 for one in weights.shape[-2:]]))
    first = as_tensor((np.arange(rows, dtype=np.int64) * total)[:, None])
    index = _ops.add(reshape_to(_ops.cast(indices.plain(), _dtypes.int64), [rows, count]), first)
    zeros = stretch(as_tensor(0, weights.dtype), [rows * total, 1])
    put = nn.scatter_add(zeros, reshape_to(index, [rows * count]), reshape_to(weights.plain(), [rows * count, 1]), 0)
    return Laid(reshape_to(put, call.result.shape))


# The modes of grid_sampler, by its numbers.
_SAMPLING, _OUTSIDE = ("linear", "nearest", "cubic"), ("zeros", "border", "reflection")


@op("grid_sampler_2d.default", "grid_sampler_3d.default", "grid_sampler.default")
def _grid_sampler(call: Call, x: Laid, grid: Laid, mode: int, padding: int, align_corners: bool) -> Laid:
    if None in x.shape[2:]:
        raise call.unsupported("of images of a size that the call chooses")
    return Laid(grid_sample(x.plain(), grid.plain(), _SAMPLING[mode], _OUTSIDE[padding], align_corners))


@op("avg_pool1d.default", "avg_pool2d.default", "avg_pool3d.default")
def _avg_pool(
    call: Call, x: Laid, window: Any, stride: Any = (), padding: Any = 0, ceil_mode: bool = False,
    counts_padding: bool = True, divisor: Optional[int] = None,
) -> Laid:  # fmt: skip
    rank = _rank(call)
    images, windows = Images(call, x, rank), _spread(window, rank)
    strides = _spread(stride, rank) if stride else windows
    pads = _pads(call, images, windows, strides, padding, ceil_mode)
    image = images.data
    if divisor is not None:
        # The zeros around the image take part.
        image, pads = _ops.pad(image, [(0, 0), *pads, (0, 0)]), [(0, 0)] * rank
    elif counts_padding and any(_spread(padding, rank)):
        # PyTorch counts the zeros around the image, but not those that ceil_mode adds at its end.
        zeros = _padding(padding, rank)
        image = _ops.pad(image, [(0, 0), *zeros, (0, 0)])
        pads = [(0, high - zero) for (_, high), (_, zero) in zip(pads, zeros)]
    result = pool(nn.avg_pool2d, image, windows, strides, pads)
    if divisor is not None:
        result = _ops.multiply(result, float(np.prod(windows)) / divisor)
    return images.result(result)


def _wanted(call: Call, rank: int) -> List[int]:
    """Returns the spatial sizes of the result."""
    found = call.result[0] if isinstance(call.result, (list, tuple)) else call.result
    lengths = list(found.shape[-rank:])
    if not all(isinstance(length, int) for length in lengths):
        raise call.unsupported("to a size that the call chooses")
    return lengths


@op("adaptive_avg_pool1d.default", "adaptive_avg_pool2d.default", "adaptive_avg_pool3d.default",
    "_adaptive_avg_pool2d.default", "_adaptive_avg_pool3d.default", without="output_size")  # fmt: skip
def _adaptive_avg_pool(call: Call, x: Laid) -> Laid:
    rank = _rank(call)
    images, lengths = Images(call, x, rank), _wanted(call, rank)
    if lengths == [1] * rank:
        return images.result(_ops.mean(images.data, tuple(range(1, rank + 1)), keepdims=True))
    known = images.known(call, "to several elements,")
    windows = [total // length for total, length in zip(known, lengths)]
    if all(total == k * length for total, k, length in zip(known, windows, lengths)):
        return images.result(pool(nn.avg_pool2d, images.data, windows, windows, [(0, 0)] * rank))
    data = images.data
    for axis, (total, length) in enumerate(zip(known, lengths)):
        shares = np.zeros((length, total))
        for place, (first, last) in enumerate(_adaptive_windows(total, length)):
            shares[place, first:last] = 1 / (last - first)
        data = weigh(data, shares, 1 + axis)
    return images.result(data)


def _adaptive_windows(total: int, length: int) -> List[Tuple[int, int]]:
    """Returns the first and the last index, exclusive, of each window of an adaptive pool."""
    return [(i * total // length, -(-(i + 1) * total // length)) for i in range(length)]


@op("adaptive_max_pool1d.default", "adaptive_max_pool2d.default", "adaptive_max_pool3d.default",
    without="output_size")  # fmt: skip
def _adaptive_max_pool(call: Call, x: Laid) -> List[Any]:
    rank = _rank(call)
    images, lengths = Images(call, x, rank), _wanted(call, rank)
    known, data = images.known(call, ""), images.data
    numbers = np.arange(int(np.prod(known)), dtype=np.int64).reshape([1, *known, 1])
    places = stretch(as_tensor(numbers), sizes(data)) if call.wants(1) else None
    # The last dimension first: of several largest elements the first one counts, in row-major order.
    for axis in reversed(range(rank)):
        values: List[Tensor] = []
        indices: List[Tensor] = []
        for first, last in _adaptive_windows(known[axis], lengths[axis]):
            key = (*[slice(None)] * (1 + axis), slice(first, last))
            part = _ops.getitem(data, key)
            if places is None:
                shape = [last - first if i == axis else size(part, 1 + i) for i in range(rank)]
                windows = [last - first if i == axis else 1 for i in range(rank)]
                wide = reshape_to(part, [size(part, 0), *shape, size(part, part.ndim - 1)])
                values.append(pool(nn.max_pool2d, wide, windows, windows, [(0, 0)] * rank))
                continue
            best = _ops.expand_dims(_ops.argmax(part, 1 + axis), 1 + axis)
            values.append(_ops.take_along_axis(part, best, 1 + axis))
            indices.append(_ops.take_along_axis(_ops.getitem(places, key), best, 1 + axis))
        data = values[0] if len(values) == 1 else _ops.concatenate(values, 1 + axis)
        if places is not None:
            places = indices[0] if len(indices) == 1 else _ops.concatenate(indices, 1 + axis)
    return [images.result(data), None if places is None else images.result(places)]


#
# Images of another size
#


def _scales(given: Any, known: Sequence[int], lengths: Sequence[int]) -> List[float]:
    return [length / total for total, length in zip(known, lengths)] if given is None else [float(s) for s in given]


@op("upsample_nearest1d.vec", "upsample_nearest2d.vec", "upsample_nearest3d.vec", "_upsample_nearest_exact1d.vec",
    "_upsample_nearest_exact2d.vec", "_upsample_nearest_exact3d.vec", without="output_size")  # fmt: skip
def _upsample_nearest(call: Call, x: Laid) -> Laid:
    name, given = str(call.node.target), call.argument("scale_factors")
    images = Images(call, x, x.ndim - 2)
    data = images.data
    if given is not None and all(float(scale).is_integer() for scale in given):
        for axis, scale in enumerate(given, 1):
            data = _ops.repeat(data, int(scale), axis)
        return images.result(data)
    known, lengths = images.known(call, ""), _wanted(call, images.rank)
    for axis, (total, length, scale) in enumerate(zip(known, lengths, _scales(given, known, lengths))):
        # As PyTorch has it, in float32.
        at = (np.arange(length, dtype=np.float32) + (0.5 if "exact" in name else 0)) * np.float32(1 / scale)
        found = np.minimum(np.floor(at), total - 1).astype(np.int32)
        data = repeat_or_take(data, found, 1 + axis, total)
    return images.result(data)


@op("upsample_linear1d.vec", "upsample_bilinear2d.vec", "upsample_trilinear3d.vec", "upsample_bicubic2d.vec",
    "_upsample_bilinear2d_aa.vec", "_upsample_bicubic2d_aa.vec", without="output_size")  # fmt: skip
def _upsample(call: Call, x: Laid) -> Laid:
    name, given, align_corners = str(call.node.target), call.argument("scale_factors"), call.argument("align_corners")
    # Keys' kernel has one coefficient with smoothing, and another one without.
    is_smooth = "_aa" in name
    cubic = (-0.5 if is_smooth else -0.75) if "cubic" in name else None
    images = Images(call, x, x.ndim - 2)
    known, lengths, data = images.known(call, ""), _wanted(call, images.rank), images.data
    for axis, (total, length, scale) in enumerate(zip(known, lengths, _scales(given, known, lengths))):
        places = np.arange(length, dtype=np.float64)
        if align_corners:
            at = places * ((total - 1) / (length - 1) if length > 1 else 0)
        else:
            at = (places + 0.5) / scale - 0.5
        squeeze = min(length / total if given is None else scale, 1.0) if is_smooth else 1.0
        weights = interpolation_weights(at, total, cubic=cubic, squeeze=squeeze, excludes_outside=is_smooth)
        if total != length or not np.array_equal(weights, np.eye(total)):
            data = weigh(data, weights, 1 + axis)
    return images.result(data)


#
# Borders
#

_MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def pad_by_copies(call: Call, x: Laid, widths: Sequence[int], mode: str) -> Laid:
    """Pads with elements of the tensor; `widths` starts from the last dimension. Negative widths cut."""
    data = x.data
    for i in range(len(widths) // 2):
        low, high = widths[2 * i], widths[2 * i + 1]
        place = x.place(x.ndim - 1 - i)
        total = data._dims[place]
        if low == high == 0:
            continue
        if total is None:
            raise call.unsupported(f"with mode '{mode}', of a size that the call chooses")
        kind: Any = _MODES[mode]
        first, last = max(-low, 0), total - max(-high, 0)
        if mode == "circular":
            # Elements that are cut off do not reappear on the other side.
            found = np.pad(np.arange(first, last), (max(low, 0), max(high, 0)), mode=kind)
        else:
            found = np.pad(np.arange(total), (max(low, 0), max(high, 0)), mode=kind)
            found = found[first : len(found) - max(-high, 0)]
        data = _ops.take(data, as_tensor(found.astype(np.int32)), place)
    return x.like(data)


@op(*[f"{kind}_pad{rank}d.default" for kind in ("reflection", "replication") for rank in (1, 2, 3)])
def _border(call: Call, x: Laid, widths: Sequence[int]) -> Laid:
    return pad_by_copies(call, x, widths, "reflect" if "reflection" in str(call.node.target) else "replicate")


@op("pad.default")
def _pad(call: Call, x: Laid, widths: Sequence[int], mode: str = "constant", value: Optional[float] = None) -> Laid:
    return pad_by_value(x, widths, value or 0) if mode == "constant" else pad_by_copies(call, x, widths, mode)
