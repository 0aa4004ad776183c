# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of several ops that round once."""

import functools
import inspect
from typing import Any, Callable, TypeVar
from typing import cast as typed

from .. import _ops
from .._core import dtypes as _dtypes
from .conversion import as_tensor, make

_Function = TypeVar("_Function", bound=Callable[..., Any])


def widened(x: Any) -> Any:
    """A tensor, of float16 and bfloat16 in float32."""
    return rounded(x, _dtypes.float32) if _dtypes.is_half(as_tensor(x).dtype.dtype) else x


def rounded(x: Any, dtype: _dtypes.DType) -> Any:
    """A tensor of floating-point numbers in another dtype."""
    tensor = as_tensor(x)
    return x if tensor.dtype == dtype else make("Cast", lambda y: _ops.cast(y, dtype), tensor)


def rounds_once(function: _Function) -> _Function:
    """Decorates a function of a tensor: if that is float16 or bfloat16, the function computes in float32 and rounds its
    results. Other arguments that are tensors of that dtype become float32 too."""
    first = next(iter(inspect.signature(function).parameters))

    @functools.wraps(function)
    def wide(*args: Any, **kwargs: Any) -> Any:
        given = args[0] if args else kwargs[first]
        own = as_tensor(given).dtype.dtype
        if not _dtypes.is_half(own):
            return function(*args, **kwargs)

        def changed(one: Any) -> Any:
            return widened(one) if one is given or getattr(one, "dtype", None) == own else one

        def narrowed(result: Any) -> Any:
            return tuple(map(narrowed, result)) if isinstance(result, tuple) else rounded(result, own)

        return narrowed(function(*map(changed, args), **{name: changed(one) for name, one in kwargs.items()}))

    return typed(_Function, wide)
