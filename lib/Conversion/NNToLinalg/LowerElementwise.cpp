//===- LowerElementwise.cpp - Elementwise ops on tensors to linalg --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LowerElementwise.h"

#include "flywheel/Dialect/LinalgExt/LinalgEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace flywheel;

bool flywheel::isElementwiseOnTensors(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op) &&
         llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>) &&
         llvm::any_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>);
}

namespace {
/// Destinations are fresh tensors, never operands: no variable becomes the
/// scratch buffer of an intermediate value.
struct LowerElementwise : RewritePattern {
  LowerElementwise(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isElementwiseOnTensors(op) || op->getNumResults() == 0)
      return failure();
    LinalgEmitter e(rewriter, op);
    SmallVector<DimSize> dimSizes = getDimSizes(e);

    // Splat constants become scalars of the body.
    SmallVector<Value> inputs;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()) && !getSplat(operand))
        inputs.push_back(operand);
    SmallVector<Value> inits;
    for (Type type : op->getResultTypes())
      inits.push_back(e.empty(dimSizes, getElementTypeOrSelf(type)));
    SmallVector<AffineMap> maps(inputs.size() + inits.size(),
                                e.identity(dimSizes.size()));
    SmallVector<utils::IteratorType> iterators(dimSizes.size(),
                                               utils::IteratorType::parallel);
    auto generic = linalg::GenericOp::create(
        rewriter, e.loc, TypeRange(ValueRange(inits)), inputs, inits, maps,
        iterators, [&](OpBuilder &b, Location loc, ValueRange args) {
          emitPoint(op, b, loc, args);
        });
    if (op->getNumResults() == 1) {
      e.replaceWith(generic.getResult(0));
      return success();
    }
    SmallVector<Value> results;
    for (auto [value, old] : llvm::zip(generic.getResults(), op->getResults()))
      results.push_back(value.getType() == old.getType()
                            ? Value(value)
                            : Value(tensor::CastOp::create(
                                  rewriter, e.loc, old.getType(), value)));
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  /// Returns the dimension sizes of the results: those of all operands are
  /// equal, so each is static if it is in any operand.
  static SmallVector<DimSize> getDimSizes(LinalgEmitter &e) {
    SmallVector<DimSize> dimSizes;
    for (Value operand : e.op->getOperands()) {
      if (!isa<RankedTensorType>(operand.getType()))
        continue;
      SmallVector<DimSize> found = e.getDimSizes(operand);
      if (dimSizes.empty())
        dimSizes = found;
      for (auto [dimSize, other] : llvm::zip_equal(dimSizes, found))
        dimSize = dimSize.merge(other);
    }
    return dimSizes;
  }

  /// Emits the op itself, on the elements at one point.
  static void emitPoint(Operation *op, OpBuilder &b, Location loc,
                        ValueRange args) {
    SmallVector<Value> operands;
    unsigned next = 0;
    for (Value operand : op->getOperands()) {
      if (!isa<RankedTensorType>(operand.getType()))
        operands.push_back(operand);
      else if (TypedAttr splat = getSplat(operand))
        operands.push_back(arith::ConstantOp::create(b, loc, splat));
      else
        operands.push_back(args[next++]);
    }
    SmallVector<Type> types;
    for (Type type : op->getResultTypes())
      types.push_back(getElementTypeOrSelf(type));
    Operation *point = b.create(loc, op->getName().getIdentifier(), operands,
                                types, op->getAttrs());
    linalg::YieldOp::create(b, loc, point->getResults());
  }
};

struct LowerSplat : OpRewritePattern<tensor::SplatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::SplatOp op,
                                PatternRewriter &rewriter) const override {
    LinalgEmitter e(rewriter, op);
    SmallVector<DimSize> dimSizes;
    auto dynamic = op.getDynamicSizes().begin();
    for (int64_t dimSize : op.getType().getShape())
      dimSizes.push_back(ShapedType::isDynamic(dimSize)
                             ? DimSize{0, *dynamic++, false}
                             : DimSize::constant(dimSize));
    e.replaceWith(e.fill(dimSizes, op.getInput()));
    return success();
  }
};
} // namespace

void flywheel::populateElementwisePatterns(RewritePatternSet &patterns) {
  patterns.add<LowerElementwise, LowerSplat>(patterns.getContext());
}
