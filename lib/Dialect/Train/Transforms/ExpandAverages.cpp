//===- ExpandAverages.cpp - Averages of variables, and their swap ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: `train.average_variables` and `train.swap_averages`. After: reads,
// arithmetic and assignments, and a variable for each average; see
// TrainPasses.td.
//
//===----------------------------------------------------------------------===//

#include "DeclareVariable.h"

#include "flywheel/Dialect/NN/ElementwiseExpr.h"
#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Dialect/Train/TrainPasses.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace flywheel::train {
#define GEN_PASS_DEF_TRAINEXPANDAVERAGES
#include "flywheel/Dialect/Train/TrainPasses.h.inc"

namespace {
/// The average of one variable.
struct Average {
  /// The average, of f32 if the variable has 16 bits, and the average in the
  /// variable's own type; both are one variable if that type is not narrower.
  VariableOp value, rounded;
};

struct TrainExpandAverages
    : impl::TrainExpandAveragesBase<TrainExpandAverages> {
  void runOnOperation() override;

private:
  LogicalResult collect(AverageVariablesOp op);
  LogicalResult collect(SwapAveragesOp op);
  FailureOr<VariableOp> getAverage(Operation *op, VariableOp variable,
                                   const Twine &name, RankedTensorType type,
                                   bool isZero);
  LogicalResult addAverage(Operation *op, VariableOp variable, StringRef name,
                           bool isZero);
  Value emitRate(OpBuilder &b, AverageVariablesOp op);
  void expand(AverageVariablesOp op);
  void expand(SwapAveragesOp op);

  using Targets = SmallVector<VariableOp>;
  /// The variables of each op.
  llvm::DenseMap<Operation *, Targets> targets;
  /// The averaged variables by name, in order, with their averages.
  std::map<std::string, llvm::MapVector<Operation *, Average>> averages;
  /// By name: the product of the decays so far, and the op that has it.
  std::map<std::string, std::pair<VariableOp, Operation *>> remainders;
};
} // namespace

/// The suffix of the name of an average that is rounded to the variable's type.
constexpr StringLiteral kRoundedSuffix = "_rounded";

static Value read(OpBuilder &b, Location loc, VariableOp variable) {
  return ReadOp::create(b, loc, variable.getTensorType(),
                        variable.getSymName());
}

static void assign(OpBuilder &b, Location loc, VariableOp variable,
                   Value value) {
  AssignOp::create(b, loc, variable.getTensorType(), variable.getSymName(),
                   value);
}

/// Returns the variables of `list`; nullopt without a list.
static std::optional<SmallVector<VariableOp>>
lookupAll(Operation *op, std::optional<ArrayAttr> list) {
  if (!list)
    return std::nullopt;
  return llvm::map_to_vector(*list, [&](Attribute symbol) {
    return SymbolTable::lookupNearestSymbolFrom<VariableOp>(
        op, cast<FlatSymbolRefAttr>(symbol));
  });
}

/// Returns true if the program declares `variable` as the average, by `name`,
/// of another variable. Such a variable is not averaged itself, even if it is
/// not declared as not trainable.
static bool isDeclaredAverage(VariableOp variable, StringRef name) {
  StringRef owner = variable.getSymName();
  (void)owner.consume_back(kRoundedSuffix);
  return owner.consume_back(("/" + name).str()) &&
         isa_and_present<VariableOp>(
             SymbolTable::lookupSymbolIn(variable->getParentOp(), owner));
}

/// Makes `average` start at the value of `variable`.
static void startAt(VariableOp average, VariableOp variable) {
  Location loc = average.getLoc();
  OpBuilder b(average.getContext());
  b.createBlock(&average.getInitializer());
  Value value = InitializedValueOp::create(b, loc, variable.getTensorType(),
                                           variable.getSymName());
  if (variable.getTensorType() != average.getTensorType())
    value = arith::ExtFOp::create(b, loc, average.getTensorType(), value);
  YieldOp::create(b, loc, value);
}

/// Returns the variable `name`, an average of `variable`: the program's, or a
/// new one.
FailureOr<VariableOp> TrainExpandAverages::getAverage(Operation *op,
                                                      VariableOp variable,
                                                      const Twine &name,
                                                      RankedTensorType type,
                                                      bool isZero) {
  Operation *table = variable->getParentOp();
  std::string symbol = name.str();
  Operation *found = SymbolTable::lookupSymbolIn(table, symbol);
  auto average = dyn_cast_or_null<VariableOp>(found);
  if (found && (!average || average.getTensorType() != type)) {
    InFlightDiagnostic error = op->emitOpError()
                               << "expected @" << symbol << ", an average of @"
                               << variable.getSymName()
                               << ", to be a variable of type " << type;
    if (average)
      error << ", found " << average.getTensorType();
    error.attachNote(found->getLoc()) << "declared here";
    return failure();
  }
  if (!average)
    average = declareVariable(table, op->getLoc(), symbol, type,
                              /*initialValue=*/{}, variable);
  if (!average.getTrainable() && !average.getCollections())
    average.setTrainable(false);
  if (average.getInitialValueAttr() || !average.getInitializer().empty())
    return average;
  if (isZero)
    average.setInitialValueAttr(ZerosAttr::get(op->getContext()));
  else
    startAt(average, variable);
  return average;
}

/// Finds or declares the average of `variable` by `name`.
LogicalResult TrainExpandAverages::addAverage(Operation *op,
                                              VariableOp variable,
                                              StringRef name, bool isZero) {
  Average &average = averages[name.str()][variable];
  if (average.value)
    return success();
  RankedTensorType type = variable.getTensorType();
  RankedTensorType wide = type.clone(nn::getComputeType(type.getElementType()));
  std::string symbol = (variable.getSymName() + "/" + name).str();
  FailureOr<VariableOp> value = getAverage(op, variable, symbol, wide, isZero);
  if (failed(value))
    return failure();
  average = {*value, *value};
  if (type == wide)
    return success();
  FailureOr<VariableOp> rounded =
      getAverage(op, variable, symbol + kRoundedSuffix, type, isZero);
  if (failed(rounded))
    return failure();
  average.rounded = *rounded;
  return success();
}

LogicalResult TrainExpandAverages::collect(AverageVariablesOp op) {
  std::optional<Targets> listed = lookupAll(op, op.getVarList());
  Targets &variables = targets[op];
  if (listed)
    variables = *listed;
  else
    getOperation().walk([&](VariableOp variable) {
      if (variable.isTrainable() &&
          isa<FloatType>(variable.getTensorType().getElementType()) &&
          !isDeclaredAverage(variable, op.getName()))
        variables.push_back(variable);
    });
  if (variables.empty())
    return op.emitOpError() << "expected a trainable floating-point variable "
                               "to average, found none";
  for (VariableOp variable : variables)
    if (failed(addAverage(op, variable, op.getName(), op.getZeroDebias())))
      return failure();
  if (!op.getZeroDebias())
    return success();
  auto &[remainder, owner] = remainders[op.getName().str()];
  if (remainder) {
    InFlightDiagnostic error =
        op.emitOpError() << "expected one op with zero_debias of the name \""
                         << op.getName() << "\", found another";
    error.attachNote(owner->getLoc()) << "the other one is here";
    return error;
  }
  auto type = RankedTensorType::get({}, Float64Type::get(op.getContext()));
  remainder = declareVariable(variables.front()->getParentOp(), op.getLoc(),
                              op.getName() + "/remainder", type,
                              OnesAttr::get(op.getContext()));
  owner = op;
  return success();
}

LogicalResult TrainExpandAverages::collect(SwapAveragesOp op) {
  auto &known = averages[op.getName().str()];
  std::optional<Targets> listed = lookupAll(op, op.getVarList());
  Targets &variables = targets[op];
  if (!listed) {
    for (auto &[variable, average] : known)
      variables.push_back(cast<VariableOp>(variable));
    if (variables.empty())
      return op.emitOpError()
             << "expected train.average_variables of the name \""
             << op.getName() << "\" in the module, found none";
    return success();
  }
  variables = *listed;
  for (VariableOp variable : variables) {
    std::string symbol = (variable.getSymName() + "/" + op.getName()).str();
    if (!known.contains(variable) &&
        !SymbolTable::lookupSymbolIn(variable->getParentOp(), symbol))
      return op.emitOpError()
             << "expected a variable that train.average_variables of the name "
                "\""
             << op.getName() << "\" averages, found @" << variable.getSymName();
    if (failed(addAverage(op, variable, op.getName(), /*isZero=*/false)))
      return failure();
  }
  return success();
}

/// Emits the rate of the averages, 1 - decay, in f64, because the subtraction
/// cancels.
Value TrainExpandAverages::emitRate(OpBuilder &b, AverageVariablesOp op) {
  Location loc = op.getLoc();
  auto f64 = RankedTensorType::get({}, b.getF64Type());
  ElementwiseExpr decay(
      b, loc,
      arith::ConstantOp::create(
          b, loc,
          DenseElementsAttr::get(f64, op.getDecay().convertToDouble())));
  if (FlatSymbolRefAttr symbol = op.getNumUpdatesAttr()) {
    auto counter = SymbolTable::lookupNearestSymbolFrom<VariableOp>(op, symbol);
    ElementwiseExpr n =
        decay.with(arith::SIToFPOp::create(b, loc, f64, read(b, loc, counter)));
    decay = decay.apply<arith::MinimumFOp>((n + 1.0) / (n + 10.0));
  }
  ElementwiseExpr rate = 1.0 - decay;
  if (!op.getZeroDebias())
    return rate;
  VariableOp remainder = remainders[op.getName().str()].first;
  ElementwiseExpr left = decay.with(read(b, loc, remainder)) * decay;
  assign(b, loc, remainder, left);
  return rate / (1.0 - left);
}

void TrainExpandAverages::expand(AverageVariablesOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value rate = emitRate(b, op);
  for (VariableOp variable : targets[op]) {
    const Average &average = averages[op.getName().str()][variable];
    Value fresh = StopGradientOp::create(b, loc, read(b, loc, variable));
    ElementwiseExpr value = nn::widen(b, loc, fresh);
    ElementwiseExpr old(b, loc, read(b, loc, average.value));
    auto scalar =
        RankedTensorType::get({}, getElementTypeOrSelf(old.getType()));
    Value share = nn::roundTo(b, loc, rate, scalar);
    share = nn::buildBroadcast(b, loc, share, {}, old);
    ElementwiseExpr moved = old - (old - value) * value.with(share);
    assign(b, loc, average.value, moved);
    if (average.rounded != average.value)
      assign(b, loc, average.rounded,
             nn::roundTo(b, loc, moved, variable.getTensorType()));
  }
  op.erase();
}

void TrainExpandAverages::expand(SwapAveragesOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  for (VariableOp variable : targets[op]) {
    VariableOp other = averages[op.getName().str()][variable].rounded;
    Value value = read(b, loc, variable), average = read(b, loc, other);
    assign(b, loc, variable, average);
    assign(b, loc, other, value);
  }
  op.erase();
}

void TrainExpandAverages::runOnOperation() {
  targets.clear();
  averages.clear();
  remainders.clear();
  SmallVector<AverageVariablesOp> updates;
  SmallVector<SwapAveragesOp> swaps;
  getOperation().walk([&](Operation *op) {
    if (auto update = dyn_cast<AverageVariablesOp>(op))
      updates.push_back(update);
    else if (auto swap = dyn_cast<SwapAveragesOp>(op))
      swaps.push_back(swap);
  });
  // A swap may precede the op that it refers to.
  for (AverageVariablesOp op : updates)
    if (failed(collect(op)))
      return signalPassFailure();
  for (SwapAveragesOp op : swaps)
    if (failed(collect(op)))
      return signalPassFailure();
  for (AverageVariablesOp op : updates)
    expand(op);
  for (SwapAveragesOp op : swaps)
    expand(op);
}

} // namespace flywheel::train
