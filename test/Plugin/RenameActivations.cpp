//===- RenameActivations.cpp - A pass plugin ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds ops and attributes of ours, makes some, and calls a library function:
// all of them symbols that flywheel-opt must have, also where it does not need
// them itself.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"
#include "flywheel/Dialect/Train/Train.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"

using namespace mlir;
using namespace flywheel;

namespace {
/// `nn.relu` becomes half of `nn.softplus`, and variables that are not to be
/// trained are reported.
struct RenameActivations
    : PassWrapper<RenameActivations, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RenameActivations)

  StringRef getArgument() const final { return "test-rename-activations"; }
  StringRef getDescription() const final { return "A pass of a plugin"; }

  void runOnOperation() override {
    getOperation()->walk([](train::VariableOp variable) {
      if (!variable.getTrainable().value_or(true))
        variable.emitRemark() << "not trained";
    });
    getOperation()->walk([](nn::ReluOp relu) {
      OpBuilder b(relu);
      Value smooth = nn::SoftplusOp::create(
          b, relu.getLoc(), relu.getResult().getType(), relu.getX());
      Value half = nn::buildSplat(b, relu.getLoc(), smooth, 0.5);
      relu.getResult().replaceAllUsesWith(nn::MulOp::create(
          b, relu.getLoc(), relu.getResult().getType(), smooth, half));
      relu.erase();
    });
    getOperation()->walk([](linalg_ext::GatherOp gather) {
      gather.emitRemark() << "already lowered";
    });
  }
};
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "FlywheelTestPlugin", LLVM_VERSION_STRING,
          [] { PassRegistration<RenameActivations>(); }};
}
