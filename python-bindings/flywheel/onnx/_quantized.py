# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of ONNX on integers that stand for floating-point numbers."""

from typing import Any, List, Optional, Tuple

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._core.tensor import Tensor
from .._frontends.layouts import Laid
from .._nn.windows import window_parts
from .._ops.emission import normalize_axis, sizes
from .._ops.shapes import reshape_to
from ._graph import Call, op
from ._small import Element, Small, element_of, narrowed
from ._tensors import as_dtype
from ._windows import Windows


def _stretched(call: Call, x: Tensor, given: Tensor) -> Tensor:
    """Stretches a scale or zero point to each element: one for all, one for each place of `axis`, or one for each
    block."""
    # One scale for all has neither.
    axis, block = call.attribute("axis", 1), call.attribute("block_size", 0)
    if given.ndim == 0 or given._static_size == 1 and given.ndim <= 1:
        return reshape_to(given, [])
    axis = normalize_axis(axis, x.ndim)
    if given.ndim == 1 and not block:
        shape: List[Any] = [1] * x.ndim
        shape[axis] = sizes(given)[0]
        return reshape_to(given, shape)
    if given.ndim != x.ndim or block < 1:
        raise ValueError(f"expected one scale, one for each place of an axis, or blocks, found {given._dims}")
    total = x._dims[axis]
    if total is None:
        raise call.unsupported("with blocks of a size that the call chooses")
    wide = _ops.repeat(given, block, axis)
    return _ops.getitem(wide, (*[slice(None)] * axis, slice(0, total)))


def quantize(
    x: Tensor, scale: Tensor, zero: Optional[Tensor], target: _dtypes.DType, element: Optional[Element] = None
) -> Tensor:
    """round(x / scale) + zero, halves to even; numbers out of range become the nearest one in range, that of `element`
    if there is one."""
    info = np.iinfo(target)
    low, high = (info.min, info.max) if element is None else (element.low, element.high)
    rounded = _ops.rint(_ops.divide(x, scale))
    moved = rounded if zero is None else _ops.add(rounded, _ops.cast(zero, rounded.dtype))
    return _ops.cast(_ops.clip(moved, float(low), float(high)), target)


def dequantize(x: Tensor, scale: Tensor, zero: Optional[Tensor]) -> Tensor:
    """(x - zero) scale."""
    wide = _ops.cast(x, _dtypes.int32)
    wide = wide if zero is None else _ops.subtract(wide, _ops.cast(zero, _dtypes.int32))
    return _ops.multiply(_ops.cast(wide, scale.dtype), scale)


def _as_float32(x: Tensor) -> Tensor:
    return _ops.cast(x, _dtypes.float32) if _dtypes.is_half(x.dtype) else x


@op("QuantizeLinear", small="takes")
def _quantize_linear(call: Call, x: Laid, scale: Laid, zero: Optional[Laid] = None) -> Laid:
    data, given = x.plain(), call.attribute("output_dtype", 0)
    if call.attribute("precision", 0):
        raise call.unsupported("with precision")
    element = zero.element if isinstance(zero, Small) else element_of(given) if zero is None else None
    saturates = call.flag("saturate")
    if element is not None:
        target = element.carrier
    else:
        target = zero.dtype if zero is not None else as_dtype(given, "the result") if given else _dtypes.uint8
    is_float = element is not None and not element.is_integer
    if not is_float and (not _dtypes.is_integer(target) or target.itemsize > 2):
        raise call.unsupported(f"to {target}")
    own = _as_float32(_stretched(call, data, scale.plain()))
    offset = None if zero is None else _stretched(call, data, zero.plain())
    wide = _ops.cast(data, own.dtype)
    if element is None:
        return Laid(quantize(wide, own, offset, target))
    if element.is_integer:
        return Small(quantize(wide, own, offset, target, element), element)
    # The zero point of a floating-point type is 0, and says no more than the type.
    return narrowed(_ops.divide(wide, own), element, saturates)


@op("DequantizeLinear", small="takes")
def _dequantize_linear(call: Call, x: Laid, scale: Laid, zero: Optional[Laid] = None) -> Laid:
    data, given = x.plain(), call.attribute("output_dtype", 0)
    is_float = isinstance(x, Small) and not x.element.is_integer
    if not is_float and not _dtypes.is_integer(data.dtype):
        raise call.unsupported(f"of {data.dtype}")
    target = as_dtype(given, "the result") if given else scale.dtype
    own = _as_float32(_stretched(call, data, scale.plain()))
    offset = None if zero is None else _stretched(call, data, zero.plain())
    if is_float:
        return Laid(_ops.cast(_ops.multiply(_ops.cast(data, own.dtype), own), target))
    return Laid(_ops.cast(dequantize(data, own, offset), target))


def _centred(x: Tensor, zero: Optional[Tensor]) -> Tensor:
    """x - zero as int32."""
    wide = _ops.cast(x, _dtypes.int32)
    return wide if zero is None else _ops.subtract(wide, _ops.cast(zero, _dtypes.int32))


def _of_rows(x: Tensor, zero: Optional[Laid], is_row: bool) -> Optional[Tensor]:
    """Returns a zero point of a matrix: one, or one for each row or column."""
    if zero is None:
        return None
    data = zero.plain()
    if data.ndim == 0 or data._static_size == 1:
        return reshape_to(data, [])
    if data.ndim == 1:
        return _ops.expand_dims(data, 1) if is_row and x.ndim > 1 else data
    return data


@op("MatMulInteger")
def _matmul_integer(call: Call, a: Laid, b: Laid, a_zero: Optional[Laid] = None, b_zero: Optional[Laid] = None) -> Laid:
    x, y = a.plain(), b.plain()
    return Laid(_ops.matmul(_centred(x, _of_rows(x, a_zero, True)), _centred(y, _of_rows(y, b_zero, False))))


@op("QLinearMatMul")
def _qlinear_matmul(
    call: Call, a: Laid, a_scale: Laid, a_zero: Laid, b: Laid, b_scale: Laid, b_zero: Laid, y_scale: Laid,
    y_zero: Laid,
) -> Laid:  # fmt: skip
    x, y = a.plain(), b.plain()
    product = _ops.matmul(_centred(x, _of_rows(x, a_zero, True)), _centred(y, _of_rows(y, b_zero, False)))
    scales = [_of_rows(one, given, is_row) for one, given, is_row in
              ((x, a_scale, True), (y, b_scale, False), (x, y_scale, True))]  # fmt: skip
    ours, theirs, result = (_as_float32(one) for one in scales if one is not None)
    real = _ops.multiply(_ops.cast(product, ours.dtype), _ops.multiply(ours, theirs))
    return Laid(quantize(real, result, _of_rows(x, y_zero, True), y_zero.dtype))


def _convolved(call: Call, x: Laid, w: Laid, x_zero: Optional[Laid], w_zero: Optional[Laid]) -> Tuple[Windows, Tensor]:
    """Computes the convolution of integers as int32, with channels last: the sum over the places of the window."""
    shape, group = w.shape, call.attribute("group")
    if None in shape or None in x.shape[1:]:
        raise call.unsupported("of sizes that the call chooses")
    windows = Windows(call, x, [dim_size or 0 for dim_size in shape[2:]])
    image = _centred(windows.image(x), None if x_zero is None else reshape_to(x_zero.plain(), []))
    image = _ops.pad(image, [(0, 0), *windows.padding(call, image), (0, 0)])
    zero = None if w_zero is None else w_zero.plain()
    if zero is not None:
        zero = reshape_to(zero, [] if zero._static_size == 1 else [sizes(zero)[0], *[1] * (w.ndim - 1)])
    filters = _centred(w.plain(), zero)
    # [space..., channels of a group, outputs]
    filters = _ops.transpose(filters, [*range(2, w.ndim), 1, 0])
    per, each = (shape[1] or 0), (shape[0] or 0) // group
    result: Optional[Tensor] = None
    for place, part in window_parts(image, windows.kernel, windows.strides, windows.dilations):
        own = _ops.getitem(filters, place)
        products = [
            _ops.matmul(_ops.getitem(part, (..., slice(g * per, (g + 1) * per))),
                        _ops.getitem(own, (slice(None), slice(g * each, (g + 1) * each))))
            for g in range(group)]  # fmt: skip
        product = products[0] if group == 1 else _ops.concatenate(products, part.ndim - 1)
        result = product if result is None else _ops.add(result, product)
    assert result is not None
    return windows, result


@op("ConvInteger")
def _conv_integer(call: Call, x: Laid, w: Laid, x_zero: Optional[Laid] = None, w_zero: Optional[Laid] = None) -> Laid:
    windows, result = _convolved(call, x, w, x_zero, w_zero)
    return windows.result(result)


@op("QLinearConv")
def _qlinear_conv(
    call: Call, x: Laid, x_scale: Laid, x_zero: Laid, w: Laid, w_scale: Laid, w_zero: Laid, y_scale: Laid,
    y_zero: Laid, b: Optional[Laid] = None,
) -> Laid:  # fmt: skip
    windows, result = _convolved(call, x, w, x_zero, w_zero)
    # The bias is one of the scales' product.
    result = result if b is None else _ops.add(result, b.plain())
    scales = [one.plain() for one in (x_scale, w_scale, y_scale)]
    ours, theirs, goal = (reshape_to(one, []) if one._static_size == 1 else one for one in scales)
    real = _ops.multiply(_ops.cast(result, ours.dtype), _ops.multiply(ours, theirs))
    return windows.result(quantize(real, goal, reshape_to(y_zero.plain(), []), y_zero.dtype))
