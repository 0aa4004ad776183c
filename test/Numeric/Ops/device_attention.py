# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
# RUN: env FLYWHEEL_SIM_RACES=1 %python %s few
"""Attention and its gradients on a GPU, where a block has tiles of its scores and no buffer has all of them: for a
batch and a length that the call chooses, for known ones, and for few rows (X12, D9). Blocks and threads are
executed in both orders. With `few` there are fewer cases.

Numbers are those of NumPy in f64."""

import sys
from typing import Any, List, Optional, Tuple

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

import flywheel
from configurations import expect_close, run_tests
from device_and_host import orders
from selection import choose

Array = NDArray[Any]
# The element type, whether the batch and the length are dynamic, and what is between the parentheses of the op.
Case = Tuple[str, bool, bool, str]
FEW = "few" in sys.argv[1:]
TARGET = "cuda:sm_90a:bitcode"
KINDS = {"f32": (np.float32, 3e-5), "f64": (np.float64, 1e-10), "f16": (np.float16, 8e-3),
         "bf16": (ml_dtypes.bfloat16, 6e-2)}
LENGTHS = (1, 33, 65, 129, 200)
HEADS, SIZE, VALUES = 2, 8, 5


def text_of(element: str, batch: str, length: str, other: str, clauses: str) -> str:
    """Attention of `length` queries to `other` positions, and its gradients."""
    q, y = (f"tensor<{batch}x{HEADS}x{length}x{n}x{element}>" for n in (SIZE, VALUES))
    k, v = (f"tensor<{batch}x{HEADS}x{other}x{n}x{element}>" for n in (SIZE, VALUES))
    return (f"func.func @f(%q: {q}, %k: {k}, %v: {v}, %u: {y}) -> ({y}, {q}, {k}, {v}) {{\n"
            f"  %y = nn.attention %q, %k, %v {clauses} : ({q}, {k}, {v}) -> {y}\n"
            f"  %d:3 = train.gradient %y wrt %q, %k, %v grad_ys %u : ({y}, {q}, {k}, {v}, {y}) -> ({q}, {k}, {v})\n"
            f"  return %y, %d#0, %d#1, %d#2 : {y}, {q}, {k}, {v}\n}}\n")


def attend(q: Array, k: Array, v: Array, u: Array, causal: bool) -> List[Array]:
    """The result, and the gradients of queries, keys and values."""
    q, k, v, u = (x.astype(np.float64) for x in (q, k, v, u))
    scale = 1 / np.sqrt(q.shape[-1])
    scores = q @ k.swapaxes(-1, -2) * scale
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[-2:], bool)), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    above = u @ v.swapaxes(-1, -2)
    below = weights * (above - (above * weights).sum(-1, keepdims=True)) * scale
    return [weights @ v, below @ k, below.swapaxes(-1, -2) @ q, weights.swapaxes(-1, -2) @ u]


def check(what: str, session: flywheel.Session, element: str, batch: int, length: int, other: int,
          causal: bool) -> None:
    dtype, tolerance = KINDS[element]
    rng = np.random.default_rng(batch * 1000 + length)
    shapes = ((length, SIZE), (other, SIZE), (other, VALUES), (length, VALUES))
    q, k, v, u = (rng.standard_normal((batch, HEADS, *shape)).astype(dtype) for shape in shapes)
    wanted = attend(q, k, v, u, causal)
    for order in orders():
        for name, found, expected in zip(("y", "dq", "dk", "dv"), session.run("f", q, k, v, u), wanted):
            expect_close(f"{what}, {order}: {name} of batch {batch}, length {length}, {other}",
                         found.astype(np.float64), expected, tolerance)


def session_of(text: str) -> flywheel.Session:
    session = flywheel.Session(flywheel.compile(text, target=TARGET))
    session.initialize(1)
    return session


def test_lengths() -> None:
    """Lengths of one, of one more than tiles, and others that are not multiples of them, in each kind of batch and
    length."""
    cases = [(element, is_batch, is_length, clauses)
             for element in KINDS for is_batch in (True, False) for is_length in (True, False)
             for clauses in ("", "causal")]
    lengths = LENGTHS[:3] if FEW else LENGTHS
    # At least one of each kind of sizes.
    for case in choose("device-attention", cases, 0.0, group=lambda case: (case[1], case[2])):
        element, is_batch, is_length, clauses = case
        shared: Optional[flywheel.Session] = None
        for length in lengths:
            for batch in (1, 3):
                if shared is None or not (is_batch and is_length):
                    size = "?" if is_length else str(length)
                    shared = session_of(text_of(element, "?" if is_batch else str(batch), size, size, clauses))
                check(f"{case}", shared, element, batch, length, length, clauses == "causal")


def test_other_lengths() -> None:
    """Queries and positions of different numbers, known or not; no query and no batch at all."""
    for length, other, sizes in (("?", "?", ((33, 70), (70, 33), (1, 129), (129, 1))), ("40", "?", ((40, 65),)),
                                 ("?", "40", ((65, 40),))):
        session = session_of(text_of("f32", "?", length, other, ""))
        for queries, positions in sizes:
            check(f"{length} {other}", session, "f32", 2, queries, positions, False)
    empty = session_of(text_of("f32", "?", "?", "?", "causal"))
    for batch, queries in ((0, 33), (2, 0)):
        shapes = ((queries, SIZE), (queries, SIZE), (queries, VALUES), (queries, VALUES))
        for _ in orders():
            found = empty.run("f", *(np.ones((batch, HEADS, *shape), np.float32) for shape in shapes))
            assert [result.shape[0] for result in found] == [batch] * 4 and found[0].shape[2] == queries


def test_few_rows() -> None:
    """Few rows of scores: the fewest that are tiled, and fewer, which are kept."""
    for length in (1100, 990) if not FEW else (1100,):
        session = session_of(text_of("f32", "1", str(length), str(length), "causal"))
        check("few rows", session, "f32", 1, length, length, True)


if __name__ == "__main__":
    run_tests([test_lengths, test_other_lengths, test_few_rows])
