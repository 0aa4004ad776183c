//===- ConvertTosa.h - tosa ops to those of this project --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CONVERSION_TOSATONN_CONVERTTOSA_H
#define FLYWHEEL_LIB_CONVERSION_TOSATONN_CONVERTTOSA_H

#include "mlir/IR/Builders.h"

namespace flywheel {

/// Returns a replacement of the only result of the tosa op `op`, inserted by
/// `b` before it; null if upstream's lowering is to be used. Even then, ops
/// without effects may have been inserted.
mlir::Value lowerTosaOp(mlir::OpBuilder &b, mlir::Operation *op);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CONVERSION_TOSATONN_CONVERTTOSA_H
