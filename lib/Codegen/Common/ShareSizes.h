//===- ShareSizes.h - One loop for arrays of many sizes ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_CODEGEN_COMMON_SHARESIZES_H
#define FLYWHEEL_CODEGEN_COMMON_SHARESIZES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Support/LLVM.h"

namespace flywheel {

/// Rewrites elementwise ops of `function` that differ in their shapes only, on
/// contiguous buffers of static shapes, to ops on buffers of one dimension
/// whose size is dynamic: as functions they are equal. Returns the new ops. If
/// there are few sizes, does not change their ops, because a static size saves
/// the computation of masks.
llvm::SmallVector<mlir::Operation *> shareSizes(mlir::func::FuncOp function);

} // namespace flywheel

#endif // FLYWHEEL_CODEGEN_COMMON_SHARESIZES_H
