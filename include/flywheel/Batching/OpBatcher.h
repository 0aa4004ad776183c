//===- OpBatcher.h - Many rows of a computation at once ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_BATCHING_OPBATCHER_H
#define FLYWHEEL_BATCHING_OPBATCHER_H

#include "flywheel/Interfaces/Batcher.h"

#include "llvm/ADT/DenseMap.h"

namespace flywheel {

/// A batcher that keeps the batched forms of values in a table.
class OpBatcher final : public Batcher {
public:
  /// Emits at the insertion point of `builder`, which must outlive this, for
  /// `dimSize` positions. Messages name the op `request`.
  OpBatcher(mlir::OpBuilder &builder, mlir::OpFoldResult dimSize,
            mlir::Operation *request);

  BatchedValue lookup(mlir::Value value) const override;
  void setUniform(mlir::Value value, mlir::Value uniform) override;
  void setDense(mlir::Value value, mlir::Value dense) override;
  void setDiagonal(mlir::Value value, mlir::Value diagonal, int64_t dim,
                   int64_t block = 1) override;
  mlir::RankedTensorType getDenseType(mlir::Type type) const override;
  mlir::Value getDense(mlir::Location loc, mlir::Value value) override;
  mlir::Value getShape(mlir::Location loc, mlir::Value value) override;
  llvm::SmallVector<mlir::OpFoldResult> getSizes(mlir::Location loc,
                                                 mlir::Value value) override;
  llvm::SmallVector<mlir::OpFoldResult>
  getDenseSizes(mlir::Location loc, mlir::Value value) override;
  mlir::Value getUniform(mlir::Value value) const override;
  llvm::SmallVector<mlir::OpFoldResult>
  getUniform(llvm::ArrayRef<mlir::OpFoldResult> values) const override;
  bool isDiagonalOrZero(mlir::Value value, int64_t dim,
                        int64_t block = 1) const override;
  bool isZero(mlir::Value value) const override;
  llvm::LogicalResult batch(mlir::Operation *op) override;
  llvm::LogicalResult batchBody(mlir::Block &block) override;
  llvm::LogicalResult batchInLoop(mlir::Operation *op) override;
  llvm::LogicalResult
  batchSliced(mlir::Operation *op,
              llvm::ArrayRef<std::optional<int64_t>> dims) override;
  llvm::LogicalResult batchThrough(
      mlir::Operation *op,
      llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &)>
          emit) override;
  mlir::Operation *emitLike(mlir::Operation *op, mlir::ValueRange operands,
                            bool isDense) override;
  llvm::LogicalResult emitDense(mlir::Operation *op) override;
  llvm::LogicalResult emitDiagonal(mlir::Operation *op, int64_t dim,
                                   int64_t block = 1) override;
  mlir::Value splitBlocks(mlir::Location loc, mlir::Value value, int64_t dim,
                          int64_t block) override;
  llvm::LogicalResult emitElementwise(mlir::Operation *op,
                                      bool keepsZero) override;

  mlir::OpBuilder &getBuilder() override { return builder; }
  mlir::OpFoldResult getDimSize() const override { return dimSize; }

private:
  int64_t getStaticDimSize() const;
  mlir::Value spread(mlir::Location loc, mlir::Value uniform);
  mlir::Value fillDiagonal(mlir::Location loc, const BatchedValue &diagonal);
  mlir::Operation *emitForShape(mlir::Operation *op);
  mlir::Value emitEmptyResult(mlir::OpResult result);
  llvm::LogicalResult copyUniform(mlir::Operation *op);
  llvm::LogicalResult emitMissingRule(mlir::Operation *op);

  mlir::OpBuilder &builder;
  mlir::OpFoldResult dimSize;
  mlir::Operation *request;
  llvm::DenseMap<mlir::Value, BatchedValue> values;
};

} // namespace flywheel

#endif // FLYWHEEL_BATCHING_OPBATCHER_H
