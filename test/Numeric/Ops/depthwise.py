# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Depthwise convolutions and their gradients (X3), whose kernels read both operands as vectors of
channels: vectors that are not full, windows of one row or column, one output, strides, dilations and
borders, any number of images, narrow types."""

from typing import Any, Dict, List, NamedTuple, Tuple

import numpy as np
from numpy.typing import NDArray

import flywheel
from configurations import configurations_of, dtype_of, run_tests
from selection import choose

Array = NDArray[Any]


class Case(NamedTuple):
    images: int
    height: int
    width: int
    channels: int
    kernel: Tuple[int, int]
    stride: int = 1
    dilation: int = 1
    pad: int = 0
    element: str = "f32"
    batch: str = ""

    def span(self, i: int) -> int:
        return (self.kernel[i] - 1) * self.dilation + 1

    def sizes(self) -> Tuple[int, int]:
        return ((self.height + 2 * self.pad - self.span(0)) // self.stride + 1,
                (self.width + 2 * self.pad - self.span(1)) // self.stride + 1)  # fmt: skip


CASES = (
    Case(2, 9, 28, 32, (3, 3), pad=1),
    Case(3, 7, 9, 17, (3, 3), pad=1),
    Case(2, 8, 8, 5, (5, 5), pad=2),
    Case(2, 11, 10, 64, (3, 3), stride=2, pad=1),
    Case(2, 11, 12, 24, (3, 3), dilation=2),
    Case(2, 11, 33, 40, (5, 5), stride=2, pad=2),
    Case(2, 12, 13, 24, (4, 6), stride=3, pad=1),
    Case(1, 10, 40, 20, (3, 9), pad=1),
    Case(1, 5, 20, 17, (2, 17)),
    Case(3, 6, 9, 40, (1, 4)),
    Case(3, 9, 3, 33, (5, 1)),
    Case(4, 3, 3, 48, (3, 3)),
    Case(2, 8, 9, 20, (3, 3), pad=1, element="f64"),
    Case(2, 6, 8, 34, (3, 3), pad=1, element="f16"),
    Case(2, 6, 8, 34, (3, 3), pad=1, element="bf16"),
    Case(2, 11, 10, 40, (3, 3), stride=2, pad=1, element="f16"),
    Case(1, 12, 9, 20, (3, 3), dilation=2, pad=2, element="bf16"),
    Case(3, 9, 5, 33, (5, 5), pad=2, element="f16", batch="?"),
    Case(1, 19, 1, 16, (3, 1), element="f16", batch="?"),
    Case(3, 7, 7, 16, (3, 3), pad=1, batch="?"),
    Case(2, 28, 30, 48, (3, 3), stride=2, pad=1),
    Case(1, 29, 31, 33, (3, 3), stride=2, pad=1),
    Case(2, 15, 16, 40, (3, 3), stride=2, pad=1, element="f64"),
    Case(2, 12, 9, 20, (3, 3), dilation=2, pad=2),
    Case(2, 9, 8, 17, (3, 3), stride=3, pad=1),
    Case(3, 14, 11, 32, (3, 3), stride=2, pad=1, batch="?"),
    Case(2, 7, 8, 18, (2, 3), pad=1),
    Case(2, 1, 2, 16, (3, 3), pad=1),
    Case(2, 2, 1, 16, (3, 3), stride=2, pad=1),
    Case(2, 4, 5, 16, (3, 3), pad=3),
)
TYPES = {"f32": ("float32", 2e-5), "f64": ("float64", 1e-12), "f16": ("float16", 4e-3), "bf16": ("bfloat16", 3e-2)}


def compute(case: Case, x: Array, w: Array, dy: Array) -> Tuple[Array, Array, Array]:
    """The convolution and its gradients, a position of the window after the other."""
    tall, wide = case.sizes()
    pad, s = case.pad, case.stride
    padded = np.pad(x, ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    y, dx, dw = np.zeros_like(dy), np.zeros_like(padded), np.zeros_like(w)
    for p in range(case.kernel[0]):
        for q in range(case.kernel[1]):
            rows = slice(p * case.dilation, p * case.dilation + (tall - 1) * s + 1, s)
            columns = slice(q * case.dilation, q * case.dilation + (wide - 1) * s + 1, s)
            y += padded[:, rows, columns] * w[p, q, 0]
            dx[:, rows, columns] += dy * w[p, q, 0]
            dw[p, q, 0] = (padded[:, rows, columns] * dy).sum((0, 1, 2))
    return y, dx[:, pad : pad + case.height, pad : pad + case.width], dw


def test_depthwise() -> None:
    """X3: each case, forward and both gradients, in every configuration."""
    rng = np.random.default_rng(11)
    functions: List[str] = []
    calls = []
    for number, case in enumerate(CASES):
        tall, wide = case.sizes()
        kind, tolerance = TYPES[case.element]
        images = case.batch or case.images
        shapes = ((images, case.height, case.width, case.channels), (*case.kernel, 1, case.channels),
                  (images, tall, wide, case.channels))  # fmt: skip
        x, w, y = (f"tensor<{'x'.join(map(str, shape))}x{case.element}>" for shape in shapes)
        attributes = (f"strides [{case.stride}, {case.stride}] "
                      f"padding explicit {[[case.pad, case.pad]] * 2} dilations [{case.dilation}, {case.dilation}]")
        for name, op, a, b, result in (("y", "conv2d", x, w, y), ("x", "conv2d_transpose", y, w, x),
                                       ("w", "conv2d_filter_grad", x, y, w)):  # fmt: skip
            functions.append(
                f"func.func @{name}{number}(%a: {a}, %b: {b}) -> {result} {{\n"
                f"  %r = nn.{op} %a, %b {attributes} : ({a}, {b}) -> {result}\n  return %r : {result}\n}}\n")
        arrays = [rng.standard_normal([case.images if size == "?" else int(size) for size in shape])
                  .astype(dtype_of(kind)) for shape in shapes]  # fmt: skip
        calls.append((case, tolerance, arrays, compute(case, *(array.astype(np.float64) for array in arrays))))
    for configuration, model, taken in configurations_of(functions):
        model.initialize()
        for number, place in (divmod(function, 3) for function in taken):
            case, tolerance, (image, kernel, dy), exact = calls[number]
            name, operands, expected = list(zip("yxw", ((image, kernel), (dy, kernel), (image, dy)), exact))[place]
            found = np.asarray(model.run(f"{name}{number}", *operands)).astype(np.float64)
            np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * np.abs(expected).max(),
                                       err_msg=f"{configuration} {case} {name}")  # fmt: skip


def place(array: Array, behind: int) -> Array:
    """Returns a copy that begins `behind` bytes after a line of the cache."""
    buffer = np.empty(array.nbytes + 128, np.uint8)
    start = -buffer.ctypes.data % 64 + behind
    result = buffer[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    result[...] = array
    return result


def test_large() -> None:
    """X3: more than the last cache holds, which is stored around it where lines are whole, with the same bits for any
    number of threads and wherever the arrays begin; also lines in parts, and few rows of many images."""
    rng = np.random.default_rng(12)
    cases = (Case(17, 56, 58, 128, (3, 3), stride=2, pad=1), Case(18, 57, 55, 120, (3, 3), pad=1),
             Case(17, 7, 3, 32, (3, 3), pad=1))  # fmt: skip
    kinds = [(case, has_batch, cpu) for case in cases
             for has_batch, cpu in ((True, None), (False, None), (True, "haswell"))]  # fmt: skip
    taken = choose("large depthwise", kinds, 0.2, group=lambda kind: kind[0])
    for case in cases:
        tall, wide = case.sizes()
        shapes = ((case.images, case.height, case.width, case.channels), (*case.kernel, 1, case.channels),
                  (case.images, tall, wide, case.channels))  # fmt: skip
        arrays = [rng.standard_normal(shape).astype(np.float32) for shape in shapes]
        exact = compute(case, *(array.astype(np.float64) for array in arrays))
        first: Dict[str, Array] = {}
        for batch, cpu in ((str(case.images) if has_batch else "?", cpu) for each, has_batch, cpu in taken
                           if each == case):  # fmt: skip
            x, w, y = (f"tensor<{'x'.join(map(str, shape))}xf32>" for shape in
                       ((batch, *shapes[0][1:]), shapes[1], (batch, *shapes[2][1:])))  # fmt: skip
            text = ""
            attributes = f"strides [{case.stride}, {case.stride}] padding explicit [[1, 1], [1, 1]]"
            for name, op, a, b, result in (("y", "conv2d", x, w, y), ("x", "conv2d_transpose", y, w, x),
                                           ("w", "conv2d_filter_grad", x, y, w)):  # fmt: skip
                text += (f"func.func @{name}(%a: {a}, %b: {b}) -> {result} {{\n"
                         f"  %r = nn.{op} %a, %b {attributes} : ({a}, {b}) -> {result}\n  return %r : {result}\n}}\n")
            for threads in (1, 2):
                session = flywheel.Session(flywheel.compile(text, cpu=cpu, threads=threads, min_shared_work=0))
                session.initialize(1)
                for behind in (0, 16):
                    image, kernel, dy = (place(array, behind) for array in arrays)
                    pairs = ((image, kernel), (dy, kernel), (image, dy))
                    for name, operands, expected in zip("yxw", pairs, exact):
                        found = place(np.zeros(expected.shape, np.float32), behind)
                        session.entry(name)(*operands, out=found)
                        where = f"{case} {name} {batch} {cpu} {threads} {behind}"
                        np.testing.assert_allclose(found, expected, rtol=3e-5, atol=3e-5 * np.abs(expected).max(),
                                                   err_msg=where)  # fmt: skip
                        # Code for several threads adds up blocks of a batch, see docs/Design/Partition.md.
                        same = first.setdefault(f"{name} {batch} {cpu} {threads if name == 'w' else ''}", found)
                        np.testing.assert_array_equal(found, same, err_msg=where)


run_tests([test_depthwise, test_large])
