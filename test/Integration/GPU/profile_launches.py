# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""A profile of steps on a GPU has each launch of each call, and the device says how long it took (F7, D9)."""

import json
import tempfile
from pathlib import Path

import numpy as np

import flywheel
from simulator_counters import counters

MODEL = """
train.variable @w : tensor<4x3xf32> = #train.glorot_uniform
func.func @step(%x: tensor<?x4xf32>, %label: tensor<?xi32>) -> tensor<f32> {
  %w = train.read @w : tensor<4x3xf32>
  %z = nn.matmul %x, %w : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  %loss = nn.sparse_softmax_cross_entropy %z, %label : (tensor<?x3xf32>, tensor<?xi32>) -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.1>
  return %loss : tensor<f32>
}
func.func @sizes() -> tensor<4xf32> {
  %w = train.read @w : tensor<4x3xf32>
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %y = linalg.reduce ins(%w : tensor<4x3xf32>) outs(%zero : tensor<4xf32>) dimensions = [1]
    (%a: f32, %b: f32) { %c = arith.addf %a, %b : f32 linalg.yield %c : f32 }
  return %y : tensor<4xf32>
}
"""
TARGET = "cuda:sm_90a:bitcode"

x = np.random.default_rng(0).standard_normal((5, 4)).astype(np.float32)
label = np.array([0, 1, 2, 1, 0], np.int32)


def make_session(profile: bool) -> flywheel.Session:
    session = flywheel.Session(flywheel.compile(MODEL, target=TARGET, profile=profile))
    session.initialize(1)
    return session


def test_counts() -> None:
    session, other = make_session(True), make_session(False)
    before = counters()
    with session.profile() as profile:
        losses = [session.run("step", x, label) for _ in range(3)]
        session.run("sizes")
    now = counters()
    # Each launch is measured alone: no step is a graph.
    assert sum(kernel.calls for kernel in profile.kernels) == now["kernels"] - before["kernels"]
    assert now["graphs"] == before["graphs"]
    for kernel in profile.kernels:
        assert kernel.calls == (3 if kernel.entry == "step" else 1), kernel
    names = [kernel.name for kernel in profile.kernels]
    assert len(set(names)) == len(names), names
    assert {"forward", "update"} <= {kernel.phase for kernel in profile.kernels}, names
    (step,) = (entry for entry in profile.entries if entry.name == "step")
    assert step.calls == 3 and step.seconds > 0
    # The numbers of launches that do not depend on a size of the call.
    (sums,) = (kernel for kernel in profile.kernels if kernel.entry == "sizes" and kernel.flops)
    assert sums.bytes == 4 * (4 * 3 + 4 + 4) and sums.flops == 12, sums
    # The same numbers as without it.
    np.testing.assert_array_equal(losses, [other.run("step", x, label) for _ in range(3)])
    np.testing.assert_array_equal(session["w"], other["w"])


def test_next_profile_starts_anew() -> None:
    session = make_session(True)
    session.run("step", x, label)
    with session.profile() as profile:
        session.run("sizes")
    assert {(kernel.entry, kernel.calls) for kernel in profile.kernels} == {("sizes", 1)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        profile.save(path)
        events = json.loads(path.read_text())["traceEvents"]
    # The step, and each of its launches.
    assert len([event for event in events if event["ph"] == "X"]) == 1 + len(profile.kernels), events


for name, test in sorted(globals().copy().items()):
    if name.startswith("test_"):
        test()
        print("ok", name, flush=True)
