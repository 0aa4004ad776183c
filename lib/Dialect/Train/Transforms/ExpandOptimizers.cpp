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
#include "LossHistory.h"

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
};

/// Expands one op that applies gradients.
class ApplyExpander {
public:
  ApplyExpander(ApplyGradientsOp apply, ModuleOp root)
      : apply(apply), root(root), loc(apply.getLoc()), builder(apply),
        optimizer(apply.getOptimizer()) {}

  void run();

  unsigned getNumParameters() const { return parameters.size(); }
  unsigned getNumSlots() const {
    return parameters.size() * optimizer.getSlots().size();
  }

private:
  void declareVariables();
  void emitUpdates();
  void incrementGlobalStep();

  std::string makeOptimizerScope();
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
  ModuleOp root;
  Location loc;
  OpBuilder builder;
  OptimizerAttrInterface optimizer;
  SmallVector<Parameter> parameters;
  SmallVector<VariableOp> scalars;
};

/// A tensor of `type` with `value` everywhere.
DenseElementsAttr getSplat(RankedTensorType type, double value) {
  Builder builder(type.getContext());
  Type element = type.getElementType();
  if (isa<FloatType>(element))
    return DenseElementsAttr::get(
        type, cast<Attribute>(builder.getFloatAttr(element, value)));
  return DenseElementsAttr::get(
      type, cast<Attribute>(
                builder.getIntegerAttr(element, static_cast<int64_t>(value))));
}

/// The recipe of a slot that starts at `value`.
Attribute getSlotInitializer(RankedTensorType type, double value) {
  if (value == 0.0)
    return ZerosAttr::get(type.getContext());
  auto one = RankedTensorType::get({1}, type.getElementType());
  return ConstantAttr::get(type.getContext(), getSplat(one, value));
}

} // namespace

/// The optimizer's name, with the first suffix that makes a new scope.
std::string ApplyExpander::makeOptimizerScope() {
  StringRef name = optimizer.getOptimizerName();
  auto isTaken = [&](StringRef scope) {
    std::string prefix = (scope + "/").str();
    return root
        .walk([&](SymbolOpInterface symbol) {
          return symbol.getName().starts_with(prefix) ? WalkResult::interrupt()
                                                      : WalkResult::advance();
        })
        .wasInterrupted();
  };
  std::string scope = name.str();
  for (unsigned i = 1; isTaken(scope); ++i)
    scope = (name + "_" + Twine(i)).str();
  return scope;
}

/// Adds a variable next to the parameters.
VariableOp ApplyExpander::declare(const Twine &name, RankedTensorType type,
                                  Attribute initialValue, VariableOp owner) {
  return declareVariable(parameters.front().variable->getParentOp(), loc, name,
                         type, initialValue, owner);
}

void ApplyExpander::declareVariables() {
  bool isDouble = llvm::any_of(parameters, [](Parameter &parameter) {
    return parameter.variable.getTensorType().getElementType().isF64();
  });
  Type number = isDouble ? builder.getF64Type() : builder.getF32Type();
  std::string scope = makeOptimizerScope();
  for (const ScalarVariableSpec &spec : optimizer.getScalarVariables()) {
    auto type = RankedTensorType::get({}, spec.isCounter ? builder.getI64Type()
                                                         : number);
    scalars.push_back(declare(scope + "/" + spec.name, type,
                              getSplat(type, spec.initialValue), {}));
  }
  for (Parameter &parameter : parameters) {
    RankedTensorType type = parameter.variable.getTensorType();
    for (const SlotSpec &spec : optimizer.getSlots())
      parameter.slots.push_back(declare(
          parameter.variable.getSymName() + "/" + optimizer.getOptimizerName(),
          type, getSlotInitializer(type, spec.initialValue),
          parameter.variable));
  }
}

void ApplyExpander::emitUpdates() {
  SmallVector<Value> scalarValues, stepValues;
  for (VariableOp scalar : scalars)
    scalarValues.push_back(read(scalar));
  SmallVector<Value> newScalars(scalars.size());
  optimizer.buildStep(builder, loc, scalarValues, stepValues, newScalars);

  for (Parameter &parameter : parameters) {
    SmallVector<Value> slotValues;
    Value value = read(parameter.variable);
    for (VariableOp slot : parameter.slots)
      slotValues.push_back(read(slot));
    SmallVector<Value> updated = optimizer.buildParameterUpdate(
        builder, loc, value, slotValues, parameter.gradient, stepValues);
    Value newValue = updated.front();
    if (auto constraint = parameter.variable.getConstraintAttr())
      newValue = ProjectOp::create(builder, loc, newValue, constraint);
    assign(parameter.variable, newValue);
    for (auto [slot, newSlot] :
         llvm::zip_equal(parameter.slots, llvm::drop_begin(updated)))
      assign(slot, newSlot);
  }
  for (auto [scalar, newScalar] : llvm::zip_equal(scalars, newScalars))
    if (newScalar)
      assign(scalar, newScalar);
}

void ApplyExpander::incrementGlobalStep() {
  FlatSymbolRefAttr step = apply.getGlobalStepAttr();
  if (!step)
    return;
  RankedTensorType type = lookup(step).getTensorType();
  Value one = arith::ConstantOp::create(builder, loc, getSplat(type, 1.0));
  AssignAddOp::create(builder, loc, type, step, one);
}

void ApplyExpander::run() {
  for (auto [symbol, gradient] :
       llvm::zip_equal(apply.getVarList(), apply.getGradients()))
    parameters.push_back({lookup(symbol), gradient, {}});
  declareVariables();
  emitUpdates();
  incrementGlobalStep();
  apply.erase();
}

namespace {
struct TrainExpandOptimizers
    : impl::TrainExpandOptimizersBase<TrainExpandOptimizers> {
  void runOnOperation() override {
    // Callees first: a call that is inlined brings expanded ops along.
    for (func::FuncOp function : getFunctionsBottomUp(getOperation())) {
      // In program order, which names the slots.
      SmallVector<Operation *> ops;
      function.walk([&](Operation *op) {
        if (isa<MinimizeOp, ApplyGradientsOp>(op))
          ops.push_back(op);
      });
      for (Operation *op : ops) {
        auto apply = dyn_cast<ApplyGradientsOp>(op);
        if (auto minimize = dyn_cast<MinimizeOp>(op)) {
          FailureOr<ApplyGradientsOp> made =
              expandMinimize(minimize, getOperation());
          if (failed(made))
            return signalPassFailure();
          apply = *made;
        }
        ApplyExpander expander(apply, getOperation());
        expander.run();
        ++numOptimizers;
        numParameters += expander.getNumParameters();
        numSlots += expander.getNumSlots();
      }
    }
  }
};
} // namespace
} // namespace flywheel::train
