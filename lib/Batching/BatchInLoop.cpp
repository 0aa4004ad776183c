//===- BatchInLoop.cpp - An op position by position -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Batching/OpBatcher.h"

#include "ForEachUse.h"

#include "flywheel/Dialect/NN/NNBuilders.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Interfaces/Effects.h"
#include "flywheel/Interfaces/SizeOpInterfaces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace flywheel {

/// Returns the groups that drop a leading dimension of size 1 before `rank`
/// others.
static SmallVector<ReassociationIndices> getUnitGroups(int64_t rank) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < rank; ++dim)
    groups.push_back(dim == 0 ? ReassociationIndices{0, 1}
                              : ReassociationIndices{dim + 1});
  return groups;
}

/// Emits the slice of a dense value that belongs to one position.
static Value emitPart(OpBuilder &b, Location loc, Value dense, Value position,
                      Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return tensor::ExtractOp::create(b, loc, dense, position);
  nn::SlicePlace slice(b, loc, dense, position);
  Value part = nn::buildExtractSlice(b, loc, dense, slice.offsets, slice.sizes,
                                     slice.strides);
  part = tensor::CollapseShapeOp::create(b, loc, part,
                                         getUnitGroups(tensor.getRank()));
  return nn::buildCast(b, loc, part, type);
}

/// Inserts `part` into `dense` at one position.
static Value emitWhole(OpBuilder &b, Location loc, Value part, Value dense,
                       Value position) {
  auto type = dyn_cast<RankedTensorType>(part.getType());
  if (!type)
    return tensor::InsertOp::create(b, loc, part, dense, position);
  nn::SlicePlace slice(b, loc, dense, position);
  SmallVector<int64_t> shape{1};
  llvm::append_range(shape, type.getShape());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, part);
  sizes.insert(sizes.begin(), b.getIndexAttr(1));
  Value expanded = tensor::ExpandShapeOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), part,
      getUnitGroups(type.getRank()), sizes);
  // The dimension sizes are those of the whole, which may say more about them.
  SmallVector<int64_t> known(
      cast<RankedTensorType>(dense.getType()).getShape());
  known[0] = 1;
  expanded = nn::buildCast(b, loc, expanded,
                           RankedTensorType::get(known, type.getElementType()));
  return nn::buildInsertSlice(b, loc, expanded, dense, slice.offsets,
                              slice.sizes, slice.strides);
}

/// Emits `op` for any values of the shapes of its inputs: nothing but the
/// shapes of its results is used, and no more is left once those are known.
Operation *OpBatcher::emitForShape(Operation *op) {
  Location loc = op->getLoc();
  IRMapping mapping;
  forEachUse(op, [&](Value value) {
    if (!isBatched(value))
      mapping.map(value, getUniform(value));
    else if (isa<RankedTensorType>(value.getType()))
      mapping.map(value, nn::buildCast(builder, loc, getShape(loc, value),
                                       value.getType()));
    else
      mapping.map(value,
                  arith::ConstantOp::create(
                      builder, loc, builder.getZeroAttr(value.getType())));
  });
  return builder.clone(*op, mapping);
}

/// Emits a dense value for result `result` of an op, with any elements.
Value OpBatcher::emitEmptyResult(OpResult result) {
  Location loc = result.getLoc();
  SmallVector<OpFoldResult> sizes{dimSize};
  Operation *copy = nullptr;
  auto type = dyn_cast<RankedTensorType>(result.getType());
  for (int64_t dim = 0, e = type ? type.getRank() : 0; dim < e; ++dim) {
    if (!type.isDynamicDim(dim)) {
      sizes.push_back(builder.getIndexAttr(type.getDimSize(dim)));
      continue;
    }
    if (DimSizeSource source = findDimSizeSource(result, dim); source.value) {
      sizes.push_back(getSizes(loc, source.value)[source.dim]);
      continue;
    }
    if (!copy)
      copy = emitForShape(result.getOwner());
    sizes.push_back(tensor::getMixedSize(
        builder, loc, copy->getResult(result.getResultNumber()), dim));
  }
  RankedTensorType denseType = getDenseType(result.getType());
  Value empty =
      tensor::EmptyOp::create(builder, loc, sizes, denseType.getElementType());
  return nn::buildCast(builder, loc, empty, denseType);
}

LogicalResult OpBatcher::batchInLoop(Operation *op) {
  if (!isRecomputable(op) && !isa<train::HostCallOp>(op))
    return emitMissingRule(op);
  Location loc = op->getLoc();
  llvm::SetVector<Value> inputs;
  forEachUse(op, [&](Value value) { inputs.insert(value); });
  SmallVector<Value> dense = llvm::map_to_vector(inputs, [&](Value input) {
    return isBatched(input) ? getDense(loc, input) : Value();
  });

  SmallVector<Value> inits;
  for (OpResult result : op->getResults())
    inits.push_back(emitEmptyResult(result));

  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value count = getValueOrCreateConstantIndexOp(builder, loc, dimSize);
  auto loop = scf::ForOp::create(builder, loc, zero, count, one, inits);
  OpBuilder in = OpBuilder::atBlockBegin(loop.getBody());
  Value position = loop.getInductionVar();
  IRMapping mapping;
  for (auto [input, whole] : llvm::zip_equal(inputs, dense))
    mapping.map(input, whole
                           ? emitPart(in, loc, whole, position, input.getType())
                           : getUniform(input));
  Operation *copy = in.clone(*op, mapping);
  SmallVector<Value> yielded;
  for (auto [result, into] :
       llvm::zip_equal(copy->getResults(), loop.getRegionIterArgs()))
    yielded.push_back(emitWhole(in, loc, result, into, position));
  if (!yielded.empty())
    scf::YieldOp::create(in, loc, yielded);
  for (auto [old, result] :
       llvm::zip_equal(op->getResults(), loop.getResults()))
    setDense(old, result);
  return success();
}

LogicalResult OpBatcher::batchSliced(Operation *op,
                                     ArrayRef<std::optional<int64_t>> dims) {
  Location loc = op->getLoc();
  OpResult result = op->getResult(0);
  SmallVector<Value> operands = llvm::map_to_vector(
      op->getOperands(), [&](Value operand) { return lookup(operand).value; });
  Value init = emitEmptyResult(result);

  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value count = getValueOrCreateConstantIndexOp(builder, loc, dimSize);
  auto loop = scf::ForOp::create(builder, loc, zero, count, one, init);
  OpBuilder in = OpBuilder::atBlockBegin(loop.getBody());
  Value position = loop.getInductionVar();
  for (auto [operand, dim] : llvm::zip_equal(operands, dims)) {
    if (!dim)
      continue;
    int64_t rank = cast<RankedTensorType>(operand.getType()).getRank();
    SmallVector<OpFoldResult> offsets(rank, in.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(rank, in.getIndexAttr(1));
    SmallVector<OpFoldResult> slice = tensor::getMixedSizes(in, loc, operand);
    offsets[*dim] = position;
    slice[*dim] = in.getIndexAttr(1);
    operand = nn::buildExtractSlice(in, loc, operand, offsets, slice, strides);
  }
  Operation *copy = op->clone();
  copy->setOperands(operands);
  in.insert(copy);
  Value whole = emitWhole(in, loc, copy->getResult(0), loop.getRegionIterArg(0),
                          position);
  scf::YieldOp::create(in, loc, whole);
  setDense(result, loop.getResult(0));
  return success();
}

} // namespace flywheel
