# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""The health of a network, as ordinary results (M4), with the ops of docs/Guides/Health.md."""

import numpy as np

from configurations import configurations, expect_close, run_tests

MODEL = """
train.variable @w : tensor<3x2xf32> = #train.constant<dense<[1.0, -1.0, 0.5, 2.0, -1.0, 0.0]> : tensor<6xf32>>
train.variable @b : tensor<2xf32> = #train.constant<dense<[0.1, -0.2]> : tensor<2xf32>>

func.func @relu_health(%x: tensor<?x3xf32>) -> (tensor<f32>, tensor<f32>) {
  %w = train.read @w : tensor<3x2xf32>
  %b = train.read @b : tensor<2xf32>
  %z = nn.dense %x, %w, %b : (tensor<?x3xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  %h = nn.relu %z : tensor<?x2xf32>
  // Units that are 0 for the whole batch.
  %largest = nn.reduce max %h axes [0] : tensor<?x2xf32> -> tensor<2xf32>
  %none = arith.constant dense<0.0> : tensor<2xf32>
  %is_dead = arith.cmpf oeq, %largest, %none : tensor<2xf32>
  %dead_units = arith.uitofp %is_dead : tensor<2xi1> to tensor<2xf32>
  %dead = nn.reduce mean %dead_units axes [0] : tensor<2xf32> -> tensor<f32>
  // Elements that are 0.
  %zero = arith.constant dense<0.0> : tensor<f32>
  %zeros = nn.broadcast %zero dims [] like %h : (tensor<f32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  %is_zero = arith.cmpf oeq, %h, %zeros : tensor<?x2xf32>
  %elements = arith.uitofp %is_zero : tensor<?x2xi1> to tensor<?x2xf32>
  %share = nn.reduce mean %elements axes [0, 1] : tensor<?x2xf32> -> tensor<f32>
  return %dead, %share : tensor<f32>, tensor<f32>
}

func.func @saturation(%x: tensor<6xf32>) -> (tensor<f32>, tensor<f32>) {
  %t = math.tanh %x : tensor<6xf32>
  %size = math.absf %t : tensor<6xf32>
  %high = arith.constant dense<0.99> : tensor<6xf32>
  %is_large = arith.cmpf ogt, %size, %high : tensor<6xf32>
  %large = arith.uitofp %is_large : tensor<6xi1> to tensor<6xf32>
  %of_tanh = nn.reduce mean %large axes [0] : tensor<6xf32> -> tensor<f32>
  %s = nn.sigmoid %x : tensor<6xf32>
  %low = arith.constant dense<0.01> : tensor<6xf32>
  %is_above = arith.cmpf ogt, %s, %high : tensor<6xf32>
  %is_below = arith.cmpf olt, %s, %low : tensor<6xf32>
  %is_outside = arith.ori %is_above, %is_below : tensor<6xi1>
  %outside = arith.uitofp %is_outside : tensor<6xi1> to tensor<6xf32>
  %of_sigmoid = nn.reduce mean %outside axes [0] : tensor<6xf32> -> tensor<f32>
  return %of_tanh, %of_sigmoid : tensor<f32>, tensor<f32>
}

func.func @gradient_norms(%x: tensor<?x3xf32>) -> (tensor<f32>, tensor<f32>) {
  %w = train.read @w : tensor<3x2xf32>
  %b = train.read @b : tensor<2xf32>
  %z = nn.dense %x, %w, %b : (tensor<?x3xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  %h = nn.relu %z : tensor<?x2xf32>
  %loss = nn.l2_loss %h : tensor<?x2xf32> -> tensor<f32>
  %dw, %db = train.gradient %loss wrt %w, %b
      : (tensor<f32>, tensor<3x2xf32>, tensor<2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>)
  %w_squares = arith.mulf %dw, %dw : tensor<3x2xf32>
  %w_sum = nn.reduce sum %w_squares axes [0, 1] : tensor<3x2xf32> -> tensor<f32>
  %w_norm = math.sqrt %w_sum : tensor<f32>
  %b_squares = arith.mulf %db, %db : tensor<2xf32>
  %b_sum = nn.reduce sum %b_squares axes [0] : tensor<2xf32> -> tensor<f32>
  %b_norm = math.sqrt %b_sum : tensor<f32>
  return %w_norm, %b_norm : tensor<f32>, tensor<f32>
}

// Whether the gradient of each variable vanishes or explodes.
func.func @gradient_flags(%x: tensor<?x3xf32>, %scale: tensor<f32>)
    -> (tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>) {
  %w = train.read @w : tensor<3x2xf32>
  %b = train.read @b : tensor<2xf32>
  %z = nn.dense %x, %w, %b : (tensor<?x3xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  %h = nn.relu %z : tensor<?x2xf32>
  %l2 = nn.l2_loss %h : tensor<?x2xf32> -> tensor<f32>
  %loss = arith.mulf %l2, %scale : tensor<f32>
  %dw, %db = train.gradient %loss wrt %w, %b
      : (tensor<f32>, tensor<3x2xf32>, tensor<2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>)
  %w_squares = arith.mulf %dw, %dw : tensor<3x2xf32>
  %w_sum = nn.reduce sum %w_squares axes [0, 1] : tensor<3x2xf32> -> tensor<f32>
  %w_norm = math.sqrt %w_sum : tensor<f32>
  %b_squares = arith.mulf %db, %db : tensor<2xf32>
  %b_sum = nn.reduce sum %b_squares axes [0] : tensor<2xf32> -> tensor<f32>
  %b_norm = math.sqrt %b_sum : tensor<f32>
  %low = arith.constant dense<1.0e-7> : tensor<f32>
  %high = arith.constant dense<1.0e3> : tensor<f32>
  // Not "is less": a NaN explodes.
  %w_vanishes = arith.cmpf olt, %w_norm, %low : tensor<f32>
  %w_explodes = arith.cmpf ugt, %w_norm, %high : tensor<f32>
  %b_vanishes = arith.cmpf olt, %b_norm, %low : tensor<f32>
  %b_explodes = arith.cmpf ugt, %b_norm, %high : tensor<f32>
  return %w_vanishes, %w_explodes, %b_vanishes, %b_explodes : tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>
}
"""

X = np.array([[1, 2, 3], [4, 5, 6]], np.float32)


def test_health() -> None:
    """M4: X1's layer has no dead unit, and a quarter of its elements are 0."""
    for _, model in configurations(MODEL):
        model.initialize()
        dead, share = model.run("relu_health", X)
        expect_close("dead", dead, np.float32(0))
        expect_close("share", share, np.float32(0.25))
        dead, share = model.run("relu_health", X[:1])
        expect_close("dead", dead, np.float32(0.5))
        expect_close("share", share, np.float32(0.5))


def test_saturation() -> None:
    """M4: |tanh| above 0.99, sigmoid outside of [0.01, 0.99]."""
    x = np.array([-5, -3, -2, 0, 2.7, 4.7], np.float32)
    tanh = np.mean(np.abs(np.tanh(x)) > 0.99, dtype=np.float32)
    sigmoid = 1 / (1 + np.exp(-x))
    outside = np.mean((sigmoid > 0.99) | (sigmoid < 0.01), dtype=np.float32)
    assert (tanh, outside) == (np.float32(4 / 6), np.float32(2 / 6))
    for _, model in configurations(MODEL):
        model.initialize()
        of_tanh, of_sigmoid = model.run("saturation", x)
        expect_close("tanh", of_tanh, tanh)
        expect_close("sigmoid", of_sigmoid, outside)


def test_gradient_norms() -> None:
    """M4: the norm of the gradient of each variable."""
    w = np.array([[1, -1], [0.5, 2], [-1, 0]], np.float32)
    b = np.array([0.1, -0.2], np.float32)
    h = np.maximum(X @ w + b, 0)
    for _, model in configurations(MODEL):
        model.initialize()
        of_w, of_b = model.run("gradient_norms", X)
        expect_close("w", of_w, np.linalg.norm(X.T @ h).astype(np.float32))
        expect_close("b", of_b, np.linalg.norm(h.sum(0)).astype(np.float32))


def test_gradient_flags() -> None:
    """M4: with X1's layer the norms are 25.6 and 6.4: one flag for each variable and limit."""
    w = np.array([[1, -1], [0.5, 2], [-1, 0]], np.float32)
    h = np.maximum(X @ w + np.array([0.1, -0.2], np.float32), 0)
    of_w, of_b = np.linalg.norm(X.T @ h), np.linalg.norm(h.sum(0))
    assert of_w > 3 * of_b, (of_w, of_b)
    # As it is; only the larger explodes, then both; only the smaller vanishes, then both.
    between_high, between_low = 1e3 / np.sqrt(of_w * of_b), 1e-7 / np.sqrt(of_w * of_b)
    cases = [(1.0, (0, 0, 0, 0)), (between_high, (0, 1, 0, 0)), (1e3, (0, 1, 0, 1)), (between_low, (0, 0, 1, 0)),
             (1e-12, (1, 0, 1, 0)), (np.nan, (0, 1, 0, 1))]
    for _, model in configurations(MODEL):
        model.initialize()
        for scale, flags in cases:
            found = model.run("gradient_flags", X, np.array(scale, np.float32))
            assert tuple(int(flag) for flag in found) == flags, (scale, found)


run_tests([test_health, test_saturation, test_gradient_norms, test_gradient_flags])
