# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model of an H100 on paper: check_roofline.py FOLDER, against numbers by hand."""

import sys

sys.path.insert(0, sys.argv[1])
from roofline import H100, Kernel, add_assembly, bound, occupancy, parse_kernels  # type: ignore[import-not-found]

REMARK = (
    "x.mlir:1:2: remark: kernel 'step_matmul_0': blocks 264, threads 256, bytes read 3350000, written 3350000, "
    "accessed 9000000, flops 989400000, workgroup bytes 40960\n"
    "x.mlir:3:4: remark: kernel 'step_add_1': blocks unknown, threads 128, bytes read 8, written 4, accessed 12, "
    "flops 1, workgroup bytes 0\n"
)
kernels = parse_kernels(REMARK)
assert [kernel.name for kernel in kernels] == ["step_matmul_0", "step_add_1"]
assert kernels[0] == Kernel("step_matmul_0", 264, 256, 3350000, 3350000, 9000000, 989400000, 40960), kernels[0]
assert kernels[1].blocks == 0
# 6.7 MB at 3.35 TB/s; 0.9894 GFLOP at 66.9 TFLOP/s is longer, but not with tensor cores.
assert abs(bound(kernels[0], H100) - 989.4e6 / 66.9e12) < 1e-12
ptx = ".visible .entry step_matmul_0(\n)\n{\nmma.sync.aligned;\n}\n.visible .entry step_add_1(\n)\n{\nret;\n}\n"
said = "".join(
    f"ptxas info    : Compiling entry function '{name}' for 'sm_90a'\nptxas info    : Used {count} registers\n"
    for name, count in (("step_matmul_0", 128), ("step_add_1", 16))
)
add_assembly(kernels, ptx, said)
assert [kernel.registers for kernel in kernels] == [128, 16]
assert [kernel.uses_tensor_cores for kernel in kernels] == [True, False]
assert abs(bound(kernels[0], H100) - 2e-6) < 1e-12
# 128 registers of 256 threads are half of a register file: 2 blocks, of 2048 threads. 5 have room for their memory.
assert occupancy(kernels[0], H100) == 0.25
# 16 registers of 128 threads: as many threads as there can be.
assert occupancy(kernels[1], H100) == 1.0
# Blocks that leave multiprocessors without one have a part of the rate.
kernels[0].blocks = 33
assert abs(bound(kernels[0], H100) - 989.4e6 / (989.4e12 / 4)) < 1e-12
