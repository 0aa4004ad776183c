# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s %src_root
"""Profiles: what ran how often, what it computed, and where time went (F7)."""

import json
import os
import subprocess
import sys
import tempfile
from typing import Dict, List

import numpy as np

import flywheel
from configurations import Array, expect_equal, run_tests

LAYER = """
train.variable @w : tensor<4x6xf32> = #train.ones
func.func @step(%x: tensor<?x4xf32>) -> tensor<f32> {
  %w = train.read @w : tensor<4x6xf32>
  %y = nn.dense %x, %w : (tensor<?x4xf32>, tensor<4x6xf32>) -> tensor<?x6xf32>
  %loss = nn.l2_loss %y : tensor<?x6xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.01>
  return %loss : tensor<f32>
}
func.func @nothing(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
"""

# As often as `limit` says: only the step knows.
LOOP = """
func.func @double(%x: tensor<?x8xf32>, %limit: tensor<f32>) -> tensor<?x8xf32> {
  %y, %n = scf.while (%a = %x, %i = %limit) : (tensor<?x8xf32>, tensor<f32>) -> (tensor<?x8xf32>, tensor<f32>) {
    %zero = arith.constant 0.5 : f32
    %left = tensor.extract %i[] : tensor<f32>
    %more = arith.cmpf ogt, %left, %zero : f32
    scf.condition(%more) %a, %i : tensor<?x8xf32>, tensor<f32>
  } do {
  ^bb0(%a: tensor<?x8xf32>, %i: tensor<f32>):
    %t = math.tanh %a : tensor<?x8xf32>
    %one = arith.constant dense<1.0> : tensor<f32>
    %j = arith.subf %i, %one : tensor<f32>
    scf.yield %t, %j : tensor<?x8xf32>, tensor<f32>
  }
  return %y : tensor<?x8xf32>
}
"""


def make_session(text: str, **options: object) -> flywheel.Session:
    session = flywheel.Session(flywheel.compile(flywheel.parse(text, name="m.mlir"), profile=True, **options))  # type: ignore[arg-type]
    session.initialize(1)
    return session


def find(profile: flywheel.Profile, what: str, phase: str) -> flywheel.Kernel:
    found = [kernel for kernel in profile.kernels if kernel.name.split(".")[1] == what and kernel.phase == phase]
    assert len(found) == 1, [(kernel.name, kernel.phase) for kernel in profile.kernels]
    return found[0]


def test_counts() -> None:
    """F7: calls, iterations, operations and bytes are those of the calls that were made."""
    for lowering in ("reference", "optimized"):
        session = make_session(LAYER, lowering=lowering)
        with session.profile() as profile:
            for batch in (3, 5, 5, 32):
                session.run("step", np.ones((batch, 4), np.float32))
        dense = find(profile, "dense", "forward")
        rows = 3 + 5 + 5 + 32
        assert (dense.calls, dense.iterations) == (4, rows * 24), dense
        assert dense.entry == "step" and dense.sources[0].startswith("nn.dense at m.mlir:5:8"), dense
        # The product is all of it, or with what follows it in one loop.
        assert dense.flops is not None and rows * 48 <= dense.flops <= rows * 48 + rows * 12, dense
        assert dense.bytes is not None and dense.bytes >= 4 * (rows * 4 + 4 * 24), dense
        assert dense.seconds > 0 and dense.flops_per_second and dense.bytes_per_second
        gradient = find(profile, "dense_grad", "backward")
        assert (gradient.calls, gradient.iterations) == (4, rows * 24), gradient
        (entry,) = profile.entries
        assert (entry.name, entry.calls, entry.threads) == ("step", 4, 1)
        # The parts are the whole.
        total = sum(kernel.seconds for kernel in entry.kernels)
        assert 0 < total <= entry.seconds * 1.001, (total, entry.seconds)
        assert np.isclose(sum(entry.phases.values()), entry.seconds)
        assert np.isclose(entry.coverage, total / entry.seconds)
        assert entry.peak_flops_per_second > 1e8 and entry.peak_bytes_per_second > 1e7


def level_of(size: float) -> str:
    """Returns the level of memory that fits the bytes of one core, as the system reports it."""
    names = ("LEVEL1_DCACHE_SIZE", "LEVEL2_CACHE_SIZE")
    said = [subprocess.run(["getconf", name], capture_output=True, text=True).stdout.strip() for name in names]
    l1, l2 = (int(text) if text.isdigit() else 0 for text in said)
    if l1 < 4096 or l2 < l1:
        l1, l2 = 32 << 10, 1 << 20
    return "L1" if size <= l1 else "L2" if size <= l2 else "memory"


def check_bound(kernel: flywheel.Kernel, entry: flywheel.ProfiledEntry) -> None:
    """The bound of `kernel`, which all threads executed and whose calls are of the same sizes."""
    assert kernel.flops is not None and kernel.bytes is not None, kernel
    assert kernel.bound_seconds is not None and kernel.threads == entry.threads, kernel
    level = level_of(kernel.bytes / max(kernel.calls, 1) / kernel.threads)
    rates = {
        "L1": entry.peak_l1_bytes_per_second,
        "L2": entry.peak_l2_bytes_per_second,
        "memory": entry.peak_bytes_per_second,
    }
    seconds = {level: kernel.bytes / rates[level], "flops": kernel.flops / entry.peak_flops_per_second}
    assert np.isclose(kernel.bound_seconds, max(seconds.values())), (kernel, seconds)
    assert kernel.bound_by is not None and seconds[kernel.bound_by] == max(seconds.values()), (kernel, seconds)
    if kernel.bound_seconds:
        assert np.isclose(kernel.times_bound or 0, kernel.seconds / kernel.bound_seconds), kernel
    else:
        assert kernel.times_bound is None, kernel


def test_bounds() -> None:
    """F7: what a kernel would take at the peaks, and the list of those that take several times as long."""
    session = make_session(LOOP)
    with session.profile() as profile:
        session.run("double", np.ones((7, 8), np.float32), np.float32(100))
    (entry,) = profile.entries
    for kernel in entry.kernels:
        check_bound(kernel, entry)
    slow = [k for k in entry.kernels if k.times_bound is not None and k.times_bound > 3]
    # A polynomial of many operations for each number takes longer than the one operation that it counts.
    assert find(profile, "tanh", "forward") in slow, str(profile)
    table = str(profile)
    said = table[table.index("kernels are") :]
    word = "kernel takes more than 3 times its" if len(slow) == 1 else "kernels take more than 3 times their"
    assert f"{len(slow)} {word} bound, " in said, table
    for kernel in slow:
        own = f"  {kernel.name}: {kernel.times_bound:.1f} times that of {kernel.bound_by}, "
        assert (own in said) == (kernel.seconds >= 0.01 * entry.seconds), table


COPY = """
func.func @double(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = arith.addf %x, %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
"""


def test_levels() -> None:
    """F7: bytes are bounded by the level that those of each call fit in, whatever other calls there are."""
    session = make_session(COPY)
    # 8 bytes an element: in the first cache, in the second, in memory.
    for size, level in ((64, "L1"), (16 << 10, "L2"), (4 << 20, "memory")):
        assert level_of(8 * size) == level, size
        session.run("double", np.ones(size, np.float32))
        with session.profile() as profile:
            session.run("double", np.ones(size, np.float32))
        (kernel,) = (kernel for kernel in profile.kernels if kernel.name.split(".")[1] == "addf")
        assert (kernel.bytes, kernel.bound_by) == (8 * size, level), kernel
        check_bound(kernel, profile.entries[0])
    # Many small calls and a large one each have their own level.
    with session.profile() as profile:
        for size in (64, 64, 64, 4 << 20):
            session.run("double", np.ones(size, np.float32))
    (entry,) = profile.entries
    (kernel,) = (kernel for kernel in profile.kernels if kernel.name.split(".")[1] == "addf")
    bound = 8 * 3 * 64 / entry.peak_l1_bytes_per_second + 8 * (4 << 20) / entry.peak_bytes_per_second
    assert kernel.bound_seconds is not None and np.isclose(kernel.bound_seconds, bound), (kernel, bound)
    # Two workers have a half each, and the peaks of two.
    session = make_session(COPY.replace("?", str(1 << 20)), threads=2, min_shared_work=0)
    with session.profile() as profile:
        session.run("double", np.ones(1 << 20, np.float32))
    (entry,) = profile.entries
    (kernel,) = (kernel for kernel in profile.kernels if kernel.name.split(".")[1] == "addf")
    assert (kernel.threads, entry.threads) == (2, 2), kernel
    check_bound(kernel, entry)


TABLE = """
train.variable @table : tensor<50000x32xf32> = #train.random_normal
func.func @step(%ids: tensor<?xi32>) -> tensor<f32> {
  %t = train.read @table : tensor<50000x32xf32>
  %e = nn.gather %t, %ids axis 0 : (tensor<50000x32xf32>, tensor<?xi32>) -> tensor<?x32xf32>
  %s = arith.mulf %e, %e : tensor<?x32xf32>
  %l = nn.reduce sum %s axes [0, 1] : tensor<?x32xf32> -> tensor<f32>
  train.minimize %l : tensor<f32> with #train.gradient_descent<lr = 0.1>
  return %l : tensor<f32>
}
"""


def test_rows() -> None:
    """F7: the update of a table by rows is of the update, its gradient of the backward pass, with their counts."""
    session = make_session(TABLE)
    with session.profile() as profile:
        for count in (4, 60):
            session.run("step", np.arange(count, dtype=np.int32) % 5)
    update = find(profile, "minimize", "update")
    # A product and a difference for each element of the rows.
    assert (update.calls, update.flops) == (2, 2 * 64 * 32), update
    # Indices, their order, the gradient, and the rows before and after.
    assert update.bytes == 64 * (4 + 8) + 3 * 4 * 64 * 32, update
    for kernel in profile.kernels:
        if "gather_grad" in kernel.name:
            assert kernel.phase == "backward" and kernel.bytes is not None, kernel
        assert kernel.phase != "forward" or "minimize" not in kernel.name, kernel
    (entry,) = profile.entries
    assert entry.phases["update"] > 0


def test_nested() -> None:
    """F7: a second profile of a session is refused, and ends no other."""
    session = make_session(LAYER)
    with session.profile() as profile:
        session.run("step", np.ones((3, 4), np.float32))
        try:
            with session.profile():
                raise AssertionError("expected no profile in another one")
        except flywheel.FailedPreconditionError as error:
            assert "expected the profile of this session that was started first to have ended" in str(error), error
        session.run("step", np.ones((3, 4), np.float32))
    assert profile.entries[0].calls == 2
    with session.profile() as again:
        session.run("step", np.ones((3, 4), np.float32))
    assert again.entries[0].calls == 1


def test_loop() -> None:
    """F7: what a loop of the program does counts as often as it does it."""
    for lowering in ("reference", "optimized"):
        session = make_session(LOOP, lowering=lowering)
        x = np.ones((7, 8), np.float32)
        with session.profile() as profile:
            for limit in (3, 0, 10):
                session.run("double", x, np.float32(limit))
        tanh = find(profile, "tanh", "forward")
        assert (tanh.calls, tanh.iterations, tanh.flops) == (13, 13 * 56, 13 * 56), tanh


def check_trace(path: str, workers: int) -> List[Dict[str, object]]:
    """Checks Perfetto's rule for a trace: events of a track do not overlap, but may be nested."""
    with open(path, encoding="utf-8") as file:
        trace = json.load(file)
    assert set(trace) == {"displayTimeUnit", "otherData", "traceEvents"}
    events = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    names = [event for event in trace["traceEvents"] if event["ph"] == "M"]
    assert {event["tid"] for event in events} == {event["tid"] for event in names} == set(range(1, workers + 1))
    for event in events:
        assert event["dur"] >= 0 and event["ts"] >= 0 and event["pid"] == 1, event
    for track in range(1, workers + 1):
        open_ends: List[float] = []
        for event in sorted((e for e in events if e["tid"] == track), key=lambda e: (e["ts"], -e["dur"])):
            while open_ends and open_ends[-1] <= event["ts"] + 1e-6:
                open_ends.pop()
            end = event["ts"] + event["dur"]
            assert not open_ends or end <= open_ends[-1] + 1e-6, event
            # A step, and kernels in it.
            assert track > 1 or len(open_ends) == (0 if event["cat"] == "step" else 1), event
            open_ends.append(end)
    return events


def test_trace() -> None:
    """F7: a trace has each step and each call of a kernel in it."""
    session = make_session(LAYER)
    with session.profile() as profile:
        for _ in range(3):
            session.run("step", np.ones((5, 4), np.float32))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        profile.save(path)
        events = check_trace(path, workers=1)
        try:
            profile.save(os.path.join(folder, "none", "trace.json"))
        except FileNotFoundError:
            pass
        else:
            raise AssertionError("expected a FileNotFoundError")
    assert profile.dropped_events == 0
    assert [event["name"] for event in events].count("step") == 3
    for kernel in profile.kernels:
        assert [event["name"] for event in events].count(kernel.name) == kernel.calls


def test_many_events() -> None:
    """F7: calls for which the trace has no room are counted."""
    session = make_session(LOOP)
    profile = session.profile(lambda: session.run("double", np.ones((2, 8), np.float32), np.float32(3000)))
    assert find(profile, "tanh", "forward").calls == 3000
    calls = sum(kernel.calls for kernel in profile.kernels)
    assert profile.dropped_events == calls - 1024, profile.dropped_events


def load(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def test_threads() -> None:
    """F7: workers have counters of their own, and numbers are as without a profile."""
    text = load(os.path.join(sys.argv[1], "examples", "transformer", "transformer.mlir"))
    random = np.random.default_rng(0)
    feeds: Dict[str, Array] = {
        name: random.integers(0, 96, (4, 64)).astype(np.int32) for name in ("text", "next")}
    plain = flywheel.Session(flywheel.compile(text, entries=["train_step"], threads=2, min_shared_work=0))
    plain.initialize(1)
    session = make_session(text, entries=["train_step"], threads=2, min_shared_work=0)
    with session.profile() as profile:
        for _ in range(2):
            expect_equal("loss", session.run("train_step", **feeds), plain.run("train_step", **feeds))
    for name in plain:
        expect_equal(name, session[name], plain[name])
    (entry,) = profile.entries
    assert entry.threads == 2 and all(kernel.calls == 2 for kernel in entry.kernels), entry
    assert {kernel.phase for kernel in entry.kernels} == {"forward", "backward", "update"}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        profile.save(path)
        check_trace(path, workers=2)


def test_texts() -> None:
    """F7: a table for people, and bars for notebooks."""
    session = make_session(LAYER)
    with session.profile() as profile:
        assert "has not ended" in str(profile)
        try:
            _ = profile.kernels
        except RuntimeError as error:
            assert "leave its with block" in str(error)
        else:
            raise AssertionError("expected a RuntimeError")
        session.run("step", np.ones((5, 4), np.float32))
    table, page = str(profile), profile._repr_html_()
    for kernel in profile.kernels:
        assert kernel.name in table and kernel.name in page
    assert "total" in table and "% of the step" in table
    assert page.count("<svg") == page.count("</svg>") == 1 and "<script" not in page
    # An entry without a kernel, then nothing at all.
    with session.profile() as profile:
        session.run("nothing", np.float32(1))
    assert profile.kernels == [] and profile.entries[0].coverage == 0
    with session.profile() as profile:
        pass
    assert profile.entries == [] and "nothing was called" in str(profile)


def test_errors() -> None:
    """F7: a program that is not compiled for it has no profile; a call that fails is one."""
    session = flywheel.Session(flywheel.compile(LAYER))
    try:
        session.profile(lambda: None)
    except flywheel.FailedPreconditionError as error:
        assert "compiled for profiles" in str(error), error
    else:
        raise AssertionError("expected a FailedPreconditionError")
    session = make_session(LAYER)
    profile = session.profile()
    try:
        with profile:
            session.run("step", np.ones((5, 3), np.float32))
    except flywheel.InvalidArgumentError:
        assert profile.entries == []
    else:
        raise AssertionError("expected an InvalidArgumentError")


run_tests([test_counts, test_bounds, test_levels, test_rows, test_nested, test_loop, test_trace, test_many_events,
           test_threads, test_texts, test_errors])  # fmt: skip
