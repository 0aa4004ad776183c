//===- LoopBounds.cpp - Bounds of the trip count of a loop ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopBounds.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace flywheel {

/// Returns a constant that the unsigned integer `value` never exceeds.
static std::optional<int64_t> getUnsignedBound(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)) && number.isIntN(63))
    return number.getZExtValue();
  auto minimum = value.getDefiningOp<arith::MinUIOp>();
  if (!minimum)
    return std::nullopt;
  std::optional<int64_t> left = getUnsignedBound(minimum.getLhs()),
                         right = getUnsignedBound(minimum.getRhs());
  return left && right ? std::min(*left, *right) : left ? left : right;
}

std::optional<int64_t> getConstantBound(Value value) {
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return number;
  if (value.getType().isIndex()) {
    FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
        presburger::BoundType::UB, value, nullptr, /*closedUB=*/true);
    if (succeeded(bound))
      return *bound;
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  // A cast that drops bits may make any number of another.
  if (isa<arith::IndexCastOp>(op) && value.getType().isIndex())
    return getConstantBound(op->getOperand(0));
  if (isa<arith::IndexCastUIOp>(op) && value.getType().isIndex())
    return getUnsignedBound(op->getOperand(0));
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp>(op))
    return std::nullopt;
  std::optional<int64_t> left = getConstantBound(op->getOperand(0)),
                         right = getConstantBound(op->getOperand(1));
  if (isa<arith::MinSIOp>(op))
    return left && right ? std::min(*left, *right) : left ? left : right;
  // The subtrahend must be a known constant; a bound is not enough.
  if (isa<arith::SubIOp>(op))
    right = getConstantIntValue(op->getOperand(1));
  if (!left || !right)
    return std::nullopt;
  if (isa<arith::MaxSIOp>(op))
    return std::max(*left, *right);
  int64_t result;
  bool overflows = isa<arith::AddIOp>(op)
                       ? llvm::AddOverflow(*left, *right, result)
                       : llvm::SubOverflow(*left, *right, result);
  return overflows || !value.getType().isIndex() ? std::nullopt
                                                 : std::optional(result);
}

bool isBoundedByDimSizes(Value value) {
  AffineMap map;
  ValueDimList operands;
  auto isDimSize = [](Value, std::optional<int64_t> dim,
                      ValueBoundsConstraintSet &) { return dim.has_value(); };
  return succeeded(ValueBoundsConstraintSet::computeBound(
             map, operands, presburger::BoundType::UB, value, isDimSize,
             /*closedUB=*/true)) &&
         llvm::all_of(operands, [](const auto &operand) {
           return operand.second.has_value();
         });
}

bool isAtLeast(Value value, int64_t least) {
  FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::LB, value, nullptr);
  return succeeded(bound) && *bound >= least;
}

bool keepsDimSize(scf::ForOp loop, unsigned i, int64_t dim) {
  if (loop->hasAttr(train::TrainDialect::getKeepsDimSizesAttrName()))
    return true;
  Value yielded = loop.getYieldedValues()[i], init = loop.getInitArgs()[i];
  if (hasDimSizeOf(loop, yielded, dim, init, dim))
    return true;
  // A slice is known to have the size of the tensor from which the init got its
  // own size.
  DimSizeSource like{init, dim};
  while (auto result = dyn_cast<OpResult>(like.value)) {
    DimSizeSource source = findDimSizeSource(result, like.dim);
    if (!source.value)
      break;
    like = source;
  }
  return like.value != init &&
         hasDimSizeOf(loop, yielded, dim, like.value, like.dim);
}

/// Implements `hasDimSizeOf` for a value that `inner` carries: `loop` or one
/// inside.
static bool carriesDimSizeOf(scf::ForOp loop, scf::ForOp inner, unsigned i,
                             int64_t dim, Value like, int64_t likeDim) {
  if (inner != loop &&
      (!loop->isProperAncestor(inner) || !keepsDimSize(inner, i, dim)))
    return false;
  return hasDimSizeOf(loop, inner.getInitArgs()[i], dim, like, likeDim);
}

bool hasDimSizeOf(scf::ForOp loop, Value value, int64_t dim, Value like,
                  int64_t likeDim) {
  if (value == like && dim == likeDim)
    return true;
  FailureOr<bool> equal =
      ValueBoundsConstraintSet::areEqual({value, dim}, {like, likeDim});
  if (succeeded(equal) && *equal)
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto owner = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return owner && carriesDimSizeOf(loop, owner, argument.getArgNumber() - 1,
                                     dim, like, likeDim);
  }
  auto result = cast<OpResult>(value);
  Operation *op = result.getOwner();
  if (auto inner = dyn_cast<scf::ForOp>(op))
    return carriesDimSizeOf(loop, inner, result.getResultNumber(), dim, like,
                            likeDim);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return llvm::all_of(branch->getRegions(), [&](Region &region) {
      return hasDimSizeOf(
          loop,
          region.front().getTerminator()->getOperand(result.getResultNumber()),
          dim, like, likeDim);
    });
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
    return hasDimSizeOf(loop, destination.getTiedOpOperand(result)->get(), dim,
                        like, likeDim);
  // Any operand of an elementwise op may be the one that keeps its dimension
  // sizes.
  if (OpTrait::hasElementwiseMappableTraits(op))
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      return isa<RankedTensorType>(operand.getType()) &&
             hasDimSizeOf(loop, operand, dim, like, likeDim);
    });
  DimSizeSource source = findDimSizeSource(result, dim);
  return source.value &&
         hasDimSizeOf(loop, source.value, source.dim, like, likeDim);
}

} // namespace flywheel
