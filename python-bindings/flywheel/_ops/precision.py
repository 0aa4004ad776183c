# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""In which precision what is made of several operations is computed."""

import functools
import inspect
from typing import Any, Callable, Optional, TypeVar
from typing import cast as typed

from .._core import dtypes as _dtypes
from .._core.tensor import Tensor, as_tensor, is_number
from .arithmetic import cast

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _floating(x: Any) -> Optional[Tensor]:
    """Converts an argument to a tensor of floating-point numbers, if possible; numbers take the dtype of others."""
    if x is None or is_number(x):
        return None
    tensor = as_tensor(x)
    return tensor if _dtypes.is_floating(tensor.dtype) else None


def _widened(x: Any) -> Any:
    tensor = _floating(x)
    return x if tensor is None or not _dtypes.is_half(tensor.dtype) else cast(tensor, _dtypes.float32)


def rounded(result: Any, dtype: _dtypes.DType) -> Any:
    """A tensor, or each of several, in `dtype` where it is floating-point."""
    if isinstance(result, (tuple, list)):
        return type(result)(rounded(one, dtype) for one in result)
    return cast(result, dtype) if _dtypes.is_floating(result.dtype) else result


def rounds_once(count: Optional[int] = 1) -> Callable[[_Function], _Function]:
    """Decorates a function that computes in the dtype of its first `count` arguments, or of all if `count` is None,
    which are tensors: if that dtype is float16 or bfloat16, it computes in float32 and rounds the result.

    Sums of squares overflow far earlier than their roots, and each step of several would round. Derivatives inside of
    the function are float32 too.
    """

    def decorate(function: _Function) -> _Function:
        names = [] if count is None else list(inspect.signature(function).parameters)[:count]

        @functools.wraps(function)
        def wide(*args: Any, **kwargs: Any) -> Any:
            given = map(_floating, (*args[:count], *(kwargs.get(name) for name in names)))
            dtypes = [x.dtype for x in given if x is not None]
            if not any(map(_dtypes.is_half, dtypes)):
                return function(*args, **kwargs)
            wanted = functools.reduce(_dtypes.promote, dtypes)
            operands = [_widened(x) for x in args[:count]]
            rest = args[len(operands) :]
            kwargs = {name: _widened(x) if name in names else x for name, x in kwargs.items()}
            return rounded(function(*operands, *rest, **kwargs), wanted)

        return typed(_Function, wide)

    return decorate
