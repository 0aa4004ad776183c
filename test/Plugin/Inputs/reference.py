# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradient descent of toy.mlir in NumPy, in double precision. As a program, compares the losses of five steps with the
last number of each line of a file."""

import sys
from typing import Any, Tuple

import numpy as np

X = np.array([[1.0, 2.0, 3.0], [0.5, -1.0, 2.0]], np.float32)
Y = np.array([[0.2, -0.3], [0.1, 0.4]], np.float32)
W = np.array([[0.5, -1.0], [0.25, 2.0], [-1.5, 1.0]], np.float32)


def train(steps: int) -> Tuple[Any, Any]:
    """Returns the losses of the steps, and w after them."""
    x, y, w, losses = X.astype(float), Y.astype(float), W.astype(float), []
    for _ in range(steps):
        z = x @ w
        below = 1 + np.abs(z)
        error = z / below - y
        losses.append(np.mean(error**2))
        w = w - 0.5 * x.T @ (2 * error / error.size / below**2)
    return np.array(losses), w


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        found = np.array([float(line.split()[-1]) for line in file if line.strip()])
    np.testing.assert_allclose(found, train(5)[0], rtol=1e-5)
    print("the losses are right")
