//===- CopyMovedValues.cpp - Values that are moved, not computed ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/CodegenPasses.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using bufferization::MaterializeInDestinationOp;

namespace flywheel {
#define GEN_PASS_DEF_COPYMOVEDVALUES
#include "flywheel/Codegen/CodegenPasses.h.inc"
} // namespace flywheel

/// Whether `value` is a block argument or a part or another shape of one.
static bool isMoved(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
             tensor::ExtractSliceOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return true;
}

static Value copyTo(OpBuilder &b, Location loc, Value value,
                    Value destination) {
  return linalg::CopyOp::create(b, loc, value, destination)->getResult(0);
}

/// An allocation, not `tensor.empty`: it is not to be replaced by the place
/// where the loop's result goes, which the loop may still read.
static Value copyToFresh(OpBuilder &b, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(tensor::DimOp::create(b, loc, value, dim));
  Value fresh = bufferization::AllocTensorOp::create(b, loc, type, sizes);
  return copyTo(b, loc, value, fresh);
}

/// Makes what a loop starts from its own: the loop overwrites it.
static void copyInits(OpBuilder &b, MutableArrayRef<OpOperand> inits) {
  for (OpOperand &init : inits) {
    if (!isa<RankedTensorType>(init.get().getType()))
      continue;
    b.setInsertionPoint(init.getOwner());
    init.set(copyToFresh(b, init.getOwner()->getLoc(), init.get()));
  }
}

/// Puts what the terminator passes on into the storage of the values it
/// replaces, `arguments`.
static void placeYielded(OpBuilder &b, Operation *terminator,
                         MutableArrayRef<OpOperand> yielded,
                         ValueRange arguments) {
  if (yielded.size() != arguments.size())
    return;
  b.setInsertionPoint(terminator);
  Location loc = terminator->getLoc();
  // All are read before one is overwritten.
  for (auto [value, argument] : llvm::zip(yielded, arguments))
    if (isa<RankedTensorType>(value.get().getType()) &&
        value.get() != argument && isMoved(value.get()))
      value.set(copyToFresh(b, loc, value.get()));
  for (auto [value, argument] : llvm::zip(yielded, arguments))
    if (isa<RankedTensorType>(argument.getType()) &&
        argument.getType() == value.get().getType() && value.get() != argument)
      value.set(MaterializeInDestinationOp::create(b, loc, argument.getType(),
                                                   value.get(), argument)
                    .getResult());
}

/// Copies what is inserted into its place.
static void copyInserted(OpBuilder &b, tensor::InsertSliceOp insert) {
  if (!isMoved(insert.getSource()))
    return;
  b.setInsertionPoint(insert);
  Location loc = insert.getLoc();
  Value place = tensor::ExtractSliceOp::create(
      b, loc, insert.getSourceType(), insert.getDest(),
      insert.getMixedOffsets(), insert.getMixedSizes(),
      insert.getMixedStrides());
  insert.getSourceMutable().assign(copyTo(b, loc, insert.getSource(), place));
}

namespace {
struct CopyMovedValues : flywheel::impl::CopyMovedValuesBase<CopyMovedValues> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    // Both are insertions of slices, which bufferization would turn to copies.
    RewritePatternSet patterns(&getContext());
    tensor::populateDecomposeTensorConcatPatterns(patterns);
    linalg::populateDecomposePadPatterns(patterns);
    if (failed(applyPatternsGreedily(function, std::move(patterns))))
      return signalPassFailure();
    OpBuilder b(&getContext());
    copyMaterialized(b);
    function.walk(
        [&](tensor::InsertSliceOp insert) { copyInserted(b, insert); });
    function.walk([&](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        copyInits(b, loop.getInitArgsMutable());
        placeYielded(b, loop.getBody()->getTerminator(),
                     *loop.getYieldedValuesMutable(), loop.getRegionIterArgs());
      } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
        copyInits(b, loop.getInitsMutable());
        scf::ConditionOp condition = loop.getConditionOp();
        placeYielded(b, condition, condition.getArgsMutable(),
                     loop.getBeforeArguments());
        scf::YieldOp yield = loop.getYieldOp();
        placeYielded(b, yield, yield->getOpOperands(),
                     loop.getAfterArguments());
      }
    });
  }

private:
  /// The copies go first: no computed value is stored before them.
  void copyMaterialized(OpBuilder &b) {
    Operation *first = nullptr;
    Block &block = getOperation().getBody().front();
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto materialize = dyn_cast<MaterializeInDestinationOp>(op);
      if (!materialize || !materialize.getResult())
        continue;
      if (!isMoved(materialize.getSource())) {
        if (!first)
          first = materialize;
        continue;
      }
      b.setInsertionPoint(first ? first : materialize.getOperation());
      Value source = materialize.getSource();
      if (source.getType() != materialize.getDest().getType())
        continue;
      materialize.getResult().replaceAllUsesWith(
          copyTo(b, materialize.getLoc(), source, materialize.getDest()));
      materialize.erase();
    }
  }
};
} // namespace
