# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
# RUN: env FLYWHEEL_GPU_GRAPHS=0 %python %s
# RUN: env FLYWHEEL_SIM_ORDER=reversed %python %s
"""A step is one launch of a graph from its second time on, and waits for the device once:
whatever the host does in between, the numbers are the CPU's. With FLYWHEEL_GPU_GRAPHS=0 the
same without graphs (D9, T5)."""

import ctypes
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, Tuple

import numpy as np

import flywheel
from device_and_host import HALVE, TARGET
from simulator_counters import counted

GRAPHS = os.environ.get("FLYWHEEL_GPU_GRAPHS") != "0"

MODEL = """
train.variable @w : tensor<8x6xf32> = #train.glorot_uniform
train.variable @b : tensor<6xf32> = #train.zeros
func.func @step(%x: tensor<?x8xf32>, %label: tensor<?xi32>) -> tensor<f32> {
  %w = train.read @w : tensor<8x6xf32>
  %b = train.read @b : tensor<6xf32>
  %z = nn.dense %x, %w, %b : (tensor<?x8xf32>, tensor<8x6xf32>, tensor<6xf32>) -> tensor<?x6xf32>
  %loss = nn.sparse_softmax_cross_entropy %z, %label : (tensor<?x6xf32>, tensor<?xi32>) -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.adam<lr = 0.05>
  return %loss : tensor<f32>
}
func.func @predict(%x: tensor<?x8xf32>) -> tensor<?x6xf32> {
  %w = train.read @w : tensor<8x6xf32>
  %b = train.read @b : tensor<6xf32>
  %z = nn.dense %x, %w, %b : (tensor<?x8xf32>, tensor<8x6xf32>, tensor<6xf32>) -> tensor<?x6xf32>
  return %z : tensor<?x6xf32>
}
"""
MODEL += HALVE.replace("NAME", "halve")
device = flywheel.compile(MODEL, target=TARGET)
host = flywheel.compile(MODEL)
rng = np.random.default_rng(1)


def batch(count: int) -> Tuple[Any, Any]:
    return rng.standard_normal((count, 8)).astype(np.float32), rng.integers(0, 6, count).astype(np.int32)


class Both:
    """A session on the device and one of the CPU, which do the same."""

    def __init__(self, seed: int = 1) -> None:
        self.device, self.host = flywheel.Session(device), flywheel.Session(host)
        self.device.initialize(seed)
        self.host.initialize(seed)

    def run(self, entry: str, *feeds: Any) -> Dict[str, int]:
        found, counts = counted(lambda: self.device.run(entry, *feeds))
        np.testing.assert_allclose(found, self.host.run(entry, *feeds), rtol=2e-5, atol=1e-6)
        return counts

    def compare(self) -> None:
        for name in self.host.variables:
            np.testing.assert_allclose(self.device[name], self.host[name], rtol=2e-5, atol=1e-6, err_msg=name)


def expect(counts: Dict[str, int], is_graph: bool, what: str) -> None:
    """A step waits once, and copies its feeds and results alone."""
    assert counts["synchronizations"] == 1, (what, counts)
    assert counts["graphs"] == (1 if is_graph and GRAPHS else 0), (what, counts)
    assert (counts["launches"] == 0) == (is_graph and GRAPHS), (what, counts)
    assert counts["kernels"] >= 3, (what, counts)


def test_second_run_is_a_graph() -> None:
    both = Both()
    x, label = batch(5)
    both.run("step", x, label)
    for step in range(4):
        counts = both.run("step", *batch(5))
        expect(counts, True, f"step {step}")
        assert counts["up"] == 5 * 8 * 4 + 5 * 4 and counts["down"] == 4 + 4, counts
        assert counts["allocations"] == 0, counts
    both.compare()


def test_sizes_have_graphs_of_their_own() -> None:
    both = Both()
    for count in (7, 5):  # The largest first: buffers grow, and are others then.
        both.run("step", *batch(count))
        both.run("step", *batch(count))
    for count in (5, 7, 5, 7):
        expect(both.run("step", *batch(count)), True, f"batch {count}")
    # More kinds than are kept, and the first ones again.
    for count in (*range(1, 12), *range(1, 12)):
        both.run("step", *batch(count))
    expect(both.run("step", *batch(11)), True, "batch 11")
    # No rows at all.
    both.run("predict", np.zeros((0, 8), np.float32))
    both.compare()


def test_assignments_between_steps() -> None:
    both = Both()
    for step in range(5):
        both.run("step", *batch(4))
        value = np.full((6,), step, np.float32)
        both.device["b"] = value
        both.host["b"] = value
    expect(both.run("step", *batch(4)), True, "after an assignment")
    both.compare()


def test_errors_change_nothing() -> None:
    both = Both()
    x, label = batch(6)
    both.run("step", x, label)
    for wrong in (99, -3):
        bad = label.copy()
        bad[4] = wrong
        before = {name: both.device[name].copy() for name in both.device.variables}
        message = ""
        for session in (both.host, both.device):
            try:
                session.run("step", x, bad)
            except flywheel.InvalidArgumentError as error:
                assert not message or str(error) == message, (str(error), message)
                message = str(error)
            else:
                raise AssertionError("expected an error")
        assert "label out of range" in message and f"found {wrong}" in message, message
        for name, value in before.items():
            np.testing.assert_array_equal(both.device[name], value, err_msg=name)
        both.run("step", x, label)
        expect(both.run("step", x, label), True, "after an error")
    both.compare()


def test_sessions_and_entries() -> None:
    one, two = Both(seed=1), Both(seed=2)
    for _ in range(3):
        for both in (one, two):
            both.run("step", *batch(3))
            both.run("predict", batch(3)[0])
    for both in (one, two):
        expect(both.run("step", *batch(3)), True, "a session of two")
        both.compare()


def test_restored() -> None:
    both = Both()
    for _ in range(3):
        both.run("step", *batch(4))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "state")
        both.device.save(path)
        for _ in range(2):
            both.run("step", *batch(4))
        both.device.restore(path)
        both.host.restore(path)
    expect(both.run("step", *batch(4)), True, "after a restore")
    both.compare()


def test_decisions_of_the_host() -> None:
    both = Both()
    for value, halvings in ((100.0, 7), (0.5, 0), (3.0, 2)):
        counts = both.run("halve", np.float32(value))
        assert counts["graphs"] == 0 and counts["synchronizations"] >= halvings + 1, counts


def test_threads() -> None:
    """Steps become graphs while other threads allocate, copy and use the default stream."""
    driver = ctypes.CDLL(os.environ["FLYWHEEL_LIBCUDA"])
    expected = [flywheel.Session(host) for _ in range(3)]
    sessions = [flywheel.Session(device) for _ in range(3)]
    # Most steps are captures: the second ones of their sizes.
    feeds = [batch(count) for count in range(1, 61) for _ in range(2)] * 5
    is_over = False

    def train(number: int) -> None:
        for session in (sessions[number], expected[number]):
            session.initialize(number)
        for x, label in feeds:
            found = sessions[number].run("step", x, label)
            np.testing.assert_allclose(found, expected[number].run("step", x, label), rtol=2e-4, atol=1e-5)

    def use_default_stream() -> int:
        calls = 0
        data = np.ones(4, np.float32)
        while not is_over:
            place = ctypes.c_uint64()
            assert driver.cuMemAlloc_v2(ctypes.byref(place), ctypes.c_size_t(16)) == 0
            assert driver.cuMemcpyHtoD_v2(place, ctypes.c_void_p(data.ctypes.data), ctypes.c_size_t(16)) == 0
            assert driver.cuMemFree_v2(place) == 0
            calls += 1
        return calls

    with ThreadPoolExecutor(4) as pool:
        other = pool.submit(use_default_stream)
        try:
            for future in [pool.submit(train, number) for number in range(3)]:
                future.result()
        finally:
            is_over = True
        assert other.result() > 0
    # None of the captures failed.
    for session, reference in zip(sessions, expected):
        x, label = feeds[0]
        _, counts = counted(lambda: [session.run("step", x, label) for _ in range(3)])
        for _ in range(3):
            reference.run("step", x, label)
        assert (counts["graphs"] >= 2) == GRAPHS, counts
        for name in reference.variables:
            np.testing.assert_allclose(session[name], reference[name], rtol=2e-4, atol=1e-5, err_msg=name)


tests = [value for name, value in sorted(globals().items()) if name.startswith("test_")]
for test in tests:
    test()
    print("ok", test.__name__, flush=True)
