# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forms of JAX: modules of flax.nnx, optimizers of optax, and `nnx.cached_partial` of what is compiled, whose calls
do not walk the modules again."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from flywheel_adapter import find
from programs import Array, Layer

NAMES = {"kernel": "kernel", "table": "embedding", "gamma": "scale", "beta": "bias", "bias": "bias"}
PROJECTIONS = {"q": "query", "k": "key", "v": "value", "o": "out"}


def adopt(batch: tuple[Array, ...]) -> tuple[Any, ...]:
    return tuple(jnp.asarray(x) for x in batch)


def assign(variable: Any, value: Array) -> None:
    variable[...] = jnp.asarray(value).reshape(variable.shape)


def place(form: Any, weights: dict[str, Layer], still: bool) -> None:
    for path, layer in weights.items():
        parent, _, last = path.rpartition("/")
        found = find(form, f"{parent}/{PROJECTIONS[last]}" if parent.endswith("attention") else path)
        if layer.kind == "dropout":
            found.rate = 0.0 if still else found.rate
        elif layer.kind == "scalar":
            assign(found, layer.values["value"])
        elif layer.kind == "lstm":
            assign(found.cell.dense_i.kernel, layer.values["kernel"])
            assign(found.cell.dense_h.kernel, layer.values["recurrent_kernel"])
            assign(found.cell.dense_h.bias, layer.values["bias"])
        elif layer.kind == "gru":
            assign(found.cell.dense_i.kernel, layer.values["kernel"])
            assign(found.cell.dense_i.bias, layer.values["bias"])
            assign(found.cell.dense_h.kernel, layer.values["recurrent_kernel"])
        else:
            for name, value in layer.values.items():
                assign(getattr(found, NAMES[name]), value)
