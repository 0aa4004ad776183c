//===- ForwardedValues.cpp - Values forwarded by branches and loops -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Interfaces/ForwardedValues.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;

static unsigned getNumber(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getArgNumber();
  return cast<OpResult>(value).getResultNumber();
}

SmallVector<Value> flywheel::getForwardedValues(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && !argument.getOwner()->isEntryBlock())
    return {};
  // Null if values are forwarded to results.
  Region *region = argument ? argument.getOwner()->getParent() : nullptr;
  auto op = dyn_cast_or_null<RegionBranchOpInterface>(
      region ? region->getParentOp() : value.getDefiningOp());
  SmallVector<Value> forwarded;
  if (!op)
    return forwarded;
  for (RegionBranchPoint point : op.getAllRegionBranchPoints()) {
    SmallVector<RegionSuccessor> successors;
    op.getSuccessorRegions(point, successors);
    for (RegionSuccessor successor : successors) {
      if (successor.getSuccessor() != region)
        continue;
      // Arguments that are not successor inputs, such as induction variables,
      // come first.
      ValueRange inputs = successor.getSuccessorInputs();
      if (inputs.empty())
        continue;
      unsigned index = getNumber(value) - getNumber(inputs.front());
      OperandRange operands = op.getSuccessorOperands(point, successor);
      // The unsigned difference is out of range if `value` is not an input.
      if (index < operands.size())
        forwarded.push_back(operands[index]);
    }
  }
  return forwarded;
}
