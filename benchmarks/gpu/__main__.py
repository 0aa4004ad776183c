#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Flywheel on a GPU beside what the device can do and what other frameworks do with it.

 * `products`: products of matrices, each a chain of several, in f32, tf32, bf16 and f16, against cuBLAS (PyTorch);
 * `bandwidth`: y = y / 2 + x of large vectors, and the bytes a second of it against those of a copy on the device;
 * `steps`: train steps of rows of benchmarks/peers against JAX and PyTorch, eager and compiled.

Each is measured side by side, in turn, round by round; a ratio is the median of those of each round: above 1, Flywheel
is faster. Without a device it prints that there is none, and measures nothing. With FLYWHEEL_LIBCUDA set to the library
of the simulator (build/test/lib/libflywheel_gpu_simulator.so) everything is executed there, and results are checked:
times are then those of the simulator, and are not printed.

usage: PYTHONPATH=build/python python benchmarks/gpu [products|bandwidth|steps ...] [--sizes M,K,N ...]
           [--elements N] [--rows ROW...] [--peers-python PATH] [--rounds N] [--calls N]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from device import Device, find_device  # noqa: E402

# Products of one entry, so that what a call costs is little of it.
CHAIN = 8
KINDS = ("f32", "tf32", "bf16", "f16")


def product_text(m: int, k: int, n: int, element: str) -> str:
    """y = x w and x = y w^T in turn, all of it on the device."""
    x, w, y = f"tensor<{m}x{k}x{element}>", f"tensor<{k}x{n}x{element}>", f"tensor<{m}x{n}x{element}>"
    lines = [
        f'train.variable @"x" : {x} = #train.ones',
        f'train.variable @"w" : {w} = #train.ones',
        "func.func @run() {",
        f'%x0 = train.read @"x" : {x}',
        f'%w = train.read @"w" : {w}',
    ]
    for i in range(CHAIN // 2):
        lines += [
            f"%y{i} = nn.matmul %x{i}, %w : ({x}, {w}) -> {y}",
            f"%x{i + 1} = nn.matmul %y{i}, %w {{transpose_b}} : ({y}, {w}) -> {x}",
        ]
    return "\n".join([*lines, f'train.assign @"x", %x{CHAIN // 2} : {x}', "return", "}"])


def vector_text(elements: int) -> str:
    kind = f"tensor<{elements}xf32>"
    return "\n".join([
        f'train.variable @"x" : {kind} = #train.ones',
        f'train.variable @"y" : {kind} = #train.zeros',
        "func.func @run() {",
        f'%x = train.read @"x" : {kind}',
        f'%y = train.read @"y" : {kind}',
        f"%half = arith.constant dense<0.5> : {kind}",
        f"%z = arith.mulf %y, %half : {kind}",
        f"%s = arith.addf %z, %x : {kind}",
        f'train.assign @"y", %s : {kind}',
        "return", "}",
    ])  # fmt: skip


def session(text: str, target: str) -> Any:
    import flywheel

    created = flywheel.Session(flywheel.compile(text, target=target))
    created.initialize(1)
    return created


def time_in_turn(steps: dict[str, Callable[[], Any]], waits: dict[str, Callable[[], Any]], rounds: int,
                 calls: int) -> dict[str, list[float]]:  # fmt: skip
    """Seconds of a call of each, in each round."""
    times: dict[str, list[float]] = {name: [] for name in steps}
    for number in range(rounds + 1):
        for name, step in steps.items():
            start = time.perf_counter()
            for _ in range(calls):
                step()
            waits[name]()
            if number:  # The first one warms up.
                times[name].append((time.perf_counter() - start) / calls)
    return times


def load_torch(device: Device) -> Any:
    """PyTorch with a device, or None."""
    try:
        import torch
    except ModuleNotFoundError:
        print("note: PyTorch is not installed: there is nothing to compare with", file=sys.stderr)
        return None
    if device.simulated or not torch.cuda.is_available():
        print("note: PyTorch has no device: there is nothing to compare with", file=sys.stderr)
        return None
    return torch


def target_of(device: Device, kind: str) -> str:
    return device.target.replace(device.chip, device.chip + "+tf32") if kind == "tf32" else device.target


def products(device: Device, arguments: argparse.Namespace) -> None:
    import numpy as np

    torch = load_torch(device)
    rng = np.random.default_rng(1)
    for sizes in arguments.sizes:
        m, k, n = map(int, sizes.split(","))
        # Columns of unit length keep the numbers of a chain of their size.
        x = rng.standard_normal((m, k)).astype(np.float32)
        w = (rng.standard_normal((k, n)) / np.sqrt(max(k, n))).astype(np.float32)
        for kind in KINDS:
            element = "f32" if kind == "tf32" else kind
            ours = session(product_text(m, k, n, element), target_of(device, kind))
            dtype = ours["x"].dtype
            ours["x"], ours["w"] = x.astype(dtype), w.astype(dtype)
            ours.run("run")
            call = ours.entry("run")
            check_chain(x.astype(dtype), w.astype(dtype), np.asarray(ours["x"]), kind)
            steps: dict[str, Callable[[], Any]] = {"flywheel": call}
            waits: dict[str, Callable[[], Any]] = {"flywheel": lambda: None}
            if torch:
                torch.backends.cuda.matmul.allow_tf32 = kind == "tf32"
                types = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
                held = [torch.tensor(v, device="cuda").to(types[element]) for v in (x, w)]

                def chain(held: Any = held) -> Any:
                    for _ in range(CHAIN // 2):
                        held[0] = held[0] @ held[1] @ held[1].T

                steps["cublas"], waits["cublas"] = chain, torch.cuda.synchronize
            times = time_in_turn(steps, waits, arguments.rounds, arguments.calls)
            flops = 2.0 * m * k * n * CHAIN
            print_line(device, f"product {m} x {k} x {n} {kind}", times, flops / 1e12, "TFLOP/s")


def check_chain(x: Any, w: Any, found: Any, kind: str) -> None:
    """Results are those of NumPy, up to the rounding of the type."""
    import numpy as np

    wide, factor = x.astype(np.float64), w.astype(np.float64)
    for _ in range(CHAIN // 2):
        y = wide @ factor
        wide = (y if kind in ("f32", "tf32") else y.astype(x.dtype).astype(np.float64)) @ factor.T
        wide = wide if kind in ("f32", "tf32") else wide.astype(x.dtype).astype(np.float64)
    error = np.abs(found.astype(np.float64) - wide).max() / max(np.abs(wide).max(), 1e-30)
    most = {"f32": 1e-5, "tf32": 1e-2, "bf16": 5e-2, "f16": 1e-2}[kind]
    if not error <= most:
        raise SystemExit(f"error: a chain of products of {kind} is wrong by {error:.2g} of its largest element")


def bandwidth(device: Device, arguments: argparse.Namespace) -> None:
    import numpy as np

    torch = load_torch(device)
    ours = session(vector_text(arguments.elements), device.target)
    ours.run("run")
    if not np.all(np.asarray(ours["y"]) == 1.0):
        raise SystemExit("error: y / 2 + x of y = 0 and x = 1 is not 1")
    steps: dict[str, Callable[[], Any]] = {"flywheel": ours.entry("run")}
    waits: dict[str, Callable[[], Any]] = {"flywheel": lambda: None}
    moved = {"flywheel": 12.0 * arguments.elements, "copy": 8.0 * arguments.elements}
    if torch:
        source = torch.zeros(arguments.elements, device="cuda")
        target = torch.empty_like(source)
        steps["copy"], waits["copy"] = lambda: target.copy_(source), torch.cuda.synchronize
    times = time_in_turn(steps, waits, arguments.rounds, arguments.calls)
    for name in times:
        print_line(
            device, f"{name} of {arguments.elements} elements", {name: times[name]}, moved[name] / 1e9, "GB/s"
        )


def steps(device: Device, arguments: argparse.Namespace) -> None:
    """Runs the steps of benchmarks/peers, which has each peer in a process of its own."""
    command = [sys.executable, os.path.join(os.path.dirname(HERE), "peers"), "--target", device.target,
               "--peers-python", arguments.peers_python, "--rounds", str(arguments.rounds),
               "--rows", *arguments.rows, "--peers", "flywheel", "jax", "torch", "torch-compile"]  # fmt: skip
    if device.simulated:
        command += ["--peers", "flywheel", "--seconds", "0.01"]
    if arguments.set:
        command += ["--set", *arguments.set]
    done = subprocess.run(command, check=False, capture_output=device.simulated, text=True)
    if done.returncode:
        sys.exit(f"error: the steps could not be measured\n{done.stderr or ''}")
    if device.simulated:
        print(f"steps of {' '.join(arguments.rows)}: executed on the simulator, whose times say nothing")


def print_line(device: Device, what: str, times: dict[str, list[float]], work: float, unit: str) -> None:
    """A line for each of `times`, with how much of `work` a second it does."""
    if device.simulated:
        print(f"{what}: right, on the simulator, whose times say nothing", flush=True)
        return
    ours = times.get("flywheel")
    for name, samples in times.items():
        ratio = ""
        if ours and name != "flywheel":
            pairs = zip(samples, ours, strict=True)
            ratio = f" ratio {statistics.median(theirs / own for theirs, own in pairs):6.2f}"
        median = statistics.median(samples)
        print(f"{what:36} {name:10} {median * 1e6:10.1f} us {work / median:9.2f} {unit}{ratio}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parts = {"products": products, "bandwidth": bandwidth, "steps": steps}
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(parts)} (all of them)")
    parser.add_argument("--sizes", nargs="+", metavar="M,K,N",
                        default=["256,256,256", "1024,1024,1024", "4096,4096,4096", "2048,256,1024"])  # fmt: skip
    parser.add_argument("--elements", type=int, default=1 << 26, help="elements of a vector (2^26)")
    parser.add_argument("--rows", nargs="+", default=["gpt", "mlp-wide", "mlp-small", "lenet"], metavar="ROW")
    parser.add_argument("--set", nargs="+", default=[], metavar="ROW.SIZE=N", help="sizes of rows, as for peers")
    parser.add_argument("--peers-python", default=sys.executable, help="the Python that has JAX and PyTorch")
    parser.add_argument("--rounds", type=int, default=11, help="rounds (11)")
    parser.add_argument("--calls", type=int, default=20, help="calls of a round (20)")
    arguments = parser.parse_args()
    for part in arguments.parts:
        if part not in parts:
            parser.error(f"expected {', '.join(parts)}, found {part}")
    device = find_device()
    if isinstance(device, str):
        print(f"benchmarks/gpu: nothing is measured: {device}")
        return
    print(f"device: {device.name}, compiled for {device.target}")
    for part in arguments.parts or parts:
        parts[part](device, arguments)


if __name__ == "__main__":
    main()
