//===- BufferOrigins.cpp - Where buffers come from ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferOrigins.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace flywheel;

Value flywheel::getWholeBuffer(Value buffer) {
  while (auto cast = buffer.getDefiningOp<memref::CastOp>())
    buffer = cast.getSource();
  return buffer;
}

Value flywheel::getRootBuffer(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

BufferOrigins flywheel::findOrigins(Value buffer) {
  BufferOrigins seen, origins;
  SmallVector<Value> worklist = {buffer};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value))
      continue;
    auto result = dyn_cast<OpResult>(value);
    Operation *op = value.getDefiningOp();
    if (auto view = dyn_cast_or_null<ViewLikeOpInterface>(op)) {
      worklist.push_back(view.getViewSource());
    } else if (auto select = dyn_cast_or_null<arith::SelectOp>(op)) {
      worklist.append({select.getTrueValue(), select.getFalseValue()});
    } else if (auto branch = dyn_cast_or_null<scf::IfOp>(op)) {
      for (Region &region : branch->getRegions())
        worklist.push_back(region.front().getTerminator()->getOperand(
            result.getResultNumber()));
    } else if (auto loop = dyn_cast_or_null<scf::WhileOp>(op)) {
      worklist.push_back(
          loop.getConditionOp().getArgs()[result.getResultNumber()]);
    } else if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::WhileOp>(argument.getOwner()->getParentOp());
      if (loop && argument.getOwner() == loop.getAfterBody())
        worklist.push_back(
            loop.getConditionOp().getArgs()[argument.getArgNumber()]);
      else
        origins.insert(value);
    } else {
      // What an op passes on that nothing is known of may be anything.
      origins.insert(op->getNumRegions() == 0 ? value : Value());
    }
  }
  return origins;
}

bool flywheel::mayOverlap(const BufferOrigins &a, const BufferOrigins &b) {
  return a.contains(Value()) || b.contains(Value()) ||
         llvm::any_of(a, [&](Value origin) { return b.contains(origin); });
}
