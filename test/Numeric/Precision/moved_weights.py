# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Weights of few bits that a program transposes, slices, joins or turns around before products (V16).

Narrow numbers are moved, and products widen them as they read: neither the weights nor their copy
are stored as f32. Factors are whole numbers, so that sums of f32 are exact in any order.
"""

import tempfile
from typing import Any, Callable, List, NamedTuple, Tuple

import numpy as np

import flywheel as fw
from configurations import ALL, configurations, run_tests
from narrow import TYPES, Array, compile_object, values

Shape = Tuple[int, ...]


class Case(NamedTuple):
    """A function of weights and x, the same in NumPy, and the bytes of f32 that it needs beside the weights."""

    name: str
    weights: List[Shape]
    x: Shape
    run: Callable[..., Any]
    expected: Callable[..., Array]
    beside: int = 0


def wide(w: Any) -> Any:
    return fw.cast(w, "float32")


def windows(x: Array, size: int) -> Array:
    """Returns windows of shape [images, rows, columns, channels, size, size]."""
    return np.lib.stride_tricks.sliding_window_view(x, (size, size), axis=(1, 2))


def recurrent(x: Any, w: Any, u: Any) -> Any:
    """Transposed matrices that several steps read, the first with a state of zeros."""
    w, u = fw.transpose(wide(w)), fw.transpose(wide(u))
    h = fw.zeros((2, 32))
    for t in range(3):
        h = fw.maximum(x[t] @ w + h @ u, 0) * 0.125
    return h


def recurrent_expected(x: Array, w: Array, u: Array) -> Array:
    h = np.zeros((2, 32))
    for t in range(3):
        h = np.maximum(x[t] @ w.T + h @ u.T, 0) * 0.125
    return h


CASES = [
    Case("twice", [(64, 96)], (4, 96), lambda x, w: (lambda t: x @ t + (x * 2) @ t)(fw.transpose(wide(w))),
         lambda x, w: 3 * (x @ w.T), 3072),
    Case("narrow", [(64, 96)], (4, 96), lambda x, w: (lambda t: x @ t + (x * 2) @ t)(wide(fw.transpose(w))),
         lambda x, w: 3 * (x @ w.T), 3072),
    Case("steps", [(32, 32), (32, 32)], (3, 2, 32), recurrent, recurrent_expected, 2048),
    Case("part", [(8192,)], (4, 64), lambda x, w: x @ fw.reshape(wide(w)[:4096], (64, 64)),
         lambda x, w: x @ w[:4096].reshape(64, 64)),
    Case("rows", [(96, 64)], (4, 32), lambda x, w: x @ wide(w)[16:48], lambda x, w: x @ w[16:48]),
    Case("joined", [(64, 64), (32, 64)], (4, 96), lambda x, *ws: x @ fw.concatenate([wide(w) for w in ws]),
         lambda x, *ws: x @ np.concatenate(ws)),
    Case("joined_narrow", [(64, 64), (32, 64)], (4, 96), lambda x, *ws: x @ wide(fw.concatenate(list(ws))),
         lambda x, *ws: x @ np.concatenate(ws)),
    Case("stacked", [(32, 64), (32, 64)], (2, 4, 32), lambda x, *ws: fw.matmul(x, fw.stack([wide(w) for w in ws])),
         lambda x, *ws: x @ np.stack(ws)),
    Case("turned", [(96, 64)], (4, 96), lambda x, w: x @ fw.flip(wide(w), 0), lambda x, w: x @ w[::-1]),
    Case("filter", [(32, 16, 3, 3)], (1, 8, 8, 16), lambda x, w: fw.nn.conv2d(x, fw.transpose(wide(w), (2, 3, 1, 0))),
         lambda x, w: np.einsum("nijcpq,ocpq->nijo", windows(x, 3), w)),
    Case("filter_narrow", [(32, 16, 3, 3)], (1, 8, 8, 16),
         lambda x, w: fw.nn.conv2d(x, wide(fw.transpose(w, (2, 3, 1, 0)))),
         lambda x, w: np.einsum("nijcpq,ocpq->nijo", windows(x, 3), w)),
    Case("turned_filter", [(3, 3, 8, 16)], (1, 5, 5, 16), lambda x, w: fw.nn.conv2d_transpose(x, wide(w)),
         lambda x, w: np.einsum("nijcpq,pqoc->nijo",
                                windows(np.pad(x, ((0, 0), (2, 2), (2, 2), (0, 0))), 3), w[::-1, ::-1]), 6000),
    Case("scaled_filter", [(32, 16, 3, 3), (32, 1, 1, 1)], (1, 8, 8, 16),
         lambda x, w, s: fw.nn.conv2d(x, fw.transpose(wide(w) * wide(s), (2, 3, 1, 0))),
         lambda x, w, s: np.einsum("nijcpq,ocpq->nijo", windows(x, 3), w * s)),
    Case("scaled_narrow", [(32, 16, 3, 3), (32,)], (1, 8, 8, 16),
         lambda x, w, s: fw.nn.conv2d(x, wide(fw.transpose(w, (2, 3, 1, 0))) * wide(s)),
         lambda x, w, s: np.einsum("nijcpq,ocpq->nijo", windows(x, 3), w * s[:, None, None, None])),
    Case("scaled_channels", [(64, 1, 3, 3), (64, 1, 1, 1)], (1, 8, 8, 64),
         lambda x, w, s: fw.nn.conv2d(x, fw.transpose(wide(w) * wide(s), (2, 3, 1, 0))),
         lambda x, w, s: np.einsum("nijcpq,cpq->nijc", windows(x, 3), (w * s)[:, 0])),
    Case("scaled_joined", [(64, 64), (32, 64), (64,)], (4, 96),
         lambda x, a, b, s: x @ (wide(fw.concatenate([a, b])) * wide(s)),
         lambda x, a, b, s: x @ (np.concatenate([a, b]) * s), 3072),
    Case("summed", [(96, 64)], (4, 96), lambda x, w: (lambda f: x @ f + fw.sum(f, axis=0))(wide(w)),
         lambda x, w: x @ w + w.sum(axis=0), 2048),
]  # fmt: skip


def trace(case: Case, element: str) -> Tuple[str, List[Array], Array]:
    """The program, its weights and x."""
    _, dtype, low, high = TYPES[element]
    ws = [values(dtype, low // 8, high // 8, shape) for shape in case.weights]
    variables = [fw.Variable(shape=w.shape, dtype=dtype, name=f"w{k}", trainable=False) for k, w in enumerate(ws)]
    x = np.random.default_rng(2).integers(-4, 5, case.x).astype(np.float32)

    def f(x: Any) -> Any:
        return case.run(x, *variables)

    return fw.function(f).mlir(x), ws, x


def test_numbers() -> None:
    """V16: each way to move weights, in every configuration."""
    for number, case in enumerate(CASES):
        element = list(TYPES)[number % len(TYPES)]
        text, ws, x = trace(case, element)
        expected = case.expected(x.astype(np.float64), *(w.astype(np.float64) for w in ws))
        for configuration, model in configurations(text, ALL):
            model.initialize()
            for k, w in enumerate(ws):
                model[f"w{k}"] = w
            found = np.asarray(model.run("f", x))
            np.testing.assert_array_equal(found, expected, err_msg=f"{configuration} {element} {case.name}")


def test_memory() -> None:
    """V16: the workspace has at most a copy of the narrow weights, for a machine with vectors
    and one without."""
    for case in CASES:
        for element in ("i8", "bf16"):
            text, ws, _ = trace(case, element)
            most = sum(w.nbytes for w in ws) + case.beside
            for target in ([], ["--target-triple=thumbv7em-none-eabihf"]):
                with tempfile.TemporaryDirectory() as folder:
                    manifest, _ = compile_object(text, target, folder)
                found = manifest["workspace_bytes"]
                assert found <= most, f"{case.name} of {element}, {target}: {found} bytes, expected {most}"


run_tests([test_numbers, test_memory])
