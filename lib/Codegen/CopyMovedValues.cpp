//===- CopyMovedValues.cpp - Values that are moved, not computed ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/CodegenPasses.h"
#include "flywheel/Codegen/StateVersions.h"
#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using bufferization::MaterializeInDestinationOp;

namespace flywheel {
#define GEN_PASS_DEF_COPYMOVEDVALUES
#include "flywheel/Codegen/CodegenPasses.h.inc"
} // namespace flywheel

using namespace flywheel;
using flywheel::train::TrainDialect;

/// Whether `value` is a block argument or a part or another shape of one.
static bool isMoved(Value value) { return isa<BlockArgument>(getRoot(value)); }

static Value copyTo(OpBuilder &b, Location loc, Value value,
                    Value destination) {
  return linalg::CopyOp::create(b, loc, value, destination)->getResult(0);
}

namespace {
struct CopyMovedValues : flywheel::impl::CopyMovedValuesBase<CopyMovedValues> {
  void runOnOperation() override;

private:
  Value copyToFresh(OpBuilder &b, Location loc, Value value);
  bool isNextVersion(Value value, Value version);
  void copyDestinations(OpBuilder &b, DestinationStyleOpInterface op);
  void copyInits(OpBuilder &b, LoopLikeOpInterface loop);
  void placeYielded(OpBuilder &b, Operation *terminator,
                    MutableArrayRef<OpOperand> yielded, ValueRange arguments);
  void copyChosen(OpBuilder &b, scf::IfOp branch);
  void copyInserted(OpBuilder &b, tensor::InsertSliceOp insert);
  void copyMaterialized(OpBuilder &b, Block &block);

  std::optional<StateVersions> versions;
};
} // namespace

/// An allocation, not `tensor.empty`: it is not to be replaced by the place
/// where the loop's result goes, which the loop may still read.
Value CopyMovedValues::copyToFresh(OpBuilder &b, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(tensor::DimOp::create(b, loc, value, dim));
  Value fresh = bufferization::AllocTensorOp::create(b, loc, type, sizes);
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    return linalg::FillOp::create(b, loc, fill.getInputs(), fresh).getResult(0);
  return copyTo(b, loc, value, fresh);
}

/// Whether `value`, which is made in place of `version` or of a part of it, is
/// a version of that variable too, or is part of making one.
bool CopyMovedValues::isNextVersion(Value value, Value version) {
  if (versions->contains(value))
    return true;
  return llvm::any_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto materialize = dyn_cast<MaterializeInDestinationOp>(user))
      return materialize.getDest() == version;
    auto insert = dyn_cast<tensor::InsertSliceOp>(user);
    if (insert && &use == &insert.getSourceMutable())
      return insert.getDest() == version &&
             isNextVersion(insert.getResult(), version);
    auto structured = dyn_cast<DestinationStyleOpInterface>(user);
    return structured && structured.isDpsInit(&use) &&
           isNextVersion(structured.getTiedOpResult(&use), version);
  });
}

/// The version of a variable that `destination` is, or a part of, or is made in
/// place of; null where there is none.
static Value getVersion(const StateVersions &versions, Value destination) {
  Value value = getRoot(destination);
  while (!versions.contains(value)) {
    if (!value.getDefiningOp<DestinationStyleOpInterface>())
      return {};
    value = getRoot(getOverwritten(value));
  }
  return value;
}

/// Copies a variable that `op` starts from, but that it does not write.
void CopyMovedValues::copyDestinations(OpBuilder &b,
                                       DestinationStyleOpInterface op) {
  if (isa<MaterializeInDestinationOp>(op))
    return;
  b.setInsertionPoint(op);
  for (OpOperand &init : op.getDpsInitsMutable()) {
    if (!isa<RankedTensorType>(init.get().getType()))
      continue;
    auto structured = dyn_cast<linalg::LinalgOp>(op.getOperation());
    if (structured && !structured.payloadUsesValueFromOperand(&init))
      continue;
    Value version = getVersion(*versions, init.get());
    if (version && !isNextVersion(op.getTiedOpResult(&init), version))
      init.set(copyToFresh(b, op.getLoc(), init.get()));
  }
}

/// Whether `value` is a buffer without contents that only one op uses.
static bool isOwnBuffer(Value value) {
  auto alloc = value.getDefiningOp<bufferization::AllocTensorOp>();
  return alloc && !alloc.getCopy() && value.hasOneUse();
}

/// Makes what a loop starts from its own, as the loop overwrites it: unless it
/// is a variable that the loop writes.
void CopyMovedValues::copyInits(OpBuilder &b, LoopLikeOpInterface loop) {
  b.setInsertionPoint(loop);
  for (auto [init, argument] :
       llvm::zip(loop.getInitsMutable(), loop.getRegionIterArgs()))
    if (isa<RankedTensorType>(init.get().getType()) &&
        !versions->contains(argument) && !isOwnBuffer(init.get()))
      init.set(copyToFresh(b, loop.getLoc(), init.get()));
}

/// Puts what the terminator passes on into the storage of the values it
/// replaces, `arguments`. Only the tensors of a while loop's two lists are at
/// the same positions.
void CopyMovedValues::placeYielded(OpBuilder &b, Operation *terminator,
                                   MutableArrayRef<OpOperand> yielded,
                                   ValueRange arguments) {
  b.setInsertionPoint(terminator);
  Location loc = terminator->getLoc();
  // All are read before one is overwritten.
  for (auto [value, argument] : llvm::zip(yielded, arguments))
    if (isa<RankedTensorType>(value.get().getType()) &&
        value.get() != argument && !versions->contains(argument) &&
        isMoved(value.get()))
      value.set(copyToFresh(b, loc, value.get()));
  for (auto [value, argument] : llvm::zip(yielded, arguments))
    if (isa<RankedTensorType>(argument.getType()) &&
        argument.getType() == value.get().getType() &&
        value.get() != argument && !versions->contains(argument))
      value.set(MaterializeInDestinationOp::create(b, loc, argument.getType(),
                                                   value.get(), argument)
                    .getResult());
}

/// Copies what a branch passes on that is in the storage of a variable, or will
/// be: what comes out of the branches could not be told from that variable.
void CopyMovedValues::copyChosen(OpBuilder &b, scf::IfOp branch) {
  auto isStored = [&](Value value) {
    return llvm::any_of(value.getUses(), [](OpOperand &use) {
      auto materialize = dyn_cast<MaterializeInDestinationOp>(use.getOwner());
      return materialize && &use == &materialize.getSourceMutable();
    });
  };
  for (Region &region : branch->getRegions()) {
    if (region.empty())
      continue;
    Operation *yield = region.front().getTerminator();
    b.setInsertionPoint(yield);
    for (OpOperand &operand : yield->getOpOperands()) {
      Value value = operand.get();
      if (isa<RankedTensorType>(value.getType()) &&
          !versions->contains(branch.getResult(operand.getOperandNumber())) &&
          (isMoved(value) || versions->contains(getRoot(value)) ||
           isStored(value)))
        operand.set(copyToFresh(b, branch.getLoc(), value));
    }
  }
}

/// Copies what is inserted into its place.
void CopyMovedValues::copyInserted(OpBuilder &b, tensor::InsertSliceOp insert) {
  Value source = insert.getSource();
  // A part may turn out to be one of a variable: of what is computed there.
  if (!isMoved(source) && !versions->contains(getRoot(source)) &&
      !source.getDefiningOp<tensor::ExtractSliceOp>())
    return;
  b.setInsertionPoint(insert);
  Location loc = insert.getLoc();
  Value place = tensor::ExtractSliceOp::create(
      b, loc, insert.getSourceType(), insert.getDest(),
      insert.getMixedOffsets(), insert.getMixedSizes(),
      insert.getMixedStrides());
  Value copied = copyTo(b, loc, source, place);
  // The place may turn out to be in a buffer of its own.
  if (Attribute variable = versions->lookup(source))
    copied.getDefiningOp()->setAttr(TrainDialect::getSnapshotAttrName(),
                                    variable);
  insert.getSourceMutable().assign(copied);
}

/// Moves the views that `value` is made of, of values in front of `op`, there
/// too. Fails where they take other values from behind it.
static bool moveInFrontOf(Operation *op, Value value) {
  SmallVector<Operation *> views;
  Operation *view = value.getDefiningOp();
  for (;
       view && view->getBlock() == op->getBlock() && op->isBeforeInBlock(view);
       view = view->getOperand(0).getDefiningOp()) {
    if (llvm::any_of(view->getOperands().drop_front(), [&](Value operand) {
          Operation *producer = operand.getDefiningOp();
          return producer && producer->getBlock() == op->getBlock() &&
                 op->isBeforeInBlock(producer);
        }))
      return false;
    views.push_back(view);
  }
  for (Operation *moved : llvm::reverse(views))
    moved->moveBefore(op);
  return true;
}

/// The copies go first: no computed value is stored before them. A value from
/// around the block is copied as well: it is computed whether or not the block
/// runs, so that it cannot be computed in the storage.
void CopyMovedValues::copyMaterialized(OpBuilder &b, Block &block) {
  Operation *first = nullptr;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto materialize = dyn_cast<MaterializeInDestinationOp>(op);
    if (!materialize || !materialize.getResult())
      continue;
    Value source = materialize.getSource();
    bool isVersion = versions->contains(getRoot(source));
    bool isOutside = source.getParentBlock() != &block;
    if (!isMoved(source) && !isVersion && !isOutside) {
      if (!first)
        first = materialize;
      continue;
    }
    if (source.getType() != materialize.getDest().getType())
      continue;
    bool isFree = isMoved(source) && isMoved(materialize.getDest());
    bool isFirst = first && isFree && moveInFrontOf(first, source);
    b.setInsertionPoint(isFirst ? first : materialize.getOperation());
    materialize.getResult().replaceAllUsesWith(
        copyTo(b, materialize.getLoc(), source, materialize.getDest()));
    materialize.erase();
  }
}

void CopyMovedValues::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isExternal())
    return;
  // Both are insertions of slices, which bufferization would turn to copies.
  RewritePatternSet patterns(&getContext());
  tensor::populateDecomposeTensorConcatPatterns(patterns);
  linalg::populateDecomposePadPatterns(patterns);
  if (failed(applyPatternsGreedily(function, std::move(patterns))))
    return signalPassFailure();
  versions.emplace(function);
  OpBuilder b(&getContext());
  SmallVector<Block *> blocks;
  function.walk([&](Block *block) { blocks.push_back(block); });
  for (Block *block : blocks)
    copyMaterialized(b, *block);
  versions.emplace(function);
  function.walk<WalkOrder::PreOrder>(
      [&](DestinationStyleOpInterface op) { copyDestinations(b, op); });
  function.walk([&](tensor::InsertSliceOp insert) { copyInserted(b, insert); });
  function.walk([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      copyInits(b, loop);
      placeYielded(b, loop.getBody()->getTerminator(),
                   *loop.getYieldedValuesMutable(), loop.getRegionIterArgs());
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      copyChosen(b, branch);
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      copyInits(b, loop);
      scf::ConditionOp condition = loop.getConditionOp();
      placeYielded(b, condition, condition.getArgsMutable(),
                   loop.getBeforeArguments());
      scf::YieldOp yield = loop.getYieldOp();
      placeYielded(b, yield, yield->getOpOperands(), loop.getAfterArguments());
    }
  });
}
