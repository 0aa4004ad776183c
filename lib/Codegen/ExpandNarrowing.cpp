//===- ExpandNarrowing.cpp - Halves without library calls -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/CodegenPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_EXPANDNARROWING
#include "flywheel/Codegen/CodegenPasses.h.inc"
} // namespace flywheel

namespace {
/// Rounds f64 to f32 to odd first: then rounding again sees whether anything
/// was lost, and the result is that of rounding once.
struct NarrowThroughF32 : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &b) const override {
    Value x = op.getIn();
    Type narrow = getElementTypeOrSelf(op.getType());
    if (!getElementTypeOrSelf(x).isF64() ||
        !(narrow.isBF16() || narrow.isF16()))
      return failure();
    Location loc = op.getLoc();
    auto withElement = [&](Type element) -> Type {
      if (auto shaped = dyn_cast<ShapedType>(x.getType()))
        return shaped.clone(element);
      return element;
    };
    Type f32 = withElement(b.getF32Type()), i32 = withElement(b.getI32Type());
    Value one = arith::ConstantOp::create(b, loc, i32, b.getOneAttr(i32));
    Value near = arith::TruncFOp::create(b, loc, f32, x);
    Value back = arith::ExtFOp::create(b, loc, x.getType(), near);
    Value isInexact =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE, back, x);
    Value isAway =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                              math::AbsFOp::create(b, loc, back).getResult(),
                              math::AbsFOp::create(b, loc, x).getResult());
    Value bits = arith::BitcastOp::create(b, loc, i32, near);
    Value below = arith::SubIOp::create(b, loc, bits, one);
    bits = arith::SelectOp::create(b, loc, isAway, below, bits);
    Value odd = arith::OrIOp::create(b, loc, bits, one);
    bits = arith::SelectOp::create(b, loc, isInexact, odd, bits);
    Value rounded = arith::BitcastOp::create(b, loc, f32, bits);
    b.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), rounded);
    return success();
  }
};

/// The bits of f16, as numbers of i32 or vectors of them.
struct HalfBits {
  HalfBits(OpBuilder &builder, Location loc, Type type)
      : b(loc, builder), i16(withElement(type, b.getI16Type())),
        i32(withElement(type, b.getI32Type())),
        f32(withElement(type, b.getF32Type())) {}

  static Type withElement(Type type, Type element) {
    if (auto shaped = dyn_cast<ShapedType>(type))
      return shaped.clone(element);
    return element;
  }
  Value constant(Type type, TypedAttr element) {
    if (auto shaped = dyn_cast<ShapedType>(type))
      return arith::ConstantOp::create(b,
                                       DenseElementsAttr::get(shaped, element));
    return arith::ConstantOp::create(b, element);
  }
  Value bits(int32_t value) {
    return constant(i32, b.getI32IntegerAttr(value));
  }
  Value number(double value) { return constant(f32, b.getF32FloatAttr(value)); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value mask(Value x, int32_t y) {
    return arith::AndIOp::create(b, x, bits(y));
  }
  Value isLess(Value x, int32_t y) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x, bits(y));
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }

  ImplicitLocOpBuilder b;
  Type i16, i32, f32;
};

/// f32 from the bits of f16: the exponent moves by 112.
struct ExpandHalfExtension : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getIn()).isF16())
      return failure();
    HalfBits h(rewriter, op.getLoc(), op.getType());
    ImplicitLocOpBuilder &b = h.b;
    Value half = arith::ExtUIOp::create(
        b, h.i32, arith::BitcastOp::create(b, h.i16, op.getIn()));
    Value sign = arith::ShLIOp::create(b, h.mask(half, 0x8000), h.bits(16));
    Value size = h.mask(half, 0x7fff);
    Value moved = arith::ShLIOp::create(b, size, h.bits(13));
    Value normal = h.add(moved, h.bits(112 << 23));
    // The exponent of infinities and NaNs is the largest of both.
    Value special = h.add(normal, h.bits(112 << 23));
    Value denormal = arith::BitcastOp::create(
        b, h.i32,
        arith::MulFOp::create(b, arith::SIToFPOp::create(b, h.f32, size),
                              h.number(0x1p-24)));
    Value found = h.select(h.isLess(size, 0x7c00), normal, special);
    found = h.select(h.isLess(size, 0x400), denormal, found);
    Value result = arith::BitcastOp::create(
        b, h.f32, arith::OrIOp::create(b, found, sign));
    if (!getElementTypeOrSelf(op.getType()).isF32())
      result = arith::ExtFOp::create(b, op.getType(), result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// f16 from the bits of f32, rounded to nearest even.
struct ExpandHalfTruncation : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF16() ||
        !getElementTypeOrSelf(op.getIn()).isF32())
      return failure();
    HalfBits h(rewriter, op.getLoc(), op.getType());
    ImplicitLocOpBuilder &b = h.b;
    Value x = arith::BitcastOp::create(b, h.i32, op.getIn());
    Value sign = h.mask(arith::ShRUIOp::create(b, x, h.bits(16)), 0x8000);
    Value size = h.mask(x, 0x7fffffff);
    // Half a unit, and one bit where a tie would be to an odd number.
    Value odd = h.mask(arith::ShRUIOp::create(b, size, h.bits(13)), 1);
    Value nearest = h.add(h.add(size, h.bits(0xfff)), odd);
    Value normal = h.add(arith::ShRUIOp::create(b, nearest, h.bits(13)),
                         h.bits(-(112 << 10)));
    // A sum with 0.5 has units of the smallest denormal number.
    Value sum = arith::AddFOp::create(
        b, arith::BitcastOp::create(b, h.f32, size), h.number(0.5));
    Value denormal = arith::SubIOp::create(
        b, arith::BitcastOp::create(b, h.i32, sum), h.bits(0x3f000000));
    Value found = h.select(h.isLess(size, 0x38800000), denormal, normal);
    found = h.select(h.isLess(size, 0x47800000), found, h.bits(0x7c00));
    found = h.select(h.isLess(size, 0x7f800001), found, h.bits(0x7e00));
    Value result =
        arith::TruncIOp::create(b, h.i16, arith::OrIOp::create(b, found, sign));
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), result);
    return success();
  }
};

/// Repeats the bits of a bf16: where the CPU has no such numbers, LLVM would
/// widen it and round it again, by a library call. So it is for f16.
struct BroadcastBits : OpRewritePattern<vector::BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::BroadcastOp op,
                                PatternRewriter &b) const override {
    if (!op.getSourceType().isBF16() && !op.getSourceType().isF16())
      return failure();
    auto type = cast<VectorType>(op.getType());
    Value bits = arith::BitcastOp::create(b, op.getLoc(), b.getI16Type(),
                                          op.getSource());
    bits = vector::BroadcastOp::create(b, op.getLoc(),
                                       type.clone(b.getI16Type()), bits);
    b.replaceOpWithNewOp<arith::BitcastOp>(op, type, bits);
    return success();
  }
};

struct ExpandNarrowing : flywheel::impl::ExpandNarrowingBase<ExpandNarrowing> {
  using ExpandNarrowingBase::ExpandNarrowingBase;

  void runOnOperation() override {
    if (failed(computeInF32()))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    patterns.add<BroadcastBits, NarrowThroughF32>(&getContext());
    if (expandHalves)
      patterns.add<ExpandHalfExtension, ExpandHalfTruncation>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }

private:
  /// Arithmetic of 16-bit floats is that of f32, rounded after every op.
  LogicalResult computeInF32() {
    MLIRContext *context = &getContext();
    SmallVector<Type> narrow = {BFloat16Type::get(context)};
    if (expandHalves)
      narrow.push_back(Float16Type::get(context));
    TypeConverter converter;
    arith::populateEmulateUnsupportedFloatsConversions(
        converter, narrow, Float32Type::get(context));
    RewritePatternSet patterns(context);
    arith::populateEmulateUnsupportedFloatsPatterns(patterns, converter);
    ConversionTarget target(*context);
    arith::populateEmulateUnsupportedFloatsLegality(target, converter);
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      return failure();
    // Upstream allows what it inserts to be contracted: a sum of three would be
    // rounded once.
    getOperation().walk([](Operation *op) {
      if (auto extend = dyn_cast<arith::ExtFOp>(op))
        forbidContraction(extend, extend.getIn().getType());
      else if (auto truncate = dyn_cast<arith::TruncFOp>(op))
        forbidContraction(truncate, truncate.getType());
    });
    return success();
  }

  template <typename OpT> static void forbidContraction(OpT op, Type narrow) {
    Type element = getElementTypeOrSelf(narrow);
    if (element.isBF16() || element.isF16())
      op.removeFastmathAttr();
  }
};
} // namespace
