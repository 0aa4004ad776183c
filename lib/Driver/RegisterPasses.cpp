//===- RegisterPasses.cpp - Every pass by its name ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Autodiff/AutodiffPasses.h"
#include "flywheel/Codegen/CodegenPasses.h"
#include "flywheel/Conversion/ConversionPasses.h"
#include "flywheel/Dialect/NN/NNPasses.h"
#include "flywheel/Dialect/Train/TrainPasses.h"
#include "flywheel/Driver/Compiler.h"
#include "flywheel/Target/TargetPasses.h"
#include "flywheel/Transforms/Checks/ChecksPasses.h"

#include "mlir/InitAllPasses.h"

void flywheel::registerAllFlywheelPasses() {
  mlir::registerAllPasses();
  registerAutodiffPasses();
  registerChecksPasses();
  registerCodegenPasses();
  registerConversionPasses();
  registerTargetPasses();
  nn::registerNNPasses();
  train::registerTrainPasses();
  registerStagePipelines();
}
