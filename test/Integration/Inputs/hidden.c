// Puts a feed and a result of an entry at each place of the block after the
// variables.
#include "hidden.h"

#include <stdio.h>
#include <stdlib.h>

enum { kRows = 9, kIn = kRows * 7, kOut = kRows * 5 };

static int fail(hidden_state *s, const char *what, size_t place) {
  fprintf(stderr, "%s at %zu of %zu: %s\n", what, place,
          (size_t)HIDDEN_STATE_BYTES, hidden_last_error(s));
  return 1;
}

int main(void) {
  hidden_state *s = aligned_alloc(HIDDEN_STATE_ALIGN, HIDDEN_STATE_BYTES);
  static float x[kIn], y[kOut], other[kOut], sum[33 * 5];
  const float *w2 = hidden_variable(s, "w2");
  size_t place = HIDDEN_W2_OFFSET + sizeof(sum);
  size_t refused = 0;
  int i;
  for (i = 0; i < kIn; ++i)
    x[i] = (float)(i % 11) * 0.1f;
  if (hidden_init(s, 1) || hidden_predict(s, x, kRows, y))
    return fail(s, "in buffers of their own", 0);
  place = (place + 63) / 64 * 64;
  for (; place + sizeof(x) <= HIDDEN_STATE_BYTES; place += 64) {
    float *inside = (float *)((char *)s + place);
    if (!hidden_predict(s, x, kRows, inside))
      return fail(s, "a result", place);
    memcpy(inside, x, sizeof(x));
    if (!hidden_predict(s, inside, kRows, other))
      return fail(s, "a feed", place);
    ++refused;
  }
  if (refused == 0)
    return fail(s, "no place", place);
  puts(hidden_last_error(s));
  // Neither a variable nor memory right after the block is workspace.
  if (hidden_twice(s, w2, sum) || sum[3] != w2[3] + w2[3])
    return fail(s, "a variable as a feed", 0);
  if (hidden_predict(s, x, kRows, other) || memcmp(y, other, sizeof(y)) != 0)
    return fail(s, "after errors", 0);
  free(s);
  return 0;
}
