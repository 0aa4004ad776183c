//===- FrontEnd.cpp - What a tool compiles a model with -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/FrontEnd.h"
#include "flywheel/Driver/Plugins.h"

#include "mlir/IR/AsmState.h"
#include "mlir/Pass/PassManager.h"

using namespace flywheel;

/// True if this program has the command-line options that instrument passes.
static bool hasUpstreamOptions = false;

void flywheel::registerUpstreamOptions(llvm::cl::OptionCategory &category) {
  hasUpstreamOptions = true;
  // Some of the options are names of passes.
  registerAllFlywheelPasses();
  registerPluginOptions(category);
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
  llvm::cl::HideUnrelatedOptions(category);
  for (const auto &entry : llvm::cl::getRegisteredOptions())
    if (entry.first.starts_with("mlir-"))
      entry.second->setHiddenFlag(llvm::cl::Hidden);
}

FrontEnd::FrontEnd()
    : context(createContext()),
      handler(context.get(),
              [this](mlir::Diagnostic &diagnostic) { handle(diagnostic); }) {
  context->printOpOnDiagnostic(false);
  mlir::applyDefaultTimingManagerCLOptions(timing);
  rootTimer = timing.getRootScope();
}

FrontEnd::~FrontEnd() { flush(); }

void FrontEnd::handle(const mlir::Diagnostic &diagnostic) {
  // Errors come first, and at once: nothing is lost if the compiler stops.
  if (!isCompiling ||
      diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error) {
    printer.print(diagnostic, llvm::errs());
    return;
  }
  llvm::raw_string_ostream os(held);
  os.enable_colors(llvm::errs().has_colors());
  printer.print(diagnostic, os);
}

void FrontEnd::flush() {
  isCompiling = false;
  llvm::errs() << held;
  held.clear();
}

llvm::FailureOr<CompiledModule> FrontEnd::compileFile(llvm::StringRef path,
                                                      CompilerOptions options) {
  isCompiling = true;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  {
    mlir::TimingScope timer = rootTimer.nest("parse");
    module = parseModuleFile(*context, path, printer);
  }
  llvm::FailureOr<CompiledModule> compiled = llvm::failure();
  if (module) {
    options.inputPath = path.str();
    if (hasUpstreamOptions)
      options.instrument = [this](mlir::PassManager &pm) {
        pm.enableTiming(rootTimer);
        counts.addTo(pm);
        return mlir::applyPassManagerCLOptions(pm);
      };
    compiled = compileModule(std::move(module), options);
  }
  rootTimer.stop();
  flush();
  counts.print(llvm::errs());
  return compiled;
}

llvm::FailureOr<StepCost> FrontEnd::countFile(llvm::StringRef path,
                                              CompilerOptions options,
                                              const CostOptions &costs) {
  isCompiling = true;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      parseModuleFile(*context, path, printer);
  llvm::FailureOr<StepCost> cost = llvm::failure();
  if (module) {
    options.inputPath = path.str();
    cost = countStepCost(std::move(module), options, costs);
  }
  flush();
  return cost;
}
