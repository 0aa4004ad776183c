//===- DistributeStep.cpp - Share a step between workers ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartitionCounts.h"
#include "SplitOps.h"
#include "StepItems.h"

#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Transforms/Partition/PartitionPasses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_DISTRIBUTESTEP
#include "flywheel/Transforms/Partition/PartitionPasses.h.inc"
} // namespace flywheel

using namespace flywheel;
using Items = std::vector<StepItem>;

//===----------------------------------------------------------------------===//
// Placement of barriers
//===----------------------------------------------------------------------===//

namespace {
/// Finds the ops before which workers wait for each other.
class BarrierPlanner {
public:
  void run(const Items &items) { visit(items, {}); }

  const llvm::SetVector<Operation *> &getBarriers() const { return barriers; }

private:
  AccessSet visit(const Items &items, AccessSet pending);
  AccessSet visitControl(const StepItem &item, AccessSet pending);

  /// The ops with a barrier before them.
  llvm::SetVector<Operation *> barriers;
};
} // namespace

/// Returns the accesses since the last barrier at the end of `items`, if
/// `pending` were those at the start.
AccessSet BarrierPlanner::visit(const Items &items, AccessSet pending) {
  for (const StepItem &item : items) {
    if (item.kind == StepItem::Kind::Control) {
      pending = visitControl(item, std::move(pending));
      continue;
    }
    if (barriers.contains(item.op) || pending.conflictsWith(item.accesses)) {
      barriers.insert(item.op);
      pending = {};
    }
    pending.insert(item.accesses);
  }
  return pending;
}

AccessSet BarrierPlanner::visitControl(const StepItem &item,
                                       AccessSet pending) {
  if (isa<scf::IfOp>(item.op)) {
    AccessSet behind = pending;
    for (const Items &block : item.blocks)
      behind.insert(visit(block, pending).get());
    return behind;
  }
  // The accesses that one iteration leaves pending are pending in the next one.
  AccessSet carried = pending;
  while (true) {
    size_t numBarriers = barriers.size();
    AccessSet state = carried, behind = carried;
    for (auto [number, block] : llvm::enumerate(item.blocks)) {
      state = visit(block, std::move(state));
      // An scf.while ends behind its condition, which is its first block.
      if (number == 0 && isa<scf::WhileOp>(item.op))
        behind = state;
    }
    state.goAround(item.op);
    AccessSet next = carried;
    next.insert(state.get());
    if (next == carried && barriers.size() == numBarriers)
      return behind;
    carried = std::move(next);
  }
}

//===----------------------------------------------------------------------===//
// The code of a worker
//===----------------------------------------------------------------------===//

namespace {
/// Rewrites a step to the code that each of its workers executes.
class WorkerEmitter {
public:
  WorkerEmitter(RewriterBase &rewriter, func::FuncOp function,
                const llvm::SetVector<Operation *> &barriers);

  void emit(Items &items);

private:
  void emitFirst(ArrayRef<Operation *> ops);
  void emitShared(ParallelLoop &parallel);
  OpFoldResult getShareBegin(const Share &share, OpFoldResult worker);

  RewriterBase &rewriter;
  const llvm::SetVector<Operation *> &barriers;
  Value worker, numWorkers, isFirst, isLast;
};
} // namespace

WorkerEmitter::WorkerEmitter(RewriterBase &rewriter, func::FuncOp function,
                             const llvm::SetVector<Operation *> &barriers)
    : rewriter(rewriter), barriers(barriers) {
  Location loc = function.getLoc();
  rewriter.setInsertionPointToStart(&function.getBody().front());
  worker = codegen::WorkerOp::create(rewriter, loc, rewriter.getIndexType());
  numWorkers =
      codegen::NumWorkersOp::create(rewriter, loc, rewriter.getIndexType());
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  isFirst = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                  worker, zero);
  Value last = arith::SubIOp::create(rewriter, loc, numWorkers, one);
  isLast = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                 worker, last);
}

/// Returns the start of the share of `worker`. The numbers of blocks of two
/// workers differ by at most one.
OpFoldResult WorkerEmitter::getShareBegin(const Share &share,
                                          OpFoldResult worker) {
  AffineExpr size = rewriter.getAffineSymbolExpr(0),
             count = rewriter.getAffineSymbolExpr(1),
             number = rewriter.getAffineSymbolExpr(2);
  return affine::makeComposedFoldedAffineApply(
      rewriter, numWorkers.getLoc(),
      (size.ceilDiv(share.step) * number).floorDiv(count) * share.step,
      {share.size, numWorkers, worker});
}

/// Moves `ops`, in order, to the last one, into a branch that the first worker
/// executes.
void WorkerEmitter::emitFirst(ArrayRef<Operation *> ops) {
  if (ops.empty())
    return;
  rewriter.setInsertionPoint(ops.back());
  auto branch = scf::IfOp::create(rewriter, ops.back()->getLoc(), isFirst,
                                  /*withElseRegion=*/false);
  for (Operation *op : ops)
    rewriter.moveOpBefore(op, branch.thenBlock()->getTerminator());
}

void WorkerEmitter::emitShared(ParallelLoop &parallel) {
  scf::ForOp loop = parallel.loop;
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  AffineExpr s0 = rewriter.getAffineSymbolExpr(0);
  OpFoldResult next =
      affine::makeComposedFoldedAffineApply(rewriter, loc, s0 + 1, {worker});
  OpFoldResult begin = getShareBegin(parallel.share, worker);
  Value end = getValueOrCreateConstantIndexOp(
      rewriter, loc, getShareBegin(parallel.share, next));
  // The last block may be a partial one, or the tail's.
  end = arith::MinSIOp::create(rewriter, loc, end, loop.getUpperBound());
  loop.setLowerBound(getValueOrCreateConstantIndexOp(rewriter, loc, begin));
  loop.setUpperBound(end);
  MLIRContext *context = loop.getContext();
  for (scf::ForOp part : {loop, parallel.tail})
    if (part)
      part.walk([&](memref::AllocOp alloc) {
        alloc->setAttr(codegen::CodegenDialect::getPrivateAttrName(),
                       UnitAttr::get(context));
      });
  if (!parallel.tail)
    return;
  rewriter.setInsertionPoint(parallel.tail);
  auto branch =
      scf::IfOp::create(rewriter, loc, isLast, /*withElseRegion=*/false);
  rewriter.moveOpBefore(parallel.tail, branch.thenBlock()->getTerminator());
}

void WorkerEmitter::emit(Items &items) {
  // Ops of the first worker in a row, with others between them that do not
  // depend on them: they would be separated by a barrier.
  SmallVector<Operation *> first;
  auto flush = [&] {
    emitFirst(first);
    first.clear();
  };
  for (StepItem &item : items) {
    bool hasBarrier = barriers.contains(item.op);
    if (hasBarrier || (item.kind != StepItem::Kind::First &&
                       item.kind != StepItem::Kind::Every))
      flush();
    if (hasBarrier) {
      rewriter.setInsertionPoint(item.op);
      codegen::BarrierOp::create(rewriter, item.op->getLoc());
    }
    switch (item.kind) {
    case StepItem::Kind::Every:
      // A check may end the step, so the ops before it must run before it.
      if (!isMemoryEffectFree(item.op) && item.accesses.empty() &&
          !isa<memref::AllocOp>(item.op))
        flush();
      break;
    case StepItem::Kind::First:
      first.push_back(item.op);
      break;
    case StepItem::Kind::Shared:
      emitShared(item.parallel);
      break;
    case StepItem::Kind::Control:
      for (Items &block : item.blocks)
        emit(block);
      break;
    }
  }
  flush();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct DistributeStep : flywheel::impl::DistributeStepBase<DistributeStep> {
  using DistributeStepBase::DistributeStepBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (workers < 1 || workers > codegen::CodegenDialect::kMaxWorkers) {
      function.emitError() << "expected 1 to "
                           << codegen::CodegenDialect::kMaxWorkers
                           << " 'workers', found " << workers.getValue();
      return signalPassFailure();
    }
    if (workers == 1 || function.isExternal() ||
        !function.getBody().hasOneBlock())
      return;
    // Initial values are computed by one thread: this entry takes no team.
    if (function.getSymName() == "init")
      return;
    int64_t work = estimateWork(function, kAssumedTrips);
    if (work < minWork) {
      if (report)
        function.emitRemark()
            << "one worker executes '" << function.getSymName() << "': about "
            << work << " operations, and " << minWork.getValue()
            << " are worth sharing";
      return;
    }
    int64_t numWorkers = chooseWorkers();
    IRRewriter rewriter(&getContext());
    StepReader reader(rewriter, minLoopWork, numWorkers);
    FailureOr<Items> items = reader.read(function.getBody().front());
    if (failed(items)) {
      reader.getObstacle()->emitRemark()
          << "one worker executes '" << function.getSymName()
          << "': it is not known what this touches";
      return;
    }
    BarrierPlanner planner;
    planner.run(*items);
    numBarriers += planner.getBarriers().size();
    count(*items);
    if (report)
      emitReport(*items, numWorkers, planner.getBarriers());
    WorkerEmitter(rewriter, function, planner.getBarriers()).emit(*items);
    function->setAttr(codegen::CodegenDialect::getWorkersAttrName(),
                      rewriter.getI64IntegerAttr(numWorkers));
  }

private:
  /// Returns the largest number of workers for which waiting takes less time
  /// than sharing saves: each has half of the work of the smallest step that is
  /// shared, and two share that. A barrier takes longer, the more wait at it.
  int64_t chooseWorkers() {
    int64_t share = minWork / 2;
    if (share == 0)
      return workers;
    int64_t work = estimateWork(getOperation(), kAssumedLargeTrips);
    return std::clamp<int64_t>(work / share, std::min<int64_t>(2, workers),
                               workers);
  }

  void emitReport(const Items &items, int64_t numWorkers,
                  const llvm::SetVector<Operation *> &barriers) {
    PartitionCounts counts = countPartition(
        items, [&](Operation *op) { return barriers.contains(op); });
    func::FuncOp function = getOperation();
    function.emitRemark() << "up to " << numWorkers << " workers execute '"
                          << function.getSymName() << "', with about "
                          << counts.barriers << " barriers and "
                          << counts.crossingBytes
                          << " bytes that one worker reads and another wrote";
  }

  void count(const Items &items) {
    for (const StepItem &item : items) {
      numShared += item.kind == StepItem::Kind::Shared;
      numFirst += item.kind == StepItem::Kind::First;
      for (const Items &block : item.blocks)
        count(block);
    }
  }
};
} // namespace
