# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""N21: values outside of a traced function that its code hands on, gives other names, iterates or asks for by name are
those of now. Attributes that no code reads change nothing, whatever is handed on."""

import collections
import contextlib
import dataclasses
import functools
import gc
import operator
import sys
import types
import warnings
import weakref
from typing import Any, Callable, Dict, List, NamedTuple, Tuple

import numpy as np

import flywheel as fw
from configurations import run_tests

X = np.arange(4, dtype=np.float32)
Change = Callable[[float], None]


class Settings:
    of_class = 1.0

    def __init__(self) -> None:
        self.rate, self.count = 1.0, 0
        self.rates, self.pair = [1.0, 2.0], (1.0, 2.0)
        self.table = {"rate": 1.0}
        self.inner = types.SimpleNamespace(rate=1.0)
        self.several, self.queue = {1.0}, collections.deque([1.0])
        self.array = np.array([1.0], np.float32)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Settings) and self.rate == other.rate

    def __iter__(self) -> Any:
        return iter(self.rates)

    def __getitem__(self, key: str) -> float:
        return self.table[key]

    def __float__(self) -> float:
        return self.rate

    def __mul__(self, x: Any) -> Any:
        return x * self.rate

    def helped(self, x: Any) -> Any:
        return x * rate_of(self)

    def items(self) -> List[float]:
        return [self.rate]


class Slots:
    __slots__ = ("count", "rate")

    def __init__(self) -> None:
        self.rate, self.count = 1.0, 0


@dataclasses.dataclass
class Data:
    rate: float = 1.0
    count: int = 0


class Private:
    __slots__ = ("__rate",)

    def __init__(self) -> None:
        self.__rate = 1.0

    def get(self) -> float:
        return self.__rate

    def set(self, value: float) -> None:
        self.__rate = value


class Iterated:
    __slots__ = iter(["rate"])


class Made:
    rate_inside = 1.0

    def __call__(self, x: Any) -> Any:
        return x * Made.rate_inside

    def __mul__(self, x: Any) -> Any:
        return self(x)


class MadeInside(Made): ...


class RaisingItems(Dict[str, Any]):
    def items(self) -> Any:
        raise RuntimeError("items")

    def __len__(self) -> int:
        raise RuntimeError("len")

    def __iter__(self) -> Any:
        raise RuntimeError("iter")


class RaisingList(List[Any]):
    def __len__(self) -> int:
        raise RuntimeError("len")


class RaisingDict:
    @property
    def __dict__(self) -> Any:  # type: ignore[override]
        raise RuntimeError("dict")


class RaisingAttributes:
    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)


class RaisingModule(types.ModuleType):
    def __getattr__(self, name: str) -> Any:
        raise ImportError(name)


class RaisingMeta(type):
    def __getattribute__(cls, name: str) -> Any:
        if name in ("__mro__", "__dict__", "__module__"):
            raise RuntimeError(name)
        return type.__getattribute__(cls, name)


class OfRaisingMeta(metaclass=RaisingMeta): ...


class Attributes(Dict[str, Any]):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__


class OwnDict(Dict[str, Any]):
    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.__dict__ = self


class Named(NamedTuple):
    settings: Any


class Base:
    def scale(self, x: Any) -> Any:
        return x * self.rate  # type: ignore[attr-defined]


class Derived(Base):
    def __init__(self) -> None:
        self.rate, self.count = 1.0, 0

    def scale(self, x: Any) -> Any:
        return super().scale(x)


class Descriptor:
    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return instance.rate


class Described:
    value = Descriptor()

    def __init__(self) -> None:
        self.rate, self.count = 1.0, 0


class Computed:
    def __init__(self) -> None:
        self.values, self.count = {"rate": 1.0}, 0

    def __getattr__(self, name: str) -> Any:
        if name == "values":
            raise AttributeError
        return self.values[name]


class OfClass(type):
    @property
    def rate(cls) -> Any:
        return cls.own  # type: ignore[attr-defined]


class Classes(metaclass=OfClass):
    own = 1.0
    several = [types.SimpleNamespace(rate=1.0)]
    through = property(operator.attrgetter("own"))

    @classmethod
    def total(cls) -> Any:
        return sum(one.rate for one in cls.several)


class Net(fw.Module):
    def __init__(self) -> None:
        self.settings = Settings()
        self.w = fw.Variable(np.ones(4, np.float32))

    def __call__(self, x: Any) -> Any:
        return x * self.w * rate_of(self.settings)


settings, slots, data, derived, described, computed = Settings(), Slots(), Data(), Derived(), Described(), Computed()
attributes: Any = Attributes(rate=1.0)
own_dict: Any = OwnDict(rate=1.0)
named = Named(settings)
space, classes = types.SimpleNamespace(rate=1.0, count=0), Classes()
numbers = [1.0, 2.0]
table = {"rate": 1.0}
module = types.ModuleType("settings_of_a_test")
module.rate, module.__file__ = 1.0, __file__  # type: ignore[attr-defined]
sys.modules[module.__name__] = module


def rate_of(one: Any) -> Any:
    return one.rate


@functools.singledispatch
def rate_by_class(one: Any) -> Any:
    return 0.0


@rate_by_class.register
def _(one: Settings) -> Any:
    return one.rate


@contextlib.contextmanager
def lending() -> Any:
    yield settings.rate


def in_a_block(x: Any) -> Any:
    with lending() as rate:
        return x * rate


def deeper(one: Any) -> Any:
    return rate_of(one)


def of_class(one: Any) -> Any:
    return one.of_class


def item_of(one: Any) -> Any:
    return one["rate"]


def get_settings() -> Settings:
    return settings


def take(*, rate: float, **_: Any) -> float:
    return rate


def alias(x: Any) -> Any:
    one = settings
    return x * one.rate


def loop(x: Any) -> Any:
    for rate in settings.rates:
        x = x * rate
    return x


def unpack(x: Any) -> Any:
    first, *rest = settings.rates
    return x * first * rest[0]


def computed_name(x: Any) -> Any:
    name = "ra" + "te"[: len("te")]
    return x * getattr(settings, name)


def computed_key(x: Any, key: str = "rate") -> Any:
    return x * table[key]


def stored(x: Any) -> Any:
    # The rate that this sets is of another object.
    own = types.SimpleNamespace()
    own.rate = settings.rate
    return x * own.rate


def through_a_dict(x: Any) -> Any:
    own = {}
    own["settings"] = settings
    return x * own["settings"].rate


def inner_function(x: Any) -> Any:
    def scale(one: Any) -> Any:
        return one.rate

    return x * scale(settings)


def assigned(x: Any) -> Any:
    return x * (one := settings).rate * one.rate


def default_argument(x: Any, one: Any = settings) -> Any:
    return x * one.rate


def imports(x: Any) -> Any:
    import settings_of_a_test as own  # type: ignore[import-not-found]

    return x * own.rate


def imports_from(x: Any) -> Any:
    from settings_of_a_test import rate

    return x * rate


def attribute(one: Any, name: str = "rate") -> Change:
    return lambda value: setattr(one, name, value)


def item(one: Any, key: Any) -> Change:
    return lambda value: operator.setitem(one, key, value)


private, iterated, strided = Private(), Iterated(), np.ones((3, 2), np.float32)[::2].T
iterated.rate = 1.0  # type: ignore[attr-defined]
CASES: Dict[str, Tuple[Callable[[Any], Any], Change]] = {
    "a function": (lambda x: x * rate_of(settings), attribute(settings)),
    "a function of a function": (lambda x: x * deeper(settings), attribute(settings)),
    "a method that hands its object on": (settings.helped, attribute(settings)),
    "a partial application": (functools.partial(lambda one, x: x * rate_of(one), settings), attribute(settings)),
    "another name": (alias, attribute(settings)),
    "a name in an expression": (assigned, attribute(settings)),
    "one of two": (lambda x: x * (settings if len("a") else space).rate, attribute(settings)),
    "a loop": (loop, item(settings.rates, 1)),
    "a comprehension": (lambda x: sum(x * rate for rate in settings.rates), item(settings.rates, 0)),
    "an enumeration": (lambda x: sum(x * rate for _, rate in enumerate(settings.rates)), item(settings.rates, 1)),
    "getattr": (lambda x: x * getattr(settings, "rate"), attribute(settings)),  # noqa: B009
    "getattr with a default": (lambda x: x * getattr(settings, "new", 1.0), attribute(settings, "new")),
    "hasattr": (lambda x: x * (2.0 if hasattr(settings, "other") else 1.0), attribute(settings, "other")),
    "getattr of a computed name": (computed_name, attribute(settings)),
    "attrgetter": (lambda x: x * operator.attrgetter("rate")(settings), attribute(settings)),
    "vars": (lambda x: x * vars(settings)["rate"], attribute(settings)),
    "unpacking": (unpack, item(settings.rates, 1)),
    "keywords": (lambda x: x * take(**table), item(table, "rate")),
    "an item that is added": (lambda x: x * sum(numbers), lambda value: numbers.append(value)),
    "the last item of a list that grows": (lambda x: x * numbers[-1], lambda value: numbers.append(value)),
    "an array of a list": (lambda x: x * np.array(numbers, np.float32).sum(), item(numbers, 0)),
    "values of a dict": (lambda x: x * sum(settings.table.values()), item(settings.table, "more")),
    "get of a dict": (lambda x: x * settings.table.get("rate", 0.0), item(settings.table, "rate")),
    "a dict that is handed on": (lambda x: x * item_of(table), item(table, "rate")),
    "a computed key": (computed_key, item(table, "rate")),
    "a set": (lambda x: x * sum(settings.several), lambda value: settings.several.add(value)),
    "a deque": (lambda x: x * sum(settings.queue), lambda value: settings.queue.append(value)),
    "a tuple that is replaced": (lambda x: x * settings.pair[0],
                                 lambda value: setattr(settings, "pair", (value, 2.0))),
    "an array that changes in place": (lambda x: x * (fw.constant(settings.array) if x is not X else settings.array),
                                       item(settings.array, 0)),
    "a strided array": (lambda x: x * strided.sum(), item(strided, 0)),
    "an attribute with the name of one that is set": (stored, attribute(settings)),
    "an object in a dict of the function": (through_a_dict, attribute(settings)),
    "a function inside": (inner_function, attribute(settings)),
    "a result of a function": (lambda x: x * get_settings().rate, attribute(settings)),
    "a function for a map": (lambda x: x * sum(map(rate_of, [settings])), attribute(settings)),
    "a default argument": (default_argument, attribute(settings)),
    "an object inside": (lambda x: x * rate_of(settings.inner), attribute(settings.inner)),
    "a class": (lambda x: x * of_class(Settings), attribute(Settings, "of_class")),
    "a default of a class": (lambda x: x * of_class(settings), attribute(Settings, "of_class")),
    "iteration of an object": (lambda x: x * sum(list(settings)), item(settings.rates, 0)),
    "an item of an object": (lambda x: x * settings["rate"], item(settings.table, "rate")),
    "a number of an object": (lambda x: x * float(settings), attribute(settings)),
    "an operator of an object": (lambda x: settings * x, attribute(settings)),
    "a comparison": (lambda x: x * 2 if settings == derived else x * (settings == Settings()), attribute(settings)),
    "a comparison of data classes": (lambda x: x * 2 if data == Data(3.0) else x, attribute(data)),
    "all of a data class": (lambda x: x * sum(dataclasses.asdict(data).values()), attribute(data)),
    "slots": (lambda x: x * slots.rate, attribute(slots)),
    "slots that are handed on": (lambda x: x * rate_of(slots), attribute(slots)),
    "a dict with attributes": (lambda x: x * attributes.rate, attribute(attributes)),
    "a dict with attributes that is handed on": (lambda x: x * rate_of(attributes), attribute(attributes)),
    "a dict that is its attributes": (lambda x: x * own_dict.rate, attribute(own_dict)),
    "a named tuple": (lambda x: x * named.settings.rate, attribute(settings)),
    "a method of a base": (lambda x: derived.scale(x), attribute(derived)),
    "a descriptor": (lambda x: x * described.value, attribute(described)),
    "an attribute that a class computes": (lambda x: x * computed.rate, item(computed.values, "rate")),
    "a function by class": (lambda x: x * rate_by_class(settings), attribute(settings)),
    "a block": (in_a_block, attribute(settings)),
    "a property of a class": (lambda x: x * Classes.rate, attribute(Classes, "own")),
    "a method of a class": (lambda x: x * Classes.total(), attribute(Classes.several[0])),
    "a property that is no function": (lambda x: x * classes.through, attribute(classes, "own")),
    "the class of an object with its own": (lambda x: x * type(classes).own, attribute(Classes, "own")),
    "an object made inside that is called": (lambda x: MadeInside()(x), attribute(Made, "rate_inside")),
    "an operator of an object made inside": (lambda x: MadeInside() * x, attribute(Made, "rate_inside")),
    "a private slot": (lambda x: x * private.get(), private.set),
    "slots of an iterator": (lambda x: x * rate_of(iterated), attribute(iterated)),
    "an import": (imports, attribute(module)),
    "an import of a name": (imports_from, attribute(module)),
}  # fmt: skip


def test_numbers_of_now() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, (function, change) in CASES.items():
            traced = fw.function(function)
            for number in (2.0, 3.0, 4.0):
                for _ in range(2):
                    want = np.asarray(function(X), np.float32)
                    np.testing.assert_array_equal(np.asarray(traced(X)), want, name)
                change(number)


def count_traces(function: Callable[..., Any], between: Callable[[int], None], *arguments: Any, **options: Any) -> int:
    """Returns how often a function is traced in six calls."""
    traces: List[int] = []

    def counted(*given: Any) -> Any:
        traces.append(1)
        return function(*given)

    traced = fw.function(counted, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(6):
            traced(*arguments, X)
            between(number)
    return len(traces)


class Trainer:
    """Counts, keeps a history and replaces a part of itself, as loops around steps do."""

    def __init__(self) -> None:
        self.rate, self.count, self.history, self.report = 1.0, 0, [], types.SimpleNamespace()  # type: ignore[var-annotated]
        self.owner = self

    def __call__(self, x: Any) -> Any:
        return x * rate_of(self)

    def next(self, number: int) -> None:
        self.count += 1
        self.history.append(number)
        self.report = types.SimpleNamespace(number=number)


def test_only_what_is_read() -> None:
    trainer = Trainer()
    functions: List[Callable[[Any], Any]] = [
        trainer, lambda x: trainer(x), lambda x: x * rate_of(trainer), lambda x: x * trainer.rate,
        lambda x: x * getattr(trainer, "rate"), lambda x: x * deeper(trainer.owner),  # noqa: B009
        functools.partial(lambda one, x: x * one.rate, trainer),
    ]  # fmt: skip
    for place, function in enumerate(functions):
        assert count_traces(function, trainer.next) == 1, place
    for one in (settings, slots, data, derived, described, computed, space):
        assert count_traces(lambda x, own=one: x * rate_of(own), attribute(one, "count")) == 1, one


def test_what_raises() -> None:
    own = Trainer()
    raising: List[Any] = [
        weakref.proxy(own), RaisingItems(rate=1.0), RaisingList([1.0, {}]), RaisingDict(), RaisingAttributes(),
        RaisingModule("raising"), OfRaisingMeta, OfRaisingMeta(),
    ]  # fmt: skip
    del own
    gc.collect()
    for one, kind in ((one, type(one).__name__) for one in raising):
        assert count_traces(lambda x, own=one: x * 2 if x is not None else rate_of(own), lambda number: None) == 1, kind
        assert count_traces(lambda x, own=one: x * 2 if x is not None else own.rate, lambda number: None) == 1, kind
        space.raising = one
        assert count_traces(lambda x: x * 2 if x is not None else space.raising.rate, lambda number: None) == 1, kind
    numbers = RaisingItems(rate=1.0)
    traced = fw.function(lambda x: x * item_of(numbers))
    for number in (2.0, 3.0):
        numbers["rate"] = number
        np.testing.assert_array_equal(traced(X), X * number)


def test_equal_tuples() -> None:
    def bind(number: int) -> None:
        own.size = (2, (2, "a"))

    own = types.SimpleNamespace(size=(2, (2, "a")))
    assert count_traces(lambda x: x * own.size[0], bind) == 1
    traced = fw.function(lambda x: x * own.size[1][0])
    for size in ((2, (3, "a")), (2, (3.5, "a")), (2, (2, "a"))):
        own.size = size
        np.testing.assert_array_equal(traced(X), X * size[1][0])


def test_many_containers() -> None:
    many = [{"a": [number, {}]} for number in range(9000)]
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        traced = fw.function(lambda x: x * len(many))
        np.testing.assert_array_equal(traced(X), X * 9000)
        assert "more than 20000 items together" in str(seen[0].message), seen
        many.append({})
        np.testing.assert_array_equal(traced(X), X * 9001)


def test_writes_of_the_trace() -> None:
    """A value that tracing changes is a part of it, by whatever name it does so."""
    own = Trainer()

    def count(one: Any) -> Any:
        one.count += 1
        setattr(one, "rate", 2.0)  # noqa: B010
        one.history.append(1)
        return one.count

    assert count_traces(lambda x: x + 0 * count(own) + 0 * len(own.history), lambda number: None) == 1


def test_arguments() -> None:
    """Numbers of objects that a trace has as they are: of static arguments, and in modules."""
    one, net = Slots(), Net()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        static = fw.function(lambda x, own: x * own.rate, static="own")
        apply = fw.function(lambda own, x: own(x))
        for number in (2.0, 5.0, 5.0):
            other = Net()
            one.rate = net.settings.rate = number
            other.settings.rate = 2 * number
            np.testing.assert_array_equal(static(X, one), X * number)
            np.testing.assert_array_equal(static(X, Data), X)
            np.testing.assert_array_equal(apply(net, X), X * number)
            np.testing.assert_array_equal(apply(other, X), X * 2 * number)
    assert count_traces(lambda own, x: own(x), attribute(net.settings, "count"), net) == 1
    gone = weakref.ref(other)
    del other
    gc.collect()
    assert gone() is None


def test_what_goes_away() -> None:
    """A value that was and is not any more is not taken for None."""
    own = types.SimpleNamespace(w=fw.Variable(2.0))
    traced = fw.function(lambda x: x if own.w is None else x * own.w)
    np.testing.assert_array_equal(traced(X), X * 2)
    own.w = None
    gc.collect()
    np.testing.assert_array_equal(traced(X), X)


def test_long_lists() -> None:
    """The items of a list are compared, up to a length that is said."""
    many = [1.0] * 2000
    traced = fw.function(lambda x: x * sum(many))
    for place in (0, 1999, 1000):
        many[place] += 1
        np.testing.assert_array_equal(traced(X), X * sum(many))
    endless = [0.0] * 100_001
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        fw.function(lambda x: x * sum(endless))(X)
    assert len(seen) and "'endless' has 100001 items" in str(seen[0].message), seen


def test_the_warning() -> None:
    own = types.SimpleNamespace(inner=Settings())
    traced = fw.function(lambda x: x * rate_of(own.inner), name="scale")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for number in range(8):
            own.inner.rate = float(number)
            traced(X)
    texts = [str(one.message) for one in seen]
    assert len(texts) == 1 and "whenever 'own.inner.rate' has another value" in texts[0], texts


if __name__ == "__main__":
    run_tests([test_numbers_of_now, test_only_what_is_read, test_what_raises,
               test_equal_tuples, test_many_containers, test_writes_of_the_trace, test_arguments,
               test_what_goes_away, test_long_lists, test_the_warning])
