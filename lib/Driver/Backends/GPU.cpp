//===- GPU.cpp - Launches of a GPU ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a GPU, the ops after a matrix product are computed with its tiles in their
// present shape, as launches are formed only once the step is bufferized.
//
//===----------------------------------------------------------------------===//

#include "../PlanOptions.h"
#include "Backends.h"
#include "flywheel/Codegen/Common/CodegenCommonPasses.h"
#include "flywheel/Codegen/GPU/GPUPasses.h"
#include "flywheel/Conversion/ConversionPasses.h"
#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Dialect/Train/TrainPasses.h"
#include "flywheel/Driver/Pipelines.h"
#include "flywheel/Profile/ProfilePasses.h"
#include "flywheel/Support/Targets.h"
#include "flywheel/Transforms/Bufferization/BufferizationPasses.h"
#include "flywheel/Transforms/Fusion/FusionPasses.h"
#include "flywheel/Transforms/Memory/MemoryPasses.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/IR/Builders.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Program.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace flywheel;

static BackendFeatures getGPUFeatures() {
  BackendFeatures features;
  features.fusesOps = true;
  features.linksGPURuntime = true;
  return features;
}

namespace {
class GPU : public Backend {
public:
  GPU()
      : Backend({"gpu", Lowering::Optimized,
                 /*devices=*/"cuda[:CHIP][+tf32] or rocm[:CHIP]",
                 /*exampleDevice=*/"cuda:sm_80", getGPUFeatures(),
                 /*assembler=*/"ptxas",
                 /*assemblerFolder=*/"/usr/local/cuda/bin"}) {}

  bool takesDevice(StringRef device) const override;
  Attribute makeTarget(ModuleOp module,
                       const TargetOptions &options) const override;
  void populateFusion(OpPassManager &pm,
                      const CompilerOptions &options) const override;
  void populateTiles(OpPassManager &pm,
                     const CompilerOptions &options) const override;
  void populatePlan(OpPassManager &pm,
                    const CompilerOptions &options) const override;
  void populateLoops(OpPassManager &pm,
                     const CompilerOptions &options) const override;
  void populateCode(OpPassManager &pm,
                    const CompilerOptions &options) const override;
};
} // namespace

//===----------------------------------------------------------------------===//
// Target
//===----------------------------------------------------------------------===//

bool GPU::takesDevice(StringRef device) const {
  StringRef kind = device.take_front(device.find_first_of(":+"));
  return kind == "cuda" || kind == "rocm";
}

/// Returns 90 for sm_90a; 0 for a chip that is not NVIDIA's.
static unsigned getNumber(StringRef chip) {
  unsigned number = 0;
  chip.consume_front("sm_");
  chip.consumeInteger(10, number);
  return number;
}

/// Returns an error unless code can be generated for `chip`, named as LLVM
/// does: `sm_90a`, `gfx942`.
static llvm::Error checkChip(StringRef chip) {
  initializeAllTargets();
  bool isAMD = chip.starts_with("gfx");
  llvm::Triple triple(isAMD ? "amdgcn-amd-amdhsa" : "nvptx64-nvidia-cuda");
  std::string reason;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, reason);
  if (!target)
    return llvm::createStringError(
        "this build generates no code for '" + chip + "': expected " +
        (isAMD ? "AMDGPU" : "NVPTX") + " in its FLYWHEEL_TARGETS");
  std::unique_ptr<llvm::MCSubtargetInfo> least(
      target->createMCSubtargetInfo(triple, "", ""));
  if (!least || !least->isCPUStringValid(chip))
    return llvm::createStringError("expected a chip that LLVM knows, found '" +
                                   chip + "'");
  return llvm::Error::success();
}

/// Parses `cuda:sm_90a:ptx`, `cuda:sm_80,sm_90a` or `rocm:gfx942`; chips of
/// NVIDIA may be followed by `+tf32`.
Attribute GPU::makeTarget(ModuleOp module, const TargetOptions &options) const {
  StringRef text = options.getDevice();
  SmallVector<StringRef> parts, chips;
  text.split(parts, ':');
  bool usesTF32 =
      parts[std::min<size_t>(parts.size(), 2) - 1].consume_back("+tf32");
  auto emitError = [&] {
    return module.emitError() << describeWrongDevice(text);
  };
  bool isAMD = parts.front() == "rocm";
  if ((parts.front() != "cuda" && !isAMD) || parts.size() > 3) {
    emitError() << "expected " << listDevices();
    return {};
  }
  StringRef given = parts.size() > 1 ? parts[1] : isAMD ? "gfx942" : "sm_80";
  given.split(chips, ',');
  // Kernels are compiled for the lowest of the chips.
  llvm::sort(chips, [](StringRef a, StringRef b) {
    return getNumber(a) < getNumber(b);
  });
  MLIRContext *context = module.getContext();
  Builder b(context);
  ArrayAttr others;
  if (chips.size() > 1)
    others = b.getStrArrayAttr(ArrayRef(chips).drop_front());
  StringRef image = parts.size() > 2 ? parts[2] : isAMD ? "hsaco" : "ptx";
  auto gpu = codegen::GPUAttr::getChecked(
      emitError, context, b.getStringAttr(chips.front()),
      b.getStringAttr(image), usesTF32, others);
  if (!gpu)
    return {};
  // LLVM compiles for its lowest chip if it does not know the name.
  for (StringRef chip : chips)
    if (llvm::Error error = checkChip(chip)) {
      emitError() << llvm::toString(std::move(error));
      return {};
    }
  return gpu;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

void GPU::populateFusion(OpPassManager &pm,
                         const CompilerOptions &options) const {
  // In other shapes the rows of ops would not be rows of the launch.
  FuseElementwiseOptions fuse;
  fuse.keepRows = true;
  pm.addNestedPass<func::FuncOp>(createFuseElementwise(fuse));
  // Kernels widen values that threads share.
  FoldConversionsOptions conversions;
  conversions.widenings = false;
  pm.addNestedPass<func::FuncOp>(createFoldConversions(conversions));
  pm.addNestedPass<func::FuncOp>(createHoistScalars());
  pm.addNestedPass<func::FuncOp>(createWidenI1Tensors());
  pm.addNestedPass<func::FuncOp>(createSortScatters());
  pm.addPass(createCanonicalizer());
  pm.addPass(createCSEPass());
}

void GPU::populateTiles(OpPassManager &pm,
                        const CompilerOptions &options) const {
  pm.addNestedPass<func::FuncOp>(createNarrowFactors());
  pm.addNestedPass<func::FuncOp>(createRecomputeScores());
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

void GPU::populatePlan(OpPassManager &pm,
                       const CompilerOptions &options) const {
  // An op that overwrites an operand could not share a launch with other
  // readers of it: `reuseOperands` is false.
  FitWorkspaceOptions plan = makePlanOptions(options);
  pm.addNestedPass<func::FuncOp>(
      createRematerialize(makeRematerializeOptions(plan, plan.memoryBudget)));
  pm.addNestedPass<func::FuncOp>(createChooseGPUSchedules());
  FormGPUGroupsOptions groups;
  groups.report = plan.report;
  groups.dimSize = plan.dimSize;
  llvm::append_range(groups.dimSizes, plan.dimSizes);
  pm.addNestedPass<func::FuncOp>(createFormGPUGroups(groups));
  pm.addPass(createCanonicalizer());
  pm.addPass(createCSEPass());
  populateWorkspacePlan(pm, plan);
}

/// Launches of kernels; the initializer is plain loops of the host.
void GPU::populateLoops(OpPassManager &pm,
                        const CompilerOptions &options) const {
  pm.addNestedPass<func::FuncOp>(createIndexOnGPU());
  pm.addNestedPass<func::FuncOp>(createLowerLinalgExt());
  pm.addPass(train::createTrainExpandDraws());
  pm.addNestedPass<func::FuncOp>(createMapToGPU());
  pm.addNestedPass<func::FuncOp>(createLowerCopies());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  pm.addPass(createDecideOnGPU());
  pm.addNestedPass<func::FuncOp>(createJoinGPULaunches());
  pm.addPass(createPlaceOnGPU());
  pm.addNestedPass<func::FuncOp>(createLegalizeConversions());
  pm.addNestedPass<func::FuncOp>(createExpandDeviceMath());
  pm.addNestedPass<func::FuncOp>(createExpandMath());
  pm.addNestedPass<func::FuncOp>(createExpandNarrowing());
  pm.addPass(createCanonicalizer());
  pm.addPass(createCSEPass());
  OutlineGPUKernelsOptions outline;
  outline.report = options.report;
  pm.addPass(createOutlineGPUKernels(outline));
  pm.addPass(createCanonicalizer());
  pm.addPass(createCSEPass());
  if (options.profile)
    pm.addPass(createProfileGPULaunches());
}

void GPU::populateCode(OpPassManager &pm,
                       const CompilerOptions &options) const {
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addPass(memref::createExpandStridedMetadataPass());
  kernels.addPass(createLowerAffinePass());
  math::MathExtendToSupportedTypesOptions extend;
  kernels.addPass(math::createMathExtendToSupportedTypes(extend));
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  kernels.addPass(arith::createArithExpandOpsPass(expand));
  kernels.addPass(createCanonicalizer());
  kernels.addPass(createCSEPass());
  kernels.addPass(createLoopInvariantCodeMotionPass());
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(createLowerGPUKernels());
  kernels.addPass(createNormalizeBooleans());
  kernels.addPass(createReconcileUnrealizedCastsPass());
  LowerGPULaunchesOptions launches;
  launches.forObject = options.cInterface;
  launches.ptxas = options.target.ptxas;
  launches.report = options.report;
  if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(
          "ld.lld", {FLYWHEEL_LLVM_TOOLS_DIR, "/usr/bin"}))
    launches.lld = *found;
  pm.addPass(createLowerGPULaunches(launches));
}

std::unique_ptr<Backend> flywheel::createGPUBackend() {
  return std::make_unique<GPU>();
}
