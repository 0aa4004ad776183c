/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Strings of the model labels.mlir: 0 if all is as it should be. */

#include <flywheel/flywheel.h>

#include "labels.h"

#include <stdio.h>
#include <stdlib.h>

#define CHECK(c)                                                               \
  do {                                                                         \
    if (!(c)) {                                                                \
      fprintf(stderr, "line %d: %s, %s\n", __LINE__, #c,                       \
              labels_last_error(s));                                           \
      return 1;                                                                \
    }                                                                          \
  } while (0)

static labels_state *align(void *raw) {
  uintptr_t address = (uintptr_t)raw + LABELS_STATE_ALIGN - 1;
  return (labels_state *)(address - address % LABELS_STATE_ALIGN);
}

int main(int argc, char **argv) {
  void *raw = malloc(LABELS_STATE_BYTES + LABELS_STATE_ALIGN);
  void *otherRaw = malloc(LABELS_STATE_BYTES + LABELS_STATE_ALIGN);
  labels_state *s = align(raw), *other = align(otherRaw);
  const flywheel_model *model = labels_model();
  int64_t tag = -1, again = -1, before = -1, kiwi = -1, fruit[2];
  uint8_t same = 9;
  size_t bytes = 0;
  int round;
  char text[32];
  CHECK(argc == 2);
  memset(s, 0x77, LABELS_STATE_BYTES);
  memset(other, 0x33, LABELS_STATE_BYTES);

  CHECK(labels_init(s, 1) == 0);
  CHECK(labels_get_variable(s, "fruit", fruit, sizeof(fruit)) == 0);
  CHECK(strcmp(flywheel_text(model, s, fruit[0], NULL), "Fruit") == 0);
  CHECK(strcmp(labels_string(fruit[1], &bytes), "orange") == 0 && bytes == 6);

  CHECK(flywheel_intern(model, s, "Kiwi", 4, &kiwi) == 0);
  CHECK(kiwi <= LABELS_NUM_STRINGS);
  CHECK(labels_step(s, &kiwi, &same, &before) == 0 && same == 1 && before == 0);
  CHECK(flywheel_intern(model, s, "a\0b", 3, &tag) == 0);
  CHECK(flywheel_intern(model, s, "a\0b", 3, &again) == 0 && tag == again);
  CHECK(tag > LABELS_NUM_STRINGS && labels_string(tag, NULL) == NULL);
  CHECK(labels_step(s, &tag, &same, &before) == 0 && same == 0);
  CHECK(before == kiwi);

  /* Strings come and go; those in use stay. */
  for (round = 0; round < 1000; ++round) {
    int size = sprintf(text, "tag %d", round);
    CHECK(flywheel_intern(model, s, text, (size_t)size, &again) == 0);
  }
  CHECK(flywheel_collect_strings(model, s) == 0);
  CHECK(flywheel_text(model, s, again, NULL) == NULL);
  CHECK(memcmp(flywheel_text(model, s, tag, &bytes), "a\0b", 3) == 0);
  CHECK(bytes == 3);

  CHECK(labels_save(s, argv[1]) == 0);
  CHECK(labels_restore(other, argv[1]) == 0);
  CHECK(labels_step(other, &kiwi, &same, &before) == 0 && same == 1);
  CHECK(memcmp(flywheel_text(model, other, before, &bytes), "a\0b", 3) == 0);
  CHECK(bytes == 3);

  CHECK(flywheel_intern(model, s, NULL, 1, &tag) == FLYWHEEL_INVALID_ARGUMENT);
  flywheel_release(model, s);
  CHECK(!labels_is_initialized(s, "last") && labels_is_initialized(s, "w"));
  flywheel_release(model, s);
  flywheel_release(model, other);
  free(raw);
  free(otherRaw);
  return 0;
}
