//===- Numbers.h - Numbers as elements of arrays ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts numbers of a command line or a Python program to elements of an
// array, by one rule: an integer type accepts only its values; a floating-point
// type rounds fractions to nearest even, but never rounds a finite number to
// infinity.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_SESSION_NUMBERS_H
#define FLYWHEEL_SESSION_NUMBERS_H

#include "flywheel/Runtime/DType.h"

#include <cstdint>

namespace flywheel {

/// Stores `value` at `out`, rounded if `dtype` is a floating-point type.
/// Returns false if an integer type does not have it or if it would become
/// infinite. A boolean is 0 or 1; strings do not accept numbers.
bool storeNumber(runtime::DType dtype, double value, void *out);

/// Stores an integer. Returns false if `dtype` does not have it, also if
/// `dtype` is a floating-point type.
bool storeInteger(runtime::DType dtype, int64_t value, void *out);
bool storeInteger(runtime::DType dtype, uint64_t value, void *out);

/// The element at `data`, which is of a floating-point type.
double loadNumber(runtime::DType dtype, const void *data);

} // namespace flywheel

#endif // FLYWHEEL_SESSION_NUMBERS_H
