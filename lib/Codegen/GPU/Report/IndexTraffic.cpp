//===- IndexTraffic.cpp - What launches that follow indices move ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No indexing map describes the reads of such an op: it reads as many bytes of
// a table as the slices of its result have, but at most the whole table.
//
//===----------------------------------------------------------------------===//

#include "LaunchTraffic.h"

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Support/CheckedSize.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace flywheel::linalg_ext;

namespace flywheel {
namespace {
/// Sums the traffic and the operations of one launch.
class WorkCounter {
public:
  /// Adds `bytes` of `buffer`, as often as blocks access them.
  void read(Value buffer, int64_t bytes) { add(buffer, bytes, 0); }
  void write(Value buffer, int64_t bytes) { add(buffer, 0, bytes); }
  void read(Value buffer) { read(buffer, countBufferBytes(buffer)); }
  void write(Value buffer) { write(buffer, countBufferBytes(buffer)); }
  void compute(Value buffer, int64_t operations) {
    if (isa<FloatType>(getElementTypeOrSelf(buffer.getType())))
      work.flops = addUp(work.flops, operations);
  }

  LaunchWork work;

private:
  void add(Value buffer, int64_t read, int64_t written) {
    int64_t most = countBufferBytes(buffer);
    work.buffers.push_back({getTrafficBuffer(buffer), std::min(read, most),
                            std::min(written, most)});
    work.accessed = addUp(work.accessed, addUp(read, written));
  }
};
} // namespace

static int64_t bytesOfElement(Value buffer) {
  return getElementBytes(getElementTypeOrSelf(buffer.getType()));
}

/// Returns the bytes of as many elements of `buffer` as `other` has.
static int64_t bytesOfSlices(Value buffer, Value other) {
  return multiplyUp(countBufferElements(other), bytesOfElement(buffer));
}

static SmallVector<LaunchWork> measureGather(GatherOp op) {
  WorkCounter counter;
  counter.read(op.getX(), bytesOfSlices(op.getX(), op.getInit()));
  counter.read(op.getIndices(), bytesOfSlices(op.getIndices(), op.getInit()));
  counter.write(op.getInit());
  return {counter.work};
}

static SmallVector<LaunchWork> measureScatter(ScatterOp op) {
  WorkCounter counter;
  Value updates = op.getUpdates(), init = op.getInit();
  counter.read(op.getIndices(), bytesOfSlices(op.getIndices(), updates));
  if (Value order = op.getOrder())
    counter.read(order, bytesOfSlices(order, updates));
  counter.read(updates);
  if (op.getKind() == ScatterKind::add) {
    counter.read(init, bytesOfSlices(init, updates));
    counter.compute(init, countBufferElements(updates));
  }
  counter.write(init, bytesOfSlices(init, updates));
  return {counter.work};
}

/// Measures a launch that sorts tiles, and two that merge runs, to a spare
/// buffer and back.
static SmallVector<LaunchWork> measureArgsort(ArgsortOp op) {
  Value indices = op.getIndices(), order = op.getOrder(), spare = op.getSpare();
  int64_t count = assumeSize(indices, 0);
  WorkCounter tiles;
  tiles.read(indices);
  tiles.write(order);
  SmallVector<LaunchWork> all = {tiles.work};
  unsigned numBits = llvm::Log2_64_Ceil(std::max<int64_t>(count, 1));
  auto numPairs = numBits > kNumSortTileBits
                      ? llvm::divideCeil(numBits - kNumSortTileBits, 2)
                      : 0;
  // Each index searches for its position in a run of at most the length of its
  // own.
  int64_t searches = std::max<int64_t>(numBits, 1);
  for (auto [from, to] : {std::pair(order, spare), std::pair(spare, order)}) {
    WorkCounter merge;
    merge.read(from, multiplyUp(countBufferBytes(from), searches));
    merge.read(indices, multiplyUp(countBufferBytes(indices), searches));
    merge.write(to);
    merge.work.times = static_cast<int64_t>(numPairs);
    all.push_back(merge.work);
  }
  return all;
}

static SmallVector<LaunchWork> measureCombineRows(CombineRowsOp op) {
  WorkCounter counter;
  Value rows = op.getRows();
  counter.read(op.getIndices(), bytesOfSlices(op.getIndices(), rows));
  counter.read(op.getOrder(), bytesOfSlices(op.getOrder(), rows));
  counter.read(rows);
  counter.write(rows);
  counter.compute(rows, countBufferElements(rows));
  return {counter.work};
}

static SmallVector<LaunchWork> measureUpdateRows(UpdateRowsOp op) {
  WorkCounter counter;
  Value rows = op.getRows(), first = op.getTables().front();
  Value lookups = rows;
  int64_t searches = 1, elements = countBufferElements(rows);
  if (op.getAll()) {
    // A search for each row of the tables.
    elements = countBufferElements(first);
    searches = std::max<int64_t>(
        llvm::Log2_64_Ceil(std::max<int64_t>(assumeSize(rows, 0), 1)), 1);
    lookups = Value();
  }
  for (Value list : {Value(op.getIndices()), Value(op.getOrder())}) {
    int64_t asked = lookups
                        ? bytesOfSlices(list, lookups)
                        : multiplyUp(multiplyUp(assumeSize(first, 0), searches),
                                     bytesOfElement(list));
    counter.read(list, std::max(asked, countBufferBytes(list)));
  }
  counter.read(rows);
  for (Value table : op.getTables()) {
    int64_t bytes = multiplyUp(elements, bytesOfElement(table));
    counter.read(table, bytes);
    counter.write(table, bytes);
  }
  counter.work.flops =
      multiplyUp(elements, countBlockFlops(op.getBody().front()));
  return {counter.work};
}

/// Measures a launch with a thread for each row, and one with a block, which
/// reads twice.
static SmallVector<LaunchWork> measureScan(ScanOp op) {
  SmallVector<LaunchWork> all;
  int64_t operations = op.getKind() == ScanKind::logaddexp ? 5 : 1;
  for (int64_t readings : {1, 2}) {
    WorkCounter counter;
    counter.read(op.getX(), multiplyUp(readings, countBufferBytes(op.getX())));
    counter.write(op.getInit());
    counter.compute(op.getX(), multiplyUp(multiplyUp(readings, operations),
                                          countBufferElements(op.getX())));
    all.push_back(counter.work);
  }
  // Only one of them is emitted.
  all.back().times = 0;
  return all;
}

static SmallVector<LaunchWork> measureCholesky(CholeskyOp op) {
  Value matrices = op.getInit();
  int64_t size =
      assumeSize(matrices, cast<MemRefType>(matrices.getType()).getRank() - 1);
  // Each element takes a product for each column before it.
  int64_t products = multiplyUp(countBufferElements(matrices),
                                llvm::divideCeil(size, int64_t(6)));
  WorkCounter factors, flags;
  factors.read(matrices,
               multiplyUp(multiplyUp(products, 2), bytesOfElement(matrices)));
  factors.write(matrices);
  factors.compute(matrices, multiplyUp(products, 2));
  flags.read(op.getSuccess());
  flags.write(op.getSuccess());
  return {factors.work, flags.work};
}

static SmallVector<LaunchWork> measureTriangularSolve(TriangularSolveOp op) {
  Value a = op.getA(), x = op.getInit();
  int64_t rank = cast<MemRefType>(x.getType()).getRank();
  int64_t products =
      multiplyUp(countBufferElements(x),
                 llvm::divideCeil(assumeSize(x, rank - 2), int64_t(2)));
  WorkCounter counter;
  counter.read(a, multiplyUp(products, bytesOfElement(a)));
  counter.read(x, multiplyUp(products, bytesOfElement(x)));
  counter.write(x, multiplyUp(products, bytesOfElement(x)));
  counter.compute(x, multiplyUp(products, 2));
  // One triangle of each matrix is read.
  auto bytes = countBufferBytes(a) / 2;
  counter.work.buffers.front().read =
      std::min(counter.work.buffers.front().read, std::max<int64_t>(bytes, 1));
  return {counter.work};
}

SmallVector<LaunchWork> measureLaunches(Operation *op) {
  return TypeSwitch<Operation *, SmallVector<LaunchWork>>(op)
      .Case(measureGather)
      .Case(measureScatter)
      .Case(measureArgsort)
      .Case(measureCombineRows)
      .Case(measureUpdateRows)
      .Case(measureScan)
      .Case(measureCholesky)
      .Case(measureTriangularSolve)
      .Default([](Operation *other) {
        assert((!isa_and_nonnull<LinalgExtDialect>(other->getDialect()) ||
                !isa<DestinationStyleOpInterface>(other)) &&
               "an op whose launches nothing measures");
        return SmallVector<LaunchWork>();
      });
}

} // namespace flywheel
