# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains gan.mlir on the images of examples/digits and measures what it makes.

* A classifier, examples/digits/digits.mlir trained on the same images, says which digits 1000 images are, and how
  surely.
* The Frechet distance in the space of pixels (0 to 16): that of two normal distributions with the means and the
  covariances of two sets of images.
"""

import argparse
import os
import time
from typing import Any, List

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file

import flywheel

Array = NDArray[Any]
HERE = os.path.dirname(os.path.abspath(__file__))
DIGITS = os.path.join(HERE, "..", "digits")
BATCH = 100


def load(path: str) -> flywheel.Session:
    """A session of the model in a file."""
    return flywheel.Session(flywheel.compile(path))


def train_classifier(image: Array, label: Array, epochs: int = 30) -> flywheel.Session:
    """The digits example, trained on all images."""
    session, rng = load(os.path.join(DIGITS, "digits.mlir")), np.random.default_rng(0)
    session.initialize(0)
    step = session.entry("train_step")
    for _ in range(epochs):
        order = rng.permutation(len(image))
        for begin in range(0, len(image), 64):
            batch = order[begin:begin + 64]
            step(image[batch], label[batch])
    return session


def square_root(covariance: Array) -> Array:
    """The symmetric matrix whose square is a covariance."""
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T)


def frechet(a: Array, b: Array) -> float:
    """|mean a - mean b|^2 + tr(A + B - 2 (A B)^(1/2)), with the covariances A and B: a squared distance."""
    root, other = square_root(np.cov(a.T)), np.cov(b.T)
    shift = np.sum((a.mean(0) - b.mean(0)) ** 2)
    return float(shift + np.trace(root @ root + other - 2 * square_root(root @ other @ root)))


def generate(session: flywheel.Session, count: int) -> Array:
    """`count` images, (count, 64) pixels of 0 to 16."""
    entry = session.entry("generate")
    return np.concatenate([entry() for _ in range(-(-count // BATCH))])[:count]


def report(session: flywheel.Session, classifier: flywheel.Session, real: Array) -> str:
    """Describes 1000 images by the classifier's probabilities, and by their distance from the given real images."""
    images = generate(session, 1000)
    probabilities = classifier.run("predict", images)
    sure = np.mean(probabilities.max(1) > 0.9)
    shares = np.bincount(probabilities.argmax(1), minlength=10) / len(images)
    return (f"sure of {100 * sure:.1f} %, digits with 3 % or more: {np.sum(shares >= 0.03)}, "
            f"distance {frechet(images[:len(real)], real):.1f}")


def show(images: Array) -> str:
    """Images side by side as text, two columns a pixel."""
    shades = np.array(list(" .:-=+*#%@"))
    pixels: List[Array] = [shades[np.minimum(9, image * 10 / 16).astype(int)].reshape(8, 8) for image in images]
    return "\n".join("  ".join("".join(np.repeat(row, 2)) for row in rows) for rows in zip(*pixels))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=10000, help="of each of the two")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    data = load_file(os.path.join(DIGITS, "digits.safetensors"))
    image, label = data["image"].astype(np.float32), data["label"].astype(np.int32)
    rng = np.random.default_rng(options.seed)
    classifier = train_classifier(image, label)
    one, two = np.split(rng.permutation(len(image) // 2 * 2), 2)
    sure = np.mean(classifier.run("predict", image).max(1) > 0.9)
    print(f"data: sure of {100 * sure:.1f} %, distance of two halves {frechet(image[one], image[two]):.1f}")

    start = time.monotonic()
    session = load(os.path.join(HERE, "gan.mlir"))
    print(f"compiled in {time.monotonic() - start:.1f} s")
    session.initialize(options.seed)
    print(f"untrained:  {report(session, classifier, image[two])}")
    discriminate, deceive = session.entry("train_discriminator"), session.entry("train_generator")
    elapsed = 0.0
    for number in range(1, options.steps + 1):
        start = time.monotonic()
        d_loss = discriminate(image[rng.integers(0, len(image), BATCH)])
        g_loss = deceive()
        elapsed += time.monotonic() - start
        if number % max(1, options.steps // 5) == 0:
            print(f"step {number:5}: {report(session, classifier, image[two])} (losses {d_loss:.2f}, {g_loss:.2f})")
    print(f"{1000 * elapsed / max(1, options.steps):.2f} ms a step of both")
    print(show(generate(session, 6)))


if __name__ == "__main__":
    main()
