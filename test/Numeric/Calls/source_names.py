# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""R4, X14: an error names the op that is in the source, not one that it is made of
or lowered to: each composite op of `nn`, and ops of other dialects."""

import re
from functools import partial

import numpy as np

import flywheel
from configurations import Array, expect_error, run_tests

AT = r" in '{}' at <string>:2:{}\b"
DYNAMIC = "tensor<?x?xf32>"


def ones(*shape: int) -> Array:
    return np.ones(shape, np.float32)


def make_program(op: str, operands: list[str], result: str, dynamic: str = "") -> str:
    """A function of one op; sizes that an `nn.reduce` then forgets."""
    feeds = ", ".join(f"%a{i}: {kind}" for i, kind in enumerate(operands))
    rank = result.count("x")
    axes = list(range(rank))
    return (
        f"func.func @f({feeds}) -> tensor<f32> {{\n"
        f"  %0 = {op} : {dynamic or '(' + ', '.join(operands) + ') -> ' + result}\n"
        f"  %1 = nn.reduce sum %0 axes {axes} : {result} -> tensor<f32>\n"
        "  return %1 : tensor<f32>\n"
        "}\n"
    )


def expect_name(name: str, text: str, feeds: list[Array], column: int = 8) -> None:
    for lowering in ("reference", "optimized"):
        session = flywheel.Session(flywheel.compile(text, lowering=lowering))
        expect_error(
            f"{name} {lowering}",
            AT.format(re.escape(name), column),
            partial(session.run, "f", *feeds),
            flywheel.InvalidArgumentError,
        )


def test_arithmetic() -> None:
    for name in ("add", "sub", "mul", "div", "max", "min", "pow"):
        expect_name(
            f"nn.{name}",
            make_program(f"nn.{name} %a0, %a1", [DYNAMIC, "tensor<?xf32>"], DYNAMIC),
            [ones(2, 4), ones(3)],
        )


def test_losses() -> None:
    names = (
        "mean_squared_error mean_absolute_error mean_absolute_percentage_error mean_squared_logarithmic_error huber "
        "hinge squared_hinge categorical_hinge log_cosh kl_divergence poisson cosine_proximity binary_crossentropy "
        "categorical_crossentropy"
    )
    for name in names.split():
        text = make_program(f"nn.{name} %a0, %a1", [DYNAMIC, DYNAMIC], "tensor<f32>")
        expect_name(f"nn.{name}", text, [ones(2, 4), ones(2, 5)])


def test_normalization() -> None:
    tail = "axes [1] epsilon 1.0e-3"
    vector = "tensor<?xf32>"
    expect_name(
        "nn.layer_norm",
        make_program(f"nn.layer_norm %a0 gamma %a1 {tail}", [DYNAMIC, vector], DYNAMIC),
        [ones(2, 4), ones(5)],
    )
    expect_name(
        "nn.rms_norm",
        make_program(f"nn.rms_norm %a0 gamma %a1 {tail}", [DYNAMIC, vector], DYNAMIC),
        [ones(2, 4), ones(5)],
    )
    expect_name(
        "nn.batch_norm_inference",
        make_program(
            "nn.batch_norm_inference %a0 mean %a1 variance %a1 epsilon 1.0e-3", [DYNAMIC, vector, vector], DYNAMIC
        ).replace(", %a2: tensor<?xf32>", ""),
        [ones(2, 4), ones(5)],
    )
    text = (
        "func.func @f(%x: tensor<?x?xf32>, %g: tensor<?xf32>) -> tensor<f32> {\n"
        "  %y:3 = nn.batch_norm_training %x gamma %g epsilon 1.0e-3\n"
        "    : (tensor<?x?xf32>, tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>)\n"
        "  %1 = nn.reduce sum %y#0 axes [0, 1] : tensor<?x?xf32> -> tensor<f32>\n"
        "  return %1 : tensor<f32>\n"
        "}\n"
    )
    expect_name("nn.batch_norm_training", text, [ones(2, 4), ones(5)], column=10)


def test_others() -> None:
    cube = "tensor<?x?x4xf32>"
    expect_name(
        "nn.attention",
        make_program("nn.attention %a0, %a1, %a2", [cube] * 3, cube),
        [ones(2, 3, 4), ones(2, 5, 4), ones(2, 6, 4)],
    )
    expect_name(
        "nn.lstsq",
        make_program("nn.lstsq %a0, %a1", ["tensor<?x2xf32>", "tensor<?x1xf32>"], "tensor<2x1xf32>"),
        [ones(5, 2), ones(4, 1)],
    )
    text = make_program(
        "nn.tile %a0 multiples [36028797018963968, 1]",
        ["tensor<?x2xf32>"],
        DYNAMIC,
        "tensor<?x2xf32> -> tensor<?x?xf32>",
    )
    expect_error(
        "nn.tile",
        r"<string>:2:8: error: 'nn.tile' op has a result that is too large: expected at most 2\^56 bytes",
        lambda: flywheel.compile(text),
        flywheel.CompileError,
    )


def test_other_dialects() -> None:
    text = make_program("tosa.add %a0, %a1", [DYNAMIC, DYNAMIC], DYNAMIC)
    expect_name("tosa.add", text, [ones(2, 4), ones(3, 4)])
    text = (
        "func.func @f(%x: tensor<?x?x?x3xf32>, %w: tensor<3x3x3x4xf32>, %y: tensor<?x?x?x4xf32>) -> tensor<f32> {\n"
        "  %0 = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<?x?x?x3xf32>, tensor<3x3x3x4xf32>)\n"
        "    outs(%y : tensor<?x?x?x4xf32>) -> tensor<?x?x?x4xf32>\n"
        "  %1 = nn.reduce sum %0 axes [0, 1, 2, 3] : tensor<?x?x?x4xf32> -> tensor<f32>\n"
        "  return %1 : tensor<f32>\n"
        "}\n"
    )
    expect_name("linalg.conv_2d_nhwc_hwcf", text, [ones(1, 5, 5, 3), ones(3, 3, 3, 4), ones(1, 4, 3, 4)])


def test_rules() -> None:
    """An op without a derivative is reported as the op in the source."""
    text = (
        "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  %0 = tosa.cast %x : (tensor<4xf32>) -> tensor<4xi32>\n"
        "  %1 = arith.sitofp %0 : tensor<4xi32> to tensor<4xf32>\n"
        "  %s = tensor.gather %x[%0] gather_dims([0]) : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>\n"
        "  %g = train.gradient %1 wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\n"
        "  return %g : tensor<4xf32>\n"
        "}\n"
    )
    expect_error("gather", r"<string>:4:8: error: 'tensor.gather' op", lambda: flywheel.compile(text),
                 flywheel.CompileError)


run_tests([test_arithmetic, test_losses, test_normalization, test_others, test_other_dialects, test_rules])
