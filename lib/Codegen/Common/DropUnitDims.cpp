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

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_DROPUNITDIMS
#include "flywheel/Codegen/Common/CodegenCommonPasses.h.inc"
} // namespace flywheel

/// The same elements without some dimensions of size 1.
static FailureOr<Value> collapse(RewriterBase &rewriter, Location loc,
                                 Value buffer, ArrayRef<int64_t> shape,
                                 ArrayRef<ReassociationIndices> reassociation,
                                 const linalg::ControlDropUnitDims &) {
  if (cast<MemRefType>(buffer.getType()).getLayout().isIdentity())
    return memref::CollapseShapeOp::create(rewriter, loc, buffer, reassociation)
        .getResult();
  // Only buffers without gaps have dimensions that are one.
  return memref::SubViewOp::rankReduceIfNeeded(rewriter, loc, buffer, shape);
}

namespace {
struct DropUnitDims : flywheel::impl::DropUnitDimsBase<DropUnitDims> {
  void runOnOperation() override {
    linalg::ControlDropUnitDims control;
    control.collapseFn = collapse;
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) {
      // A schedule counts the loops that it was made for.
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
