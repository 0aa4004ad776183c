/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Feeds and variables that loops check: each is missed by its own text. */

#include "many-feeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kNumFeeds = 18 };

#define CHECK(condition)                                                       \
  do                                                                           \
    if (!(condition)) {                                                        \
      fprintf(stderr, "line %d: %s: %s\n", __LINE__, #condition,               \
              many_feeds_last_error(s));                                       \
      return 1;                                                                \
    }                                                                          \
  while (0)

static float storage[kNumFeeds][kNumFeeds], results[5];

static int step(many_feeds_state *s, const float *const *x) {
  return many_feeds_step(s, x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7],
                         x[8], x[9], x[10], x[11], x[12], x[13], x[14], x[15],
                         x[16], x[17], results, results + 1);
}

int main(void) {
  unsigned char *raw = (unsigned char *)malloc(MANY_FEEDS_STATE_BYTES + 64);
  char *bytes = (char *)(raw + (64 - (size_t)raw % 64) % 64);
  many_feeds_state *s = (many_feeds_state *)bytes;
  const float *x[kNumFeeds];
  unsigned char select[kNumFeeds];
  char text[200];
  int i;
  memset(s, 0, MANY_FEEDS_STATE_BYTES);
  for (i = 0; i < kNumFeeds; ++i)
    x[i] = storage[i];

  /* All but one variable have values. */
  for (i = 0; i < kNumFeeds; ++i) {
    memset(select, 1, sizeof select);
    select[i] = 0;
    memset(s, 0, MANY_FEEDS_STATE_BYTES);
    CHECK(many_feeds_init_some(s, 1, select) == 0);
    CHECK(step(s, x) != 0);
    sprintf(text, "Attempting to use uninitialized value w%d", i);
    CHECK(strcmp(many_feeds_last_error(s), text) == 0);
  }

  /* A pointer that is null, in the block, or the result's. */
  CHECK(many_feeds_init(s, 1) == 0);
  for (i = 0; i < kNumFeeds; ++i) {
    x[i] = NULL;
    CHECK(step(s, x) != 0);
    sprintf(text, "placeholder 'x%d'", i);
    CHECK(strstr(many_feeds_last_error(s), text) != NULL);
    x[i] = (const float *)(bytes + MANY_FEEDS_STATE_BYTES - 4);
    CHECK(step(s, x) != 0);
    sprintf(text, "feed 'x%d' of 'step' outside", i);
    CHECK(strstr(many_feeds_last_error(s), text) != NULL);
    x[i] = results + 1;
    CHECK(step(s, x) != 0);
    sprintf(text, "result 'x2' of 'step' and feed 'x%d' in buffers", i);
    CHECK(strstr(many_feeds_last_error(s), text) != NULL);
    /* Behind the results all is well. */
    x[i] = storage[i];
    CHECK(step(s, x) == 0);
  }
  /* The first of several. */
  x[5] = NULL;
  x[9] = (const float *)bytes;
  CHECK(step(s, x) != 0);
  CHECK(strstr(many_feeds_last_error(s), "placeholder 'x5'") != NULL);
  x[3] = (const float *)bytes;
  CHECK(step(s, x) != 0);
  CHECK(strstr(many_feeds_last_error(s), "feed 'x3' of 'step' outside") !=
        NULL);
  free(raw);
  return 0;
}
