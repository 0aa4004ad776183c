/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Strings in C: numbers, some of which the model gives a text. */
#define _POSIX_C_SOURCE 200809L

#include "flywheel/flywheel.h"

#include "labels.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  void *memory = NULL;
  labels_state *s = NULL;
  static const char *const floats[] = {"w"};
  flywheel_checkpoint_options options = {0};
  int64_t name = 77, old = -1;
  uint8_t isNew = 0;
  size_t bytes = 0;
  if (argc != 2 ||
      posix_memalign(&memory, LABELS_STATE_ALIGN, LABELS_STATE_BYTES))
    return 1;
  s = memory;
  if (labels_init(s, 1))
    return 1;
  if (labels_set(s, &name, &old, &isNew))
    return 2;
  printf("old %s, %d bytes, is new %d\n", labels_string(old, &bytes),
         (int)bytes, isNew);
  if (labels_set(s, &name, &old, &isNew))
    return 3;
  printf("old %d, is new %d, text %s\n", (int)old, isNew,
         labels_string(old, NULL) ? "known" : "unknown");
  printf("empty '%s'\n", labels_string(0, NULL));
  /* Nobody knows the texts of numbers that the program made up. */
  if (!labels_save(s, argv[1]))
    return 4;
  puts(labels_last_error(s));
  options.variables = floats;
  options.num_variables = 1;
  if (flywheel_save(labels_model(), s, argv[1], &options))
    puts(labels_last_error(s));
  free(s);
  return 0;
}
