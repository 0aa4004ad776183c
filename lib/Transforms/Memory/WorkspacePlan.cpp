//===- WorkspacePlan.cpp - Sizes, lives and slots of buffers --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkspacePlan.h"
#include "flywheel/Analysis/BufferAccesses.h"
#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Model/Manifest.h"
#include "flywheel/Transforms/Memory/StackSlots.h"

#include <map>

using namespace mlir;
using namespace flywheel;
using flywheel::train::TrainDialect;

int64_t flywheel::getNumWorkers(func::FuncOp function) {
  auto workers = function->getAttrOfType<IntegerAttr>(
      codegen::CodegenDialect::getWorkersAttrName());
  return workers ? workers.getInt() : 1;
}

bool flywheel::isPrivate(memref::AllocOp alloc) {
  return alloc->hasAttr(codegen::CodegenDialect::getPrivateAttrName());
}

bool flywheel::isStackSlot(memref::AllocOp alloc, AffineExpr bytes) {
  if (codegen::TargetAttrInterface target = codegen::lookupTarget(alloc);
      target && !target.hasHostStack())
    return false;
  auto constant = dyn_cast<AffineConstantExpr>(bytes);
  // Each worker has a stack of its own.
  if (getNumWorkers(alloc->getParentOfType<func::FuncOp>()) > 1 &&
      !isPrivate(alloc))
    return false;
  return constant && constant.getValue() <= kMaxStackBytes &&
         !isa<func::FuncOp>(alloc->getParentOp());
}

LogicalResult flywheel::verifyOneBlock(func::FuncOp function) {
  if (function.getBody().hasOneBlock())
    return success();
  return function.emitError()
         << "expected one block, found "
         << std::distance(function.getBody().begin(), function.getBody().end());
}

InFlightDiagnostic flywheel::emitOverBudget(WorkspaceSizes &sizes,
                                            const Twine &bytes,
                                            int64_t budget) {
  func::FuncOp function = sizes.getFunction();
  return function.emitError()
         << "'" << function.getSymName() << "' needs a workspace of " << bytes
         << " bytes" << sizes.describeDimSizes()
         << ", more than the memory budget of " << budget << " bytes";
}

//===----------------------------------------------------------------------===//
// Lives
//===----------------------------------------------------------------------===//

llvm::DenseMap<Operation *, unsigned>
flywheel::numberOps(func::FuncOp function) {
  llvm::DenseMap<Operation *, unsigned> positions;
  for (Operation &op : function.getBody().front())
    positions.try_emplace(&op, positions.size());
  return positions;
}

LiveRanges::LiveRanges(func::FuncOp function,
                       const llvm::DenseMap<Operation *, unsigned> &positions) {
  llvm::DenseMap<Value, BufferRoots> known;
  auto touch = [&](Value buffer, unsigned position) {
    auto [roots, isNew] = known.try_emplace(buffer);
    if (isNew)
      roots->second = findRoots(buffer);
    for (Value root : roots->second.roots) {
      auto &range = ranges.try_emplace(root, position, position).first->second;
      range.second = position;
    }
  };
  for (Operation &top : function.getBody().front()) {
    // Views and casts do not touch the memory.
    if (isa<ViewLikeOpInterface>(top))
      continue;
    top.walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (isa<MemRefType>(operand.getType()))
          touch(operand, positions.at(&top));
    });
  }
  // One that nothing touches is there where it is allocated.
  function.walk([&](memref::AllocOp alloc) {
    Operation *top = function.getBody().front().findAncestorOpInBlock(*alloc);
    ranges.try_emplace(alloc, positions.at(top), positions.at(top));
  });
}

void LiveRanges::set(LiveBuffer &buffer, memref::AllocOp alloc) const {
  std::tie(buffer.begin, buffer.end) = ranges.at(alloc);
}

void flywheel::extendToBarriers(
    MutableArrayRef<LiveBuffer *> buffers, func::FuncOp function,
    const llvm::DenseMap<Operation *, unsigned> &positions) {
  Block &block = function.getBody().front();
  SmallVector<unsigned> barriers;
  for (auto barrier : block.getOps<codegen::BarrierOp>())
    barriers.push_back(positions.at(barrier));
  barriers.push_back(positions.at(block.getTerminator()));
  for (LiveBuffer *buffer : buffers)
    buffer->end = *llvm::lower_bound(barriers, buffer->end);
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

/// Assigns buffers greedily by size: each one is placed in the first slot in
/// which no other buffer is live at the same time. Sizes are compared at one
/// dimension size; the result is correct for every dimension size.
unsigned flywheel::assignSlots(MutableArrayRef<LiveBuffer *> buffers) {
  llvm::sort(buffers, [](const LiveBuffer *a, const LiveBuffer *b) {
    return std::make_tuple(-a->bytes, a->begin, a->end, a->number) <
           std::make_tuple(-b->bytes, b->begin, b->end, b->number);
  });
  unsigned numSlots = 0;
  for (auto [i, buffer] : llvm::enumerate(buffers)) {
    llvm::SmallDenseSet<unsigned> taken;
    for (LiveBuffer *other : buffers.take_front(i))
      if (buffer->overlaps(*other))
        taken.insert(other->slot);
    buffer->slot = 0;
    while (taken.contains(buffer->slot))
      ++buffer->slot;
    numSlots = std::max(numSlots, buffer->slot + 1);
  }
  return numSlots;
}

CheckedSize flywheel::getSlotBytes(ArrayRef<LiveBuffer *> buffers,
                                   unsigned numSlots) {
  SmallVector<CheckedSize> slots(numSlots, 0);
  for (const LiveBuffer *buffer : buffers)
    slots[buffer->slot] = max(slots[buffer->slot], buffer->bytes);
  CheckedSize total = 0;
  for (CheckedSize bytes : slots)
    total += bytes.alignTo(kStateAlignment);
  return total;
}

//===----------------------------------------------------------------------===//
// Offsets
//===----------------------------------------------------------------------===//

static int64_t getAlignedBytes(const LiveBuffer &buffer) {
  return llvm::alignTo(buffer.bytes, flywheel::kStateAlignment);
}

/// Puts each buffer, in that order, into the smallest gap that is large enough
/// between those that are live at the same time, or behind them.
static int64_t packInOrder(ArrayRef<LiveBuffer *> buffers) {
  // Those that are placed, by offset.
  SmallVector<LiveBuffer *> placed;
  int64_t total = 0;
  for (LiveBuffer *buffer : buffers) {
    int64_t bytes = getAlignedBytes(*buffer), end = 0, best = -1,
            bestGap = INT64_MAX;
    for (LiveBuffer *other : placed) {
      if (!buffer->overlaps(*other))
        continue;
      int64_t gap = other->offset - end;
      if (gap >= bytes && gap < bestGap) {
        best = end;
        bestGap = gap;
      }
      end = std::max(end, other->offset + getAlignedBytes(*other));
    }
    buffer->offset = best < 0 ? end : best;
    total = std::max(total, buffer->offset + bytes);
    placed.insert(llvm::upper_bound(placed, buffer,
                                    [](LiveBuffer *a, LiveBuffer *b) {
                                      return a->offset < b->offset;
                                    }),
                  buffer);
  }
  return total;
}

/// Assigns offsets in two orders, neither of which is always better: by size
/// (Pisarchyk and Lee, 2020), and in the order in which buffers become live.
int64_t flywheel::packBuffers(MutableArrayRef<LiveBuffer *> buffers) {
  llvm::sort(buffers, [](const LiveBuffer *a, const LiveBuffer *b) {
    return std::make_tuple(a->begin, -a->bytes, a->end, a->number) <
           std::make_tuple(b->begin, -b->bytes, b->end, b->number);
  });
  int64_t byBegin = packInOrder(buffers);
  SmallVector<int64_t> offsets = llvm::map_to_vector(
      buffers, [](LiveBuffer *buffer) { return buffer->offset; });
  SmallVector<LiveBuffer *> bySize(buffers);
  llvm::sort(bySize, [](const LiveBuffer *a, const LiveBuffer *b) {
    return std::make_tuple(-a->bytes, a->begin, a->end, a->number) <
           std::make_tuple(-b->bytes, b->begin, b->end, b->number);
  });
  int64_t total = packInOrder(bySize);
  if (total <= byBegin)
    return total;
  for (auto [buffer, offset] : llvm::zip_equal(buffers, offsets))
    buffer->offset = offset;
  return byBegin;
}

std::pair<unsigned, int64_t>
flywheel::findPeak(ArrayRef<LiveBuffer *> buffers) {
  // The bytes that become live at a position, less those whose live ranges end
  // before it.
  std::map<unsigned, int64_t> changes;
  for (const LiveBuffer *buffer : buffers) {
    changes[buffer->begin] += getAlignedBytes(*buffer);
    changes[buffer->end + 1] -= getAlignedBytes(*buffer);
  }
  int64_t live = 0;
  std::pair<unsigned, int64_t> peak(0, 0);
  for (auto [position, change] : changes) {
    live += change;
    if (live > peak.second)
      peak = {position, live};
  }
  return peak;
}
