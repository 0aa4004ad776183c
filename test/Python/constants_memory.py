# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %t
"""T24, T22: an array that a function closes over is copied twice on its way into the process: as a constant of the
module, and for the code that reads it."""

import os
import resource
import subprocess
import sys
from typing import Any

import numpy as np

import flywheel as fw
from flywheel._programs import compilation

MIB = 1 << 20
SIZE = 64
# Memory that allocators keep, and pages of a larger module.
SLACK = 24


def make(size: int, dtype: Any) -> Any:
    """Returns an array of `size` MiB, without a copy of it."""
    array = np.full(size * MIB // np.dtype(dtype).itemsize, 1, dtype)
    for number, stride in enumerate((5, 7, 11)):
        array[number::stride] = 2 + number
    return array


def measure(size: int) -> None:
    """Prints the most memory that the process had, in MiB."""
    array = make(size, np.float32) if size else np.ones(3, np.float32)
    total = fw.function(lambda x: fw.sum(array * x), threads=1)(np.float32(1))
    np.testing.assert_allclose(total, array.sum(dtype=np.float64), 1e-4)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def run(size: int, cache: str) -> float:
    command = [sys.executable, __file__, "measure", str(size)]
    environment = {**os.environ, "FLYWHEEL_CACHE": cache}
    found = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return float(found.stdout)


if sys.argv[1] == "measure":
    measure(int(sys.argv[2]))
    sys.exit()

folder = sys.argv[1]
base = run(0, "")
grown = run(SIZE, "") - base
print(f"{SIZE} MiB: {grown:.0f} MiB more")
# The array, and two copies.
assert grown <= 3 * SIZE + SLACK, grown

# From the cache they are the same, whatever the type and shape.
for dtype in (np.float32, np.float64, np.int32, np.int8, np.uint8, np.float16):
    first = make(2, dtype).reshape(2, -1)
    second = make(1, dtype)
    results = []
    os.environ["FLYWHEEL_CACHE"] = os.path.join(folder, "cache")
    for _ in range(2):
        compilation._programs.clear()
        a, b = first, second
        call = fw.function(lambda i: (fw.constant(a)[1, i], fw.constant(b)[i], fw.constant(b)[i + 1]))  # noqa: B023
        results.append(call(np.int32(7)))
        # Memory that the code reads outlives the arrays that it was traced from.
        again = call(np.int32(9))
        assert [x.dtype for x in again] == [dtype] * 3
        assert [float(x) for x in again] == [first[1, 9], second[9], second[10]], (dtype, again)
    assert all(x == y for x, y in zip(*results))
assert os.listdir(os.path.join(folder, "cache"))
