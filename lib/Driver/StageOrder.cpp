//===- StageOrder.cpp - Which stage a module is ready for -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/StageOrder.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Driver/Backend.h"
#include "flywheel/Driver/Compiler.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <mutex>

using namespace mlir;

namespace flywheel {

std::optional<size_t> findStage(StringRef name) {
  ArrayRef<Stage> stages = getStages();
  const Stage *found = llvm::find_if(
      stages, [&](const Stage &stage) { return stage.name == name; });
  if (found == stages.end())
    return {};
  return found - stages.begin();
}

static std::string describeInput(size_t stage) {
  return stage == 0
             ? "a source"
             : ("a module after stage '" + getStages()[stage - 1].name + "'")
                   .str();
}

static bool readsVariables(Operation *op) {
  return op->walk([](train::ReadOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

static ModuleOp getModule(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  return module ? module : op->getParentOfType<ModuleOp>();
}

std::string describeWrongStage(Operation *op, StageRange expected) {
  auto record = getModule(op)->getAttrOfType<DictionaryAttr>(
      train::TrainDialect::getCompilationAttrName());
  size_t next = 0;
  if (record) {
    auto name = record.getAs<StringAttr>("stage");
    std::optional<size_t> last = name ? findStage(name) : std::nullopt;
    if (!last)
      return {};
    next = *last + 1;
    if (expected.first <= next && next <= expected.last)
      return {};
  } else if (expected.first <= *findStage("flywheel-functionalize") ||
             !readsVariables(op)) {
    return {};
  }
  return "expected " + describeInput(expected.first) + ", found " +
         describeInput(next);
}

//===----------------------------------------------------------------------===//
// Hints
//===----------------------------------------------------------------------===//

/// Calls `visit` with the name of each pass of `pm`, also of nested ones, which
/// are registered.
static void forEachPass(OpPassManager &pm,
                        llvm::function_ref<void(StringRef)> visit) {
  for (Pass &pass : pm.getPasses()) {
    if (!pass.getArgument().empty()) {
      visit(pass.getArgument());
      continue;
    }
    // A pass without a name is upstream's adaptor that runs others on nested
    // ops. Its class, `detail::OpToOpPassAdaptor`, is in a header that is not
    // installed, and no class that is gives its pass managers: of what it runs
    // it tells a text alone, which upstream reads.
    std::string text;
    llvm::raw_string_ostream os(text);
    pass.printAsTextualPipeline(os);
    FailureOr<OpPassManager> nested = parsePassPipeline(text);
    if (succeeded(nested))
      forEachPass(*nested, visit);
  }
}

/// Returns options for each back end, without and with all that add passes.
static std::vector<CompilerOptions> getOptionsOfBackends() {
  std::vector<CompilerOptions> all;
  for (const std::unique_ptr<Backend> &backend : getBackends()) {
    CompilerOptions plain;
    plain.lowering = backend->getInfo().lowering;
    plain.target.device = backend->getInfo().exampleDevice.str();
    plain.maxDimSizes.emplace();
    CompilerOptions full = plain;
    full.profile = full.winograd = full.checkNumerics = full.report = true;
    full.frozenCheckpoint = full.initialCheckpoint = "any";
    full.memoryBudget = 0;
    all.push_back(std::move(plain));
    all.push_back(std::move(full));
  }
  return all;
}

/// Returns the stages that each pass belongs to, for any target, with or
/// without options that add passes.
static llvm::StringMap<StageRange> getStagesOfPasses() {
  llvm::StringMap<StageRange> stagesOfPasses;
  for (const CompilerOptions &options : getOptionsOfBackends())
    for (size_t index = 0; index < getStages().size(); ++index) {
      OpPassManager pm(ModuleOp::getOperationName());
      getStages()[index].populate(pm, options);
      forEachPass(pm, [&](StringRef name) {
        StageRange &range =
            stagesOfPasses.try_emplace(name, StageRange{index, index})
                .first->second;
        range = {std::min(range.first, index), std::max(range.last, index)};
      });
    }
  return stagesOfPasses;
}

namespace {
class StageHints : public PassInstrumentation {
public:
  void runAfterPass(Pass *pass, Operation *) override {
    std::lock_guard<std::mutex> lock(mutex);
    if (!pass->getArgument().empty())
      lastPass = pass->getArgument();
  }

  void runAfterPassFailed(Pass *pass, Operation *op) override {
    std::lock_guard<std::mutex> lock(mutex);
    // The adaptor that runs passes on functions has no argument; it verifies
    // the IR after those passes.
    StringRef name =
        pass->getArgument().empty() ? lastPass : pass->getArgument();
    std::optional<StageRange> stages = lookupStages(name);
    if (!getModule(op) || !stages || hasSpoken)
      return;
    // Looks only at `op`: other threads may be changing other functions.
    std::string problem = describeWrongStage(op, *stages);
    if (problem.empty())
      return;
    hasSpoken = true;
    emitError(getModule(op).getLoc())
        << "pass '" << name << "' is of stage '"
        << getStages()[stages->first].name << "': " << problem;
  }

private:
  static std::optional<StageRange> lookupStages(StringRef pass) {
    static const llvm::StringMap<StageRange> stages = getStagesOfPasses();
    auto found = stages.find(pass);
    if (found == stages.end())
      return {};
    return found->second;
  }

  std::mutex mutex;
  StringRef lastPass;
  /// Passes that run others fail after them, and on each of several functions.
  bool hasSpoken = false;
};
} // namespace

std::unique_ptr<PassInstrumentation> createStageHints() {
  return std::make_unique<StageHints>();
}

} // namespace flywheel
