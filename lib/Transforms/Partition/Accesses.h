//===- Accesses.h - Accesses of workers to buffers --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Models the memory accesses of a partitioned step: which workers access which
// part of which buffer, and which pairs of accesses need a barrier.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TRANSFORMS_PARTITION_ACCESSES_H
#define FLYWHEEL_LIB_TRANSFORMS_PARTITION_ACCESSES_H

#include "flywheel/Analysis/BufferAccesses.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/OpDefinition.h"

namespace flywheel {

/// Describes how workers share the iterations of a loop over [0, size) in
/// blocks of `step`: the first worker runs the first blocks, and so on. Two
/// loops with equal shares give each worker the same iterations.
struct Share {
  mlir::OpFoldResult size;
  int64_t step = 0;

  bool operator==(const Share &other) const {
    return step == other.step &&
           mlir::isEqualConstantIntOrValue(size, other.size);
  }
};

/// The part of a buffer that an iteration touches along one dimension of a
/// view: its block of the share, or the one element that has the number of the
/// block.
struct Slice {
  mlir::Value view;
  int64_t dim = 0;
  bool isNumber = false;

  bool operator==(const Slice &other) const {
    return view == other.view && dim == other.dim && isNumber == other.isNumber;
  }
};

/// A touch of a buffer in a step that several workers execute.
struct Access {
  enum class Worker {
    /// Each worker may touch all of it.
    Every,
    /// The first worker alone touches it.
    First,
    /// Each worker touches its share of `slice`.
    Owner,
  };

  /// The memory: an allocation or an argument.
  mlir::Value buffer;
  bool isWrite = false;
  Worker worker = Worker::Every;
  Slice slice;
  Share share;

  bool operator==(const Access &other) const;
};

/// Returns true if two accesses, in either order, need a barrier between them.
bool conflict(const Access &a, const Access &b);

/// A set of accesses, in the order in which they were added.
class AccessSet {
public:
  void insert(const Access &access);
  void insert(llvm::ArrayRef<Access> others);
  bool conflictsWith(llvm::ArrayRef<Access> others) const;
  llvm::ArrayRef<Access> get() const { return accesses; }
  /// Forgets the owners of parts that are counted by values that `loop`
  /// recomputes: these have other values in the next iteration.
  void goAround(mlir::Operation *loop);
  bool operator==(const AccessSet &other) const;

private:
  llvm::SmallVector<Access> accesses;
};

/// Returns the same part of the outermost view that contains it: a block of
/// rows of `%a[:, 0:4]` or of `%a[%t, :, :]` counts as one of the rows of `%a`.
Slice normalize(Slice slice);

/// Calls `add` for each access to memory of `op` and of the ops inside of it,
/// by any worker: with each buffer that may be meant, and first for what is
/// read. Fails if they are unknown.
mlir::LogicalResult
collectAccesses(mlir::Operation *op,
                llvm::function_ref<void(const BufferAccess &, Access)> add);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TRANSFORMS_PARTITION_ACCESSES_H
