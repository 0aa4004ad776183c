# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Every element type of a variable, in every configuration (V3, V5, V7, V9, I1, I2)."""

import os
import tempfile
from typing import Any, Callable, Dict, List, Tuple

import numpy as np
import safetensors
from numpy.typing import NDArray

import flywheel
from configurations import (
    SessionModel,
    configurations,
    dtype_of,
    expect_close,
    expect_equal,
    make,
    run_tests,
)

Array = NDArray[Any]

SIGNED = {f"i{bits}": np.dtype(f"int{bits}") for bits in (8, 16, 32, 64)}
UNSIGNED = {f"ui{bits}": np.dtype(f"uint{bits}") for bits in (8, 16, 32, 64)}
HALVES = {"f16": np.dtype("float16"), "bf16": dtype_of("bfloat16")}
FLOATS = {**HALVES, "f32": np.dtype("float32"), "f64": np.dtype("float64")}
NUMERIC = {**SIGNED, **UNSIGNED, **FLOATS}
EVERY = {"i1": np.dtype(bool), **NUMERIC}

# V7: 37 elements are not a multiple of any vector.
SHAPES: Tuple[Tuple[int, ...], ...] = ((), (37,), (2, 3), (3, 0))


def tensor(shape: Tuple[int, ...], name: str) -> str:
    return f"tensor<{''.join(f'{dim_size}x' for dim_size in shape)}{name}>"


def bits_of(value: Array) -> Array:
    """Something that numpy compares bit by bit."""
    return value if value.dtype == bool else value.view(f"uint{8 * value.dtype.itemsize}")


def expect_bits(what: str, found: Array, expected: Array) -> None:
    assert found.dtype == expected.dtype, f"{what}: expected {expected.dtype}, found {found.dtype}"
    expect_equal(what, bits_of(found), bits_of(expected))


def values_of(name: str, shape: Tuple[int, ...], seed: int) -> Array:
    """Values over the whole range of an integer type, of any sign for others."""
    rng = np.random.default_rng(seed)
    dtype = EVERY[name]
    if name == "i1":
        return np.asarray(rng.integers(0, 2, shape).astype(bool))
    if name in FLOATS:
        return np.asarray((100 * rng.standard_normal(shape)).astype(dtype))
    info = np.iinfo(dtype)
    return np.asarray(rng.integers(info.min, info.max, shape, dtype, endpoint=True))


def access_text(name: str, shape: Tuple[int, ...], index: int) -> str:
    kind, variable = tensor(shape, name), f"{name}_{index}"
    text = f"""
train.variable @{variable} : {kind} = #train.zeros
func.func @read_{variable}() -> {kind} {{
  %0 = train.read @{variable} : {kind}
  return %0 : {kind}
}}
func.func @assign_{variable}(%x: {kind}) -> {kind} {{
  %0 = train.assign @{variable}, %x : {kind}
  return %0 : {kind}
}}
"""
    for op in ("add", "sub") if name != "i1" else ():
        text += f"""
func.func @{op}_{variable}(%x: {kind}) -> {kind} {{
  %0 = train.assign_{op} @{variable}, %x : {kind}
  return %0 : {kind}
}}
"""
    return text


def test_accesses() -> None:
    """V3, V7: declare, read, assign; sums that wrap modulo 2^n or round to even."""
    cases = [(name, shape, f"{name}_{i}") for name in EVERY for i, shape in enumerate(SHAPES)]
    text = "".join(access_text(name, shape, i) for name in EVERY for i, shape in enumerate(SHAPES))
    for configuration, model in configurations(text):
        model.initialize()
        for name, shape, variable in cases:
            what = f"{configuration} {variable} "
            expect_bits(what + "zeros", model.run(f"read_{variable}"), np.zeros(shape, EVERY[name]))
            x, y = values_of(name, shape, 1), values_of(name, shape, 2)
            expect_bits(what + "assign", model.run(f"assign_{variable}", x), x)
            expect_bits(what + "read", model.run(f"read_{variable}"), x)
            if name == "i1":
                continue
            with np.errstate(over="ignore"):
                expect_bits(what + "add", model.run(f"add_{variable}", y), np.asarray(x + y))
                expect_bits(what + "sub", model.run(f"sub_{variable}", x), np.asarray(x + y - x))
                expect_bits(what + "stored", model[variable], np.asarray(x + y - x))


def test_limits() -> None:
    """V3: the examples of wrapping and rounding."""
    examples = [("i8", 127, -128), ("i16", 32767, -32768), ("i32", 2**31 - 1, -2**31), ("i64", 2**63 - 1, -2**63),
                ("ui8", 255, 0), ("ui16", 65535, 0), ("ui32", 2**32 - 1, 0), ("ui64", 2**64 - 1, 0),
                ("f16", 2048, 2048), ("bf16", 256, 256), ("f32", 2**24, 2**24), ("f64", 2**53, 2**53)]
    text = "".join(access_text(name, (), 0) for name, _, _ in examples)
    for configuration, model in configurations(text):
        for name, start, expected in examples:
            dtype = NUMERIC[name]
            model.initialize()
            model[f"{name}_0"] = np.array(start, dtype)
            one = np.ones((), dtype)
            expect_bits(f"{configuration} {name} + 1", model.run(f"add_{name}_0", one), np.array(expected, dtype))
            if name in SIGNED or name in UNSIGNED:
                expect_bits(f"{configuration} {name} - 1", model.run(f"sub_{name}_0", one), np.array(start, dtype))


def test_initial_values() -> None:
    """I1, I2, V8, V9: zeros, ones, the fill rule, literals and defaults of every type."""
    text = ""
    for name in EVERY:
        numbers = {"i1": "[true, false]"}.get(name, "[1.0, 100.0]" if name in FLOATS else "[1, 100]")
        text += f"""
train.variable @{name}_zeros : {tensor((5,), name)} = #train.zeros
train.variable @{name}_ones : {tensor((3, 2), name)} = #train.ones
train.variable @{name}_default : {tensor((4,), name)}
train.variable @{name}_fill : {tensor((2, 2), name)} = #train.constant<dense<{numbers}> : {tensor((2,), name)}>
train.variable @{name}_dense : {tensor((2,), name)} = dense<{numbers}> : {tensor((2,), name)}
train.variable @{name}_none : {tensor((0, 2), name)} = #train.ones
"""
    for name, dtype in UNSIGNED.items():
        kind = tensor((2,), name)
        text += f"train.variable @{name}_top : {kind} = dense<{np.iinfo(dtype).max}> : {kind}\n"
    for configuration, model in configurations(text):
        model.initialize()
        for name, dtype in EVERY.items():
            what = f"{configuration} {name} "
            expect_bits(what + "zeros", model[f"{name}_zeros"], np.zeros(5, dtype))
            expect_bits(what + "ones", model[f"{name}_ones"], np.ones((3, 2), dtype))
            if name not in FLOATS:
                expect_bits(what + "default", model[f"{name}_default"], np.zeros(4, dtype))
            literal = np.array([True, False] if name == "i1" else [1, 100]).astype(dtype)
            expect_bits(what + "fill", model[f"{name}_fill"], literal[[[0, 1], [1, 1]]])
            expect_bits(what + "dense", model[f"{name}_dense"], literal)
            expect_bits(what + "none", model[f"{name}_none"], np.ones((0, 2), dtype))
        for name, dtype in UNSIGNED.items():
            expect_bits(f"{configuration} {name} top", model[f"{name}_top"], np.full(2, np.iinfo(dtype).max, dtype))


def test_checkpoints() -> None:
    """V3, P3, P11: every type is saved and restored bit by bit."""
    text = "".join(access_text(name, shape, i) for name in EVERY for i, shape in enumerate(SHAPES))
    saved, restored = make(text, "reference"), make(text, "optimized")
    assert isinstance(saved, SessionModel) and isinstance(restored, SessionModel)
    for name in EVERY:
        for i, shape in enumerate(SHAPES):
            saved[f"{name}_{i}"] = values_of(name, shape, 3)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "all.safetensors")
        saved.session.save(path)
        restored.session.restore(path)
        with safetensors.safe_open(path, "numpy") as file:
            for name in set(EVERY) - {"bf16"}:  # That package has no NumPy dtype for bf16.
                expect_bits(name, file.get_tensor(f"{name}_1"), values_of(name, SHAPES[1], 3))
    for variable, value in saved.snapshot().items():
        expect_bits(variable, restored[variable], value)


def test_feeds_and_results() -> None:
    """V3: any dimension size of every type passes through."""
    text = "".join(f"func.func @pass_{name}(%x: tensor<?x{name}>) -> tensor<?x{name}> {{\n"
                   f"  return %x : tensor<?x{name}>\n}}\n" for name in EVERY)
    for configuration, model in configurations(text):
        model.initialize()
        for name in EVERY:
            for count in (0, 1, 19):
                x = values_of(name, (count,), count)
                expect_bits(f"{configuration} {name} {count}", model.run(f"pass_{name}", x), x)


def test_unsigned_arithmetic() -> None:
    """V3: unsigned numbers are computed with as signless ones."""
    ops: Dict[str, Callable[[Array, Array], Array]] = {
        "addi": np.add, "muli": np.multiply, "divui": np.floor_divide, "remui": np.remainder, "maxui": np.maximum,
        "minui": np.minimum, "xori": np.bitwise_xor}
    text = ""
    for name in UNSIGNED:
        kind, signless = tensor((37,), name), tensor((37,), name[1:])
        for op in ops:
            text += f"""
train.variable @{op}_{name} : {kind} = #train.zeros
func.func @run_{op}_{name}(%x: {kind}, %y: {kind}) -> {kind} {{
  %a = tensor.bitcast %x : {kind} to {signless}
  %b = tensor.bitcast %y : {kind} to {signless}
  %0 = arith.{op} %a, %b : {signless}
  %1 = tensor.bitcast %0 : {signless} to {kind}
  %2 = train.assign @{op}_{name}, %1 : {kind}
  return %2 : {kind}
}}
"""
        text += f"""
func.func @to_float_{name}(%x: {kind}) -> tensor<37xf64> {{
  %a = tensor.bitcast %x : {kind} to {signless}
  %0 = arith.uitofp %a : {signless} to tensor<37xf64>
  return %0 : tensor<37xf64>
}}
"""
    for configuration, model in configurations(text):
        model.initialize()
        for name, dtype in UNSIGNED.items():
            x, y = values_of(name, (37,), 4), values_of(name, (37,), 5)
            y = np.maximum(y, np.ones((), dtype))
            for op, function in ops.items():
                what = f"{configuration} {op} {name}"
                expect_bits(what, model.run(f"run_{op}_{name}", x, y), function(x, y))
                expect_bits(what, model[f"{op}_{name}"], function(x, y))
            expect_bits(f"{configuration} {name}", model.run(f"to_float_{name}", x), x.astype(np.float64))


def test_regions() -> None:
    """V3: unsigned tensors through branches and loops."""
    text = """
train.variable @v : tensor<3xui8> = dense<[250, 0, 7]> : tensor<3xui8>
func.func @choose(%p: tensor<i1>, %x: tensor<3xui8>) -> tensor<3xui8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %b = tensor.extract %p[] : tensor<i1>
  %v = train.read @v : tensor<3xui8>
  %0 = scf.if %b -> tensor<3xui8> {
    scf.yield %x : tensor<3xui8>
  } else {
    scf.yield %v : tensor<3xui8>
  }
  %two = arith.constant dense<2> : tensor<3xi8>
  %1 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %0) -> tensor<3xui8> {
    %2 = tensor.bitcast %a : tensor<3xui8> to tensor<3xi8>
    %3 = arith.addi %2, %two : tensor<3xi8>
    %4 = tensor.bitcast %3 : tensor<3xi8> to tensor<3xui8>
    scf.yield %4 : tensor<3xui8>
  }
  return %1 : tensor<3xui8>
}
"""
    for configuration, model in configurations(text):
        model.initialize()
        x = np.array([1, 2, 255], np.uint8)
        expect_bits(configuration, model.run("choose", np.array(True), x), np.array([9, 10, 7], np.uint8))
        expect_bits(configuration, model.run("choose", np.array(False), x), np.array([2, 8, 15], np.uint8))


def test_rounding() -> None:
    """V3: fused or not, every op of f16 and bf16 rounds its result."""
    chains: Dict[str, Tuple[List[str], Callable[[Array, Array, Array], Array]]] = {
        "sum": (["arith.addf %a, %b", "arith.addf %0, %c"], lambda a, b, c: (a + b) + c),
        "fma": (["arith.mulf %a, %b", "arith.addf %0, %c"], lambda a, b, c: a * b + c),
        "difference": (["arith.subf %a, %b", "arith.mulf %0, %c"], lambda a, b, c: (a - b) * c),
        "quotient": (["arith.divf %a, %b", "arith.subf %0, %c"], lambda a, b, c: a / b - c),
        "long": (["arith.mulf %a, %b", "arith.addf %0, %c", "arith.mulf %1, %1", "arith.subf %2, %a",
                  "arith.addf %3, %b", "arith.mulf %4, %c"],
                 lambda a, b, c: ((a * b + c) * (a * b + c) - a + b) * c),
        "roots": (["arith.mulf %a, %a", "math.sqrt %0", "math.sqrt %1", "math.sqrt %2", "arith.mulf %3, %c"],
                  lambda a, b, c: np.sqrt(np.sqrt(np.sqrt(a * a))) * c)}
    text = ""
    count = 1003
    for name in HALVES:
        kind = tensor((count,), name)
        for chain, (steps, _) in chains.items():
            body = "".join(f"  %{i} = {step} : {kind}\n" for i, step in enumerate(steps))
            text += f"""
train.variable @{chain}_{name} : {kind} = #train.zeros
func.func @run_{chain}_{name}(%a: {kind}, %b: {kind}, %c: {kind}) {{
{body}  %v = train.read @{chain}_{name} : {kind}
  %new = arith.addf %v, %{len(steps) - 1} : {kind}
  train.assign @{chain}_{name}, %new : {kind}
  return
}}
"""
    for configuration, model in configurations(text):
        model.initialize()
        for name, dtype in HALVES.items():
            rng = np.random.default_rng(7)
            a, b, c = (np.asarray((2 * rng.standard_normal(count)).astype(dtype)) for _ in range(3))
            one, wide = dtype.type(1), dtype.type(2048 if name == "f16" else 256)
            a[0], b[0], c[0] = wide, one, one  # (2048 + 1) + 1 is 2048.
            for chain, (_, function) in chains.items():
                model.run(f"run_{chain}_{name}", a, b, c)
                model.run(f"run_{chain}_{name}", c, a, b)
                first, second = function(a, b, c), function(c, a, b)
                assert first.dtype == dtype, first.dtype
                what = f"{configuration} {chain} {name}"
                expect_bits(what, model[f"{chain}_{name}"], np.zeros(count, dtype) + first + second)
            expected = np.array(2048 if name == "f16" else 256, dtype)
            total = chains["sum"][1](a, b, c)[0]
            assert total == expected, total


def test_bool() -> None:
    """V5: [[F,T],[F,F]] round-trips, and its negation is assigned."""
    text = """
train.variable @flag : tensor<2x2xi1> = dense<[[false, true], [false, false]]> : tensor<2x2xi1>
func.func @flip() -> tensor<2x2xi1> {
  %true = arith.constant dense<true> : tensor<2x2xi1>
  %v = train.read @flag : tensor<2x2xi1>
  %y = arith.xori %v, %true : tensor<2x2xi1>
  train.assign @flag, %y : tensor<2x2xi1>
  return %v : tensor<2x2xi1>
}
"""
    flag = np.array([[False, True], [False, False]])
    for configuration, model in configurations(text):
        model.initialize()
        expect_bits(configuration, model.run("flip"), flag)
        expect_bits(configuration, model["flag"], ~flag)
        expect_bits(configuration, model.run("flip"), ~flag)


CLASSIFIER = """
train.variable @w1 : tensor<9x7xf64> = #train.glorot_uniform
train.variable @b1 : tensor<7xf64> = #train.zeros
train.variable @w2 : tensor<7x4xf64> = #train.glorot_uniform
train.variable @b2 : tensor<4xf64> = #train.zeros
func.func @step(%x: tensor<?x9xf64>, %y: tensor<?xi32>) -> tensor<f64> {
  %w1 = train.read @w1 : tensor<9x7xf64>
  %b1 = train.read @b1 : tensor<7xf64>
  %w2 = train.read @w2 : tensor<7x4xf64>
  %b2 = train.read @b2 : tensor<4xf64>
  %z1 = nn.dense %x, %w1, %b1 : (tensor<?x9xf64>, tensor<9x7xf64>, tensor<7xf64>) -> tensor<?x7xf64>
  %h = nn.relu %z1 : tensor<?x7xf64>
  %z2 = nn.dense %h, %w2, %b2 : (tensor<?x7xf64>, tensor<7x4xf64>, tensor<4xf64>) -> tensor<?x4xf64>
  %loss = nn.sparse_softmax_cross_entropy %z2, %y : (tensor<?x4xf64>, tensor<?xi32>) -> tensor<f64>
  train.minimize %loss : tensor<f64> with #train.adam<lr = 0.01>
  return %loss : tensor<f64>
}
"""


def classifier_step(p: Dict[str, Array], x: Array, y: Array) -> Tuple[float, Dict[str, Array]]:
    """Loss and gradients."""
    rows = np.arange(len(y))
    z1 = x @ p["w1"] + p["b1"]
    h = np.maximum(z1, 0)
    z2 = h @ p["w2"] + p["b2"]
    z2 = z2 - z2.max(1, keepdims=True)
    log_softmax = z2 - np.log(np.exp(z2).sum(1, keepdims=True))
    d2 = np.exp(log_softmax)
    d2[rows, y] -= 1
    d2 /= len(y)
    d1 = (d2 @ p["w2"].T) * (z1 > 0)
    return float(-log_softmax[rows, y].mean()), {"w1": x.T @ d1, "b1": d1.sum(0), "w2": h.T @ d2, "b2": d2.sum(0)}


def test_double() -> None:
    """V3, T4: f64 from the feeds to Adam's updates, 1e-9 against numpy."""
    for configuration, model in configurations(CLASSIFIER):
        model.initialize(3)
        p = {name: model[name].copy() for name in ("w1", "b1", "w2", "b2")}
        m = {name: np.zeros_like(value) for name, value in p.items()}
        v = {name: np.zeros_like(value) for name, value in p.items()}
        rng = np.random.default_rng(0)
        for t in range(1, 21):
            x, y = rng.standard_normal((33, 9)), rng.integers(0, 4, 33).astype(np.int32)
            loss, gradients = classifier_step(p, x, y)
            expect_close(f"{configuration} loss {t}", model.run("step", x, y), np.float64(loss), 1e-9)
            rate = 0.01 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t)
            for name, g in gradients.items():
                m[name] = 0.9 * m[name] + (1 - 0.9) * g
                v[name] = 0.999 * v[name] + (1 - 0.999) * g * g
                p[name] = p[name] - rate * m[name] / (np.sqrt(v[name]) + 1e-7)
        for name, value in p.items():
            assert model[name].dtype == np.float64
            expect_close(f"{configuration} {name}", model[name], value, 1e-9)


def network(variables: str, values: str, batch: int) -> str:
    """A training step of two layers whose arithmetic is that of `values`."""
    shapes = {"w1": "96x128", "b1": "128", "w2": "128x10", "b2": "10"}
    lines = [f"train.variable @{name} : tensor<{shape}x{variables}> = #train.zeros" for name, shape in shapes.items()]
    lines.append(f"func.func @step(%x: tensor<{batch}x96x{values}>, %y: tensor<{batch}xi64>) -> tensor<{values}> {{")
    for name, shape in shapes.items():
        stored, used = f"tensor<{shape}x{variables}>", f"tensor<{shape}x{values}>"
        read = name if variables == values else name + "_stored"
        lines.append(f"  %{read} = train.read @{name} : {stored}")
        if variables != values:
            lines.append(f"  %{name} = arith.truncf %{read} : {stored} to {used}")
    hidden, logits = f"tensor<{batch}x128x{values}>", f"tensor<{batch}x10x{values}>"
    lines.append(f"""
  %z1 = nn.dense %x, %w1, %b1 : (tensor<{batch}x96x{values}>, tensor<96x128x{values}>, tensor<128x{values}>) -> {hidden}
  %h = nn.relu %z1 : {hidden}
  %z2 = nn.dense %h, %w2, %b2 : ({hidden}, tensor<128x10x{values}>, tensor<10x{values}>) -> {logits}
  %loss = nn.sparse_softmax_cross_entropy %z2, %y : ({logits}, tensor<{batch}xi64>) -> tensor<{values}>
  train.minimize %loss : tensor<{values}> with #train.sgd<lr = 0.1>
  return %loss : tensor<{values}>
}}""")
    return "\n".join(lines)


def test_no_conversion_is_stored() -> None:
    """Narrow values take half the workspace: what a product reads or makes is not kept in f32
    as well, neither where variables are narrow nor where they are f32; and nor is a tile of
    all rows of a batch, where the machine does not multiply narrow numbers."""
    def workspace(variables: str, values: str, batch: int) -> int:
        return flywheel.compile(network(variables, values, batch), threads=1).entries[0].workspace_bytes()

    for batch in (64, 512):
        wide = workspace("f32", "f32", batch)
        for narrow in ("bf16", "f16"):
            for variables in (narrow, "f32"):
                found = workspace(variables, narrow, batch)
                # The loss and its gradient are f32 in part.
                assert found <= 0.6 * wide, f"{variables} and {narrow}, batch {batch}: {found} bytes, of f32 {wide}"


run_tests([test_accesses, test_limits, test_initial_values, test_checkpoints, test_feeds_and_results,
           test_unsigned_arithmetic, test_regions, test_rounding, test_bool, test_double,
           test_no_conversion_is_stored])
