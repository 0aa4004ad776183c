//===- InlineRegion.h - Copies of blocks ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_AUTODIFF_INLINEREGION_H
#define FLYWHEEL_AUTODIFF_INLINEREGION_H

#include "mlir/IR/Builders.h"

namespace flywheel {

/// Clones the ops of `block` but the terminator at the insertion point of
/// `builder`, with `arguments` for the arguments of the block. Returns the
/// cloned operands of the terminator.
llvm::SmallVector<mlir::Value> cloneBlock(mlir::OpBuilder &builder,
                                          mlir::Block &block,
                                          mlir::ValueRange arguments);

} // namespace flywheel

#endif // FLYWHEEL_AUTODIFF_INLINEREGION_H
