//===- ForEachUse.h - Uses of an op and its regions -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_BATCHING_FOREACHUSE_H
#define FLYWHEEL_LIB_BATCHING_FOREACHUSE_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace flywheel {

/// Calls `visit` for each value from outside of `op` that it, or an op in its
/// regions, uses.
void forEachUse(mlir::Operation *op,
                llvm::function_ref<void(mlir::Value)> visit);

} // namespace flywheel

#endif // FLYWHEEL_LIB_BATCHING_FOREACHUSE_H
