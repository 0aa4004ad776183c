#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model of digits.mlir in Python: 64 pixels, a hidden layer of 128 units, 10 classes.

usage: python examples/digits/digits.py [--epochs=N] [--seed=N]
"""

import argparse
import os
from typing import Any, Tuple

import numpy as np
from safetensors.numpy import load_file

import flywheel as fw


class Classifier(fw.Module):
    def __init__(self) -> None:
        self.hidden = fw.nn.Dense(64, 128, initializer=fw.initializers.HeNormal())
        self.output = fw.nn.Dense(128, 10)

    def __call__(self, image: Any) -> Any:
        """The class scores of images, whose pixels are 0 to 16."""
        return self.output(fw.nn.relu(self.hidden(image * 0.125)))


model = Classifier()
sgd = fw.optimizers.SGD(lr=0.05, momentum=0.9)

IMAGES, LABELS = fw.spec("batch", 64), fw.spec("batch", dtype="int32")


@fw.function(signature=[IMAGES, LABELS], results=["loss"])
def train_step(image: Any, label: Any) -> Any:
    """One step of training; the mean loss of the batch before the update."""
    loss = fw.nn.sparse_softmax_cross_entropy(model(image), label)
    sgd.minimize(loss)
    return loss


@fw.function(signature=[IMAGES, LABELS], results=["loss", "correct"])
def evaluate(image: Any, label: Any) -> Any:
    """The mean loss of a batch, and the number of images classified correctly."""
    scores = model(image)
    return fw.nn.sparse_softmax_cross_entropy(scores, label), fw.sum(fw.argmax(scores, 1) == label)


def read_digits() -> Tuple["np.ndarray[Any, Any]", "np.ndarray[Any, Any]"]:
    data = load_file(os.path.join(os.path.dirname(__file__), "digits.safetensors"))
    return data["image"].astype(np.float32), data["label"].astype(np.int32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    image, label = read_digits()
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
