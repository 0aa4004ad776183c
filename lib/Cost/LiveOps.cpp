//===- LiveOps.cpp - Ops that the results of an entry need ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LiveOps.h"

#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace flywheel;

/// Returns the number of the result that `fetch` names.
static FailureOr<unsigned> findResult(func::FuncOp function, StringRef fetch) {
  unsigned number = 0;
  if (!fetch.getAsInteger(10, number) && number < function.getNumResults())
    return number;
  SmallVector<std::string> names;
  for (unsigned i = 0, e = function.getNumResults(); i < e; ++i) {
    auto name = function.getResultAttrOfType<StringAttr>(
        i, train::TrainDialect::getNameAttrName());
    if (name && name.getValue() == fetch)
      return i;
    names.push_back(name ? name.str() : std::to_string(i));
  }
  InFlightDiagnostic error = function.emitError()
                             << "expected the name or the number of a result "
                                "of @"
                             << function.getName() << ", found '" << fetch
                             << "'; its results are: ";
  llvm::interleaveComma(names, error);
  if (names.empty())
    error << "none";
  return error;
}

void LiveOps::add(Value value) {
  if (Operation *op = value.getDefiningOp())
    if (ops.insert(op).second)
      worklist.push_back(op);
}

/// Adds the ops on which the ops depend, and all ops in the regions of one.
void LiveOps::close() {
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    op->walk([&](Operation *inner) {
      ops.insert(inner);
      llvm::for_each(inner->getOperands(), [&](Value value) { add(value); });
    });
  }
}

FailureOr<LiveOps> LiveOps::find(func::FuncOp function,
                                 ArrayRef<std::string> fetches, bool all) {
  LiveOps live;
  live.isAll = all;
  Operation *terminator = function.getBody().front().getTerminator();
  for (const std::string &fetch : fetches) {
    FailureOr<unsigned> number = findResult(function, fetch);
    if (failed(number))
      return failure();
    live.add(terminator->getOperand(*number));
  }
  if (fetches.empty())
    for (Operation &op : function.getBody().front())
      if (!wouldOpBeTriviallyDead(&op) && live.ops.insert(&op).second)
        live.worklist.push_back(&op);
  live.close();
  return live;
}
