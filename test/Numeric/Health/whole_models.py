# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s %src_root
"""The first op that is not finite, in whole models: in the middle, in a loop, in the
backward pass, by one thread and by two (M4)."""

import os
import sys
from typing import Dict

import numpy as np

import flywheel
from configurations import Array, expect_equal, run_tests

PATH = os.path.join(sys.argv[1], "examples", "transformer", "transformer.mlir")


def find(text: str, part: str) -> str:
    """The place of the op in the source that `part`, with its result, begins."""
    number, line = next((number, line) for number, line in enumerate(text.splitlines(), 1) if part in line)
    return f"transformer.mlir:{number}:{line.index(part) + part.index('= ') + 3}"


def compile_model(text: str, threads: int) -> flywheel.Session:
    module = flywheel.parse(text, name="transformer.mlir")
    session = flywheel.Session(
        flywheel.compile(module, check_numerics=True, threads=threads, min_shared_work=0, entries=["train_step"]))
    session.initialize(1)
    return session


def expect_failure(session: flywheel.Session, feeds: Dict[str, Array], message: str) -> None:
    before = {name: session[name] for name in session}
    try:
        session.run("train_step", **feeds)
    except flywheel.InvalidArgumentError as error:
        assert str(error).endswith(message), error
    else:
        raise AssertionError(message)
    for name, value in before.items():
        expect_equal(name, session[name], value)


def make_feeds() -> Dict[str, Array]:
    random = np.random.default_rng(0)
    return {name: random.integers(0, 96, (2, 64)).astype(np.int32) for name in ("text", "next")}


def check(threads: int) -> None:
    with open(PATH, encoding="utf-8") as file:
        text = file.read()
    found = "found NaN or infinity in "
    # M4: in the middle: the second layer overflows where a variable is large.
    session = compile_model(text, threads)
    session["0/norm1/gamma"] = np.full(64, 1e25, np.float32)
    place = find(text, "%seen = nn.attention")
    expect_failure(session, make_feeds(), f"expected finite numbers, {found}'nn.attention' at {place}")
    # A variable that has a NaN.
    session.initialize(1)
    session["1/narrow/b"] = np.where(np.arange(64) == 17, np.nan, 0).astype(np.float32)
    place = find(text, '%narrow_b_1 = train.read')
    expect_failure(session, make_feeds(), f"expected finite numbers, {found}'train.read' at {place}")
    # Finite again.
    session.initialize(1)
    assert np.isfinite(session.run("train_step", **make_feeds()))

    # M4: in the backward pass: the root of 0 is finite, its derivative is not.
    root = text.replace("  return %scores :", """  %bias_sum = nn.l2_loss %b : tensor<96xf32> -> tensor<f32>
  %root = math.sqrt %bias_sum : tensor<f32>
  %roots = nn.broadcast %root dims [] like %scores : (tensor<f32>, tensor<?x64x96xf32>) -> tensor<?x64x96xf32>
  %shifted = nn.mul %scores, %roots : (tensor<?x64x96xf32>, tensor<?x64x96xf32>) -> tensor<?x64x96xf32>
  return %shifted :""")
    session = compile_model(root, threads)
    place = find(root, "%root = math.sqrt")
    expect_failure(session, make_feeds(), f"expected finite numbers in the gradient, {found}'math.sqrt' at {place}")

    # M4: in a loop: the fifth power of two of a number overflows, not the first.
    loop = text.replace("  return %scores :", """  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %powers = scf.for %i = %c0 to %c5 step %c1 iter_args(%power = %b) -> tensor<96xf32> {
    %next_power = arith.mulf %power, %power : tensor<96xf32>
    scf.yield %next_power : tensor<96xf32>
  }
  %shifted = nn.add %scores, %powers : (tensor<?x64x96xf32>, tensor<96xf32>) -> tensor<?x64x96xf32>
  return %shifted :""")
    session = compile_model(loop, threads)
    assert np.isfinite(session.run("train_step", **make_feeds()))
    session["scores/b"] = np.full(96, 1e3, np.float32)
    place = find(loop, "%next_power = arith.mulf")
    expect_failure(session, make_feeds(), f"expected finite numbers, {found}'arith.mulf' at {place}")


def test_alone() -> None:
    """M4: by one thread."""
    check(1)


def test_shared() -> None:
    """M4: by two threads, which share all that can be shared."""
    check(2)


run_tests([test_alone, test_shared])
