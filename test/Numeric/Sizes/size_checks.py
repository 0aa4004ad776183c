# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""R4, X10, X11: whatever an op requires of sizes is checked before the step
writes anything, and the error names the op, its place and both sizes. Each
program runs on sizes that fit, with the numbers of NumPy, and fails on others,
in both lowerings and for several element types."""

import re
from functools import partial

import numpy as np

import flywheel
from configurations import Failure, ObjectModel, expect_error
from size_check_cases import CASES, Array, Case, Shapes

DTYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32}


def make_feeds(shapes: Shapes, dtype: str, scalars: dict[str, Array]) -> dict[str, Array]:
    feeds: dict[str, Array] = dict(scalars)
    for name, shape in shapes.items():
        count = int(np.prod(shape))
        feeds[name] = (np.arange(count) % 5 + 1).reshape(shape).astype(DTYPES[dtype])
    return feeds


def check_case(name: str, case: Case, dtype: str, lowering: str) -> None:
    is_float = dtype[0] == "f"
    words = {
        "t": dtype,
        "add": "addf" if is_float else "addi",
        "zero": "0.0" if is_float else "0",
        "one": "1.0" if is_float else "1",
    }
    if case.refused:
        expect_error(
            f"{name} {dtype} {lowering}",
            re.escape(case.refused.format(**words)),
            lambda: flywheel.compile(case.text.format(**words), lowering=lowering),
            flywheel.CompileError,
        )
        return
    compiled = flywheel.compile(case.text.format(**words), lowering=lowering)
    session = flywheel.Session(compiled)
    for shapes in case.fits:
        feeds = make_feeds(shapes, dtype, case.scalars)
        found = session.run("f", **feeds)
        np.testing.assert_allclose(found, case.expected(**feeds), rtol=1e-5, err_msg=f"{name} {dtype} {lowering}")
    for shapes, text in case.fails:
        feeds = make_feeds(shapes, dtype, case.scalars)
        try:
            session.run("f", **feeds)
        except flywheel.InvalidArgumentError as error:
            message = str(error)
            assert text.format(**words) in message, f"{name} {dtype} {lowering}: expected {text!r} in {message!r}"
            assert re.search(r" at .*:\d+:\d+", message), f"{name}: expected a place in {message!r}"
        else:
            raise AssertionError(f"{name} {dtype} {lowering}: expected an error with {text!r}")


def check_extremes(lowering: str) -> None:
    """A number of the step that no memory has room for is a status."""
    case = CASES["insert_slice"]
    session = flywheel.Session(flywheel.compile(case.text.format(t="f32"), lowering=lowering))
    x, z = np.arange(7, dtype=np.float32), np.ones(2, np.float32)
    for size in (10**12, 2**40, 2**56, 2**62, 2**63 - 1, -(2**63), -1, 0):
        expect_error(
            f"insert_slice {lowering} {size}",
            f"found {size} and 2 in 'tensor.insert_slice' at <string>:4:16",
            partial(session.run, "f", x, z, np.array(size, np.int64)),
            flywheel.InvalidArgumentError,
        )
    np.testing.assert_array_equal(session.run("f", x, z, np.array(2, np.int64)), [1, 1, 2, 3, 4, 5, 6])


def check_variables(lowering: str) -> None:
    """Nothing is written where a check fails, not even what comes before it."""
    session = flywheel.Session(
        flywheel.compile(
            """
            train.variable @v : tensor<12xf32> = #train.ones
            train.variable @n : tensor<f32> = #train.zeros
            func.func @step(%x: tensor<?x3xf32>) -> tensor<f32> {
              %one = arith.constant dense<1.0> : tensor<f32>
              train.assign_add @n, %one : tensor<f32>
              %y = tensor.collapse_shape %x [[0, 1]] : tensor<?x3xf32> into tensor<?xf32>
              %w = tensor.cast %y : tensor<?xf32> to tensor<12xf32>
              train.assign @v, %w : tensor<12xf32>
              return %one : tensor<f32>
            }""",
            lowering=lowering,
        )
    )
    session.initialize(1)
    for rows in (0, 2, 3, 5, 400):
        try:
            session.run("step", x=np.full((rows, 3), 7, np.float32))
        except flywheel.InvalidArgumentError as error:
            assert f"found {3 * rows} in 'tensor.cast'" in str(error), error
        else:
            raise AssertionError("expected an error")
        np.testing.assert_array_equal(session["v"], np.ones(12))
        assert session["n"] == 0
    session.run("step", x=np.full((4, 3), 7, np.float32))
    np.testing.assert_array_equal(session["v"], np.full(12, 7))
    assert session["n"] == 1


def check_objects() -> None:
    """An object says the same, and leaves what is around results alone."""
    for name in ("expand_shape", "cast", "elementwise", "expand_shape_negative"):
        case = CASES[name]
        words = {"t": "f32", "add": "addf", "zero": "0.0", "one": "1.0"}
        model = ObjectModel(case.text.format(**words))
        model.initialize()
        for shapes in case.fits:
            feeds = make_feeds(shapes, "f32", case.scalars)
            np.testing.assert_allclose(model.run("f", *feeds.values()), case.expected(**feeds))
        for shapes, text in case.fails:
            feeds = make_feeds(shapes, "f32", case.scalars)
            try:
                model.run("f", *feeds.values())
            except Failure as error:
                assert text.format(**words) in str(error), f"{name}: expected {text!r} in {error}"
            else:
                raise AssertionError(f"{name}: expected an error with {text!r}")


check_objects()
for lowering in ("reference", "optimized"):
    check_variables(lowering)
    check_extremes(lowering)
    for name, case in CASES.items():
        for dtype in case.dtypes:
            check_case(name, case, dtype, lowering)
