# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pairs of functions that compute the same, by subject."""

from rewriting_rules import algebra, control, layers, shapes
from rewriting_rules.rule import RULES, Pair

__all__ = ["RULES", "Pair", "algebra", "control", "layers", "shapes"]
