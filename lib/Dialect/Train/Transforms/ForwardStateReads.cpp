//===- ForwardStateReads.cpp - One read for each value that a variable takes
//-----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: a function may read a variable any number of times. After: if the
// function asks for derivatives, two reads of a variable with no assignment
// between them are one value. So the derivative with respect to one read is the
// derivative with respect to the variable.
//
//===----------------------------------------------------------------------===//

#include "PromoteStateToIterArgs.h"
#include "VariableAccess.h"

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/Train/TrainPasses.h"
#include "flywheel/Interfaces/Effects.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace flywheel::train {
#define GEN_PASS_DEF_TRAINFORWARDSTATEREADS
#include "flywheel/Dialect/Train/TrainPasses.h.inc"

namespace {
/// Unifies the reads of one function.
class ReadUnifier {
public:
  /// The available read of each variable.
  using Reads = llvm::SmallMapVector<Attribute, ReadOp, 8>;

  explicit ReadUnifier(llvm::SetVector<Attribute> targets)
      : targets(std::move(targets)) {}

  /// `reads` are the available reads before `block`; then those at its end.
  void run(Block &block, Reads &reads);

private:
  void runOnRegions(Operation *op, Reads &reads);
  void hoist(Operation *op, const llvm::SetVector<Attribute> &assigned,
             Reads &reads);

  /// The variables that something is differentiated with respect to.
  llvm::SetVector<Attribute> targets;
};
} // namespace

/// Returns true if `op` may assign variables that it does not name.
static bool assignsUnknown(Operation *op) {
  // A check writes no variable, though it may end the step.
  if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
      getAccessedVariable(op) || isa<IsInitializedOp, linalg_ext::CheckOp>(op))
    return false;
  return !isRecomputable(op);
}

/// Reads the targets that the regions of `op` read, but do not assign, before
/// `op`, so that there is one value to differentiate with respect to.
void ReadUnifier::hoist(Operation *op,
                        const llvm::SetVector<Attribute> &assigned,
                        Reads &reads) {
  op->walk([&](ReadOp read) {
    Attribute variable = read.getVariableAttr();
    if (reads.contains(variable) || assigned.contains(variable) ||
        !targets.contains(variable))
      return;
    OpBuilder builder(op);
    reads[variable] = cast<ReadOp>(builder.clone(*read));
  });
}

void ReadUnifier::runOnRegions(Operation *op, Reads &reads) {
  bool isIsolated = op->hasTrait<OpTrait::IsIsolatedFromAbove>();
  llvm::SetVector<Attribute> assigned;
  bool isUnknown = false;
  op->walk([&](Operation *nested) {
    if (FlatSymbolRefAttr variable = getAssignedVariable(nested))
      assigned.insert(variable);
    isUnknown |= assignsUnknown(nested);
  });
  if (isUnknown)
    reads.clear();
  else if (!isIsolated)
    hoist(op, assigned, reads);
  // A branch starts with the reads before it; a loop may also start with values
  // that its body has assigned.
  Reads first = reads;
  reads.remove_if(
      [&](const auto &entry) { return assigned.contains(entry.first); });
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      Reads inside = isIsolated ? Reads() : isa<scf::IfOp>(op) ? first : reads;
      run(block, inside);
    }
}

/// Returns true if one op asks for derivatives with respect to both `a` and
/// `b`. It may add these up, so that each read must keep its own share.
static bool areTargetsOfOne(ReadOp a, ReadOp b) {
  return llvm::any_of(a->getUsers(), [&](Operation *user) {
    return asksForDerivatives(user) && llvm::is_contained(b->getUsers(), user);
  });
}

void ReadUnifier::run(Block &block, Reads &reads) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto read = dyn_cast<ReadOp>(op)) {
      ReadOp &known = reads[read.getVariableAttr()];
      if (known && !areTargetsOfOne(known, read)) {
        read.replaceAllUsesWith(known.getResult());
        read.erase();
      } else {
        known = read;
      }
    } else if (op.getNumRegions()) {
      runOnRegions(&op, reads);
    } else if (FlatSymbolRefAttr variable = getAssignedVariable(&op)) {
      reads.erase(variable);
    } else if (assignsUnknown(&op)) {
      reads.clear();
    }
  }
}

namespace {
struct TrainForwardStateReads
    : impl::TrainForwardStateReadsBase<TrainForwardStateReads> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    llvm::SetVector<Attribute> targets = findTargetVariables(function);
    if (targets.empty() || function.isExternal() ||
        !function.getBody().hasOneBlock())
      return;
    ReadUnifier::Reads reads;
    ReadUnifier(targets).run(function.getBody().front(), reads);
  }
};
} // namespace
} // namespace flywheel::train
