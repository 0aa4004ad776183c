#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model of transformer.mlir in Python: a causal transformer of characters.

usage: python examples/transformer/transformer.py [--text=FILE] [--steps=N] [--seed=N]
"""

import argparse
from typing import Any

import numpy as np

import flywheel as fw

CONTEXT, WIDTH, HEADS, CHARACTERS = 64, 64, 4, 96
GLOROT, ONES, ZEROS = fw.initializers.GlorotUniform(), fw.initializers.Ones(), fw.initializers.Zeros()
DRAWN = fw.initializers.RandomNormal(stddev=0.1)
DROPOUT = 0.2


def variable(name: str, initial: Any, *shape: int) -> fw.Variable:
    return fw.Variable(initial, shape=shape, name=name)


class Norm:
    def __init__(self, name: str):
        self.gamma, self.beta = variable(f"{name}/gamma", ONES, WIDTH), variable(f"{name}/beta", ZEROS, WIDTH)

    def __call__(self, x: Any) -> Any:
        return fw.nn.layer_norm(x, self.gamma, self.beta, axes=[2], epsilon=1e-5)


class Dense:
    def __init__(self, name: str, inputs: int, outputs: int):
        self.w, self.b = variable(f"{name}/w", GLOROT, inputs, outputs), variable(f"{name}/b", ZEROS, outputs)

    def __call__(self, x: Any) -> Any:
        return fw.nn.dense(x, self.w, self.b)


class Block:
    """One layer: each position looks at itself and at those before it, then thinks for itself."""

    def __init__(self, name: str):
        self.norm1 = Norm(f"{name}/norm1")
        self.query, self.key, self.value, self.merge = (
            variable(f"{name}/{part}", GLOROT, WIDTH, WIDTH) for part in ("query", "key", "value", "merge")
        )
        self.norm2 = Norm(f"{name}/norm2")
        self.widen, self.narrow = Dense(f"{name}/widen", WIDTH, 256), Dense(f"{name}/narrow", 256, WIDTH)

    def attend(self, x: Any) -> Any:
        def heads(w: fw.Variable) -> Any:
            return fw.swapaxes(fw.reshape(x @ w, (None, CONTEXT, HEADS, WIDTH // HEADS)), 1, 2)

        seen = fw.nn.attention(heads(self.query), heads(self.key), heads(self.value), causal=True)
        return fw.reshape(fw.swapaxes(seen, 1, 2), (None, CONTEXT, WIDTH)) @ self.merge

    def __call__(self, x: Any, rate: float) -> Any:
        x = x + fw.nn.dropout(self.attend(self.norm1(x)), rate)
        return x + fw.nn.dropout(self.narrow(fw.nn.gelu(self.widen(self.norm2(x)))), rate)


characters = variable("characters", DRAWN, CHARACTERS, WIDTH)
positions = variable("positions", DRAWN, CONTEXT, WIDTH)
blocks = [Block("0"), Block("1")]
norm, scores = Norm("norm"), Dense("scores", WIDTH, CHARACTERS)
adam = fw.optimizers.Adam(lr=0.003)

TEXT = fw.spec("batch", CONTEXT, dtype="int32")


def forward(text: Any, rate: float) -> Any:
    """For each position, a score for each character that may follow."""
    x = fw.nn.embedding(characters, text) + positions
    for block in blocks:
        x = block(x, rate)
    return scores(norm(x))


def train_step_with(rate: float) -> fw.Function:
    @fw.function(signature=[TEXT, TEXT], results=["loss"])
    def train_step(text: Any, following: Any) -> Any:
        """One step of training; the mean loss of a character, in nats, before the update."""
        loss = fw.nn.sparse_softmax_cross_entropy(forward(text, rate), following)
        adam.minimize(loss)
        return loss

    return train_step


@fw.function(signature=[TEXT, TEXT], results=["losses"])
def evaluate(text: Any, following: Any) -> Any:
    """The loss of each character."""
    return fw.nn.sparse_softmax_cross_entropy(forward(text, 0.0), following, reduction="none")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", metavar="FILE", default="/usr/share/common-licenses/GPL-3")
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    with open(options.text, "rb") as file:
        raw = np.frombuffer(file.read(), np.uint8).astype(np.int32)
    text = np.where(raw == 10, 0, np.where((raw >= 32) & (raw < 127), raw - 31, 1)).astype(np.int32)
    train, held_out = text[: len(text) * 9 // 10], text[len(text) * 9 // 10 :]
    fw.set_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    train_step = train_step_with(DROPOUT)

    def windows(source: Any, starts: Any) -> Any:
        index = starts[:, None] + np.arange(CONTEXT)
        return source[index], source[index + 1]

    for number in range(1, options.steps + 1):
        adam.lr.set(0.003 * min(1.0, number / 50, 1.5 * (1 - number / (options.steps + 1))))
        loss = train_step(*windows(train, rng.integers(0, len(train) - CONTEXT, 16)))
        if number % max(1, options.steps // 10) == 0:
            starts = np.arange(0, len(held_out) - CONTEXT - 1, CONTEXT)
            print(f"step {number:5}: training {loss:.3f}, held out {evaluate(*windows(held_out, starts)).mean():.3f}")


if __name__ == "__main__":
    main()
