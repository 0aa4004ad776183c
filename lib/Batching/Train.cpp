//===- Train.cpp - Batching rules of the train dialect --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "flywheel/Dialect/Train/Train.h"

using namespace mlir;

namespace flywheel {

ArrayRef<BatchingRule> getTrainBatchingRules() {
  static const BatchingRule rules[] = {
      // Its own rule is for one position.
      looped<train::CustomVjpOp>(),
      // The host sees the values of one position after the other.
      looped<train::HostCallOp>(),
      // Parameters stay apart: one for all positions, as there was one for
      // each.
      batched<train::ParameterOp,
              ElementwiseBatching<train::ParameterOp, /*keepsZero=*/true>>(),
      batched<train::StopGradientOp,
              ElementwiseBatching<train::StopGradientOp, /*keepsZero=*/true>>(),
  };
  return rules;
}

} // namespace flywheel
