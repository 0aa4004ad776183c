# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""G20: pseudo-inverses of matrices of any rank, and their derivatives along changes that keep the rank."""

from typing import Any

import numpy as np

import flywheel as fw
from configurations import run_tests
from selection import choose, cover

RNG = np.random.default_rng(0)


def matrix(m: int, n: int, rank: int, dtype: Any = np.float64) -> Any:
    """A matrix of a rank, whose singular values are 1 to 2."""
    u, _ = np.linalg.qr(RNG.normal(size=(m, m)))
    v, _ = np.linalg.qr(RNG.normal(size=(n, n)))
    return ((u[:, :rank] * np.linspace(2, 1, rank)) @ v[:, :rank].T).astype(dtype)


def test_values() -> None:
    cases = [((m, n), rank, kind) for m, n in ((1, 1), (3, 3), (5, 2), (2, 5), (6, 4)) for rank in range(min(m, n) + 1)
             for kind in ((np.float64, 1e-13), (np.float32, 4e-6))]  # fmt: skip
    for (m, n), rank, (dtype, tolerance) in cover("pseudo-inverses", cases):
        a = matrix(m, n, rank, dtype)
        wanted = np.linalg.pinv(a.astype(np.float64), 1e-4)
        found = fw.function(fw.linalg.pinv)(a)
        assert found.dtype == dtype
        np.testing.assert_allclose(found, wanted, 0, tolerance, err_msg=f"{m} by {n} of rank {rank}")
    batch = np.stack([matrix(4, 3, rank, np.float32) for rank in range(4)]).reshape(2, 2, 4, 3)
    np.testing.assert_allclose(fw.function(fw.linalg.pinv)(batch), np.linalg.pinv(batch, 1e-4), 0, 4e-6)
    np.testing.assert_allclose(fw.function(fw.linalg.pinv)(np.ones((3, 3), np.float32)), np.full((3, 3), 1 / 9), 1e-6)
    for empty in ((0, 3), (3, 0), (2, 0, 0)):
        assert fw.function(fw.linalg.pinv)(np.zeros(empty, np.float32)).shape == (*empty[:-2], empty[-1], empty[-2])
    assert np.isnan(fw.function(fw.linalg.pinv)(np.full((2, 2), np.nan, np.float32))).all()


def test_the_cut() -> None:
    a = np.diag([1.0, 0.5, 0.1])
    for rcond in (None, 0.0, 0.2, 0.7, 1.0):
        wanted = np.linalg.pinv(a, 1e-15 if rcond is None else rcond)
        np.testing.assert_allclose(fw.function(lambda x, r=rcond: fw.linalg.pinv(x, rcond=r))(a), wanted, 1e-13, 1e-14)
    for bad in (-1.0, float("nan")):
        try:
            fw.function(lambda x, r=bad: fw.linalg.pinv(x, rcond=r))(a)
        except ValueError as error:
            assert "expected an rcond of at least 0" in str(error), error
        else:
            raise AssertionError("expected an error")


def test_derivatives() -> None:
    """In reverse, forward and twice, beside differences along rotations, which keep the rank."""

    def turned(a: Any, turn: Any, angle: float) -> Any:
        # exp(angle turn) to the fourth order.
        total, power = np.eye(len(turn)), np.eye(len(turn))
        for order in range(1, 8):
            power = power @ turn * angle / order
            total = total + power
        return total @ a

    sizes = ((3, 3, 3), (3, 3, 2), (4, 2, 2), (4, 2, 1), (2, 4, 2), (2, 4, 1), (3, 3, 1))
    for m, n, rank in choose("derivatives of pseudo-inverses", sizes, 0.0, group=lambda size: size[:2]):
        a, weights = matrix(m, n, rank), RNG.normal(size=(n, m))
        turn = RNG.normal(size=(m, m))
        turn = turn - turn.T + np.eye(m) * 0.3

        def loss(x: Any, weights: Any = weights) -> Any:
            return fw.sum(fw.sin(fw.linalg.pinv(x)) * weights)

        def loss_of(angle: float, a: Any = a, turn: Any = turn, weights: Any = weights) -> float:
            return float((np.sin(np.linalg.pinv(turned(a, turn, angle), 1e-6)) * weights).sum())

        step = 1e-3
        first = (loss_of(-2 * step) - 8 * loss_of(-step) + 8 * loss_of(step) - loss_of(2 * step)) / (12 * step)
        second = (-loss_of(-2 * step) + 16 * loss_of(-step) - 30 * loss_of(0.0) + 16 * loss_of(step)
                  - loss_of(2 * step)) / (12 * step**2)  # fmt: skip
        along = turn @ a
        reverse = fw.function(fw.grad(loss))(a)
        np.testing.assert_allclose((reverse * along).sum(), first, 1e-7, 1e-8)
        forward = fw.function(lambda x, t, loss=loss: fw.jvp(loss, (x,), (t,))[1])(a, along)
        np.testing.assert_allclose(forward, first, 1e-7, 1e-8)

        def slope(x: Any, loss: Any = loss, turn: Any = turn) -> Any:
            return fw.sum(fw.grad(loss)(x) * fw.matmul(fw.constant(turn), x))

        curved = fw.function(fw.grad(slope))(a)
        np.testing.assert_allclose((curved * along).sum(), second, 1e-5, 1e-5)


if __name__ == "__main__":
    run_tests([test_values, test_the_cut, test_derivatives])
