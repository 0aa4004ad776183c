# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Clauses of updates around their optimizers (O9, O10, G9, C7).

Clipping, weight decay and schedules, which no optimizer knows of: each is tested with
several of them, against the formulas in NumPy.
"""

import functools
import math
from typing import Any, Callable, Dict, List

import numpy as np
from numpy.typing import NDArray

import flywheel
from configurations import IN_PROCESS, configurations, expect_close, expect_equal, expect_error, make, run_tests
from optimizer_rules import RULES, spell

Array = NDArray[Any]

# The acceptance problem: the gradient is the parameter.
QUADRATIC = """
train.variable @p : tensor<3xf64> = dense<[1.0, -2.0, 3.0]> : tensor<3xf64>
func.func @step() {{
  %p = train.read @p : tensor<3xf64>
  %loss = nn.l2_loss %p : tensor<3xf64> -> tensor<f64>
  train.minimize %loss : tensor<f64> with {optimizer} {clauses}
  return
}}
"""


def test_tables() -> None:
    """O9, O10: the global norm is of all parameters together, and the bound of values follows it."""
    for clauses, expected in (
        ("clip_global_norm 1.0", [.9732738758, -1.9465477516, 2.9198216274]),
        ("clip_value 0.5", [.95, -1.95, 2.95]),
        ("clip_global_norm 2.0 clip_value 1.0", [.9465477516, -1.9, 2.9]),
        ("clip_norm 1.0", [.9732738758, -1.9465477516, 2.9198216274]),
        ("clip_norm 100.0", [.9, -1.8, 2.7]),
    ):
        text = QUADRATIC.format(optimizer="#train.sgd<lr = 0.1>", clauses=clauses)
        for configuration, model in configurations(text):
            model.initialize()
            model.run("step")
            expect_close(f"{configuration} {clauses}", model["p"], expected, 1e-9)


SHAPES = {"w": (7, 5), "b": (5,), "s": ()}
CLAUSES: List[Dict[str, float]] = [
    dict(clip_norm=1.0), dict(clip_global_norm=2.0), dict(clip_value=0.5), dict(l2=0.5), dict(weight_decay=0.5),
    dict(l2=0.5, weight_decay=0.25, clip_norm=3.0, clip_global_norm=2.0, clip_value=0.4)]


def tensor(name: str, element: str) -> str:
    return f"tensor<{''.join(f'{dim_size}x' for dim_size in SHAPES[name])}{element}>"


def modified(clauses: Dict[str, float], p: Dict[str, Array], g: Dict[str, Array],
             masked: List[str]) -> Dict[str, Array]:
    """The gradients that reach the optimizer."""
    g = {name: x + (0.0 if name in masked else clauses.get("l2", 0.0)) * p[name] for name, x in g.items()}
    if "clip_norm" in clauses:
        c = clauses["clip_norm"]
        g = {name: x * c / max(float(np.sqrt(np.sum(x**2))), c) for name, x in g.items()}
    if "clip_global_norm" in clauses:
        c = clauses["clip_global_norm"]
        n = float(np.sqrt(sum(np.sum(x**2) for x in g.values())))
        g = {name: x * c / max(n, c) for name, x in g.items()}
    if "clip_value" in clauses:
        g = {name: np.clip(x, -clauses["clip_value"], clauses["clip_value"]) for name, x in g.items()}
    return g


def test_clauses() -> None:
    """O9, O10, G9: each clause, and all of them, with optimizers of each kind and a mask."""
    rng = np.random.default_rng(4)
    kinds = {name: tensor(name, "f64") for name in SHAPES}
    for optimizer in ("sgd", "adam", "muon"):
        for clauses in CLAUSES:
            masked = ["b"] if "l2" in clauses or "weight_decay" in clauses else []
            words = " ".join(f"{key} {clauses[key]}" for key in ("l2", "weight_decay") if key in clauses)
            words += " no_decay [@b]" if masked else ""
            words += " ".join(["", *(f"{key} {clauses[key]}" for key in ("clip_norm", "clip_global_norm", "clip_value")
                                     if key in clauses)])
            text = "".join(f"train.variable @{name} : {kind} = #train.random_normal\n" for name, kind in kinds.items())
            text += (f"func.func @step({', '.join(f'%{name}: {kind}' for name, kind in kinds.items())}) {{\n"
                     f"  train.apply_gradients {', '.join('%' + name for name in kinds)}\n"
                     f"      : {', '.join(kinds.values())}\n"
                     f"      to [{', '.join('@' + name for name in kinds)}]\n"
                     f"      with {spell(optimizer, {'lr': 0.1})} {words}\n  return\n}}\n")
            for configuration, model in configurations(text, IN_PROCESS):
                model.initialize()
                rules = {name: RULES[optimizer](model[name], lr=0.1) for name in SHAPES}
                for step in range(3):
                    scale = (0.01, 1.0, 10.0)[step]
                    g = {name: np.asarray(scale * rng.standard_normal(shape)) for name, shape in SHAPES.items()}
                    model.run("step", *g.values())
                    old = {name: rule.p for name, rule in rules.items()}
                    g = modified(clauses, old, g, masked)
                    for name, rule in rules.items():
                        rule.step(g[name])
                        if name not in masked:
                            rule.p = rule.p - 0.1 * clauses.get("weight_decay", 0.0) * old[name]
                        expect_close(f"{configuration} {optimizer} {words} {name}", model[name], rule.p, 1e-8)


def test_decay_of_adamw() -> None:
    """The decoupled clause makes AdamW of Adam, whose epsilon stands elsewhere."""
    outcomes = []
    for optimizer, clause in (("#train.adamw<lr = 0.1, epsilon = 0.0, weight_decay = 0.5>", ""),
                              ("#train.adam<lr = 0.1, epsilon = 0.0>", "weight_decay 0.5")):
        model = make(QUADRATIC.format(optimizer=optimizer, clauses=clause), "optimized")
        model.initialize()
        for _ in range(5):
            model.run("step")
        outcomes.append(model["p"])
    expect_close("AdamW", outcomes[1], outcomes[0], 1e-12)


def test_by_hand() -> None:
    """G9: the op on gradients of several types, its norm, and one tensor as clip_by_norm."""
    text = """
func.func @clip(%a: tensor<?x3xf32>, %b: tensor<4xf64>) -> (tensor<?x3xf32>, tensor<4xf64>, tensor<f64>) {
  %c:2, %n = train.clip_by_global_norm %a, %b to 2.0
      : (tensor<?x3xf32>, tensor<4xf64>) -> (tensor<?x3xf32>, tensor<4xf64>, tensor<f64>)
  return %c#0, %c#1, %n : tensor<?x3xf32>, tensor<4xf64>, tensor<f64>
}
func.func @one(%a: tensor<3xf16>) -> (tensor<3xf16>, tensor<f32>) {
  %c, %n = train.clip_by_global_norm %a to 1.0 : (tensor<3xf16>) -> (tensor<3xf16>, tensor<f32>)
  return %c, %n : tensor<3xf16>, tensor<f32>
}
"""
    rng = np.random.default_rng(1)
    for configuration, model in configurations(text):
        model.initialize()
        for scale in (0.01, 10.0):
            a = np.asarray(scale * rng.standard_normal((5, 3)), np.float32)
            b = np.asarray(scale * rng.standard_normal(4))
            found_a, found_b, norm = model.run("clip", a, b)
            n = np.sqrt(np.sum(a.astype(np.float64)**2) + np.sum(b**2))
            expect_close(f"{configuration} norm", norm, n, 1e-6)
            expect_close(f"{configuration} a", found_a, a * 2 / max(n, 2))
            expect_close(f"{configuration} b", found_b, b * 2 / max(n, 2), 1e-6)
        found, norm = model.run("one", np.array([3, 0, 4], np.float16))
        expect_close(configuration, norm, 5.0)
        expect_close(configuration, found, [0.6, 0, 0.8], 2e-3)


def test_large_and_small_norms() -> None:
    """O9: squares that f32 does not hold are neither infinite nor 0 in a norm; bounds that it does not hold are used as
    they are written. An infinite gradient makes NaN, not 0."""
    kind = tensor("b", "f32")
    cases = ((1e20, 1.0), (3e38, 1.0), (1e-30, 1e-31), (1.0, 1e40), (0.0, 1e-50), (1e-30, 1e40))
    for clause in ("clip_norm", "clip_global_norm"):
        for size, bound in cases:
            text = (f"train.variable @p : {kind} = #train.zeros\nfunc.func @step(%g: {kind}) {{\n"
                    f"  train.apply_gradients %g : {kind} to [@p] with #train.gradient_descent<lr = 0.5> "
                    f"{clause} {bound:.1e}\n  return\n}}\n")
            for configuration, model in configurations(text):
                model.initialize()
                g = np.array([size, size, size / 2, 0, -size / 3], np.float32)
                model.run("step", g)
                wide = g.astype(np.float64)
                expected = -0.5 * wide * bound / max(float(np.sqrt(np.sum(wide**2))), bound)
                what = f"{configuration} {clause} {size} {bound}"
                np.testing.assert_allclose(model["p"], expected, 1e-5, err_msg=what)
    text = QUADRATIC.format(optimizer="#train.sgd<lr = 0.1>", clauses="clip_global_norm 1.0")
    for configuration, model in configurations(text):
        for start in ([1e200, 1.0, 2.0], [np.inf, 1.0, 2.0]):
            model.initialize()
            model["p"] = np.array(start)
            model.run("step")
            assert np.isnan(model["p"]).all(), configuration


def test_large_gradients_of_whole_tensors() -> None:
    """A norm beyond the squares of f32 does not stop what is about whole tensors."""
    rng = np.random.default_rng(5)
    for name, size in (("muon", 1e25), ("muon", 1e-25), ("lamb", 1e-30), ("adafactor", 1e-12)):
        text = (f"train.variable @p : tensor<6x4xf32> = #train.random_normal\nfunc.func @step(%g: tensor<6x4xf32>) {{\n"
                f"  train.apply_gradients %g : tensor<6x4xf32> to [@p] with {spell(name, {'lr': 0.1})}\n"
                "  return\n}\n")
        for configuration, model in configurations(text):
            model.initialize()
            if name == "lamb":
                model["p"] = np.asarray(model["p"] * np.float32(1e-25))
            expected = RULES[name](model["p"], lr=0.1)
            for step in range(2):
                g = np.asarray(size * rng.standard_normal((6, 4)), np.float32)
                model.run("step", g)
                expected.step(g)
                scale = float(np.max(np.abs(expected.p)))
                np.testing.assert_allclose(np.asarray(model["p"], np.float64) / scale, expected.p / scale, 1e-3, 1e-4,
                                           err_msg=f"{configuration} {name} {size} {step}")


def cosine(t: int) -> float:
    return 0.1 * (t + 1) / 5 if t < 5 else 0.01 + 0.09 * (1 + math.cos(math.pi * min((t - 5) / 15, 1))) / 2


def one_cycle(t: int) -> float:
    def anneal(start: float, end: float, x: float) -> float:
        return end + (start - end) / 2 * (1 + math.cos(math.pi * x))

    top, last = 0.3 * 20 - 1, 19.0
    if t <= top:
        return anneal(0.1 / 25, 0.1, t / top)
    return anneal(0.1, 0.1 / 25 / 1e4, min((t - top) / (last - top), 1.0))


SCHEDULES: Dict[str, Callable[[int], float]] = {
    "constant_rate<rate = 0.3>": lambda t: 0.3,
    "piecewise_rate<boundaries = [2, 5], rates = [0.3, 0.2, 0.1]>":
        lambda t: 0.3 if t <= 2 else 0.2 if t <= 5 else 0.1,
    "exponential_rate<initial = 0.4, factor = 0.5, steps = 4>": lambda t: 0.4 * 0.5 ** (t / 4),
    "exponential_rate<initial = 0.4, factor = 0.5, steps = 4, staircase = true>": lambda t: 0.4 * 0.5 ** (t // 4),
    "polynomial_rate<initial = 0.5, steps = 10, end = 0.1, power = 2.0>":
        lambda t: 0.4 * (1 - min(t, 10) / 10) ** 2 + 0.1,
    "polynomial_rate<initial = 0.5, steps = 10>": lambda t: (0.5 - 1e-4) * (1 - min(t, 10) / 10) + 1e-4,
    "cosine_rate<peak = 0.1, steps = 20, warmup = 5, end = 0.01>": cosine,
    "cosine_rate<peak = 0.1, steps = 8>": lambda t: 0.05 * (1 + math.cos(math.pi * min(t / 8, 1))),
    "one_cycle_rate<peak = 0.1, steps = 20>": one_cycle,
}


def test_schedules() -> None:
    """The rate of each step is that of the schedule, whatever counts the steps, and is the
    variable `lr` afterwards; one compiled program takes all steps."""
    for optimizer in ("sgd", "gradient_descent", "tf_adagrad"):
        for schedule, rate in SCHEDULES.items():
            text = QUADRATIC.format(optimizer=spell(optimizer, {"lr": 7.0}), clauses=f"lr #train.{schedule}")
            for configuration, model in configurations(text, ("reference", "optimized")):
                model.initialize()
                expected = RULES[optimizer](model["p"], lr=7.0)
                for t in range(24):
                    model.run("step")
                    expected.options["lr"] = rate(t)
                    expected.step(expected.p)
                    what = f"{configuration} {optimizer} {schedule} step {t}"
                    expect_close(what, model[f"{RULES[optimizer].scope}/lr"], rate(t), 1e-9)
                    expect_close(what, model["p"], expected.p, 1e-7)
                expect_equal(configuration, model[f"{RULES[optimizer].scope}/iterations"], np.int64(24))


def test_schedule_by_hand() -> None:
    """The op, of a counter of the program, in f32."""
    for schedule, rate in SCHEDULES.items():
        text = ("func.func @rate(%t: tensor<i32>) -> tensor<f32> {\n"
                f"  %r = train.schedule %t : tensor<i32> -> tensor<f32> by #train.{schedule}\n"
                "  return %r : tensor<f32>\n}\n")
        for configuration, model in configurations(text):
            model.initialize()
            for t in (0, 1, 2, 3, 5, 6, 10, 19, 20, 1000):
                expect_close(f"{configuration} {schedule} {t}", model.run("rate", np.array(t, np.int32)),
                             np.float32(rate(t)), 1e-6)


def test_schedules_of_many_steps() -> None:
    """Steps that f32 does not hold: the rate of each one is its own."""
    schedules: Dict[str, Callable[[int], float]] = {
        "piecewise_rate<boundaries = [20000000, 9007199254740993], rates = [1.0, 2.0, 3.0]>":
            lambda t: 1.0 if t <= 20000000 else 2.0 if t <= 9007199254740993 else 3.0,
        "polynomial_rate<initial = 8.0, steps = 20000004, end = 0.0, power = 0.25>":
            lambda t: 8 * (1 - min(t, 20000004) / 20000004)**0.25,
        "cosine_rate<peak = 1.0e14, steps = 20000004, warmup = 20000000>":
            lambda t: 1e14 * (t + 1) / 20000000 if t < 20000000 else
            0.5e14 * (1 + math.cos(math.pi * min(t - 20000000, 4) / 4)),
    }
    for schedule, rate in schedules.items():
        for element in ("f32", "f64"):
            text = (f"func.func @rate(%t: tensor<i64>) -> tensor<{element}> {{\n"
                    f"  %r = train.schedule %t : tensor<i64> -> tensor<{element}> by #train.{schedule}\n"
                    f"  return %r : tensor<{element}>\n}}\n")
            for configuration, model in configurations(text):
                model.initialize()
                for t in (0, 19999999, 20000000, 20000001, 20000002, 20000003, 9007199254740992, 9007199254740993,
                          9007199254740994):
                    found = model.run("rate", np.array(t, np.int64))
                    np.testing.assert_allclose(found, rate(t), 1e-6, 1e-9, err_msg=f"{configuration} {schedule} {t}")


def test_groups() -> None:
    """C7: groups of variables with optimizers and hyper-parameters of their own, by one loss."""
    text = """
train.variable @a : tensor<3xf64> = dense<[1.0, -2.0, 3.0]> : tensor<3xf64>
train.variable @b : tensor<2xf64> = dense<[4.0, 5.0]> : tensor<2xf64>
func.func @step() -> tensor<f64> {
  %a = train.read @a : tensor<3xf64>
  %b = train.read @b : tensor<2xf64>
  %x = nn.l2_loss %a : tensor<3xf64> -> tensor<f64>
  %y = nn.l2_loss %b : tensor<2xf64> -> tensor<f64>
  %loss = arith.mulf %x, %y : tensor<f64>
  train.minimize %loss : tensor<f64> with #train.adam<lr = 0.1> var_list [@a] weight_decay 0.1
  train.minimize %loss : tensor<f64> with #train.sgd<lr = 0.001, momentum = 0.9> var_list [@b] clip_norm 1.0
  return %loss : tensor<f64>
}
"""
    for configuration, model in configurations(text):
        model.initialize()
        a, b = RULES["adam"](model["a"], lr=0.1), RULES["sgd"](model["b"], lr=0.001, momentum=0.9)
        for _ in range(4):
            x, y = np.sum(a.p**2) / 2, np.sum(b.p**2) / 2
            expect_close(configuration, model.run("step"), x * y)
            da, db, old = a.p * y, b.p * x, a.p
            a.step(da)
            a.p = a.p - 0.01 * old
            b.step(db / max(1, float(np.sqrt(np.sum(db**2)))))
            expect_close(f"{configuration} a", model["a"], a.p)
            expect_close(f"{configuration} b", model["b"], b.p)


def test_refused() -> None:
    """Clauses that make no sense are errors of the program."""
    for clauses, pattern in (
            ("no_decay [@p]", "expected l2 or weight_decay with no_decay"),
            ("l2 0.1 no_decay [@q]", "found no symbol @q"),
            ("clip_value 0x7FF0000000000000", "expected a finite clip_value"),
            ("lr #train.cosine_rate<peak = 0.1, steps = 4, warmup = 4>", "expected steps > warmup, 4, found 4"),
            ("lr #train.piecewise_rate<boundaries = [1], rates = [1.0]>", "one rate more than")):
        text = QUADRATIC.format(optimizer="#train.sgd", clauses=clauses)
        expect_error(clauses, pattern, functools.partial(flywheel.compile, text))


run_tests([test_tables, test_clauses, test_large_and_small_norms, test_large_gradients_of_whole_tensors,
           test_decay_of_adamw, test_by_hand, test_schedules, test_schedule_by_hand,
           test_schedules_of_many_steps, test_groups, test_refused])
