//===- SortLaunches.cpp - Sorting on the device ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A merge sort, which needs no atomic operation and has the same result for any
// order of threads: each element counts, by a binary search, how many elements
// of the neighbouring run precede it, which gives its position in the merged
// run. Blocks sort tiles in workgroup memory; each later launch doubles the
// length of the runs. A tile is large enough for a batch of a usual size to be
// one launch.
//
//===----------------------------------------------------------------------===//

#include "BlockEmitter.h"
#include "IndexEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::linalg_ext;

static constexpr int64_t kTile = int64_t(1) << kNumSortTileBits;

namespace {
class SortEmitter : IndexEmitter {
public:
  explicit SortEmitter(ArgsortOp op)
      : IndexEmitter(op), op(op), count(sizeOf(op.getIndices(), 0)) {}

  void emit();

private:
  Value emitNumBits(Value number);
  Value emitRank(Value width, Value numSteps, Value size,
                 function_ref<Value(Value)> isBefore);
  void sortTiles();
  void mergeRuns(Value from, Value to, Value numWidthBits, unsigned launch);
  Value loadKey(Value position) {
    return arith::MinUIOp::create(b, loc, loadIndex(op.getIndices(), position),
                                  op.getLimit());
  }
  Value shiftLeft(Value number, Value bits) {
    return arith::ShLIOp::create(b, loc, number, bits);
  }
  Value shiftRight(Value number, Value bits) {
    return arith::ShRUIOp::create(b, loc, number, bits);
  }
  Value flipLowest(Value number) {
    return arith::XOrIOp::create(b, loc, number, constant(1));
  }

  ArgsortOp op;
  Value count;
};
} // namespace

/// Emits the least k with 2^k >= `number`, of the host; 0 for 0.
Value SortEmitter::emitNumBits(Value number) {
  Value most = arith::MaxUIOp::create(b, loc, number, constant(1));
  Type type = b.getI64Type();
  Value last =
      arith::IndexCastOp::create(b, loc, type, subtract(most, constant(1)));
  Value unused = arith::IndexCastOp::create(
      b, loc, b.getIndexType(),
      math::CountLeadingZerosOp::create(b, loc, last));
  return subtract(constant(64), unused);
}

/// Returns the number of elements for which `isBefore` is true among the first
/// `size` elements of a sorted run, of at most `width` = 2^`numBits`. These
/// elements precede all others.
Value SortEmitter::emitRank(Value width, Value numBits, Value size,
                            function_ref<Value(Value)> isBefore) {
  Value one = constant(1), none = constant(0);
  auto loop = scf::ForOp::create(b, loc, none, add(numBits, one), one, none);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value rank = loop.getRegionIterArg(0);
  Value more = add(rank, shiftRight(width, loop.getInductionVar()));
  Value isInside = compare(arith::CmpIPredicate::ule, more, size);
  Value outside = arith::ConstantIntOp::create(b, loc, 0, 1);
  auto isBeforeLast = [&] { return isBefore(subtract(more, one)); };
  Value holds = choose(isInside, isBeforeLast, outside);
  scf::YieldOp::create(
      b, loc, arith::SelectOp::create(b, loc, holds, more, rank).getResult());
  return loop.getResult(0);
}

/// Sorts each tile in workgroup memory, by numbers that are all different: the
/// index followed by the position in the tile.
void SortEmitter::sortTiles() {
  Value none = constant(0), one = constant(1), tile = constant(kTile);
  // A short list takes fewer rounds.
  Value numRounds = arith::MinUIOp::create(b, loc, emitNumBits(count),
                                           constant(kNumSortTileBits));
  Value numKeys = shiftLeft(one, numRounds);
  Value threads = constant(kGroupBlockSize);
  OpBuilder::InsertionGuard guard(b);
  BlockEmitter emitter(
      launchBlocks(b.createOrFold<arith::CeilDivUIOp>(loc, count, tile)));
  Value keys = emitter.allocateScratch(b, loc, {2 * kTile}, b.getIndexType());
  Value thread = emitter.getThread();
  Value begin =
      multiply(gpu::BlockIdOp::create(b, loc, gpu::Dimension::x), tile);
  Value size = arith::MinUIOp::create(b, loc, subtract(count, begin), tile);
  loop(thread, numKeys, threads, [&](Value number) {
    Value isInside = compare(arith::CmpIPredicate::ult, number, size);
    // Keys without an index are sorted to the end.
    Value key = choose(
        isInside,
        [&] {
          Value index = loadKey(add(begin, number));
          return add(multiply(index, tile), number);
        },
        add(constant(-kTile), number));
    memref::StoreOp::create(b, loc, key, keys, number);
  });
  emitter.emitBarrier(b, loc);
  loop(none, numRounds, one, [&](Value round) {
    // Reads one half of the memory, and writes the other.
    Value isOdd = arith::AndIOp::create(b, loc, round, one);
    Value from = multiply(isOdd, tile);
    Value to = multiply(flipLowest(isOdd), tile);
    Value width = shiftLeft(one, round);
    loop(thread, numKeys, threads, [&](Value number) {
      Value key = memref::LoadOp::create(b, loc, keys, add(from, number));
      Value run = shiftRight(number, round);
      Value beside = add(from, shiftLeft(flipLowest(run), round));
      Value rank = emitRank(width, round, width, [&](Value other) {
        Value found = memref::LoadOp::create(b, loc, keys, add(beside, other));
        return compare(arith::CmpIPredicate::ult, found, key);
      });
      Value pair = shiftLeft(shiftRight(run, one), add(round, one));
      Value within = subtract(number, shiftLeft(run, round));
      Value place = add(to, add(add(pair, within), rank));
      memref::StoreOp::create(b, loc, key, keys, place);
    });
    emitter.emitBarrier(b, loc);
  });
  Value last = multiply(arith::AndIOp::create(b, loc, numRounds, one), tile);
  loop(thread, size, threads, [&](Value number) {
    Value key = memref::LoadOp::create(b, loc, keys, add(last, number));
    Value place = arith::RemUIOp::create(b, loc, key, tile);
    Value position =
        arith::IndexCastOp::create(b, loc, b.getI64Type(), add(begin, place));
    memref::StoreOp::create(b, loc, position, op.getOrder(),
                            add(begin, number));
  });
}

/// Merges pairs of runs of 2^`numWidthBits` positions.
void SortEmitter::mergeRuns(Value from, Value to, Value numWidthBits,
                            unsigned launch) {
  OpBuilder::InsertionGuard guard(b);
  Value number = launchElements(count, launch);
  Value one = constant(1), none = constant(0);
  Value width = shiftLeft(one, numWidthBits);
  Value position = loadPosition(from, number, count);
  Value key = loadKey(position);
  Value run = shiftRight(number, numWidthBits);
  Value beside = shiftLeft(flipLowest(run), numWidthBits);
  // The last run may be shorter, or empty.
  Value size = arith::MaxSIOp::create(b, loc, subtract(count, beside), none);
  size = arith::MinSIOp::create(b, loc, size, width);
  // Among equal indices, those of the first run precede the others.
  Value isSecond = compare(arith::CmpIPredicate::ne,
                           arith::AndIOp::create(b, loc, run, one), none);
  Value rank = emitRank(width, numWidthBits, size, [&](Value other) {
    Value found = loadKey(loadPosition(from, add(beside, other), count));
    Value isLess = compare(arith::CmpIPredicate::ult, found, key);
    Value isEqual = compare(arith::CmpIPredicate::eq, found, key);
    return arith::OrIOp::create(b, loc, isLess, both(isEqual, isSecond))
        .getResult();
  });
  Value pair = shiftLeft(shiftRight(run, one), add(numWidthBits, one));
  Value within = subtract(number, shiftLeft(run, numWidthBits));
  Value integer = arith::IndexCastOp::create(b, loc, b.getI64Type(), position);
  memref::StoreOp::create(b, loc, integer, to, add(add(pair, within), rank));
}

void SortEmitter::emit() {
  sortTiles();
  // Sorts to `to` and back: a run without a neighbour remains as it is.
  Value numTileBits = constant(kNumSortTileBits);
  Value numBits =
      arith::MaxUIOp::create(b, loc, emitNumBits(count), numTileBits);
  loop(numTileBits, numBits, constant(2), [&](Value bits) {
    mergeRuns(op.getOrder(), op.getSpare(), bits, /*launch=*/1);
    mergeRuns(op.getSpare(), op.getOrder(), add(bits, constant(1)),
              /*launch=*/2);
  });
}

void flywheel::launchArgsort(ArgsortOp op) { SortEmitter(op).emit(); }
