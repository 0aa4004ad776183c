/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The results of each call: the same whatever else the model checks. */

#include <flywheel/flywheel.h>

#include "counted.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(c)                                                               \
  do {                                                                         \
    if (!(c)) {                                                                \
      fprintf(stderr, "line %d: %s, %s\n", __LINE__, #c,                       \
              counted_last_error(s));                                          \
      return 1;                                                                \
    }                                                                          \
  } while (0)
#define SAYS(words) CHECK(strstr(counted_last_error(s), words))

/* Numbers that programs may have stored. */
#if COUNTED_MAX_BATCH != 8 || COUNTED_STATE_BYTES < 640
#error "macros"
#endif

int main(void) {
  unsigned char *raw =
      (unsigned char *)malloc(COUNTED_STATE_BYTES + 2 * COUNTED_STATE_ALIGN);
  unsigned char *block =
      raw + (COUNTED_STATE_ALIGN - (uintptr_t)raw % COUNTED_STATE_ALIGN);
  counted_state *s = (counted_state *)block;
  float x[9 * 4 + 1] = {0}, loss = 0;
  int32_t label[9] = {0};
  char *odd = (char *)x + 1;
  int64_t step;
  memset(block, 0xa5, COUNTED_STATE_BYTES);

  CHECK(counted_train_step(s, x, 2, label, &loss) == 3);
  SAYS("never initialised");
  CHECK(counted_train_step(NULL, x, 2, label, &loss) == COUNTED_E_NULL_STATE);
  CHECK(counted_get_variable(s, "w", x, 48) == COUNTED_E_NOT_INITIALIZED);
  CHECK(counted_init((counted_state *)(block + 8), 1) ==
        COUNTED_E_UNALIGNED_STATE);
  CHECK(counted_init_some(s, 1, NULL) == COUNTED_E_NULL_ARGUMENT);
  counted_reset(s);
  CHECK(counted_train_step(s, x, 2, label, &loss) ==
        COUNTED_E_UNINITIALIZED_VARIABLE);
  CHECK(counted_get_variable(s, "w", x, 48) ==
        COUNTED_E_UNINITIALIZED_VARIABLE);
  SAYS("Attempting to use uninitialized value w");
  CHECK(counted_init(s, 1) == 0);
  CHECK(counted_init_collection(s, 1, "LOCAL") == 0);

  CHECK(counted_train_step(s, NULL, 2, label, &loss) ==
        COUNTED_E_NULL_ARGUMENT);
  CHECK(counted_train_step(s, x, 2, label, NULL) == COUNTED_E_NULL_ARGUMENT);
  CHECK(counted_train_step(s, (float *)(void *)odd, 2, label, &loss) ==
        COUNTED_E_UNALIGNED_ARGUMENT);
  SAYS("expected feed 'x' of 'train_step' aligned as 'float' is, found an "
       "address that is not");
  CHECK(counted_train_step(s, x, 2, (int32_t *)(void *)(odd + 1), &loss) ==
        COUNTED_E_UNALIGNED_ARGUMENT);
  SAYS("expected feed 'label' of 'train_step' aligned as 'int32_t' is");
  CHECK(counted_train_step(s, x, 2, label, (float *)(void *)odd) ==
        COUNTED_E_OVERLAP);
  CHECK(counted_train_step(s, x, 2, label,
                           (float *)(void *)((char *)&x[36] + 1 - 4)) != 0);
  CHECK(counted_train_step(s, x, 9, label, &loss) == COUNTED_E_DIM_SIZE);
  CHECK(counted_train_step(s, x, -1, label, &loss) == COUNTED_E_DIM_SIZE);
  CHECK(counted_train_step(s, x, 2, label, x) == COUNTED_E_OVERLAP);
  label[1] = 3;
  CHECK(counted_train_step(s, x, 2, label, &loss) == COUNTED_E_CHECK);
  label[1] = 2;
  CHECK(counted_train_step(s, x, 2, label, &loss) == 0);
  CHECK(strcmp(counted_last_error(s), "") == 0);
#ifdef CHECKS_NUMERICS
  x[3] = NAN;
  CHECK(counted_train_step(s, x, 2, label, &loss) == COUNTED_E_NUMERICS);
  SAYS("expected finite numbers in feed 'x', found NaN or infinity");
#endif

  CHECK(counted_set_variable(s, "v", x, 4) == COUNTED_E_NOT_FOUND);
  CHECK(counted_set_variable(s, "w", x, 4) == COUNTED_E_INVALID_ARGUMENT);
  CHECK(counted_set_variable(s, "w", NULL, 48) == COUNTED_E_NULL_ARGUMENT);
  CHECK(counted_get_variable(s, "step", &step, sizeof step) == 0 && step == 1);
  CHECK(counted_restore(s, "no such file") == COUNTED_E_NOT_FOUND);
  CHECK(counted_save(s, "no/such/folder") == COUNTED_E_FAILED_PRECONDITION);
  SAYS("Parent directory");

  CHECK(strcmp(counted_status_name(0), "OK") == 0);
  CHECK(strcmp(counted_status_name(3), "COUNTED_E_NOT_INITIALIZED") == 0);
  CHECK(strcmp(counted_status_name(-6), "COUNTED_E_DATA_LOSS") == 0);
  CHECK(strcmp(counted_status_name(1000), "") == 0);
  free(raw);
  return 0;
}
