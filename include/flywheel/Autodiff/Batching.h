//===- Batching.h - Many rows of a computation at once ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A list of ops is emitted for all positions i of a new dimension of extent n
// at once. What a value has become is one of
//
//   uniform    the same for every position: a value of its old type
//   dense      a tensor with the new dimension in front
//   diagonal   zero except where position i meets index i of dimension d:
//              V[i, ..., b, ...] = (i == b) v[..., b, ...]; only v, of the old
//              type, is stored
//
// Where d has been merged with the dimensions after it, the index that position
// i meets is a block of indices: those of the number i when they are counted in
// blocks.
//
// Diagonal values are what unit cotangents start as. Elementwise ops, and ops
// that treat the indices of d one by one, keep them; a sum over d makes a dense
// value of one, by leaving the sum out. So the gradient of each row of a batch
// costs about what the gradient of their sum does.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_AUTODIFF_BATCHING_H
#define FLYWHEEL_AUTODIFF_BATCHING_H

#include "flywheel/Interfaces/BatchableOpInterface.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/DenseMap.h"

namespace flywheel {

/// What a value of the old computation has become.
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

/// Emits ops for all positions of a new dimension.
class Batcher {
public:
  /// Emits at the insertion point of `builder`, which must outlive this, for
  /// `extent` positions. Messages name the op `request`.
  Batcher(mlir::OpBuilder &builder, mlir::OpFoldResult extent,
          mlir::Operation *request);

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  /// What `value` has become: itself, uniform, unless it has been set.
  BatchedValue lookup(mlir::Value value) const;
  bool isBatched(mlir::Value value) const { return !lookup(value).isUniform(); }

  /// Say what `value` has become. A dense or diagonal value is cast where its
  /// type says more or less about extents than `getDenseType`, or the type of
  /// `value`.
  void setUniform(mlir::Value value, mlir::Value uniform);
  void setDense(mlir::Value value, mlir::Value dense);
  void setDiagonal(mlir::Value value, mlir::Value diagonal, int64_t dim,
                   int64_t block = 1);

  /// The type that a number or ranked tensor has as a dense value.
  mlir::RankedTensorType getDenseType(mlir::Type type) const;
  /// Whether values of `type` can be batched.
  static bool canBatch(mlir::Type type);

  /// `value` as a dense value, which is emitted where it is not stored as one.
  mlir::Value getDense(mlir::Location loc, mlir::Value value);
  /// A tensor of the shape that the tensor `value` has at one position.
  mlir::Value getShape(mlir::Location loc, mlir::Value value);
  /// The extents of the tensor `value` at one position.
  llvm::SmallVector<mlir::OpFoldResult> getSizes(mlir::Location loc,
                                                 mlir::Value value);
  /// The same as a dense value.
  llvm::SmallVector<mlir::OpFoldResult> getDenseSizes(mlir::Location loc,
                                                      mlir::Value value);
  /// What has become of `value`, or of values among `values`, all uniform.
  mlir::Value getUniform(mlir::Value value) const;
  llvm::SmallVector<mlir::OpFoldResult>
  getUniform(llvm::ArrayRef<mlir::OpFoldResult> values) const;

  /// Whether `value` is diagonal along `dim`, or zero at every position.
  bool isDiagonalOrZero(mlir::Value value, int64_t dim,
                        int64_t block = 1) const;
  /// Whether `value` is zero at every position, as far as can be seen.
  bool isZero(mlir::Value value) const;

  //===--------------------------------------------------------------------===//
  // Ops
  //===--------------------------------------------------------------------===//

  /// Emits `op` for all positions. Fails with a diagnostic where it has no
  /// rule.
  llvm::LogicalResult batch(mlir::Operation *op);
  /// The same for the ops of `block` but the terminator.
  llvm::LogicalResult batchBody(mlir::Block &block);

  /// Emits `op` position by position, in a loop.
  llvm::LogicalResult batchInLoop(mlir::Operation *op);
  /// The same where position i needs nothing but slice i, of extent 1, of some
  /// operands: along `dims[k]` of operand k, or all of it. Operands are uniform
  /// or diagonal along that dimension, there is one result, and a sum over one
  /// slice is what it is.
  llvm::LogicalResult batchSliced(mlir::Operation *op,
                                  llvm::ArrayRef<std::optional<int64_t>> dims);
  /// Batches the ops that `emit` makes of `op`; it returns what they make of
  /// the results.
  llvm::LogicalResult batchThrough(
      mlir::Operation *op,
      llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &)>
          emit);

  /// Emits a copy of `op` with other operands and, unless they are the same, as
  /// dense values, other types of results. It has no regions.
  mlir::Operation *emitLike(mlir::Operation *op, mlir::ValueRange operands,
                            bool isDense);
  /// Emits a copy of `op` in which all operands are dense, and sets its
  /// results.
  llvm::LogicalResult emitDense(mlir::Operation *op);
  /// Emits a copy of `op` for what its operands store, all diagonal or uniform,
  /// and sets its results, diagonal along `dim`.
  llvm::LogicalResult emitDiagonal(mlir::Operation *op, int64_t dim,
                                   int64_t block = 1);

  /// `value` with dimension `dim` as two: the positions, and a block of each.
  mlir::Value splitBlocks(mlir::Location loc, mlir::Value value, int64_t dim,
                          int64_t block);

  mlir::OpBuilder &getBuilder() { return builder; }
  /// The number of positions.
  mlir::OpFoldResult getExtent() const { return extent; }
  int64_t getStaticExtent() const;

private:
  mlir::Value spread(mlir::Location loc, mlir::Value uniform);
  mlir::Value fillDiagonal(mlir::Location loc, const BatchedValue &diagonal);
  mlir::Operation *emitForShape(mlir::Operation *op);
  mlir::Value emitEmptyResult(mlir::OpResult result);
  llvm::LogicalResult copyUniform(mlir::Operation *op);
  llvm::LogicalResult emitMissingRule(mlir::Operation *op);

  mlir::OpBuilder &builder;
  mlir::OpFoldResult extent;
  mlir::Operation *request;
  llvm::DenseMap<mlir::Value, BatchedValue> values;
};

/// Whether the results of an op on numbers are 0 where those of its operands
/// for which `isZero` holds are 0.
bool preservesZero(mlir::Operation *op,
                   llvm::function_ref<bool(mlir::Value)> isZero);

/// The rule of an op that acts on each element. `keepsZero` says that 0 gives
/// 0, where `preservesZero` does not know the op.
llvm::LogicalResult batchElementwise(mlir::Operation *op, Batcher &batcher,
                                     bool keepsZero);

/// A rule for an op that does not implement `BatchableOpInterface` itself.
struct BatchingRule {
  llvm::StringRef op;
  void (*attach)(mlir::MLIRContext *);
};

/// The tables, one a dialect.
llvm::ArrayRef<BatchingRule> getLinalgBatchingRules();
llvm::ArrayRef<BatchingRule> getNNBatchingRules();
llvm::ArrayRef<BatchingRule> getNNContractionBatchingRules();
llvm::ArrayRef<BatchingRule> getSCFBatchingRules();
llvm::ArrayRef<BatchingRule> getTensorBatchingRules();
llvm::ArrayRef<BatchingRule> getTrainBatchingRules();

/// Attaches every table to the ops of its dialect, as the dialects load.
void registerBatchingRules(mlir::DialectRegistry &registry);

/// Whether ops of that name are batched by a rule, because they act on each
/// element, or as what they are made of. Others are batched in a loop if they
/// have no effects.
bool hasBatchingRule(mlir::OperationName name);

} // namespace flywheel

#endif // FLYWHEEL_AUTODIFF_BATCHING_H
