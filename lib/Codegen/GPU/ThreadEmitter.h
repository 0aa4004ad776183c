//===- ThreadEmitter.h - What one thread does of a structured op *- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_THREADEMITTER_H
#define FLYWHEEL_LIB_CODEGEN_GPU_THREADEMITTER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace flywheel {

/// Whether `number` is below `end`; neither is negative.
mlir::Value emitIsBelow(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value number, mlir::Value end);
/// Whether `count` is known to be a multiple of `size`.
bool isMultipleOf(mlir::Value count, int64_t size);

/// Whether an output of `op` is along a loop that reduces others: the running
/// sums of a reduction, or each term of it.
bool hasOutputAlongReduction(mlir::linalg::LinalgOp op);

/// Emits iterations of a structured op on buffers, as scalar code.
class ThreadEmitter {
public:
  /// Emits the sizes of the loops at the insertion point of `b`.
  ThreadEmitter(mlir::linalg::LinalgOp op, mlir::OpBuilder &b);

  mlir::Value index(int64_t number);
  /// The number of iterations of `dims` together.
  mlir::Value count(llvm::ArrayRef<unsigned> dims);
  /// Sets the index of each loop of `dims` for their iteration `number`:
  /// neighbours are next to each other along the last one.
  void setIndices(llvm::ArrayRef<unsigned> dims, mlir::Value number);
  void setIndex(unsigned dim, mlir::Value value) { ivs[dim] = value; }

  /// Where the element of `operand` is in the iteration.
  llvm::SmallVector<mlir::Value> getIndices(mlir::OpOperand &operand);
  /// The element of `operand` in the iteration; the operand itself where it is
  /// no buffer. Loops without an index are no part of where it is.
  mlir::Value load(mlir::OpOperand &operand);
  void store(mlir::Value value, mlir::OpOperand &operand);
  /// What the body yields for `outs`, the values of the results until here.
  llvm::SmallVector<mlir::Value> emitBody(mlir::ValueRange outs);
  /// The same of elements that were loaded before.
  llvm::SmallVector<mlir::Value> emitBody(mlir::ValueRange inputs,
                                          mlir::ValueRange outs);
  /// The iterations of `dims`, one loop in another, on `sums`.
  llvm::SmallVector<mlir::Value> emitReductions(llvm::ArrayRef<unsigned> dims,
                                                mlir::ValueRange sums);
  /// One iteration of the parallel loops: reductions in order, and stores. What
  /// has outputs along a reduction has no `init`.
  void emitElement(mlir::Value init);

  mlir::linalg::LinalgOp op;
  mlir::OpBuilder &b;
  mlir::Location loc;
  llvm::SmallVector<unsigned> parallel, reductions;
  llvm::SmallVector<mlir::Value> sizes;

private:
  /// The iterations of `dims`, each of which has its results in memory.
  void emitIterations(llvm::ArrayRef<unsigned> dims);

  llvm::SmallVector<mlir::Value> ivs;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_THREADEMITTER_H
