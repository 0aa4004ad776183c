//===- RaiseLinalg.cpp - nn ops for linalg ops that have one --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: any module. After: what other front ends lower to linalg ops that
// have no derivative rule, convolutions, pools and reads of tensors in bodies,
// are nn ops, which have rules, batches and kernels.
//
//===----------------------------------------------------------------------===//

#include "RaiseLinalg.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNPasses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace flywheel::nn {
#define GEN_PASS_DEF_NNRAISELINALG
#include "flywheel/Dialect/NN/NNPasses.h.inc"

namespace {
struct NNRaiseLinalg : impl::NNRaiseLinalgBase<NNRaiseLinalg> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (op.hasPureTensorSemantics())
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops) {
      if (isa<linalg::ConvolutionOpInterface>(op.getOperation()) ||
          linalg::isaConvolutionOpInterface(op))
        raiseWindow(rewriter, op);
      else if (failed(raiseExtracts(rewriter, op)))
        return signalPassFailure();
    }
  }
};
} // namespace
} // namespace flywheel::nn
