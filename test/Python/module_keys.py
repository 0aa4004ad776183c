# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Programs are known by what is in their modules (T22): constants of equal sizes tell them apart, and a large one is
not printed to find its program."""

import os
import resource
import tempfile
from typing import Any

import numpy as np

import flywheel as fw
from flywheel._programs import compilation
from flywheel._programs import options as _options

a = np.arange(1000, dtype=np.float32)
b = a.copy()
b[777] = -1.0
with tempfile.TemporaryDirectory() as folder:
    os.environ["FLYWHEEL_CACHE"] = folder

    def total(x: Any, first: Any, second: Any, third: Any) -> Any:
        return fw.sum(x * first), fw.sum(x * second), fw.sum(x * third)

    x = np.ones(1000, np.float32)
    # One module with a and b where another has a, a, b: the same texts, the same elements.
    for _ in range(2):
        for given in [(a, a, b), (a, b, b), (a, b, a), (b, a, a), (a, a, a), (b, b, b)]:
            found = fw.function(lambda x, given=given: total(x, *given), name="total")(x)
            assert [float(one) for one in found] == [float(one.sum()) for one in given], found
        # From the folder, the second time.
        compilation._programs.clear()
    assert len(os.listdir(folder)) == 6, os.listdir(folder)

# A constant of 32 MiB: its text has 64.
os.environ["FLYWHEEL_CACHE"] = ""
large = np.random.default_rng(1).random(2**23, np.float32)
module = fw.function(lambda: fw.sum(fw.constant(large))).trace().module
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
key = _options.StepOptions().key(module)
grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
assert len(key) == 64 and grown < 16, grown
