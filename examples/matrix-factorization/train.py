# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Completes a matrix: trains factorization.mlir on four fifths of the entries of one, predicts the others.

The matrix is the images of examples/digits: 1797 rows, 64 pixels, ratings of 0 to 16.
"""

import argparse
import os
import time
from typing import Any, Tuple

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file

import flywheel

Array = NDArray[Any]
HERE = os.path.dirname(os.path.abspath(__file__))


def rmse(prediction: Array, rating: Array) -> float:
    """The root of the mean squared error."""
    return float(np.sqrt(np.mean((prediction - rating) ** 2.0)))


def means(index: Array, rating: Array, count: int) -> Array:
    """The mean rating for each index below `count`."""
    return np.bincount(index, rating, count) / np.maximum(1, np.bincount(index, minlength=count))


def baselines(train: Tuple[Array, Array, Array], row: Array, column: Array) -> Tuple[Array, Array]:
    """Returns the predictions by means of columns, and those by means of columns and then of rows."""
    rows, columns, ratings = train
    by_column = means(columns, ratings, columns.max() + 1)
    by_row = means(rows, ratings - by_column[columns], rows.max() + 1)
    return by_column[column], by_column[column] + by_row[row]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", metavar="FILE", default=os.path.join(HERE, "../digits/digits.safetensors"))
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--batch-size", type=int, default=512)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    matrix = load_file(options.data)["image"]
    rng = np.random.default_rng(options.seed)
    order = rng.permutation(matrix.size)
    row, column = (index.astype(np.int32) for index in np.divmod(order, matrix.shape[1]))
    rating = matrix.ravel()[order].astype(np.float32)
    count = matrix.size * 4 // 5
    train, test = (row[:count], column[:count], rating[:count]), (row[count:], column[count:])
    by_column, by_both = baselines(train, *test)
    print(f"{count} ratings to train on, {matrix.size - count} held out")
    print(f"held out: RMSE {rmse(by_column, rating[count:]):.3f} by means of columns, "
          f"{rmse(by_both, rating[count:]):.3f} by means of columns and rows")

    start = time.monotonic()
    session = flywheel.Session(flywheel.compile(os.path.join(HERE, "factorization.mlir")))
    print(f"compiled in {time.monotonic() - start:.1f} s")
    session.initialize(options.seed)
    session["mean"] = float(train[2].mean())
    step, rate = session.entry("train_step"), float(session["Adam/lr"])
    start = time.monotonic()
    for epoch in range(1, options.epochs + 1):
        # The learning rate is a variable of the program: it falls to a tenth.
        session["Adam/lr"] = rate * 0.1 ** ((epoch - 1) / max(1, options.epochs - 1))
        shuffled, errors = rng.permutation(count), []
        for begin in range(0, count, options.batch_size):
            batch = shuffled[begin:begin + options.batch_size]
            errors.append(float(step(*(values[batch] for values in train))))
        if epoch % max(1, options.epochs // 10) == 0:
            held_out = rmse(session.run("predict", *test), rating[count:])
            print(f"epoch {epoch:3}: training {np.sqrt(np.mean(errors)):.3f}, held out {held_out:.3f}")
    steps = options.epochs * -(-count // options.batch_size)
    print(f"{1000 * (time.monotonic() - start) / max(1, steps):.2f} ms a step")


if __name__ == "__main__":
    main()
