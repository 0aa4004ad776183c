//===- InsertParameters.cpp - The train-insert-parameters pass ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: any module. After: each target of a derivative, and each value that
// is constant for one, is a `train.parameter` or a `train.read`. Refuses
// nothing.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Autodiff/AutodiffPasses.h"

#include "flywheel/Dialect/Train/Train.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_INSERTPARAMETERS
#include "flywheel/Autodiff/AutodiffPasses.h.inc"

/// Returns the values with respect to which `op` differentiates, and those that
/// it treats as constants.
static SmallVector<Value> getTargets(Operation *op) {
  SmallVector<Value> targets =
      llvm::TypeSwitch<Operation *, SmallVector<Value>>(op)
          .Case<train::GradientOp, train::JvpOp, train::JacobianOp>(
              [](auto derivative) { return derivative.getXs(); })
          .Default(SmallVector<Value>());
  if (auto gradient = dyn_cast<train::GradientOp>(op))
    llvm::append_range(targets, gradient.getStops());
  return targets;
}

/// Makes `value` a parameter for all that uses it.
static void insertParameter(Value value) {
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  auto parameter = train::ParameterOp::create(builder, value.getLoc(), value);
  value.replaceAllUsesExcept(parameter, parameter);
}

namespace {
struct InsertParameters : impl::InsertParametersBase<InsertParameters> {
  void runOnOperation() override {
    llvm::SetVector<Value> targets;
    getOperation()->walk([&](Operation *op) {
      for (Value target : getTargets(op))
        if (!target.getDefiningOp<train::ParameterOp>() &&
            !target.getDefiningOp<train::ReadOp>())
          targets.insert(target);
    });
    for (Value target : targets)
      insertParameter(target);
    numParameters += targets.size();
  }
};
} // namespace
} // namespace flywheel
