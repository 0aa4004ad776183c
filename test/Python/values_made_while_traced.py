# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""N21: values that tracing itself has written, such as an attribute that is computed when it is first read, are others
when the program sets them later. Counters of traces trace nothing again."""

import decimal
import threading
import types
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

import flywheel as fw
from configurations import run_tests

ONE = np.float32(1)
kept: Optional[float] = None


class Lazy:
    shared: Optional[float] = None

    def __init__(self) -> None:
        self.cache: Any = None
        self.others: Dict[str, float] = {}
        self.items: List[float] = []
        self.array = np.zeros(2)

    def attribute(self) -> Any:
        if self.cache is None:
            self.cache = 2.0
        return self.cache

    def of_class(self) -> Any:
        if Lazy.shared is None:
            Lazy.shared = 2.0
        return Lazy.shared

    def item(self) -> Any:
        if "a" not in self.others:
            self.others["a"] = 2.0
        return self.others["a"]

    def element(self) -> Any:
        if not self.items:
            self.items.append(2.0)
        return self.items[0]

    def of_array(self) -> Any:
        if self.array[0] == 0:
            self.array[:] = 2.0
        return float(self.array[0])


class Slots:
    __slots__ = ("cache",)

    def __init__(self) -> None:
        self.cache: Any = None

    attribute: Any = Lazy.attribute


class LazyModule(fw.Module):
    def __init__(self) -> None:
        self.cache: Any = None
        self.others: Dict[str, float] = {}
        self.items: List[float] = []
        self.calls = 0

    attribute: Any = Lazy.attribute
    item: Any = Lazy.item
    element: Any = Lazy.element


def global_name() -> Any:
    global kept
    if kept is None:
        kept = 2.0
    return kept


def set_global(value: Any) -> None:
    global kept
    kept = value


def closure() -> Tuple[Callable[[], Any], Callable[[Any], None]]:
    cell: Any = None

    def read() -> Any:
        nonlocal cell
        if cell is None:
            cell = 2.0
        return cell

    def write(value: Any) -> None:
        nonlocal cell
        cell = value

    return read, write


def pairs() -> Dict[str, Tuple[Callable[[], Any], Callable[[Any], None]]]:
    lazy, slots, module = Lazy(), Slots(), LazyModule()
    Lazy.shared = None
    set_global(None)
    return {
        "attribute": (lazy.attribute, lambda value: setattr(lazy, "cache", value)),
        "of_class": (lazy.of_class, lambda value: setattr(Lazy, "shared", value)),
        "item": (lazy.item, lambda value: lazy.others.__setitem__("a", value)),
        "element": (lazy.element, lambda value: lazy.items.__setitem__(0, value)),
        "of_array": (lazy.of_array, lambda value: lazy.array.fill(value)),
        "slot": (slots.attribute, lambda value: setattr(slots, "cache", value)),
        "global": (global_name, set_global),
        "closure": closure(),
        "module": (module.attribute, lambda value: setattr(module, "cache", value)),
        "module's item": (module.item, lambda value: module.others.__setitem__("a", value)),
        "module's element": (module.element, lambda value: module.items.__setitem__(0, value)),
    }


def test_set_later() -> None:
    """Also by two functions, of which only the first one computes the value; and beside another thread."""
    ended = threading.Event()
    for is_alone in (True, False):
        if not is_alone:
            threading.Thread(target=ended.wait, args=(60,), daemon=True).start()
        for label, (read, write) in pairs().items():
            traces: List[int] = []

            def body(x: Any, read: Any = read, traces: List[int] = traces) -> Any:
                traces.append(0)
                return x * read()

            first, second = fw.function(body), fw.function(lambda x, read=read: x * read() + 1)
            for _ in range(3):
                assert float(first(ONE)) == 2.0 and float(second(ONE)) == 3.0, label
            assert len(traces) <= 1 + (not is_alone), (label, traces)
            for value in (5.0, 7.0):
                write(value)
                assert float(first(ONE)) == value and float(second(ONE)) == value + 1, (label, value)
    ended.set()


def test_computed_again() -> None:
    """The program resets a value, which the next trace computes."""
    lazy = Lazy()
    factor = 2.0

    def compute(x: Any) -> Any:
        if lazy.cache is None:
            lazy.cache = factor * 10
        return x * lazy.cache

    first, second = fw.function(compute), fw.function(lambda x: compute(x) + 1)
    for factor in (2.0, 3.0):
        lazy.cache = None
        assert float(first(ONE)) == factor * 10 and float(second(ONE)) == factor * 10 + 1
    for factor in (4.0, 5.0):
        lazy.cache = None
        assert float(second(ONE)) == factor * 10 + 1 and float(first(ONE)) == factor * 10


def test_traces_of_others() -> None:
    """Another function reads a value that the trace of one sets."""
    module = LazyModule()
    for holder in (types.SimpleNamespace(cache=1.0), module):
        holder.cache = 1.0

        def reads(x: Any, holder: Any = holder) -> Any:
            return x * holder.cache

        def writes(x: Any, holder: Any = holder) -> Any:
            holder.cache = 9.0
            return x

        reading, writing = fw.function(reads), fw.function(writes)
        assert float(reading(ONE)) == 1.0
        writing(ONE)
        assert float(reading(ONE)) == 9.0, type(holder)


total, counts, state = 0, {"traces": 0}, types.SimpleNamespace(traces=0, more=0)


def test_counters() -> None:
    """A place that is only counted up is not read, also if the program counts from 0 again."""
    traces = 0
    cells = [0]
    module = LazyModule()

    def body(x: Any) -> Any:
        global total
        nonlocal traces
        total += 1
        traces = traces + 1
        counts["traces"] += 1
        cells[0] += 1
        state.traces += 1
        state.more = state.more + 1
        module.calls += 1
        return x * 2.0

    def reset() -> None:
        global total
        nonlocal traces
        total = traces = counts["traces"] = cells[0] = state.traces = state.more = 0

    first, second = fw.function(body), fw.function(lambda x: body(x) + 1.0)
    for _ in range(3):
        first(ONE), second(ONE)
    found = total, traces, counts["traces"], cells[0], state.traces, state.more, module.calls
    assert found == (2,) * 7, found
    for _ in range(3):
        reset()
        first(ONE), second(ONE)
    assert (total, traces, counts["traces"], cells[0], state.traces, state.more) == (0,) * 6


def test_counters_that_are_read() -> None:
    """Functions whose traces count, and read the count, are not traced in turns for ever."""
    for holder in (types.SimpleNamespace(calls=0, items=[]), LazyModule()):
        traces: List[int] = []

        def body(x: Any, holder: Any = holder, traces: List[int] = traces) -> Any:
            traces.append(0)
            holder.calls += 1
            holder.items.append(x)
            holder.last = x
            return holder.last * (2.0 if holder.calls < 100 and len(holder.items) < 100 else 0.0)

        first, second = fw.function(body), fw.function(lambda x, body=body: body(x) + 1.0)
        for _ in range(10):
            assert float(first(ONE)) == 2.0 and float(second(ONE)) == 3.0
        assert len(traces) <= 6, (type(holder), len(traces))


def test_lists_of_other_kinds() -> None:
    """A list that first holds a number, and then an object of another kind, is the same list: no call traces again."""
    for group in ([1, decimal.Decimal(0)], [decimal.Decimal(0), 1], [1, object(), "a"]):
        traces: List[Any] = []

        def body(x: Any, value: Any, traces: List[Any] = traces) -> Any:
            traces.append(value)
            return x * float(len(traces))

        traced = fw.function(body, static="value")
        for _ in range(3):
            assert [float(traced(ONE, value)) for value in group] == [i + 1.0 for i in range(len(group))]
        assert len(traces) == len(group), traces
        # Numbers that the program puts there later are seen.
        traces[0] = 7
        traces.append(8)
        assert float(traced(ONE, group[0])) == len(group) + 2.0


if __name__ == "__main__":
    run_tests([test_set_later, test_computed_again, test_traces_of_others, test_counters, test_counters_that_are_read,
               test_lists_of_other_kinds])  # fmt: skip
