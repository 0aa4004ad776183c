# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Damaged entries of the program cache (T22, T24).

Two programs are kept, one with a constant beside its code. Then its entry has other bytes, parts of the other one, or
lengths that are not its own: each program computes what it did, and the entry is replaced.
"""

import os
import struct
import tempfile
from typing import Any

import numpy as np
from files import NUMBERS, change_bytes

import harness
from harness import Case, Failure, Fuzzer, Outcome, Report, Rng, choose

MAGIC = b"flywheel program 4\n"
# Behind the magic: a digest, the number of parts, and the lengths of six: the last are the constant's name and bytes.
LENGTHS = len(MAGIC) + 32
NUM_LENGTHS = 7
# The bytes before those of the constant, where most errors are possible.
HEAD = 1 << 15
CONSTANT = np.arange(1 << 18, dtype=np.float32)


def change_entry(data: bytes, other: bytes, rng: Rng) -> bytes:
    """Bytes, a length, or the end of an entry are others."""
    action = int(rng.integers(4))
    if action == 0:
        size = len(data) if rng.integers(4) == 0 else HEAD
        return change_bytes(data[:size], rng) + data[size:]
    if action == 1:
        place = LENGTHS + 8 * int(rng.integers(NUM_LENGTHS))
        number = int(abs(choose(rng, NUMBERS)) if rng.integers(2) else rng.integers(2 * len(data)))
        return data[:place] + struct.pack("<Q", number & (2**64 - 1)) + data[place + 8 :]
    start = int(rng.integers(min(len(data), len(other))))
    return data[:start] + other[start:] if action == 2 else other[:start] + data[start:]


class CacheEntries(Fuzzer):
    """Damaged entries of the program cache."""

    name = "cache_entries"
    can_minimize = False

    def prepare(self) -> None:
        import flywheel
        from flywheel._programs import compilation

        self.flywheel: Any = flywheel
        self.programs = compilation._programs
        self.folder = tempfile.mkdtemp()
        os.environ["FLYWHEEL_CACHE"] = self.folder
        self.run_program(2.0)
        (self.path,) = self.entries()
        self.run_program(3.0)
        (other,) = self.entries() - {self.path}
        self.data, self.other = self.read(self.path), self.read(other)
        if len(self.data) < CONSTANT.nbytes or len(self.other) > CONSTANT.nbytes:
            raise Failure(f"entries have {len(self.data)} and {len(self.other)} bytes")

    def entries(self) -> Any:
        return {os.path.join(self.folder, name) for name in os.listdir(self.folder)}

    @staticmethod
    def read(path: str) -> bytes:
        with open(path, "rb") as file:
            return file.read()

    def run_program(self, factor: float) -> None:
        self.programs.clear()
        x = np.arange(4, dtype=np.float32)
        step = self.flywheel.function(lambda a: a * factor)
        expected = x * factor
        if factor == 2:
            step = self.flywheel.function(lambda a: self.flywheel.constant(CONSTANT)[1000 : 1000 + 4] + a * factor)
            expected = CONSTANT[1000:1004] + expected
        found = np.asarray(step(x))
        if not np.array_equal(found, expected):
            raise Failure(f"expected {expected.tolist()}, found {found.tolist()}")

    def make(self, rng: Rng) -> Case:
        return Case(str(int(rng.integers(2**62))))

    def check(self, case: Case, report: Report) -> Outcome:
        changed = change_entry(self.data, self.other, np.random.default_rng(int(case.text)))
        with open(self.path, "wb") as file:
            file.write(changed)
        report("run")
        self.run_program(2.0)
        self.run_program(3.0)
        if self.read(self.path) != self.data:
            raise Failure("the entry is not what it was")
        return Outcome("passed" if changed == self.data else "refused", "compiled again")


if __name__ == "__main__":
    harness.main(CacheEntries(), cases=60)
