# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of aten on windows of images, and on images of another size."""

import math
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from .. import _ops
from .. import nn as nn
from .._flywheel import Value
from .._interpolation import interpolation_weights, repeat_or_take, weigh
from .._layouts import CHANNELS_LAST, Laid
from .._tensor import Tensor
from .._types import Array
from ._graph import Call, op
from ._layers import _image, _pair

#
# Pools
#


class _Windows(NamedTuple):
    """The windows of one dimension: how many rows there are around it, and how far the last one goes beyond them."""

    size: int
    stride: int
    dilation: int
    padding: int
    beyond: int

    @property
    def span(self) -> int:
        return (self.size - 1) * self.dilation + 1


def _windows(
    call: Call, image: Tensor, window: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> List[_Windows]:
    result = []
    strides = _pair(stride) if stride else _pair(window)
    for axis, (span, step, around, apart) in enumerate(
        zip(_pair(window), strides, _pair(padding), _pair(dilation)), 1):  # fmt: skip
        own = _Windows(span, step, apart, around, 0)
        if ceil_mode:
            total = image.shape[axis]
            if total is None:
                raise call.unsupported("with ceil_mode, of a size that the call chooses")
            count = -(-(total + 2 * around - own.span) // step) + 1
            # The last window begins inside of the image, or in front of it.
            if (count - 1) * step >= total + around:
                count -= 1
            own = own._replace(beyond=max((count - 1) * step + own.span - total - 2 * around, 0))
        result.append(own)
    return result


def _max_pool(call: Call, x: Laid, windows: Sequence[_Windows], image: Tensor) -> Laid:
    pads = [(w.padding, w.padding + w.beyond) for w in windows]
    strides = [w.stride for w in windows]
    if all(w.dilation == 1 for w in windows):
        return Laid(nn.max_pool2d(image, [w.size for w in windows], strides=strides, padding=pads), CHANNELS_LAST)
    # Elements that are apart: the largest of all places of a window, each an image of its own.
    if None in image.shape:
        raise call.unsupported("with a dilation, of a size that the call chooses")
    wide = _ops.pad(image, [(0, 0), *pads, (0, 0)], -math.inf)
    result: Optional[Tensor] = None
    counts = [((wide.shape[i + 1] or 0) - w.span) // w.stride + 1 for i, w in enumerate(windows)]
    for row in range(windows[0].size):
        for column in range(windows[1].size):
            keys: List[slice] = [slice(None)]
            for place, w, count in zip((row, column), windows, counts):
                start = place * w.dilation
                keys.append(slice(start, start + (count - 1) * w.stride + 1, w.stride))
            part = _ops.getitem(wide, tuple(keys))
            result = part if result is None else _ops.maximum(result, part)
    assert result is not None
    return Laid(result, CHANNELS_LAST)


@op("max_pool2d.default")
def _max_pool2d(
    call: Call, x: Laid, window: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> Laid:
    image = _image(call, x)
    return _max_pool(call, x, _windows(call, image, window, stride, padding, dilation, ceil_mode), image)


@op("max_pool2d_with_indices.default")
def _max_pool2d_with_indices(call: Call, x: Laid, *given: Any) -> List[Any]:
    call.refuse_result(1, "whose indices are used")
    return [_max_pool2d(call, x, *given), None]


@op("avg_pool2d.default")
def _avg_pool2d(
    call: Call, x: Laid, window: Any, stride: Any = (), padding: Any = 0, ceil_mode: bool = False,
    counts_padding: bool = True, divisor: Optional[int] = None,
) -> Laid:  # fmt: skip
    image = _image(call, x)
    windows = _windows(call, image, window, stride, padding, 1, ceil_mode)
    pads = [(w.padding, w.padding + w.beyond) for w in windows]
    if divisor is not None:
        # All of a window is counted, and then the divisor is another one.
        image, pads = _ops.pad(image, [(0, 0), *pads, (0, 0)]), [(0, 0), (0, 0)]
    elif counts_padding and any(w.padding for w in windows):
        # PyTorch counts the zeros around the image, but not what is beyond them.
        image = _ops.pad(image, [(0, 0), *[(w.padding, w.padding) for w in windows], (0, 0)])
        pads = [(0, w.beyond) for w in windows]
    spans = [w.size for w in windows]
    result = nn.avg_pool2d(image, spans, strides=[w.stride for w in windows], padding=pads)
    return Laid(result if divisor is None else _ops.multiply(result, spans[0] * spans[1] / divisor), CHANNELS_LAST)


@op("avg_pool3d.default")
def _avg_pool3d(
    call: Call, x: Laid, window: Sequence[int], stride: Any = (), padding: Any = 0, ceil_mode: bool = False,
    counts_padding: bool = True, divisor: Optional[int] = None,
) -> Laid:  # fmt: skip
    # As `LocalResponseNorm` has it: along one dimension only.
    spans = [*window] * (3 if len(window) == 1 else 1)
    steps = [*stride] * (3 if len(stride) == 1 else 1) if stride else spans
    if x.ndim != 5 or spans[1:] != [1, 1] or steps[1:] != [1, 1]:
        raise call.unsupported("of windows along more than one dimension")
    around = [padding] if isinstance(padding, int) else list(padding)
    if any(around[1:]):
        raise call.unsupported("with a padding along more than one dimension")
    data = x.plain()
    batch, channels, depth, height, width = data.shape
    if None in data.shape:
        raise call.unsupported("of sizes that the call chooses")
    assert channels is not None and height is not None and width is not None
    flat = Laid(_ops.reshape(data, [batch, channels, depth, height * width]))
    result = _avg_pool2d(call, flat, [spans[0], 1], [steps[0], 1], [around[0], 0], ceil_mode, counts_padding, divisor)
    pooled = result.plain()
    return Laid(_ops.reshape(pooled, [batch, channels, pooled.shape[2], height, width]))


@op("adaptive_avg_pool2d.default", "_adaptive_avg_pool2d.default")
def _adaptive_avg_pool2d(call: Call, x: Laid, wanted: Sequence[Optional[int]]) -> Laid:
    image = _image(call, x)
    if list(wanted) == [1, 1]:
        return Laid(_ops.mean(image, (1, 2), keepdims=True), CHANNELS_LAST)
    spans = _adaptive(call, image, wanted)
    if all(total % span == 0 for total, span in spans):
        return Laid(nn.avg_pool2d(image, [total // span for total, span in spans]), CHANNELS_LAST)
    for axis, (total, span) in enumerate(spans, 1):
        shares = np.zeros((span, total))
        for place, (first, end) in enumerate(_adaptive_bounds(total, span)):
            shares[place, first:end] = 1 / (end - first)
        image = weigh(image, shares, axis)
    return Laid(image, CHANNELS_LAST)


@op("adaptive_max_pool2d.default")
def _adaptive_max_pool2d(call: Call, x: Laid, wanted: Sequence[Optional[int]]) -> List[Any]:
    call.refuse_result(1, "whose indices are used")
    image = _image(call, x)
    for axis, (total, span) in enumerate(_adaptive(call, image, wanted), 1):
        parts = [_ops.max(_ops.getitem(image, (*[slice(None)] * axis, slice(first, end))), axis, keepdims=True)
                 for first, end in _adaptive_bounds(total, span)]  # fmt: skip
        image = _ops.concatenate(parts, axis)
    return [Laid(image, CHANNELS_LAST), None]


def _adaptive(call: Call, image: Tensor, wanted: Sequence[Optional[int]]) -> List[Tuple[int, int]]:
    """The old and the new size of height and width; None is the old one."""
    result = []
    for total, span in zip(image.shape[1:3], wanted):
        if total is None:
            raise call.unsupported("of a size that the call chooses")
        result.append((total, total if span is None else span))
    return result


def _adaptive_bounds(total: int, span: int) -> List[Tuple[int, int]]:
    """What part of `total` elements each of `span` is made of."""
    return [(place * total // span, -(-(place + 1) * total // span)) for place in range(span)]


#
# Other sizes
#


class _Axis(NamedTuple):
    """How one dimension changes: from `total` elements to `new` ones, each `step` from the last one."""

    total: int
    new: int
    step: float


def _resized(call: Call, image: Tensor, wanted: Any, scales: Any) -> List[_Axis]:
    result = []
    for place, total in enumerate(image.shape[1:3]):
        if total is None or (wanted is not None and isinstance(wanted[place], Value)):
            raise call.unsupported("to sizes that the call chooses")
        if wanted is not None:
            result.append(_Axis(total, int(wanted[place]), total / int(wanted[place])))
        else:
            result.append(_Axis(total, math.floor(total * scales[place]), 1 / scales[place]))
    return result


@op("upsample_nearest2d.vec", "_upsample_nearest_exact2d.vec")
def _upsample_nearest2d(call: Call, x: Laid, wanted: Any, scales: Any = None) -> Laid:
    image = _image(call, x)
    half = 0.5 if "exact" in str(call.node.target) else 0.0
    if wanted is None and all(float(scale).is_integer() for scale in scales):
        # Whatever the size is.
        for axis, scale in enumerate(scales, 1):
            image = _ops.repeat(image, int(scale), axis)
        return Laid(image, CHANNELS_LAST)
    for place, resized in enumerate(_resized(call, image, wanted, scales), 1):
        # As PyTorch has it, in float32.
        at = (np.arange(resized.new, dtype=np.float32) + np.float32(half)) * np.float32(resized.step)
        found = np.minimum(at.astype(np.int32), resized.total - 1)
        image = repeat_or_take(image, found, place, resized.total)
    return Laid(image, CHANNELS_LAST)


def _places(axis: _Axis, aligns_corners: bool) -> Array:
    place = np.arange(axis.new, dtype=np.float64)
    if aligns_corners:
        return place * (axis.total - 1) / (axis.new - 1) if axis.new > 1 else np.zeros(axis.new)
    return (place + 0.5) * axis.step - 0.5


@op("upsample_bilinear2d.vec", "upsample_bicubic2d.vec", "_upsample_bilinear2d_aa.vec", "_upsample_bicubic2d_aa.vec")
def _upsample2d(call: Call, x: Laid, wanted: Any, aligns_corners: bool, scales: Any = None) -> Laid:
    image, name = _image(call, x), str(call.node.target)
    for place, axis in enumerate(_resized(call, image, wanted, scales), 1):
        smooths = "_aa" in name
        step = (axis.total - 1) / max(axis.new - 1, 1) if aligns_corners else axis.step
        cubic = (-0.5 if smooths else -0.75) if "bicubic" in name else None
        weights = interpolation_weights(
            _places(axis, aligns_corners), axis.total, cubic=cubic, squeeze=min(1 / step, 1.0) if smooths else 1.0,
            excludes_outside=smooths)  # fmt: skip
        if axis.new != axis.total or not np.array_equal(weights, np.eye(axis.total)):
            image = weigh(image, weights, place)
    return Laid(image, CHANNELS_LAST)
