//===- MatrixAccumulators.cpp - Products by tensor cores ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The PTX ISA specifies the elements of a fragment in each lane, in section
// "Warp Level Matrix Multiply-Accumulate Instructions".
//
//===----------------------------------------------------------------------===//

#include "Accumulators.h"
#include "BlockEmitter.h"

#include "flywheel/Analysis/Contraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace flywheel;

/// Lanes of a warp, and the sides of a product of fragments: those of the
/// instructions `mma.sync` and `ldmatrix` of PTX.
static constexpr int64_t kLanes = 32, kFragmentRows = 16, kFragmentColumns = 8;

/// Returns how many of the block's warps are along the rows of a tile: such
/// that each has whole fragments, and reads as few elements as possible.
static int64_t chooseWarpsAlongRows(const BlockTile &tile) {
  constexpr int64_t kWarps = kGroupBlockSize / kLanes;
  int64_t best = 0, least = 0;
  for (int64_t count = 1; count <= kWarps; count *= 2) {
    int64_t rows = tile.rows / count, columns = tile.columns * count / kWarps;
    if (rows % kFragmentRows != 0 || columns % kFragmentColumns != 0 ||
        columns == 0)
      continue;
    if (best == 0 || rows + columns < least) {
      best = count;
      least = rows + columns;
    }
  }
  assert(best != 0 && "a tile of 32 x 32 has fragments for all warps");
  return best;
}

namespace {
class MatrixAccumulators final : public Accumulators {
public:
  MatrixAccumulators(ThreadEmitter &threads, const BlockTile &tile,
                     Value thread)
      : threads(threads), depth(tile.depth),
        factor(getFactorType(threads.op, 0)),
        subtracts(subtractsProducts(threads.op)) {
    OpBuilder &b = threads.b;
    Location loc = threads.loc;
    int64_t down = chooseWarpsAlongRows(tile);
    int64_t across = kGroupBlockSize / kLanes / down;
    int64_t rows = tile.rows / down, columns = tile.columns / across;
    numRows = rows / kFragmentRows;
    numColumns = columns / kFragmentColumns;
    lane = arith::RemUIOp::create(b, loc, thread, threads.index(kLanes));
    Value warp = arith::DivUIOp::create(b, loc, thread, threads.index(kLanes));
    Value warpRow =
        b.createOrFold<arith::DivUIOp>(loc, warp, threads.index(across));
    Value warpColumn =
        b.createOrFold<arith::RemUIOp>(loc, warp, threads.index(across));
    firstRow = b.createOrFold<arith::MulIOp>(loc, warpRow, threads.index(rows));
    firstColumn =
        b.createOrFold<arith::MulIOp>(loc, warpColumn, threads.index(columns));
    // Rows of 4 lanes, with 2 columns each.
    quad = arith::DivUIOp::create(b, loc, lane, threads.index(4));
    inQuad = arith::RemUIOp::create(b, loc, lane, threads.index(4));
    Value row = arith::AddIOp::create(b, loc, firstRow, quad);
    Value column = arith::AddIOp::create(
        b, loc, firstColumn,
        arith::MulIOp::create(b, loc, inQuad, threads.index(2)));
    for (int64_t i = 0; i < numRows; ++i)
      for (int64_t j = 0; j < numColumns; ++j)
        for (int64_t half : {0, 1})
          for (int64_t odd : {0, 1})
            elements.push_back({add(row, i * kFragmentRows + half * 8),
                                add(column, j * kFragmentColumns + odd)});
  }

  bool isNegated() const override { return subtracts; }

  SmallVector<Value> multiply(ArrayRef<Value> before, const InputTile &lhs,
                              const InputTile &rhs, Value slot) override {
    OpBuilder &b = threads.b;
    SmallVector<Value> sums;
    for (; !before.empty(); before = before.drop_front(4))
      sums.push_back(makeFragment(b.getF32Type(), before.take_front(4)));
    int64_t step = factor.isF32() ? 8 : 16;
    for (int64_t term = 0; term < depth; term += step) {
      SmallVector<Value> a, c;
      for (int64_t i = 0; i < numRows; ++i)
        a.push_back(factor.isF32()
                        ? loadWide(lhs, slot, i * kFragmentRows, term, true)
                        : loadRows(lhs, slot, i * kFragmentRows, term));
      for (int64_t j = 0; j < numColumns;) {
        if (factor.isF32()) {
          c.push_back(loadWide(rhs, slot, j++ * kFragmentColumns, term, false));
          continue;
        }
        int64_t count = std::min<int64_t>(numColumns - j, 2);
        llvm::append_range(
            c, loadColumns(rhs, slot, j * kFragmentColumns, term, count));
        j += count;
      }
      for (int64_t i = 0; i < numRows; ++i)
        for (int64_t j = 0; j < numColumns; ++j) {
          Value &sum = sums[i * numColumns + j];
          sum = nvgpu::MmaSyncOp::create(
              b, threads.loc, a[i], c[j], sum,
              ArrayRef<int64_t>{kFragmentRows, kFragmentColumns, step},
              /*tf32Enabled=*/factor.isF32());
        }
    }
    SmallVector<Value> after;
    for (Value fragment : sums)
      llvm::append_range(after, takeApart(fragment));
    return after;
  }

private:
  /// Converts `numbers` to a fragment, whose rows are two numbers; and back.
  Value makeFragment(Type element, ArrayRef<Value> numbers) {
    OpBuilder &b = threads.b;
    int64_t words = static_cast<int64_t>(numbers.size()) / 2;
    auto type = VectorType::get({words, 2}, element);
    Value fragment =
        arith::ConstantOp::create(b, threads.loc, b.getZeroAttr(type));
    for (int64_t i = 0; i < words; ++i) {
      Value word = vector::FromElementsOp::create(
          b, threads.loc, VectorType::get({2}, element),
          ValueRange(numbers.slice(2 * i, 2)));
      fragment = vector::InsertOp::create(b, threads.loc, word, fragment, i);
    }
    return fragment;
  }
  SmallVector<Value> takeApart(Value fragment) {
    SmallVector<Value> numbers;
    int64_t words = cast<VectorType>(fragment.getType()).getDimSize(0);
    for (int64_t i = 0; i < words; ++i)
      for (int64_t odd : {0, 1})
        numbers.push_back(vector::ExtractOp::create(
            threads.b, threads.loc, fragment, ArrayRef<int64_t>{i, odd}));
    return numbers;
  }

  Value add(Value lhs, Value rhs) {
    return threads.b.createOrFold<arith::AddIOp>(threads.loc, lhs, rhs);
  }
  Value add(Value value, int64_t number) {
    return add(value, threads.index(number));
  }

  Value scale(Value value, int64_t number) {
    return threads.b.createOrFold<arith::MulIOp>(threads.loc, value,
                                                 threads.index(number));
  }
  Value bit(Value value, int64_t shift) {
    OpBuilder &b = threads.b;
    Value shifted = b.createOrFold<arith::DivUIOp>(
        threads.loc, value, threads.index(int64_t{1} << shift));
    return b.createOrFold<arith::RemUIOp>(threads.loc, shifted,
                                          threads.index(2));
  }

  /// Loads `count` matrices of 8 x 8. `sideOf` and `termOf` are the bits of the
  /// lane that select the matrix, along the side and along the terms, whose row
  /// the lane addresses.
  Value loadMatrices(const InputTile &tile, Value slot, Value side,
                     int64_t term, int64_t count, int64_t sideBit,
                     int64_t termBit) {
    OpBuilder &b = threads.b;
    Value inMatrix =
        b.createOrFold<arith::RemUIOp>(threads.loc, lane, threads.index(8));
    Value sideAt = add(side, scale(bit(lane, sideBit), 8));
    Value termAt = add(scale(bit(lane, termBit), 8), term);
    Value &along = tile.isAlongTerms ? sideAt : termAt;
    along = add(along, inMatrix);
    return nvgpu::LdMatrixOp::create(
        b, threads.loc, VectorType::get({count, 2}, factor), tile.buffer,
        tile.getIndices(slot, sideAt, termAt), b.getBoolAttr(false),
        b.getI32IntegerAttr(count));
  }

  /// Loads a fragment of 16 rows and 16 terms of A, of 16 bits.
  Value loadRows(const InputTile &tile, Value slot, int64_t row, int64_t term) {
    return setTransposed(loadMatrices(tile, slot, add(firstRow, row), term,
                                      /*count=*/4, /*sideBit=*/3,
                                      /*termBit=*/4),
                         !tile.isAlongTerms);
  }

  /// Loads `count` fragments, 1 or 2, of 16 terms and 8 columns of B, of 16
  /// bits.
  SmallVector<Value> loadColumns(const InputTile &tile, Value slot,
                                 int64_t column, int64_t term, int64_t count) {
    Value loaded =
        setTransposed(loadMatrices(tile, slot, add(firstColumn, column), term,
                                   count * 2, /*sideBit=*/4, /*termBit=*/3),
                      !tile.isAlongTerms);
    if (count == 1)
      return {loaded};
    SmallVector<Value> numbers = takeApart(loaded);
    return {makeFragment(factor, ArrayRef(numbers).take_front(4)),
            makeFragment(factor, ArrayRef(numbers).drop_front(4))};
  }

  static Value setTransposed(Value loaded, bool isTransposed) {
    loaded.getDefiningOp<nvgpu::LdMatrixOp>().setTranspose(isTransposed);
    return loaded;
  }

  /// Loads a fragment of 8 terms of A or B, of f32, and rounds it to tf32.
  Value loadWide(const InputTile &tile, Value slot, int64_t side, int64_t term,
                 bool isLhs) {
    OpBuilder &b = threads.b;
    Location loc = threads.loc;
    SmallVector<Value> numbers;
    Value place = add(add(isLhs ? firstRow : firstColumn, quad), side);
    for (int64_t part : {0, 4})
      for (int64_t half = 0; half < (isLhs ? 2 : 1); ++half) {
        Value number =
            memref::LoadOp::create(b, loc, tile.buffer,
                                   tile.getIndices(slot, add(place, half * 8),
                                                   add(inQuad, term + part)));
        Value bits = NVVM::ConvertFloatToTF32Op::create(
            b, loc, b.getI32Type(), number, NVVM::FPRoundingMode::RNA);
        numbers.push_back(
            arith::BitcastOp::create(b, loc, b.getF32Type(), bits));
      }
    auto type = VectorType::get({static_cast<int64_t>(numbers.size()), 1},
                                b.getF32Type());
    Value fragment = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    for (auto [place, number] : llvm::enumerate(numbers))
      fragment = vector::InsertOp::create(
          b, loc, number, fragment,
          ArrayRef<int64_t>{static_cast<int64_t>(place), 0});
    return fragment;
  }

  ThreadEmitter &threads;
  int64_t depth;
  Type factor;
  bool subtracts;
  /// Fragments of the warp's part.
  int64_t numRows, numColumns;
  Value lane, quad, inQuad, firstRow, firstColumn;
};
} // namespace

std::unique_ptr<Accumulators>
flywheel::createMatrixAccumulators(ThreadEmitter &threads,
                                   const BlockTile &tile, Value thread) {
  return std::make_unique<MatrixAccumulators>(threads, tile, thread);
}
