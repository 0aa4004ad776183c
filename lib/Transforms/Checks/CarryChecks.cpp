//===- CarryChecks.cpp - The flywheel-carry-checks pass -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: `linalg_ext.check` anywhere. After: a check that is marked `safe`
// is at the top level of the function, behind the branches and loops that it
// was in; these yield its condition. Refuses nothing: a check inside of an op
// that cannot yield it stays there.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Transforms/Checks/ChecksPasses.h"

#include "flywheel/Dialect/LinalgExt/Checks.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_CARRYCHECKS
#include "flywheel/Transforms/Checks/ChecksPasses.h.inc"
} // namespace flywheel

using flywheel::linalg_ext::CheckOp;

namespace {
struct CarryChecks : flywheel::impl::CarryChecksBase<CarryChecks> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<CheckOp> checks;
    getOperation().walk([&](CheckOp check) {
      if (check.getSafe())
        checks.push_back(check);
    });
    // Each comes right behind the op it was in: the last ones first, so that
    // they keep their order.
    for (CheckOp check : llvm::reverse(checks))
      while (check && check->getParentOp() != getOperation())
        if ((check = flywheel::linalg_ext::carryOut(rewriter, check)))
          ++numCarried;
  }
};
} // namespace
