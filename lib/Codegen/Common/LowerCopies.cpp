//===- LowerCopies.cpp - Copies of strided buffers as structured ops ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/Common/CodegenCommonPasses.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_LOWERCOPIES
#include "flywheel/Codegen/Common/CodegenCommonPasses.h.inc"
} // namespace flywheel

namespace {
struct LowerCopies : flywheel::impl::LowerCopiesBase<LowerCopies> {
  void runOnOperation() override {
    SmallVector<memref::CopyOp> copies;
    getOperation().walk([&](memref::CopyOp copy) {
      auto isContiguous = [](Value buffer) {
        return cast<MemRefType>(buffer.getType()).getLayout().isIdentity();
      };
      // Any byte other than 0 is true; 1 is stored for it.
      bool isBoolean = getElementTypeOrSelf(copy.getSource()).isInteger(1);
      if (isBoolean || !isContiguous(copy.getSource()) ||
          !isContiguous(copy.getTarget()))
        copies.push_back(copy);
    });
    for (memref::CopyOp copy : copies) {
      OpBuilder b(copy);
      linalg::CopyOp::create(b, copy.getLoc(), copy.getSource(),
                             copy.getTarget());
      copy.erase();
    }
  }
};
} // namespace
