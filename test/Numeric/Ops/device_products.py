# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
# RUN: env FLYWHEEL_SIM_ORDER=reversed %python %s small
# RUN: env FLYWHEEL_SIM_RACES=1 FLYWHEEL_SIM_ORDER=shuffled:3 %python %s small
"""Products, convolutions and what follows them on a GPU, by tensor cores and without (X1, X2, D9).

Operands are small integers, which every element type has: sums are exact in any order, so that results are numpy's.
With `small`, sizes are small.
"""

import os
import sys
from typing import Any, Iterator, List, Tuple

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

import flywheel
from configurations import expect_close, expect_equal, run_tests
from selection import choose

Array = NDArray[Any]
Kind = Tuple[str, Any, str]
# The kind, rows and terms and columns, transpositions, and whether rows are dynamic.
Product = Tuple[Kind, Tuple[int, int, int], bool, bool, bool]
IS_SMALL = "small" in sys.argv[1:]
PLAIN, TF32 = "cuda:sm_90a:bitcode", "cuda:sm_90a+tf32:bitcode"
# Element type, its NumPy type, and the target.
KINDS: Tuple[Kind, ...] = (
    ("bf16", ml_dtypes.bfloat16, PLAIN),
    ("f16", np.float16, PLAIN),
    ("f32", np.float32, TF32),
    ("f32", np.float32, PLAIN),
    ("f64", np.float64, PLAIN),
    # No asynchronous copies, no tensor cores.
    ("f16", np.float16, "cuda:sm_75:bitcode"),
)


def integers(rng: np.random.Generator, shape: Tuple[int, ...], dtype: Any) -> Array:
    return rng.integers(-2, 3, shape).astype(dtype)


def session(text: str, target: str) -> "flywheel.Session":
    created = flywheel.Session(flywheel.compile(text, target=target))
    created.initialize(1)
    return created


def sizes() -> Iterator[Tuple[int, int, int]]:
    """Rows, terms and columns: tiles that are whole, and that are not in every way."""
    yield from ((1, 1, 1), (5, 3, 7), (33, 17, 65), (32, 64, 32))
    if not IS_SMALL:
        yield from ((128, 96, 40), (200, 130, 72), (64, 520, 8), (1, 256, 129))


def check_product(kind: Kind, size: Tuple[int, int, int], ta: bool, tb: bool, is_dynamic: bool) -> None:
    element, dtype, target = kind
    m, k, n = size
    rng = np.random.default_rng(1)
    rows = "?" if is_dynamic else m
    a = f"tensor<{k}x{rows}x{element}>" if ta else f"tensor<{rows}x{k}x{element}>"
    b = f"tensor<{n}x{k}x{element}>" if tb else f"tensor<{k}x{n}x{element}>"
    y, bias = f"tensor<{rows}x{n}x{element}>", f"tensor<{n}x{element}>"
    flags = ", ".join(name for name, on in (("transpose_a", ta), ("transpose_b", tb)) if on)
    text = (f"func.func @f(%a: {a}, %b: {b}, %c: {bias}, %r: {y}) -> {y} {{\n"
            f"  %p = nn.matmul %a, %b {{{flags}}} : ({a}, {b}) -> {y}\n"
            f"  %s = nn.add %p, %c : ({y}, {bias}) -> {y}\n"
            f"  %t = nn.relu %s : {y}\n"
            f"  %u = arith.addf %t, %r : {y}\n"
            f"  return %u : {y}\n}}\n")
    x, w = integers(rng, (m, k), dtype), integers(rng, (k, n), dtype)
    c, r = integers(rng, (n,), dtype), integers(rng, (m, n), dtype)
    product = x.astype(np.float64) @ w.astype(np.float64)
    expected = np.maximum(product.astype(dtype).astype(np.float64) + c.astype(np.float64), 0)
    expected = expected.astype(dtype).astype(np.float64) + r.astype(np.float64)
    found = session(text, target).run(
        "f", np.array(x.T if ta else x, order="C"), np.array(w.T if tb else w, order="C"), c, r)
    expect_equal(f"{element} {target} {m} {k} {n} {ta} {tb}", found, expected.astype(dtype))


def test_products() -> None:
    """Each transposition, of static and of dynamic rows, with what follows in registers."""
    cases: List[Product] = []
    for kind in KINDS:
        for size in sizes():
            for ta, tb in ((False, False), (True, False), (False, True), (True, True)):
                for is_dynamic in (False, True):
                    if not (is_dynamic and (ta or tb) and IS_SMALL):
                        cases.append((kind, size, ta, tb, is_dynamic))
    # Each kind and transposition; a part of the sizes.
    order = os.environ.get("FLYWHEEL_SIM_ORDER", "")
    for case in choose(f"products {order}", cases, 0.3, group=lambda case: (case[0], *case[2:])):
        check_product(*case)


def test_batches() -> None:
    """Products of many small matrices, of static and of dynamic batches."""
    rng = np.random.default_rng(2)
    for element, dtype, target in KINDS:
        for lead, batch in ((("?",), (3,)), ((2, 2), (2, 2))):
            for m, k, n in ((5, 3, 7), (40, 24, 33)):
                dims = "x".join(map(str, lead))
                a, b, y = (f"tensor<{dims}x{p}x{q}x{element}>" for p, q in ((m, k), (n, k), (m, n)))
                text = (f"func.func @f(%a: {a}, %b: {b}) -> {y} {{\n"
                        f"  %p = nn.matmul %a, %b {{transpose_b}} : ({a}, {b}) -> {y}\n  return %p : {y}\n}}\n")
                x, w = integers(rng, (*batch, m, k), dtype), integers(rng, (*batch, n, k), dtype)
                expected = x.astype(np.float64) @ w.astype(np.float64).swapaxes(-1, -2)
                found = session(text, target).run("f", x, w)
                expect_equal(f"{element} {target} {batch} {m} {k} {n}", found, expected.astype(dtype))


def convolve(x: Array, w: Array, stride: int) -> Array:
    """VALID, of NHWC and HWIO."""
    n, h, v, _ = x.shape
    kh, kw, _, f = w.shape
    oh, ow = (h - kh) // stride + 1, (v - kw) // stride + 1
    y = np.zeros((n, oh, ow, f))
    for i in range(kh):
        for j in range(kw):
            window = x[:, i : i + (oh - 1) * stride + 1 : stride, j : j + (ow - 1) * stride + 1 : stride]
            y += window @ w[i, j]
    return y


def test_convolutions() -> None:
    """A convolution and its gradients."""
    rng = np.random.default_rng(3)
    for element, dtype, target in KINDS:
        for size, kernel, channels, filters, stride in ((7, 3, 3, 5, 1), (9, 2, 8, 32, 2)):
            side = (size - kernel) // stride + 1
            for batch in (2, "?"):
                x = f"tensor<{batch}x{size}x{size}x{channels}x{element}>"
                w = f"tensor<{kernel}x{kernel}x{channels}x{filters}x{element}>"
                y = f"tensor<{batch}x{side}x{side}x{filters}x{element}>"
                text = (f"func.func @f(%x: {x}, %w: {w}, %u: {y}) -> ({y}, {x}, {w}) {{\n"
                        f"  %y = nn.conv2d %x, %w strides [{stride}, {stride}] : "
                        f"({x}, {w}) -> {y}\n"
                        f"  %d:2 = train.gradient %y wrt %x, %w grad_ys %u : ({y}, {x}, {w}, {y}) -> ({x}, {w})\n"
                        f"  return %y, %d#0, %d#1 : {y}, {x}, {w}\n}}\n")
                a = integers(rng, (2, size, size, channels), dtype)
                f = integers(rng, (kernel, kernel, channels, filters), dtype)
                u = integers(rng, (2, side, side, filters), dtype)
                wide = [v.astype(np.float64) for v in (a, f, u)]
                dx, dw = np.zeros_like(wide[0]), np.zeros_like(wide[1])
                for i in range(kernel):
                    for j in range(kernel):
                        window = (slice(None), slice(i, i + (side - 1) * stride + 1, stride),
                                  slice(j, j + (side - 1) * stride + 1, stride))
                        dx[window] += wide[2] @ wide[1][i, j].T
                        dw[i, j] = np.einsum("nhwc,nhwf->cf", wide[0][window], wide[2])
                found = session(text, target).run("f", a, f, u)
                for name, one, other in zip(("y", "dx", "dw"), found, (convolve(wide[0], wide[1], stride), dx, dw)):
                    expect_equal(f"{name} {element} {target} {batch} {stride}", one, other.astype(dtype))


def round_to_tf32(x: Array) -> Array:
    """To the nearest number with 10 bits of fraction, ties away from zero."""
    return np.asarray(((x.view(np.uint32) + np.uint32(0x1000)) & np.uint32(0xFFFFE000)).view(np.float32))


def test_tf32_is_asked_for() -> None:
    """f32 is rounded where the target says so, and nowhere else."""
    rng = np.random.default_rng(4)
    kind = "tensor<48x48xf32>"
    text = (f"func.func @f(%a: {kind}, %b: {kind}) -> {kind} {{\n"
            f"  %p = nn.matmul %a, %b : ({kind}, {kind}) -> {kind}\n  return %p : {kind}\n}}\n")
    x, w = (rng.standard_normal((48, 48)).astype(np.float32) for _ in range(2))
    exact = x.astype(np.float64) @ w.astype(np.float64)
    rounded = round_to_tf32(x).astype(np.float64) @ round_to_tf32(w).astype(np.float64)
    for target, expected, other in ((PLAIN, exact, rounded), (TF32, rounded, exact)):
        found = np.asarray(session(text, target).run("f", x, w))
        expect_close(target, found, expected.astype(np.float32), 1e-5)
        assert np.abs(found - other).max() > 1e-4, target


if __name__ == "__main__":
    run_tests([test_products, test_batches, test_convolutions, test_tf32_is_asked_for])
