//===- PrintCost.cpp - Print what each entry takes ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before and after: any module, unchanged. If optimizers and gradients have not
// been expanded, the pass expands them in a copy. The copy is in the module
// meanwhile, so that the passes run under this one.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Cost/CostPasses.h"

#include "flywheel/Autodiff/AutodiffPasses.h"
#include "flywheel/Conversion/ConversionPasses.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNPasses.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Dialect/Train/TrainPasses.h"
#include "flywheel/Interfaces/CompositeOpInterface.h"
#include "flywheel/Support/OpNames.h"
#include "flywheel/Transforms/Checks/ChecksPasses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_PRINTCOST
#include "flywheel/Cost/CostPasses.h.inc"

/// Expands optimizers to updates and inlines calls. Nothing is folded.
static void populateExpansion(OpPassManager &pm) {
  pm.addPass(train::createTrainConvertGlobals());
  pm.addPass(train::createTrainExpandCustomVjps());
  pm.addPass(train::createTrainExpandLeastSquares());
  pm.addPass(train::createTrainExpandMovingAverages());
  pm.addPass(train::createTrainExpandAverages());
  pm.addPass(train::createTrainExpandOptimizers());
  pm.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  pm.addPass(train::createOrderHostCalls());
  pm.addPass(createConvertTosa());
}

/// Adds the passes that expand gradients to plain ops. Nothing is folded.
static void populateDifferentiation(OpPassManager &pm) {
  pm.addPass(train::createTrainExpandRandom());
  pm.addPass(nn::createNNDecompose());
  pm.addNestedPass<func::FuncOp>(createDetensorize());
  pm.addPass(nn::createNNRaiseLinalg());
  pm.addNestedPass<func::FuncOp>(train::createTrainPromoteStateToIterArgs());
  pm.addNestedPass<func::FuncOp>(train::createTrainForwardStateReads());
  pm.addNestedPass<func::FuncOp>(createTrainAutodiff());
  pm.addPass(nn::createNNDecompose());
}

namespace {
struct PrintCost : impl::PrintCostBase<PrintCost> {
  using PrintCostBase::PrintCostBase;
  PrintCost(const CostOptions &given, std::string title, CostReport &report)
      : given(given), title(std::move(title)), report(&report) {}

  void runOnOperation() override;

private:
  FailureOr<CostOptions> readOptions();
  FailureOr<CostReport> count(const CostOptions &costs);

  /// Instead of the options of the pass.
  std::optional<CostOptions> given;
  std::string title;
  CostReport *report = nullptr;
};
} // namespace

FailureOr<CostOptions> PrintCost::readOptions() {
  if (given)
    return *given;
  CostOptions costs;
  costs.entries.assign(entries.begin(), entries.end());
  costs.fetches.assign(fetches.begin(), fetches.end());
  costs.wholeGraph = wholeGraph;
  for (const std::string &text : bind)
    if (llvm::Error error = addBinding(costs, text))
      return getOperation().emitError() << llvm::toString(std::move(error));
  return costs;
}

/// Returns true if gradients or composite ops have not been expanded.
static bool isSource(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return isa<CompositeOpInterface, train::ApplyGradientsOp,
                   train::AverageVariablesOp, train::GradientOp,
                   train::JacobianOp, train::JvpOp, train::LeastSquaresOp,
                   train::MinimizeOp, train::MovingAverageOp,
                   train::SwapAveragesOp, CallOpInterface>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

FailureOr<CostReport> PrintCost::count(const CostOptions &costs) {
  ModuleOp module = getOperation();
  if (!isSource(module))
    return countCost(module, costs);
  ModuleOp copy = module.clone();
  module.getBody()->push_back(copy);
  copy->walk(nameLocation);
  auto run = [&](void (*populate)(OpPassManager &)) {
    OpPassManager pm(ModuleOp::getOperationName());
    populate(pm);
    return runPipeline(pm, copy);
  };
  FailureOr<CostReport> counted = countSourceCost(
      copy, costs, [&] { return run(populateExpansion); },
      [&] { return run(populateDifferentiation); });
  copy->erase();
  return counted;
}

void PrintCost::runOnOperation() {
  markAllAnalysesPreserved();
  FailureOr<CostOptions> costs = readOptions();
  FailureOr<CostReport> counted = failure();
  if (succeeded(costs))
    counted = count(*costs);
  if (failed(counted))
    return signalPassFailure();
  counted->title = title;
  if (report) {
    *report = std::move(*counted);
    return;
  }
  if (json)
    llvm::errs() << llvm::formatv("{0:2}\n",
                                  llvm::json::Value(toJSON(*counted)));
  else
    printCost(*counted, llvm::errs());
}

std::unique_ptr<Pass> createCountCost(const CostOptions &options,
                                      std::string title, CostReport &report) {
  return std::make_unique<PrintCost>(options, std::move(title), report);
}

} // namespace flywheel
