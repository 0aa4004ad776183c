//===- flywheel-lsp-server.cpp - Editor support for .mlir files -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/Compiler.h"
#include "flywheel/Driver/LargeStack.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  flywheel::registerAllFlywheelDialects(registry);
  bool hasFailed = true;
  bool hasMemory = flywheel::runOnLargeStack([&] {
    hasFailed = mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
  });
  return hasFailed || !hasMemory;
}
