/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The state of the model counted.mlir, from C and from C++: returns 0 if all is
   as it should be, else the line of the first difference. */

#include "counted.h"
#include <flywheel/flywheel.h>
/* After flywheel.h the header has save and restore too. */
#include "counted.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(c)                                                               \
  do {                                                                         \
    if (!(c)) {                                                                \
      fprintf(stderr, "line %d: %s\n", __LINE__, #c);                          \
      return __LINE__;                                                         \
    }                                                                          \
  } while (0)
#define OK(s, call)                                                            \
  do {                                                                         \
    if ((call) != 0) {                                                         \
      fprintf(stderr, "line %d: %s\n", __LINE__, counted_last_error(s));       \
      return __LINE__;                                                         \
    }                                                                          \
  } while (0)

static void *raw[16];
static int numBlocks;

static counted_state *make(void) {
  unsigned char *bytes =
      (unsigned char *)malloc(COUNTED_STATE_BYTES + COUNTED_STATE_ALIGN);
  size_t skew = (size_t)((uintptr_t)bytes % COUNTED_STATE_ALIGN);
  raw[numBlocks++] = bytes;
  memset(bytes, 0x5a, COUNTED_STATE_BYTES + COUNTED_STATE_ALIGN);
  return (counted_state *)(bytes + (COUNTED_STATE_ALIGN - skew));
}

static const float x[8] = {1, 2, 3, 4, -1, 0, 1, 2};
static const int32_t label[2] = {2, 0};

static int32_t train(counted_state *s, int steps, float *losses) {
  int i;
  for (i = 0; i < steps; ++i) {
    int32_t status = counted_train_step(s, x, 2, label, &losses[i]);
    if (status != 0)
      return status;
  }
  return 0;
}

typedef struct worker {
  counted_state *state;
  uint64_t seed;
  float losses[200];
  int32_t status;
} worker;

static void *work(void *data) {
  worker *w = (worker *)data;
  w->status = counted_init(w->state, w->seed);
  if (w->status == 0)
    w->status = train(w->state, 200, w->losses);
  return NULL;
}

/* Instances are independent, also when threads run them. */
static int checkInstances(void) {
  static worker workers[4], alone;
  pthread_t threads[4];
  int i;
  for (i = 0; i < 4; ++i) {
    workers[i].state = make();
    workers[i].seed = (uint64_t)(i / 2);
    CHECK(pthread_create(&threads[i], NULL, work, &workers[i]) == 0);
  }
  for (i = 0; i < 4; ++i) {
    CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(workers[i].status == 0);
  }
  alone.state = make();
  alone.seed = 1;
  work(&alone);
  CHECK(memcmp(workers[0].losses, workers[1].losses, sizeof(alone.losses)) ==
        0);
  CHECK(memcmp(workers[2].losses, alone.losses, sizeof(alone.losses)) == 0);
  CHECK(memcmp(workers[0].losses, alone.losses, sizeof(alone.losses)) != 0);
  return 0;
}

/* Saved after 3 steps and restored in a fresh block, training goes on as if it
   had not stopped: weights, slots, the counter and the random stream. */
static int checkResume(const char *path) {
  counted_state *straight = make(), *other = make();
  float expected[6], found[6];
  int64_t step, seen;
  const char *names[8];
  OK(straight, counted_init(straight, 11));
  OK(straight, train(straight, 3, expected));
  OK(straight, counted_save(straight, path));
  OK(straight, train(straight, 3, expected + 3));

  CHECK(counted_restore(other, "no/such/file") != 0);
  CHECK(strstr(flywheel_last_error(counted_model(), other),
               "not a valid checkpoint") != NULL);
  OK(other, counted_restore(other, path));
  OK(other, counted_get_variable(other, "step", &step, sizeof(step)));
  CHECK(step == 3);
  OK(other, train(other, 3, found + 3));
  CHECK(memcmp(expected + 3, found + 3, 3 * sizeof(float)) == 0);
  CHECK(memcmp((char *)straight + COUNTED_W_OFFSET,
               (char *)other + COUNTED_W_OFFSET, COUNTED_W_BYTES) == 0);

  /* The local counter is not saved, and was not initialised. */
  CHECK(counted_report_uninitialized(other, names, 8) == 1);
  CHECK(strcmp(names[0], "seen") == 0);
  CHECK(counted_count(other, &seen) != 0);
  CHECK(strcmp(counted_last_error(other),
               "Attempting to use uninitialized value seen") == 0);
  OK(other, counted_init_collection(other, 1, "LOCAL"));
  OK(other, counted_count(other, &seen));
  CHECK(seen == 1);

  /* A variable without a value cannot be saved; the file stays as it was. */
  counted_reset(other);
  CHECK(counted_save(other, path) != 0);
  CHECK(strcmp(counted_last_error(other),
               "Attempting to use uninitialized value w") == 0);
  OK(other, counted_restore(other, path));
  OK(other, train(other, 3, found + 3));
  CHECK(memcmp(expected + 3, found + 3, 3 * sizeof(float)) == 0);
  return 0;
}

/* The table of variables, in the order of the block. */
static int checkTable(void) {
  int i, slots = 0;
  CHECK(counted_find_variable("w") == 0 && counted_find_variable("none") == -1);
  for (i = 0; i < COUNTED_NUM_VARIABLES; ++i) {
    const counted_variable_info *info = &counted_variables()[i];
    CHECK(info->offset % COUNTED_STATE_ALIGN == 0);
    CHECK(info->offset + info->bytes <= COUNTED_STATE_BYTES);
    slots += info->slot_of[0] != 0;
  }
  CHECK(slots == 2);
  CHECK(counted_in_collection(counted_find_variable("seen"), "LOCAL"));
  CHECK(!counted_in_collection(counted_find_variable("seen"), "GLOBAL"));
  CHECK(counted_in_collection(counted_find_variable("w"), "TRAINABLE"));
  CHECK(!counted_in_collection(counted_find_variable("step"), "TRAINABLE"));
  CHECK(!counted_in_collection(counted_find_variable("w"), NULL));
  CHECK(!counted_in_collection(counted_find_variable("no such"), "GLOBAL"));
  CHECK(!counted_in_collection(COUNTED_NUM_VARIABLES, "GLOBAL"));
  CHECK(counted_variables()[counted_find_variable("w/Momentum")].rank == 2);
  return 0;
}

/* S3: a step that fails changes nothing, not even its random stream. */
static int checkAllOrNothing(void) {
  counted_state *s = make(), *copy = make();
  const int32_t bad[2] = {2, 3};
  float loss[2];
  OK(s, counted_init(s, 4));
  OK(s, train(s, 2, loss));
  memcpy(copy, s, COUNTED_STATE_BYTES);
  CHECK(counted_train_step(s, x, 2, bad, loss) > 0);
  /* Behind the status, 32 bytes hold the numbers that its text names. */
  CHECK(memcmp((char *)copy + COUNTED_STATUS_OFFSET + 8,
               (char *)s + COUNTED_STATUS_OFFSET + 8, 8) == 0);
  CHECK(memcmp((char *)copy + COUNTED_STATUS_OFFSET + 48,
               (char *)s + COUNTED_STATUS_OFFSET + 48,
               COUNTED_W_OFFSET - COUNTED_STATUS_OFFSET - 48) == 0);
  CHECK(memcmp((char *)copy + COUNTED_W_OFFSET, (char *)s + COUNTED_W_OFFSET,
               COUNTED_WORKSPACE_OFFSET - COUNTED_W_OFFSET) == 0);
  CHECK(strstr(counted_last_error(s), "label") != NULL);
  OK(s, train(s, 1, loss));
  OK(copy, train(copy, 1, loss + 1));
  CHECK(loss[0] == loss[1]);
  return 0;
}

int main(int argc, char **argv) {
  int line = argc < 2 ? __LINE__ : 0;
  if (line == 0)
    line = checkTable();
  if (line == 0)
    line = checkAllOrNothing();
  if (line == 0)
    line = checkResume(argv[1]);
  if (line == 0)
    line = checkInstances();
  while (numBlocks > 0)
    free(raw[--numBlocks]);
  return line != 0;
}
