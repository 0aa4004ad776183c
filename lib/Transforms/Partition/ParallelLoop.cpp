//===- ParallelLoop.cpp - Loops whose iterations are independent ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParallelLoop.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace flywheel;

namespace {
/// Reads the body of one loop.
class LoopReader {
public:
  LoopReader(scf::ForOp loop, int64_t step, bool isTail, int64_t workers,
             SmallVectorImpl<Access> &accesses)
      : loop(loop), step(step), isTail(isTail), workers(workers),
        accesses(accesses) {}

  LogicalResult run();

private:
  bool isInside(Value value) {
    return loop.getRegion().isAncestor(value.getParentRegion());
  }
  std::optional<Slice> findBlock(Value view, ArrayRef<OpFoldResult> offsets,
                                 ArrayRef<OpFoldResult> sizes,
                                 ArrayRef<OpFoldResult> strides);
  bool isWithinBlock(OpFoldResult size);
  bool isRest(Value size);
  bool isBlockStart(Value value);
  bool isBlockNumber(Value value);
  std::optional<Slice> findSlice(Operation *op, Value touched);

  scf::ForOp loop;
  int64_t step;
  bool isTail;
  int64_t workers;
  SmallVectorImpl<Access> &accesses;
};
} // namespace

/// Returns true if `end` is `size` rounded down to a multiple of `step`.
static bool isRoundedDown(Value end, Value size, int64_t step) {
  std::optional<int64_t> constantEnd = getConstantIntValue(end),
                         constantSize = getConstantIntValue(size);
  if (constantEnd && constantSize)
    return *constantEnd == *constantSize / step * step;
  auto apply = end.getDefiningOp<affine::AffineApplyOp>();
  if (!apply || apply.getNumOperands() != 1 || apply.getOperand(0) != size)
    return false;
  AffineMap map = apply.getAffineMap();
  AffineExpr operand = map.getNumDims() == 1
                           ? getAffineDimExpr(0, map.getContext())
                           : getAffineSymbolExpr(0, map.getContext());
  return map.getResult(0) == operand.floorDiv(step) * step;
}

/// Returns true if a part of `size` elements that starts with the block ends
/// within it.
bool LoopReader::isWithinBlock(OpFoldResult size) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return *constant <= step;
  // The one iteration of a tail owns all that is left.
  if (isTail && isRest(cast<Value>(size)))
    return true;
  FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::UB, cast<Value>(size), /*stopCondition=*/nullptr,
      /*closedUB=*/true);
  return succeeded(bound) && *bound <= step;
}

/// Returns true if `size` is the end of the loop minus the induction variable.
bool LoopReader::isRest(Value size) {
  auto apply = size.getDefiningOp<affine::AffineApplyOp>();
  if (!apply || apply.getNumOperands() != 2)
    return false;
  AffineMap map = apply.getAffineMap();
  auto term = [&](unsigned i) {
    return i < map.getNumDims()
               ? getAffineDimExpr(i, map.getContext())
               : getAffineSymbolExpr(i - map.getNumDims(), map.getContext());
  };
  unsigned own = apply.getOperand(0) == loop.getInductionVar() ? 0 : 1;
  return apply.getOperand(own) == loop.getInductionVar() &&
         apply.getOperand(1 - own) == loop.getUpperBound() &&
         simplifyAffineExpr(map.getResult(0) - (term(1 - own) - term(own)),
                            map.getNumDims(), map.getNumSymbols()) ==
             getAffineConstantExpr(0, map.getContext());
}

/// Returns true if `value` is the start of the iteration's block. The last
/// block may start within the previous one, so as to end with the loop: if each
/// worker has two blocks, one worker has both of these.
bool LoopReader::isBlockStart(Value value) {
  if (value == loop.getInductionVar())
    return true;
  std::optional<int64_t> size = getConstantIntValue(loop.getUpperBound());
  auto min = value.getDefiningOp<affine::AffineMinOp>();
  if (!min || isTail || !size || *size <= (2 * workers - 1) * step ||
      min->getNumOperands() != 1 ||
      min->getOperand(0) != loop.getInductionVar())
    return false;
  MLIRContext *context = loop.getContext();
  AffineMap map = min.getMap();
  return map.getNumResults() == 2 &&
         llvm::is_contained(map.getResults(),
                            map.getNumDims()
                                ? getAffineDimExpr(0, context)
                                : getAffineSymbolExpr(0, context)) &&
         llvm::is_contained(map.getResults(),
                            getAffineConstantExpr(*size - step, context));
}

/// Returns true if `value` is the number of the iteration's block.
bool LoopReader::isBlockNumber(Value value) {
  auto apply = value.getDefiningOp<affine::AffineApplyOp>();
  return apply && apply.getNumOperands() == 1 &&
         apply.getOperand(0) == loop.getInductionVar() &&
         apply.getAffineMap().getNumDims() == 1 &&
         apply.getAffineMap().getResult(0) ==
             getAffineDimExpr(0, loop.getContext()).floorDiv(step);
}

/// Returns the block of the iteration if it includes the given part of `view`.
std::optional<Slice> LoopReader::findBlock(Value view,
                                           ArrayRef<OpFoldResult> offsets,
                                           ArrayRef<OpFoldResult> sizes,
                                           ArrayRef<OpFoldResult> strides) {
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    auto value = dyn_cast<Value>(offset);
    if (!value || getConstantIntValue(strides[dim]) != 1)
      continue;
    auto position = static_cast<int64_t>(dim);
    if (isBlockStart(value) && isWithinBlock(sizes[dim]))
      return Slice{view, position};
    if (isBlockNumber(value) && getConstantIntValue(sizes[dim]) == 1)
      return Slice{view, position, /*isNumber=*/true};
  }
  return std::nullopt;
}

/// Returns the block of the iteration that includes all accesses of `op` to the
/// buffer of `touched`; nullopt if `op` may access more.
std::optional<Slice> LoopReader::findSlice(Operation *op, Value touched) {
  std::optional<Slice> slice;
  auto found = [&](std::optional<Slice> block) {
    if (block && !isInside(block->view))
      slice = normalize(*block);
  };
  auto readElement = [&](Value view, ValueRange indices) {
    OpFoldResult one = OpBuilder(op).getIndexAttr(1);
    SmallVector<OpFoldResult> offsets(indices), ones(indices.size(), one);
    found(findBlock(view, offsets, ones, ones));
  };
  if (auto load = dyn_cast<memref::LoadOp>(op))
    readElement(load.getMemRef(), load.getIndices());
  else if (auto store = dyn_cast<memref::StoreOp>(op))
    readElement(store.getMemRef(), store.getIndices());
  for (Value view = touched; !slice;) {
    auto viewLike = view.getDefiningOp<ViewLikeOpInterface>();
    if (!viewLike || !isInside(view))
      break;
    if (auto subview = dyn_cast<memref::SubViewOp>(viewLike.getOperation()))
      found(findBlock(subview.getSource(), subview.getMixedOffsets(),
                      subview.getMixedSizes(), subview.getMixedStrides()));
    view = viewLike.getViewSource();
  }
  return slice;
}

LogicalResult LoopReader::run() {
  return collectAccesses(loop, [&](const BufferAccess &access, Access touch) {
    // A buffer that an iteration allocates is private to it.
    if (isInside(touch.buffer))
      return;
    if (std::optional<Slice> slice = findSlice(access.op, access.buffer)) {
      touch.worker = Access::Worker::Owner;
      touch.slice = *slice;
    }
    accesses.push_back(touch);
  });
}

scf::ForOp flywheel::findTail(scf::ForOp loop) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  for (Operation *next = loop->getNextNode(); step && next;
       next = next->getNextNode()) {
    if (auto tail = dyn_cast<scf::ForOp>(next))
      return tail.getLowerBound() == loop.getUpperBound() &&
                     tail.getInitArgs().empty() &&
                     getConstantIntValue(tail.getStep()) == step &&
                     isRoundedDown(loop.getUpperBound(), tail.getUpperBound(),
                                   *step)
                 ? tail
                 : scf::ForOp();
    if (!isMemoryEffectFree(next))
      return {};
  }
  return {};
}

std::optional<ParallelLoop>
flywheel::proveParallel(scf::ForOp loop, scf::ForOp tail, int64_t workers) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!loop.getInitArgs().empty() || !step || *step < 1 ||
      getConstantIntValue(loop.getLowerBound()) != 0 ||
      !loop.getInductionVar().getType().isIndex())
    return std::nullopt;
  ParallelLoop parallel;
  parallel.loop = loop;
  parallel.tail = tail;
  parallel.share.step = *step;
  parallel.share.size =
      getAsOpFoldResult(tail ? tail.getUpperBound() : loop.getUpperBound());
  SmallVector<Access> accesses;
  auto read = [&](scf::ForOp part) {
    bool isTail = part == tail;
    return LoopReader(part, *step, isTail, workers, accesses).run();
  };
  if (failed(read(loop)) || (tail && failed(read(tail))))
    return std::nullopt;
  for (Access &access : accesses) {
    access.share = parallel.share;
    for (const Access &other : accesses)
      if (access.buffer == other.buffer && access.isWrite &&
          (access.worker != Access::Worker::Owner ||
           other.worker != Access::Worker::Owner ||
           !(access.slice == other.slice)))
        return std::nullopt;
    if (!llvm::is_contained(parallel.accesses, access))
      parallel.accesses.push_back(access);
  }
  return parallel;
}
