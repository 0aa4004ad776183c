/* main.c - Train the digits classifier in C
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Plain C99: the compiler's object file and header, libc, and nothing else. It
 * prints the loss of each step, exactly as
 *
 *   flywheel-run digits.mlir --data=digits.safetensors --train=train_step
 *     --batch-size=64 --holdout=0.2 --seed=SEED --epochs=EPOCHS --print-losses
 *
 * does, and at last the result on the held-out images.
 *
 * usage: digits DATA [EPOCHS [SEED]]
 */
#include "digits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIXELS 64
#define BATCH 64
#define HOLDOUT 0.2

static int fail(const char *what, const char *why) {
  fprintf(stderr, "error: %s: %s\n", what, why);
  return 1;
}

/* Memory aligned to `align`, to be freed by free_aligned(): C99 has malloc()
   only. The pointer that malloc() gave is kept in front of the block. */
static void *alloc_aligned(size_t align, size_t bytes) {
  unsigned char *base = malloc(bytes + align + sizeof(void *));
  unsigned char *block;
  if (!base)
    return NULL;
  block = base + sizeof(void *);
  block += (align - (size_t)block % align) % align;
  memcpy(block - sizeof(void *), &base, sizeof(void *));
  return block;
}

static void free_aligned(void *block) {
  void *base;
  if (!block)
    return;
  memcpy(&base, (unsigned char *)block - sizeof(void *), sizeof(void *));
  free(base);
}

/*---- The data ----------------------------------------------------------------
 * A safetensors file: the length of a JSON header as a little-endian 64-bit
 * number, the header, the tensors. Here both columns are uint8.
 */

/* A file of at most 16 MiB in memory, with a NUL behind it. */
static unsigned char *read_file(const char *path, size_t *size) {
  const size_t limit = (size_t)16 << 20;
  unsigned char *bytes = malloc(limit + 1);
  FILE *file = fopen(path, "rb");
  if (file && bytes) {
    *size = fread(bytes, 1, limit, file);
    bytes[*size] = 0;
    if (!ferror(file) && feof(file)) {
      fclose(file);
      return bytes;
    }
  }
  if (file)
    fclose(file);
  free(bytes);
  return NULL;
}

/* Finds a uint8 column: its first byte and its size, or NULL. */
static const unsigned char *find_column(const unsigned char *file, size_t size,
                                        const char *name, size_t *bytes) {
  char key[64];
  const char *entry, *offsets, *close;
  unsigned long long begin, end, header = 0;
  int i;
  if (size < 8)
    return NULL;
  for (i = 7; i >= 0; --i)
    header = header << 8 | file[i];
  if (header > size - 8)
    return NULL;
  sprintf(key, "\"%.32s\":{", name);
  entry = strstr((const char *)file + 8, key);
  close = entry ? strchr(entry, '}') : NULL;
  offsets = entry ? strstr(entry, "\"data_offsets\":[") : NULL;
  if (!close || !offsets || offsets > close ||
      sscanf(offsets, "\"data_offsets\":[%llu,%llu]", &begin, &end) != 2)
    return NULL;
  entry = strstr(entry, "\"dtype\":\"U8\"");
  if (!entry || entry > close || begin > end || end > size - 8 - header)
    return NULL;
  *bytes = (size_t)(end - begin);
  return file + 8 + header + begin;
}

/*---- The order of examples ---------------------------------------------------
 * As documented in flywheel/Runtime/Shuffle.h.
 */

static uint64_t next_random(uint64_t *state) {
  uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

static void shuffle(uint64_t *values, uint64_t count, uint64_t seed) {
  for (; count > 1; --count) {
    uint64_t other = next_random(&seed) % count;
    uint64_t held = values[count - 1];
    values[count - 1] = values[other];
    values[other] = held;
  }
}

static uint64_t epoch_seed(uint64_t seed, uint64_t epoch) {
  uint64_t state = seed + UINT64_C(0xD1B54A32D192ED03) +
                   epoch * UINT64_C(0x9E3779B97F4A7C15);
  return next_random(&state);
}

/*---- Training --------------------------------------------------------------*/

typedef struct {
  const unsigned char *images, *labels;
  /* One batch. */
  float image[BATCH * PIXELS];
  int32_t label[BATCH];
} examples;

static void gather(examples *data, const uint64_t *rows, uint64_t count) {
  uint64_t i, p;
  for (i = 0; i < count; ++i) {
    for (p = 0; p < PIXELS; ++p)
      data->image[i * PIXELS + p] = data->images[rows[i] * PIXELS + p];
    data->label[i] = data->labels[rows[i]];
  }
}

static int train_epoch(digits_state *state, examples *data,
                       const uint64_t *order, uint64_t count) {
  uint64_t begin;
  for (begin = 0; begin < count; begin += BATCH) {
    uint64_t rows = count - begin < BATCH ? count - begin : BATCH;
    float loss;
    gather(data, order + begin, rows);
    if (digits_train_step(state, data->image, (int64_t)rows, data->label,
                          &loss))
      return fail("train_step", digits_last_error(state));
    printf("%.9g\n", loss);
  }
  return 0;
}

static int evaluate(digits_state *state, examples *data, const uint64_t *rows,
                    uint64_t count) {
  uint64_t begin;
  double loss_sum = 0.0;
  long correct_sum = 0;
  for (begin = 0; begin < count; begin += BATCH) {
    uint64_t size = count - begin < BATCH ? count - begin : BATCH;
    float loss;
    int32_t correct;
    gather(data, rows + begin, size);
    if (digits_eval(state, data->image, (int64_t)size, data->label, &loss,
                    &correct))
      return fail("eval", digits_last_error(state));
    loss_sum += (double)loss * (double)size;
    correct_sum += correct;
  }
  if (count == 0) {
    printf("test: no images\n");
    return 0;
  }
  printf("test: loss %.4f  correct %ld/%lu (%.2f %%)\n",
         loss_sum / (double)count, correct_sum, (unsigned long)count,
         100.0 * (double)correct_sum / (double)count);
  return 0;
}

static int run(digits_state *state, examples *data, uint64_t *rows,
               uint64_t count, uint64_t epochs, uint64_t seed) {
  uint64_t held_out = (uint64_t)((double)count * HOLDOUT);
  uint64_t training = count - held_out;
  uint64_t *order = rows + count;
  uint64_t i;
  for (i = 0; i < count; ++i)
    rows[i] = i;
  shuffle(rows, count, seed);
  if (digits_init(state, seed))
    return fail("init", digits_last_error(state));
  for (i = 0; i < epochs; ++i) {
    memcpy(order, rows, (size_t)training * sizeof(*rows));
    shuffle(order, training, epoch_seed(seed, i));
    if (train_epoch(state, data, order, training))
      return 1;
  }
  return evaluate(state, data, rows + training, held_out);
}

/* Reads a number of an argument; 0 where it is none. */
static int parse_number(const char *text, uint64_t *number) {
  char *end;
  unsigned long value;
  errno = 0;
  value = strtoul(text, &end, 10);
  *number = value;
  return text[0] >= '0' && text[0] <= '9' && *end == 0 && errno == 0;
}

int main(int argc, char **argv) {
  uint64_t epochs = 40, seed = 7, count = 0;
  size_t size = 0, image_bytes = 0, label_bytes = 0;
  unsigned char *file;
  uint64_t *rows = NULL;
  digits_state *state = NULL;
  examples *data = NULL;
  int status;
  if (argc < 2 || argc > 4 || (argc > 2 && !parse_number(argv[2], &epochs)) ||
      (argc > 3 && !parse_number(argv[3], &seed))) {
    fprintf(stderr, "usage: %s DATA [EPOCHS [SEED]]\n", argv[0]);
    return 1;
  }
  file = read_file(argv[1], &size);
  if (!file)
    return fail(argv[1], "cannot be read");
  data = malloc(sizeof(*data));
  state = alloc_aligned(DIGITS_STATE_ALIGN, DIGITS_STATE_BYTES);
  if (data) {
    data->images = find_column(file, size, "image", &image_bytes);
    data->labels = find_column(file, size, "label", &label_bytes);
    count = label_bytes;
    rows = malloc((size_t)count * 2 * sizeof(*rows) + 1);
  }
  if (!data || !state || !rows)
    status = fail("memory", "there is too little");
  else if (!data->images || !data->labels || count == 0 ||
           image_bytes != count * PIXELS)
    status = fail(argv[1], "has no uint8 columns image and label that fit");
  else
    status = run(state, data, rows, count, epochs, seed);
  free(rows);
  free(data);
  free_aligned(state);
  free(file);
  return status;
}
