//===- flywheel-opt.cpp - Run passes on .mlir files -----------------------===//
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
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::registerAllPasses();
  flywheel::registerAutodiffPasses();
  flywheel::registerChecksPasses();
  flywheel::registerCodegenPasses();
  flywheel::registerConversionPasses();
  flywheel::registerTargetPasses();
  flywheel::nn::registerNNPasses();
  flywheel::train::registerTrainPasses();
  flywheel::registerStagePipelines();
  mlir::DialectRegistry registry;
  flywheel::registerAllFlywheelDialects(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Flywheel's pass driver\n", registry));
}
