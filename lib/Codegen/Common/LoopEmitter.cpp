//===- LoopEmitter.cpp - Loops around linalg ops on slices ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace flywheel {

Value LoopEmitter::constant(int64_t number) {
  return arith::ConstantIndexOp::create(b, loc, number);
}

OpFoldResult LoopEmitter::size(Value buffer, int64_t dim) {
  return memref::getMixedSize(b, loc, buffer, dim);
}

Value LoopEmitter::sizeValue(Value buffer, int64_t dim) {
  return getValueOrCreateConstantIndexOp(b, loc, size(buffer, dim));
}

void LoopEmitter::appendRest(SmallVectorImpl<Part> &parts, Value buffer,
                             int64_t first) {
  for (int64_t dim = first; dim < rankOf(buffer); ++dim)
    parts.push_back({b.getIndexAttr(0), size(buffer, dim), false});
}

Value LoopEmitter::slice(Value buffer, ArrayRef<Part> parts) {
  SmallVector<OpFoldResult> offsets, sizes,
      strides(parts.size(), b.getIndexAttr(1));
  SmallVector<int64_t> shape;
  for (const Part &part : parts) {
    offsets.push_back(part.offset);
    if (part.isPosition) {
      sizes.push_back(b.getIndexAttr(1));
      continue;
    }
    // Type inference treats a constant value as dynamic.
    std::optional<int64_t> size = getConstantIntValue(part.size);
    sizes.push_back(size ? OpFoldResult(b.getIndexAttr(*size)) : part.size);
    shape.push_back(size.value_or(ShapedType::kDynamic));
  }
  auto type = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
      shape, cast<MemRefType>(buffer.getType()), offsets, sizes, strides));
  return memref::SubViewOp::create(b, loc, type, buffer, offsets, sizes,
                                   strides);
}

void LoopEmitter::nest(ArrayRef<Value> sizes,
                       function_ref<void(ValueRange)> body) {
  SmallVector<Value> begins(sizes.size(), constant(0)),
      steps(sizes.size(), constant(1));
  OpBuilder::InsertionGuard guard(b);
  scf::buildLoopNest(b, loc, begins, sizes, steps,
                     [&](OpBuilder &nested, Location, ValueRange ivs) {
                       b.restoreInsertionPoint(nested.saveInsertionPoint());
                       body(ivs);
                       nested.restoreInsertionPoint(b.saveInsertionPoint());
                     });
}

void LoopEmitter::loop(Value begin, Value end, function_ref<void(Value)> body,
                       int64_t step) {
  OpBuilder::InsertionGuard guard(b);
  auto loop = scf::ForOp::create(b, loc, begin, end, constant(step));
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void LoopEmitter::combine(ValueRange inputs, Value out,
                          ArrayRef<AffineMap> maps,
                          function_ref<Value(OpBuilder &, ValueRange)> body) {
  SmallVector<utils::IteratorType> iterators(maps.back().getNumDims(),
                                             utils::IteratorType::reduction);
  for (AffineExpr expr : maps.back().getResults())
    iterators[cast<AffineDimExpr>(expr).getPosition()] =
        utils::IteratorType::parallel;
  linalg::GenericOp::create(b, loc, inputs, out, maps, iterators,
                            [&](OpBuilder &nested, Location, ValueRange args) {
                              linalg::YieldOp::create(nested, loc,
                                                      body(nested, args));
                            });
}

} // namespace flywheel
