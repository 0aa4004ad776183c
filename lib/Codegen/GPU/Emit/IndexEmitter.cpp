//===- IndexEmitter.cpp - Arithmetic on positions in launches -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexEmitter.h"
#include "BlockEmitter.h"
#include "ElementLaunch.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;

namespace flywheel {

Value IndexEmitter::sizeOf(Value buffer, int64_t dim) {
  return getValueOrCreateConstantIndexOp(
      b, loc, memref::getMixedSize(b, loc, buffer, dim));
}

SmallVector<Value> IndexEmitter::sizesOf(Value buffer) {
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < rankOf(buffer); ++dim)
    sizes.push_back(sizeOf(buffer, dim));
  return sizes;
}

Value IndexEmitter::product(ArrayRef<Value> numbers) {
  Value product = constant(1);
  for (Value number : numbers)
    product = multiply(product, number);
  return product;
}

SmallVector<Value> IndexEmitter::delinearize(Value number,
                                             ArrayRef<Value> sizes) {
  SmallVector<Value> place(sizes.size());
  for (size_t dim = sizes.size(); dim-- > 0;) {
    place[dim] = number;
    if (dim == 0)
      break;
    place[dim] = b.createOrFold<arith::RemUIOp>(loc, number, sizes[dim]);
    number = b.createOrFold<arith::DivUIOp>(loc, number, sizes[dim]);
  }
  return place;
}

void IndexEmitter::describe(gpu::LaunchOp launch, unsigned number) {
  assert(number < traffic.size() && "a launch that was not measured");
  launch->setAttr(codegen::CodegenDialect::getTrafficAttrName(),
                  traffic[number]);
}

Value IndexEmitter::launchElements(Value count, unsigned launch) {
  ElementLaunch elements = emitElementLaunch(b, loc, count);
  describe(elements.launch, launch);
  return elements.number;
}

gpu::LaunchOp IndexEmitter::launchBlocks(Value numBlocks, unsigned launch) {
  Value one = constant(1), threads = constant(kGroupBlockSize);
  // A grid must not be empty.
  numBlocks = b.createOrFold<arith::MaxUIOp>(loc, numBlocks, one);
  auto blocks =
      gpu::LaunchOp::create(b, loc, numBlocks, one, one, threads, one, one);
  describe(blocks, launch);
  b.setInsertionPointToStart(&blocks.getBody().front());
  b.setInsertionPoint(gpu::TerminatorOp::create(b, loc));
  return blocks;
}

void IndexEmitter::loop(Value begin, Value end, Value step,
                        function_ref<void(Value)> body) {
  OpBuilder::InsertionGuard guard(b);
  auto loop = scf::ForOp::create(b, loc, begin, end, step);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void IndexEmitter::branch(Value condition, function_ref<void()> body) {
  auto branch = scf::IfOp::create(b, loc, condition, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenYield());
  body();
}

Value IndexEmitter::choose(Value condition, function_ref<Value()> inside,
                           Value outside) {
  auto branch = scf::IfOp::create(b, loc, outside.getType(), condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(b, loc, inside());
  b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(b, loc, outside);
  return branch.getResult(0);
}

Value IndexEmitter::loadIndex(Value indices, ValueRange position) {
  Value index = memref::LoadOp::create(b, loc, indices, position);
  if (index.getType().isInteger(1))
    return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), index);
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), index);
}

Value IndexEmitter::loadPosition(Value order, Value number, Value count) {
  Value position = memref::LoadOp::create(b, loc, order, number);
  position = arith::IndexCastOp::create(b, loc, b.getIndexType(), position);
  return arith::MinUIOp::create(b, loc, position, subtract(count, constant(1)));
}

Value IndexEmitter::sum(Value lhs, Value rhs) {
  if (isa<FloatType>(lhs.getType()))
    return arith::AddFOp::create(b, loc, lhs, rhs);
  return arith::AddIOp::create(b, loc, lhs, rhs);
}

} // namespace flywheel
