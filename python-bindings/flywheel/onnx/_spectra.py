# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fourier transforms of ONNX."""

from typing import Any, List, Optional, Tuple

import numpy as np

from .. import _ops
from .._core.tensor import Tensor
from .._frontends.layouts import Laid
from .._numerics.spectra import hermitian, largest_product, resized, transform
from .._ops.emission import normalize_axis
from ._graph import Call, op
from ._known import Known, check_made


def _parts(x: Tensor) -> Tuple[Tensor, Optional[Tensor]]:
    """Returns the real and the imaginary part of [..., 1 or 2]."""
    real = _ops.getitem(x, (..., 0))
    return real, _ops.getitem(x, (..., 1)) if x._dims[-1] == 2 else None


@op("DFT", known=(1, 2))
def _dft(call: Call, x: Laid, length: Optional[Known] = None, axis: Optional[Known] = None) -> Laid:
    if axis is not None:
        given = int(axis.array.reshape(()))
    else:
        given = call.attribute("axis", 1) if call.opset < 20 else -2
    place, is_inverse, is_onesided = normalize_axis(given, x.ndim), call.flag("inverse"), call.flag("onesided")
    data, total = x.plain(), x.shape[place]
    if total is None:
        raise call.unsupported("of a size that the call chooses")
    if place == x.ndim - 1:
        raise ValueError("expected an axis other than that of the parts of numbers")
    is_hermitian = is_inverse and is_onesided
    count = int(length.array.reshape(-1)[0]) if length is not None else 2 * (total - 1) if is_hermitian else total
    if count < 1:
        raise ValueError(f"expected a length of 1 or more, found {count}")
    check_made(call, count, largest_product(count))
    if is_hermitian:
        real, imaginary = _parts(resized(data, place, count // 2 + 1))
        if imaginary is None:
            imaginary = _ops.zeros_like(real)
        return Laid(_ops.expand_dims(_ops.divide(hermitian(real, imaginary, place, count), float(count)), x.ndim - 1))
    real, imaginary = _parts(resized(data, place, count))
    kept = count // 2 + 1 if is_onesided else count
    result = transform(real, imaginary, place, 1.0 if is_inverse else -1.0, kept)
    if is_inverse:
        result = _ops.divide(result[0], float(count)), _ops.divide(result[1], float(count))
    return Laid(_ops.stack(list(result), x.ndim - 1))


@op("STFT", known=(1, 3))
def _stft(call: Call, x: Laid, step: Known, window: Optional[Laid] = None, length: Optional[Known] = None) -> Laid:
    data, hop = x.plain(), int(step.array.reshape(-1)[0])
    total = x.shape[1]
    size = None if window is None else window.shape[0]
    if length is not None:
        size = int(length.array.reshape(-1)[0])
    if total is None or size is None:
        raise call.unsupported("of a size that the call chooses")
    if hop < 1 or not 0 < size <= total:
        raise ValueError(f"expected frames of 1 to {total} elements, a step apart, found {size} and {hop}")
    check_made(call, size, largest_product(size))
    frames = (total - size) // hop + 1
    places: Any = np.arange(frames)[:, None] * hop + np.arange(size)[None, :]
    framed = _ops.take(data, places.astype(np.int32), 1)
    if window is not None:
        framed = _ops.multiply(framed, _ops.reshape(window.plain(), (size, 1)))
    real, imaginary = _parts(framed)
    result: List[Tensor] = list(transform(real, imaginary, 2, -1.0, size // 2 + 1 if call.flag("onesided") else size))
    return Laid(_ops.stack(result, 3))


def _cosines(call: Call, length: Known, shares: Tuple[float, ...]) -> Known:
    """sum_j (-1)^j shares[j] cos(2 pi j n / N)."""
    count, dtype = int(length.array.reshape(-1)[0]), call.dtype_attribute("output_datatype")
    check_made(call, count)
    turns = 2 * np.pi * np.arange(count) / (count if call.flag("periodic") else max(count - 1, 1))
    found = sum((-1) ** j * share * np.cos(j * turns) for j, share in enumerate(shares))
    return Known(np.asarray(found).astype(dtype))


# The coefficients of _cosines: Hann's window, Hamming's and Blackman's.
_WINDOWS = {"HannWindow": (0.5, 0.5), "HammingWindow": (25 / 46, 21 / 46), "BlackmanWindow": (0.42, 0.5, 0.08)}


@op(*_WINDOWS, known=(0,))
def _window(call: Call, length: Known) -> Known:
    return _cosines(call, length, _WINDOWS[call.op])
