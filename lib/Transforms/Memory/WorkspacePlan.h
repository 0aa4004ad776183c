//===- WorkspacePlan.h - Sizes, lives and slots of buffers ---- -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TRANSFORMS_MEMORY_WORKSPACEPLAN_H
#define FLYWHEEL_LIB_TRANSFORMS_MEMORY_WORKSPACEPLAN_H

#include "flywheel/Model/Manifest.h"
#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

namespace flywheel {

/// The largest number of bytes that sizes of buffers are compared by, 16 TiB:
/// hundreds of thousands of them can be added.
constexpr int64_t kMaxComparedBytes = int64_t{1} << 44;

/// A buffer of a step: its size in bytes and the positions, both included,
/// between which it is live.
struct LiveBuffer {
  /// Symbolic sizes are evaluated at the dimension sizes that are used for
  /// comparison.
  int64_t bytes = 0;
  unsigned begin = 0, end = 0;
  /// Among the buffers of the step, in program order.
  unsigned number = 0;
  unsigned slot = 0;
  /// The offset at which it begins in its slot.
  int64_t offset = 0;

  bool overlaps(const LiveBuffer &other) const {
    return begin <= other.end && other.begin <= end;
  }
};

/// Puts `buffers` in the order in which they are placed, gives each a slot in
/// which nothing else is live at the same time, and returns the number of
/// slots.
unsigned assignSlots(llvm::MutableArrayRef<LiveBuffer *> buffers);

/// Returns the bytes of the slots, each as large as its largest buffer and
/// aligned.
CheckedSize getSlotBytes(llvm::ArrayRef<LiveBuffer *> buffers,
                         unsigned numSlots);

/// Gives each of `buffers` an offset in one slot at which no other buffer is
/// live at the same time, and returns the bytes up to the end of the last one.
/// Sizes are rounded up to the alignment.
int64_t packBuffers(llvm::MutableArrayRef<LiveBuffer *> buffers);

/// Returns a position at which most bytes are live, and their number: no
/// placement of `buffers` takes less. Sizes are rounded up to the alignment;
/// their sum is not too large.
std::pair<unsigned, int64_t> findPeak(llvm::ArrayRef<LiveBuffer *> buffers);

/// Sizes of the buffers of one function as functions of the symbolic dimension
/// sizes of its feeds.
class WorkspaceSizes {
public:
  /// Compares sizes with each symbolic dimension size at its bound.
  WorkspaceSizes(mlir::func::FuncOp function, const DimSizeBounds &bounds);

  /// Returns an upper bound of the bytes of a buffer. Emits an error if its
  /// elements are not numbers, or if its size does not follow from the feeds'
  /// dimension sizes.
  llvm::FailureOr<mlir::AffineExpr> getBytes(mlir::memref::AllocOp alloc);
  /// Returns the number of the symbolic dimension size of dimension `dim` of an
  /// argument.
  std::optional<unsigned> getSymbol(mlir::Value value, int64_t dim);
  unsigned getNumSymbols();
  /// Returns the maximum of `bytes` for symbolic dimension sizes up to their
  /// bounds.
  CheckedSize evaluate(mlir::AffineExpr bytes);
  /// Returns the largest of the bounds; without symbolic dimension sizes, the
  /// bound of others.
  int64_t getLargestDimSize();
  /// Returns " where every dimension size is 64", " where 'batch' is 4 and
  /// 'time' is 256", or "" without symbolic dimension sizes.
  std::string describeDimSizes();

  mlir::func::FuncOp getFunction() const { return function; }

private:
  llvm::FailureOr<mlir::AffineExpr> getUpperBound(mlir::Value size,
                                                  mlir::memref::AllocOp alloc);
  llvm::FailureOr<mlir::AffineExpr> getUpperBound(mlir::Value size);
  llvm::FailureOr<mlir::AffineExpr>
  getExpressionBound(mlir::AffineExpr expr, unsigned numDims,
                     mlir::ValueRange operands);
  llvm::FailureOr<mlir::AffineExpr> getDimSizeBound(mlir::Value buffer,
                                                    int64_t dim);
  llvm::FailureOr<mlir::AffineExpr> getLinearBound(
      const mlir::ValueBoundsConstraintSet::Variable &size,
      mlir::presburger::BoundType kind = mlir::presburger::BoundType::UB);
  bool canMultiplyBounds(mlir::Value lhs, mlir::Value rhs);

  mlir::func::FuncOp function;
  int64_t others;
  /// The bounds and names of the symbolic dimension sizes.
  llvm::SmallVector<int64_t> bounds;
  llvm::SmallVector<std::string> names;
};

/// Bounds as passes have them as options.
DimSizeBounds parseDimSizeBounds(int64_t dimSize,
                                 llvm::ArrayRef<std::string> named);

/// Reports a function whose ops have no order that is known.
llvm::LogicalResult verifyOneBlock(mlir::func::FuncOp function);

/// Reports a workspace of `bytes`, in words, that is larger than `budget`.
mlir::InFlightDiagnostic
emitOverBudget(WorkspaceSizes &sizes, const llvm::Twine &bytes, int64_t budget);

/// Returns true if `alloc`, of `bytes` bytes, should be a stack slot: an
/// accumulator tile of a contraction, which LLVM can keep in registers.
bool isStackSlot(mlir::memref::AllocOp alloc, mlir::AffineExpr bytes);

/// Returns the largest number of workers that execute `function` at the same
/// time.
int64_t getNumWorkers(mlir::func::FuncOp function);

/// Returns true if each worker has a buffer of its own for `alloc`.
bool isPrivate(mlir::memref::AllocOp alloc);

/// Returns the positions of the ops of a function's only block, in order.
llvm::DenseMap<mlir::Operation *, unsigned>
numberOps(mlir::func::FuncOp function);

/// The positions between which the allocations of a function are live: those of
/// the ops at the top level that touch them. A buffer inside a loop is live for
/// the whole loop.
class LiveRanges {
public:
  LiveRanges(mlir::func::FuncOp function,
             const llvm::DenseMap<mlir::Operation *, unsigned> &positions);

  /// Sets `begin` and `end` of `buffer`, which is `alloc`.
  void set(LiveBuffer &buffer, mlir::memref::AllocOp alloc) const;

private:
  llvm::DenseMap<mlir::Value, std::pair<unsigned, unsigned>> ranges;
};

/// Extends live ranges in a function that several workers execute up to the
/// next barrier: a slow worker may still use a buffer while a faster one
/// continues.
void extendToBarriers(
    llvm::MutableArrayRef<LiveBuffer *> buffers, mlir::func::FuncOp function,
    const llvm::DenseMap<mlir::Operation *, unsigned> &positions);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TRANSFORMS_MEMORY_WORKSPACEPLAN_H
