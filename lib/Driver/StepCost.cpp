//===- StepCost.cpp - What a model costs, before and after ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/StepCost.h"
#include "flywheel/Driver/Backend.h"
#include "flywheel/Driver/Pipelines.h"

#include "flywheel/Cost/CostPasses.h"
#include "flywheel/Dialect/Train/Train.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace flywheel;

/// The stage of which the ops are counted before they are tiled.
constexpr llvm::StringLiteral kCountedStage = "flywheel-fuse";

FailureOr<StepCost> flywheel::countStepCost(OwningOpRef<ModuleOp> module,
                                            const CompilerOptions &given,
                                            const CostOptions &costs) {
  if ((*module)->hasAttr(train::TrainDialect::getCompilationAttrName()))
    return module->emitError() << "expected a module that has been through no "
                                  "stage, to count what it costs";
  if (llvm::Expected<const Backend *> backend = findBackend(given); !backend)
    return module->emitError() << llvm::toString(backend.takeError());
  StepCost result;
  PassManager before(module->getContext());
  before.addPass(createCountCost(costs, "before optimization", result.before));
  if (failed(before.run(*module)))
    return failure();
  if (!costs.fetches.empty())
    return result;

  CompilerOptions options = given;
  options.lowering = options.lowering.value_or(Lowering::Optimized);
  options.maxDimSizes = options.maxDimSizes.value_or(DimSizeBounds());
  CostOptions same = costs;
  same.checksBindings = false;
  same.wholeGraph = false;
  same.entries.clear();
  for (const CostEntry &entry : result.before.entries)
    same.entries.push_back(entry.name);
  PassManager after(module->getContext());
  for (const Stage &stage : getStages()) {
    if (stage.name == kCountedStage)
      break;
    stage.populate(after, options);
  }
  populateFusion(after, options);
  after.addPass(
      createCountCost(same, "after optimization", result.after.emplace()));
  if (failed(after.run(*module)))
    return failure();
  return result;
}

std::string flywheel::formatStepCost(const StepCost &cost, bool isJSON) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (isJSON) {
    llvm::json::Object object{{"before", toJSON(cost.before)}};
    if (cost.after)
      object["after"] = toJSON(*cost.after);
    os << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(object)));
    return text;
  }
  printCost(cost.before, os);
  if (cost.after)
    printCost(*cost.after, os);
  return text;
}
