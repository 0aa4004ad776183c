# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""train.least_squares against the contract's numbers and a NumPy reference, in each configuration (L1-L13)."""

from typing import Any, Callable, Dict, List, Tuple

import numpy as np
from numpy.typing import NDArray

from configurations import configurations, expect_close, expect_equal, expect_error, run_tests

Array = NDArray[Any]
Function = Callable[[Array], Array]


def expect_relative(what: str, found: Any, expected: Any, tolerance: float) -> None:
    """Compares numbers that may be small, each to its own digits."""
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=0, err_msg=what)


def solve(jacobian: Array, residuals: Array, regularizer: float) -> Array:
    """The step of the smaller system."""
    m, n = jacobian.shape
    if m >= n:
        return np.asarray(np.linalg.solve(jacobian.T @ jacobian + regularizer * np.eye(n), jacobian.T @ residuals))
    return np.asarray(jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + regularizer * np.eye(m), residuals))


def reference(residuals: Function, jacobian: Function, x: Array, iterations: int, regularizer: float = 1e-20,
              multiplier: float = 10.0) -> List[Tuple[float, bool, float, Array]]:
    """After each iteration: objective, accepted, regularizer, x."""
    x = np.array(x, np.float64)
    objective = 0.5 * float((residuals(x)**2).sum())
    history = []
    for _ in range(iterations):
        candidate = x - solve(jacobian(x), residuals(x), regularizer)
        new = 0.5 * float((residuals(candidate)**2).sum())
        accepted = new < objective
        if accepted:
            x, objective = candidate, new
        else:
            regularizer *= multiplier
        history.append((objective, accepted, regularizer, x))
    return history


def body(m: Any, kind: str = "f64") -> str:
    """a exp(b t) - y of scalars %a and %b and vectors %t and %y."""
    vector = f"tensor<{m}x{kind}>"
    like = " like %t" if m == "?" else ""
    types = f"(tensor<{kind}>, {vector})" if m == "?" else f"(tensor<{kind}>)"
    return f"""
    %as = nn.broadcast %a dims []{like} : {types} -> {vector}
    %bs = nn.broadcast %b dims []{like} : {types} -> {vector}
    %bt = arith.mulf %bs, %t : {vector}
    %e = math.exp %bt : {vector}
    %model = arith.mulf %as, %e : {vector}
    %r = arith.subf %model, %y : {vector}
    train.residuals %r : {vector}
"""


def curve(m: Any, iterations: int, kind: str = "f64", options: str = "") -> str:
    """An entry that fits the curve to start values, with the history."""
    x, vector, scalar = f"tensor<2x{kind}>", f"tensor<{m}x{kind}>", f"tensor<{kind}>"
    n = iterations
    results = f"({scalar}, {x}, tensor<{n}x{kind}>, tensor<{n}xi1>, tensor<{n}x{kind}>)"
    return f"""
func.func @fit(%start: {x}, %t: {vector}, %y: {vector}) -> {results} {{
  %o:5 = train.least_squares %start max_iterations {n} {options} history : ({x}) -> {results} {{
  ^bb0(%x: {x}):
    %a = tensor.extract_slice %x[0] [1] [1] : {x} to {scalar}
    %b = tensor.extract_slice %x[1] [1] [1] : {x} to {scalar}
    {body(m, kind)}
  }}
  return %o#0, %o#1, %o#2, %o#3, %o#4 : {results[1:-1]}
}}
"""


T = np.arange(4.0)
Y = 2 * np.exp(-T / 2)


def curve_residuals(v: Array) -> Array:
    return np.asarray(v[0] * np.exp(v[1] * T) - Y)


def curve_jacobian(v: Array) -> Array:
    return np.stack([np.exp(v[1] * T), v[0] * T * np.exp(v[1] * T)], 1)


def test_worked_example() -> None:
    """L4, L8: objectives and x of each iteration; static and dynamic numbers of residuals; f32."""
    objectives = [.0162869903, 3.7871248e-06, 5.67e-12]
    xs = [(1.8695483519, -.5138521476), (1.9999548480, -.4988073709), (1.9999996551, -.4999984628)]
    for m in (4, "?"):
        for n in (1, 2, 3):
            for configuration, model in configurations(curve(m, n)):
                objective, x, history, accepted, regularizers = model.run("fit", np.array([1.0, 0.0]), T, Y)
                expect_close(configuration, x, np.array(xs[n - 1]), 1e-9)
                expect_relative(configuration, history[2:], np.array(objectives[2:n]), 1e-3)
                expect_relative(configuration, history[:2], np.array(objectives[:n][:2]), 1e-7)
                expect_equal(configuration, objective, history[-1])
                expect_equal(configuration, accepted, np.ones(n, np.bool_))
                expect_equal(configuration, regularizers, np.full(n, 1e-20))
    # A step too short to change x is rejected: what it keeps is the objective at the start.
    for configuration, model in configurations(curve(4, 1, options="regularizer 1.0e30")):
        objective, x, _, accepted, _ = model.run("fit", np.array([1.0, 0.0]), T, Y)
        expect_close(configuration, objective, np.array(.7109230635), 1e-9)
        expect_equal(configuration, x, np.array([1.0, 0.0]))
        expect_equal(configuration, accepted, np.array([False]))
    for configuration, model in configurations(curve("?", 3, "f32")):
        objective, x, history, _, _ = model.run("fit", np.array([1.0, 0.0], np.float32), T.astype(np.float32),
                                                Y.astype(np.float32))
        expect_close(configuration, x, np.array([2.0, -0.5], np.float32), 1e-4)
        expect_relative(configuration, history[:2], np.array(objectives[:2]), 1e-2)


def test_rejections() -> None:
    """L5, L2: rejected iterations multiply the regularizer, and keep x and the objective."""
    text = """
func.func @fit(%start: tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<5xf64>, tensor<5xi1>, tensor<5xf64>) {
  %o:5 = train.least_squares %start max_iterations 5 regularizer 1.0e-3 multiplier 10.0 history
      : (tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<5xf64>, tensor<5xi1>, tensor<5xf64>) {
  ^bb0(%x: tensor<f64>):
    %r = math.atan %x : tensor<f64>
    train.residuals %r : tensor<f64>
  }
  return %o#0, %o#1, %o#2, %o#3, %o#4 : tensor<f64>, tensor<f64>, tensor<5xf64>, tensor<5xi1>, tensor<5xf64>
}
"""
    for configuration, model in configurations(text):
        objective, x, history, accepted, regularizers = model.run("fit", np.array(2.0))
        xs = np.array([.0092600635, .0008414740])
        expect_close(configuration, history[:3], np.array([.6128891417, .6128891417, .0784999858]), 1e-8)
        expect_relative(configuration, history[3:], np.arctan(xs)**2 / 2, 1e-6)
        expect_relative(configuration, x, xs[1], 1e-6)
        expect_equal(configuration, objective, history[-1])
        expect_equal(configuration, accepted, np.array([False, False, True, True, True]))
        expect_close(configuration, regularizers, np.array([.01, .1, .1, .1, .1]), 1e-12)
    # The candidates of the two rejected iterations, with the Gauss-Newton step in NumPy.
    still = text.replace("regularizer 1.0e-3", "regularizer 1.0e30")
    for configuration, model in configurations(still):
        for regularizer, expected in ((1e-3, .8253589025), (1e-2, .6964273828)):
            slope = 1 / (1 + 2.0**2)
            candidate = 2 - slope * np.arctan(2.0) / (slope**2 + regularizer)
            objective, x, _, accepted, _ = model.run("fit", np.array(candidate))
            expect_close(configuration, objective, np.array(expected), 1e-9)
            expect_equal(configuration, x, np.array(candidate))
            expect_equal(configuration, accepted, np.zeros(5, np.bool_))
    one = text.replace("max_iterations 5", "max_iterations 3").replace("tensor<5x", "tensor<3x")
    for configuration, model in configurations(one):
        expect_close(configuration, model.run("fit", np.array(2.0))[1], np.array(.4183589746), 1e-9)


def linear(m: Any, regularizer: str, solver: str = "") -> str:
    return f"""
func.func @fit(%start: tensor<2xf64>, %a: tensor<{m}x2xf64>, %y: tensor<{m}xf64>) -> (tensor<f64>, tensor<2xf64>) {{
  %o, %v = train.least_squares %start max_iterations 1 {regularizer} {solver}
      : (tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>) {{
  ^bb0(%x: tensor<2xf64>):
    %c = tensor.expand_shape %x [[0, 1]] output_shape [2, 1] : tensor<2xf64> into tensor<2x1xf64>
    %p = nn.matmul %a, %c : (tensor<{m}x2xf64>, tensor<2x1xf64>) -> tensor<{m}x1xf64>
    %f = tensor.collapse_shape %p [[0, 1]] : tensor<{m}x1xf64> into tensor<{m}xf64>
    %r = arith.subf %f, %y : tensor<{m}xf64>
    train.residuals %r : tensor<{m}xf64>
  }}
  return %o, %v : tensor<f64>, tensor<2xf64>
}}
"""


def test_linear_systems() -> None:
    """L6, L7: over- and underdetermined ones, of static and dynamic sizes, by both solvers."""
    line = np.stack([np.ones(4), np.arange(4.0)], 1)
    row = np.array([[1.0, 2.0]])
    cases: List[Tuple[Array, List[float], Dict[str, Tuple[List[float], float]]]] = [
        (line, [1, 3, 4, 8], {"": ([.7, 2.2], .9), "regularizer 1.0": ([.76923077, 2.02564103], 1.0499671269)}),
        (row, [3], {"": ([.6, 1.2], 0.0), "regularizer 0.5": ([.5454545455, 1.0909090909], .0371900826)})]
    for matrix, values, results in cases:
        for m in (len(values), "?"):
            for solver in ("", "solver cg cg_tolerance 1.0e-14"):
                for regularizer, (x, objective) in results.items():
                    for configuration, model in configurations(linear(m, regularizer, solver)):
                        found = model.run("fit", np.zeros(2), matrix, np.array(values, np.float64))
                        expect_close(f"{configuration} {solver}", found[0], np.array(objective), 1e-8)
                        expect_close(f"{configuration} {solver}", found[1], np.array(x), 1e-8)


def test_variables() -> None:
    """L9: one iteration for each batch; the variables are x, and lambda starts again in each call."""
    text = f"""
train.variable @a : tensor<f64> = dense<1.0> : tensor<f64>
train.variable @b : tensor<f64> = dense<0.0> : tensor<f64>
func.func @step(%t: tensor<?xf64>, %y: tensor<?xf64>) -> (tensor<f64>, tensor<1xf64>) {{
  %o, %os, %accepted, %ls = train.least_squares over [@a, @b] max_iterations 1 regularizer 0.1 history
      : () -> (tensor<f64>, tensor<1xf64>, tensor<1xi1>, tensor<1xf64>) {{
    %a = train.read @a : tensor<f64>
    %b = train.read @b : tensor<f64>
    {body("?")}
  }}
  return %o, %ls : tensor<f64>, tensor<1xf64>
}}
func.func @objective(%t: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<f64> {{
  %o = train.least_squares over [@a, @b] max_iterations 1 regularizer 1.0e30 : () -> tensor<f64> {{
    %a = train.read @a : tensor<f64>
    %b = train.read @b : tensor<f64>
    {body("?")}
  }}
  return %o : tensor<f64>
}}
func.func @fit(%t: tensor<4xf64>, %y: tensor<4xf64>) -> tensor<f64> {{
  %o = train.least_squares over [@a, @b] max_iterations 3 on_failure reject : () -> tensor<f64> {{
    %a = train.read @a : tensor<f64>
    %b = train.read @b : tensor<f64>
    {body(4)}
  }}
  return %o : tensor<f64>
}}
"""
    steps = [((0, 1, 3), .6760113794, .0202129353, (1.8133102182, -.4654850091)),
             ((0, 2, 3), .0176502132, .0001565533, (1.9824401373, -.4970750855)),
             ((0, 1, 3), .0001795823, .0000012985, (1.9984597619, -.4994526114))]
    for configuration, model in configurations(text):
        model.initialize()
        for rows, old, objective, (a, b) in steps:
            selected = np.array(rows)
            expect_close(configuration, model.run("objective", T[selected], Y[selected]), np.array(old), 1e-9)
            found, regularizer = model.run("step", T[selected], Y[selected])
            expect_relative(configuration, found, objective, 1e-4)
            expect_close(configuration, model["a"], np.array(a), 1e-9)
            expect_close(configuration, model["b"], np.array(b), 1e-9)
            expect_equal(configuration, regularizer, np.array([.1]))
        model.initialize()
        expect_relative(configuration, model.run("fit", T, Y), 5.67e-12, 1e-3)
        expect_close(configuration, model["a"], np.array(1.9999996551), 1e-9)
        expect_close(configuration, model["b"], np.array(-.4999984628), 1e-9)


def test_failed_factorization() -> None:
    """L3: an error that changes nothing, or a rejected iteration, after which it may go on."""
    # The second column of J is 0: without a regularizer the matrix is singular.
    variable = "train.variable @x : tensor<2xf64> = dense<[0.0, 3.0]> : tensor<2xf64>"

    def entry(name: str, regularizer: str, options: str) -> str:
        return f"""
func.func @{name}() -> (tensor<f64>, tensor<4xi1>, tensor<4xf64>) {{
  %o, %os, %accepted, %ls = train.least_squares over [@x] max_iterations 4 regularizer {regularizer} {options} history
      : () -> (tensor<f64>, tensor<4xf64>, tensor<4xi1>, tensor<4xf64>) {{
    %x = train.read @x : tensor<2xf64>
    %z = arith.constant dense<[1.0, 0.0]> : tensor<2xf64>
    %s = arith.mulf %x, %z : tensor<2xf64>
    %r = arith.subf %s, %z : tensor<2xf64>
    train.residuals %r : tensor<2xf64>
  }}
  return %o, %accepted, %ls : tensor<f64>, tensor<4xi1>, tensor<4xf64>
}}
"""

    module = (variable + entry("fails", "0.0", "") + entry("rejects", "0.0", "on_failure reject") +
              entry("works", "1.0e-20", "on_failure reject"))
    for configuration, model in configurations(module):
        model.initialize()
        expect_error(configuration, "Cholesky decomposition was not successful in 'train.least_squares' at .*",
                     lambda: model.run("fails"))
        expect_equal(configuration, model["x"], np.array([0.0, 3.0]))
        objective, accepted, regularizers = model.run("rejects")
        expect_equal(configuration, objective, np.array(.5))
        expect_equal(configuration, accepted, np.zeros(4, np.bool_))
        expect_equal(configuration, regularizers, np.zeros(4))
        expect_equal(configuration, model["x"], np.array([0.0, 3.0]))
        objective, accepted, _ = model.run("works")
        expect_close(configuration, objective, np.array(0.0), 1e-12)
        expect_close(configuration, model["x"], np.array([1.0, 3.0]), 1e-12)


def rosenbrock(v: Array) -> Array:
    return np.asarray([10 * (v[1] - v[0]**2), 1 - v[0]])


def rosenbrock_jacobian(v: Array) -> Array:
    return np.array([[-20 * v[0], 10.0], [-1.0, 0.0]])


def rosenbrock_entry(name: str, iterations: int, regularizer: str, operand: str = "") -> str:
    """Two residuals over two scalar variables; the damping may be an operand."""
    n, feeds = iterations, f"%l: {operand}" if operand else ""
    return f"""
func.func @{name}({feeds}) -> (tensor<{n}xf64>, tensor<{n}xi1>, tensor<{n}xf64>) {{
  %o:4 = train.least_squares over [@a, @b] max_iterations {n} regularizer {regularizer} history
      : ({operand}) -> (tensor<f64>, tensor<{n}xf64>, tensor<{n}xi1>, tensor<{n}xf64>) {{
    %a = train.read @a : tensor<f64>
    %b = train.read @b : tensor<f64>
    %ten = arith.constant dense<10.0> : tensor<f64>
    %one = arith.constant dense<1.0> : tensor<f64>
    %s = arith.mulf %a, %a : tensor<f64>
    %d = arith.subf %b, %s : tensor<f64>
    %r0 = arith.mulf %ten, %d : tensor<f64>
    %r1 = arith.subf %one, %a : tensor<f64>
    train.residuals %r0, %r1 : tensor<f64>, tensor<f64>
  }}
  return %o#1, %o#2, %o#3 : tensor<{n}xf64>, tensor<{n}xi1>, tensor<{n}xf64>
}}
"""


def test_callback() -> None:
    """L11: the history of 12 iterations is that of 12 calls of one, with the regularizer passed on."""
    text = """
train.variable @a : tensor<f64> = dense<-1.2> : tensor<f64>
train.variable @b : tensor<f64> = dense<1.0> : tensor<f64>
""" + rosenbrock_entry("all", 12, "1.0") + rosenbrock_entry("one", 1, "%l", "tensor<f64>")
    expected = reference(rosenbrock, rosenbrock_jacobian, np.array([-1.2, 1.0]), 12, 1.0)
    assert {accepted for _, accepted, _, _ in expected} == {False, True}
    for configuration, model in configurations(text):
        model.initialize()
        objectives, accepted, regularizers = model.run("all")
        expect_relative(configuration, objectives, [each[0] for each in expected], 1e-8)
        expect_equal(configuration, accepted, np.array([each[1] for each in expected]))
        expect_relative(configuration, regularizers, [each[2] for each in expected], 1e-12)
        model.initialize()
        regularizer = np.array([1.0])
        for number, (objective, is_accepted, after, x) in enumerate(expected):
            found = model.run("one", regularizer.reshape(()))
            regularizer = found[2]
            expect_relative(f"{configuration} {number}", found[0], [objective], 1e-8)
            expect_equal(f"{configuration} {number}", found[1], np.array([is_accepted]))
            expect_relative(f"{configuration} {number}", regularizer, [after], 1e-12)
            expect_relative(f"{configuration} {number}", [model["a"], model["b"]], x, 1e-7)


def test_composes() -> None:
    """L13: beside another optimizer, in a branch, with an index check, over part of a model, by both solvers (L10)."""
    text = """
train.variable @w : tensor<4x3xf32> = #train.random_normal<seed = 3>
train.variable @v : tensor<3x1xf32> = #train.random_normal<seed = 4>
train.variable @s : tensor<3xf32> = #train.zeros
func.func @step(%x: tensor<?x4xf32>, %y: tensor<?x1xf32>, %row: tensor<?xi32>, %flag: tensor<i1>) -> tensor<f32> {
  %take = tensor.extract %flag[] : tensor<i1>
  %o = scf.if %take -> tensor<f32> {
    %p = train.least_squares over [@w, @v] max_iterations 3 regularizer 1.0e-2 SOLVER : () -> tensor<f32> {
      %picked = nn.gather %x, %row axis 0 : (tensor<?x4xf32>, tensor<?xi32>) -> tensor<?x4xf32>
      %wanted = nn.gather %y, %row axis 0 : (tensor<?x1xf32>, tensor<?xi32>) -> tensor<?x1xf32>
      %w = train.read @w : tensor<4x3xf32>
      %v = train.read @v : tensor<3x1xf32>
      %z = nn.matmul %picked, %w : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
      %h = math.tanh %z : tensor<?x3xf32>
      %f = nn.matmul %h, %v : (tensor<?x3xf32>, tensor<3x1xf32>) -> tensor<?x1xf32>
      %r = arith.subf %f, %wanted : tensor<?x1xf32>
      train.residuals %r : tensor<?x1xf32>
    }
    scf.yield %p : tensor<f32>
  } else {
    %none = arith.constant dense<-1.0> : tensor<f32>
    scf.yield %none : tensor<f32>
  }
  %s = train.read @s : tensor<3xf32>
  %one = arith.constant dense<1.0> : tensor<3xf32>
  %d = arith.subf %s, %one : tensor<3xf32>
  %loss = nn.l2_loss %d : tensor<3xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.5> var_list [@s]
  return %o : tensor<f32>
}
"""
    rng = np.random.default_rng(7)
    x, y = rng.standard_normal((20, 4)).astype(np.float32), rng.standard_normal((20, 1)).astype(np.float32)
    rows = rng.integers(0, 20, 15).astype(np.int32)

    def residuals(p: Array) -> Array:
        return np.asarray((np.tanh(x[rows].astype(np.float64) @ p[:12].reshape(4, 3)) @ p[12:, None] - y[rows]).ravel())

    def jacobian(p: Array) -> Array:
        z = x[rows].astype(np.float64) @ p[:12].reshape(4, 3)
        inner = (1 - np.tanh(z)**2) * p[12:]
        return np.concatenate([(x[rows][:, :, None] * inner[:, None, :]).reshape(-1, 12), np.tanh(z)], 1)

    for solver in ("", "solver cg cg_iterations 60 cg_tolerance 1.0e-6"):
        for count in (15, 6):  # Over- and underdetermined.
            for configuration, model in configurations(text.replace("SOLVER", solver)):
                model.initialize()
                start = np.concatenate([model["w"].ravel(), model["v"].ravel()]).astype(np.float64)
                full = rows
                rows = full[:count]
                expected = reference(residuals, jacobian, start, 3, 1e-2)
                before = model.snapshot()
                outside = rows.copy()
                outside[2] = 20
                expect_error(configuration, "expected .* in \\[0, 20\\), found 20|found 20",
                             lambda: model.run("step", x, y, outside, np.array(True)))
                for name, value in before.items():
                    expect_equal(f"{configuration} {name}", model[name], value)
                found = model.run("step", x, y, rows, np.array(True))
                expect_relative(f"{configuration} {solver} {count}", found, expected[-1][0], 2e-2)
                weights = np.concatenate([model["w"].ravel(), model["v"].ravel()])
                np.testing.assert_allclose(weights, expected[-1][3], rtol=2e-2, atol=2e-3,
                                           err_msg=f"{configuration} {solver} {count}")
                expect_close(configuration, model["s"], np.full(3, .5, np.float32))
                expect_close(configuration, model.run("step", x, y, rows, np.array(False)), np.float32(-1))
                expect_equal(configuration, np.concatenate([model["w"].ravel(), model["v"].ravel()]), weights)
                rows = full


def test_derivative() -> None:
    """G16: a derivative of what is fitted, through iterations that are accepted and rejected."""
    text = """
func.func @f(%y: tensor<3xf64>, %start: tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>) {
  %o, %v = train.least_squares %start max_iterations 4 regularizer 1.0e-3 on_failure reject
      : (tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>) {
  ^bb0(%x: tensor<3xf64>):
    %e = math.atan %x : tensor<3xf64>
    %r = arith.subf %e, %y : tensor<3xf64>
    train.residuals %r : tensor<3xf64>
  }
  %s = nn.l2_loss %v : tensor<3xf64> -> tensor<f64>
  %g = train.gradient %s wrt %y : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  return %s, %g : tensor<f64>, tensor<3xf64>
}
"""
    y, start, step = np.array([0.0, 0.3, -0.2]), np.array([2.0, 1.0, -1.5]), 1e-6
    for configuration, model in configurations(text):
        _, gradient = model.run("f", y, start)
        differences = [(model.run("f", y + step * e, start)[0] - model.run("f", y - step * e, start)[0]) / (2 * step)
                       for e in np.eye(3)]
        np.testing.assert_allclose(gradient, differences, rtol=1e-5, atol=1e-8, err_msg=configuration)


run_tests([test_worked_example, test_rejections, test_linear_systems, test_variables, test_failed_factorization,
           test_callback, test_composes, test_derivative])
