# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Pools against numpy (X8, X11, G11, G12), in every configuration.

Worked examples; then random dimension sizes, windows, strides and paddings of the five
ops, with equal elements, infinities and NaNs where a maximum is.

usage: pools.py [--random N] [--seed N]
"""

import argparse
from functools import partial
from typing import Any, List

import numpy as np

import windows
from cases import DTYPES, Array, Cases, tensor
from configurations import IN_PROCESS, configurations, expect_close, expect_equal, expect_error, run_tests
from windows import Window

parser = argparse.ArgumentParser()
parser.add_argument("--random", type=int, default=6)
parser.add_argument("--seed", type=int, default=0)
options = parser.parse_args()


def test_examples() -> None:
    """X8, G12: the worked example; the gradient goes to the first of equal elements."""
    image = np.arange(1.0, 17).reshape(1, 4, 4, 1)
    for element, dtype in DTYPES.items():
        x, y = tensor((1, 4, 4, 1), element), tensor((1, 2, 2, 1), element)
        cases = Cases()
        for op, values in (("max", [6.0, 8, 14, 16]), ("avg", [3.5, 5.5, 11.5, 13.5])):
            expect = cases.add(f"{op} {element}", (x,), y, f"%y = nn.{op}_pool2d %a0 window [2, 2] : ({x}) -> {y}")
            expect([image.astype(dtype)], np.reshape(values, (1, 2, 2, 1)))
        ties = cases.add(f"ties {element}", (x,), x,
                         f"%m = nn.max_pool2d %a0 window [2, 2] : ({x}) -> {y}\n"
                         f"  %l = nn.reduce sum %m axes [0, 1, 2, 3] : {y} -> tensor<{element}>\n"
                         f"  %y = train.gradient %l wrt %a0 : (tensor<{element}>, {x}) -> {x}")
        first = np.kron(np.ones((2, 2)), [[1.0, 0], [0, 0]]).reshape(1, 4, 4, 1)
        ties([np.full((1, 4, 4, 1), 7, dtype)], first)
        # A window of -inf has its maximum at its first element.
        ties([np.full((1, 4, 4, 1), -np.inf, dtype)], first)
        cases.check()


class Case:
    def __init__(self, window: Window, image: List[int]) -> None:
        self.window, self.image = window, image
        self.output = [image[0], *window.shape(image), image[3]]

    def add(self, cases: Cases, element: str, rng: np.random.Generator, number: int) -> None:
        dtype = DTYPES[element]
        batch: List[Any] = ["?" if number % 3 != 2 else self.image[0]]
        x, y = tensor(batch + self.image[1:], element), tensor(batch + self.output[1:], element)
        attributes = self.window.attributes(is_pool=True)
        # With many equal elements, and a few of -inf.
        xs = rng.integers(-3, 4, self.image).astype(np.float64)
        maxima = np.where(xs == -3, -np.inf, xs)
        vs, ys = (rng.integers(-8, 9, shape).astype(np.float64) for shape in (self.image, self.output))
        for op, kinds, result, values, expected in (
                ("max_pool2d", (x,), y, (maxima,), windows.max_pool2d(self.window, maxima)),
                ("max_pool2d_grad", (x, y), x, (maxima, ys), windows.max_pool2d_grad(self.window, maxima, ys)),
                ("max_pool2d_select", (x, x), y, (maxima, vs), windows.max_pool2d_select(self.window, maxima, vs)),
                ("avg_pool2d", (x,), y, (xs,), windows.avg_pool2d(self.window, xs)),
                ("avg_pool2d_grad", (y,), x, (ys,), windows.avg_pool2d_grad(self.window, ys, self.image))):
            operands = ", ".join(f"%a{i}" for i in range(len(kinds)))
            expect = cases.add(f"{op} {attributes} {element}", kinds, result,
                               f"%y = nn.{op} {operands} {attributes} : ({', '.join(kinds)}) -> {result}",
                               (element, number, op))
            expect([value.astype(dtype) for value in values], expected)


def random_case(rng: np.random.Generator) -> Case:
    while True:
        window = Window([int(n) for n in rng.integers(1, 5, 2)], [int(n) for n in rng.integers(1, 5, 2)],
                        str(rng.choice(np.array(["same", "valid", "explicit"]))))
        if window.padding == "explicit":
            window.padding = [[int(rng.integers(0, size)) for _ in range(2)] for size in window.size]
        image = [int(rng.choice((1, 3))), int(rng.integers(1, 10)), int(rng.integers(1, 10)),
                 int(rng.choice((1, 3, 6, 16, 35)))]
        if min(window.shape(image)) > 0:
            return Case(window, image)


def test_shapes() -> None:
    """X8, X11: chosen corners, and random ones."""
    rng = np.random.default_rng(options.seed)
    corners = [
        Case(Window((2, 2), (2, 2), "valid"), [3, 8, 8, 6]),
        Case(Window((3, 3), (2, 2), "same"), [2, 7, 8, 20]),
        Case(Window((3, 3), (1, 1), "same"), [2, 5, 4, 3]),
        Case(Window((5, 4), (3, 3), "same"), [1, 2, 3, 4]),
        Case(Window((1, 1), (2, 3), "valid"), [1, 5, 5, 2]),
        Case(Window((2, 2), (3, 3), "valid"), [2, 7, 8, 17]),
        Case(Window((3, 2), (2, 2), [[2, 1], [0, 1]]), [2, 6, 5, 4]),
        # More phases, which become loops of one op.
        Case(Window((7, 7), (7, 7), "valid"), [3, 7, 7, 18]),
        Case(Window((4, 5), (4, 5), "valid"), [2, 9, 15, 4]),
        Case(Window((5, 4), (4, 3), "same"), [2, 11, 9, 4]),
        Case(Window((9, 3), (4, 4), [[7, 8], [2, 1]]), [1, 9, 10, 3]),
        Case(Window((4, 4), (6, 7), [[1, 2], [3, 0]]), [1, 13, 15, 3]),
        Case(Window((5, 4), (10 ** 9, 2 ** 31 - 1), "same"), [2, 6, 9, 5]),
    ]
    cases = Cases("windows")
    for element in DTYPES:
        for number, case in enumerate(corners + [random_case(rng) for _ in range(options.random)]):
            case.add(cases, element, rng, number)
    cases.check()


def test_nan() -> None:
    """X8: a NaN is the maximum of its window, and the first NaN gets the derivative."""
    x, y = "tensor<1x3x3x2xf32>", "tensor<1x2x2x2xf32>"
    attributes = "window [2, 2] strides [1, 1]"
    text = (f"func.func @pool(%x: {x}, %dy: {y}) -> ({y}, {x}) {{\n"
            f"  %y = nn.max_pool2d %x {attributes} : ({x}) -> {y}\n"
            f"  %dx = nn.max_pool2d_grad %x, %dy {attributes} : ({x}, {y}) -> {x}\n"
            f"  return %y, %dx : {y}, {x}\n}}\n")
    window = Window((2, 2), (1, 1), "valid")
    values = np.arange(18, dtype=np.float32).reshape(1, 3, 3, 2)
    values[0, 1, 1, 0] = values[0, 0, 1, 0] = values[0, 2, 2, 1] = np.nan
    shares = np.arange(1, 9, dtype=np.float32).reshape(1, 2, 2, 2)
    for configuration, model in configurations(text, IN_PROCESS):
        found, dx = model.run("pool", values, shares)
        expect_equal(configuration, found, windows.max_pool2d(window, values).astype(np.float32))
        expect_equal(configuration, dx, windows.max_pool2d_grad(window, values, shares).astype(np.float32))


def test_halves() -> None:
    """X8: 16-bit floats: maxima are exact, means are summed in f32 and rounded once."""
    import ml_dtypes

    rng = np.random.default_rng(3)
    window = Window((3, 3), (2, 2), "same")
    shape = [2, 7, 6, 5]
    output = [2, *window.shape(shape), 5]
    attributes = window.attributes(is_pool=True)
    for element, dtype, tolerance in (("f16", np.float16, 2.0 ** -11), ("bf16", ml_dtypes.bfloat16, 2.0 ** -8)):
        x, y = tensor(shape, element), tensor(output, element)
        text = "".join(f"func.func @{op}(%x: {x}) -> {y} {{\n  %y = nn.{op}_pool2d %x {attributes} : ({x}) -> {y}\n"
                       f"  return %y : {y}\n}}\n" for op in ("max", "avg"))
        values: Array = rng.standard_normal(shape).astype(dtype)
        exact = values.astype(np.float64)
        for configuration, model in configurations(text, IN_PROCESS):
            expect_close(f"{configuration} max", model.run("max", values).astype(np.float64),
                         windows.max_pool2d(window, exact), 0.0)
            expect_close(f"{configuration} avg", model.run("avg", values).astype(np.float64),
                         windows.avg_pool2d(window, exact), tolerance)


def test_dynamic() -> None:
    """X11: height and width that only the step knows."""
    rng = np.random.default_rng(4)
    x = "tensor<?x?x?x3xf64>"
    for padding in ("same", "valid", [[1, 2], [0, 1]]):
        for size, strides in (((3, 2), (1, 1)), ((3, 2), (2, 3)), ((3, 2), (4, 2)), ((3, 4), (3, 4)), ((3, 5), (5, 4))):
            window = Window(size, strides, padding)
            attributes = window.attributes(is_pool=True)
            text = ""
            for op in ("max", "avg"):
                text += (f"func.func @{op}(%x: {x}) -> (tensor<f64>, {x}) {{\n"
                         f"  %y = nn.{op}_pool2d %x {attributes} : ({x}) -> {x}\n"
                         f"  %s = arith.mulf %y, %y : {x}\n"
                         f"  %l = nn.reduce sum %s axes [0, 1, 2, 3] : {x} -> tensor<f64>\n"
                         f"  %dx = train.gradient %l wrt %x : (tensor<f64>, {x}) -> {x}\n"
                         f"  return %l, %dx : tensor<f64>, {x}\n}}\n")
            for configuration, model in configurations(text, IN_PROCESS):
                for image in ((2, 4, 5, 3), (1, 9, 7, 3), (3, 3, 5, 3), (2, 13, 11, 3)):
                    xs = rng.standard_normal(image)
                    what = f"{configuration} {attributes} {image}"
                    ys = windows.max_pool2d(window, xs)
                    loss, dx = model.run("max", xs)
                    expect_close(what, loss, np.sum(ys * ys))
                    expect_close(what, dx, windows.max_pool2d_grad(window, xs, 2 * ys))
                    ys = windows.avg_pool2d(window, xs)
                    loss, dx = model.run("avg", xs)
                    expect_close(what, loss, np.sum(ys * ys))
                    expect_close(what, dx, windows.avg_pool2d_grad(window, 2 * ys, image))
                if padding == "valid":
                    expect_error(configuration, "expected an image whose height is at least 3, that of one window, "
                                 "found 2 in 'nn.max_pool2d' at",
                                 partial(model.run, "max", np.zeros((1, 2, 5, 3))))


run_tests([test_examples, test_shapes, test_nan, test_halves, test_dynamic])
