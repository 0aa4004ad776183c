//===- ThreadEmitter.h - What one thread does of a structured op *- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_EMIT_THREADEMITTER_H
#define FLYWHEEL_LIB_CODEGEN_GPU_EMIT_THREADEMITTER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace flywheel {

/// Emits a test of `number` < `end`; neither is negative.
mlir::Value emitIsBelow(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value number, mlir::Value end);
/// Returns true if `count` is known to be a multiple of `size`.
bool isMultipleOf(mlir::Value count, int64_t size);

/// Emits iterations of a structured op on buffers, as scalar code.
class ThreadEmitter {
public:
  /// Emits the sizes of the loops at the insertion point of `b`.
  ThreadEmitter(mlir::linalg::LinalgOp op, mlir::OpBuilder &b);

  mlir::Value index(int64_t number);
  /// Emits the number of iterations of `dims` together.
  mlir::Value count(llvm::ArrayRef<unsigned> dims);
  /// Sets the index of each loop of `dims` for their iteration `number`:
  /// neighbouring iterations are neighbours along the last loop.
  void setIndices(llvm::ArrayRef<unsigned> dims, mlir::Value number);
  void setIndex(unsigned dim, mlir::Value value) { ivs[dim] = value; }

  /// Returns the indices of the element of `operand` in the current iteration.
  llvm::SmallVector<mlir::Value> getIndices(mlir::OpOperand &operand);
  /// Loads the element of `operand` in the current iteration; returns the
  /// operand itself if it is not a buffer. Loops without an index do not affect
  /// the position of the element.
  mlir::Value load(mlir::OpOperand &operand);
  void store(mlir::Value value, mlir::OpOperand &operand);
  /// Emits the body, given the current values `outs` of the results; returns
  /// the values that it yields.
  llvm::SmallVector<mlir::Value> emitBody(mlir::ValueRange outs);
  /// Emits the body for elements that were loaded before.
  llvm::SmallVector<mlir::Value> emitBody(mlir::ValueRange inputs,
                                          mlir::ValueRange outs);
  /// Emits the iterations of `dims`, in nested loops, on `sums`.
  llvm::SmallVector<mlir::Value> emitReductions(llvm::ArrayRef<unsigned> dims,
                                                mlir::ValueRange sums);
  /// Emits one iteration of the parallel loops: reductions in order, and
  /// stores. An op with outputs along a reduction has no `init`.
  void emitElement(mlir::Value init);

  mlir::linalg::LinalgOp op;
  mlir::OpBuilder &b;
  mlir::Location loc;
  llvm::SmallVector<unsigned> parallel, reductions;
  llvm::SmallVector<mlir::Value> sizes;

private:
  /// Emits the iterations of `dims`, each of which stores its results.
  void emitIterations(llvm::ArrayRef<unsigned> dims);

  llvm::SmallVector<mlir::Value> ivs;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_EMIT_THREADEMITTER_H
