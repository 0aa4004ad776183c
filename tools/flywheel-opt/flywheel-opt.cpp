//===- flywheel-opt.cpp - Run passes on .mlir files -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/Compiler.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  flywheel::registerAllFlywheelPasses();
  mlir::DialectRegistry registry;
  flywheel::registerAllFlywheelDialects(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Flywheel's pass driver\n", registry));
}
