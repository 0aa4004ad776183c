//===- ThreadAccumulators.cpp - Products by single threads ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Accumulators.h"

#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace flywheel;

/// Threads along each side of a tile.
static constexpr int64_t kThreadsAlong = 16;

/// Returns `sum`, with its multiplication and its addition fused to one
/// operation.
static Value fuseMultiplyAdd(OpBuilder &b, Value sum) {
  Operation *add = sum.getDefiningOp();
  if (!isa_and_present<arith::AddFOp, arith::SubFOp>(add) ||
      !(sum.getType().isF32() || sum.getType().isF64()))
    return sum;
  bool isSubtraction = isa<arith::SubFOp>(add);
  for (unsigned i : {1, 0}) {
    auto product = add->getOperand(i).getDefiningOp<arith::MulFOp>();
    if (!product || (isSubtraction && i == 0))
      continue;
    Value lhs = product.getLhs();
    if (isSubtraction)
      lhs = arith::NegFOp::create(b, add->getLoc(), lhs);
    return math::FmaOp::create(b, add->getLoc(), lhs, product.getRhs(),
                               add->getOperand(1 - i));
  }
  return sum;
}

namespace {
class ThreadAccumulators final : public Accumulators {
public:
  ThreadAccumulators(ThreadEmitter &threads, const BlockTile &tile,
                     Value thread)
      : threads(threads), depth(tile.depth) {
    OpBuilder &b = threads.b;
    Location loc = threads.loc;
    // Neighbouring threads are neighbours along columns.
    Value x =
        arith::RemUIOp::create(b, loc, thread, threads.index(kThreadsAlong));
    Value y =
        arith::DivUIOp::create(b, loc, thread, threads.index(kThreadsAlong));
    rows = locate(y, tile.rows / kThreadsAlong);
    columns = locate(x, tile.columns / kThreadsAlong);
    for (Value row : rows.places)
      for (Value column : columns.places)
        elements.push_back({row, column});
  }

  SmallVector<Value> multiply(ArrayRef<Value> before, const InputTile &lhs,
                              const InputTile &rhs, Value slot) override {
    SmallVector<Value> sums(before);
    Factors left{rows, lhs, {}}, right{columns, rhs, {}};
    for (int64_t term = 0; term < depth; ++term) {
      SmallVector<Value> a = load(left, slot, term),
                         c = load(right, slot, term);
      for (auto [i, factor] : llvm::enumerate(a))
        for (auto [j, other] : llvm::enumerate(c)) {
          Value &sum = sums[i * c.size() + j];
          sum = fuseMultiplyAdd(
              threads.b,
              threads.emitBody(ValueRange{factor, other}, sum).front());
        }
    }
    return sums;
  }

private:
  /// The elements of a thread along one side: runs of `width` neighbours.
  struct Side {
    int64_t width;
    SmallVector<Value> places;
  };
  /// The loaded elements of one input.
  struct Factors {
    const Side &side;
    const InputTile &tile;
    /// For each place, the elements of the last terms that were loaded
    /// together.
    SmallVector<Value> vectors;
  };

  Side locate(Value number, int64_t count) {
    OpBuilder &b = threads.b;
    Location loc = threads.loc;
    Side side{std::min<int64_t>(count, 4), {}};
    Value begin =
        b.createOrFold<arith::MulIOp>(loc, number, threads.index(side.width));
    for (int64_t i = 0; i < count; ++i) {
      int64_t offset =
          i / side.width * kThreadsAlong * side.width + i % side.width;
      side.places.push_back(
          b.createOrFold<arith::AddIOp>(loc, begin, threads.index(offset)));
    }
    return side;
  }

  Value loadVector(const InputTile &tile, ArrayRef<Value> indices,
                   int64_t width) {
    if (width == 1)
      return memref::LoadOp::create(threads.b, threads.loc, tile.buffer,
                                    indices);
    int64_t bytes = width * getElementBytes(tile.getElement());
    return vector::LoadOp::create(
        threads.b, threads.loc, VectorType::get({width}, tile.getElement()),
        tile.buffer, indices, /*nontemporal=*/false, llvm::MaybeAlign(bytes));
  }

  Value extract(Value value, int64_t place) {
    return isa<VectorType>(value.getType())
               ? vector::ExtractOp::create(threads.b, threads.loc, value, place)
                     .getResult()
               : value;
  }

  /// Loads the elements of this thread's places at `term`.
  SmallVector<Value> load(Factors &factors, Value slot, int64_t term) {
    const InputTile &tile = factors.tile;
    ArrayRef<Value> places = factors.side.places;
    constexpr int64_t kVectorBytes = 16;
    int64_t most = kVectorBytes / getElementBytes(tile.getElement());
    SmallVector<Value> values;
    if (tile.isAlongTerms) {
      // Loads several terms at a time.
      int64_t width = std::min<int64_t>({most, depth, 4});
      if (term % width == 0) {
        factors.vectors.clear();
        for (Value place : places)
          factors.vectors.push_back(loadVector(
              tile, tile.getIndices(slot, place, threads.index(term)), width));
      }
      for (Value vector : factors.vectors)
        values.push_back(extract(vector, term % width));
      return values;
    }
    int64_t width = std::min(most, factors.side.width);
    for (size_t i = 0; i < places.size(); i += width) {
      Value vector = loadVector(
          tile, tile.getIndices(slot, places[i], threads.index(term)), width);
      for (int64_t j = 0; j < width; ++j)
        values.push_back(extract(vector, j));
    }
    return values;
  }

  ThreadEmitter &threads;
  int64_t depth;
  Side rows, columns;
};
} // namespace

std::unique_ptr<Accumulators>
flywheel::createThreadAccumulators(ThreadEmitter &threads,
                                   const BlockTile &tile, Value thread) {
  return std::make_unique<ThreadAccumulators>(threads, tile, thread);
}
