# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Gradients through every tosa op of floating-point numbers agree with differences, for every operand."""

import functools
import re
from typing import Any, Callable, List, Tuple

import numpy as np
from numpy.typing import NDArray

import flywheel
from configurations import expect_error, make, run_tests
from supported import ELEMENTS, SAMPLES, Sample

Array = NDArray[Any]
# tosa accumulates in f32 at most. These are linear in each operand, so that a large step makes no error of its own.
SINGLE = {"tosa.conv2d", "tosa.conv3d", "tosa.depthwise_conv2d", "tosa.transpose_conv2d", "tosa.avg_pool2d"}
# Functions that are constant between jumps: not connected, as `round` is, and 0 where that is asked for.
FLAT = {"tosa.ceil", "tosa.floor"}
# A loop whose number of iterations is a value of the step.
UNBOUNDED = "tosa.while_loop"


def floating(sample: Sample) -> List[int]:
    """Returns the operands that have derivatives."""
    return [i for i, (_, x) in enumerate(sample.args) if np.issubdtype(x.dtype, np.floating)]


def results(sample: Sample) -> List[str]:
    return ["%y"] if len(sample.results) == 1 else [f"%y{i}" for i in range(len(sample.results))]


def program(name: str, sample: Sample, weights: List[Array]) -> str:
    """The sum of the products of all results with `weights`, and its gradients."""
    element = sample.results[0][0].split("x")[-1].rstrip(">")
    args = ", ".join(f"%a{i}: {one}" for i, (one, _) in enumerate(sample.args))
    args += "".join(f", %w{i}: {kind}" for i, (kind, _) in enumerate(sample.results))
    loss = f"  %l = arith.constant dense<0.0> : tensor<{element}>\n"
    total = "%l"
    for i, (value, (kind, _)) in enumerate(zip(results(sample), sample.results)):
        loss += (f"  %p{i} = arith.mulf {value}, %w{i} : {kind}\n"
                 f"  %s{i} = nn.reduce sum %p{i} axes {list(range(weights[i].ndim))} : {kind} -> tensor<{element}>\n"
                 f"  %l{i} = arith.addf {total}, %s{i} : tensor<{element}>\n")
        total = f"%l{i}"
    targets = floating(sample)
    kinds = ", ".join(sample.args[i][0] for i in targets)
    names = ", ".join(f"%g{i}" for i in targets)
    wrt = ", ".join(f"%a{i}" for i in targets)
    return (f"func.func @{name}({args}) -> tensor<{element}> {{\n  {sample.body}\n{loss}"
            f"  return {total} : tensor<{element}>\n}}\n"
            f"func.func @{name}_gradient({args}) -> ({kinds}) {{\n  {sample.body}\n{loss}"
            f"  {names} = train.gradient {total} wrt {wrt} unconnected zeros : (tensor<{element}>, {kinds}) -> "
            f"({kinds})\n  return {names} : {kinds}\n}}\n")


def cases() -> List[Tuple[str, Sample, List[Array]]]:
    found = []
    for op, build in SAMPLES.items():
        # Calls that write a variable are not functions of their feeds: globals.py has their gradients.
        if not op.startswith("tosa.") or op == UNBOUNDED or op.startswith("tosa.variable"):
            continue
        t = ELEMENTS["f32" if op in SINGLE else "f64"]
        sample = build(t)
        if sample is None or not sample.results[0][0].endswith(t.name + ">") or not floating(sample):
            continue
        rng = np.random.default_rng(3)
        weights = [rng.uniform(-1, 1, y.shape).astype(t.dtype) for _, y in sample.results]
        found.append((op, sample, weights))
    return found


def supported(op: str, sample: Sample) -> bool:
    try:
        flywheel.compile(sample.function("f"))
    except flywheel.CompileError:
        return False
    return True


def differences(run: Callable[..., float], feeds: List[Array], target: int, step: float) -> Array:
    expected = np.zeros(feeds[target].shape)
    for at in np.ndindex(expected.shape):
        sides = []
        for sign in (1, -1):
            moved = [x.copy() for x in feeds]
            moved[target][at] += sign * step
            sides.append(float(run(*moved)))
        expected[at] = (sides[0] - sides[1]) / (2 * step)
    return expected


def test_gradients() -> None:
    chosen = [(f"f{i}", op, sample, weights) for i, (op, sample, weights) in enumerate(cases())
              if supported(op, sample)]
    assert len(chosen) > 45, len(chosen)
    text = "".join(program(name, sample, weights) for name, _, sample, weights in chosen)
    for configuration in ("reference", "optimized"):
        model = make(text, configuration)
        model.initialize()
        for name, op, sample, weights in chosen:
            feeds = [np.asarray(x, order="C") for _, x in sample.args]
            step, tolerance = (64.0, 1e-5) if op in SINGLE else (1e-6, 1e-6)
            targets = floating(sample)
            found = model.run(name + "_gradient", *feeds, *weights)
            for target, gradient in zip(targets, found if len(targets) > 1 else [found]):
                run = functools.partial(model.run, name)
                expected = differences(lambda *xs: run(*xs, *weights), feeds, target, step)
                np.testing.assert_allclose(gradient, expected, rtol=tolerance, atol=tolerance,
                                           err_msg=f"{configuration} {op} operand #{target}")
                assert op not in FLAT or not gradient.any(), op


def expect_refusal(text: str, expected: str) -> None:
    try:
        flywheel.compile(text)
    except flywheel.CompileError as error:
        assert re.search(expected, str(error)), error
    else:
        raise AssertionError(f"expected an error: {expected}")


def test_refusals() -> None:
    """No derivative is an error, unless zeros are asked for; so is a loop without a bound."""
    sample = SAMPLES[UNBOUNDED](ELEMENTS["f64"])
    assert sample is not None
    expect_refusal(program("f", sample, [np.ones(y.shape) for _, y in sample.results]),
                   r":\d+:12: error: expected a lower bound and a step that are constants, and an upper bound that a "
                   "constant or dimension sizes of tensors limit, to differentiate")
    for op in sorted(FLAT):
        sample = SAMPLES[op](ELEMENTS["f64"])
        assert sample is not None
        weights = [np.ones(y.shape) for _, y in sample.results]
        text = program("f", sample, weights)
        flywheel.compile(text)
        expect_refusal(text.replace(" unconnected zeros", ""),
                       r":\d+:\d+: error: 'train.gradient' op expected gradient targets that a differentiated value "
                       "depends on, found none for target #0")


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
        expect_error(configuration, "feeds disagree on the dimension size",
                     lambda: model.run("sizes", a, np.ones((1, 3), np.float32)))


run_tests([test_gradients, test_refusals, test_dynamic])
