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
      batched<train::StopGradientOp,
              ElementwiseBatching<train::StopGradientOp, /*keepsZero=*/true>>(),
  };
  return rules;
}

} // namespace flywheel
