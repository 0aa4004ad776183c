//===- NormalizeBooleans.cpp - Every byte but zero is true ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: the LLVM dialect, with booleans that have a byte each in memory.
// After: ops that read such a byte compare it with zero. A load of i1 is
// undefined if the byte is neither 0 nor 1, and feeds and variables are a
// caller's own bytes. Refuses nothing.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Conversion/ConversionPasses.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_NORMALIZEBOOLEANS
#include "flywheel/Conversion/ConversionPasses.h.inc"
} // namespace flywheel

namespace {
struct NormalizeBooleans
    : flywheel::impl::NormalizeBooleansBase<NormalizeBooleans> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<LLVM::LoadOp> loads;
    getOperation()->walk([&](LLVM::LoadOp load) {
      if (load.getType().isInteger(1))
        loads.push_back(load);
    });
    for (LLVM::LoadOp load : loads) {
      rewriter.setInsertionPointAfter(load);
      Location loc = load.getLoc();
      Value byte = load.getResult();
      byte.setType(rewriter.getI8Type());
      Value zero =
          LLVM::ConstantOp::create(rewriter, loc, rewriter.getI8IntegerAttr(0));
      Value isTrue = LLVM::ICmpOp::create(rewriter, loc,
                                          LLVM::ICmpPredicate::ne, byte, zero);
      rewriter.replaceAllUsesExcept(byte, isTrue, isTrue.getDefiningOp());
    }
  }
};
} // namespace
