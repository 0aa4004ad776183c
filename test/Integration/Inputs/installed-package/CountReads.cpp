// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pass of another project over Flywheel's ops, in an opt tool of its own.

#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Driver/Compiler.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/ADT/MapVector.h"

namespace {
struct CountReads
    : mlir::PassWrapper<CountReads, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CountReads)
  llvm::StringRef getArgument() const final { return "example-count-reads"; }
  llvm::StringRef getDescription() const final { return "Count reads"; }
  void runOnOperation() final {
    llvm::MapVector<mlir::Attribute, int> reads;
    getOperation().walk(
        [&](flywheel::train::ReadOp read) { ++reads[read.getVariableAttr()]; });
    for (auto [variable, count] : reads)
      getOperation().emitRemark() << count << " reads of '" << variable << "'";
  }
};
} // namespace

int main(int argc, char **argv) {
  mlir::PassRegistration<CountReads>();
  mlir::DialectRegistry registry;
  flywheel::registerAllFlywheelDialects(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "An opt tool\n", registry));
}
