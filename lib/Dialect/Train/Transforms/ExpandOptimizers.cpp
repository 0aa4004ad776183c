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

#include "DeclareVariable.h"
#include "ExpandMinimize.h"
#include "GuardUpdates.h"
#include "LossHistory.h"
#include "ModifyGradients.h"

#include "flywheel/Dialect/NN/ElementwiseExpr.h"
#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Dialect/Train/TrainPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace flywheel::train {
#define GEN_PASS_DEF_TRAINEXPANDOPTIMIZERS
#include "flywheel/Dialect/Train/TrainPasses.h.inc"

namespace {
/// A variable that an optimizer updates.
struct Parameter {
  VariableOp variable;
  Value gradient;
  SmallVector<VariableOp> slots;
  /// What the variable is the rounded value of, or null.
  VariableOp master = {};
};

/// The variables of one optimizer, which several ops share where it has a name.
struct OptimizerState {
  OptimizerState(OptimizerAttrInterface optimizer, Location loc,
                 StringRef scope)
      : optimizer(optimizer), loc(loc), scope(scope) {}

  OptimizerAttrInterface optimizer;
  /// The first op that uses it.
  Location loc;
  std::string scope;
  /// Whether it may update a variable of f64.
  bool isDouble = false;
  SmallVector<VariableOp> scalars;
  /// What a schedule counts, where no scalar is a counter of steps.
  VariableOp counter;
  /// By parameter.
  llvm::DenseMap<Operation *, SmallVector<VariableOp>> slots;
  llvm::DenseMap<Operation *, VariableOp> masters;
  /// Whether an op with this optimizer has variables of its own that say when
  /// it updates.
  bool isGuarded = false;
};

/// Expands one op that applies gradients.
class ApplyExpander {
public:
  ApplyExpander(ApplyGradientsOp apply, OptimizerState &state)
      : apply(apply), loc(apply.getLoc()), builder(apply),
        optimizer(apply.getOptimizer()), state(state) {}

  LogicalResult run();

  unsigned getNumParameters() const { return parameters.size(); }
  unsigned getNumSlots() const { return numSlots; }

private:
  LogicalResult declareScalars();
  FailureOr<VariableOp> findScalar(const ScalarVariableSpec &spec,
                                   RankedTensorType type) {
    return findDeclaredScalar(apply, state.scope, spec, type, optimizer);
  }
  StringRef getSlotName() {
    return optimizer.getGivenName() ? optimizer.getGivenName().getValue()
                                    : optimizer.getOptimizerName();
  }
  void declareMasters();
  void declareSlots();
  LogicalResult emitSchedule();
  VariableOp lookupScalar(StringRef name);
  LogicalResult emitUpdates();
  Value readParameter(const Parameter &parameter);
  LogicalResult updateParameter(const Parameter &parameter, Value value,
                                Value gradient, ValueRange stepValues,
                                Value rate);
  LogicalResult markLazy(Value updated);
  void incrementGlobalStep();

  VariableOp declare(const Twine &name, RankedTensorType type,
                     Attribute initialValue, VariableOp owner);
  VariableOp lookup(Attribute symbol) {
    return SymbolTable::lookupNearestSymbolFrom<VariableOp>(
        apply, cast<FlatSymbolRefAttr>(symbol));
  }
  Value read(VariableOp variable) {
    return ReadOp::create(builder, loc, variable.getTensorType(),
                          variable.getSymName());
  }
  void assign(VariableOp variable, Value value) {
    AssignOp::create(builder, loc, variable.getTensorType(),
                     variable.getSymName(), value);
  }

  ApplyGradientsOp apply;
  Location loc;
  OpBuilder builder;
  OptimizerAttrInterface optimizer;
  OptimizerState &state;
  SmallVector<Parameter> parameters;
  unsigned numSlots = 0;
};
} // namespace

/// The recipe of a slot that starts at `value`.
static Attribute getSlotInitializer(RankedTensorType type, double value) {
  if (value == 0.0 || type.getNumElements() == 0)
    return ZerosAttr::get(type.getContext());
  auto one = RankedTensorType::get({1}, type.getElementType());
  return ConstantAttr::get(type.getContext(), getSplatOf(one, value));
}

/// Adds a variable next to the parameters.
VariableOp ApplyExpander::declare(const Twine &name, RankedTensorType type,
                                  Attribute initialValue, VariableOp owner) {
  return declareVariable(parameters.front().variable->getParentOp(), loc, name,
                         type, initialValue, owner);
}

LogicalResult ApplyExpander::declareScalars() {
  if (!state.scalars.empty())
    return success();
  Type number = state.isDouble ? builder.getF64Type() : builder.getF32Type();
  for (const ScalarVariableSpec &spec : optimizer.getScalarVariables()) {
    auto type = RankedTensorType::get({}, spec.isCounter ? builder.getI64Type()
                                                         : number);
    FailureOr<VariableOp> declared = findScalar(spec, type);
    if (failed(declared))
      return failure();
    state.scalars.push_back(
        *declared ? *declared
                  : declare(state.scope + "/" + spec.name, type,
                            getSplatOf(type, spec.initialValue), {}));
  }
  return success();
}

void ApplyExpander::declareMasters() {
  if (!apply.getMasterWeights())
    return;
  for (Parameter &parameter : parameters) {
    RankedTensorType type = parameter.variable.getTensorType();
    Type compute = nn::getComputeType(type.getElementType());
    if (compute == type.getElementType())
      continue;
    VariableOp &master = state.masters[parameter.variable];
    if (!master)
      master = declare(parameter.variable.getSymName() + "/" + getSlotName() +
                           "/master",
                       type.clone(compute), ZerosAttr::get(type.getContext()),
                       parameter.variable);
    parameter.master = master;
  }
}

void ApplyExpander::declareSlots() {
  for (Parameter &parameter : parameters) {
    VariableOp owner = parameter.master ? parameter.master : parameter.variable;
    RankedTensorType type = owner.getTensorType();
    SmallVector<VariableOp> &slots = state.slots[parameter.variable];
    if (slots.empty())
      for (const SlotSpec &spec : optimizer.getSlots(type)) {
        RankedTensorType slotType = spec.type ? spec.type : type;
        slots.push_back(declare(
            parameter.variable.getSymName() + "/" + getSlotName(), slotType,
            getSlotInitializer(slotType, spec.initialValue), owner));
        ++numSlots;
      }
    parameter.slots = slots;
  }
}

/// The variable of that name of the optimizer, or null.
VariableOp ApplyExpander::lookupScalar(StringRef name) {
  for (auto [spec, variable] :
       llvm::zip_equal(optimizer.getScalarVariables(), state.scalars))
    if (spec.name == name)
      return variable;
  return {};
}

/// `rate` at step `step`, as a tensor of `type`.
static Value emitRate(OpBuilder &b, Location loc,
                      ScheduleAttrInterface schedule, Value step, Type type) {
  return schedule.buildRate(b, loc,
                            arith::SIToFPOp::create(b, loc, type, step));
}

/// Assigns the rate of this step, by the counter of the optimizer or one of its
/// own.
LogicalResult ApplyExpander::emitSchedule() {
  ScheduleAttrInterface schedule = apply.getScheduleAttr();
  if (!schedule)
    return success();
  VariableOp counter = lookupScalar("iterations");
  if (!counter) {
    if (!state.counter) {
      auto type = RankedTensorType::get({}, builder.getI64Type());
      ScalarVariableSpec spec{"iterations", true, 0.0};
      FailureOr<VariableOp> declared = findScalar(spec, type);
      if (failed(declared))
        return failure();
      state.counter = *declared ? *declared
                                : declare(state.scope + "/iterations", type,
                                          getSplatOf(type, 0.0), {});
    }
    counter = state.counter;
  }
  VariableOp rate = lookupScalar("lr");
  Value step = read(counter);
  assign(rate, emitRate(builder, loc, schedule, step, rate.getTensorType()));
  if (counter == state.counter) {
    Value one = arith::ConstantOp::create(
        builder, loc, getSplatOf(counter.getTensorType(), 1.0));
    assign(counter, arith::AddIOp::create(builder, loc, step, one));
  }
  return success();
}

/// Makes the update that computes `updated`, a new parameter, leave rows alone.
LogicalResult ApplyExpander::markLazy(Value updated) {
  auto update = updated.getDefiningOp<OptimizerUpdateOpInterface>();
  if (!update)
    return apply.emitError()
           << "expected an optimizer that updates element by element with "
              "'sparse lazy', found "
           << optimizer;
  update->setAttr(TrainDialect::getLazyAttrName(), builder.getUnitAttr());
  return success();
}

/// What is updated: the variable, or what it is the rounded value of.
Value ApplyExpander::readParameter(const Parameter &parameter) {
  Value value = read(parameter.variable);
  if (!parameter.master)
    return value;
  return selectMaster(builder, loc, read(parameter.master), value);
}

/// Makes the op that computes `updated[0]`, a new master weight, compute the
/// variable too, in the same loop. Returns the variable's new value: null where
/// that is no op that updates element by element.
static Value roundInUpdate(SmallVectorImpl<Value> &updated,
                           const Parameter &parameter) {
  auto update = updated.front().getDefiningOp<UpdateOp>();
  if (!update)
    return {};
  OpBuilder b(update);
  auto read = [&](VariableOp variable) -> Value {
    return ReadOp::create(b, update.getLoc(), variable.getTensorType(),
                          variable.getSymName());
  };
  SmallVector<Value> state(update.getState());
  state.front() = read(parameter.master);
  state.push_back(read(parameter.variable));
  auto whole = UpdateOp::create(
      b, update.getLoc(), TypeRange(ValueRange(state)), state,
      update.getGradient(), update.getStepValues(), update.getDecay(),
      /*rounded=*/true, update.getOptimizer());
  updated.assign(whole->result_begin(), whole->result_end());
  update.erase();
  return updated.pop_back_val();
}

LogicalResult ApplyExpander::updateParameter(const Parameter &parameter,
                                             Value value, Value gradient,
                                             ValueRange stepValues,
                                             Value rate) {
  SmallVector<Value> slotValues;
  for (VariableOp slot : parameter.slots)
    slotValues.push_back(read(slot));
  SmallVector<Value> updated = optimizer.buildParameterUpdate(
      builder, loc, value, slotValues, gradient, stepValues);
  if (apply.getSparse() == SparseForm::lazy &&
      failed(markLazy(updated.front())))
    return failure();
  VariableOp variable = parameter.variable;
  updated.front() =
      decayWeights(builder, apply, FlatSymbolRefAttr::get(variable), value,
                   updated.front(), rate);
  ConstraintAttrInterface constraint = variable.getConstraintAttr();
  Value rounded;
  if (constraint)
    updated.front() =
        ProjectOp::create(builder, loc, updated.front(), constraint);
  else if (parameter.master)
    rounded = roundInUpdate(updated, parameter);
  if (parameter.master) {
    if (!rounded)
      rounded =
          nn::roundTo(builder, loc, updated.front(), variable.getTensorType());
    assign(parameter.master, updated.front());
    assign(variable, rounded);
  } else {
    assign(variable, updated.front());
  }
  for (auto [slot, newSlot] :
       llvm::zip_equal(parameter.slots, llvm::drop_begin(updated)))
    assign(slot, newSlot);
  return success();
}

LogicalResult ApplyExpander::emitUpdates() {
  SmallVector<Value> scalarValues, stepValues;
  for (VariableOp scalar : state.scalars)
    scalarValues.push_back(read(scalar));
  SmallVector<Value> newScalars(state.scalars.size());
  optimizer.buildStep(builder, loc, scalarValues, stepValues, newScalars);
  Value rate;
  for (auto [spec, value] :
       llvm::zip_equal(optimizer.getScalarVariables(), scalarValues))
    if (spec.name == "lr")
      rate = value;

  SmallVector<Value> values = llvm::map_to_vector(
      parameters, [&](Parameter &p) { return readParameter(p); });
  SmallVector<Value> gradients =
      llvm::map_to_vector(parameters, [](Parameter &p) { return p.gradient; });
  for (auto [parameter, gradient] : llvm::zip_equal(parameters, gradients))
    if (parameter.master)
      gradient = nn::widen(builder, loc, gradient);
  modifyGradients(builder, apply, values, gradients);
  for (auto [parameter, value, gradient] :
       llvm::zip_equal(parameters, values, gradients))
    if (failed(updateParameter(parameter, value, gradient, stepValues, rate)))
      return failure();
  for (auto [scalar, newScalar] : llvm::zip_equal(state.scalars, newScalars))
    if (newScalar)
      assign(scalar, newScalar);
  return success();
}

void ApplyExpander::incrementGlobalStep() {
  FlatSymbolRefAttr step = apply.getGlobalStepAttr();
  if (!step)
    return;
  RankedTensorType type = lookup(step).getTensorType();
  Value one = arith::ConstantOp::create(builder, loc, getSplatOf(type, 1.0));
  AssignAddOp::create(builder, loc, type, step, one);
}

LogicalResult ApplyExpander::run() {
  for (auto [symbol, gradient] :
       llvm::zip_equal(apply.getVarList(), apply.getGradients()))
    parameters.push_back({lookup(symbol), gradient, {}});
  if (failed(declareScalars()))
    return failure();
  declareMasters();
  declareSlots();
  if (failed(emitSchedule()))
    return failure();
  if (failed(emitUpdates()))
    return failure();
  incrementGlobalStep();
  apply.erase();
  return success();
}

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

/// Whether `op`, which has not been expanded, may update a variable of f64.
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

/// The optimizers with names: ops of one name say the same optimizer.
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

/// The optimizer's name, with the first suffix that makes a scope which no
/// other optimizer has.
std::string TrainExpandOptimizers::makeScope(StringRef name) {
  std::string scope = name.str();
  for (unsigned i = 1; states.contains(scope); ++i)
    scope = (name + "_" + Twine(i)).str();
  return scope;
}

/// Replaces a pure op by plain ops.
static bool expandPure(Operation *op) {
  OpBuilder b(op);
  if (auto schedule = dyn_cast<ScheduleOp>(op)) {
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

LogicalResult TrainExpandOptimizers::expand(Operation *op) {
  if (expandPure(op))
    return success();
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
  }
  if (guards->lossScale || guards->microStep) {
    if (state->isGuarded)
      return apply.emitError()
             << "expected one update by optimizer '" << scope
             << "' with loss_scale or accumulate, found another";
    state->isGuarded = true;
  }
  apply = guardUpdate(apply, *guards, scope);
  ApplyExpander expander(apply, *state);
  if (failed(expander.run()))
    return failure();
  ++numOptimizers;
  numParameters += expander.getNumParameters();
  numSlots += expander.getNumSlots();
  return success();
}
} // namespace flywheel::train
