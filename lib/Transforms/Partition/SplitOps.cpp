//===- SplitOps.cpp - Loops over blocks of structured ops -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitOps.h"

#include "flywheel/Analysis/AccessMaps.h"
#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Dialect/Codegen/Codegen.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace flywheel;

/// Blocks of a dimension of static size: enough for an even share of each
/// worker, few enough for vectors and loops of some length.
constexpr int64_t kNumBlocks = 16;
/// The block of a dimension whose size is known only when the step runs, which
/// is a batch most of the time: elements of the widest vector.
constexpr int64_t kDynamicBlock = 16;
/// Elements of a block of a dimension along which memory is contiguous: a cache
/// line of f32, which no two workers write, and the widest vector.
constexpr int64_t kContiguousBlock = 16;

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

/// Returns the number of scalar operations of one iteration of a structured op.
static int64_t countBodyOps(linalg::LinalgOp op) {
  constexpr int64_t kFunctionCost = 8;
  int64_t count = 0;
  for (Operation &nested : op->getRegion(0).front().without_terminator())
    count += isa<math::MathDialect>(nested.getDialect()) ? kFunctionCost : 1;
  return std::max<int64_t>(count, 1);
}

int64_t flywheel::estimateTrips(scf::ForOp loop, int64_t unknown) {
  if (std::optional<APInt> trips = loop.getStaticTripCount())
    return trips->getSExtValue();
  // A loop with a dynamic lower bound computes the rest after another loop.
  if (!getConstantIntValue(loop.getLowerBound()))
    return 1;
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  return std::max<int64_t>(unknown / std::max<int64_t>(step.value_or(1), 1), 1);
}

int64_t flywheel::estimateWork(Operation *op, int64_t unknown) {
  // Far above any step, and far enough below the largest number to be added.
  constexpr uint64_t kMost = uint64_t{1} << 60;
  auto sized = [&](ArrayRef<int64_t> sizes, int64_t work) {
    for (int64_t size : sizes)
      work = static_cast<int64_t>(
          std::min(llvm::SaturatingMultiply<uint64_t>(
                       work, ShapedType::isDynamic(size) ? unknown : size),
                   kMost));
    return work;
  };
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return sized(structured.getStaticLoopRanges(), countBodyOps(structured));
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return sized(cast<ShapedType>(copy.getSource().getType()).getShape(), 1);
  int64_t work = 0;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &nested : block)
        work = std::min<int64_t>(work + estimateWork(&nested, unknown), kMost);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return sized({estimateTrips(loop, unknown)}, work);
  return work;
}

//===----------------------------------------------------------------------===//
// Choice of the dimension
//===----------------------------------------------------------------------===//

/// Returns true if memory of an operand is contiguous along `loop`. Inner
/// dimensions of size 1 do not count.
static bool isContiguous(linalg::LinalgOp op, unsigned loop) {
  return llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [expr, size] : llvm::reverse(
             llvm::zip_equal(map.getResults(), op.getShape(&operand))))
      if (size != 1 || expr.isFunctionOfDim(loop))
        return expr.isFunctionOfDim(loop);
    return false;
  });
}

/// Returns the number of which the block size of loop `number` of `op` must be
/// a multiple, as its kernel requires.
static int64_t getUnit(Operation *op, unsigned number) {
  int64_t unit = 1;
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    if (isContiguous(structured, number))
      unit = kContiguousBlock;
  if (auto fma =
          dyn_cast_if_present<codegen::FMAAttr>(codegen::getSchedule(op))) {
    if (fma.getColumns() == number)
      unit = fma.getRegisters()[1];
    else if (llvm::is_contained(fma.getRows().asArrayRef(), number))
      unit = fma.getRegisters()[0];
  }
  return unit;
}

/// Returns the size of a block of loop `number` of `op`, which has `size`
/// iterations.
static int64_t chooseBlock(Operation *op, unsigned number, int64_t size) {
  int64_t unit = getUnit(op, number);
  if (ShapedType::isDynamic(size))
    return llvm::alignTo(kDynamicBlock, unit);
  int64_t block = llvm::divideCeil(size, kNumBlocks);
  // Without a rest, if that takes no more than twice the size. Numbers of
  // blocks are tried, because sizes may be as large as 2^56.
  for (int64_t number = kNumBlocks; number > 0 && size / number <= 2 * block;
       --number)
    if (size % number == 0 && size / number % unit == 0)
      return size / number;
  block = llvm::alignTo(block, unit);
  // A vector kernel along a dimension of size 1 would be one along the
  // reduction, which adds up in another order than the whole op.
  while (unit > 1 && block < size && size % block == 1)
    block += unit;
  return block;
}

/// Returns the number of blocks of loop `number`. A dynamic loop is assumed to
/// have enough of them.
static int64_t countBlocks(Operation *op, unsigned number, int64_t size) {
  return ShapedType::isDynamic(size)
             ? kNumBlocks
             : llvm::divideCeil(size, chooseBlock(op, number, size));
}

namespace {
/// The loop along which an op is split.
struct Cut {
  unsigned loop = 0;
  int64_t numBlocks = 0;
  /// Each block of a reduction has a result of its own.
  bool isReduction = false;
};
} // namespace

/// Returns the outermost parallel dimension of the first output with enough
/// blocks; if there is none, the one with the most blocks.
static std::optional<Cut> findParallelCut(linalg::LinalgOp op) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  SmallVector<AffineMap> outputs;
  for (OpOperand &init : op.getDpsInitsMutable())
    outputs.push_back(op.getMatchingIndexingMap(&init));
  std::optional<Cut> best;
  for (AffineExpr result : outputs.front().getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(result);
    if (!dim || iterators[dim.getPosition()] != utils::IteratorType::parallel)
      continue;
    // Each element of an output is written by one block.
    if (!llvm::all_of(outputs, [&](AffineMap map) {
          return llvm::is_contained(map.getResults(), result) &&
                 map.isProjectedPermutation();
        }))
      continue;
    Cut cut{dim.getPosition()};
    cut.numBlocks = countBlocks(op, cut.loop, sizes[cut.loop]);
    if (cut.numBlocks >= kNumBlocks / 2)
      return cut;
    if (cut.numBlocks > 1 && (!best || cut.numBlocks > best->numBlocks))
      best = cut;
  }
  return best;
}

/// Returns the op that combines two results of a reduction with one output;
/// null if it is unknown or has no neutral element.
static Operation *findCombiner(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1)
    return nullptr;
  SmallVector<Operation *> combiners;
  if (!matchReduction(op.getRegionOutputArgs(), 0, combiners) ||
      combiners.size() != 1 || !arith::getNeutralElement(combiners.front()))
    return nullptr;
  return combiners.front();
}

/// Returns the outermost reduction dimension of the first input, if the results
/// of the blocks are much smaller than the input.
static std::optional<Cut> findReductionCut(linalg::LinalgOp op) {
  if (!findCombiner(op) || op.getNumDpsInputs() == 0)
    return std::nullopt;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  AffineMap input = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  for (AffineExpr result : input.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(result);
    if (!dim || iterators[dim.getPosition()] != utils::IteratorType::reduction)
      continue;
    Cut cut{dim.getPosition()};
    cut.isReduction = true;
    int64_t size = sizes[cut.loop];
    cut.numBlocks = countBlocks(op, cut.loop, size);
    constexpr int64_t kMinReduced = 64;
    int64_t reduced = ShapedType::isDynamic(size)
                          ? kDynamicBlock
                          : chooseBlock(op, cut.loop, size);
    for (auto [loop, kind] : llvm::enumerate(iterators))
      if (kind == utils::IteratorType::reduction && loop != cut.loop)
        reduced *=
            ShapedType::isDynamic(sizes[loop]) ? kDynamicBlock : sizes[loop];
    if (cut.numBlocks >= kNumBlocks / 2 && reduced >= kMinReduced)
      return cut;
  }
  return std::nullopt;
}

/// Returns true if blocks of `op` can be computed independently.
static bool hasBlocks(linalg::LinalgOp op) {
  return op.hasPureBufferSemantics() && op.getNumDpsInits() != 0 &&
         isa<TilingInterface>(op.getOperation()) &&
         !llvm::is_contained(op.getStaticLoopRanges(), 0) &&
         hasTileableMaps(op);
}

static std::optional<Cut> findCut(memref::CopyOp op) {
  auto type = dyn_cast<MemRefType>(op.getSource().getType());
  if (!type || !isa<MemRefType>(op.getTarget().getType()))
    return std::nullopt;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    if (size == 0)
      return std::nullopt;
    if (size != 1) {
      Cut cut{static_cast<unsigned>(dim)};
      cut.numBlocks = countBlocks(op, dim, size);
      return cut;
    }
  }
  return std::nullopt;
}

/// Returns the parallel dimension along which `op` is split.
static std::optional<Cut> findCut(Operation *op) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return hasBlocks(structured) ? findParallelCut(structured) : std::nullopt;
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return findCut(copy);
  return std::nullopt;
}

bool flywheel::canSplit(Operation *op) { return findCut(op).has_value(); }

/// Returns the reduction dimension along which `op` is split: there is one only
/// if parallel dimensions have too few blocks.
static std::optional<Cut> findCutOfReduction(linalg::LinalgOp op) {
  if (!hasBlocks(op))
    return std::nullopt;
  std::optional<Cut> parallel = findParallelCut(op);
  if (parallel && parallel->numBlocks >= kNumBlocks / 2)
    return std::nullopt;
  return findReductionCut(op);
}

bool flywheel::canSplitReduction(linalg::LinalgOp op) {
  return findCutOfReduction(op).has_value();
}

linalg::LinalgOp flywheel::findFilledSum(linalg::FillOp fill) {
  Operation *next = fill->getNextNode();
  while (next && isMemoryEffectFree(next))
    next = next->getNextNode();
  auto sum = dyn_cast_if_present<linalg::LinalgOp>(next);
  if (!sum || !isContraction(sum) ||
      sum.getDpsInits().front() != fill.getOutputs().front())
    return {};
  return canSplit(sum) ? sum : linalg::LinalgOp();
}

//===----------------------------------------------------------------------===//
// Splitting
//===----------------------------------------------------------------------===//

/// Emits `op` for the iterations [offset, offset + size) of loop `number`, and
/// `fill`, if any, before it.
static void emitBlock(RewriterBase &rewriter, Operation *op, unsigned number,
                      ArrayRef<Range> domain, OpFoldResult offset,
                      OpFoldResult size, linalg::FillOp fill) {
  SmallVector<OpFoldResult> offsets, sizes, strides;
  for (const Range &range : domain) {
    offsets.push_back(range.offset);
    sizes.push_back(range.size);
    strides.push_back(range.stride);
  }
  offsets[number] = offset;
  sizes[number] = size;
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    IRMapping mapping;
    for (Value buffer : {copy.getSource(), copy.getTarget()})
      mapping.map(buffer,
                  memref::SubViewOp::create(rewriter, op->getLoc(), buffer,
                                            offsets, sizes, strides));
    rewriter.clone(*op, mapping);
    return;
  }
  FailureOr<TilingResult> tiled =
      cast<TilingInterface>(op).getTiledImplementation(rewriter, offsets,
                                                       sizes);
  if (fill) {
    OpBuilder::InsertionGuard guard(rewriter);
    auto tile = cast<linalg::LinalgOp>(tiled->tiledOps.front());
    rewriter.setInsertionPoint(tile);
    linalg::FillOp::create(rewriter, fill.getLoc(), fill.getInputs(),
                           tile.getDpsInits());
  }
  // Bodies compute with arithmetic: upstream moves their indices by
  // affine.apply.
  for (Operation *tile : tiled->tiledOps)
    tile->walk([&](affine::AffineApplyOp apply) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(apply);
      rewriter.replaceOp(apply, *affine::expandAffineMap(
                                    rewriter, apply.getLoc(),
                                    apply.getAffineMap(), apply.getOperands()));
    });
}

/// Returns the offsets, sizes and strides of all iterations of `op`.
static SmallVector<Range> getDomain(RewriterBase &rewriter, Operation *op) {
  if (auto tiling = dyn_cast<TilingInterface>(op))
    return tiling.getIterationDomain(rewriter);
  Value source = cast<memref::CopyOp>(op).getSource();
  OpFoldResult zero = rewriter.getIndexAttr(0), one = rewriter.getIndexAttr(1);
  SmallVector<Range> domain;
  for (OpFoldResult size :
       memref::getMixedSizes(rewriter, op->getLoc(), source))
    domain.push_back(Range{zero, size, one});
  return domain;
}

/// Emits a buffer with a result for each block of `op`, a reduction with blocks
/// of `block` in `size`, and the op that combines these results behind `op`.
static std::pair<Value, Operation *> makePartialResults(RewriterBase &rewriter,
                                                        linalg::LinalgOp op,
                                                        OpFoldResult size,
                                                        int64_t block) {
  Location loc = op.getLoc();
  Operation *combiner = findCombiner(op);
  Value output = op.getDpsInits().front();
  AffineExpr s0 = rewriter.getAffineSymbolExpr(0);
  SmallVector<OpFoldResult> sizes{affine::makeComposedFoldedAffineApply(
      rewriter, loc, s0.ceilDiv(block), {size})};
  llvm::append_range(sizes, memref::getMixedSizes(rewriter, loc, output));
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamicSizes;
  dispatchIndexOpFoldResults(sizes, dynamicSizes, shape);
  auto type = cast<MemRefType>(output.getType());
  Value partial = memref::AllocOp::create(
      rewriter, loc, MemRefType::get(shape, type.getElementType()),
      dynamicSizes, rewriter.getI64IntegerAttr(64));
  // Combined in the order of the blocks, whoever computed them.
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfter(op);
  unsigned rank = type.getRank() + 1;
  AffineMap input = rewriter.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators.front() = utils::IteratorType::reduction;
  Operation *combination = linalg::GenericOp::create(
      rewriter, loc, ValueRange(partial), ValueRange(output),
      ArrayRef<AffineMap>{input, input.dropResult(0)}, iterators,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Operation *combined = b.clone(*combiner);
        combined->setOperands({args[1], args[0]});
        linalg::YieldOp::create(b, loc, combined->getResults());
      });
  return {partial, combination};
}

/// Makes the output of `op`, a reduction, that of the block at `offset`.
static linalg::LinalgOp emitBlockOutput(RewriterBase &rewriter,
                                        linalg::LinalgOp op, Value partial,
                                        Value offset, int64_t block) {
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(partial.getType());
  OpFoldResult zero = rewriter.getIndexAttr(0), one = rewriter.getIndexAttr(1);
  SmallVector<OpFoldResult> offsets(type.getRank(), zero),
      strides(type.getRank(), one),
      sizes = memref::getMixedSizes(rewriter, loc, partial);
  offsets[0] = affine::makeComposedFoldedAffineApply(
      rewriter, loc, rewriter.getAffineDimExpr(0).floorDiv(block), {offset});
  sizes[0] = one;
  auto own = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
      type.getShape().drop_front(), type, offsets, sizes, strides));
  Value output = memref::SubViewOp::create(rewriter, loc, own, partial, offsets,
                                           sizes, strides);
  Value neutral = arith::ConstantOp::create(
      rewriter, loc, *arith::getNeutralElement(findCombiner(op)));
  linalg::FillOp::create(rewriter, loc, neutral, output);
  auto clone = cast<linalg::LinalgOp>(rewriter.clone(*op));
  clone.setDpsInitOperand(0, output);
  return clone;
}

/// Replaces `op` by loops over its blocks along `cut`.
static SplitOp splitAlong(RewriterBase &rewriter, Operation *op, const Cut &cut,
                          linalg::FillOp fill) {
  Location loc = op->getLoc();
  rewriter.setInsertionPoint(op);
  SmallVector<Range> domain = getDomain(rewriter, op);
  OpFoldResult size = domain[cut.loop].size;
  int64_t block = chooseBlock(
      op, cut.loop, getConstantIntValue(size).value_or(ShapedType::kDynamic));
  SplitOp result;
  Value partial;
  if (cut.isReduction)
    std::tie(partial, result.combination) =
        makePartialResults(rewriter, cast<linalg::LinalgOp>(op), size, block);
  AffineExpr d0 = rewriter.getAffineDimExpr(0),
             s0 = rewriter.getAffineSymbolExpr(0);
  std::optional<int64_t> constantSize = getConstantIntValue(size);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  Value zero = constant(0), step = constant(block),
        end = getValueOrCreateConstantIndexOp(rewriter, loc, size);
  auto emitLoop = [&](Value begin, Value end,
                      function_ref<OpFoldResult(Value)> getSize) {
    auto loop = scf::ForOp::create(rewriter, loc, begin, end, step);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    Value offset = loop.getInductionVar();
    Operation *whole = op;
    if (partial)
      whole = emitBlockOutput(rewriter, cast<linalg::LinalgOp>(op), partial,
                              offset, block);
    emitBlock(rewriter, whole, cut.loop, domain, offset, getSize(offset), fill);
    if (partial)
      rewriter.eraseOp(whole);
    return loop;
  };
  auto eraseOps = [&] {
    rewriter.eraseOp(op);
    if (fill)
      rewriter.eraseOp(fill);
  };
  bool isWhole = constantSize && *constantSize % block == 0;
  // If a static block size does not make the kernel faster, the last block runs
  // in the same loop: a second loop would double the code.
  if (!isWhole && getUnit(op, cut.loop) == 1) {
    AffineMap rest =
        AffineMap::get(1, 1, {rewriter.getAffineConstantExpr(block), s0 - d0},
                       rewriter.getContext());
    result.loop = emitLoop(zero, end, [&](Value offset) {
      return affine::makeComposedFoldedAffineMin(rewriter, loc, rest,
                                                 {offset, end});
    });
    eraseOps();
    return result;
  }
  // Not composed with the map of the size: the proof that these loops can be
  // shared matches these maps of the bounds.
  auto apply = [&](AffineMap map, ValueRange operands) -> Value {
    return affine::AffineApplyOp::create(rewriter, loc, map, operands);
  };
  Value middle =
      constantSize
          ? constant(*constantSize / block * block)
          : apply(AffineMap::get(0, 1, s0.floorDiv(block) * block), {end});
  result.loop = emitLoop(zero, middle,
                         [&](Value) { return rewriter.getIndexAttr(block); });
  if (!isWhole)
    result.tail = emitLoop(middle, end, [&](Value offset) -> OpFoldResult {
      if (constantSize)
        return rewriter.getIndexAttr(*constantSize % block);
      return apply(AffineMap::get(1, 1, s0 - d0), {offset, end});
    });
  eraseOps();
  return result;
}

SplitOp flywheel::split(RewriterBase &rewriter, Operation *op,
                        linalg::FillOp fill) {
  return splitAlong(rewriter, op, *findCut(op), fill);
}

SplitOp flywheel::splitReduction(RewriterBase &rewriter, linalg::LinalgOp op) {
  return splitAlong(rewriter, op, *findCutOfReduction(op), /*fill=*/{});
}
