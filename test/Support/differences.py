# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of programs of numpy, by central differences."""

from typing import Any, Callable

import numpy as np

from configurations import Array, expect_close

# Learning rate of the programs that are compared.
RATE = 0.1


def differences(f: Callable[[Array], float], w: Array) -> Array:
    """The gradient of `f` at `w`."""
    gradient = np.zeros_like(w)
    h = 1e-3
    for i in np.ndindex(w.shape):
        def at(t: float, i: Any = i) -> float:
            moved = w.copy()
            moved[i] += t
            return f(moved)

        gradient[i] = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
    return gradient


def expect_step(what: str, f: Callable[[Array], float], before: Array, after: Array) -> None:
    """Checks a step of `sgd` on a variable that the loss `f` is a function of."""
    expect_close(what, after, before - RATE * differences(f, before), 1e-8)
