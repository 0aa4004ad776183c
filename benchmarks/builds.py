#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of two builds in turn: what a change to the compiler gains or costs.

  python benchmarks/builds.py BEFORE/build/python build/python [--rows ROW ...] [--threads N] [--rounds N]

Each build has a process of its own; rounds alternate which goes first. For each row of `peers`: the median and the
least time of both, the median of the ratios of rounds, and the ratio of the least times.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from typing import Any

PEERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers")
sys.path.insert(0, PEERS)
from process import Peer  # noqa: E402
from rows import ROWS  # noqa: E402


def ask(build: Peer, **command: Any) -> dict[str, Any]:
    answer = build.ask(**command)
    if "error" in answer or "missing" in answer:
        raise SystemExit(f"builds.py: {answer.get('error') or answer['missing']}")
    return answer


def measure(build: Peer, count: int) -> float:
    """Seconds of a step: the fastest of three runs of `count`."""
    return min(float(ask(build, run=count)["seconds"]) / count for _ in range(3))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("before", help="folder with the package of the first build")
    parser.add_argument("after", help="and of the second one")
    parser.add_argument("--rows", nargs="+", default=list(ROWS), choices=list(ROWS), metavar="ROW")
    parser.add_argument("--threads", type=int, default=1, help="cores to use (1)")
    parser.add_argument("--rounds", type=int, default=6, help="rounds (6)")
    parser.add_argument("--seconds", type=float, default=0.25, help="length of each of three runs of a round (0.25)")
    options = parser.parse_args()
    for path in (options.before, options.after):
        if not os.path.isdir(os.path.join(path, "flywheel")):
            parser.error(f"expected a folder with the package flywheel, found '{path}'")
    print(f"{'row':20} {'before ms':>20} {'after ms':>20} {'after/before':>13} {'least':>7}")
    for row in options.rows:
        builds = [
            Peer("flywheel", sys.executable, options.threads, "cpu", None, package=os.path.abspath(path))
            for path in (options.before, options.after)
        ]
        with tempfile.TemporaryDirectory() as folder:
            for build in builds:
                ask(build, make=row, sizes={}, still=False, folder=folder)
                ask(build, run=2)
        count = max(1, int(options.seconds / measure(builds[0], 1)))
        times: list[list[float]] = [[], []]
        for turn in range(options.rounds):
            for i in (0, 1) if turn % 2 == 0 else (1, 0):
                times[i].append(measure(builds[i], count))
        for build in builds:
            build.close()
        ratio = statistics.median(after / before for before, after in zip(*times, strict=True))
        columns = [f"{statistics.median(t) * 1e3:.3f} ({min(t) * 1e3:.3f})" for t in times]
        print(
            f"{row:20} {columns[0]:>20} {columns[1]:>20} {ratio:13.3f} {min(times[1]) / min(times[0]):7.3f}", flush=True
        )


if __name__ == "__main__":
    main()
