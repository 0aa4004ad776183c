# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Normalizations and moving averages against numpy (R10).

Values and gradients in general are those of the goldens; here are a training
and an evaluation entry over the same moving averages, offsets that would cancel
in E[x^2] - E[x]^2, and 16-bit floats.
"""

from typing import Any, Tuple

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from configurations import ALL, IN_PROCESS, configurations, expect_close, run_tests

Array = NDArray[Any]


def batch_norm_gradient(x: Array, dy: Array, gamma: Array, epsilon: float) -> Tuple[Array, Array, Array]:
    """dx, dgamma and dbeta, x [n, channels], as Ioffe and Szegedy give them."""
    mean, variance = x.mean(0), x.var(0)
    unit = (x - mean) / np.sqrt(variance + epsilon)
    dunit = dy * gamma
    dx = (dunit - dunit.mean(0) - unit * (dunit * unit).mean(0)) / np.sqrt(variance + epsilon)
    return dx, (dy * unit).sum(0), dy.sum(0)


def test_batch_norm() -> None:
    """Gradients of an image batch by the closed form, f64 and f32."""
    rng = np.random.default_rng(1)
    for element, dtype, tolerance in (("f64", np.float64, 1e-9), ("f32", np.float32, 2e-5)):
        x, c = f"tensor<?x4x4x7x{element}>", f"tensor<7x{element}>"
        text = (f"func.func @f(%x: {x}, %g: {c}, %b: {c}, %u: {x}) -> ({x}, {c}, {c}, {x}, {c}, {c}) {{\n"
                f"  %y, %m, %v = nn.batch_norm_training %x gamma %g beta %b epsilon 1.0e-3 : ({x}, {c}, {c}) "
                f"-> ({x}, {c}, {c})\n"
                f"  %d:3 = train.gradient %y wrt %x, %g, %b grad_ys %u : ({x}, {x}, {c}, {c}, {x}) "
                f"-> ({x}, {c}, {c})\n"
                f"  return %y, %m, %v, %d#0, %d#1, %d#2 : {x}, {c}, {c}, {x}, {c}, {c}\n}}\n")
        for configuration, model in configurations(text):
            model.initialize()
            for batch in (1, 5):
                value = rng.standard_normal((batch, 4, 4, 7)) * 3 + 2
                gamma, beta, u = rng.uniform(0.5, 2, 7), rng.standard_normal(7), rng.standard_normal(value.shape)
                inputs = [a.astype(dtype) for a in (value, gamma, beta, u)]
                rows = inputs[0].astype(np.float64).reshape(-1, 7)
                mean, variance = rows.mean(0), rows.var(0)
                y = (rows - mean) / np.sqrt(variance + 1e-3) * gamma + beta
                dx, dgamma, dbeta = batch_norm_gradient(rows, u.reshape(-1, 7), gamma, 1e-3)
                expected = (y.reshape(value.shape), mean, variance, dx.reshape(value.shape), dgamma, dbeta)
                for i, (found, want) in enumerate(zip(model.run("f", *inputs), expected)):
                    scale = max(1.0, float(np.max(np.abs(want))))
                    expect_close(f"{configuration} {element} result {i}", found, want, tolerance * scale)


def test_second_derivatives() -> None:
    """The derivative of a gradient of both normalizations, by central differences of the closed form: the mean is
    subtracted as a constant that is the mean, and what that leaves out is accounted for in all orders."""
    rng = np.random.default_rng(5)
    kind, c = "tensor<6x5xf64>", "tensor<5xf64>"
    batch = f"nn.batch_norm_training %x gamma %g epsilon 1.0e-3 : ({kind}, {c}) -> ({kind}, {c}, {c})"
    layer = f"nn.layer_norm %x gamma %g axes [1] epsilon 1.0e-3 : ({kind}, {c}) -> {kind}"
    for op, results, axis in ((batch, "%y, %m, %v", 0), (layer, "%y", 1)):
        text = (f"func.func @f(%x: {kind}, %g: {c}, %u: {kind}, %w: {kind}) -> ({kind}, {kind}) {{\n"
                f"  {results} = {op}\n"
                f"  %d = train.gradient %y wrt %x grad_ys %u : ({kind}, {kind}, {kind}) -> {kind}\n"
                f"  %h = train.gradient %d wrt %x grad_ys %w : ({kind}, {kind}, {kind}) -> {kind}\n"
                f"  return %d, %h : {kind}, {kind}\n}}\n")
        x, u, w = (rng.standard_normal((6, 5)) for _ in range(3))
        gamma = rng.uniform(0.5, 2, 5)

        def gradient(x: Array, u: Array = u, gamma: Array = gamma, axis: int = axis) -> Array:
            if axis == 0:
                return batch_norm_gradient(x, u, gamma, 1e-3)[0]
            # The rows of one are the columns of the other, but for gamma.
            turned = batch_norm_gradient(x.T, (u * gamma).T, np.ones(len(x)), 1e-3)[0]
            return np.transpose(turned)

        step = 1e-5
        second = np.zeros_like(x)
        for index in np.ndindex(*x.shape):
            away = np.zeros_like(x)
            away[index] = step
            second[index] = np.sum(w * (gradient(x + away) - gradient(x - away))) / (2 * step)
        for configuration, model in configurations(text, IN_PROCESS):
            model.initialize()
            first, found = model.run("f", x, gamma, u, w)
            expect_close(f"{configuration} {op[:12]} first", first, gradient(x), 1e-9)
            expect_close(f"{configuration} {op[:12]} second", found, second, 1e-7)


def test_offset() -> None:
    """Mean 1e4, deviation 1: a difference of mean squares in f32 would lose it."""
    rng = np.random.default_rng(2)
    kind = "tensor<?x64xf32>"
    text = (f"func.func @f(%x: {kind}) -> ({kind}, {kind}) {{\n"
            f"  %y = nn.layer_norm %x axes [1] epsilon 1.0e-6 : ({kind}) -> {kind}\n"
            f"  %z, %m, %v = nn.batch_norm_training %x epsilon 1.0e-6 : ({kind}) "
            f"-> ({kind}, tensor<64xf32>, tensor<64xf32>)\n"
            f"  return %y, %z : {kind}, {kind}\n}}\n")
    x = (rng.standard_normal((32, 64)) + 1e4).astype(np.float32)
    wide = x.astype(np.float64)
    for configuration, model in configurations(text):
        model.initialize()
        for axis, found in zip((1, 0), model.run("f", x)):
            mean, deviation = wide.mean(axis, keepdims=True), wide.std(axis, keepdims=True)
            expect_close(f"{configuration} {axis}", found, (wide - mean) / deviation, 1e-2)


def test_sixteen_bits() -> None:
    """f16 and bf16: statistics in f32, where 200^2 is finite."""
    rng = np.random.default_rng(3)
    for element, dtype, unit in (("f16", np.float16, 2.0**-10), ("bf16", ml_dtypes.bfloat16, 2.0**-7)):
        kind = f"tensor<?x32x{element}>"
        text = (f"func.func @f(%x: {kind}, %g: tensor<32xf32>, %u: {kind}) -> ({kind}, {kind}, tensor<32xf32>) {{\n"
                f"  %y = nn.layer_norm %x gamma %g axes [1] epsilon 1.0e-3 : ({kind}, tensor<32xf32>) -> {kind}\n"
                f"  %z, %m, %v = nn.batch_norm_training %x epsilon 1.0e-3 : ({kind}) "
                f"-> ({kind}, tensor<32xf32>, tensor<32xf32>)\n"
                f"  %d = train.gradient %z wrt %x grad_ys %u : ({kind}, {kind}, {kind}) -> {kind}\n"
                f"  return %y, %d, %v : {kind}, {kind}, tensor<32xf32>\n}}\n")
        x = (rng.standard_normal((16, 32)) * 300).astype(dtype)
        u = rng.standard_normal((16, 32)).astype(dtype)
        gamma = rng.uniform(0.5, 2, 32).astype(np.float32)
        wide = x.astype(np.float64)
        y = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-3) * gamma
        dx = batch_norm_gradient(wide, u.astype(np.float64), np.ones(32), 1e-3)[0]
        for configuration, model in configurations(text, IN_PROCESS):
            model.initialize()
            found = model.run("f", x, gamma, u)
            assert found[0].dtype == found[1].dtype == np.dtype(dtype)
            np.testing.assert_allclose(found[0].astype(np.float64), y, rtol=unit, atol=1e-4, err_msg=configuration)
            np.testing.assert_allclose(found[1].astype(np.float64), dx, rtol=unit, atol=1e-5, err_msg=configuration)
            np.testing.assert_allclose(found[2], wide.var(0), rtol=1e-5, err_msg=configuration)


AVERAGES = """
train.variable @gamma : tensor<3xf64> = #train.ones
train.variable @mean : tensor<3xf64> = #train.zeros {trainable = false}
train.variable @variance : tensor<3xf64> = #train.ones {trainable = false}
func.func @train_step(%x: tensor<?x3xf64>) -> tensor<f64> {
  %g = train.read @gamma : tensor<3xf64>
  %y, %m, %v = nn.batch_norm_training %x gamma %g epsilon 1.0e-3
      : (tensor<?x3xf64>, tensor<3xf64>) -> (tensor<?x3xf64>, tensor<3xf64>, tensor<3xf64>)
  train.moving_average @mean, %m momentum 0.9 : tensor<3xf64>
  train.moving_average @variance, %v momentum 0.9 : tensor<3xf64>
  %l = nn.l2_loss %y : tensor<?x3xf64> -> tensor<f64>
  train.minimize %l : tensor<f64> with #train.sgd<lr = 0.001>
  return %l : tensor<f64>
}
func.func @eval(%x: tensor<?x3xf64>) -> tensor<?x3xf64> {
  %g = train.read @gamma : tensor<3xf64>
  %m = train.read @mean : tensor<3xf64>
  %v = train.read @variance : tensor<3xf64>
  %y = nn.batch_norm_inference %x mean %m variance %v gamma %g epsilon 1.0e-3
      : (tensor<?x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
  return %y : tensor<?x3xf64>
}
"""


def test_averages() -> None:
    """Training moves the averages that evaluation uses, and no gradient does."""
    rng = np.random.default_rng(4)
    batches = [rng.standard_normal((n, 3)) * 2 + 1 for n in (8, 5, 8)]
    for configuration, model in configurations(AVERAGES):
        model.initialize()
        gamma, mean, variance = np.ones(3), np.zeros(3), np.ones(3)
        for x in batches:
            model.run("train_step", x)
            unit = (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-3)
            gamma = gamma - 0.001 * gamma * (unit**2).sum(0)
            mean, variance = 0.9 * mean + 0.1 * x.mean(0), 0.9 * variance + 0.1 * x.var(0)
            expect_close(f"{configuration} mean", model["mean"], mean)
            expect_close(f"{configuration} variance", model["variance"], variance)
            expect_close(f"{configuration} gamma", model["gamma"], gamma)
            expect_close(f"{configuration} evaluation", model.run("eval", x),
                         (x - mean) / np.sqrt(variance + 1e-3) * gamma)


def test_zero_debias() -> None:
    """R10: values 10 and 20 with m = .9; hidden state is saved with the rest."""
    for element, tolerance in (("f64", 1e-9), ("f32", 1e-6), ("bf16", 2.0**-7)):
        kind = f"tensor<{element}>"
        text = (f"train.variable @x : {kind}\n"
                f"func.func @update(%v: {kind}) -> {kind} {{\n"
                f"  %x = train.moving_average @x, %v momentum 0.9 zero_debias : {kind}\n  return %x : {kind}\n}}\n")
        dtype = {"f64": np.float64, "f32": np.float32, "bf16": ml_dtypes.bfloat16}[element]
        for configuration, model in configurations(text, ALL if element == "f64" else IN_PROCESS):
            # The average needs no value of its own before.
            model.initialize(1, ["x/biased", "x/local_step"])
            for value, expected in ((10.0, 10.0), (20.0, 15.2631578947)):
                found = model.run("update", np.array(value, dtype))
                np.testing.assert_allclose(float(found), expected, rtol=tolerance, err_msg=configuration)
                np.testing.assert_allclose(float(model["x"]), expected, rtol=tolerance, err_msg=configuration)
            assert int(model["x/local_step"]) == 2, configuration
            assert sorted(model.variables()) == ["x", "x/biased", "x/local_step"], configuration


run_tests([test_batch_norm, test_second_derivatives, test_offset, test_sixteen_bits, test_averages, test_zero_debias])
