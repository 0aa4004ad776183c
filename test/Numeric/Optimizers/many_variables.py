# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""O28: updates of variables of many sizes, which share one loop."""

import numpy as np

from configurations import configurations, expect_close, expect_equal, run_tests
from optimizer_rules import RULES, spell

# Below, at and above the lengths of vectors, numbers of equal size in other shapes.
SHAPES = [(1,), (2,), (7,), (15,), (16,), (17,), (4, 8), (33,), (3, 7), (64,), (5, 5, 5), (1000,), (40, 25), ()]


def test_updates() -> None:
    for name, element in (("adam", "f32"), ("sgd", "f64"), ("gradient_descent", "f32"), ("lamb", "f64")):
        kinds = [f"tensor<{''.join(f'{size}x' for size in shape)}{element}>" for shape in SHAPES]
        numbers = range(len(SHAPES))
        text = "".join(f"train.variable @p{i} : {kinds[i]} = #train.random_normal\n" for i in numbers) + (
            f"func.func @step({', '.join(f'%g{i}: {kinds[i]}' for i in numbers)}) {{\n"
            f"  train.apply_gradients {', '.join(f'%g{i}' for i in numbers)} : {', '.join(kinds)}\n"
            f"      to [{', '.join(f'@p{i}' for i in numbers)}] with {spell(name, {})}\n  return\n}}\n")
        starts = []
        for configuration, model in configurations(text):
            rng = np.random.default_rng(5)
            model.initialize()
            starts.append([model[f"p{i}"] for i in numbers])
            for i in numbers:
                expect_equal(f"{configuration} {name} first {i}", starts[-1][i], starts[0][i])
            rules = [RULES[name](model[f"p{i}"], lr=RULES[name].defaults["lr"]) for i in numbers]
            for step in range(3):
                gradients = [np.asarray(rng.standard_normal(shape), np.float64 if element == "f64" else np.float32)
                             for shape in SHAPES]
                model.run("step", *gradients)
                for i, (rule, gradient) in enumerate(zip(rules, gradients)):
                    rule.step(gradient)
                    expect_close(f"{configuration} {name} step {step} {i}", model[f"p{i}"], rule.p,
                                 RULES[name].tolerances[element == "f64"])


run_tests([test_updates])
