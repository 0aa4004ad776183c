//===- Contraction.cpp - Sums of products ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Analysis/Contraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace flywheel {

bool isWidening(Operation *op) {
  if (!isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    return isa<arith::ExtFOp>(op);
  // Truth values are bits in a vector, and few machines have vectors of 64.
  unsigned width =
      getElementTypeOrSelf(op->getOperand(0)).getIntOrFloatBitWidth();
  return width >= 8 && width <= 32;
}

/// Returns the only op that uses `element`, if it is in the same block; null
/// otherwise.
static Operation *getOnlyUser(BlockArgument element) {
  if (!element.hasOneUse())
    return nullptr;
  Operation *user = *element.getUsers().begin();
  return user->getBlock() == element.getOwner() ? user : nullptr;
}

Operation *getNarrowingOf(BlockArgument element) {
  return dyn_cast_or_null<arith::TruncFOp>(getOnlyUser(element));
}

Operation *getWideningOf(BlockArgument element) {
  Operation *user = getOnlyUser(element);
  return user && isWidening(user) ? user : nullptr;
}

/// Returns the argument of the body that `factor` is, converted or not; null if
/// the body also uses the argument in another way than by its conversion.
static Value getSource(Value factor) {
  Operation *conversion = factor.getDefiningOp();
  if (isa_and_present<arith::SIToFPOp, arith::UIToFPOp>(conversion)) {
    auto element = dyn_cast<BlockArgument>(conversion->getOperand(0));
    return element && getWideningOf(element) == conversion ? element : Value();
  }
  if (auto extension = factor.getDefiningOp<arith::ExtFOp>())
    factor = extension.getIn();
  if (auto narrowing = factor.getDefiningOp<arith::TruncFOp>())
    return isa<BlockArgument>(narrowing.getIn()) &&
                   getNarrowingOf(cast<BlockArgument>(narrowing.getIn())) ==
                       narrowing
               ? narrowing.getIn()
               : Value();
  return factor;
}

Type getFactorType(linalg::LinalgOp op, unsigned number) {
  BlockArgument element = op.getBlock()->getArgument(number);
  Operation *narrowing = getNarrowingOf(element);
  return narrowing ? narrowing->getResult(0).getType() : element.getType();
}

bool subtractsProducts(linalg::LinalgOp op) {
  return op.hasPureBufferSemantics() && op.getBlock()
                                            ->getTerminator()
                                            ->getOperand(0)
                                            .getDefiningOp<arith::SubFOp>();
}

/// Returns true if the body is C + A * B, or C - A * B on buffers.
static bool isMultiplyAdd(linalg::LinalgOp op) {
  Block *body = op.getBlock();
  Operation *sum = body->getTerminator()->getOperand(0).getDefiningOp();
  BlockArgument out = body->getArgument(2);
  if (!sum || sum->getBlock() != body ||
      !(isa<arith::AddFOp>(sum) || subtractsProducts(op)))
    return false;
  Value lhsTerm = sum->getOperand(0), rhsTerm = sum->getOperand(1);
  if (lhsTerm != out && (rhsTerm != out || isa<arith::SubFOp>(sum)))
    return false;
  Value product = lhsTerm == out ? rhsTerm : lhsTerm;
  if (product == out)
    return false;
  auto multiply = product.getDefiningOp<arith::MulFOp>();
  if (!multiply || multiply->getBlock() != body)
    return false;
  Value lhs = getSource(multiply.getLhs()), rhs = getSource(multiply.getRhs());
  Value x = body->getArgument(0), y = body->getArgument(1);
  return (lhs == x && rhs == y) || (lhs == y && rhs == x);
}

bool isContraction(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0 || !isMultiplyAdd(op))
    return false;
  for (OpOperand &operand : op->getOpOperands())
    if (!isa<ShapedType>(operand.get().getType()))
      return false;
  OpOperand *output = op.getDpsInitOperand(0);
  AffineMap map = op.getMatchingIndexingMap(output);
  return map.isProjectedPermutation() &&
         map.getNumResults() == op.getNumParallelLoops();
}

/// Returns true if `map` reads the same element in all iterations of one of
/// `loops`.
static bool isConstantAlong(AffineMap map, ArrayRef<unsigned> loops) {
  return llvm::any_of(
      loops, [&](unsigned loop) { return !map.isFunctionOfDim(loop); });
}

/// Returns true if the windows that `map` reads may overlap; consecutive
/// iterations of a loop in `parallel` read consecutive windows.
static bool readsWindows(AffineMap map, ArrayRef<unsigned> parallel,
                         ArrayRef<unsigned> reductions) {
  return llvm::any_of(map.getResults(), [&](AffineExpr expr) {
    auto isIndex = [&](unsigned loop) { return expr.isFunctionOfDim(loop); };
    return llvm::any_of(parallel, isIndex) && llvm::any_of(reductions, isIndex);
  });
}

bool reusesInputs(linalg::LinalgOp op) {
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  return isContraction(op) &&
         llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
           return isConstantAlong(op.getMatchingIndexingMap(input), parallel);
         });
}

bool sumsReusedInputs(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1 ||
      op.getNumDpsInputs() < 2 ||
      !op.getBlock()
           ->getTerminator()
           ->getOperand(0)
           .getDefiningOp<arith::AddFOp>())
    return false;
  SmallVector<int64_t> sizes = getStaticLoopSizes(op);
  auto isSingle = [&](unsigned loop) { return sizes[loop] == 1; };
  SmallVector<unsigned> parallel, reductions;
  op.getParallelDims(parallel);
  op.getReductionDims(reductions);
  llvm::erase_if(parallel, isSingle);
  llvm::erase_if(reductions, isSingle);
  return llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    AffineMap map = op.getMatchingIndexingMap(input);
    return isConstantAlong(map, parallel) ||
           (isContraction(op) && readsWindows(map, parallel, reductions));
  });
}

SmallVector<int64_t> getStaticLoopSizes(linalg::LinalgOp op) {
  SmallVector<int64_t> sizes(op.getNumLoops(), ShapedType::kDynamic);
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<ShapedType>(operand.get().getType());
    if (!type)
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [expr, size] : llvm::zip_equal(map.getResults(), type.getShape()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        if (!ShapedType::isDynamic(size))
          sizes[dim.getPosition()] = size;
  }
  return sizes;
}

} // namespace flywheel
