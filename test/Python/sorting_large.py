# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: env FLYWHEEL_CACHE= %python %s
"""X7: sorting of dimensions of any size, against NumPy: a vocabulary, the order of an epoch, sizes of calls, dtypes,
derivatives."""

from typing import Any

import numpy as np

import flywheel as fw
from selection import choose

rng = np.random.default_rng(5)


def same(found: Any, expected: Any, name: str = "") -> None:
    np.testing.assert_array_equal(np.asarray(found), expected, err_msg=name)


def check_orders(count: int, dtype: str) -> None:
    """Both orders of rows, by values with ties, in static sizes and sizes of calls."""
    limits = (0, 2) if dtype == "bool" else (0, 200) if dtype.startswith("uint") else (-100, 100)
    x = rng.integers(*limits, (3, count)).astype(dtype)
    if dtype.startswith("uint"):
        x[0, 0] = np.iinfo(dtype).max
    order = np.argsort(x, 1, kind="stable")
    falling = count - 1 - np.flip(np.argsort(np.flip(x, 1), 1, kind="stable"), 1)

    def orders(x: Any) -> Any:
        return fw.argsort(x, 1), fw.argsort(x, 1, descending=True), fw.sort(x), fw.sort(fw.swapaxes(x, 0, 1), 0)

    for is_dynamic in (False, True):
        rising, reverse, values, columns = fw.function(orders, dynamic=is_dynamic)(x)
        name = f"{count} {dtype} {is_dynamic}"
        same(rising, order, name)
        same(reverse, falling, name)
        same(values, np.sort(x, 1), name)
        same(columns, np.sort(x, 1).T, name)


DTYPES = ("float32", "float64", "float16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "bool")  # fmt: skip
CASES = [(count, dtype) for count in (1, 2, 31, 32, 33, 64, 1000) for dtype in DTYPES]
# Each dtype and each count at least once.
chosen = set(choose("sorting_large", CASES, 0.1, lambda case: case[0]))
chosen |= set(choose("sorting_large, dtypes", CASES, 0.1, lambda case: case[1]))
for count, dtype in sorted(chosen):
    check_orders(count, dtype)

# A vocabulary: the largest of each row and their places, with derivatives.
logits = rng.normal(size=(4, 50257)).astype(np.float32)
values, places = fw.function(lambda x: fw.top_k(x, 40))(logits)
same(places, np.argsort(-logits, 1, kind="stable")[:, :40])
same(values, np.take_along_axis(logits, np.asarray(places), 1))
slope = fw.function(fw.grad(lambda x: fw.sum(fw.top_k(x, 3)[0] * np.array([1, 2, 3], np.float32))))(logits)
expected = np.zeros_like(logits)
np.put_along_axis(expected, np.argsort(-logits, 1)[:, :3], np.array([[1, 2, 3]], np.float32), 1)
same(slope, expected)

# Medians and quantiles.
x = rng.normal(size=(20001,))
for share in (0.0, 0.1, 0.5, 0.999, 1.0):
    np.testing.assert_allclose(fw.function(lambda x: fw.quantile(x, share))(x), np.quantile(x, share), rtol=1e-12)
np.testing.assert_allclose(fw.function(lambda x: fw.median(x))(x[:20000]), np.median(x[:20000]), rtol=1e-12)

# The order of an epoch.
order = np.asarray(fw.function(lambda: fw.random.permutation(30000))())
same(np.sort(order), np.arange(30000))
assert np.mean(order == np.arange(30000)) < 0.01
drawn = np.asarray(fw.function(lambda: fw.random.choice(9000, (5000,), replace=False))())
assert len(set(drawn.tolist())) == 5000 and drawn.max() < 9000

# Orders of positions of a batch, and in a loop.
rows = rng.normal(size=(5, 100)).astype(np.float32)
same(fw.function(fw.vmap(lambda row: fw.argsort(row)))(rows), np.argsort(rows, 1, kind="stable"))
same(fw.function(lambda x: fw.map(lambda row: fw.sort(row), x))(rows), np.sort(rows, 1))
