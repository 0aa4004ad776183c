# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Products over leading dimensions against numpy (X1, X11, G14)."""

import numpy as np

from cases import DTYPES, Cases, tensor
from configurations import IN_PROCESS, configurations, expect_close, expect_error, run_tests


def test_x1() -> None:
    """X1: the affine example, with its activation."""
    x, w = np.array([[1.0, 2, 3], [4, 5, 6]]), np.array([[1, -1], [0.5, 2], [-1, 0]])
    b, y = np.array([0.1, -0.2]), np.array([[0, 2.8], [0.6, 5.8]])
    cases = Cases()
    for lead in ((), (1,), ("?", 1)):
        kind, result = tensor((*lead, 2, 3), "f64"), tensor((*lead, 2, 2), "f64")
        expect = cases.add(f"dense {lead}", (kind, "tensor<3x2xf64>", "tensor<2xf64>"), result,
                           f"%z = nn.dense %a0, %a1, %a2 : ({kind}, tensor<3x2xf64>, tensor<2xf64>) -> {result}\n"
                           f"  %y = nn.relu %z : {result}")
        ones = [1] * len(lead)
        expect([x.reshape(*ones, 2, 3), w, b], y.reshape(*ones, 2, 2))
    cases.check()


def test_batched_matmul() -> None:
    """Every transposition, one and two leading dimensions, with all tails."""
    rng = np.random.default_rng(1)
    cases = Cases("batched matmul")
    for element, dtype in DTYPES.items():
        for k, n in ((1, 1), (3, 2), (17, 33), (64, 16)):
            for ta in (False, True):
                for tb in (False, True):
                    for lead in (("?",), (2, "?")):
                        a = tensor((*lead, k, "?") if ta else (*lead, "?", k), element)
                        b = tensor((*lead, n, k) if tb else (*lead, k, n), element)
                        flags = ", ".join(flag for flag, on in (("transpose_a", ta), ("transpose_b", tb)) if on)
                        result = tensor((*lead, "?", n), element)
                        expect = cases.add(f"matmul {element} {ta} {tb}", (a, b), result,
                                           f"%y = nn.matmul %a0, %a1 {{{flags}}} : ({a}, {b}) -> {result}",
                                           (element, (k, n), ta, tb, lead))
                        for m in (1, 13):
                            dim_sizes = [3 if dim_size == "?" else 2 for dim_size in lead]
                            # Small integers: exact in any order.
                            x = rng.integers(-8, 9, (*dim_sizes, m, k)).astype(dtype)
                            w = rng.integers(-8, 9, (*dim_sizes, k, n)).astype(dtype)
                            expect([np.array(x.swapaxes(-1, -2) if ta else x, order="C"),
                                    np.array(w.swapaxes(-1, -2) if tb else w, order="C")], x @ w)
    cases.check(IN_PROCESS)


def test_dense_rows() -> None:
    """All leading dimensions are rows, static and dynamic, none among them."""
    rng = np.random.default_rng(2)
    cases = Cases("rows")
    for element, dtype in DTYPES.items():
        for lead in (("?", 5), (3, "?"), ("?", "?"), (2, "?", 3)):
            for k, n in ((17, 33), (100, 7)):
                x, w, b, y = (tensor(s, element) for s in ((*lead, k), (k, n), (n,), (*lead, n)))
                biased = cases.add(f"dense {element}", (x, w, b), y,
                                   f"%z = nn.dense %a0, %a1, %a2 : ({x}, {w}, {b}) -> {y}\n  %y = nn.relu %z : {y}",
                                   (element, lead, (k, n), True))
                plain = cases.add(f"dense {element} without bias", (x, w), y,
                                  f"%y = nn.dense %a0, %a1 : ({x}, {w}) -> {y}", (element, lead, (k, n), False))
                for dim_size in (0, 1, 7):
                    shape = [dim_size if e == "?" else int(e) for e in lead]
                    inputs = [rng.standard_normal(s).astype(dtype) for s in ((*shape, k), (k, n), (n,))]
                    exact = inputs[0].astype(np.float64) @ inputs[1]
                    plain(inputs[:2], exact, np.sqrt(k))
                    biased(inputs, np.maximum(exact + inputs[2], 0), np.sqrt(k))
    cases.check(IN_PROCESS)


def test_step_of_sequences() -> None:
    """G14: two layers over [batch, time, features] train as numpy says."""
    text = """
train.variable @w : tensor<6x9xf64>
train.variable @b : tensor<9xf64>
train.variable @v : tensor<9x4xf64>
func.func @step(%x: tensor<?x?x6xf64>, %t: tensor<?x?x4xf64>) -> tensor<f64> {
  %w = train.read @w : tensor<6x9xf64>
  %b = train.read @b : tensor<9xf64>
  %v = train.read @v : tensor<9x4xf64>
  %z = nn.dense %x, %w, %b : (tensor<?x?x6xf64>, tensor<6x9xf64>, tensor<9xf64>) -> tensor<?x?x9xf64>
  %h = nn.relu %z : tensor<?x?x9xf64>
  %y = nn.dense %h, %v : (tensor<?x?x9xf64>, tensor<9x4xf64>) -> tensor<?x?x4xf64>
  %l = nn.mean_squared_error %y, %t : (tensor<?x?x4xf64>, tensor<?x?x4xf64>) -> tensor<f64>
  train.minimize %l : tensor<f64> with #train.sgd<lr = 0.1>
  return %l : tensor<f64>
}
"""
    rng = np.random.default_rng(3)
    start = {"w": rng.standard_normal((6, 9)), "b": rng.standard_normal(9), "v": rng.standard_normal((9, 4))}
    data = [(rng.standard_normal((m, t, 6)), rng.standard_normal((m, t, 4))) for m, t in ((3, 5), (1, 8), (4, 1))]
    for configuration, model in configurations(text):
        model.initialize()
        w, b, v = (start[name].copy() for name in "wbv")
        for name, value in start.items():
            model[name] = value
        for x, t in data:
            h = np.maximum(x @ w + b, 0)
            error = h @ v - t
            expect_close(f"{configuration} loss", model.run("step", x, t), np.mean(error**2))
            dy = 2 * error / error.size
            dz = (dy @ v.T) * (h > 0)
            v -= 0.1 * np.einsum("bth,btn->hn", h, dy)
            w -= 0.1 * np.einsum("btk,bth->kh", x, dz)
            b -= 0.1 * dz.sum((0, 1))
            for name, value in zip("wbv", (w, b, v)):
                expect_close(f"{configuration} {name}", model[name], value)


def test_dim_sizes_are_checked() -> None:
    """X11: leading dimension sizes that no type knows."""
    kind = "tensor<?x2x3xf32>"
    other = "tensor<?x3x2xf32>"
    text = (f"func.func @f(%a: {kind}, %b: {other}) -> tensor<f32> {{\n"
            f"  %0 = nn.matmul %a, %b : ({kind}, {other}) -> tensor<?x2x2xf32>\n"
            "  %y = nn.l2_loss %0 : tensor<?x2x2xf32> -> tensor<f32>\n  return %y : tensor<f32>\n}\n")
    for configuration, model in configurations(text, IN_PROCESS):
        model.initialize()
        a, b = np.ones((4, 2, 3), np.float32), np.ones((4, 3, 2), np.float32)
        expect_close(configuration, model.run("f", a, b), 4 * 4 * 9 / 2)
        expect_error(configuration,
                     "feeds disagree on the dimension size 'batch': it is 4 in placeholder 'a' and 5 in "
                     r"placeholder 'b' of shape \(5, 3, 2\), expected equal ones in 'nn.matmul' at <string>:\d+:\d+",
                     lambda: model.run("f", a, np.ones((5, 3, 2), np.float32)))  # noqa: B023


run_tests([test_x1, test_batched_matmul, test_dense_rows, test_step_of_sequences, test_dim_sizes_are_checked])
