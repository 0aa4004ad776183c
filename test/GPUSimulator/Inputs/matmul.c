// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// c[m, n] = a[m, k] b[k, n] in tiles of 64 x 64 x 16: 256 threads of 4 x 4
// each.

#include "device.h"

#define TILE 64
#define STEP 16

static WORKGROUP float a_tile[STEP][TILE],
    b_tile[STEP][TILE] __attribute__((aligned(16)));

KERNEL matmul(const float *a, const float *b, float *c, int m, int n, int k) {
  int tx = (int)thread_x(), ty = (int)thread_y(), t = ty * 16 + tx;
  int row = (int)block_y() * TILE, column = (int)block_x() * TILE;
  float4_t sums[4] = {0, 0, 0, 0};
  for (int begin = 0; begin < k; begin += STEP) {
    for (int e = t; e < STEP * TILE; e += 256) {
      int i = e / STEP, j = e % STEP;
      a_tile[j][i] =
          row + i < m && begin + j < k ? a[(row + i) * k + begin + j] : 0;
      i = e / TILE, j = e % TILE;
      b_tile[i][j] =
          begin + i < k && column + j < n ? b[(begin + i) * n + column + j] : 0;
    }
#ifndef NO_BARRIER_BEFORE
    barrier();
#endif
    for (int j = 0; j < STEP; ++j) {
      float4_t y = *(const WORKGROUP float4_t *)&b_tile[j][4 * tx];
      for (int i = 0; i < 4; ++i) {
        float x = a_tile[j][4 * ty + i];
        sums[i] = __builtin_elementwise_fma((float4_t){x, x, x, x}, y, sums[i]);
      }
    }
#ifndef NO_BARRIER_AFTER
    barrier();
#endif
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      if (row + 4 * ty + i < m && column + 4 * tx + j < n)
        c[(row + 4 * ty + i) * n + column + 4 * tx + j] = sums[i][j];
}
