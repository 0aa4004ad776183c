# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forms of PyTorch. They decorate what is compiled with `torch.compile`, which the variable of the environment
TORCHDYNAMO_DISABLE=1 makes the identity: that is the eager form."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from programs import Array, Layer

NAMES = {"kernel": "weight", "table": "weight", "gamma": "weight", "beta": "bias", "bias": "bias"}


def adopt(batch: tuple[Array, ...]) -> tuple[Any, ...]:
    tensors = [torch.tensor(x) for x in batch]
    tensors = [x if x.is_floating_point() else x.long() for x in tensors]
    # The layout of a loader of images: [batch, channels, height, width], in memory with the channels last.
    return tuple(x.permute(0, 3, 1, 2) if x.dim() == 4 else x for x in tensors)


def find(form: Any, path: str) -> Any:
    found = form
    for part in path.split("/"):
        found = found[int(part)] if part.isdigit() else getattr(found, part)
    return found


def join_attention(weights: dict[str, Layer]) -> dict[str, Layer]:
    """Queries, keys and values are one layer."""
    joined = {path: layer for path, layer in weights.items() if "/attention/" not in path}
    for path in (path for path in weights if path.endswith("/attention/q")):
        block = path[: -len("attention/q")]
        parts = [weights[f"{block}attention/{name}"].values for name in "qkv"]
        joined[block + "qkv"] = Layer(
            "dense", {name: np.concatenate([part[name] for part in parts], -1) for name in ("kernel", "bias")}
        )
        joined[block + "o"] = weights[block + "attention/o"]
    return joined


@torch.no_grad()
def place(form: Any, weights: dict[str, Layer], still: bool) -> None:
    for path, layer in join_attention(weights).items():
        found, values = find(form, path), layer.values
        if layer.kind == "dropout":
            found.p = 0.0 if still else found.p
        elif layer.kind == "scalar":
            found.fill_(float(values["value"]))
        elif layer.kind in ("lstm", "gru"):
            found.weight_ih_l0.copy_(torch.tensor(values["kernel"].T))
            found.weight_hh_l0.copy_(torch.tensor(values["recurrent_kernel"].T))
            found.bias_ih_l0.copy_(torch.tensor(values["bias"]))
            found.bias_hh_l0.zero_()
        else:
            for name, value in values.items():
                axes = {"dense": (1, 0), "conv": (3, 2, 0, 1)}.get(layer.kind) if name == "kernel" else None
                getattr(found, NAMES[name]).copy_(torch.tensor(value if axes is None else value.transpose(axes)))
