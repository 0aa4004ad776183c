//===- SplitJoins.h - Ops on joined tensors, piece by piece -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_AUTODIFF_SPLITJOINS_H
#define FLYWHEEL_LIB_AUTODIFF_SPLITJOINS_H

#include "mlir/IR/Operation.h"

namespace flywheel {

/// Replaces those of `ops`, in program order, that compute each piece of a
/// `tensor.concat` by itself, such as elementwise ops, slices and reshapes, by
/// ops on the pieces and a `tensor.concat` of their results. The cotangent of
/// a piece then depends on those pieces only that its value depends on. In a
/// joined tensor it depends on all of them, and each further derivative
/// differentiates all of them again.
void splitJoins(llvm::ArrayRef<mlir::Operation *> ops);

} // namespace flywheel

#endif // FLYWHEEL_LIB_AUTODIFF_SPLITJOINS_H
