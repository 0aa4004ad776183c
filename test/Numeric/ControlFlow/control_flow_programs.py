# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Whole programs with loops and branches, against the same in numpy (G16, X10, A5).

Gradients are compared by the variables after a step of `sgd`, with central
differences of the numpy program.
"""

import numpy as np

import flywheel
from configurations import (
    Array,
    configurations,
    expect_close,
    expect_equal,
    expect_error,
    run_tests,
)
from differences import RATE, differences, expect_step


def test_power_iteration() -> None:
    """A variable that a loop updates, as often as the caller says."""
    text = """
train.variable @v : tensor<5x1xf64> = #train.ones
func.func @iterate(%a: tensor<5x5xf64>, %count: tensor<i32>) -> tensor<1x1xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n32 = tensor.extract %count[] : tensor<i32>
  %n = arith.index_cast %n32 : i32 to index
  scf.for %i = %c0 to %n step %c1 {
    %v = train.read @v : tensor<5x1xf64>
    %av = nn.matmul %a, %v : (tensor<5x5xf64>, tensor<5x1xf64>) -> tensor<5x1xf64>
    %q = arith.mulf %av, %av : tensor<5x1xf64>
    %s = nn.reduce sum %q axes [0, 1] : tensor<5x1xf64> -> tensor<f64>
    %norm = math.sqrt %s : tensor<f64>
    %norms = nn.broadcast %norm dims [] : (tensor<f64>) -> tensor<5x1xf64>
    %next = arith.divf %av, %norms : tensor<5x1xf64>
    train.assign @v, %next : tensor<5x1xf64>
  }
  %v = train.read @v : tensor<5x1xf64>
  %av = nn.matmul %a, %v : (tensor<5x5xf64>, tensor<5x1xf64>) -> tensor<5x1xf64>
  %value = nn.matmul %v, %av {transpose_a} : (tensor<5x1xf64>, tensor<5x1xf64>) -> tensor<1x1xf64>
  return %value : tensor<1x1xf64>
}
"""
    a = np.random.default_rng(0).standard_normal((5, 5))
    a = a @ a.T
    for configuration, model in configurations(text):
        model.initialize()
        v = np.ones((5, 1))
        for count in (0, 1, 7, 200):
            value = model.run("iterate", a, np.array(count, np.int32))
            for _ in range(count):
                v = a @ v / np.linalg.norm(a @ v)
            expect_close(configuration, value, v.T @ a @ v)
            expect_close(configuration, model["v"], v)
        expect_close(configuration, value[0, 0], np.linalg.eigvalsh(a)[-1])


def test_inner_descent() -> None:
    """A gradient in the body of a loop that is differentiated: steps of descent from
    a start that is learned."""
    text = f"""
train.variable @start : tensor<3xf64> = #train.ones
train.variable @rate : tensor<3xf64> = dense<0.05> : tensor<3xf64>
func.func @step(%target: tensor<3xf64>) -> tensor<f64> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %start = train.read @start : tensor<3xf64>
  %rate = train.read @rate : tensor<3xf64>
  %end = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %start) -> tensor<3xf64> {{
    %s = math.sin %x : tensor<3xf64>
    %d = arith.subf %s, %target : tensor<3xf64>
    %q = arith.mulf %d, %d : tensor<3xf64>
    %g = train.gradient %q wrt %x : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %m = arith.mulf %g, %rate : tensor<3xf64>
    %n = arith.subf %x, %m : tensor<3xf64>
    scf.yield %n : tensor<3xf64>
  }}
  %s = math.sin %end : tensor<3xf64>
  %d = arith.subf %s, %target : tensor<3xf64>
  %q = arith.mulf %d, %d : tensor<3xf64>
  %loss = nn.reduce sum %q axes [0] : tensor<3xf64> -> tensor<f64>
  train.minimize %loss : tensor<f64> with #train.sgd<lr = {RATE}>
  return %loss : tensor<f64>
}}
"""

    def loss(start: Array, rate: Array, target: Array) -> float:
        x = start
        for _ in range(4):
            x = x - rate * 2 * (np.sin(x) - target) * np.cos(x)
        return float(((np.sin(x) - target) ** 2).sum())

    target = np.array([0.3, -0.4, 0.9])
    for configuration, model in configurations(text):
        model.initialize()
        for _ in range(3):
            start, rate = model["start"], model["rate"]
            expect_close(configuration, model.run("step", target), loss(start, rate, target))
            expect_step(configuration, lambda v: loss(v, rate, target), start, model["start"])
            expect_step(configuration, lambda v: loss(start, v, target), rate, model["rate"])


def test_early_stopping() -> None:
    """Steps of training until the loss is small, or there have been enough."""
    text = """
train.variable @w : tensor<4x1xf64> = #train.zeros
func.func @fit(%x: tensor<?x4xf64>, %y: tensor<?x1xf64>, %tolerance: tensor<f64>) -> (tensor<i32>, tensor<f64>) {
  %zero = arith.constant dense<0> : tensor<i32>
  %one = arith.constant dense<1> : tensor<i32>
  %most = arith.constant dense<50> : tensor<i32>
  %large = arith.constant dense<1.0e30> : tensor<f64>
  %rate = arith.constant dense<0.2> : tensor<4x1xf64>
  %r:2 = scf.while (%i = %zero, %loss = %large) : (tensor<i32>, tensor<f64>) -> (tensor<i32>, tensor<f64>) {
    %below = arith.cmpi slt, %i, %most : tensor<i32>
    %far = arith.cmpf ogt, %loss, %tolerance : tensor<f64>
    %both = arith.andi %below, %far : tensor<i1>
    %go = tensor.extract %both[] : tensor<i1>
    scf.condition(%go) %i, %loss : tensor<i32>, tensor<f64>
  } do {
  ^bb0(%i: tensor<i32>, %old: tensor<f64>):
    %w = train.read @w : tensor<4x1xf64>
    %p = nn.matmul %x, %w : (tensor<?x4xf64>, tensor<4x1xf64>) -> tensor<?x1xf64>
    %d = arith.subf %p, %y : tensor<?x1xf64>
    %q = arith.mulf %d, %d : tensor<?x1xf64>
    %loss = nn.reduce mean %q axes [0, 1] : tensor<?x1xf64> -> tensor<f64>
    %g = train.gradient %loss wrt %w : (tensor<f64>, tensor<4x1xf64>) -> tensor<4x1xf64>
    %step = arith.mulf %g, %rate : tensor<4x1xf64>
    train.assign_sub @w, %step : tensor<4x1xf64>
    %j = arith.addi %i, %one : tensor<i32>
    scf.yield %j, %loss : tensor<i32>, tensor<f64>
  }
  return %r#0, %r#1 : tensor<i32>, tensor<f64>
}
"""
    rng = np.random.default_rng(0)
    for configuration, model in configurations(text):
        model.initialize()
        w, counts = np.zeros((4, 1)), set()
        for batch, tolerance in [(20, 1e-2), (33, 0.0), (7, 1e31)]:
            x = rng.standard_normal((batch, 4))
            y = x @ np.array([[1.0], [-2], [0.5], [3]]) + batch
            i, loss = 0, 1e30
            while i < 50 and loss > tolerance:
                d = x @ w - y
                loss = float((d * d).mean())
                w = w - 0.2 * 2 * x.T @ d / batch
                i += 1
            steps, found = model.run("fit", x, y, np.array(tolerance))
            expect_equal(configuration, steps, np.int32(i))
            expect_close(configuration, found, loss)
            expect_close(configuration, model["w"], w)
            counts.add(i)
        assert counts == {0, 50}, counts


def test_nested() -> None:
    """The trip count of an inner loop is the number of the outer one; a branch in a
    loop in a loop that may end early."""
    text = f"""
train.variable @w : tensor<2xf64> = dense<0.7> : tensor<2xf64>
func.func @triangle(%x: tensor<2xf64>) -> tensor<f64> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %w = train.read @w : tensor<2xf64>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> tensor<2xf64> {{
    %m = arith.minsi %i, %c4 : index
    %s = scf.for %j = %c0 to %m step %c1 iter_args(%b = %a) -> tensor<2xf64> {{
      %p = arith.mulf %b, %w : tensor<2xf64>
      %q = math.sin %p : tensor<2xf64>
      scf.yield %q : tensor<2xf64>
    }}
    %t = arith.addf %s, %a : tensor<2xf64>
    scf.yield %t : tensor<2xf64>
  }}
  %loss = nn.reduce sum %r axes [0] : tensor<2xf64> -> tensor<f64>
  train.minimize %loss : tensor<f64> with #train.sgd<lr = {RATE}>
  return %loss : tensor<f64>
}}
func.func @branches(%x: tensor<2xf64>, %limit: tensor<f64>) -> tensor<f64> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  %w = train.read @w : tensor<2xf64>
  %most = tensor.extract %limit[] : tensor<f64>
  %r:2 = scf.while (%i = %c0, %a = %x) : (index, tensor<2xf64>) -> (index, tensor<2xf64>) {{
    %e = tensor.extract %a[%c0] : tensor<2xf64>
    %small = arith.cmpf olt, %e, %most : f64
    %below = arith.cmpi slt, %i, %c6 : index
    %go = arith.andi %small, %below : i1
    scf.condition(%go) %i, %a : index, tensor<2xf64>
  }} do {{
  ^bb0(%i: index, %a: tensor<2xf64>):
    %s = scf.for %j = %c0 to %c3 step %c1 iter_args(%b = %a) -> tensor<2xf64> {{
      %k = arith.addi %i, %j : index
      %odd = arith.andi %k, %c1 : index
      %isOdd = arith.cmpi eq, %odd, %c1 : index
      %q = scf.if %isOdd -> tensor<2xf64> {{
        %p = arith.mulf %b, %w : tensor<2xf64>
        scf.yield %p : tensor<2xf64>
      }} else {{
        %p = arith.addf %b, %w : tensor<2xf64>
        scf.yield %p : tensor<2xf64>
      }}
      scf.yield %q : tensor<2xf64>
    }}
    %n = arith.addi %i, %c1 : index
    scf.yield %n, %s : index, tensor<2xf64>
  }}
  %loss = nn.reduce sum %r#1 axes [0] : tensor<2xf64> -> tensor<f64>
  train.minimize %loss : tensor<f64> with #train.sgd<lr = {RATE}>
  return %loss : tensor<f64>
}}
"""

    def triangle(w: Array, x: Array) -> float:
        a = x
        for i in range(4):
            b = a
            for _ in range(i):
                b = np.sin(b * w)
            a = b + a
        return float(a.sum())

    def branches(w: Array, x: Array, limit: float) -> float:
        a, i = x, 0
        while a[0] < limit and i < 6:
            for j in range(3):
                a = a * w if (i + j) % 2 else a + w
            i += 1
        return float(a.sum())

    x = np.array([0.4, -1.3])
    for configuration, model in configurations(text):
        model.initialize()
        w = model["w"]
        expect_close(configuration, model.run("triangle", x), triangle(w, x))
        expect_step(configuration, lambda v: triangle(v, x), w, model["w"])
        for limit in (0.0, 1.9, 1e9):
            w = model["w"]
            expect_close(configuration, model.run("branches", x, np.array(limit)), branches(w, x, limit))
            expect_step(configuration, lambda v: branches(v, x, limit), w, model["w"])


def test_clip_then_train() -> None:
    """A branch that assigns a weight which the loss after it reads."""
    text = f"""
train.variable @w : tensor<6xf64> = #train.ones
func.func @step(%x: tensor<6xf64>, %most: tensor<f64>) -> tensor<f64> {{
  %old = train.read @w : tensor<6xf64>
  %q = arith.mulf %old, %old : tensor<6xf64>
  %s = nn.reduce sum %q axes [0] : tensor<6xf64> -> tensor<f64>
  %norm = math.sqrt %s : tensor<f64>
  %large = arith.cmpf ogt, %norm, %most : tensor<f64>
  %c = tensor.extract %large[] : tensor<i1>
  scf.if %c {{
    %ratio = arith.divf %most, %norm : tensor<f64>
    %r = nn.broadcast %ratio dims [] : (tensor<f64>) -> tensor<6xf64>
    %clipped = arith.mulf %old, %r : tensor<6xf64>
    train.assign @w, %clipped : tensor<6xf64>
  }}
  %w = train.read @w : tensor<6xf64>
  %p = arith.mulf %w, %x : tensor<6xf64>
  %e = math.sin %p : tensor<6xf64>
  %loss = nn.reduce sum %e axes [0] : tensor<6xf64> -> tensor<f64>
  train.minimize %loss : tensor<f64> with #train.sgd<lr = {RATE}>
  return %loss : tensor<f64>
}}
"""
    x = np.linspace(-1, 2, 6)
    for configuration, model in configurations(text):
        model.initialize()
        for most in (10.0, 1.0, 0.5, 3.0):
            w = model["w"]
            w = w * min(1, most / np.linalg.norm(w))
            expect_close(configuration, model.run("step", x, np.array(most)), np.sin(w * x).sum())
            expect_step(configuration, lambda v: float(np.sin(v * x).sum()), w, model["w"])


def test_epoch() -> None:
    """S3: the steps of an epoch in a loop, over batches whose labels are checked: an
    error in any of them changes nothing."""
    text = f"""
train.variable @w : tensor<4x3xf64> = #train.random_normal<stddev = 0.1>
train.variable @steps : tensor<i64> = #train.zeros {{trainable = false}}
func.func @epoch(%x: tensor<?x8x4xf64>, %labels: tensor<?x8xi32>) -> tensor<f64> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant dense<1> : tensor<i64>
  %zero = arith.constant dense<0.0> : tensor<f64>
  %batches = tensor.dim %x, %c0 : tensor<?x8x4xf64>
  %total = scf.for %i = %c0 to %batches step %c1 iter_args(%sum = %zero) -> tensor<f64> {{
    %xi = tensor.extract_slice %x[%i, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<?x8x4xf64> to tensor<8x4xf64>
    %li = tensor.extract_slice %labels[%i, 0] [1, 8] [1, 1] : tensor<?x8xi32> to tensor<8xi32>
    %w = train.read @w : tensor<4x3xf64>
    %z = nn.matmul %xi, %w : (tensor<8x4xf64>, tensor<4x3xf64>) -> tensor<8x3xf64>
    %loss = nn.sparse_softmax_cross_entropy %z, %li : (tensor<8x3xf64>, tensor<8xi32>) -> tensor<f64>
    train.minimize %loss : tensor<f64> with #train.sgd<lr = {RATE}>
    train.assign_add @steps, %one : tensor<i64>
    %next = arith.addf %sum, %loss : tensor<f64>
    scf.yield %next : tensor<f64>
  }}
  return %total : tensor<f64>
}}
"""

    def loss(w: Array, x: Array, labels: Array) -> float:
        z = x @ w
        return float((np.log(np.exp(z).sum(1)) - z[range(8), labels]).mean())

    rng = np.random.default_rng(0)
    for configuration, model in configurations(text):
        model.initialize()
        steps = 0
        for batches in (3, 0, 5):
            x, labels = rng.standard_normal((batches, 8, 4)), rng.integers(0, 3, (batches, 8)).astype(np.int32)
            w, total = model["w"], 0.0
            for xi, li in zip(x, labels):
                total += loss(w, xi, li)
                w = w - RATE * differences(lambda v: loss(v, xi, li), w)
            expect_close(configuration, model.run("epoch", x, labels), total)
            expect_close(configuration, model["w"], w, 1e-8)
            steps += batches
            expect_equal(configuration, model["steps"], np.int64(steps))
            if batches:
                before = model.snapshot()
                labels[-1, 2] = 3
                expect_error(configuration, "label out of range: expected 0 <= label < 3",
                             lambda: model.run("epoch", x, labels), flywheel.InvalidArgumentError)
                for name, value in before.items():
                    expect_equal(f"{configuration}: {name}", model[name], value)


def test_batch_norm() -> None:
    """One layer for training and inference: a call says which, and is differentiated."""
    matrix, row = "tensor<?x4xf64>", "tensor<4xf64>"
    text = f"""
train.variable @mean : {row} = #train.zeros {{trainable = false}}
train.variable @shift : {row} = #train.ones
func.func private @normalize(%x: {matrix}, %training: tensor<i1>) -> {matrix} {{
  %t = tensor.extract %training[] : tensor<i1>
  %r = scf.if %t -> {matrix} {{
    %m = nn.reduce mean %x axes [0] : {matrix} -> {row}
    train.moving_average @mean, %m momentum 0.9 : {row}
    %ms = nn.broadcast %m dims [1] like %x : ({row}, {matrix}) -> {matrix}
    %y = arith.subf %x, %ms : {matrix}
    scf.yield %y : {matrix}
  }} else {{
    %m = train.read @mean : {row}
    %ms = nn.broadcast %m dims [1] like %x : ({row}, {matrix}) -> {matrix}
    %y = arith.subf %x, %ms : {matrix}
    scf.yield %y : {matrix}
  }}
  %shift = train.read @shift : {row}
  %s = nn.broadcast %shift dims [1] like %x : ({row}, {matrix}) -> {matrix}
  %y = arith.addf %r, %s : {matrix}
  return %y : {matrix}
}}
func.func @step(%x: {matrix}) -> tensor<f64> {{
  %yes = arith.constant dense<true> : tensor<i1>
  %y = func.call @normalize(%x, %yes) : ({matrix}, tensor<i1>) -> {matrix}
  %e = math.sin %y : {matrix}
  %loss = nn.reduce mean %e axes [0, 1] : {matrix} -> tensor<f64>
  train.minimize %loss : tensor<f64> with #train.sgd<lr = {RATE}>
  return %loss : tensor<f64>
}}
func.func @predict(%x: {matrix}) -> {matrix} {{
  %no = arith.constant dense<false> : tensor<i1>
  %y = func.call @normalize(%x, %no) : ({matrix}, tensor<i1>) -> {matrix}
  return %y : {matrix}
}}
"""
    rng = np.random.default_rng(0)
    for configuration, model in configurations(text):
        model.initialize()
        mean = np.zeros(4)
        for batch in (3, 16):
            x, shift = rng.standard_normal((batch, 4)), model["shift"]

            def loss(v: Array, x: Array = x) -> float:
                return float(np.sin(x - x.mean(0) + v).mean())

            expect_close(configuration, model.run("step", x), loss(shift))
            mean = 0.9 * mean + 0.1 * x.mean(0)
            expect_close(configuration, model["mean"], mean)
            expect_step(configuration, loss, shift, model["shift"])
            expect_close(configuration, model.run("predict", x), x - mean + model["shift"])


def test_backtracking() -> None:
    """A line search: the step is halved while it does not descend."""
    text = """
train.variable @x : tensor<3xf64> = dense<2.0> : tensor<3xf64>
func.func private @f(%x: tensor<3xf64>, %a: tensor<3xf64>) -> tensor<f64> {
  %q = arith.mulf %x, %x : tensor<3xf64>
  %p = arith.mulf %q, %a : tensor<3xf64>
  %s = nn.reduce sum %p axes [0] : tensor<3xf64> -> tensor<f64>
  return %s : tensor<f64>
}
func.func @search(%a: tensor<3xf64>) -> tensor<f64> {
  %one = arith.constant dense<1.0> : tensor<f64>
  %half = arith.constant dense<0.5> : tensor<f64>
  %x = train.read @x : tensor<3xf64>
  %f = func.call @f(%x, %a) : (tensor<3xf64>, tensor<3xf64>) -> tensor<f64>
  %g = train.gradient %f wrt %x : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  %r:2 = scf.while (%t = %one) : (tensor<f64>) -> (tensor<f64>, tensor<3xf64>) {
    %ts = nn.broadcast %t dims [] : (tensor<f64>) -> tensor<3xf64>
    %s = arith.mulf %ts, %g : tensor<3xf64>
    %n = arith.subf %x, %s : tensor<3xf64>
    %fn = func.call @f(%n, %a) : (tensor<3xf64>, tensor<3xf64>) -> tensor<f64>
    %worse = arith.cmpf uge, %fn, %f : tensor<f64>
    %go = tensor.extract %worse[] : tensor<i1>
    scf.condition(%go) %t, %n : tensor<f64>, tensor<3xf64>
  } do {
  ^bb0(%t: tensor<f64>, %n: tensor<3xf64>):
    %smaller = arith.mulf %t, %half : tensor<f64>
    scf.yield %smaller : tensor<f64>
  }
  train.assign @x, %r#1 : tensor<3xf64>
  return %r#0 : tensor<f64>
}
"""
    a = np.array([1.0, 5.0, 20.0])
    for configuration, model in configurations(text):
        model.initialize()
        x = np.full(3, 2.0)
        for _ in range(4):
            t, g = 1.0, 2 * a * x
            while (a * (x - t * g) ** 2).sum() >= (a * x * x).sum():
                t *= 0.5
            x = x - t * g
            expect_equal(configuration, model.run("search", a), np.float64(t))
            expect_close(configuration, model["x"], x)


def test_part_kept_across_a_branch() -> None:
    """T32: a value of which a branch yields a part is unchanged, also if no other op reads it later."""
    text = """
func.func @f(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %y: tensor<2x8xf32>, %p: tensor<i1>)
    -> (tensor<2x8xf32>, tensor<?x8xf32>) {
  %a = nn.matmul %x, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %c = tensor.extract %p[] : tensor<i1>
  %s = scf.if %c -> tensor<2x8xf32> {
    %v = tensor.extract_slice %a[1, 0] [2, 8] [1, 1] : tensor<?x8xf32> to tensor<2x8xf32>
    scf.yield %v : tensor<2x8xf32>
  } else {
    scf.yield %y : tensor<2x8xf32>
  }
  %e = math.tanh %a : tensor<?x8xf32>
  %z = nn.matmul %e, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %q = arith.negf %s : tensor<2x8xf32>
  return %q, %z : tensor<2x8xf32>, tensor<?x8xf32>
}
"""
    rng = np.random.default_rng(2)
    x, w, y = (rng.standard_normal(shape).astype(np.float32) for shape in ((5, 8), (8, 8), (2, 8)))
    a = x @ w
    for configuration, model in configurations(text):
        for branch, part in ((True, a[1:3]), (False, y)):
            found, other = model.run("f", x, w, y, np.array(branch))
            expect_close(configuration, found, -part)
            expect_close(configuration, other, np.tanh(a) @ w)


run_tests([test_power_iteration, test_inner_descent, test_early_stopping, test_nested, test_clip_then_train, test_epoch,
           test_batch_norm, test_backtracking, test_part_kept_across_a_branch])
