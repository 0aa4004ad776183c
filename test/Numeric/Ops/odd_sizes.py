# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""O28, T12: products whose sizes fill no tile, with what is computed in their tiles, against numpy in f64.

The last tile of rows or columns starts within the one before: what both have is computed twice, and an update in
place is not to be applied twice, by one worker or by several.
"""

from typing import Any, Dict

import numpy as np
from numpy.typing import NDArray

from configurations import IN_PROCESS, configurations, expect_close, run_tests

Array = NDArray[Any]
RATE, MOMENTUM = 0.5, 0.75


def program(batch: int, inputs: int, inner: int, outputs: int, element: str, optimizer: str) -> str:
    def kind(*shape: int) -> str:
        return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"

    x, h, y = kind(batch, inputs), kind(batch, inner), kind(batch, outputs)
    w, b, v = kind(inputs, inner), kind(inner), kind(inner, outputs)
    return f"""
train.variable @w : {w} = #train.zeros
train.variable @b : {b} = #train.zeros
train.variable @v : {v} = #train.zeros
func.func @step(%x: {x}, %t: {y}) -> (tensor<{element}>, {x}) {{
  %w = train.read @w : {w}
  %b = train.read @b : {b}
  %v = train.read @v : {v}
  %a = nn.dense %x, %w, %b : ({x}, {w}, {b}) -> {h}
  %h = nn.relu %a : {h}
  %y = nn.dense %h, %v : ({h}, {v}) -> {y}
  %d = arith.subf %y, %t : {y}
  %l = nn.l2_loss %d : {y} -> tensor<{element}>
  %dx = train.gradient %l wrt %x : (tensor<{element}>, {x}) -> {x}
  train.minimize %l : tensor<{element}> with #train.{optimizer}
  return %l, %dx : tensor<{element}>, {x}
}}
"""


class Expected:
    """The same steps in numpy."""

    def __init__(self, values: Dict[str, Array], momentum: float) -> None:
        self.values = {name: value.astype(np.float64) for name, value in values.items()}
        self.slots = {name: np.zeros(value.shape) for name, value in values.items()}
        self.momentum = momentum

    def step(self, x: Array, t: Array) -> Array:
        """Updates the values; the gradient by x."""
        w, b, v = (self.values[name] for name in "wbv")
        a = x @ w + b
        h = np.maximum(a, 0)
        dy = h @ v - t
        da = dy @ v.T * (a > 0)
        for name, gradient in (("w", x.T @ da), ("b", da.sum(0)), ("v", h.T @ dy)):
            self.slots[name] = self.momentum * self.slots[name] + gradient
            self.values[name] = self.values[name] - RATE * self.slots[name]
        dx: Array = da @ w.T
        return dx


def check(batch: int, inputs: int, inner: int, outputs: int, element: str, momentum: float) -> None:
    rng = np.random.default_rng(1)
    dtype = {"f32": np.float32, "f64": np.float64}[element]
    optimizer = f"momentum<lr = {RATE}, momentum = {momentum}>" if momentum else f"gradient_descent<lr = {RATE}>"
    values = {
        "w": rng.standard_normal((inputs, inner)) / inputs,
        "b": rng.standard_normal(inner) / 8,
        "v": rng.standard_normal((inner, outputs)) / inner,
    }
    values = {name: value.astype(dtype) for name, value in values.items()}
    x = (rng.standard_normal((batch, inputs)) / batch).astype(dtype)
    t = (rng.standard_normal((batch, outputs)) / batch).astype(dtype)
    text = program(batch, inputs, inner, outputs, element, optimizer)
    for configuration, model in configurations(text, (*IN_PROCESS, "object", "workers", "threads")):
        model.initialize()
        for name, value in values.items():
            model[name] = value
        expected = Expected(values, momentum)
        for step in range(2):
            _, dx = model.run("step", x, t)
            about = f"{configuration} {batch}x{inputs}x{inner}x{outputs} {element} step {step}"
            scale = 2e-5 if element == "f32" else 1e-12
            wanted = expected.step(x.astype(np.float64), t.astype(np.float64))
            expect_close(f"{about} dx", dx, wanted, scale * float(np.max(np.abs(wanted))))
            for name, value in expected.values.items():
                expect_close(f"{about} {name}", model[name], value, scale * float(np.max(np.abs(value))))


def test_sizes() -> None:
    # Tiles of 14 x 32 and 12 x 32 of f32, and half as wide ones of f64, with whole rows, whole columns, or neither.
    check(97, 130, 191, 223, "f32", MOMENTUM)
    check(97, 129, 255, 95, "f32", 0)
    check(112, 97, 127, 224, "f32", MOMENTUM)
    check(97, 66, 111, 127, "f64", MOMENTUM)
    # Weights that exceed the second cache, whose columns are in tiles of tiles.
    check(24, 640, 2047, 33, "f32", MOMENTUM)


if __name__ == "__main__":
    run_tests([test_sizes])
