//===- KnownSigns.h - Values that are known to be positive ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_KNOWNSIGNS_H
#define FLYWHEEL_DIALECT_NN_KNOWNSIGNS_H

#include "mlir/IR/Value.h"

namespace flywheel::nn {

/// Derives the sign of a floating-point value, scalar or tensor, from the ops
/// that compute it. NaN is ignored: a value that may be NaN has a sign if all
/// its other values have it.
class KnownSigns {
public:
  /// Values for which `isPositive` returns true are assumed to be positive.
  explicit KnownSigns(
      llvm::function_ref<bool(mlir::Value)> isPositive = nullptr)
      : isAssumedPositive(isPositive) {}

  /// Returns true if every element of `value` is above 0 and not denormal;
  /// steps flush denormal numbers to 0.
  bool isPositive(mlir::Value value) const { return isPositive(value, 0); }

private:
  bool isPositive(mlir::Value value, unsigned depth) const;
  bool isNonNegative(mlir::Value value, unsigned depth) const;

  llvm::function_ref<bool(mlir::Value)> isAssumedPositive;
};

} // namespace flywheel::nn

#endif // FLYWHEEL_DIALECT_NN_KNOWNSIGNS_H
