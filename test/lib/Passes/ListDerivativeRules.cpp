//===- ListDerivativeRules.cpp - Print every op that has a rule -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before and after: any module. Prints the registry of derivative rules, so
// that a test can see that each rule has a numeric check. Refuses nothing.
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"

#include "flywheel/Autodiff/DerivativeRules.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace flywheel {
namespace {
struct TestListDerivativeRules
    : PassWrapper<TestListDerivativeRules, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestListDerivativeRules)

  StringRef getArgument() const final { return "test-list-derivative-rules"; }
  StringRef getDescription() const final {
    return "Print the name of every op that has a derivative";
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, linalg::LinalgDialect,
                    math::MathDialect, nn::NNDialect, scf::SCFDialect,
                    tensor::TensorDialect, train::TrainDialect>();
  }

  void runOnOperation() override {
    for (OperationName name : getDerivativeRules(getContext()))
      llvm::outs() << name << '\n';
    markAllAnalysesPreserved();
  }
};
} // namespace

void test::registerListDerivativeRules() {
  PassRegistration<TestListDerivativeRules>();
}
} // namespace flywheel
