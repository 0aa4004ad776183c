//===- TileBatches.cpp - Chains of batched products, a batch at a time ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: fused `linalg` on tensors. After: a product in many batches whose
// result is larger than what it is computed from, such as the scores of
// attention, and all ops that compute from such results, are in an `scf.forall`
// over the batches, which stores only one batch of them at a time. Ops that run
// after other work that depends on the first loop, such as a gradient, are in a
// loop of their own, which recomputes the large values.
//
//===----------------------------------------------------------------------===//

#include "BatchChain.h"

#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Transforms/Fusion/FusionPasses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_TILEBATCHES
#include "flywheel/Transforms/Fusion/FusionPasses.h.inc"
} // namespace flywheel

using namespace flywheel;

namespace {
/// Writes the loop of one phase of a chain.
class BatchLoop {
public:
  BatchLoop(RewriterBase &rewriter, const BatchChain &chain, unsigned phase,
            ArrayRef<Value> leaving)
      : rewriter(rewriter), chain(chain), phase(phase), leaving(leaving) {}

  /// Creates the loop behind the last op of the phase, and replaces the uses of
  /// the phase's results outside of the chain by results of the loop.
  scf::ForallOp emit();

private:
  SmallVector<OpFoldResult> getBatchSizes();
  Value createEmpty(Value whole);
  Value getTile(Value value);
  void emitTile(linalg::LinalgOp op);
  void insert(Value tile, BlockArgument output);

  RewriterBase &rewriter;
  const BatchChain &chain;
  unsigned phase;
  ArrayRef<Value> leaving;
  SmallVector<OpFoldResult> batch;
  /// The tile of each value of the chain that has been computed.
  DenseMap<Value, Value> tiles;
};
} // namespace

/// Returns the sizes of the batches: those of a result of the chain.
SmallVector<OpFoldResult> BatchLoop::getBatchSizes() {
  auto op = cast<linalg::LinalgOp>(chain.getOps(phase).front());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, op.getLoc(), op.getDpsInits().front());
  sizes.truncate(chain.numBatchDims);
  return sizes;
}

/// Emits an empty tile of the tensor `whole`, which starts with the batches.
Value BatchLoop::createEmpty(Value whole) {
  Location loc = whole.getLoc();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, whole);
  std::fill_n(sizes.begin(), chain.numBatchDims, rewriter.getIndexAttr(1));
  return tensor::EmptyOp::create(rewriter, loc, sizes,
                                 getElementTypeOrSelf(whole));
}

/// Returns the tile of `value`, which a phase up to this one computes; null if
/// the tile is read from the whole value.
Value BatchLoop::getTile(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !chain.contains(op))
    return {};
  if (Value tile = tiles.lookup(value))
    return tile;
  // Values that an earlier phase stores are read; others are recomputed.
  if (chain.getPhase(op) != phase && chain.isStored(value))
    return {};
  emitTile(cast<linalg::LinalgOp>(op));
  return tiles.lookup(value);
}

/// Computes one batch of `op`.
void BatchLoop::emitTile(linalg::LinalgOp op) {
  SmallVector<Value> inputs;
  for (OpOperand *input : op.getDpsInputOperands())
    inputs.push_back(chain.readsBatch(*input) ? getTile(input->get())
                                              : Value());
  SmallVector<OpFoldResult> offsets, sizes;
  auto tiling = cast<TilingInterface>(op.getOperation());
  for (const Range &range : tiling.getIterationDomain(rewriter)) {
    bool isBatch = offsets.size() < chain.numBatchDims;
    offsets.push_back(isBatch ? batch[offsets.size()]
                              : OpFoldResult(rewriter.getIndexAttr(0)));
    sizes.push_back(isBatch ? OpFoldResult(rewriter.getIndexAttr(1))
                            : range.size);
  }
  FailureOr<TilingResult> result =
      tiling.getTiledImplementation(rewriter, offsets, sizes);
  assert(succeeded(result) && "ops of a chain can be tiled");
  auto tile = cast<linalg::LinalgOp>(result->tiledOps.front());
  rewriter.setInsertionPoint(tile);
  auto replace = [&](OpOperand &operand, Value value) {
    Type type = operand.get().getType();
    if (value.getType() != type)
      value = tensor::CastOp::create(rewriter, op.getLoc(), type, value);
    rewriter.modifyOpInPlace(tile, [&] { operand.set(value); });
  };
  for (auto [number, input] : llvm::enumerate(inputs))
    if (input)
      replace(*tile.getDpsInputOperand(number), input);
  for (auto [whole, init] :
       llvm::zip_equal(op.getDpsInits(), tile.getDpsInitsMutable())) {
    Value start = createEmpty(whole);
    if (auto fill = whole.getDefiningOp<linalg::FillOp>())
      start = linalg::FillOp::create(rewriter, fill.getLoc(), fill.getInputs(),
                                     start)
                  ->getResult(0);
    replace(init, start);
  }
  for (Operation *slice : result->generatedSlices)
    if (isOpTriviallyDead(slice))
      rewriter.eraseOp(slice);
  for (auto [whole, part] :
       llvm::zip_equal(op->getResults(), tile->getResults()))
    tiles[whole] = part;
  rewriter.setInsertionPointAfter(tile);
}

/// Inserts `tile` at its batch in `output`.
void BatchLoop::insert(Value tile, BlockArgument output) {
  Location loc = tile.getLoc();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, tile);
  SmallVector<OpFoldResult> offsets(sizes.size(), rewriter.getIndexAttr(0)),
      strides(sizes.size(), rewriter.getIndexAttr(1));
  llvm::copy(batch, offsets.begin());
  auto end =
      cast<scf::InParallelOp>(rewriter.getInsertionBlock()->getTerminator());
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToEnd(end.getBody());
  tensor::ParallelInsertSliceOp::create(rewriter, loc, tile, output, offsets,
                                        sizes, strides);
}

scf::ForallOp BatchLoop::emit() {
  ArrayRef<Operation *> ops = chain.getOps(phase);
  Location loc = ops.back()->getLoc();
  rewriter.setInsertionPointAfter(ops.back());
  SmallVector<OpFoldResult> sizes = getBatchSizes();
  SmallVector<Value> outputs;
  for (Value value : leaving) {
    auto op = cast<linalg::LinalgOp>(value.getDefiningOp());
    Value init = op.getTiedOpOperand(cast<OpResult>(value))->get();
    outputs.push_back(tensor::EmptyOp::create(
        rewriter, value.getLoc(),
        tensor::getMixedSizes(rewriter, value.getLoc(), init),
        getElementTypeOrSelf(value)));
    // The type of the whole may have static sizes that the empty tensor lacks.
    if (outputs.back().getType() != value.getType())
      outputs.back() = tensor::CastOp::create(rewriter, value.getLoc(),
                                              value.getType(), outputs.back());
  }
  auto loop = scf::ForallOp::create(rewriter, loc, sizes, outputs,
                                    /*mapping=*/std::nullopt);
  batch = getAsOpFoldResult(loop.getInductionVars());
  rewriter.setInsertionPoint(loop.getTerminator());
  for (Operation *op : ops)
    if (!tiles.contains(op->getResult(0)))
      emitTile(cast<linalg::LinalgOp>(op));
  for (auto [value, output] :
       llvm::zip_equal(leaving, loop.getRegionIterArgs()))
    insert(tiles.lookup(value), output);
  return loop;
}

/// Moves the ops before `loop` that need a result of `ops`, which the loop
/// replaces, behind it.
static void moveUsersBehind(RewriterBase &rewriter, ArrayRef<Operation *> ops,
                            const BatchChain &chain, scf::ForallOp loop) {
  llvm::SmallPtrSet<Operation *, 16> late(ops.begin(), ops.end());
  Operation *last = loop;
  for (Operation *op = ops.front(), *next; op != loop; op = next) {
    next = op->getNextNode();
    if (chain.contains(op))
      continue;
    bool isLate = false;
    auto check = [&](Value value) {
      Operation *producer = value.getDefiningOp();
      isLate |= producer && late.contains(producer);
    };
    llvm::for_each(op->getOperands(), check);
    for (Region &region : op->getRegions())
      visitUsedValuesDefinedAbove(
          region, [&](OpOperand *operand) { check(operand->get()); });
    if (!isLate)
      continue;
    late.insert(op);
    rewriter.moveOpAfter(op, last);
    last = op;
  }
}

/// Fuses the tiles in `loop`; they have fewer users than the ops that they are
/// tiles of. The inputs of a product are not fused into it.
static void fuseTiles(RewriterBase &rewriter, scf::ForallOp loop) {
  auto findFusable = [](linalg::GenericOp user) -> OpOperand * {
    if (reusesInputs(user))
      return nullptr;
    for (OpOperand *input : user.getDpsInputOperands()) {
      auto producer = input->get().getDefiningOp<linalg::GenericOp>();
      if (producer && producer->hasOneUse() &&
          producer->getBlock() == user->getBlock() &&
          linalg::areElementwiseOpsFusable(input))
        return input;
    }
    return nullptr;
  };
  for (Operation *op = &loop.getBody()->front(); op; op = op->getNextNode()) {
    auto user = dyn_cast<linalg::GenericOp>(op);
    while (OpOperand *input = user ? findFusable(user) : nullptr) {
      Operation *producer = input->get().getDefiningOp();
      rewriter.setInsertionPoint(user);
      FailureOr<linalg::ElementwiseOpFusionResult> fused =
          linalg::fuseElementwiseOps(rewriter, input);
      if (failed(fused))
        break;
      for (auto [whole, part] : fused->replacements)
        rewriter.replaceAllUsesWith(whole, part);
      op = fused->fusedOp;
      rewriter.eraseOp(user);
      rewriter.eraseOp(producer);
      user = cast<linalg::GenericOp>(op);
    }
  }
}

namespace {
struct TileBatches : flywheel::impl::TileBatchesBase<TileBatches> {
  using TileBatchesBase::TileBatchesBase;

  void runOnOperation() override {
    int64_t least = minBytes;
    if (minBytes < 0) {
      codegen::CPUAttr cpu = codegen::getCPU(getOperation());
      if (!cpu)
        return signalPassFailure();
      least = cpu.getL2Bytes();
    }
    SmallVector<linalg::LinalgOp> seeds;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (isSeedOfBatchChain(op))
        seeds.push_back(op);
    });
    llvm::SmallPtrSet<Operation *, 16> done;
    for (linalg::LinalgOp seed : seeds) {
      if (done.contains(seed))
        continue;
      BatchChain chain(seed);
      for (Operation *op : chain.getAll())
        done.insert(op);
      if (chain.pays(least))
        tile(chain);
    }
  }

private:
  void tile(const BatchChain &chain);
};
} // namespace

/// Replaces reads of the sizes of the chain's results by reads of the sizes of
/// their inits.
static void detachSizes(RewriterBase &rewriter, const BatchChain &chain) {
  for (Operation *op : chain.getAll())
    for (OpResult value : op->getResults())
      rewriter.replaceUsesWithIf(
          value, cast<linalg::LinalgOp>(op).getTiedOpOperand(value)->get(),
          [](OpOperand &use) { return isa<tensor::DimOp>(use.getOwner()); });
}

void TileBatches::tile(const BatchChain &chain) {
  IRRewriter rewriter(&getContext());
  detachSizes(rewriter, chain);
  SmallVector<std::pair<Value, Value>> replacements;
  SmallVector<SmallVector<Value>> leaving;
  SmallVector<scf::ForallOp> loops;
  for (unsigned phase = 0; phase < chain.getNumPhases(); ++phase)
    leaving.push_back(chain.getLeaving(phase));
  for (unsigned phase = 0; phase < chain.getNumPhases(); ++phase) {
    // Later phases recompute all values of this one.
    if (leaving[phase].empty())
      continue;
    scf::ForallOp loop =
        BatchLoop(rewriter, chain, phase, leaving[phase]).emit();
    moveUsersBehind(rewriter, chain.getOps(phase), chain, loop);
    loops.push_back(loop);
    for (auto [value, result] :
         llvm::zip_equal(leaving[phase], loop.getResults()))
      replacements.emplace_back(value, result);
    ++numLoops;
  }
  // The ops of the chain go last: later phases compute copies of them, whose
  // loops have asked for more sizes.
  detachSizes(rewriter, chain);
  for (auto [value, result] : replacements)
    rewriter.replaceUsesWithIf(value, result, [&](OpOperand &use) {
      return !chain.contains(use.getOwner());
    });
  for (Operation *op : llvm::reverse(chain.getAll()))
    rewriter.eraseOp(op);
  for (scf::ForallOp loop : loops)
    fuseTiles(rewriter, loop);
}
