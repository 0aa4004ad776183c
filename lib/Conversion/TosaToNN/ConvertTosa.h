//===- ConvertTosa.h - tosa ops to those of this project --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CONVERSION_TOSATONN_CONVERTTOSA_H
#define FLYWHEEL_LIB_CONVERSION_TOSATONN_CONVERTTOSA_H

#include "mlir/IR/Builders.h"

namespace flywheel {

/// What stands for the only result of the tosa op `op`, in front of which `b`
/// inserts; null where upstream's lowering is to be taken. Ops may have been
/// inserted all the same: none of them has an effect.
mlir::Value lowerTosaOp(mlir::OpBuilder &b, mlir::Operation *op);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CONVERSION_TOSATONN_CONVERTTOSA_H
