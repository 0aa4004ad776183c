#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model of lenet.mlir in Python: LeNet-5 for images of 8x8 pixels.

usage: python examples/lenet/lenet.py [--epochs=N] [--seed=N]
"""

import argparse
import os
from typing import Any

import numpy as np
from safetensors.numpy import load_file

import flywheel as fw


class Layer:
    """A weight and a bias."""

    def __init__(self, name: str, *shape: int, initial: Any = None):
        self.w = fw.Variable(initial or fw.initializers.HeNormal(), shape=shape, name=f"{name}_w")
        self.b = fw.Variable(fw.initializers.Zeros(), shape=shape[-1:], name=f"{name}_b")

    def convolve(self, x: Any) -> Any:
        return fw.nn.max_pool2d(fw.nn.relu(fw.nn.conv2d(x, self.w, padding="same") + self.b), [2, 2])

    def __call__(self, x: Any) -> Any:
        return fw.nn.dense(x, self.w, self.b)


conv1, conv2 = Layer("conv1", 5, 5, 1, 32), Layer("conv2", 3, 3, 32, 64)
dense1, dense2 = Layer("dense1", 256, 120), Layer("dense2", 120, 84)
output = Layer("output", 84, 10, initial=fw.initializers.GlorotUniform())
adam = fw.optimizers.Adam(lr=0.002)

IMAGES, LABELS = fw.spec("batch", 64), fw.spec("batch", dtype="int32")


def moved(x: Any) -> Any:
    """Images that are moved in one of nine directions at random, by half a pixel; a batch moves as one."""
    direction = fw.random.uniform((), 0, 9, dtype="int32")
    middle = fw.constant(np.eye(9, dtype=np.float32)[4])
    weights = (fw.one_hot(direction, 9) + middle) * 0.5
    return fw.nn.conv2d(x, fw.reshape(weights, (3, 3, 1, 1)), padding="same")


def forward(x: Any, training: bool) -> Any:
    features = fw.reshape(conv2.convolve(conv1.convolve(x)), (None, 256))
    kept = fw.nn.dropout(features, 0.5) if training else features
    return output(fw.nn.relu(dense2(fw.nn.relu(dense1(kept)))))


def pixels(image: Any) -> Any:
    return fw.reshape(image * 0.125, (None, 8, 8, 1))


@fw.function(signature=[IMAGES, LABELS], results=["loss"])
def train_step(image: Any, label: Any) -> Any:
    """One step of training; the mean loss of the batch before the update."""
    loss = fw.nn.sparse_softmax_cross_entropy(forward(moved(pixels(image)), training=True), label)
    adam.minimize(loss)
    return loss


@fw.function(signature=[IMAGES, LABELS], results=["loss", "correct"])
def evaluate(image: Any, label: Any) -> Any:
    """The mean loss of a batch, and the number of images classified correctly."""
    scores = forward(pixels(image), training=False)
    return fw.nn.sparse_softmax_cross_entropy(scores, label), fw.sum(fw.argmax(scores, 1) == label)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    data = load_file(os.path.join(os.path.dirname(__file__), "../digits/digits.safetensors"))
    image, label = data["image"].astype(np.float32), data["label"].astype(np.int32)
    fw.set_seed(options.seed)
    order = np.random.default_rng(options.seed)
    train, test = np.split(order.permutation(len(label)), [len(label) * 4 // 5])
    for epoch in range(1, options.epochs + 1):
        batches = np.array_split(order.permutation(train), len(train) // 64)
        loss = np.mean([train_step(image[rows], label[rows]) for rows in batches])
        correct = int(evaluate(image[test], label[test])[1])
        print(f"epoch {epoch}: loss {loss:.4f}, test {correct}/{len(test)} ({100 * correct / len(test):.2f} %)")


if __name__ == "__main__":
    main()
