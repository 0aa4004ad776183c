#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The resources and the least time of each kernel of a step on an H100: a model on paper.

Nothing is measured, and no device is needed. Bytes, operations, blocks and workgroup memory are those that the compiler
reports (`flywheel-compile --report`); registers are those of ptxas, if it is installed. `least MB` counts each buffer
that a launch uses once, `accessed MB` the bytes that its blocks read and write, most of them from caches. `bound us` is
the longer one of the time of the least bytes at the peak bandwidth and that of the operations at the peak rate of the
multiprocessors that have blocks (the sources of the peaks are in roofline.py).

usage: python benchmarks/gpu/model.py MODEL.mlir|ROW... [--chip sm_90a] [--bin build/bin] [--ptxas PATH] [--top N]

A row is one of benchmarks/peers (gpt, mlp_wide), for which the bindings have to be in PYTHONPATH.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "peers")]

from roofline import H100, Kernel, add_assembly, bound, occupancy, parse_kernels  # noqa: E402


def find_ptxas() -> str:
    return shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin") or ""


def device_code(module: str) -> str:
    """The PTX in the constant of a lowered module."""
    found = re.search(r'@flywheel\.gpu\.image\("(.*?)"\)', module, re.S)
    if not found:
        raise ValueError("expected an image of device code in the module")
    plain = {"\\": "\\", "n": "\n", "t": "\t", '"': '"'}
    text = re.sub(
        r'\\([0-9A-F]{2}|[\\nt"])', lambda m: plain.get(m[1]) or chr(int(m[1], 16)), found[1]
    )
    return text.rstrip("\0")


def describe(path: str, arguments: argparse.Namespace) -> list[Kernel]:
    command = [os.path.join(arguments.bin, "flywheel-compile"), path, f"--target=cuda:{arguments.chip}",
               "--emit=flywheel-llvm", "--report", "--max-batch=64", "-o", "-"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    kernels = parse_kernels(done.stderr)
    if arguments.ptxas:
        ptx = device_code(done.stdout)
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "kernels.ptx")
            with open(source, "w", encoding="utf-8") as file:
                file.write(ptx)
            said = subprocess.run(
                [arguments.ptxas, f"-arch={arguments.chip}", "-v", source, "-o", os.path.join(folder, "kernels.cubin")],
                capture_output=True, text=True, check=True,
            ).stderr  # fmt: skip
        add_assembly(kernels, ptx, said)
    return kernels


def print_table(title: str, kernels: list[Kernel], top: int) -> None:
    print(f"{title}: {len(kernels)} launches, on an {H100.name} on paper")
    print(f"{'kernel':44} {'blocks':>7} {'regs':>5} {'KB':>5} {'occ.':>5} {'least MB':>9} {'accessed MB':>11} "
          f"{'MFLOP':>9} {'bound us':>9}")  # fmt: skip
    longest = sorted(kernels, key=lambda kernel: -bound(kernel, H100))
    for kernel in longest[:top]:
        print(f"{kernel.name[:44]:44} {kernel.blocks or '?':>7} {kernel.registers or '?':>5} "
              f"{kernel.shared_bytes / 1024:5.1f} {occupancy(kernel, H100):5.2f} {kernel.least_bytes / 1e6:9.3f} "
              f"{kernel.accessed / 1e6:11.3f} {kernel.flops / 1e6:9.2f} {bound(kernel, H100) * 1e6:9.3f}")  # fmt: skip
    least, accessed = (sum(getattr(kernel, name) for kernel in kernels) for name in ("least_bytes", "accessed"))
    print(f"{title}: least {least / 1e6:.1f} MB, accessed {accessed / 1e6:.1f} MB "
          f"({accessed / max(least, 1):.2f} times), "
          f"{sum(kernel.flops for kernel in kernels) / 1e9:.2f} GFLOP, "
          f"bound {sum(bound(kernel, H100) for kernel in kernels) * 1e6:.1f} us without launches")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", nargs="+", metavar="MODEL", help="a file, or a row of benchmarks/peers")
    parser.add_argument("--chip", default="sm_90a", help="chip to compile for (sm_90a)")
    parser.add_argument("--bin", default="build/bin", help="folder of flywheel-compile (build/bin)")
    parser.add_argument("--ptxas", default=find_ptxas(), help="assembler, for registers (where it is found)")
    parser.add_argument("--top", type=int, default=30, help="kernels to print, the longest first (30)")
    arguments = parser.parse_args()
    if not arguments.ptxas:
        print("note: there is no ptxas: registers are unknown, and occupancy is without them", file=sys.stderr)
    for model in arguments.models:
        if os.path.exists(model):
            print_table(os.path.basename(model), describe(model, arguments), arguments.top)
            continue
        import rows
        from ours import module_text

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, f"{model}.mlir")
            with open(path, "w", encoding="utf-8") as file:
                file.write(module_text(getattr(rows, model)()))
            print_table(model, describe(path, arguments), arguments.top)


if __name__ == "__main__":
    main()
