# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Gradients, by the numbers of the specification (G1 to G4, G7, G8, G11 to G14, G17, G18), in all configurations."""

import subprocess
from typing import Any, Dict, List, Sequence, Tuple

import numpy as np

from configurations import Array, configurations, expect_close, expect_equal, expect_error, make, run_tests

S = "tensor<f64>"


def f64(*values: Any) -> List[Array]:
    return [np.array(value, np.float64) for value in values]


def check(text: str, cases: Sequence[Tuple[str, str, List[Array], Sequence[Any]]]) -> None:
    """Runs the entries of a module: what it is, its name, its feeds, its results."""
    for configuration, model in configurations(text):
        model.initialize()
        for what, entry, feeds, expected in cases:
            found = model.run(entry, *feeds)
            for i, (value, wanted) in enumerate(zip(found if isinstance(found, tuple) else (found,), expected)):
                expect_close(f"{configuration} {what} #{i}", value, np.asarray(wanted, np.float64))


# f = 3 a^2 + 2 a b.
F = f"""
func.func private @f(%a: {S}, %b: {S}) -> {S} {{
  %two = arith.constant dense<2.0> : {S}
  %three = arith.constant dense<3.0> : {S}
  %aa = arith.mulf %a, %a : {S}
  %ab = arith.mulf %a, %b : {S}
  %p = arith.mulf %three, %aa : {S}
  %q = arith.mulf %two, %ab : {S}
  %f = arith.addf %p, %q : {S}
  return %f : {S}
}}
"""


def test_any_value() -> None:
    """G1, G18: of several values, with weights, with respect to any value."""
    check(F + f"""
func.func @gradient(%a: {S}, %b: {S}) -> ({S}, {S}) {{
  %f = func.call @f(%a, %b) : ({S}, {S}) -> {S}
  %g:2 = train.gradient %f wrt %a, %b : ({S}, {S}, {S}) -> ({S}, {S})
  return %g#0, %g#1 : {S}, {S}
}}
func.func @sums(%a: {S}, %b: {S}) -> ({S}, {S}) {{
  %ab = arith.mulf %a, %b : {S}
  %bb = arith.mulf %b, %b : {S}
  %s = arith.addf %a, %bb : {S}
  %g:2 = train.gradient %ab, %s wrt %a, %b : ({S}, {S}, {S}, {S}) -> ({S}, {S})
  return %g#0, %g#1 : {S}, {S}
}}
func.func @weighted(%a: {S}, %b: {S}, %u: {S}, %v: {S}) -> ({S}, {S}) {{
  %ab = arith.mulf %a, %b : {S}
  %bb = arith.mulf %b, %b : {S}
  %s = arith.addf %a, %bb : {S}
  %g:2 = train.gradient %ab, %s wrt %a, %b grad_ys %u, %v : ({S}, {S}, {S}, {S}, {S}, {S}) -> ({S}, {S})
  return %g#0, %g#1 : {S}, {S}
}}
func.func @uses(%w: {S}) -> {S} {{
  %a = arith.mulf %w, %w : {S}
  %b = arith.mulf %a, %w : {S}
  %c = arith.addf %b, %w : {S}
  %g = train.gradient %c wrt %w : ({S}, {S}) -> {S}
  return %g : {S}
}}
""", [("f", "gradient", f64(5, 3), (36, 10)), ("sums", "sums", f64(2, 3), (4, 8)),
      ("weights", "weighted", f64(2, 3, 1, 0), (3, 2)), ("uses", "uses", f64(2), (13,))])


def test_unconnected() -> None:
    """G2: an error by default, zeros on request; a locally constant function is not a path."""
    vector = "tensor<3xf64>"
    constant = [f"%r = math.floor %x : {vector}", f"%r = math.roundeven %x : {vector}",
                f"%i = arith.fptosi %x : {vector} to tensor<3xi32>\n  %r = arith.sitofp %i : tensor<3xi32> to {vector}",
                f"%z = arith.constant dense<0.0> : {vector}\n  %c = arith.cmpf ogt, %x, %z : {vector}\n"
                f"  %r = arith.uitofp %c : tensor<3xi1> to {vector}",
                f"%i = nn.argmax %x axis 0 : {vector} -> tensor<i32>\n  %j = arith.sitofp %i : tensor<i32> to {S}\n"
                f"  %r = nn.broadcast %j dims [] : ({S}) -> {vector}"]
    for body in constant:
        def module(option: str, body: str = body) -> str:
            return (f"func.func @g(%x: {vector}) -> {vector} {{\n  {body}\n"
                    f"  %g = train.gradient %r wrt %x {option} : ({vector}, {vector}) -> {vector}\n"
                    f"  return %g : {vector}\n}}\n")
        check(module("unconnected zeros"), [("zeros", "g", f64([0.3, -1.2, 2.7]), ([0, 0, 0],))])
        refused = module("")
        expect_error(body, "gradient targets that a differentiated value depends on",
                     lambda: make(refused, "optimized"))


def test_stop() -> None:
    """G3, G1: as an op, and as a list of what is constant for one gradient."""
    check(f"""
func.func @op(%w: {S}) -> ({S}, {S}) {{
  %s = train.stop_gradient %w : {S}
  %y = arith.mulf %s, %w : {S}
  %g = train.gradient %y wrt %w : ({S}, {S}) -> {S}
  return %y, %g : {S}, {S}
}}
func.func @list(%a: {S}) -> ({S}, {S}, {S}, {S}) {{
  // b = a^2, y = a b.
  %b = arith.mulf %a, %a : {S}
  %y = arith.mulf %a, %b : {S}
  %whole = train.gradient %y wrt %a : ({S}, {S}) -> {S}
  %part = train.gradient %y wrt %a stop %b : ({S}, {S}, {S}) -> {S}
  // What is listed has a gradient of its own.
  %both:2 = train.gradient %y wrt %a, %b stop %a, %b : ({S}, {S}, {S}, {S}, {S}) -> ({S}, {S})
  return %whole, %part, %both#0, %both#1 : {S}, {S}, {S}, {S}
}}
""", [("op", "op", f64(3), (9, 3)), ("list", "list", f64(3), (27, 9, 9, 3))])


def test_intermediate() -> None:
    """G4, G17: gradients of and at activations, in the step that trains, with one
    forward part; a gradient's norm without applying it."""
    text = f"""
train.variable @w : {S} = dense<2.0> : {S}
func.func @step(%x: {S}) -> ({S}, {S}, {S}, {S}, {S}) {{
  %w = train.read @w : {S}
  %h = arith.mulf %w, %x : {S}
  %s = arith.mulf %h, %h : {S}
  %dh = train.gradient %s wrt %h : ({S}, {S}) -> {S}
  %dw = train.gradient %s wrt %w : ({S}, {S}) -> {S}
  %hw = train.gradient %h wrt %w : ({S}, {S}) -> {S}
  %square = arith.mulf %dw, %dw : {S}
  %norm = math.sqrt %square : {S}
  train.minimize %s : {S} with #train.sgd<lr = 0.01>
  return %s, %dh, %dw, %hw, %norm : {S}, {S}, {S}, {S}, {S}
}}
func.func @norm(%x: {S}) -> {S} {{
  %w = train.read @w : {S}
  %h = arith.mulf %w, %x : {S}
  %s = arith.mulf %h, %h : {S}
  %dw = train.gradient %s wrt %w : ({S}, {S}) -> {S}
  %norm = math.absf %dw : {S}
  return %norm : {S}
}}
"""
    for configuration, model in configurations(text):
        model.initialize()
        expect_close(f"{configuration} norm", model.run("norm", *f64(3)), 36.0)
        expect_equal(f"{configuration} nothing applied", model["w"], np.float64(2))
        for found, expected in zip(model.run("step", *f64(3)), (36, 12, 36, 3, 36)):
            expect_close(configuration, found, np.float64(expected))
        expect_close(f"{configuration} w", model["w"], np.float64(2 - 0.36))

    # Two products forward, whatever is asked of them.
    matrix = "tensor<4x4xf32>"
    text = f"""
train.variable @w : {matrix} = #train.ones
func.func @step(%x: {matrix}) -> ({matrix}, {matrix}, {matrix}) {{
  %w = train.read @w : {matrix}
  %h = nn.matmul %x, %w : ({matrix}, {matrix}) -> {matrix}
  %t = math.tanh %h : {matrix}
  %s = nn.matmul %t, %w : ({matrix}, {matrix}) -> {matrix}
  %dh = train.gradient %s wrt %h : ({matrix}, {matrix}) -> {matrix}
  %dt = train.gradient %s wrt %t : ({matrix}, {matrix}) -> {matrix}
  train.minimize %s : {matrix} with #train.sgd<lr = 0.01>
  return %s, %dh, %dt : {matrix}, {matrix}, {matrix}
}}
"""
    stages = ["--flywheel-expand", "--flywheel-autodiff", "--flywheel-functionalize"]
    found = subprocess.run(["flywheel-opt", "-", *stages], input=text, capture_output=True, text=True, check=True)
    assert found.stdout.count("nn.matmul") == 2 + 3, found.stdout


def test_losses() -> None:
    """G7, G8: the gradient follows the loss that is written; weights of examples."""
    v = "tensor<?xf64>"
    check(f"""
func.func private @losses(%w: {S}, %x: {v}) -> {v} {{
  %ws = nn.broadcast %w dims [] like %x : ({S}, {v}) -> {v}
  %one = arith.constant dense<1.0> : {S}
  %ones = nn.broadcast %one dims [] like %x : ({S}, {v}) -> {v}
  %p = arith.mulf %ws, %x : {v}
  %d = arith.subf %p, %ones : {v}
  %l = arith.mulf %d, %d : {v}
  return %l : {v}
}}
func.func @reductions(%w: {S}, %x: {v}) -> ({S}, {S}) {{
  %l = func.call @losses(%w, %x) : ({S}, {v}) -> {v}
  %sum = nn.reduce sum %l axes [0] : {v} -> {S}
  %mean = nn.reduce mean %l axes [0] : {v} -> {S}
  %g = train.gradient %sum wrt %w : ({S}, {S}) -> {S}
  %h = train.gradient %mean wrt %w : ({S}, {S}) -> {S}
  return %g, %h : {S}, {S}
}}
func.func @weighted(%w: {S}, %x: {v}, %a: {v}) -> {S} {{
  %l = func.call @losses(%w, %x) : ({S}, {v}) -> {v}
  %g = train.gradient %l wrt %w grad_ys %a : ({v}, {S}, {v}) -> {S}
  return %g : {S}
}}
""", [("sum and mean", "reductions", f64(2, [1, 2, 3]), (44, 44 / 3)),
      ("weights", "weighted", f64(2, [1, 2, 3], [.5, 1, 2]), (73,))])


def test_shared() -> None:
    """N12, G18: a variable that a function is given twice gets the sum of the gradients of both uses."""
    for configuration, model in configurations(f"""
train.variable @w : {S} = dense<2.0> : {S}
func.func private @scale(%w: {S}, %x: {S}) -> {S} {{
  %y = arith.mulf %w, %x : {S}
  return %y : {S}
}}
func.func @step(%x: {S}) -> ({S}, {S}, {S}) {{
  %w = train.read @w : {S}
  %h = func.call @scale(%w, %x) : ({S}, {S}) -> {S}
  %y = func.call @scale(%w, %h) : ({S}, {S}) -> {S}
  %ten = arith.constant dense<10.0> : {S}
  %d = arith.subf %y, %ten : {S}
  %loss = arith.mulf %d, %d : {S}
  %g = train.gradient %loss wrt %w : ({S}, {S}) -> {S}
  train.minimize %loss : {S} with #train.sgd<lr = 0.01>
  return %y, %loss, %g : {S}, {S}, {S}
}}
"""):
        model.initialize()
        for found, expected in zip(model.run("step", *f64(3)), (12, 4, 48)):
            expect_close(configuration, found, np.float64(expected))
        expect_close(configuration, model["w"], np.float64(1.52))


def test_order() -> None:
    """G11: second and third derivatives; a penalty of a gradient that trains."""
    check(F + f"""
func.func @hessian(%a: {S}, %b: {S}) -> ({S}, {S}, {S}, {S}) {{
  %f = func.call @f(%a, %b) : ({S}, {S}) -> {S}
  %g:2 = train.gradient %f wrt %a, %b : ({S}, {S}, {S}) -> ({S}, {S})
  %h:2 = train.gradient %g#0 wrt %a, %b : ({S}, {S}, {S}) -> ({S}, {S})
  %i:2 = train.gradient %g#1 wrt %a, %b unconnected zeros : ({S}, {S}, {S}) -> ({S}, {S})
  return %h#0, %h#1, %i#0, %i#1 : {S}, {S}, {S}, {S}
}}
func.func @third(%x: {S}) -> {S} {{
  %two = arith.mulf %x, %x : {S}
  %four = arith.mulf %two, %two : {S}
  %g = train.gradient %four wrt %x : ({S}, {S}) -> {S}
  %h = train.gradient %g wrt %x : ({S}, {S}) -> {S}
  %i = train.gradient %h wrt %x : ({S}, {S}) -> {S}
  return %i : {S}
}}
""", [("Hessian", "hessian", f64(5, 3), (6, 2, 2, 0)), ("third", "third", f64(2), (48,))])
    # loss = (dy/dx)^2 with y = w x^2: at w = 2, x = 3 the derivative is 8 w x^2 = 144.
    for configuration, model in configurations(f"""
train.variable @w : {S} = dense<2.0> : {S}
func.func @step(%x: {S}) -> {S} {{
  %w = train.read @w : {S}
  %xx = arith.mulf %x, %x : {S}
  %y = arith.mulf %w, %xx : {S}
  %g = train.gradient %y wrt %x : ({S}, {S}) -> {S}
  %loss = arith.mulf %g, %g : {S}
  train.minimize %loss : {S} with #train.sgd<lr = 0.001>
  return %loss : {S}
}}
"""):
        model.initialize()
        expect_close(configuration, model.run("step", *f64(3)), np.float64(144))
        expect_close(configuration, model["w"], np.float64(2 - 0.144))


def test_kinks() -> None:
    """G12: derivatives at points that have none."""
    inf = np.inf
    unary: Dict[str, Tuple[str, List[float], List[float]]] = {
        "relu": ("nn.relu %x", [-1, 0, 2], [0, 0, 1]),
        "abs": ("math.absf %x", [-2, 0, 3], [-1, 0, 1]),
        "sqrt": ("math.sqrt %x", [0, 4], [inf, 0.25])}
    for name, (op, at, expected) in unary.items():
        v = f"tensor<{len(at)}xf64>"
        check(f"func.func @g(%x: {v}) -> {v} {{\n  %y = {op} : {v}\n"
              f"  %g = train.gradient %y wrt %x : ({v}, {v}) -> {v}\n  return %g : {v}\n}}\n",
              [(name, "g", f64(at), (expected,))])
    v = "tensor<3xf64>"
    binary = {"arith.maximumf": ([0, 1, 1], [1, 0, 0]), "arith.minimumf": ([1, 1, 0], [0, 0, 1]),
              "arith.maxnumf": ([0, 1, 1], [1, 0, 0]), "arith.minnumf": ([1, 1, 0], [0, 0, 1])}
    for op, slopes in binary.items():
        check(f"func.func @g(%x: {v}, %y: {v}) -> ({v}, {v}) {{\n  %m = {op} %x, %y : {v}\n"
              f"  %g:2 = train.gradient %m wrt %x, %y : ({v}, {v}, {v}) -> ({v}, {v})\n"
              f"  return %g#0, %g#1 : {v}, {v}\n}}\n",
              [(op, "g", f64([1, 2, 3], [2, 2, 1]), slopes)])
    check(f"func.func @g(%x: {v}, %y: {v}) -> ({v}, {v}) {{\n  %q = arith.divf %x, %y : {v}\n"
          f"  %g:2 = train.gradient %q wrt %x, %y : ({v}, {v}, {v}) -> ({v}, {v})\n"
          f"  return %g#0, %g#1 : {v}, {v}\n}}\n",
          [("x / 0", "g", f64([1, -1, 2], [0, 0, 2]), ([inf, inf, 0.5], [-inf, inf, -0.5]))])
    # Elements that equal a maximum share its gradient; at the bounds of a clip its operand counts.
    check(f"""
func.func @largest(%x: {v}) -> {v} {{
  %m = nn.reduce max %x axes [0] : {v} -> {S}
  %g = train.gradient %m wrt %x : ({S}, {v}) -> {v}
  return %g : {v}
}}
func.func @smallest(%x: {v}) -> {v} {{
  %m = nn.reduce min %x axes [0] : {v} -> {S}
  %g = train.gradient %m wrt %x : ({S}, {v}) -> {v}
  return %g : {v}
}}
func.func @clip(%x: {v}) -> {v} {{
  %l = arith.constant dense<-1.0> : {v}
  %u = arith.constant dense<1.0> : {v}
  %y = math.clampf %x to [%l, %u] : {v}
  %g = train.gradient %y wrt %x : ({v}, {v}) -> {v}
  return %g : {v}
}}
func.func @composed(%x: {v}) -> {v} {{
  %l = arith.constant dense<-1.0> : {v}
  %u = arith.constant dense<1.0> : {v}
  %m = arith.maximumf %x, %l : {v}
  %y = arith.minimumf %m, %u : {v}
  %g = train.gradient %y wrt %x : ({v}, {v}) -> {v}
  return %g : {v}
}}
""", [("largest", "largest", f64([2, 1, 2]), ([.5, 0, .5],)), ("smallest", "smallest", f64([1, 1, 1]), ([1 / 3] * 3,)),
      ("at the bounds", "clip", f64([-1, 0.5, 1]), ([1, 1, 1],)), ("outside", "clip", f64([-1.5, 0, 7]), ([0, 1, 0],)),
      ("at the bounds", "composed", f64([-1, 0.5, 1]), ([1, 1, 1],)),
      ("outside", "composed", f64([-1.5, 0, 7]), ([0, 1, 0],))])


def test_products() -> None:
    """G13, G14: a bias sums over the batch; dW = 2 (W X - Y) X^T."""
    rng = np.random.default_rng(0)
    w, x, y = rng.standard_normal((3, 4)), rng.standard_normal((4, 5)), rng.standard_normal((3, 5))
    check("""
func.func @bias(%x: tensor<?x3xf64>, %w: tensor<3x2xf64>, %b: tensor<2xf64>) -> tensor<2xf64> {
  %z = nn.dense %x, %w, %b : (tensor<?x3xf64>, tensor<3x2xf64>, tensor<2xf64>) -> tensor<?x2xf64>
  %g = train.gradient %z wrt %b : (tensor<?x2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %g : tensor<2xf64>
}
func.func @product(%w: tensor<3x4xf64>, %x: tensor<4x?xf64>, %y: tensor<3x?xf64>) -> tensor<3x4xf64> {
  %p = nn.matmul %w, %x : (tensor<3x4xf64>, tensor<4x?xf64>) -> tensor<3x?xf64>
  %d = arith.subf %p, %y : tensor<3x?xf64>
  %s = arith.mulf %d, %d : tensor<3x?xf64>
  %loss = nn.reduce sum %s axes [0, 1] : tensor<3x?xf64> -> tensor<f64>
  %g = train.gradient %loss wrt %w : (tensor<f64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  return %g : tensor<3x4xf64>
}
""", [("bias", "bias", [rng.standard_normal((2, 3)), rng.standard_normal((3, 2)), np.zeros(2)], ([2, 2],)),
      ("product", "product", [w, x, y], (2 * (w @ x - y) @ x.T,))])


def test_zeros_in_a_product() -> None:
    """G11: a product is as smooth where elements are 0."""
    for kind in ("tensor<2x3xf64>", "tensor<?x3xf64>", "tensor<2x?xf64>"):
        hessian = kind.replace("tensor<", "").replace("xf64>", "")
        text = f"""
func.func @f(%x: {kind}) -> (tensor<1x1xf64>, {kind}, tensor<{hessian}x{hessian}xf64>) {{
  %y = nn.reduce prod %x axes [0, 1] keepdims : {kind} -> tensor<1x1xf64>
  %g = train.gradient %y wrt %x : (tensor<1x1xf64>, {kind}) -> {kind}
  %h = train.jacobian %g wrt %x : ({kind}, {kind}) -> tensor<{hessian}x{hessian}xf64>
  return %y, %g, %h : tensor<1x1xf64>, {kind}, tensor<{hessian}x{hessian}xf64>
}}
"""
        cases = []
        for zeros in ((), (1,), (1, 4), (0, 2, 5)):
            x = np.arange(1.0, 7.0) / 2
            x[list(zeros)] = 0

            def without(*left_out: int, x: Array = x) -> float:
                return float(np.prod(np.delete(x, left_out)))

            second = np.array([[0.0 if i == j else without(i, j) for j in range(6)] for i in range(6)])
            first = np.array([without(i) for i in range(6)])
            cases.append((f"{kind} zeros {zeros}", "f", [x.reshape(2, 3)],
                          ([[x.prod()]], first.reshape(2, 3), second.reshape(2, 3, 2, 3))))
        check(text, cases)


def test_variable_read_twice() -> None:
    """G1, G2: a variable is one target, whichever of its reads is named, and wherever the others are."""
    text = f"""
train.variable @w : {S} = #train.constant<dense<3.0> : tensor<1xf64>>
func.func private @square() -> {S} {{
  %w = train.read @w : {S}
  %y = arith.mulf %w, %w : {S}
  return %y : {S}
}}
func.func @called() -> {S} {{
  %y = func.call @square() : () -> {S}
  %w = train.read @w : {S}
  %g = train.gradient %y wrt %w unconnected zeros : ({S}, {S}) -> {S}
  return %g : {S}
}}
func.func @looped(%x: {S}) -> {S} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %x) -> {S} {{
    %w = train.read @w : {S}
    %p = arith.mulf %w, %h : {S}
    scf.yield %p : {S}
  }}
  %w = train.read @w : {S}
  %g = train.gradient %y wrt %w unconnected zeros : ({S}, {S}) -> {S}
  return %g : {S}
}}
func.func @assigned(%x: {S}) -> ({S}, {S}) {{
  %old = train.read @w : {S}
  %y = arith.mulf %old, %x : {S}
  train.assign @w, %old : {S}
  %new = train.read @w : {S}
  %g:2 = train.gradient %y wrt %old, %new unconnected zeros : ({S}, {S}, {S}) -> ({S}, {S})
  return %g#0, %g#1 : {S}, {S}
}}
"""
    check(text, [("called", "called", [], (6.0,)), ("looped", "looped", f64(2), (54.0,)),
                 ("assigned", "assigned", f64(5), (5.0, 0.0))])


def test_counters() -> None:
    """G16: whatever type a loop counts with."""
    for kind, sign, lower, upper, step in (("i8", "", -100, 100, 1), ("i8", "unsigned", 0, -6, 1), ("i8", "", 5, -5, 1),
                                           ("i8", "unsigned", 10, -56, 7), ("i32", "", -5, 6, 3),
                                           ("i64", "unsigned", 1, 9, 4), ("index", "unsigned", 2, 7, 2)):
        counted = range(lower % 256, upper % 256, step) if sign and kind == "i8" else range(lower, upper, step)
        text = f"""
func.func @f(%t: {S}) -> ({S}, {S}) {{
  %l = arith.constant {lower} : {kind}
  %u = arith.constant {upper} : {kind}
  %s = arith.constant {step} : {kind}
  %y = scf.for {sign} %i = %l to %u step %s iter_args(%h = %t) -> {S} : {kind} {{
    %k = {"arith.index_cast %i : index to i32" if kind == "index" else f"arith.bitcast %i : {kind} to {kind}"}
    %c = arith.sitofp %k : {"i32" if kind == "index" else kind} to f64
    %ct = tensor.from_elements %c : {S}
    %a = arith.addf %h, %ct : {S}
    %n = math.sin %a : {S}
    scf.yield %n : {S}
  }}
  %d = train.gradient %y wrt %t unconnected zeros : ({S}, {S}) -> {S}
  return %y, %d : {S}, {S}
}}
"""
        y, slope = 0.7, 1.0
        for number in counted:
            signed = (number + 128) % 256 - 128 if kind == "i8" else number
            slope *= np.cos(y + signed)
            y = np.sin(y + signed)
        check(text, [(f"{kind} {sign} {lower} {upper} {step}", "f", f64(0.7), (y, slope))])


def test_assigned_in_a_loop() -> None:
    """G16: what a differentiated loop assigns is constant to the derivative, and assigned once an iteration."""
    text = f"""
train.variable @w : {S} = #train.constant<dense<3.0> : tensor<1xf64>>
train.variable @last : {S} = #train.constant<dense<2.0> : tensor<1xf64>>
train.variable @n : tensor<i64> = #train.zeros {{trainable = false}}
train.variable @mean : {S} = #train.constant<dense<0.5> : tensor<1xf64>> {{trainable = false}}
func.func @step() -> {S} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %h0 = arith.constant dense<1.0> : {S}
  %one = arith.constant dense<1> : tensor<i64>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %h0) -> {S} {{
    %w = train.read @w : {S}
    %p = arith.mulf %h, %w : {S}
    %m = train.read @mean : {S}
    %q = arith.addf %p, %m : {S}
    train.assign @last, %q : {S}
    train.assign_add @n, %one : tensor<i64>
    %a = train.moving_average @mean, %q momentum 5.0e-1 : {S}
    scf.yield %q : {S}
  }}
  train.minimize %r : {S} with #train.sgd<lr = 0.1>
  return %r : {S}
}}
"""
    h, slope, mean = 1.0, 0.0, 0.5
    for _ in range(3):
        slope, h = slope * 3 + h, h * 3 + mean
        mean = 0.5 * mean + 0.5 * h
    for name, model in configurations(text):
        model.initialize()
        expect_close(name, model.run("step"), np.array(h))
        for key, value in (("w", 3 - 0.1 * slope), ("last", h), ("n", 3), ("mean", mean)):
            expect_close(f"{name} {key}", model[key], np.array(value))


def test_dropout_in_a_loop() -> None:
    """X13, G16: each iteration draws anew, and the reverse has the same draws."""
    text = """
train.variable @w : tensor<64xf64> = #train.ones
func.func @step(%x: tensor<64xf64>) -> (tensor<64xf64>, tensor<64xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %w = train.read @w : tensor<64xf64>
  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %x) -> tensor<64xf64> {
    %p = arith.mulf %h, %w : tensor<64xf64>
    %d = train.dropout %p rate 2.5e-1 : tensor<64xf64>
    %s = arith.addf %d, %x : tensor<64xf64>
    scf.yield %s : tensor<64xf64>
  }
  %g = train.gradient %y wrt %w : (tensor<64xf64>, tensor<64xf64>) -> tensor<64xf64>
  return %y, %g : tensor<64xf64>, tensor<64xf64>
}
"""
    x = np.arange(1.0, 65.0)
    for name, model in configurations(text):
        model.initialize(seed=3)
        y, g = model.run("step", x)
        # A draw keeps an element, times 4/3, or drops it.
        pairs = []
        for masks in np.ndindex(2, 2, 2):
            h, slope = 1.0, 0.0
            for kept in masks:
                h, slope = 4 / 3 * kept * h + 1, 4 / 3 * kept * (h + slope)
            pairs.append((h, slope))
        found = np.stack([y / x, g / x], axis=1)
        distances = np.abs(found[:, None] - np.array(pairs)).max(axis=2)
        assert distances.min(axis=1).max() < 1e-9, name
        assert len(np.unique(np.round(y / x, 6))) == 4, name
        assert not np.array_equal(y, model.run("step", x)[0]), name


if __name__ == "__main__":
    run_tests([test_any_value, test_unconnected, test_stop, test_intermediate, test_losses, test_shared, test_order,
               test_kinks, test_products, test_zeros_in_a_product, test_variable_read_twice, test_counters,
               test_assigned_in_a_loop, test_dropout_in_a_loop])
