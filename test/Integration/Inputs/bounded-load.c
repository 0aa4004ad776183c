/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loads libraries of two bounds with the header of one. */

#include "bounded.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef int32_t init_function(bounded_state *, uint64_t);
typedef int32_t step_function(bounded_state *, const float *, int64_t, float *);
typedef const char *error_function(const bounded_state *);

static void *find(void *library, const char *name) {
  void *symbol = dlsym(library, name);
  if (!symbol)
    puts("no symbol");
  return symbol;
}

int main(int argc, char **argv) {
  static float x[16 * 8];
  void *small = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  void *large = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
  bounded_state *s =
      (bounded_state *)aligned_alloc(BOUNDED_STATE_ALIGN, BOUNDED_STATE_BYTES);
  init_function *init;
  step_function *step;
  error_function *last_error;
  float loss;
  if (!small || !large || !s)
    return 1;
  printf("small: %s\n", dlsym(small, "bounded_init_" BOUNDED_INTERFACE)
                            ? "found"
                            : "not found");
  printf("large: %s\n", dlsym(large, "bounded_init_" BOUNDED_INTERFACE)
                            ? "found"
                            : "not found");
  *(void **)&init = find(small, "bounded_init_" BOUNDED_INTERFACE);
  printf("status %d\n", (int)init(s, 1));
  /* The plain names are there for programs without the header. */
  *(void **)&step = find(large, "bounded_step");
  *(void **)&last_error = find(large, "bounded_last_error");
  if (step(s, x, 16, &loss) == 0)
    return 1;
  puts(last_error(s));
  free(s);
  return 0;
}
