/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every combination of some dimension sizes, with a guard behind the block. */

#include "differences.h"

#include <stdio.h>
#include <stdlib.h>

enum { GUARD = 1 << 17 };

static int64_t ones[64 * 3];

int main(void) {
  static const int64_t dimSizes[] = {0, 1, 2, 3, 5, 63, 64};
  enum { COUNT = sizeof(dimSizes) / sizeof(*dimSizes) };
  unsigned char *raw =
      (unsigned char *)malloc(DIFFERENCES_STATE_BYTES + GUARD + 64);
  unsigned char *block = raw + (64 - (uintptr_t)raw % 64) % 64;
  differences_state *s = (differences_state *)block;
  int fits = 0, number;
  size_t i;
  for (i = 0; i < sizeof(ones) / sizeof(*ones); ++i)
    ones[i] = 1;
  memset(block + DIFFERENCES_STATE_BYTES, 0xa5, GUARD);
  if (differences_init(s, 1) != 0)
    return 1;
  for (number = 0; number < COUNT * COUNT * COUNT * COUNT; ++number) {
    int64_t x = dimSizes[number % COUNT], y = dimSizes[number / COUNT % COUNT],
            z = dimSizes[number / COUNT / COUNT % COUNT],
            w = dimSizes[number / COUNT / COUNT / COUNT], sum = -1;
    /* Paddings w - y, 3 - x, 2 - y and z - 3. */
    int ok = w >= y && x <= 3 && y <= 2 && z >= 3;
    int status = differences_f(s, ones, x, ones, y, ones, z, ones, w, &sum);
    if ((status == 0) != ok || (ok && sum != 2 * x)) {
      printf("%d: x %d y %d z %d w %d sum %d\n", status, (int)x, (int)y, (int)z,
             (int)w, (int)sum);
      return 2;
    }
    fits += ok;
  }
  for (i = 0; i < GUARD; ++i)
    if (block[DIFFERENCES_STATE_BYTES + i] != 0xa5)
      return 3;
  printf("%d calls\n", fits);
  free(raw);
  return 0;
}
