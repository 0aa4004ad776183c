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
