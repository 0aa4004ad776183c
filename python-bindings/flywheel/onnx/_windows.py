# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of ONNX with windows: convolutions and pools."""

from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np

from .. import _ops
from .. import nn as nn
from .._core import dtypes as _dtypes
from .._core.annotations import Array
from .._core.tensor import Tensor, as_tensor
from .._frontends.layouts import Laid
from .._nn.windows import ceiling, convolve, convolve_transposed, largest_with_places, pool, unpooled, window_sums
from .._ops.arithmetic import root
from .._ops.shapes import reshape_to
from ._graph import Call, op
from ._known import Known

Pads = List[Tuple[int, int]]


class Windows:
    """The windows of convolutions and pools: of any number of dimensions of space, with channels last."""

    def __init__(self, call: Call, x: Laid, kernel: Sequence[int]):
        self.rank = x.ndim - 2
        if self.rank < 1 or len(kernel) != self.rank:
            raise call.unsupported(f"of {self.rank} dimensions with a window of {len(kernel)}")
        self.kernel = list(kernel)
        declared = call.attribute("kernel_shape", self.kernel)
        if list(declared) != self.kernel:
            raise ValueError(f"expected the window {list(declared)} of kernel_shape, found one of {self.kernel}")
        self.strides = list(call.attribute("strides", [1] * self.rank))
        self.dilations = list(call.attribute("dilations", [1] * self.rank))
        self.spans = [(k - 1) * d + 1 for k, d in zip(self.kernel, self.dilations)]
        self.auto = call.word("auto_pad", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER")
        pads = call.attribute("pads", [0] * (2 * self.rank))
        self.pads: Pads = list(zip(pads[: self.rank], pads[self.rank :]))
        if any(amount < 0 for pair in self.pads for amount in pair):
            raise call.unsupported("with negative pads")
        if self.auto != "NOTSET" and any(pads):
            raise ValueError(f"expected auto_pad or pads, found '{self.auto}' and {list(pads)}")
        self._order = (0, *range(2, x.ndim), 1)

    def image(self, x: Laid) -> Tensor:
        """[batch, space..., channels]."""
        return x.arranged(self._order)

    def result(self, image: Tensor) -> Laid:
        """The other way."""
        return Laid(image, self._order)

    def filters(self, w: Laid) -> Tensor:
        """[space..., channels, outputs] of a filter [outputs, channels, space...], as the compiler has them."""
        return w.arranged((*range(2, w.ndim), 1, 0))

    def known(self, call: Call, image: Tensor, what: str) -> List[int]:
        """The sizes of space, which have to be static."""
        found = [dim_size for dim_size in image._dims[1:-1] if dim_size is not None]
        if len(found) != self.rank:
            raise call.unsupported(f"with {what} of a size that the call chooses")
        return found

    def lazy_padding(self, call: Call, image: Tensor) -> Union[str, Pads]:
        """As ops of nn have it, which know "same" of sizes that the call chooses."""
        is_dynamic = None in image._dims[1:-1] and self.rank <= 2
        return "same" if self.auto == "SAME_UPPER" and is_dynamic else self.padding(call, image)

    def padding(self, call: Call, image: Tensor) -> Pads:
        if self.auto == "NOTSET":
            return self.pads
        if self.auto == "VALID":
            return [(0, 0)] * self.rank
        if call.op.endswith("Pool") and self.spans != self.kernel:
            # By ONNX's text and by its reference the results have other sizes.
            raise call.unsupported(f"with dilations and auto_pad '{self.auto}'")
        pairs = []
        for axis, dim_size in enumerate(self.known(call, image, f"auto_pad '{self.auto}'")):
            wanted = -(-dim_size // self.strides[axis])
            total = max((wanted - 1) * self.strides[axis] + self.spans[axis] - dim_size, 0)
            half = total // 2
            pairs.append((half, total - half) if self.auto == "SAME_UPPER" else (total - half, half))
        return pairs


def _of_filter(call: Call, x: Laid, w: Laid) -> Tuple[Windows, Tensor]:
    """Returns the windows of a filter, and the image."""
    if None in w.shape:
        raise call.unsupported("with a filter of a size that the call chooses")
    windows = Windows(call, x, [dim_size or 0 for dim_size in w.shape[2:]])
    image = windows.image(x)
    if windows.rank > 2:
        windows.known(call, image, "three dimensions of space")
    return windows, image


@op("Conv")
def _conv(call: Call, x: Laid, w: Laid, b: Optional[Laid] = None) -> Laid:
    windows, image = _of_filter(call, x, w)
    channels, group = w.shape[1] or 0, call.attribute("group")
    if x.shape[1] is not None and x.shape[1] != group * channels:
        raise ValueError(f"expected {group} times {channels} channels, found {x.shape[1]}")
    result = convolve(image, windows.filters(w), windows.strides, windows.lazy_padding(call, image), windows.dilations)
    return windows.result(result if b is None else _ops.add(result, b.plain()))


@op("ConvTranspose")
def _conv_transpose(call: Call, x: Laid, w: Laid, b: Optional[Laid] = None) -> Laid:
    windows, image = _of_filter(call, x, w)
    more = call.attribute("output_padding", [0] * windows.rank)
    pads, wanted = windows.pads, call.attribute("output_shape")
    if wanted is not None or windows.auto != "NOTSET":
        pads = _transposed_pads(call, windows, image, more, wanted)
    channels = call.attribute("group") * (w.shape[1] or 0)
    result = convolve_transposed(image, windows.filters(w), windows.strides, pads, more, windows.dilations, channels)
    return windows.result(result if b is None else _ops.add(result, b.plain()))


def _transposed_pads(
    call: Call, windows: Windows, image: Tensor, more: Sequence[int], wanted: Optional[Sequence[int]]
) -> Pads:
    """Returns the pads that give the size of output_shape or auto_pad."""
    if windows.auto == "VALID" and wanted is None:
        return [(0, 0)] * windows.rank
    pairs = []
    goal = None if wanted is None else wanted[-windows.rank :]
    for axis, dim_size in enumerate(windows.known(call, image, "output_shape or auto_pad,")):
        out = dim_size * windows.strides[axis] if goal is None else goal[axis]
        total = (dim_size - 1) * windows.strides[axis] + windows.spans[axis] + more[axis] - out
        if total < 0:
            # Elements that the filter does not reach are at the end.
            pairs.append((0, total))
            continue
        half = total // 2
        pairs.append((half, total - half) if windows.auto == "SAME_UPPER" else (total - half, half))
    return pairs


def _ceiling(call: Call, windows: Windows, image: Tensor, pads: Pads) -> Pads:
    """Returns the pads with which a last window that is not whole counts too."""
    if not call.flag("ceil_mode") or windows.auto.startswith("SAME"):
        return pads
    known = windows.known(call, image, "ceil_mode")
    return [ceiling(*given) for given in zip(known, windows.spans, windows.strides, pads)]


def _is_dense(windows: Windows, image: Tensor) -> bool:
    """Returns true if the pools of the compiler are for such windows."""
    return windows.dilations == [1] * windows.rank and _dtypes.is_floating(image.dtype) and windows.rank <= 3


def _pooled(windows: Windows, image: Tensor, pads: Pads) -> bool:
    """Returns true if they are for these pads too."""
    fits = all(amount < k for k, pair in zip(windows.kernel, pads) for amount in pair)
    return fits and _is_dense(windows, image)


@op("MaxPool")
def _max_pool(call: Call, x: Laid) -> Any:
    windows = Windows(call, x, call.attribute("kernel_shape"))
    image = windows.image(x)
    lazy = windows.lazy_padding(call, image)
    if isinstance(lazy, str) and not call.wants(1) and _is_dense(windows, image):
        return windows.result(pool(nn.max_pool2d, image, windows.kernel, windows.strides, lazy))
    pads = _ceiling(call, windows, image, windows.padding(call, image))
    is_column_major = call.flag("storage_order")
    if not call.wants(1) and _pooled(windows, image, pads):
        return windows.result(pool(nn.max_pool2d, image, windows.kernel, windows.strides, pads))
    known = windows.known(call, image, "windows")
    result, places = largest_with_places(image, windows.kernel, windows.strides, pads, windows.dilations,
                                         with_places=call.wants(1))  # fmt: skip
    if places is None:
        return windows.result(result)
    if is_column_major:
        numbers = np.arange(int(np.prod(known)), dtype=np.int64).reshape(known, order="F").reshape(-1)
        places = _ops.take(as_tensor(numbers), places, 0)
    return [windows.result(result), Laid(_in_whole(windows.result(places).plain(), known))]


def _in_whole(places: Tensor, known: Sequence[int]) -> Tensor:
    """Converts places in the space of an image to places in [batch, channels, space...]."""
    if None in places._dims[:2]:
        raise ValueError("expected static sizes")
    rows = int(np.prod([dim_size or 0 for dim_size in places._dims[:2]]))
    first = np.arange(rows, dtype=np.int64).reshape([*places._dims[:2], *[1] * len(known)])
    return _ops.add(places, as_tensor(first * int(np.prod(known))))


@op("MaxUnpool", known=(2,))
def _max_unpool(call: Call, x: Laid, places: Laid, wanted: Optional[Known] = None) -> Laid:
    windows = Windows(call, x, call.attribute("kernel_shape"))
    if None in x.shape:
        raise call.unsupported("of sizes that the call chooses")
    known = [dim_size or 0 for dim_size in x.shape]
    least = [(total - 1) * s + k - sum(pair) for total, s, k, pair in
             zip(known[2:], windows.strides, windows.kernel, windows.pads)]  # fmt: skip
    # The places are those in the smaller image that the pool had.
    total = int(np.prod(least))
    rows = as_tensor(np.arange(known[0] * known[1], dtype=np.int64).reshape([*known[:2], *[1] * windows.rank]) * total)
    result = unpooled(x.plain(), _ops.subtract(places.plain(), rows), least)
    if wanted is None:
        return Laid(result)
    goal = [int(one) for one in wanted.array][2:]
    return Laid(_ops.pad(result, [(0, 0), (0, 0), *[(0, new - old) for old, new in zip(least, goal)]]))


@op("AveragePool")
def _average_pool(call: Call, x: Laid) -> Laid:
    if not _dtypes.is_floating(x.dtype):
        raise call.unsupported("of integers")
    windows = Windows(call, x, call.attribute("kernel_shape"))
    image, counts_pads = windows.image(x), call.flag("count_include_pad")
    lazy = windows.lazy_padding(call, image)
    if isinstance(lazy, str) and not counts_pads and _is_dense(windows, image):
        return windows.result(pool(nn.avg_pool2d, image, windows.kernel, windows.strides, lazy))
    pads = windows.padding(call, image)
    wide = _ceiling(call, windows, image, pads)
    zeros = [(0, 0), *pads, (0, 0)]
    if not counts_pads and _pooled(windows, image, wide):
        return windows.result(pool(nn.avg_pool2d, image, windows.kernel, windows.strides, wide))
    behind: Pads = [(0, high - own) for (_, high), (_, own) in zip(wide, pads)]
    if counts_pads and _pooled(windows, image, behind):
        # The zeros around the image count, but not those that ceil_mode adds at its end.
        data = _ops.pad(image, zeros) if any(map(any, pads)) else image
        return windows.result(pool(nn.avg_pool2d, data, windows.kernel, windows.strides, behind))
    known = windows.known(call, image, "windows")
    sums = window_sums(_ops.pad(image, [(0, 0), *wide, (0, 0)]), windows.kernel, windows.strides, windows.dilations)
    ones = np.pad(np.ones(known), list(pads), constant_values=float(counts_pads))
    ones = np.pad(ones, behind)
    return windows.result(_ops.divide(sums, as_tensor(_counts(ones, windows).astype(x.dtype))))


def _counts(ones: Array, windows: Windows) -> Array:
    """Returns the number of elements of each window that count, [windows..., 1]."""
    shape = [(total - span) // s + 1 for total, span, s in zip(ones.shape, windows.spans, windows.strides)]
    total = np.zeros(shape)
    for place in np.ndindex(*windows.kernel):
        total += ones[tuple(
            slice(at * d, at * d + (n - 1) * s + 1, s)
            for at, d, s, n in zip(place, windows.dilations, windows.strides, shape))]  # fmt: skip
    return total[..., None]


@op("LpPool")
def _lp_pool(call: Call, x: Laid) -> Laid:
    windows = Windows(call, x, call.attribute("kernel_shape"))
    image, p = windows.image(x), call.attribute("p")
    pads = _ceiling(call, windows, image, windows.padding(call, image))
    windows.known(call, image, "windows")
    powers = _ops.abs(image) if p == 1 else _ops.square(image) if p == 2 else _ops.power(_ops.abs(image), p)
    sums = window_sums(_ops.pad(powers, [(0, 0), *pads, (0, 0)]), windows.kernel, windows.strides, windows.dilations)
    return windows.result(sums if p == 1 else root(sums) if p == 2 else _ops.power(sums, 1.0 / p))


@op("Col2Im", known=(1, 2))
def _col2im(call: Call, x: Laid, shape: Known, block: Known) -> Laid:
    spatial, kernel = ([int(one) for one in given.array] for given in (shape, block))
    rank = len(spatial)
    strides, dilations = (list(call.attribute(name, [1] * rank)) for name in ("strides", "dilations"))
    pads = call.attribute("pads", [0] * (2 * rank))
    if None in x.shape:
        raise call.unsupported("of sizes that the call chooses")
    batch, columns, _ = (dim_size or 0 for dim_size in x.shape)
    channels = columns // int(np.prod(kernel))
    wide = [total + low + high for total, low, high in zip(spatial, pads[:rank], pads[rank:])]
    counts = [(total - (k - 1) * d - 1) // s + 1 for total, k, d, s in zip(wide, kernel, dilations, strides)]
    data = reshape_to(x.plain(), [batch, channels, *kernel, *counts])
    # The element of each window at a place is one of the result's; those at one element add up.
    result: Tensor = _ops.zeros([batch, channels, *wide], x.dtype)
    for place in np.ndindex(*kernel):
        keys = tuple(slice(at * d, at * d + (n - 1) * s + 1, s)
                     for at, d, s, n in zip(place, dilations, strides, counts))  # fmt: skip
        part = _ops.getitem(data, (slice(None), slice(None), *place))
        whole: Any = (slice(None), slice(None), *keys)
        result = result.at[whole].add(part)
    cut = tuple(slice(low, low + total) for low, total in zip(pads[:rank], spatial))
    return Laid(_ops.getitem(result, (slice(None), slice(None), *cut)))


@op("GlobalAveragePool", "GlobalMaxPool")
def _global_pool(call: Call, x: Laid) -> Laid:
    function: Any = _ops.mean if call.op == "GlobalAveragePool" else _ops.max
    return x.like(function(x.data, tuple(x.places(range(2, x.ndim))), keepdims=True))
