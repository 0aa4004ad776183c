//===- flywheel-run.cpp - Compile a model in memory and run it ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunOptions.h"
#include "Tools.h"
#include "flywheel/Driver/FrontEnd.h"
#include "flywheel/Driver/OutputFiles.h"
#include "flywheel/Runtime/AtomicFile.h"

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

/// Refuses outputs that would overwrite an input. A checkpoint may overwrite
/// the one that was restored.
static llvm::Error checkOutputs(const RunOptions &options) {
  llvm::SmallVector<llvm::StringRef> inputs = {options.input, options.data,
                                               options.evalData};
  for (llvm::StringRef feed : options.feeds)
    inputs.push_back(feed.split('=').second);
  for (llvm::StringRef output :
       {options.save, options.saveResults, options.trace})
    if (llvm::Error error = checkOutput(output, inputs))
      return error;
  return llvm::Error::success();
}

/// Runs what is asked for, and prints the time that its kernels take.
static Status runProfiled(Session &session, const RunOptions &options) {
  // Before work that ends with it.
  if (!options.trace.empty())
    if (Status status = runtime::checkSavePath(options.trace); !status.isOk())
      return status;
  if (options.compiler.profile)
    if (Status status = session.startProfile(); !status.isOk())
      return status;
  Status status = options.data.empty() ? runEntries(session, options)
                                       : runTraining(session, options);
  if (!status.isOk() || !options.compiler.profile)
    return status;
  Result<Profile> profile = session.stopProfile();
  if (!profile.isOk())
    return profile.status();
  profile->print(llvm::outs());
  return options.trace.empty() ? Status() : profile->saveTrace(options.trace);
}

/// Flushes standard output. Returns 1 if a part of it could not be written.
static int finish() {
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return 0;
  std::string reason = llvm::outs().error().message();
  llvm::outs().clear_error();
  return fail("cannot write to standard output: " + reason);
}

static int compileAndRun(const RunOptions &options) {
  if (llvm::Error error = checkOutputs(options))
    return fail(llvm::toString(std::move(error)));
  FrontEnd frontEnd;
  CompilerOptions compilerOptions = options.compiler;
  Result<int32_t> threads = runtime::getDefaultThreads();
  if (!threads.isOk())
    return fail(threads.status().message());
  compilerOptions.threads.byDefault = *threads;
  CodegenOptions codegen;
  codegen.lineTables = options.debugInfo;
  if (options.cache)
    compilerOptions.cache = {*options.cache, codegen};
  llvm::FailureOr<CompiledModule> compiled =
      frontEnd.compileFile(options.input, compilerOptions);
  if (failed(compiled))
    return 1;
  // The target of this machine, or the one that the output of a stage was
  // compiled for.
  codegen.target = compiled->options.target;
  JITOptions jit;
  jit.perfMap = options.perfMap;
  jit.debugger = options.debugInfo;
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> object =
      makeObject(*compiled, codegen);
  if (!object)
    return fail(llvm::toString(object.takeError()));
  Result<std::shared_ptr<const Program>> program =
      Program::load(*compiled->module, std::move(*object), codegen, jit);
  if (!program.isOk())
    return fail(program.status().message());
  if (options.timeStages)
    printStageTimes(llvm::errs(), compiled->times);
  reportCache(llvm::errs(), *compiled, options.timeStages);
  if (options.list)
    listProgram(**program);
  if (options.onlyLists())
    return finish();
  SessionOptions sessionOptions;
  sessionOptions.softPlacement = options.softPlacement;
  sessionOptions.warn = [](const std::string &text) {
    llvm::WithColor::warning(llvm::errs()) << text << "\n";
  };
  Result<std::unique_ptr<Session>> session =
      Session::create(*program, sessionOptions);
  if (!session.isOk())
    return fail(session.status().message());
  Status status = runProfiled(**session, options);
  if (!status.isOk())
    return fail(status.message());
  return finish();
}

int flywheel::tools::runMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Result<RunOptions> options = parseCommandLine(argc, argv);
  if (!options.isOk())
    return fail(options.status().message());
  return compileAndRun(*options);
}
