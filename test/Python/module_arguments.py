# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""N18: a call with a module as an argument finds its entry by the module, and is for what the module is now:
other modules, changed attributes, other stores, and a module at the address of one that is gone have their own."""

import gc
import warnings
from typing import Any, List

import numpy as np

import flywheel as fw

warnings.simplefilter("ignore")
x = np.ones((2, 3), np.float32)


class Scale(fw.Module):
    def __init__(self, value: float) -> None:
        self.value, self.factor = fw.Variable(np.float32(value), name="value"), 1.0

    def __call__(self, x: Any) -> Any:
        return x * self.value * self.factor


def make() -> Any:
    return fw.function(lambda model, x, by: (model(x) + by).sum())


def test_calls() -> None:
    function, a, b = make(), Scale(2), Scale(3)
    for _ in range(4):
        assert function(a, x, 1.0) == 18 and function(b, x, 1.0) == 24 and function(a, x[:1], 1.0) == 9
        assert function(a, x[:, ::2].copy()[:, :1], 1.0) == 6 and function(a, x.astype(np.float64), True) == 18
    find = function._find
    finds: List[Any] = []

    def count(*args: Any) -> Any:
        finds.append(args)
        return find(*args)

    function._find = count
    for _ in range(10):
        assert function(a, x, 0.0) == 12 and function(b, x, 2.0) == 30 and function(a, x[:1], 1.0) == 9
    assert not finds, "an entry that is known was looked up by the leaves of all arguments"
    # Arrays that are not dense are made so.
    assert function(a, np.ones((3, 2), np.float32).T, 0.0) == 12 and len(finds) == 1
    for rows in range(1, 200):
        assert function(a, np.ones((rows, 3), np.float32), 0.0) == 6 * rows
    assert len(function._calls) <= 64 and len(function._traces) <= 8


def test_changes() -> None:
    function, model = make(), Scale(2)
    for factor in (1.0, 2.0, 0.5, 1.0):
        model.factor = factor
        for _ in range(3):
            assert function(model, x, 0.0) == 12 * factor
    model.value.set(4)
    assert function(model, x, 0.0) == 24
    model.value = fw.Variable(np.float32(5), name="other")
    assert function(model, x, 0.0) == function(model, x, 0.0) == 30
    with fw.Store():
        model.value.set(7)
        assert function(model, x, 0.0) == function(model, x, 0.0) == 42
    assert function(model, x, 0.0) == 30


def test_collected() -> None:
    """The next object at the same address is another module."""
    function = make()
    for value in range(1, 30):
        model = Scale(value)
        assert function(model, x, 0.0) == function(model, x, 0.0) == 6 * value
        del model
        gc.collect()
    assert len(function._traces) <= 1


def test_other_arguments() -> None:
    """Modules in lists and by name, and what is no module."""
    listed = fw.function(lambda models, x: models[0](x).sum() + models[1](x).sum())
    models = [Scale(1), Scale(2)]
    assert listed(models, x) == listed(models, x) == 18 and listed(models[::-1], x) == 18
    function, model = make(), Scale(2)
    assert function(model, by=1.0, x=x) == function(model, x, 1.0) == function(model, x, by=1.0) == 18
    two = fw.function(lambda x, a, y, b: (a(x) * b(y)).sum())
    for _ in range(3):
        assert two(x, models[0], x * 2, models[1]) == 24 and two(x, models[1], x, models[1]) == 24
        assert two(x, models[0], x, models[0]) == 6


def test_static_arguments() -> None:
    """Static arguments are values of the trace, and those of a signature are converted to it, in each call."""
    model = Scale(2)
    function = fw.function(lambda model, x, mode: (model(x) * (2.0 if mode else 1.0)).sum(), static="mode")
    first = fw.function(lambda mode, model, x: (model(x) * (1.0 if mode is None else 3.0)).sum(), static=0)
    for _ in range(3):
        for mode in (True, False, 1, 0, 1.5, "a", "", None, (1, 2), ()):
            assert function(model, x, mode) == (24 if mode else 12), mode
            assert first(mode, model, x) == (12 if mode is None else 36), mode
    typed = fw.function(lambda model, by: model(by), signature=[model, fw.spec()])
    for _ in range(3):
        assert typed(model, True) == 2 and typed(model, 3) == 6 and typed(model, 0.5) == 1
        assert typed(model, True).dtype == np.float32


if __name__ == "__main__":
    test_calls()
    test_changes()
    test_collected()
    test_other_arguments()
    test_static_arguments()
