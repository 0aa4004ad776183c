# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Integer divisions: V3 (they wrap), S3 (by zero nothing changes)."""

import numpy as np

from configurations import configurations, expect_equal, expect_error, run_tests


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


run_tests([test_divisions])
