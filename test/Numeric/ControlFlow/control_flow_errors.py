# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Steps that fail where branches and loops assign (S3)."""

from typing import Any

import numpy as np

import flywheel
from configurations import (
    Array,
    Model,
    ObjectModel,
    configurations,
    expect_close,
    expect_equal,
    expect_error,
    run_tests,
)


def flag(value: bool) -> Array:
    return np.array(value)


def test_uninitialized() -> None:
    """S3: a write that may not happen initialises nothing, and a failed step
    changes nothing."""
    text = """
train.variable @v : tensor<3xf32>
train.variable @w : tensor<3xf32>
func.func @maybe(%c: tensor<i1>, %x: tensor<3xf32>) {
  %condition = tensor.extract %c[] : tensor<i1>
  train.assign @w, %x : tensor<3xf32>
  scf.if %condition {
    train.assign @v, %x : tensor<3xf32>
  }
  return
}
func.func @both(%c: tensor<i1>, %x: tensor<3xf32>) {
  %condition = tensor.extract %c[] : tensor<i1>
  scf.if %condition {
    train.assign @v, %x : tensor<3xf32>
  } else {
    %y = arith.addf %x, %x : tensor<3xf32>
    train.assign @v, %y : tensor<3xf32>
  }
  return
}
"""
    x = np.array([1, 2, 3], np.float32)
    for name in ("reference", "optimized"):
        program = flywheel.compile(text, lowering=name)
        session = flywheel.Session(program)
        for taken in (False, True):
            expect_error(name, "Attempting to use uninitialized value v",
                         lambda: session.run("maybe", flag(taken), x), flywheel.FailedPreconditionError)
        assert session.report_uninitialized() == ["v", "w"], session.report_uninitialized()
        session.run("both", flag(False), x)
        expect_equal(name, session["v"], x + x)
        session.run("maybe", flag(True), x)
        expect_equal(name, session["v"], x)
    model = ObjectModel(text)
    model.initialize()
    model["w"] = x + x
    model.block[ObjectModel.INITIALIZED + model.infos["v"][0]] = 0
    for taken in (False, True):
        expect_error("object", "Attempting to use uninitialized value v", lambda: model.run("maybe", flag(taken), x))
        expect_equal("object", model["w"], x + x)
    model.run("both", flag(True), x)
    expect_equal("object", model["v"], x)
    model.run("maybe", flag(False), x)
    expect_equal("object", model["w"], x)


def test_checks() -> None:
    """S3: a check next to a write, in a branch or a loop: an error changes nothing."""
    kind, rows = "tensor<3xf32>", "tensor<4x3xf32>"
    text = f"""
train.variable @v : {kind} = #train.zeros
train.variable @w : {kind} = #train.ones
train.variable @n : tensor<i64> = #train.zeros
func.func @branch(%c: tensor<i1>, %x: {rows}, %label: tensor<4xi32>) -> {kind} {{
  %condition = tensor.extract %c[] : tensor<i1>
  %one = arith.constant dense<1.0> : {kind}
  train.assign_add @v, %one : {kind}
  %new = scf.if %condition -> {kind} {{
    %v = train.read @v : {kind}
    train.assign_add @w, %v : {kind}
    %loss = nn.sparse_softmax_cross_entropy %x, %label : ({rows}, tensor<4xi32>) -> tensor<f32>
    %scalar = tensor.extract %loss[] : tensor<f32>
    %splat = tensor.splat %scalar : {kind}
    train.assign_add @w, %splat : {kind}
    train.assign @v, %splat : {kind}
    scf.yield %splat : {kind}
  }} else {{
    %e = math.exp %one : {kind}
    scf.yield %e : {kind}
  }}
  %i = arith.constant dense<1> : tensor<i64>
  train.assign_add @n, %i : tensor<i64>
  return %new : {kind}
}}
func.func @loop(%x: {rows}, %order: tensor<?xi32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = tensor.dim %order, %c0 : tensor<?xi32>
  %total = scf.while (%k = %c0) : (index) -> index {{
    %below = arith.cmpi slt, %k, %count : index
    scf.condition(%below) %k : index
  }} do {{
  ^bb0(%k: index):
    %at = tensor.extract_slice %order[%k] [1] [1] : tensor<?xi32> to tensor<1xi32>
    %row = nn.gather %x, %at axis 0 : ({rows}, tensor<1xi32>) -> tensor<1x3xf32>
    %flat = tensor.collapse_shape %row [[0, 1]] : tensor<1x3xf32> into {kind}
    %w = train.read @w : {kind}
    %p = arith.mulf %w, %flat : {kind}
    train.assign @w, %p : {kind}
    %odd = arith.andi %k, %c1 : index
    %isOdd = arith.cmpi eq, %odd, %c1 : index
    scf.if %isOdd {{
      train.assign @v, %p : {kind}
    }}
    %next = arith.addi %k, %c1 : index
    scf.yield %next : index
  }}
  return
}}
"""
    x = np.random.default_rng(0).uniform(0.5, 2, (4, 3)).astype(np.float32)
    good, bad = np.array([0, 2, 1, 1], np.int32), np.array([0, 2, -1, 1], np.int32)

    def fail(configuration: str, model: Model, message: str, *call: Any) -> None:
        before = model.snapshot()
        expect_error(configuration, message, lambda: model.run(*call), flywheel.InvalidArgumentError)
        for name, value in before.items():
            expect_equal(f"{configuration}: {name}", model[name], value)

    loss = np.float32(np.mean(np.log(np.exp(x).sum(1)) - x[range(4), good]))
    for configuration, model in configurations(text):
        model.initialize()
        v, w = np.zeros(3, np.float32), np.ones(3, np.float32)
        for taken in (False, True, True):
            expect_close(configuration, model.run("branch", flag(taken), x, bad if not taken else good),
                         np.full(3, loss if taken else np.e, np.float32))
            v = v + np.float32(1)
            v, w = (np.full(3, loss), w + v + loss) if taken else (v, w)
            expect_close(configuration, model["v"], v)
            expect_close(configuration, model["w"], w)
            fail(configuration, model, "label out of range: expected 0 <= label < 3", "branch", flag(True), x, bad)
        expect_equal(configuration, model["n"], np.int64(3))
        for order in ([], [2], [3, 0, 1, 1, 2]):
            model.run("loop", x, np.array(order, np.int32))
            for k, row in enumerate(order):
                w = w * x[row]
                v = w if k % 2 else v
            expect_close(configuration, model["v"], v)
            expect_close(configuration, model["w"], w)
            fail(configuration, model, r"index out of range: expected 0 <= index < 4 "
                 r"in 'nn.gather' at .*:\d+:\d+, found 4",
                 "loop", x, np.array([*order, 4], np.int32))


def test_slices() -> None:
    """S3, X7: a slice or an element out of range in a loop is an error, too, and reads
    and writes nothing else."""
    text = """
train.variable @v : tensor<5x3xf32> = #train.zeros
func.func @f(%x: tensor<4x3xf32>, %rows: tensor<6xi32>, %count: tensor<i32>) -> tensor<5x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n32 = tensor.extract %count[] : tensor<i32>
  %n = arith.index_cast %n32 : i32 to index
  scf.for %i = %c0 to %n step %c1 {
    %r32 = tensor.extract %rows[%i] : tensor<6xi32>
    %r = arith.index_cast %r32 : i32 to index
    %row = tensor.extract_slice %x[%r, 0] [1, 3] [1, 1] : tensor<4x3xf32> to tensor<1x3xf32>
    %v = train.read @v : tensor<5x3xf32>
    %sum = arith.addf %row, %row : tensor<1x3xf32>
    %next = tensor.insert_slice %sum into %v[%i, 0] [1, 3] [1, 1] : tensor<1x3xf32> into tensor<5x3xf32>
    train.assign @v, %next : tensor<5x3xf32>
  }
  %v = train.read @v : tensor<5x3xf32>
  return %v : tensor<5x3xf32>
}
"""
    x = np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32)
    rows = np.array([3, 0, 2, 2, 1, 0], np.int32)
    for configuration, model in configurations(text):
        model.initialize()
        v = np.zeros((5, 3), np.float32)
        for count in (0, 2, 5):
            v[:count] = 2 * x[rows[:count]]
            expect_equal(configuration, model.run("f", x, rows, np.array(count, np.int32)), v)
        for bad, count, message in [
            (rows, 6, "slice out of range of dimension 0 in 'tensor.insert_slice' at .*:14:13, "
                      "found offset 5, size 1, stride 1 and dimension size 5"),
            (rows, 20000, "index out of range of dimension 0 in 'tensor.extract' at .*:9:12, "
                          "found index 6 and dimension size 6"),
            (rows + 1, 3, "slice out of range of dimension 0 in 'tensor.extract_slice' at .*:11:12, "
                          "found offset 4, size 1, stride 1 and dimension size 4"),
            (rows - 100000000, 1, "slice out of range of dimension 0 in 'tensor.extract_slice' at .*:11:12, "
                                   "found offset -99999997, size 1, stride 1 and dimension size 4"),
        ]:
            expect_error(configuration, message,
                         lambda: model.run("f", x, bad, np.array(count, np.int32)), flywheel.InvalidArgumentError)
            expect_equal(configuration, model["v"], v)


def test_out_of_range() -> None:
    """S3, X7: reads and writes in loops stay in their tensors; one that would not
    is an error of the step, which changes nothing."""
    text = """
train.variable @v : tensor<4xf64> = #train.zeros
train.variable @w : tensor<64xf64> = #train.ones
func.func @read(%x: tensor<?xf64>, %n: tensor<i64>) -> tensor<f64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f64
  %e = tensor.extract %n[] : tensor<i64>
  %count = arith.index_cast %e : i64 to index
  %s = scf.for %i = %c0 to %count step %c1 iter_args(%a = %z) -> f64 {
    %y = tensor.extract %x[%i] : tensor<?xf64>
    %b = arith.addf %a, %y : f64
    scf.yield %b : f64
  }
  %r = tensor.from_elements %s : tensor<f64>
  return %r : tensor<f64>
}
func.func @write(%n: tensor<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 5.0 : f64
  %e = tensor.extract %n[] : tensor<i64>
  %count = arith.index_cast %e : i64 to index
  %v = train.read @v : tensor<4xf64>
  %s = scf.for %i = %c0 to %count step %c1 iter_args(%a = %v) -> tensor<4xf64> {
    %b = tensor.insert %z into %a[%i] : tensor<4xf64>
    scf.yield %b : tensor<4xf64>
  }
  train.assign @v, %s : tensor<4xf64>
  return
}
func.func @parts(%x: tensor<?x3xf64>, %n: tensor<i64>) -> tensor<?x3xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.extract %n[] : tensor<i64>
  %count = arith.index_cast %e : i64 to index
  %s = scf.for %i = %c0 to %count step %c1 iter_args(%a = %x) -> tensor<?x3xf64> {
    %row = tensor.extract_slice %a[%i, 0] [1, 3] [1, 1] : tensor<?x3xf64> to tensor<3xf64>
    %new = math.sin %row : tensor<3xf64>
    %b = tensor.insert_slice %new into %a[%i, 0] [1, 3] [1, 1] : tensor<3xf64> into tensor<?x3xf64>
    scf.yield %b : tensor<?x3xf64>
  }
  return %s : tensor<?x3xf64>
}
func.func @gathered(%index: tensor<?xi64>, %n: tensor<1xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 7.0 : f64
  %v = train.read @v : tensor<4xf64>
  %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %v) -> tensor<4xf64> {
    %k = nn.gather %index, %n axis 0 : (tensor<?xi64>, tensor<1xi64>) -> tensor<1xi64>
    %e = tensor.extract %k[%c0] : tensor<1xi64>
    %j = arith.index_cast %e : i64 to index
    %b = tensor.insert %z into %a[%j] : tensor<4xf64>
    scf.yield %b : tensor<4xf64>
  }
  train.assign @v, %s : tensor<4xf64>
  return
}
func.func @generate(%y: tensor<9xf64>, %n: tensor<3xi64>) -> tensor<3xf64> {
  %s = tensor.generate {
  ^bb0(%i: index):
    %e = tensor.extract %n[%i] : tensor<3xi64>
    %k = arith.index_cast %e : i64 to index
    %v = tensor.extract %y[%k] : tensor<9xf64>
    tensor.yield %v : f64
  } : tensor<3xf64>
  return %s : tensor<3xf64>
}
"""
    x = np.random.default_rng(7).standard_normal((5, 3))
    y = np.arange(9.0)
    for configuration, model in configurations(text):
        model.initialize()
        expect_close(configuration, model.run("read", x[:, 0].copy(), np.array(5)), x[:, 0].sum())
        model.run("write", np.array(3))
        expect_equal(configuration, model["v"], np.array([5.0, 5, 5, 0]))
        expected = x.copy()
        expected[:4] = np.sin(x[:4])
        expect_close(configuration, model.run("parts", x, np.array(4)), expected)
        model.run("gathered", np.array([0, 1, 3]), np.array([2]))
        expect_equal(configuration, model["v"], np.array([5.0, 5, 5, 7]))
        expect_equal(configuration, model.run("generate", y, np.array([8, 0, 4])), y[[8, 0, 4]])
        for entry, feeds in (("read", (x[:, 0].copy(), np.array(6))), ("read", (np.empty(0), np.array(1))),
                             ("write", (np.array(40),)), ("parts", (x, np.array(60))),
                             ("parts", (np.empty((0, 3)), np.array(2))),
                             ("gathered", (np.array([0, 1, 20]), np.array([2]))),
                             ("gathered", (np.array([0, 1, 20]), np.array([3]))),
                             ("generate", (y, np.array([8, 9, 4])))):
            expect_error(f"{configuration} {entry}", "out of range", lambda: model.run(entry, *feeds))
            expect_equal(configuration, model["v"], np.array([5.0, 5, 5, 7]))
            expect_equal(configuration, model["w"], np.ones(64))


def test_dim_sizes() -> None:
    """X10, X11: dimension sizes are checked where a branch is taken and a loop has an iteration."""
    x = "tensor<?x?x?x2xf32>"
    text = f"""
func.func @branch(%c: tensor<i1>, %x: {x}, %w: tensor<3x3x2x2xf32>) -> (tensor<f32>, tensor<3x3x2x2xf32>) {{
  %condition = tensor.extract %c[] : tensor<i1>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %s = scf.if %condition -> tensor<f32> {{
    %y = nn.conv2d %x, %w : ({x}, tensor<3x3x2x2xf32>) -> {x}
    %l = nn.reduce sum %y axes [0, 1, 2, 3] : {x} -> tensor<f32>
    scf.yield %l : tensor<f32>
  }} else {{
    scf.yield %zero : tensor<f32>
  }}
  %g = train.gradient %s wrt %w : (tensor<f32>, tensor<3x3x2x2xf32>) -> tensor<3x3x2x2xf32>
  return %s, %g : tensor<f32>, tensor<3x3x2x2xf32>
}}
func.func @loop(%n: tensor<i64>, %x: tensor<?x?xf32>, %w: tensor<?x?xf32>) -> tensor<f32> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %number = tensor.extract %n[] : tensor<i64>
  %end = arith.index_cast %number : i64 to index
  %y = scf.for %i = %c0 to %end step %c1 iter_args(%h = %x) -> tensor<?x?xf32> {{
    %p = nn.matmul %h, %w : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %p : tensor<?x?xf32>
  }}
  %l = nn.reduce sum %y axes [0, 1] : tensor<?x?xf32> -> tensor<f32>
  return %l : tensor<f32>
}}
func.func @shrinks(%n: tensor<i64>, %x: tensor<?xf32>) -> tensor<f32> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %number = tensor.extract %n[] : tensor<i64>
  %end = arith.index_cast %number : i64 to index
  %y = scf.for %i = %c0 to %end step %c1 iter_args(%h = %x) -> tensor<?xf32> {{
    %m = tensor.dim %h, %c0 : tensor<?xf32>
    %k = arith.subi %m, %c1 : index
    %p = tensor.extract_slice %h[1] [%k] [1] : tensor<?xf32> to tensor<?xf32>
    scf.yield %p : tensor<?xf32>
  }}
  %l = nn.reduce sum %y axes [0] : tensor<?xf32> -> tensor<f32>
  return %l : tensor<f32>
}}
"""
    def ones(*shape: int) -> Array:
        return np.ones(shape, np.float32)

    for name, model in configurations(text):
        loss, gradient = model.run("branch", flag(True), ones(1, 4, 5, 2), ones(3, 3, 2, 2))
        expect_close(name, loss, 2 * 3 * 2 * 18)
        expect_close(name, gradient, 6 * ones(3, 3, 2, 2))
        small = ones(1, 2, 5, 2), ones(3, 3, 2, 2)
        expect_close(name, model.run("branch", flag(False), *small)[0], 0)
        expect_error(name, "expected an image whose height is at least 3.*, found 2",
                     lambda: model.run("branch", flag(True), *small))
        expect_close(name, model.run("loop", np.array(2), ones(2, 3), ones(3, 3)), 54)
        for left, right, words in (
            (ones(2, 3), ones(4, 3), "dimension 1 of a and dimension 0 of b, found 3 and 4 in 'nn.matmul'"),
            (ones(2, 3), ones(3, 4), "another one of dimension 1: 4 behind it and 3 in front in 'scf.for'"),
        ):
            if name in ("object", "workers"):  # A C program says a dimension size once.
                continue
            expect_error(name, words, lambda a=left, b=right: model.run("loop", np.array(1), a, b))  # type: ignore[misc]
            # A loop that does not run requires nothing.
            expect_close(name, model.run("loop", np.array(0), left, right), 6)
        expect_close(name, model.run("shrinks", np.array(0), ones(7)), 7)
        expect_error(name, "another one of dimension 0", lambda: model.run("shrinks", np.array(1), ones(7)))


run_tests([test_uninitialized, test_checks, test_slices, test_out_of_range, test_dim_sizes])
