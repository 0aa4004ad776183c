# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""A small LeNet trains in every configuration (X2, X8, X11, A10, O6, O22).

Two convolutions, two max pools and a dense layer: steps of several batch sizes with
momentum and with Adam, against the same network in numpy.
"""

from typing import Dict, List, Tuple

import numpy as np

import windows
from cases import DTYPES, Array, tensor
from configurations import ALL, configurations, expect_close, run_tests
from windows import Window

SHAPES: Dict[str, Tuple[int, ...]] = {
    "w1": (3, 3, 1, 6), "b1": (6,), "w2": (3, 3, 6, 16), "b2": (16,), "w3": (16, 10), "b3": (10,)}
SAME, VALID = Window((3, 3), (1, 1), "same"), Window((3, 3), (1, 1), "valid")
POOL = Window((2, 2), (2, 2), "valid")


def model(element: str, optimizer: str) -> str:
    kinds = {name: tensor(shape, element) for name, shape in SHAPES.items()}
    x, loss = tensor(("?", 8, 8, 1), element), tensor((), element)
    text = "".join(f"train.variable @{name} : {kind} = #train.{'glorot_uniform' if name[0] == 'w' else 'zeros'}\n"
                   for name, kind in kinds.items())
    text += f"func.func @train_step(%x: {x}, %label: tensor<?xi32>) -> {loss} {{\n"
    text += "".join(f"  %{name} = train.read @{name} : {kind}\n" for name, kind in kinds.items())
    source, before = "x", x
    for number, (padding, dim_size, channels) in enumerate((("same", 8, 6), ("valid", 2, 16)), 1):
        z, p = (tensor(("?", n, n, channels), element) for n in (dim_size, dim_size // 2))
        n, w, b = number, kinds[f"w{number}"], kinds[f"b{number}"]
        text += (f"  %c{n} = nn.conv2d %{source}, %w{n} padding {padding} : ({before}, {w}) -> {z}\n"
                 f"  %v{n} = nn.broadcast %b{n} dims [3] like %c{n} : ({b}, {z}) -> {z}\n"
                 f"  %s{n} = arith.addf %c{n}, %v{n} : {z}\n  %r{n} = nn.relu %s{n} : {z}\n"
                 f"  %p{n} = nn.max_pool2d %r{n} window [2, 2] : ({z}) -> {p}\n")
        source, before = f"p{n}", p
    f, y = tensor(("?", 16), element), tensor(("?", 10), element)
    return text + (
        f"  %f = tensor.collapse_shape %{source} [[0], [1, 2, 3]] : {before} into {f}\n"
        f"  %y = nn.dense %f, %w3, %b3 : ({f}, {kinds['w3']}, {kinds['b3']}) -> {y}\n"
        f"  %loss = nn.sparse_softmax_cross_entropy %y, %label : ({y}, tensor<?xi32>) -> {loss}\n"
        f"  train.minimize %loss : {loss} with {optimizer}\n  return %loss : {loss}\n}}\n")


def gradients(v: Dict[str, Array], x: Array, label: Array) -> Tuple[float, Dict[str, Array]]:
    c1 = windows.conv2d(SAME, x, v["w1"]) + v["b1"]
    r1 = np.maximum(c1, 0)
    p1 = windows.max_pool2d(POOL, r1)
    c2 = windows.conv2d(VALID, p1, v["w2"]) + v["b2"]
    r2 = np.maximum(c2, 0)
    f = windows.max_pool2d(POOL, r2).reshape(len(x), 16)
    y = f @ v["w3"] + v["b3"]
    y = y - y.max(1, keepdims=True)
    p = np.exp(y) / np.exp(y).sum(1, keepdims=True)
    rows = np.arange(len(x))
    loss = -np.log(p[rows, label]).mean()
    p[rows, label] -= 1
    dy = p / len(x)
    d2 = windows.max_pool2d_grad(POOL, r2, (dy @ v["w3"].T).reshape(-1, 1, 1, 16)) * (c2 > 0)
    d1 = windows.max_pool2d_grad(POOL, r1, windows.conv2d_transpose(VALID, d2, v["w2"], p1.shape)) * (c1 > 0)
    return float(loss), {
        "w3": f.T @ dy, "b3": dy.sum(0), "b2": d2.sum((0, 1, 2)), "b1": d1.sum((0, 1, 2)),
        "w2": windows.conv2d_filter_grad(VALID, p1, d2, SHAPES["w2"]),
        "w1": windows.conv2d_filter_grad(SAME, x, d1, SHAPES["w1"])}


def momentum(v: Dict[str, Array], g: Dict[str, Array], slots: Dict[str, List[Array]], step: int) -> None:
    for name in v:
        velocity, _ = slots[name]
        velocity[...] = 0.9 * velocity + g[name]
        v[name] -= 0.1 * velocity


def adam(v: Dict[str, Array], g: Dict[str, Array], slots: Dict[str, List[Array]], step: int) -> None:
    rate = 0.01 * np.sqrt(1 - 0.999 ** step) / (1 - 0.9 ** step)
    for name in v:
        m, s = slots[name]
        m[...] = 0.9 * m + 0.1 * g[name]
        s[...] = 0.999 * s + 0.001 * g[name] ** 2
        v[name] -= rate * m / (np.sqrt(s) + 1e-7)


def test_training() -> None:
    for element, optimizer, update in (
            ("f32", "#train.momentum<lr = 0.1, momentum = 0.9>", momentum),
            ("f64", "#train.momentum<lr = 0.1, momentum = 0.9>", momentum),
            ("f64", "#train.adam<lr = 0.01, epsilon = 1.0e-7>", adam)):
        rng = np.random.default_rng(3)
        data = [(rng.standard_normal((n, 8, 8, 1)).astype(DTYPES[element]), rng.integers(0, 10, n).astype(np.int32))
                for n in (4, 1, 7)]
        for configuration, program in configurations(model(element, optimizer), ALL):
            program.initialize(2)
            v = {name: program[name].astype(np.float64) for name in SHAPES}
            slots = {name: [np.zeros(shape), np.zeros(shape)] for name, shape in SHAPES.items()}
            tolerance = 1e-4 if element == "f32" else 1e-9
            for step, (x, label) in enumerate(data, 1):
                what = f"{configuration} {element} {optimizer} step {step}"
                expected, g = gradients(v, x.astype(np.float64), label)
                expect_close(what, program.run("train_step", x, label), expected, tolerance)
                update(v, g, slots, step)
            for name in SHAPES:
                expect_close(f"{what} {name}", program[name], v[name], tolerance)


run_tests([test_training])
