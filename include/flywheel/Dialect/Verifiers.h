//===- Verifiers.h - Checks that verifiers share ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_VERIFIERS_H
#define FLYWHEEL_DIALECT_VERIFIERS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/TypeUtilities.h"

namespace flywheel {

/// Reports errors of an op, or of one that does not exist yet, because the
/// types of its results are being inferred.
class OpErrors {
public:
  OpErrors(mlir::Operation *op)
      : location(op->getLoc()), name(op->getName().getStringRef()), op(op) {}
  OpErrors(mlir::OpState op) : OpErrors(op.getOperation()) {}
  OpErrors(mlir::Location location, llvm::StringRef name)
      : location(location), name(name) {}

  /// Begins an error with the name of the op.
  mlir::InFlightDiagnostic emitOpError() const {
    if (op)
      return op->emitOpError();
    mlir::InFlightDiagnostic error = mlir::emitError(location);
    error << "'" << name << "' op ";
    return error;
  }

private:
  mlir::Location location;
  llvm::StringRef name;
  /// Null for an op that does not exist yet.
  mlir::Operation *op = nullptr;
};

/// The type of a value that is known to be a ranked tensor.
inline mlir::RankedTensorType tensorOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

/// Checks that two values have one element type.
inline llvm::LogicalResult verifyElementTypes(OpErrors op, mlir::Value a,
                                              mlir::Value b) {
  mlir::Type left = mlir::getElementTypeOrSelf(a);
  mlir::Type right = mlir::getElementTypeOrSelf(b);
  if (left == right)
    return llvm::success();
  return op.emitOpError() << "expected one element type, found " << left
                          << " and " << right;
}

/// Checks that the tensor or buffer `value`, which the message names `what`,
/// has at least rank `rank`.
inline llvm::LogicalResult verifyMinRank(OpErrors op, mlir::Value value,
                                         llvm::StringRef what, int64_t rank) {
  int64_t found = llvm::cast<mlir::ShapedType>(value.getType()).getRank();
  if (found >= rank)
    return llvm::success();
  return op.emitOpError() << "expected " << what << " of rank at least " << rank
                          << ", found rank " << found;
}

/// Checks that the tensor or buffer `value`, which the message names `what`,
/// has rank `rank`.
inline llvm::LogicalResult verifyRank(OpErrors op, mlir::Value value,
                                      llvm::StringRef what, int64_t rank) {
  int64_t found = llvm::cast<mlir::ShapedType>(value.getType()).getRank();
  if (found == rank)
    return llvm::success();
  return op.emitOpError() << "expected " << what << " of rank " << rank
                          << ", found rank " << found;
}

/// Checks that `dims` is strictly increasing and within [0, rank).
inline llvm::LogicalResult verifyDims(OpErrors op, llvm::StringRef what,
                                      llvm::ArrayRef<int64_t> dims,
                                      int64_t rank) {
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (dim < 0 || dim >= rank)
      return op.emitOpError() << "expected " << what << " within [0, " << rank
                              << "), found " << dim;
    if (i > 0 && dims[i - 1] >= dim)
      return op.emitOpError() << "expected strictly increasing " << what
                              << ", found " << dim << " after " << dims[i - 1];
  }
  return llvm::success();
}

} // namespace flywheel

#endif // FLYWHEEL_DIALECT_VERIFIERS_H
