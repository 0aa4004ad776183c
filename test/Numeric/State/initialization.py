# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Initialization of variables: which ones, from what and in which order (I7 to I9, S1 to S5, C2)."""

from typing import Dict, List

import numpy as np

from configurations import Array, configurations, expect_equal, expect_error, run_tests


def scalar(value: float) -> Array:
    return np.array(value, np.float32)


def test_some() -> None:
    """S2, S4, S5, C2: GLOBAL by default, a collection or names; others keep their values."""
    text = """
train.variable @a : tensor<f32> = #train.ones
train.variable @c : tensor<f32> = #train.ones {collections = ["LOCAL"]}
train.variable @b : tensor<f32> = #train.ones {trainable = false}
train.variable @d : tensor<f32> = #train.ones {collections = ["GLOBAL", "mine"]}
func.func @double() {
  %a = train.read @a : tensor<f32>
  train.assign_add @a, %a : tensor<f32>
  %d = train.read @d : tensor<f32>
  train.assign_add @d, %d : tensor<f32>
  return
}
func.func @ask() -> (tensor<i1>, tensor<i1>, tensor<i1>, tensor<f32>) {
  %a = train.is_initialized @a : tensor<i1>
  %c = train.is_initialized @c : tensor<i1>
  %one = arith.constant dense<1.0> : tensor<f32>
  %before = train.is_initialized @b : tensor<i1>
  %new = train.assign @b, %one : tensor<f32>
  %after = train.is_initialized @b : tensor<i1>
  %both = arith.andi %after, %a : tensor<i1>
  return %a, %c, %both, %new : tensor<i1>, tensor<i1>, tensor<i1>, tensor<f32>
}
"""
    for configuration, model in configurations(text):
        model.initialize(1, [])
        for name in "abcd":
            assert not model.is_initialized(name), (configuration, name)
        asked = model.run("ask")
        expect_equal(configuration, asked[0], np.array(False))
        expect_equal(configuration, asked[2], np.array(False))
        assert model.is_initialized("b")
        model.initialize()
        assert [model.is_initialized(name) for name in "abcd"] == [True, True, False, True], configuration
        model.run("double")
        asked = model.run("ask")
        for found, expected in zip(asked[:3], (True, False, True)):
            expect_equal(configuration, found, np.array(expected))
        model.initialize(1, collection="LOCAL")
        assert model.is_initialized("c")
        expect_equal(configuration, model["a"], scalar(2))
        model.initialize(1, collection="mine")
        expect_equal(configuration, model["a"], scalar(2))
        expect_equal(configuration, model["d"], scalar(1))
        model.initialize(1, ["a"])
        expect_equal(configuration, model["a"], scalar(1))
        # S2: nothing is in it, nothing happens.
        model.initialize(1, collection="nobody")


VALUES = """
train.variable @w : tensor<f32> init {
  %v = train.initialized_value @v : tensor<f32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %sum = arith.addf %v, %one : tensor<f32>
  train.yield %sum : tensor<f32>
}
train.variable @plain : tensor<f32> init {
  %v = train.read @v : tensor<f32>
  %w = train.read @w : tensor<f32>
  %sum = arith.addf %v, %w : tensor<f32>
  train.yield %sum : tensor<f32>
}
train.variable @v : tensor<f32> = #train.zeros
func.func @set(%x: tensor<f32>) {
  train.assign @v, %x : tensor<f32>
  return
}
func.func @look() -> (tensor<f32>, tensor<i1>) {
  %w = train.initialized_value @w : tensor<f32>
  %is = train.is_initialized @w : tensor<i1>
  return %w, %is : tensor<f32>, tensor<i1>
}
func.func @keep() -> tensor<f32> {
  %w = train.initialized_value @w : tensor<f32>
  %sum = arith.addf %w, %w : tensor<f32>
  %new = train.assign @w, %sum : tensor<f32>
  return %new : tensor<f32>
}
"""


def test_dependent() -> None:
    """I8, S3: v first; one initialiser alone; a value or the initial value."""
    for configuration, model in configurations(VALUES):
        # Only w's initialiser, v without a value: w = 1 and v stays so.
        model.initialize(1, ["w"])
        expect_equal(configuration, model["w"], scalar(1))
        assert not model.is_initialized("v"), configuration
        # A plain read of v needs it, and nothing changes.
        expect_error(configuration, "Attempting to use uninitialized value v",
                     lambda: model.initialize(1, ["plain"]))
        assert not model.is_initialized("plain"), configuration
        model.initialize(1, ["plain", "v"])
        expect_equal(configuration, model["plain"], scalar(1))
        # v is 5: w = 6.
        model.run("set", scalar(5))
        model.initialize(1, ["w"])
        expect_equal(configuration, model["w"], scalar(6))
        # All at once: v is new before w and plain are computed.
        model.initialize(1)
        for name, value in (("v", 0), ("w", 1), ("plain", 1)):
            expect_equal(f"{configuration} {name}", model[name], scalar(value))


def test_initialized_value_in_a_step() -> None:
    """I8: the initial value of what has none, which stays as it is until it is written."""
    for configuration, model in configurations(VALUES):
        model.initialize(1, [])
        found, has = model.run("look")
        expect_equal(configuration, found, scalar(1))
        expect_equal(configuration, has, np.array(False))
        assert not model.is_initialized("w") and not model.is_initialized("v"), configuration
        model.run("set", scalar(41))
        expect_equal(configuration, model.run("look")[0], scalar(42))
        expect_equal(configuration, model.run("keep"), scalar(84))
        assert model.is_initialized("w")
        found, has = model.run("look")
        expect_equal(configuration, found, scalar(84))
        expect_equal(configuration, has, np.array(True))
        expect_equal(configuration, model.run("keep"), scalar(168))


def test_samples() -> None:
    """I7, I8, I9, X9: one sample in one request; streams go on a variable at a time."""
    text = """
train.variable @v : tensor<6xf32> = #train.random_normal
train.variable @w : tensor<6xf32> init {
  %v = train.initialized_value @v : tensor<6xf32>
  train.yield %v : tensor<6xf32>
}
train.variable @u : tensor<3x4xf64> = #train.random_uniform<seed = 5>
func.func @noise() -> (tensor<3x4xf64>, tensor<2x3xf32>) {
  %u = train.random #train.random_uniform<seed = 5> -> tensor<3x4xf64>
  %n = train.random #train.truncated_normal<stddev = 2.0> -> tensor<2x3xf32>
  return %u, %n : tensor<3x4xf64>, tensor<2x3xf32>
}
func.func @batch(%x: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>) {
  %zero = arith.constant 0 : index
  %n = tensor.dim %x, %zero : tensor<?x3xf32>
  %r = train.random #train.random_normal(%n) -> tensor<?x3xf32>
  %y = arith.addf %x, %r : tensor<?x3xf32>
  %z = arith.subf %y, %x : tensor<?x3xf32>
  return %r, %y : tensor<?x3xf32>, tensor<?x3xf32>
}
"""
    known: Dict[str, Array] = {}

    def same(what: str, found: Array) -> Array:
        """Every configuration gives the same bits."""
        expect_equal(what, found, known.setdefault(what, np.array(found)))
        return np.array(found)

    for configuration, model in configurations(text):
        model.initialize(7)
        first = same("v", model["v"])
        expect_equal(configuration, model["w"], first)
        uniform = same("u", model["u"])
        model.initialize(7, ["v"])
        second = same("second v", model["v"])
        assert not np.array_equal(first, second)
        expect_equal(f"{configuration}: others keep their place", model["u"], uniform)
        model.initialize(7, ["u"])
        assert not np.array_equal(same("second u", model["u"]), uniform)
        model.initialize(7)
        assert not np.array_equal(same("third v", model["v"]), second)

        draws = [same(f"draw {run}", model.run("noise")[0]) for run in range(4)]
        draws.append(same("normal", model.run("noise")[1]))
        assert all(not np.array_equal(draws[0], draw) for draw in draws[1:4])
        assert abs(draws[4]).max() <= 4.0 and draws[0].min() >= 0.0 and draws[0].max() < 1.0
        # Initialised again, the op goes on with other draws.
        model.initialize(7)
        assert all(not np.array_equal(model.run("noise")[0], draw) for draw in draws[:4])
        # An element depends on its position, not on the batch.
        rows = np.arange(15, dtype=np.float32).reshape(5, 3)
        model.initialize(9, ["random", "random_1", "random_2"])
        r, y = model.run("batch", rows)
        same("batch of 5", r)
        expect_equal(configuration, y, rows + r)
        assert np.unique(r).size == 15

    def draw_first() -> Array:
        return np.array(model.run("noise")[0])

    # A fresh container of the same seed draws the same.
    for _, model in configurations(text, ("optimized",)):
        model.initialize(7)
        expect_equal("fresh", model["v"], known["v"])
        model.initialize(7)
        model.initialize(7, ["u"])
        first_draw = draw_first()
    for _, model in configurations(text, ("object",)):
        model.initialize(7)
        model.initialize(7)
        expect_equal("fresh", draw_first(), first_draw)


def test_computed() -> None:
    """I8, V8: initial values from tensor programs: contractions, shapes, chains."""
    text = """
train.variable @x : tensor<4x3xf64> = #train.random_uniform<minval = -1.0, maxval = 1.0>
train.variable @gram : tensor<3x3xf64> init {
  %x = train.read @x : tensor<4x3xf64>
  %g = nn.matmul %x, %x {transpose_a} : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<3x3xf64>
  train.yield %g : tensor<3x3xf64>
}
train.variable @trace : tensor<f64> init {
  %g = train.read @gram : tensor<3x3xf64>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = tensor.extract %g[%zero, %zero] : tensor<3x3xf64>
  %b = tensor.extract %g[%one, %one] : tensor<3x3xf64>
  %sum = arith.addf %a, %b : f64
  %t = tensor.from_elements %sum : tensor<f64>
  train.yield %t : tensor<f64>
}
train.variable @count : tensor<ui8> init {
  %c = arith.constant dense<-1> : tensor<i8>
  %u = tensor.bitcast %c : tensor<i8> to tensor<ui8>
  train.yield %u : tensor<ui8>
}
"""
    for configuration, model in configurations(text):
        model.initialize(3)
        x = model["x"]
        np.testing.assert_allclose(model["gram"], x.T @ x, rtol=1e-9, err_msg=configuration)
        gram = model["gram"]
        expect_equal(configuration, model["trace"], np.array(gram[0, 0] + gram[1, 1]))
        expect_equal(configuration, model["count"], np.array(255, np.uint8))


def test_loss() -> None:
    """I8, C1, A5: an optimizer follows `initialized_value`, and starts from what was assigned before it."""
    text = """
train.variable @w : tensor<2xf64> = dense<1.0> : tensor<2xf64>
train.variable @v : tensor<2xf64> = dense<1.0> : tensor<2xf64>
func.func @step() {
  %w = train.initialized_value @w : tensor<2xf64>
  %loss = arith.mulf %w, %w : tensor<2xf64>
  train.minimize %loss : tensor<2xf64> with #train.sgd<lr = 0.25>
  return
}
func.func @assigned(%x: tensor<2xf64>) -> tensor<2xf64> {
  train.assign @v, %x : tensor<2xf64>
  %v = train.read @v : tensor<2xf64>
  %loss = arith.mulf %v, %v : tensor<2xf64>
  train.minimize %loss : tensor<2xf64> with #train.momentum<lr = 0.25> var_list [@v]
  %new = train.read @v : tensor<2xf64>
  return %new : tensor<2xf64>
}
"""
    for configuration, model in configurations(text):
        model.initialize()
        model.run("step")
        expect_equal(configuration, model["w"], np.full(2, 0.5))
        x = np.array([4.0, -8.0])
        expect_equal(configuration, model.run("assigned", x), x / 2)
        expect_equal(configuration, model["v"], x / 2)
        expect_equal(configuration, x, np.array([4.0, -8.0]))


def test_alike() -> None:
    """I7, S2, S4: variables that share a loop have the values that they have alone, and are missed one by one."""
    kinds = {
        "w": "tensor<3x5xf32> = #train.glorot_uniform",
        "n": "tensor<7xf64> = #train.random_normal<stddev = 2.0>",
        "s": "tensor<4xi32> = #train.random_uniform<minval = 0, maxval = 9, seed = 5>",
        "z": "tensor<3x5xf32> = #train.constant<dense<1.5> : tensor<f32>>",
    }
    declared = {f"{kind}{i}": text for i in range(9) for kind, text in kinds.items()}
    # One that is read is not in a loop.
    reader = """
train.variable @reader : tensor<3x5xf32> init {
  %w = train.initialized_value @w3 : tensor<3x5xf32>
  train.yield %w : tensor<3x5xf32>
}
"""

    def program(names: List[str]) -> str:
        types = [declared[name].split(" =")[0] for name in names]
        lines = [f"train.variable @{name} : {declared[name]}" for name in names]
        lines.append(f"func.func @get() -> ({', '.join(types)}) {{")
        lines += [f"%{name} = train.read @{name} : {kind}" for name, kind in zip(names, types)]
        lines.append(f"return {', '.join('%' + name for name in names)} : {', '.join(types)}")
        return "\n".join([*lines, "}"])

    every = list(declared)
    alone = {}
    for name in ("w0", "w3", "w8", "n2", "s1", "z4"):
        model = next(iter(configurations(program([name]))))[1]
        model.initialize(7)
        model.initialize(7)
        alone[name] = model[name]
    for configuration, model in configurations(reader + program(every)):
        model.initialize(7)
        model.initialize(7)
        for name, value in alone.items():
            expect_equal(f"{configuration} {name}", model[name], value)
        expect_equal(configuration, model["reader"], model["w3"])
        assert len({model[f"n{i}"].tobytes() for i in range(9)}) == 9, configuration
        model.run("get")
    for missing in ("w0", "n4", "z8"):
        model = next(iter(configurations(program(every))))[1]
        model.initialize(7, [name for name in every if name != missing])
        expect_error(missing, f"Attempting to use uninitialized value {missing}", lambda: model.run("get"))
        assert not model.is_initialized(missing)
        model.initialize(7, [missing])
        model.run("get")


run_tests([test_some, test_dependent, test_initialized_value_in_a_step, test_samples, test_computed, test_loss,
           test_alike])
