# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""T32: layers whose activations are larger than what is kept for the backward part.

An activation of 1 MiB or more is computed again beside its gradient, and a bias, the activation after it and the values
that the gradient needs are one loop with the product: values, gradients and an update against numpy in f64, for GELU,
tanh and normalized rows, and a batch that fills no tile. Workspaces hold one large value a layer, not two.
"""

import math
from typing import Any, Tuple

import numpy as np
from numpy.typing import NDArray

from configurations import IN_PROCESS, configurations, expect_close, run_tests

Array = NDArray[Any]
EPSILON = 1e-3


def erf(x: Array) -> Array:
    return np.array([math.erf(value) for value in x.flat]).reshape(x.shape)


def activate(kind: str, h: Array) -> Tuple[Array, Array]:
    """The activation and its derivative."""
    if kind == "math.tanh":
        return np.tanh(h), 1 - np.tanh(h) ** 2
    cdf = 0.5 * (1 + erf(h / np.sqrt(2)))
    return h * cdf, cdf + h * np.exp(-h * h / 2) / np.sqrt(2 * np.pi)


def normalize(x: Array, gamma: Array, beta: Array) -> Tuple[Array, Array, Array]:
    """The normalized rows, those before gamma and beta, and one factor a row."""
    factor = 1 / np.sqrt(x.var(1, keepdims=True) + EPSILON)
    unit = (x - x.mean(1, keepdims=True)) * factor
    return unit * gamma + beta, unit, factor


def normalize_gradient(dy: Array, gamma: Array, unit: Array, factor: Array) -> Array:
    dunit = dy * gamma
    mean = dunit.mean(1, keepdims=True)
    result: Array = factor * (dunit - mean - unit * (dunit * unit).mean(1, keepdims=True))
    return result


def program(kind: str, lead: Tuple[int, ...], width: int, inner: int) -> str:
    shape = "x".join(map(str, lead))
    x, h = f"tensor<{shape}x{width}xf32>", f"tensor<{shape}x{inner}xf32>"
    wa, wb, g, b = (f"tensor<{s}xf32>" for s in (f"{width}x{inner}", f"{inner}x{width}", inner, inner))
    return f"""
train.variable @wa : {wa} = #train.zeros
train.variable @wb : {wb} = #train.zeros
train.variable @b : {b} = #train.zeros
train.variable @gamma : {g} = #train.zeros
train.variable @beta : {g} = #train.zeros
func.func @step(%x: {x}) -> tensor<f32> {{
  %wa = train.read @wa : {wa}
  %wb = train.read @wb : {wb}
  %b = train.read @b : {b}
  %gamma = train.read @gamma : {g}
  %beta = train.read @beta : {g}
  %h = nn.dense %x, %wa, %b : ({x}, {wa}, {b}) -> {h}
  %a = {kind} %h : {h}
  %n = nn.layer_norm %a gamma %gamma beta %beta axes [{len(lead)}] epsilon {EPSILON}
      : ({h}, {g}, {g}) -> {h}
  %y = nn.dense %n, %wb : ({h}, {wb}) -> {x}
  %l = nn.l2_loss %y : {x} -> tensor<f32>
  train.minimize %l : tensor<f32> with #train.gradient_descent<lr = 1.0>
  return %l : tensor<f32>
}}
"""


def test_gradients() -> None:
    rng = np.random.default_rng(1)
    for kind, lead, width, inner in (("nn.gelu", (8, 32), 24, 1100), ("math.tanh", (261,), 40, 1030)):
        rows = int(np.prod(lead))
        text = program(kind, lead, width, inner)
        values = {
            "wa": rng.standard_normal((width, inner)) / np.sqrt(width),
            "wb": rng.standard_normal((inner, width)) / inner,
            "b": rng.standard_normal(inner),
            "gamma": rng.uniform(0.5, 1.5, inner),
            "beta": rng.standard_normal(inner),
        }
        values = {name: value.astype(np.float32) for name, value in values.items()}
        x = rng.standard_normal((rows, width)).astype(np.float32)
        w = {name: value.astype(np.float64) for name, value in values.items()}
        h = x.astype(np.float64) @ w["wa"] + w["b"]
        a, slope = activate(kind, h)
        n, unit, factor = normalize(a, w["gamma"], w["beta"])
        dy = n @ w["wb"]
        dn = dy @ w["wb"].T
        dh = normalize_gradient(dn, w["gamma"], unit, factor) * slope
        gradients = {
            "wa": x.T @ dh,
            "wb": n.T @ dy,
            "b": dh.sum(0),
            "gamma": (dn * unit).sum(0),
            "beta": dn.sum(0),
        }
        for configuration, model in configurations(text, (*IN_PROCESS, "object", "workers")):
            model.initialize()
            for name, value in values.items():
                model[name] = value
            loss = model.run("step", x.reshape(*lead, width))
            expect_close(f"{configuration} {kind} loss", loss, 0.5 * np.sum(dy * dy), 1e-4)
            for name, gradient in gradients.items():
                # The update rounds to a part of the value as well.
                scale = float(np.max(np.abs(gradient)) + np.max(np.abs(w[name])))
                expect_close(f"{configuration} {kind} {name}", values[name] - model[name], gradient, 2e-5 * scale)


def test_workspace() -> None:
    """The bias and the activation of each layer share one buffer: 3 layers of 1 MiB take less than 6 MiB, with the
    gradients and a packed weight."""
    x, w, b = "tensor<256x64xf32>", "tensor<64x1024xf32>", "tensor<1024xf32>"
    lines, declared, value = [], [], "%x"
    for i in range(3):
        declared += [f"train.variable @w{i} : {w} = #train.glorot_uniform",
                     f"train.variable @v{i} : tensor<1024x64xf32> = #train.glorot_uniform",
                     f"train.variable @b{i} : {b} = #train.zeros"]  # fmt: skip
        lines += [
            f"%w{i} = train.read @w{i} : {w}",
            f"%v{i} = train.read @v{i} : tensor<1024x64xf32>",
            f"%b{i} = train.read @b{i} : {b}",
            f"%h{i} = nn.dense {value}, %w{i}, %b{i} : ({x}, {w}, {b}) -> tensor<256x1024xf32>",
            f"%a{i} = nn.gelu %h{i} : tensor<256x1024xf32>",
            f"%y{i} = nn.dense %a{i}, %v{i} : (tensor<256x1024xf32>, tensor<1024x64xf32>) -> {x}",
        ]
        value = f"%y{i}"
    body = "\n".join(lines)
    text = "\n".join(declared) + f"""
func.func @step(%x: {x}) -> tensor<f32> {{
  {body}
  %l = nn.l2_loss {value} : {x} -> tensor<f32>
  train.minimize %l : tensor<f32> with #train.gradient_descent<lr = 1.0e-3>
  return %l : tensor<f32>
}}
"""
    for configuration, model in configurations(text, ("optimized", "avx2")):
        taken = model.workspace_bytes("step")
        assert taken < 6 * 2**20, f"{configuration}: expected less than 6 MiB, found {taken}"


def test_streamed_update() -> None:
    """A weight that no cache has, of sizes that fill no tile, whose gradient is computed with its update."""
    rows, inputs, outputs = 5, 1031, 2083
    text = f"""
train.variable @w : tensor<{inputs}x{outputs}xf32> = #train.zeros
func.func @step(%x: tensor<{rows}x{inputs}xf32>, %g: tensor<{rows}x{outputs}xf32>) -> tensor<f32> {{
  %w = train.read @w : tensor<{inputs}x{outputs}xf32>
  %y = nn.dense %x, %w : (tensor<{rows}x{inputs}xf32>, tensor<{inputs}x{outputs}xf32>) -> tensor<{rows}x{outputs}xf32>
  %m = arith.mulf %y, %g : tensor<{rows}x{outputs}xf32>
  %loss = nn.reduce sum %m axes [0, 1] : tensor<{rows}x{outputs}xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.momentum<lr = 0.5, momentum = 0.75>
  return %loss : tensor<f32>
}}
"""
    rng = np.random.default_rng(3)
    x = rng.standard_normal((rows, inputs)).astype(np.float32)
    g = rng.standard_normal((rows, outputs)).astype(np.float32)
    w = rng.standard_normal((inputs, outputs)).astype(np.float32)
    dw = x.astype(np.float64).T @ g
    for configuration, model in configurations(text, ("optimized", "avx2", "workers")):
        model.initialize()
        model["w"] = w
        expected, velocity = w.astype(np.float64), np.zeros_like(dw)
        for _ in range(2):
            model.run("step", x, g)
            velocity = 0.75 * velocity + dw
            expected -= 0.5 * velocity
        expect_close(configuration, model["w"], expected, 1e-4)


if __name__ == "__main__":
    run_tests([test_gradients, test_workspace, test_streamed_update])
