//===- FitWorkspace.cpp - A step of several workers within a budget -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: a bufferized step, in its final order. After: a step that is shared
// between workers, with a workspace within the budget. The size of the
// workspace is known only after all passes: so they are run, and undone, until
// it fits. An error of an attempt is reported if no attempt fits.
//
//===----------------------------------------------------------------------===//

#include "PlanOptions.h"
#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Driver/DriverPasses.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Threading.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_FITWORKSPACE
#include "flywheel/Driver/DriverPasses.h.inc"
} // namespace flywheel

using namespace flywheel;

/// Parts of the budget that one attempt has less than the one before, and those
/// of the last one.
static constexpr int64_t kParts = 16, kFewestParts = 4;

namespace {
/// Holds the diagnostics of an attempt until it is known to be the last one.
class HeldDiagnostics {
public:
  explicit HeldDiagnostics(MLIRContext *context)
      : thread(llvm::get_threadid()),
        handler(context, [this](Diagnostic &diagnostic) {
          // Other functions may be compiled at the same time.
          if (llvm::get_threadid() != thread)
            return failure();
          held.push_back(std::move(diagnostic));
          return success();
        }) {}

  std::vector<Diagnostic> take() { return std::move(held); }
  MutableArrayRef<Diagnostic> get() { return held; }

private:
  uint64_t thread;
  std::vector<Diagnostic> held;
  ScopedDiagnosticHandler handler;
};

struct FitWorkspace : flywheel::impl::FitWorkspaceBase<FitWorkspace> {
  using FitWorkspaceBase::FitWorkspaceBase;
  // The options that PlanOptions.h reads.
  using FitWorkspaceBase::boundDimSizes;
  using FitWorkspaceBase::dimSize;
  using FitWorkspaceBase::dimSizes;
  using FitWorkspaceBase::memoryBudget;
  using FitWorkspaceBase::minLoopWork;
  using FitWorkspaceBase::minWork;
  using FitWorkspaceBase::report;
  using FitWorkspaceBase::reuseOperands;

  void runOnOperation() override;

private:
  enum class Outcome { Fits, TakesTooMuch, Fails };
  Outcome attempt(int64_t target, int64_t numWorkers,
                  std::vector<Diagnostic> &said);
  LogicalResult run(std::unique_ptr<Pass> pass);
  void say(std::vector<Diagnostic> &said);
};
} // namespace

LogicalResult FitWorkspace::run(std::unique_ptr<Pass> pass) {
  OpPassManager passes(func::FuncOp::getOperationName());
  passes.addPass(std::move(pass));
  return runPipeline(passes, getOperation());
}

/// Recomputes as if the budget were `target`, and shares the step between
/// `numWorkers`.
FitWorkspace::Outcome FitWorkspace::attempt(int64_t target, int64_t numWorkers,
                                            std::vector<Diagnostic> &said) {
  HeldDiagnostics diagnostics(&getContext());
  auto outcome = Outcome::Fits;
  if (failed(run(createRematerialize(makeRematerializeOptions(*this, target)))))
    outcome = Outcome::Fails;
  if (numWorkers > 1)
    for (Diagnostic &diagnostic : diagnostics.get())
      if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
        diagnostic << ", with one worker";
  if (outcome == Outcome::Fits && reuseOperands &&
      failed(run(createSplitReductions())))
    outcome = Outcome::Fails;
  if (outcome == Outcome::Fits &&
      failed(run(
          createDistributeStep(makeDistributeStepOptions(*this, numWorkers)))))
    outcome = Outcome::Fails;
  if (outcome == Outcome::Fits &&
      failed(run(createPlanWorkspace(makePlanWorkspaceOptions(*this))))) {
    outcome = Outcome::TakesTooMuch;
    ++numRefused;
  }
  said = diagnostics.take();
  return outcome;
}

void FitWorkspace::say(std::vector<Diagnostic> &said) {
  for (Diagnostic &diagnostic : said)
    getContext().getDiagEngine().emit(std::move(diagnostic));
}

void FitWorkspace::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isExternal())
    return;
  OwningOpRef<func::FuncOp> whole = function.clone();
  std::vector<Diagnostic> first;
  Outcome outcome = attempt(memoryBudget, workers, first);
  if (outcome == Outcome::Fits)
    return say(first);
  auto tryAgain = [&](int64_t target, int64_t numWorkers) {
    OwningOpRef<func::FuncOp> copy = whole->clone();
    function.getBody().takeBody(copy->getBody());
    function->setAttrs((*copy)->getAttrDictionary());
    std::vector<Diagnostic> said;
    outcome = attempt(target, numWorkers, said);
    if (outcome == Outcome::Fits)
      say(said);
    return outcome == Outcome::Fits;
  };
  bool isTooLarge = outcome == Outcome::TakesTooMuch;
  for (int64_t parts = kParts - 1;
       parts >= kFewestParts && outcome == Outcome::TakesTooMuch; --parts)
    if (tryAgain(memoryBudget / kParts * parts, workers))
      return;
  for (int64_t fewer = workers / 2; isTooLarge && fewer >= 1; fewer /= 2)
    if (tryAgain(memoryBudget, fewer)) {
      if (!warns)
        return;
      InFlightDiagnostic warning = function.emitWarning();
      if (fewer == 1)
        warning << "one worker executes '" << function.getSymName()
                << "': no plan for several";
      else
        warning << "at most " << fewer << " workers execute '"
                << function.getSymName() << "': no plan for more";
      warning << " was found within the memory budget of "
              << memoryBudget.getValue() << " bytes";
      return;
    }
  say(first);
  signalPassFailure();
}
