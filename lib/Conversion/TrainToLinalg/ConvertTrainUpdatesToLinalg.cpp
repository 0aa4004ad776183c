//===- ConvertTrainUpdatesToLinalg.cpp - Optimizer updates to linalg ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LowerProjections.h"

#include "flywheel/Conversion/ConversionPasses.h"
#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_CONVERTTRAINUPDATESTOLINALG
#include "flywheel/Conversion/ConversionPasses.h.inc"

/// Replaces an update by one `linalg.generic`: the gradient and the scalars are
/// inputs, the parameter and its slots are the destinations. A projection that
/// needs one element at a time is in the same loop.
static void lowerUpdate(RewriterBase &rewriter,
                        train::OptimizerUpdateOpInterface update) {
  rewriter.setInsertionPoint(update);
  train::ProjectOp projection = getElementProjection(update);
  SmallVector<Value> state(update.getState());
  SmallVector<Value> inputs = {update.getGradientOperand()};
  llvm::append_range(inputs, update.getScalars());

  int64_t rank = cast<RankedTensorType>(state.front().getType()).getRank();
  AffineMap pointwise = rewriter.getMultiDimIdentityMap(rank);
  SmallVector<AffineMap> maps = {pointwise};
  maps.append(inputs.size() - 1,
              AffineMap::get(rank, 0, rewriter.getContext()));
  maps.append(state.size(), pointwise);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      rewriter, update.getLoc(), TypeRange(ValueRange(state)), inputs, state,
      maps, iterators, [&](OpBuilder &b, Location loc, ValueRange args) {
        ValueRange ins = args.take_front(inputs.size());
        ValueRange outs = args.drop_front(inputs.size());
        SmallVector<Value> updated =
            update.buildElementUpdate(b, loc, outs, ins[0], ins.drop_front());
        if (projection)
          updated[0] =
              projectElement(b, loc, projection.getConstraint(), updated[0]);
        linalg::YieldOp::create(b, loc, updated);
      });
  if (projection)
    rewriter.replaceOp(projection, generic.getResult(0));
  rewriter.replaceOp(update, generic.getResults());
}

namespace {
struct ConvertTrainUpdatesToLinalg
    : impl::ConvertTrainUpdatesToLinalgBase<ConvertTrainUpdatesToLinalg> {
  void runOnOperation() override {
    SmallVector<train::OptimizerUpdateOpInterface> updates;
    getOperation()->walk([&](train::OptimizerUpdateOpInterface update) {
      updates.push_back(update);
    });
    IRRewriter rewriter(&getContext());
    for (train::OptimizerUpdateOpInterface update : updates)
      lowerUpdate(rewriter, update);
    SmallVector<train::ProjectOp> projections;
    getOperation()->walk(
        [&](train::ProjectOp op) { projections.push_back(op); });
    for (train::ProjectOp projection : projections)
      lowerProjection(rewriter, projection);
  }
};
} // namespace
} // namespace flywheel
