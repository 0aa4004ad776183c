//===- OptimizerSupport.h - Terms shared by optimizers ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The words that the files of optimizers are written in: checks of
// hyper-parameters, the scalar variables of a step, and terms.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_TRAIN_OPTIMIZERS_OPTIMIZERSUPPORT_H
#define FLYWHEEL_LIB_DIALECT_TRAIN_OPTIMIZERS_OPTIMIZERSUPPORT_H

#include "flywheel/Dialect/NN/ElementwiseExpr.h"
#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <array>
#include <cmath>
#include <optional>

namespace flywheel::train {

using EmitErrorFn = llvm::function_ref<mlir::InFlightDiagnostic()>;
using Expr = ElementwiseExpr;

//===----------------------------------------------------------------------===//
// Hyper-parameters
//===----------------------------------------------------------------------===//

/// Checks that 0 <= value < 1.
llvm::LogicalResult verifyFraction(EmitErrorFn emitError, llvm::StringRef name,
                                   double value);
llvm::LogicalResult verifyFinite(EmitErrorFn emitError, llvm::StringRef name,
                                 double value);
/// Checks that the value is finite and >= 0.
llvm::LogicalResult verifyNonNegative(EmitErrorFn emitError,
                                      llvm::StringRef name, double value);
/// Checks that the value is finite and > 0.
llvm::LogicalResult verifyPositive(EmitErrorFn emitError, llvm::StringRef name,
                                   double value);
/// Checks the name that a program gives an optimizer, which becomes the first
/// part of names of variables.
llvm::LogicalResult verifyName(EmitErrorFn emitError, mlir::StringAttr name);
/// Checks the hyper-parameters of Adam, which its descendants have too, and a
/// decay, which most of them have: its name and its value.
llvm::LogicalResult verifyAdam(EmitErrorFn emitError, double lr, double beta1,
                               double beta2, double epsilon,
                               mlir::StringAttr name,
                               llvm::StringRef decayName = "decay",
                               double decay = 0.0);

//===----------------------------------------------------------------------===//
// Scalar variables
//===----------------------------------------------------------------------===//

/// The scalar variables of an optimizer in one step, for implementations of
/// `buildStep`, which read and set them.
class StepScalars {
public:
  /// The arguments of `buildStep` of `optimizer`.
  StepScalars(OptimizerAttrInterface optimizer, mlir::OpBuilder &builder,
              mlir::Location loc, mlir::ValueRange scalars,
              mlir::MutableArrayRef<mlir::Value> newScalars)
      : builder(builder), loc(loc), specs(optimizer.getScalarVariables()),
        scalars(scalars), newScalars(newScalars) {}

  /// Returns the number that the variable of an index, an enumerator of the
  /// optimizer's `Scalar`, has before the step.
  Expr operator[](unsigned index) const;
  /// Sets the new value of the variable of an index.
  void set(unsigned index, mlir::Value value);
  /// Returns `iterations` before the step, as a number, and increments the
  /// variable.
  Expr count();
  /// Returns lr, or lr / (1 + decay * iterations) if the optimizer has a decay.
  Expr decayedRate(Expr iterations) const;

private:
  /// Returns the index of the variable of this role, if there is one.
  std::optional<unsigned> find(ScalarRole role) const;

  mlir::OpBuilder &builder;
  mlir::Location loc;
  llvm::SmallVector<ScalarVariableSpec> specs;
  mlir::ValueRange scalars;
  mlir::MutableArrayRef<mlir::Value> newScalars;
};

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

/// Returns the first `n` of `values` as terms.
template <size_t n>
std::array<Expr, n> bindTerms(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::ValueRange values) {
  std::array<Expr, n> terms;
  for (size_t i = 0; i < n; ++i)
    terms[i] = Expr(builder, loc, values[i]);
  return terms;
}

inline Expr sqrt(Expr x) { return x.apply<mlir::math::SqrtOp>(); }
inline Expr abs(Expr x) { return x.apply<mlir::math::AbsFOp>(); }
inline Expr pow(Expr base, Expr exponent) {
  return base.apply<mlir::math::PowFOp>(exponent);
}
/// Maximum and minimum; NaN if an operand is NaN.
inline Expr max(Expr x, Expr y) { return x.apply<mlir::arith::MaximumFOp>(y); }
inline Expr min(Expr x, Expr y) { return x.apply<mlir::arith::MinimumFOp>(y); }

/// Returns a moving average: beta * old + (1 - beta) * fresh.
Expr mix(Expr beta, Expr old, Expr fresh);
/// Returns 1 - base^exponent.
Expr complementPower(Expr base, Expr exponent);

/// Returns the sum of the squares of all elements of `value`, a tensor of
/// floats, in f64: squares of f32 and narrower types neither overflow nor
/// underflow there.
Expr sumSquares(mlir::OpBuilder &builder, mlir::Location loc,
                mlir::Value value);

/// Casts `scalar` of rank 0 to the compute type of the elements of `parameter`.
mlir::Value castScalar(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value scalar, mlir::Value parameter);

/// Returns the numbers of a step of Adam with decoupled weight decay:
/// lr / (1 - beta_1^t), beta_1, beta_2, 1 - beta_2^t and lr weight_decay, where
/// t is iterations + 1.
llvm::SmallVector<mlir::Value> computeDecoupled(StepScalars &step, Expr lr,
                                                Expr beta1, Expr beta2,
                                                Expr weightDecay);

//===----------------------------------------------------------------------===//
// Whole tensors
//===----------------------------------------------------------------------===//

/// Returns the divisor for the mean along `axis` of `x`. It is at least 1, so
/// that the mean of no terms is 0 and a variable without elements has finite
/// slots.
double countForMean(mlir::Value x, int64_t axis);

/// Terms of the shape of one parameter, for optimizers whose rule is about more
/// than one element: in the type that elements like its are computed with.
class TensorTerms {
public:
  TensorTerms(mlir::OpBuilder &builder, mlir::Location loc,
              mlir::Value parameter)
      : builder(builder), loc(loc), parameter(parameter) {}

  /// Widens the parameter, a slot or the gradient to the compute type.
  Expr widen(mlir::Value value) const;
  /// Emits the values, rounded to the parameter's element type.
  llvm::SmallVector<mlir::Value> round(mlir::ValueRange values) const;
  /// Returns a value of a step in f64, as norms are, of rank 0.
  Expr widenScalar(mlir::Value scalar) const;
  /// Converts elements to f64.
  Expr toDouble(mlir::Value value) const;
  Expr toComputeType(Expr x) const;
  /// Returns x, or the largest number of the parameter's element type if x is
  /// beyond it: a sum of squares must stay a number that can become smaller
  /// again.
  Expr saturate(Expr x) const;
  /// Repeats a number of rank 0 in the compute type to the shape of `like`: by
  /// default the parameter's.
  Expr spread(mlir::Value scalar, mlir::Value like = {}) const;
  /// Repeats the same in f64.
  Expr spreadDouble(mlir::Value scalar, mlir::Value like) const;

  /// Returns the Euclidean norm of all elements, of rank 0, in f64; NaN if it
  /// is beyond 1e154.
  Expr norm(Expr x) const;
  /// Returns norm(x) / sqrt(number of elements), in f64.
  Expr rootMeanSquare(Expr x) const;
  /// Emits the sum along `axis`, which disappears, and that of all elements.
  Expr sum(Expr x, int64_t axis) const;
  Expr sumAll(Expr x) const;
  /// Returns the mean along `axis`, which is removed; 0 without elements.
  Expr mean(Expr x, int64_t axis) const;
  /// Returns `x` repeated along `axis` to the shape of `like`.
  Expr unreduce(Expr x, int64_t axis, Expr like) const;

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Value parameter;
};

} // namespace flywheel::train

#endif // FLYWHEEL_LIB_DIALECT_TRAIN_OPTIMIZERS_OPTIMIZERSUPPORT_H
