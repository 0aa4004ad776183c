//===- Autodiff.cpp - Replace derivatives by plain ops --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: `train.gradient`, `train.jvp` and `train.jacobian` ops over inlined,
// expanded functions. After: plain ops that have rules themselves; none of
// those, no `train.parameter`, no `train.stop_gradient` and no
// `train.custom_vjp` is left. Refuses a path through an op without a rule and
// an unconnected target; see AutodiffPasses.td.
//
//===----------------------------------------------------------------------===//

#include "Gradients.h"
#include "SplitJoins.h"

#include "flywheel/Autodiff/AutodiffPasses.h"
#include "flywheel/Autodiff/InlineRegion.h"
#include "flywheel/Autodiff/ReverseSweep.h"
#include "flywheel/Autodiff/UpliftWhile.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Support/OpNames.h"
#include "flywheel/Support/Phases.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_TRAINAUTODIFF
#include "flywheel/Autodiff/AutodiffPasses.h.inc"

namespace {

/// Marks the ops that compute a derivative.
struct BackwardMarker : OpBuilder::Listener {
  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint previous) override {
    op->setLoc(markBackward(op->getLoc()));
  }
};

/// Replaces one gradient op.
class GradientEmitter {
public:
  explicit GradientEmitter(train::GradientOp gradient)
      : gradient(gradient), builder(gradient, &marker), xs(gradient.getXs()),
        sweep(builder, gradient.getYs(), gradient.getXs(), /*scope=*/nullptr,
              gradient.getStops()) {
    sweep.setRequest(gradient);
  }

  /// Emits the gradients before the op and erases it, once nothing uses it.
  FailureOr<SmallVector<Value>> run();

  /// Returns the number of rules that `run` has applied.
  unsigned getNumRules() const { return sweep.getNumRules(); }

private:
  LogicalResult checkBlockArguments();
  void seed();
  FailureOr<Value> getGradientOf(unsigned index);

  train::GradientOp gradient;
  BackwardMarker marker;
  OpBuilder builder;
  /// The targets as they were when the paths to them were found: a rule may
  /// replace a value of the forward computation.
  SmallVector<Value> xs;
  ReverseSweep sweep;
};

} // namespace

std::string describe(Value value) {
  while (auto parameter = value.getDefiningOp<train::ParameterOp>())
    value = parameter.getInput();
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto argument = dyn_cast<BlockArgument>(value))
    os << "argument #" << argument.getArgNumber();
  else if (auto read = value.getDefiningOp<train::ReadOp>())
    os << "variable @" << read.getVariable();
  else
    os << "the result of '" << getSourceOpName(value.getDefiningOp()) << "'";
  return text;
}

/// Checks that no derivative flows to a value that comes over a control flow
/// edge: it has no op whose rule could be applied. If a target in the same
/// region is computed after such a value, there is no path to it.
LogicalResult GradientEmitter::checkBlockArguments() {
  for (Value source : sweep.getSources()) {
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
    if (!sweep.isActive(y))
      continue;
    Value weight = gradient.getGradYs().empty()
                       ? nn::buildSplat(builder, gradient.getLoc(), y, 1.0)
                       : gradient.getGradYs()[i];
    sweep.accumulate(gradient.getLoc(), y, weight);
  }
}

/// Returns the gradient of target number `index`, once everything has been
/// propagated.
FailureOr<Value> GradientEmitter::getGradientOf(unsigned index) {
  Value x = gradient.getXs()[index];
  if (Value cotangent = sweep.getCotangent(xs[index]))
    return cotangent;
  if (gradient.getUnconnected() == train::Unconnected::zeros ||
      dependsOnEmptyTensor(gradient.getYs()))
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

FailureOr<SmallVector<Value>> GradientEmitter::run() {
  if (failed(checkBlockArguments()))
    return failure();
  seed();
  if (failed(sweep.run()))
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
  return gradients;
}

/// Makes an `scf.for`, which has a rule, of every `scf.while` that a derivative
/// reaches and whose condition limits the number of its iterations.
static void upliftLoops(train::GradientOp gradient) {
  SetVector<Value> sources = findDifferentiableSources(
      gradient.getYs(), /*scope=*/nullptr, gradient.getStops());
  Activity activity = findActivity(sources, gradient.getXs(),
                                   /*scope=*/nullptr, gradient.getStops());
  // The inner ones first: the outer ones are written anew.
  llvm::SetVector<scf::WhileOp> loops;
  for (Operation *op : activity.ops)
    op->walk([&](scf::WhileOp loop) {
      if (llvm::any_of(loop.getResultTypes(), carriesDerivative))
        loops.insert(loop);
    });
  OpBuilder builder(gradient);
  for (scf::WhileOp loop : loops)
    (void)upliftWhileToFor(builder, loop);
}

FailureOr<SmallVector<Value>> emitGradients(train::GradientOp gradient,
                                            unsigned &numRules) {
  upliftLoops(gradient);
  GradientEmitter emitter(gradient);
  FailureOr<SmallVector<Value>> gradients = emitter.run();
  numRules += emitter.getNumRules();
  return gradients;
}

LogicalResult emitJvp(train::JvpOp jvp, unsigned &numRules) {
  OpBuilder builder(jvp);
  Location loc = jvp.getLoc();
  // A direction that leaves an x where it is takes no part in the sum, even if
  // the derivative by that x is infinite.
  SmallVector<Value> xs, tangents;
  for (auto [x, tangent] : llvm::zip_equal(jvp.getXs(), jvp.getTangents())) {
    if (nn::isZeros(tangent))
      continue;
    xs.push_back(x);
    tangents.push_back(tangent);
  }
  if (xs.empty()) {
    xs.push_back(jvp.getXs().front());
    tangents.push_back(jvp.getTangents().front());
  }
  SmallVector<Value> us;
  for (Value y : jvp.getYs()) {
    Value u = nn::buildSplat(builder, loc, y, 0.0);
    // Tensors of zeros are left out of sums, and these stand for any.
    if (isa<RankedTensorType>(u.getType()))
      u = train::ParameterOp::create(builder, loc, u);
    us.push_back(u);
  }
  auto first =
      train::GradientOp::create(builder, loc, ValueRange(xs).getTypes(),
                                jvp.getYs(), xs, us, train::Unconnected::zeros);
  auto second = train::GradientOp::create(builder, loc, jvp.getYs().getTypes(),
                                          first.getGradients(), us, tangents,
                                          train::Unconnected::zeros);
  jvp->replaceAllUsesWith(second);
  jvp->erase();
  return success(succeeded(emitGradients(first, numRules)) &&
                 succeeded(emitGradients(second, numRules)));
}

/// Refuses a target whose variable a branch or loop reads and may assign: that
/// read is not a value outside of the op, and its share of the derivative would
/// silently be missing. Other reads have been unified with the target by now.
static LogicalResult checkHiddenReads(Operation *request, ValueRange ys,
                                      ValueRange xs, ValueRange stops) {
  llvm::SmallDenseSet<Attribute> targets;
  for (Value x : xs)
    if (auto read = x.getDefiningOp<train::ReadOp>())
      targets.insert(read.getVariableAttr());
  if (targets.empty())
    return success();
  for (Value value : findDifferentiableHistory(ys, stops)) {
    auto read = value.getDefiningOp<train::ReadOp>();
    if (!read || !targets.contains(read.getVariableAttr()) ||
        llvm::is_contained(xs, value))
      continue;
    Operation *outermost = nullptr;
    for (Operation *op = read->getParentOp();
         !isa<FunctionOpInterface>(op) && !op->isAncestor(request);
         op = op->getParentOp())
      outermost = op;
    if (!outermost)
      continue;
    InFlightDiagnostic error =
        outermost->emitError()
        << "no derivative rule for '" << outermost->getName()
        << "' where it reads the variable of a target: it reads @"
        << read.getVariable() << " in its regions, which may assign it";
    error.attachNote(request->getLoc()) << "the derivative requested here";
    return error;
  }
  return success();
}

/// Replaces an op that asks for derivatives.
static LogicalResult replace(Operation *derivative, unsigned &numRules) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(derivative)
      .Case([&](train::GradientOp op) -> LogicalResult {
        if (failed(checkHiddenReads(op, op.getYs(), op.getXs(), op.getStops())))
          return failure();
        return success(succeeded(emitGradients(op, numRules)));
      })
      .Case([&](train::JvpOp op) -> LogicalResult {
        if (failed(checkHiddenReads(op, op.getYs(), op.getXs(), {})))
          return failure();
        return emitJvp(op, numRules);
      })
      .Case([&](train::JacobianOp op) -> LogicalResult {
        if (failed(checkHiddenReads(op, op.getY(), op.getXs(), {})))
          return failure();
        return emitJacobian(op, numRules);
      });
}

/// Returns the ops, in program order, that compute what `derivative`
/// differentiates from its targets and from what is constant to it.
static SmallVector<Operation *> findDifferentiated(Operation *derivative) {
  auto find = [](ValueRange ys, ValueRange xs, ValueRange stops = {}) {
    SmallVector<Value> ends(xs);
    llvm::append_range(ends, stops);
    SetVector<Operation *> ops;
    for (Value value : findDifferentiableSources(ys, /*scope=*/nullptr, ends))
      if (Operation *op = value.getDefiningOp();
          op && !llvm::is_contained(ends, value))
        ops.insert(op);
    return llvm::to_vector(topologicalSort(ops));
  };
  return llvm::TypeSwitch<Operation *, SmallVector<Operation *>>(derivative)
      .Case([&](train::GradientOp op) {
        return find(op.getYs(), op.getXs(), op.getStops());
      })
      .Case([&](train::JvpOp op) { return find(op.getYs(), op.getXs()); })
      .Case([&](train::JacobianOp op) { return find(op.getY(), op.getXs()); });
}

/// Returns those of `derivatives` that are differentiated by another one, or
/// differentiate another one.
static llvm::SmallPtrSet<Operation *, 8>
findNested(ArrayRef<Operation *> derivatives) {
  llvm::SmallPtrSet<Operation *, 8> nested;
  if (derivatives.size() < 2)
    return nested;
  llvm::SmallPtrSet<Operation *, 8> all(derivatives.begin(), derivatives.end());
  for (Operation *derivative : derivatives)
    for (Operation *op : findDifferentiated(derivative))
      if (all.contains(op))
        nested.insert({op, derivative});
  return nested;
}

namespace {
struct TrainAutodiff : impl::TrainAutodiffBase<TrainAutodiff> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    SmallVector<Operation *> derivatives;
    function.walk([&](Operation *op) {
      if (isa<train::GradientOp, train::JvpOp, train::JacobianOp>(op))
        derivatives.push_back(op);
    });
    llvm::SmallPtrSet<Operation *, 8> nested = findNested(derivatives);
    unsigned rules = 0;
    for (Operation *derivative : derivatives) {
      if (nested.contains(derivative))
        splitJoins(findDifferentiated(derivative));
      if (failed(replace(derivative, rules)))
        return signalPassFailure();
      ++numGradients;
    }
    numRules += rules;

    // Blocking has been done, unless expanding an optimizer makes a gradient.
    if (function.walk([](train::MinimizeOp) { return WalkResult::interrupt(); })
            .wasInterrupted())
      return;
    function.walk([](scf::ForOp loop) {
      loop->removeAttr(train::TrainDialect::getKeepsDimSizesAttrName());
    });
    function.walk([](Operation *op) {
      if (!isa<train::ParameterOp, train::StopGradientOp>(op))
        return;
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
      op->erase();
    });
    function.walk([](train::CustomVjpOp op) {
      OpBuilder builder(op);
      op->replaceAllUsesWith(
          cloneBlock(builder, op.getBody().front(), op.getInputs()));
      op.erase();
    });
  }
};
} // namespace
} // namespace flywheel
