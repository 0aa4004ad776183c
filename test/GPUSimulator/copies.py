# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies to workgroup memory are over when they are waited for, and not before.

RUN: %python %s 2>&1 | FileCheck %s --check-prefixes=CHECK,PLAIN
RUN: env FLYWHEEL_SIM_ORDER=reversed %python %s 2>&1 | FileCheck %s --check-prefixes=CHECK,PLAIN
RUN: env FLYWHEEL_SIM_RACES=1 %python %s 2>&1 | FileCheck %s --check-prefixes=CHECK,RACES
"""

import numpy as np

import simulator
from simulator import expect_error

device = simulator.Device()
x = np.random.default_rng(4).integers(-9, 9, (5, 128)).astype(np.float32)
expected = x.reshape(5, 4, 32).sum((0, 1))


def sum_rows(*defines):
    """The result of the kernel."""
    out = device.buffer(np.zeros(32, np.float32))
    device.load("copies.c", *defines).sum_rows(1, 32, device.buffer(x), out, 5)
    return out.read()


np.testing.assert_array_equal(sum_rows(), expected)
# If races are not searched, elements that were not waited for are NaN.
for mutant in ("NO_WAIT", "NO_BARRIER_BEFORE", "NO_BARRIER_AFTER"):
    try:
        print(mutant, np.isnan(sum_rows(mutant)).any())
    except simulator.DriverError as error:
        print(error)
        device.reset()
# PLAIN: NO_WAIT True
# PLAIN: NO_BARRIER_BEFORE
# PLAIN: NO_BARRIER_AFTER
# RACES: NO_WAIT True
# RACES-NEXT: simulator: kernel 'sum_rows', {{.*}}: a race: the thread {{.*}} of workgroup variable 'rows'
# RACES-NEXT: CUDA_ERROR_LAUNCH_FAILED
# RACES-NEXT: simulator: kernel 'sum_rows', {{.*}}: a race: the thread {{.*}} of workgroup variable 'rows'
# RACES-NEXT: CUDA_ERROR_LAUNCH_FAILED

copies = device.load("copies.c")
x = np.arange(1, 17, dtype=np.int32)
out = device.buffer(np.zeros(16, np.int32))
copies.small_copies(1, 1, device.buffer(x), out)
print("SMALL", out.read()[:9])
# CHECK: SMALL [ 1 -1 3 4 5 6 0 0 0]
for kernel in (copies.misaligned, copies.outside, copies.to_global):
    expect_error("WRONG", kernel, 1, 1, device.buffer(x))
    device.reset()
# CHECK-LABEL: -- WRONG
# CHECK-NEXT: kernel 'misaligned', {{.*}}: an access that is aligned to 8 bytes, in fact at byte 4 of workgroup variable
# CHECK-LABEL: -- WRONG
# CHECK-NEXT: kernel 'outside', {{.*}} 4 bytes from byte 256 of workgroup variable 'words' of 256 bytes
# CHECK-LABEL: -- WRONG
# CHECK-NEXT: kernel 'to_global', {{.*}}: expected an address in workgroup memory, found byte 0 of a buffer of 64 bytes
