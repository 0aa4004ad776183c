# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Jacobians and gradients of each example, in all configurations.

Numbers by hand (G1, G2, G5 to G8, G11), networks against a loop over examples,
and what is refused (X14).
"""

import re
from typing import Dict, List, Tuple

import numpy as np

import flywheel
from configurations import Array, configurations, expect_close, expect_error, run_tests

MODES = ("mode reverse", "mode forward", "mode reverse chunk 1", "mode forward chunk 1", "")


def test_pair() -> None:
    """G1, G5: y = (ab, a + b^2) at (2, 3), by one vector and by two numbers."""
    text = ""
    for number, mode in enumerate(MODES):
        text += f"""
func.func @vector{number}(%v: tensor<2xf64>) -> tensor<2x2xf64> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tensor.extract %v[%c0] : tensor<2xf64>
  %b = tensor.extract %v[%c1] : tensor<2xf64>
  %ab = arith.mulf %a, %b : f64
  %bb = arith.mulf %b, %b : f64
  %s = arith.addf %a, %bb : f64
  %y = tensor.from_elements %ab, %s : tensor<2xf64>
  %j = train.jacobian %y wrt %v {mode} : (tensor<2xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  return %j : tensor<2x2xf64>
}}
func.func @numbers{number}(%at: tensor<f64>, %bt: tensor<f64>) -> (tensor<2xf64>, tensor<2xf64>) {{
  %a = tensor.extract %at[] : tensor<f64>
  %b = tensor.extract %bt[] : tensor<f64>
  %ab = arith.mulf %a, %b : f64
  %bb = arith.mulf %b, %b : f64
  %s = arith.addf %a, %bb : f64
  %y = tensor.from_elements %ab, %s : tensor<2xf64>
  %j:2 = train.jacobian %y wrt %at, %bt {mode}
      : (tensor<2xf64>, tensor<f64>, tensor<f64>) -> (tensor<2xf64>, tensor<2xf64>)
  return %j#0, %j#1 : tensor<2xf64>, tensor<2xf64>
}}
"""
    for name, model in configurations(text):
        for number, mode in enumerate(MODES):
            expect_close(f"{name}: {mode}", model.run(f"vector{number}", np.array([2.0, 3.0])), [[3, 2], [1, 6]])
            da, db = model.run(f"numbers{number}", np.array(2.0), np.array(3.0))
            expect_close(f"{name}: {mode}: a", da, [3, 1])
            expect_close(f"{name}: {mode}: b", db, [2, 6])


HESSIAN = """
func.func @hessian(%v: tensor<2xf64>) -> tensor<2x2xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tensor.extract %v[%c0] : tensor<2xf64>
  %b = tensor.extract %v[%c1] : tensor<2xf64>
  %three = arith.constant 3.0 : f64
  %two = arith.constant 2.0 : f64
  %aa = arith.mulf %a, %a : f64
  %p = arith.mulf %three, %aa : f64
  %ab = arith.mulf %a, %b : f64
  %q = arith.mulf %two, %ab : f64
  %s = arith.addf %p, %q : f64
  %f = tensor.from_elements %s : tensor<f64>
  %g = train.gradient %f wrt %v : (tensor<f64>, tensor<2xf64>) -> tensor<2xf64>
  %h = train.jacobian %g wrt %v MODE : (tensor<2xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  return %h : tensor<2x2xf64>
}
// d^3 x^4 / dx^3, element by element.
func.func @third(%x: tensor<?xf64>) -> tensor<?x?x?xf64> {
  %c = arith.mulf %x, %x : tensor<?xf64>
  %y = arith.mulf %c, %c : tensor<?xf64>
  %g = train.gradient %y wrt %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %h = train.jacobian %g wrt %x mode reverse : (tensor<?xf64>, tensor<?xf64>) -> tensor<?x?xf64>
  %t = train.jacobian %h wrt %x mode reverse : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?x?x?xf64>
  return %t : tensor<?x?x?xf64>
}
// The gradient of |dy/dx|^2 for y = (x0 x1, x1^2): of x1^2 + x0^2 + 4 x1^2.
func.func @penalty(%x: tensor<2xf64>) -> tensor<2xf64> {
  %first = tensor.extract_slice %x[0] [1] [1] : tensor<2xf64> to tensor<1xf64>
  %last = tensor.extract_slice %x[1] [1] [1] : tensor<2xf64> to tensor<1xf64>
  %p = arith.mulf %first, %last : tensor<1xf64>
  %q = arith.mulf %last, %last : tensor<1xf64>
  %y = tensor.concat dim(0) %p, %q : (tensor<1xf64>, tensor<1xf64>) -> tensor<2xf64>
  %j = train.jacobian %y wrt %x MODE : (tensor<2xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  %s = arith.mulf %j, %j : tensor<2x2xf64>
  %n = nn.reduce sum %s axes [0, 1] : tensor<2x2xf64> -> tensor<f64>
  %g = train.gradient %n wrt %x : (tensor<f64>, tensor<2xf64>) -> tensor<2xf64>
  return %g : tensor<2xf64>
}
"""


def test_higher_orders() -> None:
    """G11: the Jacobian of a gradient, of that, and the gradient of a Jacobian."""
    for mode in MODES:
        for name, model in configurations(HESSIAN.replace("MODE", mode)):
            at = np.array([5.0, 3.0])
            expect_close(f"{name}: {mode}: Hessian", model.run("hessian", at), [[6, 2], [2, 0]])
            expect_close(f"{name}: {mode}: penalty", model.run("penalty", at), [10, 30])
            third = np.zeros((2, 2, 2))
            third[0, 0, 0], third[1, 1, 1] = 24 * 2, 24 * -1
            expect_close(f"{name}: third", model.run("third", np.array([2.0, -1.0])), third)


EXAMPLES = """
func.func @examples(%w: tensor<f64>, %x: tensor<?xf64>, %a: tensor<?xf64>)
    -> (tensor<?xf64>, tensor<?xf64>, tensor<f64>, tensor<f64>, tensor<f64>) {
  %ws = nn.broadcast %w dims [] like %x : (tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
  %p = arith.mulf %ws, %x : tensor<?xf64>
  %minus = arith.constant dense<-1.0> : tensor<f64>
  %ones = nn.broadcast %minus dims [] like %x : (tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
  %r = arith.addf %p, %ones : tensor<?xf64>
  %l = arith.mulf %r, %r : tensor<?xf64>
  %j = train.jacobian %l wrt %w mode reverse : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
  %k = train.jacobian %l wrt %w mode forward : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
  %sum = train.gradient %l wrt %w : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  %weighted = train.gradient %l wrt %w grad_ys %a : (tensor<?xf64>, tensor<f64>, tensor<?xf64>) -> tensor<f64>
  %m = nn.reduce mean %l axes [0] : tensor<?xf64> -> tensor<f64>
  %mean = train.gradient %m wrt %w : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %j, %k, %sum, %weighted, %mean : tensor<?xf64>, tensor<?xf64>, tensor<f64>, tensor<f64>, tensor<f64>
}
"""


def test_examples() -> None:
    """G6, G7, G8: the gradient of each (w x - 1)^2, their sum, weighted sum and mean."""
    for name, model in configurations(EXAMPLES):
        reverse, forward, total, weighted, mean = model.run(
            "examples", np.array(2.0), np.array([1.0, 2.0, 3.0]), np.array([0.5, 1.0, 2.0]))
        expect_close(f"{name}: reverse", reverse, [2, 12, 30])
        expect_close(f"{name}: forward", forward, [2, 12, 30])
        expect_close(f"{name}: sum", total, 44)
        expect_close(f"{name}: sum of examples", reverse.sum(axis=0), total)
        expect_close(f"{name}: weighted", weighted, 73)
        expect_close(f"{name}: mean", mean, 14.6666667, 1e-7)


RESIDUALS = """
func.func @residuals(%v: tensor<2xf64>, %t: tensor<4xf64>, %y: tensor<4xf64>)
    -> (tensor<4x2xf64>, tensor<2x2xf64>, tensor<2xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tensor.extract %v[%c0] : tensor<2xf64>
  %b = tensor.extract %v[%c1] : tensor<2xf64>
  %as = tensor.splat %a : tensor<4xf64>
  %bs = tensor.splat %b : tensor<4xf64>
  %bt = arith.mulf %bs, %t : tensor<4xf64>
  %e = math.exp %bt : tensor<4xf64>
  %f = arith.mulf %as, %e : tensor<4xf64>
  %r = arith.subf %f, %y : tensor<4xf64>
  %j = train.jacobian %r wrt %v MODE : (tensor<4xf64>, tensor<2xf64>) -> tensor<4x2xf64>
  %jj = nn.matmul %j, %j {transpose_a} : (tensor<4x2xf64>, tensor<4x2xf64>) -> tensor<2x2xf64>
  %column = tensor.expand_shape %r [[0, 1]] output_shape [4, 1] : tensor<4xf64> into tensor<4x1xf64>
  %jr = nn.matmul %j, %column {transpose_a} : (tensor<4x2xf64>, tensor<4x1xf64>) -> tensor<2x1xf64>
  %flat = tensor.collapse_shape %jr [[0, 1]] : tensor<2x1xf64> into tensor<2xf64>
  return %j, %jj, %flat : tensor<4x2xf64>, tensor<2x2xf64>, tensor<2xf64>
}
"""


def test_least_squares() -> None:
    """G5: the Jacobian of a e^(b t) - y at (1, 0), J^T J, J^T r and the step that they give."""
    t = np.arange(4.0)
    y = 2 * np.exp(-t / 2)
    for mode in ("", "mode reverse", "mode forward", "mode reverse chunk 3"):
        for name, model in configurations(RESIDUALS.replace("MODE", mode)):
            what = f"{name}: {mode}"
            j, jj, jr = model.run("residuals", np.array([1.0, 0.0]), t, y)
            expect_close(f"{what}: J", j, [[1, 0], [1, 1], [1, 2], [1, 3]])
            expect_close(f"{what}: J^T J", jj, [[4, 6], [6, 14]])
            expect_close(f"{what}: J^T r", jr, [-0.3950805221, 1.9766399550], 1e-9)
            expect_close(f"{what}: step", np.linalg.solve(jj, jr), [-0.8695483519, 0.5138521476], 1e-9)


UNCONNECTED = """
func.func @unconnected(%x: tensor<?xf64>, %y: tensor<?x2xf64>) -> (tensor<?x2x?xf64>, tensor<?x2x?x2xf64>) {
  %j:2 = train.jacobian %y wrt %x, %y unconnected zeros
      : (tensor<?x2xf64>, tensor<?xf64>, tensor<?x2xf64>) -> (tensor<?x2x?xf64>, tensor<?x2x?x2xf64>)
  return %j#0, %j#1 : tensor<?x2x?xf64>, tensor<?x2x?x2xf64>
}
func.func @columns(%x: tensor<3xf64>, %y: tensor<2xf64>) -> tensor<2x3xf64> {
  %j = train.jacobian %y wrt %x mode forward unconnected zeros : (tensor<2xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return %j : tensor<2x3xf64>
}
"""


def test_unconnected() -> None:
    """G2, G5: zeros if there is no path, and the identity of a value by itself."""
    for name, model in configurations(UNCONNECTED):
        zeros, identity = model.run("unconnected", np.ones(4), np.ones((3, 2)))
        expect_close(f"{name}: zeros", zeros, np.zeros((3, 2, 4)))
        expect_close(f"{name}: identity", identity, np.eye(6).reshape(3, 2, 3, 2))
        expect_close(f"{name}: columns", model.run("columns", np.ones(3), np.ones(2)), np.zeros((2, 3)))


NETWORK = """
func.func @losses(%x: tensor<?x5xf32>, %label: tensor<?xi32>, %w1: tensor<5x7xf32>, %b1: tensor<7xf32>,
                  %w2: tensor<7x3xf32>, %b2: tensor<1x3xf32>) -> (tensor<?x3xf32>, tensor<?xf32>) attributes {inline} {
  %z = nn.dense %x, %w1, %b1 : (tensor<?x5xf32>, tensor<5x7xf32>, tensor<7xf32>) -> tensor<?x7xf32>
  %h = nn.relu %z : tensor<?x7xf32>
  %p = nn.matmul %h, %w2 : (tensor<?x7xf32>, tensor<7x3xf32>) -> tensor<?x3xf32>
  %bias = nn.broadcast %b2 dims [0, 1] like %p : (tensor<1x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %o = arith.addf %p, %bias : tensor<?x3xf32>
  %loss = nn.sparse_softmax_cross_entropy %o, %label reduction none : (tensor<?x3xf32>, tensor<?xi32>) -> tensor<?xf32>
  return %o, %loss : tensor<?x3xf32>, tensor<?xf32>
}
func.func @examples(%x: tensor<?x5xf32>, %label: tensor<?xi32>, %w1: tensor<5x7xf32>, %b1: tensor<7xf32>,
                    %w2: tensor<7x3xf32>, %b2: tensor<1x3xf32>)
    -> (tensor<?x5x7xf32>, tensor<?x7xf32>, tensor<?x7x3xf32>, tensor<?x1x3xf32>) {
  %o, %loss = func.call @losses(%x, %label, %w1, %b1, %w2, %b2)
      : (tensor<?x5xf32>, tensor<?xi32>, tensor<5x7xf32>, tensor<7xf32>, tensor<7x3xf32>, tensor<1x3xf32>)
      -> (tensor<?x3xf32>, tensor<?xf32>)
  %j:4 = train.jacobian %loss wrt %w1, %b1, %w2, %b2
      : (tensor<?xf32>, tensor<5x7xf32>, tensor<7xf32>, tensor<7x3xf32>, tensor<1x3xf32>)
      -> (tensor<?x5x7xf32>, tensor<?x7xf32>, tensor<?x7x3xf32>, tensor<?x1x3xf32>)
  return %j#0, %j#1, %j#2, %j#3 : tensor<?x5x7xf32>, tensor<?x7xf32>, tensor<?x7x3xf32>, tensor<?x1x3xf32>
}
// Of every output of every example, by weights and by inputs.
func.func @outputs(%x: tensor<?x5xf32>, %label: tensor<?xi32>, %w1: tensor<5x7xf32>, %b1: tensor<7xf32>,
                   %w2: tensor<7x3xf32>, %b2: tensor<1x3xf32>) -> (tensor<?x3x5x7xf32>, tensor<?x3x?x5xf32>) {
  %o, %loss = func.call @losses(%x, %label, %w1, %b1, %w2, %b2)
      : (tensor<?x5xf32>, tensor<?xi32>, tensor<5x7xf32>, tensor<7xf32>, tensor<7x3xf32>, tensor<1x3xf32>)
      -> (tensor<?x3xf32>, tensor<?xf32>)
  %j:2 = train.jacobian %o wrt %w1, %x MODE
      : (tensor<?x3xf32>, tensor<5x7xf32>, tensor<?x5xf32>) -> (tensor<?x3x5x7xf32>, tensor<?x3x?x5xf32>)
  return %j#0, %j#1 : tensor<?x3x5x7xf32>, tensor<?x3x?x5xf32>
}
"""


def example_gradients(x: Array, label: int, p: Dict[str, Array]) -> Tuple[List[Array], Array, Array]:
    """Returns, for one example, the gradients of its loss, then the Jacobians of its outputs by w1 and x."""
    z = x @ p["w1"] + p["b1"]
    h = np.maximum(z, 0)
    o = h @ p["w2"] + p["b2"][0]
    e = np.exp(o - o.max())
    d = e / e.sum()
    d[label] -= 1
    dz = (p["w2"] @ d) * (z > 0)
    by_z = p["w2"].T * (z > 0)  # [3, 7]
    return ([np.outer(x, dz), dz, np.outer(h, d), d[None]], by_z[:, None, :] * x[None, :, None], by_z @ p["w1"].T)


def test_network() -> None:
    """G6: gradients of each example of a batch, written for the whole batch, against a loop over examples."""
    rng = np.random.default_rng(3)
    shapes = {"w1": (5, 7), "b1": (7,), "w2": (7, 3), "b2": (1, 3)}
    p = {key: rng.standard_normal(shape).astype(np.float32) for key, shape in shapes.items()}
    exact = {key: value.astype(np.float64) for key, value in p.items()}
    for mode in ("mode reverse", "mode forward"):
        for name, model in configurations(NETWORK.replace("MODE", mode)):
            for batch in (4, 1, 9):
                x = rng.standard_normal((batch, 5)).astype(np.float32)
                label = rng.integers(0, 3, batch).astype(np.int32)
                rows = [example_gradients(row.astype(np.float64), n, exact) for row, n in zip(x, label)]
                found = model.run("examples", x, label, *p.values())
                for k, key in enumerate(p):
                    expect_close(f"{name}: {key}", found[k], np.stack([row[0][k] for row in rows]), 1e-5)
                by_weights, by_inputs = model.run("outputs", x, label, *p.values())
                expect_close(f"{name}: {mode}: by w1", by_weights, np.stack([row[1] for row in rows]), 1e-5)
                expected = np.zeros((batch, 3, batch, 5))
                for n, row in enumerate(rows):
                    expected[n, :, n] = row[2]
                expect_close(f"{name}: {mode}: by x", by_inputs, expected, 1e-5)


RECURRENT = """
func.func @examples(%x: tensor<5x?x2xf32>, %target: tensor<?x4xf32>, %w: tensor<4x4xf32>, %u: tensor<2x4xf32>)
    -> (tensor<?x4x4xf32>, tensor<?x2x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %n = tensor.dim %x, %c1 : tensor<5x?x2xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%n) : tensor<?x4xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x4xf32>) -> tensor<?x4xf32>
  %h = scf.for %i = %c0 to %c5 step %c1 iter_args(%h = %start) -> tensor<?x4xf32> {
    %xi = tensor.extract_slice %x[%i, 0, 0] [1, %n, 2] [1, 1, 1] : tensor<5x?x2xf32> to tensor<?x2xf32>
    %a = linalg.matmul ins(%xi, %u : tensor<?x2xf32>, tensor<2x4xf32>) outs(%start : tensor<?x4xf32>) -> tensor<?x4xf32>
    %b = linalg.matmul ins(%h, %w : tensor<?x4xf32>, tensor<4x4xf32>) outs(%a : tensor<?x4xf32>) -> tensor<?x4xf32>
    %next = math.tanh %b : tensor<?x4xf32>
    scf.yield %next : tensor<?x4xf32>
  }
  %d = arith.subf %h, %target : tensor<?x4xf32>
  %s = arith.mulf %d, %d : tensor<?x4xf32>
  %loss = nn.reduce sum %s axes [1] : tensor<?x4xf32> -> tensor<?xf32>
  %j:2 = train.jacobian %loss wrt %w, %u MODE
      : (tensor<?xf32>, tensor<4x4xf32>, tensor<2x4xf32>) -> (tensor<?x4x4xf32>, tensor<?x2x4xf32>)
  return %j#0, %j#1 : tensor<?x4x4xf32>, tensor<?x2x4xf32>
}
"""


def recurrent_gradients(w: Array, u: Array, x: Array, target: Array) -> Tuple[Array, Array]:
    """Returns, for one example, the gradients of its loss by w and u."""
    states = [np.zeros(4)]
    for xi in x:
        states.append(np.tanh(xi @ u + states[-1] @ w))
    d = 2 * (states[-1] - target)
    dw, du = np.zeros_like(w), np.zeros_like(u)
    for i in reversed(range(5)):
        d = d * (1 - states[i + 1] ** 2)
        dw += np.outer(states[i], d)
        du += np.outer(x[i], d)
        d = d @ w.T
    return dw, du


def test_recurrent() -> None:
    """G6: the same through time."""
    rng = np.random.default_rng(4)
    w, u = rng.standard_normal((4, 4)).astype(np.float32), rng.standard_normal((2, 4)).astype(np.float32)
    for mode in ("mode reverse", "mode forward"):
        for name, model in configurations(RECURRENT.replace("MODE", mode)):
            for batch in (3, 6):
                x = rng.standard_normal((5, batch, 2)).astype(np.float32)
                target = rng.uniform(-0.5, 0.5, (batch, 4)).astype(np.float32)
                rows = [recurrent_gradients(*(a.astype(np.float64) for a in (w, u, x[:, n], target[n])))
                        for n in range(batch)]
                dw, du = model.run("examples", x, target, w, u)
                expect_close(f"{name}: {mode}: w", dw, np.stack([row[0] for row in rows]), 1e-4)
                expect_close(f"{name}: {mode}: u", du, np.stack([row[1] for row in rows]), 1e-4)


CONVOLUTIONAL = """
func.func @losses(%x: tensor<?x8x8x2xf32>, %label: tensor<?xi32>, %f: tensor<3x3x2x4xf32>, %c: tensor<4xf32>,
                  %g: tensor<3x3x4x3xf32>, %w: tensor<12x5xf32>) -> tensor<?xf32> attributes {inline} {
  %a = nn.conv2d %x, %f padding same : (tensor<?x8x8x2xf32>, tensor<3x3x2x4xf32>) -> tensor<?x8x8x4xf32>
  %cs = nn.broadcast %c dims [3] like %a : (tensor<4xf32>, tensor<?x8x8x4xf32>) -> tensor<?x8x8x4xf32>
  %b = arith.addf %a, %cs : tensor<?x8x8x4xf32>
  %h = nn.relu %b : tensor<?x8x8x4xf32>
  %p = nn.max_pool2d %h window [2, 2] : (tensor<?x8x8x4xf32>) -> tensor<?x4x4x4xf32>
  %q = nn.conv2d %p, %g padding same : (tensor<?x4x4x4xf32>, tensor<3x3x4x3xf32>) -> tensor<?x4x4x3xf32>
  %r = nn.avg_pool2d %q window [2, 2] : (tensor<?x4x4x3xf32>) -> tensor<?x2x2x3xf32>
  %flat = tensor.collapse_shape %r [[0], [1, 2, 3]] : tensor<?x2x2x3xf32> into tensor<?x12xf32>
  %o = nn.matmul %flat, %w : (tensor<?x12xf32>, tensor<12x5xf32>) -> tensor<?x5xf32>
  %loss = nn.sparse_softmax_cross_entropy %o, %label reduction none : (tensor<?x5xf32>, tensor<?xi32>) -> tensor<?xf32>
  return %loss : tensor<?xf32>
}
"""

EMBEDDING = """
func.func @losses(%words: tensor<?x6xi32>, %label: tensor<?xi32>, %table: tensor<11x4xf32>, %w: tensor<4x4xf32>,
                  %v: tensor<4x5xf32>) -> tensor<?xf32> attributes {inline} {
  %e = nn.gather %table, %words axis 0 : (tensor<11x4xf32>, tensor<?x6xi32>) -> tensor<?x6x4xf32>
  %h = nn.dense %e, %w : (tensor<?x6x4xf32>, tensor<4x4xf32>) -> tensor<?x6x4xf32>
  %t = math.tanh %h : tensor<?x6x4xf32>
  %scores = nn.matmul %t, %e {transpose_b} : (tensor<?x6x4xf32>, tensor<?x6x4xf32>) -> tensor<?x6x6xf32>
  %weights = nn.softmax %scores : tensor<?x6x6xf32>
  %mixed = nn.matmul %weights, %t : (tensor<?x6x6xf32>, tensor<?x6x4xf32>) -> tensor<?x6x4xf32>
  %mean = nn.reduce mean %mixed axes [1] : tensor<?x6x4xf32> -> tensor<?x4xf32>
  %o = nn.matmul %mean, %v : (tensor<?x4xf32>, tensor<4x5xf32>) -> tensor<?x5xf32>
  %loss = nn.sparse_softmax_cross_entropy %o, %label reduction none : (tensor<?x5xf32>, tensor<?xi32>) -> tensor<?xf32>
  return %loss : tensor<?xf32>
}
"""


def entries(text: str) -> str:
    """`text` with the gradient of its losses, and of each, as entries."""
    head = re.search(r"@losses\((.*?)\) ->", text, re.S)
    assert head
    arguments = dict(re.findall(r"%(\w+): (tensor<\S+>)", head.group(1)))
    parameters = list(arguments)[2:]
    types = [arguments[name] for name in parameters]
    rows = [type.replace("tensor<", "tensor<?x") for type in types]
    call = (f"  %loss = func.call @losses({', '.join(f'%{name}' for name in arguments)}) : "
            f"({', '.join(arguments.values())}) -> tensor<?xf32>\n")
    for name, op, results in (("total", "gradient", types), ("examples", "jacobian", rows)):
        values = ", ".join(f"%r#{k}" for k in range(len(parameters)))
        text += (f"func.func @{name}({head.group(1)}) -> ({', '.join(results)}) {{\n{call}"
                 f"  %r:{len(parameters)} = train.{op} %loss wrt {', '.join(f'%{name}' for name in parameters)} : "
                 f"({', '.join(['tensor<?xf32>'] + types)}) -> ({', '.join(results)})\n"
                 f"  return {values} : {', '.join(results)}\n}}\n")
    return text


def check_examples(text: str, batch: int, inputs: Array, label: Array, parameters: List[Array]) -> None:
    """The gradient of each example of a batch is that of a batch of it alone."""
    for name, model in configurations(entries(text)):
        found = model.run("examples", inputs, label, *parameters)
        for n in range(batch):
            alone = model.run("total", np.ascontiguousarray(inputs[n:n + 1]), label[n:n + 1], *parameters)
            for k, gradient in enumerate(alone):
                expect_close(f"{name}: example {n}: parameter {k}", found[k][n], gradient, 1e-4)


def test_convolutional() -> None:
    """G6: of convolutions and pools."""
    rng = np.random.default_rng(5)
    shapes = ((3, 3, 2, 4), (4,), (3, 3, 4, 3), (12, 5))
    parameters = [rng.standard_normal(shape).astype(np.float32) for shape in shapes]
    x = rng.standard_normal((5, 8, 8, 2)).astype(np.float32)
    check_examples(CONVOLUTIONAL, 5, x, rng.integers(0, 5, 5).astype(np.int32), parameters)


def test_embedding() -> None:
    """G6: of sequences, through a table of vectors and attention."""
    rng = np.random.default_rng(6)
    parameters = [rng.standard_normal(shape).astype(np.float32) for shape in ((11, 4), (4, 4), (4, 5))]
    words = rng.integers(0, 11, (4, 6)).astype(np.int32)
    check_examples(EMBEDDING, 4, words, rng.integers(0, 5, 4).astype(np.int32), parameters)


def test_refused() -> None:
    """X14: an op that is not one of tensors is named, at its place."""
    text = """
func.func @f(%x: tensor<4xf32>) -> tensor<4x4xf32> {
  %y = train.custom_vjp %x : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    train.vjp_yield %a : tensor<4xf32>
  } vjp {
  ^bb0(%a: tensor<4xf32>, %dy: tensor<4xf32>):
    %v = vector.transfer_read %dy[%i], %p : tensor<4xf32>, vector<4xf32>
    %s = arith.addf %v, %v : vector<4xf32>
    %r = vector.transfer_write %s, %dy[%i] : vector<4xf32>, tensor<4xf32>
    train.vjp_yield %r : tensor<4xf32>
  }
  %j = train.jacobian %y wrt %x mode reverse : (tensor<4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  return %j : tensor<4x4xf32>
}
""".replace("    %v =", "    %i = arith.constant 0 : index\n    %p = arith.constant 0.0 : f32\n    %v =")
    expect_error("vectors", "^<string>:10:10: error: 'vector.transfer_read' op is not supported: expected an op of",
                 lambda: flywheel.compile(text), flywheel.CompileError)


run_tests([test_pair, test_higher_orders, test_examples, test_least_squares, test_unconnected, test_network,
           test_recurrent, test_convolutional, test_embedding, test_refused])
