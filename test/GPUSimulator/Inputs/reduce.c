// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums and a softmax.

#include "device.h"

#define THREADS 256

static WORKGROUP float partial[THREADS];

/// out[block] = sum of the block's `n` elements, as a tree in workgroup memory.
KERNEL tree_sum(const float *x, float *out, int n) {
  unsigned t = thread_x();
  float sum = 0;
  for (int i = (int)t; i < n; i += THREADS)
    sum += x[block_x() * n + i];
  partial[t] = sum;
#ifndef NO_BARRIER_BEFORE
  barrier();
#endif
  for (unsigned s = THREADS / 2; s; s /= 2) {
    if (t < s)
      partial[t] += partial[t + s];
#ifndef NO_BARRIER_WITHIN
    barrier();
#endif
  }
  if (t == 0)
    out[block_x()] = partial[0];
}

/// The same with dynamic workgroup memory of the size of the block.
extern WORKGROUP float dynamic[];
KERNEL dynamic_sum(const float *x, float *out) {
  unsigned t = thread_x();
  dynamic[t] = x[block_x() * threads_x() + t];
  barrier();
  for (unsigned s = threads_x() / 2; s; s /= 2) {
    if (t < s)
      dynamic[t] += dynamic[t + s];
    barrier();
  }
  if (t == 0)
    out[block_x()] = dynamic[0];
}

DEVICE float sum_of_warp(float v) {
  for (int s = 16; s; s /= 2)
    v += __nvvm_shfl_sync_bfly_f32(-1, v, s, 31);
  return v;
}

DEVICE float max_of_warp(float v) {
  for (int s = 16; s; s /= 2)
    v = __builtin_fmaxf(v, __nvvm_shfl_sync_bfly_f32(-1, v, s, 31));
  return v;
}

/// out[warp] = sum of the elements of the warp's threads.
KERNEL warp_sum(const float *x, float *out) {
  unsigned i = block_x() * threads_x() + thread_x();
  float sum = sum_of_warp(x[i]);
  if (__nvvm_read_ptx_sreg_laneid() == 0)
    out[i / 32] = sum;
}

static WORKGROUP float of_warps[32];

/// For each row, a block's: p = exp(x - max) / sum, with 2^x as a polynomial.
KERNEL softmax(const float *x, float *p, int n) {
  unsigned t = thread_x(), lane = t % 32, warp = t / 32;
  const float *row = x + block_x() * n;
  float m = -3e38f;
  for (int i = (int)t; i < n; i += THREADS)
    m = __builtin_fmaxf(m, row[i]);
  m = max_of_warp(m);
  if (lane == 0)
    of_warps[warp] = m;
  barrier();
  m = max_of_warp(lane < THREADS / 32 ? of_warps[lane] : -3e38f);
  barrier();
  float sum = 0;
  for (int i = (int)t; i < n; i += THREADS) {
    float y = (row[i] - m) * 1.44269504f;
    float whole = __builtin_floorf(y), f = (y - whole) * 0.693147182f;
    float e =
        1 + f * (1 + f * (0.5f + f * (1.f / 6 +
                                      f * (1.f / 24 + f * (1.f / 120 +
                                                           f * (1.f / 720))))));
    union {
      int i;
      float f;
    } scale = {.i = ((int)whole + 127) << 23};
    p[block_x() * n + i] = e * scale.f;
    sum += e * scale.f;
  }
  sum = sum_of_warp(sum);
  if (lane == 0)
    of_warps[warp] = sum;
  barrier();
  sum = sum_of_warp(lane < THREADS / 32 ? of_warps[lane] : 0);
  for (int i = (int)t; i < n; i += THREADS)
    p[block_x() * n + i] /= sum;
}
