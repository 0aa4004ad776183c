# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Ops of the nn dialect and random networks against numpy (X1, X4 to X7, X11).

f32 and f64, odd and dynamic shapes, every transposition; then networks of random
widths that train for a few steps on random batch sizes, in each configuration
and in numpy.

usage: ops.py [--networks N] [--seed N]
"""

import argparse
from typing import Any, Callable, Dict, Sequence, cast

import numpy as np

from cases import DTYPES, Array, Cases, tensor
from configurations import ALL, IN_PROCESS, Model, configurations, run_tests

SIZES = (1, 7, 8, 9, 15, 16, 17, 31, 33, 100, 128)

parser = argparse.ArgumentParser()
parser.add_argument("--networks", type=int, default=6)
parser.add_argument("--seed", type=int, default=0)
options = parser.parse_args()


def softmax(x: Array) -> Array:
    e = np.exp(x - x.max(-1, keepdims=True))
    return np.asarray(e / e.sum(-1, keepdims=True))


def log_softmax(x: Array) -> Array:
    shifted = x - x.max(-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(-1, keepdims=True)))


# ---------------------------------------------------------------------------
# One op at a time
# ---------------------------------------------------------------------------

def test_matmul() -> None:
    """X1, G14: every transposition, static and dynamic, with all tails."""
    rng = np.random.default_rng(1)
    cases = Cases("matmul")
    for element, dtype in DTYPES.items():
        for k, n in ((1, 1), (3, 2), (17, 33), (31, 9), (100, 10), (64, 128)):
            for ta in (False, True):
                for tb in (False, True):
                    a = tensor((k, "?") if ta else ("?", k), element)
                    b = tensor((n, k) if tb else (k, n), element)
                    flags = ", ".join(flag for flag, on in (("transpose_a", ta), ("transpose_b", tb)) if on)
                    result = tensor(("?", n), element)
                    expect = cases.add(f"matmul {element} {ta} {tb}", (a, b), result,
                                       f"%y = nn.matmul %a0, %a1 {{{flags}}} : ({a}, {b}) -> {result}",
                                       (element, (k, n), ta, tb))
                    for m in (1, 5, 33):
                        # Small integers: exact in any order.
                        x = rng.integers(-8, 9, (m, k)).astype(dtype)
                        w = rng.integers(-8, 9, (k, n)).astype(dtype)
                        expect([np.array(x.T if ta else x, order="C"), np.array(w.T if tb else w, order="C")], x @ w)
    cases.check(IN_PROCESS)


def test_dense() -> None:
    """X1, X4: products with a bias and an activation, of random numbers."""
    rng = np.random.default_rng(2)
    cases = Cases()
    for element, dtype in DTYPES.items():
        for k, n in ((1, 3), (17, 33), (100, 7), (64, 130)):
            x, w, b, y = (tensor(shape, element) for shape in (("?", k), (k, n), (n,), ("?", n)))
            expect = cases.add(f"dense {element}", (x, w, b), y,
                               f"%z = nn.dense %a0, %a1, %a2 : ({x}, {w}, {b}) -> {y}\n  %y = nn.relu %z : {y}")
            for m in (1, 16, 37):
                inputs = [rng.standard_normal(shape).astype(dtype) for shape in ((m, k), (k, n), (n,))]
                exact = inputs[0].astype(np.float64) @ inputs[1] + inputs[2]
                expect(inputs, np.maximum(exact, 0), np.sqrt(k))
    cases.check()


def test_elementwise() -> None:
    """X4, X5: activations of odd shapes, large numbers among them."""
    rng = np.random.default_rng(3)
    unary: Dict[str, Callable[[Array], Array]] = {
        "nn.relu": lambda x: np.maximum(x, 0), "math.exp": np.exp, "math.tanh": np.tanh, "math.sin": np.sin,
        "math.log1p": lambda x: np.log1p(np.abs(x)), "math.sqrt": np.abs, "math.absf": np.abs,
        "arith.negf": np.negative}
    cases = Cases("elementwise")
    for element, dtype in DTYPES.items():
        for shape in ((), (1,), ("?", 3), (7, 5, 3), ("?", 130)):
            kind = tensor(shape, element)
            for op, reference in unary.items():
                body = f"%y = {op} %a0 : {kind}"
                if op in ("math.log1p", "math.sqrt"):  # Takes numbers that are not negative.
                    body = f"%p = math.absf %a0 : {kind}\n  %y = {op} %p : {kind}"
                expect = cases.add(f"{op} {element}", (kind,), kind, body, (element, shape, op))
                dim_sizes = [11 if n == "?" else int(n) for n in cast(Sequence[Any], shape)]
                x = np.asarray(rng.uniform(-5, 5, dim_sizes)).astype(dtype)
                expect([x], np.sqrt(np.abs(x)) if op == "math.sqrt" else reference(x.astype(np.float64)), 10)
        for n in (1, 3, 17, 100):
            kind = tensor(("?", n), element)
            expect = cases.add(f"softmax {element}", (kind,), kind, f"%y = nn.softmax %a0 : {kind}")
            for m, scale in ((1, 1.0), (5, 1.0), (33, 300.0)):
                x = (rng.standard_normal((m, n)) * scale).astype(dtype)
                expect([x], softmax(x.astype(np.float64)), 10)
    cases.check()


def test_losses() -> None:
    """X5: softmax cross entropy, dense and sparse, each reduction; stable."""
    rng = np.random.default_rng(4)
    reductions: Dict[str, Callable[[Array], Any]] = {"none": lambda r: r, "mean": np.mean, "sum": np.sum}
    cases = Cases("losses")
    for element, dtype in DTYPES.items():
        for n in (1, 3, 10, 17):
            z = tensor(("?", n), element)
            for reduction, reduce in reductions.items():
                y = tensor(("?",) if reduction == "none" else (), element)
                dense = cases.add(f"softmax_cross_entropy {reduction} {element}", (z, z), y,
                                  f"%y = nn.softmax_cross_entropy %a0, %a1 reduction {reduction} : ({z}, {z}) -> {y}",
                                  (element, n, reduction, "dense"))
                sparse = cases.add(f"sparse_softmax_cross_entropy {reduction} {element}", (z, "tensor<?xi32>"), y,
                                   f"%y = nn.sparse_softmax_cross_entropy %a0, %a1 reduction {reduction} : "
                                   f"({z}, tensor<?xi32>) -> {y}", (element, n, reduction, "sparse"))
                for m, scale in ((1, 1.0), (8, 1.0), (33, 200.0)):
                    logits = (rng.standard_normal((m, n)) * scale).astype(dtype)
                    labels = softmax(rng.standard_normal((m, n))).astype(dtype)
                    logs = log_softmax(logits.astype(np.float64))
                    size = scale * (m if reduction == "sum" else 1) * 4
                    dense([logits, labels], reduce(-(labels * logs).sum(1)), size)
                    index = rng.integers(0, n, m).astype(np.int32)
                    sparse([logits, index], reduce(-logs[np.arange(m), index]), size)
    cases.check(IN_PROCESS)
    cases = Cases()
    expect = cases.add("X5", ("tensor<1x3xf64>", "tensor<1xi32>"), "tensor<f64>",
                       "%y = nn.sparse_softmax_cross_entropy %a0, %a1 : "
                       "(tensor<1x3xf64>, tensor<1xi32>) -> tensor<f64>")
    expect([np.array([[1.0, 2, 3]]), np.array([2], np.int32)], 0.4076059644, 1)
    cases.check()


def test_shapes() -> None:
    """X7: reductions over every set of axes, broadcasts, one_hot, argmax."""
    rng = np.random.default_rng(5)
    reduce: Dict[str, Any] = {"sum": np.sum, "mean": np.mean, "max": np.max, "min": np.min, "prod": np.prod}
    cases = Cases("reductions")
    for element, dtype in DTYPES.items():
        for kind, reference in reduce.items():
            for axes in ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)):
                source = tensor(("?", 3, 17), element)
                for keep in (False, True):
                    shape = [1 if axis in axes else n for axis, n in enumerate(("?", 3, 17))
                             if keep or axis not in axes]
                    result = tensor(shape, element)
                    word = " keepdims" if keep else ""
                    expect = cases.add(f"reduce {kind} {axes} {element}", (source,), result,
                                       f"%y = nn.reduce {kind} %a0 axes [{', '.join(map(str, axes))}]{word} : "
                                       f"{source} -> {result}", (element, kind, axes, keep))
                    x = rng.uniform(0.5, 1.5, (5, 3, 17)).astype(dtype)
                    expected = reference(x.astype(np.float64), axes, keepdims=keep)
                    expect([x], expected, float(np.max(np.abs(expected))) + 1)
    cases.check(IN_PROCESS)
    cases = Cases()
    like = "tensor<?x5xf32>"
    row = cases.add("broadcast row", ("tensor<5xf32>", like), like,
                    f"%y = nn.broadcast %a0 dims [1] like %a1 : (tensor<5xf32>, {like}) -> {like}")
    column = cases.add("broadcast column", ("tensor<?x1xf32>", like), like,
                       f"%y = nn.broadcast %a0 dims [0, 1] like %a1 : (tensor<?x1xf32>, {like}) -> {like}")
    scalar = cases.add("broadcast scalar", ("tensor<f32>", like), like,
                       f"%y = nn.broadcast %a0 dims [] like %a1 : (tensor<f32>, {like}) -> {like}")
    one_hot = cases.add("one_hot", ("tensor<?xi32>",), "tensor<?x4xf32>",
                        "%y = nn.one_hot %a0 : tensor<?xi32> -> tensor<?x4xf32>")
    for m in (0, 1, 7, 33):
        x = rng.standard_normal((m, 5)).astype(np.float32)
        b = rng.standard_normal(5).astype(np.float32)
        row([b, x], np.broadcast_to(b, (m, 5)))
        column([np.array(x[:, :1], order="C"), x], np.repeat(x[:, :1], 5, 1))
        scalar([np.array(2.5, np.float32), x], np.full((m, 5), 2.5, np.float32))
        index = rng.integers(-1, 5, m).astype(np.int32)
        one_hot([index], (index[:, None] == np.arange(4)).astype(np.float32))
    for axis, result in ((0, "tensor<17xi32>"), (1, "tensor<?xi32>")):
        expect = cases.add(f"argmax {axis}", ("tensor<?x17xf32>",), result,
                           f"%y = nn.argmax %a0 axis {axis} : tensor<?x17xf32> -> {result}")
        for m in (1, 8, 33):
            x = rng.integers(0, 5, (m, 17)).astype(np.float32)  # With ties: the first.
            expect([x], np.argmax(x, axis).astype(np.int32))
    cases.check()


# ---------------------------------------------------------------------------
# Networks
# ---------------------------------------------------------------------------

def network(widths: Sequence[int], element: str, optimizer: str) -> str:
    """A classifier with a relu after each layer but the last."""
    text = body = ""
    x = tensor(("?", widths[0]), element)
    body += f"func.func @train_step(%x0: {x}, %label: tensor<?xi32>) -> tensor<{element}> {{\n"
    for i, (m, n) in enumerate(zip(widths, widths[1:])):
        source, w, b, z = (tensor(shape, element) for shape in (("?", m), (m, n), (n,), ("?", n)))
        text += f"train.variable @w{i} : {w} = #train.glorot_uniform\ntrain.variable @b{i} : {b} = #train.zeros\n"
        body += (f"  %w{i} = train.read @w{i} : {w}\n  %b{i} = train.read @b{i} : {b}\n"
                 f"  %z{i} = nn.dense %x{i}, %w{i}, %b{i} : ({source}, {w}, {b}) -> {z}\n")
        if i < len(widths) - 2:
            body += f"  %x{i + 1} = nn.relu %z{i} : {z}\n"
    last = len(widths) - 2
    z = tensor(("?", widths[-1]), element)
    body += (f"  %loss = nn.sparse_softmax_cross_entropy %z{last}, %label : ({z}, tensor<?xi32>) -> "
             f"tensor<{element}>\n  train.minimize %loss : tensor<{element}> with {optimizer}\n"
             f"  return %loss : tensor<{element}>\n}}\n")
    return text + body


class Reference:
    """The same network with momentum 0.9 and rate 0.05, in f64."""

    def __init__(self, model: Model, widths: Sequence[int]) -> None:
        count = len(widths) - 1
        self.w = [model[f"w{i}"].astype(np.float64) for i in range(count)]
        self.b = [model[f"b{i}"].astype(np.float64) for i in range(count)]
        self.velocities = [np.zeros_like(p) for p in self.w + self.b]

    def step(self, x: Array, label: Array) -> float:
        values = [x.astype(np.float64)]
        for i, (w, b) in enumerate(zip(self.w, self.b)):
            z = values[-1] @ w + b
            values.append(z if i == len(self.w) - 1 else np.maximum(z, 0))
        rows = np.arange(len(label))
        loss = -log_softmax(values[-1])[rows, label].mean()
        g = softmax(values[-1])
        g[rows, label] -= 1
        g /= len(label)
        gradients: Dict[int, Array] = {}
        count = len(self.w)
        for i in reversed(range(count)):
            gradients[i] = values[i].T @ g
            gradients[count + i] = g.sum(0)
            g = (g @ self.w[i].T) * (values[i] > 0)
        for i, p in enumerate(self.w + self.b):
            self.velocities[i] *= 0.9
            self.velocities[i] -= 0.05 * gradients[i]
            p += self.velocities[i]
        return float(loss)


def test_networks() -> None:
    """X11, R4, A10, O28: random widths and batches, several steps of one program."""
    rng = np.random.default_rng(options.seed)
    for number in range(options.networks):
        widths = [int(n) for n in rng.choice(SIZES, rng.integers(2, 5))] + [int(rng.choice((2, 3, 10, 17)))]
        element = "f64" if number % 3 == 2 else "f32"
        text = network(widths, element, "#train.sgd<lr = 0.05, momentum = 0.9>")
        batches = [int(n) for n in rng.choice(SIZES, 5)]
        data = [(rng.standard_normal((m, widths[0])).astype(DTYPES[element]),
                 rng.integers(0, widths[-1], m).astype(np.int32)) for m in batches]
        for configuration, model in configurations(text, ALL if number < 2 else IN_PROCESS):
            model.initialize(number)
            reference = Reference(model, widths)
            tolerance = 1e-4 if element == "f32" else 1e-9
            for step, (x, label) in enumerate(data):
                what = f"{configuration} {element} {widths} batches {batches} step {step}"
                loss = float(model.run("train_step", x, label))
                expected = reference.step(x, label)
                assert abs(loss - expected) <= tolerance * max(1.0, abs(expected)), (what, loss, expected)
            for i, (w, b) in enumerate(zip(reference.w, reference.b)):
                for name, value in ((f"w{i}", w), (f"b{i}", b)):
                    difference = np.max(np.abs(model[name] - value))
                    assert difference <= tolerance * max(1.0, np.max(np.abs(value))), (what, name, difference)


run_tests([test_matmul, test_dense, test_elementwise, test_losses, test_shapes, test_networks])
