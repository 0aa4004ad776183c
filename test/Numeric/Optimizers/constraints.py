# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Constraints of variables (O12, V13, A10)."""

from typing import Any, Callable, List, Tuple

import numpy as np
from numpy.typing import NDArray

from configurations import configurations, expect_close, expect_equal, run_tests

Array = NDArray[Any]
Projection = Callable[[Array], Array]

EPSILON = 1e-7
TYPES = {"f16": "float16", "f32": "float32", "f64": "float64"}


def norms(w: Array, axis: int) -> Array:
    return np.asarray(np.sqrt(np.sum(w * w, axis=axis, keepdims=True)))


def non_neg(w: Array) -> Array:
    return np.asarray(w * (w >= 0))


def max_norm(bound: float, axis: int) -> Projection:
    return lambda w: np.asarray(
        w * np.clip(norms(w, axis), 0, bound) / (EPSILON + norms(w, axis)))


def unit_norm(axis: int) -> Projection:
    return lambda w: np.asarray(w / (EPSILON + norms(w, axis)))


def min_max_norm(low: float, high: float, rate: float, axis: int) -> Projection:
    def project(w: Array) -> Array:
        n = norms(w, axis)
        return np.asarray(w * (rate * np.clip(n, low, high) + (1 - rate) * n) / (EPSILON + n))

    return project


def dense(values: Any) -> str:
    """The elements of a `dense` attribute."""
    if np.ndim(values) == 0:
        return repr(float(values))
    return "[" + ", ".join(dense(row) for row in values) + "]"


def tensor(shape: Tuple[int, ...], element: str) -> str:
    return f"tensor<{''.join(f'{dim_size}x' for dim_size in shape)}{element}>"


# A rate of 0: the new value before the projection is the old one.
STILL = "#train.sgd<lr = 0.0>"


def model_text(values: Array, element: str, constraint: str, optimizer: str) -> str:
    """A variable whose gradient is itself: the loss is half its square."""
    kind = tensor(values.shape, element)
    return f"""
train.variable @w : {kind} = dense<{dense(values) if values.size else ""}> : {kind} {{constraint = {constraint}}}
func.func @step() {{
  %w = train.read @w : {kind}
  %half = arith.constant dense<0.5> : {kind}
  %scaled = arith.mulf %w, %half : {kind}
  %loss = arith.mulf %scaled, %w : {kind}
  train.minimize %loss : {kind} with {optimizer}
  return
}}
func.func @set(%x: {kind}) {{
  train.assign @w, %x : {kind}
  return
}}
"""


def test_examples() -> None:
    """O12: worked examples, to 1e-6."""
    w = np.array([[3.0, 0.3], [4.0, 0.4]])
    for constraint, expected in (
        ("#train.max_norm<max = 2.0, axis = 0>", [[1.2, 0.3], [1.6, 0.4]]),
        ("#train.unit_norm", [[0.6, 0.6], [0.8, 0.8]]),
        ("#train.min_max_norm<min = 1.0, max = 2.0>", [[1.2, 0.6], [1.6, 0.8]]),
    ):
        for configuration, model in configurations(model_text(w, "f64", constraint, STILL)):
            model.initialize()
            # An initial value is not projected; only an update is.
            expect_equal(configuration, model["w"], w)
            model.run("step")
            expect_close(f"{configuration} {constraint}", model["w"], expected, 1e-6)


def cases() -> List[Tuple[str, Tuple[int, ...], Projection]]:
    return [
        ("#train.non_neg", (5, 7), non_neg),
        ("#train.non_neg", (), non_neg),
        ("#train.max_norm<max = 1.5>", (17, 9), max_norm(1.5, 0)),
        ("#train.max_norm<max = 1.5, axis = 1>", (9, 33), max_norm(1.5, 1)),
        ("#train.max_norm<max = 0.0>", (3, 4), max_norm(0.0, 0)),
        ("#train.unit_norm", (19,), unit_norm(0)),
        ("#train.unit_norm<axis = 2>", (3, 2, 5, 4), unit_norm(2)),
        ("#train.unit_norm", (0, 3), unit_norm(0)),
        ("#train.min_max_norm<min = 2.0, max = 3.0, rate = 0.25, axis = 1>", (6, 5), min_max_norm(2, 3, 0.25, 1)),
        ("#train.min_max_norm<rate = 0.0>", (6, 5), min_max_norm(0, 1, 0, 0)),
    ]


def test_shapes_and_types() -> None:
    """O12: every constraint, on axes, ranks and types."""
    rng = np.random.default_rng(1)
    for element, name in TYPES.items():
        for constraint, shape, project in cases():
            # Exact in every type; a row or column of zeros divides by epsilon.
            values = np.asarray(np.round(rng.normal(size=shape) * 64) / 64)
            if len(shape) == 2 and values.size:
                values[:, 0] = 0
            for configuration, model in configurations(model_text(values, element, constraint, STILL)):
                model.initialize()
                model.run("step")
                tolerance = 2e-3 if element == "f16" else None
                expect_close(
                    f"{configuration} {constraint} {shape} {element}",
                    model["w"],
                    project(values).astype(name),
                    tolerance)


def test_bfloat16() -> None:
    """O12: bf16 is projected in f32 and rounded once."""
    values = np.array([[3.0, 0.25], [4.0, 0.5]])
    for configuration, model in configurations(model_text(values, "bf16", "#train.unit_norm", STILL)):
        model.initialize()
        model.run("step")
        bits = model["w"].view(np.uint16).astype(np.uint32) << 16
        expect_close(configuration, bits.view(np.float32), unit_norm(0)(values), 2**-8)


def test_steps() -> None:
    """O12, V13: with momentum, over steps; slots and assignments are as without."""
    rng = np.random.default_rng(2)
    for constraint, project in (
        ("#train.non_neg", non_neg),
        ("#train.max_norm<max = 1.0>", max_norm(1.0, 0)),
        ("#train.unit_norm<axis = 1>", unit_norm(1)),
    ):
        values = np.asarray(np.round(rng.normal(size=(13, 21)) * 1024) / 1024)
        text = model_text(values, "f64", constraint, "#train.sgd<lr = 0.1, momentum = 0.9>")
        for configuration, model in configurations(text):
            model.initialize()
            w, v = values.copy(), np.zeros_like(values)
            for _ in range(5):
                model.run("step")
                v = 0.9 * v - 0.1 * w
                w = project(w + v)
                expect_close(f"{configuration} {constraint}", model["w"], w)
                expect_close(f"{configuration} {constraint}", model["w/SGD"], v)
            model.run("set", values)
            expect_equal(configuration, model["w"], values)


def test_layer() -> None:
    """O12, A10: of a layer whose gradient is a contraction, in one step with others."""
    rng = np.random.default_rng(3)
    rows, columns, outputs = 12, 37, 19
    text = f"""
train.variable @w : tensor<{columns}x{outputs}xf64> = #train.random_normal<seed = 1> {{
  constraint = #train.max_norm<max = 2.0>
}}
train.variable @b : tensor<{outputs}xf64> = #train.random_normal<seed = 2> {{constraint = #train.non_neg}}
func.func @step(%x: tensor<?x{columns}xf64>) -> tensor<?x{outputs}xf64> {{
  %w = train.read @w : tensor<{columns}x{outputs}xf64>
  %b = train.read @b : tensor<{outputs}xf64>
  %y = nn.dense %x, %w, %b
      : (tensor<?x{columns}xf64>, tensor<{columns}x{outputs}xf64>, tensor<{outputs}xf64>) -> tensor<?x{outputs}xf64>
  %loss = arith.mulf %y, %y : tensor<?x{outputs}xf64>
  train.minimize %loss : tensor<?x{outputs}xf64> with #train.adam<lr = 0.1>
  return %y : tensor<?x{outputs}xf64>
}}
"""
    x = np.asarray(rng.normal(size=(rows, columns)))
    for configuration, model in configurations(text):
        model.initialize()
        w, b = model["w"], model["b"]
        slots = {name: (np.zeros_like(p), np.zeros_like(p)) for name, p in (("w", w), ("b", b))}
        for t in range(1, 4):
            y = model.run("step", x)
            expect_close(configuration, y, x @ w + b, 1e-8)
            gradients = {"w": x.T @ (2 * y), "b": np.sum(2 * y, 0)}
            new = {}
            for name, p in (("w", w), ("b", b)):
                m, s = slots[name]
                m = 0.9 * m + 0.1 * gradients[name]
                s = 0.999 * s + 0.001 * gradients[name] ** 2
                slots[name] = m, s
                rate = 0.1 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t)
                new[name] = p - rate * m / (np.sqrt(s) + 1e-7)
            w, b = max_norm(2.0, 0)(new["w"]), non_neg(new["b"])
            expect_close(configuration, model["w"], w, 1e-8)
            expect_close(configuration, model["b"], b, 1e-8)


run_tests([test_examples, test_shapes_and_types, test_bfloat16, test_steps, test_layer])
