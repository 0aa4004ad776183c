//===- TileAndFuse.cpp - Tiles of a contraction and its epilogue ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: `linalg` on tensors, contractions with a schedule. After: a scheduled
// contraction, and the elementwise op that alone uses it, are computed tile by
// tile in `scf.forall`s, one for each level of tiles; other ops are unchanged.
// Whole tiles that an elementwise op discards, because it keeps a triangle, are
// not computed. Refuses a contraction that upstream cannot tile.
//
//===----------------------------------------------------------------------===//

#include "FMASchedule.h"
#include "FusedTiles.h"
#include "KeptTriangle.h"
#include "OverlappingTiles.h"
#include "WeightDecoder.h"
#include "WidenTiles.h"

#include "flywheel/Analysis/AccessMaps.h"
#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Codegen/CPU/CPUPasses.h"
#include "flywheel/Codegen/CPU/ContractionTile.h"
#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_TILEANDFUSE
#include "flywheel/Codegen/CPU/CPUPasses.h.inc"
} // namespace flywheel

using namespace flywheel;

namespace {
/// A contraction and the elementwise op that is computed in the same tiles: the
/// contraction's only user, or none.
struct ContractionGroup {
  codegen::FMAAttr schedule;
  linalg::LinalgOp contraction;
  linalg::GenericOp epilogue;
  /// The elements of the contraction that the epilogue keeps, by its loops, if
  /// not all.
  std::optional<KeptTriangle> kept;
  /// The start of the tile along each loop of the root, as a sum over levels,
  /// and its sizes, once there are tiles.
  SmallVector<SmallVector<OpFoldResult>> offsets;
  SmallVector<OpFoldResult> sizes;
};
} // namespace

/// If an op reads the old value of its own destination, element for element, as
/// an input, makes it read the destination instead. Tiles of the input would be
/// parts of a variable that previous tiles have overwritten.
static void readDestinations(RewriterBase &rewriter, linalg::GenericOp op) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  llvm::BitVector replaced(op.getBody()->getNumArguments());
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    auto *same = llvm::find_if(op.getDpsInitsMutable(), [&](OpOperand &init) {
      return init.get() == input->get() && map.isPermutation() &&
             op.getMatchingIndexingMap(&init) == map;
    });
    if (same == op.getDpsInitsMutable().end()) {
      inputs.push_back(input->get());
      maps.push_back(map);
      continue;
    }
    BlockArgument element = op.getMatchingBlockArgument(input);
    rewriter.replaceAllUsesWith(element, op.getMatchingBlockArgument(&*same));
    replaced.set(element.getArgNumber());
  }
  if (replaced.none())
    return;
  for (OpOperand &init : op.getDpsInitsMutable())
    maps.push_back(op.getMatchingIndexingMap(&init));
  rewriter.modifyOpInPlace(op, [&] {
    op.getBody()->eraseArguments(replaced);
    op.getInputsMutable().assign(inputs);
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  });
}

/// Returns the elementwise op that is computed in the tiles of `contraction`.
/// An op that uses indices is fused only if it keeps a triangle and there are
/// tiles to skip: other such ops are faster in the loops of the next op.
static linalg::GenericOp findEpilogue(linalg::LinalgOp contraction,
                                      codegen::FMAAttr schedule) {
  linalg::GenericOp user = findElementwiseUser(contraction);
  if (!user || !user.hasIndexSemantics())
    return user;
  std::optional<KeptTriangle> kept =
      findKeptTriangle(user, *contraction->getResult(0).getUses().begin());
  return kept && paysToSkipTiles(contraction, schedule, *kept)
             ? user
             : linalg::GenericOp();
}

/// Copies the tile of B that `op` reads into a panel of contiguous rows, along
/// the loop of columns. Returns the op that reads the panel.
static linalg::LinalgOp packPanel(RewriterBase &rewriter, linalg::LinalgOp op,
                                  codegen::FMAAttr schedule) {
  OpOperand *input = getFactors(op, schedule.getColumns()).second;
  AffineMap map = op.getMatchingIndexingMap(input);
  // Puts the columns last, and keeps the order of the other dimensions.
  SmallVector<int64_t> order;
  int64_t last = -1;
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    if (cast<AffineDimExpr>(expr).getPosition() == schedule.getColumns())
      last = dim;
    else
      order.push_back(dim);
  order.push_back(last);

  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  Value tile = input->get();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, tile);
  bool isOrdered = llvm::is_sorted(order);
  applyPermutationToVector(sizes, order);
  Value panel =
      tensor::EmptyOp::create(rewriter, loc, sizes, getElementTypeOrSelf(tile));
  if (isOrdered) {
    auto copy = linalg::CopyOp::create(rewriter, loc, tile, panel);
    copy->setAttr(codegen::CodegenDialect::getPanelAttrName(),
                  rewriter.getUnitAttr());
    rewriter.modifyOpInPlace(op, [&] { input->set(copy.getResult(0)); });
    return op;
  }
  Value packed = linalg::TransposeOp::create(rewriter, loc, tile, panel, order)
                     ->getResult(0);
  // Not every named op has indexing maps that can be changed.
  unsigned number = input->getOperandNumber();
  rewriter.setInsertionPoint(op);
  linalg::GenericOp generic = generalizeOp(rewriter, op);
  SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
  SmallVector<AffineExpr> results(map.getResults());
  applyPermutationToVector(results, order);
  maps[number] =
      AffineMap::get(map.getNumDims(), 0, results, rewriter.getContext());
  rewriter.modifyOpInPlace(generic, [&] {
    generic.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    generic->setOperand(number, packed);
  });
  return cast<linalg::LinalgOp>(generic.getOperation());
}

/// Replaces a tile of an empty tensor by a tile-sized empty tensor: no buffer
/// of the whole size is left for ops that are tiled. Outside of loops a slice
/// may be the destination of a part of the tensor.
static void foldEmpty(RewriterBase &rewriter, tensor::ExtractSliceOp slice) {
  auto empty = slice.getSource().getDefiningOp<tensor::EmptyOp>();
  if (!empty || empty->getBlock() == slice->getBlock())
    return;
  rewriter.setInsertionPoint(slice);
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, size] : llvm::enumerate(slice.getMixedSizes()))
    if (!dropped.test(dim))
      sizes.push_back(size);
  Value tile = tensor::EmptyOp::create(rewriter, slice.getLoc(), sizes,
                                       slice.getType().getElementType());
  if (tile.getType() != slice.getType())
    tile =
        tensor::CastOp::create(rewriter, slice.getLoc(), slice.getType(), tile);
  rewriter.replaceOp(slice, tile);
}

namespace {
struct TileAndFuse : flywheel::impl::TileAndFuseBase<TileAndFuse> {
  using TileAndFuseBase::TileAndFuseBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](linalg::GenericOp op) {
      // The kernel of a contraction has inputs of its own.
      if (op.hasPureTensorSemantics() &&
          !isa_and_present<codegen::FMAAttr>(codegen::getSchedule(op)))
        readDestinations(rewriter, op);
    });
    FailureOr<SmallVector<ContractionGroup>> groups = collectGroups();
    if (failed(groups))
      return signalPassFailure();
    for (ContractionGroup &group : *groups)
      if (failed(tileGroup(rewriter, group)))
        return signalPassFailure();
    getOperation().walk(
        [&](tensor::ExtractSliceOp slice) { foldEmpty(rewriter, slice); });
  }

private:
  /// Returns the contractions that have tiles. Emits an error and fails if one
  /// cannot be tiled.
  FailureOr<SmallVector<ContractionGroup>> collectGroups();
  LogicalResult tileGroup(RewriterBase &rewriter, ContractionGroup &group);
  /// Computes `group`, which reads both inputs as vectors, in the tiles of all
  /// levels of its schedule. Decodes inputs in the tiles of the first level.
  LogicalResult tileLanes(RewriterBase &rewriter, ContractionGroup &group);
  /// Computes `group`, which has the tiles of the first level, in those of the
  /// other levels, from tiles of its inputs.
  LogicalResult tileRows(RewriterBase &rewriter, ContractionGroup &group,
                         bool isPanelWidened, bool widens);
  /// Computes `group` in the tiles of one level of its schedule, if it has
  /// sizes there.
  LogicalResult tileLevel(RewriterBase &rewriter, ContractionGroup &group,
                          unsigned level);
};
} // namespace

/// Returns the schedule of `op`, which has tiles; emits an error and fails if
/// `op` cannot be computed in them.
static FailureOr<codegen::FMAAttr>
getTiledSchedule(linalg::LinalgOp op, codegen::ScheduleAttrInterface schedule) {
  auto emitMisfit = [&] {
    return op.emitOpError() << "cannot have the schedule " << schedule << ": ";
  };
  auto fma = dyn_cast<codegen::FMAAttr>(schedule);
  if (!fma)
    return emitMisfit() << "expected #codegen.fma<...> for an op with tiles";
  if (failed(getContraction(op, fma, emitMisfit)))
    return failure();
  return fma;
}

FailureOr<SmallVector<ContractionGroup>> TileAndFuse::collectGroups() {
  SmallVector<ContractionGroup> groups;
  // A sum of two products is computed in the tiles of the first one.
  llvm::SmallPtrSet<Operation *, 8> claimed;
  WalkResult result = getOperation().walk([&](linalg::LinalgOp op) {
    codegen::ScheduleAttrInterface given = codegen::getSchedule(op);
    if (!given || given.getTiles().empty() || !op.hasPureTensorSemantics())
      return WalkResult::advance();
    FailureOr<codegen::FMAAttr> schedule = getTiledSchedule(op, given);
    if (failed(schedule))
      return WalkResult::interrupt();
    linalg::GenericOp epilogue = findEpilogue(op, *schedule);
    if (epilogue &&
        (readsOverwritten(op, epilogue) || !claimed.insert(epilogue).second))
      epilogue = {};
    ContractionGroup group{*schedule, op, epilogue, {}, {}, {}};
    if (epilogue)
      group.kept =
          findKeptTriangle(epilogue, *op->getResult(0).getUses().begin());
    groups.push_back(std::move(group));
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return groups;
}

/// Returns the loops of the root of `group` in the order in which tiles are
/// computed: rows inside, so that the part of B that one column of tiles reads
/// serves all of them.
static SmallVector<unsigned> orderLoops(const ContractionGroup &group) {
  linalg::LinalgOp contraction = group.contraction;
  SmallVector<unsigned> order;
  contraction.getParallelDims(order);
  auto isColumns = [&](unsigned loop) {
    return loop == group.schedule.getColumns();
  };
  auto isRow = [&](unsigned loop) {
    return llvm::is_contained(group.schedule.getRows().asArrayRef(),
                              static_cast<int64_t>(loop));
  };
  SmallVector<unsigned> result;
  llvm::copy_if(order, std::back_inserter(result), [&](unsigned loop) {
    return !isColumns(loop) && !isRow(loop);
  });
  result.push_back(group.schedule.getColumns());
  llvm::copy_if(order, std::back_inserter(result), isRow);
  return result;
}

/// Records the start and the sizes of the tile of `loop`: the indices of
/// results are the loops of an epilogue.
static void recordTile(ContractionGroup &group, scf::ForallOp loop) {
  if (!group.kept)
    return;
  auto insert = cast<tensor::ParallelInsertSliceOp>(
      &*loop.getTerminator().getYieldingOps().begin());
  group.offsets.push_back(insert.getMixedOffsets());
  group.sizes = insert.getMixedSizes();
}

LogicalResult TileAndFuse::tileLevel(RewriterBase &rewriter,
                                     ContractionGroup &group, unsigned level) {
  ArrayRef<DenseI64ArrayAttr> levels = group.schedule.getTiles();
  ArrayRef<int64_t> tiles = levels[level].asArrayRef();
  if (llvm::all_of(tiles, [](int64_t size) { return size == 0; }))
    return success();
  SmallVector<unsigned> order = orderLoops(group);
  FailureOr<FusedTiles> fused =
      fuseTiles(rewriter, group.contraction, group.epilogue, tiles, order);
  if (failed(fused))
    return failure();
  llvm::erase_if(order, [&](unsigned loop) { return tiles[loop] == 0; });
  if (codegen::CPUAttr cpu = codegen::lookupCPU(getOperation())) {
    Type element = getElementTypeOrSelf(fused->contraction->getResult(0));
    bool dividesColumns =
        llvm::any_of(levels.drop_front(level + 1), [&](DenseI64ArrayAttr next) {
          return next[group.schedule.getColumns()] != 0;
        });
    chooseOverlap(fused->loop, fused->contraction, fused->epilogue, order,
                  {group.schedule, getVectorLength(element, cpu), workers,
                   dividesColumns});
  }
  recordTile(group, fused->loop);
  // The tiles, which the next level tiles again.
  group.contraction = fused->contraction;
  group.epilogue = fused->epilogue;
  return success();
}

/// Returns true if `group` reads both inputs as vectors along its columns.
static bool readsLanes(const ContractionGroup &group) {
  FailureOr<Contraction> contraction =
      getContraction(group.contraction, group.schedule);
  return succeeded(contraction) && contraction->readsLanes();
}

/// Returns the largest number of elements that the tiles of an input of `group`
/// have for each term of a sum, if that input is decoded, or B.
static int64_t getWidth(const ContractionGroup &group) {
  linalg::LinalgOp op = group.contraction;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  ArrayRef<DenseI64ArrayAttr> levels = group.schedule.getTiles();
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  OpOperand *b = getFactors(op, group.schedule.getColumns()).second;
  int64_t width = 1;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (input != b && !findWeightDecoder(*input))
      continue;
    CheckedSize elements = 1;
    for (unsigned loop : parallel)
      if (op.getMatchingIndexingMap(input).isFunctionOfDim(loop)) {
        // Sizes of tiles at the end are dynamic.
        int64_t outer = levels.front()[loop], inner = levels.back()[loop];
        int64_t size = inner ? inner : outer ? outer : sizes[loop];
        elements *= ShapedType::isDynamic(size) ? 1 : size;
      }
    width = std::max(width, elements.getSaturated());
  }
  return width;
}

LogicalResult TileAndFuse::tileGroup(RewriterBase &rewriter,
                                     ContractionGroup &group) {
  codegen::FMAAttr schedule = group.schedule;
  if (group.epilogue)
    ++numFused;
  if (readsLanes(group))
    return tileLanes(rewriter, group);
  // Products of few rows are bound by reads of inputs, which are faster if
  // narrow.
  bool widens = schedule.getTiles().size() > 1 && !schedule.getPairs();
  bool isPanelWidened = widens && widensPanel(group.contraction, schedule);
  bool isPanelWhole =
      isPanelWidened && widensMostOfPanel(group.contraction, schedule);
  if (failed(tileLevel(rewriter, group, 0)))
    return failure();
  // If all columns are in one tile, only parts of the sums keep what is decoded
  // or widened smaller than the whole.
  if (group.kept || (!isPanelWhole && !readsDecodedWeights(group.contraction)))
    return tileRows(rewriter, group, isPanelWidened, widens);
  for (linalg::LinalgOp part :
       blockReductions(rewriter, group.contraction, getWidth(group))) {
    ContractionGroup sums{schedule, part, {}, {}, {}, {}};
    if (failed(tileRows(rewriter, sums, isPanelWidened, widens)))
      return failure();
  }
  return success();
}

LogicalResult TileAndFuse::tileLanes(RewriterBase &rewriter,
                                     ContractionGroup &group) {
  unsigned numLevels = group.schedule.getTiles().size();
  for (unsigned level = 0; level < numLevels; ++level) {
    if (failed(tileLevel(rewriter, group, level)))
      return failure();
    // The loops of the other levels read what is decoded here.
    if (level == 0)
      for (OpOperand *input : group.contraction.getDpsInputOperands())
        decodeTile(rewriter, *input, /*isWhole=*/true);
  }
  codegen::setSchedule(group.contraction, group.schedule.getRegisterPart());
  return success();
}

LogicalResult TileAndFuse::tileRows(RewriterBase &rewriter,
                                    ContractionGroup &group,
                                    bool isPanelWidened, bool widens) {
  codegen::FMAAttr schedule = group.schedule;
  OpOperand *b = getFactors(group.contraction, schedule.getColumns()).second;
  unsigned panel = b->getOperandNumber();
  unsigned numLevels = schedule.getTiles().size();
  if (numLevels > 1) {
    // All inner tiles share the decoded, converted and packed panel.
    decodeTile(rewriter, *b);
    splitConversion(rewriter, group.contraction, b);
    if (schedule.getPack()) {
      group.contraction = packPanel(rewriter, group.contraction, schedule);
      ++numPacked;
    }
    if (isPanelWidened)
      group.contraction = widenTile(rewriter, group.contraction, panel);
  }
  for (unsigned level = 1; level < numLevels; ++level)
    if (failed(tileLevel(rewriter, group, level)))
      return failure();
  for (OpOperand *input : group.contraction.getDpsInputOperands()) {
    if (numLevels == 1 || input->getOperandNumber() != panel)
      decodeTile(rewriter, *input);
    splitConversion(rewriter, group.contraction, input);
  }
  if (widens)
    group.contraction = widenTile(rewriter, group.contraction, 1 - panel);
  // The rest of the schedule: the tile is not tiled again.
  codegen::setSchedule(group.contraction, schedule.getRegisterPart());
  if (group.kept && !group.offsets.empty())
    skipDiscardedTile(rewriter, group.contraction, *group.kept, group.offsets,
                      group.sizes);
  return success();
}
