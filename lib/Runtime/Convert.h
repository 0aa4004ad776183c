//===- Convert.h - Exact conversions between dtypes -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_RUNTIME_CONVERT_H
#define FLYWHEEL_LIB_RUNTIME_CONVERT_H

#include "flywheel/Runtime/DType.h"

namespace flywheel::runtime {

/// Converts \p count elements; neither pointer needs to be aligned.
using ConvertFn = void (*)(const std::byte *from, std::byte *to, size_t count);

/// Returns the function that converts \p from to \p to. Only defined for values
/// that are exactly representable in \p to.
ConvertFn getConversion(DType from, DType to);

/// Returns the index of the first of \p count elements that is not exactly
/// representable in \p to, or \p count. A NaN or an infinity is representable
/// in every floating-point dtype, -0.0 is 0 as an integer; a Bool byte other
/// than 0 and 1 in none.
size_t findInexact(DType from, DType to, const std::byte *data, size_t count);

} // namespace flywheel::runtime

#endif // FLYWHEEL_LIB_RUNTIME_CONVERT_H
