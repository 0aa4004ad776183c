# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A line on the terminal where compiling takes long."""

import contextlib
import os
import sys
import threading
import time
from typing import Iterator

__all__ = ["announcing"]

# Seconds after which something is said.
_PATIENCE = 2.0


@contextlib.contextmanager
def announcing(what: str) -> Iterator[None]:
    """A block that compiles `what`. If it takes more than 2 seconds, and stderr is a terminal, a line there says so,
    and another one how long it took in the end. FLYWHEEL_PROGRESS of the environment turns that off: empty, `0` or
    `off`."""
    if not _is_heard():
        yield
        return
    start, is_said = time.perf_counter(), threading.Event()

    def say() -> None:
        is_said.set()
        _write(f"flywheel: compiling {what} ... (FLYWHEEL_PROGRESS=off: no such lines)")

    timer = threading.Timer(_PATIENCE, say)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        if is_said.is_set():
            _write(f"flywheel: compiled {what} in {time.perf_counter() - start:.1f} s")


def _is_heard() -> bool:
    if os.environ.get("FLYWHEEL_PROGRESS", "on") in ("", "0", "off"):
        return False
    try:
        return sys.stderr is not None and sys.stderr.isatty()
    except ValueError:
        # It is closed.
        return False


def _write(line: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(line + "\n")
        sys.stderr.flush()
