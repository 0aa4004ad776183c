//===- VectorSchedule.cpp - How an op is vectorized -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorSchedule.h"

#include "flywheel/Codegen/CPU/ContractionTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;

namespace flywheel {

/// Beyond this length a square of vectors exceeds any register file.
static constexpr int64_t maxTransposedLength = 16;
/// More vectors of one row than these are not faster to read.
static constexpr int64_t maxColumnVectors = 16;
/// Reductions of fewer terms gain nothing from longer parts of rows.
static constexpr int64_t minManyTerms = 32;
/// The most ops of a body that is repeated for many vectors.
static constexpr int64_t maxInterleavedOps = 8;

Operation *getCombiner(linalg::LinalgOp op, unsigned index) {
  Block *body = op.getBlock();
  Operation *combiner =
      body->getTerminator()->getOperand(index).getDefiningOp();
  BlockArgument out = body->getArgument(op.getNumDpsInputs() + index);
  if (!combiner || combiner->getBlock() != body ||
      combiner->getNumOperands() != 2 || !combiner->hasOneUse() ||
      !out.hasOneUse() || !llvm::is_contained(combiner->getOperands(), out) ||
      !linalg::getCombinerOpKind(combiner) ||
      !arith::getNeutralElement(combiner))
    return nullptr;
  return combiner;
}

/// True if every value of the body has a vector form.
static bool isVectorizableBody(linalg::LinalgOp op) {
  for (OpOperand &operand : op->getOpOperands())
    if (!hasVectorizableElement(operand.get().getType()))
      return false;
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (isa<linalg::IndexOp>(inner))
      continue;
    auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
    if (!llvm::all_of(inner.getResultTypes(), isScalar) ||
        !llvm::all_of(inner.getOperandTypes(), isScalar) ||
        inner.getNumResults() != 1 || inner.getNumRegions() != 0)
      return false;
    if (!inner.hasTrait<OpTrait::ConstantLike>() &&
        !OpTrait::hasElementwiseMappableTraits(&inner))
      return false;
  }
  return true;
}

/// True if each iteration of the parallel loops has its own output elements,
/// the same for all iterations of the reduction loops.
static bool hasSeparateOutputs(linalg::LinalgOp op) {
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  for (OpOperand &output : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&output);
    if (!map.isProjectedPermutation() ||
        map.getNumResults() != parallel.size() ||
        !llvm::all_of(parallel,
                      [&](unsigned dim) { return map.isFunctionOfDim(dim); }))
      return false;
  }
  return true;
}

/// Returns the lanes of the vectors of `op`: one vector of its narrowest
/// operand, but at most two of the widest number that the body computes.
static int64_t chooseVectorLength(linalg::LinalgOp op, codegen::CPUAttr cpu) {
  int64_t length = getVectorLength(IntegerType::get(op.getContext(), 8), cpu);
  for (OpOperand &operand : op->getOpOperands())
    if (isa<MemRefType>(operand.get().getType()))
      length = std::min(
          length, getVectorLength(getElementTypeOrSelf(operand.get()), cpu));
  for (Operation &inner : op.getBlock()->without_terminator())
    if (!inner.hasTrait<OpTrait::ConstantLike>())
      for (Type type : inner.getResultTypes())
        length = std::min(length, 2 * getVectorLength(type, cpu));
  return length;
}

AccessKind classifyAccess(linalg::LinalgOp op, OpOperand &operand,
                          unsigned dim) {
  return flywheel::classifyAccess(op.getMatchingIndexingMap(&operand),
                                  operand.get().getType(), dim);
}

/// Returns a parallel loop along which an input is contiguous that is strided
/// along `dim`, so that blocks of it are worth a transposition.
static std::optional<unsigned>
getTransposedLoop(linalg::LinalgOp op, unsigned dim, int64_t vectorLength) {
  if (op.getNumReductionLoops() != 0 || vectorLength == 1 ||
      vectorLength > maxTransposedLength ||
      llvm::any_of(op.getDpsInitsMutable(), [&](OpOperand &output) {
        return classifyAccess(op, output, dim) != AccessKind::Contiguous;
      }))
    return std::nullopt;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (classifyAccess(op, *input, dim) != AccessKind::Strided)
      continue;
    for (unsigned other = 0; other < sizes.size(); ++other)
      if (other != dim && sizes[other] != 1 &&
          classifyAccess(op, *input, other) == AccessKind::Contiguous)
        return other;
  }
  return std::nullopt;
}

bool isTransposed(linalg::LinalgOp op, OpOperand &operand, unsigned dim,
                  std::optional<unsigned> transposed) {
  return transposed && !op.isDpsInit(&operand) &&
         classifyAccess(op, operand, dim) == AccessKind::Strided &&
         classifyAccess(op, operand, *transposed) == AccessKind::Contiguous;
}

/// Estimates the cost of one iteration of the op when `dim` runs along lanes.
static double getCost(linalg::LinalgOp op, unsigned dim, int64_t size,
                      int64_t vectorLength) {
  std::optional<unsigned> transposed = getTransposedLoop(op, dim, vectorLength);
  double cost = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    if (isTransposed(op, operand, dim, transposed)) {
      cost += 2 + llvm::Log2_64(vectorLength);
      continue;
    }
    switch (classifyAccess(op, operand, dim)) {
    case AccessKind::Uniform:
      cost += 0.25;
      break;
    case AccessKind::Contiguous:
      cost += 1;
      break;
    case AccessKind::Strided:
      cost += 2.0 * vectorLength;
      break;
    }
  }
  if (ShapedType::isDynamic(size))
    return cost;
  int64_t numVectors = llvm::divideCeil(size, vectorLength);
  return cost * static_cast<double>(numVectors * vectorLength) /
         static_cast<double>(size);
}

/// Returns true if partial results of all outputs can be combined; false
/// without a reduction.
static bool combines(linalg::LinalgOp op) {
  for (unsigned i = 0, e = op.getNumDpsInits(); i < e; ++i)
    if (!getCombiner(op, i))
      return false;
  return true;
}

/// Returns the number of neighbouring vectors that one nest of reductions
/// computes: the next element of a column is a row away, so that more columns
/// read longer parts of rows.
static int64_t chooseInterleave(linalg::LinalgOp op, unsigned along,
                                int64_t lanes, codegen::CPUAttr cpu) {
  int64_t count = codegen::VectorAttr::kDefaultInterleave;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  int64_t numTerms = 1;
  for (auto [dim, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
    if (linalg::isReductionIterator(iterator) && numTerms < minManyTerms)
      numTerms *= ShapedType::isDynamic(sizes[dim]) ? minManyTerms : sizes[dim];
  bool isParallel =
      linalg::isParallelIterator(op.getIteratorTypesArray()[along]);
  bool hasStrided = llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
    return classifyAccess(op, operand, along) == AccessKind::Strided;
  });
  if (!isParallel || numTerms < minManyTerms || hasStrided ||
      op.getNumDpsInits() != 1 ||
      op.getBlock()->getOperations().size() > maxInterleavedOps)
    return count;
  Type element = getElementTypeOrSelf(op.getDpsInits().front());
  int64_t registers = cpu.getVectorRegisters() /
                      llvm::divideCeil(lanes, getVectorLength(element, cpu));
  // Half of the registers hold the results.
  while (4 * count <= registers && 2 * count <= maxColumnVectors &&
         (ShapedType::isDynamic(sizes[along]) ||
          2 * count * lanes <= sizes[along]))
    count *= 2;
  return count;
}

codegen::VectorAttr chooseVectorSchedule(linalg::LinalgOp op,
                                         codegen::CPUAttr cpu) {
  if (!op.hasPureBufferSemantics() || !isVectorizableBody(op) ||
      !hasSeparateOutputs(op))
    return {};
  int64_t mostLanes = chooseVectorLength(op, cpu), lanes = mostLanes;
  bool canCombine = combines(op), isSum = false;
  for (unsigned i = 0, e = op.getNumDpsInits(); i < e; ++i)
    isSum |= isa_and_present<arith::AddFOp>(getCombiner(op, i));

  std::optional<double> bestCost;
  unsigned along = 0;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (unsigned dim = 0; dim < sizes.size(); ++dim) {
    bool isReduction = linalg::isReductionIterator(iterators[dim]);
    if (sizes[dim] == 0 || sizes[dim] == 1 || (isReduction && !canCombine))
      continue;
    // Lanes that are all accessed one by one are not faster than scalar loops,
    // except for those of a sum, which need not wait for each other.
    if (!(isReduction && isSum) &&
        llvm::none_of(op->getOpOperands(), [&](OpOperand &operand) {
          return classifyAccess(op, operand, dim) == AccessKind::Contiguous;
        }))
      continue;
    // Blocks of narrow elements are transposed in shorter vectors.
    for (int64_t length :
         {mostLanes, std::min(mostLanes, maxTransposedLength)}) {
      if (length != mostLanes && !getTransposedLoop(op, dim, length))
        continue;
      double cost =
          getCost(op, dim, sizes[dim], length) / static_cast<double>(length);
      // The innermost of equally good loops.
      if (bestCost && cost > *bestCost)
        continue;
      bestCost = cost;
      along = dim;
      lanes = length;
    }
  }
  if (!bestCost)
    return {};
  return codegen::VectorAttr::get(op.getContext(), along, lanes,
                                  getTransposedLoop(op, along, lanes),
                                  chooseInterleave(op, along, lanes, cpu));
}

FailureOr<VectorPlan> getVectorPlan(linalg::LinalgOp op,
                                    codegen::VectorAttr schedule,
                                    EmitMisfit emitMisfit) {
  auto refuse = [&](const Twine &text) -> LogicalResult {
    if (emitMisfit)
      emitMisfit() << text;
    return failure();
  };
  if (!isVectorizableBody(op))
    return refuse("expected elementwise arithmetic in the body");
  if (!hasSeparateOutputs(op))
    return refuse("expected an element of each output for each iteration of "
                  "the parallel loops");
  VectorPlan plan;
  plan.op = op;
  plan.dim = schedule.getAlong();
  plan.vectorLength = schedule.getLanes();
  plan.interleave = schedule.getInterleave();
  plan.transposed = schedule.getTranspose();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  plan.horizontal = linalg::isReductionIterator(iterators[plan.dim]);
  if (plan.horizontal && !combines(op))
    return refuse("expected partial results that can be combined along loop " +
                  Twine(plan.dim));
  if (plan.transposed &&
      plan.transposed != getTransposedLoop(op, plan.dim, plan.vectorLength))
    return refuse("expected an input that is contiguous along loop " +
                  Twine(*plan.transposed) + " and strided along loop " +
                  Twine(plan.dim) + ", and outputs that are contiguous there");
  for (unsigned dim = 0; dim < iterators.size(); ++dim)
    if (dim != plan.dim && dim != plan.transposed)
      (linalg::isReductionIterator(iterators[dim]) ? plan.reductions
                                                   : plan.parallel)
          .push_back(dim);
  return plan;
}

} // namespace flywheel
