# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""G20: derivatives of every public function of `flywheel`, those of every_function.py, up to the third order in reverse
mode, forward mode and nested, at zeros, ties, equal rows, saturated, large and tiny numbers, beside those near these
points (odd_limits.py); and the modes beside each other."""

import sys
from typing import Any, Callable, Dict, List, NamedTuple, Sequence, Tuple

import numpy as np

import flywheel as fw
from every_function import Call, calls
from odd_limits import TIMES, compare, differences, directions, points, steps_of
from selection import choose

LABELS = ["value", "directional derivative", "first", "second", "third"]
SIZES = {"a": 4, "b": 4, "c": 4, "d": 2, "e": 6}
PLAIN = np.random.default_rng(2).uniform(0.3, 1.7, 512)

# Functions that take elements by their order, or some of them.
SELECTS = ("max", "min", "ptp", "median", "nanmax", "nanmin", "sort", "top_k", "quantile", "percentile", "searchsorted",
           "maximum", "minimum", "fmax", "fmin", "nn.max_pool2d", "interp", "linalg.norm inf",
           "linalg.norm of matrices", "nn.categorical_hinge", "amax", "amin")  # fmt: skip
# Functions whose value jumps where it is of interest, or whose derivative at a tie lies not between those beside it.
JUMPS = ("power", "float_power", "median", "quantile", "percentile", "linalg.eigvalsh", "floor_divide", "mod",
         "remainder", "fmod", "divmod", "sort", "searchsorted", "histogram", "copysign", "heaviside", "interp",
         "digitize", "stop_gradient", "nn.stop_gradient", "isclose", "at where", "select", "linalg.lu_factor",
         "linalg.eigh", "linalg.svd", "linalg.qr")  # fmt: skip
# Functions whose parts are far larger than they are where small numbers meet large ones, or whose roundings add up.
NOISE = {"hypot": 1e-6, "linalg": 1e-6}
FAR_APART = {"hypot": "tiny and saturated numbers", "linalg": "tiny and saturated numbers"}


class NoNumbers(Exception):
    """A call has integers and booleans alone."""


class Case(NamedTuple):
    """A call of whose arguments `moved` is the given matrix, or all are."""

    name: str
    call: Call
    moved: int

    def __str__(self) -> str:
        return self.name if self.moved < 0 else f"{self.name}, argument {self.moved}"


def shape_of(argument: str) -> Tuple[int, ...]:
    letters = argument.split()[1] if " " in argument else ""
    return tuple(SIZES[x] if x in SIZES else int(x) for x in letters)


def argument_of(text: str, x: Any) -> Any:
    """The argument that `text` describes, of the elements of a matrix [4, 4]."""
    shape = shape_of(text)
    size = int(np.prod(shape, dtype=int))
    y = fw.ravel(x)
    if size > 16:
        y = fw.tile(y, -(-size // 16))
    y = fw.reshape(y[:size], shape)
    if text[0] == "s":
        return y @ fw.swapaxes(y, -1, -2) + 2.0 * np.eye(shape[-1], dtype=x.dtype)
    return y


def constant_of(text: str, place: int, dtype: Any) -> Any:
    shape = shape_of(text)
    size = int(np.prod(shape, dtype=int))
    if text[0] == "x":
        return (np.arange(size) * 3 % SIZES[text[2]]).reshape(shape).astype(np.int32)
    if text[0] == "i":
        return (np.arange(size) % 5 - 2).reshape(shape).astype(np.int32)
    if text[0] == "p":
        return (np.arange(size) % 3 > 0).reshape(shape)
    y = PLAIN[place * 100 : place * 100 + size].reshape(shape).astype(dtype)
    return y @ np.swapaxes(y, -1, -2) + 2.0 * np.eye(shape[-1], dtype=dtype) if text[0] == "s" else y


def flat_of(case: Case) -> Callable[[Any], Any]:
    """The function of a matrix that gives all numbers of the call's results."""

    def function(x: Any) -> Any:
        given = [
            argument_of(text, x) if text[0] in "fs" and case.moved in (-1, place)
            else fw.constant(constant_of(text, place, x.dtype))
            for place, text in enumerate(case.call.arguments)
        ]  # fmt: skip
        found = case.call.ours(*given)
        parts = found if isinstance(found, (list, tuple)) else [found]
        numbers = [fw.ravel(one) for one in map(fw.as_tensor, parts) if one.dtype == x.dtype]
        if not numbers:
            raise NoNumbers
        return fw.concatenate(numbers)

    return function


def program_of(case: Case, orders: int = 3) -> Any:
    function = flat_of(case)

    def weighed(x: Any) -> Any:
        y = function(x)
        return fw.sum(y * fw.linspace(1.0, 1.5, y.shape[0], dtype=x.dtype))

    def reverse(of: Any, along: Any) -> Any:
        return fw.grad(lambda x: fw.sum(of(x) * along))

    def forward(of: Any, along: Any) -> Any:
        return lambda x: fw.jvp(of, (x,), (along,))[1]

    @fw.function
    def program(x: Any, along: Any) -> Any:
        first = fw.grad(weighed)
        found = [function(x), forward(function, along)(x), first(x)]
        others = []
        if orders > 1:
            second = reverse(first, along)
            found.append(second(x))
            # The same in forward mode over reverse, and the derivative along the direction, twice.
            others.append(forward(first, along)(x))
            others.append(forward(forward(weighed, along), along)(x))
            others.append(fw.grad(forward(weighed, along))(x))
        if orders > 2:
            found.append(reverse(second, along)(x))
            others.append(forward(second, along)(x))
            others.append(fw.grad(forward(forward(weighed, along), along))(x))
        return found, others

    return program


def check(case: Case) -> List[str]:
    program = program_of(case)
    wrong: List[str] = []
    words = str(case)
    selects, jumps = words.startswith(SELECTS), words.startswith(JUMPS)

    def run(point: Any) -> Any:
        found, others = program(point, directions())
        return [np.asarray(one, np.float64) for one in found], [np.asarray(one, np.float64) for one in others]

    group = case.name.split()[0].split(".")[0]
    noise = NOISE.get(group, 1e-8)
    for name, point in points().items():
        if FAR_APART.get(group) == name:
            continue
        rows = [run(point if moment == 0 else point + moment * steps_of(point)) for moment in TIMES]
        by_element = np.size(rows[0][0][0]) == point.size and not selects
        lines, is_smooth = compare([row[0] for row in rows], LABELS, by_element, selects, noise)
        lines = [] if jumps else lines
        if is_smooth and not jumps:
            lines += agree(rows[0], noise)
        wrong += [f"{case} at {name}, {line}" for line in lines]
    if not jumps:
        wrong += [f"{case}: {line}" for line in differences(lambda point: run(point)[0], LABELS)]
    return wrong


def agree(results: Tuple[Sequence[Any], Sequence[Any]], noise: float) -> List[str]:
    """Returns the differences between modes."""
    (value, moved, first, second, third), others = results
    along = directions()
    with np.errstate(all="ignore"):
        weights = np.linspace(1, 1.5, value.size)
        pairs = [
            ("forward and reverse", np.sum(weights * moved), np.sum(first * along),
             np.sum(np.abs(first * along)) + np.sum(np.abs(moved))),
            ("second, FR", others[0], second, 0), ("second, FF", others[1], np.sum(second * along), 0),
            ("second, RF", others[2], second, 0), ("third, FRR", others[3], third, 0),
            ("third, RFF", others[4], third, 0),
        ]  # fmt: skip
        lines = []
        for what, a, b, size in pairs:
            size = max(size, np.max(np.abs(second if "second" in what else third if "third" in what else b)))
            if np.isfinite(size) and np.any(~(np.abs(a - b) <= noise * (1 + size))):
                lines.append(f"{what}: {np.ravel(a).tolist()[:4]} and {np.ravel(b).tolist()[:4]}")
            elif np.any(np.isnan(a) != np.isnan(b)):
                lines.append(f"{what}, NaN: {np.ravel(a).tolist()[:4]} and {np.ravel(b).tolist()[:4]}")
    return lines


def cases() -> Dict[str, Case]:
    made = []
    for name, call in calls.items():
        floating = [i for i, text in enumerate(call.arguments) if text[0] in "fs"]
        made += [Case(name, call, -1)] if floating else []
        made += [Case(name, call, i) for i in floating if len(floating) > 1]
    return {str(case): case for case in made}


def main() -> None:
    only = sys.argv[1:]
    chosen = {name: case for name, case in cases().items() if not only or any(word in name for word in only)}
    wrong: List[str] = []
    for case in choose("odd points of functions", list(chosen.values()), 0.1) if not only else chosen.values():
        try:
            found = check(case)
        except NoNumbers:
            continue
        print("\n".join(found), end="\n" if found else "", flush=True)
        wrong += found
    assert not wrong, f"{len(wrong)} wrong"


if __name__ == "__main__":
    main()
