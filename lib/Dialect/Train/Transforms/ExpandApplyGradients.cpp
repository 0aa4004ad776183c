//===- ExpandApplyGradients.cpp - One update, in place of its op ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the variables that an update needs, and emits reads, the clauses
// around the optimizer, its update ops and the assignments.
//
//===----------------------------------------------------------------------===//

#include "ExpandApplyGradients.h"

#include "DeclareVariable.h"
#include "GuardUpdates.h"
#include "ModifyGradients.h"
#include "VerifyNumbers.h"

#include "flywheel/Dialect/NN/ElementwiseExpr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace flywheel::train {

namespace {
/// A variable that an optimizer updates.
struct Parameter {
  VariableOp variable;
  Value gradient;
  SmallVector<VariableOp> slots;
  /// The master weights of which the variable is the rounded value, or null.
  VariableOp master = {};
};

/// Expands one op that applies gradients.
class ApplyExpander {
public:
  ApplyExpander(ApplyGradientsOp apply, OptimizerState &state)
      : apply(apply), loc(apply.getLoc()), builder(apply),
        optimizer(apply.getOptimizer()), state(state) {}

  FailureOr<ExpandedUpdate> run();

private:
  LogicalResult declareScalars(Type number);
  FailureOr<VariableOp> findScalar(const ScalarVariableSpec &spec,
                                   RankedTensorType type) {
    return findDeclaredScalar(apply, state.scope, spec, type, optimizer);
  }
  /// Returns true if the names of the slots must differ from those of all other
  /// optimizers.
  bool hasOwnNames() { return optimizer.getGivenName() || state.isNameTaken; }
  StringRef getSlotName() {
    return hasOwnNames() ? StringRef(state.scope)
                         : optimizer.getOptimizerName();
  }
  FailureOr<std::string> nameSlot(VariableOp parameter, unsigned number);
  void declareMasters();
  LogicalResult declareSlots();
  LogicalResult emitSchedule();
  VariableOp lookupScalar(ScalarRole role);
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

/// Returns the recipe of a slot that starts at `value`.
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

LogicalResult ApplyExpander::declareScalars(Type number) {
  if (!state.scalars.empty())
    return success();
  for (const ScalarVariableSpec &spec : optimizer.getScalarVariables()) {
    auto type = RankedTensorType::get(
        {}, spec.isCounter() ? builder.getI64Type() : number);
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

/// Returns the name of a slot. Slots of `Adam` are `w/Adam` and `w/Adam_1`. An
/// optimizer whose name ends in a number has a folder, `w/Adam_1/slot` and
/// `w/Adam_1/slot_1`: programs that are compiled separately share variables by
/// name, so that two optimizers must not use one name. Optimizers without a
/// name belong to this module only, and get the first suffix that is free.
FailureOr<std::string> ApplyExpander::nameSlot(VariableOp parameter,
                                               unsigned number) {
  StringRef own = getSlotName();
  std::string base = (parameter.getSymName() + "/" + own).str();
  if (!hasOwnNames())
    return base;
  StringRef stem = own.rtrim("0123456789");
  if (stem.size() < own.size() && stem.ends_with("_"))
    base += "/slot";
  std::string name = number == 0 ? base : base + "_" + std::to_string(number);
  Operation *other =
      SymbolTable::lookupSymbolIn(parameter->getParentOp(), name);
  if (!other)
    return name;
  InFlightDiagnostic error =
      apply.emitError() << "expected no other variable @\"" << name
                        << "\", which is a slot of optimizer " << optimizer;
  error.attachNote(other->getLoc()) << "the other one is here";
  return failure();
}

LogicalResult ApplyExpander::declareSlots() {
  for (Parameter &parameter : parameters) {
    VariableOp owner = parameter.master ? parameter.master : parameter.variable;
    RankedTensorType type = owner.getTensorType();
    SmallVector<VariableOp> &slots = state.slots[parameter.variable];
    if (slots.empty())
      for (auto [number, spec] : llvm::enumerate(optimizer.getSlots(type))) {
        RankedTensorType slotType = spec.type ? spec.type : type;
        if (failed(verifyNumbers(
                apply, optimizer,
                {{"the first value of a slot", spec.initialValue}},
                slotType.getElementType())))
          return failure();
        FailureOr<std::string> name = nameSlot(parameter.variable, number);
        if (failed(name))
          return failure();
        slots.push_back(declare(*name, slotType,
                                getSlotInitializer(slotType, spec.initialValue),
                                owner));
        ++numSlots;
      }
    parameter.slots = slots;
  }
  return success();
}

/// Returns the variable of that name of the optimizer, or null.
VariableOp ApplyExpander::lookupScalar(ScalarRole role) {
  for (auto [spec, variable] :
       llvm::zip_equal(optimizer.getScalarVariables(), state.scalars))
    if (spec.role == role)
      return variable;
  return {};
}

/// Computes the functions between `step` and `rate`, of f64, in f32, which
/// every target has. Their arguments, differences and quotients of steps, stay
/// in f64.
static void narrowFunctions(Value rate, Value step) {
  Operation *op = rate.getDefiningOp();
  if (!op || rate == step)
    return;
  for (Value operand : op->getOperands())
    narrowFunctions(operand, step);
  if (!isa<math::CosOp, math::PowFOp>(op) ||
      !getElementTypeOrSelf(rate).isF64())
    return;
  OpBuilder b(op);
  for (OpOperand &operand : op->getOpOperands())
    operand.set(
        nn::castElements(b, op->getLoc(), operand.get(), b.getF32Type()));
  b.setInsertionPointAfter(op);
  rate.setType(op->getOperand(0).getType());
  Value wide = nn::castElements(b, op->getLoc(), rate, b.getF64Type());
  rate.replaceAllUsesExcept(wide, wide.getDefiningOp());
}

Value emitRate(OpBuilder &b, Location loc, ScheduleAttrInterface schedule,
               Value step, Type type) {
  Value rate = schedule.buildRate(b, loc, step);
  Type element = getElementTypeOrSelf(type);
  if (element.isF32())
    narrowFunctions(rate, step);
  return nn::castElements(b, loc, rate, element);
}

/// Assigns the rate of this step, by the counter of the optimizer or one of its
/// own.
LogicalResult ApplyExpander::emitSchedule() {
  ScheduleAttrInterface schedule = apply.getScheduleAttr();
  if (!schedule)
    return success();
  VariableOp counter = lookupScalar(ScalarRole::Counter);
  if (!counter) {
    if (!state.counter) {
      auto type = RankedTensorType::get({}, builder.getI64Type());
      ScalarVariableSpec spec{"iterations", ScalarRole::Counter};
      FailureOr<VariableOp> declared = findScalar(spec, type);
      if (failed(declared))
        return failure();
      state.counter = *declared ? *declared
                                : declare(state.scope + "/iterations", type,
                                          getCounterOf(type, 0), {});
    }
    counter = state.counter;
  }
  VariableOp rate = lookupScalar(ScalarRole::Rate);
  Value step = read(counter);
  assign(rate, emitRate(builder, loc, schedule, step, rate.getTensorType()));
  if (counter == state.counter) {
    Value one = arith::ConstantOp::create(
        builder, loc, getCounterOf(counter.getTensorType(), 1));
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

/// Reads the value that is updated: the variable, or its master weights.
Value ApplyExpander::readParameter(const Parameter &parameter) {
  Value value = read(parameter.variable);
  if (!parameter.master)
    return value;
  return selectMaster(builder, loc, read(parameter.master), value);
}

/// Rewrites the op that computes `updated[0]`, a new master weight, to compute
/// the variable in the same loop. Returns the variable's new value; null if
/// that op is not an elementwise update.
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
    if (spec.role == ScalarRole::Rate)
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
  // The optimizer's own counter counts a step once.
  VariableOp variable = lookup(step);
  if (variable == lookupScalar(ScalarRole::Counter) ||
      variable == state.counter)
    return;
  RankedTensorType type = variable.getTensorType();
  Value one = arith::ConstantOp::create(builder, loc, getCounterOf(type, 1));
  AssignAddOp::create(builder, loc, type, step, one);
}

FailureOr<ExpandedUpdate> ApplyExpander::run() {
  for (auto [symbol, gradient] :
       llvm::zip_equal(apply.getVarList(), apply.getGradients()))
    parameters.push_back({lookup(symbol), gradient, {}});
  Type number = state.isDouble ? builder.getF64Type() : builder.getF32Type();
  if (failed(verifyNumbers(apply, number)) || failed(declareScalars(number)))
    return failure();
  declareMasters();
  if (failed(declareSlots()) || failed(emitSchedule()) || failed(emitUpdates()))
    return failure();
  incrementGlobalStep();
  apply.erase();
  return ExpandedUpdate{static_cast<unsigned>(parameters.size()), numSlots};
}

FailureOr<ExpandedUpdate> expandApplyGradients(ApplyGradientsOp apply,
                                               OptimizerState &state) {
  return ApplyExpander(apply, state).run();
}

} // namespace flywheel::train
