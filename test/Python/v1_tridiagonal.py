# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""X16: tridiagonal systems and products of `flywheel.v1`, of linear memory: NumPy's solutions, with zeros on
the main diagonal, of batches, of sizes 0 and 1, and their derivatives."""

from typing import Any, Tuple

import numpy as np

import flywheel.v1 as tf


def matrices(diagonals: Any) -> Any:
    """Whole matrices of compact diagonals [..., 3, n]."""
    n = diagonals.shape[-1]
    found = np.zeros((*diagonals.shape[:-2], n, n))
    for i in range(n):
        found[..., i, i] = diagonals[..., 1, i]
        if i + 1 < n:
            found[..., i, i + 1], found[..., i + 1, i] = diagonals[..., 0, i], diagonals[..., 2, i + 1]
    return found


def check(shape: Tuple[int, ...]) -> None:
    rng = np.random.default_rng(len(shape) + shape[-1])
    diagonals, b = rng.uniform(0.5, 2, (*shape[:-1], 3, shape[-1])), rng.normal(size=(*shape, 2))
    if shape[-1] > 1:
        diagonals[..., 1, ::2] = 0 if shape[-1] % 2 == 0 else 1e-3
    # Elements outside of the matrix are not read.
    diagonals[..., 0, -1:], diagonals[..., 2, :1] = np.nan, np.inf
    whole, weights = matrices(diagonals), rng.normal(size=b.shape)
    tf.reset_default_graph()
    fed, right = tf.placeholder(tf.float64, diagonals.shape), tf.placeholder(tf.float64, b.shape)
    found, product = tf.linalg.tridiagonal_solve(fed, right), tf.linalg.tridiagonal_matmul(fed, right)
    turned = tf.linalg.tridiagonal_solve(fed, tf.linalg.adjoint(right), transpose_rhs=True)
    slopes = tf.gradients(tf.reduce_sum(found * weights), [fed, right])
    with tf.Session() as session:
        x, y, z, by_diagonals, by_right = session.run([found, product, turned, *slopes], {fed: diagonals, right: b})
    exact, by_b = np.linalg.solve(whole, b), np.linalg.solve(np.swapaxes(whole, -1, -2), weights)
    by_matrix = -by_b @ np.swapaxes(exact, -1, -2)
    wanted = np.zeros_like(diagonals)
    wanted[..., 1, :] = np.diagonal(by_matrix, 0, -2, -1)
    wanted[..., 0, : max(shape[-1] - 1, 0)] = np.diagonal(by_matrix, 1, -2, -1)
    wanted[..., 2, 1:] = np.diagonal(by_matrix, -1, -2, -1)
    for one, other in ((x, exact), (y, whole @ b), (z, np.swapaxes(exact, -1, -2)), (by_right, by_b),
                       (by_diagonals, wanted)):  # fmt: skip
        np.testing.assert_allclose(one, other, 1e-8, 1e-8, err_msg=str(shape))


def check_large(n: int) -> None:
    """A whole matrix would be of 40 GB."""
    tf.reset_default_graph()
    parts = [tf.fill([n], one) for one in (1.0, 4.0, 1.0)]
    solution = tf.linalg.tridiagonal_solve(tf.stack(parts), tf.ones([n]))
    with tf.Session() as session:
        found = session.run(solution)
    assert abs(float(found[n // 2]) - 1 / 6) < 1e-6


if __name__ == "__main__":
    for sizes in ((1,), (2,), (5,), (3, 6), (2, 2, 4), (0,), (0, 3)):
        check(sizes)
    check_large(100_000)
