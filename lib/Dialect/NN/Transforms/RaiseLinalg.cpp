//===- RaiseLinalg.cpp - nn ops for linalg ops that have one --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: any module. After: linalg ops of other front ends that have no
// derivative rule are nn ops, which have rules, batching and kernels:
// convolutions, pools, products, and reads of tensors in bodies, including
// those of `tensor.generate`.
//
//===----------------------------------------------------------------------===//

#include "RaiseLinalg.h"

#include "flywheel/Dialect/Codegen/LostSchedules.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNPasses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace flywheel::nn {
#define GEN_PASS_DEF_NNRAISELINALG
#include "flywheel/Dialect/NN/NNPasses.h.inc"

/// Returns the axes of `op` if it is a product of elements over some
/// dimensions, and true if these stay with dimension size 1.
static std::optional<std::pair<SmallVector<int64_t>, bool>>
matchProduct(linalg::LinalgOp op) {
  if (op->getNumOperands() != 2 || op.getNumDpsInputs() != 1 ||
      op.getNumReductionLoops() == 0)
    return std::nullopt;
  Block *body = op.getBlock();
  auto product =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::MulFOp>();
  if (!product || body->getOperations().size() != 2)
    return std::nullopt;
  Value x = body->getArgument(0), accumulator = body->getArgument(1);
  if (ValueRange{x, accumulator} != product.getOperands() &&
      ValueRange{accumulator, x} != product.getOperands())
    return std::nullopt;

  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!maps[0].isIdentity())
    return std::nullopt;
  SmallVector<int64_t> axes;
  SmallVector<AffineExpr> kept, dropped;
  for (int64_t loop = 0; loop < op.getNumLoops(); ++loop) {
    AffineExpr dim = getAffineDimExpr(loop, op.getContext());
    bool isAxis = !maps[1].isFunctionOfDim(loop);
    if (isAxis)
      axes.push_back(loop);
    else
      dropped.push_back(dim);
    kept.push_back(isAxis ? getAffineConstantExpr(0, op.getContext()) : dim);
  }
  if (maps[1].getResults() == ArrayRef(dropped))
    return std::pair(axes, false);
  if (maps[1].getResults() == ArrayRef(kept))
    return std::pair(axes, true);
  return std::nullopt;
}

/// Replaces `op` by `nn.reduce prod` if it is a product: products have no rule
/// as linalg ops.
static bool raiseProduct(RewriterBase &b, linalg::LinalgOp op) {
  auto matched = matchProduct(op);
  if (!matched)
    return false;
  auto [axes, keepdims] = *matched;
  b.setInsertionPoint(op);
  Value init = op->getOperand(1);
  Value product =
      ReduceOp::create(b, op.getLoc(), init.getType(), ReductionKind::prod,
                       op->getOperand(0), axes, keepdims);
  b.replaceOpWithNewOp<arith::MulFOp>(op, product, init);
  return true;
}

/// Replaces `op` by its inits if these have no elements: window ops of the nn
/// dialect do not accept empty images.
static bool raiseEmpty(RewriterBase &b, linalg::LinalgOp op) {
  auto isEmpty = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && llvm::is_contained(type.getShape(), 0);
  };
  if (op->getNumResults() != op.getNumDpsInits() ||
      !llvm::all_of(op.getDpsInits(), isEmpty))
    return false;
  b.replaceOp(op, op.getDpsInits());
  return true;
}

/// Returns true if the body of `op` reads a tensor that is defined outside of
/// it.
static bool readsOutside(tensor::GenerateOp op) {
  return op
      ->walk([&](tensor::ExtractOp read) {
        Region *made = read.getTensor().getParentRegion();
        return op.getBody().isAncestor(made) ? WalkResult::advance()
                                             : WalkResult::interrupt();
      })
      .wasInterrupted();
}

namespace {
struct NNRaiseLinalg : impl::NNRaiseLinalgBase<NNRaiseLinalg> {
  void runOnOperation() override {
    // The replacement of an op may have other loops, and has gradients of its
    // own.
    codegen::LostSchedules lost([](Operation *op) {
      return op->emitOpError()
             << "expected no schedule where nn-raise-linalg replaces the op, "
                "but behind flywheel-linalg; found ";
    });
    IRRewriter rewriter(&getContext(), &lost);
    SmallVector<tensor::GenerateOp> generated;
    getOperation()->walk([&](tensor::GenerateOp op) {
      if (readsOutside(op))
        generated.push_back(op);
    });
    for (tensor::GenerateOp op : generated) {
      rewriter.setInsertionPoint(op);
      if (failed(linalg::rewriteInDestinationPassingStyle(rewriter, op)))
        return signalPassFailure();
    }
    SmallVector<tensor::ReshapeOp> reshapes;
    getOperation()->walk([&](tensor::ReshapeOp op) { reshapes.push_back(op); });
    for (tensor::ReshapeOp op : reshapes)
      raiseReshape(rewriter, op);
    SmallVector<linalg::SoftmaxOp> softmaxes;
    getOperation()->walk(
        [&](linalg::SoftmaxOp op) { softmaxes.push_back(op); });
    for (linalg::SoftmaxOp op : softmaxes)
      if (failed(raiseSoftmax(rewriter, op)))
        return signalPassFailure();
    auto getOps = [&] {
      SmallVector<linalg::LinalgOp> ops;
      getOperation()->walk([&](linalg::LinalgOp op) {
        if (op.hasPureTensorSemantics())
          ops.push_back(op);
      });
      return ops;
    };
    for (linalg::LinalgOp op : getOps())
      if (failed(raiseWrites(rewriter, op)))
        return signalPassFailure();
    for (linalg::LinalgOp op : getOps())
      if (!raiseEmpty(rewriter, op) && !raiseWindow(rewriter, op) &&
          !raiseProduct(rewriter, op) && failed(raiseExtracts(rewriter, op)))
        return signalPassFailure();
    if (lost.any())
      signalPassFailure();
  }
};
} // namespace
} // namespace flywheel::nn
