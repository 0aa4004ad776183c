# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the growth of time and memory with a program: of tracing, compiling, finding in the cache and a step.

Each program (`programs.py`) is measured with n, 2n, 4n, ... parts or elements, each size in a process of its own. The
exponent is that of the increase over the first size at the last two sizes, so that constant costs do not count. Times
are those of the CPU, of all threads together. It is - if the increase is too small to tell. More than 1.3 needs a
reason in `programs.py`, and is marked with ! without one.

usage: PYTHONPATH=build/python python benchmarks/growth [--only PATTERN] [--seconds S] [--rounds N]
"""

from __future__ import annotations

import argparse
import json
import math
import re
import subprocess
import sys
from pathlib import Path

from programs import FAMILIES

TIMES = ("trace", "compile", "cache", "step")
MEMORIES = ("trace_memory", "compile_memory", "step_memory")
# Smaller seconds and MiB are noise. A smaller peak fits into memory that was already in use, so it grows late.
LEAST = {**dict.fromkeys(TIMES, 0.05), "step": 1e-3, **dict.fromkeys(MEMORIES, 32.0)}
MOST = 1.3


def measure(name: str, size: int, rounds: int, seconds: float) -> dict[str, float] | None:
    """None where it took longer than `seconds` by far, or failed, which is printed."""
    command = [sys.executable, str(Path(__file__).with_name("worker.py")), name, str(size), str(rounds)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20 * seconds)
    except subprocess.TimeoutExpired:
        print(f"  {name} {size}: more than {20 * seconds:.0f} s")
        return None
    if done.returncode:
        print(f"  {name} {size}: " + (done.stderr.strip().splitlines() or ["failed"])[-1])
        return None
    found: dict[str, float] = json.loads(done.stdout)
    return found


def fit(sizes: list[int], values: list[float], least: float) -> float | None:
    """The exponent of n in what the last two sizes take more than the first."""
    before, last = values[-2] - values[0], values[-1] - values[0]
    if last < least or values[-1] < 1.2 * values[0]:
        return None
    ratio = (sizes[-1] - sizes[0]) / (sizes[-2] - sizes[0])
    return math.log(last / max(before, least / 4)) / math.log(ratio)


def report(name: str, rows: dict[int, dict[str, float]]) -> int:
    """Prints a program's table; returns how many exponents have no reason."""
    print(f"\n{name}")
    print(f"{'n':>10}" + "".join(f"{key.replace('_memory', ' MiB'):>13}" for key in (*TIMES, *MEMORIES)))
    for size, row in rows.items():
        cells = [f"{1e3 * row[key]:10.2f} ms" for key in TIMES] + [f"{row[key]:13.1f}" for key in MEMORIES]
        print(f"{size:10}" + "".join(cells))
    if len(rows) < 3:
        return 0
    unexplained = 0
    cells = []
    for key in (*TIMES, *MEMORIES):
        exponent = fit(list(rows), [row[key] for row in rows.values()], LEAST[key])
        is_odd = exponent is not None and exponent > MOST
        reason = FAMILIES[name].reasons.get(key)
        mark = "" if not is_odd else "*" if reason else "!"
        unexplained += mark == "!"
        cells.append(f"{'-' if exponent is None else f'{exponent:.2f}{mark}':>13}")
    print(f"{'exponent':>10}" + "".join(cells))
    for key, reason in FAMILIES[name].reasons.items():
        print(f"  * {key.replace('_', ' ')}: {reason}")
    return unexplained


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--only", default="", help="a regular expression of names")
    parser.add_argument("--seconds", type=float, default=3, help="no larger size after one that took longer (3)")
    parser.add_argument("--rounds", type=int, default=2, help="of which the least time counts (2)")
    options = parser.parse_args()
    unexplained = 0
    for name, one in FAMILIES.items():
        if not re.search(options.only, name):
            continue
        rows: dict[int, dict[str, float]] = {}
        size = one.first
        while size <= one.last:
            row = measure(name, size, options.rounds, options.seconds)
            if row is None:
                break
            rows[size] = row
            if sum(row[key] for key in TIMES) > options.seconds:
                break
            size *= 2
        unexplained += report(name, rows)
        sys.stdout.flush()
    print(f"\n{unexplained} exponents above {MOST} without a reason")


if __name__ == "__main__":
    main()
