# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains transformer.mlir on a text and compares it with counting characters.

The last tenth of the text is held out. Losses are in nats per character.
"""

import argparse
import os
import time
from typing import Any, Tuple

import numpy as np
from numpy.typing import NDArray

import flywheel

Array = NDArray[Any]
CONTEXT = 64
CHARACTERS = "\n" + "".join(map(chr, range(32, 127)))


def read(path: str) -> Array:
    """The characters of a file as numbers; what is not in CHARACTERS becomes a space."""
    numbers = {character: number for number, character in enumerate(CHARACTERS)}
    with open(path, encoding="utf-8", errors="replace") as file:
        return np.array([numbers.get(c, 1) for c in file.read()], np.int32)


def windows(text: Array, starts: Array) -> Tuple[Array, Array]:
    """The text at each start, and one character further: two arrays of (starts, CONTEXT)."""
    index = starts[:, None] + np.arange(CONTEXT)
    return text[index], text[index + 1]


def baselines(train: Array, text: Array) -> Tuple[float, float]:
    """Losses, on what follows `train` in `text`, of the frequency of a character and of that of a pair.

    Both add one to the counts of all characters that occur in the text.
    """
    alphabet, text = np.unique(text, return_inverse=True)
    train, pairs = text[:len(train)], np.ones((len(alphabet),) * 2)
    singles = np.bincount(train, minlength=len(alphabet)) + 1.0
    np.add.at(pairs, (train[:-1], train[1:]), 1)
    before, held_out = text[len(train) - 1:-1], text[len(train):]
    unigram = -np.log(singles / singles.sum())[held_out]
    bigram = -np.log(pairs / pairs.sum(1, keepdims=True))[before, held_out]
    return float(unigram.mean()), float(bigram.mean())


def evaluate(session: flywheel.Session, text: Array, begin: int) -> float:
    """The mean loss of the characters from `begin` on, each after at least half a context."""
    half = CONTEXT // 2
    losses = []
    for start in range(begin - half - 1, len(text) - CONTEXT, half):
        loss = session.run("eval", *windows(text, np.array([start])))
        losses.append(loss[0, half:])
    return float(np.mean(losses))


def sample(session: flywheel.Session, prompt: str, count: int, rng: np.random.Generator) -> str:
    """Goes on from a prompt for `count` characters, drawn from the square of the probabilities."""
    text = [CHARACTERS.index(character) for character in prompt]
    predict = session.entry("predict")
    for _ in range(count):
        context = text[-CONTEXT:]
        window = np.zeros((1, CONTEXT), np.int32)
        window[0, :len(context)] = context
        weights = predict(window)[0, len(context) - 1].astype(np.float64) ** 2
        text.append(int(rng.choice(len(weights), p=weights / weights.sum())))
    return "".join(CHARACTERS[number] for number in text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", metavar="FILE", default="/usr/share/common-licenses/GPL-3")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--rate", type=float, default=3e-3, help="of the first steps; falls to 0 at the last")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sample", metavar="N", type=int, default=0, help="characters to print after the training")
    parser.add_argument("--prompt", default="  The ", help="what they follow")
    options = parser.parse_args()

    text = read(options.text)
    train = text[:len(text) * 9 // 10]
    unigram, bigram = baselines(train, text)
    print(f"{len(train)} characters to train on, {len(text) - len(train)} held out")
    print(f"held out: characters counted {unigram:.3f}, pairs counted {bigram:.3f}")

    start = time.monotonic()
    session = flywheel.Session(flywheel.compile(os.path.join(os.path.dirname(__file__), "transformer.mlir")))
    print(f"compiled in {time.monotonic() - start:.1f} s")
    session.initialize(options.seed)
    step, rng = session.entry("train_step"), np.random.default_rng(options.seed)
    losses = []
    start = time.monotonic()
    for number in range(1, options.steps + 1):
        # The learning rate is a variable of the program.
        session["Adam/lr"] = options.rate * min(1.0, number / 50, 1.5 * (1 - number / (options.steps + 1)))
        losses.append(float(step(*windows(train, rng.integers(0, len(train) - CONTEXT, options.batch_size)))))
        if number % max(1, options.steps // 10) == 0:
            held_out = evaluate(session, text, len(train))
            print(f"step {number:5}: training {np.mean(losses):.3f}, held out {held_out:.3f}")
            losses = []
    print(f"{1000 * (time.monotonic() - start) / max(1, options.steps):.1f} ms a step")
    if options.sample:
        print(sample(session, options.prompt, options.sample, rng))


if __name__ == "__main__":
    main()
