/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two models of one layout: neither takes a block or a checkpoint of the other.
 */

#include <flywheel/flywheel.h>

#include "first.h"
#include "second.h"

#include <stdio.h>
#include <stdlib.h>

#define CHECK(c)                                                               \
  do {                                                                         \
    if (!(c)) {                                                                \
      fprintf(stderr, "line %d: %s\n", __LINE__, #c);                          \
      return 1;                                                                \
    }                                                                          \
  } while (0)

/* argv: the path of a checkpoint to write, and one that Python has saved. */
int main(int argc, char **argv) {
  unsigned char *raw =
      (unsigned char *)malloc(FIRST_STATE_BYTES + FIRST_STATE_ALIGN);
  unsigned char *block =
      raw + (FIRST_STATE_ALIGN - (uintptr_t)raw % FIRST_STATE_ALIGN);
  first_state *s = (first_state *)block;
  second_state *other = (second_state *)block;
  const char *names[1] = {"w"};
  flywheel_checkpoint_options options;
  float x[2] = {1, 1}, y[2] = {0, 0}, w[2];
  CHECK(argc == 3 && FIRST_STATE_BYTES == SECOND_STATE_BYTES);
  CHECK(first_init(s, 1) == 0 && first_step(s, x, y) == 0 && y[1] == 3);
  CHECK(first_save(s, argv[1]) == 0);

  /* The block. */
  CHECK(second_step(other, x, y) != 0);
  CHECK(strcmp(second_last_error(other),
               "the state of 'second' was never initialised: call second_init "
               "first") == 0);
  CHECK(!second_is_valid(other) && !second_is_initialized(other, "w"));
  CHECK(second_get_variable(other, "w", w, sizeof w) != 0);
  CHECK(first_step(s, x, y) == 0 && y[1] == 4);

  /* The checkpoint. */
  CHECK(second_init(other, 1) == 0);
  CHECK(second_restore(other, argv[1]) == FLYWHEEL_FAILED_PRECONDITION);
  CHECK(strstr(second_last_error(other),
               "can't restore model 'second' from checkpoint '"));
  CHECK(strstr(second_last_error(other), "which is of model 'first'"));
  CHECK(second_get_variable(other, "w", w, sizeof w) == 0 && w[1] == 2);
  memset(&options, 0, sizeof options);
  options.any_model = 1;
  CHECK(flywheel_restore(second_model(), other, argv[1], &options) == 0);
  CHECK(second_get_variable(other, "w", w, sizeof w) == 0 && w[1] == 3);
  CHECK(second_init(other, 1) == 0);
  memset(&options, 0, sizeof options);
  options.variables = names;
  options.num_variables = 1;
  CHECK(flywheel_restore(second_model(), other, argv[1], &options) == 0);
  CHECK(second_get_variable(other, "w", w, sizeof w) == 0 && w[1] == 3);

  /* Variables of Python are of no model. */
  CHECK(second_restore(other, argv[2]) == 0);
  CHECK(second_get_variable(other, "w", w, sizeof w) == 0 && w[1] == 8);
  free(raw);
  return 0;
}
