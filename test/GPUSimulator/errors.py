# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Work that a device would refuse, trap at or wait for forever is an error with its location.

RUN: %python %s 2>&1 | FileCheck %s
"""

import numpy as np

import simulator
from simulator import expect_error

device = simulator.Device()
module = device.load("errors.c")


def expect_failure(name, kernel, *arguments, **options):
    """An error of the launch and of all that follows, until the device is a new one."""
    expect_error(name, kernel, *arguments, **options)
    try:
        device.call("cuCtxSynchronize")
    except simulator.DriverError as error:
        print(error)
    device.reset()


def ints(count=64):
    """A buffer of zeros."""
    return device.buffer(np.zeros(count, np.int32))


expect_failure("EARLY", module.ends_early, 2, 64, 33)
# CHECK-LABEL: -- EARLY
# CHECK-NEXT: simulator: kernel 'ends_early', block (0, 0, 0), thread (0, 0, 0):
# CHECK-SAME: threads wait for ever: thread (0, 0, 0) waits at barrier 0, and thread (33, 0, 0) has ended
# CHECK-NEXT: cuLaunchKernel: CUDA_ERROR_LAUNCH_FAILED
# CHECK-NEXT: cuCtxSynchronize: CUDA_ERROR_LAUNCH_FAILED
module.ends_early(2, 64, 64)
device.call("cuCtxSynchronize")

expect_failure("DIVERGENCE", module.diverges, 1, 32, ints())
# CHECK-LABEL: -- DIVERGENCE
# CHECK-NEXT: simulator: kernel 'diverges', {{.*}}:
# CHECK-SAME: threads 0 and 1 of one warp come to barrier 0 at different instructions

expect_failure("TWO", module.two_barriers, 1, 64)
# CHECK-LABEL: -- TWO
# CHECK-NEXT: threads wait for ever: thread (0, 0, 0) waits at barrier 1, and thread (32, 0, 0) waits at barrier 2

expect_failure("LANES", module.half_shuffles, 1, 32, ints())
# CHECK-LABEL: -- LANES
# CHECK-NEXT: threads wait for ever: thread (0, 0, 0) waits in llvm.nvvm.shfl.sync.idx.i32, instruction 0,
# CHECK-SAME: for lanes FFFFFFFF, and thread (1, 0, 0) waits at barrier 0

expect_failure("MASK", module.not_in_mask, 1, 32, ints())
# CHECK-LABEL: -- MASK
# CHECK-NEXT: thread (1, 0, 0): llvm.nvvm.shfl.sync.idx.i32 of lane 1, which is not in the mask of lanes 1

module.writes_outside(1, 1, 31)
expect_failure("AFTER", module.writes_outside, 1, 1, 32)
expect_failure("BEFORE", module.writes_outside, (3, 2), 1, -1000)
# CHECK-LABEL: -- AFTER
# CHECK-NEXT: kernel 'writes_outside', block (0, 0, 0), thread (0, 0, 0):
# CHECK-SAME: an access of memory that is not there: byte 128 of workgroup variable 'small' of 128 bytes
# CHECK-LABEL: -- BEFORE
# CHECK-NEXT: byte -4000 of workgroup variable 'small' of 128 bytes

expect_failure("BUFFER", module.writes, 1, 1, ints(64), 64)
# CHECK-LABEL: -- BUFFER
# CHECK-NEXT: kernel 'writes', {{.*}} byte 256 of a buffer of 256 bytes

expect_failure("ZERO", module.divides, 1, 1, ints(), 0)
# CHECK-LABEL: -- ZERO
# CHECK-NEXT: kernel 'divides', {{.*}}: an integer divided by zero

expect_failure("STACK", module.recurses, 1, 32, ints(), 5)
# CHECK-LABEL: -- STACK
# CHECK-NEXT: kernel 'recurses', {{.*}}: an access of memory that is not there

out = device.buffer(np.zeros(3, np.float32))
module.reads_poison(3, 1, out)
print("POISON", out.read())
# CHECK: POISON [nan nan nan]

# Sizes that are refused leave the device as it is.
expect_error("DYNAMIC", module.uses_dynamic, 1, 1, 0, dynamic=(48 << 10) + 1)
# CHECK-LABEL: -- DYNAMIC
# CHECK-NEXT: simulator: kernel 'uses_dynamic': expected at most 49152 bytes of dynamic workgroup memory, found 49153
# CHECK-NEXT: cuLaunchKernel: CUDA_ERROR_INVALID_VALUE
module.uses_dynamic(1, 1, (48 << 10) - 1, dynamic=48 << 10)
large = module.uses_dynamic
expect_error("ATTRIBUTE", large.set, 8, (227 << 10) + 1)
# CHECK-LABEL: -- ATTRIBUTE
# CHECK-NEXT: cuFuncSetAttribute: CUDA_ERROR_INVALID_VALUE
large.set(8, 227 << 10)
large(1, 1, (227 << 10) - 1, dynamic=227 << 10)
expect_failure("END", large, 1, 1, 1024, dynamic=1024)
# CHECK-LABEL: -- END
# CHECK-NEXT: an access of memory that is not there

expect_error("THREADS", module.divides, 1, (32, 33), ints(), 1)
# CHECK-LABEL: -- THREADS
# CHECK-NEXT: simulator: kernel 'divides': expected at most 1024 threads of a block, found 1056
expect_error("DEPTH", module.divides, 1, (1, 1, 65), ints(), 1)
# CHECK-LABEL: -- DEPTH
# CHECK-NEXT: expected at most 64 threads along an axis, found 65
expect_error("GRID", module.divides, (1, 65536), 1, ints(), 1)
# CHECK-LABEL: -- GRID
# CHECK-NEXT: expected at most 65535 blocks along an axis, found 65536
bounds = device.load("bounds.ll")
expect_error("BOUND", bounds.at_most_64, 1, (8, 9))
expect_error("REQUIRED", bounds.exactly_16_by_2, 1, (32, 1))
# CHECK-LABEL: -- BOUND
# CHECK-NEXT: kernel 'at_most_64': expected at most 64 threads of a block, found 72
# CHECK-LABEL: -- REQUIRED
# CHECK-NEXT: kernel 'exactly_16_by_2': expected blocks of 16 x 2 x 1 threads, found 32 x 1 x 1
bounds.at_most_64(1, 64)
bounds.exactly_16_by_2(1, (16, 2))
expect_error("STATIC", device.load, "too-large.c")
# CHECK-LABEL: -- STATIC
# CHECK-NEXT: simulator: kernel 'too_large' has 49156 bytes of workgroup variables: expected at most 49152
# CHECK-NEXT: cuModuleLoadData: CUDA_ERROR_INVALID_IMAGE
expect_error("UNKNOWN", device.load, "unknown.c")
# CHECK-LABEL: -- UNKNOWN
# CHECK-NEXT: simulator: the simulator has no llvm.nvvm.nanosleep
