// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pairs of kernels: one with a race, one without.

#include "device.h"

static WORKGROUP float shared[1024];
static WORKGROUP volatile char bytes[64];

/// A thread reads what another one of its warp wrote.
KERNEL neighbours(float *out, int is_synchronized) {
  unsigned t = thread_x();
  shared[t] = (float)t;
  if (is_synchronized)
    __nvvm_bar_warp_sync(-1);
  out[t] = shared[t ^ 1];
}

/// As before, but of the next warp.
KERNEL neighbour_warps(float *out) {
  unsigned t = thread_x();
  shared[t] = (float)t;
  __nvvm_bar_warp_sync(-1);
  out[t] = shared[t ^ 32];
}

/// One warp produces what another one consumes, with a barrier of their own.
KERNEL pipeline(float *out, int is_synchronized) {
  unsigned t = thread_x(), lane = t % 32, warp = t / 32;
  if (warp == 2)
    return;
  if (warp == 0)
    shared[lane] = (float)lane;
  if (is_synchronized)
    __nvvm_barrier_sync_cnt(1, 64);
  if (warp == 1)
    out[lane] = shared[31 - lane];
}

/// All threads write one value.
KERNEL same_value(float *out) { out[0] = 1; }

/// Blocks write to elements that overlap with those of the next block.
KERNEL blocks(float *out, int overlap) {
  unsigned t = thread_x();
  int n = (int)threads_x() - overlap;
  out[(int)block_x() * n + (int)t] = 1;
}

/// A thread writes a byte of its own.
KERNEL own_bytes(char *out, int stride) {
  unsigned t = thread_x();
  bytes[t * (unsigned)stride] = 1;
  out[t * (unsigned)stride] = bytes[t * (unsigned)stride];
}

KERNEL counts(int *out) { __nvvm_atom_add_gen_i(out, 1); }

KERNEL reads_count(int *out) {
  __nvvm_atom_add_gen_i(out, 1);
  out[1 + block_x() * threads_x() + thread_x()] = out[0];
}

/// The block that comes last adds up what the others wrote.
KERNEL last_block(float *out, int *counter, int is_fenced) {
  static WORKGROUP int is_last;
  unsigned t = thread_x();
  if (t == 0)
    out[1 + block_x()] = (float)block_x();
  if (is_fenced)
    __nvvm_membar_gl();
  barrier();
  if (t == 0) {
    int before = __scoped_atomic_fetch_add(counter, 1, __ATOMIC_RELAXED,
                                           __MEMORY_SCOPE_DEVICE);
    if (is_fenced)
      __nvvm_membar_gl();
    is_last = before == (int)blocks_x() - 1;
  }
  barrier();
  if (is_last && t == 0) {
    float sum = 0;
    for (unsigned i = 0; i < blocks_x(); ++i)
      sum += out[1 + i];
    out[0] = sum;
  }
}

KERNEL misaligned(float *out, int at) { *(float4_t *)(out + at) = 1; }

static WORKGROUP volatile float first[3], second[5];
/// Reads after the end of a variable, where no page ends.
KERNEL between(float *out, int at) {
  first[0] = second[0] = 1;
  out[0] = first[at] + second[0];
}
