//===- PairEmitter.h - Arithmetic of twice the precision --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pair is the sum of two f64, the second one at most half a unit in the last
// place of the first: about 106 bits. Dekker, "A floating-point technique for
// extending the available precision" (1971), with products by multiply-adds.
// Functions that end with the sum of a pair are wrong by little more than half
// a unit.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_COMMON_PAIREMITTER_H
#define FLYWHEEL_LIB_CODEGEN_COMMON_PAIREMITTER_H

#include "MathEmitter.h"

namespace flywheel {

/// The sum of two numbers.
struct Pair {
  mlir::Value high, low;
};

/// A constant that one f64 does not represent exactly enough.
struct PairConstant {
  double high, low;
};

/// Emits arithmetic of pairs of f64.
struct PairEmitter : MathEmitter {
  using MathEmitter::MathEmitter;

  Pair pair(mlir::Value x) { return {x, number(0)}; }
  Pair pair(PairConstant x) { return {number(x.high), number(x.low)}; }

  /// Returns x + y, exactly, for |x| >= |y|.
  Pair addOrdered(mlir::Value x, mlir::Value y);
  /// Returns x + y, exactly.
  Pair addExactly(mlir::Value x, mlir::Value y);
  /// Returns x y, exactly.
  Pair mulExactly(mlir::Value x, mlir::Value y);

  Pair add(Pair x, Pair y);
  Pair add(Pair x, mlir::Value y) { return add(x, pair(y)); }
  Pair sub(Pair x, Pair y) { return add(x, neg(y)); }
  Pair mul(Pair x, Pair y);
  Pair mul(Pair x, mlir::Value y);
  Pair div(Pair x, Pair y);
  Pair neg(Pair x) { return {neg(x.high), neg(x.low)}; }
  /// Returns the square root of x >= 0.
  Pair sqrt(Pair x);
  /// Returns x times a power of two, without an error.
  Pair scale(Pair x, double by) {
    return {mul(x.high, number(by)), mul(x.low, number(by))};
  }
  Pair select(mlir::Value flag, Pair x, Pair y) {
    return {select(flag, x.high, y.high), select(flag, x.low, y.low)};
  }
  mlir::Value sum(Pair x) { return add(x.high, x.low); }

  /// Returns `rest` times x^n plus the polynomial of the `n` `coefficients`,
  /// the highest first. A term may be up to half of the sum that it is added
  /// to.
  Pair polynomial(Pair x, mlir::Value rest,
                  llvm::ArrayRef<PairConstant> coefficients);

  mlir::Value isLess(mlir::Value x, double bound) {
    return compare(mlir::arith::CmpFPredicate::OLT, x, number(bound));
  }
  mlir::Value isMore(mlir::Value x, double bound) {
    return compare(mlir::arith::CmpFPredicate::OGT, x, number(bound));
  }
  mlir::Value isEqual(mlir::Value x, double value) {
    return compare(mlir::arith::CmpFPredicate::OEQ, x, number(value));
  }
  /// Returns the smaller one of x and `bound`; NaN for NaN.
  mlir::Value atMost(mlir::Value x, double bound) {
    return select(isMore(x, bound), number(bound), x);
  }
  mlir::Value atLeast(mlir::Value x, double bound) {
    return select(isLess(x, bound), number(bound), x);
  }
  mlir::Value copySign(mlir::Value size, mlir::Value sign) {
    return mlir::math::CopySignOp::create(b, size, sign);
  }

  // Overloads in addition to those of the base.
  using MathEmitter::add;
  using MathEmitter::div;
  using MathEmitter::mul;
  using MathEmitter::neg;
  using MathEmitter::polynomial;
  using MathEmitter::select;
  using MathEmitter::sub;
};

/// Emits exponentials and logarithms of pairs.
struct ExponentialPairs : PairEmitter {
  using PairEmitter::PairEmitter;

  /// Returns exp(x) - 1 for |x| up to 0.36, with a relative error of 2^-72.
  Pair emitExpM1(Pair x);

  /// exp(x) = 2^turns (1 + power), for |x| up to 1100; `turns` is a whole f64.
  struct Exponential {
    mlir::Value turns;
    Pair power;
  };
  Exponential emitExponential(Pair x);

  /// Returns x 2^turns, rounded once; `turns` is a whole f64 up to 2200.
  mlir::Value emitScaled(Pair x, mlir::Value turns);

  /// Returns exp(x), rounded to f64, for |x| up to 1100.
  mlir::Value emitExp(Pair x) {
    Exponential exp = emitExponential(x);
    return emitScaled(add(exp.power, number(1)), exp.turns);
  }

  /// log(x) = exponent ln 2 + log, for positive finite x, with a relative error
  /// of log of 2^-72. Only the first part of a denormal x is used.
  struct Logarithm {
    mlir::Value exponent;
    Pair log;
  };
  Logarithm emitLogarithm(Pair x);
  /// Returns log(x) for positive finite x.
  Pair emitLog(Pair x);
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_COMMON_PAIREMITTER_H
