//===- WideMath.h - Patterns that compute functions in f64 ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_COMMON_WIDEMATH_H
#define FLYWHEEL_LIB_CODEGEN_COMMON_WIDEMATH_H

#include "PairEmitter.h"

namespace flywheel {

/// Replaces a function of numbers of f64, or narrower ones, by the result of
/// `emit` for its operands in f64.
template <typename Emitter, typename Callback>
mlir::LogicalResult expandWide(mlir::Operation *op,
                               mlir::PatternRewriter &rewriter,
                               Callback &&emit) {
  auto type = mlir::dyn_cast<mlir::FloatType>(op->getResult(0).getType());
  if (!type || type.getWidth() > 64)
    return mlir::failure();
  mlir::Location loc = op->getLoc();
  mlir::Type f32 = rewriter.getF32Type(), f64 = rewriter.getF64Type();
  Emitter emitter(rewriter, loc, f64);
  llvm::SmallVector<mlir::Value> operands(op->getOperands());
  for (mlir::Value &operand : operands) {
    if (type.getWidth() < 32)
      operand = mlir::arith::ExtFOp::create(rewriter, loc, f32, operand);
    if (type.getWidth() < 64)
      operand = mlir::arith::ExtFOp::create(rewriter, loc, f64, operand);
  }
  mlir::Value result = emit(emitter, operands);
  if (type.getWidth() < 64)
    result = mlir::arith::TruncFOp::create(rewriter, loc, f32, result);
  if (type.getWidth() < 32)
    result = mlir::arith::TruncFOp::create(rewriter, loc, type, result);
  rewriter.replaceOp(op, result);
  return mlir::success();
}

/// The functions that a pattern expands.
enum class Elements { F64, F32AndF64 };

/// A function of one number.
template <typename OpTy, typename Emitter,
          mlir::Value (*emit)(Emitter &, mlir::Value), Elements elements>
struct ExpandWideUnary : mlir::OpRewritePattern<OpTy> {
  using mlir::OpRewritePattern<OpTy>::OpRewritePattern;

  mlir::LogicalResult
  matchAndRewrite(OpTy op, mlir::PatternRewriter &rewriter) const override {
    if (elements == Elements::F64 && !op.getType().isF64())
      return mlir::failure();
    return expandWide<Emitter>(op, rewriter,
                               [](Emitter &emitter, mlir::ValueRange operands) {
                                 return emit(emitter, operands.front());
                               });
  }
};

/// Add the patterns of each file.
void populateWidePowerPatterns(mlir::RewritePatternSet &patterns);
void populateWideTrigonometryPatterns(mlir::RewritePatternSet &patterns);
void populateWideErrorFunctionPatterns(mlir::RewritePatternSet &patterns);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_COMMON_WIDEMATH_H
