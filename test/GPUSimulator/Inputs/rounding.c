// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// F32 rounded to TF32.

#include "device.h"

KERNEL to_nearest_away(const float *x, int *out) {
  out[thread_x()] = __nvvm_f2tf32_rna(x[thread_x()]);
}

KERNEL to_nearest_even(const float *x, int *out) {
  out[thread_x()] = __nvvm_f2tf32_rn(x[thread_x()]);
}

KERNEL to_zero(const float *x, int *out) {
  out[thread_x()] = __nvvm_f2tf32_rz(x[thread_x()]);
}
