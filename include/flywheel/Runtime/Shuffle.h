/*===- Shuffle.h - Deterministic shuffling ------------------------*- C -*-===//
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===//
 *
 * One shuffle for every program that reads a data set, in C and in C++, so
 * that a split and a batch order can be reproduced anywhere. All arithmetic is
 * on unsigned 64-bit integers and wraps.
 *
 *   next(state):    state += 0x9E3779B97F4A7C15
 *                   z = state
 *                   z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9
 *                   z = (z ^ (z >> 27)) * 0x94D049BB133111EB
 *                   return z ^ (z >> 31)                      (splitmix64)
 *
 *   shuffle(a, seed):  state = seed
 *                      for i = n-1 down to 1:
 *                        swap a[i] with a[next(state) mod (i+1)]
 *                                                 (Fisher-Yates, from the end)
 *
 *   permutation(n, seed):  a = [0, 1, ..., n-1]; shuffle(a, seed)
 *
 *   split(n, seed, holdout):  p = permutation(n, seed), h = floor(n * holdout)
 *                             training rows p[0 .. n-h), held out p[n-h .. n)
 *
 *   epoch order:  shuffle(copy of the training rows, epoch_seed(seed, e)),
 *                 where epoch_seed(seed, e) is the (e+1)-th next() after
 *                 state = seed + 0xD1B54A32D192ED03; e counts from 0
 *
 * The remainder favours small indices by less than n / 2^64: not measurable.
 *
 *===----------------------------------------------------------------------===*/

#ifndef FLYWHEEL_RUNTIME_SHUFFLE_H
#define FLYWHEEL_RUNTIME_SHUFFLE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Names as in C. NOLINTBEGIN(readability-identifier-naming) */

/** Advances *state and returns the next number of the splitmix64 sequence. */
static inline uint64_t flywheel_splitmix64(uint64_t *state) {
  uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

/** Shuffles the count values at values in place. */
static inline void flywheel_shuffle(uint64_t *values, uint64_t count,
                                    uint64_t seed) {
  uint64_t state = seed;
  for (uint64_t i = count; i > 1; --i) {
    uint64_t j = flywheel_splitmix64(&state) % i;
    uint64_t held = values[i - 1];
    values[i - 1] = values[j];
    values[j] = held;
  }
}

/** Writes a permutation of 0 .. count-1 to values. */
static inline void flywheel_permutation(uint64_t *values, uint64_t count,
                                        uint64_t seed) {
  for (uint64_t i = 0; i < count; ++i)
    values[i] = i;
  flywheel_shuffle(values, count, seed);
}

/** How many of count rows are held out: floor(count * holdout), the product
 *  taken in double precision. holdout is in [0, 1]. The held-out rows are the
 *  last ones of the permutation of all rows. */
static inline uint64_t flywheel_holdout_count(uint64_t count, double holdout) {
  if (holdout >= 1.0)
    return count;
  return (uint64_t)((double)count * holdout);
}

/** The seed that shuffles the training rows before epoch (from 0). */
static inline uint64_t flywheel_epoch_seed(uint64_t seed, uint64_t epoch) {
  uint64_t state = seed + UINT64_C(0xD1B54A32D192ED03) +
                   epoch * UINT64_C(0x9E3779B97F4A7C15);
  return flywheel_splitmix64(&state);
}

/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif /* FLYWHEEL_RUNTIME_SHUFFLE_H */
