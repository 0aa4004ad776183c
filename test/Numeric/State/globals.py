# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Globals of imported models are variables (V1, A5, P1 to P3).

They are in the block of their caller, so that two sessions do not share them, in
checkpoints, and set by an initialization.
"""

import os
import tempfile

import numpy as np

import flywheel
from configurations import configurations, expect_equal, run_tests

TICK = """
ml_program.global private mutable @n(dense<0> : tensor<i64>) : tensor<i64>
func.func @tick() -> tensor<i64> {
  %c1 = arith.constant dense<1> : tensor<i64>
  %n = ml_program.global_load @n : tensor<i64>
  %m = arith.addi %n, %c1 : tensor<i64>
  ml_program.global_store @n = %m : tensor<i64>
  return %m : tensor<i64>
}
"""

# As torch-mlir imports dropout: a seed that every call moves on.
DROPOUT = """
#id = affine_map<(d0) -> (d0)>
ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
train.variable @w : tensor<8xf32> = #train.ones
func.func @step(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<f32>) {
  %factor = arith.constant 6364136223846793005 : i64
  %increment = arith.constant 1442695040888963407 : i64
  %seed = ml_program.global_load @global_seed : tensor<i64>
  %old = tensor.extract %seed[] : tensor<i64>
  %product = arith.muli %old, %factor : i64
  %next = arith.addi %product, %increment : i64
  %inserted = tensor.insert %next into %seed[] : tensor<i64>
  ml_program.global_store @global_seed = %inserted : tensor<i64>
  %empty = tensor.empty() : tensor<8xf32>
  %mask = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%empty : tensor<8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %c40 = arith.constant 40 : i64
    %one = arith.constant 1 : i64
    %odd = arith.addi %n, %one : i64
    %mixed = arith.muli %next, %odd : i64
    %high = arith.shrui %mixed, %c40 : i64
    %bit = arith.andi %high, %one : i64
    %number = arith.uitofp %bit : i64 to f32
    linalg.yield %number : f32
  } -> tensor<8xf32>
  %w = train.read @w : tensor<8xf32>
  %kept = arith.mulf %w, %mask : tensor<8xf32>
  %y = arith.mulf %kept, %x : tensor<8xf32>
  %loss = nn.l2_loss %y : tensor<8xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.1>
  return %mask, %loss : tensor<8xf32>, tensor<f32>
}
"""


def masks(count: int) -> "list[np.ndarray]":
    seed, found = 0, []
    for _ in range(count):
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        found.append(np.array([((seed * (i + 1)) % 2**64 >> 40) & 1 for i in range(8)], np.float32))
    return found


def test_counter() -> None:
    for configuration, model in configurations(TICK):
        for _ in range(2):
            model.initialize()
            for step in range(1, 6):
                expect_equal(configuration, model.run("tick"), np.int64(step))
        model["n"] = np.array(40, np.int64)
        expect_equal(configuration, model.run("tick"), np.int64(41))


def test_sessions() -> None:
    """Two sessions of one program count for themselves."""
    program = flywheel.compile(TICK)
    one, other = flywheel.Session(program), flywheel.Session(program)
    one.initialize(1)
    other.initialize(1)
    for step in (1, 2, 3):
        expect_equal("one", one.run("tick"), np.int64(step))
    expect_equal("other", other.run("tick"), np.int64(1))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "ticks.safetensors")
        one.save(path)
        other.restore(path)
    expect_equal("restored", other.run("tick"), np.int64(4))
    assert program.variables[0].name == "n" and not program.variables[0].trainable


def test_dropout() -> None:
    x = np.arange(1, 9, dtype=np.float32)
    expected = masks(4)
    for configuration, model in configurations(DROPOUT):
        model.initialize()
        w = np.ones(8, np.float32)
        for mask in expected:
            found, _ = model.run("step", x)
            expect_equal(configuration, found, mask)
            w = (w - np.float32(0.1) * (w * mask * x * mask * x)).astype(np.float32)
        np.testing.assert_allclose(model["w"], w, rtol=1e-5, err_msg=configuration)
    assert any((mask != expected[0]).any() for mask in expected)


def test_branch_and_loop() -> None:
    """Stores in control flow, and loads on both sides of a store."""
    text = """
ml_program.global private mutable @a(dense<1.0> : tensor<2xf32>) : tensor<2xf32>
func.func @step(%c: tensor<i1>) -> (tensor<2xf32>, tensor<2xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %b = tensor.extract %c[] : tensor<i1>
  %before = ml_program.global_load @a : tensor<2xf32>
  scf.if %b {
    %twice = arith.addf %before, %before : tensor<2xf32>
    ml_program.global_store @a = %twice : tensor<2xf32>
  }
  scf.for %i = %zero to %three step %one {
    %old = ml_program.global_load @a : tensor<2xf32>
    %new = arith.addf %old, %before : tensor<2xf32>
    ml_program.global_store @a = %new : tensor<2xf32>
  }
  %after = ml_program.global_load @a : tensor<2xf32>
  return %before, %after : tensor<2xf32>, tensor<2xf32>
}
"""
    for configuration, model in configurations(text):
        model.initialize()
        value = 1.0
        for condition in (True, False, True):
            before, after = model.run("step", np.array(condition))
            expect_equal(configuration, before, np.full(2, value, np.float32))
            value = (2 * value if condition else value) + 3 * value
            expect_equal(configuration, after, np.full(2, value, np.float32))


run_tests([test_counter, test_sessions, test_dropout, test_branch_and_loop])
