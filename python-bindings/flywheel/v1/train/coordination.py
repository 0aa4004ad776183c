# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads that stop together."""

import threading
import time
from contextlib import contextmanager
from typing import Any, Iterator, List, Optional


class Coordinator:
    """Says to threads that they are to stop, and waits for them."""

    def __init__(self, clean_stop_exception_types: Any = None):
        self._stop = threading.Event()
        self._threads: List[Any] = []
        self._error: Optional[BaseException] = None
        self._clean = tuple(clean_stop_exception_types or ())

    def should_stop(self) -> bool:
        return self._stop.is_set()

    def request_stop(self, ex: Any = None) -> None:
        """Stops all; an error other than the end of data is raised by `join`."""
        error = ex[1] if isinstance(ex, tuple) else ex
        from ..errors import OutOfRangeError

        if error is not None and self._error is None and not isinstance(error, (OutOfRangeError, *self._clean)):
            self._error = error
        self._stop.set()

    def clear_stop(self) -> None:
        self._stop.clear()

    def wait_for_stop(self, timeout: Optional[float] = None) -> bool:
        return self._stop.wait(timeout)

    def register_thread(self, thread: Any) -> None:
        self._threads.append(thread)

    @contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        try:
            yield
        except BaseException as error:  # noqa: BLE001  # `join` raises it.
            self.request_stop(error)

    def join(
        self, threads: Any = None, stop_grace_period_secs: float = 120, ignore_live_threads: bool = False
    ) -> None:
        """Waits for the threads, and raises what one of them stopped with."""
        end = time.monotonic() + stop_grace_period_secs
        left = [*self._threads, *(threads or ())]
        for thread in left:
            thread.join(max(end - time.monotonic(), 0))
        alive = [t.name for t in left if t.is_alive()]
        if self._error is not None:
            raise self._error
        if alive and not ignore_live_threads:
            raise RuntimeError(f"Coordinator stopped with threads still running: {' '.join(alive)}")


def start_queue_runners(
    sess: Any = None, coord: Any = None, daemon: bool = True, start: bool = True, collection: Any = None
) -> List[Any]:
    """Returns an empty list: this package has no queues, and no threads for them. `sess`, `coord`, `daemon`, `start`
    and `collection` have no effect."""
    return []
