//===- ContractionTile.cpp - Parts of C in registers ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/CPU/ContractionTile.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;

namespace flywheel {

int64_t getVectorLength(Type elementType, codegen::CPUAttr cpu) {
  unsigned bits =
      elementType.isIntOrFloat() ? elementType.getIntOrFloatBitWidth() : 64;
  // Sub-byte types occupy a byte in memory.
  bits = std::max(bits, 8u);
  return std::max<int64_t>(1, cpu.getVectorBits() / bits);
}

/// The number of rows from which on the cost of a tail does not matter.
static constexpr int64_t kManyRows = 512;
/// The fixed time of each tile, and that of a tail, in rows that take as long:
/// 8 rows without a tail are as fast as 12 with one if there are 128 rows, and
/// take 1.12 times as long if there are 4096.
static constexpr int64_t kTileRows = 2, kTailRows = 16;

/// The number of tiles from which on the cost of a tail does not matter, if
/// there are few registers: lower tiles take longer.
static constexpr int64_t kManyTiles = 4;

/// Multiply-adds that need not wait for each other: two units with a latency of
/// four cycles.
static constexpr int64_t kChains = 8;

bool hasFewRegisters(codegen::CPUAttr cpu) {
  return cpu.getVectorRegisters() <= 16;
}

/// Returns the even height of tiles that takes the least time for `m` rows. It
/// is at least two rows less than fit in registers, which the epilogue needs as
/// well.
static int64_t chooseTallRows(int64_t maxRows, int64_t m) {
  int64_t best = 0, least = 0;
  for (int64_t rows = maxRows > 8 ? maxRows - 2 : maxRows; 2 * rows > maxRows;
       rows -= 2) {
    int64_t tail = m % rows;
    int64_t time = m / rows * (rows + kTileRows) +
                   (tail ? tail + kTileRows + kTailRows : 0);
    if (!best || time < least) {
      best = rows;
      least = time;
    }
  }
  return best;
}

/// Returns the height of a tile for `m` rows, of which `maxRows` fit in
/// registers.
static int64_t chooseRows(codegen::CPUAttr cpu, int64_t maxRows, int64_t m,
                          bool unrolled, bool tall) {
  // Beyond this many rows the code grows and nothing gets faster.
  maxRows = std::min<int64_t>(maxRows, 16);
  if (ShapedType::isDynamic(m))
    return std::min<int64_t>(maxRows, 8);
  if (m <= maxRows)
    return std::max<int64_t>(m, 1);
  if (tall && !unrolled && m >= kManyRows && maxRows % 2 == 0)
    return chooseTallRows(maxRows, m);
  // A divisor of M avoids a row tail. Less than half of the registers cannot
  // hide the latency of an FMA, so a tail is then the lesser evil; with few
  // registers, one row less than fits is tried, too. Unrolled tiles may have
  // different heights.
  int64_t minRows = hasFewRegisters(cpu) && m > kManyTiles * maxRows
                        ? maxRows - 1
                        : maxRows / 2 + 1;
  for (int64_t rows = maxRows; rows >= minRows && !unrolled; --rows)
    if (m % rows == 0)
      return rows;
  // Without a divisor: the fewest tiles, and those of even height.
  int64_t numTiles = llvm::divideCeil(m, maxRows);
  return llvm::divideCeil(m, numTiles);
}

ContractionTile chooseContractionTile(Type elementType, codegen::CPUAttr cpu,
                                      int64_t m, int64_t n, bool unrolled,
                                      bool tall) {
  ContractionTile tile;
  tile.vectorLength = getVectorLength(elementType, cpu);
  // Two vectors of B share each broadcast of A; more would leave too few rows.
  // With few rows, only independent columns hide the latency of an FMA.
  int64_t numVectors = 2;
  if (!ShapedType::isDynamic(m) && m < 5)
    numVectors = std::min<int64_t>(8, 12 / std::max<int64_t>(m, 1));
  if (!ShapedType::isDynamic(n))
    numVectors = std::clamp<int64_t>(llvm::divideCeil(n, tile.vectorLength), 1,
                                     numVectors);
  tile.nr = numVectors * tile.vectorLength;
  if (!ShapedType::isDynamic(n))
    tile.nr = std::clamp<int64_t>(n, 1, tile.nr);
  // Besides the accumulators: the vectors of B and one broadcast element of A.
  int64_t registers = cpu.getVectorRegisters();
  int64_t maxRows =
      std::max<int64_t>(1, (registers - numVectors - 1) / numVectors);
  // Even heights only: 6x16 rather than 6.5 rows on AVX2, 14x32 on AVX-512.
  if (maxRows > 1)
    maxRows &= ~int64_t{1};
  tile.mr = chooseRows(cpu, maxRows, m, unrolled, tall);
  return tile;
}

ContractionTile chooseSlidingTile(Type elementType, codegen::CPUAttr cpu,
                                  int64_t m, int64_t n, int64_t numKept) {
  ContractionTile tile;
  tile.vectorLength = getVectorLength(elementType, cpu);
  // Few rows hide the latency of an FMA with two vectors of columns.
  int64_t registers = cpu.getVectorRegisters();
  bool isLow = !ShapedType::isDynamic(m) && m < kChains &&
               2 * (m + numKept) + 1 <= registers;
  tile.nr = tile.vectorLength * (isLow ? 2 : 1);
  if (!ShapedType::isDynamic(n))
    tile.nr = std::clamp<int64_t>(n, 1, tile.nr);
  // Besides the sums, registers hold `numKept` vectors, and one more.
  int64_t maxRows = std::max<int64_t>(1, registers - numKept - 1);
  tile.mr = chooseRows(cpu, maxRows, m, /*unrolled=*/false, /*tall=*/false);
  return tile;
}

ContractionTile chooseLaneSumTile(Type elementType, codegen::CPUAttr cpu,
                                  int64_t m, int64_t n) {
  ContractionTile tile;
  tile.vectorLength = getVectorLength(elementType, cpu);
  // Besides the accumulators: the vectors of A, one of B, and some to spare.
  int64_t most = std::max<int64_t>(1, cpu.getVectorRegisters() * 3 / 4);
  auto clamp = [](int64_t size, int64_t most) {
    return ShapedType::isDynamic(size) ? most
                                       : std::clamp<int64_t>(size, 1, most);
  };
  // If one side has few vectors, all of them are in registers, with as many of
  // the other side as fit.
  constexpr int64_t kFew = 4;
  auto fit = [&](int64_t few) {
    return std::min(
        tile.vectorLength,
        static_cast<int64_t>(llvm::bit_floor<uint64_t>(most / few)));
  };
  int64_t rows = clamp(m, kFew), columns = clamp(n, kFew);
  if (rows < kFew || columns == kFew)
    tile.mr = rows, tile.nr = clamp(n, fit(rows));
  else
    tile.nr = columns, tile.mr = clamp(m, fit(columns));
  return tile;
}

} // namespace flywheel
