# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""N18: a module that changes after calls, shares variables or keeps a cache is traced as it is now."""

import copy
import functools
import gc
import weakref
from typing import Any, List

import numpy as np

import flywheel as fw
from configurations import run_tests
from refusals import refuses

rng = np.random.default_rng(0)
X = rng.standard_normal((5, 3)).astype(np.float32)


class Chain(fw.Module):
    """With what may be set or grow after a call."""

    def __init__(self) -> None:
        self.layers: List[Any] = [ones(3, 3)]
        self.last = ones(3, 1)
        self.scale, self.calls = 1.0, 0
        self.seen: List[int] = []

    def apply(self, x: Any) -> Any:
        # Tracing changes these: they are of no other trace.
        self.calls += 1
        self.seen.append(self.calls)
        for layer in self.layers:
            x = layer(x)
        return self.last(x) * self.scale

    @fw.function
    def __call__(self, x: Any) -> Any:
        return self.apply(x)


def ones(inputs: int, outputs: int, value: float = 1.0) -> Any:
    return fw.nn.Dense(inputs, outputs, bias=False, initializer=fw.initializers.Constant(value))


def test_changed_after_calls() -> None:
    """A function is traced again if an attribute, list or dict of a module changes that it has read (N18)."""
    x, chain = np.ones((1, 3), np.float32), Chain()
    traced: List[Any] = []
    sequence = fw.nn.Sequential(ones(3, 1))

    def follow(x: Any) -> Any:
        traced.append(x)
        return chain.apply(x)

    closure, argument = fw.function(follow), fw.function(lambda module, x: module.apply(x))
    inner = fw.function(lambda x: sequence(x))

    def check(expected: float) -> None:
        for function, *arguments in ((chain, x), (closure, x), (argument, chain, x)):
            for _ in range(2):
                np.testing.assert_allclose(function(*arguments), np.full((1, 1), expected))

    check(9.0)
    chain.scale = 2.0
    check(18.0)
    chain.last = ones(3, 1, 2.0)
    check(36.0)
    chain.layers.append(ones(3, 3))
    check(108.0)
    chain.layers[0] = ones(3, 3, 0.0)
    check(0.0)
    chain.layers.pop(0)
    chain.layers.append(ones(3, 3))
    check(108.0)
    chain.last.kernel = fw.Variable(np.ones((3, 1), np.float32))
    check(54.0)
    # An attribute that no trace has read, one that is set to what it is, a value.
    count = len(traced)
    chain.note, chain.scale, chain.layers[0] = 3, 2.0, chain.layers[0]
    chain.last.kernel.set(np.zeros((3, 1), np.float32))
    check(0.0)
    assert len(traced) == count, (len(traced), count)

    np.testing.assert_allclose(inner(x), [[3.0]])
    sequence.layers.append(ones(1, 1, 5.0))
    np.testing.assert_allclose(inner(x), [[15.0]])
    # The gradient is that of the tree as it is.
    gradients = fw.function(lambda x: fw.grad(lambda module: fw.sum(module(x)))(sequence))
    assert list(gradients(x)) == ["layers/0/kernel", "layers/1/kernel"]
    sequence.layers.append(ones(1, 1))
    assert list(gradients(x)) == [f"layers/{i}/kernel" for i in range(3)]
    # A copy has readers of its own, and nothing keeps what is gone.
    other = copy.deepcopy(chain)
    other.scale = 3.0
    np.testing.assert_allclose(other(x), [[0.0]])
    gone = weakref.ref(chain.layers.pop())
    check(0.0)
    gc.collect()
    assert gone() is None


class Tables(fw.Module):
    """With constants in a list and in a dict of lists."""

    def __init__(self) -> None:
        self.tables: List[Any] = []
        self.named: Any = {"own": []}
        self.methods: List[Any] = []

    def __call__(self, x: Any) -> Any:
        for table in [*self.tables, *self.named["own"]]:
            x = x * table
        for method in self.methods:
            x = method(x)
        return x

    def double(self, x: Any) -> Any:
        return x * 2


def test_replaced_objects() -> None:
    """An object of a list is another one than the next object at its address."""
    x = np.ones(2, np.float32)

    def check(module: Any, own: Any, make: Any) -> None:
        function = fw.function(lambda x: module(x))
        for place in range(12):
            value = float(place + 2)
            own.clear()
            own.append(make(value))
            for _ in range(2):
                np.testing.assert_allclose(function(x), [value, value], 1e-6)

    makers: Any = (np.float32, lambda value: np.full(2, value, np.float32), lambda value: np.array(value, np.float32))
    for make in makers:
        tables = Tables()
        check(tables, tables.tables, make)
        check(tables, tables.named["own"], lambda value, own=make: own(value / tables.tables[0]))
    functions = Tables()
    check(functions, functions.methods, lambda value: lambda x: x * value)
    # A method among them is no reason to keep the module.
    lost = Tables()
    lost.methods.append(lost.double)
    function, gone = fw.function(lambda module, x: module(x)), weakref.ref(lost)
    assert function(lost, x).tolist() == function(lost, x).tolist() == [2, 2]
    del lost
    gc.collect()
    assert gone() is None


def test_shared_variables() -> None:
    """A variable of two arguments has one gradient: neither of them has a part of it."""
    shared = ones(3, 1)
    first, second = fw.nn.Sequential(shared), fw.nn.Sequential(shared, ones(1, 1))

    def gradient(argnums: Any, *args: Any) -> Any:
        loss = lambda a, b: fw.sum(a(X) if callable(a) else b(X))  # noqa: E731
        return fw.function(lambda: fw.grad(loss, argnums)(*args))()

    text = f"variable '{shared.kernel.name}' is in arguments 0 and 1"
    refuses(ValueError, text, lambda: gradient((0, 1), first, second))
    refuses(ValueError, text, lambda: gradient((0, 1), first, shared.kernel))
    refuses(ValueError, text, lambda: gradient((-1, 0), shared.kernel, first))
    refuses(ValueError, "in argument 0 twice", lambda: fw.function(lambda: fw.grad(lambda a: 0.0)([first, second]))())
    np.testing.assert_allclose(gradient(0, first, second)["layers/0/kernel"], X.sum(0)[:, None], 1e-5)


def test_caches() -> None:
    """Values of a cache before `reset` are gone, and one cache is one layer's."""
    layer, other = (fw.nn.MultiHeadAttention(4, 2, causal=True) for _ in range(2))
    x = rng.standard_normal((1, 3, 4)).astype(np.float32)
    cache = layer.make_cache(1, 4)
    step = fw.function(lambda x: layer(x, cache=cache))
    expected = step(x)
    cache.reset()
    step(x * np.nan)
    cache.reset()
    np.testing.assert_allclose(step(x[:, :1]), expected[:, :1], 1e-5, 1e-6)
    second = fw.function(lambda x: other(x, cache=cache))
    refuses(ValueError, f"takes a cache of its own, found that of '{layer.name}'", lambda: second(x))
    cache.reset()
    assert second(x).shape == (1, 3, 4)


def test_settings_without_effect() -> None:
    """An attribute that no module reads is an error, as is a value in the place of a variable or a module."""
    with fw.Namespace():
        chain, dense = Chain(), fw.nn.Dense(3, 1)
        for thing in (chain, chain.last, dense):
            for name, remedy in (("trainable", "freeze()"), ("requires_grad", "freeze()"), ("training", "training=")):
                refuses(AttributeError, remedy, functools.partial(setattr, thing, name, False))
        values: List[Any] = [np.zeros((3, 1), np.float32), np.float32(1), 1.0, [0.0], "oops"]
        for value in values:
            refuses(TypeError, "is a Variable, found", functools.partial(setattr, dense, "kernel", value))
            refuses(TypeError, "load_state_dict", functools.partial(setattr, chain, "last", value))
        dense.kernel = fw.Variable(np.zeros((3, 1), np.float32))
        dense.bias = None
        chain.last = fw.nn.Dense(3, 2)
        chain.scale = 2.0

        class Switched(fw.Module):
            training = True

            def __init__(self) -> None:
                self.trainable = False

        switched = Switched()
        switched.trainable, switched.training = True, False
        assert switched.trainable and not switched.training


run_tests([test_settings_without_effect, test_changed_after_calls, test_replaced_objects, test_shared_variables,
           test_caches])  # fmt: skip
