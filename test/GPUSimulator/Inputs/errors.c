// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that are wrong, each in one way.

#include "device.h"

/// Threads from `n` on do not come to the barrier.
KERNEL ends_early(int n) {
  if (thread_x() >= (unsigned)n)
    return;
  barrier();
}

/// The two halves of a warp come to the barrier at different instructions.
KERNEL diverges(int *out) {
  if (thread_x() % 2) {
    barrier();
    out[0] = 1;
  } else {
    barrier();
    out[1] = 2;
  }
}

KERNEL two_barriers(void) {
  if (thread_x() < 32)
    __nvvm_barrier_sync(1);
  else
    __nvvm_barrier_sync(2);
}

/// A shuffle of all lanes that half of the lanes do not come to.
KERNEL half_shuffles(int *out) {
  if (thread_x() % 2 == 0)
    out[thread_x()] = __nvvm_shfl_sync_idx_i32(-1, 1, 0, 31);
  barrier();
}

KERNEL not_in_mask(int *out) {
  out[thread_x()] = __nvvm_shfl_sync_idx_i32(1, 1, 0, 31);
}

static WORKGROUP volatile int small[32];
KERNEL writes_outside(int at) { small[at] = 1; }

/// Reads what nobody wrote.
KERNEL reads_poison(float *out) {
  static WORKGROUP float never[4];
  out[block_x()] = never[block_x()];
  never[block_x() + 1] = 1;
}

KERNEL divides(int *out, int n) { out[0] = 7 / n; }

KERNEL writes(int *out, int at) { out[at] = 1; }

extern WORKGROUP char dynamic[];
KERNEL uses_dynamic(int at) { dynamic[at] = 1; }

KERNEL recurses(int *out, int n) {
  volatile int room[100000];
  room[n] = n;
  out[0] = room[n];
  barrier();
}
