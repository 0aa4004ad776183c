# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Products of f16 and bf16: sums are of f32, and rounded once (V3, X1).

The sum of K terms is within (K + 1) 2^-24 of the sum of their magnitudes, in any order,
as products are exact in f32; the result is its nearest number. A sum in the narrow type
would be off by 2^-8 of it. An instruction that adds pairs counts denormal numbers as
zeros, as all of a step does.
"""

from typing import Any, Iterator, List, Tuple

import numpy as np
from numpy.typing import NDArray

from cases import tensor
from configurations import IN_PROCESS, configurations, dtype_of, run_tests

Array = NDArray[Any]
TYPES = {"f16": (np.dtype("float16"), 2.0**-11, 2.0**-24), "bf16": (dtype_of("bfloat16"), 2.0**-8, 2.0**-126)}
# Rows, terms, columns: few rows, one column, few terms, odd numbers of terms, whole tiles and rests.
SHAPES = ((1, 300, 70), (2, 512, 130), (3, 2, 200), (16, 1025, 33), (33, 257, 65), (40, 64, 1), (128, 128, 64),
          (64, 31, 10))


def products() -> Iterator[Tuple[str, bool, bool]]:
    yield "forward", False, False
    yield "of the weights", True, False
    yield "of the input", False, True


def test_sums_are_wide() -> None:
    """V3: every transposition and shape of a tile, within the bound of sums of f32."""
    rng = np.random.default_rng(7)
    for element, (dtype, half_unit, smallest) in TYPES.items():
        text = ""
        calls: List[Tuple[str, str, Array, Array, Array, Array]] = []
        for m, k, n in SHAPES:
            for what, ta, tb in products():
                name = f"f{len(calls)}"
                shapes = ((k, m) if ta else (m, k), (n, k) if tb else (k, n))
                a, b, y = (tensor(shape, element) for shape in (*shapes, (m, n)))
                flags = ", ".join(flag for flag, on in (("transpose_a", ta), ("transpose_b", tb)) if on)
                text += (f"func.func @{name}(%a: {a}, %b: {b}) -> {y} {{\n"
                         f"  %y = nn.matmul %a, %b {{{flags}}} : ({a}, {b}) -> {y}\n  return %y : {y}\n}}\n")
                x, w = (rng.standard_normal(shape).astype(dtype) for shape in shapes)
                left = x.astype(np.float64).T if ta else x.astype(np.float64)
                right = w.astype(np.float64).T if tb else w.astype(np.float64)
                bound = (k + 1) * 2.0**-24 * (np.abs(left) @ np.abs(right))
                calls.append((f"{element} {what} {m}x{k}x{n}", name, x, w, left @ right, bound))
        for configuration, model in configurations(text, IN_PROCESS):
            model.initialize()
            for what, name, x, w, exact, bound in calls:
                found = np.asarray(model.run(name, x, w))
                assert found.dtype == dtype, f"{configuration} {what}: found {found.dtype}"
                error = np.abs(found.astype(np.float64) - exact)
                allowed = bound + half_unit * (np.abs(exact) + bound) + smallest
                worst = float(np.max(error / allowed))
                assert worst <= 1, f"{configuration} {what}: an error of {worst:.3g} times what sums of f32 allow"


def test_infinities() -> None:
    """V3: what is not finite stays so in each way to add, and only in its row and column."""
    for element, (dtype, _, _) in TYPES.items():
        a, b, y = tensor((8, 66), element), tensor((66, 32), element), tensor((8, 32), element)
        text = (f"func.func @f(%a: {a}, %b: {b}) -> {y} {{\n"
                f"  %y = nn.matmul %a, %b : ({a}, {b}) -> {y}\n  return %y : {y}\n}}\n")
        x, w = np.ones((8, 66), dtype), np.ones((66, 32), dtype)
        x[1, 5], x[2, 64], w[65, 3] = np.inf, np.nan, -np.inf
        with np.errstate(invalid="ignore"):
            exact = x.astype(np.float64) @ w.astype(np.float64)
        for configuration, model in configurations(text, IN_PROCESS):
            model.initialize()
            found = np.asarray(model.run("f", x, w)).astype(np.float64)
            np.testing.assert_array_equal(found, exact, err_msg=f"{configuration} {element}")


run_tests([test_sums_are_wide, test_infinities])
