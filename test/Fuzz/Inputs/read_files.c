/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads files that may be damaged, through the C interface of the runtime.

   usage: read_files write CHECKPOINT          writes what is to be damaged
          read_files checkpoint CHECKPOINT     restores it, in several ways
          read_files state DIRECTORY           by the directory's state file

   The status is 0 whatever the files are like, and 1 where an error has changed
   a variable or is no error that the interface knows. */

#include <flywheel/flywheel.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 64, TEXT = 256, RUNS = 512, VARIABLES = 640, BLOCK = 1024 };

static const int64_t matrix[] = {3, 4}, five[] = {5}, two[] = {2},
                     seven[] = {7}, none[] = {0};
static const flywheel_variable variables[] = {
    {"w", "float32", matrix, 2, 1, VARIABLES, 48},
    {"scope/step", "int64", NULL, 0, 1, 704, 8},
    {"mask", "bool", five, 1, 1, 768, 5},
    {"names", "string", two, 1, 1, 832, 16},
    {"half", "bfloat16", seven, 1, 1, 896, 14},
    {"empty", "float64", none, 1, 1, 960, 0},
};
enum { COUNT = sizeof(variables) / sizeof(variables[0]) };
static const flywheel_string strings[] = {{"Fig", 3}, {"", 0}};
static const flywheel_model model = {FLYWHEEL_MODEL_VERSION,
                                     "files",
                                     0x1234,
                                     COUNT,
                                     variables,
                                     BLOCK,
                                     8,
                                     16,
                                     HEADER,
                                     RUNS,
                                     TEXT,
                                     256,
                                     24,
                                     1,
                                     strings};

static unsigned char *make(void) {
  unsigned char *block = (unsigned char *)aligned_alloc(64, BLOCK);
  int64_t number = 0, i;
  uint64_t hash = 0x1234;
  memset(block, 0, BLOCK);
  memcpy(block, &hash, 8);
  memset(block + HEADER, 1, COUNT);
  for (i = 0; i < 12; ++i) {
    float value = (float)i / 4;
    memcpy(block + VARIABLES + 4 * i, &value, 4);
  }
  block[704] = 42;
  block[770] = 1;
  flywheel_intern(&model, block, "a longer string", 15, &number);
  memcpy(block + 832, &number, 8);
  return block;
}

/* 1 where a call that failed has changed a variable. */
static int judge(const char *what, unsigned char *block,
                 const unsigned char *before, int32_t status) {
  if (status > 0 || status < FLYWHEEL_DATA_LOSS) {
    printf("%s: unknown status %d\n", what, (int)status);
    return 1;
  }
  if (status != 0 &&
      memcmp(block + VARIABLES, before + VARIABLES, BLOCK - VARIABLES) != 0) {
    printf("%s: status %d, but variables have changed: %s\n", what, (int)status,
           flywheel_last_error(&model, block));
    return 1;
  }
  printf("%s: %d %s\n", what, (int)status,
         status ? flywheel_last_error(&model, block) : "");
  return 0;
}

static int restore(const char *what, const char *path,
                   const flywheel_checkpoint_options *options) {
  unsigned char *block = make(), before[BLOCK];
  int bad;
  size_t i, bytes;
  memcpy(before, block, BLOCK);
  bad = judge(what, block, before,
              flywheel_restore(&model, block, path, options));
  for (i = 0; i < 2; ++i) {
    int64_t number;
    memcpy(&number, block + 832 + 8 * i, 8);
    if (flywheel_text(&model, block, number, &bytes))
      printf("string of %u bytes\n", (unsigned)bytes);
  }
  flywheel_collect_strings(&model, block);
  flywheel_release(&model, block);
  free(block);
  return bad;
}

static int restoreLatest(const char *directory) {
  unsigned char *block = make(), before[BLOCK];
  char path[4096];
  int32_t restored = 7, status;
  int bad;
  memcpy(before, block, BLOCK);
  status = flywheel_latest_checkpoint(directory, NULL, path, sizeof(path));
  printf("latest: %d %s\n", (int)status, status ? "" : path);
  status = flywheel_latest_checkpoint(directory, NULL, path, 3);
  bad = judge(
      "latest", block, before,
      flywheel_restore_latest(&model, block, directory, NULL, NULL, &restored));
  sprintf(path, "%.4000s/model", directory);
  memcpy(before, block, BLOCK);
  bad |= judge("save", block, before,
               flywheel_save_step(&model, block, path, 3, NULL, NULL, NULL, 0));
  flywheel_release(&model, block);
  free(block);
  return bad;
}

int main(int argc, char **argv) {
  static const char *const some[] = {"names", "half", "w"};
  static const char *const keys[] = {"names", "w", "half"};
  flywheel_checkpoint_options subset, renamed;
  if (argc != 3)
    return 2;
  memset(&subset, 0, sizeof(subset));
  subset.variables = some;
  subset.num_variables = 3;
  renamed = subset;
  renamed.keys = keys;
  renamed.reshape = 1;
  if (strcmp(argv[1], "write") == 0) {
    unsigned char *block = make();
    int32_t status = flywheel_save(&model, block, argv[2], NULL);
    if (status)
      puts(flywheel_last_error(&model, block));
    flywheel_release(&model, block);
    free(block);
    return status != 0;
  }
  if (strcmp(argv[1], "checkpoint") == 0)
    return restore("all", argv[2], NULL) | restore("some", argv[2], &subset) |
           restore("renamed", argv[2], &renamed);
  if (strcmp(argv[1], "state") == 0)
    return restoreLatest(argv[2]);
  return 2;
}
