# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Updates for which programs write ops of their own (C7, G9, O1, O20).

Gradients that are accumulated over several calls or over the parts of one batch, averages of weights that are swapped
in for evaluation, a scaled loss whose overflow skips the step, and weights of f32 for
computations in bf16: none of it changes an optimizer. docs/Guides/Variables.md shows them.
"""

from typing import Any, List

import numpy as np
from numpy.typing import NDArray

from configurations import IN_PROCESS, configurations, expect_close, expect_equal, run_tests
from optimizer_rules import RULES

Array = NDArray[Any]

ACCUMULATE = """
train.variable @w : tensor<4xf64> = dense<[1.0, -2.0, 3.0, 0.5]> : tensor<4xf64>
train.variable @sum : tensor<4xf64> = #train.zeros {trainable = false}
train.variable @count : tensor<i64> = dense<0> : tensor<i64> {trainable = false}
func.func @step(%x: tensor<?x4xf64>) {
  %w = train.read @w : tensor<4xf64>
  %y = nn.mul %x, %w : (tensor<?x4xf64>, tensor<4xf64>) -> tensor<?x4xf64>
  %loss = nn.l2_loss %y : tensor<?x4xf64> -> tensor<f64>
  %g = train.gradient %loss wrt %w : (tensor<f64>, tensor<4xf64>) -> tensor<4xf64>
  %total = train.assign_add @sum, %g : tensor<4xf64>
  %one = arith.constant dense<1> : tensor<i64>
  %n = train.assign_add @count, %one : tensor<i64>
  %k = arith.constant dense<3> : tensor<i64>
  %rest = arith.remsi %n, %k : tensor<i64>
  %zero = arith.constant dense<0> : tensor<i64>
  %full = arith.cmpi eq, %rest, %zero : tensor<i64>
  %apply = tensor.extract %full[] : tensor<i1>
  scf.if %apply {
    %third = arith.constant dense<0.33333333333333331> : tensor<4xf64>
    %mean = arith.mulf %total, %third : tensor<4xf64>
    train.apply_gradients %mean : tensor<4xf64> to [@w] with #train.adam<lr = 0.1> clip_global_norm 2.0
    %zeros = arith.constant dense<0.0> : tensor<4xf64>
    train.assign @sum, %zeros : tensor<4xf64>
  }
  return
}
"""


def test_accumulation() -> None:
    """G9: every third call applies the mean of three gradients; slots and counter know of
    no other calls."""
    rng = np.random.default_rng(6)
    for configuration, model in configurations(ACCUMULATE):
        model.initialize()
        expected = RULES["adam"](model["w"], lr=0.1)
        for _ in range(3):
            gradients: List[Array] = []
            for batch in (5, 2, 7):
                expect_close(f"{configuration} before", model["w"], expected.p)
                x = np.asarray(rng.standard_normal((batch, 4)))
                model.run("step", x)
                gradients.append(np.asarray(np.sum(x**2, 0) * expected.p))
            mean = np.mean(gradients, 0)
            expected.step(mean * 2 / max(2, float(np.sqrt(np.sum(mean**2)))))
            expect_close(f"{configuration} after", model["w"], expected.p)
        expect_equal(configuration, model["Adam/iterations"], np.int64(3))


AVERAGES = """
train.variable @w : tensor<3xf64> = dense<[1.0, -2.0, 3.0]> : tensor<3xf64>
train.variable @average : tensor<3xf64> = dense<[1.0, -2.0, 3.0]> : tensor<3xf64> {trainable = false}
func.func @step() {
  %w = train.read @w : tensor<3xf64>
  %loss = nn.l2_loss %w : tensor<3xf64> -> tensor<f64>
  train.minimize %loss : tensor<f64> with #train.sgd<lr = 0.1>
  %new = train.read @w : tensor<3xf64>
  %average = train.moving_average @average, %new momentum 0.9 : tensor<3xf64>
  return
}
func.func @swap() {
  %w = train.read @w : tensor<3xf64>
  %average = train.read @average : tensor<3xf64>
  train.assign @w, %average : tensor<3xf64>
  train.assign @average, %w : tensor<3xf64>
  return
}
func.func @evaluate() -> tensor<f64> {
  %w = train.read @w : tensor<3xf64>
  %loss = nn.l2_loss %w : tensor<3xf64> -> tensor<f64>
  return %loss : tensor<f64>
}
"""


def test_averages() -> None:
    """C7: an average of new weights, which an entry swaps in for evaluation and out again."""
    for configuration, model in configurations(AVERAGES):
        model.initialize()
        w = average = np.array([1.0, -2.0, 3.0])
        for _ in range(4):
            model.run("step")
            w = 0.9 * w
            average = 0.9 * average + 0.1 * w
            expect_close(configuration, model["average"], average)
        model.run("swap")
        expect_close(configuration, model.run("evaluate"), np.sum(average**2) / 2)
        model.run("swap")
        expect_close(configuration, model.run("evaluate"), np.sum(w**2) / 2)
        expect_close(configuration, model["average"], average)


SCALED = """
train.variable @w : tensor<3xf16> = dense<[1.0, -2.0, 3.0]> : tensor<3xf16>
train.variable @scale : tensor<f32> = dense<65536.0> : tensor<f32> {trainable = false}
func.func @step(%x: tensor<3xf16>) -> tensor<i1> {
  %w = train.read @w : tensor<3xf16>
  %scale = train.read @scale : tensor<f32>
  %y = arith.mulf %w, %x : tensor<3xf16>
  %wide = arith.extf %y : tensor<3xf16> to tensor<3xf32>
  %loss = nn.l2_loss %wide : tensor<3xf32> -> tensor<f32>
  %scaled = arith.mulf %loss, %scale : tensor<f32>
  %g = train.gradient %scaled wrt %w : (tensor<f32>, tensor<3xf16>) -> tensor<3xf16>
  %g32 = arith.extf %g : tensor<3xf16> to tensor<3xf32>
  %unscaled = nn.div %g32, %scale : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %nothing = arith.subf %unscaled, %unscaled : tensor<3xf32>
  %sum = nn.reduce sum %nothing axes [0] : tensor<3xf32> -> tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %finite = arith.cmpf oeq, %sum, %zero : tensor<f32>
  %apply = tensor.extract %finite[] : tensor<i1>
  scf.if %apply {
    %narrow = arith.truncf %unscaled : tensor<3xf32> to tensor<3xf16>
    train.apply_gradients %narrow : tensor<3xf16> to [@w] with #train.sgd<lr = 0.5, momentum = 0.5>
  } else {
    %half = arith.constant dense<0.5> : tensor<f32>
    %less = arith.mulf %scale, %half : tensor<f32>
    train.assign @scale, %less : tensor<f32>
  }
  return %finite : tensor<i1>
}
"""


def test_loss_scaling() -> None:
    """O1: a step whose gradients overflow changes nothing but the scale."""
    for configuration, model in configurations(SCALED, IN_PROCESS):
        model.initialize()
        x = np.array([1.0, 0.5, 0.25], np.float16)
        steps = 0
        while not model.run("step", x):
            steps += 1
            expect_equal(configuration, model["w"], np.array([1, -2, 3], np.float16))
            expect_equal(configuration, model["w/SGD"], np.zeros(3, np.float16))
            expect_equal(configuration, model["SGD/iterations"], np.int64(0))
            assert steps < 10, configuration
        assert steps > 0, configuration
        expect_equal(configuration, model["scale"], np.float32(65536 / 2**steps))
        w = np.array([1.0, -2.0, 3.0])
        expect_close(configuration, model["w"], w - 0.5 * x.astype(np.float64)**2 * w, 2e-3)
        expect_equal(configuration, model["SGD/iterations"], np.int64(1))


MASTER = """
train.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
func.func @step(%x: tensor<4xbf16>) -> tensor<bf16> {
  %w = train.read @w : tensor<4xf32>
  %narrow = arith.truncf %w : tensor<4xf32> to tensor<4xbf16>
  %y = arith.mulf %narrow, %x : tensor<4xbf16>
  %loss = nn.reduce sum %y axes [0] : tensor<4xbf16> -> tensor<bf16>
  train.minimize %loss : tensor<bf16> with #train.sgd<lr = 0.001>
  return %loss : tensor<bf16>
}
"""


def test_master_weights() -> None:
    """O1: weights of f32, of which bf16 is computed: steps below its resolution add up."""
    bits = np.full(4, 0x3F80, np.uint16)  # 1 in bf16.
    for configuration, model in configurations(MASTER, IN_PROCESS):
        model.initialize()
        try:
            import ml_dtypes
            x: Array = bits.view(ml_dtypes.bfloat16)
        except ImportError:
            x = bits
        for _ in range(10):
            model.run("step", x)
        expect_close(configuration, model["w"], np.full(4, 0.99), 1e-6)


MICRO_BATCHES = """
train.variable @w : tensor<7x33xf64> = #train.random_normal
train.variable @v : tensor<33x5xf64> = #train.random_normal
func.func @step(%x: tensor<?x7xf64>, %label: tensor<?xi32>) -> tensor<f64> {
  %w = train.read @w : tensor<7x33xf64>
  %v = train.read @v : tensor<33x5xf64>
  %c0 = arith.constant 0 : index
  %size = arith.constant 3 : index
  %batch = tensor.dim %x, %c0 : tensor<?x7xf64>
  %none = arith.constant dense<0.0> : tensor<f64>
  %no_dw = arith.constant dense<0.0> : tensor<7x33xf64>
  %no_dv = arith.constant dense<0.0> : tensor<33x5xf64>
  %sums:3 = scf.for %i = %c0 to %batch step %size iter_args(%l = %none, %a = %no_dw, %b = %no_dv)
      -> (tensor<f64>, tensor<7x33xf64>, tensor<33x5xf64>) {
    %end = arith.subi %batch, %i : index
    %n = arith.minsi %end, %size : index
    %part = tensor.extract_slice %x[%i, 0] [%n, 7] [1, 1] : tensor<?x7xf64> to tensor<?x7xf64>
    %part_label = tensor.extract_slice %label[%i] [%n] [1] : tensor<?xi32> to tensor<?xi32>
    %z = nn.matmul %part, %w : (tensor<?x7xf64>, tensor<7x33xf64>) -> tensor<?x33xf64>
    %h = math.tanh %z : tensor<?x33xf64>
    %s = nn.matmul %h, %v : (tensor<?x33xf64>, tensor<33x5xf64>) -> tensor<?x5xf64>
    %loss = nn.sparse_softmax_cross_entropy %s, %part_label reduction sum
        : (tensor<?x5xf64>, tensor<?xi32>) -> tensor<f64>
    %dw, %dv = train.gradient %loss wrt %w, %v
        : (tensor<f64>, tensor<7x33xf64>, tensor<33x5xf64>) -> (tensor<7x33xf64>, tensor<33x5xf64>)
    %l1 = arith.addf %l, %loss : tensor<f64>
    %a1 = arith.addf %a, %dw : tensor<7x33xf64>
    %b1 = arith.addf %b, %dv : tensor<33x5xf64>
    scf.yield %l1, %a1, %b1 : tensor<f64>, tensor<7x33xf64>, tensor<33x5xf64>
  }
  train.apply_gradients %sums#1, %sums#2 : tensor<7x33xf64>, tensor<33x5xf64> to [@w, @v]
      with #train.adam<name = "opt"> clip_global_norm 0.5
  return %sums#0 : tensor<f64>
}
func.func @whole(%x: tensor<?x7xf64>, %label: tensor<?xi32>) -> tensor<f64> {
  %w = train.read @w : tensor<7x33xf64>
  %v = train.read @v : tensor<33x5xf64>
  %z = nn.matmul %x, %w : (tensor<?x7xf64>, tensor<7x33xf64>) -> tensor<?x33xf64>
  %h = math.tanh %z : tensor<?x33xf64>
  %s = nn.matmul %h, %v : (tensor<?x33xf64>, tensor<33x5xf64>) -> tensor<?x5xf64>
  %loss = nn.sparse_softmax_cross_entropy %s, %label reduction sum : (tensor<?x5xf64>, tensor<?xi32>) -> tensor<f64>
  train.minimize %loss : tensor<f64> with #train.adam<name = "opt"> clip_global_norm 0.5
  return %loss : tensor<f64>
}
"""


def test_micro_batches() -> None:
    """C7: gradients of parts of a batch, the last one smaller, summed in one call: the
    update is that of the whole batch."""
    rng = np.random.default_rng(8)
    for configuration, model in configurations(MICRO_BATCHES):
        for batch in (3, 8, 1, 12):
            x = rng.standard_normal((batch, 7))
            label = rng.integers(0, 5, batch).astype(np.int32)
            model.initialize()
            start = {name: model[name].copy() for name in ("w", "v")}
            loss = model.run("step", x, label)
            found = {name: model[name].copy() for name in ("w", "v", "w/opt", "v/opt_1")}
            model.initialize()
            for name, value in start.items():
                model[name] = value
            expect_close(configuration, loss, model.run("whole", x, label))
            for name, value in found.items():
                expect_close(f"{configuration}, {name}", value, model[name])


run_tests([test_accumulation, test_micro_batches, test_averages, test_loss_scaling, test_master_weights])
