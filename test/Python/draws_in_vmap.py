# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""I7: the function of a vmap draws random numbers of its own for each position, other ones at each call, from the
distribution that it names; also under derivatives and in another vmap."""

from typing import Any

import numpy as np

import flywheel as fw
from configurations import run_tests

f32 = np.float32
X = np.ones((200, 50), f32)


def test_distributions() -> None:
    draws = {
        "normal": (lambda a: fw.random.normal((50,), 1.0, 2.0), 1.0, 2.0),
        "uniform": (lambda a: fw.random.uniform((50,), 2.0, 4.0), 3.0, 2 / np.sqrt(12)),
        "bernoulli": (lambda a: fw.cast(fw.random.bernoulli(0.25 * a), "float32"), 0.25, np.sqrt(3) / 4),
        "randint": (lambda a: fw.cast(fw.random.randint((50,), 0, 5), "float32"), 2.0, np.sqrt(2)),
        "gumbel": (lambda a: fw.random.gumbel((50,)), np.euler_gamma, np.pi / np.sqrt(6)),
    }  # fmt: skip
    for name, (function, mean, deviation) in draws.items():
        traced = fw.function(lambda x, function=function: fw.vmap(function)(x))
        first, second = traced(X), traced(X)
        for found in (first, second):
            assert found.shape == (200, 50)
            # Six deviations of the mean and of the variance of 10,000 draws.
            assert abs(found.mean() - mean) < 6 * deviation / 100, (name, found.mean())
            assert abs(found.std() - deviation) < 0.1 * deviation, (name, found.std())
        assert not np.array_equal(first, second) and not np.array_equal(first[0], first[1]), name
        # Positions have nothing in common: the means of rows vary as those of independent draws.
        assert 0.7 < first.mean(1).std() / (deviation / np.sqrt(50)) < 1.3, name


def test_seeds() -> None:
    """Equal seeds draw equal numbers, for any number of positions."""
    found = []
    for _ in range(2):
        with fw.Namespace(), fw.Store(seed=5):
            traced = fw.function(lambda x: fw.vmap(lambda a: a + fw.random.normal(()))(x))
            found.append([traced(np.zeros(n, f32)) for n in (3, 4, 5, 1)])
    for one, other in zip(*found):
        np.testing.assert_array_equal(one, other)


def test_dropout_of_each_example() -> None:
    """Gradients of single examples, of which each has a mask of its own."""
    def loss(p: Any, a: Any) -> Any:
        return fw.sum(fw.nn.dropout(a * p, 0.25))

    gradients = fw.function(lambda x: fw.vmap(fw.grad(loss), (None, 0))(np.ones(50, f32), x))(X)
    kept = gradients != 0
    np.testing.assert_allclose(gradients[kept], 1 / 0.75, rtol=1e-6)
    assert 0.72 < kept.mean() < 0.78 and not np.array_equal(kept[0], kept[1])
    layer = fw.nn.Dropout(0.25)
    for training, wanted in ((True, (0.72, 0.78)), (False, (1.0, 1.0))):
        found = fw.function(lambda x, training=training: fw.vmap(lambda a: layer(a, training=training))(x))(X)
        assert wanted[0] <= (found != 0).mean() <= wanted[1], training


def test_probabilities() -> None:
    """Each element of a tensor of probabilities has a draw of its own."""
    found = fw.function(lambda p: fw.random.bernoulli(p))(np.full(1000, 0.25, f32))
    assert found.shape == (1000,) and 0.15 < found.mean() < 0.35
    scalar = fw.function(lambda p: fw.random.bernoulli(p, (1000,)))(f32(0.25))
    assert scalar.shape == (1000,) and 0.15 < scalar.mean() < 0.35
    assert fw.function(lambda: fw.random.bernoulli(0.5))().shape == ()


def test_nested() -> None:
    """An outer position has draws of its own, too; what is drawn beside them goes on."""
    traced = fw.function(lambda x: (fw.vmap(lambda row: fw.vmap(lambda a: a + fw.random.uniform(()))(row)
                                            + fw.random.uniform(()))(x), fw.random.uniform((2,))))  # fmt: skip
    found, beside = traced(np.zeros((20, 30), f32))
    assert found.shape == (20, 30) and len(np.unique(found)) > 590 and beside.shape == (2,)
    assert 0.8 < found.mean() < 1.2


if __name__ == "__main__":
    run_tests([test_distributions, test_seeds, test_dropout_of_each_example, test_probabilities,
               test_nested])
