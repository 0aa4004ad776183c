/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* F7: reads the profile of a model from its block. */
#include "profiled.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char *memory = (char *)malloc(PROFILED_STATE_BYTES + PROFILED_STATE_ALIGN);
  uintptr_t start = ((uintptr_t)memory + PROFILED_STATE_ALIGN - 1) /
                    PROFILED_STATE_ALIGN * PROFILED_STATE_ALIGN;
  profiled_state *s = (profiled_state *)start;
  float x[8 * 4] = {1, 2, 3, 4}, loss;
  uint64_t calls, ticks, sum = 0;
  int i, kernel;
  memset((void *)s, 0xff, PROFILED_STATE_BYTES);
  if (profiled_init(s, 1))
    return 1;
  profiled_profile_reset(s);
  for (i = 0; i < 3; ++i)
    if (profiled_profiled(s, x, 8, &loss))
      return 2;
  for (kernel = 0; kernel < PROFILED_PROFILE_KERNELS; ++kernel) {
    const profiled_kernel_info *info = &profiled_profile_kernels()[kernel];
    profiled_profile_read(s, 0, kernel, &calls, &ticks);
    if (calls != 3)
      return 3;
    sum += ticks;
    printf("%s %s %d calls, %s iterations, %s\n", info->name, info->phase,
           (int)calls, info->iterations, info->sources);
  }
  if (sum == 0)
    return 4;
  profiled_profile_reset(s);
  profiled_profile_read(s, PROFILED_PROFILE_WORKERS - 1,
                        PROFILED_PROFILE_KERNELS - 1, &calls, &ticks);
  if (calls || ticks)
    return 5;
  puts("ok");
  free(memory);
  return 0;
}
