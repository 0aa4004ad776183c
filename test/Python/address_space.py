# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= FLYWHEEL_COMPILE_THREADS=4 %python %s
"""A compiled function keeps no thread of the compiler and none of their stacks (T41): what hundreds of functions take
of the address space is what they are."""

from typing import Tuple

import numpy as np

import flywheel as fw


def usage() -> Tuple[int, int]:
    """The MiB of address space of this process, and its threads."""
    with open("/proc/self/status", encoding="utf-8") as file:
        numbers = dict(line.split(":", 1) for line in file)
    return int(numbers["VmSize"].split()[0]) // 1024, int(numbers["Threads"])


def compile_one(number: int) -> fw.Function:
    @fw.function
    def step(x):  # type: ignore[no-untyped-def]
        return fw.sin(x) * float(number), fw.sum(x @ x) + float(number)

    step(np.ones((8, 8), np.float32))
    return step


kept = [compile_one(number) for number in range(4)]
size, threads = usage()
kept += [compile_one(number) for number in range(4, 24)]
new_size, new_threads = usage()
assert new_threads == threads, (threads, new_threads)
# A thread's stack alone is 256 MiB, and the heap that it allocates from 64.
assert new_size - size < 100, (size, new_size)
assert len(kept) == 24
