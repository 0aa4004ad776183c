# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Derivatives of loops that count and of loops that end early (G16, X10)."""

from typing import Callable, Tuple

import numpy as np

import flywheel
from configurations import (
    Array,
    configurations,
    expect_close,
    expect_equal,
    expect_error,
    run_tests,
)

Predicates = {
    "slt": lambda i, n: i < n,
    "sle": lambda i, n: i <= n,
    "sgt": lambda i, n: i > n,
    "sge": lambda i, n: i >= n,
    "ne": lambda i, n: i != n,
    "ult": lambda i, n: i < n,
    "ule": lambda i, n: i <= n,
}

# Type, predicate, first number, limit and step of a loop.
COUNTERS = [
    ("index", "slt", 0, 5, 1),
    ("i64", "slt", 0, 5, 1),
    ("i32", "slt", 3, 10, 2),
    ("i64", "sle", 1, 4, 1),
    ("i32", "sle", -3, 4, 2),
    ("i32", "ne", 0, 4, 1),
    ("i64", "ne", 2, 8, 3),
    ("i32", "sgt", 4, 0, -1),
    ("index", "sge", 7, 1, -3),
    ("i64", "ult", 0, 5, 2),
    ("i16", "ule", 1, 4, 1),
    ("i32", "slt", 5, 5, 1),
    ("i32", "slt", 9, 5, 1),
    ("i64", "sgt", -2, 3, -1),
]


def counted(kind: str, predicate: str, start: int, limit: int, step: int, name: str, is_tensor: bool) -> str:
    """a := sin(a w) and s := s + i a, for each number i."""
    constant = f"dense<{{}}> : tensor<{kind}>" if is_tensor else f"{{}} : {kind}"
    counter = f"tensor<{kind}>" if is_tensor else kind
    take = f"%below = tensor.extract %t[] : tensor<i1>\n    %k = tensor.extract %j[] : tensor<{kind}>"
    if not is_tensor:
        take = f"%below = arith.andi %t, %t : i1\n    %k = arith.addi %j, %none : {kind}"
    number = "%k64 = arith.index_cast %k : index to i64" if kind == "index" else (
        "%k64 = arith.addi %k, %none : i64" if kind == "i64" else f"%k64 = arith.extsi %k : {kind} to i64")
    body = take.split("\n    ")
    return f"""
func.func @{name}(%x: tensor<3xf64>, %w: tensor<3xf64>)
    -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<i64>) {{
  %start = arith.constant {constant.format(start)}
  %limit = arith.constant {constant.format(limit)}
  %step = arith.constant {constant.format(step)}
  %none = arith.constant 0 : {kind}
  %zero = arith.constant dense<0.0> : tensor<3xf64>
  %r:3 = scf.while (%j = %start, %a = %x, %s = %zero)
      : ({counter}, tensor<3xf64>, tensor<3xf64>) -> ({counter}, tensor<3xf64>, tensor<3xf64>) {{
    %t = arith.cmpi {predicate}, %j, %limit : {counter}
    {body[0]}
    scf.condition(%below) %j, %a, %s : {counter}, tensor<3xf64>, tensor<3xf64>
  }} do {{
  ^bb0(%j: {counter}, %a: tensor<3xf64>, %s: tensor<3xf64>):
    {body[1]}
    {number}
    %f = arith.sitofp %k64 : i64 to f64
    %i = tensor.splat %f : tensor<3xf64>
    %p = arith.mulf %a, %w : tensor<3xf64>
    %b = math.sin %p : tensor<3xf64>
    %q = arith.mulf %i, %a : tensor<3xf64>
    %n = arith.addf %s, %q : tensor<3xf64>
    %next = arith.addi %j, %step : {counter}
    scf.yield %next, %b, %n : {counter}, tensor<3xf64>, tensor<3xf64>
  }}
  %y = arith.addf %r#1, %r#2 : tensor<3xf64>
  %d:2 = train.gradient %y wrt %x, %w : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  %j = {f"tensor.extract %r#0[] : tensor<{kind}>" if is_tensor else f"arith.addi %r#0, %none : {kind}"}
  {number.replace("%k", "%j")}
  %end = tensor.from_elements %j64 : tensor<i64>
  return %y, %d#0, %d#1, %end : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<i64>
}}
"""


def test_counters() -> None:
    """Numbers and tensors that count up and down, from any start to any limit."""
    text = ""
    for n, counter in enumerate(COUNTERS):
        text += counted(*counter, f"scalar{n}", False)
        if counter[0] != "index":
            text += counted(*counter, f"tensor{n}", True)
    x, w = np.array([0.3, -1.2, 2.0]), np.array([1.5, 0.5, -0.7])
    for configuration, model in configurations(text):
        for n, (kind, predicate, start, limit, step) in enumerate(COUNTERS):
            a, s, i = x, np.zeros(3), start
            ax, aw, sx, sw = np.ones(3), np.zeros(3), np.zeros(3), np.zeros(3)
            while Predicates[predicate](i, limit):
                s, sx, sw = s + i * a, sx + i * ax, sw + i * aw
                c = np.cos(a * w)
                a, ax, aw = np.sin(a * w), c * w * ax, c * (a + w * aw)
                i += step
            for form in ("scalar", "tensor"):
                if form == "tensor" and kind == "index":
                    continue
                what = f"{configuration}: {form} {COUNTERS[n]}"
                y, dx, dw, end = model.run(f"{form}{n}", x, w)
                expect_close(what, y, a + s)
                expect_close(what, dx, ax + sx)
                expect_close(what, dw, aw + sw)
                expect_equal(what, end, np.int64(i))


NEWTON = """
func.func @root(%x: tensor<f64>, %start: tensor<f64>, %count: tensor<i64>)
    -> (tensor<f64>, tensor<f64>, tensor<i64>, tensor<f64>, tensor<f64>, tensor<f64>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %most = arith.constant 12 : i64
  %n0 = tensor.extract %count[] : tensor<i64>
  %n = arith.minsi %n0, %most : i64
  %half = arith.constant dense<0.5> : tensor<f64>
  %small = arith.constant dense<1.0e-3> : tensor<f64>
  %r, %e, %k = scf.while (%i = %c0, %a = %start) : (i64, tensor<f64>) -> (tensor<f64>, tensor<f64>, i64) {
    %square = arith.mulf %a, %a : tensor<f64>
    %error = arith.subf %square, %x : tensor<f64>
    %size = math.absf %error : tensor<f64>
    %far = arith.cmpf ogt, %size, %small : tensor<f64>
    %below = arith.cmpi slt, %i, %n : i64
    %f = tensor.extract %far[] : tensor<i1>
    %go = arith.andi %f, %below : i1
    scf.condition(%go) %a, %error, %i : tensor<f64>, tensor<f64>, i64
  } do {
  ^bb0(%a: tensor<f64>, %error: tensor<f64>, %i: i64):
    %q = arith.divf %error, %a : tensor<f64>
    %h = arith.mulf %q, %half : tensor<f64>
    %b = arith.subf %a, %h : tensor<f64>
    %j = arith.addi %i, %c1 : i64
    scf.yield %j, %b : i64, tensor<f64>
  }
  %three = arith.constant dense<3.0> : tensor<f64>
  %weighted = arith.mulf %e, %three : tensor<f64>
  %y = arith.addf %r, %weighted : tensor<f64>
  %d:2 = train.gradient %y wrt %x, %start : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  %second = train.gradient %d#0 wrt %x : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %steps = tensor.from_elements %k : tensor<i64>
  return %r, %e, %steps, %d#0, %d#1, %second
      : tensor<f64>, tensor<f64>, tensor<i64>, tensor<f64>, tensor<f64>, tensor<f64>
}
"""


def count_newton(x: float, a: float, n: int) -> int:
    i = 0
    while abs(a * a - x) > 1e-3 and i < min(n, 12):
        a -= (a * a - x) / a * 0.5
        i += 1
    return i


def newton(x: float, a: float, count: int) -> Tuple[float, float]:
    for _ in range(count):
        a -= (a * a - x) / a * 0.5
    return a, a * a - x


def difference(f: Callable[[float], float], x: float, h: float) -> float:
    return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h)


def test_newton() -> None:
    """The gradient of the iterations that ran: none, some, or as many as there may be."""
    for configuration, model in configurations(NEWTON):
        for x, start, n in [(2.0, 1.0, 12), (2.0, 1.0, 2), (50.0, 1.0, 100), (2.0, 1.0, 0), (4.0, 2.0001, 12),
                            (9.0, 1.0, 1), (3.0, 2.0, -5), (1e6, 1.0, 30)]:
            i = count_newton(x, start, n)
            a, e = newton(x, start, i)

            def y(x: float, start: float, i: int = i) -> float:
                a, e = newton(x, start, i)
                return a + 3 * e

            what = f"{configuration}: {x}, {start}, {n}"
            found = model.run("root", np.array(x), np.array(start), np.array(n, np.int64))
            expect_close(what, found[0], a)
            np.testing.assert_allclose(found[1], e, rtol=1e-9, atol=1e-9 * x, err_msg=what)
            expect_equal(what, found[2], np.int64(i))
            expect_close(what, found[3], difference(lambda v: y(v, start), x, 1e-4 * x), 1e-6)
            expect_close(what, found[4], difference(lambda v: y(x, v), start, 1e-5), 1e-5)
            second = difference(lambda v: difference(lambda u: y(u, start), v, 1e-3 * x), x, 1e-3 * x)
            expect_close(what, found[5], second, 1e-4)


FIXED_POINT = """
train.variable @w : tensor<4x4xf32> = #train.random_normal<stddev = 0.2>
func.func @step(%x: tensor<?x4xf32>, %target: tensor<?x4xf32>, %tolerance: tensor<f32>) -> (tensor<f32>, tensor<i32>) {
  %c0 = arith.constant dense<0> : tensor<i32>
  %c1 = arith.constant dense<1> : tensor<i32>
  %c20 = arith.constant dense<20> : tensor<i32>
  %w = train.read @w : tensor<4x4xf32>
  %large = arith.constant dense<1.0e30> : tensor<f32>
  %r:3 = scf.while (%i = %c0, %h = %x, %change = %large)
      : (tensor<i32>, tensor<?x4xf32>, tensor<f32>) -> (tensor<i32>, tensor<?x4xf32>, tensor<f32>) {
    %below = arith.cmpi slt, %i, %c20 : tensor<i32>
    %far = arith.cmpf ogt, %change, %tolerance : tensor<f32>
    %both = arith.andi %below, %far : tensor<i1>
    %go = tensor.extract %both[] : tensor<i1>
    scf.condition(%go) %i, %h, %change : tensor<i32>, tensor<?x4xf32>, tensor<f32>
  } do {
  ^bb0(%i: tensor<i32>, %h: tensor<?x4xf32>, %change: tensor<f32>):
    %p = nn.matmul %h, %w : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
    %s = arith.addf %p, %x : tensor<?x4xf32>
    %next = math.tanh %s : tensor<?x4xf32>
    %d = arith.subf %next, %h : tensor<?x4xf32>
    %q = arith.mulf %d, %d : tensor<?x4xf32>
    %sum = nn.reduce max %q axes [0, 1] : tensor<?x4xf32> -> tensor<f32>
    %j = arith.addi %i, %c1 : tensor<i32>
    scf.yield %j, %next, %sum : tensor<i32>, tensor<?x4xf32>, tensor<f32>
  }
  %d = arith.subf %r#1, %target : tensor<?x4xf32>
  %q = arith.mulf %d, %d : tensor<?x4xf32>
  %loss = nn.reduce sum %q axes [0, 1] : tensor<?x4xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.05>
  return %loss, %r#0 : tensor<f32>, tensor<i32>
}
"""


def fixed_point(w: Array, x: Array, target: Array, tolerance: float) -> Tuple[float, int, Array]:
    states, change = [x], 1e30
    while len(states) <= 20 and change > tolerance:
        states.append(np.tanh(states[-1] @ w + x))
        change = ((states[-1] - states[-2]) ** 2).max()
    d = 2 * (states[-1] - target)
    dw = np.zeros_like(w)
    for i in reversed(range(1, len(states))):
        d = d * (1 - states[i] ** 2)
        dw += states[i - 1].T @ d
        d = d @ w.T
    return float(((states[-1] - target) ** 2).sum()), len(states) - 1, w - 0.05 * dw


def test_fixed_point() -> None:
    """A layer that is applied until it changes little, trained on batches of any size."""
    rng = np.random.default_rng(0)
    for configuration, model in configurations(FIXED_POINT):
        model.initialize()
        w = model["w"].astype(np.float64)
        counts = set()
        for batch, tolerance in [(3, 1e-6), (1, 1e-3), (17, 1e-9), (2, 1e31), (8, 0.0)]:
            x, target = rng.standard_normal((2, batch, 4)).astype(np.float32)
            expected, count, w = fixed_point(w, x.astype(np.float64), target, tolerance)
            loss, steps = model.run("step", x, target, np.array(tolerance, np.float32))
            expect_equal(f"{configuration}: iterations", steps, np.int32(count))
            expect_close(f"{configuration}: loss", loss, expected, 1e-4)
            expect_close(f"{configuration}: w", model["w"], w, 1e-4)
            w = model["w"].astype(np.float64)
            counts.add(count)
        assert {0, 20} < counts, counts


def test_unbounded() -> None:
    """X14: a loop without limit is refused at its place; one that is not differentiated runs."""
    text = """
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %limit = arith.constant 100.0 : f32
  %y = scf.while (%a = %x) : (tensor<f32>) -> tensor<f32> {
    %s = tensor.extract %a[] : tensor<f32>
    %go = arith.cmpf olt, %s, %limit : f32
    scf.condition(%go) %a : tensor<f32>
  } do {
  ^bb0(%a: tensor<f32>):
    %e = arith.addf %a, %a : tensor<f32>
    scf.yield %e : tensor<f32>
  }
  %g = train.gradient %y wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}
"""
    expect_error("a loop without bound", "4:8: error: no derivative rule for 'scf.while' on 'tensor<f32>'",
                 lambda: flywheel.compile(text), flywheel.CompileError)
    for configuration, model in configurations(text.replace("gradient %y wrt", "gradient %x wrt").replace(
            "return %g", "%z = arith.addf %y, %g : tensor<f32>\n  return %z")):
        expect_equal(configuration, model.run("f", np.array(3, np.float32)), np.float32(193))


run_tests([test_counters, test_newton, test_fixed_point, test_unbounded])
