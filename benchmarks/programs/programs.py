# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs: their initial weights and their batches, which all forms start from and read.

A weight has the path that it has in the form of Flywheel: the name of a module in the form, then attributes. Images
are [batch, height, width, channels], kernels [inputs, outputs] and [height, width, inputs, outputs], gates of an LSTM
in the order input, forget, cell, output, those of a GRU in the order reset, update, new. An adapter (`*_adapter.py`)
places them as its framework has them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any
Random = np.random.Generator


@dataclass
class Layer:
    """A layer of a `kind` that adapters know, with its values by their names."""

    kind: str
    values: dict[str, Array]


def normal(random: Random, *shape: int, inputs: int) -> Array:
    return (random.standard_normal(shape) / np.sqrt(inputs)).astype(np.float32)


def dense(inputs: int, outputs: int) -> Callable[[Random], Layer]:
    def make(random: Random) -> Layer:
        bias = 0.1 * normal(random, outputs, inputs=1)
        return Layer("dense", {"kernel": normal(random, inputs, outputs, inputs=inputs), "bias": bias})

    return make


def conv(window: int, inputs: int, outputs: int) -> Callable[[Random], Layer]:
    def make(random: Random) -> Layer:
        kernel = normal(random, window, window, inputs, outputs, inputs=window * window * inputs)
        return Layer("conv", {"kernel": kernel, "bias": 0.1 * normal(random, outputs, inputs=1)})

    return make


def norm(kind: str, size: int) -> Callable[[Random], Layer]:
    def make(random: Random) -> Layer:
        gamma = 1 + 0.1 * normal(random, size, inputs=1)
        return Layer(kind, {"gamma": gamma, "beta": 0.1 * normal(random, size, inputs=1)})

    return make


def embedding(count: int, width: int) -> Callable[[Random], Layer]:
    return lambda random: Layer("embedding", {"table": normal(random, count, width, inputs=width)})


def recurrent(kind: str, gates: int, inputs: int, units: int) -> Callable[[Random], Layer]:
    def make(random: Random) -> Layer:
        kernel = normal(random, inputs, gates * units, inputs=inputs)
        own = normal(random, units, gates * units, inputs=units)
        bias = 0.1 * normal(random, gates * units, inputs=1)
        return Layer(kind, {"kernel": kernel, "recurrent_kernel": own, "bias": bias})

    return make


def dropout(random: Random) -> Layer:
    return Layer("dropout", {})


def scalar(value: float) -> Callable[[Random], Layer]:
    return lambda random: Layer("scalar", {"value": np.float32(value)})


def transformer(characters: int, width: int, context: int, layers: int) -> dict[str, Callable[[Random], Layer]]:
    tree = {"model/embed": embedding(characters, width), "model/places": embedding(context, width)}
    for block in (f"model/blocks/{layer}" for layer in range(layers)):
        tree |= {f"{block}/norm{i}": norm("layer_norm", width) for i in (1, 2)}
        tree |= {f"{block}/attention/{name}": dense(width, width) for name in "qkvo"}
        tree |= {f"{block}/wide": dense(width, 4 * width), f"{block}/narrow": dense(4 * width, width)}
    return {**tree, "model/norm": norm("layer_norm", width), "model/head": dense(width, characters)}


@dataclass
class Program:
    """`feeds` makes a batch. Losses are compared over `steps` steps."""

    title: str
    weights: dict[str, Callable[[Random], Layer]]
    feeds: Callable[[Random], tuple[Array, ...]]
    steps: int = 3

    def make_weights(self) -> dict[str, Layer]:
        random = np.random.default_rng(1)
        return {path: make(random) for path, make in self.weights.items()}

    def make_batches(self, count: int) -> list[tuple[Array, ...]]:
        """Batches of float32 and int32."""
        random = np.random.default_rng(2)
        batches = [self.feeds(random) for _ in range(count)]
        return [tuple(x.astype(np.float32 if x.dtype.kind == "f" else np.int32) for x in batch) for batch in batches]


def agent(name: str) -> dict[str, Callable[[Random], Layer]]:
    sizes = {"hidden": (6, 48), "middle": (48, 37), "output": (37, 3)}
    return {f"{name}/{layer}": dense(*pair) for layer, pair in sizes.items()}


PROGRAMS = {
    "mlp": Program(
        "digits, three dense layers, momentum",
        {"model/hidden": dense(64, 100), "model/middle": dense(100, 37), "model/output": dense(37, 10)},
        lambda r: (r.random((100, 64)), r.integers(0, 10, 100)),
    ),
    "images": Program(
        "convolutions, batch norm, dropout",
        {
            "model/convs/0": conv(3, 3, 18), "model/convs/1": conv(3, 18, 37),
            "model/norms/0": norm("batch_norm", 18), "model/norms/1": norm("batch_norm", 37),
            "model/dropout": dropout, "model/output": dense(37, 10),
        },
        lambda r: (r.standard_normal((48, 20, 20, 3)), r.integers(0, 10, 48)),
    ),
    "sequences": Program(
        "an LSTM that classifies, clipped",
        {"model/lstm": recurrent("lstm", 4, 11, 37), "model/output": dense(37, 5)},
        lambda r: (r.standard_normal((48, 29, 11)), r.integers(0, 5, 48)),
    ),
    "translation": Program(
        "a GRU that reads and one that writes",
        {
            "model/source": embedding(61, 24), "model/target": embedding(53, 24),
            "model/encoder": recurrent("gru", 3, 24, 37), "model/decoder": recurrent("gru", 3, 24, 37),
            "model/output": dense(37, 53),
        },
        lambda r: (r.integers(0, 61, (48, 17)), r.integers(0, 53, (48, 13))),
    ),
    "transformer": Program(
        "two causal blocks, AdamW",
        transformer(61, 48, 37, 2),
        lambda r: (r.integers(0, 61, (20, 37)), r.integers(0, 61, (20, 37))),
    ),
    "vae": Program(
        "a variational autoencoder",
        {
            "model/hidden": dense(64, 100), "model/mean": dense(100, 9), "model/logvar": dense(100, 9),
            "model/back": dense(9, 100), "model/output": dense(100, 64),
        },
        lambda r: (r.random((100, 64)), r.standard_normal((100, 9))),
    ),
    "factorization": Program(
        "two tables, of which a step reads rows",
        {"model/users": embedding(6037, 24), "model/items": embedding(3701, 24)},
        lambda r: (r.integers(0, 6037, 500), r.integers(0, 3701, 500), r.standard_normal(500)),
    ),
    "gan": Program(
        "two networks with an optimizer each, in turn",
        {
            "generator/hidden": dense(9, 100), "generator/output": dense(100, 64),
            "discriminator/hidden": dense(64, 100), "discriminator/output": dense(100, 1),
        },
        lambda r: (2 * r.random((48, 64)) - 1, r.standard_normal((48, 9))),
    ),
    "dqn": Program(
        "Q-learning with a target network, copied every 4 steps",
        agent("model"),
        lambda r: (
            r.standard_normal((50, 6)), r.integers(0, 3, 50), r.standard_normal(50),
            r.standard_normal((50, 6)), (r.random(50) < 0.1).astype(float),
        ),
        steps=7,
    ),
    "contrastive": Program(
        "two towers, an average of the weights",
        {
            "model/hidden": dense(64, 100), "model/image": dense(100, 37), "model/words": embedding(61, 48),
            "model/text": dense(48, 37), "model/scale": scalar(2.0),
        },
        lambda r: (r.standard_normal((37, 64)), r.integers(0, 61, (37, 12))),
    ),
    "physics": Program(
        "Burgers' equation: second derivatives in the loss",
        {"model/hidden": dense(2, 37), "model/middle": dense(37, 37), "model/output": dense(37, 1)},
        lambda r: (2 * r.random((100, 2)) - 1, 2 * r.random((48, 2)) - 1, r.standard_normal((48, 1))),
    ),
}  # fmt: skip
