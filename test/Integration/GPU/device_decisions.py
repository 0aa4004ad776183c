# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
# RUN: env FLYWHEEL_SIM_ORDER=reversed %python %s
# RUN: env FLYWHEEL_SIM_RACES=1 %python %s
"""The host reads one number for each decision by elements of the device: for each branch, and for each iteration of a
loop that ends by its condition, with checks in the loop too (D9)."""

from typing import Any, Dict

import numpy as np

from device_and_host import HALVE, Both


def counts_of(both: Both, *feeds: Any) -> Dict[str, int]:
    both.run(*feeds)
    return both.run(*feeds)


def expect_each(one: Dict[str, int], other: Dict[str, int], iterations: int, size: int) -> None:
    """Two runs differ by `iterations`, each with a wait and a copy of `size` bytes."""
    assert other["synchronizations"] - one["synchronizations"] == iterations, (one, other)
    assert other["down"] - one["down"] == iterations * size, (one, other)
    assert other["up"] == one["up"] and other["allocations"] == 0, (one, other)



def test_one_element() -> None:
    """It is read as it is, of 4 bytes: no launch is needed for it."""
    both = Both(HALVE.replace("NAME", "step"))
    found = [counts_of(both, np.float32(value)) for value in (0.5, 1.5, 100.0)]
    expect_each(found[0], found[1], 1, 4)
    expect_each(found[0], found[2], 7, 4)
    assert found[2]["kernels"] - found[0]["kernels"] == 7, found


SEVERAL = """
func.func @step(%x: tensor<70xf32>, %least: tensor<f32>, %most: tensor<f64>, %count: tensor<i64>)
    -> (tensor<70xf32>, tensor<i64>) {
  %half = arith.constant dense<0.5> : tensor<70xf32>
  %one = arith.constant dense<1> : tensor<i64>
  %zero = arith.constant dense<0> : tensor<i64>
  %0:2 = scf.while (%y = %x, %n = %zero) : (tensor<70xf32>, tensor<i64>) -> (tensor<70xf32>, tensor<i64>) {
    %sum = nn.reduce sum %y axes [0] : tensor<70xf32> -> tensor<f32>
    %s = tensor.extract %sum[] : tensor<f32>
    %l = tensor.extract %least[] : tensor<f32>
    %m = tensor.extract %most[] : tensor<f64>
    %narrow = arith.truncf %m : f64 to f32
    %i = tensor.extract %n[] : tensor<i64>
    %c = tensor.extract %count[] : tensor<i64>
    %1 = arith.cmpf ogt, %s, %l : f32
    %2 = arith.cmpf olt, %s, %narrow : f32
    %3 = arith.cmpi slt, %i, %c : i64
    %4 = arith.andi %1, %2 : i1
    %5 = arith.andi %3, %4 : i1
    scf.condition(%5) %y, %n : tensor<70xf32>, tensor<i64>
  } do {
  ^bb0(%y: tensor<70xf32>, %n: tensor<i64>):
    %1 = arith.mulf %y, %half : tensor<70xf32>
    %2 = arith.addi %n, %one : tensor<i64>
    scf.yield %1, %2 : tensor<70xf32>, tensor<i64>
  }
  return %0#0, %0#1 : tensor<70xf32>, tensor<i64>
}
"""


def test_several_elements() -> None:
    both = Both(SEVERAL)

    def run(value: float, most: float, count: int) -> Dict[str, int]:
        return counts_of(both, np.full(70, value, np.float32), np.float32(70), np.float64(most), np.int64(count))

    none, three, seven, two = run(0.5, 9e3, 9), run(8, 9e3, 9), run(100, 9e3, 9), run(100, 9e3, 2)
    expect_each(none, three, 3, 1)
    expect_each(none, seven, 7, 1)
    expect_each(none, two, 2, 1)
    expect_each(none, run(100, 500, 9), 0, 1)


CHECKED = """
train.variable @table : tensor<9x4xf32> = #train.random_normal
train.variable @sum : tensor<4xf32> = #train.zeros
func.func @step(%rows: tensor<?xi32>, %limit: tensor<f32>) -> tensor<4xf32> {
  %t = train.read @table : tensor<9x4xf32>
  %zero = arith.constant dense<0> : tensor<i32>
  %one = arith.constant dense<1> : tensor<i32>
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %r:2 = scf.while (%i = %zero, %h = %z) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
    %square = arith.mulf %h, %h : tensor<4xf32>
    %norm = nn.reduce sum %square axes [0] : tensor<4xf32> -> tensor<f32>
    %n = tensor.extract %norm[] : tensor<f32>
    %l = tensor.extract %limit[] : tensor<f32>
    %c = arith.cmpf olt, %n, %l : f32
    scf.condition(%c) %i, %h : tensor<i32>, tensor<4xf32>
  } do {
  ^bb0(%i: tensor<i32>, %h: tensor<4xf32>):
    %row = nn.gather %rows, %i axis 0 : (tensor<?xi32>, tensor<i32>) -> tensor<i32>
    %x = nn.gather %t, %row axis 0 : (tensor<9x4xf32>, tensor<i32>) -> tensor<4xf32>
    %a = math.absf %x : tensor<4xf32>
    %y = arith.addf %h, %a : tensor<4xf32>
    %next = arith.addi %i, %one : tensor<i32>
    scf.yield %next, %y : tensor<i32>, tensor<4xf32>
  }
  train.assign_add @sum, %r#1 : tensor<4xf32>
  return %r#1 : tensor<4xf32>
}
"""


def test_checks_in_the_loop() -> None:
    both = Both(CHECKED)
    both.device["table"] = both.host["table"] = np.ones((9, 4), np.float32)
    rows = np.arange(40, dtype=np.int32) % 9
    # The norm after n iterations is 4 n^2.
    found = [counts_of(both, rows, np.float32(4 * n * n)) for n in (0, 1, 5, 20)]
    for counts, n in zip(found, (0, 1, 5, 20)):
        expect_each(found[0], counts, n, 1)
    bad = rows.copy()
    bad[3], bad[5] = 9, -2
    both.fail(bad, np.float32(400), message="found 9")
    # Beyond the end of the list.
    both.fail(rows, np.float32(1e6), message="found 40")
    both.run(rows, np.float32(100))
    both.compare()


NESTED = """
func.func @step(%x: tensor<6xf32>, %low: tensor<f32>, %high: tensor<f32>) -> tensor<6xf32> {
  %double = arith.constant dense<2.0> : tensor<6xf32>
  %less = arith.constant dense<0.9> : tensor<6xf32>
  %0 = scf.while (%y = %x) : (tensor<6xf32>) -> tensor<6xf32> {
    %sum = nn.reduce sum %y axes [0] : tensor<6xf32> -> tensor<f32>
    %s = tensor.extract %sum[] : tensor<f32>
    %h = tensor.extract %high[] : tensor<f32>
    %c = arith.cmpf olt, %s, %h : f32
    scf.condition(%c) %y : tensor<6xf32>
  } do {
  ^bb0(%y: tensor<6xf32>):
    %big = arith.mulf %y, %double : tensor<6xf32>
    %max = nn.reduce max %big axes [0] : tensor<6xf32> -> tensor<f32>
    %m = tensor.extract %max[] : tensor<f32>
    %l = tensor.extract %low[] : tensor<f32>
    %is = arith.cmpf ogt, %m, %l : f32
    %1 = scf.if %is -> tensor<6xf32> {
      %smaller = arith.mulf %big, %less : tensor<6xf32>
      %t = math.sqrt %smaller : tensor<6xf32>
      %u = arith.mulf %t, %t : tensor<6xf32>
      scf.yield %u : tensor<6xf32>
    } else {
      scf.yield %big : tensor<6xf32>
    }
    scf.yield %1 : tensor<6xf32>
  }
  return %0 : tensor<6xf32>
}
"""


def test_branches_in_loops() -> None:
    """Two decisions an iteration: whether it goes on, and which way."""
    both = Both(NESTED)
    x = np.linspace(1, 2, 6, dtype=np.float32)
    none = counts_of(both, x, np.float32(3), np.float32(1))
    for high in (20.0, 1000.0):
        y, iterations = x.copy(), 0
        while y.sum() < high:
            y, iterations = 2 * y, iterations + 1
            y = 0.9 * y if y.max() > 3 else y
        assert iterations > 1
        expect_each(none, counts_of(both, x, np.float32(3), np.float32(high)), 2 * iterations, 1)


tests = [value for name, value in sorted(globals().items()) if name.startswith("test_")]
for test in tests:
    test()
    print("ok", test.__name__, flush=True)
