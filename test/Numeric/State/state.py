# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Effects of steps on variables (A1, A2, A4, A5, A10). Calls of models are in `Calls/calls.py`."""

import numpy as np

from configurations import configurations, expect_close, expect_equal, expect_error, run_tests


def test_counter() -> None:
    """V1, V11, A1, A2: writes of one run are seen by the next; a tensor is not a variable."""
    text = """
train.variable @v : tensor<f32> = #train.zeros
func.func @add() -> (tensor<f32>, tensor<f32>) {
  %one = arith.constant dense<1.0> : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %new = train.assign_add @v, %one : tensor<f32>
  %other = arith.addf %zero, %one : tensor<f32>
  return %new, %other : tensor<f32>, tensor<f32>
}
func.func @plus() -> tensor<f32> {
  %one = arith.constant dense<1.0> : tensor<f32>
  %v = train.read @v : tensor<f32>
  %w = arith.addf %v, %one : tensor<f32>
  return %w : tensor<f32>
}
func.func @sub(%x: tensor<f32>) -> tensor<f32> {
  %new = train.assign_sub @v, %x : tensor<f32>
  return %new : tensor<f32>
}
func.func @set(%x: tensor<f32>) -> tensor<f32> {
  %new = train.assign @v, %x : tensor<f32>
  return %new : tensor<f32>
}
"""
    for configuration, model in configurations(text):
        model.initialize()
        expect_equal(configuration, model.run("plus"), np.float32(1))
        expect_equal(configuration, model["v"], np.float32(0))
        for run in (1, 2, 3):
            new, other = model.run("add")
            expect_equal(configuration, new, np.float32(run))
            expect_equal(configuration, other, np.float32(1))
        expect_equal(configuration, model["v"], np.float32(3))
        expect_equal(configuration, model.run("sub", np.array(5, np.float32)), np.float32(-2))
        expect_equal(configuration, model.run("set", np.array(7, np.float32)), np.float32(7))
        expect_equal(configuration, model["v"], np.float32(7))


def test_destinations() -> None:
    """A5: what starts from a variable leaves it as it is, unless it is assigned."""
    text = """
train.variable @v : tensor<3x3xf32> = #train.zeros
train.variable @w : tensor<3x3xf32> = #train.zeros
func.func @insert(%x: tensor<2x3xf32>) -> (tensor<3x3xf32>, tensor<3x3xf32>) {
  %v = train.read @v : tensor<3x3xf32>
  %t = tensor.insert_slice %x into %v[1, 0] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<3x3xf32>
  return %v, %t : tensor<3x3xf32>, tensor<3x3xf32>
}
func.func @element(%x: tensor<2x3xf32>) -> tensor<3x3xf32> {
  %c0 = arith.constant 0 : index
  %v = train.read @v : tensor<3x3xf32>
  %e = tensor.extract %x[%c0, %c0] : tensor<2x3xf32>
  %t = tensor.insert %e into %v[%c0, %c0] : tensor<3x3xf32>
  return %t : tensor<3x3xf32>
}
func.func @product(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %v = train.read @v : tensor<3x3xf32>
  %part = tensor.extract_slice %v[0, 0] [2, 3] [1, 1] : tensor<3x3xf32> to tensor<2x3xf32>
  %r = linalg.matmul ins(%x, %v : tensor<2x3xf32>, tensor<3x3xf32>) outs(%part : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @other(%x: tensor<2x3xf32>) {
  %v = train.read @v : tensor<3x3xf32>
  %t = tensor.insert_slice %x into %v[1, 0] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<3x3xf32>
  train.assign @w, %t : tensor<3x3xf32>
  return
}
func.func @both(%x: tensor<2x3xf32>) -> tensor<3x3xf32> {
  %v = train.read @v : tensor<3x3xf32>
  %t = tensor.insert_slice %x into %v[1, 0] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<3x3xf32>
  %u = tensor.insert_slice %x into %t[0, 0] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<3x3xf32>
  %r = linalg.matmul ins(%t, %v : tensor<3x3xf32>, tensor<3x3xf32>) outs(%t : tensor<3x3xf32>) -> tensor<3x3xf32>
  train.assign @v, %u : tensor<3x3xf32>
  return %r : tensor<3x3xf32>
}
"""
    x = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
    for configuration, model in configurations(text):
        v = np.arange(9, dtype=np.float32).reshape(3, 3)
        model.initialize()
        model["v"] = v
        for _ in range(2):
            inserted = np.concatenate([v[:1], x])
            old, new = model.run("insert", x)
            expect_equal(configuration, old, v)
            expect_equal(configuration, new, inserted)
            element = v.copy()
            element[0, 0] = x[0, 0]
            expect_equal(configuration, model.run("element", x), element)
            expect_equal(configuration, model.run("product", x), v[:2] + x @ v)
            model.run("other", x)
            expect_equal(configuration, model["v"], v)
            expect_equal(configuration, model["w"], inserted)
            expect_equal(configuration, model.run("both", x), inserted + inserted @ v)
            v = np.concatenate([x, inserted[2:]])
            expect_equal(configuration, model["v"], v)


def test_results_in_chain() -> None:
    """A5: a value keeps its own contents where a result is made of it in place."""
    kind = "tensor<3x3xf32>"
    part = "tensor<2x3xf32>"
    text = f"""
train.variable @v : {kind} = #train.zeros
func.func @f(%x: {kind}, %c: tensor<i1>) -> ({kind}, {kind}) {{
  %condition = tensor.extract %c[] : tensor<i1>
  %v = train.read @v : {kind}
  %t = arith.mulf %x, %x : {kind}
  %s = tensor.extract_slice %x[0, 0] [2, 3] [1, 1] : {kind} to {part}
  %u = tensor.insert_slice %s into %t[1, 0] [2, 3] [1, 1] : {part} into {kind}
  %w = arith.mulf %t, %u : {kind}
  scf.if %condition {{
    train.assign @v, %w : {kind}
  }}
  return %v, %u : {kind}, {kind}
}}
"""
    x = np.arange(9, dtype=np.float32).reshape(3, 3)
    for configuration, model in configurations(text):
        model.initialize()
        v = np.zeros((3, 3), np.float32)
        for taken in (True, False, True):
            old, new = model.run("f", x, np.array(taken))
            inserted = np.concatenate([(x * x)[:1], x[:2]])
            expect_equal(configuration, old, v)
            expect_equal(configuration, new, inserted)
            v = x * x * inserted if taken else v
            expect_equal(configuration, model["v"], v)
            x = x + 1


def test_products() -> None:
    """A5: a variable is updated in place from products of many shapes."""
    rng = np.random.default_rng(3)
    inner = 5
    text, values, feeds = "", {}, {}
    for m in (1, 7, 13, 64):
        for n in (1, 16, 33, 80):
            name, shape = f"{m}_{n}", f"tensor<{m}x{n}xf32>"
            text += f"""
train.variable @add{name} : {shape} = #train.zeros
train.variable @hand{name} : {shape} = #train.zeros
train.variable @state{name} : {shape} = #train.zeros {{trainable = false}}
func.func @step{name}(%a: tensor<{inner}x{m}xf32>, %b: tensor<{inner}x{n}xf32>) {{
  %p = nn.matmul %a, %b {{transpose_a}} : (tensor<{inner}x{m}xf32>, tensor<{inner}x{n}xf32>) -> {shape}
  train.assign_add @add{name}, %p : {shape}
  %w = train.read @hand{name} : {shape}
  %q = nn.matmul %a, %w : (tensor<{inner}x{m}xf32>, {shape}) -> tensor<{inner}x{n}xf32>
  %l = nn.l2_loss %q : tensor<{inner}x{n}xf32> -> tensor<f32>
  %g = train.gradient %l wrt %w : (tensor<f32>, {shape}) -> {shape}
  %lr = arith.constant dense<0.125> : {shape}
  %d = arith.mulf %g, %lr : {shape}
  train.assign_sub @hand{name}, %d : {shape}
  %h = train.read @state{name} : {shape}
  %c = nn.matmul %a, %b {{transpose_a}} : (tensor<{inner}x{m}xf32>, tensor<{inner}x{n}xf32>) -> {shape}
  %s = arith.addf %c, %h : {shape}
  %t = math.tanh %s : {shape}
  train.assign @state{name}, %t : {shape}
  return
}}
"""
            for kind in ("add", "hand", "state"):
                values[kind + name] = rng.standard_normal((m, n)).astype(np.float32)
            feeds[name] = tuple(rng.standard_normal((inner, k)).astype(np.float32) for k in (m, n))
    for configuration, model in configurations(text):
        model.initialize()
        for variable, value in values.items():
            model[variable] = value
        for name, (a, b) in feeds.items():
            model.run("step" + name, a, b)
            what = f"{configuration} {name}"
            hand = values["hand" + name]
            for kind, expected in (("add", values["add" + name] + a.T @ b),
                                   ("hand", hand - 0.125 * a.T @ (a @ hand)),
                                   ("state", np.tanh(a.T @ b + values["state" + name]))):
                expect_close(f"{what} {kind}", model[kind + name], expected, 2e-5)


def test_starting_points() -> None:
    """A5, A10: what starts from an assigned variable without updating it, and what
    reads in another place than it writes."""
    text = """
train.variable @w : tensor<4x5xf64> = #train.zeros
func.func @scatter(%i: tensor<2xi32>, %x: tensor<2x5xf64>, %y: tensor<4x5xf64>) -> tensor<4x5xf64> {
  train.assign_add @w, %y : tensor<4x5xf64>
  %w = train.read @w : tensor<4x5xf64>
  %s = nn.scatter %w, %i, %x axis 0 : (tensor<4x5xf64>, tensor<2xi32>, tensor<2x5xf64>) -> tensor<4x5xf64>
  %r = math.tanh %s : tensor<4x5xf64>
  return %r : tensor<4x5xf64>
}
func.func @insert(%x: tensor<2x5xf64>, %y: tensor<4x5xf64>) -> tensor<4x5xf64> {
  train.assign_add @w, %y : tensor<4x5xf64>
  %w = train.read @w : tensor<4x5xf64>
  %s = tensor.insert_slice %x into %w[1, 0] [2, 5] [1, 1] : tensor<2x5xf64> into tensor<4x5xf64>
  %r = math.tanh %s : tensor<4x5xf64>
  return %r : tensor<4x5xf64>
}
func.func @shift(%y: tensor<4x5xf64>) -> tensor<4x5xf64> {
  %t = math.tanh %y : tensor<4x5xf64>
  %part = tensor.extract_slice %t[0, 0] [3, 5] [1, 1] : tensor<4x5xf64> to tensor<3x5xf64>
  %s = tensor.insert_slice %part into %t[1, 0] [3, 5] [1, 1] : tensor<3x5xf64> into tensor<4x5xf64>
  train.assign @w, %s : tensor<4x5xf64>
  return %s : tensor<4x5xf64>
}
func.func @permute(%y: tensor<4x5xf64>) -> tensor<4x5xf64> {
  %i = arith.constant dense<[2, 3, 1, 0]> : tensor<4xi32>
  %t = math.tanh %y : tensor<4x5xf64>
  %s = nn.scatter %t, %i, %t axis 0 : (tensor<4x5xf64>, tensor<4xi32>, tensor<4x5xf64>) -> tensor<4x5xf64>
  return %s : tensor<4x5xf64>
}
func.func @permute_twice(%y: tensor<4x5xf64>) -> tensor<4x5xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i = arith.constant dense<[2, 3, 1, 0]> : tensor<4xi32>
  %r = scf.for %k = %c0 to %c2 step %c1 iter_args(%t = %y) -> tensor<4x5xf64> {
    %n = arith.addf %t, %y : tensor<4x5xf64>
    %s = nn.scatter %n, %i, %n axis 0 : (tensor<4x5xf64>, tensor<4xi32>, tensor<4x5xf64>) -> tensor<4x5xf64>
    scf.yield %s : tensor<4x5xf64>
  }
  return %r : tensor<4x5xf64>
}
"""
    rng = np.random.default_rng(5)
    w, y = rng.standard_normal((2, 4, 5))
    x, i = rng.standard_normal((2, 5)), np.array([3, 1], np.int32)
    order = np.array([2, 3, 1, 0])
    for configuration, model in configurations(text):
        model.initialize()
        model["w"] = w
        expected = w + y
        expected[i] = x
        expect_close(configuration, model.run("scatter", i, x, y), np.tanh(expected))
        expect_close(configuration, model["w"], w + y)
        expected = w + 2 * y
        expected[1:3] = x
        expect_close(configuration, model.run("insert", x, y), np.tanh(expected))
        expect_close(configuration, model["w"], w + 2 * y)
        expected = np.tanh(y)[[0, 0, 1, 2]]
        expect_close(configuration, model.run("shift", y), expected)
        expect_close(configuration, model["w"], expected)
        expected = np.empty_like(y)
        expected[order] = np.tanh(y)
        expect_close(configuration, model.run("permute", y), expected)
        once, twice = np.empty_like(y), np.empty_like(y)
        once[order] = y + y
        twice[order] = once + y
        expect_close(configuration, model.run("permute_twice", y), twice)


def test_checked_values() -> None:
    """S3: what a check depends on is also stored, once the check has passed."""
    text = """
train.variable @h : tensor<3xf64> = #train.zeros
func.func @result(%t: tensor<17x3xf64>, %z: tensor<3xf64>, %i: tensor<i32>) -> (tensor<3xf64>, tensor<3xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %h = math.tanh %z : tensor<3xf64>
  %s = scf.for %k = %c0 to %c3 step %c1 iter_args(%a = %z) -> tensor<3xf64> {
    %g = nn.gather %t, %i axis 0 : (tensor<17x3xf64>, tensor<i32>) -> tensor<3xf64>
    %b = arith.mulf %g, %h : tensor<3xf64>
    %n = arith.addf %a, %b : tensor<3xf64>
    scf.yield %n : tensor<3xf64>
  }
  return %h, %s : tensor<3xf64>, tensor<3xf64>
}
func.func @update(%t: tensor<17x3xf64>, %x: tensor<3xf64>) -> tensor<3xf64> {
  %c0 = arith.constant 0 : index
  train.assign_add @h, %x : tensor<3xf64>
  %h = train.read @h : tensor<3xf64>
  %first = tensor.extract_slice %h[0] [1] [1] : tensor<3xf64> to tensor<f64>
  %i = arith.fptosi %first : tensor<f64> to tensor<i32>
  %g = nn.gather %t, %i axis 0 : (tensor<17x3xf64>, tensor<i32>) -> tensor<3xf64>
  return %g : tensor<3xf64>
}
"""
    rng = np.random.default_rng(6)
    t, z, x = rng.standard_normal((17, 3)), rng.standard_normal(3), np.array([2.5, 1, -1])
    for configuration, model in configurations(text):
        model.initialize()
        h, s = model.run("result", t, z, np.array(4, np.int32))
        expect_close(configuration, h, np.tanh(z))
        expect_close(configuration, s, z + 3 * t[4] * np.tanh(z))
        expect_error(configuration, "index out of range: expected 0 <= index < 17 in .*, found 17",
                     lambda: model.run("result", t, z, np.array(17, np.int32)))
        expect_close(configuration, model.run("update", t, x), t[2])
        expect_close(configuration, model["h"], x)
        expect_error(configuration, "index out of range: expected 0 <= index < 17 in .*, found 22",
                     lambda: model.run("update", t, 8 * x))
        expect_close(configuration, model["h"], x)


def test_order() -> None:
    """A5, A9, A10: reads on both sides of writes, accumulation, swaps, chains."""
    kind = "tensor<5xf32>"
    body = f"""
train.variable @v : {kind} = #train.zeros
train.variable @a : {kind} = #train.ones
train.variable @b : {kind} = dense<2.0> : {kind}
func.func @both() -> ({kind}, {kind}, {kind}) {{
  %one = arith.constant dense<1.0> : {kind}
  %before = train.read @v : {kind}
  %new = train.assign_add @v, %one : {kind}
  %after = train.read @v : {kind}
  %sum = arith.addf %before, %after : {kind}
  return %before, %after, %sum : {kind}, {kind}, {kind}
}}
func.func @twice() -> ({kind}, {kind}) {{
  %one = arith.constant dense<1.0> : {kind}
  %first = train.assign_add @v, %one : {kind}
  %second = train.assign_add @v, %one : {kind}
  return %first, %second : {kind}, {kind}
}}
func.func @assign_then_add() {{
  %one = arith.constant dense<1.0> : {kind}
  %v = train.read @v : {kind}
  %next = arith.addf %v, %one : {kind}
  train.assign @v, %next : {kind}
  train.assign_add @v, %one : {kind}
  return
}}
func.func @add_then_assign() -> ({kind}, {kind}) {{
  %one = arith.constant dense<1.0> : {kind}
  %v = train.read @v : {kind}
  %next = arith.addf %v, %one : {kind}
  %added = train.assign_add @v, %one : {kind}
  %assigned = train.assign @v, %next : {kind}
  return %added, %assigned : {kind}, {kind}
}}
func.func @swap() {{
  %a = train.read @a : {kind}
  %b = train.read @b : {kind}
  train.assign @a, %b : {kind}
  train.assign @b, %a : {kind}
  return
}}
func.func @rotate() {{
  %a = train.read @a : {kind}
  %b = train.read @b : {kind}
  %v = train.read @v : {kind}
  train.assign @a, %b : {kind}
  train.assign @b, %v : {kind}
  train.assign @v, %a : {kind}
  return
}}
func.func @chain() {{
  %one = arith.constant dense<1.0> : {kind}
  %v1 = train.assign_add @v, %one : {kind}
  train.assign @a, %v1 : {kind}
  return
}}
func.func @cross() {{
  %a = train.read @a : {kind}
  %b = train.read @b : {kind}
  %sum = arith.addf %a, %b : {kind}
  %product = arith.mulf %a, %b : {kind}
  train.assign @a, %sum : {kind}
  train.assign @b, %product : {kind}
  return
}}
func.func @overwritten() -> {kind} {{
  %one = arith.constant dense<1.0> : {kind}
  %five = arith.constant dense<5.0> : {kind}
  train.assign @v, %one : {kind}
  %seen = train.read @v : {kind}
  train.assign @v, %five : {kind}
  return %seen : {kind}
}}
"""

    def full(value: float) -> np.ndarray:
        return np.full(5, value, np.float32)

    for configuration, model in configurations(body):
        model.initialize()
        for entry, results, v, a, b in (
                ("both", (0, 1, 1), 1, 1, 2), ("twice", (2, 3), 3, 1, 2), ("assign_then_add", None, 5, 1, 2),
                ("add_then_assign", (6, 6), 6, 1, 2), ("swap", None, 6, 2, 1), ("swap", None, 6, 1, 2),
                ("rotate", None, 1, 2, 6), ("chain", None, 2, 2, 6), ("cross", None, 2, 8, 12),
                ("overwritten", 1, 5, 8, 12)):
            found = model.run(entry)
            if results is None:
                assert found is None
            elif isinstance(results, tuple):
                for index, (one, expected) in enumerate(zip(found, results)):
                    expect_equal(f"{configuration} {entry} result {index}", one, full(expected))
            else:
                expect_equal(f"{configuration} {entry}", found, full(results))
            for name, expected in (("v", v), ("a", a), ("b", b)):
                expect_equal(f"{configuration} {entry} {name}", model[name], full(expected))


def test_dependencies() -> None:
    """A3, A6, A7, A8, A9: program order stands for control dependencies.

    An op of an entry is run, once, however many uses its result has; an op
    outside of it is not run.
    """
    text = """
train.variable @v : tensor<f32> = #train.zeros
train.variable @w : tensor<f32> = #train.zeros
func.func @read_value() -> tensor<f32> {
  %one = arith.constant dense<1.0> : tensor<f32>
  train.assign_add @v, %one : tensor<f32>
  %w = train.read @v : tensor<f32>
  return %w : tensor<f32>
}
func.func @once() -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %one = arith.constant dense<1.0> : tensor<f32>
  %inc = train.assign_add @v, %one : tensor<f32>
  %sum = arith.addf %inc, %inc : tensor<f32>
  return %inc, %inc, %sum : tensor<f32>, tensor<f32>, tensor<f32>
}
func.func @waits() -> tensor<2xf32> {
  %const = arith.constant dense<[5.0, 6.0]> : tensor<2xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  train.assign_add @v, %one : tensor<f32>
  return %const : tensor<2xf32>
}
func.func @group() {
  %one = arith.constant dense<1.0> : tensor<f32>
  %two = arith.constant dense<2.0> : tensor<f32>
  train.assign @v, %one : tensor<f32>
  train.assign @w, %two : tensor<f32>
  return
}
func.func @no_op() {
  return
}
func.func private @increment() -> tensor<f32> {
  %one = arith.constant dense<1.0> : tensor<f32>
  %inc = train.assign_add @v, %one : tensor<f32>
  return %inc : tensor<f32>
}
func.func @called() -> (tensor<f32>, tensor<f32>) {
  %a = func.call @increment() : () -> tensor<f32>
  %b = func.call @increment() : () -> tensor<f32>
  return %a, %b : tensor<f32>, tensor<f32>
}
"""
    for configuration, model in configurations(text):
        model.initialize()
        # A6: the read is after the assignment, and running it triggers that.
        expect_equal(configuration, model.run("read_value"), np.float32(1))
        expect_equal(configuration, model.run("read_value"), np.float32(2))
        expect_equal(configuration, model["v"], np.float32(2))
        # A2: at most once.
        for found, expected in zip(model.run("once"), (3, 3, 6)):
            expect_equal(configuration, found, np.float32(expected))
        expect_equal(configuration, model["v"], np.float32(3))
        # A7: no data says that the constant waits, the order does.
        expect_equal(configuration, model.run("waits"), np.array([5, 6], np.float32))
        expect_equal(configuration, model["v"], np.float32(4))
        # A8: a group runs all of it.
        assert model.run("group") is None and model.run("no_op") is None
        expect_equal(configuration, model["v"], np.float32(1))
        expect_equal(configuration, model["w"], np.float32(2))
        # A3: an assignment in a function is the same assignment.
        for found, expected in zip(model.run("called"), (2, 3)):
            expect_equal(configuration, found, np.float32(expected))


run_tests([test_counter, test_destinations, test_results_in_chain, test_products, test_starting_points,
           test_checked_values, test_order, test_dependencies])
