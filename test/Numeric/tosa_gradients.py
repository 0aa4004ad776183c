# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Gradients through every tosa op of floating-point numbers agree with differences."""

from typing import Any, List, Tuple

import numpy as np
from numpy.typing import NDArray

from configurations import expect_error, make, run_tests
from supported import ELEMENTS, SAMPLES, Sample

Array = NDArray[Any]
# What has no derivative.
FLAT = {"tosa.argmax", "tosa.cast", "tosa.ceil", "tosa.floor", "tosa.const", "tosa.equal", "tosa.greater",
        "tosa.greater_equal", "tosa.select", "tosa.cond_if", "tosa.yield", "tosa.while_loop", "tosa.table",
        "tosa.rfft2d", "tosa.fft2d"}
# tosa accumulates in f32 at most.
SINGLE = {"tosa.conv2d", "tosa.conv3d", "tosa.depthwise_conv2d", "tosa.transpose_conv2d", "tosa.avg_pool2d"}


def program(name: str, sample: Sample, weight: Array) -> str:
    """The sum of the products of the first result with `weight`, and its gradient."""
    element = sample.args[0][0].split("x")[-1].rstrip(">")
    kind = sample.results[0][0]
    args = ", ".join(f"%a{i}: {one}" for i, (one, _) in enumerate(sample.args))
    axes = list(range(weight.ndim))
    loss = (f"  %p = arith.mulf %y, %w : {kind}\n"
            f"  %l = nn.reduce sum %p axes {axes} : {kind} -> tensor<{element}>\n")
    x = sample.args[0][0]
    return (f"func.func @{name}({args}, %w: {kind}) -> tensor<{element}> {{\n  {sample.body}\n{loss}"
            f"  return %l : tensor<{element}>\n}}\n"
            f"func.func @{name}_gradient({args}, %w: {kind}) -> {x} {{\n  {sample.body}\n{loss}"
            f"  %g = train.gradient %l wrt %a0 : (tensor<{element}>, {x}) -> {x}\n  return %g : {x}\n}}\n")


def cases() -> List[Tuple[str, Sample, Array]]:
    found = []
    for op, build in SAMPLES.items():
        if not op.startswith("tosa.") or op in FLAT:
            continue
        t = ELEMENTS["f32" if op in SINGLE else "f64"]
        sample = build(t)
        if sample is None or not sample.results[0][0].endswith(t.name + ">"):
            continue
        if not np.issubdtype(sample.args[0][1].dtype, np.floating):
            continue
        rng = np.random.default_rng(3)
        weight = rng.uniform(-1, 1, sample.results[0][1].shape).astype(t.dtype)
        found.append((op, sample, weight))
    return found


def supported(op: str, sample: Sample) -> bool:
    import flywheel

    try:
        flywheel.compile(sample.function("f"))
    except flywheel.CompileError:
        return False
    return True


def test_gradients() -> None:
    chosen = [(f"f{i}", op, sample, weight) for i, (op, sample, weight) in enumerate(cases()) if supported(op, sample)]
    assert len(chosen) > 30, len(chosen)
    text = "".join(program(name, sample, weight) for name, _, sample, weight in chosen)
    for configuration in ("reference", "optimized"):
        model = make(text, configuration)
        model.initialize()
        for name, op, sample, weight in chosen:
            feeds = [np.ascontiguousarray(x) for _, x in sample.args]
            step = 1e-2 if op in SINGLE else 1e-6
            tolerance = 2e-2 if op in SINGLE else 1e-6
            found = model.run(name + "_gradient", *feeds, weight)
            x = feeds[0]
            expected = np.zeros(x.shape)
            for at in np.ndindex(x.shape):
                sides = []
                for sign in (1, -1):
                    moved = x.copy()
                    moved[at] += sign * step
                    sides.append(float(model.run(name, moved, *feeds[1:], weight)))
                expected[at] = (sides[0] - sides[1]) / (2 * step)
            np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance,
                                       err_msg=f"{configuration} {op}")


DYNAMIC = """
func.func @dynamic(%x: tensor<?x5x6x3xf32>, %w: tensor<4x3x2x3xf32>, %b: tensor<4xf32>) -> tensor<?x1xf32> {
  %zero = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %y = tosa.conv2d %x, %w, %b, %zero, %zero {
    acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>
  } : (tensor<?x5x6x3xf32>, tensor<4x3x2x3xf32>, tensor<4xf32>, tensor<1xf32>,
       tensor<1xf32>) -> tensor<?x5x7x4xf32>
  %m = tosa.max_pool2d %y {
    kernel = array<i64: 5, 7>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>
  } : (tensor<?x5x7x4xf32>) -> tensor<?x1x1x4xf32>
  %s = tosa.const_shape {values = dense<[-1, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.reshape %m, %s : (tensor<?x1x1x4xf32>, !tosa.shape<2>) -> tensor<?x4xf32>
  %t = tosa.reduce_sum %r {axis = 1 : i32} : (tensor<?x4xf32>) -> tensor<?x1xf32>
  return %t : tensor<?x1xf32>
}
func.func @sizes(%x: tensor<?x3xf32>, %y: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %z = tosa.add %x, %y : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  return %z : tensor<?x3xf32>
}
"""


def test_dynamic() -> None:
    """A batch of any size; sizes that differ are an error."""
    rng = np.random.default_rng(4)
    w, b = rng.standard_normal((4, 3, 2, 3)).astype(np.float32), np.ones(4, np.float32)
    for configuration in ("reference", "optimized"):
        model = make(DYNAMIC, configuration)
        model.initialize()
        for batch in (1, 2, 5):
            x = rng.standard_normal((batch, 5, 6, 3)).astype(np.float32)
            padded = np.pad(x.astype(np.float64), ((0, 0), (1, 1), (1, 1), (0, 0)))
            y = sum(padded[:, i:i + 5, j:j + 7] @ w[:, i, j].T for i in range(3) for j in range(2)) + b
            np.testing.assert_allclose(model.run("dynamic", x, w, b), y.max((1, 2)).sum(1, keepdims=True), rtol=1e-4)
        a = np.ones((2, 3), np.float32)
        np.testing.assert_array_equal(model.run("sizes", a, a), a + a)
        expect_error(configuration, "feeds disagree on the extent",
                     lambda: model.run("sizes", a, np.ones((1, 3), np.float32)))


run_tests([test_gradients, test_dynamic])
