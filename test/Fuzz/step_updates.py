# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizers and constraints of random train steps: their text, and what they do in NumPy."""

from typing import Any, Callable, Dict, Tuple

import numpy as np
from numpy.typing import NDArray

from harness import Rng, choose

Array = NDArray[Any]
Rule = Callable[[Array, Array, Dict[str, Array], int], Array]


def sgd(rate: float, momentum: float, nesterov: bool, decay: float) -> Tuple[str, Rule]:
    def rule(p: Array, g: Array, slots: Dict[str, Array], iterations: int) -> Array:
        lr = rate / (1 + decay * iterations)
        slots["v"] = v = momentum * slots.get("v", np.zeros_like(p)) - lr * g
        return p + momentum * v - lr * g if nesterov else p + v

    return (
        f"#train.sgd<lr = {rate}, momentum = {momentum}, decay = {decay}, nesterov = {str(nesterov).lower()}>",
        rule,
    )


def accumulated_momentum(rate: float, momentum: float, nesterov: bool) -> Tuple[str, Rule]:
    def rule(p: Array, g: Array, slots: Dict[str, Array], iterations: int) -> Array:
        slots["a"] = a = momentum * slots.get("a", np.zeros_like(p)) + g
        return p - rate * g - rate * momentum * a if nesterov else p - rate * a

    return f"#train.momentum<lr = {rate}, momentum = {momentum}, nesterov = {str(nesterov).lower()}>", rule


def adam(rate: float, amsgrad: bool, decay: float) -> Tuple[str, Rule]:
    def rule(p: Array, g: Array, slots: Dict[str, Array], iterations: int) -> Array:
        t = iterations + 1
        slots["m"] = m = 0.9 * slots.get("m", np.zeros_like(p)) + 0.1 * g
        slots["v"] = v = 0.99 * slots.get("v", np.zeros_like(p)) + 0.01 * g * g
        slots["h"] = h = np.maximum(slots.get("h", np.zeros_like(p)), v) if amsgrad else v
        lr = rate / (1 + decay * iterations) * np.sqrt(1 - 0.99**t) / (1 - 0.9**t)
        return np.asarray(p - lr * m / (np.sqrt(h) + 0.01))

    return (
        f"#train.adam<lr = {rate}, beta_2 = 0.99, epsilon = 0.01, decay = {decay}, amsgrad = {str(amsgrad).lower()}>",
        rule,
    )


def draw_optimizer(rng: Rng) -> Tuple[str, Rule]:
    kind, flag = int(rng.integers(3)), bool(rng.integers(2))
    decay = choose(rng, [0.0, 0.0, 0.5])
    if kind == 0:
        return sgd(0.1, choose(rng, [0.0, 0.9]), flag, decay)
    return accumulated_momentum(0.1, 0.9, flag) if kind == 1 else adam(0.05, flag, decay)


def project(constraint: str, p: Array) -> Array:
    if not constraint:
        return p
    if "non_neg" in constraint:
        return np.maximum(p, 0)
    norm = np.sqrt(np.sum(p * p, 0, keepdims=True))
    scale = np.minimum(norm, 0.75) if "max_norm" in constraint else 1.0
    return np.asarray(p * scale / (1e-7 + norm))
