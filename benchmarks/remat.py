#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what memory costs: a deep multilayer perceptron under memory budgets.

The model has --layers layers of --width units (tanh) and trains with Adam, f32,
one thread. For each budget, a share of the workspace without one, prints the
workspace, the time of a step and the time of compilation. The models take turns,
so that a busy machine slows all of them; times are medians of --rounds rounds.
The table in docs/Design/Workspace.md is this output.

usage: PYTHONPATH=build/python python benchmarks/remat.py
           [--layers N] [--width N] [--batch N] [--rounds N] [--shares PERCENT,...]
"""

import argparse
import statistics
import time
from typing import List, Optional

import numpy as np

import flywheel


def deep_mlp(layers: int, width: int) -> str:
    matrix, square, vector = f"tensor<?x{width}xf32>", f"tensor<{width}x{width}xf32>", f"tensor<{width}xf32>"
    declared: List[str] = []
    lines: List[str] = []
    x = "%x"
    for i in range(layers):
        declared += [f"train.variable @w{i} : {square} = #train.glorot_uniform",
                     f"train.variable @b{i} : {vector} = #train.zeros"]
        lines += [f"%w{i} = train.read @w{i} : {square}",
                  f"%b{i} = train.read @b{i} : {vector}",
                  f"%z{i} = nn.dense {x}, %w{i}, %b{i} : ({matrix}, {square}, {vector}) -> {matrix}",
                  f"%h{i} = math.tanh %z{i} : {matrix}"]
        x = f"%h{i}"
    lines += [f"%error = arith.subf {x}, %t : {matrix}",
              f"%square = arith.mulf %error, %error : {matrix}",
              f"%loss = nn.reduce mean %square axes [0, 1] : {matrix} -> tensor<f32>",
              "train.minimize %loss : tensor<f32> with #train.adam",
              "return %loss : tensor<f32>"]
    return "\n".join([*declared, f"func.func @step(%x: {matrix}, %t: {matrix}) -> tensor<f32> {{", *lines, "}"]) + "\n"


class Case:
    """The model under one budget, in bytes."""

    def __init__(self, text: str, batch: int, budget: Optional[int]) -> None:
        start = time.perf_counter()
        program = flywheel.compile(text, memory_budget=budget, max_dim_size=batch)
        self.compile_seconds = time.perf_counter() - start
        entry = next(entry for entry in program.entries if entry.name == "step")
        self.bytes = entry.workspace_bytes(**{symbol: batch for symbol in entry.symbols})
        self.session = flywheel.Session(program)
        self.session.initialize(seed=1)
        self.step = self.session.entry("step")
        self.seconds: List[float] = []

    def run(self, x: "np.typing.NDArray[np.float32]", t: "np.typing.NDArray[np.float32]") -> None:
        start = time.perf_counter()
        self.loss = self.step(x, t)
        self.seconds.append(time.perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, default=32)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--shares", default="75,50,35,25,20,15")
    options = parser.parse_args()

    text = deep_mlp(options.layers, options.width)
    whole = Case(text, options.batch, None)
    cases = {100: whole}
    for share in map(int, options.shares.split(",")):
        cases[share] = Case(text, options.batch, whole.bytes * share // 100)
    generator = np.random.default_rng(1)
    x, t = (generator.standard_normal((options.batch, options.width)).astype(np.float32) for _ in range(2))
    for case in cases.values():  # The workspace grows in the first call.
        case.step(x, t)
    for _ in range(options.rounds):
        for case in cases.values():
            case.run(x, t)
    print(f"{options.layers} layers of {options.width}, batch {options.batch}, Adam, f32, one thread")
    print("| budget | workspace | step | compilation |")
    print("| --- | --- | --- | --- |")
    base = statistics.median(whole.seconds)
    for share, case in cases.items():
        if case.loss != whole.loss:
            raise SystemExit(f"the loss under a budget of {share} % differs")
        median = statistics.median(case.seconds)
        print(f"| {'none' if case is whole else f'{share} %'} | {case.bytes / 2**20:.2f} MiB "
              f"({100 * case.bytes / whole.bytes:.0f} %) | {median * 1e3:.1f} ms ({median / base:.2f}x) "
              f"| {case.compile_seconds:.1f} s |")


main()
