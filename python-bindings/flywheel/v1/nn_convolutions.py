# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of `tf.nn`: convolutions and pools of any rank, moments, and blocks of space in the batch."""

from typing import Any, Callable, List, Optional, Tuple

import numpy as np

from .. import _ops
from .. import nn as traced
from .._core.argument_checks import elements, integers, text
from .._errors.messages import about, wrong
from .._nn.windows import convolve
from .._nn.windows import pool as pool_windows
from .conversion import as_tensor, make
from .elementwise import TABLE
from .precision import rounds_once


def _volume(sizes: Any, what: str) -> List[int]:
    sizes = elements(what, sizes)
    if len(sizes) != 5 or sizes[0] != 1 or sizes[4] != 1:
        raise about("flywheel.v1.nn", NotImplementedError(f"{what} {list(sizes)}, expected 1 for the batch and the "
                                                          "channels"))  # fmt: skip
    return [int(n) for n in sizes[1:4]]


def _border(x: Any, spans: List[int], strides: List[int], padding: str) -> List[Tuple[int, int]]:
    """Returns the padding before and after each spatial dimension; if the total is odd, the extra element is after."""
    pads = []
    for total, span, stride in zip(x._dims[1:-1], spans, strides):
        if padding.upper() not in ("SAME", "VALID"):
            raise ValueError(f"padding must be SAME or VALID, found '{padding}'")
        if padding.upper() == "VALID":
            pads.append((0, 0))
            continue
        if total is None:
            raise ValueError("the sizes of space must be known with the padding SAME")
        missing = max((-(-total // stride) - 1) * stride + span - total, 0)
        pads.append((missing // 2, missing - missing // 2))
    return pads


def _convolved(x: Any, w: Any, strides: List[int], padding: str, holes: List[int]) -> Any:
    spans = [((k or 0) - 1) * d + 1 for k, d in zip(w._dims, holes)]
    return convolve(x, w, strides, _border(x, spans, strides, padding), holes)


def conv3d(
    input: Any, filter: Any, strides: Any, padding: str, data_format: str = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1), name: Optional[str] = None,
) -> Any:  # fmt: skip
    """Cross-correlation of volumes [batch, depth, height, width, channels] with filters."""
    if data_format != "NDHWC":
        raise about("flywheel.v1.nn.conv3d", NotImplementedError(f"data_format='{data_format}', expected 'NDHWC'"))
    steps, holes = _volume(strides, "strides"), _volume(dilations, "dilations")
    return make("Conv3D", lambda x, w: _convolved(x, w, steps, padding, holes), as_tensor(input), as_tensor(filter),
                name=name)  # fmt: skip


def convolution(
    input: Any, filter: Any, padding: str, strides: Any = None, dilation_rate: Any = None, name: Optional[str] = None,
    data_format: Optional[str] = None, filters: Any = None, dilations: Any = None,
) -> Any:  # fmt: skip
    """Cross-correlation of sequences, images or volumes with filters."""
    if data_format is not None and data_format[-1] != "C":
        raise about("flywheel.v1.nn.convolution", NotImplementedError(
            f"data_format='{data_format}', expected channels last"))  # fmt: skip
    x, w = as_tensor(input), as_tensor(filter if filters is None else filters)
    rank = len(x.shape) - 2
    steps = [1] * rank if strides is None else [int(n) for n in strides]
    rate = dilation_rate if dilations is None else dilations
    holes = [1] * rank if rate is None else [int(n) for n in rate]
    return make("convolution", lambda a, b: _convolved(a, b, steps, padding, holes), x, w, name=name)


def _pool3d(kind: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def op(
        input: Any, ksize: Any, strides: Any, padding: str, data_format: str = "NDHWC", name: Optional[str] = None
    ) -> Any:
        if data_format != "NDHWC":
            raise about("flywheel.v1.nn", NotImplementedError(f"data_format='{data_format}', expected 'NDHWC'"))
        window, steps = _volume(ksize, "ksize"), _volume(strides, "strides")
        return make(kind, lambda x: pool_windows(function, x, window, steps, _border(x, window, steps, padding)),
                    as_tensor(input), name=name)  # fmt: skip

    return op


max_pool3d = _pool3d("MaxPool3D", traced.max_pool2d)
avg_pool3d = _pool3d("AvgPool3D", traced.avg_pool2d)


def pool(
    input: Any, window_shape: Any, pooling_type: str, padding: str, dilation_rate: Any = None, strides: Any = None,
    name: Optional[str] = None, data_format: Optional[str] = None, dilations: Any = None,
) -> Any:  # fmt: skip
    """The largest elements ("MAX") or the means ("AVG") of windows of sequences, images or volumes."""
    if any(n != 1 for n in dilation_rate or dilations or ()) or data_format not in (None, "NWC", "NHWC", "NDHWC"):
        raise about("flywheel.v1.nn.pool", NotImplementedError("dilations, or channels first"))
    if text("pooling_type", pooling_type) not in ("MAX", "AVG"):
        raise ValueError(f"expected pooling_type 'MAX' or 'AVG', found '{pooling_type}'")
    function = {"MAX": traced.max_pool2d, "AVG": traced.avg_pool2d}[pooling_type]
    window = [int(n) for n in window_shape]
    steps = [1] * len(window) if strides is None else [int(n) for n in strides]
    return make("pool", lambda x: pool_windows(function, x, window, steps, _border(x, window, steps, padding)),
                as_tensor(input), name=name)  # fmt: skip


def fused_batch_norm(
    x: Any, scale: Any, offset: Any, mean: Any = None, variance: Any = None, epsilon: float = 0.001,
    data_format: str = "NHWC", is_training: bool = True, name: Optional[str] = None,
) -> Any:  # fmt: skip
    """Images with mean 0 and variance 1 in each channel, times `scale` plus `offset`, and the mean and the variance,
    of the batch, with n - 1 under its sum, or those that are given."""
    if data_format != "NHWC":
        raise about("flywheel.v1.nn.fused_batch_norm", NotImplementedError(
            f"data_format='{data_format}', expected 'NHWC'"))  # fmt: skip
    y, gamma, beta = as_tensor(x), as_tensor(scale), as_tensor(offset)
    if not is_training:
        if mean is None or variance is None:
            raise ValueError("mean and variance must both be given with is_training=False")

        def tests(*operands: Any) -> Any:
            return traced.batch_norm_inference(*operands, epsilon=epsilon)

        normed = make("FusedBatchNorm", tests, y, as_tensor(mean), as_tensor(variance), gamma, beta, name=name)
        return normed, as_tensor(mean), as_tensor(variance)

    def emit(a: Any, g: Any, b: Any) -> Any:
        normed, m, v = traced.batch_norm_training(a, g, b, epsilon=epsilon)
        count = _ops.cast(_ops.prod(_ops.shape(a)[:-1]), v.dtype)
        return normed, m, _ops.multiply(v, _ops.divide(count, _ops.maximum(_ops.subtract(count, 1.0), 1.0)))

    return tuple(make("FusedBatchNorm", emit, y, gamma, beta, name=name))


@rounds_once
def weighted_moments(
    x: Any, axes: Any, frequency_weights: Any, name: Optional[str] = None, keep_dims: bool = False
) -> Any:
    """The mean and the variance over axes, of elements that count so often."""
    y = as_tensor(x)
    w = TABLE["multiply"](as_tensor(frequency_weights, y.dtype), TABLE["ones_like"](y))
    total = TABLE["reduce_sum"](w, axes, True)
    kept = TABLE["divide"](TABLE["reduce_sum"](TABLE["multiply"](w, y), axes, True), total)
    spread = TABLE["reduce_sum"](TABLE["multiply"](w, TABLE["squared_difference"](y, kept)), axes, keep_dims)
    variance = TABLE["divide"](spread, total if keep_dims else TABLE["reduce_sum"](w, axes))
    if keep_dims:
        return kept, variance
    return TABLE["divide"](TABLE["reduce_sum"](TABLE["multiply"](w, y), axes), TABLE["reduce_sum"](w, axes)), variance


def sufficient_statistics(
    x: Any, axes: Any, shift: Any = None, keep_dims: bool = False, name: Optional[str] = None
) -> Any:
    """The number of elements, their sum, and that of their squares, less a shift."""
    y = as_tensor(x)
    from .ops import reshape, stop_gradient

    count = stop_gradient(reshape(TABLE["reduce_sum"](TABLE["ones_like"](y), axes), [-1])[0])
    moved = y if shift is None else TABLE["subtract"](y, shift)
    return (count, TABLE["reduce_sum"](moved, axes, keep_dims),
            TABLE["reduce_sum"](TABLE["square"](moved), axes, keep_dims), shift)  # fmt: skip


@rounds_once
def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: Optional[str] = None
) -> Any:
    """The mean and the variance of what `sufficient_statistics` gave."""
    one = TABLE["divide"](mean_ss, counts)
    mean = one if shift is None else TABLE["add"](one, shift)
    return mean, TABLE["subtract"](TABLE["divide"](variance_ss, counts), TABLE["square"](one))


def log_poisson_loss(
    targets: Any, log_input: Any, compute_full_loss: bool = False, name: Optional[str] = None
) -> Any:
    """exp(c) - z c, with `compute_full_loss` and Stirling's approximation of log(z!) where z > 1."""

    def emit(z: Any, c: Any) -> Any:
        loss = _ops.subtract(_ops.exp(c), _ops.multiply(z, c))
        if not compute_full_loss:
            return loss
        safe = _ops.where(_ops.greater(z, 1), z, _ops.ones_like(z))
        more = _ops.add(_ops.subtract(_ops.multiply(safe, _ops.log(safe)), safe),
                        _ops.multiply(0.5, _ops.log(_ops.multiply(2 * np.pi, safe))))  # fmt: skip
        return _ops.add(loss, _ops.where(_ops.logical_and(_ops.greater_equal(z, 0), _ops.less_equal(z, 1)),
                                         _ops.zeros_like(z), more))  # fmt: skip

    return make("log_poisson_loss", emit, as_tensor(targets), as_tensor(log_input), name=name)


def space_to_batch_nd(input: Any, block_shape: Any, paddings: Any, name: Optional[str] = None) -> Any:
    """Blocks of the dimensions of space as examples of the batch."""
    blocks, pads = integers("block_shape", block_shape), _pairs("paddings", paddings)

    def emit(x: Any) -> Any:
        rank = len(blocks)
        y = _ops.pad(x, [(0, 0), *pads, *[(0, 0)] * (x.ndim - 1 - rank)])
        n = _ops.dim(y, 0)
        sizes = y.shape[1 : 1 + rank]
        split = [part for m, b in zip(sizes, blocks) for part in (m // b, b)]
        y = _ops.reshape(y, [n, *split, *y.shape[1 + rank :]])
        order = [2 + 2 * i for i in range(rank)] + [0] + [1 + 2 * i for i in range(rank)]
        y = _ops.transpose(y, [*order, *range(1 + 2 * rank, y.ndim)])
        inner = [m // b for m, b in zip(sizes, blocks)]
        return _ops.reshape(y, [n * int(np.prod(blocks)), *inner, *x.shape[1 + rank :]])

    return make("SpaceToBatchND", emit, as_tensor(input), name=name)


def _pairs(name: str, given: Any) -> List[Tuple[int, int]]:
    found = [integers(f"an element of {name}", one) for one in elements(name, given)]
    if any(len(one) != 2 for one in found):
        raise wrong(ValueError, "pairs of integers", found, name)
    return [(a, b) for a, b in found]


def batch_to_space_nd(input: Any, block_shape: Any, crops: Any, name: Optional[str] = None) -> Any:
    """The other way round."""
    blocks, cut = integers("block_shape", block_shape), _pairs("crops", crops)

    def emit(x: Any) -> Any:
        rank, total = len(blocks), int(np.prod(blocks))
        n, sizes = x.shape[0] // total, x.shape[1 : 1 + rank]
        y = _ops.reshape(x, [*blocks, n, *x.shape[1:]])
        order = [rank] + [part for i in range(rank) for part in (rank + 1 + i, i)]
        y = _ops.transpose(y, [*order, *range(1 + 2 * rank, y.ndim)])
        y = _ops.reshape(y, [n, *[m * b for m, b in zip(sizes, blocks)], *x.shape[1 + rank :]])
        keys = tuple(slice(a, m * b - c) for (a, c), m, b in zip(cut, sizes, blocks))
        return _ops.getitem(y, (slice(None), *keys))

    return make("BatchToSpaceND", emit, as_tensor(input), name=name)


__all__ = [
    "avg_pool3d", "conv3d", "convolution", "fused_batch_norm", "log_poisson_loss", "max_pool3d", "normalize_moments",
    "pool", "sufficient_statistics", "weighted_moments",
]  # fmt: skip
