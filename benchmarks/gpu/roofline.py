# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The peaks of a device, and the resources of kernels: a model on paper, not a measurement."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass
class Machine:
    """Peaks of a device, and what a multiprocessor has."""

    name: str
    bytes_per_second: float
    flops: float
    tensor_flops: float
    multiprocessors: int
    registers: int = 65536
    shared_bytes: int = 228 * 1024
    threads: int = 2048
    blocks: int = 32
    # Shared memory that the system reserves for each block, and the unit in which warps get registers.
    block_shared_bytes: int = 1024
    register_unit: int = 256


# NVIDIA H100 SXM5: memory bandwidth, f32 and dense f16/bf16 tensor core peaks, and the number of multiprocessors from
# "NVIDIA H100 Tensor Core GPU Architecture" (NVIDIA, 2022), tables of H100 SXM5, and its data sheet; what a
# multiprocessor has, from the CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", 9.0.
H100 = Machine("H100 SXM5", 3.35e12, 66.9e12, 989.4e12, 132)


@dataclass
class Kernel:
    """The compiler's report of a kernel; registers are known if ptxas is installed."""

    name: str
    blocks: int
    threads: int
    read: int
    written: int
    accessed: int
    flops: int
    shared_bytes: int
    registers: int = 0
    uses_tensor_cores: bool = False

    @property
    def least_bytes(self) -> int:
        return self.read + self.written


REMARK = re.compile(
    r"kernel '(\w+)': blocks (\d+|unknown), threads (\d+), bytes read (\d+), written (\d+), accessed (\d+), "
    r"flops (\d+), workgroup bytes (\d+)"
)


def parse_kernels(remarks: str) -> list[Kernel]:
    """The kernels of what `flywheel-compile --report` prints."""
    kernels = []
    for name, blocks, *rest in REMARK.findall(remarks):
        threads, read, written, accessed, flops, shared = map(int, rest)
        count = 0 if blocks == "unknown" else int(blocks)
        kernels.append(Kernel(name, count, threads, read, written, accessed, flops, shared))
    return kernels


def add_assembly(kernels: list[Kernel], ptx: str, said: str) -> None:
    """Adds the registers that `ptxas -v` says, and whether the PTX multiplies with tensor cores."""
    registers = dict(
        (name, int(count))
        for name, count in re.findall(r"Compiling entry function '(\w+)'.*?Used (\d+) registers", said, re.S)
    )
    bodies = dict(re.findall(r"\.entry (\w+)\((.*?)\n}", ptx, re.S))
    for kernel in kernels:
        kernel.registers = registers.get(kernel.name, 0)
        kernel.uses_tensor_cores = "mma.sync" in bodies.get(kernel.name, "")


def occupancy(kernel: Kernel, machine: Machine) -> float:
    """The part of the threads of a multiprocessor that blocks of the kernel can have at once."""
    warps = -(-kernel.threads // 32)
    limits = [machine.blocks, machine.threads // kernel.threads]
    if kernel.registers:
        unit = machine.register_unit
        per_warp = -(-kernel.registers * 32 // unit) * unit
        limits.append(machine.registers // per_warp // warps)
    if kernel.shared_bytes:
        limits.append(machine.shared_bytes // (kernel.shared_bytes + machine.block_shared_bytes))
    return min(limits) * kernel.threads / machine.threads


def bound(kernel: Kernel, machine: Machine) -> float:
    """Seconds that the kernel takes at least: its bytes at the full bandwidth, or its operations at the full rate of
    the multiprocessors that have a block."""
    busy = min(1.0, kernel.blocks / machine.multiprocessors) if kernel.blocks else 1.0
    peak = machine.tensor_flops if kernel.uses_tensor_cores else machine.flops
    return max(kernel.least_bytes / machine.bytes_per_second, kernel.flops / (peak * busy))
