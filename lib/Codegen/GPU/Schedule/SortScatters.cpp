//===- SortScatters.cpp - An order for what is scattered ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: scatters on tensors. After: scatters of more than a few indices have
// an order of them, by which threads that start anywhere find equal indices.
// Scatters of the same indices share it. A sort does not have the result for
// counts, which a merge sort does not need. The initializer is not changed: the
// host visits indices one after the other.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/GPU/GPUPasses.h"
#include "flywheel/Dialect/LinalgExt/LinalgEmitter.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace flywheel;
using linalg_ext::ArgsortOp;
using linalg_ext::ScatterOp;

namespace flywheel {
#define GEN_PASS_DEF_SORTSCATTERS
#include "flywheel/Codegen/GPU/GPUPasses.h.inc"
} // namespace flywheel

/// Up to `kMaxInOrder` indices, a thread visits them one after the other: the
/// launch that sorts them would take longer.
static constexpr int64_t kMaxInOrder = 16;

/// Returns true if `indices` are always few.
static bool areFew(Value indices) {
  auto type = cast<RankedTensorType>(indices.getType());
  return type.hasStaticShape() && type.getNumElements() <= kMaxInOrder;
}

/// Returns `indices` as a list.
static Value buildList(OpBuilder &b, Location loc, Value indices) {
  int64_t rank = cast<RankedTensorType>(indices.getType()).getRank();
  if (rank == 1)
    return indices;
  ReassociationIndices all = llvm::to_vector<2>(llvm::seq<int64_t>(0, rank));
  return tensor::CollapseShapeOp::create(b, loc, indices,
                                         ArrayRef<ReassociationIndices>(all));
}

/// Removes the unused result for counts from `sort`.
static void dropCounts(RewriterBase &rewriter, ArgsortOp sort) {
  if (sort.getNumResults() != 3 || !sort.getResult(2).use_empty())
    return;
  rewriter.setInsertionPoint(sort);
  auto smaller = ArgsortOp::create(
      rewriter, sort.getLoc(), TypeRange(sort.getResultTypes()).drop_back(),
      sort.getIndices(), sort.getLimit(), sort.getOrder(), sort.getSpare(),
      /*counts=*/Value());
  rewriter.replaceAllUsesWith(sort.getResults().drop_back(),
                              smaller.getResults());
  rewriter.eraseOp(sort);
}

namespace {
struct SortScatters : flywheel::impl::SortScattersBase<SortScatters> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function->hasAttr(train::TrainDialect::getInitializerAttrName()))
      return;
    IRRewriter rewriter(function.getContext());
    function.walk([&](ScatterOp scatter) {
      Value indices = scatter.getIndices();
      if (scatter.getOrder() || !isa<TensorType>(indices.getType()) ||
          areFew(indices))
        return;
      LinalgEmitter e(rewriter, scatter);
      Value list = buildList(rewriter, e.loc, indices);
      Value order =
          e.argsort(list, e.getDimSize(scatter.getInit(), scatter.getAxis()));
      scatter.getOrderMutable().assign(order);
      ++numSorted;
    });
    function.walk([&](ArgsortOp sort) { dropCounts(rewriter, sort); });
  }
};
} // namespace
