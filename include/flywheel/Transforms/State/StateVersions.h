//===- StateVersions.h - Values that live in one storage --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A functionalized step writes a variable as a chain of values, each made from
// the one before in the same storage: by an op on that destination, by a
// store, or by control flow whose every path does so.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TRANSFORMS_STATE_STATEVERSIONS_H
#define FLYWHEEL_TRANSFORMS_STATE_STATEVERSIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"

namespace flywheel {
/// Returns the tensor that `value` overwrites, as its op specifies: a
/// destination, or the init of a loop or a branch. Null for values with a
/// buffer of their own.
mlir::Value getOverwritten(mlir::Value value);

/// Returns true if `value` is `earlier`, or overwrites it in one or more steps.
bool isInPlaceOf(mlir::Value value, mlir::Value earlier);

/// Returns true if `op` runs one of its regions, once, and the terminator of
/// that region yields the results of `op`.
bool isBranch(mlir::Operation *op);

/// Returns the operands that the regions of `branch` yield as result number
/// `result`.
llvm::SmallVector<mlir::OpOperand *> getYields(mlir::Operation *branch,
                                               unsigned result);

/// The places that the region op `op` passes its result number `result`
/// through: pairs of the value in which a path through a region of `op` finds
/// the storage and the one in which it leaves it.
llvm::SmallVector<std::pair<mlir::Value, mlir::Value>>
getRegionVersions(mlir::Operation *op, unsigned result);

/// Returns the slice of a tensor in whose place the source of `insert` is
/// computed, if it is the same slice as that of `insert`; null if it is
/// computed elsewhere.
mlir::tensor::ExtractSliceOp findPlace(mlir::tensor::InsertSliceOp insert);

/// Returns true if the result of `op` is a slice or reshape of its first
/// operand.
bool isView(mlir::Operation *op);

/// The tensor that `value` is a part or another shape of.
mlir::Value getRoot(mlir::Value value);

/// Returns true if `value` is a version of a variable or of a carried value: an
/// argument of a block, or a stored value. A later op may overwrite it.
bool isStateVersion(mlir::Value value);

/// Copies `value`, a version of `variable` or a part of one, or of a value of
/// the step if `variable` is null, to a buffer of its own. It is a structured
/// copy, marked `train.snapshot`: bufferization inserts none of this form.
mlir::Value copyVersion(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value value, mlir::Attribute variable);

/// Calls `visit` with the argument that is a storage the function writes, and
/// with the value it returns for it: results first, then variables.
void forEachStorage(
    mlir::func::FuncOp function,
    llvm::function_ref<void(mlir::BlockArgument, mlir::Value)> visit);

/// The ops of `block` that its checks need, and these themselves.
llvm::DenseSet<mlir::Operation *> findChecked(mlir::Block &block);

/// Emits an error at the first check of `function` that is not at its top
/// level: nothing could say that it comes before every write.
mlir::LogicalResult verifyChecks(mlir::func::FuncOp function);
} // namespace flywheel

#endif // FLYWHEEL_TRANSFORMS_STATE_STATEVERSIONS_H
