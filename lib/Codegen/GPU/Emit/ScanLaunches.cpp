//===- ScanLaunches.cpp - Running sums on the device ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row consists of the elements along the axis. If rows are short, or so many
// that their threads fill the device, a thread scans a row from one end to the
// other, as the CPU does: the same bits. Otherwise the threads of a block share
// a row. Each sums a run of it; the totals are scanned in workgroup memory, in
// log2 of their number rounds; then each thread scans its run again, starting
// from the total before it. The bounds of a run depend only on the length of
// the row, and so does the order of the sums.
//
//===----------------------------------------------------------------------===//

#include "../Schedule/BlockNumbers.h"
#include "BlockEmitter.h"
#include "IndexEmitter.h"

#include "flywheel/Codegen/Common/ScanStep.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::linalg_ext;

/// The most elements of a row that one thread scans before a block could share
/// it.
static constexpr int64_t kShortRow = 128;
/// The number of threads of each multiprocessor whose loads fill the memory
/// bandwidth of a device.
static constexpr int64_t kThreadsOfMultiprocessor = 128;
/// The number of adjacent rows that one block shares, so that neighbouring
/// threads load neighbouring elements.
static constexpr int64_t kRowsSideBySide = 32;

namespace {
class ScanEmitter : IndexEmitter {
public:
  explicit ScanEmitter(ScanOp op)
      : IndexEmitter(op), op(op), axis(static_cast<size_t>(op.getAxis())),
        rows(sizesOf(op.getX())) {
    length = rows[axis];
    rows.erase(rows.begin() + static_cast<ptrdiff_t>(axis));
    numRows = product(rows);
  }

  void emit();

private:
  bool isLastAxis() const { return axis == rows.size(); }
  Value emitRun(ArrayRef<Value> row, Value begin, Value end, Value start,
                bool isResult);
  Value emitTotalBefore(BlockEmitter &emitter, Value total, int64_t numSide);
  void emitByThreads();
  void emitByBlocks();

  ScanOp op;
  size_t axis;
  /// Sizes of the other dimensions.
  SmallVector<Value> rows;
  Value length, numRows;
};
} // namespace

/// Scans elements `begin` to `end` of a row, starting from `start`, and returns
/// the total. Stores the results of the scan if `isResult`.
Value ScanEmitter::emitRun(ArrayRef<Value> row, Value begin, Value end,
                           Value start, bool isResult) {
  auto loop = scf::ForOp::create(b, loc, begin, end, constant(1), start);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar(), before = loop.getRegionIterArg(0);
  Value along = number;
  if (op.getReverse())
    along = subtract(subtract(length, constant(1)), number);
  SmallVector<Value> position(row);
  position.insert(position.begin() + static_cast<ptrdiff_t>(axis), along);
  Value element = memref::LoadOp::create(b, loc, op.getX(), position);
  Value after = emitScanStep(b, op, before, element);
  if (isResult)
    memref::StoreOp::create(b, loc, op.getExclusive() ? before : after,
                            op.getInit(), position);
  scf::YieldOp::create(b, loc, after);
  return loop.getResult(0);
}

void ScanEmitter::emitByThreads() {
  OpBuilder::InsertionGuard guard(b);
  Value number = launchElements(numRows, /*launch=*/0);
  emitRun(delinearize(number, rows), constant(0), length,
          emitScanNeutral(b, op), /*isResult=*/true);
}

/// Returns the combined totals of the runs before that of the thread. The runs
/// of a row are those of each `numSide`-th thread.
Value ScanEmitter::emitTotalBefore(BlockEmitter &emitter, Value total,
                                   int64_t numSide) {
  Value thread = emitter.getThread();
  Value totals =
      emitter.allocateScratch(b, loc, {2 * kGroupBlockSize}, total.getType());
  memref::StoreOp::create(b, loc, total, totals, thread);
  emitter.emitBarrier(b, loc);
  auto numRounds =
      static_cast<int64_t>(llvm::Log2_64(kGroupBlockSize / numSide));
  Value one = constant(1), size = constant(kGroupBlockSize);
  auto load = [&](Value half, Value position) -> Value {
    return memref::LoadOp::create(b, loc, totals, add(half, position));
  };
  loop(constant(0), constant(numRounds), one, [&](Value round) {
    // Reads one half of the memory, and writes the other.
    Value isOdd = arith::AndIOp::create(b, loc, round, one);
    Value from = multiply(isOdd, size), to = subtract(size, from);
    Value distance = arith::ShLIOp::create(b, loc, constant(numSide), round);
    Value mine = load(from, thread);
    Value hasBefore = compare(arith::CmpIPredicate::uge, thread, distance);
    Value sum = choose(
        hasBefore,
        [&] {
          return emitScanStep(b, op, load(from, subtract(thread, distance)),
                              mine);
        },
        mine);
    memref::StoreOp::create(b, loc, sum, totals, add(to, thread));
    emitter.emitBarrier(b, loc);
  });
  Value last = constant(numRounds % 2 * kGroupBlockSize);
  Value side = constant(numSide);
  Value hasBefore = compare(arith::CmpIPredicate::uge, thread, side);
  return choose(
      hasBefore, [&] { return load(last, subtract(thread, side)); },
      emitScanNeutral(b, op));
}

void ScanEmitter::emitByBlocks() {
  OpBuilder::InsertionGuard guard(b);
  int64_t numSide = isLastAxis() ? 1 : kRowsSideBySide;
  Value side = constant(numSide), none = constant(0);
  Value numRuns = constant(kGroupBlockSize / numSide);
  gpu::LaunchOp launch = launchBlocks(
      b.createOrFold<arith::CeilDivUIOp>(loc, numRows, side), /*launch=*/1);
  BlockEmitter emitter(launch);
  Value thread = emitter.getThread();
  Value block = gpu::BlockIdOp::create(b, loc, gpu::Dimension::x);
  Value row = add(multiply(block, side),
                  b.createOrFold<arith::RemUIOp>(loc, thread, side));
  Value run = b.createOrFold<arith::DivUIOp>(loc, thread, side);
  Value isThere = compare(arith::CmpIPredicate::ult, row, numRows);
  Value size = b.createOrFold<arith::CeilDivUIOp>(loc, length, numRuns);
  Value begin = arith::MinUIOp::create(b, loc, multiply(run, size), length);
  Value end = arith::MinUIOp::create(b, loc, add(begin, size), length);
  // The runs of a row that does not exist are empty.
  end = arith::SelectOp::create(b, loc, isThere, end, none);
  SmallVector<Value> sizes;
  for (Value other : rows)
    sizes.push_back(b.createOrFold<arith::MaxUIOp>(loc, other, constant(1)));
  SmallVector<Value> place = delinearize(row, sizes);
  Value total =
      emitRun(place, begin, end, emitScanNeutral(b, op), /*isResult=*/false);
  emitRun(place, begin, end, emitTotalBefore(emitter, total, numSide),
          /*isResult=*/true);
}

void ScanEmitter::emit() {
  Value isShort = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ule,
                                                length, constant(kShortRow));
  int64_t many = BlockNumbers(op).enough * kThreadsOfMultiprocessor;
  Value areMany = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::uge,
                                                numRows, constant(many));
  Value byThreads = b.createOrFold<arith::OrIOp>(loc, isShort, areMany);
  if (std::optional<int64_t> known = getConstantIntValue(byThreads))
    return *known != 0 ? emitByThreads() : emitByBlocks();
  auto branch = scf::IfOp::create(b, loc, byThreads, /*withElseRegion=*/true);
  b.setInsertionPoint(branch.thenYield());
  emitByThreads();
  b.setInsertionPoint(branch.elseYield());
  emitByBlocks();
}

void flywheel::launchScan(ScanOp op) { ScanEmitter(op).emit(); }
