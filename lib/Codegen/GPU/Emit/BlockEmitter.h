//===- BlockEmitter.h - Structured ops by the threads of a block *- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_EMIT_BLOCKEMITTER_H
#define FLYWHEEL_LIB_CODEGEN_GPU_EMIT_BLOCKEMITTER_H

#include "ThreadEmitter.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace flywheel {

/// Threads of a block whose work is one iteration of an `scf.forall`.
inline constexpr int64_t kGroupBlockSize = 256;

/// Alignment of workgroup memory, for the widest load.
inline constexpr int64_t kWorkgroupAlignment = 16;

/// Emits structured ops so that the threads of one block share each: element by
/// element; a reduction with few results as a tree; a contraction with tiles of
/// its inputs in workgroup memory and its results in registers. Barriers, which
/// all threads must reach, are outside of branches that only some threads take.
class BlockEmitter {
public:
  /// Emits at the end of the body of `launch`, whose blocks are one-dimensional
  /// with `kGroupBlockSize` threads.
  explicit BlockEmitter(mlir::gpu::LaunchOp launch);

  /// Emits `op`, on buffers. `init` is the value that its result is filled
  /// with, if that is not in memory; null if it is. `epilogue` are ops that
  /// follow a contraction, as for `Epilogue`.
  void emit(mlir::OpBuilder &b, mlir::linalg::LinalgOp op, mlir::Value init,
            llvm::ArrayRef<mlir::linalg::LinalgOp> epilogue);

  /// Frees the memory that was allocated before.
  void beginGroup() { privateBytes = 0; }
  /// Returns workgroup memory of `type` for the following ops of the group.
  mlir::Value allocatePrivate(mlir::OpBuilder &b, mlir::Location loc,
                              mlir::MemRefType type);

  /// Emits a barrier: all threads of the block wait for previous writes.
  void emitBarrier(mlir::OpBuilder &b, mlir::Location loc);

  /// `emitCommit` makes a group of the asynchronous copies since the last one;
  /// `emitWait` waits until all groups but the last `pending` have arrived.
  void emitCommit(mlir::OpBuilder &b, mlir::Location loc);
  void emitWait(mlir::OpBuilder &b, mlir::Location loc, int64_t pending);

  /// Returns workgroup memory of `shape`, after the memory that `op` has
  /// already. Ops use the same memory one after another.
  mlir::Value allocateScratch(mlir::OpBuilder &b, mlir::Location loc,
                              llvm::ArrayRef<int64_t> shape,
                              mlir::Type element);
  int64_t getPrivateBytes() const { return privateBytes; }
  /// Returns the number of the thread in the block.
  mlir::Value getThread() const { return thread; }
  /// Returns true if the chip copies to workgroup memory asynchronously.
  bool canCopyAsync() const { return copiesAsync; }

private:
  void emitElements(ThreadEmitter &threads, mlir::Value init);
  void emitTree(ThreadEmitter &threads, mlir::Value init,
                llvm::ArrayRef<mlir::Operation *> combiners);

  mlir::gpu::LaunchOp launch;
  mlir::Value thread;
  mlir::BlockArgument arena;
  int64_t privateBytes = 0, usedBytes = 0;
  bool copiesAsync;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_EMIT_BLOCKEMITTER_H
