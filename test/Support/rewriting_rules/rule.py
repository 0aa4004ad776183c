# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules: pairs of equal functions."""

from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Sequence

import numpy as np

Rng = np.random.Generator
Array = Any


@dataclass
class Pair:
    """Two functions of arrays of floating-point numbers that compute the same, up to rounding. They may capture
    numbers and integers."""

    arrays: List[Array]
    left: Callable[..., Any]
    right: Callable[..., Any]
    # True if the arrays are of a kind that no function before may change.
    is_fixed: bool = False


# A rule draws a pair.
RULES: Dict[str, Callable[[Rng], Pair]] = {}


def rule(function: Callable[[Rng], Pair]) -> Callable[[Rng], Pair]:
    RULES[function.__name__] = function
    return function


def size(rng: Rng, least: int = 1, most: int = 5) -> int:
    return int(rng.integers(least, most + 1))


def sizes(rng: Rng, rank: int, least: int = 1, most: int = 5) -> List[int]:
    return [size(rng, least, most) for _ in range(rank)]


def normal(rng: Rng, *shape: int) -> Array:
    return rng.standard_normal(shape)


def some_shape(rng: Rng, least: int = 1, most: int = 4) -> List[int]:
    """Draws a shape of a rank between these."""
    return sizes(rng, size(rng, least, most))


def pick(rng: Rng, items: Sequence[Any]) -> Any:
    return items[int(rng.integers(len(items)))]
