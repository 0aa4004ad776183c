//===- Plugin.cpp - Passes for tests, as a plugin -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"

#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "FlywheelTestPasses", LLVM_VERSION_STRING,
          [] {
            flywheel::test::registerListDerivativeRules();
            flywheel::test::registerListOpSupport();
          }};
}
