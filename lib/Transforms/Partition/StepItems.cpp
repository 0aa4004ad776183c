//===- StepItems.cpp - Execution of the ops of a step ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepItems.h"

#include "SplitOps.h"

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace flywheel;

bool StepReader::isWorthSharing(Operation *op) {
  return estimateWork(op, kAssumedTrips) >= minLoopWork;
}

bool StepReader::isToBeSplit(Operation *op) {
  return isWorthSharing(op) && canSplit(op) && !parts.contains(op);
}

/// Returns `op` as a loop that workers share, if it is one.
std::optional<ParallelLoop> StepReader::findShared(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop || !isWorthSharing(op))
    return std::nullopt;
  if (scf::ForOp tail = findTail(loop))
    if (std::optional<ParallelLoop> parallel =
            proveParallel(loop, tail, workers))
      return parallel;
  return proveParallel(loop, {}, workers);
}

/// Returns true if `op` contains a loop to share or an op to split.
bool StepReader::containsShared(Operation *op) {
  if (isa<linalg::LinalgOp>(op))
    return false;
  WalkResult result = op->walk<WalkOrder::PreOrder>([&](Operation *nested) {
    if (nested == op)
      return WalkResult::advance();
    if (findShared(nested) || isToBeSplit(nested))
      return WalkResult::interrupt();
    return isa<linalg::LinalgOp>(nested) ? WalkResult::skip()
                                         : WalkResult::advance();
  });
  return result.wasInterrupted();
}

FailureOr<StepItem> StepReader::readControl(Operation *op) {
  StepItem item;
  item.kind = StepItem::Kind::Control;
  item.op = op;
  if (!isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op)) {
    obstacle = op;
    return failure();
  }
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      FailureOr<std::vector<StepItem>> items = read(block);
      if (failed(items))
        return failure();
      item.blocks.push_back(std::move(*items));
    }
  return item;
}

FailureOr<StepItem> StepReader::readOp(Operation *op) {
  StepItem item;
  item.op = op;
  if (std::optional<ParallelLoop> parallel = findShared(op)) {
    item.kind = StepItem::Kind::Shared;
    item.accesses = parallel->accesses;
    item.parallel = std::move(*parallel);
    return item;
  }
  if (containsShared(op))
    return readControl(op);
  // A check is a branch: every worker takes it.
  if (isa<linalg_ext::CheckOp>(op) || isMemoryEffectFree(op))
    return item;
  // Every worker takes a branch or a loop with a check inside.
  if (failed(collectAccesses(op, [&](const BufferAccess &, Access access) {
        item.accesses.push_back(access);
      })))
    return readControl(op);
  if (llvm::none_of(item.accesses,
                    [](const Access &access) { return access.isWrite; }))
    return item;
  // Other workers do not have the results that the first worker computes in
  // registers.
  if (op->getNumResults() != 0)
    return readControl(op);
  item.kind = StepItem::Kind::First;
  for (Access &access : item.accesses)
    access.worker = Access::Worker::First;
  return item;
}

FailureOr<std::vector<StepItem>> StepReader::read(Block &block) {
  std::vector<StepItem> items;
  Operation *tail = nullptr;
  linalg::FillOp pending;
  for (Operation *op = &block.front(); op; op = op->getNextNode()) {
    if (op == tail || op->hasTrait<OpTrait::IsTerminator>())
      continue;
    // It will be in the loop of the next op that has an effect.
    if (auto fill = dyn_cast<linalg::FillOp>(op))
      if (linalg::LinalgOp sum = findFilledSum(fill); sum && isToBeSplit(sum)) {
        pending = fill;
        continue;
      }
    if (isToBeSplit(op)) {
      SplitOp whole = split(rewriter, op, std::exchange(pending, {}));
      for (scf::ForOp loop : {whole.loop, whole.tail})
        if (loop)
          loop.walk([&](Operation *nested) { parts.insert(nested); });
      op = whole.loop;
    }
    FailureOr<StepItem> item = readOp(op);
    if (failed(item))
      return failure();
    if (item->kind == StepItem::Kind::Shared)
      tail = item->parallel.tail;
    items.push_back(std::move(*item));
  }
  return items;
}
