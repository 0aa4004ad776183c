# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""N21: places that another thread writes while a function is traced are not writes of the trace: later calls see them.
Calls of a function that another thread traces go on, also if its code waits for them."""

import concurrent.futures
import queue
import threading
import types
from typing import Any, Callable, Dict, List, Tuple

import numpy as np

import flywheel as fw
from configurations import run_tests

ONE = np.float32(1)
rate: Any = 1.0
table: Any = {"rate": 1.0}
items: Any = [1.0]
traces = 0
config = types.SimpleNamespace(rate=1.0)


class Config:
    rate = 1.0


class Meter:
    """Has a property whose function writes another attribute."""

    def __init__(self) -> None:
        self._value = 0.0

    @property
    def value(self) -> float:
        return self._value

    @value.setter
    def value(self, value: float) -> None:
        self._value = value


def set_global(value: float) -> None:
    global rate
    rate = value


def set_item(value: float) -> None:
    table["rate"] = value


def set_element(value: float) -> None:
    items[0] = value


def set_attribute(value: float) -> None:
    config.rate = value


def set_class(value: float) -> None:
    Config.rate = value


def set_array(value: float) -> None:
    array[0] = value


array = np.ones(2)
PLACES: Dict[str, Tuple[Callable[[], Any], Callable[[float], None]]] = {
    "a global name": (lambda: rate, set_global),
    "an item": (lambda: table["rate"], set_item),
    "an element": (lambda: items[0], set_element),
    "an attribute": (lambda: config.rate, set_attribute),
    "an attribute of a class": (lambda: Config.rate, set_class),
    "an element of an array": (lambda: float(array[0]), set_array),
}


def beside(action: Callable[[], None]) -> Tuple[threading.Thread, threading.Event, threading.Event]:
    """Starts a thread that does something when the first event is set, sets the second, and stays a while."""
    begin, done = threading.Event(), threading.Event()

    def work() -> None:
        assert begin.wait(60)
        action()
        done.set()
        ended.wait(60)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread, begin, done


ended = threading.Event()


def test_writes_of_others() -> None:
    """The trace reads the place before the other thread writes it, or after that."""
    for label, (read, write) in PLACES.items():
        for is_before in (True, False):
            write(1.0)
            _, begin, done = beside(lambda write=write: write(2.0))  # type: ignore[misc]

            def body(x: Any, read: Any = read, begin: Any = begin, done: Any = done, is_before: Any = is_before) -> Any:
                first = read()
                begin.set()
                assert done.wait(60)
                return x * (first if is_before else read())

            traced = fw.function(body)
            first = float(traced(ONE))
            assert first == (1.0 if is_before else 2.0), (label, first)
            found = [float(traced(ONE))]
            for value in (3.0, 4.0):
                write(value)
                found.append(float(traced(ONE)))
            assert found == [2.0, 3.0, 4.0], (label, is_before, found)


def test_cells() -> None:
    factor = 1.0

    def write() -> None:
        nonlocal factor
        factor = 2.0

    _, begin, done = beside(write)

    def body(x: Any) -> Any:
        first = factor
        begin.set()
        assert done.wait(60)
        return x * first

    traced = fw.function(body)
    assert [float(traced(ONE)) for _ in range(2)] == [1.0, 2.0]
    factor = 3.0
    assert float(traced(ONE)) == 3.0


def test_always_written() -> None:
    """A place that another thread writes again and again, also while the function is traced."""
    stop = threading.Event()

    def count() -> None:
        while not stop.is_set():
            set_global(rate + 1.0)

    set_global(0.0)
    thread = threading.Thread(target=count, daemon=True)
    thread.start()
    traced = fw.function(lambda x: x * rate)
    try:
        found = [float(traced(ONE)) for _ in range(12)]
    finally:
        stop.set()
        thread.join()
    assert found == sorted(found) and found[-1] > found[0], found
    assert float(traced(ONE)) == np.float32(rate)


def test_own_writes() -> None:
    """Writes of tracing itself trace nothing again, beside other threads, too."""
    meter = Meter()
    log: List[int] = []
    _, begin, _ = beside(lambda: None)

    def body(x: Any) -> Any:
        global traces
        traces += 1
        table["calls"] = table.get("calls", 0) + 1
        log.append(len(log))
        meter.value = meter.value + 1.0
        return x * 2.0

    traced = fw.function(body)
    for _ in range(6):
        assert float(traced(ONE)) == 2.0
    # A container may have been written by the other thread, which one more trace tells.
    assert traces <= 2 and table["calls"] <= 2 and meter.value <= 2.0, (traces, table, meter.value)
    begin.set()


class Other:
    """Has an attribute, which its method sets, by the name of one of other objects."""

    rate = 0.0

    def set_rate(self) -> None:
        self.rate = 1.0


def test_names_of_other_objects() -> None:
    """Code that sets an attribute of this name of another object has not written the one that another thread does."""
    other, own = Other(), types.SimpleNamespace(rate=0.0)

    def set_own() -> None:
        own.rate = 1.0

    def set_kind() -> None:
        Other.rate = 1.0

    for label, write in {"method": other.set_rate, "closure": set_own, "class": set_kind}.items():
        set_attribute(1.0)
        asked: queue.Queue[Any] = queue.Queue()

        def work(asked: Any = asked) -> None:
            for value in (2.0, 3.0):
                done = asked.get()
                set_attribute(value)
                done.set()
            ended.wait(60)

        def body(x: Any, write: Any = write, asked: Any = asked) -> Any:
            first, done = config.rate, threading.Event()
            if first < 3.0:
                asked.put(done)
                assert done.wait(60)
            write()
            return x * first

        threading.Thread(target=work, daemon=True).start()
        traced = fw.function(body)
        assert [float(traced(ONE)) for _ in range(4)] == [1.0, 2.0, 3.0, 3.0], label


def in_time(action: Callable[[], Any]) -> Any:
    """Returns the result of an action, which is to end within a minute."""
    results: queue.Queue[Any] = queue.Queue()

    def work() -> None:
        try:
            results.put((action(), None))
        except BaseException as error:
            results.put((None, error))

    threading.Thread(target=work, daemon=True).start()
    result, error = results.get(timeout=60)
    if error is not None:
        raise error
    return result


def wait_for_thread(call: Callable[[], None]) -> None:
    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join()


def wait_for_event(call: Callable[[], None]) -> None:
    done = threading.Event()

    def work() -> None:
        call()
        done.set()

    threading.Thread(target=work, daemon=True).start()
    done.wait()


def wait_for_future(call: Callable[[], None]) -> None:
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        list(pool.map(lambda _: call(), range(2)))


def test_waiting_for_a_call() -> None:
    """Code that is traced waits for another thread, which calls the same function."""
    for wait in (wait_for_thread, wait_for_event, wait_for_future):
        found: List[float] = []
        depth = threading.local()

        def body(x: Any, wait: Any = wait, found: Any = found, depth: Any = depth) -> Any:
            if threading.current_thread().name == "first":
                wait(lambda: found.append(float(traced(np.float32(3)))))
            return x * 2.0

        traced = fw.function(body)

        def first(traced: Any = traced) -> float:
            threading.current_thread().name = "first"
            return float(traced(ONE))

        assert in_time(first) == 2.0, wait
        assert found and set(found) == {6.0}, (wait, found)
        # Both threads' traces are watched.
        assert float(traced(np.float32(4))) == 8.0


def test_waiting_with_values() -> None:
    """The value that the other thread sees is the one that it has set; later calls have the last one."""

    def call_another() -> None:
        set_global(2.0)
        found.append(float(traced(np.ones(2, np.float32))[0]))

    _, begin, done = beside(call_another)

    def body(x: Any) -> Any:
        seen = rate
        if threading.current_thread().name == "first":
            begin.set()
            assert done.wait(60)
        return x * seen

    found: List[float] = []
    set_global(1.0)
    traced = fw.function(body, dynamic=False)

    def first() -> float:
        threading.current_thread().name = "first"
        return float(traced(ONE))

    assert in_time(first) == 1.0 and found == [2.0], found
    set_global(5.0)
    assert float(traced(ONE)) == 5.0 and float(traced(np.ones(2, np.float32))[0]) == 5.0


def test_turns() -> None:
    """Threads that call a function for the first time at once trace it once."""
    count = 0

    def body(x: Any) -> Any:
        nonlocal count
        count += 1
        for _ in range(300):
            x = x * 1.0
        return x

    traced = fw.function(body)
    barrier = threading.Barrier(6)

    def call(_: int) -> float:
        barrier.wait()
        return float(traced(ONE))

    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        assert list(pool.map(call, range(6))) == [1.0] * 6
    assert count == 1, count


if __name__ == "__main__":
    run_tests([test_writes_of_others, test_cells, test_always_written, test_own_writes, test_names_of_other_objects,
               test_waiting_for_a_call, test_waiting_with_values, test_turns])
