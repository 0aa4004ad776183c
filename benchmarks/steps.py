#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time of a train step: Flywheel, JAX (jit, donated buffers) and PyTorch eager.

Flywheel twice: the fast path of the Python module, and (`object`) a loop in C
around the step of an object file, where flywheel-compile and a C compiler are on
PATH.

Each model is a perceptron with one hidden layer, ReLU, softmax cross entropy and
momentum, in f32, from the same weights on the same batch. All run in this
process, in turn, on the same cores; the figure is the median over rounds of the
mean step of a round. Peers that are not installed are left out.

usage: PYTHONPATH=build/python python benchmarks/steps.py [--threads N] [--json F]

The Python that runs this needs NumPy and, for the peers, what
benchmarks/requirements.txt lists.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any, NamedTuple


class Shape(NamedTuple):
    """A benchmarked model: inputs, hidden units, classes, rows of a batch."""

    inputs: int
    hidden: int
    classes: int
    batch: int


MODELS = {
    "digits": Shape(64, 128, 10, 64),
    "mlp": Shape(784, 256, 10, 128),
}
RATE = 0.05
MOMENTUM = 0.9
# Runs `steps` steps and returns the last loss.
Runner = Callable[[int], float]


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--threads", type=int, default=1, help="cores to use (1)")
    parser.add_argument("--rounds", type=int, default=41, help="rounds (41)")
    parser.add_argument("--seconds", type=float, default=0.03, help="length of a round and peer (0.03)")
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=list(MODELS))
    parser.add_argument("--json", help="also write the figures to this file")
    return parser.parse_args()


def restrict_to_cores(threads: int) -> None:
    """Before any peer is imported: they read the environment once."""
    cores = sorted(os.sched_getaffinity(0))[:threads]
    if len(cores) < threads:
        sys.exit(f"error: expected {threads} cores, found {len(cores)}")
    os.sched_setaffinity(0, cores)
    os.environ["OMP_NUM_THREADS"] = str(threads)
    os.environ["JAX_PLATFORMS"] = "cpu"
    if threads == 1:
        os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"


def model_text(shape: Shape) -> str:
    """The model in the surface language."""
    n, h, c, _ = shape
    x, z, s = f"tensor<?x{n}xf32>", f"tensor<?x{h}xf32>", f"tensor<?x{c}xf32>"
    w1, b1 = f"tensor<{n}x{h}xf32>", f"tensor<{h}xf32>"
    w2, b2 = f"tensor<{h}x{c}xf32>", f"tensor<{c}xf32>"
    return f"""
train.variable @w1 : {w1}
train.variable @b1 : {b1}
train.variable @w2 : {w2}
train.variable @b2 : {b2}
func.func @train_step(%x: {x}, %label: tensor<?xi32>) -> tensor<f32> {{
  %w1 = train.read @w1 : {w1}
  %b1 = train.read @b1 : {b1}
  %w2 = train.read @w2 : {w2}
  %b2 = train.read @b2 : {b2}
  %z = nn.dense %x, %w1, %b1 : ({x}, {w1}, {b1}) -> {z}
  %h = nn.relu %z : {z}
  %s = nn.dense %h, %w2, %b2 : ({z}, {w2}, {b2}) -> {s}
  %loss = nn.sparse_softmax_cross_entropy %s, %label : ({s}, tensor<?xi32>) -> tensor<f32>
  train.minimize %loss : tensor<f32> with #train.momentum<lr = {RATE}, momentum = {MOMENTUM}>
  return %loss : tensor<f32>
}}
"""


def make_data(shape: Shape) -> dict[str, Any]:
    import numpy as np

    rng = np.random.default_rng(1)
    n, h, c, batch = shape
    return {
        "w1": (rng.standard_normal((n, h)) * (2 / n) ** 0.5).astype(np.float32),
        "b1": np.zeros(h, np.float32),
        "w2": (rng.standard_normal((h, c)) * (2 / h) ** 0.5).astype(np.float32),
        "b2": np.zeros(c, np.float32),
        "x": rng.random((batch, n)).astype(np.float32),
        "label": rng.integers(0, c, batch).astype(np.int32),
    }


def make_flywheel(shape: Shape, data: dict[str, Any]) -> tuple[Runner, dict[str, Any]]:
    import flywheel

    start = time.perf_counter()
    program = flywheel.compile(model_text(shape), model_name="bench")
    compile_seconds = time.perf_counter() - start
    session = flywheel.Session(program)
    session.initialize(1)
    for name in ("w1", "b1", "w2", "b2"):
        session[name] = data[name]
    step = session.entry("train_step")
    x, label = data["x"], data["label"]

    def run(steps: int) -> float:
        for _ in range(steps):
            loss = step(x, label)
        return float(loss)

    entry = program.entries[0]
    return run, {
        "compile_seconds": compile_seconds,
        "stage_seconds": dict(program.stage_times),
        "state_bytes": program.state_bytes,
        "workspace_bytes": entry.workspace_bytes(batch=shape.batch),
    }


C_LOOP = """
#include "model.h"
#include <stdlib.h>
void *make(const float *w1, const float *b1, const float *w2, const float *b2) {
  bench_state *s = aligned_alloc(BENCH_STATE_ALIGN, (BENCH_STATE_BYTES + 63) / 64 * 64);
  if (!s || bench_init(s, 1))
    return NULL;
  bench_set_variable(s, "w1", w1, BENCH_W1_BYTES);
  bench_set_variable(s, "b1", b1, BENCH_B1_BYTES);
  bench_set_variable(s, "w2", w2, BENCH_W2_BYTES);
  bench_set_variable(s, "b2", b2, BENCH_B2_BYTES);
  return s;
}
float run(void *s, const float *x, int64_t batch, const int32_t *label, int64_t steps) {
  float loss = -1.0f;
  for (int64_t i = 0; i < steps; ++i)
    if (bench_train_step(s, x, batch, label, &loss))
      return -1.0f;
  return loss;
}
"""


def make_object(shape: Shape, data: dict[str, Any]) -> tuple[Runner, dict[str, Any]]:
    """The step of an object file, called by a loop in C."""
    for tool in ("flywheel-compile", "clang-22"):
        if not shutil.which(tool):
            raise ModuleNotFoundError(f"{tool} is not on PATH")
    with tempfile.TemporaryDirectory() as folder:
        stem = os.path.join(folder, "model")
        with open(stem + ".mlir", "w", encoding="utf-8") as file:
            file.write(model_text(shape))
        with open(stem + ".c", "w", encoding="utf-8") as file:
            file.write(C_LOOP)
        start = time.perf_counter()
        subprocess.run(
            ["flywheel-compile", stem + ".mlir", "-o", stem + ".o", "--model-name=bench", f"--max-batch={shape.batch}"],
            check=True,
        )
        compile_seconds = time.perf_counter() - start
        object_bytes = os.path.getsize(stem + ".o")
        subprocess.run(
            ["clang-22", "-O2", "-shared", "-fPIC", stem + ".c", stem + ".o", "-o", stem + ".so", "-lm"], check=True
        )
        library = ctypes.CDLL(stem + ".so")

    def pointer(name: str) -> ctypes.c_void_p:
        return ctypes.c_void_p(data[name].ctypes.data)

    library.make.restype = ctypes.c_void_p
    library.run.restype = ctypes.c_float
    state = ctypes.c_void_p(library.make(*(pointer(name) for name in ("w1", "b1", "w2", "b2"))))

    def run(steps: int) -> float:
        return float(
            library.run(state, pointer("x"), ctypes.c_int64(shape.batch), pointer("label"), ctypes.c_int64(steps))
        )

    return run, {"compile_seconds": compile_seconds, "object_bytes": object_bytes}


def make_jax(shape: Shape, data: dict[str, Any]) -> tuple[Runner, dict[str, Any]]:
    import jax
    import jax.numpy as jnp

    def loss_of(params: Any, x: Any, label: Any) -> Any:
        h = jax.nn.relu(x @ params["w1"] + params["b1"])
        scores = h @ params["w2"] + params["b2"]
        logs = jax.nn.log_softmax(scores)
        return -jnp.mean(jnp.take_along_axis(logs, label[:, None], axis=1))

    def step(params: Any, slots: Any, x: Any, label: Any) -> Any:
        loss, grads = jax.value_and_grad(loss_of)(params, x, label)
        slots = jax.tree.map(lambda a, g: MOMENTUM * a + g, slots, grads)
        params = jax.tree.map(lambda p, a: p - RATE * a, params, slots)
        return params, slots, loss

    state: dict[str, Any] = {}
    state["params"] = {k: jnp.array(data[k]) for k in ("w1", "b1", "w2", "b2")}
    state["slots"] = jax.tree.map(jnp.zeros_like, state["params"])
    x, label = jnp.array(data["x"]), jnp.array(data["label"])
    start = time.perf_counter()
    compiled = jax.jit(step, donate_argnums=(0, 1)).lower(state["params"], state["slots"], x, label).compile()
    compile_seconds = time.perf_counter() - start

    def run(steps: int) -> float:
        params, slots = state["params"], state["slots"]
        for _ in range(steps):
            params, slots, loss = compiled(params, slots, x, label)
        state["params"], state["slots"] = params, slots
        return float(loss)

    return run, {"compile_seconds": compile_seconds}


def make_torch(shape: Shape, data: dict[str, Any], threads: int) -> tuple[Runner, dict[str, Any]]:
    import torch

    torch.set_num_threads(threads)
    params = {k: torch.tensor(data[k], requires_grad=True) for k in ("w1", "b1", "w2", "b2")}
    x, label = torch.tensor(data["x"]), torch.tensor(data["label"]).long()
    optimizer = torch.optim.SGD(params.values(), lr=RATE, momentum=MOMENTUM)

    def run(steps: int) -> float:
        for _ in range(steps):
            h = torch.relu(torch.addmm(params["b1"], x, params["w1"]))
            scores = torch.addmm(params["b2"], h, params["w2"])
            loss = torch.nn.functional.cross_entropy(scores, label)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return float(loss.detach())

    return run, {}


def measure(shape: Shape, arguments: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Figures of each peer that is installed; seconds."""
    data = make_data(shape)
    makers: dict[str, Callable[[], tuple[Runner, dict[str, Any]]]] = {
        "flywheel": lambda: make_flywheel(shape, data),
        "object": lambda: make_object(shape, data),
        "jax": lambda: make_jax(shape, data),
        "torch": lambda: make_torch(shape, data, arguments.threads),
    }
    runners: dict[str, Runner] = {}
    figures: dict[str, dict[str, Any]] = {}
    for peer, make in makers.items():
        try:
            runners[peer], figures[peer] = make()
        except ModuleNotFoundError as error:
            print(f"note: without {peer}: {error}", file=sys.stderr)
    for peer, run in runners.items():
        figures[peer]["loss"] = run(5)
    expected = figures["flywheel"]["loss"]
    for peer, figure in figures.items():
        if abs(figure["loss"] - expected) > 1e-3 * abs(expected):
            sys.exit(f"error: {peer} computes another loss: {figure['loss']}, expected {expected}")

    counts = {}
    for peer, run in runners.items():
        start = time.perf_counter()
        run(20)
        counts[peer] = max(3, int(arguments.seconds * 20 / (time.perf_counter() - start)))
    times: dict[str, list[float]] = {peer: [] for peer in runners}
    for _ in range(arguments.rounds):
        for peer, run in runners.items():
            start = time.perf_counter()
            run(counts[peer])
            times[peer].append((time.perf_counter() - start) / counts[peer])
    for peer, samples in times.items():
        figures[peer]["median"] = statistics.median(samples)
        figures[peer]["minimum"] = min(samples)
        # Round by round, so that what slows the machine down cancels out.
        figures[peer]["ratio"] = statistics.median(t / f for t, f in zip(samples, times["flywheel"], strict=True))
    return figures


def print_sizes(name: str, figures: dict[str, dict[str, Any]]) -> None:
    """What Flywheel's figures say beside the time of a step."""
    own = figures["flywheel"]
    sizes = f"state {own['state_bytes']} bytes, workspace {own['workspace_bytes']} bytes"
    if "object" in figures:
        sizes += f", object file {figures['object']['object_bytes']} bytes"
    print(f"{name:8} {sizes}")
    stages = ", ".join(f"{stage} {seconds * 1e3:.0f}" for stage, seconds in own["stage_seconds"].items())
    print(f"{name:8} compile ms: {stages.replace('flywheel-', '')}")


def main() -> None:
    arguments = parse_arguments()
    restrict_to_cores(arguments.threads)
    results = {}
    print(f"{'model':8} {'peer':9} {'median':>10} {'minimum':>10} {'over flywheel':>14} {'compile':>9}")
    for name in arguments.models:
        results[name] = measure(MODELS[name], arguments)
        for peer, figure in results[name].items():
            compile_seconds = figure.get("compile_seconds")
            print(
                f"{name:8} {peer:9} {figure['median'] * 1e6:8.1f}us {figure['minimum'] * 1e6:8.1f}us "
                f"{figure['ratio']:13.2f}x {f'{compile_seconds:8.2f}s' if compile_seconds else '':>9}",
                flush=True,
            )
        print_sizes(name, results[name])
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"threads": arguments.threads, "models": results}, file, indent=2)


if __name__ == "__main__":
    main()
