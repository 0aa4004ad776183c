//===- OpBatcher.cpp - Many rows of a computation at once -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Batching/OpBatcher.h"

#include "ForEachUse.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"
#include "flywheel/Interfaces/Captures.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace flywheel {

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

OpBatcher::OpBatcher(OpBuilder &builder, OpFoldResult dimSize,
                     Operation *request)
    : builder(builder), dimSize(dimSize), request(request) {
  // Types and sizes must say the same.
  if (std::optional<int64_t> constant = getConstantIntValue(dimSize))
    this->dimSize = builder.getIndexAttr(*constant);
}

int64_t OpBatcher::getStaticDimSize() const {
  return getConstantIntValue(dimSize).value_or(ShapedType::kDynamic);
}

/// Returns true if values of `type` can be batched.
static bool canBatch(Type type) {
  return isa<RankedTensorType>(type) || type.isIntOrIndexOrFloat();
}

RankedTensorType OpBatcher::getDenseType(Type type) const {
  SmallVector<int64_t> shape{getStaticDimSize()};
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    llvm::append_range(shape, tensor.getShape());
  return RankedTensorType::get(shape, getElementTypeOrSelf(type));
}

BatchedValue OpBatcher::lookup(Value value) const {
  auto found = values.find(value);
  return found == values.end() ? BatchedValue{value} : found->second;
}

void OpBatcher::setUniform(Value value, Value uniform) {
  values[value] = {uniform};
}

void OpBatcher::setDense(Value value, Value dense) {
  values[value] = {nn::buildCast(builder, value.getLoc(), dense,
                                 getDenseType(value.getType())),
                   BatchedValue::Kind::Dense};
}

void OpBatcher::setDiagonal(Value value, Value diagonal, int64_t dim,
                            int64_t block) {
  values[value] = {
      nn::buildCast(builder, value.getLoc(), diagonal, value.getType()),
      BatchedValue::Kind::Diagonal, dim, block};
}

Value OpBatcher::getUniform(Value value) const {
  BatchedValue found = lookup(value);
  assert(found.isUniform() && "expected a value that all positions share");
  return found.value;
}

SmallVector<OpFoldResult>
OpBatcher::getUniform(ArrayRef<OpFoldResult> mixed) const {
  return llvm::map_to_vector(mixed, [&](OpFoldResult fold) -> OpFoldResult {
    if (auto value = dyn_cast<Value>(fold))
      return getUniform(value);
    return fold;
  });
}

SmallVector<OpFoldResult> OpBatcher::getSizes(Location loc, Value value) {
  BatchedValue found = lookup(value);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, found.value);
  if (found.isDense())
    sizes.erase(sizes.begin());
  return sizes;
}

SmallVector<OpFoldResult> OpBatcher::getDenseSizes(Location loc, Value value) {
  SmallVector<OpFoldResult> sizes{dimSize};
  if (isa<RankedTensorType>(value.getType()))
    llvm::append_range(sizes, getSizes(loc, value));
  return sizes;
}

Value OpBatcher::getShape(Location loc, Value value) {
  BatchedValue found = lookup(value);
  if (!found.isDense())
    return found.value;
  return tensor::EmptyOp::create(builder, loc, getSizes(loc, value),
                                 getElementTypeOrSelf(value));
}

/// Repeats `uniform` for every position.
Value OpBatcher::spread(Location loc, Value uniform) {
  RankedTensorType type = getDenseType(uniform.getType());
  DenseElementsAttr constant;
  if (type.hasStaticShape() && matchPattern(uniform, m_Constant(&constant)) &&
      constant.isSplat())
    return arith::ConstantOp::create(
        builder, loc, constant.resizeSplat(cast<ShapedType>(type)));

  SmallVector<OpFoldResult> sizes = getDenseSizes(loc, uniform);
  auto emitEmpty = [&] {
    return tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  };
  if (!isa<RankedTensorType>(uniform.getType())) {
    TypedAttr element;
    if (type.hasStaticShape() && matchPattern(uniform, m_Constant(&element)))
      return arith::ConstantOp::create(builder, loc,
                                       SplatElementsAttr::get(type, element));
    SmallVector<Value> dynamic;
    if (!type.hasStaticShape())
      dynamic.push_back(getValueOrCreateConstantIndexOp(builder, loc, dimSize));
    return tensor::SplatOp::create(builder, loc, uniform, type, dynamic);
  }
  if (uniform.getDefiningOp<tensor::EmptyOp>())
    return emitEmpty();

  // A broadcast value is broadcast from its own input.
  Value input = uniform;
  SmallVector<int64_t> dims =
      nn::identityDims(cast<RankedTensorType>(uniform.getType()).getRank());
  if (auto broadcast = uniform.getDefiningOp<nn::BroadcastOp>()) {
    input = broadcast.getInput();
    dims = llvm::to_vector(broadcast.getDims());
  }
  for (int64_t &dim : dims)
    ++dim;
  Value like;
  if (!type.hasStaticShape())
    like = nn::buildCast(builder, loc, emitEmpty(), type);
  return nn::BroadcastOp::create(builder, loc, type, input, like, dims);
}

/// Emits all elements of a diagonal value.
Value OpBatcher::fillDiagonal(Location loc, const BatchedValue &found) {
  Value diagonal = found.value;
  auto type = cast<RankedTensorType>(diagonal.getType());
  unsigned rank = type.getRank() + 1;
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  SmallVector<OpFoldResult> sizes = getDenseSizes(loc, diagonal);
  Value init =
      tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, init.getType(), diagonal, init,
      ArrayRef<AffineMap>{identity.dropResult(0), identity}, iterators,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value position = linalg::IndexOp::create(b, loc, 0);
        Value index = linalg::IndexOp::create(b, loc, found.dim + 1);
        if (found.block != 1)
          index = arith::DivUIOp::create(
              b, loc, index,
              arith::ConstantIndexOp::create(b, loc, found.block));
        Value meets = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                            position, index);
        Value zero = arith::ConstantOp::create(
            b, loc, b.getZeroAttr(type.getElementType()));
        linalg::YieldOp::create(
            b, loc,
            arith::SelectOp::create(b, loc, meets, args[0], zero).getResult());
      });
  return generic.getResult(0);
}

Value OpBatcher::getDense(Location loc, Value value) {
  BatchedValue found = lookup(value);
  if (found.isDense())
    return found.value;
  Value dense =
      found.isUniform() ? spread(loc, found.value) : fillDiagonal(loc, found);
  return nn::buildCast(builder, loc, dense, getDenseType(value.getType()));
}

static bool isZeroValue(Value value) {
  if (matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero()))
    return true;
  Operation *op = value.getDefiningOp();
  if (auto fill = dyn_cast_or_null<linalg::FillOp>(op))
    return isZeroValue(fill.getInputs()[0]);
  if (isa_and_present<nn::BroadcastOp, tensor::CastOp, tensor::SplatOp,
                      tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                      tensor::ExtractSliceOp>(op))
    return isZeroValue(op->getOperand(0));
  return false;
}

bool OpBatcher::isZero(Value value) const {
  BatchedValue found = lookup(value);
  return found.isUniform() && isZeroValue(found.value);
}

bool OpBatcher::isDiagonalOrZero(Value value, int64_t dim,
                                 int64_t block) const {
  BatchedValue found = lookup(value);
  return isZero(value) || (found.isDiagonalInBlocks() && found.dim == dim &&
                           found.block == block);
}

Value OpBatcher::splitBlocks(Location loc, Value value, int64_t dim,
                             int64_t block) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, value);
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < type.getRank(); ++i)
    groups.push_back({i < dim + 1 ? i : i + 1});
  groups[dim].push_back(dim + 1);
  sizes[dim] = type.isDynamicDim(dim)
                   ? dimSize
                   : builder.getIndexAttr(shape[dim] / block);
  shape[dim] = getConstantIntValue(sizes[dim]).value_or(ShapedType::kDynamic);
  sizes.insert(sizes.begin() + dim + 1, builder.getIndexAttr(block));
  shape.insert(shape.begin() + dim + 1, block);
  // A dynamic dimension size makes only dynamic ones.
  if (type.isDynamicDim(dim) && !ShapedType::isDynamic(shape[dim])) {
    SmallVector<int64_t> known(type.getShape());
    known[dim] = shape[dim] * block;
    value = nn::buildCast(builder, loc, value,
                          RankedTensorType::get(known, type.getElementType()));
  }
  return tensor::ExpandShapeOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), value,
      groups, sizes);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void forEachUse(Operation *op, function_ref<void(Value)> visit) {
  for (Value operand : op->getOperands())
    visit(operand);
  for (Value capture : findCaptures(op->getRegions()))
    visit(capture);
}

LogicalResult OpBatcher::emitMissingRule(Operation *op) {
  Value first;
  forEachUse(op, [&](Value value) {
    if (!first && isBatched(value))
      first = value;
  });
  InFlightDiagnostic error = op->emitError()
                             << "no batching rule for '" << op->getName()
                             << "' on " << first.getType();
  error.attachNote(request->getLoc()) << "the Jacobian requested here";
  return error;
}

/// Copies an op whose inputs are all uniform.
LogicalResult OpBatcher::copyUniform(Operation *op) {
  IRMapping mapping;
  forEachUse(op, [&](Value value) { mapping.map(value, lookup(value).value); });
  Operation *copy = builder.clone(*op, mapping);
  for (auto [old, result] :
       llvm::zip_equal(op->getResults(), copy->getResults()))
    setUniform(old, result);
  return success();
}

LogicalResult OpBatcher::batch(Operation *op) {
  bool isUniform = true, canBeBatched = true, isIndexed = false;
  forEachUse(op, [&](Value value) {
    if (!isBatched(value))
      return;
    isUniform = false;
    canBeBatched &= canBatch(value.getType());
    isIndexed |= value.getType().isIntOrIndex();
  });
  if (isUniform)
    return copyUniform(op);
  if (!canBeBatched || !llvm::all_of(op->getResultTypes(), canBatch))
    return emitMissingRule(op);
  if (OpTrait::hasElementwiseMappableTraits(op))
    return emitElementwise(op, /*keepsZero=*/false);
  auto rule = dyn_cast<BatchableOpInterface>(op);
  if (rule && !isIndexed)
    return rule.emitBatched(*this);
  return batchInLoop(op);
}

LogicalResult OpBatcher::batchBody(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(batch(&op)))
      return failure();
  return success();
}

Operation *OpBatcher::emitLike(Operation *op, ValueRange operands,
                               bool isDense) {
  assert(op->getNumRegions() == 0 && "expected an op without regions");
  Operation *copy = op->clone();
  copy->setOperands(operands);
  if (isDense)
    for (OpResult result : copy->getResults())
      result.setType(getDenseType(result.getType()));
  return builder.insert(copy);
}

LogicalResult OpBatcher::emitDense(Operation *op) {
  SmallVector<Value> operands =
      llvm::map_to_vector(op->getOperands(), [&](Value operand) {
        return getDense(op->getLoc(), operand);
      });
  Operation *copy = emitLike(op, operands, /*isDense=*/true);
  for (auto [old, result] :
       llvm::zip_equal(op->getResults(), copy->getResults()))
    setDense(old, result);
  return success();
}

LogicalResult OpBatcher::emitDiagonal(Operation *op, int64_t dim,
                                      int64_t block) {
  SmallVector<Value> operands = llvm::map_to_vector(
      op->getOperands(), [&](Value operand) { return lookup(operand).value; });
  Operation *copy = emitLike(op, operands, /*isDense=*/false);
  for (auto [old, result] :
       llvm::zip_equal(op->getResults(), copy->getResults()))
    setDiagonal(old, result, dim, block);
  return success();
}

LogicalResult
OpBatcher::batchThrough(Operation *op,
                        function_ref<SmallVector<Value>(OpBuilder &)> emit) {
  Block scratch;
  OpBuilder inScratch(op->getContext());
  inScratch.setInsertionPointToEnd(&scratch);
  SmallVector<Value> made = emit(inScratch);
  LogicalResult status = success();
  for (Operation &inner : scratch)
    if (succeeded(status))
      status = batch(&inner);
  if (succeeded(status))
    for (auto [result, value] : llvm::zip_equal(op->getResults(), made))
      values[result] = lookup(value);
  // Nothing may be found under the name of a value that is gone.
  for (Operation &inner : scratch)
    for (Value result : inner.getResults())
      values.erase(result);
  while (!scratch.empty())
    scratch.back().erase();
  return status;
}

} // namespace flywheel
