/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A GRU at the bounds of its dimension sizes, and one above each. */

#include "tagger.h"

#include <stdio.h>
#include <stdlib.h>

static int32_t tokens[5 * 257];
static float target[5 * 8], offset[33], moved[33];

static int says(tagger_state *s, const char *text) {
  if (strcmp(tagger_last_error(s), text) == 0)
    return 1;
  fprintf(stderr, "%s\n", tagger_last_error(s));
  return 0;
}

int main(void) {
  unsigned char *raw = (unsigned char *)malloc(TAGGER_STATE_BYTES + 128);
  unsigned char *block = raw + (64 - (uintptr_t)raw % 64) % 64;
  tagger_state *s = (tagger_state *)block;
  float loss = 0, first = 0;
  int i;
  for (i = 0; i < 5 * 257; ++i)
    tokens[i] = i % 11;
  for (i = 0; i < 5 * 8; ++i)
    target[i] = (float)(i % 3) * 0.25f;
  memset(block + TAGGER_STATE_BYTES, 0xa5, 64);
  if (tagger_init(s, 1))
    return 1;
  for (i = 0; i < 5; ++i) {
    if (tagger_step(s, tokens, 4, 256, target, offset, 32, &loss, moved))
      return 2;
    if (i == 0)
      first = loss;
  }
  if (!(loss < first))
    return 3;
  for (i = 0; i < 64; ++i)
    if (block[TAGGER_STATE_BYTES + i] != 0xa5)
      return 4;
  if (!tagger_step(s, tokens, 5, 256, target, offset, 32, &loss, moved) ||
      !says(s, "batch is out of range: expected 0 <= batch <= 4 in "
               "'tagger_step', found 5"))
    return 5;
  if (!tagger_step(s, tokens, 4, 257, target, offset, 32, &loss, moved) ||
      !says(s, "time is out of range: expected 0 <= time <= 256 in "
               "'tagger_step', found 257"))
    return 6;
  if (!tagger_step(s, tokens, 4, 256, target, offset, 33, &loss, moved) ||
      !says(s, "offsets is out of range: expected 0 <= offsets <= 32 in "
               "'tagger_step', found 33"))
    return 7;
  free(raw);
  return 0;
}
