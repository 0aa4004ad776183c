# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Feeds and variables from Python numbers, NumPy scalars and lists (A4, T9)."""

from typing import Any, Callable, List, Tuple, cast

import numpy as np

import flywheel
from configurations import expect_equal, expect_error, run_tests

DTYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i8": np.int8, "i16": np.int16, "i32": np.int32,
          "i64": np.int64, "ui8": np.uint8, "ui16": np.uint16, "ui32": np.uint32, "ui64": np.uint64, "i1": np.bool_}


def make(kind: str) -> flywheel.Session:
    """Passes on a scalar, a list and a matrix; keeps a variable."""
    text = f"train.variable @v : tensor<{kind}>\n"
    for name, shape in (("scalar", ""), ("list", "?x"), ("matrix", "?x2x")):
        type = f"tensor<{shape}{kind}>"
        text += f"func.func @{name}(%x: {type}) -> {type} {{\n  return %x : {type}\n}}\n"
    return flywheel.Session(flywheel.compile(text))


def test_dtypes() -> None:
    """A number becomes the feed's dtype, wherever it has that number."""
    for kind, dtype in DTYPES.items():
        session = make(kind)
        if kind == "i1":
            expect_equal(kind, session.run("scalar", True), np.bool_(True))
            expect_equal(kind, session.run("list", [True, np.False_]), np.array([True, False]))
            continue
        expect_equal(kind, session.run("scalar", 1), np.asarray(1, dtype))
        expect_equal(kind, session.run("scalar", x=2.0), np.asarray(2, dtype))
        expect_equal(kind, session.run("list", [1, 2.0, dtype(3)]), np.asarray([1, 2, 3], dtype))
        expect_equal(kind, session.run("list", []), np.asarray([], dtype))
        expect_equal(kind, session.run("matrix", [[1, 2], (3, 4)]), np.asarray([[1, 2], [3, 4]], dtype))
        for scalar in (np.int8(5), np.int64(5), np.float32(5), np.float64(5), np.uint16(5)):
            expect_equal(kind, session.run("scalar", scalar), np.asarray(5, dtype))
            session["v"] = scalar
            expect_equal(kind, session["v"], np.asarray(5, dtype))


def test_rounding() -> None:
    """A Python float is rounded to nearest, once; a NumPy scalar keeps its value."""
    for kind, dtype in (("f16", np.float16), ("f32", np.float32), ("f64", np.float64)):
        session = make(kind)
        # The last lies just above the middle of two halves, and as a single on it.
        for value in (0.1, 3.23, 1e-7, -1 / 3, float("inf"), float("nan"), 1 + 2**-11 + 2**-40):
            expect_equal(kind, session.run("scalar", value), np.asarray(value, dtype))
    assert make("bf16").run("scalar", 3.23).astype(np.float32).item() in (3.234375, 16463.0)


def test_losses() -> None:
    """A value that the dtype does not have is a TypeError that names the feed, and nothing is run."""
    for kind, values in (
            ("i32", (1.5, 2**31, float("nan"), float("inf"), True, "1", None, 1j, np.float32(0.5), np.int64(2**40))),
            ("i8", (128, -129, 1e3)), ("ui8", (-1, 256, -1.0)), ("ui64", (-1, 2**64)),
            ("i64", (2**63, -2**63 - 1, 2.0**63)), ("i1", (1, 0, 1.0, np.int8(1))),
            ("f32", (2**24 + 1, 10**400, 1e39, True, "1", np.float64(0.1), np.int64(2**53 + 1))),
            ("f16", (2049, 65520.0, np.float32(0.1))), ("f64", (2**53 + 1, np.int64(2**53 + 1)))):
        session = make(kind)
        name = str(np.dtype(DTYPES[kind]))
        for value in values:
            pattern = f"Expected {name}: placeholder 'x' cannot hold"
            if value is None or isinstance(value, (str, complex)):
                pattern = "placeholder 'x' takes a numpy array"
            expect_error(f"{kind} {value!r}", pattern, lambda: session.run("scalar", cast(Any, value)), TypeError)
            expect_error(f"{kind} [{value!r}]", f"Expected {name}: placeholder 'x' cannot hold",
                         lambda: session.run("list", cast(Any, [value])), TypeError)
            expect_error(f"{kind} v {value!r}", f"Expected {name}", lambda: session.__setitem__("v", cast(Any, value)),
                         TypeError)
    session = make("f32")
    lists: List[Tuple[Any, Callable[[Any], Any]]] = [
        ([[1, 2], [3]], lambda x: session.run("matrix", x)), ([1, [2, 3]], lambda x: session.run("list", x))]
    for value, action in lists:
        expect_error(f"{value}", "Expected float32: placeholder 'x' takes lists of equal lengths",
                     lambda: action(value), TypeError)
    expect_error("shape", r"Cannot feed value of shape \(2,\) for placeholder 'x', which has shape \(\?, 2\)",
                 lambda: session.run("matrix", [1, 2]), flywheel.InvalidArgumentError)
    expect_error("shape", r"Cannot feed value of shape \(\) for placeholder 'x', which has shape \(\?,\)",
                 lambda: session.run("list", 1), flywheel.InvalidArgumentError)


def test_strings() -> None:
    kind = "tensor<2x!train.string>"
    text = f"func.func @f(%x: {kind}) -> {kind} {{\n  return %x : {kind}\n}}\n"
    session = flywheel.Session(flywheel.compile(text))
    assert list(session.run("f", ["a", b"bc"])) == ["a", "bc"]
    expect_error("number", "takes a str, bytes", lambda: session.run("f", ["a", 1]), TypeError)


run_tests([test_dtypes, test_rounding, test_losses, test_strings])
