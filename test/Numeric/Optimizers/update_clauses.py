# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Training in few bits and in small batches (G9, O1, O10, O20).

The clauses `accumulate`, `loss_scale` and `master_weights`: each with optimizers of each
kind, all of them together with the other clauses, in whole models, and with a model that
goes on from a checkpoint in the middle of it all. The losses are linear in what is fed,
so that gradients are known to the bit, or those of a network.
"""

import math
from typing import Any, Dict, List, Sequence

import numpy as np
from numpy.typing import NDArray

from configurations import ALL, IN_PROCESS, Model, configurations, expect_close, expect_equal, resumed, run_tests
from optimizer_rules import RULES, Rule, slot_names, spell
from selection import choose

Array = NDArray[Any]

SHAPES = {"w": (9, 33), "b": (37,), "s": ()}


def tensor(shape: Sequence[int], element: str) -> str:
    return f"tensor<{''.join(f'{dim_size}x' for dim_size in shape)}{element}>"


def program(element: str, optimizer: str, clauses: str, start: str = "#train.random_normal") -> str:
    """A step along what is fed, in f32 or f64: the gradients of the loss."""
    feed = "f64" if element == "f64" else "f32"
    text = "train.variable @step_number : tensor<i64> = dense<0> : tensor<i64> {trainable = false}\n"
    body = ""
    for name, shape in SHAPES.items():
        text += f"train.variable @{name} : {tensor(shape, element)} = {start}\n"
        body += f"  %{name} = train.read @{name} : {tensor(shape, element)}\n"
        wide = name
        if element != feed:
            wide = f"{name}_wide"
            body += f"  %{wide} = arith.extf %{name} : {tensor(shape, element)} to {tensor(shape, feed)}\n"
        kind, axes = tensor(shape, feed), list(range(len(shape)))
        body += (f"  %{name}_parts = arith.mulf %{wide}, %{name}_feed : {kind}\n"
                 f"  %{name}_loss = nn.reduce sum %{name}_parts axes {axes} : {kind} -> tensor<{feed}>\n")
    return (f"{text}func.func @step("
            + ", ".join(f"%{name}_feed: {tensor(shape, feed)}" for name, shape in SHAPES.items())
            + f") {{\n{body}  %two = arith.addf %w_loss, %b_loss : tensor<{feed}>\n"
            f"  %loss = arith.addf %two, %s_loss : tensor<{feed}>\n"
            f"  train.minimize %loss : tensor<{feed}> with {optimizer} global_step @step_number {clauses}\n"
            "  return\n}\n")


def draw(rng: np.random.Generator, dtype: Any) -> Dict[str, Array]:
    return {name: np.asarray(rng.standard_normal(shape), dtype) for name, shape in SHAPES.items()}


def check(what: str, model: Model, rules: Dict[str, Rule], name: str, tolerance: float) -> None:
    for parameter, rule in rules.items():
        expect_close(f"{what} {parameter}", model[parameter], rule.p, tolerance)
        for slot, expected in zip(slot_names(parameter, name, len(rule.slots)), rule.slots):
            expect_close(f"{what} {slot}", model[slot], expected, tolerance)


def expect_same_state(what: str, found: Model, expected: Model) -> None:
    for variable in expected.variables():
        expect_equal(f"{what} {variable}", found[variable], expected[variable])


def test_accumulation() -> None:
    """G9: every third call updates along the mean of three gradients; slots, counters and
    the global step know of no other calls, and nor does a restored model."""
    everywhere = ("adam", "lamb")
    for name, rule in choose("accumulation", list(RULES.items()), 0.3, group=lambda case: case[0] in everywhere):
        text = program("f64", spell(name, {}), "accumulate 3")
        for configuration, model in configurations(text, ALL if name in everywhere else IN_PROCESS):
            what = f"{configuration} {name}"
            rng = np.random.default_rng(6)
            model.initialize()
            rules = {p: rule(model[p], lr=rule.defaults["lr"]) for p in SHAPES}
            gradients: List[Dict[str, Array]] = []
            for call in range(9):
                if call == 4:
                    model = resumed(model)
                gradients.append(draw(rng, np.float64))
                model.run("step", *gradients[-1].values())
                if call % 3 == 2:
                    for p in SHAPES:
                        rules[p].step(np.mean([g[p] for g in gradients], 0))
                    gradients = []
                    expect_equal(what, model[f"w/{rule.scope}/gradient_sum"], np.zeros(SHAPES["w"]))
                expect_equal(what, model[f"{rule.scope}/micro_step"], np.int64(len(gradients)))
                expect_equal(what, model["step_number"], np.int64((call + 1) // 3))
                check(f"{what} call {call}", model, rules, name, rule.tolerances[1])


NETWORK = """
train.variable @w1 : tensor<11x19xf32> = #train.glorot_uniform
train.variable @b1 : tensor<19xf32> = #train.zeros
train.variable @w2 : tensor<19x5xf32> = #train.glorot_uniform
train.variable @b2 : tensor<5xf32> = #train.zeros
func.func @step(%x: tensor<?x11xf32>, %label: tensor<?xi32>) -> tensor<f32> {{
  %w1 = train.read @w1 : tensor<11x19xf32>
  %b1 = train.read @b1 : tensor<19xf32>
  %w2 = train.read @w2 : tensor<19x5xf32>
  %b2 = train.read @b2 : tensor<5xf32>
  %h0 = nn.matmul %x, %w1 : (tensor<?x11xf32>, tensor<11x19xf32>) -> tensor<?x19xf32>
  %h1 = nn.add %h0, %b1 : (tensor<?x19xf32>, tensor<19xf32>) -> tensor<?x19xf32>
  %h = nn.relu %h1 : tensor<?x19xf32>
  %z0 = nn.matmul %h, %w2 : (tensor<?x19xf32>, tensor<19x5xf32>) -> tensor<?x5xf32>
  %z = nn.add %z0, %b2 : (tensor<?x5xf32>, tensor<5xf32>) -> tensor<?x5xf32>
  %loss = nn.sparse_softmax_cross_entropy %z, %label : (tensor<?x5xf32>, tensor<?xi32>) -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.adam<lr = 0.01> clip_global_norm 0.5 {clauses}
  return %loss : tensor<f32>
}}
"""


def test_micro_batches() -> None:
    """G9: a network that takes a batch in four parts is the network that takes it whole."""
    rng = np.random.default_rng(2)
    x = np.asarray(rng.standard_normal((5, 28, 11)), np.float32)
    label = np.asarray(rng.integers(0, 5, (5, 28)), np.int32)
    for (configuration, whole), (_, parts) in zip(configurations(NETWORK.format(clauses="")),
                                                  configurations(NETWORK.format(clauses="accumulate 4"))):
        whole.initialize(3)
        parts.initialize(3)
        for batch in range(5):
            loss = whole.run("step", x[batch], label[batch])
            losses = [parts.run("step", x[batch, i:i + 7], label[batch, i:i + 7]) for i in range(0, 28, 7)]
            expect_close(f"{configuration} loss {batch}", np.float32(np.mean(losses)), loss, 1e-4)
        for name in whole.variables():
            expect_close(f"{configuration} {name}", parts[name], whole[name], 1e-4)


def test_loss_scale() -> None:
    """O1: gradients that overflow change no bit but of the scale, which falls at once and grows after `growth_interval`
    steps in a row."""
    clause = "loss_scale #train.loss_scale<initial = 1024.0, growth = 4.0, backoff = 0.25, growth_interval = 3>"
    kinds = (("f16", "adam"), ("f16", "lamb"), ("f32", "sgd"), ("f64", "muon"), ("f32", "ftrl"))
    for element, name in choose("loss scales", kinds, 0.3, group=lambda kind: kind[0]):
        rule = RULES[name]
        text = program(element, spell(name, {}), clause)
        for configuration, model in configurations(text, ALL if element != "f16" else IN_PROCESS):
            what = f"{configuration} {element} {name}"
            model.initialize()
            rules = {p: rule(model[p], lr=rule.defaults["lr"]) for p in SHAPES}
            rng, scale, good = np.random.default_rng(4), 1024.0, 0
            for call, bad in enumerate([np.inf, None, np.nan, None, None, None, None, -np.inf, None]):
                if call == 5:
                    model = resumed(model)
                gradients = draw(rng, np.float64 if element == "f64" else np.float32)
                if bad is None:
                    good += 1
                    if good == 3:
                        scale, good = scale * 4, 0
                    for p in SHAPES:
                        rules[p].step(gradients[p])
                else:
                    gradients["b"][11] = bad
                    scale, good = scale / 4, 0
                before = model.snapshot()
                model.run("step", *gradients.values())
                if bad is not None:
                    for variable, value in before.items():
                        if variable not in (f"{rule.scope}/loss_scale", f"{rule.scope}/good_steps"):
                            expect_equal(f"{what} call {call} {variable}", model[variable], value)
                expect_equal(f"{what} scale", model[f"{rule.scope}/loss_scale"], np.float32(scale))
                expect_equal(f"{what} steps", model[f"{rule.scope}/good_steps"], np.int64(good))
                check(f"{what} call {call}", model, rules, name, {"f16": 2e-2, "f32": 1e-4, "f64": 1e-6}[element])


def test_small_gradients() -> None:
    """O1: what would be 0 in f16 is not, with a scale that no step changes."""
    text = program("f16", "#train.gradient_descent<lr = 1.0e6>",
                   "loss_scale #train.loss_scale<initial = 65536.0, growth = 1.0, backoff = 1.0> master_weights",
                   "#train.zeros")
    for configuration, model in configurations(text, IN_PROCESS):
        model.initialize()
        assert "GradientDescent/good_steps" not in model.variables()
        feeds = {name: np.full(shape, 1e-9, np.float32) for name, shape in SHAPES.items()}
        model.run("step", *feeds.values())
        for name, feed in feeds.items():
            expect_close(f"{configuration} {name}", model[name], -1e6 * feed, 1e-2 * 1e-3)
        feeds["w"][2, 3] = np.inf
        before = model.snapshot()
        model.run("step", *feeds.values())
        for variable, value in before.items():
            expect_equal(f"{configuration} {variable}", model[variable], value)


def test_scale_stays_finite() -> None:
    """O1: a scale grows to no infinity, nor to a number whose inverse counts as 0."""
    text = program("f32", spell("sgd", {}), "loss_scale #train.loss_scale<initial = 4.0e37, growth_interval = 1>")
    for configuration, model in configurations(text):
        model.initialize()
        rules = {p: RULES["sgd"](model[p]) for p in SHAPES}
        feeds = {name: np.full(shape, 1e-3, np.float32) for name, shape in SHAPES.items()}
        for _ in range(5):
            model.run("step", *feeds.values())
            for p in SHAPES:
                rules[p].step(feeds[p])
        expect_equal(configuration, model["SGD/loss_scale"], np.float32(4e37) * np.float32(2))
        check(configuration, model, rules, "sgd", 1e-6)


def test_scale_stays_above_zero() -> None:
    """O1: a scale that falls in every call falls to no 0, and the next gradients that are
    finite make a step."""
    text = program("f32", spell("sgd", {}), "loss_scale #train.loss_scale<backoff = 1.0e-20>")
    feeds = {name: np.full(shape, 0.5, np.float32) for name, shape in SHAPES.items()}
    bad = {name: np.full(shape, np.inf, np.float32) for name, shape in SHAPES.items()}
    for configuration, model in configurations(text):
        model.initialize()
        rules = {p: RULES["sgd"](model[p]) for p in SHAPES}
        for _ in range(4):
            model.run("step", *bad.values())
            expect_equal(configuration, model["SGD/loss_scale"], np.float32(1))
        model.run("step", *feeds.values())
        for p in SHAPES:
            rules[p].step(feeds[p])
        check(configuration, model, rules, "sgd", 1e-6)


NARROW_LOSS = """
train.variable @w : tensor<{element}> = dense<1.0> : tensor<{element}>
func.func @step(%x: tensor<{element}>) {{
  %w = train.read @w : tensor<{element}>
  %loss = arith.mulf %w, %x : tensor<{element}>
  train.minimize %loss : tensor<{element}> with #train.sgd<lr = 0.125> loss_scale #train.loss_scale<{scale}>
  return
}}
"""


def test_scale_of_a_narrow_loss() -> None:
    """O1: a scale is a number of the loss's type: it starts below the largest, grows no
    further, falls to no 0, and gradients are divided by what the loss was multiplied by."""
    for scale, expected in (
            ("", [32768]), ("growth_interval = 1", [32768] * 3),
            ("initial = 4096.0, growth_interval = 1", [8192, 16384, 32768]),
            ("initial = 4096.0, growth = 1.0, backoff = 1.0", [4096] * 3),
            # f16 does not have 2049.
            ("initial = 2049.0, growth = 1.0, backoff = 1.0", [2049] * 3)):
        for configuration, model in configurations(NARROW_LOSS.format(element="f16", scale=scale)):
            model.initialize()
            for step, number in enumerate(expected):
                model.run("step", np.array(1, np.float16))
                what = f"{configuration} {scale} {step}"
                expect_equal(what, model["SGD/loss_scale"], np.float32(number))
                expect_equal(what, model["w"], np.float16(1 - 0.125 * (step + 1)))
    text = NARROW_LOSS.format(element="f16", scale="initial = 0.25, backoff = 1.0e-4")
    for configuration, model in configurations(text, IN_PROCESS):
        model.initialize()
        for _ in range(3):
            model.run("step", np.array(np.inf, np.float16))
        expect_equal(configuration, model["SGD/loss_scale"], np.float32(0.25))
        model.run("step", np.array(1, np.float16))
        expect_equal(configuration, model["w"], np.float16(0.875))
    # 257 is none of bf16, where 256 is: by 1 / 257, the step would be too small.
    text = NARROW_LOSS.format(element="bf16", scale="initial = 257.0, growth = 1.0, backoff = 1.0")
    text = text.replace("loss_scale #", "master_weights loss_scale #")
    for configuration, model in configurations(text, IN_PROCESS):
        model.initialize()
        model.run("step", narrowed(1, model["w"]))
        expect_equal(configuration, model["w/SGD/master"], np.float32(0.875))


def test_many_calls() -> None:
    """G9, O1: counts of calls that no f64 holds."""
    most = 2**63 - 1
    text = program("f32", spell("sgd", {}), f"accumulate {most} loss_scale #train.loss_scale<growth_interval = {most}>")
    for configuration, model in configurations(text):
        model.initialize()
        before = model.snapshot()
        feeds = {name: np.ones(shape, np.float32) for name, shape in SHAPES.items()}
        for call in (1, 2):
            model.run("step", *feeds.values())
            for p in SHAPES:
                expect_equal(configuration, model[p], before[p])
                expect_equal(configuration, model[f"{p}/SGD/gradient_sum"], np.float32(call) * feeds[p])
            expect_equal(configuration, model["SGD/micro_step"], np.int64(call))
            expect_equal(configuration, model["SGD/good_steps"], np.int64(call))
            expect_equal(configuration, model["SGD/loss_scale"], np.float32(65536))


def narrowed(values: Any, like: Array) -> Array:
    return np.asarray(np.asarray(values, np.float32).astype(like.dtype))


def test_master_weights() -> None:
    """O1: steps below the resolution of bf16 and f16 add up in the f32 of which the
    variable is the rounded value, whatever the optimizer."""
    cases = [(name, element) for name in RULES for element in ("bf16", "f16")]
    for name, element in choose("master weights", cases, 0.1, group=lambda case: case[0]):
        rule = RULES[name]
        text = program(element, spell(name, {}), "master_weights")
        for configuration, model in configurations(text, IN_PROCESS):
            what = f"{configuration} {element} {name}"
            model.initialize()
            rules = {p: rule(np.asarray(model[p], np.float64), lr=rule.defaults["lr"]) for p in SHAPES}
            rng = np.random.default_rng(7)
            for call in range(6):
                if call == 3:
                    model = resumed(model)
                gradients = draw(rng, np.float32)
                # Gradients have the type of their variable.
                gradients = {p: np.asarray(narrowed(g, model[p]), np.float32) for p, g in gradients.items()}
                model.run("step", *gradients.values())
                for p in SHAPES:
                    rules[p].step(gradients[p])
                    master = model[f"{p}/{rule.scope}/master"]
                    expect_close(f"{what} {p} call {call}", master, rules[p].p, max(1e-4, 10 * rule.tolerances[0]))
                    expect_equal(f"{what} {p} call {call}", model[p], narrowed(master, model[p]))


def test_assigned_weights() -> None:
    """O1: what the program assigns is where the next step starts, also with a constraint."""
    text = program("bf16", spell("sgd", {"lr": 0.5}), "master_weights")
    text = text.replace("@b : tensor<37xbf16> = #train.random_normal",
                        "@b : tensor<37xbf16> = #train.random_normal {constraint = #train.non_neg}")
    assert "non_neg" in text
    for configuration, model in configurations(text, IN_PROCESS):
        model.initialize()
        rng = np.random.default_rng(8)
        model.run("step", *draw(rng, np.float32).values())
        for name, shape in SHAPES.items():
            model[name] = narrowed(np.full(shape, 3.0), model[name])
        gradients = draw(rng, np.float32)
        model.run("step", *gradients.values())
        for name, gradient in gradients.items():
            expected = 3 - 0.5 * np.asarray(narrowed(gradient, model[name]), np.float64)
            if name == "b":
                expected = np.maximum(expected, 0)
            expect_close(f"{configuration} {name}", model[f"{name}/SGD/master"], expected, 1e-5)
            expect_equal(f"{configuration} {name}", model[name], narrowed(expected, model[name]))


def test_all_together() -> None:
    """G9, O1, O10: bf16, its master weights, a scale that changes, three calls a step,
    decay, a clipped global norm and a schedule, restored in the middle of a step."""
    text = program(
        "bf16", "#train.adamw<lr = 0.0, weight_decay = 0.0>",
        "lr #train.cosine_rate<peak = 0.1, steps = 10, warmup = 2> l2 0.1 weight_decay 0.25 no_decay [@b] "
        "clip_global_norm 0.5 loss_scale #train.loss_scale<initial = 1024.0, growth_interval = 4> accumulate 3 "
        "master_weights")
    for configuration, model in configurations(text, IN_PROCESS):
        what = configuration
        model.initialize()
        p = {name: np.asarray(model[name], np.float64) for name in SHAPES}
        rules = {name: RULES["adamw"](p[name], lr=0.1, weight_decay=0.0) for name in SHAPES}
        rng, scale, good, steps = np.random.default_rng(9), 1024.0, 0, 0
        parts: List[Dict[str, Array]] = []
        for call in range(21):
            if call in (4, 10):
                model = resumed(model)
            gradients = {name: np.asarray(narrowed(g, model[name]), np.float32)
                         for name, g in draw(rng, np.float32).items()}
            if call in (1, 7, 8, 15):
                gradients["w"][0, call] = np.inf
                scale, good = scale / 2, 0
            else:
                parts.append(gradients)
                good += 1
                if good == 4:
                    scale, good = scale * 2, 0
            model.run("step", *gradients.values())
            if len(parts) == 3:
                rate = 0.1 * ((steps + 1) / 2 if steps < 2 else
                              0.5 * (1 + math.cos(math.pi * min(1, (steps - 2) / 8))))
                mean = {name: np.mean([np.asarray(g[name], np.float64) for g in parts], 0) for name in SHAPES}
                mean = {name: g + (0 if name == "b" else 0.1 * rules[name].p) for name, g in mean.items()}
                norm = math.sqrt(sum(float(np.sum(g**2)) for g in mean.values()))
                for name, rule in rules.items():
                    old = rule.p
                    rule.options["lr"] = rate
                    rule.step(mean[name] * 0.5 / max(norm, 0.5))
                    rule.p = rule.p - (0 if name == "b" else rate * 0.25 * old)
                parts, steps = [], steps + 1
            for name, rule in rules.items():
                master = model[f"{name}/AdamW/master"] if steps else model[name]
                expect_close(f"{what} {name} call {call}", master, rule.p, 2e-5)
                expect_equal(f"{what} {name} call {call}", model[name], narrowed(master, model[name]))
            expect_equal(f"{what} scale {call}", model["AdamW/loss_scale"], np.float32(scale))
            expect_equal(f"{what} parts {call}", model["AdamW/micro_step"], np.int64(len(parts)))
            expect_equal(f"{what} steps {call}", model["step_number"], np.int64(steps))
        assert steps > 4, steps


def test_step_has_no_copies() -> None:
    """O28: the clauses keep updates in place: no buffer is as large as a parameter, also
    where a norm reads gradients before the update does."""
    for element, clauses in (
        ("f32", "accumulate 4"), ("f32", "loss_scale #train.loss_scale"),
        ("f32", "loss_scale #train.loss_scale accumulate 4"), ("bf16", "clip_global_norm 1.0 master_weights"),
        ("bf16", "clip_global_norm 1.0 loss_scale #train.loss_scale accumulate 4 master_weights"),
    ):
        kind = f"tensor<1000x1000x{element}>"
        text = (f"train.variable @p : {kind}\nfunc.func @step(%g: {kind}) {{\n"
                f"  train.apply_gradients %g : {kind} to [@p] with #train.adam {clauses}\n  return\n}}\n")
        for configuration, model in configurations(text, ("optimized", "threads")):
            size = model.workspace_bytes("step")
            assert size < 100_000, f"{configuration} {element} {clauses}: {size} bytes"


run_tests([test_accumulation, test_micro_batches, test_loss_scale, test_small_gradients, test_scale_stays_finite,
           test_scale_stays_above_zero, test_scale_of_a_narrow_loss, test_many_calls,
           test_master_weights, test_assigned_weights, test_all_together, test_step_has_no_copies])
