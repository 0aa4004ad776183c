//===- IterationSlices.h - Slices of tensors by iteration -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors whose first dimension is the iterations of a loop: loops of recurrent
// networks read and collect them, and their reverses read them again.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TRANSFORMS_SCF_ITERATIONSLICES_H
#define FLYWHEEL_LIB_TRANSFORMS_SCF_ITERATIONSLICES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <optional>

namespace flywheel {

/// The iterations of a loop by steps of 1 whose bounds are constants.
struct IterationRange {
  int64_t lower = 0, count = 0;

  /// Returns those of `loop`; nullopt for other loops, and for loops that never
  /// run.
  static std::optional<IterationRange> get(mlir::scf::ForOp loop);
};

/// The order of slices: the first slice belongs to the first iteration
/// (forward) or to the last one (backward).
enum class Direction { Forward, Backward };

/// Slices of a tensor from outside of a loop along its first dimension, one for
/// each iteration: those at `first` and behind it.
struct IterationSlice {
  mlir::Value whole;
  Direction direction = Direction::Forward;
  int64_t first = 0;
};

/// Returns the slices that `value` takes in `loop`, if it is a slice along the
/// first dimension of a tensor from outside, with that dimension dropped;
/// nullopt if it is not, or if a slice may be out of range.
std::optional<IterationSlice> getIterationSlice(mlir::Value value,
                                                mlir::scf::ForOp loop,
                                                IterationRange range);

/// Returns the slices that `insert` writes in `loop`. Its destination may be
/// defined inside of the loop.
std::optional<IterationSlice>
getInsertedSlice(mlir::tensor::InsertSliceOp insert, mlir::scf::ForOp loop,
                 IterationRange range);

/// Returns the value that `insert` inserts, without the first dimension of its
/// destination.
mlir::Value getInsertedValue(mlir::tensor::InsertSliceOp insert);
/// Returns `part`, of the type of the source, without the first dimension of
/// the destination.
mlir::Value getInsertedValue(mlir::tensor::InsertSliceOp insert,
                             mlir::Value part);

/// Emits the slices of all iterations in one tensor.
mlir::Value emitWhole(mlir::OpBuilder &builder, mlir::Location loc,
                      const IterationSlice &slice, IterationRange range);

/// Emits, in `loop`, the slice of an iteration, of type `type`.
mlir::Value readSlice(mlir::OpBuilder &builder, mlir::Location loc,
                      const IterationSlice &slice, mlir::scf::ForOp loop,
                      IterationRange range, mlir::RankedTensorType type);

/// A value of each iteration that a loop has kept in a tensor.
struct KeptValue {
  mlir::scf::ForOp loop;
  IterationRange range;
  /// In the loop.
  mlir::Value value;
  /// The slice of `init`, the initial tensor of the loop, that it is written
  /// to.
  IterationSlice slice;
  mlir::Value init;
};

/// Returns the value that the loop that computed `slice.whole` kept there;
/// nullopt if `slice.whole` is not the result of such a loop, or if that loop
/// has not written all slices that a loop over `range` reads.
std::optional<KeptValue> getKeptValue(const IterationSlice &slice,
                                      IterationRange range);

/// A tensor of each iteration that a loop is to keep.
struct ValueToKeep {
  mlir::Value value;
  Direction direction;
  /// A tensor from outside whose dimension 1 has the size of dimension 0 of
  /// `value`, if that is dynamic. No other dimension is dynamic.
  mlir::Value sizesFrom;
};

/// Replaces `loop` by one that also keeps `values`, and returns the tensors in
/// which it does, whose first dimension are the iterations.
llvm::SmallVector<mlir::Value> keepInLoop(mlir::RewriterBase &rewriter,
                                          mlir::scf::ForOp &loop,
                                          llvm::ArrayRef<ValueToKeep> values,
                                          IterationRange range);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TRANSFORMS_SCF_ITERATIONSLICES_H
