/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints the losses of five steps. */

#include "toy.h"

#include <stdio.h>

int main(void) {
  static unsigned char bytes[TOY_STATE_BYTES + TOY_STATE_ALIGN];
  toy_state *s = (toy_state *)(bytes + (TOY_STATE_ALIGN -
                                        (uintptr_t)bytes % TOY_STATE_ALIGN));
  const float x[] = {1, 2, 3, 0.5F, -1, 2}, y[] = {0.2F, -0.3F, 0.1F, 0.4F};
  int step;
  if (toy_init(s, 1))
    return 1;
  for (step = 0; step < 5; ++step) {
    float loss;
    if (toy_train_step(s, x, 2, y, &loss)) {
      fprintf(stderr, "error: %s\n", toy_last_error(s));
      return 1;
    }
    printf("%.9g\n", loss);
  }
  return 0;
}
