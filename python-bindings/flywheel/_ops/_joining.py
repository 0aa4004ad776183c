# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors side by side, and cut apart again."""

from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np

from .._core.tensor import Tensor, TensorLike, as_tensor, format_shape
from .._errors.messages import about
from ._ranges import lower_triangle
from .arithmetic import multiply
from .creation import DimSize
from .emission import Size, broadcast, index_op, normalize_axis, sizes
from .indexing import extract_slice, flip
from .rearranging import split
from .shapes import concatenate, expand_dims, moveaxis, ravel, reshape, swapaxes


def atleast_1d(x: TensorLike) -> Tensor:
    """`x`, a scalar as a vector."""
    x = as_tensor(x)
    return expand_dims(x, 0) if x.ndim == 0 else x


def atleast_2d(x: TensorLike) -> Tensor:
    """`x`, a vector as a row."""
    x = atleast_1d(x)
    return expand_dims(x, 0) if x.ndim == 1 else x


def atleast_3d(x: TensorLike) -> Tensor:
    """`x`, a matrix with a last dimension of 1, a vector as one of a single row."""
    x = atleast_2d(x)
    return expand_dims(x, -1) if x.ndim == 2 else x


def vstack(tensors: Sequence[TensorLike]) -> Tensor:
    """Tensors in a row along the first dimension; vectors are rows."""
    return concatenate([atleast_2d(x) for x in tensors], 0)


def hstack(tensors: Sequence[TensorLike]) -> Tensor:
    """Tensors in a row along the second dimension; vectors along their only one."""
    parts = [atleast_1d(x) for x in tensors]
    return concatenate(parts, 0 if parts and parts[0].ndim == 1 else 1)


def dstack(tensors: Sequence[TensorLike]) -> Tensor:
    """Tensors in a row along the third dimension."""
    return concatenate([atleast_3d(x) for x in tensors], 2)


def column_stack(tensors: Sequence[TensorLike]) -> Tensor:
    """Vectors as columns, and matrices, side by side."""
    parts = [as_tensor(x) for x in tensors]
    return concatenate([swapaxes(atleast_2d(x), 0, 1) if x.ndim < 2 else x for x in parts], 1)


def append(x: TensorLike, values: TensorLike, axis: Optional[int] = None) -> Tensor:
    """`x` followed by other elements along a dimension; without one, as vectors."""
    return concatenate([x, values], axis)


def block(parts: Any) -> Tensor:
    """A tensor of blocks: lists of lists of them, the innermost along the last dimension."""

    def depth(part: Any) -> int:
        return 1 + max((depth(one) for one in part), default=0) if isinstance(part, list) else 0

    def join(part: Any, axis: int) -> Tensor:
        if isinstance(part, list):
            return concatenate([join(one, axis + 1) for one in part], axis)
        x = as_tensor(part)
        return expand_dims(x, list(range(levels - x.ndim))) if x.ndim < levels else x

    levels = depth(parts)
    return join(parts, -levels) if levels else as_tensor(parts)


def broadcast_arrays(*tensors: TensorLike) -> List[Tensor]:
    """Each one with the shape that all have together."""
    return list(broadcast(*[as_tensor(x) for x in tensors]))


def meshgrid(*vectors: TensorLike, indexing: str = "xy") -> List[Tensor]:
    """The coordinates of a grid: a tensor for each vector, which has its elements along a dimension of its own. With
    "xy" the first two dimensions are exchanged. Raises ValueError for another `indexing`."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"expected indexing 'xy' or 'ij', found {indexing!r}")
    rank = len(vectors)
    wide = []
    for place, one in enumerate(vectors):
        x = ravel(one)
        if indexing == "xy" and rank > 1:
            place = 1 - place if place < 2 else place
        wide.append(expand_dims(x, [axis for axis in range(rank) if axis != place]))
    return broadcast_arrays(*wide) if wide else []


def array_split(x: TensorLike, sections: Any, axis: int = 0) -> List[Tensor]:
    """As `split`, but that parts need not be equal: the first ones have one element more."""
    x = as_tensor(x)
    axis = normalize_axis(axis, x.ndim)
    total = x._dims[axis]
    if isinstance(sections, Tensor):
        # Raises the error of a tensor that has no value yet.
        sections = int(sections)
    if isinstance(sections, int) and total is None and sections > 0:
        return _split_unequally(x, sections, axis)
    if isinstance(sections, int) and total is not None and sections > 0:
        sections = [int(part[0]) if part.size else total for part in np.array_split(np.arange(total), sections)][1:]
    return split(x, sections, axis)


def _split_unequally(x: Tensor, sections: int, axis: int) -> List[Tensor]:
    """Splits a dimension of which only the call knows the size."""
    dim_sizes = sizes(x)
    offset: Size = 0
    parts = []
    for place in range(sections):
        # If n elements are split into k parts, the first n modulo k have one more.
        length = index_op("floordivsi", index_op("addi", dim_sizes[axis], sections - 1 - place), sections)
        offsets: List[Size] = [0] * x.ndim
        offsets[axis] = offset
        lengths = [*dim_sizes[:axis], length, *dim_sizes[axis + 1 :]]
        parts.append(extract_slice(x, offsets, lengths, [1] * x.ndim))
        offset = index_op("addi", offset, length)
    return parts


def vsplit(x: TensorLike, sections: Union[int, Sequence[int]]) -> List[Tensor]:
    """`split` along the first dimension. Raises ValueError for a vector, as NumPy does."""
    x = as_tensor(x)
    if x.ndim < 2:
        raise about("vsplit", ValueError("takes a tensor of two dimensions at least, found "
                                         f"{format_shape(x._dims)}"), " ")  # fmt: skip
    return split(x, sections, 0)


def hsplit(x: TensorLike, sections: Union[int, Sequence[int]]) -> List[Tensor]:
    """`split` along the second dimension, of a vector along its only one."""
    x = as_tensor(x)
    return split(x, sections, 0 if x.ndim == 1 else 1)


def fliplr(x: TensorLike) -> Tensor:
    """`flip` of the second dimension."""
    return flip(x, 1)


def flipud(x: TensorLike) -> Tensor:
    """`flip` of the first dimension."""
    return flip(x, 0)


def rot90(x: TensorLike, k: int = 1, axes: Tuple[int, int] = (0, 1)) -> Tensor:
    """`x` turned `k` times by a quarter, from the first of two dimensions towards the second. Raises ValueError for
    axes that are not two different ones of `x`."""
    x = as_tensor(x)
    if len(axes) != 2:
        raise about("rot90", ValueError(f"expected two axes, found {axes}"))
    first, second = (normalize_axis(axis, x.ndim) for axis in axes)
    if first == second:
        raise about("rot90", ValueError(f"expected two different axes, found {axes} of a tensor of "
                                        f"{x.ndim} dimensions"))  # fmt: skip
    k %= 4
    if k == 0:
        return as_tensor(x)
    if k == 2:
        return flip(x, (first, second))
    return flip(swapaxes(x, first, second), first) if k == 1 else swapaxes(flip(x, first), first, second)


def unstack(x: TensorLike, axis: int = 0) -> List[Tensor]:
    """The slices along a dimension of static size: the contrary of `stack`."""
    return list(moveaxis(as_tensor(x), axis, 0))


def tri(rows: DimSize, columns: Optional[DimSize] = None, k: DimSize = 0, dtype: Any = np.float32) -> Tensor:
    """Ones on and below a diagonal, zeros above. Sizes may be scalar tensors."""
    return lower_triangle(rows, columns, k, dtype)


def kron(a: TensorLike, b: TensorLike) -> Tensor:
    """Kronecker's product: each element of `a` times all of `b`, in its place."""
    a, b = as_tensor(a), as_tensor(b)
    rank = max(a.ndim, b.ndim)
    a, b = [expand_dims(x, list(range(rank - x.ndim))) if x.ndim < rank else x for x in (a, b)]
    wide = multiply(expand_dims(a, [2 * i + 1 for i in range(rank)]), expand_dims(b, [2 * i for i in range(rank)]))
    return reshape(wide, [m * n for m, n in zip(a.shape, b.shape)])
