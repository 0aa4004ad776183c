# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Conjugate gradients of `train.least_squares` end where only rounding is left (L12)."""

from typing import Tuple

import numpy as np

import flywheel
from configurations import run_tests


def problem(shape: Tuple[int, int], element: str, iterations: int) -> str:
    m, n = shape
    return f"""
func.func @fit(%s: tensor<{n}x{element}>, %a: tensor<{m}x{n}x{element}>, %y: tensor<{m}x{element}>)
    -> (tensor<{element}>, tensor<{n}x{element}>) {{
  %o, %x = train.least_squares %s max_iterations 1 regularizer 0.0 solver cg cg_iterations {iterations} cg_tolerance 0.0
      : (tensor<{n}x{element}>) -> (tensor<{element}>, tensor<{n}x{element}>) {{
  ^bb0(%v: tensor<{n}x{element}>):
    %c = tensor.expand_shape %v [[0, 1]] output_shape [{n}, 1] : tensor<{n}x{element}> into tensor<{n}x1x{element}>
    %p = nn.matmul %a, %c : (tensor<{m}x{n}x{element}>, tensor<{n}x1x{element}>) -> tensor<{m}x1x{element}>
    %q = tensor.collapse_shape %p [[0, 1]] : tensor<{m}x1x{element}> into tensor<{m}x{element}>
    %r = arith.subf %q, %y : tensor<{m}x{element}>
    train.residuals %r : tensor<{m}x{element}>
  }}
  return %o, %x : tensor<{element}>, tensor<{n}x{element}>
}}
"""


def test_more_iterations_than_the_rank() -> None:
    """L12: with a tolerance of 0 and too many iterations the step is the one of least norm, as NumPy's."""
    for dtype, element, tolerance in ((np.float32, "f32", 2e-3), (np.float64, "f64", 1e-7)):
        for shape in ((1, 2), (3, 5), (2, 7), (5, 3), (4, 4)):
            for iterations in (3, 10, 400):
                session = flywheel.Session(flywheel.compile(problem(shape, element, max(iterations, shape[0]))))
                session.initialize(1)
                for seed in range(8):
                    rng = np.random.default_rng(seed)
                    basis = np.linalg.svd(rng.standard_normal(shape), full_matrices=False)
                    # The condition is 4 at most, so that a few iterations are enough.
                    a = (basis[0] * np.linspace(1, 2, min(shape))) @ basis[2]
                    y = rng.standard_normal(shape[0])
                    expected = np.linalg.lstsq(a, y, rcond=None)[0]
                    best = 0.5 * np.sum((a @ expected - y) ** 2)
                    objective, x = session.run("fit", np.zeros(shape[1], dtype), a.astype(dtype), y.astype(dtype))
                    what = f"{element} {shape} {iterations} iterations, seed {seed}"
                    assert np.allclose(x, expected, atol=tolerance), (what, x, expected)
                    assert abs(objective - best) <= tolerance, (what, objective, best)


run_tests([test_more_iterations_than_the_rank])
