# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Checks in bodies and loops, as other front ends write them; an error changes nothing."""

import numpy as np

from configurations import configurations, expect_close, expect_equal, expect_error, run_tests

# The cross entropy of torch-mlir: the label is checked in the body that picks a
# logit.
LOSS = """
#rows = affine_map<(i) -> (i)>
train.variable @steps : tensor<i32> = #train.zeros
train.variable @w : tensor<4x10xf32> = dense<0.5> : tensor<4x10xf32>
func.func @step(%x: tensor<?x4xf32>, %label: tensor<?xi64>) -> tensor<f32> {
  %one = arith.constant dense<1> : tensor<i32>
  train.assign_add @steps, %one : tensor<i32>
  %w = train.read @w : tensor<4x10xf32>
  %z = nn.dense %x, %w : (tensor<?x4xf32>, tensor<4x10xf32>) -> tensor<?x10xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %label, %c0 : tensor<?xi64>
  %zero = arith.constant 0 : i64
  %ten = arith.constant 10 : i64
  %e = tensor.empty(%n) : tensor<?xf32>
  %picked = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel"]}
      ins(%label : tensor<?xi64>) outs(%e : tensor<?xf32>) {
  ^bb0(%l: i64, %o: f32):
    %i = linalg.index 0 : index
    %low = arith.cmpi sge, %l, %zero : i64
    cf.assert %low, "label must not be negative"
    %high = arith.cmpi slt, %l, %ten : i64
    cf.assert %high, "label must be smaller than the classes"
    %j = arith.index_cast %l : i64 to index
    %v = tensor.extract %z[%i, %j] : tensor<?x10xf32>
    %v2 = arith.negf %v : f32
    linalg.yield %v2 : f32
  } -> tensor<?xf32>
  %loss = nn.reduce sum %picked axes [0] : tensor<?xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr=0.1>
  return %loss : tensor<f32>
}
"""

LOOP = """
#id = affine_map<(i) -> (i)>
train.variable @sum : tensor<3xi32> = #train.zeros
func.func @step(%x: tensor<3xi32>, %n: tensor<i64>) -> tensor<3xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bound = tensor.extract %n[] : tensor<i64>
  %last = arith.index_cast %bound : i64 to index
  %r = scf.for %i = %c0 to %last step %c1 iter_args(%y = %x) -> tensor<3xi32> {
    %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%x : tensor<3xi32>) outs(%y : tensor<3xi32>) {
    ^bb0(%e: i32, %o: i32):
      %j = arith.index_cast %i : index to i32
      %rest = arith.subi %e, %j : i32
      %hundred = arith.constant 100 : i32
      %q = arith.divsi %hundred, %rest : i32
      %t = arith.addi %o, %q : i32
      linalg.yield %t : i32
    } -> tensor<3xi32>
    scf.yield %s : tensor<3xi32>
  }
  train.assign @sum, %r : tensor<3xi32>
  return %r : tensor<3xi32>
}
"""


def test_labels() -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    for configuration, model in configurations(LOSS):
        model.initialize()
        expect_close(configuration, model.run("step", x, np.array([1, 0, 9])), -0.5 * x.sum())
        w, steps = model["w"], model["steps"]
        for labels, message in (([1, 10, 0], "label must be smaller than the classes"),
                                ([1, 2, -1], "label must not be negative")):
            expect_error(configuration, message, lambda: model.run("step", x, np.array(labels)))
            expect_equal(configuration, model["w"], w)
            expect_equal(configuration, model["steps"], steps)


def test_loop() -> None:
    """Divisions in a body in a loop."""
    x = np.array([10, -7, 25], np.int32)
    expected = x + sum(np.trunc(100 / (x - j)).astype(np.int32) for j in range(4))
    for configuration, model in configurations(LOOP):
        model.initialize()
        expect_equal(configuration, model.run("step", x, np.array(4)), expected.astype(np.int32))
        bad = np.array([10, 3, 25], np.int32)
        expect_error(configuration, "division by zero in 'arith.divsi'", lambda: model.run("step", bad, np.array(4)))
        expect_equal(configuration, model["sum"], expected.astype(np.int32))
        expect_equal(configuration, model.run("step", bad, np.array(0)), bad)


run_tests([test_labels, test_loop])
