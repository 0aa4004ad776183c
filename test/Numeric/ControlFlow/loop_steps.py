# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Loops end: their steps are 1 or more. Others are errors, and change nothing (S3)."""

from typing import Any

import numpy as np

import flywheel
from configurations import configurations, expect_close, expect_equal, expect_error, run_tests


def number(value: int) -> Any:
    return np.array(value, np.int64)


LOOPS = """
#row = affine_map<(i) -> (i)>
#elements = {indexing_maps = [#row, #row, #row], iterator_types = ["parallel"]}
train.variable @count : tensor<i32> = #train.zeros
func.func private @index(%n: tensor<i64>) -> index {
  %i = tensor.extract %n[] : tensor<i64>
  %x = arith.index_cast %i : i64 to index
  return %x : index
}
func.func @loop(%x: tensor<3xf32>, %n: tensor<i64>) -> tensor<3xf32> {
  %one = arith.constant dense<1> : tensor<i32>
  train.assign_add @count, %one : tensor<i32>
  %step = func.call @index(%n) : (tensor<i64>) -> index
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %y = scf.for %i = %c0 to %c5 step %step iter_args(%h = %x) -> tensor<3xf32> {
    %s = arith.addf %h, %x : tensor<3xf32>
    scf.yield %s : tensor<3xf32>
  }
  return %y : tensor<3xf32>
}
func.func @far(%x: tensor<3xf32>, %n: tensor<i64>, %l: tensor<i64>, %u: tensor<i64>) -> tensor<3xf32> {
  %step = func.call @index(%n) : (tensor<i64>) -> index
  %lower = func.call @index(%l) : (tensor<i64>) -> index
  %upper = func.call @index(%u) : (tensor<i64>) -> index
  %y = scf.for %i = %lower to %upper step %step iter_args(%h = %x) -> tensor<3xf32> {
    %s = arith.addf %h, %x : tensor<3xf32>
    scf.yield %s : tensor<3xf32>
  }
  return %y : tensor<3xf32>
}
func.func @twice(%x: tensor<3xf32>, %n: tensor<i64>) -> tensor<3xf32> {
  %step = func.call @index(%n) : (tensor<i64>) -> index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %y = scf.for %i = %c0 to %c5 step %c1 iter_args(%h = %x) -> tensor<3xf32> {
    %z = scf.for %j = %c0 to %c5 step %step iter_args(%g = %h) -> tensor<3xf32> {
      %s = arith.addf %g, %x : tensor<3xf32>
      scf.yield %s : tensor<3xf32>
    }
    %w = scf.for %j = %c0 to %i step %step iter_args(%g = %z) -> tensor<3xf32> {
      %s = arith.addf %g, %x : tensor<3xf32>
      scf.yield %s : tensor<3xf32>
    }
    scf.yield %w : tensor<3xf32>
  }
  return %y : tensor<3xf32>
}
func.func @inside(%x: tensor<3xf32>, %n: tensor<i64>) -> tensor<3xf32> {
  %one = arith.constant dense<1> : tensor<i32>
  train.assign_add @count, %one : tensor<i32>
  %first = func.call @index(%n) : (tensor<i64>) -> index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %y = scf.for %i = %c0 to %c5 step %c1 iter_args(%h = %x) -> tensor<3xf32> {
    %step = arith.subi %first, %i : index
    %z = scf.for %j = %c0 to %c5 step %step iter_args(%g = %h) -> tensor<3xf32> {
      %s = arith.addf %g, %x : tensor<3xf32>
      scf.yield %s : tensor<3xf32>
    }
    scf.yield %z : tensor<3xf32>
  }
  return %y : tensor<3xf32>
}
func.func @branch(%x: tensor<3xf32>, %n: tensor<i64>, %c: tensor<i1>) -> tensor<3xf32> {
  %step = func.call @index(%n) : (tensor<i64>) -> index
  %taken = tensor.extract %c[] : tensor<i1>
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %y = scf.if %taken -> tensor<3xf32> {
    %z = scf.for %j = %c0 to %c5 step %step iter_args(%g = %x) -> tensor<3xf32> {
      %s = arith.addf %g, %x : tensor<3xf32>
      scf.yield %s : tensor<3xf32>
    }
    scf.yield %z : tensor<3xf32>
  } else {
    scf.yield %x : tensor<3xf32>
  }
  return %y : tensor<3xf32>
}
func.func @narrow(%x: tensor<3xf32>, %n: tensor<i8>) -> tensor<3xf32> {
  %step = tensor.extract %n[] : tensor<i8>
  %c0 = arith.constant 0 : i8
  %c5 = arith.constant 5 : i8
  %y = scf.for %i = %c0 to %c5 step %step iter_args(%h = %x) -> tensor<3xf32> : i8 {
    %s = arith.addf %h, %x : tensor<3xf32>
    scf.yield %s : tensor<3xf32>
  }
  return %y : tensor<3xf32>
}
func.func @unsigned(%x: tensor<3xf32>, %n: tensor<i64>) -> tensor<3xf32> {
  %step = tensor.extract %n[] : tensor<i64>
  %c0 = arith.constant 0 : i64
  %c5 = arith.constant 5 : i64
  %y = scf.for unsigned %i = %c0 to %c5 step %step iter_args(%h = %x) -> tensor<3xf32> : i64 {
    %s = arith.addf %h, %x : tensor<3xf32>
    scf.yield %s : tensor<3xf32>
  }
  return %y : tensor<3xf32>
}
func.func @element(%x: tensor<3xf32>, %n: tensor<3xi64>) -> tensor<3xf32> {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %e = tensor.empty() : tensor<3xf32>
  %y = linalg.generic #elements ins(%x, %n : tensor<3xf32>, tensor<3xi64>) outs(%e : tensor<3xf32>) {
  ^bb0(%a: f32, %s: i64, %o: f32):
    %step = arith.index_cast %s : i64 to index
    %r = scf.for %i = %c0 to %c5 step %step iter_args(%h = %a) -> f32 {
      %t = arith.addf %h, %a : f32
      scf.yield %t : f32
    }
    linalg.yield %r : f32
  } -> tensor<3xf32>
  return %y : tensor<3xf32>
}
"""


def test_steps() -> None:
    """A step that is 0, or negative, is an error before the loop."""
    x = np.array([1, 2, 3], np.float32)
    at = r" in 'scf.for' at .*:\d+:\d+"
    for configuration, model in configurations(LOOPS):
        model.initialize()
        for step, runs in ((1, 5), (2, 3), (5, 1), (2**62, 1)):
            expect_close(f"{configuration} loop {step}", model.run("loop", x, number(step)), x * (runs + 1))
            expect_close(f"{configuration} branch {step}", model.run("branch", x, number(step), np.array(True)),
                         x * (runs + 1))
            inner = sum(-(-i // step) for i in range(5))
            expect_close(f"{configuration} twice {step}", model.run("twice", x, number(step)),
                         x * (1 + 5 * runs + inner))
        # Nothing wraps: neither the step nor how far it is.
        for lower, upper, step, runs in ((5, 10, 2**63 - 1, 1), (5, 10, 5, 1), (5, 10, 4, 2), (10, 10, 3, 0),
                                         (10, 5, 2**63 - 1, 0), (-7, 8, 2**63 - 1, 1), (-7, 8, 5, 3),
                                         (-(2**63), 2**62, 2**62, 3), (2**63 - 5, 2**63 - 1, 2**62, 1)):
            found = model.run("far", x, number(step), number(lower), number(upper))
            expect_close(f"{configuration} {lower} {upper} {step}", found, x * (runs + 1))
        expect_close(configuration, model.run("narrow", x, np.array(3, np.int8)), x * 3)
        expect_close(configuration, model.run("unsigned", x, number(-1)), x * 2)
        expect_close(configuration, model.run("inside", x, number(5)), x * (1 + 1 + 2 + 2 + 3 + 5))
        expect_close(configuration, model.run("element", x, np.array([1, 2, 9], np.int64)), x * np.array([6, 4, 2]))
        count = model["count"]
        for step in (0, -1, -(2**63)):
            found = f"expected a step of 1 or more, found {step}{at}"
            for name in ("loop", "twice"):
                expect_error(f"{configuration} {name} {step}", found, lambda: model.run(name, x, number(step)))
            expect_error(f"{configuration} branch {step}", found,
                         lambda: model.run("branch", x, number(step), np.array(True)))
            expect_equal(configuration, model.run("branch", x, number(step), np.array(False)), x)
        expect_error(configuration, f"expected a step of 1 or more, found -128{at}",
                     lambda: model.run("narrow", x, np.array(-128, np.int8)))
        expect_error(configuration, f"expected a step of 1 or more, found 0{at}",
                     lambda: model.run("unsigned", x, number(0)))
        expect_error(configuration, f"expected a step of 1 or more, found 0{at}",
                     lambda: model.run("inside", x, number(4)))
        # A step that is known inside of a body only is not named.
        expect_error(configuration, f"expected a step of 1 or more{at}",
                     lambda: model.run("element", x, np.array([1, 0, 2], np.int64)))
        expect_equal(configuration, model["count"], count)


def test_constant_steps() -> None:
    """The same of constants is an error of the compiler."""
    for step, made in (("%c0", 0), ("%low", -1), ("%same", 0)):
        text = f"""
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {{
  %c0 = arith.constant 0 : index
  %low = arith.constant -1 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %same = arith.subi %d, %d : index
  %y = scf.for %i = %c0 to %d step {step} iter_args(%h = %x) -> tensor<?xf32> {{
    %s = arith.addf %h, %x : tensor<?xf32>
    scf.yield %s : tensor<?xf32>
  }}
  return %y : tensor<?xf32>
}}
"""
        expect_error(step, rf":7:8: error: 'scf.for' op expected a step of 1 or more, found {made}\b",
                     lambda: flywheel.compile(text), flywheel.CompileError)


def test_long_constant_steps() -> None:
    """A constant step that is longer than the whole way ends the loop."""
    for step, far in ((2**63 - 2, 5), (2**62, 2**62 + 1), (2**40, 2**41 + 5)):
        text = f"""
func.func @f(%n: tensor<i64>) -> tensor<i64> {{
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %lower = arith.constant 5 : index
  %step = arith.constant {step} : index
  %n64 = tensor.extract %n[] : tensor<i64>
  %upper = arith.index_cast %n64 : i64 to index
  %count = scf.for %i = %lower to %upper step %step iter_args(%a = %c0) -> i64 {{
    %b = arith.addi %a, %c1 : i64
    scf.yield %b : i64
  }}
  %r = tensor.from_elements %count : tensor<i64>
  return %r : tensor<i64>
}}
"""
        for configuration, model in configurations(text):
            for upper in (-(2**63), 0, 5, 6, 10, far, 2**63 - 1):
                runs = max(0, -(-(upper - 5) // step))
                if runs < 10:
                    expect_equal(f"{configuration} {step} {upper}", model.run("f", number(upper)), number(runs))


run_tests([test_steps, test_constant_steps, test_long_constant_steps])
