# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The step of docs/LeastSquares.md that returns the regularizer of the next: a line through points.
import numpy as np

import flywheel

session = flywheel.Session(
    flywheel.compile("""
train.variable @w : tensor<2xf64> = dense<0.0> : tensor<2xf64>
func.func @step(%x: tensor<?x2xf64>, %y: tensor<?xf64>, %regularizer: tensor<f64>)
    -> (tensor<f64>, tensor<1xi1>, tensor<1xf64>) {
  %objective, %objectives, %accepted, %regularizers = train.least_squares over [@w] max_iterations 1
      regularizer %regularizer on_failure reject history
      : (tensor<f64>) -> (tensor<f64>, tensor<1xf64>, tensor<1xi1>, tensor<1xf64>) {
    %w = train.read @w : tensor<2xf64>
    %found = linalg.matvec ins(%x, %w : tensor<?x2xf64>, tensor<2xf64>) outs(%y : tensor<?xf64>) -> tensor<?xf64>
    train.residuals %found : tensor<?xf64>
  }
  return %objective, %accepted, %regularizers : tensor<f64>, tensor<1xi1>, tensor<1xf64>
}
""")
)
session.initialize(seed=1)
x = np.stack([np.ones(20), np.linspace(-1.0, 1.0, 20)], 1)
y = x @ np.array([-2.0, 3.0])


def check():
    np.testing.assert_allclose(session["w"], [2.0, -3.0], rtol=1e-6)
