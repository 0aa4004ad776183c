//===- DropUnitDims.cpp - Loops of one iteration --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/Common/CodegenCommonPasses.h"

#include "flywheel/Dialect/Codegen/Codegen.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_DROPUNITDIMS
#include "flywheel/Codegen/Common/CodegenCommonPasses.h.inc"
} // namespace flywheel

/// Returns the same elements without some dimensions of size 1.
static FailureOr<Value> collapse(RewriterBase &rewriter, Location loc,
                                 Value buffer, ArrayRef<int64_t> shape,
                                 ArrayRef<ReassociationIndices> reassociation,
                                 const linalg::ControlDropUnitDims &) {
  if (cast<MemRefType>(buffer.getType()).getLayout().isIdentity())
    return memref::CollapseShapeOp::create(rewriter, loc, buffer, reassociation)
        .getResult();
  // Only dimensions of buffers without gaps can be collapsed.
  return memref::SubViewOp::rankReduceIfNeeded(rewriter, loc, buffer, shape);
}

/// Returns the loops of one iteration without which \p op has the same ranges.
///
/// A window at one place reads the elements `d1 * stride + d4` of a dimension
/// that may be larger than the window. Without d1 that would be `d4`, and the
/// loop d4 that of all elements.
static SmallVector<unsigned> findDroppable(Operation *op) {
  auto generic = cast<linalg::GenericOp>(op);
  MLIRContext *context = op->getContext();
  SmallVector<int64_t> ranges = generic.getStaticLoopRanges();
  SmallVector<AffineExpr> without;
  for (auto [dim, range] : llvm::enumerate(ranges))
    without.push_back(range == 1 ? getAffineConstantExpr(0, context)
                                 : getAffineDimExpr(dim, context));
  llvm::SmallBitVector kept(ranges.size());
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = generic.getMatchingIndexingMap(&operand);
    ArrayRef<int64_t> shape = generic.getShape(&operand);
    for (auto [expr, size] : llvm::zip_equal(map.getResults(), shape)) {
      if (isa<AffineDimExpr, AffineConstantExpr>(expr))
        continue;
      auto left = dyn_cast<AffineDimExpr>(
          simplifyAffineExpr(expr.replaceDims(without), ranges.size(), 0));
      if (left && ShapedType::isStatic(size) &&
          ranges[left.getPosition()] == size)
        continue;
      for (unsigned dim = 0; dim < ranges.size(); ++dim)
        if (expr.isFunctionOfDim(dim))
          kept.set(dim);
    }
  }
  SmallVector<unsigned> droppable;
  for (auto [dim, range] : llvm::enumerate(ranges))
    if (range == 1 && !kept.test(dim))
      droppable.push_back(dim);
  return droppable;
}

namespace {
struct DropUnitDims : flywheel::impl::DropUnitDimsBase<DropUnitDims> {
  void runOnOperation() override {
    linalg::ControlDropUnitDims control;
    control.collapseFn = collapse;
    control.controlFn = findDroppable;
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) {
      // A schedule refers to loops by number.
      if (op.hasPureBufferSemantics() && !flywheel::codegen::getSchedule(op) &&
          op.getNumLoops() > 1)
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : ops) {
      rewriter.setInsertionPoint(op);
      if (FailureOr<linalg::DropUnitDimsResult> result =
              linalg::dropUnitDims(rewriter, op, control);
          succeeded(result))
        rewriter.eraseOp(op);
    }
  }
};
} // namespace
