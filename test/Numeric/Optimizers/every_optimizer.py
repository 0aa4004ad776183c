# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Rules that hold for every optimizer that the compiler has (O1, O14, O20, P10).

The attributes are those that the compiler lists: one without a formula in
`optimizer_rules.py` fails. Five steps of parameters of several shapes, one with a
constraint, along gradients that are fed, in f64 and f32; hyper-parameters change
between steps; a model that goes on from a checkpoint has the same bits.
"""

import re
from typing import Any, Dict, List, Tuple

import numpy as np
from numpy.typing import NDArray

import flywheel
from configurations import ALL, Model, configurations, expect_close, expect_equal, make, resumed, run_tests
from optimizer_rules import RULES, Rule, slot_names, spell
from selection import choose

Array = NDArray[Any]

# Parameters by name. A number, a row, both kinds of matrices, and more.
SHAPES: Dict[str, Tuple[int, ...]] = {"s": (), "b": (37,), "w": (9, 33), "c": (7, 4), "k": (3, 2, 5)}
CONSTRAINED = "b"
# The share of the options and element types in one run, and at least one of each optimizer.
SHARE = 0.1
# Optimizers whose rule is about more than one element: a sum has an order.
WHOLE = ("lamb", "adafactor", "muon")
DTYPES = {"f64": np.float64, "f32": np.float32}
CHANGES = {"lr": 0.5, "momentum": 0.8, "decay": 0.5, "rho": 0.75, "beta_1": 0.9, "beta_2": 0.95, "l1": 0.5,
           "l2": 0.5, "l2_shrinkage": 0.5, "weight_decay": 0.5, "adam_lr": 0.5}


def registered() -> List[str]:
    """The names of the optimizers, as the compiler lists them."""
    text = """
train.variable @p : tensor<f32>
func.func @step() {
  %p = train.read @p : tensor<f32>
  train.minimize %p : tensor<f32> with #train.none_of_that_name
  return
}
"""
    try:
        flywheel.compile(text)
    except Exception as error:
        found = re.search(r"the optimizers are ([^;]*);", str(error))
        assert found, error
        return [name.strip().replace("#train.", "") for name in found.group(1).split(",")]
    raise AssertionError("expected an error that lists the optimizers")


def tensor(shape: Tuple[int, ...], element: str) -> str:
    return f"tensor<{''.join(f'{dim_size}x' for dim_size in shape)}{element}>"


def program(attribute: str, element: str) -> str:
    text, names, kinds = "", list(SHAPES), [tensor(shape, element) for shape in SHAPES.values()]
    for name, kind in zip(names, kinds):
        constraint = " {constraint = #train.non_neg}" if name == CONSTRAINED else ""
        text += f"train.variable @{name} : {kind} = #train.random_normal{constraint}\n"
    return text + (
        f"func.func @step({', '.join(f'%{name}: {kind}' for name, kind in zip(names, kinds))}) {{\n"
        f"  train.apply_gradients {', '.join('%' + name for name in names)} : {', '.join(kinds)}\n"
        f"      to [{', '.join('@' + name for name in names)}] with {attribute}\n  return\n}}\n")


def check(what: str, model: Model, name: str, rules: Dict[str, Rule], element: str) -> None:
    tolerance = RULES[name].tolerances[element == "f64"]
    for parameter, rule in rules.items():
        expect_close(f"{what} {parameter}", model[parameter], rule.p, tolerance)
        for slot, expected in zip(slot_names(parameter, name, len(rule.slots)), rule.slots):
            expect_close(f"{what} {slot}", model[slot], expected, tolerance)
    for scalar, value in next(iter(rules.values())).scalars.items():
        expect_close(f"{what} {scalar}", model[f"{RULES[name].scope}/{scalar}"], value, tolerance)


def check_steps(name: str, options: Dict[str, Any], element: str, names: Tuple[str, ...]) -> None:
    attribute = spell(name, options)
    text = program(attribute, element)
    for configuration, model in configurations(text, names):
        rng = np.random.default_rng(3)
        model.initialize()
        rules = {p: RULES[name](model[p], **{"lr": RULES[name].defaults["lr"], **options}) for p in SHAPES}
        other = None
        for step in range(5):
            what = f"{configuration} {element} {attribute} step {step}"
            gradients = {p: np.asarray(rng.standard_normal(shape), DTYPES[element]) for p, shape in SHAPES.items()}
            if step == 1:  # No gradient, and a part of one.
                gradients["s"] *= 0
                gradients["w"][2:5] = 0
            if step == 3:
                for variable in RULES[name].variables:
                    value = np.asarray(next(iter(rules.values())).options[variable] * CHANGES[variable])
                    for each in [model, *([other] if other else [])]:
                        each[f"{RULES[name].scope}/{variable}"] = value.astype(DTYPES[element])
                    for rule in rules.values():
                        rule.options[variable] = float(value)
            model.run("step", *gradients.values())
            for parameter, rule in rules.items():
                rule.step(gradients[parameter])
                if parameter == CONSTRAINED:
                    rule.p = np.maximum(rule.p, 0)
            check(what, model, name, rules, element)
            if other:
                other.run("step", *gradients.values())
            if step == 1:
                other = resumed(model)
        assert other
        for variable in model.variables():
            expect_equal(f"{configuration} {attribute} resumed {variable}", other[variable], model[variable])


def test_registered() -> None:
    """Each optimizer has a formula here, with its defaults, and each formula an optimizer."""
    expect_equal("optimizers", sorted(RULES), sorted(registered()))


def test_formulas() -> None:
    """O1, O14, O20: numbers and names of parameters, slots and scalars, over five steps."""
    cases: List[Tuple[str, Dict[str, Any], str, Tuple[str, ...]]] = []
    for name, rule in RULES.items():
        for index, options in enumerate(({}, *rule.variants)):
            for element in DTYPES:
                # All configurations once, and everything in the one that is fast.
                whole = (index == 1 or not rule.variants) and element == "f64"
                cases.append((name, options, element, ALL if whole else ("reference", "optimized")))
    for case in choose("formulas of optimizers", cases, SHARE, group=lambda case: case[0]):
        check_steps(*case)


def test_same_bits() -> None:
    """O28: in f64 the fused loops of an elementwise update make no other bits than plain ones."""
    cases = [(name, options) for name, rule in RULES.items() if name not in WHOLE
             for options in ({}, *rule.variants)]
    for name, options in choose("bits of optimizers", cases, SHARE, group=lambda case: case[0]):
        text, found = program(spell(name, options), "f64"), []
        for configuration in ("reference", "optimized", "threads"):
            model = make(text, configuration)
            model.initialize()
            rng = np.random.default_rng(14)
            for _ in range(5):
                model.run("step", *(np.asarray(rng.standard_normal(shape)) for shape in SHAPES.values()))
            found.append(model.snapshot())
        for other in found[1:]:
            for variable, value in found[0].items():
                expect_equal(f"{name} {options} {variable}", other[variable], value)


def test_step_has_no_copies() -> None:
    """O28: an elementwise update has no workspace but that of a few numbers."""
    for name in RULES:
        if name in WHOLE:
            continue
        kind = "tensor<1000x1000xf32>"
        text = (f"train.variable @p : {kind}\nfunc.func @step(%g: {kind}) {{\n"
                f"  train.apply_gradients %g : {kind} to [@p] with {spell(name, {})}\n  return\n}}\n")
        model = make(text, "optimized")
        assert model.workspace_bytes("step") < 4096, (name, model.workspace_bytes("step"))


def test_no_elements() -> None:
    """O1: a variable without elements has an update like any other, and finite slots."""
    kinds = ["tensor<0xf32>", "tensor<3x0xf32>", "tensor<0x5x2xf32>", "tensor<2xf32>"]
    numbers = range(len(kinds))
    for name in RULES:
        text = "".join(f"train.variable @p{i} : {kinds[i]} = #train.ones\n" for i in numbers) + (
            f"func.func @step({', '.join(f'%g{i}: {kinds[i]}' for i in numbers)}) {{\n"
            f"  train.apply_gradients {', '.join(f'%g{i}' for i in numbers)} : {', '.join(kinds)}\n"
            f"      to [{', '.join(f'@p{i}' for i in numbers)}] with {spell(name, {})}\n  return\n}}\n")
        for configuration, model in configurations(text, ("reference", "optimized")):
            model.initialize()
            for _ in range(2):
                model.run("step", *(np.ones(shape, np.float32) for shape in ((0,), (3, 0), (0, 5, 2), (2,))))
            for variable in model.variables():
                assert np.all(np.isfinite(np.asarray(model[variable], np.float64))), (configuration, name, variable)
            assert np.all(model["p3"] != 1), (configuration, name)


def test_large_gradients() -> None:
    """O20: squares beyond f32, of gradients that are numbers of it, freeze no element of LAMB and Adafactor.

    The formula is that in f64, and a slot beyond f32 is f32's largest number.
    """
    for name in ("lamb", "adafactor"):
        options = {} if name == "adafactor" else dict(weight_decay=0.0)
        for configuration, model in configurations(program(spell(name, options), "f32"), ("reference", "optimized")):
            rng = np.random.default_rng(5)
            model.initialize()
            rules = {p: RULES[name](model[p].astype(np.float64), **{"lr": RULES[name].defaults["lr"], **options})
                     for p in SHAPES}
            for rule in rules.values():
                rule.largest = float(np.finfo(np.float32).max)
            for step, size in enumerate((1.0, 1e20, 1e35, 1e-3, 1.0)):
                gradients = {p: np.asarray(rng.standard_normal(shape), np.float32) for p, shape in SHAPES.items()}
                # One element of the matrix, and all of the others: means of squares within f32, and beyond.
                for parameter, gradient in gradients.items():
                    gradient[(0,) * gradient.ndim if parameter == "w" else ...] *= np.float32(size)
                before = {p: model[p].copy() for p in SHAPES}
                model.run("step", *gradients.values())
                for parameter, rule in rules.items():
                    old = rule.p
                    rule.step(gradients[parameter].astype(np.float64))
                    if parameter == CONSTRAINED:
                        rule.p = np.maximum(rule.p, 0)
                    what = f"{configuration} {name} step {step} {parameter}"
                    expect_close(what, model[parameter], rule.p, 2e-5)
                    for slot in slot_names(parameter, name, len(rule.slots)):
                        assert np.all(np.isfinite(model[slot])), f"{what}: {slot}"
                    # Adafactor goes on by little where a small gradient follows large ones.
                    if np.any(np.abs(rule.p - old) > 1e-5):
                        assert np.any(before[parameter] != model[parameter]), what
    # In f64, where a sum of squares is infinite: a step is no longer than the rate and the parameters say.
    for name in ("lamb", "adafactor"):
        for configuration, model in configurations(program(spell(name, {}), "f64"), ("reference", "optimized")):
            model.initialize()
            for size in (1e200, 1e150, 1.0, 1e300):
                before = {p: model[p].copy() for p in SHAPES if p != CONSTRAINED}
                rng = np.random.default_rng(6)
                model.run("step", *(np.asarray(rng.standard_normal(shape)) * size for shape in SHAPES.values()))
                for p, old in before.items():
                    what = f"{configuration} {name} {size} {p}"
                    assert np.linalg.norm(model[p] - old) <= 0.05 * np.linalg.norm(old) + 0.01, what
    # In f16 the largest number is 65504, and in bf16 that of f32.
    for element, size in (("f16", 300.0), ("bf16", 1e30)):
        for name in ("lamb", "adafactor"):
            model = make(program(spell(name, {}), element), "optimized")
            model.initialize()
            for _ in range(3):
                model.run("step", *(np.full(shape, size).astype(model[p].dtype) for p, shape in SHAPES.items()))
            for variable in model.variables():
                assert np.all(np.isfinite(np.asarray(model[variable], np.float64))), (element, name, variable)


run_tests([test_registered, test_formulas, test_same_bits, test_step_has_no_copies, test_no_elements,
           test_large_gradients])
