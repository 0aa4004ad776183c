# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""T35: arguments that are equal to Python, but have other attributes, have programs of their own. A call in another
traced function is refused as any other is, and a matrix of NumPy is no array."""

import dataclasses
import decimal
import enum
import fractions
import functools
import pathlib
from typing import Any, Callable, Dict, List, NamedTuple

import numpy as np

import flywheel as fw
from configurations import raises, run_tests

x = np.ones(2, np.float32)


class Named:
    """Compared by name, as settings are."""

    def __init__(self, name: str, **values: Any) -> None:
        self.name = name
        self.__dict__.update(values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


class Slotted:
    __slots__ = ("scale",)

    def __init__(self, scale: Any) -> None:
        self.scale = scale

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Slotted)

    def __hash__(self) -> int:
        return 1


class Text(str):
    scale: Any


class Whole(int):
    scale: Any


class Real(float):
    scale: Any


class Pair(tuple):  # type: ignore[type-arg]
    scale: Any


class Point(NamedTuple):
    scale: Any


@dataclasses.dataclass(frozen=True)
class Noted:
    name: str
    scale: Any = dataclasses.field(compare=False, default=1.0)


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


def with_scale(value: Any, scale: Any) -> Any:
    value.scale = scale
    return value


def counted(**options: Any) -> Any:
    traces: List[int] = []

    def scaled(one: Any, x: Any) -> Any:
        traces.append(1)
        return x * one.scale

    return fw.function(scaled, **options), traces


def test_objects() -> None:
    made: Dict[str, Callable[[Any], Any]] = {
        "named": lambda s: Named("a", scale=s), "slots": Slotted, "text": lambda s: with_scale(Text("a"), s),
        "noted": lambda s: Noted("a", s),
    }  # fmt: skip
    static: Dict[str, Callable[[Any], Any]] = {
        "int": lambda s: with_scale(Whole(1), s), "float": lambda s: with_scale(Real(1), s),
        "tuple": lambda s: with_scale(Pair((1, 2)), s),
    }  # fmt: skip
    for name, make in {**made, **static}.items():
        ways: List[Dict[str, Any]] = [{"static": "one"}, *[{}] * (name in made)]
        for options in ways:
            f, traces = counted(**options)
            for scale in (1.0, 3.0, 1.0, 3.0, 3):
                assert (f(make(scale), x) == scale).all(), (name, options, scale)
            assert len(traces) == 3, (name, len(traces))


def test_attributes() -> None:
    """Attributes count whatever they are: lists, arrays, objects."""
    f = fw.function(lambda one, x: x * one.inner.scale)
    for number in (1.0, 3.0):
        assert (f(Named("a", inner=Named("b", scale=number)), x) == number).all()
    g, traces = counted()
    five = np.full(2, 5, np.float32)
    scales: List[Any] = [[1.0, 2.0], [3.0, 2.0], np.ones(2, np.float32), five, five.copy()]
    for scale in scales:
        assert (g(Named("a", scale=scale), x) == np.asarray(scale)).all()
    assert len(traces) == 4, "equal lists and small arrays are one program"
    large = [np.full(10_000, n, np.float32) for n in (1, 2)]
    h = fw.function(lambda one, x: x[0] * one.scale)
    for array in large:
        assert (h(Named("a", scale=array), x) == array).all()
    cycle = Named("a", scale=2.0)
    cycle.own = cycle  # type: ignore[attr-defined]
    assert (g(cycle, x) == 2).all()
    cycle.scale = 4.0  # type: ignore[attr-defined]
    assert (g(cycle, x) == 4).all()


def test_equal_ones() -> None:
    """Objects that are alike in all have one program, and so have values of Python's own classes."""
    f, traces = counted()
    for _ in range(3):
        f(Named("a", scale=2.0), x)
    assert len(traces) == 1
    plain = fw.function(lambda one, x: x + len(str(one)), static="one")
    values: List[Callable[[], Any]] = [
        lambda: pathlib.Path("/a/b"), lambda: fractions.Fraction(1, 3), lambda: decimal.Decimal("1.0"),
        lambda: Level.LOW, lambda: frozenset([1]), lambda: (1, 2.0), lambda: "text",
    ]  # fmt: skip
    for make in values:
        one, other = make(), make()
        str(one), hash(one)
        plain(one, x)
        count = len(plain._traces)
        plain(other, x)
        assert len(plain._traces) == count, one


def test_signature_in_a_trace() -> None:
    """TypeError for another dtype, ValueError for another size, as outside."""
    inner = fw.function(lambda a, b: a * 2 + b, signature=[fw.spec(2, "n"), fw.spec("n")])

    def calls(a: Any, b: Any) -> Any:
        return fw.function(lambda a, b: inner(a, b))(a, b)

    good = np.ones((2, 3), np.float32), np.ones(3, np.float32)
    assert (calls(*good) == 3).all() and (inner(*good) == 3).all()
    wrong: Any = [
        (TypeError, "takes float32(2, ?), found an array of float64", (good[0].astype("float64"), good[1])),
        (TypeError, "takes float32(?,), found an array of int32", (good[0], np.ones(3, np.int32))),
        (ValueError, "Cannot feed value of shape (4, 3)", (np.ones((4, 3), np.float32), good[1])),
        (ValueError, "Cannot feed value of shape (3,)", (good[1], good[1])),
    ]
    for kind, text, args in wrong:
        for call in (inner, calls):
            raises(kind, text, functools.partial(call, *args))
    raises(ValueError, "takes one size as 'n', found 3 and 4", lambda: calls(good[0], np.ones(4, np.float32)))
    outer = fw.function(lambda a: inner(a))
    raises(TypeError, "missing a required argument: 'b'", lambda: outer(good[0]))
    # Constants, numbers, variables and open sizes.
    v = fw.Variable(good[0])
    assert (fw.function(lambda b: inner(v, b))(good[1]) == 3).all()
    assert (fw.function(lambda: inner(*good))() == 3).all()
    assert (fw.function(lambda a, b: inner(a, b), dynamic=True)(*good) == 3).all()
    wide = good[0].astype("float64")
    raises(TypeError, "found an array of float64", lambda: fw.function(lambda: inner(wide, good[1]))())
    half = fw.function(lambda n: n / 2, signature=[fw.spec(dtype="float32")])
    assert fw.function(lambda: half(3))() == half(3) == 1.5
    by_name = fw.function(lambda b, a: inner(b=b, a=a))
    assert (by_name(good[1], good[0]) == 3).all()


def test_matrices() -> None:
    """`x * m` is not what NumPy has: refused as an argument, captured, and as a variable."""
    m = np.asmatrix(np.eye(2, dtype=np.float32))
    f = fw.function(lambda a: a * 2)
    calls: Any = [lambda: f(m), lambda: fw.function(lambda x: x * m)(x), lambda: fw.function(lambda x: x @ m)(x),
                  lambda: fw.Variable(m), lambda: fw.function(lambda: fw.constant(m))(),
                  lambda: fw.function(lambda a: a * 2, signature=[fw.spec(2, 2)])(m)]  # fmt: skip
    for _ in range(2):
        for call in calls:
            raises(TypeError, "a numpy.matrix multiplies as matrices do", call)
        # A program for arrays of this form takes none either.
        assert (f(np.asarray(m)) == 2 * np.eye(2)).all()


run_tests([
    test_objects, test_attributes, test_equal_ones, test_signature_in_a_trace, test_matrices,
])  # fmt: skip
