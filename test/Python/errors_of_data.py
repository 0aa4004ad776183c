# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""T45: no error of the data compiles a function again for the sizes of the call."""

from typing import Any, Callable, List, Tuple

import numpy as np

import flywheel as fw

weights = fw.Variable(np.ones((3, 4), np.float32), name="weights")
traced: List[str] = []


@fw.function
def look_up(rows: Any, places: Any) -> Any:
    traced.append("look_up")
    return fw.sum(fw.take(weights, places, axis=0) * rows[:, :1])


@fw.function
def classify(rows: Any, labels: Any) -> Any:
    traced.append("classify")
    return fw.nn.sparse_softmax_cross_entropy(rows @ weights, labels)


@fw.function
def in_a_branch(rows: Any, places: Any) -> Any:
    traced.append("in_a_branch")
    total = fw.sum(rows)
    return fw.cond(total > 0.0, lambda: fw.sum(fw.take(weights, places, axis=0)), lambda: total)


@fw.function
def below_the_size(rows: Any, places: Any) -> Any:
    """The bound is a size, and the index is data."""
    traced.append("below_the_size")
    return fw.sum(fw.take(rows, places, axis=0))


@fw.function(check_numerics=True)
def finite(rows: Any, numbers: Any) -> Any:
    traced.append("finite")
    return fw.sum(rows) + fw.sum(fw.log(fw.cast(numbers, fw.float32)))


@fw.function
def scale(rows: Any, numbers: Any) -> Any:
    traced.append("scale")
    return fw.sum(rows) + fw.sum(fw.cast(2 // numbers, fw.float32))


def fails(action: Callable[[], Any], words: str) -> None:
    try:
        action()
    except fw.InvalidArgumentError as error:
        assert words in str(error), error
        return
    raise AssertionError("expected an error")


def call(function: Any, size: int, number: int) -> Any:
    numbers = np.full(size, 1, np.int32)
    numbers[-1] = number
    return function(np.ones((size, 3), np.float32), numbers)


CASES: List[Tuple[Any, str, int, int]] = [
    (look_up, "out of range", 9, -7), (classify, "label out of range", 9, -7), (in_a_branch, "out of range", 9, -7),
    (below_the_size, "out of range", 9, -9), (scale, "division by zero", 0, 0), (finite, "in 'math.log'", 0, -1),
]  # fmt: skip
for function, words, bad, worse in CASES:
    for size in (4, 5, 6):
        call(function, size, 2)
    good = [float(call(function, size, 2)) for size in (5, 6, 7)]
    traced.clear()
    for size in (5, 6, 7, 8, 5):
        fails(lambda: call(function, size, bad), words)  # noqa: B023
        fails(lambda: call(function, size, worse), words)  # noqa: B023
    assert not traced, traced
    assert [float(call(function, size, 2)) for size in (5, 6, 7)] == good and not traced


# A call that a program for one size takes, or refuses in other words, still compiles that program.


@fw.function
def add(a: Any, b: Any) -> Any:
    traced.append("add")
    return a + b


for first, second in (4, 4), (5, 5), (6, 6):
    add(np.ones(first, np.float32), np.ones(second, np.float32))
for _ in range(2):
    traced.clear()
    try:
        add(np.ones(4, np.float32), np.ones(3, np.float32))
    except ValueError as error:
        assert "shape" in str(error) or "size" in str(error), error
    else:
        raise AssertionError("expected an error")
