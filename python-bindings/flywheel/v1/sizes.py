# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes that programs compute. The compiler knows those that are arithmetic on the sizes of feeds; of a number that
depends on values, Python makes a feed of that size first."""

from typing import Any, List

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .conversion import as_tensor, make
from .graph import get_default_graph
from .host_calls import host_call
from .operation import Operation, Tensor
from .shapes import Dimension

# Ops whose results are sizes where their inputs are.
_ARITHMETIC = frozenset([
    "add", "sub", "mul", "floordiv", "Add", "Subtract", "Multiply", "Floordiv", "Maximum", "Minimum", "Cast", "stack",
    "Pack", "concat", "unstack", "split", "strided_slice", "Slice", "Reshape", "Squeeze", "ExpandDims", "Identity",
    "reduce_prod"])  # fmt: skip


def is_of_shapes(op: Operation) -> bool:
    """Returns true if the compiler knows the results of an op as sizes."""
    left, seen = [op], set()
    while left:
        one = left.pop()
        if one in seen or one.type in ("Shape", "Size", "SizeOf"):
            continue
        seen.add(one)
        if one.type == "Const" and one.fields.host is None:
            continue
        if one.type not in _ARITHMETIC or not one.inputs:
            return False
        left += [x.op for x in one.inputs]
    return True


def as_known(value: Any) -> Any:
    """Returns integers that programs are compiled for, as an array; or, if they are computed, a tensor that holds
    them as numbers where its consumer is emitted (`known_numbers`). Each of their values has a program. Raises
    TypeError for other numbers."""
    if isinstance(value, (list, tuple)) and any(hasattr(one, "op") for one in value) or hasattr(value, "op"):
        x = as_tensor(value)
        literal = x.op.fields.literal
        if literal is not None:
            return _integers(np.asarray(literal))
        if not x.dtype.is_integer:
            raise TypeError(f"expected integers, found '{x.name}' of dtype {_dtypes.name_of(x.dtype)}: cast it")
        made = host_call("Known", lambda _, a: a, [x], [(x.dtype, x.static_shape)])[0]
        made.fields = made.fields._replace(is_known=True)
        return made.outputs[0]
    if isinstance(value, Dimension):
        value = int(value)
    elif isinstance(value, (list, tuple)):
        value = [int(one) if isinstance(one, Dimension) else one for one in value]
    return _integers(np.asarray(value.as_list() if hasattr(value, "as_list") else value))


def _integers(numbers: Any) -> Any:
    """Returns an array of integers; raises TypeError for one of other numbers, which would be cut to integers."""
    if numbers.size and numbers.dtype.kind not in "iuO":
        raise TypeError(f"expected integers, found {numbers.tolist()}")
    return numbers


def known_numbers(value: Any) -> Any:
    """Returns a number or the numbers of what `as_known` made, where its consumer is emitted."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if value._index is None:
        raise ValueError("expected numbers that are known before the program is compiled")
    return value._index


def is_open(value: Any) -> bool:
    """Returns true for a tensor whose numbers `as_known` finds when a program runs, not before."""
    parts = value if isinstance(value, (list, tuple)) else [value]
    return any(hasattr(one, "op") and as_tensor(one).op.fields.literal is None for one in parts)


def as_size(value: Any) -> Any:
    """Returns a scalar as a size: a tensor that the compiler knows as one, or a number."""
    x = value if isinstance(value, Tensor) else value._as_graph_tensor() if hasattr(value, "_as_graph_tensor") else None
    if x is None or is_of_shapes(x.op) or get_default_graph()._open.contexts:
        return value if x is None else x
    if not x.dtype.is_integer:
        raise TypeError(f"a size is an integer, found '{x.name}' of dtype {_dtypes.name_of(x.dtype)}: cast it")

    return make("SizeOf", lambda y: _ops.cast(_ops.shape(y)[0], x.dtype), of_size(x))


def of_size(x: Tensor, doubles: bool = False) -> Tensor:
    """A vector of as many elements as x says, which Python makes before the program runs. With `doubles` the number of
    elements is the next power of two, 16 at least, for programs that need room: they have one program for each size."""

    def measured(_: Any, n: Any) -> Any:
        if n < 0:
            raise ValueError(f"a size is not negative, found {n} for '{x.name}'")
        return np.empty(max(16, 1 << (int(n) - 1).bit_length()) if doubles else int(n), np.int8)

    # The number has what it waits for.
    with x.op.graph.control_dependencies(None):
        return host_call("SizeOf", measured, [x], [(_dtypes.int8, (None,))])[0].outputs[0]


def as_sizes(shape: Any) -> Any:
    """Returns a shape, or other sizes, of which some may be computed, as sizes."""
    if isinstance(shape, Tensor) or hasattr(shape, "_as_graph_tensor"):
        x = as_tensor(shape)
        if x.static_shape == ():
            return [as_size(x)]
        if is_of_shapes(x.op) or not x.static_shape or x.static_shape[0] is None:
            return x
        return [as_size(x[i]) for i in range(x.static_shape[0])]
    if isinstance(shape, (list, tuple)) and not hasattr(shape, "as_list"):
        found: List[Any] = [as_size(one) for one in shape]
        return found
    return shape
