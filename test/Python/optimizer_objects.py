# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Optimizers as objects: what they refuse, and the dtype of their numbers."""

from typing import Any, Callable, Dict, List, Tuple, Type

import numpy as np

import flywheel as fw
from configurations import run_tests


def expect_error(kind: Type[BaseException], text: str, action: Callable[[], object]) -> None:
    try:
        action()
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"expected {kind.__name__}: {text}")


def make_step(
    optimizer: Any, dtype: Any, name: str, before: Callable[[], object] = lambda: None, **clauses: Any
) -> Any:
    """A step whose gradient is that of ones: it moves w, which starts at ones, by the rate."""
    w = fw.Variable(np.ones(3, dtype), name=name)

    @fw.function
    def step() -> Any:
        before()
        optimizer.minimize(fw.sum(w), **clauses)
        return w + 0

    return step


def test_attributes_are_fixed() -> None:
    """An assignment that a compiled step would not see is refused (V14)."""
    optimizer = fw.optimizers.Adam(lr=0.1)
    for name in ("lr", "beta_1", "iterations"):
        expect_error(AttributeError, f"'{name}' of 'Adam' is a variable: set it by `.{name}.set(...)`",
                     lambda name=name: setattr(optimizer, name, 0.0))  # type: ignore[misc]
    expect_error(AttributeError, "'epsilon' of 'Adam' is fixed", lambda: setattr(optimizer, "epsilon", 0.5))
    expect_error(AttributeError, "'decay' of 'Adam' is a variable", lambda: setattr(optimizer, "decay", 0.5))
    schedule = fw.schedules.CosineRate(peak=0.1, steps=4)
    expect_error(AttributeError, "'peak' of 'CosineRate' is fixed", lambda: setattr(schedule, "peak", 1.0))
    assert schedule.peak == 0.1 and optimizer.epsilon == fw.optimizers.Adam().epsilon


def test_kinds_of_clauses() -> None:
    """Arguments that are no schedules and no variables are errors that say so."""
    sgd = fw.optimizers.SGD
    cases: List[Tuple[Dict[str, Any], str]] = [
        ({"schedule": sgd()}, "expected one of flywheel.schedules as schedule, found SGD"),
        ({"schedule": fw.initializers.Zeros()}, "expected one of flywheel.schedules as schedule, found Zeros"),
        ({"schedule": 0.1}, "expected one of flywheel.schedules as schedule, found float"),
        ({"global_step": 3}, "expected a variable as global_step, found int"),
        ({"no_decay": [3], "l2": 0.1}, "expected variables in no_decay, found int"),
    ]  # fmt: skip
    for number, (clauses, text) in enumerate(cases):
        step = make_step(sgd(0.1), np.float32, f"clause{number}", **clauses)
        expect_error(TypeError, text, step)


def test_rate_before_the_first_step() -> None:
    """V14: numbers have the dtype of what is trained, also where they were touched before."""
    for dtype in (np.float32, np.float64):
        name = np.dtype(dtype).name
        optimizer = fw.optimizers.SGD(lr=0.1)
        optimizer.lr.set(0.5)
        assert optimizer.lr.numpy() == 0.5
        step = make_step(optimizer, dtype, "set_" + name)
        np.testing.assert_array_equal(step(), np.full(3, 0.5, dtype))
        assert optimizer.lr.dtype == dtype and optimizer.lr.numpy() == 0.5
        optimizer.lr.set(0.25)
        np.testing.assert_array_equal(step(), np.full(3, 0.25, dtype))
        # Read alone, it keeps all its digits.
        optimizer = fw.optimizers.SGD(lr=0.1)
        assert optimizer.lr.numpy() == np.float32(0.1)
        np.testing.assert_array_equal(make_step(optimizer, dtype, "read_" + name)(), 1 - np.full(3, 0.1, dtype))
        assert optimizer.lr.numpy() == dtype(0.1)


def test_each_store_has_its_own() -> None:
    """V14: a value that waits for the first step is one of the store that it was set in."""
    optimizer = fw.optimizers.SGD(lr=0.125)
    other = fw.Store()
    with other:
        optimizer.lr.set(0.5)
    step = make_step(optimizer, np.float64, "stores")
    np.testing.assert_array_equal(step(), np.full(3, 0.875))
    with other:
        np.testing.assert_array_equal(step(), np.full(3, 0.5))


def test_rate_in_front_of_the_update() -> None:
    """V14: a step may assign the rate, and then update along it."""
    with fw.Namespace():
        optimizer = fw.optimizers.SGD(lr=0.1)
        step = make_step(optimizer, np.float64, "front", lambda: optimizer.lr.assign(0.5))
        np.testing.assert_array_equal(step(), np.full(3, 0.5))


def test_two_dtypes() -> None:
    """One optimizer has its numbers in one dtype, which an error says."""
    optimizer = fw.optimizers.SGD(lr=0.5)
    make_step(optimizer, np.float32, "narrow")()
    expect_error(TypeError, "has its numbers in float32, and float64 variables need them in float64",
                 make_step(optimizer, np.float64, "wide"))


run_tests([test_attributes_are_fixed, test_kinds_of_clauses, test_rate_before_the_first_step,
           test_each_store_has_its_own, test_rate_in_front_of_the_update, test_two_dtypes])  # fmt: skip
