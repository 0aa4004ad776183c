//===- BufferAccesses.h - Who touches which memory --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Says what ops on buffers read and write, and which memory a buffer may be.
// Threads, launches, copies and the plan of the workspace ask here; what is
// special to one of them is built on it:
//
//  * Partition adds who executes an op, and the rows that an iteration touches.
//  * Groups of a GPU add which dimensions of a part are whole ones.
//  * The workspace adds the positions of the ops.
//
// Versions of variables (Transforms/State/BlockVersions.h) are not of here:
// they are of tensors, where an op has no memory yet.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_ANALYSIS_BUFFERACCESSES_H
#define FLYWHEEL_ANALYSIS_BUFFERACCESSES_H

#include "mlir/IR/AffineMap.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"

namespace flywheel {

/// Returns the buffer that `buffer` is a view of, through all views of the
/// kinds `ViewOps`; without kinds, through all views.
template <typename... ViewOps> mlir::Value getViewed(mlir::Value buffer) {
  while (auto view = buffer.getDefiningOp<mlir::ViewLikeOpInterface>()) {
    if constexpr (sizeof...(ViewOps) != 0)
      if (!llvm::isa<ViewOps...>(view.getOperation()))
        break;
    buffer = view.getViewSource();
  }
  return buffer;
}

/// Returns true if `buffer` is memory of its own: an allocation, a constant, an
/// argument of the function or of a launch, or what a call without buffers
/// returns, as calls of the runtime for GPUs do. Two such buffers do not
/// overlap.
bool isRoot(mlir::Value buffer);

/// The memory that a buffer may be in.
struct BufferRoots {
  /// Buffers of which `isRoot` holds.
  llvm::SmallSetVector<mlir::Value, 2> roots;
  /// False if it may be other memory, too.
  bool isKnown = true;
};

/// The iterations of a loop whose buffers a buffer that it carries may be:
/// `First` where each iteration leaves a value in the buffer of the one before,
/// or will when its copies are there.
enum class Iterations { All, First };

/// Returns the memory that `buffer` may be a view of, through views,
/// selections, branches and loops. The result of an op of which nothing is
/// known may be any memory, and that of its operands.
BufferRoots findRoots(mlir::Value buffer,
                      Iterations iterations = Iterations::All);

/// Return true if both may have memory in common. Views of one buffer at bytes
/// that are known, as of the workspace, are compared by these.
bool mayOverlap(const BufferRoots &one, const BufferRoots &other);
bool mayOverlap(mlir::Value one, mlir::Value other);

/// An access of an op to a buffer. The region is that of the buffer, a view of
/// its roots; `getMap` says which iteration of a structured op is where in it.
struct BufferAccess {
  mlir::Operation *op = nullptr;
  /// The operand that is the buffer; null where it is none.
  mlir::OpOperand *operand = nullptr;
  /// Null if it is not known which memory is accessed, or if it is none of
  /// buffers, as for a check.
  mlir::Value buffer;
  bool isRead = false, isWritten = false;

  /// Returns the map from the loops of a structured op to elements of the
  /// buffer; null for other ops.
  mlir::AffineMap getMap() const;
};

/// Returns the accesses of `op` itself, in the order of its operands. An op of
/// which nothing is known reads and writes its buffers and unknown memory, and
/// so does one that frees. Allocations are not accesses.
llvm::SmallVector<BufferAccess> getAccesses(mlir::Operation *op);

/// Returns the accesses of `op` and of the ops inside of it, in their order.
llvm::SmallVector<BufferAccess> getAccessesWithin(mlir::Operation *op);

/// Return true if `op`, or an op in it, may read, or write, memory of `buffer`.
/// An op without buffers, such as a call with numbers, does not: no address of
/// a buffer is stored anywhere.
bool mayRead(mlir::Operation *op, mlir::Value buffer);
bool mayWrite(mlir::Operation *op, mlir::Value buffer);

} // namespace flywheel

#endif // FLYWHEEL_ANALYSIS_BUFFERACCESSES_H
