# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Integer divisions wrap (V3), and change nothing if they are by zero (S3); those of affine ops."""

from typing import Any

import numpy as np

from configurations import configurations, expect_equal, expect_error, run_tests


def number(value: int) -> Any:
    return np.array(value, np.int64)


def test_divisions() -> None:
    """Quotients and remainders of C, with the smallest number by -1; zero is an error."""
    for bits in (8, 16, 32, 64):
        kind = f"tensor<?xi{bits}>"
        text = f"""
train.variable @count : tensor<i32> = #train.zeros
func.func @divide(%x: {kind}, %y: {kind}) -> ({kind}, {kind}, {kind}, {kind}) {{
  %one = arith.constant dense<1> : tensor<i32>
  train.assign_add @count, %one : tensor<i32>
  %q = arith.divsi %x, %y : {kind}
  %r = arith.remsi %x, %y : {kind}
  %u = arith.divui %x, %y : {kind}
  %v = arith.remui %x, %y : {kind}
  return %q, %r, %u, %v : {kind}, {kind}, {kind}, {kind}
}}
"""
        dtype, unsigned = np.dtype(f"int{bits}"), np.dtype(f"uint{bits}")
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        x = np.array([7, -7, 7, -7, low, low, high, 0, 100, 5, -1, low], dtype)
        y = np.array([2, 2, -2, -2, -1, 1, -1, 5, 7, 100, -1, low], dtype)
        exact = [abs(int(a)) // abs(int(b)) * (1 if (a < 0) == (b < 0) else -1) for a, b in zip(x, y)]
        quotient = np.array([(q - low) % 2**bits + low for q in exact], dtype)
        remainder = np.array([int(a) - int(b) * q for a, b, q in zip(x, y, exact)], dtype)
        ux, uy = x.view(unsigned), y.view(unsigned)
        for configuration, model in configurations(text):
            model.initialize()
            found = model.run("divide", x, y)
            for one, expected in zip(found, (quotient, remainder, (ux // uy).view(dtype), (ux % uy).view(dtype))):
                expect_equal(f"{configuration} i{bits}", one, expected)
            bad = y.copy()
            bad[-1] = 0
            expect_error(configuration, "division by zero in 'arith.divsi'", lambda: model.run("divide", x, bad))
            expect_equal(configuration, model["count"], np.array(1, np.int32))


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
            expect_error(f"{configuration} {d}", f"expected a divisor of 1 or more, found {d}{at}",
                         lambda: model.run("nested", number(7), number(d)))


run_tests([test_divisions, test_divisors])
