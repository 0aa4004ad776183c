//===- LinalgExt.cpp - The linalg_ext dialect -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/LinalgExt/Checks.h"
#include "flywheel/Dialect/Verifiers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::linalg_ext;

#include "flywheel/Dialect/LinalgExt/LinalgExtDialect.cpp.inc"
#include "flywheel/Dialect/LinalgExt/LinalgExtEnums.cpp.inc"

#define GET_OP_CLASSES
#include "flywheel/Dialect/LinalgExt/LinalgExtOps.cpp.inc"

void LinalgExtDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "flywheel/Dialect/LinalgExt/LinalgExtOps.cpp.inc"
      >();
}

Operation *LinalgExtDialect::materializeConstant(OpBuilder &builder,
                                                 Attribute value, Type type,
                                                 Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<ShapedType>(value.getType()).getShape();
}

/// Checks that `value` has a type like one of `shape`.
static LogicalResult verifyShape(Operation *op, Value value, StringRef what,
                                 ArrayRef<int64_t> shape) {
  if (succeeded(verifyCompatibleShape(shapeOf(value), shape)))
    return success();
  auto expected =
      RankedTensorType::get(shape, getElementTypeOrSelf(value.getType()));
  return op->emitOpError() << "expected " << what << " with the shape of "
                           << expected << ", found " << value.getType();
}

/// Checks that `op` works on tensors alone or on buffers alone.
static LogicalResult verifyContainers(Operation *op) {
  Type first = op->getOperand(0).getType();
  for (Type type : op->getOperandTypes())
    if (isa<ShapedType>(type) &&
        isa<TensorType>(type) != isa<TensorType>(first))
      return op->emitOpError() << "expected all tensors or all buffers, found "
                               << first << " and " << type;
  return success();
}

/// Checks that `slices` can be those of `whole` at `indices`; their sizes are
/// relations.
static LogicalResult verifySlices(Operation *op, Value whole, Value indices,
                                  Value slices, StringRef what, int64_t axis) {
  int64_t rank = shapeOf(whole).size();
  return success(succeeded(verifyContainers(op)) &&
                 succeeded(verifyElementTypes(op, whole, slices)) &&
                 succeeded(verifyDims(op, "axis", axis, rank)) &&
                 succeeded(verifyRank(op, slices, what,
                                      rank - 1 + shapeOf(indices).size())) &&
                 succeeded(verifySizeRelations(op)));
}

LogicalResult GatherOp::verify() {
  return verifySlices(*this, getX(), getIndices(), getInit(), "a destination",
                      getAxis());
}

LogicalResult ScatterOp::verify() {
  if (failed(verifySlices(*this, getInit(), getIndices(), getUpdates(),
                          "updates", getAxis())))
    return failure();
  if (!getOrder())
    return success();
  int64_t count = 1;
  for (int64_t size : shapeOf(getIndices()))
    count = ShapedType::isDynamic(size) || ShapedType::isDynamic(count)
                ? ShapedType::kDynamic
                : count * size;
  return verifyShape(*this, getOrder(), "an order", count);
}

LogicalResult ScanOp::verify() {
  if (failed(verifyContainers(*this)) ||
      failed(verifyElementTypes(*this, getX(), getInit())) ||
      failed(verifyDims(*this, "axis", int64_t(getAxis()),
                        shapeOf(getX()).size())))
    return failure();
  Type type = getElementTypeOrSelf(getX().getType());
  if (getKind() == ScanKind::logaddexp && !isa<FloatType>(type))
    return emitOpError() << "expected floats for logaddexp, found " << type;
  return verifySizeRelations(*this);
}

LogicalResult CholeskyOp::verify() {
  if (failed(verifyContainers(*this)) ||
      failed(verifyMinRank(*this, getInit(), "matrices", 2)) ||
      failed(verifyRank(*this, getSuccess(), "a flag", 0)))
    return failure();
  return verifySizeRelations(*this);
}

LogicalResult TriangularSolveOp::verify() {
  if (failed(verifyContainers(*this)) ||
      failed(verifyElementTypes(*this, getA(), getInit())) ||
      failed(verifyMinRank(*this, getA(), "triangles", 2)) ||
      failed(verifyRank(*this, getInit(), "right-hand sides",
                        shapeOf(getA()).size())))
    return failure();
  return verifySizeRelations(*this);
}

LogicalResult ArgsortOp::verify() {
  if (failed(verifyContainers(*this)) ||
      failed(verifyRank(*this, getIndices(), "indices", 1)) ||
      failed(verifySizeRelations(*this)))
    return failure();
  if (getCounts() && shapeOf(getCounts()) != ArrayRef<int64_t>({kNumCounts}))
    return emitOpError() << "expected room for " << kNumCounts
                         << " counts, found " << getCounts().getType();
  return success();
}

LogicalResult CombineRowsOp::verify() {
  if (failed(verifyContainers(*this)) ||
      failed(verifyRank(*this, getIndices(), "indices", 1)) ||
      failed(verifyMinRank(*this, getRows(), "rows", 1)))
    return failure();
  return verifySizeRelations(*this);
}

LogicalResult UpdateRowsOp::verify() {
  if (getTables().empty())
    return emitOpError() << "expected a table, found none";
  if (failed(verifyContainers(*this)) ||
      failed(verifyRank(*this, getIndices(), "indices", 1)) ||
      failed(verifyMinRank(*this, getRows(), "rows", 1)))
    return failure();
  SmallVector<Type> elements = {getElementTypeOrSelf(getRows())};
  for (Value table : getTables()) {
    elements.push_back(getElementTypeOrSelf(table));
    if (failed(verifyRank(*this, table, "a table", shapeOf(getRows()).size())))
      return failure();
  }
  if (failed(verifySizeRelations(*this)))
    return failure();
  Block &block = getBody().front();
  if (block.getArgumentTypes() != TypeRange(elements))
    return emitOpError() << "expected a region of an element of a row and of "
                            "each table, of types "
                         << elements << ", found "
                         << SmallVector<Type>(block.getArgumentTypes());
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield)
    return emitOpError() << "expected a region that ends in "
                         << YieldOp::getOperationName() << ", found '"
                         << block.getTerminator()->getName() << "'";
  if (yield.getOperandTypes() != TypeRange(elements).drop_front())
    return emitOpError() << "expected a new element of each table, of types "
                         << ArrayRef(elements).drop_front() << ", found "
                         << SmallVector<Type>(yield.getOperandTypes());
  return success();
}

LogicalResult HostCallOp::verify() {
  if (failed(verifyContainers(*this)))
    return failure();
  return verifyRank(*this, getStatus(), "a status", 0);
}

LogicalResult StoreOp::verify() {
  if (failed(verifyElementTypes(*this, getSource(), getDestination())))
    return failure();
  return verifyShape(*this, getSource(), "a source", shapeOf(getDestination()));
}

LogicalResult InsertSlicesOp::verify() {
  auto whole = cast<RankedTensorType>(getInit().getType());
  size_t rank = whole.getRank(), expected = rank * getSources().size();
  if (getSources().empty() || rank == 0)
    return emitOpError() << "expected slices of a tensor of rank 1 at least";
  for (ArrayRef<int64_t> numbers :
       {getStaticOffsets(), getStaticSizes(), getStaticStrides()})
    if (numbers.size() != expected)
      return emitOpError() << "expected " << expected
                           << " offsets, sizes and strides, found "
                           << numbers.size();
  for (auto [index, source] : llvm::enumerate(getSources())) {
    auto slice =
        RankedTensorType::get(getStaticSizes().slice(index * rank, rank),
                              whole.getElementType(), whole.getEncoding());
    if (isRankReducedType(slice, cast<RankedTensorType>(source.getType())) !=
        SliceVerificationResult::Success)
      return emitOpError() << "expected a source of type " << slice
                           << " or without dimensions of size 1, found "
                           << source.getType();
  }
  return success();
}

LogicalResult CommitOp::verify() {
  for (auto [value, storage] : llvm::zip(getValues(), getStorages())) {
    if (isa<TensorType>(value.getType()) != isa<TensorType>(storage.getType()))
      return emitOpError() << "expected all tensors or all buffers, found "
                           << value.getType() << " and " << storage.getType();
    if (failed(verifyElementTypes(*this, value, storage)) ||
        failed(verifyShape(*this, value, "a value", shapeOf(storage))))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// StoreOp: the subset of its destination that it writes is all of it
//===----------------------------------------------------------------------===//

LogicalResult StoreOp::reifyResultShapes(OpBuilder &b,
                                         ReifiedRankedShapedTypeDims &shapes) {
  shapes = {tensor::getMixedSizes(b, getLoc(), getDestination())};
  return success();
}

LogicalResult
InsertSlicesOp::reifyResultShapes(OpBuilder &b,
                                  ReifiedRankedShapedTypeDims &shapes) {
  shapes = {tensor::getMixedSizes(b, getLoc(), getInit())};
  return success();
}

void InsertSlicesOp::build(OpBuilder &b, OperationState &state,
                           ValueRange sources, Value init,
                           ArrayRef<OpFoldResult> offsets,
                           ArrayRef<OpFoldResult> sizes,
                           ArrayRef<OpFoldResult> strides) {
  SmallVector<int64_t> staticOffsets, staticSizes, staticStrides;
  SmallVector<Value> dynamicOffsets, dynamicSizes, dynamicStrides;
  dispatchIndexOpFoldResults(offsets, dynamicOffsets, staticOffsets);
  dispatchIndexOpFoldResults(sizes, dynamicSizes, staticSizes);
  dispatchIndexOpFoldResults(strides, dynamicStrides, staticStrides);
  build(b, state, init.getType(), init, sources, dynamicOffsets, dynamicSizes,
        dynamicStrides, staticOffsets, staticSizes, staticStrides);
}

SmallVector<OpFoldResult> InsertSlicesOp::getMixedOffsets() {
  return getMixedValues(getStaticOffsets(), getOffsets(), getContext());
}

SmallVector<OpFoldResult> InsertSlicesOp::getMixedSizes() {
  return getMixedValues(getStaticSizes(), getSizes(), getContext());
}

SmallVector<OpFoldResult> InsertSlicesOp::getMixedStrides() {
  return getMixedValues(getStaticStrides(), getStrides(), getContext());
}

bool StoreOp::operatesOnEquivalentSubset(SubsetOpInterface, AreEquivalent) {
  return false;
}

bool StoreOp::operatesOnDisjointSubset(SubsetOpInterface, AreEquivalent) {
  return false;
}

Value StoreOp::buildSubsetExtraction(OpBuilder &, Location) {
  return getDestination();
}

bool StoreOp::isEquivalentSubset(Value candidate, AreEquivalent areEquivalent) {
  return areEquivalent(getDestination(), candidate);
}

SmallVector<Value> StoreOp::getValuesNeededToBuildSubsetExtraction() {
  return {getDestination()};
}

LogicalResult CheckOp::verify() {
  if (getNumbers().size() > kMaxNamedNumbers)
    return emitOpError() << "expected at most " << kMaxNamedNumbers
                         << " numbers, found " << getNumbers().size();
  for (StringRef text : {getExpected(), getFound().value_or("")})
    for (char c : text)
      if (auto number = static_cast<unsigned char>(c);
          number > getNumbers().size() && number >= 1 &&
          number <= kMaxNamedNumbers)
        return emitOpError() << "expected byte " << unsigned(number)
                             << " in a text to stand for a number, found "
                             << getNumbers().size() << " numbers";
  return success();
}

LogicalResult CheckOp::canonicalize(CheckOp op, PatternRewriter &rewriter) {
  // A check that fails stays: it is an error of the step.
  if (!matchPattern(op.getOk(), m_One()))
    return failure();
  rewriter.eraseOp(op);
  return success();
}

//===----------------------------------------------------------------------===//
// Folders
//===----------------------------------------------------------------------===//

OpFoldResult CompareSizesOp::fold(FoldAdaptor adaptor) {
  Builder b(getContext());
  if (getLhs() == getRhs())
    return b.getBoolAttr(true);
  auto lhs = dyn_cast_or_null<IntegerAttr>(adaptor.getLhs());
  auto rhs = dyn_cast_or_null<IntegerAttr>(adaptor.getRhs());
  if (!lhs || !rhs)
    return {};
  bool isEqual = getPredicate() == SizePredicate::eq;
  bool holds =
      isEqual ? lhs.getInt() == rhs.getInt() : lhs.getInt() >= rhs.getInt();
  // A failing comparison stays, because its error names both numbers.
  return holds ? OpFoldResult(b.getBoolAttr(true)) : OpFoldResult();
}

OpFoldResult StoreOp::fold(FoldAdaptor) {
  return getSource() == getDestination() ? getSource() : Value();
}

//===----------------------------------------------------------------------===//
// Side effects: on buffers only
//===----------------------------------------------------------------------===//

using Effects = SmallVectorImpl<MemoryEffects::EffectInstance>;

static void addEffects(DestinationStyleOpInterface op, Effects &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (op.isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}

void GatherOp::getEffects(Effects &effects) { addEffects(*this, effects); }
void ScatterOp::getEffects(Effects &effects) { addEffects(*this, effects); }
void ScanOp::getEffects(Effects &effects) { addEffects(*this, effects); }
void CholeskyOp::getEffects(Effects &effects) { addEffects(*this, effects); }
void ArgsortOp::getEffects(Effects &effects) { addEffects(*this, effects); }
void CombineRowsOp::getEffects(Effects &effects) { addEffects(*this, effects); }
void UpdateRowsOp::getEffects(Effects &effects) { addEffects(*this, effects); }
void TriangularSolveOp::getEffects(Effects &effects) {
  addEffects(*this, effects);
}
void HostCallOp::getEffects(Effects &effects) { addEffects(*this, effects); }
/// As those of `cf.assert`: it is neither removed nor moved over another one.
void CheckOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get());
}
void FindOutsideOp::getEffects(Effects &effects) {
  if (isa<MemRefType>(getIndices().getType()))
    effects.emplace_back(MemoryEffects::Read::get(), &getIndicesMutable());
}
