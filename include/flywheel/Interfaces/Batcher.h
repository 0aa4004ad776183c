//===- Batcher.h - What a batching rule emits with --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A list of ops is emitted for all positions i of a new dimension of dimension
// size n at once. Each value has one of the forms
//
//   uniform    the same for every position: a value of its old type
//   dense      a tensor with the new dimension in front
//   diagonal   zero except where position i meets index i of dimension d:
//              V[i, ..., b, ...] = (i == b) v[..., b, ...]; only v, of the old
//              type, is stored
//
// If d has been merged with the dimensions after it, position i meets a block
// of indices: block number i.
//
// Unit cotangents start as diagonal values. Elementwise ops, and ops that treat
// the indices of d one by one, keep them diagonal. The sum of a diagonal value
// over d is a dense value that needs no summation. So the gradient of each row
// of a batch costs about what the gradient of their sum does.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_INTERFACES_BATCHER_H
#define FLYWHEEL_INTERFACES_BATCHER_H

#include "flywheel/Interfaces/BatchableOpInterface.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace flywheel {

/// The batched form of a value of the old computation.
struct BatchedValue {
  enum class Kind { Uniform, Diagonal, Dense };

  mlir::Value value;
  Kind kind = Kind::Uniform;
  /// The dimension of a diagonal value that is the new one.
  int64_t dim = 0;
  /// The number of its indices that each position meets.
  int64_t block = 1;

  bool isUniform() const { return kind == Kind::Uniform; }
  /// Diagonal, with one index for each position.
  bool isDiagonal() const { return isDiagonalInBlocks() && block == 1; }
  /// Diagonal, with a block of any size.
  bool isDiagonalInBlocks() const { return kind == Kind::Diagonal; }
  bool isDense() const { return kind == Kind::Dense; }
};

/// The interface by which the batching rules of ops (`BatchableOpInterface`)
/// read and set the batched forms of values. Rules see only this interface, so
/// that a dialect does not depend on the implementation (`OpBatcher`).
class Batcher {
public:
  virtual ~Batcher() = default;

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  /// Returns the batched form of `value`: `value` itself, uniform, unless it
  /// has been set.
  virtual BatchedValue lookup(mlir::Value value) const = 0;
  bool isBatched(mlir::Value value) const { return !lookup(value).isUniform(); }

  /// Set the batched form of `value`. A dense or diagonal value is cast if its
  /// type is more or less static than `getDenseType`, or the type of `value`.
  virtual void setUniform(mlir::Value value, mlir::Value uniform) = 0;
  virtual void setDense(mlir::Value value, mlir::Value dense) = 0;
  virtual void setDiagonal(mlir::Value value, mlir::Value diagonal, int64_t dim,
                           int64_t block = 1) = 0;

  /// The type that a number or ranked tensor has as a dense value.
  virtual mlir::RankedTensorType getDenseType(mlir::Type type) const = 0;

  /// Returns `value` as a dense value, which is emitted if it is not stored as
  /// one.
  virtual mlir::Value getDense(mlir::Location loc, mlir::Value value) = 0;
  /// A tensor of the shape that the tensor `value` has at one position.
  virtual mlir::Value getShape(mlir::Location loc, mlir::Value value) = 0;
  /// The dimension sizes of the tensor `value` at one position.
  virtual llvm::SmallVector<mlir::OpFoldResult> getSizes(mlir::Location loc,
                                                         mlir::Value value) = 0;
  /// The same as a dense value.
  virtual llvm::SmallVector<mlir::OpFoldResult>
  getDenseSizes(mlir::Location loc, mlir::Value value) = 0;
  /// Returns the values that replace `value`, or values among `values`, all of
  /// which must be uniform.
  virtual mlir::Value getUniform(mlir::Value value) const = 0;
  virtual llvm::SmallVector<mlir::OpFoldResult>
  getUniform(llvm::ArrayRef<mlir::OpFoldResult> values) const = 0;

  /// Returns true if `value` is diagonal along `dim`, or zero at every
  /// position.
  virtual bool isDiagonalOrZero(mlir::Value value, int64_t dim,
                                int64_t block = 1) const = 0;
  /// Returns true if `value` is known to be zero at every position.
  virtual bool isZero(mlir::Value value) const = 0;

  //===--------------------------------------------------------------------===//
  // Ops
  //===--------------------------------------------------------------------===//

  /// Emits `op` for all positions. Fails with a diagnostic if it has no rule.
  virtual llvm::LogicalResult batch(mlir::Operation *op) = 0;
  /// The same for the ops of `block` but the terminator.
  virtual llvm::LogicalResult batchBody(mlir::Block &block) = 0;

  /// Emits `op` position by position, in a loop.
  virtual llvm::LogicalResult batchInLoop(mlir::Operation *op) = 0;
  /// Emits the same if position i only needs slice i, of dimension size 1, of
  /// some operands: along `dims[k]` of operand k, or all of it. Operands are
  /// uniform or diagonal along that dimension, there is one result, and a sum
  /// over one slice is the slice.
  virtual llvm::LogicalResult
  batchSliced(mlir::Operation *op,
              llvm::ArrayRef<std::optional<int64_t>> dims) = 0;
  /// Batches the ops that `emit` builds for `op`; it returns the values that
  /// replace the results.
  virtual llvm::LogicalResult batchThrough(
      mlir::Operation *op,
      llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &)>
          emit) = 0;

  /// Emits a copy of `op` with other operands and, unless they are the same, as
  /// dense values, other types of results. It has no regions.
  virtual mlir::Operation *
  emitLike(mlir::Operation *op, mlir::ValueRange operands, bool isDense) = 0;
  /// Emits a copy of `op` in which all operands are dense, and sets its
  /// results.
  virtual llvm::LogicalResult emitDense(mlir::Operation *op) = 0;
  /// Emits a copy of `op` on the stored operands, all diagonal or uniform, and
  /// sets its results, diagonal along `dim`.
  virtual llvm::LogicalResult emitDiagonal(mlir::Operation *op, int64_t dim,
                                           int64_t block = 1) = 0;

  /// Emits an op that acts on each element. `keepsZero` states that it maps 0
  /// to 0, for an op of which this is not known.
  virtual llvm::LogicalResult emitElementwise(mlir::Operation *op,
                                              bool keepsZero) = 0;

  /// `value` with dimension `dim` as two: the positions, and a block of each.
  virtual mlir::Value splitBlocks(mlir::Location loc, mlir::Value value,
                                  int64_t dim, int64_t block) = 0;

  virtual mlir::OpBuilder &getBuilder() = 0;
  /// The number of positions.
  virtual mlir::OpFoldResult getDimSize() const = 0;
};

} // namespace flywheel

#endif // FLYWHEEL_INTERFACES_BATCHER_H
