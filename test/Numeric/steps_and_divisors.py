# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Loops end, and affine ops divide, by numbers of 1 or more: others are errors,
and a step that finds one changes nothing (S3)."""

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
    """A step that is 0, or negative, is an error in front of the loop."""
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
        # What is known inside of a loop or a body alone is not named.
        expect_error(configuration, f"expected a step of 1 or more{at}", lambda: model.run("inside", x, number(4)))
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


AFFINE = """
func.func @apply(%n: tensor<i64>, %d: tensor<i64>) -> (tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) {
  %a = tensor.extract %n[] : tensor<i64>
  %b = tensor.extract %d[] : tensor<i64>
  %i = arith.index_cast %a : i64 to index
  %s = arith.index_cast %b : i64 to index
  %0 = affine.apply affine_map<(i)[s] -> (i floordiv s)>(%i)[%s]
  %1 = affine.apply affine_map<(i)[s] -> (i ceildiv s)>(%i)[%s]
  %2 = affine.apply affine_map<(i)[s] -> (i mod s)>(%i)[%s]
  %3 = affine.max affine_map<(i)[s] -> (i floordiv s, i mod s, 2)>(%i)[%s]
  %4 = arith.index_cast %0 : index to i64
  %5 = arith.index_cast %1 : index to i64
  %6 = arith.index_cast %2 : index to i64
  %7 = arith.index_cast %3 : index to i64
  %8 = tensor.from_elements %4 : tensor<i64>
  %9 = tensor.from_elements %5 : tensor<i64>
  %10 = tensor.from_elements %6 : tensor<i64>
  %11 = tensor.from_elements %7 : tensor<i64>
  return %8, %9, %10, %11 : tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>
}
func.func @nested(%n: tensor<i64>, %d: tensor<i64>) -> tensor<i64> {
  %a = tensor.extract %n[] : tensor<i64>
  %b = tensor.extract %d[] : tensor<i64>
  %i = arith.index_cast %a : i64 to index
  %s = arith.index_cast %b : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %j = %c0 to %c4 step %c1 iter_args(%h = %c0) -> index {
    %q = affine.apply affine_map<(i, j)[s] -> ((i + j) floordiv s)>(%i, %j)[%s]
    %m = affine.apply affine_map<(i, q) -> (i + q * 2)>(%i, %q)
    %t = arith.addi %h, %m : index
    scf.yield %t : index
  }
  %u = arith.index_cast %r : index to i64
  %v = tensor.from_elements %u : tensor<i64>
  return %v : tensor<i64>
}
"""


def test_divisors() -> None:
    """An affine division by a number of the step: by one below 1 it has no value."""
    at = r" in 'affine\.\w+' at .*:\d+:\d+"
    for configuration, model in configurations(AFFINE):
        for n in (-9, -8, -1, 0, 1, 7, 8, 100):
            for d in (1, 3, 4, 1000):
                found = model.run("apply", number(n), number(d))
                expected = (n // d, -(-n // d), n % d, max(n // d, n % d, 2))
                for one, value in zip(found, expected):
                    expect_equal(f"{configuration} {n} {d}", one, number(value))
                expect_equal(f"{configuration} {n} {d}", model.run("nested", number(n), number(d)),
                             number(sum(n + (n + j) // d * 2 for j in range(4))))
        for d in (0, -1, -(2**63)):
            expect_error(f"{configuration} {d}", f"expected a divisor of 1 or more, found {d}{at}",
                         lambda: model.run("apply", number(7), number(d)))
            expect_error(f"{configuration} {d}", f"expected a divisor of 1 or more{at}",
                         lambda: model.run("nested", number(7), number(d)))


SLICES = """
func.func @one(%x: tensor<?xf32>) -> tensor<1xf32> {
  %0 = tensor.extract_slice %x[0] [1] [2] : tensor<?xf32> to tensor<1xf32>
  return %0 : tensor<1xf32>
}
func.func @some(%x: tensor<?xf32>, %n: tensor<i64>, %s: tensor<i64>) -> tensor<f32> {
  %a = tensor.extract %n[] : tensor<i64>
  %b = tensor.extract %s[] : tensor<i64>
  %count = arith.index_cast %a : i64 to index
  %stride = arith.index_cast %b : i64 to index
  %0 = tensor.extract_slice %x[1] [%count] [%stride] : tensor<?xf32> to tensor<?xf32>
  %1 = nn.reduce sum %0 axes [0] : tensor<?xf32> -> tensor<f32>
  return %1 : tensor<f32>
}
"""


def test_slices() -> None:
    """A slice reads up to its last position, which a single one has at its offset."""
    for configuration, model in configurations(SLICES):
        for size in range(1, 9):
            x = np.arange(1, size + 1, dtype=np.float32)
            expect_equal(configuration, model.run("one", x), x[:1])
            for count in range(1, 5):
                for stride in (-9, -2, -1, 1, 2, 3, 100, 2**62):
                    last = 1 + (count - 1) * stride
                    if size > 1 and 0 <= last < size:
                        expected = sum(x[1 + i * stride] for i in range(count))
                        expect_close(f"{configuration} {size} {count} {stride}",
                                     model.run("some", x, number(count), number(stride)), np.float32(expected))
                    else:
                        expect_error(f"{configuration} {size} {count} {stride}",
                                     "slice out of range of dimension 0 in 'tensor.extract_slice'",
                                     lambda: model.run("some", x, number(count), number(stride)))
        expect_error(configuration, "slice out of range of dimension 0 in 'tensor.extract_slice'",
                     lambda: model.run("one", np.zeros(0, np.float32)))


run_tests([test_steps, test_constant_steps, test_divisors, test_slices])
