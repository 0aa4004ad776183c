# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Hyper-parameters and counters as variables of the program (V14, A5, O1, R5).

Schedules that the step computes, and optimizers that several updates share.
"""

import os
import tempfile

import numpy as np

import flywheel
from configurations import configurations, expect_close, expect_equal, run_tests

SCHEDULE = """
train.variable @p : tensor<3xf64> = dense<[1.0, -2.0, 3.0]> : tensor<3xf64>
{declaration}
func.func @step() -> (tensor<f64>, tensor<i64>) {{
  %p = train.read @p : tensor<3xf64>
  %loss = nn.l2_loss %p : tensor<3xf64> -> tensor<f64>
  %t = train.read @"{scope}/iterations" : tensor<i64>
  %n = arith.sitofp %t : tensor<i64> to tensor<f64>
  %one = arith.constant dense<1.0> : tensor<f64>
  %ten = arith.constant dense<10.0> : tensor<f64>
  %m = arith.addf %n, %ten : tensor<f64>
  %rate = arith.divf %one, %m : tensor<f64>
  {before}
  train.minimize %loss : tensor<f64> with #train.sgd<lr = 0.5{name}>
  {after}
  return %rate, %t : tensor<f64>, tensor<i64>
}}
"""


def schedule(before: bool, name: str = "", declaration: str = "") -> str:
    scope = name or "SGD"
    assign = f'train.assign @"{scope}/lr", %rate : tensor<f64>'
    return SCHEDULE.format(
        scope=scope,
        name=f', name = "{name}"' if name else "",
        declaration=declaration,
        before=assign if before else "",
        after="" if before else assign,
    )


def test_schedule() -> None:
    """A rate that is assigned before the update is its rate; after it, the next one's."""
    for name, declaration, first in (
        ("", "", 0.5),
        ("opt", "", 0.5),
        ("nets/opt", 'train.variable @"nets/opt/lr" : tensor<f64> = dense<0.25> : tensor<f64>', 0.25),
        ("", 'train.variable @"SGD/lr" : tensor<f64>', 0.5),
    ):
        for before in (True, False):
            for configuration, model in configurations(schedule(before, name, declaration)):
                model.initialize()
                p, rate = np.array([1.0, -2.0, 3.0]), first
                for step in range(5):
                    new = 1 / (step + 10)
                    found, count = model.run("step")
                    expect_close(configuration, found, new)
                    expect_equal(configuration, count, np.int64(step))
                    p -= (new if before else rate) * p
                    rate = new
                    expect_close(configuration, model["p"], p)
                # From outside as well, without compiling again.
                model[f"{name or 'SGD'}/lr"] = np.array(0.5)
                model.run("step")
                p -= (1 / 15 if before else 0.5) * p
                expect_close(configuration, model["p"], p)
                assert f"p/{name or 'SGD'}" in model.variables(), model.variables()


def test_roles() -> None:
    """V14, O20: a rate of .1, then .5 from the next step on; a counter of steps."""
    text = """
train.variable @p : tensor<f64> = dense<1.0> : tensor<f64>
train.variable @steps : tensor<i64> = dense<0> : tensor<i64> {trainable = false}
func.func @step() {
  %p = train.read @p : tensor<f64>
  %l = nn.l2_loss %p : tensor<f64> -> tensor<f64>
  train.minimize %l : tensor<f64> with #train.sgd<lr = 0.1, name = "gd"> global_step @steps
  return
}
func.func @set(%lr: tensor<f64>) {
  train.assign @"gd/lr", %lr : tensor<f64>
  return
}
"""
    for configuration, model in configurations(text):
        model.initialize()
        model.run("step")
        expect_close(configuration, model["p"], 0.9)
        model.run("set", np.array(0.5))
        model.run("step")
        expect_close(configuration, model["p"], 0.45)
        expect_equal(configuration, model["steps"], np.int64(2))


SHARED = """
train.variable @a : tensor<2xf64> = dense<[1.0, -1.0]> : tensor<2xf64>
train.variable @b : tensor<2xf64> = dense<[2.0, 0.5]> : tensor<2xf64>
func.func @step() {
  %a = train.read @a : tensor<2xf64>
  %first = nn.l2_loss %a : tensor<2xf64> -> tensor<f64>
  train.minimize %first : tensor<f64> with #train.adam<lr = 0.1, name = "opt">
  %a1 = train.read @a : tensor<2xf64>
  %b = train.read @b : tensor<2xf64>
  %product = arith.mulf %a1, %b : tensor<2xf64>
  %second = nn.l2_loss %product : tensor<2xf64> -> tensor<f64>
  train.minimize %second : tensor<f64> with #train.adam<lr = 0.1, name = "opt">
  return
}
"""


def test_shared() -> None:
    """Two updates of one optimizer: one counter, one rate, one pair of slots a variable."""
    for configuration, model in configurations(SHARED):
        model.initialize()
        names = {
            "a",
            "b",
            "a/opt",
            "a/opt_1",
            "b/opt",
            "b/opt_1",
            "opt/iterations",
            "opt/lr",
            "opt/beta_1",
            "opt/beta_2",
        }
        assert set(model.variables()) == names, model.variables()
        state = {
            name: [np.array(value), np.zeros(2), np.zeros(2)] for name, value in (("a", [1.0, -1.0]), ("b", [2.0, 0.5]))
        }
        t = 0

        def adam(name: str, g: "np.ndarray") -> None:
            p, m, v = state[name]
            m = 0.9 * m + 0.1 * g
            v = 0.999 * v + 0.001 * g * g
            rate = 0.1 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t)
            state[name] = [p - rate * m / (np.sqrt(v) + 1e-7), m, v]

        for _ in range(4):
            model.run("step")
            t += 1
            adam("a", state["a"][0])
            t += 1
            a, b = state["a"][0], state["b"][0]
            adam("a", a * b * b)
            adam("b", a * a * b)
            for name, (p, m, v) in state.items():
                expect_close(configuration, model[name], p, 1e-8)
                expect_close(configuration, model[f"{name}/opt"], m, 1e-8)
                expect_close(configuration, model[f"{name}/opt_1"], v, 1e-8)
        expect_equal(configuration, model["opt/iterations"], np.int64(8))


def test_resume() -> None:
    """P10: what a schedule assigned is in a checkpoint."""
    program = flywheel.compile(schedule(False, "opt"))
    one, other = flywheel.Session(program), flywheel.Session(program)
    one.initialize(1)
    for _ in range(3):
        one.run("step")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.safetensors")
        one.save(path)
        other.restore(path)
    one.run("step")
    other.run("step")
    expect_equal("p", other["p"], one["p"])
    expect_equal("rate", other["opt/lr"], one["opt/lr"])


def test_global_step_is_the_counter() -> None:
    """O29: an optimizer whose counter is the global step counts a step once."""
    for optimizer, clause in (("sgd", ""), ("sgd", "accumulate 2"),
                              ("gradient_descent", "lr #train.polynomial_rate<initial = 0.5, steps = 4, end = 0.0>")):
        text = f"""
train.variable @p : tensor<3xf64> = dense<[1.0, -2.0, 3.0]> : tensor<3xf64>
train.variable @"o/iterations" : tensor<i64> = dense<0> : tensor<i64> {{trainable = false}}
func.func @step() {{
  %p = train.read @p : tensor<3xf64>
  %loss = nn.l2_loss %p : tensor<3xf64> -> tensor<f64>
  train.minimize %loss : tensor<f64> with #train.{optimizer}<lr = 0.5, name = "o"> global_step @"o/iterations" {clause}
  return
}}
"""
        for configuration, model in configurations(text):
            model.initialize()
            p, calls = model["p"], 2 if "accumulate" in clause else 1
            for step in range(1, 5):
                for _ in range(calls):
                    model.run("step")
                rate = 0.5 * (1 - (step - 1) / 4) if "lr" in clause else 0.5
                p = p - rate * p
                expect_equal(f"{configuration} {clause} {step}", model["o/iterations"], np.int64(step))
                expect_close(f"{configuration} {clause} {step}", model["p"], p)


run_tests([test_schedule, test_roles, test_shared, test_resume, test_global_step_is_the_counter])
