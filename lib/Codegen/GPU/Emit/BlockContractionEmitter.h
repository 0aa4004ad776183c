//===- BlockContractionEmitter.h - A contraction by a block -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_EMIT_BLOCKCONTRACTIONEMITTER_H
#define FLYWHEEL_LIB_CODEGEN_GPU_EMIT_BLOCKCONTRACTIONEMITTER_H

#include "Accumulators.h"
#include "BlockEmitter.h"
#include "Epilogue.h"

namespace flywheel {

/// Emits a contraction so that the threads of a block share it: tiles of its
/// inputs are copied to workgroup memory, some ahead of their use, and results
/// stay in registers until all products are added and the epilogue is computed.
class BlockContractionEmitter {
public:
  /// `init` is the value that the result is filled with; null if it is in
  /// memory. `epilogue` are ops of the kernel, as for `Epilogue`.
  BlockContractionEmitter(BlockEmitter &block, ThreadEmitter &threads,
                          mlir::Value init,
                          llvm::ArrayRef<mlir::linalg::LinalgOp> epilogue);

  void emit();

private:
  void emitTile(mlir::Value firstRow, mlir::Value firstColumn);
  llvm::SmallVector<mlir::Value> emitSums(Accumulators &accumulators,
                                          llvm::ArrayRef<mlir::Value> sums,
                                          InputTile &lhs, InputTile &rhs);
  /// Calls `emitInside` if the result has the element.
  void ifInside(const Accumulators::Element &element,
                llvm::function_ref<void()> emitInside);
  void setPlace(const Accumulators::Element &element);
  mlir::Value emitIsInside(const Accumulators::Element &element);

  BlockEmitter &block;
  ThreadEmitter &threads;
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Value init;
  llvm::SmallVector<mlir::linalg::LinalgOp> epilogue;
  ContractionLoops loops;
  BlockTile tile;
  mlir::Value numRows, numColumns, numTerms, firstRow, firstColumn;
  bool isWhole = false;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_EMIT_BLOCKCONTRACTIONEMITTER_H
