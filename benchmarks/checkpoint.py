#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Saving and restoring a large state, against what the disk itself does.

Disk: write(2) of the same bytes to a new file, fsync, rename; read(2) of them
into memory that is in use. Restores and reads come from the page cache
(`cached`) and, after the kernel was told to drop the file, from the disk. All
take turns; the figures are medians over rounds, the ratio that of the medians.

usage: PYTHONPATH=build/python python benchmarks/checkpoint.py [--megabytes N]
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable

import numpy as np

import flywheel


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--megabytes", type=int, default=200, help="size of the state in 10^6 bytes (200)")
    parser.add_argument("--variables", type=int, default=100, help="how many variables it has (100)")
    parser.add_argument("--rounds", type=int, default=11, help="rounds (11)")
    parser.add_argument("--directory", help="where the files are; a temporary directory by default")
    return parser.parse_args()


def make_session(size: int, count: int) -> flywheel.Session:
    """A session with `count` variables of together `size` bytes."""
    elements = size // count // 4
    text = "".join(f"train.variable @v{i} : tensor<{elements}xf32>\n" for i in range(count))
    session = flywheel.Session(flywheel.compile(text))
    rng = np.random.default_rng(1)
    for name in session.variables:
        session[name] = rng.random(elements, np.float32)
    return session


def write_all(fd: int, data: memoryview) -> None:
    while data:
        data = data[os.write(fd, data):]


def write_plainly(path: str, data: memoryview) -> None:
    fd = os.open(path + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    write_all(fd, data)
    os.fsync(fd)
    os.close(fd)
    os.rename(path + ".new", path)


def read_plainly(path: str, memory: memoryview) -> None:
    fd = os.open(path, os.O_RDONLY)
    while memory:
        memory = memory[os.readv(fd, [memory]):]
    os.close(fd)


def drop(path: str) -> None:
    """Tells the kernel to forget the contents of a file that is on disk."""
    fd = os.open(path, os.O_RDONLY)
    os.fsync(fd)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(fd)


def main() -> None:
    options = parse_arguments()
    size = options.megabytes * 10**6
    session = make_session(size, options.variables)
    with tempfile.TemporaryDirectory(dir=options.directory) as folder:
        saved, plain = os.path.join(folder, "saved"), os.path.join(folder, "plain")
        session.save(saved)
        data = np.fromfile(saved, np.uint8)
        memory = np.zeros_like(data)
        actions: dict[str, Callable[[], object]] = {
            "save": lambda: session.save(saved),
            "write + fsync": lambda: write_plainly(plain, memoryview(data)),
            "restore, cached": lambda: session.restore(saved),
            "read, cached": lambda: read_plainly(plain, memoryview(memory)),
            "restore": lambda: session.restore(saved),
            "read": lambda: read_plainly(plain, memoryview(memory)),
        }
        times: dict[str, list[float]] = {name: [] for name in actions}
        for _ in range(options.rounds):
            for name, action in actions.items():
                if name in ("restore", "read"):
                    drop(saved if name == "restore" else plain)
                start = time.perf_counter()
                action()
                times[name].append(time.perf_counter() - start)
    medians = {name: statistics.median(values) for name, values in times.items()}
    print(f"{size / 1e6:.0f} MB in {options.variables} variables, {options.rounds} rounds")
    for ours, disk in (("save", "write + fsync"), ("restore, cached", "read, cached"), ("restore", "read")):
        rates = [size / 1e6 / medians[name] for name in (ours, disk)]
        print(f"{ours:16} {rates[0]:7.0f} MB/s   {disk:14} {rates[1]:7.0f} MB/s   ratio {rates[0] / rates[1]:.2f}")


if __name__ == "__main__":
    main()
