# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Images of another size, for models of other frameworks: one dimension at a time, as a product with a matrix of
constants or as elements that are taken."""

from typing import Optional

import numpy as np

from .. import _ops
from .._core.annotations import Array
from .._core.tensor import Tensor, as_tensor
from .._ops.emission import sizes
from .._ops.shapes import reshape_to


def interpolation_weights(
    at: Array, total: int, *, cubic: Optional[float] = None, squeeze: float = 1.0, excludes_outside: bool = False
) -> Array:
    """Returns the shares of `total` elements in those at the places `at` [count]: a matrix [count, total].

    Linear, or with `cubic` Keys' kernel of that coefficient. With a `squeeze` below 1 the kernel is wider by as much:
    elements of an image that shrinks are those of a smoothed one. Elements outside equal the one at the border, or with
    `excludes_outside` have no share, and the others have it.
    """
    radius = (1 if cubic is None else 2) / squeeze
    first = np.floor(at - radius).astype(np.int64)
    near = first[:, None] + np.arange(int(np.ceil(2 * radius)) + 2)
    distance = np.abs(near - at[:, None]) * squeeze
    shares = np.maximum(1 - distance, 0) if cubic is None else _cubic(distance, cubic)
    if excludes_outside:
        shares = np.where((near < 0) | (near >= total), 0, shares)
    sums = shares.sum(1, keepdims=True)
    shares = shares / np.where(sums == 0, 1, sums)
    result = np.zeros((len(at), total))
    rows = np.broadcast_to(np.arange(len(at))[:, None], near.shape)
    np.add.at(result, (rows, np.clip(near, 0, total - 1)), shares)
    return result


def _cubic(distance: Array, a: float) -> Array:
    """The kernel of R. Keys, "Cubic convolution interpolation for digital image processing", 1981, equation 4."""
    inner = ((a + 2) * distance - (a + 3)) * distance**2 + 1
    outer = ((distance - 5) * distance + 8) * distance * a - 4 * a
    return np.where(distance <= 1, inner, np.where(distance < 2, outer, 0))


def weigh(data: Tensor, weights: Array, place: int) -> Tensor:
    """Weighted sums over dimension `place`, for each row of `weights`: a product of matrices."""
    matrix = as_tensor(weights.astype(data.dtype))
    after = data._dims[place + 1 :]
    if None in after:
        letters = [chr(ord("a") + i) for i in range(data.ndim)]
        result = [*letters]
        result[place] = "z"
        return _ops.einsum(f"{''.join(letters)},z{letters[place]}->{''.join(result)}", data, matrix)
    if not after:
        return _ops.matmul(data, _ops.transpose(matrix))
    before = sizes(data)[:place]
    width = int(np.prod([one for one in after if one is not None]))
    wide = reshape_to(data, [*before, weights.shape[1], width])
    joined = _ops.matmul(matrix, wide)
    return reshape_to(joined, [*before, weights.shape[0], *[one for one in after if one is not None]])


def repeat_or_take(data: Tensor, found: Array, place: int, total: int) -> Tensor:
    """The elements `found` of dimension `place`, which has `total` of them: often each several times."""
    if total and len(found) % total == 0 and np.array_equal(found, np.repeat(np.arange(total), len(found) // total)):
        return _ops.repeat(data, len(found) // total, place)
    return _ops.take(data, found, place)
