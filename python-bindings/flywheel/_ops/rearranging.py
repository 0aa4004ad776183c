# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of tensors: split, repeated, and moved along dimensions."""

from typing import Any, List, Optional, Sequence, Union

import numpy as np

from .._core.argument_checks import elements
from .._core.tensor import Tensor, TensorLike, as_tensor, is_integer
from .checks import expect_multiple
from .emission import Size, index_op, is_signed, normalize_axis, size, sizes, stretch
from .indexing import extract_slice, getitem, take
from .shapes import DimSizes, concatenate, expand_dims, is_scalar, listed, ravel, reshape_to, to_index


def split(x: TensorLike, sections: Union[int, Tensor, Sequence[Union[int, Tensor]]], axis: int = 0) -> List[Tensor]:
    """Parts along a dimension: a number of equal ones, or cut at these places."""
    x = as_tensor(x)
    axis = normalize_axis(axis, x.ndim)
    dim_size = x._dims[axis]
    if isinstance(sections, Tensor) or is_integer(sections):
        # Raises the error of a tensor: the number is not known yet.
        sections = int(sections)  # type: ignore[arg-type]
    if dim_size is None and isinstance(sections, int):
        if sections <= 0:
            raise ValueError(f"a dimension does not split into {sections} equal parts")
        old = sizes(x)
        expect_multiple(old[axis], sections, f"split: dimension {axis} in {sections} equal parts")
        part = index_op("floordivsi", old[axis], sections)
        found: List[Tensor] = []
        for i in range(sections):
            offsets: List[Size] = [0] * x.ndim
            offsets[axis] = index_op("muli", part, i)
            found.append(extract_slice(x, offsets, [*old[:axis], part, *old[axis + 1 :]], [1] * x.ndim))
        return found
    places: List[Any]
    if isinstance(sections, int):
        assert dim_size is not None
        if sections <= 0 or dim_size % sections:
            raise ValueError(f"a dimension of {dim_size} does not split into {sections} equal parts")
        places = [dim_size // sections * i for i in range(1, sections)]
    else:
        places = elements("sections, the places to split at", sections)
    bounds = [0, *places, dim_size]
    prefix = (slice(None),) * axis
    return [getitem(x, (*prefix, slice(a, b))) for a, b in zip(bounds, bounds[1:])]


def repeat(x: TensorLike, repeats: DimSizes, axis: Optional[int] = None) -> Tensor:
    """Each element (slice along `axis`) repeated in a row, by one number for all or one for each; without an axis, of
    the vector of all elements. One number may be a scalar tensor."""
    x = as_tensor(x)
    if axis is None:
        x, axis = ravel(x), 0
    axis = normalize_axis(axis, x.ndim)
    if not is_integer(repeats) and not is_scalar(repeats):
        counts = np.asarray(repeats)
        if x._dims[axis] is None or counts.ndim > 1 or counts.size not in (1, x._dims[axis]):
            raise ValueError(f"expected a number for each of {x._dims[axis]} elements, found {repeats}")
        return take(x, np.repeat(np.arange(x._dims[axis] or 0, dtype=np.int32), counts), axis)
    count = to_index(repeats)
    old = sizes(x)
    wide = stretch(expand_dims(x, axis + 1), [*old[: axis + 1], count, *old[axis + 1 :]])
    old[axis] = index_op("muli", old[axis], count)
    return reshape_to(wide, old)


def roll(
    x: TensorLike, shift: DimSizes, axis: Union[int, Sequence[int], None] = None
) -> Tensor:
    """Elements moved along dimensions, in row-major order if there is no axis; elements that leave at one end come back
    at the other."""
    x = as_tensor(x)
    shifts = [to_index(one) for one in listed(shift)]
    if axis is None:
        total: Size = 0
        for one in shifts:
            total = index_op("addi", total, one)
        return reshape_to(_roll(ravel(x), total, 0), sizes(x))
    axes = listed(axis)
    if len(shifts) == 1:
        shifts *= len(axes)
    if len(shifts) != len(axes):
        raise ValueError(f"expected a shift for each of {len(axes)} axes, found {len(shifts)}")
    result: Tensor = x
    for one, place in zip(shifts, axes):
        result = _roll(result, one, place)
    return result


def _roll(x: Tensor, shift: Size, axis: int) -> Tensor:
    axis = normalize_axis(axis, x.ndim)
    total = size(x, axis)
    if total == 0 or (isinstance(total, int) and isinstance(shift, int) and shift % total == 0):
        return x
    divisor = index_op("maxsi", total, 1)
    if isinstance(shift, int) and isinstance(total, int):
        behind: Size = shift % total
    elif isinstance(shift, int) or not is_signed(shift):
        # The remainder of the shift by the size, which may be 0.
        behind = index_op("remsi", abs(shift) if isinstance(shift, int) else shift, divisor)
    else:
        # The inner remainder is between the size and its negative.
        behind = index_op("remsi", index_op("addi", index_op("remsi", shift, divisor), divisor), divisor)
    first = index_op("subi", total, behind)
    if not isinstance(total, int) and isinstance(shift, int) and shift < 0:
        first, behind = behind, first
    old = sizes(x)
    if isinstance(total, int) and not isinstance(first, int):
        # The parts of a shift that the call chooses have no sizes of a feed: of twice x, one of its size has.
        begin: List[Size] = [0] * x.ndim
        begin[axis] = first
        return extract_slice(concatenate([x, x], axis), begin, old, [1] * x.ndim)
    parts = []
    for start, length in ((first, behind), (0, first)):
        offsets: List[Size] = [0] * x.ndim
        lengths = list(old)
        # States the bound for the compiler.
        offsets[axis], lengths[axis] = start, index_op("minsi", length, total)
        parts.append(extract_slice(x, offsets, lengths, [1] * x.ndim))
    return concatenate(parts, axis)
