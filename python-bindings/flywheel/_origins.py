# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The places in a program where objects with names are made: a cell of a notebook that is executed again makes another
one at the same place."""

import linecache
import sys
import traceback
import weakref
from typing import Any, Optional, Set

_EXPRESSIONS = ("<lambda>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


class Origin:
    """The statement outside of all functions that has made an object. Python compiles the statement anew for each run
    of a cell."""

    __slots__ = ("_code", "_file", "_kind", "_kind_name", "_line")

    def __init__(self, kind: Optional[type] = None) -> None:
        # A class that is defined again is another object.
        self._kind = None if kind is None else weakref.ref(kind)
        self._kind_name = "" if kind is None else kind.__qualname__
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
        # The class of an object of which only variables are left may be gone.
        has_kinds = self._kind is not None and other._kind is not None and self._kind_name == other._kind_name
        if has_kinds and self._kind() is not other._kind():  # type: ignore[misc]
            return True
        if self._text and other._text:
            return self._text == other._text
        # Text that is typed in or executed has no name of its own: <stdin>, <string>.
        return (self._file, self._line) == (other._file, other._line) and not self._file.startswith("<")

    @property
    def _text(self) -> str:
        return linecache.getline(self._file, self._line).strip()


def _is_outside(name: str) -> bool:
    return name.startswith("<") and name not in _EXPRESSIONS


def let_go_of_last_error() -> None:
    """Clears the frames of the error that an interactive session keeps to be looked at: they keep the objects of a cell
    that has failed, although the cell is executed again."""
    error = getattr(sys, "last_value", None)
    seen: Set[int] = set()
    while isinstance(error, BaseException) and id(error) not in seen:
        seen.add(id(error))
        traceback.clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__
