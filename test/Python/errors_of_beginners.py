# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t
# RUN: env FLYWHEEL_CACHE= %python %s %t
"""T9: errors of arguments that other frameworks take say what was expected, what was found, and what to write."""

import functools
import re
import sys
from typing import Any, Callable, Type

import numpy as np

import flywheel as fw
from configurations import run_tests

FOLDER = sys.argv[1]
ONE = np.ones(3, np.float32)


def refused(kind: Type[Exception], pattern: str, action: Callable[[], Any]) -> None:
    try:
        action()
    except kind as error:
        assert re.search(pattern, str(error), re.DOTALL), (pattern, str(error))
        return
    raise AssertionError(f"expected {kind.__name__} '{pattern}'")


def of_variables() -> None:
    refused(TypeError, r"the class Zeros.*Variable\(Zeros\(\), shape=",
            lambda: fw.Variable(fw.initializers.Zeros, shape=(3,)))  # fmt: skip
    refused(ValueError, r"do not specify shape.*initializers.Constant\(value\)", lambda: fw.Variable(0.0, shape=(3,)))
    refused(ValueError, r"must be fully defined: write Variable\(value\)", lambda: fw.Variable())
    make: Any = fw.Variable
    refused(TypeError, "did you mean 'initial_value'", lambda: make(shape=(3,), initializer=fw.initializers.Zeros()))


def of_checkpoints() -> None:
    w = fw.Variable(ONE, name="w")
    layer = fw.nn.Dense(2, 2)
    store: Any = fw.current_store()
    for call in (fw.save, fw.restore):
        wrong: Any = functools.partial(call, f"{FOLDER}/a")
        refused(TypeError, r"expected a list of variables or names.*write \[x\]", functools.partial(wrong, w))
        refused(TypeError, r"found Dense x: write .*x.variables", functools.partial(wrong, layer))
    fw.save(f"{FOLDER}/a", [w])
    fw.restore(f"{FOLDER}/a", [w])
    refused(TypeError, "expected a flywheel.CheckpointManager.*save_step",
            lambda: store.save_step(3, "x", 1))  # fmt: skip
    refused(TypeError, "an integer or None as step",
           lambda: store.save_step(fw.CheckpointManager(), f"{FOLDER}/x", "1"))  # fmt: skip


def of_managers() -> None:
    make: Any = fw.CheckpointManager
    refused(TypeError, "did you mean 'max_to_keep'", lambda: make(keep=3))
    refused(TypeError, r"write CheckpointManager\(max_to_keep=3\)", lambda: make(3))
    refused(TypeError, "expected an integer as max_to_keep, found", lambda: make(max_to_keep="3"))
    refused(ValueError, "0 or more, or None as max_to_keep, found -1", lambda: make(max_to_keep=-1))
    w = fw.Variable(ONE, name="managed")
    assert fw.current_store().save_step(make(max_to_keep=2), f"{FOLDER}/m", 3, [w]).endswith("m-3")


def of_budgets() -> None:
    given = [fw.function(lambda x: x * 2, memory_budget=one).options.memory_budget for one in ("2MiB", "64KiB", "512")]
    assert given == [2**21, 2**16, 512]
    refused(TypeError, "as memory_budget, found '2 apples'", lambda: fw.function(lambda x: x, memory_budget="2 apples"))


def of_random_numbers() -> None:
    refused(TypeError, r"logits.*found int64.*flywheel.log", lambda: fw.function(
        lambda: fw.random.categorical(np.array([1, 2, 3])))())  # fmt: skip
    refused(ValueError, r"uniform\(\(2, 3\)\)", lambda: fw.function(lambda: fw.random.uniform(2, 3))())


def of_rules() -> None:
    product: Any = fw.custom_vjp(lambda a, b: a * b)
    refused(TypeError, "a function as backward, found str", lambda: product.defvjp(lambda a, b: (a * b, None), "sum"))
    product.defvjp(lambda r, g: (g, g))
    refused(TypeError, "a rule of 3 parameters", lambda: fw.function(
        lambda x: fw.grad(lambda v: fw.sum(product(v, x)))(x))(ONE))  # fmt: skip
    product.defvjp(lambda a, b, g: (g * b, g * a))
    assert fw.function(lambda x: fw.grad(lambda v: fw.sum(product(v, x)))(x))(ONE).tolist() == [1.0] * 3


def of_arguments() -> None:
    import argparse

    refused(TypeError, r"Namespace; give .*vars\(x\)",
            lambda: fw.function(lambda x, a: x * a.k)(ONE, argparse.Namespace(k=2.0)))  # fmt: skip
    refused(TypeError, "dict; a static argument is compared.*frozen data class",
           lambda: fw.function(lambda x, c: x * c["k"], static="c")(ONE, {"k": 2.0}))  # fmt: skip


def of_slices() -> None:
    take = fw.function(lambda x, i: x[i : i + 2])
    for place in (np.int32(1), 1):
        refused(fw.CompileError, r"\A[^\n]*: error: expected x\[i \+ flywheel.arange\(n\)\] for n elements",
                functools.partial(take, ONE, place))  # fmt: skip


def of_optimizers() -> None:
    table = fw.Variable(np.ones((3, 2), np.float32), name="table")
    for optimizer in (fw.optimizers.LAMB(), fw.optimizers.Adafactor(), fw.optimizers.Muon()):
        step = fw.function(lambda i, optimizer=optimizer: optimizer.minimize(
            fw.sum(fw.nn.embedding(table, i)), lazy=True))  # fmt: skip
        refused(ValueError, f"{type(optimizer).__name__}: expected lazy=False", functools.partial(step, np.array([1])))
    make: Any = fw.optimizers.Adam
    refused(TypeError, "weight_decay.*AdamW", lambda: make(weight_decay=0.1))


def of_attributes() -> None:
    w: Any = fw.Variable(ONE, name="w")
    refused(AttributeError, "trainable=False", lambda: w.requires_grad_(False))
    layer: Any = fw.nn.Dense(2, 2)
    refused(AttributeError, "instead: kernel", lambda: layer.weight)
    clip: Any = fw.clip
    refused(TypeError, "did you mean 'low'", lambda: fw.function(lambda x: clip(x, a_min=0.0))(ONE))


def of_layers() -> None:
    refused(ValueError, r"a number within \[0, 1\]", lambda: fw.nn.BatchNorm(3, momentum=2.0))
    refused(AttributeError, r"mean_squared_error.*\(a - b\)\*\*2", lambda: fw.nn.mse_loss)  # type: ignore[attr-defined]


run_tests([of_variables, of_checkpoints, of_managers, of_budgets, of_random_numbers, of_rules, of_arguments,
           of_slices, of_optimizers, of_attributes, of_layers])  # fmt: skip
