//===- Epilogue.cpp - What is computed of a result in registers -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"

#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Dialect/Codegen/Codegen.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace flywheel {

static AffineMapAttr getAlong(Operation *op) {
  return op->getAttrOfType<AffineMapAttr>(
      codegen::CodegenDialect::getAlongAttrName());
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

/// Returns the buffer that `buffer` is a part of, in any shape.
static Value getRoot(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (!isa<memref::ExpandShapeOp, memref::CollapseShapeOp, memref::SubViewOp,
             memref::CastOp>(op))
      break;
    buffer = op->getOperand(0);
  }
  return buffer;
}

/// Returns true if the next structured op, a contraction, adds to the buffer
/// that `fill` writes.
static bool isStartOfSum(linalg::FillOp fill) {
  for (Operation *next = fill->getNextNode(); next; next = next->getNextNode())
    if (auto op = dyn_cast<linalg::LinalgOp>(next))
      return isContraction(op) && getRoot(op.getDpsInits().front()) ==
                                      getRoot(fill.getOutputs().front());
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
            llvm::any_of(op.getDpsInputs(),
                         [&](Value input) { return getRoot(input) == buffer; }))
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

/// Emits the value of `expr`, of numbers that are not negative.
static Value emitIndex(OpBuilder &b, Location loc, AffineExpr expr,
                       ArrayRef<Value> dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return arith::ConstantIndexOp::create(b, loc, constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value lhs = emitIndex(b, loc, binary.getLHS(), dims);
  Value rhs = emitIndex(b, loc, binary.getRHS(), dims);
  switch (expr.getKind()) {
  case AffineExprKind::Mod:
    return b.createOrFold<arith::RemUIOp>(loc, lhs, rhs);
  case AffineExprKind::FloorDiv:
    return b.createOrFold<arith::DivUIOp>(loc, lhs, rhs);
  case AffineExprKind::Mul:
    return b.createOrFold<arith::MulIOp>(loc, lhs, rhs);
  default:
    return b.createOrFold<arith::AddIOp>(loc, lhs, rhs);
  }
}

Epilogue::Epilogue(OpBuilder &b, ArrayRef<linalg::LinalgOp> ops) : b(b) {
  for (linalg::LinalgOp op : ops)
    members.emplace_back(op, b);
}

void Epilogue::emit(Location loc, Value value, Value result,
                    ArrayRef<Value> indices) {
  auto isKept = [](Value root) {
    return !isa_and_present<memref::AllocOp>(root.getDefiningOp());
  };
  // The newest value of the element of each buffer.
  llvm::SmallDenseMap<Value, Value> current;
  current[getRoot(result)] = value;
  if (isKept(getRoot(result)))
    memref::StoreOp::create(b, loc, value, result, indices);
  for (ThreadEmitter &member : members) {
    linalg::LinalgOp op = member.op;
    for (auto [dim, expr] :
         llvm::enumerate(getAlong(op).getValue().getResults()))
      member.setIndex(dim, emitIndex(b, loc, expr, indices));
    SmallVector<Value> inputs, outs;
    for (OpOperand &operand : op->getOpOperands()) {
      bool isOut = op.isDpsInit(&operand);
      bool isUsed = !op.getMatchingBlockArgument(&operand).use_empty();
      Value element;
      if (isUsed) {
        auto known = current.find(getRoot(operand.get()));
        element = known != current.end() ? known->second : member.load(operand);
      }
      (isOut ? outs : inputs).push_back(element);
    }
    SmallVector<Value> results = member.emitBody(inputs, outs);
    for (auto [out, next] : llvm::zip_equal(op.getDpsInitsMutable(), results)) {
      Value root = getRoot(out.get());
      current[root] = next;
      if (isKept(root))
        member.store(next, out);
    }
  }
}

} // namespace flywheel
