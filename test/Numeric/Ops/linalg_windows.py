# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""X2, X3, X8: linalg's convolutions and pools and their gradients, in all configurations.

Each against its definition, element by element, and central differences of it.
"""

import itertools
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from configurations import Array, configurations, expect_close, run_tests

Index = Tuple[int, ...]


class Case(NamedTuple):
    """An op: its shapes, its loops, and what each iteration reads and writes."""

    op: str
    kind: str
    image: Index
    window: Index
    result: Index
    strides: Optional[Index]
    dilations: Optional[Index]
    loops: Index
    access: Callable[..., Tuple[Index, Index, Index]]

    def attributes(self) -> str:
        if self.strides is None or self.dilations is None:
            return ""
        count = len(self.strides)
        return (f"{{dilations = dense<{list(self.dilations)}> : tensor<{count}xi64>, "
                f"strides = dense<{list(self.strides)}> : tensor<{count}xi64>}}")

    def compute(self, x: Array, w: Array, start: Array) -> Array:
        y: Array = start.copy()
        for iteration in itertools.product(*map(range, self.loops)):
            at, tap, to = self.access(*iteration)
            if self.kind == "convolution":
                y[to] += x[at] * w[tap]
            elif self.kind == "sum":
                y[to] += x[at]
            else:
                y[to] = (max if self.kind == "max" else min)(y[to], x[at])
        return y


CASES = (
    # Windows that leave an odd rest, strides and dilations that differ.
    Case("conv_2d_nhwc_hwcf", "convolution", (2, 7, 6, 2), (3, 2, 2, 3), (2, 3, 3, 3), (2, 1), (1, 2),
         (2, 3, 3, 3, 3, 2, 2), lambda n, h, w, f, p, q, c: ((n, 2 * h + p, w + 2 * q, c), (p, q, c, f), (n, h, w, f))),
    Case("conv_2d_nchw_fchw", "convolution", (1, 2, 8, 5), (3, 2, 3, 2), (1, 3, 3, 4), (2, 1), (1, 1),
         (1, 3, 3, 4, 2, 3, 2), lambda n, f, h, w, c, p, q: ((n, c, 2 * h + p, w + q), (f, c, p, q), (n, f, h, w))),
    Case("conv_2d_nhwc_fhwc", "convolution", (2, 4, 5, 2), (3, 3, 2, 2), (2, 2, 4, 3), (1, 1), (1, 1),
         (2, 2, 4, 3, 3, 2, 2), lambda n, h, w, f, p, q, c: ((n, h + p, w + q, c), (f, p, q, c), (n, h, w, f))),
    Case("conv_2d_ngchw_gfchw", "convolution", (1, 2, 2, 4, 4), (2, 3, 2, 3, 2), (1, 2, 3, 2, 3), (1, 1), (1, 1),
         (1, 2, 3, 2, 3, 2, 3, 2), lambda n, g, f, h, w, c, p, q:
         ((n, g, c, h + p, w + q), (g, f, c, p, q), (n, g, f, h, w))),
    Case("depthwise_conv_2d_nhwc_hwc", "convolution", (2, 4, 5, 3), (3, 2, 3), (2, 2, 4, 3), (1, 1), (1, 1),
         (2, 2, 4, 3, 3, 2), lambda n, h, w, c, p, q: ((n, h + p, w + q, c), (p, q, c), (n, h, w, c))),
    Case("depthwise_conv_2d_nhwc_hwcm", "convolution", (1, 4, 5, 2), (3, 2, 2, 2), (1, 2, 4, 2, 2), (1, 1), (1, 1),
         (1, 2, 4, 2, 2, 3, 2), lambda n, h, w, c, m, p, q: ((n, h + p, w + q, c), (p, q, c, m), (n, h, w, c, m))),
    Case("conv_1d_nwc_wcf", "convolution", (2, 7, 2), (3, 2, 3), (2, 3, 3), (2,), (1,), (2, 3, 3, 3, 2),
         lambda n, w, f, q, c: ((n, 2 * w + q, c), (q, c, f), (n, w, f))),
    Case("conv_1d_ncw_fcw", "convolution", (2, 2, 6), (3, 2, 3), (2, 3, 4), (1,), (1,), (2, 3, 4, 2, 3),
         lambda n, f, w, c, q: ((n, c, w + q), (f, c, q), (n, f, w))),
    Case("conv_2d", "convolution", (6, 5), (3, 2), (4, 4), None, None, (4, 4, 3, 2),
         lambda h, w, p, q: ((h + p, w + q), (p, q), (h, w))),
    Case("conv_3d_ndhwc_dhwcf", "convolution", (1, 3, 3, 3, 2), (2, 2, 2, 2, 2), (1, 2, 2, 2, 2), (1, 1, 1), (1, 1, 1),
         (1, 2, 2, 2, 2, 2, 2, 2, 2), lambda n, d, h, w, f, o, p, q, c:
         ((n, d + o, h + p, w + q, c), (o, p, q, c, f), (n, d, h, w, f))),
    Case("pooling_nhwc_max", "max", (2, 7, 5, 2), (3, 2), (2, 3, 4, 2), (2, 1), (1, 1), (2, 3, 4, 2, 3, 2),
         lambda n, h, w, c, p, q: ((n, 2 * h + p, w + q, c), (p, q), (n, h, w, c))),
    Case("pooling_nhwc_max", "max", (1, 9, 6, 2), (3, 2), (1, 3, 4, 2), (2, 1), (2, 2), (1, 3, 4, 2, 3, 2),
         lambda n, h, w, c, p, q: ((n, 2 * h + 2 * p, w + 2 * q, c), (p, q), (n, h, w, c))),
    Case("pooling_nhwc_min", "min", (2, 7, 5, 2), (3, 2), (2, 2, 4, 2), (2, 1), (1, 1), (2, 2, 4, 2, 3, 2),
         lambda n, h, w, c, p, q: ((n, 2 * h + p, w + q, c), (p, q), (n, h, w, c))),
    Case("pooling_nchw_max", "max", (2, 2, 7, 5), (3, 2), (2, 2, 3, 4), (2, 1), (1, 1), (2, 2, 3, 4, 3, 2),
         lambda n, c, h, w, p, q: ((n, c, 2 * h + p, w + q), (p, q), (n, c, h, w))),
    Case("pooling_nchw_sum", "sum", (2, 2, 7, 5), (3, 2), (2, 2, 3, 4), (2, 1), (1, 1), (2, 2, 3, 4, 3, 2),
         lambda n, c, h, w, p, q: ((n, c, 2 * h + p, w + q), (p, q), (n, c, h, w))),
    Case("pooling_ncw_sum", "sum", (2, 2, 6), (3,), (2, 2, 4), (1,), (1,), (2, 2, 4, 3),
         lambda n, c, w, q: ((n, c, w + q), (q,), (n, c, w))),
)


def tensor(shape: Sequence[int], is_dynamic: bool = False) -> str:
    dim_sizes = ["?" if is_dynamic and i == 0 else str(dim_size) for i, dim_size in enumerate(shape)]
    return f"tensor<{'x'.join(dim_sizes)}xf64>"


def module(case: Case, is_dynamic: bool) -> str:
    image, window, result = tensor(case.image, is_dynamic), tensor(case.window), tensor(case.result, is_dynamic)
    wrt = {"%x": image, "%w": window, "%o": result}
    if case.kind != "convolution":
        del wrt["%w"]
    types = ", ".join(wrt.values())
    gradients = ", ".join(f"%g#{i}" for i in range(len(wrt)))
    return f"""
    func.func @f(%x: {image}, %w: {window}, %o: {result}, %u: {result}) -> ({result}, {types}) {{
      %y = linalg.{case.op} {case.attributes()} ins(%x, %w : {image}, {window}) outs(%o : {result}) -> {result}
      %g:{len(wrt)} = train.gradient %y wrt {", ".join(wrt)} grad_ys %u : ({result}, {types}, {result}) -> ({types})
      return %y, {gradients} : {result}, {types}
    }}"""


def differences(function: Callable[..., Array], inputs: List[Array], which: int, u: Array) -> Array:
    gradient = np.zeros_like(inputs[which])
    for index in np.ndindex(*gradient.shape):
        values = []
        for step in (1e-5, -1e-5):
            moved = [x.copy() for x in inputs]
            moved[which][index] += step
            values.append((function(*moved) * u).sum())
        gradient[index] = (values[0] - values[1]) / 2e-5
    return gradient


def check(case: Case) -> None:
    rng = np.random.default_rng(0)
    inputs: List[Any] = [rng.standard_normal(shape) for shape in (case.image, case.window, case.result)]
    u = rng.standard_normal(case.result)
    wrt = (0, 1, 2) if case.kind == "convolution" else (0, 2)
    expected = [case.compute(*inputs)] + [differences(case.compute, inputs, i, u) for i in wrt]
    for is_dynamic in (False, True) if case.strides else (False,):
        for name, model in configurations(module(case, is_dynamic), ("reference", "optimized")):
            for i, (found, value) in enumerate(zip(model.run("f", *inputs, u), expected)):
                expect_close(f"{case.op}, {name}, dynamic {is_dynamic}, #{i}", found, value, 1e-6)


def test_cases() -> None:
    for case in CASES:
        check(case)


def test_half_precision() -> None:
    """V3: sums of f16 in f32, where the op says so."""
    text = """
    func.func @f(%x: tensor<1x4x4x8xf16>, %w: tensor<3x3x8x2xf16>, %o: tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> {
      %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x4x4x8xf16>, tensor<3x3x8x2xf16>)
          outs(%o : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
      return %y : tensor<1x2x2x2xf32>
    }"""
    rng = np.random.default_rng(1)
    x, w = rng.standard_normal((1, 4, 4, 8)).astype(np.float16), rng.standard_normal((3, 3, 8, 2)).astype(np.float16)
    start = rng.standard_normal((1, 2, 2, 2)).astype(np.float32)
    expected = start.astype(np.float64)
    for i, j in np.ndindex(2, 2):
        patch = x[0, i:i + 3, j:j + 3].astype(np.float64)
        expected[0, i, j] += np.tensordot(patch, w.astype(np.float64), 3)
    for name, model in configurations(text):
        expect_close(name, model.run("f", x, w, start), expected, 1e-5)


run_tests([test_cases, test_half_precision])
