# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""X15: random programs of slices, ranges, reshapes, joins and comparisons of sizes are what NumPy gives, by one program
for all batch sizes."""

import os
import random
import warnings
from typing import Any, Callable, List

import numpy as np

import flywheel as fw
from selection import get_seed

COUNTS = (5, 1, 8, 3, 2)
PROGRAMS = 150 if os.environ.get("FLYWHEEL_TEST_ALL") else 24
IN_ONE_FUNCTION = 12


class NumPy:
    """The functions that programs are made of, as NumPy has them."""

    arange, concatenate, flip, repeat, where, minimum, maximum = (
        np.arange, np.concatenate, np.flip, np.repeat, np.where, np.minimum, np.maximum)  # fmt: skip
    sort, cumsum, roll, ones, full, tile, outer, pad, argsort = (
        np.sort, np.cumsum, np.roll, np.ones, np.full, np.tile, np.outer, np.pad, np.argsort)  # fmt: skip


class Draws:
    """One random program: it draws the same when it is run again, whatever the sizes are."""

    def __init__(self, seed: int) -> None:
        self._draws = random.Random(seed)

    def one(self, *choices: Any) -> Any:
        return choices[self._draws.randrange(len(choices))]

    def number(self, n: Any, depth: int = 2) -> Any:
        """A number from the size of the batch, of 0 or more."""
        if depth == 0:
            return self.one(n, n, 1, 2, 3)
        a, b = self.number(n, depth - 1), self.number(n, depth - 1)
        return self.one(lambda: a, lambda: a + b, lambda: a * 2, lambda: a // 2, lambda: a % 3, lambda: (a + 1) // 2,
                        lambda: a + 1)()  # fmt: skip

    def signed(self, n: Any) -> Any:
        a = self.number(n)
        return self.one(lambda: a, lambda: -a, lambda: a - n, lambda: a - 3, lambda: None)()

    def vector(self, np_: Any, x: Any, n: Any, depth: int) -> Any:
        """A vector of float32."""
        if depth == 0:
            return self.one(lambda: x[:, 0], lambda: x[:, 2], lambda: np_.arange(self.number(n), dtype="float32"),
                            lambda: np_.ones(self.number(n), dtype="float32"), lambda: x.reshape(-1))()  # fmt: skip
        a = self.vector(np_, x, n, depth - 1)
        step = self.one(None, 1, 2, 3, -1, -2)
        kind = self._draws.randrange(13)
        if kind < 3:
            return a[self.signed(n) : self.signed(n) : step]
        if kind == 3:
            return np_.concatenate([a, self.vector(np_, x, n, depth - 1), a[:1]])
        if kind == 4:
            b = self.vector(np_, x, n, depth - 1)
            count = np_.minimum(a.shape[0], b.shape[0])
            return a[:count] * b[:count] + self.number(n)
        if kind == 5:
            return np_.where(np_.arange(a.shape[0]) < self.number(n), a, a * 0.5)
        if kind == 6:
            return np_.repeat(a, self.one(1, 2, n), 0)
        if kind == 7:
            return np_.flip(a) + a.shape[0] / (self.number(n) + 1)
        if kind == 8:
            return np_.sort(a) if self.one(True, False) else np_.roll(a, self.one(1, n, -2), 0)
        if kind == 9:
            return np_.pad(a, (self.number(n, 1), self.number(n, 1)))
        if kind == 10:
            return a * (self.number(n) > self.number(n)) + (a.shape[0] == n)
        if kind == 11:
            return np_.tile(a, 2).reshape(2, a.shape[0]).sum(0)
        return np_.cumsum(a, 0) * (1 / (a.shape[0] + 1))

    def run(self, np_: Any, x: Any, n: Any) -> Any:
        a = self.vector(np_, x, n, 2)
        shape = self.one(lambda: a.reshape(1, -1), lambda: np_.outer(a, np_.arange(n, dtype="float32")),
                         lambda: a.reshape(a.shape[0], 1) - a, lambda: a)()  # fmt: skip
        return shape


def digest(x: Any, np_: Any, sin: Callable[[Any], Any], cast: Callable[[Any, str], Any]) -> Any:
    """The sizes, and a sum with weights: no result has a size that is computed."""
    y = cast(x.reshape(-1), "float64")
    return [*x.shape, (y * sin(cast(np_.arange(y.shape[0]), "float64") + 1.0)).sum()]


def expected_of(seed: int, x: Any) -> Any:
    return digest(Draws(seed).run(NumPy, x, len(x)), NumPy, np.sin, lambda y, to: y.astype(to))


def rows(count: int) -> Any:
    return np.linspace(-1, 1, count * 3).astype(np.float32).reshape(count, 3)


def check(seeds: List[int]) -> List[int]:
    """Returns the programs that have a buffer of which the compiler finds no bound, and says so."""
    try:
        expect_same(seeds)
    except fw.CompileError as error:
        if "expected a buffer whose size is bounded" not in str(error):
            raise
        return seeds if len(seeds) == 1 else [seed for one in seeds for seed in check([one])]
    return []


def expect_same(seeds: List[int]) -> None:
    def all_of(x: Any) -> Any:
        return [digest(Draws(seed).run(fw, x, x.shape[0]), fw, fw.sin, fw.cast) for seed in seeds]

    function = fw.function(all_of, dynamic=True)
    for count in COUNTS:
        for seed, found in zip(seeds, function(rows(count))):
            np.testing.assert_allclose(found, expected_of(seed, rows(count)), 1e-4, 1e-4,
                                       err_msg=f"program {seed} of {count} rows")  # fmt: skip
    assert len(function._traces) == 1


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    first = get_seed()
    refused: List[int] = []
    for start in range(first, first + PROGRAMS, IN_ONE_FUNCTION):
        refused += check(list(range(start, start + IN_ONE_FUNCTION)))
    assert len(refused) <= PROGRAMS // 12, refused
