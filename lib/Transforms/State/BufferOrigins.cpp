//===- BufferOrigins.cpp - Origins of buffers -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferOrigins.h"

#include "flywheel/Interfaces/ForwardedValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace flywheel;

Value flywheel::getWholeBuffer(Value buffer) {
  while (auto cast = buffer.getDefiningOp<memref::CastOp>())
    buffer = cast.getSource();
  return buffer;
}

/// Returns the values that may be `value`. A value that a loop carries stays in
/// the buffer of its init.
static SmallVector<Value> getPredecessors(Operation *op, Value value) {
  SmallVector<Value> values = getForwardedValues(value);
  if (isa<LoopLikeOpInterface>(op) && !values.empty())
    values.truncate(1);
  return values;
}

BufferOrigins flywheel::findOrigins(Value buffer) {
  BufferOrigins seen, origins;
  SmallVector<Value> worklist = {buffer};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value))
      continue;
    Operation *op = value.getDefiningOp();
    Operation *owner = op ? op : value.getParentBlock()->getParentOp();
    if (auto view = dyn_cast_or_null<ViewLikeOpInterface>(op))
      worklist.push_back(view.getViewSource());
    else if (auto select = dyn_cast_or_null<arith::SelectOp>(op))
      worklist.append({select.getTrueValue(), select.getFalseValue()});
    else if (isa<RegionBranchOpInterface>(owner))
      llvm::append_range(worklist, getPredecessors(owner, value));
    else
      // The result of an unknown op with regions may be any buffer.
      origins.insert(op && op->getNumRegions() > 0 ? Value() : value);
  }
  return origins;
}

bool flywheel::mayOverlap(const BufferOrigins &a, const BufferOrigins &b) {
  return a.contains(Value()) || b.contains(Value()) ||
         llvm::any_of(a, [&](Value origin) { return b.contains(origin); });
}
