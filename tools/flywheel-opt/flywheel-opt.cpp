//===- flywheel-opt.cpp - Run passes on .mlir files -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassArguments.h"
#include "Tools.h"

#include "flywheel/Driver/Compiler.h"
#include "flywheel/Driver/InputOption.h"
#include "flywheel/Driver/OutputFiles.h"
#include "flywheel/Driver/PassCounts.h"
#include "flywheel/Driver/Plugins.h"
#include "flywheel/Driver/StageOrder.h"
#include "flywheel/Driver/TextOption.h"
#include "flywheel/Driver/VerifySource.h"
#include "flywheel/Support/LargeStack.h"

#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
namespace cl = llvm::cl;

static LogicalResult fail(const std::string &message) {
  llvm::WithColor::error(llvm::errs()) << message << "\n";
  return failure();
}

/// Makes the checks of all tools. Upstream's driver parses again: it has no
/// place for a check between its parser and its verifiers. After
/// `verifyOnParsing(false)` the first to see the module is the round trip, or a
/// pass, and a pass that is added for this is dropped for those of
/// `--pass-pipeline`.
static LogicalResult check(llvm::MemoryBufferRef source,
                           const MlirOptMainConfig &config,
                           const DialectRegistry &registry) {
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects(config.shouldAllowUnregisteredDialects());
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(source),
                             llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  return flywheel::verifyText(context, source, config.inputSplitMarker());
}

/// Runs upstream's driver after checks of the command line and of the file,
/// which its parsers would not make.
static LogicalResult run(int argc, char **argv, DialectRegistry &registry) {
  std::string header = registerCLIOptions("Flywheel's pass driver\n", registry);
  flywheel::registerPluginOptions(cl::getGeneralCategory());
  static flywheel::InputOption inputPath(
      cl::Positional, cl::desc("<input file>"), cl::init("-"), cl::ZeroOrMore);
  static flywheel::TextOption outputPath("o", cl::desc("Output filename"),
                                         cl::value_desc("filename"),
                                         cl::init("-"));
  cl::ParseCommandLineOptions(argc, argv, header);
  flywheel::registerPluginDialects(registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return MlirOptMain(argc, argv, inputPath, outputPath, registry);
  if (llvm::Error problem =
          flywheel::checkPassArguments({argv + 1, argv + argc}))
    return fail(llvm::toString(std::move(problem)));
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputPath, &error);
  if (!input)
    return fail(error);
  if (failed(check(*input, config, registry)))
    return failure();
  if (llvm::Error problem =
          flywheel::checkOutput(outputPath, {inputPath.getValue()}))
    return fail(llvm::toString(std::move(problem)));
  std::unique_ptr<llvm::ToolOutputFile> output =
      openOutputFile(outputPath, &error);
  if (!output)
    return fail(error);
  flywheel::PassCounts counts;
  config.setPassPipelineSetupFn([parsed = config, &counts](PassManager &pm) {
    pm.addInstrumentation(flywheel::createStageHints());
    counts.addTo(pm);
    return parsed.setupPassPipeline(pm);
  });
  LogicalResult result =
      MlirOptMain(output->os(), std::move(input), registry, config);
  counts.print(llvm::errs());
  if (failed(result))
    return failure();
  output->keep();
  return success();
}

int flywheel::tools::optMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  flywheel::registerAllFlywheelPasses();
  DialectRegistry registry;
  flywheel::registerAllFlywheelDialects(registry);
  LogicalResult result = failure();
  if (!flywheel::runOnLargeStack([&] { result = run(argc, argv, registry); }))
    result = fail("no memory");
  return asMainReturnCode(result);
}
