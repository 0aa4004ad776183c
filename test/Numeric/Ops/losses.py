# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Activations and losses at the edges: exact values, large numbers, 16 bits.

Values and gradients in general are those of the goldens; here are worked
examples (X5, X6), what happens at kinks (G12), and where a formula in plain
form would overflow or cancel.
"""

from typing import Any, Callable, Dict, List, Sequence, Tuple

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from cases import tensor
from configurations import ALL, IN_PROCESS, configurations, expect_close, expect_error, run_tests

Array = NDArray[Any]


def with_gradient(name: str, args: Sequence[str], wrt: int, result: str, body: str) -> str:
    """A function that returns `%y` and its gradient with respect to one argument."""
    head = ", ".join(f"%a{i}: {kind}" for i, kind in enumerate(args))
    target = args[wrt]
    return (f"func.func @{name}({head}) -> ({result}, {target}) {{\n  {body}\n"
            f"  %g = train.gradient %y wrt %a{wrt} : ({result}, {target}) -> {target}\n"
            f"  return %y, %g : {result}, {target}\n}}\n")


def check(text: str, cases: Sequence[Tuple[str, List[Array], Any, Any]], names: Sequence[str] = ALL,
          tolerance: float = 1e-9) -> None:
    """Values and gradients of the functions of `text`, by name."""
    for configuration, model in configurations(text, names):
        model.initialize()
        for name, inputs, value, gradient in cases:
            found = model.run(name, *inputs)
            expect_close(f"{configuration} {name} value", found[0], value, tolerance)
            expect_close(f"{configuration} {name} gradient", found[1], gradient, tolerance)


def test_x5_x6() -> None:
    """X5, X6: worked examples."""
    row, pair = "tensor<1x3xf64>", "tensor<2x2xf64>"
    text = with_gradient(
        "sparse", (row, "tensor<1xi32>"), 0, "tensor<f64>",
        f"%y = nn.sparse_softmax_cross_entropy %a0, %a1 : ({row}, tensor<1xi32>) -> tensor<f64>")
    text += with_gradient("dense", (row, row), 0, "tensor<f64>",
                          f"%y = nn.softmax_cross_entropy %a0, %a1 : ({row}, {row}) -> tensor<f64>")
    text += with_gradient("log", (row,), 0, row, f"%y = nn.log_softmax %a0 : {row}")
    text += with_gradient(
        "sigmoid", ("tensor<f64>", "tensor<f64>"), 0, "tensor<f64>",
        "%y = nn.sigmoid_cross_entropy %a0, %a1 : (tensor<f64>, tensor<f64>) -> tensor<f64>")
    text += with_gradient("square", (pair, pair), 0, "tensor<f64>",
                          f"%y = nn.mean_squared_error %a0, %a1 : ({pair}, {pair}) -> tensor<f64>")
    text += with_gradient("l2", (pair,), 0, "tensor<f64>", f"%y = nn.l2_loss %a0 : {pair} -> tensor<f64>")
    text += with_gradient("categorical", (row, row), 0, "tensor<f64>",
                          f"%y = nn.categorical_crossentropy %a0, %a1 : ({row}, {row}) -> tensor<f64>")
    logits, third = np.array([[1.0, 2, 3]]), np.array([[0.0, 0, 1]])
    share = np.array([[0.0900305732, 0.2447284711, 0.6652409558]])
    p, t = np.array([[1.0, 2], [3, 5]]), np.array([[0.0, 2], [3, 1]])
    # Keras renormalises (2, 3, 5) to (.2, .3, .5): -log .5, of gradient 1/10 - t/p.
    keras = np.array([[2.0, 3, 5]])
    check(text, [
        ("sparse", [logits, np.array([2], np.int32)], 0.4076059644, share - third),
        ("dense", [logits, third], 0.4076059644, share - third),
        ("log", [logits], [[-2.4076059644, -1.4076059644, -0.4076059644]], 1 - 3 * share),
        ("sigmoid", [np.array(2.0), np.array(1.0)], 0.1269280110, -0.1192029220),
        ("sigmoid", [np.array(0.0), np.array(0.25)], np.log(2), 0.25),
        ("square", [p, t], 4.25, [[0.5, 0], [0, 2]]),
        ("l2", [p], 19.5, p),
        ("categorical", [keras, third], np.log(2), [[0.1, 0.1, -0.1]]),
        # A probability of 0 is cut off: the loss is finite, and flat.
        ("categorical", [np.array([[1.0, 0, 0]]), third], -np.log(1e-7), [[0, 0, 0]]),
    ], tolerance=1e-9)


LARGE = np.array([[-1e4, 0, 1e4, 5e3]])


def stable_softmax(x: Array) -> Array:
    e = np.exp(x - x.max(-1, keepdims=True))
    return np.asarray(e / e.sum(-1, keepdims=True))


def test_large_numbers() -> None:
    """Logits of +-1e4: finite values and gradients, in f64 and f32."""
    sigmoid = 1 / (1 + np.exp(-np.clip(LARGE, -700, 700)))
    z = np.array([[1.0, 0.5, 0, 1]])
    share = stable_softmax(LARGE)
    logs = np.array([[-2e4, -1e4, 0, -5e3]])
    error = LARGE - z
    positive = np.maximum(LARGE, 0)
    scale, alpha = 1.0507009873554805, 1.6732632423543772
    step = (LARGE > 0).astype(float)
    # The op, what it has besides x, its value, and the gradient of the sum.
    unary: Dict[str, Tuple[str, Array, Array]] = {
        "nn.sigmoid": ("", sigmoid, sigmoid * (1 - sigmoid)),
        "nn.softplus": ("", np.logaddexp(0, LARGE), sigmoid),
        "nn.silu": ("", LARGE * sigmoid, sigmoid + LARGE * sigmoid * (1 - sigmoid)),
        "nn.gelu": ("", positive, np.array([[0, 0.5, 1, 1]])),
        "nn.gelu {approximate}": ("", positive, np.array([[0, 0.5, 1, 1]])),
        "nn.elu": ("", np.array([[-1, 0, 1e4, 5e3]]), np.array([[0, 1, 1, 1]])),
        "nn.selu": ("", scale * np.array([[-alpha, 0, 1e4, 5e3]]), scale * np.array([[0, alpha, 1, 1]])),
        "nn.leaky_relu": ("alpha 0.25", np.where(LARGE > 0, LARGE, LARGE / 4), np.where(LARGE > 0, 1, 0.25)),
        "nn.relu6": ("", np.clip(LARGE, 0, 6), np.zeros((1, 4))),
        "nn.hard_sigmoid": ("", np.clip(0.2 * LARGE + 0.5, 0, 1), np.array([[0, 0.2, 0, 0]])),
        "nn.softsign": ("", LARGE / (1 + np.abs(LARGE)), 1 / (1 + np.abs(LARGE)) ** 2),
        "nn.relu": ("", positive, step),
        "nn.softmax": ("", share, np.zeros((1, 4))),
        "nn.log_softmax": ("", logs, 1 - 4 * share),
    }
    binary: Dict[str, Tuple[str, Any, Array]] = {
        "nn.sigmoid_cross_entropy": ("none", positive - LARGE * z + np.log1p(np.exp(-np.abs(LARGE))), sigmoid - z),
        "nn.softmax_cross_entropy": ("none", [-(z * logs).sum()], share * z.sum() - z),
        "nn.mean_squared_error": ("none", [np.mean(error**2)], error / 2),
        "nn.mean_absolute_error": ("none", [np.mean(np.abs(error))], np.sign(error) / 4),
        "nn.huber": ("none", [(3 * -0.5 + np.abs(error[0, [0, 2, 3]]).sum() + 0.125) / 4],
                     np.array([[-1, -0.5, 1, 1]]) / 4),
        "nn.hinge": ("none", [np.mean(np.maximum(1 - z * LARGE, 0))], np.where(z * LARGE < 1, -z, 0) / 4),
        "nn.log_cosh": ("none", [np.mean(np.logaddexp(error, -error) - np.log(2))], np.tanh(error) / 4),
    }
    for element, dtype, tolerance in (("f64", np.float64, 1e-9), ("f32", np.float32, 1e-5)):
        kind, row = tensor((1, 4), element), tensor((1,), element)
        text = ""
        cases: List[Tuple[str, List[Array], Any, Any]] = []
        for i, (op, (clause, value, gradient)) in enumerate(unary.items()):
            name, _, attribute = op.partition(" ")
            text += with_gradient(f"u{i}", (kind,), 0, kind, f"%y = {name} %a0 {clause} {attribute} : {kind}")
            cases.append((f"u{i}", [LARGE.astype(dtype)], value, gradient))
        for i, (op, (reduction, value, gradient)) in enumerate(binary.items()):
            result = kind if np.ndim(value) == 2 else row
            text += with_gradient(f"b{i}", (kind, kind), 0, result,
                                  f"%y = {op} %a0, %a1 reduction {reduction} : ({kind}, {kind}) -> {result}")
            cases.append((f"b{i}", [LARGE.astype(dtype), z.astype(dtype)], value, gradient))
        check(text, cases, IN_PROCESS, tolerance)


def test_kinks() -> None:
    """G12: which way a derivative goes at a kink."""
    kind = "tensor<3xf64>"
    bounds = ("%low = arith.constant dense<-1.0> : tensor<3xf64>\n"
              "  %high = arith.constant dense<1.0> : tensor<3xf64>\n"
              f"  %y = math.clampf %a0 to [%low, %high] : {kind}")
    text = with_gradient("clip", (kind,), 0, kind, bounds)
    text += with_gradient("relu6", (kind,), 0, kind, f"%y = nn.relu6 %a0 : {kind}")
    text += with_gradient("leaky", (kind,), 0, kind, f"%y = nn.leaky_relu %a0 alpha 0.5 : {kind}")
    text += with_gradient("elu", (kind,), 0, kind, f"%y = nn.elu %a0 alpha 0.5 : {kind}")
    text += with_gradient("hard", (kind,), 0, kind, f"%y = nn.hard_sigmoid %a0 : {kind}")
    text += with_gradient("hinge", (kind, kind), 0, "tensor<f64>",
                          f"%y = nn.hinge %a0, %a1 reduction sum : ({kind}, {kind}) -> tensor<f64>")
    text += with_gradient("absolute", (kind, kind), 0, "tensor<f64>",
                          f"%y = nn.mean_absolute_error %a0, %a1 : ({kind}, {kind}) -> tensor<f64>")
    text += with_gradient("max", (kind, kind), 0, kind, f"%y = arith.maximumf %a0, %a1 : {kind}")
    text += with_gradient("max_second", (kind, kind), 1, kind, f"%y = arith.maximumf %a0, %a1 : {kind}")
    edges, ones = np.array([-1.0, 0, 1]), np.ones(3)
    check(text, [
        ("clip", [edges], edges, ones),
        ("clip", [2 * edges], edges, [0, 1, 0]),
        ("relu6", [np.array([0.0, 6, 3])], [0, 6, 3], [0, 0, 1]),
        ("leaky", [edges], [-0.5, 0, 1], [0.5, 0.5, 1]),
        ("elu", [np.zeros(3)], np.zeros(3), 0.5 * ones),
        ("hard", [np.array([-2.5, 0, 2.5])], [0, 0.5, 1], 0.2 * ones),
        ("hinge", [ones, ones], 0, -ones / 3),
        ("absolute", [edges, edges], 0, 0 * ones),
        ("max", [edges, edges], edges, ones),
        ("max_second", [edges, edges], edges, 0 * ones),
    ], IN_PROCESS)


def test_small_errors() -> None:
    """log(cosh(e)) is e^2 / 2 for a small e: no cancellation to 0."""
    kind = "tensor<1xf32>"
    text = with_gradient("f", (kind, kind), 0, "tensor<f32>",
                         f"%y = nn.log_cosh %a0, %a1 : ({kind}, {kind}) -> tensor<f32>")
    for configuration, model in configurations(text, IN_PROCESS):
        model.initialize()
        for error in (1e-2, 1e-3):
            value, gradient = model.run("f", np.array([error], np.float32), np.zeros(1, np.float32))
            np.testing.assert_allclose(value, error**2 / 2, rtol=1e-3, err_msg=configuration)
            np.testing.assert_allclose(gradient, [error], rtol=1e-3, err_msg=configuration)


def test_sixteen_bits() -> None:
    """V3: f16 and bf16 compute in f32 and round once, values and gradients."""
    rng = np.random.default_rng(5)
    x, t = rng.standard_normal((5, 9)), rng.uniform(0.1, 0.9, (5, 9))
    formulas: Dict[str, Callable[[Array, Array], Tuple[Any, Array]]] = {
        "nn.mean_squared_error": lambda p, z: (np.mean((p - z) ** 2), 2 * (p - z) / p.size),
        "nn.sigmoid_cross_entropy": lambda p, z: (
            np.mean(np.logaddexp(0, p) - p * z), (1 / (1 + np.exp(-p)) - z) / p.size),
        "nn.log_cosh": lambda p, z: (np.mean(np.log(np.cosh(p - z))), np.tanh(p - z) / p.size),
    }
    for element, dtype, unit in (("f16", np.float16, 2.0**-10), ("bf16", ml_dtypes.bfloat16, 2.0**-7)):
        kind, scalar = f"tensor<?x9x{element}>", f"tensor<{element}>"
        text = "".join(
            with_gradient(f"f{i}", (kind, kind), 0, scalar, f"%y = {op} %a0, %a1 : ({kind}, {kind}) -> {scalar}")
            for i, op in enumerate(formulas))
        text += with_gradient("silu", (kind,), 0, kind, f"%y = nn.silu %a0 : {kind}")
        text += with_gradient("l2", (kind,), 0, scalar, f"%y = nn.l2_loss %a0 : {kind} -> {scalar}")
        p, z = x.astype(dtype), t.astype(dtype)
        wide, other = p.astype(np.float64), z.astype(np.float64)
        s = 1 / (1 + np.exp(-wide))
        for configuration, model in configurations(text, IN_PROCESS):
            model.initialize()

            def expect(what: str, found: Tuple[Array, Array], expected: Tuple[Any, Array], slack: float) -> None:
                for name, got, want in zip(("value", "gradient"), found, expected):
                    assert got.dtype == np.dtype(dtype), (what, got.dtype)  # noqa: B023
                    np.testing.assert_allclose(got.astype(np.float64), want, rtol=slack * unit,  # noqa: B023
                                               atol=1e-7, err_msg=f"{configuration} {what} {name}")  # noqa: B023

            for i, (op, formula) in enumerate(formulas.items()):
                # If softmax or sigmoid is rounded before a difference, more.
                expect(f"{element} {op}", model.run(f"f{i}", p, z), formula(wide, other), 2)
            expect(f"{element} silu", model.run("silu", p), (wide * s, s + wide * s * (1 - s)), 2)
            # A sum that no step of f16 may round: 300 squares of 10 and more.
            many = np.full((300, 9), 3.0, dtype)
            expect(f"{element} l2", model.run("l2", many), (12150.0, many.astype(np.float64)), 1)


def test_mixed_dim_sizes() -> None:
    """X11: dimension sizes that only one of two types knows."""
    a, b = "tensor<3x?xf64>", "tensor<?x4xf64>"
    text = with_gradient("square", (a, b), 0, "tensor<3xf64>",
                         f"%y = nn.mean_squared_error %a0, %a1 reduction none : ({a}, {b}) -> tensor<3xf64>")
    text += with_gradient("sigmoid", (a, b), 1, "tensor<3x4xf64>",
                          f"%y = nn.sigmoid_cross_entropy %a0, %a1 reduction none : ({a}, {b}) -> tensor<3x4xf64>")
    # An entry returns what its feeds' dimension sizes say: here the types know more.
    text = text.replace(f"-> (tensor<3xf64>, {a})", "-> (tensor<3xf64>, tensor<3x4xf64>)").replace(
        f"-> (tensor<3x4xf64>, {b})", "-> (tensor<3x4xf64>, tensor<3x4xf64>)")
    for kind in (a, b):
        text = text.replace(f"-> {kind}\n  return %y, %g", f"-> {kind}\n  %h = tensor.cast %g : {kind} to "
                            "tensor<3x4xf64>\n  return %y, %h")
    text = text.replace(f", {a}\n}}", ", tensor<3x4xf64>\n}").replace(f", {b}\n}}", ", tensor<3x4xf64>\n}")
    rng = np.random.default_rng(6)
    x, z = rng.standard_normal((3, 4)), rng.standard_normal((3, 4))
    check(text, [("square", [x, z], ((x - z) ** 2).mean(1), (x - z) / 2),
                 ("sigmoid", [x, z], np.logaddexp(0, x) - x * z, -x)], IN_PROCESS)
    for configuration, model in configurations(text, IN_PROCESS):
        model.initialize()
        expect_error(configuration,
                     "equal sizes of dimension 1 of prediction and dimension 1 of target, found 5 and 4 in "
                     "'nn.mean_squared_error'",
                     lambda: model.run("square", np.ones((3, 5)), z))  # noqa: B023


def test_dynamic_classes() -> None:
    """X6: labels of every integer type, and a number of classes that no type says."""
    rng = np.random.default_rng(7)
    for integer, dtype in (("i8", np.int8), ("i32", np.int32), ("i64", np.int64)):
        for rows, dim_sizes in (("?", (5,)), ("?x2", (3, 2))):
            kind, labels = f"tensor<{rows}x?xf64>", f"tensor<{rows}x{integer}>"
            text = with_gradient("mean", (kind, labels), 0, "tensor<f64>",
                                 f"%y = nn.sparse_softmax_cross_entropy %a0, %a1 : ({kind}, {labels}) -> tensor<f64>")
            z = rng.standard_normal((*dim_sizes, 7))
            label = rng.integers(0, 7, dim_sizes).astype(dtype)
            softmax = np.exp(z) / np.exp(z).sum(-1, keepdims=True)
            hot = np.eye(7)[label]
            value = -np.log((softmax * hot).sum(-1)).mean()
            check(text, [("mean", [z, label], value, (softmax - hot) / label.size)], IN_PROCESS)


run_tests([test_dynamic_classes, test_mixed_dim_sizes, test_x5_x6, test_large_numbers, test_kinks, test_small_errors,
           test_sixteen_bits])
