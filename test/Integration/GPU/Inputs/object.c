/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Steps on a GPU from C: variables stay there from one step to the next. */
#ifdef SAVED
#include <flywheel/flywheel.h>
#endif
#include "object.h"

#include <stdio.h>
#include <stdlib.h>

static object_state *make(void) {
  object_state *s = aligned_alloc(OBJECT_STATE_ALIGN, OBJECT_STATE_BYTES);
  if (s == NULL || object_init(s, 1)) {
    puts(object_last_error(s));
    exit(1);
  }
  return s;
}

static float get(object_state *s) {
  float w = -1;
  if (object_get_variable(s, "w", &w, sizeof(w)))
    puts(object_last_error(s));
  return w;
}

int main(int argc, char **argv) {
  const int32_t twos[] = {0, 1}, others[] = {2, 3}, wrong[] = {0, 9};
  object_state *s = make(), *second = make();
  float loss = -1, w = 3;
  int32_t status = object_step(s, twos, 2, &loss);
  if (status) {
    printf("status %d: %s\n", (int)status, object_last_error(s));
    printf("w %.4f without a step\n", get(s));
    return 0;
  }
  printf("loss %.4f\n", loss);
  printf("w %.4f\n", get(s));
  if (object_step(s, twos, 2, &loss))
    puts(object_last_error(s));
  printf("loss %.4f\n", loss);
  if (object_set_variable(s, "w", &w, sizeof(w)) ||
      object_step(s, others, 2, &loss))
    puts(object_last_error(s));
  printf("set 3 loss %.4f\n", loss);
  if (object_step(s, wrong, 2, &loss))
    printf("error: %s\n", object_last_error(s));
  printf("w %.4f after an error\n", get(s));
  if (object_step(second, twos, 2, &loss))
    puts(object_last_error(second));
  printf("second %.4f first %.4f\n", get(second), get(s));
#ifdef SAVED
  if (argc > 1 && (object_save(s, argv[1]) || object_step(s, twos, 2, &loss) ||
                   object_restore(s, argv[1])))
    puts(object_last_error(s));
  printf("restored %.4f\n", get(s));
  if (object_step(s, others, 2, &loss))
    puts(object_last_error(s));
  printf("then %.4f\n", get(s));
#endif
  /* A program that changes elements in the block says so. */
  if (object_to_host(s, 1))
    puts("the device is lost");
  *(float *)object_variable(s, "w") = 1;
  if (object_step(s, twos, 2, &loss))
    puts(object_last_error(s));
  printf("in the block: loss %.4f\n", loss);
  object_release(s);
  object_release(second);
  free(s);
  free(second);
  puts("released");
  (void)argc, (void)argv;
  return 0;
}
