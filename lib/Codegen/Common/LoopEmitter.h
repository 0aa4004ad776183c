//===- LoopEmitter.h - Loops around linalg ops on slices --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_COMMON_LOOPEMITTER_H
#define FLYWHEEL_LIB_CODEGEN_COMMON_LOOPEMITTER_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"

namespace flywheel {

/// The range of one dimension of a buffer that a slice takes.
struct Part {
  mlir::OpFoldResult offset, size;
  /// True if the range is one position, whose dimension is dropped.
  bool isPosition;
};

/// Emits loops around `linalg` ops on slices, before one op.
class LoopEmitter {
public:
  explicit LoopEmitter(mlir::Operation *op) : b(op), loc(op->getLoc()) {}

protected:
  mlir::Value constant(int64_t number);
  mlir::OpFoldResult size(mlir::Value buffer, int64_t dim);
  mlir::Value sizeValue(mlir::Value buffer, int64_t dim);
  static int64_t rankOf(mlir::Value buffer) {
    return mlir::cast<mlir::MemRefType>(buffer.getType()).getRank();
  }

  static Part at(mlir::OpFoldResult position) { return {position, {}, true}; }
  static void append(llvm::SmallVectorImpl<Part> &parts,
                     mlir::ValueRange positions) {
    for (mlir::Value position : positions)
      parts.push_back(at(position));
  }
  /// Appends all dimensions from `first` on.
  void appendRest(llvm::SmallVectorImpl<Part> &parts, mlir::Value buffer,
                  int64_t first);
  mlir::Value slice(mlir::Value buffer, llvm::ArrayRef<Part> parts);

  /// Emits a loop nest over the given sizes.
  void nest(llvm::ArrayRef<mlir::Value> sizes,
            llvm::function_ref<void(mlir::ValueRange)> body);
  void loop(mlir::Value begin, mlir::Value end,
            llvm::function_ref<void(mlir::Value)> body, int64_t step = 1);
  /// Emits a structured op that combines slices; the last of `maps` is that of
  /// `out`.
  void
  combine(mlir::ValueRange inputs, mlir::Value out,
          llvm::ArrayRef<mlir::AffineMap> maps,
          llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::ValueRange)>
              body);

  mlir::OpBuilder b;
  mlir::Location loc;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_COMMON_LOOPEMITTER_H
