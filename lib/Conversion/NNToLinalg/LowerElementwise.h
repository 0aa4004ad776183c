//===- LowerElementwise.h - Elementwise ops to linalg -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CONVERSION_NNTOLINALG_LOWERELEMENTWISE_H
#define FLYWHEEL_LIB_CONVERSION_NNTOLINALG_LOWERELEMENTWISE_H

#include "mlir/IR/PatternMatch.h"

namespace flywheel {

/// Returns true for elementwise ops on ranked tensors.
bool isElementwiseOnTensors(mlir::Operation *op);

/// Adds patterns for those, and for `tensor.splat`.
void populateElementwisePatterns(mlir::RewritePatternSet &patterns);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CONVERSION_NNTOLINALG_LOWERELEMENTWISE_H
