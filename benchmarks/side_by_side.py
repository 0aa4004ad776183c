# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls that take turns, so that what slows the machine down slows all of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def measure(runners: dict[str, Callable[[], Any]], rounds: int, seconds: float) -> dict[str, list[float]]:
    """Seconds of a call of each, a number for each round; a round calls each of them for `seconds` seconds. The first
    two calls are not counted."""
    counts = {}
    for name, run in runners.items():
        run()
        start = time.perf_counter()
        run()
        counts[name] = max(1, int(seconds / (time.perf_counter() - start)))
    times: dict[str, list[float]] = {name: [] for name in runners}
    for _ in range(rounds):
        for name, run in runners.items():
            start = time.perf_counter()
            for _ in range(counts[name]):
                run()
            times[name].append((time.perf_counter() - start) / counts[name])
    return times
