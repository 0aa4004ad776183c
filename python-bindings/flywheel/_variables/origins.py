# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The places in a program where objects with names are made: a cell of a notebook that is executed again makes another
one at the same place."""

import contextlib
import gc
import inspect
import linecache
import sys
import types
import weakref
from typing import Any, Hashable, Optional, Set

_EXPRESSIONS = ("<lambda>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
_MAY_BE_SUSPENDED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class Origin:
    """The statement outside of all functions that has made an object. Python compiles the statement anew for each run
    of a cell."""

    __slots__ = ("_code", "_file", "_kind", "_kind_name", "_line")

    def __init__(self, kind: Optional[type] = None) -> None:
        # A class that is defined again is another object of the same name in the same module.
        self._kind = None if kind is None else weakref.ref(kind)
        self._kind_name = None if kind is None else (kind.__module__, kind.__qualname__)
        self._code: Any = None
        frame = sys._getframe(1)
        while frame is not None and not _is_outside(frame.f_code.co_name):
            frame = frame.f_back  # type: ignore[assignment]
        if frame is not None:
            # Kept, as equal code is not the same, and another one could get the id of one that is collected.
            self._code = frame.f_code
            self._file, self._line = frame.f_code.co_filename, frame.f_lineno

    def is_earlier_run(self, other: "Origin") -> bool:
        """Returns true if this is of an earlier run of the code that has made the other."""
        if self._code is None or other._code is None or self._code is other._code:
            return False
        if self._kind is not None and other._kind is not None:
            if self._kind_name != other._kind_name:
                return False
            # The class of an object of which only variables are left may be gone. A function that makes classes makes
            # another one in each call.
            if self._kind() is not other._kind() and "<locals>" not in self._kind_name[1]:  # type: ignore[index]
                return True
        return self.place is not None and self.place == other.place

    def is_one_run(self, other: "Origin") -> bool:
        """Returns true if nothing is of an earlier run than one of the two and not than the other."""
        kinds = [None if one is None else one() for one in (self._kind, other._kind)]
        return self._code is other._code and kinds[0] is kinds[1] and self._kind_name == other._kind_name

    @property
    def place(self) -> Hashable:
        """The text of the statement, or the file and line without one; equal in each run of the code. None for text
        that is typed in or executed, which has no name of its own: <stdin>, <string>."""
        if self._code is None:
            return None
        text = linecache.getline(self._file, self._line).strip()
        return text or (None if self._file.startswith("<") else (self._file, self._line))


def _is_outside(name: str) -> bool:
    return name.startswith("<") and name not in _EXPRESSIONS


def let_go_of_last_error() -> None:
    """Clears the frames of the error that an interactive session keeps to be looked at: they keep the objects of a cell
    that has failed, although the cell is executed again."""
    error = getattr(sys, "last_value", None)
    seen: Set[int] = set()
    while isinstance(error, BaseException) and id(error) not in seen:
        seen.add(id(error))
        entry = error.__traceback__
        while entry is not None:
            _clear(entry.tb_frame)
            entry = entry.tb_next
        error = error.__cause__ or error.__context__


def _clear(frame: types.FrameType) -> None:
    """Clears a frame, unless it runs, in any thread, or is of a generator or coroutine that somebody may go on with:
    clearing would close that."""
    if frame.f_code.co_flags & _MAY_BE_SUSPENDED and (gc.get_freeze_count() or _is_suspended(frame)):
        return
    # One that runs is an error.
    with contextlib.suppress(RuntimeError):
        frame.clear()


def _is_suspended(frame: types.FrameType) -> bool:
    """Returns true if a generator or coroutine goes on with this frame. One that has ended has none."""
    frames = {types.GeneratorType: "gi_frame", types.CoroutineType: "cr_frame", types.AsyncGeneratorType: "ag_frame"}
    return any(getattr(one, frames[type(one)]) is frame for one in gc.get_objects() if type(one) in frames)
