//===- ProductDerivative.h - The derivative of a product --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_NN_OPS_PRODUCTDERIVATIVE_H
#define FLYWHEEL_LIB_DIALECT_NN_OPS_PRODUCTDERIVATIVE_H

#include "mlir/IR/Builders.h"

namespace flywheel::nn {

/// Returns the cotangent of `x`, given `dy`, that of its product over `axes`;
/// `dy` has dimension size 1 there. No derivative of it divides, so that all
/// are correct for elements that are 0.
mlir::Value deriveProduct(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                          llvm::ArrayRef<int64_t> axes, mlir::Value dy);

} // namespace flywheel::nn

#endif // FLYWHEEL_LIB_DIALECT_NN_OPS_PRODUCTDERIVATIVE_H
