// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// More workgroup memory than a kernel can have, in two variables.

#include "device.h"

static WORKGROUP float a[8192], b[4097];
KERNEL fits(int i, float *out) {
  a[i] = 1;
  out[0] = a[0];
}
KERNEL too_large(int i, float *out) {
  a[i] = b[i] = 1;
  barrier();
  out[0] = a[0] + b[1];
}
