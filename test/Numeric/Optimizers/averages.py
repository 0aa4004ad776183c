# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Averages of variables, and their swap (A10, O20, R10).

tf.train.ExponentialMovingAverage in NumPy, beside an optimizer in the same entry, with a
model that goes on from a checkpoint; two swaps restore each bit, and neither takes memory.
"""

from typing import Any, Dict

import numpy as np
from numpy.typing import NDArray

from configurations import ALL, IN_PROCESS, configurations, expect_close, expect_equal, expect_error, resumed, run_tests

Array = NDArray[Any]

SHAPES = {"w": (9, 33), "b": (37,), "s": ()}


def tensor(name: str, element: str) -> str:
    return f"tensor<{''.join(f'{dim_size}x' for dim_size in SHAPES[name])}{element}>"


def program(element: str, average: str, swap: str = "") -> str:
    """The gradient of each variable is what is fed."""
    text = "train.variable @step : tensor<i64> = dense<0> : tensor<i64> {trainable = false}\n"
    kinds = {name: tensor(name, element) for name in SHAPES}
    for name, kind in kinds.items():
        text += f"train.variable @{name} : {kind} = #train.random_normal\n"
    return (text + f"func.func @train({', '.join(f'%{name}: {kind}' for name, kind in kinds.items())}) {{\n"
            f"  train.apply_gradients {', '.join('%' + name for name in kinds)} : {', '.join(kinds.values())}\n"
            f"      to [{', '.join('@' + name for name in kinds)}] with #train.gradient_descent<lr = 0.5>\n"
            f"      global_step @step\n  train.average_variables {average}\n  return\n}}\n"
            f"func.func @swap() {{\n  train.swap_averages {swap}\n  return\n}}\n")


def gradients(rng: "np.random.Generator", dtype: Any) -> Dict[str, Array]:
    return {name: np.asarray(rng.standard_normal(shape), dtype) for name, shape in SHAPES.items()}


def test_averages() -> None:
    """R10: with and without a count of steps, and without the bias of the first value."""
    for element, dtype in (("f64", np.float64), ("f32", np.float32)):
        for clauses in ("", "num_updates @step", "zero_debias", "num_updates @step zero_debias"):
            text = program(element, f"decay 0.8 {clauses}")
            for configuration, model in configurations(text, ALL if element == "f64" else IN_PROCESS):
                what = f"{configuration} {element} {clauses}"
                rng = np.random.default_rng(5)
                model.initialize()
                average = {name: np.asarray(model[name], np.float64) for name in SHAPES}
                for name, start in average.items():
                    if "zero_debias" in clauses:
                        average[name] = 0 * start
                    expect_close(what, model[f"{name}/ExponentialMovingAverage"], average[name])
                remainder = 1.0
                for step in range(1, 7):
                    if step == 4:
                        model = resumed(model)
                    model.run("train", *gradients(rng, dtype).values())
                    decay = min(0.8, (1 + step) / (10 + step)) if "num_updates" in clauses else 0.8
                    remainder *= decay
                    rate = (1 - decay) / (1 - remainder) if "zero_debias" in clauses else 1 - decay
                    for name in SHAPES:
                        average[name] = average[name] - (average[name] - model[name]) * rate
                        found = model[f"{name}/ExponentialMovingAverage"]
                        expect_close(f"{what} {name} step {step}", found, average[name],
                                     1e-12 if element == "f64" else 1e-5)


def test_weighted_mean() -> None:
    """R10: m = 0.9 and the values 10 and 20 are 10 and then 15.2631578947."""
    text = """
train.variable @x : tensor<f64> = dense<10.0> : tensor<f64>
func.func @step(%x: tensor<f64>) {
  train.assign @x, %x : tensor<f64>
  train.average_variables decay 0.9 zero_debias
  return
}
"""
    for configuration, model in configurations(text):
        model.initialize()
        for value, expected in ((10.0, 10.0), (20.0, 15.2631578947)):
            model.run("step", np.array(value))
            expect_close(configuration, model["x/ExponentialMovingAverage"], expected, 1e-10)


def test_swap() -> None:
    """A10, R10: the values of each are the other's, in place; two swaps restore all bits."""
    for element in ("f64", "f32", "f16", "bf16"):
        text = program(element, "decay 0.75")
        narrow = element in ("f16", "bf16")
        for configuration, model in configurations(text, IN_PROCESS if narrow else (*ALL, "threads")):
            model.initialize()
            rng = np.random.default_rng(6)
            for _ in range(3):
                feeds = gradients(rng, np.float32)
                model.run("train", *(g.astype(model[name].dtype) for name, g in feeds.items()))
            before = model.snapshot()
            expect_equal(configuration, model.workspace_bytes("swap"), 0)
            model.run("swap")
            for name in SHAPES:
                average = before[f"{name}/ExponentialMovingAverage"]
                expect_equal(f"{configuration} {element} {name}", model[name], average.astype(model[name].dtype))
                other = f"{name}/ExponentialMovingAverage" + ("_rounded" if narrow else "")
                expect_equal(f"{configuration} {element} {other}", model[other], before[name])
            assert not np.array_equal(model["w"], before["w"])
            model.run("swap")
            for variable, value in before.items():
                expect_equal(f"{configuration} {element} {variable}", model[variable], value)


def test_narrow_averages() -> None:
    """R10: the average of bf16 and f16 is kept in f32: small moves add up."""
    for element in ("bf16", "f16"):
        text = program(element, "decay 0.999 var_list [@b]", "var_list [@b]")
        for configuration, model in configurations(text, IN_PROCESS):
            model.initialize()
            average = np.asarray(model["b"], np.float64)
            for _ in range(20):
                model.run("train", *(np.ones(shape, model["b"].dtype) for shape in SHAPES.values()))
                average = average - (average - np.asarray(model["b"], np.float64)) * (1 - 0.999)
            expect_close(configuration, model["b/ExponentialMovingAverage"], average, 1e-5)
            rounded = model["b/ExponentialMovingAverage"].astype(model["b"].dtype)
            expect_equal(configuration, model["b/ExponentialMovingAverage_rounded"], rounded)
            assert "w/ExponentialMovingAverage" not in model.variables()


def test_update_has_no_copies() -> None:
    """O28: the average of a new value takes no buffer."""
    kind = "tensor<1000x1000xf32>"
    text = (f"train.variable @p : {kind}\nfunc.func @step(%g: {kind}) {{\n"
            f"  train.apply_gradients %g : {kind} to [@p] with #train.adam\n"
            "  train.average_variables decay 0.9\n  return\n}\n")
    for configuration, model in configurations(text, ("optimized", "threads")):
        size = model.workspace_bytes("step")
        assert size < 10_000, f"{configuration}: {size} bytes"


FAILING = """
train.variable @a : tensor<3x5xf32> = #train.random_normal
train.variable @b : tensor<3x5xf32> = #train.random_normal
func.func @step(%i: tensor<2xi64>) -> tensor<2x5xf32> {
  %a = train.read @a : tensor<3x5xf32>
  %b = train.read @b : tensor<3x5xf32>
  train.assign @a, %b : tensor<3x5xf32>
  train.assign @b, %a : tensor<3x5xf32>
  %r = nn.gather %b, %i axis 0 : (tensor<3x5xf32>, tensor<2xi64>) -> tensor<2x5xf32>
  return %r : tensor<2x5xf32>
}
"""


def test_failed_swap() -> None:
    """A10: a step that fails swaps nothing, and one that does not reads old values."""
    for configuration, model in configurations(FAILING):
        model.initialize()
        before = model.snapshot()
        expect_error(configuration, "index out of range", lambda: model.run("step", np.array([0, 7])))
        for variable, value in before.items():
            expect_equal(f"{configuration} {variable}", model[variable], value)
        expect_equal(configuration, model.run("step", np.array([2, 0])), before["b"][[2, 0]])
        expect_equal(configuration, model["a"], before["b"])
        expect_equal(configuration, model["b"], before["a"])


run_tests([test_averages, test_weighted_mean, test_swap, test_failed_swap, test_narrow_averages,
           test_update_has_no_copies])
