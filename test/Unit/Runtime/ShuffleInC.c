/*===- ShuffleInC.c - Shuffle.h is C ------------------------------*- C -*-===//
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include "flywheel/Runtime/Shuffle.h"

void flywheelPermutationInC(uint64_t *values, uint64_t count, uint64_t seed);

void flywheelPermutationInC(uint64_t *values, uint64_t count, uint64_t seed) {
  flywheel_permutation(values, count, seed);
}
