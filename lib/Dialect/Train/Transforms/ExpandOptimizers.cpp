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

#include "LossHistory.h"
#include "VariableAccess.h"

#include "DeclareVariable.h"
#include "flywheel/Autodiff/Activity.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Dialect/Train/TrainPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace flywheel::train {
#define GEN_PASS_DEF_TRAINEXPANDOPTIMIZERS
#include "flywheel/Dialect/Train/TrainPasses.h.inc"

namespace {

/// A variable that a minimize op updates.
struct Parameter {
  VariableOp variable;
  /// The values of the variable that the loss is computed from.
  SmallVector<Value> reads;
  SmallVector<VariableOp> slots;
};

/// Expands one minimize op.
class MinimizeExpander {
public:
  MinimizeExpander(MinimizeOp minimize, ModuleOp root)
      : minimize(minimize), root(root), loc(minimize.getLoc()),
        builder(minimize), optimizer(minimize.getOptimizer()) {}

  LogicalResult run();

  unsigned getNumParameters() const { return parameters.size(); }
  unsigned getNumSlots() const {
    return parameters.size() * optimizer.getSlots().size();
  }

private:
  LogicalResult checkHistory(const llvm::SetVector<Value> &sources);
  LogicalResult findParameters();
  void declareVariables();
  SmallVector<Value> emitGradients();
  void emitUpdates(ArrayRef<Value> gradients);
  void incrementGlobalStep();

  std::string makeOptimizerScope();
  VariableOp declare(const Twine &name, RankedTensorType type,
                     Attribute initialValue, VariableOp owner);
  Value read(VariableOp variable) {
    return ReadOp::create(builder, loc, variable.getTensorType(),
                          variable.getSymName());
  }
  void assign(VariableOp variable, Value value) {
    AssignOp::create(builder, loc, variable.getTensorType(),
                     variable.getSymName(), value);
  }

  MinimizeOp minimize;
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

/// Whether the default list has `variable`. An integer may well be in the
/// collection: nothing differentiates it.
bool isDefaultTarget(VariableOp variable) {
  return variable.isTrainable() &&
         isa<FloatType>(variable.getTensorType().getElementType());
}

std::string joinNames(ArrayRef<VariableOp> variables) {
  std::string names;
  llvm::raw_string_ostream os(names);
  llvm::interleaveComma(variables, os, [&](VariableOp variable) {
    os << '@' << variable.getSymName();
  });
  return names;
}
} // namespace

/// Refuses a loss whose history hides reads of variables: they would be taken
/// for constants, and their variables would silently not be updated.
LogicalResult
MinimizeExpander::checkHistory(const llvm::SetVector<Value> &sources) {
  auto refuse = [&](Operation *op, const Twine &why) -> LogicalResult {
    InFlightDiagnostic error = op->emitError()
                               << "no derivative rule for '" << op->getName()
                               << "' in the history of a loss: " << why;
    error.attachNote(loc) << "the update requested here";
    return error;
  };
  for (Value source : sources) {
    if (auto argument = dyn_cast<BlockArgument>(source)) {
      Block *block = argument.getOwner();
      if (!block->isEntryBlock() || !isa<func::FuncOp>(block->getParentOp()))
        return refuse(block->getParentOp(), "the loss depends on argument #" +
                                                Twine(argument.getArgNumber()) +
                                                " of its block");
      continue;
    }
    Operation *op = source.getDefiningOp();
    if (isa<func::CallOp>(op))
      return refuse(op,
                    "expected a function with a body of one block that does "
                    "not call itself, found another");
    FlatSymbolRefAttr hidden;
    op->walk([&](Operation *nested) {
      if (FlatSymbolRefAttr variable = getReadVariable(nested))
        hidden = variable;
    });
    if (hidden && !getReadVariable(op))
      return refuse(op, "it reads variable " + hidden.getValue() +
                            " in its regions, which assign it");
  }
  return success();
}

/// Decides what is updated: the variables of the list, or the trainable ones in
/// module order, that the loss depends on.
LogicalResult MinimizeExpander::findParameters() {
  llvm::SetVector<Value> sources =
      findDifferentiableSources(minimize.getLoss());
  if (failed(checkHistory(sources)))
    return failure();
  llvm::MapVector<Operation *, SmallVector<Value>> reads;
  for (Value source : sources)
    if (FlatSymbolRefAttr symbol = getReadVariable(source.getDefiningOp()))
      if (auto variable = SymbolTable::lookupNearestSymbolFrom<VariableOp>(
              source.getDefiningOp(), symbol))
        reads[variable].push_back(source);

  SmallVector<VariableOp> candidates;
  if (std::optional<ArrayAttr> list = minimize.getVarList()) {
    for (auto symbol : list->getAsRange<FlatSymbolRefAttr>())
      candidates.push_back(
          SymbolTable::lookupNearestSymbolFrom<VariableOp>(minimize, symbol));
  } else {
    root.walk([&](VariableOp variable) {
      if (isDefaultTarget(variable))
        candidates.push_back(variable);
    });
  }
  if (candidates.empty())
    return minimize.emitOpError()
           << "No variables to optimize: expected a trainable floating-point "
              "variable, found none in the module";

  for (VariableOp variable : candidates) {
    auto found = reads.find(variable);
    if (found == reads.end())
      continue;
    parameters.push_back({variable, found->second, {}});
  }
  if (parameters.empty())
    return minimize.emitOpError()
           << "No gradients provided for any variable: expected a loss that "
              "depends on one of "
           << joinNames(candidates) << ", found that it depends on none";
  return success();
}

/// The optimizer's name, with the first suffix that makes a new scope.
std::string MinimizeExpander::makeOptimizerScope() {
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
VariableOp MinimizeExpander::declare(const Twine &name, RankedTensorType type,
                                     Attribute initialValue, VariableOp owner) {
  return declareVariable(parameters.front().variable->getParentOp(), loc, name,
                         type, initialValue, owner);
}

void MinimizeExpander::declareVariables() {
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

/// Emits one gradient of the loss with respect to every read; the reads of one
/// variable add up to the gradient of that variable.
SmallVector<Value> MinimizeExpander::emitGradients() {
  SmallVector<Value> reads;
  for (const Parameter &parameter : parameters)
    reads.append(parameter.reads);
  auto gradient = GradientOp::create(
      builder, loc, ValueRange(reads).getTypes(), minimize.getLoss(), reads,
      /*grad_ys=*/ValueRange(), Unconnected::error);
  SmallVector<Value> gradients;
  unsigned next = 0;
  for (const Parameter &parameter : parameters) {
    Value sum;
    for (unsigned i = 0, e = parameter.reads.size(); i < e; ++i) {
      Value part = gradient.getResult(next++);
      sum = sum ? arith::AddFOp::create(builder, loc, sum, part) : part;
    }
    gradients.push_back(sum);
  }
  return gradients;
}

void MinimizeExpander::emitUpdates(ArrayRef<Value> gradients) {
  SmallVector<Value> scalarValues, stepValues;
  for (VariableOp scalar : scalars)
    scalarValues.push_back(read(scalar));
  SmallVector<Value> newScalars(scalars.size());
  optimizer.buildStep(builder, loc, scalarValues, stepValues, newScalars);

  for (auto [parameter, gradient] : llvm::zip_equal(parameters, gradients)) {
    SmallVector<Value> slotValues;
    Value value = read(parameter.variable);
    for (VariableOp slot : parameter.slots)
      slotValues.push_back(read(slot));
    SmallVector<Value> updated = optimizer.buildParameterUpdate(
        builder, loc, value, slotValues, gradient, stepValues);
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

void MinimizeExpander::incrementGlobalStep() {
  FlatSymbolRefAttr step = minimize.getGlobalStepAttr();
  if (!step)
    return;
  auto variable =
      SymbolTable::lookupNearestSymbolFrom<VariableOp>(minimize, step);
  RankedTensorType type = variable.getTensorType();
  Value one = arith::ConstantOp::create(builder, loc, getSplat(type, 1.0));
  AssignAddOp::create(builder, loc, type, step, one);
}

LogicalResult MinimizeExpander::run() {
  exposeLossReads(minimize.getLossMutable());
  if (failed(findParameters()))
    return failure();
  declareVariables();
  emitUpdates(emitGradients());
  incrementGlobalStep();
  minimize.erase();
  return success();
}

namespace {
struct TrainExpandOptimizers
    : impl::TrainExpandOptimizersBase<TrainExpandOptimizers> {
  void runOnOperation() override {
    // Callees first: a call that is inlined brings expanded ops along.
    for (func::FuncOp function : getFunctionsBottomUp(getOperation())) {
      SmallVector<MinimizeOp> minimizes;
      function.walk([&](MinimizeOp op) { minimizes.push_back(op); });
      for (MinimizeOp minimize : minimizes) {
        MinimizeExpander expander(minimize, getOperation());
        if (failed(expander.run()))
          return signalPassFailure();
        ++numOptimizers;
        numParameters += expander.getNumParameters();
        numSlots += expander.getNumSlots();
      }
    }
  }
};
} // namespace
} // namespace flywheel::train
