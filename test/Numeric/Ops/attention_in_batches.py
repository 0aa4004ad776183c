# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Attention whose scores are computed one batch at a time, and once more for the
gradient: the numbers of plain loops, and the same bits for any number of threads (X12, I7)."""

from typing import Any

import ml_dtypes
import numpy as np

from configurations import configurations, expect_close, expect_equal, make, run_tests
from selection import choose

DTYPES: dict[str, Any] = {"f32": np.float32, "f64": np.float64, "bf16": ml_dtypes.bfloat16}
TOLERANCES = {"f32": 2e-5, "f64": 1e-11, "bf16": 4e-2}


def text_of(element: str, heads: int, size: int, body: str, mask: str = "") -> str:
    """A step of projections around `body`, which computes %y from %q, %k, %v and %m; the
    batch and the length are dynamic."""
    width = heads * size
    flat, split = f"tensor<?x?x{width}x{element}>", f"tensor<?x{heads}x?x{size}x{element}>"
    parts = f"tensor<?x?x{heads}x{size}x{element}>"
    lines = [f"train.variable @{n} : tensor<{width}x{width}x{element}> = #train.random_normal<stddev = 0.15>"
             for n in "qkv"]
    lines += [f"func.func @f(%x: {flat}{', %m: ' + mask if mask else ''}) -> {split} {{",
              "  %c0 = arith.constant 0 : index", "  %c1 = arith.constant 1 : index",
              f"  %b = tensor.dim %x, %c0 : {flat}", f"  %t = tensor.dim %x, %c1 : {flat}"]
    for n in "qkv":
        lines += [f"  %{n}w = train.read @{n} : tensor<{width}x{width}x{element}>",
                  f"  %{n}0 = nn.dense %x, %{n}w : ({flat}, tensor<{width}x{width}x{element}>) -> {flat}",
                  f"  %{n}1 = tensor.expand_shape %{n}0 [[0], [1], [2, 3]] output_shape [%b, %t, {heads}, {size}] "
                  f": {flat} into {parts}",
                  f"  %{n}e = tensor.empty(%b, %t) : {split}",
                  f"  %{n} = linalg.transpose ins(%{n}1 : {parts}) outs(%{n}e : {split}) permutation = [0, 2, 1, 3]"]
    lines += [body.replace("$split", split),
              f"  %l = nn.l2_loss %y : {split} -> tensor<{element}>",
              f"  train.minimize %l : tensor<{element}> with #train.sgd<lr = 1.0e-2>",
              f"  return %y : {split}", "}"]
    return "\n".join(lines) + "\n"


def attention(clauses: str, mask: str = "") -> str:
    types = "$split, $split, $split" + (f", {mask}" if mask else "")
    return f"  %y = nn.attention %q, %k, %v {'mask %m' if mask else ''} {clauses} : ({types}) -> $split"


def with_dropout(element: str, heads: int) -> str:
    scores = f"tensor<?x{heads}x?x?x{element}>"
    return (f"  %s = nn.matmul %q, %k {{transpose_b}} : ($split, $split) -> {scores}\n"
            f"  %p = nn.softmax %s : {scores}\n"
            f"  %w = train.dropout %p rate 0.25 seed 7 : {scores}\n"
            f"  %y = nn.matmul %w, %v : ({scores}, $split) -> $split")


def compare(what: str, element: str, text: str, mask: bool, length: int, width: int) -> None:
    rng = np.random.default_rng(1)
    dtype = DTYPES[element]
    feeds: list[Any] = [rng.uniform(-1, 1, (3, length, width)).astype(dtype)]
    if mask:
        feeds.append(rng.integers(0, 4, (3, 3, length, length)) > 0)
    plain = make(text, "reference")
    plain.initialize(1)
    wanted = [plain.run("f", *feeds) for _ in range(2)]
    found: dict[str, list[Any]] = {}
    for name in ("optimized", "threads", "workers"):
        model = make(text, name)
        model.initialize(1)
        found[name] = [model.run("f", *feeds) for _ in range(2)] + [model[n] for n in "qkv"]
        for got, expected in zip(found[name], wanted + [plain[n] for n in "qkv"]):
            expect_close(f"{what} {name}", got.astype(np.float64), expected.astype(np.float64), TOLERANCES[element])
    for name in ("threads", "workers"):
        for got, expected in zip(found[name], found["optimized"]):
            expect_equal(f"{what}: bits of {name}", got, expected)


def test_attention() -> None:
    """Three heads of 17 and a length of 127, causal or masked, in each element type."""
    cases = [(element, mask) for element in DTYPES for mask in ("", "tensor<?x3x?x?xi1>")]
    for element, mask in choose("attention in batches", cases, 0.2, group=lambda case: case[0]):
        text = text_of(element, 3, 17, attention("causal", mask), mask)
        compare(f"{element} causal {mask}", element, text, bool(mask), 127, 51)


def test_dropout() -> None:
    """The gradient drops the weights that the value has dropped."""
    for element in ("f32", "f64"):
        compare(f"{element} dropout", element, text_of(element, 3, 17, with_dropout(element, 3)), False, 45, 51)


def test_small_batches() -> None:
    """One batch, one position, and none."""
    text = text_of("f32", 2, 4, attention("causal"))
    reference = make(text, "reference")
    for configuration, compiled in configurations(text):
        for shape in ((1, 1, 8), (1, 33, 8), (0, 5, 8), (4, 1, 8)):
            plain, model = reference.another(), compiled.another()
            plain.initialize(1)
            model.initialize(1)
            x = np.random.default_rng(2).uniform(-1, 1, shape).astype(np.float32)
            expect_close(f"{configuration} {shape}", model.run("f", x), plain.run("f", x), 2e-5)
            for name in "qkv":
                expect_close(f"{configuration} {shape} {name}", model[name], plain[name], 2e-5)


run_tests([test_attention, test_dropout, test_small_batches])
