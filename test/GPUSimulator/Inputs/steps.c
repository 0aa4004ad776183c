// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps that change a state.

#include "device.h"

KERNEL add(float *x, float value) { x[thread_x()] += value; }
KERNEL scale(float *x, float value) { x[thread_x()] *= value; }
KERNEL fail(int *x) { x[1 << 20] = 1; }
