/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A step at the bound, with a guard behind the block. */

#include "bounded.h"

#include <stdio.h>
#include <stdlib.h>

static float x[64 * 8];

int main(void) {
  unsigned char *raw = (unsigned char *)malloc(BOUNDED_STATE_BYTES + 128);
  unsigned char *block = raw + (64 - (uintptr_t)raw % 64) % 64;
  bounded_state *s = (bounded_state *)block;
  /* The names can be taken as others: into pointers, in other macros. */
  int32_t (*init)(bounded_state *, uint64_t) = bounded_init;
  float loss = 0.0f;
  size_t i;
  for (i = 0; i < 64; ++i)
    block[BOUNDED_STATE_BYTES + i] = 0xa5;
  if (init(s, 1) != 0)
    return 1;
  if (bounded_step(s, x, BOUNDED_MAX_BATCH, &loss) != 0)
    return 2;
  for (i = 0; i < 64; ++i)
    if (block[BOUNDED_STATE_BYTES + i] != 0xa5)
      return 3;
  if (bounded_step(s, x, BOUNDED_MAX_BATCH + 1, &loss) == 0)
    return 4;
  if (strcmp(bounded_last_error(s),
             "batch is out of range: expected 0 <= batch <= 64 in "
             "'bounded_step', found 65") != 0)
    return 5;
  if (bounded_step(s, x, INT64_MIN, &loss) == 0)
    return 6;
  if (strcmp(bounded_last_error(s),
             "batch is out of range: expected 0 <= batch <= 64 in "
             "'bounded_step', found -9223372036854775808") != 0)
    return 7;
  if (bounded_step(s, x, 0, &loss) != 0 || *bounded_last_error(s) != 0)
    return 8;
  /* An uninitialised state is reported before anything else. */
  memset(block, 0x77, BOUNDED_STATE_BYTES);
  if (bounded_step(s, x, 100, &loss) == 0)
    return 9;
  if (strcmp(bounded_last_error(s),
             "the state of 'bounded' was never "
             "initialised: call bounded_init first") != 0)
    return 10;
  if (bounded_step(NULL, x, 100, &loss) == 0)
    return 11;
  free(raw);
  return 0;
}
