#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time of the gradient of each example of a batch.

The model is the perceptron of the digits example (64-128-10, ReLU, softmax cross
entropy, f32). Times, on a batch, the gradient of the sum of the losses, the Jacobian
of the losses, and one call on each example, all from one program; the Jacobian is
also given as the sum of its squares, which does not return the gradients. The
figure is the median over rounds of the mean call of a round, and the ratio to
the gradient of the sum.

usage: PYTHONPATH=build/python python benchmarks/per_example.py [--batch N] [--json F]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

PARAMETERS = {"w1": "64x128x", "b1": "128x", "w2": "128x10x", "b2": "10x"}


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--batch", type=int, default=64, help="examples (64)")
    parser.add_argument("--rounds", type=int, default=21, help="rounds (21)")
    parser.add_argument("--seconds", type=float, default=0.05, help="length of a round of one entry (0.05)")
    parser.add_argument("--json", help="also write the figures to this file")
    return parser.parse_args()


def module_text() -> str:
    """Three entries over the same losses: `total`, `examples` and `squares`."""
    names = ", ".join(f"%{name}" for name in PARAMETERS)
    types = [f"tensor<{shape}f32>" for shape in PARAMETERS.values()]
    rows = [f"tensor<?x{shape}f32>" for shape in PARAMETERS.values()]
    arguments = ", ".join(["%x: tensor<?x64xf32>", "%label: tensor<?xi32>"]
                          + [f"%{name}: {type}" for name, type in zip(PARAMETERS, types)])
    losses = """
  %z = nn.dense %x, %w1, %b1 : (tensor<?x64xf32>, tensor<64x128xf32>, tensor<128xf32>) -> tensor<?x128xf32>
  %h = nn.relu %z : tensor<?x128xf32>
  %s = nn.dense %h, %w2, %b2 : (tensor<?x128xf32>, tensor<128x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  %loss = nn.sparse_softmax_cross_entropy %s, %label reduction none : (tensor<?x10xf32>, tensor<?xi32>) -> tensor<?xf32>
"""
    jacobian = (f"  %j:4 = train.jacobian %loss wrt {names} : "
                f"({', '.join(['tensor<?xf32>'] + types)}) -> ({', '.join(rows)})\n")
    results = ", ".join(f"%j#{k}" for k in range(4))
    squares = ""
    for k, (shape, type) in enumerate(zip(PARAMETERS.values(), rows)):
        axes = list(range(1, shape.count("x") + 1))
        squares += (f"  %q{k} = arith.mulf %j#{k}, %j#{k} : {type}\n"
                    f"  %n{k} = nn.reduce sum %q{k} axes {axes} : {type} -> tensor<?xf32>\n")
    sums = ", ".join(f"%n{k}" for k in range(4))
    return f"""
func.func @total({arguments}) -> ({', '.join(types)}) {{{losses}
  %j:4 = train.gradient %loss wrt {names} : ({', '.join(['tensor<?xf32>'] + types)}) -> ({', '.join(types)})
  return {results} : {', '.join(types)}
}}
func.func @examples({arguments}) -> ({', '.join(rows)}) {{{losses}{jacobian}
  return {results} : {', '.join(rows)}
}}
func.func @squares({arguments})
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {{{losses}{jacobian}{squares}
  return {sums} : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}}
"""


def measure(run: Callable[[], Any], seconds: float) -> float:
    """The mean time of a call, in seconds."""
    calls, start = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - start) < seconds:
        run()
        calls += 1
    return elapsed / calls


def main() -> None:
    arguments = parse_arguments()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
    import numpy as np

    import flywheel

    rng = np.random.default_rng(1)
    session = flywheel.Session(flywheel.compile(module_text(), model_name="examples"))
    x = rng.random((arguments.batch, 64)).astype(np.float32)
    label = rng.integers(0, 10, arguments.batch).astype(np.int32)
    p = [(rng.standard_normal([int(n) for n in shape.split("x")[:-1]]) * 0.1).astype(np.float32)
         for shape in PARAMETERS.values()]
    total, examples, squares = (session.entry(name) for name in ("total", "examples", "squares"))
    one = [(np.ascontiguousarray(x[n:n + 1]), label[n:n + 1]) for n in range(arguments.batch)]
    for together, rows in zip(total(x, label, *p), examples(x, label, *p)):
        np.testing.assert_allclose(rows.sum(axis=0), together, rtol=1e-3, atol=1e-4)

    def loop() -> None:
        for row, n in one:
            total(row, n, *p)

    runs = {"gradient of the sum": lambda: total(x, label, *p), "each example": lambda: examples(x, label, *p),
            "squares of each": lambda: squares(x, label, *p), "a call for each": loop}
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(arguments.rounds):
        for name, run in runs.items():
            times[name].append(measure(run, arguments.seconds))
    figures = {name: statistics.median(values) * 1e6 for name, values in times.items()}
    base = figures["gradient of the sum"]
    for name, figure in figures.items():
        print(f"{name:20} {figure:10.1f} us {figure / base:8.2f}")
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"batch": arguments.batch, "microseconds": figures}, file, indent=2)


if __name__ == "__main__":
    main()
