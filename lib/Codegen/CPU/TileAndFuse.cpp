//===- TileAndFuse.cpp - One loop nest for a contraction and its epilogue -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: `linalg` on tensors. After: a contraction whose only use is an
// elementwise op is computed tile by tile in the loops of that op, in tiles of
// the size of registers; other ops stay as they are. Refuses a contraction that
// upstream cannot tile.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/CPU/CPUPasses.h"
#include "flywheel/Codegen/CPU/CpuTarget.h"
#include "flywheel/Transforms/State/StateVersions.h"

#include "flywheel/Transforms/Fusion/Matmul.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_TILEANDFUSE
#include "flywheel/Codegen/CPU/CPUPasses.h.inc"
} // namespace flywheel

using namespace flywheel;

namespace {
/// A contraction of two matrices and the elementwise op that is computed in the
/// same loops: the contraction's only user, or none.
struct ContractionGroup {
  linalg::LinalgOp contraction;
  linalg::GenericOp epilogue;

  linalg::LinalgOp getRoot() {
    return epilogue ? cast<linalg::LinalgOp>(epilogue.getOperation())
                    : contraction;
  }
};
} // namespace

/// Where an op reads the old value of its own destination, element for element,
/// as an input, it reads the destination instead. Tiles of an input would be
/// parts of the variable that the tiles before have overwritten.
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

/// The elementwise op that alone uses the result of `contraction`, element for
/// element.
static linalg::GenericOp findEpilogue(linalg::LinalgOp contraction) {
  Value result = contraction->getResult(0);
  if (!result.hasOneUse())
    return {};
  OpOperand &use = *result.getUses().begin();
  auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
  if (!user || !user.hasPureTensorSemantics() || user.getNumLoops() != 2 ||
      user.getNumParallelLoops() != 2 || user.isDpsInit(&use) ||
      user->getBlock() != contraction->getBlock() || user.hasIndexSemantics())
    return {};
  if (!user.getMatchingIndexingMap(&use).isIdentity())
    return {};
  // The results are written tile by tile: each has to be the whole tile.
  for (OpOperand &init : user.getDpsInitsMutable())
    if (!user.getMatchingIndexingMap(&init).isIdentity())
      return {};
  return user;
}

/// Whether something that `contraction` reads is overwritten before the last
/// tile of `epilogue` is computed: by the epilogue itself or on the way to it.
static bool readsOverwritten(linalg::LinalgOp contraction,
                             linalg::GenericOp epilogue) {
  llvm::SmallPtrSet<Value, 4> inputs;
  for (OpOperand *input : contraction.getDpsInputOperands())
    inputs.insert(getRoot(input->get()));
  for (Operation *op = contraction->getNextNode(); op; op = op->getNextNode()) {
    if (auto writer = dyn_cast<DestinationStyleOpInterface>(op))
      for (Value init : writer.getDpsInits())
        if (inputs.contains(getRoot(init)))
          return true;
    if (op->getNumRegions() && !isa<linalg::LinalgOp>(op))
      for (Value result : op->getResults())
        if (Value overwritten = getOverwritten(result))
          if (inputs.contains(getRoot(overwritten)))
            return true;
    if (op == epilogue)
      break;
  }
  return false;
}

/// Row-major bytes between the rows of a matrix beyond which reading a few
/// columns of many rows evicts itself from the L1 cache: rows whose distance is
/// a multiple of many cache lines share few of its sets.
constexpr int64_t kPackRowBytes = 4096;
/// Rows of tiles that have to share a panel before copying it pays.
constexpr int64_t kMinPanelReuse = 3;

/// Copies the right-hand side that one column of tiles shares into a panel of
/// contiguous rows, in front of the loop over the rows of tiles.
static bool packPanel(RewriterBase &rewriter, linalg::LinalgOp tiled,
                      MatmulLoops loops, scf::ForOp rowLoop, int64_t numRows,
                      int64_t mr) {
  OpOperand *rhs = tiled.getDpsInputOperand(1);
  AffineMap map = tiled.getMatchingIndexingMap(rhs);
  bool transposed = map.getDimPosition(0) == loops.n;
  // Found in front of the loop only if no row of tiles changes it.
  Value slice = rhs->get();
  if (!rowLoop.isDefinedOutsideOfLoop(slice))
    return false;
  Value source = slice;
  if (auto extract = slice.getDefiningOp<tensor::ExtractSliceOp>())
    source = extract.getSource();
  auto sourceType = cast<RankedTensorType>(source.getType());
  auto sliceType = cast<RankedTensorType>(slice.getType());
  int64_t columns = sourceType.getShape().back();
  int64_t elementBytes = sourceType.getElementTypeBitWidth() / 8;
  bool isFar =
      ShapedType::isDynamic(columns) || columns * elementBytes >= kPackRowBytes;
  bool isReused =
      ShapedType::isDynamic(numRows) || numRows > mr * (kMinPanelReuse - 1);
  if (!transposed && (!isFar || !isReused))
    return false;

  rewriter.setInsertionPoint(rowLoop);
  Location loc = tiled.getLoc();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, slice);
  if (transposed)
    std::swap(sizes[0], sizes[1]);
  Value panel =
      tensor::EmptyOp::create(rewriter, loc, sizes, sliceType.getElementType());
  Value packed;
  if (transposed)
    packed = linalg::TransposeOp::create(rewriter, loc, slice, panel,
                                         ArrayRef<int64_t>{1, 0})
                 ->getResult(0);
  else
    packed = linalg::CopyOp::create(rewriter, loc, slice, panel)->getResult(0);

  if (!transposed) {
    rewriter.modifyOpInPlace(tiled, [&] { rhs->set(packed); });
    return true;
  }
  // Indexed by (k, n) now, which not every named op can say.
  rewriter.setInsertionPoint(tiled);
  auto generic = dyn_cast<linalg::GenericOp>(tiled.getOperation());
  if (!generic)
    generic = *linalg::generalizeNamedOp(rewriter, tiled);
  SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
  maps[1] = AffineMap::get(
      3, 0,
      {rewriter.getAffineDimExpr(loops.k), rewriter.getAffineDimExpr(loops.n)},
      rewriter.getContext());
  rewriter.modifyOpInPlace(generic, [&] {
    generic.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    generic->setOperand(1, packed);
  });
  return true;
}

/// Computes the conversions at the start of the body of `tiled` in front of it,
/// for a whole tile of an operand: its kernel reads narrow numbers then.
static void splitConversions(RewriterBase &rewriter, linalg::LinalgOp tiled) {
  auto generic = dyn_cast<linalg::GenericOp>(tiled.getOperation());
  if (!generic)
    return;
  for (OpOperand *input : generic.getDpsInputOperands()) {
    BlockArgument element = generic.getMatchingBlockArgument(input);
    Operation *conversion = getNarrowingOf(element);
    if (!conversion)
      continue;
    Location loc = conversion->getLoc();
    rewriter.setInsertionPoint(generic);
    Type narrow = conversion->getResult(0).getType();
    Value tile = input->get();
    Value empty = tensor::EmptyOp::create(
        rewriter, loc, tensor::getMixedSizes(rewriter, loc, tile), narrow);
    int64_t rank = cast<RankedTensorType>(tile.getType()).getRank();
    SmallVector<AffineMap> maps(2, rewriter.getMultiDimIdentityMap(rank));
    SmallVector<utils::IteratorType> iterators(rank,
                                               utils::IteratorType::parallel);
    auto converted = linalg::GenericOp::create(
        rewriter, loc, TypeRange{empty.getType()}, ValueRange{tile},
        ValueRange{empty}, maps, iterators,
        [&](OpBuilder &b, Location nested, ValueRange elements) {
          IRMapping mapping;
          mapping.map(element, elements[0]);
          Operation *copy = b.clone(*conversion, mapping);
          linalg::YieldOp::create(b, nested, copy->getResults());
        });
    rewriter.modifyOpInPlace(generic, [&] {
      input->set(converted.getResult(0));
      element.setType(narrow);
    });
    rewriter.replaceOp(conversion, element);
  }
}

/// A tile of an empty tensor is a tile-sized empty tensor: no buffer of the
/// whole size is left for what is computed tile by tile. Outside of loops a
/// slice may be where a part of the tensor is computed.
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
      if (op.hasPureTensorSemantics())
        readDestinations(rewriter, op);
    });
    SmallVector<ContractionGroup> groups;
    // A sum of two products is computed in the loops of the last one.
    llvm::SmallPtrSet<Operation *, 8> claimed;
    getOperation().walk([&](linalg::LinalgOp structured) {
      if (!matchMatmul(structured))
        return;
      linalg::GenericOp epilogue = findEpilogue(structured);
      if (epilogue && (readsOverwritten(structured, epilogue) ||
                       !claimed.insert(epilogue).second))
        epilogue = {};
      groups.push_back({structured, epilogue});
    });
    for (ContractionGroup &group : groups)
      if (failed(tileGroup(rewriter, group)))
        return signalPassFailure();
    getOperation().walk(
        [&](tensor::ExtractSliceOp slice) { foldEmpty(rewriter, slice); });
  }

private:
  LogicalResult tileGroup(RewriterBase &rewriter, ContractionGroup &group);
};
} // namespace

LogicalResult TileAndFuse::tileGroup(RewriterBase &rewriter,
                                     ContractionGroup &group) {
  MatmulLoops loops = *matchMatmul(group.contraction);
  auto type = cast<RankedTensorType>(group.contraction->getResult(0).getType());
  CpuTarget target{vectorBits, numVectorRegisters};
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  ContractionTile tile =
      chooseContractionTile(type.getElementType(), target, rows, columns);

  // Columns outside, so that one panel of the right-hand side serves all rows.
  linalg::LinalgOp root = group.getRoot();
  SmallVector<OpFoldResult> sizes(root.getNumLoops(), rewriter.getIndexAttr(0));
  unsigned m = group.epilogue ? 0 : loops.m, n = group.epilogue ? 1 : loops.n;
  sizes[m] = rewriter.getIndexAttr(tile.mr);
  if (ShapedType::isDynamic(columns) || columns > tile.nr)
    sizes[n] = rewriter.getIndexAttr(tile.nr);
  SmallVector<int64_t> interchange = {n, m};
  for (int64_t loop = 0, e = root.getNumLoops(); loop < e; ++loop)
    if (loop != m && loop != n)
      interchange.push_back(loop);
  scf::SCFTilingOptions tiling;
  tiling.setTileSizes(sizes).setInterchange(interchange);
  Operation *contraction = group.contraction;
  Operation *fill =
      group.contraction.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  scf::SCFTileAndFuseOptions options;
  options.setTilingOptions(tiling).setFusionControlFn(
      [&](tensor::ExtractSliceOp, OpResult producer,
          bool) -> std::optional<scf::SCFTileAndFuseOptions::ControlFnResult> {
        if (producer.getOwner() != contraction && producer.getOwner() != fill)
          return std::nullopt;
        return scf::SCFTileAndFuseOptions::ControlFnResult{};
      });
  rewriter.setInsertionPoint(root);
  FailureOr<scf::SCFTileAndFuseResult> result =
      scf::tileConsumerAndFuseProducersUsingSCF(
          rewriter, cast<TilingInterface>(root.getOperation()), options);
  if (failed(result))
    return root.emitOpError() << "could not be tiled";
  for (OpResult old : root->getResults())
    if (Value replacement = result->replacements.lookup(old))
      rewriter.replaceAllUsesWith(old, replacement);
  rewriter.eraseOp(root);
  if (group.epilogue && group.contraction->use_empty())
    rewriter.eraseOp(group.contraction);
  if (group.epilogue)
    ++numFused;

  linalg::LinalgOp tiledContraction;
  for (Operation *op : result->tiledAndFusedOps)
    if (auto structured = dyn_cast<linalg::LinalgOp>(op))
      if (linalg::isaContractionOpInterface(structured))
        tiledContraction = structured;
  if (result->loops.empty()) {
    if (tiledContraction)
      splitConversions(rewriter, tiledContraction);
    return success();
  }
  auto rowLoop = dyn_cast<scf::ForOp>(result->loops.back().getOperation());
  if (!rowLoop || !tiledContraction)
    return success();
  splitConversions(rewriter, tiledContraction);
  moveLoopInvariantCode(rowLoop);
  if (packPanel(rewriter, tiledContraction, loops, rowLoop, rows, tile.mr))
    ++numPacked;

  // Full tiles get static sizes, the rest goes into loops of its own.
  for (LoopLikeOpInterface loop : llvm::reverse(result->loops)) {
    scf::ForOp partial;
    (void)scf::peelForLoopAndSimplifyBounds(
        rewriter, cast<scf::ForOp>(loop.getOperation()), partial);
  }
  return success();
}
