# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Bounds of single dimension sizes, by name, in a session."""

import json
from typing import Type

import numpy as np

import flywheel
from configurations import run_tests

TEXT = """
func.func @f(%x: tensor<?x?xf32> {train.dims = ["batch", "time"]}, %y: tensor<?xf32> {train.dims = ["time"]})
    -> (tensor<?x?xf32>, tensor<?xf32>) {
  %z = arith.addf %x, %x : tensor<?x?xf32>
  %w = arith.addf %y, %y : tensor<?xf32>
  return %z, %w : tensor<?x?xf32>, tensor<?xf32>
}
"""


def fails(kind: Type[Exception], text: str, function: object, *arguments: object, **options: object) -> None:
    try:
        function(*arguments, **options)  # type: ignore[operator]
    except kind as error:
        assert text in str(error), str(error)
        return
    raise AssertionError(f"expected {text}")


def test_bounds() -> None:
    for lowering in ("optimized", "reference"):
        program = flywheel.compile(TEXT, lowering=lowering, max_dim_size={"batch": 4, "time": 256})
        session = flywheel.Session(program)
        z, w = session.run("f", x=np.ones((4, 256), np.float32), y=np.ones(256, np.float32))
        assert z.shape == (4, 256) and w.shape == (256,) and (z == 2).all()
        fails(
            flywheel.InvalidArgumentError,
            "batch is out of range: expected 0 <= batch <= 4 in 'f', found 5",
            session.run,
            "f",
            x=np.ones((5, 256), np.float32),
            y=np.ones(256, np.float32),
        )
        fails(
            flywheel.InvalidArgumentError,
            "time is out of range: expected 0 <= time <= 256 in 'f', found 257",
            session.run,
            "f",
            x=np.ones((4, 257), np.float32),
            y=np.ones(257, np.float32),
        )
        # Dimensions of one name have one size.
        fails(
            flywheel.InvalidArgumentError,
            "feeds disagree on the dimension size 'time'",
            session.run,
            "f",
            x=np.ones((4, 3), np.float32),
            y=np.ones(2, np.float32),
        )
        assert json.loads(program.manifest())["entries"][0]["max_dim_sizes"] == [4, 256]
        assert json.loads(program.manifest(max_dim_size=7))["max_dim_size"] == 7


def test_no_bound() -> None:
    """A number alone bounds no call."""
    session = flywheel.Session(flywheel.compile(TEXT, max_dim_size=2))
    session.run("f", x=np.ones((5, 6), np.float32), y=np.ones(6, np.float32))


def test_errors() -> None:
    fails(
        flywheel.CompileError,
        "found 'tme'; their dimension sizes are: batch, time",
        flywheel.compile,
        TEXT,
        max_dim_size={"tme": 4},
    )
    fails(
        ValueError,
        "expected a bound of 'time' within [1, 16777216], found 0",
        flywheel.compile,
        TEXT,
        max_dim_size={"time": 0},
    )


run_tests([value for name, value in sorted(globals().items()) if name.startswith("test_")])
