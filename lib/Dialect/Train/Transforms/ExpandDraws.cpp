//===- ExpandDraws.cpp - The train-expand-draws pass ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Dialect/Train/TrainPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace flywheel::train {
#define GEN_PASS_DEF_TRAINEXPANDDRAWS
#include "flywheel/Dialect/Train/TrainPasses.h.inc"
} // namespace flywheel::train

using namespace flywheel::train;

namespace {
/// Shorthand for the scalar arithmetic below.
struct ScalarBuilder : ImplicitLocOpBuilder {
  ScalarBuilder(Location loc, OpBuilder &builder)
      : ImplicitLocOpBuilder(loc, builder) {}

  Value i64(uint64_t value) {
    return arith::ConstantOp::create(*this, getI64IntegerAttr(value));
  }
  Value f64(double value) {
    return arith::ConstantOp::create(*this, getF64FloatAttr(value));
  }
  Value add(Value a, Value b) { return arith::AddFOp::create(*this, a, b); }
  Value sub(Value a, Value b) { return arith::SubFOp::create(*this, a, b); }
  Value mul(Value a, Value b) { return arith::MulFOp::create(*this, a, b); }
  Value div(Value a, Value b) { return arith::DivFOp::create(*this, a, b); }
  Value iadd(Value a, Value b) { return arith::AddIOp::create(*this, a, b); }
  Value imul(Value a, Value b) { return arith::MulIOp::create(*this, a, b); }
  Value ixor(Value a, Value b) { return arith::XOrIOp::create(*this, a, b); }
  Value shr(Value a, unsigned bits) {
    Value amount =
        arith::ConstantOp::create(*this, getIntegerAttr(a.getType(), bits));
    return arith::ShRUIOp::create(*this, a, amount);
  }
  /// Evaluates a polynomial by Horner's rule, highest degree first.
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = f64(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      sum = add(mul(sum, x), f64(coefficient));
    return sum;
  }
};
} // namespace

/// Emits the finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
static Value mix64(ScalarBuilder &b, Value x) {
  x = b.iadd(x, b.i64(0x9E3779B97F4A7C15));
  x = b.imul(b.ixor(x, b.shr(x, 30)), b.i64(0xBF58476D1CE4E5B9));
  x = b.imul(b.ixor(x, b.shr(x, 27)), b.i64(0x94D049BB133111EB));
  return b.ixor(x, b.shr(x, 31));
}

static Value expandKey(ScalarBuilder &b, Value seed, Value run, Value opSeed) {
  Value key = mix64(b, seed);
  key = mix64(b, b.ixor(key, opSeed));
  return mix64(b, b.ixor(key, run));
}

static Value expandBits(ScalarBuilder &b, Value key, Value index) {
  // 32-bit words are the lower halves of i64, whose upper halves are
  // unspecified. So products of vectors need no shuffles, and a CPU has an
  // instruction for them.
  Value mask = b.i64(0xFFFFFFFF);
  auto low = [&](Value v) -> Value {
    return arith::AndIOp::create(b, v, mask);
  };
  Value c0 = index, c1 = b.shr(index, 32), c2 = b.i64(0), c3 = b.i64(0);
  Value k0 = key, k1 = b.shr(key, 32);
  Value m0 = b.i64(0xD2511F53), m1 = b.i64(0xCD9E8D57);
  for (int round = 0; round < 10; ++round) {
    if (round > 0) {
      k0 = b.iadd(k0, b.i64(0x9E3779B9));
      k1 = b.iadd(k1, b.i64(0xBB67AE85));
    }
    Value p0 = b.imul(low(c0), m0), p1 = b.imul(low(c2), m1);
    c0 = b.ixor(b.ixor(b.shr(p1, 32), c1), k0);
    c1 = p1;
    c2 = b.ixor(b.ixor(b.shr(p0, 32), c3), k1);
    c3 = p0;
  }
  Value shifted = arith::ShLIOp::create(b, c0, b.i64(32));
  return arith::OrIOp::create(b, shifted, low(c1));
}

/// Emits the natural logarithm of a positive, normal f64. The reduction and the
/// polynomial are those of FreeBSD's e_log.c (error below 1 ulp): written out
/// because a library's log may differ from target to target.
static Value buildLog(ScalarBuilder &b, Value x) {
  Type i64 = b.getI64Type(), f64 = b.getF64Type();
  // x = 2^k * m with m in [sqrt(1/2), sqrt(2)).
  Value bits = arith::BitcastOp::create(b, i64, x);
  Value shifted = b.iadd(bits, b.i64(0x3FF0000000000000 - 0x3FE6A09E667F3BCD));
  Value k = arith::SubIOp::create(b, b.shr(shifted, 52), b.i64(1023));
  Value fraction = arith::AndIOp::create(b, shifted, b.i64(0x000FFFFFFFFFFFFF));
  Value mBits = b.iadd(fraction, b.i64(0x3FE6A09E667F3BCD));
  Value m = arith::BitcastOp::create(b, f64, mBits);
  Value f = b.sub(m, b.f64(1.0));
  Value s = b.div(f, b.add(f, b.f64(2.0)));
  Value z = b.mul(s, s);
  Value r = b.mul(
      z, b.polynomial(z, {1.479819860511658591e-01, 1.531383769920937332e-01,
                          1.818357216161805012e-01, 2.222219843214978396e-01,
                          2.857142874366239149e-01, 3.999999999940941908e-01,
                          6.666666666666735130e-01}));
  Value halfSquare = b.mul(b.mul(b.f64(0.5), f), f);
  Value exponent = arith::SIToFPOp::create(b, f64, k);
  Value low = b.add(b.mul(s, b.add(halfSquare, r)),
                    b.mul(exponent, b.f64(1.90821492927058770002e-10)));
  Value tail = b.sub(b.sub(halfSquare, low), f);
  return b.sub(b.mul(exponent, b.f64(6.93147180369123816490e-01)), tail);
}

static Value expandQuantile(ScalarBuilder &b, Value p) {
  Value q = b.sub(p, b.f64(0.5));
  Value central = b.sub(b.f64(0.180625), b.mul(q, q));
  Value body = b.div(
      b.mul(q,
            b.polynomial(central,
                         {2.5090809287301226727e+3, 3.3430575583588128105e+4,
                          6.7265770927008700853e+4, 4.5921953931549871457e+4,
                          1.3731693765509461125e+4, 1.9715909503065514427e+3,
                          1.3314166789178437745e+2, 3.3871328727963666080e+0})),
      b.polynomial(central, {5.2264952788528545610e+3, 2.8729085735721942674e+4,
                             3.9307895800092710610e+4, 2.1213794301586595867e+4,
                             5.3941960214247511077e+3, 6.8718700749205790830e+2,
                             4.2313330701600911252e+1, 1.0}));

  Value outer = arith::MinimumFOp::create(b, p, b.sub(b.f64(1.0), p));
  Value negative = b.sub(b.f64(0.0), buildLog(b, outer));
  Value r = math::SqrtOp::create(b, negative);
  Value near = b.sub(r, b.f64(1.6));
  Value nearTail = b.div(
      b.polynomial(near,
                   {7.74545014278341407640e-4, 2.27238449892691845833e-2,
                    2.41780725177450611770e-1, 1.27045825245236838258e+0,
                    3.64784832476320460504e+0, 5.76949722146069140550e+0,
                    4.63033784615654529590e+0, 1.42343711074968357734e+0}),
      b.polynomial(near, {1.05075007164441684324e-9, 5.47593808499534494600e-4,
                          1.51986665636164571966e-2, 1.48103976427480074590e-1,
                          6.89767334985100004550e-1, 1.67638483018380384940e+0,
                          2.05319162663775882187e+0, 1.0}));
  Value far = b.sub(r, b.f64(5.0));
  Value farTail = b.div(
      b.polynomial(far, {2.01033439929228813265e-7, 2.71155556874348757815e-5,
                         1.24266094738807843860e-3, 2.65321895265761230930e-2,
                         2.96560571828504891230e-1, 1.78482653991729133580e+0,
                         5.46378491116411436990e+0, 6.65790464350110377720e+0}),
      b.polynomial(far, {2.04426310338993978564e-15, 1.42151175831644588870e-7,
                         1.84631831751005468180e-5, 7.86869131145613259100e-4,
                         1.48753612908506148525e-2, 1.36929880922735805310e-1,
                         5.99832206555887937690e-1, 1.0}));
  Value isNear =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OLE, r, b.f64(5.0));
  Value tail = arith::SelectOp::create(b, isNear, nearTail, farTail);
  Value isLow =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, q, b.f64(0.0));
  tail = arith::SelectOp::create(b, isLow, b.sub(b.f64(0.0), tail), tail);
  Value isCentral = arith::CmpFOp::create(
      b, arith::CmpFPredicate::OLE,
      arith::MaximumFOp::create(b, q, b.sub(b.f64(0.0), q)), b.f64(0.425));
  return arith::SelectOp::create(b, isCentral, body, tail);
}

/// Emits the result of `op` on `operands`.
static Value expand(ScalarBuilder &b, Operation *op, ValueRange operands) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](StreamKeyOp) {
        return expandKey(b, operands[0], operands[1], operands[2]);
      })
      .Case(
          [&](RandomBitsOp) { return expandBits(b, operands[0], operands[1]); })
      .Case([&](NormalQuantileOp) { return expandQuantile(b, operands[0]); });
}

/// Returns true if `op` draws in a loop, so that it is in a kernel that is
/// shared.
static bool isInLoop(Operation *op) {
  auto structured = op->getParentOfType<linalg::LinalgOp>();
  return structured && structured.getNumLoops() > 0;
}

namespace {
struct TrainExpandDraws
    : flywheel::train::impl::TrainExpandDrawsBase<TrainExpandDraws> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<StreamKeyOp, RandomBitsOp, NormalQuantileOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      OpBuilder builder(op);
      ScalarBuilder b(op->getLoc(), builder);
      SmallVector<Value> operands(op->getOperands());
      Value value =
          isInLoop(op)
              ? expand(b, op, operands)
              : func::CallOp::create(b, getFunction(op, operands), operands)
                    .getResult(0);
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
    }
  }

private:
  func::FuncOp getFunction(Operation *op, ValueRange operands);

  /// Those that compute ops of a name.
  llvm::DenseMap<OperationName, func::FuncOp> functions;
};
} // namespace

/// Returns the function of the module that computes `op` for such operands: a
/// model with thousands of variables has a key for each.
func::FuncOp TrainExpandDraws::getFunction(Operation *op, ValueRange operands) {
  func::FuncOp &function = functions[op->getName()];
  if (function)
    return function;
  OpBuilder builder(op->getContext());
  function = func::FuncOp::create(
      builder, getOperation().getLoc(), op->getName().getStringRef(),
      builder.getFunctionType(operands.getTypes(), op->getResultTypes()));
  function.setPrivate();
  // Renames the function if the program already has one of its name.
  SymbolTable(getOperation()).insert(function);
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  ScalarBuilder b(function.getLoc(), builder);
  func::ReturnOp::create(b, expand(b, op, body->getArguments()));
  return function;
}
