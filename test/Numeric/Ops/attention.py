# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Attention and dropout against numpy (X13, I7)."""

from typing import Any, Optional, Sequence

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from configurations import ALL, IN_PROCESS, configurations, expect_close, expect_equal, make, run_tests

Array = NDArray[Any]


def attend(q: Array, k: Array, v: Array, allowed: Optional[Array] = None, added: Optional[Array] = None) -> Array:
    """With no weight where nothing is `allowed`."""
    scores = np.einsum("...td,...sd->...ts", q, k) / np.sqrt(q.shape[-1])
    if added is not None:
        scores = scores + added
    if allowed is not None:
        scores = np.where(allowed, scores, -np.inf)
    top = scores.max(-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isinf(top), 0, top))
    total = weights.sum(-1, keepdims=True)
    return np.asarray(np.einsum("...ts,...sd->...td", weights / np.where(total == 0, 1, total), v))


def text_of(element: str, lead: str, mask: str = "", clauses: str = "", length: str = "?") -> str:
    """Attention and its gradients; `length` is that of both sequences."""
    q, y = f"tensor<{lead}{length}x7x{element}>", f"tensor<{lead}{length}x5x{element}>"
    k, v = q, y
    types = ", ".join([q, k, v] + ([mask] if mask else []))
    head = f"%q: {q}, %k: {k}, %v: {v}" + (f", %m: {mask}" if mask else "")
    return (f"func.func @f({head}, %u: {y}) -> ({y}, {q}, {k}, {v}) {{\n"
            f"  %y = nn.attention %q, %k, %v {'mask %m' if mask else ''} {clauses} : ({types}) -> {y}\n"
            f"  %d:3 = train.gradient %y wrt %q, %k, %v grad_ys %u : ({y}, {q}, {k}, {v}, {y}) -> ({q}, {k}, {v})\n"
            f"  return %y, %d#0, %d#1, %d#2 : {y}, {q}, {k}, {v}\n}}\n")


def test_masks() -> None:
    """Every kind of mask, causal or not, of equal and of different lengths."""
    rng = np.random.default_rng(1)
    for element, dtype, tolerance in (("f64", np.float64, 1e-9), ("f32", np.float32, 2e-5)):
        for causal in (False, True):
            for kind in ("", "i1", element):
                mask = f"tensor<?x2x?x?x{kind}>" if kind else ""
                text = text_of(element, "?x2x", mask, "causal" if causal else "")
                for configuration, model in configurations(text, IN_PROCESS):
                    model.initialize()
                    for batch, t, s in ((1, 1, 1), (3, 6, 6), (2, 4, 9), (2, 9, 4)):
                        q, k, v = (rng.standard_normal((batch, 2, *shape)).astype(dtype)
                                   for shape in ((t, 7), (s, 7), (s, 5)))
                        u = rng.standard_normal((batch, 2, t, 5)).astype(dtype)
                        allowed = np.tri(t, s, dtype=bool) if causal else np.ones((t, s), bool)
                        added = None
                        inputs = [q, k, v]
                        if kind == "i1":
                            choice = rng.integers(0, 2, (batch, 2, t, s)).astype(bool)
                            choice[:, :, 0] = False  # A query that attends to nothing.
                            inputs.append(choice)
                            allowed = allowed & choice
                        elif kind:
                            added = rng.standard_normal((batch, 2, t, s)).astype(dtype)
                            inputs.append(added)
                        found = model.run("f", *inputs, u)
                        what = f"{configuration} {element} {kind} {causal} {t} {s}"
                        expect_close(what, found[0], attend(q, k, v, allowed, added), tolerance)
                        for gradient in found[1:]:
                            assert np.all(np.isfinite(gradient)), what
                        if kind == "i1":
                            expect_equal(f"{what}: nothing", found[0][:, :, 0], np.zeros((batch, 2, 5), dtype))
                            expect_equal(f"{what}: no gradient", found[1][:, :, 0], np.zeros((batch, 2, 7), dtype))


def test_future_has_no_gradient() -> None:
    """Causal: what a query does not see has exactly no effect on it."""
    rng = np.random.default_rng(2)
    text = text_of("f32", "?x", clauses="causal", length="6")
    for configuration, model in configurations(text):
        model.initialize()
        q, k, v = (rng.standard_normal((2, 6, n)).astype(np.float32) for n in (7, 7, 5))
        u = np.zeros((2, 6, 5), np.float32)
        u[:, 2] = 1
        y, _, dk, dv = model.run("f", q, k, v, u)
        assert not dk[:, 3:].any() and not dv[:, 3:].any() and dv[:, :3].any(), configuration
        k[:, 4:] *= 100
        expect_equal(configuration, model.run("f", q, k, v, u)[0][:, :4], y[:, :4])


def test_future_under_added_masks() -> None:
    """Causal: no score of what comes later wins over, or ties with, what a mask adds."""
    rng = np.random.default_rng(3)
    for element, dtype in (("f32", np.float32), ("f64", np.float64), ("f16", np.float16)):
        text = text_of(element, "?x", f"tensor<?x?x?x{element}>", "causal")
        for configuration, model in configurations(text, IN_PROCESS):
            model.initialize()
            q, k, v = (rng.standard_normal((2, 5, n)).astype(dtype) for n in (7, 7, 5))
            for lowest in (-np.inf, float(np.finfo(dtype).min)):
                # A mask of sequences that are padded at the start.
                added = np.zeros((2, 5, 5), dtype)
                added[:, :, 0] = lowest
                y, dq, _, dv = model.run("f", q, k, v, added, np.ones((2, 5, 5), dtype))
                what = f"{configuration} {element} {lowest}"
                first = np.full((2, 5), np.nan) if np.isinf(lowest) else v[:, 0]
                np.testing.assert_array_equal(y[:, 0], first, err_msg=what)
                # The others see what is after the padding and not after themselves.
                allowed = np.tri(5, dtype=bool) & (np.arange(5) > 0)
                expected = attend(q.astype(np.float64), k.astype(np.float64), v.astype(np.float64), allowed)
                expect_close(what, y[:, 1:], expected[:, 1:], 2e-3 if element == "f16" else 2e-5)
                assert np.all(np.isfinite(dq[:, 1:])), what
                assert np.all(np.isinf(lowest) or np.isfinite(dv)), what


def test_large_scores() -> None:
    """Scores of +-1e4 and f16, whose products overflow it: finite, and one-hot."""
    for element, dtype in (("f32", np.float32), ("f16", np.float16), ("bf16", ml_dtypes.bfloat16)):
        text = text_of(element, "", clauses="scale 1.0")
        q = np.zeros((2, 7), dtype)
        q[0, 0], q[1, 0] = 1000, -1000
        k = np.zeros((3, 7), dtype)
        k[:, 0] = [-500, 0, 500]
        v = np.arange(15).reshape(3, 5).astype(dtype)
        for configuration, model in configurations(text, IN_PROCESS):
            model.initialize()
            y, dq, dk, dv = model.run("f", q, k, v, np.ones((2, 5), dtype))
            expect_equal(f"{configuration} {element}", y, v[[2, 0]])
            for gradient in (dq, dk):
                expect_equal(f"{configuration} {element} gradient", gradient, np.zeros_like(gradient))
            expect_equal(f"{configuration} {element} dv", dv, np.array([[1] * 5, [0] * 5, [1] * 5]).astype(dtype))


def dropout(element: str, clauses: str, flag: str = "") -> str:
    kind = f"tensor<?x?x{element}>"
    argument = f", %flag: {flag}" if flag else ""
    training = "training %flag" if flag else ""
    return (f"func.func @f(%x: {kind}, %u: {kind}{argument}) -> ({kind}, {kind}) {{\n"
            f"  %y = train.dropout %x {clauses} {training} : {kind}{', ' + flag if flag else ''}\n"
            f"  %d = train.gradient %y wrt %x grad_ys %u : ({kind}, {kind}, {kind}) -> {kind}\n"
            f"  return %y, %d : {kind}, {kind}\n}}\n")


def test_dropout() -> None:
    """X13: the share that is kept, its scale, and one mask for both directions."""
    rng = np.random.default_rng(3)
    dtypes = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
    for element, dtype in dtypes.items():
        for rate in (0.5, 0.2):
            masks = []
            text = dropout(element, f"rate {rate}")
            for configuration, model in configurations(text, ALL if element in ("f32", "f64") else IN_PROCESS):
                model.initialize(11)
                x, u = (rng.uniform(1, 2, (100, 130)).astype(dtype) for _ in range(2))
                y, d = model.run("f", x, u)
                mask = y != 0
                # Six standard deviations of a share of 13000.
                assert abs(mask.mean() - (1 - rate)) < 6 * np.sqrt(rate * (1 - rate) / mask.size), (element, rate)
                for found, source in ((y, x), (d, u)):
                    kept = np.where(mask, source.astype(np.float64) / (1 - rate), 0)
                    unit = {"f16": 2.0**-10, "bf16": 2.0**-7}.get(element, 1e-6)
                    np.testing.assert_allclose(found.astype(np.float64), kept, rtol=unit, err_msg=configuration)
                masks.append(mask)
                # I7: another mask at the next run, and no new ones for a reader.
                assert np.any((model.run("f", x, u)[0] != 0) != mask), configuration
            for other in masks[1:]:
                expect_equal(f"{element} {rate}: the same on every target", other, masks[0])


def test_learning_phase() -> None:
    """X13: a flag that is false gives x itself and draws nothing."""
    rng = np.random.default_rng(4)
    x, u = (rng.standard_normal((6, 5)).astype(np.float32) for _ in range(2))
    on, off = np.array(True), np.array(False)
    text = dropout("f32", "rate 0.5 seed 3", "tensor<i1>")
    for configuration, model in configurations(text):
        model.initialize(1)
        first = model.run("f", x, u, on)[0]
        second = model.run("f", x, u, on)[0]
        assert np.any((first != 0) != (second != 0)), configuration
        model = make(text, configuration)
        model.initialize(1)
        expect_equal(f"{configuration}: again", model.run("f", x, u, on)[0], first)
        for _ in range(3):
            y, d = model.run("f", x, u, off)
            expect_equal(f"{configuration} test value", y, x)
            expect_equal(f"{configuration} test gradient", d, u)
        expect_equal(f"{configuration}: nothing was drawn", model.run("f", x, u, on)[0], second)
    for configuration, model in configurations(dropout("f32", "rate 0.0"), IN_PROCESS):
        model.initialize(1)
        y, d = model.run("f", x, u)
        expect_equal(f"{configuration} rate 0", y, x)
        expect_equal(f"{configuration} rate 0 gradient", d, u)
        assert not model.variables(), configuration


STEP = """
train.variable @w : tensor<4xf64> = #train.ones
func.func @step(%x: tensor<?x4xf64>, %flag: tensor<i1>) -> tensor<?x4xf64> {
  %w = train.read @w : tensor<4xf64>
  %ws = nn.broadcast %w dims [1] like %x : (tensor<4xf64>, tensor<?x4xf64>) -> tensor<?x4xf64>
  %h = arith.mulf %x, %ws : tensor<?x4xf64>
  %y = train.dropout %h rate 0.5 training %flag : tensor<?x4xf64>, tensor<i1>
  %l = nn.l2_loss %y : tensor<?x4xf64> -> tensor<f64>
  train.minimize %l : tensor<f64> with #train.sgd<lr = 0.01>
  return %y : tensor<?x4xf64>
}
func.func @eval(%x: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %off = arith.constant dense<false> : tensor<i1>
  %y = func.call @step(%x, %off) : (tensor<?x4xf64>, tensor<i1>) -> tensor<?x4xf64>
  return %y : tensor<?x4xf64>
}
"""


def test_step_with_dropout() -> None:
    """X13: a step trains by what was kept, and all of it where the flag is false."""
    x = np.random.default_rng(5).standard_normal((7, 4))
    for configuration, model in configurations(STEP):
        model.initialize(1)
        w = np.ones(4)
        for flag in (True, False, True):
            y = model.run("step", x, np.array(flag))
            scale = np.where(y != 0, 2.0, 0.0) if flag else np.ones_like(y)
            expect_close(f"{configuration} value", y, scale * x * w)
            w = w - 0.01 * (y * scale * x).sum(0)
            expect_close(f"{configuration} step", model["w"], w)
        # The same function, called with a constant.
        before = model["w"].copy()
        expect_equal(f"{configuration} constant", model.run("eval", x), x * before)


def test_long_rows() -> None:
    """D9: rows of scores that blocks of a device have by tiles of columns, the last one not whole."""
    rng = np.random.default_rng(8)
    for element, dtype, tolerance in (("f32", np.float32, 2e-5), ("bf16", ml_dtypes.bfloat16, 3e-2)):
        text = text_of(element, "6x2x", clauses="causal", length="352")
        model = make(text, "gpu")
        q, k, v, u = (rng.standard_normal((6, 2, 352, size)).astype(dtype) for size in (7, 7, 5, 5))
        found = model.run("f", q, k, v, u)
        for what, part, wanted in zip("yqkv", found, long_rows(*(x.astype(np.float64) for x in (q, k, v, u)))):
            np.testing.assert_allclose(part.astype(np.float64), wanted, tolerance, tolerance,
                                       err_msg=f"{element} {what}")


def long_rows(q: Array, k: Array, v: Array, u: Array) -> Sequence[Array]:
    """Causal attention, and its gradients where `u` is that of the result."""
    scores = np.where(np.tri(q.shape[2], dtype=bool), q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]), -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    by_weight = u @ v.swapaxes(-1, -2)
    by_score = weights * (by_weight - (by_weight * weights).sum(-1, keepdims=True)) / np.sqrt(q.shape[-1])
    return weights @ v, by_score @ k, by_score.swapaxes(-1, -2) @ q, weights.swapaxes(-1, -2) @ u


run_tests([test_step_with_dropout, test_long_rows, test_masks, test_future_has_no_gradient,
           test_future_under_added_masks, test_large_scores, test_dropout,
           test_learning_phase])
