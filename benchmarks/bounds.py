#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists the kernels of the train steps of `peers` that take more than 3 times their bound: the larger one of their
operations over the peak of f32 and their bytes, each read and written once, over the bandwidth of the smallest cache
that fits those of one call, or of memory; all measured in the same process. Kernels of less than one per cent of a step
are counted, and not listed.

usage: PYTHONPATH=build/python python benchmarks/bounds.py [--threads N] [--rows NAME...]
           [--factor N] [--part N] [--seconds N]
"""

from __future__ import annotations

import argparse
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers"))

from ours import Flywheel  # noqa: E402
from process import restrict  # noqa: E402
from rows import ROWS, make_row  # noqa: E402
from worker import make_feeds  # noqa: E402


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--threads", type=int, default=1, help="cores to use (1)")
    parser.add_argument("--rows", nargs="+", default=list(ROWS), choices=list(ROWS), metavar="ROW")
    parser.add_argument("--factor", type=float, default=3.0, help="how many times the bound (3)")
    parser.add_argument("--part", type=float, default=1.0, help="per cent of a step that a kernel takes (1)")
    parser.add_argument("--seconds", type=float, default=1.0, help="of steps of each row (1)")
    return parser.parse_args()


def measure(name: str, arguments: argparse.Namespace) -> None:
    row = make_row(name, {})
    ours = Flywheel(row, {}, make_feeds(row), False, arguments.threads, profile=True)
    start = time.perf_counter()
    ours.step()
    count = max(3, int(arguments.seconds / (time.perf_counter() - start)))
    with ours.session.profile() as profile:
        for _ in range(min(count, 1000)):
            ours.step()
    (entry,) = profile.entries
    rates = [entry.peak_l1_bytes_per_second, entry.peak_l2_bytes_per_second, entry.peak_bytes_per_second]
    slow = [
        (kernel, 100 * kernel.seconds / entry.seconds)
        for kernel in sorted(entry.kernels, key=lambda kernel: -kernel.seconds)
        if kernel.times_bound is not None and kernel.times_bound > arguments.factor
    ]
    listed = [(kernel, part) for kernel, part in slow if part >= arguments.part]
    bounds = sum(kernel.bound_seconds or 0.0 for kernel in entry.kernels)
    print(
        f"{name}: {entry.seconds / entry.calls * 1e3:.3f} ms, {entry.seconds / bounds:.2f} times its bounds; "
        f"{len(slow)} of {len(entry.kernels)} kernels take more than {arguments.factor:g} times theirs, "
        f"{sum(part for _, part in slow):.1f} % of the step, of which {len(listed)} take "
        f"{arguments.part:g} % or more each; peaks {entry.peak_flops_per_second / 1e9:.0f} GFLOP/s, "
        f"{rates[0] / 1e9:.0f}, {rates[1] / 1e9:.0f} and {rates[2] / 1e9:.0f} GB/s"
    )
    for kernel, part in listed:
        print(
            f"  {kernel.times_bound:6.1f} times {kernel.bound_by:6}  {part:5.1f} %  "
            f"{kernel.seconds / kernel.calls * 1e6:9.2f} us a call  {kernel.name}  {kernel.sources[0]}"
        )


def main() -> None:
    arguments = parse_arguments()
    restrict(arguments.threads, "cpu")
    for name in arguments.rows:
        measure(name, arguments)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
