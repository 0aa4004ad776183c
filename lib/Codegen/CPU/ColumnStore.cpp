//===- ColumnStore.cpp - How contractions store their sums ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnEmitter.h"

#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace flywheel;

/// Bytes that a kernel reads and writes from which on little of its result is
/// in the last cache when it is read.
static constexpr int64_t kStreamedBytes = int64_t{24} << 20;

void ColumnEmitter::storeTile(const Strip &rows, const Columns &columns,
                              ValueRange accumulators, bool streams) {
  unsigned next = 0;
  for (int64_t row = 0; row < rows.count; ++row) {
    auto store = [&] {
      for (auto [base, lanes] : llvm::zip_equal(columns.bases, columns.lanes)) {
        ivs[contraction.n] = base;
        e.storeVector(accumulators[next++], contraction.c->get(),
                      contraction.cMap, ivs, contraction.n, lanes, streams);
      }
    };
    moveTo(contraction.rows, rows, row);
    ifExists(rows, row, store);
  }
}

/// Stores around the caches if C is large and its lines are written once. In
/// the gradient by the image of a depthwise convolution of stride 2,
/// 32x56x56x128, four phases store every other pixel of every other row. A
/// store through the caches reads each line before it writes it, and none of it
/// stays there: this takes three times as long as a store around the caches.
void ColumnEmitter::chooseStreaming() {
  auto type = cast<MemRefType>(contraction.c->get().getType());
  int64_t elementBytes = getElementBytes(type.getElementType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!contraction.readsLanes() || !fillValue ||
      tile.vectorLength * elementBytes != kCacheLineBytes ||
      failed(type.getStridesAndOffset(strides, offset)) ||
      classifyAccess(contraction.cMap, type, contraction.n) !=
          AccessKind::Contiguous ||
      !llvm::all_of(ArrayRef(strides).drop_back(), [&](int64_t stride) {
        return !ShapedType::isDynamic(stride) &&
               stride % tile.vectorLength == 0;
      }))
    return;
  Fold read = getSpan(e, contraction.a->get()),
       written = getSpan(e, contraction.c->get());
  if (!read || !written)
    return;
  Fold bytes = e.add(read, written);
  std::optional<int64_t> constant = getConstantIntValue(bytes);
  if (constant && *constant < kStreamedBytes)
    return;
  auto metadata = memref::ExtractStridedMetadataOp::create(
      e.b, e.loc, contraction.c->get());
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(
      e.b, e.loc, metadata.getBaseBuffer());
  // Whole cache lines: stores of partial lines around the caches take longer.
  Value places = arith::MulIOp::create(
      e.b, e.loc, e.value(getAsOpFoldResult(metadata.getOffset())),
      e.value(e.index(elementBytes)));
  address = arith::AddIOp::create(e.b, e.loc, address, places);
  Value rest = arith::AndIOp::create(e.b, e.loc, address,
                                     e.value(e.index(kCacheLineBytes - 1)));
  isStreamed = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::eq, rest,
                                     e.value(e.index(0)));
  if (!constant)
    isStreamed = arith::AndIOp::create(
        e.b, e.loc, isStreamed,
        arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::sge,
                              e.value(bytes),
                              e.value(e.index(kStreamedBytes))));
}

/// Returns true if C is contiguous along its rows in registers.
bool ColumnEmitter::isTurned() {
  Type type = contraction.c->get().getType();
  return contraction.rows.size() == 1 &&
         classifyAccess(contraction.cMap, type, contraction.n) ==
             AccessKind::Strided &&
         classifyAccess(contraction.cMap, type, contraction.rows.front()) ==
             AccessKind::Contiguous;
}

void ColumnEmitter::storeTurned(const Strip &rows, const Columns &columns,
                                ValueRange accumulators) {
  int64_t length = tile.vectorLength;
  size_t numVectors = columns.bases.size();
  unsigned along = contraction.rows.front();
  Lanes part = rows.count == length
                   ? Lanes{length, {}, {}}
                   : e.lanes(length, e.index(0), e.index(rows.count));
  Value zero = arith::ConstantOp::create(
      e.b, e.loc, e.b.getZeroAttr(accumulators.front().getType()));
  for (auto [i, base] : llvm::enumerate(columns.bases)) {
    const Lanes &lanes = columns.lanes[i];
    SmallVector<Value> block(length, zero);
    for (int64_t row = 0; row < rows.count; ++row)
      block[row] = accumulators[row * numVectors + i];
    e.transpose(block);
    for (int64_t lane = 0; lane < length; ++lane) {
      Fold column = e.add(base, lane);
      auto store = [&] {
        moveTo(contraction.rows, rows, 0);
        ivs[contraction.n] = column;
        e.storeVector(block[lane], contraction.c->get(), contraction.cMap, ivs,
                      along, part);
      };
      if (lanes.mask)
        e.ifGreater(e.add(lanes.last, 1), column, store);
      else
        store();
    }
  }
}
