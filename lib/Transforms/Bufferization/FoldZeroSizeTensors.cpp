//===- FoldZeroSizeTensors.cpp - Tensors without elements become empty ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR 22.1.8 handles shapes with a dimension of size 0 incorrectly in several
// places:
// * `tensor.collapse_shape` of 0x? is a tensor of ?, and its buffer one of 0: a
//   buffer that is allocated like it has no size, and other ops do not verify.
// * `tensor.concat` and `tensor.pad` decompose to slices that begin at the end
//   of a dimension. The verifier rejects these as out of bounds, and also
//   slices of dynamic size of a dimension of size 0.
// * The lowering of `memref.expand_shape` divides by the sizes of the group.
// The pass removes all of these ops that have no elements.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Transforms/Bufferization/BufferizationPasses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_FOLDZEROSIZETENSORS
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Transforms/Bufferization/BufferizationPasses.h.inc"
} // namespace flywheel

/// The maximum number of rounds; programs need two or three until their types
/// stop changing.
constexpr unsigned kMaxFoldRounds = 8;

/// Returns true if a tensor has no elements, whatever its dynamic sizes are.
static bool isZeroSize(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && llvm::is_contained(tensor.getShape(), 0);
}

/// Returns the dimension sizes of a result as its op says them of its operands.
static FailureOr<SmallVector<OpFoldResult>> reifySizes(OpBuilder &b,
                                                       OpResult result) {
  Operation *op = result.getOwner();
  if (auto style = dyn_cast<DestinationStyleOpInterface>(op))
    return tensor::getMixedSizes(b, op->getLoc(),
                                 style.getTiedOpOperand(result)->get());
  // Upstream would divide, or read the result.
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return expand.getMixedOutputShape();
  ReifiedRankedShapedTypeDims sizes;
  if (!isa<ReifyRankedShapedTypeOpInterface>(op) ||
      failed(reifyResultShapes(b, op, sizes)))
    return failure();
  return sizes[result.getResultNumber()];
}

/// Has the users of `result` read a `tensor.empty`. Returns whether any read
/// its elements.
static bool replaceByEmpty(RewriterBase &b, OpResult result) {
  // A stored value keeps its destination.
  if (isa<tensor::EmptyOp, flywheel::linalg_ext::StoreOp>(result.getOwner()))
    return false;
  // Canonicalization may leave a cast between different types.
  auto cast = result.getDefiningOp<tensor::CastOp>();
  if (cast && isZeroSize(cast.getSource().getType()))
    return false;
  // Not those that are made to read its sizes.
  SmallVector<OpOperand *> uses =
      llvm::to_vector(llvm::make_pointer_range(result.getUses()));
  b.setInsertionPointAfter(result.getOwner());
  FailureOr<SmallVector<OpFoldResult>> sizes = reifySizes(b, result);
  auto readsSize = [](OpOperand *use) {
    return isa<tensor::DimOp>(use->getOwner());
  };
  bool isRead = !llvm::all_of(uses, readsSize);
  bool readsItself = failed(sizes);
  if (readsItself)
    llvm::erase_if(uses, readsSize);
  if (uses.empty())
    return false;
  Location loc = result.getLoc();
  if (readsItself)
    sizes = tensor::getMixedSizes(b, loc, result);
  auto type = llvm::cast<RankedTensorType>(result.getType());
  SmallVector<Value> dynamic;
  for (auto [size, known] : llvm::zip_equal(*sizes, type.getShape()))
    if (ShapedType::isDynamic(known))
      dynamic.push_back(getValueOrCreateConstantIndexOp(b, loc, size));
  auto empty = tensor::EmptyOp::create(b, loc, type, dynamic);
  for (OpOperand *use : uses)
    b.modifyOpInPlace(use->getOwner(), [&] { use->set(empty); });
  return isRead;
}

/// Folds a collapse to a dimension of size 0, which its type may not show.
static bool foldCollapse(RewriterBase &b, tensor::CollapseShapeOp op) {
  RankedTensorType source = op.getSrcType(), type = op.getResultType();
  if (!isZeroSize(source) || isZeroSize(type))
    return false;
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  SmallVector<OpFoldResult> sizes;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    if (llvm::any_of(
            group, [&](int64_t dim) { return source.getDimSize(dim) == 0; })) {
      sizes.push_back(b.getIndexAttr(0));
      continue;
    }
    AffineExpr product = b.getAffineConstantExpr(1);
    SmallVector<OpFoldResult> factors;
    for (int64_t dim : group) {
      product = product * b.getAffineSymbolExpr(factors.size());
      factors.push_back(tensor::getMixedSize(b, loc, op.getSrc(), dim));
    }
    sizes.push_back(
        affine::makeComposedFoldedAffineApply(b, loc, product, factors));
  }
  Value empty = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  b.replaceOpWithNewOp<tensor::CastOp>(op, type, empty);
  return true;
}

/// Folds a slice of a tensor without elements, which has none either, although
/// its type may not show that: a check, or the bounds of a loop around it,
/// ensure that it is not out of range.
static bool foldSlice(RewriterBase &b, tensor::ExtractSliceOp op) {
  RankedTensorType source = op.getSourceType(), type = op.getType();
  // A cast may have forgotten the size.
  if (auto cast = op.getSource().getDefiningOp<tensor::CastOp>();
      cast && isZeroSize(cast.getSource().getType()))
    source = llvm::cast<RankedTensorType>(cast.getSource().getType());
  if (!isZeroSize(source) || isZeroSize(type))
    return false;
  b.setInsertionPoint(op);
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, size] : llvm::enumerate(op.getMixedSizes())) {
    if (dropped.test(dim))
      continue;
    bool isNone = source.getDimSize(dim) == 0 && !getConstantIntValue(size);
    sizes.push_back(isNone ? OpFoldResult(b.getIndexAttr(0)) : size);
  }
  Value empty =
      tensor::EmptyOp::create(b, op.getLoc(), sizes, type.getElementType());
  if (empty.getType() != type)
    empty = tensor::CastOp::create(b, op.getLoc(), type, empty);
  b.replaceOp(op, empty);
  return true;
}

/// Leaves out operands without elements.
static bool foldConcat(RewriterBase &b, tensor::ConcatOp op) {
  SmallVector<Value> inputs =
      llvm::to_vector(llvm::make_filter_range(op.getInputs(), [](Value input) {
        return !isZeroSize(input.getType());
      }));
  if (inputs.size() == op.getInputs().size() || inputs.empty())
    return false;
  b.setInsertionPoint(op);
  Value rest = inputs.front();
  if (inputs.size() > 1)
    rest = tensor::ConcatOp::create(b, op.getLoc(), op.getDim(), inputs);
  if (rest.getType() != op.getType())
    rest = tensor::CastOp::create(b, op.getLoc(), op.getType(), rest);
  b.replaceOp(op, rest);
  return true;
}

/// Folds a pad of a tensor without elements to its padding.
static bool foldPad(RewriterBase &b, tensor::PadOp op) {
  if (!isZeroSize(op.getSourceType()))
    return false;
  b.setInsertionPoint(op);
  ReifiedRankedShapedTypeDims sizes;
  if (failed(reifyResultShapes(b, op, sizes)))
    return false;
  SmallVector<Value> dynamic;
  for (auto [dim, size] : llvm::enumerate(sizes.front()))
    if (op.getResultType().isDynamicDim(dim))
      dynamic.push_back(getValueOrCreateConstantIndexOp(b, op.getLoc(), size));
  auto generate =
      tensor::GenerateOp::create(b, op.getLoc(), op.getResultType(), dynamic);
  b.inlineRegionBefore(op.getRegion(), generate.getBody(),
                       generate.getBody().begin());
  b.replaceOp(op, generate);
  return true;
}

/// Removes accesses of `op` to tensors without elements, and `op` itself if
/// possible. Returns true if anything changed.
static bool fold(RewriterBase &b, Operation *op) {
  bool isChanged = false;
  for (OpResult result : op->getResults())
    if (isZeroSize(result.getType()))
      isChanged |= replaceByEmpty(b, result);
  if (isChanged)
    return true;
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return foldCollapse(b, collapse);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return foldSlice(b, slice);
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return foldConcat(b, concat);
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return foldPad(b, pad);
  auto insert = dyn_cast<tensor::InsertSliceOp>(op);
  if (!insert || (!isZeroSize(insert.getSourceType()) &&
                  !isZeroSize(insert.getDestType())))
    return false;
  b.replaceOp(insert, insert.getDest());
  return true;
}

namespace {
struct FoldZeroSizeTensors
    : flywheel::impl::FoldZeroSizeTensorsBase<FoldZeroSizeTensors> {
  void runOnOperation() override {
    // Canonicalization may make the types of the remaining ops more static.
    OpPassManager canonicalize(func::FuncOp::getOperationName());
    canonicalize.addPass(createCanonicalizerPass());
    for (unsigned round = 0; round < kMaxFoldRounds && foldAll(); ++round)
      if (failed(runPipeline(canonicalize, getOperation())))
        return signalPassFailure();
  }

private:
  bool foldAll() {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) { ops.push_back(op); });
    IRRewriter b(&getContext());
    bool isChanged = false;
    for (Operation *op : ops)
      isChanged |= fold(b, op);
    return isChanged;
  }
};
} // namespace
