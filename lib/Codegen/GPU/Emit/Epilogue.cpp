//===- Epilogue.cpp - What is computed of a result in registers -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"

#include "../Groups/EpilogueOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace flywheel {

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
  current[getEpilogueRoot(result)] = value;
  if (isKept(getEpilogueRoot(result)))
    memref::StoreOp::create(b, loc, value, result, indices);
  for (ThreadEmitter &member : members) {
    linalg::LinalgOp op = member.op;
    for (auto [dim, expr] : llvm::enumerate(getAlong(op).getResults()))
      member.setIndex(dim, emitIndex(b, loc, expr, indices));
    SmallVector<Value> inputs, outs;
    for (OpOperand &operand : op->getOpOperands()) {
      bool isOut = op.isDpsInit(&operand);
      bool isUsed = !op.getMatchingBlockArgument(&operand).use_empty();
      Value element;
      if (isUsed) {
        auto known = current.find(getEpilogueRoot(operand.get()));
        element = known != current.end() ? known->second : member.load(operand);
      }
      (isOut ? outs : inputs).push_back(element);
    }
    SmallVector<Value> results = member.emitBody(inputs, outs);
    for (auto [out, next] : llvm::zip_equal(op.getDpsInitsMutable(), results)) {
      Value root = getEpilogueRoot(out.get());
      current[root] = next;
      if (isKept(root))
        member.store(next, out);
    }
  }
}

} // namespace flywheel
