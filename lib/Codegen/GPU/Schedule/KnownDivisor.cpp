//===- KnownDivisor.cpp - What sizes and offsets are multiples of ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KnownDivisor.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace flywheel {

static int64_t divisorOf(int64_t number) {
  uint64_t bits = static_cast<uint64_t>(number);
  return number == 0 ? kMaxKnownDivisor
                     : std::min<int64_t>(bits & -bits, kMaxKnownDivisor);
}

static int64_t multiply(int64_t lhs, int64_t rhs) {
  return std::min(lhs * rhs, kMaxKnownDivisor);
}

/// Returns a divisor of the quotient by `divisor` of a multiple of `number`.
static int64_t divide(int64_t number, std::optional<int64_t> divisor) {
  return divisor && *divisor > 0 && number % *divisor == 0 ? number / *divisor
                                                           : 1;
}

/// Returns a divisor of `expr`, given those of its `dims` and `symbols`.
static int64_t divisorOf(AffineExpr expr, ArrayRef<int64_t> dims,
                         ArrayRef<int64_t> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return divisorOf(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t lhs = divisorOf(binary.getLHS(), dims, symbols);
  int64_t rhs = divisorOf(binary.getRHS(), dims, symbols);
  switch (expr.getKind()) {
  case AffineExprKind::Mul:
    return multiply(lhs, rhs);
  case AffineExprKind::FloorDiv:
  case AffineExprKind::CeilDiv: {
    auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
    return divide(lhs,
                  constant ? std::optional(constant.getValue()) : std::nullopt);
  }
  default: // Sums and remainders.
    return std::min(lhs, rhs);
  }
}

static int64_t divisorOf(AffineMap map, ValueRange operands) {
  SmallVector<int64_t> dims, symbols;
  for (auto [number, operand] : llvm::enumerate(operands))
    (number < map.getNumDims() ? dims : symbols)
        .push_back(getKnownDivisor(operand));
  int64_t divisor = kMaxKnownDivisor;
  for (AffineExpr expr : map.getResults())
    divisor = std::min(divisor, divisorOf(expr, dims, symbols));
  return divisor;
}

int64_t getKnownDivisor(Value number) {
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return divisorOf(*constant);
  Operation *op = number.getDefiningOp();
  if (!op)
    return 1;
  auto ofOperand = [&](unsigned i) {
    return getKnownDivisor(op->getOperand(i));
  };
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(
          [](auto apply) {
            return divisorOf(apply.getAffineMap(), apply.getOperands());
          })
      .Case([&](arith::MulIOp) { return multiply(ofOperand(0), ofOperand(1)); })
      .Case<arith::AddIOp, arith::SubIOp, arith::RemUIOp, arith::RemSIOp,
            arith::MinUIOp, arith::MinSIOp, arith::MaxUIOp, arith::MaxSIOp>(
          [&](auto) { return std::min(ofOperand(0), ofOperand(1)); })
      .Case<arith::DivUIOp, arith::DivSIOp>([&](auto) {
        return divide(ofOperand(0), getConstantIntValue(op->getOperand(1)));
      })
      .Case(
          [&](arith::SelectOp) { return std::min(ofOperand(1), ofOperand(2)); })
      .Case([](memref::DimOp dim) -> int64_t {
        auto type = dyn_cast<MemRefType>(dim.getSource().getType());
        std::optional<int64_t> place = dim.getConstantIndex();
        if (!type || !place || *place < 0 || *place >= type.getRank() ||
            type.isDynamicDim(*place))
          return 1;
        return divisorOf(type.getDimSize(*place));
      })
      .Default([](Operation *) -> int64_t { return 1; });
}

static int64_t getKnownDivisor(OpFoldResult number) {
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return divisorOf(*constant);
  return getKnownDivisor(cast<Value>(number));
}

/// Returns a divisor of each stride of `buffer`: if the stride is not known,
/// the product of the known inner sizes of the buffer that it is a slice of.
static SmallVector<int64_t> getStrideDivisors(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> divisors;
  if (type.getLayout().isIdentity()) {
    int64_t divisor = 1;
    for (int64_t size : llvm::reverse(type.getShape())) {
      divisors.push_back(divisor);
      divisor =
          multiply(divisor, ShapedType::isDynamic(size) ? 1 : divisorOf(size));
    }
    std::reverse(divisors.begin(), divisors.end());
    return divisors;
  }
  auto part = buffer.getDefiningOp<memref::SubViewOp>();
  if (part && part.getDroppedDims().none()) {
    divisors = getStrideDivisors(part.getSource());
    for (auto [divisor, step] :
         llvm::zip_equal(divisors, part.getMixedStrides()))
      divisor = multiply(divisor, getKnownDivisor(step));
    return divisors;
  }
  for (int64_t stride : type.getStridesAndOffset().first)
    divisors.push_back(ShapedType::isDynamic(stride) ? 1 : divisorOf(stride));
  return divisors;
}

/// Returns a divisor of the offset of `buffer` from the start of its memory.
static int64_t getOffsetDivisor(Value buffer) {
  int64_t divisor = kMaxKnownDivisor;
  while (Operation *op = buffer.getDefiningOp()) {
    if (isa<memref::ExpandShapeOp, memref::CollapseShapeOp, memref::CastOp>(
            op)) {
      buffer = op->getOperand(0);
      continue;
    }
    if (isa<memref::AllocOp, memref::ViewOp, memref::GetGlobalOp>(op))
      return divisor;
    auto part = dyn_cast<memref::SubViewOp>(op);
    if (!part)
      return 1;
    for (auto [step, stride] : llvm::zip_equal(
             part.getMixedOffsets(), getStrideDivisors(part.getSource())))
      divisor = std::min(divisor, multiply(getKnownDivisor(step), stride));
    buffer = part.getSource();
  }
  // An argument of the function, or a buffer whose offset is known.
  auto [strides, offset] =
      cast<MemRefType>(buffer.getType()).getStridesAndOffset();
  return ShapedType::isDynamic(offset) ? 1
                                       : std::min(divisor, divisorOf(offset));
}

bool hasAlignedVectors(Value buffer, int64_t width) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (type.getRank() == 0 ||
      failed(type.getStridesAndOffset(strides, offset)) || strides.back() != 1)
    return false;
  SmallVector<int64_t> divisors = getStrideDivisors(buffer);
  for (auto [divisor, size] : llvm::zip_equal(ArrayRef(divisors).drop_back(),
                                              type.getShape().drop_back()))
    if (size != 1 && divisor % width != 0)
      return false;
  return getOffsetDivisor(buffer) % width == 0;
}

std::optional<int64_t> getKnownBound(OpFoldResult number) {
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return constant;
  auto least = cast<Value>(number).getDefiningOp<affine::AffineMinOp>();
  std::optional<int64_t> bound;
  if (least)
    for (AffineExpr expr : least.getMap().getResults())
      if (auto constant = dyn_cast<AffineConstantExpr>(expr))
        bound =
            std::min(bound.value_or(constant.getValue()), constant.getValue());
  return bound;
}

} // namespace flywheel
