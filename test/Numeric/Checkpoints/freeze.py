# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Entries by choice and variables as constants (P14, T11, C5)."""

import os
import tempfile
import time
from typing import Dict

import numpy as np

import flywheel
from configurations import (
    ALL,
    IN_PROCESS,
    Array,
    Model,
    ObjectModel,
    configurations,
    expect_close,
    expect_equal,
    expect_error,
    make,
    run_tests,
)

PRODUCT = """
train.variable @f : tensor<f64> = dense<2.0> : tensor<f64> {trainable = false}
train.variable @w : tensor<f64> = dense<1.0> : tensor<f64>
func.func private @apply(%x: tensor<f64>) -> tensor<f64> {
  %f = train.read @f : tensor<f64>
  %w = train.read @w : tensor<f64>
  %fx = arith.mulf %f, %x : tensor<f64>
  %y = arith.mulf %fx, %w : tensor<f64>
  return %y : tensor<f64>
}
func.func @predict(%x: tensor<f64>) -> tensor<f64> {
  %y = call @apply(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
func.func @step(%x: tensor<f64>) -> tensor<f64> {
  %y = call @apply(%x) : (tensor<f64>) -> tensor<f64>
  %target = arith.constant dense<12.0> : tensor<f64>
  %error = arith.subf %y, %target : tensor<f64>
  %loss = arith.mulf %error, %error : tensor<f64>
  train.minimize %loss : tensor<f64> with #train.sgd<lr = 0.001>
  return %loss : tensor<f64>
}
"""


def expect_variables(what: str, model: Model, expected: object) -> None:
    if model.variables() != expected:
        raise AssertionError(f"{what}: expected the variables {expected}, found {model.variables()}")


def test_export() -> None:
    """P14, C5: with w = 1.072 from a training, exported, f x w with x = 3 is 6.432."""
    three = np.array(3.0)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trained.safetensors")
        session = flywheel.Session(flywheel.compile(PRODUCT))
        session.initialize()
        session.run("step", three)
        session.save(path)
        expect_close("before", session.run("predict", three), 6.432)
        # An inference function over the same variables, restored from the
        # checkpoint of the training: its slots do not matter.
        for name in IN_PROCESS:
            program = flywheel.compile(PRODUCT, lowering="reference" if name == "reference" else "optimized",
                                       entries=["predict"])
            if [entry.name for entry in program.entries] != ["predict"]:
                raise AssertionError(f"entries {program.entries}")
            restored = flywheel.Session(program)
            if restored.variables != ["f", "w"]:
                raise AssertionError(f"variables {restored.variables}")
            restored.restore(path)
            expect_close(name, restored.run("predict", three), 6.432)
        for configuration, model in configurations(PRODUCT, entries=["predict"], freeze=path):
            expect_variables(configuration, model, [])
            model.initialize()
            expect_close(configuration, model.run("predict", three), 6.432)
        # Variables that are still trained stay variables.
        for configuration, model in configurations(PRODUCT, freeze=path):
            if "f" in model.variables() or "w/SGD" not in model.variables():
                raise AssertionError(f"{configuration}: {model.variables()}")
            model.initialize()
            expect_close(configuration, model.run("step", three), 36.0)
            expect_close(configuration, model["w"], 1.072)


def network(batch: str) -> str:
    sizes = [784, 256, 64, 10]
    text, body, previous = "", "", "%x"
    for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
        w, bias, out = f"tensor<{a}x{b}xf32>", f"tensor<{b}xf32>", f"tensor<{batch}x{b}xf32>"
        text += f"train.variable @w{i} : {w}\ntrain.variable @b{i} : {bias} = #train.random_normal\n"
        body += f"  %w{i} = train.read @w{i} : {w}\n  %b{i} = train.read @b{i} : {bias}\n"
        body += f"  %y{i} = nn.dense {previous}, %w{i}, %b{i} : (tensor<{batch}x{a}xf32>, {w}, {bias}) -> {out}\n"
        previous = f"%y{i}"
        if i < 2:
            body += f"  %r{i} = nn.relu %y{i} : {out}\n"
            previous = f"%r{i}"
    kind = f"tensor<{batch}x10xf32>"
    head = f"(%x: tensor<{batch}x784xf32>) -> {kind}"
    return (
        text
        + f"func.func @predict{head} {{\n{body}  return {previous} : {kind}\n}}\n"
        + f"func.func @step{head} {{\n{body}"
        + f"  train.minimize {previous} : {kind} with #train.adam<lr = 1.0e-4>\n  return {previous} : {kind}\n}}\n"
    )


def test_network() -> None:
    """P14: large constants give the bits of variables, in every lowering."""
    rng = np.random.default_rng(4)
    for batch in ("32", "?"):
        text = network(batch)
        x = rng.normal(size=(32, 784)).astype(np.float32)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trained.safetensors")
            session = flywheel.Session(flywheel.compile(text))
            session.initialize(7)
            session.run("step", x)
            session.save(path)
            trained = {name: session[name].copy() for name in session.variables}
            for configuration in ALL:
                plain = make(text, configuration, entries=["predict"])
                plain.initialize()
                for name in plain.variables():
                    plain[name] = trained[name]
                start = time.monotonic()
                frozen = make(text, configuration, entries=["predict"], freeze=path)
                seconds = time.monotonic() - start
                expect_variables(configuration, frozen, [])
                frozen.initialize()
                expected = plain.run("predict", x)
                for _ in range(2):
                    expect_equal(f"{configuration} {batch}", frozen.run("predict", x), expected)
                print(f"     {configuration}, batch {batch}: compiled in {seconds:.2f} s")
                # A header without variables: 64 bytes and the text of an error.
                if isinstance(frozen, ObjectModel) and frozen.manifest["state"]["bytes"] > 64 + 512:
                    raise AssertionError("a frozen model has state")


def test_types() -> None:
    """P14, V3: values of every type."""
    values: Dict[str, Array] = {
        "f16": np.array([1.5, -0.1], np.float16),
        "f32": np.array([1.1, np.inf], np.float32),
        "f64": np.array([1.1, np.nan]),
        "i1": np.array([True, False]),
        "i8": np.array([-128, 3], np.int8),
        "i16": np.array([-32768, 3], np.int16),
        "i32": np.array([-(2**31), 3], np.int32),
        "i64": np.array([-(2**63), 3], np.int64),
    }
    text, body = "", ""
    for kind in values:
        text += f"train.variable @{kind} : tensor<2x{kind}> = #train.zeros\n"
        body += f"  %{kind} = train.read @{kind} : tensor<2x{kind}>\n"
    types = ", ".join(f"tensor<2x{kind}>" for kind in values)
    names = ", ".join(f"%{kind}" for kind in values)
    text += f"func.func @get() -> ({types}) {{\n{body}  return {names} : {types}\n}}\n"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "values.safetensors")
        session = flywheel.Session(flywheel.compile(text))
        for kind, value in values.items():
            session[kind] = value
        session.save(path)
        for configuration, model in configurations(text, freeze=path):
            model.initialize()
            for found, expected in zip(model.run("get"), values.values()):
                expect_equal(configuration, found, expected)


def test_errors() -> None:
    """P14, T11: what cannot be frozen or kept."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "part.safetensors")
        session = flywheel.Session(flywheel.compile(PRODUCT))
        session.initialize()
        session.save(path, ["w"])
        for pattern, action in (
            ("Key f not found in checkpoint", lambda: flywheel.compile(PRODUCT, freeze=path)),
            ("cannot freeze variable 'w'",
             lambda: flywheel.compile(PRODUCT, freeze=path, freeze_variables=["w"])),
            ("found 'typo'; its entries are: predict, step",
             lambda: flywheel.compile(PRODUCT, entries=["typo"])),
            ("freeze_variables needs freeze",
             lambda: flywheel.compile(PRODUCT, freeze_variables=["w"])),
        ):
            expect_error("errors", pattern, action, ValueError)
        flywheel.compile(PRODUCT, freeze=path, freeze_variables=["w"], entries=["predict"])


def test_initial_regions() -> None:
    """P14, I8: what a frozen variable was computed from is not asked for."""
    text = """
train.variable @w : tensor<2xf32> init {
  %u = train.read @u : tensor<2xf32>
  %s = arith.addf %u, %u : tensor<2xf32>
  train.yield %s : tensor<2xf32>
}
train.variable @u : tensor<2xf32> = #train.ones
func.func @predict(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = train.read @w : tensor<2xf32>
  %u = train.read @u : tensor<2xf32>
  %0 = arith.mulf %w, %x : tensor<2xf32>
  %1 = arith.addf %0, %u : tensor<2xf32>
  return %1 : tensor<2xf32>
}
"""
    x = np.array([3, 5], np.float32)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "values.safetensors")
        session = flywheel.Session(flywheel.compile(text))
        session.initialize(1)
        session.save(path)
        for configuration in ALL:
            model = make(text, configuration, freeze=path)
            expect_variables(configuration, model, [])
            model.initialize()
            expect_equal(configuration, model.run("predict", x), 2 * x + 1)


def test_names_of_the_whole() -> None:
    """P10, P14, I7: an entry alone has the slots, scalars and streams that it has among others."""
    text = """
train.variable @a : tensor<f32> = dense<1.0> : tensor<f32>
train.variable @b : tensor<f32> = dense<1.0> : tensor<f32>
func.func @train_a() {
  %a = train.read @a : tensor<f32>
  %l = arith.mulf %a, %a : tensor<f32>
  train.minimize %l : tensor<f32> with #train.adam<lr = 0.1> var_list [@a]
  return
}
func.func @train_b() -> tensor<f32> {
  %b = train.read @b : tensor<f32>
  %l = arith.mulf %b, %b : tensor<f32>
  train.minimize %l : tensor<f32> with #train.adam<lr = 0.001> var_list [@b]
  %new = train.read @b : tensor<f32>
  return %new : tensor<f32>
}
func.func @noise_a() -> tensor<f32> {
  %n = train.random #train.random_normal -> tensor<f32>
  return %n : tensor<f32>
}
func.func @noise_b() -> tensor<f32> {
  %n = train.random #train.random_normal -> tensor<f32>
  return %n : tensor<f32>
}
"""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "whole.safetensors")
        whole = flywheel.Session(flywheel.compile(text))
        whole.initialize(1)
        for _ in range(5):
            whole.run("train_a")
            whole.run("train_b")
            whole.run("noise_b")
        whole.save(path)
        part = flywheel.Session(flywheel.compile(text, entries=["train_b", "noise_b"]))
        part.restore(path)
        if set(part.variables) >= set(whole.variables) or "a" in part.variables:
            raise AssertionError(f"expected fewer variables, found {part.variables}")
        for entry in ("train_b", "noise_b"):
            expect_equal(entry, part.run(entry), whole.run(entry))


run_tests([test_export, test_network, test_types, test_errors, test_initial_regions, test_names_of_the_whole])
