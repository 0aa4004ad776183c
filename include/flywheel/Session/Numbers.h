//===- Numbers.h - Numbers as elements of arrays ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a command line or a Python program writes as a number becomes an element
// of an array by one rule: an integer type takes what it has, a floating-point
// type rounds a fraction to nearest even but makes no finite number infinite.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_SESSION_NUMBERS_H
#define FLYWHEEL_SESSION_NUMBERS_H

#include "flywheel/Runtime/DType.h"

#include <cstdint>

namespace flywheel {

/// Stores `value` at `out`, rounded where `dtype` is a floating-point type.
/// False where an integer type does not have it or where it would become
/// infinite; a truth value is 0 or 1; no number is a string.
bool storeNumber(runtime::DType dtype, double value, void *out);

/// Stores an integer. False where `dtype` does not have it, also where it is a
/// floating-point type.
bool storeInteger(runtime::DType dtype, int64_t value, void *out);
bool storeInteger(runtime::DType dtype, uint64_t value, void *out);

/// The element at `data`, which is of a floating-point type.
double loadNumber(runtime::DType dtype, const void *data);

} // namespace flywheel

#endif // FLYWHEEL_SESSION_NUMBERS_H
