//===- CommonBatching.h - Batching that ops share ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_NN_OPS_COMMONBATCHING_H
#define FLYWHEEL_LIB_DIALECT_NN_OPS_COMMONBATCHING_H

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Interfaces/Batcher.h"

namespace flywheel::nn {

/// Batches an op on images that is linear in operand `linear`, or that maps 0
/// to 0: each image is treated separately. The other operands are shared by all
/// positions, or provide a shape: operand `like`, if there is one.
llvm::LogicalResult batchImages(mlir::Operation *op, Batcher &batcher,
                                unsigned linear = 0, mlir::Value like = {});

/// Batches an op with the attribute `axis` for which all other dimensions are
/// parallel. `keepsZero` states that it has one operand and maps zeros to
/// zeros.
template <typename OpTy>
llvm::LogicalResult batchAlongAxis(OpTy op, Batcher &batcher,
                                   bool keepsZero = false) {
  BatchedValue x = batcher.lookup(op->getOperand(0));
  if (keepsZero && x.isDiagonal() &&
      x.dim != static_cast<int64_t>(op.getAxis()))
    return batcher.emitDiagonal(op, x.dim);
  if (failed(batcher.emitDense(op)))
    return llvm::failure();
  OpTy dense = batcher.lookup(op).value.template getDefiningOp<OpTy>();
  dense.setAxis(op.getAxis() + 1);
  return llvm::success();
}

} // namespace flywheel::nn

#endif // FLYWHEEL_LIB_DIALECT_NN_OPS_COMMONBATCHING_H
