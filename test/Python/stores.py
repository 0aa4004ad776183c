# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""T9: which store a call works on, whatever ends a block, and what several threads may use at the same time."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generator, List

import numpy as np

import flywheel as fw
from configurations import run_tests

v = fw.Variable(np.zeros(3, np.float32), name="v")


@fw.function
def add(x: Any) -> Any:
    v.assign(v + x)
    return v[0]


ONE = np.ones(3, np.float32)


def test_interrupts() -> None:
    """However an interrupt ends the block of a store, its thread is in the one from before."""
    before, inner = fw.current_store(), fw.Store()
    old = signal.signal(signal.SIGALRM, signal.default_int_handler)
    hits, end = 0, time.monotonic() + 4
    try:
        while time.monotonic() < end:
            try:
                signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-5, 1e-3))
                # Python drops an interrupt that comes in the middle of some lookups.
                late = time.monotonic() + 0.5
                while time.monotonic() < late:
                    with inner:
                        add(ONE)
                        v.numpy()
            except KeyboardInterrupt:
                hits += 1
            assert fw.current_store() is before, f"interrupt {hits}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert hits > 20, hits


def test_nesting() -> None:
    """Generators and tasks may leave stores in another order; each leaves its own."""
    a, b = fw.Store(), fw.Store()

    def inside() -> Generator[None, None, None]:
        with a:
            yield

    waiting = inside()
    next(waiting)
    with b:
        waiting.close()
        assert fw.current_store() is b
        add(ONE)
    assert fw.current_store() not in (a, b)
    assert float(b["v"][0]) == 1
    try:
        a.__exit__()
    except RuntimeError as error:
        assert "not entered" in str(error), error
    else:
        raise AssertionError("expected a RuntimeError")

    async def work(store: fw.Store, x: float, count: int) -> None:
        with store:
            for _ in range(count):
                add(ONE * x)
                await asyncio.sleep(0)
                assert fw.current_store() is store

    async def both() -> None:
        await asyncio.gather(work(a, 1, 5), work(b, 100, 7))

    b.reset(["v"])
    asyncio.run(both())
    assert (float(a["v"][0]), float(b["v"][0])) == (5, 700)


def test_first_calls() -> None:
    """Threads trace and compile one function at the same time."""
    for number in range(4):

        @fw.function
        def first(x: Any) -> Any:
            v.assign(v + x)
            return fw.tanh(x) + float(number)

        def call(size: int) -> float:
            with fw.Store():
                for n in (size, 3):
                    first(np.ones(3, np.float32) * n)
                return float(v.numpy()[0])

        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(call, range(4))) == [3, 4, 5, 6]


def test_modules() -> None:
    """Threads use one module."""
    lines = [f"  %{i + 1} = math.tanh %{i} : tensor<64xf32>" for i in range(12)]
    source = "func.func @f(%0: tensor<64xf32>) -> tensor<64xf32> {\n" + "\n".join(lines)
    source += "\n  return %12 : tensor<64xf32>\n}\n"
    expected = np.ones(64)
    for _ in lines:
        expected = np.tanh(expected)
    text = str(fw.parse(source))
    for _ in range(6):
        module, ready = fw.parse(source), threading.Barrier(4)

        def work(number: int) -> None:
            ready.wait()
            if number == 0:
                assert str(module) == text
            elif number == 1:
                assert "linalg.generic" in str(fw.lower(module, stop_after="flywheel-linalg"))
            else:
                session = fw.Session(fw.compile(module))
                np.testing.assert_allclose(session.run("f", np.ones(64, np.float32)), expected, 1e-5)

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(work, range(4)))


def test_fork() -> None:
    """A store that another thread worked with when the process was forked is an error in the child; a new one works."""
    big = fw.Variable(np.zeros(2**22, np.float32), name="big")

    @fw.function
    def grow() -> Any:
        for _ in range(4):
            big.assign(big + 1)
        return big[0]

    stop: List[bool] = []

    def work() -> None:
        while not stop:
            grow()

    grow()
    thread = threading.Thread(target=work)
    thread.start()
    results = []
    try:
        for _ in range(20):
            time.sleep(random.uniform(0, 0.01))
            child = os.fork()
            if child == 0:
                status = 7
                try:
                    with fw.Store():
                        add(ONE)
                    status = 1
                    big.numpy()
                    status = 0
                except RuntimeError as error:
                    status = 2 if "when this process was forked" in str(error) else 3
                finally:
                    os._exit(status)
            results.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    finally:
        stop.append(True)
        thread.join()
    # Between two calls the store is free.
    assert set(results) <= {0, 2} and 2 in results, results


EXIT = """
import threading, numpy as np, flywheel as fw
session = fw.Session(fw.compile("train.variable @v : tensor<8xf32> = #train.zeros\\n"
    "func.func @f(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {\\n"
    "  %0 = math.tanh %x : tensor<?x64xf32>\\n  return %0 : tensor<?x64xf32>\\n}\\n"))
session.initialize()
class Reader:
    def __del__(self):
        session["v"]
kept = Reader()
kept.itself = kept
at_work = threading.Event()
x = np.ones((3333, 64), np.float32)
def work():
    while True:
        session.run("f", x)
        at_work.set()
threading.Thread(target=work, daemon=True).start()
at_work.wait()
"""


def test_exit() -> None:
    """A program that ends while another thread calls an entry ends well."""
    for _ in range(4):
        subprocess.run([sys.executable, "-c", EXIT], check=True, timeout=120, stderr=subprocess.DEVNULL)


run_tests([test_interrupts, test_nesting, test_first_calls, test_modules, test_fork, test_exit])
