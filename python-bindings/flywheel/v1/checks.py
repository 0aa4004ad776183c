# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assertions, which are looked at before a run writes variables."""

import math
import operator
from typing import Any, Callable, Optional

import numpy as np

from .. import _ops
from .._core import dtypes as _dtypes
from .._errors.messages import about
from .._ops import checks as _checks
from .conversion import as_tensor, make
from .host_calls import InvalidArgument, host_call
from .operation import Operation, Tensor
from .printing import summary_of_array


def _shown(data: Any, summarize: Optional[int]) -> str:
    return summary_of_array(data, 3 if summarize is None else summarize)


def Assert(  # noqa: N802
    condition: Any, data: Any, summarize: Optional[int] = None, name: Optional[str] = None
) -> Operation:
    """An op that fails where the condition does not hold, and shows `data`: nothing has changed then."""
    holds, tensors = as_tensor(condition), [as_tensor(x) for x in data]

    def check(_: Any, ok: Any, *values: Any) -> None:
        if not ok.all():
            raise InvalidArgument(f"assertion failed: {' '.join(_shown(v, summarize) for v in values)}")

    return host_call("Assert", check, [holds, *tensors], [], name)[0]


def _compare(kind: str, symbol: str, test: Callable[[Any, Any], Any]) -> Callable[..., Operation]:
    def op(
        x: Any, y: Any, data: Any = None, summarize: Optional[int] = None, message: Optional[str] = None,
        name: Optional[str] = None,
    ) -> Operation:  # fmt: skip
        a = as_tensor(x)
        b = as_tensor(y, a.dtype)
        more = [as_tensor(one) for one in data or ()]

        def check(_: Any, one: Any, other: Any, *values: Any) -> None:
            if not np.all(test(one, other)):
                shown = "".join(f" {_shown(v, summarize)}" for v in values)
                raise InvalidArgument(
                    f"assertion failed: {message + ' ' if message else ''}Condition x {symbol} y did not hold "
                    f"element-wise: x ({a.name}) = {_shown(one, summarize)}, y ({b.name}) = "
                    f"{_shown(other, summarize)}{shown}")  # fmt: skip

        literals = [t.op.fields.literal for t in (a, b)]
        if all(one is not None for one in literals):
            check(None, *literals)
        return host_call(kind, check, [a, b, *more], [], name or kind)[0]

    op.__doc__ = f"An op that fails where x {symbol} y does not hold for an element."
    return op


assert_equal = _compare("assert_equal", "==", np.equal)
assert_none_equal = _compare("assert_none_equal", "!=", np.not_equal)
assert_less = _compare("assert_less", "<", np.less)
assert_less_equal = _compare("assert_less_equal", "<=", np.less_equal)
assert_greater = _compare("assert_greater", ">", np.greater)
assert_greater_equal = _compare("assert_greater_equal", ">=", np.greater_equal)


def _sign(function: Callable[..., Operation]) -> Callable[..., Operation]:
    def op(x: Any, data: Any = None, summarize: Optional[int] = None, message: Optional[str] = None,
           name: Optional[str] = None) -> Operation:  # fmt: skip
        a = as_tensor(x)
        return function(a, np.zeros((), a.dtype), data, summarize, message, name)

    return op


assert_positive, assert_negative = _sign(assert_greater), _sign(assert_less)
assert_non_negative, assert_non_positive = _sign(assert_greater_equal), _sign(assert_less_equal)


def _ranked(kind: str, words: str, x: Any, rank: int, message: Optional[str], test: Callable[[int, int], bool],
            name: Optional[str]) -> Operation:  # fmt: skip
    """Returns an op that does nothing; raises ValueError for a tensor whose rank does not pass the test."""
    from .ops import no_op

    t = as_tensor(x)
    if t.static_shape is not None and not test(len(t.static_shape), rank):
        raise ValueError(f"{message + ' ' if message else ''}Tensor {t.name} must have rank {words}{rank}. Received "
                         f"rank {len(t.static_shape)}, shape {t.shape}")  # fmt: skip
    return no_op(name or kind)


def assert_rank(
    x: Any, rank: int, data: Any = None, summarize: Optional[int] = None, message: Optional[str] = None,
    name: Optional[str] = None,
) -> Operation:  # fmt: skip
    """Raises ValueError for a tensor of another rank. `data` and `summarize` have no effect: known ranks are
    compared while the graph is made."""
    return _ranked("assert_rank", "", x, rank, message, operator.eq, name)


def assert_rank_at_least(
    x: Any, rank: int, data: Any = None, summarize: Optional[int] = None, message: Optional[str] = None,
    name: Optional[str] = None,
) -> Operation:  # fmt: skip
    """Raises ValueError for a tensor of a lower rank. `data` and `summarize` have no effect: known ranks are
    compared while the graph is made."""
    return _ranked("assert_rank_at_least", "at least ", x, rank, message, operator.ge, name)


def assert_scalar(tensor: Any, name: Optional[str] = None, message: Optional[str] = None) -> Tensor:
    """The tensor; raises ValueError for one that is not a scalar."""
    x = as_tensor(tensor)
    if x.static_shape not in (None, ()):
        raise ValueError(f"{message + ' ' if message else ''}Expected scalar shape for {x.name}, saw shape: {x.shape}.")
    return x


def assert_type(tensor: Any, tf_type: Any, message: Optional[str] = None, name: Optional[str] = None) -> Operation:
    from .ops import no_op

    x = as_tensor(tensor)
    if x.dtype != _dtypes.as_dtype(tf_type):
        raise TypeError(f"{message + ' ' if message else ''}{x.name} must be of type "
                        f"{_dtypes.name_of(_dtypes.as_dtype(tf_type))}, found {_dtypes.name_of(x.dtype)}")  # fmt: skip
    return no_op("assert_type")


def check_numerics(tensor: Any, message: str, name: Optional[str] = None) -> Tensor:
    """The same tensor, in a run that fails where it has a NaN or an infinity."""
    x = as_tensor(tensor)

    def emit(value: Any) -> Any:
        for what, is_right in (("NaN", _ops.equal(value, value)), ("Inf", _ops.not_equal(_ops.abs(value), math.inf))):
            _checks.expect(_ops.all(is_right), f"{message} : Tensor had {what} values ({x.name})")
        return value

    if not x.dtype.is_floating:
        raise about("check_numerics", TypeError(f"of '{x.name}': expected a floating-point tensor, found "
                                                f"{_dtypes.name_of(x.dtype)}"), " ")  # fmt: skip
    checked: Tensor = make("CheckNumerics", emit, x, name=name)
    return checked


def verify_tensor_all_finite(
    t: Any = None, msg: Optional[str] = None, name: Optional[str] = None, x: Any = None, message: Optional[str] = None
) -> Tensor:
    """See `check_numerics`; `x` and `message` are other names of the first two arguments."""
    tensor, words = x if t is None else t, message if msg is None else msg
    if tensor is None or words is None:
        raise about("verify_tensor_all_finite", ValueError("expected a tensor and a message"))
    return check_numerics(tensor, words, name)


__all__ = [
    "Assert", "assert_equal", "assert_greater", "assert_greater_equal", "assert_less", "assert_less_equal",
    "assert_negative", "assert_non_negative", "assert_non_positive", "assert_none_equal", "assert_positive",
    "assert_rank", "assert_rank_at_least", "assert_scalar", "assert_type", "check_numerics", "verify_tensor_all_finite",
]  # fmt: skip
