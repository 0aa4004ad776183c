//===- RecomputeScores.cpp - Scores of attention are not kept -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: structured ops on tensors, in their order. After: ops that are
// computed elementwise from a product that is larger than its factors, as
// scores of attention are, are recomputed if
//
//  * a use depends on another op that needs all of them, as gradients do, or
//  * their rows are summed: in that case they are computed transposed, so that
//    a block needs rows again.
//
// So no launch passes such a tensor to another one, and a block has its rows in
// workgroup memory, or one tile of them after the other. Sums along rows, which
// are small, are stored, and so are scores that have too few rows for the whole
// device and that caches hold.
//
//===----------------------------------------------------------------------===//

#include "../Report/AssumedSizes.h"
#include "BlockNumbers.h"
#include "BlockTile.h"

#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Codegen/GPU/GPUPasses.h"
#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace flywheel;

namespace flywheel {
#define GEN_PASS_DEF_RECOMPUTESCORES
#include "flywheel/Codegen/GPU/GPUPasses.h.inc"
} // namespace flywheel

namespace {
/// The order in which a score is recomputed.
enum class ScoreOrder { AsItIs, Transposed };

struct RecomputeScores : flywheel::impl::RecomputeScoresBase<RecomputeScores> {
  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      runOnBlock(block);
  }

private:
  void runOnBlock(Block &block);
  bool isScore(Value value);
  bool isBehind(Operation *op, Value score);
  Value recompute(Value score, ScoreOrder order, Operation *before);
  void replaceUse(OpOperand &use, ScoreOrder order);
  std::optional<int64_t> findSet(Value score);
  void mark(Operation *op, int64_t set);

  /// True for values that are scores.
  llvm::DenseMap<Value, bool> known;
  /// The recomputed score of each original and order, and the original of each
  /// recomputed score.
  llvm::DenseMap<std::pair<Value, int>, Value> again;
  llvm::DenseMap<Value, Value> origins;
  /// The set of each score that is recomputed transposed. Its ops and the uses
  /// of the transposed score share a launch, as no other launch has their rows.
  llvm::DenseMap<Value, int64_t> sets;
  int64_t numSets = 0, set = 0;
};
} // namespace

static bool haveOneShape(Value lhs, Value rhs) {
  auto type = dyn_cast<ShapedType>(lhs.getType());
  return type && type.getShape() == cast<ShapedType>(rhs.getType()).getShape();
}

static linalg::LinalgOp getProducer(Value value) {
  return value.getDefiningOp<linalg::LinalgOp>();
}

/// Returns the elements of `type`, with all dimensions but the last two counted
/// as one.
static int64_t countInBatch(RankedTensorType type) {
  int64_t count = 1;
  for (int64_t size : type.getShape().take_back(2))
    count *= ShapedType::isDynamic(size) ? kAssumedLength : size;
  return count;
}

/// Returns true if scores of `type`, the result of `op`, are better stored than
/// recomputed: they have so few rows that most of the device would wait for the
/// blocks that recompute them, and so few bytes that caches hold them.
static bool areKept(Operation *op, RankedTensorType type) {
  if (!type.hasStaticShape())
    return false;
  int64_t rows = type.getNumElements() /
                 std::max<int64_t>({type.getShape().back(),
                                    type.getDimSize(type.getRank() - 2), 1});
  return rows < BlockNumbers(op).enough * kLeastRows &&
         type.getNumElements() * getElementBytes(type.getElementType()) <=
             getCachedBytes(op);
}

/// Returns true if `op` is a batch of matrix products whose result is larger
/// than both inputs together.
static bool makesScores(linalg::LinalgOp op) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!isContraction(op) || !type || type.getRank() < 3 || areKept(op, type))
    return false;
  int64_t inputs = 0;
  for (Value input : op.getDpsInputs()) {
    auto inputType = dyn_cast<RankedTensorType>(input.getType());
    if (!inputType || inputType.getRank() != type.getRank() ||
        inputType.getShape().drop_back(2) != type.getShape().drop_back(2))
      return false;
    inputs += countInBatch(inputType);
  }
  return op.getDpsInits().front().getDefiningOp<linalg::FillOp>() &&
         countInBatch(type) > inputs;
}

/// Returns true if `value` is a product as above, or is computed elementwise
/// from one and from small values.
bool RecomputeScores::isScore(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  known[value] = false;
  linalg::LinalgOp op = getProducer(value);
  if (!op || op->getNumResults() != 1 || isa<linalg::FillOp>(op))
    return false;
  if (makesScores(op))
    return known[value] = true;
  if (op.getNumParallelLoops() != op.getNumLoops())
    return false;
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!out.isPermutation() ||
      !op.getMatchingBlockArgument(op.getDpsInitOperand(0)).use_empty())
    return false;
  bool isAny = false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!haveOneShape(input->get(), value))
      continue;
    // Another full-size input is not a score, and not small.
    if (!isScore(input->get()) || op.getMatchingIndexingMap(input) != out)
      return false;
    isAny = true;
  }
  return known[value] = isAny;
}

/// Returns true if `op` depends on a matrix product after `score` that reads a
/// score.
bool RecomputeScores::isBehind(Operation *op, Value score) {
  llvm::SmallPtrSet<Operation *, 32> seen;
  SmallVector<Operation *> worklist;
  auto push = [&](ValueRange values) {
    for (Value value : values)
      if (Operation *producer = value.getDefiningOp();
          producer && producer->getBlock() == op->getBlock() &&
          score.getDefiningOp()->isBeforeInBlock(producer) &&
          seen.insert(producer).second)
        worklist.push_back(producer);
  };
  push(op->getOperands());
  while (!worklist.empty()) {
    Operation *next = worklist.pop_back_val();
    auto structured = dyn_cast<linalg::LinalgOp>(next);
    // A sum along rows does not count: a block has the whole row.
    if (structured && isKernel(structured) &&
        llvm::any_of(structured.getDpsInputs(),
                     [&](Value input) { return isScore(input); }))
      return true;
    push(next->getOperands());
    for (Region &region : next->getRegions())
      region.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          push(operand);
      });
  }
  return false;
}

/// Returns `map` with its last two results swapped.
static AffineMap swapLast(AffineMap map) {
  SmallVector<AffineExpr> results(map.getResults());
  std::swap(results[results.size() - 1], results[results.size() - 2]);
  return AffineMap::get(map.getNumDims(), 0, results, map.getContext());
}

static RankedTensorType swapLast(RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  return RankedTensorType::get(shape, type.getElementType());
}

/// Returns the sizes of the result of `op` without a use of its initial value.
static SmallVector<OpFoldResult> getSizes(OpBuilder &b, linalg::LinalgOp op) {
  Value init = op.getDpsInits().front();
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    init = fill.getOutputs().front();
  if (auto empty = init.getDefiningOp<tensor::EmptyOp>())
    return empty.getMixedSizes();
  return tensor::getMixedSizes(b, op.getLoc(), init);
}

/// Emits the ops that recompute `score` before `before`.
Value RecomputeScores::recompute(Value score, ScoreOrder order,
                                 Operation *before) {
  // Recomputes from the original, not from a recomputed score.
  if (auto found = origins.find(score); found != origins.end())
    score = found->second;
  std::pair<Value, int> key = {score, static_cast<int>(order)};
  if (auto found = again.find(key); found != again.end())
    return found->second;
  linalg::LinalgOp op = getProducer(score);
  bool isTransposed = order == ScoreOrder::Transposed;
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  bool isProduct = makesScores(op);
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    Value value = input->get();
    if (!isProduct && haveOneShape(value, score)) {
      value = recompute(value, order, before);
      map = isTransposed ? swapLast(map) : map;
    }
    inputs.push_back(value);
    maps.push_back(map);
  }
  OpBuilder b(before);
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(score.getType());
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  SmallVector<OpFoldResult> sizes = getSizes(b, op);
  if (isTransposed) {
    type = swapLast(type);
    out = swapLast(out);
    std::swap(sizes[sizes.size() - 1], sizes[sizes.size() - 2]);
  }
  // Rows are those of the first factor; the product is the same number.
  if (isProduct && isTransposed &&
      getElementTypeOrSelf(inputs[0]) == getElementTypeOrSelf(inputs[1])) {
    std::swap(inputs[0], inputs[1]);
    std::swap(maps[0], maps[1]);
  }
  maps.push_back(out);
  Value init = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  if (isProduct) {
    auto fill = op.getDpsInits().front().getDefiningOp<linalg::FillOp>();
    init = linalg::FillOp::create(b, loc, fill.getInputs().front(), init)
               .getResult(0);
  }
  auto clone = linalg::GenericOp::create(b, loc, type, inputs, init, maps,
                                         op.getIteratorTypesArray());
  IRMapping mapping;
  op->getRegion(0).cloneInto(&clone.getRegion(), mapping);
  ++numRecomputed;
  if (isTransposed) {
    mark(clone, set);
    sets[score] = set;
  } else {
    origins[clone.getResult(0)] = score;
  }
  return again[key] = clone.getResult(0);
}

/// Returns the set of the transposed recomputation of `score`, or of a score
/// that it is computed from.
std::optional<int64_t> RecomputeScores::findSet(Value score) {
  if (auto found = origins.find(score); found != origins.end())
    score = found->second;
  if (auto found = sets.find(score); found != sets.end())
    return found->second;
  linalg::LinalgOp op = getProducer(score);
  if (!makesScores(op))
    for (Value input : op.getDpsInputs())
      if (isScore(input))
        if (auto found = findSet(input))
          return found;
  return std::nullopt;
}

void RecomputeScores::mark(Operation *op, int64_t set) {
  op->setAttr(codegen::CodegenDialect::getSetAttrName(),
              IntegerAttr::get(IntegerType::get(&getContext(), 64), set));
}

/// Returns true if the results of `op` are in rows of `use`, a score.
static bool hasRowsOf(linalg::LinalgOp op, OpOperand &use) {
  AffineMap map = op.getMatchingIndexingMap(&use);
  auto row = dyn_cast<AffineDimExpr>(map.getResult(map.getNumResults() - 2));
  return row && op.getIteratorTypesArray()[row.getPosition()] ==
                    utils::IteratorType::parallel;
}

void RecomputeScores::replaceUse(OpOperand &use, ScoreOrder order) {
  if (order == ScoreOrder::Transposed) {
    std::optional<int64_t> known = findSet(use.get());
    set = known ? *known : numSets++;
  }
  Value value = recompute(use.get(), order, use.getOwner());
  auto op = cast<linalg::LinalgOp>(use.getOwner());
  if (order == ScoreOrder::AsItIs) {
    use.set(value);
    return;
  }
  // Replaces a named op by a generic one, whose maps can be changed.
  OpBuilder b(op);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  unsigned number = use.getOperandNumber();
  maps[number] = swapLast(maps[number]);
  SmallVector<Value> inputs(op.getDpsInputs());
  inputs[number] = value;
  auto generic = linalg::GenericOp::create(
      b, op.getLoc(), op->getResultTypes(), inputs,
      SmallVector<Value>(op.getDpsInits()), maps, op.getIteratorTypesArray());
  IRMapping mapping;
  op->getRegion(0).cloneInto(&generic.getRegion(), mapping);
  mark(generic, set);
  op->replaceAllUsesWith(generic);
  op->erase();
}

/// Returns the ops of each set in `block`, in their order.
static std::vector<SmallVector<Operation *>> collectSets(Block &block) {
  llvm::MapVector<Attribute, SmallVector<Operation *>> sets;
  for (Operation &op : block)
    if (Attribute set = op.getAttr(codegen::CodegenDialect::getSetAttrName()))
      sets[set].push_back(&op);
  std::vector<SmallVector<Operation *>> all;
  for (auto &[set, ops] : sets)
    all.push_back(std::move(ops));
  return all;
}

/// Moves `ops`, a set, next to the last of them, which may need ops between
/// them, and moves ops that use their results after it.
static void moveToLast(ArrayRef<Operation *> ops) {
  Operation *last = ops.back();
  Block *block = last->getBlock();
  // The ops that use results of the set, in their order.
  llvm::SmallPtrSet<Operation *, 16> users, needed;
  for (auto it = ops.front()->getIterator(); &*it != last; ++it) {
    bool isUser = llvm::is_contained(ops, &*it);
    it->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        isUser |= users.contains(operand.getDefiningOp());
    });
    if (!isUser)
      continue;
    if (!isMemoryEffectFree(&*it))
      return;
    users.insert(&*it);
  }
  // The set itself needs some of them.
  needed.insert(last);
  for (auto it = last->getReverseIterator(); it != block->rend(); ++it) {
    Operation *op = &*it;
    if (llvm::is_contained(ops, op))
      needed.insert(op);
    if (needed.contains(op))
      op->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (Operation *producer = operand.getDefiningOp();
              users.contains(producer))
            needed.insert(producer);
      });
  }
  SmallVector<Operation *> moved;
  for (auto it = ops.front()->getIterator(); &*it != last; ++it)
    if (users.contains(&*it))
      moved.push_back(&*it);
  Operation *behind = last;
  for (Operation *op : moved) {
    if (needed.contains(op)) {
      op->moveBefore(last);
      continue;
    }
    op->moveAfter(behind);
    behind = op;
  }
}

void RecomputeScores::runOnBlock(Block &block) {
  known.clear();
  again.clear();
  origins.clear();
  sets.clear();
  // New ops are inserted before the one that is visited.
  for (Operation &next : llvm::make_early_inc_range(block)) {
    auto op = dyn_cast<linalg::LinalgOp>(next);
    if (!op)
      continue;
    for (OpOperand *input : op.getDpsInputOperands()) {
      if (!isScore(input->get()))
        continue;
      bool isSum = op.getNumReductionLoops() > 0;
      if (isSum && isContraction(op) && !hasRowsOf(op, *input)) {
        replaceUse(*input, ScoreOrder::Transposed);
        break; // The op is another one.
      }
      if (hasRowsOf(op, *input) && isBehind(op, input->get()))
        replaceUse(*input, ScoreOrder::AsItIs);
    }
  }
  for (ArrayRef<Operation *> ops : collectSets(block))
    moveToLast(ops);
}
