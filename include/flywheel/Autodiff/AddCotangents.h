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
/// The cotangent of a tensor that is read in part (a slice, an element, rows at
/// indices) is zero except for that part. If `term` or `sum` is such a value,
/// only the part is added to the other one. So a tensor whose parts are read
/// one after the other has one accumulator, which is updated in place.
///
/// If `isOwn`, only this sum will ever use `term`. The op that computes it may
/// then be changed: a loop adds to `sum` instead of to zeros, and a branch adds
/// the parts that it reads to `sum`.
mlir::Value addCotangents(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value sum, mlir::Value term,
                          bool isOwn = false);

} // namespace flywheel

#endif // FLYWHEEL_AUTODIFF_ADDCOTANGENTS_H
