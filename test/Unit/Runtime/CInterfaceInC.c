/*===- CInterfaceInC.c - flywheel.h from C and C++ ----------------*- C -*-===//
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===//
 *
 * Compiled as C99 and, with another name for the function, as C++.
 *
 *===----------------------------------------------------------------------===*/

#include "flywheel/flywheel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#ifndef TEST_NAME
#define TEST_NAME flywheelCInterfaceInC
#endif

#ifdef __cplusplus
extern "C"
#endif
    int TEST_NAME(const char *directory);

/* A generated header's values for a model with a matrix w, a counter steps and
   a local vector of flags. */
enum {
  SEED = 8,
  STATUS = 16,
  INITIALIZED = 64,
  RUNS = 72,
  TEXT = 96,
  W = 640,
  STEPS = 704,
  FLAGS = 768,
  BYTES = 832
};
static const int64_t shape_w[] = {2, 3};
static const int64_t shape_flags[] = {2};
static const flywheel_variable variables[] = {
    {"w", "float32", shape_w, 2, 1, W, 24},
    {"steps", "int64", NULL, 0, 1, STEPS, 8},
    {"flags", "bool", shape_flags, 1, 0, FLAGS, 2}};
static const flywheel_model model = {FLYWHEEL_MODEL_VERSION,
                                     "example",
                                     0x1234567890abcdefu,
                                     3,
                                     variables,
                                     BYTES,
                                     SEED,
                                     STATUS,
                                     INITIALIZED,
                                     RUNS,
                                     TEXT,
                                     512,
                                     24,
                                     0,
                                     NULL};

/* The number of the line of the first failure, or 0. */
#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: %s, the last error is '%s'\n", __FILE__,         \
              __LINE__, #condition, flywheel_last_error(&model, block));       \
      return __LINE__;                                                         \
    }                                                                          \
  } while (0)

#define CHECK_ERROR(call, code, words)                                         \
  do {                                                                         \
    CHECK((call) == (code));                                                   \
    CHECK(strstr(flywheel_last_error(&model, block), words));                  \
    memcpy(&status, block + STATUS, sizeof(status));                           \
    CHECK(status == (code));                                                   \
  } while (0)

static uint64_t get_u64(const char *block, size_t offset) {
  uint64_t value;
  memcpy(&value, block + offset, sizeof(value));
  return value;
}

/* Gives every variable a value, as the model's functions would. */
static void fill(char *block) {
  const float w[] = {0, 1, 2, 3, 4, 5};
  const uint64_t numbers[] = {7, 1, 2, 3};
  const int64_t steps = 42;
  memcpy(block, &model.layout_hash, 8);
  memcpy(block + SEED, &numbers[0], 8);
  memcpy(block + RUNS, &numbers[1], 24);
  memset(block + INITIALIZED, 1, 3);
  memcpy(block + W, w, sizeof(w));
  memcpy(block + STEPS, &steps, sizeof(steps));
  memset(block + FLAGS, 1, 2);
}

static int exists(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file)
    fclose(file);
  return file != NULL;
}

/* Calls with the block of another model, which is smaller and has variables
   where this model has its text: but for the status nothing changes, unless a
   restore succeeds. */
static int test_other_block(const char *directory) {
  char block[BYTES], before[BYTES], good[512], bad[512];
  int32_t status;
  int64_t number = 7;
  const uint64_t hash = 77;
  flywheel_model texts = model;
  flywheel_string text = {"Kiwi", 4};
  texts.strings = &text;
  texts.num_strings = 1;
  sprintf(good, "%.200s/good", directory);
  sprintf(bad, "%.200s/none", directory);
  fill(block);
  CHECK(flywheel_save(&model, block, good, NULL) == FLYWHEEL_OK);

  memset(block, 0x5a, sizeof(block));
  memcpy(block, &hash, sizeof(hash));
  memset(block + STATUS, 0, 4);
  CHECK(strcmp(flywheel_last_error(&model, block), "") == 0);
  memset(block + STATUS, 0xff, 4);
  CHECK(strstr(flywheel_last_error(&model, block), "none of this model"));
  memcpy(before, block, sizeof(block));
  CHECK_ERROR(flywheel_save(&model, block, bad, NULL),
              FLYWHEEL_FAILED_PRECONDITION,
              "Attempting to use uninitialized value w");
  CHECK_ERROR(flywheel_restore(&model, block, bad, NULL), FLYWHEEL_NOT_FOUND,
              "is not a valid checkpoint");
  CHECK_ERROR(flywheel_intern(&texts, block, "a", 1, &number),
              FLYWHEEL_FAILED_PRECONDITION, "none of model 'example'");
  CHECK_ERROR(flywheel_collect_strings(&texts, block),
              FLYWHEEL_FAILED_PRECONDITION, "none of model 'example'");
  flywheel_release(&texts, block);
  CHECK(number == 7 && flywheel_text(&texts, block, 2, NULL) == NULL);
  memcpy(before + STATUS, block + STATUS, 4);
  CHECK(memcmp(before, block, sizeof(block)) == 0);

  CHECK(flywheel_restore(&model, block, good, NULL) == FLYWHEEL_OK);
  CHECK(flywheel_last_error(&model, block)[0] == '\0');
  CHECK(block[INITIALIZED] == 1 && block[INITIALIZED + 2] == 0);
  return 0;
}

int TEST_NAME(const char *directory) {
  char block[BYTES], fresh[BYTES], path[512], found[512];
  int32_t status, restored = -1;
  flywheel_checkpoint_options options;
  flywheel_manager_options manager = FLYWHEEL_MANAGER_OPTIONS;
  flywheel_model other = model;
  const char *names[] = {"flags", "w"}, *keys[] = {"other/flags", NULL};
  const char *metadata[] = {"epoch", "3"}, *nulls[] = {"w", NULL};
  const int64_t column[] = {6, 1};
  flywheel_variable reshaped = variables[0];
  FILE *file;
  int i;

  i = test_other_block(directory);
  if (i != 0)
    return i;

  /* Nothing has a value in a block of any content. */
  memset(block, 0xa5, sizeof(block));
  memset(fresh, 0xa5, sizeof(fresh));
  memset(&options, 0, sizeof(options));
  sprintf(path, "%.200s/c.ckpt", directory);
  CHECK_ERROR(flywheel_save(&model, block, path, NULL),
              FLYWHEEL_FAILED_PRECONDITION,
              "Attempting to use uninitialized value w");
  CHECK(!exists(path) && (unsigned char)block[INITIALIZED] == 0xa5);

  /* A round trip; the local variable stays out. */
  fill(block);
  CHECK(flywheel_save(&model, block, path, NULL) == FLYWHEEL_OK);
  CHECK(flywheel_last_error(&model, block)[0] == '\0');
  CHECK(flywheel_restore(&model, fresh, path, &options) == FLYWHEEL_OK);
  CHECK(memcmp(fresh, &model.layout_hash, 8) == 0);
  CHECK(memcmp(fresh + W, block + W, 24) == 0);
  CHECK(memcmp(fresh + STEPS, block + STEPS, 8) == 0);
  CHECK(fresh[INITIALIZED] == 1 && fresh[INITIALIZED + 1] == 1 &&
        fresh[INITIALIZED + 2] == 0);
  CHECK(get_u64(fresh, SEED) == 7 && get_u64(fresh, RUNS) == 1 &&
        get_u64(fresh, RUNS + 8) == 2 && get_u64(fresh, RUNS + 16) == 0);

  /* Some variables, one under another key. */
  options.variables = names;
  options.num_variables = 2;
  options.keys = keys;
  options.metadata = metadata;
  options.num_metadata = 1;
  CHECK(flywheel_save(&model, block, path, &options) == FLYWHEEL_OK);
  CHECK(flywheel_restore(&model, fresh, path, &options) == FLYWHEEL_OK);
  CHECK(fresh[INITIALIZED + 2] == 1 && fresh[FLAGS] == 1);
  CHECK_ERROR(flywheel_restore(&model, block, path, NULL), FLYWHEEL_NOT_FOUND,
              "Key steps not found in checkpoint");
  options.num_variables = 0;
  CHECK_ERROR(flywheel_save(&model, block, path, &options),
              FLYWHEEL_INVALID_ARGUMENT, "No variables to save");
  options.variables = NULL;
  CHECK_ERROR(flywheel_save(&model, block, path, &options),
              FLYWHEEL_INVALID_ARGUMENT, "keys are for the variables");

  /* Null pointers among the options. */
  memset(&options, 0, sizeof(options));
  options.num_metadata = 1;
  CHECK_ERROR(flywheel_save(&model, block, path, &options),
              FLYWHEEL_INVALID_ARGUMENT, "the metadata of the options");
  options.metadata = nulls;
  CHECK_ERROR(flywheel_save(&model, block, path, &options),
              FLYWHEEL_INVALID_ARGUMENT, "metadata string number 1");
  options.num_metadata = 0;
  options.variables = nulls;
  options.num_variables = 2;
  CHECK_ERROR(flywheel_save(&model, block, path, &options),
              FLYWHEEL_INVALID_ARGUMENT, "variable number 1");
  CHECK_ERROR(flywheel_restore(&model, block, path, &options),
              FLYWHEEL_INVALID_ARGUMENT, "variable number 1");

  /* Another shape. */
  memset(&options, 0, sizeof(options));
  reshaped.shape = column;
  other.num_variables = 1;
  other.variables = &reshaped;
  CHECK_ERROR(flywheel_restore(&other, block, path, &options),
              FLYWHEEL_INVALID_ARGUMENT, "[2,3], the variable's is [6,1]");
  options.reshape = 1;
  CHECK(flywheel_restore(&other, block, path, &options) == FLYWHEEL_OK);
  reshaped.bytes = 20;
  CHECK_ERROR(flywheel_restore(&other, block, path, &options),
              FLYWHEEL_INVALID_ARGUMENT,
              "the description of variable 'w' is wrong");

  /* Paths that are none. */
  CHECK_ERROR(flywheel_restore(&model, block, NULL, NULL),
              FLYWHEEL_INVALID_ARGUMENT,
              "Can't load save_path when it is None");
  CHECK_ERROR(flywheel_save(&model, block, NULL, NULL),
              FLYWHEEL_INVALID_ARGUMENT, "Can't save");
  sprintf(path, "%.200s/none/model", directory);
  CHECK_ERROR(flywheel_save(&model, block, path, NULL),
              FLYWHEEL_FAILED_PRECONDITION, "doesn't exist, can't save");
  CHECK_ERROR(flywheel_restore(&model, block, path, NULL), FLYWHEEL_NOT_FOUND,
              "is not a valid checkpoint");
  sprintf(path, "%.200s/damaged", directory);
  file = fopen(path, "wb");
  CHECK(file && fputs("damaged", file) >= 0 && fclose(file) == 0);
  CHECK_ERROR(flywheel_restore(&model, block, path, NULL), FLYWHEEL_DATA_LOSS,
              "is not a valid checkpoint");

  /* Steps and retention. */
  CHECK(flywheel_latest_checkpoint(directory, NULL, found, sizeof(found)) ==
        FLYWHEEL_NOT_FOUND);
  CHECK(flywheel_restore_latest(&model, fresh, directory, NULL, NULL,
                                &restored) == FLYWHEEL_OK &&
        restored == 0);
  manager.max_to_keep = 2;
  manager.pad_step_number = 1;
  for (i = 1; i <= 3; ++i) {
    sprintf(path, "%.200s/model", directory);
    block[W] = (char)i;
    CHECK(flywheel_save_step(&model, block, path, i, NULL, &manager, found,
                             sizeof(found)) == FLYWHEEL_OK);
    sprintf(path, "%.200s/model-0000000%d", directory, i);
    CHECK(strcmp(path, found) == 0 && exists(path));
  }
  sprintf(path, "%.200s/model-00000001", directory);
  CHECK(!exists(path));
  CHECK(flywheel_restore_latest(&model, fresh, directory, "checkpoint", NULL,
                                &restored) == FLYWHEEL_OK &&
        restored == 1 && fresh[W] == 3);
  sprintf(path, "%.200s/last", directory);
  CHECK(flywheel_save_step(&model, block, path, FLYWHEEL_NO_STEP, NULL, NULL,
                           NULL, 0) == FLYWHEEL_OK);
  CHECK(flywheel_latest_checkpoint(directory, NULL, found, sizeof(found)) ==
            FLYWHEEL_OK &&
        strcmp(path, found) == 0);
  CHECK(flywheel_latest_checkpoint(directory, NULL, found, strlen(path)) ==
        FLYWHEEL_INVALID_ARGUMENT);
  CHECK_ERROR(flywheel_save_step(&model, block, path, 1, NULL, NULL, found, 3),
              FLYWHEEL_INVALID_ARGUMENT, "no room for the path");

  restored = 7;
  sprintf(path, "%.200s/damaged", directory);
  CHECK_ERROR(
      flywheel_restore_latest(&model, block, directory, "a/b", NULL, &restored),
      FLYWHEEL_INVALID_ARGUMENT, "must not contain path components");
  CHECK(restored == 0);
  manager.start_time = HUGE_VAL;
  CHECK_ERROR(
      flywheel_save_step(&model, block, path, 1, NULL, &manager, NULL, 0),
      FLYWHEEL_INVALID_ARGUMENT, "expected a finite number");

  /* A small text is cut, a model of another version refused. */
  other = model;
  other.text_bytes = 16;
  CHECK(flywheel_restore(&other, block, NULL, NULL) < 0);
  CHECK(strcmp(flywheel_last_error(&other, block), "Can't load save") == 0);
  other.version = 0;
  CHECK(flywheel_save(&other, block, path, NULL) == FLYWHEEL_INVALID_ARGUMENT);
  CHECK(strstr(flywheel_last_error(&other, block), "version"));
  CHECK(flywheel_save(NULL, block, path, NULL) == FLYWHEEL_INVALID_ARGUMENT);
  CHECK(flywheel_save(&model, NULL, path, NULL) == FLYWHEEL_INVALID_ARGUMENT);
  return 0;
}
