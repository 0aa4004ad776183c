//===- SizeOpInterfaces.h - What ops know of sizes --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_INTERFACES_SIZEOPINTERFACES_H
#define FLYWHEEL_INTERFACES_SIZEOPINTERFACES_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

namespace flywheel {

/// Dimension `dim` of the tensor `value`, or none if `value` is null.
struct DimSizeSource {
  mlir::Value value;
  int64_t dim = 0;
};

/// The number that `expr`, of symbol 0, is of dimension `dim` of the tensor
/// `value`: that size itself if `expr` is null, and none if `value` is null.
struct DimSizeFormula {
  mlir::Value value;
  int64_t dim = 0;
  mlir::AffineExpr expr;
};

/// Returns the dimension of an operand that dimension `dim` of a result equals,
/// if its op implements `DimSizeSourceOpInterface`, or if all its operands and
/// results have one type.
DimSizeSource findDimSizeSource(mlir::OpResult value, int64_t dim);

/// Returns the same of a result whose size is computed from that of an operand,
/// with the formula.
DimSizeFormula findDimSizeFormula(mlir::OpResult value, int64_t dim);

/// Returns the words for dimension `i` of the tensor `nameA` and dimension `j`
/// of `nameB`, which must be equal: "sizes of dimension ...".
std::string describeEqualSizes(int64_t i, llvm::StringRef nameA, int64_t j,
                               llvm::StringRef nameB);

/// Receives the requirements of an op on the sizes of its operands.
class SizeRelationSink {
public:
  virtual ~SizeRelationSink() = default;

  /// Dimension `i` of `a` is dimension `j` of `b`; an error calls the tensors
  /// `nameA` and `nameB`.
  virtual void equalDims(mlir::Value a, int64_t i, mlir::Value b, int64_t j,
                         llvm::StringRef nameA, llvm::StringRef nameB) = 0;
  /// All dimensions of `a` and `b` are equal.
  virtual void equalShapes(mlir::Value a, mlir::Value b, llvm::StringRef nameA,
                           llvm::StringRef nameB) = 0;
  /// Dimension `i` of `a` is `formula`. An error says that it expected equal
  /// `what`, which names first the formula.
  virtual void equalFormula(DimSizeFormula formula, mlir::Value a, int64_t i,
                            const llvm::Twine &what) = 0;
  /// Dimension `i` of `a` is at least `number`. An error says that it expected
  /// `what` and found `found`, in which the byte 1 stands for the size.
  virtual void atLeast(mlir::Value a, int64_t i, int64_t number,
                       const llvm::Twine &what, llvm::StringRef found) = 0;
};

/// Checks the static sizes of an op that implements `SizeRelationsOpInterface`.
llvm::LogicalResult verifySizeRelations(mlir::Operation *op);

} // namespace flywheel

#include "flywheel/Interfaces/SizeOpInterfaces.h.inc"

#endif // FLYWHEEL_INTERFACES_SIZEOPINTERFACES_H
