//===- ExpandMinimize.cpp - Gradients of a loss, to be applied ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandMinimize.h"

#include "LossHistory.h"
#include "VariableAccess.h"

#include "flywheel/Autodiff/Activity.h"
#include "flywheel/Dialect/NN/NNBuilders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace flywheel::train {

namespace {
/// A variable that a minimize op updates.
struct Minimized {
  VariableOp variable;
  /// The values of the variable that the loss is computed from.
  SmallVector<Value> reads;
};

/// Expands one minimize op.
class MinimizeExpander {
public:
  MinimizeExpander(MinimizeOp minimize, ModuleOp root, VariableOp lossScale)
      : minimize(minimize), root(root), lossScale(lossScale),
        loc(minimize.getLoc()), builder(minimize) {}

  FailureOr<ApplyGradientsOp> run();

private:
  LogicalResult checkHistory(const llvm::SetVector<Value> &sources);
  void findCandidates();
  bool refusesUnconnected();
  LogicalResult findParameters();
  SmallVector<Value> emitSeed();
  SmallVector<Value> emitGradients();

  MinimizeOp minimize;
  ModuleOp root;
  /// Null if the loss is not scaled.
  VariableOp lossScale;
  Location loc;
  OpBuilder builder;
  /// The symbols of the variables that may be updated.
  llvm::SetVector<Attribute> candidates;
  SmallVector<Minimized> parameters;
};
} // namespace

/// Returns true if the default list has `variable`. An integer may be in the
/// collection, but nothing differentiates it.
static bool isDefaultTarget(VariableOp variable) {
  return variable.isTrainable() &&
         isa<FloatType>(variable.getTensorType().getElementType());
}

static std::string joinNames(ArrayRef<Attribute> symbols) {
  std::string names;
  llvm::raw_string_ostream os(names);
  llvm::interleaveComma(symbols, os);
  return names;
}

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
      FlatSymbolRefAttr symbol = getReadVariable(nested);
      if (symbol && candidates.contains(symbol) && !hidden)
        hidden = symbol;
    });
    if (hidden && !getReadVariable(op))
      return refuse(op, "it reads variable @" + hidden.getValue() +
                            " in its regions, which assign it");
  }
  return success();
}

/// Finds the variables that may be updated: those of the list, or the trainable
/// ones in module order.
void MinimizeExpander::findCandidates() {
  if (std::optional<ArrayAttr> list = minimize.getVarList()) {
    candidates.insert(list->begin(), list->end());
    return;
  }
  root.walk([&](VariableOp variable) {
    if (isDefaultTarget(variable))
      candidates.insert(FlatSymbolRefAttr::get(variable));
  });
}

/// Returns true if a candidate on which the loss does not depend is an error:
/// as the op states, or else as the optimizer does for listed variables.
bool MinimizeExpander::refusesUnconnected() {
  if (std::optional<UnconnectedVariable> rule = minimize.getUnconnected())
    return *rule == UnconnectedVariable::error;
  return minimize.getVarList() && minimize.getOptimizer().refusesUnconnected();
}

/// Determines the variables to update: the candidates on which the loss
/// depends.
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

  // These texts begin as those of tf and Keras.
  if (candidates.empty())
    return minimize.emitError()
           << "No variables to optimize: expected a trainable floating-point "
              "variable, found none in the module";

  SmallVector<Attribute> unconnected;
  for (Attribute symbol : candidates) {
    auto variable = SymbolTable::lookupNearestSymbolFrom<VariableOp>(
        minimize, cast<FlatSymbolRefAttr>(symbol));
    if (auto *found = reads.find(variable); found != reads.end())
      parameters.push_back({variable, found->second});
    else
      unconnected.push_back(symbol);
  }
  // A loss on no examples has nothing left that says on which variables it
  // would depend: all get the gradient 0. If a part of a loss has none, only
  // what the rest depends on is known to be trained.
  if (parameters.empty() && isOfNoExamples(minimize.getLoss()))
    for (Attribute symbol : unconnected) {
      auto variable = SymbolTable::lookupNearestSymbolFrom<VariableOp>(
          minimize, cast<FlatSymbolRefAttr>(symbol));
      parameters.push_back(
          {variable,
           {ReadOp::create(builder, loc, variable.getTensorType(),
                           variable.getSymName())}});
    }
  if (!unconnected.empty() && refusesUnconnected() &&
      !dependsOnEmptyTensor(minimize.getLoss()))
    return minimize.emitError()
           << "An operation has `None` for gradient: expected a loss that "
              "depends on every variable to update, found that it does not "
              "depend on "
           << joinNames(unconnected);
  if (parameters.empty())
    return minimize.emitError()
           << "No gradients provided for any variable: expected a loss that "
              "depends on one of "
           << joinNames(candidates.getArrayRef())
           << ", found that it depends on none";
  return success();
}

/// Emits the scale of the loss for each of its elements, if it has one.
SmallVector<Value> MinimizeExpander::emitSeed() {
  if (!lossScale)
    return {};
  Value scale = ReadOp::create(builder, loc, lossScale.getTensorType(),
                               lossScale.getSymName());
  Value loss = minimize.getLoss();
  Type element = getElementTypeOrSelf(loss);
  auto type = RankedTensorType::get({}, element);
  if (element.isF64())
    scale = arith::ExtFOp::create(builder, loc, type, scale);
  else if (!element.isF32())
    scale = arith::TruncFOp::create(builder, loc, type, scale);
  return {nn::buildBroadcast(builder, loc, scale, {}, loss)};
}

/// Emits one gradient of the loss with respect to every read; the reads of one
/// variable add up to the gradient of that variable.
SmallVector<Value> MinimizeExpander::emitGradients() {
  SmallVector<Value> reads;
  for (const Minimized &parameter : parameters)
    reads.append(parameter.reads);
  // The loss depends on these, and has the derivative 0 by one whose path is
  // folded away later: where a constant mask hides all of it, for one.
  auto gradient = GradientOp::create(
      builder, loc, ValueRange(reads).getTypes(), minimize.getLoss(), reads,
      /*grad_ys=*/emitSeed(), Unconnected::zeros);
  SmallVector<Value> gradients;
  unsigned next = 0;
  for (const Minimized &parameter : parameters) {
    Value sum;
    for (unsigned i = 0, e = parameter.reads.size(); i < e; ++i) {
      Value part = gradient.getResult(next++);
      sum = sum ? arith::AddFOp::create(builder, loc, sum, part) : part;
    }
    gradients.push_back(sum);
  }
  return gradients;
}

/// Returns the symbols of `list`, which may be null, that are among
/// `variables`.
static ArrayAttr keepListed(ArrayAttr list, ArrayRef<Attribute> variables) {
  if (!list)
    return list;
  return ArrayAttr::get(list.getContext(),
                        llvm::filter_to_vector(list, [&](Attribute symbol) {
                          return llvm::is_contained(variables, symbol);
                        }));
}

FailureOr<ApplyGradientsOp> MinimizeExpander::run() {
  findCandidates();
  exposeLossReads(minimize.getLossMutable(), candidates);
  if (failed(findParameters()))
    return failure();
  SmallVector<Attribute> variables;
  for (const Minimized &parameter : parameters)
    variables.push_back(FlatSymbolRefAttr::get(parameter.variable));
  auto apply = ApplyGradientsOp::create(
      builder, loc, emitGradients(), builder.getArrayAttr(variables),
      minimize.getOptimizer(), minimize.getGlobalStepAttr(),
      minimize.getScheduleAttr(), minimize.getL2Attr(),
      minimize.getWeightDecayAttr(),
      keepListed(minimize.getNoDecayAttr(), variables),
      minimize.getClipNormAttr(), minimize.getClipGlobalNormAttr(),
      minimize.getClipValueAttr(), minimize.getLossScaleAttr(),
      minimize.getAccumulateAttr(), minimize.getMasterWeights(),
      minimize.getSparse());
  minimize.erase();
  return apply;
}

FailureOr<ApplyGradientsOp> expandMinimize(MinimizeOp minimize, ModuleOp root,
                                           VariableOp lossScale) {
  return MinimizeExpander(minimize, root, lossScale).run();
}

} // namespace flywheel::train
