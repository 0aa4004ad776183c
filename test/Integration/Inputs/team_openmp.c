/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Calls a step with the team of docs/Guides/Threads.md. */
#include "team.h"

#include "openmp.h"

#include <stdio.h>
#include <stdlib.h>

int main(void) {
  float x[8], y[8];
  int i, call;
  team_state *s = (team_state *)aligned_alloc(
      TEAM_STATE_ALIGN, (TEAM_STATE_BYTES + 63) / 64 * 64);
  if (s == NULL || team_init(s, 1))
    return 1;
  for (call = 1; call <= 1000; ++call) {
    for (i = 0; i < 8; ++i)
      x[i] = (float)(i * call);
    if (team_mirror(s, &team, x, y)) {
      puts(team_last_error(s));
      return 1;
    }
    for (i = 0; i < 8; ++i)
      if (y[i] != 2.0f * x[7 - i] + (float)call) {
        printf("call %d: expected %g, found %g\n", call, 2.0 * x[7 - i] + call,
               y[i]);
        return 1;
      }
  }
  free(s);
  puts("teams work");
  return 0;
}
