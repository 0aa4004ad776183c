# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Fused updates have the bits of the reference lowering in f64 (O28).

Rules that sum over a parameter add in another order there, and differ in the last bit.
"""

import numpy as np

import flywheel
from configurations import expect_equal, run_tests
from optimizer_rules import RULES, spell

SUMMING = {"adafactor", "lamb", "muon"}


def train(text: str, lowering: str) -> flywheel.Session:
    session = flywheel.Session(flywheel.compile(text, lowering=lowering))
    session.initialize(1)
    rng = np.random.default_rng(0)
    for _ in range(5):
        session.run("step", rng.standard_normal((37, 29)))
    return session


def test_same_bits() -> None:
    """O28: parameters, slots and scalars of every elementwise rule, after five steps."""
    assert set(RULES) > SUMMING
    for name in sorted(set(RULES) - SUMMING):
        attribute = spell(name, {})
        text = (
            "train.variable @w : tensor<37x29xf64> = #train.random_normal<seed = 3>\n"
            "func.func @step(%g: tensor<37x29xf64>) {\n"
            f"  train.apply_gradients %g : tensor<37x29xf64> to [@w] with {attribute}\n  return\n}}\n"
        )
        reference, optimized = train(text, "reference"), train(text, "optimized")
        start = flywheel.Session(flywheel.compile(text))
        start.initialize(1)
        assert not np.array_equal(start["w"], optimized["w"]), name
        for variable in reference.variables:
            expect_equal(f"{attribute} {variable}", optimized[variable], reference[variable])


run_tests([test_same_bits])
