//===- VerifyHostCalls.cpp - Each call of the host once -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Transforms/Checks/ChecksPasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_VERIFYHOSTCALLS
#include "flywheel/Transforms/Checks/ChecksPasses.h.inc"

namespace {
struct VerifyHostCalls : impl::VerifyHostCallsBase<VerifyHostCalls> {
  void runOnOperation() override {
    llvm::SmallDenseSet<int64_t> seen;
    getOperation().walk([&](linalg_ext::HostCallOp call) {
      if (seen.insert(call.getNumber()).second)
        return;
      call.emitOpError()
          << "of kind '" << call.getKind()
          << "' would run twice in each iteration: the derivative of the loop "
             "computes its iterations again and needs what the function "
             "returns; call it in front of the loop, or without a derivative "
             "of the loop";
      signalPassFailure();
    });
  }
};
} // namespace
} // namespace flywheel
