//===- ThreadEmitter.cpp - What one thread does of a structured op --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadEmitter.h"
#include "../Groups/GroupAccesses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace flywheel {

Value emitIsBelow(OpBuilder &b, Location loc, Value number, Value end) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, number, end);
}

bool isMultipleOf(Value count, int64_t size) {
  std::optional<int64_t> known = getConstantIntValue(count);
  return known && *known % size == 0;
}

ThreadEmitter::ThreadEmitter(linalg::LinalgOp op, OpBuilder &b)
    : op(op), b(b), loc(op.getLoc()) {
  for (const Range &range : op.createLoopRanges(b, loc))
    sizes.push_back(getValueOrCreateConstantIndexOp(b, loc, range.size));
  ivs.resize(sizes.size());
  op.getParallelDims(parallel);
  op.getReductionDims(reductions);
}

Value ThreadEmitter::index(int64_t number) {
  return arith::ConstantIndexOp::create(b, loc, number);
}

Value ThreadEmitter::count(ArrayRef<unsigned> dims) {
  Value product = index(1);
  for (unsigned dim : dims)
    product = b.createOrFold<arith::MulIOp>(loc, product, sizes[dim]);
  return product;
}

void ThreadEmitter::setIndices(ArrayRef<unsigned> dims, Value number) {
  for (auto [place, dim] : llvm::enumerate(llvm::reverse(dims))) {
    if (place + 1 == dims.size()) {
      ivs[dim] = number;
      return;
    }
    ivs[dim] = b.createOrFold<arith::RemUIOp>(loc, number, sizes[dim]);
    number = b.createOrFold<arith::DivUIOp>(loc, number, sizes[dim]);
  }
}

SmallVector<Value> ThreadEmitter::getIndices(OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<Value> indices;
  SmallVector<Value> operands = ivs;
  for (Value &iv : operands)
    if (!iv)
      iv = index(0);
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    indices.push_back(
        dim ? operands[dim.getPosition()]
            : affine::expandAffineExpr(b, loc, expr, operands, ValueRange()));
  }
  return indices;
}

Value ThreadEmitter::load(OpOperand &operand) {
  if (!isa<MemRefType>(operand.get().getType()))
    return operand.get();
  return memref::LoadOp::create(b, loc, operand.get(), getIndices(operand));
}

void ThreadEmitter::store(Value value, OpOperand &operand) {
  memref::StoreOp::create(b, loc, value, operand.get(), getIndices(operand));
}

SmallVector<Value> ThreadEmitter::emitBody(ValueRange outs) {
  Block *body = op.getBlock();
  SmallVector<Value> inputs;
  for (OpOperand *input : op.getDpsInputOperands()) {
    bool isUsed = !body->getArgument(input->getOperandNumber()).use_empty();
    inputs.push_back(isUsed ? load(*input) : Value());
  }
  return emitBody(inputs, outs);
}

SmallVector<Value> ThreadEmitter::emitBody(ValueRange inputs, ValueRange outs) {
  IRMapping mapping;
  Block *body = op.getBlock();
  for (auto [argument, input] :
       llvm::zip(body->getArguments().drop_back(outs.size()), inputs))
    if (input)
      mapping.map(argument, input);
  mapping.map(body->getArguments().take_back(outs.size()), outs);
  for (Operation &inner : body->without_terminator()) {
    if (auto number = dyn_cast<linalg::IndexOp>(inner)) {
      mapping.map(number.getResult(), ivs[number.getDim()]);
      continue;
    }
    b.clone(inner, mapping);
  }
  SmallVector<Value> results;
  for (Value value : body->getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}

SmallVector<Value> ThreadEmitter::emitReductions(ArrayRef<unsigned> dims,
                                                 ValueRange sums) {
  if (dims.empty())
    return emitBody(sums);
  auto loop =
      scf::ForOp::create(b, loc, index(0), sizes[dims.front()], index(1), sums);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  ivs[dims.front()] = loop.getInductionVar();
  SmallVector<Value> results =
      emitReductions(dims.drop_front(), loop.getRegionIterArgs());
  scf::YieldOp::create(b, loc, results);
  return SmallVector<Value>(loop.getResults());
}

void ThreadEmitter::emitIterations(ArrayRef<unsigned> dims) {
  if (dims.empty()) {
    SmallVector<Value> outs;
    for (OpOperand &out : op.getDpsInitsMutable())
      outs.push_back(load(out));
    SmallVector<Value> results = emitBody(outs);
    for (auto [out, result] : llvm::zip_equal(op.getDpsInitsMutable(), results))
      store(result, out);
    return;
  }
  auto loop =
      scf::ForOp::create(b, loc, index(0), sizes[dims.front()], index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  ivs[dims.front()] = loop.getInductionVar();
  emitIterations(dims.drop_front());
}

void ThreadEmitter::emitElement(Value init) {
  if (hasOutputAlongReduction(op))
    return emitIterations(reductions);
  SmallVector<Value> sums;
  for (OpOperand &out : op.getDpsInitsMutable())
    sums.push_back(init ? init : load(out));
  SmallVector<Value> results = emitReductions(reductions, sums);
  for (auto [out, result] : llvm::zip_equal(op.getDpsInitsMutable(), results))
    store(result, out);
}

} // namespace flywheel
