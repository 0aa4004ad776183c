//===- Reference.cpp - Plain loops of the host ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backends.h"
#include "flywheel/Codegen/Common/CodegenCommonPasses.h"
#include "flywheel/Conversion/ConversionPasses.h"
#include "flywheel/Dialect/Train/TrainPasses.h"
#include "flywheel/Driver/HostBackend.h"
#include "flywheel/Driver/Pipelines.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace flywheel;

namespace {
class Reference : public HostBackend {
public:
  Reference()
      : HostBackend({"reference", Lowering::Reference, /*devices=*/"cpu",
                     /*exampleDevice=*/"cpu", getHostFeatures()}) {}

  void populateLoops(OpPassManager &pm,
                     const CompilerOptions &options) const override;
};
} // namespace

void Reference::populateLoops(OpPassManager &pm,
                              const CompilerOptions &options) const {
  pm.addNestedPass<func::FuncOp>(createLowerCopies());
  pm.addNestedPass<func::FuncOp>(createLowerLinalgExt());
  pm.addPass(train::createTrainExpandDraws());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  pm.addNestedPass<func::FuncOp>(createLegalizeConversions());
  pm.addNestedPass<func::FuncOp>(createCanonicalizer());
  pm.addNestedPass<func::FuncOp>(createCSEPass());
}

std::unique_ptr<Backend> flywheel::createReferenceBackend() {
  return std::make_unique<Reference>();
}
