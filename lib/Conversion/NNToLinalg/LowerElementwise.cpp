//===- LowerElementwise.cpp - Elementwise ops on tensors to linalg --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgEmitter.h"

#include "flywheel/Dialect/NN/NN.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
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
    SmallVector<Extent> extents = getExtents(e);

    // Splat constants become scalars of the body.
    SmallVector<Value> inputs;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()) && !getSplat(operand))
        inputs.push_back(operand);
    SmallVector<Value> inits;
    for (Type type : op->getResultTypes())
      inits.push_back(e.empty(extents, getElementTypeOrSelf(type)));
    SmallVector<AffineMap> maps(inputs.size() + inits.size(),
                                e.identity(extents.size()));
    SmallVector<utils::IteratorType> iterators(extents.size(),
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
  /// The extents of the results: equal, so each is as static as any operand's.
  static SmallVector<Extent> getExtents(LinalgEmitter &e) {
    SmallVector<Extent> extents;
    for (Value operand : e.op->getOperands()) {
      if (!isa<RankedTensorType>(operand.getType()))
        continue;
      SmallVector<Extent> found = e.getExtents(operand);
      if (extents.empty())
        extents = found;
      for (auto [dim, extent] : llvm::enumerate(found))
        extents[dim] = e.expectEqual(extents[dim], extent,
                                     "extents of dimension " + Twine(dim) +
                                         " of operands");
    }
    return extents;
  }

  /// The op itself, on the elements at one point.
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
    SmallVector<Extent> extents;
    auto dynamic = op.getDynamicSizes().begin();
    for (int64_t extent : op.getType().getShape())
      extents.push_back(ShapedType::isDynamic(extent)
                            ? Extent{0, *dynamic++, false}
                            : Extent::constant(extent));
    e.replaceWith(e.fill(extents, op.getInput()));
    return success();
  }
};
} // namespace

/// Lowers a function of one number, which `body` computes in the compute type.
template <typename OpTy>
static LogicalResult
lowerUnary(PatternRewriter &rewriter, OpTy op,
           llvm::function_ref<Value(OpBuilder &, Location, Value)> body) {
  LinalgEmitter e(rewriter, op);
  Type type = getElementTypeOrSelf(op.getX());
  Type compute = e.getComputeType(type);
  SmallVector<Extent> extents = e.getExtents(op.getX());
  e.replaceWith(e.map(extents, type, op.getX(), {e.identity(extents.size())},
                      [&](OpBuilder &b, Location loc, ValueRange args) {
                        Value x = widen(b, loc, args[0], compute);
                        return narrow(b, loc, body(b, loc, x), type);
                      }));
  return success();
}

namespace {
struct LowerRelu : OpRewritePattern<nn::ReluOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::ReluOp op,
                                PatternRewriter &rewriter) const override {
    return lowerUnary(rewriter, op, [](OpBuilder &b, Location loc, Value x) {
      Value zero =
          arith::ConstantOp::create(b, loc, b.getFloatAttr(x.getType(), 0.0));
      return arith::MaximumFOp::create(b, loc, x, zero);
    });
  }
};

/// 1 / (1 + exp(-x)): for a large -x, 1 / inf.
struct LowerSigmoid : OpRewritePattern<nn::SigmoidOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::SigmoidOp op,
                                PatternRewriter &rewriter) const override {
    return lowerUnary(rewriter, op, [](OpBuilder &b, Location loc, Value x) {
      Value one =
          arith::ConstantOp::create(b, loc, b.getFloatAttr(x.getType(), 1.0));
      Value power =
          math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, x));
      return arith::DivFOp::create(b, loc, one,
                                   arith::AddFOp::create(b, loc, one, power));
    });
  }
};

/// max(x, 0) + log1p(exp(-|x|)).
struct LowerSoftplus : OpRewritePattern<nn::SoftplusOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::SoftplusOp op,
                                PatternRewriter &rewriter) const override {
    return lowerUnary(rewriter, op, [](OpBuilder &b, Location loc, Value x) {
      Value zero =
          arith::ConstantOp::create(b, loc, b.getFloatAttr(x.getType(), 0.0));
      Value away =
          arith::NegFOp::create(b, loc, math::AbsFOp::create(b, loc, x));
      Value rest =
          math::Log1pOp::create(b, loc, math::ExpOp::create(b, loc, away));
      return arith::AddFOp::create(
          b, loc, arith::MaximumFOp::create(b, loc, x, zero), rest);
    });
  }
};

struct LowerBroadcast : OpRewritePattern<nn::BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    LinalgEmitter e(rewriter, op);
    auto type = cast<RankedTensorType>(op.getResult().getType());
    SmallVector<Extent> extents;
    for (auto [dim, extent] : llvm::enumerate(type.getShape()))
      extents.push_back(op.getLike() ? e.getExtent(op.getLike(), dim)
                                     : Extent::constant(extent));
    // An extent that is 1 by its type stretches; any other has to fit, also one
    // that turns out to be 1: the derivative is that of the type.
    auto inputType = cast<RankedTensorType>(op.getInput().getType());
    SmallVector<AffineExpr> exprs;
    for (auto [i, dim] : llvm::enumerate(op.getDims())) {
      if (inputType.getDimSize(i) == 1) {
        exprs.push_back(rewriter.getAffineConstantExpr(0));
        continue;
      }
      Extent extent = e.getExtent(op.getInput(), i);
      extents[dim] = e.expectEqual(extents[dim], extent,
                                   "extents of dimension " + Twine(dim) +
                                       " of result and input");
      exprs.push_back(rewriter.getAffineDimExpr(dim));
    }
    if (TypedAttr splat = getSplat(op.getInput())) {
      e.replaceWith(e.fill(extents, e.scalar(splat)));
      return success();
    }
    auto map = AffineMap::get(type.getRank(), 0, exprs, rewriter.getContext());
    e.replaceWith(
        e.map(extents, type.getElementType(), op.getInput(), {map},
              [](OpBuilder &, Location, ValueRange args) { return args[0]; }));
    return success();
  }
};

struct LowerOneHot : OpRewritePattern<nn::OneHotOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::OneHotOp op,
                                PatternRewriter &rewriter) const override {
    LinalgEmitter e(rewriter, op);
    auto result = cast<RankedTensorType>(op.getResult().getType());
    Type type = result.getElementType();
    int64_t rank = result.getRank();
    SmallVector<Extent> extents = e.getExtents(op.getIndices());
    extents.push_back(Extent::constant(result.getShape().back()));
    auto rows = llvm::to_vector(llvm::seq<int64_t>(rank - 1));
    Value one = e.scalar(type, 1), zero = e.scalar(type, 0);
    e.replaceWith(
        e.map(extents, type, op.getIndices(), {e.select(rank, rows)},
              [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                Value wanted = toIndex(b, loc, args[0]);
                Value here = linalg::IndexOp::create(b, loc, rank - 1);
                Value hit = arith::CmpIOp::create(
                    b, loc, arith::CmpIPredicate::eq, here, wanted);
                return arith::SelectOp::create(b, loc, hit, one, zero);
              }));
    return success();
  }
};
} // namespace

void flywheel::populateElementwisePatterns(RewritePatternSet &patterns) {
  patterns.add<LowerElementwise, LowerSplat, LowerRelu, LowerSigmoid,
               LowerSoftplus, LowerBroadcast, LowerOneHot>(
      patterns.getContext());
}
