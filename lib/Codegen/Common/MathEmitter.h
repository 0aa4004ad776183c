//===- MathEmitter.h - Arithmetic of f32 and f64 in few words ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_COMMON_MATHEMITTER_H
#define FLYWHEEL_LIB_CODEGEN_COMMON_MATHEMITTER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace flywheel {

/// Returns `type` with elements of type `element`, or `element` for a scalar.
mlir::Type withElement(mlir::Type type, mlir::Type element);

/// Emits arithmetic of f32 or f64, or of vectors of these. Integers have as
/// many bits.
struct MathEmitter {
  MathEmitter(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type);

  mlir::Value number(double value);
  mlir::Value integer(int64_t value);
  mlir::Value add(mlir::Value x, mlir::Value y) {
    return mlir::arith::AddFOp::create(b, x, y);
  }
  mlir::Value sub(mlir::Value x, mlir::Value y) {
    return mlir::arith::SubFOp::create(b, x, y);
  }
  mlir::Value mul(mlir::Value x, mlir::Value y) {
    return mlir::arith::MulFOp::create(b, x, y);
  }
  mlir::Value div(mlir::Value x, mlir::Value y) {
    return mlir::arith::DivFOp::create(b, x, y);
  }
  mlir::Value neg(mlir::Value x) { return mlir::arith::NegFOp::create(b, x); }
  mlir::Value abs(mlir::Value x) { return mlir::math::AbsFOp::create(b, x); }
  mlir::Value fma(mlir::Value x, mlir::Value y, mlir::Value z) {
    return mlir::math::FmaOp::create(b, x, y, z);
  }
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value x,
                      mlir::Value y) {
    return mlir::arith::CmpFOp::create(b, predicate, x, y);
  }
  mlir::Value select(mlir::Value flag, mlir::Value x, mlir::Value y) {
    return mlir::arith::SelectOp::create(b, flag, x, y);
  }
  mlir::Value addIntegers(mlir::Value x, mlir::Value y) {
    return mlir::arith::AddIOp::create(b, x, y);
  }
  mlir::Value shiftLeft(mlir::Value x, int64_t count) {
    return mlir::arith::ShLIOp::create(b, x, integer(count));
  }
  mlir::Value toBits(mlir::Value x) {
    return mlir::arith::BitcastOp::create(b, integers, x);
  }
  mlir::Value fromBits(mlir::Value x) {
    return mlir::arith::BitcastOp::create(b, type, x);
  }
  /// Returns the polynomial in x, given its highest coefficient first.
  mlir::Value polynomial(mlir::Value x, llvm::ArrayRef<double> coefficients);

  mlir::ImplicitLocOpBuilder b;
  mlir::Type type, integers;
};

/// Adds polynomials for `math.sin` and `math.cos` of vectors of f32. Vectors
/// with an argument for which `isSineReduced` is false call the C library.
void populateSinePatterns(mlir::RewritePatternSet &patterns);
/// Returns true if |x| is at most 65536, for an x of f32 or each element of a
/// vector of it.
mlir::Value isSineReduced(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Value x);
/// Returns the sine, or cosine, of such an x.
mlir::Value emitReducedSine(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Value x, bool isCosine);

/// Adds polynomials for `math.atan` and `math.atan2` of f32.
void populateArctangentPatterns(mlir::RewritePatternSet &patterns);

/// Adds polynomials for `math.erfc` of f32.
void populateErfcPatterns(mlir::RewritePatternSet &patterns);

/// Adds polynomials for `math.exp`, `math.expm1`, `math.log` and `math.tanh` of
/// f64.
void populateWideExponentialPatterns(mlir::RewritePatternSet &patterns);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_COMMON_MATHEMITTER_H
