//===- SplitReductions.cpp - Blocks of long reductions --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParallelLoop.h"
#include "SplitOps.h"

#include "flywheel/Transforms/Partition/PartitionPasses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace flywheel {
#define GEN_PASS_DEF_SPLITREDUCTIONS
#include "flywheel/Transforms/Partition/PartitionPasses.h.inc"
} // namespace flywheel

using namespace mlir;
using namespace flywheel;

namespace {
struct SplitReductions : flywheel::impl::SplitReductionsBase<SplitReductions> {
  using SplitReductionsBase::SplitReductionsBase;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> reductions;
    collectReductions(getOperation(), reductions);
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp reduction : reductions)
      splitReduction(rewriter, reduction);
    numSplit += reductions.size();
  }

private:
  /// Collects the reductions in `op` to split. A loop with independent
  /// iterations is shared as a whole, so reductions in it stay whole. One
  /// worker is the fewest for this proof: the choice is that of any number.
  void collectReductions(Operation *op,
                         SmallVectorImpl<linalg::LinalgOp> &reductions) {
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        Operation *tail = nullptr;
        for (Operation &nested : block) {
          if (&nested == tail)
            continue;
          if (auto reduction = dyn_cast<linalg::LinalgOp>(nested)) {
            if (estimateWork(&nested, kAssumedTrips) >= minWork &&
                canSplitReduction(reduction))
              reductions.push_back(reduction);
            continue;
          }
          if (auto loop = dyn_cast<scf::ForOp>(nested))
            if (proveParallel(loop, /*tail=*/{}, /*workers=*/1)) {
              tail = findTail(loop);
              continue;
            }
          collectReductions(&nested, reductions);
        }
      }
  }
};
} // namespace
