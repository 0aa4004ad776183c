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

HE = fw.initializers.HeNormal()


class LeNet(fw.Module):
    def __init__(self) -> None:
        self.conv1 = fw.nn.Conv2D(1, 32, 5, padding="same", initializer=HE)
        self.conv2 = fw.nn.Conv2D(32, 64, 3, padding="same", initializer=HE)
        self.dropout = fw.nn.Dropout(0.5)
        self.dense1, self.dense2 = fw.nn.Dense(256, 120, initializer=HE), fw.nn.Dense(120, 84, initializer=HE)
        self.output = fw.nn.Dense(84, 10)

    def __call__(self, x: Any, *, training: bool) -> Any:
        for conv in (self.conv1, self.conv2):
            x = fw.nn.max_pool2d(fw.nn.relu(conv(x)), [2, 2])
        x = self.dropout(fw.reshape(x, (None, 256)), training=training)
        return self.output(fw.nn.relu(self.dense2(fw.nn.relu(self.dense1(x)))))


model = LeNet()
adam = fw.optimizers.Adam(lr=0.002)

IMAGES, LABELS = fw.spec("batch", 64), fw.spec("batch", dtype="int32")


def moved(x: Any) -> Any:
    """Images that are moved in one of nine directions at random, by half a pixel; a batch moves as one."""
    direction = fw.random.uniform((), 0, 9, dtype="int32")
    middle = fw.constant(np.eye(9, dtype=np.float32)[4])
    weights = (fw.one_hot(direction, 9) + middle) * 0.5
    return fw.nn.conv2d(x, fw.reshape(weights, (3, 3, 1, 1)), padding="same")


def pixels(image: Any) -> Any:
    return fw.reshape(image * 0.125, (None, 8, 8, 1))


@fw.function(signature=[IMAGES, LABELS], results=["loss"])
def train_step(image: Any, label: Any) -> Any:
    """One step of training; the mean loss of the batch before the update."""
    loss = fw.nn.sparse_softmax_cross_entropy(model(moved(pixels(image)), training=True), label)
    adam.minimize(loss)
    return loss


@fw.function(signature=[IMAGES, LABELS], results=["loss", "correct"])
def evaluate(image: Any, label: Any) -> Any:
    """The mean loss of a batch, and the number of images classified correctly."""
    scores = model(pixels(image), training=False)
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
