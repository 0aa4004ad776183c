# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Tensors that grow by joins in a loop of the host, with and without readers of each length (T44)."""

from typing import Any, Callable, List, Tuple

import numpy as np

import flywheel as fw


def append(join: Callable[..., Any], x: Any) -> Any:
    y = x
    for k in range(40):
        y = join([y, x * k])
    return y


def prepend(join: Callable[..., Any], x: Any) -> Any:
    y = x
    for k in range(40):
        y = join([x - k, y])
    return y


def tree(join: Callable[..., Any], x: Any) -> Any:
    parts = [x + k for k in range(40)]
    while len(parts) > 1:
        parts = [join(parts[k : k + 3]) for k in range(0, len(parts), 3)]
    return parts[0]


def read(join: Callable[..., Any], x: Any) -> Any:
    """Each length is read, and the last two are joined with each other."""
    y = total = x
    for k in range(40):
        total = total * 0.5 + y[:2] * 0.25 + y[-2:] * (k % 3 * 0.125)
        y = join([y, total])
    return join([y, join([y, total])])


def both(join: Callable[..., Any], x: Any) -> Any:
    for k in range(20):
        x = join([x, x[:1] + k], axis=0)
        x = join([x, x[:, :1] * 2], axis=1)
    return x


CASES: List[Tuple[Callable[..., Any], Tuple[int, ...]]] = [
    (append, (3,)), (prepend, (2, 3)), (tree, (2,)), (read, (2,)), (both, (2, 2)),
]  # fmt: skip

for case, shape in CASES:
    x = np.arange(1, 1 + np.prod(shape), dtype=np.float32).reshape(shape)
    expected = case(np.concatenate, x.astype(np.float64))
    found = fw.function(lambda x, case=case: case(fw.concatenate, x))(x)
    np.testing.assert_allclose(found, expected, rtol=1e-5, err_msg=case.__name__)
    # All functions are linear in x: a difference of exact steps is the derivative along it.
    weights = np.cos(np.arange(expected.size)).reshape(expected.shape)
    weights32 = weights.astype(np.float32)

    def loss(x: Any, case: Any = case, weights: Any = weights32) -> Any:
        return fw.sum(case(fw.concatenate, x) * weights)

    gradient = np.asarray(fw.function(fw.grad(loss))(x)).ravel()
    zero = (case(np.concatenate, np.zeros(shape)) * weights).sum()
    for k in range(x.size):
        one = np.eye(1, x.size, k).reshape(shape)
        slope = (case(np.concatenate, one) * weights).sum() - zero
        np.testing.assert_allclose(gradient[k], slope, rtol=1e-4, atol=1e-3, err_msg=f"{case.__name__} by {k}")
    print("ok  ", case.__name__)
