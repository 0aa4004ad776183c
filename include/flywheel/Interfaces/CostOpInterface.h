//===- CostOpInterface.h - What an op costs ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_INTERFACES_COSTOPINTERFACE_H
#define FLYWHEEL_INTERFACES_COSTOPINTERFACE_H

#include "flywheel/Support/SizeExpr.h"

#include "mlir/IR/OpDefinition.h"

namespace flywheel {

/// The sizes that a cost is a polynomial over.
class CostSizes {
public:
  virtual ~CostSizes() = default;

  /// The size of dimension `dim` of `tensor`.
  virtual CostExpr getSize(mlir::Value tensor, int64_t dim) = 0;
  /// The quotient, rounded down. \param divisor is positive.
  virtual CostExpr getQuotient(const CostExpr &dividend, int64_t divisor) = 0;

  /// Returns the number of elements; 1 for values that are not tensors.
  CostExpr getNumElements(mlir::Value value);
  /// The number of elements times the bytes of one; 0 for indices and others
  /// that are not numbers of the model.
  CostExpr getNumBytes(mlir::Value value);
};

/// One operation for each element of each result.
CostExpr countResultElements(mlir::Operation *op, CostSizes &sizes);

/// Returns the bytes of all operands and results; a repeated operand counts
/// once.
CostExpr countAllBytes(mlir::Operation *op, CostSizes &sizes);

} // namespace flywheel

#include "flywheel/Interfaces/CostOpInterface.h.inc"

#endif // FLYWHEEL_INTERFACES_COSTOPINTERFACE_H
