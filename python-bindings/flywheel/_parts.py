# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The objects that objects of Python and of its libraries stand for: a view has its dict, a bound method its object, a
`UserDict` its items. Code that has the one may read all of the other."""

import array
import collections.abc
import contextvars
import functools
import gc
import io
import mmap
import os
import types
import weakref
from typing import Any, Iterator, Optional, Tuple

import numpy as np

from ._foreign import parts_of_foreign
from ._places import Local, Place, Result, container_of, dict_of
from ._users import is_users_class

_VIEWS: Tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()), types.MappingProxyType)
_BOUND = (types.BuiltinMethodType, types.MethodWrapperType)
# The elements of an array of objects that are looked at.
_MOST_OBJECTS = 10_000
_CACHE = type(functools.lru_cache(len))
_BUFFERS = (bytearray, memoryview, array.array, mmap.mmap)


def parts_of(value: Any) -> Iterator[Any]:
    """Yields the objects that a value stands for."""
    kind = type(value)
    if issubclass(kind, weakref.ref):
        yield value()
    elif kind in (staticmethod, classmethod):
        yield value.__func__
    elif kind is property:
        yield value.fget
    elif kind is functools.cached_property:
        yield value.func
    elif kind is functools.partialmethod:
        yield from (value.func, *value.args, *value.keywords.values())
    elif kind in _BOUND:
        yield value.__self__
    elif kind in _VIEWS:
        yield from gc.get_referents(value)
    elif kind in weakref.ProxyTypes:
        # Attributes of a proxy are those of its object.
        yield value.__repr__.__self__
    elif kind is contextvars.ContextVar:
        yield value.get(None)
    elif issubclass(kind, np.ndarray) and value.dtype == object:
        yield from np.ndarray.ravel(value)[:_MOST_OBJECTS].tolist()
    elif value is os.getenv:
        yield os.environ
    elif _is_of_library(kind):
        yield from (dict_of(value) or {}).values()
    else:
        yield from parts_of_foreign(value)


def _is_of_library(kind: type) -> bool:
    """Returns true if a class extends a container that a library has written in Python, which names its attributes."""
    return any(
        issubclass(base, collections.abc.Collection) and container_of(base) is None and not is_users_class(base)
        and not base.__module__.startswith(("flywheel", "collections.abc", "typing", "builtins"))
        for base in kind.__mro__
    )  # fmt: skip


def result_of(value: Any, most: int, label: str) -> Optional[Place]:
    """Returns the place of what a value has, if that is asked for by a call, and has up to `most` bytes."""
    kind = type(value)
    if kind is contextvars.ContextVar:
        return Local(functools.partial(value.get, None), value, "", label)
    if issubclass(kind, _BUFFERS) and memoryview(value).nbytes <= most:
        return Result(functools.partial(_bytes_of, value), value, "", label)
    if issubclass(kind, np.ndarray) and value.dtype == object and value.nbytes <= most:
        return Result(functools.partial(_elements_of, value), value, "", label)
    if kind is _CACHE:
        return Result(_Clears(value), value, "", label)
    return None


class _Clears:
    """Counts how often the results that `functools.lru_cache` keeps of a function have been cleared: it computes others
    then. More results, of other arguments, change none."""

    def __init__(self, function: Any) -> None:
        self._function, self._num_clears = function, 0
        self._num_calls = self._count()

    def _count(self) -> int:
        info = self._function.cache_info()
        return int(info.hits + info.misses)

    def __call__(self) -> int:
        count = self._count()
        self._num_clears += count < self._num_calls
        self._num_calls = count
        return self._num_clears


def _bytes_of(value: Any) -> bytes:
    with memoryview(value) as view:
        return view.tobytes()


def _elements_of(value: Any) -> Any:
    return tuple(np.ndarray.ravel(value).tolist())


def steps_of(value: Any, most: int) -> Tuple[int, ...]:
    """Returns the steps in each dimension to up to `most` elements of an array, which are spread over it: to assign all
    of it changes them."""
    count = max(1, int(most ** (1 / value.ndim))) if value.ndim else 1
    return tuple(max(1, -(-size // count)) for size in value.shape)


def is_used_up(value: Any) -> bool:
    """Returns true for an iterator, which has each item once: a trace takes some, and calls take none. Files are
    written to, as a rule."""
    return issubclass(type(value), collections.abc.Iterator) and not issubclass(type(value), io.IOBase)
