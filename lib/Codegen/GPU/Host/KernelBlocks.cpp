//===- KernelBlocks.cpp - Blocks of a kernel that checks end --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelBlocks.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace flywheel;

Block *flywheel::getArithmeticBody(Operation *op) {
  auto call = dyn_cast<func::CallOp>(op);
  auto callee = call ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
                           call, call.getCalleeAttr())
                     : func::FuncOp();
  if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock())
    return nullptr;
  Block &body = callee.getBody().front();
  bool isPlain = llvm::all_of(body.without_terminator(), [](Operation &inner) {
    return isPure(&inner) && inner.getNumRegions() == 0 &&
           !isa<CallOpInterface>(inner);
  });
  return isPlain ? &body : nullptr;
}

Block *flywheel::getNext(Block *block) {
  Operation *end = block->getTerminator();
  if (auto branch = dyn_cast<cf::BranchOp>(end))
    return branch.getDest();
  auto choice = dyn_cast<cf::CondBranchOp>(end);
  return choice ? choice.getTrueDest() : nullptr;
}

int32_t flywheel::getFailureStatus(Block *block) {
  auto ret = dyn_cast<func::ReturnOp>(block->getTerminator());
  if (!ret || ret.getNumOperands() != 1)
    return 0;
  return static_cast<int32_t>(
      getConstantIntValue(ret.getOperand(0)).value_or(0));
}
