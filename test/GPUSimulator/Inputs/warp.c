// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of the lanes of a warp: each writes its results.

#include "device.h"

#define OF_THREAD(n) out[thread_x() * (n)]

KERNEL shuffles(const int *x, int *out, int distance, int bounds) {
  int v = x[thread_x()];
  int *o = &OF_THREAD(4);
  o[0] = __nvvm_shfl_sync_up_i32(-1, v, distance, bounds);
  o[1] = __nvvm_shfl_sync_down_i32(-1, v, distance, bounds | 31);
  o[2] = __nvvm_shfl_sync_bfly_i32(-1, v, distance, bounds | 31);
  o[3] = __nvvm_shfl_sync_idx_i32(-1, v, distance, bounds | 31);
}

/// Two halves of a warp, each with a mask of its own.
KERNEL halves(int *out) {
  int t = (int)thread_x();
  if (t < 16)
    out[t] = __nvvm_shfl_sync_idx_i32(0xFFFF, t, 3, 31);
  else
    out[t] = __nvvm_shfl_sync_idx_i32(0xFFFF0000, t, 20, 31);
}

KERNEL votes(const int *x, int *out) {
  int v = x[thread_x()];
  int *o = &OF_THREAD(12);
  o[0] = __nvvm_vote_all_sync(-1, v != 0);
  o[1] = __nvvm_vote_any_sync(-1, v != 0);
  o[2] = __nvvm_vote_uni_sync(-1, v != 0);
  o[3] = (int)__nvvm_vote_ballot_sync(-1, v != 0);
  o[4] = __nvvm_redux_sync_add(v, -1);
  o[5] = __nvvm_redux_sync_min(v, -1);
  o[6] = __nvvm_redux_sync_max(v, -1);
  o[7] = (int)__nvvm_redux_sync_umin((unsigned)v, -1);
  o[8] = (int)__nvvm_redux_sync_umax((unsigned)v, -1);
  o[9] = __nvvm_redux_sync_and(v, -1);
  o[10] = __nvvm_redux_sync_or(v, -1);
  o[11] = __nvvm_redux_sync_xor(v, -1);
}

KERNEL registers(int *out) {
  unsigned rank = thread_x() + threads_x() * thread_y();
  int *o = out + rank * 4;
  o[0] = __nvvm_read_ptx_sreg_laneid();
  o[1] = (int)rank / 32;
  o[2] = (int)__nvvm_read_ptx_sreg_lanemask_lt();
  o[3] = __nvvm_read_ptx_sreg_warpsize();
}

KERNEL active(int *out) {
  if (thread_x() % 3 == 0)
    out[thread_x()] = (int)__nvvm_activemask();
  else
    out[thread_x()] = (int)__nvvm_activemask();
}

/// Counts the threads with an odd element, and tests if all and if any have
/// one.
KERNEL counts(const int *x, int *out) {
  int v = x[thread_x()] & 1;
  int *o = &OF_THREAD(3);
  o[0] = __nvvm_bar0_popc(v);
  o[1] = __nvvm_bar0_and(v);
  o[2] = __nvvm_bar0_or(v);
}
