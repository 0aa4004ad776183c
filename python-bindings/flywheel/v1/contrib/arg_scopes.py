# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scopes in which functions have other defaults: `tf.contrib.framework.arg_scope`."""

import functools
import threading
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Sequence, TypeVar, Union

F = TypeVar("F", bound=Callable[..., Any])
# Functions that take defaults, and these.
Scope = Dict[Callable[..., Any], Dict[str, Any]]


class _Scopes(threading.local):
    """The scopes that are open in a thread."""

    def __init__(self) -> None:
        self.all: List[Scope] = [{}]


_scopes = _Scopes()


def add_arg_scope(func: F) -> F:
    """A function whose keyword arguments have the defaults that the scopes around a call give it."""

    @functools.wraps(func)
    def with_defaults(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **{**_scopes.all[-1].get(with_defaults, {}), **kwargs})

    # A function that is wrapped around it takes the defaults, too.
    with_defaults._takes_arg_scopes = with_defaults  # type: ignore[attr-defined]
    return with_defaults  # type: ignore[return-value]


def has_arg_scope(func: Callable[..., Any]) -> bool:
    """Returns true if scopes can give a function defaults."""
    return hasattr(func, "_takes_arg_scopes")


@contextmanager
def arg_scope(list_ops_or_scope: Union[Sequence[Callable[..., Any]], Scope], **kwargs: Any) -> Iterator[Scope]:
    """A block in which functions have these defaults, beside those of the blocks around it; what it gives can be opened
    again. Raises TypeError for neither a list nor such a scope, and ValueError for keywords with a scope, or a function
    without `add_arg_scope`."""
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise ValueError("When attempting to re-use a scope by suppling a dictionary, kwargs must be empty.")
        scope = dict(list_ops_or_scope)
    else:
        if not isinstance(list_ops_or_scope, (list, tuple)):
            raise TypeError("list_ops_or_scope must either be a list/tuple or reused scope (i.e. dict)")
        scope = dict(_scopes.all[-1])
        for one in list_ops_or_scope:
            if not has_arg_scope(one):
                raise ValueError(f"{getattr(one, '__name__', one)} is not decorated with @add_arg_scope")
            own: Any = one
            scope[own._takes_arg_scopes] = {**scope.get(own._takes_arg_scopes, {}), **kwargs}
    _scopes.all.append(scope)
    try:
        yield scope
    finally:
        _scopes.all.pop()


def current_arg_scope() -> Scope:
    """Returns the scope that is open."""
    return _scopes.all[-1]
