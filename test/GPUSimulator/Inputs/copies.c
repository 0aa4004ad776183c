// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sum of rows of 128 elements, of which the next one is copied while one is
// added up.

#include "device.h"

static WORKGROUP float rows[2][128] __attribute__((aligned(16)));

DEVICE void copy(int row, const float *x) {
  __nvvm_cp_async_cg_shared_global_16(
      (WORKGROUP void *)&rows[row % 2][4 * thread_x()],
      (const GLOBAL void *)(x + 128 * row + 4 * thread_x()));
  __nvvm_cp_async_commit_group();
}

/// 32 threads: each copies 4 elements, and adds up a column of 32 rows apart.
KERNEL sum_rows(const float *x, float *out, int n) {
  unsigned t = thread_x();
  float sum = 0;
  copy(0, x);
  for (int i = 0; i < n; ++i) {
    if (i + 1 < n) {
      copy(i + 1, x);
#ifndef NO_WAIT
      __nvvm_cp_async_wait_group(1);
#endif
    } else {
      __nvvm_cp_async_wait_all();
    }
#ifndef NO_BARRIER_BEFORE
    barrier();
#endif
    for (int j = 0; j < 4; ++j)
      sum += rows[i % 2][32 * j + t];
#ifndef NO_BARRIER_AFTER
    barrier();
#endif
  }
  out[t] = sum;
}

static WORKGROUP int words[64];

/// Copies of 4 and of 8 bytes, the last of them shorter than what they fill.
KERNEL small_copies(const int *x, int *out) {
  __nvvm_cp_async_ca_shared_global_4((WORKGROUP void *)&words[0],
                                     (const GLOBAL void *)&x[0]);
  __nvvm_cp_async_ca_shared_global_8((WORKGROUP void *)&words[2],
                                     (const GLOBAL void *)&x[2]);
  __nvvm_cp_async_ca_shared_global_16((WORKGROUP void *)&words[4],
                                      (const GLOBAL void *)&x[4], 8);
  __nvvm_cp_async_ca_shared_global_4((WORKGROUP void *)&words[8],
                                     (const GLOBAL void *)&x[8], 0);
  out[1] = words[0];
  __nvvm_cp_async_wait_all();
  out[0] = words[0];
  for (int i = 2; i < 9; ++i)
    out[i] = words[i];
}

KERNEL misaligned(const int *x) {
  __nvvm_cp_async_ca_shared_global_8((WORKGROUP void *)&words[1],
                                     (const GLOBAL void *)&x[0]);
}

KERNEL outside(const int *x) {
  __nvvm_cp_async_ca_shared_global_4((WORKGROUP void *)&words[64],
                                     (const GLOBAL void *)&x[0]);
}

KERNEL to_global(const int *x) {
  __nvvm_cp_async_ca_shared_global_4((WORKGROUP void *)(unsigned long)x,
                                     (const GLOBAL void *)&x[1]);
}
