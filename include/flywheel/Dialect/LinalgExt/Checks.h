//===- Checks.h - Checks when a step runs -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_LINALGEXT_CHECKS_H
#define FLYWHEEL_DIALECT_LINALGEXT_CHECKS_H

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace flywheel::linalg_ext {

/// Emits an error of the step where `ok` (i1) is false, at the location of
/// `op`. The message is followed by the name of `op` and its place in the
/// source.
mlir::cf::AssertOp createCheck(mlir::OpBuilder &builder, mlir::Operation *op,
                               mlir::Value ok, const llvm::Twine &message);

/// The dimension of a ranked tensor that `op` reads; none where its number is
/// not constant, or no dimension of the tensor.
std::optional<int64_t> getDimension(mlir::tensor::DimOp op);

/// An extent that is dimension `number` of `tensor`, or where that is null the
/// number itself.
struct ExtentRoot {
  mlir::Value tensor;
  int64_t number = 0;

  bool operator==(const ExtentRoot &other) const {
    return tensor == other.tensor && number == other.number;
  }
};

/// What dimension `dim` of `tensor` is seen to be equal to, as far as possible
/// from it: through destinations, sizes, branches and loops. Relies on
/// `flywheel-check-carried-extents`.
ExtentRoot getExtentRoot(mlir::Value tensor, int64_t dim);

/// Dimension `dim` of `tensor`, which is inside of `op`, as an index in front
/// of it, where `builder` is; null where it cannot be told there.
mlir::Value getExtentInFrontOf(mlir::OpBuilder &builder, mlir::Operation *op,
                               mlir::Value tensor, int64_t dim);

/// The same as `createCheck` for an `ok` that extents decide: in front of the
/// branches and loops that `builder` is in, as far as `ok` can be told there,
/// and true where they would not get to the check. The body of an `scf.while`
/// is taken to be reached.
mlir::cf::AssertOp createExtentCheck(mlir::OpBuilder &builder,
                                     mlir::Operation *op, mlir::Value ok,
                                     const llvm::Twine &message);

/// Makes the `compare_sizes` in `root` comparisons of numbers, which no message
/// names any more.
void lowerComparisons(mlir::Operation *root);

} // namespace flywheel::linalg_ext

#endif // FLYWHEEL_DIALECT_LINALGEXT_CHECKS_H
