# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Sums of very many terms, and what is made of them, keep the precision of their type.

Sums of f32 in the optimized lowering, which adds in blocks (G3, X10); counts
and sums in the derivatives of f16 and bf16 in all of them (G1, X12).
"""

from typing import Any, List, Tuple

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from cases import function
from configurations import IN_PROCESS, configurations, expect_close, expect_equal, run_tests

Array = NDArray[Any]
OPTIMIZED = ("optimized", "avx2")
HALVES: Tuple[Tuple[str, Any], ...] = (("f16", np.float16), ("bf16", ml_dtypes.bfloat16))


def gradient(kind: str, args: List[str], result: str, body: str) -> str:
    """The gradient of `%y` with respect to the first argument."""
    body += f"\n  %g = train.gradient %y wrt %a0 : ({result}, {kind}) -> {kind}"
    return function("f", args, kind, body).replace("return %y", "return %g")


def test_long_sums() -> None:
    """Means down columns, along rows and over all, of 1000 to 1.6 million rows."""
    sums = {"column": ("?x1", "1", "[0]"), "columns": ("?x16", "16", "[0]"), "many": ("?x100", "100", "[0]"),
            "all": ("?x16", "", "[0, 1]"), "images": ("?x5x5x3", "3", "[0, 1, 2]"), "rows": ("4x?", "4", "[1]")}
    text = ""
    for name, (dim_sizes, left, axes) in sums.items():
        kind, y = f"tensor<{dim_sizes}xf32>", f"tensor<{left + 'x' if left else ''}f32>"
        text += function(name, [kind], y, f"%y = nn.reduce mean %a0 axes {axes} : {kind} -> {y}")
        # A product that is computed on the way to the sum.
        text += function(name + "_squares", [kind], y,
                         f"%s = arith.mulf %a0, %a0 : {kind}\n  %y = nn.reduce sum %s axes {axes} : {kind} -> {y}")
    rng = np.random.default_rng(1)
    for configuration, model in configurations(text, OPTIMIZED):
        model.initialize()
        for name, (dim_sizes, _, axes) in sums.items():
            for rows in (0, 1, 127, 129, 1000, 16385, 1_600_000 // (7 if name in ("many", "images") else 1)):
                shape = [rows if dim_size == "?" else int(dim_size) for dim_size in dim_sizes.split("x")]
                # All alike: every rounding of a plain sum goes the same way.
                for x in (rng.random(shape, np.float32), np.full(shape, 0.1, np.float32)):
                    axis = tuple(map(int, axes.strip("[]").split(", ")))
                    wide = x.astype(np.float64)
                    with np.errstate(all="ignore"):
                        mean = wide.sum(axis) / np.prod([shape[i] for i in axis])
                    what = f"{configuration} {name} {rows}"
                    np.testing.assert_allclose(model.run(name, x), mean, rtol=4e-6, err_msg=what)
                    np.testing.assert_allclose(model.run(name + "_squares", x), (wide * wide).sum(axis), rtol=4e-6,
                                               err_msg=what + " squares")


def test_moments() -> None:
    """X10: the variance of 100000 samples around 1e4 is 1."""
    kind, moment = "tensor<?x3xf32>", "tensor<3xf32>"
    text = function("f", [kind], moment, "%z, %m, %y = nn.batch_norm_training %a0 epsilon 0.0 : "
                                         f"({kind}) -> ({kind}, {moment}, {moment})")
    x = (1e4 + np.random.default_rng(2).standard_normal((100_000, 3))).astype(np.float32)
    for configuration, model in configurations(text, OPTIMIZED):
        model.initialize()
        np.testing.assert_allclose(model.run("f", x), x.astype(np.float64).var(0), rtol=1e-4, err_msg=configuration)


def test_shares() -> None:
    """G12: 70000 elements, a number that f16 has not, share what is differentiated."""
    count = 70_000
    label = np.zeros(count, np.int32)
    for element, dtype in HALVES:
        many, two, one = f"tensor<?x{element}>", f"tensor<?x2x{element}>", f"tensor<?x1x{element}>"
        scalar, labels = f"tensor<{element}>", "tensor<?xi32>"
        zeros = np.zeros((count, 2), dtype)
        half = np.tile([-0.5, 0.5], (count, 1))
        cases: List[Tuple[str, List[str], List[Array], Any, str]] = [
            ("mean", [many], [np.ones(count, dtype)], np.ones(count),
             f"%y = nn.reduce mean %a0 axes [0] : {many} -> {scalar}"),
            ("max", [many], [np.ones(count, dtype)], np.ones(count),
             f"%y = nn.reduce max %a0 axes [0] : {many} -> {scalar}"),
            ("sparse", [two, labels], [zeros, label], half,
             f"%y = nn.sparse_softmax_cross_entropy %a0, %a1 : ({two}, {labels}) -> {scalar}"),
            ("soft", [two, two], [zeros, np.eye(2)[label].astype(dtype)], half,
             f"%y = nn.softmax_cross_entropy %a0, %a1 : ({two}, {two}) -> {scalar}"),
            ("sigmoid", [one, one], [zeros[:, :1].copy(), zeros[:, :1].copy()], np.full((count, 1), 0.5),
             f"%y = nn.sigmoid_cross_entropy %a0, %a1 : ({one}, {one}) -> {scalar}"),
        ]
        for name, args, inputs, shares, body in cases:
            # LLVM has no selection between vectors of bf16 for CPUs that lack them.
            names = ("reference",) if (name, element) == ("max", "bf16") else IN_PROCESS
            for configuration, model in configurations(gradient(args[0], args, scalar, body), names):
                model.initialize()
                # One unit of a denormal f16, or of a bf16.
                np.testing.assert_allclose(model.run("f", *inputs).astype(np.float64), shares / count, rtol=2**-8,
                                           atol=2**-25, err_msg=f"{configuration} {element} {name}")


def test_nan_extremum() -> None:
    """G12: where the extremum is NaN, the elements that are share the gradient."""
    kind = "tensor<?xf32>"
    for name in ("max", "min"):
        text = gradient(kind, [kind], "tensor<f32>", f"%y = nn.reduce {name} %a0 axes [0] : {kind} -> tensor<f32>")
        for configuration, model in configurations(text):
            model.initialize()
            x = np.array([1, np.nan, 3, np.nan], np.float32)
            expect_equal(f"{configuration} {name}", model.run("f", x), np.array([0, 0.5, 0, 0.5], np.float32))


def test_scattered_sums() -> None:
    """X12: additions to one place are rounded once, and so is the gradient of a gather."""
    index = "tensor<?xi32>"
    for element, dtype in HALVES:
        x, u = f"tensor<3x2x{element}>", f"tensor<?x2x{element}>"
        text = gradient(x, [x, index], u, f"%y = nn.gather %a0, %a1 axis 0 : ({x}, {index}) -> {u}")
        text += function("add", [x, index, u], x,
                         f"%y = nn.scatter_add %a0, %a1, %a2 axis 0 : ({x}, {index}, {u}) -> {x}")
        zeros, ones = np.zeros((3, 2), dtype), np.ones((1000, 2), dtype)
        at = np.repeat([1, 2], 500).astype(np.int32)
        for configuration, model in configurations(text):
            model.initialize()
            expected = np.array([[0, 0], [500, 500], [500, 500]]).astype(dtype)
            expect_equal(f"{configuration} {element} gradient", model.run("f", zeros, at), expected)
            expect_equal(f"{configuration} {element} sum", model.run("add", zeros, at, ones), expected)
            # f16 does not have 2048 + 1.
            start = np.full((3, 2), 2048, dtype)
            expect_close(f"{configuration} {element} added", model.run("add", start, at, ones),
                         (start.astype(np.float64) + expected.astype(np.float64)).astype(dtype), 0)


if __name__ == "__main__":
    run_tests([test_long_sums, test_moments, test_shares, test_nan_extremum, test_scattered_sums])
