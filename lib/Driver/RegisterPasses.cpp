//===- RegisterPasses.cpp - Every pass by its name ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Autodiff/AutodiffPasses.h"
#include "flywheel/Codegen/CPU/CPUPasses.h"
#include "flywheel/Codegen/Common/CodegenCommonPasses.h"
#include "flywheel/Codegen/GPU/GPUPasses.h"
#include "flywheel/Conversion/ConversionPasses.h"
#include "flywheel/Cost/CostPasses.h"
#include "flywheel/Dialect/NN/NNPasses.h"
#include "flywheel/Dialect/Train/TrainPasses.h"
#include "flywheel/Driver/ChoiceOption.h"
#include "flywheel/Driver/Compiler.h"
#include "flywheel/Driver/DriverPasses.h"
#include "flywheel/Target/EntryPoints/EntryPointsPasses.h"
#include "flywheel/Transforms/Checks/ChecksPasses.h"
#include "flywheel/Transforms/Fusion/FusionPasses.h"
#include "flywheel/Transforms/Memory/MemoryPasses.h"
#include "flywheel/Transforms/Partition/PartitionPasses.h"
#include "flywheel/Transforms/SCF/SCFPasses.h"
#include "flywheel/Transforms/State/StatePasses.h"

#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace flywheel {
namespace {
/// The options of the pipelines.
struct StageOptions : PassPipelineOptions<StageOptions> {
  Option<Lowering, ChoiceParser<Lowering>> lowering{
      *this, "lowering", llvm::cl::desc("How tensor programs become loops"),
      llvm::cl::init(Lowering::Optimized),
      llvm::cl::values(clEnumValN(Lowering::Optimized, "optimized",
                                  "fused, tiled and vectorized (default)"),
                       clEnumValN(Lowering::Reference, "reference",
                                  "one plain loop nest an op"))};
  Option<std::string> modelName{*this, "model-name",
                                llvm::cl::desc("Prefix of the symbols"),
                                llvm::cl::init("")};
  ListOption<std::string> entries{*this, "entries",
                                  llvm::cl::desc("Entries to keep; by "
                                                 "default all")};
  Option<std::string> cpu{*this, "cpu",
                          llvm::cl::desc("LLVM name of the CPU; by default "
                                         "a CPU with AVX-512"),
                          llvm::cl::init("x86-64-v4")};
  Option<int64_t> maxDimSize{
      *this, "max-dim-size",
      llvm::cl::desc("Bound of symbolic dimension sizes"),
      llvm::cl::init(1024)};
  Option<int64_t> memoryBudget{
      *this, "memory-budget",
      llvm::cl::desc("Bytes of a workspace; negative for any number"),
      llvm::cl::init(-1)};
  Option<bool> winograd{
      *this, "winograd",
      llvm::cl::desc("Compute 3 x 3 convolutions by Winograd's method where "
                     "that is faster"),
      llvm::cl::init(false)};
  Option<int64_t> threads{
      *this, "threads",
      llvm::cl::desc("How many threads may execute a step together"),
      llvm::cl::init(1)};

  /// Reads `text`. An error names the options that exist.
  LogicalResult
  parse(StringRef text,
        llvm::function_ref<LogicalResult(const Twine &)> handleError);
  CompilerOptions getCompilerOptions() const;
};
} // namespace

LogicalResult StageOptions::parse(
    StringRef text,
    llvm::function_ref<LogicalResult(const Twine &)> handleError) {
  // Upstream names the option that it did not find, but not those that exist.
  llvm::raw_null_ostream unread;
  if (succeeded(parseFromString(text, unread)))
    return success();
  SmallVector<StringRef> names = llvm::to_vector(OptionsMap.keys());
  llvm::sort(names);
  return handleError("expected values of the options " +
                     llvm::join(names, ", ") + "; found '" + text + "'");
}

CompilerOptions StageOptions::getCompilerOptions() const {
  CompilerOptions options;
  options.lowering = lowering;
  options.modelName = modelName;
  options.entries.assign(entries.begin(), entries.end());
  options.target.cpu = cpu;
  options.maxDimSizes = maxDimSize.getValue();
  if (memoryBudget >= 0)
    options.memoryBudget = memoryBudget;
  options.winograd = winograd;
  options.threads = threads;
  return options;
}

static void registerStagePipelines() {
  for (const Stage &stage : getStages())
    registerPassPipeline(
        stage.name, stage.description,
        [&stage](OpPassManager &pm, StringRef text,
                 llvm::function_ref<LogicalResult(const Twine &)> handleError) {
          StageOptions options;
          if (failed(options.parse(text, handleError)))
            return failure();
          populateStage(pm, stage, options.getCompilerOptions());
          return success();
        },
        [](llvm::function_ref<void(const mlir::detail::PassOptions &)> handle) {
          handle(StageOptions());
        });
}
} // namespace flywheel

void flywheel::registerAllFlywheelPasses() {
  mlir::registerAllPasses();
  registerAutodiffPasses();
  registerChecksPasses();
  registerSCFPasses();
  registerStatePasses();
  registerFusionPasses();
  registerMemoryPasses();
  registerPartitionPasses();
  registerCodegenCommonPasses();
  registerCPUPasses();
  registerGPUPasses();
  registerConversionPasses();
  registerCostPasses();
  registerEntryPointsPasses();
  registerDriverPasses();
  nn::registerNNPasses();
  train::registerTrainPasses();
  registerStagePipelines();
}
