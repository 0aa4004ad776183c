//===- Models.h - Bases of batching rules -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_BATCHING_MODELS_H
#define FLYWHEEL_LIB_BATCHING_MODELS_H

#include "flywheel/Batching/BatchingRules.h"
#include "flywheel/Interfaces/Batcher.h"

namespace flywheel {

/// Base of the rules that are written for one op class.
template <typename ModelT, typename OpTy>
struct BatchingModel : BatchableOpInterface::ExternalModel<ModelT, OpTy> {
  llvm::LogicalResult emitBatched(mlir::Operation *op, Batcher &batcher) const {
    return ModelT::emit(mlir::cast<OpTy>(op), batcher);
  }
};

/// The rule of an op that acts on each element.
template <typename OpTy, bool keepsZero>
struct ElementwiseBatching
    : BatchingModel<ElementwiseBatching<OpTy, keepsZero>, OpTy> {
  static llvm::LogicalResult emit(OpTy op, Batcher &batcher) {
    return batcher.emitElementwise(op, keepsZero);
  }
};

/// The rule of an op that takes any number of leading dimensions.
template <typename OpTy>
struct LeadingBatching : BatchingModel<LeadingBatching<OpTy>, OpTy> {
  static llvm::LogicalResult emit(OpTy op, Batcher &batcher) {
    return batcher.emitDense(op);
  }
};

/// The rule of an op that is emitted position by position.
template <typename OpTy>
struct LoopBatching : BatchingModel<LoopBatching<OpTy>, OpTy> {
  static llvm::LogicalResult emit(OpTy op, Batcher &batcher) {
    return batcher.batchInLoop(op);
  }
};

/// Returns an entry of a table.
template <typename OpTy, typename ModelT> BatchingRule batched() {
  return {OpTy::getOperationName(), [](mlir::MLIRContext *context) {
            OpTy::template attachInterface<ModelT>(*context);
          }};
}
template <typename OpTy> BatchingRule looped() {
  return batched<OpTy, LoopBatching<OpTy>>();
}

} // namespace flywheel

#endif // FLYWHEEL_LIB_BATCHING_MODELS_H
