/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* usage: resumed IN OUT STEPS: steps of resumed.mlir from the checkpoint IN, or
   from initial values where IN is `-`; prints x and saves it as OUT. */

#include <flywheel/flywheel.h>
/* After flywheel.h the header has save and restore too. */
#include "resumed.h"

#include <stdio.h>
#include <stdlib.h>

static int fail(resumed_state *s) {
  const char *text = resumed_last_error(s);
  /* The library has the text for a block that was never initialised. */
  fprintf(stderr, "error: %s\n",
          *text ? text : flywheel_last_error(resumed_model(), s));
  return 1;
}

int main(int argc, char **argv) {
  static unsigned char bytes[RESUMED_STATE_BYTES + RESUMED_STATE_ALIGN];
  resumed_state *s =
      (resumed_state *)(bytes + (RESUMED_STATE_ALIGN -
                                 (uintptr_t)bytes % RESUMED_STATE_ALIGN));
  double x;
  int i;
  if (argc != 4)
    return 2;
  if (strcmp(argv[1], "-") == 0 ? resumed_init(s, 1)
                                : resumed_restore(s, argv[1]))
    return fail(s);
  for (i = 0; i < atoi(argv[3]); ++i)
    if (resumed_step(s))
      return fail(s);
  if (resumed_save(s, argv[2]) || resumed_get_variable(s, "x", &x, sizeof(x)))
    return fail(s);
  printf("%.6g\n", x);
  return 0;
}
