//===- BlockTile.cpp - Tiles of a contraction on a GPU --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockTile.h"
#include "BlockNumbers.h"

#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Codegen/GPU/GPUPasses.h"
#include "flywheel/Support/CheckedSize.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_CHOOSEGPUSCHEDULES
#include "flywheel/Codegen/GPU/GPUPasses.h.inc"

bool isKernel(linalg::LinalgOp op) {
  // The tiles that a block shares are widened from floats only.
  return isContraction(op) && reusesInputs(op) &&
         llvm::all_of(op.getDpsInputs(), [](Value input) {
           return isa<FloatType>(getElementTypeOrSelf(input));
         });
}

/// Returns the last result of `map` that depends on `dim`; -1 if none does.
static int64_t findLast(AffineMap map, unsigned dim) {
  for (int64_t place = map.getNumResults() - 1; place >= 0; --place)
    if (map.getResult(place).isFunctionOfDim(dim))
      return place;
  return -1;
}

ContractionLoops::ContractionLoops(linalg::LinalgOp op) {
  AffineMap lhs = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  AffineMap rhs = op.getMatchingIndexingMap(op.getDpsInputOperand(1));
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  for (unsigned dim : parallel) {
    bool inLhs = lhs.isFunctionOfDim(dim), inRhs = rhs.isFunctionOfDim(dim);
    (inLhs == inRhs ? batch : inLhs ? rows : columns).push_back(dim);
  }
  op.getReductionDims(terms);
  auto sortAlong = [](SmallVector<unsigned> &dims, AffineMap map) {
    llvm::sort(dims, [&](unsigned a, unsigned b) {
      return std::pair(findLast(map, a), a) < std::pair(findLast(map, b), b);
    });
  };
  sortAlong(rows, lhs);
  sortAlong(columns, rhs);
  sortAlong(terms, lhs);
}

//===----------------------------------------------------------------------===//
// Tiles of a block
//===----------------------------------------------------------------------===//

int64_t getTilePitch(int64_t inner, int64_t elementBytes, bool isAlongTerms,
                     bool usesTensorCores) {
  constexpr int64_t kVectorBytes = 16;
  int64_t pad = kVectorBytes / elementBytes;
  // Eight rows of 16 bytes, as `ldmatrix` reads them, are in all 32 banks if
  // the distance of rows is an odd multiple of 16 bytes. So are 4 rows of 8
  // words.
  if (usesTensorCores && elementBytes == 4 && !isAlongTerms)
    return inner + 2 * pad;
  return usesTensorCores || isAlongTerms ? inner + pad : inner;
}

/// Returns the iterations of `dims` together, up to `limit`; returns `limit` if
/// the number is not known.
static int64_t countUpTo(ArrayRef<int64_t> sizes, ArrayRef<unsigned> dims,
                         int64_t limit) {
  int64_t count = 1;
  for (unsigned dim : dims)
    if (ShapedType::isDynamic(sizes[dim]) || count > limit)
      return limit;
    else
      count *= sizes[dim];
  return std::min(count, limit);
}

/// Returns the side of a block's tile along `dims`.
static int64_t getSide(linalg::LinalgOp op, codegen::BlockAttr schedule,
                       ArrayRef<unsigned> dims) {
  SmallVector<int64_t> sizes = getStaticLoopSizes(op);
  constexpr int64_t kMax = codegen::BlockAttr::kMaxSide;
  int64_t wanted = 1;
  for (unsigned dim : dims)
    if (int64_t tile = schedule.getTile()[dim])
      wanted = std::min(wanted * tile, kMax);
  int64_t count = countUpTo(sizes, dims, wanted);
  int64_t least = schedule.usesTensorCores() ? 32 : 16;
  return std::clamp<int64_t>(llvm::PowerOf2Ceil(count), least, kMax);
}

BlockTile::BlockTile(linalg::LinalgOp op, const ContractionLoops &loops,
                     codegen::BlockAttr schedule, int64_t roomBytes)
    : usesTensorCores(schedule.usesTensorCores()),
      rows(getSide(op, schedule, loops.rows)),
      columns(getSide(op, schedule, loops.columns)), depth(schedule.getDepth()),
      stages(schedule.getStages()) {
  auto getStageBytes = [&]() {
    int64_t bytes = 0;
    for (unsigned input : {0, 1}) {
      Type element = usesTensorCores
                         ? getFactorType(op, input)
                         : getElementTypeOrSelf(
                               op.getDpsInputOperand(input)->get().getType());
      int64_t size = getElementBytes(element);
      int64_t side = input == 0 ? rows : columns;
      // The larger one of both layouts.
      bytes +=
          size *
          std::max(side * getTilePitch(depth, size, true, usesTensorCores),
                   depth * getTilePitch(side, size, false, usesTensorCores));
    }
    return bytes;
  };
  int64_t leastDepth = usesTensorCores ? 16 : 8,
          leastSide = usesTensorCores ? 32 : 16;
  while (stages > 2 && stages * getStageBytes() > roomBytes)
    --stages;
  while (stages * getStageBytes() > roomBytes) {
    if (depth > leastDepth)
      depth /= 2;
    else if (std::max(rows, columns) > leastSide)
      (rows >= columns ? rows : columns) /= 2;
    else
      break;
  }
}

//===----------------------------------------------------------------------===//
// Strategy
//===----------------------------------------------------------------------===//

codegen::BlockAttr chooseBlockSchedule(linalg::LinalgOp op,
                                       codegen::GPUAttr gpu) {
  SmallVector<int64_t> sizes = getStaticLoopSizes(op);
  ContractionLoops loops(op);
  auto count = [&](ArrayRef<unsigned> dims) {
    int64_t product = 1;
    for (unsigned dim : dims)
      product *= ShapedType::isDynamic(sizes[dim]) ? 64 : sizes[dim];
    return product;
  };
  Type factor = getFactorType(op, 0);
  Type sum = getElementTypeOrSelf(op.getDpsInits().front().getType());
  bool isNarrow = factor.isF16() || factor.isBF16();
  bool usesTensorCores =
      factor == getFactorType(op, 1) && sum.isF32() &&
      (isNarrow || (factor.isF32() && gpu && gpu.getTf32())) &&
      (!gpu || gpu.isAtLeast(80));
  // Chooses the largest tile that leaves enough blocks: each input is read once
  // per tile.
  int64_t rowRoom = sum.isF64() ? 64 : 128, columnRoom = rowRoom;
  int64_t numRows = count(loops.rows), numColumns = count(loops.columns),
          numBatches = count(loops.batch);
  auto countTiles = [&]() {
    return static_cast<int64_t>(llvm::divideCeil(numRows, rowRoom) *
                                llvm::divideCeil(numColumns, columnRoom)) *
           numBatches;
  };
  int64_t leastTiles = BlockNumbers(op).many / 2;
  while (std::max(rowRoom, columnRoom) > 32 && countTiles() < leastTiles)
    (rowRoom >= columnRoom ? rowRoom : columnRoom) /= 2;
  SmallVector<int64_t> tile(op.getNumLoops(), 0);
  // Whole dimensions of the result, the last ones first.
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (AffineExpr expr : llvm::reverse(out.getResults())) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    if (llvm::is_contained(loops.batch, dim)) {
      tile[dim] = 1;
      continue;
    }
    int64_t &room = llvm::is_contained(loops.rows, dim) ? rowRoom : columnRoom;
    tile[dim] = ShapedType::isDynamic(sizes[dim])
                    ? room
                    : std::min(room, std::max<int64_t>(sizes[dim], 1));
    room = std::max<int64_t>(room / tile[dim], 1);
  }
  MLIRContext *context = op.getContext();
  return codegen::BlockAttr::get(
      context, StringAttr::get(context, usesTensorCores ? "mma" : "fma"),
      DenseI64ArrayAttr::get(context, tile),
      /*depth=*/usesTensorCores && isNarrow ? 32 : 16, /*stages=*/3);
}

codegen::BlockAttr getBlockSchedule(linalg::LinalgOp op) {
  auto given = dyn_cast_if_present<codegen::BlockAttr>(
      codegen::getSchedule(op.getOperation()));
  return given ? given : chooseBlockSchedule(op, codegen::lookupGPU(op));
}

namespace {
struct ChooseGPUSchedules : impl::ChooseGPUSchedulesBase<ChooseGPUSchedules> {
  void runOnOperation() override {
    codegen::GPUAttr gpu = codegen::lookupGPU(getOperation());
    getOperation().walk([&](linalg::LinalgOp op) {
      if (!op.hasPureBufferSemantics() || !isKernel(op) ||
          isa_and_present<codegen::BlockAttr>(codegen::getSchedule(op)))
        return;
      codegen::setSchedule(op, chooseBlockSchedule(op, gpu));
      ++numChosen;
    });
  }
};
} // namespace
} // namespace flywheel
