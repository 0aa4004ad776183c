# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
# RUN: env FLYWHEEL_SIM_ORDER=reversed %python %s
"""D9: Reductions as a device divides them: to one number, and such as write along a loop that reduces."""

import numpy as np

from configurations import expect_equal, make, run_tests

SUMS = """
func.func @total(%x: tensor<262144xf32>) -> tensor<f32> {
  %y = nn.reduce sum %x axes [0] : tensor<262144xf32> -> tensor<f32>
  return %y : tensor<f32>
}
func.func @totals(%x: tensor<?x64xf32>) -> tensor<f32> {
  %y = nn.reduce sum %x axes [0, 1] : tensor<?x64xf32> -> tensor<f32>
  return %y : tensor<f32>
}
func.func @running(%x: tensor<700x3xf32>) -> (tensor<700x3xf32>, tensor<3xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<700x3xf32>
  %e1 = tensor.empty() : tensor<3xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<3xf32>) -> tensor<3xf32>
  %y:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                                          affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<700x3xf32>) outs(%e0, %f1 : tensor<700x3xf32>, tensor<3xf32>) {
  ^bb0(%a: f32, %o: f32, %s: f32):
    %0 = arith.addf %s, %a : f32
    linalg.yield %0, %0 : f32, f32
  } -> (tensor<700x3xf32>, tensor<3xf32>)
  return %y#0, %y#1 : tensor<700x3xf32>, tensor<3xf32>
}
func.func @antidiagonals(%x: tensor<512x512x2xf32>) -> tensor<1023x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1023x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1023x2xf32>) -> tensor<1023x2xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i + j, k)>],
                       iterator_types = ["reduction", "reduction", "reduction"]}
      ins(%x : tensor<512x512x2xf32>) outs(%f : tensor<1023x2xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.addf %out, %a : f32
    linalg.yield %0 : f32
  } -> tensor<1023x2xf32>
  return %y : tensor<1023x2xf32>
}
"""


def test_sums() -> None:
    """Sums of whole numbers, which add up exactly in any order."""
    rng = np.random.default_rng(0)
    x, rows, columns, square = (rng.integers(-4, 5, shape).astype(np.float32)
                                for shape in ((262144,), (9000, 64), (700, 3), (512, 512, 2)))
    diagonals = np.stack([[np.trace(square[::-1, :, k], offset) for k in range(2)] for offset in range(-511, 512)])
    for configuration in ("reference", "gpu"):
        model = make(SUMS, configuration)
        model.initialize()
        expect_equal(f"{configuration} total", model.run("total", x), x.sum())
        expect_equal(f"{configuration} totals", model.run("totals", rows), rows.sum())
        running, last = model.run("running", columns)
        expect_equal(f"{configuration} running", running, columns.cumsum(0))
        expect_equal(f"{configuration} last", last, columns.sum(0))
        expect_equal(f"{configuration} antidiagonals", model.run("antidiagonals", square),
                     diagonals.astype(np.float32))


run_tests([test_sums])
