//===- flywheel-run.cpp - Compile a model in memory and run it ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunOptions.h"
#include "flywheel/Driver/FrontEnd.h"

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace flywheel;
using namespace flywheel::run;
using flywheel::runtime::Result;
using flywheel::runtime::Status;

static int fail(const std::string &message) {
  llvm::outs().flush();
  llvm::WithColor::error(llvm::errs()) << message << "\n";
  return 1;
}

static int compileAndRun(const RunOptions &options) {
  FrontEnd frontEnd;
  CompilerOptions compilerOptions;
  compilerOptions.lowering = options.lowering;
  compilerOptions.entries = options.compiledEntries;
  compilerOptions.cInterface = false;
  compilerOptions.memoryBudget = options.memoryBudget;
  if (options.memoryBudget)
    compilerOptions.maxExtent = options.getBatchSize();
  llvm::FailureOr<CompiledModule> compiled =
      frontEnd.compileFile(options.input, compilerOptions);
  if (failed(compiled))
    return 1;
  Result<std::shared_ptr<const Program>> program =
      Program::create(*compiled->module, CodegenOptions(), &compiled->times);
  if (!program.isOk())
    return fail(program.status().message());
  if (options.timeStages)
    printStageTimes(llvm::errs(), compiled->times);
  if (options.list)
    listProgram(**program);
  SessionOptions sessionOptions;
  sessionOptions.softPlacement = options.softPlacement;
  sessionOptions.warn = [](const std::string &text) {
    llvm::WithColor::warning(llvm::errs()) << text << "\n";
  };
  Result<std::unique_ptr<Session>> session =
      Session::create(*program, sessionOptions);
  if (!session.isOk())
    return fail(session.status().message());
  Status status = options.data.empty() ? runEntries(**session, options)
                                       : runTraining(**session, options);
  if (!status.isOk())
    return fail(status.message());
  llvm::outs().flush();
  if (llvm::outs().has_error()) {
    std::string reason = llvm::outs().error().message();
    llvm::outs().clear_error();
    return fail("cannot write to standard output: " + reason);
  }
  return 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Result<RunOptions> options = parseCommandLine(argc, argv);
  if (!options.isOk())
    return fail(options.status().message());
  return compileAndRun(*options);
}
