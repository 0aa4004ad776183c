# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results that are kept as long as the objects that they were made for."""

import collections
import threading
import types
import weakref
from typing import Any, Callable, Hashable, Optional, Sequence, Tuple


class Kept:
    """Results by objects, which are compared by identity and of which none is kept alive: a result goes when one of
    its objects does. The result must not refer to them."""

    def __init__(self, most: int = 64) -> None:
        self._most = most
        # Behind each result, the references to its objects.
        self._results: collections.OrderedDict[Hashable, Tuple[Any, Any]] = collections.OrderedDict()
        # A reference may go at any time, on the thread that has the lock, too.
        self._lock = threading.RLock()

    def find(self, objects: Sequence[Any], key: Hashable, make: Callable[[], Any]) -> Any:
        """The result for these objects and this key; `make` makes one that is not kept yet."""
        whole = (tuple(_identity(one) for one in objects), key)
        with self._lock:
            known = self._results.get(whole)
            if known is not None:
                self._results.move_to_end(whole)
                return known[0]
        result, results = make(), weakref.ref(self)

        def forget(_: Any) -> None:
            kept = results()
            if kept is not None:
                kept._results.pop(whole, None)

        references = [reference(one, forget) for one in objects]
        if any(one is None for one in references):
            return result
        with self._lock:
            self._results[whole] = (result, references)
            while len(self._results) > self._most:
                self._results.popitem(last=False)
        return result


def _identity(value: Any) -> Tuple[int, int]:
    # The method of an object is made anew each time that it is asked for.
    if isinstance(value, types.MethodType):
        return id(value.__self__), id(value.__func__)
    return id(value), 0


def reference(value: Any, gone: Optional[Callable[[Any], None]] = None) -> Any:
    """A weak reference; None where there cannot be one."""
    try:
        return (weakref.WeakMethod if isinstance(value, types.MethodType) else weakref.ref)(value, gone)
    except TypeError:
        return None


class Bound:
    """The function of an object, among its attributes. A copy or a pickle of the attributes belongs to no object."""

    def __init__(self, instance: Any = None, function: Any = None, unbound: Any = None):
        self._instance, self._function, self._unbound = instance, function, unbound

    def of(self, instance: Any, unbound: Any) -> Any:
        """The function, if it is this object's, of what the class has now."""
        return self._function if self._instance is instance and self._unbound is unbound else None

    def __reduce__(self) -> Any:
        return Bound, ()
