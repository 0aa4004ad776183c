//===- GraphTransforms.cpp - What tracing asks of the compiler ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Errors.h"
#include "Graph.h"

#include "flywheel/Autodiff/Activity.h"
#include "flywheel/Autodiff/AutodiffPasses.h"
#include "flywheel/Batching/OpBatcher.h"
#include "flywheel/Dialect/NN/NNBuilders.h"
#include "flywheel/Dialect/NN/NNPasses.h"
#include "flywheel/Dialect/Train/FunctionArgument.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Dialect/Train/TrainPasses.h"
#include "flywheel/Interfaces/Captures.h"
#include "flywheel/Transforms/Checks/SizeAnalysis.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringMap.h"

namespace nb = nanobind;
using namespace mlir;

namespace flywheel::python {

//===----------------------------------------------------------------------===//
// Dependencies
//===----------------------------------------------------------------------===//

/// Returns the variable that `value` is a read of, or null.
static FlatSymbolRefAttr getReadVariable(Value value) {
  auto read = value.getDefiningOp<train::ReadOp>();
  return read ? read.getVariableAttr() : FlatSymbolRefAttr();
}

std::vector<bool> Graph::findDependencies(const std::vector<PyValue *> &ys,
                                          const std::vector<PyValue *> &xs,
                                          bool throughSteps) {
  SmallVector<Value> roots;
  for (const PyValue *y : ys)
    roots.push_back(get(*y));
  // A variable may be read nowhere but in the body of a loop.
  llvm::SetVector<Value> sources = throughSteps
                                       ? findHistoryThroughSteps(roots)
                                       : findDifferentiableHistory(roots);
  llvm::DenseSet<Attribute> variables;
  for (Value source : sources)
    if (FlatSymbolRefAttr variable = getReadVariable(source))
      variables.insert(variable);
  std::vector<bool> depends;
  for (const PyValue *x : xs) {
    Value value = get(*x);
    FlatSymbolRefAttr variable = getReadVariable(value);
    depends.push_back(sources.contains(value) ||
                      (variable && variables.contains(variable)));
  }
  // Ops on no elements are folded away, and with them what they depend on.
  if (!llvm::is_contained(depends, true) && isOfNoExamples(roots))
    depends.assign(depends.size(), true);
  return depends;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

std::optional<int64_t> Graph::findDifference(const PyValue &a,
                                             const PyValue &b) {
  SizeAnalysis sizes;
  SizeExpr difference = sizes.getNumber(get(a)) - sizes.getNumber(get(b));
  // The first size with a name stands for all that have it.
  llvm::StringMap<unsigned> named;
  std::map<unsigned, unsigned> first;
  for (const auto &[product, factor] : difference.getTerms())
    for (unsigned atom : product) {
      auto [value, dim] = sizes.getOrigin(atom);
      std::optional<train::FunctionArgument> argument =
          train::FunctionArgument::get(value);
      StringRef name = argument ? argument->getDimName(dim) : StringRef();
      if (!name.empty())
        first[atom] = named.try_emplace(name, atom).first->second;
    }
  for (auto [atom, other] : first)
    if (atom != other)
      difference = difference.substitute(atom, SizeExpr::atom(other));
  return difference.hasWrapped() ? std::nullopt : difference.getConstant();
}

//===----------------------------------------------------------------------===//
// Many positions at once
//===----------------------------------------------------------------------===//

static bool requestsDerivative(Region &region) {
  return region
      .walk([](Operation *op) {
        return isa<train::GradientOp, train::JvpOp, train::JacobianOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Makes arguments of what the region uses from outside, and returns that.
static llvm::SetVector<Value> isolate(Region &region, Location location) {
  llvm::SetVector<Value> captures = findCaptures(region);
  IRMapping arguments;
  for (Value capture : captures)
    arguments.map(capture,
                  region.front().addArgument(capture.getType(), location));
  region.walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (Value argument = arguments.lookupOrNull(operand.get()))
        operand.set(argument);
  });
  return captures;
}

std::vector<PyValue> Graph::isolateRegion(PyRegion &region) {
  checkCaptures(lookup(region));
  std::vector<PyValue> captures;
  for (Value capture : isolate(lookup(region), findLocation()))
    captures.push_back(wrap(capture));
  return captures;
}

/// Replaces the derivatives in `region` by the ops that compute them, since
/// only those can be batched. Meanwhile the values that the region uses from
/// outside are arguments of a function.
static LogicalResult expandDerivatives(Region &region, Location location) {
  MLIRContext *context = location.getContext();
  Block &block = region.front();
  unsigned numArguments = block.getNumArguments();
  llvm::SetVector<Value> captures = isolate(region, location);
  Operation *terminator = block.getTerminator();
  OpBuilder b(context);
  OwningOpRef<ModuleOp> holder = ModuleOp::create(location);
  b.setInsertionPointToEnd(holder->getBody());
  auto function =
      func::FuncOp::create(b, location, "batched",
                           b.getFunctionType(block.getArgumentTypes(),
                                             terminator->getOperandTypes()));
  b.setInsertionPoint(terminator);
  func::ReturnOp::create(b, location, terminator->getOperands());
  terminator->erase();
  function.getBody().takeBody(region);

  PassManager pm(context);
  // Variables are not declared in this module.
  pm.enableVerifier(false);
  pm.addPass(createInsertParameters());
  pm.addPass(nn::createNNDecompose());
  pm.addNestedPass<func::FuncOp>(createDetensorize());
  pm.addNestedPass<func::FuncOp>(train::createTrainForwardStateReads());
  pm.addNestedPass<func::FuncOp>(createTrainAutodiff());
  LogicalResult status = pm.run(*holder);

  region.takeBody(function.getBody());
  Block &result = region.front();
  for (auto [index, capture] : llvm::enumerate(captures))
    result.getArgument(numArguments + index).replaceAllUsesWith(capture);
  result.eraseArguments(numArguments, captures.size());
  return status;
}

std::vector<PyValue> Graph::batchRegion(PyRegion &taken,
                                        const std::vector<PyValue *> &inputs,
                                        const std::vector<bool> &isBatched,
                                        nb::handle dimSize) {
  DiagnosticCollector diagnostics(getContext(), *printer);
  std::unique_ptr<Region> region = take(taken);
  llvm::scope_exit drop([&] {
    dropFinished(taken.scope);
    region->dropAllReferences();
  });
  OpFoldResult count =
      nb::isinstance<nb::int_>(dimSize)
          ? OpFoldResult(builder.getIndexAttr(nb::cast<int64_t>(dimSize)))
          : OpFoldResult(get(nb::cast<PyValue &>(dimSize)));
  if (requestsDerivative(*region) &&
      failed(expandDerivatives(*region, findLocation())))
    throwDiagnostics(diagnostics);
  Location location = findLocation();
  // Messages name an op: the one that the values go to.
  OwningOpRef<ModuleOp> request = ModuleOp::create(location);
  OpBatcher batcher(builder, count, *request);
  Block &block = region->front();
  if (inputs.size() != block.getNumArguments() ||
      isBatched.size() != inputs.size())
    throw nb::value_error("expected an input for each argument of the region");
  for (auto [index, argument] : llvm::enumerate(block.getArguments())) {
    Value input = get(*inputs[index]);
    if (isBatched[index])
      batcher.setDense(argument, input);
    else
      batcher.setUniform(argument, input);
  }
  if (failed(batcher.batchBody(block)))
    throwDiagnostics(diagnostics);
  std::vector<PyValue> results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(wrap(batcher.getDense(location, value)));
  return results;
}

} // namespace flywheel::python
