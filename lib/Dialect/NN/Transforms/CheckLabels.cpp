//===- CheckLabels.cpp - Labels of losses that nobody reads ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: gradients are plain ops. After: for each `nn` loss of class labels
// that is dead, a check that they are classes. The lowering of a loss makes
// this check, and a dead loss is erased before; its gradient alone would take a
// label out of range for a row without a class. Refuses nothing.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/NN/LabelChecks.h"
#include "flywheel/Dialect/NN/NNPasses.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace flywheel::nn {
#define GEN_PASS_DEF_NNCHECKLABELS
#include "flywheel/Dialect/NN/NNPasses.h.inc"

namespace {
/// Finds values that nothing with an effect depends on.
class DeadValues {
public:
  /// Returns true if canonicalization will erase all users of `value`.
  bool isDead(Value value) {
    // A loop may pass a value on to itself.
    if (!visited.insert(value).second)
      return true;
    return llvm::all_of(value.getUses(),
                        [&](OpOperand &use) { return isDeadUse(use); });
  }

private:
  bool isDeadUse(OpOperand &use) {
    Operation *user = use.getOwner();
    if (user->hasTrait<OpTrait::IsTerminator>()) {
      Operation *parent = user->getParentOp();
      unsigned number = use.getOperandNumber();
      if (auto loop = dyn_cast<scf::ForOp>(parent))
        return isDead(loop.getResult(number)) &&
               isDead(loop.getRegionIterArg(number));
      return isa<scf::IfOp>(parent) && isDead(parent->getResult(number));
    }
    if (auto loop = dyn_cast<scf::ForOp>(user)) {
      BlockArgument carried = loop.getTiedLoopRegionIterArg(&use);
      return carried && isDead(carried) && isDead(loop.getTiedLoopResult(&use));
    }
    return isMemoryEffectFree(user) &&
           llvm::all_of(user->getResults(),
                        [&](Value result) { return isDead(result); });
  }

  DenseSet<Value> visited;
};

struct NNCheckLabels : impl::NNCheckLabelsBase<NNCheckLabels> {
  void runOnOperation() override {
    SmallVector<SparseSoftmaxCrossEntropyOp> losses;
    getOperation()->walk([&](SparseSoftmaxCrossEntropyOp loss) {
      if (DeadValues().isDead(loss.getResult()))
        losses.push_back(loss);
    });
    IRRewriter rewriter(&getContext());
    for (SparseSoftmaxCrossEntropyOp loss : losses) {
      LinalgEmitter e(rewriter, loss);
      expectLabels(e, loss);
    }
    numChecked += losses.size();
  }
};
} // namespace

} // namespace flywheel::nn
