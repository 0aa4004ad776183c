//===- ExpandOptimizers.cpp - train.minimize to gradients and updates -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: `train.minimize` ops. After: in place of each one `train.gradient`,
// update ops and assignments, over variables that this pass adds to the module.
// Refuses a minimize op that would update nothing; see TrainPasses.td.
//
//===----------------------------------------------------------------------===//

#include "ExpandApplyGradients.h"
#include "ExpandMinimize.h"
#include "GuardUpdates.h"
#include "LossHistory.h"
#include "ModifyGradients.h"
#include "VerifyNumbers.h"

#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Dialect/Train/TrainPasses.h"
#include "flywheel/Support/UniqueName.h"

using namespace mlir;

namespace flywheel::train {
#define GEN_PASS_DEF_TRAINEXPANDOPTIMIZERS
#include "flywheel/Dialect/Train/TrainPasses.h.inc"

namespace {
struct TrainExpandOptimizers
    : impl::TrainExpandOptimizersBase<TrainExpandOptimizers> {
  void runOnOperation() override {
    states.clear();
    if (failed(collectNamed()))
      return signalPassFailure();
    // Callees first: a call that is inlined brings expanded ops along.
    for (func::FuncOp function : getFunctionsBottomUp(getOperation())) {
      // In program order, which names the slots.
      SmallVector<Operation *> ops;
      function.walk([&](Operation *op) {
        if (isa<MinimizeOp, ApplyGradientsOp, ClipByGlobalNormOp, ScheduleOp>(
                op))
          ops.push_back(op);
      });
      for (Operation *op : ops)
        if (failed(expand(op)))
          return signalPassFailure();
    }
  }

private:
  LogicalResult collectNamed();
  bool mayUpdateDouble(Operation *op);
  std::string makeScope(StringRef name);
  LogicalResult expand(Operation *op);

  /// By scope.
  llvm::StringMap<std::shared_ptr<OptimizerState>> states;
};
} // namespace

/// Returns true if `op`, which has not been expanded, may update a variable of
/// f64.
bool TrainExpandOptimizers::mayUpdateDouble(Operation *op) {
  auto isDouble = [](VariableOp variable) {
    return variable.getTensorType().getElementType().isF64();
  };
  auto isListed = [&](Attribute symbol) {
    return isDouble(SymbolTable::lookupNearestSymbolFrom<VariableOp>(
        op, cast<FlatSymbolRefAttr>(symbol)));
  };
  if (auto apply = dyn_cast<ApplyGradientsOp>(op))
    return llvm::any_of(apply.getVarList(), isListed);
  if (std::optional<ArrayAttr> list = cast<MinimizeOp>(op).getVarList())
    return llvm::any_of(*list, isListed);
  return getOperation()
      .walk([&](VariableOp variable) {
        return variable.isTrainable() && isDouble(variable)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Collects the optimizers with names: ops of one name must have the same
/// optimizer.
LogicalResult TrainExpandOptimizers::collectNamed() {
  WalkResult result = getOperation().walk([&](Operation *op) {
    OptimizerAttrInterface optimizer;
    if (auto minimize = dyn_cast<MinimizeOp>(op))
      optimizer = minimize.getOptimizer();
    else if (auto apply = dyn_cast<ApplyGradientsOp>(op))
      optimizer = apply.getOptimizer();
    if (!optimizer || !optimizer.getGivenName())
      return WalkResult::advance();
    StringAttr name = optimizer.getGivenName();
    std::shared_ptr<OptimizerState> &state = states[name];
    if (!state)
      state = std::make_shared<OptimizerState>(optimizer, op->getLoc(), name);
    if (state->optimizer == optimizer) {
      state->isDouble |= mayUpdateDouble(op);
      return WalkResult::advance();
    }
    InFlightDiagnostic error =
        op->emitError() << "expected one optimizer of the name " << name << ", "
                        << state->optimizer << ", found " << optimizer;
    error.attachNote(state->loc) << "the other one is here";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Returns the optimizer's name, with the first suffix that makes a scope which
/// no other optimizer has.
std::string TrainExpandOptimizers::makeScope(StringRef name) {
  return makeUniqueName(
      name, [&](StringRef scope) { return states.contains(scope); });
}

/// Replaces a pure op by plain ops; whether `op` is one.
static FailureOr<bool> expandPure(Operation *op) {
  OpBuilder b(op);
  if (auto schedule = dyn_cast<ScheduleOp>(op)) {
    if (failed(verifyNumbers(op, schedule.getSchedule(),
                             schedule.getSchedule().getNumbers(),
                             getElementTypeOrSelf(schedule.getRate()))))
      return failure();
    op->replaceAllUsesWith(
        ValueRange(emitRate(b, op->getLoc(), schedule.getSchedule(),
                            schedule.getStep(), schedule.getRate().getType())));
  } else if (auto clip = dyn_cast<ClipByGlobalNormOp>(op)) {
    SmallVector<Value> values(clip.getInputs());
    values.push_back(clipByGlobalNorm(b, op->getLoc(), values,
                                      clip.getBound().convertToDouble()));
    op->replaceAllUsesWith(values);
  } else {
    return false;
  }
  op->erase();
  return true;
}

/// Checks that the global step is not a counter by which an optimizer decides
/// whether to update: these count calls.
static LogicalResult verifyGlobalStep(ApplyGradientsOp apply,
                                      const UpdateGuards &guards) {
  FlatSymbolRefAttr step = apply.getGlobalStepAttr();
  if (!step)
    return success();
  for (VariableOp counter : {guards.goodSteps, guards.microStep})
    if (counter && counter.getSymNameAttr() == step.getAttr())
      return apply.emitError()
             << "expected a global_step of the program, found " << step
             << ", which optimizer " << apply.getOptimizer() << " decides by";
  return success();
}

LogicalResult TrainExpandOptimizers::expand(Operation *op) {
  if (FailureOr<bool> isPure = expandPure(op); failed(isPure) || *isPure)
    return LogicalResult(isPure);
  auto apply = dyn_cast<ApplyGradientsOp>(op);
  auto minimize = dyn_cast<MinimizeOp>(op);
  OptimizerAttrInterface optimizer =
      apply ? apply.getOptimizer() : minimize.getOptimizer();
  std::string scope = optimizer.getGivenName()
                          ? optimizer.getGivenName().str()
                          : makeScope(optimizer.getOptimizerName());
  FailureOr<UpdateGuards> guards = declareGuards(op, scope);
  if (failed(guards))
    return failure();
  if (minimize) {
    FailureOr<ApplyGradientsOp> made =
        expandMinimize(minimize, getOperation(), guards->lossScale);
    if (failed(made))
      return failure();
    apply = *made;
  }
  std::shared_ptr<OptimizerState> &state = states[scope];
  if (!state) {
    state = std::make_shared<OptimizerState>(optimizer, apply.getLoc(), scope);
    state->isDouble = mayUpdateDouble(apply);
    auto named = states.find(optimizer.getOptimizerName());
    state->isNameTaken = named != states.end() && named->second &&
                         named->second->optimizer.getGivenName();
  }
  if (failed(verifyGlobalStep(apply, *guards)))
    return failure();
  if (guards->lossScale || guards->microStep) {
    if (state->isGuarded)
      return apply.emitError()
             << "expected one update by optimizer '" << scope
             << "' with loss_scale or accumulate, found another";
    state->isGuarded = true;
  }
  apply = guardUpdate(apply, *guards, scope);
  FailureOr<ExpandedUpdate> update = expandApplyGradients(apply, *state);
  if (failed(update))
    return failure();
  ++numOptimizers;
  numParameters += update->numParameters;
  numSlots += update->numSlots;
  return success();
}
} // namespace flywheel::train
