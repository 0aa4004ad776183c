# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Arithmetic whose operands broadcast, against NumPy (X7): values, gradients and what is refused."""

from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

import flywheel
from cases import Cases, tensor
from configurations import configurations, configurations_of, expect_close, expect_error, run_tests

Array = NDArray[Any]
Shape = Tuple[Optional[int], ...]
# The types of lhs, rhs and the result, and what ? stands for, in order of dimensions from the end.
PAIRS: List[Tuple[str, str, str, Tuple[int, ...], Tuple[int, ...]]] = [
    ("", "", "", (), ()),
    ("", "3x", "3x", (), (3,)),
    ("2x3x", "", "2x3x", (2, 3), ()),
    ("2x3x", "3x", "2x3x", (2, 3), (3,)),
    ("2x1x", "1x3x", "2x3x", (2, 1), (1, 3)),
    ("4x1x3x", "2x1x", "4x2x3x", (4, 1, 3), (2, 1)),
    ("?x3x", "3x", "?x3x", (5, 3), (3,)),
    ("?x1x", "1x?x", "?x?x", (5, 1), (1, 4)),
    ("1x?x", "?x1x", "?x?x", (1, 4), (5, 1)),
    ("?x3x", "?x3x", "?x3x", (5, 3), (5, 3)),
    ("?x3x", "2x3x", "2x3x", (2, 3), (2, 3)),
    ("?x?x2x", "?x1x", "?x?x2x", (3, 4, 2), (4, 1)),
    ("", "?x?x", "?x?x", (), (2, 3)),
    ("0x3x", "3x", "0x3x", (0, 3), (3,)),
    ("1x3x", "0x3x", "0x3x", (1, 3), (0, 3)),
]
FLOATS: Dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "max": np.maximum, "min": np.minimum,
    "pow": np.power}


def draw(rng: np.random.Generator, shape: Tuple[int, ...]) -> Array:
    """Numbers that differ from those of another draw, and have every power."""
    return rng.uniform(0.5, 2.0, shape)


def test_floats() -> None:
    rng = np.random.default_rng(1)
    cases = Cases()
    for op, function in FLOATS.items():
        for lhs, rhs, result, a, b in PAIRS:
            types = [f"tensor<{shape}f64>" for shape in (lhs, rhs, result)]
            inputs = [draw(rng, a), draw(rng, b)]
            cases.add(f"{op} {lhs} {rhs}", types[:2], types[2],
                      f"%y = nn.{op} %a0, %a1 : ({types[0]}, {types[1]}) -> {types[2]}")(
                          inputs, function(inputs[0], inputs[1]))
    cases.check()


def test_integers() -> None:
    cases = Cases()
    a, b = np.array([[7], [-7]], np.int32), np.array([2, -3, 5], np.int32)
    for op, expected in (("add", a + b), ("sub", a - b), ("mul", a * b),
                         ("div", np.trunc(a / b).astype(np.int32)), ("max", np.maximum(a, b)),
                         ("min", np.minimum(a, b))):
        cases.add(op, ["tensor<?x1xi32>", "tensor<3xi32>"], "tensor<?x3xi32>",
                  f"%y = nn.{op} %a0, %a1 : (tensor<?x1xi32>, tensor<3xi32>) -> tensor<?x3xi32>")([a, b], expected)
    cases.check()


def test_nan() -> None:
    """The larger and the smaller of a NaN and a number is a NaN, as NumPy's."""
    cases = Cases()
    a, b = np.array([np.nan, 1, 2]), np.array(1.5)
    for op, expected in (("max", np.maximum(a, b)), ("min", np.minimum(a, b))):
        cases.add(op, [tensor([3], "f64"), "tensor<f64>"], tensor([3], "f64"),
                  f"%y = nn.{op} %a0, %a1 : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>")([a, b], expected)
    cases.check()


def sum_to(gradient: Array, shape: Tuple[int, ...]) -> Array:
    """The sum over the dimensions along which an operand of `shape` repeats."""
    gradient = gradient.sum(axis=tuple(range(gradient.ndim - len(shape))))
    axes = tuple(i for i, dim_size in enumerate(shape) if dim_size == 1 and gradient.shape[i] != 1)
    result: Array = gradient.sum(axis=axes, keepdims=True)
    return result


def test_gradients() -> None:
    """The derivative of an operand is summed over the dimensions along which it repeats."""
    rng = np.random.default_rng(2)
    slopes: Dict[str, Callable[[Array, Array], Tuple[Array, Array]]] = {
        "add": lambda a, b: (np.ones_like(a * b), np.ones_like(a * b)),
        "sub": lambda a, b: (np.ones_like(a * b), -np.ones_like(a * b)),
        "mul": lambda a, b: (b + 0 * a, a + 0 * b),
        "div": lambda a, b: (1 / b + 0 * a, -a / b**2),
        "max": lambda a, b: ((a > b) * 1.0, (a < b) * 1.0),
        "min": lambda a, b: ((a < b) * 1.0, (a > b) * 1.0),
        "pow": lambda a, b: (b * a**(b - 1), a**b * np.log(a)),
    }
    functions: List[str] = []
    wanted: List[Any] = []
    for op, slope in slopes.items():
        for lhs, rhs, result, a, b in PAIRS:
            if "?" in lhs and "?" not in result:
                continue  # A result, here the gradient, says the dimension size that it always has.
            types = [f"tensor<{shape}f64>" for shape in (lhs, rhs, result)]
            name = f"f{len(wanted)}"
            functions.append(f"""
func.func @{name}(%a: {types[0]}, %b: {types[1]}, %w: {types[2]}) -> ({types[0]}, {types[1]}) {{
  %y = nn.{op} %a, %b : ({types[0]}, {types[1]}) -> {types[2]}
  %da, %db = train.gradient %y wrt %a, %b grad_ys %w
      : ({types[2]}, {types[0]}, {types[1]}, {types[2]}) -> ({types[0]}, {types[1]})
  return %da, %db : {types[0]}, {types[1]}
}}
""")
            inputs = [draw(rng, a), draw(rng, b)]
            weights = rng.standard_normal(np.broadcast_shapes(a, b))
            da, db = slope(*inputs)
            wanted.append((f"{op} {lhs} {rhs}", name, [*inputs, weights], sum_to(weights * da, a),
                           sum_to(weights * db, b)))
    for configuration, model, taken in configurations_of(functions):
        for what, name, arguments, da, db in (wanted[number] for number in taken):
            found = model.run(name, *arguments)
            expect_close(f"{configuration} {what} lhs", found[0], da, 1e-9)
            expect_close(f"{configuration} {what} rhs", found[1], db, 1e-9)


def test_training() -> None:
    """A rate that is a variable scales an update without a broadcast of its own."""
    text = """
train.variable @w : tensor<2x3xf32> = dense<1.0> : tensor<2x3xf32>
train.variable @scale : tensor<f32> = dense<2.0> : tensor<f32>
func.func @step(%x: tensor<3xf32>) -> tensor<f32> {
  %w = train.read @w : tensor<2x3xf32>
  %s = train.read @scale : tensor<f32>
  %p = nn.mul %s, %w : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %d = nn.sub %p, %x : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %loss = nn.l2_loss %d : tensor<2x3xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.1>
  return %loss : tensor<f32>
}
"""
    x = np.array([1, 2, 3], np.float32)
    difference = 2 * np.ones((2, 3)) - x
    for configuration, model in configurations(text):
        model.initialize()
        expect_close(f"{configuration} loss", model.run("step", x), np.float32((difference**2).sum() / 2))
        expect_close(f"{configuration} w", model["w"], (1 - 0.1 * 2 * difference).astype(np.float32))
        expect_close(f"{configuration} scale", model["scale"], np.float32(2 - 0.1 * difference.sum()))


def test_sizes() -> None:
    """A dynamic size does not stretch: where it differs the step is an error, also where it is 1."""
    for lhs, rhs, result, shapes in (
            ("?x3x", "?x3x", "?x3x", ((2, 3), (4, 3))), ("?x3x", "?x3x", "?x3x", ((2, 3), (1, 3))),
            ("?x?x", "?x", "?x?x", ((2, 3), (1,))), ("4x3x", "?x3x", "4x3x", ((4, 3), (1, 3)))):
        types = [f"tensor<{shape}f32>" for shape in (lhs, rhs, result)]
        text = (f"func.func @f(%a: {types[0]}, %b: {types[1]}) -> {types[2]} {{\n"
                f"  %y = nn.add %a, %b : ({types[0]}, {types[1]}) -> {types[2]}\n  return %y : {types[2]}\n}}\n")
        for lowering in ("reference", "optimized"):
            session = flywheel.Session(flywheel.compile(text, lowering=lowering))
            arrays = [np.ones(shape, np.float32) for shape in shapes]
            expect_error(f"{lowering} {lhs} {rhs}", "", lambda: session.run("f", *arrays),
                         flywheel.InvalidArgumentError)


run_tests([test_floats, test_integers, test_nan, test_gradients, test_training, test_sizes])
