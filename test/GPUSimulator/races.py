# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses that no barrier separates are found, whatever the order; those that one separates are none.

RUN: env FLYWHEEL_SIM_RACES=1 %python %s 2>&1 | FileCheck %s
RUN: env FLYWHEEL_SIM_RACES=1 FLYWHEEL_SIM_ORDER=reversed %python %s 2>&1 | FileCheck %s
RUN: env FLYWHEEL_SIM_RACES=1 FLYWHEEL_SIM_ORDER=shuffled:11 %python %s 2>&1 | FileCheck %s
"""

import numpy as np

import simulator
from simulator import expect_error

device = simulator.Device()


def floats(count=4096):
    """A buffer of zeros."""
    return device.buffer(np.zeros(count, np.float32))


def ints(count=4096):
    """A buffer of zeros."""
    return device.buffer(np.zeros(count, np.int32))


def expect_race(name, kernel, *arguments):
    """An error of a launch; afterwards the device is a new one."""
    expect_error(name, kernel, *arguments)
    device.reset()


# A barrier less in a product and in a sum.
for mutant in ("NO_BARRIER_BEFORE", "NO_BARRIER_AFTER"):
    matmul = device.load("matmul.c", mutant).matmul
    expect_race(mutant, matmul, 1, (16, 16), floats(), floats(), floats(), 64, 64, 64)
# CHECK-LABEL: -- NO_BARRIER_BEFORE
# CHECK-NEXT: simulator: kernel 'matmul', block (0, 0, 0), thread ({{[0-9]+, [0-9]+}}, 0): a race: the thread
# CHECK-SAME: of workgroup variable '{{[ab]}}_tile' of 4096 bytes
# CHECK-NEXT: cuLaunchKernel: CUDA_ERROR_LAUNCH_FAILED
# CHECK-LABEL: -- NO_BARRIER_AFTER
# CHECK-NEXT: simulator: kernel 'matmul', {{.*}}: a race: the thread
# CHECK-SAME: of workgroup variable '{{[ab]}}_tile' of 4096 bytes
for mutant in ("NO_BARRIER_BEFORE", "NO_BARRIER_WITHIN"):
    sums = device.load("reduce.c", mutant)
    expect_race("SUM", sums.tree_sum, 2, 256, floats(), floats(), 300)
# CHECK-LABEL: -- SUM
# CHECK-NEXT: simulator: kernel 'tree_sum', {{.*}}: a race: the thread {{.*}} of workgroup variable 'partial'
# CHECK-LABEL: -- SUM
# CHECK-NEXT: simulator: kernel 'tree_sum', {{.*}}: a race: the thread {{.*}} of workgroup variable 'partial'

races = device.load("races.c")
races.neighbours(1, 64, floats(), 1)
expect_race("WARP", races.neighbours, 1, 64, floats(), 0)
expect_race("WARPS", races.neighbour_warps, 1, 64, floats())
# CHECK-LABEL: -- WARP
# CHECK-NEXT: simulator: kernel 'neighbours', {{.*}} of workgroup variable 'shared'
# CHECK-LABEL: -- WARPS
# CHECK-NEXT: simulator: kernel 'neighbour_warps', {{.*}} of workgroup variable 'shared'

races.pipeline(1, 96, floats(), 1)
expect_race("PIPELINE", races.pipeline, 1, 96, floats(), 0)
# CHECK-LABEL: -- PIPELINE
# CHECK-NEXT: simulator: kernel 'pipeline', {{.*}} of workgroup variable 'shared'

expect_race("SAME", races.same_value, 1, 2, floats())
races.same_value(1, 1, floats())
expect_race("SAME-BLOCKS", races.same_value, 2, 1, floats())
# CHECK-LABEL: -- SAME
# CHECK-NEXT: simulator: kernel 'same_value', block (0, 0, 0), thread ({{[01]}}, 0, 0): a race: the thread writes what
# CHECK-SAME: thread ({{[01]}}, 0, 0) wrote, and no barrier is between: byte 0 of a buffer of 16384 bytes
# CHECK-LABEL: -- SAME-BLOCKS
# CHECK-NEXT: block ([[BLOCK:[01]]], 0, 0), thread (0, 0, 0): a race: the thread writes what
# CHECK-SAME: thread (0, 0, 0) of block ({{[01]}}, 0, 0) wrote

races.blocks(4, 64, floats(), 0)
expect_race("BLOCKS", races.blocks, 4, 64, floats(), 1)
# CHECK-LABEL: -- BLOCKS
# CHECK-NEXT: simulator: kernel 'blocks', {{.*}} of a buffer of 16384 bytes

races.own_bytes(1, 32, ints(), 2)
races.own_bytes(1, 32, ints(), 1)
expect_race("BYTES", races.own_bytes, 1, 32, ints(), 0)
# CHECK-LABEL: -- BYTES
# CHECK-NEXT: byte 0 of workgroup variable 'bytes' of 64 bytes

count = ints()
races.counts(3, 64, count)
print("COUNTED", count.read()[0])
expect_race("READS", races.reads_count, 3, 64, ints())
# CHECK: COUNTED 192
# CHECK-LABEL: -- READS
# CHECK-NEXT: simulator: kernel 'reads_count', {{.*}}: a race:
# CHECK-SAME: the thread {{changes atomically what .* read|reads what .* changed atomically}}

total = floats()
races.last_block(20, 32, total, ints(), 1)
print("TOTAL", total.read()[0])
expect_race("LAST", races.last_block, 20, 32, floats(), ints(), 0)
# CHECK: TOTAL 190.0
# CHECK-LABEL: -- LAST
# CHECK-NEXT: simulator: kernel 'last_block', {{.*}}: a race: the thread reads what {{.*}} of block

races.misaligned(1, 1, floats(), 4)
expect_race("ALIGNMENT", races.misaligned, 1, 1, floats(), 1)
# CHECK-LABEL: -- ALIGNMENT
# CHECK-NEXT: an access that is aligned to 16 bytes, in fact at byte 4 of a buffer

races.between(1, 1, floats(), 2)
expect_race("BOUNDS", races.between, 1, 1, floats(), -1)
expect_race("BUFFER", races.blocks, 1, 4, floats(3), 0)
# CHECK-LABEL: -- BOUNDS
# CHECK-NEXT: an access of memory that is not there: 4 bytes from byte -4 of workgroup variable 'first' of 12 bytes
# CHECK-LABEL: -- BUFFER
# CHECK-NEXT: thread (3, 0, 0): an access of memory that is not there: 4 bytes from byte 12 of a buffer of 12 bytes
