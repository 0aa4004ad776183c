//===- FoldConversions.cpp - The flywheel-fold-conversions pass -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: fused `linalg` on tensors. After: a product reads operands that were
// transposed for products in their own order. Ops that only move elements move
// those of variables and constants before they are widened. A product of two
// matrices whose operand is a conversion, or a convolution whose operand is a
// widening, reads the unconverted tensor and converts in its body. A kernel
// widens as it loads; `flywheel-tile-and-fuse` narrows a tile at a time: no
// converted weight is ever stored as a whole. Refuses nothing.
//
//===----------------------------------------------------------------------===//

#include "Widenings.h"

#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Transforms/Fusion/FusionPasses.h"
#include "flywheel/Transforms/State/StateVersions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace flywheel;

namespace flywheel {
#define GEN_PASS_DEF_FOLDCONVERSIONS
#include "flywheel/Transforms/Fusion/FusionPasses.h.inc"
} // namespace flywheel

/// Returns true if `op` is a product of two matrices that is computed in tiles,
/// each of which uses converted numbers more than once. Products with narrow
/// sums do not count.
static bool isMatrixProduct(linalg::LinalgOp op) {
  return op.hasPureTensorSemantics() && op.getNumLoops() == 3 &&
         op.getNumReductionLoops() == 1 && flywheel::reusesInputs(op) &&
         getElementTypeOrSelf(op.getDpsInits()[0]).getIntOrFloatBitWidth() >=
             32 &&
         llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
           return map.isProjectedPermutation();
         });
}

/// Returns `op` as an op whose maps and body can be changed.
static linalg::GenericOp generalize(RewriterBase &rewriter,
                                    linalg::LinalgOp op) {
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (generic)
    return generic;
  rewriter.setInsertionPoint(op);
  codegen::ScheduleAttrInterface schedule = codegen::getSchedule(op);
  generic = *linalg::generalizeNamedOp(rewriter, op);
  if (schedule)
    codegen::setSchedule(generic, schedule);
  return generic;
}

/// Replaces operand `number` of `contraction` by the operand of `conversion`.
static linalg::GenericOp fold(RewriterBase &rewriter,
                              linalg::LinalgOp contraction, unsigned number,
                              linalg::GenericOp conversion) {
  linalg::GenericOp generic = generalize(rewriter, contraction);
  Value source = conversion.getDpsInputs()[0];
  BlockArgument element = generic.getBody()->getArgument(number);
  Operation *inner = &conversion.getBody()->front();
  rewriter.modifyOpInPlace(generic, [&] {
    generic->setOperand(number, source);
    element.setType(getElementTypeOrSelf(source));
  });
  rewriter.setInsertionPointToStart(generic.getBody());
  IRMapping mapping;
  mapping.map(inner->getOperand(0), element);
  Operation *copy = rewriter.clone(*inner, mapping);
  rewriter.replaceAllUsesExcept(element, copy->getResult(0), copy);
  return generic;
}

/// Returns the size of the loop of a product that does not run through its
/// operand: so often the operand is read.
static int64_t getNumReads(linalg::LinalgOp product, OpOperand &operand) {
  AffineMap map = product.getMatchingIndexingMap(&operand);
  for (auto [dim, size] : llvm::enumerate(product.getStaticLoopRanges()))
    if (!map.isFunctionOfDim(dim))
      return size;
  return 1;
}

/// Returns the op that transposes `value`, a matrix of which only products of
/// two matrices read the result; null if there is none. Kernels of these
/// transpose the part that they read. A matrix that is read by very many rows
/// is transposed once, as before. Products in batches keep their transposition,
/// too: it is fused into their loop over the batch, so that attention computes
/// one head at a time.
static linalg::TransposeOp getTransposition(Value value) {
  constexpr int64_t mostReads = 128;
  auto op = value.getDefiningOp<linalg::TransposeOp>();
  auto isFewRows = [](OpOperand &use) {
    auto product = dyn_cast<linalg::LinalgOp>(use.getOwner());
    return product && isMatrixProduct(product) && product.isDpsInput(&use) &&
           getNumReads(product, use) <= mostReads;
  };
  return op && op.hasPureTensorSemantics() &&
                 op.getInit().getType().getRank() == 2 &&
                 llvm::all_of(op->getUses(), isFewRows)
             ? op
             : linalg::TransposeOp();
}

/// Replaces operand `number` of `product` by the operand of `transposition`.
static linalg::GenericOp fold(RewriterBase &rewriter, linalg::LinalgOp product,
                              unsigned number,
                              linalg::TransposeOp transposition) {
  linalg::GenericOp generic = generalize(rewriter, product);
  SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
  ArrayRef<int64_t> permutation = transposition.getPermutation();
  SmallVector<AffineExpr> results(permutation.size());
  for (auto [dim, source] : llvm::enumerate(permutation))
    results[source] = maps[number].getResult(dim);
  maps[number] = AffineMap::get(maps[number].getNumDims(), 0, results,
                                rewriter.getContext());
  rewriter.modifyOpInPlace(generic, [&] {
    generic->setOperand(number, transposition.getInput());
    generic.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  });
  return generic;
}

/// Returns true if `op` is a contraction whose kernel widens the elements that
/// it loads: a product or a convolution.
static bool hasWideningKernel(Operation *user) {
  auto op = dyn_cast<linalg::LinalgOp>(user);
  return op && op.hasPureTensorSemantics() && flywheel::reusesInputs(op);
}

/// Returns true if `op` may read the operand of `conversion`, which yields its
/// input `number`, instead. At most one widened factor is folded: instructions
/// for products of narrow numbers round differently from the program, which
/// widens first.
static bool canFold(linalg::LinalgOp op, unsigned number,
                    linalg::GenericOp conversion, bool widenings) {
  if (conversion->getBlock() != op->getBlock())
    return false;
  if (isa<arith::TruncFOp>(conversion.getBody()->front()))
    return isMatrixProduct(op);
  Type wide = getElementTypeOrSelf(op.getDpsInits()[0]);
  Type other = getElementTypeOrSelf(op->getOperand(1 - number));
  bool isSecond = isa<arith::ExtFOp>(conversion.getBody()->front()) &&
                  isa<FloatType>(other) && other != wide;
  return widenings && hasWideningKernel(op) && !isSecond &&
         widensStored(conversion) &&
         llvm::all_of(conversion->getUses(),
                      [&](OpOperand &use) {
                        return hasWideningKernel(use.getOwner()) ||
                               (canConvertAsItLoads(use) &&
                                use.getOwner()->getBlock() == op->getBlock());
                      }) &&
         getElementTypeOrSelf(conversion->getResult(0)) == wide;
}

namespace {
struct FoldConversions : flywheel::impl::FoldConversionsBase<FoldConversions> {
  using FoldConversionsBase::FoldConversionsBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::LinalgOp> contractions;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (isMatrixProduct(op) || hasWideningKernel(op))
        contractions.push_back(op);
    });
    // Kernels of GPUs read whole rows.
    if (widenings) {
      foldTranspositions(rewriter, contractions);
      moveWidenings(rewriter, getOperation());
    }
    foldConversions(rewriter, contractions);
    // Those of narrow numbers.
    if (widenings)
      foldTranspositions(rewriter, contractions);
  }

private:
  void foldTranspositions(RewriterBase &rewriter,
                          MutableArrayRef<linalg::LinalgOp> contractions) {
    for (linalg::LinalgOp &op : contractions)
      for (unsigned number : {0u, 1u}) {
        linalg::TransposeOp transposition =
            getTransposition(op->getOperand(number));
        if (!transposition)
          continue;
        op = fold(rewriter, op, number, transposition);
        ++numTransposed;
        if (transposition->use_empty())
          rewriter.eraseOp(transposition);
      }
  }

  void foldConversions(RewriterBase &rewriter,
                       MutableArrayRef<linalg::LinalgOp> contractions) {
    llvm::SetVector<linalg::GenericOp> folded;
    for (linalg::LinalgOp &op : contractions)
      for (unsigned number : {0u, 1u}) {
        linalg::GenericOp conversion = getConversion(op->getOperand(number));
        if (!conversion || !canFold(op, number, conversion, widenings))
          continue;
        op = fold(rewriter, op, number, conversion);
        ++numFolded;
        folded.insert(conversion);
      }
    for (linalg::GenericOp conversion : folded) {
      // Another reader, such as a sum of the weights, needs no wide copy.
      if (widensStored(conversion))
        for (OpOperand &use : llvm::make_early_inc_range(conversion->getUses()))
          if (canConvertAsItLoads(use) &&
              use.getOwner()->getBlock() == conversion->getBlock()) {
            fold(rewriter, cast<linalg::LinalgOp>(use.getOwner()),
                 use.getOperandNumber(), conversion);
            ++numFolded;
          }
      if (conversion->use_empty())
        rewriter.eraseOp(conversion);
    }
  }
};
} // namespace
