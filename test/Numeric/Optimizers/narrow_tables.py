# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""Gradients of rows of tables of f16 and bf16 (O30): single rows, several, the same one twice.

A step neither has a gradient of all rows nor converts them, and its numbers are those of a
gradient of the whole table, of f64, up to the rounding of the table and of its slots.
"""

from typing import Dict, Sequence, Tuple

import numpy as np
from sparse_gradients import OPTIMIZERS, Optimizer, Reference, add_rows, kind

import flywheel
from configurations import configurations, dtype_of, expect_close, run_tests
from optimizer_rules import spell

ROWS, WIDTH = 2048, 32
NAMES = {"f16": "float16", "bf16": "bfloat16"}
# The places of the rows of a sum, and some rows: a table of f16 has 131,072 bytes.
MOST_BYTES = 8 * ROWS + 4096
# Numbers of rows of each lookup of a step.
LOOKUPS: Dict[str, Tuple[int, ...]] = {"one": (1,), "several": (5,), "two": (1, 1), "mixed": (1, 3, 1)}


def step_text(element: str, lookups: Sequence[int], optimizer: Optimizer, form: str, is_widened: bool) -> str:
    """A step of the squared distances of looked-up rows to targets, in f32 if `is_widened`, else in `element`."""
    table = kind((ROWS, WIDTH), element)
    number = "f32" if is_widened else element
    source = kind((ROWS, WIDTH), number)
    widen = f"%w = arith.extf %t : {table} to {source}" if is_widened else ""
    arguments, body, losses = [], "", []
    for place, count in enumerate(lookups):
        ids, rows = kind((count,), "i32"), kind((count, WIDTH), number)
        arguments += [f"%i{place}: {ids}", f"%y{place}: {rows}"]
        body += f"""
  %e{place} = nn.gather {"%w" if is_widened else "%t"}, %i{place} axis 0 : ({source}, {ids}) -> {rows}
  %d{place} = arith.subf %e{place}, %y{place} : {rows}
  %q{place} = arith.mulf %d{place}, %d{place} : {rows}
  %l{place} = nn.reduce sum %q{place} axes [0, 1] : {rows} -> tensor<{number}>"""
        losses.append(f"%l{place}")
    total = losses[0]
    for place, loss in enumerate(losses[1:]):
        body += f"\n  %s{place} = arith.addf {total}, {loss} : tensor<{number}>"
        total = f"%s{place}"
    return f"""
train.variable @table : {table} = #train.zeros
func.func @step({", ".join(arguments)}) {{
  %t = train.read @table : {table}
  {widen}{body}
  train.minimize {total} : tensor<{number}> with {spell(*optimizer)} {form}
  return
}}
"""


def test_numbers() -> None:
    """Each optimizer and lookup; ids are of few rows, so that they repeat within a step and between steps."""
    for number, optimizer in enumerate(OPTIMIZERS):
        for place, (what, lookups) in enumerate(LOOKUPS.items()):
            element, is_widened = ("f16", "bf16")[(number + place) % 2], number % 3 == 0
            form = "" if (number + place) % 3 == 2 else "sparse lazy"
            text = step_text(element, lookups, optimizer, form, is_widened)
            for name, model in configurations(text, ("reference", "optimized")):
                rng = np.random.default_rng(5)
                model.initialize()
                start = rng.integers(-8, 9, (ROWS, WIDTH)).astype(np.float32).astype(dtype_of(NAMES[element]))
                model["table"] = start
                reference = Reference(start.astype(np.float64), optimizer, bool(form))
                dtype = np.float32 if is_widened else dtype_of(NAMES[element])
                for _ in range(3):
                    ids = [rng.integers(0, 3, count).astype(np.int32) for count in lookups]
                    targets = [rng.integers(-8, 9, (n, WIDTH)).astype(np.float32).astype(dtype) for n in lookups]
                    model.run("step", *[value for pair in zip(ids, targets) for value in pair])
                    rows = [2 * (reference.table[i] - y.astype(np.float64)) for i, y in zip(ids, targets)]
                    gradient = add_rows((ROWS, WIDTH), np.concatenate(ids), np.concatenate(rows))
                    reference.step(gradient, np.concatenate(ids))
                found = np.asarray(model["table"]).astype(np.float64)
                tolerance = 0.02 if element == "f16" else 0.1
                expect_close(f"{name}: {what} of {element}, {optimizer} {form}", found, reference.table, tolerance)


def test_memory() -> None:
    """A lazy step has rows in its workspace, and nothing of the size of the table."""
    for element in ("f16", "bf16"):
        for optimizer in OPTIMIZERS:
            for what, lookups in LOOKUPS.items():
                for is_widened in (False, True):
                    text = step_text(element, lookups, optimizer, "sparse lazy", is_widened)
                    program = flywheel.compile(text)
                    size = next(entry for entry in program.entries if entry.name == "step").workspace_bytes()
                    assert size <= MOST_BYTES, f"{what} of {element}, {optimizer}, widened {is_widened}: {size} bytes"


if __name__ == "__main__":
    run_tests([test_numbers, test_memory])
