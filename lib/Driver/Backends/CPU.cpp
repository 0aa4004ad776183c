//===- CPU.cpp - Fused and vectorized loops of the host -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backends.h"
#include "flywheel/Codegen/CPU/CPUPasses.h"
#include "flywheel/Codegen/Common/CodegenCommonPasses.h"
#include "flywheel/Conversion/ConversionPasses.h"
#include "flywheel/Dialect/Train/TrainPasses.h"
#include "flywheel/Driver/HostBackend.h"
#include "flywheel/Driver/Pipelines.h"
#include "flywheel/Transforms/Bufferization/BufferizationPasses.h"
#include "flywheel/Transforms/Fusion/FusionPasses.h"
#include "flywheel/Transforms/State/StatePasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace flywheel;

static BackendFeatures getCPUFeatures() {
  BackendFeatures features = HostBackend::getHostFeatures();
  features.fusesOps = true;
  features.tilesForCaches = true;
  features.hasWinograd = true;
  return features;
}

namespace {
class CPU : public HostBackend {
public:
  CPU()
      : HostBackend({"cpu", Lowering::Optimized, /*devices=*/"cpu",
                     /*exampleDevice=*/"cpu", getCPUFeatures()}) {}

  void populateFusion(OpPassManager &pm,
                      const CompilerOptions &options) const override;
  void populateTiles(OpPassManager &pm,
                     const CompilerOptions &options) const override;
  void populateLoops(OpPassManager &pm,
                     const CompilerOptions &options) const override;
};
} // namespace

void CPU::populateFusion(OpPassManager &pm,
                         const CompilerOptions &options) const {
  FuseElementwiseOptions fuse;
  fuse.keepRows = false;
  pm.addNestedPass<func::FuncOp>(createFuseElementwise(fuse));
  FoldConversionsOptions conversions;
  conversions.widenings = true;
  pm.addNestedPass<func::FuncOp>(createFoldConversions(conversions));
  pm.addNestedPass<func::FuncOp>(createHoistScalars());
  pm.addNestedPass<func::FuncOp>(createWidenI1Tensors());
  pm.addPass(createCanonicalizer());
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createRematerializeActivations());
  pm.addNestedPass<func::FuncOp>(createFuseEpilogues());
  // Ops in the same loops have subexpressions in common.
  pm.addPass(createCSEPass());
}

void CPU::populateTiles(OpPassManager &pm,
                        const CompilerOptions &options) const {
  if (options.report)
    pm.addNestedPass<func::FuncOp>(createCountContractions());
  if (options.winograd) {
    ConvertConvToWinogradOptions winograd;
    winograd.report = options.report;
    pm.addNestedPass<func::FuncOp>(createConvertConvToWinograd(winograd));
  }
  // With a budget, memory is worth more than time.
  TileBatchesOptions batches;
  if (options.memoryBudget)
    batches.minBytes = 0;
  pm.addNestedPass<func::FuncOp>(createTileBatches(batches));
  pm.addNestedPass<func::FuncOp>(createChooseSchedules());
  TileAndFuseOptions tiles;
  tiles.workers = options.threads.get();
  pm.addNestedPass<func::FuncOp>(createTileAndFuse(tiles));
  pm.addNestedPass<func::FuncOp>(createForallToFor());
  pm.addPass(createCanonicalizer());
  pm.addNestedPass<func::FuncOp>(createCSEGroups());
  // These may have moved updates of variables before their reads.
  OrderStepOptions again;
  again.ifDisordered = true;
  pm.addNestedPass<func::FuncOp>(createOrderStep(again));
}

void CPU::populateLoops(OpPassManager &pm,
                        const CompilerOptions &options) const {
  pm.addNestedPass<func::FuncOp>(createLowerCopies());
  pm.addNestedPass<func::FuncOp>(createLowerLinalgExt());
  pm.addNestedPass<func::FuncOp>(createDropUnitDims());
  pm.addNestedPass<func::FuncOp>(createCollapseCopies());
  pm.addPass(createOutlineKernels());
  pm.addPass(func::createDuplicateFunctionEliminationPass());
  pm.addPass(train::createTrainExpandDraws());
  pm.addNestedPass<func::FuncOp>(createChooseSchedules());
  if (options.report)
    pm.addPass(createReportContractions());
  pm.addNestedPass<func::FuncOp>(createVectorizeKernels());
  pm.addNestedPass<func::FuncOp>(createLegalizeConversions());
  pm.addNestedPass<func::FuncOp>(createExpandMath());
  pm.addNestedPass<func::FuncOp>(createCanonicalizer());
  pm.addNestedPass<func::FuncOp>(createCSEPass());
}

std::unique_ptr<Backend> flywheel::createCPUBackend() {
  return std::make_unique<CPU>();
}
