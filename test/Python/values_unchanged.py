# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python -W error %s
"""N21: changes outside of a traced function that trace nothing again, as no number that its code reads is another."""

from typing import Any, Dict, List

import numpy as np

import flywheel as fw
from configurations import run_tests

f32 = np.float32
x = np.ones(2, f32)
config: Dict[str, Any] = {}


def scaled(x: Any, by: Dict[str, Any]) -> Any:
    for size in by["sizes"]:
        x = x * size
    return x * by["rate"]


def test_equal_containers() -> None:
    """A list or a dict that is built anew with equal parts is that one from then on."""
    traces: List[int] = []

    @fw.function
    def step(x: Any) -> Any:
        traces.append(0)
        return scaled(x, config)

    for _ in range(6):
        config.update(rate=0.5, sizes=[2.0, 4.0])
        np.testing.assert_array_equal(step(x), 4 * x)
    assert len(traces) == 1
    # Nothing reads the old list any more; the new one is read whole.
    old, config["sizes"] = config["sizes"], [2.0, 4.0]
    step(x)
    old[0] = 9.0
    np.testing.assert_array_equal(step(x), 4 * x)
    assert len(traces) == 1
    config["sizes"][0] = 1.0
    np.testing.assert_array_equal(step(x), 2 * x)
    config["sizes"] = [1.0, 4.0, 2.0]
    np.testing.assert_array_equal(step(x), 4 * x)
    config["sizes"] = (1.0, 4.0)
    np.testing.assert_array_equal(step(x), 2 * x)


def test_types_of_numbers() -> None:
    """1 and 1.0 give results of other types."""
    step = fw.function(lambda x: scaled(x, config))
    config.update(rate=1.0, sizes=[1.0])
    np.testing.assert_array_equal(step(np.ones(2, np.int32)), np.ones(2))
    config["rate"], config["sizes"] = 1, [1]
    assert step(np.ones(2, np.int32)).dtype == np.int32


def test_equal_global() -> None:
    """The same of a name, also of one that is nested and in another order."""
    global config
    traces: List[int] = []

    @fw.function
    def step(x: Any) -> Any:
        traces.append(0)
        return x * sum(one["n"] * 2.0**place for place, one in enumerate(config["all"].values()))

    for _ in range(4):
        config = {"all": {"a": {"n": 1.0}, "b": {"n": 3.0}}}
        np.testing.assert_array_equal(step(x), 7 * x)
    assert len(traces) == 1
    config = {"all": {"b": {"n": 3.0}, "a": {"n": 1.0}}}
    np.testing.assert_array_equal(step(x), 5 * x)


def test_writes_of_the_host_trace_nothing() -> None:
    """N21: a list that code only appends to, and what functions of the host read, are not numbers of the step."""
    history: List[float] = []
    state = {"calls": 0, "rate": 0.5}
    traces: List[int] = []

    @fw.function
    def step(x: Any) -> Any:
        def count(_: Any) -> None:
            state["calls"] += 1

        traces.append(0)
        loss = fw.sum(x)
        fw.callback(history.append, loss)
        fw.callback(lambda a: history.append(float(a)), loss)
        fw.callback(count, loss)
        return loss * state["rate"]

    for calls in range(1, 6):
        assert step(np.ones(2, f32)) == 1.0 and state["calls"] == calls and len(history) == 2 * calls
    assert len(traces) == 1
    state["rate"] = 2.0
    assert step(np.ones(2, f32)) == 4.0 and len(traces) == 2


run_tests([test_equal_containers, test_types_of_numbers, test_equal_global, test_writes_of_the_host_trace_nothing])
