#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Train steps of imported functions of JAX against jax.jit with donated arguments, in turns on one core. Each has a
process of its own; losses are compared.

usage: PYTHONPATH=build/python PEERS_PYTHON benchmarks/import_jax.py [--rounds=N] [--steps=N]
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

RATE = 0.01
# A function with a loss, its params, inputs and targets.
Model = Tuple[Callable[..., Any], Any, Tuple[Any, ...]]


def models() -> Dict[str, Callable[[], Model]]:
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax import lax

    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "test/Python"))
    import import_jax as samples

    def single(tree: Any) -> Any:
        return jax.tree_util.tree_map(lambda a: np.asarray(a, np.float32), tree)

    def perceptron() -> Model:
        sizes = [784, 512, 512, 10]
        params = single([samples.dense(a, b) for a, b in zip(sizes, sizes[1:])])

        def loss(p: Any, x: Any, y: Any) -> Any:
            for layer in p[:-1]:
                x = jax.nn.relu(samples.apply(layer, x))
            return samples.cross_entropy(samples.apply(p[-1], x), y)

        return loss, params, (single(samples.draw(64, 784)), np.arange(64, dtype=np.int32) % 10)

    def convolutional() -> Model:
        widths = [3, 32, 64, 128]
        params = single(
            {
                "filters": [samples.draw(3, 3, a, b) * np.sqrt(2 / (9 * a)) for a, b in zip(widths, widths[1:])],
                "out": samples.dense(128, 10),
            }
        )

        def loss(p: Any, x: Any, y: Any) -> Any:
            for w in p["filters"]:
                x = jax.nn.relu(samples.convolve(x, w))
                x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
            return samples.cross_entropy(samples.apply(p["out"], x.mean((1, 2))), y)

        return loss, params, (single(samples.draw(32, 32, 32, 3)), np.arange(32, dtype=np.int32) % 10)

    def transformer() -> Model:
        params = single(samples.transformer(256, 1024, 512, 64))

        def loss(p: Any, tokens: Any, y: Any) -> Any:
            return samples.cross_entropy(samples.language_model(p, tokens), y)

        tokens = np.random.default_rng(0).integers(0, 512, (8, 64)).astype(np.int32)
        return loss, params, (tokens, np.roll(tokens, -1, 1))

    def recurrent() -> Model:
        params = single(
            {
                "gru": {"w": samples.draw(64, 384) * 0.1, "u": samples.draw(128, 384) * 0.08, "b": np.zeros(384)},
                "out": samples.dense(128, 10),
            }
        )

        def loss(p: Any, x: Any, y: Any) -> Any:
            return samples.cross_entropy(samples.apply(p["out"], samples.gru(p["gru"], x)), y)

        return loss, params, (single(samples.draw(32, 50, 64)), np.arange(32, dtype=np.int32) % 10)

    return {
        "perceptron of 784, 512, 512, 10, batch 64": perceptron,
        "3 convolutions with pools, 32x32, batch 32": convolutional,
        "transformer layer, 256 channels, 8x64 tokens": transformer,
        "GRU of 128 by scan, 50 steps, batch 32": recurrent,
    }


def make_step(model: Model, kind: str) -> Callable[[], float]:
    loss, params, batch = model
    if kind == "flywheel":
        import flywheel as fw
        import flywheel.jax

        ours = flywheel.jax.from_function(loss, params, batch, optimizer=fw.optimizers.SGD(lr=RATE))
        return lambda: float(ours.step(*batch))
    import jax

    def update(p: Any, *given: Any) -> Any:
        value, gradient = jax.value_and_grad(loss)(p, *given)
        return value, jax.tree_util.tree_map(lambda a, g: a - a.dtype.type(RATE) * g, p, gradient)

    jitted = jax.jit(update, donate_argnums=0)
    held = [jax.device_put(params)]
    given = [jax.device_put(x) for x in batch]

    def step() -> float:
        value, held[0] = jitted(held[0], *given)
        # The step is done when its params are computed.
        jax.block_until_ready(held[0])
        return float(value)

    return step


def work(name: str, kind: str) -> None:
    """One process: a line for the first call, and one for as many steps as a line of its input says."""
    step = make_step(models()[name](), kind)
    start = time.perf_counter()
    losses = [step()]
    print(time.perf_counter() - start, losses[0], flush=True)
    for line in sys.stdin:
        start = time.perf_counter()
        for _ in range(int(line)):
            last = step()
        print((time.perf_counter() - start) / int(line), last, flush=True)


def spawn(name: str, kind: str) -> "subprocess.Popen[str]":
    flags = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    environment = dict(os.environ, XLA_FLAGS=flags, JAX_PLATFORMS="cpu", FLYWHEEL_NUM_THREADS="1")
    command = [sys.executable, __file__, f"--work={name}", f"--kind={kind}"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def ask(process: "subprocess.Popen[str]", steps: int) -> Tuple[float, float]:
    assert process.stdin is not None and process.stdout is not None
    if steps:
        process.stdin.write(f"{steps}\n")
        process.stdin.flush()
    seconds, loss = process.stdout.readline().split()
    return float(seconds), float(loss)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--steps", type=int, default=5, help="in a row, of a round")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    parser.add_argument("--kind", help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    if options.work:
        work(options.work, options.kind)
        return
    for name in models():
        processes = {kind: spawn(name, kind) for kind in ("flywheel", "jax.jit")}
        first = {kind: ask(process, 0) for kind, process in processes.items()}
        times: Dict[str, List[float]] = {kind: [] for kind in processes}
        losses: Dict[str, float] = {}
        for _ in range(options.rounds):
            for kind, process in processes.items():
                seconds, losses[kind] = ask(process, options.steps)
                times[kind].append(seconds)
        for process in processes.values():
            assert process.stdin is not None
            process.stdin.close()
            process.wait()
        ours, theirs = losses.values()
        assert abs(ours - theirs) <= 1e-3 * max(abs(theirs), 0.1), f"{name}: losses {ours} and {theirs}"
        medians = {kind: statistics.median(values) for kind, values in times.items()}
        print(f"{name}: loss {first['jax.jit'][1]:.4f} to {theirs:.4f} and {ours:.4f}")
        for kind, median in medians.items():
            print(f"  {kind:10s} {median * 1e3:8.2f} ms   {median / medians['flywheel']:.2f}")


if __name__ == "__main__":
    main()
