//===- SplitOps.cpp - Loops over blocks of structured ops -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitOps.h"

#include "flywheel/Dialect/Codegen/Codegen.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
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

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

/// Scalar operations of one iteration of a structured op.
static int64_t countBodyOps(linalg::LinalgOp op) {
  constexpr int64_t kFunctionCost = 8;
  int64_t count = 0;
  for (Operation &nested : op->getRegion(0).front().without_terminator())
    count += isa<math::MathDialect>(nested.getDialect()) ? kFunctionCost : 1;
  return std::max<int64_t>(count, 1);
}

/// An estimate of the iterations of `loop`.
static int64_t countTrips(scf::ForOp loop, int64_t unknown) {
  if (std::optional<APInt> trips = loop.getStaticTripCount())
    return trips->getSExtValue();
  // One that goes on where another one ends computes what is left.
  if (!getConstantIntValue(loop.getLowerBound()))
    return 1;
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  return std::max<int64_t>(unknown / std::max<int64_t>(step.value_or(1), 1), 1);
}

int64_t flywheel::estimateWork(Operation *op, int64_t unknown) {
  auto sized = [&](ArrayRef<int64_t> sizes, int64_t work) {
    for (int64_t size : sizes)
      work = llvm::SaturatingMultiply<uint64_t>(
          work, ShapedType::isDynamic(size) ? unknown : size);
    return std::min<int64_t>(work, int64_t{1} << 60);
  };
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return sized(structured.getStaticLoopRanges(), countBodyOps(structured));
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return sized(cast<ShapedType>(copy.getSource().getType()).getShape(), 1);
  int64_t work = 0;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &nested : block)
        work += estimateWork(&nested, unknown);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return sized({countTrips(loop, unknown)}, work);
  return work;
}

//===----------------------------------------------------------------------===//
// Where an op is split
//===----------------------------------------------------------------------===//

/// Whether a block of a loop reads one block of the operand: upstream takes its
/// ends from the ends of the loops.
static bool isIncreasing(AffineExpr expr) {
  if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr)) {
    if (expr.getKind() == AffineExprKind::Add)
      return isIncreasing(binary.getLHS()) && isIncreasing(binary.getRHS());
    auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    return expr.getKind() == AffineExprKind::Mul && factor &&
           factor.getValue() > 0 && isIncreasing(binary.getLHS());
  }
  return !isa<AffineConstantExpr>(expr) ||
         cast<AffineConstantExpr>(expr).getValue() >= 0;
}

/// The loop of `op` that is split: parallel, and of its first output the
/// outermost dimension with enough blocks, or else the one with most.
static std::optional<unsigned> findLoop(linalg::LinalgOp op) {
  if (!op.hasPureBufferSemantics() || op.getNumDpsInits() == 0 ||
      !isa<TilingInterface>(op.getOperation()))
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray(), outputs;
  if (llvm::any_of(maps, [](AffineMap map) {
        return !llvm::all_of(map.getResults(), isIncreasing);
      }))
    return std::nullopt;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (OpOperand &init : op.getDpsInitsMutable())
    outputs.push_back(op.getMatchingIndexingMap(&init));
  std::optional<unsigned> best;
  for (AffineExpr result : outputs.front().getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(result);
    if (!dim || sizes[dim.getPosition()] == 1 ||
        sizes[dim.getPosition()] == 0 ||
        iterators[dim.getPosition()] != utils::IteratorType::parallel)
      continue;
    // Each element of an output is written by one block.
    if (!llvm::all_of(outputs, [&](AffineMap map) {
          return llvm::is_contained(map.getResults(), result) &&
                 map.isProjectedPermutation();
        }))
      continue;
    unsigned loop = dim.getPosition();
    if (ShapedType::isDynamic(sizes[loop]) || sizes[loop] >= kNumBlocks / 2)
      return loop;
    if (!best || sizes[loop] > sizes[*best])
      best = loop;
  }
  return best;
}

static std::optional<unsigned> findDimension(memref::CopyOp op) {
  auto type = dyn_cast<MemRefType>(op.getSource().getType());
  if (type && isa<MemRefType>(op.getTarget().getType()))
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      if (size != 1)
        return size == 0 ? std::nullopt : std::optional<unsigned>(dim);
  return std::nullopt;
}

bool flywheel::canSplit(Operation *op) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return findLoop(structured).has_value();
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return findDimension(copy).has_value();
  return false;
}

//===----------------------------------------------------------------------===//
// Splitting
//===----------------------------------------------------------------------===//

/// The size of a block of loop `number` of `op`, which has `size` iterations.
static int64_t chooseBlock(Operation *op, unsigned number, OpFoldResult size) {
  int64_t unit = 1;
  if (auto fma =
          dyn_cast_if_present<codegen::FMAAttr>(codegen::getSchedule(op))) {
    if (fma.getColumns() == number)
      unit = fma.getRegisters()[1];
    else if (llvm::is_contained(fma.getRows().asArrayRef(), number))
      unit = fma.getRegisters()[0];
  }
  std::optional<int64_t> constant = getConstantIntValue(size);
  int64_t block = kDynamicBlock;
  if (constant) {
    block = llvm::divideCeil(*constant, kNumBlocks);
    // Without a rest, if that takes no more than twice the size.
    for (int64_t larger = block; larger <= 2 * block; ++larger)
      if (*constant % larger == 0) {
        block = larger;
        break;
      }
  }
  return llvm::alignTo(block, unit);
}

/// Emits `op` for the iterations [offset, offset + size) of loop `number`.
static void emitBlock(RewriterBase &rewriter, Operation *op, unsigned number,
                      ArrayRef<Range> domain, OpFoldResult offset,
                      OpFoldResult size) {
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
  // Bodies of ops on buffers return nothing.
  (void)cast<TilingInterface>(op).getTiledImplementation(rewriter, offsets,
                                                         sizes);
}

/// Offsets, sizes and strides of all iterations of `op`.
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

scf::ForOp flywheel::split(RewriterBase &rewriter, Operation *op) {
  Location loc = op->getLoc();
  rewriter.setInsertionPoint(op);
  unsigned number = isa<memref::CopyOp>(op)
                        ? *findDimension(cast<memref::CopyOp>(op))
                        : *findLoop(cast<linalg::LinalgOp>(op));
  SmallVector<Range> domain = getDomain(rewriter, op);
  OpFoldResult size = domain[number].size;
  int64_t block = chooseBlock(op, number, size);
  AffineExpr s0 = rewriter.getAffineSymbolExpr(0);
  OpFoldResult full = affine::makeComposedFoldedAffineApply(
      rewriter, loc, s0.floorDiv(block) * block, {size});
  auto toValue = [&](OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(rewriter, loc, value);
  };
  Value zero = toValue(rewriter.getIndexAttr(0)),
        step = toValue(rewriter.getIndexAttr(block)), middle = toValue(full),
        end = toValue(size);
  auto loop = scf::ForOp::create(rewriter, loc, zero, middle, step);
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    emitBlock(rewriter, op, number, domain, loop.getInductionVar(),
              rewriter.getIndexAttr(block));
  }
  if (!isEqualConstantIntOrValue(full, size)) {
    auto tail = scf::ForOp::create(rewriter, loc, middle, end, step);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(tail.getBody());
    AffineExpr d0 = rewriter.getAffineDimExpr(0);
    OpFoldResult rest =
        getConstantIntValue(size)
            ? affine::makeComposedFoldedAffineApply(rewriter, loc, s0 % block,
                                                    {size})
            : affine::makeComposedFoldedAffineApply(
                  rewriter, loc, s0 - d0, {tail.getInductionVar(), size});
    emitBlock(rewriter, op, number, domain, tail.getInductionVar(), rest);
  }
  rewriter.eraseOp(op);
  return loop;
}
