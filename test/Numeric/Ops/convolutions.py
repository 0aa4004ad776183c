# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Convolutions against numpy (X2, X3, X11, G11, G16), in every configuration.

Worked examples; then random dimension sizes, strides, paddings, dilations and groups of
`nn.conv2d`, `nn.conv2d_transpose` and `nn.conv2d_filter_grad`, whose arguments are
small integers: sums are exact in any order.

usage: convolutions.py [--random N] [--seed N]
"""

import argparse
from functools import partial
from typing import Any, List, Sequence

import numpy as np

import windows
from cases import DTYPES, Array, Cases, tensor
from configurations import IN_PROCESS, configurations, expect_close, expect_error, run_tests
from windows import Window

parser = argparse.ArgumentParser()
parser.add_argument("--random", type=int, default=8)
parser.add_argument("--seed", type=int, default=0)
options = parser.parse_args()


def integers(rng: np.random.Generator, shape: Sequence[int], dtype: Any = np.float64) -> Array:
    return rng.integers(-4, 5, shape).astype(dtype)


def test_examples() -> None:
    """X2, X3: the values and gradients of worked examples."""
    def square(n: int, values: Sequence[float]) -> Array:
        return np.reshape(np.array(values, np.float64), (1, n, n, 1))

    same = [111, 178, 217, 145, 231, 348, 393, 252, 363, 528, 573, 360, 197, 274, 295, 175]
    for element, dtype in DTYPES.items():
        cases = Cases()
        x, w, y4, y2 = (tensor(shape, element) for shape in ((1, 4, 4, 1), (3, 3, 1, 1), (1, 4, 4, 1), (1, 2, 2, 1)))
        image = np.arange(1, 17, dtype=dtype).reshape(1, 4, 4, 1)
        count = np.arange(1, 10, dtype=dtype).reshape(3, 3, 1, 1)
        ones = np.ones((3, 3, 1, 1), dtype)
        for filter, attributes, y, expected in (
                (count, "padding same", y4, square(4, same)),
                (count, "strides [2, 2] padding same", y2, square(2, [348, 252, 274, 175])),
                (ones, "", y2, square(2, [54, 63, 90, 99])),
                (ones, "strides [2, 2] padding same", y2, square(2, [54, 45, 72, 54]))):
            expect = cases.add(f"conv2d {attributes} {element}", (x, w), y,
                               f"%y = nn.conv2d %a0, %a1 {attributes} : ({x}, {w}) -> {y}")
            expect([image, filter], expected)

        # The gradient of the sum of y, with stride 2 and same padding.
        gradient = (f"%r = nn.conv2d %a0, %a1 strides [2, 2] padding same : ({x}, {w}) -> {y2}\n"
                    f"  %l = nn.reduce sum %r axes [0, 1, 2, 3] : {y2} -> tensor<{element}>\n"
                    f"  %y = train.gradient %l wrt %a{{}} : (tensor<{element}>, {{type}}) -> {{type}}")
        dw = cases.add(f"dW {element}", (x, w), w, gradient.format(1, type=w))
        dw([image, count], np.reshape([24.0, 28, 14, 40, 44, 22, 20, 22, 11], (3, 3, 1, 1)))
        dx = cases.add(f"dX {element}", (x, w), x, gradient.format(0, type=x))
        dx([image, count], square(4, [1, 2, 4, 2, 4, 5, 10, 5, 8, 10, 20, 10, 4, 5, 10, 5]))

        # Two channels of the image, one of the filter: two groups.
        x, w, y = (tensor(shape, element) for shape in ((1, 3, 3, 2), (2, 2, 1, 2), (1, 2, 2, 2)))
        grouped = cases.add(f"groups {element}", (x, w), y, f"%y = nn.conv2d %a0, %a1 : ({x}, {w}) -> {y}")
        grouped([np.arange(1, 19, dtype=dtype).reshape(1, 3, 3, 2), np.arange(1, 9, dtype=dtype).reshape(2, 2, 1, 2)],
                np.reshape([108.0, 148, 140, 188, 204, 268, 236, 308], (1, 2, 2, 2)))
        cases.check()


class Case:
    """The three ops of one window."""

    def __init__(self, window: Window, image: Sequence[int], groups: int, outputs: int) -> None:
        self.window, self.image = window, list(image)
        self.filter = [*window.size, image[3] // groups, outputs]
        self.output = [image[0], *window.shape(image), outputs]

    def add(self, cases: Cases, element: str, rng: np.random.Generator, number: int) -> None:
        dtype = DTYPES[element]
        batch: List[Any] = ["?" if number % 3 != 2 else self.image[0]]
        x, y = tensor(batch + self.image[1:], element), tensor(batch + self.output[1:], element)
        w = tensor(self.filter, element)
        attributes = self.window.attributes()
        what = f"{attributes} {element}"
        xs, ys, ws = (integers(rng, shape) for shape in (self.image, self.output, self.filter))
        for op, kinds, result, values, expected in (
                ("conv2d", (x, w), y, (xs, ws), windows.conv2d(self.window, xs, ws)),
                ("conv2d_transpose", (y, w), x, (ys, ws),
                 windows.conv2d_transpose(self.window, ys, ws, self.image)),
                ("conv2d_filter_grad", (x, y), w, (xs, ys),
                 windows.conv2d_filter_grad(self.window, xs, ys, self.filter))):
            expect = cases.add(f"{op} {what}", kinds, result,
                               f"%y = nn.{op} %a0, %a1 {attributes} : ({', '.join(kinds)}) -> {result}",
                               (element, number, op))
            expect([value.astype(dtype) for value in values], expected, 0.0 if element == "f64" else 0.1)


def random_case(rng: np.random.Generator) -> Case:
    while True:
        size, strides, dilations = ([int(n) for n in numbers] for numbers in (
            rng.integers(1, 6, 2), rng.choice((1, 1, 2, 3, 5), 2), rng.choice((1, 1, 2, 3), 2)))
        window = Window(size, strides, str(rng.choice(np.array(["same", "valid", "explicit"]))), dilations)
        if window.padding == "explicit":
            window.padding = rng.integers(0, 4, (2, 2)).tolist()
        groups = int(rng.choice((1, 1, 2, 3)))
        channels, outputs = (int(rng.choice((1, 2, 3, 7, 17))) for _ in range(2))
        image = [int(rng.choice((1, 2, 5))), int(rng.integers(1, 13)), int(rng.integers(1, 13)), groups * channels]
        if min(window.shape(image)) > 0:
            return Case(window, image, groups, groups * outputs)


def test_shapes() -> None:
    """X2, X3, X11: chosen corners, and random ones."""
    rng = np.random.default_rng(options.seed)
    corners = [
        Case(Window((5, 5), (1, 1), "valid"), (3, 8, 8, 1), 1, 6),
        Case(Window((5, 5), (1, 1), "same"), (3, 6, 6, 6), 1, 16),
        Case(Window((3, 3), (1, 1), "same"), (2, 9, 17, 16), 1, 33),
        Case(Window((1, 1), (1, 1), "valid"), (4, 3, 5, 7), 1, 9),
        Case(Window((1, 1), (3, 2), "valid"), (2, 7, 7, 3), 1, 20),
        Case(Window((2, 2), (3, 3), "same"), (2, 4, 7, 3), 1, 5),
        Case(Window((7, 7), (1, 1), "same"), (1, 3, 2, 2), 1, 3),
        Case(Window((3, 3), (2, 2), "same"), (1, 1, 1, 4), 1, 4),
        Case(Window((3, 3), (1, 1), "same", (2, 3)), (2, 8, 9, 4), 2, 6),
        Case(Window((3, 3), (2, 2), "same", (2, 2)), (2, 8, 9, 4), 1, 6),
        Case(Window((3, 3), (2, 1), [[2, 0], [0, 3]]), (2, 8, 9, 3), 1, 17),
        Case(Window((3, 3), (1, 1), "same"), (2, 6, 7, 19), 19, 19),
        Case(Window((3, 3), (2, 2), "same"), (2, 6, 7, 4), 4, 12),
        Case(Window((2, 3), (1, 1), [[5, 5], [5, 5]]), (1, 3, 3, 2), 1, 2),
        # Few channels and many filters, whose vectors gradients by the image sum.
        Case(Window((5, 5), (1, 1), "same"), (2, 7, 19, 1), 1, 32),
        Case(Window((3, 3), (1, 1), "same"), (2, 5, 11, 3), 1, 33),
        Case(Window((7, 4), (2, 3), "same"), (2, 9, 23, 1), 1, 48),
        Case(Window((3, 3), (2, 2), "same"), (1, 8, 34, 3), 1, 32),
        Case(Window((3, 3), (1, 1), "same", (1, 2)), (2, 6, 20, 1), 1, 16),
        # More phases, which become loops of one op: with and without positions that no window reaches, and with one
        # window alone.
        Case(Window((5, 4), (4, 4), "same"), (2, 9, 10, 3), 1, 5),
        Case(Window((5, 5), (4, 7), "valid"), (1, 21, 16, 4), 2, 6),
        Case(Window((4, 4), (4, 4), "valid"), (3, 8, 12, 6), 6, 6),
        Case(Window((9, 4), (4, 4), [[7, 8], [9, 1]]), (1, 9, 10, 2), 1, 3),
        Case(Window((4, 4), (6, 5), [[1, 2], [0, 3]]), (2, 13, 12, 3), 1, 4),
        Case(Window((4, 5), (4, 5), "same", (3, 2)), (2, 17, 16, 4), 2, 2),
        Case(Window((4, 4), (10 ** 9, 3), "valid"), (2, 6, 9, 2), 1, 3),
        Case(Window((4, 4), (2 ** 31 - 1, 2 ** 31 - 1), "same"), (2, 6, 9, 2), 1, 3),
        Case(Window((11, 1), (11, 1), "valid", (1, 1)), (2, 24, 5, 2), 1, 3),
    ]
    cases = Cases("windows")
    for element in DTYPES:
        for number, case in enumerate(corners + [random_case(rng) for _ in range(options.random)]):
            case.add(cases, element, rng, number)
    cases.check()


def test_halves() -> None:
    """X2, X11: 16-bit images and filters, summed in f32 and rounded once."""
    import ml_dtypes

    rng = np.random.default_rng(5)
    case = Case(Window((3, 3), (1, 2), "same"), (2, 9, 8, 5), 1, 18)
    for element, dtype, tolerance in (("f16", np.float16, 2.0 ** -10), ("bf16", ml_dtypes.bfloat16, 2.0 ** -7)):
        x, w, y = (tensor(shape, element) for shape in (case.image, case.filter, case.output))
        attributes = case.window.attributes()
        text = (f"func.func @forward(%x: {x}, %w: {w}) -> {y} {{\n"
                f"  %y = nn.conv2d %x, %w {attributes} : ({x}, {w}) -> {y}\n  return %y : {y}\n}}\n"
                f"func.func @image(%y: {y}, %w: {w}) -> {x} {{\n"
                f"  %x = nn.conv2d_transpose %y, %w {attributes} : ({y}, {w}) -> {x}\n  return %x : {x}\n}}\n"
                f"func.func @filter(%x: {x}, %y: {y}) -> {w} {{\n"
                f"  %w = nn.conv2d_filter_grad %x, %y {attributes} : ({x}, {y}) -> {w}\n  return %w : {w}\n}}\n")
        xs, ws, ys = (rng.standard_normal(shape).astype(dtype) for shape in (case.image, case.filter, case.output))
        x64, w64, y64 = (array.astype(np.float64) for array in (xs, ws, ys))
        for configuration, model in configurations(text, IN_PROCESS):
            for entry, feeds, expected in (
                    ("forward", (xs, ws), windows.conv2d(case.window, x64, w64)),
                    ("image", (ys, ws), windows.conv2d_transpose(case.window, y64, w64, case.image)),
                    ("filter", (xs, ys), windows.conv2d_filter_grad(case.window, x64, y64, case.filter))):
                # One rounding to nearest, and that of sums in f32.
                found = model.run(entry, *feeds).astype(np.float64)
                expect_close(f"{configuration} {element} {entry}", found, expected, tolerance)


def test_dynamic() -> None:
    """X11: height and width that only the step knows, with every padding."""
    rng = np.random.default_rng(7)
    x, flat = "tensor<?x?x?x3xf64>", "tensor<?x?x?x4xf64>"
    for padding in ("same", "valid", [[1, 2], [0, 1]]):
        for size, strides in (((3, 2), (1, 1)), ((3, 2), (2, 3)), ((3, 2), (5, 1)),
                              ((3, 4), (3, 4)), ((3, 5), (7, 4)), ((3, 5), (5, 7))):
            window = Window(size, strides, padding)
            w = tensor((*size, 3, 4), "f64")
            attributes = window.attributes()
            text = (f"func.func @sum(%x: {x}, %w: {w}) -> (tensor<f64>, {x}, {w}) {{\n"
                    f"  %y = nn.conv2d %x, %w {attributes} : ({x}, {w}) -> {flat}\n"
                    f"  %s = arith.mulf %y, %y : {flat}\n"
                    f"  %l = nn.reduce sum %s axes [0, 1, 2, 3] : {flat} -> tensor<f64>\n"
                    f"  %dx, %dw = train.gradient %l wrt %x, %w : (tensor<f64>, {x}, {w}) -> ({x}, {w})\n"
                    f"  return %l, %dx, %dw : tensor<f64>, {x}, {w}\n}}\n")
            for configuration, model in configurations(text, IN_PROCESS):
                for image in ((2, 4, 5, 3), (1, 9, 7, 3), (3, 3, 5, 3), (2, 13, 11, 3)):
                    xs, ws = integers(rng, image), integers(rng, (*size, 3, 4))
                    ys = windows.conv2d(window, xs, ws)
                    loss, dx, dw = model.run("sum", xs, ws)
                    what = f"{configuration} {attributes} {image}"
                    expect_close(what, loss, np.sum(ys * ys))
                    expect_close(what, dx, windows.conv2d_transpose(window, 2 * ys, ws, image))
                    expect_close(what, dw, windows.conv2d_filter_grad(window, xs, 2 * ys, (*size, 3, 4)))
                if padding == "valid":
                    expect_error(configuration, "expected an image whose height is at least 3, that of one window, "
                                 "found 2 in 'nn.conv2d' at",
                                 partial(model.run, "sum", np.zeros((1, 2, 5, 3)), ws))


def test_loop() -> None:
    """G16, X11: a loop of a convolution and two pools over a batch that only the step knows."""
    x, w = "tensor<?x4x5x2xf64>", "tensor<3x3x2x2xf64>"
    pool = "window [2, 2] strides [1, 1] padding same"
    text = (f"func.func @step(%x: {x}, %w: {w}) -> (tensor<f64>, {x}, {w}) {{\n"
            "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %c3 = arith.constant 3 : index\n"
            f"  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %x) -> {x} {{\n"
            f"    %c = nn.conv2d %h, %w padding same : ({x}, {w}) -> {x}\n"
            f"    %m = nn.max_pool2d %c {pool} : ({x}) -> {x}\n"
            f"    %a = nn.avg_pool2d %m {pool} : ({x}) -> {x}\n    scf.yield %a : {x}\n  }}\n"
            f"  %l = nn.reduce sum %y axes [0, 1, 2, 3] : {x} -> tensor<f64>\n"
            f"  %dx, %dw = train.gradient %l wrt %x, %w : (tensor<f64>, {x}, {w}) -> ({x}, {w})\n"
            f"  return %l, %dx, %dw : tensor<f64>, {x}, {w}\n}}\n")
    rng = np.random.default_rng(9)
    same, small = Window((3, 3), (1, 1), "same"), Window((2, 2), (1, 1), "same")
    for configuration, model in configurations(text, IN_PROCESS):
        for batch in (1, 3):
            ws, xs = rng.standard_normal((3, 3, 2, 2)), rng.standard_normal((batch, 4, 5, 2))
            states: List[Array] = [xs]
            products: List[Array] = []
            for _ in range(3):
                products.append(windows.conv2d(same, states[-1], ws))
                states.append(windows.avg_pool2d(small, windows.max_pool2d(small, products[-1])))
            dw, dh = np.zeros(ws.shape), np.ones(xs.shape)
            for before, product in zip(reversed(states[:-1]), reversed(products)):
                dy = windows.max_pool2d_grad(small, product, windows.avg_pool2d_grad(small, dh, xs.shape))
                dw += windows.conv2d_filter_grad(same, before, dy, ws.shape)
                dh = windows.conv2d_transpose(same, dy, ws, xs.shape)
            for found, expected in zip(model.run("step", xs, ws), (states[-1].sum(), dh, dw)):
                expect_close(f"{configuration} {batch}", found, expected, 1e-9)


run_tests([test_examples, test_shapes, test_halves, test_dynamic, test_loop])
