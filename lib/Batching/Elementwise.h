//===- Elementwise.h - Zeros of ops on each element -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_BATCHING_ELEMENTWISE_H
#define FLYWHEEL_LIB_BATCHING_ELEMENTWISE_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace flywheel {

/// Returns true if the results of an op on numbers are 0 whenever the operands
/// for which `isZero` holds are 0.
bool preservesZero(mlir::Operation *op,
                   llvm::function_ref<bool(mlir::Value)> isZero);

} // namespace flywheel

#endif // FLYWHEEL_LIB_BATCHING_ELEMENTWISE_H
