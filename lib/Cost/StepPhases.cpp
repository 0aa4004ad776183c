//===- StepPhases.cpp - Phases of the ops of a step -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepPhases.h"

#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Support/OpNames.h"
#include "flywheel/Support/Phases.h"

using namespace mlir;
using namespace flywheel;

static bool isDerivative(Operation *op) {
  return isMarkedBackward(op->getLoc()) ||
         isa<train::GradientOp, train::JacobianOp, train::JvpOp>(op);
}

/// Returns true if an op belongs to the update by its kind.
static bool isUpdate(Operation *op) {
  if (isa<train::AssignOp, train::AssignNthOp, train::AssignAddOp,
          train::AssignSubOp, train::OptimizerUpdateOpInterface>(op))
    return true;
  // Ops that replaced such an op have its name.
  StringRef name = getSourceOpName(op);
  return name == train::MinimizeOp::getOperationName() ||
         name == train::ApplyGradientsOp::getOperationName() ||
         name == train::AssignOp::getOperationName() ||
         name == train::AssignAddOp::getOperationName() ||
         name == train::AssignSubOp::getOperationName() ||
         name == train::AverageVariablesOp::getOperationName() ||
         name == train::SwapAveragesOp::getOperationName();
}

/// Visits an op and the ops in it. Returns true if its results depend on a
/// derivative.
bool StepPhases::visit(Operation *op, bool isInside) {
  bool isMarked = isInside || isDerivative(op);
  if (isMarked)
    derivatives.insert(op);
  auto isLate = [&](Value value) { return lateValues.contains(value); };
  bool isDependent = isMarked || llvm::any_of(op->getOperands(), isLate);
  // Twice, because a loop may carry a value that its body computes.
  for (unsigned pass = 0; pass < (op->getNumRegions() ? 2 : 1); ++pass)
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        if (isDependent)
          lateValues.insert(block.args_begin(), block.args_end());
        for (Operation &inner : block)
          isDependent |= visit(&inner, isMarked) &&
                         inner.hasTrait<OpTrait::IsTerminator>();
      }
  if (isDependent) {
    late.insert(op);
    lateValues.insert(op->result_begin(), op->result_end());
  }
  return isDependent;
}

void StepPhases::collectNeeded(func::FuncOp function) {
  SmallVector<Operation *> worklist(derivatives.begin(), derivatives.end());
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *producer = operand.getDefiningOp();
        if (producer && needed.insert(producer).second)
          worklist.push_back(producer);
      }
    });
  }
}

StepPhases::StepPhases(func::FuncOp function) {
  for (Operation &op : function.getBody().front())
    visit(&op, /*isInside=*/false);
  if (!derivatives.empty())
    collectNeeded(function);
}

Phase StepPhases::get(Operation *op) const {
  if (derivatives.contains(op))
    return Phase::Backward;
  if (isUpdate(op))
    return Phase::Update;
  if (!late.contains(op))
    return Phase::Forward;
  return needed.contains(op) ? Phase::Backward : Phase::Update;
}
