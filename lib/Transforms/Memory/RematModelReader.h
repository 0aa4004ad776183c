//===- RematModelReader.h - A step as a program of its memory ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TRANSFORMS_MEMORY_REMATMODELREADER_H
#define FLYWHEEL_LIB_TRANSFORMS_MEMORY_REMATMODELREADER_H

#include "RematModel.h"
#include "WorkspacePlan.h"

namespace flywheel {

/// The reads and writes of the top-level ops of a bufferized function on its
/// buffers and arguments.
class RematModelReader {
public:
  /// Assumes each symbolic dimension size to be its bound.
  RematModelReader(mlir::func::FuncOp function, const DimSizeBounds &bounds)
      : function(function), sizes(function, bounds) {}

  /// Fills in the fields below. Emits an error for a buffer without a bounded
  /// size.
  llvm::LogicalResult read();

  /// Returns the storages that a value may be a view of, in order.
  llvm::SmallVector<unsigned, 1> getStorages(mlir::Value value) const;

  mlir::func::FuncOp function;
  WorkspaceSizes sizes;
  RematModel program;
  /// The ops and storages of `program`: buffers are results of `memref.alloc`.
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::SmallVector<mlir::Value> storages;

private:
  llvm::LogicalResult readBuffer(mlir::memref::AllocOp alloc,
                                 const LiveRanges &ranges);
  void addStorage(mlir::Value value, Storage storage);
  void readOp(mlir::Operation *op, StepOp &stepOp);
  void readAccesses(mlir::Operation *op, StepOp &stepOp);

  llvm::DenseMap<mlir::Value, unsigned> numbers;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_TRANSFORMS_MEMORY_REMATMODELREADER_H
