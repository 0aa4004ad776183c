# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""linalg.softmax over each dimension, and its gradient, are those of NumPy."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from configurations import configurations, run_tests

Array = NDArray[Any]


def program(dimension: int) -> str:
    kind = "tensor<?x3x4xf64>"
    op = (f"  %y = linalg.softmax dimension({dimension}) ins(%x : {kind}) outs(%o : {kind}) -> {kind}\n"
          f"  %p = arith.mulf %y, %w : {kind}\n  %l = nn.reduce sum %p axes [0, 1, 2] : {kind} -> tensor<f64>\n")
    args = f"%x: {kind}, %o: {kind}, %w: {kind}"
    return (f"func.func @value{dimension}({args}) -> {kind} {{\n{op}  return %y : {kind}\n}}\n"
            f"func.func @gradient{dimension}({args}) -> {kind} {{\n{op}"
            f"  %g = train.gradient %l wrt %x : (tensor<f64>, {kind}) -> {kind}\n  return %g : {kind}\n}}\n")


def test_softmax() -> None:
    rng = np.random.default_rng(0)
    text = "".join(program(dimension) for dimension in range(3))
    for _, model in configurations(text):
        model.initialize()
        for batch in (1, 5):
            x, o, w = (rng.standard_normal((batch, 3, 4)) for _ in range(3))
            # Large enough for exp to overflow without the maximum.
            x[0, 0, 0] = 1000.0
            for dimension in range(3):
                power = np.exp(x - x.max(dimension, keepdims=True))
                y = power / power.sum(dimension, keepdims=True)
                np.testing.assert_allclose(model.run(f"value{dimension}", x, o, w), y, rtol=1e-13, atol=1e-15)
                gradient = y * (w - (y * w).sum(dimension, keepdims=True))
                np.testing.assert_allclose(model.run(f"gradient{dimension}", x, o, w), gradient, rtol=1e-12,
                                           atol=1e-14)


run_tests([test_softmax])
