//===- LoopCut.cpp - Values to keep for a reverse loop --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reverse of an iteration recomputes its body from the initial values of
// the iteration. If it only needs parts of a tensor, such as the element that
// the iteration reads, it is enough to keep these.
//
//===----------------------------------------------------------------------===//

#include "LoopCut.h"

#include "flywheel/Autodiff/ReverseSweep.h"
#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Interfaces/SizeOpInterfaces.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace flywheel {

/// The dimension size that a dynamic one is compared as.
constexpr int64_t kTypicalDimSize = 64;

/// Returns the number of bits of a value of `type`, or none if no tensor can
/// keep it.
static std::optional<int64_t> getNumBits(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor && !type.isIntOrIndexOrFloat())
    return std::nullopt;
  Type element = getElementTypeOrSelf(type);
  if (!element.isIntOrIndexOrFloat())
    return std::nullopt;
  int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  if (tensor)
    for (int64_t size : tensor.getShape())
      bits = llvm::SaturatingMultiply<uint64_t>(
          bits, ShapedType::isDynamic(size) ? kTypicalDimSize : size);
  return bits;
}

bool needsOnlySizes(OpOperand &use) {
  if (auto broadcast = dyn_cast<nn::BroadcastOp>(use.getOwner()))
    return use.get() == broadcast.getLike() &&
           use.get() != broadcast.getInput();
  return isa<tensor::DimOp>(use.getOwner());
}

std::optional<SmallVector<Value>> findSmallerCut(Value start, Block &block,
                                                 const Recomputation &again) {
  int64_t limit = *getNumBits(start.getType()), total = 0;
  SetVector<Value> reached, cut;
  reached.insert(start);
  for (size_t i = 0; i < reached.size(); ++i)
    for (OpOperand &use : reached[i].getUses()) {
      Operation *op = block.findAncestorOpInBlock(*use.getOwner());
      if (!op || needsOnlySizes(use))
        continue;
      if (!again.contains(op))
        return std::nullopt;
      for (Value result : op->getResults()) {
        if (result.use_empty())
          continue;
        std::optional<int64_t> bits = getNumBits(result.getType());
        if (!bits)
          return std::nullopt;
        if (*bits >= limit)
          reached.insert(result);
        else if (cut.insert(result))
          total += *bits;
      }
    }
  if (total >= limit)
    return std::nullopt;
  // An iteration may need one element of a column.
  SetVector<Value> smallest;
  for (Value value : cut) {
    std::optional<SmallVector<Value>> parts;
    if (isa<RankedTensorType>(value.getType()))
      parts = findSmallerCut(value, block, again);
    if (parts)
      smallest.insert_range(*parts);
    else
      smallest.insert(value);
  }
  return smallest.takeVector();
}

namespace {
/// Follows a dimension size to the outside of a block.
class SizeFinder {
public:
  SizeFinder(OpBuilder &b, Location loc, Block *block, ArrayRef<Value> starts,
             ValueRange like)
      : b(b), loc(loc), block(block), starts(starts), like(like) {}

  std::optional<OpFoldResult> find(Value value, int64_t dim) {
    // Each step visits an earlier op.
    while (value) {
      auto type = cast<RankedTensorType>(value.getType());
      if (!type.isDynamicDim(dim))
        return b.getIndexAttr(type.getDimSize(dim));
      if (const auto *start = llvm::find(starts, value); start != starts.end())
        return tensor::getMixedSize(b, loc, like[start - starts.begin()], dim);
      if (isOutside(value))
        return tensor::getMixedSize(b, loc, value, dim);
      auto result = dyn_cast<OpResult>(value);
      if (!result)
        return std::nullopt;
      if (std::optional<OpFoldResult> size = getOperandSize(result, dim)) {
        auto known = dyn_cast<Value>(*size);
        return !known || isOutside(known) ? size : std::nullopt;
      }
      std::tie(value, dim) = follow(result, dim);
    }
    return std::nullopt;
  }

private:
  bool isOutside(Value value) {
    Operation *parent = value.getParentBlock()->getParentOp();
    return value.getParentBlock() != block &&
           !block->getParentOp()->isProperAncestor(parent);
  }

  /// Returns the size that an operand of the op says.
  static std::optional<OpFoldResult> getOperandSize(OpResult result,
                                                    int64_t dim) {
    Operation *op = result.getOwner();
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
      llvm::SmallBitVector dropped = slice.getDroppedDims();
      SmallVector<OpFoldResult> sizes = slice.getMixedSizes();
      for (auto [whole, size] : llvm::enumerate(sizes))
        if (!dropped.test(whole) && dim-- == 0)
          return size;
    }
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      return expand.getMixedOutputShape()[dim];
    if (auto empty = dyn_cast<tensor::EmptyOp>(op))
      return empty.getMixedSizes()[dim];
    return std::nullopt;
  }

  /// Returns a dimension that is equal.
  static std::pair<Value, int64_t> follow(OpResult result, int64_t dim) {
    Operation *op = result.getOwner();
    if (auto cast = dyn_cast<tensor::CastOp>(op))
      return {cast.getSource(), dim};
    if (auto styled = dyn_cast<DestinationStyleOpInterface>(op))
      return {styled.getTiedOpOperand(result)->get(), dim};
    if (OpTrait::hasElementwiseMappableTraits(op))
      for (Value operand : op->getOperands())
        if (isa<RankedTensorType>(operand.getType()))
          return {operand, dim};
    DimSizeSource source = findDimSizeSource(result, dim);
    return {source.value, source.dim};
  }

  OpBuilder &b;
  Location loc;
  Block *block;
  ArrayRef<Value> starts;
  ValueRange like;
};
} // namespace

std::optional<SmallVector<OpFoldResult>>
findSizesOutside(OpBuilder &b, Location loc, Value value, Block *block,
                 ArrayRef<Value> starts, ValueRange like) {
  SmallVector<OpFoldResult> sizes;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  SizeFinder finder(b, loc, block, starts, like);
  for (int64_t dim = 0, e = type ? type.getRank() : 0; dim < e; ++dim) {
    std::optional<OpFoldResult> size = finder.find(value, dim);
    if (!size)
      return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

/// Finds the results of `loop` that are used, or that others are computed from.
static llvm::SmallBitVector findNeededResults(scf::ForOp loop) {
  llvm::SmallBitVector needed(loop.getNumResults());
  SetVector<Value> values;
  for (unsigned i = 0; i < needed.size(); ++i)
    if (!loop.getResult(i).use_empty()) {
      needed.set(i);
      values.insert(loop.getYieldedValues()[i]);
    }
  for (size_t n = 0; n < values.size(); ++n) {
    auto argument = dyn_cast<BlockArgument>(values[n]);
    if (argument && argument.getOwner() == loop.getBody()) {
      if (argument == loop.getInductionVar())
        continue;
      unsigned i = argument.getArgNumber() - 1;
      needed.set(i);
      values.insert(loop.getYieldedValues()[i]);
      continue;
    }
    Operation *op = values[n].getDefiningOp();
    if (!op || op->getBlock() != loop.getBody())
      continue;
    values.insert_range(op->getOperands());
    SetVector<Value> captures;
    getUsedValuesDefinedAbove(op->getRegions(), captures);
    values.insert_range(captures);
  }
  return needed;
}

void dropUnusedResults(scf::ForOp outermost) {
  outermost->walk<WalkOrder::PreOrder>([](scf::ForOp loop) {
    llvm::SmallBitVector needed = findNeededResults(loop);
    Operation *yield = loop.getBody()->getTerminator();
    for (unsigned i = 0; i < needed.size(); ++i)
      if (!needed.test(i))
        yield->setOperand(i, loop.getRegionIterArg(i));
    eraseDeadOps(*loop.getBody());
  });
}

} // namespace flywheel
