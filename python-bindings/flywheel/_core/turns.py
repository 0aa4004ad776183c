# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Has threads do something one after the other, unless one would wait for ever."""

import contextlib
import os
import sys
import threading
from typing import Iterator, Optional, Tuple

from .._native import PACKAGE

# A thread is taken to wait for something if its code is at the same line in _LOOKS looks, _SECONDS apart.
_LOOKS, _SECONDS = 10, 0.1
# The compiler takes long, and waits for no other thread.
_COMPILES = os.path.join(PACKAGE, "_programs", "compilation.py")


class Turns:
    """The turns of threads. A thread may have several at once.

    In its turn, a thread may wait for another thread, which may wait for its turn: neither would go on. Nothing says
    which thread it is that a lock, an event or a queue waits for, so that a thread whose code has been at one place for
    a second has no others wait any longer. They go on without a turn, beside it."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._owner = 0

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """A block that is executed in a turn."""
        has_turn = self._take()
        try:
            yield
        finally:
            if has_turn:
                self._lock.release()

    def take_if_free(self) -> bool:
        """Returns true if this thread has a turn now, which it has to `end`; false if another one has it."""
        if not self._lock.acquire(blocking=False):
            return False
        self._owner = threading.get_ident()
        return True

    def end(self) -> None:
        self._lock.release()

    def _take(self) -> bool:
        place, looks = None, 0
        while not self.take_if_free():
            if self._lock.acquire(timeout=_SECONDS):
                self._owner = threading.get_ident()
                return True
            before, place = place, _place_of(self._owner)
            looks = looks + 1 if place is not None and place == before else 0
            if looks == _LOOKS:
                return False
        return True


def _place_of(thread: int) -> Optional[Tuple[int, int]]:
    """Returns where the code of a thread is; None while it compiles."""
    frame = sys._current_frames().get(thread)
    if frame is None:
        # A child of a fork does not have the thread.
        return 0, 0
    return None if frame.f_code.co_filename == _COMPILES else (id(frame), frame.f_lasti)
