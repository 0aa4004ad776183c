#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the growth of compile time and step time with the width, the depth and the batch of a network.

The step trains a network of dense layers (relu, softmax cross entropy, Adam). One size is
changed at a time. `growth` is the exponent from one line to the next: with 2, twice the size
takes four times as long. Compiling is the median of several, without any cache; the longest
stage is named. Steps of Flywheel and, where it is installed and wanted, JAX (jit, donated
state) run in turn; the ratio is the median of those of the rounds.

usage: PYTHONPATH=build/python python benchmarks/scaling.py [--threads N] [--jax]
           [--widths N...] [--depths N...] [--batches N...]
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from side_by_side import measure

CLASSES = 10


class Network(NamedTuple):
    width: int = 128
    depth: int = 4
    batch: int = 64

    def shapes(self) -> list[tuple[int, int]]:
        return [(self.width, self.width)] * (self.depth - 1) + [(self.width, CLASSES)]


def write_model(network: Network) -> str:
    lines = [
        f"train.variable @w{number} : tensor<{rows}x{columns}xf32> = #train.glorot_uniform"
        for number, (rows, columns) in enumerate(network.shapes())
    ]
    x = f"tensor<{network.batch}x{network.width}xf32>"
    labels = f"tensor<{network.batch}xi32>"
    lines.append(f"func.func @step(%x: {x}, %label: {labels}) -> tensor<f32> {{")
    value = "%x"
    for number, (rows, columns) in enumerate(network.shapes()):
        w, y = f"tensor<{rows}x{columns}xf32>", f"tensor<{network.batch}x{columns}xf32>"
        lines.append(f"  %w{number} = train.read @w{number} : {w}")
        lines.append(f"  %y{number} = nn.dense {value}, %w{number} : ({x}, {w}) -> {y}")
        value = f"%y{number}"
        if number + 1 < network.depth:
            lines.append(f"  %h{number} = nn.relu {value} : {y}")
            value = f"%h{number}"
    logits = f"tensor<{network.batch}x{CLASSES}xf32>"
    lines += [
        f"  %loss = nn.sparse_softmax_cross_entropy {value}, %label : ({logits}, {labels}) -> tensor<f32>",
        "  train.minimize %loss : tensor<f32> with #train.adam<lr = 0.001>",
        "  return %loss : tensor<f32>",
        "}",
    ]
    return "\n".join(lines)


def make_jax_step(network: Network, x: Any, label: Any) -> tuple[float, Callable[[], Any]]:
    """The seconds of the first call, and a step."""
    import jax
    import jax.numpy as jnp

    def loss(weights: Any, x: Any, label: Any) -> Any:
        for w in weights[:-1]:
            x = jax.nn.relu(x @ w)
        logits = jax.nn.log_softmax(x @ weights[-1])
        return -jnp.mean(jnp.take_along_axis(logits, label[:, None], 1))

    def step(state: Any, x: Any, label: Any) -> Any:
        weights, first, second, count = state
        value, gradients = jax.value_and_grad(loss)(weights, x, label)
        count = count + 1
        rate = 0.001 * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
        first = [0.9 * m + 0.1 * g for m, g in zip(first, gradients)]
        second = [0.999 * v + 0.001 * g * g for v, g in zip(second, gradients)]
        weights = [w - rate * m / (jnp.sqrt(v) + 1e-7) for w, m, v in zip(weights, first, second)]
        return (weights, first, second, count), value

    key = jax.random.PRNGKey(0)
    weights = [jax.random.normal(key, shape) * math.sqrt(2 / sum(shape)) for shape in network.shapes()]
    state = (weights, [0 * w for w in weights], [0 * w for w in weights], jnp.float32(0))
    compiled = jax.jit(step, donate_argnums=0)
    box = [state]

    def run() -> None:
        box[0], value = compiled(box[0], x, label)
        value.block_until_ready()

    start = time.perf_counter()
    run()
    return time.perf_counter() - start, run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--widths", type=int, nargs="+", default=[32, 64, 128, 256, 512])
    parser.add_argument("--depths", type=int, nargs="+", default=[2, 4, 8, 16, 32, 64])
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 8, 64, 512])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.02, help="length of a round and peer (0.02)")
    parser.add_argument("--compilations", type=int, default=3, help="how often each is compiled (3)")
    parser.add_argument("--jax", action="store_true")
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(options.threads)
    os.environ.setdefault("XLA_FLAGS", f"--xla_cpu_multi_thread_eigen={'true' if options.threads > 1 else 'false'}")
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: options.threads])

    import numpy as np

    import flywheel

    rng = np.random.default_rng(0)
    jax_columns = f"{'jax first ms':>13} {'jax us':>10} {'jax/ours':>9}" if options.jax else ""
    for size, values in (("width", options.widths), ("depth", options.depths), ("batch", options.batches)):
        columns = f"{'compile ms':>11} {'growth':>7} {'step us':>10} {'growth':>7} {jax_columns}"
        print(f"\n{size:>8} {columns}  longest stage")
        before = None
        for value in values:
            network = Network(**{size: value})
            model = flywheel.parse(write_model(network))
            compilations = [flywheel.compile(model, threads=options.threads) for _ in range(options.compilations)]
            totals = [sum(seconds for _, seconds in program.stage_times) for program in compilations]
            stages = dict(compilations[-1].stage_times)
            longest = max(stages, key=lambda name: stages[name])
            session = flywheel.Session(compilations[-1])
            session.initialize(1)
            x = rng.standard_normal((network.batch, network.width)).astype(np.float32)
            label = rng.integers(0, CLASSES, network.batch).astype(np.int32)
            step = session.entry("step")
            runners: dict[str, Callable[[], Any]] = {"ours": lambda step=step, x=x, label=label: step(x, label)}
            beside = ""
            if options.jax:
                first, runners["jax"] = make_jax_step(network, x, label)
            times = measure(runners, options.rounds, options.seconds)
            if options.jax:
                ratio = statistics.median(theirs / ours for theirs, ours in zip(times["jax"], times["ours"]))
                beside = f"{first * 1e3:13.0f} {statistics.median(times['jax']) * 1e6:10.1f} {ratio:9.2f}"
            now = (value, statistics.median(totals), statistics.median(times["ours"]))
            growth = ["", ""]
            if before:
                growth = [f"{math.log(now[i] / before[i]) / math.log(now[0] / before[0]):.2f}" for i in (1, 2)]
            before = now
            print(
                f"{value:8} {now[1] * 1e3:11.1f} {growth[0]:>7} {now[2] * 1e6:10.1f} {growth[1]:>7} {beside}"
                f"  {longest} {100 * stages[longest] / totals[-1]:.0f} %",
                flush=True,
            )


if __name__ == "__main__":
    main()
