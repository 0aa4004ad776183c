# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizers and constraints of random train steps: their text, and what they do in NumPy."""

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

from harness import Rng, choose
from optimizer_rules import RULES, spell

Array = NDArray[Any]
# The last argument, if there is one, are the rows that a lazy update does not leave alone.
Rule = Callable[..., Array]


# Options of each optimizer, of which one is drawn. If a root or a norm of gradients divides, a large epsilon keeps the
# effect of a gradient small that is only rounding; a sign has a small rate for the same reason.
OPTIONS: Dict[str, List[Dict[str, Any]]] = {
    "sgd": [dict(lr=0.1), dict(lr=0.1, momentum=0.9, decay=0.5), dict(lr=0.1, momentum=0.9, nesterov=True)],
    "momentum": [dict(lr=0.1), dict(lr=0.1, nesterov=True)],
    "adam": [
        dict(lr=0.05, beta_2=0.99, epsilon=0.01),
        dict(lr=0.05, beta_2=0.99, epsilon=0.01, decay=0.5, amsgrad=True),
    ],
    "rmsprop": [dict(lr=0.05, epsilon=0.01), dict(lr=0.05, epsilon=0.01, decay=0.5)],
    "adagrad": [dict(lr=0.05, epsilon=0.01)],
    "adadelta": [dict(lr=0.5, epsilon=0.01)],
    "adamax": [dict(lr=0.05, epsilon=0.01)],
    "nadam": [dict(lr=0.05, epsilon=0.01)],
    "gradient_descent": [dict(lr=0.1)],
    "tf_adam": [dict(lr=0.05, epsilon=0.01)],
    "tf_adagrad": [dict(lr=0.1)],
    "tf_rmsprop": [dict(lr=0.05), dict(lr=0.05, momentum=0.5, epsilon=0.01, centered=True)],
    "tf_adadelta": [dict(lr=0.5, epsilon=0.01)],
    "ftrl": [dict(lr=0.1), dict(lr=0.1, l1=0.1, l2=0.5, l2_shrinkage=0.1)],
    "adamw": [dict(lr=0.05, epsilon=0.01, weight_decay=0.5)],
    "nadamw": [dict(lr=0.05, epsilon=0.01, weight_decay=0.5)],
    "adabelief": [dict(lr=0.05, epsilon=0.01, weight_decay=0.5)],
    "lion": [dict(lr=1e-4, weight_decay=0.5)],
    "lamb": [dict(lr=0.05, epsilon=0.01, weight_decay=0.5)],
    "adafactor": [dict(lr=0.1, epsilon_1=0.01)],
    "muon": [dict(lr=0.02, nesterov=True), dict(lr=0.02, nesterov=False, weight_decay=0.5)],
}


# Optimizers whose rule is about whole tensors: there is no lazy form.
WHOLE = ("adafactor", "lamb", "muon")


def optimizer(name: str, options: Dict[str, Any]) -> Tuple[str, Rule]:
    def rule(
        p: Array, g: Array, state: Dict[str, Array], iterations: int, rows: Optional[Sequence[int]] = None
    ) -> Array:
        found = RULES[name](p, **options)
        found.t = iterations
        if state:
            found.slots = [state[str(index)] for index in range(len(found.slots))]
            found.scalars = {key: float(value) for key, value in state.items() if not key.isdigit()}
        before = [found.p, *found.slots]
        found.step(g)
        if rows is not None:
            is_updated = np.isin(np.arange(len(p)), rows).reshape(-1, *[1] * (p.ndim - 1))
            found.p, *found.slots = (
                np.where(is_updated, new, old) for new, old in zip([found.p, *found.slots], before)
            )
        state.update({str(index): slot for index, slot in enumerate(found.slots)})
        state.update({key: np.asarray(value) for key, value in found.scalars.items()})
        return found.p

    return spell(name, options), rule


def draw_optimizer(rng: Rng, lazy: bool = False) -> Tuple[str, Rule]:
    name = choose(rng, sorted(name for name in RULES if not lazy or name not in WHOLE))
    return optimizer(name, choose(rng, OPTIONS[name]))


def project(constraint: str, p: Array) -> Array:
    if not constraint:
        return p
    if "non_neg" in constraint:
        return np.maximum(p, 0)
    norm = np.sqrt(np.sum(p * p, 0, keepdims=True))
    scale = np.minimum(norm, 0.75) if "max_norm" in constraint else 1.0
    return np.asarray(p * scale / (1e-7 + norm))
