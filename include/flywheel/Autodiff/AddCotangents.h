//===- AddCotangents.h - Sums of cotangents ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_AUTODIFF_ADDCOTANGENTS_H
#define FLYWHEEL_AUTODIFF_ADDCOTANGENTS_H

#include "mlir/IR/Builders.h"

namespace flywheel {

/// Returns sum + term, of one type, emitted at the insertion point of
/// `builder`.
///
/// The cotangent of what is read in part (a slice, an element, rows at indices)
/// is zero but for that part. If `term` or `sum` is such a value, the part
/// alone is added to the other one. A tensor whose parts are read one after
/// the other so has one accumulator, which is updated in place.
///
/// If `isOwn`, nothing but this sum will ever use `term`. The op that computes
/// it may then be changed: a loop adds to `sum` instead of to zeros, and a
/// branch adds to `sum` what it reads.
mlir::Value addCotangents(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value sum, mlir::Value term,
                          bool isOwn = false);

} // namespace flywheel

#endif // FLYWHEEL_AUTODIFF_ADDCOTANGENTS_H
