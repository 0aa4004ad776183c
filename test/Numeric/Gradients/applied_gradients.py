# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Gradients that a program changes before it applies them (G9)."""

import numpy as np

from configurations import configurations, expect_close, expect_equal, run_tests

S = "tensor<f64>"


def test_modified() -> None:
    """G9: gradients that are changed before they are applied; one that is dropped."""
    gradients = {
        "plain": ("", "%g", 3.6),
        "doubled": (f"%d = arith.addf %g, %g : {S}", "%d", 3.2),
        "squared": (f"%d = arith.mulf %g, %g : {S}", "%d", 2.4),
        "tripled": (f"%e = arith.addf %g, %g : {S}\n  %d = arith.addf %e, %g : {S}", "%d", 2.8),
        "clipped": (f"%l = arith.constant dense<-0.3> : {S}\n  %u = arith.constant dense<0.3> : {S}\n"
                    f"  %d = math.clampf %g to [%l, %u] : {S}", "%d", 3.97)}
    for optimizer in ("#train.sgd<lr = 0.1>", "#train.momentum<lr = 0.1, momentum = 0.9>"):
        text = f"train.variable @p : {S} = dense<4.0> : {S}\ntrain.variable @q : {S} = dense<1.0> : {S}\n"
        text += "train.variable @step : tensor<i64> = dense<0> : tensor<i64> {trainable = false}\n"
        for name, (body, result, _) in gradients.items():
            text += f"""func.func @{name}() -> {S} {{
  %half = arith.constant dense<0.5> : {S}
  %p = train.read @p : {S}
  %q = train.read @q : {S}
  %pp = arith.mulf %p, %p : {S}
  %hp = arith.mulf %pp, %half : {S}
  %loss = arith.mulf %hp, %q : {S}
  %g, %unused = train.gradient %loss wrt %p, %q : ({S}, {S}, {S}) -> ({S}, {S})
  {body}
  train.apply_gradients {result} : {S} to [@p] with {optimizer} global_step @step
  return %loss : {S}
}}
"""
        for configuration, model in configurations(text):
            for name, (_, _, expected) in gradients.items():
                model.initialize()
                expect_close(f"{configuration} {name}", model.run(name), np.float64(8))
                expect_close(f"{configuration} {name}: p", model["p"], np.float64(expected))
                expect_equal(f"{configuration} {name}: what is dropped", model["q"], np.float64(1))
                expect_equal(f"{configuration} {name}: step", model["step"], np.int64(1))


def test_clipped_norm() -> None:
    """G9: all gradients are scaled where their common norm is above a bound."""
    text = """
train.variable @p : tensor<2xf64> = dense<[1.0, -2.0]> : tensor<2xf64>
train.variable @q : tensor<1xf64> = dense<3.0> : tensor<1xf64>
func.func @step(%bound: tensor<f64>) -> tensor<f64> {
  %p = train.read @p : tensor<2xf64>
  %q = train.read @q : tensor<1xf64>
  %a = nn.l2_loss %p : tensor<2xf64> -> tensor<f64>
  %b = nn.l2_loss %q : tensor<1xf64> -> tensor<f64>
  %loss = arith.addf %a, %b : tensor<f64>
  %dp, %dq = train.gradient %loss wrt %p, %q : (tensor<f64>, tensor<2xf64>, tensor<1xf64>)
      -> (tensor<2xf64>, tensor<1xf64>)
  %lp = nn.l2_loss %dp : tensor<2xf64> -> tensor<f64>
  %lq = nn.l2_loss %dq : tensor<1xf64> -> tensor<f64>
  %half = arith.addf %lp, %lq : tensor<f64>
  %squares = arith.addf %half, %half : tensor<f64>
  %norm = math.sqrt %squares : tensor<f64>
  %largest = arith.maximumf %norm, %bound : tensor<f64>
  %scale = arith.divf %bound, %largest : tensor<f64>
  %cp = nn.mul %dp, %scale : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
  %cq = nn.mul %dq, %scale : (tensor<1xf64>, tensor<f64>) -> tensor<1xf64>
  train.apply_gradients %cp, %cq : tensor<2xf64>, tensor<1xf64> to [@p, @q] with #train.sgd<lr = 0.1>
  return %norm : tensor<f64>
}
"""
    for configuration, model in configurations(text):
        for bound, p, q in ((1, [.9732738758, -1.9465477516], 2.9198216274), (10, [.9, -1.8], 2.7)):
            model.initialize()
            expect_close(configuration, model.run("step", np.array(float(bound))), np.sqrt(14.0))
            expect_close(f"{configuration} p, at most {bound}", model["p"], np.array(p), 1e-9)
            expect_close(f"{configuration} q, at most {bound}", model["q"], np.array([q]), 1e-9)


run_tests([test_modified, test_clipped_norm])
