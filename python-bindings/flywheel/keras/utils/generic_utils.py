# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Helpers that programs take from `keras.utils.generic_utils`."""

import binascii
import inspect
import marshal
import sys
import time
import types
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from .._serialization import (
    custom_object_scope,
    custom_objects,
    deserialize_keras_object,
    serialize_keras_object,
)

CustomObjectScope = custom_object_scope

__all__ = [
    "CustomObjectScope", "Progbar", "custom_object_scope", "deserialize_keras_object", "func_dump", "func_load",
    "get_custom_objects", "has_arg", "serialize_keras_object",
]  # fmt: skip


def get_custom_objects() -> Dict[str, Any]:
    """The dict of classes and functions by the names that configurations refer to; changes of it hold until they are
    undone."""
    return custom_objects()


def has_arg(fn: Callable[..., Any], name: str, accept_all: bool = False) -> bool:
    """Returns true if `fn` can be called with a keyword argument `name`; with `accept_all`, also if only its `**kwargs`
    take it."""
    try:
        parameters = inspect.signature(fn).parameters
    except ValueError:
        return False
    if name not in parameters:
        return accept_all and any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    return parameters[name].kind in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def func_dump(func: Any) -> Tuple[str, Any, Any]:
    """Returns the code of a Python function as text, its default arguments, and the values of its closure."""
    code = binascii.b2a_base64(marshal.dumps(func.__code__)).decode("ascii")
    closure = tuple(cell.cell_contents for cell in func.__closure__) if func.__closure__ else None
    return code, func.__defaults__, closure


def func_load(code: Any, defaults: Any = None, closure: Any = None, globs: Any = None) -> Any:
    """Returns the function of what `func_dump` returned. It executes code: only text from a trusted source should be
    loaded."""
    if isinstance(code, (tuple, list)):
        code, defaults, closure = code
        defaults = tuple(defaults) if isinstance(defaults, list) else defaults
    cells = None if closure is None else tuple(map(_as_cell, closure))
    try:
        raw = binascii.a2b_base64(code.encode("ascii"))
        loaded = marshal.loads(raw)
    except (UnicodeEncodeError, binascii.Error, ValueError, EOFError, TypeError):
        # Keras before 2.1.2 wrote the bytes themselves.
        loaded = marshal.loads(code.encode("raw_unicode_escape"))
    return types.FunctionType(loaded, globals() if globs is None else globs, loaded.co_name, defaults, cells)


def _as_cell(value: Any) -> Any:
    return value if isinstance(value, types.CellType) else types.CellType(value)


class Progbar:
    """Prints the progress of a loop.

    `target` is the number of steps, None if it is not known; `verbose` is 0 (silent), 1 (a bar) or 2 (one line at the
    end); `interval` is the least time between two lines, in seconds. Values of steps are averaged, except those that
    `stateful_metrics` names.
    """

    def __init__(self, target: Optional[int], width: int = 30, verbose: int = 1, interval: float = 0.05,
                 stateful_metrics: Any = None) -> None:  # fmt: skip
        self.target, self.width, self.verbose, self.interval = target, width, verbose, interval
        self.stateful_metrics = set(stateful_metrics or ())
        self._sums: Dict[str, Any] = {}
        self._seen = 0
        self._start = time.time()
        self._last = 0.0
        self._columns = 0

    def update(self, current: int, values: Any = None) -> None:
        """Moves the bar to step `current`; `values` are pairs of a name and a number."""
        for name, value in values or []:
            if name in self.stateful_metrics:
                self._sums[name] = value
            else:
                total, count = self._sums.get(name, (0.0, 0))
                weight = current - self._seen
                self._sums[name] = (total + value * weight, count + weight)
        self._seen = current
        is_last = self.target is not None and current >= self.target
        now = time.time()
        if self.verbose == 1:
            if now - self._last < self.interval and not is_last:
                return
            line = self._bar(current, now) + self._values()
            sys.stdout.write("\r" + line.ljust(self._columns) + ("\n" if is_last else ""))
            self._columns = len(line)
        elif self.verbose == 2 and is_last:
            sys.stdout.write(f"{now - self._start:.0f}s" + self._values() + "\n")
        sys.stdout.flush()
        self._last = now

    def add(self, n: int, values: Any = None) -> None:
        """Moves the bar by `n` steps."""
        self.update(self._seen + n, values)

    def _bar(self, current: int, now: float) -> str:
        per_step = (now - self._start) / current if current else 0.0
        if self.target is None:
            return f"{current:7d}/Unknown - {now - self._start:.0f}s"
        done = int(self.width * current / self.target) if self.target else self.width
        bar = "=" * max(done - 1, 0) + (">" if current < self.target else "=") * min(done, 1)
        text = f"{current}/{self.target} [{bar.ljust(self.width, '.')}]"
        return text + (f" - ETA: {per_step * (self.target - current):.0f}s" if current < self.target else
                       f" - {now - self._start:.0f}s {1000 * per_step:.0f}ms/step")  # fmt: skip

    def _values(self) -> str:
        parts: List[str] = []
        for name, held in self._sums.items():
            if isinstance(held, tuple):
                mean = float(np.mean(held[0] / max(1, held[1])))
                parts.append(f" - {name}: {mean:.4f}" if abs(mean) > 1e-3 else f" - {name}: {mean:.4e}")
            else:
                parts.append(f" - {name}: {held}")
        return "".join(parts)
