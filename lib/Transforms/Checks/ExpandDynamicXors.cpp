//===- ExpandDynamicXors.cpp - No xor of tensors of dynamic size ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: any function. After: an `arith.xori` of tensors with a dynamic size
// is the difference of `arith.ori` and `arith.andi`. Upstream folds x ^ x to a
// constant of the type of x (`arith::XOrIOp::fold`), which no constant can
// have; it folds none of the others to a constant.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Transforms/Checks/ChecksPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_EXPANDDYNAMICXORS
#include "flywheel/Transforms/Checks/ChecksPasses.h.inc"
} // namespace flywheel

namespace {
struct ExpandDynamicXors
    : flywheel::impl::ExpandDynamicXorsBase<ExpandDynamicXors> {
  void runOnOperation() override {
    getOperation().walk([](arith::XOrIOp op) {
      auto type = dyn_cast<ShapedType>(op.getType());
      if (!type || type.hasStaticShape())
        return;
      OpBuilder b(op);
      // Bits that one of both has, without those that both have: no borrow.
      Value either =
          arith::OrIOp::create(b, op.getLoc(), op.getLhs(), op.getRhs());
      Value both =
          arith::AndIOp::create(b, op.getLoc(), op.getLhs(), op.getRhs());
      Value result = arith::SubIOp::create(b, op.getLoc(), either, both);
      op.replaceAllUsesWith(result);
      op.erase();
    });
  }
};
} // namespace
