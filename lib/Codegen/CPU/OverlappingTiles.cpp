//===- OverlappingTiles.cpp - Last tiles that are whole -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product whose sizes are not multiples of its tile would be up to four
// kernels: for whole tiles, for the rest of the rows, of the columns, and of
// both. Compile time is proportional to the code. If the last tile starts
// earlier, so that it is whole, there is one kernel, without masks. The
// previous tile has computed a part of it: the same sums in the same order, so
// the same bits.
//
//===----------------------------------------------------------------------===//

#include "OverlappingTiles.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace flywheel {

/// A tile may overlap if at most one part in `kMinPartsOnce` is computed twice.
static constexpr int64_t kMinPartsOnce = 64;

/// Returns true if `op`, an epilogue or a contraction without one, reads the
/// old value of its result.
static bool readsResult(linalg::LinalgOp op) {
  return llvm::any_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    return op.payloadUsesValueFromOperand(&init) &&
           !init.get().getDefiningOp<linalg::FillOp>();
  });
}

/// Returns the part of a loop that is computed twice to make its partial last
/// tile whole: in iterations, or in lanes of vectors that are otherwise not in
/// use.
static int64_t countRepeated(int64_t size, int64_t tile, int64_t unit) {
  return llvm::alignTo(tile, unit) - llvm::alignTo(size % tile, unit);
}

void chooseOverlap(scf::ForallOp tiles, linalg::LinalgOp contraction,
                   linalg::GenericOp epilogue, ArrayRef<unsigned> order,
                   const OverlapRules &rules) {
  linalg::LinalgOp root =
      epilogue ? cast<linalg::LinalgOp>(epilogue.getOperation()) : contraction;
  bool isUpdate = readsResult(root);
  // A sum that adds to its old value would be added twice.
  if (isUpdate && !epilogue)
    return;
  SmallVector<int64_t> overlapping;
  for (auto [number, loop] : llvm::enumerate(order)) {
    std::optional<int64_t> lower =
        getConstantIntValue(tiles.getMixedLowerBound()[number]);
    std::optional<int64_t> size =
        getConstantIntValue(tiles.getMixedUpperBound()[number]);
    std::optional<int64_t> tile =
        getConstantIntValue(tiles.getMixedStep()[number]);
    if (lower != 0 || !size || !tile || *tile >= *size || *size % *tile == 0 ||
        failed(getTiledDim(tiles, number)))
      continue;
    bool isColumns = loop == rules.schedule.getColumns();
    bool isVector = isColumns && !rules.schedule.getAlong();
    // Rows to keep would need a test for each row; columns to keep need one
    // mask for all rows, if the tiles are not divided.
    if (isUpdate && (!isVector || rules.dividesColumns))
      continue;
    int64_t unit = isVector ? rules.vectorLength : 1;
    // Each worker also computes the tile before its last one.
    if (countRepeated(*size, *tile, unit) * kMinPartsOnce > *size ||
        *size <= (2 * rules.workers - 1) * *tile)
      continue;
    overlapping.push_back(static_cast<int64_t>(number));
  }
  if (!overlapping.empty())
    tiles->setAttr(codegen::CodegenDialect::getOverlapAttrName(),
                   DenseI64ArrayAttr::get(tiles.getContext(), overlapping));
}

bool isOverlapping(scf::ForallOp tiles, unsigned loop) {
  auto loops = tiles->getAttrOfType<DenseI64ArrayAttr>(
      codegen::CodegenDialect::getOverlapAttrName());
  return loops && llvm::is_contained(loops.asArrayRef(), loop);
}

FailureOr<unsigned> getTiledDim(scf::ForallOp tiles, unsigned loop) {
  std::optional<unsigned> tiled;
  for (Operation &op : tiles.getTerminator().getYieldingOps()) {
    auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(op);
    if (!insert ||
        insert.getSourceType().getRank() != insert.getDestType().getRank())
      return failure();
    SmallVector<OpFoldResult> offsets = insert.getMixedOffsets();
    auto *found =
        llvm::find(offsets, OpFoldResult(tiles.getInductionVar(loop)));
    if (found == offsets.end())
      return failure();
    unsigned dim = found - offsets.begin();
    if (tiled && *tiled != dim)
      return failure();
    tiled = dim;
  }
  if (!tiled)
    return failure();
  return *tiled;
}

/// Makes `op` keep the old values of its results before index `first` along
/// `dim`.
static void keepFront(RewriterBase &rewriter, linalg::GenericOp op,
                      unsigned dim, Value first) {
  Operation *yield = op.getBody()->getTerminator();
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(yield);
  Value index = linalg::IndexOp::create(rewriter, loc, dim);
  Value isNew = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::sge,
                                      index, first);
  rewriter.modifyOpInPlace(yield, [&] {
    for (auto [result, old] :
         llvm::zip_equal(yield->getOpOperands(), op.getRegionOutputArgs()))
      result.set(
          arith::SelectOp::create(rewriter, loc, isNew, result.get(), old));
  });
}

void overlapLastTile(RewriterBase &rewriter, scf::ForOp loop, unsigned dim) {
  Location loc = loop.getLoc();
  MLIRContext *context = rewriter.getContext();
  int64_t size = *getConstantIntValue(loop.getUpperBound());
  int64_t tile = *getConstantIntValue(loop.getStep());
  Value iv = loop.getInductionVar();
  AffineExpr d0 = getAffineDimExpr(0, context),
             d1 = getAffineDimExpr(1, context);

  // All tiles are as large as the first one.
  for (Operation *user : llvm::make_early_inc_range(iv.getUsers())) {
    auto min = dyn_cast<affine::AffineMinOp>(user);
    if (!min || min->getNumOperands() != 1)
      continue;
    AffineMap map = min.getMap();
    AffineExpr rest = getAffineConstantExpr(size, context) -
                      (map.getNumDims() ? d0 : getAffineSymbolExpr(0, context));
    auto isSize = [&](AffineExpr expr) {
      return expr == getAffineConstantExpr(tile, context) ||
             simplifyAffineExpr(expr - rest, map.getNumDims(),
                                map.getNumSymbols()) ==
                 getAffineConstantExpr(0, context);
    };
    if (map.getNumResults() != 2 || !llvm::all_of(map.getResults(), isSize))
      continue;
    rewriter.setInsertionPoint(min);
    rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(min, tile);
  }

  rewriter.setInsertionPointToStart(loop.getBody());
  auto start = affine::AffineMinOp::create(
      rewriter, loc,
      AffineMap::get(1, 0, {d0, getAffineConstantExpr(size - tile, context)},
                     context),
      iv);
  rewriter.replaceAllUsesExcept(iv, start, start);

  SmallVector<linalg::GenericOp> updates;
  loop.walk([&](linalg::GenericOp op) {
    if (op.getNumParallelLoops() == op.getNumLoops() && readsResult(op))
      updates.push_back(op);
  });
  if (updates.empty())
    return;
  rewriter.setInsertionPointAfter(start);
  Value first = affine::AffineApplyOp::create(
      rewriter, loc, AffineMap::get(2, 0, d0 - d1), ValueRange{iv, start});
  for (linalg::GenericOp update : updates)
    keepFront(rewriter, update, dim, first);
}

} // namespace flywheel
