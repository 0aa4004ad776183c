# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""T9: Python collects garbage wherever it makes an object, also on the thread whose turn it is with a store. Functions
of that store may be among it, and finalizers that want its values: neither waits for a turn that never comes."""

import faulthandler
import gc
import tempfile
import threading
from pathlib import Path
from typing import Any, Callable, List, Type

import numpy as np

import flywheel as fw
from configurations import run_tests

# A deadlock is a failure with the place.
faulthandler.dump_traceback_later(300, exit=True)

ONE = np.ones(3, np.float32)
v = fw.Variable(np.zeros(3, np.float32), name="v")
seen: List[float] = []


class Reader:
    """Reads a variable when it is collected."""

    def __del__(self) -> None:
        seen.append(float(fw.current_store()[v.name][0]))


def drop_function() -> None:
    """Leaves a function, whose session has the last value of the variable, to the garbage collector."""

    @fw.function
    def add(x: Any) -> Any:
        v.assign(v + x)
        return v + 1

    add(ONE)
    cycle: List[Any] = [add, Reader()]
    cycle.append(cycle)


def collect_in(action: Callable[[], Any], before: Callable[[], Any] = drop_function) -> None:
    """Calls an action that collects at every object that it makes."""
    gc.collect()
    gc.disable()
    before()
    thresholds = gc.get_threshold()
    gc.set_threshold(1, 1, 1)
    gc.enable()
    try:
        action()
    finally:
        gc.set_threshold(*thresholds)
    gc.collect()


def expect(kind: Type[BaseException], action: Callable[[], Any]) -> Callable[[], None]:
    def run() -> None:
        try:
            action()
        except kind:
            return
        raise AssertionError(f"expected a {kind.__name__}")

    return run


def test_stores() -> None:
    bare = fw.Store(initializes=False)
    with tempfile.TemporaryDirectory() as folder, fw.Store() as store:
        drop_function()
        path, none = Path(folder, "a"), Path(folder, "none")
        store.save(path)
        manager = fw.CheckpointManager()
        gc.collect()
        count_before = len(seen)
        shape = fw.Store()
        shape.declare("v", "float32", [4])
        base: Any = super(fw.Store, store)
        session = fw.Session(fw.compile("train.variable @v : tensor<4xf32>\n"))
        actions = [
            lambda: store["v"],
            lambda: store.__setitem__("v", ONE * float(store["v"][0])),
            expect(fw.NotFoundError, lambda: store["none"]),
            expect(fw.NotFoundError, lambda: store.__setitem__("none", ONE)),
            expect(fw.InvalidArgumentError, lambda: store.__setitem__("v", np.ones(4, np.float32))),
            expect(fw.NotFoundError, lambda: store.is_initialized("none")),
            expect(fw.NotFoundError, lambda: store.reset(["none"])),
            expect(fw.InvalidArgumentError, lambda: store.declare("v", "float32", [4])),
            expect(fw.InvalidArgumentError, lambda: store.bind(session, ["v"])),
            expect(fw.NotFoundError, lambda: store.restore(none)),
            expect(fw.InvalidArgumentError, lambda: store.restore(Path(folder, "shape"))),
            expect(fw.NotFoundError, lambda: base.save(path, ["none"])),
            expect(fw.FailedPreconditionError, lambda: store.save(none / "b")),
            expect(fw.FailedPreconditionError, lambda: store.save_step(manager, none / "b")),
            lambda: store.save_step(manager, path, 3),
            lambda: store.restore_latest(folder),
        ]  # fmt: skip
        with shape:
            shape.__setitem__("v", np.ones(4, np.float32))
            super(fw.Store, shape).save(Path(folder, "shape"))
        for number, action in enumerate(actions):
            count = float(store["v"][0])
            collect_in(action)
            # Values that the collected function wrote are not lost; the last one restores.
            assert number == len(actions) - 1 or (store["v"] == count + 1).all(), (number, store["v"], count)
        assert len(seen) - count_before == len(actions), seen
    with bare:
        bare.declare("v", "float32", [3])
        collect_in(expect(fw.FailedPreconditionError, lambda: bare["v"]), before=lambda: None)


def test_calls() -> None:
    """The first call binds, makes an entry, and a call that fails makes an exception."""

    @fw.function
    def pick(index: Any) -> Any:
        v.assign(v + 1)
        return v[index]

    def call() -> None:
        assert float(pick(np.int32(1))) > 0
        expect(fw.InvalidArgumentError, lambda: pick(np.int32(7)))()

    with fw.Store() as store:
        collect_in(call)
        assert (store["v"] == 2).all()
        collect_in(call)
        assert (store["v"] == 4).all()


def test_sessions() -> None:
    session = fw.Session(fw.compile("train.variable @v : tensor<3xf32> = #train.zeros\n"))

    class Holder:
        def __del__(self) -> None:
            seen.append(float(session["v"][0]))

    def drop_holder() -> None:
        cycle: List[Any] = [Holder()]
        cycle.append(cycle)

    count = len(seen)
    session.initialize()
    actions = [
        lambda: session["v"],
        lambda: session.__setitem__("v", ONE),
        expect(fw.NotFoundError, lambda: session["none"]),
        expect(fw.InvalidArgumentError, lambda: session.__setitem__("v", np.ones(4, np.float32))),
        expect(fw.NotFoundError, lambda: session.entry("none")),
        expect(fw.NotFoundError, lambda: session.is_initialized("none")),
        expect(fw.NotFoundError, lambda: session.run_counter("none")),
        expect(fw.FailedPreconditionError, session.profile().__enter__),
        expect(fw.InvalidArgumentError, lambda: setattr(session, "threads", 99)),
        expect(fw.NotFoundError, lambda: session.restore("none")),
        session.report_uninitialized,
    ]
    for action in actions:
        collect_in(action, before=drop_holder)
    assert len(seen) == count + len(actions), (count, len(seen), len(actions))


def test_other_thread() -> None:
    """A function that is dropped while another thread has its turn ends after that, and its values stay."""
    big = fw.Variable(np.zeros(2**22, np.float32), name="big")

    @fw.function
    def grow() -> Any:
        big.assign(big + 1)
        return big[0]

    with fw.Store() as store:

        def work() -> None:
            with store:
                for _ in range(3):
                    grow()

        grow()
        for number in range(20):
            thread = threading.Thread(target=work)
            thread.start()
            drop_function()
            gc.collect()
            thread.join()
            assert (store["v"] == number + 1).all(), store["v"]
        assert (store["big"] == 61).all(), store["big"]


run_tests([test_stores, test_calls, test_sessions, test_other_thread])
