# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Steps that stop at the first NaN or infinity (M4)."""

from typing import Callable

import numpy as np

import flywheel
from configurations import expect_equal, run_tests

MODEL = """train.variable @w : tensor<3xf32> = #train.ones
func.func @step(%x: tensor<?x3xf32>) -> tensor<f32> {
  %w = train.read @w : tensor<3xf32>
  %v = nn.mul %x, %w : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  %y = math.log %v : tensor<?x3xf32>
  %loss = nn.reduce sum %y axes [0, 1] : tensor<?x3xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 1.0>
  return %loss : tensor<f32>
}
func.func @root(%x: tensor<3xf32>) -> tensor<f32> {
  %w = train.read @w : tensor<3xf32>
  %v = arith.mulf %x, %w : tensor<3xf32>
  %y = math.sqrt %v : tensor<3xf32>
  %loss = nn.reduce sum %y axes [0] : tensor<3xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 1.0>
  return %loss : tensor<f32>
}
func.func @loop(%x: tensor<3xf32>) -> tensor<3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %y = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %x) -> tensor<3xf32> {
    %b = arith.mulf %a, %a : tensor<3xf32>
    scf.yield %b : tensor<3xf32>
  }
  train.assign @w, %y : tensor<3xf32>
  return %y : tensor<3xf32>
}
func.func @losses(%x: tensor<?x3xf32>, %z: tensor<?x3xf32>) -> (tensor<f32>, tensor<f32>, tensor<?x3xf32>) {
  %s = nn.softmax %x : tensor<?x3xf32>
  %e = nn.softmax_cross_entropy %x, %z : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<f32>
  %g = nn.gelu %x : tensor<?x3xf32>
  %b = nn.sigmoid_cross_entropy %g, %z : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<f32>
  %total = arith.addf %e, %b : tensor<f32>
  %dx = train.gradient %total wrt %x : (tensor<f32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  return %e, %b, %dx : tensor<f32>, tensor<f32>, tensor<?x3xf32>
}
"""


def expect_failure(text: str, action: Callable[[], object]) -> None:
    try:
        action()
    except flywheel.InvalidArgumentError as error:
        assert text in str(error), error
    else:
        raise AssertionError(text)


def row(*numbers: float) -> "np.ndarray[tuple[int, ...], np.dtype[np.float32]]":
    return np.array(numbers, np.float32)


def check(lowering: str) -> None:
    program = flywheel.compile(flywheel.parse(MODEL, name="m.mlir"), lowering=lowering, check_numerics=True)
    session = flywheel.Session(program)
    session.initialize(1)
    step, root, loop = (session.entry(name) for name in ("step", "root", "loop"))
    message = "expected finite numbers, found NaN or infinity in "
    # M4: the first op, its place; and nothing has changed.
    expect_failure(message + "'math.log' at m.mlir:5:8", lambda: step(np.stack([row(1, 2, 3), row(4, 0, 5)])))
    expect_failure(message + "'math.log' at m.mlir:5:8", lambda: step(row(1, -2, 3)[None]))
    expect_failure("expected finite numbers in feed 'x'", lambda: step(row(1, np.nan, 3)[None]))
    expect_failure("expected finite numbers in the gradient, found NaN or infinity in 'math.sqrt' at m.mlir:13:8",
                   lambda: root(row(1, 0, 4)))
    expect_failure(message + "'arith.mulf' at m.mlir:23:10", lambda: loop(row(1, 9, 1)))
    expect_equal("w", session["w"], row(1, 1, 1))
    # Finite numbers go through.
    assert np.isclose(step(row(1, 2, 4)[None]), np.log(8))
    expect_equal("w", session["w"], row(0, 0, 0))
    session["w"] = row(1, np.inf, 1)
    expect_failure(message + "'train.read' at m.mlir:3:8", lambda: step(row(1, 2, 4)[None]))
    assert np.isfinite(loop(row(1, 0.5, -1))).all()
    # Large numbers, which ops take care of.
    large = np.stack([row(1e4, -1e4, 0), row(-80, 80, 3e4)])
    for result in session.entry("losses")(large, np.abs(np.sign(large))):
        assert np.isfinite(result).all(), result


def test_check_numerics() -> None:
    """M4: what is not finite is named, in both lowerings."""
    for lowering in ("reference", "optimized"):
        check(lowering)


def test_without() -> None:
    """M4: without the option, numbers are what they are."""
    session = flywheel.Session(flywheel.compile(MODEL))
    session.initialize(1)
    assert np.isneginf(session.entry("step")(row(1, 0, 3)[None]))


run_tests([test_check_numerics, test_without])
