# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""X34: a number that each call chooses and that something takes as a size is an error that says to make it static; as a
shift of `roll` it is taken."""

from typing import Any, Callable, Dict

import numpy as np

import flywheel as fw
from configurations import run_tests

X = np.arange(12, dtype=np.float32).reshape(4, 3)

USES: Dict[str, Callable[[Any], Any]] = {
    "zeros": lambda n: fw.zeros(n), "rows": lambda n: fw.zeros((n, 2)), "ones": lambda n: fw.ones((2, n)),
    "full": lambda n: fw.full((n,), 1.0), "arange": lambda n: fw.arange(n),
    "range": lambda n: fw.zeros(3) + sum(range(n)),
    "reshape": lambda n: fw.reshape(fw.constant(X), (n, -1)), "method": lambda n: fw.constant(X).reshape(n, -1),
    "slice": lambda n: fw.constant(X)[:n], "list": lambda n: fw.zeros(3) + [0, 1, 2][n],
    "repeat": lambda n: fw.repeat(fw.constant(X), n), "tile": lambda n: fw.tile(fw.constant(X), (n, 1)),
    "eye": lambda n: fw.eye(n), "if": lambda n: fw.zeros(3) if n else fw.ones(3), "int": lambda n: fw.zeros(int(n)),
    "split": lambda n: fw.split(fw.constant(X), n)[0], "normal": lambda n: fw.random.normal((n, 2)),
    "one_hot": lambda n: fw.nn.one_hot(fw.constant(np.array([1], np.int32)), n),
    "linspace": lambda n: fw.linspace(0.0, 1.0, n), "loop": lambda n: fw.zeros(3) + len([i for i in range(0, n)]),
}  # fmt: skip


def test_errors() -> None:
    for name, use in USES.items():
        try:
            fw.function(lambda n, use=use: use(n))(2)
        except (TypeError, ValueError) as error:
            assert "static" in str(error), (name, str(error))
        else:
            raise AssertionError(f"{name} takes a number of the call")
        # The remedy.
        made = fw.function(lambda n, use=use: use(n), static="n")
        assert np.shape(made(2)) == np.shape(fw.function(lambda use=use: use(2))()), name


def test_roll() -> None:
    for axis in (0, 1, None, (0, 1)):
        roll = fw.function(lambda x, n, axis=axis: fw.roll(x, n, axis))
        slope = fw.function(lambda x, n, axis=axis: fw.grad(lambda x: fw.sum(fw.roll(x, n, axis) * X))(x))
        for n in (0, 1, -1, 2, -5, 7, 4, 100, -100):
            np.testing.assert_array_equal(roll(X, n), np.roll(X, n, axis))
            np.testing.assert_array_equal(slope(X, n), np.roll(X, -n, axis))
        for count in (5, 3, 1):
            x = np.arange(count * 3, dtype=np.float32).reshape(count, 3)
            np.testing.assert_array_equal(roll(x, 2), np.roll(x, 2, axis))


if __name__ == "__main__":
    run_tests([test_errors, test_roll])
