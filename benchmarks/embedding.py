#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A train step of an embedding table: time and workspace, against PyTorch and JAX.

A batch of random rows of a table is looked up and moved towards targets, by mean
squared error, in f32. Ours is the step of the Python module, with each optimizer
and form; PyTorch has a sparse gradient where it has an update along one (SGD, Adagrad
and `SparseAdam`), else a dense one, JAX a dense one. All run in this process, in turn,
on the same batches; the figure is the median over rounds of the mean step of a round.
Peers that are not installed are left out.

usage: PYTHONPATH=build/python python benchmarks/embedding.py [--threads N] [--rounds N] [--only NAME] [--small]
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import flywheel


class Shape(NamedTuple):
    """A table, and how many of its rows a batch looks up."""

    rows: int
    width: int
    batch: int


SHAPES = [Shape(1_000_000, 64, 1024), Shape(200_000, 256, 4096)]
RATE = 0.1
# Name, attribute, clauses of the update.
OPTIMIZERS = [
    ("SGD", "#train.gradient_descent<lr = 0.1>", ""),
    ("SGD clipped", "#train.gradient_descent<lr = 0.1>", "clip_global_norm 1.0"),
    ("Adagrad", "#train.adagrad<lr = 0.1>", ""),
    ("momentum lazy", "#train.momentum<lr = 0.1, momentum = 0.9>", "sparse lazy"),
    ("momentum exact", "#train.momentum<lr = 0.1, momentum = 0.9>", ""),
    ("Adam lazy", "#train.adam<lr = 0.1>", "sparse lazy"),
    ("Adam lazy clipped", "#train.adam<lr = 0.1>", "sparse lazy clip_global_norm 1.0"),
    ("Adam exact", "#train.adam<lr = 0.1>", ""),
    ("RMSprop lazy", "#train.rmsprop<lr = 0.1>", "sparse lazy"),
    ("RMSprop exact", "#train.rmsprop<lr = 0.1>", ""),
    ("FTRL lazy", "#train.ftrl<lr = 0.1>", "sparse lazy"),
    ("FTRL exact", "#train.ftrl<lr = 0.1>", ""),
]
# The optimizers that PyTorch has: class, arguments, whether it takes sparse gradients.
IN_TORCH: dict[str, tuple[str, dict[str, Any], bool]] = {
    "SGD": ("SGD", {}, True),
    "SGD clipped": ("SGD", {}, True),
    "Adagrad": ("Adagrad", {}, True),
    "momentum exact": ("SGD", {"momentum": 0.9}, False),
    "Adam lazy": ("SparseAdam", {}, True),
    "Adam exact": ("Adam", {}, False),
    "RMSprop exact": ("RMSprop", {}, False),
}
# Runs one step on batch number `i`.
Runner = Callable[[int], None]


def model_text(shape: Shape, optimizer: str, form: str) -> str:
    table, rows = f"tensor<{shape.rows}x{shape.width}xf32>", f"tensor<{shape.batch}x{shape.width}xf32>"
    ids = f"tensor<{shape.batch}xi32>"
    return f"""
train.variable @table : {table} = #train.zeros
func.func @step(%ids: {ids}, %y: {rows}) -> tensor<f32> {{
  %t = train.read @table : {table}
  %e = nn.gather %t, %ids axis 0 : ({table}, {ids}) -> {rows}
  %loss = nn.mean_squared_error %e, %y : ({rows}, {rows}) -> tensor<f32>
  train.minimize %loss : tensor<f32> with {optimizer} {form}
  return %loss : tensor<f32>
}}
"""


def make_ours(shape: Shape, optimizer: str, form: str, batches: list[tuple[Any, Any]]) -> tuple[Runner, int]:
    program = flywheel.compile(model_text(shape, optimizer, form))
    session = flywheel.Session(program)
    session.initialize(1)
    workspace = next(entry for entry in program.entries if entry.name == "step").workspace_bytes()
    return lambda i: session.run("step", *batches[i % len(batches)]), workspace


def make_torch(torch: Any, shape: Shape, name: str, batches: list[tuple[Any, Any]]) -> Runner:
    kind, options, is_sparse = IN_TORCH[name]
    table = torch.nn.Embedding(shape.rows, shape.width, sparse=is_sparse)
    optimizer = getattr(torch.optim, kind)(list(table.parameters()), lr=RATE, **options)
    pairs = [(torch.from_numpy(ids.astype(np.int64)), torch.from_numpy(y)) for ids, y in batches]

    def run(i: int) -> None:
        ids, y = pairs[i % len(pairs)]
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(table(ids), y).backward()
        if "clipped" in name:
            # `clip_grad_norm_` takes no sparse gradients.
            gradient = table.weight.grad.coalesce()
            gradient.values().mul_(torch.clamp(1.0 / gradient.values().norm(), max=1.0))
            table.weight.grad = gradient
        optimizer.step()

    return run


def make_jax(jax: Any, shape: Shape, batches: list[tuple[Any, Any]]) -> Runner:
    """SGD, in place."""

    def loss(table: Any, ids: Any, y: Any) -> Any:
        return ((table[ids] - y)**2).mean()

    step = jax.jit(lambda table, ids, y: table - RATE * jax.grad(loss)(table, ids, y), donate_argnums=0)
    state = [jax.numpy.zeros((shape.rows, shape.width), "float32")]

    def run(i: int) -> None:
        state[0] = step(state[0], *batches[i % len(batches)])
        state[0].block_until_ready()

    return run


def measure(runners: dict[str, Runner], rounds: int, seconds: float) -> dict[str, float]:
    """Median seconds of a step of each runner."""
    steps, times = {}, {name: [] for name in runners}  # type: dict[str, int], dict[str, list[float]]
    for name, run in runners.items():
        run(0)
        start = time.perf_counter()
        run(1)
        steps[name] = max(1, int(seconds / max(time.perf_counter() - start, 1e-6)))
    for _ in range(rounds):
        for name, run in runners.items():
            start = time.perf_counter()
            for i in range(steps[name]):
                run(i)
            times[name].append((time.perf_counter() - start) / steps[name])
    return {name: statistics.median(values) for name, values in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--threads", type=int, default=1, help="threads of PyTorch (1)")
    parser.add_argument("--rounds", type=int, default=11, help="rounds (11)")
    parser.add_argument("--only", help="optimizers whose name has this")
    parser.add_argument("--small", action="store_true", help="the first table only")
    parser.add_argument("--seconds", type=float, default=0.1, help="length of a round and runner (0.1)")
    arguments = parser.parse_args()
    peers: dict[str, Any] = {}
    for name in ("torch", "jax"):
        try:
            peers[name] = __import__(name)
        except ImportError:
            print(f"{name} is not installed: left out")
    if "torch" in peers:
        peers["torch"].set_num_threads(arguments.threads)
    rng = np.random.default_rng(1)
    for shape in SHAPES[:1] if arguments.small else SHAPES:
        batches = [(rng.integers(0, shape.rows, shape.batch).astype(np.int32),
                    rng.normal(size=(shape.batch, shape.width)).astype(np.float32)) for _ in range(16)]
        for name, optimizer, form in OPTIMIZERS:
            if arguments.only and arguments.only not in name:
                continue
            ours, workspace = make_ours(shape, optimizer, form, batches)
            runners = {"ours": ours}
            if "torch" in peers and name in IN_TORCH:
                runners["torch"] = make_torch(peers["torch"], shape, name, batches)
            if "jax" in peers and name == "SGD":
                runners["jax"] = make_jax(peers["jax"], shape, batches)
            figures = measure(runners, arguments.rounds, arguments.seconds)
            print(f"{shape.rows} x {shape.width}, batch {shape.batch}, {name}: "
                  f"workspace {workspace / 2**20:.2f} MiB; ms a step: " +
                  ", ".join(f"{runner} {1e3 * figure:.3f}" for runner, figure in figures.items()), flush=True)


if __name__ == "__main__":
    main()
