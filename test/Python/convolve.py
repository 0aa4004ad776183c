# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""X7: the convolution of two vectors takes memory for these, of any sizes and element types, and so does its gradient;
windows of the longer one are not written out."""

import sys

import numpy as np

import flywheel as fw

rng = np.random.default_rng(7)


def workspace(function: "fw.Function", *args: "np.ndarray[tuple[int, ...], np.dtype[np.generic]]") -> int:
    size: int = function.trace(*args).program.entries[0].workspace_bytes()
    return size


def numbers(n: int, dtype: str) -> "np.ndarray[tuple[int, ...], np.dtype[np.generic]]":
    return rng.integers(-9, 9, n).astype(dtype)


# Sums of products of small integers are exact in each of these types.
for dtype in ("float32", "float64", "int32", "int64", "uint32", "int8"):
    for n, m in ((1, 1), (7, 1), (1, 7), (6, 6), (40, 9), (9, 40), (301, 64)):
        for mode in ("full", "same", "valid"):
            a, v = numbers(n, dtype), numbers(m, dtype)
            found = fw.function(lambda x, y, mode=mode: fw.convolve(x, y, mode))(a, v)
            wide = np.int64 if dtype == "int8" else a.dtype
            np.testing.assert_array_equal(found, np.convolve(a.astype(wide), v.astype(wide), mode), f"{dtype} {n} {m}")

n, m = 20000, 300
for dtype in ("float32", "int32"):
    convolve = fw.function(fw.convolve)
    found = workspace(convolve, numbers(n, dtype), numbers(m, dtype))
    if found > 4 * 4 * (n + m):
        sys.exit(f"expected a workspace of at most four vectors of {dtype}, found {found} bytes")

step = fw.function(fw.grad(lambda x, y: fw.sum(fw.square(fw.convolve(x, y))), argnums=(0, 1)))
a, v = rng.standard_normal(n), rng.standard_normal(m)
da, dv = step(a, v)
products = 2 * np.convolve(a, v)
np.testing.assert_allclose(da, np.correlate(products, v, "valid"), 1e-9, 1e-9)
np.testing.assert_allclose(dv, np.correlate(products, a, "valid"), 1e-9, 1e-9)
if workspace(step, a, v) > 8 * 8 * (n + m):
    sys.exit(f"expected a workspace of at most eight vectors for the gradient, found {workspace(step, a, v)} bytes")
