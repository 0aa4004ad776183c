#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model of transformer.mlir in Python: a causal transformer of characters, which writes with `--sample`.

usage: python examples/transformer/transformer.py [--text=FILE] [--steps=N] [--seed=N] [--sample=N]
"""

import argparse
from typing import Any, List, Optional

import numpy as np

import flywheel as fw

CONTEXT, WIDTH, HEADS, CHARACTERS = 64, 64, 4, 96
DROPOUT = 0.2
DRAWN = fw.initializers.RandomNormal(stddev=0.1)


class Block(fw.Module):
    """One layer: each position looks at itself and at those before it, then thinks for itself."""

    def __init__(self) -> None:
        self.norm1 = fw.nn.LayerNorm(WIDTH, epsilon=1e-5)
        self.attention = fw.nn.MultiHeadAttention(WIDTH, HEADS, causal=True, bias=False)
        self.norm2 = fw.nn.LayerNorm(WIDTH, epsilon=1e-5)
        self.widen, self.narrow = fw.nn.Dense(WIDTH, 256), fw.nn.Dense(256, WIDTH)

    def __call__(self, x: Any, rate: float, cache: Optional[fw.nn.KeyValueCache]) -> Any:
        x = x + fw.nn.dropout(self.attention(self.norm1(x), cache=cache), rate)
        return x + fw.nn.dropout(self.narrow(fw.nn.gelu(self.widen(self.norm2(x)))), rate)


class Transformer(fw.Module):
    def __init__(self) -> None:
        self.characters = fw.nn.Embedding(CHARACTERS, WIDTH, initializer=DRAWN)
        self.positions = fw.nn.Embedding(CONTEXT, WIDTH, initializer=DRAWN)
        self.blocks = [Block(), Block()]
        self.norm, self.scores = fw.nn.LayerNorm(WIDTH, epsilon=1e-5), fw.nn.Dense(WIDTH, CHARACTERS)

    def __call__(self, text: Any, rate: float = 0.0, caches: Optional[List[fw.nn.KeyValueCache]] = None) -> Any:
        """For each position, a score for each character that may follow; `caches` have the positions before."""
        places = fw.arange(fw.dim(text, 1)) + (caches[0].length if caches else 0)
        x = self.characters(text) + self.positions(places)
        for number, block in enumerate(self.blocks):
            x = block(x, rate, caches[number] if caches else None)
        return self.scores(self.norm(x))


model = Transformer()
adam = fw.optimizers.Adam(lr=0.003)
caches = [block.attention.make_cache(1, CONTEXT) for block in model.blocks]

TEXT = fw.spec("batch", CONTEXT, dtype="int32")


def train_step_with(rate: float) -> fw.Function:
    @fw.function(signature=[TEXT, TEXT], results=["loss"])
    def train_step(text: Any, following: Any) -> Any:
        """One step of training; the mean loss of a character, in nats, before the update."""
        loss = fw.nn.sparse_softmax_cross_entropy(model(text, rate), following)
        adam.minimize(loss)
        return loss

    return train_step


@fw.function(signature=[TEXT, TEXT], results=["losses"])
def evaluate(text: Any, following: Any) -> Any:
    """The loss of each character."""
    return fw.nn.sparse_softmax_cross_entropy(model(text), following, reduction="none")


def draw(scores: Any) -> Any:
    """A character that follows the last position, drawn from the square of the probabilities."""
    return fw.random.categorical(2 * scores[:, -1])


@fw.function(signature=[fw.spec(1, "length", dtype="int32")], results=["next"])
def begin(prompt: Any) -> Any:
    """Fills the caches with a prompt; the character after it."""
    for cache in caches:
        cache.reset()
    return draw(model(prompt, caches=caches))


@fw.function(signature=[fw.spec(1, dtype="int32")], results=["next"])
def go_on(character: Any) -> Any:
    """The character after this one."""
    return draw(model(fw.expand_dims(character, 1), caches=caches))


def sample(prompt: List[int], count: int) -> List[int]:
    """Continues a prompt. If the context is full, its second half is the next prompt."""
    text, used = list(prompt), CONTEXT
    for _ in range(count):
        if used == CONTEXT:
            start = text[-CONTEXT // 2 :]
            used, last = len(start), begin(np.array([start], np.int32))
        else:
            used, last = used + 1, go_on(last)
        text.append(int(last[0]))
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", metavar="FILE", default="/usr/share/common-licenses/GPL-3")
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sample", metavar="N", type=int, default=0, help="characters to write after the training")
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
    if options.sample:
        written = sample([ord(c) - 31 for c in "  The "], options.sample)
        print("".join("\n" if c == 0 else chr(c + 31) for c in written))


if __name__ == "__main__":
    main()
