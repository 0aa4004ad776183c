//===- ListOpSupport.cpp - Print every op and what is refused -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before and after: any module. Prints the ops of the dialects that
// docs/OpSupport.md is about, so that a test can see that each is in there.
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"

#include "flywheel/Conversion/OpSupport.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace flywheel {
namespace {
struct TestListOpSupport : PassWrapper<TestListOpSupport, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestListOpSupport)

  StringRef getArgument() const final { return "test-list-op-support"; }
  StringRef getDescription() const final {
    return "Print every op of the upstream dialects and why it is refused";
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    registry
        .insert<arith::ArithDialect, linalg::LinalgDialect, math::MathDialect,
                tensor::TensorDialect, tosa::TosaDialect>();
  }

  void runOnOperation() override {
    for (RegisteredOperationName name : getContext().getRegisteredOperations())
      if (llvm::is_contained({"arith", "linalg", "math", "tensor", "tosa"},
                             name.getDialectNamespace()))
        llvm::outs() << name << '\t' << getUnsupportedReason(name) << '\n';
    markAllAnalysesPreserved();
  }
};
} // namespace

void test::registerListOpSupport() { PassRegistration<TestListOpSupport>(); }
} // namespace flywheel
