/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Definitions that the programs of c_interface.py share: blocks of state,
   arguments, and TRY, which calls and judges. */

#include "misuse.h.model"
#include <flywheel/flywheel.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { VARIABLES_END = MISUSE_WORKSPACE_OFFSET, BLOCKS = 3 };

static misuse_state *blocks[BLOCKS];
static unsigned char before[MISUSE_STATE_BYTES];
static float x[64], y[64], loss, rate = 0.5f;
static int32_t label[16];
static int64_t text;
static uint8_t select[MISUSE_NUM_VARIABLES + 1];

/* Blocks of any content, as malloc gives them. */
static void prepare(void) {
  int i;
  size_t k;
  for (i = 0; i < BLOCKS; ++i) {
    blocks[i] =
        (misuse_state *)aligned_alloc(MISUSE_STATE_ALIGN, MISUSE_STATE_BYTES);
    for (k = 0; k < MISUSE_STATE_BYTES; ++k)
      ((unsigned char *)blocks[i])[k] =
          (unsigned char)(0x5a + 37 * k * (size_t)i);
  }
  for (i = 0; i < 64; ++i)
    x[i] = (float)(i % 7) / 4 - 1;
}

static int ready(misuse_state *s, const char *name) {
  return misuse_is_initialized(s, name);
}

/* Returns true if all variables that `step` reads have a value. */
static int trainable(misuse_state *s) {
  int i;
  for (i = 0; i < MISUSE_NUM_VARIABLES; ++i)
    if (strcmp(misuse_variables()[i].name, "name") != 0 &&
        !ready(s, misuse_variables()[i].name))
      return 0;
  return misuse_is_valid(s);
}

static void wrong(const char *call, const char *what, int status) {
  printf("WRONG: %s: %s, status %d\n", call, what, status);
  fflush(stdout);
  exit(3);
}

/* `expected`: 1 must succeed, 0 must fail, -1 either. A failure leaves
   variables and their flags as they were, and has a text. */
static void judge(const char *call, misuse_state *s, int isBlock, int wasValid,
                  int expected, int32_t status) {
  const char *message = isBlock ? misuse_last_error(s) : "";
  printf("%d %s %s\n", (int)status, call, message);
  fflush(stdout);
  if (expected == 1 && status != 0)
    wrong(call, "expected success", status);
  if (expected == 0 && status == 0)
    wrong(call, "expected an error", status);
  if (!isBlock || status == 0)
    return;
  if (misuse_is_valid(s) != wasValid)
    wrong(call, "a failure has made or unmade a block", status);
  if (wasValid && memcmp(before + MISUSE_INITIALIZED_OFFSET,
                         (unsigned char *)s + MISUSE_INITIALIZED_OFFSET,
                         MISUSE_NUM_VARIABLES) != 0)
    wrong(call, "a failure has changed what has a value", status);
  if (memcmp(before + MISUSE_HEADER_BYTES,
             (unsigned char *)s + MISUSE_HEADER_BYTES,
             VARIABLES_END - MISUSE_HEADER_BYTES) != 0)
    wrong(call, "a failure has changed a variable", status);
  if (misuse_is_valid(s) && message[0] == 0)
    wrong(call, "a failure without a text", status);
}

#define TRY(s, expected, call)                                                 \
  do {                                                                         \
    misuse_state *block = (s);                                                 \
    int isBlock =                                                              \
        block == blocks[0] || block == blocks[1] || block == blocks[2];        \
    int wasValid = isBlock && misuse_is_valid(block), must = (expected);       \
    if (isBlock)                                                               \
      memcpy(before, block, MISUSE_STATE_BYTES);                               \
    judge(#call, block, isBlock, wasValid, must, (call));                      \
  } while (0)

typedef struct worker {
  misuse_state *state;
  float losses[20];
} worker;

static void *work(void *data) {
  worker *w = (worker *)data;
  float out[64];
  int i;
  if (misuse_init(w->state, 7) != 0)
    return NULL;
  for (i = 0; i < 20; ++i)
    if (misuse_step(w->state, x, 4, label, &rate, &w->losses[i], out) != 0)
      return NULL;
  return w;
}

/* Blocks are independent, whatever was done to them before. */
static void checkThreads(void) {
  static worker workers[2];
  pthread_t threads[2];
  void *done;
  int i;
  memset(label, 0, sizeof(label));
  for (i = 0; i < 2; ++i) {
    workers[i].state = blocks[i];
    misuse_reset(blocks[i]);
    pthread_create(&threads[i], NULL, work, &workers[i]);
  }
  for (i = 0; i < 2; ++i)
    if (pthread_join(threads[i], &done) != 0 || done == NULL)
      wrong("threads", "a step failed", 0);
  if (memcmp(workers[0].losses, workers[1].losses, sizeof(workers[0].losses)) !=
      0)
    wrong("threads", "two blocks of one seed differ", 0);
}
