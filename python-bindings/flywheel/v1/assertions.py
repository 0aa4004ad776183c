# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assertions about dtypes, ranks and near numbers, and tests of order."""

from collections.abc import Iterable
from typing import Any, Optional, Sequence

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._errors.messages import about
from .checks import Assert, verify_tensor_all_finite
from .conversion import as_tensor, dtype_of, make
from .elementwise import TABLE
from .host_calls import host_call
from .operation import Operation
from .ops import no_op


def assert_integer(x: Any, message: Optional[str] = None, name: Optional[str] = None) -> Operation:
    """Raises TypeError for a tensor that is not one of integers."""
    t = as_tensor(x)
    if not t.dtype.is_integer:
        raise TypeError(f"{message + ' ' if message else ''}Expected \"x\" to be integer type.  Found: {t.dtype!r}")
    return no_op(name or "assert_integer")


def assert_near(
    x: Any, y: Any, rtol: Any = None, atol: Any = None, data: Any = None, summarize: Optional[int] = None,
    message: Optional[str] = None, name: Optional[str] = None,
) -> Operation:  # fmt: skip
    """An op that fails where |x - y| > atol + rtol |y| for an element; both are ten times the dtype's epsilon, if they
    are not given: numbers, or tensors of the dtype of x. The error of the run shows `data` in place of both."""
    a = as_tensor(x)
    b = as_tensor(y, a.dtype)
    kind = a.dtype.dtype
    least = 10 * float(2**-7 if kind.name == "bfloat16" else np.finfo(kind).eps)
    far, near = (as_tensor(least if one is None else one, a.dtype) for one in (rtol, atol))
    for word, one in (("rtol", far), ("atol", near)):
        if one.dtype != a.dtype:
            raise about("assert_near", ValueError(f"expected {word} of the dtype {a.dtype.name} of x, found "
                                                  f"{one.dtype.name}"))  # fmt: skip
    allowed = TABLE["add"](near, TABLE["multiply"](far, TABLE["abs"](b)))
    holds = TABLE["less_equal"](TABLE["abs"](TABLE["subtract"](a, b)), allowed)
    words = [message or "", f"x and y not equal to tolerance rtol = {_named(rtol, least)}, atol = "
             f"{_named(atol, least)}", f"x ({a.name}) = ", a, f"y ({b.name}) = ", b]  # fmt: skip
    return Assert(holds, words if data is None else data, summarize, name or "assert_near")


def _named(tolerance: Any, least: float) -> Any:
    return least if tolerance is None else getattr(tolerance, "name", tolerance)


def assert_proper_iterable(values: Any) -> None:
    """Raises TypeError for one that is not iterable, or is a tensor, an array or a text."""
    if hasattr(values, "op") or isinstance(values, (np.ndarray, str, bytes)) or not isinstance(values, Iterable):
        raise TypeError(f"Expected argument \"values\" to be a list, a tuple or the like of tensors. Found: "
                        f"{type(values)}")  # fmt: skip


def assert_rank_in(
    x: Any, ranks: Sequence[int], data: Any = None, summarize: Optional[int] = None, message: Optional[str] = None,
    name: Optional[str] = None,
) -> Operation:  # fmt: skip
    """Raises ValueError for a tensor of none of these ranks. `data` and `summarize` have no effect: known shapes are
    compared while the graph is made."""
    t = as_tensor(x)
    if t.static_shape is not None and len(t.static_shape) not in tuple(ranks):
        raise ValueError(f"{message + ' ' if message else ''}Tensor {t.name} must have rank in {tuple(ranks)}.  "
                         f"Received rank {len(t.static_shape)}, shape {t.shape}")  # fmt: skip
    return no_op(name or "assert_rank_in")


def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> Any:
    """Returns the dtype that these tensors have, float32 of none. Raises ValueError for two, or for none of floats."""
    kinds = [as_tensor(x).dtype for x in tensors or () if x is not None]
    if dtype is not None:
        from .dtypes import as_dtype

        kinds.append(as_dtype(dtype))
    for kind in kinds:
        if kind != kinds[0]:
            raise ValueError(f"Tensors must be of the same type, found {kinds[0].name} and {kind.name}")
    if not kinds:
        from .dtypes import float32

        return float32
    if not kinds[0].is_floating:
        raise ValueError(f"Expected floating point type, got {kinds[0].name}.")
    return kinds[0]


def assert_variables_initialized(var_list: Any = None) -> Operation:
    """An op that fails while a variable, of these or of all, has no value."""
    from .graph import get_default_graph
    from .initialization import report_uninitialized_variables
    from .variables import global_variables, local_variables

    chosen = [*global_variables(), *local_variables()] if var_list is None else list(var_list)
    missing = report_uninitialized_variables(chosen)

    def check(_: Any, names: Any) -> None:
        if len(names):
            from .._flywheel import FailedPreconditionError

            raise FailedPreconditionError(f"Attempting to use uninitialized value {list(names)[0]}")

    assert get_default_graph() is missing.graph
    return host_call("assert_variables_initialized", check, [missing], [])[0]


def assert_shapes(
    shapes: Any, data: Any = None, summarize: Optional[int] = None, message: Optional[str] = None,
    name: Optional[str] = None,
) -> Operation:  # fmt: skip
    """Raises ValueError for tensors, of a dict or of pairs with sizes, whose known sizes do not fit: numbers, or
    letters that stand for one size each. `data` and `summarize` have no effect: known shapes are compared while the
    graph is made."""
    pairs = list(shapes.items()) if isinstance(shapes, dict) else list(shapes)
    known: Any = {}
    for x, wanted in pairs:
        t = as_tensor(x)
        if t.static_shape is None:
            continue
        sizes = list(wanted) if isinstance(wanted, (list, tuple, str)) else [wanted]
        if len(sizes) != len(t.static_shape):
            raise ValueError(f"{message or 'assert_shapes'}: {t.name} must have rank {len(sizes)}, found {t.shape}")
        for axis, (size, own) in enumerate(zip(sizes, t.static_shape)):
            if size is None or own is None:
                continue
            expected = known.setdefault(size, own) if isinstance(size, str) else int(size)
            if expected != own:
                raise ValueError(f"{message or 'assert_shapes'}: dimension {axis} of {t.name} must be {expected}, "
                                 f"found {own}")  # fmt: skip
    return no_op(name or "assert_shapes")


def _in_order(kind: str, x: Any, function: Any, name: Optional[str]) -> Any:
    def emit(y: Any) -> Any:
        flat = _ops.reshape(y, [-1])
        return _ops.all(function(flat[:-1], flat[1:]))

    t = as_tensor(x)
    if dtype_of(t.dtype) == _dtypes.string:
        raise about(kind, TypeError("takes numbers, found strings"), " ")
    return make(kind, emit, t, name=name, types=[(_dtypes.bool_, ())])


def is_non_decreasing(x: Any, name: Optional[str] = None) -> Any:
    """True if no element is less than the one before it, in the order of rows."""
    return _in_order("is_non_decreasing", x, _ops.less_equal, name)


def is_strictly_increasing(x: Any, name: Optional[str] = None) -> Any:
    """True if each element is more than the one before it, in the order of rows."""
    return _in_order("is_strictly_increasing", x, _ops.less, name)


assert_all_finite = verify_tensor_all_finite

__all__ = [
    "assert_integer", "assert_near", "assert_proper_iterable", "assert_rank_in", "assert_same_float_dtype",
    "assert_variables_initialized", "is_non_decreasing", "is_strictly_increasing",
]  # fmt: skip
