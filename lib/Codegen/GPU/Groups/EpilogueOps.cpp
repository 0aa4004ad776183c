//===- EpilogueOps.cpp - Ops that follow a contraction --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpilogueOps.h"

#include "flywheel/Analysis/BufferAccesses.h"
#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Dialect/Codegen/Codegen.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace flywheel {

AffineMap getAlong(Operation *op) {
  auto map = op->getAttrOfType<AffineMapAttr>(
      codegen::CodegenDialect::getAlongAttrName());
  return map ? map.getValue() : AffineMap();
}

SmallVector<linalg::LinalgOp> getEpilogue(linalg::LinalgOp contraction) {
  SmallVector<linalg::LinalgOp> ops;
  for (Operation *next = contraction->getNextNode(); next;
       next = next->getNextNode()) {
    if (next->getNumRegions() == 0)
      continue;
    auto op = dyn_cast<linalg::LinalgOp>(next);
    if (!op || !getAlong(op))
      break;
    ops.push_back(op);
  }
  return ops;
}

Value getEpilogueRoot(Value buffer) {
  return getViewed<memref::ExpandShapeOp, memref::CollapseShapeOp,
                   memref::SubViewOp, memref::CastOp>(buffer);
}

/// Returns true if the next structured op, a contraction, adds to the buffer
/// that `fill` writes.
static bool isStartOfSum(linalg::FillOp fill) {
  for (Operation *next = fill->getNextNode(); next; next = next->getNextNode())
    if (auto op = dyn_cast<linalg::LinalgOp>(next))
      return isContraction(op) &&
             getEpilogueRoot(op.getDpsInits().front()) ==
                 getEpilogueRoot(fill.getOutputs().front());
  return false;
}

bool isInRegisters(Value buffer) {
  unsigned numFills = 0, numSums = 0;
  SmallVector<Value> worklist{buffer};
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      if (isa<memref::ExpandShapeOp, memref::CollapseShapeOp,
              memref::SubViewOp>(user)) {
        worklist.push_back(user->getResult(0));
      } else if (auto fill = dyn_cast<linalg::FillOp>(user)) {
        if (!isStartOfSum(fill))
          return false;
        ++numFills;
      } else if (auto op = dyn_cast<linalg::LinalgOp>(user)) {
        if (getAlong(op))
          continue;
        if (!isContraction(op) ||
            llvm::any_of(op.getDpsInputs(), [&](Value input) {
              return getEpilogueRoot(input) == buffer;
            }))
          return false;
        ++numSums;
      } else if (!isa<memref::DimOp>(user)) {
        return false;
      }
    }
  return numFills == numSums && numSums <= 1;
}

bool isSmallEpilogue(linalg::LinalgOp op) {
  // 64 elements of a thread, each with the code of a GELU.
  constexpr int64_t kMaxWeight = 72, kFunctionWeight = 24;
  int64_t weight = 0;
  for (Operation &inner : op.getBlock()->without_terminator()) {
    bool isFunction = isa_and_present<math::MathDialect>(inner.getDialect()) &&
                      !isa<math::AbsFOp, math::AbsIOp, math::CopySignOp,
                           math::FloorOp, math::FmaOp, math::SqrtOp>(inner);
    weight += isFunction ? kFunctionWeight : 1;
  }
  return weight <= kMaxWeight;
}

} // namespace flywheel
