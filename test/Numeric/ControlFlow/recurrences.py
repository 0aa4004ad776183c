# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Recurrent networks as loops, trained (G16, X10, X11)."""

from typing import Dict

import numpy as np

from configurations import Array, configurations, expect_close, run_tests
from differences import RATE, differences, expect_step


def sigmoid(z: Array) -> Array:
    result: Array = 1 / (1 + np.exp(-z))
    return result


def test_lstm() -> None:
    """Sequences of any length, in batches of any size."""
    state = "tensor<?x4xf64>"
    text = f"""
train.variable @w : tensor<7x16xf64> = #train.random_normal<stddev = 0.5>
func.func @step(%x: tensor<?x?x3xf64>) -> tensor<f64> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %time = tensor.dim %x, %c0 : tensor<?x?x3xf64>
  %batch = tensor.dim %x, %c1 : tensor<?x?x3xf64>
  %e = tensor.empty(%batch) : {state}
  %start = linalg.fill ins(%zero : f64) outs(%e : {state}) -> {state}
  %r:2 = scf.for %t = %c0 to %time step %c1 iter_args(%h = %start, %c = %start) -> ({state}, {state}) {{
    %w = train.read @w : tensor<7x16xf64>
    %xt = tensor.extract_slice %x[%t, 0, 0] [1, %batch, 3] [1, 1, 1] : tensor<?x?x3xf64> to tensor<?x3xf64>
    %xh = tensor.concat dim(1) %xt, %h : (tensor<?x3xf64>, {state}) -> tensor<?x7xf64>
    %z = nn.matmul %xh, %w : (tensor<?x7xf64>, tensor<7x16xf64>) -> tensor<?x16xf64>
    %zi = tensor.extract_slice %z[0, 0] [%batch, 4] [1, 1] : tensor<?x16xf64> to {state}
    %zf = tensor.extract_slice %z[0, 4] [%batch, 4] [1, 1] : tensor<?x16xf64> to {state}
    %zg = tensor.extract_slice %z[0, 8] [%batch, 4] [1, 1] : tensor<?x16xf64> to {state}
    %zo = tensor.extract_slice %z[0, 12] [%batch, 4] [1, 1] : tensor<?x16xf64> to {state}
    %i = nn.sigmoid %zi : {state}
    %f = nn.sigmoid %zf : {state}
    %g = math.tanh %zg : {state}
    %o = nn.sigmoid %zo : {state}
    %keep = arith.mulf %f, %c : {state}
    %add = arith.mulf %i, %g : {state}
    %c2 = arith.addf %keep, %add : {state}
    %tc = math.tanh %c2 : {state}
    %h2 = arith.mulf %o, %tc : {state}
    scf.yield %h2, %c2 : {state}, {state}
  }}
  %q = arith.mulf %r#0, %r#0 : {state}
  %loss = nn.reduce sum %q axes [0, 1] : {state} -> tensor<f64>
  train.minimize %loss : tensor<f64> with #train.sgd<lr = {RATE}>
  return %loss : tensor<f64>
}}
"""

    def loss(w: Array, x: Array) -> float:
        h = c = np.zeros((x.shape[1], 4))
        for xt in x:
            i, f, g, o = np.split(np.concatenate([xt, h], 1) @ w, 4, 1)
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            h = sigmoid(o) * np.tanh(c)
        return float((h * h).sum())

    rng = np.random.default_rng(0)
    for configuration, model in configurations(text):
        model.initialize()
        for shape in [(5, 3, 3), (1, 1, 3), (8, 17, 3), (0, 2, 3)]:
            x, w = rng.standard_normal(shape), model["w"]
            expect_close(configuration, model.run("step", x), loss(w, x))
            expect_step(configuration, lambda v: loss(v, x), w, model["w"])


def test_wide_recurrence() -> None:
    """Gradients of weights that a loop adds up, and computes tile by tile."""
    text = f"""
train.variable @w : tensor<16x16xf64> = #train.random_normal<stddev = 0.2>
train.variable @u : tensor<8x16xf64> = #train.random_normal<stddev = 0.5>
func.func @step(%x: tensor<5x?x8xf64>) -> tensor<f64> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %w = train.read @w : tensor<16x16xf64>
  %u = train.read @u : tensor<8x16xf64>
  %n = tensor.dim %x, %c1 : tensor<5x?x8xf64>
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty(%n) : tensor<?x16xf64>
  %start = linalg.fill ins(%zero : f64) outs(%empty : tensor<?x16xf64>) -> tensor<?x16xf64>
  %r:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%h = %start, %c = %start)
      -> (tensor<?x16xf64>, tensor<?x16xf64>) {{
    %xi = tensor.extract_slice %x[%i, 0, 0] [1, %n, 8] [1, 1, 1] : tensor<5x?x8xf64> to tensor<?x8xf64>
    %a = nn.matmul %xi, %u : (tensor<?x8xf64>, tensor<8x16xf64>) -> tensor<?x16xf64>
    %b = nn.matmul %h, %w : (tensor<?x16xf64>, tensor<16x16xf64>) -> tensor<?x16xf64>
    %s = arith.addf %a, %b : tensor<?x16xf64>
    %next = math.tanh %s : tensor<?x16xf64>
    %sum = arith.addf %next, %c : tensor<?x16xf64>
    scf.yield %next, %sum : tensor<?x16xf64>, tensor<?x16xf64>
  }}
  %q = arith.mulf %r#1, %r#1 : tensor<?x16xf64>
  %loss = nn.reduce mean %q axes [0, 1] : tensor<?x16xf64> -> tensor<f64>
  train.minimize %loss : tensor<f64> with #train.sgd<lr = {RATE}>
  return %loss : tensor<f64>
}}
"""

    def loss(w: Array, u: Array, x: Array) -> float:
        h = c = np.zeros((x.shape[1], 16))
        for xi in x:
            h = np.tanh(xi @ u + h @ w)
            c = c + h
        return float((c * c).mean())

    rng = np.random.default_rng(0)
    for single in (False, True):
        for configuration, model in configurations(text.replace("f64", "f32") if single else text):
            model.initialize()
            for batch in (3, 33):
                x = rng.standard_normal((5, batch, 8)).astype(np.float32 if single else np.float64)
                w, u = (model[name].astype(np.float64) for name in "wu")
                expect_close(configuration, model.run("step", x), loss(w, u, x), 1e-4 if single else None)
                dw = differences(lambda v: loss(v, u, x), w)
                du = differences(lambda v: loss(w, v, x), u)
                expect_close(configuration, model["w"], w - RATE * dw, 1e-4 if single else 1e-8)
                expect_close(configuration, model["u"], u - RATE * du, 1e-4 if single else 1e-8)


def test_two_layers() -> None:
    """The second layer reads what the first one collects, from the end: so do the gradients of what is collected."""

    def layer(x: str, width: int, size: int, w: str, u: str, position: str, name: str) -> str:
        state, rows = f"tensor<?x{size}xf64>", f"tensor<?x{width}xf64>"
        return f"""
  %empty{name} = tensor.empty(%n) : {state}
  %start{name} = linalg.fill ins(%zero : f64) outs(%empty{name} : {state}) -> {state}
  %all{name} = tensor.empty(%n) : tensor<4x?x{size}xf64>
  %r{name}:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%h = %start{name}, %all = %all{name})
      -> ({state}, tensor<4x?x{size}xf64>) {{
    %j = {position}
    %xi = tensor.extract_slice {x}[%j, 0, 0] [1, %n, {width}] [1, 1, 1] : tensor<4x?x{width}xf64> to {rows}
    %a = nn.dense %xi, {w} : ({rows}, tensor<{width}x{size}xf64>) -> {state}
    %b = nn.dense %h, {u} : ({state}, tensor<{size}x{size}xf64>) -> {state}
    %s = arith.addf %a, %b : {state}
    %next = math.tanh %s : {state}
    %into = tensor.insert_slice %next into %all[%j, 0, 0] [1, %n, {size}] [1, 1, 1]
        : {state} into tensor<4x?x{size}xf64>
    scf.yield %next, %into : {state}, tensor<4x?x{size}xf64>
  }}"""

    weights = {"w": (3, 5), "u": (5, 5), "w2": (5, 6), "u2": (6, 6)}
    text = "".join(
        f"train.variable @{name} : tensor<{n}x{m}xf64> = #train.random_normal<stddev = 0.5>\n"
        for name, (n, m) in weights.items()
    )
    text += "func.func @step(%x: tensor<4x?x3xf64>) -> tensor<f64> {\n"
    text += "".join(f"  %{name} = train.read @{name} : tensor<{n}x{m}xf64>\n" for name, (n, m) in weights.items())
    text += f"""
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f64
  %n = tensor.dim %x, %c1 : tensor<4x?x3xf64>
  {layer("%x", 3, 5, "%w", "%u", "arith.addi %i, %c0 : index", "1")}
  {layer("%r1#1", 5, 6, "%w2", "%u2", "arith.subi %c3, %i : index", "2")}
  %q = arith.mulf %r2#1, %r2#1 : tensor<4x?x6xf64>
  %loss = nn.reduce mean %q axes [0, 1, 2] : tensor<4x?x6xf64> -> tensor<f64>
  train.minimize %loss : tensor<f64> with #train.sgd<lr = {RATE}>
  return %loss : tensor<f64>
}}
"""

    def run(x: Array, w: Array, u: Array) -> Array:
        h = np.zeros((x.shape[1], len(u)))
        return np.stack([h := np.tanh(xi @ w + h @ u) for xi in x])

    def loss(values: Dict[str, Array], x: Array) -> float:
        first = run(x, values["w"], values["u"])
        second = run(first[::-1], values["w2"], values["u2"])
        return float((second * second).mean())

    rng = np.random.default_rng(0)
    for configuration, model in configurations(text):
        model.initialize()
        for batch in (2, 7):
            x, values = rng.standard_normal((4, batch, 3)), {name: model[name] for name in weights}
            expect_close(configuration, model.run("step", x), loss(values, x))
            for name, value in values.items():

                def loss_at(v: Array, name: str = name, values: Dict[str, Array] = values, x: Array = x) -> float:
                    return loss({**values, name: v}, x)

                expect_step(configuration, loss_at, value, model[name])


run_tests([test_lstm, test_wide_recurrence, test_two_layers])
