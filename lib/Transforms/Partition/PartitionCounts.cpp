//===- PartitionCounts.cpp - Cost of a shared step ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartitionCounts.h"

#include "SplitOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace flywheel;

namespace {
/// Walks a step in order, with who wrote each buffer last.
class PartitionCounter {
public:
  explicit PartitionCounter(function_ref<bool(Operation *)> hasBarrier)
      : hasBarrier(hasBarrier) {}

  /// Counts `items`, which are executed `times` times.
  void visit(const std::vector<StepItem> &items, uint64_t times);

  PartitionCounts counts;

private:
  void visitControl(const StepItem &item, uint64_t times);
  void read(const Access &access, uint64_t times);
  void write(const Access &access);

  /// The last writes of a buffer, all by the same workers, and the accesses
  /// that have read these.
  struct Content {
    std::optional<Access> written;
    AccessSet readers;
  };

  function_ref<bool(Operation *)> hasBarrier;
  /// The depth of nested loops.
  int depth = 0;
  llvm::DenseMap<Value, Content> contents;
};
} // namespace

/// Estimates the bytes of a buffer; dynamic sizes are assumed.
static uint64_t estimateBytes(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  uint64_t bytes =
      type.getElementType().isIntOrFloat()
          ? llvm::divideCeil(type.getElementTypeBitWidth(), CHAR_BIT)
          : sizeof(int64_t);
  for (int64_t size : type.getShape())
    bytes = llvm::SaturatingMultiply<uint64_t>(
        bytes, ShapedType::isDynamic(size) ? kAssumedTrips : size);
  return bytes;
}

void PartitionCounter::read(const Access &access, uint64_t times) {
  Content &content = contents[access.buffer];
  if (!content.written || !conflict(*content.written, access) ||
      llvm::is_contained(content.readers.get(), access))
    return;
  content.readers.insert(access);
  counts.crossingBytes = llvm::SaturatingMultiplyAdd(
      estimateBytes(access.buffer), times, counts.crossingBytes);
}

void PartitionCounter::write(const Access &access) {
  Content &content = contents[access.buffer];
  content.written = access;
  content.readers = {};
}

void PartitionCounter::visit(const std::vector<StepItem> &items,
                             uint64_t times) {
  for (const StepItem &item : items) {
    if (item.kind == StepItem::Kind::Control) {
      visitControl(item, times);
      continue;
    }
    if (hasBarrier(item.op))
      counts.barriers = llvm::SaturatingAdd(counts.barriers, times);
    for (const Access &access : item.accesses)
      if (!access.isWrite)
        read(access, times);
    for (const Access &access : item.accesses)
      if (access.isWrite)
        write(access);
  }
}

void PartitionCounter::visitControl(const StepItem &item, uint64_t times) {
  auto visitBlocks = [&](uint64_t times) {
    for (const std::vector<StepItem> &block : item.blocks)
      visit(block, times);
  };
  if (isa<scf::IfOp>(item.op))
    return visitBlocks(times);
  auto loop = dyn_cast<scf::ForOp>(item.op);
  int64_t trips = loop ? estimateTrips(loop, kAssumedTrips) : kAssumedTrips;
  if (trips < 1)
    return;
  // Every iteration but the first reads values that the previous one wrote. In
  // loops nested deeper than `kMaxDepth`, all iterations count as the first
  // one, so that the walk takes time linear in the number of ops.
  constexpr int kMaxDepth = 3;
  uint64_t others = trips - 1;
  if (++depth > kMaxDepth) {
    visitBlocks(llvm::SaturatingMultiply<uint64_t>(times, trips));
  } else {
    visitBlocks(times);
    if (others)
      visitBlocks(llvm::SaturatingMultiply(times, others));
  }
  --depth;
}

PartitionCounts
flywheel::countPartition(const std::vector<StepItem> &items,
                         function_ref<bool(Operation *)> hasBarrier) {
  PartitionCounter counter(hasBarrier);
  counter.visit(items, 1);
  return counter.counts;
}
