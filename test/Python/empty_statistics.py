# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""R11: a batch without examples moves no average of batch normalization: it made them NaN for good."""

from typing import Any

import numpy as np

import flywheel as fw
from configurations import run_tests

SHAPES = [(3,), (2, 3), (2, 2, 3)]


def check(dynamic: Any, orders: Any) -> None:
    for rest in SHAPES:
        for momentum in (0.99, 0.5):
            norm = fw.nn.BatchNorm(3, momentum=momentum)
            step = fw.function(lambda x, norm=norm: norm(x, training=True), dynamic=dynamic)
            use = fw.function(lambda x, norm=norm: norm(x, training=False), dynamic=dynamic)
            rng = np.random.default_rng(0)
            mean, variance = np.zeros(3), np.ones(3)
            for count in orders:
                x = rng.normal(1, 2, (count, *rest)).astype(np.float32)
                assert step(x).shape == x.shape
                if count:
                    axes = tuple(range(x.ndim - 1))
                    size = x.size // 3
                    mean = momentum * mean + (1 - momentum) * x.mean(axes)
                    own = x.var(axes)
                    unbiased = own * size / max(size - 1, 1)
                    candidates = [momentum * variance + (1 - momentum) * v for v in (own, unbiased)]
                    found = norm.variance.numpy()
                    variance = min(candidates, key=lambda one: float(np.abs(one - found).max()))  # noqa: B023
                np.testing.assert_allclose(norm.mean.numpy(), mean, 1e-4, 1e-5)
                np.testing.assert_allclose(norm.variance.numpy(), variance, 1e-4, 1e-5)
                assert np.isfinite(use(np.ones((2, *rest), np.float32))).all()


def test_sizes_of_calls() -> None:
    check("auto", [4, 0, 5, 0, 3])
    check("auto", [0, 4, 0, 6])
    check(True, [0, 4, 0, 2])


def test_known_sizes() -> None:
    check(False, [0, 4, 0, 2])


if __name__ == "__main__":
    run_tests([test_sizes_of_calls, test_known_sizes])
