//===- KnownSigns.h - Values that are known to be positive ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_KNOWNSIGNS_H
#define FLYWHEEL_DIALECT_NN_KNOWNSIGNS_H

#include "mlir/IR/Value.h"

namespace flywheel::nn {

/// What the ops that compute a floating-point value, a number or a tensor, say
/// about its sign. A value that may be NaN has a sign where every other one
/// does.
class KnownSigns {
public:
  /// Of values of which `isPositive` holds this is taken for granted.
  explicit KnownSigns(
      llvm::function_ref<bool(mlir::Value)> isPositive = nullptr)
      : isAssumedPositive(isPositive) {}

  /// Whether every element of `value` is above 0, and no denormal number, which
  /// steps flush to 0.
  bool isPositive(mlir::Value value) const { return isPositive(value, 0); }

private:
  bool isPositive(mlir::Value value, unsigned depth) const;
  bool isNonNegative(mlir::Value value, unsigned depth) const;

  llvm::function_ref<bool(mlir::Value)> isAssumedPositive;
};

} // namespace flywheel::nn

#endif // FLYWHEEL_DIALECT_NN_KNOWNSIGNS_H
