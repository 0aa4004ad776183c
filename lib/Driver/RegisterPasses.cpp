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
#include "flywheel/Driver/Backend.h"
#include "flywheel/Driver/Compiler.h"
#include "flywheel/Driver/DriverPasses.h"
#include "flywheel/Driver/OptionTable.h"
#include "flywheel/Driver/StageOrder.h"
#include "flywheel/Profile/ProfilePasses.h"
#include "flywheel/Target/EntryPoints/EntryPointsPasses.h"
#include "flywheel/Transforms/Bufferization/BufferizationPasses.h"
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

#include <mutex>

using namespace mlir;

namespace flywheel {
namespace {
/// The options of the pipelines: those of the table.
class StageOptions : public PassPipelineOptions<StageOptions> {
public:
  StageOptions() {
    for (const OptionInfo &info : getOptionTable()) {
      auto &[name, value] =
          values.emplace_back(std::make_unique<std::string>(info.getFlag()),
                              std::unique_ptr<Option<std::string>>());
      value = std::make_unique<Option<std::string>>(
          *this, *name, llvm::cl::desc(info.help),
          llvm::cl::value_desc(info.valueName),
          info.isFlag() ? llvm::cl::ValueOptional : llvm::cl::ValueRequired);
    }
  }

  /// Reads `text`. An error names the options that exist.
  LogicalResult
  parse(StringRef text,
        llvm::function_ref<LogicalResult(const Twine &)> handleError);
  /// Returns the options that were given to a stage, and adds their names to
  /// `names`.
  llvm::Expected<CompilerOptions>
  getCompilerOptions(const Stage &stage, std::vector<std::string> &names) const;

private:
  /// In the order of the table.
  std::vector<std::pair<std::unique_ptr<std::string>,
                        std::unique_ptr<Option<std::string>>>>
      values;
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

llvm::Expected<CompilerOptions>
StageOptions::getCompilerOptions(const Stage &stage,
                                 std::vector<std::string> &names) const {
  CompilerOptions options;
  for (auto [info, value] : llvm::zip_equal(getOptionTable(), values)) {
    if (!value.second->getNumOccurrences())
      continue;
    if (llvm::Error error = info.parse(options, *value.second))
      return llvm::createStringError(*value.first + ": " +
                                     llvm::toString(std::move(error)));
    if (std::optional<size_t> first = findStage(info.stage);
        first && *first > *findStage(stage.name))
      return llvm::createStringError(*value.first + ": stage '" + stage.name +
                                     "' does not read it, but '" + info.stage +
                                     "' and later ones do");
    names.push_back(info.name.str());
  }
  auto spell = [](const OptionInfo &option) { return option.getFlag(); };
  if (llvm::Error error = checkOptions(options, spell))
    return std::move(error);
  if (llvm::Expected<const Backend *> backend = findBackend(options); !backend)
    return backend.takeError();
  // A compilation would choose these itself. The output does not depend on this
  // machine.
  if (options.target.triple.empty() && options.target.cpu.empty())
    options.target.cpu = "x86-64-v4";
  options.lowering = options.lowering.value_or(Lowering::Optimized);
  options.maxDimSizes = options.maxDimSizes.value_or(DimSizeBounds());
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
          std::vector<std::string> names;
          llvm::Expected<CompilerOptions> given =
              options.getCompilerOptions(stage, names);
          if (!given)
            return handleError(llvm::toString(given.takeError()));
          populateStage(pm, stage, *given, names);
          return success();
        },
        [](llvm::function_ref<void(const mlir::detail::PassOptions &)> handle) {
          handle(StageOptions());
        });
}

static void registerPasses() {
  mlir::registerAllPasses();
  registerAutodiffPasses();
  registerChecksPasses();
  registerSCFPasses();
  registerStatePasses();
  registerBufferizationPasses();
  registerFusionPasses();
  registerMemoryPasses();
  registerPartitionPasses();
  registerCodegenCommonPasses();
  registerCPUPasses();
  registerGPUPasses();
  registerConversionPasses();
  registerCostPasses();
  registerEntryPointsPasses();
  registerProfilePasses();
  registerDriverPasses();
  nn::registerNNPasses();
  train::registerTrainPasses();
  registerStagePipelines();
}
} // namespace flywheel

void flywheel::registerAllFlywheelPasses() {
  static std::once_flag isDone;
  std::call_once(isDone, registerPasses);
}
