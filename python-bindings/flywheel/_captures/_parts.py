# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The objects that objects of Python and of its libraries stand for: a view has its dict, a bound method its object, a
`UserDict` its items. Code that has the one may read all of the other."""

import abc
import array
import collections
import collections.abc
import contextvars
import functools
import gc
import io
import itertools
import mmap
import operator
import os
import types
import weakref
from typing import Any, Iterator, Optional, Tuple

import numpy as np

from .._core.objects import dict_of
from .._core.users import is_users_class
from ._foreign import parts_of_foreign
from .places import Local, Place, Result, container_of

_VIEWS: Tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()), types.MappingProxyType)
_BOUND = (types.BuiltinMethodType, types.MethodWrapperType)
# The elements of an array of objects that are looked at.
_MOST_OBJECTS = 10_000
# The classes that were registered with an abstract one, and other tables of it.
_get_dump: Any = getattr(abc, "_get_dump")  # noqa: B009
_CACHE = type(functools.lru_cache(len))
# The results in such a cache that are looked at.
_MOST_RESULTS = 256
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
    elif issubclass(kind, collections.defaultdict):
        yield value.default_factory
    elif kind is np.flatiter:
        yield value.base
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
    if issubclass(kind, collections.defaultdict):
        return Result(functools.partial(getattr, value, "default_factory"), value, "", label)
    if issubclass(kind, abc.ABCMeta) and is_users_class(value):
        return Result(_Registered(value), value, "", label)
    return None


class _Clears:
    """Counts how often the results that `functools.lru_cache` keeps of a function have been cleared, or have all been
    dropped for those of other arguments: it computes others then. More results, of other arguments, change none."""

    def __init__(self, function: Any) -> None:
        self._function, self._num_clears = function, 0
        self._num_calls = self._count()
        self._is_limited = function.cache_parameters()["maxsize"] is not None
        # The dict of results by arguments; of a limited number, each is in an object of its own.
        self._results = next((one for one in gc.get_referents(function)
                              if type(one) is dict and one is not dict_of(function)), {})  # fmt: skip
        self._take()

    def _take(self) -> None:
        # The last ones are dropped last; others are compared with the first ones, whose places do not change.
        items = self._results.items()
        self._kept = list(itertools.islice(reversed(items) if self._is_limited else items, _MOST_RESULTS))

    def _count(self) -> int:
        info = self._function.cache_info()
        return int(info.hits + info.misses)

    def _has_kept(self) -> bool:
        if not self._is_limited:
            results = self._results.values()
            return len(results) >= len(self._kept) and all(
                map(operator.is_, results, map(operator.itemgetter(1), self._kept)))  # fmt: skip
        if not self._kept:
            return True
        now = {(id(key), id(one)) for key, one in list(self._results.items())}
        return any((id(key), id(one)) in now for key, one in self._kept)

    def __call__(self) -> int:
        count = self._count()
        if count < self._num_calls or not self._has_kept():
            self._num_clears += 1
            self._take()
        self._num_calls = count
        return self._num_clears


class _Registered:
    """The number of classes that an abstract class has been told to count as its own, by `register`."""

    def __init__(self, kind: Any) -> None:
        self._kind, self._count = weakref.ref(kind), 0
        self._token: Any = None

    def __call__(self) -> int:
        # All abstract classes have one counter, which tells that one of them may have another class.
        token, kind = abc.get_cache_token(), self._kind()
        if token != self._token and kind is not None:
            self._token, self._count = token, _count_registered(kind)
        return self._count


def _count_registered(kind: Any) -> int:
    return len(_get_dump(kind)[0]) + sum(map(_count_registered, type.__subclasses__(kind)))


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
