# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fourier transforms for models of other frameworks, of numbers as pairs of real and imaginary part: products with
matrices of sines and cosines, of long sequences in several steps."""

from typing import Optional

import numpy as np

from .. import _ops
from .._core.tensor import Tensor, as_tensor
from .._ops.emission import sizes
from .._ops.shapes import reshape_to
from .complex_pairs import Pair, product
from .interpolation import weigh

# The longest sequence that one product transforms, where its length has factors.
_LONGEST = 128


def _first_factor(total: int) -> int:
    """Returns the largest factor up to the square root: 1 of a prime."""
    return next(one for one in range(int(total**0.5), 0, -1) if total % one == 0) if total > 0 else 1


def largest_product(total: int) -> int:
    """Returns the length of the longest sequence that one product transforms as a part of one of this length."""
    first = _first_factor(total) if total > _LONGEST else 1
    return total if first == 1 else max(largest_product(first), largest_product(total // first))


# The longest sequence that one product with a matrix transforms for a graph: a matrix has the square of it.
LONGEST_PRODUCT = 2048


def resized(x: Tensor, axis: int, length: int) -> Tensor:
    """Returns the first `length` elements along a dimension, with zeros after them if there are fewer."""
    total = x._dims[axis] or 0
    if total > length:
        return _ops.getitem(x, (*[slice(None)] * axis, slice(0, length)))
    widths = [(0, 0)] * x.ndim
    widths[axis] = (0, length - total)
    return _ops.pad(x, widths) if total < length else x


def transform(real: Tensor, imaginary: Optional[Tensor], axis: int, sign: float, kept: Optional[int] = None) -> Pair:
    """Returns the first `kept` of sum_n x[n] exp(sign 2 pi i k n / N), by default all N, as real and imaginary part.
    The size of the dimension is static."""
    total = real._dims[axis] or 0
    kept = total if kept is None else kept
    first = _first_factor(total) if total > _LONGEST else 1
    if first > 1:
        whole = _in_two_steps(real, imaginary, axis, sign, first)
        return resized(whole[0], axis, kept), resized(whole[1], axis, kept)
    turns = (np.arange(kept)[:, None] * np.arange(total)[None, :]) % max(total, 1) * (2 * np.pi / max(total, 1))
    cosines, sines = np.cos(turns), sign * np.sin(turns)
    result = weigh(real, cosines, axis), weigh(real, sines, axis)
    if imaginary is None:
        return result
    return (_ops.subtract(result[0], weigh(imaginary, sines, axis)),
            _ops.add(result[1], weigh(imaginary, cosines, axis)))  # fmt: skip


def _in_two_steps(real: Tensor, imaginary: Optional[Tensor], axis: int, sign: float, first: int) -> Pair:
    """Transforms sequences of N = P Q elements, P being `first`: element Q p + q is transformed along p, turned, and
    transformed along q (J. Cooley, J. Tukey, "An algorithm for the machine calculation of complex Fourier series",
    1965)."""
    moved = [None if x is None else _ops.moveaxis(x, axis, -1) for x in (real, imaginary)]
    assert moved[0] is not None
    old = sizes(moved[0])
    total = moved[0]._dims[-1] or 0
    last = total // first
    parts = [None if x is None else reshape_to(x, [*old[:-1], first, last]) for x in moved]
    assert parts[0] is not None
    place = parts[0].ndim - 2
    found = transform(parts[0], parts[1], place, sign)
    turns = np.arange(first)[:, None] * np.arange(last)[None, :] * (2 * np.pi / total)
    dtype = found[0].dtype
    turned = as_tensor(np.cos(turns).astype(dtype)), as_tensor((sign * np.sin(turns)).astype(dtype))
    found = product(found, turned)
    found = transform(found[0], found[1], place + 1, sign)
    whole = (_ops.moveaxis(reshape_to(_ops.swapaxes(x, -1, -2), old), -1, axis) for x in found)
    return next(whole), next(whole)


def hermitian(real: Tensor, imaginary: Tensor, axis: int, length: int) -> Tensor:
    """Returns `length` times the real sequence of this length that has these first `length // 2 + 1` frequencies. The
    imaginary parts of frequency 0 and of the middle one are not read."""
    kept = real._dims[axis] or 0
    if length > _LONGEST and _first_factor(length) > 1:
        # Frequency N - k is the conjugate of frequency k.
        places = np.arange(length)
        mirrored = places > length // 2
        index = np.where(mirrored, length - places, places).astype(np.int32)
        factors = np.where(mirrored, -1.0, np.where((places == 0) | (2 * places == length), 0.0, 1.0))
        shape = [length, *[1] * (real.ndim - 1 - axis)]
        whole = _ops.multiply(_ops.take(imaginary, index, axis), factors.reshape(shape).astype(real.dtype))
        return transform(_ops.take(real, index, axis), whole, axis, 1.0)[0]
    turns = (np.arange(length)[:, None] * np.arange(kept)[None, :]) % length * (2 * np.pi / length)
    # Each frequency but 0 and the middle one occurs twice.
    shares = np.full(kept, 2.0)
    shares[0] = 1.0
    if length % 2 == 0 and kept == length // 2 + 1:
        shares[-1] = 1.0
    sines = np.sin(turns) * shares
    # Rounding leaves these sines other than 0.
    sines[:, shares == 1.0] = 0.0
    return _ops.subtract(weigh(real, np.cos(turns) * shares, axis), weigh(imaginary, sines, axis))
