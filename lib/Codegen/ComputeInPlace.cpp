//===- ComputeInPlace.cpp - Compute values where they are stored ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/CodegenPasses.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SubsetOpInterface.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_COMPUTEINPLACE
#include "flywheel/Codegen/CodegenPasses.h.inc"
} // namespace flywheel

namespace {
struct ComputeInPlace : flywheel::impl::ComputeInPlaceBase<ComputeInPlace> {
  void runOnOperation() override {
    bufferization::OneShotBufferizationOptions options;
    options.allowReturnAllocsFromLoops = true;
    options.bufferizeFunctionBoundaries = true;
    bufferization::OneShotAnalysisState state(getOperation(), options);
    if (failed(bufferization::analyzeModuleOp(getOperation(), state)))
      return signalPassFailure();
    // Around a branch or a loop, the storage may still be needed as it is.
    auto extract = [](RewriterBase &rewriter, SubsetInsertionOpInterface op,
                      tensor::EmptyOp empty, Operation *user) -> Value {
      if (user->getBlock() != op->getBlock())
        return {};
      return bufferization::buildSubsetExtraction(rewriter, op, empty, user);
    };
    IRRewriter rewriter(&getContext());
    if (failed(bufferization::eliminateEmptyTensors(rewriter, getOperation(),
                                                    state, extract)))
      signalPassFailure();
  }
};
} // namespace
