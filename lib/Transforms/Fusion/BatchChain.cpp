//===- BatchChain.cpp - Ops that belong into loops over batches -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BatchChain.h"

#include "flywheel/Analysis/AccessMaps.h"
#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Dialect/Codegen/Codegen.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace flywheel;

/// The assumed size of a dynamic dimension; most static ones are smaller.
constexpr int64_t kUnknownSize = 1024;

/// The bytes that one batch has to have at least: for less, the loop and the
/// many small products take longer than memory does.
constexpr int64_t kMinBatchBytes = 4096;

static int64_t countElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    if (llvm::MulOverflow(
            count, ShapedType::isDynamic(size) ? kUnknownSize : size, count))
      return std::numeric_limits<int64_t>::max();
  return count;
}

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Returns true if the first `count` results of `map` are the first loops, in
/// order, and no other result uses these.
static bool startsWithLoops(AffineMap map, unsigned count) {
  if (map.getNumResults() < count)
    return false;
  for (auto [number, expr] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (number < count) {
      if (!dim || dim.getPosition() != number)
        return false;
      continue;
    }
    for (unsigned loop = 0; loop < count; ++loop)
      if (expr.isFunctionOfDim(loop))
        return false;
  }
  return true;
}

/// Returns the number of batch loops of `op`, a contraction: the first ones.
static unsigned countBatchDims(linalg::LinalgOp op) {
  unsigned count = 0;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto isBatch = [&](unsigned loop) {
    return iterators[loop] == utils::IteratorType::parallel &&
           llvm::all_of(maps, [&](AffineMap map) {
             return startsWithLoops(map, loop + 1);
           });
  };
  while (count < op.getNumLoops() && isBatch(count))
    ++count;
  return count;
}

bool flywheel::isSeedOfBatchChain(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || !isContraction(op) ||
      codegen::getSchedule(op))
    return false;
  unsigned numBatchDims = countBatchDims(op);
  ArrayRef<int64_t> result = shapeOf(op->getResult(0));
  if (numBatchDims == 0 || result.size() < numBatchDims + 2 ||
      countElements(result.take_front(numBatchDims)) < 2)
    return false;
  int64_t size = countElements(result.drop_front(numBatchDims));
  int64_t numRead = 0;
  for (Value input : op.getDpsInputs())
    numRead += countElements(shapeOf(input).drop_front(numBatchDims));
  Type element = getElementTypeOrSelf(op->getResult(0));
  return element.isIntOrFloat() && size >= numRead &&
         size >= kMinBatchBytes * 8 / element.getIntOrFloatBitWidth();
}

BatchChain::BatchChain(linalg::LinalgOp seed)
    : numBatchDims(countBatchDims(seed)), seed(seed) {
  collect();
  close();
  split();
  findKept();
}

bool BatchChain::isLarge(Value value) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getShape() == shapeOf(seed->getResult(0));
}

/// Returns true if the body of `op` reads elements of tensors that are not
/// operands.
static bool readsElsewhere(linalg::LinalgOp op) {
  bool reads = false;
  visitUsedValuesDefinedAbove(op->getRegions(), [&](OpOperand *operand) {
    reads |= isa<ShapedType>(operand->get().getType());
  });
  return reads;
}

/// Returns true if one batch of `op` can be computed from one batch of the
/// values of the chain.
bool BatchChain::isTileable(Operation *candidate) const {
  auto op = dyn_cast<linalg::LinalgOp>(candidate);
  if (!op || op->getBlock() != seed->getBlock() ||
      !op.hasPureTensorSemantics() || op.getNumLoops() <= numBatchDims ||
      op.getNumDpsInputs() == 0 || isa<linalg::FillOp>(candidate) ||
      !isa<TilingInterface>(candidate) || codegen::getSchedule(op) ||
      !hasTileableMaps(op) || readsElsewhere(op))
    return false;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (unsigned loop = 0; loop < numBatchDims; ++loop)
    if (iterators[loop] != utils::IteratorType::parallel)
      return false;
  ArrayRef<int64_t> batches =
      shapeOf(seed->getResult(0)).take_front(numBatchDims);
  for (OpOperand &init : op.getDpsInitsMutable()) {
    Operation *start = init.get().getDefiningOp();
    if (!isa_and_present<tensor::EmptyOp, linalg::FillOp>(start) ||
        !startsWithLoops(op.getMatchingIndexingMap(&init), numBatchDims) ||
        shapeOf(init.get()).take_front(numBatchDims) != batches)
      return false;
    if (isa<tensor::EmptyOp>(start) && op.payloadUsesValueFromOperand(&init))
      return false;
  }
  return llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    return !isLarge(input->get()) ||
           startsWithLoops(op.getMatchingIndexingMap(input), numBatchDims);
  });
}

/// Finds the ops that large values connect with the seed.
void BatchChain::collect() {
  SmallVector<Operation *> open = {seed};
  llvm::SmallPtrSet<Operation *, 16> seen = {seed};
  auto visit = [&](Operation *op) {
    if (op && seen.insert(op).second && isTileable(op))
      open.push_back(op);
  };
  if (!isTileable(seed))
    return;
  while (!open.empty()) {
    Operation *op = open.pop_back_val();
    phaseOf[op] = 0;
    for (Value operand : cast<linalg::LinalgOp>(op).getDpsInputs())
      if (isLarge(operand))
        visit(operand.getDefiningOp());
    for (Value result : op->getResults())
      if (isLarge(result))
        for (Operation *user : result.getUsers())
          visit(user);
  }
}

/// Adds ops that are computed, batch by batch, from a result of the chain and
/// that other ops of the chain need, such as numbers of rows.
void BatchChain::close() {
  auto usesChain = [&](linalg::LinalgOp op,
                       const llvm::SmallPtrSetImpl<Operation *> &more) {
    return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
      Operation *producer = input->get().getDefiningOp();
      return producer && (contains(producer) || more.contains(producer)) &&
             readsBatch(*input);
    });
  };
  // Ops behind the chain that could be in it, then those of them that lead to
  // it again.
  llvm::SmallPtrSet<Operation *, 16> behind;
  SmallVector<Operation *> candidates;
  for (auto op : seed->getBlock()->getOps<linalg::LinalgOp>())
    if (!contains(op) && usesChain(op, behind) && isTileable(op)) {
      behind.insert(op);
      candidates.push_back(op);
    }
  for (Operation *op : llvm::reverse(candidates))
    if (llvm::any_of(op->getUsers(),
                     [&](Operation *user) { return contains(user); }))
      phaseOf[op] = 0;
}

/// Calls `visit` with each op whose result `op` or an op in it uses.
static void forEachProducer(Operation *op,
                            function_ref<void(Operation *)> visit) {
  auto visitValue = [&](Value value) {
    if (Operation *producer = value.getDefiningOp())
      visit(producer);
  };
  llvm::for_each(op->getOperands(), visitValue);
  for (Region &region : op->getRegions())
    visitUsedValuesDefinedAbove(
        region, [&](OpOperand *operand) { visitValue(operand->get()); });
}

bool BatchChain::readsBatch(OpOperand &operand) const {
  auto op = cast<linalg::LinalgOp>(operand.getOwner());
  return startsWithLoops(op.getMatchingIndexingMap(&operand), numBatchDims);
}

/// Assigns each op of the chain to the first phase in which its operands are
/// available, and to none before those of the ops before it.
void BatchChain::split() {
  // The first phase that has all which an op outside of the chain depends on,
  // and one more.
  DenseMap<Operation *, unsigned> readyAt;
  unsigned last = 0;
  for (Operation &op : *seed->getBlock()) {
    bool isOurs = contains(&op);
    // The ops before the chain do not depend on it, and those behind it do not
    // matter.
    if (all.empty() && !isOurs)
      continue;
    if (all.size() == phaseOf.size())
      break;
    // The sizes of a value are there before it.
    if (isa<tensor::DimOp>(op))
      continue;
    unsigned phase = 0;
    forEachProducer(&op, [&](Operation *producer) {
      if (contains(producer))
        phase = std::max(phase, phaseOf[producer] + !isOurs);
      else
        phase = std::max(phase, readyAt.lookup(producer));
    });
    if (!isOurs) {
      if (phase != 0)
        readyAt[&op] = phase;
      continue;
    }
    // An input that is read in another order of batches must be complete.
    for (OpOperand *input : cast<linalg::LinalgOp>(op).getDpsInputOperands())
      if (Operation *producer = input->get().getDefiningOp())
        if (contains(producer) && !readsBatch(*input))
          phase = std::max(phase, phaseOf[producer] + 1);
    phase = last = std::max(phase, last);
    phaseOf[&op] = phase;
    all.push_back(&op);
    if (phases.size() <= phase)
      phases.resize(phase + 1);
    phases[phase].push_back(&op);
  }
  llvm::erase_if(phases, [](ArrayRef<Operation *> ops) { return ops.empty(); });
  for (auto [number, ops] : llvm::enumerate(phases))
    for (Operation *op : ops)
      phaseOf[op] = number;
}

/// Returns true if an op outside of the chain uses `value`; reading only its
/// sizes does not count.
bool BatchChain::leaves(Value value) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return !contains(user) && !isa<tensor::DimOp>(user);
  });
}

/// Finds the values that are stored for all batches.
void BatchChain::findKept() {
  for (Operation *op : all)
    for (Value value : op->getResults())
      if (!isLarge(value) || leaves(value))
        small.insert(value);
  for (auto [phase, ops] : llvm::enumerate(phases)) {
    SmallVector<Operation *> open(ops);
    llvm::SmallPtrSet<Operation *, 16> seen(ops.begin(), ops.end());
    while (!open.empty()) {
      auto op = cast<linalg::LinalgOp>(open.pop_back_val());
      for (OpOperand *input : op.getDpsInputOperands()) {
        Operation *producer = input->get().getDefiningOp();
        if (!producer || !contains(producer) || getPhase(producer) == phase)
          continue;
        if (small.contains(input->get()))
          kept.insert(input->get());
        else if (seen.insert(producer).second)
          open.push_back(producer);
      }
    }
  }
  for (Operation *op : all)
    for (Value value : op->getResults())
      if (leaves(value))
        kept.insert(value);
}

SmallVector<Value> BatchChain::getLeaving(unsigned phase) const {
  SmallVector<Value> leaving;
  for (Operation *op : phases[phase])
    llvm::copy_if(op->getResults(), std::back_inserter(leaving),
                  [&](Value value) { return kept.contains(value); });
  return leaving;
}

/// Returns the bytes of one large value.
int64_t BatchChain::countBytes() const {
  Value result = seed->getResult(0);
  int64_t count = countElements(shapeOf(result)), bytes;
  unsigned width = getElementTypeOrSelf(result).getIntOrFloatBitWidth();
  return llvm::MulOverflow<int64_t>(count, llvm::divideCeil(width, 8), bytes)
             ? std::numeric_limits<int64_t>::max()
             : bytes;
}

bool BatchChain::pays(int64_t minBytes) const {
  // The large values of a loop of one op leave it.
  int64_t numLarge = 0, numLeaving = 0, numReaders = 0;
  for (Operation *op : all) {
    for (Value value : op->getResults()) {
      numLarge += isLarge(value);
      numLeaving += isLarge(value) && leaves(value);
    }
    numReaders += isContraction(cast<linalg::LinalgOp>(op)) &&
                  llvm::any_of(op->getOperands(), [&](Value operand) {
                    Operation *producer = operand.getDefiningOp();
                    return producer && contains(producer) && isLarge(operand);
                  });
  }
  return numLarge > 1 && numLeaving == 0 && numReaders > 0 &&
         countBytes() >= minBytes;
}
