#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time of every optimizer's update, against the bytes that it has to move.

A step is `train.apply_gradients` along gradients that are fed, in f32. Its bytes are
those of the gradients, read, and of parameters and slots, read and written; the bound
is the time of an array of as many bytes that is read and written in place (NumPy, one
thread), in the same run. The optimizers are those that the compiler lists.

* one: a single square matrix. Muon, whose products of matrices have nothing to do
  with bytes, has one of `--muon` rows, and a share of a product's speed besides.
* few: 20 matrices of as many elements together.
* many: 400 vectors of 1 to 5000 elements. Feeding 400 arrays takes Python time of its own, which is
  that of 400 vectors of one element, and is taken off the figure.

Gradients are parts of one array, at multiples of 64 bytes, as they are in the workspace of a step.

Then Adam with the clauses for few bits and small batches, on one matrix (a call of
`accumulate 4` is the mean of three that add and one that updates); and Adam on one
vector against PyTorch's fused Adam and a jitted one in JAX, which donates its
buffers. Peers that are not installed are left out.

All run in this process, in turn; a figure is a median over rounds.

usage: PYTHONPATH=build/python python benchmarks/optimizers.py [--elements N] [--threads N] [--only O...]
"""

from __future__ import annotations

import argparse
import math
import os
import re
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import flywheel

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

Runner = Callable[[], Any]
Shapes = list[tuple[int, ...]]


def registered() -> list[str]:
    """The names of the optimizers, as the compiler lists them."""
    text = """
train.variable @p : tensor<f32>
func.func @step() {
  %p = train.read @p : tensor<f32>
  train.minimize %p : tensor<f32> with #train.none_of_that_name
  return
}
"""
    try:
        flywheel.compile(text)
    except Exception as error:
        found = re.search(r"the optimizers are ([^;]*);", str(error))
        if found:
            return [name.strip().replace("#train.", "") for name in found.group(1).split(",")]
    raise AssertionError("expected an error that lists the optimizers")


def model_text(attribute: str, shapes: Shapes, element: str = "f32") -> str:
    kinds = [f"tensor<{''.join(f'{size}x' for size in shape)}{element}>" for shape in shapes]
    numbers = range(len(shapes))
    return ("".join(f"train.variable @p{i} : {kinds[i]} = #train.random_normal\n" for i in numbers) +
            f"func.func @step({', '.join(f'%g{i}: {kinds[i]}' for i in numbers)}) {{\n"
            f"  train.apply_gradients {', '.join(f'%g{i}' for i in numbers)} : {', '.join(kinds)}\n"
            f"      to [{', '.join(f'@p{i}' for i in numbers)}] with {attribute}\n  return\n}}\n")


class Update:
    """A compiled update of variables of some shapes."""

    def __init__(self, attribute: str, shapes: Shapes, threads: int = 1, element: str = "f32") -> None:
        rng = np.random.default_rng(1)
        begin = time.perf_counter()
        program = flywheel.compile(model_text(attribute, shapes, element), threads=threads)
        self.compile_seconds = time.perf_counter() - begin
        self.session = flywheel.Session(program)
        self.session.initialize(1)
        sizes = [math.prod(shape) for shape in shapes]
        ends = np.cumsum([-(-size // 16) * 16 for size in sizes])
        whole = rng.standard_normal(int(ends[-1]) + 16, np.float32)
        whole = whole[-whole.ctypes.data % 64 // 4:]
        self.gradients = [whole[end - -(-size // 16) * 16:][:size].reshape(shape)
                          for size, end, shape in zip(sizes, ends, shapes)]
        if element == "bf16":
            self.gradients = [gradient.astype(ml_dtypes.bfloat16) for gradient in self.gradients]
        state = sum(self.session[name].nbytes for name in self.session)
        self.bytes = 2 * state + sum(gradient.nbytes for gradient in self.gradients)

    def run(self) -> None:
        self.session.run("step", *self.gradients)


def make_copy(size: int) -> Runner:
    """Reads and writes `size` bytes together, in place."""
    array = np.ones(max(1, size // 8), np.float32)
    factor = np.float32(1)
    return lambda: np.multiply(array, factor, out=array)


def measure(runners: dict[str, Runner], rounds: int, seconds: float = 0.02) -> dict[str, float]:
    """Median seconds of a call of each runner."""
    calls, times = {}, {name: [] for name in runners}  # type: dict[str, int], dict[str, list[float]]
    for name, run in runners.items():
        run()
        begin = time.perf_counter()
        run()
        calls[name] = max(1, int(seconds / max(time.perf_counter() - begin, 1e-7)))
    for _ in range(rounds):
        for name, run in runners.items():
            begin = time.perf_counter()
            for _ in range(calls[name]):
                run()
            times[name].append((time.perf_counter() - begin) / calls[name])
    return {name: statistics.median(values) for name, values in times.items()}


def report(name: str, attribute: str, shapes: Shapes, rounds: int) -> None:
    update = Update(attribute, shapes)
    runners: dict[str, Runner] = {"update": update.run, "copy": make_copy(update.bytes)}
    if len(shapes) > 100:
        runners["feeds"] = Update(attribute, [(1,)] * len(shapes)).run
    figures = measure(runners, rounds)
    figures["update"] -= figures.get("feeds", 0)
    gigabytes = update.bytes / 1e9
    print(f"  {name:17} {figures['update'] * 1e3:9.3f} ms {gigabytes / figures['update']:6.1f} GB/s, "
          f"copy {gigabytes / figures['copy']:6.1f} GB/s: {figures['copy'] / figures['update']:4.0%} of it, "
          f"compiled in {update.compile_seconds:.2f} s", flush=True)


def report_muon(rows: int, rounds: int) -> None:
    """Compares Newton and Schulz's five steps of three products with one product."""
    update = Update("#train.muon<lr = 0.02>", [(rows, rows)])
    kind = f"tensor<{rows}x{rows}xf32>"
    product = flywheel.Session(flywheel.compile(
        f"func.func @product(%a: {kind}, %b: {kind}) -> {kind} {{\n"
        f"  %c = nn.matmul %a, %b : ({kind}, {kind}) -> {kind}\n  return %c : {kind}\n}}\n"))
    a, = update.gradients
    figures = measure({"update": update.run, "product": lambda: product.run("product", a, a)}, rounds)
    flops = 2 * rows**3
    print(f"  muon {rows} x {rows}: {figures['update'] * 1e3:.2f} ms, "
          f"{15 * flops / figures['update'] / 1e9:.0f} GFLOP/s; "
          f"one product {flops / figures['product'] / 1e9:.0f} GFLOP/s: "
          f"{15 * figures['product'] / figures['update']:.0%} of it", flush=True)


# The clauses of the optimizer, and the type of variable and gradient.
CLAUSES = [
    ("", "f32"), ("loss_scale #train.loss_scale<initial = 1.0>", "f32"), ("accumulate 4", "f32"),
    ("clip_global_norm 1.0", "f32"), ("", "bf16"), ("master_weights", "bf16"),
    ("clip_global_norm 1.0 loss_scale #train.loss_scale<initial = 1.0> accumulate 4 master_weights", "bf16")]


def report_clauses(elements: int, rounds: int) -> None:
    side = math.isqrt(elements)
    updates = {f"{element} {clauses}": Update(f"#train.adam<lr = 0.001> {clauses}", [(side, side)], element=element)
               for clauses, element in CLAUSES if element != "bf16" or ml_dtypes}
    if not ml_dtypes:
        print("  ml_dtypes, which has NumPy's bfloat16, is not installed: bf16 is left out")
    runners: dict[str, Runner] = {name: update.run for name, update in updates.items()}
    largest = max(update.bytes for update in updates.values())
    figures = measure({**runners, "copy": make_copy(largest)}, rounds)
    rate = largest / figures["copy"] / 1e9
    for name, update in updates.items():
        print(f"  {figures[name] * 1e3:8.2f} ms, {update.bytes / 1e6:7.1f} MB of state and gradient "
              f"(copied at {rate:.1f} GB/s: {update.bytes / rate / 1e6:.2f} ms): {name}", flush=True)


def make_torch_adam(torch: Any, gradient: Any) -> Runner:
    p = torch.nn.Parameter(torch.zeros(gradient.shape))
    p.grad = torch.from_numpy(gradient)
    return torch.optim.Adam([p], lr=0.001, fused=True).step  # type: ignore[no-any-return]


def make_jax_adam(jax: Any, gradient: Any) -> Runner:
    jnp = jax.numpy

    def update(p: Any, m: Any, v: Any, t: Any, g: Any) -> Any:
        t = t + 1
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        rate = 0.001 * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
        return p - rate * m / (jnp.sqrt(v) + 1e-8), m, v, t

    step = jax.jit(update, donate_argnums=(0, 1, 2, 3))
    state = [*(jnp.zeros(gradient.shape, "float32") for _ in range(3)), jnp.float32(0)]
    g = jnp.asarray(gradient)

    def run() -> None:
        state[:] = step(*state, g)
        state[0].block_until_ready()

    return run


def report_adam(elements: int, rounds: int, threads: int) -> None:
    update = Update("#train.adam<lr = 0.001>", [(elements,)], threads)
    runners: dict[str, Runner] = {"flywheel": update.run, "copy": make_copy(update.bytes)}
    for name, maker in (("torch", make_torch_adam), ("jax", make_jax_adam)):
        try:
            peer = __import__(name)
        except ImportError:
            print(f"  {name} is not installed: left out")
            continue
        if name == "torch":
            peer.set_num_threads(threads)
        runners[name] = maker(peer, update.gradients[0])
    figures = measure(runners, rounds)
    ours = figures["flywheel"]
    for name, seconds in figures.items():
        print(f"  {name:9} {seconds * 1e3:8.2f} ms, {update.bytes / seconds / 1e9:6.1f} GB/s, "
              f"{seconds / ours:.2f}x ours")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--elements", type=int, default=50_000_000, help="elements of all variables together (50 M)")
    parser.add_argument("--muon", type=int, default=1024, help="rows of the matrix that Muon updates (1024)")
    parser.add_argument("--rounds", type=int, default=11, help="rounds (11)")
    parser.add_argument("--threads", type=int, default=1, help="cores to use; threads of Adam and its peers (1)")
    parser.add_argument("--only", nargs="+", help="optimizers, of those that the compiler lists")
    parser.add_argument("--parts", nargs="+", default=["one", "few", "many", "muon", "clauses", "adam"])
    arguments = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < arguments.threads:
        sys.exit(f"error: expected {arguments.threads} cores, found {len(cores)}")
    os.sched_setaffinity(0, cores[-arguments.threads:])
    rng = np.random.default_rng(0)
    root, share = math.isqrt(arguments.elements), math.isqrt(arguments.elements // 20)
    parts: dict[str, Shapes] = {
        "one": [(root, root)], "few": [(share, share)] * 20,
        "many": [(int(size),) for size in rng.integers(1, 5001, 400)]}
    for part, shapes in parts.items():
        if part not in arguments.parts:
            continue
        print(f"{part}: {len(shapes)} variables of {sum(map(math.prod, shapes))} elements")
        for name in arguments.only or registered():
            if name == "muon" and part != "many":
                continue
            report(name, f"#train.{name}<lr = 0.001>", shapes, arguments.rounds)
    if "muon" in arguments.parts:
        print("products of matrices")
        report_muon(arguments.muon, arguments.rounds)
    if "clauses" in arguments.parts:
        print("Adam with clauses")
        report_clauses(arguments.elements, arguments.rounds)
    if "adam" in arguments.parts:
        print(f"Adam, {arguments.elements} elements, {arguments.threads} threads")
        report_adam(arguments.elements, arguments.rounds, arguments.threads)


if __name__ == "__main__":
    main()
