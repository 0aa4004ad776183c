//===- HostScalars.h - Numbers that the host need not know ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_HOSTSCALARS_H
#define FLYWHEEL_LIB_CODEGEN_GPU_HOSTSCALARS_H

#include "flywheel/Model/Manifest.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace flywheel {

/// The numbers of a step that the host computes from elements of buffers, which
/// are the device's.
class HostScalars {
public:
  HostScalars(mlir::func::FuncOp kernel, const Manifest &manifest)
      : kernel(kernel), manifest(manifest) {}

  /// Whether `op` is of the host and reads, or writes, an element of a buffer
  /// of the device.
  bool isLoad(mlir::Operation *op) const;
  bool isStore(mlir::Operation *op) const;
  /// Whether `op`, or one in it, is such an access.
  bool hasAccess(mlir::Operation *op) const;

  /// Whether `op` is a loop or a branch of the host that only computes numbers,
  /// of others and of elements of the device.
  bool isComputation(mlir::Operation *op) const;

  /// Whether `value` is computed by arithmetic from elements of the device and
  /// from numbers that the host knows.
  bool isComputable(mlir::Value value);

  /// Whether what `from`, or an op in it, reads may have been written before
  /// `to`, or by an op in it. `to` comes after `from` in its block or in one
  /// that follows.
  bool isClobbered(mlir::Operation *from, mlir::Operation *to) const;

  /// Makes the stores of the host launches of one thread.
  void launchStores();

  /// Has the host read one number for each of its decisions, which branch and
  /// whether a loop goes on: one that takes several elements a launch computes.
  void decideByOneNumber();

  /// Computes in launches what they use of such numbers.
  void moveIntoLaunches();

  /// Erases what nothing uses any more.
  void eraseUnused();

  /// A launch of one thread, which reads all that it needs before it writes.
  /// `b` is in it then.
  mlir::gpu::LaunchOp launchOne(mlir::OpBuilder &b, mlir::Location loc);

  bool isOfOneThread(mlir::gpu::LaunchOp launch) const {
    return ofOneThread.contains(launch);
  }
  /// Whether `launch` may be done at the end of `first`, which comes before it
  /// in its block, as far as memory goes. Both are launches of one thread.
  bool canJoin(mlir::gpu::LaunchOp first, mlir::gpu::LaunchOp launch) const;
  /// Moves the body of `launch` there, and erases it.
  void join(mlir::gpu::LaunchOp first, mlir::gpu::LaunchOp launch);

private:
  /// Collects the ops that compute `value`, in their order; false if there are
  /// others than arithmetic.
  bool collect(mlir::Value value, llvm::SetVector<mlir::Operation *> &ops);
  bool isArithmetic(mlir::Operation *op) const;
  bool isClobbered(mlir::Operation *from, mlir::Value buffer,
                   mlir::Operation *to) const;
  mlir::Value clone(mlir::OpBuilder &b, llvm::ArrayRef<mlir::Operation *> ops,
                    mlir::Value value);
  mlir::Value findUsed(mlir::gpu::LaunchOp launch);
  void moveInto(mlir::gpu::LaunchOp launch, mlir::Value value);
  mlir::Value store(mlir::Value value, llvm::ArrayRef<mlir::Operation *> ops);
  mlir::Value storeInOrder(mlir::Value value);
  mlir::Value loadStored(mlir::Value slot);
  void keep(mlir::Operation *op);

  mlir::func::FuncOp kernel;
  const Manifest &manifest;
  /// Where numbers are that a launch of one thread has computed.
  llvm::DenseMap<mlir::Value, mlir::Value> slots;
  /// The launch that writes a slot.
  llvm::DenseMap<mlir::Value, mlir::Operation *> writers;
  /// The launches of this class, each of which does one thing after the other.
  llvm::SmallPtrSet<mlir::Operation *, 8> ofOneThread;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_HOSTSCALARS_H
