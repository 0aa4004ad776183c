# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors with a border."""

from typing import Any, List, Sequence, Tuple, Union

import numpy as np

from .._core import dtypes as _dtypes
from .._core import trace as _trace
from .._core.tensor import Tensor, TensorLike, as_tensor, constant, format_shape, holds_tensors, of_value
from .._errors.messages import wrong
from .._flywheel import Attribute
from .arithmetic import cast
from .checks import expect_at_least
from .emission import Size, as_unsigned, is_signed, signless, sizes, stretch
from .indexing import take
from .shapes import concatenate, to_index

Number = Union[int, float]
_PADS = ("constant", "edge", "reflect", "symmetric", "wrap")


def pad(
    x: TensorLike, widths: Union[int, Sequence[Any]], mode: Union[str, Number] = "constant", constant_values: Number = 0
) -> Tensor:
    """`x` with elements added before and after each dimension; one pair of widths, or one width, is for all.

    The border is `constant_values`, or a number in place of the mode; or, as in NumPy, by the mode "edge",
    "reflect", "symmetric" or "wrap" elements of `x`, of static dimensions. Widths of the border of a number may be
    scalar tensors. Raises ValueError for widths below 0.
    """
    x = as_tensor(x)
    if isinstance(mode, str) and mode not in _PADS:
        raise wrong(ValueError, f"one of {', '.join(_PADS)}", repr(mode))
    if holds_tensors(widths) and (mode == "constant" or not isinstance(mode, str)):
        return _join_borders(x, widths, constant_values if isinstance(mode, str) else mode)
    pairs = _pairs(widths, x.ndim)
    if not isinstance(mode, str):
        return _pad_by(x, pairs, mode)
    if mode == "constant":
        return _pad_by(x, pairs, constant_values)
    kind: Any = mode
    result: Tensor = x
    for axis, pair in enumerate(pairs):
        total = result._dims[axis]
        if any(pair):
            if total is None:
                raise ValueError(f"a border by mode '{mode}' needs a static size: dimension {axis} of "
                                 f"{format_shape(x._dims)}")  # fmt: skip
            result = take(result, np.pad(np.arange(total, dtype=np.int32), pair, mode=kind), axis)
    return result


def _pairs(widths: Union[int, Sequence[Any]], rank: int) -> List[Tuple[int, int]]:
    """Two widths for each dimension."""
    given = np.asarray(widths)
    fits = given.shape in ((), (1,), (2,), (1, 2), (rank, 2)) or (rank == 0 and given.size == 0)
    if not fits or given.dtype.kind not in "iu" and given.size or (given < 0).any():
        raise ValueError(f"expected two widths of at least 0 for each of {rank} dimensions, found {widths}")
    return [(int(low), int(high)) for low, high in np.broadcast_to(given, (rank, 2))]


def _pad_by(x: Tensor, widths: List[Tuple[int, int]], value: Number) -> Tensor:
    if _dtypes.is_bool(x.dtype):
        return cast(_pad_by(cast(x, _dtypes.int8), widths, int(value)), bool)
    if _dtypes.is_unsigned(x.dtype):
        plain = signless(x)
        return as_unsigned(_pad_by(plain, widths, int(np.array(value, x.dtype).view(plain.dtype))), x.dtype)
    trace = _trace.current()
    shape = [None if dim_size is None else dim_size + low + high for dim_size, (low, high) in zip(x._dims, widths)]
    if np.ndim(value):
        raise wrong(ValueError, "one number", f"shape {format_shape(np.shape(value))}", "constant_values")
    fill = constant(value, x.dtype)
    element = trace.graph.type(_dtypes.name_of(x.dtype), None)
    number = trace.op("tensor.extract", [fill.value], [element])[0]
    region = trace.region([trace.index_type()] * x.ndim, lambda _: [number], "tensor.yield")
    attributes: _trace.Attributes = {
        "static_low": Attribute.i64s([low for low, _ in widths]),
        "static_high": Attribute.i64s([high for _, high in widths]),
        "operandSegmentSizes": Attribute.i32s([1, 0, 0]),
    }
    return of_value(trace.op("tensor.pad", [x.value], [trace.type(x.dtype, tuple(shape))], attributes, [region])[0])


def _join_borders(x: Tensor, widths: Any, value: Number) -> Tensor:
    """Adds a border of a number, of widths that the step knows."""
    given = widths if isinstance(widths, (list, tuple)) else [widths]
    if all(isinstance(one, (list, tuple)) for one in given):
        pairs = list(given) * x.ndim if len(given) == 1 else list(given)
    else:
        pairs = [list(given) * 2 if len(given) == 1 else list(given)] * x.ndim
    if len(pairs) != x.ndim or any(len(pair) != 2 for pair in pairs):
        raise ValueError(f"expected two widths of at least 0 for each of {x.ndim} dimensions, found {widths}")
    element = constant(value, x.dtype)
    for axis, pair in enumerate(pairs):
        low, high = (_width(one, axis) for one in pair)
        old: List[Size] = sizes(x)
        border = [stretch(element, [*old[:axis], width, *old[axis + 1 :]]) for width in (low, high)]
        x = concatenate([border[0], x, border[1]], axis)
    return x


def _width(width: Any, axis: int) -> Size:
    found = to_index(width)
    if is_signed(found):
        expect_at_least(found, 0, f"pad: the width of the border of dimension {axis}")
    return found
