# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Weights that are stored in few bits and used as f32 (V16).

A product converts them as it reads them, a tile at a time: they are never stored as f32,
neither in the workspace nor as constants. Factors are whole numbers, so that sums of f32
are exact in any order.
"""

import os
import tempfile

import numpy as np

import flywheel
from cases import tensor
from configurations import ALL, configurations, dtype_of, run_tests
from narrow import TYPES, compile_object, values

# Rows, terms, columns, with several and single tiles.
SHAPES = ((1, 256, 128), (4, 256, 128), (3, 33, 70), (64, 130, 65), (2, 8, 8))


def product(name: str, element: str, m: int, k: int, n: int, is_left: bool) -> str:
    """x w, or w x with the weight first."""
    convert = TYPES[element][0]
    w, x = ((m, k), (k, n)) if is_left else ((k, n), (m, k))
    pair = "%wide, %x" if is_left else "%x, %wide"
    a, b = (w, x) if is_left else (x, w)
    return f"""
train.variable @{name}_w : {tensor(w, element)} = #train.zeros {{trainable = false}}
func.func @{name}(%x: {tensor(x, "f32")}) -> {tensor((m, n), "f32")} {{
  %w = train.read @{name}_w : {tensor(w, element)}
  %wide = {convert} %w : {tensor(w, element)} to {tensor(w, "f32")}
  %y = nn.matmul {pair} : ({tensor(a, "f32")}, {tensor(b, "f32")}) -> {tensor((m, n), "f32")}
  return %y : {tensor((m, n), "f32")}
}}"""


def test_products() -> None:
    """V16: every type, shape and side, in every configuration."""
    for element, (_, dtype, low, high) in TYPES.items():
        text, calls = "", []
        for number, (m, k, n) in enumerate(SHAPES):
            for is_left in (False, True):
                name = f"f{number}{'l' if is_left else 'r'}"
                text += product(name, element, m, k, n, is_left)
                w = values(dtype, low, high, (m, k) if is_left else (k, n))
                x = np.random.default_rng(4).integers(-9, 9, (k, n) if is_left else (m, k)).astype(np.float32)
                wide = w.astype(np.float64)
                calls.append((name, w, x, wide @ x if is_left else x @ wide))
        for configuration, model in configurations(text, ALL):
            model.initialize()
            for name, w, x, expected in calls:
                model[f"{name}_w"] = w
                found = np.asarray(model.run(name, x))
                np.testing.assert_array_equal(found, expected, err_msg=f"{configuration} {element} {name}")


def test_memory() -> None:
    """V16: neither workspace nor constants have the weights as f32, for a machine with
    vectors and one without."""
    targets = [[], ["--target-triple=thumbv7em-none-eabihf"]]
    wide = 4 * 256 * 128
    for element, (_, dtype, low, high) in TYPES.items():
        for m, is_left in ((1, False), (4, False), (256, True)):
            text = product("f", element, m, *((128, 4) if is_left else (256, 128)), is_left)
            session = flywheel.Session(flywheel.compile(text))
            session["f_w"] = values(dtype, low, high, (256, 128))
            with tempfile.TemporaryDirectory() as folder:
                checkpoint = os.path.join(folder, "ckpt")
                session.save(checkpoint)
                for target in targets:
                    what = f"{element} {m} {target}"
                    manifest, _ = compile_object(text, target, folder)
                    assert manifest["workspace_bytes"] < wide // 4, f"{what}: {manifest['workspace_bytes']}"
                    frozen = ["--freeze=" + checkpoint, "--entries=f", *target]
                    manifest, size = compile_object(text, frozen, folder)
                    narrow = 256 * 128 * dtype_of(dtype).itemsize
                    assert manifest["workspace_bytes"] < wide // 4, f"{what}: {manifest['workspace_bytes']}"
                    assert narrow < size < narrow + 24000, f"{what}: the object has {size} bytes"


def test_convolutions() -> None:
    """V16: filters, too; a depthwise convolution reads each of its numbers as often."""
    wide = 4 * 3 * 3 * 16 * 64
    for element, (convert, dtype, low, high) in TYPES.items():
        for groups in (1, 16):
            w, x, y = (3, 3, 16 // groups, 64), (2, 6, 6, 16), (2, 4, 4, 64)
            text = f"""
train.variable @w : {tensor(w, element)} = #train.zeros {{trainable = false}}
func.func @f(%x: {tensor(x, "f32")}) -> {tensor(y, "f32")} {{
  %w = train.read @w : {tensor(w, element)}
  %wide = {convert} %w : {tensor(w, element)} to {tensor(w, "f32")}
  %y = nn.conv2d %x, %wide : ({tensor(x, "f32")}, {tensor(w, "f32")}) -> {tensor(y, "f32")}
  return %y : {tensor(y, "f32")}
}}"""
            filters = values(dtype, low, high, w)
            image = np.random.default_rng(6).integers(-4, 5, x).astype(np.float32)
            windows = np.lib.stride_tricks.sliding_window_view(image, (3, 3), axis=(1, 2))
            grouped = windows.reshape(2, 4, 4, groups, 16 // groups, 3, 3)
            parts = filters.astype(np.float64).reshape(3, 3, 16 // groups, groups, 64 // groups)
            expected = np.einsum("nijgcpq,pqcgo->nijgo", grouped, parts).reshape(y)
            for configuration, model in configurations(text, ALL):
                model.initialize()
                model["w"] = filters
                found = np.asarray(model.run("f", image))
                np.testing.assert_array_equal(found, expected, err_msg=f"{configuration} {element} {groups}")
            with tempfile.TemporaryDirectory() as folder:
                manifest, _ = compile_object(text, ["--target-triple=thumbv7em-none-eabihf"], folder)
            assert manifest["workspace_bytes"] < wide // 2, f"{element} {groups}: {manifest['workspace_bytes']}"


def test_frozen() -> None:
    """V16: weights that are constants give the same numbers."""
    for element, (_, dtype, low, high) in TYPES.items():
        text = product("f", element, 4, 256, 128, False)
        w = values(dtype, low, high, (256, 128))
        x = np.random.default_rng(4).integers(-9, 9, (4, 256)).astype(np.float32)
        session = flywheel.Session(flywheel.compile(text))
        session["f_w"] = w
        with tempfile.TemporaryDirectory() as folder:
            checkpoint = os.path.join(folder, "ckpt")
            session.save(checkpoint)
            frozen = flywheel.Session(flywheel.compile(text, freeze=checkpoint))
            found = np.asarray(frozen.run("f", x))
        np.testing.assert_array_equal(found, x @ w.astype(np.float64), err_msg=element)


def test_training() -> None:
    """V16: a weight of f16 that a step trains is used as f32 forward and backward."""
    text = """
train.variable @w : tensor<64x32xf16> = #train.zeros
func.func @step(%x: tensor<8x64xf32>, %y: tensor<8x32xf32>) -> tensor<8x64xf32> {
  %w = train.read @w : tensor<64x32xf16>
  %wide = arith.extf %w : tensor<64x32xf16> to tensor<64x32xf32>
  %z = nn.matmul %x, %wide : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  %p = arith.mulf %z, %y : tensor<8x32xf32>
  %loss = nn.reduce sum %p axes [0, 1] : tensor<8x32xf32> -> tensor<f32>
  %dx = train.gradient %loss wrt %x : (tensor<f32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  train.minimize %loss : tensor<f32> with #train.sgd<lr = 1.0>
  return %dx : tensor<8x64xf32>
}"""
    rng = np.random.default_rng(5)
    w = rng.integers(-20, 20, (64, 32)).astype(np.float16)
    x, y = (rng.integers(-3, 3, shape).astype(np.float32) for shape in ((8, 64), (8, 32)))
    for configuration, model in configurations(text, ALL):
        model.initialize()
        model["w"] = w
        found = np.asarray(model.run("step", x, y))
        np.testing.assert_array_equal(found, y @ w.astype(np.float32).T, err_msg=configuration)
        np.testing.assert_array_equal(np.asarray(model["w"]).astype(np.float32), w - x.T @ y, err_msg=configuration)


run_tests([test_products, test_memory, test_convolutions, test_frozen, test_training])
