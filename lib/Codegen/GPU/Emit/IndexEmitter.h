//===- IndexEmitter.h - Arithmetic on positions in launches -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_EMIT_INDEXEMITTER_H
#define FLYWHEEL_LIB_CODEGEN_GPU_EMIT_INDEXEMITTER_H

#include "../Report/LaunchTraffic.h"

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace flywheel {

/// Emits the parts of launches that follow indices, at first before an op and,
/// after a launch is created, in it.
class IndexEmitter {
public:
  explicit IndexEmitter(mlir::Operation *op)
      : b(op), loc(op->getLoc()), traffic(getLaunchTraffic(op)) {}

protected:
  using Value = mlir::Value;

  static int64_t rankOf(Value buffer) {
    return mlir::cast<mlir::MemRefType>(buffer.getType()).getRank();
  }
  Value constant(int64_t number) {
    return mlir::arith::ConstantIndexOp::create(b, loc, number);
  }
  Value sizeOf(Value buffer, int64_t dim);
  llvm::SmallVector<Value> sizesOf(Value buffer);
  Value add(Value lhs, Value rhs) {
    return b.createOrFold<mlir::arith::AddIOp>(loc, lhs, rhs);
  }
  Value subtract(Value lhs, Value rhs) {
    return b.createOrFold<mlir::arith::SubIOp>(loc, lhs, rhs);
  }
  Value multiply(Value lhs, Value rhs) {
    return b.createOrFold<mlir::arith::MulIOp>(loc, lhs, rhs);
  }
  /// Returns the product of `numbers`, 1 for none.
  Value product(llvm::ArrayRef<Value> numbers);
  Value compare(mlir::arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return mlir::arith::CmpIOp::create(b, loc, predicate, lhs, rhs);
  }
  Value both(Value lhs, Value rhs) {
    return mlir::arith::AndIOp::create(b, loc, lhs, rhs);
  }
  /// Returns the position of element `number` of a buffer of `sizes`, whose
  /// last dimension is the innermost one.
  llvm::SmallVector<Value> delinearize(Value number,
                                       llvm::ArrayRef<Value> sizes);

  /// Begins launch `launch` of the op, with a thread for each of `count`
  /// elements, and returns the number of the thread's element. Moves `b` into
  /// it.
  Value launchElements(Value count, unsigned launch = 0);
  /// Begins a launch with `numBlocks` blocks of `kGroupBlockSize` threads, at
  /// least one. Moves `b` to the end of the body.
  mlir::gpu::LaunchOp launchBlocks(Value numBlocks, unsigned launch = 0);

  void loop(Value begin, Value end, Value step,
            llvm::function_ref<void(Value)> body);
  void branch(Value condition, llvm::function_ref<void()> body);
  /// Returns `inside` if `condition` is true, else `outside`: in that case
  /// `inside` is not computed.
  Value choose(Value condition, llvm::function_ref<Value()> inside,
               Value outside);

  /// Returns the index at `position` without a check: a negative one is a large
  /// unsigned number.
  Value loadIndex(Value indices, mlir::ValueRange position);
  /// Returns the position at `number` of an order of `count` positions: always
  /// one below `count`, whatever the order contains.
  Value loadPosition(Value order, Value number, Value count);
  /// Returns a sum of integers, or of floats.
  Value sum(Value lhs, Value rhs);

  mlir::OpBuilder b;
  mlir::Location loc;

private:
  void describe(mlir::gpu::LaunchOp launch, unsigned number);

  /// The memory traffic of each launch of the op.
  llvm::SmallVector<codegen::TrafficAttr> traffic;
};

/// Replace an op on buffers by launches, inserted before it. A scatter has an
/// order.
void launchArgsort(linalg_ext::ArgsortOp op);
void launchScatter(linalg_ext::ScatterOp op);
void launchCombineRows(linalg_ext::CombineRowsOp op);
void launchUpdateRows(linalg_ext::UpdateRowsOp op);
void launchScan(linalg_ext::ScanOp op);
void launchCholesky(linalg_ext::CholeskyOp op);
void launchTriangularSolve(linalg_ext::TriangularSolveOp op);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_EMIT_INDEXEMITTER_H
