# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""N21: values that a traced function reads in containers of libraries, in the environment and in buffers, and
functions, classes and modules that change in place, are those of now. Random numbers and items of iterators, which a
trace takes once, are warned of."""

import abc
import array
import collections
import contextvars
import functools
import gc
import itertools
import math
import operator
import os
import random
import sys
import threading
import time
import types
import warnings
import weakref
from typing import Any, Callable, Dict, Iterator, List, Tuple

import numpy as np

import flywheel as fw
from configurations import run_tests

X = np.arange(4, dtype=np.float32)
Case = Tuple[Callable[[Any], Any], Callable[[], Any]]


class Key:
    rate = 1.0


class Own(collections.UserDict):  # type: ignore[type-arg]
    count = 0


def of_containers() -> Dict[str, Case]:
    user, many, mapping = collections.UserDict(rate=1.0), collections.UserList([1.0]), {"rate": 1.0}
    chain, proxy = collections.ChainMap({"rate": 1.0}, {}), types.MappingProxyType(mapping)
    key, own = Key(), Own(rate=1.0)
    weak: Any = weakref.WeakKeyDictionary({key: 1.0})
    values, keys, get, local = mapping.values(), mapping.keys(), mapping.get, threading.local()
    held, behind = Key(), weakref.proxy(key)
    several: Any = weakref.WeakValueDictionary({"a": held})
    variable: Any = contextvars.ContextVar("rate", default=1.0)
    objects, some = np.array([1.0], object), array.array("f", [1.0])
    raw, local.rate = bytearray(b"\1"), 1.0
    floats: Any = np.ones(2, np.float32)
    view: Any = memoryview(floats)
    os.environ["FLYWHEEL_TEST_RATE"] = "1"
    sys.argv[1:] = ["1"]

    def of_weak(x: Any, key: Any = key) -> Any:
        return x * weak[key]

    def of_several(x: Any, key: Any = held) -> Any:
        return x * several["a"].rate

    def set_environment() -> None:
        os.environ["FLYWHEEL_TEST_RATE"] = "3"

    def one_more() -> None:
        mapping["more"] = 3.0

    return {
        "UserDict": (lambda x: x * user["rate"], lambda: user.update(rate=3.0)),
        "a class that extends UserDict": (lambda x: x * own["rate"], lambda: own.update(rate=3.0)),
        "UserList": (lambda x: x * many[0], lambda: many.__setitem__(0, 3.0)),
        "ChainMap": (lambda x: x * chain["rate"], lambda: chain.update(rate=3.0)),
        "MappingProxyType": (lambda x: x * proxy["rate"], lambda: mapping.update(rate=3.0)),
        "a view of values": (lambda x: sum(x * one for one in values), one_more),
        "a view of keys": (lambda x: x * len(keys), lambda: mapping.update(another=3.0)),
        "a method of a dict": (lambda x: x * get("rate"), lambda: mapping.update(rate=5.0)),
        "WeakKeyDictionary": (of_weak, lambda: weak.update({key: 3.0})),
        "WeakValueDictionary": (of_several, lambda: setattr(held, "rate", 3.0)),
        "a proxy": (lambda x: x * behind.rate, lambda: setattr(key, "rate", 3.0)),
        "ContextVar": (lambda x: x * variable.get(), lambda: variable.set(3.0)),
        "threading.local": (lambda x: x * local.rate, lambda: setattr(local, "rate", 3.0)),
        "threading.local that is handed on": (lambda x: x * rate_of(local), lambda: setattr(local, "rate", 4.0)),
        "an array of objects": (lambda x: x * objects[0], lambda: objects.__setitem__(0, 3.0)),
        "array.array": (lambda x: x * some[0], lambda: some.__setitem__(0, 3.0)),
        "bytearray": (lambda x: x * raw[0], lambda: raw.__setitem__(0, 3)),
        "bytearray that grows": (lambda x: x * len(raw), lambda: raw.append(3)),
        "memoryview": (lambda x: x * view[0], lambda: view.__setitem__(0, 3.0)),
        "environ": (lambda x: x * float(os.environ["FLYWHEEL_TEST_RATE"]), set_environment),
        "environ.get": (lambda x: x * float(os.environ.get("FLYWHEEL_TEST_RATE", "1")),
                        lambda: os.environ.update(FLYWHEEL_TEST_RATE="4")),
        "getenv": (lambda x: x * float(os.getenv("FLYWHEEL_TEST_RATE", "1")),
                   lambda: os.environ.update(FLYWHEEL_TEST_RATE="5")),
        "a list of a library": (lambda x: x * float(sys.argv[1]), lambda: sys.argv.__setitem__(1, "3")),
    }  # fmt: skip


def rate_of(one: Any) -> Any:
    return one.rate


def of_arrays() -> Dict[str, Case]:
    square, wide = np.arange(16, dtype=np.float32).reshape(4, 4).copy(), np.zeros((40, 100))
    typed, large = np.ones(4, np.float32), np.ones(100_000, np.float32)
    strided, number = np.ones((3000, 50), np.float32)[::2].T, np.array(1.0, np.float32)
    return {
        "sizes": (lambda x: x * square[1, 0], lambda: setattr(square, "shape", (2, 8))),
        "sizes of a large array": (lambda x: x * wide.shape[0], lambda: setattr(wide, "shape", (100, 40))),
        "a dtype": (lambda x: x * typed.astype(np.float32), lambda: setattr(typed, "dtype", np.int32)),
        "a large array": (lambda x: x * large[7], lambda: np.multiply(large, 3.0, large)),
        "a large strided array": (lambda x: x * strided[7, 7], lambda: strided.fill(3.0)),
        "a number": (lambda x: x * number, lambda: number.fill(3.0)),
    }


def of_code() -> Dict[str, Case]:
    class Base:
        rate_of_class = 1.0

        def rate(self) -> float:
            return 1.0

        @property
        def of_property(self) -> float:
            return 1.0

        @classmethod
        def of_classmethod(cls) -> float:
            return 1.0

        def scaled(self, x: Any, table: Any) -> Any:
            return x * table["rate"]

    class Between(Base): ...

    class Derived(Between):
        table = {"rate": 1.0}
        partial = functools.partialmethod(Base.scaled, table=table)

        def rate(self) -> float:
            return super().rate()

        @property
        def of_property(self) -> float:
            return super().of_property

        @classmethod
        def of_classmethod(cls) -> float:
            return super().of_classmethod()

        @functools.cached_property
        def computed(self) -> float:
            return 1.0

    class Other(Derived):
        rate_of_class = 3.0

    class Meta(type):
        of_meta = 1.0

    class OfMeta(metaclass=Meta): ...

    class Layer(fw.Module):
        def __call__(self, x: Any) -> Any:
            return x * 1.0

    class Net(Layer):
        def __call__(self, x: Any) -> Any:
            return super().__call__(x)

    def by_default(rate: float = 1.0) -> float:
        return rate

    def by_keyword(*, rate: float = 1.0) -> float:
        return rate

    def by_code() -> float:
        return 1.0

    def new_code() -> float:
        return 3.0

    one, net, module = Derived(), Net(), types.ModuleType("made_by_a_test")
    module.rate = 1.0  # type: ignore[attr-defined]
    sys.modules[module.__name__] = module
    globals()["of_globals"] = globals()["of_eval"] = 1.0

    def imported(x: Any) -> Any:
        import made_by_a_test  # type: ignore[import-not-found]

        return x * made_by_a_test.rate

    def set_class() -> None:
        one.__class__ = Other

    return {
        "super": (lambda x: x * one.rate(), lambda: setattr(Base, "rate", lambda self: 3.0)),
        "super, and a class between": (lambda x: x * one.rate(), lambda: setattr(Between, "rate", lambda self: 4.0)),
        "super of a property": (lambda x: x * one.of_property,
                                lambda: setattr(Base, "of_property", property(lambda self: 3.0))),
        "super of a method of a class": (lambda x: x * Derived.of_classmethod(),
                                         lambda: setattr(Base, "of_classmethod", classmethod(lambda cls: 3.0))),
        "super of a module": (lambda x: net(x), lambda: setattr(Layer, "__call__", lambda self, x: x * 3.0)),
        "partialmethod": (lambda x: one.partial(x), lambda: Derived.table.update(rate=3.0)),
        "cached_property": (lambda x: x * one.computed, lambda: setattr(one, "computed", 3.0)),
        "a class that is set": (lambda x: x * one.rate_of_class, set_class),
        "an attribute of a metaclass": (lambda x: x * OfMeta.of_meta, lambda: setattr(Meta, "of_meta", 3.0)),
        "defaults": (lambda x: x * by_default(), lambda: setattr(by_default, "__defaults__", (3.0,))),
        "defaults of keywords": (lambda x: x * by_keyword(),
                                 lambda: setattr(by_keyword, "__kwdefaults__", {"rate": 3.0})),
        "code": (lambda x: x * by_code(), lambda: setattr(by_code, "__code__", new_code.__code__)),
        "a module without a file": (imported, lambda: setattr(module, "rate", 3.0)),
        "an item of sys.modules": (lambda x: x * sys.modules["made_by_a_test"].rate,
                                   lambda: setattr(module, "rate", 4.0)),
        "globals": (lambda x: x * globals()["of_globals"], lambda: globals().update(of_globals=3.0)),
        "eval": (lambda x: x * eval("of_eval"), lambda: globals().update(of_eval=3.0)),
        "a function of a library": (lambda x: x * math.gamma(1.0), lambda: setattr(math, "gamma", lambda x: 3.0)),
        "a function of the package": (lambda x: fw.sign(x), lambda: setattr(fw, "sign", lambda x: x * 3.0)),
        "a function of nn": (lambda x: fw.nn.relu(x), lambda: setattr(fw.nn, "relu", lambda x: x * 3.0)),
    }  # fmt: skip


def count_trace(name: str, function: Callable[[Any], Any], x: Any) -> Any:
    traces.append(name)
    return function(x)


def check(cases: Dict[str, Case]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, (function, change) in cases.items():
            traced, count = fw.function(function), len(traces)
            counted = fw.function(functools.partial(count_trace, name, function))
            for _ in range(3):
                before = np.asarray(traced(X))
                counted(X)
            assert len(traces) == count + 1, name
            change()
            want = np.asarray(fw.function(function)(X))
            assert not np.array_equal(want, before), name
            np.testing.assert_array_equal(traced(X), want, name)


traces: List[str] = []


def test_containers() -> None:
    check(of_containers())


def of_orders() -> Dict[str, Case]:
    plain = {"a": 1.0, "b": 2.0}
    ordered = collections.OrderedDict(a=1.0, b=2.0)
    holder = types.SimpleNamespace(part=types.SimpleNamespace(rate=1.0))
    get_rate, call = operator.attrgetter("part.rate"), operator.methodcaller("times", 2.0)

    class Own(Dict[str, float]):
        """Iterates from the end."""

        def __iter__(self) -> Iterator[str]:
            return iter([*dict.__iter__(self)][::-1])

    class Rate:
        rate = 1.0

        def times(self, number: float) -> float:
            return self.rate * number

    own, rate = Own(a=1.0, b=2.0), Rate()

    def weigh(x: Any, values: Any) -> Any:
        return sum(x * one * place for place, one in enumerate(values))

    def to_end(values: Any) -> Callable[[], Any]:
        return lambda: values.update(a=values.pop("a"))

    return {
        "the order of a dict": (lambda x: weigh(x, plain.values()), to_end(plain)),
        "the order of an OrderedDict": (lambda x: weigh(x, ordered.values()), lambda: ordered.move_to_end("a")),
        "the order of a class": (lambda x: weigh(x, [own[key] for key in own]), to_end(own)),
        "an attrgetter": (lambda x: x * get_rate(holder), lambda: setattr(holder.part, "rate", 3.0)),
        "a methodcaller": (lambda x: x * call(rate), lambda: setattr(rate, "rate", 3.0)),
    }


def test_orders() -> None:
    check(of_orders())


def test_arrays() -> None:
    check(of_arrays())


def test_code() -> None:
    names = [(math, "gamma"), (fw, "sign"), (fw.nn, "relu")]
    kept = [getattr(module, name) for module, name in names]
    try:
        check(of_code())
    finally:
        for (module, name), value in zip(names, kept):
            setattr(module, name, value)


def test_imports_of_others() -> None:
    """A look at all modules does not trace again after each import."""
    count: List[int] = []

    @fw.function
    def scale(x: Any) -> Any:
        count.append(1)
        return x * (2.0 if "numpy" in sys.modules else 1.0)

    for number in range(3):
        sys.modules[f"another_{number}"] = types.ModuleType(f"another_{number}")
        np.testing.assert_array_equal(scale(X), X * 2)
    assert len(count) == 1


def told(function: Callable[..., Any]) -> List[str]:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        traced = fw.function(function, name="step")
        for _ in range(3):
            traced(X)
    return [str(one.message) for one in seen]


def test_many_arrays() -> None:
    """Arrays that a function may read are seen when they change, are let go of, and cost little to look at."""
    arrays = [np.ones((64, 64), np.float32) for _ in range(3000)]
    kept: Any = types.SimpleNamespace(large=np.ones(100_000, np.float32), turned=np.ones((90, 100), "i4,f8").T)

    def first(items: Any) -> Any:
        return items[0]

    traced = fw.function(lambda x: x + first(arrays)[0, 0])
    assert traced(0.0) == 1.0
    arrays[0][:] = 3.0
    assert traced(0.0) == 3.0
    plain = fw.function(lambda x: x + first([1.0]))

    def seconds(function: Any) -> float:
        found = []
        for _ in range(20):
            begin = time.perf_counter()
            function(0.0)
            found.append(time.perf_counter() - begin)
        return min(found)

    # 3000 items are compared by identity. The contents of all took 16 ms.
    assert seconds(traced) < seconds(plain) + 4e-3
    reads = fw.function(lambda x: x + kept.large[0] + kept.turned["f1"][0, 0])
    assert [float(reads(0.0)) for _ in range(2)] == [2.0, 2.0]
    kept.turned["f1"][...] = 2.0
    assert reads(0.0) == 3.0
    old = weakref.ref(kept.large)
    kept.large = np.zeros(2, np.float32)
    gc.collect()
    assert old() is None, "the array is kept"
    assert reads(0.0) == 2.0 and reads(0.0) == 2.0


def test_draws() -> None:
    own, old, kept = np.random.default_rng(0), np.random.RandomState(0), random.Random(0)
    for label, function in {
        "random": lambda x: x * random.random(), "numpy.random": lambda x: x * np.random.rand(),
        "own": lambda x: x * own.random(), "old": lambda x: x * old.rand(), "kept": lambda x: x * kept.random(),
    }.items():  # fmt: skip
        (text,) = told(function)
        assert f"'step' draws from '{label}' while it is traced" in text, text
        assert "flywheel.random" in text
    assert not told(lambda x: x * np.random.default_rng(0).random()), "a generator of the trace repeats"
    variables: List[fw.Variable] = []

    def made_once(x: Any) -> Any:
        if not variables:
            variables.append(fw.Variable(np.random.rand(4).astype(np.float32), name="drawn"))
        return x * variables[0]

    assert not told(made_once)


def test_iterators() -> None:
    class Batches:
        def __iter__(self) -> Any:
            return self

        def __next__(self) -> float:
            return 1.0

    count, batches, cells = itertools.count(1), Batches(), iter([1.0, 2.0])
    space = types.SimpleNamespace(items=zip([1.0, 2.0]))
    for label, function in {"count": lambda x: x * next(count), "batches": lambda x: x * next(batches),
                            "cells": lambda x: sum(x * one for one in cells),
                            "space.items": lambda x: x * next(space.items)[0]}.items():  # fmt: skip
        texts = told(function)
        assert len(texts) == 1 and f"'step' reads the iterator '{label}' while it is traced" in texts[0], texts
    assert not told(lambda x: x if sys.stderr is None else x * 2.0)


factor = 2.0


@functools.lru_cache(None)
def cached(number: int) -> float:
    return factor * number


def test_cleared_caches() -> None:
    """A function whose kept results are cleared computes others; results of other arguments change none."""
    global factor
    traces: List[int] = []

    @fw.function
    def body(x: Any) -> Any:
        traces.append(0)
        return x * cached(1)

    np.testing.assert_array_equal(body(X), 2 * X)
    for number in range(5):
        cached(number)
        np.testing.assert_array_equal(body(X), 2 * X)
    assert len(traces) == 1
    cached.cache_clear()
    np.testing.assert_array_equal(body(X), 2 * X)
    factor = 5.0
    np.testing.assert_array_equal(body(X), X * cached(1))
    cached.cache_clear()
    np.testing.assert_array_equal(body(X), 5 * X)
    assert cached(1) == 5.0


def test_refilled_caches() -> None:
    """A function whose kept results are cleared and computed again, as many times as before, is noticed; one of a
    limited number of results, which drops the oldest, is when it has dropped all of them."""
    for most in (None, 128, 2):
        numbers = [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
        take = iter(numbers).__next__
        traces: List[int] = []

        @functools.lru_cache(most)
        def drawn(number: int) -> float:
            return take() * number

        @fw.function
        def body(x: Any) -> Any:
            traces.append(0)
            return x * drawn(1)

        for _ in range(2):
            np.testing.assert_array_equal(body(X), drawn(1) * X)
            info = drawn.cache_info()
            drawn.cache_clear()
            while drawn.cache_info()[:2] != info[:2]:
                drawn(1)
            np.testing.assert_array_equal(body(X), drawn(1) * X)
        count = len(traces)
        drawn(2)
        np.testing.assert_array_equal(body(X), drawn(1) * X)
        assert len(traces) == count
        if most == 2:
            drawn(3), drawn(4)
            wanted = 8.0 * X  # Python computes it anew.
            np.testing.assert_array_equal(body(X), wanted)
            assert drawn(1) == 8.0


def test_functions_and_classes() -> None:
    """Arguments of a partial function, defaults by keyword, names that a module computes, arrays of iterators, items of
    the dict of a class, and classes that an abstract one counts as its own."""

    class Abstract(abc.ABC):  # noqa: B024
        rate = 1.0

    class Other:
        pass

    class Derived(Abstract):
        pass

    def scaled(x: Any, *, rate: float = 1.0) -> Any:
        return x * rate

    other, part, flat = Other(), functools.partial(operator.mul, 1.0), np.ones((2, 2), np.float32).flat
    named = functools.partial(scaled, rate=1.0)
    flags = types.ModuleType("flags")
    exec("def __getattr__(name): return values[name]\nvalues = {'rate': 1.0}", flags.__dict__)
    body = fw.function(lambda x: named(part(x)) * flat[2] * flags.rate)
    np.testing.assert_array_equal(body(X), X)
    named.keywords["rate"] = 2.0
    np.testing.assert_array_equal(body(X), 2 * X)
    flat.base[1, 0] = 3.0
    np.testing.assert_array_equal(body(X), 6 * X)
    flags.__dict__["values"]["rate"] = 5.0
    np.testing.assert_array_equal(body(X), 30 * X)
    numbers: Any = collections.defaultdict(lambda: 1.0)
    body = fw.function(lambda x: x * numbers.get("rate", numbers.default_factory()))
    np.testing.assert_array_equal(body(X), X)
    numbers.default_factory = lambda: 4.0
    np.testing.assert_array_equal(body(X), 4 * X)
    body = fw.function(lambda x: x * float(sum(one.rate for one in Abstract.__subclasses__())))
    np.testing.assert_array_equal(body(X), X)
    more = type("More", (Abstract,), {"rate": 3.0})
    np.testing.assert_array_equal(body(X), 4 * X)
    setattr(more, "rate", 4.0)  # noqa: B010
    np.testing.assert_array_equal(body(X), 5 * X)
    body = fw.function(lambda x: scaled(x) * Abstract.__dict__["rate"] * (2.0 if isinstance(other, Abstract) else 1.0))
    np.testing.assert_array_equal(body(X), X)
    defaults: Any = scaled.__kwdefaults__
    defaults["rate"] = 3.0
    np.testing.assert_array_equal(body(X), 3 * X)
    Abstract.rate = 5.0
    np.testing.assert_array_equal(body(X), 15 * X)
    Derived.register(Other)
    np.testing.assert_array_equal(body(X), 30 * X)


if __name__ == "__main__":
    run_tests([test_containers, test_orders, test_arrays, test_code, test_imports_of_others, test_many_arrays,
               test_draws, test_iterators, test_cleared_caches, test_refilled_caches,
               test_functions_and_classes])  # fmt: skip
