# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of ONNX that layers are made of: products, convolutions, pools."""

from typing import Any, List, Optional, Sequence, Tuple, Union

from .. import _dtypes, _ops
from .. import nn as nn
from .._layouts import CHANNELS_LAST, Laid
from .._ops._core import Size, empty, index_op, size, sizes
from .._ops._shapes import _product, reshape_to
from .._tensor import Tensor
from .._windows import ceiling
from ._graph import Call, op

#
# Products
#


def rows_times(x: Tensor, w: Tensor, transpose_b: bool = False) -> Tensor:
    """`x` is [..., k], `w` [k, n], or [n, k] with `transpose_b`."""
    flat = x if x.ndim == 2 else reshape_to(x, [_product(sizes(x)[:-1]), size(x, x.ndim - 1)])
    result = nn.matmul(flat, w, transpose_b=transpose_b)
    return result if x.ndim == 2 else reshape_to(result, [*sizes(x)[:-1], size(result, 1)])


def _is_swapped(x: Laid) -> bool:
    """Whether the last two dimensions are the other way around, and no others."""
    rank = x.ndim
    return rank >= 2 and x.order == (*range(rank - 2), rank - 1, rank - 2)


@op("MatMul")
def _matmul(call: Call, a: Laid, b: Laid) -> Laid:
    if not _dtypes.is_floating(a.dtype) or a.ndim < 2 or b.ndim < 2:
        return Laid(_ops.matmul(a.plain(), b.plain()))
    inner = a.shape[-1], b.shape[-2]
    if None not in inner and inner[0] != inner[1]:
        raise ValueError(f"{a.shape} and {b.shape} do not multiply")
    if b.ndim == 2 and a.ndim > 2:
        return Laid(rows_times(a.plain(), b.data, transpose_b=_is_swapped(b)))
    same = a.ndim == b.ndim and a.shape[:-2] == b.shape[:-2]
    if same and (_is_swapped(a) or a.is_plain) and (_is_swapped(b) or b.is_plain):
        return Laid(nn.matmul(a.data, b.data, transpose_a=_is_swapped(a), transpose_b=_is_swapped(b)))
    return Laid(_ops.matmul(a.plain(), b.plain()))


@op("Gemm")
def _gemm(call: Call, a: Laid, b: Laid, c: Optional[Laid] = None) -> Laid:
    if not _dtypes.is_floating(a.dtype):
        raise call.unsupported("of integers")
    a = a.permuted((1, 0)) if call.flag("transA") else a
    b = b.permuted((1, 0)) if call.flag("transB") else b
    alpha, beta = call.attribute("alpha"), call.attribute("beta")
    product = nn.matmul(a.data, b.data, transpose_a=not a.is_plain, transpose_b=not b.is_plain)
    if alpha != 1:
        product = _ops.multiply(product, alpha)
    if c is None or beta == 0:
        return Laid(product)
    added = c.plain() if beta == 1 else _ops.multiply(c.plain(), beta)
    return Laid(_ops.add(product, added))


@op("Einsum")
def _einsum(call: Call, *operands: Laid) -> Laid:
    return Laid(_ops.einsum(call.attribute("equation"), *[x.plain() for x in operands]))


#
# Windows
#

Pads = Union[str, List[Tuple[int, int]]]


class Windows:
    """What convolutions and pools say of their windows; one dimension is an image of height 1."""

    def __init__(self, call: Call, x: Laid, kernel: Sequence[int]):
        self.rank = x.ndim - 2
        if self.rank not in (1, 2) or len(kernel) != self.rank:
            raise call.unsupported(f"of {x.ndim - 2} dimensions" if self.rank == len(kernel) else
                                   f"of {self.rank} dimensions with a window of {len(kernel)}")  # fmt: skip
        declared = call.attribute("kernel_shape", list(kernel))
        if list(declared) != list(kernel):
            raise ValueError(f"expected the window {list(declared)} of kernel_shape, found one of {list(kernel)}")
        self.kernel = self._wide(kernel, 1)
        self.strides = self._wide(call.attribute("strides", [1] * self.rank), 1)
        self.dilations = self._wide(call.attribute("dilations", [1] * self.rank), 1)
        self.spans = [(k - 1) * d + 1 for k, d in zip(self.kernel, self.dilations)]
        self.auto = call.attribute("auto_pad")
        if self.auto not in ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"):
            raise call.unsupported(f"with auto_pad '{self.auto}'")
        pads = call.attribute("pads", [0] * (2 * self.rank))
        low, high = self._wide(pads[: self.rank], 0), self._wide(pads[self.rank :], 0)
        self.pads = list(zip(low, high))
        if any(amount < 0 for pair in self.pads for amount in pair):
            raise call.unsupported("with negative pads")
        if self.auto != "NOTSET" and any(pads):
            raise ValueError(f"expected auto_pad or pads, found '{self.auto}' and {list(pads)}")

    def _wide(self, given: Sequence[int], filler: int) -> List[int]:
        return [filler, *given] if self.rank == 1 else list(given)

    def image(self, x: Laid) -> Tensor:
        """[batch, height, width, channels]."""
        return (x if self.rank == 2 else Laid(_ops.expand_dims(x.plain(), 2))).arranged(CHANNELS_LAST)

    def result(self, image: Tensor) -> Laid:
        """The other way."""
        laid = Laid(image, CHANNELS_LAST)
        return laid if self.rank == 2 else Laid(_ops.squeeze(laid.plain(), 2))

    def padding(self, call: Call, image: Tensor) -> Pads:
        """As ops of nn have it."""
        if self.auto == "NOTSET":
            return self.pads
        if self.auto in ("VALID", "SAME_UPPER"):
            return "valid" if self.auto == "VALID" else "same"
        return self.same(call, image, False)

    def same(self, call: Call, image: Tensor, is_upper: bool) -> List[Tuple[int, int]]:
        """The pads of auto_pad SAME."""
        pairs = []
        for axis in range(2):
            dim_size = image.shape[1 + axis]
            if dim_size is None:
                raise call.unsupported(f"with auto_pad '{self.auto}' of a size that the call chooses")
            wanted = -(-dim_size // self.strides[axis])
            total = max((wanted - 1) * self.strides[axis] + self.spans[axis] - dim_size, 0)
            pairs.append((total // 2, total - total // 2) if is_upper else (total - total // 2, total // 2))
        return pairs


@op("Conv")
def _conv(call: Call, x: Laid, w: Laid, b: Optional[Laid] = None) -> Laid:
    shape, group = w.shape, call.attribute("group")
    if None in shape:
        raise call.unsupported("with a filter of a size that the call chooses")
    windows = Windows(call, x, [dim_size or 0 for dim_size in shape[2:]])
    if x.shape[1] is not None and x.shape[1] != group * (shape[1] or 0):
        raise ValueError(f"expected {group} times {shape[1]} channels, found {x.shape[1]}")
    image = windows.image(x)
    # [outputs, channels, height, width], as the compiler has filters.
    filters = (w if windows.rank == 2 else Laid(_ops.expand_dims(w.plain(), 2))).arranged((2, 3, 1, 0))
    result = nn.conv2d(image, filters, strides=windows.strides, padding=windows.padding(call, image),
                       dilations=windows.dilations)  # fmt: skip
    return windows.result(result if b is None else _ops.add(result, b.plain()))


@op("ConvTranspose")
def _conv_transpose(call: Call, x: Laid, w: Laid, b: Optional[Laid] = None) -> Laid:
    shape, group = w.shape, call.attribute("group")
    if None in shape:
        raise call.unsupported("with a filter of a size that the call chooses")
    windows = Windows(call, x, [dim_size or 0 for dim_size in shape[2:]])
    image = windows.image(x)
    more = windows._wide(call.attribute("output_padding", [0] * windows.rank), 0)
    if any(amount >= stride for amount, stride in zip(more, windows.strides)):
        raise call.unsupported("with an output_padding of a stride or more")
    pads, wanted = list(windows.pads), call.attribute("output_shape")
    if wanted is not None or windows.auto != "NOTSET":
        pads = _transposed_pads(call, windows, image, more, wanted)
    heights: List[Size] = []
    for axis in range(2):
        whole = index_op("muli", index_op("subi", size(image, 1 + axis), 1), windows.strides[axis])
        heights.append(index_op("addi", whole, windows.spans[axis] + more[axis] - sum(pads[axis])))
    like = empty([size(image, 0), *heights, group * (shape[1] or 0)], x.dtype)
    filters = (w if windows.rank == 2 else Laid(_ops.expand_dims(w.plain(), 2))).arranged((2, 3, 1, 0))
    result = nn.conv2d_transpose(image, filters, like, strides=windows.strides, padding=pads,
                                 dilations=windows.dilations)  # fmt: skip
    return windows.result(result if b is None else _ops.add(result, b.plain()))


def _transposed_pads(
    call: Call, windows: Windows, image: Tensor, more: Sequence[int], wanted: Optional[Sequence[int]]
) -> List[Tuple[int, int]]:
    """The pads that make the size that output_shape or auto_pad say."""
    pairs = []
    goal = None if wanted is None else windows._wide(wanted[-windows.rank :], 1)
    for axis in range(2):
        dim_size = image.shape[1 + axis]
        if windows.auto == "VALID" and goal is None:
            pairs.append((0, 0))
            continue
        if dim_size is None:
            raise call.unsupported("with output_shape or auto_pad, of a size that the call chooses")
        out = dim_size * windows.strides[axis] if goal is None else goal[axis]
        total = (dim_size - 1) * windows.strides[axis] + windows.spans[axis] + more[axis] - out
        if total < 0:
            raise call.unsupported("with an output that is larger than what the filter reaches")
        half = total // 2
        pairs.append((half, total - half) if windows.auto == "SAME_UPPER" else (total - half, half))
    return pairs


def _ceiling(call: Call, windows: Windows, image: Tensor, pads: Pads) -> Pads:
    """The pads with which a last window that is not whole counts too."""
    if not call.flag("ceil_mode") or isinstance(pads, str) and pads == "same":
        return pads
    pairs = [(0, 0), (0, 0)] if isinstance(pads, str) else list(pads)
    for axis in range(2):
        dim_size = image.shape[1 + axis]
        if dim_size is None:
            raise call.unsupported("with ceil_mode of a size that the call chooses")
        pairs[axis] = ceiling(dim_size, windows.spans[axis], windows.strides[axis], pairs[axis])
    return pairs


def _pool_windows(call: Call, x: Laid) -> Windows:
    if not _dtypes.is_floating(x.dtype):
        raise call.unsupported("of integers")
    windows = Windows(call, x, call.attribute("kernel_shape"))
    if windows.dilations != [1, 1]:
        raise call.unsupported("with dilations")
    return windows


def _check_pads(call: Call, windows: Windows, pads: Pads) -> Pads:
    if not isinstance(pads, str):
        for axis, pair in enumerate(pads):
            if any(amount >= windows.kernel[axis] for amount in pair):
                raise call.unsupported("with pads as large as the window")
    return pads


# The order is that of indices as a second result.
@op("MaxPool", without="storage_order")
def _max_pool(call: Call, x: Laid) -> Laid:
    if call.wants(1):
        raise call.unsupported("with indices as its second result")
    windows = _pool_windows(call, x)
    image = windows.image(x)
    pads = _check_pads(call, windows, _ceiling(call, windows, image, windows.padding(call, image)))
    return windows.result(nn.max_pool2d(image, windows.kernel, strides=windows.strides, padding=pads))


@op("AveragePool")
def _average_pool(call: Call, x: Laid) -> Laid:
    windows = _pool_windows(call, x)
    image = windows.image(x)
    pads = windows.padding(call, image)
    wide = _ceiling(call, windows, image, pads)
    if call.flag("count_include_pad") and pads != "valid":
        if wide != pads:
            raise call.unsupported("with count_include_pad and ceil_mode")
        zeros = windows.same(call, image, True) if isinstance(pads, str) else pads
        image, wide = _ops.pad(image, [(0, 0), *zeros, (0, 0)]), "valid"
    wide = _check_pads(call, windows, wide)
    return windows.result(nn.avg_pool2d(image, windows.kernel, strides=windows.strides, padding=wide))


@op("GlobalAveragePool", "GlobalMaxPool")
def _global_pool(call: Call, x: Laid) -> Laid:
    function: Any = _ops.mean if call.op == "GlobalAveragePool" else _ops.max
    return x.like(function(x.data, tuple(x.places(range(2, x.ndim))), keepdims=True))
