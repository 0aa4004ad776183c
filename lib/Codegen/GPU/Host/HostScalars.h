//===- HostScalars.h - Numbers that the host need not know ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_HOST_HOSTSCALARS_H
#define FLYWHEEL_LIB_CODEGEN_GPU_HOST_HOSTSCALARS_H

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

  /// Return true if `op` is of the host and reads, or writes, an element of a
  /// buffer of the device.
  bool isLoad(mlir::Operation *op) const;
  bool isStore(mlir::Operation *op) const;
  /// Returns true if `op`, or one in it, is such an access.
  bool hasAccess(mlir::Operation *op) const;

  /// Returns true if `op` is a loop or a branch of the host that only computes
  /// numbers, from others and from elements of the device.
  bool isComputation(mlir::Operation *op) const;

  /// Returns true if `value` is computed by arithmetic from elements of the
  /// device and from numbers that the host knows.
  bool isComputable(mlir::Value value);

  /// Returns true if an element that `from`, or an op in it, reads may be
  /// written before `to`, or by an op in it. `to` comes after `from` in its
  /// block or in a later one.
  bool isClobbered(mlir::Operation *from, mlir::Operation *to) const;

  /// Moves the stores of the host to launches of one thread.
  void launchStores();

  /// Makes the host read one number for each of its decisions: which branch is
  /// taken, and whether a loop continues. A launch computes a decision that
  /// takes several elements.
  void decideByOneNumber();

  /// Moves computations of such numbers into the launches that use them.
  void moveIntoLaunches();

  /// Erases ops without uses.
  void eraseUnused();

  /// Inserts a launch of one thread, which reads all its operands before it
  /// writes, and moves `b` into it.
  mlir::gpu::LaunchOp launchOne(mlir::OpBuilder &b, mlir::Location loc);

  bool isOfOneThread(mlir::gpu::LaunchOp launch) const {
    return ofOneThread.contains(launch);
  }
  /// Returns true if memory allows to run `launch` at the end of `first`, which
  /// precedes it in its block. Both are launches of one thread.
  bool canJoin(mlir::gpu::LaunchOp first, mlir::gpu::LaunchOp launch) const;
  /// Moves the body of `launch` to the end of `first`, and erases `launch`.
  void join(mlir::gpu::LaunchOp first, mlir::gpu::LaunchOp launch);

private:
  /// Collects the ops that compute `value`, in their order; returns false if
  /// some of them are not arithmetic.
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
  /// The slots of numbers that a launch of one thread has computed.
  llvm::DenseMap<mlir::Value, mlir::Value> slots;
  /// The launch that writes a slot.
  llvm::DenseMap<mlir::Value, mlir::Operation *> writers;
  /// The launches of one thread, each of which runs its ops one after the
  /// other.
  llvm::SmallPtrSet<mlir::Operation *, 8> ofOneThread;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_HOST_HOSTSCALARS_H
