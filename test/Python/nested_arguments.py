# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""X44: dicts and data classes as arguments and results. Code sees the keys of a dict in the order of the caller's, and
a dict that a function returns has the order of that; objects of data classes are trees of their fields."""

import collections
import dataclasses
from typing import Any, Dict, List, NamedTuple, Optional

import numpy as np

import flywheel as fw
from configurations import raises, run_tests

X = np.arange(6, dtype=np.float32).reshape(3, 2)


@dataclasses.dataclass
class Batch:
    image: Any
    label: Any = None
    name: Optional[str] = "train"


@dataclasses.dataclass(frozen=True)
class Frozen:
    w: Any
    inner: Dict[str, Any]


@dataclasses.dataclass(eq=False)
class Slots:
    __slots__ = ("x", "y")
    x: Any
    y: Any


@dataclasses.dataclass(frozen=True)
class Settings:
    rate: float = 1.0
    kind: str = "sum"


@dataclasses.dataclass
class Model:
    w: fw.Variable
    scale: float


class Pair(NamedTuple):
    batch: Batch
    number: int


@dataclasses.dataclass(eq=False)
class Derived:
    x: Any

    def __post_init__(self) -> None:
        self.scale, self.is_on, self.cache = 2.0, True, dict[str, Any]()
        self.table = {"w": self.x, "times": 3}


class _Slots:
    __slots__ = ("cache", "is_on", "scale", "table")


@dataclasses.dataclass
class DerivedSlots(_Slots):
    __slots__ = ("x",)
    x: Any

    def __post_init__(self) -> None:
        self.scale, self.is_on, self.cache = 2.0, True, dict[str, Any]()
        self.table = {"w": self.x, "times": 3}


class Subclass(Derived):
    def __init__(self, x: Any) -> None:
        super().__init__(x)
        self.extra = 5.0


@dataclasses.dataclass
class Linked:
    x: Any

    def __post_init__(self) -> None:
        self.me, self.scale, self.w = self, 7.0, None


def weighted(values: Any) -> Any:
    """A sum that depends on the order."""
    return sum(value * (place + 1.0) for place, value in enumerate(values))


def test_orders_of_keys() -> None:
    traces: List[int] = []

    @fw.function
    def step(table: Dict[str, Any]) -> Any:
        traces.append(1)
        return {"total": weighted(table.values()), **{f"{key}_2": value * 2 for key, value in table.items()}}

    kinds: List[Any] = [dict, collections.OrderedDict, lambda items: collections.defaultdict(float, items)]
    for make in kinds:
        for order in ("ab", "ba", "ab"):
            table = make((key, X + ord(key)) for key in order)
            found = step(table)
            assert list(found) == ["total", *(f"{key}_2" for key in order)], list(found)
            np.testing.assert_allclose(found["total"], weighted(table.values()))
    assert len(traces) == 6, "each order is traced once"
    nested = fw.function(lambda tree: weighted(tree[0]["in"].values()))
    for order in ("ab", "ba"):
        np.testing.assert_allclose(nested([{"in": {key: X + ord(key) for key in order}}]),
                                   weighted(X + ord(key) for key in order))  # fmt: skip


def test_keywords() -> None:
    step = fw.function(lambda *args, **named: weighted([*args, *named.values()]))
    np.testing.assert_allclose(step(X, p=X, q=2 * X), X + 2 * X + 6 * X)
    np.testing.assert_allclose(step(X, q=2 * X, p=X), X + 4 * X + 3 * X)
    np.testing.assert_allclose(step(X, p=X, q=2 * X), X + 2 * X + 6 * X)


def test_branches_of_other_orders() -> None:
    """The order of keys is not a part of the form of a tree."""

    @fw.function
    def choose(x: Any) -> Any:
        found = fw.cond(fw.sum(x) > 0, lambda: {"a": x, "b": 2 * x}, lambda: {"b": x, "a": 2 * x})
        assert list(found) == ["a", "b"]
        return fw.map_leaves(lambda one, other: one + other, found, {"b": x, "a": x})

    found = choose(X)
    np.testing.assert_allclose(found["b"], 3 * X)
    np.testing.assert_allclose(choose(-X)["b"], -2 * X)


def test_data_classes() -> None:
    traces: List[int] = []

    @fw.function
    def step(batch: Batch, scale: Any = 1.0) -> Any:
        traces.append(1)
        assert type(batch) is Batch and batch.name in ("train", "test")
        label = 0.0 if batch.label is None else batch.label
        return dataclasses.replace(batch, image=batch.image * scale, label=batch.image + label, name=None)

    for _ in range(2):
        found = step(Batch(X, X + 1))
        assert type(found) is Batch and found.name is None
        np.testing.assert_allclose(found.label, 2 * X + 1)
    np.testing.assert_allclose(step(Batch(X + 5), 3.0).image, 3 * (X + 5))
    np.testing.assert_allclose(step(Batch(X, name="test")).image, X)
    assert len(traces) == 3
    nested = fw.function(lambda pair: pair.batch.image * pair.number)
    np.testing.assert_allclose(nested(Pair(Batch(X), 3)), 3 * X)
    slots = fw.function(lambda both: Slots(both.y, both.x))
    np.testing.assert_allclose(slots(Slots(X, 2 * X)).x, 2 * X)


def test_attributes_that_are_no_fields() -> None:
    traces: List[int] = []

    @fw.function
    def scaled(one: Any) -> Any:
        traces.append(1)
        if not one.is_on:
            return {"sum": one.x * one.table["w"], "made": type(one)(one.x)}
        return {"sum": one.x * one.scale + one.table["w"] * one.table["times"], "made": type(one)(one.x * 2.0)}

    for kind in (Derived, DerivedSlots, Subclass):
        del traces[:]
        for x in (X, X + 1, X + 2):
            one = kind(x)
            found = scaled(one)
            np.testing.assert_allclose(found["sum"], x * 2 + x * 3)
            made = found["made"]
            np.testing.assert_allclose(made.table["w"], 2 * x)
            assert (made.scale, made.is_on, made.cache) == (2.0, True, {})
            assert made.cache is not scaled(one)["made"].cache
            assert one.cache == {} and one.x is x
        assert len(traces) == 1, (kind, traces)
        one.scale = 4.0
        np.testing.assert_allclose(scaled(one)["sum"], one.x * 4 + one.x * 3)
        one.is_on = False
        np.testing.assert_allclose(scaled(one)["sum"], one.x * one.x)
        assert len(traces) == 3
    np.testing.assert_allclose(fw.function(lambda one: one.extra * one.x)(Subclass(X)), 5 * X)
    np.testing.assert_allclose(fw.function(lambda one: one.me.scale * one.x)(Linked(X)), 7 * X)
    own: Any = Linked(X)
    own.w = fw.Variable(X, name="own")
    times = fw.function(lambda one: one.w * one.x)
    np.testing.assert_allclose(times(own), X * X)
    own.w = fw.Variable(2 * X, name="other")
    np.testing.assert_allclose(times(own), 2 * X * X)
    found = fw.function(lambda one: fw.grad(lambda one: fw.sum(one.x * one.scale))(one))(Derived(X))
    np.testing.assert_allclose(found.x, np.full_like(X, 2))
    loop = fw.function(lambda one: fw.fori_loop(0, 3, lambda i, one: Derived(one.x * one.scale), one))
    np.testing.assert_allclose(loop(Derived(X)).x, 8 * X)


def test_derivatives_and_loops() -> None:
    @fw.function
    def gradient(parameters: Frozen, x: Any) -> Any:
        return fw.grad(lambda p: fw.sum(p.w * x + p.inner["b"] * 2.0))(parameters)

    found = gradient(Frozen(X, {"b": X}), X)
    assert type(found) is Frozen
    np.testing.assert_allclose(found.w, X)
    np.testing.assert_allclose(found.inner["b"], np.full_like(X, 2))

    @fw.function
    def loop(x: Any) -> Any:
        return fw.fori_loop(0, 3, lambda i, state: Batch(state.image * 2.0, state.label + 1.0, None), Batch(x, x, None))

    np.testing.assert_allclose(loop(X).image, 8 * X)
    np.testing.assert_allclose(loop(X).label, X + 3)
    mapped = fw.function(lambda batch: fw.vmap(lambda one: one.image * one.label)(batch))
    np.testing.assert_allclose(mapped(Batch(X, X, None)), X * X)


def test_settings() -> None:
    """Settings of numbers and names that can be hashed are one argument, known while the function is traced; a
    number of others is fed."""
    traces: List[Optional[float]] = []

    @fw.function
    def scale(x: Any, settings: Any) -> Any:
        traces.append(None)
        return x * settings.rate if settings.kind == "sum" else x

    np.testing.assert_allclose(scale(X, Settings(2.0)), 2 * X)
    np.testing.assert_allclose(scale(X, Settings(3.0)), 3 * X)
    np.testing.assert_allclose(scale(X, Settings(3.0, "none")), X)
    assert len(traces) == 3
    w = fw.Variable(X, name="w")
    apply = fw.function(lambda model, x: x * model.w * model.scale)
    for number in (2.0, 3.0):
        np.testing.assert_allclose(apply(Model(w, number), X), X * X * number)
    raises(TypeError, "is neither an array, a number nor hashable: set", lambda: scale(X, {1.0}))


if __name__ == "__main__":
    run_tests(
        [
            test_orders_of_keys,
            test_keywords,
            test_branches_of_other_orders,
            test_data_classes,
            test_attributes_that_are_no_fields,
            test_derivatives_and_loops,
            test_settings,
        ]
    )
