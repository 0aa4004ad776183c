# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""T45: a program for all sizes that refuses the data of calls is compiled for the sizes of one of them, not of each."""

from typing import Any, Callable, List

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


for function, words in (look_up, "out of range"), (classify, "label out of range"), (scale, "division by zero"):
    bad = 0 if function is scale else 9
    for size in (4, 5, 6):
        call(function, size, 2)
    good = [float(call(function, size, 2)) for size in (5, 6, 7)]
    traced.clear()
    fails(lambda: call(function, 5, bad), words)  # noqa: B023
    assert len(traced) <= 1, traced
    traced.clear()
    for size in (5, 6, 7, 8, 5):
        fails(lambda: call(function, size, bad), words)  # noqa: B023
        fails(lambda: call(function, size, bad if function is scale else -7), words)  # noqa: B023
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
