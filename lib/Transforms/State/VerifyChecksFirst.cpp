//===- VerifyChecksFirst.cpp - Prove that checks precede writes -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: a bufferized step, in its final order and places. After: it is proven
// that no op writes a variable before the last check, so that a call that fails
// has changed nothing. Refuses a check that follows such a write.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Analysis/BufferAccesses.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/Train/FunctionArgument.h"
#include "flywheel/Transforms/State/StatePasses.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_VERIFYCHECKSFIRST
#include "flywheel/Transforms/State/StatePasses.h.inc"
} // namespace flywheel

using namespace flywheel;
using flywheel::linalg_ext::CheckOp;
using flywheel::train::FunctionArgument;

namespace {
/// An op that writes a variable.
struct StateWrite {
  Operation *op = nullptr;
  Attribute variable;
};

struct VerifyChecksFirst
    : flywheel::impl::VerifyChecksFirstBase<VerifyChecksFirst> {
  void runOnOperation() override;

private:
  /// Returns the variables that `buffer` may be a part of, or null.
  Attribute getVariable(Value buffer);
  /// Returns the first write of a variable by `op` and the ops inside of it.
  StateWrite findWrite(Operation *op);
};
} // namespace

Attribute VerifyChecksFirst::getVariable(Value buffer) {
  for (Value root : findRoots(buffer).roots)
    if (std::optional<FunctionArgument> argument = FunctionArgument::get(root))
      if (Attribute variable = argument->getStorage())
        return variable;
  return {};
}

StateWrite VerifyChecksFirst::findWrite(Operation *op) {
  for (const BufferAccess &access : getAccessesWithin(op))
    if (access.isWritten && access.buffer)
      if (Attribute variable = getVariable(access.buffer))
        return {access.op, variable};
  return {};
}

void VerifyChecksFirst::runOnOperation() {
  if (getOperation().isExternal())
    return;
  StateWrite write;
  for (Operation &op : getOperation().getBody().front()) {
    if (!write.op) {
      write = findWrite(&op);
      continue;
    }
    WalkResult checks = op.walk([&](CheckOp check) {
      InFlightDiagnostic error =
          check.emitOpError()
          << "expected before every write of a variable, found one of "
          << write.variable << " before it";
      error.attachNote(write.op->getLoc()) << "the write";
      return WalkResult::interrupt();
    });
    if (checks.wasInterrupted())
      return signalPassFailure();
  }
}
