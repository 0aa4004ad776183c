//===- ExpandCustomVjps.cpp - Calls of functions with a rule --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: functions with `train.vjp`, and calls of them. After: in place of
// each call a `train.custom_vjp` with the bodies of the function and its rule;
// the attribute is gone. Refuses a function without a body, of several blocks
// or that is recursive; see TrainPasses.td.
//
//===----------------------------------------------------------------------===//

#include "LossHistory.h"

#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Dialect/Train/TrainPasses.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace flywheel::train {
#define GEN_PASS_DEF_TRAINEXPANDCUSTOMVJPS
#include "flywheel/Dialect/Train/TrainPasses.h.inc"

/// Copies the body of `function`, with its calls inlined, to `region`: the
/// inliner does not reach every call there.
static void copyBody(func::FuncOp function, Region &region) {
  IRMapping mapping;
  function.getBody().cloneInto(&region, mapping);
  Operation *end = region.front().getTerminator();
  OpBuilder builder(end);
  VjpYieldOp::create(builder, end->getLoc(), end->getOperands());
  end->erase();
  inlineCalls(region);
}

/// Checks that the body of `function` can take the place of `call`.
static LogicalResult checkCopyable(func::CallOp call, func::FuncOp function) {
  if (!function.isExternal() && function.getBody().hasOneBlock() &&
      !function->isAncestor(call))
    return success();
  InFlightDiagnostic error =
      call.emitOpError() << "expected a function of one block that does not "
                            "call itself, as it has or is a derivative rule, "
                            "found @"
                         << function.getName();
  error.attachNote(function.getLoc()) << "the function is defined here";
  return error;
}

static LogicalResult expandCall(func::CallOp call, func::FuncOp callee,
                                func::FuncOp rule) {
  if (failed(checkCopyable(call, callee)) || failed(checkCopyable(call, rule)))
    return failure();
  OpBuilder builder(call);
  auto custom = CustomVjpOp::create(builder, call.getLoc(),
                                    call.getResultTypes(), call.getOperands());
  copyBody(callee, custom.getBody());
  copyBody(rule, custom.getVjp());
  call->replaceAllUsesWith(custom);
  call->erase();
  return success();
}

namespace {
struct TrainExpandCustomVjps
    : impl::TrainExpandCustomVjpsBase<TrainExpandCustomVjps> {
  void runOnOperation() override {
    StringRef name = TrainDialect::getVjpAttrName();
    // Callees first, so that a copied body has been expanded.
    for (func::FuncOp function : getFunctionsBottomUp(getOperation())) {
      SmallVector<func::CallOp> calls;
      function.walk([&](func::CallOp call) { calls.push_back(call); });
      for (func::CallOp call : calls) {
        auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
            call, call.getCalleeAttr());
        auto rule = callee ? callee->getAttrOfType<FlatSymbolRefAttr>(name)
                           : FlatSymbolRefAttr();
        if (!rule)
          continue;
        if (failed(
                expandCall(call, callee,
                           SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
                               callee, rule))))
          return signalPassFailure();
        ++numCalls;
      }
    }
    // The signatures of functions are about to change.
    getOperation()->walk(
        [&](func::FuncOp function) { function->removeAttr(name); });
  }
};
} // namespace
} // namespace flywheel::train
