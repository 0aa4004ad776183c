# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forms of Keras 3 on JAX, its fastest back end for them. Their layers have names in place of paths."""

from __future__ import annotations

from typing import Any

import numpy as np
from programs import Array, Layer

# The variables of a layer in Keras' order.
ORDER = {"kernel": 0, "table": 0, "gamma": 0, "value": 0, "recurrent_kernel": 1, "beta": 1, "bias": -1}
PROJECTIONS = {"q": "query_dense", "k": "key_dense", "v": "value_dense", "o": "output_dense"}


def adopt(batch: tuple[Array, ...]) -> tuple[Any, ...]:
    return batch


def find(form: Any, path: str) -> Any:
    model, _, name = path.partition("/")
    network, parts = getattr(form, model), name.split("/")
    if "attention" in parts:
        return getattr(network.get_layer("_".join(parts[:-1])), PROJECTIONS[parts[-1]])
    return network.get_layer("_".join(parts))


def place(form: Any, weights: dict[str, Layer], still: bool) -> None:
    for path, layer in weights.items():
        found = find(form, path)
        if layer.kind == "dropout":
            found.rate = 0.0 if still else found.rate
        for name, value in layer.values.items():
            variable = found.trainable_variables[ORDER[name]]
            if layer.kind == "gru":
                # Keras has the update gate first, and a second bias, of the recurrent product.
                reset, update, new = np.split(value, 3, axis=-1)
                value = np.concatenate([update, reset, new], axis=-1)
                value = np.stack([value, 0 * value]) if name == "bias" else value
            variable.assign(value.reshape(variable.shape))
