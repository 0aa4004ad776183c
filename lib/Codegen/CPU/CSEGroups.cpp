//===- CSEGroups.cpp - Common subexpressions of each group ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: groups as loops on tensors, after MLIR's canonicalization. After: no
// two ops inside of a loop of the function are equal.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/CPU/CPUPasses.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_CSEGROUPS
#include "flywheel/Codegen/CPU/CPUPasses.h.inc"
} // namespace flywheel

namespace {
struct CSEGroups : flywheel::impl::CSEGroupsBase<CSEGroups> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(getOperation());
    for (Block &block : getOperation().getBody())
      for (Operation &op : block)
        if (op.getNumRegions() != 0)
          eliminateCommonSubExpressions(rewriter, dominance, &op);
  }
};
} // namespace
