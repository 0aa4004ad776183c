//===- MaterializeSplats.cpp - Constants of one value become fills --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Support/CheckedSize.h"
#include "flywheel/Transforms/Bufferization/BufferizationPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_MATERIALIZESPLATS
#include "flywheel/Transforms/Bufferization/BufferizationPasses.h.inc"
} // namespace flywheel

/// Bytes of a constant that is kept: a cache line is read as fast as filled.
constexpr int64_t kMaxKeptBytes = 64;

/// Returns the value of all elements of a constant that is too large to keep,
/// or null.
static TypedAttr getSplatValue(arith::ConstantOp constant) {
  auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
  if (!splat || !isa<RankedTensorType>(constant.getType()) ||
      flywheel::getNumBytes(splat.getType()).getSaturated() <= kMaxKeptBytes)
    return {};
  return dyn_cast<TypedAttr>(splat.getSplatValue<Attribute>());
}

/// Returns the op before which a tensor for `use` is filled. If an op may write
/// the tensor, it is filled again each time.
static Operation *getPlace(OpOperand &use) {
  Operation *place = use.getOwner();
  auto structured = dyn_cast<linalg::LinalgOp>(place);
  if (!structured || !structured.isDpsInput(&use))
    return place;
  for (Operation *op = place->getParentOp(); !isa<func::FuncOp>(op);
       op = op->getParentOp())
    if (isa<LoopLikeOpInterface>(op))
      place = op;
  return place;
}

/// Replaces the input `use` of an op by `value` in its body. Fails if no other
/// operand determines the number of iterations.
static LogicalResult inlineValue(RewriterBase &rewriter, OpOperand &use,
                                 Value value) {
  auto op = dyn_cast<linalg::GenericOp>(use.getOwner());
  if (!op || !op.isDpsInput(&use))
    return failure();
  unsigned number = use.getOperandNumber();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.erase(maps.begin() + number);
  if (!inversePermutation(concatAffineMaps(maps, op.getContext())))
    return failure();
  SmallVector<Value> inputs = op.getInputs();
  inputs.erase(inputs.begin() + number);
  rewriter.setInsertionPoint(op);
  auto inlined = linalg::GenericOp::create(
      rewriter, op.getLoc(), op.getResultTypes(), inputs, op.getOutputs(),
      rewriter.getAffineMapArrayAttr(maps), op.getIteratorTypes(),
      op.getDocAttr(), op.getLibraryCallAttr());
  inlined->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op.getBody()->getArgument(number).replaceAllUsesWith(value);
  op.getBody()->eraseArgument(number);
  rewriter.inlineRegionBefore(op.getRegion(), inlined.getRegion(),
                              inlined.getRegion().begin());
  rewriter.replaceOp(op, inlined.getResults());
  return success();
}

namespace {
struct MaterializeSplats
    : flywheel::impl::MaterializeSplatsBase<MaterializeSplats> {
  void runOnOperation() override {
    SmallVector<arith::ConstantOp> constants;
    getOperation().walk([&](arith::ConstantOp constant) {
      if (getSplatValue(constant))
        constants.push_back(constant);
    });
    for (arith::ConstantOp constant : constants)
      materialize(constant);
  }

private:
  void materialize(arith::ConstantOp constant);
};
} // namespace

void MaterializeSplats::materialize(arith::ConstantOp constant) {
  IRRewriter rewriter(constant);
  auto type = cast<RankedTensorType>(constant.getType());
  Value value = arith::ConstantOp::create(rewriter, constant.getLoc(),
                                          getSplatValue(constant));
  // An op may use the constant several times and be replaced for the first.
  while (!constant->use_empty()) {
    OpOperand &use = *constant->use_begin();
    if (succeeded(inlineValue(rewriter, use, value)))
      continue;
    rewriter.setInsertionPoint(getPlace(use));
    Location loc = use.getOwner()->getLoc();
    Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                          type.getElementType());
    use.set(linalg::FillOp::create(rewriter, loc, value, empty).getResult(0));
    ++numFilled;
  }
  constant.erase();
}
