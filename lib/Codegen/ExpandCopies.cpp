//===- ExpandCopies.cpp - Copies between layouts as loops -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/CodegenPasses.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_EXPANDCOPIES
#include "flywheel/Codegen/CodegenPasses.h.inc"
} // namespace flywheel

namespace {
struct ExpandCopies : flywheel::impl::ExpandCopiesBase<ExpandCopies> {
  void runOnOperation() override {
    SmallVector<memref::CopyOp> copies;
    getOperation().walk([&](memref::CopyOp op) {
      if (!isContiguous(op.getSource()) || !isContiguous(op.getTarget()))
        copies.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (memref::CopyOp op : copies) {
      rewriter.setInsertionPoint(op);
      rewriter.replaceOpWithNewOp<linalg::CopyOp>(op, op.getSource(),
                                                  op.getTarget());
    }
  }

private:
  /// Whether a copy of this buffer can be one memcpy.
  static bool isContiguous(Value buffer) {
    auto type = dyn_cast<MemRefType>(buffer.getType());
    return type && (type.getRank() == 0 || type.getLayout().isIdentity());
  }
};
} // namespace
