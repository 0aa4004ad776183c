//===- FusedTiles.cpp - An elementwise op in tiles of its producer --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusedTiles.h"

#include "WeightDecoder.h"

#include "flywheel/Analysis/AccessMaps.h"
#include "flywheel/Transforms/State/StateVersions.h"

#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/TilingInterface.h"

using namespace mlir;
using namespace flywheel;

linalg::GenericOp flywheel::findElementwiseUser(linalg::LinalgOp contraction) {
  Value result = contraction->getResult(0);
  if (!result.hasOneUse())
    return {};
  OpOperand &use = *result.getUses().begin();
  auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
  if (!user || !user.hasPureTensorSemantics() ||
      user.getNumParallelLoops() != user.getNumLoops() ||
      user.isDpsInit(&use) || user->getBlock() != contraction->getBlock() ||
      !hasTileableMaps(user) || !user.getMatchingIndexingMap(&use).isIdentity())
    return {};
  // The results are written tile by tile: each has to be the whole tile.
  for (OpOperand &init : user.getDpsInitsMutable())
    if (!user.getMatchingIndexingMap(&init).isIdentity())
      return {};
  return user;
}

bool flywheel::readsOverwritten(linalg::LinalgOp contraction,
                                linalg::GenericOp epilogue) {
  llvm::SmallPtrSet<Value, 4> inputs;
  for (OpOperand *input : contraction.getDpsInputOperands()) {
    inputs.insert(getRoot(input->get()));
    if (linalg::GenericOp decoder = findWeightDecoder(*input))
      for (Value weights : decoder.getDpsInputs())
        inputs.insert(getRoot(weights));
  }
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

/// Erases `op`, which tiles replace, if only slices without uses use it: it has
/// a schedule as well, and would be tiled again.
static void eraseIfUnused(RewriterBase &rewriter, Operation *op) {
  for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
    if (isOpTriviallyDead(user))
      rewriter.eraseOp(user);
  if (op->use_empty())
    rewriter.eraseOp(op);
}

FailureOr<FusedTiles> flywheel::fuseTiles(RewriterBase &rewriter,
                                          linalg::LinalgOp contraction,
                                          linalg::GenericOp epilogue,
                                          ArrayRef<int64_t> tiles,
                                          ArrayRef<unsigned> order) {
  linalg::LinalgOp root =
      epilogue ? cast<linalg::LinalgOp>(epilogue.getOperation()) : contraction;
  AffineMap output =
      contraction.getMatchingIndexingMap(contraction.getDpsInitOperand(0));
  // The loops of the epilogue are the dimensions of the output.
  auto toRoot = [&](unsigned loop) {
    return epilogue ? *output.getResultPosition(rewriter.getAffineDimExpr(loop))
                    : loop;
  };
  SmallVector<OpFoldResult> sizes(root.getNumLoops(), rewriter.getIndexAttr(0));
  SmallVector<int64_t> interchange;
  for (unsigned loop : order) {
    sizes[toRoot(loop)] = rewriter.getIndexAttr(tiles[loop]);
    interchange.push_back(toRoot(loop));
  }
  for (int64_t loop = 0, e = root.getNumLoops(); loop < e; ++loop)
    if (!llvm::is_contained(interchange, loop))
      interchange.push_back(loop);

  scf::SCFTilingOptions tiling;
  tiling.setTileSizes(sizes)
      .setInterchange(interchange)
      .setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
  Operation *fill =
      contraction.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
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
  if (epilogue)
    eraseIfUnused(rewriter, contraction);

  FusedTiles fused;
  fused.loop = cast<scf::ForallOp>(result->loops.front().getOperation());
  // The tiled root comes first. Only the fill and the contraction are fused
  // producers.
  ArrayRef<Operation *> tiled = result->tiledAndFusedOps.getArrayRef();
  if (!epilogue) {
    fused.contraction = cast<linalg::LinalgOp>(tiled.front());
    return fused;
  }
  fused.epilogue = cast<linalg::GenericOp>(tiled.front());
  for (Operation *op : tiled.drop_front())
    if (!isa<linalg::FillOp>(op))
      fused.contraction = cast<linalg::LinalgOp>(op);
  return fused;
}
