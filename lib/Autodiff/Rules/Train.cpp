//===- Train.cpp - Derivative rules of the train dialect ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"

#include "flywheel/Autodiff/Activity.h"
#include "flywheel/Autodiff/InlineRegion.h"
#include "flywheel/Dialect/Train/Train.h"

using namespace mlir;

namespace flywheel {
namespace {

/// The rule that the user has given.
struct CustomVjpModel
    : DifferentiableOpInterface::ExternalModel<CustomVjpModel,
                                               train::CustomVjpOp> {
  LogicalResult emitVjp(Operation *op, OpBuilder &b, ArrayRef<Value> results,
                        ArrayRef<bool> needed,
                        MutableArrayRef<Value> operands) const {
    SmallVector<Value> arguments(op->getOperands());
    for (auto [result, cotangent] : llvm::zip_equal(op->getResults(), results))
      if (carriesDerivative(result.getType()))
        arguments.push_back(cotangent
                                ? cotangent
                                : nn::buildSplat(b, op->getLoc(), result, 0.0));
    Block &rule = cast<train::CustomVjpOp>(op).getVjp().front();
    SmallVector<Value> cotangents = cloneBlock(b, rule, arguments);
    unsigned next = 0;
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      if (carriesDerivative(operand.getType()))
        operands[i] = cotangents[next++];
    return success();
  }
};
} // namespace

ArrayRef<DerivativeRule> getTrainRules() {
  static const DerivativeRule rules[] = {
      structured<train::CustomVjpOp, CustomVjpModel>(),
      elementwise<train::ParameterOp>([](In i) { return i.g; }),
  };
  return rules;
}

} // namespace flywheel
