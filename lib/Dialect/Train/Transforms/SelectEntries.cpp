//===- SelectEntries.cpp - Keep some entries and what they need -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Dialect/Train/TrainPasses.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace flywheel::train {
#define GEN_PASS_DEF_SELECTENTRIES
#include "flywheel/Dialect/Train/TrainPasses.h.inc"

/// Returns true for a public function with a body, which a caller can run.
static bool isEntry(func::FuncOp function) {
  return function.isPublic() && !function.isExternal();
}

/// Appends the top-level symbols that `op` and the ops inside of it refer to.
static void collectSymbols(Operation *op, ModuleOp module,
                           SmallVectorImpl<Operation *> &symbols) {
  op->walk([&](Operation *nested) {
    nested->getAttrDictionary().walk([&](SymbolRefAttr symbol) {
      if (Operation *found = module.lookupSymbol(symbol.getRootReference()))
        symbols.push_back(found);
    });
  });
}

namespace {
struct SelectEntries : impl::SelectEntriesBase<SelectEntries> {
  using SelectEntriesBase::SelectEntriesBase;

  void runOnOperation() override {
    if (entries.empty())
      return;
    if (failed(verifyEntries()))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isEntry(function) &&
          !llvm::is_contained(entries, function.getSymName()))
        function.setPrivate();
    removeUnreachable();
  }

private:
  LogicalResult verifyEntries();
  void removeUnreachable();
};
} // namespace

LogicalResult SelectEntries::verifyEntries() {
  for (const std::string &name : entries) {
    auto function = getOperation().lookupSymbol<func::FuncOp>(name);
    if (function && isEntry(function))
      continue;
    SmallVector<StringRef> names;
    for (auto entry : getOperation().getOps<func::FuncOp>())
      if (isEntry(entry))
        names.push_back(entry.getSymName());
    return getOperation().emitError()
           << "expected entries of the module, found '" << name
           << "'; its entries are: " << llvm::join(names, ", ");
  }
  return success();
}

void SelectEntries::removeUnreachable() {
  llvm::SmallPtrSet<Operation *, 16> reachable;
  SmallVector<Operation *> worklist;
  for (Operation &op : *getOperation().getBody()) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (function ? isEntry(function) : !isa<VariableOp>(op))
      worklist.push_back(&op);
  }
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (reachable.insert(op).second)
      collectSymbols(op, getOperation(), worklist);
  }
  for (Operation &op : llvm::make_early_inc_range(*getOperation().getBody())) {
    if (reachable.contains(&op))
      continue;
    if (isa<VariableOp>(op))
      ++numVariables;
    op.erase();
  }
}
} // namespace flywheel::train
