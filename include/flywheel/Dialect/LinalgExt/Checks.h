//===- Checks.h - Checks when a step runs -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_LINALGEXT_CHECKS_H
#define FLYWHEEL_DIALECT_LINALGEXT_CHECKS_H

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

namespace flywheel::linalg_ext {

/// Emits an error of the step where `ok` (i1) is false, at the location of
/// `op`. The message is followed by the name of `op` and its place in the
/// source.
mlir::cf::AssertOp createCheck(mlir::OpBuilder &builder, mlir::Operation *op,
                               mlir::Value ok, const llvm::Twine &message);

/// The same for an `ok` that extents decide: in front of the branches and loops
/// that `op` is in, as far as `ok` can be told there, and true where they would
/// not get to the check. What a loop carries has the same extents in each
/// iteration; its body is assumed to be reached where the loop's first region
/// decides that.
mlir::cf::AssertOp createExtentCheck(mlir::OpBuilder &builder,
                                     mlir::Operation *op, mlir::Value ok,
                                     const llvm::Twine &message);

} // namespace flywheel::linalg_ext

#endif // FLYWHEEL_DIALECT_LINALGEXT_CHECKS_H
