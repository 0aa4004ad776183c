//===- LaneTiles.cpp - Tiles of contractions that read lanes of both ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FMAChoice.h"
#include "WeightDecoder.h"

#include "flywheel/Support/CheckedSize.h"
#include "flywheel/Transforms/Memory/StackSlots.h"

using namespace mlir;

namespace flywheel {

/// The least number of bytes of neighbouring columns of a tile: the elements of
/// all images in these columns fill a cache line. Without vectors there are no
/// caches to consider.
static constexpr int64_t kLineBytes = 64;
/// Bytes of a tile of C that is on the stack until the epilogue has read it.
static constexpr int64_t kStackTileBytes = 2048;
/// Outputs of a channel whose sums take so long that its filter can be decoded
/// for these alone.
static constexpr int64_t kMinOutputs = 128;

/// Returns the largest multiple of `step` that divides `size`, is at most
/// `most` and at least half of it, so that all tiles have one size and buffers
/// of a known size. If there is none, or `size` is dynamic, returns `most`, or
/// the next size that leaves no tile of one element, which is not a vector.
static int64_t alignToDivisor(int64_t size, int64_t most, int64_t step = 1) {
  if (ShapedType::isDynamic(size) || size <= most)
    return most;
  for (int64_t part = most; part > 1 && 2 * part >= most; part -= step)
    if (size % part == 0)
      return part;
  while (most == 1 || size % most == 1)
    ++most;
  return most;
}

namespace {
class LaneTiler {
public:
  LaneTiler(const FMAChoice &choice, bool hasEpilogue)
      : contraction(choice.contraction), registers(choice.tile),
        sizes(choice.sizes), hasEpilogue(hasEpilogue),
        isDecoded(choice.isDecoded()),
        bytes(getElementBytes(choice.getElement())) {
    llvm::copy_if(choice.parallel, std::back_inserter(outer),
                  [&](unsigned loop) {
                    return loop != contraction.n &&
                           !llvm::is_contained(contraction.rows, loop);
                  });
    height = contraction.rows.size() > 1 ? choice.countRows() : registers.mr;
    for (unsigned loop : contraction.rows)
      numRows *= choice.estimateSize(loop);
  }

  SmallVector<SmallVector<int64_t>> choose() const;

private:
  bool isLonger(unsigned loop, int64_t size) const {
    return ShapedType::isDynamic(sizes[loop]) || sizes[loop] > size;
  }
  /// Returns the columns whose decoded filter fits a stack slot.
  int64_t countDecodedColumns() const;
  /// Returns tiles of all columns and of a part of the outputs, at least two,
  /// which have enough outputs for decoding the filter again; none if there are
  /// too few outputs.
  SmallVector<int64_t> choosePartsOfOutputs() const;
  /// Returns tiles of a part of the columns, with all outputs; none if all
  /// columns are in one.
  SmallVector<int64_t> choosePartsOfColumns(int64_t most) const;
  /// Returns the tiles for each of which the filter is decoded once.
  SmallVector<int64_t> chooseDecodedTiles() const;
  /// Returns the tiles of C inside of those of `decoded`, if there are any.
  SmallVector<int64_t> chooseStackTiles(ArrayRef<int64_t> decoded) const;

  const Contraction &contraction;
  const ContractionTile &registers;
  ArrayRef<int64_t> sizes;
  bool hasEpilogue, isDecoded;
  /// Those of an element of C.
  int64_t bytes;
  /// The least number of rows of a tile, and that of all rows together.
  int64_t height = 1;
  CheckedSize numRows = 1;
  /// The parallel loops besides those of rows and columns.
  SmallVector<unsigned> outer;
};
} // namespace

int64_t LaneTiler::countDecodedColumns() const {
  linalg::LinalgOp op = contraction.op;
  int64_t most = kMaxStackBytes;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!findWeightDecoder(*input))
      continue;
    AffineMap map = op.getMatchingIndexingMap(input);
    CheckedSize column = getElementBytes(getElementTypeOrSelf(input->get()));
    for (unsigned loop = 0; loop < sizes.size(); ++loop)
      if (loop != contraction.n && map.isFunctionOfDim(loop) &&
          !ShapedType::isDynamic(sizes[loop]))
        column *= sizes[loop];
    most = std::min(most, kMaxStackBytes / column.getSaturated());
  }
  return most;
}

SmallVector<int64_t> LaneTiler::choosePartsOfOutputs() const {
  SmallVector<int64_t> tiles(sizes.size(), 0);
  bool hasParts = false;
  CheckedSize outputs = numRows;
  for (unsigned loop : llvm::reverse(outer)) {
    int64_t part = 1;
    if (outputs.getSaturated() < kMinOutputs)
      part = alignToDivisor(
          sizes[loop], llvm::divideCeil(kMinOutputs, outputs.getSaturated()));
    // A loop of one whole tile would be no loop.
    if (!isLonger(loop, 2 * part - 1)) {
      outputs *= sizes[loop];
      continue;
    }
    tiles[loop] = part;
    outputs = std::max(outputs.getSaturated(), kMinOutputs);
    hasParts = true;
  }
  return hasParts ? tiles : SmallVector<int64_t>();
}

SmallVector<int64_t> LaneTiler::choosePartsOfColumns(int64_t most) const {
  int64_t lanes = registers.vectorLength, size = sizes[contraction.n];
  int64_t width = registers.nr;
  if (lanes > 1) {
    // Images are read in the order of memory along wide tiles. Those of one
    // line take up to 2.4 times as long: if the number of channels is a power
    // of two, the lines of neighbouring pixels share few sets of the caches.
    int64_t line = llvm::alignTo(kLineBytes / bytes, lanes);
    if (hasEpilogue)
      most = std::min(most, kMaxStackBytes / bytes / height);
    // A loop of one whole tile would be no loop.
    if (!ShapedType::isDynamic(size))
      most = std::min(most, size / 2);
    width = std::max<int64_t>(line, llvm::alignDown(most, lanes));
    // A tile of one element is not a vector.
    while (width > line && size % width == 1)
      width -= lanes;
  }
  width = alignToDivisor(size, width, lanes);
  if (!isLonger(contraction.n, width))
    return {};
  SmallVector<int64_t> tiles(sizes.size(), 0);
  tiles[contraction.n] = width;
  return tiles;
}

SmallVector<int64_t> LaneTiler::chooseDecodedTiles() const {
  int64_t most = countDecodedColumns();
  if (registers.vectorLength > 1 && !isLonger(contraction.n, most)) {
    SmallVector<int64_t> parts = choosePartsOfOutputs();
    if (!parts.empty())
      return parts;
  }
  return choosePartsOfColumns(most);
}

SmallVector<int64_t>
LaneTiler::chooseStackTiles(ArrayRef<int64_t> decoded) const {
  unsigned columns = contraction.n;
  // One row of one image, or a part of it.
  SmallVector<int64_t> tiles(sizes.size(), 0);
  bool hasLoops = !decoded.empty();
  for (unsigned loop : outer) {
    tiles[loop] = 1;
    hasLoops |= isLonger(loop, 1);
  }
  int64_t most = kStackTileBytes / bytes;
  int64_t width = decoded.empty() ? 0 : decoded[columns];
  if (width == 0) {
    width = std::max<int64_t>(registers.nr,
                              llvm::alignDown(most / height, registers.nr));
    width = alignToDivisor(sizes[columns], width, registers.vectorLength);
    if (isLonger(columns, width)) {
      tiles[columns] = width;
      hasLoops = true;
    } else {
      width = sizes[columns];
    }
  }
  // Several loops along rows are unrolled.
  if (contraction.rows.size() == 1) {
    unsigned rows = contraction.rows.front();
    int64_t part =
        std::max<int64_t>(height, llvm::alignDown(most / width, height));
    part = alignToDivisor(sizes[rows], part);
    if (isLonger(rows, part)) {
      tiles[rows] = part;
      hasLoops = true;
    } else if (!hasLoops && sizes[rows] > 1) {
      tiles[rows] =
          alignToDivisor(sizes[rows], llvm::divideCeil(sizes[rows], 2));
      hasLoops = true;
    }
  }
  // Buffers of tiles are on the stack only in a loop.
  if (!hasLoops && sizes[columns] > 3)
    tiles[columns] =
        alignToDivisor(sizes[columns], llvm::divideCeil(sizes[columns], 2));
  return tiles;
}

SmallVector<SmallVector<int64_t>> LaneTiler::choose() const {
  SmallVector<SmallVector<int64_t>> levels;
  SmallVector<int64_t> decoded;
  if (isDecoded)
    decoded = chooseDecodedTiles();
  if (!decoded.empty())
    levels.push_back(decoded);
  if (decoded.empty() || hasEpilogue)
    levels.push_back(chooseStackTiles(decoded));
  return levels;
}

SmallVector<SmallVector<int64_t>> chooseLaneTiles(const FMAChoice &choice,
                                                  bool hasEpilogue) {
  return LaneTiler(choice, hasEpilogue).choose();
}

} // namespace flywheel
