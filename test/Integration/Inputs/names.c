/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Variables whose names are also those of parts of the block. */

#include <flywheel/flywheel.h>

#include "names.h"

#include <stdio.h>
#include <stdlib.h>

#define CHECK(c)                                                               \
  do {                                                                         \
    if (!(c)) {                                                                \
      fprintf(stderr, "line %d: %s\n", __LINE__, #c);                          \
      return 1;                                                                \
    }                                                                          \
  } while (0)

int main(void) {
  unsigned char *raw =
      (unsigned char *)malloc(NAMES_STATE_BYTES + NAMES_STATE_ALIGN);
  names_state *s = (names_state *)(raw + (NAMES_STATE_ALIGN -
                                          (uintptr_t)raw % NAMES_STATE_ALIGN));
  const char *const names[] = {"text",   "status",    "initialized",
                               "header", "workspace", "state"};
  float value, sum;
  int64_t number;
  size_t bytes = 0;
  int i;
  CHECK(names_init(s, 1) == 0);
  for (i = 0; i < 6; ++i) {
    CHECK(names_get_variable(s, names[i], &value, sizeof(value)) == 0);
    CHECK(value == (float)(i + 1));
  }
  CHECK(*(float *)((char *)s + NAMES_STATUS_1_OFFSET) == 2.0f);
  CHECK(names_step(s, &sum, &number) == 0 && sum == 3.0f);
  CHECK(names_string(number, &bytes)[4999] == 'x' && bytes == 5000);
  CHECK(strlen(flywheel_text(names_model(), s, number, NULL)) == 5000);
  CHECK(names_get_variable(s, "a?\?/", &number, sizeof(number)) == 0);
  CHECK(strcmp(names_string(number, NULL), "what?\?/") == 0);
  free(raw);
  return 0;
}
