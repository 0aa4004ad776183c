#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products and convolutions, forward and both gradients, as parts of the peak of the machine,
and beside PyTorch.

Each of them is an entry of its own. The multiply-adds of the peak, in f64 for f64 and else in f32, Flywheel and the
peer run in turn; a percentage is the median over rounds of that of each round, so that what
slows the machine down cancels out; with --best it is that of the fastest round of each, for
a machine that is not quiet. `kernel` is the schedule of the contraction: `fma` is the
kernel that is tiled for registers. At the end are the entries below 85 % of the peak (all
dimensions, or channels, at least 64) or 60 % (others), and those with another kernel.

usage: PYTHONPATH=build/python python benchmarks/kernels [--threads N] [--only REGEX]
           [--rounds N] [--element TYPE] [--cpu NAME] [--bin build/bin] [--json FILE]

`% roof` is the part of what the operations take at the peak, or of what one thread takes to read the inputs and to
write the result in the order of memory, whichever takes longer. Results are written to one array (`out=`), which
PyTorch has no option for.

The element type is f32 unless --element says; bf16 needs the package ml_dtypes. With --cpu x86-64-v3 all have the
instructions of AVX2: PyTorch by the environment variables that it, oneDNN and MKL read.

PyTorch is left out where it is not installed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any, Optional, Union

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import shapes as forms  # noqa: E402
from machine import make_peak, make_stream  # noqa: E402
from shapes import CONVOLUTIONS, OPERANDS, PRODUCTS, Convolution, Product  # noqa: E402
from side_by_side import measure  # noqa: E402

# Bytes of a line of the cache.
LINE = 64
CONTRACTION = re.compile(r"linalg\.(?:\w*matmul|\w*matvec|\w*vecmat|dot|conv\w*|generic .*\"reduction\")")


def find_kernels(text: str, entry: str, compiler: str, cpu: Optional[str]) -> str:
    """The schedules of the contractions of an entry."""
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model.mlir")
        with open(model, "w", encoding="utf-8") as stream:
            stream.write(text)
        command = [compiler, model, f"--entries={entry}", "--mlir-print-ir-after=flywheel-choose-schedules"]
        command += [f"--cpu={cpu}"] if cpu else []
        done = subprocess.run(
            [*command, "-o", os.path.join(folder, "model.o")], check=True, capture_output=True, text=True
        )
    kinds = set()
    for line in done.stderr.splitlines():
        # On memory: the groups on tensors are tiled, and what they are made of has schedules then.
        if CONTRACTION.search(line) and "memref<" in line:
            schedule = re.search(r"#codegen\.(\w+)", line)
            kinds.add(schedule.group(1) if schedule else "none")
    return "+".join(sorted(kinds)) or "none"


def draw(rng: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Normal numbers that begin at a line of the cache, as variables and what a step keeps do: NumPy's arrays
    begin anywhere, and vectors of weights on two lines each cost up to a seventh."""
    numbers = rng.standard_normal(shape).astype(dtype)
    buffer = bytearray(numbers.nbytes + LINE)
    import numpy as np

    start = -np.frombuffer(buffer, np.uint8).ctypes.data % LINE
    result = np.frombuffer(buffer, numbers.dtype, numbers.size, start).reshape(shape)
    result[...] = numbers
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--threads", type=int, default=1, help="threads of each (1)")
    parser.add_argument("--rounds", type=int, default=9, help="rounds (9)")
    parser.add_argument("--seconds", type=float, default=0.01, help="length of a round and peer (0.01)")
    parser.add_argument("--best", action="store_true", help="the fastest round of each, on a machine that is not quiet")
    parser.add_argument("--only", default="", help="shapes whose name has a match of this regular expression")
    parser.add_argument("--element", default="f32", choices=["f16", "bf16", "f32", "f64"], help="element type (f32)")
    parser.add_argument("--cpu", default="native", choices=["native", "x86-64-v3"], help="instructions (native)")
    parser.add_argument("--bin", default="build/bin", help="folder of flywheel-compile (build/bin)")
    parser.add_argument("--compiler", default="cc", help="C compiler for the peak (cc)")
    parser.add_argument("--json", help="also write the figures to this file")
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(options.threads)
    cpu = None if options.cpu == "native" else options.cpu
    if cpu:
        os.environ.update(ATEN_CPU_CAPABILITY="avx2", ONEDNN_MAX_CPU_ISA="AVX2", MKL_ENABLE_INSTRUCTIONS="AVX2")
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: options.threads])

    import numpy as np

    import flywheel

    forms.element = options.element
    if options.element == "bf16":
        from ml_dtypes import bfloat16 as dtype
    else:
        dtype = {"f16": np.float16, "f32": np.float32, "f64": np.float64}[options.element]

    try:
        import torch

        torch.set_num_threads(options.threads)
    except ModuleNotFoundError:
        torch = None
    peak = make_peak(options.threads, options.compiler, "f64" if options.element == "f64" else "f32", options.cpu)
    peak_flops = peak()
    stream = make_stream(options.compiler)
    rng = np.random.default_rng(0)
    shapes: list[Union[Product, Convolution]] = [*PRODUCTS, *CONVOLUTIONS]
    found = []
    print(
        f"{'':32} {'':8} {'us':>9} {'GFLOP/s':>8} {'% peak':>7} {'% roof':>7} {'torch %':>8} {'torch/ours':>10}  kernel"
    )
    for shape in shapes:
        if not re.search(options.only, shape.name):
            continue
        text = shape.text()
        session = flywheel.Session(flywheel.compile(text, cpu=cpu, threads=options.threads, min_shared_work=0))
        session.initialize(1)
        arrays = {name: draw(rng, dims, dtype) for name, dims in shape.shapes.items()}
        peers = shape.peers(torch, arrays) if torch else {}
        for entry, (a, b) in OPERANDS.items():
            call = session.entry(entry)
            (result,) = shape.shapes.keys() - {a, b}
            out = draw(rng, shape.shapes[result], dtype)
            places = [(array.ctypes.data, array.nbytes) for array in (arrays[a], arrays[b], out)]
            runners: dict[str, Callable[[], Any]] = {
                "peak": peak,
                "flywheel": lambda call=call, a=arrays[a], b=arrays[b], out=out: call(a, b, out=out),
                "stream": lambda places=places: stream(places),
            }
            if torch:
                runners["torch"] = peers[entry]
            times = measure(runners, options.rounds, options.seconds)

            if options.best:
                times = {name: [min(seconds)] for name, seconds in times.items()}

            def share(name: str, times: dict[str, list[float]] = times, flops: float = shape.flops) -> float:
                pairs = zip(times["peak"], times[name])
                return statistics.median(100 * (flops / mine) / (peak_flops / best) for best, mine in pairs)

            def measure_roof(times: dict[str, list[float]] = times, flops: float = shape.flops) -> float:
                rounds = zip(times["peak"], times["stream"], times["flywheel"])
                return statistics.median(
                    100 * max(flops * best / peak_flops, least) / mine for best, least, mine in rounds
                )

            row = {
                "shape": shape.name,
                "entry": entry,
                "wide": shape.is_wide(),
                "seconds": statistics.median(times["flywheel"]),
                "percent": share("flywheel"),
                "roof": measure_roof(),
                "kernel": find_kernels(text, entry, os.path.join(options.bin, "flywheel-compile"), cpu),
            }
            beside = ""
            if torch:
                row["torch_percent"] = share("torch")
                row["ratio"] = statistics.median(
                    theirs / ours for theirs, ours in zip(times["torch"], times["flywheel"])
                )
                beside = f"{row['torch_percent']:8.0f} {row['ratio']:10.2f}"
            found.append(row)
            print(
                f"{shape.name:32} {entry:8} {row['seconds'] * 1e6:9.1f} {shape.flops / row['seconds'] / 1e9:8.1f} "
                f"{row['percent']:7.0f} {row['roof']:7.0f} {beside:19}  {row['kernel']}",
                flush=True,
            )
    print("\nbelow 85 % of the peak (64 and more) or 60 % (others):")
    for row in sorted(found, key=lambda row: row["percent"]):
        if row["percent"] < (85 if row["wide"] else 60):
            ratio = f", torch/ours {row['ratio']:.2f}" if torch else ""
            print(f"  {row['shape']} {row['entry']}: {row['percent']:.0f} %{ratio}")
    print("\nwith another kernel than fma:")
    for row in found:
        if row["kernel"] != "fma":
            print(f"  {row['shape']} {row['entry']}: {row['kernel']}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as stream:
            json.dump({"threads": options.threads, "entries": found}, stream, indent=1)


if __name__ == "__main__":
    main()
