# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Limits for derivatives at odd points: the derivatives beside them.

A function is known along a line, at x + t d for some small t on both sides of 0. If the values of a derivative on the
two sides have one limit, the derivative at 0 is that limit, whatever the function is made of. If they have two, at a
kink, it lies between them. Nothing is known where they grow without bound. A derivative that has numbers beside it is
not NaN.
"""

from typing import Any, Dict, List, Tuple

import numpy as np

Array = Any

# The factors t of x + t d, in units of the steps that `steps_of` gives.
TIMES = (0.0, -1.0, 1.0, -1e-4, 1e-4)
DIMS = 4


def directions() -> Array:
    return np.random.default_rng(11).uniform(0.5, 1.5, (DIMS, DIMS)) * np.where(np.arange(16) % 3, 1, -1).reshape(4, 4)


def steps_of(point: Array) -> Array:
    """Returns small steps: a small part of a number, and of its distance from 0."""
    size = np.abs(point)
    return np.where((size > 0) & (size < 1e-3), 1e-5 * size, 1e-6 + 1e-9 * size) * directions()


def points() -> Dict[str, Array]:
    """Matrices of odd numbers."""
    rng = np.random.default_rng(3)
    plain = rng.uniform(-1.5, 1.5, (DIMS, DIMS))
    zero_row, equal_rows, singular = plain.copy(), np.tile(plain[:1], (DIMS, 1)), plain.copy()
    zero_row[1], singular[2] = 0.0, singular[0] + singular[1]
    odd = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 6.0, 3.0, -3.0, 0.2, 2.5, -2.5, 4.0, 1e-4]
    sizes = [1e-8, 2e-8, -1e-8, 3e-8, 20.0, -20.0, 40.0, -40.0, 100.0, -100.0, 1.0, -1.0, 1e-4, -1e-4, 0.3, 5.0]
    return {
        "odd numbers": np.reshape(odd, (4, 4)), "tiny and saturated numbers": np.reshape(sizes, (4, 4)),
        "zeros": np.zeros((4, 4)), "negative zeros": np.full((4, 4), -0.0), "equal numbers": np.full((4, 4), 0.75),
        "ones": np.ones((4, 4)), "a row of zeros": zero_row, "equal rows": equal_rows, "a singular matrix": singular,
        "the identity": np.eye(4), "large numbers": plain * 1e6, "small numbers": plain * 1e-9,
        "tiny numbers": plain * 1e-30,
    }  # fmt: skip


class Beside:
    """The values of a function on both sides of a point."""

    def __init__(self, at: Array, near: Array, noise: float):
        """`near` has them at -1, 1, -1e-4 and 1e-4 steps."""
        self.at, self.near = at, near
        with np.errstate(all="ignore"):
            left, right = np.abs(near[2] - near[0]), np.abs(near[3] - near[1])
            self.has_left, self.has_right = np.isfinite(left), np.isfinite(right)
            ends = np.where(self.has_left, near[2], near[3]), np.where(self.has_right, near[3], near[2])
            self.low, self.high = np.minimum(*ends), np.maximum(*ends)
            # The bound of a function that is not much worse than a root.
            moves = np.where(self.has_left, left, 0) + np.where(self.has_right, right, 0)
            # Other elements of a gradient round, too.
            most = np.max(np.abs(near), initial=0.0, where=np.isfinite(near))
            self.room = 0.6 * moves + noise * (np.maximum(np.abs(self.low), np.abs(self.high)) + 1e-3) + 1e-15 * most
            # Slower at an epsilon of a function than at a pole.
            is_pole = np.any(np.abs(near[2:]) > 30 * np.abs(near[:2]) + 10, axis=0)
            self.is_known = (self.has_left | self.has_right) & ~is_pole
            # Two limits, or none.
            self.jumps = ~self.has_left | ~self.has_right | (self.high - self.low > 2 * self.room)

    def is_off(self) -> Array:
        """Returns true where the value at the point is not that beside it, nor between both."""
        with np.errstate(all="ignore"):
            is_between = (self.at >= self.low - self.room) & (self.at <= self.high + self.room)
        return self.is_known & ~is_between

    def show(self, i: int) -> str:
        return f"{float(self.at[i])!r}, beside it {self.near[:, i].tolist()}"


def compare(
    values: List[List[Array]], what: List[str], is_by_element: bool, selects: bool, noise: float
) -> Tuple[List[str], bool]:
    """Returns the errors at a point. `values` has for each of TIMES the value, its directional derivative, and
    gradients of higher and higher order; an order counts if the one before is continuous. The result of a function that
    selects elements at a tie is known of the whole alone. Returns also whether the value is continuous there."""
    along = directions().reshape(-1)
    lines: List[str] = []
    is_smooth: Any = True
    values_are_smooth: Any = True
    for place in range(len(values[0])):
        rows = np.stack([row[place].reshape(-1) for row in values])
        if selects and place == 1:
            continue
        if selects and place > 1:
            with np.errstate(all="ignore"):
                rows = (rows @ along)[:, None]
        beside = Beside(rows[0], rows[1:], noise)
        is_wrong = beside.is_off() & (False if place == 0 else values_are_smooth if place == 1 else is_smooth)
        lines += [f"{what[place]}: {beside.show(i)}" for i in np.flatnonzero(is_wrong)[:3]]
        own = ~beside.jumps & np.isfinite(rows[0])
        if place == 0:
            values_are_smooth = own
        if place != 1:
            is_smooth = is_smooth & (own if is_by_element else np.all(own))
    # No mode is right where the value itself jumps.
    return lines, bool(np.all(values_are_smooth))


def differences(function: Any, what: List[str]) -> List[str]:
    """Returns the errors of derivatives at two points that are not odd: `function` of a point gives a value, its
    directional derivative, and gradients along a direction, of which each is the derivative of the one before."""
    step, lines = 1e-5, []
    for seed in (1, 2):
        point = np.random.default_rng(seed).uniform(0.1, 0.9, (DIMS, DIMS)) * (1 if seed == 1 else directions())
        middle, before, after, less, more = (function(point + t * directions() * step) for t in (0, -1, 1, -0.5, 0.5))
        for place in range(1, len(middle)):
            # The derivative of a value is along the direction, and so are those of gradients.
            of = {1: 0, 2: None}.get(place, place - 1)
            if of is None:
                continue
            with np.errstate(all="ignore"):
                coarse, fine = (after[of] - before[of]) / (2 * step), (more[of] - less[of]) / step
                scale = 1 + np.abs(fine)
                is_seen = np.abs(coarse - fine) <= 1e-5 * scale
                bad = is_seen & ~(np.abs(middle[place] - fine) <= 1e-4 * scale)
            lines += [f"{what[place]}: {middle[place].reshape(-1)[i]}, by differences {fine.reshape(-1)[i]}"
                      for i in np.flatnonzero(bad.reshape(-1))[:2]]
    return lines
