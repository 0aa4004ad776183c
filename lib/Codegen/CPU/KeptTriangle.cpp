//===- KeptTriangle.cpp - What an epilogue keeps of a matrix --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeptTriangle.h"

#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;

namespace flywheel {

/// Sums and differences of sizes and shifts up to this value do not overflow.
static constexpr int64_t kMaxShift = std::numeric_limits<int64_t>::max() / 4;

namespace {
/// An index of a loop plus a constant.
struct ShiftedLoop {
  unsigned loop;
  int64_t shift;
};
} // namespace

static std::optional<ShiftedLoop> addTo(std::optional<ShiftedLoop> index,
                                        int64_t shift) {
  if (!index || shift > kMaxShift || shift < -kMaxShift)
    return std::nullopt;
  index->shift += shift;
  if (index->shift > kMaxShift || index->shift < -kMaxShift)
    return std::nullopt;
  return index;
}

static std::optional<ShiftedLoop> getShiftedLoop(Value index) {
  Operation *op = index.getDefiningOp();
  if (auto loop = dyn_cast_or_null<linalg::IndexOp>(op))
    return ShiftedLoop{static_cast<unsigned>(loop.getDim()), 0};
  APInt constant;
  if (auto sum = dyn_cast_or_null<arith::AddIOp>(op)) {
    if (matchPattern(sum.getRhs(), m_ConstantInt(&constant)))
      return addTo(getShiftedLoop(sum.getLhs()), constant.getSExtValue());
    if (matchPattern(sum.getLhs(), m_ConstantInt(&constant)))
      return addTo(getShiftedLoop(sum.getRhs()), constant.getSExtValue());
    return std::nullopt;
  }
  if (auto difference = dyn_cast_or_null<arith::SubIOp>(op)) {
    if (matchPattern(difference.getRhs(), m_ConstantInt(&constant)) &&
        !constant.isMinSignedValue())
      return addTo(getShiftedLoop(difference.getLhs()),
                   -constant.getSExtValue());
    return std::nullopt;
  }
  auto apply = dyn_cast_or_null<affine::AffineApplyOp>(op);
  if (!apply || apply.getMapOperands().size() != 1)
    return std::nullopt;
  AffineExpr expr = apply.getAffineMap().getResult(0);
  if (isa<AffineDimExpr, AffineSymbolExpr>(expr))
    return getShiftedLoop(apply.getMapOperands().front());
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!sum || sum.getKind() != AffineExprKind::Add ||
      !isa<AffineDimExpr, AffineSymbolExpr>(sum.getLHS()))
    return std::nullopt;
  auto shift = dyn_cast<AffineConstantExpr>(sum.getRHS());
  return shift ? addTo(getShiftedLoop(apply.getMapOperands().front()),
                       shift.getValue())
               : std::nullopt;
}

/// Returns the elements for which `condition` is `value`.
static std::optional<KeptTriangle> getTriangle(Value condition, bool value) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return std::nullopt;
  std::optional<ShiftedLoop> lhs = getShiftedLoop(compare.getLhs()),
                             rhs = getShiftedLoop(compare.getRhs());
  if (!lhs || !rhs || lhs->loop == rhs->loop)
    return std::nullopt;
  arith::CmpIPredicate predicate = compare.getPredicate();
  if (!value)
    predicate = arith::invertPredicate(predicate);
  int64_t shift = rhs->shift - lhs->shift;
  switch (predicate) {
  case arith::CmpIPredicate::sle:
    return KeptTriangle{lhs->loop, rhs->loop, shift};
  case arith::CmpIPredicate::slt:
    return KeptTriangle{lhs->loop, rhs->loop, shift - 1};
  case arith::CmpIPredicate::sge:
    return KeptTriangle{rhs->loop, lhs->loop, -shift};
  case arith::CmpIPredicate::sgt:
    return KeptTriangle{rhs->loop, lhs->loop, -shift - 1};
  default:
    return std::nullopt;
  }
}

std::optional<KeptTriangle> findKeptTriangle(linalg::GenericOp op,
                                             OpOperand &operand) {
  std::optional<KeptTriangle> kept;
  SmallVector<Value> reached{op.getMatchingBlockArgument(&operand)};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!reached.empty()) {
    Value value = reached.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      auto select = dyn_cast<arith::SelectOp>(user);
      bool isCondition = select && use.getOperandNumber() == 0;
      // A select between two numbers that depend on the operand keeps all
      // elements.
      if (select && !isCondition &&
          select.getTrueValue() != select.getFalseValue()) {
        std::optional<KeptTriangle> triangle =
            getTriangle(select.getCondition(), use.getOperandNumber() == 1);
        if (triangle) {
          if (kept && !(*kept == *triangle))
            return std::nullopt;
          kept = triangle;
          continue;
        }
      }
      if (isa<linalg::YieldOp>(user) || user->getNumRegions() != 0 ||
          !isPure(user))
        return std::nullopt;
      if (seen.insert(user).second)
        llvm::append_range(reached, user->getResults());
    }
  }
  return kept;
}

/// The least steps of a reduction for which skipping tiles pays: for that, the
/// epilogue has to be in the tiles, although it costs nothing in the next op. A
/// step of attention with 64 positions of 16 numbers took 1.25 of the time with
/// its mask in the tiles, one with 256 of 64 numbers 0.94.
static constexpr int64_t kMinSkippedSteps = 32;

bool paysToSkipTiles(linalg::LinalgOp contraction, codegen::FMAAttr schedule,
                     const KeptTriangle &kept) {
  AffineMap output =
      contraction.getMatchingIndexingMap(contraction.getDpsInitOperand(0));
  SmallVector<int64_t> sizes = contraction.getStaticLoopRanges();
  SmallVector<unsigned> reductions;
  contraction.getReductionDims(reductions);
  CheckedSize numSteps = 1;
  for (unsigned loop : reductions)
    numSteps *=
        ShapedType::isDynamic(sizes[loop]) ? kMinSkippedSteps : sizes[loop];
  if (numSteps.getSaturated() < kMinSkippedSteps)
    return false;
  for (unsigned index : {kept.first, kept.second}) {
    auto loop = dyn_cast<AffineDimExpr>(output.getResult(index));
    if (!loop)
      return false;
    for (DenseI64ArrayAttr tiles : schedule.getTiles())
      if (int64_t tile = tiles[loop.getPosition()];
          tile != 0 && tile != sizes[loop.getPosition()])
        return true;
  }
  return false;
}

void skipDiscardedTile(RewriterBase &rewriter, linalg::LinalgOp contraction,
                       const KeptTriangle &kept,
                       ArrayRef<SmallVector<OpFoldResult>> offsets,
                       ArrayRef<OpFoldResult> sizes) {
  Location loc = contraction.getLoc();
  rewriter.setInsertionPoint(contraction);
  // The least index along `first`, and the first one after those along
  // `second`, which are contiguous.
  auto emitSum = [&](ArrayRef<OpFoldResult> terms, int64_t shift) {
    AffineExpr expr = rewriter.getAffineConstantExpr(shift);
    for (unsigned number = 0; number < terms.size(); ++number)
      expr = expr + rewriter.getAffineSymbolExpr(number);
    return affine::makeComposedFoldedAffineApply(rewriter, loc, expr, terms);
  };
  SmallVector<OpFoldResult> least, behind{sizes[kept.second]};
  for (ArrayRef<OpFoldResult> level : offsets) {
    least.push_back(level[kept.first]);
    behind.push_back(level[kept.second]);
  }
  OpFoldResult from = emitSum(least, 0), to = emitSum(behind, kept.shift);
  std::optional<int64_t> knownFrom = getConstantIntValue(from),
                         knownTo = getConstantIntValue(to);
  if (knownFrom && knownTo && *knownFrom < *knownTo)
    return;
  Value isKept = arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::slt,
      getValueOrCreateConstantIndexOp(rewriter, loc, from),
      getValueOrCreateConstantIndexOp(rewriter, loc, to));
  Value init = contraction.getDpsInits()[0];
  auto fill = init.getDefiningOp<linalg::FillOp>();
  if (fill &&
      (!fill->hasOneUse() || fill->getBlock() != contraction->getBlock()))
    fill = {};
  auto branch = scf::IfOp::create(rewriter, loc, init.getType(), isKept,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  rewriter.replaceAllUsesWith(contraction->getResult(0), branch.getResult(0));
  rewriter.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(rewriter, loc, fill ? fill.getDpsInits()[0] : init);
  rewriter.setInsertionPointToEnd(branch.thenBlock());
  auto yield = scf::YieldOp::create(rewriter, loc, contraction->getResult(0));
  if (fill)
    rewriter.moveOpBefore(fill, yield);
  rewriter.moveOpBefore(contraction, yield);
}

} // namespace flywheel
