//===- LinalgStructured.h - The rule of linalg ops with a body --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_AUTODIFF_RULES_LINALGSTRUCTURED_H
#define FLYWHEEL_LIB_AUTODIFF_RULES_LINALGSTRUCTURED_H

#include "Elementwise.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace flywheel {

/// Emits the cotangents of the inputs of any structured op whose indexing maps
/// are projected permutations: a `linalg.generic` for each, which computes the
/// body again, applies the rules of its scalar ops, and sums over the iteration
/// dimensions that the input is not indexed by. See
/// `DifferentiableOpInterface::emitVjp`; fails with a diagnostic at the op, or
/// at the op of the body that has no derivative.
llvm::LogicalResult
emitStructuredVjp(mlir::linalg::LinalgOp op, mlir::OpBuilder &builder,
                  llvm::ArrayRef<mlir::Value> resultCotangents,
                  llvm::ArrayRef<bool> needed,
                  llvm::MutableArrayRef<mlir::Value> inputCotangents);

/// The rule of an op that has no better one than `emitStructuredVjp`.
template <typename OpTy>
struct StructuredModel
    : DifferentiableOpInterface::ExternalModel<StructuredModel<OpTy>, OpTy> {
  bool hasDerivative(mlir::Operation *op, unsigned operandNumber) const {
    return mlir::cast<mlir::linalg::LinalgOp>(op).payloadUsesValueFromOperand(
        &op->getOpOperand(operandNumber));
  }
  bool differentiatesCaptures(mlir::Operation *) const { return true; }

  llvm::LogicalResult emitVjp(mlir::Operation *op, mlir::OpBuilder &builder,
                              llvm::ArrayRef<mlir::Value> results,
                              llvm::ArrayRef<bool> needed,
                              llvm::MutableArrayRef<mlir::Value> inputs) const {
    return emitStructuredVjp(mlir::cast<mlir::linalg::LinalgOp>(op), builder,
                             results, needed, inputs);
  }
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_AUTODIFF_RULES_LINALGSTRUCTURED_H
