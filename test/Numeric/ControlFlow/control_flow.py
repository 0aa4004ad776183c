# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Assignments inside branches and loops (A5, A10, R4).

Among them programs with tensors and products inside.
"""

import numpy as np

from configurations import (
    Array,
    configurations,
    expect_close,
    expect_equal,
    run_tests,
)


def flag(value: bool) -> Array:
    return np.array(value)


def test_branches() -> None:
    """A5.7: writes happen where the branch is taken; reads see the version there."""
    kind = "tensor<5xf32>"
    text = f"""
train.variable @v : {kind} = #train.zeros
train.variable @w : {kind} = #train.ones
func.func @maybe(%c: tensor<i1>, %x: {kind}) -> ({kind}, {kind}) {{
  %condition = tensor.extract %c[] : tensor<i1>
  %before = train.read @v : {kind}
  scf.if %condition {{
    %e = math.exp %x : {kind}
    train.assign_add @v, %e : {kind}
    train.assign_add @v, %e : {kind}
  }}
  %after = train.read @v : {kind}
  return %before, %after : {kind}, {kind}
}}
func.func @either(%c: tensor<i1>, %x: {kind}) {{
  %condition = tensor.extract %c[] : tensor<i1>
  scf.if %condition {{
    train.assign @v, %x : {kind}
  }} else {{
    train.assign_sub @w, %x : {kind}
  }}
  return
}}
func.func @nested(%c: tensor<i1>, %d: tensor<i1>, %x: {kind}) -> {kind} {{
  %c0 = tensor.extract %c[] : tensor<i1>
  %d0 = tensor.extract %d[] : tensor<i1>
  %old = train.read @v : {kind}
  train.assign_add @v, %x : {kind}
  scf.if %c0 {{
    %inner = train.read @v : {kind}
    scf.if %d0 {{
      train.assign @v, %old : {kind}
    }} else {{
      train.assign @w, %inner : {kind}
    }}
    train.assign_add @v, %x : {kind}
  }}
  %sum = train.read @v : {kind}
  return %sum : {kind}
}}
func.func @swap(%c: tensor<i1>) {{
  %condition = tensor.extract %c[] : tensor<i1>
  scf.if %condition {{
    %v = train.read @v : {kind}
    %w = train.read @w : {kind}
    train.assign @v, %w : {kind}
    train.assign @w, %v : {kind}
  }}
  return
}}
func.func @cross(%c: tensor<i1>) {{
  %condition = tensor.extract %c[] : tensor<i1>
  scf.if %condition {{
    %v = train.read @v : {kind}
    %w = train.read @w : {kind}
    %sum = arith.addf %v, %w : {kind}
    %product = arith.mulf %v, %w : {kind}
    train.assign @v, %sum : {kind}
    train.assign @w, %product : {kind}
  }}
  return
}}
func.func @choose(%c: tensor<i1>) -> {kind} {{
  %condition = tensor.extract %c[] : tensor<i1>
  %v = train.read @v : {kind}
  %w = train.read @w : {kind}
  %chosen = scf.if %condition -> {kind} {{
    scf.yield %v : {kind}
  }} else {{
    train.assign @v, %w : {kind}
    scf.yield %v : {kind}
  }}
  train.assign @v, %w : {kind}
  return %chosen : {kind}
}}
"""
    x = np.array([1, 2, 3, 4, 5], np.float32)
    for configuration, model in configurations(text):
        model.initialize()
        v, w = np.zeros(5, np.float32), np.ones(5, np.float32)
        for taken in (False, True):
            before, after = model.run("maybe", flag(taken), x)
            expect_equal(configuration, before, v)
            v = v + taken * (np.exp(x) + np.exp(x))
            expect_close(configuration, after, v)
            v = model["v"]
        for taken in (False, True):
            model.run("either", flag(taken), x)
            v, w = (x, w) if taken else (v, w - x)
            expect_close(configuration, model["v"], v)
            expect_equal(configuration, model["w"], w)
        for c in (False, True):
            for d in (False, True):
                if c and not d:
                    w = v + x
                v = v + x if not c else v + x if d else v + x + x
                expect_equal(configuration, model.run("nested", flag(c), flag(d), x), v)
                expect_equal(configuration, model["w"], w)
        for taken in (False, True):
            model.run("swap", flag(taken))
            v, w = (w, v) if taken else (v, w)
            expect_equal(configuration, model["v"], v)
            expect_equal(configuration, model["w"], w)
        for taken in (False, True):
            model.run("cross", flag(taken))
            v, w = (v + w, v * w) if taken else (v, w)
            expect_equal(configuration, model["v"], v)
            expect_equal(configuration, model["w"], w)
        for taken in (False, True):
            expect_equal(configuration, model.run("choose", flag(taken)), v)
            v = w
            expect_equal(configuration, model["v"], v)


def test_loops() -> None:
    """A5.7: a write an iteration; the trip count may depend on the data."""
    text = """
train.variable @v : tensor<33xf32> = #train.ones
train.variable @w : tensor<33xf32> = #train.zeros
train.variable @n : tensor<i64> = #train.zeros
func.func @power(%x: tensor<33xf32>, %count: tensor<i64>) -> (tensor<33xf32>, tensor<33xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = tensor.extract %count[] : tensor<i64>
  %trips = arith.index_cast %c64 : i64 to index
  %start = train.read @v : tensor<33xf32>
  scf.for %i = %c0 to %trips step %c1 {
    %v = train.read @v : tensor<33xf32>
    %next = arith.mulf %v, %x : tensor<33xf32>
    train.assign @v, %next : tensor<33xf32>
    train.assign_add @w, %next : tensor<33xf32>
  }
  %end = train.read @v : tensor<33xf32>
  return %start, %end : tensor<33xf32>, tensor<33xf32>
}
func.func @fibonacci(%count: tensor<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = tensor.extract %count[] : tensor<i64>
  %trips = arith.index_cast %c64 : i64 to index
  scf.for %i = %c0 to %trips step %c1 {
    %v = train.read @v : tensor<33xf32>
    %w = train.read @w : tensor<33xf32>
    %sum = arith.addf %v, %w : tensor<33xf32>
    train.assign @v, %w : tensor<33xf32>
    train.assign @w, %sum : tensor<33xf32>
  }
  return
}
func.func @collatz() -> tensor<i64> {
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %three = arith.constant dense<3> : tensor<i64>
  %s0 = arith.constant 0 : i64
  %s1 = arith.constant 1 : i64
  %s2 = arith.constant 2 : i64
  %count = scf.while (%k = %zero) : (tensor<i64>) -> tensor<i64> {
    %n = train.read @n : tensor<i64>
    %s = tensor.extract %n[] : tensor<i64>
    %go = arith.cmpi sgt, %s, %s1 : i64
    scf.condition(%go) %k : tensor<i64>
  } do {
  ^bb0(%k: tensor<i64>):
    %n = train.read @n : tensor<i64>
    %s = tensor.extract %n[] : tensor<i64>
    %r = arith.andi %s, %s1 : i64
    %even = arith.cmpi eq, %r, %s0 : i64
    scf.if %even {
      %h = arith.shrui %n, %one : tensor<i64>
      train.assign @n, %h : tensor<i64>
    } else {
      %h = arith.muli %n, %three : tensor<i64>
      %h1 = arith.addi %h, %one : tensor<i64>
      train.assign @n, %h1 : tensor<i64>
    }
    %next = arith.addi %k, %one : tensor<i64>
    scf.yield %next : tensor<i64>
  }
  return %count : tensor<i64>
}
"""
    rng = np.random.default_rng(0)
    x = rng.uniform(0.5, 1.5, 33).astype(np.float32)
    for configuration, model in configurations(text):
        model.initialize()
        v, w = np.ones(33, np.float32), np.zeros(33, np.float32)
        for count in (0, 1, 3):
            start, end = model.run("power", x, np.array(count, np.int64))
            expect_equal(configuration, start, v)
            for _ in range(count):
                v = v * x
                w = w + v
            expect_close(configuration, end, v)
            expect_close(configuration, model["w"], w)
            v, w = model["v"], model["w"]
        model.run("fibonacci", np.array(5, np.int64))
        for _ in range(5):
            v, w = w, v + w
        expect_equal(configuration, model["v"], v)
        expect_equal(configuration, model["w"], w)
        model["n"] = 27
        expect_equal(configuration, model.run("collatz"), np.int64(111))
        expect_equal(configuration, model["n"], np.int64(1))
        expect_equal(configuration, model.run("collatz"), np.int64(0))


def test_while_lists() -> None:
    """A5.7: what a loop passes on may be another list than what it carries."""
    kind = "tensor<3xf32>"
    text = f"""
train.variable @v : {kind} = #train.zeros
func.func @other(%x: {kind}, %count: tensor<i64>) -> {kind} {{
  %n = tensor.extract %count[] : tensor<i64>
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %r, %k = scf.while (%g = %x, %i = %c0) : ({kind}, i64) -> ({kind}, i64) {{
    %t = train.assign_sub @v, %x : {kind}
    %go = arith.cmpi slt, %i, %n : i64
    scf.condition(%go) %t, %i : {kind}, i64
  }} do {{
  ^bb0(%h: {kind}, %i: i64):
    %j = arith.addi %i, %c1 : i64
    scf.yield %h, %j : {kind}, i64
  }}
  return %r : {kind}
}}
func.func @outer(%x: {kind}, %count: tensor<i64>) -> ({kind}, {kind}) {{
  %n = tensor.extract %count[] : tensor<i64>
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %start = train.assign_sub @v, %x : {kind}
  %a, %b, %k = scf.while (%g = %start, %h = %start, %i = %c0) : ({kind}, {kind}, i64) -> ({kind}, {kind}, i64) {{
    %t = train.assign_add @v, %h : {kind}
    %go = arith.cmpi slt, %i, %n : i64
    scf.condition(%go) %g, %x, %i : {kind}, {kind}, i64
  }} do {{
  ^bb0(%g: {kind}, %h: {kind}, %i: i64):
    %j = arith.addi %i, %c1 : i64
    %sum = arith.addf %g, %h : {kind}
    scf.yield %sum, %g, %j : {kind}, {kind}, i64
  }}
  return %a, %b : {kind}, {kind}
}}
func.func @fewer(%x: {kind}, %count: tensor<i64>) -> ({kind}, {kind}) {{
  %n = tensor.extract %count[] : tensor<i64>
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %i0, %a, %b = scf.while (%i = %c0, %g = %x) : (i64, {kind}) -> (i64, {kind}, {kind}) {{
    %s = arith.addf %g, %x : {kind}
    %p = arith.mulf %g, %x : {kind}
    %go = arith.cmpi slt, %i, %n : i64
    scf.condition(%go) %i, %s, %p : i64, {kind}, {kind}
  }} do {{
  ^bb0(%i: i64, %s: {kind}, %p: {kind}):
    %j = arith.addi %i, %c1 : i64
    %d = arith.subf %p, %s : {kind}
    scf.yield %j, %d : i64, {kind}
  }}
  return %a, %b : {kind}, {kind}
}}
"""
    x = np.array([1, 2, 3], np.float32)
    for configuration, model in configurations(text):
        model.initialize()
        for n in range(4):
            count = np.array(n, np.int64)
            v = model["v"].copy()
            expect_equal(configuration, model.run("other", x, count), v - (n + 1) * x)
            expect_equal(configuration, model["v"], v - (n + 1) * x)

            v = model["v"] - x
            g = h = v
            for i in range(n + 1):
                v = v + h
                if i < n:
                    g, h = g + x, g
            a, b = model.run("outer", x, count)
            expect_equal(configuration, a, g)
            expect_equal(configuration, b, x)
            expect_equal(configuration, model["v"], v)

            g = x
            for _ in range(n):
                g = g * x - (g + x)
            a, b = model.run("fewer", x, count)
            expect_equal(configuration, a, g + x)
            expect_equal(configuration, b, g * x)


def test_training() -> None:
    """R4, A10: products, an optimizer and a batch of any size in a branch; every k-th step decays; weights are clipped
    after the update."""
    text = """
train.variable @w : tensor<7x3xf32> = #train.ones
train.variable @mean : tensor<7x3xf32> = #train.zeros {trainable = false}
train.variable @step : tensor<i64> = #train.zeros {trainable = false}
func.func @train_step(%on: tensor<i1>, %x: tensor<?x7xf32>, %t: tensor<?x3xf32>) -> tensor<f32> {
  %one = arith.constant dense<1> : tensor<i64>
  %two = arith.constant 2 : i64
  %zero = arith.constant 0 : i64
  %condition = tensor.extract %on[] : tensor<i1>
  %loss = scf.if %condition -> tensor<f32> {
    %w = train.read @w : tensor<7x3xf32>
    %y = nn.matmul %x, %w : (tensor<?x7xf32>, tensor<7x3xf32>) -> tensor<?x3xf32>
    %d = arith.subf %y, %t : tensor<?x3xf32>
    %square = arith.mulf %d, %d : tensor<?x3xf32>
    %mean = nn.reduce mean %square axes [0, 1] : tensor<?x3xf32> -> tensor<f32>
    train.minimize %mean : tensor<f32> with #train.sgd<lr = 0.1>
    scf.yield %mean : tensor<f32>
  } else {
    %none = arith.constant dense<-1.0> : tensor<f32>
    scf.yield %none : tensor<f32>
  }
  %n = train.assign_add @step, %one : tensor<i64>
  %count = tensor.extract %n[] : tensor<i64>
  %rest = arith.remsi %count, %two : i64
  %even = arith.cmpi eq, %rest, %zero : i64
  scf.if %even {
    %w = train.read @w : tensor<7x3xf32>
    %half = arith.constant dense<0.5> : tensor<7x3xf32>
    %scaled = arith.mulf %w, %half : tensor<7x3xf32>
    train.assign @w, %scaled : tensor<7x3xf32>
    %m = train.read @mean : tensor<7x3xf32>
    %sum = arith.addf %m, %scaled : tensor<7x3xf32>
    train.assign @mean, %sum : tensor<7x3xf32>
  }
  return %loss : tensor<f32>
}
func.func @clip(%x: tensor<?x7xf32>, %bound: tensor<f32>) {
  %c0 = arith.constant 0 : index
  %w = train.read @w : tensor<7x3xf32>
  %y = nn.matmul %x, %w : (tensor<?x7xf32>, tensor<7x3xf32>) -> tensor<?x3xf32>
  %loss = nn.reduce mean %y axes [0, 1] : tensor<?x3xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 0.1>
  %new = train.read @w : tensor<7x3xf32>
  %first = tensor.extract %new[%c0, %c0] : tensor<7x3xf32>
  %limit = tensor.extract %bound[] : tensor<f32>
  %large = arith.cmpf ogt, %first, %limit : f32
  scf.if %large {
    %zero = arith.constant dense<0.0> : tensor<7x3xf32>
    train.assign @w, %zero : tensor<7x3xf32>
  }
  return
}
"""
    rng = np.random.default_rng(0)
    for configuration, model in configurations(text):
        model.initialize()
        w, mean = np.ones((7, 3), np.float32), np.zeros((7, 3), np.float32)
        for step, (on, batch) in enumerate([(True, 4), (False, 5), (True, 17), (True, 1), (False, 3), (True, 64)]):
            x = rng.standard_normal((batch, 7)).astype(np.float32)
            t = rng.standard_normal((batch, 3)).astype(np.float32)
            loss = model.run("train_step", flag(on), x, t)
            if on:
                d = x @ w - t
                expect_close(configuration, loss, np.float32(np.mean(d * d)), 1e-4)
                w = w - np.float32(0.1) * (x.T @ d * np.float32(2 / d.size))
            else:
                expect_equal(configuration, loss, np.float32(-1))
            if step % 2:
                w = w * np.float32(0.5)
                mean = mean + w
            expect_close(configuration, model["w"], w, 1e-4)
            expect_close(configuration, model["mean"], mean, 1e-4)
        x = np.ones((2, 7), np.float32)
        w = model["w"] - np.float32(0.1 / 3)
        model.run("clip", x, np.array(100, np.float32))
        expect_close(configuration, model["w"], w)
        model.run("clip", x, np.array(-100, np.float32))
        expect_equal(configuration, model["w"], np.zeros((7, 3), np.float32))


run_tests([test_branches, test_loops, test_while_lists, test_training])
