//===- Pipelines.cpp - The named stages of compilation --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each stage, used by every tool. The passes state what holds
// before and after them; what depends on the target is in the back ends.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/Pipelines.h"
#include "PlanOptions.h"
#include "flywheel/Autodiff/AutodiffPasses.h"
#include "flywheel/Codegen/Common/CodegenCommonPasses.h"
#include "flywheel/Conversion/ConversionPasses.h"
#include "flywheel/Cost/CostPasses.h"
#include "flywheel/Dialect/NN/NNPasses.h"
#include "flywheel/Dialect/Train/TrainPasses.h"
#include "flywheel/Driver/Backend.h"
#include "flywheel/Driver/Compiler.h"
#include "flywheel/Driver/DriverPasses.h"
#include "flywheel/Driver/HostTarget.h"
#include "flywheel/Profile/ProfilePasses.h"
#include "flywheel/Target/EntryPoints/EntryPointsPasses.h"
#include "flywheel/Transforms/Bufferization/BufferizationPasses.h"
#include "flywheel/Transforms/Checks/ChecksPasses.h"
#include "flywheel/Transforms/Fusion/FusionPasses.h"
#include "flywheel/Transforms/Memory/MemoryPasses.h"
#include "flywheel/Transforms/Partition/PartitionPasses.h"
#include "flywheel/Transforms/SCF/SCFPasses.h"
#include "flywheel/Transforms/State/StatePasses.h"

#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace flywheel;

std::unique_ptr<Pass> flywheel::createCanonicalizer() {
  GreedyRewriteConfig config;
  // In the order of the pass itself, which is not the default of the config.
  config.setUseTopDownTraversal();
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  return createCanonicalizerPass(config);
}

/// Removes what the chosen entries do not need.
static void populateSelection(OpPassManager &pm,
                              const CompilerOptions &options) {
  train::SelectEntriesOptions select;
  select.entries.assign(options.entries.begin(), options.entries.end());
  pm.addPass(train::createSelectEntries(select));
}

/// Makes variables constants if a checkpoint is given.
static void populateFreeze(OpPassManager &pm, const CompilerOptions &options) {
  if (options.frozenCheckpoint.empty())
    return;
  train::FreezeVariablesOptions freeze;
  freeze.checkpoint = options.frozenCheckpoint;
  freeze.variables.assign(options.frozenVariables.begin(),
                          options.frozenVariables.end());
  pm.addPass(train::createFreezeVariables(freeze));
}

/// Initializes variables from a checkpoint, or leaves them to one, if it is
/// given.
static void populateInitialValues(OpPassManager &pm,
                                  const CompilerOptions &options) {
  train::LoadInitialValuesOptions load;
  load.external = !options.externalCheckpoint.empty();
  load.checkpoint =
      load.external ? options.externalCheckpoint : options.initialCheckpoint;
  if (!load.checkpoint.empty())
    pm.addPass(train::createLoadInitialValues(load));
}

/// Expands all ops about training to plain reads, assigns, tensor ops and
/// gradient requests.
static void populateExpand(OpPassManager &pm, const CompilerOptions &options) {
  // checkOptions() has reported the errors of a text; a module that has been
  // through this stage may name passes of a plugin that is not loaded.
  (void)parsePassPipeline(options.passes, pm, llvm::nulls());
  pm.addPass(createVerifyShapes());
  pm.addPass(createVerifyCalls());
  // Converts state of other dialects to variables.
  pm.addPass(train::createTrainConvertGlobals());
  VerifySupportedOpsOptions supported;
  supported.entries.assign(options.entries.begin(), options.entries.end());
  pm.addPass(createVerifySupportedOps(supported));
  pm.addPass(createConvertAsserts());
  // Before two values become one.
  pm.addPass(createInsertParameters());
  pm.addNestedPass<func::FuncOp>(createLowerSwitches());
  // Before any pass folds a loop.
  pm.addNestedPass<func::FuncOp>(createNormalizeLoopIndices());
  pm.addNestedPass<func::FuncOp>(createExpandAffineDivisions());
  pm.addNestedPass<func::FuncOp>(createExpandDynamicXors());
  // Before inlining, which drops the rule of a function.
  pm.addPass(train::createTrainExpandCustomVjps());
  // Before ops that draw or assign are expanded, so that a message can name
  // them.
  pm.addPass(train::createTrainExpandLeastSquares());
  // Before inlining: a function that is called twice trains one set of slots
  // and draws from one stream.
  pm.addPass(train::createTrainExpandRandom());
  pm.addPass(train::createTrainExpandMovingAverages());
  pm.addPass(train::createTrainExpandAverages());
  pm.addPass(train::createTrainExpandOptimizers());
  // Slots and streams have the names that they have in the whole module.
  populateSelection(pm, options);
  // Before anything is folded: a fold may rely on a condition that is checked
  // later.
  pm.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  pm.addPass(createSymbolDCEPass());
  // Derivatives of branches and loops require ops without effects.
  train::OrderHostCallsOptions host;
  host.forObject = options.cInterface;
  if (!getBackend(options).getFeatures().callsHost)
    host.device = options.target.getDevice().str();
  pm.addPass(train::createOrderHostCalls(host));
  populateFreeze(pm, options);
  populateInitialValues(pm, options);
  pm.addPass(train::createMaterializeInitializers());
  pm.addNestedPass<func::FuncOp>(createCheckSizes());
  pm.addNestedPass<func::FuncOp>(createCanonicalizer());
}

static void populateAutodiff(OpPassManager &pm,
                             const CompilerOptions &options) {
  pm.addPass(createConvertTosa());
  pm.addPass(nn::createNNDecompose());
  pm.addNestedPass<func::FuncOp>(createDetensorize());
  pm.addPass(createConvertAsserts());
  pm.addNestedPass<func::FuncOp>(createLiftChecks());
  pm.addPass(nn::createNNRaiseLinalg());
  pm.addNestedPass<func::FuncOp>(train::createTrainPromoteStateToIterArgs());
  pm.addNestedPass<func::FuncOp>(train::createTrainForwardStateReads());
  pm.addNestedPass<func::FuncOp>(createTrainAutodiff());
  if (options.checkNumerics)
    pm.addNestedPass<func::FuncOp>(createCheckNumerics());
  pm.addPass(createVerifyShapes());
  // Checks the sizes of ops that derivative rules created.
  pm.addNestedPass<func::FuncOp>(createCheckSizes({/*isLast=*/true}));
  pm.addNestedPass<func::FuncOp>(nn::createNNCheckLabels());
  pm.addNestedPass<func::FuncOp>(createCanonicalizer());
}

static void populateFunctionalize(OpPassManager &pm, const CompilerOptions &) {
  pm.addPass(createConvertAsserts());
  pm.addPass(train::createLowerElementTypes());
  pm.addPass(train::createFunctionalizeState());
  // Variables are values from here on: two equal expressions are one.
  pm.addPass(createCanonicalizer());
  pm.addPass(createCSEPass());
}

static void populateLinalg(OpPassManager &pm, const CompilerOptions &options) {
  pm.addPass(createConvertAsserts());
  if (getBackend(options).getFeatures().fusesOps) {
    // With a budget, memory is worth more than time.
    BatchLoopProductsOptions products;
    products.recompute = options.memoryBudget.has_value();
    pm.addNestedPass<func::FuncOp>(createBatchLoopProducts(products));
    // Before updates of rows are sought: a table that is read whole has none.
    pm.addPass(nn::createNNHoistGathers());
  }
  // While the only divisions and slices are the user's own.
  pm.addNestedPass<func::FuncOp>(createCheckDivisions());
  pm.addNestedPass<func::FuncOp>(createLiftChecks());
  pm.addNestedPass<func::FuncOp>(createCheckSlices());
  pm.addNestedPass<func::FuncOp>(createConvertRowUpdatesToLinalg());
  pm.addNestedPass<func::FuncOp>(createConvertNNToLinalg());
  pm.addNestedPass<func::FuncOp>(createConvertTrainUpdatesToLinalg());
  pm.addNestedPass<func::FuncOp>(createCarryChecks());
  pm.addNestedPass<func::FuncOp>(createLegalizeMath());
  pm.addPass(createCanonicalizer());
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createUnifySymbolicDims());
  pm.addNestedPass<func::FuncOp>(createFoldZeroSizeTensors());
  pm.addPass(createCanonicalizer());
  pm.addPass(createCSEPass());
  // After copies without uses are erased.
  pm.addNestedPass<func::FuncOp>(createVerifyHostCalls());
  pm.addPass(createVerifyShapes());
}

void flywheel::populateFusion(OpPassManager &pm,
                              const CompilerOptions &options) {
  const Backend &backend = getBackend(options);
  backend.populateFusion(pm, options);
  pm.addNestedPass<func::FuncOp>(createSinkStores());
  if (backend.getFeatures().fusesOps)
    pm.addNestedPass<func::FuncOp>(createFuseUpdates());
  pm.addNestedPass<func::FuncOp>(createMaterializeSplats());
  // Computes a stored value in its destination: before the order of the step is
  // fixed, so that the order respects it. Two results cannot have one buffer as
  // their initial value.
  pm.addNestedPass<func::FuncOp>(createCloneSharedInits());
  pm.addPass(createEliminateEmptyTensors());
  pm.addNestedPass<func::FuncOp>(createOrderStep());
}

static void populateTarget(OpPassManager &pm, const CompilerOptions &options) {
  AttachTargetOptions target;
  target.device = options.target.device;
  target.triple = options.target.triple;
  target.cpu = options.target.cpu;
  target.features = options.target.features;
  target.l1Bytes = options.target.l1Bytes;
  target.l2Bytes = options.target.l2Bytes;
  target.cores = options.target.cores;
  target.backend = getBackend(options).getInfo().name.str();
  pm.addPass(createAttachTarget(target));
}

static void populateFuse(OpPassManager &pm, const CompilerOptions &options) {
  pm.addPass(createConvertAsserts());
  const Backend &backend = getBackend(options);
  if (backend.getFeatures().fusesOps)
    populateTarget(pm, options);
  populateFusion(pm, options);
  // While ops are whole.
  if (options.profile && backend.getFeatures().runsOnHost)
    pm.addNestedPass<func::FuncOp>(createCountWork());
  backend.populateTiles(pm, options);
  pm.addPass(createVerifyShapes());
}

FitWorkspaceOptions flywheel::makePlanOptions(const CompilerOptions &options) {
  FitWorkspaceOptions plan;
  plan.memoryBudget = options.memoryBudget.value_or(-1);
  plan.dimSize = options.maxDimSizes->others;
  llvm::append_range(plan.dimSizes, options.maxDimSizes->format());
  plan.boundDimSizes = options.cInterface;
  plan.workers = options.threads.get();
  plan.minWork = options.minSharedWork;
  plan.minLoopWork = std::min<int64_t>(options.minSharedWork, plan.minLoopWork);
  plan.warns = options.threads.given.has_value();
  plan.report = options.report;
  return plan;
}

void flywheel::populateWorkspacePlan(OpPassManager &pm,
                                     const FitWorkspaceOptions &plan) {
  pm.addNestedPass<func::FuncOp>(
      createDistributeStep(makeDistributeStepOptions(plan, plan.workers)));
  pm.addNestedPass<func::FuncOp>(
      createPlanWorkspace(makePlanWorkspaceOptions(plan)));
}

static void populateBufferize(OpPassManager &pm,
                              const CompilerOptions &options) {
  pm.addPass(createConvertAsserts());
  bufferization::OneShotBufferizePassOptions oneShot;
  oneShot.bufferizeFunctionBoundaries = true;
  oneShot.allowReturnAllocsFromLoops = true;
  oneShot.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  oneShot.unknownTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addNestedPass<func::FuncOp>(createNormalizeSlices());
  pm.addNestedPass<func::FuncOp>(createCloneSharedInits());
  pm.addNestedPass<func::FuncOp>(createReadInsertedSlices());
  pm.addNestedPass<func::FuncOp>(createProtectState());
  pm.addNestedPass<func::FuncOp>(createLoadElements());
  pm.addPass(bufferization::createOneShotBufferizePass(oneShot));
  pm.addPass(createOrderConstants());
  // If all branches yield the same buffer, their result becomes that buffer.
  pm.addPass(createCanonicalizer());
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createInsertStateCopies());
  pm.addNestedPass<func::FuncOp>(createVerifyInPlace());
  pm.addPass(memref::createFoldMemRefAliasOpsPass());
  pm.addPass(createCanonicalizer());
  getBackend(options).populatePlan(pm, options);
  pm.addNestedPass<func::FuncOp>(createVerifyChecksFirst());
  LowerStateOptions layout;
  layout.modelName = options.modelName.empty() ? "model" : options.modelName;
  pm.addPass(createLowerState(layout));
  pm.addPass(createCanonicalizer());
  pm.addPass(createCSEPass());
  if (options.profile && getBackend(options).getFeatures().runsOnHost)
    pm.addPass(createProfileStep());
}

static void populateLoops(OpPassManager &pm, const CompilerOptions &options) {
  getBackend(options).populateLoops(pm, options);
}

static void populateLLVM(OpPassManager &pm, const CompilerOptions &options) {
  const Backend &backend = getBackend(options);
  backend.populateCode(pm, options);
  EmitEntryPointsOptions entries;
  entries.cInterface = options.cInterface;
  entries.maxDimSize = options.maxDimSizes->others;
  llvm::append_range(entries.maxDimSizes, options.maxDimSizes->format());
  if (options.flushDenormals)
    entries.flushDenormals = getDenormalControl(options.target).str();
  entries.threads = options.threads.get();
  LowerProfileOptions profile;
  profile.counter =
      getDenormalControl(options.target) == "aarch64" ? "aarch64" : "";
  pm.addPass(createLowerProfile(profile));
  pm.addPass(createLowerWorkers());
  pm.addPass(createLowerHostCalls());
  pm.addPass(createEmitEntryPoints(entries));
  if (options.flushDenormals && !getDenormalControl(options.target).empty())
    pm.addNestedPass<func::FuncOp>(createFlushArguments());
  if (backend.getFeatures().runsOnHost)
    pm.addPass(createSplitSteps());
  pm.addPass(createCallLibm());
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createLegalizeExpandShape());
  functions.addPass(memref::createExpandStridedMetadataPass());
  functions.addPass(createLowerAffinePass());
  math::MathExtendToSupportedTypesOptions extend;
  extend.extraTypeStrs = {"f16"};
  functions.addPass(math::createMathExtendToSupportedTypes(extend));
  functions.addPass(createExpandNarrowing());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  functions.addPass(arith::createArithExpandOpsPass(expand));
  functions.addPass(createCSEPass());
  functions.addPass(createLoopInvariantCodeMotionPass());
  functions.addPass(createLowerControlFlow());
  ConvertVectorToLLVMPassOptions vectors;
  vectors.x86Vector = true;
  functions.addPass(createConvertVectorToLLVMPass(vectors));
  functions.addPass(createConvertMathToLLVMPass());
  // Ops without an LLVM intrinsic become calls of the C library. This adds
  // declarations to the module, so it is not a pass on functions.
  pm.addPass(createCallLibm({/*all=*/true}));
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createNormalizeBooleans());
  OpPassManager &lowered = pm.nest<LLVM::LLVMFuncOp>();
  lowered.addPass(createLegalizeMaskedAccess());
  lowered.addPass(createReconcileUnrealizedCastsPass());
  lowered.addPass(createCSEPass());
  ExportEntryPointsOptions exports;
  exports.cInterface = entries.cInterface;
  exports.maxDimSize = entries.maxDimSize;
  exports.maxDimSizes = entries.maxDimSizes;
  pm.addPass(createExportEntryPoints(exports));
}

ArrayRef<Stage> flywheel::getStages() {
  static const Stage stages[] = {
      {"flywheel-expand",
       "Inline calls; expand optimizers and initializers to reads and assigns",
       populateExpand},
      {"flywheel-autodiff", "Replace gradients by plain ops", populateAutodiff},
      {"flywheel-functionalize", "Turn variables into arguments and results",
       populateFunctionalize},
      {"flywheel-linalg", "Lower to linalg on tensors", populateLinalg},
      {"flywheel-fuse", "Fuse, order and tile", populateFuse},
      {"flywheel-bufferize",
       "Bufferize in place, plan the workspace, lay out the state",
       populateBufferize},
      {"flywheel-loops", "Lower structured ops to loops over vectors",
       populateLoops},
      {"flywheel-llvm", "Lower to the LLVM dialect and emit entry points",
       populateLLVM},
  };
  return stages;
}

void flywheel::populateStage(OpPassManager &pm, const Stage &stage,
                             const CompilerOptions &options,
                             ArrayRef<std::string> given) {
  stage.populate(pm, options);
  RecordStageOptions record;
  record.stage = stage.name.str();
  record.settings = formatSettings(stage, options);
  llvm::append_range(record.given, given);
  pm.addPass(createRecordStage(record));
}
