# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_SIM_ORDER=reversed %python %s %src_root/examples
"""D9, D3: every entry of every example, twice, on the device and on the CPU: the same results and variables within
tolerance, where threads come in reverse."""

import sys
from pathlib import Path
from typing import Any, List

import numpy as np
from numpy.typing import NDArray

import flywheel
from configurations import GPU_TARGET

Array = NDArray[Any]


def draw(info: Any, rng: np.random.Generator) -> Array:
    """A feed: two of a batch of any size; numbers from 0 on, and labels that each example has."""
    shape = [2 if isinstance(size, str) else size for size in info.shape]
    dtype = np.dtype(info.dtype)
    numbers: Array = rng.integers(0, 2, shape) if dtype.kind in "iub" else rng.random(shape)
    return numbers.astype(dtype)


def expect_near(what: str, found: Array, expected: Array) -> None:
    if np.asarray(expected).dtype.kind == "f":
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-5, err_msg=what)
    else:
        np.testing.assert_array_equal(found, expected, what)


def check(path: Path) -> None:
    program = flywheel.compile(str(path))
    host, device = flywheel.Session(program), flywheel.Session(flywheel.compile(str(path), target=GPU_TARGET))
    for session in (host, device):
        session.initialize(1)
    rng = np.random.default_rng(0)
    for entry in program.entries:
        for _ in range(2):
            feeds = [draw(info, rng) for info in entry.feeds]
            results: List[Any] = [session.run(entry.name, *feeds) for session in (device, host)]
            for found, expected in zip(*(r if isinstance(r, tuple) else (() if r is None else (r,)) for r in results)):
                expect_near(f"{path.name} {entry.name}", found, expected)
    for name in host.variables:
        expect_near(f"{path.name} {name}", device[name], host[name])
    print(f"{path.name}: {len(program.entries)} entries", flush=True)


paths = sorted(Path(sys.argv[1]).glob("*/*.mlir"))
assert paths
for model in paths:
    check(model)
