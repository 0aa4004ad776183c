//===- GuardUpdates.cpp - Updates that not every call makes ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `loss_scale` skips an update whose gradients are not finite, and `accumulate`
// updates in every k-th call. They guard the op with all its other clauses, so
// that its counters and slots count only calls that update.
//
//===----------------------------------------------------------------------===//

#include "GuardUpdates.h"

#include "DeclareVariable.h"

#include "flywheel/Dialect/NN/ElementwiseExpr.h"
#include "flywheel/Dialect/NN/NNBuilders.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::train;

using Expr = ElementwiseExpr;

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

FailureOr<VariableOp>
flywheel::train::findDeclaredScalar(Operation *op, StringRef scope,
                                    const ScalarVariableSpec &spec,
                                    RankedTensorType type, Attribute owner) {
  auto name = StringAttr::get(op->getContext(), Twine(scope) + "/" + spec.name);
  Operation *found = SymbolTable::lookupNearestSymbolFrom(op, name);
  if (!found)
    return VariableOp();
  auto variable = dyn_cast<VariableOp>(found);
  if (!variable || variable.getTensorType() != type) {
    InFlightDiagnostic error =
        op->emitError() << "expected @" << name.getValue() << ", a scalar of "
                        << owner << ", to be a variable of type " << type;
    if (variable)
      error << ", found " << variable.getTensorType();
    error.attachNote(found->getLoc()) << "declared here";
    return failure();
  }
  if (!variable.getInitialValueAttr() && variable.getInitializer().empty())
    variable.setInitialValueAttr(getSplatOf(type, spec.initialValue));
  if (!variable.getTrainable() && !variable.getCollections())
    variable.setTrainable(false);
  return variable;
}

/// Returns the variable of `spec`: the program's, or a new one.
static FailureOr<VariableOp> declareScalar(Operation *op, StringRef scope,
                                           const ScalarVariableSpec &spec,
                                           Attribute owner) {
  Builder b(op->getContext());
  auto type = RankedTensorType::get(
      {}, spec.isCounter() ? Type(b.getI64Type()) : Type(b.getF32Type()));
  FailureOr<VariableOp> found =
      findDeclaredScalar(op, scope, spec, type, owner);
  if (failed(found) || *found)
    return found;
  return declareVariable(SymbolTable::getNearestSymbolTable(op), op->getLoc(),
                         scope + "/" + spec.name, type,
                         getSplatOf(type, spec.initialValue));
}

template <typename OpT>
static FailureOr<UpdateGuards> declareGuardsOf(OpT op, StringRef scope) {
  UpdateGuards guards;
  SmallVector<std::pair<ScalarVariableSpec, VariableOp *>> specs;
  if (LossScaleAttr scale = op.getLossScaleAttr()) {
    VariableOp *places[] = {&guards.lossScale, &guards.goodSteps};
    for (auto [spec, place] : llvm::zip(scale.getScalarVariables(), places))
      specs.push_back({spec, place});
    if (auto minimize = dyn_cast<MinimizeOp>(op.getOperation()))
      guards.lossType = getElementTypeOrSelf(minimize.getLoss());
    // The first call of a scale that its loss cannot hold would be lost.
    double &initial = specs.front().first.initialValue;
    double largest = getScaleRange(guards.lossType).largest;
    if (initial > largest)
      initial = std::exp2(std::floor(std::log2(largest)));
  }
  if (op.getAccumulate())
    specs.push_back(
        {{"micro_step", ScalarRole::Counter, 0.0}, &guards.microStep});
  for (auto &[spec, place] : specs) {
    FailureOr<VariableOp> variable =
        declareScalar(op, scope, spec, op.getOptimizer());
    if (failed(variable))
      return failure();
    *place = *variable;
  }
  return guards;
}

FailureOr<UpdateGuards> flywheel::train::declareGuards(Operation *op,
                                                       StringRef scope) {
  if (auto minimize = dyn_cast<MinimizeOp>(op))
    return declareGuardsOf(minimize, scope);
  return declareGuardsOf(cast<ApplyGradientsOp>(op), scope);
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

namespace {
/// Emits the branches around one op.
class GuardEmitter {
public:
  GuardEmitter(ApplyGradientsOp apply, UpdateGuards guards, StringRef scope)
      : apply(apply), loc(apply.getLoc()), b(apply), guards(guards),
        scope(scope), gradients(apply.getGradients()) {}

  ApplyGradientsOp run();

private:
  Value read(VariableOp variable) {
    return ReadOp::create(b, loc, variable.getTensorType(),
                          variable.getSymName());
  }
  void assign(VariableOp variable, Value value) {
    AssignOp::create(b, loc, variable.getTensorType(), variable.getSymName(),
                     value);
  }
  Expr splat(VariableOp variable, int64_t value) {
    return Expr(b, loc,
                arith::ConstantOp::create(
                    b, loc, getCounterOf(variable.getTensorType(), value)));
  }
  Expr readRoundedScale();
  /// Branches on `condition`, of rank 0, and continues in the first branch.
  scf::IfOp enter(Value condition, bool hasElse);
  Value emitAllFinite();
  SmallVector<Expr> emitUnscaled();
  void growScale(scf::IfOp branch);
  VariableOp declareSum(VariableOp parameter, RankedTensorType type);
  SmallVector<Expr> accumulate();

  ApplyGradientsOp apply;
  Location loc;
  OpBuilder b;
  UpdateGuards guards;
  StringRef scope;
  SmallVector<Value> gradients;
  /// The factor of the gradients, if the loss was scaled.
  Value inverseScale;
  /// The sums of gradients, if they are accumulated.
  SmallVector<VariableOp> sums;
};
} // namespace

scf::IfOp GuardEmitter::enter(Value condition, bool hasElse) {
  Value flag = tensor::ExtractOp::create(b, loc, condition);
  auto branch = scf::IfOp::create(b, loc, flag, hasElse);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  return branch;
}

/// Reads the scale that the loss was multiplied by: rounded to its type, and
/// back in f32.
Expr GuardEmitter::readRoundedScale() {
  Expr scale(b, loc, read(guards.lossScale));
  if (!guards.lossType || guards.lossType.getIntOrFloatBitWidth() >= 32)
    return scale;
  auto type = RankedTensorType::get({}, guards.lossType);
  Expr rounded =
      scale.with(arith::TruncFOp::create(b, loc, type, scale.getValue()));
  return rounded.convert<arith::ExtFOp>(scale);
}

/// Emits an i1 that is true if all gradients are finite. x - x is 0 for finite
/// x and NaN for others, and so are sums of it.
Value GuardEmitter::emitAllFinite() {
  Expr total;
  for (Value gradient : gradients) {
    Expr x = nn::widen(b, loc, gradient);
    int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
    Value sum = nn::buildSum(b, loc, x - x, nn::identityDims(rank));
    auto number = RankedTensorType::get({}, b.getF32Type());
    if (sum.getType() != number)
      sum = arith::TruncFOp::create(b, loc, number, sum);
    total = total.getValue() ? total + Expr(b, loc, sum) : Expr(b, loc, sum);
  }
  return total == 0.0;
}

/// Returns the gradients of the unscaled loss, in their compute type. Each
/// branch that uses them divides again, so that feeds are read in place; a
/// gradient that the step computes before the branch is stored once.
SmallVector<Expr> GuardEmitter::emitUnscaled() {
  SmallVector<Expr> results;
  for (Value gradient : gradients) {
    Expr x = nn::widen(b, loc, gradient);
    if (inverseScale) {
      Value factor = inverseScale;
      Type element = getElementTypeOrSelf(x.getType());
      if (element.isF64())
        factor = arith::ExtFOp::create(
            b, loc, RankedTensorType::get({}, element), factor);
      x = x * x.with(nn::buildBroadcast(b, loc, factor, {}, x));
    }
    results.push_back(x);
  }
  return results;
}

/// Emits the changes of the scale after an update and after a skipped one.
void GuardEmitter::growScale(scf::IfOp branch) {
  LossScaleAttr attr = apply.getLossScaleAttr();
  VariableOp counter = guards.goodSteps;
  Expr scale(b, loc, read(guards.lossScale));
  Expr count(b, loc, read(counter));
  count = count.apply<arith::AddIOp>(splat(counter, 1));
  Expr isDue = count.with(
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, count,
                            splat(counter, attr.getGrowthInterval())));
  Expr grown = scale * attr.getGrowth().value;
  ScaleRange range = getScaleRange(guards.lossType);
  Expr grows = isDue.apply<arith::AndIOp>(grown <= grown.splat(range.largest));
  assign(guards.lossScale, grows.select(grown, scale));
  assign(counter, isDue.select(splat(counter, 0), count));

  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  // Below 1 a scale makes gradients 0 that are none, and a scale of 0 makes NaN
  // of the next ones, which are finite.
  Expr reduced = Expr(b, loc, read(guards.lossScale)) * attr.getBackoff().value;
  assign(guards.lossScale, reduced.apply<arith::MaximumFOp>(reduced.splat(
                               std::min(attr.getInitial().value, 1.0))));
  assign(counter, splat(counter, 0));
}

/// Declares the variable in which gradients of `parameter` are added up.
VariableOp GuardEmitter::declareSum(VariableOp parameter,
                                    RankedTensorType type) {
  return declareVariable(parameter->getParentOp(), loc,
                         parameter.getSymName() + "/" + scope + "/gradient_sum",
                         type, ZerosAttr::get(b.getContext()), parameter);
}

/// Returns the means of the gradients in every `accumulate`-th call, and their
/// sums in others.
SmallVector<Expr> GuardEmitter::accumulate() {
  VariableOp counter = guards.microStep;
  Expr count(b, loc, read(counter));
  count = count.apply<arith::AddIOp>(splat(counter, 1));
  auto numCalls = static_cast<int64_t>(*apply.getAccumulate());
  Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, count,
                                       splat(counter, numCalls));
  scf::IfOp branch = enter(isLast, /*hasElse=*/true);
  // The last sum is not stored: the update reads its parts, in one loop.
  SmallVector<Expr> means = emitUnscaled();
  for (auto [symbol, mean] : llvm::zip_equal(
           apply.getVarList().getAsRange<FlatSymbolRefAttr>(), means)) {
    sums.push_back(declareSum(
        SymbolTable::lookupNearestSymbolFrom<VariableOp>(apply, symbol),
        cast<RankedTensorType>(mean.getType())));
    mean = (Expr(b, loc, read(sums.back())) + mean) *
           (1.0 / static_cast<double>(numCalls));
  }
  assign(counter, splat(counter, 0));

  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  for (auto [sum, gradient] : llvm::zip_equal(sums, emitUnscaled()))
    AssignAddOp::create(b, loc, sum.getTensorType(), sum.getSymName(),
                        gradient);
  assign(counter, count);
  return means;
}

ApplyGradientsOp GuardEmitter::run() {
  if (!guards.lossScale && !guards.microStep)
    return apply;
  if (guards.lossScale) {
    scf::IfOp branch = enter(emitAllFinite(), guards.goodSteps);
    Expr scale = readRoundedScale();
    inverseScale = scale.splat(1.0) / scale;
    if (guards.goodSteps)
      growScale(branch);
  }
  SmallVector<Expr> updates = guards.microStep ? accumulate() : emitUnscaled();
  apply.removeLossScaleAttr();
  apply.removeAccumulateAttr();
  apply.getGradientsMutable().assign(
      llvm::map_to_vector(updates, [](Expr x) { return x.getValue(); }));
  apply->moveBefore(b.getInsertionBlock(), b.getInsertionPoint());
  // Reset the sums only after the update has read them.
  for (VariableOp sum : sums)
    assign(sum, arith::ConstantOp::create(
                    b, loc, getSplatOf(sum.getTensorType(), 0.0)));
  return apply;
}

ApplyGradientsOp flywheel::train::guardUpdate(ApplyGradientsOp apply,
                                              UpdateGuards guards,
                                              StringRef scope) {
  return GuardEmitter(apply, guards, scope).run();
}
