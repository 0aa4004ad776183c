# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""N16, N21: a traced function computes with the numbers of now that its code reads outside: by names, in closures, as
attributes, in dicts and lists. Values that it does not read change nothing, and those that tracing writes neither."""

import functools
import types
import warnings
from typing import Any, Callable, Dict, List, Tuple

import numpy as np

import flywheel as fw
from configurations import run_tests
from flywheel.math.optimizer.levenberg_marquardt import minimize

X = np.arange(4, dtype=np.float32)
NUMBERS = (2.0, 3.0, 3, -0.0, 0.0, True, 2.0)


class Settings:
    """Values as attributes, in all the ways that a class has them."""

    kind_rate = 1.0
    shared = 1.0

    def __init__(self) -> None:
        self.rate = 1.0
        self.other = 1.0
        self.table: Dict[str, Any] = {"rate": 1.0, "deep": [{"rate": 1.0}]}
        self.steps = [1.0, 1.0]
        self.count = 0
        self.maybe: Any = None

    @property
    def doubled(self) -> float:
        return self.rate * 2

    def of(self, x: Any) -> Any:
        return x * self.inner()

    def of_kind(self, x: Any) -> Any:
        return x * self.kind_rate

    def inner(self) -> float:
        return self.rate

    def nested(self, x: Any) -> Any:
        def each(value: Any) -> Any:
            return value * self.rate

        return each(x)

    def counted(self, x: Any) -> Any:
        self.raise_count()
        return x * self.rate + 0 * self.count

    def raise_count(self) -> None:
        self.count += 1

    def __call__(self, x: Any) -> Any:
        return x * self.rate

    @fw.function
    def decorated(self, x: Any) -> Any:
        return x * self.rate


def scaled(own: Settings, x: Any) -> Any:
    return x * own.rate


rate = 1.0
settings = Settings()
table: Dict[str, Any] = {"rate": 1.0, "inner": {"rate": 1.0}}
steps = [1.0, 1.0]
outer = types.SimpleNamespace(settings=settings)
chain: Any = None


def set_rate(value: float) -> None:
    global rate
    rate = value


def set_item(holder: Any, key: Any) -> Callable[[float], None]:
    return lambda value: holder.__setitem__(key, value)


def set_attribute(holder: Any, name: str = "rate") -> Callable[[float], None]:
    return lambda value: setattr(holder, name, value)


def closure() -> Tuple[Callable[[Any], Any], Callable[[float], None]]:
    own = 1.0

    def change(value: float) -> None:
        nonlocal own
        own = value

    return lambda x: x * own, change


def list_in_closure() -> Tuple[Callable[[Any], Any], Callable[[float], None]]:
    own = [1.0]
    return lambda x: x * own[0], set_item(own, 0)


def new_settings() -> Settings:
    global settings
    settings = outer.settings = Settings()
    return settings


def pair_of(
    name: str, make: Callable[[Settings], Callable[[Any], Any]]
) -> Tuple[Callable[[Any], Any], Callable[[float], None]]:
    own = new_settings()
    function = make(own)
    fw.function(function)(X)
    return function, set_attribute(own, name)


class Constants:
    rate = 1.0


class Layer(fw.Module):
    def __init__(self) -> None:
        self.settings = Settings()

    def __call__(self, x: Any) -> Any:
        return x * self.settings.rate


def of_module() -> Tuple[Callable[[Any], Any], Callable[[float], None]]:
    layer = Layer()
    return layer, set_attribute(layer.settings)


def pair(make: Callable[[Settings], Callable[[Any], Any]]) -> Tuple[Callable[[Any], Any], Callable[[float], None]]:
    own = new_settings()
    return make(own), set_attribute(own)


PLACES: Dict[str, Callable[[], Tuple[Callable[[Any], Any], Callable[[float], None]]]] = {
    "a global name": lambda: (lambda x: x * rate, set_rate),
    "a closure": closure,
    "a list in a closure": list_in_closure,
    "an item of a dict": lambda: (lambda x: x * table["rate"], set_item(table, "rate")),
    "an item of a dict in a dict": lambda: (lambda x: x * table["inner"]["rate"], set_item(table["inner"], "rate")),
    "an item of a list": lambda: (lambda x: x * steps[1], set_item(steps, 1)),
    "the last item of a list": lambda: (lambda x: x * steps[-1], set_item(steps, 1)),
    "an attribute": lambda: pair(lambda own: lambda x: x * settings.rate),
    "an attribute in a closure": lambda: pair(lambda own: lambda x: x * own.rate),
    "an attribute of an attribute": lambda: pair(lambda own: lambda x: x * outer.settings.rate),
    "a class": lambda: (lambda x: x * Constants.rate, set_attribute(Constants)),
    "a default of a class": lambda: pair_of("kind_rate", lambda own: lambda x: x * settings.kind_rate),
    "the class of an object": lambda: (lambda x: x * settings.shared, set_attribute(Settings, "shared")),
    "a default of a class in a method": lambda: pair_of("kind_rate", lambda own: own.of_kind),
    "an attribute that was None": lambda: pair_of("maybe", lambda own: lambda x: x * (settings.maybe or 2.0)),
    "an attribute of a module's object": of_module,
    "a property": lambda: pair(lambda own: lambda x: x * settings.doubled),
    "a method": lambda: pair(lambda own: own.of),
    "a method in a function": lambda: pair(lambda own: lambda x: settings.of(x)),
    "a function in a method": lambda: pair(lambda own: own.nested),
    "an object that is called": lambda: pair(lambda own: lambda x: own(x)),
    "a partial application": lambda: pair(lambda own: functools.partial(scaled, own)),
    "in a comprehension": lambda: pair(lambda own: lambda x: sum(x * settings.rate for _ in range(2))),
    "in a gradient": lambda: pair(lambda own: lambda x: fw.grad(lambda v: fw.sum(v * v * own.rate))(x)),
}


def test_numbers_of_now() -> None:
    for name, make in PLACES.items():
        function, change = make()
        traced = fw.function(function)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for number in NUMBERS:
                change(number)
                want = np.asarray(2 * X * number if name == "in a gradient" else function(X), np.float32)
                for _ in range(2):
                    got = np.asarray(traced(X))
                    np.testing.assert_array_equal(got, want, name)
                    np.testing.assert_array_equal(np.signbit(got), np.signbit(want), name)


def test_decorated_methods() -> None:
    one, two = Settings(), Settings()
    for number in (2.0, 5.0):
        one.rate, two.rate = number, 10 * number
        np.testing.assert_array_equal(one.decorated(X), X * number)
        np.testing.assert_array_equal(two.decorated(X), X * number * 10)


def count_traces(function: Callable[[Any], Any], between: Callable[[int], None]) -> int:
    """Returns how often a function is traced in six calls."""
    traces: List[int] = []

    def counted(x: Any) -> Any:
        traces.append(1)
        return function(x)

    traced = fw.function(counted)
    for number in range(6):
        traced(X)
        between(number)
    return len(traces)


def test_only_these() -> None:
    """Values that the code does not read, and those that it writes itself, change nothing."""
    own = new_settings()
    assert count_traces(own.of, set_attribute(own, "other")) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert count_traces(own.of, set_attribute(own, "rate")) == 6
    assert count_traces(lambda x: x * table["rate"], set_item(table, "unread")) == 1
    assert count_traces(lambda x: x * steps[0], lambda number: steps.append(number)) == 1
    # Two functions whose tracing counts, and reads the count that the other one has changed, are traced once more.
    first, second = fw.function(own.counted), fw.function(lambda x: own.counted(x) + 1)
    for _ in range(5):
        first(X), second(X)
    assert own.count == 4, own.count


def test_least_squares() -> None:
    """Residual functions, which a program is kept for, have the values of now."""
    global rate
    for number in (1.0, 9.0):
        rate = number
        _, (found,) = minimize(residual, [np.zeros(1)], max_iterations=5)
        np.testing.assert_allclose(found, [number], 1e-5)


def residual(a: Any) -> Any:
    return a - rate


def test_classes_of_no_module() -> None:
    space: Dict[str, Any] = {}
    exec("import flywheel as fw\nD = type('D', (), {'k': 2.0})\nd = D()\nf = fw.function(lambda x: x * d.k)\n"
         "class Net(fw.Module): pass\nNet()", space)  # fmt: skip
    np.testing.assert_array_equal(space["f"](X), X * 2)


def test_deep_values() -> None:
    """A long list of nested objects is no reason to fail."""
    global chain
    chain = types.SimpleNamespace(rate=2.0, next=None)
    for _ in range(3000):
        chain = types.SimpleNamespace(rate=2.0, next=chain)
    nested: List[Any] = []
    for _ in range(3000):
        nested = [nested]
    data = {"rate": 3.0, "deep": nested, "many": [[1.0] * 100] * 1000}
    traced = fw.function(lambda x: x * chain.rate * data["rate"])
    np.testing.assert_array_equal(traced(X), X * 6)
    data["rate"] = 4.0
    np.testing.assert_array_equal(traced(X), X * 8)


def test_the_last_trace() -> None:
    """The program for all sizes is the one that is looked at and exported, whatever the last batch was."""
    for sizes in ((8, 5, 1, 8), (1, 8, 5), (1, 4, 6, 1)):
        traced = fw.function(lambda x: x * 2.0)
        for size in sizes:
            traced(np.ones((size, 3), np.float32))
        assert [not isinstance(one, int) for one in traced.trace().leaves[0].dims] == [True, False], sizes
    traced(np.ones((7, 3)))
    assert traced.trace().leaves[0].dtype == np.float64


def test_masked_arrays() -> None:
    """The elements of a masked array and its mask are read each by themselves; the one that NumPy has as a constant
    takes no number in its place, and is refused."""
    given: Any = np.ma.masked_array(np.array([1, 2, 3, 4], np.float32), [False, True, False, True])
    traced = fw.function(lambda x: x * given.filled(10.0))
    np.testing.assert_array_equal(traced(X), X * np.array([1, 10, 3, 10], np.float32))
    given.data[0] = 5
    np.testing.assert_array_equal(traced(X), X * np.array([5, 10, 3, 10], np.float32))
    given.mask[1] = False
    np.testing.assert_array_equal(traced(X), X * np.array([5, 2, 3, 10], np.float32))
    constant: Any = np.ma.masked
    try:
        fw.function(lambda: fw.count_nonzero(constant))()
    except TypeError as error:
        assert "a masked array has a mask" in str(error), error
    else:
        raise AssertionError("expected a TypeError")


def test_the_warning() -> None:
    """A number that each call changes is said once, at the call, by the name that the code has for it."""
    cases: List[Tuple[Callable[[Settings], Any], Callable[[Settings], Any], str]] = [
        (lambda own: lambda x: x * settings.rate, set_attribute, "'settings.rate'"),
        (lambda own: own.of, set_attribute, "'self.rate'"),
        (lambda own: lambda x: x * own.table["deep"][0]["rate"], lambda own: set_item(own.table["deep"][0], "rate"),
         "'own.table['deep'][0]['rate']'"),
    ]  # fmt: skip
    for make, change, label in cases:
        own = new_settings()
        traced, put = fw.function(make(own), name="scale"), change(own)
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            for number in range(8):
                put(float(number))
                traced(X)
        texts = [str(one.message) for one in seen]
        assert len(texts) == 1 and f"'scale' is traced and compiled again whenever {label}" in texts[0], texts
        assert seen[0].filename == __file__ and seen[0].category is fw.CompileWarning


if __name__ == "__main__":
    run_tests([test_numbers_of_now, test_decorated_methods, test_only_these, test_least_squares,
               test_classes_of_no_module, test_deep_values, test_the_last_trace,
               test_masked_arrays, test_the_warning])
