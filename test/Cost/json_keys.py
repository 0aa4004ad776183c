# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: python
# RUN: %python %s
"""The JSON of costs has the keys that docs/Guides/CostAndProfile.md lists, and no others; numbers and formulas agree
(F3, F6)."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any, Set

import flywheel
from configurations import run_tests

ROOT = Path(__file__).resolve().parents[2]
# A loop with iterations that are not known, one with some, and least squares; initial values that are drawn.
MODEL = """
train.variable @w : tensor<4x3xf32> = #train.random_normal
train.variable @a : tensor<3xf64> = #train.zeros
func.func @step(%x: tensor<?x4xf32>, %n: tensor<index>) -> tensor<f32> {
  %w = train.read @w : tensor<4x3xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = tensor.extract %n[] : tensor<index>
  %z = nn.matmul %x, %w : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  %y = scf.for %i = %c0 to %end step %c1 iter_args(%h = %z) -> tensor<?x3xf32> {
    %t = math.tanh %h : tensor<?x3xf32>
    scf.yield %t : tensor<?x3xf32>
  }
  %loss = nn.l2_loss %z : tensor<?x3xf32> -> tensor<f32>
  %other = nn.l2_loss %y : tensor<?x3xf32> -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.adam
  %sum = arith.addf %loss, %other : tensor<f32>
  return %sum : tensor<f32>
}
func.func @fit(%t: tensor<3xf64>) -> tensor<f64> {
  %o = train.least_squares over [@a] max_iterations 7 : () -> tensor<f64> {
    %a = train.read @a : tensor<3xf64>
    %e = math.exp %a : tensor<3xf64>
    %r = arith.subf %e, %t : tensor<3xf64>
    train.residuals %r : tensor<3xf64>
  }
  return %o : tensor<f64>
}
"""


def find_keys(value: Any) -> Set[str]:
    """All keys but names of symbols."""
    if isinstance(value, list):
        return set().union(*map(find_keys, value))
    if not isinstance(value, dict):
        return set()
    return set(value).union(*(find_keys(part) for key, part in value.items() if key != "symbols"))


def find_formulas(value: Any) -> Set[str]:
    if isinstance(value, list):
        return set().union(*map(find_formulas, value))
    if not isinstance(value, dict):
        return set()
    own = {value[key] for key in ("flops", "bytes") if isinstance(value.get(key), str)}
    return own.union(*map(find_formulas, value.values()))


def run(*options: str) -> Any:
    command = ["flywheel-compile", "--cost=json", *options, "-"]
    return json.loads(subprocess.run(command, input=MODEL, capture_output=True, text=True, check=True).stdout)


def test_keys() -> None:
    """F3: each key is documented, and each documented key exists."""
    page = (ROOT / "docs/Guides/CostAndProfile.md").read_text().split("## JSON")[1].split("\n## ")[0]
    documented = {key for row in re.findall(r"^\| (`.*?) \|", page, re.M) for key in re.findall("`(.*?)`", row)}
    found = find_keys(run("--whole-graph")) | find_keys(run())
    assert found == documented | {"before", "after"}, found ^ documented


def test_numbers() -> None:
    """F6: formulas are of symbols that are listed; with all of them bound there are numbers only. F5: trips."""
    report = run()
    step, fit = report["before"]["entries"]
    assert step["symbols"] and all(
        set(re.findall(r"[a-z_]\w*", formula)) <= set(step["symbols"]) for formula in find_formulas(step))
    assert [loop["trips"] for loop in step["loops"] + fit["loops"]] == [None, 7]
    bound = run("--bind=batch=5")
    assert not find_formulas(bound), find_formulas(bound)
    once = bound["before"]["entries"][0]["once"]
    # A product of 5 by 4 and 4 by 3, tanh once, two losses of 15, and their sum.
    assert once["forward"]["flops"] == 120 + 15 + 2 * 44 + 1, once
    for entry in bound["before"]["entries"]:
        for sums in ("once", "with_iterations"):
            parts = [entry[sums][phase]["flops"] for phase in ("forward", "backward", "update")]
            assert sum(parts) == entry[sums]["total"]["flops"]
        assert sum(op["flops"] for op in entry["ops"]) == entry["once"]["total"]["flops"]
    assert flywheel.cost(flywheel.parse(MODEL), bindings={"batch": 5})["before"]["entries"][0]["once"] == once


run_tests([test_keys, test_numbers])
