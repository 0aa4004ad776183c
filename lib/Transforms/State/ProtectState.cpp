//===- ProtectState.cpp - Order of checks and writes of storages ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Transforms/State/StatePasses.h"
#include "flywheel/Transforms/State/StateVersions.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_PROTECTSTATE
#include "flywheel/Transforms/State/StatePasses.h.inc"
} // namespace flywheel

using namespace flywheel;

/// Refuses globals that are not tensors, on which upstream's bufferization
/// crashes.
static LogicalResult verifyGlobals(func::FuncOp function) {
  WalkResult globals =
      function.walk(
          [&](Operation *op) {
            if (op->getName().getDialectNamespace() != "ml_program")
              return WalkResult::advance();
            op->emitOpError()
                << "expected variables, which train-convert-globals makes "
                   "of globals";
            return WalkResult::interrupt();
          });
  return failure(globals.wasInterrupted());
}

namespace {
struct ProtectState : flywheel::impl::ProtectStateBase<ProtectState> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    if (failed(verifyChecks(function)) || failed(verifyGlobals(function)))
      return signalPassFailure();
    Block &entry = function.getBody().front();
    auto ret = dyn_cast<func::ReturnOp>(entry.getTerminator());
    SmallVector<Value> storages;
    forEachStorage(function, [&](BlockArgument storage, Value) {
      storages.push_back(storage);
    });
    if (!ret || storages.empty() || storages.size() != ret.getNumOperands())
      return;
    OpBuilder b(&getContext());
    for (Operation &op : llvm::reverse(entry))
      if (isa<linalg_ext::CheckOp>(op)) {
        b.setInsertionPointAfter(&op);
        linalg_ext::ProtectOp::create(b, op.getLoc(), storages);
        break;
      }
    // Bufferization compares each returned value with its storage.
    b.setInsertionPoint(ret);
    linalg_ext::CommitOp::create(b, ret.getLoc(), ret.getOperands(), storages);
    ret->setOperands({});
    function.setFunctionType(
        b.getFunctionType(function.getArgumentTypes(), {}));
  }
};
} // namespace
