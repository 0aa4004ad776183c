//===- flywheel-opt.cpp - Run passes on .mlir files -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Autodiff/AutodiffPasses.h"
#include "flywheel/Autodiff/DerivativeRules.h"
#include "flywheel/Codegen/CodegenPasses.h"
#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Dialect/Train/TrainPasses.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::registerAllPasses();
  flywheel::registerAutodiffPasses();
  flywheel::registerCodegenPasses();
  flywheel::train::registerTrainPasses();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<flywheel::nn::NNDialect, flywheel::train::TrainDialect>();
  flywheel::registerDerivativeRules(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Flywheel's pass driver\n", registry));
}
