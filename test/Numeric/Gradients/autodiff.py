# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s %S/../../Integration/Inputs/mlp-linalg.mlir
"""Derivatives in whole models, in all configurations.

Modules that another front end lowered (G1, G12), loops and branches (G16),
calls and rules of the user's (G15), forward mode, and what is refused (X14); an op
that reads its destination (T4).

usage: autodiff.py MLP
"""

import sys
from typing import Dict, List, Tuple

import numpy as np

from configurations import IN_PROCESS, Array, configurations, expect_close, run_tests


def softmax(z: Array) -> Array:
    e: Array = np.exp(z - z.max(axis=1, keepdims=True))
    p: Array = e / e.sum(axis=1, keepdims=True)
    return p


def step_mlp(p: Dict[str, Array], v: Dict[str, Array], x: Array, label: Array) -> float:
    """One step of momentum 0.5 at the rate 0.2, in f64; returns the loss before it."""
    flat = x.reshape(len(x), 8)
    z = flat @ p["w1"].T + p["b1"]
    h = np.maximum(z, 0)
    probability = softmax(h @ p["w2"].T + p["b2"])
    loss = -np.log(probability[np.arange(len(x)), label]).mean()
    d = probability.copy()
    d[np.arange(len(x)), label] -= 1
    d /= len(x)
    dz = (d @ p["w2"]) * (z > 0)
    gradients = {"w2": d.T @ h, "b2": d.sum(0), "w1": dz.T @ flat, "b1": dz.sum(0)}
    for name, g in gradients.items():
        v[name] = 0.5 * v[name] - 0.2 * g
        p[name] = p[name] + v[name]
    return float(loss)


def test_lowered_module() -> None:
    """G1: a module of linalg ops, with weights as arguments, is trained by calling it."""
    with open(sys.argv[1]) as file:
        text = file.read()
    rng = np.random.default_rng(0)
    label = rng.integers(0, 3, 12)
    x = (rng.standard_normal((12, 2, 4)) + label[:, None, None] - 1).astype(np.float32)
    for name, model in configurations(text):
        model.initialize(seed=1)
        weights = {key: np.array(model[key], np.float64) for key in ("w1", "b1", "w2", "b2")}
        velocity = {key: np.zeros_like(value) for key, value in weights.items()}
        losses: List[float] = []
        for count in (12, 7, 12, 12, 5, 12) * 5:
            expected = step_mlp(weights, velocity, x[:count].astype(np.float64), label[:count])
            losses.append(float(model.run("train", x[:count], label[:count])))
            expect_close(f"{name}: loss", losses[-1], expected, 1e-4)
        assert losses[-1] < 0.3 * losses[0], f"{name}: from {losses[0]} to {losses[-1]}"
        for key, value in weights.items():
            expect_close(f"{name}: {key}", model[key], value, 1e-4)
        assert (model.run("test", x).argmax(axis=1) == label).mean() > 0.9, name


RECURRENT = """
train.variable @w : tensor<4x4xf32> = #train.random_normal<stddev = 0.5>
train.variable @u : tensor<2x4xf32> = #train.random_normal<stddev = 0.5>
func.func @step(%x: tensor<5x?x2xf32>, %target: tensor<?x4xf32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %w = train.read @w : tensor<4x4xf32>
  %u = train.read @u : tensor<2x4xf32>
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
  %loss = nn.reduce sum %s axes [0, 1] : tensor<?x4xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.05>
  return %loss : tensor<f32>
}
"""


# The same, with weights that the body of the loop reads, one of them by a call.
READS_INSIDE = RECURRENT.replace("func.func @step", """func.func private @weight() -> tensor<4x4xf32> {
  %w = train.read @w : tensor<4x4xf32>
  return %w : tensor<4x4xf32>
}
func.func @step""").replace("""  %w = train.read @w : tensor<4x4xf32>
  %u = train.read @u : tensor<2x4xf32>
""", "").replace("""    %xi = ""","""    %w = func.call @weight() : () -> tensor<4x4xf32>
    %u = train.read @u : tensor<2x4xf32>
    %xi = """)

# The same, with ops whose results have the dimension sizes of their operands.
PRODUCTS = RECURRENT.replace(
    "    %a = linalg.matmul ins(%xi, %u : tensor<?x2xf32>, tensor<2x4xf32>) outs(%start : tensor<?x4xf32>) "
    "-> tensor<?x4xf32>\n"
    "    %b = linalg.matmul ins(%h, %w : tensor<?x4xf32>, tensor<4x4xf32>) outs(%a : tensor<?x4xf32>) "
    "-> tensor<?x4xf32>\n",
    "    %a = nn.matmul %xi, %u : (tensor<?x2xf32>, tensor<2x4xf32>) -> tensor<?x4xf32>\n"
    "    %p = nn.matmul %h, %w : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>\n"
    "    %b = arith.addf %a, %p : tensor<?x4xf32>\n")
assert "nn.matmul" in PRODUCTS


def step_recurrent(w: Array, u: Array, x: Array, target: Array) -> Tuple[float, Array, Array]:
    states = [np.zeros((x.shape[1], 4))]
    for xi in x:
        states.append(np.tanh(xi @ u + states[-1] @ w))
    d = 2 * (states[-1] - target)
    dw, du = np.zeros_like(w), np.zeros_like(u)
    for i in reversed(range(5)):
        d = d * (1 - states[i + 1] ** 2)
        dw += states[i].T @ d
        du += x[i].T @ d
        d = d @ w.T
    return float(((states[-1] - target) ** 2).sum()), w - 0.05 * dw, u - 0.05 * du


UPDATED_ONCE = """
func.func @f(%x: tensor<?xf64>, %d: tensor<?xf64>, %m: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %p = math.exp %d : tensor<?xf64>
  %a = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%x : tensor<?xf64>) outs(%p : tensor<?xf64>) {
  ^bb0(%u: f64, %o: f64):
    %s = arith.addf %u, %o : f64
    linalg.yield %s : f64
  } -> tensor<?xf64>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%a : tensor<?xf64>) outs(%m : tensor<?x4xf64>) {
  ^bb0(%u: f64, %v: f64):
    %s = arith.mulf %u, %v : f64
    linalg.yield %s : f64
  } -> tensor<?x4xf64>
  return %r : tensor<?x4xf64>
}
"""


def test_updated_once() -> None:
    """T4: an op that reads its destination, and one that repeats its result."""
    rng = np.random.default_rng(3)
    x, d, m = rng.standard_normal(5), rng.standard_normal(5), rng.standard_normal((5, 4))
    for name, model in configurations(UPDATED_ONCE):
        expect_close(name, model.run("f", x, d, m), (x + np.exp(d))[:, None] * m)


def test_recurrent() -> None:
    """G16: backpropagation through time, over a batch that only the caller knows."""
    rng = np.random.default_rng(1)
    inside = (("reads inside, " + name, model) for name, model in configurations(READS_INSIDE))
    products = (("products, " + name, model) for name, model in configurations(PRODUCTS))
    models = [*configurations(RECURRENT), *inside, *products]
    for name, model in models:
        model.initialize(seed=2)
        w, u = (np.array(model[key], np.float64) for key in ("w", "u"))
        for batch in (3, 1, 6, 3):
            x = rng.standard_normal((5, batch, 2)).astype(np.float32)
            target = rng.uniform(-0.5, 0.5, (batch, 4)).astype(np.float32)
            expected, w, u = step_recurrent(w, u, x.astype(np.float64), target.astype(np.float64))
            expect_close(f"{name}: loss", model.run("step", x, target), expected, 1e-4)
            expect_close(f"{name}: w", model["w"], w, 1e-4)
            expect_close(f"{name}: u", model["u"], u, 1e-4)


def test_branch() -> None:
    """G16: the gradient of a branch is that of the one taken; a loop that stops early."""
    text = """
train.variable @w : tensor<3xf64> = dense<[1.0, 2.0, 3.0]> : tensor<3xf64>
func.func @step(%c: tensor<i1>, %n: tensor<i64>, %x: tensor<3xf64>) -> tensor<f64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %w = train.read @w : tensor<3xf64>
  %taken = tensor.extract %c[] : tensor<i1>
  %a = scf.if %taken -> tensor<3xf64> {
    %p = arith.mulf %w, %x : tensor<3xf64>
    scf.yield %p : tensor<3xf64>
  } else {
    %p = math.exp %w : tensor<3xf64>
    scf.yield %p : tensor<3xf64>
  }
  %count = tensor.extract %n[] : tensor<i64>
  %times = arith.index_cast %count : i64 to index
  %end = arith.minsi %times, %c9 : index
  %y = scf.for %i = %c0 to %end step %c1 iter_args(%h = %a) -> tensor<3xf64> {
    %p = arith.mulf %h, %w : tensor<3xf64>
    scf.yield %p : tensor<3xf64>
  }
  %loss = nn.reduce sum %y axes [0] : tensor<3xf64> -> tensor<f64>
  train.minimize %loss : tensor<f64> with #train.sgd<lr = 0.001>
  return %loss : tensor<f64>
}
"""
    x = np.array([0.5, -1.0, 2.0])
    for name, model in configurations(text):
        model.initialize()
        w = np.array([1.0, 2.0, 3.0])
        for taken, count in ((True, 3), (False, 2), (True, 0), (False, 0), (True, 9), (True, -1)):
            k = max(count, 0)
            first, slope = (w * x, x) if taken else (np.exp(w), np.exp(w))
            expected = (first * w**k).sum()
            w = w - 0.001 * (slope * w**k + first * (k * w ** (k - 1) if k else 0.0))
            loss = model.run("step", np.array(taken), np.array(count, np.int64), x)
            expect_close(f"{name}: loss", loss, expected)
            expect_close(f"{name}: w", model["w"], w)


def test_custom_rule() -> None:
    """G15: the rule of a function takes the place of its derivative, through calls too."""
    text = """
func.func private @straight_through(%x: tensor<?xf64>) -> tensor<?xf64> attributes {train.vjp = @pass} {
  %y = math.roundeven %x : tensor<?xf64>
  return %y : tensor<?xf64>
}
func.func private @pass(%x: tensor<?xf64>, %dy: tensor<?xf64>) -> tensor<?xf64> {
  %r = call @twice(%dy) : (tensor<?xf64>) -> tensor<?xf64>
  return %r : tensor<?xf64>
}
func.func private @twice(%x: tensor<?xf64>) -> tensor<?xf64> {
  %r = arith.addf %x, %x : tensor<?xf64>
  return %r : tensor<?xf64>
}
func.func private @model(%x: tensor<?xf64>) -> tensor<?xf64> {
  %a = arith.mulf %x, %x : tensor<?xf64>
  %b = call @straight_through(%a) : (tensor<?xf64>) -> tensor<?xf64>
  %c = math.sin %b : tensor<?xf64>
  return %c : tensor<?xf64>
}
func.func @gradient(%x: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %y = call @model(%x) : (tensor<?xf64>) -> tensor<?xf64>
  %g = train.gradient %y wrt %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  return %y, %g : tensor<?xf64>, tensor<?xf64>
}
train.variable @w : tensor<2xf64> = dense<[0.7, 1.6]> : tensor<2xf64>
func.func @train() {
  %w = train.read @w : tensor<2xf64>
  %x = tensor.cast %w : tensor<2xf64> to tensor<?xf64>
  %y = call @model(%x) : (tensor<?xf64>) -> tensor<?xf64>
  %loss = nn.reduce sum %y axes [0] : tensor<?xf64> -> tensor<f64>
  train.minimize %loss : tensor<f64> with #train.sgd<lr = 0.1>
  return
}
"""
    def slope(x: Array) -> Array:
        found: Array = np.cos(np.round(x * x)) * 2 * 2 * x
        return found

    x = np.array([0.7, 1.6, -2.2])
    for name, model in configurations(text):
        model.initialize()
        y, g = model.run("gradient", x)
        expect_close(f"{name}: value", y, np.sin(np.round(x * x)))
        expect_close(f"{name}: gradient", g, slope(x))
        model.run("train")
        expect_close(f"{name}: w", model["w"], x[:2] - 0.1 * slope(x[:2]))


def test_forward_mode() -> None:
    """<J v, u> = <v, J^T u>, and numbers by hand: y = (a b, a + b^2) at (2, 3) (G5)."""
    text = """
func.func @f(%a: tensor<f64>, %b: tensor<f64>, %da: tensor<f64>, %db: tensor<f64>)
    -> (tensor<f64>, tensor<f64>, tensor<f64>) {
  %y0 = arith.mulf %a, %b : tensor<f64>
  %b2 = arith.mulf %b, %b : tensor<f64>
  %y1 = arith.addf %a, %b2 : tensor<f64>
  %d:2 = train.jvp %y0, %y1 wrt %a, %b tangents %da, %db
      : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  %g = train.gradient %d#0 wrt %a : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %d#0, %d#1, %g : tensor<f64>, tensor<f64>, tensor<f64>
}
"""
    for name, model in configurations(text):
        model.initialize()
        one, zero = np.array(1.0), np.array(0.0)
        at = (np.array(2.0), np.array(3.0))
        expect_close(f"{name}: along a", model.run("f", *at, one, zero), (3.0, 1.0, 0.0))
        expect_close(f"{name}: along b", model.run("f", *at, zero, one), (2.0, 6.0, 1.0))


# Bodies of loops whose carried tensor has its dimension sizes from something else than
# what it carried, which is all that the loop's own derivative passes on.
LOOPS = {
    "sum": """
    %s = nn.reduce sum %h axes [1] : tensor<?x4xf64> -> tensor<?xf64>
    %e = math.sin %s : tensor<?xf64>
    %o = nn.broadcast %e dims [0] like %h : (tensor<?xf64>, tensor<?x4xf64>) -> tensor<?x4xf64>""",
    "sum of squares": """
    %hh = arith.mulf %h, %h : tensor<?x4xf64>
    %s = nn.reduce mean %hh axes [0, 1] : tensor<?x4xf64> -> tensor<f64>
    %o = nn.broadcast %s dims [] like %x : (tensor<f64>, tensor<?x4xf64>) -> tensor<?x4xf64>""",
    "reshape": """
    %f = tensor.collapse_shape %h [[0, 1]] : tensor<?x4xf64> into tensor<?xf64>
    %e = math.cos %f : tensor<?xf64>
    %n = tensor.dim %h, %c0 : tensor<?x4xf64>
    %o = tensor.expand_shape %e [[0, 1]] output_shape [%n, 4] : tensor<?xf64> into tensor<?x4xf64>""",
    "linalg": """
    %n = tensor.dim %h, %c0 : tensor<?x4xf64>
    %empty = tensor.empty(%n) : tensor<?x4xf64>
    %o = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%h : tensor<?x4xf64>) outs(%empty : tensor<?x4xf64>) {
    ^bb0(%a: f64, %out: f64):
      %e = math.sin %a : f64
      linalg.yield %e : f64
    } -> tensor<?x4xf64>""",
    "loop": """
    %o = scf.for %j = %c0 to %c2 step %c1 iter_args(%k = %h) -> tensor<?x4xf64> {
      %s = nn.reduce mean %k axes [1] : tensor<?x4xf64> -> tensor<?xf64>
      %e = math.sin %s : tensor<?xf64>
      %b = nn.broadcast %e dims [0] like %k : (tensor<?xf64>, tensor<?x4xf64>) -> tensor<?x4xf64>
      scf.yield %b : tensor<?x4xf64>
    }""",
}


def test_forward_loops() -> None:
    """Forward mode takes each loop that reverse mode does: <J v, u> = <v, J^T u>, and differences."""
    for upper in ("%c3", "%rows"):
        for what, body in LOOPS.items():
            text = f"""
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @f(%x: tensor<?x4xf64>, %v: tensor<?x4xf64>, %u: tensor<?x4xf64>)
    -> (tensor<?x4xf64>, tensor<?x4xf64>, tensor<?x4xf64>, tensor<?x4xf64>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %rows = tensor.dim %x, %c0 : tensor<?x4xf64>
  %y = scf.for %i = %c0 to {upper} step %c1 iter_args(%h = %x) -> tensor<?x4xf64> {{{body}
    scf.yield %o : tensor<?x4xf64>
  }}
  %forward = train.jvp %y wrt %x tangents %v
      : (tensor<?x4xf64>, tensor<?x4xf64>, tensor<?x4xf64>) -> tensor<?x4xf64>
  %backward = train.gradient %y wrt %x grad_ys %u
      : (tensor<?x4xf64>, tensor<?x4xf64>, tensor<?x4xf64>) -> tensor<?x4xf64>
  %second = train.gradient %backward wrt %x : (tensor<?x4xf64>, tensor<?x4xf64>) -> tensor<?x4xf64>
  return %y, %forward, %backward, %second : tensor<?x4xf64>, tensor<?x4xf64>, tensor<?x4xf64>, tensor<?x4xf64>
}}
"""
            rng = np.random.default_rng(5)
            x, v, u = (0.5 * rng.standard_normal((3, 4)) for _ in range(3))
            for name, model in configurations(text, IN_PROCESS):
                _, forward, backward, second = model.run("f", x, v, u)
                step = 1e-5
                ahead, behind = (model.run("f", x + sign * step * v, v, u) for sign in (1, -1))
                expect_close(f"{name}: {what}", forward, (ahead[0] - behind[0]) / (2 * step), 1e-6)
                expect_close(f"{name}: {what}", (forward * u).sum(), (v * backward).sum(), 1e-9)
                # The gradient of the sum of the gradient, along v.
                expect_close(f"{name}: {what}, twice", (second * v).sum(),
                             (ahead[2] - behind[2]).sum() / (2 * step), 1e-5)


run_tests([test_forward_loops, test_updated_once, test_lowered_module, test_recurrent, test_branch, test_custom_rule,
           test_forward_mode])
