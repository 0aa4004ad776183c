# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fourier transforms of aten."""

from typing import Any, Callable, Dict, Sequence, Union

import numpy as np

from .. import _ops
from .._core.tensor import Tensor
from .._frontends.layouts import Laid
from .._numerics.spectra import LONGEST_PRODUCT, hermitian, largest_product, resized, transform
from ._complex import Complex, op

# By the number that PyTorch gives a way of scaling: none, by the root of the count of elements, and by that.
_SCALES: Dict[int, Callable[[float], float]] = {
    0: lambda count: 1.0, 1: lambda count: float(count**-0.5), 2: lambda count: 1 / count}  # fmt: skip


def _length(call: Any, size: Any) -> int:
    if size is None:
        raise call.unsupported("of a size that the call chooses")
    if largest_product(size) > LONGEST_PRODUCT:
        raise call.unsupported(f"of a length, {size}, with a prime factor above {LONGEST_PRODUCT}")
    return int(size)


def _scaled(data: Tensor, normalization: int, counts: Sequence[int]) -> Laid:
    scale = _SCALES[normalization](float(np.prod(counts)))
    return Laid(data if scale == 1.0 else _ops.multiply(data, scale))


@op("_fft_c2c.default")
def _complex_to_complex(
    call: Any, x: Union[Complex, Laid], axes: Sequence[int], normalization: int, forward: bool
) -> Complex:
    counts = [_length(call, x.shape[axis]) for axis in axes]
    real, imaginary = x.tensors() if isinstance(x, Complex) else (x.plain(), None)
    for axis in axes:
        real, imaginary = transform(real, imaginary, axis % x.ndim, -1.0 if forward else 1.0)
    if imaginary is None:
        imaginary = _ops.zeros_like(real)
    return Complex(_scaled(real, normalization, counts), _scaled(imaginary, normalization, counts))


@op("_fft_r2c.default")
def _real_to_complex(call: Any, x: Laid, axes: Sequence[int], normalization: int, onesided: bool) -> Complex:
    counts = [_length(call, x.shape[axis]) for axis in axes]
    # The last dimension has half of the frequencies.
    last = axes[-1] % x.ndim
    kept = counts[-1] // 2 + 1 if onesided else counts[-1]
    real, imaginary = transform(x.plain(), None, last, -1.0, kept)
    for axis in axes[:-1]:
        real, imaginary = transform(real, imaginary, axis % x.ndim, -1.0)
    return Complex(_scaled(real, normalization, counts), _scaled(imaginary, normalization, counts))


@op("_fft_c2r.default")
def _complex_to_real(call: Any, x: Complex, axes: Sequence[int], normalization: int, last_dim_size: int) -> Laid:
    count, last = _length(call, last_dim_size), axes[-1] % x.ndim
    counts = [*(_length(call, x.shape[axis]) for axis in axes[:-1]), count]
    real, imaginary = x.tensors()
    for axis in axes[:-1]:
        real, imaginary = transform(real, imaginary, axis % x.ndim, 1.0)
    real, imaginary = (resized(part, last, count // 2 + 1) for part in (real, imaginary))
    return _scaled(hermitian(real, imaginary, last, count), normalization, counts)
