//===- CustomVjp.h - Derivative rules that users give -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_TRAIN_IR_CUSTOMVJP_H
#define FLYWHEEL_LIB_DIALECT_TRAIN_IR_CUSTOMVJP_H

#include "mlir/IR/Operation.h"

namespace flywheel::train {

/// Checks `attribute`, a `train.vjp` of `op`: it names a function, of the type
/// that the derivative rule of `op`, a function, has.
llvm::LogicalResult verifyVjp(mlir::Operation *op, mlir::Attribute attribute);

} // namespace flywheel::train

#endif // FLYWHEEL_LIB_DIALECT_TRAIN_IR_CUSTOMVJP_H
