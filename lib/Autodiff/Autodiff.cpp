//===- Autodiff.cpp - Replace train.gradient by plain ops -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: `train.gradient` ops over inlined, expanded functions. After: plain
// ops that have rules themselves; no `train.gradient` and no
// `train.stop_gradient` is left. Refuses a path through an op without a rule
// and an unconnected target; see AutodiffPasses.td.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Autodiff/Activity.h"
#include "flywheel/Autodiff/AutodiffPasses.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Interfaces/DifferentiableOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_TRAINAUTODIFF
#include "flywheel/Autodiff/AutodiffPasses.h.inc"

namespace {

/// Replaces one gradient op.
class GradientEmitter {
public:
  explicit GradientEmitter(train::GradientOp gradient)
      : gradient(gradient), builder(gradient),
        sources(findDifferentiableSources(gradient.getYs())),
        activity(findActivity(sources, gradient.getXs())) {}

  /// Emits the gradients before the op and erases it.
  LogicalResult run();

  /// The number of rules applied by `run`.
  unsigned getNumRules() const { return numRules; }

private:
  LogicalResult checkBlockArguments();
  void seed();
  LogicalResult propagate(Operation *op);
  LogicalResult emitMissingRule(Operation *op, Type type);
  FailureOr<Value> getGradientOf(unsigned index);

  bool isActive(Value value) const { return activity.values.contains(value); }

  /// Adds `cotangent` to what has reached `value` so far.
  void accumulate(Location loc, Value value, Value cotangent) {
    Value &sum = cotangents[value];
    sum = sum ? arith::AddFOp::create(builder, loc, sum, cotangent) : cotangent;
  }

  train::GradientOp gradient;
  OpBuilder builder;
  llvm::SetVector<Value> sources;
  Activity activity;
  DenseMap<Value, Value> cotangents;
  unsigned numRules = 0;
};

/// How messages name a value.
std::string describe(Value value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto argument = dyn_cast<BlockArgument>(value))
    os << "argument #" << argument.getArgNumber();
  else if (auto read = value.getDefiningOp<train::ReadOp>())
    os << "variable @" << read.getVariable();
  else
    os << "the result of '" << value.getDefiningOp()->getName() << "'";
  return text;
}

/// A type that rules cannot be applied to, or null. Rules need a zero, a sign
/// and a known rank.
Type findUnsupportedType(Operation *op) {
  auto isUnsupported = [](Type type) {
    if (!carriesDerivative(type))
      return false;
    if (isa<ShapedType>(type) && !isa<RankedTensorType, VectorType>(type))
      return true;
    return !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(
        getElementTypeOrSelf(type));
  };
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (isUnsupported(type))
        return type;
  return {};
}
} // namespace

/// Values that come over an edge of the control flow have no op to ask for a
/// rule. A target inside the same region is computed after them: only then is
/// there no path.
LogicalResult GradientEmitter::checkBlockArguments() {
  for (Value source : sources) {
    auto argument = dyn_cast<BlockArgument>(source);
    if (!argument || llvm::is_contained(gradient.getXs(), source))
      continue;
    Operation *parent = argument.getOwner()->getParentOp();
    bool isEntry = argument.getOwner()->isEntryBlock();
    if (isEntry && isa<FunctionOpInterface>(parent))
      continue;
    if (isEntry && llvm::all_of(gradient.getXs(), [&](Value x) {
          return parent->isProperAncestor(x.getParentBlock()->getParentOp()) ||
                 parent == x.getParentBlock()->getParentOp();
        }))
      continue;
    InFlightDiagnostic error = parent->emitError()
                               << "no derivative rule for control flow: a "
                                  "differentiated value depends on argument #"
                               << argument.getArgNumber()
                               << " of a block, of type " << argument.getType();
    error.attachNote(gradient.getLoc()) << "the gradient requested here";
    return error;
  }
  return success();
}

/// Gives each y that a derivative flows from its weight.
void GradientEmitter::seed() {
  for (auto [i, y] : llvm::enumerate(gradient.getYs())) {
    if (!isActive(y))
      continue;
    Value weight = gradient.getGradYs().empty()
                       ? nn::buildSplat(builder, gradient.getLoc(), y, 1.0)
                       : gradient.getGradYs()[i];
    accumulate(gradient.getLoc(), y, weight);
  }
}

LogicalResult GradientEmitter::emitMissingRule(Operation *op, Type type) {
  InFlightDiagnostic error = op->emitError()
                             << "no derivative rule for '" << op->getName()
                             << "' on " << type;
  error.attachNote(gradient.getLoc()) << "the gradient requested here";
  return error;
}

LogicalResult GradientEmitter::propagate(Operation *op) {
  SmallVector<Value> resultCotangents;
  for (Value result : op->getResults())
    resultCotangents.push_back(cotangents.lookup(result));
  auto *reached = llvm::find_if(
      resultCotangents, [](Value value) { return static_cast<bool>(value); });
  if (reached == resultCotangents.end())
    return success();

  auto rule = dyn_cast<DifferentiableOpInterface>(op);
  Type unsupported = findUnsupportedType(op);
  bool captures = llvm::any_of(getDifferentiableCaptures(op),
                               [&](Value value) { return isActive(value); });
  if (!rule || unsupported || captures)
    return emitMissingRule(op,
                           unsupported ? unsupported : (*reached).getType());

  SmallVector<bool> needed;
  for (OpOperand &operand : op->getOpOperands())
    needed.push_back(isActive(operand.get()) && hasDerivative(operand));
  SmallVector<Value> operandCotangents(op->getNumOperands());
  if (failed(
          rule.emitVjp(builder, resultCotangents, needed, operandCotangents)))
    return failure();
  ++numRules;

  for (auto [i, cotangent] : llvm::enumerate(operandCotangents)) {
    if (!needed[i] || !cotangent)
      continue;
    Value operand = op->getOperand(i);
    if (cotangent.getType() != operand.getType())
      return op->emitOpError() << "expected a derivative rule that gives a "
                                  "cotangent of type "
                               << operand.getType() << " for operand #" << i
                               << ", found " << cotangent.getType();
    accumulate(op->getLoc(), operand, cotangent);
  }
  return success();
}

/// The gradient of target number `index`, once everything has been propagated.
FailureOr<Value> GradientEmitter::getGradientOf(unsigned index) {
  Value x = gradient.getXs()[index];
  if (Value cotangent = cotangents.lookup(x))
    return cotangent;
  if (gradient.getUnconnected() == train::Unconnected::zeros)
    return nn::buildSplat(builder, gradient.getLoc(), x, 0.0);
  InFlightDiagnostic error =
      gradient.emitOpError()
      << "expected gradient targets that a differentiated value depends on, "
         "found none for target #"
      << index << ", " << describe(x)
      << "; `unconnected zeros` makes its gradient 0";
  error.attachNote(x.getLoc()) << "the target is defined here";
  return error;
}

LogicalResult GradientEmitter::run() {
  if (failed(checkBlockArguments()))
    return failure();
  seed();
  for (Operation *op : llvm::reverse(activity.ops))
    if (failed(propagate(op)))
      return failure();
  SmallVector<Value> gradients;
  for (unsigned i = 0, e = gradient.getXs().size(); i < e; ++i) {
    FailureOr<Value> value = getGradientOf(i);
    if (failed(value))
      return failure();
    gradients.push_back(*value);
  }
  gradient->replaceAllUsesWith(gradients);
  gradient->erase();
  return success();
}

namespace {
struct TrainAutodiff : impl::TrainAutodiffBase<TrainAutodiff> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    SmallVector<train::GradientOp> gradients;
    function.walk([&](train::GradientOp op) { gradients.push_back(op); });
    for (train::GradientOp gradient : gradients) {
      GradientEmitter emitter(gradient);
      if (failed(emitter.run()))
        return signalPassFailure();
      ++numGradients;
      numRules += emitter.getNumRules();
    }

    // Blocking has been done, unless expanding an optimizer makes a gradient.
    if (function.walk([](train::MinimizeOp) { return WalkResult::interrupt(); })
            .wasInterrupted())
      return;
    function.walk([](train::StopGradientOp op) {
      op.getResult().replaceAllUsesWith(op.getInput());
      op.erase();
    });
  }
};
} // namespace
} // namespace flywheel
